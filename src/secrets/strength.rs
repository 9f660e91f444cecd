//! Whether a value could be a secret: no placeholder, no word of a language, no code.

use serde::Deserialize;

use crate::shipped::{self, Rows};

static NONE: Rows<None> = shipped::rows!("secrets.none");

/// Texts that stand where a secret would.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct None {
    #[expect(dead_code, reason = "by it the build leads to the row")]
    how: String,
    words: Vec<String>,
}

/// How a value stands there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stands {
    /// In quotes, or as a word of a command line: what it says is what it is.
    Literal,
    /// Behind a colon or a sign with room around it: it may be code.
    Loose,
    /// In running words.
    Prose,
}

/// It stands where a secret would, and is none.
pub(super) fn is_placeholder(value: &str) -> bool {
    let low = value.to_lowercase();
    let any = |how: &str, is: fn(&str, &str) -> bool| {
        NONE.named(how).flat_map(|row| &row.words).any(|word| is(&low, word))
    };
    // Two letters again and again stand for something.
    let mut letters: Vec<char> = low.chars().collect();
    letters.sort_unstable();
    letters.dedup();
    letters.len() < 3
        || (low.starts_with('/') && is_wordy(&low))
        || any("whole", |low, word| low == word)
        || any("begins", |low, word| low.starts_with(word))
        || any("holds", |low, word| low.contains(word))
}

/// A person's password could look so.
pub(super) fn is_password(value: &str, stands: Stands) -> bool {
    let least = if stands == Stands::Literal { 6 } else { 8 };
    let long = value.chars().count() >= least && value.len() < 400;
    if !long || is_placeholder(value) || !varied(value) {
        return false;
    }
    let symbols = value.chars().any(|letter| !letter.is_alphanumeric() && letter != '_');
    match stands {
        Stands::Literal => !(is_wordy(value) && value.contains(['_', '-', '.', ' ', '/', ':'])),
        Stands::Loose => !is_wordy(value) && !is_code(value),
        Stands::Prose => !is_wordy(value) && !is_code(value) && (symbols || turns(value) > 1),
    }
}

/// A machine could have made it.
pub(super) fn is_token(value: &str, stands: Stands) -> bool {
    let least = if stands == Stands::Literal { 10 } else { 16 };
    (least..4096).contains(&value.len())
        && value.bytes().all(|byte| byte.is_ascii_graphic())
        && !is_placeholder(value)
        && (stands == Stands::Literal || !is_code(value))
        && is_random(value)
        && entropy(value) >= if value.len() < 16 { 2.8 } else { 3.0 }
}

/// Letters that nobody says: a digit stands among them, or large and small ones change often, and
/// they are not words joined by signs.
pub(super) fn is_random(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    (digits > 0 && letters > 0 && !is_wordy(value)) || mixed(value)
}

/// Letters of chance without a digit: their case changes more often than in any name.
fn mixed(value: &str) -> bool {
    let large = |byte: u8| byte.is_ascii_uppercase();
    let changes = value.as_bytes().windows(2).filter(|two| large(two[0]) != large(two[1])).count();
    value.len() >= 16 && changes * 100 >= value.len() * 42 && entropy(value) > 3.6
}

/// Two kinds of letters at least: small, large, digits, signs.
fn varied(value: &str) -> bool {
    let kinds: [fn(char) -> bool; 4] = [
        |letter| letter.is_lowercase(),
        |letter| letter.is_uppercase(),
        |letter| letter.is_numeric(),
        |letter| !letter.is_alphanumeric(),
    ];
    kinds.iter().filter(|kind| value.chars().any(**kind)).count() > 1
}

/// How often the kind of the letters changes, apart from a capital in front of small ones.
fn turns(value: &str) -> usize {
    let kind = |byte: u8| match byte {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    };
    let bytes = value.as_bytes();
    let changes = bytes.windows(2).filter(|two| {
        let (one, next) = (kind(two[0]), kind(two[1]));
        one != next && one != 3 && next != 3 && (one, next) != (1, 0)
    });
    changes.count()
}

/// Words of a language or of code: parts between signs that are letters alone, digits alone, or
/// a name with a number behind it (`index2`).
fn is_wordy(value: &str) -> bool {
    let parts = value.split(|letter: char| !letter.is_alphanumeric());
    parts.filter(|part| !part.is_empty()).all(|part| {
        let stem = part.trim_end_matches(|letter: char| letter.is_ascii_digit());
        let number = part.len() - stem.len();
        let plain = stem.chars().all(char::is_alphabetic);
        let short = stem.len() < 2 && number < 3;
        plain
            && (stem.is_empty() || number == 0 || short || (stem.len() > 2 && number < 4))
            && turns(stem) * 3 < stem.len().max(9)
    })
}

/// It looks like an expression: a call, an index, a path of names.
fn is_code(value: &str) -> bool {
    let signs = value.contains(['(', '[', '{', '`', '\\']) || value.contains("::");
    let names = value.split('.').collect::<Vec<_>>();
    let name = |part: &&str| {
        part.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
            && part.starts_with(|letter: char| letter.is_alphabetic())
            && is_wordy(part)
    };
    signs || value.contains("->") || (names.len() > 1 && names.iter().all(name))
}

/// Bits that a letter of it tells (Shannon).
fn entropy(value: &str) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in value.bytes() {
        counts[usize::from(byte)] += 1;
    }
    let all = f64::from(u32::try_from(value.len()).unwrap_or(u32::MAX));
    let share = |count: &u32| f64::from(*count) / all;
    let told = counts.iter().filter(|count| **count > 0);
    told.map(|count| -share(count) * share(count).log2()).sum()
}

#[cfg(test)]
pub(super) fn every_row_reads() {
    NONE.whole().expect("the rows of NONE read");
}
