//! A person looked at finished work and wants more: one cycle of the same job opens for it.
//!
//! The question was asked on memory that is settled, so its words close the phase. The cycle
//! goes the small lane, in the directories where the work was done.

use crate::engine::boundary::step::Transitioned;
use crate::engine::record::draft::By;
use crate::engine::record::transition::Transition;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::engine::{boundary, record};
use crate::jobs::routing::InteractionKind;
use crate::jobs::{questions, summary};
use crate::verdict::Refusal;

/// Closes the cycle and opens the next one for what the person said. All boundaries that were
/// crossed, in order; one that was stopped on the way is gone on with.
pub(crate) fn reopen(repo: &Repo) -> Result<std::result::Result<Vec<Transitioned>, Refusal>> {
    boundary::cross::finish_pending(repo)?;
    let focused = repo.require_focused()?;
    let mut crossed = Vec::new();
    // The person's own words lie with the job, as the reason of the cycle; a step shows none.
    let name = focused.state.job.kept_name();
    if !repo.rests(&focused.state.stand) {
        let question = question_of(repo, &focused)?.unwrap_or_else(|| name.clone());
        match boundary::cross::cross(repo, &Transition::Review, &question, By::Agent)? {
            Ok(closed) => crossed.push(closed),
            Err(refusal) => return Ok(Err(refusal)),
        }
    } else if let Err(refusal) = focused.state.review.opens_a_cycle() {
        return Ok(Err(refusal));
    }
    let on = Transition::Forward { to: None, add_cycle: None, scope: Vec::new() };
    loop {
        let now = repo.require_focused()?;
        let starts = repo.map(&now.state.stand).lane.is_some()
            && now.state.stand.phase == repo.map(&now.state.stand).start;
        if !repo.rests(&now.state.stand) && !starts {
            return Ok(Ok(crossed));
        }
        match boundary::cross::cross(repo, &on, &name, By::Agent)? {
            Ok(next) => crossed.push(next),
            // The cycle is open; what is left is the work of the phase where it stands.
            Err(_) if starts => return Ok(Ok(crossed)),
            Err(refusal) => return Ok(Err(refusal)),
        }
    }
}

/// The question that the person looked at, without its tag; absent where no answer to it came.
fn question_of(repo: &Repo, focused: &LoadedJob) -> Result<Option<String>> {
    for n in (1..=focused.state.job.interactions).rev() {
        let kept = record::interactions::interaction(repo, &focused.chain, n)?;
        let Some(kept) = kept.filter(|kept| kept.kind == InteractionKind::Question) else {
            continue;
        };
        let question = kept.text.rsplit_once(summary::ANSWER).map_or("", |(question, _)| question);
        if let Some(text) = questions::text_of_completion(question) {
            return Ok(Some(focused.state.job.without_prompt(text)));
        }
    }
    Ok(None)
}
