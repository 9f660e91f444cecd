//! `git seed verify` follows commits that were landed, squashed, rebased or picked, by what they
//! hold; what holds something else is not measured.

use std::sync::OnceLock;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::world::{CODE, Snapshot, World, message};

/// A job that is over, landed, and a branch `release` that begins where the job did and goes
/// its own way by one file.
pub fn landed() -> World {
    static LANDED: OnceLock<Snapshot> = OnceLock::new();
    World::copy_of(&LANDED, || {
        let world = World::seeded();
        world.git("branch release");
        world.to("condense");
        world.works("condense");
        world.approved();
        world.seed("phase advance -F -").stdin(&message("condense")).succeeds();
        world.person("land").succeeds();
        world
    })
}

/// A person's git, which hears no hook.
fn git(world: &World, line: &str) {
    world.sh(&format!("git -c core.hooksPath=/dev/null {line}"));
}

/// On `release`, which goes its own way by one file where `apart`.
fn on_release(world: &World, apart: bool) {
    git(world, "checkout -q -f release");
    if apart {
        world.sh("echo x > elsewhere.txt && git add elsewhere.txt");
        git(world, "commit -qm elsewhere");
    }
}

fn verified(world: &World, range: &str) -> Value {
    let said = world.person(&format!("verify {range} --json")).said();
    assert!(matches!(said.code, 0 | 2 | 3), "{said:?}");
    let found: Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!(found["broken"], json!([]), "{found}");
    found
}

/// How `commit` was followed, or what was not measured of it.
fn of(world: &World, found: &Value, commit: &str) -> String {
    let id = world.git(&format!("rev-parse {commit}"));
    let row = |list: &str| {
        let rows = found[list].as_array().cloned().unwrap_or_default();
        rows.into_iter().find(|row| row["record"] == id.trim())
    };
    if let Some(row) = row("followed") {
        assert_eq!(row["commit"], id.trim(), "{row}");
        return row["by"].as_str().expect("a word").to_owned();
    }
    let not = row("not_measured").map(|row| row["reason"].as_str().expect("why").to_owned());
    not.unwrap_or_else(|| "nothing".to_owned())
}

#[test]
fn what_landed_is_followed_by_its_tree_and_elsewhere_by_its_change() {
    let world = landed();
    let here = verified(&world, "release..main-landed");
    assert_eq!(of(&world, &here, "main-landed"), "tree");
    assert_eq!(of(&world, &here, "main-landed~1"), "tree");
    assert_eq!(here["plain"], 0);
    // On another commit, notes left behind.
    git(&world, "notes --ref=seed remove main-landed main-landed~1");
    on_release(&world, true);
    git(&world, "cherry-pick release..main-landed");
    let picked = verified(&world, "main~5..release");
    assert_eq!(of(&world, &picked, "release"), "patch-id");
    assert_eq!(of(&world, &picked, "release~1"), "patch-id");
    assert_eq!(picked["plain"], 1, "{picked}");
    // With one changed line.
    world.sh(&format!("echo changed >> {CODE} && git add {CODE}"));
    git(&world, "commit -q --amend --no-edit");
    let changed = verified(&world, "main~5..release");
    assert!(
        of(&world, &changed, "release").contains("its content is that of no step"),
        "{changed}"
    );
}

#[test]
fn a_squash_is_followed_with_its_trailers_and_without() {
    for (from, apart, text, by) in [
        // Git indents the trailers of what it squashes.
        ("main", false, "--no-edit", "tree"),
        ("main", true, "--no-edit", "patch-id"),
        ("main-landed", false, "-m plain", "tree"),
        ("main-landed", true, "-m plain", "patch-id"),
    ] {
        let world = landed();
        on_release(&world, apart);
        git(&world, &format!("merge -q --squash {from} > /dev/null 2>&1"));
        git(&world, &format!("commit -q {text}"));
        let found = verified(&world, "HEAD~1..HEAD");
        assert_eq!(of(&world, &found, "HEAD"), by, "{from} {apart} {text}: {found}");
        world.sh(&format!("echo changed >> {CODE} && git add {CODE}"));
        git(&world, "commit -q --amend --no-edit");
        let found = verified(&world, "HEAD~1..HEAD");
        let named = text == "--no-edit";
        let said = of(&world, &found, "HEAD");
        assert_eq!(said.contains("its content is that of no step"), named, "{said}: {found}");
        assert_eq!(found["plain"], u32::from(!named), "a change of somebody's own: {found}");
    }
}

#[test]
fn a_picked_step_and_some_that_were_squashed_are_followed() {
    let world = landed();
    let execute = world.git("log --format=%H --grep='Seed-Step: execute -> verify' main");
    on_release(&world, true);
    git(&world, &format!("cherry-pick main~5..{}", execute.trim()));
    let found = verified(&world, "HEAD~3..HEAD");
    assert_eq!(of(&world, &found, "HEAD"), "patch-id", "{found}");
    // Both in one, with both messages, as an interactive rebase writes them.
    world.sh("git log --reverse --format=%B HEAD~3..HEAD > ../both");
    git(&world, "reset -q --soft HEAD~3");
    git(&world, "commit -q -F ../both");
    let found = verified(&world, "HEAD~1..HEAD");
    assert_eq!(of(&world, &found, "HEAD"), "patch-id", "{found}");
}

