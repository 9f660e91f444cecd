//! Figures: numbers that a message tells with a unit, against those that commands printed and
//! those on lines that changed.
//!
//! A receipt keeps no output, only the numbers in it: short ones, so that no token or number of
//! an account is among them.

use std::collections::BTreeSet;

use super::turned::Moved;

/// The most numbers that are kept of one output, from its end on.
const KEPT: usize = 64;

/// The most numbers that are kept of a difference.
const CHANGED: usize = 256;

/// The most digits of a number that is kept.
const DIGITS: usize = 7;

/// The most digits of a whole number that is kept of an output.
const WHOLE: usize = 4;

/// Units of what is measured; what counts tests is one as well.
const UNITS: [&str; 30] = [
    "%",
    "ms",
    "µs",
    "μs",
    "us",
    "ns",
    "s",
    "sec",
    "secs",
    "seconds",
    "sekunden",
    "segundos",
    "secondes",
    "kb",
    "mb",
    "gb",
    "kib",
    "mib",
    "gib",
    "fps",
    "rps",
    "qps",
    "req/s",
    "x",
    "×",
    "percent",
    "prozent",
    "秒",
    "ミリ秒",
    "毫秒",
];

/// Units that count tests.
const TESTS: [&str; 10] = [
    "tests",
    "specs",
    "examples",
    "assertions",
    "passed",
    "passing",
    "scenarios",
    "testes",
    "pruebas",
    "тестов",
];

/// The most lines that are looked at for words of failure, from the end on.
const LINES: usize = 40;

/// Words of failure in what a command prints.
const FAILURE: [&str; 14] = [
    "error",
    "errors",
    "failed",
    "failure",
    "failures",
    "fail",
    "fatal",
    "missing",
    "panicked",
    "violations",
    "✗",
    "✘",
    "✖",
    "unreachable",
];

/// Words for tests in what a command prints, behind a number of them or beside a good end.
const OF_TESTS: [&str; 14] = [
    "test",
    "tests",
    "spec",
    "specs",
    "suite",
    "suites",
    "example",
    "examples",
    "assertions",
    "scenarios",
    "checks",
    "testes",
    "pruebas",
    "тестов",
];

/// Words of a good end in what a command prints.
const GOOD: [&str; 10] =
    ["ok", "pass", "passed", "passing", "passes", "success", "succeeded", "green", "✓", "✔"];

/// The most counts that are kept beside one run.
const MOST_BESIDE: usize = 6;

/// Words for tests that did not run to a good end, behind the number of them.
pub(super) const NOT_RUN: [&str; 9] = [
    "skipped",
    "ignored",
    "pending",
    "todo",
    "excluded",
    "xfailed",
    "flaky",
    "disabled",
    "incomplete",
];

/// Words for what else is not well, behind the number of it.
const UNWELL: [&str; 15] = [
    "warning",
    "warnings",
    "error",
    "errors",
    "problem",
    "problems",
    "issue",
    "issues",
    "missing",
    "violations",
    "offenses",
    "vulnerabilities",
    "hints",
    "leaks",
    "conflicts",
];

/// Words with which such a line says that there was none.
const NONE: [&str; 6] = ["0", "no", "zero", "without", "ok", "passed"];

/// A number, and where it ends in its text.
pub(super) struct Number<'t> {
    pub text: &'t str,
    end: usize,
}

/// The numbers of a text that are no parts of words, versions or dates.
pub(super) fn numbers(text: &str) -> impl Iterator<Item = Number<'_>> {
    let digit = |c: char| c.is_ascii_digit();
    let part = move |c: char| digit(c) || c == '.' || c == ',';
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let start = from + text[from..].find(digit)?;
            let long = text[start..].find(|c| !part(c)).unwrap_or(text.len() - start);
            let end = start + text[start..start + long].trim_end_matches(['.', ',']).len();
            from = start + long;
            let before = text[..start].chars().next_back();
            let joined = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '/' | '#');
            let number = &text[start..end];
            let parts = number.split(['.', ',']).count();
            if !before.is_some_and(joined) && parts < 3 && number.len() <= DIGITS {
                return Some(Number { text: number, end });
            }
        }
    })
}

