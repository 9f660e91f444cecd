//! Verify answers each criterion of the plan: what is met was shown in this stay, what is not met
//! leads back, and what is not shown reaches the person.

use serde_json::json;

use super::world::{CODE, CRITERION, World, completion, message, question};

const TWO: &str = "- AC1: escapes survive\n- AC2: deep lists do not overflow";

/// A job in verify, opened, whose plan lists these criteria; nothing ran there yet.
fn planned(criteria: &str) -> World {
    let world = World::seeded();
    world.prompt("keep escapes in quoted strings");
    world.to("plan").works("plan");
    let listed = format!("- {CRITERION}\n");
    world
        .seed("phase advance -F -")
        .stdin(&message("plan").replace(&listed, &format!("{criteria}\n")))
        .succeeds();
    world.works("execute");
    world.leaves();
    assert_eq!(world.phase(), "verify");
    world.opens();
    world.reads(CODE).passes();
    world.notes("---Ve---", "looked at it: escapes survive");
    world
}

/// Verify's message with these answers.
fn says(answers: &str) -> String {
    message("verify").replace(&format!("- {CRITERION}: met\n"), &format!("{answers}\n"))
}

/// Words need no test: a look at them shows what the plan asks of them, and the last edit of them
/// is what has to be seen.
#[test]
fn where_only_words_changed_a_look_shows_a_criterion() {
    let world = World::seeded();
    world.prompt("write a guide for escapes");
    world.to("plan").works("plan");
    world.leaves();
    world.opens();
    let guide = "src/parser/guide.md";
    world.writes(guide, "# Guide\n\nEscapes survive.\n").passes();
    world.notes("---Ex---", "the guide says that escapes survive");
    world.runs(&format!("cat {guide}")).passes();
    world.leaves();
    assert_eq!(world.phase(), "verify");
    world.opens();
    world.reads(CODE).passes();
    world.notes("---Ve---", "looked at what there is");
    let met = format!("- {CRITERION}: met, the guide says so");
    world.runs(&format!("grep -n survive {guide}")).passes();
    world.reads(guide).passes();
    world.notes("---Ve---", "the guide says that escapes survive");
    refused(&world, &met.replace(": met", ": not shown"), "no criterion of the plan was shown");
    goes_on(&world, &met);
}

/// A command runs, and the host says that it ended so.
fn ran(world: &World, command: &str, code: i64) {
    world.minute();
    let (input, call) = (json!({ "command": command }), world.next_call());
    world.before("Bash", &input, &call).passes();
    if code == 0 {
        let said = json!({ "stdout": "", "stderr": "", "interrupted": false });
        world.after("Bash", &input, &call, &said, 40);
        return;
    }
    let fields = json!({ "tool_name": "Bash", "tool_input": input, "tool_use_id": call,
        "error": format!("Exit code {code}"), "is_interrupt": false, "duration_ms": 40 });
    world.event("PostToolUseFailure", &fields);
}

fn refused(world: &World, answers: &str, why: &str) {
    world.changes_nothing(|| {
        world.seed("phase advance -F -").stdin(&says(answers)).refuses(why);
    });
}

fn goes_on(world: &World, answers: &str) {
    world.seed("phase advance -F -").stdin(&says(answers)).succeeds();
    assert_eq!(world.phase(), "condense");
}

#[test]
fn a_criterion_that_is_not_met_leads_back_only() {
    let world = planned(TWO);
    world.tests();
    let answers = "- [x] AC1: escapes survive\n- AC2: FAIL, deep lists overflow";
    refused(&world, answers, "is not met, so the work may not go forward");
    refused(&world, &answers.replace("FAIL", "not met"), "is not met");
    refused(&world, "- AC1: met\n- [ ] AC2", "AC2: deep lists do not overflow");
    world.seed("phase back execute -m 'deep lists overflow'").succeeds();
    assert_eq!(world.phase(), "execute");
    // Mended, and run again: what was answered before is no answer now.
    world.opens();
    world.edits(CODE, "escapes();", "escapes(); deep();").passes();
    world.notes("---Ex---", "looked deeper");
    world.leaves();
    world.opens();
    world.tests();
    world.notes("---Ve---", "ran it again");
    goes_on(&world, "- AC1: met\n- AC2: met, at depth 9");
}

#[test]
fn each_criterion_is_answered_and_one_is_met() {
    let world = planned(TWO);
    world.tests();
    refused(&world, "- AC1: met", "does not answer the plan's criterion \"AC2: deep lists");
    refused(&world, "All of it was looked at.", "criterion \"AC1: escapes survive");
    refused(&world, "- AC1: not shown\n- AC2: not shown", "no criterion of the plan was shown");
    goes_on(&world, "- AC1: met\n- AC2: not shown, there is no deep list here");
    // What is not shown reaches the person with the question.
    world.works("condense");
    let asked = world.asks(&completion()).passes();
    let told = asked.reply.to_person().expect("a word to the person").to_owned();
    assert!(told.contains("criteria  1 met, 0 not met, 1 not shown: AC2"), "{told}");
    assert!(asked.text().contains("1 of 2 criteria not shown"), "{}", asked.text());
}

#[test]
fn what_is_met_ran_in_this_stay_as_a_run_of_tests() {
    let world = planned(TWO);
    let met = "- AC1: met\n- AC2: met";
    world.reads(CODE).passes();
    world.reads(CODE).passes();
    world.notes("---Ve---", "read it once more: escapes survive");
    // The tests ran in execute, and nothing changed since: that is for the card.
    refused(&world, met, "no tests passed in this phase");
    ran(&world, "python3 -c pass", 0);
    refused(&world, met, "no tests passed in this phase");
    let all = format!("{met}\n- [x] all tests pass (make test)");
    refused(&world, &all, "no tests passed in this phase");
    ran(&world, "cargo test lex", 0);
    refused(&world, &all, "rests on `make test`");
    ran(&world, "make test", 2);
    ran(&world, "python3 -c pass", 0);
    refused(&world, met, "`make test` fails on the current work");
    ran(&world, "make test", 0);
    goes_on(&world, &all);
}

