//! Modes: a clone is watched, fenced, or led through jobs and phases.

use std::fs;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::world::{CODE, PASSED, Reply, World};

const FORBIDDEN: &str = "Fix the lexer. Never touch todo.txt. Do not push.";

/// A project in this mode, with a session.
fn in_mode(mode: &str) -> World {
    let world = World::new();
    world.person(&format!("init --mode {mode}")).succeeds();
    world.starts();
    world
}

fn shell(line: &str) -> Value {
    json!({ "command": line, "description": "scripted command" })
}

/// The turn ends with these words.
fn says(world: &World, words: &str) -> Reply {
    let fields = json!({
        "stop_hook_active": false, "last_assistant_message": words,
        "background_tasks": [], "session_crons": [],
    });
    world.event("Stop", &fields)
}

/// The agent's tests run, and pass.
fn tests_pass(world: &World) {
    let response = json!({ "stdout": PASSED, "stderr": "", "interrupted": false });
    let (line, call) = (shell("cargo test"), world.next_call());
    world.before("Bash", &line, &call);
    world.after("Bash", &line, &call, &response, 900);
}

/// What `stats --would` counts of each rule: name, mode, refused, asked, sent back.
fn counted(world: &World) -> Vec<(String, String, u64, u64, u64)> {
    let told: Value =
        serde_json::from_str(&world.person("stats --would --json").succeeds()).expect("JSON");
    let rules = told["rules"].as_array().expect("a list").iter();
    let text = |rule: &Value, key: &str| rule[key].as_str().expect("a word").to_owned();
    let number = |rule: &Value, key: &str| rule[key].as_u64().expect("a number");
    let mut all: Vec<_> = rules
        .map(|rule| {
            let counts = ["refused", "asked", "sent_back"].map(|key| number(rule, key));
            (text(rule, "rule"), text(rule, "mode"), counts[0], counts[1], counts[2])
        })
        .collect();
    all.sort();
    all
}

fn row(rule: &str, mode: &str, counts: [u64; 3]) -> (String, String, u64, u64, u64) {
    (rule.to_owned(), mode.to_owned(), counts[0], counts[1], counts[2])
}

/// Every shape of event in a session that does much that is forbidden.
fn a_session(world: &World) -> Vec<Reply> {
    let mut heard = vec![world.starts(), world.prompt(FORBIDDEN)];
    let mut call = |name: &str, input: &Value, ran: bool| {
        let id = world.next_call();
        heard.push(world.before(name, input, &id));
        if ran {
            heard.push(world.after(name, input, &id, &json!({}), 40));
        }
    };
    let (code, todo) = (world.path(CODE), world.path("todo.txt"));
    let edit = |file| json!({ "file_path": file, "old_string": "a", "new_string": "b" });
    call("Read", &json!({ "file_path": code }), true);
    call("Grep", &json!({ "pattern": "lex" }), true);
    call("WebFetch", &json!({ "url": "https://example.org", "prompt": "x" }), true);
    call("Edit", &edit(&code), true);
    call("Edit", &edit(&todo), true);
    call("Edit", &edit(&code), true);
    call("Write", &json!({ "file_path": "/etc/outside", "content": "x" }), false);
    call(
        "Write",
        &json!({ "file_path": world.path(".claude/settings.local.json"),
        "content": "{}" }),
        false,
    );
    for line in [
        "cat .git/seed/watch.jsonl",
        "git push",
        "git reset --hard HEAD",
        "git commit --no-verify -m x",
        "git seed off -m x",
        "ls",
        "echo x > todo.txt",
    ] {
        call("Bash", &shell(line), false);
    }
    call(
        "Task",
        &json!({ "subagent_type": "Explore", "description": "x", "prompt": "look" }),
        true,
    );
    call("AskUserQuestion", &json!({ "questions": [] }), true);
    call("mcp__tracker__create_issue", &json!({ "title": "x" }), true);
    call("NobodyKnows", &json!({}), true);
    call("", &json!({}), false);
    let subagent = json!({ "agent_id": "run", "agent_type": "Explore" });
    for event in ["SubagentStart", "SubagentStop"] {
        heard.push(world.event(event, &subagent));
    }
    heard.push(world.event("PreCompact", &json!({ "trigger": "auto" })));
    heard.push(says(world, "Done. I rewrote the lexer and all tests pass."));
    heard.push(says(world, "Done. I rewrote the lexer and all tests pass."));
    heard.push(world.prompt("And now the parser"));
    heard.push(world.stops());
    heard.push(world.ends());
    heard
}

