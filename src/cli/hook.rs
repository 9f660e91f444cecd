//! `git-seed hook <host>`: one event in, one answer out.

use std::io::{Read, Write};
use std::panic;
use std::path::Path;
use std::process::ExitCode;

use crate::event::Event;
use crate::hosts::{self, Answer, BadPayload, Host};
use crate::seed::{Seed, SeedError};
use crate::store::NotOpen;

/// Answer one event of an agent host (hosts call this)
///
/// Reads one event as JSON on standard input and prints one JSON object in that host's
/// dialect, or nothing when there is no objection. The exit code is always 0: hosts let a
/// tool run when a hook fails.
#[derive(Debug, clap::Args)]
pub(super) struct HookArgs {
    /// Name of the host: claude, codex, gemini
    host: String,
    /// Name of the event, for hosts whose payload does not tell
    event: Option<String>,
}

pub(super) fn run(args: &HookArgs, _: Option<&Path>) -> ExitCode {
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
        Err(_) => Some(
            r#"{"systemMessage":"git seed: a fault inside; the act went ahead unjudged. git seed doctor"}"#
                .to_owned(),
        ),
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
    let answer = match Seed::discover(&event.cwd) {
        Ok(seed) => seed.answer(host, &event),
        Err(error) => closed(&event, &error),
    };
    hosts::reply(host, &event, &answer).map(|reply| reply.to_string())
}

/// What does not read is never refused by accident; the person hears of it.
fn unreadable(bad: &BadPayload) -> Option<String> {
    let told = format!("git seed: an event did not read ({bad}); the act went ahead unjudged");
    Some(serde_json::json!({ "systemMessage": told }).to_string())
}

/// No repository, or one that git seed does not live in: silence. One that it cannot
/// read although it should: the person hears of it.
fn closed(event: &Event, error: &SeedError) -> Answer {
    let quiet = matches!(
        error,
        SeedError::NotOpen(
            NotOpen::NotARepository { .. }
                | NotOpen::Bare { .. }
                | NotOpen::Reftable { .. }
                | NotOpen::Foreign { .. }
        )
    );
    if quiet || event.cwd.as_os_str().is_empty() {
        return Answer::silence();
    }
    Answer::to_person(format!("git seed: {error}\nhint: git seed doctor"))
}
