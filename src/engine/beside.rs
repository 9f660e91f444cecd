//! Memory in a commit that is followed by what it changes in the product: what of it is the job's,
//! and what somebody else may have put there.

use std::collections::BTreeSet;

use crate::engine::repo::{Repo, Result};
use crate::store::{ChangeId, CommitId, TreeId};
use crate::voice::{Notice, tell};

/// The paths of memory that `commit` changes otherwise than the commits `own` of a job do, oldest
/// first, as far as those are here. `knows` says whether the chain has a change written down.
pub(crate) fn memory(
    repo: &Repo,
    commit: &CommitId,
    own: &[CommitId],
    knows: impl Fn(&ChangeId) -> bool,
) -> Result<Vec<String>> {
    let store = &repo.store;
    // The edge of a shallow clone: nobody knows what it changes.
    let Some(before) = store.tree_before(commit)? else { return Ok(Vec::new()) };
    let tree = store.tree_of_commit(commit)?;
    let mut paths = store.paths_between(&before, &tree, usize::MAX)?;
    paths.retain(|path| repo.is_memory(path));
    if paths.is_empty() || knows(&changed(repo, (&before, &tree), &paths)?) {
        return Ok(Vec::new());
    }
    let mut grounds = Vec::new();
    for one in own {
        let Some(ground) = store.tree_before(one)? else { continue };
        let then = store.tree_of_commit(one)?;
        let theirs: BTreeSet<String> =
            store.paths_between(&ground, &then, usize::MAX)?.into_iter().collect();
        let other: BTreeSet<String> =
            store.paths_between(&then, &tree, usize::MAX)?.into_iter().collect();
        paths.retain(|path| !theirs.contains(path) || other.contains(path));
        grounds.push((ground, then));
    }
    let (Some((from, _)), Some((_, to))) = (grounds.first(), grounds.last()) else {
        return Ok(paths);
    };
    // The same lines, in a file that others changed as well.
    let mut left = Vec::new();
    for path in paths {
        let here = changed(repo, (&before, &tree), std::slice::from_ref(&path))?;
        if here != changed(repo, (from, to), std::slice::from_ref(&path))? {
            left.push(path);
        }
    }
    Ok(left)
}

/// What changes in these files.
fn changed(repo: &Repo, (from, to): (&TreeId, &TreeId), paths: &[String]) -> Result<ChangeId> {
    let only: Vec<String> = paths.iter().map(|path| format!(":(literal){path}")).collect();
    Ok(repo.store.change_id(from, to, &only)?)
}

/// Why a commit is followed, with the paths of memory in it that are not shown to be the job's.
pub(crate) fn told(why: String, paths: &[String]) -> String {
    /// As many paths as a person reads.
    const SHOWN: usize = 3;
    let more = paths.len().saturating_sub(SHOWN);
    let mut shown: Vec<String> = paths.iter().take(SHOWN).cloned().collect();
    shown.extend((more > 0).then(|| format!("and {more} more")));
    let facts = [("why", why.as_str()), ("paths", &*shown.join(", "))];
    if paths.is_empty() { why } else { tell(Notice::StepsBeside, &facts) }
}
