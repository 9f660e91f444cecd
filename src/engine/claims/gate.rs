//! Claims before the gate: gathers what a ruling rests on, asks, records, tells.
//!
//! `git seed claim …` and the server of `git seed mcp` call the same functions here. Each
//! looks at the repository as it is at that moment; where git cannot answer there is an
//! error, and never a ruling.

use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::claims::gate::{self, GateTable, Ruling};
use crate::claims::in_force::InForce;
use crate::claims::record::Record;
use crate::claims::{
    ActionType, Claim, ClaimCase, Directive, EvidenceType, Inquiry, Receipt, ResponseCase,
    TraceCase, Truth, reread, session,
};
use crate::engine::proof::verify::Asked;
use crate::engine::records::{self, Recorded, VerdictDraft};
use crate::engine::repo::text::rfc3339;
use crate::engine::repo::{EngineError, LoadedJob, Repo, Result};
use crate::engine::{claims, fence, proof, record, said_there};
use crate::format::days::{day, is_day};
use crate::format::journal::{Ruled, What};
use crate::format::{names, short_hash};
use crate::store::{CommitId, TreeId, UnixSeconds};
use crate::voice::{self, Notice};

/// How far a call has come, for whoever waits: the step, and what is done in it.
pub(crate) type Tell<'a> = &'a dyn Fn(u32, Notice);

/// All that a response may be about to do.
pub(crate) const ACTIONS: [ActionType; 10] = [
    ActionType::ClaimFixed,
    ActionType::ClaimWorking,
    ActionType::Deploy,
    ActionType::Commit,
    ActionType::Push,
    ActionType::AskQuestion,
    ActionType::MakeClaim,
    ActionType::Refactor,
    ActionType::Investigate,
    ActionType::Other,
];

/// The word that stands for `value` in answers and arguments.
pub(crate) fn word(value: impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(word)) => word,
        _ => String::new(),
    }
}

/// The items of a list that came as one text. Steps of a chain may have `->` between, too.
pub(crate) fn items(text: &str, mark: char) -> Vec<String> {
    let text = if mark == '→' {
        text.replace("->", "→").replace("=>", "→")
    } else {
        text.to_owned()
    };
    text.split(mark).map(|item| item.trim().to_owned()).filter(|item| !item.is_empty()).collect()
}

/// What is asked of the gate before a response.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Response {
    pub action_type: ActionType,
    pub confidence: f64,
    pub evidence_count: u32,
    pub evidence_type: EvidenceType,
    pub affects_user_facing: bool,
    pub artifact_references: Option<Vec<String>>,
    pub artifact_paths_read: Option<Vec<String>>,
    pub claim_authority: Option<String>,
}

/// An answer: what programs read, and what of it decides.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub json: Value,
    /// Absent where nothing was ruled.
    pub directive: Option<Directive>,
    /// The way is open; so it is where nothing was ruled.
    pub opens: bool,
    pub reasons: Vec<String>,
}

impl Answer {
    fn told(json: Value) -> Self {
        Self { json, directive: None, opens: true, reasons: Vec::new() }
    }
}

/// How far commits carry a ruling for their very tree.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Backed {
    /// What was looked at, as git spells it.
    pub range: String,
    pub commits: usize,
    pub covered: usize,
    /// Absent where there is no commit.
    pub coverage: Option<f64>,
    /// Those that carry none, newest first.
    pub uncovered: Vec<CommitId>,
}

/// What a ruling rests on, besides what was asked.
struct Ground {
    focused: Option<LoadedJob>,
    tree: TreeId,
    truth: Truth,
}

/// How many records back recent ones are looked for.
const RECENT: usize = 100;

/// The same for a session's report.
const OF_SESSION: usize = 1000;

/// The most paths that a causal chain is compared with.
const KNOWN: usize = 500;

