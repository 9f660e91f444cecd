//! One run of tests for a client whose own sandbox keeps it from leaving a receipt.
//!
//! The server lies outside of that sandbox, so what it starts is held more tightly than
//! `git seed exec` holds a command: by the kernel, in what the phase opens of the work tree and a
//! scratch directory, and apart from all other programs. Only a line that the rows of `[[run]]`
//! know is run, as a program with its arguments and without a shell, and only where the phase
//! opens it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::confine;
use crate::engine::claims::receipts::{self, Watched};
use crate::engine::modes;
use crate::engine::repo::{EngineError, Repo, Result};
use crate::engine::unhooked::{Unhooked, changes, look, note_call, own_job, row};
use crate::event::{Act, EventKind, Outcome, ToolCall};
use crate::voice::{Notice, tell};
use crate::world;

/// The flags of a command that is watched: it is confined and nothing else, and held apart.
pub(crate) const BARE: &str = "--bare";
pub(crate) const APART: &str = "--apart";

/// The lines and the characters of its output that are told, the last ones.
const LINES: usize = 80;
const CHARACTERS: usize = 8 * 1024;

/// What is to be run.
pub(crate) struct Asked<'a> {
    /// The program and its arguments.
    pub words: &'a [String],
    /// Where, from the directory of the client.
    pub dir: &'a str,
    /// How long it may take.
    pub most: Duration,
    /// The id of the call.
    pub call: &'a str,
}

/// Whoever waits for it.
pub(crate) trait Waiting {
    /// Somebody still does.
    fn waits(&self) -> bool;
    /// It goes on: so many seconds by now.
    fn hears(&self, seconds: u64, text: String);
}

/// What came of it.
pub(crate) enum Ran {
    Passed(String),
    Failed(String),
    /// It was not run, or was ended; no receipt.
    No(String),
}

/// Runs tests, and leaves the receipt.
///
/// # Errors
///
/// Says why nothing is run here at all, and what the repository's own trouble is.
pub(crate) fn run(
    repo: &Repo,
    own: &Unhooked,
    asked: &Asked<'_>,
    waiting: &dyn Waiting,
) -> Result<Ran> {
    own_job(repo, own)?;
    let dir = look::inside(repo, own, asked.dir)?;
    let words: Vec<OsString> = asked.words.iter().map(OsString::from).collect();
    let watched = receipts::run_of_words(repo, &words, &dir).filter(|run| run.run.is_some());
    let Some(watched) = watched.filter(|_| dir.is_dir()) else {
        let line = asked.words.join(" ");
        note_call(repo, own, "run", asked.call)?;
        return Ok(Ran::No(tell(Notice::UnhookedNoRun, &[("line", &line)])));
    };
    if let Err(why) = confine::check_apart() {
        let why = why.to_string();
        return Err(EngineError::NotNow(tell(Notice::UnhookedNotHeld, &[("why", &why)])));
    }
    // What the agent changed until now is not the run's.
    changes::hear(repo, own.cwd.clone())?;
    let call = ToolCall {
        tool: "run".to_owned(),
        id: asked.call.to_owned(),
        act: Act::Shell {
            command: format!("git seed exec -- {}", watched.line),
            cwd: Some(dir.clone()),
            background: false,
        },
        mentions: Vec::new(),
    };
    let before = own.event("run", EventKind::Before(call.clone()));
    let answer = modes::answer(repo, row()?, &before);
    // Nobody is there who could be asked.
    if let Some(refused) = answer.refuse.or(answer.ask) {
        modes::before::write_down(repo, &before);
        return Ok(Ran::No(refused));
    }
    let ended = held(repo, &watched, (&words, &dir), asked.most, waiting)?;
    if let Ok((code, printed)) = &ended.came {
        let outcome = Outcome {
            ok: *code == 0,
            status: Some(*code),
            printed: printed.clone(),
            ..Outcome::default()
        };
        let after = own.event("run", EventKind::After { call, outcome });
        let told = modes::answer(repo, row()?, &after).context;
        return Ok(ended.told(&watched, told));
    }
    note_call(repo, own, "run", asked.call)?;
    Ok(ended.told(&watched, None))
}

