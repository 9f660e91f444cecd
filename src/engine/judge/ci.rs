//! `verify --ci`: a range of commits in a clone that has little else.
//!
//! Chains and notes are data here, as a remote has them; nothing is written. A range that a shallow
//! clone cuts off is never called verified.

use std::collections::BTreeSet;

use crate::claims::audit::Findings;
use crate::engine::repo::{EngineError, Repo, Result};
use crate::format::names;
use crate::format::trailers::claimed_jobs;
use crate::voice::{Notice, tell};

/// The remote whose chains are read where this clone has none of its own.
const REMOTE: &str = "origin";

/// Makes `repo` read the chains that are to be believed, and sees that the range is whole.
pub(crate) fn prepare(repo: &mut Repo, range: &str, remote: Option<&str>) -> Result<()> {
    let parts = range
        .split_once("..")
        .filter(|(base, head)| !base.is_empty() && !head.is_empty() && !head.starts_with('.'));
    let Some((base, head)) = parts else {
        return Err(EngineError::Usage(tell(Notice::CiRange, &[("range", range)])));
    };
    if let Some(remote) = remote.filter(|remote| !repo.store.is_branch_name(remote)) {
        return Err(EngineError::Usage(tell(Notice::CiRemote, &[("remote", remote)])));
    }
    if let Some(remote) = remote
        && !is_known(repo, remote)?
    {
        let known = repo.store.remotes().join(", ");
        let facts = [("remote", remote), ("known", if known.is_empty() { "none" } else { &known })];
        return Err(EngineError::Usage(tell(Notice::CiRemoteUnknown, &facts)));
    }
    for name in [base, head] {
        if repo.store.resolve_commit(name)?.is_none() {
            let facts = [("commit", name)];
            // A clone of one branch never gets another one by going deeper.
            let known = |(remote, _): &(&str, &str)| {
                repo.store.remotes().iter().any(|known| known == remote)
            };
            let branch = name.split_once('/').filter(known);
            return Err(
                if let Some((remote, branch)) = branch.filter(|_| repo.store.is_shallow()) {
                    let facts = [("commit", name), ("remote", remote), ("branch", branch)];
                    EngineError::CutOff(tell(Notice::CiBranchCutOff, &facts))
                } else if repo.store.is_shallow() {
                    EngineError::CutOff(tell(Notice::CiCommitCutOff, &facts))
                } else {
                    EngineError::Usage(tell(Notice::CiCommitUnknown, &facts))
                },
            );
        }
    }
    if let Some(commit) = repo.store.cut_off(range)?.first() {
        let facts = [("range", range), ("commit", commit.as_str())];
        return Err(EngineError::CutOff(tell(Notice::CiRangeCutOff, &facts)));
    }
    match remote {
        Some(remote) => repo.store.read_what_came(remote)?,
        None if repo.store.chains("refs/seed/")?.is_empty() => repo.store.read_what_came(REMOTE)?,
        None => {}
    }
    Ok(())
}

/// git has a remote of this name, or something was fetched from one.
fn is_known(repo: &Repo, remote: &str) -> Result<bool> {
    let named = repo.store.remotes().iter().any(|known| known == remote);
    Ok(named || !repo.store.chains(&names::fetched(remote, "refs/seed/"))?.is_empty())
}

/// Refuses what names no commits: a range that somebody mistyped holds nothing to verify.
pub(crate) fn is_there(repo: &Repo, range: &str) -> Result<()> {
    if repo.store.is_range(range)? {
        return Ok(());
    }
    Err(EngineError::Usage(tell(Notice::RangeUnknown, &[("range", range)])))
}

/// The commits of the range that lack evidence: of those that name a step, or of all where `every`.
/// What is said of records is no commit's.
pub(crate) fn lacks(
    repo: &Repo,
    range: &str,
    findings: &Findings,
    every: bool,
) -> Result<BTreeSet<String>> {
    let missing = findings.not_measured.iter().map(|one| one.record.as_str());
    // Where nothing vouches for a word, anybody could have written it.
    let words = findings.accepted.iter().filter(|one| !one.vouched);
    let words = words.map(|one| one.commit.as_str());
    let loose = findings.loose.iter().map(String::as_str);
    let missing: BTreeSet<&str> = missing.chain(words).chain(loose).collect();
    let named = repo.store.seed_commits(range)?;
    // Of all a commit needs its note and its job's chain as well.
    let beside = |message: &str| {
        let noteless = missing.contains(names::COMMIT_NOTES);
        every && (noteless || claimed_jobs(message).any(|job| missing.contains(job)))
    };
    let lacks = named
        .iter()
        .filter(|(commit, message)| missing.contains(commit.as_str()) || beside(message));
    let mut lacks: BTreeSet<String> = lacks.map(|(commit, _)| commit.to_string()).collect();
    if every {
        let named: BTreeSet<&str> = named.iter().map(|(commit, _)| commit.as_str()).collect();
        let all = repo.store.commits_of(range)?.into_iter().map(|(commit, _)| commit.to_string());
        lacks.extend(all.filter(|commit| {
            !named.contains(commit.as_str()) && !findings.follows.contains_key(commit)
        }));
    }
    Ok(lacks)
}
