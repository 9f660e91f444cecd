//! Words by which the work rests for a while, or that speak of a job that rests, and what is told
//! then.

use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::engine::{jobs, record};
use crate::format::journal::{Line, What};
use crate::hosts::Answer;
use crate::jobs::ending::only_rests;
use crate::jobs::routing::{self, InteractionKind};
use crate::jobs::{shortword, summary};
use crate::phases::stop;
use crate::voice::{Notice, tell};

/// Both hear how the work does rest, and that the turn may end.
pub(crate) fn told(repo: &Repo) -> Result<Answer> {
    let told = tell(Notice::RestAgent, &[]);
    // As the step of the prompt left it.
    if let Some(now) = repo.focused()? {
        record::journal_line::count_injected(repo, &now, &told)?;
    }
    let to_person = Some(tell(Notice::RestPerson, &[]));
    Ok(Answer { to_person, ..Answer::context(told) })
}

/// The words of a person want the work to rest for a while, and do not call it off.
pub(crate) fn rests_by(said: &str) -> bool {
    only_rests(said) && !stop::calls_off(said)
}

/// The person's last words let the turn go with the work open: they want it to rest, or only ask
/// something, and nothing was changed since.
pub(crate) fn lets_go(repo: &Repo, focused: &LoadedJob) -> Result<bool> {
    let said = jobs::ending::last_prompt(repo, focused)?.filter(|_| !focused.state.is_closing());
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

/// Words that approve, where a job rests until its person does: they approve nothing and are no
/// work, and the person hears which words do.
pub(crate) fn approves_in_words(repo: &Repo, text: &str) -> Result<Option<Answer>> {
    if !shortword::only_approves(text) {
        return Ok(None);
    }
    let awaiting = jobs::unattended::awaiting(repo)?;
    let told = match awaiting.as_slice() {
        [] => return Ok(None),
        [one] => {
            let job = &one.state.job;
            let facts = [("job", job.name.as_str()), ("id", job.id.as_str())];
            tell(Notice::ApproveInWords, &facts)
        }
        several => jobs::unattended::which_one(several),
    };
    let to_person = Some(format!("git seed: {told}"));
    Ok(Some(Answer { to_person, ..Answer::context(tell(Notice::ApproveInWordsToAgent, &[])) }))
}
