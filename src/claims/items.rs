//! What an agent names, found in what changed.
//!
//! `src/foo.py`, `foo.py` and `handler` are all honest ways to name the same change: a
//! path, its end on a segment boundary, or a function of it. Old paths of renames count.

use std::collections::{BTreeSet, HashMap};

use super::table::Files;
use super::{ChangedFile, Claim, Truth};

/// The changed files by all that they can be named by.
#[derive(Debug)]
pub(super) struct Index<'t> {
    files: &'t [ChangedFile],
    paths: HashMap<&'t str, Vec<usize>>,
    /// Paths read from their end, sorted: the end of a path is a beginning here.
    ends: std::cell::OnceCell<Vec<(Vec<u8>, usize)>>,
    functions: HashMap<&'t str, Vec<usize>>,
    /// Names of files without their ending: modules, and pages like `README`.
    stems: HashMap<&'t str, Vec<usize>>,
}

impl<'t> Index<'t> {
    pub(crate) fn of(truth: &'t Truth) -> Self {
        let files = truth.files.as_slice();
        let mut index = Self {
            files,
            paths: HashMap::with_capacity(files.len()),
            ends: std::cell::OnceCell::new(),
            functions: HashMap::new(),
            stems: HashMap::with_capacity(files.len()),
        };
        for (at, file) in files.iter().enumerate() {
            for path in std::iter::once(&file.path).chain(&file.was) {
                add(&mut index.paths, path, at);
                add(&mut index.stems, stem(path), at);
            }
            for function in &file.functions {
                add(&mut index.functions, function, at);
                let bare = bare(function);
                if bare != function {
                    add(&mut index.functions, bare, at);
                }
            }
        }
        index
    }

    /// The files that `item` names; none if it names nothing that changed.
    pub(crate) fn find(&self, item: &str) -> Vec<usize> {
        let item = plain(item);
        let path = item.trim_start_matches("./");
        if path.is_empty() {
            return Vec::new();
        }
        // `…_drop_column.sql`: the end of a long name.
        if let Some(end) = path.strip_prefix('…').or_else(|| path.strip_prefix("...")) {
            let ends = |(path, _): &(&&str, &Vec<usize>)| end.len() > 3 && path.ends_with(end);
            return self.paths.iter().filter(ends).flat_map(|(_, at)| at.clone()).collect();
        }
        let by_path = self.by_path(path);
        if !by_path.is_empty() {
            return by_path;
        }
        if let Some((head, function)) = parted(path) {
            let inside = self.by_path(head);
            if !inside.is_empty() {
                return inside;
            }
            if is_path(head) {
                return Vec::new();
            }
            return self.functions.get(bare(function)).cloned().unwrap_or_default();
        }
        let name = path.trim_end_matches("()");
        let found = self
            .functions
            .get(name)
            .or_else(|| self.functions.get(bare(name)).filter(|_| !is_path(name)))
            .or_else(|| self.stems.get(name));
        found.cloned().unwrap_or_default()
    }

