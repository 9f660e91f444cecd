//! Words of a person that close a path in a job, in mode full, and the ones that open it again.

use serde_json::json;

use super::world::{CODE, World};

const OTHER: &str = "src/parser/token.rs";

fn at_work(words: &str) -> World {
    let world = World::seeded();
    world.puts(OTHER, "fn token() {}\n");
    world.puts("tests/lex.rs", "#[test]\nfn lexes() {}\n");
    world.sh("git add -A && git commit -qm more");
    let told = world.prompt(&format!("Fix the lexer: quoted strings lose their escapes. {words}"));
    assert!(told.to_person().is_some_and(|told| told.contains("closed for this job")), "{told:?}");
    world.to("execute");
    world
}

#[test]
fn a_path_that_a_prompt_closes_stays_closed_in_the_job() {
    let words = "Do not touch src/parser/token.rs";
    let world = at_work(words);
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    let refused = world.edits(OTHER, "token()", "tokens()");
    refused.refuses("Do not touch src/parser/token.rs");
    refused.refuses("[ALLOW src/parser/token.rs]");
    world.runs("echo x >> src/parser/token.rs").refuses("That closes src/parser/token.rs");
    world.runs("sed -i s/token/tokens/ src/parser/*.rs").refuses("closes");
    world.runs("git mv src/parser/token.rs src/parser/b.rs").before.refusal().expect("refused");
    // What code writes there is no work of the job.
    world.runs_and("./gen.sh", || world.puts(OTHER, "fn other() {}\n"));
    world.works("execute");
    world
        .seed(
            "phase checkpoint -m 'keep escapes\n\nWhat was asked for is kept, and a test of \
        its own shows that, as it stands now, with nothing else changed.'",
        )
        .said();
    let files = world.files_of_head();
    assert!(!files.iter().any(|file| file == OTHER), "{files:?}");
}

#[test]
fn what_a_person_says_later_opens_it_again() {
    for word in [
        "[ALLOW src/parser/token.rs]",
        "You may touch src/parser/token.rs now.",
        "Feel free to edit src/parser/token.rs",
        "src/parser/token.rs may be changed after all.",
    ] {
        let world = at_work("Never change src/parser/token.rs.");
        world.edits(OTHER, "token()", "tokens()").refuses("Never change");
        // The agent's own words, and a host's, open nothing.
        world.event("Stop", &json!({ "last_assistant_message": word }));
        world.edits(OTHER, "token()", "tokens()").refuses("Never change");
        world.prompt(word);
        world.edits(OTHER, "token()", "tokens()").passes();
        world.prompt("And leave src/parser/token.rs alone again.");
        world.edits(OTHER, "tokens()", "token()").refuses("alone again");
    }
}

#[test]
fn what_was_closed_for_one_job_is_not_for_the_next() {
    let world = at_work("Hands off src/parser/token.rs!");
    world.edits(OTHER, "token()", "tokens()").refuses("Hands off");
    world.prompt("[DROP] something else first");
    world.prompt("Rename the token function");
    world.to("execute");
    world.edits(OTHER, "token()", "tokens()").passes();
}

#[test]
fn a_directory_is_closed_by_its_name_in_a_sentence() {
    let world = at_work("Leave the tests alone.");
    world.seed("phase back plan -m 'the tests, too'").said();
    world.runs("echo x > tests/lex.rs").before.refusal().expect("refused");
    let world = World::seeded();
    world.puts("tests/lex.rs", "#[test]\nfn lexes() {}\n");
    world.sh("git add -A && git commit -qm more");
    let told = world.prompt("[QUICK] Fix the lexer. Please leave the tests alone.");
    assert!(told.to_person().is_some_and(|told| told.contains("tests")), "{told:?}");
    world.reads(CODE).passes();
    world.reads("tests/lex.rs").passes();
    world
        .seed("phase advance --scope src/parser --scope tests -m 'the lexer drops escapes'")
        .succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.edits("tests/lex.rs", "lexes", "lexed").refuses("leave the tests alone");
}

#[test]
fn only_what_a_prompt_names_is_open_in_the_job() {
    let world = World::seeded();
    world.puts(OTHER, "fn token() {}\n");
    world.sh("git add -A && git commit -qm more");
    world.prompt("Fix the lexer. Only change src/parser/lex.rs.");
    world.to("execute");
    world.edits(OTHER, "token()", "tokens()").refuses("Only change src/parser/lex.rs");
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
}

/// A sentence that closes a path is a part of a prompt: a redaction takes it, and leaves what it
/// closed.
#[test]
fn redacted_words_leave_no_sentence_and_open_nothing() {
    let world = World::prompted();
    world.prompt("Mend the walrus first. Do not touch src/parser/lex.rs, the walrus sleeps there.");
    let job = world.job();
    let kept = || {
        let files = "cat .git/seed/said/*.json";
        world.sh(files)
    };
    assert!(kept().contains("walrus"), "{}", kept());
    world.json(&format!("job redact {job}"));
    assert!(!kept().contains("walrus") && kept().contains("src/parser/lex.rs"), "{}", kept());
}

/// On the small lane a path that is closed is told as that, also where it lies in the directory of
/// the change: no larger lane would open it.
#[test]
fn the_small_lane_sends_nobody_to_a_larger_one_for_a_closed_path() {
    for (closed, scope) in [("todo.txt", "."), (OTHER, "src/parser"), ("todo.txt", "src/parser")] {
        let world = World::seeded();
        world.puts(OTHER, "fn token() {}\n");
        world.sh("git add -A && git commit -qm more");
        world.prompt(&format!("Say what the lexer does. Do not touch {closed}."));
        world.reads(CODE).passes();
        world.reads("todo.txt").passes();
        let small = "phase advance --small -m 'say what it does; a comment; cargo test'";
        world.seed(&format!("{small} --scope {scope}")).succeeds();
        let refused = world.writes(closed, "other\n").before;
        let told = refused.refusal().unwrap_or_default().to_owned();
        assert!(told.contains(&format!("Do not touch {closed}")), "{scope}: {told}");
        assert!(!told.contains("--up"), "{scope}: {told}");
    }
}
