//! An approval that closes its job as well, over a kill: the file below `.git/seed/approving`.
//!
//! The approval is one step. On a small lane the boundary that closes the cycle is the next one,
//! and a commit with the person's hooks lies between them. What a person approved is closed by
//! whoever comes next, as far as nothing is in the way; that is the agent's to mend, as ever.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::engine::own_state;
use crate::engine::record::draft::By;
use crate::engine::record::transition::Transition;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::engine::{boundary, jobs};
use crate::jobs::Status;
use crate::world::{self, Process};

/// What the file says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Approving {
    chain: String,
    /// While it runs, closing the job is its own.
    owner: Process,
}

fn file(repo: &Repo) -> PathBuf {
    repo.store.seed_dir().join("approving").join(format!("{}.toml", repo.store.worktree_name()))
}

/// The job on `chain` is about to be approved. Who calls holds the lock.
pub(crate) fn begin(repo: &Repo, chain: &str) -> Result<()> {
    let approving = Approving { chain: chain.to_owned(), owner: world::myself() };
    Ok(world::write_whole(&file(repo), toml::to_string(&approving)?.as_bytes())?)
}

/// It is closed, or something is in the way, which was told.
pub(crate) fn done(repo: &Repo) -> Result<()> {
    Ok(world::remove_if_there(file(repo))?)
}

/// Closes the job in focus that was approved, where the approval was stopped before that; says
/// whether it did. What is in the way is told by `status`.
pub(crate) fn finish(repo: &Repo) -> Result<bool> {
    if !file(repo).exists() {
        return Ok(false);
    }
    let approved = {
        let _lock = repo.store.lock()?;
        let Some(left) = own_state::from_toml::<Approving>(&file(repo))? else { return Ok(false) };
        if world::is_running(&left.owner) {
            return Ok(false);
        }
        let approved = approved(repo, &left.chain)?;
        if approved.is_none() {
            done(repo)?;
            return Ok(false);
        }
        begin(repo, &left.chain)?;
        approved
    };
    let Some(approved) = approved else { return Ok(false) };
    let crossed = close(repo, &approved);
    done(repo)?;
    jobs::completion::sign(repo, &approved)?;
    Ok(crossed.is_ok_and(|closed| closed))
}

/// The job on `chain`, where it is in focus, approved, and waits for the boundary that closes it.
fn approved(repo: &Repo, chain: &str) -> Result<Option<LoadedJob>> {
    let waits = |job: &LoadedJob| {
        let stand = &job.state.stand;
        job.chain == chain
            && job.state.job.status == Status::Completed
            && job.state.job.user_approval
            && repo.map(stand).lane.is_some()
            && repo.row(Some(job)).is_in_cycle()
    };
    Ok(repo.focused()?.filter(waits))
}

fn close(repo: &Repo, approved: &LoadedJob) -> Result<bool> {
    let on = Transition::Forward { to: None, add_cycle: None, scope: Vec::new() };
    let name = approved.state.job.kept_name();
    let crossed = boundary::cross::cross(repo, &on, &name, By::Person)?;
    Ok(crossed.is_ok_and(|crossed| crossed.closed))
}
