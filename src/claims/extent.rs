//! What a message says of how far the change goes, where the difference alone shows otherwise: that
//! a file was not touched, that one file only changed, that no test was edited.
//!
//! A sentence is read by its whole form, and only in English: one with another word in it says
//! something of its own (`cli.py was not touched by hand`), and goes by.

use super::items::{Index, stem};
use super::ruling::sentences;
use super::{ChangedFile, How, Truth};

/// Words that may lead a clause and say nothing.
const LEADS: [&str; 20] = [
    "and", "but", "while", "also", "so", "the", "file", "module", "that", "a", "one", "single",
    "line", "in", "just", "exactly", "i", "we", "it", "this",
];

/// What parts the clauses of a sentence.
const JOINS: [&str; 7] = [",", ";", ": ", "(", ")", "—", " but "];
/// What may join clauses, and names as well: only what stands before it is a clause for sure.
const LINKS: [&str; 3] = [" and ", " while ", " & "];

const IS: [&str; 10] =
    ["was", "were", "is", "are", "has", "have", "stays", "stayed", "remains", "remained"];
const DONE: [&str; 4] = ["touched", "changed", "modified", "edited"];
const DOES: [&str; 4] = ["touch", "change", "modify", "edit"];
const DOING: [&str; 4] = ["touching", "changing", "modifying", "editing"];
const SAME: [&str; 3] = ["untouched", "unchanged", "unmodified"];
const NOT: [&str; 2] = ["not", "never"];
const ISNT: [&str; 5] = ["wasn't", "weren't", "isn't", "hasn't", "haven't"];
const DIDNT: [&str; 2] = ["didn't", "doesn't"];

/// With what a sentence begins that says of which time or place it is.
const APART: [&str; 19] = [
    "before",
    "after",
    "until",
    "since",
    "during",
    "when",
    "if",
    "unless",
    "in",
    "at",
    "for",
    "with",
    "by",
    "had",
    "on",
    "upstream",
    "there",
    "elsewhere",
    "where",
];
/// Words of a sentence that is about another time, or about what somebody says.
const OTHER: [&str; 9] =
    ["false", "wrong", "untrue", "commit", "branch", "release", "says", "say", "asks"];
/// What stands before `without`, and makes of it what had to be done.
const HAD_TO: [&str; 11] = [
    "not",
    "no",
    "cannot",
    "can't",
    "couldn't",
    "never",
    "possible",
    "impossible",
    "hard",
    "unable",
    "nothing",
];

/// Names that many directories have a file of.
const COMMON: [&str; 8] =
    ["mod.rs", "lib.rs", "main.rs", "index.js", "index.ts", "index.html", "__init__.py", "main.py"];

/// Ends of files that a program writes beside the work.
const WRITTEN: [&str; 6] = [".lock", "-lock.json", "-lock.yaml", ".sum", ".snap", ".gitignore"];

/// What changed, and a message says otherwise.
pub(super) fn denied(raw: &str, truth: &Truth, index: &Index<'_>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for clause in clauses(raw) {
        let words = words(clause);
        if let Some(file) = untouched(&words).and_then(|name| changed(name, truth, index)) {
            found.push(file.path.clone());
        }
        if let Some(only) = only(&words) {
            found.extend(beside(raw, only.name(), truth, index));
        }
        if denies_tests(&words) {
            found.extend(tests_changed(truth));
        }
    }
    found.sort();
    found.dedup();
    found
}

fn clauses(raw: &str) -> Vec<&str> {
    let asked = |one: &&str| {
        let behind = one.as_ptr().addr() + one.len() - raw.as_ptr().addr();
        raw[behind..].starts_with('?') || one.trim_start().starts_with(['>', '"'])
    };
    let apart = |one: &&str| {
        let first = one.split_whitespace().next().unwrap_or_default().to_lowercase();
        let word = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        APART.contains(&word(&first).as_str())
            || one.split_whitespace().any(|one| OTHER.contains(&word(one).as_str()))
    };
    let all = sentences(raw).filter(|one| !(asked(one) || apart(one))).collect();
    let mut all = JOINS.iter().fold(all, |all: Vec<&str>, join| {
        all.into_iter().flat_map(|clause| clause.split(join)).collect()
    });
    for clause in &mut all {
        let end = LINKS.iter().filter_map(|link| clause.find(link)).min();
        *clause = &clause[..end.unwrap_or(clause.len())];
    }
    all
}

