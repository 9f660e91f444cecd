//! Receipts: each command that hooks saw run leaves one, and it says no more than was seen.

use serde_json::{Value, json};

use super::world::{CODE, World};

/// The receipts in the job's tree, newest boundary included.
fn receipts(world: &World) -> Vec<Value> {
    let chain = format!("refs/seed/jobs/{}", world.job().trim());
    let files = world.git(&format!("ls-tree -r --name-only {chain} evidence/"));
    let ids = files.lines().filter_map(|file| file.rsplit('/').next()?.strip_suffix(".toml"));
    let mut all: Vec<Value> = ids.map(|id| world.json(&format!("show {id}"))).collect();
    all.sort_by_key(|receipt| receipt["at"].as_str().expect("a time").to_owned());
    all
}

#[test]
fn a_run_of_code_leaves_a_receipt_in_the_jobs_tree() {
    let world = World::seeded();
    world.prompt("keep escapes in quoted strings");
    world.enters("execute");
    world.opens();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.tests();
    let shell = json!({"command": "cargo test | tail -3"});
    let call = world.next_call();
    world.before("Bash", &shell, &call);
    world.after("Bash", &shell, &call, &json!({"stdout": "ok", "stderr": ""}), 5);
    // Tests of another place end as they like.
    world.minute();
    let shell = json!({"command": "cargo --manifest-path /nowhere/Cargo.toml test"});
    let call = world.next_call();
    world.before("Bash", &shell, &call);
    world.after("Bash", &shell, &call, &json!({"stdout": "ok", "stderr": ""}), 5);
    world.runs("git status --short").passes();
    world.seed("phase checkpoint -m 'keep escapes in quoted strings'").succeeds();
    let all = receipts(&world);
    let told: Vec<(&str, Option<i64>)> = all
        .iter()
        .map(|one| (one["command"].as_str().expect("a line"), one["status"].as_i64()))
        .collect();
    assert_eq!(
        told,
        [
            ("cargo test", Some(0)),
            ("cargo test | tail -3", None),
            ("cargo --manifest-path /nowhere/Cargo.toml test", None)
        ],
        "a look leaves none there"
    );
    let first = &all[0];
    assert!(first["run"].is_string(), "{first}");
    assert_eq!(first["tree_before"], first["tree_after"], "the tests changed nothing");
    let tree = first["tree_after"].as_str().expect("a tree");
    let text = world.git(&format!("show {tree}:{CODE}"));
    assert!(text.contains("escapes();"), "the tree is the work tree of then: {text}");
    assert!(first["program"]["hash"].as_str().is_some_and(|hash| hash.len() == 16), "{first}");
    assert!(
        all[1]["run"].is_string() && all[1]["status"].is_null(),
        "a pipe hides how the tests ended"
    );
    let id = first["receipt"].as_str().expect("an id");
    world.seed(&format!("show {id}")).tells("exit status 0");
    world.seed("show 0123456789abcdef").ends(64, "no receipt");
}

#[test]
fn a_failed_run_says_how_it_ended() {
    let world = World::seeded();
    world.prompt("keep escapes in quoted strings");
    world.enters("execute");
    world.opens();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    let shell = json!({"command": "cargo test"});
    let call = world.next_call();
    world.before("Bash", &shell, &call);
    let failed = json!({
        "tool_name": "Bash", "tool_input": shell, "tool_use_id": call, "duration_ms": 5,
        "error": "Exit code 101\ntest lex ... FAILED",
    });
    world.event("PostToolUseFailure", &failed);
    world.seed("phase checkpoint -m 'keep escapes in quoted strings'").succeeds();
    let all = receipts(&world);
    assert_eq!(
        (all.len(), all[0]["status"].as_i64(), all[0]["failed"].as_bool()),
        (1, Some(101), Some(true))
    );
}
