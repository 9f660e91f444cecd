//! What is meant while `git commit` runs: the file below `.git/seed/pending`.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::engine::record::transition::Transition;
use crate::engine::repo::{Repo, Result, own_state};

/// What `pending` says of a commit that is being made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pending {
    pub id: String,
    /// Seed-Id of the step before.
    pub before: String,
    /// HEAD before the commit; empty on an unborn branch.
    #[serde(default)]
    pub head: String,
    /// The tree that the commit will have.
    pub tree: String,
    /// Hash of its message.
    pub message: String,
    pub chain: String,
    pub toward: Transition,
    /// The author's words, to judge them again.
    pub text: String,
    /// The process that is making the commit; while it runs, the step is its own.
    pub owner: crate::world::Process,
}

pub(crate) fn pending_file(repo: &Repo) -> PathBuf {
    repo.store.seed_dir().join("pending").join(format!("{}.toml", repo.store.worktree_name()))
}

/// The commit that a boundary of this worktree is making, or was making when it was stopped.
pub(crate) fn pending(repo: &Repo) -> Result<Option<Pending>> {
    Ok(own_state::from_toml(&pending_file(repo))?)
}
