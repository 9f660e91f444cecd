//! Protected surfaces: what unlocks them, what closes them, and what does not get past them.

use pretty_assertions::assert_eq;
use serde_json::Value;

use super::world::{CODE, World, question, tree_of};

const RULES: &str = r#"
[[surface]]
name = "hooks"
paths = ["hooks/"]
tests = ["hooks/tests/"]
check = "sh hooks/tests/run.sh"

[[surface]]
name = "data"
paths = ["data/"]
"#;
const CHECK: &str = "grep -q good hooks/pre.sh && exit 0\necho 'pre.sh is no good'\nexit 1\n";

/// A project with two surfaces and a job in `phase`, which may ask for them.
fn at(phase: &str) -> World {
    let world = unapproved(phase);
    let asked = question("[JOB-APPROVE-PLUGIN] the hooks", &["Approve plugin access", "Decline"]);
    world.asks(&asked).passes().answers("Approve plugin access").tells("[PLUGIN-LOCK]");
    world
}

fn unapproved(phase: &str) -> World {
    let world = World::seeded();
    world.puts("seed.toml", RULES);
    world.puts("hooks/pre.sh", "good one\n");
    world.puts("hooks/old.sh", "old\n");
    world.puts("hooks/tests/run.sh", CHECK);
    world.puts("hooks/tests/a.sh", "a\n");
    world.puts("data/x", "x\n");
    world.git("add -A");
    world.git("commit -qm surfaces");
    world.person("rules apply").succeeds();
    world.to(phase);
    world
}

fn words() -> String {
    "the hook misses a case that this job is about and has to learn it ".repeat(10)
}

fn lock(options: &[&str]) -> Value {
    let text = format!(
        "[PLUGIN-LOCK] {}\n\n## Plugin\nhooks\n\n## Specific Changes\none\n\n## Why\nit\n\n\
         ## Tests Will Run\nall\n",
        words()
    );
    question(&text, options)
}

fn test_lock(file: &str) -> Value {
    let text = format!(
        "[TEST-LOCK] {}\n\n## Why This Test\nit\n\n## How\nso\n\n## Before vs After\nx\n",
        words()
    );
    question(&text, &[&format!("Unlock test {file}"), "Leave it"])
}

fn unlocks(world: &World, name: &str) {
    let option = format!("Unlock plugin {name}");
    world.asks(&lock(&[&option, "Leave it"])).passes().answers(&option).tells("is unlocked");
}

fn checkpoint(world: &World) -> super::world::Said {
    world.minute();
    world.checkpoint("the hook learns it").said()
}

fn gmode(world: &World) {
    let text = format!("[GMODE] fix the lexer: {}", words());
    world.asks(&question(&text, &["Enter gmode", "Stay in phase"])).passes().answers("Enter gmode");
    assert_eq!(world.phase(), "gmode");
}

#[test]
fn a_surface_opens_by_its_name_alone_and_closes_with_the_next_commit() {
    let world = at("execute");
    world.edits("hooks/pre.sh", "good", "very good").refuses("`Unlock plugin hooks`");
    unlocks(&world, "hooks");
    world.person("status").tells("change the unlocked surface hooks");
    world.edits("hooks/pre.sh", "good", "very good").passes();
    world.edits("data/x", "x", "y").refuses("protected surface data");
    world.edits(".husky/pre-commit", "", "x").refuses("controls this agent");
    world.edits("hooks/tests/a.sh", "a", "b").refuses("tests have their own lock");
    world.edits("hooks/tests/run.sh", "exit 1", "exit 0").refuses("tests have their own lock");
    world.asks(&test_lock("hooks/pre.sh")).refuses("is not a test");
    world.asks(&test_lock("data/x")).refuses("is not a test");
    let test = "hooks/tests/a.sh";
    world
        .asks(&test_lock(test))
        .passes()
        .answers(&format!("unlock test {test}"))
        .tells("keeps it locked");
    world.edits(test, "a", "b").refuses("tests have their own lock");
    world.asks(&test_lock(test)).passes().answers(&format!("Unlock test {test}")).tells("unlocked");
    world.edits(test, "a", "b").passes();
    world.asks(&test_lock("hooks/tests/run.sh")).refuses("only one surface can be unlocked");
    world.edits("hooks/tests/run.sh", "exit 1", "exit 0").refuses("tests have their own lock");
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    assert_eq!(checkpoint(&world).code, 0);
    assert_eq!(world.files_of_head(), ["hooks/pre.sh", "hooks/tests/a.sh", CODE]);
    world.edits("hooks/pre.sh", "good", "bad").refuses("`Unlock plugin hooks`");
    unlocks(&world, "data");
    world.edits("data/x", "x", "y").passes();
}

