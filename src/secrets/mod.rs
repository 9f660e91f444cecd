//! Likely secrets in a text, and the text without them.
//!
//! Pure, and one way for all: what is stored holds `<secret: github token>` where a value
//! stood that a row of `secrets.toml` knows. A text that was masked is left as it is by another
//! masking. A row knows a token by its head, its alphabet and its length, a value by the name in
//! front of it, a password in a URL by its place, and a private key by its lines; no hash of a
//! value is kept. What no row knows is not found: a password in running words stays.

mod keys;
mod named;
mod strength;
mod tokens;
mod urls;

use std::borrow::Cow;
use std::ops::Range;

/// What a value's place begins with; its kind and `>` follow.
const HEAD: &str = "<secret: ";

/// A likely secret: where it stands, and what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub at: Range<usize>,
    /// The word of its row.
    pub kind: &'static str,
}

/// A likely secret by its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// From 1.
    pub number: usize,
    pub kind: &'static str,
}

/// A text in which no row of the table finds a secret.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub(crate) struct Masked(String);

impl Masked {
    pub(crate) fn new(text: &str) -> Self {
        Self(mask(text).into_owned())
    }

    pub(crate) fn into_string(self) -> String {
        self.0
    }
}

impl std::fmt::Display for Masked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::ops::Deref for Masked {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

/// The likely secrets of `text`, in their order; none of them overlaps another.
pub(crate) fn find(text: &str) -> Vec<Found> {
    let mut all = keys::find(text);
    all.extend(tokens::find(text));
    all.extend(urls::find(text));
    all.extend(named::find(text));
    // Of two that overlap the one that begins first, and of two that begin together the first
    // that was found; whatever the other has behind it goes along.
    all.sort_by_key(|found| found.at.start);
    let mut apart: Vec<Found> = Vec::with_capacity(all.len());
    for found in all {
        match apart.last_mut() {
            Some(last) if found.at.start < last.at.end => {
                last.at.end = last.at.end.max(found.at.end);
            }
            _ => apart.push(found),
        }
    }
    apart
}

/// The most passes of a masking. What stands beside a value that went may look like one then.
const PASSES: usize = 16;

/// `text` with each likely secret replaced by its kind.
pub(crate) fn mask(text: &str) -> Cow<'_, str> {
    let mut masked = Cow::Borrowed(text);
    for _ in 0..PASSES {
        let found = find(&masked);
        if found.is_empty() {
            break;
        }
        masked = Cow::Owned(without(&masked, &found));
    }
    masked
}

fn without(text: &str, found: &[Found]) -> String {
    let (mut masked, mut from) = (String::with_capacity(text.len()), 0);
    for Found { at, kind } in found {
        masked.push_str(&text[from..at.start]);
        masked.push_str(HEAD);
        masked.push_str(kind);
        masked.push('>');
        from = at.end;
    }
    masked.push_str(&text[from..]);
    masked
}

/// Masks `text` where it stands.
pub(crate) fn mask_in(text: &mut String) {
    if let Cow::Owned(masked) = mask(text) {
        *text = masked;
    }
}

/// A masked command line for who reads it as one: what stands in a value's place is a plain word.
pub(crate) fn as_line(masked: &str) -> Cow<'_, str> {
    let mut parts = masked.split(HEAD);
    let first = parts.next().unwrap_or_default();
    let mut line = String::new();
    for part in parts {
        line.push_str("secret");
        line.push_str(part.split_once('>').map_or(part, |(_, rest)| rest));
    }
    if line.is_empty() { Cow::Borrowed(masked) } else { Cow::Owned(format!("{first}{line}")) }
}

/// The likely secrets in the lines that `new` has and `old` has not, and of which `counts` says
/// that their kind does.
pub(crate) fn added(old: &str, new: &str, counts: impl Fn(&str) -> bool) -> Option<Line> {
    let found = find(new);
    if found.is_empty() {
        return None;
    }
    let known: std::collections::HashSet<&str> = old.lines().map(str::trim).collect();
    let line_of = |at: usize| memchr::memchr_iter(b'\n', &new.as_bytes()[..at]).count();
    let lines: Vec<&str> = new.lines().collect();
    found.into_iter().filter(|found| counts(found.kind)).find_map(|Found { at, kind }| {
        let (first, last) = (line_of(at.start), line_of(at.end.saturating_sub(1).max(at.start)));
        let fresh =
            |line: &usize| lines.get(*line).is_some_and(|line| !known.contains(line.trim()));
        let number = (first..=last).find(fresh)? + 1;
        Some(Line { number, kind })
    })
}

#[cfg(test)]
mod tests;
