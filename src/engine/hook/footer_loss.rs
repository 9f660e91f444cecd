//! What an edit would take from the footers of a page that no session log holds.

use crate::engine::record;
use crate::engine::repo::paths::Resolved;
use crate::engine::repo::{self, LoadedJob, Repo};
use crate::event::FileEdit;
use crate::memory::edit;
use crate::memory::lock::{self, Held};
use crate::phases::guard::Lost;

/// What an edit would take from the footers of a page, where they are condensed.
pub(crate) fn page_loss(
    repo: &Repo,
    resolved: &Resolved,
    file: &FileEdit,
    focused: &LoadedJob,
) -> Option<Lost> {
    if !repo.row(Some(focused)).measures || !resolved.exists {
        return None;
    }
    // A page that is no text, or an edit that does not fit it, is judged by `page_change`.
    let old = String::from_utf8(repo::paths::bytes_of(&resolved.real).ok()?).ok()?;
    let new = edit::apply(Some(&old), &file.change).ok()?.unwrap_or_default();
    let page = record::session_log::cycle_page(repo, focused, &resolved.shown, &resolved.real);
    let anchors = repo.rules.maps.anchors();
    // A log that does not read holds nothing.
    let log = record::session_log::session_log(repo, focused).unwrap_or_default();
    // A page that is not of the cycle has no other name.
    let held = Held::of(&log, page.as_deref().unwrap_or_default(), &anchors);
    let loss = lock::lost(&old, &new, &anchors, &repo.kinds(&focused.state), &held)?;
    Some(Lost { what: loss.what, line: loss.line, note: loss.note, elsewhere: page.is_none() })
}
