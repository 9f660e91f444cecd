//! After a tool, where no job is kept: receipts of what ran, and what came of calls that were
//! written down.

use crate::claims::Ran;
use crate::engine::fence::looks;
use crate::engine::repo::journal::text_hash;
use crate::engine::repo::text::merged;
use crate::engine::repo::{Repo, Result};
use crate::engine::{claims, git_mark, hook, merge_mark, record, refs_moved};
use crate::event::{Act, Event, Outcome, ToolCall};
use crate::format::watched::Happened;
use crate::hosts::{Answer, Host};
use crate::jobs::mode::Mode;

pub(crate) fn after(
    repo: &Repo,
    _: &Host,
    event: &Event,
    (call, outcome): (&ToolCall, &Outcome),
) -> Result<Answer> {
    let failed = claims::receipts::failed_by_its_lines(repo, call, outcome);
    let outcome = failed.as_ref().unwrap_or(outcome);
    if repo.rules.mode == Mode::Watch {
        keep(repo, event, call, outcome)?;
        return Ok(Answer::silence());
    }
    let window = looks::end_of(repo, event, call, outcome);
    let answered = git_mark::end(repo, call, outcome)?;
    merge_mark::keep(repo, answered.as_ref())?;
    // What a person answers for is no call's own.
    let window = window.filter(|_| answered.is_none());
    keep(repo, event, call, outcome)?;
    let prints = hook::after::prints_after(repo, event, call, window.as_ref(), None)?;
    let refs = refs_moved::moved_in(repo, None, window.as_ref())?;
    let to_person = merged(prints.to_person(), refs.to_person());
    Ok(Answer { context: refs.to_agent(), to_person, ..Answer::silence() })
}

fn keep(repo: &Repo, event: &Event, call: &ToolCall, outcome: &Outcome) -> Result<()> {
    if let Act::Schedule { text } = &call.act {
        record::watched::keep(repo, Happened::Scheduled, |line| {
            line.session.clone_from(&event.session);
            line.call = text_hash(text);
        })?;
    }
    if record::watched::may_tell_of(repo, &call.id)? {
        record::watched::keep(repo, Happened::Ran, |line| {
            line.session.clone_from(&event.session);
            line.tool.clone_from(&call.tool);
            line.call.clone_from(&call.id);
            line.well = Some(outcome.ok);
        })?;
    }
    let Some(ran) = claims::loose::keep(repo, event, call, outcome)? else { return Ok(()) };
    if ran.run.is_some() {
        record::watched::keep(repo, Happened::Tests, |line| {
            line.session.clone_from(&event.session);
            line.call.clone_from(&call.id);
            line.well = ended(&ran);
        })?;
    }
    Ok(())
}

/// How a run of tests ended, where its status or its closing lines say so.
fn ended(ran: &Ran) -> Option<bool> {
    let failed = ran.counts.map(|counts| counts.failed > 0);
    match ran.status {
        _ if ran.failed || failed == Some(true) => Some(false),
        Some(status) => Some(status == 0),
        None => failed.map(|failed| !failed),
    }
}
