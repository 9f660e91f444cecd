//! A boundary message: subject, sections, and what must not be in it.
//!
//! A section begins with `## Title`, as agents write it, or with `Title:`, as it stands in
//! commits (`commit_text`): both are read.

use crate::verdict::Facts;

/// The section that must stay empty.
pub const OUTSTANDING: &str = "Outstanding Items";

/// A message as its author wrote it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    text: String,
    /// Titles that begin a section as `Title:`, besides those that are asked for.
    titles: Vec<String>,
}

impl Message {
    /// Takes the author's text; CRLF becomes LF, outer blank lines go.
    pub fn new(text: &str) -> Self {
        Self { text: text.replace("\r\n", "\n").trim().to_owned(), titles: Vec::new() }
    }

    /// The message, with the titles that its sections may have.
    pub(crate) fn titled<'a>(self, titles: impl Iterator<Item = &'a str>) -> Self {
        Self { titles: titles.map(str::to_owned).collect(), ..self }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whitespace-separated tokens of the whole text.
    pub(crate) fn words(&self) -> u32 {
        u32::try_from(self.text.split_whitespace().count()).unwrap_or(u32::MAX)
    }

    /// The first line, if it is prose; otherwise the first line of prose in any section.
    pub(crate) fn subject(&self) -> Option<&str> {
        let prose = |line: &&str| !line.starts_with('#') && self.title(line).is_none();
        let mut lines = outside_code(&self.text).filter(|(_, code)| !code).map(|(line, _)| line);
        lines.find(|line| !line.trim().is_empty() && prose(line)).map(str::trim)
    }

    /// The text of the section titled `title`, without its heading.
    pub fn section(&self, title: &str) -> Option<String> {
        let begins = |line: &str| match self.title(line) {
            Some(found) => found.eq_ignore_ascii_case(title),
            None => colon_title(line).is_some_and(|found| found.eq_ignore_ascii_case(title)),
        };
        // Where the title stands as Markdown, a line of prose that ends in a colon is none.
        let marked = |line: &str| begins(line) && line.starts_with('#');
        let any = outside_code(&self.text).any(|(line, code)| !code && marked(line));
        let starts = |line: &str| if any { marked(line) } else { begins(line) };
        let mut lines = outside_code(&self.text).skip_while(|(line, code)| *code || !starts(line));
        lines.next()?;
        let body: Vec<&str> = lines
            .take_while(|(line, code)| *code || self.title(line).is_none())
            .map(|(line, _)| line)
            .collect();
        Some(body.join("\n").trim().to_owned())
    }

    /// The title of the section that `line` begins.
    pub(crate) fn title<'a>(&self, line: &'a str) -> Option<&'a str> {
        if let Some(title) = line.strip_prefix("## ") {
            return Some(title.trim().trim_end_matches(':'));
        }
        let known = |title: &&str| {
            let same = |known: &String| known.eq_ignore_ascii_case(title);
            let marked = |line: &str| {
                line.strip_prefix("## ")
                    .is_some_and(|found| found.trim().eq_ignore_ascii_case(title))
            };
            (title.eq_ignore_ascii_case(OUTSTANDING) || self.titles.iter().any(same))
                && !self.text.lines().any(marked)
        };
        colon_title(line).filter(known)
    }

    /// It says that nothing is outstanding.
    pub(crate) fn leaves_nothing(&self) -> bool {
        self.section(OUTSTANDING).is_some_and(|below| is_settled(&below))
    }

    /// True if a line of it claims to be one of git seed's own trailers.
    pub(crate) fn forges_trailers(&self) -> bool {
        self.text.lines().any(|line| line.trim_start().to_ascii_lowercase().starts_with("seed-"))
    }

    /// What is wrong with its shape: missing, empty and unsettled sections.
    pub(crate) fn faults<'a>(&self, titles: impl Iterator<Item = &'a str>) -> Faults {
        let mut faults = Faults::default();
        for title in titles {
            match (self.section(title), title) {
                (None, _) => faults.missing.push(title.to_owned()),
                (Some(text), OUTSTANDING) => faults.unsettled |= !is_settled(&text),
                (Some(text), _) if text.is_empty() => faults.empty.push(title.to_owned()),
                _ => {}
            }
        }
        faults
    }
}

/// What is wrong with the shape of a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Faults {
    pub missing: Vec<String>,
    pub empty: Vec<String>,
    /// `Outstanding Items` holds something.
    pub unsettled: bool,
}

impl Faults {
    pub(crate) fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// The faults as one phrase, which follows "the message".
    pub(crate) fn name(&self, facts: &mut Facts) {
        let mut said = Vec::new();
        if !self.missing.is_empty() {
            said.push(format!("is missing {}", titles(&self.missing)));
        }
        if !self.empty.is_empty() {
            said.push(format!("has nothing below {}", titles(&self.empty)));
        }
        if self.unsettled {
            said.push(format!("has items below `## {OUTSTANDING}`"));
        }
        facts.set("faults", said.join(", "));
    }
}

