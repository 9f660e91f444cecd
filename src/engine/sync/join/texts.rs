//! The texts of two clones: what either has, less what a step of any joined chain took away.
//!
//! Texts have no past, so nothing tells a text that is missing from one that never came: the
//! chains do. A job whose texts came, or whose chain changed, is asked which of them are to be
//! nowhere; a clone that was away for a year brings none of them back.

use std::collections::{BTreeMap, BTreeSet};

use crate::engine::repo::{Repo, Result};
use crate::engine::sync::join::outcome::{Came, JoinedJob};
use crate::engine::texts;
use crate::format::names;
use crate::format::texts::{is_key, union};
use crate::jobs::JobId;
use crate::store::{CommitId, Held};

/// Joins the texts here with those at `there`, once the chains are joined.
pub(crate) fn join(repo: &Repo, there: Option<&CommitId>, jobs: &[JoinedJob]) -> Result<()> {
    let here = repo.store.stands_at(names::TEXTS)?;
    let held = |tip: Option<&CommitId>| tip.map(|tip| repo.store.texts_of(tip)).transpose();
    let ours = held(here.as_ref())?.unwrap_or_default();
    let mut theirs = held(there)?.unwrap_or_default();
    // Whatever else lies there is no text of ours.
    theirs.retain(|place, _| job_of(place).is_some());
    let came = theirs.keys().filter(|place| !ours.contains_key(*place)).filter_map(|p| job_of(p));
    let moved = |job: &&JoinedJob| !matches!(job.result, Came::Same | Came::SetAside);
    let moved = jobs.iter().filter(moved).filter_map(|job| job.id.parse::<JobId>().ok());
    let gone = redacted(repo, came.chain(moved).collect())?;
    let without: BTreeSet<String> = gone.values().flatten().cloned().collect();
    let all = union(&[ours.clone(), theirs.clone()], &without);
    let known = |held: &Held| held.keys().eq(all.keys());
    if !known(&ours) {
        let to = match there.filter(|_| known(&theirs)) {
            Some(there) => there.clone(),
            // Of what it holds and the later of the two times alone, so that two clones agree.
            None => repo.store.texts_commit(&all, later(repo, here.as_ref(), there)?)?,
        };
        repo.store.turn_texts(here.as_ref(), &to, repo.now)?;
    }
    for (id, keys) in gone {
        let here_still = |key: &&String| ours.contains_key(&format!("{id}/{key}"));
        let keys: Vec<String> = keys.iter().filter(here_still).cloned().collect();
        if !keys.is_empty() {
            // Whoever redacted it was told of packs; nobody is asked here.
            texts::redact::take_away(repo, &id, &keys)?;
        }
    }
    Ok(())
}

/// The job of a text, by its place.
fn job_of(place: &str) -> Option<JobId> {
    let (job, key) = place.split_once('/')?;
    job.parse().ok().filter(|_| is_key(key))
}

/// What steps of these jobs took away.
fn redacted(repo: &Repo, jobs: BTreeSet<JobId>) -> Result<BTreeMap<JobId, BTreeSet<String>>> {
    let mut gone = BTreeMap::new();
    for id in jobs {
        // Texts of a job that is not here yet wait for it.
        let Ok(job) = repo.job(&id) else { continue };
        let keys = repo.redacted(&job.tip)?;
        if !keys.is_empty() {
            gone.insert(id, keys);
        }
    }
    Ok(gone)
}

fn later(repo: &Repo, here: Option<&CommitId>, there: Option<&CommitId>) -> Result<i64> {
    let mut at = 0;
    for tip in [here, there].into_iter().flatten() {
        let step = repo.store.history_from(tip, 1)?;
        at = at.max(step.first().map_or(0, |step| step.at));
    }
    Ok(at)
}
