//! Worlds on the way to a phase, taken once and given out as copies.
//!
//! Most tests begin in some phase of one and the same job. The way there costs a hundred
//! processes; it is walked once for each place, and its files are kept in memory. A copy
//! is written below a directory of its own: where a file names the old one, it names the new
//! one, whose name is as long. Modes and times of change stay; inodes are other ones, as after
//! any copy of a repository.

use std::fs::{self, File, FileTimes};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};
use std::time::SystemTime;

use super::World;

/// Where the job of a copy stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A project with one commit; git seed is not in it yet.
    Made,
    /// git seed is in it, and a session has started.
    Seeded,
    /// A prompt bore a job.
    Prompted,
    /// The phase of this number is entered, and nothing said in it.
    Entered(usize),
    /// Its dial is said, too.
    Opened(usize),
}

/// One file, link or directory of a world.
struct Entry {
    path: PathBuf,
    mode: u32,
    changed: SystemTime,
    what: What,
}

enum What {
    Directory,
    /// Its bytes, and where among them the root is named.
    File(Vec<u8>, Vec<usize>),
    Link(PathBuf),
}

/// All that makes a world stand where it stands.
pub struct Snapshot {
    root: PathBuf,
    entries: Vec<Entry>,
    clock: u64,
    calls: u32,
    shown: Vec<String>,
}

impl Snapshot {
    /// The world at `place`; walked to by whoever asks first, while the others wait.
    pub fn of(place: Place) -> &'static Self {
        static TAKEN: Mutex<Vec<(Place, &'static OnceLock<Snapshot>)>> = Mutex::new(Vec::new());
        let cell = {
            let mut taken = TAKEN.lock().expect("nothing panics while it is held");
            let known = taken.iter().find(|(known, _)| *known == place).map(|(_, cell)| *cell);
            known.unwrap_or_else(|| {
                let cell: &'static OnceLock<Self> = Box::leak(Box::default());
                taken.push((place, cell));
                cell
            })
        };
        cell.get_or_init(|| Self::take(&World::walks_to(place)))
    }

    pub(super) fn take(world: &World) -> Self {
        let mut entries = Vec::new();
        collect(world.root(), Path::new(""), &mut entries);
        Self {
            root: world.root().to_owned(),
            entries,
            clock: world.clock.get(),
            calls: world.calls.get(),
            shown: world.shown(),
        }
    }

    /// Makes `world` this one; what lay in it is gone.
    pub fn put(&self, world: &World) {
        let root = world.repo.parent().expect("a repository lies below the root").to_owned();
        assert_eq!(root.as_os_str().len(), self.root.as_os_str().len(), "names are as long");
        for entry in fs::read_dir(&root).expect("the root is there").flatten() {
            fs::remove_dir_all(entry.path()).expect("a fresh world has only directories");
        }
        for entry in &self.entries {
            entry.write(&root);
        }
        // What is put into a directory changes its time.
        for entry in self.entries.iter().rev() {
            entry.dates(&root);
        }
        world.clock.set(self.clock);
        world.calls.set(self.calls);
        world.shown.borrow_mut().clone_from(&self.shown);
    }
}

impl Entry {
    fn write(&self, root: &Path) {
        let at = root.join(&self.path);
        match &self.what {
            What::Directory => fs::create_dir(&at).expect("its parent stands before it"),
            What::File(bytes, named) => {
                let mut bytes = bytes.clone();
                for &from in named {
                    let new = root.as_os_str().as_bytes();
                    bytes[from..from + new.len()].copy_from_slice(new);
                }
                fs::write(&at, bytes).expect("it can be written");
            }
            What::Link(to) => symlink(to, &at).expect("it can be made"),
        }
        if !matches!(self.what, What::Link(_)) {
            fs::set_permissions(&at, fs::Permissions::from_mode(self.mode)).expect("it is ours");
        }
    }

    fn dates(&self, root: &Path) {
        if matches!(self.what, What::Link(_)) {
            return;
        }
        let file = File::open(root.join(&self.path)).expect("it was just written");
        file.set_times(FileTimes::new().set_modified(self.changed)).expect("it is ours");
    }
}

fn collect(root: &Path, dir: &Path, into: &mut Vec<Entry>) {
    for entry in fs::read_dir(root.join(dir)).expect("a directory").flatten() {
        let path = dir.join(entry.file_name());
        let at = root.join(&path);
        let data = at.symlink_metadata().expect("it was listed");
        let (mode, changed) = (data.permissions().mode(), data.modified().expect("it has one"));
        let what = if data.is_symlink() {
            What::Link(fs::read_link(&at).expect("a link"))
        } else if data.is_dir() {
            What::Directory
        } else {
            let bytes = fs::read(&at).expect("a file");
            let named = places(&bytes, root.as_os_str().as_bytes());
            What::File(bytes, named)
        };
        let is_dir = matches!(what, What::Directory);
        into.push(Entry { path: path.clone(), mode, changed, what });
        if is_dir {
            collect(root, &path, into);
        }
    }
}

/// Where `name` stands in `bytes`.
fn places(bytes: &[u8], name: &[u8]) -> Vec<usize> {
    bytes.windows(name.len()).enumerate().filter(|(_, at)| *at == name).map(|(at, _)| at).collect()
}

#[test]
fn a_copy_stands_where_the_way_leads() {
    let of = |world: &World| {
        let read = |path: &str| world.text(path).replace(&*world.root().to_string_lossy(), "");
        // The id of a step hashes that of its clone, and the two are two clones.
        let history = world.git("log --format=%s%n%b");
        let history: Vec<_> = history
            .lines()
            .filter(|line| !line.starts_with("Seed-Id: "))
            .map(str::to_owned)
            .collect();
        let state = world.json("status");
        (history, state.to_string(), read("src/parser/CLAUDE.md"), world.seed("verify").said().out)
    };
    for place in [Place::Prompted, Place::Entered(1), Place::Opened(2)] {
        let walked = World::walks_all_the_way_to(place);
        let copied = World::at(place);
        assert_eq!(of(&walked), of(&copied), "{place:?}");
    }
}
