//! Sentences of the contract that no other file holds: rules and formats that do not read, two
//! boundaries at once, forged trailers in a message, exit codes and nulls.

use std::process::Stdio;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::world::{CODE, World, checkpoint};

/// Has `refs/seed/<name>` hold `file` with this text, as no command of ours would.
fn foreign(world: &World, name: &str, file: &str, text: &str) {
    world.puts("../foreign", text);
    world.sh(&format!(
        "blob=$(git hash-object -w ../foreign) && \
         tree=$(printf '100644 blob %s\\t{file}\\n' $blob | git mktree) && \
         git update-ref refs/seed/{name} $(git commit-tree -m foreign $tree)"
    ));
}

/// In execute, with rules or a format that this binary does not know.
fn beyond() -> Vec<(&'static str, World)> {
    let newer = "format = 3\nmin-reader = 3\nmin-writer = 3\n";
    let all = [
        ("rules", "seed.toml", "future_key = 3\n"),
        ("rules", "seed.toml", "broken [\n"),
        ("meta", "meta.toml", newer),
        ("meta", "meta.toml", "broken [\n"),
    ];
    let worlds = all.map(|(name, file, text)| {
        let world = World::seeded();
        world.to("execute");
        foreign(&world, name, file, text);
        (name, world)
    });
    worlds.into()
}

#[test]
fn what_another_binary_wrote_lets_looks_pass_and_changes_wait() {
    for (name, world) in beyond() {
        let input = json!({ "file_path": world.path(CODE), "content": "fn lex() {}\n" });
        let told = world.before("Write", &input, "w1");
        told.refuses("git seed off");
        assert!(told.refusal().is_some_and(|why| why.contains("upgraded")), "{name}: {told:?}");
        let touch = json!({ "command": format!("touch {}", world.path(CODE).display()) });
        world.before("Bash", &touch, "b1").refuses("git seed off");
        let out = world.before("Bash", &json!({ "command": "rm -rf src" }), "b2");
        assert!(out.refusal().is_some(), "{name}");
        let read = json!({ "file_path": world.path(CODE) });
        for (tool, input) in [("Read", read), ("Bash", json!({ "command": "ls src" }))] {
            let said = world.before(tool, &input, "r1");
            assert_eq!(said.refusal(), None, "{name}: {tool}");
        }
    }
}

#[test]
fn a_person_ends_it_over_any_rules_and_format() {
    for (name, world) in beyond() {
        let write = json!({ "file_path": world.path(CODE), "content": "fn lex() {}\n" });
        world.prompt("Fix it anyway");
        assert!(world.before("Write", &write, "w0").refusal().is_some(), "{name}");
        world.prompt("[OFF] it is broken");
        assert!(world.before("Write", &write, "w1").is_silent(), "{name}: it is off");
        assert!(world.stops().is_silent(), "{name}");
    }
    for (name, world) in beyond() {
        world.person("off -m broken").succeeds();
        assert!(world.before("Bash", &json!({ "command": "rm -rf src" }), "b1").is_silent());
        world.person("doctor").fails("");
        world.person("uninstall --check").succeeds();
        world.person("uninstall").succeeds();
        assert_eq!(world.git("for-each-ref refs/seed refs/notes"), "", "{name}");
    }
}

#[test]
fn a_format_that_only_newer_ones_may_write_is_read_and_left_alone() {
    let world = World::seeded();
    world.to("execute");
    foreign(&world, "meta", "meta.toml", "format = 3\nmin-reader = 2\nmin-writer = 3\n");
    let before = world.git("for-each-ref refs/seed");
    world.works("execute");
    assert_eq!(world.phase(), "execute", "it reads");
    world.checkpoint("a part").fails("newer git-seed");
    assert_eq!(world.git("for-each-ref refs/seed/jobs refs/seed/meta"), {
        let own = |line: &&str| line.contains("/jobs/") || line.contains("/meta");
        before.lines().filter(own).collect::<Vec<_>>().join("\n")
    });
}

