//! Messages of work and of its proof say what is shown: `git log` keeps them.

use serde_json::json;

use super::quick::{done, small, small_in};
use super::world::{CODE, Question, World, completion, message, question};

/// A small job in execute.
fn in_execute() -> World {
    let world = small();
    world.seed("phase advance --scope src/parser -m 'the lexer drops escapes'").succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world
}

/// Runs the tests, one of which fails.
fn fails(world: &World) {
    let mut fields = json!({
        "tool_name": "Bash", "tool_input": { "command": "cargo test" },
        "tool_use_id": world.next_call(),
    });
    world.event("PreToolUse", &fields).passes();
    fields["error"] = json!("Exit code 101\ntest result: FAILED. 1 passed; 1 failed; 0 ignored");
    world.event("PostToolUseFailure", &fields).passes();
}

#[test]
fn a_message_that_nothing_shows_is_no_commit() {
    let world = in_execute();
    fails(&world);
    for said in [
        "keep escapes; all the tests pass",
        "keep escapes; 99 tests pass",
        "keep escapes, and pushed to origin",
    ] {
        for command in ["phase checkpoint", "phase advance"] {
            let head = world.git("rev-parse HEAD");
            world.seed(&format!("{command} -m '{said}'")).refuses("the message says");
            assert_eq!((world.git("rev-parse HEAD"), world.phase()), (head, "execute".to_owned()));
        }
    }
    // Less is said: the same step goes on.
    world.seed("phase checkpoint -m 'keep escapes; the tests fail still'").succeeds();
    world.edits(CODE, "escapes();", "escapes(2);").passes();
    world.tests();
    world.seed("phase advance -m 'keep escapes; all the tests pass'").succeeds();
    assert_eq!(world.phase(), "condense");
    world.asks(&done()).passes().answers("Approve completion").tells("closed");
}

/// Kills the boundary right behind its commit, once.
#[cfg(target_os = "linux")]
const DIES: &str = r#"#!/bin/sh
[ -e ../dies ] || exit 0
rm ../dies
p=$$
while [ "$p" -gt 1 ]; do
  if tr '\0' ' ' <"/proc/$p/cmdline" | grep -q 'phase checkpoint'; then kill -9 "$p"; exit; fi
  p=$(cut -d' ' -f4 "/proc/$p/stat")
done
"#;

#[cfg(target_os = "linux")]
#[test]
fn a_commit_that_a_kill_left_has_its_step_whatever_runs_after_it() {
    let world = super::world::World::new();
    world.puts(".git/hooks/post-commit", DIES);
    world.sh("chmod +x .git/hooks/post-commit");
    let world = world.installed();
    world.prompt("[QUICK] Fix the lexer: quoted strings lose their escapes");
    world.reads(CODE).passes();
    world.seed("phase advance --scope src/parser -m 'the lexer drops escapes'").succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.tests();
    let head = world.git("rev-parse HEAD");
    world.puts("../dies", "");
    let died = world.seed("phase checkpoint -m 'keep escapes; all the tests pass'").said();
    assert_ne!(died.code, 0, "{died:?}");
    let left = world.git("rev-parse HEAD");
    assert_ne!(left, head, "its commit is made");
    // The next hook takes its step, before the run that fails is written down.
    fails(&world);
    world.seed("phase checkpoint -m 'what stands so far'").said();
    let subjects = world.git("log --format=%s%n%b");
    assert!(subjects.contains("keep escapes; all the tests pass"), "{subjects}");
    let noted = world.git(&format!("notes --ref=seed show {left}"));
    assert!(noted.contains("checkpoint"), "its step is taken: {noted}");
    assert!(world.seed("verify").succeeds().contains(" 0 broken"));
}

#[test]
fn what_proves_the_work_says_what_ran() {
    let world = World::seeded();
    world.enters("verify");
    world.works("verify");
    let text = message("verify");
    let lie = format!("all 99 tests pass, and the change was deployed to staging\n\n{text}");
    world.seed("phase advance -F -").stdin(&lie).refuses("the message says");
    assert_eq!(world.phase(), "verify");
    world.leaves();
    assert_eq!(world.phase(), "condense");
}

