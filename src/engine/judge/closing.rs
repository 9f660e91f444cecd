//! The message of a boundary as words about work: of the phases that do it and prove it, and of
//! the one that closes a cycle. Where the host of the session that drives runs no hooks, that
//! message is the claim, since no question for completion is put there.

use std::path::Path;

use super::card;
use super::last_claim;
use super::words::{self, Judged};
use crate::claims::hooks::Spoken;
use crate::engine::record;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::phases::git_acts::{GitAct, Ruling as GitRuling};
use crate::phases::mcp::Leaving;
use crate::rules::ClaimMode;
use crate::shell;
use crate::store::TreeId;
use crate::verdict::{Refusal, Verdict};

/// What the message of a phase claims of the work is shown by `tree`, or nobody asks. A message
/// that goes back stands among the refusals alone: the card shows what was said last to the person.
pub(crate) fn is_shown(
    repo: &Repo,
    focused: &LoadedJob,
    said: &str,
    tree: Option<&TreeId>,
) -> Result<Verdict> {
    let Some(tree) = tree.filter(|_| is_asked(repo, focused, said)) else { return Ok(Ok(())) };
    let said = card::without_line(repo, focused, said.to_owned())?;
    let judged = words::rule_on_tree(repo, Some(focused), &said, tree.clone())?;
    Ok(if judged.sends_back() { Err(judged.refusal(Spoken::Message)) } else { Ok(()) })
}

/// Rules on words of the agent's about `job`, without the line of git seed's that they quote.
pub(crate) fn rule_on(repo: &Repo, job: Option<&LoadedJob>, said: &str) -> Result<Judged> {
    let said = match job {
        Some(job) => card::without_line(repo, job, said.to_owned())?,
        None => said.to_owned(),
    };
    words::rule_on(repo, job, &said)
}

/// Rules on the last words of a session where no job is in focus, of its newest one.
pub(crate) fn rule_on_rest(
    repo: &Repo,
    job: &LoadedJob,
    session: &str,
    said: &str,
) -> Result<Judged> {
    let said = card::without_line(repo, job, said.to_owned())?;
    words::rule_on_rest(repo, job, session, &said)
}

/// The hooks judge. Behind the answer that completes a job the step that it takes itself says the
/// job's name, which is nobody's claim; what the agent says there is, as before the answer.
fn is_asked(repo: &Repo, focused: &LoadedJob, said: &str) -> bool {
    let own = || said.trim() == focused.state.job.kept_name();
    repo.rules.claims == ClaimMode::Judge && !(focused.state.is_closing() && own())
}

/// What `said` claims of the work is shown, or nobody asks.
pub(crate) fn holds(repo: &Repo, focused: &LoadedJob, said: &str) -> Result<Verdict> {
    if !is_asked(repo, focused, said) {
        return Ok(Ok(()));
    }
    let judged = rule_on(repo, Some(focused), said)?;
    if !judged.sends_back() {
        stands_instead(repo, focused, judged)?;
        return Ok(Ok(()));
    }
    let refusal = judged.refusal(Spoken::Message);
    judged.keep(repo, Some(focused))?;
    Ok(Err(refusal))
}

/// Keeps words that hold where the newest claim of the job was sent back: what was said instead of
/// it is what the card shows.
pub(crate) fn stands_instead(repo: &Repo, focused: &LoadedJob, judged: Judged) -> Result<()> {
    let sent_back = last_claim::last_claim(repo, focused)?.is_some_and(|last| !last.record.opens);
    if sent_back { judged.keep(repo, Some(focused)) } else { Ok(()) }
}

/// What stands in the way of an act that lets work out, where a hook rules on it by itself: words
/// that go with it and do not hold, or work that nothing was seen to test. A line comes with what
/// was read of it, so that none is read twice before a tool.
pub(crate) fn act(
    repo: &Repo,
    line: (&str, &Path, &shell::Reading),
    job: &LoadedJob,
    git: Option<&(Vec<GitAct>, GitRuling)>,
) -> Result<Option<Refusal>> {
    // A person who approved the work has seen the card, and what stood on it.
    if job.state.stand.is_talk() || record::own_clone::is_approved_here(repo, job)? {
        return Ok(None);
    }
    words::lets_out(repo, line, &|said| rule_on(repo, Some(job), said), words::is_opened(git))
}

/// The same of a call of an MCP server.
pub(crate) fn tool(
    repo: &Repo,
    leaving: Leaving,
    job: &LoadedJob,
    git: Option<&(Vec<GitAct>, GitRuling)>,
) -> Result<Option<Refusal>> {
    // As above.
    if job.state.stand.is_talk() || record::own_clone::is_approved_here(repo, job)? {
        return Ok(None);
    }
    let rule_on = |said: &str| rule_on(repo, Some(job), said);
    words::goes_out(repo, (&leaving.name, leaving.said), &rule_on, words::is_opened(git))
}
