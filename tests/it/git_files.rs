//! `git mv` and `git rm` of plain paths are changes of files: the scope of the phase judges them,
//! and the step commits them with the index.

use pretty_assertions::assert_eq;

use super::quick::small;
use super::world::{CODE, PAGE, World};

const MOVED: &str = "src/parser/lexer.rs";

/// A small job in execute, declared in `src/parser`.
fn in_execute() -> World {
    let world = small();
    world.seed("phase advance --scope src/parser -m 'the lexer gets its own name'").succeeds();
    world
}

#[test]
fn a_file_is_moved_and_taken_away_within_the_scope() {
    let world = in_execute();
    world.runs(&format!("git mv {CODE} {MOVED}")).passes();
    // What is written after the move is committed, too, and the index has nothing older.
    world.edits(MOVED, "fn lex() {", "fn lex() { escapes();").passes();
    world.runs("cargo test").passes();
    world.seed("phase checkpoint -m 'lexer.rs is the lexer of the parser'").succeeds();
    assert_eq!(world.files_of_head(), [CODE, MOVED]);
    assert_eq!(world.git("status --porcelain -- src"), "");
    world.runs(&format!("git rm -q {MOVED}")).passes();
    assert!(!world.path(MOVED).exists());
    world.seed("phase checkpoint -m 'the lexer of the parser is gone'").succeeds();
    assert_eq!(world.git("status --porcelain -- src"), "");
}

#[test]
fn what_lies_outside_of_the_scope_stays() {
    let world = in_execute();
    for line in [
        "git rm -q todo.txt",
        "git mv todo.txt src/parser/",
        "git rm -rq .",
        "git -C .. rm -q repo/todo.txt",
        &format!("git mv {CODE} todo.rs"),
        &format!("git rm -q {PAGE}"),
        "git rm -q .claude/settings.json",
    ] {
        let head = world.git("status --porcelain");
        assert!(world.runs(line).before.refusal().is_some(), "{line}");
        assert_eq!(world.git("status --porcelain"), head, "{line}");
    }
    // What git takes for a pattern, or leaves the file of, is git's own act as before.
    let own = ["git rm -q 'src/parser/*.rs'", "git rm -q ':/todo.txt'", "git rm --cached todo.txt"];
    for line in own {
        world.runs(line).refuses("branch, index or stash");
    }
}

#[test]
fn before_the_first_step_and_in_observe_it_is_told_what_opens_it() {
    let world = World::prompted();
    world.runs(&format!("git mv {CODE} {MOVED}")).refuses("this job has not started");
    world.runs("git rm -rq src/parser").refuses("this job has not started");
    world.reads(CODE).passes();
    world.seed("phase advance").succeeds();
    let told = world.runs(&format!("git rm -q {CODE}")).before;
    let told = told.refusal().expect("observe changes no code");
    assert!(!told.contains("[ALLOW git rm"), "{told}");
}
