//! One walk over the work tree beside an index: what is gone, what is new, and what each entry's
//! file looks like.
//!
//! Each directory is listed once and each file of an entry is asked for its data once; no file is
//! opened. Directories are gone through by as many threads as pay for themselves. Whatever is not
//! plain ends the walk, and git answers: a link where the index has a directory, a repository that
//! the index does not know, a directory that does not read, a name that no index can hold.

use std::ffi::CStr;
use std::ops::Range;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat, openat, statat};
use rustix::io::Errno;

use super::excludes::Excludes;
use crate::store::RepoPath;
use crate::store::index::{NUMBERS, Plain};

/// Entries for which one more thread is started.
const A_THREAD: usize = 1_000;
/// The most threads.
const THREADS: usize = 8;
/// Entries of a directory above which what lies in it is handed out, by about so many entries.
const HANDED_OUT: usize = 200;

/// Entries of a directory that are gone through one by one before its end is searched for.
const FEW: usize = 16;

/// Bytes that names are read into at once.
#[cfg(target_os = "linux")]
const ROOM: usize = 32 * 1024;

/// What stands in an index, by its mode.
const FILE: u32 = 0o10;
const LINK: u32 = 0o12;
const REPOSITORY: u32 = 0o16;

/// Where a number of an entry stands: see [`Plain::numbers`].
const MODE: usize = 6;
const SIZE: usize = 9;
/// The numbers that tell a file from another one, its size apart: all but device and mode.
const TELLING: [usize; 7] = [0, 1, 2, 3, 5, 7, 8];

/// What a walk goes by.
pub(super) struct Ground<'a> {
    pub(super) index: &'a Plain,
    pub(super) excludes: &'a Excludes,
    /// An entry counts if its file changed last before this second and nanosecond.
    pub(super) trusted: (u32, u32),
    /// Whether the executable bit counts.
    pub(super) modes: bool,
}

/// What a walk found.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Entries whose file is gone.
    pub(super) gone: Vec<usize>,
    /// Entries whose file is another one.
    pub(super) modified: Vec<usize>,
    /// Entries of which only the content tells.
    pub(super) doubted: Vec<usize>,
    /// Entries that are repositories of their own, and are there.
    pub(super) inner: Vec<usize>,
    /// Files that the index does not know and the patterns do not hide.
    pub(super) added: Vec<RepoPath>,
    /// Directories of that kind. Nothing in them was looked at.
    pub(super) dirs: Vec<RepoPath>,
    /// Directories that took a file's place, and whether the patterns hide them.
    pub(super) replaced: Vec<(RepoPath, bool)>,
}

impl Found {
    fn take(&mut self, other: Self) {
        self.gone.extend(other.gone);
        self.modified.extend(other.modified);
        self.doubted.extend(other.doubted);
        self.inner.extend(other.inner);
        self.added.extend(other.added);
        self.dirs.extend(other.dirs);
        self.replaced.extend(other.replaced);
    }
}

/// A directory that the index knows.
struct Task {
    /// Its path, empty at the top, else ending in `/`.
    prefix: Vec<u8>,
    entries: Range<usize>,
    /// The patterns hide it: what the index does not know in it is no news.
    hidden: bool,
}

impl Task {
    /// The directory of a child.
    fn below(&self, child: &Child<'_>, hidden: bool) -> Self {
        let prefix = [&self.prefix, child.name, b"/"].concat();
        Self { prefix, entries: child.entries.clone(), hidden }
    }
}

/// A name in a directory of which the index knows something.
struct Child<'a> {
    name: &'a [u8],
    entries: Range<usize>,
    /// One entry of this very name; else all lie below it.
    is_entry: bool,
}

/// How a file compares with what an entry knows of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compared {
    Same,
    /// Its content has to tell.
    Doubted,
    Modified,
}

