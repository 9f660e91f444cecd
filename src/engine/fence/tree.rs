//! The tree fence: how it looks at the work tree, and the tree that a cycle begins with.
//!
//! Trees are compared, never the flags of the person's index. The fence's own index lies below
//! `.git/seed/`.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::format::names;
use crate::store::{Lens, Pins, RepoPath, ToolDir, TreeId};
use crate::world;

/// Takes the work tree as it is for what the fence compares with from now on.
pub(crate) fn snapshot(repo: &Repo) -> Result<TreeId> {
    let focused = repo.focused()?;
    let lens = lens(repo, focused.as_ref())?;
    // Empty before the first cycle.
    let base = focused.and_then(|focused| focused.state.fence.tree.parse().ok());
    let build = |path: &RepoPath| build_dir(repo, path);
    Ok(repo.store.snapshot(&repo.private_index(), &lens, base.as_ref(), &build)?.tree)
}

/// How the fence looks at the work tree: by the excludes, the attributes and the settings
/// of the cycle's beginning. A job that began its cycle before they were kept is looked
/// at by those of now.
pub(crate) fn lens(repo: &Repo, focused: Option<&LoadedJob>) -> Result<Lens> {
    let Some(focused) = focused else { return Ok(Lens::default()) };
    let Some(excludes) = repo.store.file(&focused.tip, names::EXCLUDES)? else {
        return Ok(Lens::default());
    };
    // Pinned with the excludes; a repository without attributes has none.
    let attributes = repo.store.file(&focused.tip, names::ATTRIBUTES)?.unwrap_or_default();
    let fence = &focused.state.fence;
    // Empty in a job of an older git seed.
    let began = fence.began.parse::<TreeId>().ok();
    Ok(repo.store.lens(&Pins { excludes, attributes }, began.as_ref())?.loose(fence.loose))
}

/// The directory that a tool makes in which `path` lies.
pub(crate) fn build_dir(repo: &Repo, path: &RepoPath) -> Option<ToolDir> {
    let rows = repo.rules.companions();
    let dir = rows.build_dir(path.to_str()?)?;
    Some(ToolDir { dir: RepoPath::try_from(dir).ok()?, cache: rows.is_cache(dir) })
}

/// The work tree as a cycle finds it.
pub(crate) fn begin_fence(repo: &Repo) -> Result<Beginning> {
    let mut persons: BTreeSet<String> = dirty_now(repo)?.into_iter().collect();
    let pins = repo.store.pins()?;
    let lens = repo.store.lens(&pins, None)?;
    let build = |path: &RepoPath| build_dir(repo, path);
    let index = repo.private_index();
    // What the last cycle knew of ignored files ends with it.
    world::remove_if_there(&index)?;
    let head =
        repo.store.head()?.commit.map(|head| repo.store.tree_of_commit(&head)).transpose()?;
    let tree = repo.store.snapshot(&index, &lens, head.as_ref(), &build)?.tree;
    // Trees are compared as well: flags of the person's index hide nothing.
    if let Some(head) = head {
        persons.extend(
            repo.store.diff_trees(&head, &tree)?.iter().map(|change| change.path.to_string()),
        );
    }
    Ok(Beginning { tree: tree.to_string(), persons: persons.into_iter().collect(), pins })
}

/// What the person had in the tree when the cycle began.
pub(crate) fn persons(repo: &Repo, focused: &LoadedJob) -> Result<BTreeSet<String>> {
    // A tree that was clean when the cycle began left no such file.
    let bytes = repo.store.file(&focused.tip, names::PERSONS)?.unwrap_or_default();
    Ok(crate::format::state::read_lines(&bytes).into_iter().collect())
}

/// What differs from HEAD now: everything of it is the person's.
pub(crate) fn dirty_now(repo: &Repo) -> Result<Vec<String>> {
    Ok(repo.store.status()?.iter().map(|standing| standing.path.to_string()).collect())
}

/// True when `path` is not what it was in `tree`.
pub(crate) fn is_still_changed(repo: &Repo, tree: &TreeId, path: &str) -> bool {
    let Ok(path) = RepoPath::try_from(path) else { return true };
    // What cannot be compared stays named: nothing is forgotten by accident.
    !repo.store.is_as_in(tree, &path).unwrap_or(false)
}

/// Of these paths, those that lie where a tool makes its directories and that git ignores:
/// nobody is asked about them.
pub(crate) fn without_built(repo: &Repo, paths: &mut Vec<String>) -> Result<()> {
    let build = |path: &RepoPath| build_dir(repo, path);
    let named =
        |path: &String| RepoPath::try_from(path.as_str()).ok().filter(|path| build(path).is_some());
    let candidates: Vec<RepoPath> = paths.iter().filter_map(named).collect();
    if !candidates.is_empty() {
        let free = repo.store.free(candidates, &build)?;
        paths.retain(|path| named(path).is_none_or(|path| !free.holds(&path)));
    }
    Ok(())
}

/// The work tree when a cycle begins.
pub(crate) struct Beginning {
    pub(crate) tree: String,
    /// What differs from HEAD: the person's.
    pub(crate) persons: Vec<String>,
    pub(crate) pins: Pins,
}

#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct FenceShown {
    pub strays: Vec<String>,
    pub unclaimed: Vec<String>,
}
