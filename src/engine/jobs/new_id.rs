//! The id of a job that begins now.
//!
//! An id names a job wherever it goes, so with `sync.detail = "day"` it has the day and which of
//! that day's jobs it is, as this clone knows them; else the second. Either way ids of one clone
//! sort as they were made: a queue is taken in that order.

use crate::engine::record;
use crate::engine::repo::archive_index::unread;
use crate::engine::repo::{Repo, Result};
use crate::format::{archive, names};
use crate::jobs::JobId;
use crate::world;

/// One that no job has; `salt` tells jobs apart that begin at once.
pub(crate) fn free(repo: &Repo, salt: &str) -> Result<JobId> {
    let made = |salt: &str, number: Option<u32>| match number {
        Some(number) => world::new_job_id_of_day(repo.now, number, salt),
        None => world::new_job_id(repo.now, salt),
    };
    let number = if repo.rules.detail.is_day() { Some(number(repo)?) } else { None };
    let mut id = made(salt, number);
    for n in 1..100 {
        if !record::archive::knows(repo, &id)? {
            break;
        }
        id = made(&format!("{salt}{n}"), number);
    }
    Ok(id)
}

/// Which job of today it is: one more than the last that is known here. Ids have it in thousands,
/// and those of an older git seed as it is.
fn number(repo: &Repo) -> Result<u32> {
    let today = world::new_job_id_of_day(repo.now, 0, "");
    let mut known = record::archive::live_ids(repo)?;
    if let Some(archived) = repo.store.tip(names::ARCHIVE)? {
        let path = archive::index_file(&today);
        // No job of today is closed: there is no file for it.
        let bytes = repo.store.file(&archived, &path)?.unwrap_or_default();
        let rows = archive::rows(&bytes).map_err(|bad| unread(&path, &bad))?;
        known.extend(rows.into_iter().map(|row| row.id));
    }
    let last = known.iter().filter_map(|id| id.number_on(&today)).max();
    Ok(last.unwrap_or(0) / 1000 + 1)
}
