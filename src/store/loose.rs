//! Objects as files of their own, as git lays them out.
//!
//! An object that fits into one block of a disk takes that block whether it is compressed or
//! not, so it is written as it is; git compresses whatever it puts into a pack. The file is
//! written under a name that git's own cleaning knows, and takes its place by a rename.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use gix::objs::Kind;

use super::deflate::{deflated, framed};

/// What a disk keeps in one piece.
const BLOCK: usize = 4096;

/// Where the object `id` lies if it is loose.
pub(super) fn path(objects: &Path, id: &str) -> PathBuf {
    let (fan, rest) = id.split_at(2);
    objects.join(fan).join(rest)
}

/// Writes an object, and gives its open file: whoever wants it to outlive a power cut syncs it,
/// when it has its name.
pub(super) fn write(
    objects: &Path,
    id: &str,
    (kind, bytes): (Kind, &[u8]),
    level: i32,
) -> io::Result<File> {
    let head = gix::objs::encode::loose_header(kind, bytes.len() as u64);
    let stream = match framed(&[&head, bytes]).filter(|stream| stream.len() <= BLOCK) {
        Some(stream) => stream,
        None => deflated(&[&head, bytes].concat(), level)?,
    };
    let draft = draft(objects, &stream)?;
    let place = path(objects, id);
    match draft.persist(&place) {
        Err(failed) if failed.error.kind() == io::ErrorKind::NotFound => {
            // The first object whose name begins so.
            match fs::create_dir(place.parent().unwrap_or(objects)) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
                _ => Ok(failed.file.persist(&place)?),
            }
        }
        placed => Ok(placed?),
    }
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
