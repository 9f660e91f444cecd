//! How a run ended where the host tells of no status: what its runner, or what started that,
//! prints when it ends badly, and a status that the line itself printed.
//!
//! Closing lines count tests. A suite that could not be loaded, a threshold that was missed, a
//! kill halfway stand beside good counts, and only the status or these lines tell of them.

use serde::Deserialize;

use super::counts::{self, Counts};
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
}

/// The counts that a run of the row `run` closes with, where `heard` is the status that the host
/// told. Without one a bad end counts as a test that failed.
pub fn closing(run: &str, line: &str, output: &str, heard: Option<i32>) -> Option<Counts> {
    let counts = counts::counts(run, output);
    if heard.is_some() || counts.is_some_and(|counts| counts.failed > 0) {
        return counts;
    }
    let badly = printed_status(line, output).is_some_and(|status| status != 0)
        || says_so(run, output).unwrap_or(false);
    if badly {
        let counts = counts.unwrap_or_default();
        return Some(Counts { failed: 1, at_least: true, ..counts });
    }
    counts
}

/// Whether a line of the output says that the run ended badly. A test reads the table: in a binary
/// that passed it, it does.
fn says_so(run: &str, output: &str) -> Option<bool> {
    let rows: Rows = shipped::read(shipped::shipped!("bad_ends")).ok()?;
    let rows: Vec<_> = rows
        .bad
        .iter()
        .filter(|row| row.of.is_empty() || row.of.iter().any(|name| name == run))
        .collect();
    let lines = counts::last_lines(output);
    Some(lines.iter().any(|line| rows.iter().any(|row| counts::any_like(&row.lines, line))))
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
    fn the_rows_read() {
        assert_eq!(says_so("cargo", ""), Some(false));
    }
}
