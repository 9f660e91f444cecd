//! What becomes of a job that a person just approved: it is closed, or its agent closes it, or
//! something is in the way.

use crate::engine::record::draft::By;
use crate::engine::record::transition::Transition;
use crate::engine::repo::answer::PersonReply;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::engine::{boundary, jobs};
use crate::verdict::Refusal;
use crate::voice::{self, Notice, tell};

enum Closes {
    Now,
    /// With the boundary that its agent takes next.
    Later,
    /// Something is in the way of that boundary.
    Not(Refusal),
}

/// Closes the job where that needs no more, and says how it stands. `finished` is one that is
/// closed without a boundary, and that was done.
pub(crate) fn closed(repo: &Repo, done: &LoadedJob, finished: bool) -> Result<PersonReply> {
    let closes = if finished { Closes::Now } else { at_once(repo, done)? };
    Ok(match closes {
        Closes::Now => told(repo)?,
        Closes::Later => PersonReply::Done(tell(Notice::Approved, &[])),
        Closes::Not(refusal) => {
            let said = voice::say(&refusal, done.state.stand.phase.as_str());
            let facts = [("why", said.why.as_str()), ("do", said.do_.as_str())];
            PersonReply::Done(tell(Notice::ApprovedNotClosed, &facts))
        }
    })
}

/// The job is over and out of focus; which one could be next.
fn told(repo: &Repo) -> Result<PersonReply> {
    let closed = tell(Notice::ApprovedAndClosed, &[]);
    let next = if repo.store.focus()?.is_none() {
        jobs::dependencies::next_told(repo)?
    } else {
        Vec::new()
    };
    Ok(PersonReply::Done([closed].into_iter().chain(next).collect::<Vec<_>>().join(". ")))
}

/// On a small lane the answer that completes a job closes it too, where nothing is in the way.
fn at_once(repo: &Repo, done: &LoadedJob) -> Result<Closes> {
    let stand = &done.state.stand;
    let Some(focused) = repo.focused()?.filter(|focused| focused.chain == done.chain) else {
        return Ok(Closes::Later);
    };
    if repo.map(stand).lane.is_none() {
        let home = boundary::judge::stands_at_home(repo, &focused);
        return Ok(home.map_or_else(Closes::Not, |()| Closes::Later));
    }
    let on = Transition::Forward { to: None, add_cycle: None, scope: Vec::new() };
    Ok(match boundary::cross::cross(repo, &on, &done.state.job.kept_name(), By::Person)? {
        Ok(crossed) if crossed.closed => Closes::Now,
        Ok(_) => Closes::Later,
        Err(refusal) => Closes::Not(refusal),
    })
}
