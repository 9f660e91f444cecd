//! Which runs stand for the tests of the work where a phase asks for one.

use std::path::Path;

use crate::claims::Counts;
use crate::claims::empty;
use crate::claims::ended::Ended;
use crate::claims::languages::shipped_languages;
use crate::engine::claims::{self, swapped};
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::event::{Event, Outcome};

/// Whether a line that ended well may stand for the tests. A run that found none does not, nor a
/// question for a version. A program in the line itself and a build do not where code changed and
/// tests are known; where none are, what ran well is all there is.
pub(crate) fn may_stand(
    repo: &Repo,
    focused: &LoadedJob,
    (line, dir): (&str, &Path),
    (event, outcome): (&Event, &Outcome),
) -> bool {
    // Who sent it is asked of the system; what that does not tell stands for nothing.
    if claims::receipts::is_of_no_host(repo, event).unwrap_or(true) {
        return false;
    }
    let read = repo.rules.runs().recognise(line);
    if read.run().is_some() {
        // The host says that the line ended well, with or without its status.
        let runs = repo.rules.runs();
        let end = Ended::of(runs, (line, &read), &outcome.printed, outcome.status);
        let unseen = end.counts.is_none() && runs.hides(line);
        // What cannot be told of the files is not to stand for the tests.
        let other = || swapped::is_of_other_work(repo, line, dir).unwrap_or(true);
        return !unseen && !end.counts.is_some_and(Counts::is_nothing) && !other();
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
