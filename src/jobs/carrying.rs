//! When a repository cannot go back to the format before.

use crate::verdict::{Case, Refusal, Wants};

/// It was made in this format, or nothing of the older one is kept.
pub(crate) fn nothing_kept() -> Refusal {
    Refusal::new("upgrade", Wants::Edge).case(Case::BackNothing)
}

/// A chain has steps that the older one has not, or is new.
pub(crate) fn newer_steps(chain: &str) -> Refusal {
    let shown = chain.trim_start_matches("refs/seed/").trim_start_matches("jobs/");
    Refusal::new("upgrade", Wants::Edge).case(Case::BackSteps).with("chain", shown)
}
