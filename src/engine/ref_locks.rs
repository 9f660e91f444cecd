//! Locks that a killed git left on refs of ours: found by `doctor`, and taken away by `--fix`.

use crate::engine::finding::Finding;
use crate::engine::repo::{Repo, Result};
use crate::voice::Found;

pub(crate) fn examine(repo: &Repo, found: &mut Vec<Finding>) {
    for lock in repo.store.ref_locks() {
        let key = if lock.is_old { Found::RefLockOld } else { Found::RefLockNew };
        found.push(Finding::of(key, &[("lock", &lock.name)]));
    }
}

pub(crate) fn mend(repo: &Repo, found: &mut Vec<Finding>) -> Result<()> {
    for lock in repo.store.drop_old_ref_locks()? {
        found.push(Finding::of(Found::RefLockMended, &[("lock", &lock)]));
    }
    Ok(())
}
