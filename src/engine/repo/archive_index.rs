//! The rows of closed jobs, as the archive's index has them.

use crate::engine::repo::Repo;
use crate::engine::repo::{EngineError, Result};
use crate::format::archive::{self, ClosedRow};
use crate::format::names;
use crate::format::state::BadState;
use crate::jobs::JobId;
use crate::store::Tip;
use crate::voice::{Notice, tell};

pub(crate) fn unread(path: &str, bad: &serde_json::Error) -> EngineError {
    damaged(path, &bad.to_string())
}

pub(crate) fn damaged(path: &str, why: &str) -> EngineError {
    let bad = BadState::Index(tell(Notice::IndexDamaged, &[("why", why)]));
    EngineError::State { chain: format!("{}: {path}", names::ARCHIVE), bad }
}

impl Repo {
    /// The line of a job in the archive, whether or not it has a ref as well.
    pub(crate) fn archived_row(&self, id: &JobId) -> Result<Option<ClosedRow>> {
        match self.store.tip(names::ARCHIVE)? {
            Some(archived) => self.row_in(&archived, id),
            None => Ok(None),
        }
    }

    pub(crate) fn row_in(&self, archived: &Tip, id: &JobId) -> Result<Option<ClosedRow>> {
        let path = archive::index_file(id);
        // No job of that day is closed: there is no file for it.
        let bytes = self.store.file(archived, &path)?.unwrap_or_default();
        let row = archive::row(&bytes, id).map_err(|bad| unread(&path, &bad))?;
        Ok(row.map(|row| self.store.row_at(row)))
    }
}
