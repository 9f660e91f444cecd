//! The work tree, asked through git: what changed, what is staged, what is under way.
//!
//! Two views. The person's own index answers [`Store::status`] and is never written
//! here. A *private* index, a file of ours, stands for the work tree as it was at one
//! moment: [`Store::snapshot`] makes it so and [`Store::changes_since`] compares.
//! A private index knows no assume-unchanged or skip-worktree marks, so that nothing
//! hides behind them; what is left out and missing it keeps ([`super::skipped`]).

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::error::StoreError;
use super::filters::Sorted;
use super::index::{self, is_plain_index};
use super::own::{self, Own, copy_with_times, now_in};
use super::path::nul_terminated;
use super::pins::{Lens, records};
use super::{CommitId, RepoPath, Store, TreeId, seed_dir_of, stages};

/// Settings that keep a private index private: no daemon answers for it, no part of it
/// lies elsewhere, no cone narrows it, and every time that a file system keeps counts.
pub(super) const PRIVATE: [&str; 18] = [
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.untrackedCache=false",
    "-c",
    "core.splitIndex=false",
    "-c",
    "core.sparseCheckout=false",
    "-c",
    "core.trustctime=true",
    "-c",
    "core.checkStat=default",
    "-c",
    "core.ignoreStat=false",
    "-c",
    "index.version=2",
    "-c",
    "feature.manyFiles=false",
];

/// What may lie between looking at a file and writing the index, where git does both.
const WRITING: Duration = Duration::from_secs(3);

/// Directories that one command line names: more would not fit everywhere.
const MOST: usize = 200;

/// A directory that a tool made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolDir {
    pub dir: RepoPath,
    /// Nobody's work by its name: free where nothing in it is tracked. Any other one is free
    /// where git ignores it.
    pub cache: bool,
}

/// Gives the directory that tools make in which a path lies, where it lies in one.
pub type BuildDir<'a> = &'a dyn Fn(&RepoPath) -> Option<ToolDir>;

/// How a path differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum ChangeKind {
    Modified,
    Added,
    Deleted,
}

/// One path that differs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Changed {
    pub path: RepoPath,
    pub kind: ChangeKind,
}

/// How git counts lines between two trees.
const COUNTED: [&str; 7] = [
    "diff-tree",
    "-r",
    "-z",
    "--no-ext-diff",
    "--ignore-submodules=none",
    "--no-textconv",
    "--numstat",
];

/// Lines added and removed, and what stands behind them; what is no text has one line added.
fn counted(record: &[u8]) -> Option<(usize, usize, &[u8])> {
    let mut fields = record.splitn(3, |byte| *byte == b'\t');
    let (added, removed, rest) = (fields.next()?, fields.next()?, fields.next()?);
    let number = |field: &[u8]| std::str::from_utf8(field).ok()?.parse::<usize>().ok();
    let (added, removed) = number(added).zip(number(removed)).unwrap_or((1, 0));
    Some((added, removed, rest))
}

/// One path in which two trees differ, and by how many lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LinesChanged {
    pub path: RepoPath,
    pub added: usize,
    pub removed: usize,
}

/// The work tree at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    pub tree: TreeId,
    /// What is there and no tree can hold.
    pub left: Vec<RepoPath>,
}

/// What a look saw.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Paths that differ.
    pub(super) changed: BTreeMap<RepoPath, ChangeKind>,
    /// New directories that tools make, by their names. Nothing in them was looked at.
    pub(super) builds: Vec<RepoPath>,
}

/// What is free below directories that tools make.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Free {
    /// Directories that are free with all that lies in them.
    whole: BTreeSet<RepoPath>,
    paths: BTreeSet<RepoPath>,
}

impl Free {
    /// Whether `path` is free.
    pub(crate) fn holds(&self, path: &RepoPath) -> bool {
        let bytes = path.as_bytes();
        let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
        let above = ends.chain([bytes.len()]).filter_map(|end| RepoPath::new(&bytes[..end]).ok());
        above.into_iter().any(|path| self.whole.contains(&path) || self.paths.contains(&path))
    }
}

/// Stands for all that lies in a directory.
const BELOW: &[u8] = b"/*";

/// `dir` seen from inside.
pub(super) fn below_it(dir: &RepoPath) -> RepoPath {
    RepoPath::new([dir.as_bytes(), BELOW].concat()).unwrap_or_else(|_| dir.clone())
}

/// How one path stands for the person: what `git status` would say of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Standing {
    pub path: RepoPath,
    /// The index differs from HEAD.
    pub staged: bool,
    /// The work tree differs from the index.
    pub unstaged: bool,
    /// Git does not know the path and does not ignore it.
    pub untracked: bool,
}

/// One record of `git status --porcelain=v2 -z`: the two letters, then the path.
struct Record {
    index: u8,
    work_tree: u8,
    path: RepoPath,
}

impl Store {
    /// What differs between the private index and the work tree, by path.
    ///
    /// No child where the fence's own look can say what differs ([`super::look`]), else at least
    /// one. A submodule counts by its commit, a repository
    /// inside this one by being there. `is_build` says whether a path lies below a
    /// directory that tools make, by its name: there what git ignores *now* is free, and
    /// left out; everywhere else only the rules of `lens` hide anything.
    pub(crate) fn changes_since_index(
        &self,
        index: &Path,
        lens: &Lens,
        is_build: BuildDir<'_>,
    ) -> Result<Vec<Changed>, StoreError> {
        self.differing_beside(index, lens, is_build)
    }

    /// The same where the private index may have gone, or hide something: it begins anew as `tree`
    /// then. One that says what differs is read once.
    pub(crate) fn changes_since(
        &self,
        index: &Path,
        tree: &TreeId,
        lens: &Lens,
        is_build: BuildDir<'_>,
    ) -> Result<Vec<Changed>, StoreError> {
        if let Some(seen) = self.look(index, lens, is_build) {
            return self.without_free(index, lens, seen, is_build);
        }
        if self.mend_index(index, tree)? {
            return self.differing_beside(index, lens, is_build);
        }
        self.differing_by_git(index, lens, is_build)
    }

    /// Takes out of what git saw what is missing and left out.
    fn without_left_out(&self, index: &Path, seen: &mut Seen) -> Result<(), StoreError> {
        let skipped = self.skipped()?;
        if skipped.is_empty() || !seen.changed.values().any(|kind| *kind == ChangeKind::Deleted) {
            return Ok(());
        }
        let length = self.repo.object_hash().len_in_bytes();
        let Some(plain) = index::Plain::of(fs::read(index)?, length) else { return Ok(()) };
        let kept: BTreeSet<&[u8]> = (0..plain.len())
            .filter(|entry| skipped.keeps(&plain, *entry))
            .map(|entry| plain.name(entry))
            .collect();
        seen.changed
            .retain(|path, kind| *kind != ChangeKind::Deleted || !kept.contains(path.as_bytes()));
        Ok(())
    }

    /// The same, but for what is missing and left out: nobody deleted it.
    fn differing_beside(
        &self,
        index: &Path,
        lens: &Lens,
        is_build: BuildDir<'_>,
    ) -> Result<Vec<Changed>, StoreError> {
        match self.look(index, lens, is_build) {
            Some(seen) => self.without_free(index, lens, seen, is_build),
            None => self.differing_by_git(index, lens, is_build),
        }
    }

