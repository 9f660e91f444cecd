//! Paths as a host gives them, and paths as git knows them.
//!
//! Links and `..` are resolved before a guard sees a path, so that no detour leads
//! past a fence. What does not exist yet is judged by its nearest existing parent.

use std::io;
use std::path::{Component, Path, PathBuf};

use crate::engine::repo::{self, Repo};
use crate::format::state::State;
use crate::phases::companions::fits as fits_name;
use crate::phases::meant::{Meant, meant};
use crate::phases::place::{self, Names, Place};
use crate::store::RepoPath;
use crate::voice::{Notice, tell};

/// A path after resolving it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Resolved {
    /// Where it really is.
    pub real: PathBuf,
    /// Relative to the work tree, with `/`; the absolute path when it lies outside.
    pub shown: String,
    pub place: Place,
    pub exists: bool,
}

/// The bytes of a file, also where a link leads to it. A pipe in its place would be waited for
/// without end, and a hook has to answer: it reads as no file.
pub(crate) fn bytes_of(path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
    let path = path.as_ref();
    if path.metadata()?.is_file() {
        std::fs::read(path)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, tell(Notice::NoPlainFile, &[])))
    }
}

/// True where reading said that nothing lies there; a file in the place of a directory above
/// it leaves no room for anything.
pub(crate) fn is_nothing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// The same, as text.
pub(crate) fn text_of(path: impl AsRef<Path>) -> io::Result<String> {
    String::from_utf8(bytes_of(path)?)
        .map_err(|bad| io::Error::new(io::ErrorKind::InvalidData, bad))
}

/// Resolves links and `..` of `path`; parts that do not exist are kept as they are.
pub(crate) fn real(path: &Path) -> PathBuf {
    find(path).0
}

/// The same, and whether there is something.
fn find(path: &Path) -> (PathBuf, bool) {
    let mut rest: Vec<std::ffi::OsString> = Vec::new();
    let mut head = path.to_owned();
    loop {
        // What has no real path yet gets that of the directory above it.
        if let Ok(real) = crate::world::real(&head) {
            let whole = rest.iter().rev().fold(real, |path, part| join(&path, Path::new(part)));
            return (whole, rest.is_empty());
        }
        // A dangling link would be written through: judge the place that it points to.
        if let Ok(target) = std::fs::read_link(&head) {
            let base = head.parent().unwrap_or(Path::new("/")).to_owned();
            head = base.join(target);
            if rest.len() < 64 {
                rest.push("".into());
                continue;
            }
        }
        let Some(parent) = head.parent().map(Path::to_owned) else {
            return (path.to_owned(), false);
        };
        rest.push(
            head.components()
                .next_back()
                .map_or_else(Default::default, |part| part.as_os_str().to_owned()),
        );
        head = parent;
    }
}

/// The path as the disk spells it, where it spells a part of it with other letters.
fn stored(path: &Path) -> PathBuf {
    let mut found = PathBuf::new();
    for part in path.components() {
        let Component::Normal(name) = part else {
            found.push(part);
            continue;
        };
        let name = name.to_string_lossy();
        let entries = std::fs::read_dir(&found).into_iter().flatten().flatten();
        let names: Vec<String> =
            entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        let exact = names.iter().any(|known| *known == name);
        let other =
            names.iter().find(|known| !exact && known.to_lowercase() == name.to_lowercase());
        found.push(other.map_or(name.as_ref(), String::as_str));
    }
    found
}

/// Device and inode of a file that has more than one name.
#[cfg(unix)]
fn linked(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    // What is not there has no second name.
    let data = path.symlink_metadata().ok()?;
    (data.is_file() && data.nlink() > 1).then(|| (data.dev(), data.ino()))
}

#[cfg(not(unix))]
fn linked(_: &Path) -> Option<(u64, u64)> {
    None
}

