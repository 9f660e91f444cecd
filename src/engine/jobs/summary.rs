//! Summaries of a job's prompts and answers, in the job's tree: `summaries/<nnnn>.md`.

use crate::engine::record;
use crate::engine::record::draft::{By, Journaling, StepDraft};
use crate::engine::repo::answer::Answered;
use crate::engine::repo::text::rfc3339;
use crate::engine::repo::texts::Entry;
use crate::engine::repo::{EngineError, LoadedJob, Repo, Result};
use crate::format::interaction::Interaction;
use crate::format::names;
use crate::format::state::State;
use crate::format::summary::Kept;
use crate::jobs::{Status, summary};
use crate::secrets::Masked;
use crate::store::TreeEdit;
use crate::voice::{Notice, tell};

/// What is summed up, and what is not.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    pub kept: Vec<Kept>,
    /// The interactions that no summary covers.
    pub open: Vec<(u32, Interaction)>,
    /// The one through which a summary is due.
    pub due: Option<u32>,
}

/// True where the work waits for a summary. A completed job is closed without one: the
/// answer that ended it may have made it due, and the next run begins with it.
pub(crate) fn is_wanted(state: &State) -> bool {
    state.summed.due > 0 && state.job.status != Status::Completed
}

/// Accepts a summary of what was said since the last one.
pub(crate) fn submit_summary(repo: &Repo, text: &str) -> Answered<Kept> {
    let focused = repo.require_focused()?;
    if let Err(bad) = summary::check(text) {
        return Ok(Err(bad.refusal()));
    }
    let mut kept = None;
    let taken = record::step::step(repo, &focused.chain, Journaling::Read, |state, _| {
        let (covered, last) = (state.summed, state.job.interactions);
        let through = if covered.due > 0 { covered.due } else { last };
        if let Err(refusal) = covered.lacks(through) {
            return Ok(Err(refusal));
        }
        // Interactions are only ever added, so the ones that this covers are there.
        let said = words_of(repo, &focused, covered.through + 1..=through)?;
        let rest = covered.words.saturating_sub(said);
        state.summed.summed_up(through, last, rest, repo.rules.summary);
        let one = Kept {
            n: state.summed.summaries,
            covers: [covered.through + 1, through],
            at: rfc3339(repo.store.dated(repo.now)),
            text: Masked::new(text.trim()),
        };
        let put = TreeEdit::Put { path: names::summary(one.n), bytes: one.write().into_bytes() };
        let subject = format!("interactions {} to {through}", covered.through + 1);
        kept = Some(one);
        Ok(Ok(StepDraft::new(state, "summary", subject, By::Agent).with(put)))
    })?;
    match (taken, kept) {
        (Err(refusal), _) => Ok(Err(refusal)),
        (Ok(_), Some(kept)) => Ok(Ok(kept)),
        (Ok(_), None) => Err(EngineError::OnDisk(tell(Notice::SummaryNotKept, &[]))),
    }
}

/// All summaries of a job, and what none of them covers.
pub(crate) fn summaries(repo: &Repo, job: &LoadedJob) -> Result<Chain> {
    let covered = job.state.summed;
    let mut kept = Vec::new();
    for n in 1..=covered.summaries {
        // One whose words are not here sums up nothing.
        let here = repo.counted_text(job, &names::summary(n))?.here();
        kept.extend(here.and_then(|bytes| Kept::read(n, &String::from_utf8_lossy(&bytes))));
    }
    let mut open = Vec::new();
    for n in covered.through + 1..=job.state.job.interactions {
        let here = repo.counted_entry(job, n)?.filter(|entry| entry.gone.is_none());
        if let Some(Entry { said, .. }) = here {
            let at = repo.said_at(job, n, said.at)?;
            open.push((n, Interaction { at, ..said }));
        }
    }
    Ok(Chain { kept, open, due: Some(covered.due).filter(|due| *due > 0) })
}

pub(crate) fn words_of(
    repo: &Repo,
    job: &LoadedJob,
    range: std::ops::RangeInclusive<u32>,
) -> Result<usize> {
    let mut sum = 0;
    for n in range {
        sum += repo.counted_entry(job, n)?.map_or(0, |entry| match entry.gone {
            None => summary::words_said(&entry.said.text),
            Some(_) => entry.words,
        });
    }
    Ok(sum)
}
