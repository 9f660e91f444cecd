//! The session log: what the footers of a cycle's pages said before they were condensed.
//!
//! Every footer is kept byte for byte, and reads back as exactly those bytes: its length
//! stands before it, and the fence around it is longer than any run of ticks in it, so
//! that people and formatters see one block of text. A log only grows: a later capture
//! stands below the earlier ones and takes nothing from them.

use std::collections::HashMap;
use std::fmt::Write as _;

/// The footer of one page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Footer {
    /// The page, as a repository path.
    pub page: String,
    /// All that stood below its first anchor.
    pub text: String,
}

/// The footers of one moment.
pub(crate) type Capture = Vec<Footer>;

/// Why a session log does not read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the session log does not read at byte {at}: {why}")]
pub(crate) struct BadLog {
    pub at: usize,
    pub why: &'static str,
}

const TITLE: &str = "# Session log";
const CAPTURE: &str = "## Capture ";
const PAGE: &str = "### ";
const OPENS: &str = " footer ";

/// The head of a log: whose footers they are.
pub(crate) fn begin(job: &str, run: u32, cycle: u32) -> String {
    format!("{TITLE}: job {job}, run {run}, cycle {cycle}\n")
}

/// Adds a capture below what `log` holds.
pub(crate) fn add(log: &str, capture: &[Footer]) -> Result<String, BadLog> {
    let n = read(log)?.len() + 1;
    let mut text = log.to_owned();
    let _ = write!(text, "\n{CAPTURE}{n}\n");
    for Footer { page, text: footer } in capture {
        let fence = "`".repeat(longest_run(footer).max(2) + 1);
        let last = if footer.ends_with('\n') || footer.is_empty() { "" } else { "\n" };
        let _ = write!(
            text,
            "\n{PAGE}{}\n\n{fence}text{OPENS}{}\n{footer}{last}{fence}\n",
            escaped(page),
            footer.len()
        );
    }
    Ok(text)
}

/// The captures of a log, first to last.
///
/// # Errors
///
/// Fails on a log that was cut off or changed.
pub(crate) fn read(log: &str) -> Result<Vec<Capture>, BadLog> {
    let mut reader = Reader { log, at: 0 };
    if !reader.line()?.starts_with(TITLE) {
        return Err(BadLog { at: 0, why: "its title is missing" });
    }
    let mut captures: Vec<Capture> = Vec::new();
    while !reader.is_done() {
        let line = reader.line()?;
        if line.is_empty() {
            continue;
        }
        if line.starts_with(CAPTURE) {
            captures.push(Vec::new());
        } else if let (Some(page), Some(capture)) = (line.strip_prefix(PAGE), captures.last_mut()) {
            let page = unescaped(page);
            capture.push(Footer { page, text: reader.footer()? });
        } else {
            return Err(reader.bad("neither a capture nor a page begins here"));
        }
    }
    Ok(captures)
}

struct Reader<'a> {
    log: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn is_done(&self) -> bool {
        self.at == self.log.len()
    }

    fn bad(&self, why: &'static str) -> BadLog {
        BadLog { at: self.at, why }
    }

    /// The next line, without its break.
    fn line(&mut self) -> Result<String, BadLog> {
        let rest = &self.log[self.at..];
        let end = rest.find('\n').ok_or_else(|| self.bad("a line is cut off"))?;
        self.at += end + 1;
        Ok(rest[..end].to_owned())
    }

    fn footer(&mut self) -> Result<String, BadLog> {
        self.line()?;
        let opening = self.line()?;
        let parts = opening
            .split_once("text")
            .and_then(|(fence, rest)| Some((fence, rest.strip_prefix(OPENS)?)));
        let (fence, length) = parts.ok_or_else(|| self.bad("a footer has no fence"))?;
        let length: usize = length.parse().map_err(|_| self.bad("a footer has no length"))?;
        let end = self.at.checked_add(length);
        let footer = end.and_then(|end| self.log.get(self.at..end));
        let footer = footer.ok_or_else(|| self.bad("a footer is cut off"))?.to_owned();
        self.at += length;
        if !footer.is_empty() && !footer.ends_with('\n') && !self.line()?.is_empty() {
            return Err(self.bad("a footer is longer than it says"));
        }
        if self.line()? == fence {
            Ok(footer)
        } else {
            Err(self.bad("a footer's fence does not close"))
        }
    }
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// A path may hold any character; a heading is one line.
fn escaped(page: &str) -> String {
    page.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r")
}