pub(super) fn plain(number: &str) -> String {
    number.replace(',', ".")
}

/// The numbers of an output, as a receipt keeps them.
pub fn printed(output: &str) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    let all: Vec<Number<'_>> = numbers(output).collect();
    // Long whole numbers may be codes or accounts.
    let short =
        |number: &&Number<'_>| number.text.len() <= WHOLE || number.text.contains(['.', ',']);
    for number in all.iter().rev().filter(short) {
        let number = plain(number.text);
        if kept.len() < KEPT && !kept.contains(&number) {
            kept.push(number);
        }
    }
    kept
}

/// Whether an output tells of a failure near its end, whatever its status was.
pub fn complains(output: &str) -> bool {
    let part = |c: char| !(c.is_alphanumeric() || "✗✘✖".contains(c));
    output.lines().rev().take(LINES).any(|line| {
        let line = line.to_lowercase();
        let words: Vec<&str> = line.split(part).filter(|word| !word.is_empty()).collect();
        words.iter().any(|word| FAILURE.contains(word))
            && !words.iter().any(|word| NONE.contains(word))
    })
}

/// Whether an output tells near its end of tests that went well, as a runner does that no row
/// knows: `12 passed`, `3 checks ok`, `ok 4 - adds`, `PASS src/a.test.js`.
pub fn tells_tests(output: &str) -> bool {
    let part = |c: char| !(c.is_alphanumeric() || "✓✔".contains(c));
    output.lines().rev().take(LINES).any(|line| {
        let line = line.to_lowercase();
        let words: Vec<&str> = line.split(part).filter(|word| !word.is_empty()).collect();
        let digits = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit());
        let counts = |two: &[&str]| {
            digits(&two[0]) && (two[1].starts_with("pass") || OF_TESTS.contains(&two[1]))
        };
        let none = |two: &[&str]| {
            let bad = |word: &str| word.starts_with("fail") || word.starts_with("error");
            two[0] == "0" && bad(two[1]) || bad(two[0]) && two[1] == "0"
        };
        let good = words.iter().any(|word| GOOD.contains(word));
        words.windows(2).any(|two| counts(two) || none(two))
            || good && words.iter().any(|word| OF_TESTS.contains(word))
            || words.len() > 1 && ["ok", "pass", "✓", "✔"].contains(&words[0])
    })
}

/// What an output counts beside what is well, near its end: `3 skipped`, `2 warnings`.
pub fn beside(output: &str) -> Vec<String> {
    let mut found: Vec<(String, &str)> = Vec::new();
    let marks = |c: char| !(c.is_alphanumeric() || c == ':' || c == '.');
    for line in output.lines().rev().take(LINES) {
        let lower = line.to_lowercase();
        let words: Vec<&str> =
            lower.split_whitespace().map(|word| word.trim_matches(marks)).collect();
        for (at, word) in words.iter().enumerate() {
            let bare = word.trim_end_matches([':', '.']);
            let mut kinds = NOT_RUN.iter().chain(&UNWELL);
            let Some(kind) = kinds.find(|kind| **kind == bare) else { continue };
            let Some(count) = counted(&words, at) else { continue };
            let is_new = !found.iter().any(|(_, known)| known == kind);
            if count.len() <= WHOLE && !count.trim_start_matches('0').is_empty() && is_new {
                found.push((count.to_owned(), kind));
            }
        }
    }
    // What a compiler does not count itself: `a.c:6:9: warning: unused variable`.
    let warns = |line: &&str| line.contains(": warning: ") || line.starts_with("warning: ");
    let warned = output.lines().rev().take(LINES).filter(warns).count();
    if warned > 0 && !found.iter().any(|(_, kind)| kind.starts_with("warning")) {
        found.push((warned.to_string(), if warned == 1 { "warning" } else { "warnings" }));
    }
    found.truncate(MOST_BESIDE);
    found.into_iter().map(|(count, kind)| format!("{count} {kind}")).collect()
}

