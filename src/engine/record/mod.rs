//! The only writer of a job: steps, journal lines, the archive and what they keep.

pub(crate) mod activity;
pub(crate) mod aftermath;
pub(crate) mod answered;
pub(crate) mod archive;
pub(crate) mod draft;
pub(crate) mod git_mark;
pub(crate) mod heartbeat;
pub(crate) mod history;
pub(crate) mod identity;
pub(crate) mod injection;
pub(crate) mod interactions;
pub(crate) mod journal_line;
pub(crate) mod kept;
pub(crate) mod landing;
pub(crate) mod led_back;
pub(crate) mod made;
mod masked;
pub(crate) mod meant_files;
pub(crate) mod own_clone;
pub(crate) mod own_files;
pub(crate) mod pending_file;
pub(crate) mod refused;
pub(crate) mod replace;
pub(crate) mod rewritten;
pub(crate) mod session_log;
pub(crate) mod step;
pub(crate) mod transition;
