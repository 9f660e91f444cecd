//! The steps of a job, newest first.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::engine::repo::text::rfc3339;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::format::trailers::StepTrailers;
use crate::store::Step;

/// One row of `log --json`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct LogRow {
    pub id: String,
    pub job: String,
    pub run: u32,
    pub cycle: u32,
    pub phase: String,
    pub step: String,
    pub commit: Option<String>,
    pub at: String,
    pub subject: String,
    /// Why it fell where two chains were joined, in one word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rejected: Option<String>,
}

/// The steps of a job, newest first, at most `limit`; those that fell are among them, and say so.
pub(crate) fn log(repo: &Repo, focused: &LoadedJob, limit: usize) -> Result<Vec<LogRow>> {
    let steps = repo.store.history_with_fallen(&focused.tip.commit, limit)?;
    Ok(steps.iter().filter_map(log_row).collect())
}

fn log_row(step: &Step) -> Option<LogRow> {
    let trailers = StepTrailers::read(&step.message)?;
    let first = step.message.lines().next().unwrap_or_default();
    let subject = first.strip_prefix(&format!("{}: ", trailers.step)).unwrap_or(first).to_owned();
    Some(LogRow {
        id: trailers.id,
        job: trailers.job,
        run: trailers.run,
        cycle: trailers.cycle,
        phase: trailers.phase,
        step: trailers.step,
        commit: trailers.commit,
        at: rfc3339(step.at),
        subject,
        rejected: step.rejected.clone(),
    })
}

/// The paths that commits of the job's run changed; none where one of them is not in this
/// repository.
pub(crate) fn own_paths(repo: &Repo, job: &LoadedJob) -> Result<Option<BTreeSet<String>>> {
    let run = job.state.job.run;
    let mut own: BTreeSet<String> = BTreeSet::new();
    let stands = |step: &LogRow| step.run == run && step.rejected.is_none();
    for step in log(repo, job, usize::MAX)? {
        let Some(commit) = step.commit.as_deref().filter(|_| stands(&step)) else { continue };
        let Some((before, after)) = repo.store.trees_around(commit)? else { return Ok(None) };
        own.extend(repo.store.paths_between(&before, &after, usize::MAX)?);
    }
    Ok(Some(own))
}
