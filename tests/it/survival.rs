//! What git seed's state lives through: each thing that people do with git, done to a job under way
//! or to one that is closed and landed, as one table (`docs/survival.md`).
//!
//! A row says what is done, in a shell as a person would; the rest of its line is what was seen
//! then. Whatever it is: no chain loses a step, nothing is called broken, and where the job waits
//! the command that is named leads on. `UPDATE_TRANSCRIPTS=1` writes the page anew: read the diff.
#![expect(clippy::disallowed_macros, reason = "the table is shown on request")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use pretty_assertions::assert_eq;
use serde_json::Value;

use super::world::{CODE, World, message};

/// What a row is done to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ground {
    /// A job in execute; the commits of observe and plan are on `main`.
    Open,
    /// A job that is closed and landed on `main-landed`. `release` is where it began.
    Landed,
}

/// A thing that people do.
struct Row<'a> {
    /// What a person would call it.
    what: &'a str,
    /// How it is done: lines of a shell, each of which must succeed.
    lines: Vec<&'a str>,
    /// What is verified afterwards: a range, `clone` for the clone beside the repository, or
    /// nothing for all of HEAD.
    verified: &'a str,
}

/// The rows of one part of `fixtures/survival.txt`.
fn rows<'a>(all: &'a str, part: &str) -> Vec<Row<'a>> {
    let mut rows: Vec<Row<'a>> = Vec::new();
    let mut here = false;
    for line in all.lines().filter(|line| !line.is_empty()) {
        match (line.strip_prefix("# "), line.strip_prefix("  ")) {
            (Some(name), _) => here = name == part,
            _ if !here => {}
            (_, None) => rows.push(Row { what: line, lines: Vec::new(), verified: "" }),
            (_, Some(told)) => {
                let row = rows.last_mut().expect("a row first");
                match told.strip_prefix("@ ") {
                    Some(what) => row.verified = what,
                    None => row.lines.push(told),
                }
            }
        }
    }
    rows
}

/// Git without the hooks, as a forge or another machine runs it.
const BARE: &str = "git() { command git -c core.hooksPath=/dev/null \"$@\"; }";

impl Ground {
    fn world(self) -> World {
        match self {
            Self::Open => {
                let world = World::seeded();
                world.to("execute");
                world
            }
            Self::Landed => super::follows::landed(),
        }
    }
}

/// The steps that the chains of git seed have, by id.
fn steps(world: &World) -> BTreeSet<String> {
    let ids = "git for-each-ref --format='%(refname)' refs/seed/jobs refs/seed/archive | \
               xargs -r git log --format='%(trailers:key=Seed-Id,valueonly)'";
    world.sh(ids).lines().filter(|id| !id.is_empty()).map(str::to_owned).collect()
}

/// What the agent meets when it goes on, and the command that a refusal names.
fn goes_on(world: &World) -> String {
    world.reads(CODE).passes();
    let mut said = "goes on".to_owned();
    for _ in 0..3 {
        let code = world.text(CODE);
        let edit = world.edits(CODE, &code, "fn lex() { escapes(); }\n");
        let Some(refusal) = edit.before.refusal().map(str::to_owned) else {
            world.tests();
            world.notes("---Ex---", "looked ahead one character");
            world.seed("phase advance -F -").stdin(&message("execute")).succeeds();
            return said;
        };
        let command = named(&refusal).unwrap_or_else(|| panic!("no command in: {refusal}"));
        said = format!("waits for `{command}`");
        match command.strip_prefix("git seed ") {
            Some(own) => drop(world.person(own).succeeds()),
            None => drop(world.sh(&command)),
        }
    }
    panic!("it does not go on: {said}")
}

/// The command in a refusal's second line.
fn named(refusal: &str) -> Option<String> {
    let line = refusal.lines().find_map(|line| line.strip_prefix("Do: "))?;
    let at = line.find("git seed ").or_else(|| line.find("git "))?;
    let command = line[at..].split(". ").next()?.split(&[',', ';', ':', '('][..]).next()?.trim();
    Some(command.trim_end_matches(|last: char| ".`".contains(last)).to_owned())
}

/// A reason without ids.
fn nameless(reason: &str) -> String {
    let is_id = |word: &str| {
        let bare = word.trim_end_matches(',');
        bare.len() >= 12
            && bare.bytes().all(|byte| byte.is_ascii_hexdigit() || b"t-".contains(&byte))
    };
    let words = reason.split(' ').map(|word| match is_id(word) {
        true if word.ends_with(',') => "…,",
        true => "…",
        false => word,
    });
    words.collect::<Vec<_>>().join(" ")
}

