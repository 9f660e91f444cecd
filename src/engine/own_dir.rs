//! A shell line that reads git seed's state by a name that the reader of lines does not know: from
//! inside of the git directory, or through one that is not called `.git`, as that of a bare
//! repository, of a submodule, or one that stands apart.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::engine::repo::Repo;
use crate::engine::repo::paths::Resolved;
use crate::phases::place::Place;
use crate::shell;

/// Directories of git's that one line may name; one that names more is taken for one that looks
/// for ours.
const ENTERED: usize = 16;

/// What of the line, which begins in `cwd`, leads there; `place` says whose a path is.
pub(crate) fn named(
    repo: &Repo,
    command: &str,
    cwd: &Path,
    place: &dyn Fn(&Path) -> Resolved,
) -> Option<String> {
    if works_inside_git(command, cwd, place) {
        return Some(cwd.display().to_string());
    }
    if repo.store.common_dir().ends_with(".git") {
        return None;
    }
    // A directory of git's that a word names may be where the line goes on.
    let mut from: Vec<PathBuf> = vec![cwd.to_owned()];
    let mut seen = BTreeSet::new();
    let parts = |c: char| c.is_whitespace() || "\"'`;|&()<>=,:".contains(c);
    for word in command.split(parts).filter(|word| !word.is_empty()) {
        // The same word leads elsewhere only from where the line went meanwhile.
        if !seen.insert(word) {
            continue;
        }
        let found: Vec<_> = from.iter().map(|dir| place(&dir.join(word))).collect();
        let ours = found.iter().any(|found| found.place == Place::OwnState);
        if ours || from.len() > ENTERED {
            return Some(word.to_owned());
        }
        let entered = found.into_iter().filter(|found| found.place == Place::Git);
        for dir in entered.map(|found| found.real).filter(|dir| dir.is_dir()) {
            if !from.contains(&dir) {
                from.push(dir);
                seen.clear();
            }
        }
    }
    None
}

/// Whether the line runs in the git directory: there, no word of it shows whose file it names.
/// A line that first leaves it is like any other.
fn works_inside_git(command: &str, cwd: &Path, place: &dyn Fn(&Path) -> Resolved) -> bool {
    let inside = |dir: &Path| matches!(place(dir).place, Place::Git | Place::OwnState);
    // The directory may have another name, but then it is a rare one that is asked about.
    if !inside(cwd) {
        return false;
    }
    let leaves = shell::simple(command).and_then(|line| line.dirs.into_iter().next().flatten());
    leaves.is_none_or(|to| inside(&cwd.join(to)))
}
