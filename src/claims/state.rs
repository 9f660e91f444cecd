//! What a sentence says that a file is like, where the file did not change.
//!
//! No list of words stands before what is listed: in English a name that leads its clause and a
//! word that ends in `s` are a statement about it. What is sent back is only known by words.

use super::items::ends;
use super::phrases::Text;
use super::sure;
use super::table::GateTable;

/// Words behind a file's name that end in `s` and say nothing of it.
const NOUNS: [&str; 12] = [
    "tests",
    "changes",
    "lines",
    "files",
    "docs",
    "functions",
    "cases",
    "errors",
    "fails",
    "passes",
    "less",
    "across",
];

/// The part of a sentence up to a comma in which `file` stands.
fn clause<'s>(sentence: &'s str, file: &str) -> Option<&'s str> {
    sentence.split([',', ';', '，', '；', '、']).find(|clause| clause.contains(file))
}

/// Whether the name of `file` leads the clause; what stands behind it.
fn led<'c>(clause: &'c str, file: &str, table: &GateTable) -> Option<&'c str> {
    let (before, behind) = clause.split_once(file)?;
    // Somebody's words, and a part of a longer name.
    let quoted = before.trim_end().ends_with(['"', '“', '«', '„', '「', '\'']);
    let leads = &table.said.leads;
    (!quoted && Text::of(before).words().all(|word| Text::of(word).holds(leads))).then_some(behind)
}

/// Whether a clause says nothing of now: it takes back, only supposes, or names in passing.
fn is_loose(clause: &str, table: &GateTable) -> bool {
    let (text, rows) = (Text::of(clause), &table.said);
    sure::denies(clause, table)
        || [&rows.aside, &rows.unreal, &rows.unchanged].iter().any(|row| text.holds(row))
}

/// Whether a sentence of `raw` says what `file` is like now, or that something stands in it.
pub(super) fn is_told(raw: &str, sentence: &str, file: &str, table: &GateTable) -> bool {
    let Some(clause) = clause(sentence, file).filter(|_| !is_asked(raw, sentence)) else {
        return false;
    };
    if is_loose(clause, table) {
        return false;
    }
    let rows = &table.said;
    let verb = |word: &str| {
        let english = word.len() > 3 && word.is_ascii() && word.ends_with('s');
        english && !NOUNS.contains(&word) || Text::of(word).holds(&rows.states)
    };
    let behind = led(clause, file, table).is_some_and(|behind| {
        let text = Text::of(behind);
        let of_now = text.holds(&rows.now);
        let mut words = text.words().filter(|word| !Text::of(word).holds(&rows.leads));
        of_now || words.next().is_some_and(verb)
    });
    // "it is documented in docs/usage.md"
    behind || clause.split_once(file).is_some_and(|(before, _)| stands_in(before, table))
}

/// Whether what stands before a name says that something stands in it.
fn stands_in(before: &str, table: &GateTable) -> bool {
    let tail: Vec<&str> = before.split_whitespace().rev().take(3).collect();
    let tail: Vec<&str> = tail.into_iter().rev().collect();
    Text::of(&tail.join(" ")).holds(&table.said.states)
}

/// Whether a clause says that a text that it names says now what it did not say before.
pub(super) fn is_new(clause: &str, file: &str, table: &GateTable) -> bool {
    let rows = &table.said;
    ends(file, &table.files.prose)
        && !is_loose(clause, table)
        && led(clause, file, table).is_some_and(|behind| {
            let text = Text::of(behind);
            text.holds(&rows.now) && text.holds(&rows.tells)
        })
}

/// Whether a sentence of `raw` is a question, or stands in somebody's words.
fn is_asked(raw: &str, sentence: &str) -> bool {
    let at = sentence.as_ptr().addr().checked_sub(raw.as_ptr().addr());
    let behind = at.and_then(|at| raw.get(at + sentence.len()..));
    behind.is_some_and(|rest| rest.starts_with(['?', '？']))
        || sentence.trim_start().starts_with('>')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (the message, the file, listed as told, sent back as new)
    const SAID: [(&str, &str, bool, bool); 24] = [
        ("README.md now says small instead of smal", "README.md", true, true),
        ("README.md says small now", "README.md", true, true),
        ("`README.md` now reads small", "README.md", true, true),
        ("README.md sagt jetzt small", "README.md", true, true),
        ("README.md ahora dice small", "README.md", true, true),
        ("mean divides by the count, and docs/usage.md explains it", "docs/usage.md", true, false),
        ("docs/usage.md documents it", "docs/usage.md", true, false),
        ("tests/test_core.py covers the new behaviour", "tests/test_core.py", true, false),
        ("src/calc/cli.py rejects empty input now", "src/calc/cli.py", true, false),
        ("The flag is documented in docs/usage.md", "docs/usage.md", true, false),
        ("docs/guide.md beschreibt das", "docs/guide.md", true, false),
        ("README.md was not touched", "README.md", false, false),
        ("README.md still says smal", "README.md", false, false),
        ("README.md now needs a new example", "README.md", true, false),
        ("mean divides by the count, as README.md describes", "README.md", false, false),
        ("config.py already handles it", "config.py", false, false),
        ("Does README.md say small now?", "README.md", false, false),
        ("README.md explains it?", "README.md", false, false),
        ("> README.md now says small", "README.md", false, false),
        ("README.md would then say so", "README.md", false, false),
        ("see README.md", "README.md", false, false),
        ("the caller in cli.py is the same", "cli.py", false, false),
        ("cli.py calls it with a list", "cli.py", true, false),
        ("cli.py tests pass", "cli.py", false, false),
    ];

    #[test]
    fn what_a_file_is_said_to_be_like_is_told_from_its_name_alone() {
        let table = GateTable::shipped().expect("rows");
        for (raw, file, listed, new) in SAID {
            let sentence = super::super::ruling::sentences(raw)
                .find(|one| one.contains(file))
                .unwrap_or_else(|| panic!("{raw}"));
            assert_eq!(is_told(raw, sentence, file, &table), listed, "listed: {raw}");
            let clause = clause(sentence, file).expect("a clause");
            let asked = is_asked(raw, sentence);
            assert_eq!(!asked && is_new(clause, file, &table), new, "sent back: {raw}");
        }
    }
}