#[test]
fn whoever_only_watches_stands_in_nobodys_way() {
    let world = in_mode("watch");
    world.puts("todo.txt", "a\nb\nc\nd\n");
    world.puts(CODE, "fn lex() { more(); }\n");
    let status = world.git("status --porcelain");
    let heard = world.changes_nothing(|| a_session(&world));
    for reply in &heard {
        assert!(reply.is_silent(), "{reply:?}");
    }
    assert_eq!(world.git("status --porcelain"), status);
    assert!(!world.path(".git/seed/journal").exists(), "no journal is kept");
    assert_eq!(world.json("job list"), json!([]));
    assert_eq!(
        counted(&world),
        [
            row("claims", "fence", [0, 0, 1]),
            row("first-step", "full", [1, 0, 0]),
            // The last is a tool that sends something away.
            row("git", "fence", [3, 1, 0]),
            row("person", "fence", [1, 0, 0]),
            row("place", "fence", [3, 0, 0]),
            row("state", "fence", [3, 0, 0]),
        ]
    );
}

#[test]
fn what_is_recorded_after_it_says_how_it_ended() {
    let world = in_mode("watch");
    world.prompt(FORBIDDEN);
    world.edits("todo.txt", "a\n", "A\n").passes();
    tests_pass(&world);
    world.prompt("Go on");
    world.sh("git commit -qam mended");
    let head = world.git("rev-parse HEAD");
    world.edits("todo.txt", "b\n", "B\n").passes();
    world.git("checkout -q todo.txt");
    world.ends();
    let told: Value =
        serde_json::from_str(&world.person("stats --would --json").succeeds()).expect("JSON");
    let place =
        told["rules"].as_array().expect("a list").iter().find(|rule| rule["rule"] == "place");
    let place = place.expect("the paths that were closed");
    assert_eq!((&place["ran"], &place["committed"]), (&json!(2), &json!(1)));
    let (last, first) = (&place["examples"][0]["ended"], &place["examples"][1]["ended"]);
    assert_eq!(
        *first,
        json!({ "ran": true, "commit": head, "tree": null, "tests": "passed", "next": "prompt" })
    );
    assert_eq!(
        *last,
        json!({ "ran": true, "commit": null, "tree": "undone", "tests": null, "next": "end" })
    );
    let shown = world.person("stats --would").succeeds();
    assert!(shown.contains(&format!("it ran · in commit {}", &head[..7])), "{shown}");
    let since = world.person("stats --would --since 2030-01-01 --json").succeeds();
    assert!(since.contains("\"rules\": []"), "{since}");
    world.seed("stats --would").refuses("git seed stats");
}

#[test]
fn words_are_judged_by_what_ran_in_the_session() {
    for mode in ["watch", "fence"] {
        let world = in_mode(mode);
        world.prompt("Fix the lexer");
        world.edits(CODE, "lex() {}", "lex() { more(); }").passes();
        let lie = says(&world, "Fixed the lexer in src/parser/lex.rs. All tests pass.");
        assert_eq!(lie.refusal().is_some(), mode == "fence", "{mode}: {lie:?}");
        tests_pass(&world);
        let told = says(&world, "Fixed the lexer in src/parser/lex.rs. All tests pass.");
        assert!(told.is_silent(), "{mode}: {told:?}");
        let sent_back: u64 = counted(&world).iter().map(|rule| rule.4).sum();
        assert_eq!(sent_back, 1, "{mode}");
    }
}

