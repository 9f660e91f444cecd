//! When a job went on in two clones: which steps of the one stand on what the other did.
//!
//! Pure. A step is known by its name alone; where the job stood is compared by whoever asks.

use strum::{EnumString, IntoStaticStr};

/// What a step does to a job, as far as it matters where two of its chains become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It adds something, which is true wherever the job stands: words, receipts, an edge.
    Adds,
    /// It says anew what the job is: whoever says it last is right.
    Says,
    /// It belongs to the phase in which it was taken.
    OfPhase,
    /// It judged all that was there: the job is over, or is as it was.
    Judges,
    /// It joined two chains, and does nothing itself.
    Joins,
}

/// Why a step fell where two chains became one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Why {
    /// The job stood elsewhere by then: another phase, cycle, run or track.
    Phase,
    /// A step of its side that it builds on fell.
    Behind,
    /// What it judged had grown meanwhile.
    Grew,
    /// The other side had ended the job, or led it back.
    Over,
    /// Both sides wrote the same file.
    File,
}

impl Why {
    /// The word in a chain.
    pub(crate) fn word(self) -> &'static str {
        self.into()
    }
}

/// The step that joins two chains.
pub(crate) const JOIN: &str = "merge";

/// The step with which a person takes old raw memory out of a closed job.
pub(crate) const PRUNE: &str = "prune";

/// The step with which a person ends a job.
pub(crate) const COMPLETION: &str = "completion";

/// The step with which a person says whether it lands.
pub(crate) const LAND_WORD: &str = "land-word";

/// A step that keeps what was recorded since the last one.
pub(crate) const KEEP: &str = "keep";

/// The same where nobody worked: a look, a mark.
pub(crate) const SEEN: &str = "seen";

/// The kind of the step `name`.
pub(crate) fn kind(name: &str) -> Kind {
    match name {
        JOIN => Kind::Joins,
        "prompt" | "question" | "automation" | KEEP | "summary" | "depend" | "unlink" | SEEN
        | "note" | "land" | "redact" | PRUNE => Kind::Adds,
        "update" => Kind::Says,
        COMPLETION | LAND_WORD | "void" | "drop" | "undo" | "redo" => Kind::Judges,
        _ => Kind::OfPhase,
    }
}

/// Whether the work is more, or another one, after the step `name`: what was judged before it was
/// judged without it.
///
/// A name is all that every clone has of a step: the lines of its journal need not travel. So
/// whoever makes a step of a journal names it [`KEEP`] or [`SEEN`], by
/// [`crate::format::fold::JournalLines::has_work`].
pub(crate) fn grows(name: &str) -> bool {
    const ONLY_NOTED: [&str; 18] = [
        JOIN,
        "summary",
        SEEN,
        "land",
        "redact",
        PRUNE,
        "activate",
        "rest",
        "pause",
        "disown",
        "driver",
        "yield",
        "move",
        "rewritten",
        "repeat",
        "on",
        "compact append",
        "compact seal",
    ];
    kind(name) != Kind::Judges && !ONLY_NOTED.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::routing::InteractionKind;

    #[test]
    fn every_kind_of_words_adds() {
        use InteractionKind::{Automation, Prompt, Question};
        for said in [Prompt, Question, Automation] {
            assert_eq!(kind(said.word()), Kind::Adds);
            assert!(grows(said.word()));
        }
        assert_eq!(
            [KEEP, SEEN].map(|name| (kind(name), grows(name))),
            [(Kind::Adds, true), (Kind::Adds, false)]
        );
    }

    #[test]
    fn what_is_not_known_belongs_to_its_phase_and_is_growth() {
        for name in
            ["observe -> plan", "checkpoint", "multiplier", "reactivate", "of a later git seed"]
        {
            assert_eq!((kind(name), grows(name)), (Kind::OfPhase, true), "{name}");
        }
        for name in ["completion", "drop", "undo", JOIN, "land", SEEN] {
            assert!(!grows(name), "{name}");
        }
    }

    #[test]
    fn a_word_of_a_chain_reads() {
        for why in [Why::Phase, Why::Behind, Why::Grew, Why::Over, Why::File] {
            assert_eq!(why.word().parse(), Ok(why));
        }
    }
}
