//! A prompt as it comes in: a short word, a guest's, a text of the host's own, or work.

use crate::engine::person::spoken::Spoken;
use crate::engine::repo::journal::text_hash;
use crate::engine::repo::text::merged;
use crate::engine::repo::{Repo, Result};
use crate::engine::{claims, closed_paths, git_mark, guests, person, record, starter, unheard};
use crate::event::{Actor, Event};
use crate::format::journal::What;
use crate::hosts::{Answer, Host};
use crate::jobs::shortword::{self, ShortWord};
use crate::voice::{Notice, tell};

/// The most characters of a prompt that are kept with a job.
const PROMPT: usize = 256 * 1024;

pub(crate) fn prompt(
    repo: &Repo,
    host: &Host,
    event: &Event,
    text: &str,
    automation: bool,
) -> Result<Answer> {
    // A step of the prompt's begins the journal anew.
    let unheard = unheard::told(repo, event);
    let may_bear = !automation && event.by == Actor::Main;
    let _alone = if may_bear { guests::alone(repo, text)? } else { None };
    let answer = heard(repo, host, event, text, automation)?;
    if let (Some(told), Some(focused)) = (&unheard, repo.focused()?) {
        record::journal_line::count_injected(repo, &focused, told)?;
    }
    Ok(Answer { context: merged(unheard, answer.context), ..answer })
}

fn heard(repo: &Repo, host: &Host, event: &Event, text: &str, automation: bool) -> Result<Answer> {
    if !repo.is_seeded()? {
        return Ok(Answer::silence());
    }
    repo.require_seeded()?;
    let word = person::sender::word(repo, host, event)?;
    let nobody = !word.is_somebody() && !automation;
    if let Some(told) = nobody.then(|| starter::told_of_loss(repo)).flatten() {
        return Ok(Answer::to_person(told));
    }
    let focused = repo.focused()?;
    // What the person gives up needs no account of what was done for it, and a command of theirs
    // judges for itself.
    let apart =
        matches!(shortword::read(text), Some((ShortWord::Drop(_) | ShortWord::Ok { .. }, _)));
    if let Some(focused) = focused.as_ref().filter(|_| !apart) {
        focused.activity.clone()?;
    }
    let guest = focused.as_ref().map_or(Ok(false), |focused| repo.is_guest(focused, event))?;
    if let Some(focused) = focused.as_ref().filter(|_| automation && !guest) {
        record::journal_line::command_told(repo, focused, text)?;
    }
    let scheduled =
        focused.as_ref().map_or(Ok(false), |focused| repo.was_scheduled(focused, text))?;
    let person = word.is_somebody() && !automation && !scheduled && event.by == Actor::Main;
    if let Some((end, _)) = text.char_indices().nth(PROMPT) {
        let told = tell(Notice::PromptCut, &[("most", &PROMPT.to_string())]);
        let answer = heard(repo, host, event, &text[..end], automation)?;
        return Ok(Answer { to_person: merged(answer.to_person, Some(told)), ..answer });
    }
    if person {
        // What a person opened for git lasts until their next prompt.
        git_mark::close(repo)?;
    }
    if let Some((short, rest)) = repo.rules.short_word(text).filter(|_| person)
        && (word.is_persons() || matches!(short, ShortWord::Ok { .. }))
        && !person::short_words::was_ever_scheduled(repo, text)?
    {
        let spoken = Spoken { event, text, word, guest };
        let answer =
            person::short_words::short_word(repo, &spoken, &short, rest, focused.as_ref())?;
        let behind = person::short_words::behind(repo, rest);
        let answer = Answer { to_person: merged(answer.to_person, behind), ..answer };
        // The reason for a word is no prompt of the job.
        let said = !guest && !short.takes_a_reason();
        return with_closed_paths(repo, event, (rest, said), answer);
    }
    let untold = (person && !word.is_persons() && repo.rules.short_word(text).is_some())
        .then(|| tell(Notice::WordOfUntoldSession, &[]));
    let untold = untold.or_else(|| person::short_words::nearly(text).filter(|_| person));
    if let Some(focused) = focused.as_ref().filter(|_| guest) {
        let answer = if person { guests::of_prompt(text, focused) } else { Answer::silence() };
        return Ok(Answer { to_person: merged(untold, answer.to_person), ..answer });
    }
    let answer =
        person::route::route_prompt(repo, event, text.to_owned(), word, person, focused.as_ref())?;
    let answer = Answer { to_person: merged(untold, answer.to_person), ..answer };
    with_closed_paths(repo, event, (text, person), answer)
}

/// Hears what the words of a person close in their job, and tells how they were read.
fn with_closed_paths(
    repo: &Repo,
    event: &Event,
    (text, said): (&str, bool),
    answer: Answer,
) -> Result<Answer> {
    let closed = if said { closed_paths::hear(repo, event, text)? } else { None };
    Ok(Answer { to_person: merged(answer.to_person, closed), ..answer })
}

/// Logs a prompt by hash and length, and tells the agent what waited for it.
pub(crate) fn prompted(
    repo: &Repo,
    event: &Event,
    text: &str,
    mut answer: Answer,
) -> Result<Answer> {
    if !repo.is_seeded()? {
        return Ok(answer);
    }
    let focused = repo.focused()?;
    record::journal_line::note(repo, focused.as_ref(), |line| {
        line.what = What::Prompt;
        line.session.clone_from(&event.session);
        line.call = text_hash(text);
        line.length = u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
    })?;
    if let Some(focused) = focused.filter(|_| answer.refuse.is_none())
        && let Some(told) = claims::checkers::word_on_tests(repo, &focused, event)
    {
        record::journal_line::count_injected(repo, &focused, &told)?;
        answer.context = merged(answer.context, Some(told));
    }
    also_to_agent(repo, event, answer)
}

/// Where nobody sits at a terminal, a host prints the agent's last words and nothing of ours: what
/// only the person was told there, the agent says as well.
fn also_to_agent(repo: &Repo, event: &Event, answer: Answer) -> Result<Answer> {
    let untold = answer.context.is_none() && answer.refuse.is_none();
    let Some(text) = answer.to_person.as_deref().filter(|_| untold) else { return Ok(answer) };
    // A session that does not read is one of which nothing is known.
    let session = repo.session(&event.session).ok().flatten();
    if !session.is_some_and(|session| session.unattended || session.bare) {
        return Ok(answer);
    }
    let told = tell(Notice::AlsoToPerson, &[("text", text)]);
    if let Some(focused) = repo.focused()? {
        record::journal_line::count_injected(repo, &focused, &told)?;
    }
    Ok(Answer { context: Some(told), ..answer })
}
