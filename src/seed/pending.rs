//! `pending`: word of a commit that is being made, left before git makes it.
//!
//! Killed after the commit, the step is finished by the next command, if HEAD is exactly
//! the commit that was meant; killed before it, the word is forgotten. While the process
//! that left it runs, the step is that process's own.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::boundary::{Crossed, Toward};
use super::steps::By;
use super::{Focused, Result, Seed, SeedError};
use crate::format::short_hash;
use crate::format::trailers::StepTrailers;
use crate::phases::message::Message;
use crate::store::CommitId;
use crate::world;

/// What `pending` says of a commit that is being made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pending {
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
    pub toward: Toward,
    /// The author's words, to judge them again.
    pub text: String,
    /// The process that is making the commit; while it runs, the step is its own.
    pub owner: crate::world::Process,
}

impl Seed {
    pub(super) fn pending_file(&self) -> PathBuf {
        self.store.seed_dir().join("pending").join(format!("{}.toml", self.store.worktree_name()))
    }

    /// The commit that a boundary of this worktree is making, or was making when it was stopped.
    pub fn pending(&self) -> Option<Pending> {
        toml::from_str(&std::fs::read_to_string(self.pending_file()).ok()?).ok()
    }

    pub(super) fn write_pending(&self, focused: &Focused, pending: &Pending) -> Result<()> {
        let _lock = self.store.lock()?;
        let now = self.store.tip(&focused.chain)?;
        if now.as_ref() != Some(&focused.tip) {
            return Err(crate::store::StoreError::Moved { chain: focused.chain.clone() }.into());
        }
        let text = toml::to_string(pending).map_err(|error| SeedError::Usage(error.to_string()))?;
        // Written whole or not at all: a torn file would name a step that nobody meant.
        Ok(world::write_whole(&self.pending_file(), text.as_bytes())?)
    }

    pub(super) fn forget_pending(&self) -> Result<()> {
        match std::fs::remove_file(self.pending_file()) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// True when `commit` is exactly the one that `pending` tells of.
    pub(super) fn is_meant(&self, pending: &Pending, commit: &CommitId) -> Result<bool> {
        let message = self.store.commit_message(commit)?;
        Ok(StepTrailers::read(&message).is_some_and(|read| read.id == pending.id)
            && self.store.tree_of_commit(commit)?.to_string() == pending.tree
            && short_hash(message.as_bytes(), 32) == pending.message)
    }

    /// Finishes a boundary that was stopped after its commit; forgets one that was stopped before.
    pub fn finish_pending(&self) -> Result<Option<Crossed>> {
        let Some(pending) = self.pending().filter(|pending| !crate::world::is_running(&pending.owner)) else {
            return Ok(None);
        };
        let head = self.store.head()?.commit;
        if head.as_ref().map(ToString::to_string).unwrap_or_default() == pending.head {
            // Not made, or not yet: git may outlive the program that called it.
            return Ok(None);
        }
        let head = head.filter(|head| self.is_meant(&pending, head).unwrap_or(false));
        let focused = self.focused()?.filter(|focused| focused.chain == pending.chain);
        let (Some(head), Some(focused)) = (head, focused) else {
            self.forget_pending()?;
            return Ok(None);
        };
        if focused.state.step == pending.id {
            self.forget_pending()?;
            return Ok(None);
        }
        let since = self.read_since(&focused)?;
        let judged = self.judge(&focused, &since, &pending.toward, Message::new(&pending.text))?;
        let Ok(mut judged) = judged else {
            self.forget_pending()?;
            return Ok(None);
        };
        judged.ledger = self.ledger_in(&focused, &head)?;
        match self.record(&pending.chain, &pending.toward, judged, Some(head), By::Agent) {
            // A step that can no longer be written must not stand in the way of every other.
            Err(error) if !matches!(error, SeedError::Store(_)) => {
                self.forget_pending()?;
                Ok(None)
            }
            done => done.map(std::result::Result::ok),
        }
    }
}
