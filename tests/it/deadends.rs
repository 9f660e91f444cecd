//! The tightest states that the search of `model` found, played against the real binary: each
//! refusal leads on.

use serde_json::{Value, json};

use super::world::{CODE, PAGE, World, message, page, question};

fn gmode() -> Value {
    let words = "the build is broken by a generated file that is not declared ".repeat(10);
    question(&format!("[GMODE] fix the lexer: {words}"), &["Enter gmode", "Stay in phase"])
}

/// The document that the plan of `world` decided on.
fn document(world: &World) -> String {
    format!(".claude/jobs/{}/plan.md", world.job())
}

#[test]
fn gmode_from_small_talk_leads_back_to_it() {
    let world = World::prompted();
    world.asks(&gmode()).passes().answers("Enter gmode");
    assert_eq!(world.phase(), "gmode");
    world.asks(&gmode()).refuses("questions are not allowed in gmode");
    world.seed("phase back -m 'out of here'").refuses("Do: git seed gmode exit");
    world.seed("phase advance").refuses("Do: git seed gmode exit");
    world.edits("todo.txt", "a\n", "A\n").passes();
    world.seed("gmode exit").refuses("todo.txt");
    world.runs("git commit -qam 'mend the build'").passes();
    world.seed("gmode exit").refuses("[PENDING-JOB]");
    world
        .writes(
            "CLAUDE.md",
            &page("# Root\n").replace("---Ob---", "---Ob---\n\n[PENDING-JOB]{generated files}"),
        )
        .passes();
    world.runs("git add CLAUDE.md && git commit -qm 'the root cause'").passes();
    world.seed("gmode exit").succeeds();
    assert_eq!(world.phase(), "idle");
    world.to("observe");
}

#[test]
fn execute_without_a_declared_page_goes_back_to_plan() {
    let world = World::new();
    world.puts("CLAUDE.md", &page("# Root\n"));
    world.git("commit -qam 'a page with its anchors'");
    let world = world.installed();
    // What is written and taken away again declares nothing.
    let undone = |anchor: &str| {
        world.reads("CLAUDE.md").passes();
        world
            .edits("CLAUDE.md", &format!("{anchor}\n"), &format!("{anchor}\n\nnothing yet\n"))
            .passes();
        world.reads(CODE);
        world.reads("CLAUDE.md").passes();
        world
            .edits("CLAUDE.md", &format!("{anchor}\n\nnothing yet\n"), &format!("{anchor}\n"))
            .passes();
    };
    world.to("observe");
    undone("---Ob---");
    let objective = super::world::objective();
    world.seed(&format!("job update --name 'fix the lexer' --objective '{objective}'")).succeeds();
    world.leaves();
    world.opens();
    undone("---Pl---");
    world.seed("plan set-plan-file false").succeeds();
    world.leaves();
    world.opens();
    assert_eq!(world.phase(), "execute");
    world
        .edits(CODE, "fn lex() {", "fn lex() { escapes();")
        .refuses("Do: git seed phase back plan");
    world.seed("phase advance -F -").stdin(&message("execute")).refuses("---Ex---");
    world.reads(CODE).passes();
    world.tests();
    world.edits("CLAUDE.md", "---Ex---\n", "---Ex---\n\nx\n").refuses("that is not declared");
    world.seed("phase back plan -m 'nothing is declared'").succeeds();
    world.opens();
    world.reads("CLAUDE.md").passes();
    world.notes("---Pl---", "contract: keep escapes");
    world.leaves();
    world.works("execute");
    world.leaves();
    assert_eq!(world.phase(), "verify");
}

#[test]
fn a_stray_in_verify_is_put_back_and_the_step_goes_on() {
    let world = World::seeded();
    world.to("verify");
    world.works("verify");
    world.runs_and("cargo test", || {
        std::fs::write(world.path("todo.txt"), "stray\n").expect("it is written");
    });
    for step in ["phase advance -F -", "phase back execute -m 'it fails'"] {
        world.seed(step).stdin(&message("verify")).refuses("Do: git seed fence restore");
    }
    world.seed("fence restore").succeeds();
    assert_eq!(world.text("todo.txt"), "a\nb\nc\n");
    world.tests();
    world.leaves();
    assert_eq!(world.phase(), "condense");
}

const KNOWLEDGE: (&str, &str) = (
    ".claude/knowledge/lexing/how-escapes-lex.md",
    "---\nname: how-escapes-lex\ndescription: How escapes lex inside quoted strings\n\
     type: project\nlast_verified: 2026-11-20\n---\n\n\
     A backslash takes the next character with it.\nInside quotes only.\n\
     The lexer looks one character ahead.\nsrc/parser/lexer.rs shows it.\n\
     An escape at the end is an error.\n",
);

