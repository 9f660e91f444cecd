//! Front matter: the lines between `---` and `---` that a Markdown file may begin with.
//!
//! Says where it begins and ends, and no more. What a line in it means differs between plan
//! documents, knowledge and compaction files, and is theirs to read.

use std::ops::Range;

/// The byte order mark that some editors put before a text.
const BOM: char = '\u{feff}';

/// The line that opens front matter, and closes it.
const FENCE: &str = "---";

/// Front matter of a text, by bytes of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FrontMatter {
    /// The lines between both fences.
    pub lines: Range<usize>,
    /// Where what comes after it begins.
    pub end: usize,
}

/// A text that has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoFrontMatter {
    /// Its first line is another.
    Absent,
    /// It has the line that opens front matter, and none that closes it.
    Unclosed {
        /// Where the lines after the first begin.
        from: usize,
    },
}

/// Finds the front matter that `text` begins with, a byte order mark aside. Blanks behind a
/// fence do not count, whatever ends the line.
///
/// # Errors
///
/// [`NoFrontMatter`] says what is missing.
pub(crate) fn find(text: &str) -> Result<FrontMatter, NoFrontMatter> {
    let bare = text.strip_prefix(BOM).unwrap_or(text);
    let mut at = text.len() - bare.len();
    let mut lines = bare.split_inclusive('\n');
    let first = lines.next().filter(|line| is_fence(line)).ok_or(NoFrontMatter::Absent)?;
    at += first.len();
    let from = at;
    for line in lines {
        if is_fence(line) {
            return Ok(FrontMatter { lines: from..at, end: at + line.len() });
        }
        at += line.len();
    }
    Err(NoFrontMatter::Unclosed { from })
}

/// Whether the first line of `text` opens front matter, closed or not.
pub(crate) fn begins(text: &str) -> bool {
    find(text) != Err(NoFrontMatter::Absent)
}

fn is_fence(line: &str) -> bool {
    line.trim_end() == FENCE
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn front_matter_is_found_between_its_fences() {
        let cases = [
            ("---\na: 1\n---\nb", Ok(("a: 1\n", "b"))),
            ("\u{feff}--- \r\na: 1\r\n---\t\r\nb\r\n", Ok(("a: 1\r\n", "b\r\n"))),
            ("---\n---", Ok(("", ""))),
            ("---\n ---\n---\n---\n", Ok((" ---\n", "---\n"))),
            ("", Err(NoFrontMatter::Absent)),
            ("\n---\n---\n", Err(NoFrontMatter::Absent)),
            ("----\n---\n", Err(NoFrontMatter::Absent)),
            ("---\na: 1\n", Err(NoFrontMatter::Unclosed { from: 4 })),
            ("---", Err(NoFrontMatter::Unclosed { from: 3 })),
        ];
        for (text, wanted) in cases {
            let found = find(text).map(|found| (&text[found.lines], &text[found.end..]));
            assert_eq!(found, wanted, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn nothing_is_lost_around_it(text in "(\u{feff})?(---|a|: | |\r?\n){0,12}") {
            if let Ok(found) = find(&text) {
                let rest = &text[found.lines.end..found.end];
                prop_assert_eq!(rest.trim_end(), "---");
                let first = &text[..found.lines.start];
                prop_assert_eq!(first.trim_start_matches('\u{feff}').trim_end(), "---");
            }
        }
    }
}
