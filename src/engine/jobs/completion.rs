//! When a job may be complete, and the step that completes it.

use crate::engine::record;
use crate::engine::record::draft::{By, Journaling, StepDraft};
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::format::state::State;
use crate::jobs::{Status, questions};
use crate::phases::review::Review;
use crate::verdict::Refusal;

/// May the job end in this cycle?
pub(crate) fn eligible(repo: &Repo, focused: &LoadedJob) -> bool {
    let state = &focused.state;
    // Which cycle is the last one is not known where the document does not read: it is not this.
    let lets = || {
        repo.plan_total(focused).is_ok_and(|total| state.plan.eligible(state.stand.cycle, total))
    };
    questions::may_be_last(repo.map(&state.stand).decides(), lets)
}

/// A person's approval, and the completion that it allows: two steps, two events.
pub(crate) fn complete(
    repo: &Repo,
    chain: &str,
    fold: Journaling,
    may: impl Fn(&State) -> Result<std::result::Result<(), Refusal>>,
) -> Result<std::result::Result<LoadedJob, Refusal>> {
    let approved = record::step::step(repo, chain, fold, |state, _| {
        if let Err(refusal) = may(state)? {
            return Ok(Err(refusal));
        }
        state.job.user_approval = true;
        Ok(Ok(StepDraft::new(state, "approval", "a person approved the completion", By::Person)))
    })?;
    if let Err(refusal) = approved {
        return Ok(Err(refusal));
    }
    let now = repo.now;
    let completed = record::step::step(repo, chain, fold, |state, _| {
        state.job.become_(Status::Completed, now)?;
        state.review = Review::Unasked;
        Ok(Ok(StepDraft::new(state, "completion", "the job is completed", By::Person)))
    })?;
    Ok(completed.map(|taken| taken.focused))
}