fn join(base: &Path, part: &Path) -> PathBuf {
    let mut path = base.to_owned();
    for part in part.components() {
        match part {
            Component::ParentDir => {
                path.pop();
            }
            Component::Normal(name) => path.push(name),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    path
}

/// Whether the directory `dir` below `top` holds a file that `name` fits; `*` in it stands
/// for any letters.
pub(crate) fn holds(top: &Path, dir: &str, name: &str) -> bool {
    let dir = top.join(dir);
    if !name.contains('*') {
        return dir.join(name).is_file();
    }
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    entries
        .into_iter()
        .any(|entry| entry.file_name().to_str().is_some_and(|file| fits_name(name, file)))
}

/// Whether a path names git seed's state below some `.git`.
fn names_own_state(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    let git = parts.iter().position(|part| place::is_git(part));
    git.is_some_and(|at| place::is_own_state(&parts[at + 1..]))
}

fn inside_a_repository(path: &Path, own: &Path) -> bool {
    path.ancestors().any(|dir| dir != own && dir.join(".git").exists())
}

/// A file that the host has its agent write plans in: Markdown in a folder of `folders`, under one
/// name alone. `path` has its links resolved, so that none leads out of the folder.
pub(crate) fn is_plan(path: &Path, folders: &[String]) -> bool {
    let markdown = path.extension().is_some_and(|kind| kind == "md");
    markdown
        && linked(path).is_none()
        && folders.iter().any(|folder| fits(folder, &path.to_string_lossy()))
}

/// True when `path` lies below the folder `pattern`, in which `~` is home and `*` one name.
fn fits(pattern: &str, path: &str) -> bool {
    let Some(rest) = pattern.strip_prefix("~/") else { return fits_whole(pattern, path) };
    let home = crate::world::variable("HOME").unwrap_or_default();
    let below = |home: &str| fits_whole(&format!("{home}/{rest}"), path);
    // The path has its links resolved, and a home may itself be one.
    let real_home =
        || Some(crate::world::real(Path::new(&home)).ok()?.to_string_lossy().into_owned());
    !home.is_empty() && (below(&home) || real_home().is_some_and(|home| below(&home)))
}

/// The same, where `pattern` begins at the root.
fn fits_whole(pattern: &str, path: &str) -> bool {
    let mut wanted = pattern.trim_end_matches('/').split('/');
    let mut given = path.split('/');
    wanted.all(|want| {
        given.next().is_some_and(|part| want == "*" && !part.is_empty() || want == part)
    })
}

impl Repo {
    /// Resolves a path of a tool call; `cwd` is the directory that it is relative to.
    pub(crate) fn resolve(
        &self,
        path: &Path,
        cwd: &Path,
        state: Option<&State>,
        memory: &[String],
    ) -> Resolved {
        let given = match meant(path, cwd) {
            Meant::Path(given) => given,
            Meant::Elsewhere => {
                let shown = path.to_string_lossy().into_owned();
                // Whoever's directory it is, its name says that this is ours.
                let ours = names_own_state(&shown);
                return Resolved {
                    real: path.to_owned(),
                    shown,
                    place: if ours { Place::OwnState } else { Place::Outside },
                    exists: false,
                };
            }
        };
        let (mut real, exists) = find(&given);
        if self.ignores_case() {
            real = stored(&real);
        }
        let top = self.top_of(&real);
        let (shown, place) = match real.strip_prefix(&top) {
            Ok(inside) => {
                let shown = inside.to_string_lossy();
                // Elsewhere a backslash is a letter of a name like any other.
                let shown =
                    if cfg!(windows) { shown.replace('\\', "/") } else { shown.into_owned() };
                let shown = self.composed(shown);
                let place = self.place_named(&shown, state);
                (shown, place)
            }
            Err(_) => (real.to_string_lossy().into_owned(), self.outside(&real, memory)),
        };
        let place = self.or_linked_page(place, &real, path);
        Resolved { real, shown, place, exists }
    }

    /// Where a path of the work tree lies by its name alone.
    pub(crate) fn place_named(&self, path: &str, state: Option<&State>) -> Place {
        let job = state.map(|state| state.job.id.to_string());
        let plan = state.zip(job.as_deref()).and_then(|(state, job)| state.plan.pointer.path(job));
        let old_plan = state.and_then(|state| state.plan.pointer.old_path());
        let names = Names {
            pages: &self.rules.pages,
            surfaces: &self.rules.surfaces,
            unlocked: state.and_then(|state| state.unlocked.as_ref()),
            job: job.as_deref(),
            plan: plan.as_deref(),
            old_plan: old_plan.as_deref(),
            ignore_case: self.ignores_case(),
        };
        place::of(path, &names)
    }

    /// The disk does not tell large letters from small ones, so git says.
    fn ignores_case(&self) -> bool {
        self.store.is_set("core.ignoreCase")
    }

    /// A path as git stores it where it composes what the disk takes apart.
    pub(crate) fn composed(&self, path: String) -> String {
        use unicode_normalization::UnicodeNormalization as _;
        if path.is_ascii() || !self.store.is_set("core.precomposeUnicode") {
            path
        } else {
            path.nfc().collect()
        }
    }

    /// Other names of the file at `resolved`, of those that are known: files that hold the
    /// fence up, and files of the work tree. Asked only where the disk says that it has some.
    pub(crate) fn twins(
        &self,
        resolved: &Resolved,
        state: Option<&State>,
    ) -> repo::Result<Vec<Resolved>> {
        let Some((device, inode)) =
            Some(&resolved.real).filter(|_| resolved.exists).and_then(|path| linked(path))
        else {
            return Ok(Vec::new());
        };
        let top = self.store.work_tree();
        let prints = self.prints()?.unwrap_or_default().files;
        let mut paths: Vec<PathBuf> =
            prints.iter().map(|print| PathBuf::from(&print.path)).collect();
        let known = self.store.names_in_index(&self.private_index(), device, inode);
        paths.extend(known.iter().filter_map(|path| path.below(top).ok()));
        paths.retain(|path| linked(path) == Some((device, inode)));
        let mut twins: Vec<Resolved> = Vec::new();
        for path in paths {
            let mut twin = self.resolve(&path, top, state, &[]);
            // What holds the fence up is no scratch file, wherever a home lies.
            if twin.place == Place::Scratch {
                twin.place = Place::Outside;
            }
            if twin.real != resolved.real && !twins.iter().any(|known| known.real == twin.real) {
                twins.push(twin);
            }
        }
        Ok(twins)
    }

    /// A page that is a link is its target: the file that a page's name leads to is that
    /// page, by whichever name it is written.
    fn or_linked_page(&self, place: Place, real: &Path, given: &Path) -> Place {
        let Place::Project { dir } = &place else { return place };
        let name =
            given.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if self.rules.pages.contains(&name) || self.is_linked_page(dir, real) {
            return Place::Page { dir: dir.clone() };
        }
        place
    }

    /// True when a page of `dir` is a link to `real`.
    pub(crate) fn is_linked_page(&self, dir: &str, real: &Path) -> bool {
        let dir = self.store.work_tree().join(dir);
        let leads_here = |page: &String| {
            let page = dir.join(page);
            std::fs::read_link(&page).is_ok()
                && crate::world::real(&page).is_ok_and(|target| target == real)
        };
        self.rules.pages.iter().any(leads_here)
    }

    /// True when a page of any directory is a link to `real`, and was one in the tree `began`: a
    /// link that the cycle itself lays makes no page of what it leads to.
    pub(crate) fn is_page_elsewhere(&self, real: &Path, began: &str) -> bool {
        let links = self.linked_pages.get_or_init(|| self.tracked_pages());
        let mut to_it = links.iter().filter(|(_, target)| target == real);
        // Before the first cycle nothing was there yet.
        let Ok(began) = began.parse() else { return false };
        // Of a tree that does not read no link is known: the file is what its name says.
        to_it.any(|(link, _)| self.store.is_link_in(&began, link).unwrap_or(false))
    }

    /// Pages that are links in the index, with what they lead to.
    fn tracked_pages(&self) -> Vec<(RepoPath, PathBuf)> {
        // Through an index that does not read no page is found: the file is what its name says.
        let links = self.store.tracked_links(&self.rules.pages).unwrap_or_default();
        let led = links.into_iter().filter_map(|link| {
            // Nothing is behind a link whose target is gone.
            let target = crate::world::real(link.below(self.store.work_tree()).ok()?).ok()?;
            Some((link, target))
        });
        led.collect()
    }

    /// The top of the work tree with links resolved. Where a resolved path begins with it
    /// as it is, there are none, and the disk need not be asked.
    fn top_of(&self, real: &Path) -> PathBuf {
        let top = self.store.work_tree();
        if real.starts_with(top) {
            return top.to_owned();
        }
        crate::world::real(top).unwrap_or_else(|_| top.to_owned())
    }

    fn outside(&self, path: &Path, memory: &[String]) -> Place {
        let git = [self.store.git_dir(), self.store.common_dir()];
        if let Some(dir) = git.into_iter().find(|dir| path.starts_with(real(dir))) {
            let below = path.strip_prefix(real(dir)).unwrap_or(path);
            let parts: Vec<_> = below.iter().map(|part| part.to_string_lossy()).collect();
            let parts: Vec<&str> = parts.iter().map(AsRef::as_ref).collect();
            return if place::is_own_state(&parts) { Place::OwnState } else { Place::Git };
        }
        let text = path.to_string_lossy();
        if memory.iter().any(|pattern| fits(pattern, &text)) {
            return Place::HostMemory;
        }
        let scratch = self.rules.scratch.iter().any(|folder| text.starts_with(folder.as_str()));
        // Without its real path no place counts as its own: it then is another repository's.
        let home = crate::world::real(self.store.work_tree()).unwrap_or_default();
        // A work tree that itself lies in a scratch folder does not open its neighbours'
        // repositories, nor does a home there open what configures the person's programs.
        if scratch && !inside_a_repository(path, &home) && !self.is_of_the_person(path) {
            Place::Scratch
        } else {
            Place::Outside
        }
    }

    /// What configures the person's programs and holds the fence up, wherever it lies: what begins
    /// with a dot at the top of a home, git seed's program, and files whose prints are taken.
    fn is_of_the_person(&self, path: &Path) -> bool {
        let names = ["HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "GIT_CONFIG_GLOBAL"];
        let homes = names.map(crate::world::variable);
        let [home, more @ ..] =
            homes.map(|dir| dir.filter(|dir| !dir.is_empty()).map(|dir| real(Path::new(&dir))));
        let dotted = |below: &Path| {
            below.iter().next().is_some_and(|name| name.to_string_lossy().starts_with('.'))
        };
        let of_home = |home: &PathBuf| path.strip_prefix(home).is_ok_and(dotted);
        if home.as_ref().is_some_and(of_home)
            || more.iter().flatten().any(|dir| path.starts_with(dir))
            || path == crate::world::own_binary()
        {
            return true;
        }
        // Of prints that do not read none is known to be free.
        self.prints().map_or(true, |prints| {
            prints.unwrap_or_default().files.iter().any(|print| Path::new(&print.path) == path)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_exist_is_judged_by_where_it_would_be() {
        let dir = tempfile::tempdir().expect("a directory");
        let top = crate::world::real(dir.path()).expect("it is there");
        std::fs::create_dir_all(top.join("a/b")).expect("made");
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(top.join("a"), top.join("link")).expect("made");
            std::os::unix::fs::symlink("a/ghost", top.join("dangling")).expect("made");
        }
        for (given, real_path) in [
            ("a/b/new.txt", "a/b/new.txt"),
            ("a/b/../new.txt", "a/new.txt"),
            ("no/such/../x", "no/x"),
            ("link/b/new", "a/b/new"),
            ("dangling", "a/ghost"),
        ] {
            assert_eq!(real(&top.join(given)), top.join(real_path), "{given}");
        }
    }

    #[test]
    fn the_disks_own_spelling_is_found() {
        let dir = tempfile::tempdir().expect("a directory");
        let top = crate::world::real(dir.path()).expect("it is there");
        std::fs::create_dir_all(top.join("Src/Parser")).expect("made");
        std::fs::write(top.join("Src/Parser/Lex.rs"), "").expect("written");
        for (given, own) in [
            ("src/PARSER/lex.RS", "Src/Parser/Lex.rs"),
            ("Src/new/x", "Src/new/x"),
            ("SRC/new/x", "Src/new/x"),
        ] {
            assert_eq!(stored(&top.join(given)), top.join(own), "{given}");
        }
    }

    #[test]
    fn a_pattern_names_a_folder_by_parts() {
        for (pattern, path, fit) in [
            ("/h/.claude/projects/*/memory/", "/h/.claude/projects/x/memory/a.md", true),
            ("/h/.claude/projects/*/memory/", "/h/.claude/projects/x/memory", true),
            ("/h/.claude/projects/*/memory/", "/h/.claude/projects/x/other/a.md", false),
            ("/h/.claude/projects/*/memory/", "/h/.claude/projects/x", false),
        ] {
            assert_eq!(fits(pattern, path), fit, "{path}");
        }
    }
}
