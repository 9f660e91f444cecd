//! What nobody claims of a job that rests until a person approves it. No job is in focus then; it
//! is named all the same until a person takes it over or puts it back.

use crate::engine::fence::restore::{Restored, kept_before, taken_over};
use crate::engine::record::draft::{By, Journaling, StepDraft};
use crate::engine::repo::{EngineError, LoadedJob, Repo, Result};
use crate::engine::{fence, jobs, record};
use crate::format::state::Unclaimed;
use crate::jobs::Status;
use crate::store::{RepoPath, TreeEdit};

/// What nobody claims of `job`, where that rests in this worktree and awaits its person: all that
/// HEAD does not have as it is.
pub(crate) fn unclaimed(repo: &Repo, job: &LoadedJob) -> Result<Vec<Unclaimed>> {
    let state = &job.state;
    let at = [&state.home.worktree, &state.home.rested].into_iter().find(|at| !at.is_empty());
    let here = at.is_some_and(|at| *at == repo.store.worktree_name());
    if state.job.status != Status::Awaiting || !here || repo.is_foreign(state)? {
        return Ok(Vec::new());
    }
    fence::shown::still_open(repo, &state.fence.unclaimed)
}

/// The same paths of all such jobs.
pub(crate) fn paths(repo: &Repo, resting: &[LoadedJob]) -> Result<Vec<String>> {
    let mut paths = Vec::new();
    for job in resting {
        paths.extend(unclaimed(repo, job)?.into_iter().map(|one| one.path));
    }
    paths.sort();
    paths.dedup();
    Ok(paths)
}

/// A person takes over those of `paths` that are left so; gives the others.
pub(crate) fn accept(repo: &Repo, paths: &[String]) -> Result<Vec<String>> {
    let mut others = paths.to_vec();
    for job in jobs::unattended::awaiting(repo)? {
        let own = own_of(repo, &job, paths)?;
        if own.is_empty() {
            continue;
        }
        let edits = taken_over(repo, &job, &own)?.edits;
        take(repo, &job, &own, ("accept", format!("the person takes {}", own.join(", "))), edits)?;
        others.retain(|path| !own.contains(path));
    }
    Ok(others)
}

/// A person puts those of `paths` that are left so back as HEAD has them; what is taken away is
/// kept with the job.
pub(crate) fn restore(repo: &Repo, paths: &[String]) -> Result<Restored> {
    let mut done = Restored::default();
    let Some(head) = repo.store.head()?.commit else { return Ok(done) };
    let head = repo.store.tree_of_commit(&head)?;
    for job in jobs::unattended::awaiting(repo)? {
        let own = own_of(repo, &job, paths)?;
        let files: Vec<RepoPath> =
            own.iter().filter_map(|path| RepoPath::try_from(path.as_str()).ok()).collect();
        if files.is_empty() {
            continue;
        }
        let (kept, edits) = kept_before(repo, &job, &files)?;
        take(repo, &job, &own, ("restore", format!("put back {}", own.join(", "))), edits)?;
        repo.store.restore(&head, &files)?;
        done.kept.extend(kept);
    }
    Ok(done)
}

fn own_of(repo: &Repo, job: &LoadedJob, paths: &[String]) -> Result<Vec<String>> {
    let open = unclaimed(repo, job)?.into_iter().map(|one| one.path);
    Ok(open.filter(|path| paths.contains(path)).collect())
}

/// The step that takes `paths` out of what nobody claims.
fn take(
    repo: &Repo,
    job: &LoadedJob,
    paths: &[String],
    (name, subject): (&'static str, String),
    edits: Vec<TreeEdit>,
) -> Result<()> {
    let taken = record::step::step(repo, &job.chain, Journaling::Skip, |state, _| {
        state.fence.unclaimed.retain(|one| !paths.contains(&one.path));
        let draft = StepDraft::new(state, name, subject.clone(), By::Person);
        Ok(Ok(edits.iter().cloned().fold(draft, StepDraft::with)))
    })?;
    taken.map(drop).map_err(|refusal| EngineError::Refused(refusal.wants))
}
