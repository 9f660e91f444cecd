//! Memory notes: Markdown files that an agent keeps for its later sessions.
//!
//! They lie where a host keeps them, or in directories that the rules name, and have the
//! front matter of knowledge files; hosts that write `type` below `metadata` are read too.
//! Keys that are not known are the host's own and nothing is said of them. Each rule has a
//! word that stays. Pure.

use std::collections::BTreeSet;

use serde::Serialize;

use super::knowledge::{self, BODY, DESCRIPTION, Front, TYPES, VERIFIED, Value, is_date, short};
use super::{pages, pointers};
use crate::front_matter;

/// The file that names the others; it is no note.
pub(crate) const INDEX: &str = "MEMORY.md";
/// The table below which some hosts put keys.
const TABLE: &str = "metadata";
/// The most lines of one front matter that are said not to read.
const FAULTS: usize = 3;

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Level {
    /// The note is wrong, or cannot be found.
    Error,
    Warning,
}

/// What a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum Rule {
    /// The file is no text, or its front matter does not read.
    FrontMatter,
    Name,
    Description,
    Type,
    Linked,
    LastVerified,
    Body,
}

impl Rule {
    /// Its word, which stays.
    pub(crate) fn word(self) -> &'static str {
        self.into()
    }
}

/// Something about one line of a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    /// From 1.
    pub line: usize,
    pub rule: Rule,
    pub level: Level,
    pub what: String,
}

/// Says whether the file `name` is a note.
pub(crate) fn is_note(name: &str) -> bool {
    name != INDEX && name.strip_suffix(".md").is_some_and(|stem| !stem.is_empty())
}

/// The name that the note at `path` must have.
pub(crate) fn name_of(path: &str) -> String {
    knowledge::name_of(path)
}

/// Everything that is to be said of the note at `path`, by line. `known` are the names of all
/// notes.
pub(crate) fn check(path: &str, bytes: &[u8], known: &BTreeSet<String>) -> Vec<Finding> {
    if !is_note(pages::name_of(path)) {
        return Vec::new();
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(bad) => {
            let before = bytes.get(..bad.valid_up_to()).unwrap_or_default();
            let line = 1 + memchr::memchr_iter(b'\n', before).count();
            return vec![error(line, Rule::FrontMatter, "it is no UTF-8 text")];
        }
    };
    let mut front = knowledge::front_with(text, TABLE);
    let mut faults = std::mem::take(&mut front.faults);
    // What is only advice there is about keys that are the host's here.
    faults.retain(|fault| fault.level == knowledge::Level::Error);
    faults.sort_by_key(|fault| fault.line);
    // Where the front matter never ends, every line of the text would be one more.
    faults.truncate(FAULTS);
    let mut found: Vec<Finding> = faults
        .into_iter()
        .map(|fault| error(fault.line, Rule::FrontMatter, fault.detail))
        .collect();
    // A file without front matter lacks everything; that was said.
    if front_matter::begins(text) {
        found.extend(name(path, &front));
        found.extend(description(&front));
        found.extend(kind(&front));
        let gone = |link: &&Value<'_>| !known.contains(link.text);
        let gone = front.linked.iter().filter(gone);
        found.extend(gone.map(|link| {
            error(link.line, Rule::Linked, format!("[[{}]] is no memory note", short(link.text)))
        }));
        found.extend(last_verified(&front));
    }
    found.extend(body(&front, text));
    found.sort_by_key(|finding| (finding.line, finding.rule));
    found
}

fn error(line: usize, rule: Rule, what: impl Into<String>) -> Finding {
    Finding { line, rule, level: Level::Error, what: what.into() }
}

fn warning(line: usize, rule: Rule, what: impl Into<String>) -> Finding {
    Finding { line, rule, level: Level::Warning, what: what.into() }
}

