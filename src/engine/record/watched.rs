//! The record that is kept where no job is: what was refused, or would have been, and what came
//! after it. One file of this clone, `.git/seed/watch.jsonl`, of a bounded size.

use crate::engine::repo::{Repo, Result};
use crate::format::watched::{Happened, Watched};
use crate::jobs::mode::Mode;
use crate::store::BoundedLines;

/// The most bytes of the record.
const MOST: usize = 512 * 1024;

/// The most paths of a line, and the most letters of a fact in it.
const PATHS: usize = 20;
const LETTERS: usize = 300;

fn file(repo: &Repo) -> BoundedLines {
    repo.store.bounded_lines("watch.jsonl", MOST)
}

/// Keeps one line, once: a host may hand an event over twice.
pub(crate) fn keep(repo: &Repo, what: Happened, fill: impl FnOnce(&mut Watched)) -> Result<()> {
    let mut line = Watched { at: repo.now, what, mode: repo.rules.mode, ..Watched::default() };
    fill(&mut line);
    let line = line.kept(PATHS, LETTERS);
    let dropped = Watched { at: repo.now, what: Happened::Dropped, ..Watched::default() };
    let dropped = serde_json::to_vec(&dropped)?;
    let known = |known: &[u8]| line.is_the_call_of(known);
    Ok(file(repo).append_unless(&serde_json::to_vec(&line)?, known, || dropped)?)
}

/// All that is kept, oldest first. A line that does not read is none: what somebody else wrote
/// there is not counted.
pub(crate) fn all(repo: &Repo) -> Result<Vec<Watched>> {
    let lines = file(repo).all()?;
    // As above.
    Ok(lines.iter().filter_map(|line| serde_json::from_slice(line).ok()).collect())
}

/// Whether a line tells of the call `id`; which one it is, only reading them says.
pub(crate) fn may_tell_of(repo: &Repo, id: &str) -> Result<bool> {
    Ok(file(repo).hold(id)?)
}

/// Takes the lines of `session` out again: it was only tried whether they are written.
pub(crate) fn forget(repo: &Repo, session: &str) -> Result<()> {
    // A line that does not read is nobody's.
    let of_it = |line: &[u8]| {
        serde_json::from_slice::<Watched>(line).is_ok_and(|line| line.session == session)
    };
    Ok(file(repo).retain(|line| !of_it(line))?)
}

/// The refusals in mode fence, newest first: what `why` tells where no journal is kept.
pub(crate) fn refusals(repo: &Repo) -> Result<Vec<Watched>> {
    let mut all = all(repo)?;
    let refused = |line: &Watched| {
        line.mode == Mode::Fence && matches!(line.what, Happened::Refused | Happened::Words)
    };
    all.retain(refused);
    all.reverse();
    Ok(all)
}
