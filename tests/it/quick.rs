//! The small lane: a fix of a few lines, in a few steps.
#![expect(clippy::disallowed_macros, reason = "the counts are shown on request")]

use serde_json::json;

use super::world::{CODE, PASSED, Reply, World, question};

/// The question that ends a small job: 25 words and the empty section.
pub fn done() -> serde_json::Value {
    let text = "[JOB-COMPLETE] fix the lexer: the lexer keeps the escapes of quoted strings now, \
                which one run of its own tests shows, and nothing else of it was touched by \
                this change at all.\n\n## Outstanding Items\n";
    question(text, &["Review", "Approve completion"])
}

/// A person asks for a small job, and the agent read what has to change.
pub fn small() -> World {
    begins_small(World::seeded())
}

fn begins_small(world: World) -> World {
    let told = world.prompt("[QUICK] fix the lexer");
    told.tells("--scope");
    assert_eq!((world.phase().as_str(), &world.json("status")["track"]), ("idle", &json!(null)));
    world.reads(CODE).passes();
    world
}

#[test]
fn a_one_line_fix_takes_two_commands_one_question_and_one_commit() {
    let world = small();
    let before = world.git("rev-parse HEAD");
    world.reads(CODE).passes();
    let first =
        world.seed("phase advance --scope src/parser -m 'the lexer drops escapes'").succeeds();
    assert_eq!(world.phase(), "execute", "{first}");
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.tests();
    let second = world.seed("phase advance -m 'keep escapes in quoted strings'").succeeds();
    assert_eq!(world.phase(), "condense", "{second}");
    let cost = world.json("status")["cost"].clone();
    world.asks(&done()).passes().answers("Approve completion").tells("closed");
    assert_eq!(world.phase(), "none", "the answer closed the job");
    assert!(world.stops().is_silent(), "the turn may end");
    let commits = world.git(&format!("rev-list --count {}..HEAD", before.trim()));
    let files = world.git(&format!("diff --name-only {} HEAD", before.trim()));
    let words = cost["words"].as_u64().expect("a number");
    // Both commands and the question came by another way than the counted calls.
    println!(
        "one-line fix on quick: {} agent calls, 2 git seed calls, {words} injected words, 1 \
         question, {} commit, {} file",
        cost["calls"].as_u64().expect("a number") + 3,
        commits.trim(),
        files.lines().count()
    );
    assert_eq!((commits.trim(), files.trim()), ("1", CODE));
    assert!(words <= 300, "{words} words");
    assert_eq!(world.trailer("Seed-Step").trim(), "execute -> verify");
}

/// Runs the tests, and gives what the hook after them says.
fn runs_tests(world: &World) -> Reply {
    let ran = json!({ "stdout": PASSED, "stderr": "", "interrupted": false });
    world.tool("Bash", &json!({ "command": "cargo test" }), || ran).after
}

/// A small job in a repository whose person has a pre-commit hook: it runs the file `../hook`.
pub fn small_with_a_hook() -> World {
    let world = World::new();
    world.puts(".git/hooks/pre-commit", "#!/bin/sh\n. ../hook\n");
    world.sh("chmod +x .git/hooks/pre-commit && echo exit 0 > ../hook");
    begins_small(world.installed())
}

/// The question is asked where the work was done: its answer takes the steps that are left.
#[test]
fn the_answer_takes_the_steps_between_the_work_and_its_end() {
    let world = small();
    let before = world.git("rev-parse HEAD").trim().to_owned();
    let opens = "saw: lex() drops escapes\nchange: lex() keeps escapes\nrun: cargo test";
    world.seed(&format!("phase advance --scope src/parser -m '{opens}'")).succeeds();
    world.changes_nothing(|| world.asks(&done()).refuses("nothing is proved"));
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.changes_nothing(|| world.asks(&done()).refuses("nothing is proved"));
    runs_tests(&world).tells("Ask one [JOB-COMPLETE] question (25 words or more)");
    // What changes once more is not shown any more.
    world.edits(CODE, "escapes();", "escapes(1);").passes();
    world.changes_nothing(|| world.asks(&done()).refuses("nothing is proved"));
    runs_tests(&world).tells("And this line: Seen by git seed: 1 file, +1 -1;");
    let asked = world.asks(&done()).passes();
    assert_eq!(
        world.git("rev-parse HEAD").trim(),
        before,
        "nothing is committed before the answer"
    );
    asked.answers("Approve completion").tells("closed");
    assert_eq!(world.phase(), "none");
    assert!(world.stops().is_silent(), "the turn may end");
    assert_eq!(world.files_of_head(), [CODE]);
    let commits = world.git(&format!("rev-list --count {before}..HEAD"));
    let message = world.git("log -1 --format=%B");
    assert_eq!(commits.trim(), "1");
    assert!(message.starts_with("execute: lex() keeps escapes\n\nthe lexer keeps"), "{message}");
    assert!(!message.contains("JOB-COMPLETE") && !message.contains("Outstanding"), "{message}");
    assert_eq!(world.trailer("Seed-Step").trim(), "execute -> verify");
    world.seed("verify").ends(3, "");
}

/// Any answer of a person's takes them, so that a look at the work is one at a commit; and the
/// further cycle opens as it does behind condense.
#[test]
fn a_look_at_the_work_takes_the_steps_too() {
    let world = small();
    world.seed("phase advance --scope src/parser -m 'the lexer drops escapes'").succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.tests();
    world.asks(&done()).passes().answers("Review").tells("wants to look");
    assert_eq!(
        (world.phase().as_str(), world.files_of_head()),
        ("condense", vec![CODE.to_owned()])
    );
    assert!(world.stops().is_silent(), "the person looks");
    world.prompt("Call it lexer");
    world.seed("phase advance --review").succeeds();
    assert_eq!((world.phase().as_str(), world.json("phase cycle")), ("execute", json!(2)));
    world.edits(CODE, "escapes();", "escapes(1);").passes();
    world.tests();
    world.asks(&done()).passes().answers("Approve completion").tells("closed");
    // What the agent says of it: the person's words are no words for a commit.
    assert!(world.git("log -1 --format=%s").starts_with("execute: the lexer keeps"));
}

/// Each cycle's commit says what that cycle was about, also where the job has a name, and none the
/// words of the person's that asked for it.
#[test]
fn a_further_cycle_of_a_named_job_has_a_subject_of_its_own() {
    let world = small();
    world.seed("phase advance --scope src/parser -m 'the lexer drops escapes'").succeeds();
    world.seed("job update --name 'fix the lexer'").succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.tests();
    world.asks(&done()).passes().answers("Review").tells("wants to look");
    world.prompt("Call it WALRUS instead");
    world.seed("phase advance --review").succeeds();
    world.edits(CODE, "escapes();", "escapes(1);").passes();
    world.tests();
    let text = "[JOB-COMPLETE] fix the lexer: the function has the other name now, which one run \
                of its own tests shows, and nothing else of it was touched by this change.\n\n\
                ## Outstanding Items\n";
    let asked = question(text, &["Review", "Approve completion"]);
    world.asks(&asked).passes().answers("Approve completion").tells("closed");
    let subjects = world.git("log -2 --format=%s");
    let [second, first] = subjects.lines().collect::<Vec<_>>()[..] else { panic!("{subjects}") };
    assert_eq!(first, "execute: the lexer drops escapes");
    assert!(second.starts_with("execute: the function has the other name now"), "{second}");
    assert!(!world.git("log --format=%B").contains("WALRUS"));
    assert!(
        !world
            .git("log --format=%B --glob=refs/seed/jobs --glob=refs/seed/archive")
            .contains("WALRUS")
    );
}

