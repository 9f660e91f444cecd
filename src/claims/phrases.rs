//! What a text says, by rows of phrases.

use std::collections::BTreeMap;
use std::ops::Bound::{Included, Unbounded};

use super::table::Words;

/// The end of a clause.
const END: &str = "$";

/// The words of a text in small letters, with the ends of its clauses.
#[derive(Debug)]
pub(super) struct Text {
    tokens: Vec<String>,
    /// Where each of them stands, in order: most phrases begin with a word that stands nowhere.
    places: BTreeMap<String, Vec<usize>>,
}

impl Text {
    pub(crate) fn of(text: &str) -> Self {
        let mut tokens = vec![END.to_owned()];
        let end = |tokens: &mut Vec<String>| {
            if tokens.last().is_some_and(|last| last != END) {
                tokens.push(END.to_owned());
            }
        };
        for line in text.lines().map(parted) {
            for word in line.split([' ', '\t', '\u{a0}']) {
                if word == "|" {
                    end(&mut tokens);
                    continue;
                }
                let bare = word.trim_start_matches(OPENING);
                if bare.len() < word.len() && word.starts_with(['(', '[', '-', '*', '—', '–']) {
                    end(&mut tokens);
                }
                let plain = bare.trim_end_matches(CLOSING);
                if !plain.is_empty() {
                    tokens.push(plain.to_lowercase().replace('\u{2019}', "'"));
                }
                if plain.len() < bare.len() && bare[plain.len()..].contains(BREAKS) {
                    end(&mut tokens);
                }
            }
            end(&mut tokens);
        }
        end(&mut tokens);
        let mut places: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, token) in tokens.iter().enumerate() {
            match places.get_mut(token) {
                Some(places) => places.push(at),
                None => drop(places.insert(token.clone(), vec![at])),
            }
        }
        Self { tokens, places }
    }

    /// The words, without ends.
    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        self.tokens.iter().map(String::as_str).filter(|token| *token != END)
    }

    pub(crate) fn has(&self, word: &str) -> bool {
        self.places.contains_key(word)
    }

    /// Where `phrase` may begin, in order.
    fn places(&self, phrase: &str) -> Vec<usize> {
        let first = phrase.split(' ').next().unwrap_or_default();
        if first == ".." {
            return (0..self.tokens.len()).collect();
        }
        let mut all = Vec::new();
        for one in first.split('|') {
            match Wanted::of(one) {
                Wanted::Word(word) => all.extend(self.places.get(word).into_iter().flatten()),
                Wanted::Start(start) => {
                    let from = self.places.range::<str, _>((Included(start), Unbounded));
                    let own = from.take_while(|(token, _)| token.starts_with(start));
                    all.extend(own.filter(|(token, _)| *token != END).flat_map(|(_, at)| at));
                }
                wanted => {
                    let fit = self.places.iter().filter(|(token, _)| wanted.is(token));
                    all.extend(fit.flat_map(|(_, at)| at));
                }
            }
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// No word behind the first one keeps `phrase` from standing here.
    fn may_hold(&self, phrase: &str) -> bool {
        phrase.split(' ').skip(1).all(|wanted| {
            wanted == ".."
                || wanted.contains(['*', '#'])
                || wanted.split('|').any(|one| self.has(one))
        })
    }

    /// Where it begins as `phrase` says, in order.
    fn fitting<'t>(&'t self, phrase: &'t str) -> impl Iterator<Item = usize> + 't {
        let may = |places: &Vec<usize>| !places.is_empty() && self.may_hold(phrase);
        let places = Some(self.places(phrase)).filter(may).unwrap_or_default();
        places.into_iter().filter(move |at| self.fits(*at, phrase))
    }

    pub(crate) fn has_any(&self, words: &[String]) -> bool {
        words.iter().any(|word| self.has(word))
    }

    /// Whether `word` stands in it, and only behind a negation of its clause.
    pub(crate) fn is_negated(&self, word: &str, words: &Words) -> bool {
        let at = self.places.get(word).map(Vec::as_slice).unwrap_or_default();
        let no = |&at: &usize| {
            let before = self.tokens[..at].iter().rev().take_while(|token| *token != END);
            before.take(words.negation_reach).any(|token| words.negations.contains(token))
        };
        !at.is_empty() && at.iter().all(no)
    }

    /// Whether one of `phrases` stands in it without a negation before it.
    pub(crate) fn affirms(&self, phrases: &[String], words: &Words) -> bool {
        let no = |at: usize| {
            let before = self.tokens[..at].iter().rev().take_while(|token| *token != END);
            before.take(words.negation_reach).any(|token| words.negations.contains(token))
        };
        phrases.iter().any(|phrase| self.fitting(phrase).any(|at| !no(at)))
    }

    /// Whether one of `phrases` stands in it, taken back or not.
    pub(crate) fn holds(&self, phrases: &[String]) -> bool {
        phrases.iter().any(|phrase| self.fitting(phrase).next().is_some())
    }

    /// What it says of `phrases` and does not take back, as it stands there.
    pub(crate) fn all_said(&self, phrases: &[String], words: &Words) -> Vec<String> {
        let mut found = Vec::new();
        for phrase in phrases {
            let count = phrase.split(' ').count();
            let said = self.said_at(phrase, words).next();
            if let Some(at) = said {
                let inside = self.tokens[at..].iter().take(count).take_while(|word| *word != END);
                found.push(inside.map(String::as_str).collect::<Vec<_>>().join(" "));
            }
        }
        found
    }

    /// What it has of `phrases`, taken back or not, as it stands there.
    pub(crate) fn all_held(&self, phrases: &[String]) -> Vec<String> {
        let held = |phrase: &String| {
            let at = self.fitting(phrase).next()?;
            let count = phrase.split(' ').count();
            let inside = self.tokens[at..].iter().take(count).take_while(|word| *word != END);
            Some(inside.map(String::as_str).collect::<Vec<_>>().join(" "))
        };
        phrases.iter().filter_map(held).collect()
    }

    /// What it says of `phrases` that is not said to be none: `0 failed`, `failures: 0`.
    pub(crate) fn says_some(&self, phrases: &[String], words: &Words) -> bool {
        phrases.iter().any(|phrase| {
            let count = phrase.split(' ').count();
            self.said_at(phrase, words).any(|at| !self.is_none_of(at, count))
        })
    }

    fn is_none_of(&self, at: usize, count: usize) -> bool {
        let zero = |word: &String| is_zero(word);
        let before = self.tokens[..at].iter().rev().find(|word| *word != END);
        let behind = self.tokens[at..].iter().skip(count).find(|word| *word != END);
        let joined = self.tokens[at].split(['=', ':']).nth(1).is_some_and(is_zero);
        self.tokens[..at].last().is_some_and(zero) && before.is_some_and(zero)
            || behind.is_some_and(zero)
            || joined
    }

    /// Pairs of numbers: `12/12`.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = &str> {
        self.words().filter(|word| {
            let digits = |part: &str| {
                !part.is_empty() && part.len() < 8 && part.bytes().all(|byte| byte.is_ascii_digit())
            };
            word.split_once('/').is_some_and(|(a, b)| digits(a) && digits(b))
        })
    }

    /// Whether it says one of `phrases`, and does not take it back.
    pub(crate) fn says(&self, phrases: &[String], words: &Words) -> bool {
        phrases.iter().any(|phrase| self.said_at(phrase, words).next().is_some())
    }

    /// Where it says `phrase`, and does not take it back.
    fn said_at<'t>(
        &'t self,
        phrase: &'t str,
        words: &'t Words,
    ) -> impl Iterator<Item = usize> + 't {
        let is_taken_back = move |at: usize| {
            self.taken_back(at, phrase, words) || self.is_turned(at, phrase, words)
        };
        self.fitting(phrase).filter(move |at| !is_taken_back(*at))
    }

    /// The numbers that stand for `#` where it says one of `phrases`, which have no gaps.
    pub(crate) fn numbers(&self, phrases: &[String]) -> Vec<u64> {
        let mut found = Vec::new();
        for phrase in phrases {
            let Some(nth) = phrase.split(' ').position(|word| word == "#") else { continue };
            // `12/12` is a number, too; `3.1` and `2x` count no tests.
            found.extend(self.fitting(phrase).filter_map(|at| {
                let number = self.tokens[at + nth].replace(',', "");
                number.split('/').next()?.parse::<u64>().ok()
            }));
        }
        found
    }

    fn fits(&self, at: usize, phrase: &str) -> bool {
        fit(&self.tokens[at..], phrase).is_some()
    }

    /// Whether a negation stands inside what fits `phrase` at `at`, or behind it in its clause
    /// where the language puts it there.
    fn is_turned(&self, at: usize, phrase: &str, words: &Words) -> bool {
        let Some(long) = fit(&self.tokens[at..], phrase) else { return false };
        let own = |word: &String| phrase.split([' ', '|']).any(|one| is(one, word) && one != "*");
        let turns =
            |word: &String| words.negations.contains(word) || words.expectations.contains(word);
        let no = |word: &&String| turns(word) && !own(word);
        let behind = self.tokens[at + long..].iter().take_while(|word| *word != END);
        let after = |word: &String| words.negations_behind.contains(word);
        self.tokens[at..at + long].iter().any(|word| no(&word))
            || behind.take(words.negation_reach).any(after)
    }

    /// Whether the words before `at` turn the phrase round, leave it open, or make it a
    /// property of something.
    fn taken_back(&self, at: usize, phrase: &str, words: &Words) -> bool {
        let single = !phrase.contains(' ');
        let within =
            |text: &str| words.negations_within.iter().any(|no| text.contains(no.as_str()));
        let here = &self.tokens[at];
        if !here.is_ascii() && within(here) && !within(phrase) {
            return true;
        }
        let before = self.tokens[..at].iter().rev();
        let clause = before.take_while(|token| *token != END && !words.joints.contains(token));
        clause.enumerate().any(|(back, token)| {
            (back < words.negation_reach && words.negations.contains(token))
                || (back < words.condition_reach && words.conditions.contains(token))
                || words.suppositions.contains(token)
                || (single && back == 0 && words.adjectives.contains(token))
        })
    }

    /// Whether it has a verb of `stems`, or a word of `forms`.
    pub(crate) fn does(&self, stems: &[String], forms: &[String]) -> bool {
        self.has_any(forms) || stems.iter().any(|stem| self.has_form_of(stem))
    }

    fn has_form_of(&self, stem: &str) -> bool {
        self.words().any(|word| {
            word.strip_prefix(stem.get(..stem.len() - 1).unwrap_or(stem))
                .is_some_and(|_| is_form(stem, word))
        })
    }
}

