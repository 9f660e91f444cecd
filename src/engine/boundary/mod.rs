//! The step from one phase to the next: judged, committed, recorded.

pub(crate) mod added_up;
pub(crate) mod ahead;
pub(crate) mod commit;
pub(crate) mod cross;
pub(crate) mod declare;
pub(crate) mod draft;
pub(crate) mod hooked;
pub(crate) mod judge;
pub(crate) mod ledger;
pub(crate) mod pending;
pub(crate) mod reopen;
pub(crate) mod review;
pub(crate) mod seal;
pub(crate) mod secrets;
pub(crate) mod size;
pub(crate) mod small;
pub(crate) mod step;