    fn by_path(&self, path: &str) -> Vec<usize> {
        if let Some(exact) = self.paths.get(path) {
            return exact.clone();
        }
        let absolute = path.starts_with('/') || path.get(1..3) == Some(":/");
        if absolute {
            let ends =
                path.match_indices('/').filter_map(|(at, _)| self.paths.get(&path[at + 1..]));
            return ends.into_iter().next().cloned().unwrap_or_default();
        }
        let ends = self.ends.get_or_init(|| self.ends());
        let wanted: Vec<u8> = format!("/{path}").bytes().rev().collect();
        let start = ends.partition_point(|(end, _)| *end < wanted);
        let mut found: Vec<usize> = ends[start..]
            .iter()
            .take_while(|(end, _)| end.starts_with(&wanted))
            .map(|(_, at)| *at)
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The files below a directory, which is named from the top.
    pub(crate) fn below(&self, item: &str) -> Vec<usize> {
        let item = plain(item);
        let directory = item.trim_start_matches("./").trim_end_matches('/');
        let inside = |file: &ChangedFile| {
            file.path
                .strip_prefix(directory)
                .is_some_and(|rest| !directory.is_empty() && rest.starts_with('/'))
        };
        (0..self.files.len()).filter(|&at| inside(&self.files[at])).collect()
    }

    fn ends(&self) -> Vec<(Vec<u8>, usize)> {
        let paths = self.files.iter().enumerate().flat_map(|(at, file)| {
            std::iter::once(&file.path)
                .chain(&file.was)
                .map(move |path| (path.bytes().rev().collect(), at))
        });
        let mut ends: Vec<(Vec<u8>, usize)> = paths.collect();
        ends.sort_unstable();
        ends
    }

    /// Whether a changed file is at `path` exactly, or was.
    pub(crate) fn at(&self, path: &str) -> Option<&'t ChangedFile> {
        self.paths.get(path).and_then(|found| found.first()).map(|&at| &self.files[at])
    }
}

fn add<'t>(map: &mut HashMap<&'t str, Vec<usize>>, key: &'t str, at: usize) {
    let list = map.entry(key).or_default();
    if list.last() != Some(&at) {
        list.push(at);
    }
}

pub(super) fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The last part of a qualified name.
pub(super) fn bare(name: &str) -> &str {
    name.trim_end_matches("()").rsplit([':', '.', '#']).next().unwrap_or(name)
}

/// Whether a name can only be that of a file.
fn is_path(name: &str) -> bool {
    name.contains('/')
        || name.rsplit_once('.').is_some_and(|(_, end)| {
            matches!(
                end,
                "rs" | "py"
                    | "js"
                    | "ts"
                    | "tsx"
                    | "jsx"
                    | "go"
                    | "rb"
                    | "java"
                    | "c"
                    | "h"
                    | "cpp"
                    | "cs"
                    | "php"
                    | "toml"
                    | "json"
                    | "md"
                    | "yaml"
                    | "yml"
            )
        })
}

/// An item without quotes, with slashes, and without the number of a line.
fn plain(item: &str) -> String {
    let item = item.trim().trim_matches(['`', '"', '\'']).replace('\\', "/");
    let line = |end: &str| {
        !end.is_empty() && end.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | 'L'))
    };
    match item.rsplit_once(':') {
        Some((path, end)) if line(end) && !path.ends_with(':') => plain(path),
        _ => item,
    }
}

/// `path::name`, `path:name`, `path#name`, parted.
fn parted(item: &str) -> Option<(&str, &str)> {
    let at = item.find("::").or_else(|| item.find(['#', ':']))?;
    let (head, rest) = item.split_at(at);
    let rest = rest.trim_start_matches([':', '#']);
    (!head.is_empty() && !rest.is_empty()).then_some((head, rest))
}

/// Items in the order in which they were given, each once, without empty ones.
pub(super) fn each_once(items: &[String]) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    items
        .iter()
        .map(|item| item.trim())
        .filter(|item| !item.is_empty() && seen.insert(*item))
        .collect()
}

/// Whether `path` ends as one of `ends` says: an ending, or a whole name.
pub(super) fn ends(path: &str, ends: &[String]) -> bool {
    let name = last(path);
    ends.iter()
        .any(|end| if end.starts_with('.') { name.ends_with(end.as_str()) } else { name == end })
}

/// The name of what a test file tests, by the usual marks; `None` for a name without one.
pub(super) fn tested_by_name<'p>(path: &'p str, files: &Files) -> Option<&'p str> {
    let stem = stem(path);
    files.test_marks.iter().find_map(|mark| {
        let rest = stem.strip_prefix(mark.as_str()).or_else(|| stem.strip_suffix(mark.as_str()))?;
        (!rest.is_empty()).then_some(rest)
    })
}

/// A file's name without its last ending.
pub(super) fn stem(path: &str) -> &str {
    let name = last(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem })
}

