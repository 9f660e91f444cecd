//! What a person opened for a job: directories, and what an answer granted.

use crate::engine::record;
use crate::engine::record::draft::{By, Journaling, StepDraft};
use crate::engine::repo::{Repo, Result};
use crate::format::state::State;

/// A step that a person's answer takes, and that no rule can refuse any more.
pub(crate) fn grant_step(
    repo: &Repo,
    chain: &str,
    step: &str,
    subject: &str,
    mut change: impl FnMut(&mut State),
) -> Result<()> {
    let taken = record::step::step(repo, chain, Journaling::Read, |state, _| {
        change(state);
        Ok(Ok(StepDraft::new(state, step, subject, By::Person)))
    })?;
    debug_assert!(taken.is_ok(), "what was asked and granted is never refused");
    Ok(())
}
