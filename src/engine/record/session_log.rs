//! What an edit would take from a footer that no session log holds.

use std::path::Path;

use crate::engine::record;
use crate::engine::repo::{EngineError, LoadedJob, Repo, Result};
use crate::format::names;
use crate::memory::archive::{self, BadLog, Capture};
use crate::memory::lock::{self, Held, Loss};

/// What an edit would take from the footer of `page` and the log does not hold; asked
/// only where a phase measures.
pub(crate) fn would_lose(
    repo: &Repo,
    focused: &LoadedJob,
    page: &str,
    old: &str,
    new: &str,
) -> Option<Loss> {
    if !repo.row(Some(focused)).measures {
        return None;
    }
    let anchors = repo.rules.maps.anchors();
    // A log that does not read holds nothing.
    let log = session_log(repo, focused).unwrap_or_default();
    let held = Held::of(&log, page, &anchors);
    lock::lost(old, new, &anchors, &repo.kinds(&focused.state), &held)
}

/// Whether something that `page` said at the last boundary stands neither there nor in the
/// log now; asked only where a phase measures.
pub(crate) fn has_lost(repo: &Repo, focused: &LoadedJob, page: &str, old: &str, new: &str) -> bool {
    let anchors = repo.rules.maps.anchors();
    // A log that does not read holds nothing.
    let held = Held::of(&session_log(repo, focused).unwrap_or_default(), page, &anchors);
    let kinds = repo.kinds(&focused.state);
    repo.row(Some(focused)).measures && lock::gone(old, new, &anchors, &kinds, &held).is_some()
}

/// The page of this cycle that a file is, under whatever name it is reached.
pub(crate) fn cycle_page(
    repo: &Repo,
    focused: &LoadedJob,
    shown: &str,
    real: &Path,
) -> Option<String> {
    // Without the list the page is another's, and what an edit takes from it is held by nothing.
    let dirs = repo.lines(&focused.chain, names::SCOPE).unwrap_or_default();
    let mut pages = dirs.iter().map(|dir| repo.page_path(dir));
    pages.find(|page| {
        page == shown
            || std::fs::canonicalize(repo.store.work_tree().join(page))
                .is_ok_and(|file| file == real)
    })
}

/// The captures of this cycle, as the job's tree has them.
pub(crate) fn session_log(repo: &Repo, focused: &LoadedJob) -> Result<Vec<Capture>> {
    let bytes =
        record::own_files::own_file(repo, focused, &names::session_log(focused.state.stand.cycle))?;
    let Some(bytes) = bytes else { return Ok(Vec::new()) };
    archive::read(&String::from_utf8_lossy(&bytes)).map_err(unread)
}

pub(crate) fn unread(bad: BadLog) -> EngineError {
    EngineError::OnDisk(bad.to_string())
}
