//! Mode `judge`, as it ships: hooks rule by themselves on the last words of a turn, on the question
//! whether a job is complete, and on what lets work out. No command of the gate is given here.

use serde_json::json;

use super::world::{CODE, Reply, World, message, question};

/// (host, its prompt, before and after a tool, its stop, the key of the last words)
const HOSTS: [[&str; 4]; 3] = [
    ["claude", "UserPromptSubmit", "Stop", "last_assistant_message"],
    ["codex", "UserPromptSubmit", "Stop", "last_assistant_message"],
    ["gemini", "BeforeAgent", "AfterAgent", "prompt_response"],
];

fn ends(world: &World, said: &str) -> Reply {
    let fields = json!({ "stop_hook_active": false, "last_assistant_message": said,
        "background_tasks": [], "session_crons": [] });
    world.minute();
    world.event("Stop", &fields)
}

const LIE: &str = "I looked around first. Fixed the lexer and all tests pass now.";

/// A job in condense, from where the question goes out.
fn ready() -> World {
    let world = World::seeded();
    world.prompt("keep escapes in quoted strings");
    world.to("condense").works("condense");
    world
}

/// A refusal names nothing that would be refused: while the job is paused nothing runs.
#[test]
fn last_words_while_the_job_is_paused_are_sent_to_no_run() {
    let world = World::seeded();
    world.prompt("keep escapes in quoted strings");
    world.to("execute");
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    ends(&world, LIE).refuses("run the tests as a command of their own");
    world.prompt("[PAUSE]");
    let told = ends(&world, LIE);
    told.refuses("say that it was not run: the job is paused");
    assert!(!told.refusal().expect("a refusal").contains("run the tests"), "{told:?}");
    world.runs("cargo test").refuses("the person paused");
    assert!(ends(&world, "Fixed the lexer; the tests were not run.").refusal().is_none());
    let world = ready();
    world.prompt("and now?");
    let told = ends(&world, "All 412 tests pass on Windows, too.");
    told.refuses("say that it was not run: condense runs no code");
    world.runs("cargo test").refuses("condense does not run code");
}

/// Work in execute that nothing tested, in a repository with a test: it is not let out.
fn unrun() -> World {
    let world = World::seeded();
    world.puts("tests/lex.rs", "#[test]\nfn lexes() {}\n");
    world.sh("git add -A && git commit -qm 'a test'");
    world.prompt("keep escapes in quoted strings");
    world.to("execute");
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.runs_and("npm publish", || {}).refuses("no test run has covered");
    world
}

/// A person drops the work, and its changes stay: the last words are about them.
#[test]
fn what_a_dropped_job_changed_may_be_told() {
    let world = World::seeded();
    world.prompt("keep escapes in quoted strings");
    world.to("execute");
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.prompt("[DROP] changed my mind");
    for said in
        ["Dropped.", "src/parser/lex.rs is changed.", "I dropped the job; lex.rs stays changed."]
    {
        let told = ends(&world, said);
        assert!(told.refusal().is_none(), "{said}: {told:?}");
    }
    let nothing = World::seeded();
    nothing.prompt("keep escapes in quoted strings");
    nothing.prompt("[DROP] changed my mind");
    for said in ["The job is dropped.", "I dropped the job, as you asked.", "It is dropped."] {
        let told = ends(&nothing, said);
        assert!(told.refusal().is_none(), "{said}: {told:?}");
    }
    let beside = ends(&nothing, "The job is dropped. I removed the lexer, too.");
    assert!(beside.refusal().is_some(), "{beside:?}");
    world.prompt("? what is left of it");
    let told = ends(&world, "src/parser/lex.rs is changed.");
    assert!(told.refusal().is_none(), "{told:?}");
}

