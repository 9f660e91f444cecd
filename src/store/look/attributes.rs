//! Whether git could store other bytes than a file holds: line ends, encodings, filters.
//!
//! Attributes are not evaluated here. Where one of the files that git would read them from holds
//! a word that may convert this content, git is asked. That is rare: line ends matter to files
//! with a return in them, `$Id$` to files with a dollar, and most repositories name no encoding.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gix::bstr::ByteSlice as _;

use super::super::index::Plain;
use super::super::pins::Lens;
use super::super::{Store, TreeId};

/// Where a git may keep the attributes of all repositories of a machine.
const OF_MACHINE: [&str; 3] =
    ["/etc/gitattributes", "/usr/local/etc/gitattributes", "/opt/homebrew/etc/gitattributes"];
const NAME: &str = ".gitattributes";

/// What conversions could touch in a file's content.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Content {
    pub(super) has_return: bool,
    pub(super) has_dollar: bool,
}

/// Kinds of conversion that a file of attributes names.
#[derive(Clone, Copy, Debug, Default)]
struct Named {
    encoding: bool,
    filter: bool,
    ident: bool,
    line_ends: bool,
}

impl Named {
    fn in_text(text: &[u8]) -> Self {
        let has = |word: &str| text.find(word).is_some();
        Self {
            encoding: has("encoding"),
            filter: has("filter"),
            ident: has("ident"),
            line_ends: ["text", "crlf", "eol"].into_iter().any(has),
        }
    }

    fn and(self, other: Self) -> Self {
        Self {
            encoding: self.encoding || other.encoding,
            filter: self.filter || other.filter,
            ident: self.ident || other.ident,
            line_ends: self.line_ends || other.line_ends,
        }
    }
}

/// The attributes that a lens goes by, read as far as paths ask for them.
pub(super) struct Attributes<'a> {
    store: &'a Store,
    lens: &'a Lens,
    index: &'a Plain,
    /// What the files say that hold everywhere.
    everywhere: Named,
    /// What a directory and those above it say, by its path; with the tree that is read.
    dirs: BTreeMap<Vec<u8>, (Named, Option<TreeId>)>,
    filters: bool,
    converts_returns: bool,
}

impl<'a> Attributes<'a> {
    /// `None` where attributes are told in a way that is not followed here.
    pub(super) fn of(store: &'a Store, lens: &'a Lens, index: &'a Plain) -> Option<Self> {
        let config = store.repo.config_snapshot();
        if lens.base.is_none() && config.string("attr.tree").is_some() {
            return None;
        }
        let mut everywhere = Named::in_text(&lens.attributes);
        let beside_git = store.children.as_ref().and_then(|git| git.git().parent()?.parent());
        let of_git = beside_git.map(|dir| dir.join("etc/gitattributes"));
        let files = OF_MACHINE.iter().map(PathBuf::from).chain(of_git);
        for file in files.chain([store.common_dir.join("info/attributes")]) {
            everywhere = everywhere.and(Named::in_text(&read(&file)?));
        }
        Some(Self {
            store,
            lens,
            index,
            everywhere,
            dirs: BTreeMap::new(),
            filters: !(lens.filters.now.is_empty() && lens.filters.run.is_empty()),
            converts_returns: lens.setting("core.autocrlf").is_none_or(|value| value != "false"),
        })
    }

    /// Whether git stores the file at `path` byte for byte; `None` where that is not known.
    pub(super) fn keep_as_it_is(&mut self, path: &[u8], content: Content) -> Option<()> {
        let dir = path.rfind_byte(b'/').map_or(&b""[..], |slash| &path[..slash]);
        let named = self.everywhere.and(self.said_in(dir)?);
        let converted = named.encoding
            || (named.filter && self.filters)
            || (named.ident && content.has_dollar)
            || (content.has_return && (named.line_ends || self.converts_returns));
        (!converted).then_some(())
    }

    fn said_in(&mut self, dir: &[u8]) -> Option<Named> {
        if let Some((known, _)) = self.dirs.get(dir) {
            return Some(*known);
        }
        let (above, tree) = if dir.is_empty() {
            (Named::default(), self.lens.base.clone())
        } else {
            let slash = dir.rfind_byte(b'/');
            let above = slash.map_or(&b""[..], |slash| &dir[..slash]);
            let said = self.said_in(above)?;
            let tree = self.dirs.get(above).and_then(|(_, tree)| tree.clone());
            let name = &dir[slash.map_or(0, |slash| slash + 1)..];
            let id = tree.map(|tree| self.store.entry_in(&tree, name, NAME)).transpose().ok()?;
            let inside = id.flatten().filter(|(mode, _)| mode.is_tree());
            (said, inside.map(|(_, id)| TreeId::from(id)))
        };
        let here = match (&tree, &self.lens.base) {
            (Some(tree), _) => {
                self.store.blob_in(tree, NAME.as_bytes(), NAME).ok()?.unwrap_or_default()
            }
            // Not in the tree: the attributes that are pinned say nothing there.
            (None, Some(_)) => Vec::new(),
            (None, None) => self.on_disk(dir)?,
        };
        let said = above.and(Named::in_text(&here));
        self.dirs.insert(dir.to_vec(), (said, tree));
        Some(said)
    }

    /// The file in the work tree. `None` where it is gone and the index has one, which git reads
    /// then, or where it is no file.
    fn on_disk(&self, dir: &[u8]) -> Option<Vec<u8>> {
        let path = if dir.is_empty() { NAME.into() } else { [dir, b"/", NAME.as_bytes()].concat() };
        let file = self.store.work_tree.join(gix::path::from_byte_slice(&path).ok()?);
        match file.symlink_metadata() {
            Ok(data) if data.is_file() => read(&file),
            Ok(_) => None,
            Err(_) => self.index.find(&path).is_err().then(Vec::new),
        }
    }
}

/// The bytes of a file that may be missing.
fn read(file: &Path) -> Option<Vec<u8>> {
    crate::world::read_if_there(file).ok().map(Option::unwrap_or_default)
}