fn titles(names: &[String]) -> String {
    names.iter().map(|name| format!("`## {name}`")).collect::<Vec<_>>().join(", ")
}

/// The words before the colon of a line that is nothing else.
fn colon_title(line: &str) -> Option<&str> {
    let title = line.trim_end().strip_suffix(':')?;
    title.starts_with(|first: char| first.is_alphanumeric()).then_some(title)
}

/// Nothing is left: the section is empty, or says so.
pub fn is_settled(section: &str) -> bool {
    let word = section.trim().trim_start_matches(['-', '*', ' ']).trim_end_matches(['.', '_', '*']);
    word.is_empty() || word.eq_ignore_ascii_case("none")
}

/// Each line, and whether it stands in (or opens or closes) a fenced code block.
pub(crate) fn outside_code(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let mut fence: Option<&str> = None;
    text.lines().map(move |line| {
        let mark = ["```", "~~~"].into_iter().find(|mark| line.trim_start().starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => {
                fence = None;
                return (line, true);
            }
            _ => {}
        }
        (line, fence.is_some())
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const GOOD: &str = "settle how quoted strings lex\n\n## What I Observed\n\
        the lexer drops escapes\n\n## Outstanding Items\n";

    #[test]
    fn sections_are_read_by_their_titles_and_not_inside_code() {
        let message = Message::new(GOOD);
        assert_eq!(message.subject(), Some("settle how quoted strings lex"));
        assert_eq!(message.section("what i observed").as_deref(), Some("the lexer drops escapes"));
        assert_eq!(message.section("Outstanding Items").as_deref(), Some(""));
        let hidden = Message::new("```\n## Evidence\nx\n```\n");
        assert_eq!(hidden.section("Evidence"), None);
    }

    #[test]
    fn both_ways_to_write_a_title_are_read() {
        let titles = ["What I Observed", "Evidence", "Outstanding Items"];
        let section =
            |text: &str, title: &str| Message::new(text).titled(titles.into_iter()).section(title);
        let colons = "look\n\nWhat I Observed:\nit drops:\n- one\n\nEvidence:\nseen\n";
        assert_eq!(section(colons, "what i observed").as_deref(), Some("it drops:\n- one"));
        assert_eq!(section(colons, "Evidence").as_deref(), Some("seen"));
        assert_eq!(section(colons, "Outstanding Items"), None);
        let mixed = "## What I Observed\nit drops\nEvidence:\n- one\n## Evidence\nseen";
        assert_eq!(
            section(mixed, "What I Observed").as_deref(),
            Some("it drops\nEvidence:\n- one"),
            "a line of prose is no title where the title stands"
        );
        assert_eq!(section(mixed, "Evidence").as_deref(), Some("seen"));
        let half = "## What I Observed\nit drops\n\nOutstanding Items:\nnone";
        assert_eq!(section(half, "What I Observed").as_deref(), Some("it drops"));
        assert_eq!(section(half, "Outstanding Items").as_deref(), Some("none"));
        assert_eq!(section("```\nEvidence:\nx\n```", "Evidence"), None);
        assert_eq!(Message::new("Evidence:\nx").titled(titles.into_iter()).subject(), Some("x"));
    }

    #[test]
    fn nothing_outstanding_may_be_said() {
        for (text, settled) in [
            ("", true),
            ("none", true),
            ("None.", true),
            ("- none", true),
            ("none of the tests ran", false),
            ("- one", false),
        ] {
            assert_eq!(is_settled(text), settled, "{text:?}");
        }
    }

    #[test]
    fn each_fault_is_named() {
        let titles = ["What I Observed", "Evidence", "Outstanding Items"];
        // text, missing, empty, unsettled
        let cases = [
            (GOOD, 1, 0, false),
            ("## What I Observed\nx\n## Evidence\n\n## Outstanding Items\n", 0, 1, false),
            ("## What I Observed\nx\n## Evidence\ny\n## Outstanding Items\n- one left", 0, 0, true),
            ("## What I Observed\nx\n## Evidence\ny\n## Outstanding Items\n", 0, 0, false),
            ("", 3, 0, false),
        ];
        for (text, missing, empty, unsettled) in cases {
            let faults = Message::new(text).faults(titles.into_iter());
            assert_eq!(
                (faults.missing.len(), faults.empty.len(), faults.unsettled),
                (missing, empty, unsettled),
                "{text:?}"
            );
        }
    }

    #[test]
    fn a_message_that_claims_seed_trailers_is_noticed() {
        for (text, forged) in
            [("Seed-Job: x", true), ("  seed-id: 1", true), ("a Seed-Job line", false)]
        {
            assert_eq!(Message::new(text).forges_trailers(), forged, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_a_message(text in any::<String>()) {
            let message = Message::new(&text);
            let _ = (message.subject().is_some(), message.words());
            let _ = message.faults(["Evidence"].into_iter());
        }
    }
}
