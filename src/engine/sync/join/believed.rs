//! Whether the chain of a job that another clone published, or that is to go out, is one that git
//! seed writes. What is not so is left where it is.
//!
//! Asked before anything of it is taken: names, modes and sizes of its files, each of its states,
//! the ids of its steps and the edges between them.

use crate::engine::proof::chain;
use crate::engine::repo::{Repo, Result};
use crate::format::{files, names};
use crate::jobs::{self, BadText, Job, JobId};
use crate::store::{CommitId, Tip};
use crate::voice::{Notice, tell};

/// The most runs, words and reasons of one job.
const MOST: u32 = 100_000;

/// Why the chain that ends at `tip` is not believed; `beside` is a tip whose line is known.
pub(crate) fn why_not(
    repo: &Repo,
    id: &JobId,
    tip: &CommitId,
    beside: Option<&CommitId>,
) -> Result<Option<String>> {
    match look(repo, id, tip, beside) {
        Ok(why) => Ok(why),
        // What does not read there is no fault of this clone.
        Err(error) => Ok(Some(error.to_string())),
    }
}

fn look(
    repo: &Repo,
    id: &JobId,
    tip: &CommitId,
    beside: Option<&CommitId>,
) -> Result<Option<String>> {
    let line = match beside {
        Some(beside) => repo.store.lacking(beside, tip)?,
        None => repo.store.line_to(tip)?,
    };
    let chain = names::job_chain(id);
    for step in &line {
        let tree = repo.store.tree_of_commit(&step.commit)?;
        let before = match step.parents.first() {
            Some(parent) => Some(repo.store.tree_of_commit(parent)?),
            None => None,
        };
        for file in repo.store.new_files(before.as_ref(), &tree)? {
            if !file.plain || file.bytes > files::MOST_BYTES || !files::is_known(&file.path) {
                let path = file.path.escape_debug().to_string();
                let facts = [("path", path.as_str()), ("commit", step.commit.as_str())];
                return Ok(Some(tell(Notice::JoinStrangeFile, &facts)));
            }
        }
        let state = repo.state_as_stored(&chain, &Tip { commit: step.commit.clone(), tree })?;
        let counts = [state.job.run, state.job.interactions, state.plan.contexts, state.steps];
        if state.job.id != *id || counts.iter().any(|count| *count > MOST) {
            return Ok(Some(tell(Notice::JobNotOurs, &[("chain", &chain)])));
        }
        if let Some(bad) = bad_words(&state.job) {
            let why = bad.to_string();
            let facts = [("commit", step.commit.as_str()), ("why", why.as_str())];
            return Ok(Some(tell(Notice::JoinBadWords, &facts)));
        }
    }
    Ok(chain::steps_to(repo, id, tip)?.broken)
}

/// What no command here would take as name or objective of a job. One that was not named yet has
/// no name of its own.
fn bad_words(job: &Job) -> Option<BadText> {
    let named = !job.name.is_empty();
    let name = named.then(|| jobs::check_name(&job.name).err()).flatten();
    name.or_else(|| jobs::check_objective(&job.objective).err())
}
