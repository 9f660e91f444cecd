//! Writes a file whole or not at all.
//!
//! The bytes go into a draft and onto the disk, the draft takes the file's place in one rename,
//! and the directory is synced. So whoever is killed on the way, and whenever the power goes,
//! a reader finds the old bytes or the new ones. Everything outside of git's objects and refs
//! that a kill could tear is written here; git's configuration goes through git's own lock
//! (`githooks/config.rs`), and lines that are appended through the journal (`store/journal.rs`).

use std::fs::{self, File, Permissions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// How many links are followed, as in the kernel.
const LINKS: usize = 40;

/// Replaces `path` by `bytes`, or makes it, with the directories above it.
///
/// A file that is there keeps its mode; a new one has what the person's mask leaves of 0666.
/// Where `path` is a link, the link stays and what it leads to is replaced.
///
/// # Errors
///
/// What the file system says. The file is then as it was, unless only the last sync of the
/// directory failed.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    Whole::new().write(path, bytes)
}

/// A write that differs from [`write_whole`] in something.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Whole<'a> {
    mode: Option<u32>,
    over_links: bool,
    drafts: Option<&'a Path>,
    is_unsynced: bool,
}

impl<'a> Whole<'a> {
    /// As [`write_whole`] does it.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Nobody but the person may read or write the file.
    pub(crate) fn private() -> Self {
        Self::new().mode(0o600)
    }

    /// The file has exactly this mode afterwards.
    #[must_use]
    pub(crate) fn mode(self, mode: u32) -> Self {
        Self { mode: Some(mode), ..self }
    }

    /// A link goes, and what it leads to stays.
    #[must_use]
    pub(crate) fn over_links(self) -> Self {
        Self { over_links: true, ..self }
    }

    /// The draft lies in `dir`, where that is on the file's own file system: a killed writer
    /// leaves nothing where the person would see it.
    #[must_use]
    pub(crate) fn drafted_in(self, dir: &'a Path) -> Self {
        Self { drafts: Some(dir), ..self }
    }

    /// Nothing is synced: after a power cut the file may be the one before, empty or not there.
    /// For a memory that nothing rests on.
    #[must_use]
    pub(crate) fn unsynced(self) -> Self {
        Self { is_unsynced: true, ..self }
    }

    /// Replaces `path` by `bytes`, or makes it. See [`write_whole`] for the errors.
    pub(crate) fn write(self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let path = if self.over_links { path.to_owned() } else { behind_links(path)? };
        let dir = above(&path);
        fs::create_dir_all(dir)?;
        // Of a link that is to go nothing is kept, its target's mode included.
        let there = path.symlink_metadata().ok().filter(fs::Metadata::is_file);
        let mode = self.mode.or_else(|| there.and_then(|data| mode_of(&data.permissions())));
        let draft = |dir: &Path| self.draft(dir, bytes, mode);
        let placed = draft(self.drafts.unwrap_or(dir))?.persist(&path);
        match placed {
            Err(failed)
                if self.drafts.is_some()
                    && failed.error.kind() == io::ErrorKind::CrossesDevices =>
            {
                draft(dir)?.persist(&path)?;
            }
            placed => drop(placed?),
        }
        self.settle(dir)
    }

    /// Makes `path`; what lies there already stays as it is.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::AlreadyExists`] if something lies there, a link included; else as
    /// [`write_whole`].
    pub(crate) fn write_new(self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let dir = above(path);
        fs::create_dir_all(dir)?;
        self.draft(dir, bytes, self.mode)?.persist_noclobber(path)?;
        self.settle(dir)
    }

    fn settle(self, dir: &Path) -> io::Result<()> {
        if self.is_unsynced { Ok(()) } else { sync(dir) }
    }

    fn draft(
        self,
        dir: &Path,
        bytes: &[u8],
        mode: Option<u32>,
    ) -> io::Result<tempfile::NamedTempFile> {
        let draft = draft(dir, bytes, mode)?;
        if !self.is_unsynced {
            draft.as_file().sync_all()?;
        }
        Ok(draft)
    }
}

/// Syncs a file or a directory; one that is not there needs none.
#[cfg(unix)]
pub(crate) fn sync(path: &Path) -> io::Result<()> {
    match File::open(path).and_then(|file| file.sync_all()) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}

/// Syncs a file. Elsewhere a directory has nothing of its own to sync, and a file is synced by who
/// may write it: one that is read-only was written by somebody who did.
#[cfg(not(unix))]
pub(crate) fn sync(path: &Path) -> io::Result<()> {
    let synced = File::options().write(true).open(path).and_then(|file| file.sync_all());
    match synced {
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound
                    | io::ErrorKind::PermissionDenied
                    | io::ErrorKind::IsADirectory
            ) =>
        {
            Ok(())
        }
        done => done,
    }
}

/// Has the system begin to write a file that is synced later. Several files that are begun before
/// the first of them is waited for take the disk half the time; what is promised is the sync's.
pub(crate) fn begin_sync(file: &File) {
    // Asked for its first byte, Linux writes that page out and keeps it in memory.
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{Advice, fadvise};
        let _ = fadvise(file, 0, std::num::NonZeroU64::new(1), Advice::DontNeed);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = file;
}

/// How the name of a draft begins; six more letters or digits follow.
const DRAFT: &str = ".git-seed-";