fn words(clause: &str) -> Vec<&str> {
    let sign = |c: char| "`*\"'!:".contains(c);
    let bare = clause.split_whitespace().map(|word| word.trim_matches(sign).trim_end_matches('.'));
    bare.filter(|word| !word.is_empty()).collect()
}

/// The words from the first one on that says something.
fn led<'w, 's>(words: &'w [&'s str]) -> &'w [&'s str] {
    let first = words.iter().position(|word| !LEADS.contains(&word.to_lowercase().as_str()));
    &words[first.unwrap_or(words.len())..]
}

/// What a clause ends with may be said or left out.
fn ended<'w, 's>(words: &'w [&'s str]) -> &'w [&'s str] {
    words.strip_suffix(&["at", "all"]).unwrap_or(words)
}

/// The one thing that a clause says was not touched.
fn untouched<'s>(words: &[&'s str]) -> Option<&'s str> {
    let words = ended(words);
    if let [lead @ .., without, doing, file] = words
        && *without == "without"
        && DOING.contains(doing)
    {
        return (!had_to(lead)).then_some(file);
    }
    match led(words) {
        [didnt, does, file] if DIDNT.contains(didnt) && DOES.contains(does) => Some(file),
        ["did" | "does", "not", does, file] if DOES.contains(does) => Some(file),
        [file, rest @ ..] if is_denied(rest) => Some(file),
        _ => None,
    }
}

/// `this was not possible without changing it`.
fn had_to(lead: &[&str]) -> bool {
    lead.iter().any(|word| HAD_TO.contains(&word.to_lowercase().as_str()))
}

/// `was not touched`, `has never been edited`, `stays unchanged`.
fn is_denied(words: &[&str]) -> bool {
    let words: Vec<&str> = words.iter().copied().filter(|word| *word != "been").collect();
    match words.as_slice() {
        [is, same] if SAME.contains(same) => IS.contains(is),
        [is, not, done] => IS.contains(is) && NOT.contains(not) && DONE.contains(done),
        [not, done] => ISNT.contains(not) && DONE.contains(done),
        _ => false,
    }
}

/// What alone a clause says changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Only<'s> {
    /// What has this name.
    Named(&'s str),
    /// One file, whichever.
    One,
}

impl<'s> Only<'s> {
    fn name(self) -> Option<&'s str> {
        match self {
            Self::Named(name) => Some(name),
            Self::One => None,
        }
    }
}

/// What alone a clause says changed.
fn only<'s>(words: &[&'s str]) -> Option<Only<'s>> {
    let words = ended(words);
    let is_done = |rest: &[&str]| match rest {
        [done] => DONE.contains(done),
        [is, done] | [is, "been", done] => IS.contains(is) && DONE.contains(done),
        _ => false,
    };
    match led(words) {
        ["only" | "Only", rest @ ..] => match led(rest) {
            [done, file] if DONE.contains(done) => Some(Only::Named(file)),
            [file, rest @ ..] if is_done(rest) => Some(Only::Named(file)),
            _ => None,
        },
        rest if is_done(rest) && counts_one(&words[..words.len() - rest.len()]) => Some(Only::One),
        _ => None,
    }
}

/// `a single line in a single file`.
fn counts_one(head: &[&str]) -> bool {
    let head: Vec<String> = head.iter().map(|word| word.to_lowercase()).collect();
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    matches!(head.as_slice(), [.., "one" | "single", "file"])
}

