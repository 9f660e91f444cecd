//! The records of the gate: written, found again, and bound to the commits that land.

pub(crate) mod of_jobs;
pub(crate) mod replay;
pub(crate) mod words;

pub use replay::replay;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use crate::claims::record::{Acceptance, Approval, Attest, Record, RecordKind, Review};
use crate::claims::{Directive, Inquiry, Truth};
use crate::engine::aside;
use crate::engine::records::words::unwritten;
use crate::engine::repo::{EngineError, Repo, Result};
use crate::format::{claim, merge, names};
use crate::store::{CommitId, NewRecord, Sealing, StoreError, Tip, TreeId};
use crate::voice::{Notice, tell};

/// Name of a record: the commit that holds it.
pub(crate) type RecordId = CommitId;
type Headed = (RecordId, claim::Heading);

/// How many records back a passing one is looked for before a commit. One that lies
/// further back was not made for this work.
const NEAR: usize = 500;

/// A ruling that is about to be recorded. Job, run, cycle and phase are those of the focus.
#[derive(Clone, Debug)]
pub struct VerdictDraft {
    /// The work tree that was judged.
    pub tree: TreeId,
    pub inquiry: Inquiry,
    /// The ruling, as the gate gave it.
    pub ruling: serde_json::Value,
    pub directive: Directive,
    pub reasons: Vec<String>,
    /// The gate's table as it was used, as JSON; the same bytes each time.
    pub table: Vec<u8>,
    pub session: String,
    /// The session's trace id.
    pub trace: String,
}

/// A reviewing subagent's verdict that is about to be recorded.
#[derive(Clone, Debug)]
pub struct ReviewDraft {
    pub agent: String,
    pub commit: CommitId,
    /// Its last words; only their hash is kept.
    pub words: String,
    pub verdict: String,
    pub session: String,
    pub trace: String,
}

/// A record with its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    pub id: RecordId,
    pub record: Record,
}

/// Keeps a ruling: one record on top of the chain, signed where the person signs.
///
/// # Errors
///
/// The record cannot be written as JSON or laid on the chain.
pub fn record_verdict(repo: &Repo, draft: VerdictDraft) -> Result<RecordId> {
    let (truth, receipts) = grounds(&draft.inquiry);
    let digest = truth.map(claim::truth_digest).transpose().map_err(unwritten)?;
    let record = Record {
        truth: digest,
        receipts,
        opens: draft.directive.opens() && !asks_for_a_tool(&draft.ruling),
        ruling: Some(draft.ruling),
        directive: Some(draft.directive),
        reasons: draft.reasons,
        session: draft.session,
        trace: draft.trace,
        ..Record::new(RecordKind::of(&draft.inquiry), repo.now, draft.tree.to_string())
    };
    append(repo, Record { inquiry: Some(draft.inquiry), ..record }, Some(draft.table))
}

/// Keeps what a reviewing subagent said of the commit that it read.
///
/// # Errors
///
/// The commit has no tree here, or the record cannot be laid on the chain.
pub fn record_review(repo: &Repo, draft: ReviewDraft) -> Result<RecordId> {
    let tree = repo.store.tree_of_commit(&draft.commit)?;
    let review = Review {
        agent: draft.agent,
        commit: draft.commit.to_string(),
        words: crate::format::short_hash(draft.words.as_bytes(), 64),
        verdict: draft.verdict,
    };
    let record = Record {
        review: Some(review),
        session: draft.session,
        trace: draft.trace,
        ..Record::new(RecordKind::Review, repo.now, tree.to_string())
    };
    append(repo, record, None)
}

/// Says that `commit` landed, and which passing record for its very tree backs it: an
/// attest record, and a line in the commit's note. Nothing where no record was ever
/// made. A commit that is attested already gets its line again.
///
/// # Errors
///
/// The chain does not read, or the record or the note cannot be written.
pub fn attest_commit(repo: &Repo, commit: &CommitId) -> Result<Option<RecordId>> {
    if repo.store.tip(names::CLAIMS)?.is_none() {
        return Ok(None);
    }
    let tree = repo.store.tree_of_commit(commit)?;
    let near = headings(repo, Some(NEAR))?;
    let known = near.iter().find(|(_, said)| said.attests.as_deref() == Some(commit.as_str()));
    let id = if let Some((id, _)) = known {
        id.clone()
    } else {
        let backing = near.iter().find(|(_, said)| said.passes && said.tree == tree.as_str());
        let attest = Attest {
            commit: commit.to_string(),
            tree: tree.to_string(),
            record: backing.map(|(id, _)| id.to_string()),
        };
        let record = Record {
            attest: Some(attest),
            ..Record::new(RecordKind::Attest, repo.now, tree.to_string())
        };
        append(repo, record, None)?
    };
    let record = recorded(repo, &id)?.record;
    if let Some(noted) = claim::note_of(id.as_str(), &record) {
        repo.store.note_add(commit, &[noted.line()], repo.now)?;
    }
    Ok(Some(id))
}

