//! Open jobs that a sync brought, for `status` where no job is in focus.

use std::collections::BTreeSet;

use crate::engine::fence;
use crate::engine::repo::clone_file::known_clone;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::format::fold::JournalLines;
use crate::format::journal::Counts;
use crate::format::merge::clone_of;

/// An open job of another clone.
pub(super) struct Other {
    pub job: LoadedJob,
    /// This clone worked on it before the other one did.
    pub continued: bool,
    /// Files that it changed in this worktree then, and that are not committed here.
    pub left: Vec<String>,
}

/// As far back as a step of this clone is looked for.
const BACK: usize = 1_000;

/// Open jobs of other clones that no worktree of this one has in focus.
pub(super) fn of_others(repo: &Repo) -> Result<Vec<Other>> {
    let focused = repo.store.in_focus()?;
    let mut found = Vec::new();
    for job in repo.jobs()? {
        let is_open = job.state.job.status.is_open() && !focused.contains(&job.chain);
        if is_open && repo.is_foreign(&job.state)? {
            let own = as_it_was_here(repo, &job)?;
            let left = own.as_ref().map(|own| left_here(repo, own)).transpose()?;
            let left = left.unwrap_or_default();
            found.push(Other { job, continued: own.is_some(), left });
        }
    }
    Ok(found)
}

/// The job behind the last step that this clone took of it; none where it took none.
fn as_it_was_here(repo: &Repo, job: &LoadedJob) -> Result<Option<LoadedJob>> {
    let own = known_clone(&repo.store)?;
    let steps = repo.store.history_from(&job.tip.commit, BACK)?;
    let last = steps.into_iter().find(|step| clone_of(&step.message) == Some(own.as_str()));
    let Some(last) = last else { return Ok(None) };
    let tip = repo.store.tip_of(&last.commit)?;
    let state = repo.state(&job.chain, &tip)?;
    let (chain, activity) = (job.chain.clone(), Ok(Counts::default()));
    Ok(Some(LoadedJob { chain, tip, state, activity, archived: false }))
}

/// What calls of `own` changed here and no commit has: the other clone never saw it.
fn left_here(repo: &Repo, own: &LoadedJob) -> Result<Vec<String>> {
    let home = &own.state.home;
    let at = [&home.worktree, &home.rested].into_iter().find(|at| !at.is_empty());
    if at.is_none_or(|at| *at != repo.store.worktree_name()) {
        return Ok(Vec::new());
    }
    let mut left = fence::survey::touched(repo, own, &JournalLines::default())?;
    if !left.is_empty() {
        let open: BTreeSet<String> = repo.store.uncommitted_paths()?.into_iter().collect();
        left.retain(|path| open.contains(path));
    }
    Ok(left.into_iter().collect())
}
