//! Mutual exclusion between the programs that write seed state.
//!
//! A kernel lock on `<common dir>/seed/lock`, so a killed program leaves none behind.
//! It is a courtesy that spares retries: the guarantee against lost updates is the
//! compare-and-swap of the ref below it, because git itself does not know this lock.
//! No lock may be held while another program runs.

use std::cell::Cell;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;
use std::rc::Rc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::error::StoreError;
use super::{SEED_DIR, Store};

/// Longest wait for another program's lock.
const PATIENCE: Duration = Duration::from_secs(10);

/// The lock of this repository's seed state, held until dropped.
///
/// Taking it again while this process holds it through the same [`Store`] is free.
#[derive(Debug)]
pub(crate) struct Lock {
    depth: Rc<Cell<u32>>,
    _file: Option<File>,
}

impl Drop for Lock {
    fn drop(&mut self) {
        self.depth.set(self.depth.get().saturating_sub(1));
    }
}

impl Store {
    /// Takes the lock, waiting up to ten seconds.
    ///
    /// # Errors
    ///
    /// [`StoreError::Held`] names the file if another program keeps it.
    pub(crate) fn lock(&self) -> Result<Lock, StoreError> {
        let file = match self.lock_depth.get() {
            0 => Some(hold(&self.common_dir.join(SEED_DIR).join("lock"))?),
            _ => None,
        };
        self.lock_depth.set(self.lock_depth.get() + 1);
        Ok(Lock { depth: Rc::clone(&self.lock_depth), _file: file })
    }
}

/// Opens `path`, creating it and its directory, and locks it for this process alone.
pub(super) fn hold(path: &Path) -> Result<File, StoreError> {
    let file = open(path)?;
    let begun = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(err)) => return Err(err.into()),
            Err(TryLockError::WouldBlock) if begun.elapsed() >= PATIENCE => {
                return Err(StoreError::Held { path: path.to_owned() });
            }
            Err(TryLockError::WouldBlock) => sleep(pause),
        }
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}

fn open(path: &Path) -> io::Result<File> {
    let mut options = fs::OpenOptions::new();
    options.create(true).truncate(false).write(true);
    match options.open(path) {
        Err(err) if err.kind() == io::ErrorKind::NotFound => {
            fs::create_dir_all(path.parent().unwrap_or(path))?;
            options.open(path)
        }
        result => result,
    }
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
