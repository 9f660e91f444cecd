//! What a person answers for once: the first run of tests where one only looks, and the first call
//! of an MCP server of which nothing is known.
//!
//! Tests are code of the repository. Where the kernel holds them, and a job of this repository was
//! approved before, they run without a question; else the first run of a work tree goes to the
//! host's own question, and without anybody to answer it there is none.

use crate::confine;
use crate::engine::repo::{Repo, Result};
use crate::engine::{git_consent, jobs, record, rewrite};
use crate::event::{Act, Event, ToolCall};
use crate::format::archive::ClosedRow;
use crate::hosts::Host;
use crate::phases::Phase;
use crate::phases::git_acts::Somebody;
use crate::phases::guard::Untried;
use crate::phases::mcp::Tool;
use crate::shell::{Effect, Found, Reading};
use crate::voice::{Notice, tell};

/// Whether `found` is a run of the project's tests, builds or checks that `phase` opens to see what
/// happens, or stands before one: one that the kernel holds, or one where it can hold none.
pub(crate) fn reproduces(
    repo: &Repo,
    phase: &Phase,
    (reading, found): (&Reading, &Found),
    confined: bool,
) -> bool {
    phase.reproduces
        && is_run(repo, reading, found)
        && (confined || found.confined || confine::check().is_err())
}

/// Whether `found` runs what a row knows, or belongs to such a run on its line.
pub(crate) fn is_run(repo: &Repo, reading: &Reading, found: &Found) -> bool {
    is_known(repo, found) || stands_before_a_run(repo, reading, found)
}

/// Whether `found` runs tests, or builds or checks, as a row knows them.
fn is_known(repo: &Repo, found: &Found) -> bool {
    let code = !found.seed || found.confined;
    code && found.effect == Effect::RunsCode && repo.rules.runs().runs_here(&found.part)
}

/// Whether `found` sets or enters something for a run on its line. The code that runs there is the
/// repository's, and what is set for it does nothing that it could not do by itself.
pub(crate) fn stands_before_a_run(repo: &Repo, reading: &Reading, found: &Found) -> bool {
    found.stands_before_a_run() && reading.found.iter().any(|other| is_known(repo, other))
}

/// What stands against a run of tests in a place where one looks; nothing where it goes on.
pub(crate) fn of_run(
    repo: &Repo,
    (host, event): (&Host, &Event),
    line: &str,
) -> Result<Option<Untried>> {
    if record::answered::has_run(repo) || confine::check().is_ok() && was_approved(repo)? {
        return Ok(None);
    }
    let asks_by_itself = !rewrite::is_unasked(repo, event);
    Ok(match git_consent::somebody(repo, host, event, &[line])? {
        Somebody::There if asks_by_itself => None,
        Somebody::There => Some(Untried::Asked(tell(Notice::FirstRun, &[("line", line)]))),
        Somebody::Nobody | Somebody::Unasked | Somebody::Settings(_) => Some(Untried::run(line)),
    })
}

/// What stands against a tool of a server that looks by its name: where the server has no row, the
/// person is asked about the first call of a session, and the answer holds for all that look.
pub(crate) fn of_server(
    repo: &Repo,
    (host, event): (&Host, &Event),
    server: &str,
    call: &ToolCall,
) -> Result<Option<Untried>> {
    if repo.rules.tool_of(server, &call.tool) == Tool::Looks
        || record::answered::has_server(repo, &event.session, server)
    {
        return Ok(None);
    }
    Ok(match git_consent::somebody(repo, host, event, &[])? {
        Somebody::There => Some(Untried::Asked(tell(Notice::FirstServer, &[("server", server)]))),
        Somebody::Nobody | Somebody::Unasked | Somebody::Settings(_) => {
            Some(Untried::server(server))
        }
    })
}

/// A call of a server went through: the next ones of this session that look ask nobody.
pub(crate) fn has_answered(repo: &Repo, event: &Event, call: &ToolCall) {
    let Act::Foreign { server, .. } = &call.act else { return };
    if repo.rules.tool_of(server, &call.tool) == Tool::MayLook {
        record::answered::keep_server(repo, &event.session, server);
    }
}

/// A person has approved work in this repository.
fn was_approved(repo: &Repo) -> Result<bool> {
    let ended = |row: &ClosedRow| row.last_completed_at.is_some();
    Ok(jobs::list::live_rows(repo)?.iter().any(ended)
        || record::archive::closed(repo)?.iter().any(ended))
}
