//! `git-seed-rules(5)`, `git-seed-formats(5)`, `git-seed-memory(7)` and `git-seed-plans(7)`.
//!
//! They are made from `src/rules.md`, `src/formats.md`, `src/memory.md`, `src/plans.md` and the
//! tables themselves.
//!
//! What a key means stands once, as a comment where the key stands: in `src/rules.toml`
//! for rules, at the head of `src/phases/opevc.toml` for the keys of a phase. The page
//! takes it from there, so a new key is in it with the line that explains it.

use serde::de::DeserializeOwned;

use crate::memory::{knowledge, notes};
use crate::phases::{Class, OPEVC, PhaseKind, Reads, Write, gates};
use crate::phases::{companions, mcp};
use crate::rules::Rules;

const SOURCE: &str = include_str!("../rules.md");
const MEMORY: &str = include_str!("../memory.md");
const PLANS: &str = include_str!("../plans.md");
const FORMATS: &str = include_str!("../formats.md");

/// Keys of a row that only `seed.toml` has.
const OF_PROPOSALS: &str = "
#   track        the map that the row belongs to; when omitted, the map of new jobs (`track` of \
    the rules)
#   after        the row before it, which also gives the order of anchors; when omitted, a new \
    row comes after the last row that leads to it
#   like         in a track of your own: the shipped phase whose keys it begins with
";

/// Keys of rows with commands.
const OF_COMMANDS: &str = "
#   files        of `check`: the edited files that it is for. A pattern without a slash is \
    compared with the file's name, `docs/` means all files below, any other pattern starts at the \
    top of the work tree; `*` matches letters of one part, `**` any number of parts
#   when         of `tests`: the same, for files that changed since these tests ran last
#   run          the command, run from the top of the work tree. It is split into words once, \
    without a shell. In `check`, `{path}` is the edited file, always one word
#   shell        `true` passes `run` to sh
";

/// One or more keys, and what is said of them.
struct Entry {
    keys: Vec<String>,
    text: String,
}

/// git-seed-rules(5).
pub(super) fn rules() -> String {
    page("rules 5", SOURCE)
}

/// git-seed-formats(5).
pub(super) fn formats() -> String {
    page("formats 5", FORMATS)
}

/// git-seed-memory(7).
pub(super) fn memory() -> String {
    page("memory 7", MEMORY)
}

/// git-seed-plans(7).
pub(super) fn plans() -> String {
    page("plans 7", PLANS)
}

/// The section of a command's page with its examples, each as it is typed.
pub(super) fn examples(lines: &[&str]) -> String {
    let lines: String = lines.iter().map(|line| format!("{}\n", plain(line))).collect();
    [".SH EXAMPLES\n.RS 4\n.nf\n", &lines, ".fi\n.RE\n"].concat()
}

/// Commands with what they do, each by the name of its page.
pub(super) fn commands(commands: &[(String, String)]) -> String {
    let entry = |(name, about): &(String, String)| Entry {
        keys: vec![format!("git-seed-{name}(1)")],
        text: about.clone(),
    };
    list(&commands.iter().map(entry).collect::<Vec<_>>())
}

fn page(name: &str, source: &str) -> String {
    let mut page =
        format!(".TH git\\-seed\\-{name} 2026-11 \"git\\-seed {}\"\n", env!("CARGO_PKG_VERSION"));
    let mut code = false;
    let mut fresh = true;
    for line in source.lines() {
        if line.starts_with("```") {
            page += if code { ".fi\n.RE\n" } else { ".PP\n.RS 4\n.nf\n" };
            code = !code;
            fresh = true;
        } else if code {
            page += &format!("{}\n", plain(line));
        } else if line.is_empty() {
            fresh = true;
        } else if let Some(title) = line.strip_prefix("### ") {
            page += &format!(".SS {}\n", plain(title));
        } else if let Some(title) = line.strip_prefix("## ") {
            page += &format!(".SH {}\n", plain(title));
        } else if let Some(entry) = line.strip_prefix("* ").and_then(entry) {
            page += &list(&[entry]);
            fresh = true;
        } else if let Some(made) = made(line) {
            page += &made;
        } else {
            if fresh && !page.trim_end().ends_with("SH NAME") {
                page += ".PP\n";
            }
            fresh = false;
            page += &format!("{}\n", spoken(&named(line)));
        }
    }
    page
}

