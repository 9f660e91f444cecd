//! Two archives, joined: a commit of the two tips alone, that every clone makes alike.
//!
//! It is the published archive with the jobs that only the local one has, and with those that went
//! on there; the index gets their lines. A job that closed differently in both stays as it was
//! published: whoever joins its chains puts it away once more.

use std::collections::BTreeMap;

use crate::engine::record::archive::{Leaving, archive_edits, index_files};
use crate::engine::repo::archive_index::unread;
use crate::engine::repo::{Repo, Result};
use crate::format::archive::{self, ClosedRow};
use crate::format::merge::ARCHIVES;
use crate::format::names;
use crate::jobs::JobId;
use crate::store::{CommitId, Loose, NewStep, Step, Tip};

/// Lines of the index by job.
pub(crate) type Rows = BTreeMap<JobId, ClosedRow>;

/// The lines that two archives have otherwise, each with its own; days that are alike are not
/// read.
pub(crate) fn differing(
    repo: &Repo,
    one: Option<&CommitId>,
    other: Option<&CommitId>,
) -> Result<(Rows, Rows)> {
    let tips = [one, other].map(|tip| tip.map(|tip| repo.store.tip_of(tip)).transpose());
    let [one, other] = tips;
    let (one, other) = (one?, other?);
    let mut paths = Vec::new();
    for tip in one.iter().chain(&other) {
        paths.extend(index_files(repo, tip)?);
    }
    paths.sort();
    paths.dedup();
    let (mut ours, mut theirs) = (Rows::new(), Rows::new());
    for path in paths {
        let bytes = |tip: &Option<Tip>| match tip {
            // A day on which a job closed in the other one alone.
            Some(tip) => Ok(repo.store.file(tip, &path)?.unwrap_or_default()),
            None => Ok::<_, crate::store::StoreError>(Vec::new()),
        };
        let (here, there) = (bytes(&one)?, bytes(&other)?);
        if here == there {
            continue;
        }
        let rows = |bytes: &[u8]| archive::rows(bytes).map_err(|bad| unread(&path, &bad));
        ours.extend(rows(&here)?.into_iter().map(|row| (row.id.clone(), row)));
        theirs.extend(rows(&there)?.into_iter().map(|row| (row.id.clone(), row)));
    }
    ours.retain(|id, row| {
        theirs.get(id) != Some(row) || {
            theirs.remove(id);
            false
        }
    });
    Ok((ours, theirs))
}

/// Joins the archives that end at these two commits; the published one where the other has no more.
pub(crate) fn joined(repo: &Repo, published: &CommitId, local: &CommitId) -> Result<CommitId> {
    let (ours, theirs) = differing(repo, Some(local), Some(published))?;
    let (mut leaving, mut holds) = (Vec::new(), Vec::new());
    for (id, row) in ours {
        // A line that names no commit is damage, which `doctor` tells.
        let Ok(tip) = row.tip.parse::<CommitId>() else { continue };
        let mut newest = tip.clone();
        // The same.
        if let Some(there) = theirs.get(&id).and_then(|row| row.tip.parse::<CommitId>().ok()) {
            if !repo.store.is_in_line(&there, &tip)? || there == tip {
                newest = there.clone();
            }
            // Whoever makes the index anew meets the newest tip first.
            holds.push(newest.clone());
        }
        if newest == tip {
            let tip = repo.store.tip_of(&tip)?;
            let chain = names::job_chain(&id);
            let state = repo.state_as_stored(&chain, &tip)?;
            leaving.push(Leaving { chain, tip, state });
        }
    }
    if leaving.is_empty() {
        return Ok(published.clone());
    }
    let base = repo.store.tip_of(published)?;
    let edits = archive_edits(repo, &base, &leaving)?;
    let times = [published, local].map(|tip| at(repo, tip));
    let [one, other] = times;
    let step = NewStep { edits: &edits, message: ARCHIVES, at: one?.max(other?) };
    let parents: Vec<CommitId> =
        [published.clone(), local.clone()].into_iter().chain(holds).collect();
    let new = Loose { on: Some(&base.tree), parents: &parents, step };
    Ok(repo.store.write_loose(&new, names::ARCHIVE)?.commit)
}

fn at(repo: &Repo, tip: &CommitId) -> Result<i64> {
    let newest: Vec<Step> = repo.store.history_from(tip, 1)?;
    Ok(newest.first().map_or(0, |step| step.dated))
}
