//! Where a look makes what it needs, if nothing can be stored in the repository.

use std::io;
use std::path::Path;

use crate::world::Scratch;

/// Nothing can be stored in the repository.
pub(super) struct Elsewhere {
    /// Nothing where no place for it is found.
    pub(super) scratch: Option<Scratch>,
    /// What the system said where something was to be stored.
    pub(super) refused: io::Error,
}

impl Elsewhere {
    /// The same refusal, in the system's words.
    pub(super) fn refusal(&self) -> io::Error {
        let Self { refused, .. } = self;
        refused.raw_os_error().map_or(refused.kind().into(), io::Error::from_raw_os_error)
    }
}

pub(super) fn is_denied(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied)
}

/// The system lets this process make files in `dir`.
#[cfg(unix)]
pub(super) fn may_change(dir: &Path) -> io::Result<()> {
    use rustix::fs::{Access, access};
    Ok(access(dir, Access::WRITE_OK)?)
}

#[cfg(not(unix))]
#[allow(clippy::unnecessary_wraps, reason = "other systems are not asked")]
pub(super) fn may_change(_dir: &Path) -> io::Result<()> {
    Ok(())
}
