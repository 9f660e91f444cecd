//! Paths as a host gives them, and paths as git knows them.
//!
//! Links and `..` are resolved before a guard sees a path, so that no detour leads
//! past a fence. What does not exist yet is judged by its nearest existing parent.

use std::path::{Component, Path, PathBuf};

use super::Seed;
use crate::format::state::State;
use crate::phases::companions::fits as fits_name;
use crate::phases::place::{self, Names, Place};

/// A path after resolving it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// Where it really is.
    pub real: PathBuf,
    /// Relative to the work tree, with `/`; the absolute path when it lies outside.
    pub shown: String,
    pub place: Place,
    pub exists: bool,
}

/// Resolves links and `..` of `path`; parts that do not exist are kept as they are.
pub fn real(path: &Path) -> PathBuf {
    find(path).0
}

/// The same, and whether there is something.
fn find(path: &Path) -> (PathBuf, bool) {
    let mut rest: Vec<std::ffi::OsString> = Vec::new();
    let mut head = path.to_owned();
    loop {
        if let Ok(real) = std::fs::canonicalize(&head) {
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
        let Some(parent) = head.parent().map(Path::to_owned) else { return (path.to_owned(), false) };
        rest.push(
            head.components().next_back().map_or_else(Default::default, |part| part.as_os_str().to_owned()),
        );
        head = parent;
    }
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

impl Seed {
    /// Resolves a path of a tool call; `cwd` is the directory that it is relative to.
    pub fn resolve(&self, path: &Path, cwd: &Path, state: Option<&State>, memory: &[String]) -> Resolved {
        let (real, exists) = find(&cwd.join(path));
        let top = self.top_of(&real);
        let (shown, place) = match real.strip_prefix(&top) {
            Ok(inside) => {
                let shown = inside.to_string_lossy();
                // Elsewhere a backslash is a letter of a name like any other.
                let shown = if cfg!(windows) { shown.replace('\\', "/") } else { shown.into_owned() };
                let place = self.place_named(&shown, state);
                (shown, place)
            }
            Err(_) => (real.to_string_lossy().into_owned(), self.outside(&real, memory)),
        };
        let place = self.or_linked_page(place, &real, path);
        Resolved { real, shown, place, exists }
    }

    /// Where a path of the work tree lies by its name alone.
    pub fn place_named(&self, path: &str, state: Option<&State>) -> Place {
        let job = state.map(|state| state.job.id.to_string());
        let names = Names {
            pages: &self.rules.pages,
            surfaces: &self.rules.surfaces,
            unlocked: state.and_then(|state| state.unlocked.as_ref()),
            job: job.as_deref(),
        };
        place::of(path, &names)
    }

    /// A page that is a link is its target: the file that a page's name leads to is that
    /// page, by whichever name it is written.
    fn or_linked_page(&self, place: Place, real: &Path, given: &Path) -> Place {
        let Place::Project { dir } = &place else { return place };
        let name = given.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if self.rules.pages.contains(&name) || self.is_linked_page(dir, real) {
            return Place::Page { dir: dir.clone() };
        }
        place
    }

    /// True when a page of `dir` is a link to `real`.
    pub fn is_linked_page(&self, dir: &str, real: &Path) -> bool {
        let dir = self.store.work_tree().join(dir);
        let leads_here = |page: &String| {
            let page = dir.join(page);
            std::fs::read_link(&page).is_ok()
                && std::fs::canonicalize(&page).is_ok_and(|target| target == real)
        };
        self.rules.pages.iter().any(leads_here)
    }

    /// The top of the work tree with links resolved. Where a resolved path begins with it
    /// as it is, there are none, and the disk need not be asked.
    fn top_of(&self, real: &Path) -> PathBuf {
        let top = self.store.work_tree();
        if real.starts_with(top) {
            return top.to_owned();
        }
        std::fs::canonicalize(top).unwrap_or_else(|_| top.to_owned())
    }

    fn outside(&self, real: &Path, memory: &[String]) -> Place {
        let git = [self.store.git_dir(), self.store.common_dir()];
        if let Some(dir) = git.into_iter().find(|dir| real.starts_with(self::real(dir))) {
            let below = real.strip_prefix(self::real(dir)).unwrap_or(real);
            return if below.starts_with("seed") { Place::OwnState } else { Place::Git };
        }
        let text = real.to_string_lossy();
        if memory.iter().any(|pattern| fits(pattern, &text)) {
            return Place::HostMemory;
        }
        let scratch = self.rules.scratch.iter().any(|folder| text.starts_with(folder.as_str()));
        let home = std::fs::canonicalize(self.store.work_tree()).unwrap_or_default();
        // A work tree that itself lies in a scratch folder does not open its neighbours' repositories.
        if scratch && !inside_a_repository(real, &home) { Place::Scratch } else { Place::Outside }
    }
}

/// Whether the directory `dir` below `top` holds a file that `name` fits; `*` in it stands
/// for any letters.
pub fn holds(top: &Path, dir: &str, name: &str) -> bool {
    let dir = top.join(dir);
    if !name.contains('*') {
        return dir.join(name).is_file();
    }
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    entries.into_iter().any(|entry| entry.file_name().to_str().is_some_and(|file| fits_name(name, file)))
}

fn inside_a_repository(path: &Path, own: &Path) -> bool {
    path.ancestors().any(|dir| dir != own && dir.join(".git").exists())
}

/// True when `path` lies below the folder `pattern`, in which `~` is home and `*` one name.
fn fits(pattern: &str, path: &str) -> bool {
    let home = crate::world::variable("HOME").unwrap_or_default();
    let pattern = match pattern.strip_prefix("~/") {
        Some(_) if home.is_empty() => return false,
        Some(rest) => format!("{home}/{rest}"),
        None => pattern.to_owned(),
    };
    let mut wanted = pattern.trim_end_matches('/').split('/');
    let mut given = path.split('/');
    wanted.all(|want| given.next().is_some_and(|part| want == "*" && !part.is_empty() || want == part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_exist_is_judged_by_where_it_would_be() {
        let dir = tempfile::tempdir().expect("a directory");
        let top = std::fs::canonicalize(dir.path()).expect("it is there");
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
