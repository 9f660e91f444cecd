//! Commits known by what they hold: which steps of a job a commit stands for, whatever its name.
//!
//! Content alone vouches: the same tree, else the same change, of a step, a cycle, a landing or the
//! whole job. A change is git's patch-id with memory left out; of a single step also the whole one.
//! What landed is written down in the chain, so it is known where its commits are not here.

use std::collections::{BTreeMap, BTreeSet};

use crate::claims::audit::Content;
use crate::engine::proof::chain::{OfStep, Steps};
use crate::engine::repo::{Repo, Result};
use crate::format::landing::LabCommit;
use crate::store::{CommitId, TreeId};

/// Steps that one content stands for.
pub(crate) type Ids = BTreeSet<String>;

/// What a job's commits hold.
#[derive(Debug, Default)]
pub(crate) struct Contents {
    trees: BTreeMap<String, Ids>,
    /// With memory left out.
    changes: BTreeMap<String, Ids>,
    /// With memory; of single commits.
    whole: BTreeMap<String, Ids>,
    /// By the commits that landings made.
    landed: BTreeMap<String, Ids>,
}

/// What a commit changes: without memory, and with it; empty where that is nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changes {
    product: String,
    whole: String,
}

/// What each of these commits changes.
pub(crate) fn changes(repo: &Repo, commits: &[CommitId]) -> Result<BTreeMap<CommitId, Changes>> {
    let mut found: BTreeMap<CommitId, Changes> = BTreeMap::new();
    for (commit, change) in repo.store.patch_ids(commits, &repo.without_memory())? {
        found.entry(commit).or_default().product = change;
    }
    for (commit, change) in repo.store.patch_ids(commits, &[])? {
        found.entry(commit).or_default().whole = change;
    }
    Ok(found)
}

impl Contents {
    /// What the steps of `made`, oldest first, hold, as far as trees say it, and what the chain has
    /// written down of those and others.
    pub(crate) fn of(repo: &Repo, made: &[OfStep], steps: &Steps) -> Result<Self> {
        let mut contents = Self::default();
        for step in made {
            let tree = repo.store.tree_of_commit(&step.commit)?;
            add_step(&mut contents.trees, tree.as_str(), step);
        }
        for some in groups(made) {
            let Some(last) = some.last() else { continue };
            let tree = repo.store.tree_of_commit(&last.commit)?;
            add(&mut contents.trees, tree.as_str(), some.iter().map(|step| step.id.as_str()));
        }
        for landing in &steps.landings {
            contents.take_in_written(&landing.tree, &landing.change, landing.ids());
            for commit in &landing.commits {
                let ids = commit.stands_for.iter().map(|lab| lab.id.as_str());
                add(&mut contents.landed, &commit.commit, ids.clone());
                contents.take_in_written(&commit.tree, &commit.change, ids);
                contents.take_in_labs(&commit.stands_for);
            }
        }
        let mut by_then = Ids::new();
        for cycle in &steps.cycles {
            by_then.extend(cycle.ids().map(str::to_owned));
            contents.take_in_written(&cycle.tree, &cycle.change, cycle.ids());
            if let Some(job) = &cycle.job {
                contents.take_in_written(&cycle.tree, job, by_then.iter().map(String::as_str));
            }
            contents.take_in_labs(&cycle.commits);
        }
        Ok(contents)
    }

    fn take_in_labs(&mut self, labs: &[LabCommit]) {
        for lab in labs {
            self.take_in_written(&lab.tree, &lab.change, [&*lab.id]);
        }
    }

    fn take_in_written<'a>(
        &mut self,
        tree: &str,
        change: &str,
        ids: impl IntoIterator<Item = &'a str>,
    ) {
        let ids: Vec<&str> = ids.into_iter().collect();
        add(&mut self.trees, tree, ids.iter().copied());
        add(&mut self.changes, change, ids.iter().copied());
        // What changes memory alone is written down whole.
        add(&mut self.whole, change, ids);
    }

    /// Takes in what these steps change, each by itself, by cycles, and all together.
    pub(crate) fn take_in_changes(&mut self, repo: &Repo, steps: &[OfStep]) -> Result<()> {
        let commits: Vec<CommitId> = steps.iter().map(|step| step.commit.clone()).collect();
        let each = changes(repo, &commits)?;
        for step in steps {
            let Some(change) = each.get(&step.commit) else { continue };
            add_step(&mut self.changes, &change.product, step);
            add_step(&mut self.whole, &change.whole, step);
        }
        groups(steps).try_for_each(|some| self.take_in_range(repo, some))
    }

    /// Takes in what steps that follow each other change together.
    pub(crate) fn take_in_range(&mut self, repo: &Repo, steps: &[OfStep]) -> Result<()> {
        let [first, .., last] = steps else { return Ok(()) };
        let from = match repo.store.parent_of(&first.commit)? {
            Some(parent) => repo.store.tree_of_commit(&parent)?,
            None => repo.store.no_tree(),
        };
        let to = repo.store.tree_of_commit(&last.commit)?;
        let change = repo.store.change_id(&from, &to, &repo.without_memory())?;
        add(&mut self.changes, &change, steps.iter().map(|step| step.id.as_str()));
        Ok(())
    }

    /// The steps that a landing made this commit for; its tree has all of the job until then.
    pub(crate) fn by_landing(&self, commit: &CommitId) -> Option<(Content, &Ids)> {
        self.landed.get(commit.as_str()).map(|ids| (Content::Tree, ids))
    }

    /// The steps that have this tree.
    pub(crate) fn by_tree(&self, tree: &TreeId) -> Option<(Content, &Ids)> {
        self.trees.get(tree.as_str()).map(|ids| (Content::Tree, ids))
    }

    /// The steps that change the same.
    pub(crate) fn by_change(&self, changes: &Changes) -> Option<(Content, &Ids)> {
        let found = self.changes.get(&changes.product).or_else(|| self.whole.get(&changes.whole));
        found.map(|ids| (Content::PatchId, ids))
    }
}

/// The steps of each cycle, and all of them, but for those that a person undid.
fn groups(steps: &[OfStep]) -> impl Iterator<Item = &[OfStep]> {
    let steps = &steps[..steps.partition_point(|step| !step.undone)];
    let cycles = steps.chunk_by(|one, next| (one.run, one.cycle) == (next.run, next.cycle));
    cycles.chain([steps]).filter(|some| some.len() > 1)
}

/// An empty change is none: half of all commits would make it.
fn add<'a>(to: &mut BTreeMap<String, Ids>, key: &str, ids: impl IntoIterator<Item = &'a str>) {
    if !key.is_empty() {
        to.entry(key.to_owned()).or_default().extend(ids.into_iter().map(str::to_owned));
    }
}

/// One step; of one that a person undid only what no other holds.
fn add_step(to: &mut BTreeMap<String, Ids>, key: &str, step: &OfStep) {
    if !step.undone || !to.contains_key(key) {
        add(to, key, [&*step.id]);
    }
}