    fn differing_by_git(
        &self,
        index: &Path,
        lens: &Lens,
        is_build: BuildDir<'_>,
    ) -> Result<Vec<Changed>, StoreError> {
        let mut seen = self.settled_by_git(index, lens, is_build)?;
        self.without_left_out(index, &mut seen)?;
        self.without_free(index, lens, seen, is_build)
    }

    /// What was seen, but for what is free below directories that tools make.
    pub(super) fn without_free(
        &self,
        index: &Path,
        lens: &Lens,
        seen: Seen,
        is_build: BuildDir<'_>,
    ) -> Result<Vec<Changed>, StoreError> {
        let Seen { mut changed, builds } = seen;
        let asked: Vec<RepoPath> =
            changed.keys().filter(|path| is_build(path).is_some()).cloned().collect();
        if !(builds.is_empty() && asked.is_empty()) {
            let inside = builds.iter().map(below_it).chain(asked.iter().cloned());
            let free = self.free(inside, is_build)?;
            let left = builds.into_iter().filter(|dir| !free.holds(dir)).collect();
            changed.retain(|path, _| !asked.contains(path) || !free.holds(path));
            self.look_into(index, lens, left, &mut changed)?;
        }
        Ok(changed.into_iter().map(|(path, kind)| Changed { path, kind }).collect())
    }

    /// The same as [`Store::look`], by git. What git found to be as the index has it is not read
    /// again by the next look: the index gets the time of this one.
    fn settled_by_git(
        &self,
        index: &Path,
        lens: &Lens,
        is_build: BuildDir<'_>,
    ) -> Result<Seen, StoreError> {
        let bytes = fs::read(index).unwrap_or_default();
        let plain = index::Plain::of(bytes.clone(), self.repo.object_hash().len_in_bytes());
        let time = index.metadata().and_then(|data| data.modified()).ok().map(index::time_of);
        let waits = plain.zip(time).is_some_and(|(plain, time)| {
            (0..plain.len()).any(|entry| !plain.is_settled(entry, time))
        });
        let own = waits.then(|| Own::beside(self, index)).transpose()?;
        let now = own.as_ref().map(Own::now).transpose()?;
        let seen = self.ask_git(index, lens, is_build)?;
        let differs = seen.changed.values().any(|kind| *kind == ChangeKind::Modified);
        if let (Some(own), Some(now), false) = (own, now, differs)
            && fs::read(index).is_ok_and(|read| read == bytes)
        {
            own.write(&bytes, now)?;
            own.put(index)?;
        }
        Ok(seen)
    }

    /// The same, and nothing is written but for [`Store::doubt_what_looks_the_same`].
    pub(super) fn ask_git(
        &self,
        index: &Path,
        lens: &Lens,
        is_build: BuildDir<'_>,
    ) -> Result<Seen, StoreError> {
        self.doubt_what_looks_the_same(index)?;
        let list =
            ["ls-files", "-z", "-t", "-m", "-d", "-o", "--directory", "--no-empty-directory"];
        let printed = self.looking(index, lens, list, [lens.excludes()])?;
        let mut changed = BTreeMap::new();
        let mut ahead = Vec::new();
        for record in records(&printed) {
            let Some((tag, b" ")) = record.split_at_checked(2).map(|(head, _)| head.split_at(1))
            else {
                return Err(odd_output("git ls-files", &String::from_utf8_lossy(record)));
            };
            let shown = &record[2..];
            let (Some(path), kind) = (nearest(shown), kind_of(tag[0])) else { continue };
            // What lies in a directory that took a file's place is not listed by itself.
            if kind == ChangeKind::Modified && self.is_plain_directory(&path) {
                ahead.push(path.clone());
            }
            if kind == ChangeKind::Added && shown.ends_with(b"/") && !self.is_repository(&path) {
                ahead.push(path);
            } else {
                // A path that is gone is listed as changed, too.
                let known = changed.entry(path).or_insert(kind);
                *known = if kind == ChangeKind::Deleted { kind } else { *known };
            }
        }
        if lens.loose {
            let list = ["ls-files", "-z", "-o", "--exclude-standard"];
            for path in records(&self.looking(index, lens, list, [])?) {
                changed.extend(
                    nearest(path)
                        .filter(|path| !changed.contains_key(path))
                        .map(|path| (path, ChangeKind::Added)),
                );
            }
        }
        let (builds, others): (Vec<_>, Vec<_>) =
            ahead.into_iter().partition(|dir| is_build(&below_it(dir)).is_some());
        self.look_into(index, lens, others, &mut changed)?;
        Ok(Seen { changed, builds })
    }

    /// Takes the times from entries whose file was rewritten in the second in which the index
    /// learned of it, and then dated back: git compares seconds only, and would not read it.
    fn doubt_what_looks_the_same(&self, index: &Path) -> Result<(), StoreError> {
        let Ok(bytes) = fs::read(index) else { return Ok(()) };
        let written = index.metadata()?.modified()?.duration_since(std::time::UNIX_EPOCH);
        let since = written.map_or(0, |time| time.as_secs().saturating_sub(WRITING.as_secs()));
        let mut lines = Vec::new();
        // An index that does not read is begun anew by whoever needs it.
        let _ = index::each_entry(&bytes, self.repo.object_hash().len_in_bytes(), |entry| {
            let Some(path) = Some(entry.name()).filter(|_| entry.changed_second() >= since) else {
                return;
            };
            let file = RepoPath::new(path).ok().and_then(|path| path.below(&self.work_tree).ok());
            if file
                .and_then(|file| file.symlink_metadata().ok())
                .is_some_and(|data| entry.looks_the_same(&data))
            {
                lines.extend(entry.timeless());
                lines.push(0);
            }
        });
        if lines.is_empty() {
            return Ok(());
        }
        let own = Own::beside(self, index)?;
        if !copy_with_times(index, &own.index)? {
            return Ok(());
        }
        let time = index.metadata()?.modified()?;
        let args = PRIVATE.into_iter().chain(["update-index", "-z", "--index-info"]);
        self.git(args).index(&own.index).input(lines).run()?;
        own.dated(time)?;
        own.put(index)
    }

    /// Which of `paths`, all below directories that tools make, git ignores now.
    pub(crate) fn free(
        &self,
        paths: impl IntoIterator<Item = RepoPath>,
        is_build: BuildDir<'_>,
    ) -> Result<Free, StoreError> {
        let mut asked = BTreeSet::new();
        let mut whole: BTreeMap<RepoPath, Vec<RepoPath>> = BTreeMap::new();
        let mut caches = BTreeSet::new();
        for path in paths {
            let Some(made) = is_build(&path) else { continue };
            if made.cache {
                caches.insert(made.dir);
                continue;
            }
            whole.entry(made.dir).or_default();
            if !path.as_bytes().ends_with(BELOW) {
                asked.insert(path);
            }
        }
        // A tool's directory may ignore itself from inside: then all that lies in it is ignored.
        for (dir, inside) in &mut whole {
            let on_disk = dir.below(&self.work_tree).ok();
            for entry in
                on_disk.and_then(|dir| fs::read_dir(dir).ok()).into_iter().flatten().flatten()
            {
                let name = entry.file_name();
                let Ok(name) = gix::path::os_str_into_bstr(&name) else { continue };
                inside.extend(RepoPath::new([dir.as_bytes(), b"/", name.as_ref()].concat()));
            }
        }
        asked.extend(whole.iter().flat_map(|(dir, inside)| inside.iter().chain([dir])).cloned());
        let asked: Vec<RepoPath> = asked.into_iter().collect();
        let ignored = self.ignored(&asked)?;
        let is_whole = |(dir, inside): &(RepoPath, Vec<RepoPath>)| {
            ignored.contains(dir)
                || (!inside.is_empty() && inside.iter().all(|path| ignored.contains(path)))
        };
        let mut whole: BTreeSet<RepoPath> =
            whole.into_iter().filter(is_whole).map(|(dir, _)| dir).collect();
        whole.extend(self.without_tracked(caches)?);
        Ok(Free { whole, paths: ignored })
    }

