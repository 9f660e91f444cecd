//! Directories and patterns that a shell line names as what it writes in, and paths that are
//! nobody's work because git ignores them. Reads only.

use crate::engine::repo::paths::Resolved;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::engine::{fence, links};
use crate::event::Act;
use crate::format::names;
use crate::memory::scope::Scope;
use crate::phases::guard::FileChange;
use crate::phases::place::{Place, SETTINGS};
use crate::phases::{Phase, Write};
use crate::shell::Found;
use crate::store::{RepoPath, means};

/// Programs that put what they are given into a directory that is there, under its own name.
pub(super) const INTO: [&str; 6] = ["cp", "gcp", "gmv", "install", "ln", "mv"];
/// Programs after which a directory that they name is not what it was, memory in it included.
const TAKES: [&str; 6] = ["gmv", "mv", "rm", "rmdir", "shred", "trash"];
/// What no shell expands where a line quotes it, and tools do.
const WILD: [char; 4] = ['*', '?', '{', '}'];
/// The most patterns that one with braces stands for.
const MOST: usize = 64;

/// A place of the work tree that a line names as a whole.
struct Named {
    dir: String,
    /// The patterns that say which of its files are meant; empty for all of them.
    patterns: Vec<String>,
}

/// What of a line names a path.
pub(crate) struct By<'a> {
    pub(crate) found: &'a Found,
    /// It is the last path there.
    pub(crate) last: bool,
}

/// The files that stand for what a line writes at `resolved`, where that is a directory or a
/// pattern: one that is not declared, if git knows such a one there, and one of those that are, if
/// not. Nothing for any other path, and for a directory of which git knows nothing.
pub(crate) fn files(
    repo: &Repo,
    resolved: &Resolved,
    by: &By<'_>,
    scope: &Scope,
    focused: &LoadedJob,
) -> Result<Option<Vec<Resolved>>> {
    let state = &focused.state;
    let Some(named) = named(repo, resolved) else { return Ok(None) };
    let program = by.found.part.split(' ').next().unwrap_or_default();
    if named.patterns.is_empty() && program == "mkdir" {
        // What is there is not made.
        return Ok(Some(Vec::new()));
    }
    if named.patterns.is_empty() && INTO.contains(&program) && by.last {
        return Ok(Some(vec![file_in(repo, &named.dir)]));
    }
    let kept = repo.store.file(&focused.tip, names::EXCLUDES)?.unwrap_or_default();
    let mut known = repo.store.files_below(&named.dir, &kept)?;
    known.retain(|file| {
        named.patterns.is_empty() || named.patterns.iter().any(|one| means(one, file))
    });
    let takes = TAKES.contains(&program);
    let (mut inside, mut others) = (Vec::new(), Vec::new());
    for file in &known {
        let file = file.trim_end_matches('/');
        match repo.place_named(file, Some(state)) {
            place @ Place::Project { .. } if !repo.is_declared(file, &place, scope) => {
                return Ok(Some(vec![standing_for(repo, file.to_owned(), place)]));
            }
            place @ Place::Project { .. } => inside.push(place),
            Place::Surface { name, .. } if name != SETTINGS => others.push(file.to_owned()),
            _ if takes => others.push(file.to_owned()),
            _ => {}
        }
    }
    let top = repo.store.work_tree();
    let mut files: Vec<Resolved> =
        others.iter().map(|file| repo.resolve(file.as_ref(), top, Some(state), &[])).collect();
    match inside.first() {
        Some(Place::Project { dir }) => files.push(file_in(repo, dir)),
        _ if !known.is_empty() => {}
        _ if scope.declares(&named.dir) || !named.patterns.is_empty() => {
            files.push(file_in(repo, &named.dir));
        }
        _ => return Ok(None),
    }
    Ok(Some(files))
}

/// What `resolved` names as a whole: a directory that is there, or what a pattern means.
fn named(repo: &Repo, resolved: &Resolved) -> Option<Named> {
    if !matches!(resolved.place, Place::Project { .. }) {
        return None;
    }
    let path = &resolved.shown;
    if links::is_link(&resolved.real) {
        // A name, whatever it leads to.
        return None;
    }
    if resolved.real.is_dir() {
        return Some(Named { dir: path.clone(), patterns: Vec::new() });
    }
    let wild = path.find(WILD).filter(|_| !resolved.exists)?;
    // Below a directory of which only that much is known.
    if path[wild..] == *"*" {
        return None;
    }
    let dir = path[..wild].rsplit_once('/').map_or("", |(dir, _)| dir).to_owned();
    let is_there = repo.store.work_tree().join(&dir).is_dir();
    is_there.then(|| Named { dir, patterns: without_braces(path) })
}

