//! Jobs whose work is over and that still have a ref.

use crate::engine::jobs;
use crate::engine::repo::{Repo, Result};
use crate::format::archive::{self, ClosedRow};
use crate::format::names;

/// The refs of closed jobs that wait to be put away, by what is written of them.
pub(crate) fn not_put_away(repo: &Repo) -> Result<usize> {
    let focused = repo.store.in_focus()?;
    let rows = jobs::list::live_rows(repo)?;
    let waits = |row: &&ClosedRow| {
        archive::is_closed_row(row) && !focused.contains(&names::job_chain(&row.id))
    };
    Ok(rows.iter().filter(waits).count())
}
