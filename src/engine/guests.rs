//! Which session gives a command, told by the processes above it, where another one drives the job.
//!
//! A hook knows its session by name; a command knows only what stands above it. What cannot be told
//! counts as the driver's: nobody's own work is refused on a guess.

use crate::engine::record;
use crate::engine::repo::sessions::is_same;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::event::Event;
use crate::format::journal::{Refused, What};
use crate::format::state::Driver;
use crate::hosts::{self, Answer};
use crate::jobs::routing::{self, Route};
use crate::jobs::shortword::ShortWord;
use crate::phases::commands;
use crate::store::Lock;
use crate::voice::{Notice, tell};
use crate::world::{self, Process};

/// The session that drives a job, where this command is given by another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OtherDriver {
    /// Its client, as people know it.
    pub title: String,
}

/// What a session is told that does not drive the job and gives a command which changes something.
/// It is kept for `why`, and costs the job nothing.
///
/// # Errors
///
/// The job or a session does not read.
pub(crate) fn refused(repo: &Repo) -> Result<Option<String>> {
    let Some(focused) = repo.focused()? else { return Ok(None) };
    let Some(driver) = other_driver(repo, &focused)? else { return Ok(None) };
    let (refusal, phase) = (commands::of_a_guest(&driver.title), repo.row(Some(&focused)));
    // A no stays a no where its line cannot be written.
    let _ = record::journal_line::note(repo, Some(&focused), |line| {
        line.what = What::Refused;
        line.refusal = Some(Refused::of(&refusal, phase.name.as_str()));
        line.guest = true;
    });
    Ok(Some(repo.say(Some(&focused), &refusal, phase.name.as_str())))
}

/// A prompt in a session beside the one that drives: it is no word of that job, and bears none. Who
/// said it hears that, where it would have been work.
pub(crate) fn of_prompt(text: &str, focused: &LoadedJob) -> Answer {
    if routing::route(text, true, None, false) != Route::Bear {
        return Answer::silence();
    }
    let facts = [("job", focused.state.job.name.as_str())];
    let to_person = Some(tell(Notice::PromptOfGuest, &facts));
    Answer { to_person, ..Answer::context(tell(Notice::PromptOfGuestToAgent, &facts)) }
}

/// Of two prompts at the same moment one bears the job, and the other one is said to it: from the
/// look at the focus on nobody else takes a step.
pub(crate) fn alone(repo: &Repo, text: &str) -> Result<Option<Lock>> {
    let bears = || match repo.rules.short_word(text) {
        Some((word, _)) => {
            matches!(word, ShortWord::Quick | ShortWord::Full | ShortWord::Track(_))
        }
        None => routing::route(text, true, None, false) == Route::Bear,
    };
    let keeps = repo.is_seeded()? && repo.rules.mode.keeps_jobs();
    if !keeps || !bears() || repo.store.focus()?.is_some() {
        return Ok(None);
    }
    Ok(Some(repo.store.lock()?))
}

/// The session of `event` does not drive `focused`; where that cannot be told it does.
pub(crate) fn is_one(repo: &Repo, focused: Option<&LoadedJob>, event: &Event) -> bool {
    // Only what is counted depends on it.
    focused.is_some_and(|focused| repo.is_guest(focused, event).unwrap_or_default())
}

/// Who drives `focused`, where this process stands below another agent than that.
///
/// # Errors
///
/// A session does not read.
pub(crate) fn other_driver(repo: &Repo, focused: &LoadedJob) -> Result<Option<OtherDriver>> {
    let driver = &focused.state.driver;
    if driver.session.is_empty() || world::is_played_person() {
        return Ok(None);
    }
    let Some(session) = repo.session(&driver.session)? else { return Ok(None) };
    let Some(process) = session.process.as_ref().filter(|_| session.is_in_view() && session.runs())
    else {
        return Ok(None);
    };
    let above = world::ancestors();
    let known = repo.host_processes();
    let is_agent =
        |up: &&Process| known.iter().any(|one| is_same(one, up)) || is_foreign(driver, up);
    let nearest = above.iter().find(|up| is_same(up, process) || is_agent(up));
    let title = || hosts::row(&driver.host).map_or(driver.host.clone(), |row| row.title.clone());
    Ok(nearest.filter(|up| !is_same(up, process)).map(|_| OtherDriver { title: title() }))
}

/// The program of an agent whose hooks were not heard, and which is not the driver's: of its own
/// kind a second process may belong to the same session.
fn is_foreign(driver: &Driver, up: &Process) -> bool {
    let rows = hosts::names().zip(hosts::marks()).filter(|(name, _)| **name != *driver.host);
    rows.flat_map(|(_, row)| &row.processes).any(|name| world::is_program(up, name))
}
