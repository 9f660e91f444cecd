//! How a client shows that it takes another line than the agent's: the hook puts one before
//! `git seed doctor`, and what runs is that line.

use crate::engine::repo::{Repo, Result};
use crate::engine::rewrite;
use crate::event::{Act, Event, ToolCall};
use crate::hosts::{self, Host};
use crate::world;

/// The line that lets a client prove that it takes another line, where `call` is the
/// command to do so; nothing where it would ask somebody about it.
pub(crate) fn proving_line(repo: &Repo, event: &Event, call: &ToolCall) -> Option<String> {
    event.rewritable.as_ref()?;
    let Act::Shell { command, background: false, .. } = &call.act else { return None };
    let words: Vec<&str> = command.split_whitespace().collect();
    if !matches!(words.as_slice(), ["git", "seed", "doctor"] | ["git-seed", "doctor"]) {
        return None;
    }
    // What another host is given it is granted as well.
    let by_start = hosts::row(event.host).ok()?.unasked_start().is_some();
    if by_start && !rewrite::is_unasked(repo, event) {
        return None;
    }
    Some(format!("{}{command}", proof(&session_name(event))).replace('\n', " "))
}

/// What is put before it.
fn proof(session: &str) -> String {
    format!("'{}' rewritten {session}; ", world::own_binary().display())
}

fn session_name(event: &Event) -> String {
    crate::format::short_hash(event.session.as_bytes(), 16)
}

/// Writes down that the client ran such a line where its shell could not: a sandbox may leave
/// `.git` read-only, and the event after the call shows the line that ran.
///
/// # Errors
///
/// The session or the file of clients cannot be read or written.
pub(crate) fn heard(repo: &Repo, host: &Host, event: &Event, call: &ToolCall) -> Result<()> {
    let Act::Shell { command, .. } = &call.act else { return Ok(()) };
    // Where the shell writes, the line itself has done so.
    if !host.hands_over {
        return Ok(());
    }
    let session = session_name(event);
    if command.starts_with(&proof(&session).replace('\n', " "))
        && !rewrite::takes_another(repo, event)
    {
        rewrite::saw_rewrite(repo, &session)?;
    }
    Ok(())
}
