//! Knowledge files: what outlives the page it was learned on.
//!
//! A file below `.claude/knowledge/` begins with front matter, lines of `key: value` between
//! two `---`; a list stands behind its key or in lines of `- item`. That much is read and
//! no more: what YAML could mean beyond it is a fault with its line. Pure.

use std::collections::BTreeSet;

use super::{pages, pointers, words};
use crate::front_matter::{self, NoFrontMatter};

/// Where knowledge lies.
pub(crate) const HOME: &str = ".claude/knowledge/";
/// The file that names the others.
pub(crate) const INDEX: &str = ".claude/knowledge/INDEX.md";
/// Names of files that hold lines about others, and no front matter.
const INDEXES: [&str; 2] = ["INDEX.md", "MEMORY.md"];
/// What a file may be.
pub(crate) const TYPES: [&str; 5] =
    ["user", "feedback", "project", "reference", "reasoning_lesson"];
/// Types that grow old: when they were last found true is asked for.
pub(super) const VERIFIED: [&str; 3] = ["project", "reference", "reasoning_lesson"];
/// The keys that are known.
const KEYS: [&str; 5] = ["name", "description", "type", "linked", "last_verified"];
/// The most characters of a description.
pub(super) const DESCRIPTION: usize = 200;
/// The least and the most lines of a body that say something; more is advice.
pub(super) const BODY: (usize, usize) = (5, 200);

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Level {
    /// Memory that is wrong or cannot be found.
    Error,
    Advice,
}

/// What a finding of lint is about; [`super::lint`] says what mends it. In the order of their
/// words, by which findings of one line stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum LintRule {
    Anchors,
    Body,
    Contradiction,
    FrontMatter,
    Link,
    Name,
    Notes,
    Order,
    Orphan,
    Paragraph,
    Path,
    Size,
    Twice,
    Voice,
}

impl LintRule {
    /// Its word, which stays.
    pub fn word(self) -> &'static str {
        match self {
            Self::Anchors => "anchors",
            Self::Body => "body",
            Self::Contradiction => "contradiction",
            Self::FrontMatter => "front-matter",
            Self::Link => "link",
            Self::Name => "name",
            Self::Notes => "notes",
            Self::Order => "order",
            Self::Orphan => "orphan",
            Self::Paragraph => "paragraph",
            Self::Path => "path",
            Self::Size => "size",
            Self::Twice => "twice",
            Self::Voice => "voice",
        }
    }
}

/// Something about one line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    /// From 1.
    pub line: usize,
    pub rule: LintRule,
    pub level: Level,
    pub detail: String,
}

/// A value and the line of its key, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Value<'a> {
    pub line: usize,
    pub text: &'a str,
}

/// Front matter as it was read, and the body below it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Front<'a> {
    pub name: Option<Value<'a>>,
    pub description: Option<Value<'a>>,
    pub kind: Option<Value<'a>>,
    pub linked: Vec<Value<'a>>,
    pub last_verified: Option<Value<'a>>,
    pub body: &'a str,
    pub(super) faults: Vec<Finding>,
}

/// Says whether the file at `path` holds knowledge: a Markdown file below its home that is
/// no index.
pub(crate) fn is_knowledge(path: &str) -> bool {
    path.starts_with(HOME)
        && path.len() > HOME.len() + ".md".len()
        && std::path::Path::new(path).extension().is_some_and(|ending| ending == "md")
        && !is_index(path)
}

/// Says whether the file at `path` only names others.
pub(crate) fn is_index(path: &str) -> bool {
    INDEXES.contains(&pages::name_of(path))
}

/// The name that the file at `path` must have.
pub(crate) fn name_of(path: &str) -> String {
    let file = pages::name_of(path);
    file.strip_suffix(".md").unwrap_or(file).replace('_', "-")
}

/// Reads the front matter of `text`. What does not read is kept as a fault.
pub(crate) fn front(text: &str) -> Front<'_> {
    read(text, "")
}

/// The same, where the keys below the key `table` count as if they stood at the top: some
/// hosts write `type` below `metadata`.
pub(super) fn front_with<'a>(text: &'a str, table: &str) -> Front<'a> {
    read(text, table)
}

