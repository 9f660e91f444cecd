//! Whether a job is this clone's own.

use crate::engine::repo::{Repo, Result, clone_file};
use crate::format::state::State;

impl Repo {
    /// True for a job whose steps another clone took, or nobody knows who.
    pub(crate) fn is_foreign(&self, state: &State) -> Result<bool> {
        let known = clone_file::known_clone(&self.store)?;
        // Behind `uninstall --keep-history` the id waits for the next `init`, and is still its own.
        let left = if known.is_empty() { clone_file::left(&self.store)? } else { None };
        Ok(state.home.clone != left.unwrap_or(known))
    }
}