    /// Those of `dirs` in which the person's index holds nothing.
    fn without_tracked(
        &self,
        mut dirs: BTreeSet<RepoPath>,
    ) -> Result<BTreeSet<RepoPath>, StoreError> {
        if dirs.is_empty() {
            return Ok(dirs);
        }
        let names = dirs.iter().map(|dir| gix::path::from_byte_slice(dir.as_bytes()));
        let names = names.collect::<Result<Vec<_>, _>>();
        let names = names.map_err(|_| odd_output("git ls-files", "a path that is no path here"))?;
        // More would not fit into a command line everywhere: then the whole index is read out.
        let names = if names.len() > MOST { Vec::new() } else { names };
        let args = ["ls-files", "-z", "--cached", "--"].into_iter().map(OsString::from);
        let printed = self.git(args.chain(names.into_iter().map(Into::into))).run()?;
        for path in records(&printed) {
            let ends = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
            for above in ends.filter_map(|(end, _)| RepoPath::new(&path[..end]).ok()) {
                dirs.remove(&above);
            }
        }
        Ok(dirs)
    }

    /// Adds the files that lie below untracked directories.
    fn look_into(
        &self,
        index: &Path,
        lens: &Lens,
        dirs: Vec<RepoPath>,
        changed: &mut BTreeMap<RepoPath, ChangeKind>,
    ) -> Result<(), StoreError> {
        for dirs in dirs.chunks(MOST) {
            let names = dirs.iter().map(|dir| gix::path::from_byte_slice(dir.as_bytes()));
            let names = names.collect::<Result<Vec<_>, _>>();
            let names =
                names.map_err(|_| odd_output("git ls-files", "a path that is no path here"))?;
            let after =
                [lens.excludes(), "--".into()].into_iter().chain(names.into_iter().map(Into::into));
            for path in records(&self.looking(index, lens, ["ls-files", "-z", "-o"], after)?) {
                changed.extend(nearest(path).map(|path| (path, ChangeKind::Added)));
            }
        }
        Ok(())
    }

    fn looking<const N: usize>(
        &self,
        index: &Path,
        lens: &Lens,
        command: [&str; N],
        more: impl IntoIterator<Item = OsString>,
    ) -> Result<Vec<u8>, StoreError> {
        let args = lens.settings().chain(command.map(Into::into)).chain(more);
        self.git(args).index(index).envs(lens.variable()).run()
    }

    pub(super) fn is_plain_directory(&self, path: &RepoPath) -> bool {
        let on_disk = path.below(&self.work_tree).ok();
        let is_dir =
            on_disk.and_then(|path| path.symlink_metadata().ok()).is_some_and(|data| data.is_dir());
        is_dir && !self.is_repository(path)
    }

    /// A repository of its own at `path`, or a submodule.
    fn is_repository(&self, path: &RepoPath) -> bool {
        path.below(&self.work_tree).is_ok_and(|dir| dir.join(".git").exists())
    }

    /// Names in a private index of the file that is `inode` on `device`, as it was seen last.
    pub(crate) fn names_in_index(&self, index: &Path, device: u64, inode: u64) -> Vec<RepoPath> {
        let bytes = fs::read(index).unwrap_or_default();
        let names = index::names_of(&bytes, self.repo.object_hash().len_in_bytes(), device, inode);
        names.into_iter().filter_map(|name| RepoPath::new(name).ok()).collect()
    }

    /// Makes the private index stand for the work tree as it is and gives its tree.
    ///
    /// A new index starts from `base`, or from what the person's index knows about the
    /// files' times, which spares reading them all. Their content decides either way.
    ///
    /// Each call works on a copy of its own, which takes the index's place when it is
    /// done: two at once do not meet, and one that is killed leaves no lock behind.
    ///
    /// # Errors
    ///
    /// The index cannot be made or moved into place, or git cannot read the work tree.
    pub fn snapshot(
        &self,
        index: &Path,
        lens: &Lens,
        base: Option<&TreeId>,
        is_build: BuildDir<'_>,
    ) -> Result<Snapshot, StoreError> {
        if let Some(tree) = self.taken(index, lens, is_build) {
            return Ok(Snapshot { tree, left: Vec::new() });
        }
        let own = Own::beside(self, index)?;
        let taken = if self.is_plain(index) && copy_with_times(index, &own.index)? {
            let taken = self.take(&own.index, lens, is_build);
            taken.or_else(|_| self.take_anew(&own.index, lens, base, is_build))
        } else {
            self.take_anew(&own.index, lens, base, is_build)
        };
        let taken = taken?;
        // A file that replaces another one is waited for by some disks, and this is asked often.
        let time = |index: &Path| index.metadata().and_then(|data| data.modified()).ok();
        if time(&own.index) != time(index) || fs::read(&own.index).ok() != fs::read(index).ok() {
            own.put(index)?;
        }
        Ok(taken)
    }

    /// The tree of the work tree as it is, as [`Store::snapshot`] gives it; the private index stays
    /// as it was.
    ///
    /// # Errors
    ///
    /// As there.
    pub(crate) fn snapshot_beside(
        &self,
        index: &Path,
        lens: &Lens,
        base: Option<&TreeId>,
        is_build: BuildDir<'_>,
    ) -> Result<Snapshot, StoreError> {
        if let Some(tree) = self.taken_beside(index, lens, is_build) {
            return Ok(Snapshot { tree, left: Vec::new() });
        }
        let own = Own::beside(self, index)?;
        // One that is missing or hides something begins anew there.
        copy_with_times(index, &own.index)?;
        self.snapshot(&own.index, lens, base, is_build)
    }

    /// Brings the private index up to date for `changed`, as [`Store::changes_since_index`]
    /// gave it.
    pub(crate) fn catch_up(
        &self,
        index: &Path,
        lens: &Lens,
        changed: &[Changed],
    ) -> Result<(), StoreError> {
        if changed.is_empty() || self.caught_up(index, lens, changed).is_some() {
            return Ok(());
        }
        let own = Own::beside(self, index)?;
        if !copy_with_times(index, &own.index)? {
            return Ok(());
        }
        self.update(&own.index, lens, changed, &[])?;
        own.put(index)
    }

    /// A private index that is not there, or hides something, begins anew as `tree`: every
    /// file is read once. Says whether it had to.
    fn mend_index(&self, index: &Path, tree: &TreeId) -> Result<bool, StoreError> {
        if self.is_plain(index) {
            return Ok(false);
        }
        let own = Own::beside(self, index)?;
        self.git(PRIVATE.into_iter().chain(["read-tree", tree.as_str()]))
            .index(&own.index)
            .run()?;
        own.put(index)?;
        Ok(true)
    }

    fn is_plain(&self, index: &Path) -> bool {
        fs::read(index)
            .is_ok_and(|bytes| is_plain_index(&bytes, self.repo.object_hash().len_in_bytes()))
    }

