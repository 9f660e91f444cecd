//! What a message tells of runs that are not there: of another kind of tests than those that ran,
//! of more runs than were seen, of failures from before the work.

use super::items::{self, Index, stem};
use super::languages::shipped_languages;
use super::phrases::Text;
use super::receipts::Runs;
use super::ruling::{says_that_it_ran, sentences};
use super::table::GateTable;
use super::{Truth, figures};

/// Kinds of tests that a text says passed, where the parts that ran are of another kind.
pub(super) fn other_kinds(raw: &str, parts: &[String], table: &GateTable) -> Vec<String> {
    let named = |text: &str, kind: &str| {
        let mut words = text.split(|c: char| !(c.is_alphanumeric() || c == '-'));
        words.any(|word| kind.split('|').any(|one| one == word))
    };
    let ran = |kind: &String| parts.iter().any(|part| named(&part.to_lowercase(), kind));
    let (seen, others): (Vec<&String>, Vec<&String>) =
        table.said.kinds.iter().partition(|kind| ran(kind));
    if seen.is_empty() {
        return Vec::new();
    }
    let mut found: Vec<String> = Vec::new();
    for clause in sentences(raw).flat_map(|one| one.split([';', '—'])) {
        let text = Text::of(clause);
        let told =
            says_that_it_ran(&[&text], table) || text.says(&table.said.results, &table.words);
        if !told || text.holds(&table.said.not_run) || text.holds(&table.said.unreal) {
            continue;
        }
        let lower = clause.to_lowercase();
        let told = others.iter().filter(|kind| named(&lower, kind));
        found.extend(
            told.filter_map(|kind| kind.split('|').next()).map(|kind| format!("{kind} tests")),
        );
    }
    found.dedup();
    found
}

/// Tests that a text says pass, and that no part of the tests that ran holds: told by their file,
/// by a name that the difference has, or as the new ones.
pub(super) fn other_tests(
    raw: &str,
    truth: &Truth,
    (runs, index): (&Runs<'_>, &Index<'_>),
    table: &GateTable,
) -> Vec<String> {
    let rows = &table.said;
    let of_tests = |path: &str| shipped_languages().is_collected(path);
    let path_of = |at: usize| truth.files[at].path.as_str();
    // What a part selects otherwise than by files may be any test.
    let ran = |path: &str, name: &str| {
        runs.parts().any(|part| {
            part.is_none_or(|part| {
                part.paths.is_empty()
                    || part.holds_all(std::iter::once(path))
                    || part.paths.iter().any(|own| is_end_of(own, path) || is_end_of(path, own))
                    || part.by.iter().any(|word| word.contains(name))
            })
        })
    };
    let mut found: Vec<String> = Vec::new();
    for clause in sentences(raw).flat_map(|one| one.split([';', '—'])) {
        let text = Text::of(clause);
        if text.holds(&rows.not_run) || text.holds(&rows.unreal) {
            continue;
        }
        if text.says(&rows.passes, &table.words)
            || text.says(&rows.by_tests, &table.words) && !super::sure::denies(clause, table)
        {
            let files = items::paths_named(clause, &table.files, &rows.no_files);
            let other = |path: &&str| of_tests(path) && !ran(path, path);
            found.extend(files.into_iter().filter(other).map(str::to_owned));
            let words = clause.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
            let other = |word: &&str| {
                let at = index.find(word);
                let unrun = |&at: &usize| {
                    of_tests(path_of(at)) && stem(path_of(at)) != *word && !ran(path_of(at), word)
                };
                !word.is_empty() && !at.is_empty() && at.iter().all(unrun)
            };
            found.extend(words.filter(other).map(str::to_owned));
        }
        let mut new = (0..truth.files.len()).map(path_of).filter(|path| of_tests(path)).peekable();
        if new.peek().is_some() && !new.any(|path| ran(path, path)) {
            found.extend(text.all_said(&rows.new_passes, &table.words).into_iter().next());
        }
    }
    found.sort();
    found.dedup();
    found
}

/// Whether `path` ends with `end`, at a directory.
fn is_end_of(end: &str, path: &str) -> bool {
    path.strip_suffix(end).is_some_and(|head| head.is_empty() || head.ends_with('/'))
}

/// Runners that a text says ran and that no command names. A script may have started some of them.
pub(super) fn runners(raw: &str, runs: &Runs<'_>, table: &GateTable) -> Vec<String> {
    let rows = &table.said;
    let scripts = rows.scripts.iter().any(|word| runs.have_words(word));
    let inner = rows.inner_runners.iter().filter(|_| !scripts);
    let absent: Vec<&String> =
        rows.runners.iter().chain(inner).filter(|runner| !runs.have_words(runner)).collect();
    let mut found: Vec<String> = Vec::new();
    for sentence in sentences(raw) {
        // "After" leaves open what a sentence tells of a run, except of one that was made.
        let text = Text::of(&sentence.to_lowercase().replace(" after ", " "));
        let left = [&rows.unreal, &rows.open, &rows.pages, &rows.not_run]
            .iter()
            .any(|rows| text.holds(rows));
        let told = says_that_it_ran(&[&text], table)
            || text.says(&rows.results, &table.words)
            || text.says(&rows.ended_well, &table.words);
        if told && !left {
            let here = absent.iter().filter(|runner| text.holds(std::slice::from_ref(**runner)));
            found.extend(here.map(|runner| (*runner).clone()));
        }
    }
    found.sort();
    found.dedup();
    found
}

/// More runs than were seen, and failures that are said to be older than the work where nothing
/// ran before it.
pub(super) fn often(raw: &str, runs: &Runs<'_>, table: &GateTable) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for sentence in sentences(raw) {
        let spelled = figures::spelled_out(sentence);
        let text = Text::of(&spelled);
        if text.holds(&table.said.unreal) {
            continue;
        }
        if let Some(said) = text.all_said(&table.said.times, &table.words).into_iter().next() {
            let told = text.words().find_map(|word| match word.trim_end_matches('x') {
                "twice" => Some(2),
                "thrice" => Some(3),
                word => word.parse::<usize>().ok(),
            });
            if told.is_some_and(|told| told > 1 && told > runs.made()) {
                found.push(said);
            }
        }
        if !runs.any_failed_before() {
            found.extend(text.all_said(&table.said.history, &table.words).into_iter().next());
        }
    }
    found.dedup();
    found
}