/// What git would keep of a file.
pub(super) fn numbers_of(stat: &Stat) -> [u32; NUMBERS] {
    // Git keeps the lower half of each number, too.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "as git does")]
    #[allow(clippy::unnecessary_cast, reason = "the widths differ between systems")]
    let numbers = [
        stat.st_ctime as u32,
        stat.st_ctime_nsec as u32,
        stat.st_mtime as u32,
        stat.st_mtime_nsec as u32,
        stat.st_dev as u32,
        stat.st_ino as u32,
        stat.st_mode as u32,
        stat.st_uid as u32,
        stat.st_gid as u32,
        stat.st_size as u32,
    ];
    numbers
}

/// Compares as git does, but by nanoseconds, and `None` where git has rules of its own: a file
/// that is too long for its field.
pub(super) fn compare(ground: &Ground<'_>, entry: usize, stat: &Stat) -> Option<Compared> {
    let (known, now) = (ground.index.numbers(entry), numbers_of(stat));
    let is_kind = |kind: FileType| FileType::from_raw_mode(stat.st_mode) == kind;
    let same_kind = match known[MODE] >> 12 {
        FILE => is_kind(FileType::RegularFile),
        LINK => is_kind(FileType::Symlink),
        _ => return None,
    };
    let is_file = known[MODE] >> 12 == FILE;
    if !same_kind || (is_file && ground.modes && (known[MODE] ^ now[MODE]) & 0o100 != 0) {
        return Some(Compared::Modified);
    }
    if u32::try_from(stat.st_size).is_err() {
        return None;
    }
    if known[SIZE] != now[SIZE] {
        // Without a size the entry says nothing yet.
        let told = known[SIZE] != 0;
        return Some(if told { Compared::Modified } else { Compared::Doubted });
    }
    let same = TELLING.iter().all(|place| known[*place] == now[*place]);
    let sure = same && known[SIZE] != 0 && ground.index.is_settled(entry, ground.trusted);
    Some(if sure { Compared::Same } else { Compared::Doubted })
}

/// Walks over the work tree at `top`; `None` where git has to.
pub(super) fn walk(top: &Path, ground: &Ground<'_>) -> Option<Found> {
    let top = open(rustix::fs::CWD, top)?;
    let whole = Task { prefix: Vec::new(), entries: 0..ground.index.len(), hidden: false };
    let wanted = (ground.index.len() / A_THREAD).min(THREADS);
    // Asking how many processors there are takes a while, too.
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let threads = if wanted < 2 { 1 } else { wanted.min(cores()) };
    let queue = Queue::default();
    queue.add(vec![whole]);
    let work = || {
        let _ends = EndsAll(&queue);
        let mut found = Found::default();
        let queued = (threads > 1).then_some(&queue);
        let mut walk = Walk { ground, queue: queued, found: &mut found, room: Vec::new() };
        while let Some(tasks) = queue.next() {
            let mut tasks = tasks.into_iter();
            queue.done(tasks.all(|task| walk.directory(top.as_fd(), None, task).is_some()));
        }
        found
    };
    let mut found = Found::default();
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        found.take(work());
        for other in others {
            match other.join() {
                Ok(part) => found.take(part),
                Err(_) => queue.fail(),
            }
        }
    });
    queue.is_whole().then_some(found)
}

/// Adds what lies below directories that the index does not know.
pub(super) fn look_into(
    top: &Path,
    ground: &Ground<'_>,
    dirs: impl IntoIterator<Item = RepoPath>,
    found: &mut Found,
) -> Option<()> {
    let top = open(rustix::fs::CWD, top)?;
    for dir in dirs {
        let prefix = [dir.as_bytes(), b"/"].concat();
        let mut walk = Walk { ground, queue: None, found, room: Vec::new() };
        walk.new_directory(top.as_fd(), dir.as_bytes(), &prefix, false)?;
    }
    Some(())
}

/// Whether anything lies below a directory that the index does not know, and is not hidden.
pub(super) fn holds_anything(top: &Path, ground: &Ground<'_>, dir: &RepoPath) -> Option<bool> {
    let top = open(rustix::fs::CWD, top)?;
    let mut found = Found::default();
    let prefix = [dir.as_bytes(), b"/"].concat();
    let mut walk = Walk { ground, queue: None, found: &mut found, room: Vec::new() };
    let looked = walk.new_directory(top.as_fd(), dir.as_bytes(), &prefix, true);
    // What stands in the way of looking further is something, too.
    Some(looked.is_none() || !found.added.is_empty())
}

