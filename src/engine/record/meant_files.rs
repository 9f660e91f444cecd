//! Files of the work tree that a command is about to write, over a kill.
//!
//! Such a command records what it does, then writes: a step that keeps a note's words before its
//! line changes, a session log that the job's tree has before the work tree. What is meant lies
//! below `.git/seed/meant` from before the record until the last file is written. The next command
//! or event writes what is missing; where the record is not there, nothing has happened.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::engine::repo::{self, LoadedJob, Repo, Result};
use crate::engine::{own_state, record};
use crate::format::journal::{Line, What};
use crate::format::{names, seed_id, short_hash};
use crate::world;

/// Digits of the hash of what a file held.
const HELD: usize = 32;

/// What a command is about to write.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Meant {
    chain: String,
    /// Seed-Id at which the job stands once the command has recorded what it does.
    step: String,
    /// While it runs, writing is its own.
    owner: world::Process,
    file: Vec<MeantFile>,
}

/// One file of the work tree.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct MeantFile {
    /// From the top of the work tree.
    path: String,
    /// Hash of what it held; absent where it was not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    was: Option<String>,
    becomes: Becomes,
}

/// What a file is about to hold, and what writing it counts as.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Becomes {
    /// A file of git seed's own, as the job's tree has it: no edit of anybody.
    Own,
    /// A page, rewritten in the agent's name.
    Page(String),
    /// The same, and new to the phase: a note came to its end.
    Note(String),
}

impl Becomes {
    fn text(&self) -> Option<&str> {
        match self {
            Self::Own => None,
            Self::Page(text) | Self::Note(text) => Some(text),
        }
    }
}

/// The record that has to be there before files are written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Recorded<'a> {
    /// The step of this name.
    Step(&'a str),
    /// None: the files are all there is.
    Already,
}

impl MeantFile {
    /// For the file at `path`, which is read to know it again.
    pub(crate) fn new(repo: &Repo, path: String, becomes: Becomes) -> Self {
        let was = holds(repo, &path);
        Self { path, was, becomes }
    }

    /// For the page at `path`, which was read as `before`.
    pub(crate) fn of(path: String, before: &str, becomes: Becomes) -> Self {
        Self { path, was: Some(short_hash(before.as_bytes(), HELD)), becomes }
    }

    /// Says in the journal whose the file is.
    fn claim(&self, line: &mut Line) {
        line.what = What::After;
        "session".clone_into(&mut line.tool);
        line.paths = vec![self.path.clone()];
    }

    /// The same, and counts the edit as what it is.
    fn count(&self, line: &mut Line) {
        self.claim(line);
        if self.becomes != Becomes::Own {
            line.counts.page_edits += 1;
        }
        if matches!(self.becomes, Becomes::Note(_)) {
            line.counts.activity.count_pages(1);
        }
    }
}

/// Whether it reads; damage is the doctor's to set aside.
pub(crate) fn reads(repo: &Repo) -> std::result::Result<(), own_state::Unread> {
    own_state::from_toml::<Meant>(&file(repo)).map(drop)
}

/// Where the word of it lies.
pub(crate) fn file(repo: &Repo) -> PathBuf {
    repo.store.seed_dir().join("meant").join(format!("{}.toml", repo.store.worktree_name()))
}

/// Something is left of such a command, or one is under way.
pub(crate) fn is_there(repo: &Repo) -> bool {
    file(repo).exists()
}

/// What the file at `path` holds, as a hash; `None` where it is not there or does not read.
fn holds(repo: &Repo, path: &str) -> Option<String> {
    // One that does not read is not what was meant to be replaced, and stays.
    let bytes = repo::paths::bytes_of(repo.store.work_tree().join(path)).ok()?;
    Some(short_hash(&bytes, HELD))
}

/// Leaves word that `files` are about to be written once the job has recorded it, while `run`
/// records and writes.
pub(crate) fn around<T>(
    repo: &Repo,
    focused: &LoadedJob,
    recorded: Recorded<'_>,
    files: Vec<MeantFile>,
    run: impl FnOnce() -> Result<T>,
) -> Result<T> {
    if files.is_empty() {
        return run();
    }
    begin(repo, focused, recorded, files)?;
    let ran = run();
    done(repo)?;
    ran
}

