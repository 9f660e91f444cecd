//! A time in which git seed did not watch: it was switched off, or HEAD went to another branch.
//!
//! What changed meanwhile is the person's. What the agent had changed before stays its own: a job
//! that lost sight of its work would say that nothing was changed, and commit nothing of it.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::engine::fence;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::format::names;
use crate::phases::place::Place;
use crate::store::{TreeEdit, TreeId};
use crate::world;

/// What the fence looks from behind such a time.
pub(crate) struct Anew {
    /// In place of the tree of the last boundary.
    pub(crate) tree: TreeId,
    /// All that is the person's now.
    persons: Vec<String>,
    /// Declared work changed meanwhile: what ran before it proves nothing.
    pub(crate) changed: bool,
}

impl Anew {
    /// What keeps whose the files are.
    pub(crate) fn edit(&self) -> TreeEdit {
        let persons = self.persons.iter().map(String::as_str);
        let bytes = crate::format::state::write_lines(persons).into_bytes();
        TreeEdit::Put { path: names::PERSONS.to_owned(), bytes }
    }
}

fn left_file(repo: &Repo) -> PathBuf {
    repo.store.seed_dir().join("left").join(repo.store.worktree_name())
}

/// Keeps the work tree as it is, to be compared with in [`taken_anew`].
pub(crate) fn begin(repo: &Repo) -> Result<()> {
    // What another time left there says nothing of this one.
    world::remove_if_there(left_file(repo))?;
    let Some(focused) = repo.focused()? else { return Ok(()) };
    if focused.state.fence.tree.is_empty() {
        return Ok(());
    }
    let tree = fence::tree_now::tree_now(repo, Some(&focused))?;
    if let Some(id) = names::job_of(&focused.chain) {
        repo.store.keep_tree(&names::keep_chain(&id), &tree, repo.now)?;
    }
    Ok(world::write_whole(&left_file(repo), format!("{tree}\n").as_bytes())?)
}

/// The tree that [`begin`] kept, which it keeps no longer.
pub(crate) fn end(repo: &Repo) -> Result<Option<TreeId>> {
    let file = left_file(repo);
    // Where it was not kept, or does not read, nobody knows what changed meanwhile and what before.
    let kept = world::read_plain(&file).ok().map(|bytes| String::from_utf8_lossy(&bytes).into());
    world::remove_if_there(&file)?;
    let kept = kept.and_then(|kept: String| kept.trim().parse::<TreeId>().ok());
    Ok(kept.filter(|tree| repo.store.has_object(tree.as_str())))
}

/// Takes anew what the fence looks from. `left` is the work tree when nobody watched any more;
/// where that is not known, what calls of the agent wrote is the agent's, and all else is the
/// person's.
pub(crate) fn taken_anew(
    repo: &Repo,
    focused: &LoadedJob,
    left: Option<&TreeId>,
) -> Result<Option<Anew>> {
    let Ok(before) = focused.state.fence.tree.parse::<TreeId>() else { return Ok(None) };
    let (touched, scope) =
        (fence::survey::touched(repo, focused, &repo.read_since(focused)?)?, repo.scope(focused)?);
    let mut persons = fence::tree::persons(repo, focused)?;
    let dirty: BTreeSet<String> = fence::tree::dirty_now(repo)?.into_iter().collect();
    let now = fence::tree::snapshot(repo)?;
    let (mut theirs, mut changed) = (BTreeSet::new(), false);
    for change in repo.store.diff_trees(left.unwrap_or(&before), &now)? {
        let shown = change.path.to_string();
        let place = fence::survey::place_of(repo, &shown, &focused.state);
        // What git seed writes for the job is neither side's.
        if place == Place::JobFile {
            continue;
        }
        changed |= fence::after_call::is_work(repo, &shown, &scope, &focused.state);
        let open = dirty.contains(&shown);
        let own = open && touched.contains(&shown);
        // A file of both sides is the agent's to commit, and the commit names it as mixed.
        if open && (!own || left.is_some()) {
            persons.insert(shown);
        }
        if !own {
            theirs.insert(change.path);
        }
    }
    let tree = repo.store.carry_some(&before, &before, &now, &|path| theirs.contains(path))?;
    if let Some(id) = names::job_of(&focused.chain) {
        repo.store.keep_tree(&names::keep_chain(&id), &tree, repo.now)?;
    }
    let persons = persons.into_iter().collect();
    Ok(Some(Anew { tree, persons, changed }))
}