#[test]
fn words_go_back_once_a_turn() {
    let world = in_mode("fence");
    world.prompt("Fix the lexer");
    world.edits(CODE, "lex() {}", "lex() { more(); }").passes();
    says(&world, "All tests pass.").refuses("no run since the last change");
    let again = says(&world, "Really: all tests pass.");
    again.passes();
    assert!(again.to_person().is_some_and(|told| told.contains("not shown")), "{again:?}");
    world.prompt("Go on");
    says(&world, "All tests pass.").refuses("no run since the last change");
}

#[test]
fn the_record_stays_below_its_size() {
    let world = in_mode("watch");
    let file = world.path(".git/seed/watch.jsonl");
    let line = json!({ "at": 1, "what": "ran", "mode": "watch", "session": "x".repeat(200) });
    let lines = format!("{line}\n").repeat(512 * 1024 / 260);
    fs::write(&file, &lines[..512 * 1024 / 260 * (line.to_string().len() + 1)]).expect("written");
    for n in 0..40 {
        world.before("Bash", &shell(&format!("git reset --hard HEAD~{n}")), &world.next_call());
        let size = fs::metadata(&file).expect("it is there").len();
        assert!(size <= 512 * 1024, "{size}");
    }
    let told: Value =
        serde_json::from_str(&world.person("stats --would --json").succeeds()).expect("JSON");
    assert_eq!(told["rules"][0]["refused"], 40, "the newest lines stay");
}

#[test]
fn a_fence_refuses_and_bears_no_job() {
    let world = in_mode("fence");
    let told = world.prompt(FORBIDDEN);
    assert!(told.context().is_none(), "{told:?}");
    let told = told.to_person().expect("how the prompt was read");
    assert!(told.contains("closed for this session: todo.txt"), "{told}");
    world.changes_nothing(|| {
        world.edits("todo.txt", "a\n", "A\n").refuses("the person said: \"Never touch todo.txt\"");
        world.runs("echo x > todo.txt").refuses("closes todo.txt");
        world.runs("rm -rf .").refuses("BLOCKED");
        world.runs("git push").refuses("the person said: \"Do not push\"");
        world.runs("git reset --hard HEAD").refuses("[ALLOW git reset --hard HEAD]");
        world.runs("git commit --no-verify -m x").refuses("--no-verify");
        world.runs("cat .git/seed/said/main.json").refuses("belongs to git seed");
        world.runs("git seed off -m x").refuses("only a person may run");
        world.writes("/etc/outside", "x").refuses("outside this work tree");
        world.writes(".claude/settings.local.json", "{}").refuses("controls this agent");
    });
    world.edits(CODE, "lex() {}", "lex() { more(); }").passes();
    world.writes("src/new/file.rs", "fn new() {}\n").passes();
    world.runs("git add -A").passes();
    world.runs("cd src && git add -A && git status").passes();
    assert!(world.stops().is_silent(), "stop is free");
    assert_eq!(world.json("job list"), json!([]));
    assert!(!world.path(".git/seed/journal").exists());
    assert_eq!(world.json("status")["mode"], "fence");
    let why = world.person("why --last 1").succeeds();
    assert!(why.contains("refused by state"), "{why}");
}

#[test]
fn a_word_of_the_person_opens_what_was_closed() {
    let world = in_mode("fence");
    world.prompt("Only change src/parser. Never touch src/parser/lex.rs.");
    world.edits("todo.txt", "a\n", "A\n").refuses("todo.txt is not among it");
    world.edits(CODE, "lex", "lexer").refuses("Never touch src/parser/lex.rs");
    world.writes("src/parser/new.rs", "fn new() {}\n").passes();
    let told = world.prompt("[ALLOW src/parser/lex.rs ../outside] go on");
    assert!(told.to_person().is_some_and(|told| told.contains("../outside")), "{told:?}");
    world.edits(CODE, "lex", "lexer").passes();
    world.edits("todo.txt", "a\n", "A\n").refuses("todo.txt is not among it");
    // What was said in a session ends with it.
    world.ends();
    world.session("another-session");
    world.starts();
    world.edits("todo.txt", "a\n", "A\n").passes();
}

