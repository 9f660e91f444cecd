//! Records in words that other tools read: in-toto statements and Agent Trace records.

use serde_json::{Value, json};

use crate::claims::{How, Inquiry};
use crate::engine::records::{self, RecordId, Recorded};
use crate::engine::repo::text::rfc3339;
use crate::engine::repo::{EngineError, Repo, Result};
use crate::format::{names, short_hash};
use crate::store::{CommitId, Lines};
use crate::voice::{Notice, tell};

/// What a statement's predicate is.
const PREDICATE: &str = "https://git-seed.invalid/predicate/claim-record/v1";

/// The version of the Agent Trace specification.
const AGENT_TRACE: &str = "0.1.0";

/// A format to write records in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    InToto,
    AgentTrace,
}

/// The record that `name` means: an id or the beginning of one, or its number.
///
/// # Errors
///
/// No record has that name, more than one begins with it, or the chain does not read.
pub fn named_record(repo: &Repo, name: &str) -> Result<Recorded> {
    let found = if let Ok(id) = name.parse::<CommitId>() {
        Some(records::recorded(repo, &id)?)
    } else {
        let number = name.parse::<u64>().ok();
        let all = repo.store.history(names::CLAIMS, usize::MAX)?;
        let fits = |id: &CommitId, message: &str| {
            let said = crate::format::claim::heading(message);
            number.is_some_and(|n| said.is_some_and(|said| said.n == n))
                || (name.len() >= 4 && id.as_str().starts_with(name))
        };
        let mut fitting = all.iter().filter(|step| fits(&step.commit, &step.message));
        match (fitting.next(), fitting.next()) {
            (Some(one), None) => Some(records::recorded(repo, &one.commit)?),
            (Some(_), Some(_)) => {
                return Err(EngineError::Usage(tell(Notice::RecordsSeveral, &[("name", name)])));
            }
            (None, _) => None,
        }
    };
    found.ok_or_else(|| EngineError::Usage(tell(Notice::RecordUnknown, &[("name", name)])))
}

/// The records that `which` names: one, or `<after>..<last>`, oldest first; all of them
/// without it.
///
/// # Errors
///
/// As [`named_record`], for each name; or the chain does not read.
pub fn named_records(repo: &Repo, which: Option<&str>) -> Result<Vec<Recorded>> {
    let mut found = match which.map(|which| which.split_once("..").ok_or(which)) {
        None => records::records(repo, None)?,
        Some(Err(one)) => vec![named_record(repo, one)?],
        Some(Ok((after, last))) => {
            let end = |name: &str| (!name.is_empty()).then(|| named_record(repo, name)).transpose();
            let (after, last) = (end(after)?, end(last)?);
            let within = |n: u64| {
                after.as_ref().is_none_or(|after| n > after.record.n)
                    && last.as_ref().is_none_or(|last| n <= last.record.n)
            };
            records::records(repo, None)?.into_iter().filter(|one| within(one.record.n)).collect()
        }
    };
    found.reverse();
    Ok(found)
}

/// One record in `format`.
///
/// # Errors
///
/// What the record names does not read, or the commit is not here any more.
pub fn export(repo: &Repo, one: &Recorded, format: Format) -> Result<Value> {
    let mut one = one.clone();
    one.record.each_time(|at| repo.store.dated(at));
    match format {
        Format::InToto => Ok(statement(&one)),
        Format::AgentTrace => agent_trace(repo, &one),
    }
}

fn agent_trace(repo: &Repo, one: &Recorded) -> Result<Value> {
    let record = &one.record;
    let commit = record.attest.as_ref().map(|attest| &attest.commit);
    let revision = commit.or(record.head.as_ref());
    let contributor = if record.session.is_empty() { "unknown" } else { "ai" };
    let files: Vec<Value> = lines_of(repo, one)?
        .into_iter()
        .map(|(path, ranges)| {
            let ranges: Vec<Value> = ranges
                .into_iter()
                .map(|(start, end)| json!({ "start_line": start, "end_line": end }))
                .collect();
            json!({ "path": path,
                    "conversations": [{ "contributor": { "type": contributor },
                        "ranges": ranges }] })
        })
        .collect();
    let mut trace =
        json!({ "version": AGENT_TRACE, "id": uuid(&one.id), "timestamp": rfc3339(record.at) });
    if let Some(revision) = revision {
        trace["vcs"] = json!({ "type": "git", "revision": revision });
    }
    trace["tool"] = json!({ "name": "git-seed", "version": env!("CARGO_PKG_VERSION") });
    trace["files"] = Value::Array(files);
    trace["metadata"] = json!({ "invalid.git-seed": predicate(one) });
    Ok(trace)
}

/// The files that a record speaks of, with the lines that changed in each, where the
/// trees to compare are here.
fn lines_of(repo: &Repo, one: &Recorded) -> Result<Lines> {
    let record = &one.record;
    if let Some(attest) = &record.attest {
        let Ok(commit) = attest.commit.parse() else { return Ok(Vec::new()) };
        return Ok(repo.store.changed_lines(None, &commit, &attest.tree)?.unwrap_or_default());
    }
    let truth = match &record.inquiry {
        Some(Inquiry::VerifyClaim(case)) => &case.truth,
        Some(Inquiry::ResponseGate(case)) => &case.truth,
        _ => return Ok(Vec::new()),
    };
    let shown = match truth.base.parse() {
        Ok(base) => repo.store.changed_lines(Some(&base), &base, &record.tree)?,
        Err(_) => None,
    };
    let there = truth.files.iter().filter(|file| file.how != How::Deleted);
    Ok(shown.unwrap_or_else(|| there.map(|file| (file.path.clone(), Vec::new())).collect()))
}

/// An in-toto statement: the tree, and the commit where one landed, are its subject.
fn statement(one: &Recorded) -> Value {
    let record = &one.record;
    let mut subject = Vec::new();
    let commits = [
        record.attest.as_ref().map(|attest| &attest.commit),
        record.review.as_ref().map(|review| &review.commit),
    ];
    for commit in commits.into_iter().flatten() {
        subject.push(json!({ "name": "commit", "digest": { "gitCommit": commit } }));
    }
    if !record.tree.is_empty() {
        subject.push(json!({ "name": "tree", "digest": { "gitTree": record.tree } }));
    }
    if subject.is_empty() {
        // A seal in a repository without a commit speaks of the records alone.
        subject.push(json!({ "name": "record", "digest": { "gitCommit": one.id } }));
    }
    json!({
        "_type": "https://in-toto.io/Statement/v1",
        "subject": subject,
        "predicateType": PREDICATE,
        "predicate": predicate(one),
    })
}

fn predicate(one: &Recorded) -> Value {
    json!({ "id": one.id, "time": rfc3339(one.record.at), "record": one.record })
}

/// A UUID that follows from the record's id (version 8, RFC 9562).
fn uuid(id: &RecordId) -> String {
    let hex = short_hash(id.as_str().as_bytes(), 32);
    let variant = ["8", "9", "a", "b"][usize::from(hex.as_bytes()[16]) % 4];
    format!(
        "{}-{}-8{}-{variant}{}-{}",
        &hex[..8],
        &hex[8..12],
        &hex[13..16],
        &hex[17..20],
        &hex[20..32]
    )
}
