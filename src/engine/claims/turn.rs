//! What a turn has opened, and whether the words that end it rest on that. Rows of
//! `claims/hooks.toml` that only look are kept here, too: traces, compaction, subagents.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::claims::answers;
use crate::claims::hooks::{self, Name};
use crate::engine::records::{self, ReviewDraft};
use crate::engine::repo::{self, LoadedJob, Repo, Result};
use crate::engine::{claims, record};
use crate::event::{Act, Event, ToolCall};
use crate::format::journal::{Line, What};
use crate::format::{names, short_hash};
use crate::rules::ClaimMode;
use crate::verdict::Refusal;
use crate::world::last::Last;

/// The most files that one call is taken to open.
const OPENED: usize = 20;

/// The most characters of an address or a search that are kept.
const SOURCE: usize = 400;

/// The subagent whose verdicts are records.
const REVIEWER: &str = "diff-reviewer";

/// The files that `call` opened, as they are told; for a command those that it names.
pub(crate) fn opened_by(
    repo: &Repo,
    call: &ToolCall,
    event: &Event,
    places: &[String],
) -> Vec<String> {
    let mut opened: Vec<String> = match &call.act {
        Act::Read { .. } | Act::Edit(_) => places.to_vec(),
        Act::Shell { command, cwd, .. } => {
            let dir = cwd.as_deref().unwrap_or(&event.cwd);
            let named = command.split(|char: char| {
                char.is_whitespace()
                    || matches!(char, '\'' | '"' | '=' | '(' | ')' | ';' | '|' | '<' | '>')
            });
            let words = named.filter(|word| word.contains(['/', '.'])).take(4 * OPENED);
            words.filter_map(|word| file_at(repo, dir, word)).collect()
        }
        _ => Vec::new(),
    };
    opened.truncate(OPENED);
    opened
}

/// The file of the repository that `word` names in `dir`, from the top.
fn file_at(repo: &Repo, dir: &Path, word: &str) -> Option<String> {
    let path = dir.join(word.split(':').next()?);
    if !path.is_file() {
        return None;
    }
    let top = repo::paths::real(repo.store.work_tree());
    let path = repo::paths::real(&path);
    Some(path.strip_prefix(&top).ok()?.to_str()?.to_owned())
}

/// What was opened since the last prompt.
pub(crate) fn opened_in_turn(repo: &Repo, focused: &LoadedJob) -> Result<Vec<String>> {
    opened_since(repo, focused, focused.state.turn)
}

/// What was opened since the job was born; a small one, whose traces are few.
pub(crate) fn opened_in_job(repo: &Repo, focused: &LoadedJob) -> Result<Vec<String>> {
    opened_since(repo, focused, 0)
}

/// What the context that drives the job has seen of files: what was opened or changed in this job
/// since a session began, went on after its context was cleared, or was compacted.
pub(crate) fn seen_in_context(repo: &Repo, focused: &LoadedJob) -> Result<BTreeSet<String>> {
    let mut seen = BTreeSet::new();
    each_line_since(repo, focused, 0, |line| {
        // A resumed session has its context still, and its line tells so; one without a source
        // only says how full the context is.
        let anew = line.what == What::Session && !matches!(line.tool.as_str(), "" | "resume");
        if anew || line.what == What::Compacting {
            seen.clear();
        }
        seen.extend(line.opened.iter().cloned());
        if line.what == What::After {
            seen.extend(line.paths.iter().cloned());
        }
    })?;
    Ok(seen)
}

/// What was opened after step `turn`.
fn opened_since(repo: &Repo, focused: &LoadedJob, turn: u32) -> Result<Vec<String>> {
    let mut opened = BTreeSet::new();
    each_line_since(repo, focused, turn, |line| opened.extend(line.opened.iter().cloned()))?;
    Ok(opened.into_iter().collect())
}

/// The journal's lines after step `turn`, oldest first: those that steps kept, and those since.
pub(crate) fn each_line_since(
    repo: &Repo,
    focused: &LoadedJob,
    turn: u32,
    mut each: impl FnMut(&Line),
) -> Result<()> {
    kept_since(repo, focused, turn)?.iter().for_each(&mut each);
    repo.read_since(focused)?.lines.iter().for_each(|linked| each(&linked.line));
    Ok(())
}

/// Those that steps kept. A server is asked for them again and again in the same place.
fn kept_since(repo: &Repo, focused: &LoadedJob, turn: u32) -> Result<Arc<Vec<Line>>> {
    static LAST: Last<(PathBuf, String, u32), Arc<Vec<Line>>> = Last::new();
    let repository = repo.store.common_dir().to_owned();
    let place = (repository, focused.tip.commit.to_string(), turn);
    // What is not here may come.
    LAST.answer(place, |_| {
        read_since_turn(repo, focused, turn).map(|(lines, is_whole)| (Arc::new(lines), is_whole))
    })
}