/// So do words that the person types instead: they are what the next small cycle is for.
#[test]
fn typed_words_take_the_steps_and_open_a_small_cycle() {
    let world = small();
    world.seed("phase advance --scope src/parser -m 'the lexer drops escapes'").succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.tests();
    let told = world.asks(&done()).passes().answers("call it lexer first");
    assert!(told.to_person().is_some_and(|told| told.contains("Approve completion")), "{told:?}");
    assert_eq!(
        (world.phase().as_str(), world.files_of_head()),
        ("condense", vec![CODE.to_owned()])
    );
    assert_eq!(world.json("job show")["user_approval"], json!(false));
    world.seed("phase advance --review").succeeds();
    assert_eq!(world.json("job show")["extension_contexts"], json!(["call it lexer first"]));
    assert_eq!((world.phase().as_str(), world.json("phase cycle")), ("execute", json!(2)));
}

/// What a hook of the person's refuses takes the answer along; nothing is approved.
#[test]
fn an_answer_counts_only_where_its_commit_could_be_made() {
    let world = small_with_a_hook();
    world.seed("phase advance --scope src/parser -m 'the lexer drops escapes'").succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.tests();
    world.puts("../hook", "echo the header has no year >&2; exit 1\n");
    for answer in ["Approve completion", "Review"] {
        let told = world.asks(&done()).passes().answers(answer);
        assert!(told.to_person().is_some_and(|told| told.contains("has no year")), "{told:?}");
        assert_eq!(world.phase(), "execute");
        assert_eq!(world.json("job show")["user_approval"], json!(false));
        assert!(!world.stops().is_silent(), "the work is not over");
    }
    world.puts("../hook", "exit 0\n");
    world.asks(&done()).passes().answers("Approve completion").tells("closed");
    assert_eq!((world.phase().as_str(), world.files_of_head()), ("none", vec![CODE.to_owned()]));
}

/// The question becomes a message of a commit: what that may not hold is refused before.
#[test]
fn a_question_that_cannot_be_a_message_is_not_asked() {
    let world = small();
    world.seed("phase advance --scope src/parser -m 'the lexer drops escapes'").succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.tests();
    for (line, why) in [
        ("Seed-Id: 0123456789ab", "only git seed writes lines that begin with Seed-"),
        ("token: ghp_0123456789abcdefABCDEFghijklMNOPqr71", "looks like a secret"),
    ] {
        let mut asked = done();
        let text = asked["question"].as_str().expect("a text").replace("at all.", line);
        asked["question"] = json!(text.replace(line, &format!("at all.\n{line}\n")));
        world.changes_nothing(|| world.asks(&asked).refuses(why));
    }
    world.asks(&done()).passes().answers("Approve completion").tells("closed");
}

/// A hook that takes longer than the host waits is given up, and the agent takes the step itself.
#[test]
fn a_commit_that_outlasts_the_host_is_left_to_the_agent() {
    let world = small_with_a_hook();
    world.seed("phase advance --scope src/parser -m 'the lexer drops escapes'").succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.tests();
    let settings = ".claude/settings.local.json";
    let waits = world.text(settings).replace("\"timeout\": 60", "\"timeout\": 1");
    world.puts(settings, &waits);
    // It waits for somebody who never writes.
    world.puts("../hook", "mkfifo ../never; read line < ../never\n");
    let told = world.asks(&done()).passes().answers("Approve completion");
    assert!(told.to_person().is_some_and(|told| told.contains("takes longer")), "{told:?}");
    assert_eq!(world.phase(), "execute");
    world.puts("../hook", "exit 0\n");
    world.seed("phase advance -m 'keep escapes'").succeeds();
    world.asks(&done()).passes().answers("Approve completion").tells("closed");
}

/// Nobody is there: the step is the agent's, and no question is spoken of.
#[test]
fn where_nobody_can_be_asked_a_run_speaks_of_no_question() {
    let world = World::seeded();
    world.puts("seed.toml", "[approval]\nmode = \"defer\"\n");
    world.person("rules apply").succeeds();
    std::fs::remove_file(world.path("seed.toml")).expect("the proposal goes");
    world.prompt("[QUICK] fix the lexer").tells("--scope");
    world.reads(CODE).passes();
    world.seed("phase advance").succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    assert!(runs_tests(&world).is_silent());
    world.seed("phase advance -m 'keep escapes'").succeeds();
}

/// A run of Python's tests writes `__pycache__`, and many a young repository ignores nothing.
#[test]
fn what_a_run_leaves_in_a_cache_is_nobodys_change() {
    let world = World::seeded();
    world.puts("vendor/node_modules/kept.js", "1\n");
    world.git("add -A");
    world.git("commit -qm vendored");
    world.prompt("[QUICK] fix the lexer").tells("--scope");
    world.reads(CODE).passes();
    world.seed("phase advance").succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    let made = ["src/parser/__pycache__/lex.pyc", "node_modules/a/b.js", ".gradle/9/x.bin"];
    let told = world.runs_and("sh build.sh", || made.iter().for_each(|file| world.puts(file, "1")));
    assert!(told.after.is_silent(), "{told:?}");
    world.seed("status").tells("fence    clean");
    // A file that is tracked is somebody's work, wherever it lies; so is one beside a cache.
    let told = world.runs_and("sh build.sh", || {
        world.puts("vendor/node_modules/kept.js", "2\n");
        world.puts("src/pycache", "2\n");
    });
    told.after.tells("vendor/node_modules/kept.js");
    told.after.tells("src/pycache");
    world.seed("fence restore").succeeds();
    world.tests();
    world.seed("phase advance -m 'keep escapes in quoted strings'").succeeds();
    assert_eq!(world.files_of_head(), [CODE]);
    assert!(made.iter().all(|file| world.path(file).exists()), "and nothing was taken away");
}

#[test]
fn a_directory_is_read_and_declared_before_anything_is_written() {
    let world = World::seeded();
    world.prompt("[QUICK] fix the lexer").tells("--scope");
    let edit = || world.edits(CODE, "fn lex() {", "fn lex() { escapes();");
    edit().refuses("Do: read the file in src/parser that you will change");
    let scoped = "phase advance --scope src/parser -m 'the lexer drops escapes'";
    world.changes_nothing(|| world.seed(scoped).refuses("have not read a file in src/parser"));
    world.reads(CODE).passes();
    edit().refuses("Do: git seed phase advance --scope src/parser -m");
    world.changes_nothing(|| world.seed("phase advance --scope ../x -m x").refuses("`..`"));
    // The file that has to change stands for its directory, and the person said what it is about.
    world.seed(&format!("phase advance --scope {CODE}")).succeeds();
    assert_eq!(world.phase(), "execute");
    world.writes("src/other.rs", "fn other() {}\n").refuses("src/other.rs");
}

