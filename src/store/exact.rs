//! What the chains leave to this clone of a job: times to the second, and what its cycle cost.
//!
//! In `.git/seed/exact/<job>` stands a line for each step that was written here, see
//! [`crate::format::days`]. Memory and no truth: where one is missing, as for the steps of another
//! clone, the day is what is known. Times of closed jobs and of receipts are moments.

use super::bounded::BoundedLines;
use super::error::StoreError;
use super::{Store, UnixSeconds};
use crate::claims::Ran;
use crate::format::archive::ClosedRow;
use crate::format::days::{self, Exact};
use crate::format::state::State;
use crate::jobs::JobId;

/// The most bytes that are kept for a job: a few hundred steps, of which the last few are asked of.
const MOST: usize = 64 * 1024;

/// The last line of `step`, looked for from the end; what does not read is passed over.
fn sought(bytes: &[u8], step: &str) -> Option<Exact> {
    // As a line is written, with the step in front.
    let head = format!("{{\"step\":\"{step}\"");
    memchr::memmem::rfind_iter(bytes, &head).find_map(|at| {
        let begins = at == 0 || bytes[at - 1] == b'\n';
        let end = memchr::memchr(b'\n', &bytes[at..]).filter(|_| begins)?;
        let exact = serde_json::from_slice::<Exact>(&bytes[at..at + end]).ok();
        exact.filter(|exact| exact.step == step)
    })
}

fn times_of(row: &mut ClosedRow) -> impl Iterator<Item = (&'static str, &mut UnixSeconds)> {
    let completed = row.last_completed_at.as_mut().map(|at| ("completed", at));
    completed.into_iter().chain([("updated", &mut row.updated_at)])
}

impl Store {
    fn exact_lines(&self, id: &JobId) -> BoundedLines {
        self.bounded_lines(&format!("exact/{id}"), MOST)
    }

    fn exact_of(&self, id: &JobId, step: &str) -> Option<Exact> {
        if let Some(last) = self.exact.of(id, step) {
            return Some(last);
        }
        // Memory and no truth, as above.
        let bytes = self.exact_lines(id).at_once().unwrap_or_default();
        let found = sought(&bytes, step)?;
        self.exact.keep(id, &found);
        Some(found)
    }

    fn add_exact(&self, id: &JobId, exact: &Exact) -> Result<(), StoreError> {
        let line = serde_json::to_vec(exact).map_err(std::io::Error::other)?;
        self.exact_lines(id).append(&line, Vec::new)?;
        self.exact.keep(id, exact);
        Ok(())
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

#[cfg(test)]
mod tests {
    use super::super::testbed::Testbed;
    use super::*;

    fn exact(step: &str, updated: UnixSeconds) -> Exact {
        Exact { step: step.to_owned(), updated, ..Exact::default() }
    }

    #[test]
    fn the_last_whole_line_of_a_step_counts() {
        let line = |of: &Exact| serde_json::to_string(of).expect("writes");
        let [old, other, new] = [exact("a", 1), exact("ab", 2), exact("a", 3)].map(|of| line(&of));
        let odd = format!("{{\"step\":\"a\",x}}\nsaid: {new}");
        let text = format!("{old}\n{other}\n{new}\n{odd}\n{new}");
        let found = |text: &str, step| sought(text.as_bytes(), step);
        assert_eq!(found(&text, "a"), Some(exact("a", 3)), "the torn line is none");
        assert_eq!(found(&text, "ab"), Some(exact("ab", 2)));
        assert_eq!(found(&text, "b"), None);
        assert_eq!(found(&format!("{old}\n{odd}\n"), "a"), Some(exact("a", 1)));
        assert_eq!(found("", "a"), None);
    }

    #[test]
    fn what_was_asked_for_once_is_not_read_again() {
        let bed = Testbed::new();
        let (store, id) = (bed.store(), "j".parse::<JobId>().expect("an id"));
        store.add_exact(&id, &exact("a", 1)).expect("kept");
        store.add_exact(&id, &exact("b", 2)).expect("kept");
        let reader = bed.store();
        assert_eq!(reader.exact_of(&id, "a"), Some(exact("a", 1)));
        std::fs::remove_file(store.seed_dir().join("exact/j")).expect("it is there");
        assert_eq!(reader.exact_of(&id, "a"), Some(exact("a", 1)));
        assert_eq!(reader.exact_of(&id, "b"), None);
        assert_eq!(store.exact_of(&id, "b"), Some(exact("b", 2)), "it wrote that one");
    }
}