fn begin(
    repo: &Repo,
    focused: &LoadedJob,
    recorded: Recorded<'_>,
    files: Vec<MeantFile>,
) -> Result<()> {
    let state = &focused.state;
    let step = match recorded {
        Recorded::Step(name) => {
            let clone = record::own_clone::taker(repo)?;
            seed_id(state.job.id.as_str(), Some(&state.step), name, clone.as_deref())
        }
        Recorded::Already => state.step.clone(),
    };
    let chain = focused.chain.clone();
    let meant = Meant { chain, step, owner: world::myself(), file: files };
    Ok(world::write_whole(&file(repo), toml::to_string(&meant)?.as_bytes())?)
}

/// All is written, or nothing will be.
fn done(repo: &Repo) -> Result<()> {
    Ok(world::remove_if_there(file(repo))?)
}

/// Writes what a stopped command meant to, where its record is there. A file that holds something
/// else by now is whoever's wrote it, and stays.
///
/// # Errors
///
/// A file that cannot be written is told once and forgotten: it must not stand in the way of every
/// command, and its own one can be said again.
pub(crate) fn finish(repo: &Repo) -> Result<()> {
    if !is_there(repo) {
        return Ok(());
    }
    // Two that come at once would both count the edit.
    let _lock = repo.store.lock()?;
    let Some(meant) = own_state::from_toml::<Meant>(&file(repo))? else { return Ok(()) };
    if world::is_running(&meant.owner) {
        return Ok(());
    }
    let job = repo.focused()?;
    let recorded = |job: &LoadedJob| job.chain == meant.chain && job.state.step == meant.step;
    let wrote = match job.filter(recorded) {
        Some(job) => meant.file.iter().try_for_each(|one| write(repo, &job, one)),
        None => Ok(()),
    };
    done(repo)?;
    wrote
}

fn write(repo: &Repo, job: &LoadedJob, meant: &MeantFile) -> Result<()> {
    let kept = match meant.becomes.text() {
        Some(text) => Some(text.as_bytes().to_vec()),
        None => kept(repo, job, &meant.path)?,
    };
    let Some(bytes) = kept else { return Ok(()) };
    let holds = holds(repo, &meant.path);
    if holds == Some(short_hash(&bytes, HELD)) {
        // It may be counted already, and is not counted twice; whose it is has to be known.
        return record::journal_line::note(repo, Some(job), |line| meant.claim(line));
    }
    if holds == meant.was { put(repo, job, meant, &bytes).map(drop) } else { Ok(()) }
}

/// What the job's tree has of a file of git seed's own.
fn kept(repo: &Repo, job: &LoadedJob, path: &str) -> Result<Option<Vec<u8>>> {
    match path.strip_prefix(&names::job_dir(&job.state.job.id)) {
        Some(name) => Ok(repo.store.file(&job.tip, name)?),
        None => Ok(None),
    }
}

/// Rewrites a page for the agent; false where it is not what it was when it was read.
pub(crate) fn put_page(repo: &Repo, job: &LoadedJob, meant: &MeantFile) -> Result<bool> {
    let text = meant.becomes.text().unwrap_or_default();
    put(repo, job, meant, text.as_bytes())
}

/// Claimed before it is written: killed in between, the fence still knows whose it is.
fn put(repo: &Repo, job: &LoadedJob, meant: &MeantFile, bytes: &[u8]) -> Result<bool> {
    record::journal_line::note(repo, Some(job), |line| meant.claim(line))?;
    // A page that does not read any more is not the one that was judged.
    if holds(repo, &meant.path) != meant.was {
        return Ok(false);
    }
    let file = repo.store.work_tree().join(&meant.path);
    record::replace::replace_file(repo, &file, bytes)?;
    record::journal_line::note(repo, Some(job), |line| meant.count(line))?;
    Ok(true)
}
