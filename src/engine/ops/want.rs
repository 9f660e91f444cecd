//! Where places are to stand at the end of a way over operations.

use std::collections::BTreeMap;

use crate::format::{names, ops};
use crate::store::{CommitId, Stood};

/// Where a place is to stand, and the archive of that time.
#[derive(Clone, Debug)]
pub(super) struct Want {
    pub stood: Option<Stood>,
    pub archive: Option<CommitId>,
    /// It was a sync that moved it: it goes where it stood, and no step says so.
    pub resets: bool,
    /// Where syncs on the way left it.
    pub brought: Vec<CommitId>,
}

pub(super) type Wants = BTreeMap<String, Want>;

/// The place of the archive.
pub(super) fn archive_place() -> String {
    ops::place(names::ARCHIVE).unwrap_or_default()
}
