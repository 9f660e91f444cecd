//! Memory pages: Markdown files of the person that carry a footer of ours.
//!
//! Bytes in, values out: nothing here reads a disk or knows a phase. The anchors come
//! from the phase map and are handed in, in rank order, wherever they are needed. What
//! a phase may touch is the guard's question; what an edit touches is answered here.

pub mod absorb;
pub(crate) mod anchored;
pub(crate) mod archive;
pub(crate) mod compaction;
pub(crate) mod condense;
pub mod dispatch;
pub mod edit;
pub mod footers;
pub(crate) mod heal;
pub(crate) mod keep;
pub(crate) mod knowledge;
pub(crate) mod lint;
pub mod lock;
pub(crate) mod merge;
pub mod notes;
pub(crate) mod pages;
pub(crate) mod pointers;
pub(crate) mod raw;
pub(crate) mod recall;
pub(crate) mod schema;
pub(crate) mod scope;
pub(crate) mod seen;
pub(crate) mod strip;
pub mod words;

#[cfg(test)]
mod samples;
