//! What changed around the work, whose it is, and what may be committed.

pub(crate) mod after_call;
pub(crate) mod before_edit;
pub(crate) mod confinement;
pub(crate) mod fingerprint_diff;
pub(crate) mod fingerprint_restore;
pub(crate) mod fingerprints;
pub(crate) mod foreign_commits;
pub(crate) mod looks;
pub(crate) mod opened;
pub(crate) mod restore;
pub(crate) mod shown;
pub(crate) mod surfaces;
pub(crate) mod survey;
pub(crate) mod tree;
pub(crate) mod tree_now;
