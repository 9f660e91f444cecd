//! What a message names: each file, function and test for itself, against what changed.

use super::items::{self, Index};
use super::phrases::Text;
use super::ruling::{Reasons, action_claimed, invented};
use super::state;
use super::table::{Finding, GateTable};
use super::{ActionType, ClaimCase, Truth};

/// Each thing that is named, for itself.
pub(super) fn names(
    reasons: &mut Reasons<'_>,
    case: &ClaimCase,
    index: &Index<'_>,
    (raw, only_prose): (&str, bool),
) {
    let (truth, table) = (&case.truth, reasons.table);
    if truth.files.is_empty() {
        return;
    }
    let ran = |name: &str| case.receipts.iter().any(|receipt| receipt.command.contains(name));
    let (mut untouched, mut beside) = (Vec::new(), Vec::new());
    let (mut tests, mut things): (Vec<&str>, Vec<String>) = (Vec::new(), Vec::new());
    let (mut new, mut stated): (Vec<String>, Vec<String>) = Default::default();
    let unknown = invented(case, index);
    for (sentence, quoted) in items::quoted_apart(raw) {
        let named = Named::of(sentence, index, (truth, table));
        for file in named.other.iter().filter(|file| !ran(file)) {
            // A block of output names what it likes.
            let done = !quoted
                && (named.is_done(file, only_prose, table) || named.is_listed(file, index, table));
            (if done { &mut untouched } else { &mut beside }).push(*file);
            let told = !done && !quoted && named.is_told(raw, file, only_prose, table);
            stated.extend(told.then(|| (*file).to_owned()));
        }
        let known = |name: &&str| !unknown.iter().any(|other| other == name) || ran(name);
        tests.extend(named.tests(table).filter(|name| !known(name)));
        things.extend(things_missing(sentence, truth, table));
        if !quoted {
            new.extend(new_tests(sentence, truth, table));
        }
    }
    let there = |name: &&str| truth.held.iter().any(|held| held == name);
    let calls = items::calls_named(&case.claim.text);
    let calls = calls.into_iter().filter(|call| index.find(call).is_empty());
    let (there, gone): (Vec<&str>, Vec<&str>) = calls.partition(there);
    beside.extend(there);
    let unmoved = super::objects::untouched(raw, truth, index, table);
    let second = seconds(case, index);
    beside.extend(&second);
    let mut points: Vec<String> = [things.clone(), unmoved.effects.clone()].concat();
    points.extend(second.iter().filter(|name| !ran(name)).map(|name| (*name).to_owned()));
    points.extend(stated.into_iter().filter(|name| !untouched.contains(&name.as_str())));
    points.dedup();
    beside.retain(|name| !(ran(name) || untouched.contains(name) || unmoved.holds(name)));
    for list in [&mut untouched, &mut beside, &mut tests] {
        list.sort_unstable();
        list.dedup();
    }
    things.extend(unmoved.effects.iter().cloned());
    let untouched = untouched.into_iter().map(str::to_owned).chain(new).chain(unmoved.lines);
    reasons.names(Finding::NamedUntouched, &untouched.collect::<Vec<_>>());
    things.extend(beside.into_iter().map(str::to_owned));
    reasons.names(Finding::NamedBeside, &things);
    reasons.point(Finding::NamedBeside, &points);
    reasons.names(Finding::PhantomTest, &tests);
    reasons.names(Finding::NotThere, &gone);
    reasons.names(Finding::CriteriaNamed, &criteria(case, table));
    reasons.names(Finding::Denied, &super::extent::denied(raw, truth, index, table));
}

/// What is to be met, where something is said to be.
fn criteria(case: &ClaimCase, table: &GateTable) -> Vec<String> {
    let all = || Text::of(&case.claim.text).all_said(&table.said.criteria, &table.words);
    if text_met(case, table) { all() } else { Vec::new() }
}

/// Names that stand beside one that changed, as one of the same list, and did not change.
fn seconds<'c>(case: &'c ClaimCase, index: &Index<'_>) -> Vec<&'c str> {
    let one = |a: &str, b: &str| !index.find(a).is_empty() && index.find(b).is_empty();
    let pairs = items::listed_together(&case.claim.text).into_iter();
    pairs.filter_map(|(a, b)| one(a, b).then_some(b).or_else(|| one(b, a).then_some(a))).collect()
}

/// What one sentence names.
struct Named<'c> {
    sentence: &'c str,
    /// Files that changed are among what it names.
    touched: bool,
    /// Files that did not change and that it does not only mention.
    other: Vec<&'c str>,
    files: Vec<&'c str>,
}

impl<'c> Named<'c> {
    fn of(sentence: &'c str, index: &Index<'_>, (truth, table): (&Truth, &GateTable)) -> Self {
        let files = items::paths_named(sentence, &table.files, &table.said.no_files);
        let changed = |file: &&str| !index.find(file).is_empty();
        let other = files.iter().copied().filter(|file| !changed(file));
        let other = other.filter(|file| !is_mentioned(sentence, file, table));
        // What a dependency did to its own files is no work of this turn.
        let other = other.filter(|file| {
            !is_of_dependency(sentence, truth, table) && !is_dependency(file, truth)
        });
        let other = other.collect();
        Self { sentence, touched: files.iter().any(changed), other, files }
    }