fn read<'a>(text: &'a str, table: &str) -> Front<'a> {
    let mut front = Front::default();
    let found = front_matter::find(text);
    // What is never closed is read as far as it goes.
    let lines = match &found {
        Ok(found) => {
            front.body = &text[found.end..];
            &text[found.lines.clone()]
        }
        Err(NoFrontMatter::Unclosed { from }) => &text[*from..],
        Err(NoFrontMatter::Absent) => {
            front.body = text.strip_prefix('\u{feff}').unwrap_or(text);
            front.fault(1, "it has no front matter: line 1 is not `---`".to_owned());
            return front;
        }
    };
    let mut key: Option<&str> = None;
    let mut seen = BTreeSet::new();
    // The lines that are read stand below the key `table`.
    let mut open = false;
    for (line, number) in lines.lines().zip(2..) {
        let said = line.trim_end();
        if said.trim_start().is_empty() || said.starts_with('#') {
            continue;
        }
        if let Some(item) = item(said) {
            match key {
                Some(key) => front.item(key, item, number),
                None => front.fault(number, "a list item stands below no key".to_owned()),
            }
        } else if let Some((word, value)) =
            top_or_below(said, open).filter(|(word, _)| is_key(word))
        {
            if !said.starts_with([' ', '\t']) {
                open = !table.is_empty() && word == table && value.trim().is_empty();
                if open {
                    continue;
                }
            }
            if !seen.insert(word) {
                front.fault(number, format!("`{word}` stands twice"));
            }
            key = Some(word);
            front.key(word, value.trim(), number);
        } else {
            front.fault(number, format!("`{}` is neither `key: value` nor `- item`", short(said)));
        }
    }
    if found.is_err() {
        front.fault(1, "the front matter is never closed by `---`".to_owned());
    }
    front
}

/// Key and value of a line; set in below another key, only where that one is `open`.
fn top_or_below(line: &str, open: bool) -> Option<(&str, &str)> {
    (if open { line.trim_start() } else { line }).split_once(':')
}

/// The item that a line of a list holds.
fn item(line: &str) -> Option<&str> {
    let line = line.trim_start();
    if line == "-" { Some("") } else { line.strip_prefix("- ").map(str::trim) }
}

fn is_key(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'-'))
}

impl<'a> Front<'a> {
    fn fault(&mut self, line: usize, detail: String) {
        self.faults.push(Finding {
            line,
            rule: LintRule::FrontMatter,
            level: Level::Error,
            detail,
        });
    }

    fn key(&mut self, key: &str, value: &'a str, line: usize) {
        if key == "linked" {
            return self.links(value, line);
        }
        // Blocks, anchors and maps would need a reader that nobody here has.
        if value.starts_with(['|', '>', '&', '*', '{', '[', '!']) && KEYS.contains(&key) {
            return self.fault(line, format!("`{key}` must be plain text on its line"));
        }
        let value =
            Some(Value { line, text: unquoted(value) }).filter(|value| !value.text.is_empty());
        match key {
            "name" => self.name = value,
            "description" => self.description = value,
            "type" => self.kind = value,
            "last_verified" => self.last_verified = value,
            _ => {
                let detail = format!("`{key}` is no known key; known keys: {}", KEYS.join(", "));
                self.faults.push(Finding {
                    line,
                    rule: LintRule::FrontMatter,
                    level: Level::Advice,
                    detail,
                });
            }
        }
    }

    fn item(&mut self, key: &str, item: &'a str, line: usize) {
        if key == "linked" {
            self.links(item, line);
        } else if KEYS.contains(&key) {
            self.fault(line, format!("`{key}` is no list"));
        }
    }

    /// All `[[names]]` of `value`, between which nothing but signs of a list may stand.
    fn links(&mut self, value: &'a str, line: usize) {
        let mut rest = value;
        let signs = |text: &str| text.chars().all(|c| c.is_whitespace() || "[],\"'".contains(c));
        while let Some(at) = rest.find("[[") {
            let before = &rest[..at];
            // `[[[a]], [[b]]]`: the list's own bracket comes first.
            let inner = rest[at + 2..].trim_start_matches('[');
            let Some((name, after)) = inner.split_once("]]").filter(|_| signs(before)) else {
                break;
            };
            self.linked.push(Value { line, text: name.trim() });
            rest = after;
        }
        if !signs(rest) || rest.contains("[[") {
            self.fault(line, format!("`{}` is no list of `[[name]]`", short(value)));
        }
    }
}

