//! Commits that bear the trailers of a job and are no steps of it any more: a merge of two clones
//! rejected their steps, or a person undid them. Behind the job's last commit no landing has them.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::engine::record::led_back;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::format::ops;
use crate::format::trailers::{StepTrailers, claimed_ids};
use crate::jobs::JobId;
use crate::store::Written;

/// One of them.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct LeftOut {
    pub commit: String,
    pub subject: String,
}

/// What a commit is to a job.
enum Bears {
    /// One of its steps made it, and stands.
    Step,
    Left(LeftOut),
    /// It is somebody else's.
    Nothing,
}

fn bears(one: &Written, job: &JobId, standing: &BTreeSet<String>) -> Bears {
    let own = format!("Seed-Job: {job}");
    let text = one.text();
    if !text.lines().any(|line| line.trim() == own) {
        return Bears::Nothing;
    }
    let mut ids = claimed_ids(&text).peekable();
    if ids.peek().is_none() || ids.any(|id| standing.contains(id)) {
        return Bears::Step;
    }
    let subject = text.lines().next().unwrap_or_default().to_owned();
    Bears::Left(LeftOut { commit: one.commit.to_string(), subject })
}

/// Those of `commits`, which lie behind the last one that a landing of `job` takes.
pub(crate) fn among(commits: &[Written], job: &JobId, standing: &BTreeSet<String>) -> Vec<LeftOut> {
    let left = commits.iter().filter_map(|one| match bears(one, job, standing) {
        Bears::Left(left) => Some(left),
        _ => None,
    });
    left.collect()
}

/// The steps of `job` that made commits and stand, by the Seed-Id in those.
pub(crate) fn standing(repo: &Repo, job: &LoadedJob) -> Result<BTreeMap<String, StepTrailers>> {
    let said = led_back::said(repo, &job.tip)?;
    let stand = ops::standing(&said, None);
    // What a person undid is theirs.
    let stand = said.into_iter().filter(|said| said.commit.is_some() && stand.contains(&said.id));
    Ok(stand.map(|said| (said.carries.as_ref().unwrap_or(&said.id).clone(), said)).collect())
}

/// Those of the run of an open job behind its last commit on HEAD, newest first; at most `most`
/// commits are looked at.
pub(crate) fn on_head(repo: &Repo, job: &LoadedJob, most: usize) -> Result<Vec<LeftOut>> {
    let standing = standing(repo, job)?.into_keys().collect();
    let (mut found, mut at) = (Vec::new(), repo.store.head()?.commit);
    for _ in 0..most {
        let base = &job.state.home.base;
        let Some(commit) = at.filter(|commit| commit.as_str() != base) else { break };
        match bears(&repo.store.as_written(&commit)?, &job.state.job.id, &standing) {
            Bears::Step => break,
            Bears::Left(left) => found.push(left),
            Bears::Nothing => {}
        }
        at = repo.store.parent_of(&commit)?;
    }
    Ok(found)
}
