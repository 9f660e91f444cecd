//! `verify --ci`: a range of commits in a clone that has little else.
//!
//! Chains and notes are data here, as a remote has them; nothing is written. A range that a shallow
//! clone cuts off is never called verified.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::claims::audit::Findings;
use crate::engine::repo::{EngineError, Repo, Result};
use crate::format::trailers::claimed_jobs;
use crate::jobs::JobId;
use crate::voice::{Notice, tell};

/// The remote whose chains are read where this clone has none of its own.
const REMOTE: &str = "origin";

/// A job that commits of the range lead to.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct JobCard {
    pub id: String,
    /// Absent where its chain is not here.
    pub name: Option<String>,
    pub status: Option<&'static str>,
    /// Its chain says that a person approved it.
    pub approved: bool,
    /// Commits of the range that name it.
    pub commits: usize,
}

/// Makes `repo` read the chains that are to be believed, and sees that the range is whole.
pub(crate) fn prepare(repo: &mut Repo, range: &str, remote: Option<&str>) -> Result<()> {
    let parts = range
        .split_once("..")
        .filter(|(base, head)| !base.is_empty() && !head.is_empty() && !head.starts_with('.'));
    let Some((base, head)) = parts else {
        return Err(EngineError::Usage(tell(Notice::CiRange, &[("range", range)])));
    };
    for name in [base, head] {
        if repo.store.resolve_commit(name)?.is_none() {
            let facts = [("commit", name)];
            return Err(if repo.store.is_shallow() {
                EngineError::CutOff(tell(Notice::CiCommitCutOff, &facts))
            } else {
                EngineError::Usage(tell(Notice::CiCommitUnknown, &facts))
            });
        }
    }
    if let Some(commit) = repo.store.cut_off(range)?.first() {
        let facts = [("range", range), ("commit", commit.as_str())];
        return Err(EngineError::CutOff(tell(Notice::CiRangeCutOff, &facts)));
    }
    match remote {
        Some(remote) => repo.store.read_fetched(remote),
        None if repo.store.chains("refs/seed/")?.is_empty() => repo.store.read_fetched(REMOTE),
        None => {}
    }
    Ok(())
}

/// The jobs that commits of the range name.
pub(crate) fn cards(repo: &Repo, range: &str) -> Result<Vec<JobCard>> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (_, message) in repo.store.seed_commits(range)? {
        let jobs: BTreeSet<&str> = claimed_jobs(&message).collect();
        for job in jobs {
            *counts.entry(job.to_owned()).or_default() += 1;
        }
    }
    let card = |(id, commits): (String, usize)| {
        // One whose chain is not here, or does not read, is named by its id alone; what is wrong
        // with it is a finding.
        let known = id.parse::<JobId>().ok().and_then(|id| repo.job(&id).ok());
        let job = known.map(|job| job.state.job);
        JobCard {
            id,
            name: job.as_ref().map(|job| job.name.clone()),
            status: job.as_ref().map(|job| job.status.word()),
            approved: job.as_ref().is_some_and(|job| job.user_approval),
            commits,
        }
    };
    Ok(counts.into_iter().map(card).collect())
}

/// Whether evidence is missing: of a commit that names a step, or of any at all where `every`.
pub(crate) fn lacks(repo: &Repo, range: &str, findings: &Findings, every: bool) -> Result<bool> {
    let missing = findings.not_measured.iter().map(|one| one.record.as_str());
    // Where nothing vouches for a word, anybody could have written it.
    let words = findings.accepted.iter().filter(|one| !one.vouched);
    let missing: BTreeSet<&str> = missing.chain(words.map(|one| one.commit.as_str())).collect();
    if every {
        return Ok(!missing.is_empty() || findings.plain.is_some_and(|plain| plain > 0));
    }
    let named = repo.store.seed_commits(range)?;
    Ok(named.iter().any(|(commit, _)| missing.contains(commit.as_str())))
}
