//! Reads for a client: what it read of the work tree is in the journal, as a host's read would be.

use std::fs::OpenOptions;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::engine::repo::{EngineError, Repo, Result};
use crate::engine::unhooked::{Unhooked, row};
use crate::engine::{modes, repo};
use crate::event::{Act, EventKind, Outcome, ToolCall};
use crate::voice::{Notice, tell};
use crate::world;

/// The most bytes of a file that are given.
const MOST: u64 = 64 * 1024;

/// The most names of a directory that are given.
const NAMES: usize = 500;

/// What came of a look.
pub(crate) enum Looked {
    Seen(String),
    Refused(String),
}

/// Reads a file of the work tree, or lists a directory of it.
pub(crate) fn look(repo: &Repo, own: &Unhooked, path: &str, call: &str) -> Result<Looked> {
    let real = inside(repo, own, path)?;
    let act = if real.is_dir() {
        Act::Search { path: Some(real.clone()) }
    } else {
        Act::Read { path: real.clone() }
    };
    let tool = "look".to_owned();
    let call = ToolCall { tool, id: call.to_owned(), act, mentions: Vec::new() };
    let before = own.event("look", EventKind::Before(call.clone()));
    let answer = modes::answer(repo, row()?, &before);
    let drives = super::drives(repo, own)?;
    if let Some(refused) = answer.refuse {
        if drives {
            modes::before::write_down(repo, &before);
        }
        return Ok(Looked::Refused(refused));
    }
    let seen = if real.is_dir() { names(&real)? } else { text(&real)? };
    if !drives {
        return Ok(Looked::Seen(seen));
    }
    let outcome = Outcome { ok: true, ..Outcome::default() };
    let after = modes::answer(repo, row()?, &own.event("look", EventKind::After { call, outcome }));
    Ok(Looked::Seen(match after.context {
        Some(told) => format!("{seen}\n\n{told}"),
        None => seen,
    }))
}

/// The file that `path` means, links followed: in this work tree, and not git's.
fn inside(repo: &Repo, own: &Unhooked, path: &str) -> Result<PathBuf> {
    let no = || EngineError::not_now(Notice::UnhookedOutside, &[("path", path)]);
    let top = repo::paths::real(repo.store.work_tree());
    let real = crate::world::real(own.cwd.join(path)).map_err(|_| no())?;
    let below = real.strip_prefix(&top).map_err(|_| no())?;
    let is_gits = below.iter().any(|part| part.eq_ignore_ascii_case(".git"));
    let gits = [repo.store.git_dir(), repo.store.common_dir()];
    let lies_in = |dir: &Path| real.starts_with(repo::paths::real(dir));
    if is_gits || gits.into_iter().any(lies_in) { Err(no()) } else { Ok(real) }
}

fn text(file: &Path) -> Result<String> {
    let opened = world::open_plain(OpenOptions::new().read(true), file)?;
    let length = opened.metadata()?.len();
    let mut bytes = Vec::new();
    opened.take(MOST).read_to_end(&mut bytes)?;
    let shown = String::from_utf8_lossy(&bytes).into_owned();
    if length <= MOST {
        return Ok(shown);
    }
    let facts = [("shown", &*MOST.to_string()), ("all", &*length.to_string())];
    Ok(format!("{shown}\n{}", tell(Notice::UnhookedCut, &facts)))
}

fn names(dir: &Path) -> Result<String> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(dir)? {
        let entry = entry?;
        let end = if entry.file_type()?.is_dir() { "/" } else { "" };
        names.push(format!("{}{end}", entry.file_name().to_string_lossy()));
    }
    names.sort();
    names.truncate(NAMES);
    Ok(names.join("\n"))
}
