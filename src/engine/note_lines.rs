//! Lines of notes that lead to a record of the gate and that a kill left out: the record is written
//! first, and without its line `verify` has to take the note for one that was cut.

use crate::engine::records::{headings, recorded};
use crate::engine::repo::{Repo, Result};
use crate::format::{claim, notes};

/// How many records a commit looks back over.
const NEAR: usize = 4;

/// Writes the lines of the newest records that are missing.
pub(crate) fn mend_near(repo: &Repo) -> Result<()> {
    mend(repo, Some(NEAR)).map(drop)
}

/// Writes the lines of all records that are missing; says how many they were.
pub(crate) fn mend_all(repo: &Repo) -> Result<usize> {
    mend(repo, None)
}

fn mend(repo: &Repo, newest: Option<usize>) -> Result<usize> {
    let mut mended = 0;
    for (id, said) in headings(repo, newest)? {
        // A commit that is not here has its note where it is.
        let commit = said.attests.as_deref().filter(|commit| repo.store.has_object(commit));
        let Some(commit) = commit.and_then(|commit| commit.parse().ok()) else { continue };
        let Some(noted) = claim::note_of(id.as_str(), &recorded(repo, &id)?.record) else {
            continue;
        };
        // By what it says, as `verify` reads it: an older git seed may have worded it otherwise.
        let lines = repo.store.note_lines(&commit)?;
        if !lines.iter().any(|line| notes::Record::read(line).as_ref() == Some(&noted)) {
            repo.store.note_add(&commit, &[noted.line()], repo.now)?;
            mended += 1;
        }
    }
    Ok(mended)
}
