//! What the agent's questions say of the work: the criterion that one quotes, and what the question
//! for completion claims.

use crate::engine::judge;
use crate::engine::repo::{LoadedJob, Repo};
use crate::jobs::questions;
use crate::phases::criteria::{self, Criterion};
use crate::verdict::Refusal;

/// What a question for completion claims: not what git seed counted, and not the job's name.
pub(crate) fn claimed(repo: &Repo, question: &str, focused: &LoadedJob) -> String {
    // Where the card cannot be counted, the question is refused for that.
    let card = judge::card::line(repo, focused).unwrap_or_default();
    questions::said_of_work(question, &focused.state.job.name, &card)
}

/// The criterion that a question quotes, of those that the phase answers.
pub(crate) fn quoted(
    repo: &Repo,
    focused: &LoadedJob,
    question: &str,
) -> Result<Criterion, Refusal> {
    let contract = judge::criteria::contract(repo, focused, repo.row(Some(focused)));
    let contract = contract.map_err(|error| Refusal::broken("state", &error))?;
    let found = criteria::quoted_by(question, &contract).cloned();
    let first = contract.first().map_or("", |one| one.text.as_str());
    found.ok_or_else(|| questions::quotes_no_criterion(first))
}