/// True for the name of a draft of ours.
pub(crate) fn is_draft(name: &std::ffi::OsStr) -> bool {
    let rest = name.to_str().and_then(|name| name.strip_prefix(DRAFT));
    rest.is_some_and(|rest| rest.len() == 6 && rest.bytes().all(|b| b.is_ascii_alphanumeric()))
}

fn draft(dir: &Path, bytes: &[u8], mode: Option<u32>) -> io::Result<tempfile::NamedTempFile> {
    fs::create_dir_all(dir)?;
    // The mask takes from the mode that a file is made with, and not from one that is set. What
    // is to have a mode of its own stays closed until it has it.
    let mut builder = tempfile::Builder::new();
    builder.prefix(DRAFT);
    if let Some(rights) = permissions(if mode.is_some() { 0o600 } else { 0o666 }) {
        builder.permissions(rights);
    }
    let mut draft = builder.tempfile_in(dir)?;
    draft.write_all(bytes)?;
    if let Some(rights) = mode.and_then(|mode| permissions(mode & 0o7777)) {
        draft.as_file().set_permissions(rights)?;
    }
    Ok(draft)
}

/// The mode of a file, where files have one.
#[cfg(unix)]
fn mode_of(rights: &Permissions) -> Option<u32> {
    Some(std::os::unix::fs::PermissionsExt::mode(rights))
}

#[cfg(not(unix))]
fn mode_of(_: &Permissions) -> Option<u32> {
    None
}

#[cfg(unix)]
fn permissions(mode: u32) -> Option<Permissions> {
    Some(std::os::unix::fs::PermissionsExt::from_mode(mode))
}

#[cfg(not(unix))]
fn permissions(_: u32) -> Option<Permissions> {
    None
}

/// The file that would be written through `path`, whether or not it is there.
fn behind_links(path: &Path) -> io::Result<PathBuf> {
    let mut at = path.to_owned();
    for _ in 0..LINKS {
        match fs::read_link(&at) {
            Ok(target) => at = above(&at).join(target),
            // No link, or nothing there.
            Err(_) => return Ok(at),
        }
    }
    Err(io::Error::other(format!("{}: too many links", path.display())))
}

fn above(path: &Path) -> &Path {
    path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn mode(path: &Path) -> u32 {
        path.metadata().expect("it is there").permissions().mode() & 0o7777
    }

    fn names(dir: &Path) -> Vec<String> {
        let entries = fs::read_dir(dir).expect("a directory").flatten();
        let mut names: Vec<_> =
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_keeps_its_mode_and_a_new_one_is_as_the_mask_says() {
        let dir = tempfile::tempdir().expect("a place");
        let (file, plain) = (dir.path().join("made/file"), dir.path().join("plain"));
        write_whole(&file, b"1").expect("made, with its directory");
        fs::write(&plain, "").expect("written");
        assert_eq!(mode(&file), mode(&plain), "as any program makes a file");
        fs::set_permissions(&file, Permissions::from_mode(0o751)).expect("ours");
        write_whole(&file, b"22").expect("replaced");
        assert_eq!((fs::read(&file).expect("there"), mode(&file)), (b"22".to_vec(), 0o751));
        Whole::private().write(&file, b"3").expect("replaced");
        assert_eq!(mode(&file), 0o600);
        assert_eq!(names(&dir.path().join("made")), ["file"], "no draft stays");
    }

    #[test]
    fn a_link_stays_unless_it_is_to_go() {
        let dir = tempfile::tempdir().expect("a place");
        let (target, link) = (dir.path().join("target"), dir.path().join("below/link"));
        fs::create_dir(dir.path().join("below")).expect("made");
        std::os::unix::fs::symlink("../target", &link).expect("made");
        write_whole(&link, b"1").expect("what the link names is made");
        assert_eq!(fs::read(&target).expect("there"), b"1");
        write_whole(&link, b"2").expect("replaced");
        assert!(link.is_symlink());
        Whole::new().over_links().write(&link, b"3").expect("replaced");
        let bytes = |file: &Path| fs::read(file).expect("there");
        assert!(!link.is_symlink());
        assert_eq!((bytes(&target), bytes(&link)), (b"2".to_vec(), b"3".to_vec()));
        std::os::unix::fs::symlink("round", dir.path().join("round")).expect("made");
        assert!(write_whole(&dir.path().join("round"), b"").is_err(), "it leads nowhere");
    }

    #[test]
    fn a_new_file_takes_nobodys_place() {
        let dir = tempfile::tempdir().expect("a place");
        let file = dir.path().join("file");
        Whole::new().mode(0o755).write_new(&file, b"1").expect("made");
        let again = Whole::new().write_new(&file, b"2").expect_err("it is there");
        assert_eq!(again.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!((fs::read(&file).expect("there"), mode(&file)), (b"1".to_vec(), 0o755));
        assert_eq!(names(dir.path()), ["file"], "no draft stays");
    }

    #[test]
    fn a_write_that_fails_leaves_the_old_bytes() {
        let dir = tempfile::tempdir().expect("a place");
        let file = dir.path().join("file");
        fs::write(&file, "old").expect("written");
        let nowhere = file.join("drafts");
        assert!(Whole::new().drafted_in(&nowhere).write(&file, b"new").is_err());
        assert_eq!(fs::read(&file).expect("there"), b"old");
    }
}
