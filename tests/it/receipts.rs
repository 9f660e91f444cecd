//! Receipts: each command that hooks saw run leaves one, and it says no more than was seen.

use serde_json::{Value, json};

use super::world::{CODE, PASSED, World};

/// The receipts in the job's tree, newest boundary included.
pub fn receipts(world: &World) -> Vec<Value> {
    let chain = format!("refs/seed/jobs/{}", world.job().trim());
    let files = world.git(&format!("ls-tree -r --name-only {chain} evidence/"));
    let ids = files.lines().filter_map(|file| file.rsplit('/').next()?.strip_suffix(".toml"));
    let mut all: Vec<Value> = ids.map(|id| world.json(&format!("show {id}"))).collect();
    all.sort_by_key(|receipt| receipt["at"].as_str().expect("a time").to_owned());
    all
}

/// Claude Code tells of a call that has ended with the directory that it left the shell in.
#[test]
fn a_run_behind_a_cd_is_one_wherever_the_host_says_that_it_ended() {
    for (line, ends_in) in [
        ("cd web && npm test", "web"),
        ("cd web; npm test", "web"),
        ("cd web && cd src && npm test", "web/src"),
        ("cd web && npm test", ""),
        ("cd web && cd .. && npm test --prefix web", ""),
        ("npm test", "web"),
    ] {
        let world = World::seeded();
        world.puts("web/package.json", "{\"scripts\": {\"test\": \"node --test\"}}\n");
        world.puts("web/src/add.js", "exports.add = (a, b) => a - b;\n");
        world.sh("git add -A && git -c core.hooksPath=/dev/null commit -qm web");
        world.prompt("add subtracts");
        world.reads("web/src/add.js").passes();
        world.seed("phase advance --small --scope web/src -m 'add subtracts'").succeeds();
        world.edits("web/src/add.js", "a - b", "a + b").passes();
        world.minute();
        let (input, call) = (json!({ "command": line, "description": "tests" }), world.next_call());
        if line == "npm test" {
            world.stands_in("web");
        }
        assert!(world.before("Bash", &input, &call).refusal().is_none(), "{line}");
        world.stands_in(ends_in);
        let printed = "# tests 2\n# pass 2\n# fail 0\n";
        let response = json!({ "stdout": printed, "stderr": "", "interrupted": false });
        world.after("Bash", &input, &call, &response, 900);
        world.stands_in("");
        let status = world.json("status").to_string();
        assert!(status.contains("[JOB-COMPLETE]"), "{line} in {ends_in}: {status}");
        let journal = world.text(".git/seed/journal/main.jsonl");
        let receipt = journal.lines().find(|line| line.contains("\"tree_after\""));
        let receipt = receipt.unwrap_or_else(|| panic!("{line} in {ends_in}: {journal}"));
        assert!(receipt.contains("\"run\":\""), "{line} in {ends_in}: {receipt}");
    }
}

#[test]
fn a_run_of_code_leaves_a_receipt_in_the_jobs_tree() {
    let world = World::seeded();
    world.prompt("keep escapes in quoted strings");
    world.enters("execute");
    world.opens();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world.tests();
    let shell = json!({"command": "cargo test | tail -3"});
    let call = world.next_call();
    world.before("Bash", &shell, &call);
    world.after("Bash", &shell, &call, &json!({"stdout": "ok", "stderr": ""}), 5);
    // Tests of another place end as they like.
    world.minute();
    let shell = json!({"command": "cargo --manifest-path /nowhere/Cargo.toml test"});
    let call = world.next_call();
    world.before("Bash", &shell, &call);
    world.after("Bash", &shell, &call, &json!({"stdout": "ok", "stderr": ""}), 5);
    world.runs("git status --short").passes();
    world.checkpoint("keep escapes in quoted strings").succeeds();
    let all = receipts(&world);
    let told: Vec<(&str, Option<i64>)> = all
        .iter()
        .map(|one| (one["command"].as_str().expect("a line"), one["status"].as_i64()))
        .collect();
    assert_eq!(
        told,
        [
            ("cargo test", Some(0)),
            ("cargo test | tail -3", None),
            ("cargo --manifest-path /nowhere/Cargo.toml test", None)
        ],
        "a look leaves none there"
    );
    let first = &all[0];
    assert!(first["run"].is_string(), "{first}");
    assert_eq!(first["tree_before"], first["tree_after"], "the tests changed nothing");
    let tree = first["tree_after"].as_str().expect("a tree");
    let text = world.git(&format!("show {tree}:{CODE}"));
    assert!(text.contains("escapes();"), "the tree is the work tree of then: {text}");
    assert!(first["program"]["hash"].as_str().is_some_and(|hash| hash.len() == 16), "{first}");
    assert!(
        all[1]["run"].is_string() && all[1]["status"].is_null(),
        "a pipe hides how the tests ended"
    );
    let id = first["receipt"].as_str().expect("an id");
    world.seed(&format!("show {id}")).tells("exit status 0");
    world
        .seed("show 0123456789abcdef")
        .ends(64, "is not a job, a file of a run, a receipt or a commit");
}