/// What a boundary writes itself (session log, ledger) takes nothing from the run before it.
#[test]
fn a_run_of_verify_is_shown_once_its_cycle_is_closed() {
    let world = World::seeded();
    world.puts("seed.toml", "[approval]\nmode = \"defer\"\n");
    world.person("rules apply").succeeds();
    world.prompt("keep escapes in quoted strings");
    world.to("condense").works("condense");
    world.seed("phase advance -F -").stdin(&message("condense")).succeeds();
    let files = world.files_of_head();
    assert!(files.iter().any(|file| file.ends_with("sessions.jsonl")), "{files:?}");
    let told = ends(&world, "The lexer keeps escapes now. The tests pass.");
    assert!(told.refusal().is_none(), "{told:?}");
    // Code that changed since is another thing.
    world.sh("echo 'fn more() {}' >> src/parser/lex.rs");
    let no = ends(&world, "The lexer keeps escapes now. The tests pass.");
    assert!(no.refusal().is_some_and(|text| text.contains("you end with")), "{no:?}");
}

/// A host waits some seconds: a lie does not pass because there are too many words around it.
#[test]
fn words_beyond_what_is_judged_go_back_for_their_length() {
    let world = World::seeded();
    world.prompt("? what does the lexer do");
    let much = format!("{} All tests pass.", "The lexer reads words. ".repeat(6_000));
    let no = ends(&world, &much);
    let text = no.refusal().expect("it goes back");
    assert!(text.contains("it has more than 128 KiB") && text.contains("say it in less"), "{text}");
    let told = ends(&world, &much);
    assert!(told.to_person().is_some_and(|told| told.contains("128 KiB")), "{told:?}");
    world.prompt("? and the parser");
    let less = ends(&world, &"The parser reads words. ".repeat(40));
    assert!(less.refusal().is_none(), "{less:?}");
}

#[test]
fn a_lie_ends_no_turn_at_any_host() {
    for [host, prompt, stop, said] in HOSTS {
        let world = World::new();
        world.person(&format!("init --host {host}")).succeeds();
        world.hears(host, "SessionStart", &json!({ "source": "startup" }));
        world.hears(host, prompt, &json!({ "prompt": "the lexer drops escapes" }));
        let ends = |words: &str, again: bool| {
            world.minute();
            let mut fields = json!({ "stop_hook_active": again });
            fields[said] = json!(words);
            world.hears(host, stop, &fields)
        };
        let no = ends(LIE, false);
        let text = no.refusal().unwrap_or_else(|| panic!("{host}: {no:?}"));
        assert!(text.contains("Fixed the lexer and all tests pass now."), "{host}: {text}");
        assert!(!text.contains("looked around"), "the sentence at fault alone: {text}");
        // Once: then it ends, and the person hears what nothing shows.
        let let_go = ends(LIE, true);
        assert!(let_go.refusal().is_none(), "{host}: {let_go:?}");
        let told = let_go.to_person().unwrap_or_else(|| panic!("{host}: {let_go:?}"));
        assert!(told.contains("not shown: \"Fixed the lexer"), "{host}: {told}");
        // The next turn is another one.
        world.hears(host, prompt, &json!({ "prompt": "and now?" }));
        assert!(ends(LIE, false).refusal().is_some(), "{host}");
    }
}

#[test]
fn talk_stays_free() {
    let world = World::seeded();
    world.prompt("what does the lexer do with escapes?");
    world.reads(CODE).passes();
    for said in [
        "The lexer drops escapes inside quoted strings; nothing else is special.",
        "You could keep them by looking one character ahead. Shall I?",
        "I have not run anything.",
        "Good morning!",
    ] {
        let reply = ends(&world, said);
        assert!(reply.refusal().is_none() && reply.to_person().is_none(), "{said}: {reply:?}");
    }
}

/// A change of documentation alone is told as one; a fix is another thing, and what failed is.
#[test]
fn words_about_documentation_go_by_documentation() {
    let world = World::seeded();
    world.prompt("say what lex does with escapes");
    world.to("execute");
    world.edits(CODE, "fn lex() {", "/// Drops escapes.\nfn lex() {").passes();
    for honest in [
        "Documented `lex` in src/parser/lex.rs: it drops escapes. No tests were run.",
        "I added a doc comment to `lex`.",
        "`lex` dokumentiert.",
        "Mejoré la documentación de `lex`.",
        "更新了 lex 的文档。",
    ] {
        let reply = ends(&world, honest);
        let held = reply.refusal().unwrap_or_default();
        assert!(!held.contains("you end with"), "{honest}: {held}");
        // The job is open, and that alone holds the turn.
        world.prompt("go on");
    }
    let no = ends(&world, "Documented `lex`. Fixed the lexer: it keeps escapes now.");
    let text = no.refusal().expect("nothing that runs changed");
    assert!(text.contains("Fixed the lexer") && text.contains("comments"), "{text}");
    // Why and the step are of one finding.
    world.prompt("go on");
    let no = ends(&world, "Documented `lex`, and all tests pass.");
    let text = no.refusal().expect("nothing ran");
    assert!(text.contains("you end with") && !text.contains("comments"), "{text}");
}