/// The patterns without braces that `pattern` stands for.
fn without_braces(pattern: &str) -> Vec<String> {
    let (mut ahead, mut plain) = (vec![pattern.to_owned()], Vec::new());
    while let Some(one) = ahead.pop() {
        let close = one.find('}');
        let braces = close.and_then(|close| Some((one[..close].rfind('{')?, close)));
        match braces {
            Some((open, close)) if ahead.len() + plain.len() < MOST => {
                let (head, tail) = (&one[..open], &one[close + 1..]);
                let words = one[open + 1..close].split(',');
                ahead.extend(words.map(|word| format!("{head}{word}{tail}")));
            }
            _ => plain.push(one),
        }
    }
    plain
}

/// Some file right in `dir`.
fn file_in(repo: &Repo, dir: &str) -> Resolved {
    let file = if dir.is_empty() { "*".to_owned() } else { format!("{dir}/*") };
    standing_for(repo, file, Place::Project { dir: dir.to_owned() })
}

/// It counts as new: nobody named this file, so nobody has to have read it.
fn standing_for(repo: &Repo, file: String, place: Place) -> Resolved {
    let real = repo.store.work_tree().join(&file);
    Resolved { real, shown: file, place, exists: false }
}

/// Takes out of `changes` what git ignores, where the declared directories are open: it is nobody's
/// work.
pub(crate) fn leave_free(
    repo: &Repo,
    (phase, focused): (&Phase, Option<&LoadedJob>),
    act: &Act,
    changes: &mut Vec<FileChange>,
) -> Result<()> {
    let Some(focused) = focused.filter(|_| phase.write.contains(&Write::Scope)) else {
        return Ok(());
    };
    // A tool that edits writes a file; a line may mean a directory that is not there.
    let may_be_dir = matches!(act, Act::Shell { .. });
    let mut kept = Vec::with_capacity(changes.len());
    for change in changes.drain(..) {
        let beyond = !change.declared && matches!(change.place, Place::Project { .. });
        if !beyond || !is_free(repo, focused, &change.path, may_be_dir)? {
            kept.push(change);
        }
    }
    *changes = kept;
    Ok(())
}

/// Whether git ignored `path` when the cycle began, or ignores it now among what tools make;
/// one that is not there may be a directory where `may_be_dir`. What is git seed's and the host's
/// is never free.
fn is_free(repo: &Repo, focused: &LoadedJob, path: &str, may_be_dir: bool) -> Result<bool> {
    let top = path.split('/').next().unwrap_or_default();
    if path.is_empty() || top.eq_ignore_ascii_case(".claude") || RepoPath::try_from(path).is_err() {
        return Ok(false);
    }
    let is_dir = match repo.store.work_tree().join(path).symlink_metadata() {
        Ok(data) => data.is_dir(),
        Err(_) => may_be_dir,
    };
    // A job that never began a cycle kept none.
    let kept = repo.store.file(&focused.tip, names::EXCLUDES)?.unwrap_or_default();
    if repo.store.was_ignored(&kept, path, is_dir)? {
        return Ok(true);
    }
    let mut built = vec![if is_dir { format!("{path}/*") } else { path.to_owned() }];
    fence::tree::without_built(repo, &mut built)?;
    Ok(built.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_with_braces_stands_for_several() {
        for (pattern, expected) in [
            ("a/*.js", &["a/*.js"][..]),
            ("{a,b}/*.js", &["a/*.js", "b/*.js"]),
            ("a/*.{js,{ts,tsx}}", &["a/*.js", "a/*.ts", "a/*.tsx"]),
            ("a/{b", &["a/{b"]),
            ("a}b", &["a}b"]),
        ] {
            let mut plain = without_braces(pattern);
            plain.sort_unstable();
            plain.dedup();
            assert_eq!(plain, expected, "{pattern}");
        }
    }
}