/// An entry of a list: names between backticks with commas between them, a colon, what they mean.
fn entry(line: &str) -> Option<Entry> {
    let (names, text) = line.split_once("`: ")?;
    let keys = names.strip_prefix('`')?.split("`, `").map(str::to_owned).collect();
    Some(Entry { keys, text: text.to_owned() })
}

/// A line with the names that a table knows.
fn named(line: &str) -> String {
    let types = || knowledge::TYPES.map(|word| format!("`{word}`")).join(", ");
    line.replace("{{gates}}", &gates::names()).replace("{{types}}", &types())
}

/// What a line asks for that is made from the tables.
fn made(line: &str) -> Option<String> {
    match line {
        "{{rules}}" => Some(rule_keys()),
        "{{phase}}" => Some(list(&phase_keys(OPEVC))),
        "{{notes}}" => Some(list(&phase_keys(notes::SHIPPED))),
        // One screen is wanted: no lines between the kinds.
        "{{kinds}}" => Some(format!(".PD 0\n{}.PD\n", list(&kinds()))),
        "{{commands}}" => Some(list(&phase_keys(OF_COMMANDS))),
        "{{mcp}}" => Some(list(&phase_keys(mcp::SHIPPED))),
        "{{companions}}" => Some(list(&phase_keys(companions::SHIPPED))),
        "{{keys of seed.toml}}" => Some(list(&phase_keys(OF_PROPOSALS))),
        _ => None,
    }
}

/// The keys of the rules, table by table, with their comments and shipped values.
fn rule_keys() -> String {
    let mut page = String::new();
    let mut comment: Vec<&str> = Vec::new();
    let mut lines = Rules::shipped_text().lines();
    while let Some(line) = lines.next() {
        if let Some(said) = line.strip_prefix('#') {
            comment.push(said.trim());
        } else if line.starts_with('[') {
            // What stands before a table is about the table.
            page += &format!(".SS {}\n", plain(line));
            page +=
                &comment.drain(..).map(|said| format!("{}\n", spoken(said))).collect::<String>();
        } else if let Some((key, value)) = line.split_once(" = ") {
            let mut value = value.to_owned();
            while value.starts_with('[') && !value.ends_with(']') {
                let Some(more) = lines.next() else { break };
                let space = if value.ends_with('[') || more == "]" { "" } else { " " };
                value = format!("{}{space}{}", value.trim_end_matches(", "), more.trim());
            }
            let value = value.replace(",]", "]");
            let text = format!("{} Shipped: `{value}`.", comment.join(" "));
            page += &list(&[Entry { keys: vec![key.to_owned()], text }]);
            comment.clear();
        } else {
            comment.clear();
        }
    }
    page
}

/// An example of each kind of note, what it asks for, and what shows that it was acted on.
fn kinds() -> Vec<Entry> {
    // A test reads them; a binary in which they do not read was never tested.
    let kinds = notes::Kinds::shipped().unwrap_or_else(|bad| unreachable!("notes.toml: {bad}"));
    let entry = |kind: &notes::NoteKind| {
        let crumbs: Vec<&str> = kind.crumbs.iter().map(|crumb| crumb.said()).collect();
        let by = kind.consumer.as_ref().map(|agent| format!("`{agent}`; ")).unwrap_or_default();
        let text = format!("{} ({by}{})", kind.means, crumbs.join(" or "));
        Entry { keys: vec![kind.example.clone()], text }
    };
    kinds.all().iter().map(entry).collect()
}

