//! Reads a file that may be missing: nothing there and not readable are told apart.

use std::io;
use std::path::Path;

/// The bytes of the file at `path`, or `None` where nothing lies there.
///
/// # Errors
///
/// What the file system says, of anything but a plain file in its place, too:
/// whoever takes that for nothing loses what is there.
pub(crate) fn read_if_there(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match path.metadata() {
        // A pipe would be waited for without end.
        Ok(data) if !data.is_file() => Err(io::Error::other("this is no plain file")),
        Ok(_) => std::fs::read(path).map(Some),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_nothing_is_nothing() {
        let dir = tempfile::tempdir().expect("a place");
        let file = dir.path().join("file");
        assert_eq!(read_if_there(&file).expect("nothing"), None);
        std::fs::write(&file, b"\xff").expect("written");
        assert_eq!(read_if_there(&file).expect("read"), Some(b"\xff".to_vec()));
        assert!(read_if_there(dir.path()).is_err(), "a directory in its place");
        assert!(read_if_there(&file.join("below")).is_err(), "a file in a directory's place");
    }
}
