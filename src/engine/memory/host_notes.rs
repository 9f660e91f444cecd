//! Memory notes on the disk: where they lie, and what their schema says of them.
//!
//! Two places: what a host keeps for this repository, and the directories that the rules
//! name. Reads only.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::engine::repo::{self, Repo};
use crate::hosts::{self, Host};
use crate::memory::schema::{self, Level, Rule};
use crate::voice::{Notice, tell};

/// The most notes that are listed, and how deep they are looked for.
const LISTED: usize = 20_000;

const DEPTH: usize = 4;

/// What a hook reads at most: files, and bytes of all of them.
const READ: (usize, usize) = (200, 1024 * 1024);

/// The most findings that a session is told of at its beginning.
const TOLD: usize = 3;

/// One finding: `doctor --memory --json`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct NoteFinding {
    /// From the top of the work tree; absolute for a note of a host.
    pub file: String,
    pub line: usize,
    pub rule: Rule,
    pub level: Level,
    pub what: String,
}

/// Everything that the schema says of memory notes here.
pub(crate) fn examine_notes(repo: &Repo) -> Vec<NoteFinding> {
    let rows = hosts::names().filter_map(|name| hosts::row(name).ok());
    findings(repo, rows, (LISTED, usize::MAX))
}

/// What a session is told at its beginning: the errors, if there are any.
pub(crate) fn word_on_notes(repo: &Repo, host: &Host) -> Option<String> {
    // What the session's beginning could not read it has told by now.
    if !repo.is_seeded().unwrap_or_default() {
        return None;
    }
    let mut found = findings(repo, std::iter::once(host), READ);
    found.retain(|one| one.level == Level::Error);
    let first = found.iter().take(TOLD);
    let named: Vec<String> = first
        .map(|one| {
            let name = one.file.rsplit('/').next().unwrap_or(&one.file);
            let name: String = name.chars().filter(|c| !c.is_control()).take(60).collect();
            format!("{name}:{} {}", one.line, one.rule.word())
        })
        .collect();
    let errors = match found.len() {
        0 => return None,
        1 => "1 error".to_owned(),
        n => format!("{n} errors"),
    };
    Some(tell(Notice::NotesFaulty, &[("errors", &errors), ("named", &named.join(", "))]))
}

fn findings<'h>(
    repo: &Repo,
    hosts: impl Iterator<Item = &'h Host>,
    (files, bytes): (usize, usize),
) -> Vec<NoteFinding> {
    let notes = notes_on_disk(repo, hosts);
    let known: BTreeSet<String> = notes.iter().map(|(shown, _)| schema::name_of(shown)).collect();
    let mut left = bytes;
    let mut found = Vec::new();
    for (shown, path) in notes.iter().take(files) {
        // A note of the host's that went meanwhile, or that it alone may read, is not judged.
        let Ok(text) = repo::paths::bytes_of(path) else { continue };
        let Some(rest) = left.checked_sub(text.len()) else { break };
        left = rest;
        found.extend(schema::check(shown, &text, &known).into_iter().map(|one| NoteFinding {
            file: shown.clone(),
            line: one.line,
            rule: one.rule,
            level: one.level,
            what: one.what,
        }));
    }
    found
}

/// All notes as they are shown, and where each lies.
fn notes_on_disk<'h>(repo: &Repo, hosts: impl Iterator<Item = &'h Host>) -> Vec<(String, PathBuf)> {
    let top = repo.store.work_tree();
    let mut dirs: Vec<PathBuf> = repo.rules.notes.iter().map(|dir| top.join(dir)).collect();
    dirs.extend(hosts.flat_map(|host| memory_of(repo, host)));
    let mut found = Vec::new();
    let mut ahead: Vec<(PathBuf, usize)> = dirs.into_iter().map(|dir| (dir, 0)).collect();
    while let Some((dir, depth)) = ahead.pop().filter(|_| found.len() < LISTED) {
        for entry in std::fs::read_dir(&dir).into_iter().flatten().flatten() {
            let (Ok(kind), path) = (entry.file_type(), entry.path()) else { continue };
            if kind.is_dir() && depth < DEPTH {
                ahead.push((path, depth + 1));
            } else if kind.is_file() && entry.file_name().to_str().is_some_and(schema::is_note) {
                let shown =
                    path.strip_prefix(top).unwrap_or(&path).to_string_lossy().replace('\\', "/");
                found.push((shown, path));
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The directories where `host` keeps its memory of this repository. It names them after
/// the top of the repository, which linked worktrees share.
fn memory_of(repo: &Repo, host: &Host) -> Vec<PathBuf> {
    let Some(home) = repo.persons_home() else { return Vec::new() };
    let top = repo.store.work_tree();
    let main = repo.store.common_dir();
    let main = if main.ends_with(".git") { main.parent().unwrap_or(top) } else { top };
    let mut names: Vec<String> = Vec::new();
    for dir in [main, top] {
        let real = crate::world::real(dir).unwrap_or_else(|_| dir.to_owned());
        for name in [project_name(dir), project_name(&real)] {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    let of_home = host.memory.iter().filter_map(|pattern| pattern.strip_prefix("~/"));
    of_home
        .flat_map(|pattern| names.iter().map(|name| home.join(pattern.replace('*', name))))
        .collect()
}

/// The name that a host gives the directory of a project: its path, with `-` for whatever is
/// no letter or digit.
fn project_name(dir: &Path) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    dir.to_string_lossy().chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn projects_are_named_after_their_path() {
        let cases = [("/home/me/my.app_2", "-home-me-my-app-2"), ("C:\\Users\\me", "C--Users-me")];
        for (dir, name) in cases {
            assert_eq!(project_name(Path::new(dir)), name);
        }
    }
}
