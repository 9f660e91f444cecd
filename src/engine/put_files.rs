//! Files of a job that a boundary writes into the work tree before its commit, over a kill.
//!
//! What is about to be written lies below `.git/seed/putting` until the step is recorded. Until
//! then such a file is git seed's own, whoever asks; where nobody made the commit, the next command
//! or event makes the files what they were.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::engine::own_state;
use crate::engine::repo::{self, Repo, Result};
use crate::format::{names, short_hash};
use crate::world;

/// Digits of the hash of what a file held.
const HELD: usize = 32;

/// What a boundary is about to write.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Word {
    /// While it runs, the files are its own to take back.
    owner: world::Process,
    file: Vec<PutFile>,
}

/// One file of the work tree.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct PutFile {
    /// From the top of the work tree.
    path: String,
    /// Hash of what it held; absent where it was not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    was: Option<String>,
    /// Hash of what is written.
    is: String,
}

fn file(repo: &Repo) -> PathBuf {
    let dir = repo.store.seed_dir().join("putting");
    dir.join(format!("{}.toml", repo.store.worktree_name()))
}

/// A boundary wrote files and did not get to its end, or is about to.
pub(crate) fn is_there(repo: &Repo) -> bool {
    file(repo).exists()
}

fn word(repo: &Repo) -> Option<Word> {
    // One that does not read names no file: what lies there is then judged as anybody's.
    own_state::from_toml(&file(repo)).ok().flatten()
}

fn hashed(bytes: &[u8]) -> String {
    short_hash(bytes, HELD)
}

/// What the file at `path` holds, as a hash; `None` where it is not there or does not read.
fn holds(repo: &Repo, path: &str) -> Option<String> {
    // What does not read is not what was written.
    let bytes = repo::paths::bytes_of(repo.store.work_tree().join(path)).ok()?;
    Some(hashed(&bytes))
}

/// Leaves word that these files are about to be written, by path from the top.
pub(crate) fn begin(repo: &Repo, files: &[(String, &[u8])]) -> Result<()> {
    if files.is_empty() {
        return Ok(());
    }
    let put = |(path, bytes): &(String, &[u8])| PutFile {
        path: path.clone(),
        was: holds(repo, path),
        is: hashed(bytes),
    };
    let word = Word { owner: world::myself(), file: files.iter().map(put).collect() };
    Ok(world::write_whole(&file(repo), toml::to_string(&word)?.as_bytes())?)
}

/// The step has them, or they are as they were.
pub(crate) fn forget(repo: &Repo) -> Result<()> {
    Ok(world::remove_if_there(file(repo))?)
}

/// Whether the file at `path` is as a boundary put it that did not get to its end.
pub(crate) fn is_put(repo: &Repo, path: &str) -> bool {
    let known = || word(repo)?.file.into_iter().find(|one| one.path == path);
    is_there(repo) && known().is_some_and(|one| holds(repo, path) == Some(one.is))
}

/// Makes the files of a stopped boundary what they were, where no commit has them; `open` is
/// whether its commit may still be made.
pub(crate) fn finish(repo: &Repo, open: bool) -> Result<()> {
    if open || !is_there(repo) {
        return Ok(());
    }
    if let Some(word) = word(repo) {
        if world::is_running(&word.owner) {
            return Ok(());
        }
        for one in &word.file {
            take_back(repo, one)?;
        }
    }
    forget(repo)
}

fn take_back(repo: &Repo, put: &PutFile) -> Result<()> {
    let is = |bytes: &[u8], hash: &str| hashed(bytes) == hash;
    if put.was.as_ref() == Some(&put.is) || holds(repo, &put.path).as_ref() != Some(&put.is) {
        return Ok(());
    }
    let committed = match repo.store.head()?.commit {
        Some(head) => repo.store.file_of_commit(&head, &put.path)?,
        None => None,
    };
    let known: Vec<Vec<u8>> = committed.into_iter().chain(recorded(repo, &put.path)?).collect();
    if known.iter().any(|bytes| is(bytes, &put.is)) {
        return Ok(());
    }
    let place = repo.store.work_tree().join(&put.path);
    let Some(was) = &put.was else {
        std::fs::remove_file(&place)?;
        // The directory may have been made for it alone.
        for dir in place.ancestors().skip(1).take(4) {
            if std::fs::remove_dir(dir).is_err() {
                break;
            }
        }
        return Ok(());
    };
    if let Some(bytes) = known.iter().find(|bytes| is(bytes, was)) {
        world::Whole::new().drafted_in(&repo.store.seed_dir()).write(&place, bytes)?;
    }
    Ok(())
}

/// What the tree of the job in focus has of the file.
fn recorded(repo: &Repo, path: &str) -> Result<Option<Vec<u8>>> {
    let Some(job) = repo.focused()? else { return Ok(None) };
    match path.strip_prefix(&names::job_dir(&job.state.job.id)) {
        Some(name) => Ok(repo.store.file(&job.tip, name)?),
        None => Ok(None),
    }
}
