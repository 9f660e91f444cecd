//! Functions that a message says it worked on, where no line of them changed.
//!
//! A function is named as a call (`mul()`): any other word may be a setting, a package, a page.
//! What is said of how it behaves may be due to a line elsewhere and is listed; what is said of
//! its lines (`refactored mul()`) is known to be otherwise. Sentences are read in English.

use serde::{Deserialize, Serialize};

use super::Truth;
use super::items::{self, Index};
use super::phrases::Text;
use super::sure;
use super::table::GateTable;

/// What such sentences are made of, as words in small letters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObjectRows {
    /// What is done to lines: `refactored`.
    pub lines: Vec<String>,
    /// What may be done to a function by lines elsewhere: `fixed`.
    pub effects: Vec<String>,
    /// Words between what was done and the name.
    pub between: Vec<String>,
    /// Words between the name and what was done to it: `was`.
    pub is: Vec<String>,
    /// Words that may follow and say nothing of it: `too`.
    pub ends: Vec<String>,
    /// Words of a clause that tells of another time.
    pub apart: Vec<String>,
}

impl ObjectRows {
    /// Those of this build, by which an answer is repeated whose own rows have none.
    pub(super) fn shipped() -> Self {
        GateTable::shipped().map_or_else(|error| unreachable!("{error}"), |table| table.objects)
    }

    /// The lists, by name.
    pub(super) fn lists(&self) -> [(&'static str, &[String]); 6] {
        [
            ("objects.lines", &self.lines),
            ("objects.effects", &self.effects),
            ("objects.between", &self.between),
            ("objects.is", &self.is),
            ("objects.ends", &self.ends),
            ("objects.apart", &self.apart),
        ]
    }
}

/// What is said of a function.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Said {
    Lines,
    Effects,
}

/// Functions that are said to be other lines now and have none that changed, and those of which
/// only an effect is told.
#[derive(Debug, Default)]
pub(super) struct Untouched {
    pub lines: Vec<String>,
    pub effects: Vec<String>,
}

impl Untouched {
    /// Whether `name` is one of them.
    pub(super) fn holds(&self, name: &str) -> bool {
        self.lines.iter().chain(&self.effects).any(|one| one == name)
    }
}

/// Finds both in `raw`.
pub(super) fn untouched(
    raw: &str,
    truth: &Truth,
    index: &Index<'_>,
    table: &GateTable,
) -> Untouched {
    let mut found = Untouched::default();
    let same =
        |name: &str| index.find(name).is_empty() && truth.held.iter().any(|held| held == name);
    for (sentence, quoted) in items::quoted_apart(raw) {
        let text = Text::of(sentence);
        if quoted || text.holds(&table.said.unreal) || sentence.contains(['"', '“']) {
            continue;
        }
        for clause in table.clauses.each(sentence) {
            if sure::denies(clause, table) || Text::of(clause).has_any(&table.objects.apart) {
                continue;
            }
            for (name, said) in
                table.objects.told(clause).into_iter().filter(|(name, _)| same(name))
            {
                match said {
                    Said::Lines => found.lines.push(name),
                    Said::Effects => found.effects.push(name),
                }
            }
        }
    }
    for list in [&mut found.lines, &mut found.effects] {
        list.sort();
        list.dedup();
    }
    found
}

impl ObjectRows {
    /// The calls of a clause of which it says something, each as it stands there.
    fn told(&self, clause: &str) -> Vec<(String, Said)> {
        let bare = |word: &str| {
            let word = word.trim_matches(|c: char| "`*,.:;!–—-".contains(c));
            word.to_owned()
        };
        let words = clause.split_whitespace().map(bare).filter(|word| !word.is_empty());
        let words: Vec<String> = words.collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let calls = (0..words.len()).filter(|&at| is_call(words[at]));
        calls
            .filter_map(|at| {
                let said = self.before(&words[..at], &words[at + 1..]);
                let said = said.or_else(|| self.behind(&words[..at], &words[at + 1..]))?;
                Some((words[at].to_owned(), said))
            })
            .collect()
    }

    /// `I also refactored the function mul()`: and nothing behind it that makes it a word beside
    /// another one (`mul() callers`).
    fn before(&self, before: &[&str], behind: &[&str]) -> Option<Said> {
        let verb = before.iter().rev().find(|word| !has(&self.between, word))?;
        let said = self.verb(verb)?;
        self.ends_with(behind).then_some(said)
    }

