//! Maps are data: what a person changes by rules alone, and what they are told of it.

use super::world::{CODE, PAGE, World, message, page};

/// A phase between observe and plan.
const RESEARCH: &str = r#"
[[phase]]
name = "observe"
next = ["research"]

[[phase]]
name = "research"
kind = "work"
next = ["plan"]
back = ["observe"]
side = "gmode"
anchor = "---Re---"
reads = "all"
acts = ["read", "search", "web", "edit", "shell-read", "ask", "housekeeping", "seed"]
questions = ["WAITING"]
write = ["page"]
dial = true
declares = true
exit = ["dial", "page", "message", "clean"]
return = ["clean"]
sections = ["What I Learned", "Outstanding Items"]
work = "settle the open question below ---Re---"
purpose = "Find out what nobody here knows."
"#;

const LEARNED: &str = "settle what the standard says\n\n## What I Learned\n\
    The standard says that an escape is kept as it is written, in quoted strings as well as in \
    bare ones, and that one character of lookahead is enough to tell the two apart in every \
    case that matters here today.\n\n## Outstanding Items\n";

/// A project where a person has put `rules` into force.
fn ruled(rules: &str) -> World {
    let world = World::new();
    world.puts("seed.toml", rules);
    world.puts(PAGE, &page("# parser\n"));
    world.git("add -A");
    world.git("commit -qm rules");
    let world = world.installed();
    world.person("rules apply").tells("seed.toml is in force");
    world
}

fn researching() -> World {
    let world = ruled(RESEARCH);
    world.prompt("Fix the lexer: quoted strings lose their escapes");
    // A page that was looked at gets the anchors it lacks with the next step.
    world.reads(PAGE).passes();
    world.to("observe");
    world.works("observe");
    world.leaves();
    assert_eq!(world.phase(), "research");
    world
}

#[test]
fn a_phase_is_added_by_rules_alone_and_a_job_walks_through_it() {
    let world = researching();
    let healed = world.text(PAGE);
    let at = |anchor: &str| healed.find(anchor).unwrap_or_else(|| panic!("no {anchor}:\n{healed}"));
    assert!(at("---Ob---") < at("---Re---") && at("---Re---") < at("---Pl---"), "{healed}");

    world.seed("phase multiplier 3").succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").refuses("[phase_research] BLOCKED");
    let passage = "---Ob---\n";
    world
        .edits(PAGE, passage, &format!("{passage}\nlate\n"))
        .refuses("below ---Ob--- belongs to an earlier phase");
    world.notes("---Re---", "an escape is kept as it is written");
    world.seed("phase advance -F -").stdin("short\n").refuses("What I Learned");
    world.seed("phase advance -F -").stdin(LEARNED).tells("research -> plan");

    assert_eq!(world.phase(), "plan");
    assert_eq!(world.git("log -1 --format=%s"), "research: settle what the standard says");
    assert_eq!(world.trailer("Seed-Step"), "research -> plan");
    world.opens();
    world.works("plan");
    world.leaves();
    assert_eq!(world.phase(), "execute");
    world.opens();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
}

#[test]
fn a_way_back_leads_through_it_as_its_row_says() {
    let world = researching();
    world.seed("phase multiplier 3").succeeds();
    world.seed("phase back observe -m 'one more look'").succeeds();
    assert_eq!(world.phase(), "observe");
    world.works("observe");
    world.seed("phase advance --to plan -F -").stdin(&message("observe")).refuses("research");
}

#[test]
fn a_proposal_in_the_tree_changes_nothing() {
    let world = World::new();
    world.puts("seed.toml", RESEARCH);
    world.git("add -A");
    world.git("commit -qm rules");
    let world = world.installed();
    world.to("observe");
    world.works("observe");
    world.leaves();
    assert_eq!(world.phase(), "plan");
    assert!(!world.text(PAGE).contains("---Re---"));
    // It may be looked at by an agent; putting it into force is a person's.
    for looks in ["rules show", "rules check", "rules diff"] {
        world.changes_nothing(|| world.seed(looks).succeeds());
        world.runs(&format!("git seed {looks}")).passes();
    }
    world.runs("git seed rules apply").refuses("only a person may run");
    world.seed("rules apply").refuses("only a person may run");
    world.edits("seed.toml", "read on", "x").refuses("seed.toml");
}