#[test]
fn what_is_declared_already_is_nothing_new() {
    let world = in_execute();
    world.tests();
    world.seed("phase advance --scope src/parser -m 'keep escapes'").succeeds();
    assert_eq!(world.phase(), "condense");
    let world = in_execute();
    world.changes_nothing(|| {
        world.seed("phase advance --scope docs -m 'keep escapes'").refuses("docs")
    });
    world.changes_nothing(|| {
        let told = world.seed("phase advance --scope . -m 'keep escapes'").refuses("./");
        assert!(!told.contains(": .."), "{told}");
        told
    });
}

#[test]
fn the_card_says_that_a_person_committed_the_work() {
    let world = in_execute();
    world.git("commit -qam 'by hand'");
    world.tests();
    world.seed("phase advance -m 'keep escapes'").succeeds();
    let told = world.card();
    assert!(told.contains("Nothing was changed but what was committed by hand"), "{told}");
}

/// The line that git seed counted is its own wherever words quote it whole, also where no known run
/// of tests is there to show a result. A changed one is the agent's.
#[test]
fn the_line_of_the_card_is_no_word_of_the_agents() {
    let world =
        small_in(&[("lib/slug.js", "export const slug = s => s.toLowerCase()\n"), ("a.js", "\n")]);
    world.edits("lib/slug.js", "s.toLowerCase", "s.trim().toLowerCase").passes();
    let ran = json!({ "stdout": "dist/slug.js", "stderr": "", "interrupted": false });
    world.tool("Bash", &json!({ "command": "node build.js" }), || ran).passes();
    world.minute();
    let card = world.card();
    assert!(card.contains("1 run, last `node build.js` exit 0 (no known test run)"), "{card}");
    let asks = |line: &str| -> Question<'_> {
        let text = format!(
            "[JOB-COMPLETE] fix the lexer: slug trims its input before it lowers it, and the \
             build script was called once by hand; there are no tests in this repository, so none \
             of them was run.\n{line}\n\n## Outstanding Items\n"
        );
        world.minute();
        world.asks_bare(&question(&text, &["Review", "Approve completion"]))
    };
    for line in [card.clone(), format!("> **{card}**"), card.replace("; ", ";\n")] {
        asks(&line).passes();
    }
    asks(&format!("{card} All 12 tests pass.")).refuses("All 12 tests pass");
    // In a message too; with another number in it, it is a result that nothing shows.
    let says = |line: &str| format!("trim the input of slug\n\n{line}\n");
    let other = card.replace("1 run", "3 runs");
    world.seed("phase checkpoint -F -").stdin(&says(&other)).refuses("exit 0");
    world.seed("phase checkpoint -F -").stdin(&says(&card)).succeeds();
    asks(&world.card()).passes().answers("Approve completion").tells("closed");
}

/// A run that was repeated and fails still is told as one that fails: to run it again is no way
/// out, and two runs that fail weigh as one does.
#[test]
fn a_run_that_fails_still_is_not_to_be_repeated() {
    let world = in_execute();
    let says = |said: &str| world.seed(&format!("phase checkpoint -m '{said}'"));
    for text in ["escapes(1);", "escapes(2);", "escapes(3);"] {
        fails(&world);
        world.minute();
        fails(&world);
        let told = says("keep escapes; all the tests pass").refuses("the last run failed: cargo");
        assert!(told.contains("say that it fails"), "{told}");
        says("keep escapes in quoted strings").succeeds();
        let now = world.text(CODE);
        let call = &now[now.find("escapes(").expect("a call")..];
        let call = &call[..=call.find(';').expect("its end")];
        world.edits(CODE, call, text).passes();
    }
    // What passed since was another run.
    fails(&world);
    world.minute();
    let passed = json!({ "stdout": super::world::PASSED, "stderr": "", "interrupted": false });
    world.tool("Bash", &json!({ "command": "cargo test -p other" }), || passed).passes();
    let told = says("keep escapes in quoted strings").refuses("has not passed since: cargo test");
    assert!(told.contains("say that it failed"), "{told}");
    says("keep escapes in quoted strings. cargo test fails: a test wants another end").succeeds();
}

