//! Carries out what an undo or a redo means, ref by ref; a second time where it broke off.

use crate::engine::ops::meant::{self, BranchTurn, FocusTurn, Meant, Noted, Turn};
use crate::engine::ops::settle::{Log, NewOp};
use crate::engine::ops::told;
use crate::engine::record;
use crate::engine::repo::{EngineError, Repo, Result};
use crate::format::fold::opening;
use crate::format::ops::{self, Walked};
use crate::format::{names, notes};
use crate::store::{BranchMove, CommitId};

/// Finishes what a killed process left.
pub(crate) fn finish(repo: &Repo) -> Result<bool> {
    if !meant::is_there(repo) {
        return Ok(false);
    }
    let _lock = repo.store.lock()?;
    let Some(meant) = meant::left(repo)? else { return Ok(false) };
    carry_out(repo, &meant)?;
    Ok(true)
}

/// Turns each ref that does not stand where it is to stand. Who calls holds the lock. A ref that
/// somebody else turned meanwhile stays with them.
pub(crate) fn carry_out(repo: &Repo, meant: &Meant) -> Result<()> {
    for turn in meant.turns.iter().filter(|turn| turn.to.is_some()) {
        turned(repo, &meant.command, turn)?;
    }
    focus(repo, meant)?;
    for turn in meant.turns.iter().filter(|turn| turn.to.is_none()) {
        turned(repo, &meant.command, turn)?;
    }
    for id in &meant.closed {
        record::archive::put_away(repo, id)?;
    }
    for turn in &meant.branches {
        branch(repo, turn)?;
    }
    for noted in &meant.noted {
        note(repo, noted)?;
    }
    if !meant.told.is_empty() {
        told::keep(repo, &meant.told)?;
    }
    tell_of_it(repo, meant)?;
    meant::done(repo)
}

fn commit(id: Option<&String>) -> Result<Option<CommitId>> {
    let odd = |bad: crate::store::NotAnId| EngineError::OnDisk(bad.to_string());
    id.map(|id| id.parse().map_err(odd)).transpose()
}

fn turned(repo: &Repo, why: &str, turn: &Turn) -> Result<()> {
    let (from, to) = (commit(turn.from.as_ref())?, commit(turn.to.as_ref())?);
    let stands = repo.store.stands_at(&turn.chain)?;
    if stands == to || stands != from {
        return Ok(());
    }
    match (&from, &to) {
        (from, Some(to)) => Ok(repo.store.turn(&turn.chain, from.as_ref(), to, why, repo.now)?),
        // Another worktree turned to it since somebody was stopped here: it is theirs.
        (Some(_), None) if repo.store.in_focus()?.contains(&turn.chain) => Ok(()),
        (Some(from), None) => Ok(repo.store.delete_chain(&turn.chain, from)?),
        (None, None) => Ok(()),
    }
}

/// Turns the focus, and begins the journal of the job that has it. A job that took a step here
/// begins its journal, too.
fn focus(repo: &Repo, meant: &Meant) -> Result<()> {
    let before = repo.store.focus()?;
    let after = match &meant.focus {
        FocusTurn::Stays => before.clone(),
        // It never dangles.
        FocusTurn::On(id) => {
            let chain = names::job_chain(id);
            repo.store.tip(&chain)?.map(|_| chain)
        }
        FocusTurn::Off => None,
    };
    if before != after {
        // The journal first: a focus without its journal would look like damage.
        restart(repo, after.as_deref())?;
        return match &after {
            Some(chain) => Ok(repo.store.set_focus(chain)?),
            None => Ok(repo.store.clear_focus()?),
        };
    }
    let stepped = |chain: &String| meant.turns.iter().any(|turn| turn.chain == *chain);
    if let Some(chain) = after.filter(stepped) {
        restart(repo, Some(&chain))?;
    }
    Ok(())
}

fn restart(repo: &Repo, chain: Option<&str>) -> Result<()> {
    let Some(chain) = chain else { return Ok(repo.store.journal().restart(None)?) };
    let Some(tip) = repo.store.tip(chain)? else { return Ok(()) };
    let job = repo.load(chain.to_owned(), tip)?;
    // Lines that came since it began are this job's.
    let begun =
        job.activity.is_ok() && repo.read_since(&job).is_ok_and(|read| read.lines.len() > 1);
    if begun {
        return Ok(());
    }
    Ok(repo.store.journal().restart(Some(&opening(&job.state, repo.now)))?)
}

/// A branch stays where it is once it moved on, and while somebody is on one that would go.
fn branch(repo: &Repo, turn: &BranchTurn) -> Result<()> {
    let (from, to) = (commit(turn.from.as_ref())?, commit(turn.to.as_ref())?);
    match (&from, &to) {
        // Git would say no to a commit that is gone, now and whenever this is taken up again.
        (_, Some(to)) if !repo.store.has_commit(to.as_str()) => {}
        (from, Some(to)) => {
            let moves = BranchMove { branch: &turn.branch, from: from.as_ref(), to };
            record::landing::move_branch(repo, &moves)?;
        }
        (Some(from), None) => {
            repo.store.drop_branch(&turn.branch, from)?;
        }
        (None, None) => {}
    }
    Ok(())
}

fn note(repo: &Repo, noted: &Noted) -> Result<()> {
    let Some(on) = commit(Some(&noted.commit))? else { return Ok(()) };
    if !repo.store.has_object(on.as_str()) {
        return Ok(());
    }
    let lines = notes::undone(&noted.id, &noted.job, noted.undone, repo.store.dated(repo.now));
    Ok(repo.store.note_add(&on, &lines, repo.now)?)
}

/// The operation itself. Refs that a killed process turned are in it as well.
fn tell_of_it(repo: &Repo, meant: &Meant) -> Result<()> {
    repo.store.take_moves();
    let here = repo.store.worktree_name();
    let (to, ahead) = meant.stands.clone();
    let walked = Walked { to, ahead };
    // Told already, and killed right then.
    let log = Log { store: &repo.store, now: repo.now };
    let newest = log.newest_of(&here)?.found;
    if newest.is_some_and(|op| op.walked.as_ref() == Some(&walked)) {
        return Ok(());
    }
    let mut all: Vec<String> =
        meant.turns.iter().filter_map(|turn| ops::place(&turn.chain)).collect();
    all.extend([ops::focus_place(&here), ops::place(names::ARCHIVE).unwrap_or_default()]);
    let mut places = Vec::new();
    for place in all {
        let stands = repo.store.stands_in(&place)?;
        places.push((place, stands));
    }
    let tip = repo.store.tip(names::OPS)?;
    let command = meant.command.as_str();
    let new = NewOp { command, worktree: &here, walked: Some(&walked), places };
    log.add(tip.as_ref(), &new)?;
    Ok(())
}