/// The number of the word `at`: before it, or behind a colon.
fn counted<'w>(words: &[&'w str], at: usize) -> Option<&'w str> {
    let digits = |word: &&'w str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
    if words[at].ends_with(':') {
        return words.get(at + 1).copied().filter(digits);
    }
    let mut before = words[..at].iter().rev().copied();
    let last = before.next()?;
    if digits(&last) {
        return Some(last);
    }
    // `3 tests skipped`
    let of_tests = TESTS.contains(&last) || last == "test";
    before.next().filter(digits).filter(|_| of_tests)
}

/// The numbers on lines that came or went, and how many of them there are in each file.
pub(super) fn changed(moved: &[Moved<'_>]) -> Vec<String> {
    let mut found = BTreeSet::new();
    let mut counts = BTreeSet::new();
    for one in moved {
        counts.extend([one.gone.len(), one.came.len()].map(|count| count.to_string()));
        for line in one.gone.iter().chain(&one.came) {
            found.extend(line_numbers(line));
        }
    }
    counts.retain(|count| count != "0" && !found.contains(count));
    let found = counts.into_iter().take(CHANGED / 4).chain(found);
    found.take(CHANGED).collect()
}

/// In code numbers stand in words, and with `_` inside.
fn line_numbers(line: &str) -> impl Iterator<Item = String> + '_ {
    let parts = line.split(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '_' | ',')));
    let parts = parts.map(|part| part.trim_matches(['.', '_', ',']).replace('_', ""));
    parts.filter(|part| !part.is_empty() && part.len() <= DIGITS).map(|part| plain(&part))
}

/// Figures that a text tells and that stand in none of `seen`; none where shares alone are left
/// that others which were seen come to.
pub(super) fn unseen(text: &str, seen: &BTreeSet<&str>) -> Vec<String> {
    let (known, unknown): (Vec<_>, Vec<_>) =
        told(text).into_iter().partition(|(number, _)| stands_in(number, seen));
    let share = |unit: &str| matches!(unit, "%" | "x" | "×" | "percent" | "prozent");
    let measured = known.iter().any(|(_, unit)| !TESTS.contains(&unit.as_str()));
    if measured && unknown.iter().all(|(_, unit)| share(unit)) {
        return Vec::new();
    }
    let mut names: Vec<String> =
        unknown.into_iter().map(|(number, unit)| format!("{number} {unit}")).collect();
    names.dedup();
    names
}

/// Whether a number with its unit counts tests.
pub(super) fn counts_tests(figure: &str) -> bool {
    figure.rsplit(' ').next().is_some_and(|unit| TESTS.contains(&unit))
}

/// Whether a number was seen, as it is or rounded.
fn stands_in(number: &str, seen: &BTreeSet<&str>) -> bool {
    let number = plain(number);
    seen.contains(number.as_str()) || seen.iter().any(|other| rounds_to(other, &number))
}

/// The same, or all of its parts were.
pub(super) fn is_seen(number: &str, seen: &BTreeSet<&str>) -> bool {
    let mut parts = number.split(['.', ',']);
    let begins = |other: &&str| other.strip_prefix(number).is_some_and(|end| end.starts_with('.'));
    stands_in(number, seen)
        || number.contains(['.', ','])
            && (parts.all(|one| seen.contains(one)) || seen.iter().any(begins))
}

/// A number that a sentence tells of something.
pub(super) struct Plain<'t> {
    pub text: &'t str,
    pub value: f64,
    /// The word behind it.
    pub thing: &'t str,
}

