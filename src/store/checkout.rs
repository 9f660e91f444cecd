//! The files of a tree, written into an empty directory as they are stored.
//!
//! In this process and from objects alone: no index, no configuration, no hook, no filter, no
//! conversion of line ends, nothing of a submodule. Whoever made the tree may have meant harm:
//! nothing that is there is written over or followed, and no name leads elsewhere.

use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use gix::ObjectId;
use gix::bstr::ByteSlice as _;
use gix::objs::tree::EntryKind;

use super::error::StoreError;
use super::{Store, TreeId};

/// The most entries and bytes of a tree that are written.
const ENTRIES: usize = 1_000_000;
const BYTES: usize = 4 << 30;
/// Where attributes of files stand.
const ATTRIBUTES: &[u8] = b".gitattributes";

/// What of a tree that was written is not as git would have it in a work tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Inexact {
    /// A submodule, of which an empty directory is there.
    pub submodules: bool,
    /// Attributes by which git stores other bytes than a file holds.
    pub filters: bool,
}

/// What there was so far.
#[derive(Default)]
struct Written {
    entries: usize,
    bytes: usize,
    inexact: Inexact,
}

impl Store {
    /// Writes the files of `tree` into `dir`, which is new and empty.
    ///
    /// # Errors
    ///
    /// An object is not here, the tree is odd or too large, or the disk says no.
    pub(crate) fn write_out(&self, tree: &TreeId, dir: &Path) -> Result<Inexact, StoreError> {
        let mut written = Written::default();
        let mut ahead = vec![(dir.to_owned(), tree.object()?)];
        while let Some((dir, id)) = ahead.pop() {
            let tree = self.tree_object(id, "a tree")?;
            for entry in tree.iter() {
                let entry =
                    entry.map_err(|err| StoreError::unreadable(format!("a tree ({id})"), &err))?;
                let name = entry.filename();
                let path = dir.join(plain_name(name, id)?);
                written.entries += 1;
                match entry.mode().kind() {
                    EntryKind::Tree => {
                        DirBuilder::new().create(&path)?;
                        ahead.push((path, entry.object_id()));
                    }
                    EntryKind::Commit => {
                        DirBuilder::new().create(&path)?;
                        written.inexact.submodules = true;
                    }
                    kind => {
                        self.write_file((kind, entry.object_id()), name, &path, &mut written)?;
                    }
                }
                if written.entries > ENTRIES || written.bytes > BYTES {
                    return Err(StoreError::odd(
                        format!("a tree ({tree})", tree = tree.id),
                        "it is too large",
                    ));
                }
            }
        }
        Ok(written.inexact)
    }

    fn write_file(
        &self,
        (kind, id): (EntryKind, ObjectId),
        name: &[u8],
        path: &Path,
        written: &mut Written,
    ) -> Result<(), StoreError> {
        let bytes = self.object(id, "a file of a tree")?.detach().data;
        written.bytes = written.bytes.saturating_add(bytes.len());
        if name == ATTRIBUTES {
            written.inexact.filters |= converts(&bytes);
        }
        if kind == EntryKind::Link {
            return Ok(link(&bytes, path)?);
        }
        let mut options = OpenOptions::new();
        // What is there, be it a link, is not opened.
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(
            &mut options,
            if kind == EntryKind::BlobExecutable { 0o777 } else { 0o666 },
        );
        Ok(options.open(path)?.write_all(&bytes)?)
    }
}

/// A name that is one, and no way to git's own directory.
fn plain_name(name: &[u8], tree: ObjectId) -> Result<PathBuf, StoreError> {
    let odd = || StoreError::odd(format!("a tree ({tree})"), "it has a name that no file may have");
    let bad =
        name.is_empty() || name == b"." || name == b".." || name.eq_ignore_ascii_case(b".git");
    if bad || name.contains(&b'/') || name.contains(&0) {
        return Err(odd());
    }
    let path = name.to_path().map_err(|_| odd())?;
    let mut parts = path.components();
    let one = matches!((parts.next(), parts.next()), (Some(std::path::Component::Normal(_)), None));
    if one { Ok(path.to_owned()) } else { Err(odd()) }
}

