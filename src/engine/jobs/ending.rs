//! How the last cycle of a job closes: with the person's word, or where none was to be had.

use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::engine::{jobs, record};
use crate::jobs::Status;
use crate::jobs::routing::InteractionKind;
use crate::phases::review::{Ending, Review};
use crate::phases::{PhaseKind, stop};

/// The person's last words, where they call the work off. What bore the job calls off none: to put
/// the job before back is its work.
pub(crate) fn called_off(repo: &Repo, focused: &LoadedJob) -> Result<Option<String>> {
    let number = focused.state.job.interactions;
    if number == 1 && !focused.state.job.queued {
        return Ok(None);
    }
    Ok(last_prompt(repo, focused)?.filter(|said| stop::calls_off(said)))
}

/// The person's last words, where they are a prompt.
pub(crate) fn last_prompt(repo: &Repo, focused: &LoadedJob) -> Result<Option<String>> {
    let number = focused.state.job.interactions;
    let said = record::interactions::interaction(repo, &focused.chain, number)?;
    let said = said.filter(|said| said.kind == InteractionKind::Prompt);
    Ok(said.map(|said| said.text.to_string()))
}

/// The last planned cycle was closed without an answer: only the person's word is left.
pub(crate) fn is_finished(repo: &Repo, focused: &LoadedJob) -> bool {
    focused.state.finished && a_person_may_end(repo, focused)
}

/// Between cycles a person ends a job that could have been complete with the last one, whatever
/// was planned after it.
pub(crate) fn a_person_may_end(repo: &Repo, focused: &LoadedJob) -> bool {
    let stand = &focused.state.stand;
    repo.rests(stand)
        && stand.cycle > 0
        && !stand.same_cycle
        && focused.state.job.status == Status::Active
        && jobs::completion::eligible(repo, focused)
}

/// Where the person would be asked whether the job is complete, and nobody is: what they say then
/// is said of finished work.
pub(crate) fn asks_nobody(repo: &Repo, focused: &LoadedJob) -> bool {
    repo.row(Some(focused)).kind == PhaseKind::Consolidation
        && focused.state.job.status == Status::Active
        && jobs::completion::eligible(repo, focused)
        && jobs::unattended::defers(repo, &focused.state)
}

/// Does the cycle close only with a word of the person's? `review` is what became of the question.
pub(crate) fn ending(repo: &Repo, focused: &LoadedJob, review: Review) -> Ending {
    let state = &focused.state;
    let settles = repo.row(Some(focused)).kind == PhaseKind::Consolidation;
    let last =
        settles && state.job.status == Status::Active && jobs::completion::eligible(repo, focused);
    let free = !last
        || jobs::unattended::defers(repo, state)
        || jobs::dependencies::held_up(repo, state).is_some();
    if free { Ending::Free } else { Ending::Asks(review) }
}
