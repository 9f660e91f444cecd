//! Commits behind a job's last one that take its work back: `git revert`, or an edit that makes a
//! file what it was before. A landing begins at the job's own commits, so its branch has that work
//! again; who lands is told which commit says otherwise.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::engine::landing::plan::Ground;
use crate::engine::repo::{Repo, Result};
use crate::store::TreeId;

/// One of them.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Reverted {
    pub commit: String,
    pub subject: String,
    /// The files of the job that are what they were before it, or before one of its commits.
    pub paths: Vec<String>,
}

/// Those that took back what the branch is without to this day, oldest first.
pub(crate) fn reverted(repo: &Repo, ground: &Ground) -> Result<Vec<Reverted>> {
    let Some(now) = ground.commits[ground.span..].last() else { return Ok(Vec::new()) };
    let paths = |a: &TreeId, b: &TreeId| -> Result<BTreeSet<String>> {
        let paths = repo.store.paths_between(a, b, usize::MAX)?;
        Ok(paths.into_iter().filter(|path| !repo.is_memory(path)).collect())
    };
    let mut found = Vec::new();
    for at in ground.span..ground.commits.len() {
        let one = &ground.commits[at];
        let changed = paths(&ground.before(repo, at)?, &one.tree)?;
        let mut back = BTreeSet::new();
        for lab in (0..ground.span).filter(|lab| ground.ids[*lab].is_some()) {
            let before = ground.before(repo, lab)?;
            let (then, still) = (paths(&before, &one.tree)?, paths(&before, &now.tree)?);
            let work = paths(&before, &ground.commits[lab].tree)?;
            let here = work.into_iter().filter(|path| changed.contains(path));
            back.extend(here.filter(|path| !then.contains(path) && !still.contains(path)));
        }
        if back.is_empty() {
            continue;
        }
        let subject = one.text().lines().next().unwrap_or_default().to_owned();
        let (commit, paths) = (one.commit.to_string(), back.into_iter().collect());
        found.push(Reverted { commit, subject, paths });
    }
    Ok(found)
}
