//! Directories and patterns that a shell line names as what it writes in, and paths that are
//! nobody's work because git ignores them. Reads only.

use std::path::Path;

use crate::engine::repo::paths::Resolved;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::engine::{claims, closed_paths, fence, links, record};
use crate::event::Act;
use crate::format::names;
use crate::memory::scope::Scope;
use crate::phases::guard::FileChange;
use crate::phases::place::{Place, SETTINGS};
use crate::phases::{Class, Phase, Write, said_scope};
use crate::shell::Found;
use crate::store::{RepoPath, means};

/// Programs that put what they are given into a directory that is there, under its own name.
pub(super) const INTO: [&str; 6] = ["cp", "gcp", "gmv", "install", "ln", "mv"];
/// Programs after which a directory that they name is not what it was, memory in it included.
const TAKES: [&str; 6] = ["gmv", "mv", "rm", "rmdir", "shred", "trash"];
/// Programs that make what they name.
const MAKES: [&str; 10] =
    ["cp", "gcp", "gmv", "install", "ln", "mkdir", "mv", "tee", "touch", "dd"];
/// What no shell expands where a line quotes it, and tools do.
const WILD: [char; 4] = ['*', '?', '{', '}'];
/// The most patterns that one with braces stands for.
const MOST: usize = 64;

/// A place of the work tree that a line names as a whole.
struct Named {
    dir: String,
    /// The patterns that say which of its files are meant; empty for all of them.
    patterns: Vec<String>,
    /// The shell expands them, or a search: what they fit is what is there.
    by_shell: bool,
}

impl Named {
    /// Whether a file is meant, or a directory that it lies in.
    fn means(&self, file: &str) -> bool {
        let mut above = Path::new(file).ancestors().filter_map(Path::to_str);
        self.patterns.is_empty()
            || self.patterns.iter().any(|one| means(one, file))
            || self.by_shell && above.any(|dir| self.patterns.iter().any(|one| means(one, dir)))
    }
}

/// What of a line names a path.
pub(crate) struct By<'a> {
    pub(crate) found: &'a Found,
    /// As the line has it.
    pub(crate) given: &'a str,
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
    let program = by.found.part.split(' ').next().unwrap_or_default();
    let meant = meant(resolved, by);
    let Some(named) = meant.or_else(|| named(repo, resolved)) else { return Ok(None) };
    if named.patterns.is_empty() && program == "mkdir" {
        // What is there is not made.
        return Ok(Some(Vec::new()));
    }
    if named.patterns.is_empty() && INTO.contains(&program) && by.last {
        return Ok(Some(vec![file_in(repo, &named.dir)]));
    }
    let kept = repo.store.file(&focused.tip, names::EXCLUDES)?.unwrap_or_default();
    let mut known = repo.store.files_below(&named.dir, &kept)?;
    known.retain(|file| named.means(file));
    let takes = TAKES.contains(&program);
    let (mut inside, mut others) = (Vec::new(), Vec::new());
    for file in &known {
        let file = file.trim_end_matches('/');
        match repo.place_named(file, Some(state)) {
            place @ Place::Project { .. } if !repo.is_declared(file, &place, scope) => {
                return Ok(Some(vec![standing_for(repo, file.to_owned(), place)]));
            }
            place @ Place::Project { .. } => inside.push((file.to_owned(), place)),
            Place::Surface { name, .. } if name != SETTINGS => others.push(file.to_owned()),
            _ if takes => others.push(file.to_owned()),
            _ => {}
        }
    }
    let top = repo.store.work_tree();
    let mut files: Vec<Resolved> =
        others.iter().map(|file| repo.resolve(file.as_ref(), top, Some(state), &[])).collect();
    match inside.first() {
        Some((file, place)) if named.by_shell => {
            files.push(standing_for(repo, file.clone(), place.clone()));
        }
        Some((_, Place::Project { dir })) => files.push(file_in(repo, dir)),
        _ if !known.is_empty() => {}
        // A pattern of the shell's that fits no file of the work changes none of it.
        _ if named.by_shell && !MAKES.contains(&program) && !program.starts_with('>') => {}
        _ if scope.declares(&named.dir) || !named.patterns.is_empty() => {
            files.push(file_in(repo, &named.dir));
        }
        _ => return Ok(None),
    }
    Ok(Some(files))
}

