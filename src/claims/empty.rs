//! Commands that end well and show nothing of what the work does: a program that stands in the
//! line itself, a question for a version, a build.

use std::sync::OnceLock;

use serde::Deserialize;

use super::runs::{begins_with, like};
use crate::shipped;

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rows {
    /// Programs and, behind a blank, the words with which they run what the line itself holds.
    inline: Vec<String>,
    /// The one word with which a command only says what it is.
    version: Vec<String>,
    /// Words that only start the command behind them.
    starters: Vec<String>,
    /// Commands that do nothing by themselves.
    idle: Vec<String>,
    /// How commands begin that build, lay out or look at code.
    builds: Vec<String>,
    /// Programs that print nothing of what a file holds.
    no_contents: Vec<String>,
}

/// A test reads the table: in a binary that passed it, it does.
fn rows() -> &'static Rows {
    static ROWS: OnceLock<Rows> = OnceLock::new();
    ROWS.get_or_init(|| shipped::read(shipped::shipped!("empty_runs")).unwrap_or_default())
}

/// The commands of a line, as far as they can be told apart without its quotes.
pub(super) fn pieces(line: &str) -> impl Iterator<Item = &str> {
    let pieces = line.split([';', '|', '&', '\n', '(', ')', '{', '}', '`', '"', '\'']);
    pieces.map(str::trim).filter(|piece| !piece.is_empty())
}

/// A line without what joins its two outputs: that parts no commands.
pub(super) fn joined(line: &str) -> String {
    line.replace("2>&1", "").replace("1>&2", "").replace("|&", "|")
}

/// Whether a line hands a program over that stands in the line: `python3 -c pass`.
pub(super) fn is_inline(line: &str) -> bool {
    pieces(&joined(line)).any(is_inline_piece)
}

/// The words of a command, past what only starts it: `timeout 5`, `env A=1`.
fn own_words(piece: &str) -> Vec<&str> {
    let starts = |word: &&str| {
        let number = word.trim_end_matches(['s', 'm']).bytes().all(|byte| byte.is_ascii_digit());
        word.contains('=') || number || rows().starters.iter().any(|one| one == word)
    };
    piece.split_whitespace().skip_while(starts).collect()
}

fn is_inline_piece(piece: &str) -> bool {
    let mut words = own_words(piece).into_iter();
    let Some(program) = words.next().map(|word| word.rsplit('/').next().unwrap_or(word)) else {
        return false;
    };
    let words: Vec<&str> = words.collect();
    let plain = words.iter().position(|word| !word.starts_with(['-', '<'])).unwrap_or(words.len());
    let read = &words[..words.len().min(plain + 1)];
    let is = |row: &str, word: &str| row.split('|').any(|one| like(one, word));
    let mut parted = rows().inline.iter().filter_map(|row| row.split_once(' '));
    parted.any(|(programs, flags)| is(programs, program) && read.iter().any(|word| is(flags, word)))
}

/// Whether a command only says what it is: `make -v`, `node --version`.
pub(super) fn asks_version(piece: &str) -> bool {
    let mut words = own_words(piece).into_iter();
    let (program, flag) = (words.next(), words.next());
    // A script of one's own may be told with `-v` to say more.
    let script = program.is_some_and(|program| program.contains('/'));
    let asks =
        |flag: &str| rows().version.iter().any(|one| one == flag) && !(script && flag.len() == 2);
    words.next().is_none() && flag.is_some_and(asks)
}

fn builds(piece: &str) -> bool {
    let words = own_words(piece);
    rows().builds.iter().any(|row| begins_with(row, &words))
}

/// A command that does nothing, and a shell for what stands behind it.
fn is_idle(piece: &str) -> bool {
    let words = own_words(piece);
    let shell = |word: &str| matches!(word, "sh" | "bash" | "zsh" | "dash" | "ksh");
    let [first, rest @ ..] = words.as_slice() else { return true };
    let flags = rest.iter().take_while(|word| word.starts_with('-')).count();
    let started = || shell(first.rsplit('/').next().unwrap_or(first)) && flags > 0;
    rows().idle.iter().any(|one| one == first) || started() && is_idle(&rest[flags..].join(" "))
}

/// Whether a program that is given a file may print what it holds.
pub(crate) fn shows_contents(program: &str) -> bool {
    !rows().no_contents.iter().any(|one| one == program)
}

/// Whether nothing that a line runs can show what the work does, where it has tests that can.
pub(crate) fn shows_nothing(line: &str) -> bool {
    let line = joined(started(line));
    let nothing = |piece: &str| is_idle(piece) || asks_version(piece) || builds(piece);
    is_inline(&line) || pieces(&line).all(nothing)
}

/// Whether a command may show what `said` says, where no test can: it does something, and a
/// program that stands in the line itself is about it.
pub(crate) fn may_show(line: &str, said: &str) -> bool {
    let line = joined(started(line));
    if pieces(&line).all(|piece| is_idle(piece) || asks_version(piece)) {
        return false;
    }
    let words = |text: &str| {
        let parts = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        let long = parts.filter(|word| word.chars().count() >= NAMED).map(str::to_lowercase);
        long.collect::<Vec<String>>()
    };
    let said = words(said);
    !is_inline(&line) || words(&line).iter().any(|word| said.contains(word))
}

/// Letters of a word that says what something is about.
const NAMED: usize = 3;

/// What `git seed exec --` starts.
fn started(line: &str) -> &str {
    line.split_once(" exec -- ").map_or(line, |(_, inner)| inner)
}

/// Whether all that a line does is to say which version is here.
pub(crate) fn only_asks_version(line: &str) -> bool {
    pieces(&joined(started(line))).all(asks_version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_shows_nothing_is_told_from_what_may() {
        let read: Rows = shipped::read(shipped::shipped!("empty_runs")).expect("it reads");
        assert!(![&read.inline, &read.version, &read.builds].iter().any(|rows| rows.is_empty()));
        for (line, wanted) in [
            ("python3 -c pass", true),
            ("python3 -B -c 'import app'", true),
            ("node -e 1", true),
            ("deno eval 1", true),
            ("perl -e1", true),
            ("ruby -e 'puts 1'", true),
            ("php -r '1;'", true),
            ("python3 - <<E\npass\nE", true),
            ("make -v", true),
            ("cargo build", true),
            ("cd web && npm run build", true),
            ("go build ./... && go vet ./...", true),
            ("python3 -m py_compile a.py", true),
            ("sh -c :", true),
            ("bash -lc 'exit 0'", true),
            ("env A=1 node -e 1", true),
            ("timeout 5 make -v", true),
            ("git seed exec -- python3 -c pass", true),
            ("sh -c './run.sh'", false),
            ("git seed exec -- ./run.sh", false),
            ("sh run.sh", false),
            ("make", false),
            ("./run.sh", false),
            ("python3 tool.py", false),
            ("node check.mjs", false),
            ("docker run --rm app", false),
            ("cargo run -- --once", false),
            ("cargo build && ./target/debug/app", false),
        ] {
            assert_eq!(shows_nothing(line), wanted, "{line}");
        }
        for (line, wanted) in [
            ("python3 -c 1", false),
            ("python3 -c 'assert True'", false),
            ("python3 -c 'from calc import core; assert core.add(2, 3) == 5'", true),
            ("sh -c true", false),
            ("python3 --version", false),
            ("cargo build", true),
            ("./run.sh", true),
            ("git seed exec -- node -e 0", false),
        ] {
            assert_eq!(may_show(line, "`add` returns the sum"), wanted, "{line}");
        }
        assert!(only_asks_version("make -v") && !only_asks_version("make -v && ./run.sh"));
    }
}
