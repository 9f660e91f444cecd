//! Nights: a job that is finished while nobody is there to approve it.
//!
//! Where the rules say so, or the host cannot ask, its cycle closes and it rests until a
//! person ends it; the worktree turns to the next job that waits in it. Only a person
//! approves: resting is no completion, and nothing that depends on the job is settled.

use crate::engine::record::draft::By;
use crate::engine::repo::answer::PersonReply;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::engine::{jobs, memory, record};
use crate::format::state::State;
use crate::hosts::{self, Answer};
use crate::jobs::Status;
use crate::memory::condense::Stage;
use crate::phases::PhaseKind;
use crate::phases::review::Review;
use crate::rules::{Approving, Unattended};
use crate::voice::{self, Notice, tell};

/// True where a finished job rests instead of asking.
pub(crate) fn defers(repo: &Repo, state: &State) -> bool {
    if repo.rules.approving == Approving::Defer || cannot_ask(repo, state) {
        return true;
    }
    // Where an answer that nobody sat there for would not count, nobody is asked.
    is_unheard(repo, state)
}

/// No word of the session that drives the job counts as an approval.
fn is_unheard(repo: &Repo, state: &State) -> bool {
    // Of one that does not read nothing is known, so the person is asked.
    let session = repo.session(&state.driver.session).ok().flatten();
    let nobody = session.is_some_and(|session| session.unattended || session.bare);
    repo.rules.unattended == Unattended::Refuse && nobody
}

/// Why nobody is asked whether the job is complete, where that is so.
pub(crate) fn unasked(repo: &Repo, state: &State) -> Option<String> {
    if cannot_ask(repo, state) {
        let notice =
            if is_unheard(repo, state) { Notice::UnaskedUnseen } else { Notice::UnaskedByHost };
        return Some(tell(notice, &[("id", state.job.id.as_str())]));
    }
    let why = match (repo.rules.approving, state.review) {
        (Approving::Defer, _) => Notice::UnaskedByRules,
        (_, Review::Unanswered) => Notice::UnaskedUnanswered,
        _ => Notice::UnaskedByNobody,
    };
    (state.review == Review::Unanswered || defers(repo, state)).then(|| tell(why, &[]))
}

/// The host of the job's session has no tool for questions, as it is set.
pub(crate) fn cannot_ask(repo: &Repo, state: &State) -> bool {
    let host = hosts::row(&state.driver.host);
    host.is_ok_and(|host| !host.offers_questions(|file| repo.host_file(file)))
}

/// True when closing the cycle of `focused` now lets it rest: it could be completed, and nobody
/// is there to say so, or said nothing that counts.
pub(crate) fn would_rest(repo: &Repo, focused: &LoadedJob, review: Review) -> bool {
    repo.row(Some(focused)).kind == PhaseKind::Consolidation
        && focused.state.job.status == Status::Active
        && (review == Review::Unanswered || defers(repo, &focused.state))
        && memory::condense::condense_stage(repo, focused) == Stage::Ready
        && jobs::completion::eligible(repo, focused)
}

/// Turns from a job that rests to the next one that waits here; without one the focus is given up.
/// Until the next one has the focus it stays where it is: that is how a kill in between is seen.
pub(crate) fn rest(repo: &Repo, focused: &LoadedJob) -> Result<Option<LoadedJob>> {
    let next = match next_in_queue(repo, focused)? {
        Some((next, own)) => take_up(repo, &next, &focused.state, own)?,
        None => None,
    };
    if next.is_none() {
        jobs::focus::give_up(repo)?;
    }
    Ok(next)
}

