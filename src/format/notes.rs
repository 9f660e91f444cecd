//! Lines in `refs/notes/seed`: what a phase commit meant.
//!
//! One self-contained line per record, the sortable key first, so that merging by
//! `cat_sort_uniq` and joining by concatenation do no harm.

use super::state::Unclaimed;
use super::trailers::StepTrailers;
use crate::jobs::UnixSeconds;

/// The record of a step on its phase commit. A message that says that nothing is outstanding
/// does so here; in the commit the section is left out. What nobody claims stands in it by path and
/// blob, as it lay in the tree then.
pub(crate) fn step_line(
    step: &StepTrailers,
    nothing_left: bool,
    unclaimed: &[Unclaimed],
    at: UnixSeconds,
) -> String {
    let mut record = serde_json::json!({
        "at": at, "job": step.job, "run": step.run, "cycle": step.cycle, "phase": step.phase,
        "step": step.step,
    });
    if nothing_left {
        record["outstanding"] = serde_json::json!("none");
    }
    if !unclaimed.is_empty() {
        record["unclaimed"] = serde_json::json!(unclaimed);
    }
    format!("{} step {record}", step.id)
}

/// The Seed-Id and the job of a step's line.
pub(crate) fn step_of(line: &str) -> Option<(&str, String)> {
    let (id, record) = line.split_once(" step ")?;
    let record: serde_json::Value = serde_json::from_str(record).ok()?;
    Some((id, record["job"].as_str()?.to_owned()))
}

/// The record that a commit went through our hook.
pub(crate) fn attest_line(id: &str, commit: &str) -> String {
    format!("{id} attest {}", serde_json::json!({ "commit": commit }))
}

/// The record that the step's commit is another one now.
pub(crate) fn rewritten_line(id: &str, from: &str, commit: &str) -> String {
    format!("{id} rewritten {}", serde_json::json!({ "from": from, "commit": commit }))
}
