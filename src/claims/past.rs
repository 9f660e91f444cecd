//! Words about work of before: whether a sentence speaks of it, and what ties it to that work.
//!
//! In talk there is no work of its own to hold words against; what a job did or a commit holds may
//! be told all the same. It is told of something: a sentence that names nothing which that work
//! touched is no word about it.

use std::collections::BTreeSet;

use super::items::{bare, last, stem};
use super::languages::shipped_languages;
use super::phrases::Text;
use super::ruling::{action_claimed, says_that_it_ran, sentences};
use super::sure::leaves_open;
use super::table::GateTable;
use super::truth::{self, Piece};
use super::{ActionType, Truth};

/// The fewest letters of a word that ties a sentence to a commit by its subject.
const LETTERS: usize = 4;

/// The fewest letters by which a function that did not change is known in plain words.
const NAME: usize = 5;

/// Work of before: what it changed, and the names that it is told by.
#[derive(Debug)]
pub(crate) struct Work {
    pub truth: Truth,
    names: BTreeSet<String>,
    /// Functions of its files that it left as they were.
    others: BTreeSet<String>,
}

impl Work {
    /// What lies between `base` and `tree`, and `subjects` of its commits.
    pub(crate) fn of(
        (base, tree): (&str, &str),
        pieces: &[Piece],
        subjects: &[String],
        table: &GateTable,
    ) -> Self {
        let read = truth::read(base, tree, pieces, shipped_languages());
        let common = |word: &String| table.said.common.contains(word);
        let paths = read.files.iter().flat_map(|file| {
            let both = [Some(&file.path), file.was.as_ref()].into_iter().flatten();
            both.flat_map(|path| [last(path), stem(path)])
        });
        let functions = read.files.iter().flat_map(|file| &file.functions);
        let functions: BTreeSet<String> = functions.map(|name| bare(name).to_lowercase()).collect();
        let subjects = subjects.iter().flat_map(|line| words(line));
        let subjects =
            subjects.filter(|word| word.chars().count() >= LETTERS && is_name(word, table));
        let mut names: BTreeSet<String> = paths.map(str::to_lowercase).collect();
        names.extend(functions.iter().cloned());
        names.extend(subjects);
        names.retain(|word| word.chars().count() > 1 && !common(word));
        let mut others: BTreeSet<String> = pieces.iter().flat_map(defined).collect();
        others.retain(|name| !names.contains(name) && !common(name));
        // Who tells of past work owes no word on all that it took away.
        let truth = Truth {
            tests_gone: Vec::new(),
            tests_weaker: Vec::new(),
            turned: Vec::new(),
            gone: Vec::new(),
            ..read
        };
        Self { truth, names, others }
    }

    /// Whether `sentence` names something of it, and nothing beside it that stayed as it was.
    pub(crate) fn is_told_by(&self, sentence: &str) -> bool {
        let lower = sentence.to_lowercase();
        let changed = |name: &String| !name.contains('.') && self.names.contains(name);
        let said: BTreeSet<String> = words(sentence).collect();
        let other = said.iter().any(|word| {
            let is_code =
                || lower.contains(&format!("`{word}`")) || lower.contains(&format!("{word}("));
            self.others.contains(word) && (word.chars().count() >= NAME || is_code())
        });
        if said.iter().any(changed) {
            // `median in core.py`: the file alone says nothing of what did not change in it.
            let stems = || self.truth.files.iter().map(|file| stem(&file.path).to_lowercase());
            return !other
                || said.iter().any(|word| changed(word) && !stems().any(|one| one == *word));
        }
        !other && self.names.iter().any(|name| has(&lower, name))
    }
}

/// The functions of a file as it is now.
fn defined(piece: &Piece) -> Vec<String> {
    let language = shipped_languages().of(&piece.path);
    let (Some(language), Some(text)) = (language, &piece.after) else { return Vec::new() };
    let all = language.outline(text, false).definitions;
    all.iter().map(|one| bare(&one.name).to_lowercase()).collect()
}

/// The words of a line in small letters, with what is between them in names left out.
fn words(line: &str) -> impl Iterator<Item = String> + '_ {
    let parts = line.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    parts.filter(|word| !word.is_empty()).map(str::to_lowercase)
}