    fn take(
        &self,
        index: &Path,
        lens: &Lens,
        is_build: BuildDir<'_>,
    ) -> Result<Snapshot, StoreError> {
        let skipped = self.skipped()?;
        self.follow_skipped(index, &skipped)?;
        let changed = self.differing_beside(index, lens, is_build)?;
        // Files that were only touched are not read again from here on.
        let left = self.update(index, lens, &changed, &["-q", "--refresh"])?;
        Ok(Snapshot { tree: self.write_tree(index)?, left })
    }

    /// The same from nothing: the first time, or where a gc has taken objects that only
    /// the old index held.
    fn take_anew(
        &self,
        index: &Path,
        lens: &Lens,
        base: Option<&TreeId>,
        is_build: BuildDir<'_>,
    ) -> Result<Snapshot, StoreError> {
        crate::world::remove_if_there(index)?;
        self.begin_index(index, base)?;
        self.take(index, lens, is_build)
    }

    /// Takes `changed` into the index, and gives back what cannot be taken.
    ///
    /// The index keeps its time, or gets the moment before this where nothing else in it waits
    /// to be told by its content.
    fn update(
        &self,
        index: &Path,
        lens: &Lens,
        changed: &[Changed],
        first: &[&str],
    ) -> Result<Vec<RepoPath>, StoreError> {
        if changed.is_empty() {
            return Ok(Vec::new());
        }
        if self.take_in(index, lens, changed).is_some() {
            return Ok(Vec::new());
        }
        let time = index.metadata().and_then(|data| data.modified());
        let time = time.unwrap_or(SystemTime::UNIX_EPOCH);
        let now = now_in(index.parent().unwrap_or(index))?;
        let left = self.update_by_git(index, lens, changed, first)?;
        let bytes = match fs::read(index) {
            Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok(left),
            bytes => bytes?,
        };
        let length = self.repo.object_hash().len_in_bytes();
        let fresh: BTreeSet<&[u8]> = changed.iter().map(|it| it.path.as_bytes()).collect();
        let known = index::time_of(time);
        let is_settled = index::Plain::of(bytes, length).is_some_and(|plain| {
            let waits = |entry: &usize| {
                !plain.is_settled(*entry, known) && !fresh.contains(plain.name(*entry))
            };
            !(0..plain.len()).any(|entry| waits(&entry))
        });
        let time = if is_settled { now } else { time };
        own::date(index, time)?;
        Ok(left)
    }

    /// Takes `changed` into the index. What cannot be taken (a repository without commits
    /// inside this one, a file that may not be read or that no filter turns into what is stored, a
    /// name that git refuses) is given back;
    /// the rest is what it is.
    fn update_by_git(
        &self,
        index: &Path,
        lens: &Lens,
        changed: &[Changed],
        first: &[&str],
    ) -> Result<Vec<RepoPath>, StoreError> {
        let (mut paths, mut behind, mut left) = (Vec::new(), Vec::new(), Vec::new());
        // Many lie in one directory, one after the other.
        let mut known: Option<(&[u8], bool)> = None;
        for Changed { path, kind } in changed {
            let dir = path.as_bytes().rsplitn(2, |byte| *byte == b'/').nth(1).unwrap_or_default();
            let lies = match known {
                Some((same, lies)) if same == dir => lies,
                _ => self.has_directories_above(path),
            };
            known = Some((dir, lies));
            // What lies behind a link is no part of the work tree; git would not look at it.
            let to = match () {
                () if !lies => &mut behind,
                () if self.can_be_taken(path, *kind) => &mut paths,
                () => &mut left,
            };
            to.push(path.clone());
        }
        let Sorted { mut plain, filtered, left: hidden } = self.by_filter(lens, paths)?;
        left.extend(hidden);
        let how = [first, &["--add", "--remove", "--replace"]].concat();
        let strict: Vec<String> = lens.filters.strict().collect();
        let all: Vec<RepoPath> = plain.iter().chain(&filtered).cloned().collect();
        let said = match self.update_index(index, lens, &strict, &how, &all) {
            // A filter that does not work stores nothing; the rest is taken without it.
            Err(_) if !filtered.is_empty() => {
                left.extend(filtered);
                self.update_index(index, lens, &[], &how, &std::mem::take(&mut plain))?
            }
            said => said?,
        };
        if !behind.is_empty() {
            self.update_index(index, lens, &[], &["--force-remove"], &behind)?;
        }
        let refused = said
            .split(|byte| *byte == b'\n')
            .filter_map(|line| line.strip_prefix(b"Ignoring path "));
        left.extend(refused.filter_map(|path| repo_path(path).ok()));
        Ok(left)
    }

    fn update_index(
        &self,
        index: &Path,
        lens: &Lens,
        strict: &[String],
        how: &[&str],
        paths: &[RepoPath],
    ) -> Result<Vec<u8>, StoreError> {
        let args = ["-c", "core.safecrlf=false", "update-index"].into_iter();
        let args = args.chain(how.iter().copied()).chain(["-z", "--stdin"]).map(Into::into);
        let strict = strict.iter().flat_map(|setting| ["-c", setting.as_str()]).map(Into::into);
        let args = lens.settings().chain(strict).chain(args);
        let child = self.git(args).index(index).envs(lens.variable());
        let outcome = child.input(nul_terminated(paths)).outcome()?;
        if outcome.code == Some(0) { Ok(outcome.stderr) } else { Err(outcome.failed()) }
    }

    /// Whether no link lies above `path`.
    pub(super) fn has_directories_above(&self, path: &RepoPath) -> bool {
        self.above(path).is_some_and(|mut above| !above.any(|dir| dir.is_symlink()))
    }

    /// Whether `path` lies in directories of this repository, and behind no link.
    pub(super) fn lies_here(&self, path: &RepoPath) -> bool {
        let is_ours =
            |dir: PathBuf| !dir.is_symlink() && dir.is_dir() && !dir.join(".git").exists();
        self.above(path).is_some_and(|mut above| above.all(is_ours))
    }

    /// The directories above `path`, up to the top of the work tree.
    fn above(&self, path: &RepoPath) -> Option<impl Iterator<Item = PathBuf>> {
        let on_disk = path.below(&self.work_tree).ok()?;
        let depth = path.as_bytes().split(|byte| *byte == b'/').count() - 1;
        let above = on_disk.ancestors().skip(1).take(depth).map(Path::to_owned).collect::<Vec<_>>();
        Some(above.into_iter())
    }

    fn can_be_taken(&self, path: &RepoPath, kind: ChangeKind) -> bool {
        let Ok(on_disk) = path.below(&self.work_tree) else { return false };
        match on_disk.symlink_metadata() {
            // In a file's place it means that the file is gone.
            Ok(data) if data.is_dir() && !on_disk.join(".git").exists() => {
                kind != ChangeKind::Added
            }
            Ok(data) if data.is_dir() => self.inner_head(path).is_some(),
            Ok(data) if data.is_file() => fs::File::open(on_disk).is_ok(),
            // Git refuses a pipe or a socket in a file's place, and reading one waits for ever.
            Ok(data) => data.is_symlink(),
            Err(error) => {
                matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
            }
        }
    }

    /// Whether a commit can hold what lies at `path`, as far as reading goes.
    pub(crate) fn can_be_read(&self, path: &RepoPath) -> bool {
        self.can_be_taken(path, ChangeKind::Modified)
    }

