//! What a message tells of the world beside the difference: that something is gone, is in a commit,
//! printed no warning, stands in a page that people call by a common name, or happened somewhere
//! else. Words alone say so, and what was seen answers by its names and numbers.

use super::phrases::Text;
use super::receipts::Runs;
use super::ruling::Reasons;
use super::table::{Finding, GateTable};
use super::untold::{is_unreal, sentences};
use super::{Truth, figures, sure};

/// The most of anything that is listed of one message.
const LISTED: usize = 3;

/// Words of a clause that says what is still to be done, or that nothing was.
const LEFT: [&str; 22] = [
    "need",
    "needs",
    "can",
    "can't",
    "cannot",
    "later",
    "next",
    "please",
    "todo",
    "remember",
    "lacks",
    "missing",
    "yet",
    "already",
    "alone",
    "unless",
    "until",
    "before",
    "once",
    "how",
    "recommend",
    "untouched",
];

/// Words of a clause that tells of commits that others made, or of which one did what.
const HISTORY: [&str; 16] = [
    "by",
    "introduced",
    "introduces",
    "since",
    "from",
    "history",
    "blame",
    "bisect",
    "last",
    "first",
    "previous",
    "earlier",
    "author",
    "upstream",
    "reverted",
    "broke",
];

/// Words that say of which kind a thing is: who wrote such a one down elsewhere showed nothing.
const KINDS: [&str; 18] = [
    "backup",
    "production",
    "prod",
    "staging",
    "live",
    "remote",
    "build",
    "edge",
    "draft",
    "open",
    "fresh",
    "clean",
    "second",
    "separate",
    "empty",
    "quick",
    "short",
    "scratch",
];

/// Something that a message says is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SaidGone {
    pub name: String,
    /// From everywhere, and not only from what changed.
    pub anywhere: bool,
}

/// What a message says is gone, by a name or a version that it writes out.
pub(crate) fn said_gone(raw: &str, table: &GateTable) -> Vec<SaidGone> {
    let (rows, words) = (&table.said, &table.words);
    let mut found: Vec<SaidGone> = Vec::new();
    for sentence in sentences(raw) {
        let whole = Text::of(sentence);
        if is_unreal(sentence, &whole, table) {
            continue;
        }
        let anywhere = whole.holds(&rows.nowhere);
        let gone = |clause: &&str| anywhere || Text::of(clause).affirms(&rows.taken_out, words);
        let named = clauses(sentence).filter(gone).filter_map(written_out);
        // Of what is left nowhere one thing is named; what stands beside it took its place.
        for name in named.take(if anywhere { 1 } else { LISTED }) {
            if !found.iter().any(|one| one.name == name) {
                found.push(SaidGone { name, anywhere });
            }
        }
    }
    found.truncate(LISTED);
    found
}

/// Values that a message says a new test has: quoted, and with a digit in them.
pub(crate) fn said_of_tests(raw: &str, table: &GateTable) -> Vec<String> {
    let is_value = |span: &&str| {
        span.chars().any(|c| c.is_ascii_digit())
            && span.chars().count() > 1
            && !span.contains([' ', '(', '/', '.', ':', '_'])
    };
    let mut found: Vec<String> = Vec::new();
    for sentence in sentences(raw) {
        let text = Text::of(sentence);
        let new = text.says(&table.said.new_tests, &table.words);
        if new && !is_unreal(sentence, &text, table) {
            let quoted = sentence.split('`').skip(1).step_by(2).map(str::trim);
            found.extend(quoted.filter(is_value).map(str::to_owned));
        }
    }
    found.dedup();
    found.truncate(LISTED);
    found
}

/// The pieces of a sentence in which a verb has its object: what stands behind `with`, `from` or
/// `in` is another thing.
fn clauses(sentence: &str) -> impl Iterator<Item = &str> {
    const PARTS: [&str; 12] = [
        " and ",
        " but ",
        " so ",
        " with ",
        " from ",
        " in ",
        " instead",
        " for ",
        " to ",
        " by ",
        " because ",
        " where ",
    ];
    let mut pieces = vec![sentence];
    for part in PARTS {
        pieces = pieces.into_iter().flat_map(|piece| piece.split(part)).collect();
    }
    pieces.into_iter().flat_map(|piece| piece.split([',', ';', '—', '–', '(', ')']))
}

