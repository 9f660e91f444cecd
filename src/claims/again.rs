//! Recorded runs of tests, once more: which can be run again, and whether they end as recorded.
//!
//! Pure. What was recorded comes from a chain that anybody may have written, so a line is run again
//! only where it is a program with its arguments that a row knows, and where no word of it leads
//! out of the tree that it ran on.

use serde::Serialize;

use super::runs::Runs;
use super::{Counts, Ran};
use crate::shell;

/// The sign at the end of a line that was too long to be kept.
const CUT: char = '…';

/// What can be run again.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Plain {
    /// The row that knows it.
    pub run: String,
    /// The program and its arguments.
    pub words: Vec<String>,
    /// The directory of the tree in which it runs; empty for its top.
    pub dir: String,
}

/// Why a recorded command is not run again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotPlain {
    /// Only a part of the line was kept.
    Cut,
    /// Only a shell can run the line.
    Shell,
    /// No row knows it as a run of tests.
    Unknown,
    /// It names a place outside of the tree.
    Outside,
    /// Its receipt does not say how it ended.
    NoOutcome,
}

/// What is to be run again for a receipt.
pub(crate) fn plain(ran: &Ran, runs: &Runs) -> Result<Plain, NotPlain> {
    if ran.command.ends_with(CUT) {
        return Err(NotPlain::Cut);
    }
    let words = shell::argv(&ran.command).ok_or(NotPlain::Shell)?;
    let words = unwrapped(words);
    let run = runs.knows(&words).ok_or(NotPlain::Unknown)?.to_owned();
    if leads_out(&ran.dir) || words.iter().any(|word| names_outside(word)) {
        return Err(NotPlain::Outside);
    }
    if passed(ran).is_none() {
        return Err(NotPlain::NoOutcome);
    }
    Ok(Plain { run, words, dir: ran.dir.clone() })
}

/// The command that `git seed exec` confined: its receipt names both.
fn unwrapped(mut words: Vec<String>) -> Vec<String> {
    let head: Vec<&str> = words.iter().map(String::as_str).take(4).collect();
    let own = match head.as_slice() {
        ["git", "seed", "exec", "--"] => 4,
        ["git-seed", "exec", "--", ..] => 3,
        _ => 0,
    };
    words.split_off(own)
}

fn leads_out(path: &str) -> bool {
    path.starts_with('/') || path.split('/').any(|part| part == "..")
}

/// A word that names a place by its way from the root, or out of the directory it is said in; by
/// itself, as the value of an option, or joined to its letter.
fn names_outside(word: &str) -> bool {
    let value = word.split_once('=').map_or(word, |(_, value)| value);
    let joined = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
    let joined = joined.and_then(|rest| rest.get(rest.chars().next()?.len_utf8()..));
    [Some(word), Some(value), joined].into_iter().flatten().any(leads_out)
}

/// Whether the run passed, by what its receipt says.
fn passed(ran: &Ran) -> Option<bool> {
    match (ran.status, ran.counts) {
        (Some(status), _) => Some(status == 0),
        (None, Some(counts)) => Some(counts.are_all_good() && !ran.failed),
        (None, None) => ran.failed.then_some(false),
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ended {
    /// Absent where a signal ended it.
    pub status: Option<i32>,
    pub counts: Option<Counts>,
}

/// Another outcome than the recorded one, both in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Otherwise {
    pub recorded: String,
    pub now: String,
}

/// Whether a run that was run again ended as its receipt says.
pub(crate) fn compared(ran: &Ran, now: &Ended) -> Result<(), Otherwise> {
    let same = match ran.status {
        Some(status) => now.status == Some(status),
        // A host told no number.
        None => passed(ran) == Some(now.status == Some(0)),
    };
    let exact = |counts: &Counts| !counts.at_least;
    let counts = ran.counts.filter(exact).zip(now.counts.filter(exact));
    let tests =
        counts.is_none_or(|(then, now)| (then.passed, then.failed) == (now.passed, now.failed));
    if same && tests {
        return Ok(());
    }
    let told = |status: Option<i32>, counts: Option<Counts>, none: &str| {
        let status = status.map_or_else(|| none.to_owned(), |status| format!("exit {status}"));
        counts.map_or_else(|| status.clone(), |counts| format!("{status}, {counts}"))
    };
    let none = if ran.failed { "it failed" } else { "it passed" };
    let recorded = told(ran.status, ran.counts, none);
    Err(Otherwise { recorded, now: told(now.status, now.counts, "ended by a signal") })
}

/// A command as it is shown: one line, of letters that change nothing on a terminal or in a page.
pub(crate) fn shown(command: &str) -> String {
    const MOST: usize = 80;
    let sign = |c: char| match c {
        '`' => '\'',
        '<' | '>' | '|' => '?',
        c if c.is_control() || is_unseen(c) => ' ',
        c => c,
    };
    let mut letters = command.chars().map(sign);
    let mut text: String = letters.by_ref().take(MOST).collect();
    if letters.next().is_some() {
        text.push(CUT);
    }
    text
}

/// Turns the direction of writing, or takes no room.
fn is_unseen(c: char) -> bool {
    const UNSEEN: [std::ops::RangeInclusive<char>; 4] = [
        '\u{200b}'..='\u{200f}',
        '\u{2028}'..='\u{202e}',
        '\u{2060}'..='\u{206f}',
        '\u{feff}'..='\u{feff}',
    ];
    UNSEEN.iter().any(|range| range.contains(&c))
}

/// What became of a recorded command, for `--json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Rerun {
    /// The receipt.
    pub record: String,
    pub job: String,
    pub command: String,
    /// The tree that it was run on again.
    pub tree: Option<String>,
    /// The commit of the range whose tree that is, where the tree of then is not here.
    pub commit: Option<String>,
    pub outcome: Outcome,
}

