//! The end of a job, asked for: what became of the question, and what that opens.

use serde::{Deserialize, Serialize};

use crate::verdict::{Case, Refusal, Verdict, Wants};

/// What became of the question whether the job is complete, in the stay where it may be asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Review {
    /// It did not go out.
    #[default]
    Unasked,
    /// It went out, and nothing that counts came back.
    Unanswered,
    /// The person looks at the work, and has said nothing since.
    Looking,
    /// The person has said something since.
    Spoken,
}

/// What came back to the question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The literal answer that asks for a look.
    Look,
    /// Words that the person typed.
    Words,
}

impl Review {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks it by reference")]
    pub(crate) fn is_unasked(&self) -> bool {
        *self == Self::Unasked
    }

    /// The question went out, once more perhaps: what was said before belongs to the last one.
    #[must_use]
    pub fn asked(self) -> Self {
        Self::Unanswered
    }

    /// A person answered, and did not approve.
    #[must_use]
    pub fn answered(self, reply: Reply) -> Self {
        match reply {
            Reply::Look => Self::Looking,
            Reply::Words => Self::Spoken,
        }
    }

    /// A prompt of the person's came.
    #[must_use]
    pub fn heard(self) -> Self {
        if self == Self::Unasked { self } else { Self::Spoken }
    }

    /// What the person says now is the reason for one more cycle.
    ///
    /// # Errors
    ///
    /// Refuses where the person was not asked, and before they have said what they want.
    pub fn opens_a_cycle(self) -> Verdict {
        let case = match self {
            Self::Spoken => return Ok(()),
            Self::Looking => Case::ReviewSilent,
            Self::Unasked | Self::Unanswered => Case::ReviewUnasked,
        };
        Err(Refusal::new("review", Wants::Person).case(case))
    }
}

/// What stands behind a step that would end the last cycle of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It may close: it is not the last one, the job is approved, or it rests until it is.
    Free,
    /// The person decides, and this became of the question.
    Asks(Review),
}

impl Ending {
    /// The last planned cycle closes with a person's answer, or with none that was to be had.
    ///
    /// # Errors
    ///
    /// Refuses with the question, with the person's look, or with the cycle that their words open.
    pub(crate) fn may_close(self) -> Verdict {
        let case = match self {
            Self::Free | Self::Asks(Review::Unanswered) => return Ok(()),
            Self::Asks(Review::Unasked) => Case::AskFirst,
            Self::Asks(Review::Looking) => Case::Reviewing,
            Self::Asks(Review::Spoken) => Case::Reviewed,
        };
        let wants = if case == Case::Reviewing { Wants::Person } else { Wants::Question };
        Err(Refusal::new("asked", wants).case(case))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Review; 4] = [Review::Unasked, Review::Unanswered, Review::Looking, Review::Spoken];

    fn case(verdict: Verdict) -> String {
        verdict.map_or_else(
            |no| no.facts.get("case").unwrap_or_default().to_owned(),
            |()| "yes".to_owned(),
        )
    }

    #[test]
    fn what_comes_after_what() {
        use Review::{Looking, Spoken, Unanswered, Unasked};
        for (now, heard) in
            [(Unasked, Unasked), (Unanswered, Spoken), (Looking, Spoken), (Spoken, Spoken)]
        {
            assert_eq!(now.heard(), heard, "{now:?}");
            assert_eq!(now.asked(), Unanswered, "{now:?}");
            assert_eq!(now.answered(Reply::Look), Looking, "{now:?}");
            assert_eq!(now.answered(Reply::Words), Spoken, "{now:?}");
        }
    }

    #[test]
    fn only_words_after_the_question_open_a_cycle() {
        let said: Vec<String> = ALL.map(|review| case(review.opens_a_cycle())).into();
        assert_eq!(said, ["review-unasked", "review-unasked", "review-silent", "yes"]);
    }

    #[test]
    fn the_last_cycle_closes_where_the_person_could_not_be_asked() {
        assert_eq!(case(Ending::Free.may_close()), "yes");
        let said: Vec<String> = ALL.map(|review| case(Ending::Asks(review).may_close())).into();
        assert_eq!(said, ["ask-first", "yes", "reviewing", "reviewed"]);
    }
}