/// The first name that a clause quotes, or a version that it has.
fn written_out(clause: &str) -> Option<String> {
    let quoted = clause.split(['`', '"', '“', '”']).skip(1).step_by(2).map(|span| {
        let bare = span.trim().trim_end_matches("()");
        bare.trim_end_matches(';').trim()
    });
    let is_name = |span: &&str| {
        let mut letters = span.chars();
        letters.next().is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '-')
            && letters.all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':'))
            && span.chars().count() > 2
    };
    let version = || {
        let plain = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
        clause
            .split_whitespace()
            .map(plain)
            .find(|word| word.contains('.') && word.chars().all(|c| c.is_ascii_digit() || c == '.'))
    };
    quoted.into_iter().find(is_name).map(str::to_owned).or_else(version)
}

/// Holds the message against what was seen.
pub(super) fn add(reasons: &mut Reasons<'_>, raw: &str, truth: &Truth, runs: &Runs<'_>) {
    let table = reasons.table;
    reasons.names(Finding::StillThere, &truth.still);
    reasons.names(Finding::NotInTests, &truth.not_in_tests);
    reasons.names(Finding::WarningsDenied, &warnings_denied(raw, runs, table));
    commits(reasons, raw, truth, runs);
    if !(truth.files.is_empty() && runs.is_empty()) {
        let called = called(raw, truth, table);
        let mut elsewhere = elsewhere(raw, truth, runs, table);
        reasons.names(Finding::CalledUnchanged, &called);
        elsewhere.truncate(LISTED);
        reasons.names(Finding::Elsewhere, &elsewhere);
    }
}

/// A commit that is told of where none was made, or more of them than were.
fn commits(reasons: &mut Reasons<'_>, raw: &str, truth: &Truth, runs: &Runs<'_>) {
    let (Some(made), table) = (truth.commits, reasons.table) else { return };
    let rows = &table.said;
    let asserted = |sentence: &&str| !sentence.ends_with(['?', '？']);
    for clause in sentences(raw).filter(asserted).flat_map(apart) {
        let text = Text::of(clause);
        let others = HISTORY.iter().any(|word| text.has(word));
        let other = others || text.holds(&rows.unreal) || text.holds(&rows.then);
        if other || text.holds(&rows.before) || sure::leaves_open(&text, table) {
            continue;
        }
        // A line that may have made one, wherever it went, is no sign that there is none.
        let none = made == 0 && !runs.name("commit") && truth.files.iter().all(|one| !one.earlier);
        if none && text.says(&rows.committed, &table.words) {
            reasons.found(Finding::Uncommitted);
            return;
        }
        let spelled = Text::of(&figures::spelled_out(clause));
        let more = spelled.numbers(&rows.commits_made).into_iter().find(|told| *told > made.into());
        if let Some(told) = more.filter(|_| spelled.says(&rows.commits_made, &table.words)) {
            reasons.names(Finding::CommitsMiscounted, &[format!("{told} told, {made} made")]);
            return;
        }
    }
}

/// Commands that printed warnings, where the message says that there are none.
fn warnings_denied(raw: &str, runs: &Runs<'_>, table: &GateTable) -> Vec<String> {
    let denied = sentences(raw).any(|sentence| {
        let text = Text::of(sentence);
        text.holds(&table.said.no_warnings) && !is_unreal(sentence, &text, table)
    });
    let warned = |count: &&str| count.ends_with(" warning") || count.ends_with(" warnings");
    let told = |(receipt, beside): (&super::Receipt, Vec<&str>)| {
        let count = beside.into_iter().find(warned)?;
        Some(format!("{count} ({})", receipt.command))
    };
    if denied { runs.beside(table).into_iter().filter_map(told).collect() } else { Vec::new() }
}

