//! The hooks around claims: acts that ask for a ruling, last words, and what is kept of the rest.

use serde_json::{Value, json};

use super::world::{CODE, World, completion, question};

const OPTIONS: [&str; 2] = ["Review", "Approve completion"];

const GATE: &str =
    "claim gate --action commit --confidence 0.9 --evidence-count 1 --type unit_test";

/// A job in execute whose rules say `mode`.
fn at_work(mode: &str) -> World {
    let world = World::seeded();
    world.puts("seed.toml", &format!("[claims]\nmode = \"{mode}\"\n"));
    world.person("rules apply").succeeds();
    std::fs::remove_file(world.path("seed.toml")).expect("the proposal goes");
    world.prompt("keep escapes in quoted strings");
    world.enters("execute");
    world.opens();
    world
}

fn long(n: usize) -> String {
    (0..n).map(|n| format!("fn f{n}() {{}}\n")).collect()
}

/// Lines of the journal and of what was folded, with their `what`.
fn lines(world: &World, what: &str) -> Vec<Value> {
    let mut text = world.traced(world.job().trim());
    text.push_str(&world.text(".git/seed/journal/main.jsonl"));
    let read = |line: &str| serde_json::from_str::<Value>(line.split('\t').next()?).ok();
    text.lines().filter_map(read).filter(|line| line["what"] == what).collect()
}

#[test]
fn an_act_without_a_ruling_is_told_once_and_goes_on() {
    let world = at_work("advise");
    world.writes("src/parser/a.rs", &long(5)).passes();
    let told = world.writes("src/parser/b.rs", &long(30)).before;
    let context = told.context().expect("a word to the agent");
    assert!(context.contains("NOTE") && context.contains("git seed claim gate"), "{context}");
    assert!(told.refusal().is_none(), "{told:?}");
    world.writes("src/parser/c.rs", &long(30)).passes();
    world.seed(GATE).said();
    let ruled = lines(&world, "claimed");
    assert_eq!(ruled.len(), 1, "{ruled:?}");
    assert_eq!(lines(&world, "advised").len(), 2, "each act is counted");
}

#[test]
fn where_the_rules_enforce_it_the_act_waits_for_a_claim_that_stands() {
    let world = at_work("enforce");
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.writes("src/parser/b.rs", &long(30)).refuses("git seed claim gate");
    world.delegates("general-purpose", || json!({})).refuses("git seed claim gate");
    // A claim that is turned down opens nothing.
    world
        .seed("claim gate --action claim_fixed --confidence 0.9 --evidence-count 0 --type none")
        .refuses("");
    world.writes("src/parser/b.rs", &long(30)).refuses("git seed claim gate");
    let open =
        "claim gate --action refactor --confidence 0.9 --evidence-count 1 --type code_review";
    world.seed(open).succeeds();
    world.writes("src/parser/b.rs", &long(30)).passes();
    world.writes("src/parser/c.rs", &long(30)).passes();
    // A person is asked about what a ruling lets pass, and about nothing else.
    world.runs("git push origin main").refuses("no prompt of this job asks for git push");
    world.host_has("CLAUDE_CODE_SESSION_ATTENDED", "1");
    world.prompt("and push it");
    world.runs("git push origin main").refuses("git seed claim");
    world.delegates("general-purpose", || json!({ "status": "completed", "content": [] })).passes();
    // Nothing that the agent writes opens it.
    let status = world.json("claim report");
    assert_eq!(status["total"], 2, "{status}");
    world.hours(1);
    world.writes("src/parser/d.rs", &long(30)).refuses("git seed claim gate");
}

#[test]
fn what_is_said_of_a_file_was_opened_in_the_turn() {
    let world = World::seeded();
    world.puts("seed.toml", "[claims]\nmode = \"enforce\"\n");
    world.person("rules apply").succeeds();
    std::fs::remove_file(world.path("seed.toml")).expect("the proposal goes");
    world.prompt("what does the lexer do with escapes?");
    let ends = |said: &str| {
        world.event(
            "Stop",
            &json!({ "stop_hook_active": false, "last_assistant_message": said,
                "background_tasks": [] }),
        )
    };
    let no = ends(&format!("`{CODE}` handles escapes one character at a time."));
    assert!(no.refusal().is_some_and(|text| text.contains(CODE)), "{no:?}");
    world.reads(CODE).passes();
    assert!(ends(&format!("`{CODE}` handles escapes one character at a time.")).is_silent());
    world.prompt("and now?");
    let no = ends(&format!("Does {CODE} still drop them?"));
    assert!(no.refusal().is_some(), "another turn has opened nothing yet");
    world.runs(&format!("cat {CODE}")).passes();
    assert!(ends(&format!("Does {CODE} still drop them?")).is_silent());
    assert!(ends("Done.").is_silent());
}

