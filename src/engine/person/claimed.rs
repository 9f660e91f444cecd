//! What the agent's questions say of the work: the criterion that one quotes, what the question for
//! completion claims, and what was not told in it.

use crate::engine::repo::{self, LoadedJob, Repo};
use crate::engine::{fence, judge, record};
use crate::format::journal::What;
use crate::jobs::questions;
use crate::phases::criteria::{self, Criterion};
use crate::rules::ClaimMode;
use crate::verdict::Refusal;
use crate::voice::{Notice, tell};

/// The most files that a person is told by name.
const LEFT: usize = 3;

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

/// Keeps what was ruled on the question that a person answers. An answer stands without it: what
/// cannot be recorded is told in the journal.
pub(crate) fn keep_ruling(repo: &Repo, chain: &str, question: &str) -> repo::Result<()> {
    let Some(focused) = repo.focused()?.filter(|focused| focused.chain == chain) else {
        return Ok(());
    };
    if repo.rules.claims != ClaimMode::Judge {
        return Ok(());
    }
    let said = claimed(repo, question, &focused);
    let kept = judge::words::rule_on(repo, Some(&focused), &said)
        .and_then(|judged| judged.keep(repo, Some(&focused)));
    if kept.is_err() {
        record::journal_line::note(repo, Some(&focused), |line| line.what = What::Trouble)?;
    }
    Ok(())
}

/// Files of the project that differ from what the job committed as a person approves it: they
/// changed since the question, or outside of what the job may write. No commit of it has them.
pub(crate) fn left_out(repo: &Repo, chain: &str) -> repo::Result<Option<String>> {
    let Some(focused) = repo.focused()?.filter(|focused| focused.chain == chain) else {
        return Ok(None);
    };
    let since = repo.read_since(&focused)?;
    let survey = fence::survey::survey(repo, &focused, &since, repo.row(Some(&focused)))?;
    let own = survey.own.iter().map(ToString::to_string);
    let others = survey.strays.iter().cloned().chain(survey.unclaimed_paths());
    let mut paths: Vec<String> = own.chain(others).collect();
    paths.retain(|path| fence::survey::place_of(repo, path, &focused.state).is_direct(path));
    paths.sort();
    paths.dedup();
    let more = paths.len().saturating_sub(LEFT);
    paths.truncate(LEFT);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let named = format!("{}{more}", paths.join(", "));
    Ok((!paths.is_empty()).then(|| tell(Notice::LeftOut, &[("paths", &named)])))
}
