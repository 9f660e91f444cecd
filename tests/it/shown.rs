//! What stands for a run of tests, and what a person is told before they decide.

use serde_json::json;

use super::world::{CODE, PASSED, World, question};

/// A small job whose change is made and not yet tested, in a repository that has tests or none.
fn changed(tests: bool) -> World {
    let world = World::new();
    if tests {
        world.puts("tests/escapes.rs", "#[test]\nfn keeps() {}\n");
        world.sh("git add -A && git commit -qm tests");
    }
    let world = world.installed();
    world.prompt("[QUICK] fix the lexer");
    world.reads(CODE).passes();
    world.seed("phase advance --scope src/parser -m 'the lexer drops escapes'").succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world
}

/// A command of the agent's that ends well, as its host tells it.
fn ran(world: &World, line: &str, printed: &str) {
    let ran = json!({ "stdout": printed, "stderr": "", "interrupted": false });
    world.tool("Bash", &json!({ "command": line }), || ran).passes();
}

#[test]
fn a_run_that_tests_nothing_does_not_stand_for_the_tests() {
    for (line, printed) in [
        ("python3 -c pass", ""),
        ("node -e 1", ""),
        ("perl -e1", ""),
        ("make -v", "GNU Make 4.3"),
        ("cargo build", "    Finished `dev` profile in 0.2s"),
        ("sh -c :", ""),
        ("env A=1 ruby -e 1", ""),
        ("timeout 5 deno eval 1", ""),
        ("cd src && cargo clippy", "    Finished `dev` profile in 0.2s"),
        ("python3 -m unittest discover -s src", "Ran 0 tests in 0.000s\n\nOK"),
        (
            "cargo test --lib",
            "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; \
             0 filtered out; finished in 0.00s",
        ),
    ] {
        let world = changed(true);
        ran(&world, line, printed);
        world.seed("phase advance -m 'keep escapes'").succeeds();
        assert_eq!(world.phase(), "verify", "{line}");
        // The way that the refusal names is open.
        world.tests();
        world.seed("phase advance -m 'keep escapes'").succeeds();
        assert_eq!(world.phase(), "condense", "{line}");
    }
}

/// A script may be how the tests are run, and where none are known a build is what there is.
#[test]
fn what_may_be_the_tests_stands_for_them() {
    for (tests, line) in [
        (true, "sh check.sh"),
        (true, "make"),
        (true, "cargo run -- --once"),
        (false, "cargo build"),
        (false, "python3 -c 'import lex'"),
    ] {
        let world = changed(tests);
        ran(&world, line, "done");
        world.seed("phase advance -m 'keep escapes'").succeeds();
        assert_eq!(world.phase(), "condense", "{line}");
    }
    let world = changed(false);
    ran(&world, "make -v", "GNU Make 4.3");
    world.seed("phase advance -m 'keep escapes'").succeeds();
    assert_eq!(world.phase(), "verify", "it says which make is here");
}

/// Pages run nowhere: a small job for them needs no tests that pass.
#[test]
fn a_job_for_pages_alone_is_not_held_to_the_tests() {
    let world = World::new();
    world.puts("tests/escapes.rs", "#[test]\nfn keeps() {}\n");
    world.puts("docs/use.md", "# Use\n\nold\n");
    world.sh("git add -A && git commit -qm tests");
    let world = world.installed();
    world.prompt("[QUICK] say how it is used");
    world.reads("docs/use.md").passes();
    world.seed("phase advance --scope docs -m 'the page is old'").succeeds();
    world.edits("docs/use.md", "old", "new").passes();
    ran(&world, "cargo doc", "    Finished `dev` profile in 0.2s");
    world.seed("phase advance -m 'say how it is used'").succeeds();
    assert_eq!(world.phase(), "condense");
}

/// Tests that ran with a file which no commit holds show nothing of what is committed.
#[test]
fn tests_count_on_what_is_committed() {
    let world = changed(true);
    world.seed("phase advance -m 'keep escapes'").succeeds();
    assert_eq!(world.phase(), "verify");
    let text = world.text(CODE).replace("escapes();", "escapes(true);");
    world.puts(CODE, &text);
    world.tests();
    world.seed("phase advance -m 'keep escapes'").refuses(CODE);
    assert_eq!(world.phase(), "verify");
    // The way that the refusal names is open.
    world.seed("phase back execute -m 'the change to lex.rs belongs to the fix'").succeeds();
    world.edits(CODE, "escapes(true);", "escapes(false);").passes();
    world.tests();
    world.seed("phase advance -m 'keep escapes'").succeeds();
    assert_eq!(world.phase(), "condense");
    assert!(world.git("show HEAD:src/parser/lex.rs").contains("escapes(false)"));
}

