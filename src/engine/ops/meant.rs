//! What an undo or a redo is about to do, over a kill: one file of this worktree below
//! `.git/seed/undoing`. It is there from before the first ref turns until the last is done.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::engine::own_state;
use crate::engine::repo::{Repo, Result};
use crate::jobs::JobId;
use crate::world::{self, Process};

/// All of it. What a field names is on the disk already.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Meant {
    /// `undo` or `redo`.
    pub command: String,
    pub turns: Vec<Turn>,
    pub focus: FocusTurn,
    /// Jobs that go into the archive.
    pub closed: Vec<JobId>,
    pub branches: Vec<BranchTurn>,
    pub noted: Vec<Noted>,
    /// The operation that the worktree stands behind from then on, and as far as redo leads.
    pub stands: (Option<String>, Option<String>),
    /// What the agent is told.
    pub told: String,
    pub process: Process,
}

/// What this worktree is to have in focus.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum FocusTurn {
    /// What it has.
    #[default]
    Stays,
    On(JobId),
    /// No job.
    Off,
}

/// A ref of ours on its way.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Turn {
    pub chain: String,
    pub from: Option<String>,
    /// None where it goes.
    pub to: Option<String>,
}

/// A branch that a landing made.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct BranchTurn {
    pub branch: String,
    pub from: Option<String>,
    pub to: Option<String>,
}

/// A commit whose note is to say that its step was undone, or done again.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Noted {
    pub commit: String,
    /// The Seed-Id of the step.
    pub id: String,
    pub job: String,
    pub undone: bool,
}

fn file(repo: &Repo) -> PathBuf {
    repo.store.seed_dir().join("undoing").join(repo.store.worktree_name())
}

/// Something is under way here.
pub(crate) fn is_there(repo: &Repo) -> bool {
    file(repo).exists()
}

/// What is under way here, and was left by a process that is gone.
pub(crate) fn left(repo: &Repo) -> Result<Option<Meant>> {
    let read = own_state::from_json::<Meant>(&file(repo))?;
    Ok(read.filter(|meant| !world::is_running(&meant.process)))
}

/// It begins: from here on it is carried out. Who calls holds the lock until [`done`].
pub(crate) fn begin(repo: &Repo, meant: &Meant) -> Result<()> {
    Ok(world::Whole::private().write(&file(repo), &serde_json::to_vec(meant)?)?)
}

/// It is carried out.
pub(crate) fn done(repo: &Repo) -> Result<()> {
    Ok(world::remove_if_there(file(repo))?)
}
