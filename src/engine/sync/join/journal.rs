//! The journal of a job in focus whose chain another clone made longer.
//!
//! A journal names the step that it goes on from. So what it holds becomes a step before anything
//! is joined, and it begins anew behind what came. Between the ref and the journal a file below
//! `.git/seed/joining` says so, for who is killed there.

use std::path::PathBuf;

use crate::engine::ops;
use crate::engine::own_state;
use crate::engine::record;
use crate::engine::record::draft::{By, Journaling, StepDraft};
use crate::engine::repo::{JournalTrouble, Repo, Result};
use crate::engine::sync::join::leave;
use crate::format::fold::opening;
use crate::format::ops::KEPT;
use crate::jobs::merging::{KEEP, SEEN};
use crate::store::CommitId;
use crate::voice::{Notice, tell};
use crate::world;

fn file(repo: &Repo) -> PathBuf {
    repo.store.seed_dir().join("joining").join(repo.store.worktree_name())
}

/// Makes what the journal holds a step of the job, if this worktree has it in focus; gives where
/// the job stands then.
pub(crate) fn rest(repo: &Repo, chain: &str) -> Result<Option<CommitId>> {
    if repo.store.focus()?.as_deref() != Some(chain) {
        return Ok(None);
    }
    // What was recorded over steps of another clone is no step of this one.
    leave::let_go(repo)?;
    let Some(job) = repo.focused()? else { return Ok(None) };
    if job.activity.is_ok() && repo.read_since(&job)?.lines.len() <= 1 {
        return Ok(None);
    }
    let taken = record::step::step(repo, chain, Journaling::Read, |state, since| {
        // A look is no reason to throw away what a person approved in another clone.
        let name = if since.has_work() { KEEP } else { SEEN };
        Ok(Ok(StepDraft::new(state, name, tell(Notice::SubjectBeforeJoin, &[]), By::Hook)))
    })?;
    // An operation of its own: an undo of the sync takes no record away.
    ops::settle::settle(&repo.store, repo.now, KEPT)?;
    // Nobody refuses it.
    Ok(taken.ok().map(|taken| taken.focused.tip.commit))
}

/// The same for the job that this worktree has in focus, before its chain goes out.
pub(crate) fn rest_in_focus(repo: &Repo) -> Result<()> {
    let _lock = repo.store.lock()?;
    if let Some(chain) = repo.store.focus()? {
        rest(repo, &chain)?;
    }
    Ok(())
}

/// Moves the ref of a job, and begins its journal anew if this worktree has it in focus.
pub(crate) fn around(repo: &Repo, chain: &str, moves: impl FnOnce() -> Result<()>) -> Result<()> {
    if repo.store.focus()?.as_deref() != Some(chain) {
        return moves();
    }
    world::write_whole(&file(repo), chain.as_bytes())?;
    moves()?;
    begin(repo, chain)?;
    done(repo)
}

/// Gives a job its journal whose chain was moved, where somebody was stopped in between; lets one
/// go that another clone took over.
pub(crate) fn finish(repo: &Repo) -> Result<()> {
    if !file(repo).exists() {
        return leave::let_go(repo);
    }
    let _lock = repo.store.lock()?;
    let Some(bytes) = own_state::bytes(&file(repo))? else { return Ok(()) };
    let chain = String::from_utf8_lossy(&bytes).into_owned();
    if repo.store.focus()?.as_deref() == Some(chain.as_str()) {
        begin(repo, &chain)?;
    }
    done(repo)?;
    leave::let_go(repo)
}

/// A journal that goes on from the step where the job stands stays.
fn begin(repo: &Repo, chain: &str) -> Result<()> {
    let Some(tip) = repo.store.tip(chain)? else { return Ok(()) };
    let job = repo.load(chain.to_owned(), tip)?;
    if job.activity.as_ref().is_err_and(|trouble| *trouble == JournalTrouble::Changed) {
        repo.store.journal().restart(Some(&opening(&job.state, repo.now)))?;
    }
    Ok(())
}

fn done(repo: &Repo) -> Result<()> {
    Ok(world::remove_if_there(file(repo))?)
}