/// The keys of a phase, from the lines `#   key, key   what they say` of a table's head. A line
/// that stands further in goes on with what the one before it says.
fn phase_keys(head: &str) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for line in head.lines().filter_map(|line| line.strip_prefix("#   ")) {
        if let (true, Some(last)) = (line.starts_with(' '), entries.last_mut()) {
            last.text += &format!(" {}", line.trim());
            continue;
        }
        let mut keys = Vec::new();
        let mut rest = line.trim_start();
        while let Some((key, more)) = rest.split_once(' ') {
            rest = more.trim_start();
            keys.push(key.trim_end_matches(',').to_owned());
            if !key.ends_with(',') {
                break;
            }
        }
        entries.push(Entry { keys, text: rest.to_owned() });
    }
    for entry in &mut entries {
        let mut words = entry.keys.iter().map(|key| words_of(key));
        let words = words.find(|words| !words.is_empty()).unwrap_or_default();
        let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
        if !words.is_empty() {
            entry.text += &format!(": {}", words.join(", "));
        }
    }
    entries
}

/// The words that a key of a phase takes.
fn words_of(key: &str) -> Vec<String> {
    match key {
        "kind" => words::<PhaseKind>(),
        "acts" => words::<Class>(),
        "reads" => words::<Reads>(),
        "write" => words::<Write>(),
        _ => Vec::new(),
    }
}

/// The spellings of an enum, as serde knows them.
fn words<T: DeserializeOwned>() -> Vec<String> {
    let said = serde_json::from_value::<T>("?".into())
        .err()
        .map(|bad| bad.to_string())
        .unwrap_or_default();
    in_ticks(&said)
}

/// What stands between backticks, but for the first, which is what was asked with.
fn in_ticks(said: &str) -> Vec<String> {
    said.split('`').skip(3).step_by(2).map(str::to_owned).collect()
}

fn list(entries: &[Entry]) -> String {
    let entry = |entry: &Entry| {
        let keys: Vec<String> =
            entry.keys.iter().map(|key| format!("\\fB{}\\fR", plain(key))).collect();
        format!(".TP\n{}\n{}\n", keys.join(", "), spoken(&entry.text))
    };
    entries.iter().map(entry).collect()
}

/// Text with the words between backticks in bold.
fn spoken(text: &str) -> String {
    let parts = text.split('`').enumerate();
    let said: String = parts
        .map(
            |(n, part)| {
                if n % 2 == 1 { format!("\\fB{}\\fR", escaped(part)) } else { escaped(part) }
            },
        )
        .collect();
    guarded(said)
}

/// Text as it is.
fn plain(text: &str) -> String {
    guarded(escaped(text))
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\e").replace('-', "\\-").replace('…', "...")
}

