//! `pending`: word of a commit that is being made, left before git makes it.
//!
//! Killed after the commit, the step is finished by the next command, if HEAD is exactly
//! the commit that was meant; killed before it, the word is forgotten. While the process
//! that left it runs, the step is that process's own.

use crate::engine::record::pending_file::{self, Behind, Pending};
use crate::engine::repo::{EngineError, LoadedJob, Repo, Result};
use crate::format::trailers::{self, StepTrailers};
use crate::format::{notes, short_hash};
use crate::phases::message::Message;
use crate::store::CommitId;
use crate::voice::Notice;
use crate::world;

pub(crate) fn write_pending(repo: &Repo, focused: &LoadedJob, pending: &Pending) -> Result<()> {
    let _lock = repo.store.lock()?;
    let now = repo.store.tip(&focused.chain)?;
    if now.as_ref() != Some(&focused.tip) {
        return Err(EngineError::not_now(Notice::BoundaryUnderWay, &[]));
    }
    require_nobody_else(repo)?;
    let text = toml::to_string(pending)?;
    // Written whole or not at all: a torn file would name a step that nobody meant.
    Ok(world::write_whole(&pending_file::pending_file(repo), text.as_bytes())?)
}

/// Two would commit one step each: while another process makes its commit, the step is its own.
pub(crate) fn require_nobody_else(repo: &Repo) -> Result<()> {
    // `is_running` leaves this very process out.
    let others = pending_file::pending(repo)?.is_some_and(|other| world::is_running(&other.owner));
    if others {
        return Err(EngineError::not_now(Notice::BoundaryUnderWay, &[]));
    }
    Ok(())
}

pub(crate) fn forget_pending(repo: &Repo) -> Result<()> {
    Ok(world::remove_if_there(pending_file::pending_file(repo))?)
}

/// Writes the note of the step that the job took last, as its chain has it; lines that are there
/// stay alone.
pub(crate) fn note_again(repo: &Repo, focused: &LoadedJob) -> Result<()> {
    let newest = repo.store.history(&focused.chain, 1)?.into_iter().next();
    let read = newest.and_then(|step| Some((StepTrailers::read(&step.message)?, step)));
    let Some((said, step)) = read else { return Ok(()) };
    let on = said.commit.as_ref().unwrap_or(&focused.state.home.commit);
    let Ok(on) = on.parse::<CommitId>() else { return Ok(()) };
    let body = trailers::body(&step.message);
    let (none, unclaimed) = (Message::new(body).leaves_nothing(), &focused.state.fence.unclaimed);
    let message = said.commit.is_none().then_some(body);
    let mut lines = notes::words(&said.id, &notes::told(&said, none, unclaimed, message));
    lines.push(notes::step_record(&said, none, unclaimed, step.dated).line());
    Ok(repo.store.note_add(&on, &lines, repo.now)?)
}

/// Brings the person's index to the commit that a stopped boundary has made, or that a boundary
/// could not bring it to; where another git holds the index, the next command tries again.
pub(crate) fn mend_index(repo: &Repo) -> Result<()> {
    let stopped = pending_file::pending(repo)?.filter(|pending| !world::is_running(&pending.owner));
    if stopped.is_some() {
        repo.store.unlock_staged()?;
    }
    if let Some(pending) = stopped
        && let Some(head) = repo.store.head()?.commit
        && head.as_str() != pending.head
        // A hook of the person's may have changed the commit otherwise: it is the step's own.
        && StepTrailers::read(&repo.store.commit_message(&head)?)
            .is_some_and(|read| read.id == pending.id)
    {
        let (from, held) = (pending.head, pending.held);
        return follow(repo, &Behind { from, to: head.to_string(), held });
    }
    match pending_file::behind(repo)? {
        Some(behind) => follow(repo, &behind),
        None => Ok(()),
    }
}

/// Has the index follow a commit, or leaves word of what is still to be done.
fn follow(repo: &Repo, behind: &Behind) -> Result<()> {
    let from = Some(&behind.from).filter(|from| !from.is_empty());
    let from = from.map(|from| from.parse()).transpose();
    let ids = from.and_then(|from| Ok((from, behind.to.parse()?)));
    // What names no commits is no debt.
    let Ok((from, to)) = ids.map_err(|_: crate::store::NotAnId| ()) else { return paid(repo) };
    // `git commit -a` commits from the lock that it holds; whether that comes to be the index is
    // open.
    let locked = world::variable("GIT_INDEX_FILE").map(std::path::PathBuf::from);
    let locked = locked.filter(|file| file.file_name().is_some_and(|name| name == "index.lock"));
    match repo.store.index_follows(from.as_ref(), &to, &behind.held, locked.as_deref()) {
        Ok(()) if locked.is_none() => paid(repo),
        _ => remember_behind(repo, behind),
    }
}

/// Leaves word that the index is behind.
pub(crate) fn remember_behind(repo: &Repo, behind: &Behind) -> Result<()> {
    let text = toml::to_string(behind)?;
    Ok(world::write_whole(&pending_file::behind_file(repo), text.as_bytes())?)
}

fn paid(repo: &Repo) -> Result<()> {
    Ok(world::remove_if_there(pending_file::behind_file(repo))?)
}

/// True when `commit` is exactly the one that `pending` tells of.
pub(crate) fn is_meant(repo: &Repo, pending: &Pending, commit: &CommitId) -> Result<bool> {
    let message = repo.store.commit_message(commit)?;
    Ok(StepTrailers::read(&message).is_some_and(|read| read.id == pending.id)
        && repo.store.tree_of_commit(commit)?.to_string() == pending.tree
        && short_hash(message.as_bytes(), 32) == pending.message)
}
