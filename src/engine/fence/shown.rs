//! The fence as `git seed status` shows it.

use crate::engine::fence::tree::FenceShown;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::engine::{fence, unclaimed};
use crate::format::fold::JournalLines;
use crate::format::state::Unclaimed;

/// Strays and unclaimed changes as they are remembered, without looking at the tree.
pub(crate) fn fence_shown(repo: &Repo, focused: &LoadedJob) -> Result<FenceShown> {
    let since = repo.read_since(focused)?;
    let mut strays: Vec<String> = focused.state.fence.strays.clone();
    strays.extend(since.strays().map(str::to_owned));
    let unclaimed = unclaimed_now(repo, focused, &since)?;
    let mut unclaimed: Vec<String> = unclaimed.into_iter().map(|one| one.path).collect();
    // Empty before the first cycle.
    if let Ok(before) = focused.state.fence.tree.parse() {
        strays.retain(|path| fence::tree::is_still_changed(repo, &before, path));
        fence::tree::without_built(repo, &mut strays)?;
    }
    strays.extend(fence::fingerprint_restore::print_strays(repo)?);
    for list in [&mut strays, &mut unclaimed] {
        list.sort();
        list.dedup();
    }
    Ok(FenceShown { strays, unclaimed })
}

/// What no call accounts for, with what the journal tells since the last step: all that HEAD does
/// not have as it is, but for files that calls of the agent changed as well.
pub(crate) fn unclaimed_now(
    repo: &Repo,
    focused: &LoadedJob,
    since: &JournalLines,
) -> Result<Vec<Unclaimed>> {
    let mut state = focused.state.clone();
    unclaimed::remember(repo, &mut state, since);
    if state.fence.unclaimed.is_empty() {
        return Ok(Vec::new());
    }
    let mut open = still_open(repo, &state.fence.unclaimed)?;
    let touched = fence::survey::touched(repo, focused, since)?;
    open.retain(|one| !touched.contains(&one.path));
    Ok(open)
}

/// Of changes that nobody claims those that HEAD does not have as they are.
pub(crate) fn still_open(repo: &Repo, unclaimed: &[Unclaimed]) -> Result<Vec<Unclaimed>> {
    let mut open = unclaimed.to_vec();
    if let Some(head) = repo.store.head()?.commit.filter(|_| !open.is_empty()) {
        let head = repo.store.tree_of_commit(&head)?;
        open.retain(|one| fence::tree::is_still_changed(repo, &head, &one.path));
    }
    Ok(open)
}
