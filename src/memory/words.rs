//! Counts the words of a footer.
//!
//! One function serves entry and exit, so that what deflation asks and what it measures
//! cannot drift apart. Uncounted are the lines that must stay: anchors, carried notes,
//! and the pointer to earlier cycles.

use super::condense;
use super::footers::{Layout, layout};

/// Tokens between Unicode white space, as `wc -w` counts them.
pub fn count(text: &str) -> usize {
    text.split_whitespace().count()
}

/// Words below the first anchor that deflation may ask to go.
pub fn footer_words(text: &str, anchors: &[&str]) -> usize {
    words_below(&layout(text, anchors))
}

/// The same for a page that was read.
pub fn words_below(layout: &Layout<'_>) -> usize {
    let sections = layout.found().iter().map(|anchor| layout.below(anchor));
    sections.flat_map(str::lines).filter(|line| !stays(line)).map(count).sum()
}

fn stays(line: &str) -> bool {
    condense::points(line) || unbulleted(line).starts_with("[CARRIED:")
}

/// The line as a note has it: an indent, a bullet or a tick may stand before its bracket.
fn unbulleted(line: &str) -> &str {
    let line = line.trim_start();
    let bare = ["- ", "* ", "+ "].iter().find_map(|bullet| line.strip_prefix(bullet)).unwrap_or(line);
    let bare = bare.trim_start();
    bare.strip_prefix('`').unwrap_or(bare)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::samples::ANCHORS;

    #[test]
    fn words_are_what_stands_between_white_space() {
        for (text, words) in [("", 0), ("  \n\t", 0), ("one", 1), ("a b\u{2003}c\u{a0}d\n- e", 6)] {
            assert_eq!(count(text), words, "{text:?}");
        }
    }

    #[test]
    fn what_must_stay_in_a_footer_is_not_counted() {
        let pointer = condense::POINTER;
        let cases = [
            ("no footer at all".to_owned(), 0),
            ("body words\n---Ob---\n\n---Pl---\n".to_owned(), 0),
            ("body\n---Ob---\none two\n---Pl---\nthree\n".to_owned(), 3),
            ("---Ob---\n[CARRIED:JOB:2]{fix the lexer}{no time}\none\n".to_owned(), 1),
            ("---Ob---\n  - [CARRIED:JOB:2]{fix the lexer}{no time}\none\n".to_owned(), 1),
            (format!("---Ob---\n{pointer}\r\none\n"), 1),
            (format!("---Ob---\n{pointer} and more\n"), count(pointer) + 2),
            ("---Ob---\n```\n---Pl---\n```\n".to_owned(), 3),
        ];
        for (text, words) in cases {
            assert_eq!(footer_words(&text, &ANCHORS), words, "{text:?}");
        }
    }
}