/// The numbers of a sentence that are no names (`line 12`, `HTTP 404`, `Python 3.12`), no years,
/// and none in a row (`3rd`).
pub(super) fn plain_numbers(sentence: &str) -> impl Iterator<Item = Plain<'_>> {
    numbers(sentence).filter_map(move |number| {
        let value: f64 = plain(number.text).parse().ok()?;
        let start = number.end - number.text.len();
        let before = sentence[..start].trim_end_matches([' ', '*', '_', '\u{a0}']);
        let word = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        let first = is_first(&before[..before.len() - word.len()]);
        let capital = word.is_ascii() && word.starts_with(|c: char| c.is_ascii_uppercase());
        let name = capital && !first || NAMES.contains(&word.to_lowercase().as_str());
        let behind = &sentence[number.end..];
        let joined = ["st", "nd", "rd", "th", "行", "º", "ª", "."].iter().any(|end| {
            behind
                .strip_prefix(end)
                .is_some_and(|rest| rest.starts_with(char::is_alphanumeric) == (*end == "."))
        });
        let year = (1900.0..2100.0).contains(&value) && value.fract() == 0.0;
        let rest = behind.trim_start_matches([' ', '*', '_', '\u{a0}', '\u{202f}', '-']);
        let near = behind.len() - rest.len() < 4;
        let long = rest.find(|c: char| !(c.is_alphanumeric() || c == '%')).unwrap_or(rest.len());
        let thing = if near { &rest[..long] } else { "" };
        let thing = if thing.chars().count() < 24 { thing } else { "" };
        (!name && !joined && !year).then_some(Plain { text: number.text, value, thing })
    })
}

/// Whether no word stands in front: what lies further back than this is another sentence's.
fn is_first(before: &str) -> bool {
    const NEAR: usize = 64;
    !before.chars().rev().take(NEAR).any(char::is_alphanumeric)
}

/// Numbers with a unit behind them, each with its unit.
fn told(text: &str) -> Vec<(&str, String)> {
    let unit = |number: &Number<'_>| {
        let rest = text[number.end..].trim_start_matches([' ', '\u{a0}', '\u{202f}']);
        let near = text.len() - number.end - rest.len() < 4;
        let first = rest.chars().next()?;
        let words = rest.split(|c: char| !(c.is_alphanumeric() || c == '/'));
        let words: Vec<String> = match first {
            '%' | '×' => vec![first.to_string()],
            _ => words.take(2).map(str::to_lowercase).collect(),
        };
        let of_tests = |word: &&String| TESTS.contains(&word.as_str());
        let is = |word: &&String| UNITS.contains(&word.as_str()) || of_tests(word);
        let word = words.first().filter(is).or_else(|| words.get(1).filter(of_tests))?;
        // A few tests are counted by hand: those that were added.
        let few = of_tests(&word) && !word.starts_with("pass") && number.text.len() < 2;
        (near && !few).then(|| word.clone())
    };
    numbers(text).filter_map(|number| Some((number.text, unit(&number)?))).collect()
}

/// The least whole number of things that nobody counts by hand.
const MANY: usize = 10;

/// Words before a number that make it a name.
const NAMES: [&str; 34] = [
    "line",
    "lines",
    "zeile",
    "zeilen",
    "línea",
    "ligne",
    "linha",
    "строка",
    "строке",
    "port",
    "issue",
    "ticket",
    "pr",
    "step",
    "section",
    "rfc",
    "http",
    "https",
    "error",
    "code",
    "exit",
    "version",
    "python",
    "node",
    "java",
    "php",
    "ruby",
    "django",
    "chapter",
    "page",
    "level",
    "phase",
    "day",
    "uid",
];

/// What is known of the things that a text counts.
pub(super) struct Counted<'a> {
    /// Numbers that were printed or stand on changed lines.
    pub seen: &'a BTreeSet<&'a str>,
    /// Files that changed.
    pub files: usize,
    /// Tests in them, as far as their language tells; none where it does not.
    pub tests: usize,
    pub of_files: &'a dyn Fn(&str) -> bool,
    pub of_tests: &'a dyn Fn(&str) -> bool,
}

