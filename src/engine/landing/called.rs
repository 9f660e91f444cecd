//! What a job and its cycles are called on the branch that is handed in.

use crate::engine::jobs;
use crate::engine::repo::texts::Entry;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::format::context::Context;
use crate::format::trailers::Trailers;
use crate::jobs::Job;
use crate::jobs::routing::InteractionKind;
use crate::jobs::wording;

/// What the job is called where its commit `like` lands: its name, or what that commit says where
/// the name is the head of a prompt. A prompt is said to the agent, and not to whoever reads the
/// branch.
pub(super) fn called(repo: &Repo, job: &Job, like: &str) -> String {
    if job.provisional { words_of(repo, job, like) } else { job.name.clone() }
}

/// What the commit `like` of the job says of itself; where it says nothing, the job's name.
pub(super) fn words_of(repo: &Repo, job: &Job, like: &str) -> String {
    let subject = like.lines().next().unwrap_or_default();
    let pairs = Trailers::of(like);
    let phase = pairs.get("Seed-Phase").unwrap_or("");
    let template = repo.rules.subject.replace("{phase}", phase);
    let (head, tail) = template.split_once("{subject}").unwrap_or_default();
    let said = subject.strip_prefix(head).and_then(|said| said.strip_suffix(tail));
    let said = said.unwrap_or_else(|| wording::words_of(subject, phase));
    let said = said.trim_start_matches("[intermediate]").trim();
    if said.is_empty() { job.kept_name() } else { said.to_owned() }
}

/// Why cycles were added, as the agent says it. What a person said of the work opened a cycle too,
/// and stays with their prompts.
pub(super) fn told_contexts(repo: &Repo, job: &LoadedJob) -> Result<Vec<Context>> {
    let mut contexts = jobs::next_run::contexts(repo, job)?;
    for n in 1..=job.state.job.interactions {
        let Some(Entry { said, .. }) = repo.counted_entry(job, n)? else { continue };
        let heard = said.text.trim();
        let is_heard = |one: &Context| {
            let why = one.text.trim();
            !why.is_empty() && heard.ends_with(why)
        };
        if said.kind != InteractionKind::Automation {
            contexts.retain(|one| !is_heard(one));
        }
    }
    Ok(contexts)
}