/// Has a person's approval signed, where their git is set up to sign; where it is not, nothing is
/// recorded.
///
/// # Errors
///
/// The record cannot be written. What kept git from signing stands in it.
pub(crate) fn sign_approval(repo: &Repo, approves: Approval) -> Result<()> {
    if !repo.store.can_sign()? {
        return Ok(());
    }
    append(repo, Record { approves: Some(approves), ..seal(repo)? }, None).map(drop)
}

/// Keeps that a person takes a commit as it is; tells how it was signed.
///
/// # Errors
///
/// The record cannot be written.
pub(crate) fn record_acceptance(repo: &Repo, accepts: Acceptance) -> Result<Recorded> {
    let id = append(repo, Record { accepts: Some(accepts), ..seal(repo)? }, None)?;
    recorded(repo, &id)
}

/// Puts a signed record on top, which vouches for all before it. Where nobody signs, the
/// record says so and its `signed` tells.
///
/// # Errors
///
/// HEAD does not read, or the record cannot be written.
pub fn seal_records(repo: &Repo) -> Result<Recorded> {
    let id = append(repo, seal(repo)?, None)?;
    recorded(repo, &id)
}

/// A record that seals those before it, on the tree of HEAD.
fn seal(repo: &Repo) -> Result<Record> {
    let tree = match repo.store.head()?.commit {
        Some(head) => repo.store.tree_of_commit(&head)?.to_string(),
        None => String::new(),
    };
    Ok(Record::new(RecordKind::Seal, repo.now, tree))
}

/// The newest records, newest first; all of them without a limit.
pub(crate) fn records(repo: &Repo, limit: Option<usize>) -> Result<Vec<Recorded>> {
    let steps = repo.store.history(names::CLAIMS, limit.unwrap_or(usize::MAX))?;
    steps.iter().map(|step| recorded(repo, &step.commit)).collect()
}

/// The newest record, of so many, that is what is looked for; of what it says only what no text
/// beside it has can be asked.
pub(crate) fn newest(
    repo: &Repo,
    limit: usize,
    is_it: impl Fn(&Record) -> bool,
) -> Result<Option<Recorded>> {
    for step in repo.store.history(names::CLAIMS, limit)? {
        let record = as_kept(repo, &step.commit)?;
        if is_it(&record) {
            let record = words::joined(repo, &step.commit, record)?;
            return Ok(Some(Recorded { id: step.commit, record }));
        }
    }
    Ok(None)
}

/// The record `id`, with the words that it names where they are here.
pub(crate) fn recorded(repo: &Repo, id: &RecordId) -> Result<Recorded> {
    let record = words::joined(repo, id, as_kept(repo, id)?)?;
    Ok(Recorded { id: id.clone(), record })
}

fn as_kept(repo: &Repo, id: &RecordId) -> Result<Record> {
    let bytes = repo.store.file_of_commit(id, claim::RECORD)?.ok_or_else(|| no_record(id))?;
    let mut record = claim::read(&bytes).map_err(|bad| unread(id, &bad))?;
    record.at = repo.store.moment(id.as_str(), record.at);
    Ok(record)
}

