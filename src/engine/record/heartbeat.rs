//! When the hooks of a host ran last in a worktree: hook lines that stand in a file prove nothing
//! until the host runs them.
//!
//! One small file for each host below `.git/seed/fired`. A memory: where it is lost, `doctor` says
//! that nothing has run yet.

use std::path::PathBuf;

use crate::engine::repo::Repo;
use crate::event::{Event, EventKind};
use crate::jobs::UnixSeconds;
use crate::world;

/// A hook ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Heartbeat {
    pub at: UnixSeconds,
    /// The event, as the host names it.
    pub event: String,
}

/// Keeps that a hook ran for `event`, of those that write something anyway.
pub(crate) fn beat(repo: &Repo, event: &Event) {
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
    let _ = world::write_whole(&file, format!("{} {}\n", repo.now, event.name).as_bytes());
}

/// When a hook of `host` ran last here.
pub(crate) fn last(repo: &Repo, host: &str) -> Option<Heartbeat> {
    // A memory, as above.
    let bytes = world::read_plain(&file(repo, host)).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let (at, event) = text.trim().split_once(' ')?;
    Some(Heartbeat { at: at.parse().ok()?, event: event.to_owned() })
}

fn file(repo: &Repo, host: &str) -> PathBuf {
    repo.store.seed_dir().join("fired").join(format!("{}.{host}", repo.store.worktree_name()))
}
