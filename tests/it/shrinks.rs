//! `[QUICK]` takes a job at work down to the small lane: only a person can.

use serde_json::json;

use super::quick::done;
use super::world::{CODE, World};

/// What the person is told, and where the job is then.
fn shrinks(world: &World) -> (String, String) {
    let told = world.prompt("[QUICK] this is only a typo");
    assert!(told.to_person().is_some_and(|told| told.contains("now a small one")), "{told:?}");
    let status = world.json("status");
    assert_eq!((&status["track"], &status["cycle"]), (&json!("quick"), &json!(1)), "{status}");
    let agent = told.context().unwrap_or_default().to_owned();
    assert!(agent.contains("the work so far is kept"), "{agent}");
    (world.phase(), agent)
}

fn acts(world: &World) -> bool {
    let words = world.json("status")["words"].clone();
    words.as_array().expect("words").iter().any(|word| word == "[QUICK]")
}

/// Ends what stands in execute with its change made.
fn ends(world: &World) {
    world.tests();
    world.seed("phase advance -m 'keep escapes in quoted strings'").succeeds();
    assert_eq!(world.phase(), "condense");
    if world.text(super::world::PAGE).contains("the lexer drops escapes inside") {
        // What the larger track left in pages is worked through on every track.
        world.does("condense");
    }
    world.asks(&done()).passes().answers("Approve completion");
    let status = world.json("status");
    if status["phase"] != "none" {
        world.seed("phase advance -m 'keep escapes in quoted strings'").succeeds();
    }
    assert_eq!(world.phase(), "none", "the job closed");
    // Nobody signs here, so the records are not vouched for.
    let verified = world.seed("verify").ends(3, "");
    assert!(!verified.contains("broken "), "{verified}");
}

#[test]
fn where_nothing_is_declared_yet_the_agent_says_where_the_work_lies() {
    let world = World::seeded();
    world.prompt("fix the lexer");
    world.seed("phase advance").succeeds();
    assert!(acts(&world));
    let (phase, agent) = shrinks(&world);
    assert_eq!(phase, "observe");
    assert!(agent.contains("git seed phase advance --scope"), "{agent}");
    world.changes_nothing(|| world.seed("phase advance").refuses("no directory is declared"));
    world.reads(CODE).passes();
    world.seed("phase advance --scope src/parser -m 'escapes get lost'").succeeds();
    assert_eq!(world.phase(), "execute");
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    ends(&world);
}

#[test]
fn what_was_declared_opens_the_work_at_once() {
    for from in ["observe", "plan"] {
        let world = World::seeded();
        world.enters(from);
        world.works(from);
        assert!(acts(&world), "{from}");
        let (phase, agent) = shrinks(&world);
        assert_eq!(phase, "execute", "from {from}: {agent}");
        world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
        ends(&world);
    }
}

#[test]
fn work_that_was_begun_is_committed_and_goes_on() {
    for from in ["execute", "verify"] {
        let world = World::seeded();
        world.enters(from);
        world.works(from);
        let before = world.git("rev-parse HEAD");
        let (phase, _) = shrinks(&world);
        assert_eq!(phase, "execute", "from {from}");
        assert!(world.git("show HEAD:src/parser/lex.rs").contains("escapes();"));
        assert_ne!(world.git("rev-parse HEAD"), before, "what was done is committed");
        assert!(!acts(&world), "its size is not limited already");
        ends(&world);
    }
}

#[test]
fn a_job_with_more_cycles_is_no_small_one() {
    let world = World::seeded();
    world.enters("plan");
    world.notes("---Pl---", "contract: keep escapes");
    world.seed("plan set-plan-file plan.md").succeeds();
    assert!(!acts(&world));
    let told = world.prompt("[QUICK] this is only a typo");
    assert!(told.to_person().is_some_and(|told| told.contains("ends with this cycle")), "{told:?}");
    assert_eq!(world.json("status")["track"], "opevc");
}

#[test]
fn where_only_memory_is_left_the_word_says_why_it_cannot_act() {
    let world = World::seeded();
    world.enters("condense");
    assert!(!acts(&world));
    let told = world.prompt("[QUICK]");
    let why = "cannot become a small one in condense";
    assert!(told.to_person().is_some_and(|told| told.contains(why)), "{told:?}");
    assert_eq!(world.phase(), "condense");
}

#[test]
fn a_change_where_none_may_be_keeps_the_job_where_it_is() {
    let world = World::seeded();
    world.enters("execute");
    world.runs_and("cargo test", || world.puts("docs/stray.txt", "x\n"));
    let told = world.prompt("[QUICK]");
    assert!(told.to_person().is_some_and(|told| told.contains("not possible now")), "{told:?}");
    assert_eq!((&*world.phase(), &world.json("status")["track"]), ("execute", &json!("opevc")));
    world.seed("fence restore").succeeds();
    assert_eq!(shrinks(&world).0, "execute");
}
