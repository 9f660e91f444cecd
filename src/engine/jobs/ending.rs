//! How the last cycle of a job closes: with the person's word, or where none was to be had.

use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::engine::{jobs, record};
use crate::format::journal::{Line, What};
use crate::jobs::Status;
use crate::jobs::ending::only_rests;
use crate::jobs::routing::{self, InteractionKind};
use crate::jobs::summary;
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
fn last_prompt(repo: &Repo, focused: &LoadedJob) -> Result<Option<String>> {
    let number = focused.state.job.interactions;
    let said = record::interactions::interaction(repo, &focused.chain, number)?;
    let said = said.filter(|said| said.kind == InteractionKind::Prompt);
    Ok(said.map(|said| said.text.to_string()))
}

/// The words of a person want the work to rest for a while, and do not call it off.
pub(crate) fn rests_by(said: &str) -> bool {
    only_rests(said) && !stop::calls_off(said)
}

/// The person's last words let the turn go with the work open: they want it to rest, or only ask
/// something, and nothing was changed since.
pub(crate) fn lets_go(repo: &Repo, focused: &LoadedJob) -> Result<bool> {
    let said = last_prompt(repo, focused)?.filter(|_| !focused.state.is_closing());
    let Some(said) = said else { return Ok(false) };
    if rests_by(&said) {
        return Ok(true);
    }
    if !routing::only_asks(&said) || focused.state.steps != focused.state.turn {
        return Ok(false);
    }
    is_as_it_was(repo, focused)
}

/// No file changed since the last step.
fn is_as_it_was(repo: &Repo, focused: &LoadedJob) -> Result<bool> {
    let since = repo.read_since(focused)?;
    let changed = |line: &Line| line.what == What::After && !line.paths.is_empty();
    Ok(!since.lines.iter().any(|linked| changed(&linked.line)))
}

/// The person answered a question about what the work waits for, and nothing changed since.
pub(crate) fn asked_to_wait(repo: &Repo, focused: &LoadedJob) -> Result<bool> {
    let number = focused.state.job.interactions;
    let said = record::interactions::interaction(repo, &focused.chain, number)?;
    let waits = said.is_some_and(|said| {
        let text = said.text.trim_start();
        said.kind == InteractionKind::Question
            && text.starts_with("[WAITING]")
            && text.contains(summary::ANSWER)
    });
    Ok(waits && is_as_it_was(repo, focused)?)
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
