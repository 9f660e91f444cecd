//! What is longer than a terminal is shown in the pager that git would use.

#![cfg(unix)]

use super::widths::typed;
use super::world::World;

const MARKS: &str = "sed s/^/paged:/";

/// A job whose log with its differences does not fit 40 rows.
fn worked() -> World {
    let world = World::seeded();
    world.to("verify");
    let long = world.seed("log -p").succeeds();
    assert!(long.lines().count() > 60, "{long}");
    world
}

fn is_paged(world: &World, line: &str) -> bool {
    let shown = typed(world, line, 100, "");
    let paged = shown.lines().filter(|line| line.starts_with("paged:")).count();
    assert!(shown.contains("plan -> execute"), "{line}: {shown}");
    assert!(paged == 0 || paged == shown.lines().count(), "{line}: all or nothing: {shown}");
    paged > 0
}

#[test]
fn long_output_goes_to_the_pager_that_git_would_use() {
    let world = worked();
    world.git("config core.pager 'sed s/^/theirs:/'");
    for (line, paged) in [
        (format!("GIT_PAGER='{MARKS}' git seed log -p"), true),
        (format!("GIT_PAGER='{MARKS}' git-seed log -p"), true),
        (format!("unset GIT_PAGER; git -c core.pager='{MARKS}' seed log -p"), true),
        // What fits the terminal is printed.
        (format!("GIT_PAGER='{MARKS}' git seed log -n 5"), false),
        (format!("GIT_PAGER='{MARKS}' git --no-pager seed log -p"), false),
        ("GIT_PAGER= git seed log -p".to_owned(), false),
        ("GIT_PAGER=cat git seed log -p".to_owned(), false),
        ("GIT_PAGER=/no/such/pager git seed log -p".to_owned(), false),
        (format!("GIT_PAGER='{MARKS}' git seed log -p --json"), false),
        (format!("GIT_PAGER='{MARKS}' git seed log -p | cat"), false),
        // Nobody would end it in an agent's session.
        (
            format!("unset GIT_SEED_TEST_PERSON; CLAUDECODE=1 GIT_PAGER='{MARKS}' git seed log -p"),
            false,
        ),
    ] {
        assert_eq!(is_paged(&world, &line), paged, "{line}");
    }
    // What the repository's own configuration names would run as the person.
    let line = "unset GIT_PAGER; PAGER=cat git-seed log -p";
    let plain = typed(&world, line, 100, "");
    assert!(!plain.contains("theirs:"), "{plain}");
    world.puts("../pager.config", "[core]\n\tpager = sed s/^/theirs:/\n");
    let line = "unset GIT_PAGER; GIT_CONFIG_GLOBAL=$PWD/../pager.config PAGER=cat git-seed log -p";
    let theirs = typed(&world, line, 100, "");
    assert!(theirs.starts_with("theirs:"), "the person's configuration comes first: {theirs}");
    assert!(is_paged(&world, &format!("unset GIT_PAGER; PAGER='{MARKS}' git seed log -p")));
}

#[test]
fn a_pager_that_is_closed_ends_the_command_quietly() {
    let world = worked();
    let shown = typed(&world, "GIT_PAGER='head -n 1' git seed log -p; echo ended $?", 100, "");
    assert_eq!(shown.lines().count(), 2, "{shown}");
    assert!(shown.trim_end().ends_with("ended 0"), "{shown}");
    // As git sets it, where nobody else did.
    let line = "unset LESS LV; GIT_PAGER='tail -n 0; echo $LESS $LV' git seed log -p";
    assert_eq!(typed(&world, line, 100, "").trim(), "FRX -c");
    let line = "LESS=R GIT_PAGER='tail -n 0; echo $LESS' git seed log -p";
    assert_eq!(typed(&world, line, 100, "").trim(), "R");
}
