//! What becomes of one job that may be here, there or on both sides.

use std::collections::BTreeSet;

use crate::engine::merge;
use crate::engine::merge::chain::Joint;
use crate::engine::repo::{Repo, Result};
use crate::engine::sync::join::believed;
use crate::engine::sync::join::outcome::{Rejected, Served};
use crate::format::merge::clone_of;
use crate::format::names;
use crate::format::state::State;
use crate::format::trailers::StepTrailers;
use crate::jobs::JobId;
use crate::store::CommitId;
use crate::voice::{Notice, tell};

/// Where a job stands on one side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stands {
    pub at: CommitId,
    /// It lies in the archive and has no ref.
    pub closed: bool,
}

/// Which side it goes on from.
#[derive(Clone, Debug)]
pub(crate) enum Decided {
    Same,
    /// Ours has all of theirs.
    Ours,
    /// Theirs has all of ours.
    Theirs,
    Joint(Box<Joint>),
    Aside(String),
}

/// Decides about the job `id`. Nothing is moved; a commit that joins may have been written.
pub(crate) fn decide(
    repo: &Repo,
    id: &JobId,
    here: Option<&Stands>,
    there: Option<&Stands>,
    served: Served,
) -> Result<Decided> {
    let Some(there) = there else { return ours(repo, id, here, None) };
    let Some(here) = here else {
        return Ok(match believed::why_not(repo, id, &there.at, None)? {
            Some(why) => Decided::Aside(why),
            None => Decided::Theirs,
        });
    };
    if here.at == there.at {
        return Ok(match (here.closed, there.closed) {
            (false, true) => Decided::Theirs,
            (true, false) => Decided::Ours,
            _ => Decided::Same,
        });
    }
    // What does not read there says so below.
    if repo.store.is_in_line(&there.at, &here.at)? {
        return ours(repo, id, Some(here), Some(there));
    }
    if let Some(why) = believed::why_not(repo, id, &there.at, Some(&here.at))? {
        return Ok(Decided::Aside(why));
    }
    if repo.store.is_in_line(&here.at, &there.at)? {
        return Ok(Decided::Theirs);
    }
    let ids = [&here.at, &there.at]
        .map(|tip| repo.store.line_to(tip).map(|line| line.into_iter().next()));
    if let [Ok(Some(ours)), Ok(Some(theirs))] = ids
        && ours.commit != theirs.commit
    {
        return Ok(Decided::Aside(tell(Notice::JoinBornTwice, &[("job", id.as_str())])));
    }
    let mores = (
        merge::chain::has_more(repo, &there.at, &here.at)?,
        merge::chain::has_more(repo, &here.at, &there.at)?,
    );
    Ok(match (served, mores) {
        (Served::Server, (false, _)) | (Served::Bundle, (false, true)) => Decided::Theirs,
        (Served::Bundle, (false, false)) if there.at < here.at => Decided::Theirs,
        (Served::Bundle, (_, false)) => Decided::Ours,
        _ => joined(repo, id, (&here.at, &there.at), served)?,
    })
}

/// A chain that goes out is looked at like one that comes in: nobody is to publish a commit of the
/// person's that was put where a job stands.
fn ours(repo: &Repo, id: &JobId, here: Option<&Stands>, there: Option<&Stands>) -> Result<Decided> {
    let Some(here) = here.filter(|here| !here.closed) else { return Ok(Decided::Ours) };
    let why = believed::why_not(repo, id, &here.at, there.map(|there| &there.at))?;
    Ok(why.map_or(Decided::Ours, Decided::Aside))
}

fn joined(
    repo: &Repo,
    id: &JobId,
    (here, there): (&CommitId, &CommitId),
    served: Served,
) -> Result<Decided> {
    let (published, local) = match served {
        Served::Server => (there, here),
        Served::Bundle => crossing(repo, id, here, there)?,
    };
    let joint = merge::chain::joined(repo, &names::job_chain(id), published, local)?;
    Ok(Decided::Joint(Box::new(joint)))
}

/// Which of two tips counts as published where no server says so: the one whose last step is the
/// home clone's, else the smaller one.
fn crossing<'a>(
    repo: &Repo,
    id: &JobId,
    here: &'a CommitId,
    there: &'a CommitId,
) -> Result<(&'a CommitId, &'a CommitId)> {
    let at_home = |tip: &CommitId| -> Result<bool> {
        let state = state_at(repo, id, tip)?;
        let message = repo.store.commit_message(tip)?;
        Ok(clone_of(&message).is_some_and(|clone| clone == state.home.clone))
    };
    Ok(match (at_home(here)?, at_home(there)?) {
        (true, false) => (here, there),
        (false, true) => (there, here),
        _ if here < there => (here, there),
        _ => (there, here),
    })
}

/// The steps of the line to `here` that stood there and fell in the one to `there`: whoever joined
/// the two chains was another clone.
pub(crate) fn fell(repo: &Repo, here: &CommitId, there: &CommitId) -> Result<Vec<Rejected>> {
    let line = repo.store.line_to(there)?;
    if line.iter().all(|step| step.rejected.is_none()) {
        return Ok(Vec::new());
    }
    let known = repo.store.line_to(here)?;
    let stood: BTreeSet<&CommitId> =
        known.iter().filter(|step| step.rejected.is_none()).map(|step| &step.commit).collect();
    let fallen = line.iter().filter(|step| stood.contains(&step.commit));
    let told = fallen.filter_map(|step| {
        let why = step.rejected.clone()?;
        let said = StepTrailers::read(&step.message)?;
        Some(Rejected { id: said.id, step: said.step, why })
    });
    Ok(told.collect())
}

pub(crate) fn state_at(repo: &Repo, id: &JobId, tip: &CommitId) -> Result<State> {
    repo.state_as_stored(&names::job_chain(id), &repo.store.tip_of(tip)?)
}