#[test]
fn a_row_of_the_rules_is_the_scope() {
    let world = World::new();
    world.person("init --mode fence").succeeds();
    world.puts("seed.toml", "[mode]\ndefault = \"fence\"\n\n[fence]\nscope = [\"src\"]\n");
    world.person("rules apply").tells("fence.scope");
    let told = world.starts();
    told.tells("Only these directories are open for changes here: src");
    world.edits("todo.txt", "a\n", "A\n").refuses("outside the directories that the rules open");
    world.runs("sed -i s/a/b/ todo.txt").refuses("outside the directories that the rules open");
    world.edits(CODE, "lex", "lexer").passes();
    // Code whose text shows nothing may write it; the commit does not take it.
    world.runs_and("sh build.sh", || world.puts("todo.txt", "x\n"));
    let said = world.agents_shell("git add todo.txt && git commit -qm x", "");
    assert!(said.code != 0 && said.err.contains("todo.txt is outside"), "{said:?}");
    assert!(said.err.contains("Do: git restore --staged todo.txt\n"), "{said:?}");
    world.git("commit -qm persons");
}

/// Left alone it stays staged, and stops every later commit.
#[test]
fn what_takes_a_closed_file_out_of_the_index_is_named_and_open() {
    for words in [FORBIDDEN, "Fix the lexer. Only src/parser may change."] {
        let world = in_mode("fence");
        world.prompt(words);
        world.edits(CODE, "lex", "lexer").passes();
        world.runs_and("sh build.sh", || {
            world.puts("todo.txt", "x\n");
            world.puts("docs/a b.txt", "x\n");
        });
        let said = world.agents_shell("git add -A && git commit -qm 'a lexer'", "");
        assert!(said.code != 0 && said.err.contains("todo.txt"), "{said:?}");
        let line = said.err.lines().find_map(|line| line.strip_prefix("Do: "));
        let line = line.expect("a command").to_owned();
        assert!(line.starts_with("git restore --staged "), "{line}");
        world.runs(&line).passes();
        world.agents_shell(&line, "");
        let said = world.agents_shell("git commit -qm 'a lexer'", "");
        assert_eq!(said.code, 0, "{words}: {said:?}");
        let files = world.files_of_head();
        assert!(files.contains(&CODE.to_owned()), "{files:?}");
        assert!(!files.contains(&"todo.txt".to_owned()), "{files:?}");
    }
}

#[test]
fn gits_own_hooks_follow_the_mode() {
    let forged = "git commit -qm 'x\n\nSeed-Id: 0123456789ab' --allow-empty";
    let world = in_mode("watch");
    let said = world.agents_shell(forged, "");
    assert_eq!((said.code, &*said.out, &*said.err), (0, "", ""), "whoever watches lets it pass");
    assert_eq!(counted(&world), [row("commit-msg", "fence", [1, 0, 0])]);
    assert_eq!(world.git("notes --ref=seed list"), "", "no note was made");
    world.person("init --mode fence").succeeds();
    // What HEAD bears may stand in the commit that replaces it.
    let said = world.agents_shell(&forged.replace("0123", "4567"), "");
    assert!(said.code != 0 && said.err.contains("Seed-Id"), "{said:?}");
    world.puts("todo.txt", "mine\n");
    let own = world.agents_shell("git commit -qam 'the list is shorter'", "");
    assert_eq!(own.code, 0, "{own:?}");
    assert_eq!(world.git("notes --ref=seed list"), "");
}