    fn begin_index(&self, index: &Path, base: Option<&TreeId>) -> Result<(), StoreError> {
        fs::create_dir_all(index.parent().unwrap_or(index))?;
        if self.copy_unmarked_index(index)? {
            // The person's git looked at the files some time before it wrote down what it saw.
            let time = index.metadata()?.modified()?;
            own::date(index, time - WRITING)?;
            return Ok(());
        }
        match base {
            Some(tree) => {
                let args = PRIVATE.into_iter().chain(["read-tree", tree.as_str()]);
                self.git(args).index(index).run().map(drop)
            }
            None => Ok(()),
        }
    }

    /// Copies the person's index to `to` if it hides nothing; says whether it did.
    pub(super) fn copy_plain_index(&self, to: &Path) -> io::Result<bool> {
        let from = self.index_path();
        let bytes = match fs::read(&from) {
            Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok(false),
            bytes => bytes?,
        };
        if !is_plain_index(&bytes, self.repo.object_hash().len_in_bytes()) {
            return Ok(false);
        }
        // Git trusts an entry's times only if they are older than the index itself, so a
        // copy must not look younger than what it copies.
        let when = from.metadata()?.modified()?;
        own::write_dated(to, &bytes, when)?;
        Ok(true)
    }

    /// The tree of a private index, whose blobs are all there. Git locks an index for this: it
    /// gets a copy, so that two at once do not meet. No child where git keeps it with the index.
    pub(crate) fn tree_of_index(&self, index: &Path) -> Result<TreeId, StoreError> {
        if let Some(tree) = self.kept_tree(index) {
            return Ok(tree);
        }
        let own = Own::beside(self, index)?;
        copy_with_times(index, &own.index)?;
        self.write_tree(&own.index)
    }

    /// The tree of an index, whose blobs are all there.
    ///
    /// No child where the index is plain; trees that it does not know yet are kept with it then.
    pub(super) fn write_tree(&self, index: &Path) -> Result<TreeId, StoreError> {
        if let Some(tree) = self.kept_tree(index).or_else(|| self.tree_from(index)) {
            return Ok(tree);
        }
        // What a partial clone left with its remote is not fetched for its name.
        let lenient = self.is_partial().then_some("--missing-ok");
        let args = PRIVATE.into_iter().chain(["write-tree"]).chain(lenient);
        let printed = self.git(args).index(index).run()?;
        parse_id(&printed, "git write-tree")
    }

    /// The tree that git keeps with an index, where each tree of it is still here: what
    /// `git write-tree` would say.
    fn kept_tree(&self, index: &Path) -> Option<TreeId> {
        let bytes = fs::read(index).ok()?;
        let trees = index::trees_of(&bytes, self.repo.object_hash().len_in_bytes())?;
        let ids = trees.into_iter().map(|id| gix::ObjectId::try_from(id).ok());
        let ids = ids.collect::<Option<Vec<_>>>()?;
        ids.iter().all(|id| self.repo.has_object(id)).then(|| ids.first().map(|id| (*id).into()))?
    }

    /// The tree `base` with everything that differs from tree `a` to tree `b` as it is in `b`.
    pub(crate) fn carry_over(
        &self,
        base: &TreeId,
        a: &TreeId,
        b: &TreeId,
    ) -> Result<TreeId, StoreError> {
        self.carry_some(base, a, b, &|_| true)
    }

    /// The same of those paths alone that `takes` takes.
    ///
    /// # Errors
    ///
    /// As of [`Self::carry_over`].
    pub(crate) fn carry_some(
        &self,
        base: &TreeId,
        a: &TreeId,
        b: &TreeId,
        takes: &dyn Fn(&RepoPath) -> bool,
    ) -> Result<TreeId, StoreError> {
        let options = ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev"];
        let compared = ["--no-ext-diff", "--ignore-submodules=none", a.as_str(), b.as_str()];
        let printed = self.git(options.into_iter().chain(compared)).run()?;
        let mut fields = printed.split(|byte| *byte == 0).filter(|field| !field.is_empty());
        let mut lines = Vec::new();
        while let (Some(change), Some(path)) = (fields.next(), fields.next()) {
            // `:<mode> <mode> <id> <id> <letter>`; a mode of zeros is a path that is gone.
            let words: Vec<&[u8]> = change.split(|byte| *byte == b' ').collect();
            let [_, mode, _, id, _] = words[..] else { continue };
            if !takes(&repo_path(path)?) {
                continue;
            }
            lines.extend([mode, b" ", id, b"\t", path, b"\0"].concat());
        }
        let dir = stages::make(&seed_dir_of(self)?, "carry-")?;
        let index = dir.path().join("index");
        self.git(PRIVATE.into_iter().chain(["read-tree", base.as_str()])).index(&index).run()?;
        let update = PRIVATE.into_iter().chain(["update-index", "--replace", "-z", "--index-info"]);
        self.git(update).index(&index).input(lines).run()?;
        self.write_tree(&index)
    }

    /// The paths in which two trees differ, with the lines added and removed; a file that is
    /// not text counts as one line added.
    pub(crate) fn lines_changed(
        &self,
        a: &TreeId,
        b: &TreeId,
    ) -> Result<Vec<LinesChanged>, StoreError> {
        if a == b {
            return Ok(Vec::new());
        }
        let printed = self.git(COUNTED.into_iter().chain(["--no-renames", a.as_str(), b.as_str()]));
        let printed = printed.run()?;
        let mut changed = Vec::new();
        for record in printed.split(|byte| *byte == 0).filter(|record| !record.is_empty()) {
            let Some((added, removed, path)) = counted(record) else { continue };
            changed.push(LinesChanged { path: repo_path(path)?, added, removed });
        }
        Ok(changed)
    }

    /// Files that lie elsewhere in `b` than in `a`, as git finds renames: where each lay, and where
    /// it lies with the lines that came and went on the way.
    pub(crate) fn moved(
        &self,
        a: &TreeId,
        b: &TreeId,
    ) -> Result<Vec<(RepoPath, LinesChanged)>, StoreError> {
        let options = ["--find-renames", "--diff-filter=R", a.as_str(), b.as_str()];
        let printed = self.git(COUNTED.into_iter().chain(options)).run()?;
        // `<added>\t<removed>\t`, where it lay, where it lies.
        let mut records = printed.split(|byte| *byte == 0);
        let mut moved = Vec::new();
        while let (Some(record), Some(was), Some(path)) =
            (records.next(), records.next(), records.next())
        {
            let Some((added, removed, _)) = counted(record) else { continue };
            let now = LinesChanged { path: repo_path(path)?, added, removed };
            moved.push((repo_path(was)?, now));
        }
        Ok(moved)
    }

    /// The bytes of the file at `path` in `tree`; `None` if there is none.
    pub(crate) fn blob_at(
        &self,
        tree: &TreeId,
        path: &RepoPath,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        self.blob_in(tree, path.as_bytes(), &format!("`{path}` of tree {tree}"))
    }

    /// The tree of a commit.
    ///
    /// # Errors
    ///
    /// The commit is missing, or is no commit.
    pub fn tree_of_commit(&self, commit: &CommitId) -> Result<TreeId, StoreError> {
        Ok(self.tree_of(commit.object()?, "the commit")?.into())
    }

    /// The whole message of a commit.
    pub(crate) fn commit_message(&self, commit: &CommitId) -> Result<String, StoreError> {
        let object = self.commit_object(commit.object()?, "the commit")?;
        let message = object.message_raw().map(ToString::to_string);
        message.map_err(|err| StoreError::unreadable(format!("the commit ({commit})"), &err))
    }