    /// Whether it says of `file` that it was changed. Pages speak of files that they are about.
    fn is_done(&self, file: &str, only_prose: bool, table: &GateTable) -> bool {
        if !only_prose {
            return is_done(self.sentence, file, table);
        }
        if self.touched {
            return false;
        }
        if items::ends(file, &table.files.prose) {
            return is_done(self.sentence, file, table);
        }
        // An item of a list that ends with what was done to the file: `cli.py: help text adapted`.
        let last = Text::of(self.sentence.trim_end_matches(['.', ' ']));
        let is_done_word = |word: &str| {
            Text::of(word).says(&table.said.deeds, &table.words)
                || table.objects.effects.iter().any(|one| one == word)
        };
        if last.words().last().is_some_and(is_done_word) && leads_item(self.sentence, file) {
            return is_done(self.sentence, file, table);
        }
        action_claimed(&Text::of(self.sentence), table) == ActionType::ClaimFixed
    }

    /// Whether it says what `file` is like now. Pages say so of files that they are about.
    fn is_told(&self, raw: &str, file: &str, only_prose: bool, table: &GateTable) -> bool {
        (!only_prose || items::ends(file, &table.files.prose))
            && state::is_told(raw, self.sentence, file, table)
    }

    /// Whether it lists `file` beside one that changed, right behind a word for work that is done:
    /// "updated a.md and b.md".
    fn is_listed(&self, file: &str, index: &Index<'_>, table: &GateTable) -> bool {
        let lists = items::paths_together(self.sentence, &self.files);
        lists.iter().any(|(before, list)| {
            let changed = |one: &&str| !index.find(one).is_empty();
            let between = |word: &&str| !matches!(*word, "the" | "both" | "file" | "files" | "in");
            let word = before.split_whitespace().rev().find(between);
            let done = |word: &str| Text::of(word).says(&table.said.deeds, &table.words);
            list.contains(&file)
                && list.iter().any(changed)
                && word.is_some_and(done)
                && !super::sure::denies(before, table)
        })
    }

    /// Tests that it names for themselves, and not as the file that they lie in.
    fn tests<'t>(&'t self, table: &'t GateTable) -> impl Iterator<Item = &'c str> + 't {
        items::tests_named(self.sentence).into_iter().filter(move |name| {
            !self.files.iter().any(|file| file.contains(name))
                && !is_mentioned(self.sentence, name, table)
        })
    }
}

/// Whether something is said to be met.
fn text_met(case: &ClaimCase, table: &GateTable) -> bool {
    let signs = &table.said.signs;
    Text::of(&case.claim.text).says(&table.said.met, &table.words)
        || signs.iter().any(|sign| case.claim.text.contains(sign.as_str()))
}

/// Whether a sentence says of a file that work was done: it has a word for that, or the file
/// stands first, as in a list of what changed.
fn is_done(sentence: &str, file: &str, table: &GateTable) -> bool {
    let plain = |c: char| c.is_whitespace() || "`*-+•|#_>[]()x✅✔☑✓\u{fe0f}".contains(c);
    let number = |c: char| c.is_ascii_digit() || c == '.';
    let first = sentence.trim_start_matches(plain).trim_start_matches(number);
    let in_list = sentence
        .trim_start()
        .starts_with(|c: char| "-*+•|#✅✔☑✓".contains(c) || c.is_ascii_digit());
    // `file:72` is a place that something is said of.
    let placed = file.rsplit_once(':').is_some_and(|(_, line)| line.parse::<u32>().is_ok());
    let leads = in_list && !placed && first.trim_start_matches(plain).starts_with(file);
    let text = Text::of(sentence);
    let label = sentence.find(file).is_some_and(|at| {
        // **Client** (`client/conn.go`)
        let before = sentence[..at].trim_start();
        let bold = before.strip_prefix("**").and_then(|rest| rest.split_once("**"));
        let behind = bold.map_or(before.trim_start_matches(['*', '#', '|']), |(_, rest)| rest);
        before.starts_with(['*', '#', '|'])
            && (bold.is_none() || !behind.contains(char::is_alphanumeric))
    });
    // What the file's own clause leaves open is not done.
    let clause = sentence.split(['，', '；', ',', ';']).find(|clause| clause.contains(file));
    let is_open = clause.is_some_and(|clause| Text::of(clause).holds(&table.said.open));
    let of_tests = text.holds(&table.said.tests)
        || ["test", "spec"].iter().any(|part| file.to_lowercase().contains(part));
    let leads = leads && !(of_tests && is_tally(sentence, file));
    if clause.is_some_and(|clause| state::is_new(clause, file, table)) {
        return true;
    }
    (leads || label || text.says(&table.said.deeds, &table.words))
        && !is_open
        && !super::sure::denies(clause.unwrap_or(sentence), table)
        && !text.holds(&table.said.passing)
        && !text.holds(&table.said.unchanged)
}

