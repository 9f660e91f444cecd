//! `sessions.jsonl`: which session touched a run, one line for each boundary of a session.
//!
//! FOCUS when a session takes the run's boundaries over, INJECT when its context began anew
//! and it was told where it stands, SEAL when it seals a compaction file, WRAP when the run
//! ends. A reviewer finds the transcript of a compaction file by it; nothing decides by it.
//! The job's tree holds the file; where the rules keep it in the work tree, the boundary that
//! closes a cycle writes it to disk and has it in its commit. Killed between commit and step, the
//! step is written with the file that the commit has. Hooks write nothing: what they saw is written
//! with the next boundary.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::engine::repo::text::rfc3339;
use crate::engine::repo::{self, LoadedJob, Repo, Result};
use crate::engine::{memory, record};
use crate::format::state::State;
use crate::jobs::UnixSeconds;
use crate::memory::raw::Raw;
use crate::store::RepoPath;

/// The name of the file, below the run's directory.
pub(crate) const FILE: &str = "sessions.jsonl";

/// The most characters of a session's id, which is the host's.
const ID: usize = 200;

/// What happened between a session and a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum Mark {
    Focus,
    Seal,
    Inject,
    Wrap,
}

/// A file of ours that was put on disk, and what lay in its place.
#[derive(Debug)]
pub(crate) struct Put {
    pub(crate) file: PathBuf,
    pub(crate) before: Option<Vec<u8>>,
}

/// One line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    ts: String,
    event: Mark,
    /// Number of the run's newest compaction file; 0 before there is one.
    seq: u32,
    /// As the host gave it: it is the name of the transcript.
    session_id: String,
    phase: String,
}

/// The ledger with what is to be added at a boundary of the session that drives the job:
/// what went before it, then `mark` itself. `None` where there is nothing to add.
pub(crate) fn ledger(
    repo: &Repo,
    focused: &LoadedJob,
    mark: Option<Mark>,
    seq: u32,
) -> Result<Option<Vec<u8>>> {
    let state = &focused.state;
    let session: String = state.driver.session.chars().take(ID).collect();
    if session.is_empty() {
        return Ok(None);
    }
    // The run's first boundary begins the file.
    let mut file = record::own_files::own_file(repo, focused, FILE)?.unwrap_or_default();
    let last = last_entry(&file);
    let same = last.as_ref().filter(|last| last.session_id == session);
    // What counts of tokens call fresh is a context that began anew.
    let anew = memory::context::gauge(focused).fresh;
    let moment = format!("{}/{FILE}", state.job.id);
    let before = match same {
        None => Some(Mark::Focus),
        Some(last) if anew > seconds(&last.ts, |at| repo.store.moment(&moment, at)) => {
            Some(Mark::Inject)
        }
        Some(_) => None,
    };
    let marks: Vec<Mark> = before.into_iter().chain(mark).collect();
    if !marks.is_empty() {
        repo.store.keep_moment(&moment, repo.now)?;
    }
    for event in &marks {
        let entry = Entry {
            ts: rfc3339(repo.store.dated(repo.now)),
            event: *event,
            seq,
            session_id: session.clone(),
            phase: state.phase().to_string(),
        };
        if file.last().is_some_and(|byte| *byte != b'\n') {
            file.push(b'\n');
        }
        let line = serde_json::to_string(&entry).map_err(std::io::Error::other)?;
        file.extend(line.bytes().chain([b'\n']));
    }
    Ok(Some(file).filter(|_| !marks.is_empty()))
}

/// True where the job's tree alone has ledger and compaction files: a small job leaves no file, and
/// the rules may say so of every job.
pub(crate) fn keeps_ledger_inside(repo: &Repo, focused: &LoadedJob) -> bool {
    repo.rules.raw == Raw::Ref || repo.map(&focused.state.stand).lane.is_some()
}

/// Where the file `name` of the run lies on disk. Behind a link it is no file of this repository's.
pub(crate) fn own_place(repo: &Repo, state: &State, name: &str) -> Option<(PathBuf, RepoPath)> {
    let shown = record::own_files::own_path(state, name);
    let file = repo.store.work_tree().join(&shown);
    let plain = repo::paths::real(&file) == repo::paths::real(repo.store.work_tree()).join(&shown);
    Some((file, RepoPath::try_from(shown.as_str()).ok()?)).filter(|_| plain)
}

/// The time of a line; one that says none was never.
fn seconds(ts: &str, known: impl Fn(UnixSeconds) -> UnixSeconds) -> UnixSeconds {
    let read = time::OffsetDateTime::parse(ts, &time::format_description::well_known::Rfc3339);
    read.map_or(UnixSeconds::MIN, |at| known(at.unix_timestamp()))
}

fn last_entry(file: &[u8]) -> Option<Entry> {
    let text = String::from_utf8_lossy(file);
    // Nothing decides by the ledger: a line of another hand is passed over.
    text.lines().rev().find_map(|line| serde_json::from_str(line).ok())
}
