//! What two clones have of one thing, as one: commits of two tips alone, that every clone makes
//! alike. No ref moves here.

pub(crate) mod archive;
pub(crate) mod chain;
pub(crate) mod shared;