/// The job that is worked on when `focused` rests, and whether it is one of the agent's own. A
/// person's come first; of its own so many as `[nights] own` says, until a person speaks.
fn next_in_queue(repo: &Repo, focused: &LoadedJob) -> Result<Option<(LoadedJob, bool)>> {
    let (here, in_focus) = (repo.store.worktree_name(), repo.store.in_focus()?);
    let takes_own =
        defers(repo, &focused.state) && focused.state.own_taken < repo.rules.own_at_night;
    let mut waiting = Vec::new();
    let asks_nobody = !runs_hooks(&focused.state);
    let waits = |job: &LoadedJob| {
        // What its own host would have asked must not go away with the session that rests.
        let theirs = !job.state.driver.host.is_empty() && runs_hooks(&job.state);
        job.state.waits_for_a_focus() && !in_focus.contains(&job.chain) && !(asks_nobody && theirs)
    };
    for job in repo.jobs()?.into_iter().filter(waits) {
        if jobs::resume::waits_in(repo, &job.state, &here)? {
            waiting.push((job, false));
        } else if takes_own
            && job.state.job.status == Status::Pending
            && jobs::dependencies::is_agents_own(repo, &job)?
        {
            waiting.push((job, true));
        }
    }
    waiting.sort_by_key(|(_, own)| *own);
    // One that waits for nobody comes first.
    let mut free = 0;
    for (at, (job, _)) in waiting.iter().enumerate() {
        if jobs::dependencies::unmet(repo, &job.state)?.is_empty() {
            free = at;
            break;
        }
    }
    Ok((!waiting.is_empty()).then(|| waiting.swap_remove(free)))
}

/// The host of the session that drives runs hooks; one that no row names might.
fn runs_hooks(state: &State) -> bool {
    hosts::row(&state.driver.host).map_or(true, hosts::Host::runs_hooks)
}

/// Activates `job`; the session that drove the last one drives it.
fn take_up(repo: &Repo, job: &LoadedJob, last: &State, own: bool) -> Result<Option<LoadedJob>> {
    let taken = jobs::resume::resume_with(repo, &job.state.job.id, By::Hook, |state| {
        state.driver = last.driver.clone();
        state.own_taken = last.own_taken + u32::from(own);
    })?;
    Ok(taken.ok().map(|resumed| resumed.focused))
}

/// Jobs that rest until a person approves them, oldest first.
pub(crate) fn awaiting(repo: &Repo) -> Result<Vec<LoadedJob>> {
    let jobs = repo.jobs()?;
    Ok(jobs.into_iter().filter(|job| job.state.job.status == Status::Awaiting).collect())
}

/// Several jobs could be meant by an approval that names none: each with the words that end it.
pub(crate) fn which_one(several: &[LoadedJob]) -> String {
    let line = |job: &LoadedJob| {
        let job = &job.state.job;
        format!("\"{}\": [APPROVE] {}", job.name, job.id)
    };
    let jobs: Vec<String> = several.iter().map(line).collect();
    let count = several.len().to_string();
    tell(Notice::ApproveOneOf, &[("count", &count), ("jobs", &jobs.join(", "))])
}

/// What the person hears of it when a session starts.
pub(crate) fn good_morning(repo: &Repo) -> Result<Answer> {
    let approve = |job: &LoadedJob| {
        let job = &job.state.job;
        tell(Notice::MorningAwaits, &[("job", &job.name), ("id", job.id.as_str())])
    };
    let activate = |job: LoadedJob| {
        let job = job.state.job;
        tell(Notice::MorningWaits, &[("job", &job.name), ("id", job.id.as_str())])
    };
    let own = |job: &LoadedJob| {
        let job = &job.state.job;
        tell(Notice::MorningOwn, &[("job", &job.name), ("id", job.id.as_str())])
    };
    let mut lines: Vec<String> = awaiting(repo)?.iter().map(approve).collect();
    lines.extend(jobs::birth::waiting_here(repo)?.map(activate));
    lines.extend(jobs::dependencies::agents_own(repo)?.iter().map(own));
    Ok(if lines.is_empty() { Answer::silence() } else { Answer::to_person(lines.join("\n")) })
}

/// A person ends a job that rests: approval and completion, one step.
pub(crate) fn end_awaiting(repo: &Repo, job: &LoadedJob) -> Result<PersonReply> {
    let name = &job.state.job.name;
    let status = job.state.job.status;
    if status != Status::Awaiting {
        return Ok(PersonReply::NotCounted(tell(
            Notice::NotAwaiting,
            &[("job", name), ("status", status.word())],
        )));
    }
    let fold = record::interactions::fold_for(repo, &job.chain)?;
    let completed = jobs::completion::complete(repo, &job.chain, fold, |state| {
        jobs::dependencies::dependencies_hold(repo, state)
    })?;
    Ok(match completed {
        Ok(done) => {
            record::archive::put_away(repo, &job.state.job.id)?;
            jobs::completion::sign(repo, &done)?;
            PersonReply::Done(tell(Notice::ApprovedElsewhere, &[("job", name)]))
        }
        Err(refusal) => PersonReply::NotCounted(voice::say(&refusal, "idle").why),
    })
}