/// Words of `text` that can only be names of tests: `test_login`, `TestLogin`.
pub(super) fn tests_named(text: &str) -> Vec<&str> {
    let part = |c: char| !(c.is_alphanumeric() || c == '_');
    let mut found: Vec<&str> = Vec::new();
    // A file or a directory is none: `tests/test_a.py::test_b` names one test.
    for whole in text.split(|c: char| c.is_whitespace() || "`\"'(),;".contains(c)) {
        let mut from = 0;
        for word in whole.split(part) {
            let rest = &whole[from + word.len()..];
            from += word.len() + rest.chars().next().map_or(0, char::len_utf8);
            let ending = rest.strip_prefix('.').and_then(|rest| rest.split(part).next());
            let file = ending.is_some_and(|end| is_path(&format!("a.{end}")));
            if is_test_name(word) && !file && !rest.starts_with('/') {
                found.push(word);
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn is_test_name(word: &str) -> bool {
    let behind = word
        .strip_prefix("test_")
        .or_else(|| word.strip_suffix("_test"))
        .is_some_and(|rest| !rest.is_empty());
    let camel = ["Test", "test"].iter().any(|mark| {
        word.strip_prefix(mark).is_some_and(|rest| {
            rest.starts_with(|c: char| c.is_ascii_uppercase())
                && rest.chars().any(|c| c.is_ascii_lowercase())
        })
    });
    behind || camel
}

/// Words of `text` that name source files.
pub(super) fn files_named<'t>(text: &'t str, files: &Files) -> Vec<&'t str> {
    let words = text.split(|c: char| {
        c.is_whitespace() || matches!(c, '`' | '"' | '\'' | '(' | ')' | ',' | ';')
    });
    let bare = words.map(|word| word.trim_end_matches(['.', ':', '!', '?']));
    bare.filter(|word| {
        word.len() < 200
            && !word.contains("://")
            && ends(word, &files.source)
            && stem(word) != last(word)
    })
    .collect()
}

/// Words of `text` that name files of any kind; `none` only look so.
pub(super) fn paths_named<'t>(text: &'t str, files: &Files, none: &[String]) -> Vec<&'t str> {
    let words = text.split(|c: char| {
        let cut = "`\"'(),;|<>[]*，。、；：（）「」『』《》“”→！？";
        c.is_whitespace() || cut.contains(c)
    });
    let bare = words.map(|word| word.trim_end_matches(['.', ':', '!', '?']));
    let is_file = |word: &&str| {
        let path = word.rsplit_once(':').map_or(*word, |(path, line)| {
            if line.bytes().all(|byte| byte.is_ascii_digit()) { path } else { word }
        });
        let name = last(path);
        let known = [&files.source, &files.passive, &files.prose];
        word.len() < 200
            && !word.contains("://")
            && !word.contains(['*', '{', '$', '='])
            && name.bytes().any(|byte| byte.is_ascii_alphabetic())
            && (known.iter().any(|list| ends(path, list)) || is_deep(path))
            && (name.trim_start_matches('.').contains('.')
                || name.starts_with(|c: char| c.is_ascii_uppercase()))
            && !name.split('.').next().is_some_and(|first| {
                !path.contains('/')
                    && !first.is_empty()
                    && first.bytes().all(|b| b.is_ascii_digit())
            })
            && !none.contains(&name.to_lowercase())
    };
    bare.filter(is_file).collect()
}

