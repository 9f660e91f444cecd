//! A commit is prepared without git: an index that says what HEAD says, with some paths as they are
//! in the work tree, and the tree of it.
//!
//! It begins with the person's index, where that says what HEAD says and hides nothing: git then
//! need not be asked what is in HEAD. When the commit is made, that index is what the person's has
//! to be, and takes its place: under the lock that every git takes, and only while the person's
//! index is still the file that it was. Everything else goes to git: an index with something
//! staged, one that a tool keeps more in, content that attributes may convert.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::super::index::{Changes, NUMBERS, Plain, time_of, top_tree, unmarked};
use super::super::left_out::Skipped;
use super::super::own::{now_in, sealed, write_dated};
use super::super::skipped::Missing;
use super::super::{RepoPath, Store, TreeId};
use super::attributes::Attributes;
use super::content::identity;
use super::take::{PATHS, Taking, stand_apart};
use super::trees::{Cached, Missing as Unknown};
use super::{InProcess, Replaced};

/// The person's index, without its marks.
struct Begun {
    plain: Plain,
    trees: Cached,
    time: SystemTime,
    file: Replaced,
    /// It holds nothing that an index of ours would not.
    is_ours_alike: bool,
}

/// Takes the times from entries whose files changed in the second of an index of the time `time`,
/// or later: git does not trust those before it has read them, and the new index is younger. It
/// reads them once then, and not each time. Those that were read just now keep theirs.
fn forget_young(plain: &mut Plain, time: SystemTime, read: &Changes) {
    let (second, _) = time_of(time);
    for entry in 0..plain.len() {
        let [changed, modified] = [CHANGED, MODIFIED].map(|place| plain.number(entry, place));
        if changed.max(modified) >= second && !read.contains_key(plain.name(entry)) {
            let mut numbers = [0; NUMBERS];
            numbers[MODE] = plain.number(entry, MODE);
            plain.put(entry, numbers);
        }
    }
}

/// Where the seconds of an entry's times stand among its numbers, and its mode.
const CHANGED: usize = 0;
const MODIFIED: usize = 2;
const MODE: usize = 6;

/// Parts of an index that are nobody's: git writes them for itself, whenever it writes one.
const OF_GIT: [&[u8]; 3] = [b"TREE", b"EOIE", b"IEOT"];

impl Store {
    /// Writes to `to` an index of `head` with `paths` as they are; `None` where git has to. Of the
    /// configuration the repository's own alone is read.
    pub(in crate::store) fn stage_in(
        &self,
        to: &Path,
        head: &TreeId,
        paths: &[RepoPath],
    ) -> Option<InProcess> {
        // Elsewhere the environment names another index, which the person works with.
        let usual = self.index_path() == self.git_dir.join("index");
        if paths.len() > PATHS || self.syncs_all_objects() || !usual {
            return None;
        }
        let modes = self.modes_now()?;
        let skipped = self.skipped().ok()?;
        let Begun { plain, trees, time, file, is_ours_alike } = self.begun(&skipped)?;
        let mut trees = self.trees(&plain, trees, Unknown::Told)?;
        // Its own word for it: what comes of it is compared with HEAD by whoever asks.
        if TreeId::from(*trees.top()?) != *head {
            return None;
        }
        let pinned = Attributes::unpinned(self, &plain)?;
        let mut taking = Taking::new(self, &plain, modes, pinned);
        // Before anything is read: what changes later is younger than the index.
        let now = now_in(to.parent()?).ok()?;
        let (missing, mut fresh) = (Missing::of(self), Changes::new());
        for path in paths {
            // What is left out and missing stays as HEAD has it.
            if !(skipped.holds(path.as_bytes()) && missing.is(path.as_bytes())) {
                taking.entry(path, &mut fresh)?;
            }
        }
        stand_apart(&plain, &fresh)?;
        for path in fresh.keys() {
            trees.forget(path);
        }
        let mut plain = plain.with(&fresh)?;
        forget_young(&mut plain, time, &fresh);
        let trees = self.trees(&plain, trees, Unknown::Written)?;
        let tree = TreeId::from(*trees.top()?);
        if tree != *head {
            let mut bytes = if skipped.is_empty() {
                plain.into_entries()
            } else {
                plain.with_skipped(|name| skipped.holds(name) && missing.is(name))
            };
            trees.write_extension(&mut bytes)?;
            write_dated(to, &sealed(self.repo.object_hash(), bytes)?, now).ok()?;
        }
        Some(InProcess { tree, replaces: is_ours_alike.then_some(file) })
    }

