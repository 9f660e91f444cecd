//! "Never mind": a person ends a job that is not to be finished.
//!
//! The job is voided with the reason. Its commits and the work tree stay as they are, and are
//! the person's from then on; jobs that waited for it wait no longer. It is offered to nobody
//! again, and `git seed job reactivate` brings it back. Works over a journal that does not read:
//! what a person drops needs no account of what was done for it.

use crate::engine::record::draft::{By, Journaling, StepDraft};
use crate::engine::repo::answer::Answered;
use crate::engine::repo::{EngineError, LoadedJob, Repo, Result};
use crate::engine::{jobs, record};
use crate::jobs::{Job, JobId, Status};
use crate::verdict::Refusal;
use crate::voice::{Notice, tell};

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
    // The subject of a step is one line; a prompt has all its words with the job besides.
    let why = why.split_whitespace().collect::<Vec<_>>().join(" ");
    let why: String = crate::secrets::Masked::new(&why).chars().take(400).collect();
    let now = repo.now;
    let taken = record::step::step(repo, &job.chain, fold, |state, _| {
        let draft = StepDraft::new(state, "drop", &why, By::Person);
        state.job.become_(Status::Voided, now)?;
        state.unlocked = None;
        state.home.worktree.clear();
        Ok(Ok(draft))
    })?;
    match taken {
        Ok(_) => leave(repo, job, here).map(Ok),
        Err(refusal) => Ok(Err(refusal)),
    }
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

/// Drops every pending job that waits in this worktree, or in none.
pub(crate) fn drop_pending(repo: &Repo, why: &str) -> Answered<Vec<Dropped>> {
    repo.require_seeded()?;
    let _lock = repo.store.lock()?;
    let mut dropped = Vec::new();
    for id in waiting(repo)? {
        match drop_job(repo, Some(&id), why)? {
            // The others that wait go with it.
            Ok(one) => dropped.push(Dropped { left: 0, ..one }),
            Err(refusal) => return Ok(Err(refusal)),
        }
    }
    Ok(Ok(dropped))
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
    let here = repo.store.worktree_name();
    let mut waiting = Vec::new();
    for job in repo.jobs()? {
        let home = &job.state.home;
        let nowhere = home.worktree.is_empty() && (home.rested.is_empty() || home.rested == here);
        if job.state.job.status == Status::Pending
            && (nowhere || home.worktree == here)
            && !repo.is_foreign(&job.state)?
        {
            waiting.push(job.state.job.id);
        }
    }
    Ok(waiting)
}

/// Takes the edges away that led to `id`; the names of the jobs that had them.
pub(super) fn free(repo: &Repo, id: &JobId) -> Result<Vec<String>> {
    let mut freed = Vec::new();
    for job in repo.jobs()?.into_iter().filter(|job| job.state.job.depends_on.contains(id)) {
        let fold = record::interactions::fold_for(repo, &job.chain)?;
        record::step::step(repo, &job.chain, fold, |state, _| {
            state.job.depends_on.retain(|known| known != id);
            let subject = tell(Notice::SubjectUnlinked, &[("job", id.as_str())]);
            Ok(Ok(StepDraft::new(state, "unlink", subject, By::Person)))
        })?
        .map_err(|refusal| EngineError::Refused(refusal.wants))?;
        freed.push(format!("\"{}\"", job.state.job.name));
    }
    Ok(freed)
}
