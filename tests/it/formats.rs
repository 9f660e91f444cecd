//! git-seed-formats(5) against the sources and against a repository in which a job was worked on:
//! what is stored is named on the page, and what the page names is there.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use pretty_assertions::assert_eq;
use serde_json::Value;

use super::house;
use super::world::World;

const PAGE: &str = include_str!("../../src/formats.md");

/// Whose fields are keys of a file that travels, each by its file below `src`.
const KEYED: [(&str, &[&str]); 11] = [
    ("format/state.rs", &["State", "Fence", "Unclaimed", "Home", "Driver", "Cost"]),
    ("jobs/mod.rs", &["Job"]),
    ("phases/orchestrator.rs", &["Position", "Entry"]),
    ("plans/mod.rs", &["Plan"]),
    ("format/journal.rs", &["Line", "Counts", "Refused"]),
    ("phases/activity.rs", &["Activity"]),
    ("claims/mod.rs", &["Ran"]),
    ("claims/record.rs", &["Record"]),
    ("format/landing.rs", &["Landing", "LandedCommit", "LabCommit", "Made"]),
    ("format/archive.rs", &["ClosedRow"]),
    ("format/meta.rs", &["Meta"]),
];
/// Fields that stand in no file by their name: what is in them stands there, or what they are
/// called there.
const UNNAMED: [&str; 3] = ["activity", "min_reader", "min_writer"];

/// The names that stand between backticks at the head of an entry of the page.
fn entries() -> BTreeSet<&'static str> {
    let names = PAGE.lines().filter_map(|line| line.strip_prefix("* `")?.split_once("`: "));
    names.flat_map(|(names, _)| names.split("`, `")).collect()
}

/// Words that begin with `Seed-`, as the code writes them and reads them.
fn trailers_of_the_code() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for text in house::files().values() {
        for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
            for (at, _) in line.match_indices("Seed-") {
                let plain = |c: char| c.is_ascii_alphabetic() || c == '-';
                let word: String = line[at..].chars().take_while(|c| plain(*c)).collect();
                found.insert(word);
            }
        }
    }
    found.remove("Seed-");
    found
}

#[test]
fn each_trailer_of_the_code_is_in_the_page_and_no_other() {
    let told = entries().into_iter().filter(|name| name.starts_with("Seed-"));
    let told: BTreeSet<String> = told.map(str::to_owned).collect();
    assert!(told.len() > 20, "{told:?}");
    assert_eq!(told, trailers_of_the_code());
}

#[test]
fn each_ref_of_the_code_is_in_the_page_and_no_other() {
    let code = &house::files()["format/names.rs"];
    let names = code.split('"').skip(1).step_by(2).filter(|text| text.starts_with("refs/"));
    let entries = entries();
    let told = |name: &str| {
        let begin = |entry: &&&str| **entry == name || entry.strip_prefix(name) == Some("<id>");
        let remote = |entry: &&&str| entry.strip_prefix(name) == Some("<remote>/");
        entries.iter().any(|entry| begin(&entry) || remote(&entry))
    };
    let mut known = 0;
    for name in names.filter(|name| *name != "refs/seed/") {
        assert!(told(name), "src/formats.md has no entry for {name}");
        known += 1;
    }
    let shown = entries.iter().filter(|entry| entry.starts_with("refs/")).count();
    assert_eq!(known, shown, "the page names a ref that the code does not");
}

#[test]
fn each_key_of_what_travels_is_in_the_page() {
    let mut seen = 0;
    for (file, structs) in KEYED {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(file);
        let text = fs::read_to_string(path).expect("a file");
        let syntax = syn::parse_file(&text).expect("Rust");
        for name in structs {
            let found = syntax.items.iter().find_map(|item| match item {
                syn::Item::Struct(found) if found.ident == name => Some(found),
                _ => None,
            });
            let found = found.unwrap_or_else(|| panic!("{file} has no {name}"));
            for field in &found.fields {
                let key = field.ident.as_ref().expect("a name").to_string();
                let told = PAGE.contains(&format!("`{key}`"));
                let known = told || UNNAMED.contains(&key.as_str());
                assert!(known, "src/formats.md lacks `{key}` of {name} ({file})");
                seen += 1;
            }
        }
    }
    assert!(seen > 150, "{seen}");
}

