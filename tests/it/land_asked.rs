//! `[commit] land = "ask"`: whether an approved job lands is one question after its approval.

use pretty_assertions::{assert_eq, assert_ne};
use serde_json::{Value, json};

use super::quick::done;
use super::undo::moment;
use super::world::{CODE, World, message, question};

/// The rule is applied, and the project has a style of its own.
fn asking() -> World {
    let world = World::new();
    for subject in ["fix: one thing", "feat: another", "fix: a third", "docs: say so"] {
        world.git(&format!("commit -q --allow-empty -m '{subject}'"));
    }
    let world = world.installed();
    ask_by_rule(&world);
    world
}

fn ask_by_rule(world: &World) {
    world.puts("seed.toml", "[commit]\nland = \"ask\"\n");
    world.git("add seed.toml");
    world.git("commit -qm 'chore: rules'");
    world.person("rules apply").succeeds();
}

/// A small job is approved; what the agent is told then.
fn small_job_is_approved(world: &World) -> String {
    world.prompt("[QUICK] fix the lexer");
    world.reads(CODE).passes();
    world.seed("phase advance --scope src/parser -m 'the lexer drops escapes'").succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.tests();
    let heard = world.asks(&done()).passes().answers("Approve completion");
    assert_eq!(world.phase(), "none", "it is closed");
    heard.context().expect("words").to_owned()
}

/// The question, with the words that the agent was told to ask it with.
fn land(told: &str) -> Value {
    let at = told.find("[LAND]").unwrap_or_else(|| panic!("no question in: {told}"));
    question(told[at..].trim_end_matches('.'), &["Land it", "Leave it"])
}

fn subjects(world: &World, name: &str) -> Vec<String> {
    world.git(&format!("log -2 --format=%s {name}")).lines().map(str::to_owned).collect()
}

const CARD: &str = "Lands as: fix: the lexer drops escapes (on main-landed)";

#[test]
fn a_small_job_lands_with_the_answer_in_the_persons_own_style() {
    let world = asking();
    let told = small_job_is_approved(&world);
    assert!(told.contains(CARD), "{told}");
    let next = world.json("status")["next"].as_str().expect("words").to_owned();
    assert!(next.contains("git seed land"), "the person's way, too: {next}");
    let head = world.git("rev-parse HEAD");
    let asked = world.asks_bare(&land(&told)).passes();
    asked.answers("Land it").tells(CARD);
    assert_eq!(subjects(&world, "main-landed"), ["fix: the lexer drops escapes", "chore: rules"]);
    assert_eq!(world.git("rev-parse main-landed^{tree}"), world.git("rev-parse HEAD^{tree}"));
    assert_eq!(world.git("rev-parse HEAD"), head, "the person's branch stays");
    // It is used up.
    world.asks_bare(&land(&told)).refuses("no approved job waits");
    assert!(!world.json("status")["next"].to_string().contains("land"));
    assert!(world.stops().is_silent());
    world.person("land").refuses("no commits left to land");
    world.seed("verify").ends(3, "");
}

#[test]
fn where_the_cycle_is_open_it_lands_behind_the_step_that_closes_it() {
    let world = asking();
    world.to("condense");
    let id = world.job();
    world.works("condense");
    // Nothing is approved.
    world.asks_bare(&land(&format!("[LAND] {CARD}"))).refuses("no approved job waits");
    let heard = world.asks(&super::world::completion()).passes().answers("Approve completion");
    let told = heard.context().expect("words").to_owned();
    let heard = world.asks_bare(&land(&told)).passes().answers("Land it");
    heard.tells("as soon as its cycle is closed");
    assert_eq!(world.git("branch --list main-landed"), "", "not yet");
    let said = world.seed("phase advance -F -").stdin(&message("condense")).succeeds();
    assert!(said.contains("landed. Lands as: fix: the lexer (on main-landed)"), "{said}");
    assert_eq!(subjects(&world, "main-landed"), ["memory: fix the lexer", "fix: the lexer"]);
    world.person(&format!("land {id}")).refuses("no commits left to land");
}

#[test]
fn who_leaves_it_is_not_asked_again_until_the_next_approval() {
    let world = asking();
    let told = small_job_is_approved(&world);
    world.asks_bare(&land(&told)).passes().answers("later, perhaps").tells("later, perhaps");
    world.asks_bare(&land(&told)).passes().answers("Leave it").tells("stays as it is");
    world.asks_bare(&land(&told)).refuses("no approved job waits");
    assert_eq!(world.git("branch --list main-landed"), "");
    assert!(!world.json("status")["next"].to_string().contains("land"));
    // A person may, as ever.
    world.person("land").succeeds();
}

#[test]
fn only_the_line_that_is_true_is_asked_and_only_it_is_made() {
    let world = asking();
    let told = small_job_is_approved(&world);
    let other = land(&told.replace("fix: the lexer drops escapes", "feat: a new engine"));
    world.changes_nothing(|| world.asks_bare(&other).refuses(CARD));
    // The branch is taken while the question is open: what was shown is not what would be made.
    let asked = world.asks_bare(&land(&told)).passes();
    world.git("branch main-landed");
    asked.answers("Land it").tells("main-landed-2");
    assert_eq!(subjects(&world, "main-landed")[0], "execute: the lexer drops escapes");
    assert_eq!(world.git("branch --list main-landed-2"), "");
}