/// The message that closes a cycle is judged at each host: none puts the question for completion
/// wherever a cycle is closed.
#[test]
fn the_message_that_closes_a_cycle_says_what_is_shown() {
    let asked = || {
        let world = World::seeded();
        world.to("condense").works("condense");
        // Nobody answers it.
        world.asks(&completion()).passes();
        world
    };
    let said = |said: &str| format!("{said}\n\n{}", message("condense"));
    let world = asked();
    for lie in [
        "all 99 tests pass, and the branch was pushed to origin and deployed",
        "settle the notes; the release was published to crates.io",
    ] {
        for command in ["phase advance -F -", "phase advance --add-cycle more -F -"] {
            world.seed(command).stdin(&said(lie)).refuses("the message says");
            assert_eq!(world.phase(), "condense");
        }
    }
    for honest in [
        "settle the notes of the lexer",
        "the lexer keeps escapes, and cargo test passed",
        "what the page said of escapes went into the knowledge file; two notes were dropped",
        "archive the journal, consume the markers and shorten src/parser/CLAUDE.md",
    ] {
        let world = asked();
        world.seed("phase advance -F -").stdin(&said(honest)).succeeds();
        assert_eq!(world.phase(), "none", "{honest}");
    }
}

/// What the difference alone shows otherwise is said by no message.
#[test]
fn a_message_denies_no_change_that_was_made() {
    let world = in_execute();
    world.tests();
    for lie in ["lex.rs was not touched", "keep escapes without editing src/parser/lex.rs"] {
        let told = format!("phase checkpoint -m 'quoted strings end well; {lie}'");
        world.seed(&told).refuses("changed, and said not to be: src/parser/lex.rs");
    }
    let honest = "quoted strings end well; only lex.rs was changed, and todo.txt was not touched";
    world.seed(&format!("phase checkpoint -m '{honest}'")).succeeds();
}

/// Nor is it in the text of what goes out with the work.
#[test]
fn the_line_of_the_card_is_quoted_in_what_goes_out() {
    let world = small_in(&[("lib/slug.js", "export const slug = s => s.toLowerCase()\n")]);
    world.edits("lib/slug.js", "s.toLowerCase", "s.trim().toLowerCase").passes();
    let ran = json!({ "stdout": "dist/slug.js", "stderr": "", "interrupted": false });
    world.tool("Bash", &json!({ "command": "node build.js" }), || ran).passes();
    let goes_out = |line: &str| {
        let line = format!("gh pr create --title slug --body 'trim the input of slug. {line}'");
        world.prompt(&format!("[ALLOW {line}]"));
        world.before("Bash", &json!({ "command": line }), &world.next_call())
    };
    let card = world.card();
    assert!(card.contains("exit 0 (no known test run)"), "{card}");
    assert!(goes_out(&card).refusal().is_none());
    goes_out(&card.replace("1 run", "3 runs")).refuses("exit 0");
    goes_out("All 12 tests pass.").refuses("All 12 tests pass");
}

/// A text is read whole or not at all, wherever it comes from.
#[test]
fn a_text_that_is_too_long_or_not_there_is_told_and_changes_nothing() {
    let world = in_execute();
    let head = world.git("rev-parse HEAD");
    let long = format!("keep escapes\n\n{}", "a word ".repeat(200_000));
    std::fs::write(world.root().join("long"), &long).expect("it is written");
    for command in ["phase checkpoint", "phase advance", "phase back observe", "reflect src"] {
        let told = "the text has more than 1 MiB";
        world.seed(&format!("{command} -F ../long")).ends(64, told);
        world.seed(&format!("{command} -F -")).stdin(&long).ends(64, told);
        world.seed(&format!("{command} -F ../none")).ends(1, "cannot read `../none`");
    }
    assert_eq!((world.git("rev-parse HEAD"), world.phase()), (head, "execute".to_owned()));
}