/// Whether `word` is a form of the verb `stem`.
fn is_form(stem: &str, word: &str) -> bool {
    const ENDS: [&str; 5] = ["", "s", "es", "ed", "ing"];
    if word.strip_prefix(stem).is_some_and(|end| ENDS.contains(&end) || end == "d") {
        return true;
    }
    let Some(last) = stem.chars().last() else { return false };
    let short = &stem[..stem.len() - last.len_utf8()];
    let Some(end) = word.strip_prefix(short) else { return false };
    match last {
        // update, updating
        'e' => end == "ing",
        // apply, applied
        'y' => matches!(end, "ied" | "ies"),
        // drop, dropped
        _ => end
            .strip_prefix(last)
            .and_then(|end| end.strip_prefix(last))
            .is_some_and(|end| matches!(end, "ed" | "ing")),
    }
}

/// The most words of a gap.
const GAP: usize = 4;

/// How many of `tokens` it takes to begin as `phrase` says.
fn fit(tokens: &[String], phrase: &str) -> Option<usize> {
    let (wanted, rest) =
        phrase.split_once(' ').map_or((phrase, None), |(wanted, rest)| (wanted, Some(rest)));
    if wanted == ".." {
        let Some(rest) = rest else { return Some(0) };
        let gap = tokens.iter().take(GAP).take_while(|token| *token != END).count();
        return (0..=gap).find_map(|skipped| Some(skipped + fit(&tokens[skipped..], rest)?));
    }
    let (first, behind) = tokens.split_first()?;
    if !is(wanted, first) {
        return None;
    }
    rest.map_or(Some(1), |rest| Some(1 + fit(behind, rest)?))
}

