//! `verify --require approval`: whether a person's signature stands behind the jobs of a range.
//!
//! That a person approved a job stands in its chain, and whoever writes chains could write it. What
//! counts is a record that names this very step by its commit, so that all before it hangs on it,
//! in a commit that an allowed key signed; and what came later may have changed memory alone.

use std::collections::BTreeSet;
use std::path::Path;

use crate::claims::audit::{Finding, Findings};
use crate::claims::record::Approval;
use crate::engine::proof::chain::{self, Steps, TakenStep};
use crate::engine::proof::rerun::ids_of;
use crate::engine::repo::{Repo, Result};
use crate::format::trailers::{StepTrailers, claimed_jobs};
use crate::format::{claim, names};
use crate::jobs::JobId;
use crate::store::{Checked, CommitId, Laid};
use crate::voice::{Notice, tell};

/// The step that a person's approval is.
const APPROVAL: &str = "completion";

struct Ground<'a> {
    repo: &'a Repo,
    keys: Option<&'a Path>,
    findings: &'a Findings,
    /// Commits of the range that name a step, with their messages.
    named: Vec<(CommitId, String)>,
    /// Signed records of approvals, oldest first, whoever signed them.
    signed: Vec<(CommitId, Approval)>,
}

/// The jobs of a range that lack a signed approval, each with what is missing.
pub(crate) fn unapproved(
    repo: &Repo,
    range: &str,
    findings: &Findings,
    keys: Option<&Path>,
) -> Result<Vec<Finding>> {
    let each = |laid: Laid<'_>| {
        // What does not read is broken by its own finding, and approves nothing.
        let record = laid.record.ok().and_then(|bytes| claim::read(&bytes).ok());
        let approval = record.and_then(|record| record.approves);
        approval.filter(|_| laid.signature.is_some()).map(|one| (laid.id.clone(), one))
    };
    let signed = match repo.store.stands_at(names::CLAIMS)? {
        Some(tip) => repo.store.walk_records(&tip, &each)?.links.into_iter().flatten().collect(),
        None => Vec::new(),
    };
    let named = repo.store.seed_commits(range)?;
    let ground = Ground { repo, keys, findings, named, signed };
    let jobs: BTreeSet<&str> =
        ground.named.iter().flat_map(|(_, message)| claimed_jobs(message)).collect();
    let mut found = Vec::new();
    for job in jobs {
        if let Some(reason) = ground.of_job(job)? {
            found.push(Finding { record: job.to_owned(), reason, commit: None, by: None });
        }
    }
    Ok(found)
}

impl Ground<'_> {
    /// What is missing of a job, if anything is.
    fn of_job(&self, job: &str) -> Result<Option<String>> {
        let id = job.parse::<JobId>();
        let steps = match &id {
            Ok(id) => chain::steps(self.repo, id)?,
            Err(_) => None,
        };
        let Some(steps) = steps else { return Ok(Some(tell(Notice::ApprovalNoChain, &[]))) };
        for run in self.runs(job, &steps) {
            if let Some(why) = self.of_run(job, run, &steps)? {
                return Ok(Some(why));
            }
        }
        Ok(self.not_what_was_approved(job))
    }

    /// A commit of the job for whose content nothing vouches: it could hold anything.
    fn not_what_was_approved(&self, job: &str) -> Option<String> {
        let open = self.findings.not_measured.iter().chain(&self.findings.broken);
        let open = open.map(|one| one.record.as_str());
        let loose = self.findings.loose.iter().map(String::as_str);
        let open: BTreeSet<&str> = open.chain(loose).collect();
        let (commit, _) = self.named.iter().find(|(commit, message)| {
            open.contains(commit.as_str()) && claimed_jobs(message).any(|claimed| claimed == job)
        })?;
        let short: String = commit.as_str().chars().take(12).collect();
        Some(tell(Notice::ApprovalOther, &[("commit", &short)]))
    }

    /// The runs of a job that commits of the range are of.
    fn runs(&self, job: &str, steps: &Steps) -> BTreeSet<u32> {
        let mut runs = BTreeSet::new();
        for (commit, message) in &self.named {
            if !claimed_jobs(message).any(|claimed| claimed == job) {
                continue;
            }
            let ids = ids_of(commit, message, steps);
            let known = ids.iter().filter_map(|id| steps.taken(id)).map(|taken| taken.said.run);
            let said = StepTrailers::read(message).map(|said| said.run);
            runs.extend(known.chain(said));
        }
        if runs.is_empty() {
            runs.extend(steps.state.as_ref().map(|state| state.job.run));
        }
        runs
    }

    fn of_run(&self, job: &str, run: u32, steps: &Steps) -> Result<Option<String>> {
        let stands = |taken: &&TakenStep| {
            let said = &taken.said;
            said.run == run && said.step == APPROVAL && !steps.undone.contains(&said.id)
        };
        let approval = steps.by_id.values().filter(stands).max_by_key(|taken| taken.n);
        let Some(approval) = approval else {
            return Ok(Some(tell(Notice::ApprovalNone, &[("run", &run.to_string())])));
        };
        let mut why = tell(Notice::ApprovalUnsigned, &[]);
        let names_it = |one: &Approval| {
            one.job == job
                && one.step == approval.said.id
                && one.at == approval.step.commit.as_str()
        };
        for (record, _) in self.signed.iter().rev().filter(|(_, one)| names_it(one)) {
            why = match self.repo.store.check_signature(record, self.keys)? {
                Checked::Good => return self.changed_later(job, approval, steps),
                Checked::Foreign => tell(Notice::ApprovalForeign, &[]),
                Checked::Bad(why) => tell(Notice::ApprovalBad, &[("why", &why)]),
                Checked::Unmeasured(why) => tell(Notice::ApprovalUnmeasured, &[("why", &why)]),
            };
        }
        Ok(Some(why))
    }

    /// Commits of the same run that came after its approval and change more than memory.
    fn changed_later(
        &self,
        job: &str,
        approval: &TakenStep,
        steps: &Steps,
    ) -> Result<Option<String>> {
        let store = &self.repo.store;
        for (commit, message) in &self.named {
            let Some(said) = StepTrailers::read(message) else { continue };
            let taken = steps.taken(&said.id);
            let later = taken.is_none_or(|taken| taken.n > approval.n);
            if said.job != job || said.run != approval.said.run || !later {
                continue;
            }
            let before = match store.parent_of(commit)? {
                Some(parent) => store.tree_of_commit(&parent)?,
                None => store.no_tree(),
            };
            let paths = store.paths_between(&before, &store.tree_of_commit(commit)?, usize::MAX)?;
            if paths.iter().any(|path| !self.repo.is_memory(path)) {
                let short: String = commit.as_str().chars().take(12).collect();
                return Ok(Some(tell(Notice::ApprovalLater, &[("commit", &short)])));
            }
        }
        Ok(None)
    }
}
