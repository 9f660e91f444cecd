//! The records of the gate: written, found again, bound to commits, and verified by anybody.

pub(crate) mod approvals;
pub(crate) mod chain;
pub(crate) mod content;
pub mod export;
pub(crate) mod followed;
pub(crate) mod legality;
pub mod records;
pub(crate) mod rerun;
pub(crate) mod texts;
pub mod verify;
