//! The session of a client that runs no hooks: `git seed mcp --phases`.
//!
//! What it does is told by its calls: each leaves a line in the journal, and what changed in the
//! work tree since the last one is the agent's where its phase may change it. All else stays
//! unclaimed, as anywhere. Git's hooks and the boundary are its fence. Its words are work: no
//! person speaks in such a session, so nothing that is said there grants or approves anything.

pub(crate) mod changes;
pub(crate) mod complete;
pub(crate) mod look;
pub(crate) mod start;

use std::path::PathBuf;

use crate::engine::record::draft::{By, Journaling, StepDraft};
use crate::engine::repo::{EngineError, LoadedJob, Repo, Result};
use crate::engine::{modes, record};
use crate::event::{Actor, Event, EventKind};
use crate::format::journal::What;
use crate::format::state::Driver;
use crate::hosts::{self, Host};
use crate::voice::{Notice, tell};
use crate::world;

/// The name of the row.
pub(crate) const HOST: &str = "mcp";

/// One session: a server that runs, and the directory that its client works in.
#[derive(Clone, Debug)]
pub(crate) struct Unhooked {
    pub id: String,
    pub cwd: PathBuf,
}

impl Unhooked {
    /// The session of the server that this process is.
    pub(crate) fn of_this_process(cwd: PathBuf) -> Self {
        let own = world::myself();
        Self { id: format!("{HOST}-{}-{}", own.pid, own.started), cwd }
    }

    /// The session that drives `focused`, where its host runs no hooks.
    fn that_drives(focused: &LoadedJob, cwd: PathBuf) -> Option<Self> {
        let driver = &focused.state.driver;
        (driver.host == HOST).then(|| Self { id: driver.session.clone(), cwd })
    }

    fn event(&self, name: &str, kind: EventKind) -> Event {
        Event {
            host: HOST,
            name: name.to_owned(),
            session: self.id.clone(),
            cwd: self.cwd.clone(),
            by: Actor::Main,
            kind,
            tokens: None,
            transcript: None,
            agent_transcript: None,
            client: None,
            said: None,
            rewritable: None,
            puts_questions: false,
            plans: false,
        }
    }

    fn driver(&self) -> Driver {
        Driver { host: HOST.to_owned(), session: self.id.clone() }
    }
}

fn row() -> Result<&'static Host> {
    hosts::row(HOST).map_err(|bad| EngineError::Setup(bad.to_string()))
}

/// Phases are led here: git seed is in, switched on, and keeps jobs.
fn require_phases(repo: &Repo) -> Result<()> {
    repo.require_seeded()?;
    if !repo.is_on() {
        return Err(EngineError::not_now(Notice::UnhookedOff, &[]));
    }
    if !repo.rules.mode.keeps_jobs() {
        return Err(EngineError::not_now(Notice::UnhookedMode, &[]));
    }
    Ok(())
}

/// The job that this session drives; one that a server drove which is gone is taken over.
///
/// # Errors
///
/// Says whose the job is, or that there is none.
pub(crate) fn own_job(repo: &Repo, own: &Unhooked) -> Result<LoadedJob> {
    let none = || EngineError::not_now(Notice::UnhookedNoJob, &[]);
    let focused = repo.focused()?.ok_or_else(none)?;
    take_over(repo, own, &focused)?;
    repo.require_focused()
}

/// This session drives `focused` from now on, where nobody else may.
fn take_over(repo: &Repo, own: &Unhooked, focused: &LoadedJob) -> Result<()> {
    let driver = &focused.state.driver;
    if *driver == own.driver() {
        return Ok(());
    }
    let job = ("job", focused.state.job.name.as_str());
    let lives = if driver.host == HOST {
        server_runs(&driver.session)
    } else {
        repo.is_live(&driver.session)?
    };
    if lives {
        return Err(EngineError::not_now(Notice::UnhookedOther, &[job]));
    }
    // What its own host would have asked of it must not go away with that host.
    if !driver.host.is_empty() && driver.host != HOST {
        let title = hosts::row(&driver.host).map_or(driver.host.as_str(), |row| &row.title);
        return Err(EngineError::not_now(Notice::UnhookedTheirs, &[job, ("title", title)]));
    }
    let step = record::step::step(repo, &focused.chain, Journaling::Read, |state, _| {
        state.driver = own.driver();
        Ok(Ok(StepDraft::new(state, "driver", tell(Notice::SubjectOtherDriver, &[]), By::Agent)))
    })?;
    debug_assert!(step.is_ok(), "a driver is never refused");
    Ok(())
}

/// This session drives the focused job, or there is none: what it reads is written down.
pub(crate) fn drives(repo: &Repo, own: &Unhooked) -> Result<bool> {
    let focused = repo.focused()?;
    Ok(focused.is_none_or(|focused| focused.state.driver == own.driver()))
}

/// The server of this session runs: its client outlives it, and may start another one.
fn server_runs(id: &str) -> bool {
    let named = id.strip_prefix(HOST).and_then(|rest| rest.strip_prefix('-'));
    let Some((pid, started)) = named.and_then(|rest| rest.split_once('-')) else { return false };
    let running = pid.parse().ok().and_then(world::running);
    running.is_some_and(|process| process.started == started)
}

/// Writes a call of the tool `name` into the journal.
pub(crate) fn note_call(repo: &Repo, own: &Unhooked, name: &str, call: &str) -> Result<()> {
    let focused = repo.focused()?;
    record::journal_line::note(repo, focused.as_ref(), |line| {
        line.what = What::After;
        line.session.clone_from(&own.id);
        name.clone_into(&mut line.tool);
        call.clone_into(&mut line.call);
        line.counts.calls += 1;
    })
}

/// The session is over: small talk ends with it, work waits.
pub(crate) fn end(repo: &Repo, own: &Unhooked) -> Result<()> {
    let kind = EventKind::SessionEnd { reason: String::new() };
    // What it answers is for a host.
    let _ = modes::answer(repo, row()?, &own.event("end", kind));
    Ok(())
}