/// A first step before anything was read opens the phase where one looks.
#[test]
fn who_has_not_looked_yet_looks_first() {
    let world = World::seeded();
    world.prompt("[QUICK] fix the lexer");
    world.seed("phase advance").tells("--scope");
    assert_eq!(world.phase(), "observe");
    world.changes_nothing(|| world.seed("phase advance -m 'begin'").refuses("--scope"));
    world.changes_nothing(|| world.seed("phase advance --scope src/parser").refuses("-m"));
    let small = "phase advance --small --scope src/parser -m 'escapes get lost'";
    world.changes_nothing(|| world.seed(small).refuses("have not read a file in src/parser"));
    world.reads(CODE).passes();
    world.seed(small).succeeds();
    assert_eq!(world.phase(), "execute");
}

/// Several directories behind one `--scope`, as agents write them.
#[test]
fn one_scope_may_name_several_directories() {
    for scope in ["src/parser,tests", "'src/parser, tests'", "'src/parser tests'"] {
        let world = World::seeded();
        world.puts("tests/lex.rs", "#[test]\nfn lexes() {}\n");
        world.sh("git add -A && git -c core.hooksPath=/dev/null commit -qm 'a test'");
        world.prompt("fix the lexer");
        world.reads(CODE).passes();
        world.reads("tests/lex.rs").passes();
        world
            .seed(&format!("phase advance --small --scope {scope} -m 'escapes get lost'"))
            .tells("Declared: src/parser, tests.");
        world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    }
}

#[test]
fn nothing_is_walked_through_that_is_not_met() {
    let world = small();
    world.is_heard();
    world.seed("phase advance --scope src/parser -m 'the lexer drops escapes'").succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.seed("phase advance -m 'keep escapes'").succeeds();
    assert_eq!(world.phase(), "verify", "nothing ran since the change");
    world.changes_nothing(|| {
        world.seed("phase advance -m 'keep escapes'").refuses("nothing is proved")
    });
    world.edits(CODE, "escapes();", "escapes(1);").refuses("phase back execute");
    world.tests();
    world.seed("phase advance -m 'shown by its tests'").succeeds();
    assert_eq!(world.phase(), "condense");
}

/// A person's word on the size of the work holds, whatever it grows to; the card says so.
#[test]
fn the_size_does_not_bind_where_a_person_said_quick() {
    let world = small();
    world.is_heard();
    world.seed("phase advance --scope src/parser -m 'the lexer drops escapes'").succeeds();
    let long = "// a line of many\n".repeat(80);
    world.edits(CODE, "fn lex() {", &format!("{long}fn lex() {{ escapes();")).passes();
    world.tests();
    world.seed("phase advance -m 'keep escapes; all the tests pass'").succeeds();
    assert_eq!(world.json("status")["track"], "quick");
    let asked = world.asks(&done()).passes();
    let told = asked.reply.to_person().expect("a card").to_owned();
    assert!(told.contains("too large for the small lane (1 file, 82 lines)"), "{told}");
}

#[test]
fn work_that_outgrows_the_lane_goes_on_in_opevc_and_is_kept() {
    let world = World::seeded();
    world.puts("seed.toml", "track = \"quick\"\n");
    world.person("rules apply").succeeds();
    std::fs::remove_file(world.path("seed.toml")).expect("the proposal goes");
    world.prompt("fix the lexer").tells("--scope");
    world.reads(CODE).passes();
    world.seed("phase advance -m 'the lexer drops escapes'").tells("Declared: src/parser");
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    // What would make it large is refused before it is made, and nothing names the size.
    let long = "// a line of many\n".repeat(80);
    let no = world.edits(CODE, "fn lex() {", &format!("{long}fn lex() {{"));
    no.refuses("git seed phase advance --up -m");
    assert!(!format!("{no:?}").contains("60"), "{no:?}");
    world.writes("src/parser/a.rs", &long).refuses("--up");
    // What a command makes of it is told at once, and goes the same way.
    let told = world.runs_and("sh grow.sh src/parser/lex.rs", || {
        world.puts(CODE, &format!("{long}{}", world.text(CODE)));
    });
    told.after.tells("git seed phase advance --up -m");
    world.tests();
    world.seed("phase advance --up -m 'it has to be written anew'").tells("track opevc");
    let status = world.json("status");
    assert_eq!(
        (status["track"].as_str(), status["phase"].as_str()),
        (Some("opevc"), Some("observe"))
    );
    assert!(world.text(CODE).contains("a line of many"), "the work is kept");
    assert!(world.files_of_head().contains(&CODE.to_owned()), "and committed");
    world.works("observe");
    world.leaves();
    assert_eq!(world.phase(), "plan");
}

/// A fix with its test stays small: tests and lock files ride along, and what a run left that
/// nobody claims is no work.
#[test]
fn a_fix_with_its_test_stays_on_the_lane() {
    let world = small();
    world.is_heard();
    world.seed("phase advance --scope src/parser -m 'the lexer drops escapes'").succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    let test = "#[test]\nfn lexes() { assert_eq!(1, 1); }\n".repeat(40);
    world.writes("tests/lex.rs", &test).passes();
    world.runs_and("cargo test", || world.puts("Cargo.lock", "# made by cargo\n")).passes();
    world.tests();
    let told = world.seed("phase advance -m 'keep escapes; all the tests pass'").succeeds();
    assert!(!told.contains("track opevc"), "{told}");
    let status = world.json("status");
    assert_eq!(status["track"], "quick", "{status}");
    let mut files = world.files_of_head();
    files.sort();
    assert_eq!(files, [CODE, "tests/lex.rs"]);
}

#[test]
fn the_agent_may_ask_up_and_never_down() {
    let world = small();
    world.seed("phase advance").succeeds();
    world.seed("phase advance --up -m 'the change is larger than it looked'").tells("track opevc");
    assert_eq!(world.json("status")["track"], "opevc");
    world.changes_nothing(|| world.seed("phase advance --up -m 'again'").refuses("BLOCKED"));
    let told = world.prompt("[QUICK] make it small again");
    assert!(told.to_person().is_some_and(|told| told.contains("now a small one")), "{told:?}");
    assert_eq!(world.json("status")["track"], "quick");
}

#[test]
fn a_review_leads_into_another_cycle() {
    let world = small();
    world.is_heard();
    world.seed("phase advance --scope src/parser -m 'the lexer drops escapes'").succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.tests();
    world.seed("phase advance -m 'keep escapes'").succeeds();
    world.asks(&done()).passes().answers("Review");
    assert_eq!(world.phase(), "condense");
    world.seed("phase advance --add-cycle 'one more round' -m 'one more round'").succeeds();
    world.seed("phase advance").succeeds();
    assert_eq!((world.phase().as_str(), world.json("phase cycle")), ("observe", json!(2)));
}

#[test]
fn the_persons_short_word_closes_it_too() {
    let world = small();
    world.is_heard();
    world.seed("phase advance --scope src/parser -m 'the lexer drops escapes'").succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.tests();
    let said = world.seed("phase advance --json -m 'keep escapes'").succeeds();
    let json: serde_json::Value = serde_json::from_str(&said).expect("one value");
    let steps = [json["passed"][0]["step"].as_str(), json["step"].as_str()];
    assert_eq!(steps, [Some("execute -> verify"), Some("verify -> condense")], "{said}");
    assert_eq!(json["passed"][0]["commit"].as_str(), Some(world.git("rev-parse HEAD").trim()));
    let told = world.prompt("[APPROVE]");
    assert_eq!(world.phase(), "none");
    let person = told.to_person().unwrap_or_default();
    assert!(person.contains("is approved, and its cycle is closed"), "{told:?}");
}

