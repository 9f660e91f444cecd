//! What changed beside what a message says: values on changed lines, and names that no changed
//! file has any more.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};

use super::languages::Languages;
use super::truth::Piece;
use super::{How, ValuesTurned};
use crate::secrets;

/// The most files of which values are kept, and the most values of one.
const FILES: usize = 16;
const VALUES: usize = 6;

/// The most names that are kept as gone, and the longest.
const GONE: usize = 48;
const LONG: usize = 40;

/// The shortest name that is looked at.
const SHORT: usize = 3;

/// The most digits of a value.
const DIGITS: usize = 7;

/// What stands before a bracket in many languages, and is no name.
const KEYWORDS: [&str; 12] = [
    "for", "while", "switch", "return", "catch", "new", "self", "this", "super", "match", "when",
    "elif",
];

/// The lines that came to one file and went from it.
pub(super) struct Moved<'p> {
    piece: &'p Piece,
    pub gone: BTreeSet<Cow<'p, str>>,
    pub came: BTreeSet<Cow<'p, str>>,
}

impl<'p> Moved<'p> {
    pub(super) fn of(piece: &'p Piece) -> Self {
        let (before, after) = (lines(piece.before.as_deref()), lines(piece.after.as_deref()));
        let only = |these: &HashSet<&'p [u8]>, those: &HashSet<&'p [u8]>| {
            these.difference(those).map(|line| String::from_utf8_lossy(line)).collect()
        };
        Self { piece, gone: only(&before, &after), came: only(&after, &before) }
    }
}

fn lines(side: Option<&[u8]>) -> HashSet<&[u8]> {
    let lines = side.unwrap_or_default().split(|byte| *byte == b'\n');
    lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line)).filter(|l| !l.is_empty()).collect()
}

/// Values that stand on lines that went and on none that came, and the other way round, in code
/// and settings: not in tests, texts and what tests expect, and no versions of dependencies.
pub(super) fn values(moved: &[Moved<'_>], languages: &Languages) -> Vec<ValuesTurned> {
    let mut found = Vec::new();
    for one in moved.iter().filter(|one| matches!(one.piece.how, How::Modified | How::Renamed)) {
        let path = one.piece.path.as_str();
        let beside = languages.is_prose(path)
            || languages.is_test_path(path)
            || languages.is_expected(path)
            || path.contains("lock");
        if beside {
            continue;
        }
        let version = languages.is_manifest(path);
        let of = |lines: &BTreeSet<Cow<'_, str>>| -> BTreeSet<String> {
            let code = lines.iter().filter(|line| !is_comment(line));
            let all = code.flat_map(|line| literals(line));
            all.filter(|value| !(version && value.contains('.'))).collect()
        };
        let (was, now) = (of(&one.gone), of(&one.came));
        let only = |a: &BTreeSet<String>, b: &BTreeSet<String>| -> Vec<String> {
            a.difference(b).take(VALUES).cloned().collect()
        };
        let (was, now) = (only(&was, &now), only(&now, &was));
        if !was.is_empty() && !now.is_empty() {
            found.push(ValuesTurned { path: path.to_owned(), was, now });
        }
    }
    found.truncate(FILES);
    found
}

/// Numbers of a line that are no part of a name, a version or a larger number.
fn literals(line: &str) -> impl Iterator<Item = String> + '_ {
    let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    line.split(move |c: char| !word(c)).filter_map(|token| {
        let token = token.trim_end_matches('.').replace('_', "");
        let mut parts = token.split('.');
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        let whole = parts.next().is_some_and(digits) && parts.next().is_none_or(digits);
        (whole && parts.next().is_none() && token.len() <= DIGITS).then_some(token)
    })
}

/// Names that are called, or belong to something, on lines that went, and that stand in no changed
/// file any more.
pub(super) fn gone(moved: &[Moved<'_>], languages: &Languages) -> Vec<String> {
    let mut names = BTreeSet::new();
    let is_code = |one: &&Moved<'_>| {
        let path = one.piece.path.as_str();
        let beside = languages.is_test_path(path) || languages.is_manifest(path);
        !beside && languages.of(path).is_some()
    };
    for one in moved.iter().filter(is_code) {
        for line in one.gone.iter().filter(|line| !is_comment(line)) {
            names.extend(called(&code_of(&secrets::mask(line))).map(str::to_owned));
        }
    }
    if names.is_empty() {
        return Vec::new();
    }
    let sign = |byte: &u8| !(byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80);
    for after in moved.iter().filter_map(|one| one.piece.after.as_deref()) {
        for word in after.split(sign).filter(|word| (SHORT..=LONG).contains(&word.len())) {
            if let Ok(word) = std::str::from_utf8(word) {
                names.remove(word);
            }
        }
    }
    names.into_iter().take(GONE).collect()
}

