//! What people are told of work: whose it was, of which job, and in whose words.

use pretty_assertions::assert_eq;
use serde_json::json;

use super::world::{CODE, PAGE, World};

/// Names that would draw lines of a card, or turn what stands behind them around.
const ODD: [(&str, &str); 3] = [
    (
        "src/parser/b\nfence    clean\ncost     0 calls",
        r"src/parser/b\nfence    clean\ncost     0 calls",
    ),
    ("src/parser/c\u{202e}yp.c", r"src/parser/c\u{202e}yp.c"),
    ("src/parser/d\r\u{1b}[2Jx", r"src/parser/d\r\u{1b}[2Jx"),
];

#[test]
fn a_name_of_a_file_draws_no_line() {
    let world = World::seeded();
    world.to("execute");
    world.opens();
    world.runs_and("make", || {
        for (name, _) in ODD {
            world.puts(name, "x\n");
        }
    });
    let fence = world.person("fence status").succeeds();
    for (_, shown) in ODD {
        assert_eq!(fence.lines().filter(|line| line.ends_with(shown)).count(), 1, "{fence}");
    }
    world.edits("todo\nrefused by nobody", "a", "b").refuses("BLOCKED");
    let why = world.person("why").succeeds();
    assert!(!why.lines().any(|line| line.trim_start().starts_with("refused by")), "{why}");
    assert!(why.contains(r"todo\nrefused by nobody"), "{why}");
    world.works("execute");
    world.leaves();
    let job = world.job();
    let shown = world.person(&format!("show {job}")).succeeds();
    for (name, line) in ODD {
        assert_eq!(shown.lines().filter(|one| one.contains(line)).count(), 1, "{shown}");
        let rows = world.json(&format!("show {job}"));
        let rows = rows["changed"].as_array().expect("a list").clone();
        assert!(rows.iter().any(|row| row["path"] == name), "programs get the name: {rows:?}");
    }
    let bars: Vec<usize> = shown.lines().filter_map(|line| line.find(" | ")).collect();
    assert!(bars.windows(2).all(|pair| pair[0] == pair[1]), "{shown}");
}

#[test]
fn without_a_focus_the_job_is_meant_that_was_worked_on() {
    let world = World::seeded();
    world.to("observe");
    world.edits(CODE, "fn lex() {", "fn lex() { early();").refuses("BLOCKED");
    let worked_on = world.job();
    world.person("job pause").succeeds();
    world.person("job create 'for another day'").succeeds();
    assert_eq!(world.json("status")["job"], json!(null));
    assert!(world.person("why").succeeds().contains(CODE));
    assert_eq!(world.json("log")[0]["job"], json!(worked_on));
    let story = world.person("report --json").succeeds();
    assert!(story.contains(&worked_on), "{story}");
    world.sh("git worktree add -q ../wt");
    let there = world.sh("cd ../wt && GIT_SEED_TEST_PERSON=1 git seed why");
    assert_eq!(there.trim(), "Nothing was refused.", "another worktree's are not this one's");
    let log = world.sh("cd ../wt && GIT_SEED_TEST_PERSON=1 git seed log --json");
    assert!(log.contains(&worked_on), "a story is told anywhere: {log}");
}

#[test]
fn what_a_person_committed_in_between_is_not_the_jobs() {
    let world = World::seeded();
    world.to("verify");
    world.puts("LICENSE", "free\n");
    world.git("add LICENSE");
    world.git("commit -qm 'a licence' -- LICENSE");
    world.works("verify");
    world.leaves();
    world.works("condense");
    let card = world.card();
    let shown = world.json(&format!("show {}", world.job()));
    let paths: Vec<_> = shown["changed"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|row| row["path"].as_str().expect("a path").to_owned())
        .collect();
    assert_eq!(paths, [PAGE, CODE]);
    assert!(card.contains("1 file, "), "the approval counts the job's own: {card}");
}

#[test]
fn a_job_between_two_cycles_says_what_it_may() {
    let world = World::seeded();
    world.to("observe");
    world.seed("phase back idle -m 'a wrong start'").succeeds();
    let status = world.person("status").succeeds();
    assert!(status.contains("\nmay      ask a person, and run git seed\n"), "{status}");
    assert_eq!(world.json("status")["allowed"], json!(["ask a person, and run git seed"]));
}

#[test]
fn a_note_that_ended_in_its_page_is_told_where_it_went() {
    let world = World::seeded();
    world.to("execute");
    world.opens();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.tests();
    world.notes("---Ex---", "[KNOWLEDGE]{how escapes lex}\n[KNOWLEDGE]{why it looks ahead}");
    world.leaves();
    world.works("verify");
    world.leaves();
    world.opens();
    let (one, other) = (".claude/knowledge/lexers.md", ".claude/knowledge/ahead.md");
    for (file, n) in [(one, 1), (other, 2)] {
        let front = format!("name: n{n}\ndescription: How it is {n}\ntype: project\n");
        world.puts(file, &format!("---\n{front}last_verified: 2026-11-20\n---\n1\n2\n3\n4\n5\n"));
    }
    world.reads(PAGE).passes();
    for (note, file) in [("how escapes lex", one), ("why it looks ahead", other)] {
        let ended = format!("[RESOLVED:KNOWLEDGE]{{{file}}}");
        world.edits(PAGE, &format!("[KNOWLEDGE]{{{note}}}"), &ended).passes();
    }
    world.works("condense");
    world.approved();
    world.leaves();
    let story = world.person("report --json").succeeds();
    let story: serde_json::Value = serde_json::from_str(&story).expect("JSON");
    let notes: Vec<_> = story["notes"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|note| (note["content"].clone(), note["state"].clone(), note["leads"].clone()))
        .collect();
    let ended = |content: &str, file: &str| (json!(content), json!("resolved"), json!(file));
    assert_eq!(notes, [ended("how escapes lex", one), ended("why it looks ahead", other)]);
}

/// The reason that is said is the one that counts.
#[test]
fn a_refusal_names_what_stands_against_the_call() {
    let world = World::seeded();
    world.to("observe");
    for line in ["PYTHONPATH=src python3 gen.py", "A=1 PYTHONPATH=src python3 gen.py"] {
        let input = json!({ "command": line });
        let said = world.before("Bash", &input, &world.next_call());
        let told = said.refusal().unwrap_or_else(|| panic!("{line} passes"));
        assert!(
            told.contains("python3 gen.py") && !told.contains("code: PYTHONPATH=src."),
            "{told}"
        );
    }
    let world = World::seeded();
    world.to("execute");
    let other = ".claude/jobs/other/plan.md";
    world
        .writes(other, "# Plan\n")
        .refuses(&format!("{other} is not the plan document of this job"));
    world.seed("plan show").succeeds();
}
