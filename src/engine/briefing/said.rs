//! What the person said of the job, as each of its phases tells it again: a context that was
//! compacted, a new session and a long cycle forget it otherwise.

use crate::engine::briefing::text::Said;
use crate::engine::judge;
use crate::engine::repo::{LoadedJob, Repo};
use crate::format::interaction::{self, Interaction};
use crate::format::names;
use crate::format::summary::Kept;
use crate::jobs::routing::InteractionKind;
use crate::jobs::{demands, shortword};

/// Among how many entries prompts are looked for, besides the first.
const ENTRIES: u32 = 200;

/// The most demands that are kept, the newest.
const DEMANDS: usize = 40;

/// What is told of it. Reads only, and leaves out what it cannot read: the phase has begun.
pub(super) fn said(repo: &Repo, focused: &LoadedJob) -> Said {
    let job = &focused.state.job;
    let prompts = prompts(repo, focused);
    // Without a prompt that reads nothing is quoted.
    let last = prompts.last().cloned().unwrap_or_default();
    let mut demands: Vec<String> = Vec::new();
    for sentence in prompts.iter().rev().flat_map(|text| demanded(text)) {
        if demands.len() < DEMANDS && !demands.contains(&sentence) {
            demands.push(sentence);
        }
    }
    demands.reverse();
    Said {
        objective: job.objective.clone(),
        prompts: prompts.clone(),
        alone: prompts.len() <= 1,
        last,
        summary: summary(repo, focused),
        demands,
    }
}

/// The words of the job's prompts, oldest first, without what was for git seed.
fn prompts(repo: &Repo, focused: &LoadedJob) -> Vec<String> {
    let all = focused.state.job.interactions;
    let newest = all.saturating_sub(ENTRIES).max(1) + 1..=all;
    let read = |n: u32| prompt(entry(repo, focused, n)?);
    (1..=1).chain(newest).filter_map(read).collect()
}

/// One entry of the job's standing instruction.
pub(super) fn entry(repo: &Repo, focused: &LoadedJob, n: u32) -> Option<Interaction> {
    // What cannot be read is not quoted; `doctor` asks git what is lost.
    let entry = repo.entry(focused.texts(), n).ok()??;
    entry.gone.is_none().then_some(entry.said)
}

/// The person's words of a prompt.
pub(super) fn prompt(read: Interaction) -> Option<String> {
    if read.kind != InteractionKind::Prompt || interaction::is_unworded(&read.text) {
        return None;
    }
    // A short word was for git seed; what stood behind it is most often the job's.
    let said = match shortword::read(&read.text) {
        Some((word, _)) if word.takes_a_reason() => return None,
        Some((_, rest)) => rest.trim().to_owned(),
        None => read.text.into_string(),
    };
    (!said.trim().is_empty()).then_some(said)
}

/// The sentences of a prompt that forbid something or demand it, the last one first; code is none.
fn demanded(text: &str) -> Vec<String> {
    let plain = |one: String| one.trim_start_matches(['-', '*', '+', '>', '#', ' ']).to_owned();
    let all = judge::words::sentences(text).into_iter().map(plain);
    let mut found: Vec<String> = all.filter(|one| demands::is_demand(one)).collect();
    found.reverse();
    found
}

/// The newest summary of what was said.
fn summary(repo: &Repo, focused: &LoadedJob) -> String {
    let n = focused.state.summed.summaries;
    let read = || {
        // As for an entry above.
        Kept::read(n, &repo.words(focused.texts(), &names::summary(n)).ok()??)
    };
    // None was made, or it does not read: then nothing is quoted.
    (n > 0).then(read).flatten().map(|kept| kept.text.into_string()).unwrap_or_default()
}
