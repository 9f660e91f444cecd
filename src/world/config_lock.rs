//! The lock of git's configuration, while git seed writes there.
//!
//! Git does not write into a lock who made it, and nothing of git's heals one that was left. So a
//! file of git seed's own names it first, and is locked as long as its writer lives: the kernel
//! gives that to nobody else. A name that is left in it was a dead program's, and so is a lock that
//! was made right behind it, however long ago.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, SystemTime};

use super::open_unblocked;

/// The file, below git seed's own directory.
const FILE: &str = "config-lock";
/// How soon behind its name a lock is made, on a slow machine.
const SOON: Duration = Duration::from_secs(2);
/// What no git that lives takes between two writes.
const QUIET: Duration = Duration::from_secs(1);

/// The name stands until this is dropped.
#[derive(Debug)]
pub(crate) struct Naming(Option<(File, PathBuf)>);

impl Drop for Naming {
    fn drop(&mut self) {
        if let Some((file, path)) = &self.0 {
            // A name that stays does no harm: no lock is behind it. An uninstall leaves none.
            let _ = file.set_len(0).and_then(|()| fs::remove_file(path));
        }
    }
}

/// Names the lock of the configuration `config`, which this process or a child of it is about to
/// take; `seed` is git seed's own directory. What a killed one left locked is free behind this.
pub(crate) fn name(seed: &Path, config: &Path) -> io::Result<Naming> {
    if !seed.is_dir() {
        // Nothing of ours is here yet, or any more.
        return Ok(Naming(None));
    }
    let mut file = held(seed)?;
    free(&mut file)?;
    let config = super::real(config).unwrap_or_else(|_| config.to_owned());
    let mut lock = config.into_os_string();
    lock.push(".lock");
    file.write_all(lock.as_encoded_bytes())?;
    Ok(Naming(Some((file, seed.join(FILE)))))
}

/// The file, locked. Whoever held it before took it away, and then another one is there by now.
fn held(seed: &Path) -> io::Result<File> {
    loop {
        let file = open(seed)?;
        file.lock()?;
        if is_there(&file, &seed.join(FILE)) {
            return Ok(file);
        }
    }
}

/// Whether `file` is the one at `path`.
#[cfg(unix)]
fn is_there(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let number = |data: fs::Metadata| (data.dev(), data.ino());
    let there = fs::symlink_metadata(path).ok().map(number);
    there.is_some() && there == file.metadata().ok().map(number)
}

/// Where a file that is open does not go, it is.
#[cfg(not(unix))]
fn is_there(_: &File, path: &Path) -> bool {
    path.exists()
}

/// The lock that a killed git seed left.
pub(crate) fn left(seed: &Path) -> io::Result<Option<PathBuf>> {
    Ok(dead(seed)?.and_then(|mut file| left_by(&mut file).transpose()).transpose()?.map(|of| of.0))
}

/// Takes it away.
pub(crate) fn free_left(seed: &Path) -> io::Result<Option<PathBuf>> {
    match dead(seed)? {
        Some(mut file) => free(&mut file),
        None => Ok(None),
    }
}

fn open(seed: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    open_unblocked(options.create(true).truncate(false).read(true).write(true), &seed.join(FILE))
}

/// The file, where it is there and nobody who lives writes.
fn dead(seed: &Path) -> io::Result<Option<File>> {
    if !seed.join(FILE).is_file() {
        return Ok(None);
    }
    let file = open(seed)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// The lock that the dead writer of this file took, and when.
fn left_by(file: &mut File) -> io::Result<Option<(PathBuf, SystemTime)>> {
    let mut text = String::new();
    file.rewind()?;
    file.read_to_string(&mut text)?;
    let lock = PathBuf::from(&text);
    let is_lock = lock.extension().is_some_and(|end| end == "lock");
    let Some(made) = made_at(&lock).filter(|_| is_lock) else { return Ok(None) };
    let named = file.metadata()?.modified()?;
    let behind = made.duration_since(named);
    Ok(behind.is_ok_and(|behind| behind <= SOON).then_some((lock, made)))
}

/// Takes away what the dead writer of this file left, and its name.
fn free(file: &mut File) -> io::Result<Option<PathBuf>> {
    let mut gone = None;
    if let Some((lock, made)) = left_by(file)? {
        // A child of the one who is dead may go on for a moment.
        sleep(QUIET);
        if made_at(&lock) == Some(made) {
            fs::remove_file(&lock)?;
            gone = Some(lock);
        }
    }
    file.set_len(0)?;
    file.rewind()?;
    Ok(gone)
}

/// When the lock was written last; nothing where it is none.
fn made_at(lock: &Path) -> Option<SystemTime> {
    let data = fs::symlink_metadata(lock).ok().filter(fs::Metadata::is_file)?;
    data.modified().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Git seed's own directory with `config` beside it, a name as a killed program leaves it, and
    /// a lock that was made so many seconds behind it.
    fn left_behind(named: &str, behind: i64) -> (tempfile::TempDir, PathBuf, PathBuf) {
        let dir = tempfile::tempdir().expect("made");
        let root = crate::world::real(dir.path()).expect("it is there");
        let (seed, lock) = (root.join("seed"), root.join("config.lock"));
        fs::create_dir(&seed).expect("made");
        fs::write(root.join("config"), "").expect("written");
        let name = root.join(named);
        fs::write(seed.join(FILE), name.to_str().expect("UTF-8")).expect("written");
        fs::write(&lock, "half").expect("written");
        let then = super::super::system_now() - Duration::from_hours(2);
        let set = |file: &Path, at: SystemTime| {
            File::options().write(true).open(file).and_then(|f| f.set_modified(at)).expect("set");
        };
        let by = Duration::from_secs(behind.unsigned_abs());
        set(&seed.join(FILE), then);
        set(&lock, if behind < 0 { then - by } else { then + by });
        (dir, seed, lock)
    }

    #[test]
    fn a_lock_that_a_dead_writer_named_goes_however_old_it_is() {
        let (dir, seed, lock) = left_behind("config.lock", 0);
        assert_eq!(left(&seed).expect("reads").as_ref(), Some(&lock));
        let naming = name(&seed, &dir.path().join("config")).expect("it is free");
        assert!(!lock.exists());
        fs::write(&lock, "ours").expect("written");
        assert_eq!(left(&seed).expect("reads"), None, "its writer lives");
        assert_eq!(free_left(&seed).expect("reads"), None);
        drop(naming);
        assert_eq!(free_left(&seed).expect("reads"), None, "it ended by itself");
        assert!(lock.exists());
    }

    #[test]
    fn a_lock_of_somebody_elses_stays() {
        for (named, behind) in [("config.lock", -1), ("config.lock", 9), ("other.lock", 0)] {
            let (_dir, seed, lock) = left_behind(named, behind);
            assert_eq!(left(&seed).expect("reads"), None, "{named} {behind}");
            assert_eq!(free_left(&seed).expect("reads"), None, "{named} {behind}");
            assert!(lock.exists(), "{named} {behind}");
        }
    }

    #[test]
    fn where_nothing_of_ours_is_nothing_is_written() {
        let dir = tempfile::tempdir().expect("made");
        drop(name(&dir.path().join("seed"), &dir.path().join("config")).expect("nothing to do"));
        assert!(!dir.path().join("seed").exists());
    }
}