fn open(at: impl AsFd, path: impl rustix::path::Arg) -> Option<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    openat(at, path, flags, Mode::empty()).ok()
}

/// The same for a directory that must be one itself, no link to one.
fn enter(at: BorrowedFd<'_>, path: &[u8]) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(at, path, flags, Mode::empty())
}

struct Walk<'a, 'g> {
    ground: &'a Ground<'g>,
    /// Where directories are handed out, if anybody takes them.
    queue: Option<&'a Queue>,
    found: &'a mut Found,
    /// Where names of a directory are read into.
    room: Vec<u8>,
}

impl Walk<'_, '_> {
    /// Goes through a directory of the index. It lies at `name` in `above`, or by its whole path
    /// below the top, which `above` is then.
    fn directory(&mut self, above: BorrowedFd<'_>, name: Option<&[u8]>, task: Task) -> Option<()> {
        let path = name.unwrap_or(task.prefix.strip_suffix(b"/").unwrap_or(b"."));
        let dir = match enter(above, path) {
            Ok(dir) => dir,
            Err(Errno::NOENT) => {
                self.found.gone.extend(task.entries);
                return Some(());
            }
            Err(_) => return None,
        };
        let children = children(self.ground.index, &task);
        let mut seen = vec![false; children.len()];
        if task.hidden {
            self.known(dir.as_fd(), &task, &children)?;
            return Some(());
        }
        let mut ahead = Vec::new();
        let mut room = std::mem::take(&mut self.room);
        each_name(dir.as_fd(), &mut room, |name, kind| {
            if name.to_bytes() == b".git" {
                return Some(());
            }
            let found = children.binary_search_by(|child| child.name.cmp(name.to_bytes()));
            let path = || [task.prefix.as_slice(), name.to_bytes()].concat();
            match found.ok().map(|at| (at, &children[at])) {
                Some((at, child)) if child.is_entry => {
                    seen[at] = true;
                    self.entry(dir.as_fd(), child.entries.start, name, kind, &path)
                }
                Some((at, _)) if kind == FileType::Directory => {
                    seen[at] = true;
                    ahead.push((at, self.ground.excludes.hide(&path(), true)));
                    Some(())
                }
                // What the index has below a link is looked up behind it by git.
                Some(_) if kind == FileType::Symlink => None,
                // Where it is a file in a directory's place, all that lay there is gone.
                _ => self.unknown(path(), kind),
            }
        })?;
        self.room = room;
        for (child, seen) in children.iter().zip(&seen) {
            if !seen {
                self.found.gone.extend(child.entries.clone());
            }
        }
        let ahead = ahead.into_iter().map(|(at, hidden)| task.below(&children[at], hidden));
        self.go_on(dir.as_fd(), &task, ahead.collect())?;
        Some(())
    }

    /// Goes on with directories in the one of `task`, or hands them out, as many together as are
    /// worth a thread's asking.
    fn go_on(&mut self, dir: BorrowedFd<'_>, task: &Task, ahead: Vec<Task>) -> Option<()> {
        let Some(queue) = self.queue.filter(|_| task.entries.len() > HANDED_OUT) else {
            for next in ahead {
                let name = next.prefix[task.prefix.len()..next.prefix.len() - 1].to_vec();
                self.directory(dir, Some(&name), next)?;
            }
            return Some(());
        };
        let (mut together, mut entries) = (Vec::new(), 0);
        for next in ahead {
            entries += next.entries.len();
            together.push(next);
            if entries > HANDED_OUT {
                queue.add(std::mem::take(&mut together));
                entries = 0;
            }
        }
        if !together.is_empty() {
            queue.add(together);
        }
        Some(())
    }