/// A line without what stands between quotation marks: no name of the code, and it may be a
/// password that nobody is to keep.
fn code_of(line: &str) -> String {
    let mut inside = None;
    let kept = line.chars().filter(|c| {
        let mark = matches!(c, '"' | '\'' | '`');
        match inside {
            None if mark => inside = Some(*c),
            Some(open) if open == *c => inside = None,
            None => return true,
            Some(_) => {}
        }
        mark
    });
    kept.collect()
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Names before a bracket, and those behind a dot, an arrow or a colon.
fn called(line: &str) -> impl Iterator<Item = &str> {
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let start = from + line[from..].find(is_name)?;
            let long = line[start..].find(|c| !is_name(c)).unwrap_or(line.len() - start);
            from = start + long;
            let name = &line[start..from];
            let member = line[..start].ends_with(['.', '>', ':']);
            let call = line[from..].trim_start_matches(['!', '?', ' ']).starts_with('(');
            let long = (SHORT..=LONG).contains(&name.len());
            let digit = name.starts_with(|c: char| c.is_ascii_digit());
            if (member || call) && long && !digit && !KEYWORDS.contains(&name) {
                return Some(name);
            }
        }
    })
}

fn is_comment(line: &str) -> bool {
    let marks = ["//", "#", "*", "/*", "--", ";", "%", "<!--", "\"\"\"", "'''"];
    let line = line.trim_start();
    marks.iter().any(|mark| line.starts_with(mark))
}

#[cfg(test)]
mod tests {
    use super::super::languages::shipped_languages;
    use super::*;

    fn piece(path: &str, before: &str, after: &str) -> Piece {
        Piece {
            path: path.to_owned(),
            was: None,
            how: How::Modified,
            before: Some(before.as_bytes().to_vec()),
            after: Some(after.as_bytes().to_vec()),
        }
    }

    fn turned(path: &str, before: &str, after: &str) -> Vec<(Vec<String>, Vec<String>)> {
        let piece = piece(path, before, after);
        let found = values(&[Moved::of(&piece)], shipped_languages());
        found.into_iter().map(|one| (one.was, one.now)).collect()
    }

    #[test]
    fn a_value_that_another_took_the_place_of_is_kept() {
        let one = |was: &str, now: &str| vec![(vec![was.to_owned()], vec![now.to_owned()])];
        for (path, before, after, wanted) in [
            ("a.py", "T = get(\"X\", \"30\")\n", "T = _get(\"X\", \"60\")\n", one("30", "60")),
            ("a.rs", "const A: u64 = 5_000;\n", "const A: u64 = 1_000;\n", one("5000", "1000")),
            ("a.yml", "timeout: 15\n", "timeout: 25 # s\n", one("15", "25")),
            ("a.ini", "timeout = 1.5\n", "timeout = 2.5\n", one("1.5", "2.5")),
            ("a.rs", "f(x1, 2);\n", "f(x2, 2);\n", vec![]),
            ("a.rs", "// 30 of them\nf();\n", "// 60 of them\nf();\n", vec![]),
            ("a.rs", "f();\n", "f(30);\n", vec![]),
            ("tests/a.rs", "f(30);\n", "f(60);\n", vec![]),
            ("README.md", "30\n", "60\n", vec![]),
            ("Cargo.toml", "a = \"1.2\"\n", "a = \"1.3\"\n", vec![]),
            ("a.rs", "v(\"1.2.3\");\n", "v(\"1.2.4\");\n", vec![]),
        ] {
            assert_eq!(turned(path, before, after), wanted, "{path}: {after}");
        }
    }

    #[test]
    fn a_name_is_gone_where_no_changed_file_has_it() {
        let of = |pieces: &[Piece]| {
            let moved: Vec<Moved<'_>> = pieces.iter().map(Moved::of).collect();
            gone(&moved, shipped_languages()).join(" ")
        };
        let client = "return schema.parse(await res.json());\n";
        assert_eq!(of(&[piece("a.ts", client, "return (await res.json()) as T;\n")]), "parse");
        let guard = "if (!ModelState.IsValid) return BadRequest(ModelState);\nf();\n";
        assert_eq!(of(&[piece("A.cs", guard, "f();\n")]), "BadRequest IsValid");
        let moved = [piece("a.rs", "check(x);\n", ""), piece("b.rs", "", "fn check() {}\n")];
        assert_eq!(of(&moved), "");
        assert_eq!(of(&[piece("a.rs", "// see check(x)\n", "")]), "");
        assert_eq!(of(&[piece("a.md", "call check(x)\n", "")]), "");
        assert_eq!(of(&[piece("a.rs", "for (a) while (b) at(1)\n", "")]), "");
    }

    #[test]
    fn what_stands_between_quotation_marks_is_no_name() {
        let names = |line: &str| {
            let code = code_of(&secrets::mask(line));
            called(&code).map(str::to_owned).collect::<Vec<_>>()
        };
        for line in [
            "DB = \"postgres://app:Tr0ub4dor@db/x\"",
            "key = 'head.body.signature'",
            "let url = `https://me:hunter2@host/a`;",
            "url = postgres://app:Tr0ub4dor@db/x",
            "open(\"unfinished.Tr0ub4dor",
        ] {
            let told = names(line);
            let secret = ["Tr0ub4dor", "body", "signature", "hunter2"];
            assert!(!told.iter().any(|name| secret.contains(&&**name)), "{line}: {told:?}");
        }
        assert_eq!(names("self.retry(\"often\").then(stop)"), ["retry", "then"]);
    }
}
