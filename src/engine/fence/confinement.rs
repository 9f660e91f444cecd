//! `git seed exec`: what stays open to a command that the kernel confines.
//!
//! Open are the directories that the phase may write in, the build directories and files
//! that git ignores there, scratch places, the caches that the rules name, and terminals.
//! Closed are the git directories and everything that governs the agent, wherever they
//! lie. A directory is opened with all below it; one that holds something closed is
//! opened piece by piece, so that nothing new can be made directly in it.

use std::path::{Path, PathBuf};

use crate::confine::Open;
use crate::engine::record;
use crate::engine::repo::paths::{holds, real};
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::memory::scope::Scope;
use crate::phases::companions::fits;
use crate::phases::place::{self, SETTINGS};
use crate::phases::said_scope::bounds;
use crate::phases::{Class, Phase, Write};
use crate::world;

/// Devices that a program may write to without changing anything.
const DEVICES: [&str; 8] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
    "/dev/ptmx",
    "/dev/pts",
];

/// Where programs share memory: open as a cache is, for a repository may lie in it.
const SHARED_MEMORY: &str = "/dev/shm";

/// What a confined command is started with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Confinement {
    pub open: Open,
    /// The directory for its scratch files, where the shared one cannot be opened.
    pub scratch: Option<PathBuf>,
    /// Variables that it starts without.
    pub dropped: Vec<String>,
    /// Directories that were made for it: build directories, since it could not make them, and
    /// its own scratch.
    pub made: Vec<PathBuf>,
}

/// What a command that starts in `cwd` may change.
pub(crate) fn confinement(repo: &Repo, cwd: &Path) -> Result<Confinement> {
    repo.require_seeded()?;
    let focused = repo.focused()?;
    let row = repo.row(focused.as_ref());
    let scope =
        focused.as_ref().map(|focused| repo.scope(focused)).transpose()?.unwrap_or_default();
    let top = real(repo.store.work_tree());
    let mut walls =
        Walls { closed: walled_off(repo, focused.as_ref(), row, &top), open: Vec::new() };
    if row.write.contains(&Write::All) {
        walls.open(&top);
    }
    if row.write.contains(&Write::Tree) {
        open_tree(repo, &top, &mut walls)?;
    }
    if row.write.contains(&Write::Scope) {
        walls.closed.extend(scope.closed().map(|path| top.join(path)));
        open_scope(repo, &scope, &top, &mut walls);
    }
    let mut made = open_ignored(repo, &scope, &top, cwd, &mut walls)?;
    open_surface(repo, focused.as_ref(), row, &top, &mut walls);
    let home = repo.persons_home();
    let caches = repo.rules.caches.iter().filter_map(|cache| from_home(cache, home.as_deref()));
    let places = caches.chain([PathBuf::from(SHARED_MEMORY)]).filter(|path| path.exists());
    for path in places {
        let path = real(&path);
        // A cache that leads into the work tree is none.
        if !path.starts_with(&top) && !top.starts_with(&path) {
            walls.open(&path);
        }
    }
    let scratch = open_scratch(repo, &top, &mut walls, &mut made)?;
    walls.open.extend(DEVICES.map(PathBuf::from));
    // Where the phase runs no code of its own accord, nothing is to be reached either.
    let offline = !row.opens(Class::ShellCode);
    let (hidden, dropped) =
        if row.reproduces { secrets(repo, &top, home.as_deref()) } else { Default::default() };
    let open = Open { paths: walls.open, offline, hidden, ..Open::default() };
    Ok(Confinement { open, scratch, dropped, made })
}

/// Where no job is kept: the work tree, in the bounds that rules and prompts set.
fn open_tree(repo: &Repo, top: &Path, walls: &mut Walls) -> Result<()> {
    let (open, closed) = bounds(&record::said::of_all(repo)?, &repo.rules.fence_scope);
    walls.closed.extend(closed.iter().map(|path| top.join(path)));
    match open {
        None => walls.open(top),
        Some(paths) => {
            // One that became a link leads elsewhere.
            let places = paths.iter().map(|path| top.join(path.trim_end_matches('/')));
            places
                .filter(|path| real(path) == *path && path.exists())
                .for_each(|path| walls.open(&path));
        }
    }
    Ok(())
}

