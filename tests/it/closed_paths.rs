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

/// In mode fence, where a path is closed.
fn fenced() -> World {
    let world = World::new();
    world.puts("lib/util.py", "def up(s):\n    return s.upper()\n");
    world.puts("lib/b/other.py", "x = 1\n");
    world.puts(".gitignore", "build/\n*.pyc\n*.log\n");
    world.sh("git add -A && git commit -qm more");
    world.person("init --mode fence").succeeds();
    world.starts();
    world.prompt("Fix the lexer. Do not touch lib/util.py.");
    world
}

fn refused(world: &World, line: &str) -> Option<String> {
    let told = world.before("Bash", &json!({ "command": line }), &world.next_call());
    told.refusal().map(str::to_owned)
}

#[test]
fn a_pattern_that_can_mean_a_closed_path_is_closed_in_every_mode() {
    let full = at_work("Do not touch src/parser/token.rs.");
    full.puts(".gitignore", "*.log\n*.pyc\n__pycache__/\n");
    for line in [
        "rm -rf s*",
        "sed -i s/a/b/ src/*/token.rs",
        "rm src/*/tok*.rs",
        "find . -name token.rs -delete",
        "find . -name token.rs -execdir rm {} +",
        "find src -name 'tok*' -exec sed -i s/a/b/ {} +",
        "find . -type f -delete",
        "find . -name '*.pyc' -o -name '*.rs' -delete",
        "chmod -x src/parser/?oken.rs",
    ] {
        let told = refused(&full, line).unwrap_or_else(|| panic!("{line} passes"));
        assert!(!told.contains("closes *"), "{line}: {told}");
    }
    for line in [
        "find . -name '*.pyc' -delete",
        "find . -name __pycache__ -exec rm -rf {} +",
        "find . -type d -name __pycache__ -prune -exec rm -rf {} +",
        "rm -f *.log",
        "rm -rf *.egg-info",
        "sed -i s/a/b/ src/parser/lex.*",
    ] {
        assert_eq!(refused(&full, line), None, "{line}");
    }
    let fence = fenced();
    for line in [
        "rm -rf l*",
        "sed -i s/upper/lower/ */util.py",
        "rm */util.py",
        "find . -name util.py -delete",
        "find . -name util.py -exec sed -i s/upper/lower/ {} +",
        "find . -name util.py -execdir sed -i s/upper/lower/ {} +",
        "find lib -type f -execdir rm {} \\;",
        "taskset 1 rm lib/util.py",
        "taskset -c 0,1 touch lib/util.py",
        "strace -o lib/util.py ls",
        "find . -type f -delete",
        "awk -i inplace '{print}' lib/util.py",
        "tar xf /tmp/x.tar lib/util.py",
        "tar -C lib -xf /tmp/x.tar util.py",
        "unzip -oq /tmp/x.zip lib/util.py",
        "python3 -m json.tool todo.txt lib/util.py",
        "truncate -s 0 lib/ut?l.py",
        "cd lib && rm ./u*.py",
    ] {
        let told = refused(&fence, line).unwrap_or_else(|| panic!("{line} passes"));
        assert!(told.contains("Do not touch lib/util.py"), "{line}: {told}");
    }
    for line in [
        "rm -f *.log",
        "find . -name '*.pyc' -delete",
        "sed -i s/a/b/ lib/b/*.py",
        "rm -rf s*",
        "tar xf /tmp/x.tar",
        "unzip -oq /tmp/x.zip src/parser/lex.rs",
        "python3 -m json.tool lib/util.py",
    ] {
        assert_eq!(refused(&fence, line), None, "{line}");
    }
}

#[test]
fn a_stash_takes_no_change_of_a_closed_file() {
    let world = fenced();
    for line in ["git stash", "git stash push -- lib/util.py"] {
        assert_eq!(refused(&world, line), None, "{line}: nothing of it changed");
    }
    world.puts("lib/util.py", "def up(s):\n    return s\n");
    for line in [
        "git stash",
        "git stash -u",
        "git stash push -q -- lib/util.py",
        "git stash save x",
        "cd lib && git stash push util.py",
    ] {
        let told = refused(&world, line).unwrap_or_else(|| panic!("{line} passes"));
        assert!(told.contains("Do not touch lib/util.py"), "{line}: {told}");
    }
    for line in ["git stash list", "git stash push -- src", "git stash show"] {
        assert_eq!(refused(&world, line), None, "{line}");
    }
}