/// Files that people call by a common name, said to be worked on, where no file of that name
/// changed.
fn called(raw: &str, truth: &Truth, table: &GateTable) -> Vec<String> {
    let rows = &table.said;
    let mut found: Vec<String> = Vec::new();
    for sentence in sentences(raw) {
        let text = Text::of(sentence);
        if is_unreal(sentence, &text, table)
            || is_left(&text)
            || text.has_any(&table.words.negations)
        {
            continue;
        }
        for phrase in text.all_held(&rows.called) {
            let article = |word: &&str| matches!(*word, "the" | "our" | "its" | "a" | "an");
            let name = phrase.split(' ').find(|word| !article(word));
            let Some(name) = name else { continue };
            let has = |path: &str| path.to_lowercase().contains(name);
            if !truth.files.iter().any(|file| has(&file.path)) && !found.contains(&phrase) {
                found.push(phrase);
            }
        }
    }
    found.truncate(LISTED);
    found
}

/// What a message tells of other people, other machines and other programs, where no command, no
/// changed path and no changed function has a word of it.
fn elsewhere(raw: &str, truth: &Truth, runs: &Runs<'_>, table: &GateTable) -> Vec<String> {
    let rows = &table.said;
    let has = |word: &str| {
        let own = |file: &super::ChangedFile| {
            let within = |name: &String| name.to_lowercase().contains(word);
            file.path.to_lowercase().contains(word) || file.functions.iter().any(within)
        };
        // `bench.mjs` is what a benchmark ran with.
        let stem = word.char_indices().nth(5).map_or(word, |(at, _)| &word[..at]);
        runs.name(stem) || truth.files.iter().any(own)
    };
    let mut found: Vec<String> = Vec::new();
    for sentence in sentences(raw).filter(|one| !one.ends_with(['?', '？'])) {
        for clause in apart(sentence) {
            let text = Text::of(clause);
            if text.holds(&rows.unreal) || is_left(&text) {
                continue;
            }
            let lower = clause.to_lowercase();
            for phrase in text.all_held(&rows.elsewhere) {
                let is_thing = |word: &&str| word.chars().count() > 3 && !KINDS.contains(word);
                let words = || phrase.split(' ').filter(is_thing);
                let same = |one: &String| one.contains(&phrase) || phrase.contains(one.as_str());
                // What a negation reaches is longer here: `did not push the branch to origin`.
                let at = lower.find(phrase.split(' ').next().unwrap_or_default());
                let denied = sure::denies(&lower[..at.unwrap_or_default()], table);
                if !(denied || words().any(has) || found.iter().any(same)) {
                    found.push(phrase);
                }
            }
        }
    }
    found
}

/// The clauses of a sentence: what one leaves open, another may tell.
fn apart(sentence: &str) -> impl Iterator<Item = &str> {
    let parts = sentence.split([',', ';', '—', '–', '(', ')']);
    parts
        .flat_map(|part| part.split(" so "))
        .flat_map(|part| part.split(" because "))
        .flat_map(|part| part.split(" but "))
        .flat_map(|part| part.split(" which "))
}

/// Whether a clause says what is still to be done, or of something that it is as it was.
fn is_left(text: &Text) -> bool {
    LEFT.iter().any(|word| text.has(word))
}

#[cfg(test)]
mod tests {
    use super::super::gate::{Ruling, judge};
    use super::super::{ChangedFile, Claim, ClaimCase, Inquiry, Receipt};
    use super::*;

    fn said(text: &str, truth: &Truth, commands: &[(&str, &str)]) -> (String, bool) {
        let table = GateTable::shipped().expect("rows");
        let receipt = |(command, output): &(&str, &str)| Receipt {
            id: "r1".into(),
            command: (*command).to_owned(),
            run: Some("pytest".into()),
            status: Some(0),
            tree: Some("t".into()),
            figures: figures::printed(output),
            beside: figures::beside(output),
            ..Receipt::default()
        };
        let receipts: Vec<Receipt> = commands.iter().map(receipt).collect();
        let claim = Claim::from_words(text, truth, &receipts, &table);
        let case = ClaimCase { claim, truth: truth.clone(), receipts, opened: None, drift: 0.0 };
        let Ruling::Claim(answer) = judge(&Inquiry::VerifyClaim(case), &table) else {
            panic!("a claim is answered")
        };
        (answer.points.join("; "), answer.directive > super::super::Directive::Damp)
    }

