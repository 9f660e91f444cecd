//! What systems do not have in common: names as bytes, files that run, what tells a file from
//! another one in its place.
//!
//! Elsewhere than on Unix names are text, and git gives and takes them as UTF-8.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fs::Metadata;
use std::path::Path;

/// Fills `bits` with the system's randomness.
///
/// # Errors
///
/// If the system has none.
pub(super) fn fill_randomly(bits: &mut [u8]) -> std::io::Result<()> {
    getrandom::fill(bits).map_err(std::io::Error::other)
}

/// The name that has these bytes.
#[cfg(unix)]
pub(crate) fn name_of(bytes: &[u8]) -> OsString {
    <OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes).to_owned()
}

/// The name that has these bytes; what is no UTF-8 is a name that no file has.
#[cfg(not(unix))]
pub(crate) fn name_of(bytes: &[u8]) -> OsString {
    String::from_utf8_lossy(bytes).into_owned().into()
}

/// The bytes of a name, as git and a shell know it.
#[cfg(unix)]
pub(crate) fn bytes_of(name: &OsStr) -> Cow<'_, [u8]> {
    Cow::Borrowed(std::os::unix::ffi::OsStrExt::as_bytes(name))
}

/// The bytes of a name, as git and a shell know it.
#[cfg(not(unix))]
pub(crate) fn bytes_of(name: &OsStr) -> Cow<'_, [u8]> {
    Cow::Owned(name.to_string_lossy().into_owned().into_bytes())
}

/// A plain file lies there that git runs as a hook. Without bits for it git runs what is there.
pub(crate) fn is_runnable(path: &Path) -> bool {
    #[cfg(unix)]
    let runs =
        |data: &Metadata| std::os::unix::fs::PermissionsExt::mode(&data.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let runs = |_: &Metadata| true;
    path.metadata().is_ok_and(|data| data.is_file() && runs(&data))
}

/// The path of a program, as text in which `/` alone divides and the name says no more than what
/// it is called.
pub(super) fn told_of_program(path: &Path) -> String {
    let told = path.to_string_lossy();
    if cfg!(windows) {
        let told = told.replace('\\', "/");
        return told.strip_suffix(".exe").map_or(told.clone(), str::to_owned);
    }
    told.into_owned()
}

/// What tells a file from another one in its place.
#[cfg(unix)]
pub(crate) fn mark_of(data: &Metadata) -> String {
    use std::os::unix::fs::MetadataExt as _;
    format!("{} {} {}.{:09}", data.ino(), data.len(), data.mtime(), data.mtime_nsec())
}

/// What tells a file from another one in its place.
#[cfg(not(unix))]
pub(crate) fn mark_of(data: &Metadata) -> String {
    format!("{} {:?} {:?}", data.len(), data.created().ok(), data.modified().ok())
}

/// Whether this process prints what it says and its errors to the same open file.
#[cfg(unix)]
pub(super) fn print_to_one_place() -> bool {
    let seen =
        |file: std::io::Result<rustix::fs::Stat>| file.ok().map(|stat| (stat.st_dev, stat.st_ino));
    let (out, err) = (
        rustix::fs::fstat(std::io::stdout()).map_err(Into::into),
        rustix::fs::fstat(std::io::stderr()).map_err(Into::into),
    );
    let out = seen(out);
    out.is_some() && out == seen(err)
}

/// Nobody tells: each goes its own way, and the order between them is not kept.
#[cfg(not(unix))]
pub(super) fn print_to_one_place() -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_goes_to_bytes_and_back() {
        for name in ["a b", "caf\u{e9}", "it's"] {
            assert_eq!(name_of(name.as_bytes()), OsStr::new(name));
            assert_eq!(bytes_of(OsStr::new(name)), name.as_bytes());
        }
        #[cfg(unix)]
        assert_eq!(&*bytes_of(&name_of(b"\xff/x")), b"\xff/x");
    }

    #[test]
    fn a_file_has_another_mark_once_it_is_another() {
        let dir = tempfile::tempdir().expect("a place");
        let file = dir.path().join("f");
        std::fs::write(&file, "one").expect("written");
        let mark = || mark_of(&file.metadata().expect("it is there"));
        let before = mark();
        assert_eq!(before, mark());
        std::fs::write(&file, "three").expect("written");
        assert_ne!(before, mark());
        assert!(!is_runnable(dir.path()), "a directory is none");
        #[cfg(unix)]
        assert!(!is_runnable(&file), "no bit says so");
    }
}
