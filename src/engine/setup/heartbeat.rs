//! When the hooks of a host ran last in a worktree: hook lines that stand in a file prove nothing
//! until the host runs them.
//!
//! One small file for each host below `.git/seed/fired`. A memory: where it is lost, `doctor` says
//! that nothing has run yet.

use std::path::PathBuf;

use crate::engine::repo::{Repo, text};
use crate::engine::setup::finding::Finding;
use crate::event::{Event, EventKind};
use crate::hosts::Host;
use crate::jobs::UnixSeconds;
use crate::voice::Found;
use crate::world;

/// A hook ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Heartbeat {
    pub at: UnixSeconds,
    /// The event, as the host names it.
    pub event: String,
}

/// Keeps that a hook ran for `event`, of those that write something anyway.
pub(crate) fn beat(repo: &Repo, host: &Host, event: &Event) {
    if host.hands_over && matches!(event.kind, EventKind::After { .. }) {
        return beat_after(repo, event);
    }
    let writes = matches!(
        event.kind,
        EventKind::SessionStart { .. } | EventKind::Prompt { .. } | EventKind::Stop { .. }
    );
    if !writes {
        return;
    }
    let file = file(repo, event.host);
    if let Some(dir) = file.parent() {
        let _ = std::fs::create_dir_all(dir);
    }
    let beat = format!("{} {}\n", repo.now, event.name);
    let _ = world::Whole::new().unsynced().write(&file, beat.as_bytes());
}

/// Keeps that the hook after a tool runs in the session of `event`, once a session.
fn beat_after(repo: &Repo, event: &Event) {
    if event.session.is_empty() || has_run_after(repo, event.host, &event.session) {
        return;
    }
    let file = file_after(repo, event.host);
    if let Some(dir) = file.parent() {
        let _ = std::fs::create_dir_all(dir);
    }
    let _ = world::write_whole(&file, event.session.as_bytes());
}

/// The hook of `host` after a tool has run here in this session, and in no other one since.
pub(crate) fn has_run_after(repo: &Repo, host: &str, session: &str) -> bool {
    // A memory, as above.
    world::read_plain(&file_after(repo, host)).is_ok_and(|known| known == session.as_bytes())
}

/// When a hook of `host` ran last here.
pub(crate) fn last(repo: &Repo, host: &str) -> Option<Heartbeat> {
    // A memory, as above.
    let bytes = world::read_plain(&file(repo, host)).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let (at, event) = text.trim().split_once(' ')?;
    Some(Heartbeat { at: at.parse().ok()?, event: event.to_owned() })
}

fn file_after(repo: &Repo, host: &str) -> PathBuf {
    let name = format!("{}.{host}.after", repo.store.worktree_name());
    repo.store.seed_dir().join("fired").join(name)
}

fn file(repo: &Repo, host: &str) -> PathBuf {
    repo.store.seed_dir().join("fired").join(format!("{}.{host}", repo.store.worktree_name()))
}

/// Whether the host has run its hooks here: that a line stands in a file does not show it.
pub(crate) fn finding(repo: &Repo, row: &Host) -> Finding {
    let title = ("title", row.title.as_str());
    match last(repo, &row.name) {
        Some(last) => {
            let at = text::rfc3339(last.at);
            Finding::of(Found::HostFired, &[title, ("at", &at), ("event", &last.event)])
        }
        None => match row.first_start() {
            Some(says) => Finding::of(Found::HostSilent, &[title, ("says", says)]),
            None => Finding::of(Found::HostUnfired, &[title]),
        },
    }
}