/// Places that code which runs for a look does not read, and variables that it does not get.
fn secrets(repo: &Repo, top: &Path, home: Option<&Path>) -> (Vec<PathBuf>, Vec<String>) {
    let places = repo.rules.hides.iter().filter_map(|place| from_home(place, home));
    // What the repository itself lies in, or holds, is its own to read.
    let hidden = places
        .map(|path| real(&path))
        .filter(|path| path.exists() && !path.starts_with(top) && !top.starts_with(path));
    let dropped = world::variable_names()
        .filter(|name| repo.rules.drops.iter().any(|pattern| fits(pattern, name)));
    (hidden.collect(), dropped.collect())
}

/// What is never opened, wherever it lies.
fn walled_off(repo: &Repo, focused: Option<&LoadedJob>, row: &Phase, top: &Path) -> Vec<PathBuf> {
    let mut closed =
        vec![real(repo.store.git_dir()), real(repo.store.common_dir()), top.join(".git")];
    let unlocked = focused.and_then(|focused| focused.state.unlocked.as_ref());
    for surface in &repo.rules.surfaces {
        let own = surface.name != SETTINGS;
        let unlocked = unlocked.is_some_and(|one| one.surface == surface.name);
        if !own || !(unlocked || row.write.contains(&Write::All)) {
            closed.extend(surface.paths.iter().map(|path| top.join(path)));
        }
        closed.extend(surface.tests.iter().map(|path| top.join(path)));
    }
    if !row.write.contains(&Write::All) {
        closed.push(top.join(".claude"));
    }
    closed
}

/// The declared directories, the files beside them, and what follows them into scope.
fn open_scope(repo: &Repo, scope: &Scope, top: &Path, walls: &mut Walls) {
    for dir in scope.dirs() {
        // One that became a link since it was declared is another directory.
        let path = if dir.is_empty() { top.to_owned() } else { top.join(dir) };
        walls.close_repositories_in(&path);
        if real(&path) == path && path.is_dir() {
            walls.open(&path);
        }
        for (below, files) in repo.rules.companions().beside(dir, |dir, name| holds(top, dir, name))
        {
            let places: Vec<PathBuf> = match below {
                Some(below) => vec![top.join(below)],
                None => Path::new(dir).ancestors().map(|above| top.join(above)).collect(),
            };
            for place in places {
                walls.open_files(&place, |name| files.iter().any(|file| fits(file, name)));
            }
        }
    }
    for file in scope.files() {
        let path = top.join(file);
        if real(&path) == path && path.is_file() {
            walls.open(&path);
        }
    }
}

/// What git ignores in the directories where the work is: what is there, and what a
/// build tool would make there, which is made now, since it could not be later. Gives what was
/// made.
fn open_ignored(
    repo: &Repo,
    scope: &Scope,
    top: &Path,
    cwd: &Path,
    walls: &mut Walls,
) -> Result<Vec<PathBuf>> {
    let cwd = real(cwd);
    let around = cwd.strip_prefix(top).ok();
    let around = around
        .iter()
        .flat_map(|inside| inside.ancestors())
        .map(|dir| dir.to_string_lossy().into_owned());
    let mut dirs: Vec<String> =
        scope.dirs().map(str::to_owned).chain(around).chain([String::new()]).collect();
    dirs.sort_unstable();
    dirs.dedup();
    let mut asked = Vec::new();
    for dir in &dirs {
        for entry in std::fs::read_dir(top.join(dir)).into_iter().flatten().flatten() {
            let Ok(name) = entry.file_name().into_string() else { continue };
            if name == ".git" {
                continue;
            }
            let slash = if entry.file_type().is_ok_and(|kind| kind.is_dir()) { "/" } else { "" };
            asked.push(format!("{}{slash}", Path::new(dir).join(name).display()));
        }
        let makes = repo.rules.companions().builds_in(dir, |dir, name| holds(top, dir, name));
        asked.extend(makes.map(|dir| format!("{dir}/")));
    }
    asked.sort_unstable();
    asked.dedup();
    let mut made = Vec::new();
    for path in repo.store.excluded(&asked)? {
        let place = top.join(path.trim_end_matches('/'));
        let is_there = place.symlink_metadata().is_ok();
        if !is_there && path.ends_with('/') {
            if std::fs::create_dir(&place).is_err() {
                continue;
            }
            made.push(place.clone());
        }
        // What a link leads to was not asked about.
        if !place.symlink_metadata().is_ok_and(|data| data.is_symlink()) {
            walls.open(&real(&place));
        }
    }
    Ok(made)
}

