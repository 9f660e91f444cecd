//! The trees of an index: those that git keeps with it, and those that are written without git.
//!
//! Format of the extension: gitformat-index(5), "cache tree".

use std::fs;
use std::ops::Range;
use std::path::Path;

use gix::ObjectId;
use gix::bstr::ByteSlice as _;
use gix::objs::Kind;

use super::super::index::Plain;
use super::super::own::{sealed, write_dated};
use super::super::{Store, TreeId};

/// The most directories below each other.
const DEPTH: usize = 200;
/// Where the mode stands among an entry's numbers.
const MODE: usize = 6;
/// A repository of its own: its commit is not here.
const REPOSITORY: u32 = 0o160_000;

/// A directory whose tree is known, or was before something in it changed.
#[derive(Clone, Debug, Default)]
pub(super) struct Cached {
    name: Vec<u8>,
    /// How many entries it covers, and its tree.
    known: Option<(usize, ObjectId)>,
    below: Vec<Self>,
}

impl Cached {
    /// The trees that are kept with `index`; of none that reads, one top that is not known.
    pub(super) fn of(index: &Plain) -> Self {
        let mut part = index.extension(*b"TREE").unwrap_or_default();
        Self::read(&mut part, index.id_length(), 0).unwrap_or_default()
    }

    fn read(part: &mut &[u8], id_length: usize, depth: usize) -> Option<Self> {
        let name = part.find_byte(0)?;
        let end = name + part[name..].find_byte(b'\n')?;
        let (covers, below) = std::str::from_utf8(&part[name + 1..end]).ok()?.split_once(' ')?;
        let mut cached = Self { name: part[..name].to_vec(), ..Self::default() };
        *part = &part[end + 1..];
        if let Ok(covers) = covers.parse() {
            let (id, rest) = part.split_at_checked(id_length)?;
            cached.known = Some((covers, ObjectId::try_from(id).ok()?));
            *part = rest;
        }
        let below: usize = below.parse().ok().filter(|_| depth < DEPTH)?;
        for _ in 0..below {
            cached.below.push(Self::read(part, id_length, depth + 1)?);
        }
        Some(cached)
    }

    /// The tree of the whole, where it is known.
    pub(super) fn top(&self) -> Option<&ObjectId> {
        self.known.as_ref().map(|(_, id)| id)
    }

    /// What stands at `path` is another one now.
    pub(super) fn forget(&mut self, path: &[u8]) {
        self.known = None;
        match path.find_byte(b'/') {
            Some(slash) => {
                let inner = self.below.iter_mut().find(|inner| inner.name == path[..slash]);
                if let Some(inner) = inner {
                    inner.forget(&path[slash + 1..]);
                }
            }
            None => self.below.retain(|inner| inner.name != path),
        }
    }

    /// Adds the extension to the bytes of an index.
    pub(super) fn write_extension(&self, bytes: &mut Vec<u8>) -> Option<()> {
        let begins = bytes.len() + 8;
        bytes.extend(b"TREE\0\0\0\0");
        self.write(bytes);
        let length = u32::try_from(bytes.len() - begins).ok()?;
        bytes[begins - 4..begins].copy_from_slice(&length.to_be_bytes());
        Some(())
    }

    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend(&self.name);
        let below = self.below.len();
        match &self.known {
            Some((covers, id)) => {
                bytes.extend(format!("\0{covers} {below}\n").bytes());
                bytes.extend(id.as_slice());
            }
            None => bytes.extend(format!("\0-1 {below}\n").bytes()),
        }
        self.below.iter().for_each(|inner| inner.write(bytes));
    }
}

impl Store {
    /// The tree of `index`, which nobody else uses: trees that are not known are written, and
    /// kept with it. `None` where git has to say: an index that is not plain, or an object that is
    /// not here.
    pub(in crate::store) fn tree_from(&self, index: &Path) -> Option<TreeId> {
        if self.syncs_all_objects() {
            return None;
        }
        let time = index.metadata().ok()?.modified().ok()?;
        let plain = Plain::of(fs::read(index).ok()?, self.repo.object_hash().len_in_bytes())?;
        let trees = self.trees(&plain, Cached::of(&plain), Missing::Written)?;
        let id = *trees.top()?;
        let mut bytes = plain.into_entries();
        trees.write_extension(&mut bytes)?;
        write_dated(index, &sealed(self.repo.object_hash(), bytes)?, time).ok()?;
        Some(id.into())
    }