/// How a run that was run again compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    Same,
    Other,
    NotRun,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ran(command: &str) -> Ran {
        Ran { command: command.to_owned(), status: Some(0), ..Ran::default() }
    }

    fn tried(ran: &Ran) -> Result<Vec<String>, NotPlain> {
        plain(ran, &Runs::shipped()).map(|plain| plain.words)
    }

    #[test]
    fn only_known_runs_that_need_no_shell_are_run_again() {
        use NotPlain::{Cut, Outside, Shell, Unknown};
        let words = |line: &str| Ok(line.split(' ').map(str::to_owned).collect::<Vec<_>>());
        for (line, expected) in [
            ("cargo test", words("cargo test")),
            ("cargo test --lib lexer", words("cargo test --lib lexer")),
            ("./gradlew test", words("./gradlew test")),
            ("git seed exec -- cargo test", words("cargo test")),
            ("git-seed exec -- cargo test", words("cargo test")),
            ("cargo test 2>&1 | tail", Err(Shell)),
            ("cd x && cargo test", Err(Shell)),
            ("CI=1 cargo test", Err(Shell)),
            ("cargo test --no-run", Err(Unknown)),
            ("cargo test --config x", Err(Unknown)),
            ("rm -rf x", Err(Unknown)),
            ("sh -c 'cargo test'", Err(Unknown)),
            ("sudo cargo test", Err(Unknown)),
            ("docker compose run x cargo test", Err(Unknown)),
            ("env -C / cargo test", Err(Unknown)),
            ("/tmp/cargo test", Err(Unknown)),
            ("../cargo test", Err(Unknown)),
            ("/usr/bin/make test", Err(Outside)),
            ("../bin/make test", Err(Outside)),
            ("pytest /home/ada/tests", Err(Outside)),
            ("pytest --rootdir=/x tests", Err(Outside)),
            ("make -C/x test", Err(Outside)),
            ("make -C .. test", Err(Outside)),
            ("make -C../x test", Err(Outside)),
            ("pytest a/../../b", Err(Outside)),
            ("cargo test aaaa…", Err(Cut)),
        ] {
            assert_eq!(tried(&ran(line)), expected, "{line}");
        }
        for dir in ["/x", "..", "a/../.."] {
            let there = Ran { dir: dir.to_owned(), ..ran("cargo test") };
            assert_eq!(tried(&there), Err(Outside), "{dir}");
        }
        let untold = Ran { status: None, ..ran("cargo test") };
        assert_eq!(tried(&untold), Err(NotPlain::NoOutcome));
        assert!(tried(&Ran { failed: true, ..untold }).is_ok());
    }

    #[test]
    fn an_outcome_is_status_and_tests() {
        let counts = |passed, failed| Some(Counts { passed, failed, ..Counts::default() });
        let then = |status, counts, failed| Ran { status, failed, counts, ..ran("cargo test") };
        let now = |status, counts| Ended { status, counts };
        let least = Some(Counts { at_least: true, ..counts(9, 0).expect("some") });
        for (then, now, same) in [
            (then(Some(0), None, false), now(Some(0), counts(3, 0)), true),
            (then(Some(0), counts(3, 0), false), now(Some(0), counts(3, 0)), true),
            (then(Some(0), counts(3, 0), false), now(Some(0), None), true),
            (then(Some(0), counts(41, 0), false), now(Some(0), counts(3, 0)), false),
            (then(Some(0), counts(41, 0), false), now(Some(0), least), true),
            (then(Some(0), None, false), now(Some(101), None), false),
            (then(Some(0), None, false), now(None, None), false),
            (then(Some(101), None, true), now(Some(101), None), true),
            (then(Some(101), None, true), now(Some(0), None), false),
            (then(None, counts(3, 0), false), now(Some(0), counts(3, 0)), true),
            (then(None, counts(3, 0), false), now(Some(1), counts(3, 0)), false),
            (then(None, counts(2, 1), false), now(Some(1), counts(2, 1)), true),
            (then(None, counts(2, 1), false), now(Some(0), counts(3, 0)), false),
            (then(None, None, true), now(Some(7), None), true),
            (then(None, None, true), now(Some(0), None), false),
        ] {
            assert_eq!(compared(&then, &now).is_ok(), same, "{then:?} {now:?}");
        }
        let other = compared(&then(Some(0), counts(41, 0), false), &now(Some(1), counts(40, 1)));
        let other = other.expect_err("it is another one");
        assert_eq!(other.recorded, "exit 0, 41 passed");
        assert_eq!(other.now, "exit 1, 40 passed, 1 failed");
    }

    #[test]
    fn a_command_is_shown_on_one_line() {
        assert_eq!(shown("cargo test 'a|b'"), "cargo test 'a?b'");
        assert_eq!(
            shown("a\n::error::b `c` <img> \u{1b}[31m\u{202e}x"),
            "a ::error::b 'c' ?img?  [31m x"
        );
        assert_eq!(shown(&"x".repeat(81)).chars().count(), 81);
    }
}
