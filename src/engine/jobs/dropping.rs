//! "Never mind": a person ends a job that is not to be finished.
//!
//! The job is voided with the reason. Its commits and the work tree stay as they are, and are
//! the person's from then on; jobs that waited for it wait no longer. It is offered to nobody
//! again, and `git seed job reactivate` brings it back. Works over a journal that does not read:
//! what a person drops needs no account of what was done for it.

use std::collections::{BTreeMap, BTreeSet};

use crate::engine::record::draft::{By, Journaling, StepDraft};
use crate::engine::repo::answer::Answered;
use crate::engine::repo::{EngineError, LoadedJob, Repo, Result};
use crate::engine::{jobs, record};
use crate::jobs::{Job, JobId, Status};
use crate::verdict::Refusal;
use crate::voice::{Notice, tell};
use crate::world::progress;

/// What came of dropping a job.
#[derive(Clone, Debug)]
pub(crate) struct Dropped {
    pub id: JobId,
    pub name: String,
    /// Names of the jobs that waited for it, and wait no longer.
    pub freed: Vec<String>,
    /// Pending jobs that still wait in this worktree.
    pub left: usize,
}

impl Dropped {
    /// What became of it, in one line for the person.
    pub(crate) fn told(&self) -> String {
        let (job, id) = (self.name.as_str(), self.id.as_str());
        let freed = match self.freed.as_slice() {
            [] => String::new(),
            freed => tell(Notice::DroppedFreed, &[("jobs", &freed.join(", "))]),
        };
        let left = match self.left {
            0 => String::new(),
            left => tell(Notice::DroppedLeft, &[("count", &left.to_string())]),
        };
        tell(Notice::Dropped, &[("job", job), ("id", id), ("freed", &freed), ("left", &left)])
    }
}

/// Drops the job `id`, or the focused one.
pub(crate) fn drop_job(repo: &Repo, id: Option<&JobId>, why: &str) -> Answered<Dropped> {
    repo.require_seeded()?;
    let _lock = repo.store.lock()?;
    let job = match id {
        Some(id) => repo.job(id)?,
        None => repo.require_focused()?,
    };
    let here = repo.store.focus()?.as_deref() == Some(job.chain.as_str());
    if let Some(refusal) = no_dropping(repo, &job)? {
        return Ok(Err(refusal));
    }
    // The journal of this worktree belongs to the job that has its focus.
    let broken = || repo.focused().is_ok_and(|one| one.is_some_and(|one| one.activity.is_err()));
    let fold = match here {
        true if broken() => Journaling::Restart,
        true => Journaling::Read,
        false => Journaling::Skip,
    };
    match void(repo, &job, fold, &one_line(why))? {
        Ok(()) => leave(repo, job, here).map(Ok),
        Err(refusal) => Ok(Err(refusal)),
    }
}

/// The subject of a step is one line; a prompt has all its words with the job besides.
fn one_line(why: &str) -> String {
    let why = why.split_whitespace().collect::<Vec<_>>().join(" ");
    crate::secrets::Masked::new(&why).chars().take(400).collect()
}

/// The step that ends a job; it keeps its ref.
fn void(repo: &Repo, job: &LoadedJob, fold: Journaling, why: &str) -> Answered<()> {
    let now = repo.now;
    let taken = record::step::step(repo, &job.chain, fold, |state, _| {
        let draft = StepDraft::new(state, "drop", why, By::Person);
        state.job.become_(Status::Voided, now)?;
        state.unlocked = None;
        state.home.worktree.clear();
        Ok(Ok(draft))
    })?;
    Ok(taken.map(drop))
}

/// Lets go of a job that is voided: its focus, its ref, the edges that led to it.
fn leave(repo: &Repo, job: LoadedJob, here: bool) -> Result<Dropped> {
    if here {
        jobs::focus::give_up(repo)?;
    }
    let freed = free(repo, &job.state.job.id)?;
    record::archive::put_away(repo, &job.state.job.id)?;
    let Job { id, name, .. } = job.state.job;
    Ok(Dropped { id, name, freed, left: waiting(repo)?.len() })
}