#[test]
fn of_two_boundaries_at_once_one_commits_and_the_other_says_so() {
    let world = World::seeded();
    world.to("execute");
    for round in 0..2 {
        world.edits(CODE, "fn lex() {", &format!("fn lex() {{ round{round}();")).passes();
        let texts = ["one", "two", "three", "four"]
            .map(|who| checkpoint(&format!("round {round} of {who}")));
        let both = texts.each_ref().map(|text| {
            let mut child = world.beside(super::world::seed_binary());
            child.args(["phase", "checkpoint", "-m", text]);
            child.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
            child.spawn().expect("starts")
        });
        let codes = both.map(|child| child.wait_with_output().expect("ends").status.code());
        let done = codes.iter().filter(|code| **code == Some(0)).count();
        assert!(codes.iter().all(|code| matches!(code, Some(0 | 2))), "round {round}: {codes:?}");
        let made = world.git("rev-list --count HEAD").trim().parse::<usize>().expect("a number");
        let said: usize = texts
            .iter()
            .filter(|text| {
                let subject = text.lines().next().expect("a subject");
                world.git("log --format=%B").contains(subject)
            })
            .count();
        assert_eq!((done, said), (1, 1), "round {round}: {codes:?}, {made} commits");
    }
    let ids = world.git("log --format='%(trailers:key=Seed-Id,valueonly,separator=)'");
    let ids: Vec<&str> = ids.lines().filter(|line| !line.is_empty()).collect();
    let mut known = ids.clone();
    known.sort_unstable();
    known.dedup();
    assert_eq!(known.len(), ids.len(), "no id stands twice: {ids:?}");
    world.person("verify").succeeds();
}

#[test]
fn a_message_claims_no_step() {
    let world = World::seeded();
    world.to("execute");
    world.works("execute");
    let forged = "Seed-Job: 20200101t000000-aaaa\nSeed-Id: abcabcabcabc\n";
    let text = format!("{}\n\n{forged}", checkpoint("a part of the lexer"));
    let before = world.git("rev-parse HEAD");
    world.seed("phase checkpoint -F -").stdin(&text).refuses("Seed-Job");
    assert_eq!(world.git("rev-parse HEAD"), before);
    // A word that only looks like one is the author's.
    let text = format!("{}\n\nSeed-data: moved\n", checkpoint("a part of the lexer"));
    world.seed("phase checkpoint -F -").stdin(&text).succeeds();
}

#[test]
fn bytes_that_are_no_text_hide_no_forged_trailer() {
    let world = World::seeded();
    world.to("execute");
    world.puts("../message", "");
    world.sh("printf 'caf\\351\\n\\nSeed-Job: x\\nSeed-Id: aaaaaaaaaaaa\\n' > ../message");
    let said = world.agents_shell("git commit -q --allow-empty -F ../message", "");
    assert!(said.code != 0 && said.err.contains("Seed-Job"), "{said:?}");
}

#[test]
fn the_small_lane_opens_where_history_is_cut_off() {
    let world = World::new();
    world.sh("git commit -q --allow-empty -m second && rm -rf ../shallow && \
              git clone -q --depth 1 \"file://$PWD\" ../shallow");
    let world = world.elsewhere("shallow").installed();
    world.prompt("fix the lexer");
    world.reads(CODE).passes();
    world.seed("phase advance --small --scope src/parser -m 'the lexer drops escapes'").succeeds();
    assert_eq!(world.phase(), "execute");
}

#[test]
fn words_that_come_with_a_drop_stand_in_no_step() {
    let world = World::seeded();
    world.prompt("Fix the lexer");
    world.seed("phase advance").succeeds();
    world.prompt("[DROP] because Zanzibar said so");
    assert_eq!(world.git("for-each-ref refs/seed/jobs"), "");
    for line in ["log --all --format=%B refs/seed/archive", "log --format=%B --glob=refs/seed/jobs"]
    {
        assert!(!world.git(line).contains("Zanzibar"), "{line}");
    }
}

#[test]
fn what_is_absent_is_null_and_what_is_unknown_is_wrong_usage() {
    let world = World::seeded();
    assert_eq!(world.json("phase current")["entry"]["from"], Value::Null);
    world.prompt("Fix the lexer");
    let job = world.json("job show");
    assert_eq!((&job["objective"], &job["repeating_interval"]), (&Value::Null, &Value::Null));
    world.to("execute");
    world.seed("phase back nowhere -m 'the plan was wrong'").ends(64, "no phase is called");
    let found = world.person("verify --json").said();
    let found: Value = serde_json::from_str(&found.out).expect("JSON");
    assert_eq!(found["followed"], json!([]));
}

