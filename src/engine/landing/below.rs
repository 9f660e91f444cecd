//! What else a landed branch stands on, and the command that leads on where a landing is refused.
//!
//! A job begins where the branch stood, so a second one stands on the steps of the first as they
//! were made. Who hands the branch in would hand those in, too, and is told.

use serde::Serialize;

use crate::engine::landing::asked::{Asked, free, landed_as, words};
use crate::engine::landing::onto::plan;
use crate::engine::landing::plan::{Ground, ground};
use crate::engine::record;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::format::trailers::Trailers;
use crate::jobs::landing::{self, may_land};
use crate::jobs::{Job, JobId};
use crate::shell::quoted_word;
use crate::store::{CommitId, Written};
use crate::verdict::Refusal;

/// As many commits below a landing are looked at.
const MOST: usize = 20;

/// A step below the branch, as it was made.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Below {
    pub commit: String,
    /// The job that it is of.
    pub job: JobId,
    #[serde(skip)]
    pub name: String,
    /// The branch, or the commit, that the step landed as.
    pub landed: Option<String>,
    /// What lands that job, or this one on what landed of that; none where nothing does now.
    #[serde(skip)]
    pub line: Option<String>,
}

/// What lands the same on what the branch `onto` holds, where it fits there.
fn on(repo: &Repo, ground: &Ground, asked: &Asked, (onto, branch): (&str, &str)) -> Option<String> {
    let (onto, branch) = (Some(onto.to_owned()), Some(branch.to_owned()));
    let on = Asked { onto, branch, ..asked.clone() };
    // Whatever is in the way there, the line is not offered.
    let fits = matches!(plan(repo, ground, &on, false), Ok(Ok(_)));
    fits.then(|| on.line(&ground.job.state.job.id))
}

/// The newest step of another job, or of another run, below what lands of `ground` as `branch`;
/// none where a remote has it, or the person chose what it stands on. `is_made` is whether the
/// branch is there now.
pub(super) fn below(
    repo: &Repo,
    ground: &Ground,
    asked: &Asked,
    (branch, is_made): (&str, bool),
) -> Result<Option<Below>> {
    let Some(base) = ground.base.as_ref().filter(|_| asked.onto.is_none()) else {
        return Ok(None);
    };
    let Some((commit, id)) = step_below(repo, base)? else { return Ok(None) };
    if !record::archive::knows(repo, &id)? || repo.store.is_below(&commit, &["refs/remotes"])? {
        return Ok(None);
    }
    let job = repo.job(&id)?;
    let landed = landed_as(repo, &job)?;
    let is_over = may_land(&job.state.job, job.state.is_closing(), None).is_ok();
    let line = match &landed {
        // What replaces the branch of the job stays where that stood.
        Some(_) if branch == ground.job.state.home.branch => None,
        Some(onto) => on(repo, ground, asked, (onto, branch)).map(|line| {
            let anew = format!("git branch -D {} && ", quoted_word(branch));
            format!("{}git seed land {line}", if is_made { &*anew } else { "" })
        }),
        None if !is_over => None,
        None if self::ground(repo, job.clone())?.is_none() => return Ok(None),
        None => Some(format!("git seed land {}", words(repo, &job)?)),
    };
    let name = job.state.job.name.clone();
    Ok(Some(Below { commit: commit.to_string(), job: id, name, landed, line }))
}

/// The newest commit of a phase, at `base` or some way below it, and its job.
fn step_below(repo: &Repo, base: &CommitId) -> Result<Option<(CommitId, JobId)>> {
    let job_of = |one: &Written| {
        let text = one.text();
        let pairs = Trailers::of(&text);
        pairs.get("Seed-Phase")?;
        pairs.get("Seed-Job")?.parse::<JobId>().ok()
    };
    let (mut seen, mut found) = (0, None);
    let walked = repo.store.down_from(base, |one| {
        seen += 1;
        found = job_of(one).map(|id| (one.commit.clone(), id));
        found.is_some() || seen >= MOST
    });
    // A shallow clone ends somewhere, and no landing depends on this.
    Ok(walked.ok().and(found))
}

/// Why nothing of a job is left to land, and what lands it all the same.
pub(super) fn nothing_left(repo: &Repo, job: &LoadedJob, asked: &Asked) -> Result<Refusal> {
    let record: &Job = &job.state.job;
    Ok(match landed_as(repo, job)? {
        Some(there) => landing::landed(record, &there, &asked.line(&record.id)),
        None => landing::nothing_left(record),
    })
}

/// The branch `known` is in the way of the one that is wanted.
pub(super) fn taken(repo: &Repo, ground: &Ground, asked: &Asked, known: &str) -> Result<Refusal> {
    let job = &ground.job.state.job;
    let line = asked.alone(repo, &ground.job)?;
    if let Some(onto) = &asked.onto {
        return Ok(landing::name_taken(
            job,
            known,
            &format!("{line} --onto {}", quoted_word(onto)),
        ));
    }
    let wanted = asked.branch.clone().unwrap_or_else(|| known.to_owned());
    let free = free(repo, &wanted)?;
    let Some(onto) = on(repo, ground, asked, (known, &free)) else {
        return Ok(landing::name_taken(job, known, &line));
    };
    // Where the work stands on what landed there, the branch to hand in does as well.
    let base = below(repo, ground, asked, (&free, false))?;
    Ok(match base.filter(|one| one.landed.as_deref() == Some(known)) {
        Some(base) => landing::name_taken_below(job, known, &onto, &base.name),
        None => landing::name_taken_beside(job, known, &line),
    })
}
