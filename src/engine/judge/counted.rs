//! How files that changed are counted where a person is told of them.

use crate::engine::fence;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::phases::place::Place;
use crate::store::{LinesChanged, RepoPath, TreeId};

/// Counts a file that lies elsewhere now once, with the lines that came and went on the way: as git
/// shows a rename.
pub(super) fn as_moves(
    repo: &Repo,
    (before, after): (&TreeId, &TreeId),
    files: &mut Vec<LinesChanged>,
) -> Result<()> {
    if files.len() < 2 {
        return Ok(());
    }
    for (was, now) in repo.store.moved(before, after)? {
        let at = |path: &RepoPath| files.iter().position(|file| file.path == *path);
        let (Some(old), Some(new)) = (at(&was), at(&now.path)) else { continue };
        files[new] = now;
        files.remove(old);
    }
    Ok(())
}

/// How many files of the project calls of the agent changed since the last step that HEAD does not
/// have as they are: where no commit takes them, nobody may be told that nothing changed.
pub(super) fn open_files(repo: &Repo, focused: &LoadedJob) -> Result<usize> {
    let state = &focused.state;
    // Before the first step nothing is watched.
    if state.fence.tree.is_empty() {
        return Ok(0);
    }
    let touched = fence::survey::touched(repo, focused, &repo.read_since(focused)?)?;
    let is_work = |path: &String| {
        let place = fence::survey::place_of(repo, path, state);
        matches!(place, Place::Project { .. }) && place.is_direct(path)
    };
    let paths: Vec<String> = touched.into_iter().filter(is_work).collect();
    Ok(fence::foreign_commits::in_no_commit(repo, &paths)?.len())
}
