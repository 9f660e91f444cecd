//! A boundary message as text of a commit: what `git commit --amend` in an editor leaves as it is.
//!
//! Subject by the template, section titles as `Title:`, empty sections left out, prose wrapped at
//! 72 columns. No line begins with a comment sign of git's, which would strip it, and the body
//! does not say the subject again. Code, lists and tables stay, but for the space before a sign.

use super::message::{Message, OUTSTANDING, is_settled, outside_code};

/// Columns that prose is wrapped at.
const WIDTH: usize = 72;

/// Characters of a subject, beside its prefix.
const MOST: usize = 60;

/// How a commit message begins, and what git takes for a comment in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form<'a> {
    /// `{phase}` and `{subject}` stand in it.
    pub template: &'a str,
    pub phase: &'a str,
    /// The subject where the message has none.
    pub fallback: &'a str,
    /// What begins a comment.
    pub signs: &'a [String],
}

/// The commit message of `message`, without trailers.
pub(crate) fn commit_text(message: &Message, form: &Form<'_>) -> String {
    let subject = message.subject();
    let (short, rest) = shorten(bare(subject.unwrap_or(form.fallback)));
    let head = form.template.replace("{phase}", form.phase).replace("{subject}", &short);
    let body = match subject {
        Some(subject) => without(message.text(), subject, &rest),
        None => message.text().to_owned(),
    };
    let body = wrap(&titled(message, &body));
    let text = if body.is_empty() { head } else { format!("{head}\n\n{body}") };
    let lines: Vec<String> = text.lines().map(|line| shielded(line, form.signs)).collect();
    lines.join("\n")
}

/// A line that git takes for no comment.
fn shielded(line: &str, signs: &[String]) -> String {
    let is_comment = signs.iter().any(|sign| !sign.is_empty() && line.starts_with(sign.as_str()));
    if is_comment { format!(" {line}") } else { line.to_owned() }
}

/// The line without the sign of a list.
fn bare(subject: &str) -> &str {
    ["- ", "* "].into_iter().find_map(|sign| subject.strip_prefix(sign)).unwrap_or(subject)
}

/// The text without its subject, and what did not fit into that in its place.
fn without(text: &str, subject: &str, rest: &str) -> String {
    let mut taken = false;
    let mut lines: Vec<String> = Vec::new();
    for (line, code) in outside_code(text) {
        if !taken && !code && line.trim() == subject {
            taken = true;
            if !rest.is_empty() {
                lines.push(rest.to_owned());
            }
        } else {
            lines.push(line.to_owned());
        }
    }
    let again = |line: &String| line.trim().trim_end_matches('.') == subject.trim_end_matches('.');
    match lines.iter().position(|line| !line.trim().is_empty()) {
        Some(first) if rest.is_empty() && again(&lines[first]) => lines[first + 1..].join("\n"),
        _ => lines.join("\n"),
    }
}

/// A heading of Markdown: its depth and its words.
fn heading<'a>(message: &Message, line: &'a str) -> Option<(usize, &'a str)> {
    if let Some(title) = message.title(line) {
        return Some((2, title));
    }
    let words = line.trim_start_matches('#');
    let depth = line.len() - words.len();
    let words = words.strip_prefix(' ')?.trim().trim_end_matches(':');
    ((1..=6).contains(&depth) && !words.is_empty()).then_some((depth, words))
}

/// Titles as `Title:` with a blank line before each; sections that say nothing are left out.
fn titled(message: &Message, body: &str) -> String {
    let lines: Vec<(&str, bool)> = outside_code(body).collect();
    let title = |(line, code): (&'_ str, bool)| {
        if code { None } else { heading(message, line).map(|(depth, _)| depth) }
    };
    let mut text = String::new();
    let mut at = 0;
    while let Some(&(line, code)) = lines.get(at) {
        at += 1;
        let Some((depth, words)) = heading(message, line).filter(|_| !code) else {
            text.push_str(line);
            text.push('\n');
            continue;
        };
        let below = &lines[at..];
        let end = below.iter().position(|line| title(*line).is_some_and(|other| other <= depth));
        let below = &below[..end.unwrap_or(below.len())];
        let said: Vec<&str> = below.iter().map(|(line, _)| *line).collect();
        let settled = words.eq_ignore_ascii_case(OUTSTANDING) && is_settled(&said.join("\n"));
        if settled || said.iter().all(|line| line.trim().is_empty()) {
            at += below.len();
            continue;
        }
        let gap = if text.trim().is_empty() || text.ends_with("\n\n") { "" } else { "\n" };
        text = format!("{text}{gap}{words}:\n");
    }
    text.trim_matches('\n').trim_end().to_owned()
}

/// The first sentence of a subject that says enough and fits, and the others.
fn first_sentence(subject: &str) -> Option<(&str, &str)> {
    const LEAST: usize = 20;
    let mut ends = subject.match_indices(['.', '!', '?']).map(|(at, _)| at + 1);
    let fits = |at: &usize| {
        let behind = &subject[*at..];
        let begins = behind.trim_start().chars().next();
        behind.starts_with(char::is_whitespace)
            && begins.is_some_and(|first| !first.is_lowercase())
            && (LEAST..=MOST).contains(&subject[..*at].chars().count())
    };
    let (said, rest) = subject.split_at(ends.rfind(fits)?);
    Some((said.trim_end_matches('.'), rest.trim_start()))
}

