//! What the chains leave to this clone of a job: times to the second, and what its cycle cost.
//!
//! In `.git/seed/exact/<job>` stands a line for each step that was written here, see
//! [`crate::format::days`]. Memory and no truth: where one is missing, as for the steps of another
//! clone, the day is what is known. Times of closed jobs and of receipts are moments.

use super::bounded::{BoundedLines, complete};
use super::error::StoreError;
use super::{Store, UnixSeconds};
use crate::claims::Ran;
use crate::format::archive::ClosedRow;
use crate::format::days::{self, Exact};
use crate::format::state::State;
use crate::jobs::JobId;

/// The most bytes that are kept for a job: a few hundred steps, of which the last few are asked of.
const MOST: usize = 64 * 1024;

fn times_of(row: &mut ClosedRow) -> impl Iterator<Item = (&'static str, &mut UnixSeconds)> {
    let completed = row.last_completed_at.as_mut().map(|at| ("completed", at));
    completed.into_iter().chain([("updated", &mut row.updated_at)])
}

impl Store {
    fn exact_lines(&self, id: &JobId) -> BoundedLines {
        self.bounded_lines(&format!("exact/{id}"), MOST)
    }

    fn exact_of(&self, id: &JobId, step: &str) -> Option<Exact> {
        // Memory and no truth, as above.
        let bytes = self.exact_lines(id).at_once().unwrap_or_default();
        let lines: Vec<&[u8]> = complete(&bytes).collect();
        // As above.
        let read = |line: &&[u8]| serde_json::from_slice::<Exact>(line).ok();
        lines.iter().rev().filter_map(read).find(|exact| exact.step == step)
    }

    fn add_exact(&self, id: &JobId, exact: &Exact) -> Result<(), StoreError> {
        let line = serde_json::to_vec(exact).map_err(std::io::Error::other)?;
        self.exact_lines(id).append(&line, Vec::new)
    }

    /// Takes out of a state what is not to travel, and keeps it here.
    pub(crate) fn keep_exact(&self, state: &mut State) -> Result<(), StoreError> {
        if !self.dates_by_the_day() {
            return Ok(());
        }
        let exact = Exact::take(state);
        self.add_exact(&state.job.id, &exact)
    }

    /// What is known of the step `known` holds for `step`, which joined it with others.
    pub(crate) fn keep_exact_of(
        &self,
        id: &JobId,
        known: &str,
        step: &str,
    ) -> Result<(), StoreError> {
        let Some(exact) = self.exact_of(id, known) else { return Ok(()) };
        self.add_exact(id, &Exact { step: step.to_owned(), ..exact })
    }

    /// Puts back what is known here of the step that wrote `state`.
    pub(crate) fn put_exact(&self, state: &mut State) {
        if days::is_day(state.job.updated_at)
            && let Some(exact) = self.exact_of(&state.job.id, &state.step)
        {
            exact.put(state);
        }
    }

    /// A receipt, with the time that is known here of it.
    pub(crate) fn ran_at(&self, id: &str, ran: Ran) -> Ran {
        Ran { at: self.moment(id, ran.at), ..ran }
    }

    /// The row of a closed job as it travels; its times are kept here.
    pub(crate) fn kept_row(&self, mut row: ClosedRow) -> Result<ClosedRow, StoreError> {
        let id = row.id.clone();
        for (word, at) in times_of(&mut row) {
            self.keep_moment(&format!("{id}/{word}"), *at)?;
            *at = self.dated(*at);
        }
        Ok(row)
    }

    /// The same with the times that are known here.
    pub(crate) fn row_at(&self, mut row: ClosedRow) -> ClosedRow {
        let id = row.id.clone();
        for (word, at) in times_of(&mut row) {
            *at = self.moment(&format!("{id}/{word}"), *at);
        }
        row
    }
}
