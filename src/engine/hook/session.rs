//! A session begins or ends, a subagent begins.

use crate::engine::quote::count_words;
use crate::engine::repo::{Repo, Result};
use crate::engine::{briefing, jobs, memory, person, record, starter};
use crate::event::{Event, SessionSource};
use crate::format::journal::{Counts, What};
use crate::hosts::Answer;
use crate::jobs::Status;
use crate::voice::{Notice, tell};

/// A subagent begins: it hears where the work stands, and what it may change.
pub(crate) fn subagent(repo: &Repo, change: impl FnOnce(&mut Counts)) -> Result<Answer> {
    let Some(focused) = repo.focused()? else { return Ok(Answer::silence()) };
    let told = briefing::gather::subagent_text(repo, &focused);
    record::journal_line::note(repo, Some(&focused), |line| {
        line.what = What::Launched;
        change(&mut line.counts);
        if let Some(told) = &told {
            line.counts.tell(count_words(told));
        }
    })?;
    Ok(told.map_or_else(Answer::silence, Answer::context))
}

pub(crate) fn session_start(repo: &Repo, event: &Event, source: &SessionSource) -> Result<Answer> {
    if !repo.is_seeded()? {
        return Ok(Answer::silence());
    }
    repo.require_seeded()?;
    let session = person::sender::begin_session(repo, event)?;
    record::identity::keep(repo)?;
    if session.nested
        && let Some(told) = starter::told_of_loss(repo)
    {
        return Ok(Answer::to_person(told));
    }
    if !session.untold.is_empty() {
        let facts = [("by", session.untold.as_str())];
        return Ok(Answer::to_person(tell(Notice::SessionUntold, &facts)));
    }
    let Some(focused) = repo.focused()? else { return jobs::unattended::good_morning(repo) };
    if focused.state.is_small_talk() {
        return Ok(Answer::silence());
    }
    let guest = repo.is_guest(&focused, event)?;
    if guest {
        return Ok(Answer::context(tell(Notice::SessionOfGuest, &[])));
    }
    record::journal_line::note(repo, Some(&focused), |line| {
        line.what = What::Session;
        line.session.clone_from(&event.session);
        source.word().clone_into(&mut line.tool);
        // What was read is out of mind after a clear; subagents ended with their session.
        line.counts.activity.settle();
        line.counts.activity.flights.clear();
        line.counts.activity.running.clear();
        memory::context::begins(
            &mut line.counts,
            memory::context::gauge(&focused),
            source,
            repo.now,
        );
    })?;
    let told = briefing::gather::wake_text(repo, &focused, *source == SessionSource::Resume);
    let mut text = format!("{}\n{told}", tell(Notice::SessionWithJob, &[]));
    if let Some(filling) = memory::compaction::filling_at_start(repo, &focused, event)? {
        text = format!("{text}{filling}\n");
    }
    record::journal_line::count_injected(repo, &focused, &text)?;
    Ok(Answer::context(text))
}

/// Small talk ends with its session; anything that began goes on with the next one.
pub(crate) fn session_end(repo: &Repo, event: &Event) -> Result<Answer> {
    if !repo.is_seeded()? {
        return Ok(Answer::silence());
    }
    let own = repo.is_own_session(event)?;
    let focused = repo.focused()?.filter(|_| own);
    if focused.as_ref().is_some_and(|focused| focused.state.driver.session == event.session) {
        record::journal_line::commands_ended(repo, event, 0)?;
    }
    if let Some(focused) = focused.filter(|focused| focused.state.driver.session == event.session)
        && focused.state.is_small_talk()
        && focused.state.job.status == Status::Active
    {
        jobs::lifecycle::void(repo, &focused, &tell(Notice::SubjectSessionEnded, &[]))?;
    }
    person::sender::end_session(repo, event)?;
    Ok(Answer::silence())
}
