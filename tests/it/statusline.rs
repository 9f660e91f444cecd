//! The line that a shell prompt or a host's status line shows.

use serde_json::json;

use super::world::World;

#[test]
fn it_tells_where_the_work_stands_in_one_line() {
    let world = World::seeded();
    world.seed("statusline").prints("");
    assert_eq!(world.json("statusline"), json!(null));
    world.prompt("Fix the lexer");
    world.to("observe");
    world.seed("statusline").prints("observe · Fix the lexer\n");
    let line = "statusline --format '[{track} {phase} {cycle}: {commits} of {job}] {x'";
    world.seed(line).prints("[opevc observe 1: 0 of Fix the lexer] {x\n");
    world.seed("statusline --format '{nonsense}'").ends(64, "a status line names no nonsense");
    let told = world.json("statusline");
    assert_eq!((&told["phase"], &told["enabled"]), (&json!("observe"), &json!(true)));
    assert!(told["cost"]["calls"].is_u64(), "{told}");
    world.person("off -m 'for a while'").succeeds();
    world.seed("statusline").prints("observe · Fix the lexer · off\n");
}

/// A prompt is drawn everywhere.
#[test]
fn elsewhere_it_is_empty() {
    let world = World::new();
    world.seed("statusline").prints("");
    world.sh("mkdir ../elsewhere && git init -q --bare ../bare");
    for place in ["../elsewhere", "../bare"] {
        world.seed(&format!("-C {place} statusline")).prints("");
    }
}

#[test]
fn it_changes_nothing_and_is_the_agents_to_give() {
    let world = World::seeded();
    world.to("observe");
    world.changes_nothing(|| world.seed("statusline").succeeds());
    assert!(world.runs("git seed statusline").before.grants());
}
