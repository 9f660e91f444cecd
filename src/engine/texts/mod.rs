//! Texts beside the chains: carrying an older repository over, and taking texts away.

pub(crate) mod back;
pub(crate) mod carry;
mod copies;
pub(crate) mod going;
mod recast;
pub(crate) mod redact;
