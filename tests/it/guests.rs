//! Sessions beside the one that drives the job: what they are told, and what of theirs counts.

use std::fs;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::world::{CODE, Said, World};

const FIRST: &str = "e2fc06a6-4aaf-49f6-8712-117cd08f9339";
const SECOND: &str = "7e1d0f0a-0000-4000-8000-000000000002";

/// A job in execute, which this process drives.
fn driven() -> World {
    let world = World::seeded();
    world.to("execute");
    world
}

/// Runs `line` in the shell of a second Claude Code, which is a process of its own and began here.
fn beside(world: &World, line: &str) -> Said {
    world.session(SECOND);
    let begins = world.payload("SessionStart", &json!({ "source": "startup" }));
    world.session(FIRST);
    fs::write(world.root().join("begins"), begins).expect("it is written");
    let script = format!("git-seed hook claude SessionStart <../begins >/dev/null\n{line}\n");
    fs::write(world.root().join("second.sh"), script).expect("it is written");
    world.agents_shell("sh ../second.sh", "")
}

/// Runs `line` in the shell of a client called `name` whose hooks nobody hears.
fn unheard(world: &World, name: &str, line: &str) -> Said {
    world.sh(&format!("printf '#!/bin/sh\\neval \"$1\"\\n' >../{name} && chmod +x ../{name}"));
    world.agents_shell(&format!("../{name} \"{line}\""), "")
}

fn refusals(world: &World) -> Value {
    world.json("status")["cost"]["refusals"].clone()
}

#[test]
fn the_status_of_a_guest_says_who_drives() {
    let world = driven();
    let own = world.seed("status").succeeds();
    assert!(own.contains("write in src/parser") && !own.contains("another session"), "{own}");
    let said = beside(&world, "git seed status; git seed status --json");
    assert_eq!(said.code, 0, "{said:?}");
    for told in ["another session (Claude Code) drives this job", "[JOIN]", "\"guest\":"] {
        assert!(said.out.contains(told), "lacks {told}: {said:?}");
    }
    for drivers in ["write in src/parser", "checkpoint", "(the agent does this)", "missing "] {
        assert!(!said.out.contains(drivers), "{drivers} is the driver's: {said:?}");
    }
    // A client without hooks hears the same, and so does one that is in no other session's shell.
    let said = unheard(&world, "codex", "git seed status");
    assert!(said.out.contains("another session (Claude Code) drives"), "{said:?}");
    assert!(!world.person("status").succeeds().contains("another session"), "a person is no guest");
    world.ends();
    let said = beside(&world, "git seed status");
    assert!(!said.out.contains("another session"), "nobody drives it now: {said:?}");
}

#[test]
fn a_session_that_drives_nothing_takes_no_step_of_the_job() {
    let world = driven();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.tests();
    let before = refusals(&world);
    let steps = [
        "phase checkpoint -m 'half of it, which was not asked of this session at all'",
        "phase advance -m 'over to verify'",
        "phase back plan -m 'the criteria were vague'",
        "job update --name 'my own job'",
        "job pause",
        "reflect scope -m 'looked at it again'",
        "status --multiplier 2",
    ];
    for step in steps {
        for said in [
            beside(&world, &format!("git seed {step}")),
            unheard(&world, "codex", &format!("git seed {step}")),
            unheard(&world, "gemini", &format!("git seed {step}")),
        ] {
            assert_eq!(said.code, 2, "{step}: {said:?}");
            assert!(said.err.contains("another session (Claude Code) drives"), "{step}: {said:?}");
        }
    }
    assert_eq!(world.phase(), "execute");
    assert_eq!(refusals(&world), before, "it costs the job of another session nothing");
    let why = world.json("why --last 1");
    assert_eq!(why[0]["by"], "driver", "but it is told: {why}");
    // Looks stay open, and so does what the driver itself does.
    let said = beside(&world, "git seed log && git seed phase current && git seed note list");
    assert_eq!(said.code, 0, "{said:?}");
    world.checkpoint("keep escapes").succeeds();
    // Its hooks tell of the calls of a session; where that is over, nobody drives.
    world.ends();
    let said = beside(&world, "git seed job update --name 'fix the lexer'");
    assert_eq!(said.code, 0, "{said:?}");
}

/// A second process of the driver's own client may be a part of the same session.
#[test]
fn a_process_of_the_drivers_own_client_is_no_guest() {
    let world = driven();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.tests();
    let told = "git seed status";
    let said = unheard(&world, "claude", told);
    assert!(!said.out.contains("another session"), "{said:?}");
}

#[test]
fn what_a_guest_is_refused_costs_the_job_nothing() {
    let world = driven();
    let before = world.json("status")["cost"].clone();
    world.session(SECOND);
    world.starts();
    for _ in 0..6 {
        let did = world.edits(CODE, "fn lex", "fn flex");
        did.refuses("another session");
        let said = did.before.refusal().expect("it was refused").to_owned();
        assert!(!said.contains("Example: "), "it is no storm of the driver's: {said}");
        assert!(did.before.to_person().is_none(), "{did:?}");
    }
    world.runs("git commit -am mine").refuses("BLOCKED");
    world.runs("git seed off -m mine").refuses("BLOCKED");
    let cost = world.json("status")["cost"].clone();
    assert_eq!(cost["refusals"], before["refusals"], "{cost}");
    assert_eq!(cost["words"], before["words"], "{cost}");
    assert_eq!(world.json("why --last 1")[0]["tool"], "Bash", "it is told all the same");
    world.session(FIRST);
    world.edits("todo.txt", "a", "b").refuses("BLOCKED");
    let own = before["refusals"].as_u64().expect("a number") + 1;
    assert_eq!(world.json("status")["cost"]["refusals"], json!(own), "the driver's own counts");
    let sums = world.json("stats")["refusals"].clone();
    let told = sums.as_array().into_iter().flatten().filter(|sum| sum["by"] == "driver").count();
    assert_eq!(told, 0, "{sums}");
}