/// The same, and whether all that was kept is here.
fn read_since_turn(repo: &Repo, focused: &LoadedJob, turn: u32) -> Result<(Vec<Line>, bool)> {
    let mut is_whole = true;
    let mut kept: BTreeMap<u32, Vec<Line>> = BTreeMap::new();
    for file in repo.store.names(&focused.tip, names::TRACE)? {
        let n = file
            .rsplit_once('-')
            .and_then(|(_, end)| end.strip_suffix(".jsonl")?.parse::<u32>().ok());
        let Some(n) = n.filter(|n| *n > turn) else { continue };
        let path = format!("{}/{file}", names::TRACE);
        // As below: lines that are not here opened nothing.
        let Some(bytes) = repo.counted_text(focused, &path)?.here() else {
            is_whole = false;
            continue;
        };
        let lines = bytes.split(|byte| *byte == b'\n');
        // One that does not read opened nothing: words about that file have to be proved.
        let lines = lines.filter_map(|line| serde_json::from_slice::<Line>(line).ok());
        kept.entry(n).or_default().extend(lines);
    }
    Ok((kept.into_values().flatten().collect(), is_whole))
}

/// What is wanted before a turn may end with these words, where they speak of a file that
/// was not opened in it.
pub(crate) fn ungrounded(
    repo: &Repo,
    event: &Event,
    focused: &LoadedJob,
) -> Result<Option<Refusal>> {
    let (Some(said), Some(row)) = (&event.said, hooks::row(Name::Answer)) else { return Ok(None) };
    if repo.rules.claims == ClaimMode::Off {
        return Ok(None);
    }
    let top = repo.store.work_tree();
    let is_file =
        |path: &str| crate::store::RepoPath::try_from(path).is_ok() && top.join(path).is_file();
    // What was opened is asked only where a file is spoken of at all.
    if answers::unopened(said, &row.verbs, &[], is_file).is_none() {
        return Ok(None);
    }
    let opened = opened_in_turn(repo, focused)?;
    let found = answers::unopened(said, &row.verbs, &opened, is_file);
    Ok(found.map(|path| row.unopened(&path)))
}

/// What came from outside with a call: an address, the words of a search, or a server that
/// is not ours.
pub(crate) fn source_of(repo: &Repo, host: &crate::hosts::Host, call: &ToolCall) -> String {
    let source = match &call.act {
        Act::Web { what } => what.clone(),
        Act::Foreign { server, .. } if !repo.is_own_server(host, server, &call.tool) => {
            format!("mcp: {server}")
        }
        _ => String::new(),
    };
    // What is cut in the middle is not known any more.
    crate::secrets::mask(&source).chars().take(SOURCE).collect()
}

/// The context is about to be compacted: where the gate stands goes into the journal.
pub(crate) fn keep_standing(repo: &Repo, event: &Event) -> Result<()> {
    let Some(focused) = repo.focused()? else { return Ok(()) };
    if repo.is_guest(&focused, event)? {
        return Ok(());
    }
    let standing = claims::required::ruled(&focused);
    record::journal_line::note(repo, Some(&focused), |line| {
        line.what = What::Compacting;
        line.session.clone_from(&event.session);
        line.counts.gate.get_or_insert(standing);
    })
}

/// A subagent has ended: that it did, and a hash of its last words, are kept; a reviewer's
/// verdict becomes a record of the commit that it read.
pub(crate) fn attest_subagent(repo: &Repo, event: &Event, id: &str, agent: &str) -> Result<()> {
    let Some(focused) = repo.focused()? else { return Ok(()) };
    let words = event.said.clone().unwrap_or_default();
    record::journal_line::note(repo, Some(&focused), |line| {
        line.what = What::Attested;
        line.session.clone_from(&event.session);
        agent.clone_into(&mut line.tool);
        id.clone_into(&mut line.call);
        line.source =
            if words.is_empty() { String::new() } else { short_hash(words.as_bytes(), 16) };
    })?;
    if let Some(verdict) = verdict(&words).filter(|_| agent == REVIEWER)
        && let Some(commit) = repo.store.head()?.commit
    {
        let (session, trace) = (event.session.clone(), trace_of(repo, &event.session));
        records::record_review(
            repo,
            ReviewDraft { agent: agent.to_owned(), commit, words, verdict, session, trace },
        )?;
    }
    Ok(())
}

/// The trace that a session's acts and rulings belong to.
pub(crate) fn trace_of(repo: &Repo, session: &str) -> String {
    // A trace only groups rulings: without the record they are grouped by the session's id.
    let known = repo.session(session).ok().flatten();
    let known = known.map(|session| session.trace).filter(|trace| !trace.is_empty());
    known.unwrap_or_else(|| short_hash(format!("trace\n{session}").as_bytes(), 16))
}

/// The word behind `verdict:` on the last line that has one.
fn verdict(words: &str) -> Option<String> {
    let line = words.lines().rev().find_map(|line| line.trim().strip_prefix("verdict:"))?;
    let word = line.trim().trim_matches(['*', '`', '.']);
    ["pass", "concerns", "reject"].contains(&word).then(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_is_one_of_three_words() {
        for (words, wanted) in [
            ("All is well.\nverdict: pass", Some("pass")),
            ("verdict: reject\n", Some("reject")),
            ("verdict: `concerns`", Some("concerns")),
            ("verdict: splendid", None),
            ("no verdict", None),
        ] {
            assert_eq!(verdict(words).as_deref(), wanted, "{words}");
        }
    }
}
