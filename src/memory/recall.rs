//! Which pages and which knowledge lie nearest to a piece of work.
//!
//! A page is near by its directory, knowledge by the words that it shares with the job. Ties
//! go by path, so that the same memory and the same job always give the same list. Pure.

use std::collections::BTreeSet;

use super::footers::heading;
use super::pages;

/// The fewest letters of a word that says what something is about.
const LETTERS: usize = 4;

/// English words that anything could be about.
const COMMON: [&str; 72] = [
    "about",
    "above",
    "after",
    "again",
    "against",
    "also",
    "although",
    "always",
    "another",
    "anything",
    "because",
    "been",
    "before",
    "being",
    "below",
    "between",
    "both",
    "cannot",
    "could",
    "does",
    "doing",
    "done",
    "down",
    "each",
    "either",
    "every",
    "from",
    "have",
    "having",
    "here",
    "into",
    "itself",
    "just",
    "like",
    "make",
    "many",
    "more",
    "most",
    "much",
    "must",
    "never",
    "only",
    "other",
    "over",
    "same",
    "shall",
    "should",
    "since",
    "some",
    "something",
    "still",
    "such",
    "than",
    "that",
    "their",
    "them",
    "then",
    "there",
    "these",
    "they",
    "this",
    "those",
    "through",
    "under",
    "until",
    "very",
    "want",
    "were",
    "what",
    "when",
    "with",
    "without",
];

/// The words of `texts` that say what they are about: letter case and the `s` of a plural
/// left out.
pub(crate) fn topics<'t>(texts: impl IntoIterator<Item = &'t str>) -> BTreeSet<String> {
    let words = texts.into_iter().flat_map(|text| text.split(|c: char| !c.is_alphanumeric()));
    let long = words.filter(|word| word.chars().count() >= LETTERS).map(str::to_lowercase);
    let telling = long.filter(|word| !COMMON.contains(&word.as_str()));
    telling.map(|word| word.strip_suffix('s').map(str::to_owned).unwrap_or(word)).collect()
}

/// How many words two things have in common.
pub(crate) fn shared(one: &BTreeSet<String>, other: &BTreeSet<String>) -> usize {
    one.intersection(other).count()
}

/// How far the page at `path` is from the nearest of `dirs`: in the directory itself, above
/// it, below it, or beside it, each with the steps in between; nothing for what lies further.
/// The top directory is empty.
pub(crate) fn distance(path: &str, dirs: &[&str]) -> Option<(u8, usize)> {
    let here = parts(pages::dir_of(path));
    let to = |dir: &&str| {
        let there = parts(dir);
        let common = here.iter().zip(&there).take_while(|(one, other)| one == other).count();
        match (here.len() - common, there.len() - common) {
            (0, 0) => Some((0, 0)),
            (0, up) => Some((1, up)),
            (down, 0) => Some((2, down)),
            (1, 1) => Some((3, 1)),
            _ => None,
        }
    };
    dirs.iter().filter_map(to).min()
}

fn parts(dir: &str) -> Vec<&str> {
    dir.split('/').filter(|part| !part.is_empty() && *part != ".").collect()
}

/// At most `most` of `items`, the smallest keys first; what has no key is left out.
pub(crate) fn nearest<T, K: Ord>(
    items: &[T],
    most: usize,
    key: impl Fn(&T) -> Option<K>,
) -> Vec<&T> {
    let mut near: Vec<(K, &T)> = items.iter().filter_map(|item| Some((key(item)?, item))).collect();
    near.sort_by(|(one, _), (other, _)| one.cmp(other));
    near.into_iter().take(most).map(|(_, item)| item).collect()
}

/// What a page says it is: its first heading, else its first line with words.
pub(crate) fn title(body: &str) -> Option<&str> {
    let said = || body.lines().filter(|line| line.chars().any(char::is_alphanumeric));
    let titles = || said().filter_map(|line| heading(line).map(|(_, title)| title));
    titles().next().or_else(|| said().next().map(str::trim))
}

/// The lines of a body that say something by themselves: items and paragraphs, without their marks.
pub(crate) fn lines(body: &str) -> impl Iterator<Item = &str> {
    let said = body.lines().filter(|line| heading(line).is_none()).map(str::trim);
    let bare = said.map(|line| line.trim_start_matches(['-', '*', '+', ' ']));
    bare.filter(|line| line.chars().any(char::is_alphanumeric))
}

/// The titles of all headings.
pub(crate) fn headings(body: &str) -> impl Iterator<Item = &str> {
    body.lines().filter_map(|line| heading(line).map(|(_, title)| title))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_page_is_near_by_its_directory() {
        for (path, dirs, expected) in [
            ("src/parser/CLAUDE.md", &["src/parser"][..], Some((0, 0))),
            ("src/CLAUDE.md", &["src/parser"], Some((1, 1))),
            ("CLAUDE.md", &["src/parser"], Some((1, 2))),
            ("src/parser/tests/CLAUDE.md", &["src/parser"], Some((2, 1))),
            ("src/lexer/CLAUDE.md", &["src/parser"], Some((3, 1))),
            ("src/lexer/old/CLAUDE.md", &["src/parser"], None),
            ("docs/a/CLAUDE.md", &["src/parser"], None),
            ("docs/CLAUDE.md", &["src/parser", "docs"], Some((0, 0))),
            ("CLAUDE.md", &["."], Some((0, 0))),
            ("docs/CLAUDE.md", &[""], Some((2, 1))),
            ("docs/CLAUDE.md", &[], None),
        ] {
            assert_eq!(distance(path, dirs), expected, "{path} {dirs:?}");
        }
        let paths = [
            "src/lexer/CLAUDE.md",
            "CLAUDE.md",
            "src/CLAUDE.md",
            "x/y/CLAUDE.md",
            "src/a/CLAUDE.md",
        ];
        let near = nearest(&paths, 3, |path| Some((distance(path, &["src/parser"])?, *path)));
        assert_eq!(near, [&"src/CLAUDE.md", &"CLAUDE.md", &"src/a/CLAUDE.md"]);
    }

    #[test]
    fn topics_are_words_that_tell_something() {
        let topics = |text| topics([text]).into_iter().collect::<Vec<_>>();
        assert_eq!(topics("Fix the Lexers: quoted strings with it"), ["lexer", "quoted", "string"]);
        assert_eq!(topics("src/parser/lex_rules.rs"), ["parser", "rule"]);
        assert_eq!(topics("Füße müssen über alles"), ["alle", "füße", "müssen", "über"]);
        assert_eq!(topics("there were some of those"), Vec::<String>::new());
    }

    #[test]
    fn a_page_is_told_by_its_first_heading() {
        for (body, expected) in [
            ("intro\n# The parser\n## More\n", Some("The parser")),
            ("\n---\n- first words\n", Some("- first words")),
            ("\n\n", None),
        ] {
            assert_eq!(title(body), expected, "{body:?}");
        }
        assert!(COMMON.is_sorted(), "one looks for a word in order");
    }

    proptest! {
        #[test]
        fn any_words_and_paths_are_ranked(text in "\\PC*", path in "[a-z./]{0,20}",
            dir in "[a-z./]{0,20}") {
            let words = topics([text.as_str()]);
            prop_assert_eq!(shared(&words, &words), words.len());
            prop_assert!(words.iter()
                .all(|word| !COMMON.contains(&word.as_str())
                    || word.chars().count() >= LETTERS - 1));
            let _ = (distance(&path, &[&dir]), title(&text), headings(&text).count());
        }
    }
}
