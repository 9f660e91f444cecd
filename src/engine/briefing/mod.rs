//! The text that opens a phase: gathered from the job, pages and plan, then composed.

pub(crate) mod gather;
pub(crate) mod later;
mod said;
pub(crate) mod talk;
pub(crate) mod text;
