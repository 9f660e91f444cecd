//! How sure it is that nothing shows what is said.
//!
//! A message is sent back for what is known to be otherwise. Where a command ran whose end or
//! whose kind is not known, it may have shown what is said: then the person's card lists it, and
//! the message goes out.

use super::acts;
use super::empty::{self, joined, pieces};
use super::phrases::Text;
use super::ruling::says_that_it_ran;
use super::table::{ActRow, GateTable};

/// Whether a line does no more than look, as far as its commands are known.
pub(super) fn only_looks(line: &str, table: &GateTable) -> bool {
    let looks = &table.said.looks;
    let plain = joined(line);
    acts::begins_as(looks, line)
        || pieces(&plain).next().is_some_and(|first| acts::begins_as(looks, first))
            && pieces(&plain).all(|piece| acts::begins_as(looks, piece))
}

/// Whether a line does something that may show a result: it does more than look, and more than
/// say which version is here.
pub(super) fn does(line: &str, table: &GateTable) -> bool {
    let plain = joined(line);
    !only_looks(line, table) && !pieces(&plain).all(empty::asks_version)
}

/// Whether a line may have been a run of tests that no row knows: it calls a script or something
/// that is called after tests. What a program that stands in the line itself prints, the line says.
pub(super) fn may_be_tests(line: &str, table: &GateTable) -> bool {
    let rows = &table.said;
    let fits = |word: &str| rows.maybe_tests.iter().any(|one| super::runs::like(one, word));
    !empty::is_inline(line)
        && pieces(&joined(line)).any(|piece| {
            let looks =
                acts::begins_as(&rows.looks, piece) || acts::begins_as(&rows.no_tests, piece);
            !looks
                && !empty::asks_version(piece)
                && piece.to_lowercase().split_whitespace().any(fits)
        })
}

/// Whether a line may have been an act of one of `rows`, with an end that is not told.
pub(super) fn may_be_act<'r>(rows: impl Iterator<Item = &'r ActRow> + Clone, line: &str) -> bool {
    pieces(&joined(line)).any(|piece| acts::is_one_of(rows.clone(), piece))
}

/// With what a clause begins that says where the next one holds.
const WHERE: [&str; 13] =
    ["for", "in", "of", "within", "für", "bei", "para", "en", "pour", "dans", "em", "для", "в"];

/// Whether a sentence that tells of a part of the tests as `is_of_whole` says which part: the
/// clause that says so has a word of it, or another one says where it holds, or what ran. A clause
/// that tells of the work names that, and no tests: `core.py is fixed and all tests pass`.
pub(super) fn names_part(
    sentence: &str,
    is_of_whole: &dyn Fn(&str) -> bool,
    parts: &[String],
    table: &GateTable,
) -> bool {
    let clauses = table.clauses.all(sentence);
    // `the rest was not run` stays within the part.
    let beyond = |clause: &&str| {
        let text = Text::of(clause);
        text.holds(&table.said.more)
            || text.holds(&table.said.beyond) && !text.holds(&table.said.left_out)
    };
    if clauses.iter().any(beyond) {
        return false;
    }
    let words = parts.iter().flat_map(|part| part.split(|c: char| !c.is_alphanumeric()));
    let own = words.filter(|word| word.len() > 3 && !Text::of(word).holds(&table.said.tests));
    let own: Vec<String> = own.map(str::to_lowercase).collect();
    let names = |text: &str| {
        let lower = text.to_lowercase();
        own.iter().any(|word| lower.contains(word))
    };
    let (whole, others): (Vec<&str>, Vec<&str>) =
        clauses.into_iter().partition(|clause| is_of_whole(clause));
    // Said by several clauses together: `all tests of a and b pass`. The name of a part stands
    // behind a word for where: of the whole suite it is the tests that are named.
    if whole.is_empty() {
        let lower = sentence.to_lowercase();
        let words: Vec<&str> = lower.split_whitespace().collect();
        let whole_suite = words.windows(2).any(|two| {
            let [size, what] = two else { return false };
            let whole = matches!(*size, "whole" | "full" | "entire" | "complete");
            whole && (what.starts_with("suite") || what.starts_with("test"))
        });
        return names(sentence) && !whole_suite;
    }
    let tells = |clause: &&str| {
        let text = Text::of(clause);
        let first = text.words().next().unwrap_or_default();
        let done = text.says(&table.said.deeds, &table.words);
        says_that_it_ran(&[&text], table) || WHERE.contains(&first) && !done
    };
    whole.into_iter().all(names) || others.into_iter().filter(tells).any(names)
}

