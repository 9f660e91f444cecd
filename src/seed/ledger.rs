//! `sessions.jsonl`: which session touched a run, one line for each boundary of a session.
//!
//! FOCUS when a session takes the run's boundaries over, INJECT when its context began anew
//! and it was told where it stands, SEAL when it seals a compaction file, WRAP when the run
//! ends. A reviewer finds the transcript of a compaction file by it; nothing decides by it.
//! The job's tree holds the file, and what is on disk is written from there, in a boundary's
//! commit and with its step. Killed between the two, the step is written with the file that
//! the commit has. Hooks write nothing: what they saw is written with the next boundary.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::boundary::{Judged, Toward};
use super::report::rfc3339;
use super::{Focused, Result, Seed, compact};
use crate::format::names;
use crate::format::state::State;
use crate::jobs::Status;
use crate::phases::{Move, PhaseName};
use crate::store::{CommitId, RepoPath, TreeEdit};

/// The name of the file, below the run's directory.
pub const FILE: &str = "sessions.jsonl";
/// The most characters of a session's id, which is the host's.
const ID: usize = 200;

/// What happened between a session and a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(super) enum Mark {
    Focus,
    Seal,
    Inject,
    Wrap,
}

/// What lay in the place of a ledger that was put on disk.
#[derive(Debug)]
pub(super) struct Put {
    before: Option<Vec<u8>>,
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

impl Seed {
    /// The ledger with what is to be added at a boundary of the session that drives the job:
    /// what went before it, then `mark` itself. `None` where there is nothing to add.
    pub(super) fn ledger(&self, focused: &Focused, mark: Option<Mark>, seq: u32) -> Result<Option<Vec<u8>>> {
        let state = &focused.state;
        let session: String = state.driver.session.chars().take(ID).collect();
        if session.is_empty() {
            return Ok(None);
        }
        let mut file = self.own_file(focused, FILE)?.unwrap_or_default();
        let last = last_entry(&file);
        let same = last.as_ref().filter(|last| last.session_id == session);
        // What counts of tokens call fresh is a context that began anew.
        let anew = rfc3339(compact::gauge(focused).fresh);
        let before = match same {
            None => Some(Mark::Focus),
            Some(last) if anew > last.ts => Some(Mark::Inject),
            Some(_) => None,
        };
        let marks: Vec<Mark> = before.into_iter().chain(mark).collect();
        for event in &marks {
            let entry = Entry {
                ts: rfc3339(self.now),
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

    /// What the boundary that was judged adds to the ledger.
    fn ledger_of(&self, focused: &Focused, toward: &Toward, judged: &Judged) -> Result<Option<Vec<u8>>> {
        let ends = focused.state.job.status == Status::Completed || judged.rests;
        let closes = matches!(toward, Toward::Forward { add_cycle: None, .. })
            && judged.step == Some(Move::Forward(PhaseName::idle()));
        let mark = Some(Mark::Wrap).filter(|_| ends && closes);
        // Without a commit the next boundary is early enough, but for the last one.
        if judged.survey.own.is_empty() && mark.is_none() {
            return Ok(None);
        }
        self.ledger(focused, mark, self.newest_compaction(focused))
    }

    /// True where the ledger stands in the job's tree alone: a small job leaves no file.
    pub(super) fn keeps_ledger_inside(&self, focused: &Focused) -> bool {
        self.map(&focused.state.stand).lane.is_some()
    }

    /// Where the ledger of the run lies on disk. Behind a link it is no file of this repository's.
    pub(super) fn ledger_place(&self, state: &State) -> Option<(PathBuf, RepoPath)> {
        let shown = self.own_path(state, FILE);
        let file = self.store.work_tree().join(&shown);
        let plain = super::paths::real(&file) == super::paths::real(self.store.work_tree()).join(&shown);
        Some((file, RepoPath::try_from(shown.as_str()).ok()?)).filter(|_| plain)
    }

    /// Puts the ledger for a boundary whose gates let it through: it is in the boundary's
    /// commit, where there is one, and in its step. Gives what lay there before, if anything
    /// was put on disk.
    pub(super) fn put_ledger(
        &self,
        focused: &Focused,
        toward: &Toward,
        judged: &mut Judged,
    ) -> Result<Option<Put>> {
        let Some(bytes) = self.ledger_of(focused, toward, judged)? else { return Ok(None) };
        let path = names::of_run(focused.state.job.run, FILE);
        judged.ledger = Some(TreeEdit::Put { path, bytes: bytes.clone() });
        if self.keeps_ledger_inside(focused) || judged.survey.own.is_empty() {
            return Ok(None);
        }
        let Some((file, named)) = self.ledger_place(&focused.state) else { return Ok(None) };
        let before = self.own_file_on_disk(&focused.state, FILE);
        let made = file.parent().map_or(Ok(()), std::fs::create_dir_all);
        if made.is_err() || self.replace_file(&file, &bytes).is_err() {
            // Nothing waits for it: the job's tree holds it.
            return Ok(None);
        }
        let ignored = !self.store.ignored(std::slice::from_ref(&named))?.is_empty();
        if !ignored && !judged.survey.own.contains(&named) {
            judged.survey.own.push(named);
        }
        Ok(Some(Put { before }))
    }

    /// The boundary was not crossed: the ledger is as it was.
    pub(super) fn take_back_ledger(
        &self,
        focused: &Focused,
        put: Option<Put>,
        judged: &mut Judged,
    ) -> Result<()> {
        judged.ledger = None;
        let file = self.store.work_tree().join(self.own_path(&focused.state, FILE));
        match put {
            Some(Put { before: Some(bytes) }) => self.replace_file(&file, &bytes),
            Some(Put { before: None }) => {
                std::fs::remove_file(&file)?;
                // The directory may have been made for it alone.
                for dir in file.ancestors().skip(1).take(4) {
                    if std::fs::remove_dir(dir).is_err() {
                        break;
                    }
                }
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// The ledger of a boundary's commit, whose step was never written.
    pub(super) fn ledger_in(&self, focused: &Focused, commit: &CommitId) -> Result<Option<TreeEdit>> {
        let there = self.store.file_of_commit(commit, &self.own_path(&focused.state, FILE))?;
        let known = self.own_file(focused, FILE)?;
        let path = names::of_run(focused.state.job.run, FILE);
        Ok(there.filter(|there| known.as_ref() != Some(there)).map(|bytes| TreeEdit::Put { path, bytes }))
    }
}

fn last_entry(file: &[u8]) -> Option<Entry> {
    let text = String::from_utf8_lossy(file);
    text.lines().rev().find_map(|line| serde_json::from_str(line).ok())
}
