//! Whether git could store other bytes than a file holds: line ends, encodings, filters.
//!
//! Attributes are not evaluated here. Where a line that means the path, in one of the files that
//! git would read them from, holds a word that may convert this content, git is asked. That is
//! rare: line ends matter to files with a return in them, `$Id$` to files with a dollar, and most
//! repositories name no encoding.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gix::bstr::ByteSlice as _;

use super::super::index::Plain;
use super::super::pins::Lens;
use super::super::{Store, TreeId};
use super::excludes::Pattern;
use crate::world::variable;

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

/// Kinds of conversion that a line of attributes names.
#[derive(Clone, Copy, Debug, Default)]
struct Named {
    encoding: bool,
    filter: bool,
    ident: bool,
    line_ends: bool,
}

/// A line of attributes that names a conversion.
#[derive(Debug)]
struct Line {
    /// The paths that it means; `None` where it may mean any.
    pattern: Option<Pattern>,
    named: Named,
}

impl Line {
    fn of(line: &[u8]) -> Option<Self> {
        let line = line.trim_start();
        let end = line.find_byteset(b" \t\r").unwrap_or(line.len());
        let (pattern, said) = line.split_at(end);
        // What is quoted, and what gives several attributes one name, is not taken apart.
        let odd = pattern.starts_with(b"\"") || pattern.starts_with(b"[attr]");
        let named = Named::in_text(if odd { line } else { said })?;
        let pattern = (!odd && !pattern.starts_with(b"!")).then(|| Pattern::of(pattern)).flatten();
        Some(Self { pattern: pattern.filter(Pattern::is_followed), named })
    }

    fn all(text: &[u8]) -> Vec<Self> {
        let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
        let lines = text.split(|byte| *byte == b'\n').filter(|line| !line.starts_with(b"#"));
        lines.filter_map(Self::of).collect()
    }

    /// What is named for `path`, which is seen from where the line stands.
    fn for_path(lines: &[Self], path: &[u8]) -> Named {
        let base = path.rfind_byte(b'/').map_or(path, |slash| &path[slash + 1..]);
        let means = |line: &&Self| {
            line.pattern.as_ref().is_none_or(|pattern| pattern.fits(path, base, false))
        };
        let named = lines.iter().filter(means).map(|line| line.named);
        named.fold(Named::default(), Named::and)
    }
}

impl Named {
    /// `None` where nothing is named.
    fn in_text(text: &[u8]) -> Option<Self> {
        let has = |word: &str| text.find(word).is_some();
        let named = Self {
            encoding: has("encoding"),
            filter: has("filter"),
            ident: has("ident"),
            line_ends: ["text", "crlf", "eol"].into_iter().any(has),
        };
        (named.encoding || named.filter || named.ident || named.line_ends).then_some(named)
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
    lens: Lens,
    index: &'a Plain,
    /// What the files say that hold everywhere.
    everywhere: Vec<Line>,
    /// What directories say, by their paths; with the tree that is read.
    dirs: BTreeMap<Vec<u8>, (Vec<Line>, Option<TreeId>)>,
    filters: bool,
    converts_returns: bool,
}

impl<'a> Attributes<'a> {
    /// `None` where attributes are told in a way that is not followed here.
    pub(super) fn of(store: &'a Store, lens: &Lens, index: &'a Plain) -> Option<Self> {
        let config = store.repo.config_snapshot();
        if lens.base.is_none() && config.string("attr.tree").is_some() {
            return None;
        }
        let mut everywhere = Line::all(&lens.attributes);
        let beside_git = store.children.as_ref().and_then(|git| git.git().parent()?.parent());
        let of_git = beside_git.map(|dir| dir.join("etc/gitattributes"));
        let files = OF_MACHINE.iter().map(PathBuf::from).chain(of_git);
        for file in files.chain([store.common_dir.join("info/attributes")]) {
            everywhere.extend(Line::all(&read(&file)?));
        }
        Some(Self {
            store,
            lens: lens.clone(),
            index,
            everywhere,
            dirs: BTreeMap::new(),
            filters: !(lens.filters.now.is_empty() && lens.filters.run.is_empty()),
            converts_returns: lens.setting("core.autocrlf").is_none_or(|value| value != "false"),
        })
    }

    /// Those of now, whatever is pinned; `None` where they are told elsewhere than usual.
    pub(super) fn of_now(store: &'a Store, lens: &Lens, index: &'a Plain) -> Option<Self> {
        if store.repo.config_snapshot().string("core.attributesFile").is_some() {
            return None;
        }
        let set = |name: &str| variable(name).filter(|it| !it.is_empty()).map(PathBuf::from);
        let home = || set("HOME").map(|home| home.join(".config"));
        let file = set("XDG_CONFIG_HOME").or_else(home).map(|dir| dir.join("git/attributes"));
        let mut lens = lens.clone();
        lens.base = None;
        lens.attributes = file.map_or(Some(Vec::new()), |file| read(&file))?;
        Self::of(store, &lens, index)
    }

    /// Those of now, where nothing is pinned: any filter may act.
    pub(super) fn unpinned(store: &'a Store, index: &'a Plain) -> Option<Self> {
        let attributes = Self::of_now(store, &Lens::default(), index)?;
        let (config, ends) = (store.repo.config_snapshot(), "core.autocrlf");
        // Without a value it is true.
        let said = config.string(ends).is_some() || config.boolean(ends).is_some();
        let converts_returns = said && config.boolean(ends) != Some(false);
        Some(Self { filters: true, converts_returns, ..attributes })
    }

    /// Whether git stores the file at `path` byte for byte; `None` where that is not known.
    pub(super) fn keep_as_it_is(&mut self, path: &[u8], content: Content) -> Option<()> {
        let mut named = Line::for_path(&self.everywhere, path);
        let slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
        for end in [0].into_iter().chain(slashes.map(|(at, _)| at)) {
            let below = path[end..].strip_prefix(b"/").unwrap_or(path);
            named = named.and(Line::for_path(self.said_in(&path[..end])?, below));
        }
        let converted = named.encoding
            || (named.filter && self.filters)
            || (named.ident && content.has_dollar)
            || (content.has_return && (named.line_ends || self.converts_returns));
        (!converted).then_some(())
    }

    /// What the file in one directory says, read the first time; those above it were asked for.
    fn said_in(&mut self, dir: &[u8]) -> Option<&[Line]> {
        if !self.dirs.contains_key(dir) {
            let slash = dir.rfind_byte(b'/');
            let tree = if dir.is_empty() {
                self.lens.base.clone()
            } else if let (_, Some(above)) = self.dirs.get(&dir[..slash.unwrap_or(0)])? {
                let name = &dir[slash.map_or(0, |slash| slash + 1)..];
                let inside = self.store.entry_in(above, name, NAME).ok()?;
                inside.filter(|(mode, _)| mode.is_tree()).map(|(_, id)| TreeId::from(id))
            } else {
                None
            };
            let here = match (&tree, &self.lens.base) {
                (Some(tree), _) => {
                    self.store.blob_in(tree, NAME.as_bytes(), NAME).ok()?.unwrap_or_default()
                }
                // Not in the tree: the attributes that are pinned say nothing there.
                (None, Some(_)) => Vec::new(),
                (None, None) => self.on_disk(dir)?,
            };
            self.dirs.insert(dir.to_vec(), (Line::all(&here), tree));
        }
        self.dirs.get(dir).map(|(lines, _)| lines.as_slice())
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
