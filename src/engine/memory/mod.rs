//! Memory in the work tree: pages, notes, condense, recall, and what one session leaves to the
//! next.

pub(crate) mod breadcrumb;
pub(crate) mod compaction;
pub(crate) mod condense;
pub(crate) mod context;
pub(crate) mod feed;
pub(crate) mod host_notes;
pub(crate) mod joining;
pub(crate) mod lint;
pub(crate) mod note_agents;
pub(crate) mod notes;
pub(crate) mod pages;
pub(crate) mod prune;
pub(crate) mod raw;
pub(crate) mod recall;
pub(crate) mod session_ledger;
pub(crate) mod waiting;
