//! A focus on its way from one job to the next, over a kill.
//!
//! A job becomes active in its chain, gets the journal and then the focus: three writes. What is
//! meant lies below `.git/seed/turning` meanwhile, and whoever holds the lock wrote it. Killed
//! before the chain was written nothing has happened; killed after it, the job gets what it lacks.

use std::path::PathBuf;

use crate::engine::own_state;
use crate::engine::record;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::format::names;
use crate::jobs::Status;
use crate::world;

fn file(repo: &Repo) -> PathBuf {
    repo.store.seed_dir().join("turning").join(repo.store.worktree_name())
}

/// `job` is about to take the focus. Who calls holds the lock until [`done`].
pub(crate) fn begin(repo: &Repo, job: &LoadedJob) -> Result<()> {
    means(repo, &job.chain, &job.state.step)
}

/// The job on `chain`, which is not there yet, is about to be born into the focus. As above.
pub(crate) fn begin_birth(repo: &Repo, chain: &str) -> Result<()> {
    means(repo, chain, UNBORN)
}

/// The step before the first one.
const UNBORN: &str = "-";

fn means(repo: &Repo, chain: &str, before: &str) -> Result<()> {
    Ok(world::write_whole(&file(repo), format!("{chain} {before}\n").as_bytes())?)
}

/// It has the focus, or nothing has changed.
pub(crate) fn done(repo: &Repo) -> Result<()> {
    Ok(world::remove_if_there(file(repo))?)
}

/// Gives the focus to a job that became active and was not turned to, where somebody was stopped
/// in between; says whether it did.
pub(crate) fn finish(repo: &Repo) -> Result<bool> {
    if !file(repo).exists() {
        return Ok(false);
    }
    // Whoever turns to a job right now holds the lock.
    let _lock = repo.store.lock()?;
    let Some(bytes) = own_state::bytes(&file(repo))? else { return Ok(false) };
    let job = meant(repo, &bytes)?;
    if let Some(job) = &job {
        record::step::focus(repo, job)?;
    }
    done(repo)?;
    Ok(job.is_some())
}

/// The job that the file means, where it took its step, and nobody has turned to it since. What
/// does not read means none: an active job that nobody has in focus waits here by itself.
fn meant(repo: &Repo, bytes: &[u8]) -> Result<Option<LoadedJob>> {
    let text = String::from_utf8_lossy(bytes);
    let Some((chain, before)) = text.trim().split_once(' ') else { return Ok(None) };
    let Some(id) = names::job_of(chain) else { return Ok(None) };
    if repo.store.tip(chain)?.is_none() || repo.store.in_focus()?.contains(chain) {
        return Ok(None);
    }
    let job = repo.job(&id)?;
    let state = &job.state;
    let open = state.job.status == Status::Active || state.is_closing();
    let taken = state.step != before
        && open
        && state.home.worktree == repo.store.worktree_name()
        && !repo.is_foreign(state)?;
    Ok(taken.then_some(job))
}
