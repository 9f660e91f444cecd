//! The record of a session, fed by each boundary: one line for the stay that ends, in the
//! compaction file of the session, which is opened for it where there is none. A session that
//! wrote nothing down leaves that much.
//!
//! The file stands in the job's tree and goes with the step of the boundary itself; the boundary
//! that closes a cycle writes it out and feeds nothing, so that the disk has what the tree has.

use std::collections::BTreeMap;

use crate::claims::Ran;
use crate::engine::memory::{compaction, context};
use crate::engine::record::draft::StepDraft;
use crate::engine::record::interactions::trace_number;
use crate::engine::record::refused;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::format::fold::JournalLines;
use crate::format::journal::Counts;
use crate::format::names;
use crate::format::state::{Compaction, State};
use crate::memory::seen::Seen;
use crate::store::{CommitId, StoreError, TreeEdit};

/// What was seen of the stay that ends, but for its files and its words.
pub(crate) fn seen(repo: &Repo, focused: &LoadedJob, since: &JournalLines) -> Result<Seen> {
    let stand = &focused.state.stand;
    let fed = focused.state.compaction.as_ref().map_or(0, |stand| stand.fed);
    let kept = refused::traced(repo, focused, |name| trace_number(name) > fed)?;
    let lines = || kept.iter().chain(since.lines.iter().map(|linked| &linked.line));
    // Of a command that ran several times the last one counts.
    let mut runs: BTreeMap<&str, (usize, &Ran)> = BTreeMap::new();
    for (nth, ran) in lines().filter_map(|line| line.ran.as_ref()).enumerate() {
        if ran.run.is_some() {
            runs.insert(&ran.command, (nth, ran));
        }
    }
    let mut runs: Vec<(usize, &Ran)> = runs.into_values().collect();
    runs.sort_by_key(|(nth, _)| *nth);
    Ok(Seen {
        phase: stand.phase.to_string(),
        cycle: stand.cycle,
        runs: runs.into_iter().map(|(_, ran)| ended(ran)).collect(),
        refused: refused::by_kind(lines()),
        ..Seen::default()
    })
}

/// A run of tests and how it ended, as far as that is known.
fn ended(ran: &Ran) -> String {
    let how = match (&ran.counts, ran.status) {
        (Some(counts), _) => counts.to_string(),
        (None, _) if ran.failed => "failed".to_owned(),
        (None, Some(0)) => "ended well".to_owned(),
        (None, Some(status)) => format!("exit {status}"),
        (None, None) => return ran.command.clone(),
    };
    format!("{}: {how}", ran.command)
}

/// Adds `seen` to the record of the session that drives the job, on the state as it is before the
/// boundary.
pub(crate) fn feed(
    repo: &Repo,
    chain: &str,
    state: &mut State,
    (seen, commit): (&Seen, Option<&CommitId>),
    draft: &mut StepDraft,
) -> Result<()> {
    let tip = repo.store.tip(chain)?;
    let tip = tip.ok_or_else(|| StoreError::Moved { chain: chain.to_owned() })?;
    let job = LoadedJob {
        chain: chain.to_owned(),
        tip,
        state: state.clone(),
        activity: Ok(Counts::default()),
        archived: false,
    };
    // Words that wait for a seal are the newest file's as long as they wait.
    let open = context::compaction_of(&job).filter(|stand| !stand.sealed).cloned();
    let (stand, opened) = match open {
        Some(open) => (open, false),
        None => compaction::to_write_in(repo, &job)?,
    };
    let mut file = if opened {
        compaction::begun(repo, &job)?
    } else {
        compaction::compaction_file(repo, &job, &stand)?
    };
    let short = |commit: &CommitId| commit.to_string().chars().take(7).collect::<String>();
    let commit =
        commit.map(|commit| format!("{} {}: {}", short(commit), seen.phase, draft.subject));
    file.record(commit.as_deref(), &seen.line(), repo.rules.compaction.words);
    let path = names::of_run(stand.run, &names::compaction(stand.seq));
    draft.edits.push(TreeEdit::Put { path, bytes: file.write().into_bytes() });
    // The step that is being written takes in what the journal holds.
    let fed = state.steps + 1;
    let sealed = opened || stand.sealed;
    state.compaction = Some(Compaction { sealed, fed, ..stand });
    Ok(())
}