    /// Looks at what the index knows in a directory that is hidden, and at nothing else.
    fn known(&mut self, dir: BorrowedFd<'_>, task: &Task, children: &[Child<'_>]) -> Option<()> {
        let inside = children.iter().filter(|child| !child.is_entry);
        self.go_on(dir, task, inside.map(|child| task.below(child, true)).collect())?;
        for child in children.iter().filter(|child| child.is_entry) {
            let path = || [task.prefix.as_slice(), child.name].concat();
            match statat(dir, child.name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => {
                    let kind = FileType::from_raw_mode(stat.st_mode);
                    let name = std::ffi::CString::new(child.name).ok()?;
                    self.entry(dir, child.entries.start, &name, kind, &path)?;
                }
                Err(Errno::NOENT) => self.found.gone.push(child.entries.start),
                Err(_) => return None,
            }
        }
        Some(())
    }

    /// Looks at the file of an entry.
    fn entry(
        &mut self,
        dir: BorrowedFd<'_>,
        entry: usize,
        name: &CStr,
        kind: FileType,
        path: &dyn Fn() -> Vec<u8>,
    ) -> Option<()> {
        let is_repository = self.ground.index.numbers(entry)[MODE] >> 12 == REPOSITORY;
        match (is_repository, kind == FileType::Directory) {
            (true, true) => self.found.inner.push(entry),
            (true, false) => self.found.modified.push(entry),
            (false, true) => {
                self.found.modified.push(entry);
                let path = path();
                let hidden = self.ground.excludes.hide(&path, true);
                self.found.replaced.push((RepoPath::new(path).ok()?, hidden));
            }
            (false, false) => {
                let stat = match statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
                    Ok(stat) => stat,
                    Err(Errno::NOENT) => {
                        self.found.gone.push(entry);
                        return Some(());
                    }
                    Err(_) => return None,
                };
                match compare(self.ground, entry, &stat)? {
                    Compared::Same => {}
                    Compared::Doubted => self.found.doubted.push(entry),
                    Compared::Modified => self.found.modified.push(entry),
                }
            }
        }
        Some(())
    }

    /// A name that the index does not know.
    fn unknown(&mut self, path: Vec<u8>, kind: FileType) -> Option<()> {
        let is_dir = kind == FileType::Directory;
        // Git knows files, links and directories.
        if !is_dir && !matches!(kind, FileType::RegularFile | FileType::Symlink)
            || self.ground.excludes.hide(&path, is_dir)
        {
            return Some(());
        }
        let path = RepoPath::new(path).ok()?;
        if is_dir { &mut self.found.dirs } else { &mut self.found.added }.push(path);
        Some(())
    }

    /// Goes through a directory that the index does not know, and all below it, or no further
    /// than to the first directory with a file.
    fn new_directory(
        &mut self,
        above: BorrowedFd<'_>,
        at: &[u8],
        prefix: &[u8],
        first: bool,
    ) -> Option<()> {
        let dir = match enter(above, at) {
            Err(Errno::NOENT) => return Some(()),
            dir => dir.ok()?,
        };
        let mut ahead = Vec::new();
        let mut room = std::mem::take(&mut self.room);
        each_name(dir.as_fd(), &mut room, |name, kind| {
            // A repository of its own.
            if name.to_bytes() == b".git" {
                return None;
            }
            let path = [prefix, name.to_bytes()].concat();
            if kind != FileType::Directory {
                return self.unknown(path, kind);
            }
            if !self.ground.excludes.hide(&path, true) {
                RepoPath::new(path).ok()?;
                ahead.push(name.to_owned());
            }
            Some(())
        })?;
        self.room = room;
        for name in ahead {
            let prefix = [prefix, name.to_bytes(), b"/"].concat();
            if first && !self.found.added.is_empty() {
                break;
            }
            self.new_directory(dir.as_fd(), name.to_bytes(), &prefix, first)?;
        }
        Some(())
    }
}

/// Hands on the names in a directory, but for its own and the one above, with their kinds.
#[cfg(target_os = "linux")]
fn each_name(
    dir: BorrowedFd<'_>,
    room: &mut Vec<u8>,
    mut each: impl FnMut(&CStr, FileType) -> Option<()>,
) -> Option<()> {
    room.reserve(ROOM);
    let mut names = rustix::fs::RawDir::new(dir, room.spare_capacity_mut());
    while let Some(entry) = names.next() {
        let entry = entry.ok()?;
        let name = entry.file_name();
        if !matches!(name.to_bytes(), b"." | b"..") {
            each(name, kind_of(dir, name, entry.file_type())?)?;
        }
    }
    Some(())
}