/// What of a directory a pattern means that the shell expands, or a search.
fn meant(resolved: &Resolved, by: &By<'_>) -> Option<Named> {
    let own = by.found.meant.iter().filter(|(of, _)| of == by.given);
    let dir = resolved.shown.strip_suffix('*')?.trim_end_matches('/').to_owned();
    let begin = if dir.is_empty() { String::new() } else { format!("{dir}/") };
    let rest = |one: &String| one.trim_start_matches("./").to_owned();
    let patterns: Vec<String> = own.map(|(_, one)| format!("{begin}{}", rest(one))).collect();
    let inside = !Path::new(&dir).is_absolute();
    (inside && !patterns.is_empty()).then_some(Named { dir, patterns, by_shell: true })
}

/// What a line writes below a directory where no job is kept, by its patterns: the files of the
/// work that they mean and that are closed, or that a person named. None where no pattern says.
pub(crate) fn closed_files(
    repo: &Repo,
    session: &str,
    resolved: &Resolved,
    by: &By<'_>,
) -> Result<Option<Vec<Resolved>>> {
    let Some(named) = meant(resolved, by) else { return Ok(None) };
    let said = record::said::of(repo, session)?.paths;
    let scope = &repo.rules.fence_scope;
    let top = repo.store.work_tree();
    let mut files = closed_paths::files_of_work(repo, &said)?;
    files.retain(|file| named.means(file) && said_scope::shut(file, &said, scope).is_some());
    let found = files.iter().take(MOST);
    Ok(Some(found.map(|file| repo.resolve(file.as_ref(), top, None, &[])).collect()))
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
        return Some(Named { dir: path.clone(), patterns: Vec::new(), by_shell: false });
    }
    let wild = path.find(WILD).filter(|_| !resolved.exists)?;
    // Below a directory of which only that much is known.
    if path[wild..] == *"*" {
        return None;
    }
    let dir = path[..wild].rsplit_once('/').map_or("", |(dir, _)| dir).to_owned();
    let is_there = repo.store.work_tree().join(&dir).is_dir();
    is_there.then(|| Named { dir, patterns: without_braces(path), by_shell: false })
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

/// Of what code in a line changes the files of the work, and pages: what git ignores is neither.
pub(crate) fn of_the_work(repo: &Repo, changes: Vec<FileChange>) -> Result<Vec<FileChange>> {
    let work = |change: &FileChange| {
        matches!(change.place, Place::Project { .. }) || change.place.is_memory()
    };
    let paths: Vec<String> = changes.iter().map(|change| change.path.clone()).collect();
    let ignored = repo.store.excluded(&paths)?;
    let mut changes = changes;
    changes.retain(|change| work(change) && !ignored.contains(&change.path.as_str()));
    Ok(changes)
}

/// Where code runs, what it prints may be kept: in a file of data that git ignores, which no run
/// is made of.
pub(crate) fn is_log(
    repo: &Repo,
    phase: &Phase,
    found: &Found,
    written: &[FileChange],
) -> Result<bool> {
    let prints = found.part.starts_with(['>', '&']) || found.part.split(' ').next() == Some("tee");
    let data = |change: &FileChange| {
        matches!(change.place, Place::Project { .. }) && claims::places::is_data(&change.path)
    };
    let logs = phase.opens(Class::ShellCode) && prints && found.writes_plain_files();
    if !(logs && written.iter().all(data)) {
        return Ok(false);
    }
    let paths: Vec<String> = written.iter().map(|change| change.path.clone()).collect();
    Ok(!paths.is_empty() && repo.store.excluded(&paths)?.len() == paths.len())
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
