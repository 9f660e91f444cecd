//! How a run ended where the host tells of no status: what its runner, or what started that,
//! prints when it ends badly, and a status that the line itself printed.
//!
//! Closing lines count tests. A suite that could not be loaded, a threshold that was missed, a
//! kill halfway stand beside good counts, and only the status or these lines tell of them.

use serde::Deserialize;

use super::counts::{self, Counts};
use super::runs::{Recognised, Runs};
use super::thinned;
use crate::shell::{self, Simple};
use crate::shipped;

/// From the end of an output so many lines may be what the line printed of its status.
const LAST: usize = 8;

/// The same from its beginning on, where a log is shown behind it.
const FIRST: usize = 2;

/// What a runner prints when it ends badly, whatever it counted.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BadRow {
    /// Rows of runs.toml; empty is every one.
    pub of: Vec<String>,
    pub lines: Vec<String>,
}

#[derive(Deserialize)]
struct Rows {
    bad: Vec<BadRow>,
    unstarted: Vec<BadRow>,
}

/// How a line ended, as far as it shows that of its run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ended {
    /// As in [`super::Receipt::status`].
    pub status: Option<i32>,
    /// As in [`super::Receipt::shown`].
    pub shown: bool,
    pub counts: Option<Counts>,
    /// As in [`super::Receipt::hidden`].
    pub hidden: bool,
}

impl Ended {
    /// The end of `line`, which was read as `read` and printed `output`; `heard` is the status that
    /// the host told. That a run ended well says nothing where its line threw away what it printed:
    /// many runners end well without a test.
    pub(crate) fn of(
        runs: &Runs,
        (line, read): (&str, &Recognised),
        output: &str,
        heard: Option<i32>,
    ) -> Self {
        let status = read.status(heard);
        let counts = read.run().and_then(|run| closing(run, line, output, status));
        let unseen = read.run().is_some() && counts.is_none() && runs.hides(line);
        let status = status.filter(|status| !unseen || *status != 0);
        // What went well is not all where the line may have left out what failed.
        let cut = matches!(read, Recognised::Masked(_)) && thinned::thins(line, output);
        let counts = counts.filter(|counts| !(cut && counts.are_all_good()));
        let good = counts.is_some_and(Counts::are_all_good);
        let masked = matches!(read, Recognised::Masked(_)) && !good;
        let nothing = status.is_none() && counts.is_some_and(Counts::is_nothing);
        Self { status, shown: read.shows() && !unseen, counts, hidden: unseen || masked || nothing }
    }
}

/// The counts that a run of the row `run` closes with, where `heard` is the status that the host
/// told. Without one a bad end counts as a test that failed.
pub fn closing(run: &str, line: &str, output: &str, heard: Option<i32>) -> Option<Counts> {
    let counts = counts::counts(run, output);
    // Of several parts the last may have had no test, and a pipe shows no other.
    let cut = |counts: &Counts| {
        counts.is_nothing() && shows_an_end(line) && counts::are_of_a_part(run, output)
    };
    let counts = counts.filter(|counts| !cut(counts));
    if heard.is_some() || counts.is_some_and(|counts| counts.failed > 0) {
        return counts;
    }
    let said = says_so(run, output);
    let badly = printed_status(line, output).is_some_and(|status| status != 0)
        || said.is_some_and(|said| said.badly);
    if badly {
        let counts = counts.unwrap_or_default();
        return Some(Counts { failed: 1, at_least: true, ..counts });
    }
    // What never began tested nothing, whatever the tests might have printed otherwise.
    counts.or_else(|| said.filter(|said| said.unstarted).map(|_| Counts::default()))
}

/// Whether the line shows no more than the end of what its run printed.
fn shows_an_end(line: &str) -> bool {
    let cuts = |one: &Simple| one.filters && one.words.first().is_some_and(|word| word == "tail");
    shell::behind_settings(line).is_some_and(|read| read.commands.iter().any(cuts))
}

/// What an output says of the end of its run, beside the counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Says {
    badly: bool,
    /// A shell, or the runner itself, says that it did not begin.
    unstarted: bool,
}

/// What the lines of the output say of the end of the run. A test reads the table: in a binary
/// that passed it, it does.
fn says_so(run: &str, output: &str) -> Option<Says> {
    let rows: Rows = shipped::read(shipped::shipped!("bad_ends")).ok()?;
    let lines = counts::last_lines(output);
    let any = |rows: &[BadRow]| {
        let own = rows.iter().filter(|row| row.of.is_empty() || row.of.iter().any(|of| of == run));
        own.into_iter().any(|row| lines.iter().any(|line| counts::any_like(&row.lines, line)))
    };
    Some(Says { badly: any(&rows.bad), unstarted: any(&rows.unstarted) })
}