/// Drops every pending job that waits in this worktree, or in none. All jobs are read once, and
/// those that are dropped go into the archive together: there may be hundreds.
pub(crate) fn drop_pending(repo: &Repo, why: &str) -> Answered<Vec<Dropped>> {
    repo.require_seeded()?;
    let _lock = repo.store.lock()?;
    let jobs = repo.jobs()?;
    let mut going = Vec::new();
    for job in &jobs {
        if waits_here(repo, job)? {
            going.push(job);
        }
    }
    for job in &going {
        if let Some(refusal) = no_dropping(repo, job)? {
            return Ok(Err(refusal));
        }
    }
    let ids: BTreeSet<&JobId> = going.iter().map(|job| &job.state.job.id).collect();
    let why = one_line(why);
    progress::begin(&tell(Notice::DoesDrop, &[]), going.len());
    for job in &going {
        progress::step();
        if let Err(refusal) = void(repo, job, Journaling::Skip, &why)? {
            return Ok(Err(refusal));
        }
    }
    let waited = |job: &&LoadedJob| {
        let Job { id, depends_on, .. } = &job.state.job;
        !ids.contains(id) && depends_on.iter().any(|on| ids.contains(on))
    };
    let mut freed: BTreeMap<&JobId, Vec<String>> = BTreeMap::new();
    for job in jobs.iter().filter(waited) {
        for on in job.state.job.depends_on.iter().filter_map(|on| ids.get(on)) {
            unlink(repo, job, on)?;
            freed.entry(on).or_default().push(format!("\"{}\"", job.state.job.name));
        }
    }
    record::archive::put_some_away(repo, &ids.iter().copied().collect::<Vec<_>>())?;
    let told = |job: &&LoadedJob| {
        let Job { id, name, .. } = &job.state.job;
        let freed = freed.get(id).cloned().unwrap_or_default();
        Dropped { id: id.clone(), name: name.clone(), freed, left: 0 }
    };
    Ok(Ok(going.iter().map(told).collect()))
}

/// Why `job` cannot be dropped here.
fn no_dropping(repo: &Repo, job: &LoadedJob) -> Result<Option<Refusal>> {
    if let Err(refusal) = job.state.job.may_be_dropped(job.state.is_closing()) {
        return Ok(Some(refusal));
    }
    let elsewhere = repo.store.focus_elsewhere(&job.chain)?;
    Ok(elsewhere.map(|worktree| job.state.job.is_held_by(&worktree)))
}

/// Pending jobs of this clone that wait here, or that nobody has taken up anywhere.
fn waiting(repo: &Repo) -> Result<Vec<JobId>> {
    let mut waiting = Vec::new();
    for job in repo.jobs()? {
        if waits_here(repo, &job)? {
            waiting.push(job.state.job.id);
        }
    }
    Ok(waiting)
}

fn waits_here(repo: &Repo, job: &LoadedJob) -> Result<bool> {
    let (home, here) = (&job.state.home, repo.store.worktree_name());
    let nowhere = home.worktree.is_empty() && (home.rested.is_empty() || home.rested == here);
    Ok(job.state.job.status == Status::Pending
        && (nowhere || home.worktree == here)
        && !repo.is_foreign(&job.state)?)
}

/// Takes the edges away that led to `id`; the names of the jobs that had them.
pub(super) fn free(repo: &Repo, id: &JobId) -> Result<Vec<String>> {
    let mut freed = Vec::new();
    for job in repo.jobs()?.into_iter().filter(|job| job.state.job.depends_on.contains(id)) {
        unlink(repo, &job, id)?;
        freed.push(format!("\"{}\"", job.state.job.name));
    }
    Ok(freed)
}

/// Takes one edge away.
fn unlink(repo: &Repo, job: &LoadedJob, id: &JobId) -> Result<()> {
    let fold = record::interactions::fold_for(repo, &job.chain)?;
    record::step::step(repo, &job.chain, fold, |state, _| {
        state.job.depends_on.retain(|known| known != id);
        let subject = tell(Notice::SubjectUnlinked, &[("job", id.as_str())]);
        Ok(Ok(StepDraft::new(state, "unlink", subject, By::Person)))
    })?
    .map_err(|refusal| EngineError::Refused(refusal.wants))?;
    Ok(())
}