/// Rules on a claim, and records the ruling.
pub(crate) fn verify_claim(repo: &Repo, claim: Claim, tell: Tell<'_>) -> Result<Answer> {
    let table = gate_table(repo)?;
    let mut ground = ground(repo, tell)?;
    ground.truth.held =
        said_there::held(repo, &gate::unmatched(&claim, &ground.truth), &ground.tree)?;
    let receipts = claims::receipts::receipts(repo, &ground.tree)?;
    let drift = drift(repo, &receipts, &table)?;
    let Ground { focused, tree, truth } = ground;
    let case = ClaimCase { claim, truth, receipts, opened: opened(repo, focused.as_ref())?, drift };
    rule(repo, Inquiry::VerifyClaim(case), focused.as_ref(), tree, &table, tell)
}

/// Rules on what a response is about to do, and records the ruling.
pub(crate) fn response_gate(repo: &Repo, asked: Response, tell: Tell<'_>) -> Result<Answer> {
    let table = gate_table(repo)?;
    let Ground { focused, tree, truth } = ground(repo, tell)?;
    let receipts = claims::receipts::receipts(repo, &tree)?;
    let drift = drift(repo, &receipts, &table)?;
    let case = ResponseCase {
        action_type: asked.action_type,
        confidence: asked.confidence,
        evidence_count: asked.evidence_count,
        evidence_type: asked.evidence_type,
        affects_user_facing: asked.affects_user_facing,
        artifact_references: asked.artifact_references,
        artifact_paths_read: asked.artifact_paths_read,
        claim_authority: asked.claim_authority,
        truth,
        receipts,
        opened: opened(repo, focused.as_ref())?,
        drift,
    };
    rule(repo, Inquiry::ResponseGate(case), focused.as_ref(), tree, &table, tell)
}

/// Rules on an explanation, and records the ruling.
pub(crate) fn causal_trace(
    repo: &Repo,
    symptom: &str,
    chain: &[String],
    tell: Tell<'_>,
) -> Result<Answer> {
    let table = gate_table(repo)?;
    repo.require_seeded()?;
    tell(1, Notice::GateLooksAtTree);
    let focused = repo.focused()?;
    let tree = fence::tree_now::tree_now(repo, focused.as_ref())?;
    let text = format!("{symptom}\n{}", chain.join("\n"));
    let named = |path: &String| {
        let name = path.rsplit('/').next().unwrap_or(path);
        let stem = name.split('.').next().unwrap_or_default();
        text.contains(name) || (stem.len() > 2 && text.contains(stem))
    };
    let known_paths = repo.store.paths_of(&tree)?.into_iter().filter(named).take(KNOWN).collect();
    let case = TraceCase { symptom: symptom.to_owned(), links: chain.to_vec(), known_paths };
    rule(repo, Inquiry::CausalTrace(case), focused.as_ref(), tree, &table, tell)
}

/// Compares declared paths with what the repository shows. Nothing is recorded.
pub(crate) fn verify_paths(
    repo: &Repo,
    affected: &[String],
    tested: &[String],
    tell: Tell<'_>,
) -> Result<Answer> {
    let ground = ground(repo, tell)?;
    let table = gate_table(repo)?;
    let answer = gate::check_paths(affected, tested, &ground.truth, &table);
    Ok(Answer::told(json!(answer)))
}

/// Which session and trace this is, and what the gate counted in it. It opens nothing.
pub(crate) fn claim_checkpoint(repo: &Repo, context: &str) -> Result<Answer> {
    repo.require_seeded()?;
    let focused = repo.focused()?;
    let session = session_of(focused.as_ref());
    let mine = verdicts(repo, OF_SESSION)?;
    let mine: Vec<&Recorded> = mine.iter().filter(|one| one.record.session == session).collect();
    let opened =
        mine.iter().filter(|one| one.record.directive.is_some_and(Directive::opens)).count();
    record::journal_line::note(repo, focused.as_ref(), |line| {
        line.what = What::Claimed;
        "checkpoint".clone_into(&mut line.tool);
    })?;
    Ok(Answer::told(json!({
        "session_id": none_if_empty(&session),
        "trace_id": claims::turn::trace_of(repo, &session),
        "job": focused.as_ref().map(|focused| focused.state.job.id.to_string()),
        "phase": focused.as_ref().map(|focused| focused.state.stand.phase.to_string()),
        "at": rfc3339(repo.now),
        "context_hash": short_hash(context.as_bytes(), 16),
        "counters": {"rulings": mine.len(), "opened": opened, "sent_back": mine.len() - opened},
        "opens": false,
    })))
}