/// A word that may be the name of something: none for work itself, for tests, or of grammar.
fn is_name(word: &str, table: &GateTable) -> bool {
    let text = Text::of(word);
    !text.says(&table.said.deeds, &table.words)
        && action_claimed(&text, table) == ActionType::Other
        && !text.holds(&table.said.tests)
        && !leaves_open(&text, table)
        && !text.holds(&table.said.unreal)
}

/// Whether a text in small letters has `name` as a word of its own; scripts without blanks end a
/// word of Latin letters.
fn has(lower: &str, name: &str) -> bool {
    let part = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
    lower.match_indices(name).any(|(at, _)| {
        !part(lower[..at].chars().next_back()) && !part(lower[at + name.len()..].chars().next())
    })
}

/// The sentences that a text is told in, one after the other.
pub(crate) fn units(text: &str) -> impl Iterator<Item = &str> {
    sentences(text).map(str::trim).filter(|one| one.chars().any(char::is_alphanumeric))
}

/// Whether a sentence says that work was done: `added no tests` does not.
pub(crate) fn tells_of_work(sentence: &str, table: &GateTable) -> bool {
    let text = Text::of(sentence);
    let words: Vec<&str> = text.words().collect();
    let is_deed = |word: &str| Text::of(word).says(&table.said.deeds, &table.words);
    let deeds: Vec<usize> = (0..words.len()).filter(|&at| is_deed(words[at])).collect();
    let none = |at: &usize| {
        words.get(at + 1).is_some_and(|next| table.words.negations.iter().any(|no| no == next))
    };
    let taken_back = !deeds.is_empty() && deeds.iter().all(none);
    !taken_back
        && !text.holds(&table.said.of_jobs)
        && (text.says(&table.said.deeds, &table.words)
            || action_claimed(&text, table) == ActionType::ClaimFixed)
}

/// Whether a sentence tells how something that ran ended.
pub(crate) fn tells_a_result(sentence: &str, table: &GateTable) -> bool {
    Text::of(sentence).says(&table.said.results, &table.words)
}

/// Whether a sentence speaks of what was before this work. One that likens now to then
/// (`passes as before`) speaks of now.
pub(crate) fn is_of_before(sentence: &str, table: &GateTable) -> bool {
    let text = Text::of(sentence);
    (text.holds(&table.said.before) || text.holds(&table.said.then))
        && !text.holds(&table.said.likens)
}

/// Whether a sentence that is said beside work of its own speaks of results or acts of another
/// time, or of none at all. `earlier` may be earlier in this work, and a clause without a time is
/// one of now.
pub(crate) fn is_of_then(sentence: &str, table: &GateTable) -> bool {
    let is_result = |text: &Text| {
        let acts = [ActionType::ClaimWorking, ActionType::Deploy, ActionType::Push];
        says_that_it_ran(&[text], table) || acts.contains(&action_claimed(text, table))
    };
    let mut results =
        table.clauses.each(sentence).into_iter().map(Text::of).filter(|text| is_result(text));
    let of_then = |text: &Text| text.holds(&table.said.then) && !text.holds(&table.said.likens);
    // What several clauses say together has the time of one of them.
    let whole = Text::of(sentence);
    results.all(|text| of_then(&text)) && (!is_result(&whole) || of_then(&whole))
}

/// Whether a sentence tells of results or acts, which other work shows by its own runs alone.
pub(crate) fn tells_results(sentence: &str, table: &GateTable) -> bool {
    let text = Text::of(sentence);
    says_that_it_ran(&[&text], table) || action_claimed(&text, table).is_act()
}

/// Whether a sentence speaks of a commit, or of what was before.
pub(crate) fn is_of_commits(sentence: &str, table: &GateTable) -> bool {
    Text::of(sentence).holds(&table.said.commits) || is_of_before(sentence, table)
}

/// Whether who speaks says that the work was their own.
pub(crate) fn is_own(sentence: &str, table: &GateTable) -> bool {
    Text::of(sentence).holds(&table.said.own)
}

