//! Claims of jobs: what each says, what it rests on and how it was ruled; and the runs of tests
//! that were seen.

use std::ops::ControlFlow;

use serde::Serialize;

use crate::claims::record::Record;
use crate::claims::{Inquiry, Part, Ran};
use crate::engine::claims;
use crate::engine::records;
use crate::engine::repo::text::rfc3339;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::event::UnixSeconds;
use crate::format::names;
use crate::voice::{self, Notice};

/// The most records that are looked through, newest first.
const RECORDS: usize = 5_000;

/// A ruling of the gate.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct RulingShown {
    pub record: String,
    #[serde(skip)]
    pub job: String,
    #[serde(skip)]
    pub seconds: UnixSeconds,
    pub at: String,
    /// `verify_claim`, `response_gate` or `causal_trace`.
    pub kind: &'static str,
    /// What was claimed, in the agent's words.
    pub claim: String,
    /// What it named as evidence.
    pub evidence: String,
    pub directive: &'static str,
    /// The agent could go on as it said it would.
    pub opens: bool,
    pub reasons: Vec<String>,
    pub receipts: Vec<String>,
}

/// A run of tests, by its receipt.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct TestsShown {
    pub receipt: String,
    #[serde(skip)]
    pub seconds: UnixSeconds,
    pub at: String,
    pub command: String,
    /// `None` where the host did not tell it or the line hides it.
    pub status: Option<i32>,
    pub failed: bool,
    pub counts: Option<String>,
    /// Which part of the tests it was; `None` for all of them.
    pub part: Option<String>,
}

/// The rulings since `from`, oldest first, on whatever job.
pub(crate) fn since(repo: &Repo, from: UnixSeconds) -> Result<Vec<RulingShown>> {
    let (mut ids, mut left) = (Vec::new(), RECORDS);
    repo.store.each_step(names::CLAIMS, |step| -> Result<ControlFlow<()>> {
        if step.at < from || left == 0 {
            return Ok(ControlFlow::Break(()));
        }
        left -= 1;
        ids.push(step.commit);
        Ok(ControlFlow::Continue(()))
    })?;
    let mut found = Vec::new();
    for id in ids.iter().rev() {
        let one = records::recorded(repo, id)?;
        found.extend(shown(id.to_string(), one.record));
    }
    Ok(found)
}

fn shown(id: String, record: Record) -> Option<RulingShown> {
    let (directive, job) = (record.directive?, record.job?);
    let (claim, evidence) = match record.inquiry {
        Some(Inquiry::VerifyClaim(case)) => (case.claim.text, case.claim.evidence),
        Some(Inquiry::ResponseGate(case)) => {
            (case.claim_authority.unwrap_or_default(), String::new())
        }
        Some(Inquiry::CausalTrace(case)) => (case.symptom, case.links.join("\n")),
        None => {
            record.text.as_ref()?;
            (voice::tell(Notice::RecordWithoutWords, &[]), String::new())
        }
    };
    Some(RulingShown {
        record: id,
        job,
        seconds: record.at,
        at: rfc3339(record.at),
        kind: record.kind.word(),
        claim,
        evidence,
        directive: directive.word(),
        opens: record.opens,
        reasons: record.reasons,
        receipts: record.receipts,
    })
}

/// The runs of tests of `job`, oldest first.
pub(crate) fn tests(repo: &Repo, job: &LoadedJob) -> Result<Vec<TestsShown>> {
    let ran = claims::receipts::ran(repo, job)?;
    Ok(ran
        .into_iter()
        .filter(|(_, ran)| ran.run.is_some())
        .map(|one| tests_shown(repo, one))
        .collect())
}

fn tests_shown(repo: &Repo, (receipt, ran): (String, Ran)) -> TestsShown {
    TestsShown {
        receipt,
        seconds: ran.at,
        at: rfc3339(ran.at),
        status: ran.status,
        failed: ran.failed || ran.status.is_some_and(|status| status != 0),
        counts: ran.counts.map(|counts| counts.to_string()),
        part: claims::receipts::part_of(repo, &ran).map(Part::told),
        command: ran.command,
    }
}
