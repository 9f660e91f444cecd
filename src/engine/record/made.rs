//! What the commits of a job hold, written down when a cycle closes, for clones that have none of
//! them: see [`crate::format::landing::Made`].
//!
//! Git works it out, so it is gathered before the step that keeps it takes the lock.

use crate::engine::record::led_back;
use crate::engine::repo::{EngineError, Repo, Result};
use crate::format::landing::{LabCommit, Made};
use crate::format::{names, ops};
use crate::store::{ChangeId, CommitId, Tip, TreeEdit};

/// A commit of the job, by the Seed-Id in it.
struct OfStep {
    id: String,
    commit: CommitId,
    at: (u32, u32),
}

/// What the cycle that `closing` ends made, as a file of the job's tree; `closing` is that step's
/// own commit, with the Seed-Id in it. None where it made nothing.
pub(crate) fn made(
    repo: &Repo,
    tip: &Tip,
    closing: Option<(&str, &CommitId)>,
    at: (u32, u32),
) -> Result<Option<TreeEdit>> {
    let mut all = Vec::new();
    let steps = led_back::said(repo, tip)?;
    // What a person undid is theirs.
    let stand = ops::standing(&steps, None);
    for said in steps.into_iter().filter(|said| stand.contains(&said.id)) {
        let commit = said.commit.as_ref().and_then(|commit| commit.parse().ok());
        // What is not here was rewritten before it could be written down.
        let commit = commit.filter(|commit: &CommitId| repo.store.has_object(commit.as_str()));
        let Some(commit) = commit else { continue };
        let at = (said.run, said.cycle);
        all.push(OfStep { id: said.carries.unwrap_or(said.id), commit, at });
    }
    if let Some((id, commit)) = closing {
        all.push(OfStep { id: id.to_owned(), commit: commit.clone(), at });
    }
    let of_cycle: Vec<&OfStep> = all.iter().filter(|step| step.at == at).collect();
    let (Some(first), Some(last), Some(begin)) = (of_cycle.first(), of_cycle.last(), all.first())
    else {
        return Ok(None);
    };
    let all = change(repo, &first.commit, &last.commit)?;
    let job = if begin.at == at { None } else { Some(change(repo, &begin.commit, &last.commit)?) };
    let made = Made {
        tree: repo.store.tree_of_commit(&last.commit)?.to_string(),
        change: all.by_git,
        verbatim: all.verbatim,
        job_verbatim: job.as_ref().map(|job| job.verbatim.clone()).unwrap_or_default(),
        job: job.map(|job| job.by_git),
        commits: commits(repo, &of_cycle)?,
    };
    let bytes = made.write()?;
    Ok(Some(TreeEdit::Put { path: names::made(at.0, at.1), bytes }))
}

/// What changes from before `first` to `last`, memory aside.
fn change(repo: &Repo, first: &CommitId, last: &CommitId) -> Result<ChangeId> {
    let from = match repo.store.parent_of(first)? {
        Some(parent) => repo.store.tree_of_commit(&parent)?,
        None => repo.store.no_tree(),
    };
    let to = repo.store.tree_of_commit(last)?;
    Ok(repo.store.change_id(&from, &to, &repo.without_memory())?)
}

fn commits(repo: &Repo, steps: &[&OfStep]) -> Result<Vec<LabCommit>> {
    let ids: Vec<CommitId> = steps.iter().map(|step| step.commit.clone()).collect();
    let changes = repo.store.known_changes(&ids, &repo.without_memory())?;
    let lab = |step: &&OfStep| {
        let change = changes.get(&step.commit).cloned().unwrap_or_default();
        Ok(LabCommit {
            id: step.id.clone(),
            tree: repo.store.tree_of_commit(&step.commit)?.to_string(),
            change: change.by_git,
            verbatim: change.verbatim,
            commit: step.commit.to_string(),
            differs: false,
        })
    };
    steps.iter().map(lab).collect()
}

/// What the chain of a job wrote down of each cycle, with the steps of it and of all before.
pub(crate) fn all(repo: &Repo, tip: &Tip) -> Result<Vec<Made>> {
    let mut all = Vec::new();
    for name in repo.store.names(tip, names::MADE)? {
        let path = format!("{}/{name}", names::MADE);
        // Listed right above.
        let bytes = repo.store.file(tip, &path)?.unwrap_or_default();
        let read = Made::read(&bytes);
        all.push(read.map_err(|bad| EngineError::OnDisk(format!("{path}: {bad}")))?);
    }
    Ok(all)
}
