//! The criteria of a job's contract: where they stand, what ran for them, what was answered.

use crate::claims::gate::GateTable;
use crate::claims::{Receipt, whole};
use crate::engine::claims;
use crate::engine::claims::receipts::stay_of;
use crate::engine::fence;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::format::short_hash;
use crate::format::state::State;
use crate::format::trailers::{self, StepTrailers};
use crate::phases::Phase;
use crate::phases::criteria::{self, Answer, Answered, Criterion, Shown};
use crate::phases::message::Message;
use crate::store::TreeId;

/// Digits by which state knows a criterion that a person counts as met.
const KEY: usize = 12;

/// The most criteria that a person's word is kept for.
pub(crate) const KEPT: usize = 16;

/// The name of a criterion in state, by its [`criteria::key`].
pub(crate) fn name_in_state(key: &str) -> String {
    short_hash(key.as_bytes(), KEY)
}

/// A person counts it as met.
pub(crate) fn counts_by_word(state: &State, key: &str) -> bool {
    state.by_word.contains(&name_in_state(key))
}

/// What `row` has to answer: the list of the last message of a phase that writes the contract,
/// in this run, and that of the plan document.
pub(crate) fn contract(repo: &Repo, focused: &LoadedJob, row: &Phase) -> Result<Vec<Criterion>> {
    let Some(title) = row.contract.as_deref() else { return Ok(Vec::new()) };
    let message = last_message(repo, focused, title)?;
    let mut texts: Vec<String> = message.iter().filter_map(|text| text.section(title)).collect();
    if let Some(bytes) = repo.plan_that_counts(focused)? {
        texts.extend(criteria::wholly_below(&String::from_utf8_lossy(&bytes), title));
    }
    let tested: Vec<String> = message.iter().map(|text| text.text().to_owned()).collect();
    Ok(criteria::contract(&texts, &tested))
}

/// The newest message of a forward step out of a phase whose messages have a section `title`.
fn last_message(repo: &Repo, focused: &LoadedJob, title: &str) -> Result<Option<Message>> {
    let map = repo.map(&focused.state.stand);
    let titles: Vec<&str> = map.phases().flat_map(Phase::titles).collect();
    let leads_on = |step: &str| {
        let (from, to) = step.split_once(" -> ").unwrap_or((step, ""));
        let has = |row: &&Phase| row.name.as_str() == from && row.titles().any(|one| one == title);
        let row = map.phases().find(has);
        row.is_some_and(|row| row.next.iter().any(|next| next.as_str() == to))
    };
    for step in repo.store.history_from(&focused.tip.commit, usize::MAX)? {
        let Some(found) = StepTrailers::read(&step.message) else { continue };
        if found.run != focused.state.job.run {
            break;
        }
        if leads_on(&found.step) {
            let message = Message::new(trailers::body(&step.message));
            return Ok(Some(message.titled(titles.iter().copied())));
        }
    }
    Ok(None)
}

/// The last run of each command in this stay. Pages and other memory may have changed since.
pub(crate) fn shown(repo: &Repo, focused: &LoadedJob, tree: &TreeId) -> Result<Vec<Shown>> {
    let stay = stay_of(&focused.state);
    let here: Vec<String> = claims::receipts::ran(repo, focused)?
        .into_iter()
        .filter(|(_, ran)| ran.stay == stay)
        .map(|(id, _)| id)
        .collect();
    let is_work =
        |path: &String| fence::survey::place_of(repo, path, &focused.state).is_direct(path);
    let mut last: Vec<Shown> = Vec::new();
    for receipt in claims::receipts::receipts(repo, tree)? {
        if !here.contains(&receipt.id) {
            continue;
        }
        last.retain(|shown| shown.command != receipt.command);
        last.push(Shown {
            passed: has_passed(repo, &receipt) && !receipt.other_program,
            heard: receipt.status.is_some() || receipt.counts.is_some(),
            fresh: !receipt.stale && !receipt.changed_since.iter().any(is_work),
            whole: receipt.part.is_none(),
            run: receipt.run,
            command: receipt.command,
        });
    }
    Ok(last)
}

/// The last run of tests in this stay, if it failed, and it was a test that did: what could not be
/// built showed nothing, as far as the runner's own closing lines tell.
pub(crate) fn last_failed(
    repo: &Repo,
    focused: &LoadedJob,
    proved: bool,
) -> Result<Option<String>> {
    // Something ran well since.
    if proved {
        return Ok(None);
    }
    let stay = stay_of(&focused.state);
    let ran = claims::receipts::ran(repo, focused)?;
    let last = ran.iter().rev().find(|(_, ran)| ran.stay == stay && ran.run.is_some());
    let failed = last.filter(|(_, ran)| match ran.counts {
        Some(counts) => counts.failed > 0,
        None => ran.status.is_some_and(|status| status != 0) && ran.absent.is_none(),
    });
    Ok(failed.map(|(_, ran)| ran.line().into_owned()))
}

/// It ended with 0 and tested something. Where no status is told, the runner itself says what
/// passed, and that nothing failed.
fn has_passed(repo: &Repo, receipt: &Receipt) -> bool {
    let read = repo.rules.runs().recognise(&receipt.command);
    let heard = receipt.status.is_some() || receipt.shown;
    heard && read.is_passed(receipt.status, receipt.counts)
}

/// Whether words speak of all tests there are.
pub(crate) fn speaks_of_all(text: &str) -> bool {
    use std::sync::OnceLock;
    static TABLE: OnceLock<Option<GateTable>> = OnceLock::new();
    // The shipped table holds: a test reads it.
    let table = TABLE.get_or_init(|| GateTable::shipped().ok());
    table.as_ref().is_some_and(|table| whole::speaks_of_all(text, table))
}

/// What the last message that answered the contract said of each criterion.
pub(crate) fn answered(repo: &Repo, focused: &LoadedJob) -> Result<Vec<Answered>> {
    let map = repo.map(&focused.state.stand);
    let Some(row) = map.phases().find(|row| row.contract.is_some()) else { return Ok(Vec::new()) };
    let Some(title) = row.criteria.as_deref() else { return Ok(Vec::new()) };
    let Some(message) = last_message(repo, focused, title)? else { return Ok(Vec::new()) };
    Ok(criteria::answers(&message, title, &contract(repo, focused, row)?))
}

/// How many were answered so.
pub(crate) fn count(answered: &[Answered], answer: Answer) -> usize {
    answered.iter().filter(|one| one.answer == answer).count()
}