fn name(path: &str, front: &Front<'_>) -> Option<Finding> {
    let must = name_of(path);
    let no = |line, what: String| Some(error(line, Rule::Name, what));
    match &front.name {
        _ if !pointers::is_name(&must) => no(
            1,
            format!("the file's name makes `{}`: small letters, digits and `-` only", short(&must)),
        ),
        None => no(1, format!("`name` is missing; it is {must}")),
        Some(name) if name.text != must => {
            no(name.line, format!("`name` is `{}`, the file says {must}", short(name.text)))
        }
        Some(_) => None,
    }
}

fn description(front: &Front<'_>) -> Option<Finding> {
    let Some(words) = &front.description else {
        return Some(error(1, Rule::Description, "`description` is missing"));
    };
    let length = words.text.chars().count();
    let what = format!("`description` has {length} characters, at most {DESCRIPTION}");
    (length > DESCRIPTION).then(|| error(words.line, Rule::Description, what))
}

fn kind(front: &Front<'_>) -> Option<Finding> {
    let known = TYPES.join(", ");
    match &front.kind {
        None => Some(error(1, Rule::Type, format!("`type` is missing; one of {known}"))),
        Some(kind) if !TYPES.contains(&kind.text) => Some(error(
            kind.line,
            Rule::Type,
            format!("`type` is `{}`; one of {known}", short(kind.text)),
        )),
        Some(_) => None,
    }
}

fn last_verified(front: &Front<'_>) -> Option<Finding> {
    let grows_old = front.kind.as_ref().is_some_and(|kind| VERIFIED.contains(&kind.text));
    match &front.last_verified {
        None if grows_old => Some(warning(
            1,
            Rule::LastVerified,
            "`last_verified` is missing: when was this last found true?",
        )),
        Some(date) if !is_date(date.text) => {
            let what =
                format!("`last_verified` is `{}`, no date such as 2026-11-21", short(date.text));
            Some(error(date.line, Rule::LastVerified, what))
        }
        _ => None,
    }
}

