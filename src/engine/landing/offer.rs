//! Whether an approved job lands at once: what the person is asked, and what their answer leaves.
//!
//! The question shows branch and subject; `Land it` leaves a grant for one landing of just these,
//! which the boundary that closes the cycle uses up, or the hook that hears the answer. Where the
//! rules do not ask, nothing here looks at anything.

use crate::engine::landing::asked::Asked;
use crate::engine::landing::land::{self, Landed};
use crate::engine::landing::plan::{first_subject, ground};
use crate::engine::record;
use crate::engine::repo::answer::Answered;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::jobs::JobId;
use crate::jobs::landing::{Lands, Offer, free_branch};
use crate::rules::Landing;
use crate::voice::{Notice, tell};

/// A job whose landing the person may be asked about.
pub(crate) struct Offered {
    pub job: LoadedJob,
    pub lands: Lands,
}

impl Offered {
    /// What it would be, in the line that the question holds.
    pub(crate) fn card(&self) -> String {
        let Lands { branch, subject } = &self.lands;
        tell(Notice::LandCard, &[("branch", branch), ("subject", subject)])
    }
}

/// The job that the question would be about: the one in focus, or the newest closed one where
/// nothing is in focus.
pub(crate) fn offered(repo: &Repo) -> Result<Option<Offered>> {
    if repo.rules.landing == Landing::ByHand {
        return Ok(None);
    }
    let Some(job) = last(repo)?.filter(|job| job.state.land == Offer::Open) else {
        return Ok(None);
    };
    if !record::own_clone::is_approved_here(repo, &job)? {
        return Ok(None);
    }
    Ok(lands(repo, &job)?.map(|lands| Offered { job, lands }))
}

/// The newest job that was approved and whose landing is open still, or granted and not made.
pub(crate) fn unlanded(repo: &Repo) -> Result<Option<LoadedJob>> {
    if repo.rules.landing == Landing::ByHand {
        return Ok(None);
    }
    Ok(last(repo)?.filter(|job| matches!(job.state.land, Offer::Open | Offer::Granted(_))))
}

fn last(repo: &Repo) -> Result<Option<LoadedJob>> {
    match repo.focused()? {
        Some(focused) => Ok(Some(focused)),
        None => land::newest_closed(repo)?.map(|id| repo.job(&id)).transpose(),
    }
}

/// What `job` would land as; `None` where it has no branch, or nothing left to land.
fn lands(repo: &Repo, job: &LoadedJob) -> Result<Option<Lands>> {
    let own = job.state.home.branch.clone();
    if own.is_empty() {
        return Ok(None);
    }
    let Some(ground) = ground(repo, job.clone())? else { return Ok(None) };
    let branch = free_branch(&own, |branch| {
        repo.store.in_the_place_of(branch).map(|known| known.is_some())
    })?;
    Ok(Some(Lands { branch, subject: first_subject(repo, &ground)? }))
}

/// What the agent is told to ask, once a job is approved.
pub(crate) fn told(repo: &Repo) -> Result<Option<String>> {
    Ok(offered(repo)?.map(|offered| tell(Notice::LandOffer, &[("card", &offered.card())])))
}

/// What a person let the job `id` land as, in this clone.
pub(crate) fn granted(repo: &Repo, id: &JobId) -> Result<Option<Lands>> {
    let job = repo.job(id)?;
    Ok(match &job.state.land {
        Offer::Granted(lands) if record::own_clone::is_approved_here(repo, &job)? => {
            Some(lands.clone())
        }
        _ => None,
    })
}

/// Lands the job `id` as the person let it; `None` where they did not.
pub(crate) fn use_up(repo: &Repo, id: &JobId) -> Result<Option<Answered<Landed>>> {
    let Some(lands) = granted(repo, id)? else { return Ok(None) };
    Ok(Some(land::land(repo, id, &asked(lands))))
}

/// The landing that was granted.
pub(crate) fn asked(lands: Lands) -> Asked {
    Asked { branch: Some(lands.branch), subject: Some(lands.subject), ..Asked::default() }
}

/// Keeps what the person said of landing the job.
pub(crate) fn answered(repo: &Repo, id: &JobId, answer: &Offer) -> Result<()> {
    record::landing::answered(repo, id, answer)
}