/// Whether a token is what a phrase wants at its place.
fn is(wanted: &str, token: &str) -> bool {
    wanted.split('|').any(|one| Wanted::of(one).is(token))
}

/// What a phrase wants at one place; others may stand beside it, behind a `|`.
#[derive(Clone, Copy)]
enum Wanted<'p> {
    Word(&'p str),
    /// `*`
    Any,
    /// `#`
    Number,
    /// `pass*`
    Start(&'p str),
    /// `*test*`
    Part(&'p str),
}

impl<'p> Wanted<'p> {
    fn of(one: &'p str) -> Self {
        match one {
            "*" => Self::Any,
            "#" => Self::Number,
            _ => match (one.starts_with('*'), one.strip_suffix('*')) {
                (true, Some(_)) => Self::Part(one.trim_matches('*')),
                (false, Some(start)) => Self::Start(start),
                _ => Self::Word(one),
            },
        }
    }

    fn is(self, token: &str) -> bool {
        match self {
            Self::Word(word) => word == token,
            Self::Any => token != END,
            Self::Number => is_number(token),
            Self::Start(start) => token.starts_with(start) && token != END,
            Self::Part(part) => token.contains(part),
        }
    }
}

/// An item of a list without its mark.
pub(super) fn item(line: &str) -> Option<&str> {
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = (number.len() < line.len())
        .then(|| number.strip_prefix(". ").or_else(|| number.strip_prefix(") ")))
        .flatten();
    let marks = ["- ", "* ", "+ ", "• ", "| "];
    numbered.or_else(|| marks.iter().find_map(|mark| line.strip_prefix(mark)))
}

/// A text in which each item of a list stands behind the line that leads into the list: a
/// heading, or a line that ends with a colon.
pub(super) fn led(text: &str) -> String {
    let mut told = String::with_capacity(text.len());
    let mut lead = "";
    for line in text.lines().map(str::trim) {
        if let Some(item) = item(line) {
            told.extend([lead, " ", item, "\n"]);
            continue;
        }
        let bare = line.trim_matches(['*', '_', ' ']);
        let leads = line.starts_with('#')
            || bare.ends_with([':', '：'])
            || line.starts_with("**") && line.ends_with("**");
        if !line.is_empty() {
            lead = if leads { bare } else { "" };
        }
        told.extend([line, "\n"]);
    }
    told
}

/// What a text says is done, and the boxes that it leaves open.
pub(super) fn ticked(text: &str) -> (String, String) {
    let open = |line: &&str| item(line.trim()).is_some_and(|item| item.starts_with("[ ]"));
    let (open, done): (Vec<&str>, Vec<&str>) = text.lines().partition(open);
    (done.join("\n"), open.join("\n"))
}

/// The signs of scripts without blanks as those that end words and clauses here.
fn parted(line: &str) -> String {
    let mut parted = String::with_capacity(line.len());
    for sign in line.chars() {
        match sign {
            '，' | '、' => parted.push_str(", "),
            '。' | '．' => parted.push_str(". "),
            '；' => parted.push_str("; "),
            '：' => parted.push_str(": "),
            '！' => parted.push_str("! "),
            '？' => parted.push_str("? "),
            '（' => parted.push_str(" ("),
            '）' => parted.push_str(") "),
            '「' | '『' | '《' | '“' => parted.push_str(" \""),
            '」' | '』' | '》' | '”' => parted.push_str("\" "),
            '|' => parted.push_str(" | "),
            '`' => parted.push(' '),
            _ => parted.push(sign),
        }
    }
    parted
}

fn is_zero(token: &str) -> bool {
    matches!(token, "0" | "zero" | "null" | "cero" | "zéro" | "ноль" | "零")
}

fn is_number(token: &str) -> bool {
    token.strip_prefix('v').unwrap_or(token).starts_with(|c: char| c.is_ascii_digit())
}

const OPENING: [char; 14] = ['(', '[', '{', '"', '\'', '`', '*', '-', '—', '–', '“', '‘', '~', '<'];
const CLOSING: [char; 17] =
    [')', ']', '}', '"', '\'', '`', '*', '.', ',', ';', ':', '!', '?', '—', '–', '”', '>'];
const BREAKS: [char; 11] = ['.', ',', ';', ':', '!', '?', ')', ']', '}', '—', '–'];

#[cfg(test)]
mod tests {
    use super::super::table::GateTable;
    use super::*;

    fn facts(text: &str) -> Vec<String> {
        let table = GateTable::shipped().expect("rows");
        let said = Text::of(text);
        let rows = table.fact.iter().filter(|row| said.says(&row.phrases, &table.words));
        rows.map(|row| row.fact.clone()).collect()
    }

    #[test]
    fn what_is_only_expected_or_asked_is_no_fact() {
        for text in [
            "The existing tests should still pass",
            "I expect everything to be green and hope that the whole suite passes",
            "It is open whether after this change all tests pass",
            "Die Tests sollten alle bestehen",
        ] {
            assert_eq!(facts(text), Vec::<String>::new(), "{text}");
        }
        for text in [
            "I was not sure whether it would hold, but all tests pass",
            "It should be fine: all tests pass",
            "As expected all tests pass",
        ] {
            assert_eq!(facts(text), ["tests_pass", "whole_suite"], "{text}");
        }
    }

    #[test]
    fn items_stand_behind_the_line_that_leads_into_them() {
        for (text, wanted) in [
            ("### Removed\n- `a`\n2. `b`", "### Removed\n### Removed `a`\n### Removed `b`\n"),
            ("Gone:\n\n* a\n\nKept:\n* b", "Gone:\n\nGone: a\n\nKept:\nKept: b\n"),
            ("Removed two.\n- a\n**Tests**\n- b", "Removed two.\n a\n**Tests**\nTests b\n"),
            ("- a\n-5 and 3.5 are no items", " a\n-5 and 3.5 are no items\n"),
        ] {
            assert_eq!(led(text), wanted);
        }
    }

    #[test]
    fn an_open_box_is_not_done() {
        let (done, open) = ticked("- [x] a\n- [ ] b\n  1. [ ] c\nd [ ] e");
        assert_eq!((&*done, &*open), ("- [x] a\nd [ ] e", "- [ ] b\n  1. [ ] c"));
    }

    #[test]
    fn facts_are_heard_and_plain_words_are_not() {
        for (text, wanted) in [
            ("Fixed the handler, all tests pass.", vec!["tests_pass", "whole_suite"]),
            ("Fixed. 12 tests passed", vec!["tests_pass"]),
            ("I ran the tests and they pass", vec!["tests_pass"]),
            ("Fixed and tested.", vec!["tests_pass"]),
            ("Fixed; not deployed, and tests pass", vec!["tests_pass"]),
            ("Moved it to core with all tests passing", vec!["tests_pass", "whole_suite"]),
            ("Test suite is green", vec!["tests_pass", "whole_suite"]),
            ("The tests were not run", vec![]),
            ("Fixed without running the tests", vec![]),
            ("Did not run the tests", vec![]),
            ("Added tests for the handler", vec![]),
            ("Fixed the test runner", vec![]),
            ("Deployed the fix", vec!["deployed"]),
            ("The fix is deployed to production", vec!["deployed"]),
            ("Changed how the deployed service logs", vec![]),
            ("Fixed, not yet deployed", vec![]),
            ("The site is live", vec!["live"]),
            ("Added live reload", vec![]),
            ("Published to npm", vec!["published"]),
            ("Added the published field", vec![]),
            ("Merged into main", vec!["merged"]),
            ("Merged the two helpers into one", vec![]),
            ("Fixed, and rolled the new settings out to the cluster", vec!["deployed"]),
            ("Shipped relay v1.3.0 to all hosts", vec!["deployed"]),
            ("Uploaded inbox 1.4.1 to PyPI", vec!["published"]),
            ("Changed it; nothing is tagged or published", vec![]),
            ("The sources live in src/bytes", vec![]),
            ("cargo test --test cli passes", vec!["tests_pass"]),
            ("Production is running version 2.3", vec!["version"]),
            ("Bumped version 2 of the schema", vec![]),
        ] {
            assert_eq!(facts(text), wanted, "{text}");
        }
    }

    #[test]
    fn verbs_have_forms() {
        for (stem, word, wanted) in [
            ("fix", "fixed", true),
            ("fix", "fixes", true),
            ("update", "updating", true),
            ("update", "updated", true),
            ("apply", "applied", true),
            ("drop", "dropped", true),
            ("drop", "droop", false),
            ("fix", "fixture", false),
            ("add", "address", false),
            ("use", "user", false),
        ] {
            assert_eq!(is_form(stem, word), wanted, "{stem} {word}");
        }
    }
}
