//! Records of the gate and notes of two clones, joined: commits of the two tips alone, that every
//! clone makes alike.

use crate::engine::repo::{Repo, Result};
use crate::format::merge::{NOTES, RECORDS, is_join};
use crate::format::names;
use crate::store::{CommitId, Loose, NewStep};

/// Joins two chains of records. The commit is no record: its tree is empty.
pub(crate) fn records(repo: &Repo, published: &CommitId, local: &CommitId) -> Result<CommitId> {
    let at = repo.store.newer(published, local)?;
    let step = NewStep { edits: &[], message: RECORDS, at };
    let parents = [published.clone(), local.clone()];
    let new = Loose { on: None, parents: &parents, step };
    let line = repo.store.lacking(published, local)?;
    if line.iter().all(|step| is_join(&step.message)) {
        return Ok(published.clone());
    }
    Ok(repo.store.write_loose(&new, names::CLAIMS)?.commit)
}

/// Joins two histories of notes: each note has the lines of both, each once and in order.
pub(crate) fn notes(repo: &Repo, published: &CommitId, local: &CommitId) -> Result<CommitId> {
    let at = repo.store.newer(published, local)?;
    Ok(repo.store.notes_joined(published, local, NOTES, at)?)
}
