//! Objects as files of their own, as git lays them out.
//!
//! An object that fits into one block of a disk takes that block whether it is compressed or
//! not, so it is written as it is; git compresses whatever it puts into a pack. The file is
//! written under a name that git's own cleaning knows, and takes its place by a rename.

use std::cell::Cell;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use gix::objs::Kind;

use super::deflate::{AROUND, deflated, framed, unframed};
use crate::world::open_unblocked;

/// What a disk keeps in one piece.
const BLOCK: usize = 4096;

/// How often a directory is made that somebody else takes away.
const TRIES: usize = 3;

/// Whether it is worth looking for loose objects first: for commands, behind an object that was
/// written or found so, and where a chain's newest step stands in a file of its own, since then
/// nobody has packed what came of it. Where all is packed it is not, and a decision may ask
/// little of the kernel.
#[derive(Debug, Default)]
pub(super) struct LooseSeen {
    left: Cell<u8>,
}

impl LooseSeen {
    /// So many in a row are looked for in vain.
    const MISSES: u8 = 2;

    /// From here on it is.
    pub(super) fn look(&self) {
        self.left.set(Self::MISSES);
    }

    /// From here on it may be: one is looked for.
    pub(super) fn look_once(&self) {
        self.left.set(self.left.get().max(1));
    }

    pub(super) fn is_given_up(&self) -> bool {
        self.left.get() == 0
    }

    pub(super) fn count(&self, found: bool) {
        self.left.set(if found { Self::MISSES } else { self.left.get().saturating_sub(1) });
    }
}

/// Where the object `id` lies if it is loose.
pub(super) fn path(objects: &Path, id: &str) -> PathBuf {
    let (fan, rest) = id.split_at(2);
    objects.join(fan).join(rest)
}

/// Writes an object, and gives its open file: whoever wants it to outlive a power cut syncs it,
/// when it has its name. `None` where another writer was first: its file stays, and is the one to
/// sync. `level` is asked for where there is something to compress.
pub(super) fn write(
    objects: &Path,
    id: &str,
    (kind, bytes): (Kind, &[u8]),
    level: impl FnOnce() -> i32,
) -> io::Result<Option<File>> {
    let head = gix::objs::encode::loose_header(kind, bytes.len() as u64);
    let fits = head.len() + bytes.len() + AROUND <= BLOCK;
    let stream = match fits.then(|| framed(&[&head, bytes])).flatten() {
        Some(stream) => stream,
        None => deflated(&[&head, bytes].concat(), level())?,
    };
    let place = path(objects, id);
    let mut draft = draft(objects, &stream)?;
    for _ in 0..TRIES {
        match draft.persist_noclobber(&place) {
            Ok(file) => return Ok(Some(file)),
            Err(failed) if failed.error.kind() == io::ErrorKind::AlreadyExists => return Ok(None),
            Err(failed) if failed.error.kind() == io::ErrorKind::NotFound => draft = failed.file,
            Err(failed) => return Err(failed.error),
        }
        // The first object whose name begins so; who prunes may take the directory away again.
        match fs::create_dir(place.parent().unwrap_or(objects)) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
    }
    Ok(Some(draft.persist(&place)?))
}

/// The kind and the bytes of an object that [`write`] did not compress; `None` where there is none
/// such, or one that is not as its sums say.
pub(super) fn stored(place: &Path) -> Option<(Kind, Vec<u8>)> {
    let mut stream = [0; BLOCK + 1];
    let mut file = open_unblocked(fs::OpenOptions::new().read(true), place).ok()?;
    let length = io::Read::read(&mut file, &mut stream).ok()?;
    let bytes = unframed(stream.get(..length).filter(|_| length <= BLOCK)?)?;
    let (kind, size, head) = gix::objs::decode::loose_header(bytes).ok()?;
    let data = bytes.get(head..)?;
    (u64::try_from(data.len()) == Ok(size)).then(|| (kind, data.to_vec()))
}

/// A power cut may have left a name without its bytes: what lies there is no object, and goes.
pub(super) fn is_emptied(place: &Path) -> bool {
    fs::symlink_metadata(place).is_ok_and(|file| file.is_file() && file.len() == 0)
        && fs::remove_file(place).is_ok()
}