    /// What the person's `git status` says, every untracked file by itself.
    pub(crate) fn status(&self) -> Result<Vec<Standing>, StoreError> {
        let records =
            parse_status(&self.git(["--no-optional-locks"].into_iter().chain(STATUS)).run()?)?;
        let standing = |record: Record| {
            let untracked = record.index == b'?';
            let differs = |letter: u8| letter != b'.' && !untracked;
            let (staged, unstaged) = (differs(record.index), differs(record.work_tree));
            Standing { path: record.path, staged, unstaged, untracked }
        };
        Ok(records.into_iter().map(standing).collect())
    }

    /// Every file of the work tree that git knows or does not ignore.
    pub(crate) fn files(&self) -> Result<Vec<RepoPath>, StoreError> {
        let list =
            ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"];
        let printed = self.git(list).run()?;
        printed.split(|byte| *byte == 0).filter(|path| !path.is_empty()).map(repo_path).collect()
    }

    /// What the person is in the middle of: `merge`, `rebase`, `cherry-pick`, `revert`,
    /// `am` or `bisect`.
    pub(crate) fn in_progress(&self) -> Option<&'static str> {
        let signs = [
            ("rebase-merge", "rebase"),
            ("rebase-apply/applying", "am"),
            ("rebase-apply", "rebase"),
            ("MERGE_HEAD", "merge"),
            ("CHERRY_PICK_HEAD", "cherry-pick"),
            ("REVERT_HEAD", "revert"),
            ("sequencer", "cherry-pick"),
            ("BISECT_LOG", "bisect"),
        ];
        signs.into_iter().find(|(file, _)| self.git_dir.join(file).exists()).map(|(_, what)| what)
    }

    /// Puts `paths` of the work tree back as they are in `tree`: files it has are
    /// written, with the person's filters; files it lacks are deleted; a repository inside
    /// this one goes to its commit, where nothing in it stands in the way. No index is
    /// touched. A directory in a file's place, or a file in a directory's, is left alone
    /// unless it is one of `paths` or empty.
    pub(crate) fn restore(&self, tree: &TreeId, paths: &[RepoPath]) -> Result<(), StoreError> {
        let (mut kept, mut gone, mut inner) = (Vec::new(), Vec::new(), Vec::new());
        for path in paths {
            let what = format!("`{path}` of tree {tree}");
            match self.entry_in(tree, path.as_bytes(), &what)? {
                Some((mode, _)) if mode.is_blob_or_symlink() => kept.push(path.clone()),
                Some((mode, id)) if mode.is_commit() => inner.push((path, id)),
                _ => gone.push(path),
            }
        }
        for path in gone {
            self.delete_file(path)?;
        }
        for (path, id) in inner {
            if self.is_repository(path) {
                let Ok(dir) = path.below(&self.work_tree) else { continue };
                // What was changed in there and not committed stops it; then it stays as it is.
                let args = ["-C".into(), dir.into_os_string()];
                let go = ["checkout", "-q", "--detach"].map(OsString::from);
                self.git(args.into_iter().chain(go).chain([id.to_string().into()])).outcome()?;
            }
        }
        kept.retain(|path| self.has_room_for(path));
        if kept.is_empty() { Ok(()) } else { self.write_files(tree, &kept) }
    }

    /// Nothing but a file lies at `path`, and nothing but directories above it.
    fn has_room_for(&self, path: &RepoPath) -> bool {
        let Ok(file) = path.below(&self.work_tree) else { return false };
        let kind = |path: &Path| path.symlink_metadata().ok().map(|data| data.is_dir());
        let mut above = file.ancestors().skip(1).take_while(|dir| *dir != self.work_tree);
        // An empty directory goes; one that holds anything stays.
        if kind(&file) == Some(true) && fs::remove_dir(&file).is_err() {
            return false;
        }
        above.all(|dir| kind(dir) != Some(false))
    }

    /// The bytes at `path` as a blob would hold them, unfiltered: of a file, or where a link
    /// leads.
    pub(crate) fn content_now(&self, path: &RepoPath) -> Option<Vec<u8>> {
        let file = path.below(&self.work_tree).ok()?;
        let data = file.symlink_metadata().ok()?;
        if data.is_symlink() {
            let to = fs::read_link(file).ok()?;
            return Some(gix::path::into_bstr(to).ok()?.into_owned().into());
        }
        if data.is_file() { fs::read(file).ok() } else { None }
    }

    /// The commit of a repository inside this one.
    pub(crate) fn inner_head(&self, path: &RepoPath) -> Option<String> {
        let dir = path.below(&self.work_tree).ok().filter(|dir| dir.join(".git").exists())?;
        Some(gix::open(dir).ok()?.head_id().ok()?.to_string())
    }

    /// Whether `path` is what it is in `tree`: there or not, of its kind, byte for byte.
    pub(crate) fn is_as_in(&self, tree: &TreeId, path: &RepoPath) -> Result<bool, StoreError> {
        let what = format!("`{path}` of tree {tree}");
        let Ok(file) = path.below(&self.work_tree) else { return Ok(false) };
        let data = file.symlink_metadata().ok();
        let (entry, data) = match (self.entry_in(tree, path.as_bytes(), &what)?, data) {
            (None, None) => return Ok(true),
            (Some((mode, id)), None) => {
                return self.is_left_out_as(path, u32::from(mode.value()), &id);
            }
            (Some(entry), Some(data)) => (entry, data),
            _ => return Ok(false),
        };
        let (mode, id) = entry;
        if mode.is_commit() {
            let now = self.inner_head(path);
            return Ok(now.is_none() || now == Some(id.to_string()));
        }
        if mode.is_tree() {
            return Ok(data.is_dir());
        }
        let same_kind = if mode.is_link() { data.is_symlink() } else { data.is_file() };
        let counts = self.repo.config_snapshot().boolean("core.fileMode") != Some(false);
        let same_mode = mode.is_link() || !counts || mode.is_executable() == is_executable(&data);
        Ok(same_kind && same_mode && self.blob_at(tree, path)? == self.content_now(path))
    }

    fn write_files(&self, tree: &TreeId, paths: &[RepoPath]) -> Result<(), StoreError> {
        let dir = stages::make(&seed_dir_of(self)?, "restore-")?;
        let index = dir.path().join("index");
        self.git(PRIVATE.into_iter().chain(["read-tree", tree.as_str()])).index(&index).run()?;
        let write =
            self.git(PRIVATE.into_iter().chain(["checkout-index", "-q", "-f", "-z", "--stdin"]));
        write.index(&index).input(nul_terminated(paths)).run().map(drop)
    }

    /// Deletes one file and the directories it leaves empty, as git does.
    ///
    /// What lies behind a symbolic link is not in the work tree and is left alone.
    fn delete_file(&self, path: &RepoPath) -> Result<(), StoreError> {
        let invalid = |err: super::NotInside| StoreError::Invalid {
            what: path.to_string(),
            why: err.to_string(),
        };
        let file = path.below(&self.work_tree).map_err(invalid)?;
        let parents = || file.ancestors().skip(1).take_while(|dir| *dir != self.work_tree);
        let is_dir = file.symlink_metadata().is_ok_and(|meta| meta.is_dir());
        if is_dir || parents().any(|dir| dir.symlink_metadata().is_ok_and(|meta| meta.is_symlink()))
        {
            return Ok(());
        }
        match fs::remove_file(&file) {
            Err(err)
                if matches!(err.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
            {
                return Ok(());
            }
            result => result?,
        }
        // The first directory that is not empty ends it.
        let _emptied = parents().take_while(|dir| fs::remove_dir(dir).is_ok()).count();
        Ok(())
    }
}