#[test]
fn a_part_of_the_tests_shows_nothing_of_all() {
    let world = planned("- AC1: escapes survive\n- no regressions");
    ran(&world, "cargo test lex", 0);
    refused(&world, "- AC1: met\n- no regressions: met", "only a part of them ran");
    ran(&world, "cargo test", 0);
    goes_on(&world, "- AC1: met\n- no regressions: met");
}

#[test]
fn what_is_not_shown_was_tried_where_a_run_was_named() {
    let world = planned("- AC1: escapes survive\n- AC2: speed (`cargo test --test speed`)");
    ran(&world, "cargo test lex", 0);
    let answers = "- AC1: met\n- AC2: not shown, this machine is too slow";
    refused(&world, answers, "its command `cargo test --test speed` did not run");
    ran(&world, "cargo test --test speed", 101);
    ran(&world, "cargo test lex", 0);
    goes_on(&world, answers);
}

/// Codex and Gemini tell no status: what the runner's closing lines say shows a criterion, and
/// a run without such lines shows none.
#[test]
fn where_no_status_is_told_the_runners_lines_show_it() {
    for (host, tool, before, after) in [
        ("codex", "Bash", "PreToolUse", "PostToolUse"),
        ("gemini", "run_shell_command", "BeforeTool", "AfterTool"),
    ] {
        let world = planned("- AC1: escapes survive");
        let runs = |command: &str, text: &str| {
            let printed = match host {
                "codex" => json!(text),
                _ => json!({ "llmContent": text }),
            };
            let call = world.next_call();
            let mut fields = json!({ "tool_name": tool, "tool_use_id": call,
                "tool_input": { "command": command } });
            world.hears(host, before, &fields);
            fields["tool_response"] = printed;
            world.hears(host, after, &fields);
        };
        let met = "- AC1: met";
        runs("python3 -m unittest -q", "done");
        refused(&world, met, "no tests passed in this phase");
        runs("python3 -m unittest -q", "Ran 3 tests in 0.001s\n\nFAILED (failures=1)");
        refused(&world, met, "no run has succeeded");
        runs("python3 -m unittest -q", "Ran 3 tests in 0.001s\n\nOK");
        goes_on(&world, met);
    }
}

#[test]
fn a_persons_word_counts_until_the_phase_is_left() {
    let world = planned(TWO);
    ran(&world, "python3 -c pass", 0);
    let met = "- AC1: met\n- AC2: not shown";
    refused(&world, met, "no tests passed in this phase");
    let options = ["Counts as met", "Does not"];
    let ask = |text: &str| world.asks(&question(text, &options));
    ask("[CRITERION] Is what you saw enough to count?").refuses("the question must quote");
    let text = "[CRITERION] You looked at it: does \"AC1: escapes survive\" count?";
    world.minute();
    ask(text).passes().answers("Does not");
    refused(&world, met, "no tests passed in this phase");
    world.minute();
    ask(text).passes().answers("Counts as met");
    // For this one, and for no other.
    refused(&world, "- AC1: not shown\n- AC2: met", "no tests passed in this phase");
    world.seed("phase back execute -m 'one more look'").succeeds();
    world.opens();
    world.edits(CODE, "escapes();", "escapes(); deep();").passes();
    world.notes("---Ex---", "looked deeper");
    world.leaves();
    world.opens();
    world.reads(CODE).passes();
    world.notes("---Ve---", "looked again");
    refused(&world, met, "no tests passed in this phase");
    world.minute();
    ask(text).passes().answers("Counts as met");
    ran(&world, "python3 -c pass", 0);
    goes_on(&world, met);
}

#[test]
fn large_work_is_looked_at_by_somebody_else() {
    let large = || {
        let world = planned(TWO);
        world.seed("phase back execute -m 'there is more to build'").succeeds();
        world.opens();
        let code: String = (0..230).map(|n| format!("fn f{n}() {{}}\n")).collect();
        world.writes("src/parser/more.rs", &code).passes();
        world.notes("---Ex---", "built the rest");
        world.leaves();
        world.opens();
        world.tests();
        world.notes("---Ve---", "ran it all");
        world
    };
    let met = "- AC1: met\n- AC2: met";
    let world = large();
    let told = "nobody else has reviewed them.\nDo: launch verify-execute-auditor, and wait";
    refused(&world, met, told);
    refused(&world, &format!("{met}\n\n## Audit\nall is well"), "nobody else has reviewed");
    world.launches("general-purpose");
    goes_on(&world, met);
    // Where nobody can be launched, its author answers.
    let world = large();
    let audit = "- every changed line was reached by cargo test\n\
        - an unclosed quote would break it, and is refused\n\
        - no test was changed or switched off\n- nobody else calls the lexer yet";
    goes_on(&world, &format!("{met}\n\n## Audit\n{audit}"));
}

/// A run whose output the line throws away may have run no test at all.
#[test]
fn a_run_whose_output_is_thrown_away_meets_nothing() {
    let world = planned(TWO);
    let met = "- AC1: met\n- AC2: met";
    for command in [
        "python3 -m unittest -q 2>/dev/null",
        "node --test >/dev/null 2>&1",
        "npm test > /tmp/log",
        "cargo test >/dev/null && echo ok",
    ] {
        ran(&world, command, 0);
        refused(&world, met, "no tests passed in this phase");
    }
    ran(&world, "cargo test >/dev/null", 101);
    refused(&world, met, "fails on the current work");
}