/// A file that nobody looks at yet; git's own cleaning takes it away where a kill left it.
fn draft(objects: &Path, bytes: &[u8]) -> io::Result<tempfile::NamedTempFile> {
    let mut draft = tempfile::Builder::new();
    draft.prefix("tmp_obj_");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        draft.permissions(fs::Permissions::from_mode(0o444));
    }
    let mut draft = draft.tempfile_in(objects)?;
    draft.write_all(bytes)?;
    Ok(draft)
}

#[cfg(test)]
mod tests {
    use super::super::testbed::Testbed;
    use super::*;

    fn id(bed: &Testbed, bytes: &[u8]) -> String {
        let hash = bed.store().repo.object_hash();
        gix::objs::compute_hash(hash, Kind::Blob, bytes).expect("hashes").to_string()
    }

    #[test]
    fn git_reads_each_size_and_finds_nothing_wrong() {
        let bed = Testbed::new();
        let objects = bed.store().repo.objects.store_ref().path().to_owned();
        for size in [0, 1, 4070, 4071, 4072, 4073, 4096, 65_535, 70_000] {
            let bytes: Vec<u8> = (0..size).map(|at: u32| at.to_le_bytes()[0] ^ 7).collect();
            let id = id(&bed, &bytes);
            let written = write(&objects, &id, (Kind::Blob, &bytes), || 1).expect("writes");
            assert!(written.is_some(), "{size}");
            assert_eq!(bed.git(&["cat-file", "-s", &id]).trim(), size.to_string());
        }
        bed.git(&["fsck", "--strict"]);
        bed.git(&["repack", "-ad"]);
    }

    #[test]
    fn what_fits_into_a_block_of_the_disk_is_written_as_it_is_and_asks_for_no_level() {
        let bed = Testbed::new();
        let objects = bed.store().repo.objects.store_ref().path().to_owned();
        // `blob 4075` and a NUL, and what stands around.
        for (size, asked) in [(4075, 0), (4076, 1)] {
            let bytes = vec![b'x'; size];
            let (id, mut times) = (id(&bed, &bytes), 0);
            let level = || {
                times += 1;
                1
            };
            write(&objects, &id, (Kind::Blob, &bytes), level).expect("writes");
            let length = fs::metadata(path(&objects, &id)).expect("it is there").len();
            assert_eq!((times, length == BLOCK as u64), (asked, asked == 0), "{size}");
        }
    }

    #[test]
    fn what_is_stored_is_read_and_nothing_that_is_damaged_or_compressed() {
        let bed = Testbed::new();
        let objects = bed.store().repo.objects.store_ref().path().to_owned();
        let long = vec![b'x'; 9000];
        for (bytes, read) in [(&b"some words"[..], true), (b"", true), (&long, false)] {
            let id = id(&bed, bytes);
            write(&objects, &id, (Kind::Blob, bytes), || 1).expect("writes");
            let place = path(&objects, &id);
            let found = read.then(|| (Kind::Blob, bytes.to_vec()));
            assert_eq!(stored(&place), found, "{}", bytes.len());
            let whole = fs::read(&place).expect("it is there");
            let odd = bed.path().join("odd");
            for at in 0..whole.len().min(40) {
                let mut damaged = whole.clone();
                damaged[at] ^= 1;
                fs::write(&odd, &damaged).expect("written");
                assert_eq!(stored(&odd), None, "byte {at} of {}", bytes.len());
                fs::write(&odd, &whole[..at]).expect("written");
                assert_eq!(stored(&odd), None, "{at} bytes of {}", bytes.len());
            }
        }
        assert_eq!(stored(&objects.join("none")), None);
        assert_eq!(stored(&objects), None, "a directory");
    }

    #[test]
    fn who_comes_second_leaves_the_first_ones_file() {
        let bed = Testbed::new();
        let objects = bed.store().repo.objects.store_ref().path().to_owned();
        let id = id(&bed, b"x");
        let again = || write(&objects, &id, (Kind::Blob, b"x"), || 1).expect("writes");
        assert!(again().is_some());
        assert!(again().is_none());
        assert!(!is_emptied(&path(&objects, &id)));
    }
}
