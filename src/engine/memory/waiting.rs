//! What messages hold for condense: notes that small jobs left in theirs, and what a stay of this
//! job misjudged. Small jobs have no page to leave a note on; their commits wait here until a
//! condense has run on the branch.

use std::collections::BTreeSet;

use crate::engine::quote::brief;
use crate::engine::repo::{LoadedJob, Repo, Result, trust};
use crate::format::trailers::{self, StepTrailers};
use crate::memory::notes::Note;
use crate::phases::gates::MISJUDGED;
use crate::phases::message::Message;
use crate::store::{CommitId, Step};
use crate::voice::{Notice, tell};

/// How many commits are looked through for the last condense, and how many steps of the job.
const BACK: usize = 300;

/// The most characters of one line.
const MOST: usize = 300;

/// What waits for this condense, one line each, oldest first.
pub(crate) fn waiting(repo: &Repo, focused: &LoadedJob) -> Result<Vec<String>> {
    let mut found = small_jobs(repo, focused)?;
    found.extend(own(repo, focused, notes)?);
    Ok(once(found))
}

/// How many lines of it the message of condense answers. What this job's own messages note may
/// stand on its pages as well, where the gates of notes ask for it.
pub(crate) fn owed(repo: &Repo, focused: &LoadedJob) -> Result<usize> {
    let mut found = small_jobs(repo, focused)?;
    found.extend(own(repo, focused, |_, _, _| Vec::new())?);
    Ok(once(found).len())
}

/// Each line once: a message says its first one twice in a chain.
fn once(mut found: Vec<String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    found.retain(|line| seen.insert(line.clone()));
    found
}

/// Notes in messages of other jobs, since a condense ran on this branch.
fn small_jobs(repo: &Repo, focused: &LoadedJob) -> Result<Vec<String>> {
    let Some(head) = repo.store.head()?.commit else { return Ok(Vec::new()) };
    let steps = repo.store.history_here(&head, BACK)?;
    let mut found: Vec<(CommitId, Vec<String>)> = Vec::new();
    for step in steps {
        let Some(said) = StepTrailers::read(&step.message) else { continue };
        if said.job == focused.state.job.id.as_str() {
            continue;
        }
        if repo.rules.maps.settles(&said.phase) {
            break;
        }
        let notes = notes(repo, focused, &step.message);
        if !notes.is_empty() {
            found.push((step.commit, notes));
        }
    }
    let trusted = trust::made_by_us(repo, found.iter().map(|(commit, _)| commit))?;
    let lines = found.into_iter().rev().flat_map(|(commit, notes)| {
        let short: String = commit.as_str().chars().take(7).collect();
        if trusted.contains(&commit) {
            notes.into_iter().map(|note| format!("{note} ({short})")).collect()
        } else {
            // As of files: words of somebody else's branch are only named.
            vec![tell(Notice::WaitingElsewhere, &[("commit", &short)])]
        }
    });
    Ok(lines.collect())
}

/// Notes in this cycle's messages, and what they say was misjudged.
fn own(
    repo: &Repo,
    focused: &LoadedJob,
    notes: impl Fn(&Repo, &LoadedJob, &str) -> Vec<String>,
) -> Result<Vec<String>> {
    let steps = repo.store.history_from(&focused.tip.commit, BACK)?;
    let stand = &focused.state.stand;
    let here = |step: &Step| {
        let said = StepTrailers::read(&step.message)?;
        let now = said.run == focused.state.job.run && said.cycle == stand.cycle;
        now.then_some(said.phase)
    };
    let mut found = Vec::new();
    for step in steps.iter().rev() {
        let Some(phase) = here(step) else { continue };
        found.extend(notes(repo, focused, &step.message));
        let message = Message::new(trailers::body(&step.message));
        if let Some(text) = message.section(MISJUDGED).filter(|text| !text.is_empty()) {
            let text = brief(&text, MOST);
            found.push(tell(Notice::WaitingMisjudged, &[("phase", &phase), ("text", &text)]));
        }
    }
    Ok(found)
}

/// The live notes of a message, each with the words of its line.
fn notes(repo: &Repo, focused: &LoadedJob, message: &str) -> Vec<String> {
    let line = |note: &Note| {
        let line = message[note.range.clone()].trim();
        // The first line says phase or step before its words.
        let words = line.split_once(": ").filter(|_| note.line == 1).map_or(line, |(_, said)| said);
        brief(words, MOST)
    };
    let notes = repo.kinds(&focused.state).read(message);
    notes.iter().filter(|note| note.standing.is_live()).map(line).collect()
}
