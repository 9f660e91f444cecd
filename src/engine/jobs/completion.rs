//! When a job may be complete, and the step that completes it.

use crate::claims::record::Approval;
use crate::engine::record;
use crate::engine::record::draft::{By, Journaling, StepDraft};
use crate::engine::records;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::format::journal::What;
use crate::format::state::State;
use crate::jobs::landing::Offer;
use crate::jobs::merging::COMPLETION;
use crate::jobs::{Status, questions};
use crate::memory::words;
use crate::phases::gates;
use crate::phases::review::Review;
use crate::rules::Landing;
use crate::verdict::Refusal;
use crate::voice::{Notice, tell};

/// What is told of an objective that observe will not take, where it is shorter.
pub(crate) fn objective_is_short(repo: &Repo, focused: &LoadedJob) -> Option<String> {
    let (state, row) = (&focused.state, repo.row(Some(focused)));
    let asked = state.stand.cycle <= 1 && row.exit.iter().any(|gate| gate == "objective");
    let floor = gates::OBJECTIVE_WORDS;
    let words = words::count(&state.job.objective);
    let facts = [("words", &*words.to_string()), ("floor", &*floor.to_string())];
    (asked && words < floor as usize).then(|| tell(Notice::ObjectiveShort, &facts))
}

/// May the job end in this cycle?
pub(crate) fn eligible(repo: &Repo, focused: &LoadedJob) -> bool {
    let state = &focused.state;
    // Which cycle is the last one is not known where the document does not read: it is not this.
    let lets = || {
        repo.plan_total(focused).is_ok_and(|total| state.plan.eligible(state.stand.cycle, total))
    };
    questions::may_be_last(repo.map(&state.stand).decides(), lets)
}

/// A person's approval, and the completion that it allows: one step, so that no kill leaves a job
/// that is approved and goes on.
pub(crate) fn complete(
    repo: &Repo,
    chain: &str,
    fold: Journaling,
    may: impl Fn(&State) -> Result<std::result::Result<(), Refusal>>,
) -> Result<std::result::Result<LoadedJob, Refusal>> {
    let now = repo.now;
    let completed = record::step::step(repo, chain, fold, |state, _| {
        if let Err(refusal) = may(state)? {
            return Ok(Err(refusal));
        }
        state.job.user_approval = true;
        state.job.become_(Status::Completed, now)?;
        state.review = Review::Unasked;
        state.land = match repo.rules.landing {
            Landing::Ask => Offer::Open,
            Landing::ByHand => Offer::None,
        };
        let subject = tell(Notice::SubjectApproved, &[]);
        Ok(Ok(StepDraft::new(state, COMPLETION, subject, By::Person)))
    })?;
    Ok(completed.map(|taken| taken.focused))
}

/// Has the approval signed that `done` was completed with, once no lock is held. An approval stands
/// without it: what cannot be recorded is told in the journal.
pub(crate) fn sign(repo: &Repo, done: &LoadedJob) -> Result<()> {
    let approval = Approval {
        job: done.state.job.id.to_string(),
        step: done.state.step.clone(),
        at: done.tip.commit.to_string(),
    };
    if records::sign_approval(repo, approval).is_err() {
        let focused = repo.focused()?;
        record::journal_line::note(repo, focused.as_ref(), |line| line.what = What::Trouble)?;
    }
    Ok(())
}