#[test]
fn a_failed_run_says_how_it_ended() {
    let world = World::seeded();
    world.prompt("keep escapes in quoted strings");
    world.enters("execute");
    world.opens();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    let shell = json!({"command": "cargo test"});
    let call = world.next_call();
    world.before("Bash", &shell, &call);
    let failed = json!({
        "tool_name": "Bash", "tool_input": shell, "tool_use_id": call, "duration_ms": 5,
        "error": "Exit code 101\ntest lex ... FAILED",
    });
    world.event("PostToolUseFailure", &failed);
    world.checkpoint("keep escapes in quoted strings").succeeds();
    let all = receipts(&world);
    assert_eq!(
        (all.len(), all[0]["status"].as_i64(), all[0]["failed"].as_bool()),
        (1, Some(101), Some(true))
    );
}

/// Runs `command` as the agent's shell call, which prints `text` and ends well.
fn prints(world: &World, command: &str, text: &str) {
    let shell = json!({ "command": command });
    let ran = json!({ "stdout": text, "stderr": "", "interrupted": false });
    world.tool("Bash", &shell, || ran).passes();
    world.minute();
}

#[test]
fn a_receipt_says_how_many_tests_it_was_and_which() {
    let world = World::seeded();
    world.prompt("keep escapes in quoted strings");
    world.enters("execute");
    world.opens();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    let two = format!("Running unittests\n{PASSED}\n\u{1b}[32mDoc-tests\u{1b}[0m\n{PASSED}");
    let skipped = "====== \u{1b}[32m3 passed\u{1b}[0m, 2 skipped, 1 deselected in 0.02s ======";
    for (command, text) in [
        ("cargo test", two.as_str()),
        ("cargo test --lib lexer", PASSED),
        ("pytest -k lexer", skipped),
        ("make test", "all is well"),
    ] {
        prints(&world, command, text);
    }
    world.checkpoint("keep escapes in quoted strings").succeeds();
    let all = receipts(&world);
    let counts: Vec<&Value> = all.iter().map(|one| &one["counts"]).collect();
    assert_eq!(
        counts,
        [
            &json!({ "passed": 2 }),
            &json!({ "passed": 1 }),
            &json!({ "passed": 3, "skipped": 2, "left": 1 }),
            &Value::Null,
        ]
    );
    let parts: Vec<&Value> = all.iter().map(|one| &one["part"]["by"]).collect();
    let by = [&Value::Null, &json!(["--lib", "lexer"]), &json!(["-k", "lexer"]), &Value::Null];
    assert_eq!(parts, by);
    let id = |at: usize| all[at]["receipt"].as_str().expect("an id").to_owned();
    world.seed(&format!("show {}", id(2))).tells("3 passed, 2 skipped, 1 left out");
    world.seed(&format!("show {}", id(2))).tells("-k lexer");
    world.seed(&format!("show {}", id(3))).tells("counts unknown");
}

