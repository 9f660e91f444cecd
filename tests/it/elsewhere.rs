//! HEAD is not where the job is: `status` says what the refusals say, and what to do.

use pretty_assertions::assert_eq;

use super::world::{CODE, World};

/// A small job at work that has committed something.
fn at_work() -> World {
    let world = World::seeded();
    world.prompt("[QUICK] fix the lexer");
    world.reads(CODE).passes();
    world.seed("phase advance --scope src/parser -m 'the lexer drops escapes'").succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.checkpoint("half of it").succeeds();
    world
}

/// What status tells of it, for a program and for a person.
fn told(world: &World, wants: &str, next: &str, writes: bool) {
    let status = world.json("status");
    let missing = status["missing"].to_string();
    assert!(missing.contains(wants), "{status}");
    assert!(status["next"].as_str().is_some_and(|words| words.contains(next)), "{status}");
    let may = status["allowed"].to_string();
    assert_eq!(may.contains("write in"), writes, "{status}");
    assert!(may.contains("read anything"), "{status}");
    let text = world.person("status").succeeds();
    assert!(text.contains(wants) && text.contains(next), "{text}");
}

#[test]
fn another_branch_is_told_before_anything_is_refused() {
    let world = at_work();
    for line in ["switch -q -c other HEAD~1", "switch -q --detach main", "switch -q -c same main"] {
        world.git(line);
        told(&world, "the job is on main", "switch back to main", false);
        world.edits(CODE, "escapes();", "escapes(1);").refuses("switch back to main");
        world.git("switch -q main");
    }
    assert_eq!(world.json("status")["missing"].to_string().contains("the job is on"), false);
}

#[test]
fn nobody_is_told_to_switch_back_to_a_branch_that_is_gone() {
    let world = at_work();
    world.git("branch -m main trunk");
    told(&world, "there is no such branch any more", "git seed job move", false);
    world.edits(CODE, "escapes();", "escapes(1);").refuses("git seed job move");
    world.person("job move").succeeds();
    world.edits(CODE, "escapes();", "escapes(1);").passes();
    // Deleted, and HEAD on another one.
    world.git("switch -q -c next");
    world.git("branch -qD trunk");
    told(&world, "there is no such branch any more", "git seed job move", false);
}

#[test]
fn an_operation_of_git_is_told_as_what_a_step_waits_for() {
    let world = at_work();
    world.git("switch -q -c other HEAD~1");
    world.sh(&format!(
        "echo 'fn other() {{}}' > {CODE} && git -c core.hooksPath=/dev/null \
                       commit -qam other && git switch -q main"
    ));
    world.tries("git merge other");
    told(&world, "a merge is in progress", "abort the merge", true);
}