#[test]
fn commands_about_jobs_say_which_mode_is_on() {
    for (mode, says) in [("watch", "mode watch"), ("fence", "mode fence")] {
        let world = in_mode(mode);
        world.changes_nothing(|| {
            for line in [
                "phase advance",
                "phase advance --small --scope src -m x",
                "job create x",
                "job activate 20261121t205612-7f3a",
                "gmode prep 90 -m x",
                "condense archive",
                "reflect scope -m x",
            ] {
                let told = world.seed(line).refuses(says);
                assert!(told.contains("git seed init --mode full"), "{line}: {told}");
            }
        });
        for line in ["status", "job list", "phase current", "phase list", "why"] {
            world.seed(line).succeeds();
        }
        let status = world.person("status").succeeds();
        assert!(status.starts_with(&format!("mode     {mode}: ")), "{status}");
        let doctor = world.person("doctor").succeeds();
        assert!(doctor.contains(&format!("ok  mode         {mode}")), "{doctor}");
        let host = if mode == "watch" { "passed and was written down" } else { "was refused" };
        assert!(doctor.contains(&format!("a forbidden call {host}")), "{doctor}");
        assert_eq!(counted(&world), [], "a trial is no work");
    }
}

#[test]
fn a_mode_goes_up_by_a_word_and_the_prompt_behind_it_is_work() {
    let world = in_mode("watch");
    let told = world.prompt("[ON fence] Never touch todo.txt.");
    assert!(told.to_person().is_some_and(|told| told.contains("mode fence")), "{told:?}");
    world.edits("todo.txt", "a\n", "A\n").refuses("Never touch todo.txt");
    let told = world.prompt("[ON full] Fix the lexer");
    told.tells("a new job");
    assert_eq!(world.json("status")["mode"], "full");
    world.edits(CODE, "lex", "lexer").refuses("this job has not started");
    let rules = world.git("show refs/seed/rules:seed.toml");
    assert!(rules.contains("[mode]\ndefault = \"full\""), "it is a rule: {rules}");
}

#[test]
fn a_job_rests_where_the_mode_goes_down_and_goes_on_where_it_goes_up() {
    let world = World::seeded();
    world.to("execute");
    let job = world.job();
    let told = world.prompt("[ON watch]");
    assert!(told.to_person().is_some_and(|told| told.contains(&job)), "it is named: {told:?}");
    told.tells("no job is open");
    assert_eq!(world.json("status")["job"], Value::Null);
    assert_eq!(world.json("job list")[0]["status"], "pending");
    assert!(world.edits("todo.txt", "a\n", "A\n").before.is_silent());
    assert!(world.stops().is_silent(), "a job that rests holds up no stop");
    world.git("checkout -q todo.txt");
    let told = world.prompt("[ON full]");
    assert!(told.to_person().is_some_and(|told| told.contains("continues in execute")), "{told:?}");
    assert_eq!((world.phase(), world.job()), ("execute".to_owned(), job.clone()));
    // At a terminal the same.
    let told = world.person("init --mode fence").succeeds();
    assert!(told.contains(&job), "{told}");
    world.person("init --mode full").succeeds();
    let next = world.json("status")["next"].to_string();
    assert!(next.contains(&job), "{next}");
    // Rules that are applied move it, too.
    world.prompt("[RESUME]");
    world.puts("seed.toml", "[mode]\ndefault = \"watch\"\n");
    world.person("rules apply").tells("mode.default");
    assert_eq!(world.json("job list")[0]["status"], "pending");
    assert_eq!(world.json("status")["mode"], "watch");
}

#[test]
fn small_talk_ends_with_the_mode_that_it_was_born_in() {
    let world = World::prompted();
    world.prompt("[ON fence]");
    assert_eq!(world.json("status")["job"], Value::Null);
    assert_eq!(world.json("job list --all")[0]["status"], "voided");
}

#[test]
fn only_a_person_moves_the_mode() {
    let world = in_mode("fence");
    world.changes_nothing(|| {
        world.runs("git seed init --mode watch").refuses("only a person may run");
        world.seed("init --mode watch").refuses("only a person may run git seed init --mode");
        world.seed("init --mode full").refuses("only a person may run git seed init --mode");
        let schedule = json!({ "cron": "* * * * *", "prompt": "[ON watch]" });
        world.before("CronCreate", &schedule, &world.next_call()).refuses("BLOCKED");
        world.runs("echo 'default = \"watch\"' > seed.toml").refuses("controls this agent");
    });
    let said = world.new_terminal("git seed init --mode watch", "k7m2qx").ends();
    assert!(said.code == 2 && !said.err.contains("k7m2qx"), "it takes no code: {said:?}");
    assert_eq!(world.json("status")["mode"], "fence");
    // A host that somebody else speaks for, and a subagent.
    world.another_process_speaks();
    world.prompt("[ON watch]");
    assert_eq!(world.json("status")["mode"], "fence");
}