    /// The trees of an index, of which `cached` are known.
    pub(super) fn trees(&self, index: &Plain, cached: Cached, missing: Missing) -> Option<Cached> {
        let all = 0..index.len();
        Growing { store: self, index, missing }.tree_below(all, 0, cached, 0)
    }

    /// Whether all that `trees` names is here, and covers an index of `entries`.
    pub(super) fn has_trees(&self, trees: &Cached, entries: usize) -> bool {
        trees.known.as_ref().is_some_and(|(covers, _)| *covers == entries) && self.has_all(trees)
    }

    fn has_all(&self, trees: &Cached) -> bool {
        trees.known.as_ref().is_some_and(|(_, id)| self.repo.has_object(id))
            && trees.below.iter().all(|inner| self.has_all(inner))
    }

    /// Whether configuration says which objects git brings onto the disk at once: it does it then.
    pub(super) fn syncs_all_objects(&self) -> bool {
        let config = self.repo.config_snapshot();
        ["core.fsync", "core.fsyncObjectFiles"].iter().any(|name| config.string(*name).is_some())
    }
}

/// What becomes of a tree that is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Missing {
    Written,
    /// Only its id is told.
    Told,
}

/// The trees of an index, on the way.
struct Growing<'a> {
    store: &'a Store,
    index: &'a Plain,
    missing: Missing,
}

impl Growing<'_> {
    /// The directory that holds `entries`, whose own path takes `prefix` bytes, with its tree.
    fn tree_below(
        &self,
        entries: Range<usize>,
        prefix: usize,
        cached: Cached,
        depth: usize,
    ) -> Option<Cached> {
        if let Some((covers, id)) = &cached.known
            && *covers == entries.len()
            && self.store.repo.has_object(id)
        {
            return Some(cached);
        }
        let index = self.index;
        let Cached { name, mut below, .. } = cached;
        let (mut tree, mut inner) = (Vec::new(), Vec::new());
        let mut at = entries.start;
        while at < entries.end {
            let rest = &index.name(at)[prefix..];
            let Some(slash) = rest.find_byte(b'/') else {
                let mode = index.numbers(at)[MODE];
                let id = ObjectId::try_from(index.id(at)).ok()?;
                if mode != REPOSITORY && !self.store.repo.has_object(id) && !self.store.is_partial()
                {
                    return None;
                }
                add(&mut tree, mode, rest, &id);
                at += 1;
                continue;
            };
            let dir = &rest[..=slash];
            let inside = &index.name(at)[..prefix + dir.len()];
            let end = index.end_of(at..entries.end, inside);
            let dir = &rest[..slash];
            let known = below.iter().position(|known| known.name == dir);
            let known = known.map(|known| below.swap_remove(known));
            let known = known.unwrap_or_else(|| Cached { name: dir.to_vec(), ..Cached::default() });
            if depth >= DEPTH {
                return None;
            }
            let prefix = prefix + slash + 1;
            let known = self.tree_below(at..end, prefix, known, depth + 1)?;
            add(&mut tree, 0o40_000, dir, &known.known.as_ref()?.1);
            inner.push(known);
            at = end;
        }
        // Git looks for them by length first.
        inner.sort_by(|a, b| (a.name.len(), &a.name).cmp(&(b.name.len(), &b.name)));
        let repo = &self.store.repo;
        let id = match self.missing {
            Missing::Written => self.store.keep_object(Kind::Tree, &tree).ok()?,
            Missing::Told => gix::objs::compute_hash(repo.object_hash(), Kind::Tree, &tree).ok()?,
        };
        Some(Cached { name, known: Some((entries.len(), id)), below: inner })
    }
}

fn add(tree: &mut Vec<u8>, mode: u32, name: &[u8], id: &ObjectId) {
    tree.extend(format!("{mode:o} ").bytes());
    tree.extend(name);
    tree.push(0);
    tree.extend(id.as_slice());
}