/// The status that the line printed of its own run: `…; echo "EXIT $?"`.
fn printed_status(line: &str, output: &str) -> Option<i32> {
    // It is the run's where nothing else ran.
    let one =
        |command: &&Simple| !command.filters && command.words.first().is_none_or(|w| w != "cd");
    if shell::behind_settings(line)?.commands.iter().filter(one).count() != 1 {
        return None;
    }
    let line = line.to_lowercase();
    let prints = line.contains("echo") || line.contains("printf");
    if !prints || !(line.contains("$?") || line.contains("pipestatus")) {
        return None;
    }
    // Before what is shown of a log, or behind what was printed.
    let lines = || output.lines().filter(|line| !line.trim().is_empty());
    let mut told = lines().rev().take(LAST).chain(lines().take(FIRST));
    told.find_map(told_status)
}

/// `EXIT 101`, `exit=1`, `test exit code: 2`: words of which one says what the number is.
fn told_status(line: &str) -> Option<i32> {
    let line = line.trim().trim_matches(['-', '=', '#', '*', ' ']).to_lowercase();
    let digits = line.rfind(|c: char| !c.is_ascii_digit()).map_or(0, |at| at + 1);
    let (said, status) = line.split_at(digits);
    let mut words = said.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_owned);
    let names = ["exit", "exitcode", "exit_code", "code", "status", "rc", "ret", "exited"];
    let plain = said.chars().all(|c| !c.is_ascii_digit());
    let fits = plain && words.any(|word| names.contains(&word.as_str()));
    status.parse().ok().filter(|_| fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn good(run: &str, line: &str, output: &str, heard: Option<i32>) -> bool {
        closing(run, line, output, heard).is_some_and(Counts::are_all_good)
    }

    const CARGO: &str = "test result: ok. 9 passed; 0 failed; 0 ignored; 0 measured\n";

    #[test]
    fn a_bad_end_is_seen_beside_good_counts() {
        let cargo = |end: &str| format!("{CARGO}{end}");
        let jest = |end: &str| format!("Tests:       9 passed, 9 total\n{end}");
        let unmet = "Jest: \"global\" coverage threshold for lines (90%) not met: 80%";
        let uncovered = "9 passed in 1.2s\nFAIL Required test coverage of 90% not reached.";
        let unbuilt = "Tests run: 9, Failures: 0, Errors: 0, Skipped: 0\n[INFO] BUILD FAILURE";
        let piped = "cargo test | tail -20; echo \"EXIT ${PIPESTATUS[0]}\"";
        let logged = "cargo test > log 2>&1; echo \"test exit code: $?\"; tail log";
        for (run, line, output) in [
            ("cargo", "cargo test | tail", cargo("error: test failed, to rerun pass `--lib`")),
            ("cargo", "cargo test | tail", cargo("error: doctest failed, to rerun pass `--doc`")),
            ("cargo", "cargo test | tail", cargo("process didn't exit: (signal: 6, SIGABRT)")),
            ("jest", "npx vitest | tail", jest(" Test Files  1 failed | 1 passed (2)")),
            ("jest", "npx vitest | tail", jest("     Errors  1 error")),
            ("jest", "npx jest | tail", jest("Test Suites: 1 failed, 1 passed, 2 total")),
            ("jest", "npx jest | tail", jest(unmet)),
            ("pytest", "pytest | tail", uncovered.to_owned()),
            ("jvm", "mvn test | tail", unbuilt.to_owned()),
            ("make", "make test | tail", cargo("make: *** [Makefile:3: test] Error 1")),
            ("tasks", "just test | tail", cargo("error: Recipe `test` failed on line 4")),
            ("npm", "npm test | tail", jest("npm error Lifecycle script `test` failed")),
            ("npm", "pnpm test | tail", jest(" ELIFECYCLE  Test failed. See above.")),
            ("cargo", piped, cargo("EXIT 101")),
            ("go", "go test ./... | tail; echo exit=$?", "ok  \tx/y\t0.1s\nexit=124".to_owned()),
            ("cargo", logged, format!("test exit code: 1\n{CARGO}")),
        ] {
            assert!(!good(run, line, &output, None), "{line}\n{output}");
        }
    }

    #[test]
    fn a_good_end_stays_one() {
        let jvm = "[INFO] Tests run: 9, Failures: 0, Errors: 0, Skipped: 0\n[INFO] BUILD SUCCESS";
        let jest = "Test Suites: 2 passed, 2 total\nTests:       9 passed, 9 total";
        let vitest = " Test Files  2 passed (2)\n      Tests  9 passed (9)";
        let echoed = format!("{CARGO}EXIT 0");
        let noisy = format!("make: *** [test] Error 1\n{CARGO}");
        for (run, line, output, heard) in [
            ("cargo", "cargo test | tail", CARGO, None),
            ("cargo", "cargo test | tail -20; echo \"EXIT ${PIPESTATUS[0]}\"", &*echoed, None),
            // What the tests themselves print does no harm where the status is heard.
            ("cargo", "cargo test", &*noisy, Some(0)),
            ("jest", "npx jest | tail", jest, None),
            ("jest", "npx vitest run | tail", vitest, None),
            ("jvm", "mvn test | tail", jvm, None),
        ] {
            assert!(good(run, line, output, heard), "{line}\n{output}");
        }
    }

    #[test]
    fn what_never_began_is_no_run() {
        for (run, output) in [
            ("go", "bash: line 1: go: command not found"),
            ("go", "/bin/sh: 1: go: not found"),
            ("pytest", "zsh: command not found: pytest"),
            ("jvm", "bash: line 1: ./gradlew: No such file or directory"),
            ("jvm", "bash: ./gradlew: Permission denied"),
            ("make", "sh: 1: make: not found"),
            ("npm", "> x@1.0.0 test\n> jest\n\nsh: 1: jest: not found"),
            ("node", "node: bad option: --test-skip-pattern=lower"),
            ("cargo", "error: unexpected argument '--nope' found\n\nUsage: cargo test [OPTIONS]"),
            ("cargo", "error: no such command: `tset`"),
            ("pytest", "ERROR: usage: pytest [options]\npytest: error: unrecognized arguments: -Y"),
            ("pytest", "/usr/bin/python3: No module named pytest"),
            ("go", "flag provided but not defined: -nope\nusage: go test [build/test flags]"),
            ("jest", "error: unknown option '--nope'"),
            ("npm", "npm error Missing script: \"test\""),
        ] {
            let counts = closing(run, "x", output, None);
            assert_eq!(counts.map(Counts::is_nothing), Some(true), "{output}");
            // Where the status is heard, it speaks.
            assert_eq!(closing(run, "x", output, Some(127)), None, "{output}");
        }
        for (run, output) in [
            ("make", "cc -o t t.c\nusage: t [-v]\nall is well"),
            ("make", "rm: cannot remove 'x': No such file or directory\nall is well"),
        ] {
            assert_eq!(closing(run, "x", output, None), None, "{output}");
        }
        let beside = format!("bash: line 3: nproc: command not found\n{CARGO}");
        assert!(good("cargo", "cargo test", &beside, None), "what ran counted its tests");
    }

    #[test]
    fn a_part_without_tests_says_nothing_of_those_that_a_pipe_left_out() {
        let docs = "   Doc-tests x\n\nrunning 0 tests\n\ntest result: ok. 0 passed; 0 failed; \
                    0 ignored; 0 measured; 0 filtered out; finished in 0.00s";
        let none = "?   \texample.com/b\t[no test files]";
        for (run, line, output, known) in [
            ("cargo", "cargo test 2>&1 | tail -3", docs, false),
            ("cargo", "cargo test > log 2>&1; tail -3 log", docs, false),
            ("make", "make test | tail -3", docs, false),
            ("go", "go test ./... | tail -1", none, false),
            ("cargo", "cargo test", docs, true),
            ("cargo", "cargo test 2>&1 | cat", docs, true),
            ("go", "go test ./...", none, true),
            ("node", "node --test | tail", "# tests 0\n# pass 0\n# fail 0", true),
            ("unittest", "python3 -m unittest 2>&1 | tail -3", "Ran 0 tests in 0.000s", true),
        ] {
            let counts = closing(run, line, output, None);
            let expected = known.then_some(true);
            assert_eq!(counts.map(Counts::is_nothing), expected, "{line}");
        }
    }

    #[test]
    fn what_a_line_throws_away_shows_no_end() {
        let runs = Runs::shipped();
        let end = |line: &str, output: &str, heard: Option<i32>| {
            Ended::of(&runs, (line, &runs.recognise(line)), output, heard)
        };
        for (line, output, heard, status) in [
            ("python3 -m unittest -q 2>/dev/null", "", Some(0), None),
            ("node --test > /dev/null", "", Some(0), None),
            ("pytest -q > log 2>&1", "", Some(0), None),
            ("pytest -q -q", "..", Some(0), None),
            ("pytest --quiet -qv", "..", Some(0), Some(0)),
            ("npm test >/dev/null && echo ok", "ok", Some(0), None),
            // A bad end is one, whatever was to be seen.
            ("node --test > /dev/null", "", Some(1), Some(1)),
            // What was thrown away was not what counts.
            ("cargo test 2>/dev/null", CARGO, Some(0), Some(0)),
            ("pytest -q", ".. [100%]\n2 passed in 0.01s", Some(0), Some(0)),
            ("make test", "all is well", Some(0), Some(0)),
        ] {
            assert_eq!(end(line, output, heard).status, status, "{line}");
        }
        let logged = end("cargo test > log; cat log", CARGO, Some(0));
        assert!(logged.shown && logged.counts.is_some_and(Counts::are_all_good));
        assert!(!end("make test | cat > /dev/null", "", None).shown);
        assert!(end("make test | cat", "well", None).shown);
    }

    #[test]
    fn the_rows_read() {
        assert_eq!(says_so("cargo", ""), Some(Says::default()));
    }
}