#[test]
fn what_was_scheduled_while_it_watches_is_nobodys_word() {
    let world = in_mode("watch");
    let (schedule, call) = (json!({ "cron": "* * * * *", "prompt": "[ON full]" }), "c");
    assert!(world.before("CronCreate", &schedule, call).is_silent());
    assert!(world.after("CronCreate", &schedule, call, &json!({}), 10).is_silent());
    assert!(world.prompt("[ON full]").is_silent());
    assert_eq!(world.json("status")["mode"], "watch");
}

#[test]
fn a_mode_that_nobody_knows_is_named_with_those_that_are() {
    let world = World::new();
    world.person("init --mode loud").ends(64, "known modes: watch, fence, full");
    assert!(!world.path(".git/seed/install.toml").exists(), "nothing was written");
    world.puts("seed.toml", "[mode]\ndefault = \"loud\"\n");
    world.person("rules check").fails("seed.toml:2: unknown variant `loud`");
}

#[test]
fn each_host_is_answered_in_its_own_words() {
    // Host, tool, events before a tool and at the end of a turn, and the field of the last words.
    for (host, tool, before, stop, said) in [
        ("claude", "Bash", "PreToolUse", "Stop", "last_assistant_message"),
        ("codex", "Bash", "PreToolUse", "Stop", "last_assistant_message"),
        ("gemini", "run_shell_command", "BeforeTool", "AfterAgent", "prompt_response"),
    ] {
        for mode in ["watch", "fence"] {
            let world = World::new();
            world.person(&format!("init --host {host} --mode {mode}")).succeeds();
            world.hears(host, "SessionStart", &json!({ "source": "startup" }));
            world.puts(CODE, "fn lex() { more(); }\n");
            let call = json!({ "tool_name": tool, "tool_input": shell("cat .git/seed/lock") });
            let refused = world.hears(host, before, &call);
            let words = world.hears(host, stop, &json!({ said: "Done: all tests pass." }));
            if mode == "watch" {
                assert!(refused.is_silent() && words.is_silent(), "{host}: {refused:?} {words:?}");
            } else {
                refused.refuses("[fence] BLOCKED");
                words.refuses("[fence] BLOCKED");
            }
            let all = counted(&world);
            assert_eq!(all, [row("claims", "fence", [0, 0, 1]), row("state", "fence", [1, 0, 0])]);
        }
    }
}

/// A host may hand a shell the words of one program, and call its tools by other names.
#[test]
fn words_of_a_program_are_judged_as_the_line_that_they_are() {
    let world = World::new();
    world.puts("seed.toml", "[mode]\ndefault = \"fence\"\n\n[fence]\nscope = [\"src\"]\n");
    world.person("init --host codex --host opencode --mode fence").succeeds();
    world.person("rules apply").succeeds();
    world.hears("codex", "SessionStart", &json!({ "source": "startup" }));
    let codex = |tool: &str, input: Value| {
        let call =
            json!({ "tool_name": tool, "tool_input": input, "tool_use_id": world.next_call() });
        world.hears("codex", "PreToolUse", &call)
    };
    let patch = "*** Begin Patch\n*** Update File: todo.txt\n@@\n-a\n+b\n*** End Patch\n";
    for (tool, input) in [
        ("Bash", json!({ "command": ["rm", "todo.txt"] })),
        ("shell", json!({ "command": ["bash", "-lc", "echo x > todo.txt"] })),
        ("shell", json!({ "command": ["apply_patch", patch] })),
        ("local_shell", json!({ "command": ["sh", "-c", "cat 'a b' > .git/config"] })),
        ("exec_command", json!({ "cmd": "rm todo.txt" })),
        ("shell_command", json!({ "command": "rm todo.txt" })),
    ] {
        codex(tool, input.clone()).refusal().unwrap_or_else(|| panic!("{tool} {input}"));
    }
    for command in [json!(["cat", "todo.txt"]), json!(["bash", "-lc", "echo x > src/new.rs"])] {
        codex("shell", json!({ "command": command })).passes();
    }
    for (tool, input) in [
        (
            "multiedit",
            json!({ "filePath": "todo.txt", "edits": [{ "oldString": "a", "newString": "b" }] }),
        ),
        ("patch", json!({ "patchText": patch })),
    ] {
        let call = json!({ "tool_name": tool, "tool_input": input, "call_id": world.next_call() });
        let told = world.hears("opencode", "tool.execute.before", &call);
        told.refusal().unwrap_or_else(|| panic!("{tool}: {told:?}"));
    }
}