#[test]
fn a_failing_check_puts_every_byte_back_and_refuses_the_boundary() {
    let world = at("execute");
    let hooks = || tree_of(&world.path("hooks"), &|_| false);
    let before = hooks();
    unlocks(&world, "hooks");
    world.edits("hooks/pre.sh", "good one", "worse").passes();
    world.writes("hooks/new.sh", "new\n").passes();
    world.runs_and("make hooks", || {
        world.agents_shell("rm hooks/old.sh && mkdir hooks/deep && echo x > hooks/deep/y", "");
        world.agents_shell("chmod +x hooks/tests/../pre.sh", "");
    });
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    let head = world.git("rev-parse HEAD");
    let said = checkpoint(&world);
    assert_eq!(said.code, 2, "{said:?}");
    assert!(
        said.err.contains("check of hooks failed") && said.err.contains("pre.sh is no good"),
        "{said:?}"
    );
    assert_eq!(hooks(), before);
    assert_eq!(world.git("rev-parse HEAD"), head);
    assert!(world.text(CODE).contains("escapes"), "only the surface goes back");
    let why = world.person("why").tells("check of hooks failed");
    assert!(why.contains("pre.sh is no good"), "{why}");
    let job = world.job();
    let kept = world.git(&format!("ls-tree -r --name-only refs/seed/jobs/{job} taken/"));
    assert_eq!(kept.lines().count(), 3, "what was taken away is kept: {kept}");
    let story = world.git(&format!("log --format=%B refs/seed/jobs/{job}"));
    assert!(
        story.contains("the check of hooks failed") && story.contains("- hooks/new.sh, kept as"),
        "{story}"
    );
    world.edits("hooks/pre.sh", "good", "bad").refuses("`Unlock plugin hooks`");
    assert_eq!(checkpoint(&world).code, 0, "the boundary opens without it");
    assert_eq!(world.files_of_head(), [CODE]);
}

#[test]
fn every_boundary_closes_the_lock() {
    for (step, works) in
        [("phase back plan -m 'it was missed'", false), ("phase advance -F -", true)]
    {
        let world = at("execute");
        unlocks(&world, "hooks");
        world.edits("hooks/pre.sh", "good", "very good").passes();
        if works {
            world.works("execute");
        }
        world.minute();
        world.seed(step).stdin(&super::world::message("execute")).succeeds();
        assert!(world.files_of_head().contains(&"hooks/pre.sh".to_owned()), "{step}");
        if !works {
            world.enters("execute");
            world.opens();
            world.edits("hooks/pre.sh", "good", "bad").refuses("`Unlock plugin hooks`");
        }
    }
}

#[test]
fn the_question_is_refused_where_the_lock_may_not_open() {
    let hooks = ["Unlock plugin hooks", "Leave it"];
    let world = unapproved("execute");
    world.asks(&lock(&hooks)).refuses("[JOB-APPROVE-PLUGIN]");
    world.asks(&test_lock("hooks/tests/a.sh")).refuses("no protected surface is unlocked");
    let world = at("execute");
    world
        .asks(&lock(&["Unlock plugin hoks", "Leave it"]))
        .refuses("the rules define hooks, data, settings");
    world.asks(&lock(&["unlock plugin hooks", "Leave it"])).refuses("literal");
    world.asks(&lock(&["Unlock plugin hooks"])).refuses("one of your own");
    world.asks(&lock(&hooks)).passes().answers("Leave it").tells("keeps it locked");
    // An answer that names another surface than the question did opens neither.
    world.asks(&lock(&hooks)).passes().answers("Unlock plugin data").tells("does not count");
    world.edits("data/x", "x", "y").refuses("protected surface");
    world.edits("hooks/pre.sh", "good", "bad").refuses("protected surface");
    unlocks(&world, "hooks");
    world
        .asks(&lock(&["Unlock plugin data", "Leave it"]))
        .refuses("only one surface can be unlocked");
}

