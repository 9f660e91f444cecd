//! Jobs whose work is over and that still have a ref.
//!
//! [`finish`] puts those away whose closing was stopped.

use crate::engine::repo::{Repo, Result};
use crate::engine::{closings, jobs, record};
use crate::format::archive::{self, ClosedRow};
use crate::format::names;
use crate::jobs::{JobId, Status};

/// The refs of closed jobs that wait to be put away, by what is written of them.
pub(crate) fn not_put_away(repo: &Repo) -> Result<usize> {
    let focused = repo.store.in_focus()?;
    let rows = jobs::list::live_rows(repo)?;
    let waits = |row: &&ClosedRow| {
        archive::is_closed_row(row) && !focused.contains(&names::job_chain(&row.id))
    };
    Ok(rows.iter().filter(waits).count())
}

/// Puts away what somebody who was stopped closed; what a dropped job held up waits no longer.
pub(crate) fn finish(repo: &Repo) -> Result<()> {
    if closings::begun(repo).is_empty() {
        return Ok(());
    }
    let _lock = repo.store.lock()?;
    // Whoever had the lock may have ended it.
    closings::begun(repo).iter().try_for_each(|id| finish_one(repo, id))
}

fn finish_one(repo: &Repo, id: &JobId) -> Result<()> {
    let chain = names::job_chain(id);
    let Some(tip) = repo.store.tip(&chain)? else { return closings::done(repo, id) };
    let state = repo.state(&chain, &tip)?;
    if !archive::is_closed(&state) {
        // Its step never came.
        return closings::done(repo, id);
    }
    if repo.store.in_focus()?.contains(&chain) {
        // Whoever gives it up puts it away.
        return Ok(());
    }
    if state.job.status == Status::Voided {
        jobs::dropping::free(repo, id)?;
    }
    record::archive::put_away(repo, id).map(drop)
}
