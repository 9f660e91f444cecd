//! The file below `.git/seed` that names this clone. No ref holds it, so no other clone comes by it.

use crate::store::Store;

pub(crate) fn clone_file(store: &Store) -> std::path::PathBuf {
    store.seed_dir().join("clone")
}

/// The id of this clone; empty while it has none.
pub(crate) fn known_clone(store: &Store) -> String {
    std::fs::read_to_string(clone_file(store)).unwrap_or_default().trim().to_owned()
}

/// The line above what a person approved for a job: it counts in this clone alone.
pub(crate) fn approved_in(clone: &str) -> String {
    format!("# Approved in clone {clone}.")
}