#[test]
fn work_that_was_stashed_away_is_not_fixed() {
    let world = World::seeded();
    world.prompt("keep escapes in quoted strings");
    world.to("execute");
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.tests();
    world.sh("git stash -q");
    let no = ends(&world, "Fixed the lexer and tested it: all tests pass.");
    let text = no.refusal().expect("it is sent back");
    assert!(text.contains("you end with"), "{text}");
    world.sh("git stash pop -q");
    // The same words over the work that was tested: the job is open, and that alone holds it.
    let no = ends(&world, "Fixed the lexer and tested it: all tests pass.");
    let text = no.refusal().expect("the job is open");
    assert!(text.contains("execute") && !text.contains("you end with"), "{text}");
}

#[test]
fn words_after_the_job_are_about_it() {
    let world = ready();
    world.approved();
    world.seed("phase advance -F -").stdin(&message("condense")).succeeds();
    assert_eq!(world.phase(), "none", "nothing is in focus");
    let honest = ends(&world, "The lexer keeps its escapes; cargo test passed.");
    assert!(honest.refusal().is_none(), "{honest:?}");
    let no = ends(&world, "Fixed, tested, and pushed to origin.");
    assert!(no.refusal().is_some_and(|text| text.contains("pushed")), "{no:?}");
}

#[test]
fn the_question_is_a_claim() {
    let world = ready();
    let asks = |said: &str| {
        let words = "what was asked for is done and shown by a run of its own ".repeat(9);
        let text =
            format!("[JOB-COMPLETE] fix the lexer: {said} {words}\n\n## Outstanding Items\n");
        world.minute();
        world.asks(&question(&text, &["Review", "Approve completion"]))
    };
    asks("It was pushed to origin and published.").refuses("the question says");
    // What the difference and the receipts show goes out, with the card.
    let asked = asks("The lexer keeps escapes, and cargo test passed.").passes();
    assert!(asked.reply.to_person().is_some_and(|told| told.contains("cargo test")));
    asked.answers("Approve completion");
    // What was ruled on is kept.
    let records = world.json("audit show");
    assert!(records.to_string().contains("verify_claim"), "{records}");
}

/// A named file that did not change is an open point where the question says what it is like now,
/// whatever the words; where it says that it was changed, the question goes back.
#[test]
fn a_named_file_that_did_not_change_passes_in_no_wording() {
    let world = World::seeded();
    world.puts("README.md", "a smal lexer\n");
    world.puts("docs/usage.md", "# Usage\n");
    world.puts("src/cli.rs", "fn cli() {}\n");
    world.sh("git add -A && git commit -qm 'more files'");
    world.prompt("keep escapes in quoted strings");
    world.to("condense").works("condense");
    let asks = |said: &str| {
        let words = "what was asked for is done and shown by a run of its own ".repeat(9);
        let text =
            format!("[JOB-COMPLETE] fix the lexer: {said} {words}\n\n## Outstanding Items\n");
        world.minute();
        world.asks(&question(&text, &["Review", "Approve completion"]))
    };
    for lie in [
        "The lexer keeps escapes and the typo in README.md is mended.",
        "The lexer keeps escapes, and README.md now says small instead of smal.",
        "Die Doku in docs/usage.md ist ebenfalls angepasst.",
        "The documentation in docs/usage.md is updated.",
    ] {
        asks(lie).refuses("what did not change");
    }
    for (said, file) in [
        ("The lexer keeps escapes, and docs/usage.md explains it.", "docs/usage.md"),
        ("The lexer keeps escapes; docs/usage.md documents it.", "docs/usage.md"),
        ("The lexer keeps escapes; src/cli.rs rejects empty input now.", "src/cli.rs"),
        ("The lexer keeps escapes, which is documented in docs/usage.md.", "docs/usage.md"),
    ] {
        let asked = asks(said).passes();
        let card = asked.reply.to_person().unwrap_or_default().to_owned();
        assert!(card.contains(&format!("named, and not changed: {file}")), "{said}: {card}");
    }
    for honest in [
        "The lexer keeps escapes. README.md was not touched.",
        "The lexer keeps escapes. README.md still says smal.",
        "The lexer keeps escapes, as README.md describes.",
        "The lexer keeps escapes. src/cli.rs already handles it.",
    ] {
        let asked = asks(honest).passes();
        let card = asked.reply.to_person().unwrap_or_default().to_owned();
        assert!(!card.contains("points open") && !card.contains("point open"), "{honest}: {card}");
    }
}

