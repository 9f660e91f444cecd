//! Who speaks in a session: a person at a host that lives, or nobody who can be named.

use crate::engine::bypasses::{self, Bypass};
use crate::engine::repo::answer::PersonReply;
use crate::engine::repo::lives::Ends;
use crate::engine::repo::sessions::{
    Sender, Session, attendance, is_handed_alike, is_unattended, speaks_for,
};
use crate::engine::repo::{Repo, Result};
use crate::engine::{fence, starter};
use crate::event::{Event, EventKind};
use crate::format::short_hash;
use crate::hosts::{self, Host};
use crate::rules::Unattended;
use crate::world::{self, GitEnvironment, Typist, View};

/// Records the session of `event` with the process that called us.
///
/// While the recorded process of that session runs, only it may record it again.
pub(crate) fn begin_session(repo: &Repo, event: &Event) -> Result<Session> {
    let above = world::ancestors();
    let known = repo.session(&event.session)?.filter(Session::runs);
    let first = known.as_ref().and_then(|known| known.git.clone());
    if let Some(known) = known.filter(|known| !speaks_for(known, &above) || !is_handed_alike(known))
    {
        return Ok(known);
    }
    // While a host of this worktree runs, or may run, its session goes on with the prints it has.
    if repo.prints()?.is_none() || !(repo.is_hosted() || starter::has_lost_one(repo)) {
        fence::fingerprints::take_prints(repo)?;
        fence::looks::forget_looks(repo);
    }
    settle(repo)?;
    let (started, untold) = match starter::starter(repo, &above) {
        Ok(Typist::Person) => (true, String::new()),
        Ok(Typist::Untold(by)) => (true, by),
        Err(_) => (false, String::new()),
    };
    let caller = world::caller(&above);
    // Of a host without a row nothing is known.
    let row = hosts::row(event.host).ok();
    let session = Session {
        host: event.host.to_owned(),
        id: event.session.clone(),
        worktree: repo.store.worktree_name(),
        started: repo.now,
        process: caller.cloned(),
        view: match world::view() {
            View::Of(view) => view.clone(),
            View::Blind => String::new(),
        },
        home: world::variable("HOME").map(Into::into),
        git: Some(first.unwrap_or_else(|| git_environment(row))),
        manner: caller.and_then(world::manner),
        since_ms: caller.and_then(world::started_ms).unwrap_or_else(world::system_ms),
        nested: repo.is_below_another(&above) || !started,
        untold,
        unattended: row.is_some_and(is_unattended),
        bare: row.is_some_and(|row| {
            let started = caller.and_then(world::words_of_start);
            let headless = started.is_some_and(|words| row.is_headless(&words));
            !is_unattended(row) && (headless || attendance(row, &above) == Sender::Unattended)
        }),
        trace: next_trace(repo, event)?,
    };
    if starter::would_hide_a_loss(repo, &session) {
        return Ok(session);
    }
    let text = toml::to_string(&session)?;
    world::write_whole(&repo.session_file(&event.session), text.as_bytes())?;
    Ok(session)
}

/// Sessions run in this worktree, and no approval that is said in one of them counts.
pub(crate) fn is_nobody_heard(repo: &Repo) -> bool {
    let here = repo.store.worktree_name();
    let mut running = repo.recorded().filter(|one| one.worktree == here && one.runs()).peekable();
    repo.rules.unattended == Unattended::Refuse
        && running.peek().is_some()
        && running.all(|one| one.unattended || one.bare)
}

/// How git is run for a session of the host `row`, whose first hook this process is.
fn git_environment(row: Option<&'static Host>) -> GitEnvironment {
    let seen = GitEnvironment::of_this_process();
    match row {
        Some(row) => seen.without(&row.git_settings),
        None => seen,
    }
}

/// Forgets the session of `event`.
pub(crate) fn end_session(repo: &Repo, event: &Event) -> Result<()> {
    if !repo.is_own_session(event)? {
        return Ok(());
    }
    settle(repo)?;
    if let Some(session) = repo.session(&event.session)? {
        write_ends(repo, std::slice::from_ref(&session))?;
    }
    Ok(world::remove_if_there(repo.session_file(&event.session))?)
}

/// Writes down that sessions are over whose hosts ended without a word.
pub(crate) fn settle(repo: &Repo) -> Result<()> {
    write_ends(repo, &repo.died())
}

fn write_ends(repo: &Repo, over: &[Session]) -> Result<()> {
    let (now, first) = (world::system_ms(), world::first_process_ms());
    let add = |mut ends: Ends| {
        for session in over {
            ends.add(session, now, first);
        }
        ends
    };
    let before = repo.ends();
    if add(before.clone()) == before {
        return Ok(());
    }
    let _lock = repo.store.lock()?;
    let text = toml::to_string(&add(repo.ends()))?;
    Ok(world::write_whole(&repo.ends_file(), text.as_bytes())?)
}

/// A trace for the session of `event`: that of the session that it goes on with, where the
/// host says that it does, else a new one.
fn next_trace(repo: &Repo, event: &Event) -> Result<String> {
    let goes_on = matches!(&event.kind, EventKind::SessionStart { source } if source.goes_on());
    let mut before = None;
    if goes_on {
        before = repo.session(&event.session)?;
        // A job that does not read is told by whoever begins the session; its trace begins anew.
        let driver = repo.focused().ok().flatten().map(|focused| focused.state.driver.session);
        if let (None, Some(driver)) = (&before, driver) {
            before = repo.session(&driver)?;
        }
    }
    let kept = before.map(|session| session.trace).filter(|trace| !trace.is_empty());
    Ok(kept
        .unwrap_or_else(|| short_hash(format!("{}\n{}", event.session, repo.now).as_bytes(), 16)))
}

/// Whose word `event` is. A session that nobody recorded, or whose host is gone, is
/// recorded now; one that another process speaks for is nobody's.
pub(crate) fn word(repo: &Repo, host: &Host, event: &Event) -> Result<Sender> {
    let known = repo.session(&event.session)?.filter(Session::runs);
    let session = match known {
        Some(session) => session,
        None => begin_session(repo, event)?,
    };
    let above = world::ancestors();
    if session.nested || !speaks_for(&session, &above) || !is_handed_alike(&session) {
        return Ok(Sender::Nobody);
    }
    if !session.untold.is_empty() {
        return Ok(Sender::Untold);
    }
    Ok(attendance(host, &above))
}

/// Keeps that nobody was seen whose words took effect.
pub(crate) fn keep_unattended(repo: &Repo, word: Sender, words: &str, heard: &PersonReply) {
    if word == Sender::Unattended && matches!(heard, PersonReply::Done(_)) {
        // It has taken effect: where the record does not take it, it lacks it.
        let _ = bypasses::keep(repo, Bypass::Unattended, words);
    }
}
