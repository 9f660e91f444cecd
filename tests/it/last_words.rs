//! Last words of a turn, sentence by sentence, over one change and what ran on it.

use serde_json::json;

use super::world::{CODE, PASSED, Reply, World};

const TEST: &str = "tests/lex.rs";

/// A fenced clone in which `lex()` was changed, and a test that stays.
fn changed() -> World {
    let world = World::new();
    world.puts(CODE, "fn lex() {}\n\nfn mul() {}\n\nfn pad() {}\n");
    world.puts(TEST, "#[test]\nfn lexes() {\n    assert!(lex());\n}\n");
    world.puts("tests/pad.rs", "#[test]\nfn test_pad() {\n    assert!(pad());\n}\n");
    world.sh("git add -A && git commit -qm more");
    world.person("init --mode fence").succeeds();
    world.starts();
    world.prompt("keep escapes in quoted strings, and push it");
    world.edits(CODE, "fn lex() {}", "fn lex() { escapes(); }").passes();
    world
}

fn green(world: &World) {
    let ran = json!({ "stdout": PASSED, "stderr": "", "interrupted": false });
    world.tool("Bash", &json!({ "command": "cargo test" }), || ran).passes();
}

fn red(world: &World) {
    let failed = json!({ "tool_name": "Bash", "tool_input": { "command": "cargo test" },
        "tool_use_id": world.next_call(), "is_interrupt": false, "duration_ms": 40,
        "error": "Exit code 101\ntest result: FAILED. 6 passed; 1 failed; 0 ignored; 0 measured; \
            0 filtered out; finished in 0.01s" });
    world.event("PostToolUseFailure", &failed);
}

fn ends(world: &World, said: &str) -> Reply {
    world.minute();
    let fields = json!({ "stop_hook_active": false, "last_assistant_message": said,
        "background_tasks": [], "session_crons": [] });
    let told = world.event("Stop", &fields);
    world.prompt("go on");
    told
}

#[track_caller]
fn judged(world: &World, back: &[&str], out: &[&str]) {
    for said in back {
        let told = ends(world, said);
        assert!(told.refusal().is_some_and(|no| no.contains("you end with")), "{said}: {told:?}");
    }
    for said in out {
        let told = ends(world, said);
        assert!(told.refusal().is_none(), "{said}: {told:?}");
    }
}

#[test]
fn work_on_what_did_not_change_goes_back() {
    let world = changed();
    green(&world);
    judged(
        &world,
        &[
            "`lex()` keeps escapes, and I sped up `mul()` as well. Tests pass.",
            "I refactored mul(). Tests pass.",
            "lex() keeps escapes now.\n- `mul()` was simplified",
            "clippy is clean, and the tests pass.",
            "Tests pass, rustfmt and eslint are both green.",
        ],
        &[
            "I refactored `lex()`: it keeps escapes. Tests pass.",
            "lex() keeps escapes; mul() was left alone. Tests pass.",
            "I refactored lex() to call mul(). Tests pass.",
            "Tests pass. clippy was not run.",
            // What line elsewhere did it is nobody's to know.
            "Fixed mul(): it hands escapes through lex() now. Tests pass.",
        ],
    );
    world.runs_and("make lint", || {});
    judged(&world, &[], &["clippy is clean, and the tests pass."]);
}

#[test]
fn that_nothing_breaks_wants_a_run_as_that_all_passes_does() {
    let world = changed();
    judged(
        &world,
        &[
            "lex() keeps escapes. I've confirmed that no existing test breaks with this.",
            "lex() keeps escapes, and no test fails.",
        ],
        &["lex() keeps escapes. I have not checked whether a test breaks."],
    );
}

#[test]
fn what_failed_is_not_admitted_by_saying_that_it_is_mended() {
    let world = changed();
    red(&world);
    judged(
        &world,
        &[
            "lex() keeps escapes, and I fixed the one test that failed.",
            "The failing test is resolved, everything is green.",
            "I repaired the test that used to fail; the suite passes.",
        ],
        &[
            "lex() keeps escapes. One test still fails.",
            "Six of the seven tests pass. The seventh, lexes, doesn't.",
            "6 of 7 tests pass.",
            "I fixed lex(), but one test fails.",
        ],
    );
}