fn unescaped(page: &str) -> String {
    let (mut text, mut chars) = (String::with_capacity(page.len()), page.chars());
    while let Some(c) = chars.next() {
        match (c, if c == '\\' { chars.next() } else { None }) {
            (_, Some('n')) => text.push('\n'),
            (_, Some('r')) => text.push('\r'),
            (_, Some(c)) | (c, None) => text.push(c),
        }
    }
    text
}

/// How often something stands somewhere.
pub(crate) type Multiset<'a> = HashMap<&'a str, usize>;

/// What the captures hold of `page`, each piece as often as the fullest of them has it;
/// `pieces` cuts a footer into what is compared: its words, or its lines.
#[cfg(test)]
pub(crate) fn held<'a, P>(
    captures: &'a [Capture],
    page: &str,
    pieces: impl Fn(&'a str) -> P,
) -> Multiset<'a>
where
    P: Iterator<Item = &'a str>,
{
    let mut most = Multiset::new();
    for footer in captures.iter().flatten().filter(|footer| footer.page == page) {
        for (piece, times) in tally(pieces(&footer.text)) {
            let known = most.entry(piece).or_default();
            *known = times.max(*known);
        }
    }
    most
}

/// Counts each piece.
pub(crate) fn tally<'a>(pieces: impl Iterator<Item = &'a str>) -> Multiset<'a> {
    let mut times = Multiset::new();
    for piece in pieces {
        *times.entry(piece).or_default() += 1;
    }
    times
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::memory::samples::page_like;

    fn footer(page: &str, text: &str) -> Footer {
        Footer { page: page.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn a_log_shows_each_footer_as_one_block() {
        let log = add(&begin("01ABC", 1, 2), &[footer("src/CLAUDE.md", "saw\n```\ncode\n```\n")])
            .expect("it adds");
        assert_eq!(
            log,
            "# Session log: job 01ABC, run 1, cycle 2\n\n## Capture 1\n\n### src/CLAUDE.md\n\n\
             ````text footer 17\nsaw\n```\ncode\n```\n````\n"
        );
    }

    #[test]
    fn a_log_that_was_cut_off_or_changed_does_not_read() {
        let log =
            add(&begin("j", 1, 1), &[footer("CLAUDE.md", "one two\nthree")]).expect("it adds");
        assert!(read(&log).is_ok());
        let captured = log.find("###").expect("a page");
        for end in (1..log.len()).filter(|end| log.is_char_boundary(*end) && *end > captured) {
            assert!(read(&log[..end]).is_err(), "{:?}", &log[..end]);
        }
        for (from, to) in
            [("# Session", "Session"), ("one two", "one"), ("13", "12"), ("### ", "#### ")]
        {
            assert!(read(&log.replacen(from, to, 1)).is_err(), "{from}");
        }
        assert!(read("").is_err());
    }

    #[test]
    fn what_any_capture_held_is_held() {
        let captures = vec![vec![footer("a", "x x y"), footer("b", "z")], vec![footer("a", "x w")]];
        let held = held(&captures, "a", |text| text.split_whitespace());
        assert_eq!(held, Multiset::from([("x", 2), ("y", 1), ("w", 1)]));
    }

    proptest! {
        #[test]
        fn what_was_captured_reads_back(
            first in proptest::collection::vec((".*", prop_oneof![".*", page_like(), "[`\\r\\n]*"]),
                0..4),
            second in proptest::collection::vec((".*", page_like()), 0..3),
        ) {
            let capture = |pages: Vec<(String, String)>| -> Capture {
                pages.into_iter().map(|(page, text)| Footer { page, text }).collect()
            };
            let (first, second) = (capture(first), capture(second));
            let log = add(&begin("job", 3, 9), &first).expect("it adds");
            let longer = add(&log, &second).expect("it adds");
            prop_assert!(longer.starts_with(&log), "a log only grows");
            prop_assert_eq!(read(&longer), Ok(vec![first, second]));
        }

        #[test]
        fn any_text_reads_or_does_not(text in any::<String>()) {
            let _ = read(&text);
        }
    }
}