#[test]
fn a_mode_of_old_state_holds_in_every_worktree_and_a_job_in_another_one_rests() {
    let world = World::linked();
    world.to("observe");
    let main = world.root().join("repo");
    let main = main.display();
    world.persons_terminal(&format!("cd {main} && git seed init --mode fence"), "");
    assert_eq!(world.json("status")["job"], Value::Null);
    world.edits("todo.txt", "a\n", "A\n").passes();
    world.runs("cat .git").before.passes();
    world.git("checkout -q todo.txt");
    world.persons_terminal(&format!("cd {main} && git seed init --mode full"), "");
    assert_eq!(world.phase(), "observe", "its journal was left alone");
    world.edits("todo.txt", "a\n", "A\n").refuses("[phase_observe]");
}

/// What was said is a person's to take away in every mode.
#[test]
fn words_are_redacted_in_every_mode() {
    for mode in ["watch", "fence"] {
        let world = World::seeded();
        world.prompt("Teach the walrus to count");
        let job = world.job();
        world.prompt("[PAUSE]");
        world.person(&format!("init --mode {mode}")).succeeds();
        world.person(&format!("job redact {job} --dry-run")).succeeds();
        world.person(&format!("job redact {job}")).succeeds();
        let shown = world.json(&format!("job show {job}")).to_string();
        assert!(!shown.contains("walrus"), "{mode}: {shown}");
        world.seed(&format!("job redact {job}")).refuses("only a person may");
    }
}

#[test]
fn it_goes_without_a_trace() {
    let world = World::new();
    let before = world.standing();
    world.person("init --mode watch").succeeds();
    a_session(&world);
    world.person("uninstall").succeeds();
    assert_eq!(world.standing(), before);
    assert!(!world.path(".git/seed").exists());
}

#[test]
fn off_and_on_are_heard_in_every_mode() {
    for mode in ["watch", "fence"] {
        let world = in_mode(mode);
        world.prompt("Never touch todo.txt");
        world.prompt("[OFF] by hand");
        assert_eq!(world.json("status")["enabled"], false);
        assert!(world.edits("todo.txt", "a\n", "A\n").before.is_silent());
        world.prompt("[ON] go on");
        assert_eq!(world.json("status")["enabled"], true, "{mode}");
        assert_eq!(world.json("job list"), json!([]), "no job is born");
        let told = world.prompt("[PAUSE]");
        assert!(told.to_person().is_some_and(|told| told.contains("does nothing")), "{told:?}");
    }
}

#[test]
fn a_fence_that_cannot_judge_lets_looks_pass_alone() {
    let world = in_mode("fence");
    world.prompt("Never touch todo.txt");
    fs::write(world.path(".git/seed/said/main.json"), "{").expect("written");
    world.edits("todo.txt", "a\n", "A\n").refuses("BLOCKED");
    world.reads("todo.txt").before.passes();
    let watching = in_mode("watch");
    watching.prompt("Never touch todo.txt");
    fs::write(watching.path(".git/seed/said/main.json"), "{").expect("written");
    assert!(watching.edits("todo.txt", "a\n", "A\n").before.is_silent());
}
