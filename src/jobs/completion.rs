//! The question that asks a person whether a job is done, and the answer that counts.
//!
//! Only the literal answer to a question of the literal shape approves; what the
//! question must say is checked before the person ever sees it.

use super::{Job, JobId, Status};
use crate::event::Question;
use crate::verdict::{Refusal, Wants};

/// The tag that the question begins with.
pub const TAG: &str = "[JOB-COMPLETE]";
/// The answer that approves.
pub const APPROVE: &str = "Approve completion";
/// The answer that asks for more.
pub const REVIEW: &str = "Review";
/// The tag of the question for the side lane.
pub const SIDE_TAG: &str = "[GMODE]";
/// The answer that opens the side lane.
pub const SIDE_ENTER: &str = "Enter gmode";
/// The answer that leaves it closed.
pub const SIDE_STAY: &str = "Stay in phase";
/// Words that either question has at least.
const WORDS: usize = 100;

/// A question that git seed acts upon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Registered {
    Complete,
    Gmode,
}

impl Registered {
    /// The registered question that `text` begins as, if any.
    pub fn of(text: &str) -> Option<Self> {
        let text = text.trim_start();
        [(TAG, Self::Complete), (SIDE_TAG, Self::Gmode)]
            .into_iter()
            .find(|(tag, _)| text.starts_with(tag))
            .map(|(_, registered)| registered)
    }

    pub fn tag(self) -> &'static str {
        match self {
            Self::Complete => TAG,
            Self::Gmode => SIDE_TAG,
        }
    }

    fn options(self) -> [&'static str; 2] {
        match self {
            Self::Complete => [REVIEW, APPROVE],
            Self::Gmode => [SIDE_ENTER, SIDE_STAY],
        }
    }

    /// The literal answer that grants.
    pub fn grant(self) -> &'static str {
        match self {
            Self::Complete => APPROVE,
            Self::Gmode => SIDE_ENTER,
        }
    }
}

/// What the joint knows about the moment of the question.
#[derive(Clone, Debug)]
pub struct Moment<'a> {
    pub job: Option<&'a Job>,
    pub consolidating: bool,
    pub in_side_lane: bool,
    /// `ready`, or the stage that is still ahead.
    pub stage: &'a str,
    /// The plan lets the job end in this cycle.
    pub eligible: bool,
    /// Sections of the question that must be there, with `Outstanding Items` empty.
    pub outstanding: Option<String>,
}

/// Why the job cannot be completed at this moment, whoever would say so.
pub fn too_soon(moment: &Moment<'_>) -> Option<Refusal> {
    let case = match moment.job {
        None => "no-job",
        Some(_) if !moment.consolidating => "too-early",
        Some(job) if job.status == Status::Completed => "done-already",
        Some(_) if moment.stage != "ready" => "not-ready",
        Some(_) if !moment.eligible => "cycles-left",
        Some(_) => return None,
    };
    Some(refusal(Registered::Complete, case, moment))
}

fn refusal(registered: Registered, case: &str, moment: &Moment<'_>) -> Refusal {
    let options = registered.options().join("` and `");
    Refusal::new("question", Wants::Question)
        .with("case", case)
        .with("tag", registered.tag())
        .with("options", options)
        .with("words", WORDS.to_string())
        .with("stage", moment.stage)
        .with("job", moment.job.map_or("", |job| job.name.as_str()))
}

/// Checks a question that begins with a registered tag; others are the agent's own business.
pub fn admit(questions: &[Question], moment: &Moment<'_>) -> Result<Option<Registered>, Refusal> {
    let Some((question, registered)) =
        questions.iter().find_map(|question| Some((question, Registered::of(&question.text)?)))
    else {
        return Ok(None);
    };
    let no = |case: &str| refusal(registered, case, moment);
    let Some(job) = moment.job else { return Err(no("no-job")) };
    match registered {
        Registered::Complete => too_soon(moment).map_or(Ok(()), Err)?,
        Registered::Gmode if moment.in_side_lane => return Err(no("done-already")),
        Registered::Gmode => {}
    }
    if questions.len() != 1 || question.multiple || question.answered {
        return Err(no("alone"));
    }
    let wanted = registered.options();
    if question.options.len() != 2 || !wanted.iter().all(|want| question.options.iter().any(|o| o == want)) {
        return Err(no("options"));
    }
    if question.text.split_whitespace().count() < WORDS {
        return Err(no("short"));
    }
    if registered == Registered::Complete {
        if !question.text.contains(&job.name) {
            return Err(no("name"));
        }
        match moment.outstanding.as_deref() {
            None => return Err(no("outstanding-missing")),
            Some(text) if !text.trim().is_empty() => return Err(no("outstanding")),
            Some(_) => {}
        }
    }
    Ok(Some(registered))
}