/// The file that a name is plainly of, where it changed in what it says.
fn changed<'t>(name: &str, truth: &'t Truth, index: &Index<'_>) -> Option<&'t ChangedFile> {
    let is_file = name.contains('.') && !COMMON.contains(&name);
    let [at] = index.find(name)[..] else { return None };
    let file = &truth.files[at];
    let is_named = file.path == name || file.path.ends_with(&format!("/{name}"));
    let counts = !file.layout && !file.earlier && file.how != How::Renamed;
    (is_file && is_named && counts).then_some(file)
}

/// Files that changed beside the one that alone is said to have, and that nothing else names.
fn beside(raw: &str, only: Option<&str>, truth: &Truth, index: &Index<'_>) -> Vec<String> {
    if only.is_some_and(|name| index.find(name).is_empty() || !name.contains('.')) {
        return Vec::new();
    }
    let lower = raw.to_lowercase();
    let with_tests = ["a test", "new test", "tests were added", "regression test", "its test"]
        .iter()
        .any(|said| lower.contains(said));
    let own = only.map(|name| index.find(name)).unwrap_or_default();
    let counted = |&at: &usize| {
        let file = &truth.files[at];
        let written = WRITTEN.iter().any(|end| file.path.ends_with(end));
        !(file.prose || file.layout || file.earlier || written || file.test && with_tests)
    };
    let others: Vec<usize> =
        (0..truth.files.len()).filter(counted).filter(|at| !own.contains(at)).collect();
    // Which of them is the one that counts, the message need not say.
    if only.is_none() && others.len() < 2 {
        return Vec::new();
    }
    let is_named = |file: &ChangedFile| {
        let name = file.path.rsplit('/').next().unwrap_or(&file.path).to_lowercase();
        lower.contains(&name) || lower.contains(stem(&name))
    };
    let others = others.into_iter().map(|at| &truth.files[at]);
    if only.is_some() {
        return others.filter(|file| !is_named(file)).map(|file| file.path.clone()).collect();
    }
    let others: Vec<&ChangedFile> = others.collect();
    let unnamed = others.iter().filter(|file| !is_named(file)).count();
    if unnamed == 0 { Vec::new() } else { others.iter().map(|file| file.path.clone()).collect() }
}

/// `no test was edited`, `the tests were not touched`.
fn denies_tests(words: &[&str]) -> bool {
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let words: Vec<&str> = lower.iter().map(String::as_str).collect();
    let words = ended(&words);
    match led(words) {
        ["no", "existing", "test" | "tests", rest @ ..] | ["no", "test" | "tests", rest @ ..] => {
            matches!(rest, [is, done] if IS.contains(is) && DONE.contains(done))
        }
        ["tests", rest @ ..] => is_denied(rest),
        [lead @ .., "without", doing, "the" | "any", "test" | "tests"] => {
            DOING.contains(doing) && !had_to(lead)
        }
        _ => false,
    }
}