/// The session's rulings taken together, and whether the chain of records holds.
pub(crate) fn session_report(repo: &Repo) -> Result<Answer> {
    let table = gate_table(repo)?;
    repo.require_seeded()?;
    let focused = repo.focused()?;
    let session = session_of(focused.as_ref());
    let receipts = match &focused {
        Some(focused) => {
            claims::receipts::receipts(repo, &fence::tree_now::tree_now(repo, Some(focused))?)?
        }
        None => Vec::new(),
    };
    let all = verdicts(repo, OF_SESSION)?;
    let mut told = Map::new();
    told.insert("session_id".to_owned(), json!(none_if_empty(&session)));
    told.insert("trace_id".to_owned(), json!(claims::turn::trace_of(repo, &session)));
    let rulings: Vec<(&Recorded, &Inquiry, Ruling)> = all
        .iter()
        .filter(|one| one.record.session == session)
        .filter_map(|one| {
            // A ruling of another git seed is in no report of this one; `audit` tells of it.
            let ruling = serde_json::from_value(one.record.ruling.clone()?).ok()?;
            Some((one, one.record.inquiry.as_ref()?, ruling))
        })
        .collect();
    let past: Vec<session::Past<'_>> = rulings
        .iter()
        .map(|(one, inquiry, ruling)| session::Past {
            id: one.id.to_string(),
            at: one.record.at,
            inquiry,
            ruling,
            contradicted: is_contradicted(&one.record, &receipts),
        })
        .collect();
    if let Value::Object(report) = json!(session::report(&past, &table)) {
        told.extend(report);
    }
    told.insert("persistent_drift".to_owned(), json!(drift_of(&all, &receipts, &table)));
    told.insert("chain".to_owned(), chain_told(repo)?);
    Ok(Answer::told(Value::Object(told)))
}

/// Which commits carry a ruling that opened, for their very tree: those of `range`; of the
/// job, from where its work began; else those that the upstream does not have.
pub(crate) fn gate_coverage(repo: &Repo, range: Option<&str>) -> Result<Backed> {
    repo.require_seeded()?;
    let range = match range {
        Some(range) => range.to_owned(),
        None => match base(repo, repo.focused()?.as_ref())? {
            Some(base) => format!("{base}..HEAD"),
            None => "HEAD".to_owned(),
        },
    };
    let landed = match repo.store.head()?.commit {
        Some(_) => repo.store.landed(&range)?,
        None => Vec::new(),
    };
    let passing = records::passing_trees(repo)?;
    let bare = landed.iter().filter(|one| !passing.contains_key(one.tree.as_str()));
    let uncovered: Vec<CommitId> = bare.map(|one| one.commit.clone()).collect();
    let (commits, covered) = (landed.len(), landed.len() - uncovered.len());
    #[expect(clippy::cast_precision_loss, reason = "a share of commits")]
    let coverage = (commits > 0).then(|| covered as f64 / commits as f64);
    Ok(Backed { range, commits, covered, coverage, uncovered })
}

/// The rows that the gate decides by, with the runs of tests that the rules know.
pub(crate) fn gate_table(repo: &Repo) -> Result<Arc<InForce>> {
    InForce::by(repo.rules.runs()).map_err(|bad| EngineError::Shipped(bad.to_string()))
}

