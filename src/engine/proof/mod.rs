//! What anybody can verify: the records of the gate, what they are bound to, and the steps.

pub(crate) mod approvals;
pub(crate) mod chain;
pub(crate) mod content;
pub mod export;
pub(crate) mod followed;
pub(crate) mod legality;
pub(crate) mod rerun;
pub(crate) mod texts;
pub mod verify;