#[test]
fn the_literal_answer_to_a_question_without_its_tag_is_said_to_do_nothing() {
    let world = asking();
    small_job_is_approved(&world);
    let untagged = |words: &str, options: &[&str]| {
        world.asks_bare(&question(words, options)).passes().answers(options[0])
    };
    untagged("Shall I land this?", &["Land it", "Leave it"])
        .tells("nothing comes of `Land it` here: the question has to begin with [LAND]");
    assert_eq!(world.git("branch --list main-landed"), "");
    // What people say of other things, too, is an answer like any other.
    let heard = untagged("How often shall the report go out?", &["Daily", "Weekly"]);
    assert!(!heard.context().is_some_and(|told| told.contains("REPEAT-JOB")));
    // The same within a job.
    world.prompt("[QUICK] fix the lexer again");
    world.reads(CODE).passes();
    world.seed("phase advance --scope src/parser -m 'the lexer drops quotes'").succeeds();
    untagged("[WAITING] Drop it, or not?", &["Drop the job", "Keep the job"])
        .tells("begin with [JOB-DROP]");
    assert_eq!(world.phase(), "execute", "nothing came of it");
}

#[test]
fn without_the_answer_an_agent_lands_nothing_and_with_it_just_that() {
    let world = asking();
    let told = small_job_is_approved(&world);
    let id = world.json("job list --all")[0]["id"].as_str().expect("an id").to_owned();
    for line in ["land", &format!("land {id}"), &format!("land {id} --one")] {
        world.changes_nothing(|| world.seed(line).refuses("only a person"));
    }
    // A hook of theirs refuses the message: the grant stays, and nothing was made.
    world.puts(".git/hooks/commit-msg", "#!/bin/sh\necho no ticket >&2; exit 1\n");
    world.sh("chmod +x .git/hooks/commit-msg");
    let heard = world.asks_bare(&land(&told)).passes().answers("Land it");
    assert!(heard.to_person().is_some_and(|told| told.contains("no ticket")), "{heard:?}");
    assert_eq!(world.git("branch --list main-landed"), "");
    world.sh("rm .git/hooks/commit-msg");
    for line in ["land".to_owned(), format!("land {id} --branch mine"), format!("land {id} -m x")] {
        world.changes_nothing(|| world.seed(&line).refuses("only a person"));
    }
    let next = world.json("status")["next"].as_str().expect("words").to_owned();
    assert_eq!(next, format!("land \"fix the lexer\": git seed land {id}"));
    world.person(&format!("land {id}")).succeeds();
    assert_eq!(subjects(&world, "main-landed")[0], "fix: the lexer drops escapes");
}

/// A timer, another call and another process answer: nothing lands.
#[test]
fn nobodys_answer_lands_nothing() {
    let world = asking();
    let told = small_job_is_approved(&world);
    let asked = world.asks_bare(&land(&told)).passes();
    let text = asked.text().to_owned();
    let response = json!({ "answers": { text: "Land it" }, "afkTimeoutMs": 60000 });
    asked.answered_with(&response).tells("timer");
    assert_eq!(world.git("branch --list main-landed"), "");
    // A call that never went out, and one of another process.
    let mut asked = world.asks_bare(&land(&told)).passes();
    asked.call = world.next_call();
    asked.answers("Land it").tells("does not count");
    let asked = world.asks_bare(&land(&told)).passes();
    world.another_process_speaks();
    asked.answers("Land it").tells("does not count");
    assert_eq!(world.git("branch --list main-landed"), "");
}

#[test]
fn where_no_rule_says_so_nobody_is_asked() {
    let world = World::seeded();
    let told = small_job_is_approved(&world);
    assert!(!told.contains("LAND"), "{told}");
    world.asks_bare(&land(&format!("[LAND] {CARD}"))).refuses("no approved job waits");
}

#[test]
fn undo_takes_the_landing_back() {
    let world = asking();
    let told = small_job_is_approved(&world);
    world.asks_bare(&land(&told)).passes().answers("Land it").tells(CARD);
    let tip = world.git("rev-parse main-landed");
    world.person("undo").succeeds();
    assert_eq!(world.git("branch --list main-landed"), "");
    world.person("redo").succeeds();
    assert_eq!(world.git("rev-parse main-landed"), tip);
}

#[test]
fn one_answer_is_one_operation_and_goes_there_and_back() {
    let world = asking();
    let told = small_job_is_approved(&world);
    let count = || world.json("op log -n 100").as_array().expect("a list").len();
    let (before, ops) = (moment(&world), count());
    world.asks_bare(&land(&told)).passes().answers("Land it").tells(CARD);
    let after = moment(&world);
    assert!(before != after, "a branch was made");
    assert_eq!(count(), ops + 1);
    assert_eq!(world.json("op log -n 1")[0]["command"], "land");
    for _ in 0..2 {
        world.person("undo").succeeds();
        assert_eq!(moment(&world), before);
        world.person("redo").succeeds();
        assert_eq!(moment(&world), after);
    }
    // The next one is what led to the approval, and no branch comes back.
    world.person("undo -n 2").succeeds();
    assert_eq!(world.git("branch --list main-landed"), "");
    world.person("redo -n 2").succeeds();
    assert_eq!(moment(&world), after);
}

#[test]
fn a_branch_that_is_taken_meanwhile_is_told_with_one_that_is_free() {
    for taken in ["main-landed", "main-landed/x"] {
        let world = asking();
        let told = small_job_is_approved(&world);
        // Somebody makes the branch while the person reads the question.
        let question = world.asks_bare(&land(&told)).passes();
        world.git(&format!("branch {taken}"));
        let job = world.json("job list --all")[0]["id"].as_str().expect("an id").to_owned();
        question.answers("Land it");
        let status = world.person("status").succeeds();
        let next = format!("git seed land {job}");
        let line = status.lines().find(|line| line.contains(&next)).expect("a next step");
        let at = line.find(&next).expect("it is there");
        world.person(line[at..].trim_start_matches("git seed ").trim()).succeeds();
        assert_ne!(world.git("branch --list 'main-landed-*'"), "", "{status}");
    }
}