/// Attributes with which git puts other bytes into a work tree than it has stored.
fn converts(attributes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(attributes);
    let lines = text.lines().map(str::trim_start).filter(|line| !line.starts_with('#'));
    let mut words = lines.flat_map(|line| line.split_whitespace().skip(1));
    words.any(|word| {
        let heads = ["filter=", "working-tree-encoding=", "eol=crlf"];
        word == "ident" || heads.iter().any(|head| word.starts_with(head))
    })
}

#[cfg(unix)]
fn link(target: &[u8], path: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target.to_path_lossy(), path)
}

#[cfg(not(unix))]
fn link(_: &[u8], _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::store::testbed::Testbed;

    fn object(bed: &Testbed, kind: &str, bytes: &[u8]) -> String {
        let file = tempfile::NamedTempFile::new().expect("a file");
        fs::write(file.path(), bytes).expect("written");
        let path = file.path().display().to_string();
        bed.git(&["hash-object", "--literally", "-w", "-t", kind, &path]).trim().to_owned()
    }

    /// A tree of these entries: mode, name and object, none of them judged.
    fn tree(bed: &Testbed, entries: &[(&str, &[u8], &str)]) -> TreeId {
        let mut bytes = Vec::new();
        for (mode, name, id) in entries {
            bytes.extend(mode.as_bytes());
            bytes.push(b' ');
            bytes.extend(*name);
            bytes.push(0);
            bytes.extend(gix::ObjectId::from_hex(id.as_bytes()).expect("an id").as_slice());
        }
        object(bed, "tree", &bytes).parse().expect("an id")
    }

    #[test]
    fn files_are_written_as_they_are_stored() {
        let bed = Testbed::new();
        let file = object(&bed, "blob", b"a\r\n");
        let attributes = object(&bed, "blob", b"# filter=x\n* text=auto\n*.bin filter=lfs\n");
        let to = object(&bed, "blob", b"../elsewhere");
        let inner = tree(&bed, &[("100644", b"f", &file)]);
        let commit = "1".repeat(40);
        let all = tree(
            &bed,
            &[
                ("100644", b".gitattributes", &attributes),
                ("100755", b"run", &file),
                ("120000", b"link", &to),
                ("160000", b"sub", &commit),
                ("40000", b"dir", inner.as_str()),
            ],
        );
        let at = tempfile::tempdir().expect("a directory");
        let inexact = bed.store().write_out(&all, at.path()).expect("written");
        assert_eq!(inexact, Inexact { submodules: true, filters: true });
        assert_eq!(fs::read(at.path().join("dir/f")).expect("there"), b"a\r\n");
        let mode = fs::metadata(at.path().join("run")).expect("there").permissions().mode();
        assert_ne!(mode & 0o100, 0);
        assert_eq!(
            fs::read_link(at.path().join("link")).expect("a link").to_str(),
            Some("../elsewhere")
        );
        assert!(at.path().join("sub").is_dir());
        assert!(!converts(b"* text=auto eol=lf\n# *.x filter=y\n"));
    }

    #[test]
    fn no_tree_leads_out_of_its_directory() {
        let bed = Testbed::new();
        let file = object(&bed, "blob", b"x");
        let out = tempfile::tempdir().expect("a directory");
        let to = object(&bed, "blob", out.path().as_os_str().as_encoded_bytes());
        let inner = tree(&bed, &[("100644", b"f", &file)]);
        let odd: [&[(&str, &[u8], &str)]; 8] = [
            &[("100644", b"..", &file)],
            &[("40000", b"..", inner.as_str())],
            &[("100644", b".git", &file)],
            &[("40000", b".GIT", inner.as_str())],
            &[("100644", b"a/b", &file)],
            &[("100644", b"a", &file), ("100644", b"a", &file)],
            // A link, and then a directory in its place.
            &[("120000", b"a", &to), ("40000", b"a", inner.as_str())],
            &[("120000", b"a", &to), ("100644", b"a", &file)],
        ];
        for entries in odd {
            let odd = tree(&bed, entries);
            let at = tempfile::tempdir().expect("a directory");
            let done = bed.store().write_out(&odd, at.path());
            assert!(done.is_err(), "{entries:?}");
            assert!(fs::read_dir(out.path()).expect("there").next().is_none(), "{entries:?}");
        }
        let gone: TreeId = "1".repeat(40).parse().expect("an id");
        assert!(bed.store().write_out(&gone, out.path()).is_err());
    }
}
