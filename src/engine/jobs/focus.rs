//! The focus of a worktree: turning to a job, and leaving it.

use crate::engine::record;
use crate::engine::record::draft::{By, Journaling, StepDraft, Taken};
use crate::engine::repo::answer::Answered;
use crate::engine::repo::{EngineError, LoadedJob, Repo, Result};
use crate::format::names;
use crate::jobs::JobId;
use crate::phases::commands;
use crate::verdict::Refusal;

/// A step that no rule can refuse.
pub(crate) fn always(
    repo: &Repo,
    chain: &str,
    mut draft: impl FnMut(&mut crate::format::state::State) -> StepDraft,
) -> Result<LoadedJob> {
    let taken = record::step::step(repo, chain, Journaling::Read, |state, _| Ok(Ok(draft(state))))?;
    match taken {
        Ok(taken) => Ok(taken.focused),
        Err(refusal) => Err(EngineError::Refused(refusal.wants)),
    }
}

pub(crate) fn turn_to(
    repo: &Repo,
    taken: std::result::Result<Taken, Refusal>,
) -> Answered<LoadedJob> {
    match taken {
        Ok(taken) => {
            repo.store.set_focus(&taken.focused.chain)?;
            Ok(Ok(taken.focused))
        }
        Err(refusal) => Ok(Err(refusal)),
    }
}

/// Why the focus may not move to `id` now, if it may not.
pub(crate) fn focus_in_the_way(repo: &Repo, id: &JobId) -> Result<Option<Refusal>> {
    let chain = names::job_chain(id);
    let held = repo.store.focus_elsewhere(&chain)?;
    let busy = repo
        .focused()?
        .filter(|focused| focused.chain != chain && !repo.rests(&focused.state.stand));
    let busy = busy.as_ref().map(|busy| &busy.state.stand.phase);
    Ok(commands::focus(id.as_str(), held.as_deref(), busy).err())
}

/// Folds what the journal still holds into the job that loses the focus.
pub(crate) fn leave_focus(repo: &Repo, focused: Option<&LoadedJob>) -> Result<()> {
    // One that came to rest was folded with the step that let it.
    match focused.filter(|focused| focused.state.left_over().is_none()) {
        Some(focused) if focused.activity.is_ok() && !repo.is_foreign(&focused.state)? => {
            always(repo, &focused.chain, |state| {
                StepDraft::new(state, "rest", "the focus moved on", By::Agent)
            })?;
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Gives up the focus of this worktree; its journal goes with it.
pub(crate) fn give_up(repo: &Repo) -> Result<()> {
    repo.store.clear_focus()?;
    Ok(repo.store.journal().restart(None)?)
}
