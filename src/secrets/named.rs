//! Values that the name in front of them makes secrets: `DB_PASSWORD=…`, `"apiKey": "…"`,
//! `--token …`, `Authorization: Bearer …`, `the password is …`, and options of known programs.

use std::ops::Range;

use serde::Deserialize;

use super::Found;
use super::strength::{Stands, is_password, is_placeholder, is_token};
use crate::shipped::{self, Rows};

static NAMES: Rows<Name> = shipped::rows!("secrets.name");
static OPTIONS: Rows<ProgramOption> = shipped::rows!("secrets.option");

/// The longest name that is looked at.
const NAME: usize = 80;
/// The longest room between a name and its value.
const ROOM: usize = 40;

/// A row of the table; its head says what each key means.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Name {
    kind: String,
    words: Vec<String>,
    #[serde(default)]
    ends: bool,
    holds: Holds,
    #[serde(default)]
    never: Vec<String>,
}

/// What a name holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Holds {
    Password,
    Token,
    Header,
}

/// An option of a program that takes a password.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProgramOption {
    #[expect(dead_code, reason = "by them the build leads to the row")]
    programs: Vec<String>,
    flag: String,
    #[serde(default)]
    joined: bool,
    #[serde(default)]
    behind: Option<String>,
    #[serde(default)]
    verb: Vec<String>,
}

pub(super) fn find(text: &str) -> Vec<Found> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(name) = next_name(text, at) {
        at = name.end;
        if let Some(new) = behind_name(text, &name) {
            at = at.max(new.at.end);
            found.push(new);
        }
        found.extend(of_program(text, &name));
    }
    found
}

/// The next run of letters that a name may have.
fn next_name(text: &str, from: usize) -> Option<Range<usize>> {
    let start = from + text[from..].find(|letter: char| letter.is_alphabetic() || letter == '_')?;
    let inside = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.');
    let run = text[start..].find(|letter| !inside(letter)).unwrap_or(text.len() - start);
    let run = text[start..start + run].trim_end_matches(['.', '-']).len();
    Some(start..start + run.max(text[start..].chars().next().map_or(1, char::len_utf8)))
}

/// What stands behind a name that holds secrets.
fn behind_name(text: &str, name: &Range<usize>) -> Option<Found> {
    if name.len() > NAME {
        return None;
    }
    let row = row_of(&text[name.clone()])?;
    let (stands, from) = separator(text, name)?;
    let from = match row.holds {
        Holds::Header => behind_scheme(text, from),
        Holds::Password | Holds::Token => from + behind_type(&text[from..]).unwrap_or(0),
    };
    let (at, stands) = value(text, from, stands)?;
    let value = &text[at.clone()];
    let fits = match row.holds {
        Holds::Password => is_password(value, stands),
        Holds::Token => is_token(value, stands),
        Holds::Header => is_token(value, Stands::Literal),
    };
    fits.then_some(Found { at, kind: &row.kind })
}

/// False where no row could be that of `name`: most names of a text hold none of these letters.
fn may_hold(name: &str) -> bool {
    const PARTS: [&[u8; 2]; 8] = [b"pa", b"pw", b"se", b"to", b"ke", b"au", b"cr", b"id"];
    let near = |two: &[u8]| {
        let two = [two[0].to_ascii_lowercase(), two[1].to_ascii_lowercase()];
        PARTS.contains(&&two)
    };
    name.as_bytes().windows(2).any(near)
}

/// The row of a name, by its last words.
fn row_of(name: &str) -> Option<&'static Name> {
    if !may_hold(name) {
        return None;
    }
    let words = words(name);
    let last = |n: usize| words.get(words.len().checked_sub(n)?..).map(<[String]>::concat);
    let never = |row: &Name, n: usize| {
        let before = words.len().checked_sub(n + 1).and_then(|at| words.get(at));
        before.is_some_and(|word| row.never.contains(word))
    };
    let whole = (1..=3).rev().find_map(|n| {
        let row = last(n).and_then(|word| NAMES.named(&word).next());
        row.map(|row| (row, n))
    });
    let at_end = || {
        let word = last(1)?;
        let ends =
            |row: &&Name| row.ends && row.words.iter().any(|end| word.ends_with(end.as_str()));
        NAMES.all().find(ends).map(|row| (row, 1))
    };
    let (row, n) = whole.or_else(at_end)?;
    (!never(row, n)).then_some(row)
}