/// The body is told of with the line that it begins in.
fn body(front: &Front<'_>, text: &str) -> Option<Finding> {
    let lines = front.body.lines().filter(|line| !line.trim().is_empty()).count();
    let head = text.len().saturating_sub(front.body.len());
    let line =
        1 + text.as_bytes().get(..head).map_or(0, |head| memchr::memchr_iter(b'\n', head).count());
    if lines < BODY.0 {
        let what = format!("the body has {lines} lines that say something, {} are asked", BODY.0);
        return Some(error(line, Rule::Body, what));
    }
    let what = format!("the body has {lines} lines, {} are plenty", BODY.1);
    (lines > BODY.1).then(|| warning(line, Rule::Body, what))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PATH: &str = "/home/x/memory/nested_quotes.md";
    const GOOD: &str = "---\nname: nested-quotes\ndescription: Quotes keep their escapes\n\
        type: project\nlinked: [[[lexers]]]\nlast_verified: 2026-11-21\n---\n\na\nb\nc\nd\ne\n";

    fn said(path: &str, text: &[u8]) -> Vec<String> {
        let known = ["lexers", "nested-quotes"].map(str::to_owned).into();
        let one = |one: Finding| {
            format!("{} {} {:?}: {}", one.line, one.rule.word(), one.level, one.what)
        };
        check(path, text, &known).into_iter().map(one).collect()
    }

    /// Each line of the text says what stands for what, and which one finding comes of it.
    #[test]
    fn what_is_wrong_is_said_with_its_line_and_rule() {
        assert_eq!(said(PATH, GOOD.as_bytes()), Vec::<String>::new());
        let many = "x\n".repeat(201);
        let long = "y".repeat(201);
        let cases = [
            ("name: nested-quotes\n", "", "1 name Error: `name` is missing; it is nested-quotes"),
            (
                "name: nested-quotes",
                "name: quotes",
                "2 name Error: `name` is `quotes`, the file says",
            ),
            ("name: nested-quotes", "name: Nested", "2 name Error: `name` is `Nested`"),
            (
                "description: Quotes keep their escapes\n",
                "",
                "1 description Error: `description` is missing",
            ),
            (
                "Quotes keep their escapes",
                &long,
                "3 description Error: `description` has 201 characters",
            ),
            ("type: project\n", "", "1 type Error: `type` is missing; one of user, feedback"),
            ("type: project", "type: lesson", "4 type Error: `type` is `lesson`; one of user"),
            (
                "[[[lexers]]]",
                "[[[lexers]], [[gone]]]",
                "5 linked Error: [[gone]] is no memory note",
            ),
            ("[[[lexers]]]", "\n  - \"[[gone]]\"", "6 linked Error: [[gone]] is no memory note"),
            ("[[[lexers]]]", "lexers", "5 front-matter Error: `lexers` is no list"),
            (
                "2026-11-21",
                "2026-02-30",
                "6 last-verified Error: `last_verified` is `2026-02-30`, no date",
            ),
            ("2026-11-21", "yesterday", "6 last-verified Error"),
            (
                "last_verified: 2026-11-21\n",
                "",
                "1 last-verified Warning: `last_verified` is missing",
            ),
            ("\na\n", "\n", "8 body Error: the body has 4 lines that say something, 5 are asked"),
            ("a\n", &many, "8 body Warning: the body has 205 lines, 200 are plenty"),
        ];
        for (from, to, expected) in cases {
            let text = GOOD.replacen(from, to, 1);
            let found = said(PATH, text.as_bytes());
            assert!(found.len() == 1 && found[0].starts_with(expected), "{to}: {found:#?}");
        }
    }

    #[test]
    fn what_hosts_write_is_read() {
        let below = GOOD.replace("type: project", "metadata:\n  node: note\n  type: project");
        // who writes what, and how many findings come of it
        let cases = [
            (below.replace('\n', "\r\n"), 0),
            (below, 0),
            (GOOD.replace("type: project", "type: project\nsession: 5d1c"), 0),
            (GOOD.replace("type: project", "other:\n  type: project"), 2),
            (GOOD.replace("project", "user").replace("last_verified: 2026-11-21\n", ""), 0),
            (format!("\u{feff}{GOOD}"), 0),
            ("# Only words\n\na\nb\nc\nd\n".to_owned(), 1),
            (GOOD.replace("---\n\n", "\n\n"), 4),
        ];
        for (text, wanted) in cases {
            let found = said(PATH, text.as_bytes());
            assert_eq!(found.len(), wanted, "{text}\n{found:#?}");
        }
        assert_eq!(
            said(PATH, b"---\nname: x\n\xff"),
            ["3 front-matter Error: it is no UTF-8 text"]
        );
        assert_eq!(said("a/MEMORY.md", b"- anything"), Vec::<String>::new());
        let named = said("a/Mixed Case.md", GOOD.as_bytes());
        assert!(
            named[0].starts_with("1 name Error: the file's name makes `Mixed Case`"),
            "{named:?}"
        );
    }

    proptest! {
        #[test]
        fn any_bytes_are_judged(bytes in any::<Vec<u8>>(), head in any::<bool>(),
            name in ".{0,12}") {
            let mut all = if head { b"---\nmetadata:\n".to_vec() } else { Vec::new() };
            all.extend(bytes);
            let lines = 1 + memchr::memchr_iter(b'\n', &all).count();
            for found in check(&format!("{name}.md"), &all, &BTreeSet::new()) {
                prop_assert!((1..=lines).contains(&found.line), "{found:?}");
            }
        }

        #[test]
        fn lines_of_yaml_are_judged(
            lines in proptest::collection::vec("[ \t]{0,3}[a-z_:\\-\\[\\]\"|>&#]{0,9}", 0..12)) {
            let text = format!("---\n{}\n---\n", lines.join("\n"));
            let _ = check(PATH, text.as_bytes(), &BTreeSet::new());
        }
    }
}
