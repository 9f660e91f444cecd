//! How many tests a run was, by the closing lines of its runner.
//!
//! The lines come from the output that a host hands over with the end of a call, so this is
//! what the runner says of itself. Where no row of closings.toml reads them, nothing is known,
//! and a receipt says so.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::shipped;

/// The most text that is read, from its end on.
const READ: usize = 256 * 1024;

/// How many lines at the end of an output speak where no row reads it.
const LAST: usize = 12;

/// The longest line that can be a closing one.
const LINE: usize = 400;

/// Tests of one run, as its runner counted them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    pub passed: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub failed: u64,
    /// Skipped, ignored, pending, or failed as was expected.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub skipped: u64,
    /// There, and left out by a filter.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left: u64,
    /// The runner names what ran and does not count: there were at least so many.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub at_least: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Counts {
    /// Lines that were counted by a row of another runner say that some passed, not how many:
    /// parts of tests may stand among them.
    fn of_lines(self) -> Self {
        let some = |count: u64| if self.at_least { count.min(1) } else { count };
        Self { passed: some(self.passed), failed: some(self.failed), ..self }
    }

    /// Nothing was tested: no test was found, or all were skipped or left out.
    pub(crate) fn is_nothing(self) -> bool {
        self.passed == 0 && self.failed == 0
    }

    /// Tests passed, and none failed.
    pub(crate) fn are_all_good(self) -> bool {
        self.passed > 0 && self.failed == 0
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.at_least {
            out.write_str("at least ")?;
        }
        write!(out, "{} passed", self.passed)?;
        for (count, word) in
            [(self.failed, "failed"), (self.skipped, "skipped"), (self.left, "left out")]
        {
            if count > 0 {
                write!(out, ", {count} {word}")?;
            }
        }
        Ok(())
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    passed: Vec<String>,
    failed: Vec<String>,
    skipped: Vec<String>,
    left: Vec<String>,
    found: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Order {
    #[default]
    Behind,
    Before,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Many {
    Sum,
    Last,
    /// The last one of each of `lines`.
    Lasts,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct ClosingRow {
    of: Vec<String>,
    lines: Vec<String>,
    #[serde(default)]
    needs: Vec<String>,
    #[serde(default)]
    order: Order,
    many: Many,
    #[serde(default)]
    minus: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct NoneRow {
    of: Vec<String>,
    lines: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct EachRow {
    of: Vec<String>,
    passed: Vec<String>,
    #[serde(default)]
    failed: Vec<String>,
    #[serde(default)]
    skipped: Vec<String>,
    #[serde(default)]
    nothing: Vec<String>,
    #[serde(default)]
    total: String,
    #[serde(default)]
    exact: bool,
    #[serde(default)]
    number: bool,
    #[serde(default)]
    unless: Vec<String>,
}

/// All rows of closings.toml.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Closings {
    words: Words,
    closing: Vec<ClosingRow>,
    none: Vec<NoneRow>,
    each: Vec<EachRow>,
}

/// What a number on a closing line counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Passed,
    Failed,
    Skipped,
    Left,
    Found,
}

/// Numbers of closing lines, before the whole and its parts are told apart.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    counts: Counts,
    said_passed: bool,
    found: u64,
}

/// The counts that `output` of a run of the row `run` closes with; none where no row reads it.
pub fn counts(run: &str, output: &str) -> Option<Counts> {
    // A test reads the table: in a binary that passed it, it does.
    let closings: Closings = shipped::read(shipped::shipped!("closings")).ok()?;
    closings.counts(run, output)
}

/// Whether a line of `output` may close a part of a run, of which there are several that add up.
pub(super) fn are_of_a_part(run: &str, output: &str) -> bool {
    let Ok(closings) = shipped::read::<Closings>(shipped::shipped!("closings")) else {
        return false;
    };
    let known = closings.knows(run);
    let fits = |of: &[String]| of.iter().any(|name| name == run) || !known && !of.is_empty();
    let lines = last_lines(output);
    let any = |patterns: &[String]| lines.iter().any(|line| any_like(patterns, line));
    let sums = |row: &ClosingRow| row.many == Many::Sum && row.needs.is_empty();
    closings.closing.iter().any(|row| sums(row) && fits(&row.of) && any(&row.lines))
        || closings.each.iter().any(|row| fits(&row.of) && any(&row.nothing))
}

/// Lines at the end of an output that can be closing ones, without colours and frames.
pub(super) fn last_lines(output: &str) -> Vec<String> {
    let start = output.len().saturating_sub(READ);
    let start = (start..output.len()).find(|at| output.is_char_boundary(*at)).unwrap_or(0);
    output[start..].lines().filter(|line| line.len() <= LINE).map(plain).collect()
}

impl Closings {
    fn counts(&self, run: &str, output: &str) -> Option<Counts> {
        let start = output.len().saturating_sub(READ);
        let start = (start..output.len()).find(|at| output.is_char_boundary(*at)).unwrap_or(0);
        // What starts runners may name the package before each line of theirs.
        let bare = |line: &str| if self.knows(run) { plain(line) } else { plain(unnamed(line)) };
        let lines: Vec<String> = output[start..]
            .lines()
            .filter(|line| line.len() <= LINE)
            .map(bare)
            .filter(|line| !line.is_empty())
            .collect();
        let own = |of: &[String]| of.iter().any(|name| name == run);
        let known = self.knows(run).then(|| self.read(run, &lines, own)).flatten();
        let named = |of: &[String]| !of.is_empty();
        // What no row of its own reads may be another runner's: programs start others.
        known
            .or_else(|| {
                let read = self.read(run, &lines, named)?;
                Some(if self.knows(run) { read.of_lines() } else { read })
            })
            .or_else(|| self.read(run, &lines, <[String]>::is_empty))
            .or_else(|| self.seems(&lines))
    }

    /// What the last lines say where no row reads them: that some passed and none failed, or that
    /// some failed. Words without a number on either side leave it open.
    fn seems(&self, lines: &[String]) -> Option<Counts> {
        let mut counts = Counts { at_least: true, ..Counts::default() };
        for line in &lines[lines.len().saturating_sub(LAST)..] {
            let tokens: Vec<Token<'_>> = tokens(line).collect();
            for (at, token) in tokens.iter().enumerate() {
                let Token::Word(word) = token else { continue };
                let count = number_beside(&tokens, at);
                match self.kind(word) {
                    Some(Kind::Failed) => match count? {
                        0 => {}
                        _ => counts.failed = 1,
                    },
                    Some(Kind::Passed) if count.is_some_and(|count| count > 0) => counts.passed = 1,
                    _ => {}
                }
            }
        }
        (!counts.is_nothing()).then_some(counts)
    }

    fn read(
        &self,
        run: &str,
        lines: &[String],
        fits: impl Fn(&[String]) -> bool,
    ) -> Option<Counts> {
        self.closing
            .iter()
            .filter(|row| fits(&row.of))
            .find_map(|row| self.closed(row, run, lines))
            .or_else(|| {
                // A row that finds nothing but parts without tests leaves it to the others.
                let each = self.each.iter().filter(|row| fits(&row.of));
                let found: Vec<Counts> = each.filter_map(|row| row.of(lines)).collect();
                let some = found.iter().find(|counts| !counts.is_nothing() || counts.skipped > 0);
                some.or(found.first()).copied()
            })
            .or_else(|| {
                let none = |row: &NoneRow| lines.iter().any(|line| any_like(&row.lines, line));
                let found = self.none.iter().filter(|row| fits(&row.of)).any(none);
                found.then(Counts::default)
            })
    }

    /// Some row is of that runner and not of what it may start.
    fn knows(&self, run: &str) -> bool {
        let named = |of: &[String]| of.iter().any(|name| name == run);
        self.closing.iter().any(|row| named(&row.of)) || self.each.iter().any(|row| named(&row.of))
    }

    fn closed(&self, row: &ClosingRow, run: &str, lines: &[String]) -> Option<Counts> {
        if !row.needs.is_empty() && !lines.iter().any(|line| any_like(&row.needs, line)) {
            return None;
        }
        let like = |patterns: &'_ [String]| -> Vec<&String> {
            lines.iter().filter(|line| any_like(patterns, line)).collect()
        };
        let fitting: Vec<&String> = match row.many {
            Many::Sum => like(&row.lines),
            // What starts runners (`npm test` in workspaces, `make`) may start several.
            Many::Last if !self.knows(run) => like(&row.lines),
            Many::Last => like(&row.lines).pop().into_iter().collect(),
            Many::Lasts => {
                row.lines.iter().filter_map(|one| like(std::slice::from_ref(one)).pop()).collect()
            }
        };
        let mut sums = Sums::default();
        for line in &fitting {
            for (kind, count) in self.numbers(line, row.order) {
                sums.add(kind, count);
            }
        }
        let minus = lines.iter().filter(|line| any_like(&row.minus, line)).count();
        (!fitting.is_empty()).then(|| {
            let mut counts = sums.counts();
            counts.passed = counts.passed.saturating_sub(minus as u64);
            counts
        })
    }

    /// The numbers of a line with what they count.
    fn numbers(&self, line: &str, order: Order) -> Vec<(Kind, u64)> {
        let tokens: Vec<Token<'_>> = tokens(line).collect();
        let numbers = tokens.iter().enumerate().filter_map(|(at, token)| match token {
            Token::Number(count) => Some((self.counted(&tokens, at, order)?, *count)),
            _ => None,
        });
        numbers.collect()
    }

    /// What the number at `at` counts.
    fn counted(&self, tokens: &[Token<'_>], at: usize, order: Order) -> Option<Kind> {
        let before = |steps: usize| at.checked_sub(steps).and_then(|at| tokens.get(at));
        let is_tie = |token: Option<&Token<'_>>| matches!(token, Some(Token::Sign(':' | '=')));
        if order == Order::Before {
            let steps = if is_tie(before(1)) { 2 } else { 1 };
            return self.named(before(steps + 1), before(steps));
        }
        // `1 passed`, `2 tests failed`; behind `Tests:` as well, but not where the word names
        // the next number (`Failed: 1 Passed: 2`).
        let (next, second) = (tokens.get(at + 1), tokens.get(at + 2));
        let names_another = is_tie(second) && is_tie(before(1));
        let behind = match self.named(None, next).filter(|_| !names_another) {
            Some(Kind::Found) => self.named(None, second).or(Some(Kind::Found)),
            kind => self.pair(next, second).or(kind),
        };
        if behind.is_some() {
            return behind;
        }
        if is_tie(before(1)) {
            return self.named(before(3), before(2));
        }
        // The whole stands in brackets or behind `out of`.
        let whole = matches!(before(1), Some(Token::Sign('(') | Token::Word("of")));
        (whole && !matches!(next, Some(Token::Word(_)))).then_some(Kind::Found)
    }

    /// What a word says, or two together (`expected failures`).
    fn named(&self, first: Option<&Token<'_>>, second: Option<&Token<'_>>) -> Option<Kind> {
        let Some(Token::Word(word)) = second else { return None };
        self.pair(first, second).or_else(|| self.kind(word))
    }

    fn pair(&self, first: Option<&Token<'_>>, second: Option<&Token<'_>>) -> Option<Kind> {
        let (Some(Token::Word(first)), Some(Token::Word(second))) = (first, second) else {
            return None;
        };
        self.kind(&format!("{first} {second}"))
    }

    fn kind(&self, word: &str) -> Option<Kind> {
        let word = word.to_lowercase();
        let words = &self.words;
        [
            (&words.passed, Kind::Passed),
            (&words.failed, Kind::Failed),
            (&words.skipped, Kind::Skipped),
            (&words.left, Kind::Left),
            (&words.found, Kind::Found),
        ]
        .into_iter()
        .find(|(known, _)| known.contains(&word))
        .map(|(_, kind)| kind)
    }
}

impl EachRow {
    fn total_of(&self, line: &str) -> Option<u64> {
        let fits = !self.total.is_empty() && any_like(std::slice::from_ref(&self.total), line);
        fits.then(|| line.rsplit(|c: char| !c.is_ascii_digit()).find_map(|n| n.parse().ok()))?
    }

    fn of(&self, lines: &[String]) -> Option<Counts> {
        let mut counts = Counts { at_least: !self.exact, ..Counts::default() };
        let mut seen = false;
        if lines.iter().any(|line| any_like(&self.unless, line)) {
            return None;
        }
        for line in lines {
            let many = self.number.then(|| first_number(line)).flatten().unwrap_or(1);
            let count = |is: bool| if is { many } else { 0 };
            let nothing = any_like(&self.nothing, line);
            let skipped = !nothing && any_like(&self.skipped, line);
            let passed = !nothing && !skipped && any_like(&self.passed, line);
            let failed = !nothing && !skipped && any_like(&self.failed, line);
            counts.skipped = counts.skipped.saturating_add(count(skipped));
            counts.passed = counts.passed.saturating_add(count(passed));
            counts.failed = counts.failed.saturating_add(count(failed));
            seen |= nothing || skipped || passed || failed;
            if let Some(total) = self.total_of(line) {
                let counted = counts.passed + counts.failed + counts.skipped;
                counts.at_least |= total != counted;
            }
        }
        seen.then_some(counts)
    }
}

impl Sums {
    fn add(&mut self, kind: Kind, count: u64) {
        let sum = match kind {
            Kind::Passed => {
                self.said_passed = true;
                &mut self.counts.passed
            }
            Kind::Failed => &mut self.counts.failed,
            Kind::Skipped => &mut self.counts.skipped,
            Kind::Left => &mut self.counts.left,
            Kind::Found => &mut self.found,
        };
        *sum = sum.saturating_add(count);
    }

    /// Where the line names the whole and no passed ones, they are what is left of it.
    fn counts(mut self) -> Counts {
        if !self.said_passed {
            let others = self.counts.failed.saturating_add(self.counts.skipped);
            self.counts.passed = self.found.saturating_sub(others);
            // `1 test failed`, and no word of the others.
            self.counts.at_least = self.found == 0 && self.counts.failed > 0;
        }
        self.counts
    }
}

/// The number that a word belongs to: the nearest before it with words between them alone, else
/// the one right behind it (`Failed: 0`).
fn number_beside(tokens: &[Token<'_>], at: usize) -> Option<u64> {
    let number = |token: &Token<'_>| match token {
        Token::Number(number) => Some(*number),
        _ => None,
    };
    let before = tokens[..at].iter().rev();
    let near = before.take_while(|token| !matches!(token, Token::Sign(_))).find_map(number);
    let behind = || {
        let tie = |token: &&Token<'_>| !matches!(token, Token::Sign(':' | '='));
        tokens[at + 1..].iter().take(2).find(tie).and_then(number)
    };
    near.or_else(behind)
}

fn first_number(line: &str) -> Option<u64> {
    tokens(line).find_map(|token| match token {
        Token::Number(number) => Some(number),
        _ => None,
    })
}

/// A line without `package:task: ` or `package task: ` before it.
fn unnamed(line: &str) -> &str {
    let is_name = |name: &str| {
        !name.is_empty()
            && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '@' | '/' | '-' | '_' | '.'))
    };
    // libtest's own line reads as if a package `test` had a task `result`.
    let named = line.split_once(": ").filter(|(name, _)| {
        *name != "test result"
            && name
                .split_once([':', ' '])
                .is_some_and(|(package, task)| is_name(package) && task.split(':').all(is_name))
    });
    named.map_or(line, |(_, rest)| rest)
}

