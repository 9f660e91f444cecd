//! Changes that no call accounts for, as a job remembers them: path and blob.

use std::collections::BTreeSet;

use crate::engine::repo::{self, Repo};
use crate::format::fold::JournalLines;
use crate::format::short_hash;
use crate::format::state::{State, Unclaimed};
use crate::store::RepoPath;

/// Digits of a blob's mark.
const MARK: usize = 16;

/// Keeps the changes that the journal names, which a step begins anew: they are named until a
/// person takes them over or puts them back, or a boundary looks at the tree.
pub(crate) fn remember(repo: &Repo, state: &mut State, since: &JournalLines) {
    for shown in since.unclaimed() {
        if state.fence.unclaimed.iter().any(|known| known.path == shown) {
            continue;
        }
        // A name that text cannot spell has no file that is found by it.
        let blob = RepoPath::try_from(shown).map(|path| blob_now(repo, &path)).unwrap_or_default();
        state.fence.unclaimed.push(Unclaimed { path: shown.to_owned(), blob });
    }
}

/// The paths that are named as unclaimed: by the job, and by the journal since its last step.
pub(crate) fn named(state: &State, since: &JournalLines) -> BTreeSet<String> {
    let kept = state.fence.unclaimed.iter().map(|one| one.path.as_str());
    kept.chain(since.unclaimed()).map(str::to_owned).collect()
}

pub(crate) fn blob_now(repo: &Repo, path: &RepoPath) -> String {
    let file = path.below(repo.store.work_tree()).ok();
    // A file that is gone or does not read has no hash, and equals no other that is told so.
    let bytes = file.and_then(|file| repo::paths::bytes_of(&file).ok());
    bytes.map(|bytes| short_hash(&bytes, MARK)).unwrap_or_default()
}
