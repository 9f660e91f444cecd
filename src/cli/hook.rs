//! `git-seed hook <host>`: one event in, one answer out.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::panic;
use std::process::ExitCode;

use crate::engine::repo::{EngineError, Repo};
use crate::event::Event;
use crate::hosts::{self, Answer, BadPayload, Host};
use crate::store::NotOpen;
use crate::voice::{Notice, tell};

/// Answer one event of an agent host (hosts call this)
///
/// Reads one event as JSON on standard input and prints one JSON object in that host's
/// dialect, or nothing when there is no objection. The exit code is 0 for every event:
/// hosts let a tool run when a hook fails. An unknown host is wrong usage, 64.
#[derive(Debug, clap::Args)]
pub(super) struct HookArgs {
    /// Name of the host, such as claude
    host: String,
    /// Name of the event, for hosts whose payload does not tell
    event: Option<String>,
}

/// The plain form that hosts call, read without building the whole command line: that
/// would cost a hook more than its decision.
pub(super) fn plain(mut arguments: impl Iterator<Item = OsString>) -> Option<HookArgs> {
    let _program = arguments.next()?;
    if arguments.next()? != "hook" {
        return None;
    }
    let mut words =
        arguments.map(|word| word.into_string().ok().filter(|word| !word.starts_with('-')));
    let args = HookArgs {
        host: words.next()??,
        event: words.next().map_or(Some(None), |event| event.map(Some))?,
    };
    words.next().is_none().then_some(args)
}

pub(super) fn run(args: &HookArgs) -> ExitCode {
    let host = match hosts::row(&args.host) {
        Ok(host) => host,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "error: {error}");
            return ExitCode::from(64);
        }
    };
    // A panic inside must not look like a crash: it passes, and tells the person.
    panic::set_hook(Box::new(|_| {}));
    let answered = panic::catch_unwind(|| answer(host, args.event.as_deref()));
    let reply = match answered {
        Ok(reply) => reply,
        Err(_) => Some(to_person(tell(Notice::HookFault, &[]))),
    };
    if let Some(reply) = reply {
        let _ = writeln!(std::io::stdout().lock(), "{reply}");
    }
    ExitCode::SUCCESS
}

fn answer(host: &'static Host, event: Option<&str>) -> Option<String> {
    let mut bytes = Vec::with_capacity(8 * 1024);
    let limit = u64::try_from(hosts::PAYLOAD_LIMIT).unwrap_or(u64::MAX);
    if std::io::stdin().lock().take(limit + 1).read_to_end(&mut bytes).is_err() {
        return None;
    }
    let event = match hosts::read(host, &bytes, event) {
        Ok(event) => event,
        Err(bad) => return unreadable(&bad),
    };
    let project = host.project.as_deref().and_then(crate::world::variable);
    let reply = |answer| hosts::reply(host, &event, &answer).map(|reply| reply.to_string());
    match Repo::governing(&event.cwd, project.as_deref().map(std::path::Path::new)) {
        // The process ends here: taking the store apart again would be a tenth of its time.
        Ok(repo) => {
            let repo = std::mem::ManuallyDrop::new(repo);
            crate::engine::person::at_terminal::burn(&repo, &event, &bytes);
            let answers = || reply(crate::engine::hook::answer(&repo, host, &event));
            crate::engine::hook::once::answered(&repo, host, &event, &bytes, answers)
        }
        Err(error) => reply(closed(&event, &error)),
    }
}

/// What does not read is never refused by accident; the person hears of it.
fn unreadable(bad: &BadPayload) -> Option<String> {
    Some(to_person(tell(Notice::HookUnread, &[("bad", &bad.to_string())])))
}

/// The one reply that needs no event: every host shows it to the person.
fn to_person(told: String) -> String {
    serde_json::json!({ "systemMessage": told }).to_string()
}

/// No repository, or one that git seed does not live in: silence. One that it cannot
/// read although it should: the person hears of it.
fn closed(event: &Event, error: &EngineError) -> Answer {
    let quiet = matches!(
        error,
        EngineError::NotOpen(
            NotOpen::NotARepository { .. }
                | NotOpen::Bare { .. }
                | NotOpen::Reftable { .. }
                | NotOpen::Foreign { .. }
        )
    );
    if quiet || event.cwd.as_os_str().is_empty() {
        return Answer::silence();
    }
    Answer::to_person(tell(Notice::HookTrouble, &[("error", &error.to_string())]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_plain_form_is_read_without_the_whole_command_line() {
        for (line, plain_form) in [
            ("git-seed hook claude PreToolUse", Some(("claude", Some("PreToolUse")))),
            ("git-seed hook claude", Some(("claude", None))),
            ("git-seed hook", None),
            ("git-seed hook --help", None),
            ("git-seed hook claude --json", None),
            ("git-seed hook claude a b", None),
            ("git-seed -C x hook claude", None),
            ("git-seed status", None),
            ("git-seed", None),
        ] {
            let read = plain(line.split(' ').map(OsString::from));
            let read = read.as_ref().map(|args| (args.host.as_str(), args.event.as_deref()));
            assert_eq!(read, plain_form, "{line}");
        }
    }
}