/// The words of a name in small letters: `DB_PASSWORD`, `apiKey` and `x-api-key` hold several.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = '_';
    for letter in name.chars() {
        let hump = letter.is_uppercase() && before.is_lowercase();
        if !letter.is_alphanumeric() {
            before = '_';
            continue;
        }
        match words.last_mut().filter(|_| before != '_' && !hump) {
            Some(word) => word.extend(letter.to_lowercase()),
            None => words.push(letter.to_lowercase().collect()),
        }
        before = letter;
    }
    words
}

/// How the value behind `name` stands there, and where it begins; `None` where none follows.
fn separator(text: &str, name: &Range<usize>) -> Option<(Stands, usize)> {
    let before = &text[..name.start];
    let rest = &text[name.end..];
    let closers = rest.bytes().take(4).take_while(|byte| b"\"'`]\\".contains(byte)).count();
    let (close, rest) = rest.split_at(closers);
    let quoted = !close.is_empty();
    let bare = rest.trim_start_matches([' ', '\t']);
    let room = rest.len() - bare.len();
    let at = |skip: usize| name.end + closers + room + skip;
    if room > ROOM {
        return None;
    }
    for sign in [":=", "=>", "=", ":"] {
        let Some(behind) = bare.strip_prefix(sign) else { continue };
        if behind.starts_with(['=', ':', '~']) {
            return None;
        }
        let tight = room == 0 && !behind.starts_with([' ', '\t', '\n']);
        let stands = if tight && !quoted { Stands::Literal } else { Stands::Loose };
        return Some((stands, at(sign.len())));
    }
    if before.ends_with('<') && rest.starts_with('>') {
        return Some((Stands::Literal, at(1)));
    }
    if quoted && bare.starts_with(',') {
        let behind = bare[1..].trim_start();
        return behind.starts_with(['"', '\'']).then(|| (Stands::Loose, at(1)));
    }
    let behind = behind_word(bare, &["is", "ist", "lautet", "was"]);
    if let Some(skip) = behind.filter(|_| room > 0) {
        return Some((Stands::Prose, at(skip)));
    }
    let ahead = before.trim_end_matches([' ', '\t']);
    let option = before.ends_with("--") || before.ends_with(" -") || before == "-";
    let set = ["ENV", "ARG", "setx", "set", "add"];
    let sets = set.iter().any(|word| ahead.ends_with(word)) && ahead.len() < before.len();
    let follows = room > 0 && !quoted && !bare.starts_with('-');
    if follows && (option || sets || bare.starts_with('\'')) {
        return Some((Stands::Literal, at(0)));
    }
    let by = behind_word(bare, &["BY", "by"]).filter(|_| bare.contains('\''));
    by.filter(|_| room > 0).map(|skip| (Stands::Literal, at(skip)))
}

/// Behind one of these words, and the room after it.
fn behind_word(text: &str, words: &[&str]) -> Option<usize> {
    let behind = |word: &&str| {
        let rest = text.strip_prefix(*word)?;
        rest.starts_with([' ', ':']).then(|| word.len() + 1)
    };
    words.iter().find_map(behind)
}

/// Behind a type and the sign after it: `token: &str = "…"`.
fn behind_type(text: &str) -> Option<usize> {
    if !text.starts_with(' ') {
        return None;
    }
    let plain = |letter: char| letter.is_alphanumeric() || "_&<>'[]|: ".contains(letter);
    let end = text.find(|letter| !plain(letter))?;
    let quoted = text[..end]
        .ends_with(' ')
        .then_some(&text[end..])?
        .strip_prefix('=')?
        .trim_start()
        .starts_with(['"', '\'']);
    (quoted && end < ROOM).then_some(end + 1)
}

/// Behind the scheme of a header: `Bearer`, `Basic`, `token`.
fn behind_scheme(text: &str, from: usize) -> usize {
    let rest = text[from..].trim_start_matches([' ', '"', '\'']);
    let from = text.len() - rest.len();
    let scheme = rest.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-');
    match scheme.filter(|end| *end < 20 && rest[*end..].starts_with(' ')) {
        Some(end) => from + end + 1,
        None => from,
    }
}

