//! Tokens that their own form tells: how they begin, of what, and how long they are.

use std::ops::Range;

use serde::Deserialize;

use super::Found;
use super::strength::{is_placeholder, is_random};
use crate::shipped::{self, Rows};

static TOKENS: Rows<Token> = shipped::rows!("secrets.token");
static INSIDE: Rows<Inside> = shipped::rows!("secrets.inside");

/// A row of the table; its head says what each key means.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Token {
    kind: String,
    #[expect(dead_code, reason = "by them the build leads to the row")]
    heads: Vec<String>,
    letters: Letters,
    least: usize,
    most: usize,
    #[serde(default)]
    holds: Option<String>,
    #[serde(default)]
    even: bool,
    #[serde(default)]
    keeps_head: bool,
    #[serde(default)]
    dots: usize,
}

/// A row whose form begins in front of its head.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Inside {
    kind: String,
    #[expect(dead_code, reason = "by them the build leads to the row")]
    heads: Vec<String>,
    letters: Letters,
    least: usize,
    most: usize,
    before: (usize, usize),
    letters_before: Letters,
}

/// An alphabet.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Letters {
    Alnum,
    Hex,
    Base32,
    Bech32,
    Base64url,
    Base64,
    Dotted,
    Path,
    Azure,
    Escaped,
    Digit,
}

impl Letters {
    fn have(self, byte: u8) -> bool {
        let alnum = byte.is_ascii_alphanumeric();
        match self {
            Self::Alnum => alnum,
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Base32 => matches!(byte, b'A'..=b'Z' | b'2'..=b'7'),
            Self::Bech32 => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Base64url => alnum || matches!(byte, b'-' | b'_'),
            Self::Base64 => alnum || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_'),
            Self::Dotted => alnum || matches!(byte, b'-' | b'_' | b'.'),
            Self::Path => alnum || matches!(byte, b'-' | b'_' | b'.' | b'/'),
            Self::Azure => alnum || matches!(byte, b'-' | b'_' | b'.' | b'~'),
            Self::Escaped => alnum || matches!(byte, b'-' | b'_' | b'+' | b'/' | b'=' | b'%'),
            Self::Digit => byte.is_ascii_digit(),
        }
    }

    /// The run of them that begins at `from`, without the sign that ends a sentence.
    fn run(self, text: &str, from: usize) -> usize {
        let rest = &text.as_bytes()[from..];
        let mut run = rest.iter().take_while(|byte| self.have(**byte)).count();
        while run > 0 && rest[run - 1] == b'.' {
            run -= 1;
        }
        run
    }
}

pub(super) fn find(text: &str) -> Vec<Found> {
    let bytes = text.as_bytes();
    let (mut found, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let begins = bytes[at].is_ascii_alphanumeric() || bytes[at] == b'_';
        let apart = at == 0 || !bytes[at - 1].is_ascii_alphanumeric() || is_escape(bytes, at);
        let token = if begins && apart { token(text, at) } else { None };
        at = token.as_ref().map_or(at + 1, |token| token.at.end);
        found.extend(token);
    }
    found.extend(INSIDE.names().flat_map(|head| inside(text, head)));
    found
}

/// The letter in front is the end of `\n` or `\t`, as JSON and shells write them, or of `%3D`.
fn is_escape(bytes: &[u8], at: usize) -> bool {
    let behind = |n: usize| at.checked_sub(n).map(|at| bytes[at]);
    (behind(2) == Some(b'\\') && matches!(behind(1), Some(b'n' | b't' | b'r')))
        || (behind(3) == Some(b'%')
            && behind(2).is_some_and(|byte| byte.is_ascii_hexdigit())
            && behind(1).is_some_and(|byte| byte.is_ascii_hexdigit()))
}

/// The token that begins at `at`.
fn token(text: &str, at: usize) -> Option<Found> {
    TOKENS.heading(&text[at..]).find_map(|(head, row)| {
        let from = at + head.len();
        let run = row.letters.run(text, from);
        let rest = &text[from..from + run];
        let fits = (row.least..=row.most).contains(&run)
            && row.holds.as_ref().is_none_or(|word| rest.contains(word.as_str()))
            && rest.matches('.').count() >= row.dots
            && ends(text, from + run)
            && (row.even || is_random(rest))
            && !is_placeholder(rest);
        let start = if row.keeps_head { from } else { at };
        fits.then(|| Found { at: start..from + run, kind: &row.kind })
    })
}

/// No letter of a longer word follows.
fn ends(text: &str, at: usize) -> bool {
    !text[at..].starts_with(|letter: char| letter.is_alphanumeric())
}

/// Tokens around `head`.
fn inside(text: &str, head: &'static str) -> Vec<Found> {
    let places = memchr::memmem::find_iter(text.as_bytes(), head.as_bytes());
    places
        .flat_map(|at| INSIDE.named(head).filter_map(move |row| around(text, at, head, row)))
        .collect()
}

fn around(text: &str, at: usize, head: &str, row: &'static Inside) -> Option<Found> {
    let (least, most) = row.before;
    let ahead = text.as_bytes()[..at].iter().rev();
    let before = ahead.take_while(|byte| row.letters_before.have(**byte)).count();
    let from = at + head.len();
    let run = row.letters.run(text, from);
    let span: Range<usize> = at - before.min(most)..from + run;
    let fits = (least..=most).contains(&before)
        && (row.least..=row.most).contains(&run)
        && ends(text, span.end)
        && is_random(&text[from..span.end]);
    fits.then_some(Found { at: span, kind: &row.kind })
}

#[cfg(test)]
pub(super) fn every_row_reads() {
    TOKENS.whole().expect("the rows of TOKENS read");
    INSIDE.whole().expect("the rows of INSIDE read");
}

#[cfg(test)]
pub(super) fn kinds() -> Vec<String> {
    let tokens = TOKENS.all().map(|row| row.kind.clone());
    tokens.chain(INSIDE.all().map(|row| row.kind.clone())).collect()
}