/// The surface that a person has unlocked, where the phase may write it.
fn open_surface(
    repo: &Repo,
    focused: Option<&LoadedJob>,
    row: &Phase,
    top: &Path,
    walls: &mut Walls,
) {
    let Some(unlocked) = focused.and_then(|focused| focused.state.unlocked.as_ref()) else {
        return;
    };
    if !row.write.contains(&Write::Surface) || unlocked.surface == SETTINGS {
        return;
    }
    let surface = repo.rules.surfaces.iter().find(|surface| surface.name == unlocked.surface);
    let opens = |path: &&String| !place::is_never_opened(path, &repo.rules.surfaces);
    for path in surface.iter().flat_map(|surface| &surface.paths).filter(opens) {
        walls.open(&real(&top.join(path)));
    }
    if let Some(test) = unlocked.test.as_ref().filter(opens) {
        let test = top.join(test);
        walls.closed.retain(|closed| !test.starts_with(closed));
        walls.open(&real(&test));
    }
}

/// The scratch folders. One that the work tree lies in would open it, and its
/// neighbours: a folder of this repository's own in there stands for it. Where `TMPDIR` names a
/// place that is not open, programs are told of one that is.
fn open_scratch(
    repo: &Repo,
    top: &Path,
    walls: &mut Walls,
    made: &mut Vec<PathBuf>,
) -> Result<Option<PathBuf>> {
    let mut own = None;
    for folder in &repo.rules.scratch {
        let folder = real(Path::new(folder));
        if !folder.is_dir() {
            continue;
        }
        if !top.starts_with(&folder)
            && !walls.closed.iter().any(|closed| closed.starts_with(&folder))
        {
            walls.open.push(folder);
        } else if own.is_none() {
            let private = own_scratch_name(repo, &folder);
            if !private.exists() {
                made.push(private.clone());
            }
            world::private_dir(&private)?;
            walls.open.push(private.clone());
            own = Some(private);
        }
    }
    let named = world::variable("TMPDIR").map(|dir| real(Path::new(&dir)));
    let is_shut = |dir: &PathBuf| !walls.open.iter().any(|open| dir.starts_with(open));
    if own.is_none() && named.as_ref().is_some_and(is_shut) {
        let is_scratch =
            |dir: &&PathBuf| repo.rules.scratch.iter().any(|one| real(Path::new(one)) == **dir);
        own = walls.open.iter().find(is_scratch).cloned();
    }
    Ok(own)
}

/// A folder in `folder` that is this repository's alone.
fn own_scratch_name(repo: &Repo, folder: &Path) -> PathBuf {
    let name = crate::format::short_hash(repo.store.common_dir().to_string_lossy().as_bytes(), 16);
    folder.join(format!("git-seed-{name}"))
}

/// Takes away the folders of [`own_scratch_name`], where there are any.
pub(crate) fn forget_own_scratch(repo: &Repo) -> Result<()> {
    for folder in &repo.rules.scratch {
        let dir = own_scratch_name(repo, &real(Path::new(folder)));
        match std::fs::remove_dir_all(&dir) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
    }
    Ok(())
}

/// What is open, and what must not be.
struct Walls {
    closed: Vec<PathBuf>,
    open: Vec<PathBuf>,
}

impl Walls {
    /// Opens `path` and all below it, but for what is closed.
    fn open(&mut self, path: &Path) {
        let is_below = |known: &PathBuf| path.starts_with(known);
        if self.closed.iter().any(is_below) || self.open.iter().any(is_below) {
            return;
        }
        if !self
            .closed
            .iter()
            .any(|closed| closed.starts_with(path) && closed.symlink_metadata().is_ok())
        {
            self.open.push(path.to_owned());
            return;
        }
        for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| !kind.is_symlink()) {
                self.open(&entry.path());
            }
        }
    }

    /// Opens the files of `dir` that `wanted` names.
    fn open_files(&mut self, dir: &Path, wanted: impl Fn(&str) -> bool) {
        for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
            let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
            if is_file && entry.file_name().to_str().is_some_and(&wanted) {
                self.open(&entry.path());
            }
        }
    }

    /// A repository nested in a declared directory has a git directory of its own.
    fn close_repositories_in(&mut self, dir: &Path) {
        let nested = std::fs::read_dir(dir)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path().join(".git"));
        let git = nested.chain([dir.join(".git")]).filter(|git| git.symlink_metadata().is_ok());
        self.closed.extend(git);
    }
}

/// A path of the rules, in which `~` is home.
fn from_home(path: &str, home: Option<&Path>) -> Option<PathBuf> {
    match path.strip_prefix("~/") {
        Some(rest) => home.map(|home| home.join(rest)),
        None => Some(PathBuf::from(path)),
    }
}