#[test]
fn a_live_note_in_condense_finds_its_end_there() {
    let world = World::seeded();
    world.adopts("knowledge-extractor");
    world.enters("verify");
    world.opens();
    world.tests();
    world.notes("---Ve---", "it holds\n[KNOWLEDGE]{how escapes lex}");
    world.leaves();
    world.opens();
    world.asks(&super::world::completion()).refuses("Do: git seed condense status");
    world.reads(PAGE).passes();
    world.edits(PAGE, "[KNOWLEDGE]{how escapes lex}", "[RESOLVED:KNOWLEDGE]{in the body}").passes();
    let page = world.text(PAGE);
    let line =
        page.lines().position(|line| line.starts_with("[RESOLVED")).expect("it is there") + 1;
    world
        .seed("phase advance -F -")
        .stdin(&message("condense"))
        .refuses(&format!("{PAGE}:{line} is still open"));
    // What it names is written, and whoever writes knowledge looks it over.
    world.writes(KNOWLEDGE.0, KNOWLEDGE.1).passes();
    world.seed(&format!("note resolve 1 --breadcrumb {}", KNOWLEDGE.0)).succeeds();
    world
        .seed("phase advance -F -")
        .stdin(&message("condense"))
        .refuses("was given to knowledge-extractor");
    let prompt = format!("Look over [RESOLVED:KNOWLEDGE]{{{}}}.", KNOWLEDGE.0);
    let input =
        json!({ "subagent_type": "knowledge-extractor", "description": "x", "prompt": prompt });
    world.tool("Agent", &input, || json!({ "status": "completed", "content": [] })).passes();
    world.works("condense");
    world.approved();
    world.leaves();
    assert_eq!(world.phase(), "none");
}

#[test]
fn a_job_that_is_approved_can_rest_and_close_later() {
    let world = World::seeded();
    world.to("condense");
    world.works("condense");
    world.approved();
    let job = world.job();
    world.stops().refuses("Do: git seed phase advance -F -");
    world.asks(&super::world::completion()).refuses("Do: git seed status");
    // The agent's own pause does not free the turn.
    world.seed("job pause").succeeds();
    world.stops().refuses(&format!("git seed job activate {job}"));
    world.seed(&format!("job activate {job}")).succeeds();
    world.person("job pause").succeeds();
    assert_eq!(world.phase(), "none");
    assert!(world.stops().is_silent(), "a person's does");
    world.seed(&format!("job activate {job}")).succeeds();
    world.is_heard();
    world.leaves();
    assert_eq!(world.phase(), "none");
    assert!(world.stops().is_silent());
}

#[test]
fn a_broken_journal_is_mended_or_left_by_a_pause() {
    for mends in [true, false] {
        let world = World::seeded();
        world.to("execute");
        let job = world.job();
        world.sh("for file in .git/seed/journal/*.jsonl; do echo '{}' >> $file; done");
        world
            .edits(CODE, "fn lex() {", "fn lex() { escapes();")
            .refuses("Do: git seed doctor --fix");
        world.reads(CODE).passes();
        world.seed("status").succeeds();
        world.seed("job pause").fails("git seed doctor --fix");
        if mends {
            world.seed("doctor --fix").said();
        } else {
            world.person("job pause").succeeds();
            assert_eq!(world.phase(), "none");
            world.seed(&format!("job activate {job}")).succeeds();
        }
        world.works("execute");
        world.leaves();
        assert_eq!(world.phase(), "verify");
    }
}

#[test]
fn a_plan_document_without_its_total_is_written_again() {
    let world = World::seeded();
    world.to("plan");
    world.notes("---Pl---", "contract\nscope: src/parser/tests");
    world.seed("plan set-plan-file plan.md").succeeds();
    world.leaves();
    world.works("execute");
    let plan = document(&world);
    world.writes(&plan, "# Plan\n").passes();
    world.checkpoint("a first plan").succeeds();
    world.seed("phase advance -F -").stdin(&message("execute")).refuses("total_cycles");
    world.writes(&plan, "---\ntotal_cycles: 2\n---\n\n# Plan\n").passes();
    world.writes(&plan, "# Another\n").refuses("plan.md");
    world.leaves();
    assert_eq!(world.phase(), "verify");
    assert!(world.files_of_head().contains(&plan));
}

#[test]
fn a_plan_document_that_no_execute_wrote_is_written_in_a_later_cycle() {
    let world = World::seeded();
    world.to("plan");
    world.notes("---Pl---", "contract");
    world.seed("plan set-plan-file plan.md").succeeds();
    world.minute();
    let why = "## Outstanding Items";
    let text =
        message("plan").replace(why, &format!("## Why No Execute\nNothing is built yet.\n\n{why}"));
    world.seed("phase advance --to verify -F -").stdin(&text).succeeds();
    world.to("condense");
    world.reads(PAGE).passes();
    world.seed("condense archive").succeeds();
    world.writes(PAGE, &page("Escapes need one character of lookahead.\n")).passes();
    world.asks(&super::world::completion()).refuses("Do: git seed status");
    world.leaves();
    world.to("execute");
    assert_eq!(world.json("phase cycle"), 2);
    world.works("execute");
    world.seed("phase advance -F -").stdin(&message("execute")).refuses("with the job's cycles");
    let plan = document(&world);
    world.writes(&plan, "---\ntotal_cycles: 2\n---\n\n# Plan\n").passes();
    world.leaves();
    assert_eq!(world.phase(), "verify");
    assert!(world.files_of_head().contains(&plan));
}
