//! Commits on a job's branch that bear the Seed-Id of a step and hold something else than it
//! recorded: somebody amended them, or resolved a conflict by hand. A landing takes them, since
//! they are what is there, and says so: nobody judged what they hold.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::engine::contents::Ids;
use crate::engine::proof;
use crate::engine::proof::chain::{Jobs, Steps};
use crate::engine::proof::followed::Search;
use crate::engine::repo::{Repo, Result};
use crate::format::trailers::claimed_ids;
use crate::jobs::JobId;
use crate::store::{CommitId, Written};

/// One of them.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Differs {
    /// Its place among the commits of the branch.
    #[serde(skip)]
    pub at: usize,
    pub commit: String,
    /// The commit that its step recorded.
    pub recorded: String,
    /// What differs between the two; all that it changes where the other one is not here.
    pub paths: Vec<String>,
}

/// Those of them among `commits`, of which each bears the Seed-Id in `ids`, if any.
pub(crate) fn differs(
    repo: &Repo,
    id: &JobId,
    commits: &[Written],
    ids: &[Option<String>],
) -> Result<Vec<Differs>> {
    let names = BTreeSet::from([id.to_string()]);
    let jobs = Jobs::from([(id.to_string(), proof::chain::steps(repo, id)?)]);
    let Some(Some(steps)) = jobs.get(id.as_str()) else { return Ok(Vec::new()) };
    let mut search = Search::new(repo);
    let mut found = Vec::new();
    for (at, (one, step)) in commits.iter().zip(ids).enumerate() {
        let Some(step) = step else { continue };
        let recorded = recorded(steps, step);
        if recorded == one.commit.as_str() {
            continue;
        }
        let claimed: Ids = claimed_ids(&one.text()).map(str::to_owned).collect();
        if search.stands_for(&jobs, &names, &one.commit, &claimed)?.is_none() {
            let paths = paths(repo, one, &recorded)?;
            found.push(Differs { at, commit: one.commit.to_string(), recorded, paths });
        }
    }
    Ok(found)
}

/// The commit that a step recorded.
fn recorded(steps: &Steps, step: &str) -> String {
    steps.taken(step).and_then(|taken| taken.said.commit.clone()).unwrap_or_default()
}

fn paths(repo: &Repo, one: &Written, recorded: &str) -> Result<Vec<String>> {
    let store = &repo.store;
    let changed = |commit: &CommitId| -> Result<BTreeSet<String>> {
        // A shallow clone has not got it.
        let Some(before) = store.tree_before(commit)? else { return Ok(BTreeSet::new()) };
        let paths = store.paths_between(&before, &store.tree_of_commit(commit)?, usize::MAX)?;
        Ok(paths.into_iter().collect())
    };
    let here = changed(&one.commit)?;
    let old = recorded.parse::<CommitId>().ok().filter(|_| store.has_object(recorded));
    let Some(old) = old else { return Ok(here.into_iter().collect()) };
    // What others changed below the two is none of theirs.
    let either: BTreeSet<String> = changed(&old)?.union(&here).cloned().collect();
    let between = store.paths_between(&store.tree_of_commit(&old)?, &one.tree, usize::MAX)?;
    Ok(between.into_iter().filter(|path| either.contains(path)).collect())
}
