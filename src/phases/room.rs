//! Room: how full a session's context and the job's compaction file are, and which acts
//! that closes. Always soft or soon over: sealing the file opens every act again, so
//! nobody is locked out by a number.

use crate::verdict::{Case, Refusal, Wants};

/// Tokens of a tier.
const TIER: u64 = 10_000;

/// Where the soft word, the end of reading and the end of editing lie, in tiers of 10,000
/// tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tiers {
    /// From here on the agent is told to come to an end.
    pub soft: u64,
    /// From here on reading is closed.
    pub read: u64,
    /// From here on editing is closed, too.
    pub edit: u64,
}

/// What is closed, from nothing to all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Closed {
    #[default]
    Nothing,
    Reads,
    /// Reads and edits.
    Edits,
    /// Everything but git seed's commands, questions, the host's own lists, and memory
    /// where a phase settles it.
    All,
}

/// The room that is left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Room {
    pub closed: Closed,
    /// The compaction file is too long; otherwise the context is.
    pub by_file: bool,
}

impl Room {
    /// The narrower of what the context and the file leave.
    pub(crate) fn of(context: Closed, file: Closed) -> Self {
        Self { closed: context.max(file), by_file: file >= context && file > Closed::Nothing }
    }
}

impl Tiers {
    /// The tier of a context of `tokens`.
    pub(crate) fn of(tokens: u64) -> u64 {
        tokens / TIER
    }

    /// What a context of `tokens` closes; a host that does not count closes nothing.
    pub(crate) fn closes(self, tokens: Option<u64>) -> Closed {
        match tokens.map(Self::of) {
            Some(tier) if tier >= self.edit => Closed::Edits,
            Some(tier) if tier >= self.read => Closed::Reads,
            _ => Closed::Nothing,
        }
    }

    /// Whether the session is told that its context fills up: once for each tier that it
    /// comes to above `told`.
    pub(crate) fn tells(self, tokens: u64, told: u64) -> bool {
        let tier = Self::of(tokens);
        tier >= self.soft && tier > told
    }
}

/// What the agent is told of its context, as a refusal that closes nothing.
pub(crate) fn notice(case: Case) -> Refusal {
    Refusal::new("room", Wants::Summary).case(case)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIERS: Tiers = Tiers { soft: 20, read: 25, edit: 30 };

    #[test]
    fn a_full_context_closes_reading_and_then_editing() {
        let cases = [
            (None, Closed::Nothing),
            (Some(0), Closed::Nothing),
            (Some(249_999), Closed::Nothing),
            (Some(250_000), Closed::Reads),
            (Some(299_999), Closed::Reads),
            (Some(300_000), Closed::Edits),
            (Some(u64::MAX), Closed::Edits),
        ];
        for (tokens, closed) in cases {
            assert_eq!(TIERS.closes(tokens), closed, "{tokens:?}");
        }
    }

    #[test]
    fn each_tier_is_told_once() {
        for (tokens, told, tells) in [
            (199_999, 0, false),
            (200_000, 0, true),
            (209_999, 20, false),
            (210_000, 20, true),
            (100_000, 20, false),
        ] {
            assert_eq!(TIERS.tells(tokens, told), tells, "{tokens} after {told}");
        }
    }

    #[test]
    fn the_narrower_one_speaks() {
        for (context, file, closed, by_file) in [
            (Closed::Nothing, Closed::Nothing, Closed::Nothing, false),
            (Closed::Reads, Closed::Nothing, Closed::Reads, false),
            (Closed::Edits, Closed::Reads, Closed::Edits, false),
            (Closed::Reads, Closed::Reads, Closed::Reads, true),
            (Closed::Edits, Closed::All, Closed::All, true),
        ] {
            assert_eq!(Room::of(context, file), Room { closed, by_file });
        }
    }
}