/// A line without its colours, and without the blanks and signs that frame it.
fn plain(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut chars = line.chars();
    while let Some(char) = chars.next() {
        if char == '\u{1b}' {
            // `ESC [ … letter`; any other escape is one sign long.
            if chars.next() == Some('[') {
                let _ = chars.find(char::is_ascii_alphabetic);
            }
        } else if char.is_whitespace() {
            if !out.ends_with(' ') {
                out.push(' ');
            }
        } else if !char.is_control() {
            out.push(char);
        }
    }
    let frames = |char: char| matches!(char, '=' | '-' | '#' | '|' | 'ℹ' | '✔' | '✖' | ' ' | '*');
    out.trim_matches(frames).to_owned()
}

pub(super) fn any_like(patterns: &[String], line: &str) -> bool {
    patterns.iter().any(|pattern| is_like(pattern.as_bytes(), line.as_bytes()))
}

/// `*` stands for anything, `#` for a number, which may have a point in it; behind `\\` a sign
/// stands for itself.
fn is_like(pattern: &[u8], line: &[u8]) -> bool {
    let (mut at, mut to) = (0, 0);
    // Where to go on after the last `*`, should it have taken too little.
    let mut again: Option<(usize, usize)> = None;
    loop {
        match pattern.get(at) {
            Some(b'*') => {
                again = Some((at + 1, to));
                at += 1;
                continue;
            }
            Some(b'#') => {
                let digits = |byte: &&u8| byte.is_ascii_digit() || **byte == b'.';
                let taken = line[to..].iter().take_while(digits).count();
                let taken = taken - usize::from(taken > 0 && line[to + taken - 1] == b'.');
                let apart = to == 0 || !line[to - 1].is_ascii_digit();
                if taken > 0 && apart {
                    (at, to) = (at + 1, to + taken);
                    continue;
                }
            }
            Some(b'\\') if pattern.get(at + 1).is_some_and(|byte| line.get(to) == Some(byte)) => {
                (at, to) = (at + 2, to + 1);
                continue;
            }
            Some(byte) if *byte != b'\\' && line.get(to) == Some(byte) => {
                (at, to) = (at + 1, to + 1);
                continue;
            }
            None if to == line.len() => return true,
            _ => {}
        }
        match again {
            Some((after, taken)) if taken < line.len() => {
                again = Some((after, taken + 1));
                (at, to) = (after, taken + 1);
            }
            _ => return false,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'l> {
    Word(&'l str),
    Number(u64),
    Sign(char),
}

/// Words, whole numbers and signs of a line; blanks are none of them.
fn tokens(line: &str) -> impl Iterator<Item = Token<'_>> {
    let mut rest = line;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let first = rest.chars().next()?;
        let part = |char: char| char.is_alphanumeric() || matches!(char, '-' | '_' | '.');
        let len = if part(first) { rest.find(|c| !part(c)).unwrap_or(rest.len()) } else { 0 };
        let (word, behind) = rest.split_at(if len == 0 { first.len_utf8() } else { len });
        rest = behind;
        if len == 0 {
            return Some(Token::Sign(first));
        }
        let word = word.trim_end_matches('.');
        Some(word.parse().map_or(Token::Word(word), Token::Number))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn patterns_are_as_the_table_says() {
        for (pattern, line, fits) in [
            ("# passed* in #*s*", "3 passed, 1 skipped in 0.02s", true),
            ("# passed* in #*s*", "13 passed in 0.02s (0:00:01)", true),
            ("# passed* in #*s*", "x passed in 0.02s", false),
            ("Tests *# *(#)", "Tests 5 passed | 1 skipped (6)", true),
            ("ok *#s", "ok example.com/a 0.003s", true),
            ("ok *#s", "ok example.com/a", false),
            ("# pass", "5 pass", true),
            ("# pass", "15 passes", false),
            ("ok # * \\# skip*", "ok 5 late # skip not here", true),
            ("ok # * \\# skip*", "ok 5 late 3 skip", false),
            ("*", "", true),
            ("#", "", false),
        ] {
            assert_eq!(is_like(pattern.as_bytes(), line.as_bytes()), fits, "{pattern} {line}");
        }
    }

    #[test]
    fn every_row_reads_in_both_forms_and_names_rows_of_runs() {
        let closings: Closings = shipped::read(shipped::shipped!("closings")).expect("rows");
        let written: Closings = toml::from_str(include_str!("closings.toml")).expect("the TOML");
        assert_eq!(format!("{closings:?}"), format!("{written:?}"));
        let runs = crate::claims::runs::Runs::shipped();
        let names: Vec<&str> = runs.names().collect();
        let of = closings.closing.iter().map(|row| &row.of);
        let of = of.chain(closings.none.iter().map(|row| &row.of));
        for name in of.chain(closings.each.iter().map(|row| &row.of)).flatten() {
            assert!(names.contains(&name.as_str()), "{name}: known are {}", names.join(", "));
        }
    }

    #[test]
    fn runners_without_a_row_are_counted() {
        for (run, output, wanted) in [
            ("ctest", "100% tests passed, 0 tests failed out of 11\n", "11 passed"),
            ("ctest", "94% tests passed, 1 tests failed out of 16\n", "15 passed, 1 failed"),
            ("native", "4 examples, 0 failures\nTest suite spec: PASS\n", "4 passed"),
            ("native", "Test suite spec: FAIL\n", "at least 0 passed, 1 failed"),
            ("native", "00:02 +5: All tests passed!\n", "at least 1 passed"),
            (
                "native",
                "[  PASSED  ] 11 tests.\n[  FAILED  ] 1 test, listed below:\n",
                "11 passed, 1 failed",
            ),
            (
                "other",
                "Done. PASS=12 WARN=0 ERROR=1 SKIP=2 TOTAL=15\n",
                "12 passed, 1 failed, 2 skipped",
            ),
            ("other", "[ FAIL 0 | WARN 0 | SKIP 1 | PASS 12 ]\n", "12 passed, 1 skipped"),
            ("other", "Success! 3 passed, 0 failed.\n", "3 passed"),
            (
                "bats",
                "5 successes / 1 failure / 0 errors / 0 pending : 0.003 seconds\n",
                "5 passed, 1 failed",
            ),
            ("doctest", "1 tests in 2 items.\n1 passed and 0 failed.\nTest passed.\n", "1 passed"),
            ("doctest", "0 tests in 1 items.\n0 passed and 0 failed.\n", "0 passed"),
            ("doctest", "2 tests in 1 item.\n2 passed.\nTest passed.\n", "2 passed"),
            ("doctest", "***Test Failed*** 2 failures.\n", "at least 0 passed, 2 failed"),
            ("jvm", "BUILD SUCCESSFUL in 3s\n", "at least 1 passed"),
            (
                "make",
                "Ok: 6\nExpected Fail: 0\nFail: 1\nSkipped: 2\n",
                "6 passed, 1 failed, 2 skipped",
            ),
            ("native", "Executed 2 out of 3 tests: 3 tests pass.\n", "3 passed"),
            (
                "native",
                "Executed 3 out of 3 tests: 2 tests pass and 1 fails locally.\n",
                "2 passed, 1 failed",
            ),
            ("other", "══ DONE ═════════\n", "at least 1 passed"),
            ("other", "TESTED:  8\nPASSED:  7\nFAILED:  0\nIGNORED: 1\n", "7 passed, 1 skipped"),
            ("other", "INFO - 5 of 5 executed test cases passed (100%)\n", "at least 1 passed"),
            (
                "other",
                "I - 1 of 2 configurations passed, 0 built, 1 failed\n",
                "at least 1 passed, 1 failed",
            ),
            ("jvm", "> Task :test NO-SOURCE\nBUILD SUCCESSFUL in 3s\n", "0 passed"),
            ("native", "INFO: Found 0 test targets...\n", "0 passed"),
            ("monorepo", " Tasks:    0 successful, 0 total\n", "0 passed"),
            ("monorepo", "No tasks were run\n", "0 passed"),
            ("npm", "lerna success run No packages found with the lifecycle script\n", "0 passed"),
            ("elixir", "All tests have been excluded.\n", "0 passed"),
            (
                "make",
                "All tests passed\nmake: *** [Makefile:3: test] Error 1\n",
                "at least 1 passed, 1 failed",
            ),
        ] {
            let read = counts(run, output).map(|counts| counts.to_string());
            assert_eq!(read.as_deref(), Some(wanted), "{output}");
        }
    }

    #[test]
    fn what_no_row_reads_is_left_open() {
        for output in ["", "built\n", "error: no such file\n3 passed\n", "failed\n", "all good\n"] {
            assert_eq!(counts("other", output), None, "{output}");
        }
    }

    proptest! {
        #[test]
        fn any_output_reads_or_does_not(run in "[a-z]{0,6}", output in "\\PC{0,300}") {
            let _ = counts(&run, &output);
        }

        #[test]
        fn lines_like_closing_ones_never_panic(
            parts in prop::collection::vec(
                "[0-9]{1,25}|passed|failed|tests|Tests:|OK|\\(|\\)|=|, |; |in |\\.|#|\n| ",
                0..30)) {
            let _ = counts("make", &parts.concat());
        }
    }
}