fn unquoted(value: &str) -> &str {
    let inner = |quote: char| value.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    inner('"').or_else(|| inner('\'')).unwrap_or(value).trim()
}

pub(super) fn short(text: &str) -> String {
    text.chars().take(40).collect()
}

/// Everything that is to be said of the knowledge file at `path`. `known` are the names of
/// all knowledge files; an index has nothing to check.
pub(crate) fn check(path: &str, text: &str, known: &BTreeSet<String>) -> Vec<Finding> {
    if is_index(path) {
        return Vec::new();
    }
    let mut front = front(text);
    let mut found = std::mem::take(&mut front.faults);
    let mut say = |line: usize, rule, level, detail: String| {
        found.push(Finding { line, rule, level, detail });
    };
    // A file without front matter lacks everything; that was said.
    let reads = front_matter::begins(text);
    if reads {
        check_name(path, &front, &mut say);
        check_words(&front, &mut say);
        for link in front.linked.iter().filter(|link| !known.contains(link.text)) {
            say(
                link.line,
                LintRule::Name,
                Level::Error,
                format!("[[{}]] is no knowledge file", short(link.text)),
            );
        }
    }
    let lines = front.body.lines().filter(|line| !line.trim().is_empty()).count();
    if reads && lines < BODY.0 {
        let detail = format!("the body has {lines} lines that say something, {} are asked", BODY.0);
        say(1, LintRule::Body, Level::Error, detail);
    } else if lines > BODY.1 {
        let detail = format!("the body has {lines} lines, {} are plenty", BODY.1);
        say(1, LintRule::Body, Level::Advice, detail);
    }
    found.sort_by_key(|finding| finding.line);
    found
}

fn check_name(path: &str, front: &Front<'_>, say: &mut impl FnMut(usize, LintRule, Level, String)) {
    let mut no = |line, detail| say(line, LintRule::FrontMatter, Level::Error, detail);
    let must = name_of(path);
    match &front.name {
        // No name could be right: it is the file's, and that one is none.
        _ if !pointers::is_name(&must) => {
            no(
                1,
                format!(
                    "the file's name makes `{}`; rename it: small letters, digits and `-`",
                    short(&must)
                ),
            );
        }
        None => no(1, format!("`name` is missing; it is {must}")),
        Some(name) if !pointers::is_name(name.text) => {
            no(
                name.line,
                format!("`name` is `{}`; small letters, digits and `-` only", short(name.text)),
            );
        }
        Some(name) if name.text != must => {
            no(name.line, format!("`name` is `{}`, the file says {must}", short(name.text)));
        }
        Some(_) => {}
    }
}

fn check_words(front: &Front<'_>, say: &mut impl FnMut(usize, LintRule, Level, String)) {
    let mut say = |line, level, detail| say(line, LintRule::FrontMatter, level, detail);
    match &front.description {
        None => say(1, Level::Error, "`description` is missing".to_owned()),
        Some(words) => {
            let length = words.text.chars().count();
            if length > DESCRIPTION {
                let detail =
                    format!("`description` has {length} characters, at most {DESCRIPTION}");
                say(words.line, Level::Error, detail);
            }
        }
    }
    let known = || TYPES.join(", ");
    match &front.kind {
        None => say(1, Level::Error, format!("`type` is missing; one of {}", known())),
        Some(kind) if !TYPES.contains(&kind.text) => {
            say(
                kind.line,
                Level::Error,
                format!("`type` is `{}`; one of {}", short(kind.text), known()),
            );
        }
        Some(_) => {}
    }
    let grows_old = front.kind.as_ref().is_some_and(|kind| VERIFIED.contains(&kind.text));
    match &front.last_verified {
        None if grows_old => {
            say(
                1,
                Level::Advice,
                "`last_verified` is missing: when was this last found true?".to_owned(),
            );
        }
        Some(date) if !is_date(date.text) => {
            say(
                date.line,
                Level::Error,
                format!("`last_verified` is `{}`, no date such as 2026-11-21", short(date.text)),
            );
        }
        _ => {}
    }
}