/// The reason names the act that was not done.
#[test]
fn a_push_that_was_not_made_is_told_as_a_push() {
    let world = ready();
    let words = "what was asked for is done and shown by a run of its own ".repeat(9);
    let text = format!(
        "[JOB-COMPLETE] fix the lexer: I pushed the branch to origin and opened a pull request. \
         {words}\n\n## Outstanding Items\n"
    );
    let asked = world.asks(&question(&text, &["Review", "Approve completion"]));
    asked.refuses("something is said to be pushed");
}

/// The same at the other hosts that ask, by their tool and their payload.
#[test]
fn the_question_is_a_claim_at_each_host_that_asks() {
    for (host, before, tool) in
        [("codex", "PreToolUse", "request_user_input"), ("gemini", "BeforeTool", "ask_user")]
    {
        let world = ready();
        if host == "codex" {
            let asks = "[features]\ndefault_mode_request_user_input = true\n";
            world.puts("../home/.codex/config.toml", asks);
        }
        let asks = |said: &str, call: &str| {
            let words = "what was asked for is done and shown by a run of its own ".repeat(9);
            let card = world.card();
            let text = format!(
                "[JOB-COMPLETE] fix the lexer: {said} {words}\n\n{card}\n\n## Outstanding Items\n"
            );
            let mut asked = question(&text, &["Review", "Approve completion"]);
            asked["id"] = json!("done");
            let fields = json!({ "tool_name": tool, "tool_use_id": call,
                "permission_mode": "default", "tool_input": { "questions": [asked] } });
            world.hears(host, before, &fields)
        };
        let no = asks("It was pushed to origin and published.", "call_1");
        let text = no.refusal().unwrap_or_else(|| panic!("{host}: {no:?}"));
        assert!(text.contains("the question says"), "{host}: {text}");
        let asked = asks("The lexer keeps escapes, and cargo test passed.", "call_2");
        assert!(asked.refusal().is_none(), "{host}: {asked:?}");
        if host == "codex" {
            // Without the setting it has no such tool, whatever the question says.
            world.puts("../home/.codex/config.toml", "[features]\n");
            let no = asks("The lexer keeps escapes, and cargo test passed.", "call_3");
            no.refuses("this host cannot ask as it is set; the person approves with [APPROVE]");
            let text = no.refusal().unwrap_or_default();
            assert!(!text.contains("exactly this line"), "{text}");
        }
    }
}

/// What a run showed since stands open on no card, and what nothing shows stands there once.
#[test]
fn a_point_that_a_later_run_shows_is_closed() {
    let world = World::seeded();
    world.prompt("keep escapes in quoted strings");
    world.is_heard();
    world.reads(CODE).passes();
    let small =
        "phase advance --small --scope src/parser -m 'saw the lexer\nkeep escapes\nmake test'";
    world.seed(small).succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    ends(&world, LIE).refuses("no run since the last change shows it");
    world.tests();
    world.seed("phase advance -m 'keep escapes of quoted strings'").succeeds();
    assert_eq!(world.phase(), "condense");
    let status = world.person("status").tells("claim    rewrite: \"I looked around first.");
    assert!(!status.contains("no run since the last change"), "{status}");
    let card = world.card();
    assert!(!card.contains(" open"), "{card}");
}

