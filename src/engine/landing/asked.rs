//! What a person asks of a landing, as the words behind `git seed land`, and where what was landed
//! is now: the commands that lead on are made of both.

use std::fmt::Write as _;

use crate::engine::record;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::format::landing::Landing;
use crate::jobs::JobId;
use crate::jobs::landing::{self, Offer};
use crate::shell::quoted_word;

/// What a person asks for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    pub per_cycle: bool,
    pub onto: Option<String>,
    pub branch: Option<String>,
    pub without_memory: bool,
    /// Words of their own for the message.
    pub text: Option<String>,
    /// The subject that they were shown.
    pub subject: Option<String>,
    /// Without trailers that lead back to the job.
    pub no_seed: bool,
    pub dry_run: bool,
}

impl Asked {
    /// What asks for this behind `land`, but for words of its own.
    pub(super) fn line(&self, id: &JobId) -> String {
        let mut line = id.to_string();
        for (word, value) in [("--onto", &self.onto), ("--branch", &self.branch)] {
            if let Some(value) = value {
                let _ = write!(line, " {word} {}", quoted_word(value));
            }
        }
        let per_cycle = (self.per_cycle, " --per-cycle");
        let without = (self.without_memory, " --without-memory");
        for (said, word) in [per_cycle, without, (self.no_seed, " --no-seed")] {
            line.push_str(if said { word } else { "" });
        }
        line
    }

    /// The same where the job began, on a branch that may be made.
    pub(super) fn alone(&self, repo: &Repo, job: &LoadedJob) -> Result<String> {
        let own = job.state.home.branch.as_str();
        let wanted = self.branch.as_deref().filter(|branch| *branch != own);
        let branch = wanted.map_or_else(|| format!("{own}-landed"), str::to_owned);
        let branch = match repo.store.in_the_place_of(&branch)? {
            Some(_) => Some(free(repo, &branch)?),
            None => wanted.map(str::to_owned),
        };
        let alone = Self { onto: None, branch, ..self.clone() };
        Ok(alone.line(&job.state.job.id))
    }
}

/// A name like `branch` that is free.
pub(crate) fn free(repo: &Repo, branch: &str) -> Result<String> {
    let stem = branch.strip_suffix("-landed").unwrap_or(branch);
    // Below a branch there is room for none, whatever number it bears.
    let above = repo.store.in_the_place_of(branch)?;
    let is_below = above.is_some_and(|above| branch.starts_with(&format!("{above}/")));
    let stem = if is_below { stem.replace('/', "-") } else { stem.to_owned() };
    landing::free_branch(&stem, |name| Ok(repo.store.in_the_place_of(name)?.is_some()))
}

/// What `git seed land` has to be told to land the job: its id, and a branch where the one that the
/// person was shown is there by now.
pub(crate) fn words(repo: &Repo, job: &LoadedJob) -> Result<String> {
    let id = &job.state.job.id;
    let branch = match &job.state.land {
        Offer::Granted(lands) => lands.branch.clone(),
        _ => format!("{}-landed", job.state.home.branch),
    };
    Ok(match repo.store.in_the_place_of(&branch)? {
        Some(_) => format!("{id} --branch {}", free(repo, &branch)?),
        None => id.to_string(),
    })
}

/// The branch, or else the commit, that a job is there as.
pub(super) fn landed_as(repo: &Repo, job: &LoadedJob) -> Result<Option<String>> {
    for landing in record::landing::landings(repo, &job.tip)?.iter().rev() {
        if is_there(repo, landing)? {
            let stands = repo.store.stands_at(&format!("refs/heads/{}", landing.branch))?;
            let has_it = stands.is_some_and(|at| repo.store.descends(at.as_str(), &landing.tip));
            let short = || landing.tip.chars().take(12).collect();
            return Ok(Some(if has_it { landing.branch.clone() } else { short() }));
        }
    }
    Ok(None)
}

/// Whether some ref that people see holds what a landing made.
pub(super) fn is_there(repo: &Repo, landing: &Landing) -> Result<bool> {
    match landing.tip.parse() {
        Ok(tip) => Ok(repo.store.is_below(&tip, &["refs/heads", "refs/remotes", "refs/tags"])?),
        Err(_) => Ok(false),
    }
}