/// Asks the gate, keeps what it said, and leaves word of it for the hooks.
pub(crate) fn rule(
    repo: &Repo,
    inquiry: Inquiry,
    focused: Option<&LoadedJob>,
    tree: TreeId,
    table: &InForce,
    tell: Tell<'_>,
) -> Result<Answer> {
    tell(2, Notice::GateAsks);
    let inquiry = inquiry.masked();
    let ruling = gate::judge(&inquiry, table);
    let (opens, reasons) = (ruling.opens(), ruling.reasons().to_vec());
    // What does not say whether the way is open does not open it.
    let directive = ruling.directive().unwrap_or(Directive::Reject);
    let told = serde_json::to_value(&ruling).map_err(unwritten)?;
    let session = session_of(focused);
    let asked = WhatWasAsked::of(&inquiry);
    tell(3, Notice::GateKeeps);
    let draft = VerdictDraft {
        tree: tree.clone(),
        inquiry,
        ruling: told.clone(),
        directive,
        reasons: reasons.clone(),
        table: table.json().map_err(unwritten)?.to_vec(),
        trace: claims::turn::trace_of(repo, &session),
        session,
    };
    let id = records::record_verdict(repo, draft)?;
    let kept = records::recorded(repo, &id)?.record;
    let ruled = Ruled {
        at: repo.now,
        opens,
        act: asked.act,
        directive: Some(directive),
        record: id.to_string(),
        tree: tree.to_string(),
        ..Ruled::default()
    };
    leave_word(repo, focused, &kept, ruled, &asked)?;
    let Value::Object(mut json) = told else {
        return Err(unwritten(voice::tell(Notice::RulingNoObject, &[])));
    };
    if asked.of_response {
        json.insert("trace_id".to_owned(), json!(kept.trace));
        json.insert("chain_head".to_owned(), json!(id.to_string()));
    }
    json.insert("audit".to_owned(), audit_of(&kept));
    json.insert("record".to_owned(), json!(id.to_string()));
    Ok(Answer { json: Value::Object(json), directive: Some(directive), opens, reasons })
}

/// What of an inquiry the journal and the answer ask for once it is recorded.
struct WhatWasAsked {
    of_response: bool,
    of_trace: bool,
    /// It is about an act that a ruling opens.
    act: bool,
}

impl WhatWasAsked {
    fn of(inquiry: &Inquiry) -> Self {
        Self {
            of_response: matches!(inquiry, Inquiry::ResponseGate(_)),
            of_trace: matches!(inquiry, Inquiry::CausalTrace(_)),
            act: match inquiry {
                Inquiry::VerifyClaim(_) => true,
                Inquiry::ResponseGate(case) => case.action_type.is_act(),
                Inquiry::CausalTrace(_) => false,
            },
        }
    }
}

/// The journal's line of a ruling: hooks read there what was ruled last.
fn leave_word(
    repo: &Repo,
    focused: Option<&LoadedJob>,
    kept: &Record,
    ruled: Ruled,
    asked: &WhatWasAsked,
) -> Result<()> {
    let known = focused.map(claims::required::ruled).unwrap_or_default();
    record::journal_line::note(repo, focused, |line| {
        line.what = What::Claimed;
        kept.kind.word().clone_into(&mut line.tool);
        line.call.clone_from(&ruled.record);
        // An explanation is no word about the work.
        if !asked.of_trace {
            let known = line.counts.gate.take().unwrap_or(known);
            let Ruled { without, session, told, .. } = known;
            line.counts.gate = Some(Ruled { without, session, told, ..ruled });
        }
    })
}

fn ground(repo: &Repo, tell: Tell<'_>) -> Result<Ground> {
    repo.require_seeded()?;
    tell(1, Notice::GateLooksAtChange);
    let focused = repo.focused()?;
    let (truth, tree) = truth_of(repo, focused.as_ref())?;
    Ok(Ground { focused, tree, truth })
}