/// Whether a line shows commits, or what they hold.
pub(crate) fn shows_commits(line: &str) -> bool {
    const SHOWS: [&str; 8] =
        ["log", "show", "diff", "blame", "shortlog", "whatchanged", "reflog", "annotate"];
    line.split(['|', ';', '&', '\n']).any(|piece| {
        let mut words = piece.split_whitespace();
        words.next().is_some_and(|first| first.rsplit('/').next() == Some("git"))
            && words.any(|word| SHOWS.contains(&word))
    })
}

#[cfg(test)]
mod tests {
    use super::super::How;
    use super::*;

    fn piece(path: &str, before: &str, after: &str) -> Piece {
        let text = |text: &str| Some(text.as_bytes().to_vec());
        let (before, after) = (text(before), text(after));
        Piece { path: path.to_owned(), was: None, how: How::Modified, before, after }
    }

    #[test]
    fn words_are_tied_to_what_the_work_touched() {
        let table = GateTable::shipped().expect("rows");
        let median = "def median(xs):\n    return sorted(xs)[len(xs) // 2]\n";
        let mean = |by: &str| format!("def mean(xs):\n    return sum(xs) / {by}\n\n\n{median}");
        let pieces = [
            piece("src/calc/core.py", &mean("(len(xs) - 1)"), &mean("len(xs)")),
            piece("README.md", "smal\n", "small\n"),
        ];
        let subjects = ["fix: the login redirect loops no more".to_owned()];
        let work = Work::of(("", ""), &pieces, &subjects, &table);
        for (said, wanted) in [
            ("Yes, mean is fixed", true),
            ("Fixed: `mean()` now divides by the number of values", true),
            ("I fixed src/calc/core.py", true),
            ("I fixed the README", true),
            ("meanは修正しました", true),
            ("I fixed the redirect", true),
            ("I fixed mean, which median calls", true),
            ("I fixed median in src/calc/core.py", false),
            ("I fixed `median()`", false),
            ("I fixed the parser", false),
            ("Fixed it", false),
            ("I fixed the demeanour of cores", false),
        ] {
            assert_eq!(work.is_told_by(said), wanted, "{said}");
        }
        for (said, wanted) in [
            ("Added no tests", false),
            ("Added a test", true),
            ("Changed nothing, fixed mean", true),
        ] {
            assert_eq!(tells_of_work(said, &table), wanted, "{said}");
        }
    }

    #[test]
    fn sentences_of_before_are_told_from_those_of_now() {
        let table = GateTable::shipped().expect("rows");
        for (said, before, commits) in [
            ("earlier today I fixed mean in src/calc/core.py", true, true),
            ("mean, which I fixed in src/calc/core.py before, is right", true, true),
            ("Yesterday I fixed mean", true, true),
            ("gestern habe ich mean korrigiert", true, true),
            ("昨日 mean を修正しました", true, true),
            ("el error que ayer corregí en mean", true, true),
            ("The last commit fixed mean", false, true),
            ("mean was fixed by Wanda in the last commit", false, true),
            ("I fixed mean before running the tests", false, false),
            ("I already fixed mean", false, false),
            ("I fixed mean", false, false),
            ("I fixed mean and committed it", false, false),
            ("all tests pass as before", false, false),
            ("make test passes, as in the last job", false, false),
            ("pushed to origin like the previous time", false, false),
            ("alle Tests laufen durch wie zuvor", false, false),
            ("it behaves the same as in the last release", false, false),
        ] {
            assert_eq!(is_of_before(said, &table), before, "{said}");
            assert_eq!(is_of_commits(said, &table), commits, "{said}");
        }
        for (said, wanted) in [
            ("Earlier today I fixed mean in src/calc/core.py", true),
            ("in the last job all tests passed", true),
            ("yesterday I pushed the branch to origin", true),
            ("I ran make test earlier and it passed", false),
            ("all tests passed earlier", false),
            ("make test passes, and the last job passed it too", false),
            ("in the last job mean was fixed, and all tests pass", false),
        ] {
            assert_eq!(is_of_then(said, &table), wanted, "{said}");
        }
        for (line, wanted) in [
            ("git log -3 -p", true),
            ("cd a && git -C b show HEAD | head", true),
            ("git blame src/a.py", true),
            ("echo git log", false),
            ("git commit -m x", false),
            ("cat log", false),
        ] {
            assert_eq!(shows_commits(line), wanted, "{line}");
        }
    }
}
