//! The file below `.git/seed` that names this clone. No ref holds it: no other clone comes by it.

use std::path::Path;

use crate::engine::own_state::{self, Unread};
use crate::format::{names, state};
use crate::store::Store;
use crate::voice::{Notice, tell};
use crate::world;

pub(crate) fn clone_file(store: &Store) -> std::path::PathBuf {
    store.seed_dir().join("clone")
}

/// Where the id of a clone waits whose history `uninstall` left: the id, and where its git
/// directory was.
const LEFT: &str = "left-clone";

/// Leaves the id of a clone whose history stays, empty where it has none, in a file below
/// `.git/seed`, which it names.
pub(crate) fn leave(store: &Store, id: Option<&str>) -> std::io::Result<Option<&'static str>> {
    let Some(id) = id else { return Ok(None) };
    let text = format!("{id}\n{}\n", place(store));
    world::Whole::private().write(&store.seed_dir().join(LEFT), text.as_bytes())?;
    Ok(Some(LEFT))
}

/// Git seed was taken out here, and the history stayed: a session that began before still calls
/// its hooks.
pub(crate) fn is_left(store: &Store) -> bool {
    let is_there = |file: &Path| file.symlink_metadata().is_ok();
    is_there(&store.seed_dir().join(LEFT)) && !is_there(&clone_file(store))
}

/// The id that was left here. That of a copy is its original's, where that one still has it.
pub(crate) fn left(store: &Store) -> Result<Option<String>, Unread> {
    let Some(text) = own_state::text(&store.seed_dir().join(LEFT))? else { return Ok(None) };
    let (id, then) = text.trim_end().split_once('\n').unwrap_or((text.trim_end(), ""));
    let has_it = |name: &str| {
        // Where no repository is any more, this one was moved.
        let there = std::fs::read_to_string(Path::new(then).join("seed").join(name));
        there.is_ok_and(|there| there.lines().next() == Some(id))
    };
    let is_copy = then != place(store) && ["clone", LEFT].into_iter().any(has_it);
    Ok(Some(id.to_owned()).filter(|id| !id.is_empty() && !is_copy))
}

/// It is this clone's again, or another one is.
pub(crate) fn taken_up(store: &Store) -> std::io::Result<()> {
    world::remove_if_there(store.seed_dir().join(LEFT))
}

/// The git directory, by the name that all its names lead to.
fn place(store: &Store) -> String {
    let dir = store.common_dir();
    world::real(dir).unwrap_or_else(|_| dir.to_owned()).display().to_string()
}

/// The id of this clone; empty while it has none. One that is lost while a job of this clone is in
/// focus is damage: without it the job would pass for another clone's.
pub(crate) fn known_clone(store: &Store) -> Result<String, Unread> {
    let file = clone_file(store);
    match own_state::text(&file)? {
        Some(id) => Ok(id.trim().to_owned()),
        None if lost_clone(store).is_some() => {
            Err(own_state::unread(&file, &tell(Notice::CloneLost, &[])))
        }
        None => Ok(String::new()),
    }
}

/// The id that this clone lost, as a job says that a worktree has in focus.
pub(crate) fn lost_clone(store: &Store) -> Option<String> {
    if clone_file(store).symlink_metadata().is_ok() {
        return None;
    }
    // Where no job reads, none says of whom it is: that is damage of its own.
    let chains = store.in_focus().ok()?;
    chains.into_iter().find_map(|chain| {
        // As above.
        let tip = store.tip(&chain).ok()??;
        // As above.
        let state = state::read(&store.file(&tip, names::STATE).ok()??).ok()?;
        Some(state.home.clone).filter(|id| !id.is_empty())
    })
}

/// The line above what a person approved for a job: it counts in this clone alone.
pub(crate) fn approved_in(clone: &str) -> String {
    format!("# Approved in clone {clone}.")
}
