//! Whose words a file of memory holds. What the team's default branch has, and what was committed
//! in this clone, is put before the agent as a quotation; a file that somebody else's branch
//! changed last is only named.

use std::collections::{BTreeSet, HashSet};

use crate::engine::repo::{Repo, Result};
use crate::rules::DEFAULT_BRANCH;
use crate::store::{CommitId, RepoPath, TreeId};

/// How many commits of the branch are looked through for who changed a file last.
const BACK: usize = 300;
/// The most paths of one commit that are looked at.
const MOST: usize = 2_000;

/// The files among `paths`, as HEAD has them, whose words are put before the agent. What cannot
/// be told is only named.
pub(crate) fn trusted<'a>(repo: &Repo, paths: impl Iterator<Item = &'a str>) -> BTreeSet<&'a str> {
    let paths: BTreeSet<&str> = paths.collect();
    // As said above.
    among(repo, &paths).unwrap_or_default()
}

fn among<'a>(repo: &Repo, paths: &BTreeSet<&'a str>) -> Result<BTreeSet<&'a str>> {
    let Some(head) = repo.store.head()?.commit else { return Ok(BTreeSet::new()) };
    let bases = bases(repo, &head)?;
    let tree = repo.store.tree_of_commit(&head)?;
    let mut open: BTreeSet<&str> = BTreeSet::new();
    let mut trusted: BTreeSet<&str> = BTreeSet::new();
    for path in paths {
        // What cannot be compared is not the same.
        let same = |base: &CommitId| is_same(repo, &tree, base, path).unwrap_or(false);
        if bases.iter().any(same) {
            trusted.insert(path)
        } else {
            open.insert(path)
        };
    }
    if open.is_empty() {
        return Ok(trusted);
    }
    let made = repo.store.made_here()?;
    let mut on_base: HashSet<CommitId> = HashSet::new();
    for base in &bases {
        let steps = repo.store.history_from(base, BACK)?;
        on_base.extend(steps.into_iter().map(|step| step.commit));
    }
    let steps = repo.store.history_from(&head, BACK)?;
    for (at, step) in steps.iter().enumerate() {
        // What is left here was last changed before the branch began.
        if on_base.contains(&step.commit) {
            trusted.extend(std::mem::take(&mut open));
        }
        if open.is_empty() {
            break;
        }
        let before = steps.get(at + 1);
        if before.is_none() && at + 1 == BACK {
            break;
        }
        for path in changed(repo, before.map(|step| &step.commit), &step.commit, &open)? {
            open.remove(path);
            if made.contains(step.commit.as_str()) {
                trusted.insert(path);
            }
        }
    }
    Ok(trusted)
}

/// Those of `commits` whose words are put before the agent, for the same reasons.
pub(crate) fn made_by_us<'a>(
    repo: &Repo,
    commits: impl Iterator<Item = &'a CommitId>,
) -> Result<HashSet<CommitId>> {
    let mut open: HashSet<CommitId> = commits.cloned().collect();
    let Some(head) = repo.store.head()?.commit.filter(|_| !open.is_empty()) else {
        return Ok(HashSet::new());
    };
    let made = repo.store.made_here()?;
    let (mut trusted, rest): (HashSet<_>, HashSet<_>) =
        open.drain().partition(|commit| made.contains(commit.as_str()));
    for base in bases(repo, &head)?.iter().filter(|_| !rest.is_empty()) {
        let steps = repo.store.history_from(base, BACK)?;
        trusted.extend(steps.into_iter().map(|step| step.commit).filter(|one| rest.contains(one)));
    }
    Ok(trusted)
}

/// Where the branches are whose files the rules trust. Without a remote there is no branch of
/// somebody else's, and HEAD is what a default branch would be.
fn bases(repo: &Repo, head: &CommitId) -> Result<Vec<CommitId>> {
    let mut found = Vec::new();
    for name in &repo.rules.trusted_refs {
        match name.as_str() {
            DEFAULT_BRANCH if !repo.store.has_remotes() => found.push(head.clone()),
            DEFAULT_BRANCH => found.extend(repo.store.default_branches()?),
            name => found.extend(repo.store.commit_of_ref(name)?),
        }
    }
    Ok(found)
}

fn is_same(repo: &Repo, tree: &TreeId, base: &CommitId, path: &str) -> Result<bool> {
    // A name that is no path of a tree stands in none.
    let Ok(path) = RepoPath::try_from(path) else { return Ok(false) };
    let base = repo.store.tree_of_commit(base)?;
    let blob = repo.store.blob_at(tree, &path)?;
    Ok(blob.is_some() && blob == repo.store.blob_at(&base, &path)?)
}

/// Those of `open` that `commit` changed; its first parent is `before`.
fn changed<'a>(
    repo: &Repo,
    before: Option<&CommitId>,
    commit: &CommitId,
    open: &BTreeSet<&'a str>,
) -> Result<Vec<&'a str>> {
    let new = repo.store.tree_of_commit(commit)?;
    let Some(before) = before else {
        // The first commit of all: what is in it came with it.
        return Ok(open.iter().copied().collect());
    };
    let old = repo.store.tree_of_commit(before)?;
    let paths = repo.store.paths_between(&old, &new, MOST)?;
    if paths.len() >= MOST {
        // As in [`among`].
        let is_other = |path: &&&str| !is_same(repo, &new, before, path).unwrap_or(false);
        return Ok(open.iter().filter(is_other).copied().collect());
    }
    Ok(open.iter().copied().filter(|open| paths.iter().any(|path| path == open)).collect())
}