#[test]
fn what_came_from_outside_is_kept_and_opens_nothing() {
    let world = at_work("advise");
    let fetched = json!({ "url": "https://example.org/escapes", "prompt": "read" });
    world.after("WebFetch", &fetched, &world.next_call(), &json!({ "result": "text" }), 5);
    let echo = json!({ "text": "hi" });
    world.tool("mcp__tiny__echo", &echo, || json!([{ "type": "text", "text": "hi" }]));
    let sources: Vec<String> = lines(&world, "after")
        .iter()
        .filter_map(|line| line["source"].as_str().map(str::to_owned))
        .collect();
    assert_eq!(sources, ["https://example.org/escapes", "mcp: tiny"]);
    world.event("PreCompact", &json!({ "trigger": "auto" }));
    assert_eq!(lines(&world, "compacting").len(), 1);
    let ended = json!({
        "agent_id": "a1", "agent_type": "diff-reviewer", "stop_hook_active": false,
        "last_assistant_message": "The test of the escapes is gone.\nverdict: reject",
    });
    world.event("SubagentStop", &ended);
    let attested = lines(&world, "attested");
    assert_eq!(attested[0]["tool"], "diff-reviewer", "{attested:?}");
    let records = world.json("audit show");
    let text = records.to_string();
    assert!(text.contains("review") && text.contains("reject"), "{text}");
    let coverage = world.json("claim report --coverage");
    assert_eq!(coverage["covered"], 0, "a review backs no commit: {coverage}");
}

#[test]
fn a_session_that_goes_on_keeps_its_trace() {
    let world = at_work("advise");
    let trace =
        || world.json("claim checkpoint -m here")["trace_id"].as_str().expect("a trace").to_owned();
    let first = trace();
    world.event("SessionStart", &json!({ "source": "compact" }));
    assert_eq!(trace(), first);
    world.minute();
    world.event("SessionStart", &json!({ "source": "startup" }));
    assert_ne!(trace(), first);
}

#[test]
fn the_question_shows_the_person_what_was_seen() {
    let world = World::seeded();
    world.prompt("keep escapes in quoted strings");
    world.to("verify").works("verify");
    let claim = format!(
        "claim verify --claim 'fixed the lexer: it keeps escapes' --evidence 'the tests ran' \
         --type unit_test --tested {CODE} --affected {CODE}"
    );
    world.seed(&claim).succeeds();
    world.leaves();
    world.works("condense");
    let asked = world.asks(&completion()).passes();
    let told = asked.reply.to_person().expect("a word to the person").to_owned();
    for part in [
        "claim     pass",
        "runs      ",
        "cargo test, exit status 0",
        "coverage  ",
        "git seed audit show",
    ] {
        assert!(told.contains(part), "lacks {part}: {told}");
    }
    assert!(told.lines().count() <= 10, "{told}");
    // The line that the agent is told last may stand last.
    let text = completion()["question"].as_str().expect("a text").to_owned();
    let last = |more: &str| question(&format!("{text}\n{}{more}", world.card()), &OPTIONS);
    world.asks_bare(&last("")).passes();
    world.asks_bare(&last("\n\n- the docs\n")).refuses("text below `## Outstanding Items`");
}

/// An approval that was taken back has judged the claims before it: the next question stands for
/// itself.
#[test]
fn a_question_after_an_undone_approval_shows_its_own_ruling() {
    let world = World::seeded();
    world.prompt("keep escapes in quoted strings");
    world.to("condense").works("condense");
    for _ in 0..2 {
        let asked = world.asks(&completion()).passes();
        let told = asked.reply.to_person().expect("a word to the person").to_owned();
        assert!(told.contains("claim     pass: this question"), "{told}");
        asked.answers("Approve completion");
        let status = world.tries("git seed status").out;
        assert!(status.contains("the last: cargo test, exit status 0"), "still this run: {status}");
        let records = world.json("audit show").to_string();
        assert!(records.contains("verify_claim"), "what was asked is on record: {records}");
        world.person("undo").succeeds();
    }
}

#[test]
fn tests_that_git_seed_starts_leave_their_receipt() {
    if git_seed::confine::check().is_err() {
        return;
    }
    let world = at_work("advise");
    world.puts("src/parser/run-tests", "#!/bin/sh\nexit 3\n");
    world.sh(
        "chmod +x src/parser/run-tests && printf 'test:\\n\\t./src/parser/run-tests\\n' > Makefile",
    );
    world.seed("exec -- make test").ends(2, "");
    let ran = lines(&world, "ran");
    assert_eq!((ran.len(), ran[0]["ran"]["status"].as_i64()), (1, Some(2)), "{ran:?}");
    assert_eq!(ran[0]["ran"]["tree_before"], ran[0]["ran"]["tree_after"]);
}
