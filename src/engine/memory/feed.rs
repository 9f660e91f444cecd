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
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::format::fold::JournalLines;
use crate::format::journal::{Counts, Line, Refused};
use crate::format::names;
use crate::format::state::{Compaction, State};
use crate::memory::seen::Seen;
use crate::store::{CommitId, StoreError, TreeEdit};
use crate::verdict::Refusal;
use crate::voice;

/// What was seen of the stay that ends, but for its files and its words.
pub(crate) fn seen(repo: &Repo, focused: &LoadedJob, since: &JournalLines) -> Result<Seen> {
    let stand = &focused.state.stand;
    let mut seen = Seen { phase: stand.phase.to_string(), cycle: stand.cycle, ..Seen::default() };
    let mut kinds: BTreeMap<(String, String), (usize, String)> = BTreeMap::new();
    let mut runs: BTreeMap<String, (usize, String)> = BTreeMap::new();
    let kept = lines_fed(repo, focused)?;
    let lines = kept.iter().chain(since.lines.iter().map(|linked| &linked.line));
    for (nth, line) in lines.enumerate() {
        if let Some(refused) = &line.refusal {
            let Refused { by, wants, phase, facts, .. } = refused;
            let case = facts.get("case").unwrap_or_default().to_owned();
            let why =
                voice::say(&Refusal { by: "trace", wants: *wants, facts: facts.clone() }, phase)
                    .why;
            let kind = kinds.entry((by.clone(), case)).or_default();
            *kind = (kind.0 + 1, why);
        }
        if let Some(ran) = line.ran.as_ref().filter(|ran| ran.run.is_some()) {
            runs.insert(ran.command.clone(), (nth, ended(ran)));
        }
    }
    let mut runs: Vec<(usize, String)> = runs.into_values().collect();
    runs.sort();
    seen.runs = runs.into_iter().map(|(_, run)| run).collect();
    let mut refused: Vec<(usize, String)> = kinds.into_values().collect();
    refused.sort_by_key(|(times, _)| std::cmp::Reverse(*times));
    seen.refused = refused.into_iter().map(|(times, why)| (why, times)).collect();
    Ok(seen)
}

/// Lines of the journal that steps took in since the record was fed last.
fn lines_fed(repo: &Repo, focused: &LoadedJob) -> Result<Vec<Line>> {
    let fed = focused.state.compaction.as_ref().map_or(0, |stand| stand.fed);
    let mut names = repo.store.names(&focused.tip, "trace")?;
    names.retain(|name| trace_number(name) > fed);
    names.sort_by_key(|name| trace_number(name));
    let mut lines = Vec::new();
    for name in names {
        let bytes = repo.counted_file(focused, &format!("trace/{name}"))?;
        let text = String::from_utf8_lossy(&bytes);
        // A line of another git seed is passed over: nothing decides by it.
        lines.extend(text.lines().filter_map(|line| serde_json::from_str(line).ok()));
    }
    Ok(lines)
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