/// What the newest rulings said, oldest first: so many at most, of the newest `near` records.
pub(crate) fn recent_rulings(repo: &Repo, most: usize, near: usize) -> Result<Vec<claim::Gist>> {
    let mut found = Vec::new();
    let mut left = near;
    repo.store.each_step(names::CLAIMS, |step| -> Result<ControlFlow<()>> {
        let gist = gist(repo, &step.commit)?;
        found.extend(Some(gist).filter(|gist| gist.directive.is_some()));
        left = left.saturating_sub(1);
        let enough = found.len() >= most || left == 0;
        Ok(if enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    found.reverse();
    Ok(found)
}

/// Says whether the records of a chain that another clone published read, but for those that are
/// here: each commit holds one, or joins two chains and holds none.
pub(crate) fn read_all(repo: &Repo, there: &CommitId, here: Option<&CommitId>) -> Result<()> {
    let line = match here {
        Some(here) => repo.store.lacking(here, there)?,
        None => repo.store.line_to(there)?,
    };
    for step in line.iter().filter(|step| !merge::is_join(&step.message)) {
        gist(repo, &step.commit)?;
    }
    Ok(())
}

/// The highest number of a record that a tip of the chain goes on from.
fn newest_number(repo: &Repo, tip: &CommitId) -> Result<u64> {
    let (mut newest, mut ahead) = (0, vec![tip.clone()]);
    while let Some(id) = ahead.pop() {
        match repo.store.joins(&id)? {
            Some(sides) => ahead.extend(sides),
            None => newest = newest.max(gist(repo, &id)?.n),
        }
    }
    Ok(newest)
}

pub(crate) fn gist(repo: &Repo, id: &RecordId) -> Result<claim::Gist> {
    let mut gist = gist_as_kept(repo, id)?;
    gist.at = repo.store.moment(id.as_str(), gist.at);
    Ok(gist)
}

/// A record does not change under its name, so a server reads each once.
fn gist_as_kept(repo: &Repo, id: &RecordId) -> Result<claim::Gist> {
    static READ: Mutex<BTreeMap<String, claim::Gist>> = Mutex::new(BTreeMap::new());
    let known = || READ.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(gist) = known().get(id.as_str()) {
        return Ok(gist.clone());
    }
    let bytes = repo.store.file_of_commit(id, claim::RECORD)?.ok_or_else(|| no_record(id))?;
    let gist = claim::gist(&bytes).map_err(|bad| unread(id, &bad))?;
    let mut known = known();
    if known.len() >= NEAR {
        known.clear();
    }
    known.insert(id.to_string(), gist.clone());
    Ok(gist)
}

/// Every tree that a passing record stands for, with the newest such record. For a
/// share over many commits; the whole chain is walked, one object each.
pub(crate) fn passing_trees(repo: &Repo) -> Result<BTreeMap<String, RecordId>> {
    let mut found = BTreeMap::new();
    for (id, said) in headings(repo, None)? {
        if said.passes {
            found.entry(said.tree).or_insert(id);
        }
    }
    Ok(found)
}

/// What the newest records are about, newest first, without reading them whole.
pub(crate) fn headings(repo: &Repo, limit: Option<usize>) -> Result<Vec<Headed>> {
    let steps = repo.store.history(names::CLAIMS, limit.unwrap_or(usize::MAX))?;
    Ok(steps
        .into_iter()
        .filter_map(|step| Some((step.commit, claim::heading(&step.message)?)))
        .collect())
}

pub(crate) fn append(repo: &Repo, mut record: Record, table: Option<Vec<u8>>) -> Result<RecordId> {
    record.each_time(|at| repo.store.dated(at));
    record.head = repo.store.head()?.commit.map(|head| head.to_string());
    if let Some(focused) = repo.focused()? {
        let stand = &focused.state.stand;
        record.job = Some(focused.state.job.id.to_string());
        record.run = focused.state.job.run;
        record.cycle = stand.cycle;
        record.phase = stand.phase.to_string();
    }
    let (record, text) = words::apart(repo, record)?;
    let lay = |after: Option<&CommitId>| match (&record.job, &text) {
        (Some(job), Some(text)) => aside::before_record(repo, job, text, after),
        _ => Ok(()),
    };
    let signing = repo.store.signing()?;
    let make = &mut |tip: Option<&Tip>, sealing: &Sealing| {
        let mut record = record.clone();
        record.n = match tip {
            Some(tip) => newest_number(repo, &tip.commit)? + 1,
            None => 1,
        };
        record.prev = tip.map(|tip| tip.commit.to_string());
        record.signed = sealing.signed;
        record.why.clone_from(&sealing.why);
        let mut files = vec![(claim::RECORD, claim::write(&record).map_err(unwritten)?)];
        files.extend(table.clone().map(|table| (claim::TABLE, table)));
        Ok::<_, EngineError>(NewRecord { files, message: claim::message(&record) })
    };
    repo.store.append_record(repo.now, &signing, &lay, make)
}

fn asks_for_a_tool(ruling: &serde_json::Value) -> bool {
    ruling["require_tool"]["needed"] == true
}

/// What an inquiry's ruling rests on.
fn grounds(inquiry: &Inquiry) -> (Option<&Truth>, Vec<String>) {
    let (truth, receipts) = match inquiry {
        Inquiry::VerifyClaim(case) => (&case.truth, &case.receipts),
        Inquiry::ResponseGate(case) => (&case.truth, &case.receipts),
        Inquiry::CausalTrace(_) => return (None, Vec::new()),
    };
    (Some(truth), receipts.iter().map(|receipt| receipt.id.clone()).collect())
}

fn no_record(id: &RecordId) -> EngineError {
    EngineError::Usage(tell(Notice::NoRecord, &[("id", id.as_str())]))
}

fn unread(id: &RecordId, bad: &claim::BadRecord) -> EngineError {
    let what = format!("{} {id}", names::CLAIMS);
    StoreError::Unreadable { what, why: bad.to_string(), repair: "git seed verify" }.into()
}
