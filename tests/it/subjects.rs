//! Commit-msg hooks of the person's that want another form of subject than ours.

use pretty_assertions::assert_eq;

use super::world::{CODE, World, message};

/// A repository whose commit-msg hook takes subjects like `wanted` alone, with these commits.
fn wants(wanted: &str, branch: &str, said: &[&str]) -> World {
    let world = World::new();
    world.git(&format!("checkout -q -b {branch}"));
    for subject in said {
        world.git(&format!("commit -q --allow-empty -m '{subject}'"));
    }
    let hook = format!(
        "#!/bin/sh\nhead -1 \"$1\" | grep -Eq '{wanted}' && exit 0\n\
         echo 'it has another form'\nexit 1\n"
    );
    world.puts(".git/hooks/commit-msg", &hook);
    world.puts(".git/hooks/pre-commit", "#!/bin/sh\necho ran >>../ran\n");
    world.sh("chmod +x .git/hooks/commit-msg .git/hooks/pre-commit");
    world.installed()
}

/// The subjects that the job left, the newest first.
fn subjects(world: &World) -> Vec<String> {
    let said = world.git("log --format=%s --grep='^Seed-Id: '");
    said.lines().map(str::to_owned).collect()
}

#[test]
fn a_job_goes_through_under_each_hook_without_a_person() {
    let typed = ["fix(lexer): a", "feat: b", "fix: c", "docs: d", "fix: e"];
    let tickets = ["ABC-1 a", "ABC-2 b", "ABC-3 c", "ABC-4 d", "ABC-5 e"];
    let cases: [(&str, &str, &[&str], &str); 5] = [
        ("^(feat|fix|chore|docs)(\\([a-z]+\\))?!?: [^A-Z]", "main2", &typed, "chore(observe): "),
        ("^(feat|fix|chore)(\\([a-z]+\\))?: ", "main2", &[], "chore(observe): "),
        ("^chore: [a-z]", "main2", &[], "chore: observe, "),
        ("^ABC-[0-9]+ ", "feature/ABC-12-lexer", &tickets, "ABC-12 observe: "),
        ("^[A-Z][a-z]+ [^:]*$", "main2", &[], "Settle what observe"),
    ];
    for (wanted, branch, said, begins) in cases {
        let world = wants(wanted, branch, said);
        world.to("verify");
        let found = subjects(&world);
        assert_eq!(found.len(), 3, "{wanted}: {found:?}");
        assert!(found[2].starts_with(begins), "{wanted}: {found:?}");
        let second = begins.replace("observe", "plan");
        assert!(found[1].starts_with(&second), "{wanted}: the form is kept: {found:?}");
        world.works("verify");
        world.leaves();
        world.works("condense");
        world.approved();
        world.leaves();
        assert_eq!(world.phase(), "none", "{wanted}");
        let verified = world.seed("verify").said();
        assert!([0, 3].contains(&verified.code), "{wanted}: {verified:?}");
        // The hooks beside it are asked twice at the first step alone.
        let ran = world.text("../ran").lines().count();
        let steps = subjects(&world).len();
        let again = if begins.contains("observe:") || !begins.contains(':') { steps } else { 1 };
        assert!(ran <= steps + again, "{wanted}: {ran} for {steps}");
    }
}

#[test]
fn what_no_form_meets_the_agent_writes_itself() {
    let world = wants("^lexer/[0-9]+ ", "main2", &[]);
    world.to("observe");
    world.works("observe");
    world.changes_nothing(|| {
        world.seed("phase advance -F -").stdin(&message("observe")).fails("it has another form");
    });
    let told = world.seed("why --last 1").succeeds();
    assert!(told.contains("begin the message with a first line as the hook requires"), "{told}");
    let own = format!("lexer/12 {}", message("observe"));
    world.seed("phase advance -F -").stdin(&own).succeeds();
    assert_eq!(subjects(&world), ["lexer/12 settle what observe had to say"]);
    world.works("plan");
    let own = format!("lexer/12 {}", message("plan"));
    world.seed("phase advance -F -").stdin(&own).succeeds();
    world.works("execute");
    let told = "What was asked for is kept, and a test of its own shows that, as it stands now, \
        with nothing else changed.";
    world.seed(&format!("phase checkpoint -m 'lexer/12 half of it\n\n{told}'")).succeeds();
    assert_eq!(subjects(&world)[0], "lexer/12 half of it", "the trailer says what it is");
    assert_eq!(world.trailer("Seed-Step").trim(), "checkpoint");
}

/// A rule of the person's comes before a form that was found.
#[test]
fn a_rule_of_the_persons_is_used_from_then_on() {
    let world = wants("^(feat|chore)(\\([a-z]+\\))?: ", "main2", &[]);
    world.enters("plan");
    assert!(subjects(&world)[0].starts_with("chore(observe): "));
    world.puts("seed.toml", "[commit]\nsubject = \"feat({phase}): {subject}\"\n");
    world.person("rules apply").succeeds();
    world.sh("rm seed.toml");
    world.works("plan");
    world.leaves();
    assert!(subjects(&world)[0].starts_with("feat(plan): "), "{:?}", subjects(&world));
}

#[test]
fn the_landing_of_such_a_job_is_worded_as_ever() {
    let world = wants("^(feat|fix|chore)(\\([a-z]+\\))?: ", "main2", &[]);
    world.prompt("[QUICK] fix the lexer");
    world.reads(CODE).passes();
    world.seed("phase advance --scope src/parser -m 'the lexer drops escapes'").succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.tests();
    world.seed("phase advance -m 'keep escapes in quoted strings'").succeeds();
    assert_eq!(subjects(&world), ["chore(execute): keep escapes in quoted strings"]);
    world.asks(&super::quick::done()).passes().answers("Approve completion").tells("closed");
    let shown = world.person("land --dry-run").succeeds();
    assert!(shown.contains("keep escapes") && !shown.contains("chore(execute)"), "{shown}");
}