/// The value that begins at or behind `from`, and how it stands there.
fn value(text: &str, from: usize, stands: Stands) -> Option<(Range<usize>, Stands)> {
    let rest = text[from..].trim_start_matches([' ', '\t']);
    let mut start = text.len() - rest.len();
    for prefix in ["b\"", "r\"", "f\"", "@\""] {
        start += usize::from(rest.starts_with(prefix));
    }
    let rest = &text[start..];
    for quote in ["\\\"", "\\'", "\"", "'", "`"] {
        let Some(inside) = rest.strip_prefix(quote) else { continue };
        let line = &inside[..inside.find('\n').unwrap_or(inside.len())];
        let end = closing(line, quote)?;
        let start = start + quote.len();
        return Some((start..start + end, Stands::Literal));
    }
    let prose = stands == Stands::Prose;
    let ends = |letter: char| {
        letter.is_whitespace()
            || "\"'`<>|".contains(letter)
            || (!prose && ",;&)}]".contains(letter))
    };
    let run = &rest[..rest.find(ends).unwrap_or(rest.len())];
    let run = run.trim_end_matches('\\');
    let run = if prose { run.trim_end_matches(['.', ',', ';', ':', ')', '?']) } else { run };
    (!run.is_empty()).then(|| (start..start + run.len(), stands))
}

/// Where `line` closes a quote.
fn closing(line: &str, quote: &str) -> Option<usize> {
    let mut from = 0;
    loop {
        let at = from + line[from..].find(quote)?;
        let slashes = line[..at].bytes().rev().take_while(|byte| *byte == b'\\').count();
        if quote.len() > 1 || slashes % 2 == 0 {
            return Some(at);
        }
        from = at + quote.len();
    }
}

/// Passwords in the options of the program that is called `name`.
fn of_program(text: &str, name: &Range<usize>) -> Vec<Found> {
    let program = &text[name.clone()];
    let mut rows = OPTIONS.named(program).peekable();
    if rows.peek().is_none() {
        return Vec::new();
    }
    let line = &text[name.end..];
    let line = &line[..line.find(['\n', '|', ';']).unwrap_or(line.len())];
    let words = words_of_line(line);
    rows.flat_map(|row| options(line, &words, row))
        .map(|at| Found { at: name.end + at.start..name.end + at.end, kind: "password" })
        .collect()
}

fn options(line: &str, words: &[Range<usize>], row: &ProgramOption) -> Vec<Range<usize>> {
    let said = |at: &Range<usize>| &line[at.clone()];
    let mut found = Vec::new();
    for (n, word) in words.iter().enumerate() {
        let verbs = || words[..n].iter().any(|word| row.verb.iter().any(|verb| said(word) == verb));
        if !row.verb.is_empty() && !verbs() {
            continue;
        }
        let at = if row.joined {
            said(word)
                .strip_prefix(row.flag.as_str())
                .map(|_| word.start + row.flag.len()..word.end)
        } else if said(word) == row.flag {
            words.get(n + 1).cloned()
        } else {
            None
        };
        let Some(at) = at.map(|at| unquoted(line, at)) else { continue };
        let at = match &row.behind {
            Some(sign) => {
                said(&at).find(sign.as_str()).map(|skip| at.start + skip + sign.len()..at.end)
            }
            None => Some(at),
        };
        found.extend(at.filter(|at| said(at).len() > 3 && !is_placeholder(said(at))));
    }
    found
}

/// The words of a command line, each with its quotes.
fn words_of_line(line: &str) -> Vec<Range<usize>> {
    let (mut words, mut start, mut quote) = (Vec::new(), None, None);
    for (at, letter) in line.char_indices() {
        match (quote, letter) {
            (None, '"' | '\'') => quote = Some(letter),
            (Some(open), _) if open == letter => quote = None,
            (None, _) if letter.is_whitespace() => {
                words.extend(start.take().map(|start: usize| start..at));
                continue;
            }
            _ => {}
        }
        start.get_or_insert(at);
    }
    words.extend(start.map(|start| start..line.len()));
    words
}

/// `at` without the quotes around it.
fn unquoted(line: &str, at: Range<usize>) -> Range<usize> {
    let word = &line[at.clone()];
    let quoted = word.len() > 1 && word.starts_with(['"', '\'']) && word.ends_with(['"', '\'']);
    if quoted { at.start + 1..at.end - 1 } else { at }
}

#[cfg(test)]
pub(super) fn every_row_reads() {
    NAMES.whole().expect("the rows of NAMES read");
    OPTIONS.whole().expect("the rows of OPTIONS read");
}

#[cfg(test)]
pub(super) fn kinds() -> Vec<String> {
    NAMES.all().map(|row| row.kind.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_of_a_row_is_passed_by() {
        let rows = NAMES.whole().expect("they read");
        for word in rows.iter().flat_map(|row| &row.words) {
            assert!(may_hold(word), "{word}");
        }
    }
}
