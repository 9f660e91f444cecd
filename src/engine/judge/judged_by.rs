//! `verify --ci … --rules base`: steps that were judged by looser rules than those of the base.
//!
//! Each step names the text of the rules that it was judged by. The text lies in the chain of the
//! rules, which a sync takes along; where it is not here, nothing can be said of the step.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::engine::proof::chain;
use crate::engine::proof::rerun::{PROPOSAL, ids_of};
use crate::engine::repo::{EngineError, Repo, Result};
use crate::format::trailers::{SHIPPED, StepTrailers, claimed_jobs};
use crate::jobs::JobId;
use crate::rules::Rules;
use crate::rules::direction::Direction;
use crate::voice::{Notice, tell};

/// Steps of one job that were judged by the same rules.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Looser {
    pub job: String,
    /// Their Seed-Ids, oldest first.
    pub steps: Vec<String>,
    /// The id of the text of their rules; `shipped` for those of the program; absent where the
    /// steps do not say it.
    pub rules: Option<String>,
    /// The keys that these rules have looser.
    pub keys: Vec<String>,
    /// Why it cannot be told.
    pub untold: Option<String>,
}

/// The steps of the runs that commits of `range` name, as far as their rules were looser than those
/// of the base, or are not known.
pub(crate) fn looser(repo: &Repo, range: &str) -> Result<Vec<Looser>> {
    let base = range.split_once("..").map_or(range, |(base, _)| base);
    let unknown = || EngineError::Usage(tell(Notice::CiCommitUnknown, &[("commit", base)]));
    let commit = repo.store.resolve_commit(base)?.ok_or_else(unknown)?;
    let bytes = repo.store.file_of_commit(&commit, PROPOSAL)?;
    let text = bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    if let Some(text) = &text {
        let bad = |bad: crate::rules::BadRules| EngineError::Proposal(bad.told(PROPOSAL, text));
        Rules::with(text).map_err(bad)?;
    }
    let mut judged = Judged { repo, base: text, known: BTreeMap::new() };
    let mut found = Vec::new();
    for (job, runs) in runs(repo, range)? {
        found.extend(judged.of_job(&job, &runs)?);
    }
    Ok(found)
}

/// The runs of jobs that commits of the range are of.
fn runs(repo: &Repo, range: &str) -> Result<BTreeMap<String, BTreeSet<u32>>> {
    let mut runs: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
    for (commit, message) in repo.store.seed_commits(range)? {
        for job in claimed_jobs(&message) {
            let of = runs.entry(job.to_owned()).or_default();
            let said = StepTrailers::read(&message).filter(|said| said.job == job);
            of.extend(said.map(|said| said.run));
            let Some(steps) = job.parse::<JobId>().ok().map(|id| chain::steps(repo, &id)) else {
                continue;
            };
            if let Some(steps) = steps? {
                let ids = ids_of(&commit, &message, &steps);
                of.extend(ids.iter().filter_map(|id| steps.taken(id)).map(|taken| taken.said.run));
            }
        }
    }
    Ok(runs)
}

struct Judged<'a> {
    repo: &'a Repo,
    base: Option<String>,
    /// What is said of a text of rules, by its id.
    known: BTreeMap<Option<String>, (Vec<String>, Option<String>)>,
}

impl Judged<'_> {
    fn of_job(&mut self, job: &str, runs: &BTreeSet<u32>) -> Result<Vec<Looser>> {
        let steps = match job.parse::<JobId>() {
            Ok(id) => chain::steps(self.repo, &id)?,
            Err(_) => None,
        };
        let Some(steps) = steps else {
            let untold = Some(tell(Notice::ApprovalNoChain, &[]));
            let job = job.to_owned();
            return Ok(vec![Looser { job, steps: vec![], rules: None, keys: vec![], untold }]);
        };
        let mut taken: Vec<_> = steps.by_id.values().collect();
        taken.retain(|taken| runs.contains(&taken.said.run));
        taken.sort_by_key(|taken| taken.n);
        let mut found: Vec<Looser> = Vec::new();
        for said in taken.iter().map(|taken| &taken.said) {
            let (keys, untold) = self.of_rules(said.rules.as_ref())?;
            if keys.is_empty() && untold.is_none() {
                continue;
            }
            match found.iter_mut().find(|one| one.rules == said.rules) {
                Some(one) => one.steps.push(said.id.clone()),
                None => found.push(Looser {
                    job: job.to_owned(),
                    steps: vec![said.id.clone()],
                    rules: said.rules.clone(),
                    keys,
                    untold,
                }),
            }
        }
        Ok(found)
    }

    /// The keys in which rules are looser than those of the base, and why they are not known.
    fn of_rules(&mut self, id: Option<&String>) -> Result<(Vec<String>, Option<String>)> {
        let key = id.cloned();
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let said = match id.map(String::as_str) {
            None => (Vec::new(), Some(tell(Notice::RulesUnrecorded, &[]))),
            Some(SHIPPED) => self.compared("")?,
            Some(id) => match self.repo.store.text_of_blob(id)? {
                Some(text) => self.compared(&text)?,
                None => (Vec::new(), Some(tell(Notice::RulesTextNotHere, &[("rules", id)]))),
            },
        };
        self.known.insert(key, said.clone());
        Ok(said)
    }

    fn compared(&self, text: &str) -> Result<(Vec<String>, Option<String>)> {
        let changes = match Rules::changes(self.base.as_deref(), text) {
            Ok(changes) => changes,
            // Of a newer program, or damaged.
            Err(bad) => return Ok((Vec::new(), Some(bad.told(PROPOSAL, text)))),
        };
        let loose = changes.into_iter().filter(|one| one.direction() == Direction::Loosens);
        let mut keys: Vec<String> = loose.map(|one| one.key).collect();
        // What a key makes of a map is said by the key.
        keys.retain(|key| !key.contains(": lane: "));
        Ok((keys, None))
    }
}