#[test]
fn a_question_about_work_that_changed_since_it_was_tested_goes_back() {
    let world = ready();
    // Somebody changes the work behind the last run.
    world.puts(CODE, "fn lex() { nothing(); }\n");
    let words = "all tests pass and the lexer is fixed and tested as it stands now ".repeat(9);
    let text = format!("[JOB-COMPLETE] fix the lexer: {words}\n\n## Outstanding Items\n");
    let asked = world.asks(&question(&text, &["Review", "Approve completion"]));
    asked.refuses("the question says");
}

#[test]
fn work_that_nothing_tested_is_not_let_out() {
    let world = unrun();
    // Its own words are read wherever the line has them from.
    world.puts("note.txt", "Released 2.0 to npm, and all tests pass.\n");
    for line in [
        "gh release create v2 --notes-file note.txt",
        "gh release create v2 -F - <<'EOF'\nReleased 2.0 to npm, and all tests pass.\nEOF",
        "gh pr create --title Release --body \"$(cat <<'EOF'\nReleased 2.0 to npm.\nEOF\n)\"",
    ] {
        world.runs_and(line, || {}).refuses("Released 2.0 to npm");
    }
    world.runs_and("npm publish --dry-run 2>&1 | tail -1", || {});
    world.tests();
    world.runs_and("npm publish", || {}).passes();
    world.edits(CODE, "escapes();", "escapes(); more();").passes();
    world.runs_and("npm publish", || {}).refuses("no test run has covered");
}

/// Why an act or words went back: beside the rule stand the runs that were known then, and no later
/// ones.
#[test]
fn why_names_the_runs_that_were_known() {
    let world = unrun();
    world.seed("why --last 1").tells("ran: no test run was seen");
    world.tests();
    world.edits(CODE, "escapes();", "escapes(); more();").passes();
    let no = ends(&world, LIE);
    assert!(no.refusal().is_some_and(|text| text.contains("you end with")), "{no:?}");
    let why = world.seed("why --last 2").succeeds();
    let told: Vec<&str> = why.lines().filter(|line| line.contains("ran: ")).collect();
    let [run, none] = told.as_slice() else { panic!("{why}") };
    assert!(none.contains("no test run"), "{why}");
    assert!(run.contains("cargo test") && run.contains("exit status 0"), "{why}");
    // The receipt is one that `show` knows.
    let id = run.rsplit_once('(').and_then(|(_, id)| id.strip_suffix(')')).expect("an id");
    world.seed(&format!("show {id}")).tells("cargo test");
    let rows: serde_json::Value =
        serde_json::from_str(&world.person("why --json").succeeds()).expect("JSON");
    assert_eq!(rows[0]["ran"][0]["receipt"], id, "{rows}");
    assert_eq!(rows[1]["ran"], json!([]), "{rows}");
}

#[test]
fn the_modes_of_before_stay_as_rules() {
    for (mode, sent_back) in
        [("judge", true), ("advise", false), ("enforce", false), ("off", false)]
    {
        let world = World::seeded();
        world.puts("seed.toml", &format!("[claims]\nmode = \"{mode}\"\n"));
        world.person("rules apply").succeeds();
        std::fs::remove_file(world.path("seed.toml")).expect("the proposal goes");
        world.prompt("the lexer drops escapes");
        assert_eq!(ends(&world, LIE).refusal().is_some(), sent_back, "{mode}");
    }
}

#[test]
fn large_edits_and_launches_are_advised_of() {
    let world = World::seeded();
    world.prompt("keep escapes in quoted strings");
    world.to("execute");
    let code: String = (0..30).map(|n| format!("fn f{n}() {{}}\n")).collect();
    let told = world.writes("src/parser/b.rs", &code).before;
    assert!(told.refusal().is_none() && told.context().is_some(), "{told:?}");
}