    fn changed(path: &str) -> Truth {
        let file = ChangedFile { path: path.to_owned(), ..ChangedFile::default() };
        Truth { tree: "t".into(), files: vec![file], ..Truth::default() }
    }

    #[test]
    fn what_is_said_to_be_gone_is_read_by_its_name() {
        let table = GateTable::shipped().expect("rows");
        let gone = |text: &str| {
            let all = said_gone(text, &table);
            all.iter()
                .map(|one| format!("{} {}", one.name, one.anywhere))
                .collect::<Vec<_>>()
                .join(", ")
        };
        for (text, wanted) in [
            ("Removed the unused `tmp` from trim.c.", "tmp false"),
            ("`unused` is gone, and `trim()` starts at zero.", "unused false"),
            ("I did not remove `unused`.", ""),
            ("Should I remove `unused`?", ""),
            ("There is no mention of 3.8 left anywhere below docs.", "3.8 true"),
            ("Nothing calls `oldName()` any more.", "oldName true"),
            ("Replaced `a_b` with `c_d`.", ""),
            ("Dropped support for 3.8 in the guide.", ""),
        ] {
            assert_eq!(gone(text), wanted, "{text}");
        }
    }

    #[test]
    fn a_commit_that_nobody_made_goes_back() {
        let truth = |commits| Truth { commits: Some(commits), ..changed("src/a.py") };
        for (text, made, back) in [
            ("I committed the work.", 0, true),
            ("The work is in a commit on main.", 0, true),
            ("I committed the work.", 1, false),
            ("Nothing is committed.", 0, false),
            ("Not committed yet.", 0, false),
            ("Commit it once you have read it.", 0, false),
            ("I can commit it if you want.", 0, false),
            ("`parse` was broken by the last commit of the branch.", 0, false),
            ("It was introduced in a single commit.", 0, false),
            ("Anna's commit was made in haste.", 0, false),
        ] {
            let tested = format!("{text} The tests were not run.");
            assert_eq!(said(&tested, &truth(made), &[]).1, back, "{text} {made}");
        }
        let (points, _) = said("I split it into two commits.", &truth(1), &[]);
        assert!(points.contains("2 told, 1 made"), "{points}");
        let (points, _) = said("It is one commit.", &truth(1), &[]);
        assert!(!points.contains("told"), "{points}");
    }

    #[test]
    fn what_nobody_saw_of_other_places_is_told_to_the_person() {
        let truth = changed("src/a.py");
        let run = [("pytest -q", "4 passed, 1 warning in 0.1s")];
        for (text, point) in [
            ("The branch is up on origin so that people can look at it.", "origin"),
            ("There is a draft pull request waiting.", "draft pull"),
            ("I also kicked the nightly timer.", "kicked"),
            ("I checked back with the ops people.", "ops people"),
            ("A short fuzz session turned up nothing.", "fuzz"),
            ("I took a CPU profile of it.", "cpu profile"),
            ("clang comes to the same result.", "clang"),
            ("4 passed, no warnings.", "1 warning (pytest -q)"),
            ("I added an entry to the changelog.", "changelog"),
        ] {
            let (points, _) = said(&format!("`a.py` is mended. {text}"), &truth, &run);
            assert!(points.contains(point), "{text}: {points:?}");
        }
        for text in [
            "I did not push the branch to origin.",
            "You may want to run a fuzz session.",
            "Should I open a pull request?",
            "4 passed, 1 warning.",
            "The changelog needs an entry.",
        ] {
            let (points, back) = said(&format!("`a.py` is mended. {text}"), &truth, &run);
            assert!(points.is_empty() && !back, "{text}: {points:?}");
        }
    }
}