/// Whether a sentence is an item of a list that begins with a file's name and a colon.
fn leads_item(sentence: &str, file: &str) -> bool {
    let rest = sentence.trim_start().strip_prefix(['-', '*', '+', '•']);
    let rest = rest.map(|rest| rest.trim_start_matches([' ', '`', '*']));
    let behind = rest.and_then(|rest| rest.strip_prefix(file));
    behind.is_some_and(|rest| rest.trim_start_matches(['`', '*']).starts_with(':'))
}

/// Whether all that an item of a list says of a file is a number, as of the tests in it.
fn is_tally(sentence: &str, file: &str) -> bool {
    let rest = sentence.replacen(file, "", 1);
    let words: Vec<&str> =
        rest.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    !rest.contains(['+', '±'])
        && words.len() < 4
        && words.iter().any(|word| word.chars().all(|c| c.is_ascii_digit()))
}

/// Whether a name that ends as files do is a dependency's (`classlist.js`).
fn is_dependency(name: &str, truth: &Truth) -> bool {
    let name = name.to_lowercase();
    truth.brought.iter().any(|one| one.split_once(' ').is_some_and(|(known, _)| known == name))
}

/// Whether a dependency that came with the difference is what a sentence speaks of: its name and a
/// number stand at the head (`fmt 11 also split …`), and nobody says that it was its own act.
fn is_of_dependency(sentence: &str, truth: &Truth, table: &GateTable) -> bool {
    let text = Text::of(sentence);
    let words: Vec<&str> = text.words().take(6).collect();
    let name = |word: &str| {
        truth.brought.iter().any(|one| one.split_once(' ').is_some_and(|(name, _)| name == word))
    };
    let number =
        |word: &str| word.trim_start_matches('v').starts_with(|c: char| c.is_ascii_digit());
    words.windows(2).any(|two| name(two[0]) && number(two[1])) && !text.holds(&table.said.own)
}

/// Whether a sentence names something that it says nothing of, or says to be as it was.
fn is_mentioned(sentence: &str, file: &str, table: &GateTable) -> bool {
    let text = Text::of(sentence);
    let quoted = sentence.split('`').skip(1).step_by(2);
    // A command to run names what it runs on.
    let in_command = |span: &str| span.contains(file) && span.trim().contains(' ');
    let at_fault =
        text.holds(&table.said.faults) && action_claimed(&text, table) != ActionType::ClaimFixed;
    quoted.into_iter().any(in_command)
        || at_fault
        || text.holds(&table.said.unchanged) && !text.says(&table.said.deeds, &table.words)
        || text.is_negated(&file.to_lowercase(), &table.words)
}

/// A test that a sentence says is new, where no file changed that may hold one.
fn new_tests(sentence: &str, truth: &Truth, table: &GateTable) -> Option<String> {
    let rows = &table.said;
    let holds = |path: &str| items::ends(path, &rows.tests_inside);
    let text = Text::of(sentence);
    if truth.files.iter().any(|file| file.test || holds(&file.path) || is_like_a_test(&file.path))
        || text.holds(&rows.unreal)
        || text.holds(&rows.unchanged)
        || super::sure::denies(sentence, table)
    {
        return None;
    }
    text.all_said(&rows.new_tests, &table.words).into_iter().next()
}

/// Whether a path speaks of tests: `spec/fixtures/a.json`, `pages/cart.cy.ts`.
fn is_like_a_test(path: &str) -> bool {
    let path = path.to_lowercase();
    ["test", "spec", "check", "fixture", "snap", ".cy.", "e2e", "bench"]
        .iter()
        .any(|one| path.contains(one))
}

/// What a sentence says was made, by the word for its kind, where no file of that kind changed.
fn things_missing(sentence: &str, truth: &Truth, table: &GateTable) -> Vec<String> {
    let text = Text::of(sentence);
    let listed = sentence.trim_start().starts_with(['-', '*', '+', '•', '|']);
    if super::sure::leaves_open(&text, table) || text.holds(&table.said.unchanged) {
        return Vec::new();
    }
    let is_done = text.says(&table.said.deeds, &table.words);
    let first = text.words().next().map(Text::of);
    let changed = |row: &super::table::ThingRow| {
        let like = |path: &str| row.paths.iter().any(|one| super::runs::like(one, path));
        truth.files.iter().any(|file| like(&file.path.to_lowercase()))
    };
    let missing = table.said.things.iter().filter(|row| !changed(row));
    let said = missing.filter_map(|row| {
        let leads = listed && first.as_ref().is_some_and(|word| word.holds(&row.words));
        (leads || is_done).then(|| text.all_said(&row.words, &table.words).into_iter().next())?
    });
    said.collect()
}
