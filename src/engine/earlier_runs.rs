//! Runs of the cycle before: where a further one of a small job changed nothing, they stand for it.

use crate::claims::Ran;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::format::trailers::StepTrailers;
use crate::store::TreeId;

/// The newest steps among which those of a cycle are looked for.
const RECENT: usize = 200;

/// A further cycle of a small job.
pub(crate) fn is_further(repo: &Repo, focused: &LoadedJob) -> bool {
    let stand = &focused.state.stand;
    repo.map(stand).lane.is_some() && stand.cycle > 1
}

/// In a further cycle: the last run of tests before it, of all that `ran`, ended well, and on just
/// this `tree`.
pub(crate) fn stand(
    repo: &Repo,
    focused: &LoadedJob,
    tree: &TreeId,
    ran: impl FnOnce() -> Result<Vec<(String, Ran)>>,
) -> Result<bool> {
    if !is_further(repo, focused) {
        return Ok(false);
    }
    let (state, cycle) = (&focused.state, focused.state.stand.cycle);
    let steps = repo.store.history(&focused.chain, RECENT)?;
    let named = steps.iter().map_while(|step| StepTrailers::read(&step.message));
    let here = named.take_while(|step| (step.run, step.cycle) == (state.job.run, cycle)).count();
    let began = state.steps.saturating_sub(u32::try_from(here).unwrap_or(u32::MAX));
    let all = ran()?;
    let earlier = |ran: &&Ran| ran.place.is_some_and(|(step, _)| step <= began);
    let mut runs = all.iter().rev().map(|(_, ran)| ran).filter(|ran| ran.run.is_some());
    let Some(last) = runs.find(earlier) else { return Ok(false) };
    let counted = last.counts.is_none_or(|counts| counts.failed == 0 && !counts.is_nothing());
    let well = !last.failed && last.status.is_none_or(|status| status == 0) && counted;
    Ok(well && last.tree_after.as_deref() == Some(tree.as_str()))
}
