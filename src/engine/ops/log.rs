//! Operations as they were written down, for `op log` and for finding one.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::engine::ops::settle;
use crate::engine::repo::text::rfc3339;
use crate::engine::repo::{EngineError, Repo, Result};
use crate::format::names;
use crate::format::ops::{self, History, Op};
use crate::format::trailers::StepTrailers;
use crate::store::{CommitId, Shift, Stood};

/// One line of `op log`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct OpRow {
    pub id: String,
    pub at: String,
    pub command: String,
    pub worktree: String,
    pub jobs: Vec<String>,
    pub undone: bool,
}

/// All operations, the newest first.
pub(crate) fn all(repo: &Repo) -> Result<Vec<Op>> {
    let steps = repo.store.history(names::OPS, usize::MAX)?;
    let read = |step: crate::store::Step| Op::read(step.commit.to_string(), &step.message, step.at);
    Ok(steps.into_iter().map(read).collect())
}

/// How the worktrees stand among them.
pub(crate) fn history(all: &[Op]) -> History {
    History::of(all.iter().rev())
}

/// What an operation moved; `older` is the one before it.
pub(crate) fn moved(repo: &Repo, op: &Op, older: Option<&Op>) -> Result<Vec<Shift>> {
    let tree = |op: &Op| -> Result<_> {
        let id: CommitId = op
            .id
            .parse()
            .map_err(|bad: crate::store::NotAnId| EngineError::OnDisk(bad.to_string()))?;
        Ok(repo.store.tree_of_commit(&id)?)
    };
    let before = older.map(tree).transpose()?;
    let mut moved = repo.store.shifts(before.as_ref(), Some(&tree(op)?))?;
    // A job that was closed before and after it has no ref then; the archive tells of it.
    for place in put_away(repo, &moved)? {
        if moved.iter().all(|one| one.place != place) {
            moved.push(Shift { place, before: None, after: None });
        }
    }
    Ok(moved)
}

/// The places of the jobs that the archive took in.
fn put_away(repo: &Repo, moved: &[Shift]) -> Result<Vec<String>> {
    let archive = ops::place(names::ARCHIVE);
    let Some(one) = moved.iter().find(|one| Some(&one.place) == archive.as_ref()) else {
        return Ok(Vec::new());
    };
    let Some(Stood::At(after)) = &one.after else { return Ok(Vec::new()) };
    let before = match &one.before {
        Some(Stood::At(before)) => Some(before),
        _ => None,
    };
    let told = repo.store.put_away_between(before, after)?;
    let job = |message: &String| StepTrailers::read(message).map(|said| said.job);
    let chains = told.iter().filter_map(job).map(|job| format!("{}{job}", names::JOBS));
    Ok(chains.filter_map(|chain| ops::place(&chain)).collect())
}

/// The newest `most` operations.
pub(crate) fn rows(repo: &Repo, most: usize) -> Result<Vec<OpRow>> {
    repo.require_seeded()?;
    // Where nothing can be written, what is missing is not told.
    if repo.store.is_writable() {
        settle::catch_up(repo)?;
    }
    let all = all(repo)?;
    let history = history(&all);
    let undone = history.undone();
    let mut rows = Vec::new();
    for (at, op) in all.iter().enumerate().take(most) {
        let moved = moved(repo, op, all.get(at + 1))?;
        let jobs: BTreeSet<_> = moved.iter().filter_map(|one| ops::job_of(&one.place)).collect();
        rows.push(OpRow {
            id: op.id.clone(),
            at: rfc3339(op.at),
            command: op.command.clone(),
            worktree: op.worktree.clone(),
            jobs: jobs.iter().map(ToString::to_string).collect(),
            undone: undone.contains(op.id.as_str()),
        });
    }
    Ok(rows)
}

/// The operation that `id` begins.
pub(crate) fn named<'a>(all: &'a [Op], id: &str) -> Option<&'a Op> {
    const FEWEST: usize = 4;
    let mut fits = all.iter().filter(|op| op.id.starts_with(id));
    let found = fits.next().filter(|op| id.len() >= FEWEST || op.id == id);
    found.filter(|_| fits.next().is_none())
}