/// A file that only lies elsewhere is one file, as git shows it; and no edit is a run.
#[test]
fn a_rename_is_one_file_on_the_card_and_no_run() {
    for (line, changed, then) in [
        ("git mv", "1 file, +0 -0", ""),
        ("mv", "1 file, +1 -1", "sed -i s/old/new/"),
        ("cp", "1 file, +6 -0", ""),
    ] {
        let world = World::new();
        world.puts("docs/use.md", "# Use\n\nold\n1\n2\n3\n");
        world.sh("git add -A && git commit -qm page");
        let world = world.installed();
        world.prompt("[QUICK] rename the page");
        world.reads("docs/use.md").passes();
        world.seed("phase advance --scope docs -m 'the page has the wrong name'").succeeds();
        let (from, to) = ("docs/use.md", "docs/usage.md");
        let act = || drop(world.sh(&format!("{line} {from} {to}")));
        world.runs_and(&format!("{line} {from} {to}"), act).passes();
        if !then.is_empty() {
            let line = format!("{then} {to}");
            world.runs_and(&line, || drop(world.sh(&line))).passes();
        }
        world.reads(to).passes();
        let card = world.card();
        assert!(card.contains(changed), "{line}: {card}");
        assert!(card.contains("no run of tests was seen"), "{line}: {card}");
        world.seed("phase advance -m 'the page is called usage.md'").succeeds();
        let job = world.job();
        let shown = world.json(&format!("show {job}"))["changed"].clone();
        assert_eq!(shown.as_array().map(Vec::len), Some(1), "{shown}");
    }
}

/// What nothing shows stands on the card of the question.
#[test]
fn the_card_names_what_nothing_shows_of_the_question() {
    let text = |text: &str| {
        let text = format!(
            "[JOB-COMPLETE] fix the lexer: {text} Look at the difference yourself before you \
             decide, and say whether it is what you had in mind when you asked for it.\n\n\
             ## Outstanding Items\n"
        );
        question(&text, &["Review", "Approve completion"])
    };
    let asks = |said: &str| {
        let world = changed(true);
        world.tests();
        let asked = world.asks(&text(said)).passes();
        asked.reply.to_person().expect("a word to the person").to_owned()
    };
    // A linter that nothing can have run goes back.
    let world = changed(true);
    world.tests();
    let clean = "It keeps the escapes now; mypy and ruff come back clean as well.";
    world.asks(&text(clean)).refuses("the linter is said to be content");
    let plain = asks("The lexer keeps the escapes now, and its tests pass.");
    assert!(plain.contains("this question") && !plain.contains(" open: "), "{plain}");
    for (text, named) in [
        ("It keeps the escapes now and coverage sits at 100 %.", "100 %"),
        ("It keeps the escapes now; all links checked, no dead ones.", "links"),
        ("It keeps the escapes now; ran it ten times.", "ran it"),
        ("It keeps the escapes now; tested on Windows and macOS.", "other systems"),
    ] {
        let told = asks(text);
        let line = told.lines().find(|line| line.starts_with("open ")).unwrap_or_default();
        assert!(line.contains("point") && line.contains(named), "{text}\n{told}");
        assert!(told.lines().count() <= 10, "{told}");
    }
}

/// What changed between the question and its answer is in no commit, and the answer says so.
#[test]
fn an_approval_names_what_no_commit_has() {
    let world = changed(true);
    world.tests();
    world.seed("phase advance -m 'keep escapes in quoted strings'").succeeds();
    assert_eq!(world.phase(), "condense");
    let asked = world.asks(&super::quick::done()).passes();
    world.puts(CODE, "fn lex() { panic!() }\n");
    let answer = asked.answers("Approve completion");
    answer.tells("closed");
    answer.tells(&format!("none of its commits: {CODE}"));
    let world = changed(true);
    ran(&world, "cargo test", PASSED);
    world.seed("phase advance -m 'keep escapes in quoted strings'").succeeds();
    let answer = world.asks(&super::quick::done()).passes().answers("Approve completion");
    answer.tells("closed");
    assert!(!answer.context().unwrap_or_default().contains("commits:"), "{answer:?}");
}
