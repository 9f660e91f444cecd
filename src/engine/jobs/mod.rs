//! A job's life between its steps: birth, focus, dependencies, runs, plan, completion.

pub(crate) mod archive_check;
pub(crate) mod beside_pause;
pub(crate) mod birth;
pub(crate) mod completion;
pub(crate) mod dependencies;
pub(crate) mod dropping;
pub(crate) mod ending;
pub(crate) mod focus;
pub(crate) mod left;
pub(crate) mod lifecycle;
pub(crate) mod list;
pub(crate) mod modes;
pub(crate) mod new_id;
pub(crate) mod next_run;
pub(crate) mod plan;
pub(crate) mod resume;
pub(crate) mod summary;
pub(crate) mod tracks;
pub(crate) mod turning;
pub(crate) mod unattended;
pub(crate) mod uncommitted;