#[test]
fn a_run_without_a_test_proves_nothing() {
    const CLAIM: &str = "claim verify --claim 'Fixed the lexer' --evidence 'ran the tests' \
        --type unit_test --affected src/parser/lex.rs --tested src/parser/lex.rs";
    let filtered = PASSED.replace("1 passed", "0 passed").replace("0 filtered", "7 filtered");
    for (command, text) in [
        ("cargo test lexre", filtered.as_str()),
        ("python3 -m unittest", "Ran 2 tests in 0.001s\n\nOK (skipped=2)"),
        ("python3 -m unittest", "Ran 0 tests in 0.000s\n\nNO TESTS RAN"),
        ("npx jest --coverage", "No tests found, exiting with code 0"),
        ("go test ./...", "?   \texample.com/a\t[no test files]"),
        ("node --test", "# tests 0\n# suites 0\n# pass 0\n# fail 0\n# skipped 0"),
    ] {
        let world = World::seeded();
        world.prompt("keep escapes in quoted strings");
        world.enters("execute");
        world.opens();
        world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
        prints(&world, command, text);
        world.seed(CLAIM).refuses("it ran no test, or skipped them all");
        prints(&world, "cargo test", PASSED);
        world.seed(CLAIM).succeeds();
    }
}

/// A host that tells no status, and a line that hides it: the runner's own words count against it.
#[test]
fn tests_that_say_that_they_failed_prove_nothing() {
    const RED: &str = "Ran 3 tests in 0.001s\n\nFAILED (failures=1)";
    const GREEN: &str = "Ran 3 tests in 0.001s\n\nOK";
    for (host, tool, event, command) in [
        ("codex", "Bash", "PostToolUse", "python3 -m unittest -q"),
        ("gemini", "run_shell_command", "AfterTool", "python3 -m unittest -q"),
        ("claude", "Bash", "PostToolUse", "python3 -m unittest -q | tail -3"),
    ] {
        let world = super::quick::small();
        world.reads(CODE).passes();
        world.seed("phase advance --scope src/parser -m 'the lexer drops escapes'").succeeds();
        world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
        if host == "claude" {
            world.tests();
        }
        let ran = |text: &str| {
            let printed = match host {
                "codex" => json!(text),
                "gemini" => json!({ "llmContent": text }),
                _ => json!({ "stdout": text, "stderr": "", "interrupted": false }),
            };
            let call = world.next_call();
            let input = json!({ "command": command });
            world.hears(
                host,
                event,
                &json!({ "tool_name": tool, "tool_input": input,
                "tool_use_id": call, "tool_response": printed }),
            );
        };
        ran(RED);
        world.seed("phase advance -m 'keep escapes; all the tests pass'").refuses("run failed");
        world.seed("phase advance -m 'keep escapes'").succeeds();
        assert_eq!(world.phase(), "verify", "{host}");
        ran(RED);
        world
            .seed("phase advance -m 'keep escapes; all the tests pass'")
            .refuses("no run has succeeded");
        if host != "claude" {
            ran(GREEN);
            world.seed("phase advance -m 'keep escapes; all the tests pass'").succeeds();
        }
    }
}

/// No fence looks in talk, nor in idle: the tree of a run is taken all the same, so that what is
/// claimed on the work as it was then can be shown.
#[test]
fn a_run_in_talk_holds_the_tree_of_then() {
    const CLAIM: &str = "claim verify --claim 'Checked that the lexer keeps escapes' \
        --evidence 'cargo test: 1 passed' --type unit_test --json";
    let world = World::seeded();
    let readings = |world: &World| -> Vec<String> {
        let said = world.seed(CLAIM).said().out;
        let json: Value = serde_json::from_str(&said).expect("JSON beside the reasons");
        let receipts = json["receipts"].as_array().expect("a list").clone();
        receipts.iter().filter_map(|one| one["reading"].as_str().map(str::to_owned)).collect()
    };
    // Whatever let it run: its end is heard.
    let ran = |world: &World| {
        let shell = json!({ "command": "cargo test" });
        let ended = json!({ "stdout": PASSED, "stderr": "", "interrupted": false });
        world.after("Bash", &shell, &world.next_call(), &ended, 5);
        world.minute();
    };
    world.prompt("do the tests of the lexer pass?");
    ran(&world);
    assert_eq!(readings(&world), ["passed"]);
    world.puts(CODE, "fn lex() { changed() }\n");
    assert_eq!(readings(&world), ["stale"], "and it says no more than of that tree");
    ran(&world);
    assert_eq!(readings(&world), ["stale", "passed"]);
}

