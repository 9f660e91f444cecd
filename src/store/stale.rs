//! Locks of refs that a killed git left: whoever made one is gone, and no fetch gets past it.
//!
//! Git holds the lock of a ref for a moment. One that is older than a minute has nobody behind it.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::Store;
use super::error::StoreError;
use crate::world;

/// No transaction of refs takes so long.
const OLD: Duration = Duration::from_mins(1);

/// The end of a lock's name.
const LOCK: &str = "lock";

/// A lock of a ref.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RefLock {
    /// Its path below the directory that all worktrees share.
    pub name: String,
    /// Nobody can hold it any more.
    pub is_old: bool,
}

impl Store {
    /// The locks of our refs, and of the copies of what remotes have.
    pub(crate) fn ref_locks(&self) -> Vec<RefLock> {
        let mut found = Vec::new();
        for below in ["refs/seed", "refs/seed-remote", "refs/notes"] {
            locks(&self.common_dir.join(below), &mut found);
        }
        found.extend(self.head_locks());
        found.sort();
        let name = |path: &Path| {
            let below = path.strip_prefix(&self.common_dir).unwrap_or(path);
            below.to_string_lossy().into_owned()
        };
        found.iter().map(|path| RefLock { name: name(path), is_old: is_old(path) }).collect()
    }

    /// Removes those of them that nobody can hold, and says which.
    pub(crate) fn drop_old_ref_locks(&self) -> Result<Vec<String>, StoreError> {
        let old = self.ref_locks().into_iter().filter(|lock| lock.is_old);
        let mut gone = Vec::new();
        for lock in old {
            match std::fs::remove_file(self.common_dir.join(&lock.name)) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(error.into());
                }
                _ => gone.push(lock.name),
            }
        }
        Ok(gone)
    }
}

impl Store {
    /// Removes locks of HEAD and of branches that a killed git left, so that a commit gets past
    /// them. Git holds one only while it moves a ref; never while a person types.
    pub(crate) fn drop_old_head_locks(&self) -> Result<Vec<String>, StoreError> {
        let mut gone = Vec::new();
        for path in self.head_locks().into_iter().filter(|path| is_old(path)) {
            match std::fs::remove_file(&path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(error.into());
                }
                _ => gone.push(path.to_string_lossy().into_owned()),
            }
        }
        Ok(gone)
    }

    fn head_locks(&self) -> Vec<PathBuf> {
        let own = [self.git_dir.join("HEAD.lock"), self.common_dir.join("packed-refs.lock")];
        let mut found: Vec<PathBuf> = own.into_iter().filter(|path| path.is_file()).collect();
        locks(&self.common_dir.join("refs/heads"), &mut found);
        found
    }
}

/// All locks below `dir`; a directory that is not there has none.
pub(super) fn locks(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        let path = entry.path();
        if kind.is_dir() {
            locks(&path, found);
        } else if kind.is_file() && path.extension().is_some_and(|end| end == LOCK) {
            found.push(path);
        }
    }
}

/// One whose time cannot be told is left alone.
fn is_old(path: &Path) -> bool {
    let written = std::fs::symlink_metadata(path).and_then(|data| data.modified());
    let since = |then: SystemTime| then.duration_since(SystemTime::UNIX_EPOCH).ok();
    let Some(then) = written.ok().and_then(since) else { return false };
    let now = Duration::from_millis(u64::try_from(world::system_ms()).unwrap_or_default());
    now.saturating_sub(then) >= OLD
}
