//! Deflation: how much of the footers must have gone when a cycle closes.
//!
//! Plain integers over word counts that [`super::words`] took. Which pages count, and
//! when they are counted, is the caller's.

use std::collections::BTreeMap;

/// The one line that stays in a deflated footer, the same in every cycle, so that two
/// branches which both condense do not collide on it. Formatters leave it alone.
pub(crate) const POINTER: &str = "Earlier cycles: session logs in `.claude/jobs/`.";

/// The same where session logs do not lie in the work tree.
pub(crate) const POINTER_OF_REF: &str = "Earlier cycles: session logs, by `git seed show <job>`.";

/// Says whether `line` is a pointer to earlier cycles, and nothing more.
pub(crate) fn points(line: &str) -> bool {
    line.len() >= POINTER.len() && [POINTER, POINTER_OF_REF].contains(&line.trim())
}

/// How far condense has come: what is still ahead of it, or that the cycle may close.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum Stage {
    /// Notes wait for an end.
    Address,
    /// The session log lacks something that the footers say.
    Archive,
    /// The footers have more words than may be left.
    Deflate,
    Ready,
}

impl Stage {
    /// The word as output and refusals spell it.
    pub(crate) fn word(self) -> &'static str {
        self.into()
    }
}

/// Words of each altered page's footer when condense was entered, by the page's path.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub(crate) struct Baseline {
    pub per_page: BTreeMap<String, usize>,
}

impl Baseline {
    /// Words of all pages together.
    pub(crate) fn total(&self) -> usize {
        self.per_page.values().fold(0, |sum, words| sum.saturating_add(*words))
    }
}

/// The words that were there, those that are left, and the share that must go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Deflation {
    /// Words at entry.
    pub baseline: usize,
    /// Words now.
    pub remaining: usize,
    /// Percent that must go; above 100 means all.
    pub share: u32,
}

impl Deflation {
    /// Words that must go, rounded down.
    pub(crate) fn to_absorb(self) -> usize {
        let share = usize::try_from(self.share.min(100)).unwrap_or(100);
        // Hundreds and rest apart: the product of both could overflow.
        self.baseline / 100 * share + self.baseline % 100 * share / 100
    }

    /// Most words that may be left; exactly this many still hold.
    pub(crate) fn max_words(&self) -> usize {
        self.baseline - self.to_absorb()
    }

    /// Says whether enough has gone. A cycle that began without words has nothing to lose.
    pub(crate) fn holds(&self) -> bool {
        self.baseline == 0 || self.remaining <= self.max_words()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_share_is_asked_in_whole_words() {
        let cases = [
            // baseline remaining share  absorb  most  holds
            (1820, 312, 80, 1456, 364, true),
            (1820, 364, 80, 1456, 364, true),
            (1820, 365, 80, 1456, 364, false),
            (0, 0, 80, 0, 0, true),
            (0, 40, 80, 0, 0, true),
            (1, 1, 80, 0, 1, true),
            (4, 1, 80, 3, 1, true),
            (4, 2, 80, 3, 1, false),
            (10, 4, 60, 6, 4, true),
            (10, 0, 200, 10, 0, true),
            (
                usize::MAX,
                0,
                90,
                usize::MAX / 100 * 90 + usize::MAX % 100 * 90 / 100,
                usize::MAX / 10 + 1,
                true,
            ),
        ];
        for (baseline, remaining, share, absorb, most, holds) in cases {
            let deflation = Deflation { baseline, remaining, share };
            assert_eq!(deflation.to_absorb(), absorb, "{deflation:?}");
            assert_eq!(deflation.max_words(), most, "{deflation:?}");
            assert_eq!(deflation.holds(), holds, "{deflation:?}");
        }
    }

    #[test]
    fn a_baseline_is_the_sum_of_its_pages() {
        let per_page =
            BTreeMap::from([("CLAUDE.md".to_owned(), 20), ("src/CLAUDE.md".to_owned(), 22)]);
        assert_eq!(Baseline { per_page }.total(), 42);
        assert_eq!(Baseline::default().total(), 0);
    }

    proptest! {
        #[test]
        fn absorbing_is_one_integer_division(baseline in 0_usize..1_000_000, share in 60_u32..=90) {
            let deflation = Deflation { baseline, remaining: 0, share };
            prop_assert_eq!(deflation.to_absorb(), baseline * share as usize / 100);
            prop_assert!(deflation.holds());
        }
    }
}