    /// `mul() was sped up`.
    fn behind(&self, before: &[&str], behind: &[&str]) -> Option<Said> {
        let leads = before.iter().all(|word| has(&self.between, word));
        let (is, rest) = behind.split_first()?;
        let rest = rest.strip_prefix(&["been"]).unwrap_or(rest);
        let (verb, rest) = rest.split_first()?;
        let said = self.verb(verb)?;
        let rest = if rest.first().is_some_and(|word| *word == "up") { &rest[1..] } else { rest };
        (leads && has(&self.is, is) && self.ends_with(rest)).then_some(said)
    }

    fn verb(&self, word: &str) -> Option<Said> {
        if has(&self.lines, word) {
            return Some(Said::Lines);
        }
        has(&self.effects, word).then_some(Said::Effects)
    }

    /// Nothing stands behind that says by what, or of what else.
    fn ends_with(&self, behind: &[&str]) -> bool {
        behind.first().is_none_or(|word| has(&self.ends, word))
    }
}

/// A call as texts write one, without arguments: with them it may stand for what it gives.
fn is_call(word: &str) -> bool {
    word.strip_suffix("()").is_some_and(|name| {
        name.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '#'))
    })
}

/// Names of calls that a text writes, quoted or not.
pub(super) fn calls(text: &str) -> impl Iterator<Item = &str> {
    let cut = |c: char| c.is_whitespace() || "`*\"'“”,;!?".contains(c);
    text.split(cut)
        .map(|word| word.trim_matches(['.', ':', '–', '—', '-']))
        .filter(|word| is_call(word))
}

fn has(list: &[String], word: &str) -> bool {
    list.iter().any(|one| one == &word.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::super::ChangedFile;
    use super::*;

    /// (the message, said of lines, said of effects)
    const SAID: [(&str, &str, &str); 27] = [
        ("I sped up mul() while I was there.", "mul()", ""),
        ("div() rejects zero and I refactored `mul()` too.", "mul()", ""),
        ("`mul()` was rewritten.", "mul()", ""),
        ("mul() has been simplified as well", "mul()", ""),
        ("- optimized `mul()`\n- fixed `div()`", "mul()", ""),
        ("Also: tidied up the function mul().", "mul()", ""),
        ("mul() was sped up", "mul()", ""),
        ("- `mul()` was simplified", "mul()", ""),
        ("Fixed `mul()`.", "", "mul()"),
        ("I improved mul() as well", "", "mul()"),
        // The line at fault stood elsewhere.
        ("I sped up mul() by caching rows in load", "", ""),
        ("Fixed mul() callers", "", ""),
        ("Added a call to mul()", "", ""),
        ("I refactored div() to call mul()", "", ""),
        ("I refactored div() and left mul() alone", "", ""),
        ("mul() was not refactored", "", ""),
        ("I did not refactor mul()", "", ""),
        ("I never simplified mul()", "", ""),
        ("I could have simplified mul()", "", ""),
        ("mul() is already simplified", "", ""),
        ("Should I have optimized mul()?", "", ""),
        ("You wrote: \"I optimized mul()\"", "", ""),
        ("I refactored mul(a, b)", "", ""),
        ("I refactored `div()`.", "", ""),
        ("mul() multiplies", "", ""),
        ("I refactored mul", "", ""),
        ("```\nrefactored mul()\n```", "", ""),
    ];

    #[test]
    fn work_on_a_function_that_has_no_changed_line_is_told_from_words_about_it() {
        let table = GateTable::shipped().expect("rows");
        let file = ChangedFile {
            path: "src/calc.py".into(),
            functions: vec!["div".into()],
            ..ChangedFile::default()
        };
        let truth = Truth { files: vec![file], held: vec!["mul()".into()], ..Truth::default() };
        let index = Index::of(&truth);
        for (raw, lines, effects) in SAID {
            let found = untouched(raw, &truth, &index, &table);
            assert_eq!(found.lines.join(" "), lines, "{raw}");
            assert_eq!(found.effects.join(" "), effects, "{raw}");
        }
        assert_eq!(calls("`mul()`, div() and x(1).").collect::<Vec<_>>(), ["mul()", "div()"]);
    }
}
