//! One way to replace a file of the work tree.

use std::path::Path;

use crate::engine::repo::{Repo, Result};
use crate::world;

/// Replaces a file of the work tree whole or not at all, keeping its mode; a link stays,
/// and its target is replaced. A killed writer leaves nothing in the work tree where both
/// lie on one file system.
pub(crate) fn replace_file(repo: &Repo, file: &Path, bytes: &[u8]) -> Result<()> {
    Ok(world::Whole::new().drafted_in(repo.store.seed_dir().as_path()).write(file, bytes)?)
}
