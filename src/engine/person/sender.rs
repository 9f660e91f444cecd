//! Who speaks in a session: a person at a host that lives, or nobody who can be named.

use crate::engine::fence;
use crate::engine::repo::sessions::{
    Sender, Session, is_handed_alike, is_running, is_unattended, speaks_for,
};
use crate::engine::repo::{EngineError, Repo, Result};
use crate::event::{Event, EventKind};
use crate::format::short_hash;
use crate::hosts::Host;
use crate::world;

/// Records the session of `event` with the process that called us.
///
/// While the recorded process of that session runs, only it may record it again.
pub(crate) fn begin_session(repo: &Repo, event: &Event) -> Result<Session> {
    let above = world::ancestors();
    let known =
        repo.session(&event.session)?.filter(|session| is_running(session.process.as_ref()));
    if let Some(known) = known.filter(|known| !speaks_for(known, &above) || !is_handed_alike(known))
    {
        return Ok(known);
    }
    // While a host of this worktree runs, its session goes on with the prints it has.
    if repo.prints()?.is_none() || !repo.is_hosted() {
        fence::fingerprints::take_prints(repo)?;
        fence::looks::forget_looks(repo);
    }
    let session = Session {
        host: event.host.to_owned(),
        id: event.session.clone(),
        worktree: repo.store.worktree_name(),
        started: repo.now,
        process: world::caller(&above).cloned(),
        home: world::variable("HOME").map(Into::into),
        manner: world::caller(&above).and_then(world::manner),
        nested: repo.is_below_another(&above) || repo.is_detached_from_another(&above),
        unattended: is_unattended(event.host),
        trace: next_trace(repo, event)?,
    };
    let text = toml::to_string(&session).map_err(|error| EngineError::Usage(error.to_string()))?;
    world::write_whole(&repo.session_file(&event.session), text.as_bytes())?;
    Ok(session)
}

/// Forgets the session of `event`.
pub(crate) fn end_session(repo: &Repo, event: &Event) -> Result<()> {
    if !repo.is_own_session(event)? {
        return Ok(());
    }
    match std::fs::remove_file(repo.session_file(&event.session)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
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
    let known =
        repo.session(&event.session)?.filter(|session| is_running(session.process.as_ref()));
    let session = match known {
        Some(session) => session,
        None => begin_session(repo, event)?,
    };
    if session.nested || !speaks_for(&session, &world::ancestors()) || !is_handed_alike(&session) {
        return Ok(Sender::Nobody);
    }
    let value = host.attended.as_deref().and_then(world::variable);
    Ok(match host.is_attended(value.as_deref()) {
        Some(true) => Sender::Attended,
        Some(false) => Sender::Unattended,
        None => Sender::Unknown,
    })
}