#[test]
fn a_job_that_rises_in_a_later_cycle_still_decides_its_plan() {
    let world = small();
    world.is_heard();
    world.seed("phase advance --scope src/parser -m 'the lexer drops escapes'").succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.tests();
    world.seed("phase advance -m 'keep escapes'").succeeds();
    world.seed("phase advance --add-cycle 'one more round' -m 'one more round'").succeeds();
    world.seed("phase advance").succeeds();
    world.changes_nothing(|| world.seed("phase advance --up").refuses("phase advance --up -m"));
    world.seed("phase advance --up -m 'the change is larger than it looked'").tells("track opevc");
    world.works("observe");
    world.leaves();
    assert_eq!((world.phase().as_str(), world.json("phase cycle")), ("plan", json!(2)));
    world.opens();
    world.seed("plan set-plan-file false").succeeds();
    world.changes_nothing(|| world.seed("plan set-plan-file plan.md").refuses("first cycle"));
}

/// Runs the whole small job that `begin` opened, to its end.
fn ends_small(world: &World) {
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.tests();
    world.seed("phase advance -m 'keep escapes in quoted strings'").succeeds();
    world.asks(&done()).passes().answers("Approve completion").tells("closed");
}

#[test]
fn status_names_the_words_on_size_that_would_act() {
    let world = World::seeded();
    let acts = |word: &str| {
        let status = world.json("status");
        status["words"].as_array().expect("words").iter().any(|one| one == word)
    };
    world.prompt("fix the lexer");
    world.reads(CODE).passes();
    world
        .seed("phase advance --small --scope src/parser -m 'escapes get lost; lex.rs; cargo test'")
        .succeeds();
    assert!(acts("[QUICK]") && acts("[FULL]"), "its size binds, and all phases are open");
    world.prompt("[QUICK]");
    assert!(!acts("[QUICK]") && acts("[FULL]"));
    world.prompt("[FULL]");
    assert!(acts("[QUICK]") && !acts("[FULL]"), "all phases");
}

/// Nobody said how large the job is: the agent's first step says it.
#[test]
fn the_first_step_chooses_the_lane() {
    let world = World::seeded();
    let told = world.prompt("fix the lexer");
    told.tells("git seed phase advance --small --scope <dir> -m");
    told.tells("\nAnything larger: git seed phase advance");
    assert_eq!(world.json("status")["track"], json!(null));
    let edits = || world.edits(CODE, "fn lex() {", "fn lex() { escapes();");
    // The step would be refused as well: what it waits for is said first.
    edits().refuses("Do: read the file in src/parser that you will change");
    edits().refuses("git seed phase advance --small --scope src/parser -m");
    let small =
        "phase advance --small --scope src/parser -m 'escapes get lost; lex.rs; cargo test'";
    world.changes_nothing(|| world.seed(small).refuses("have not read a file in src/parser"));
    world.reads(CODE).passes();
    edits().refuses("Do: git seed phase advance --small --scope src/parser -m");
    world.writes("src/new/a.rs", "fn a() {}\n").refuses("Do: git seed phase advance --small");
    world.writes("notes.txt", "x\n").refuses("Do: read the file in the top directory that you");
    world.changes_nothing(|| world.seed("phase advance --small -m x").refuses("--scope <dir>"));
    world.changes_nothing(|| {
        world
            .seed("phase advance --small --scope src/parser")
            .refuses("does not say what will change")
    });
    world.seed(small).succeeds();
    let status = world.json("status");
    assert_eq!((&status["track"], &status["phase"]), (&json!("quick"), &json!("execute")));
    let steps = world.json("log");
    let steps: Vec<&str> =
        steps.as_array().expect("steps").iter().filter_map(|one| one["step"].as_str()).collect();
    assert!(steps.starts_with(&["observe -> execute", "idle -> observe"]), "{steps:?}");
    world.changes_nothing(|| world.seed(small).refuses("the job is already in the small lane"));
    ends_small(&world);
    world.seed("verify").ends(3, "");
}

#[test]
fn all_phases_stay_where_the_first_step_or_its_person_chose_them() {
    let world = World::seeded();
    let small = "phase advance --small --scope src/parser -m 'escapes get lost'";
    world.prompt("fix the lexer");
    world.seed("phase advance").succeeds();
    assert_eq!(world.json("status")["track"], "opevc");
    world.changes_nothing(|| world.seed(small).refuses("only the first step of a job"));
    let world = World::seeded();
    let told = world.prompt("[FULL] fix the lexer");
    assert!(told.to_person().is_some_and(|told| told.contains("all phases")), "{told:?}");
    assert!(!told.context().is_some_and(|told| told.contains("--small")), "{told:?}");
    world.reads(CODE).passes();
    world.changes_nothing(|| world.seed(small).refuses("the rules require all phases"));
    world.seed("phase advance").succeeds();
    assert_eq!(world.json("status")["track"], "opevc");
    // The rules say it for every job, until a person says otherwise of one.
    let world = World::seeded();
    world.puts("seed.toml", "[tracks]\ndefault = \"opevc\"\n");
    world.person("rules apply").succeeds();
    std::fs::remove_file(world.path("seed.toml")).expect("the proposal goes");
    let told = world.prompt("fix the lexer");
    assert!(!told.context().is_some_and(|told| told.contains("--small")), "{told:?}");
    world.reads(CODE).passes();
    world.changes_nothing(|| world.seed(small).refuses("the rules require all phases"));
    world.prompt("[QUICK] just that").tells("git seed phase advance --scope");
    world.seed("phase advance").succeeds();
    assert_eq!(world.json("status")["track"], "quick");
}

/// `[FULL]` takes a small job off its lane, with what was done.
#[test]
fn a_person_leads_a_small_job_up() {
    let world = small();
    world.seed("phase advance").succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    let told = world.prompt("[FULL] and the parser needs the same");
    told.tells("observe");
    let status = world.json("status");
    assert_eq!((&status["track"], &status["phase"]), (&json!("opevc"), &json!("observe")));
    assert_eq!(world.files_of_head(), [CODE]);
    let again = world.prompt("[FULL] really");
    assert!(again.to_person().is_some_and(|told| told.contains("already")), "{again:?}");
}

