//! Private keys by their lines: `-----BEGIN … PRIVATE KEY-----`, also with `\n` for a line end,
//! and what a cut left of one.

use super::Found;
use super::strength::is_random;

const KIND: &str = "private key";
const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";

pub(super) fn find(text: &str) -> Vec<Found> {
    let (mut found, mut from) = (Vec::new(), 0);
    if !text.contains("PRIVATE KEY") {
        return found;
    }
    while let Some((at, edge)) = next_edge(text, from) {
        let Some(behind) = label(&text[at + edge.len()..]) else {
            from = at + edge.len();
            continue;
        };
        let behind = at + edge.len() + behind;
        let (start, end) = if edge == BEGIN {
            (at, end_of(text, behind))
        } else {
            (body_before(text, at, from), behind)
        };
        // A head or an end alone is a word about keys.
        if end > behind || start < at {
            found.push(Found { at: start..end.max(behind), kind: KIND });
        }
        from = end.max(behind);
    }
    found
}

/// The next head or end of any block, and which it is.
fn next_edge(text: &str, from: usize) -> Option<(usize, &'static str)> {
    let at = |edge: &'static str| text[from..].find(edge).map(|at| (from + at, edge));
    [at(BEGIN), at(END)].into_iter().flatten().min()
}

/// How long the label of a private key is, with the dashes behind it.
fn label(rest: &str) -> Option<usize> {
    let end = rest.find("-----").filter(|end| *end < 60)?;
    let named = &rest[..end];
    let plain =
        named.bytes().all(|byte| byte.is_ascii_uppercase() || matches!(byte, b' ' | b'0'..=b'9'));
    (plain && named.contains("PRIVATE KEY")).then_some(end + 5)
}

/// Where the block ends whose head ends at `from`: behind its last line, else behind its body.
fn end_of(text: &str, from: usize) -> usize {
    let body = from + body(&text[from..], true);
    let close = text[body..].strip_prefix(END).and_then(label);
    match close {
        Some(close) => body + END.len() + close,
        // A body without an end goes up to its last letter.
        None => from + text[from..body].trim_end_matches(is_gap).trim_end_matches("\\n").len(),
    }
}

/// How far what a block consists of goes: lines of base64, and in front of them headers.
fn body(rest: &str, headers: bool) -> usize {
    let mut at = 0;
    let mut may_head = headers;
    while let Some((line, next)) = line_at(rest, at) {
        let bare = line.trim_matches(is_gap).trim_start_matches(['>', '#', '|', '*']).trim();
        let header = may_head
            && bare.split_once(": ").is_some_and(|(key, _)| {
                key.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'-')
            });
        let empty = bare.is_empty();
        let coded = !empty && is_coded(bare);
        may_head &= header || empty;
        if !(header || empty || coded) {
            break;
        }
        at = next;
    }
    // The margin in front of the end belongs to the block.
    at + rest[at..].len() - rest[at..].trim_start_matches(is_gap).len()
}

/// The line that begins at `at`, and where the next one does; a line ends at its end, at `\n` as
/// two letters, at a quote, or at the dashes of an end.
fn line_at(rest: &str, at: usize) -> Option<(&str, usize)> {
    let part = &rest[at..];
    if part.is_empty() {
        return None;
    }
    let edge = part.find(['\n', '\\', '"', '\'', '`']).unwrap_or(part.len());
    let edge = part.find("-----").map_or(edge, |dashes| dashes.min(edge));
    let gap = part[edge..].strip_prefix('\n').map(|_| 1);
    let slashes = part[edge..].bytes().take_while(|byte| *byte == b'\\').count();
    let escaped = part[edge + slashes..].starts_with(['n', 'r']).then_some(slashes + 1);
    let gap = gap.or(escaped.filter(|_| slashes > 0)).unwrap_or(0);
    (edge + gap > 0).then(|| (&part[..edge], at + edge + gap))
}

fn is_gap(letter: char) -> bool {
    letter.is_whitespace()
}

fn is_coded(line: &str) -> bool {
    let coded = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    line.bytes().all(coded)
}

/// Where lines of base64 begin that end at `at`, not before `from`.
fn body_before(text: &str, at: usize, from: usize) -> usize {
    let (mut start, mut left) = (at, without_gaps(&text[from..at]));
    while !left.is_empty() {
        let edge = left.rfind(['\n', '\\', '"', '\'']).map_or(0, |edge| edge + 1);
        let escaped = left[..edge].ends_with('\\') && left[edge..].starts_with(['n', 'r']);
        let begins = edge + usize::from(escaped);
        let line = left[begins..].trim_start_matches(is_gap);
        let long = line.len() >= 40 || start == at || is_random(line);
        if line.is_empty() || !is_coded(line) || !long {
            break;
        }
        start = from + left.len() - line.len();
        left = without_gaps(&left[..begins]);
    }
    start
}

/// `text` without line ends behind it, also those of two letters.
fn without_gaps(mut text: &str) -> &str {
    loop {
        let bare = text.trim_end_matches(is_gap);
        let bare = ["\\n", "\\r"].iter().find_map(|end| bare.strip_suffix(end)).unwrap_or(bare);
        let bare = bare.strip_suffix('\\').filter(|_| bare.len() < text.len()).unwrap_or(bare);
        if bare.len() == text.len() {
            return bare;
        }
        text = bare;
    }
}
