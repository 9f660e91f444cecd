//! Landing a closed job: what would be made, and making it.

pub(crate) mod asked;
pub(crate) mod below;
mod called;
pub(crate) mod differs;
pub(crate) mod land;
pub(crate) mod offer;
mod onto;
pub(crate) mod plan;
pub(crate) mod reverted;
pub(crate) mod trailers;
