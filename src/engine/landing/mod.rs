//! Landing a closed job: what would be made, and making it.

mod called;
pub(crate) mod differs;
pub(crate) mod land;
pub(crate) mod offer;
pub(crate) mod plan;
pub(crate) mod trailers;