/// Says whether `text` is a day of the calendar.
pub(super) fn is_date(text: &str) -> bool {
    let format = time::macros::format_description!("[year]-[month]-[day]");
    text.len() == "2026-11-21".len() && time::Date::parse(text, &format).is_ok()
}

/// The line of [`INDEX`] for the knowledge file at `path`.
pub(crate) fn index_line(path: &str, name: &str, description: &str) -> String {
    let target = path.strip_prefix(HOME).unwrap_or(path);
    let plain = !target.contains(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '<' | '>'));
    let target = if plain { target.to_owned() } else { format!("<{target}>") };
    let description = description.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("- [{name}]({target}): {description}")
}

/// Says whether `index`, the text of [`INDEX`], has a link to the knowledge file at `path`.
pub(crate) fn has_line(index: &str, path: &str) -> bool {
    let leads = |one: &pointers::Pointer<'_>| {
        one.kind == pointers::PointerKind::Link
            && pointers::resolve(INDEX, one.target).as_deref() == Some(path)
    };
    pointers::pointers(index).iter().any(leads)
}

/// `index` with a line for the knowledge file at `path`; as it was where it has one.
pub(crate) fn with_line(index: &str, path: &str, name: &str, description: &str) -> String {
    if has_line(index, path) {
        return index.to_owned();
    }
    let end = if index.contains("\r\n") { "\r\n" } else { "\n" };
    let gap = if index.is_empty() || index.ends_with('\n') { "" } else { end };
    let head =
        if index.trim().is_empty() { format!("# Knowledge{end}{end}") } else { String::new() };
    format!("{index}{gap}{head}{}{end}", index_line(path, name, description))
}

