//! Whether a job is this clone's own.

use crate::engine::repo::{Repo, Result, clone_file};
use crate::format::state::State;

impl Repo {
    /// True for a job whose steps another clone took, or nobody knows who.
    pub(crate) fn is_foreign(&self, state: &State) -> Result<bool> {
        Ok(state.home.clone != clone_file::known_clone(&self.store)?)
    }
}
