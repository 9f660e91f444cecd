//! The refs of jobs, where one went or does not read: the steps that this clone still knows of it,
//! and which of them a job can go on from.

use crate::engine::finding::Finding;
use crate::engine::repo::{Repo, Result};
use crate::format::{names, ops, state};
use crate::store::Stood;
use crate::voice::Found;

/// How many operations back a job is looked for whose ref is gone.
const OPERATIONS: usize = 256;

/// Files of a job's tree that every decision is taken by; a job may lack any of them.
pub(crate) const LISTS: [&str; 4] =
    [names::SCOPE, names::ALLOWED, names::JOB_RULES, names::INJECTION];

/// Puts a job's ref back that is gone while a worktree has the job in focus: no command of ours
/// takes one away there.
pub(crate) fn put_back(repo: &Repo, found: &mut Vec<Finding>) -> Result<()> {
    for chain in repo.store.in_focus()? {
        // One that is there and does not read is set back by itself.
        if !matches!(repo.store.stands_at(&chain), Ok(None)) {
            continue;
        }
        let step = known_steps(repo, &chain).into_iter().find(|id| is_sound(repo, id));
        if let Some(step) = step {
            repo.store.set_back(&chain, &step)?;
            found.push(Finding::of(Found::ChainPutBack, &[("chain", &chain), ("step", &step)]));
        }
    }
    Ok(())
}

/// The steps of a chain that this clone knows, newest first: from its log, and from operations,
/// since git takes the log along with a ref that is deleted.
fn known_steps(repo: &Repo, chain: &str) -> Vec<String> {
    let mut ids = repo.store.reflog(chain);
    let Some(place) = ops::place(chain) else { return ids };
    // Operations that do not read name no step.
    let done = repo.store.history(names::OPS, OPERATIONS).unwrap_or_default();
    for op in done {
        // As above.
        let Ok(tree) = repo.store.tree_of_commit(&op.commit) else { continue };
        // As above.
        if let Ok(Some(Stood::At(step))) = repo.store.stood_in(&tree, &place) {
            ids.push(step.to_string());
        }
    }
    ids.dedup();
    ids
}

/// A step to go back to: its state reads, and so does all that decisions are taken by.
pub(crate) fn is_sound(repo: &Repo, id: &str) -> bool {
    let Ok(commit) = id.parse() else { return false };
    // A commit that does not read is none.
    repo.store
        .file_of_commit(&commit, names::STATE)
        .is_ok_and(|bytes| bytes.is_some_and(|bytes| state::read(&bytes).is_ok()))
        && LISTS.iter().all(|file| repo.store.file_of_commit(&commit, file).is_ok())
}
