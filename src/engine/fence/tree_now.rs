//! The work tree as a tree, taken with an index that nothing else uses.

use crate::engine::fence;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::store::{RepoPath, TreeId};

/// The work tree as a tree. The fence's own index stays as it is: what changed since it
/// looked last is for the fence to find.
pub(crate) fn tree_now(repo: &Repo, focused: Option<&LoadedJob>) -> Result<TreeId> {
    let job = focused.map(|job| job.chain.clone());
    repo.trees.answer(job, || taken(repo, focused))
}

fn taken(repo: &Repo, focused: Option<&LoadedJob>) -> Result<TreeId> {
    let index = repo.store.private_index("look");
    let lens = fence::tree::lens(repo, focused)?;
    let base = match repo.store.head()?.commit {
        Some(head) => Some(repo.store.tree_of_commit(&head)?),
        None => None,
    };
    let build = |path: &RepoPath| fence::tree::build_dir(repo, path);
    Ok(repo.store.snapshot(&index, &lens, base.as_ref(), &build)?.tree)
}
