//! Who commits here, as git resolved it where the person's configuration was to be had.
//!
//! Some hosts take the person's configuration away from their shell. A boundary in such a session
//! is the person's commit all the same: it is made in this name, and only where git there knows
//! none. A file below `.git/seed`, written by `init` and when a session starts.

use std::path::PathBuf;

use crate::engine::repo::{Repo, Result};
use crate::store::Identity;
use crate::world;

/// Keeps who commits here; what was known stays where git knows nobody now.
///
/// # Errors
///
/// The file cannot be written.
pub(crate) fn keep(repo: &Repo) -> Result<()> {
    let Some(now) = repo.store.identity() else { return Ok(()) };
    if known(repo).as_ref() != Some(&now) {
        world::write_whole(&file(repo), toml::to_string(&now)?.as_bytes())?;
    }
    Ok(())
}

/// Who commits here, as it was kept.
pub(crate) fn known(repo: &Repo) -> Option<Identity> {
    // A memory: without it git says whom it misses.
    let bytes = world::read_plain(&file(repo)).ok()?;
    // As above.
    toml::from_str(&String::from_utf8(bytes).ok()?).ok()
}

fn file(repo: &Repo) -> PathBuf {
    repo.store.seed_dir().join("identity.toml")
}
