//! The card of each job that commits of a range lead to, from what its chain says.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::claims::audit::Findings;
use crate::engine::judge::criteria;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::format::trailers::claimed_jobs;
use crate::format::{evidence, names};
use crate::jobs::JobId;
use crate::phases::criteria::Answer;
use crate::store::CommitId;

/// A job that commits of the range lead to.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct JobCard {
    pub id: String,
    /// Absent where its chain is not here.
    pub name: Option<String>,
    pub status: Option<&'static str>,
    /// Its chain says that a person approved it.
    pub approved: bool,
    /// Commits of the range that name it, or stand for steps of it by what they hold.
    pub commits: usize,
    /// Those among them that other jobs have, too; what they change is no single job's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared: Option<usize>,
    /// What those of its own change, without pages and other memory; absent where that is not here,
    /// and where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<Lines>,
    /// Recorded runs of tests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runs: Option<usize>,
    /// What was answered to the criteria of its contract, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub criteria: Option<Counted>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Lines {
    pub added: usize,
    pub removed: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Counted {
    pub met: usize,
    pub not_met: usize,
    pub not_shown: usize,
}

/// The jobs that commits of the range lead to, by their messages and by what `findings` followed.
pub(crate) fn cards(repo: &Repo, range: &str, findings: &Findings) -> Result<Vec<JobCard>> {
    let mut jobs_of: BTreeMap<CommitId, BTreeSet<String>> = BTreeMap::new();
    for (commit, message) in repo.store.seed_commits(range)? {
        jobs_of.entry(commit).or_default().extend(claimed_jobs(&message).map(str::to_owned));
    }
    for (commit, jobs) in &findings.follows {
        let Ok(commit) = commit.parse() else { continue };
        jobs_of.entry(commit).or_default().extend(jobs.keys().cloned());
    }
    let mut of_job: BTreeMap<String, (Vec<CommitId>, usize)> = BTreeMap::new();
    for (commit, jobs) in jobs_of {
        let alone = jobs.len() == 1;
        for job in jobs {
            let (own, shared) = of_job.entry(job).or_default();
            if alone { own.push(commit.clone()) } else { *shared += 1 }
        }
    }
    Ok(of_job.into_iter().map(|(id, commits)| card(repo, id, commits)).collect())
}

/// One whose chain is not here, or does not read, is named by its id alone; what is wrong with it
/// is a finding.
fn card(repo: &Repo, id: String, (own, shared): (Vec<CommitId>, usize)) -> JobCard {
    // An id that is none, or leads to no chain, is a finding.
    let known = id.parse::<JobId>().ok().and_then(|id| repo.job(&id).ok());
    // What does not read is a finding as well, and no card's to tell.
    let lines = if own.is_empty() { None } else { lines(repo, &own).ok() };
    // The same of the receipts.
    let runs = known.as_ref().and_then(|job| runs(repo, job).ok());
    // The same of the messages.
    let criteria = known.as_ref().and_then(|job| counted(repo, job).ok().flatten());
    JobCard {
        name: known.as_ref().map(|job| job.state.job.name.clone()),
        status: known.as_ref().map(|job| job.state.job.status.word()),
        approved: known.as_ref().is_some_and(|job| job.state.job.user_approval),
        commits: own.len() + shared,
        shared: (shared > 0).then_some(shared),
        lines,
        runs,
        criteria,
        id,
    }
}

/// What the commits change, each against its first parent.
fn lines(repo: &Repo, commits: &[CommitId]) -> Result<Lines> {
    let mut lines = Lines::default();
    for commit in commits {
        let Some(parent) = repo.store.first_parent(commit)? else { continue };
        let trees = (repo.store.tree_of_commit(&parent)?, repo.store.tree_of_commit(commit)?);
        let mut files = repo.store.lines_changed(&trees.0, &trees.1)?;
        super::counted::as_moves(repo, (&trees.0, &trees.1), &mut files)?;
        for file in files {
            if !repo.place_named(&file.path.to_string(), None).is_memory() {
                lines.added += file.added;
                lines.removed += file.removed;
            }
        }
    }
    Ok(lines)
}

fn runs(repo: &Repo, job: &LoadedJob) -> Result<usize> {
    let mut runs = 0;
    for dir in repo.store.names(&job.tip, names::EVIDENCE)? {
        let dir = format!("{}/{dir}", names::EVIDENCE);
        for file in repo.store.names(&job.tip, &dir)? {
            let Some(id) = file.strip_suffix(".toml") else { continue };
            let ran = evidence::read(&repo.counted_file(job, &evidence::path(id))?);
            runs += usize::from(ran.is_some_and(|ran| ran.run.is_some()));
        }
    }
    Ok(runs)
}

fn counted(repo: &Repo, job: &LoadedJob) -> Result<Option<Counted>> {
    let answered = criteria::answered(repo, job)?;
    let count = |answer| criteria::count(&answered, answer);
    Ok((!answered.is_empty()).then(|| Counted {
        met: count(Answer::Met),
        not_met: count(Answer::NotMet),
        not_shown: count(Answer::NotShown),
    }))
}
