//! Lines in `refs/notes/seed`: what a phase commit meant.
//!
//! One self-contained line per record, the sortable key first, so that merging by
//! `cat_sort_uniq` and joining by concatenation do no harm.

use super::state::Unclaimed;
use super::trailers::StepTrailers;
use crate::jobs::UnixSeconds;

/// The record of a step on its phase commit. What nobody claims stands in it by path and
/// blob, as it lay in the tree then.
pub(crate) fn step_line(step: &StepTrailers, unclaimed: &[Unclaimed], at: UnixSeconds) -> String {
    let mut record = serde_json::json!({
        "at": at, "job": step.job, "run": step.run, "cycle": step.cycle, "phase": step.phase,
        "step": step.step,
    });
    if !unclaimed.is_empty() {
        record["unclaimed"] = serde_json::json!(unclaimed);
    }
    format!("{} step {record}", step.id)
}

/// The record that a commit went through our hook.
pub(crate) fn attest_line(id: &str, commit: &str) -> String {
    format!("{id} attest {}", serde_json::json!({ "commit": commit }))
}