#[cfg(unix)]
fn is_executable(data: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    data.permissions().mode() & 0o100 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &fs::Metadata) -> bool {
    false
}

/// The path that git printed; of one that no index can hold, such as `x/.GIT/y`, the
/// directory above what makes it so.
fn nearest(shown: &[u8]) -> Option<RepoPath> {
    let shown = shown.strip_suffix(b"/").unwrap_or(shown);
    let ends = shown.iter().enumerate().rev().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
    [shown.len()].into_iter().chain(ends).find_map(|end| RepoPath::new(&shown[..end]).ok())
}

/// What a tag of `git ls-files -t` means; a type change is a modification.
fn kind_of(tag: u8) -> ChangeKind {
    match tag {
        b'?' => ChangeKind::Added,
        b'R' => ChangeKind::Deleted,
        _ => ChangeKind::Modified,
    }
}

const STATUS: [&str; 5] =
    ["status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames"];

/// What a letter of git's means; `.` is no difference. A type change is a modification,
/// and so is a conflict.
/// Reads the records; each kind has its own number of fields before the path.
fn parse_status(printed: &[u8]) -> Result<Vec<Record>, StoreError> {
    let records = printed.split(|byte| *byte == 0).filter(|record| !record.is_empty());
    records
        .filter(|record| !record.starts_with(b"! ") && !record.starts_with(b"# "))
        .map(parse_record)
        .collect()
}

fn parse_record(record: &[u8]) -> Result<Record, StoreError> {
    let odd = || odd_output("git status", &String::from_utf8_lossy(record));
    let count = match record.first() {
        Some(b'1') => 9,
        Some(b'u') => 11,
        Some(b'?') => 2,
        _ => return Err(odd()),
    };
    let fields: Vec<&[u8]> = record.splitn(count, |byte| *byte == b' ').collect();
    match fields.as_slice() {
        fields if fields.len() != count => Err(odd()),
        [b"?", path] => Ok(Record { index: b'?', work_tree: b'?', path: repo_path(path)? }),
        [_, [index, work_tree], .., path] => {
            Ok(Record { index: *index, work_tree: *work_tree, path: repo_path(path)? })
        }
        _ => Err(odd()),
    }
}

/// A path that git printed; an untracked repository inside this one ends in `/`.
pub(super) fn repo_path(path: &[u8]) -> Result<RepoPath, StoreError> {
    let path = path.strip_suffix(b"/").unwrap_or(path);
    RepoPath::new(path).map_err(|err| odd_output("git", &err.to_string()))
}

fn parse_id(printed: &[u8], command: &str) -> Result<TreeId, StoreError> {
    let text = String::from_utf8_lossy(printed);
    text.trim_end().parse().map_err(|_| odd_output(command, &text))
}