#[test]
fn a_surface_with_changes_of_its_own_stays_locked() {
    let world = at("execute");
    world.puts("hooks/pre.sh", "good, by hand\n");
    let asked = world.asks(&lock(&["Unlock plugin hooks", "Leave it"])).passes();
    asked.answers("Unlock plugin hooks").tells("hooks/pre.sh differs from HEAD");
    world.edits("hooks/old.sh", "old", "new").refuses("protected surface");
}

#[test]
fn no_detour_leads_into_a_locked_surface() {
    let world = at("execute");
    world.sh("ln -s ../../data src/parser/link && ln -s ../../data/x src/parser/x");
    world.edits("src/parser/link/x", "x", "y").refuses("protected surface data");
    world.writes("src/parser/x", "y\n").refuses("protected surface data");
    world.writes("src/parser/../../data/new", "y\n").refuses("protected surface data");
    world.writes("data/deep/er/new", "y\n").refuses("protected surface data");
    world.runs("echo y > data/x").refuses("protected surface data");
    world.runs("cd src && sed -i s/x/y/ ../data/x").refuses("protected surface data");
    unlocks(&world, "hooks");
    world.edits("src/parser/link/x", "x", "y").refuses("protected surface data");
    let hidden = world.runs_and("make data", || {
        world.agents_shell("echo y > data/x", "");
        world.agents_shell("echo y > hooks/tests/a.sh", "");
    });
    hidden.after.tells("data/x");
    let said = checkpoint(&world);
    assert_eq!(said.code, 2, "{said:?}");
    world.seed("fence restore").succeeds();
    assert_eq!(
        (world.text("data/x"), world.text("hooks/tests/a.sh")),
        ("x\n".into(), "a\n".into())
    );
}

#[test]
fn gmode_opens_surfaces_and_leaves_their_tests_locked() {
    let world = unapproved("execute");
    gmode(&world);
    world.edits("data/x", "x", "y").passes();
    world.edits("hooks/pre.sh", "good", "very good").passes();
    world.edits("hooks/tests/a.sh", "a", "b").refuses("is locked in gmode, too");
    world.runs("git commit -qam 'mend the data'").refuses("no test run has covered");
    world.tests();
    world.runs("git commit -qam 'mend the data'").passes();
    world.sh("echo b > hooks/tests/a.sh && git add hooks/tests/a.sh");
    let said = world.agents_shell("git commit -qm 'and the test'", "");
    assert!(said.code != 0 && said.err.contains("hooks/tests/a.sh"), "{said:?}");
    world.git("reset -q --hard");
    unlocks(&world, "hooks");
    let test = "hooks/tests/a.sh";
    world.asks(&test_lock(test)).passes().answers(&format!("Unlock test {test}")).tells("unlocked");
    world.edits(test, "a", "b").passes();
    world.edits("hooks/pre.sh", "good", "bad").passes();
    world.tests();
    let said = world.runs("git commit -qam 'mend the hook'").said.expect("it ran");
    assert_eq!(said.code, 0, "{said:?}");
    world.person("gmode exit").refuses("check of hooks failed");
    assert_eq!(
        (world.text(test), world.text("hooks/pre.sh")),
        ("a\n".into(), "very good one\n".into())
    );
    world.person("gmode exit").refuses("is not committed");
    world.sh("echo c > hooks/tests/a.sh && git add -A");
    let said = world.agents_shell("git commit -qm 'something else'", "");
    assert!(
        said.code != 0 && said.err.contains("hooks/tests/a.sh"),
        "only what was put back: {said:?}"
    );
    world.sh("echo a > hooks/tests/a.sh && git add -A");
    let said = world.runs("git commit -qm 'put the hook back'").said.expect("it ran");
    assert_eq!(said.code, 0, "{said:?}");
    world.person("gmode exit").succeeds();
    assert_eq!(world.phase(), "execute");
}