const TESTED: &str = "claim verify --claim 'Fixed the lexer and tested it' --evidence 'all tests \
                      pass' --type unit_test --tested lex --affected lex --json";
const WELL: &str = "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out";

/// A job in which the lexer is changed, and no run of it yet.
fn in_execute() -> World {
    let world = World::seeded();
    world.prompt("keep escapes in quoted strings");
    world.enters("execute");
    world.opens();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world
}

/// Runs `command` as the agent's shell call, which fails.
fn fails(world: &World, command: &str) {
    let shell = json!({ "command": command });
    let call = world.next_call();
    world.before("Bash", &shell, &call);
    let failed = json!({
        "tool_name": "Bash", "tool_input": shell, "tool_use_id": call, "duration_ms": 5,
        "error": "Exit code 101\ntest lex ... FAILED",
    });
    world.event("PostToolUseFailure", &failed);
    world.minute();
}

fn ruled(world: &World) -> Value {
    let said = world.seed(TESTED).said();
    serde_json::from_str(&said.out).unwrap_or_else(|error| panic!("{error}: {said:?}"))
}

#[test]
fn a_run_that_failed_before_a_claim_of_its_day_does_not_speak_against_it() {
    let world = in_execute();
    let drift = || {
        let record = world.git("show refs/seed/claims:record.json");
        let record: Value = serde_json::from_str(&record).expect("JSON");
        record["inquiry"].to_string().split("\"drift\":").nth(1).map(|rest| rest.starts_with("0.0"))
    };
    fails(&world, "cargo test");
    prints(&world, "cargo test", WELL);
    for n in 0..3 {
        let ruling = ruled(&world);
        assert!(ruling["directive"] == "pass" || ruling["directive"] == "damp", "{n}: {ruling}");
        assert_eq!(drift(), Some(true), "{n}: {ruling}");
        world.minute();
    }
    // What fails behind it does.
    fails(&world, "cargo test");
    prints(&world, "cargo test", WELL);
    ruled(&world);
    assert_eq!(drift(), Some(false));
}

/// A small job in which the lexer is changed, and no run of it yet.
fn in_small() -> World {
    let world = super::quick::small();
    world.seed("phase advance --scope src/parser -m 'the lexer drops escapes'").succeeds();
    world.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
    world
}

const ALL_PASS: &str = "phase advance -m 'keep escapes in quoted strings; all tests pass'";

/// The host tells of a shell call that ended well, and nothing came of it but `text`.
fn told(world: &World, command: &str, text: &str) {
    let shell = json!({ "command": command });
    let ran = json!({ "stdout": text, "stderr": "", "interrupted": false });
    world.after("Bash", &shell, &world.next_call(), &ran, 5);
    world.minute();
}

/// A run that nobody saw, and what is none, is as good as no run.
#[test]
fn a_run_that_its_line_hides_shows_nothing() {
    for (command, text) in [
        ("python3 -m unittest -q 2>/dev/null", ""),
        ("node --test > /dev/null", ""),
        ("node --test > /dev/null || true", ""),
        ("node --test > ../log 2>&1", ""),
        ("nohup node --test >/dev/null 2>&1 &", ""),
        ("node --test --help", "Usage: node [options] [ script.js ]\n  --test  run tests"),
        ("npm test --help", "Run a test\n\nUsage:\nnpm test"),
        ("npm test --version", "10.9.2"),
        ("pytest --markers", "@pytest.mark.skip(reason=None): skip the given test function"),
        ("pytest --co -q", "tests/test_a.py::test_a\n\n1 test collected in 0.01s"),
        ("node --test | head -1", "TAP version 13"),
        ("node --test | grep pass", "# pass 0"),
        ("node --test | wc -l", "42"),
        ("pytest -q -q", "F"),
    ] {
        let world = in_small();
        told(&world, command, text);
        world.seed(ALL_PASS).refuses("Do: ");
        // The same with what it printed is shown.
        told(&world, "cargo test > log; cat log", PASSED);
        world.seed(ALL_PASS).succeeds();
    }
}

