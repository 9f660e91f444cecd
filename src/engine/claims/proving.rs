//! Which runs stand for the tests of the work where a phase asks for one.

use crate::claims::empty;
use crate::claims::ended::closing;
use crate::claims::languages::shipped_languages;
use crate::engine::claims;
use crate::engine::repo::{LoadedJob, Repo, Result};

/// Whether a line that ended well may stand for the tests. A run that found none does not, nor a
/// question for a version. A program in the line itself and a build do not where code changed and
/// tests are known; where none are, what ran well is all there is.
pub(crate) fn may_stand(repo: &Repo, focused: &LoadedJob, line: &str, printed: &str) -> bool {
    let read = repo.rules.runs().recognise(line);
    if let Some(run) = read.run() {
        let counts = closing(run, line, printed, Some(0));
        return counts.is_none_or(|counts| !counts.is_nothing());
    }
    if empty::only_asks_version(line) {
        return false;
    }
    // Where the tree does not read, nothing stands for it: a run of tests does in any case.
    !empty::shows_nothing(line) || !wants_tests(repo, focused).unwrap_or(true)
}

/// Code changed, and tests are known: files that runners collect, or a run that found some.
fn wants_tests(repo: &Repo, focused: &LoadedJob) -> Result<bool> {
    let (truth, tree) = claims::gate::truth_of(repo, Some(focused))?;
    if truth.files.iter().all(|file| file.prose) {
        return Ok(false);
    }
    let found = |ran: &crate::claims::Ran| {
        ran.run.is_some() && ran.counts.is_some_and(|counts| !counts.is_nothing())
    };
    if repo.store.paths_of(&tree)?.iter().any(|path| shipped_languages().is_collected(path)) {
        return Ok(true);
    }
    Ok(claims::receipts::ran(repo, focused)?.iter().any(|(_, ran)| found(ran)))
}
