//! Files of a job's directory that git seed writes itself: session logs, compaction files.
//!
//! The job's tree keeps the same bytes as the work tree, under the path below
//! `.claude/jobs/<id>/`. The tree is written first: killed in between, the next command
//! writes the file again from there. Whatever differs from it is not ours, and the fence
//! treats it like any other change of a job's file.

use std::path::Path;

use super::steps::{By, Draft, Fold};
use super::{Focused, Result, Seed, SeedError};
use crate::format::journal::What;
use crate::format::names;
use crate::format::state::State;
use crate::store::TreeEdit;
use crate::world;

/// A file that git seed is about to write.
#[derive(Clone, Debug)]
pub struct OwnFile<'a> {
    /// Its name below the run's directory, such as `session-log-2.md`.
    pub name: &'a str,
    pub bytes: Vec<u8>,
    /// The value of `Seed-Step`.
    pub step: &'a str,
    /// One line that says what happened.
    pub subject: String,
    pub by: By,
}

impl Seed {
    /// Where the file `name` of the job's present run lies, from the top of the work tree.
    pub fn own_path(&self, state: &State, name: &str) -> String {
        format!("{}{}", names::job_dir(&state.job.id), names::of_run(state.job.run, name))
    }

    /// What git seed wrote last as `name`, in the present run.
    pub fn own_file(&self, focused: &Focused, name: &str) -> Result<Option<Vec<u8>>> {
        Ok(self.store.file(&focused.tip, &names::of_run(focused.state.job.run, name))?)
    }

    /// What lies in the work tree as `name`, if anything does.
    pub fn own_file_on_disk(&self, state: &State, name: &str) -> Option<Vec<u8>> {
        super::paths::bytes_of(self.store.work_tree().join(self.own_path(state, name))).ok()
    }

    /// Records a file with a step of the job, then writes it and reads it back.
    pub fn write_own_file(&self, focused: &Focused, file: OwnFile<'_>) -> Result<Focused> {
        let OwnFile { name, bytes, step, subject, by } = file;
        let path = names::of_run(focused.state.job.run, name);
        let taken = self.step(&focused.chain, Fold::In, |state, _| {
            let put = TreeEdit::Put { path: path.clone(), bytes: bytes.clone() };
            Ok(Ok(Draft::new(state, step, subject.clone(), by).with(put)))
        })?;
        let taken = taken.map_err(|refusal| SeedError::Usage(refusal.wants.word().to_owned()))?;
        self.put_own_file(&taken.focused, name, &bytes)?;
        Ok(taken.focused)
    }

    /// Writes a file that the job's tree already has; for one that was lost on the way.
    pub fn put_own_file(&self, focused: &Focused, name: &str, bytes: &[u8]) -> Result<()> {
        let path = self.own_path(&focused.state, name);
        let file = self.store.work_tree().join(&path);
        self.replace_file(&file, bytes)?;
        if super::paths::bytes_of(&file)? != bytes {
            return Err(SeedError::Usage(format!("{path} does not read as it was written; try again")));
        }
        self.note(Some(focused), |line| {
            line.what = What::After;
            "session".clone_into(&mut line.tool);
            line.paths = vec![path];
        })
    }

    /// Whether the file at `path`, from the top of the work tree, is as git seed wrote it.
    pub(super) fn is_own_file(&self, chain: &str, state: &State, path: &str) -> Result<bool> {
        let Some(name) = path.strip_prefix(&names::job_dir(&state.job.id)) else { return Ok(false) };
        let Some(tip) = self.store.tip(chain)? else { return Ok(false) };
        let Some(kept) = self.store.file(&tip, name)? else { return Ok(false) };
        let file = self.store.work_tree().join(path);
        let plain = file.symlink_metadata().is_ok_and(|data| data.is_file());
        Ok(plain && std::fs::read(file).is_ok_and(|bytes| bytes == kept))
    }

    /// Replaces a file of the work tree whole or not at all, keeping its mode; a link stays,
    /// and its target is replaced. A killed writer leaves nothing in the work tree where both
    /// lie on one file system.
    pub(super) fn replace_file(&self, file: &Path, bytes: &[u8]) -> Result<()> {
        Ok(world::Whole::new().drafted_in(self.store.seed_dir().as_path()).write(file, bytes)?)
    }
}