/// A path with directories, whose last part ends as a file's name does: no host is one.
fn is_deep(path: &str) -> bool {
    let Some((first, rest)) = path.trim_start_matches("./").split_once('/') else { return false };
    let ending = last(rest).rsplit_once('.').map_or("", |(_, ending)| ending);
    let host = first.trim_start_matches('.').contains('.');
    !host
        && (1..=5).contains(&ending.len())
        && ending.starts_with(|c: char| c.is_ascii_lowercase())
        && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Names between back quotes that `text` lists side by side: `encode` and `decode`.
pub(super) fn listed_together(text: &str) -> Vec<(&str, &str)> {
    const JOINTS: [&str; 16] = [
        "and", ",", "&", "und", "y", "et", "e", "и", "、", "和", "与", "と", "，", ", and",
        "sowie", "/",
    ];
    let parts: Vec<&str> = text.split('`').collect();
    let name = |word: &str| {
        word.chars().count() > 2
            && word.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '(' | ')'))
    };
    let spans = (1..parts.len().saturating_sub(2)).step_by(2);
    spans
        .filter(|&at| JOINTS.contains(&parts[at + 1].trim()))
        .map(|at| (parts[at], parts[at + 2]))
        .filter(|(a, b)| name(a) && name(b))
        .collect()
}

/// Lists of `files` in `sentence`, each with what stands before it: `a.md, b.md and c.md`.
pub(super) fn paths_together<'t>(
    sentence: &'t str,
    files: &[&'t str],
) -> Vec<(&'t str, Vec<&'t str>)> {
    const JOINTS: [&str; 14] =
        ["and", "&", "und", "y", "et", "e", "и", "、", "和", "与", "と", "", "sowie", "plus"];
    let joins = |between: &str| {
        let comma = between.contains([',', '，', '、']);
        let word = between.trim_matches(|c: char| c.is_whitespace() || "`*\"',，".contains(c));
        JOINTS.contains(&word) && (comma || !word.is_empty())
    };
    let mut lists: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut from = 0;
    for file in files {
        let Some(at) = sentence[from..].find(file).map(|at| at + from) else { continue };
        match lists.last_mut() {
            Some((_, list)) if joins(&sentence[from..at]) => list.push(file),
            _ => lists.push((&sentence[..at], vec![file])),
        }
        from = at + file.len();
    }
    lists.retain(|(_, list)| list.len() > 1);
    lists
}

/// Names of functions that `text` writes as calls between back quotes: `parse()`.
pub(super) fn calls_named(text: &str) -> Vec<&str> {
    let quoted = text.split('`').skip(1).step_by(2);
    let mut found: Vec<&str> = quoted
        .filter(|word| {
            let name = word.strip_suffix("()").unwrap_or_default();
            !name.is_empty()
                && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '#'))
        })
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// What the claim names and nothing changed of. Whoever asks the repository puts those that
/// it holds all the same into [`Truth::held`]; the gate takes the others for inventions.
pub fn unmatched(claim: &Claim, truth: &Truth) -> Vec<String> {
    let index = Index::of(truth);
    let lists =
        claim.code_paths_affected.iter().chain(&claim.code_paths_tested).map(String::as_str);
    let calls: Vec<&str> =
        if claim.as_said { super::objects::calls(&claim.text).collect() } else { Vec::new() };
    let texts = tests_named(&claim.text).into_iter().chain(tests_named(&claim.evidence));
    let texts = texts.chain(calls);
    let mut seen = BTreeSet::new();
    lists
        .map(str::trim)
        .chain(texts)
        .filter(|item| !item.is_empty() && seen.insert(*item) && index.find(item).is_empty())
        .map(str::to_owned)
        .collect()
}