/// Counts of things that nothing shows: large ones, and numbers of files or of new tests above
/// those that changed.
pub(super) fn uncounted(text: &str, known: &Counted<'_>) -> Vec<String> {
    let text = spelled_out(text);
    let of = |number: Number<'_>| {
        let count: usize = number.text.parse().ok()?;
        let start = number.end - number.text.len();
        let before = text[..start].trim_end_matches([' ', '*', '_', '\u{a0}']);
        let word = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        let inside = text[..start].ends_with(['`', '(', '=', '<', '>', '~', ':', '.']);
        let rest = text[number.end..].trim_start_matches([' ', '*', '_', '\u{a0}', '\u{202f}']);
        let near = text.len() - number.end - rest.len() < 4;
        let letters = |c: &char| c.is_alphabetic() || *c == '-';
        let thing: String = rest.chars().take_while(letters).take(24).collect();
        let behind = rest[thing.len()..].trim_start();
        let next: String = behind.chars().take_while(letters).take(24).collect();
        let is_name = NAMES.contains(&word.to_lowercase().as_str()) || inside;
        let year = (1900..2100).contains(&count);
        if !near || is_name || year || thing.chars().count() < 2 || JOINTS.contains(&&*thing) {
            return None;
        }
        let is = |of: &dyn Fn(&str) -> bool| of(&thing) || of(&next);
        let above = |most: usize| most > 0 && count > most;
        let too_many =
            is(known.of_files) && above(known.files) || is(known.of_tests) && above(known.tests);
        let unseen = !known.seen.contains(number.text);
        ((count >= MANY || too_many) && unseen).then(|| format!("{count} {thing}"))
    };
    let mut found: Vec<String> = numbers(&text).filter_map(of).collect();
    found.dedup();
    found
}

/// Words behind a number that counts nothing: `7200 and now`.
const JOINTS: [&str; 20] = [
    "and", "or", "to", "now", "in", "on", "for", "with", "but", "instead", "as", "at", "is", "was",
    "the", "then", "by", "from", "if", "when",
];

/// Numbers that are written as words.
const WORDS: [(&str, &str); 66] = [
    ("two", "2"),
    ("three", "3"),
    ("four", "4"),
    ("five", "5"),
    ("six", "6"),
    ("seven", "7"),
    ("eight", "8"),
    ("nine", "9"),
    ("ten", "10"),
    ("eleven", "11"),
    ("twelve", "12"),
    ("thirteen", "13"),
    ("fourteen", "14"),
    ("fifteen", "15"),
    ("sixteen", "16"),
    ("seventeen", "17"),
    ("eighteen", "18"),
    ("nineteen", "19"),
    ("twenty", "20"),
    ("thirty", "30"),
    ("forty", "40"),
    ("fifty", "50"),
    ("sixty", "60"),
    ("seventy", "70"),
    ("eighty", "80"),
    ("ninety", "90"),
    ("zwei", "2"),
    ("drei", "3"),
    ("vier", "4"),
    ("fünf", "5"),
    ("sechs", "6"),
    ("sieben", "7"),
    ("acht", "8"),
    ("neun", "9"),
    ("zehn", "10"),
    ("zwölf", "12"),
    ("tres", "3"),
    ("cuatro", "4"),
    ("cinco", "5"),
    ("seis", "6"),
    ("siete", "7"),
    ("ocho", "8"),
    ("nueve", "9"),
    ("diez", "10"),
    ("doce", "12"),
    ("deux", "2"),
    ("trois", "3"),
    ("quatre", "4"),
    ("cinq", "5"),
    ("sept", "7"),
    ("huit", "8"),
    ("dix", "10"),
    ("douze", "12"),
    ("dois", "2"),
    ("três", "3"),
    ("quatro", "4"),
    ("sete", "7"),
    ("oito", "8"),
    ("nove", "9"),
    ("dez", "10"),
    ("два", "2"),
    ("три", "3"),
    ("четыре", "4"),
    ("пять", "5"),
    ("шесть", "6"),
    ("десять", "10"),
];

/// A text with such words as digits.
pub(super) fn spelled_out(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(char::is_alphanumeric) {
        out.push_str(&rest[..start]);
        let tail = &rest[start..];
        let long = tail.find(|c: char| !c.is_alphanumeric()).unwrap_or(tail.len());
        let (word, lower) = (&tail[..long], tail[..long].to_lowercase());
        // A name in capitals and `two-fold` are no numbers.
        let plain = word != word.to_uppercase() && !tail[long..].starts_with('-');
        let digits = WORDS.iter().find(|(spelled, _)| plain && *spelled == lower);
        out.push_str(digits.map_or(word, |(_, digits)| digits));
        rest = &tail[long..];
    }
    out + rest
}

