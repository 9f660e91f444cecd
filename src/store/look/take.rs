//! What changed is taken into a private index without git: the content of these paths is read and
//! stored, and nothing else of the work tree.
//!
//! Whatever is not a plain file, a link or a path that is gone goes to git, all of it together,
//! and so do files that attributes may convert, long ones, and names that git might refuse.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;
use std::time::SystemTime;

use gix::bstr::ByteSlice as _;
use gix::objs::Kind;
use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use super::super::index::{Changes, Plain, time_of};
use super::super::own::{Own, now_in, sealed, write_dated};
use super::super::pins::Lens;
use super::super::worktree::Changed;
use super::super::{RepoPath, Store};
use super::attributes::{Attributes, Content};
use super::content::Kept;
use super::trees::Cached;
use super::walk::numbers_of;

/// The most paths that are taken in here.
pub(super) const PATHS: usize = 2_000;
/// The longest file that is, in bytes.
const LONGEST: u64 = 16 * 1024 * 1024;
/// Where the mode stands among an entry's numbers.
const MODE: usize = 6;

impl Store {
    /// Takes `changed` into `index`, a copy of a private one that nobody else uses; `None`, and
    /// the index is as it was, where git has to.
    pub(in crate::store) fn take_in(
        &self,
        index: &Path,
        lens: &Lens,
        changed: &[Changed],
    ) -> Option<()> {
        let time = index.metadata().ok()?.modified().ok()?;
        let plain = Plain::of(fs::read(index).ok()?, self.repo.object_hash().len_in_bytes())?;
        let now = now_in(index.parent()?).ok()?;
        let was = Dated { trees: Cached::of(&plain), plain, time };
        let taken = self.taken_in(&was, now, lens, changed)?;
        let time = taken.time;
        write_dated(index, &taken.bytes(self)?, time).ok()
    }

    /// The same with the private index itself, which a new file takes the place of.
    pub(in crate::store) fn caught_up(
        &self,
        index: &Path,
        lens: &Lens,
        changed: &[Changed],
    ) -> Option<()> {
        let (kept, plain) = Kept::read(self, index)?;
        let own = Own::beside(self, index).ok()?;
        let was = Dated { trees: Cached::of(&plain), plain, time: kept.modified };
        let taken = self.taken_in(&was, own.now().ok()?, lens, changed)?;
        let time = taken.time;
        own.write(&taken.bytes(self)?, time).ok()?;
        own.put(index).ok()
    }

    /// The same with an index in memory; `now` is the moment before this.
    pub(super) fn taken_in(
        &self,
        was: &Dated,
        now: SystemTime,
        lens: &Lens,
        changed: &[Changed],
    ) -> Option<Dated> {
        let modes = super::modes(lens)?;
        if changed.len() > PATHS || self.syncs_all_objects() {
            return None;
        }
        let Dated { plain, trees, time } = was;
        let (mut trees, time) = (trees.clone(), *time);
        let filters = !(lens.filters.now.is_empty() && lens.filters.run.is_empty());
        // A file of attributes that is gone counts as the person's index has it.
        let length = self.repo.object_hash().len_in_bytes();
        let persons = || Plain::of(fs::read(self.index_path()).ok()?, length);
        let persons = if filters { Some(persons()?) } else { None };
        let mut taking = Taking::new(self, plain, modes, Attributes::of(self, lens, plain)?);
        if let Some(persons) = &persons {
            taking.now = Some(Attributes::of_now(self, lens, persons)?);
        }
        let mut fresh = Changes::new();
        for Changed { path, .. } in changed {
            taking.entry(path, &mut fresh)?;
        }
        stand_apart(plain, &fresh)?;
        let known = time_of(time);
        let waits = |entry: &usize| {
            !plain.is_settled(*entry, known) && !fresh.contains_key(plain.name(*entry))
        };
        let time = if (0..plain.len()).any(|entry| waits(&entry)) { time } else { now };
        for path in fresh.keys() {
            trees.forget(path);
        }
        Some(Dated { plain: plain.with(&fresh)?, trees, time })
    }
}

/// A private index in memory.
pub(super) struct Dated {
    pub(super) plain: Plain,
    /// Its trees, as far as they are known.
    pub(super) trees: Cached,
    /// The time that says which entries are trusted.
    pub(super) time: SystemTime,
}

impl Dated {
    /// The whole file. Of the extensions the trees stay.
    pub(super) fn bytes(self, store: &Store) -> Option<Vec<u8>> {
        let mut bytes = self.plain.into_entries();
        self.trees.write_extension(&mut bytes)?;
        sealed(store.repo.object_hash(), bytes)
    }
}

/// What paths are taken in by.
pub(super) struct Taking<'a> {
    store: &'a Store,
    index: &'a Plain,
    modes: bool,
    pinned: Attributes<'a>,
    /// Those of now, where filters act: what they would hide is not stored.
    now: Option<Attributes<'a>>,
    /// Directories that no link leads to: each is asked for once.
    above: HashSet<Vec<u8>>,
}