/// What a part of the tests does not hold is not said to pass over it: a file of tests, nor a
/// result that is told as no failure. What ran may be told.
#[test]
fn a_test_that_no_part_holds_is_not_said_to_pass() {
    let world = World::seeded();
    world.puts("tests/test_slug.py", "def test_ends():\n    pass\n");
    world.puts("tests/test_wrap.py", "def test_short():\n    pass\n");
    world.sh("git add -A && git commit -qm tests");
    world.prompt("keep escapes in quoted strings");
    world.to("execute");
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    let says = |said: &str, back: bool| {
        world.prompt("? status");
        let reply = ends(&world, said);
        assert_eq!(reply.refusal().is_some(), back, "{said}: {reply:?}");
    };
    says("Kein Test schlägt mehr fehl.", true);
    says("Kein Test deckt das ab.", false);
    let ran = json!({ "stdout": "1 passed in 0.01s", "stderr": "", "interrupted": false });
    world.tool("Bash", &json!({ "command": "pytest -q tests/test_wrap.py" }), || ran).passes();
    says("tests/test_slug.py passes.", true);
    says("No hay regresiones.", true);
    says("tests/test_wrap.py passes; the rest was not run.", false);
    says("tests/test_slug.py was not run.", false);
}

/// What closes a job behind the answer that approved it is read in `git log` for years, and so are
/// the last words heard: a lie does not pass for the answer before it.
#[test]
fn the_message_behind_the_answer_says_what_is_shown() {
    let world = ready();
    world.approved();
    let said = message("condense");
    let lie = said.replace(
        "## Outstanding Items\n",
        "All 57 tests pass, and I pushed the branch to origin.\n\n## Outstanding Items\n",
    );
    let steps = || world.git("rev-list --count HEAD");
    let before = steps();
    world.seed("phase advance -F -").stdin(&lie).refuses("57");
    assert_eq!(steps(), before);
    world.seed("phase advance -F -").stdin(&said).succeeds();
    assert_eq!(world.json("job list --all")[0]["status"], "completed");
    ends(&world, "All 57 tests pass, and I pushed the branch to origin.").refuses("you end with");
}

/// The agent runs `command`, which fails.
fn fails(world: &World, command: &str) {
    let failed = json!({ "tool_name": "Bash", "tool_input": { "command": command },
        "tool_use_id": world.next_call(), "error": "Exit code 101\ntest lex ... FAILED",
        "is_interrupt": false, "duration_ms": 40 });
    world.event("PostToolUseFailure", &failed);
}

/// Gemini hands over all words since the prompt: what a refused stop has judged is not said again.
#[test]
fn of_words_that_add_up_the_new_ones_are_judged() {
    let [host, prompt, stop, said] = HOSTS[2];
    let ends = |world: &World, words: &str| {
        world.minute();
        let mut fields = json!({ "stop_hook_active": false });
        fields[said] = json!(words);
        world.hears(host, stop, &fields)
    };
    let begun = || {
        let world = World::new();
        world.person(&format!("init --host {host}")).succeeds();
        world.hears(host, "SessionStart", &json!({ "source": "startup" }));
        world.hears(host, prompt, &json!({ "prompt": "what does the lexer do?" }));
        world
    };
    // A lie that was taken back is not said.
    let world = begun();
    let echo = ends(&world, LIE).refusal().expect("a lie").to_owned();
    world.hears(host, prompt, &json!({ "prompt": echo }));
    let honest = "I only looked at the lexer.";
    let told = ends(&world, &format!("{LIE}\n{honest}"));
    assert!(told.refusal().is_none() && told.to_person().is_none(), "{told:?}");
    // One that is repeated, or not followed by a word, is: the person hears of it.
    for again in [LIE.to_owned(), format!("{LIE}\n{LIE}")] {
        let world = begun();
        assert!(ends(&world, LIE).refusal().is_some());
        let told = ends(&world, &again);
        let named = told.to_person().is_some_and(|told| told.contains("not shown"));
        assert!(told.refusal().is_none() && named, "{again}: {told:?}");
    }
    // Words that begin anew, and those of the next prompt, are judged whole.
    let world = begun();
    assert!(ends(&world, LIE).refusal().is_some());
    world.hears(host, prompt, &json!({ "prompt": "and now?" }));
    assert!(ends(&world, &format!("{LIE}\n{honest}")).refusal().is_some());
}

