//! The file below `.git/seed` that names this clone. No ref holds it: no other clone comes by it.

use crate::engine::own_state::{self, Unread};
use crate::format::{names, state};
use crate::store::Store;
use crate::voice::{Notice, tell};

pub(crate) fn clone_file(store: &Store) -> std::path::PathBuf {
    store.seed_dir().join("clone")
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
