//! What stands after a sync and what is left where it is: an approval, the end of a job, refs of
//! the remote that hold something else.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::sync::{agreed, machine, merged, second, synced, synced_there, there};
use super::world::{CODE, PAGE, World, page};

/// A machine whose small job waits for the person's word, and the second one, which has it.
fn waits_for_a_word() -> (World, String) {
    let world = machine();
    world.reads(CODE).passes();
    world.seed("phase advance --small --scope src/parser -m 'the lexer drops escapes'").succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.tests();
    world.seed("phase advance -m 'the lexer keeps escapes'").succeeds();
    let job = world.job();
    synced(&world, &agreed(&world));
    second(&world, "b", "hub.git");
    world.git("-c core.hooksPath=/dev/null push -q ../b HEAD:refs/heads/came");
    world.git("-C ../b -c core.hooksPath=/dev/null reset -q --hard came");
    synced_there(&world, "b", "");
    (world, job)
}

/// The line of the person's works at the second machine.
fn works_there(world: &World, line: &str) {
    let said = there(world, "b", line);
    assert_eq!(said.code, 0, "{line}: {said:?}");
}

/// How the job stands at both machines.
fn stands(world: &World, job: &str) -> [Value; 2] {
    let line = format!("git seed job show {job} --json");
    [world.tries(&line), there(world, "b", &line)].map(|said| {
        let shown: Value = serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{said:?}"));
        shown["status"].clone()
    })
}

#[test]
fn an_approval_stands_where_the_other_clone_only_looked() {
    type Acts = fn(&World);
    let acts: [(&str, Acts, bool); 5] = [
        ("nothing", |_| {}, true),
        ("looks", |world| world.reads(CODE).passes(), true),
        ("a look in a shell", |world| world.runs("ls src").passes(), true),
        ("a change", |world| world.writes(PAGE, &page("Escapes look ahead.\n")).passes(), false),
        ("words", |world| drop(world.prompt("also keep the tabs")), false),
    ];
    for (what, act, approval) in acts {
        let (world, job) = waits_for_a_word();
        act(&world);
        works_there(&world, &format!("git seed job activate {job}"));
        works_there(&world, "git seed job approve");
        synced_there(&world, "b", "");
        let told = synced(&world, "");
        let fell = told["jobs"][0]["rejected"].as_array().expect("a list").len();
        assert_eq!(fell == 0, approval, "{what}: {told}");
        let there = synced_there(&world, "b", "");
        let status = if approval { "completed" } else { "active" };
        assert_eq!(stands(&world, &job), [json!(status), json!(status)], "{what}");
        if approval {
            assert_eq!(there["state"], told["state"], "{what}");
        }
        assert_eq!(merged(&world, "../b"), merged(&world, "."), "{what}");
    }
}
