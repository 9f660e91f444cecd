//! What a message says of how far the change goes, where the difference alone shows otherwise: that
//! a file was not touched, that one file only changed, that no test was edited.
//!
//! A sentence is read by its whole form, and only in English: one with another word in it says
//! something of its own (`cli.py was not touched by hand`), and goes by.

use serde::{Deserialize, Serialize};

use super::clauses::ClauseRows;
use super::items::{Index, stem};
use super::ruling::sentences;
use super::table::GateTable;
use super::{ChangedFile, How, Truth};

/// The words that such sentences are made of, in small letters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExtentRows {
    /// Words that may lead a clause and say nothing.
    pub leads: Vec<String>,
    /// `was`, `has`, `stays`.
    pub is: Vec<String>,
    /// `touched`; each form of these verbs has a list of its own.
    pub done: Vec<String>,
    /// `touch`.
    pub does: Vec<String>,
    /// `touching`.
    pub doing: Vec<String>,
    /// `untouched`.
    pub same: Vec<String>,
    /// `not`.
    pub not: Vec<String>,
    /// `wasn't`.
    pub isnt: Vec<String>,
    /// `didn't`.
    pub didnt: Vec<String>,
    /// With what a sentence begins that says of which time or place it is.
    pub apart: Vec<String>,
    /// Words of a sentence that is about another time, or about what somebody says.
    pub other: Vec<String>,
    /// What stands before `without`, and makes of it what had to be done.
    pub had_to: Vec<String>,
    /// What says that a test came along, anywhere in the message.
    pub with_tests: Vec<String>,
    /// Names that many directories have a file of.
    pub common: Vec<String>,
    /// Ends of files that a program writes beside the work.
    pub written: Vec<String>,
}

impl ExtentRows {
    /// Those of this build, by which an answer is repeated whose own rows have none.
    pub(super) fn shipped() -> Self {
        GateTable::shipped().map_or_else(|error| unreachable!("{error}"), |table| table.extent)
    }
}

impl ExtentRows {
    /// The lists, by name.
    pub(super) fn lists(&self) -> [(&'static str, &[String]); 15] {
        [
            ("extent.leads", &self.leads),
            ("extent.is", &self.is),
            ("extent.done", &self.done),
            ("extent.does", &self.does),
            ("extent.doing", &self.doing),
            ("extent.same", &self.same),
            ("extent.not", &self.not),
            ("extent.isnt", &self.isnt),
            ("extent.didnt", &self.didnt),
            ("extent.apart", &self.apart),
            ("extent.other", &self.other),
            ("extent.had_to", &self.had_to),
            ("extent.with_tests", &self.with_tests),
            ("extent.common", &self.common),
            ("extent.written", &self.written),
        ]
    }
}

fn has(list: &[String], word: &str) -> bool {
    list.iter().any(|one| one == word)
}

/// What changed, and a message says otherwise.
pub(super) fn denied(
    raw: &str,
    truth: &Truth,
    index: &Index<'_>,
    table: &GateTable,
) -> Vec<String> {
    let rows = &table.extent;
    let mut found: Vec<String> = Vec::new();
    for clause in rows.clauses(raw, &table.clauses) {
        let words = words(clause);
        let file = rows.untouched(&words).and_then(|name| rows.changed(name, truth, index));
        found.extend(file.map(|file| file.path.clone()));
        if let Some(only) = rows.only(&words) {
            found.extend(rows.beside(raw, only.name(), truth, index));
        }
        if rows.denies_tests(&words) {
            found.extend(tests_changed(truth));
        }
    }
    found.sort();
    found.dedup();
    found
}

fn words(clause: &str) -> Vec<&str> {
    let sign = |c: char| "`*\"'!:()".contains(c);
    let bare = clause.split_whitespace().map(|word| word.trim_matches(sign).trim_end_matches('.'));
    let bare = bare.map(|word| word.trim_end_matches(sign));
    bare.filter(|word| !word.is_empty()).collect()
}

/// What a clause ends with may be said or left out.
fn ended<'w, 's>(words: &'w [&'s str]) -> &'w [&'s str] {
    words.strip_suffix(&["at", "all"]).unwrap_or(words)
}

