//! How full the agent's context is, by what the host tells of it.

use crate::engine::repo::{LoadedJob, Repo};
use crate::event::SessionSource;
use crate::format::journal::{Counts, Gauge};
use crate::format::state::Compaction;

/// The newest file of the run that is under way.
pub(crate) fn compaction_of(focused: &LoadedJob) -> Option<&Compaction> {
    focused.state.compaction.as_ref().filter(|stand| stand.run == focused.state.job.run)
}

/// The number of the run's newest file; 0 before there is one.
pub(crate) fn newest_compaction(_repo: &Repo, focused: &LoadedJob) -> u32 {
    compaction_of(focused).map_or(0, |stand| stand.seq)
}

/// How full the context was found last.
pub(crate) fn gauge(focused: &LoadedJob) -> Gauge {
    // Over a journal that does not hold, the gauge of the last step is told.
    let since = focused.activity.as_ref().ok().and_then(|counts| counts.gauge);
    since.unwrap_or(focused.state.gauge)
}

/// A session begins: nothing was told yet, and after `source` counts may be stale.
pub(crate) fn begins(counts: &mut Counts, known: Gauge, source: &SessionSource, now: i64) {
    let fresh = if source.forgets() { now } else { known.fresh };
    counts.gauge = Some(Gauge { told: 0, fresh });
}