#[test]
fn a_test_that_goes_with_its_function_is_listed_and_a_denial_names_none() {
    let world = changed();
    world.edits(CODE, "\nfn pad() {}\n", "").passes();
    world.sh("rm tests/pad.rs");
    green(&world);
    judged(
        &world,
        &["lex() keeps escapes, and no tests were removed. All tests pass.", "All tests pass."],
        &[
            "Removed `pad` and its test; all tests pass.",
            "pad is gone. I took its test out as well. All tests pass.",
            "Dropped `pad`, which nothing calls. All tests pass.",
        ],
    );
}

#[test]
fn a_push_is_told_by_what_it_sent() {
    let world = changed();
    green(&world);
    world.sh("git init -q --bare ../up.git && git remote add origin ../up.git");
    world.sh("git push -q -u origin HEAD");
    let pushes = |line: &str| {
        world.prompt(&format!("[ALLOW {line}]"));
        world.runs(line).before.passes();
    };
    // The work is in no commit yet: nothing is sent.
    pushes("git push origin HEAD");
    judged(&world, &["I pushed the branch to origin."], &["Nothing was pushed."]);
    world.sh("git commit -qam work");
    pushes("git push origin HEAD");
    judged(
        &world,
        &["I force-pushed the branch to origin."],
        &[
            "I pushed the branch to origin.",
            "Pushed to origin, without force.",
            "Pushed to origin; no pull request is opened.",
        ],
    );
    // A push opens no request; somebody else may have.
    for said in ["Pushed to origin and opened a pull request.", "Pushed, and I raised a PR for it."]
    {
        let told = ends(&world, said);
        let person = told.to_person().unwrap_or_default();
        assert!(told.refusal().is_none() && person.contains("pull request"), "{said}: {told:?}");
    }
    world.sh("git commit -q --amend -m 'work, told better'");
    pushes("git push --force origin HEAD");
    judged(
        &world,
        &["Pushed to origin, a plain push.", "I pushed the branch to origin, no force needed."],
        &["I force-pushed the branch to origin.", "I pushed the branch to origin."],
    );
}

#[test]
fn an_older_run_and_a_part_may_be_told_as_what_they_are() {
    let world = changed();
    green(&world);
    world.edits(CODE, "fn mul() {}", "fn mul() { twice(); }").passes();
    judged(
        &world,
        &["Both are in, and the suite is green."],
        &[
            "- lex: tests green at that point\n- mul: changed afterwards, not retested",
            "Both are in. The tests passed on the lex change; the mul change has not been tested.",
            "mul() doubles now. Test run still outstanding.",
        ],
    );
}

/// What git and the changed files know is held against what is told of commits and of what is gone.
#[test]
fn what_git_knows_answers_words_about_commits_and_what_is_gone() {
    let world = changed();
    green(&world);
    judged(
        &world,
        &["lex() keeps escapes. I committed it. Tests pass."],
        &["lex() keeps escapes, not committed. Tests pass.", "Tests pass. Shall I commit it?"],
    );
    let told = |said: &str| ends(&world, said).to_person().unwrap_or_default().to_owned();
    for (said, point) in [
        ("`mul` is gone, and lex() keeps escapes. Tests pass.", "still there: mul (src/parser/"),
        ("There is no mention of `pad` left anywhere. Tests pass.", "still there: pad ("),
        ("lex() keeps escapes; the branch is up on origin. Tests pass.", "on origin"),
        ("lex() keeps escapes. I asked the ops team about it. Tests pass.", "ops team"),
    ] {
        let told = told(said);
        assert!(told.contains(point), "{said}: {told}");
    }
    for said in ["lex() keeps escapes, mul() was left alone. Tests pass.", "Tests pass."] {
        assert_eq!(told(said), "", "{said}");
    }
    world.sh("git add -A && git commit -qm 'keep escapes'");
    judged(&world, &[], &["lex() keeps escapes. I committed it. Tests pass."]);
}
