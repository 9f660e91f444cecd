//! The claim that a card shows, and the approvals that it came before or behind.

use crate::claims::record::{Record, RecordKind};
use crate::engine::records::{self, Recorded};
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::format::trailers::StepTrailers;
use crate::jobs::UnixSeconds;
use crate::jobs::merging::COMPLETION;

/// How many records back the job's own are looked for.
const RECENT: usize = 50;

/// The last claim of the job's run that the gate ruled on. One that a person approved, and then
/// took the approval back, was asked about: the next question stands for itself.
pub(super) fn last_claim(repo: &Repo, focused: &LoadedJob) -> Result<Option<Recorded>> {
    let (id, run) = (focused.state.job.id.to_string(), focused.state.job.run);
    let own = |one: &Record| {
        one.kind == RecordKind::VerifyClaim && one.run == run && one.job.as_ref() == Some(&id)
    };
    let Some(last) = records::newest(repo, RECENT, own)? else { return Ok(None) };
    let approved = last_approved(repo, focused)?;
    Ok(Some(last).filter(|last| approved.is_none_or(|approved| last.record.at > approved)))
}

/// What is `told` of the last claim. Where a question is `asked`, and that claim is of a cycle
/// before, the question stands for itself.
pub(super) fn of_cycle(
    repo: &Repo,
    focused: &LoadedJob,
    told: Option<String>,
    asked: bool,
) -> Result<Option<String>> {
    if !asked || told.is_none() {
        return Ok(told);
    }
    let now = focused.state.stand.cycle;
    let is_now = last_claim(repo, focused)?.is_none_or(|last| last.record.cycle >= now);
    Ok(told.filter(|_| is_now))
}

/// When the job's run was approved, where that was taken back since.
fn last_approved(repo: &Repo, focused: &LoadedJob) -> Result<Option<UnixSeconds>> {
    completed(repo, focused, |run| run == focused.state.job.run)
}

/// When the run before this one was approved.
pub(super) fn completed_before(repo: &Repo, focused: &LoadedJob) -> Result<Option<UnixSeconds>> {
    completed(repo, focused, |run| run < focused.state.job.run)
}

/// When the newest of these runs was approved.
fn completed(
    repo: &Repo,
    focused: &LoadedJob,
    of: impl Fn(u32) -> bool,
) -> Result<Option<UnixSeconds>> {
    let steps = repo.store.history_from(&focused.tip.commit, usize::MAX)?;
    let approved = steps.iter().find(|step| {
        StepTrailers::read(&step.message)
            .is_some_and(|said| said.step == COMPLETION && of(said.run))
    });
    Ok(approved.map(|step| step.at))
}