/// How a run ended.
struct Ended {
    /// Its exit code and what it printed; else that its time was over, or that nobody waited.
    came: std::result::Result<(i32, String), Notice>,
    seconds: u64,
    /// Why there is no receipt, where it should be.
    trouble: Option<EngineError>,
}

/// Runs it confined, and leaves the receipt.
fn held(
    repo: &Repo,
    watched: &Watched,
    (words, dir): (&[OsString], &PathBuf),
    most: Duration,
    waiting: &dyn Waiting,
) -> Result<Ended> {
    let before = receipts::tree_of_now(repo)?;
    let began = Instant::now();
    let said = std::cell::Cell::new(0);
    let goes_on = || {
        let seconds = began.elapsed().as_secs();
        if seconds > said.get() {
            said.set(seconds);
            let facts = [("line", watched.line.as_str()), ("seconds", &*seconds.to_string())];
            waiting.hears(seconds, tell(Notice::UnhookedRuns, &facts));
        }
        waiting.waits() && began.elapsed() < most
    };
    let mut line: Vec<OsString> = ["exec", BARE, APART, "--"].map(OsString::from).into();
    line.extend(words.iter().cloned());
    let ran = if waiting.waits() {
        world::run_while(&world::own_binary(), &line, Path::new(dir), &goes_on)?
    } else {
        world::Waited::default()
    };
    let seconds = began.elapsed().as_secs();
    let Some(code) = ran.code.map(i32::from) else {
        let why =
            if waiting.waits() { Notice::UnhookedRanLate } else { Notice::UnhookedRanStopped };
        return Ok(Ended { came: Err(why), seconds, trouble: None });
    };
    let left = receipts::leave_run(repo, watched, dir, (code, &ran.printed), before);
    Ok(Ended { came: Ok((code, ran.printed)), seconds, trouble: left.err() })
}

impl Ended {
    fn told(self, watched: &Watched, context: Option<String>) -> Ran {
        let seconds = self.seconds.to_string();
        let facts = [("line", watched.line.as_str()), ("seconds", &*seconds)];
        let (code, printed) = match self.came {
            Ok(came) => came,
            Err(why) => return Ran::No(tell(why, &facts)),
        };
        let trouble = self
            .trouble
            .map(|error| tell(Notice::UnhookedNoReceipt, &[("error", &error.to_string())]));
        let code_told = code.to_string();
        let facts = [facts[0], facts[1], ("code", &*code_told)];
        let head = trouble.unwrap_or_else(|| tell(Notice::UnhookedRan, &facts));
        let parts = [Some(head), Some(tail(&printed)).filter(|text| !text.is_empty()), context];
        let text = parts.into_iter().flatten().collect::<Vec<_>>().join("\n");
        if code == 0 { Ran::Passed(text) } else { Ran::Failed(text) }
    }
}

/// The last lines of what was printed.
fn tail(printed: &str) -> String {
    let printed = printed.trim_end();
    let from_lines = printed.rmatch_indices('\n').nth(LINES - 1).map_or(0, |(at, _)| at + 1);
    let from_end = printed.char_indices().rev().nth(CHARACTERS - 1).map_or(0, |(at, _)| at);
    match from_lines.max(from_end) {
        0 => printed.to_owned(),
        at => format!("{}\n{}", tell(Notice::UnhookedRanTail, &[]), &printed[at..]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_told_however_long_they_are() {
        assert_eq!(tail("one\ntwo\n"), "one\ntwo");
        assert_eq!(tail(" \n"), "");
        let many: String = (0..200).map(|n| format!("line {n}\n")).collect();
        let told = tail(&many);
        assert!(told.starts_with("(the last lines") && told.ends_with("line 199"), "{told}");
        assert_eq!(told.lines().count(), LINES + 1);
        let long = "\u{e9}".repeat(20_000);
        assert_eq!(tail(&long).lines().last().map(|line| line.chars().count()), Some(CHARACTERS));
    }
}
