//! How much git seed does in a clone: it only watches, it keeps the fences, or it leads jobs
//! through all phases.
//!
//! Pure words. Which rules hold in a mode is a row of `phases/fence.toml`; who may change it is
//! for the joint.

use serde::{Deserialize, Serialize};
use strum::VariantArray as _;

/// The mode of a clone, from the one that does least up.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase", const_into_str)]
pub enum Mode {
    /// Hooks write down what they would have said, and let everything pass.
    Watch,
    /// What an agent may touch and what it may say is judged; there are no jobs and no phases.
    Fence,
    /// Jobs go through phases.
    #[default]
    Full,
}

impl Mode {
    /// As rules and commands spell it.
    pub(crate) fn word(self) -> &'static str {
        self.into()
    }

    /// The mode of that name.
    pub(crate) fn named(word: &str) -> Option<Self> {
        Self::VARIANTS.iter().copied().find(|mode| mode.word() == word)
    }

    /// Prompts become jobs, and jobs go through phases.
    pub(crate) fn keeps_jobs(self) -> bool {
        self == Self::Full
    }

    /// The short word that puts it into force.
    pub(crate) fn tag(self) -> &'static str {
        match self {
            Self::Watch => "[ON watch]",
            Self::Fence => "[ON fence]",
            Self::Full => "[ON full]",
        }
    }

    /// The short words for the other modes, the one that does most first.
    pub(crate) fn others(self) -> impl Iterator<Item = &'static str> {
        Self::VARIANTS.iter().rev().filter(move |mode| **mode != self).map(|mode| mode.tag())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_mode_is_known_by_its_word_and_does_more_than_the_one_before() {
        for mode in Mode::VARIANTS {
            assert_eq!(Mode::named(mode.word()), Some(*mode));
            assert!(mode.tag().contains(mode.word()));
            assert!(mode.others().all(|tag| tag != mode.tag()));
        }
        assert!(Mode::Watch < Mode::Fence && Mode::Fence < Mode::Full);
        assert_eq!(Mode::default(), Mode::Full, "what no rule says is as it was");
        for word in ["", "Full", "full ", "off"] {
            assert_eq!(Mode::named(word), None, "{word}");
        }
        let keeping = Mode::VARIANTS.iter().filter(|mode| mode.keeps_jobs()).count();
        assert_eq!(keeping, 1);
    }
}