#[cfg(not(target_os = "linux"))]
fn each_name(
    dir: BorrowedFd<'_>,
    _: &mut Vec<u8>,
    mut each: impl FnMut(&CStr, FileType) -> Option<()>,
) -> Option<()> {
    for entry in rustix::fs::Dir::read_from(dir).ok()? {
        let entry = entry.ok()?;
        let name = entry.file_name();
        if !matches!(name.to_bytes(), b"." | b"..") {
            each(name, kind_of(dir, name, entry.file_type())?)?;
        }
    }
    Some(())
}

/// What the index has in the directory of `task`, in order of names.
fn children<'i>(index: &'i Plain, task: &Task) -> Vec<Child<'i>> {
    let mut children: Vec<Child<'_>> = Vec::new();
    let (mut at, depth) = (task.entries.start, task.prefix.len());
    while at < task.entries.end {
        let rest = &index.name(at)[depth..];
        let (name, end) = match memchr::memchr(b'/', rest) {
            None => (rest, at + 1),
            Some(slash) => {
                let below = &rest[..=slash];
                // A few are counted; in a long list one jumps.
                let few = (at + FEW).min(task.entries.end);
                let mut end = at + 1;
                while end < few && index.name(end)[depth..].starts_with(below) {
                    end += 1;
                }
                if end == at + FEW {
                    end = index.end_of(end..task.entries.end, &index.name(at)[..=depth + slash]);
                }
                (&rest[..slash], end)
            }
        };
        children.push(Child { name, entries: at..end, is_entry: name.len() == rest.len() });
        at = end;
    }
    // An index is in order of whole paths, and `/` stands behind `-` and `.`.
    children.sort_by(|a, b| a.name.cmp(b.name));
    children
}

/// What kind of file a name is; some file systems do not say it with the name.
fn kind_of(dir: BorrowedFd<'_>, name: &CStr, said: FileType) -> Option<FileType> {
    if said != FileType::Unknown {
        return Some(said);
    }
    let stat = statat(dir, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    Some(FileType::from_raw_mode(stat.st_mode))
}

/// A thread that dies lets no other one wait for it.
struct EndsAll<'a>(&'a Queue);

impl Drop for EndsAll<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.fail();
        }
    }
}

/// Directories that wait for a thread.
#[derive(Default)]
struct Queue {
    tasks: Mutex<Waiting>,
    more: Condvar,
    failed: AtomicBool,
}

#[derive(Default)]
struct Waiting {
    tasks: Vec<Vec<Task>>,
    /// How many are waiting or being gone through.
    open: usize,
}

impl Queue {
    fn add(&self, tasks: Vec<Task>) {
        let Ok(mut waiting) = self.tasks.lock() else { return self.fail() };
        waiting.tasks.push(tasks);
        waiting.open += 1;
        self.more.notify_one();
    }

    /// The next ones; `None` once all are done, or one has failed.
    fn next(&self) -> Option<Vec<Task>> {
        let mut waiting = self.tasks.lock().ok()?;
        loop {
            if self.failed.load(Ordering::Relaxed) || waiting.open == 0 {
                return None;
            }
            if let Some(tasks) = waiting.tasks.pop() {
                return Some(tasks);
            }
            waiting = self.more.wait(waiting).ok()?;
        }
    }

    /// Those that were taken have been gone through, or could not be.
    fn done(&self, well: bool) {
        if !well {
            return self.fail();
        }
        let Ok(mut waiting) = self.tasks.lock() else { return self.fail() };
        waiting.open -= 1;
        if waiting.open == 0 {
            self.more.notify_all();
        }
    }

    fn fail(&self) {
        // Under the lock: nobody starts to wait in between.
        let waiting = self.tasks.lock();
        self.failed.store(true, Ordering::Relaxed);
        self.more.notify_all();
        drop(waiting);
    }

    fn is_whole(&self) -> bool {
        !self.failed.load(Ordering::Relaxed)
    }
}