/// Words of a knowledge file, its front matter left out.
pub(crate) fn body_words(text: &str) -> usize {
    words::count(front(text).body)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PATH: &str = ".claude/knowledge/nested_quotes.md";
    const GOOD: &str = "---\nname: nested-quotes\ndescription: Quotes keep their escapes\n\
        type: project\nlinked: [[[lexers]]]\nlast_verified: 2026-11-21\n---\n\na\nb\nc\nd\ne\n";

    fn known() -> BTreeSet<String> {
        ["lexers", "nested-quotes"].map(str::to_owned).into()
    }

    fn said(text: &str) -> Vec<String> {
        let one = |one: Finding| format!("{} {:?} {}", one.line, one.level, one.detail);
        check(PATH, text, &known()).into_iter().map(one).collect()
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        assert_eq!(said(GOOD), Vec::<String>::new());
        // what stands for what, and what is then said
        let cases = [
            (
                "name: nested-quotes",
                "name: quotes",
                "2 Error `name` is `quotes`, the file says nested-quotes",
            ),
            ("name: nested-quotes", "name: Nested", "2 Error `name` is `Nested`; small letters"),
            ("name: nested-quotes\n", "", "1 Error `name` is missing"),
            (
                "description: Quotes",
                "description: |\n# Quotes",
                "3 Error `description` must be plain text",
            ),
            ("description: Quotes keep their escapes\n", "", "1 Error `description` is missing"),
            ("type: project", "type: lesson", "4 Error `type` is `lesson`; one of user"),
            ("type: project\n", "", "1 Error `type` is missing"),
            ("[[[lexers]]]", "[[[lexers]], [[gone]]]", "5 Error [[gone]] is no knowledge file"),
            (
                "[[[lexers]]]",
                "\n- [[lexers]]\n  - \"[[gone]]\"",
                "7 Error [[gone]] is no knowledge file",
            ),
            ("[[[lexers]]]", "lexers", "5 Error `lexers` is no list of `[[name]]`"),
            ("[[[lexers]]]", "[[[lexers]]", ""),
            ("2026-11-21", "2026-02-30", "6 Error `last_verified` is `2026-02-30`"),
            ("2026-11-21", "today", "6 Error `last_verified` is `today`"),
            ("last_verified: 2026-11-21\n", "", "1 Advice `last_verified` is missing"),
            ("type: project", "type: project\ntags: a", "5 Advice `tags` is no known key"),
            ("type: project", "type: project\ntype: user", "5 Error `type` stands twice"),
            ("type: project", "- project", "4 Error `description` is no list"),
            ("type: project", "type project", "4 Error `type project` is neither"),
            ("---\n\na", "--\n\na", "1 Error the front matter is never closed"),
            ("a\nb\nc\nd\ne\n", "a\n\n\nb\n", "1 Error the body has 2 lines"),
            ("---\nname", "name", "1 Error it has no front matter"),
            ("Quotes keep", "\"Quotes keep", ""),
        ];
        for (from, to, expected) in cases {
            let said = said(&GOOD.replacen(from, to, 1));
            let held = said.iter().any(|line| line.starts_with(expected));
            assert!(
                held || (expected.is_empty() && said.is_empty()),
                "{from:?} -> {to:?}: {said:?}"
            );
        }
        let long = GOOD.replace("Quotes keep", &"x".repeat(200));
        assert!(
            said(&long)[0].starts_with("3 Error `description` has 214 characters"),
            "{:?}",
            said(&long)
        );
        let user =
            GOOD.replace("type: project", "type: user").replace("last_verified: 2026-11-21\n", "");
        assert_eq!(said(&user), Vec::<String>::new(), "what is about a person does not grow old");
        let much = format!("{GOOD}{}", "line\n".repeat(200));
        assert_eq!(said(&much), ["1 Advice the body has 205 lines, 200 are plenty"]);
        assert_eq!(said(&GOOD.replace('\n', "\r\n")), Vec::<String>::new());
        assert_eq!(said(&format!("\u{feff}{GOOD}")), Vec::<String>::new());
    }

    #[test]
    fn an_index_has_no_front_matter() {
        for index in ["INDEX.md", "MEMORY.md", "lexers/INDEX.md"] {
            assert_eq!(check(&format!("{HOME}{index}"), "# Knowledge\n", &known()), []);
            assert!(!is_knowledge(&format!("{HOME}{index}")));
        }
        for (path, is) in [
            (PATH, true),
            (".claude/knowledge/a/b.md", true),
            (".claude/knowledge/a.txt", false),
            (".claude/knowledge/.md", false),
            ("knowledge/a.md", false),
        ] {
            assert_eq!(is_knowledge(path), is, "{path}");
        }
    }

    #[test]
    fn a_line_joins_the_index_once() {
        let line = "- [nested-quotes](nested_quotes.md): Quotes keep\n";
        let with = |index: &str| with_line(index, PATH, "nested-quotes", "Quotes\n keep");
        assert_eq!(with(""), format!("# Knowledge\n\n{line}"));
        assert_eq!(with("# K"), format!("# K\n{line}"));
        assert_eq!(with("# K\r\n"), format!("# K\r\n{}\r\n", line.trim_end()));
        for has in
            [line, "see [it](./nested_quotes.md)", "- [x](/.claude/knowledge/nested_quotes.md)"]
        {
            assert_eq!(with(has), has);
        }
        assert!(!has_line("`nested_quotes.md`", PATH));
        let odd = ".claude/knowledge/a (b)/c d.md";
        assert!(has_line(&with_line("", odd, "c-d", "x"), odd));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..300),
            tail in "(---|[a-z_]{1,13}:|- |\\[\\[|\\]\\]|\n| |\"|é){0,40}") {
            for text in [String::from_utf8_lossy(&bytes).into_owned(), tail.clone(),
                format!("---\n{tail}\n---\n{tail}")] {
                let lines = text.lines().count().max(1);
                prop_assert!(check(PATH, &text, &known()).iter()
                    .all(|one| (1..=lines).contains(&one.line)));
                prop_assert!(text.ends_with(front(&text).body));
            }
        }

        #[test]
        fn an_index_keeps_what_it_had(index in "\\PC*|[a-z\n\\[\\]()`.#-]{0,80}",
            stem in "[a-z0-9_()<> -]{1,12}") {
            let path = format!("{HOME}{stem}.md");
            let with = with_line(&index, &path, "x", "y");
            prop_assert!(with.starts_with(&index));
        }
    }
}
