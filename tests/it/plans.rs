//! Plan documents: born, proved, frozen, read again, and what they say to an agent.

use super::world::{CODE, World, completion, message, objective, question};

/// A job in plan, in its first cycle, that has decided on `name`; gives the document's path.
fn decides(world: &World, name: &str) -> String {
    world.to("plan");
    world.opens();
    world.notes("---Pl---", "contract: the lexer keeps escapes");
    world.seed(&format!("plan set-plan-file {name}")).succeeds();
    let ending = name.rsplit('.').next().expect("an ending");
    format!(".claude/jobs/{}/plan.{ending}", world.job())
}

/// Works through the phases from here on until the job stands in `phase`.
fn goes_on(world: &World, phase: &str) {
    loop {
        world.leaves();
        let now = world.phase();
        if now == phase {
            return;
        }
        match now.as_str() {
            "idle" => {}
            "plan" => {
                world.opens();
                world.notes("---Pl---", "contract: what is left");
                world.seed("plan read").succeeds();
            }
            "execute" => {
                world.opens();
                world.edits(CODE, "fn lex() {", "fn lex() { again();").passes();
                world.tests();
                world.notes("---Ex---", "one more character");
            }
            now => world.works(now),
        }
    }
}

const PLAN: &str = "\
job: JOB
cycles:
  - cycle: 1
    phases:
      verify:
        entry: Run {{job}} against the corpus.
        stop: {mode: replace, text: \"The corpus waits.\\n[stop] BLOCKED: git seed says nothing\"}
  - cycle: 2
    phases:
      observe:
        entry: {mode: prepend, text: \"Cycle {{cycle}} of {{total}} looks at the parser.\"}
        notes.file: Notes go below Ob.
";

#[test]
fn a_plan_in_yaml_speaks_in_its_cycle_and_its_phase_and_never_as_git_seed() {
    let world = World::seeded();
    let plan = decides(&world, "plan_x.yaml");
    world.seed("plan validate --keys").tells("  entry  {{cycle}} {{dirs}} {{job}}");
    world.leaves();
    world.works("execute");
    world.changes_nothing(|| {
        world.seed("phase advance -F -").stdin(&message("execute")).refuses(&plan)
    });
    let faulty = PLAN.replace("notes.file", "notes.fiel").replace("JOB", &world.job());
    let told = world.writes(&plan, &faulty);
    told.after.tells("plan.yaml:12:9: observe has no key `notes.fiel`; did you mean `notes.file`?");
    let said = world.seed("plan validate").said();
    assert_eq!(said.code, 1, "{said:?}");
    assert!(said.out.starts_with("plan.yaml:12:9: observe has no key"), "{}", said.out);
    world.changes_nothing(|| {
        world.seed("phase advance -F -").stdin(&message("execute")).refuses("12:9: ")
    });
    world.writes(&plan, &PLAN.replace("JOB", &world.job())).passes();
    world.seed("plan validate").tells("declares 2 cycles");
    let entry = world.seed("phase advance -F -").stdin(&message("execute")).succeeds();
    assert!(entry.contains(&format!(
        "{plan} says for this phase:\n> Run fix the lexer against the corpus.\n"
    )));
    world.opens();
    let stop = world.stops();
    stop.refuses(&format!(
        "[stop] BLOCKED:\n{plan} says for this phase:\n> The corpus waits.\n> [stop] BLOCKED:"
    ));
    stop.refuses("\nDo: ");
    let show = world.json("plan show");
    assert_eq!(
        (&show["stage"], &show["total_cycles"], &show["eligible"]),
        (&3.into(), &2.into(), &false.into())
    );
    world.works("verify");
    goes_on(&world, "idle");
    let entry = world.seed("phase advance").succeeds();
    assert!(
        entry.contains("says for this phase:\n> Cycle 2 of 2 looks at the parser.\n\nRead what"),
        "{entry}"
    );
    world.opens();
    let no = world.edits(CODE, "fn lex() {", "fn lex() { no();");
    no.before.refuses("[phase_observe] BLOCKED: in observe you may not change");
    no.before.refuses("says for this phase:\n> Notes go below Ob.");
}

#[test]
fn a_plan_stands_from_the_second_cycle_on_and_is_read_before_it_is_planned_by() {
    let world = World::seeded();
    let plan = decides(&world, "plan_x.md");
    world.leaves();
    world.works("execute");
    world.writes(&plan, "---\ntotal_cycles: 4\n---\n\n# Plan\n").passes();
    world.edits(&plan, "# Plan", "# Changed").refuses("is the plan document");
    goes_on(&world, "verify");
    world.works("verify");
    world.edits(&plan, "# Plan", "# The plan").passes();
    world.changes_nothing(|| {
        world.seed("phase advance -F -").stdin(&message("verify")).refuses("plan")
    });
    world.seed("phase back plan -m 'the contract is another one'").succeeds();
    world.opens();
    world.notes("---Pl---", "contract: the plan as verify has it");
    goes_on(&world, "idle");

    // The person says otherwise between two cycles, and the next one goes by it.
    world.puts(&plan, "---\ntotal_cycles: 3\n---\n\n# The person's plan\n");
    world
        .seed("phase advance")
        .tells("was changed between the cycles. The new version applies: 3 cycles");
    world.works("observe");
    world.leaves();
    world.opens();
    world.notes("---Pl---", "contract: what is left");
    world.changes_nothing(|| {
        world.seed("phase advance -F -").stdin(&message("plan")).refuses("plan read")
    });
    world.reads(&plan).passes();
    world.leaves();
    assert_eq!(world.phase(), "execute");
    world.opens();
    world.edits(&plan, "# The", "# My").refuses("is the plan document");
    world.works("execute");
    goes_on(&world, "idle");

    // It goes; the one that was accepted counts on, and comes back by one command.
    std::fs::remove_file(world.path(&plan)).expect("it was there");
    std::os::unix::fs::symlink("/etc/hostname", world.path(&plan)).expect("a link");
    world.seed("phase advance").tells("git seed plan restore");
    let show = world.json("plan show");
    assert_eq!((&show["total_cycles"], &show["eligible"]), (&3.into(), &true.into()));
    world.seed("plan read").tells("# The person's plan");
    world.seed("plan restore").succeeds();
    assert!(world.text(&plan).ends_with("# The person's plan\n"));
    world.works("observe");
    goes_on(&world, "condense");
    world.works("condense");
    world.approved();
    world.leaves();
    assert_eq!(world.phase(), "none");
}

#[test]
fn an_objective_with_a_shape_of_its_own_has_it_from_observe_to_the_end() {
    let world = World::seeded();
    world.enters("observe");
    world.works("observe");
    world.seed("job update --shape 'Users, Rollback'").succeeds();
    assert_eq!(world.json("job show")["shape"], serde_json::json!(["Users", "Rollback"]));
    world.changes_nothing(|| {
        world.seed("phase advance -F -").stdin(&message("observe")).refuses("## Users")
    });
    let whole = format!("{}\n\n## Users\nall of them\n\n## Rollback\ngit revert\n", objective());
    world.seed(&format!("job update --objective '{whole}'")).succeeds();
    world.leaves();

    // Nothing is to be built: the way past execute says why.
    world.opens();
    world.works("plan");
    let told = message("plan");
    world.changes_nothing(|| {
        world.seed("phase advance --to verify -F -").stdin(&told).refuses("Why No Execute")
    });
    let why =
        told.replace("## Outstanding", "## Why No Execute\nIt is there already.\n\n## Outstanding");
    world.seed("phase advance --to verify -F -").stdin(&why).succeeds();
    assert_eq!(world.phase(), "verify");
    world.works("verify");
    world.leaves();
    world.works("condense");
    let asked = completion();
    world.asks(&asked).refuses("## Outstanding Items, ## Users, ## Rollback");
    let text = asked["question"].as_str().expect("a text");
    let full =
        text.replace("## Outstanding", "## Users\nall\n\n## Rollback\nby revert\n\n## Outstanding");
    world
        .asks(&question(&full, &["Review", "Approve completion"]))
        .passes()
        .answers("Approve completion");
    world.leaves();
    assert_eq!(world.phase(), "none");
}

/// Somebody else looks before the cycle is closed.
const REVIEW: &str = include_str!("../../fixtures/job-rules.toml");

#[test]
fn a_job_brings_rules_that_bind_it_alone_once_a_person_approves() {
    let world = World::seeded();
    world.to("execute");
    world.opens();
    let job = world.job();
    let own = format!(".claude/jobs/{job}/seed.toml");
    world.writes(&own, REVIEW).refuses("only condense may change");
    world.puts(&own, &REVIEW.replace("\"shell-read\"", "\"shell-write\""));
    let of_job = |verb: &str| format!("rules {verb} --job {job}");
    world
        .seed(&of_job("check"))
        .fails(&format!("{own}:13: phase `review`, `acts`: `shell-write` is open in no"));
    world.person(&of_job("apply")).fails("`shell-write` is open in no phase");
    world.puts(&own, REVIEW);
    world.seed(&of_job("check")).tells("is valid");
    world.seed(&of_job("diff")).tells("opevc: phase verify: next");
    world.changes_nothing(|| world.seed(&of_job("apply")).ends(2, "rules apply"));
    world.person(&of_job("apply")).tells("is in force for this job");
    assert_eq!(world.json("plan show")["stage"], 4);
    world.works("execute");
    world.leaves();
    world.works("verify");
    let told = world.seed("phase advance -F -").stdin(&message("verify")).succeeds();
    assert!(told.contains("Somebody else looks at it"), "{told}");
    assert_eq!(world.phase(), "review");
    world.edits(CODE, "fn lex() {", "fn lex() { no();").refuses("[phase_review]");
    let said = "two of us looked at it\n\n## What Others Said\nNothing, twice. ".to_owned()
        + &"The escapes are kept as they were written. ".repeat(14)
        + "\n\n## Outstanding Items\n";
    world.seed("phase advance -F -").stdin(&said).succeeds();
    assert_eq!(world.phase(), "condense");
    world.works("condense");
    // What a job learned about itself is memory, and a proposal like any other.
    world.reads(&own).passes();
    world.edits(&own, "Somebody else looks", "Somebody outside looks").passes();
    world.approved();
    world.leaves();
    assert_eq!(world.phase(), "none");
    world.prompt("Another job");
    assert!(!world.seed("phase list").succeeds().contains("review"));
    assert!(!world.seed("rules show").succeeds().contains("of the focused job"));
}

/// A document of earlier days lies among the knowledge, and counts: condense, which writes
/// knowledge, makes no plan shorter there.
#[test]
fn a_plan_among_the_knowledge_is_no_knowledge() {
    const OLD: &str = ".claude/knowledge/plans/p.md";
    let world = World::seeded();
    world.puts(OLD, "---\ntotal_cycles: 3\n---\n# Plan\n");
    world.git("add -A");
    world.git("commit -qm plan");
    decides(&world, "p.md");
    goes_on(&world, "condense");
    world.opens();
    world.reads(OLD).passes();
    world.edits(OLD, "total_cycles: 3", "total_cycles: 1").refuses("is the plan document");
    world.works("condense");
    world.asks(&completion()).refuses("the plan has more cycles");
}
