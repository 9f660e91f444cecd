//! What a message tells and nothing shows, and what was seen and it does not tell, by numbers and
//! names alone: they are the same in every language.

use std::collections::BTreeSet;

use super::figures;
use super::items::{self, Index};
use super::phrases::{Text, item};
use super::receipts::Runs;
use super::ruling::Reasons;
use super::table::{Finding, GateTable};
use super::{Truth, acts, answers, sure};

/// The most numbers, and the most of anything else, that are listed of one message.
const LISTED: usize = 3;

/// The least number that somebody would count.
const COUNTED: f64 = 3.0;

/// Words for one, where a single thing is told.
const ONE: [&str; 18] = [
    "one", "a", "an", "single", "ein", "eine", "einen", "einer", "un", "una", "une", "um", "uma",
    "один", "одна", "одно", "uno", "een",
];

/// Sentences of a text outside of fenced blocks, each with the sign that ends it.
pub(super) fn sentences(raw: &str) -> impl Iterator<Item = &str> {
    let mut inside = false;
    let lines = raw.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
        inside ^= fence;
        !inside && !fence
    });
    lines
        .flat_map(|line| answers::sentences(item(line.trim()).unwrap_or(line)))
        .flat_map(|one| one.split_inclusive(['。', '！', '？', '；']))
        .map(str::trim)
}

/// A question, or what is only thought of: nothing has to show it.
pub(super) fn is_unreal(sentence: &str, text: &Text, table: &GateTable) -> bool {
    sentence.ends_with(['?', '？']) || text.holds(&table.said.unreal)
}

/// A sentence without what it quotes, but for a quoted number with its unit.
fn unquoted(sentence: &str) -> String {
    let figure = |span: &str| {
        let mut parts = span.split_whitespace();
        let digit = |part: &str| part.starts_with(|c: char| c.is_ascii_digit());
        let unit = |part: &str| part.chars().all(char::is_alphabetic);
        parts.next().is_some_and(digit) && parts.next().is_none_or(unit) && parts.next().is_none()
    };
    let spans = sentence.split('`').enumerate();
    let kept = spans.map(|(nth, span)| if nth % 2 == 0 || figure(span) { span } else { "`" });
    kept.collect()
}

