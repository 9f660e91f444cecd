//! What a session log holds, and what a footer lost that it does not hold.

use std::path::Path;

use crate::engine::record;
use crate::engine::repo::{EngineError, LoadedJob, Repo, Result};
use crate::format::names;
use crate::memory::archive::{self, BadLog, Capture};
use crate::memory::lock::{self, Held};

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
            || crate::world::real(repo.store.work_tree().join(page)).is_ok_and(|file| file == real)
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
