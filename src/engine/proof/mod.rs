//! The records of the gate: written, found again, bound to commits, and verified by anybody.

pub mod export;
pub(crate) mod legality;
pub mod records;
pub mod verify;