/// `a single line in a single file`.
fn counts_one(head: &[&str]) -> bool {
    let head: Vec<String> = head.iter().map(|word| word.to_lowercase()).collect();
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    matches!(head.as_slice(), [.., "one" | "single", "file"])
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

impl ExtentRows {
    /// The clauses of a message that say something of this work, as far as they are ones for sure.
    fn clauses<'t>(&self, raw: &'t str, parted: &ClauseRows) -> Vec<&'t str> {
        let asked = |one: &&str| {
            let behind = one.as_ptr().addr() + one.len() - raw.as_ptr().addr();
            raw[behind..].starts_with('?') || one.trim_start().starts_with(['>', '"'])
        };
        let word = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        let apart = |one: &&str| {
            let first = one.split_whitespace().next().unwrap_or_default();
            has(&self.apart, &word(first))
                || one.split_whitespace().any(|one| has(&self.other, &word(one)))
        };
        let sentences = sentences(raw).filter(|one| !(asked(one) || apart(one)));
        sentences.flat_map(|one| parted.sure(one)).collect()
    }

    /// The words from the first one on that says something.
    fn led<'w, 's>(&self, words: &'w [&'s str]) -> &'w [&'s str] {
        let first = words.iter().position(|word| !has(&self.leads, &word.to_lowercase()));
        &words[first.unwrap_or(words.len())..]
    }

    /// The one thing that a clause says was not touched.
    fn untouched<'s>(&self, words: &[&'s str]) -> Option<&'s str> {
        let words = ended(words);
        if let [lead @ .., without, doing, file] = words
            && *without == "without"
            && has(&self.doing, doing)
        {
            return (!self.had_to(lead)).then_some(file);
        }
        let does = |does: &str| has(&self.does, does);
        match self.led(words) {
            [didnt, verb, file] if has(&self.didnt, didnt) && does(verb) => Some(file),
            ["did" | "does", "not", verb, file] if does(verb) => Some(file),
            [file, rest @ ..] if self.is_denied(rest) => Some(file),
            _ => None,
        }
    }

    /// `this was not possible without changing it`.
    fn had_to(&self, lead: &[&str]) -> bool {
        lead.iter().any(|word| has(&self.had_to, &word.to_lowercase()))
    }

    /// `was touched`.
    fn is_done(&self, words: &[&str]) -> bool {
        matches!(words, [is, done] if has(&self.is, is) && has(&self.done, done))
    }

    /// `was not touched`, `has never been edited`, `stays unchanged`.
    fn is_denied(&self, words: &[&str]) -> bool {
        let words: Vec<&str> = words.iter().copied().filter(|word| *word != "been").collect();
        match words.as_slice() {
            [is, same] if has(&self.same, same) => has(&self.is, is),
            [is, not, done] => has(&self.not, not) && self.is_done(&[is, done]),
            [not, done] => has(&self.isnt, not) && has(&self.done, done),
            _ => false,
        }
    }

    /// What alone a clause says changed.
    fn only<'s>(&self, words: &[&'s str]) -> Option<Only<'s>> {
        let words = ended(words);
        let is_done = |rest: &[&str]| match rest {
            [done] => has(&self.done, done),
            [is, "been", done] | [is, done] => self.is_done(&[is, done]),
            _ => false,
        };
        match self.led(words) {
            ["only" | "Only", rest @ ..] => match self.led(rest) {
                [done, file] if has(&self.done, done) => Some(Only::Named(file)),
                [file, rest @ ..] if is_done(rest) => Some(Only::Named(file)),
                _ => None,
            },
            rest if is_done(rest) && counts_one(&words[..words.len() - rest.len()]) => {
                Some(Only::One)
            }
            _ => None,
        }
    }

    /// `no test was edited`, `the tests were not touched`.
    fn denies_tests(&self, words: &[&str]) -> bool {
        let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
        let words: Vec<&str> = lower.iter().map(String::as_str).collect();
        match self.led(ended(&words)) {
            ["no", "existing", "test" | "tests", rest @ ..]
            | ["no", "test" | "tests", rest @ ..] => self.is_done(rest),
            ["tests", rest @ ..] => self.is_denied(rest),
            [lead @ .., "without", doing, "the" | "any", "test" | "tests"] => {
                has(&self.doing, doing) && !self.had_to(lead)
            }
            _ => false,
        }
    }

    /// The file that a name is plainly of, where it changed in what it says.
    fn changed<'t>(
        &self,
        name: &str,
        truth: &'t Truth,
        index: &Index<'_>,
    ) -> Option<&'t ChangedFile> {
        let is_file = name.contains('.') && !has(&self.common, name);
        let [at] = index.find(name)[..] else { return None };
        let file = &truth.files[at];
        let is_named = file.path == name || file.path.ends_with(&format!("/{name}"));
        let counts = !file.layout && !file.earlier && file.how != How::Renamed;
        (is_file && is_named && counts).then_some(file)
    }

    /// Files that changed beside the one that alone is said to have, and that nothing else names.
    fn beside(
        &self,
        raw: &str,
        only: Option<&str>,
        truth: &Truth,
        index: &Index<'_>,
    ) -> Vec<String> {
        if only.is_some_and(|name| index.find(name).is_empty() || !name.contains('.')) {
            return Vec::new();
        }
        let lower = raw.to_lowercase();
        let with_tests = self.with_tests.iter().any(|said| lower.contains(said));
        let own = only.map(|name| index.find(name)).unwrap_or_default();
        let counted = |&at: &usize| {
            let file = &truth.files[at];
            let written = self.written.iter().any(|end| file.path.ends_with(end));
            !(file.prose || file.layout || file.earlier || written || file.test && with_tests)
        };
        let others: Vec<&ChangedFile> = (0..truth.files.len())
            .filter(counted)
            .filter(|at| !own.contains(at))
            .map(|at| &truth.files[at])
            .collect();
        let is_named = |file: &&ChangedFile| {
            let name = file.path.rsplit('/').next().unwrap_or(&file.path).to_lowercase();
            lower.contains(&name) || lower.contains(stem(&name))
        };
        let unnamed = others.iter().copied().filter(|file| !is_named(file));
        let unnamed: Vec<String> = unnamed.map(|file| file.path.clone()).collect();
        // Which of them is the one that counts, the message need not say.
        match only {
            Some(_) => unnamed,
            None if others.len() < 2 || unnamed.is_empty() => Vec::new(),
            None => others.into_iter().map(|file| file.path.clone()).collect(),
        }
    }
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
        seen(raw, &truth)
    }

    fn seen(raw: &str, truth: &Truth) -> Vec<String> {
        let table = GateTable::shipped().expect("rows");
        denied(raw, truth, &Index::of(truth), &table)
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
            "mean divides by all now (cli.py was not touched).",
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
            assert_eq!(seen(raw, &truth), [""; 0], "{raw}");
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