#[test]
fn the_end_of_a_prompt_that_is_cut_is_not_lost_silently() {
    let world = World::seeded();
    let told = world.prompt(&format!("Fix the lexer. {}", "a word and another ".repeat(14_000)));
    assert!(told.to_person().is_some_and(|told| told.contains("262144")), "{told:?}");
}

#[test]
fn init_commits_what_the_team_shares_and_nothing_else() {
    let world = World::new();
    world.puts("untracked.txt", "the person's\n");
    world.puts(CODE, "fn lex() { edited() }\n");
    world.sh("git add src/parser/lex.rs");
    let told = world.person("init --commit").succeeds();
    assert!(told.contains("nothing for a commit"), "{told}");
    let told = world.person("init --shared --commit").succeeds();
    assert!(told.contains("commit") && !told.contains("nothing for a commit"), "{told}");
    let files = world.files_of_head();
    assert!(files.contains(&".claude/settings.json".to_owned()), "{files:?}");
    assert!(!files.contains(&CODE.to_owned()), "{files:?}");
    let left = world.git("status --porcelain");
    assert_eq!(left, "M  src/parser/lex.rs\n?? untracked.txt");
}

#[test]
fn an_mcp_client_may_send_all_its_lines_at_once() {
    let world = World::seeded();
    let lines = [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": "t", "version": "1" } } }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }),
    ];
    let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let said = world.seed("mcp").stdin(&lines).succeeds();
    let answers: Vec<Value> =
        said.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let ids: Vec<&Value> = answers.iter().map(|one| &one["id"]).collect();
    assert_eq!(ids, [&json!(1), &json!(2)], "{said}");
    assert!(answers[1]["result"]["tools"].is_array(), "{said}");
}

#[test]
fn a_call_whose_payload_names_its_event_and_does_not_read_is_refused() {
    let world = World::seeded();
    world.to("execute");
    let begun = r#"{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Write","#;
    let deep = format!("{begun}\"tool_input\":{}", "[".repeat(300));
    for (what, payload) in [
        ("cut off", begun.as_bytes().to_vec()),
        ("too deep", deep.into_bytes()),
        ("no text", [begun.as_bytes(), b"\"x\":\"\xff\"}"].concat()),
    ] {
        let mut child = world.beside(super::world::seed_binary());
        child.args(["hook", "claude"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = child.spawn().expect("starts");
        let mut pipe = child.stdin.take().expect("a pipe");
        std::io::Write::write_all(&mut pipe, &payload).expect("writes");
        drop(pipe);
        let said = child.wait_with_output().expect("ends").stdout;
        let said = String::from_utf8_lossy(&said);
        assert!(said.contains("\"deny\""), "{what}: {said}");
    }
}

#[test]
fn in_the_middle_of_a_rebase_the_rebase_is_named() {
    let world = World::seeded();
    world.to("execute");
    world.works("execute");
    world.sh("git -c core.hooksPath=/dev/null -c sequence.editor='sed -i 1s/^pick/edit/' \
              rebase -q -i --autostash HEAD~1 2>/dev/null || true");
    world.checkpoint("a part").refuses("rebase is in progress");
}

/// What the state does not allow is an answer: why, do, then, and a line for `why`.
#[test]
fn each_answer_of_2_says_why_do_then_and_stands_in_why() {
    let refused = |world: &World, line: &str, why: &str, next: &str| {
        let told = world.seed(line).said();
        assert!(told.code == 2 && told.err.contains(why), "{line}: {told:?}");
        let three = ["BLOCKED: ", "\nDo: ", "\nThen: "];
        assert!(three.iter().all(|part| told.err.contains(part)), "{line}: {told:?}");
        assert!(told.err.contains(next), "{line}: {told:?}");
        let listed = world.seed("why --last 1").succeeds();
        assert!(listed.contains(why), "{line}: {listed}");
    };
    let world = World::seeded();
    for line in ["phase advance -m x", "plan show", "note list", "job show"] {
        refused(&world, line, "no job is focused", "git seed status");
    }
    refused(&world, "job approve", "approve", "");
    world.to("execute");
    let told = checkpoint("nothing was done here");
    refused(&world, &told, "nothing to checkpoint", "git seed phase current");
    refused(&world, "job drop", "drop", "");
    refused(&world, "plan read", "no plan document", "git seed plan show");
    refused(&world, "why --json", "why --json", "");
    refused(&world, "stats", "stats", "");
}