/// Names below `.git/seed` that the code joins to it, by the form of the call.
fn own_files_of_the_code() -> BTreeSet<String> {
    let calls = ["seed_dir().join(\"", "join(SEED_DIR).join(\"", "bounded_lines(\""];
    let made = ["bounded_lines(&format!(\""];
    let mut found = BTreeSet::new();
    for text in house::files().values() {
        let dense: String = text.split_whitespace().collect();
        for call in calls.iter().chain(&made) {
            for (at, _) in dense.match_indices(call) {
                let name = dense[at + call.len()..].split(['"', '/']).next().unwrap_or_default();
                found.insert(name.to_owned());
            }
        }
    }
    found
}

fn is_told_below_git_seed(name: &str) -> bool {
    let (_, part) = PAGE.split_once("## FILES BELOW .git/seed").expect("the part");
    let part = part.split("\n## ").next().unwrap_or_default();
    let names = part.lines().filter_map(|line| line.strip_prefix("* `")?.split_once("`: "));
    let mut names = names.flat_map(|(names, _)| names.split("`, `"));
    names.any(|told| {
        told.trim_end_matches('/') == name || told.replace("<worktree>", "main") == name
    })
}

#[test]
fn each_file_below_git_seed_that_the_code_names_is_in_the_page() {
    let names = own_files_of_the_code();
    assert!(names.len() > 30, "{names:?}");
    let lacks: Vec<_> = names.iter().filter(|name| !is_told_below_git_seed(name)).collect();
    assert_eq!(lacks, Vec::<&String>::new(), "src/formats.md lacks them");
}

/// A whole job, closed, with a second one in the middle: what lies there then is on the page.
#[test]
fn what_a_cycle_leaves_in_a_repository_is_in_the_page() {
    let world = World::seeded();
    world.enters("condense");
    world.works("condense");
    world.approved();
    world.leaves();
    world.person("off -m 'a look by hand'").succeeds();
    world.person("on").succeeds();
    world.enters("execute");
    let known = entries();
    let job = world.job();
    let named = |name: &str| {
        let plain = name.replace(&job, "<id>");
        known.contains(plain.as_str())
    };
    for name in world.git("for-each-ref --format='%(refname)'").lines() {
        assert!(named(name) || name == "refs/heads/main", "src/formats.md lacks {name}");
    }
    let files = world.git(&format!("ls-tree -r --name-only refs/seed/jobs/{job}"));
    for file in files.lines() {
        let top = file.split_inclusive('/').next().unwrap_or_default();
        let run = top.starts_with("run-").then_some("run-<n>/");
        let top = run.unwrap_or(top);
        assert!(known.iter().any(|name| name.starts_with(top)), "src/formats.md lacks {file}");
    }
    for entry in fs::read_dir(world.path(".git/seed")).expect("it is there").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let lock = name.trim_end_matches(".lock");
        assert!(is_told_below_git_seed(lock), "src/formats.md lacks .git/seed/{name}");
    }
    let notes = world.git("log --notes=seed --format=%N");
    let mut kinds = BTreeSet::new();
    for line in notes.lines().filter(|line| !line.is_empty()) {
        let (key, rest) = line.split_at(12);
        assert!(key.bytes().all(|byte| byte.is_ascii_hexdigit()), "{line}");
        let number = &rest[1..3];
        assert!(number.bytes().all(|byte| byte.is_ascii_digit()), "{line}");
        if number == "99" {
            let said: Value = serde_json::from_str(&rest[4..]).expect("JSON");
            let kind = said["kind"].as_str().expect("a kind").to_owned();
            assert!(known.contains(kind.as_str()), "src/formats.md lacks the kind of {line}");
            kinds.insert(kind);
        }
    }
    assert!(kinds.contains("step"), "{notes}");
    // Sorted, as git joins notes, each record's words stand in their order above its JSON.
    let note = world.git("notes --ref=seed show HEAD");
    let (mut sorted, mut kept) =
        (note.lines().collect::<Vec<_>>(), note.lines().collect::<Vec<_>>());
    sorted.sort_unstable();
    kept.sort_by_key(|line| &line[..12]);
    assert_eq!(sorted, kept, "{note}");
}