/// Numbers of a message that nothing printed, no changed line has, and no list of its own counts.
pub(super) fn numbers(
    raw: &str,
    seen: &BTreeSet<&str>,
    (truth, index): (&Truth, &Index<'_>),
    table: &GateTable,
) -> Vec<String> {
    let is_row = |line: &&str| line.trim_start().starts_with('|');
    let rows = raw.lines().filter(is_row).count();
    let items = raw.lines().filter(|line| !is_row(line) && item(line.trim()).is_some()).count();
    let own = [items, rows.saturating_sub(2), rows.saturating_sub(3), truth.files.len()];
    let mut found: Vec<String> = Vec::new();
    for sentence in sentences(raw) {
        if found.len() >= LISTED {
            break;
        }
        let spelled = figures::spelled_out(&unquoted(sentence));
        let mut told = figures::plain_numbers(&spelled)
            .filter(|number| number.value >= COUNTED || number.text.contains(['.', ',']))
            .filter(|number| !own.iter().any(|own| number.text == own.to_string()))
            .filter(|number| !figures::is_seen(number.text, seen))
            .peekable();
        if told.peek().is_none() || is_unreal(sentence, &Text::of(sentence), table) {
            continue;
        }
        // A place in a file that was read.
        let files = items::paths_named(sentence, &table.files, &table.said.no_files);
        if files.iter().any(|file| index.find(file).is_empty()) {
            continue;
        }
        found.extend(
            told.map(|number| format!("{} {}", number.text, number.thing).trim().to_owned()),
        );
    }
    found.truncate(LISTED);
    found
}

/// Commands that a message quotes as if they had run, and that did not.
pub(super) fn commands(
    raw: &str,
    truth: &Truth,
    runs: &Runs<'_>,
    table: &GateTable,
) -> Vec<String> {
    // A setting names commands that others run.
    let settings = |path: &str| {
        items::ends(path, &table.files.passive) || items::ends(path, &table.files.prose)
    };
    if runs.are_cut() {
        return Vec::new();
    }
    let settings = truth.files.iter().any(|file| settings(&file.path));
    let mut found: Vec<String> = Vec::new();
    for sentence in sentences(raw).filter(|one| one.contains('`')) {
        if found.len() >= LISTED {
            break;
        }
        let text = Text::of(sentence);
        let shows = text.says(&table.said.shows, &table.words);
        let left = is_unreal(sentence, &text, table)
            || text.has_any(&table.words.negations)
            || !shows && sure::leaves_open(&text, table);
        if left || settings && !shows {
            continue;
        }
        for span in sentence.split('`').skip(1).step_by(2) {
            // Of lines that only look no receipt is kept.
            if sure::only_looks(span, table) {
                continue;
            }
            // What the command's own clause leaves open, or says that a page tells, did not run.
            let mut clauses = sentence.split([',', ';', '，', '；']);
            let clause = clauses.find(|clause| clause.contains(span)).unwrap_or(sentence);
            if sure::leaves_open(&Text::of(clause), table) {
                continue;
            }
            let words: Vec<&str> =
                span.split_whitespace().filter(|word| !word.starts_with('-')).collect();
            let Some(program) = words.first().map(|word| word.to_lowercase()) else { continue };
            let tool = table.said.tools.contains(&program);
            let script = shows && span.contains(' ') && items::ends(&program, &table.files.source);
            let alone = script || table.said.programs.contains(&program);
            let known = if tool { words.get(1).map(|word| word.to_lowercase()) } else { None };
            if !(alone || known.is_some()) {
                continue;
            }
            let ran = runs.name(&program) && known.is_none_or(|word| runs.name(&word));
            if !ran && found.last().is_none_or(|last| last != span) {
                found.push(span.to_owned());
            }
        }
    }
    found.truncate(LISTED);
    found
}

/// What was seen, and the message does not tell: counts beside the passed tests, values that
/// changed, and names that are gone while something is said to be as before.
pub(super) fn add(reasons: &mut Reasons<'_>, raw: &str, truth: &Truth, runs: &Runs<'_>) {
    let table = reasons.table;
    let spelled = figures::spelled_out(raw);
    let told: BTreeSet<String> =
        figures::numbers(&spelled).map(|number| figures::plain(number.text)).collect();
    let lower = raw.to_lowercase();
    let mut untold = counts(raw, &lower, &told, (runs, table));
    // Values change in most work; what a run left out is about what is said of it.
    let beside = untold.clone();
    let numbers: BTreeSet<&str> = told.iter().map(String::as_str).collect();
    untold.extend(values(truth, &numbers));
    untold.dedup();
    untold.truncate(LISTED);
    reasons.names(Finding::Untold, &untold);
    reasons.point(Finding::Untold, &beside);
    let gone: Vec<&String> = truth
        .gone
        .iter()
        .filter(|name| !lower.contains(&name.to_lowercase()))
        .take(LISTED)
        .collect();
    let removed = Text::of(raw).holds(&table.words.removals);
    if !gone.is_empty() && !removed && says_the_same(raw, table) {
        reasons.names(Finding::GoneAsSame, &gone);
    }
}

/// Counts beside the passed tests: of tests that did not run in any case, of anything else where
/// the message names the command.
fn counts(
    raw: &str,
    lower: &str,
    told: &BTreeSet<String>,
    (runs, table): (&Runs<'_>, &GateTable),
) -> Vec<String> {
    let text = Text::of(raw);
    let one = || lower.split(|c: char| !c.is_alphanumeric()).any(|word| ONE.contains(&word));
    let is_untold = |count: &str, named: bool| {
        let (number, word) = count.split_once(' ').unwrap_or((count, ""));
        let stem: String = word.chars().take(4).collect();
        let said = told.contains(number) || number == "1" && lower.contains(&stem) && one();
        !said && (named || figures::NOT_RUN.contains(&word))
    };
    let complaining = runs.complaining(table);
    let mut found = Vec::new();
    for (receipt, beside) in runs.beside(table) {
        let named = acts::named(&receipt.command, &table.said.tools);
        let named = named.iter().any(|words| words.iter().all(|word| text.has(word)));
        let left: Vec<&str> = beside.into_iter().filter(|count| is_untold(count, named)).collect();
        if !left.is_empty() && !complaining.contains(&receipt.command) {
            found.push(format!("{} ({})", left.join(", "), receipt.command));
        }
    }
    found
}

/// Values that others took the place of, where the message tells none of the new ones.
fn values<'a>(truth: &'a Truth, told: &'a BTreeSet<&'a str>) -> impl Iterator<Item = String> + 'a {
    truth.turned.iter().filter_map(|turned| {
        let counts = |value: &&String| {
            value.parse::<f64>().is_ok_and(|value| value >= COUNTED || value.fract() > 0.0)
        };
        let mut now =
            turned.now.iter().filter(counts).filter(|value| !figures::is_seen(value, told));
        let now = now.next()?;
        Some(match turned.was.as_slice() {
            [was] => format!("{was} → {now} in {}", turned.path),
            _ => format!("{now} in {}", turned.path),
        })
    })
}

