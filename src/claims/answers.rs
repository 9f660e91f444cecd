//! The words that end a turn: do they ask about, or say something of, a file that was not opened?

/// The most of an answer that is read, in bytes.
const LONGEST: usize = 64 * 1024;

/// The first file that `said` asks about or says something of, by one of `verbs`, and that
/// is not among `opened`. Code blocks and quotations say nothing; `is_file` tells what is a
/// file of the repository, by its path from the top.
pub(crate) fn unopened(
    said: &str,
    verbs: &[String],
    opened: &[String],
    is_file: impl Fn(&str) -> bool,
) -> Option<String> {
    let end =
        (0..=LONGEST.min(said.len())).rev().find(|at| said.is_char_boundary(*at)).unwrap_or(0);
    let mut code = false;
    for line in said[..end].lines().map(str::trim) {
        if line.starts_with("```") || line.starts_with("~~~") {
            code = !code;
            continue;
        }
        if code || line.starts_with('>') {
            continue;
        }
        for sentence in sentences(line) {
            if !speaks(sentence, verbs) {
                continue;
            }
            let unread = |path: &&str| !is_opened(path, opened) && is_file(path);
            if let Some(path) = paths(sentence).find(unread) {
                return Some(path.to_owned());
            }
        }
    }
    None
}

/// Sentences of a line, each with the sign that ends it.
pub(crate) fn sentences(line: &str) -> impl Iterator<Item = &str> {
    let ends = |at: usize, char: char| {
        let next = line[at + char.len_utf8()..].chars().next();
        matches!(char, '.' | '!' | '?' | ';') && next.is_none_or(char::is_whitespace)
    };
    let mut begin = 0;
    let mut cuts: Vec<&str> = Vec::new();
    for (at, char) in line.char_indices() {
        if ends(at, char) {
            cuts.push(&line[begin..at + char.len_utf8()]);
            begin = at + char.len_utf8();
        }
    }
    cuts.push(&line[begin..]);
    cuts.into_iter()
}

/// A question, or a sentence that says something of what it names.
fn speaks(sentence: &str, verbs: &[String]) -> bool {
    let words = || sentence.split(|char: char| !char.is_alphanumeric());
    sentence.trim_end().ends_with('?') || words().any(|word| verbs.iter().any(|verb| word == verb))
}

/// What looks like a path with a directory, without the signs around it and a line number.
fn paths(sentence: &str) -> impl Iterator<Item = &str> {
    let around = |char: char| {
        matches!(
            char,
            '`' | '"'
                | '\''
                | '('
                | ')'
                | '['
                | ']'
                | '<'
                | '>'
                | '*'
                | ','
                | ';'
                | '?'
                | '!'
                | ':'
                | '.'
        )
    };
    sentence.split_whitespace().filter(|word| !word.contains("://")).filter_map(move |word| {
        let word =
            word.trim_end_matches(around).trim_start_matches(|char| char != '.' && around(char));
        let word = word.split([':', '#']).next().unwrap_or(word);
        let word = word.strip_prefix("./").unwrap_or(word);
        word.contains('/').then_some(word)
    })
}

/// The same file, also where one of the two names it by the end of its path.
fn is_opened(path: &str, opened: &[String]) -> bool {
    let ends = |long: &str, short: &str| {
        long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    };
    opened.iter().any(|known| ends(known, path) || ends(path, known))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_said_of_a_file_was_read_there() {
        let verbs: Vec<String> = ["says", "defines", "handles"].map(str::to_owned).into();
        let opened = ["src/lex.rs".to_owned(), "docs/guide.md".to_owned()];
        let is_file = |path: &str| {
            ["src/lex.rs", "src/parse.rs", "docs/guide.md", "web/a.ts"].contains(&path)
        };
        for (said, found) in [
            ("Should src/parse.rs keep its escapes?", Some("src/parse.rs")),
            ("`src/parse.rs:12` defines the grammar.", Some("src/parse.rs")),
            ("I fixed it. (web/a.ts) handles the rest.", Some("web/a.ts")),
            ("./web/a.ts says so", Some("web/a.ts")),
            ("`src/lex.rs` defines the tokens.", None),
            ("docs/guide.md says how.", None),
            ("I would look at src/parse.rs next.", None),
            ("src/none.rs defines nothing that is there.", None),
            ("https://example.org/src/parse.rs says so", None),
            ("> src/parse.rs defines it", None),
            ("```\nsrc/parse.rs defines it\n```", None),
            ("Done.", None),
            ("", None),
        ] {
            assert_eq!(unopened(said, &verbs, &opened, is_file).as_deref(), found, "{said}");
        }
    }

    proptest! {
        #[test]
        fn any_answer_is_read(said in "(?s).{0,400}", verb in "[a-z]{1,8}") {
            let _ = unopened(&said, &[verb], &[], |_| true);
        }
    }
}
