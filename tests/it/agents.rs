//! The subagents that `init` brings: listed, named where they help, and gone again.

use serde_json::json;

use super::world::World;

const FOLDER: &str = ".claude/agents/";
const MINE: &str = "---\nname: plan-premortem\ndescription: Ours, for plan.\n---\nLook.\n";

/// A repository with a definition of its own, under a name that git seed has one for.
fn with_mine() -> World {
    let world = World::new();
    world.puts(".claude/agents/plan-premortem.md", MINE);
    world.puts(".claude/agents/reader.md", "Reads.\n");
    world.git("add -A");
    world.git("commit -qm ours");
    world
}

#[test]
fn init_brings_them_for_this_clone_and_takes_nobodys_place() {
    let world = with_mine();
    let head = world.git("rev-parse HEAD");
    let told = world.person("init").succeeds();
    let lines: Vec<&str> = told.lines().filter(|line| line.contains(FOLDER)).collect();
    assert_eq!(lines.len(), 2, "{told}");
    assert!(told.contains(".claude/agents/               16 subagents, see git seed agents"));
    assert!(told.contains("left      .claude/agents/plan-premortem.md"), "{told}");
    assert_eq!(world.text(".claude/agents/plan-premortem.md"), MINE);
    assert_eq!(
        (world.git("status --porcelain"), world.git("rev-parse HEAD")),
        (String::new(), head)
    );

    let researcher = ".claude/agents/observe-researcher.md";
    world.puts(researcher, &(world.text(researcher) + "Be brief.\n"));
    let told = world.person("uninstall").succeeds();
    assert!(told.contains(".claude/agents/               15 files, as written"), "{told}");
    assert!(told.contains(&format!("left      {researcher}")), "{told}");
    let left = world.sh("ls .claude/agents");
    assert_eq!(left, "observe-researcher.md\nplan-premortem.md\nreader.md\n");
}

/// One that is committed counts, so none gets into a commit by the way.
#[test]
fn what_a_team_shares_does_not_bring_them_along() {
    let world = World::new();
    world.person("init --shared").tells("17 subagents");
    let open = world.git("status --porcelain --untracked-files=all");
    assert_eq!(open, "?? .claude/settings.json");
    world.git("add -A");
    world.git("commit -qm team");
    let list = world.json("agents");
    let ours = |one: &serde_json::Value| one["origin"] == "git-seed";
    assert!(list.as_array().is_some_and(|list| list.len() == 17 && list.iter().all(ours)));
}

#[test]
fn each_is_listed_with_its_phase_and_whose_it_is() {
    let world = with_mine().installed();
    world.puts(".claude/agents/mover.md", "---\nname: mover\n---\nMove.\n");
    let list = world.json("agents");
    let of = |name: &str| {
        let found = list.as_array().expect("a list").iter().find(|one| one["name"] == name);
        found.unwrap_or_else(|| panic!("{name}: {list}")).clone()
    };
    assert_eq!(list.as_array().map(Vec::len), Some(18), "{list}");
    for (name, phase, origin) in [
        ("observe-researcher", json!("observe"), "git-seed"),
        ("plan-premortem", json!("plan"), "repository"),
        ("execute-contractor", json!("execute"), "git-seed"),
        ("verify-git-historian", json!("verify"), "git-seed"),
        ("knowledge-extractor", json!("condense"), "git-seed"),
        ("mover", json!("condense"), "changed"),
        ("reader", json!(null), "repository"),
    ] {
        let one = of(name);
        assert_eq!((&one["phase"], &one["origin"]), (&phase, &json!(origin)), "{one}");
        assert_eq!(one["path"], format!("{FOLDER}{name}.md"), "{one}");
        assert_eq!(one["host"], "claude");
    }
    assert_eq!(of("plan-premortem")["for"], "Ours, for plan.");
    let told = world.person("agents").tells("Claude Code, .claude/agents/\n");
    let named = |name: &str| {
        let line = told.lines().find(|line| line.contains(name));
        line.unwrap_or_else(|| panic!("{name}: {told}")).to_owned()
    };
    assert!(
        named("observe-researcher").ends_with(
            "  git seed's    Answers one question about the code, with file and line. …"
        ),
        "{told}"
    );
    assert!(named(" mover").ends_with("  changed"), "{told}");
    assert!(named("reader").starts_with("any "), "{told}");
    assert!(told.lines().all(|line| line.chars().count() <= 120), "{told}");
    // The agent may look in any phase.
    world.to("execute");
    world.changes_nothing(|| world.seed("agents").succeeds());
    assert!(world.runs("git seed agents").before.grants());
}

#[test]
fn a_phase_names_its_subagents_and_small_work_does_not() {
    let world = World::seeded();
    world.prompt("Fix the lexer: quoted strings lose their escapes");
    let told = world.seed("phase advance").succeeds();
    let names = "Subagents: observe-blindspot-finder, observe-researcher.";
    assert!(told.contains(names), "{told}");
    let world = super::quick::small();
    let told = world.seed("phase advance --scope src/parser -m 'keep escapes'").succeeds();
    assert!(!told.contains("Subagents:"), "{told}");
}
