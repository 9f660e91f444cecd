//! What the records have of a job's words.

use std::collections::BTreeMap;

use crate::engine::records::gist;
use crate::engine::repo::{Repo, Result};
use crate::format::merge::is_join;
use crate::format::names;

/// The keys of texts that records of each job name, and whether one of the job holds words itself.
#[derive(Debug, Default)]
pub(crate) struct OfJob {
    pub keys: Vec<String>,
    pub holds_words: bool,
}

/// What the records here have of words, by job.
pub(crate) fn of_jobs(repo: &Repo) -> Result<BTreeMap<String, OfJob>> {
    let mut found: BTreeMap<String, OfJob> = BTreeMap::new();
    let Some(tip) = repo.store.stands_at(names::CLAIMS)? else { return Ok(found) };
    for step in repo.store.line_to(&tip)?.iter().filter(|step| !is_join(&step.message)) {
        let gist = gist(repo, &step.commit)?;
        let Some(job) = &gist.job else { continue };
        let of = found.entry(job.clone()).or_default();
        of.keys.extend(gist.text().map(str::to_owned));
        of.holds_words |= gist.holds_words();
    }
    Ok(found)
}
