//! Who started a host process: a person, somebody who cannot be told, or an agent.
//!
//! Asked is where another session lives, or lived as the host began; and where the record of one
//! is lost that works on a job, since then nobody can tell whether it lives.

use crate::engine::repo::lives::{host, mark};
use crate::engine::repo::sessions::{Session, is_same};
use crate::engine::repo::{self, Repo, Result};
use crate::format::names;
use crate::hosts::{self, Host};
use crate::voice::{Notice, tell};
use crate::world::{self, Life, Lives, NotAPerson, Process, Typist, View};

/// Who started the host that calls, where another one that a person attends lived here then.
///
/// # Errors
///
/// Says what speaks against a person: code of an agent's that was detached from its shell
/// leads nowhere.
pub(crate) fn starter(repo: &Repo, above: &[Process]) -> Result<Typist, NotAPerson> {
    if let Some(played) = world::played_typist() {
        return Ok(played);
    }
    if *world::view() == View::Blind {
        return Err(NotAPerson::Unseen);
    }
    // Who is not seen may be the host of an agent that puts itself where nobody sees it.
    if repo.recorded().any(|one| one.process.is_some() && !one.is_in_view()) {
        return Err(NotAPerson::OutOfView);
    }
    let Some(caller) = world::caller(above) else { return Ok(Typist::Person) };
    let began = world::started_ms(caller).unwrap_or_else(world::system_ms);
    // Where only unattended sessions run, nobody's word is at stake.
    let own = mark(Some(caller));
    let live = repo.hosted().into_iter();
    let live = live.filter(|one| !one.unattended && mark(one.process.as_ref()) != own);
    let live = live.filter_map(host).collect::<Vec<_>>();
    let mut over: Vec<Life> = repo.all_ends().at(began, &own).collect();
    let lost = is_unvouched(repo, caller);
    if lost {
        over.push(Life { from: came_here(repo, began), to: world::system_ms() });
    }
    if live.is_empty() && over.is_empty() {
        return Ok(Typist::Person);
    }
    let agents = repo::installation::agents();
    let lives = Lives { live, over };
    match world::who_started(&world::above(caller.pid, &agents.markers), &agents, &lives)? {
        // Its work would become that of the job, and hide that the record is lost.
        Typist::Untold(by) if lost => Err(NotAPerson::Untold(by)),
        told => Ok(told),
    }
}

/// A record is lost, or nobody can tell whether one is, and the host that calls is none that was
/// told to be a person's before.
fn is_unvouched(repo: &Repo, caller: &Process) -> bool {
    let vouched = |one: &Session| {
        let same = one.process.as_ref().is_some_and(|process| is_same(process, caller));
        same && !one.nested && one.untold.is_empty()
    };
    !repo.hosted().iter().any(vouched) && lost_drivers(repo).map_or(true, |lost| !lost.is_empty())
}

/// Sessions whose record is lost: each drives a job of this worktree and is neither recorded nor
/// known to be over. Its host may live, so nobody can tell what else calls itself one.
///
/// # Errors
///
/// A job or a record that does not read says nothing of its session.
fn lost_drivers(repo: &Repo) -> Result<Vec<String>> {
    let here = repo.store.worktree_name();
    let jobs = match repo.focused()? {
        Some(focused) => vec![focused],
        None if repo.rules.mode.keeps_jobs() => {
            let mut jobs = repo.jobs()?;
            jobs.retain(|job| job.state.home.worktree == here);
            jobs
        }
        None => Vec::new(),
    };
    let mut lost = Vec::new();
    for job in jobs {
        let driver = &job.state.driver;
        let hooked = hosts::row(&driver.host).is_ok_and(Host::runs_hooks);
        if hooked
            && !driver.session.is_empty()
            && !repo.is_foreign(&job.state)?
            && repo.session(&driver.session)?.is_none()
            && !repo.ends().covers(&driver.session, job.state.job.updated_at)
        {
            lost.push(driver.session.clone());
        }
    }
    Ok(lost)
}

/// When git seed came here, in milliseconds, and no later than `began`: no session of this
/// repository is older.
fn came_here(repo: &Repo, began: i64) -> i64 {
    // Only an upgrade adds a step there. Where nothing of it reads, no program is old enough.
    let steps = repo.store.history(names::META, 1_000).unwrap_or_default();
    let first = steps.last().map_or(0, |step| step.at.saturating_mul(1_000));
    first.min(began)
}

/// A record is lost; a job that does not read is told by whoever reads it for its own sake.
pub(crate) fn has_lost_one(repo: &Repo) -> bool {
    lost_drivers(repo).is_ok_and(|lost| !lost.is_empty())
}

/// It would take the place of one whose record is lost, and nobody vouches for it: with its record
/// the loss would be forgotten.
pub(crate) fn would_hide_a_loss(repo: &Repo, session: &Session) -> bool {
    session.nested && lost_drivers(repo).map_or(true, |lost| lost.contains(&session.id))
}

/// What the person hears where nobody vouches for a session and a record is lost.
pub(crate) fn told_of_loss(repo: &Repo) -> Option<String> {
    has_lost_one(repo).then(|| tell(Notice::SessionRecordLost, &[]))
}

/// Writes down, where a person asks for it, that sessions are over whose records are lost; says
/// whether there were any.
pub(crate) fn settle_lost(repo: &Repo) -> Result<bool> {
    // A job that does not read is told by whoever mends it.
    let lost = lost_drivers(repo).unwrap_or_default();
    if lost.is_empty() || repo.is_person().is_err() {
        return Ok(false);
    }
    let now = world::system_ms();
    let _lock = repo.store.lock()?;
    let mut ends = repo.ends();
    for id in &lost {
        ends.add_lost(id, now);
    }
    let text = toml::to_string(&ends)?;
    world::write_whole(&repo.ends_file(), text.as_bytes())?;
    Ok(true)
}