/// A subject that fits beside its prefix, cut behind a sentence or else at a word, and what comes
/// after the cut.
fn shorten(subject: &str) -> (String, String) {
    if subject.chars().count() <= MOST {
        return (subject.trim_end_matches('.').to_owned(), String::new());
    }
    if let Some((said, rest)) = first_sentence(subject) {
        return (said.to_owned(), rest.to_owned());
    }
    let mut end = 0;
    let ends = subject.char_indices().filter(|(_, char)| char.is_whitespace()).map(|(at, _)| at);
    for at in ends {
        if subject[..at].chars().count() > MOST - 1 {
            break;
        }
        end = at;
    }
    if end == 0 {
        end = subject.char_indices().nth(MOST - 1).map_or(subject.len(), |(at, _)| at);
    }
    let (short, rest) = subject.split_at(end);
    (format!("{}…", short.trim_end()), format!("…{}", rest.trim_start()))
}

/// Wraps long lines of prose at 72 columns; everything else stays.
pub(crate) fn wrap(text: &str) -> String {
    let wrapped: Vec<String> = outside_code(text)
        .map(|(line, code)| if code || !is_prose(line) { line.to_owned() } else { wrap_line(line) })
        .collect();
    wrapped.join("\n")
}

fn is_prose(line: &str) -> bool {
    !line.starts_with(['|', '>', ' ', '\t'])
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

    const TITLES: [&str; 3] = ["What I Observed", "Evidence", OUTSTANDING];

    fn told(text: &str, signs: &[&str]) -> String {
        let signs: Vec<String> = signs.iter().map(|sign| (*sign).to_owned()).collect();
        let (template, phase) = ("{phase}: {subject}", "execute");
        let form = Form { template, phase, fallback: "job", signs: &signs };
        commit_text(&Message::new(text).titled(TITLES.into_iter()), &form)
    }

    #[test]
    fn the_commit_message_has_a_subject_by_template_and_a_wrapped_body() {
        let long = "word ".repeat(40);
        let text = told(&format!("fix it.\n\n{long}\n\n```\n{long}\n```"), &["#"]);
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("execute: fix it"));
        assert!(text.lines().take(4).all(|line| line.chars().count() <= 72), "{text}");
        assert!(text.contains(&format!("```\n{}", long.trim_end())), "code stays: {text}");
    }

    #[test]
    fn titles_lose_their_sign_and_empty_sections_go() {
        let body = "## What I Observed\nit drops\n## Evidence\n\n### Deep\nx\n";
        for (text, expected) in [
            (
                format!("look\n\n{body}\n## Outstanding Items\n"),
                "execute: look\n\nWhat I Observed:\nit drops\n\nEvidence:\n\nDeep:\nx",
            ),
            ("look\n\n## Evidence\n\n## Outstanding Items\nnone\n".to_owned(), "execute: look"),
            (
                "look\n\n## Outstanding Items\n- one\n".to_owned(),
                "execute: look\n\nOutstanding Items:\n- one",
            ),
            (
                "look\n\nEvidence:\nseen\nOutstanding Items:\nnone".to_owned(),
                "execute: look\n\nEvidence:\nseen",
            ),
            (String::new(), "execute: job"),
        ] {
            assert_eq!(told(&text, &["#"]), expected, "{text:?}");
        }
    }

    #[test]
    fn no_line_begins_with_a_comment_sign() {
        let code = "```md\n# A title\n#!/bin/sh\n```";
        let text = format!("look\n\n#12 fixed\n; odd\n{code}\n");
        assert_eq!(
            told(&text, &["#"]),
            "execute: look\n\n #12 fixed\n; odd\n```md\n # A title\n #!/bin/sh\n```"
        );
        assert!(told(&text, &["#", ";"]).contains("\n ; odd\n"));
        assert!(told("look\n\n// a\n- b", &["#", "//"]).ends_with("\n\n // a\n- b"));
        let wrapped = format!("look\n\n{} #12 is fixed", "word ".repeat(14).trim());
        assert!(told(&wrapped, &["#"]).contains("\n #12 is fixed"), "a line that wrapping made");
    }

    #[test]
    fn a_body_does_not_say_its_subject_again() {
        let long = "one two three four five six seven eight nine ten eleven twelve words";
        for (text, expected) in [
            ("fix it\n\nfix it.\n\nmore", "execute: fix it\n\nmore"),
            ("## Evidence\n- seen\n- more", "execute: seen\n\nEvidence:\n- more"),
            ("## Evidence\nseen", "execute: seen"),
            (
                long,
                "execute: one two three four five six seven eight nine ten eleven…\n\n\
                 …twelve words",
            ),
            (
                "the test is called spaces now, as you asked. The fix did not change. It ran",
                "execute: the test is called spaces now, as you asked\n\n\
                 The fix did not change. It ran",
            ),
        ] {
            assert_eq!(told(text, &["#"]), expected, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn wrapping_keeps_every_word(text in "[ -~\n]{0,400}") {
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            prop_assert_eq!(words(&wrap(&text)), words(&text));
        }

        #[test]
        fn a_cut_subject_loses_nothing(text in "\\PC{1,200}") {
            let (short, rest) = shorten(&text);
            let cut = format!("{short}{rest}").replace("……", "");
            let bare = |text: &str| -> String {
                text.replace(['…', '.'], "").split_whitespace().collect()
            };
            prop_assert_eq!(bare(&cut), bare(&text));
        }

        #[test]
        fn any_text_keeps_clear_of_the_sign(text in any::<String>(), sign in "[#;!%^&|:]") {
            let told = told(&text, &["#", &sign]);
            let stripped = |line: &str| line.starts_with('#') || line.starts_with(&sign);
            prop_assert!(!told.lines().any(stripped));
        }
    }
}
