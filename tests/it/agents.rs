//! The subagents that `init` brings: listed, named where they help, and gone again.

use serde_json::{Value, json};

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

/// What a subagent is told to do is open to it: steps, questions and launches are its main
/// session's, which it reports to.
#[test]
fn a_subagent_reports_what_only_its_main_session_may_do() {
    let files = [("src/calc/core.py", "a\n"), ("docs/guide.md", "teh\n")];
    let world = super::quick::small_in(&files);
    world.reads("docs/guide.md").passes();
    let call = |tool: &str, input: &Value, more: Value| {
        let mut fields = json!({ "tool_name": tool, "tool_input": input,
            "tool_use_id": world.next_call() });
        if let (Some(fields), Value::Object(more)) = (fields.as_object_mut(), more) {
            fields.extend(more);
        }
        world.event("PreToolUse", &fields)
    };
    let sub = || json!({ "agent_id": "a1", "agent_type": "general" });
    let edit = |path: &str| {
        let file = world.path(path);
        json!({ "file_path": file, "old_string": "teh", "new_string": "the" })
    };
    let back = "git seed phase back observe -m \"<why it belongs to the work>\"";
    call("Edit", &edit("docs/guide.md"), json!({})).refuses(&format!("Do: {back}"));
    let no = call("Edit", &edit("docs/guide.md"), sub());
    no.refuses("docs/guide.md is outside the declared directories.");
    no.refuses("Do: report to the main session what you need and why, or do without it.");
    no.refuses(&format!("Then: the main session can do this: {back}"));
    world.person("why").tells("report to the main session");
    // What it may do itself it is told as anybody.
    let outside = json!({ "file_path": "/etc/new", "content": "x" });
    call("Write", &outside, sub()).refuses("Do: work inside the repository");
    // No example follows, for whoever hears the same again and again.
    for _ in 0..6 {
        let no = call("Edit", &edit("docs/guide.md"), sub());
        assert!(!no.refusal().unwrap_or_default().contains("Example:"), "{no:?}");
    }
    // In verify it may not go back to mend what failed; nor does it change the size of the job.
    world.edits("src/calc/core.py", "a", "b").passes();
    let no = call("Edit", &edit("docs/guide.md"), sub());
    no.refuses("Then: the main session can do this: git seed phase advance --up -m");
}