/// What the host says of a line that did not end well is told of it, too.
#[test]
fn a_line_that_failed_is_not_said_to_have_ended_well() {
    for command in [
        "NODE_OPTIONS=--require=/nope node --test",
        "node --test >/dev/null && echo all tests pass",
    ] {
        let world = in_small();
        fails(&world, command);
        world.seed(ALL_PASS).refuses("Do: ");
        let card = world.card();
        assert!(!card.contains("changed since"), "nothing did: {card}");
        let shown = world.person("condense status").said().out;
        assert!(!shown.contains("ended well"), "{shown}");
    }
}

/// Where no status is told, a shell says itself that nothing ran.
#[test]
fn a_run_that_never_began_shows_nothing() {
    for (host, tool, event) in
        [("codex", "Bash", "PostToolUse"), ("gemini", "run_shell_command", "AfterTool")]
    {
        for (command, text) in [
            ("go test ./...", "bash: line 1: go: command not found"),
            ("./gradlew test", "bash: line 1: ./gradlew: No such file or directory"),
            (
                "node --test --test-skip-pattern=lower",
                "node: bad option: --test-skip-pattern=lower",
            ),
            ("make test", "/bin/sh: 1: make: not found"),
        ] {
            let world = in_small();
            let ran = |command: &str, text: &str| {
                let printed =
                    if host == "codex" { json!(text) } else { json!({ "llmContent": text }) };
                let fields = json!({ "tool_name": tool, "tool_input": { "command": command },
                    "tool_use_id": world.next_call(), "tool_response": printed });
                world.hears(host, event, &fields);
                world.minute();
            };
            ran(command, text);
            world.seed(ALL_PASS).refuses("Do: ");
            ran("go test ./...", "ok  \texample.com/a\t0.1s");
            world.seed(ALL_PASS).succeeds();
        }
    }
}

/// Tests that ran on other work than the line leaves say nothing of that.
#[test]
fn a_line_that_puts_other_work_in_place_shows_nothing() {
    for command in [
        format!("cp {CODE} /tmp/k; git show HEAD:{CODE} > {CODE}; cargo test; cp /tmp/k {CODE}"),
        format!("cargo test; mv /tmp/k {CODE}"),
        "git stash; cargo test; git stash pop".to_owned(),
        "cargo test && git checkout -- .".to_owned(),
        format!("cargo test && sed -i s/a/b/ {CODE}"),
        "echo x > tests/shim.rs; cargo test; rm tests/shim.rs".to_owned(),
        format!("(sleep 3; cp /tmp/k {CODE}) & cargo test"),
    ] {
        let world = in_small();
        // What the line does to the files is taken back by it.
        told(&world, &command, PASSED);
        world.seed(ALL_PASS).refuses("Do: ");
        assert!(!world.card().contains("1 passed"), "{command}: {}", world.card());
    }
    for command in [
        "cargo fmt && cargo test",
        "npm ci && cargo test",
        "mkdir -p out && pytest --junitxml=out/x.xml",
        "cargo test > log.txt; cat log.txt",
        "cargo test && git add -A",
        "cargo test && git checkout -b other",
        "cargo test; rm -f /tmp/x",
        "cargo test && cargo fmt --check",
    ] {
        let world = in_small();
        let text = if command.contains("pytest") { "1 passed in 0.01s" } else { PASSED };
        told(&world, command, text);
        world.seed(ALL_PASS).succeeds();
    }
}

/// An event that a shell of the agent's sends tells of no run.
#[test]
fn a_run_that_the_agent_itself_tells_of_is_none() {
    let world = in_small();
    world.another_process_speaks();
    told(&world, "cargo test", PASSED);
    world.seed(ALL_PASS).refuses("Do: ");
    world.hooks_run_by("");
    told(&world, "cargo test", PASSED);
    world.seed(ALL_PASS).succeeds();
}

/// That a run failed does not say that anything changed behind it.
#[test]
fn the_card_says_that_something_changed_only_where_it_did() {
    let world = in_small();
    fails(&world, "cargo test");
    let card = world.card();
    assert!(card.contains("exit 101") && !card.contains("changed since"), "{card}");
    world.edits(CODE, "escapes();", "escapes(); more();").passes();
    assert!(world.card().contains("changed since"), "{}", world.card());
}
