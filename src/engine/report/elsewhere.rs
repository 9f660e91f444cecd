//! Open jobs that a sync brought, for `status` where no job is in focus.

use crate::engine::repo::{LoadedJob, Repo, Result};

/// Open jobs of other clones that no worktree of this one has in focus.
pub(super) fn of_others(repo: &Repo) -> Result<Vec<LoadedJob>> {
    let focused = repo.store.in_focus()?;
    let mut found = Vec::new();
    for job in repo.jobs()? {
        let is_open = job.state.job.status.is_open() && !focused.contains(&job.chain);
        if is_open && repo.is_foreign(&job.state)? {
            found.push(job);
        }
    }
    Ok(found)
}