    /// Whether the executable bit of files counts; `None` where names or links are git's to tell.
    fn modes_now(&self) -> Option<bool> {
        let config = self.repo.config_snapshot();
        let is = |name: &str, usual: bool| config.boolean(name).unwrap_or(usual);
        let usual = is("core.symlinks", true)
            && !is("core.ignoreCase", false)
            && !is("core.precomposeUnicode", false);
        usual.then(|| is("core.fileMode", true))
    }

    fn begun(&self, skipped: &Skipped) -> Option<Begun> {
        let mut file = File::open(self.git_dir.join("index")).ok()?;
        let data = file.metadata().ok()?;
        let mut bytes = Vec::with_capacity(usize::try_from(data.len()).ok()?);
        file.read_to_end(&mut bytes).ok()?;
        let (time, length) = (data.modified().ok()?, self.repo.object_hash().len_in_bytes());
        let file = identity(&data);
        // Git gives the files of others the rights that they need then.
        let config = self.repo.config_snapshot();
        let shared = "core.sharedRepository";
        let alone = config.string(shared).is_none() && config.boolean(shared).is_none();
        let marks = bytes.get(4..8)? == 3_u32.to_be_bytes();
        if !marks {
            let plain = Plain::of(bytes, length)?;
            let is_ours_alike = alone && plain.extensions()?.iter().all(|it| OF_GIT.contains(it));
            return Some(Begun { trees: Cached::of(&plain), plain, time, file, is_ours_alike });
        }
        if self.shares_index().ok()? {
            return None;
        }
        let missing = Missing::of(self);
        let mut all_out = true;
        let (plain, extensions) = unmarked(&bytes, length, |name| {
            all_out &= skipped.holds(name) && missing.is(name);
        })?;
        let is_ours_alike = alone && all_out && extensions.iter().all(|it| OF_GIT.contains(it));
        Some(Begun { trees: Cached::of(&plain), plain, time, file, is_ours_alike })
    }

    /// The index at `staged`, which holds `tree`, takes the place of the person's, while that is
    /// the file `replaced`; says whether it did.
    ///
    /// One that was killed in between leaves git's lock: see [`Store::unlock_staged`].
    pub(in crate::store) fn replace_index(
        &self,
        staged: &Path,
        tree: &TreeId,
        replaced: Replaced,
    ) -> bool {
        let index = self.git_dir.join("index");
        let length = self.repo.object_hash().len_in_bytes();
        let holds = |bytes: Vec<u8>| {
            let top = top_tree(&bytes, length).map(gix::ObjectId::try_from);
            top.is_some_and(|top| top.is_ok_and(|top| TreeId::from(top) == *tree))
        };
        let is_same = || {
            let data = index.symlink_metadata();
            data.is_ok_and(|data| data.is_file() && identity(&data) == replaced)
        };
        if !is_same() || !fs::read(staged).is_ok_and(holds) {
            return false;
        }
        let lock = self.index_lock();
        // A lock of another git's, or a file system that knows no links: git is asked then.
        if fs::hard_link(staged, &lock).is_err() {
            return false;
        }
        let done = is_same() && fs::rename(&lock, &index).is_ok();
        if !done {
            // It is ours, and what stays here would stop every git.
            let _ = fs::remove_file(&lock);
        }
        done
    }

    fn index_lock(&self) -> PathBuf {
        self.git_dir.join("index.lock")
    }

    /// Takes away the lock of an index that a killed [`Store::replace_index`] left: it is the file
    /// of one of the indexes that were prepared below `seed`.
    pub(in crate::store) fn unlock_staged_in(
        &self,
        staged: impl Iterator<Item = PathBuf>,
    ) -> io::Result<()> {
        let file = |path: &Path| path.symlink_metadata().map(|data| (data.dev(), data.ino()));
        let lock = match file(&self.index_lock()) {
            Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok(()),
            lock => lock?,
        };
        if staged.into_iter().any(|index| file(&index).is_ok_and(|index| index == lock)) {
            fs::remove_file(self.index_lock())?;
        }
        Ok(())
    }
}