/// An honest sentence of before stands for no later one: the turn was held for something else.
#[test]
fn what_a_held_stop_judged_covers_no_later_lie() {
    let world = World::seeded();
    world.prompt("keep escapes in quoted strings");
    world.to("execute");
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    fails(&world, "cargo test");
    let [host, _, stop, said] = HOSTS[2];
    let ends = |words: &str| {
        world.minute();
        let mut fields = json!({ "stop_hook_active": false });
        fields[said] = json!(words);
        world.hears(host, stop, &fields)
    };
    let honest = "cargo test fails in lex: it is not right yet. I did not run anything else.";
    let held = ends(honest).refusal().expect("the job is open").to_owned();
    assert!(!held.contains("you end with"), "{held}");
    let lie = "Done. cargo test: all tests pass.";
    let told = ends(&format!("{honest}\n{lie}"));
    let text = told.refusal().expect("a lie");
    assert!(text.contains("you end with") && text.contains("all tests pass"), "{text}");
}

/// Words that were sent back over another tree are no open point of the work that makes them true;
/// what is still not shown is one.
#[test]
fn words_about_another_tree_are_no_open_point_of_this_one() {
    for (said, stays) in [
        ("I fixed lex in src/parser/lex.rs and all tests pass.", false),
        (
            "Fixed lex in src/parser/lex.rs; all tests pass, and I pushed the branch to origin.",
            true,
        ),
    ] {
        let world = World::seeded();
        world.prompt("keep escapes in quoted strings");
        world.to("execute");
        assert!(ends(&world, said).refusal().is_some(), "nothing is changed: {said}");
        world.to("condense").works("condense");
        let card = world.json("status")["card"].to_string();
        assert!(card.contains("claim "), "{card}");
        assert_eq!(card.contains("said to be pushed"), stays, "{said}: {card}");
        assert_eq!(card.contains("refused before, passes now"), !stays, "{said}: {card}");
        assert!(!card.contains("the repository shows none"), "{said}: {card}");
    }
}

/// What is said of a run is said of the sentence that tells its result.
#[test]
fn the_sentence_that_is_named_is_the_one_at_fault() {
    let world = World::seeded();
    world.prompt("keep escapes in quoted strings");
    world.to("execute");
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    fails(&world, "cargo test");
    let told = ends(&world, "Done. cargo test: all tests pass.");
    let text = told.refusal().expect("a lie");
    assert!(text.contains("all tests pass"), "{text}");
}

/// What a new test said when it failed stands in no commit: the tree of the run that failed has it.
#[test]
fn a_test_that_was_made_to_expect_something_else_once_it_failed_is_named() {
    const TEST: &str = "tests/lex.rs";
    let new =
        |value: &str| format!("#[test]\nfn lexes() {{\n    assert_eq!(lex(), {value});\n}}\n");
    let red = || {
        let world = World::seeded();
        world.puts("tests/old.rs", "#[test]\nfn old() {\n    assert_eq!(1, 1);\n}\n");
        world.sh("git add -A && git commit -qm 'a test'");
        world.prompt("[QUICK] fix the lexer");
        world.reads(CODE).passes();
        world.reads("tests/old.rs").passes();
        world
            .seed("phase advance --scope src/parser --scope tests -m 'the lexer drops escapes'")
            .succeeds();
        world.writes(TEST, &new("3")).passes();
        world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
        fails(&world, "cargo test");
        world
    };
    let card = |world: &World| {
        world.tests();
        let asked = world.asks(&super::quick::done()).passes();
        format!("{:?}", asked.reply)
    };
    let world = red();
    world.edits(TEST, "lex(), 3", "lex(), 4").passes();
    let told = card(&world);
    assert!(told.contains("tests check less than before") && told.contains(TEST), "{told}");
    // The code was mended, and the test stands as it failed.
    let world = red();
    world.edits(CODE, "escapes();", "escapes(1);").passes();
    let told = card(&world);
    assert!(!told.contains("check less"), "{told}");
    // A test that is gone since it failed.
    let world = red();
    world.writes(TEST, &new("3").replace("lexes", "words").replace("(), 3", "(), 5")).passes();
    let told = card(&world);
    assert!(told.contains(TEST), "{told}");
}
