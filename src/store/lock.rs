//! Mutual exclusion between the programs that write seed state.
//!
//! A kernel lock on `<common dir>/seed/lock`, so a killed program leaves none behind.
//! It is a courtesy that spares retries: the guarantee against lost updates is the
//! compare-and-swap of the ref below it, because git itself does not know this lock.
//! No lock may be held while another program runs.
//!
//! While it is held its file names the refs that are being moved, so that whoever takes it after a
//! killed program knows whose locks of refs lie about: see [`super::left_locks`].

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::elsewhere::{is_denied, may_change};
use super::error::StoreError;
use super::holding::{HeldLock, Named};
use super::{SEED_DIR, Store};
use crate::format::names::FETCHED;
use crate::world::{NotPlain, open_plain, open_unblocked};

/// Longest wait for another program's lock.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long this process may still wait for locks, all of them together, in milliseconds.
static LEFT: AtomicU64 = AtomicU64::new(u64::MAX);

/// From here on locks are waited for no longer than this, all of them together: whoever is asked
/// for a verdict has to give it before the host stops waiting.
pub(crate) fn wait_at_most(time: Duration) {
    LEFT.store(u64::try_from(time.as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
}

/// The lock of this repository's seed state, held until dropped.
///
/// Taking it again while this process holds it through the same [`Store`] is free.
#[derive(Debug)]
pub(crate) struct Lock {
    held: Rc<HeldLock>,
}

impl Drop for Lock {
    fn drop(&mut self) {
        let depth = self.held.depth.get().saturating_sub(1);
        self.held.depth.set(depth);
        if depth == 0 {
            self.held.file.take();
        }
    }
}

impl Store {
    /// Takes the lock, waiting up to ten seconds.
    ///
    /// # Errors
    ///
    /// [`StoreError::Held`] names the file if another program keeps it.
    pub(crate) fn lock(&self) -> Result<Lock, StoreError> {
        let held = &self.held_lock;
        if held.depth.get() == 0 {
            let named = self.hold_named("lock")?;
            *held.file.borrow_mut() = Some(named);
        }
        held.depth.set(held.depth.get() + 1);
        Ok(Lock { held: Rc::clone(held) })
    }

    /// The lock, where nobody has it right now: what is moved without it is named by nobody, and a
    /// lock of a ref that a kill leaves then is one that any git might hold.
    pub(super) fn lock_if_free(&self) -> Option<Lock> {
        let held = &self.held_lock;
        if held.depth.get() == 0 {
            self.may_be_changed().ok()?;
            let (mut file, length) = open(&self.common_dir.join(SEED_DIR).join("lock")).ok()?;
            file.try_lock().ok()?;
            if length > 0 {
                self.free_what_was_left(&mut file).ok()?;
            }
            *held.file.borrow_mut() = Some(Named::of(file));
        }
        held.depth.set(held.depth.get() + 1);
        Some(Lock { held: Rc::clone(held) })
    }

    /// This process holds the lock through this store.
    pub(super) fn holds_lock(&self) -> bool {
        self.held_lock.depth.get() > 0
    }

    /// Names refs that are about to be moved, where the lock is held.
    pub(super) fn names_moves(&self, lines: &str) -> Result<(), StoreError> {
        match self.held_lock.file.borrow_mut().as_mut() {
            Some(named) => Ok(named.name(lines)?),
            None => Ok(()),
        }
    }

    /// Keeps other syncs of this clone out until what it gives is dropped; steps of jobs go on.
    pub(crate) fn syncs_alone(&self) -> Result<Named, StoreError> {
        let mut named = self.hold_named("syncing")?;
        named.name(&format!("{FETCHED}\n"))?;
        Ok(named)
    }

    /// Locks the file `name` of ours. What a killed holder of it left locked is free behind this.
    fn hold_named(&self, name: &str) -> Result<Named, StoreError> {
        self.may_be_changed()?;
        let path = self.common_dir.join(SEED_DIR).join(name);
        let (mut file, length) = open(&path)?;
        if !take(&file)? {
            return Err(StoreError::Held { path });
        }
        if length > 0 {
            self.free_what_was_left(&mut file)?;
        }
        Ok(Named::of(file))
    }

    /// False where this process may not write what a step writes: git seed's state, the worktree's
    /// own git directory, or the refs and objects of all worktrees. On a file system that is
    /// read-only for it, or without the right to; a sandbox may close one of them alone.
    pub(crate) fn is_writable(&self) -> bool {
        if self.refuses_to_store().is_some() {
            return false;
        }
        // It is there in every git directory, and opened like this it stays as it is.
        let heads = [&self.git_dir, &self.common_dir].map(|dir| dir.join("HEAD"));
        let may = |path: &PathBuf| {
            let opened = open_plain(fs::OpenOptions::new().write(true), path);
            !opened.is_err_and(|error| is_denied(&error))
        };
        let refs = may_change(&self.common_dir.join("refs"));
        heads.iter().all(may) && !refs.is_err_and(|error| is_denied(&error))
    }
}

/// Opens `path`, creating it and its directory, and locks it for this process alone.
pub(super) fn hold(path: &Path) -> Result<File, StoreError> {
    let (file, _) = open(path)?;
    if take(&file)? { Ok(file) } else { Err(StoreError::Held { path: path.to_owned() }) }
}

/// Locks `file` for this process alone; false where another one kept it for too long.
pub(crate) fn take(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => return Ok(true),
        Err(TryLockError::Error(err)) => return Err(err),
        Err(TryLockError::WouldBlock) => {}
    }
    let left = LEFT.load(Ordering::Relaxed);
    let patience = PATIENCE.min(Duration::from_millis(left));
    let begun = Instant::now();
    let mut pause = Duration::from_millis(1);
    let taken = loop {
        let rest = patience.saturating_sub(begun.elapsed());
        if rest.is_zero() {
            break false;
        }
        sleep(pause.min(rest));
        match file.try_lock() {
            Ok(()) => break true,
            Err(TryLockError::Error(err)) => return Err(err),
            Err(TryLockError::WouldBlock) => {}
        }
        pause = (pause * 2).min(Duration::from_millis(50));
    };
    if left != u64::MAX {
        let waited = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        LEFT.store(left.saturating_sub(waited), Ordering::Relaxed);
    }
    Ok(taken)
}

/// The plain file at `path`, made if it is not there, and its length.
fn open(path: &Path) -> io::Result<(File, u64)> {
    let mut options = fs::OpenOptions::new();
    options.create(true).truncate(false).read(true).write(true);
    let file = match open_unblocked(&mut options, path) {
        Err(err) if err.kind() == io::ErrorKind::NotFound => {
            fs::create_dir_all(path.parent().unwrap_or(path))?;
            open_unblocked(&mut options, path)?
        }
        result => result?,
    };
    let data = file.metadata()?;
    if data.is_file() { Ok((file, data.len())) } else { Err(NotPlain::at(path)) }
}

#[cfg(test)]
mod tests {
    use crate::store::testbed::Testbed;

    #[test]
    fn the_lock_is_shared_within_a_store_and_excludes_others() {
        let bed = Testbed::new();
        let (store, other) = (bed.store(), bed.store());
        let outer = store.lock().expect("free");
        let inner = store.lock().expect("ours already");
        drop(outer);
        let file = std::fs::File::open(other.seed_dir().join("lock")).expect("it names a file");
        drop(inner);
        assert!(file.try_lock().is_ok(), "everything is released");
    }

    #[test]
    fn a_held_lock_keeps_another_program_out() {
        let bed = Testbed::new();
        let store = bed.store();
        let _held = store.lock().expect("free");
        let file = std::fs::File::open(store.seed_dir().join("lock")).expect("it names a file");
        assert!(file.try_lock().is_err());
    }
}