/// What the repository shows of the work of `job`, and the work tree as it is.
pub(crate) fn truth_of(repo: &Repo, job: Option<&LoadedJob>) -> Result<(Truth, TreeId)> {
    let tree = fence::tree_now::tree_now(repo, job)?;
    Ok((truth_at(repo, job, &tree)?, tree))
}

/// The same of a work tree that was looked at already.
pub(crate) fn truth_at(repo: &Repo, job: Option<&LoadedJob>, tree: &TreeId) -> Result<Truth> {
    let base = base(repo, job)?;
    // A job that has not begun a cycle looked at nothing yet.
    let began = job.and_then(|job| job.state.fence.began.parse().ok());
    let mut pieces = repo.store.truth_since(base.as_ref(), tree, began.as_ref())?;
    if let Some(job) = job {
        // What git seed writes itself is no work of the agent, who need not speak of it.
        let own = |path: &str| record::own_files::is_own_file(repo, &job.chain, &job.state, path);
        let owned = pieces.iter().map(|piece| own(&piece.path)).collect::<Result<Vec<_>>>()?;
        let mut owned = owned.into_iter();
        // As many as there are pieces.
        pieces.retain(|_| !owned.next().unwrap_or_default());
    }
    let base = base.map(|base| base.to_string()).unwrap_or_default();
    let mut truth = reread::read(&base, tree.as_str(), pieces);
    if let Some(job) = job {
        // Pages and other memory run nowhere.
        for file in &mut truth.files {
            file.prose |=
                !fence::survey::place_of(repo, &file.path, &job.state).is_direct(&file.path);
        }
    }
    claims::earlier::mark(repo, &mut truth, tree)?;
    Ok(truth)
}

/// The commit that work is measured from, where there is one.
///
/// With a job that is where its run began: before its first phase commit. A branch that was
/// written anew since then is measured from what it still shares with it. Without a job it
/// is what the upstream has, too; without an upstream HEAD itself.
pub(crate) fn base(repo: &Repo, focused: Option<&LoadedJob>) -> Result<Option<CommitId>> {
    let Some(head) = repo.store.head()?.commit else { return Ok(None) };
    let Some(focused) = focused else {
        return Ok(Some(repo.store.shared_with_upstream()?.unwrap_or(head)));
    };
    // Empty in a job of an older git seed: the base is worked out below.
    if let Ok(base) = focused.state.home.base.parse::<CommitId>()
        && repo.store.contains(&base)?
    {
        return Ok(Some(base));
    }
    let Some(first) = first_commit_of(repo, focused)? else { return Ok(Some(head)) };
    let Some(before) = repo.store.parent_of(&first)? else { return Ok(None) };
    if repo.store.contains(&before)? {
        return Ok(Some(before));
    }
    Ok(Some(repo.store.shared_with_head(before.as_str())?.unwrap_or(head)))
}

/// The first phase commit of the job's run.
fn first_commit_of(repo: &Repo, focused: &LoadedJob) -> Result<Option<CommitId>> {
    use crate::format::trailers::StepTrailers;
    let steps = repo.store.history_from(&focused.tip.commit, usize::MAX)?;
    let run = focused.state.job.run;
    let made = steps.iter().filter_map(|step| StepTrailers::read(&step.message));
    let mut made = made.filter(|step| step.run == run).filter_map(|step| step.commit);
    Ok(made.next_back().and_then(|commit| commit.parse().ok()))
}

/// What hooks saw opened in this turn; absent where no hook was heard in it.
fn opened(repo: &Repo, focused: Option<&LoadedJob>) -> Result<Option<Vec<String>>> {
    let Some(focused) = focused else { return Ok(None) };
    let heard = repo.read_since(focused)?.heard() || focused.state.steps > focused.state.turn + 1;
    if heard { claims::turn::opened_in_turn(repo, focused).map(Some) } else { Ok(None) }
}

