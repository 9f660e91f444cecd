//! What a lazy agent tried on pacing, proofs and prompts; none of it may work again.

use pretty_assertions::assert_eq;
use serde_json::json;

use super::world::{CODE, World};

/// A small job in execute, with its change made.
fn changed() -> World {
    let world = World::seeded();
    world.prompt("[QUICK] fix the lexer");
    world.is_heard();
    world.seed("phase advance --scope src/parser -m 'the lexer drops escapes'").succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world
}

fn advances(world: &World) -> String {
    world.minute();
    world.seed("phase advance -m 'keep escapes'").said();
    world.phase()
}

// ---- proofs

#[test]
fn a_run_whose_end_is_not_heard_proves_nothing() {
    for line in ["! cargo test", "echo $(cargo test)", "cat <(cargo test)", "cargo test --no-run"] {
        let world = changed();
        world.runs_and(line, || {}).passes();
        assert_eq!(advances(&world), "verify", "{line}");
        world.tests();
        assert_eq!(advances(&world), "condense", "the way on after {line}");
    }
}

#[test]
fn what_changes_after_the_proof_is_proved_again() {
    for look in ["", "git status", "fence restore"] {
        let world = changed();
        world.tests();
        // A command in the background, or anybody: no call says that it did this.
        world.puts(CODE, "fn lex( {");
        match look {
            "" => {}
            "fence restore" => drop(world.seed("fence restore").said()),
            look => world.runs(look).passes(),
        }
        for _ in 0..3 {
            assert_eq!(advances(&world), "verify", "after {look:?}");
        }
        world.tests();
        assert_eq!(advances(&world), "condense");
    }
}

#[test]
fn a_foreign_tool_that_changes_work_undoes_the_proof() {
    let world = changed();
    world.tests();
    let act = || {
        world.agents_shell(&format!("echo 'fn lex( {{' > {CODE}"), "");
        json!({})
    };
    world.tool("mcp__files__write", &json!({ "path": CODE }), act).passes();
    assert_eq!(advances(&world), "verify");
}

// ---- other sessions, other prompts

#[test]
fn what_a_guest_looks_at_is_no_work_of_the_driver() {
    let world = World::seeded();
    world.to("observe");
    world.session("guest");
    world.starts();
    for _ in 0..12 {
        world.reads("todo.txt").passes();
    }
    world.session("e2fc06a6-4aaf-49f6-8712-117cd08f9339");
    world.reads("todo.txt").passes();
}

#[test]
fn every_prompt_that_came_while_a_job_closed_reaches_the_next_one() {
    let world = World::seeded();
    world.to("condense");
    world.works("condense");
    world.approved();
    world.prompt("first follow up");
    world.prompt("[ON]");
    world.prompt("[ALLOW todo.txt] second follow up");
    world.leaves();
    let job = world.json("job show");
    let words: Vec<&str> = job["interactions"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| one["text"].as_str().unwrap_or_default())
        .collect();
    assert_eq!(words, ["first follow up", "[ALLOW todo.txt] second follow up"]);
    assert_eq!(job["name"], "first follow up");
    world.seed("phase advance").succeeds();
}
#[test]
fn silent_hooks_do_not_become_loud_by_trying_twice() {
    let world = World::seeded();
    world.prompt("[QUICK] fix the lexer");
    world.is_heard();
    world.seed("phase advance --scope src/parser -m 'the lexer drops escapes'").succeeds();
    // The agent's host calls no hook any more.
    world.puts(CODE, "fn lex() { escapes(); }\n");
    for _ in 0..3 {
        world.minute();
        world.changes_nothing(|| world.seed("phase advance -m 'keep escapes'").ends(2, "hook"));
    }
    world.is_heard();
    world.seed("phase advance -m 'keep escapes'").succeeds();
}

// ---- state

#[test]
fn no_search_and_no_directory_is_a_way_to_the_state() {
    let world = changed();
    let searches = |path: &str| {
        let input = json!({ "pattern": "multiplier", "path": world.path(path) });
        world.before("Grep", &input, &world.next_call())
    };
    for path in [".git", ".git/", "src/../.git", ".git/seed", ".git/seed/journal"] {
        assert!(searches(path).refusal().is_some(), "{path}");
    }
    for path in [".git/hooks", "src", "."] {
        searches(path).passes();
    }
    let runs_in = |dir: &str, command: &str| {
        let fields = json!({ "cwd": world.path(dir), "tool_name": "Bash",
            "tool_input": { "command": command }, "tool_use_id": world.next_call() });
        world.event("PreToolUse", &fields)
    };
    for command in [
        "ls",
        "cat seed/journal/main.jsonl",
        "cd refs && ls",
        "cat ../.git/x",
        // It leaves the place behind what looked there.
        "cat seed/journal/main.jsonl && cd ..",
        "cat seed/journal/main.jsonl && cd .. && ls",
        "cat seed/journal/main.jsonl; cd .. && ls",
        "cat seed/journal/main.jsonl\ncd .. && ls",
        "cat seed/journal/main.jsonl > /tmp/x 2>&1; tail -3 /tmp/x",
    ] {
        assert!(runs_in(".git", command).refusal().is_some(), "{command}");
    }
    runs_in(".git", "cd .. && ls").passes();
    runs_in("src", "ls").passes();
}

#[test]
fn a_refusal_turns_no_command_around() {
    let world = changed();
    let input = json!({ "command": "cat .git/seed/\u{202e}lmth.x" });
    let reply = world.before("Bash", &input, &world.next_call());
    let refusal = reply.refusal().expect("it names the state");
    assert!(!refusal.contains('\u{202e}') && refusal.contains("\\u{202e}"), "{refusal}");
}

/// The git directory's name may come out of a pipe: what is read below it is meant all the same.
#[test]
fn state_is_not_read_through_a_pipe_that_names_the_directory() {
    let world = World::seeded();
    world.prompt("fix the lexer");
    for line in [
        "git rev-parse --git-dir | xargs -I{} cat {}/seed/journal/main.jsonl",
        "git rev-parse --absolute-git-dir | xargs -I % sh -c 'cat %/seed/x'",
        "git rev-parse --git-common-dir | while read d; do cat $d/seed/pending/main; done",
        "git rev-parse --git-dir | sed 's,$,/seed/x,' | xargs cat",
        "read -r d < <(git rev-parse --git-dir); cat \"$d\"/seed/x",
        "mapfile -t d < <(git rev-parse --git-dir) && cat \"${d[0]}/seed/x\"",
        "git rev-parse --git-dir > /tmp/d; cat $(cat /tmp/d)/seed/x",
        "(git rev-parse --git-dir; echo /seed/x) | tr -d '\\n' | xargs cat",
    ] {
        world.runs(line).refuses("BLOCKED");
    }
    world.runs("git rev-parse --git-dir | xargs -I{} ls {}/hooks").passes();
    world.runs("git rev-parse --git-dir | xargs ls").passes();
    world.runs("git rev-parse --git-dir && cat src/parser/lex.rs").passes();
}
