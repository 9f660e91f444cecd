//! `git-seed hook <host>`: one event in, one answer out.

use std::cell::Cell;
use std::ffi::OsString;
use std::io::{Read, Write};
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use crate::engine::policy::Looked;
use crate::engine::repo::{EngineError, Repo};
use crate::engine::{self, person};
use crate::event::{Event, EventKind};
use crate::hosts::{self, Answer, BadPayload, Host};
use crate::phases::guard;
use crate::store::{self, NotOpen};
use crate::voice::{self, Notice, tell};

/// How long locks are waited for before a verdict on a call, and in any other event: hosts stop
/// waiting for a hook after ten seconds, and then nobody judges.
const BEFORE: Duration = Duration::from_millis(50);
const OTHERWISE: Duration = Duration::from_secs(4);

/// What is read of a payload that is too large, and thrown away.
const MOST_DRAINED: u64 = 1 << 30;

/// Answer one event of an agent host (called by the host)
///
/// Reads one event as JSON from standard input and prints one JSON object in the format of that
/// host, or nothing when there is no objection. The exit code is 0 for every event, because
/// hosts let a tool run when a hook fails. An unknown host is a usage error, exit code 64.
#[derive(Debug, clap::Args)]
pub(super) struct HookArgs {
    /// Name of the host, such as claude
    host: String,
    /// Name of the event, for hosts whose payload does not contain it
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
    let said = Cell::new(false);
    let say = |reply: Option<String>| {
        said.set(true);
        if let Some(reply) = reply {
            let mut out = std::io::stdout().lock();
            let _ = writeln!(out, "{reply}").and_then(|()| out.flush());
        }
    };
    let answered =
        panic::catch_unwind(AssertUnwindSafe(|| answer(host, args.event.as_deref(), &say)));
    if answered.is_err() && !said.get() {
        say(Some(to_person(tell(Notice::HookFault, &[]))));
    }
    ExitCode::SUCCESS
}

/// Answers one event with `say`; what may wait comes after that.
fn answer(host: &'static Host, event: Option<&str>, say: &dyn Fn(Option<String>)) {
    let mut bytes = Vec::with_capacity(8 * 1024);
    let limit = u64::try_from(hosts::PAYLOAD_LIMIT).unwrap_or(u64::MAX);
    let mut input = std::io::stdin().lock();
    if input.by_ref().take(limit + 1).read_to_end(&mut bytes).is_err() {
        return say(None);
    }
    let event = match hosts::read(host, &bytes, event) {
        Ok(event) => event,
        Err(bad) => {
            // A host whose pipe breaks may take its hook for one that failed.
            let _ = std::io::copy(&mut input.take(MOST_DRAINED), &mut std::io::sink());
            let named = hosts::event_said(host, &bytes);
            return unreadable(host, event.or(named.as_deref()), &bad, say);
        }
    };
    let before = matches!(event.kind, EventKind::Before(_));
    store::wait_at_most(if before { BEFORE } else { OTHERWISE });
    let reply = |answer| hosts::reply(host, &event, &answer).map(|reply| reply.to_string());
    match governing(host, &event.cwd) {
        Ok(repo) if engine::repo::clone_file::is_left(&repo.store) => say(None),
        // The process ends here: taking the store apart again would be a tenth of its time.
        Ok(repo) => {
            let repo = std::mem::ManuallyDrop::new(repo);
            person::at_terminal::burn(&repo, &event, &bytes);
            let answers = || {
                let ran = engine::hook::handed::run(&repo, host, &event);
                let policy = policy(&repo, &event);
                if ran.is_none() && !policy.applied {
                    return reply(with_word(engine::modes::answer(&repo, host, &event), policy));
                }
                let answer = with_word(answered_anew(host, &event), policy);
                reply(match ran {
                    Some(ran) => engine::hook::handed::told_first(ran, answer),
                    None => answer,
                })
            };
            say(engine::hook::once::answered(&repo, host, &event, &bytes, answers));
            engine::modes::before::write_down(&repo, &event);
            // What cannot be written now is found and written by the next one.
            let _ = engine::ops::settle::settle(&repo.store, repo.now, event.kind.word());
        }
        Err(error) => say(reply(beyond(host, &event, &error))),
    }
}

/// The answer by what is in force now: what was run may have taken steps, and other rules may hold.
#[cold]
#[inline(never)]
fn answered_anew(host: &Host, event: &Event) -> Answer {
    match governing(host, &event.cwd) {
        Ok(repo) => engine::modes::answer(&repo, host, event),
        Err(error) => beyond(host, event, &error),
    }
}

/// The answer where the repository does not open: its rules may not read, although git seed lives
/// there.
#[cold]
#[inline(never)]
fn beyond(host: &Host, event: &Event, error: &EngineError) -> Answer {
    let project = host.project.as_deref().and_then(crate::world::variable);
    let opens = !matches!(error, EngineError::NotOpen(_)) && !error.is_chosen();
    let project = project.as_deref().map(Path::new);
    let repo = opens.then(|| Repo::governing_under_shipped(&event.cwd, project));
    match repo {
        Some(Ok(repo)) => engine::modes::beyond(&repo, host, event, error),
        _ => closed(event, error),
    }
}

/// Looks at the rules of the team as a session begins. Where that fails the session begins all the
/// same, under the rules that are in force.
#[inline(never)]
fn policy(repo: &Repo, event: &Event) -> Looked {
    let starts = matches!(event.kind, EventKind::SessionStart { .. });
    if !starts || !repo.is_on() || !repo.is_seeded().is_ok_and(|seeded| seeded) {
        return Looked::default();
    }
    engine::policy::begin(repo).unwrap_or_else(|error| Looked {
        told: vec![tell(Notice::HookTrouble, &[("error", &error.to_string())])],
        applied: false,
    })
}

fn with_word(answer: Answer, looked: Looked) -> Answer {
    let told = looked.told.join("\n");
    let told = (!told.is_empty()).then_some(told);
    Answer { to_person: engine::repo::text::merged(answer.to_person, told), ..answer }
}

fn governing(host: &Host, cwd: &Path) -> Result<Repo, EngineError> {
    let project = host.project.as_deref().and_then(crate::world::variable);
    Repo::governing(cwd, project.as_deref().map(Path::new))
}

/// A call whose payload does not read is refused where git seed lives; of any other event the
/// person hears.
#[cold]
#[inline(never)]
fn unreadable(
    host: &'static Host,
    event: Option<&str>,
    bad: &BadPayload,
    say: &dyn Fn(Option<String>),
) {
    let told = || Some(to_person(tell(Notice::HookUnread, &[("bad", &bad.to_string())])));
    // The payload would name the directory; hosts start their hooks there.
    let cwd = std::env::current_dir().unwrap_or_default();
    let event = event.and_then(|event| hosts::unread_event(host, event, &cwd));
    store::wait_at_most(BEFORE);
    let (Some(event), Ok(repo)) = (event, governing(host, &cwd)) else { return say(told()) };
    let answer = engine::modes::unread(&repo, &event, bad);
    if answer.refuse.is_none() {
        return say(told());
    }
    say(hosts::reply(host, &event, &answer).map(|reply| reply.to_string()));
    engine::modes::before::write_down(&repo, &event);
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
    if let (EventKind::Before(call), true) = (&event.kind, error.is_chosen())
        && !guard::looks(&call.act)
    {
        return Answer::refuse(voice::say(&guard::unjudged(error), "").text());
    }
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
