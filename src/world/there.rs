//! Reads a file that may be missing: nothing there and not readable are told apart.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// Something else than a plain file lies in the place of one.
#[derive(Debug, thiserror::Error)]
#[error("{}: this is no plain file", .0.display())]
pub(crate) struct NotPlain(PathBuf);

impl NotPlain {
    /// Whether this is what stood in the way.
    pub(crate) fn is(error: &io::Error) -> bool {
        error.get_ref().and_then(|inner| inner.downcast_ref::<Self>()).is_some()
    }

    /// The refusal of whatever lies at `path`.
    pub(crate) fn at(path: &Path) -> io::Error {
        io::Error::other(Self(path.to_owned()))
    }
}

/// Opens whatever lies at `path`, and waits for nobody who writes into it.
pub(crate) fn open_unblocked(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        options,
        rustix::fs::OFlags::NONBLOCK.bits().cast_signed(),
    );
    options.open(path)
}

/// Opens a plain file, and nothing else: a pipe in its place would be waited for without end.
pub(crate) fn open_plain(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let file = open_unblocked(options, path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(NotPlain::at(path)) }
}

/// The bytes of a plain file.
pub(crate) fn read_plain(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_plain(OpenOptions::new().read(true), path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The bytes of the file at `path`, or `None` where nothing lies there.
///
/// # Errors
///
/// What the file system says, of anything but a plain file in its place, too:
/// whoever takes that for nothing loses what is there.
pub(crate) fn read_if_there(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match read_plain(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Removes a file; one that is not there is removed.
///
/// # Errors
///
/// What the file system says.
pub(crate) fn remove_if_there(path: impl AsRef<Path>) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_nothing_is_nothing() {
        let dir = tempfile::tempdir().expect("a place");
        remove_if_there(dir.path().join("none")).expect("it is removed");
        remove_if_there(dir.path()).expect_err("a directory");
        let file = dir.path().join("file");
        assert_eq!(read_if_there(&file).expect("nothing"), None);
        std::fs::write(&file, b"\xff").expect("written");
        assert_eq!(read_if_there(&file).expect("read"), Some(b"\xff".to_vec()));
        assert!(read_if_there(dir.path()).is_err(), "a directory in its place");
        assert!(read_if_there(&file.join("below")).is_err(), "a file in a directory's place");
    }
}
