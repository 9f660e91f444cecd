//! What of a difference commits hold already.

use std::collections::BTreeSet;

use crate::claims::Truth;
use crate::engine::repo::{Repo, Result};
use crate::store::TreeId;

/// Marks what commits hold already, where product lies in the work tree that none holds yet: a
/// message is about that.
pub(super) fn mark(repo: &Repo, truth: &mut Truth, tree: &TreeId) -> Result<()> {
    let Some(head) = repo.store.head()?.commit else { return Ok(()) };
    let committed = repo.store.tree_of_commit(&head)?;
    if committed == *tree || truth.files.len() < 2 {
        return Ok(());
    }
    let now = repo.store.paths_between(&committed, tree, usize::MAX)?;
    let now: BTreeSet<String> = now.into_iter().collect();
    if truth.files.iter().any(|file| !file.prose && now.contains(&file.path)) {
        for file in &mut truth.files {
            file.earlier = !now.contains(&file.path);
        }
    }
    Ok(())
}