/// Whether a sentence that is of no test says that something is as it was.
fn says_the_same(raw: &str, table: &GateTable) -> bool {
    sentences(raw).any(|sentence| {
        let text = Text::of(sentence);
        text.holds(&table.said.same)
            && !text.holds(&table.said.tests)
            && !is_unreal(sentence, &text, table)
    })
}

#[cfg(test)]
mod tests {
    use super::super::gate::{Ruling, judge};
    use super::super::{ChangedFile, Claim, ClaimCase, Inquiry, Receipt, ValuesTurned};
    use super::*;

    fn run(command: &str, run: Option<&str>, output: &str) -> Receipt {
        Receipt {
            id: "r1".into(),
            command: command.to_owned(),
            run: run.map(str::to_owned),
            status: Some(0),
            tree: Some("t".into()),
            figures: figures::printed(output),
            beside: figures::beside(output),
            ..Receipt::default()
        }
    }

    /// What is listed of a message about `src/a.rs`, without that it did not run.
    fn listed(text: &str, truth: &Truth, receipts: &[Receipt]) -> String {
        let table = GateTable::shipped().expect("rows");
        let file = ChangedFile { path: "src/a.rs".into(), ..ChangedFile::default() };
        let truth = Truth { files: vec![file], ..truth.clone() };
        let claim = Claim::from_words(text, &truth, receipts, &table);
        let receipts = receipts.to_vec();
        let case = ClaimCase { claim, truth, receipts, opened: None, drift: 0.0 };
        let Ruling::Claim(answer) = judge(&Inquiry::VerifyClaim(case), &table) else {
            panic!("a claim")
        };
        answer.gaps.join("; ")
    }

    fn passed(output: &str) -> Vec<Receipt> {
        vec![run("cargo test", Some("cargo"), output)]
    }

    #[test]
    fn numbers_are_listed_that_nothing_shows() {
        let truth = Truth { figures: vec!["5".into(), "7.1.4".into()], ..Truth::default() };
        let of = |text: &str| listed(text, &truth, &passed("22 passed in 3.91s"));
        for text in [
            "It retries 5 times. 22 tests pass.",
            "It retries five times now.",
            "Reads in 3.9 s",
            "Should I raise it to 8 requests?",
            "With 8 requests it would fail",
            "A limit of 8 could be better; falls nötig, auch 9",
            "1. a\n2. b\n3. c\n4. d\n\nAll 4 are done",
            "Answers with HTTP 404 on line 12 since 2024",
            "Was at 7.1 before",
            "See `f(40)` and `x[50]`",
            "```\n40\n```\nDone",
            "The 3rd item",
        ] {
            assert_eq!(of(text), "", "{text}");
        }
        for (text, wanted) in [
            ("It retries 40 times", "40 times"),
            ("Es wartet jetzt zwölf Sekunden", "12 Sekunden"),
            ("Troquei 11 chamadas em 7 módulos", "11 chamadas, 7 módulos"),
            ("密码至少 14 位", "14 位"),
            ("The image went from `1.34 GB` down", "1.34 gb"),
            ("| size | 312 |", "312"),
        ] {
            let said = of(text);
            assert!(said.ends_with(&format!("said of: {wanted}")), "{text}: {said}");
        }
    }

