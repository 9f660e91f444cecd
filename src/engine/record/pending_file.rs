//! What is meant while `git commit` runs: the file below `.git/seed/pending`.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::engine::record::{meant_files, transition::Transition};
use crate::engine::repo::{Repo, Result};
use crate::engine::{own_state, put_files};

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
    /// What the person's index said of its paths right before; see [`Behind`].
    #[serde(default)]
    pub held: Vec<String>,
    /// The process that is making the commit; while it runs, the step is its own.
    pub owner: crate::world::Process,
}

/// What is still to be done where the person's index could not follow a phase commit: until it
/// does, the next commit of the person's would take the step's files away again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Behind {
    /// HEAD before the commit; empty on an unborn branch.
    #[serde(default)]
    pub from: String,
    /// The commit.
    pub to: String,
    /// What the index said of the commit's paths right before; see [`crate::store::Staged::held`].
    #[serde(default)]
    pub held: Vec<String>,
}

pub(crate) fn behind_file(repo: &Repo) -> PathBuf {
    repo.store.seed_dir().join("behind").join(format!("{}.toml", repo.store.worktree_name()))
}

/// What the index of this worktree is behind by, if it is.
pub(crate) fn behind(repo: &Repo) -> Result<Option<Behind>> {
    Ok(own_state::from_toml(&behind_file(repo))?)
}

pub(crate) fn pending_file(repo: &Repo) -> PathBuf {
    repo.store.seed_dir().join("pending").join(format!("{}.toml", repo.store.worktree_name()))
}

/// Something is left of a boundary or of a command that writes files, or one is under way.
pub(crate) fn is_there(repo: &Repo) -> bool {
    pending_file(repo).exists()
        || behind_file(repo).exists()
        || meant_files::is_there(repo)
        || put_files::is_there(repo)
}

/// The commit that a boundary of this worktree is making, or was making when it was stopped.
pub(crate) fn pending(repo: &Repo) -> Result<Option<Pending>> {
    Ok(own_state::from_toml(&pending_file(repo))?)
}