/// The sentences of a text, and of each whether it stands in a fenced block.
pub(super) fn quoted_apart(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let mut inside = false;
    let lines = text.lines().map(move |line| {
        let fence = line.trim_start().starts_with("```");
        inside ^= fence;
        (line, inside || fence)
    });
    lines.flat_map(|(line, quoted)| super::ruling::sentences(line).map(move |one| (one, quoted)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn truth() -> Truth {
        let file = |path: &str, was: Option<&str>, functions: &[&str]| ChangedFile {
            path: path.to_owned(),
            was: was.map(str::to_owned),
            functions: functions.iter().map(|name| (*name).to_owned()).collect(),
            ..ChangedFile::default()
        };
        Truth {
            files: vec![
                file("src/foo.py", None, &["handler", "Parser.parse"]),
                file("lib/new.rs", Some("lib/old.rs"), &["run"]),
                file("a/mod.rs", None, &[]),
                file("b/mod.rs", None, &[]),
            ],
            ..Truth::default()
        }
    }

    #[test]
    fn a_change_has_many_honest_names() {
        let truth = truth();
        let index = Index::of(&truth);
        for (item, files) in [
            ("src/foo.py", vec![0]),
            ("./src/foo.py", vec![0]),
            ("`foo.py`", vec![0]),
            ("src\\foo.py", vec![0]),
            ("/home/me/repo/src/foo.py", vec![0]),
            ("src/foo.py:12", vec![0]),
            ("src/foo.py:12-30", vec![0]),
            ("src/foo.py::handler", vec![0]),
            ("foo.py:handler", vec![0]),
            ("handler", vec![0]),
            ("handler()", vec![0]),
            ("parse", vec![0]),
            ("Parser.parse", vec![0]),
            ("Parser::parse", vec![0]),
            ("lib/old.rs", vec![1]),
            ("old.rs", vec![1]),
            ("new.rs", vec![1]),
            ("mod.rs", vec![2, 3]),
            ("b/mod.rs", vec![3]),
            ("oo.py", vec![]),
            ("other/foo.py", vec![]),
            ("other/foo.py::handler", vec![]),
            ("foo", vec![0]),
            ("fo", vec![]),
            ("handle", vec![]),
            ("", vec![]),
            ("/", vec![]),
            ("::", vec![]),
        ] {
            assert_eq!(index.find(item), files, "{item}");
        }
    }

    #[test]
    fn names_of_tests_are_seen_in_prose() {
        assert_eq!(
            tests_named(
                "test_login and TestLogin.testRetry pass; parse_test too, the tests of Testing"
            ),
            ["TestLogin", "parse_test", "testRetry", "test_login"]
        );
        assert!(tests_named("tested the test suite, Test and testing").is_empty());
        for (text, wanted) in [
            ("1 failed: tests/test_billing.py::test_refund", "test_refund"),
            ("`pkg/server_test.go`: TestMissing", "TestMissing"),
            ("spec/test_helper/test_a.rb fails in test_b.", "test_b"),
            ("test_units/mod.rs::test_sum", "test_sum"),
        ] {
            assert_eq!(tests_named(text), [wanted], "{text}");
        }
    }

    #[test]
    fn paths_of_one_list_are_told_from_others() {
        for (sentence, files, lists) in [
            ("Updated a.md and b.md", vec!["a.md", "b.md"], vec![vec!["a.md", "b.md"]]),
            (
                "Changed `a.rs`, `b.rs` & `c.rs`",
                vec!["a.rs", "b.rs", "c.rs"],
                vec![vec!["a.rs", "b.rs", "c.rs"]],
            ),
            (
                "a.md und b.md, wie in c.md",
                vec!["a.md", "b.md", "c.md"],
                vec![vec!["a.md", "b.md"]],
            ),
            ("Fixed a.md, see b.md", vec!["a.md", "b.md"], vec![]),
            ("a.md now names b.md", vec!["a.md", "b.md"], vec![]),
        ] {
            let found = paths_together(sentence, &files);
            let found: Vec<Vec<&str>> = found.into_iter().map(|(_, list)| list).collect();
            assert_eq!(found, lists, "{sentence}");
        }
    }

    #[test]
    fn what_matches_nothing_is_asked_for() {
        let claim = Claim {
            text: "Fixed it, test_a passes".into(),
            evidence: String::new(),
            evidence_type: super::super::EvidenceType::UnitTest,
            code_paths_tested: vec!["tests/test_b.py".into()],
            code_paths_affected: vec!["foo.py".into(), "bar.py".into()],
            referenced_sources: None,
            read_paths: None,
            as_said: false,
        };
        assert_eq!(unmatched(&claim, &truth()), ["bar.py", "tests/test_b.py", "test_a"]);
    }
}
