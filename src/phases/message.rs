//! A boundary message: subject, sections, and what must not be in it.
//!
//! The agent writes Markdown with `## Sections`; git seed adds the phase, wraps prose
//! at 72 columns and puts its trailers last. Code, lists, tables and headings stay as
//! they are.

use crate::verdict::Facts;

/// Columns that prose is wrapped at.
const WIDTH: usize = 72;

/// The section that must stay empty.
pub const OUTSTANDING: &str = "Outstanding Items";

/// A message as its author wrote it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    text: String,
}

impl Message {
    /// Takes the author's text; CRLF becomes LF, outer blank lines go.
    pub fn new(text: &str) -> Self {
        Self { text: text.replace("\r\n", "\n").trim().to_owned() }
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
        let prose = |line: &&str| !line.is_empty() && !line.starts_with('#');
        self.text.lines().map(str::trim).find(prose)
    }

    /// The text of the section titled `title`, without its heading.
    pub fn section(&self, title: &str) -> Option<String> {
        let mut lines =
            outside_code(&self.text).skip_while(|(line, code)| *code || !is_heading(line, title));
        lines.next()?;
        let body: Vec<&str> = lines
            .take_while(|(line, code)| *code || !line.starts_with("## "))
            .map(|(line, _)| line)
            .collect();
        Some(body.join("\n").trim().to_owned())
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
                (Some(text), OUTSTANDING) => faults.unsettled |= !text.is_empty(),
                (Some(text), _) if text.is_empty() => faults.empty.push(title.to_owned()),
                _ => {}
            }
        }
        faults
    }

    /// The commit message without trailers: subject by `template`, body wrapped.
    pub(crate) fn commit(&self, template: &str, phase: &str, fallback: &str) -> String {
        let subject = self.subject().unwrap_or(fallback);
        let head = template.replace("{phase}", phase).replace("{subject}", &shorten(subject));
        let body = self.body();
        if body.is_empty() { head } else { format!("{head}\n\n{}", wrap(&body)) }
    }

    /// The text after the subject line, or all of it where the subject is no line of its own.
    fn body(&self) -> String {
        let first = self.text.lines().next().unwrap_or_default();
        let own_line = !first.starts_with('#') && first.chars().count() <= WIDTH;
        let rest = if own_line { &self.text[first.len()..] } else { &self.text[..] };
        rest.trim().to_owned()
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

    /// The faults as one phrase.
    pub(crate) fn name(&self, facts: &mut Facts) {
        let mut said = Vec::new();
        if !self.missing.is_empty() {
            said.push(format!("it lacks {}", titles(&self.missing)));
        }
        if !self.empty.is_empty() {
            said.push(format!("nothing stands below {}", titles(&self.empty)));
        }
        if self.unsettled {
            said.push(format!("`## {OUTSTANDING}` is not empty"));
        }
        facts.set("faults", said.join("; "));
    }
}

fn titles(names: &[String]) -> String {
    names.iter().map(|name| format!("`## {name}`")).collect::<Vec<_>>().join(", ")
}

fn is_heading(line: &str, title: &str) -> bool {
    line.strip_prefix("## ").is_some_and(|rest| rest.trim().eq_ignore_ascii_case(title))
}

/// Each line, and whether it stands in (or opens or closes) a fenced code block.
fn outside_code(text: &str) -> impl Iterator<Item = (&str, bool)> {
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

/// A subject that fits beside its prefix; cut at a word.
fn shorten(subject: &str) -> String {
    const MOST: usize = 60;
    if subject.chars().count() <= MOST {
        return subject.trim_end_matches('.').to_owned();
    }
    let mut short = String::new();
    for word in subject.split_whitespace() {
        if short.chars().count() + word.chars().count() + 1 > MOST - 1 {
            break;
        }
        if !short.is_empty() {
            short.push(' ');
        }
        short.push_str(word);
    }
    if short.is_empty() {
        short = subject.chars().take(MOST - 1).collect();
    }
    short.push('…');
    short
}

/// Wraps long lines of prose at 72 columns; everything else stays.
pub(crate) fn wrap(text: &str) -> String {
    let wrapped: Vec<String> = outside_code(text)
        .map(|(line, code)| if code || !is_prose(line) { line.to_owned() } else { wrap_line(line) })
        .collect();
    wrapped.join("\n")
}

fn is_prose(line: &str) -> bool {
    !line.starts_with(['#', '|', '>', ' ', '\t'])
}

fn wrap_line(line: &str) -> String {
    let indent = if line.starts_with("- ") || line.starts_with("* ") { "  " } else { "" };
    let mut lines = vec![String::new()];
    for word in line.split_whitespace() {
        let current = lines.last().map_or(0, |last| last.chars().count());
        if current > 0 && current + 1 + word.chars().count() > WIDTH {
            lines.push(indent.to_owned());
        }
        if let Some(last) = lines.last_mut() {
            if !last.trim().is_empty() {
                last.push(' ');
            }
            last.push_str(word);
        }
    }
    lines.join("\n")
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
    fn the_commit_message_has_a_subject_by_template_and_a_wrapped_body() {
        let long = "word ".repeat(40);
        let message = Message::new(&format!("fix it.\n\n{long}\n\n```\n{long}\n```"));
        let text = message.commit("{phase}: {subject}", "execute", "job");
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("execute: fix it"));
        assert!(text.lines().take(4).all(|line| line.chars().count() <= 72), "{text}");
        assert!(text.contains(&format!("```\n{}", long.trim_end())), "code stays: {text}");
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
        fn wrapping_keeps_every_word(text in "[ -~\n]{0,400}") {
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            prop_assert_eq!(words(&wrap(&text)), words(&text));
        }

        #[test]
        fn any_text_is_a_message(text in any::<String>()) {
            let message = Message::new(&text);
            let _ = (message.commit("{phase}: {subject}", "plan", "job"), message.words());
            let _ = message.faults(["Evidence"].into_iter());
        }
    }
}