/// The newest rulings, oldest first; attestations, reviews and seals are none.
pub(crate) fn verdicts(repo: &Repo, limit: usize) -> Result<Vec<Recorded>> {
    let mut records = records::records(repo, Some(limit))?;
    records.retain(|one| one.record.inquiry.is_some() || one.record.text.is_some());
    records.reverse();
    Ok(records)
}

fn drift(repo: &Repo, receipts: &[Receipt], table: &GateTable) -> Result<f64> {
    let recent = records::recent_rulings(repo, table.figures.drift_window, RECENT)?;
    let past = recent.iter().filter_map(|one| {
        let failed = one.passes() && has_failed_since(&one.tree, one.at, receipts);
        Some((one.directive?, failed))
    });
    Ok(session::drift(&past.collect::<Vec<_>>(), table))
}

/// The chain of records: how long, its head, and whether it holds; absent means that this
/// cannot be told.
fn chain_told(repo: &Repo) -> Result<Value> {
    // Records alone; what commits carry is for `git seed verify` to say.
    let range = repo.store.head()?.commit.map(|head| format!("{head}..{head}"));
    let found = proof::verify::verify(repo, &Asked { range, ..Asked::default() })?;
    let last = repo.store.tip(names::CLAIMS)?;
    let count = repo.store.history(names::CLAIMS, usize::MAX)?.len();
    let worst = found.broken.first().or(found.not_measured.first());
    Ok(json!({
        "count": count,
        "head": last.map(|last| last.commit.to_string()),
        "valid": found.ok,
        "broken_at": found.broken.first().map(|bad| &bad.record),
        "reason": worst.map(|one| &one.reason),
    }))
}

fn unwritten(why: impl std::fmt::Display) -> EngineError {
    EngineError::OnDisk(voice::tell(Notice::RulingNotKept, &[("why", &why.to_string())]))
}

/// The session that drives the job.
fn session_of(focused: Option<&LoadedJob>) -> String {
    // Without a job a ruling belongs to no session.
    focused.map(|focused| focused.state.driver.session.clone()).unwrap_or_default()
}

fn none_if_empty(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

/// A claim stood, and tests failed later on the tree that it was made of.
fn is_contradicted(record: &Record, receipts: &[Receipt]) -> bool {
    record.passes() && has_failed_since(&record.tree, record.at, receipts)
}

/// Tests failed on `tree`, at `at` or later. Of a ruling or a run of another clone only the day is
/// known: which of the two came first on that day is not.
fn has_failed_since(tree: &str, at: UnixSeconds, receipts: &[Receipt]) -> bool {
    let untold = |ran: UnixSeconds| day(ran) == day(at) && (is_day(ran) || is_day(at));
    let failed = |receipt: &&Receipt| {
        receipt.run.is_some()
            && receipt.status.is_some_and(|status| status != 0)
            && receipt.at >= at
            && !untold(receipt.at)
    };
    receipts.iter().filter(failed).any(|receipt| receipt.tree.as_deref() == Some(tree))
}

fn drift_of(verdicts: &[Recorded], receipts: &[Receipt], table: &GateTable) -> f64 {
    let past = verdicts
        .iter()
        .filter_map(|one| Some((one.record.directive?, is_contradicted(&one.record, receipts))));
    session::drift(&past.collect::<Vec<_>>(), table)
}

/// What the record of a ruling says of itself.
fn audit_of(record: &Record) -> Value {
    json!({
        "n": record.n,
        "previous": record.prev,
        "tree": record.tree,
        "head": record.head,
        "truth": record.truth,
        "at": rfc3339(record.at),
        "job": record.job,
        "run": record.run,
        "cycle": record.cycle,
        "phase": none_if_empty(&record.phase),
        "session": none_if_empty(&record.session),
        "trace": record.trace,
        "signed": record.signed,
        "unsigned_because": none_if_empty(&record.why),
    })
}
