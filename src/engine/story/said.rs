//! What was said to a job: prompts, questions and their answers.

use serde::Serialize;

use crate::engine::repo::text::rfc3339;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::event::UnixSeconds;
use crate::format::interaction::Interaction;

/// One interaction.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct SaidShown {
    pub n: u32,
    #[serde(skip)]
    pub seconds: UnixSeconds,
    pub at: String,
    /// `prompt`, `question` or `automation`.
    pub kind: &'static str,
    pub provenance: String,
    pub text: String,
}

/// All interactions of `job` that are kept here, oldest first, and how many are not: texts of a job
/// that came from another clone may have stayed there.
pub(crate) fn all(repo: &Repo, job: &LoadedJob) -> Result<(Vec<SaidShown>, u32)> {
    let (mut all, mut missing) = (Vec::new(), 0);
    for n in 1..=job.state.job.interactions {
        let entry = repo.entry(job.texts(), n)?.filter(|entry| entry.gone.is_none());
        let Some(Interaction { kind, at, provenance, text }) = entry.map(|entry| entry.said) else {
            missing += 1;
            continue;
        };
        let (kind, at) = (kind.word(), repo.said_at(job, n, at)?);
        all.push(SaidShown {
            n,
            seconds: at,
            at: rfc3339(at),
            kind,
            provenance,
            text: text.into_string(),
        });
    }
    Ok((all, missing))
}