/// What rules say of the lane binds, key by key.
#[test]
fn rules_say_what_the_small_lane_takes() {
    let world = World::seeded();
    world.puts("seed.toml", "[lane]\nlines = 4\nfiles = 1\n");
    world.person("rules apply").succeeds();
    std::fs::remove_file(world.path("seed.toml")).expect("the proposal goes");
    world.prompt("fix the lexer");
    world.reads(CODE).passes();
    world.seed("phase advance --small --scope src/parser -m 'escapes get lost'").succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() {\n1;\n2;\n3;\n").refuses("--up");
    world.edits(CODE, "fn lex() {", "fn lex() {\n1;\n").passes();
    world.writes("src/parser/b.rs", "").passes();
    world.writes("src/parser/b.rs", "1\n").refuses("--up");
    // Commits in between do not make it smaller.
    world.seed("phase checkpoint -m 'keep escapes'").succeeds();
    world.writes("src/parser/b.rs", "1\n").refuses("--up");
    // Tests ride along, wherever their tree mirrors the work.
    world.writes("tests/parser/lex.rs", "1;\n2;\n").passes();
    world.writes("docs/lex.md", "1\n").refuses("docs/lex.md");
}

/// A refusal is printed, and stands in `why`: whichever command was refused.
#[test]
fn whatever_command_is_refused_why_has_its_line() {
    let world = World::seeded();
    world.prompt("fix the lexer");
    world.is_heard();
    for (line, by) in [
        ("phase advance --small -m x", "lane"),
        ("gmode exit", "edge"),
        ("gmode prep 90", "prep"),
        ("plan set-plan-file false", "decision"),
        ("phase checkpoint -m 'nothing to say'", "edge"),
    ] {
        world.seed(line).refuses("BLOCKED");
        let why = world.json("why --last 1");
        assert_eq!(why[0]["by"], by, "{line}: {why}");
    }
}

/// A file is opened in the context that changes it; a look counts while that context lives.
#[test]
fn a_file_is_opened_before_it_is_changed() {
    let world = World::new();
    world.puts("src/parser/tokens.rs", "fn tokens() {}\n");
    world.git("add -A");
    world.git("commit -qm tokens");
    let world = world.installed();
    world.prompt("fix the lexer");
    world.reads(CODE).passes();
    world.seed("phase advance --small --scope src/parser -m 'escapes get lost'").succeeds();
    let tokens = |text: &str| world.edits("src/parser/tokens.rs", "fn tokens() {", text);
    tokens("fn tokens() { one();").refuses("have not opened src/parser/tokens.rs");
    // What was seen in talk counts, what the agent made itself does, and so does a look by a shell.
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.writes("src/parser/tests/new.rs", "fn new() {}\n").passes();
    world.edits("src/parser/tests/new.rs", "fn new() {", "fn new() { more();").passes();
    world.runs("cat src/parser/tokens.rs").passes();
    tokens("fn tokens() { one();").passes();
    // The context is gone: what it saw is, too.
    world.event("SessionStart", &json!({ "source": "clear" }));
    tokens("fn tokens() { two();").refuses("have not opened src/parser/tokens.rs");
    world.runs("sed -i s/two/three/ src/parser/tokens.rs").refuses("have not opened");
    world.reads("src/parser/tokens.rs").passes();
    tokens("fn tokens() { two();").passes();
    world.event("SessionStart", &json!({ "source": "resume" }));
    world.edits("src/parser/tokens.rs", "two();", "three();").passes();
}

/// What a person commits meanwhile, wherever it lies and however much it is, is no work of the
/// job's; a call that changes the same files makes it that.
#[test]
fn what_a_person_commits_makes_no_small_job_large() {
    let world = small();
    world.is_heard();
    world.seed("phase advance --scope src/parser -m 'the lexer drops escapes'").succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.seed("phase checkpoint -m 'keep escapes'").succeeds();
    for dir in ["docs", "src/parser", "tools"] {
        world.puts(&format!("{dir}/note.txt"), &"a line of theirs\n".repeat(200));
    }
    world.git("add -A");
    world.git("commit -qm 'notes of theirs'");
    world.edits(CODE, "escapes();", "escapes(1);").passes();
    let told = world.seed("phase checkpoint -m 'and count them'").succeeds();
    assert!(!told.contains("track opevc"), "{told}");
    world.edits(CODE, "escapes(1);", "escapes(2);").passes();
    world.tests();
    let told = world.seed("phase advance -m 'count them twice; all the tests pass'").succeeds();
    assert!(!told.contains("track opevc"), "{told}");
    assert_eq!(world.json("status")["track"], "quick");
    assert_eq!(world.phase(), "condense");
}

/// An approval that cannot close the job names what is in the way, and that leads on.
#[test]
fn an_approval_whose_branch_is_gone_says_what_to_do_first() {
    let world = small();
    world.git("switch -q -c side");
    world.seed("phase advance --scope src/parser -m 'the lexer drops escapes'").succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.tests();
    world.seed("phase advance -m 'keep escapes in quoted strings'").succeeds();
    world.git("switch -q main");
    world.git("merge -q side");
    world.git("branch -qd side");
    let told = world.asks(&done()).passes().answers("Approve completion");
    told.tells("there is no such branch any more");
    told.tells("git seed job move");
    assert_ne!(world.phase(), "none");
    world.person("job move").succeeds();
    world.seed("phase advance -m 'keep escapes in quoted strings'").succeeds();
    assert_eq!(world.phase(), "none");
}

/// Small jobs in one directory come to a point where memory is worked through first.
#[test]
fn small_jobs_add_up() {
    let world = World::seeded();
    let small = "phase advance --small --scope src/parser -m 'escapes get lost'";
    let job = || {
        world.prompt("fix the lexer");
        world.reads(CODE).passes();
    };
    for n in 0..4 {
        job();
        world.seed(small).succeeds();
        let more = format!("fn lex() {{\n{}", format!("    step{n}();\n").repeat(50));
        world.edits(CODE, "fn lex() {", &more).passes();
        world.tests();
        world.seed("phase advance -m 'keep escapes in quoted strings'").succeeds();
        world.asks(&done()).passes().answers("Approve completion").tells("closed");
    }
    job();
    world.changes_nothing(|| {
        world.seed(small).refuses("small jobs have changed much in src/parser")
    });
    // Another directory is none the worse, and a person's word weighs more.
    world.puts("src/other/a.rs", "fn a() {}\n");
    world.prompt("[QUICK] just that");
    world.seed(small).succeeds();
    ends_small(&world);
    // Once memory was worked through, small jobs open there again.
    world.prompt("[FULL] and now all of it");
    world.enters("condense");
    world.works("condense");
    world.approved();
    world.leaves();
    job();
    world.seed(small).succeeds();
}

/// What another clone works on is not offered as the next job here; what is queued there is.
#[test]
fn a_job_that_another_clone_works_on_is_not_what_comes_next() {
    let world = small();
    world.seed("phase advance --scope src/parser -m 'the lexer drops escapes'").succeeds();
    let theirs = world.job();
    world.person("job create 'queued'").succeeds();
    let queued = world.json("job list")[1]["id"].as_str().expect("an id").to_owned();
    world.person("off -m 'another one'").succeeds();
    world.person("on").succeeds();
    // From here on this is another clone.
    world.git("symbolic-ref --delete refs/worktree/seed/focus");
    world.puts(".git/seed/clone", "0123456789abcdef01234567\n");
    world.prompt("[QUICK] fix the lexer");
    assert_ne!(world.job(), theirs);
    world.reads(CODE).passes();
    world.seed("phase advance --scope src/parser -m 'the lexer drops escapes'").succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.tests();
    let reply = world.asks(&done()).passes().answers("Approve completion");
    let told = format!("{:?} {:?}", reply.context(), reply.to_person());
    assert!(told.contains(&format!("git seed job activate {queued}")), "{told}");
    assert!(!told.contains(&theirs), "{told}");
}

/// A shell call that failed, as the host tells it.
fn fails(world: &World, command: &str, status: i32, said: &str) {
    let (input, call) = (json!({ "command": command }), world.next_call());
    world.before("Bash", &input, &call).passes();
    let fields = json!({ "tool_name": "Bash", "tool_input": input, "tool_use_id": call,
        "error": format!("Exit code {status}\n{said}"), "is_interrupt": false, "duration_ms": 9 });
    world.event("PostToolUseFailure", &fields);
    world.minute();
}

/// A run that never began proves nothing, and takes nothing back of what a run before it proved.
#[test]
fn what_never_began_takes_no_proof_back() {
    let unstarted = [
        ("make test", 2, "make: *** No rule to make target 'test'.  Stop."),
        ("make check", 2, "make: *** No targets specified and no makefile found.  Stop."),
        ("npm test", 1, "npm error Missing script: \"test\""),
        ("npx jest", 127, "sh: 1: jest: not found"),
        ("pytest", 127, "bash: line 1: pytest: command not found"),
    ];
    for (line, status, said) in unstarted {
        let begun = || {
            let world = small();
            world.seed("phase advance --scope src/parser -m 'the lexer drops escapes'").succeeds();
            world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
            world
        };
        let world = begun();
        fails(&world, line, status, said);
        world.asks(&done()).refuses("nothing is proved");
        world.tests();
        fails(&world, line, status, said);
        world.asks(&done()).passes();
        // The same where the line hides how it ended.
        let world = begun();
        world.tests();
        let printed = json!({ "stdout": said, "stderr": "", "interrupted": false });
        let hidden = format!("{line} || true");
        world.tool("Bash", &json!({ "command": hidden }), || printed).passes();
        world.asks(&done()).passes();
        // Tests that fail take it back.
        fails(&world, "cargo test", 101, "test lex ... FAILED");
        world.asks(&done()).refuses("nothing is proved");
    }
}

/// A small job in a repository with these files; the agent read the first one, and may change what
/// lies beside it.
pub fn small_in(files: &[(&str, &str)]) -> World {
    let world = World::new();
    for (path, text) in files {
        world.puts(path, text);
    }
    world.git("add -A");
    world.git("commit -qm files");
    let world = world.installed();
    world.prompt("fix the lexer");
    let (path, _) = files[0];
    world.reads(path).passes();
    let dir = path.rsplit_once('/').map_or(".", |(dir, _)| dir);
    world.seed(&format!("phase advance --small --scope {dir} -m 'a; b; c'")).succeeds();
    world
}

#[test]
fn where_only_words_changed_a_look_at_them_shows_the_result() {
    for (look, shows) in [
        ("grep -n the README.md", true),
        ("git diff", true),
        ("test -z \"$(grep teh README.md)\"", true),
        ("git seed exec -- cat README.md", true),
        ("cat todo.txt", false),
        ("echo README.md", false),
    ] {
        let world = small_in(&[("README.md", "Read teh guide.\n"), ("tests/a.rs", "fn a() {}\n")]);
        // What was seen before the change shows nothing of it.
        world.runs("git diff").passes();
        world.edits("README.md", "teh", "the").passes();
        world.asks(&done()).refuses("nothing has looked at README.md since it changed");
        world.stops().refuses("Do: look at the result, for example with: cat README.md");
        world.runs_and(look, || {}).passes();
        if shows {
            world.asks(&done()).passes();
        } else {
            world.asks(&done()).refuses("cat README.md");
        }
    }
    // A tool of the host's looks as well, and what tests read is no word.
    let world = small_in(&[("README.md", "Read teh guide.\n")]);
    world.edits("README.md", "teh", "the").passes();
    world.reads("README.md").passes();
    world.seed("phase advance -m 'a typo is mended'").succeeds();
    assert_eq!(world.phase(), "condense");
    let world = small_in(&[("tests/expected.md", "teh\n")]);
    world.edits("tests/expected.md", "teh", "the").passes();
    world.runs("cat tests/expected.md").passes();
    world.asks(&done()).refuses("nothing is proved");
}

const GO: [(&str, &str); 2] =
    [("store/store.go", "package store\n"), ("store/store_test.go", "package store\n")];

/// A question that says that nothing was tested.
fn untested() -> serde_json::Value {
    let text = "[JOB-COMPLETE] fix the lexer: Get looks the key up in two values and returns \
                a question mark where it is missing. Not tested: go is not installed here, so no \
                test ran.\n\n## Outstanding Items\n";
    question(text, &["Review", "Approve completion"])
}

#[test]
fn where_the_tests_cannot_run_the_agent_says_so_and_the_card_tells_it() {
    let world = small_in(&GO);
    world.edits("store/store.go", "package store\n", "package store\n\nvar a = 1\n").passes();
    // Nobody tried.
    world.asks(&untested()).refuses("nothing is proved");
    fails(&world, "go test ./...", 127, "bash: line 1: go: command not found");
    world.asks(&done()).refuses("Not tested: <why>");
    world.seed("phase advance -m 'a is 1'").succeeds();
    assert_eq!(world.phase(), "verify");
    world.seed("phase advance -m 'a is 1'").refuses("what runs the tests is not there (go test");
    world.seed("phase advance -m 'a is 1. Not tested: go is not installed here.'").succeeds();
    assert_eq!(world.phase(), "condense");
    let told = world.asks(&untested()).passes();
    let card = told.reply.to_person().expect("a card").to_owned();
    assert!(card.contains("not tested"), "{card}");
    told.answers("Approve completion");
    assert_eq!(world.phase(), "none");
}

/// Whoever could run the tests cannot skip them by a runner that is not there.
#[test]
fn a_runner_that_is_missing_excuses_its_own_tests_alone() {
    let python = [("src/a.py", "a = 1\n"), ("tests/test_a.py", "def test_a():\n    pass\n")];
    let make = [("src/a.c", "int a;\n"), ("Makefile", "check:\n\ttrue\n")];
    for (files, command, said) in [
        (&python, "go test ./...", "bash: go: command not found"),
        (&python, "tox", "bash: tox: command not found"),
        (&make, "make chekc", "make: *** No rule to make target 'chekc'.  Stop."),
        (&GO, "gotestsum", "bash: gotestsum: command not found"),
        (&GO, "PATH=/x go test ./...", "bash: go: command not found"),
    ] {
        let world = small_in(files);
        let (path, text) = files[0];
        world.edits(path, text, &format!("{text}\n{text}")).passes();
        fails(&world, command, if command.starts_with("make") { 2 } else { 127 }, said);
        let question = untested();
        let reply = world.asks(&question).reply;
        let no = reply.refusal().unwrap_or_default();
        // Where that program is here, it could run as well.
        let there = command == "gotestsum" && world.tries("command -v go").code != 0;
        assert!(no.contains("nothing is proved") || there, "{command}: {reply:?}");
    }
}

/// A runner that finds nothing to run is no run that failed.
#[test]
fn what_found_nothing_to_run_is_no_failure() {
    for (command, status, said) in [
        ("make check", 2, "make: *** No rule to make target 'check'.  Stop."),
        ("npm test", 254, "npm error enoent Could not read package.json"),
        ("pytest -q", 5, "no tests ran in 0.01s"),
    ] {
        let world = small_in(&[("README.md", "Read teh guide.\n")]);
        world.edits("README.md", "teh", "the").passes();
        fails(&world, command, status, said);
        world.runs("git diff").passes();
        let told = world.seed("phase advance -m 'the typo in README.md is fixed'").succeeds();
        assert_eq!(world.phase(), "condense", "{command}: {told}");
    }
}

#[test]
fn a_second_directory_is_told_the_way_that_works() {
    let files = [("src/calc/core.py", "a\n"), ("README.md", "teh\n"), ("tests/a.py", "b\n")];
    let world = small_in(&files);
    world.edits("src/calc/core.py", "a", "b").passes();
    world.reads("README.md").passes();
    let no = world.edits("README.md", "teh", "the");
    no.refuses("git seed phase advance --up -m");
    no.refuses("[QUICK]");
    world.seed("phase back observe -m 'the README, too'").succeeds();
    world.changes_nothing(|| world.seed("phase advance --scope . -m 'both'").refuses("--up"));
    world.seed("phase advance --scope src/calc -m 'one of them'").succeeds();
    // A person's word opens the file.
    world.prompt("[ALLOW README.md] go on");
    world.edits("README.md", "teh", "the").passes();
    world.tests();
    world.seed("phase advance -m 'both are mended'").succeeds();
    assert_eq!(world.json("status")["track"], "quick");
    assert_eq!(world.files_of_head(), ["README.md"]);
    // Both at the beginning are too many at once; tests ride along, and a person lifts the size.
    let both = "phase advance --small --scope src/calc --scope . -m 'a; b; c'";
    let begins = |prompt: &str| {
        let world = World::new();
        for (path, text) in files {
            world.puts(path, text);
        }
        let world = world.installed();
        world.prompt(prompt);
        for (path, _) in files {
            world.reads(path).passes();
        }
        world
    };
    let world = begins("mend both");
    world.changes_nothing(|| world.seed(both).refuses("too large for the small lane"));
    world.seed(&both.replace("--scope .", "--scope tests")).succeeds();
    begins("[QUICK] mend both").seed(both).succeeds();
}

/// Steps that are walked through together say once what nobody claims.
#[test]
fn what_nobody_claims_is_told_once_for_all_steps() {
    let world = small_in(&[("src/calc/core.py", "a\n"), ("README.md", "teh\n")]);
    world.edits("src/calc/core.py", "a", "b").passes();
    world.tests();
    world.puts("README.md", "by hand\n");
    world.puts("notes.txt", "by hand\n");
    let told = world.seed("phase advance -m 'core: b'").tells("execute -> verify -> condense");
    for path in ["README.md", "notes.txt"] {
        let line = format!("{path} changed, and no call accounts for it");
        assert_eq!(told.matches(&line).count(), 1, "{told}");
    }
}

/// `--scope` is read from the top: what is meant from a directory below is told by its right name.
#[test]
fn a_scope_that_is_named_from_below_is_told_from_the_top() {
    let begins = || {
        let world = World::seeded();
        world.prompt("fix the lexer");
        world.reads(CODE).passes();
        world.stands_in("src");
        world
    };
    let world = begins();
    for step in ["phase advance --small", "phase advance"] {
        for (said, meant) in
            [("parser", "src/parser"), ("./parser", "src/parser"), ("parser/lex.rs", CODE)]
        {
            let step = format!("{step} --scope {said} -m 'a; b; c'");
            world.changes_nothing(|| world.seed(&step).refuses(&format!("--scope {meant}.")));
        }
    }
    world
        .seed("phase advance --small --scope src/parser -m 'a; b; c'")
        .tells("Declared: src/parser");
    // What is at the top is meant, and so is what is nowhere yet.
    let world = begins();
    world.sh("mkdir parser");
    world.seed("phase advance --small --scope parser -m 'a; b; c'").tells("Declared: parser");
    begins().seed("phase advance --small --scope fresh -m 'a; b; c'").tells("Declared: fresh");
}

/// Whatever tool makes it, a change that the lane has no room for is told the way that works: where
/// the work is done, and in observe, which would open the directory to no avail.
#[test]
fn a_change_without_room_is_told_the_way_up_by_each_tool() {
    let files = [("src/calc/core.py", "a\n"), ("README.md", "teh\n")];
    let world = small_in(&files);
    world.edits("src/calc/core.py", "a", "b").passes();
    world.reads("README.md").passes();
    let readme = world.path("README.md");
    let long = "a line of many\n".repeat(100);
    let core = world.path("src/calc/core.py");
    let edit = |old: &str, new: &str| json!({ "old_string": old, "new_string": new });
    let calls = [
        ("Write", json!({ "file_path": readme, "content": "the\n" })),
        ("Write", json!({ "file_path": world.path("notes/new.md"), "content": "new\n" })),
        ("Write", json!({ "file_path": core, "content": long })),
        ("Edit", json!({ "file_path": readme, "old_string": "teh", "new_string": "the" })),
        // One that finds no place fails, or is put somewhere by rules that nobody here knows.
        ("Edit", json!({ "file_path": readme, "old_string": "gone", "new_string": "the" })),
        ("Edit", json!({ "file_path": core, "old_string": "gone", "new_string": long })),
        ("MultiEdit", json!({ "file_path": readme, "edits": [edit("teh", "the")] })),
        ("MultiEdit", json!({ "file_path": core, "edits": [edit("b", "c"), edit("c", &long)] })),
    ];
    let line = json!({ "command": "sed -i s/teh/the/ README.md" });
    world.before("Bash", &line, "line").refuses("Do: git seed phase advance --up -m");
    for phase in ["execute", "observe"] {
        for (tool, input) in &calls {
            let no = world.before(tool, input, &world.next_call());
            no.refuses("small lane");
            no.refuses("Do: git seed phase advance --up -m");
        }
        if phase == "execute" {
            world.seed("phase back observe -m 'the README, too'").succeeds();
        }
    }
    // What the lane has room for is told as it was.
    let input = json!({ "file_path": core, "old_string": "b", "new_string": "c" });
    world.before("Edit", &input, "one").refuses("git seed phase advance --scope src/calc -m");
    world.seed("phase advance --up -m 'the README belongs to it'").tells("track opevc");
    world.works("observe");
    world.leaves();
    assert_eq!(world.phase(), "plan");
}

#[test]
fn the_end_of_a_turn_says_what_comes_next_on_the_small_lane() {
    let world = small();
    let next = || world.json("status")["next"].as_str().unwrap_or_default().to_owned();
    world.seed("phase advance --scope src/parser -m 'the lexer drops escapes'").succeeds();
    assert!(next().starts_with("make the change"), "{}", next());
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    // The change is made: nobody is told to make it.
    let no = world.stops();
    no.refuses("Do: run what shows the result");
    no.refuses("is open in execute.");
    assert!(!next().contains("make the change"), "{}", next());
    world.tests();
    world.stops().refuses("Do: ask one [JOB-COMPLETE] question");
    assert!(next().contains("[JOB-COMPLETE]"), "{}", next());
    // Taken back, the work is to be done again.
    world.edits(CODE, "fn lex() { escapes();", "fn lex() {").passes();
    world.stops().refuses("make the change");
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.tests();
    world.prompt("stop, never mind, forget it");
    let no = world.stops();
    no.refuses("ask one [JOB-DROP] question");
    no.refuses("stop, never mind, forget it");
}

#[test]
fn a_job_is_named_by_the_prompt_that_asked_for_work() {
    let world = World::seeded();
    let name = || world.json("status")["job"]["name"].as_str().unwrap_or_default().to_owned();
    world.prompt("hi there");
    assert_eq!(name(), "hi there");
    world.prompt("how are you?");
    assert_eq!(name(), "hi there");
    world.prompt("fix the lexer, it drops escapes");
    assert_eq!(name(), "fix the lexer, it drops escapes");
    world.prompt("and add a test");
    assert_eq!(name(), "fix the lexer, it drops escapes");
}

#[test]
fn work_that_is_committed_is_not_asked_for_again() {
    let world = small();
    let next = || world.json("status")["next"].as_str().unwrap_or_default().to_owned();
    let step = "git seed phase advance -m \"<what was done>\"";
    world.seed("phase advance --scope src/parser -m 'the lexer drops escapes'").succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.tests();
    world.seed("phase checkpoint -m 'keep escapes'").succeeds();
    assert_eq!(next(), step);
    world.stops().refuses(step);
    world.seed("phase back observe -m 'look at the escapes again'").succeeds();
    world.seed("phase advance --scope src/parser -m 'keep them'").succeeds();
    // The run that shows it was taken before the way back.
    assert!(!next().contains("make the change"), "{}", next());
    world.tests();
    assert_eq!(next(), step);
    world.seed("phase advance -m 'keep escapes'").succeeds();
    assert_eq!(world.phase(), "condense");
}

#[test]
fn a_wish_behind_a_look_at_the_work_opens_the_next_cycle() {
    let world = small();
    world.seed("phase advance --scope src/parser -m 'the lexer drops escapes'").succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.tests();
    world.asks(&done()).passes().answers("also keep the tabs");
    world.edits(CODE, "escapes();", "tabs();").refuses("git seed phase advance --review");
    world.seed("phase advance --review").succeeds();
}

#[test]
fn a_pipe_that_shows_a_part_of_status_is_open_between_cycles() {
    let world = small();
    world.is_heard();
    world.seed("phase advance --scope src/parser -m 'the lexer drops escapes'").succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.tests();
    world.seed("phase advance -m 'keep escapes'").succeeds();
    world.seed("phase advance --add-cycle 'one more round' -m 'one more round'").succeeds();
    assert_eq!(world.phase(), "idle");
    world.runs_and("git seed status | head -8", || {}).passes();
    for line in ["git seed status | head -8 todo.txt", "git seed status | head && cat todo.txt"] {
        world.runs_and(line, || {}).refuses("");
    }
}

/// Before the first step a line of the shell is told the directory that it names, as an edit is.
#[test]
fn a_line_that_writes_before_the_first_step_is_told_its_directory() {
    let lines = [
        format!("sed -i s/a/b/ {CODE}"),
        format!("git rm -q {CODE}"),
        "echo x > src/parser/new.rs".to_owned(),
        "cp todo.txt src/parser/".to_owned(),
    ];
    for line in &lines {
        let world = World::prompted();
        let unread = "read the file in src/parser that you will change";
        world.runs(line).refuses(unread);
        world.reads(CODE).passes();
        world.runs(line).refuses("git seed phase advance --small --scope src/parser -m");
    }
}

/// There are no pages on it, so no example leads to one.
#[test]
fn the_example_of_the_fifth_refusal_fits_the_lane() {
    let world = small();
    world.is_heard();
    world.seed("phase advance --scope src/parser -m 'the lexer drops escapes'").succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    let mut said = String::new();
    // The first one goes on into verify, and is refused there from then on.
    for _ in 0..6 {
        said = world.runs("git seed phase advance -m 'keep escapes'").said.expect("it ran").err;
    }
    let (_, example) = said.split_once("Example: ").unwrap_or_else(|| panic!("none: {said}"));
    assert!(example.starts_with("the line \"Not tested: "), "{example}");
    for word in ["page", "anchor", "footer", "---"] {
        assert!(!said.contains(word), "{said}");
    }
}

/// Where nothing was ever changed, a run that failed shows that the work is still to do.
#[test]
fn a_small_job_without_a_change_does_not_end_on_a_run_that_failed() {
    let begun = || {
        let world = small();
        world.seed("phase advance --scope src/parser -m 'the lexer drops escapes'").succeeds();
        world
    };
    let world = begun();
    fails(&world, "cargo test", 101, "test lex ... FAILED");
    world.asks(&done()).refuses("nothing is proved");
    let said = world.seed("phase advance -m 'the lexer keeps escapes'").succeeds();
    assert_eq!(world.phase(), "verify", "{said}");
    fails(&world, "cargo test", 101, "test lex ... FAILED");
    world.seed("phase advance -m 'the lexer keeps escapes'").refuses("cargo test");
    // What was put back was tried; and a run that ended well shows that nothing has to change.
    let world = begun();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    fails(&world, "cargo test", 101, "test lex ... FAILED");
    world.edits(CODE, "fn lex() { escapes();", "fn lex() {").passes();
    let why = "[JOB-COMPLETE] fix the lexer: what was tried did not help, so I took it out again. \
               Nothing was changed.\n\n## Outstanding Items\n";
    let nothing = question(why, &["Review", "Approve completion"]);
    world.asks(&nothing).passes();
    let world = begun();
    world.tests();
    world.seed("phase advance -m 'nothing has to change'").succeeds();
    assert_eq!(world.phase(), "condense");
}

/// The lane has room for one directory: one that is declared before anything changed takes the
/// place of the other.
#[test]
fn a_directory_that_is_declared_on_the_lane_takes_the_place_of_an_untouched_one() {
    let world = small_in(&[
        ("src/a.rs", "fn a() {}\n"),
        ("src/b.rs", "fn b() {}\n"),
        ("docs/use.md", "# Use\n"),
    ]);
    world.writes("docs/new.md", "new\n").refuses("outside the declared directories");
    world.seed("phase back observe -m 'the docs are what is meant'").succeeds();
    world.reads("docs/use.md").passes();
    world.seed("phase advance --scope docs -m 'the docs say it'").succeeds();
    world.person("status").tells("write in docs ·");
    world.writes("docs/new.md", "new\n").passes();
    world.edits("src/a.rs", "fn a() {}", "fn a() { b(); }").refuses("no room for that");
    // What was changed keeps its place.
    let world = small_in(&[("src/a.rs", "fn a() {}\n"), ("docs/use.md", "# Use\n")]);
    world.edits("src/a.rs", "fn a() {}", "fn a() { b(); }").passes();
    world.seed("phase back observe -m 'the docs belong to it'").succeeds();
    world.reads("docs/use.md").passes();
    world.seed("phase advance --scope docs -m 'the docs say it'").refuses("--up");
}

/// A file that nobody made for the job is no result to look at.
#[test]
fn what_lies_outside_of_the_scope_is_no_result_of_the_job() {
    let world = small_in(&[("README.md", "Read teh guide.\n"), ("docs/a.md", "a\n")]);
    world.edits("README.md", "teh", "the").passes();
    world.puts("docs/0.txt", "somebody's\n");
    world.puts(".claude/worktrees.txt", "somebody's\n");
    world.stops().refuses("Do: look at the result, for example with: cat README.md");
}

/// Notes of a job that `[QUICK]` took down are settled in condense: a question before names the way
/// there, and condense says so before it asks for the question.
#[test]
fn notes_of_a_job_that_became_small_are_settled_before_the_question() {
    let world = World::seeded();
    world.prompt("[FULL] fix the lexer");
    world.to("observe");
    world.reads(CODE).passes();
    world.notes("---Ob---", "the lexer drops escapes in quoted strings, and three callers know it");
    world.prompt("[QUICK] just do it");
    assert_eq!(world.phase(), "execute");
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.tests();
    let step = "git seed phase advance -m \"<what was done>\"";
    assert_eq!(world.json("status")["next"], json!(step));
    let asked = world.asks(&done());
    asked.refuses(step);
    let told = world.seed("phase advance -m 'keep escapes'").succeeds();
    assert!(told.contains("git seed status names each step until they are settled"), "{told}");
    assert!(!told.contains("Seen by git seed:"), "{told}");
    assert_eq!(world.json("status")["next"], json!("git seed condense archive"));
}