/// `cherry-pick -x` writes below the trailers where the commit came from, `-s` who took it.
#[test]
fn a_pick_that_says_where_it_comes_from_is_followed() {
    let world = landed();
    let execute = world.git("log --format=%H --grep='Seed-Step: execute -> verify' main");
    for picks in ["-x", "-x -s"] {
        on_release(&world, true);
        git(&world, &format!("cherry-pick {picks} main~5..{}", execute.trim()));
        assert!(world.git("log -1 --format=%B").contains("(cherry picked from commit"));
        let found = verified(&world, "HEAD~3..HEAD");
        assert_eq!(of(&world, &found, "HEAD"), "patch-id", "{picks}: {found}");
        git(&world, "reset -q --hard HEAD~4");
        git(&world, "checkout -q -f main");
    }
}

/// What is left of trailers leads to a job, and no content makes it whole again.
#[test]
fn half_of_the_trailers_is_not_measured_whatever_the_content() {
    let world = landed();
    let message = world.git("log -1 --format=%B main-landed~1");
    let line = |key: &str| message.lines().find(|line| line.starts_with(key)).expect("a line");
    let (job, id) = (line("Seed-Job: ").to_owned(), line("Seed-Id: ").to_owned());
    let whole = format!("{job}\n{id}");
    for (trailers, said) in [
        (whole.as_str(), "tree"),
        (job.as_str(), "some of its trailers are missing"),
        (id.as_str(), "some of its trailers are missing"),
        (&format!("{job}\nSeed-Id: zzzz"), "name a step zzzz that stands in none of the jobs here"),
        (&format!("{job}\nSeed-Id: 0123456789ab"), "name a step 0123456789ab"),
        (&format!("{id}\nSeed-Cycle: 1"), "some of its trailers are missing"),
    ] {
        git(&world, "checkout -q -f --detach release");
        git(&world, "checkout -q main-landed~1 -- .");
        world.puts("../told", &format!("one commit\n\n{trailers}\n"));
        git(&world, "commit -q -F ../told");
        let found = verified(&world, "release..HEAD");
        let how = of(&world, &found, "HEAD");
        assert!(how.contains(said), "{trailers}: {how}");
    }
}

/// Two jobs in one commit: it is told which of them its files are of, and no card counts the lines
/// of both.
#[test]
fn a_squash_of_two_jobs_is_no_single_jobs() {
    let world = World::seeded();
    world.git("branch release");
    let mut ids = Vec::new();
    for call in ["one();", "two();"] {
        world.prompt("[QUICK] fix the lexer");
        ids.push(world.job());
        world.reads(CODE).passes();
        world.seed("phase advance --scope src/parser -m 'the lexer lacks a call'").succeeds();
        world.edits(CODE, "fn lex() {", &format!("fn lex() {{ {call}")).passes();
        world.tests();
        world.asks(&super::quick::done()).passes().answers("Approve completion");
    }
    git(&world, "checkout -q release");
    git(&world, "merge -q --squash main > /dev/null 2>&1");
    git(&world, "commit -q --no-edit");
    let said = world.person("verify --ci HEAD~1..HEAD --json").said();
    let found: Value = serde_json::from_str(&said.out).expect("JSON");
    let why = found["followed"][0]["reason"].as_str().expect("why");
    assert!(why.contains(&ids[1]), "its files are those of the second job: {found}");
    for card in found["jobs"].as_array().expect("cards") {
        let seen = (&card["commits"], &card["shared"], &card["lines"]);
        assert_eq!(seen, (&json!(1), &json!(1), &Value::Null), "{found}");
    }
    let summary = world.person("verify --ci HEAD~1..HEAD").said().out;
    assert_eq!(summary.matches("1 of them with other jobs").count(), 2, "{summary}");
}

