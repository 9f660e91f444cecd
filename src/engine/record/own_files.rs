//! Files of a job's directory that git seed writes itself: session logs, compaction files.
//!
//! The job's tree keeps the same bytes as the work tree, under the path below
//! `.claude/jobs/<id>/`. The tree is written first: killed in between, the next command
//! writes the file again from there. Whatever differs from it is not ours, and the fence
//! treats it like any other change of a job's file. Where the rule `memory.raw` is `ref`, the job's
//! tree alone has them, and the work tree is neither written nor asked.

use crate::engine::record::draft::{By, Journaling, StepDraft};
use crate::engine::record::meant_files::{self, Becomes, MeantFile, Recorded};
use crate::engine::repo::{self, EngineError, LoadedJob, Repo, Result};
use crate::engine::{put_files, record};
use crate::format::journal::What;
use crate::format::names;
use crate::format::state::State;
use crate::memory::raw::Raw;
use crate::store::TreeEdit;
use crate::voice::{Notice, tell};

/// A file that git seed is about to write.
#[derive(Clone, Debug)]
pub(crate) struct OwnFile<'a> {
    /// Its name below the run's directory, such as `session-log-2.md`.
    pub name: &'a str,
    pub bytes: Vec<u8>,
    /// The value of `Seed-Step`.
    pub step: &'a str,
    /// One line that says what happened.
    pub subject: String,
    pub by: By,
}

/// Where the file `name` of the job's present run lies, from the top of the work tree.
pub(crate) fn own_path(state: &State, name: &str) -> String {
    format!("{}{}", names::job_dir(&state.job.id), names::of_run(state.job.run, name))
}

/// What git seed wrote last as `name`, in the present run.
pub(crate) fn own_file(repo: &Repo, focused: &LoadedJob, name: &str) -> Result<Option<Vec<u8>>> {
    Ok(repo.store.file(&focused.tip, &names::of_run(focused.state.job.run, name))?)
}

/// What lies in the work tree as `name`, if anything does that counts.
pub(crate) fn own_file_on_disk(repo: &Repo, state: &State, name: &str) -> Option<Vec<u8>> {
    if repo.rules.raw == Raw::Ref {
        return None;
    }
    // The work tree is the person's: what does not read there is not what git seed wrote, and the
    // job's tree has that.
    repo::paths::bytes_of(repo.store.work_tree().join(own_path(state, name))).ok()
}

/// Records a file with a step of the job, then writes it and reads it back where it lies in the
/// work tree as well.
pub(crate) fn write_own_file(
    repo: &Repo,
    focused: &LoadedJob,
    file: OwnFile<'_>,
) -> Result<LoadedJob> {
    let OwnFile { name, bytes, step, subject, by } = file;
    let path = names::of_run(focused.state.job.run, name);
    let on_disk = repo.rules.raw == Raw::Tree;
    let meant = on_disk.then(|| MeantFile::new(repo, own_path(&focused.state, name), Becomes::Own));
    let meant = meant.into_iter().collect();
    meant_files::around(repo, focused, Recorded::Step(step), meant, || {
        let taken = record::step::step(repo, &focused.chain, Journaling::Read, |state, _| {
            let put = TreeEdit::Put { path: path.clone(), bytes: bytes.clone() };
            Ok(Ok(StepDraft::new(state, step, subject.clone(), by).with(put)))
        })?;
        let taken = taken.map_err(|refusal| EngineError::Refused(refusal.wants))?;
        if on_disk {
            put_own_file(repo, &taken.focused, name, &bytes)?;
        }
        Ok(taken.focused)
    })
}

/// Writes a file that the job's tree already has; for one that was lost on the way.
pub(crate) fn put_own_file(
    repo: &Repo,
    focused: &LoadedJob,
    name: &str,
    bytes: &[u8],
) -> Result<()> {
    let path = own_path(&focused.state, name);
    let file = repo.store.work_tree().join(&path);
    record::replace::replace_file(repo, &file, bytes)?;
    if repo::paths::bytes_of(&file)? != bytes {
        return Err(EngineError::OnDisk(tell(Notice::OwnFileNotRead, &[("path", &path)])));
    }
    record::journal_line::note(repo, Some(focused), |line| {
        line.what = What::After;
        "session".clone_into(&mut line.tool);
        line.paths = vec![path];
    })
}

/// Whether the file at `path`, from the top of the work tree, is as git seed wrote it.
pub(crate) fn is_own_file(repo: &Repo, chain: &str, state: &State, path: &str) -> Result<bool> {
    let Some(name) = path.strip_prefix(&names::job_dir(&state.job.id)) else { return Ok(false) };
    if put_files::is_put(repo, path) {
        return Ok(true);
    }
    let Some(tip) = repo.store.tip(chain)? else { return Ok(false) };
    let Some(kept) = repo.store.file(&tip, name)? else { return Ok(false) };
    let file = repo.store.work_tree().join(path);
    let plain = file.symlink_metadata().is_ok_and(|data| data.is_file());
    Ok(plain && std::fs::read(file).is_ok_and(|bytes| bytes == kept))
}