/// A line that begins like a request of roff is text.
fn guarded(line: String) -> String {
    if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phases::Phase;

    /// Tables that stand in any number.
    const ROWS: [&str; 9] =
        ["phase", "surface", "companion", "build", "cache", "mcp", "note", "check", "tests"];

    /// The names that `said` lists after one that it does not know.
    fn known(said: &str) -> Vec<String> {
        assert!(said.contains("unknown field `?`"), "{said}");
        in_ticks(said)
    }

    fn said_of(rules: &str) -> String {
        Rules::with(rules).err().map(|bad| bad.told("seed.toml", rules)).unwrap_or_default()
    }

    fn mentions(page: &str, key: &str) -> bool {
        let tag = format!("\\fB{}\\fR", plain(key));
        page.lines()
            .zip(page.lines().skip(1))
            .any(|(before, line)| before == ".TP" && line.contains(&tag))
    }

    /// The tables below the top, with their keys.
    fn tables() -> Vec<(String, Vec<String>)> {
        let top = known(&said_of("\"?\" = 1"));
        assert!(top.contains(&"track".to_owned()), "{top:?}");
        let below = |table: &String| said_of(&format!("[{table}]\n\"?\" = 1"));
        let table = |name: String| {
            let said = below(&name);
            let keys = if said.contains("unknown field `?`") { known(&said) } else { Vec::new() };
            (name, keys)
        };
        top.into_iter().filter(|key| !ROWS.contains(&key.as_str())).map(table).collect()
    }

    #[test]
    fn each_key_of_the_rules_is_in_the_page() {
        let page = rules();
        for (name, keys) in tables() {
            if keys.is_empty() {
                assert!(mentions(&page, &name), "src/rules.toml has no line for `{name}`");
                continue;
            }
            assert!(
                page.contains(&format!(".SS [{}]\n", plain(&name))),
                "src/rules.toml has no [{name}]"
            );
            let example = SOURCE.lines().any(|line| line == format!("[{name}]"));
            assert!(example, "src/rules.md has no example of [{name}]");
            for key in keys {
                assert!(
                    mentions(&page, &key),
                    "src/rules.toml has no line for `{key}` of [{name}]"
                );
            }
        }
    }

    #[test]
    fn rows_have_an_example_each() {
        for row in ROWS.map(|row| format!("[[{row}]]")) {
            assert!(SOURCE.lines().any(|line| line == row), "src/rules.md has no example of {row}");
        }
    }

    #[test]
    fn each_key_of_a_phase_is_in_the_page() {
        let said =
            serde_json::from_value::<Phase>(serde_json::json!({ "?": 1 })).expect_err("no key");
        let keys = known(&said.to_string());
        assert!(keys.len() > 20, "{keys:?}");
        for key in keys.iter().map(String::as_str).chain(["track", "after"]) {
            assert!(
                mentions(&rules(), key),
                "the head of src/phases/opevc.toml does not explain `{key}`"
            );
        }
    }

    /// A line that goes on is no key: `show` or `of tests` never stood in a table.
    #[test]
    fn no_key_is_in_the_page_that_no_row_has() {
        let said =
            serde_json::from_value::<Phase>(serde_json::json!({ "?": 1 })).expect_err("no key");
        let known = known(&said.to_string());
        for entry in phase_keys(OPEVC) {
            for key in entry.keys {
                assert!(known.contains(&key), "`{key}` is no key of a phase");
            }
            assert!(entry.text.chars().count() > 10, "{}", entry.text);
        }
        for row in [companions::SHIPPED, mcp::SHIPPED, notes::SHIPPED, OF_COMMANDS] {
            for entry in phase_keys(row) {
                let plain = |key: &str| key.chars().all(|c| c.is_ascii_lowercase() || c == '_');
                assert!(entry.keys.iter().all(|key| plain(key)), "{:?}", entry.keys);
            }
        }
    }

    #[test]
    fn each_key_of_companions_is_in_the_page() {
        for row in ["companion", "build", "mcp", "note", "check", "tests"] {
            for key in known(&said_of(&format!("[[{row}]]\n\"?\" = 1"))) {
                assert!(mentions(&rules(), &key), "the head of the table of `{row}` lacks `{key}`");
            }
        }
    }

    #[test]
    fn the_examples_hold() {
        let mut examples = 0;
        for block in SOURCE.split("```toml\n").skip(1) {
            let text = block.split("```").next().unwrap_or_default();
            assert_eq!(said_of(text), "", "{text}");
            examples += 1;
        }
        assert!(examples >= 5, "{examples}");
    }

    #[test]
    fn the_page_of_memory_shows_every_kind_of_note_and_every_anchor() {
        let page = memory();
        let kinds = notes::Kinds::shipped().expect("they read");
        for kind in kinds.all() {
            assert!(
                page.contains(&plain(&kind.example)) && page.contains(&plain(&kind.means)),
                "{}",
                kind.name
            );
            let read = kinds.read(&kind.example);
            assert!(read.len() == 1 && read[0].standing.is_live(), "{}", kind.example);
        }
        for anchor in Rules::shipped().expect("sound").maps.anchors() {
            assert!(page.contains(&plain(anchor)), "{anchor}");
        }
        let ends: Vec<_> =
            kinds.read(MEMORY).into_iter().map(|note| note.standing.word()).collect();
        assert_eq!(ends, ["resolved", "carried"], "the ends that it shows are ends");
        assert!(!page.contains("{{"), "{page}");
        let shown =
            MEMORY.split("```\n").find(|block| block.starts_with("---\n")).expect("front matter");
        let known = ["lexers".to_owned()].into();
        let file = format!("{shown}1\n2\n3\n4\n5\n");
        assert_eq!(knowledge::check(".claude/knowledge/lexer_positions.md", &file, &known), []);
    }

    /// The block of git-seed-formats(5) that is marked so.
    fn shown(mark: &str) -> &'static str {
        let begin = format!("```{mark}\n");
        let (_, block) = FORMATS.split_once(&begin).unwrap_or_else(|| panic!("no {mark}"));
        block.split("```").next().unwrap_or_default().trim_end()
    }

    #[test]
    fn what_reads_a_format_reads_its_example_in_the_page() {
        use crate::format::{self, archive, claim, evidence, journal, landing, meta, notes};
        use crate::format::{state, texts, trailers};
        let job = state::read(shown("job.toml").as_bytes()).expect("a state");
        assert_eq!((job.format, job.phase().as_str()), (format::FORMAT, "execute"));
        let meta = meta::Meta::read(shown("meta").as_bytes()).expect("a format");
        assert_eq!(meta, meta::Meta::current());
        assert_eq!(meta.write().trim_end(), shown("meta"));
        let (_, message) = FORMATS.split_once("seed/jobs/20261121t213312-2a6a\n").expect("a step");
        let message = message.split("```").next().unwrap_or_default();
        let step = trailers::StepTrailers::read(message).expect("trailers");
        assert_eq!((step.id, step.phase), (job.step, job.stand.phase.to_string()));
        let stub = texts::Stub::read(shown("stub").as_bytes()).expect("a stub");
        let text = texts::text_in(shown("text").as_bytes(), &stub.key).expect("its text");
        assert_eq!(text.split(|byte| *byte == b' ').count() as u64, stub.words);
        let ran = evidence::read(shown("receipt").as_bytes()).expect("a receipt");
        assert_eq!((ran.run.as_deref(), ran.status), (Some("cargo"), Some(0)));
        let made = landing::Made::read(shown("made").as_bytes()).expect("a cycle");
        assert_eq!(made.ids().collect::<Vec<_>>(), ["086eb1c03d70"]);
        let line = journal::Linked::read(shown("journal").as_bytes()).expect("a line that holds");
        assert_eq!(line.prev, job.folded, "it goes on from the step of the example");
        let [words, step, record] = shown("notes").lines().collect::<Vec<_>>()[..] else {
            panic!("{}", shown("notes"))
        };
        assert!(notes::words_of(words).is_some() && notes::is_record(record));
        let job_of = notes::step_of(step).map(|(_, job)| job);
        assert_eq!(job_of.as_deref(), Some(job.job.id.as_str()));
        let attest = claim::read(shown("record").as_bytes()).expect("a record");
        assert_eq!(attest.prev, claim::noted(record), "the one before it");
        let row = archive::rows(shown("index").as_bytes()).expect("a line");
        assert_eq!(row.len(), 1);
    }

    #[test]
    fn the_page_of_formats_names_each_file_of_a_jobs_tree_and_no_other() {
        use crate::format::files;
        let (_, part) = FORMATS.split_once("## THE TREE OF A JOB").expect("the part");
        let part = part.split("\n### ").next().unwrap_or_default();
        let lines = part.lines().filter_map(|line| entry(line.strip_prefix("* ")?));
        let told: Vec<String> = lines.flat_map(|entry| entry.keys).collect();
        let top = |name: &str| name.split_inclusive('/').next().unwrap_or_default().to_owned();
        for name in files::names() {
            assert!(told.iter().any(|told| top(told) == name), "src/formats.md lacks `{name}`");
        }
        for name in told.iter().filter(|name| !name.starts_with("run-")) {
            let known = files::names().contains(&top(name));
            assert!(known, "no job has `{name}`");
        }
        assert!(files::is_known("run-1/session-log-1.md"));
    }

    #[test]
    fn a_line_of_names_and_what_they_mean_is_an_entry() {
        let read = entry("`a`, `b/`: so, `c`: and so").expect("an entry");
        assert_eq!(
            (read.keys, read.text.as_str()),
            (vec!["a".into(), "b/".into()], "so, `c`: and so")
        );
        assert!(entry("plain words").is_none());
    }

    #[test]
    fn text_is_never_taken_for_a_request() {
        assert_eq!(spoken(".x `a-b` \\ …"), "\\&.x \\fBa\\-b\\fR \\e ...");
        assert_eq!(plain("'quoted'"), "\\&'quoted'");
    }
}