/// A note that git or `land` carried to a commit of the same content says nothing against it.
#[test]
fn a_record_whose_note_was_carried_along_is_not_missed() {
    let world = World::seeded();
    world.puts("src/main.rs", "fn main() {}\n");
    world.sh("git add -A src");
    git(&world, "commit -qm main");
    world.git("switch -q -c topic");
    let mut ids = Vec::new();
    for (path, call) in [(CODE, "one();"), ("src/main.rs", "two();")] {
        world.prompt("[QUICK] fix the lexer");
        ids.push(world.job());
        world.reads(path).passes();
        let dir = path.rsplit_once('/').expect("a directory").0;
        world.seed(&format!("phase advance --scope {dir} -m 'a call is missing'")).succeeds();
        let old = if path == CODE { "fn lex() {" } else { "fn main() {" };
        world.edits(path, old, &format!("{old} {call}")).passes();
        world.tests();
        world.asks(&super::quick::done()).passes().answers("Approve completion");
    }
    let carried = |found: &Value| found["not_measured"].to_string().contains("was copied to");
    let noted = "git notes --ref=seed list | cut -d' ' -f2 | while read on; do \
                 git notes --ref=seed show $on | grep -q kind...claim && echo $on; done; true";
    let attested = world.sh(noted).trim().to_owned();
    assert_eq!(attested.lines().count(), 1, "the second commit is: {attested}");
    // A rebase carries notes along.
    git(&world, "branch other");
    git(&world, "checkout -q -b elsewhere main");
    world.sh("echo x > elsewhere.txt && git add elsewhere.txt");
    git(&world, "commit -qm elsewhere");
    git(&world, "rebase -q elsewhere other");
    assert_eq!(world.sh(noted).lines().count(), 2, "git copied the note");
    assert!(!carried(&verified(&world, "main..other")), "rebase");
    git(&world, "checkout -q topic");
    world.person(&format!("land {} --branch topic", ids[0])).succeeds();
    assert!(!carried(&verified(&world, "main..topic")), "land");
    // To another content it does say something.
    git(&world, &format!("notes --ref=seed copy -f {attested} elsewhere"));
    assert!(carried(&verified(&world, "main..elsewhere")), "another change");
}

#[test]
fn a_branch_that_the_landing_replaced_lacks_nothing() {
    let world = landed();
    world.git("branch -qD main-landed");
    world.person("land --branch main").succeeds();
    let found = verified(&world, "");
    assert_eq!(of(&world, &found, "main"), "tree", "{found}");
    assert_eq!(of(&world, &found, "main~1"), "tree", "{found}");
    let lost = found["not_measured"].as_array().expect("rows").iter();
    let lost: Vec<_> = lost
        .filter(|row| row["reason"].as_str().is_some_and(|why| why.contains("history")))
        .collect();
    assert!(lost.is_empty(), "{lost:?}");
}

/// A commit with these files and words on HEAD, which it then is.
fn commits_tree(world: &World, tree: &str, words: &str) {
    world.sh(&format!("git log -1 --format=%B {words} > ../words"));
    world.sh(&format!(
        "git -c core.hooksPath=/dev/null reset -q --hard \
         $(git commit-tree {tree}^{{tree}} -p HEAD -F ../words)"
    ));
}

#[test]
fn a_commit_that_takes_the_files_back_to_a_step_is_not_followed() {
    let world = landed();
    git(&world, "checkout -q -f --detach main");
    world.sh("echo checked > guard.txt && git add guard.txt");
    git(&world, "commit -qm 'a guard'");
    git(&world, "branch later");
    // The step's own words, those of the landed commit, and a person's.
    for (tree, words, said) in [
        ("main", "main", "with a different change"),
        ("main-landed", "main-landed", "its content is that of no step"),
        ("main-landed~1", "main-landed~1", "its content is that of no step"),
        ("main", "later", "nothing"),
    ] {
        git(&world, "checkout -q -f --detach later");
        commits_tree(&world, tree, words);
        assert!(world.git("diff --stat HEAD~1 HEAD").contains("guard.txt"));
        let found = verified(&world, "HEAD~1..HEAD");
        let told = of(&world, &found, "HEAD");
        assert!(told.contains(said), "{tree} {words}: {told}: {found}");
    }
    // Without the guard below it, the same files and words are those of the step.
    git(&world, "checkout -q -f --detach main~1");
    commits_tree(&world, "main", "main");
    let found = verified(&world, "HEAD~1..HEAD");
    assert_eq!(of(&world, &found, "HEAD"), "tree", "{found}");
}

#[test]
fn a_squash_whose_white_space_is_another_is_not_followed() {
    for apart in [false, true] {
        let world = landed();
        on_release(&world, apart);
        git(&world, "merge -q --squash main > /dev/null 2>&1");
        // In the line that the job wrote.
        let line = world.git(&format!("diff -U0 release main -- {CODE}"));
        let line = line.lines().rfind(|line| line.starts_with('+')).expect("a new line");
        let was = world.text(CODE);
        let wide = line[1..].replacen(' ', "  ", 1);
        assert!(was.contains(&line[1..]) && wide != line[1..], "{line}");
        world.puts(CODE, &was.replace(&line[1..], &wide));
        world.sh(&format!("git add {CODE}"));
        git(&world, "commit -q --no-edit");
        let found = verified(&world, "HEAD~1..HEAD");
        let told = of(&world, &found, "HEAD");
        assert!(told.contains("its content is that of no step"), "{told}: {found}");
        world.puts(CODE, &was);
        git(&world, "commit -qa --amend --no-edit");
        let found = verified(&world, "HEAD~1..HEAD");
        assert_eq!(of(&world, &found, "HEAD"), if apart { "patch-id" } else { "tree" });
    }
}
