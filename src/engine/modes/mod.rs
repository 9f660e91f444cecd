//! One event of a host, by the mode of the clone.
//!
//! In mode full the event goes to the room `hook`. In the others no job is kept: calls and words
//! are judged by one row (`phases/fence.toml`), the words of the person's prompts, and the runs of
//! the session. Mode fence says what it finds. Mode watch writes down what fence would have said,
//! and answers nothing; of the rules of phases it writes down the one that can be told without a
//! job, that the first change of a session waits for a first step.
//!
//! No job is born, no step taken, and nothing is written but below `.git/seed`, and objects that
//! no ref names, where tests ran or words are judged.

pub(crate) mod after;
pub(crate) mod before;
mod new_words;
pub(crate) mod prompt;
pub(crate) mod session;
pub(crate) mod stop;

use crate::engine::repo::{EngineError, Repo, Result};
use crate::engine::{briefing, claims, hook, modes, person, setup};
use crate::event::{Event, EventKind};
use crate::hosts::{Answer, Host};
use crate::jobs::mode::Mode;
use crate::phases::guard;
use crate::voice::{self, Notice};

/// Answers `event`; what this host has no place for in it waits for the next one that has.
pub(crate) fn answer(repo: &Repo, host: &Host, event: &Event) -> Answer {
    // A person ends it by their word also where nothing else of a prompt could be kept.
    if matches!(event.kind, EventKind::Prompt { .. })
        && let Err(error) = repo.require_readable()
        && !error.is_chosen()
        && repo.is_on()
    {
        return beyond(repo, host, event, &error);
    }
    let new = new_words::of(repo, host, event);
    let answer = answer_now(repo, host, new.as_ref().unwrap_or(event));
    new_words::keep(repo, host, event, &answer);
    if let EventKind::Before(call) = &event.kind
        && answer.refuse.is_none()
        && !guard::looks_as(&call.act, |command| repo.line(command))
        // A lock or a pipe in its place is told by who meets it.
        && let Err(error) = repo.require_readable()
        && !error.is_chosen()
        && repo.is_on()
    {
        return Answer::refuse(voice::say(&guard::beyond(&error), "").text());
    }
    // Before a tool nothing waits, and nothing is asked that need not be.
    if matches!(event.kind, EventKind::Before(_)) || !repo.is_seeded().unwrap_or(false) {
        return answer;
    }
    briefing::later::through(repo, host, event, answer)
}

fn answer_now(repo: &Repo, host: &Host, event: &Event) -> Answer {
    if repo.rules.mode.keeps_jobs() || !repo.is_on() {
        return hook::answer(repo, host, event);
    }
    let answered = match repo.is_seeded() {
        Ok(true) => {
            setup::heartbeat::beat(repo, host, event);
            by_kind(repo, host, event)
        }
        Ok(false) => Ok(Answer::silence()),
        Err(error) => Err(error),
    };
    let answered = answered.unwrap_or_else(|error| in_trouble(repo, event, &error));
    // A person's word in a prompt may have moved the mode: that room says what goes out.
    let silent = repo.rules.mode == Mode::Watch && !matches!(event.kind, EventKind::Prompt { .. });
    if silent { modes::prompt::only_to_person(answered) } else { answered }
}

/// What is answered where rules or state are not this binary's to read; `repo` is the repository
/// under the shipped rules. Looks pass, changes do not, and the person's word ends it.
pub(crate) fn beyond(repo: &Repo, host: &Host, event: &Event, error: &EngineError) -> Answer {
    if !repo.is_on() || !repo.store.seed_dir().is_dir() {
        return Answer::silence();
    }
    match &event.kind {
        EventKind::Before(call) if guard::looks(&call.act) => Answer::silence(),
        EventKind::Before(_) => Answer::refuse(voice::say(&guard::beyond(error), "").text()),
        EventKind::Prompt { text, automation: false } => {
            let off = person::short_words::off_over_damage(repo, host, event, text);
            match off {
                Ok(Some(answer)) => answer,
                Ok(None) => Answer::to_person(told(error)),
                Err(other) => Answer::to_person(told(&other)),
            }
        }
        // Rules that were a moment ago and do not read any more let no turn end unseen. A host that
        // asks again is let go, and so is a repository that a newer binary wrote.
        EventKind::Stop { again: false, .. } if error.is_damage() => {
            let refuse = Some(voice::say(&guard::unjudged(error), "").text());
            Answer { refuse, to_person: Some(told(error)), ..Answer::silence() }
        }
        _ => Answer::to_person(told(error)),
    }
}

fn by_kind(repo: &Repo, host: &Host, event: &Event) -> Result<Answer> {
    match &event.kind {
        EventKind::Before(call) => modes::before::before(repo, host, event, call),
        EventKind::After { call, outcome } => {
            let given = hook::after::as_given(call);
            let event = claims::started::as_begun(repo, event, call);
            modes::after::after(repo, host, &event, (given.as_ref().unwrap_or(call), outcome))
        }
        EventKind::Prompt { text, automation } => {
            modes::prompt::prompt(repo, host, event, text, *automation)
        }
        EventKind::SessionStart { source } => modes::session::begins(repo, event, source),
        EventKind::SessionEnd { .. } => modes::session::ends(repo, event),
        EventKind::Stop { waiting, .. } => modes::stop::stop(repo, event, *waiting),
        EventKind::SubagentStart { .. }
        | EventKind::SubagentStop { .. }
        | EventKind::Compact { .. }
        | EventKind::Other => Ok(Answer::silence()),
    }
}

/// What is answered when git seed itself could not. Whoever only watches says so to the person, and
/// not at each call; a fence that cannot judge lets looks pass alone.
fn in_trouble(repo: &Repo, event: &Event, error: &EngineError) -> Answer {
    let told = || Answer::to_person(told(error));
    match &event.kind {
        EventKind::Before(_) | EventKind::After { .. } if repo.rules.mode == Mode::Watch => {
            Answer::silence()
        }
        EventKind::Before(call) if error.is_chosen() || error.is_damage() => {
            if guard::looks(&call.act) {
                return told();
            }
            Answer::refuse(voice::say(&guard::unjudged(error), "fence").text())
        }
        _ => told(),
    }
}

fn told(error: &EngineError) -> String {
    voice::tell(Notice::HookTrouble, &[("error", &error.to_string())])
}

/// A call whose payload does not read: a fence refuses it, and whoever watches writes down that it
/// would have been.
pub(crate) fn unread(repo: &Repo, event: &Event, bad: &dyn std::fmt::Display) -> Answer {
    let answer = hook::unread(repo, event, bad);
    if repo.rules.mode == Mode::Watch && answer.refuse.is_some() {
        modes::before::write_down(repo, event);
        return Answer::silence();
    }
    answer
}
