//! Memory pages: Markdown files of the person that carry a footer of ours.
//!
//! Bytes in, values out: nothing here reads a disk or knows a phase. The anchors come
//! from the phase map and are handed in, in rank order, wherever they are needed. What
//! a phase may touch is the guard's question; what an edit touches is answered here.

pub mod absorb;
pub mod archive;
pub mod compaction;
pub mod condense;
pub mod dispatch;
pub mod edit;
pub mod footers;
pub mod heal;
pub mod knowledge;
pub mod lint;
pub mod lock;
pub mod notes;
pub mod pages;
pub mod pointers;
pub mod recall;
pub mod schema;
pub mod scope;
pub mod words;

#[cfg(test)]
mod samples;
