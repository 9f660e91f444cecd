//! Operations as they were written down, for `op log` and for finding one.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use serde::Serialize;

use crate::engine::ops::settle;
use crate::engine::repo::text::rfc3339;
use crate::engine::repo::{EngineError, Repo, Result};
use crate::format::names;
use crate::format::ops::{self, History, Op};
use crate::format::trailers::StepTrailers;
use crate::store::{CommitId, Shift, Step, Stood};

/// One line of `op log`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct OpRow {
    pub id: String,
    pub at: String,
    pub command: String,
    pub worktree: String,
    pub jobs: Vec<String>,
    pub undone: bool,
    /// `undo` and `redo` step over it.
    pub stepped_over: bool,
}

/// As many as are read at first. `undo` seldom needs more.
const FEW: usize = 16;

/// The operations of this clone, the newest first, read as far back as somebody asks: however many
/// there are, the newest ones cost the same.
pub(crate) struct Ops<'r> {
    repo: &'r Repo,
    /// The newest when it began: whoever adds one meanwhile moves no other.
    tip: Option<CommitId>,
    read: RefCell<Vec<Op>>,
    whole: Cell<bool>,
}

impl<'r> Ops<'r> {
    /// Reads at least the newest `count`.
    pub(crate) fn newest(repo: &'r Repo, count: usize) -> Result<Self> {
        let tip = repo.store.stands_at(names::OPS)?;
        let ops = Self { repo, tip, read: RefCell::default(), whole: Cell::new(false) };
        ops.read_to(count.max(FEW))?;
        Ok(ops)
    }

    /// How many were read so far.
    #[cfg(test)]
    pub(crate) fn read(&self) -> usize {
        self.read.borrow().len()
    }

    fn read_to(&self, count: usize) -> Result<()> {
        let steps = match &self.tip {
            Some(tip) => self.repo.store.history_from(tip, count)?,
            None => Vec::new(),
        };
        self.whole.set(steps.len() < count);
        let read = |step: Step| Op::read(step.commit.to_string(), &step.message, step.at);
        *self.read.borrow_mut() = steps.into_iter().map(read).collect();
        Ok(())
    }

    /// Reads older ones, too; false where there are none.
    pub(crate) fn older(&self) -> Result<bool> {
        const TIMES: usize = 4;
        if self.whole.get() {
            return Ok(false);
        }
        let more = self.read.borrow().len().saturating_mul(TIMES);
        self.read_to(more)?;
        Ok(true)
    }

    pub(crate) fn all(&self) -> Result<()> {
        if self.whole.get() { Ok(()) } else { self.read_to(usize::MAX) }
    }

    /// The operation before which `at` newer ones were done.
    pub(crate) fn get(&self, at: usize) -> Result<Option<Op>> {
        while self.read.borrow().len() <= at {
            if !self.older()? {
                return Ok(None);
            }
        }
        Ok(self.read.borrow().get(at).cloned())
    }

    /// Where the operation `id` is among those that were read.
    pub(crate) fn place(&self, id: &str) -> Option<usize> {
        self.read.borrow().iter().position(|op| op.id == id)
    }

    /// How the worktrees stand among those that were read.
    pub(crate) fn history(&self) -> History {
        History::of(self.read.borrow().iter().rev(), self.whole.get())
    }

    /// The operation that `id` begins, among all.
    pub(crate) fn named(&self, id: &str) -> Result<Option<Op>> {
        const FEWEST: usize = 4;
        self.all()?;
        let read = self.read.borrow();
        let mut fits = read.iter().filter(|op| op.id.starts_with(id));
        let found = fits.next().filter(|op| id.len() >= FEWEST || op.id == id);
        Ok(found.filter(|_| fits.next().is_none()).cloned())
    }
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
    let ops = Ops::newest(repo, most.saturating_add(1))?;
    let history = ops.history();
    let undone = history.undone();
    let mut rows = Vec::new();
    let mut next = ops.get(0)?;
    while let Some(op) = next.filter(|_| rows.len() < most) {
        next = ops.get(rows.len() + 1)?;
        let moved = moved(repo, &op, next.as_ref())?;
        let jobs: BTreeSet<_> = moved.iter().filter_map(|one| ops::job_of(&one.place)).collect();
        rows.push(OpRow {
            at: rfc3339(op.at),
            jobs: jobs.iter().map(ToString::to_string).collect(),
            undone: undone.contains(op.id.as_str()) && op.counts(),
            stepped_over: !op.counts(),
            id: op.id,
            command: op.command,
            worktree: op.worktree,
        });
    }
    Ok(rows)
}
