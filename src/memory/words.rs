//! Counts the words of a footer.
//!
//! One function serves entry and exit, so that what deflation asks and what it measures
//! cannot drift apart. Uncounted is what must stay: anchors, carried notes, and the
//! pointer to earlier cycles. What only begins like a carried note, or stands behind
//! one, is prose.

use super::footers::{Layout, layout};
use super::{condense, notes};

/// Tokens between Unicode white space, as `wc -w` counts them.
pub(crate) fn count(text: &str) -> usize {
    text.split_whitespace().count()
}

/// Words below the first anchor that deflation may ask to go.
pub(crate) fn footer_words(text: &str, anchors: &[&str]) -> usize {
    words_below(&layout(text, anchors))
}

/// The same for a page that was read.
pub fn words_below(layout: &Layout<'_>) -> usize {
    let sections = layout.found().iter().map(|anchor| layout.below(anchor));
    sections.flat_map(str::lines).map(|line| count(goes(line))).sum()
}

/// What of a line may be asked to go.
fn goes(line: &str) -> &str {
    if condense::points(line) {
        return "";
    }
    notes::behind_carried(line).unwrap_or(line)
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
            (
                "---Ob---\n[CARRIED: fix the lexer\n[CARRIED:JOB:0]{a}{b}\n[CARRIED:JOB:2]{a b}\n"
                    .to_owned(),
                4,
            ),
            ("---Ob---\n- `[CARRIED:JOB:2]{fix it}{no time}` behind it\n".to_owned(), 2),
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
