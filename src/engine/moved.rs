//! A repository, or a linked worktree, that was moved or copied since `init`: found by `doctor`.
//!
//! What was moved goes on by itself, for the record of `init` is read with the paths of now. What
//! was copied has the clone id of its original, and two clones of one id could give one id to two
//! steps: the copy gets one of its own.

use std::path::PathBuf;

use crate::engine::finding::Finding;
use crate::engine::repo::clone_file::{clone_file, known_clone};
use crate::engine::repo::{Repo, Result};
use crate::store::Store;
use crate::voice::Found;
use crate::world;

/// The repository that this one is a copy of, if it still is where this one was copied from.
pub(crate) fn original(repo: &Repo) -> Result<Option<PathBuf>> {
    let Some(then) = repo.was_at()? else { return Ok(None) };
    let id = known_clone(&repo.store)?;
    // What is no repository any more was moved, or is gone.
    let Ok(there) = Store::discover(&then) else { return Ok(None) };
    let is_same = there.common_dir() == repo.store.common_dir();
    // One whose id does not read has none that could be the same.
    let has_it = known_clone(&there).is_ok_and(|known| known == id);
    Ok((!is_same && !id.is_empty() && has_it).then_some(then))
}

/// The id that stays with the history behind `uninstall`, so that the jobs are this clone's own
/// where git seed comes back. A copy has that of its original.
pub(crate) fn id_that_stays(repo: &Repo) -> Option<String> {
    let own = matches!(original(repo), Ok(None));
    // What does not read is no id.
    known_clone(&repo.store).ok().filter(|id| own && !id.is_empty())
}

pub(crate) fn examine(repo: &Repo, found: &mut Vec<Finding>) {
    match original(repo) {
        Ok(Some(of)) => {
            let of = of.display().to_string();
            found.push(Finding::of(Found::Copied, &[("of", &of)]));
        }
        Ok(None) => {
            // A record that does not read has its own finding.
            if let Ok(Some(then)) = repo.was_at() {
                let then = then.display().to_string();
                found.push(Finding::of(Found::Moved, &[("from", &then)]));
            }
        }
        Err(error) => found.push(Finding::trouble(Found::StateTrouble, &error)),
    }
    if let Some(then) = repo.store.is_looked_for() {
        let then = then.display().to_string();
        found.push(Finding::of(Found::WorktreeMoved, &[("from", &then)]));
    }
}

/// Gives a copy a clone id of its own, and says of what it is one. Whoever calls writes the record
/// of `init` anew, which says where it is.
pub(crate) fn renewed(repo: &Repo) -> Result<Option<String>> {
    let Some(of) = original(repo)? else { return Ok(None) };
    renew(repo)?;
    Ok(Some(of.display().to_string()))
}

/// Gives this clone another id: its repository was copied, and the other one has the first.
fn renew(repo: &Repo) -> Result<()> {
    let _lock = repo.store.lock()?;
    let known = known_clone(&repo.store)?;
    let mut id = known.clone();
    while id == known {
        id = world::new_clone_id(repo.store.common_dir());
    }
    Ok(world::Whole::private().write(&clone_file(&repo.store), format!("{id}\n").as_bytes())?)
}