/// Whether a number that was printed is another one, rounded or in thousands.
fn rounds_to(printed: &str, number: &str) -> bool {
    let (Ok(exact), Ok(near)) = (printed.parse::<f64>(), number.parse::<f64>()) else {
        return false;
    };
    let places = number.split_once('.').map_or(0, |(_, places)| places.len());
    let places = i32::try_from(places).unwrap_or(0);
    let reach = 0.51 * 10f64.powi(-places);
    [exact, exact / 1000.0, exact * 1000.0, exact / 1024.0]
        .into_iter()
        .any(|exact| (exact - near).abs() <= reach)
}

#[cfg(test)]
mod tests {
    use super::super::truth::Piece;
    use super::*;

    #[test]
    fn figures_are_looked_for_where_they_were_printed() {
        let output = "Time: 41.4 ns  p99 1,204 ms\n94.31 % covered, v1.2.3 at 2026-11-26 id ab12";
        let kept = printed(output);
        let seen: BTreeSet<&str> = kept.iter().map(String::as_str).collect();
        let of = |text: &str| unseen(text, &seen);
        assert!(printed("code 482913, 1234 done") == ["1234"], "no codes");
        assert!(of("it takes 41 ns, and 1.2 s at p99").is_empty());
        assert!(of("coverage is 94 %").is_empty());
        assert_eq!(of("coverage is 97 %"), ["97 %"]);
        assert_eq!(of("down to 12 ms and 3x faster"), ["12 ms", "3 x"]);
        assert!(of("41.4ns, so 30% faster").is_empty(), "a share of what was seen");
        assert_eq!(of("83 tests, 0 failures"), ["83 tests"]);
        assert!(of("added 3 tests").is_empty(), "counted by hand");
        assert!(of("see issue #12 s, step 3 and v2.0.1").is_empty());
    }

    #[test]
    fn an_output_tells_of_failure_by_its_last_lines() {
        for (output, wanted) in [
            ("en -> de: 2 missing (shop.refund)", true),
            ("ERROR: Coverage does not meet threshold", true),
            ("12 passed, 0 failed", false),
            ("no errors found", false),
            ("test handles_missing_file ... ok", false),
            ("built in 2.31s", false),
        ] {
            assert_eq!(complains(output), wanted, "{output}");
        }
    }

    #[test]
    fn an_output_tells_of_tests_by_its_last_lines() {
        for (output, wanted) in [
            ("12 passed, 0 failed", true),
            ("ran 4 suites in 2 s", true),
            ("All checks ok", true),
            ("ok 1 - adds two numbers", true),
            ("PASS src/cart.test.js", true),
            ("  ✓ adds (2 ms)", true),
            ("web01: ok=3 changed=1 failed=0", true),
            ("Failed : 0", true),
            ("", false),
            ("1", false),
            ("GNU Make 4.3\nCopyright (C) 1988-2020 Free Software Foundation", false),
            ("    Finished `dev` profile in 2.31s", false),
            ("Hello from Docker! 1. The client contacted the daemon.", false),
            ("BUILD SUCCESSFUL in 3s, 7 actionable tasks", false),
        ] {
            assert_eq!(tells_tests(output), wanted, "{output}");
        }
    }

    #[test]
    fn numbers_of_a_difference_are_those_of_its_lines() {
        let piece = Piece {
            path: "a.rs".into(),
            was: None,
            how: super::super::How::Modified,
            before: Some(b"const A: u64 = 5;\nlet same = 77;\n".to_vec()),
            after: Some(b"const A: u64 = 30_000;\nlet same = 77;\n".to_vec()),
        };
        assert_eq!(changed(&[Moved::of(&piece)]), ["1", "30000", "5", "64"]);
    }
}
