//! What of a job that rests is in no commit: one worktree alone has it.

use std::path::Path;

use crate::engine::fence;
use crate::engine::repo::{self, LoadedJob, Repo, Result};
use crate::format::fold::JournalLines;
use crate::format::shown;
use crate::store::{RepoPath, TreeId};
use crate::voice::{Notice, tell};

/// Files that calls of the agent changed in the work tree at `dir`, where `job` was worked on, and
/// that are not there as its last step left them: nowhere else has them.
fn uncommitted(repo: &Repo, job: &LoadedJob, dir: &Path) -> Result<Vec<String>> {
    // Before the first cycle nothing is watched.
    let Ok(tree) = job.state.fence.tree.parse::<TreeId>() else { return Ok(Vec::new()) };
    if !repo.store.has_object(tree.as_str()) {
        return Ok(Vec::new());
    }
    let mut open = Vec::new();
    for path in fence::survey::touched(repo, job, &JournalLines::default())? {
        // A name that git cannot have is in no tree.
        let Ok(named) = RepoPath::try_from(path.as_str()) else { continue };
        // One that is gone, or is no file, has no bytes.
        let now = repo::paths::bytes_of(dir.join(&path)).ok();
        if repo.store.blob_at(&tree, &named)? != now {
            open.push(path);
        }
    }
    Ok(open)
}

/// The same as it is told where the job is paused; empty where there are none.
pub(crate) fn told(repo: &Repo, job: &LoadedJob) -> Result<String> {
    let paths = uncommitted(repo, job, repo.store.work_tree())?;
    let named = shown::all_on_one_line(&paths, ", ");
    Ok(if paths.is_empty() { named } else { tell(Notice::PausedLeft, &[("paths", &named)]) })
}

/// What stays behind in another worktree, where `job` is taken up in this one.
pub(crate) fn left_behind(repo: &Repo, job: &LoadedJob, foreign: bool) -> Result<Option<String>> {
    let home = &job.state.home;
    let from = if home.worktree.is_empty() { &home.rested } else { &home.worktree };
    // Worktrees of another clone are not here, whatever their names.
    let here = foreign || from.is_empty() || *from == repo.store.worktree_name();
    let dir = if here { None } else { repo.store.worktree_dir(from)? };
    let Some(dir) = dir else { return Ok(None) };
    let paths = uncommitted(repo, job, &dir)?;
    let named = shown::all_on_one_line(&paths, ", ");
    let facts = [("paths", &*named), ("dir", &*dir.to_string_lossy())];
    Ok((!paths.is_empty()).then(|| tell(Notice::LeftBehind, &facts)))
}
