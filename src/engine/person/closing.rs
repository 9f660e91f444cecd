//! What becomes of a job that a person just approved: it is closed, or its agent closes it, or
//! something is in the way.

use crate::engine::record::draft::By;
use crate::engine::record::transition::Transition;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::engine::{boundary, jobs, merge_mark};
use crate::verdict::Refusal;
use crate::voice::{self, Notice, tell};

/// What became of a job that was approved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Approval {
    /// It is over, and this is said of what comes next.
    Closed(Vec<String>),
    /// It closes with the boundary that its agent takes next.
    Open,
    /// Something is in the way of that boundary.
    Stuck { why: String, do_: String },
}

impl Approval {
    /// In words for the agent, without a stop at the end.
    pub(crate) fn to_agent(&self) -> String {
        match self {
            Self::Closed(next) => {
                let closed = tell(Notice::ApprovedAndClosed, &[]);
                [closed].iter().chain(next).cloned().collect::<Vec<_>>().join(". ")
            }
            Self::Open => tell(Notice::Approved, &[]),
            Self::Stuck { why, do_ } => {
                tell(Notice::ApprovedNotClosed, &[("why", why), ("do", do_)])
            }
        }
    }

    /// In a line for the person who approved `job` at a terminal.
    pub(crate) fn to_person(&self, job: &str) -> String {
        match self {
            Self::Open => tell(Notice::ApprovedHere, &[("job", job)]),
            Self::Closed(_) | Self::Stuck { .. } => {
                format!("{}.", self.to_agent().trim_end_matches('.'))
            }
        }
    }
}

/// Closes the job where that needs no more, and says how it stands. `finished` is one that is
/// closed without a boundary, and that was done.
pub(crate) fn closed(repo: &Repo, done: &LoadedJob, finished: bool) -> Result<Approval> {
    if finished { told(repo) } else { at_once(repo, done) }
}

/// The job is over and out of focus; which one could be next.
fn told(repo: &Repo) -> Result<Approval> {
    let next = if repo.store.focus()?.is_none() {
        jobs::dependencies::next_told(repo)?
    } else {
        Vec::new()
    };
    Ok(Approval::Closed(next))
}

/// On a small lane the answer that completes a job closes it too, where nothing is in the way.
fn at_once(repo: &Repo, done: &LoadedJob) -> Result<Approval> {
    let stand = &done.state.stand;
    let Some(focused) = repo.focused()?.filter(|focused| focused.chain == done.chain) else {
        return Ok(Approval::Open);
    };
    let stuck = |refusal: &Refusal| {
        let said = voice::say(refusal, stand.phase.as_str());
        Approval::Stuck { why: said.why, do_: said.do_ }
    };
    if repo.map(stand).lane.is_none() {
        let home = merge_mark::stands_at_home(repo, &focused);
        return Ok(home.map_or_else(|refusal| stuck(&refusal), |()| Approval::Open));
    }
    let on = Transition::Forward { to: None, add_cycle: None, scope: Vec::new() };
    match boundary::cross::cross(repo, &on, &done.state.job.kept_name(), By::Person)? {
        Ok(crossed) if crossed.closed => told(repo),
        Ok(_) => Ok(Approval::Open),
        Err(refusal) => Ok(stuck(&refusal)),
    }
}