/// What `verify` says of the commits, in few words.
fn verified(world: &World, row: &Row<'_>) -> String {
    let (there, range) =
        if row.verified == "clone" { ("../clone", "") } else { (".", row.verified) };
    let said = world.persons_terminal(&format!("cd {there} && git seed verify {range} --json"), "");
    let Ok(found) = serde_json::from_str::<Value>(&said.out) else {
        return format!("exit {}: {}", said.code, said.err.lines().next().unwrap_or_default());
    };
    assert_eq!(found["broken"], serde_json::json!([]), "{}: {found}", row.what);
    let list = |key: &str| found[key].as_array().cloned().unwrap_or_default();
    let mut words = Vec::new();
    for by in ["tree", "patch-id"] {
        let count = list("followed").iter().filter(|one| one["by"] == by).count();
        if count > 0 {
            words.push(format!("{count} followed by {by}"));
        }
    }
    let mut why: Vec<String> = Vec::new();
    for one in list("not_measured") {
        let reason = one["reason"].as_str().unwrap_or_default();
        // No key signs in these worlds, so nobody vouches for the records of the questions.
        if !reason.contains("no signature") && !why.contains(&nameless(reason)) {
            why.push(nameless(reason));
        }
    }
    words.extend(why.iter().map(|why| format!("not measured: {why}")));
    // The commit that the project began with names no step.
    let began = u64::from(row.verified.is_empty() || row.verified == "clone");
    let plain = found["plain"].as_u64().and_then(|plain| plain.checked_sub(began));
    if let Some(plain) = plain.filter(|plain| *plain > 0) {
        words.push(format!("{plain} plain"));
    }
    if words.is_empty() { "verified".to_owned() } else { words.join("; ") }
}

/// One row, done and looked at.
fn seen(ground: Ground, row: &Row<'_>) -> String {
    let world = ground.world();
    let before = steps(&world);
    let alone = if ground == Ground::Landed { BARE } else { "" };
    world.sh(&format!("set -e\n{alone}\n{}", row.lines.join("\n")));
    let lost: Vec<_> = before.difference(&steps(&world)).cloned().collect();
    assert_eq!(lost, Vec::<String>::new(), "{}: steps are lost", row.what);
    let job = match ground {
        Ground::Open => goes_on(&world),
        Ground::Landed => "closed".to_owned(),
    };
    let verdict = verified(&world, row);
    format!("| {} | {job} | {verdict} |", row.what)
}

fn table(ground: Ground, rows: &[Row<'_>]) -> String {
    let mut out = "| what you do | the job | `git seed verify` |\n|---|---|---|\n".to_owned();
    let mut failed = Vec::new();
    for row in rows {
        // All of them are seen before the first that does not hold is told.
        match std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| seen(ground, row))) {
            Ok(line) => {
                println!("{line}");
                writeln!(out, "{line}").expect("a string");
            }
            Err(_) => failed.push(row.what),
        }
    }
    assert_eq!(failed, Vec::<&str>::new(), "rows that do not hold");
    out
}

/// The page has what is seen in part `name`.
fn holds(ground: Ground, name: &str) {
    /// Both parts stand in one page.
    static PAGE: Mutex<()> = Mutex::new(());
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let all = std::fs::read_to_string(root.join("fixtures/survival.txt")).expect("the rows");
    let rows = rows(&all, name);
    assert!(rows.len() >= 20, "{name}: {} rows", rows.len());
    let seen = table(ground, &rows);
    let _one = PAGE.lock().unwrap_or_else(PoisonError::into_inner);
    let page = root.join("docs/survival.md");
    let expected = std::fs::read_to_string(&page).expect("the page");
    let (begin, end) = (format!("<!-- {name} -->\n"), format!("<!-- end of {name} -->"));
    let (head, rest) = expected.split_once(&begin).expect("a table");
    let (told, tail) = rest.split_once(&end).expect("its end");
    if std::env::var_os("UPDATE_TRANSCRIPTS").is_some() {
        let page_now = format!("{head}{begin}{seen}{end}{tail}");
        std::fs::write(&page, page_now).expect("the page can be written");
    } else {
        assert_eq!(told, seen, "docs/survival.md");
    }
}

#[test]
fn a_job_under_way_lives_through_what_people_do_with_git() {
    holds(Ground::Open, "open");
}

#[test]
fn a_job_that_landed_lives_through_what_people_do_with_git() {
    holds(Ground::Landed, "landed");
}