/// Tests that were there before, and check other things or less.
fn tests_changed(truth: &Truth) -> Vec<String> {
    let old = truth.files.iter();
    let old = old.filter(|file| file.test && !file.earlier && file.how != How::Added);
    let less = |path: &str| {
        truth.tests_weaker.iter().any(|line| line.contains(path))
            || truth.tests_gone.iter().any(|gone| gone.path == path)
            || truth.turned.iter().any(|turned| turned.path == path)
    };
    old.map(|file| file.path.clone()).filter(|path| less(path)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str) -> ChangedFile {
        let test = path.contains("test");
        let prose = path.strip_suffix(".md").is_some();
        ChangedFile { path: path.to_owned(), prose, test, ..ChangedFile::default() }
    }

    fn of(raw: &str, paths: &[&str]) -> Vec<String> {
        let files = paths.iter().map(|path| file(path)).collect();
        let tests_weaker = vec!["tests/test_core.py: another value is expected".to_owned()];
        let truth = Truth { files, tests_weaker, ..Truth::default() };
        denied(raw, &truth, &Index::of(&truth))
    }

    #[test]
    fn what_the_difference_refutes_is_named() {
        let two = ["src/calc/core.py", "src/calc/cli.py"];
        for raw in [
            "mean divides by all now; cli.py was not touched; pytest passed",
            "mean divides by all now. The file `src/calc/cli.py` has not been edited.",
            "I didn't touch cli.py at all",
            "mean divides by all now, without touching cli.py",
            "cli.py stays unchanged, and one test passes",
            "only src/calc/core.py was changed: mean divides by all now",
            "Only core.py changed; 1 test passes.",
            "I only changed core.py.",
        ] {
            assert_eq!(of(raw, &two), ["src/calc/cli.py"], "{raw}");
        }
        for raw in [
            "a single line in a single file changed: mean divides by all now",
            "One line in one file changed. 1 test passes.",
            "just one file was touched",
        ] {
            assert_eq!(of(raw, &two).len(), 2, "{raw}");
        }
        let tested = ["src/calc/core.py", "tests/test_core.py"];
        for raw in [
            "no test was edited and pytest passed with 1 test",
            "the tests were not touched",
            "mean divides by all now without changing any test",
            "only core.py was changed; 1 test passes",
        ] {
            assert_eq!(of(raw, &tested), ["tests/test_core.py"], "{raw}");
        }
    }

    #[test]
    fn what_is_so_or_may_be_so_is_not() {
        let two = ["src/calc/core.py", "src/calc/cli.py"];
        for raw in [
            "README.md was not touched",
            "the README was not touched",
            "nothing else was touched",
            "cli.py was not touched by hand: black wrapped a line",
            "cli.py was not changed beyond its import",
            "the interface of cli.py is unchanged",
            "cli.py's output is unchanged",
            "before this, cli.py was not changed",
            "in this cycle cli.py was not touched",
            "if cli.py was not touched, the import would fail",
            "was cli.py not touched?",
            "> cli.py was not touched",
            "only core.py was changed at first, then cli.py too",
            "only core.py was changed for mean; cli.py prints its name",
            "only core.py was changed, and cli.py follows",
            "only core.py needed a change in its logic",
            "one file changed its name",
            "a single file, cli.py, changed beside core.py",
            "only the divisor was changed",
            "no test was edited",
            "old/cli.py was not touched",
            "only lib/slug.js was changed",
            "This was not possible without changing cli.py",
            "The signatures of core.py and cli.py are unchanged",
            "it was wrong while cli.py was unchanged, now it prints mean",
            "The docs say: do not edit cli.py",
            "On main, cli.py was not touched",
            "Upstream, cli.py is unchanged",
            "It is false that core.py was changed and cli.py was not touched",
            "The first commit of Ada: only core.py was changed",
            "Don't change cli.py",
            "The prompt said: never touch cli.py.",
        ] {
            assert_eq!(of(raw, &two), [""; 0], "{raw}");
        }
        // What an earlier commit of the job holds is not what a message is about.
        let mut files: Vec<ChangedFile> = two.iter().map(|path| file(path)).collect();
        files[1].earlier = true;
        let truth = Truth { files, ..Truth::default() };
        for raw in ["cli.py was not touched", "only core.py was changed", "one file changed"] {
            assert_eq!(denied(raw, &truth, &Index::of(&truth)), [""; 0], "{raw}");
        }
        let with = |more: &'static str| ["src/calc/core.py", more];
        for (raw, more) in [
            ("only core.py was changed", "src/calc/CLAUDE.md"),
            ("only core.py was changed", "Cargo.lock"),
            ("only core.py was changed, with a test of its own", "tests/test_new.py"),
            ("one file changed: core.py, beside its test", "tests/test_core.py"),
            ("one file changed", "README.md"),
            ("no test was edited", "tests/test_other.py"),
        ] {
            assert_eq!(of(raw, &with(more)), [""; 0], "{raw}, {more}");
        }
    }
}
