//! What the agent's questions say of the work: the criterion that one quotes, and what the question
//! for completion claims.

use crate::engine::judge;
use crate::engine::repo::{LoadedJob, Repo};
use crate::jobs::questions;
use crate::phases::criteria::{self, Criterion};
use crate::verdict::Refusal;

/// What a question for completion claims: not what git seed counted, and not the job's name.
pub(crate) fn claimed(repo: &Repo, question: &str, focused: &LoadedJob) -> String {
    let (body, _) = questions::with_next(question);
    let said = questions::text_of_completion(body).unwrap_or(body);
    // Where the card cannot be counted, the question is refused for that.
    let card = judge::card::line(repo, focused).unwrap_or_default();
    let said = if card.is_empty() { said.to_owned() } else { said.replace(&card, "") };
    let said = said.replace(&focused.state.job.name, "");
    said.trim_start_matches(|first: char| !first.is_alphanumeric()).to_owned()
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