#[test]
fn a_wrong_proposal_is_named_with_its_line_and_stays_out_of_force() {
    let world = World::seeded();
    world
        .person("rules check")
        .fails("there is no seed.toml at the top of the work tree\nhint: create it");
    world.person("rules diff").fails("git seed rules show prints all keys");
    world.person("rules apply").fails("there is no seed.toml");
    for (sound, broken, says) in [
        (
            "[\"plan\"]",
            "[\"plam\"]",
            "error: seed.toml:9: phase `research`, `next`: leads to `plam`, which is no phase; \
             known phases: none, talk, idle, observe, research, plan",
        ),
        (
            "dial = true",
            "dail = true",
            "error: seed.toml:17: phase `research`, `dail`: unknown field `dail`, expected one of \
             `name`",
        ),
        (
            "\"clean\"]",
            "\"klean\"]",
            "error: seed.toml:19: phase `research`, `exit`: wants gate `klean`; known gates: \
             summary, dial",
        ),
        ("[[phase]]", "[[phase]", "error: seed.toml:2: "),
    ] {
        world.puts("seed.toml", &RESEARCH.replacen(sound, broken, 1));
        for command in ["rules check", "rules apply"] {
            world.changes_nothing(|| world.person(command).fails(says));
        }
    }
    assert!(world.tries("git rev-parse -q --verify refs/seed/rules").code != 0);
}

#[test]
fn show_diff_and_apply_tell_what_is_and_what_changes() {
    let world = World::seeded();
    world.puts("seed.toml", "idle = \"closed\"\n\n[condense]\nshare = 70\n");
    world.person("rules show").tells("# The shipped rules.");
    let diff =
        world.person("rules diff").tells("--- the shipped rules (in force)\n+++ seed.toml\n@@");
    assert!(
        diff.contains("+idle = \"closed\"\n")
            && diff.contains("\nidle  \"open\" -> \"closed\"  tightens\n"),
        "{diff}"
    );
    let json = world.json("rules diff");
    assert!(!diff.contains("\n-"), "nothing goes that is not named: {diff}");
    assert!(json["in_force"].as_str().is_some_and(|text| text.starts_with("# The shipped rules")));
    assert_eq!(json["proposed"], "idle = \"closed\"\n\n[condense]\nshare = 70\n");
    assert!(json["diff"].as_str().is_some_and(|text| text.contains("@@")));

    world.person("rules apply").prints(
        "condense.share  80 -> 70  changes\nidle  \"open\" -> \"closed\"  tightens\n\
         seed.toml is in force.\n",
    );
    world.person("rules apply").prints("seed.toml is in force; no rule changed.\n");
    world.person("rules diff").prints("seed.toml equals the rules in force.\n");
    let shown = world.person("rules show").tells("# Applied by a person");
    let (applied, shipped) = shown.split_once("# ----").expect("they are kept apart");
    assert!(applied.contains("share = 70") && shipped.contains("share = 80"), "{shown}");
    assert_eq!(world.json("rules show")["in_force"]["condense"]["share"], 70);

    world.puts("seed.toml", RESEARCH);
    let diff = world.person("rules diff").tells("--- refs/seed/rules (in force)\n+++ seed.toml\n");
    assert!(diff.contains("+name = \"research\"\n"), "{diff}");
    let told = world.person("rules apply").tells("opevc: phase research  is new\n");
    assert!(
        told.contains("opevc: phase observe: next  [\"plan\"] -> [\"research\"]  loosens\n"),
        "{told}"
    );
    assert!(told.contains("condense.share  70 -> 80  changes\n"), "{told}");
    let rows = world.json("rules show")["in_force"]["maps"]["opevc"]["phase"].clone();
    assert!(rows.as_array().is_some_and(|rows| rows.iter().any(|row| row["name"] == "research")));
}

#[test]
fn a_job_whose_phase_is_dropped_goes_on_where_cycles_begin() {
    let world = researching();
    world.seed("phase multiplier 3").succeeds();
    world.notes("---Re---", "an escape is kept as it is written");
    world.puts("seed.toml", "idle = \"open\"\n");
    world.person("rules apply").tells("opevc: phase research  is gone\n");
    assert_eq!(world.phase(), "research");
    world.reads(CODE).passes();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").refuses("BLOCKED");
    world.seed("status").succeeds();
    world.seed("phase advance -F -").stdin(LEARNED).tells("research -> observe");
    assert_eq!(world.phase(), "observe");
    world.enters("plan");
}

#[test]
fn rules_in_force_that_do_not_hold_are_mended_by_applying_others() {
    let world = ruled("idle = \"open\"\n");
    // What an older or newer binary may have left.
    let blob =
        world.sh("printf 'mood = \"fair\"\\n' | git hash-object -w --stdin").trim().to_owned();
    let tree = world
        .sh(&format!("printf '100644 blob {blob}\\tseed.toml\\n' | git mktree"))
        .trim()
        .to_owned();
    let commit = world.git(&format!("commit-tree -m rules -p refs/seed/rules {tree}"));
    world.git(&format!("update-ref refs/seed/rules {commit}"));
    world.person("status").fails("git seed rules apply");
    world
        .person("rules show")
        .tells("# They are not valid: the applied rules:1: unknown field `mood`");
    world.person("rules apply").tells("seed.toml is in force");
    world.person("status").succeeds();
}
