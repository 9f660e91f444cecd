//! Texts beside the chains: carrying an older repository over, and taking texts away.

pub(crate) mod back;
pub(crate) mod carry;
mod copies;
mod recast;
pub(crate) mod redact;
