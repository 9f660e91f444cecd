//! Private indexes on the disk: each is worked on as a copy that nobody else sees, and takes the
//! place of the old one whole.
//!
//! The time of an index says which of its entries are trusted: those whose file changed before it.
//! Whoever writes one here says the time.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use sha1::Digest as _;

use super::Store;
use super::error::StoreError;

/// A copy of an index to work on, in a directory of its own.
pub(super) struct Own {
    pub(super) index: PathBuf,
    dir: tempfile::TempDir,
}

impl Own {
    pub(super) fn beside(store: &Store, index: &Path) -> io::Result<Self> {
        fs::create_dir_all(index.parent().unwrap_or(index))?;
        let dir = tempfile::Builder::new().prefix("index-").tempdir_in(store.drafts()?)?;
        Ok(Self { index: dir.path().join("index"), dir })
    }

    /// The moment, by the clock of the file system.
    pub(super) fn now(&self) -> io::Result<SystemTime> {
        now_in(self.dir.path())
    }

    /// Makes it these bytes, with that time.
    pub(super) fn write(&self, bytes: &[u8], time: SystemTime) -> io::Result<()> {
        write_dated(&self.index, bytes, time)
    }

    /// Gives the index that time: entries whose file changed later are not trusted.
    pub(super) fn dated(&self, time: SystemTime) -> io::Result<()> {
        match date(&self.index, time) {
            Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(()),
            done => done,
        }
    }

    /// Takes the place of `index`.
    pub(super) fn put(&self, index: &Path) -> Result<(), StoreError> {
        match fs::rename(&self.index, index) {
            // A work tree without a file has no index either.
            Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(()),
            done => Ok(done?),
        }
    }
}

/// The moment, by the clock of the file system on which `dir` lies, which is ours.
pub(super) fn now_in(dir: &Path) -> io::Result<SystemTime> {
    let file = dir.join("now");
    fs::write(&file, "")?;
    file.metadata()?.modified()
}

/// Copies an index and its time, which git's own check of changed files rests on; `false`
/// if there is none.
pub(super) fn copy_with_times(from: &Path, to: &Path) -> io::Result<bool> {
    let mut file = match File::open(from) {
        Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok(false),
        file => file?,
    };
    // Of one file, whatever takes its place meanwhile.
    let (mut bytes, time) = (Vec::new(), file.metadata()?.modified()?);
    file.read_to_end(&mut bytes)?;
    write_dated(to, &bytes, time)?;
    Ok(true)
}

/// Writes an index that nobody else uses, and gives it that time.
pub(super) fn write_dated(index: &Path, bytes: &[u8], time: SystemTime) -> io::Result<()> {
    fs::write(index, bytes)?;
    date(index, time)
}

/// Gives an index that nobody else uses that time.
pub(super) fn date(index: &Path, time: SystemTime) -> io::Result<()> {
    OpenOptions::new().write(true).open(index)?.set_modified(time)
}

/// The bytes of an index, with the checksum that ends it.
pub(super) fn sealed(kind: gix::hash::Kind, mut bytes: Vec<u8>) -> Option<Vec<u8>> {
    let checksum = checksum(kind, &bytes)?;
    bytes.extend(checksum);
    Some(bytes)
}

/// The checksum of an index, which tells a file that was damaged. Nobody's word rests on it, so it
/// is not looked at for collisions as an object's id is, which takes several times as long.
pub(super) fn checksum(kind: gix::hash::Kind, bytes: &[u8]) -> Option<Vec<u8>> {
    if kind == gix::hash::Kind::Sha1 {
        return Some(sha1::Sha1::digest(bytes).to_vec());
    }
    let mut hasher = gix::hash::hasher(kind);
    hasher.update(bytes);
    Some(hasher.try_finalize().ok()?.as_slice().to_vec())
}