/// The dependencies that still stand in the way, from what is known about each.
pub fn unmet<'a>(
    job: &Job,
    status_of: impl Fn(&JobId) -> Option<(&'a str, Status)>,
) -> Vec<(JobId, String, &'static str)> {
    job.depends_on
        .iter()
        .filter_map(|id| match status_of(id) {
            Some((_, Status::Completed | Status::Voided)) => None,
            Some((name, status)) => Some((id.clone(), name.to_owned(), status.word())),
            None => Some((id.clone(), String::new(), "missing")),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(text: &str, options: &[&str]) -> Question {
        Question {
            text: text.to_owned(),
            options: options.iter().map(|&option| option.to_owned()).collect(),
            multiple: false,
            answered: false,
        }
    }

    #[test]
    fn the_completion_question_is_admitted_only_in_its_shape_and_its_time() {
        let mut job = Job::created("j".parse().expect("an id"), "fix the lexer", 0);
        job.status = Status::Active;
        let ready = Moment {
            job: Some(&job),
            consolidating: true,
            in_side_lane: false,
            stage: "ready",
            eligible: true,
            outstanding: Some(String::new()),
        };
        let body = format!("{TAG} fix the lexer {}", "word ".repeat(100));
        let good = question(&body, &[REVIEW, APPROVE]);
        let case = |question: Question, moment: Moment<'_>| {
            admit(&[question], &moment).map_err(|r| r.facts.get("case").unwrap_or_default().to_owned())
        };
        let with = |change: fn(&mut Moment<'_>)| {
            let mut moment = ready.clone();
            change(&mut moment);
            moment
        };
        assert_eq!(case(good.clone(), ready.clone()), Ok(Some(Registered::Complete)));
        assert_eq!(case(question("Which colour?", &["a"]), ready.clone()), Ok(None));
        let refused = [
            ("too-early", good.clone(), with(|m| m.consolidating = false)),
            ("not-ready", good.clone(), with(|m| m.stage = "deflate")),
            ("cycles-left", good.clone(), with(|m| m.eligible = false)),
            ("no-job", good.clone(), with(|m| m.job = None)),
            ("outstanding", good.clone(), with(|m| m.outstanding = Some("- one".into()))),
            ("outstanding-missing", good.clone(), with(|m| m.outstanding = None)),
            ("options", question(&body, &[APPROVE]), ready.clone()),
            ("options", question(&body, &[REVIEW, "approve completion"]), ready.clone()),
            ("options", question(&body, &[REVIEW, APPROVE, "Later"]), ready.clone()),
            ("short", question("[JOB-COMPLETE] fix the lexer", &[REVIEW, APPROVE]), ready.clone()),
            ("name", question(&body.replace("fix the lexer", "it"), &[REVIEW, APPROVE]), ready.clone()),
            ("alone", Question { answered: true, ..good.clone() }, ready.clone()),
            ("alone", Question { multiple: true, ..good.clone() }, ready.clone()),
        ];
        for (expected, question, moment) in refused {
            assert_eq!(case(question, moment), Err(expected.to_owned()), "{expected}");
        }
        assert!(admit(&[good.clone(), good], &ready).is_err(), "two at once");
    }

    #[test]
    fn open_dependencies_are_listed_with_their_status() {
        let mut job = Job::created("j".parse().expect("an id"), "n", 0);
        job.depends_on = ["a", "b", "c", "d"].iter().map(|id| id.parse().expect("an id")).collect();
        let unmet = unmet(&job, |id| match id.to_string().as_str() {
            "a" => Some(("first", Status::Completed)),
            "b" => Some(("second", Status::Active)),
            "c" => Some(("third", Status::Voided)),
            _ => None,
        });
        let said: Vec<_> = unmet.iter().map(|(id, name, status)| format!("{id} {name} {status}")).collect();
        assert_eq!(said, ["b second active", "d  missing"]);
    }
}
