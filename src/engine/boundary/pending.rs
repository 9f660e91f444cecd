//! `pending`: word of a commit that is being made, left before git makes it.
//!
//! Killed after the commit, the step is finished by the next command, if HEAD is exactly
//! the commit that was meant; killed before it, the word is forgotten. While the process
//! that left it runs, the step is that process's own.

use crate::engine::record;
use crate::engine::record::pending_file::Pending;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::format::short_hash;
use crate::format::trailers::StepTrailers;
use crate::store::CommitId;
use crate::world;

pub(crate) fn write_pending(repo: &Repo, focused: &LoadedJob, pending: &Pending) -> Result<()> {
    let _lock = repo.store.lock()?;
    let now = repo.store.tip(&focused.chain)?;
    if now.as_ref() != Some(&focused.tip) {
        return Err(crate::store::StoreError::Moved { chain: focused.chain.clone() }.into());
    }
    let text = toml::to_string(pending)?;
    // Written whole or not at all: a torn file would name a step that nobody meant.
    Ok(world::write_whole(&record::pending_file::pending_file(repo), text.as_bytes())?)
}

pub(crate) fn forget_pending(repo: &Repo) -> Result<()> {
    match std::fs::remove_file(record::pending_file::pending_file(repo)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

/// True when `commit` is exactly the one that `pending` tells of.
pub(crate) fn is_meant(repo: &Repo, pending: &Pending, commit: &CommitId) -> Result<bool> {
    let message = repo.store.commit_message(commit)?;
    Ok(StepTrailers::read(&message).is_some_and(|read| read.id == pending.id)
        && repo.store.tree_of_commit(commit)?.to_string() == pending.tree
        && short_hash(message.as_bytes(), 32) == pending.message)
}