pub(super) fn odd_output(command: &str, output: &str) -> StoreError {
    StoreError::Git { command: command.to_owned(), output: format!("unexpected: {output}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::testbed::{Testbed, path};

    fn no_build(_: &RepoPath) -> Option<ToolDir> {
        None
    }

    fn told(changed: &[Changed]) -> Vec<(String, ChangeKind)> {
        changed.iter().map(|changed| (changed.path.to_string(), changed.kind)).collect()
    }

    fn names(pairs: &[(&str, ChangeKind)]) -> Vec<(String, ChangeKind)> {
        pairs.iter().map(|(name, kind)| ((*name).to_owned(), *kind)).collect()
    }

    #[test]
    fn the_files_of_the_work_tree_are_those_that_git_does_not_ignore() {
        let bed = Testbed::new();
        bed.commit("kept ä", "1");
        bed.write(".gitignore", "build/\n");
        bed.write("new", "1");
        bed.write("build/page", "1");
        let mut files: Vec<String> =
            bed.store().files().expect("lists").iter().map(ToString::to_string).collect();
        files.sort();
        assert_eq!(files, [".gitignore", "kept ä", "new"]);
    }

    #[test]
    fn a_file_that_is_dated_back_within_the_second_is_seen() {
        let bed = Testbed::new();
        let old = std::time::UNIX_EPOCH + std::time::Duration::from_hours(10_000);
        let write = |text: &str| {
            bed.write("same", text);
            let file =
                std::fs::File::options().append(true).open(bed.path().join("same")).expect("opens");
            file.set_modified(old).expect("ours");
        };
        write("aaaa");
        bed.git(&["add", "-A"]);
        bed.git(&["commit", "-q", "-m", "same"]);
        let store = bed.store();
        let index = store.seed_dir().join("index/main");
        for text in ["bbbb", "cccc", "dddd", "eeee"] {
            store.snapshot(&index, &Lens::default(), None, &no_build).expect("stands");
            write(text);
            let changed =
                store.changes_since_index(&index, &Lens::default(), &no_build).expect("compares");
            assert_eq!(told(&changed), names(&[("same", ChangeKind::Modified)]), "{text}");
            write(text);
        }
    }

    #[test]
    fn a_private_index_sees_every_change_since_its_snapshot_and_no_other() {
        for format in ["sha1", "sha256"] {
            let bed = Testbed::with_format(format);
            bed.commit("kept", "1");
            bed.commit("gone", "1");
            bed.write("dirty before", "1");
            bed.git(&["add", "dirty before"]);
            let store = bed.store();
            let index = store.seed_dir().join("index/main");
            let before =
                store.snapshot(&index, &Lens::default(), None, &no_build).expect("stands").tree;
            assert_eq!(
                store.changes_since_index(&index, &Lens::default(), &no_build).expect("compares"),
                []
            );
            bed.write("kept", "22");
            bed.write("dir/new ä", "1");
            std::fs::remove_file(bed.path().join("gone")).expect("ours");
            let expected = names(&[
                ("dir/new ä", ChangeKind::Added),
                ("gone", ChangeKind::Deleted),
                ("kept", ChangeKind::Modified),
            ]);
            assert_eq!(
                told(
                    &store
                        .changes_since_index(&index, &Lens::default(), &no_build)
                        .expect("compares")
                ),
                expected
            );
            bed.git(&["commit", "-q", "-a", "-m", "more"]);
            assert_eq!(
                told(
                    &store
                        .changes_since_index(&index, &Lens::default(), &no_build)
                        .expect("compares")
                ),
                expected,
                "HEAD does not matter"
            );
            let after = store
                .snapshot(&index, &Lens::default(), Some(&before), &no_build)
                .expect("stands")
                .tree;
            assert_eq!(told(&store.diff_trees(&before, &after).expect("compares")), expected);
            assert_eq!(store.blob_at(&after, &path("kept")).expect("reads"), Some(b"22".to_vec()));
            assert_eq!(store.blob_at(&after, &path("gone")).expect("reads"), None);
        }
    }

    #[test]
    fn nothing_hides_behind_marks_in_the_persons_index() {
        for mark in ["--assume-unchanged", "--skip-worktree"] {
            let bed = Testbed::new();
            bed.commit("a", "1");
            bed.git(&["update-index", mark, "a"]);
            bed.write("a", "22");
            let store = bed.store();
            let tree = store
                .snapshot(&store.seed_dir().join("index-main"), &Lens::default(), None, &no_build)
                .expect("stands")
                .tree;
            assert_eq!(
                store.blob_at(&tree, &path("a")).expect("reads"),
                Some(b"22".to_vec()),
                "{mark}"
            );
            assert_eq!(store.status().expect("asks"), [], "{mark}: the person still hides it");
        }
    }

    #[test]
    fn the_tree_of_an_index_is_what_git_says_and_known_without_it_only_while_it_is_here() {
        for format in ["sha1", "sha256"] {
            let bed = Testbed::with_format(format);
            for file in ["a", "dir/b", "dir/deep/c", "other/d"] {
                bed.commit(file, "1");
            }
            let store = bed.store();
            let index = bed.path().join(".git/index");
            let said = || bed.git(&["write-tree"]);
            assert_eq!(store.kept_tree(&index).map(|tree| tree.to_string()), Some(said()));
            // What is staged makes the kept trees out of date, until git writes them again.
            bed.write("dir/deep/c", "2");
            bed.git(&["update-index", "dir/deep/c"]);
            assert_eq!(store.kept_tree(&index), None);
            let tree = store.write_tree(&index).expect("a tree");
            assert_eq!(tree.to_string(), said());
            assert_eq!(store.kept_tree(&index), Some(tree.clone()));
            bed.git(&["rm", "-q", "--cached", "other/d"]);
            assert_eq!(store.kept_tree(&index), None);
            let tree = store.write_tree(&index).expect("a tree");
            assert_eq!(tree.to_string(), said());
            // A tree below it is gone.
            let deep = bed.git(&["rev-parse", &format!("{tree}:dir/deep")]);
            std::fs::remove_file(crate::store::loose::path(
                &bed.path().join(".git/objects"),
                &deep,
            ))
            .expect("it is loose");
            assert_eq!(bed.store().kept_tree(&index), None);
            let bytes = std::fs::read(&index).expect("reads");
            let id_length = if format == "sha1" { 20 } else { 32 };
            for cut in 0..bytes.len() {
                let _ = index::trees_of(&bytes[..cut], id_length);
            }
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_snapshot_of_what_did_not_change_leaves_its_index_in_place() {
        use std::os::unix::fs::MetadataExt as _;
        let bed = Testbed::new();
        bed.commit("dir/a", "1");
        let store = bed.store();
        let lens = store.lens(&store.pins().expect("pins"), None).expect("a lens");
        let dir = tempfile::tempdir().expect("a directory");
        let index = dir.path().join("index");
        let take = || store.snapshot(&index, &lens, None, &no_build).expect("a snapshot").tree;
        let inode = || index.metadata().expect("it is there").ino();
        let first = take();
        assert_eq!(take(), first);
        let lies = inode();
        assert_eq!((take(), inode()), (first.clone(), lies));
        bed.write("dir/a", "22");
        let second = take();
        assert_ne!((second.clone(), inode()), (first.clone(), lies));
        bed.write("dir/a", "1");
        assert_eq!(take(), first);
    }

    #[test]
    fn a_snapshot_leaves_the_persons_index_and_status_alone() {
        let bed = Testbed::new();
        bed.commit("a", "1");
        bed.write("a", "22");
        bed.write("b", "1");
        bed.git(&["add", "-N", "b"]);
        let before = (
            fs::read(bed.path().join(".git/index")).expect("reads"),
            bed.git(&["status", "--porcelain"]),
        );
        let store = bed.store();
        store
            .snapshot(&store.seed_dir().join("index-main"), &Lens::default(), None, &no_build)
            .expect("stands");
        let after = (
            fs::read(bed.path().join(".git/index")).expect("reads"),
            bed.git(&["status", "--porcelain"]),
        );
        assert_eq!(before, after);
    }

    #[test]
    fn status_tells_staged_unstaged_and_untracked_apart() {
        let bed = Testbed::new();
        for name in ["staged", "both", "unstaged"] {
            bed.commit(name, "1");
        }
        for name in ["staged", "both", "unstaged", "un tracked"] {
            bed.write(name, "22");
        }
        bed.git(&["add", "staged", "both"]);
        bed.write("both", "333");
        let standing = bed.store().status().expect("asks");
        let told: Vec<_> =
            standing.iter().map(|s| (s.path.to_str(), s.staged, s.unstaged, s.untracked)).collect();
        assert_eq!(
            told,
            [
                (Some("both"), true, true, false),
                (Some("staged"), true, false, false),
                (Some("unstaged"), false, true, false),
                (Some("un tracked"), false, false, true),
            ]
        );
    }

    #[test]
    fn what_is_under_way_is_named() {
        let bed = Testbed::new();
        bed.commit("a", "1");
        let store = bed.store();
        assert_eq!(store.in_progress(), None);
        bed.git(&["checkout", "-q", "-b", "side"]);
        bed.commit("a", "2");
        bed.git(&["checkout", "-q", "main"]);
        bed.commit("a", "3");
        for (command, what) in
            [("merge", "merge"), ("rebase", "rebase"), ("cherry-pick", "cherry-pick")]
        {
            Testbed::run_in(bed.path(), &[command, "side"]);
            assert_eq!(store.in_progress(), Some(what));
            assert!(
                store.status().expect("asks").iter().any(|s| s.staged && s.unstaged),
                "{what}: a conflict is both"
            );
            bed.git(&[command, "--abort"]);
        }
        bed.git(&["bisect", "start"]);
        assert_eq!(store.in_progress(), Some("bisect"));
    }

    #[test]
    fn restored_paths_are_as_the_tree_has_them_and_no_index_moves() {
        let bed = Testbed::new();
        bed.commit("dir/a", "1");
        let head = bed.commit("gone", "1");
        bed.write("dir/a", "22");
        bed.write("fresh/deep/file", "1");
        bed.write("other", "1");
        fs::remove_file(bed.path().join("gone")).expect("ours");
        let before = fs::read(bed.path().join(".git/index")).expect("reads");
        let store = bed.store();
        let tree = store.tree_of_commit(&head).expect("reads");
        let paths = ["dir/a", "gone", "fresh/deep/file", "never"].map(path);
        store.restore(&tree, &paths).expect("restores");
        assert_eq!(
            (bed.read("dir/a"), bed.read("gone"), bed.read("other")),
            ("1".into(), "1".into(), "1".into())
        );
        assert!(!bed.path().join("fresh").exists());
        assert_eq!(fs::read(bed.path().join(".git/index")).expect("reads"), before);
        assert_eq!(store.commit_message(&head).expect("reads"), "gone\n");
    }

    #[cfg(unix)]
    #[test]
    fn restore_deletes_nothing_behind_a_link() {
        let bed = Testbed::new();
        let head = bed.commit("a", "1");
        let outside = bed.path().with_file_name("outside");
        fs::create_dir(&outside).expect("creates");
        fs::write(outside.join("file"), "1").expect("writes");
        std::os::unix::fs::symlink(&outside, bed.path().join("link")).expect("links");
        let store = bed.store();
        store
            .restore(&store.tree_of_commit(&head).expect("reads"), &[path("link/file")])
            .expect("restores");
        assert!(outside.join("file").exists());
    }

    #[test]
    fn records_that_git_never_prints_are_named() {
        for record in ["3 nonsense", "1 M. too few", "u", "1 MMM N... 1 2 3 4 5 path"] {
            assert!(parse_status(record.as_bytes()).is_err(), "{record}");
        }
    }
}