/// Whether a sentence takes something back, wherever it says so.
pub(super) fn denies(sentence: &str, table: &GateTable) -> bool {
    let text = Text::of(sentence);
    text.has_any(&table.words.negations) || text.has_any(&table.words.negations_behind)
}

/// Whether a text leaves open what it says, or speaks of a page that says it.
pub(super) fn leaves_open(text: &Text, table: &GateTable) -> bool {
    text.holds(&table.said.open) || text.holds(&table.said.pages)
}

#[cfg(test)]
mod tests {
    use super::super::table::Backing;
    use super::*;

    #[test]
    fn a_part_is_named_by_what_is_said_of_the_tests() {
        let table = GateTable::shipped().expect("rows");
        let row = table.fact.iter().find(|row| row.backing == Backing::Whole).expect("its row");
        let whole = |clause: &str| Text::of(clause).says(&row.phrases, &table.words);
        for (part, sentence, wanted) in [
            ("test/slug.test.js", "slug trims now, all tests pass", false),
            ("test/slug.test.js", "slug trims now and the full suite is green", false),
            ("test/slug.test.js", "all tests pass, now that slug trims", false),
            ("tests/test_core.py", "core.py is fixed and all tests pass", false),
            ("tests/test_core.py", "mean in core is fixed, and the full suite is green", false),
            ("tests/test_core.py", "core.py ist behoben und alle Tests laufen durch", false),
            ("test/slug.test.js", "the slug tests all pass", true),
            ("test/slug.test.js", "slug trims now, and all tests of slug pass", true),
            ("test/slug.test.js", "all tests in test/slug.test.js pass", true),
            ("test/slug.test.js", "for slug, all tests pass", true),
            ("tests/test_core.py", "I ran the tests of core, and all tests pass", true),
            ("tests/test_core.py", "all tests pass in core and in cli", true),
            ("tests/test_core.py", "all tests of core pass, the rest was not run", true),
            ("tests/test_core.py", "all tests, core included, pass", false),
            ("tests/test_core.py", "in core as in every other module all tests pass", false),
            ("tests/test_core.py", "for core and for everything else, all tests pass", false),
            ("tests/test_core.py", "I ran the core tests and the rest, and all tests pass", false),
            ("tests/test_core.py", "the whole suite, tests of core and of text, is green", false),
            ("tests/test_core.py", "not only the core tests but all tests pass", false),
        ] {
            let parts = [part.to_owned()];
            assert_eq!(names_part(sentence, &whole, &parts, &table), wanted, "{sentence}");
        }
    }

    #[test]
    fn what_may_have_been_tests_is_told_from_what_was_not() {
        let table = GateTable::shipped().expect("rows");
        for (line, wanted) in [
            ("for i in 1 2 3; do ./run-all.sh || break; done", true),
            ("nix flake check 2>&1 | tail -3", true),
            ("python -c 'import a; a.run()' | tail -1", false),
            ("python3 -c 'print(\"all tests pass\")'", false),
            ("python3 - <<E\nprint('12 tests passed')\nE", false),
            ("perl -e1 tests", false),
            ("node --eval=1 ./test.js", false),
            ("ruby -W0 -e 'puts :tests'", false),
            ("make -v", false),
            ("docker --version", false),
            ("./run.sh --version", false),
            ("./run.sh -v", true),
            ("npm run build", false),
            ("docker compose exec app bin/all", true),
            ("cargo build", false),
            ("npx tsc --noEmit", false),
            ("git diff --stat tests/", false),
            ("grep -rn test src | head", false),
            ("echo all tests pass", false),
        ] {
            assert_eq!(may_be_tests(line, &table), wanted, "{line}");
        }
        assert!(only_looks("cat a 2>&1 | grep b; ls", &table));
        assert!(!only_looks("cat a; make", &table));
        let push = || table.act.iter().filter(|row| row.act == "push");
        assert!(may_be_act(push(), "git push origin main 2>&1 | tail -2"));
        assert!(!may_be_act(push(), "echo git push origin main"));
        assert!(!may_be_act(push(), "git push --dry-run | tail -2"));
    }
}
