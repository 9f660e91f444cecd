//! The file below `.git/seed` that names this clone. No ref holds it: no other clone comes by it.

use crate::engine::own_state::{self, Unread};
use crate::store::Store;

pub(crate) fn clone_file(store: &Store) -> std::path::PathBuf {
    store.seed_dir().join("clone")
}

/// The id of this clone; empty while it has none.
pub(crate) fn known_clone(store: &Store) -> Result<String, Unread> {
    let known = own_state::text(&clone_file(store))?;
    Ok(known.map(|id| id.trim().to_owned()).unwrap_or_default())
}

/// The line above what a person approved for a job: it counts in this clone alone.
pub(crate) fn approved_in(clone: &str) -> String {
    format!("# Approved in clone {clone}.")
}
