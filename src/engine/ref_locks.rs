//! Locks that a killed git left on refs of ours, and a killed git seed on git's configuration:
//! found by `doctor`, and taken away by `--fix`.

use crate::engine::finding::Finding;
use crate::engine::repo::{Repo, Result};
use crate::voice::Found;
use crate::world::config_lock;

pub(crate) fn examine(repo: &Repo, found: &mut Vec<Finding>) {
    for lock in repo.store.ref_locks() {
        let key = if lock.is_old { Found::RefLockOld } else { Found::RefLockNew };
        found.push(Finding::of(key, &[("lock", &lock.name)]));
    }
    // One that does not read says nothing of a lock.
    if let Ok(Some(lock)) = config_lock::left(&repo.store.seed_dir()) {
        found.push(Finding::of(Found::ConfigLock, &[("lock", &*lock.display().to_string())]));
    }
}

pub(crate) fn mend(repo: &Repo, found: &mut Vec<Finding>) -> Result<()> {
    for lock in repo.store.drop_old_ref_locks()? {
        found.push(Finding::of(Found::RefLockMended, &[("lock", &lock)]));
    }
    if let Some(lock) = config_lock::free_left(&repo.store.seed_dir())? {
        found.push(Finding::of(Found::ConfigLockMended, &[("lock", &*lock.display().to_string())]));
    }
    Ok(())
}