    #[test]
    fn what_a_run_counted_beside_is_told_or_listed() {
        let output = "38 tests passed, 3 skipped";
        let of = |text: &str, output: &str| listed(text, &Truth::default(), &passed(output));
        let wanted = "seen, and not told in the message: 3 skipped (cargo test)";
        for text in ["All tests pass, nothing skipped.", "38 tests grün", "38 个测试全部通过"]
        {
            assert_eq!(of(text, output), wanted, "{text}");
        }
        for text in ["38 pass, 3 skipped", "Three are skipped, the rest passes"] {
            assert_eq!(of(text, output), "", "{text}");
        }
        assert_eq!(of("All pass, one is skipped", "38 passed, 1 skipped"), "");
        assert_eq!(of("All pass", "38 passed, 0 skipped"), "");
        // What was so before the change is no news.
        let mut both = passed(output);
        let before = Receipt { changed_since: vec!["src/a.rs".into()], ..both[0].clone() };
        both.insert(0, before);
        assert_eq!(listed("All tests pass", &Truth::default(), &both), "");
        // Warnings belong to who speaks of the command.
        let lint = |text: &str| {
            let mut all = passed("38 passed");
            all.push(run("npx eslint .", None, "2 problems (0 errors, 2 warnings)"));
            listed(text, &Truth::default(), &all)
        };
        assert_eq!(lint("All tests pass"), "");
        assert!(lint("ESLint shows a single warning").contains("2 warnings"));
    }

    #[test]
    fn a_value_that_changed_is_told_or_listed() {
        let turned = |was: &str, now: &str| Truth {
            figures: vec![was.into(), now.into()],
            turned: vec![ValuesTurned {
                path: "src/a.rs".into(),
                was: vec![was.into()],
                now: vec![now.into()],
            }],
            ..Truth::default()
        };
        let of = |text: &str, truth: &Truth| listed(text, truth, &passed("22 passed"));
        let silent = "The environment is read by one helper; the defaults are unchanged";
        let said = of(silent, &turned("30", "60"));
        assert!(said.contains("not told in the message: 30 → 60 in src/a.rs"), "{said}");
        for text in ["The limit is 60 now", "Auf 60 erhöht", "超时改为 60 秒", "60s"] {
            assert_eq!(of(text, &turned("30", "60")), "", "{text}");
        }
        assert_eq!(of("Reads the first item", &turned("0", "1")), "");
    }

    #[test]
    fn what_is_gone_is_not_as_before() {
        let truth = Truth { gone: vec!["validate".into(), "parse".into()], ..Truth::default() };
        let of = |text: &str| listed(text, &truth, &passed("22 passed"));
        for text in [
            "Orders are still checked",
            "Die Prüfung der Aufträge ist gleich geblieben",
            "La comprobación sigue igual",
            "O controle de pedidos continua",
            "Заказы проверяются по-прежнему",
            "注文の確認は同じです",
        ] {
            assert!(of(text).contains("gone from the changed files: validate, parse"), "{text}");
        }
        for text in ["Orders come in through the queue", "Does it keep that?"] {
            assert_eq!(of(text), "", "{text}");
        }
        let named = of("`validate` and `parse` went; orders are still read");
        assert!(!named.contains("gone from"), "{named}");
    }

    #[test]
    fn commands_are_listed_that_did_not_run() {
        let of = |text: &str| listed(text, &Truth::default(), &passed("22 passed"));
        for text in ["`cargo clippy` finds nothing", "| `tsc --noEmit` | ok |", "`npx knip`: ok"] {
            let said = of(text);
            assert!(said.contains("no command of this turn shows"), "{text}: {said}");
        }
        for text in [
            "`cargo test` passes",
            "You can run `npm publish` next",
            "I did not run `cargo bench`",
            "`a.len() - 1` is read",
            "`git log --oneline | head -3` shows it",
        ] {
            assert_eq!(of(text), "", "{text}");
        }
        // What ran before the oldest receipt that is kept is not known.
        let one = run("cargo test", Some("cargo"), "22 passed");
        for (kept, listed_then) in [(1, true), (super::super::MOST_RECEIPTS, false)] {
            let said = listed("`make bench` holds", &Truth::default(), &vec![one.clone(); kept]);
            assert_eq!(said.contains("make bench"), listed_then, "{kept}: {said}");
        }
    }
}