impl<'a> Taking<'a> {
    pub(super) fn new(
        store: &'a Store,
        index: &'a Plain,
        modes: bool,
        pinned: Attributes<'a>,
    ) -> Self {
        Self { store, index, modes, pinned, now: None, above: HashSet::new() }
    }

    /// Adds what stands in the index for `path` from now on; `None` where git has to say.
    pub(super) fn entry(&mut self, path: &RepoPath, changes: &mut Changes) -> Option<()> {
        let name = path.as_bytes().to_vec();
        let file = path.below(&self.store.work_tree).ok()?;
        let above = path.as_bytes();
        let above = &above[..above.rfind_byte(b'/').unwrap_or(0)];
        if !self.above.contains(above) {
            if !self.store.has_directories_above(path) {
                return None;
            }
            self.above.insert(above.to_vec());
        }
        let old = self.index.find(path.as_bytes()).ok().map(|at| self.index.numbers(at)[MODE]);
        let stat = match rustix::fs::statat(rustix::fs::CWD, &file, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => stat,
            Err(Errno::NOENT | Errno::NOTDIR) => {
                changes.insert(name, None);
                return Some(());
            }
            Err(_) => return None,
        };
        let is_link = FileType::from_raw_mode(stat.st_mode).is_symlink();
        if old.is_some_and(|mode| !matches!(mode >> 12, 0o10 | 0o12))
            || (old.is_none() && !is_ordinary(path.as_bytes(), is_link))
        {
            return None;
        }
        let (id, mode) = if is_link {
            let to = rustix::fs::readlinkat(rustix::fs::CWD, &file, Vec::new()).ok()?;
            (self.store.keep_object(Kind::Blob, to.as_bytes()).ok()?, 0o120_000)
        } else {
            if !FileType::from_raw_mode(stat.st_mode).is_file() {
                return None;
            }
            let (bytes, content) = whole(&file, &stat)?;
            self.pinned.keep_as_it_is(path.as_bytes(), content)?;
            if let Some(now) = &mut self.now {
                now.keep_as_it_is(path.as_bytes(), content)?;
            }
            let runs = match old.filter(|mode| !self.modes && mode >> 12 == 0o10) {
                Some(mode) => mode & 0o100 != 0,
                None => self.modes && stat.st_mode & 0o100 != 0,
            };
            let id = self.store.keep_object(Kind::Blob, &bytes).ok()?;
            (id, if runs { 0o100_755 } else { 0o100_644 })
        };
        let mut numbers = numbers_of(&stat);
        numbers[MODE] = mode;
        changes.insert(name, Some((numbers, id)));
        Some(())
    }
}

/// The bytes of a file that is the one of `stat`.
fn whole(at: &Path, stat: &Stat) -> Option<(Vec<u8>, Content)> {
    let size = u64::try_from(stat.st_size).ok().filter(|size| *size <= LONGEST)?;
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(at, flags, Mode::empty()).ok()?);
    if numbers_of(&rustix::fs::fstat(&file).ok()?) != numbers_of(stat) {
        return None;
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).ok()?);
    file.take(size + 1).read_to_end(&mut bytes).ok()?;
    if bytes.len() as u64 != size {
        return None;
    }
    let content = Content {
        has_return: memchr::memchr(b'\r', &bytes).is_some(),
        has_dollar: memchr::memchr(b'$', &bytes).is_some(),
    };
    Some((bytes, content))
}

/// Whether git takes a path of this name whatever the file system: none of those that one of them
/// might read as `.git`.
pub(super) fn is_ordinary(path: &[u8], is_link: bool) -> bool {
    let begins = |part: &[u8], with: &[u8]| {
        part.get(..with.len()).is_some_and(|head| head.eq_ignore_ascii_case(with))
    };
    path.split(|byte| *byte == b'/').all(|part| {
        let longer = part.get(4).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'-');
        let dot_git = begins(part, b".git");
        (!dot_git || (longer && !is_link))
            && !begins(part, b"git~")
            && part.find_byteset(b"\\:").is_none()
            && (part.is_ascii() || part[0] != b'.')
            && !(is_link && part.contains(&b'~'))
    })
}

/// That no path of the index that is to be lies below another one.
pub(super) fn stand_apart(index: &Plain, changes: &Changes) -> Option<()> {
    let stays = |path: &[u8]| match changes.get(path) {
        Some(change) => change.is_some(),
        None => index.find(path).is_ok(),
    };
    for (path, _) in changes.iter().filter(|(_, change)| change.is_some()) {
        let above = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
        if above.into_iter().any(|(end, _)| stays(&path[..end])) {
            return None;
        }
        let below = [path.as_slice(), b"/"].concat();
        let first = index.find(&below).unwrap_or_else(|at| at);
        let inside = (first..index.len()).map(|at| index.name(at));
        if inside.take_while(|name| name.starts_with(&below)).any(stays) {
            return None;
        }
        let later = changes.range(below.clone()..).map(|(name, change)| (name, change.is_some()));
        if later.take_while(|(name, _)| name.starts_with(&below)).any(|(_, stays)| stays) {
            return None;
        }
    }
    Some(())
}
