//! Coming, being examined, being mended, and going without a trace.

use std::fs;

use serde_json::{Value, json};

use super::world::{CODE, PAGE, World, message, tree_of};

fn findings(world: &World, command: &str) -> Vec<(String, bool, String)> {
    let said = world.person(&format!("{command} --json")).said();
    let list: Value =
        serde_json::from_str(&said.out).unwrap_or_else(|bad| panic!("{bad}: {said:?}"));
    let text = |one: &Value, key: &str| one[key].as_str().unwrap_or_default().to_owned();
    let list = list.as_array().expect("a list");
    list.iter()
        .map(|one| (text(one, "check"), one["ok"] == json!(true), text(one, "detail")))
        .collect()
}

#[track_caller]
fn finds_fault(world: &World, check: &str, detail: &str) {
    let found = findings(world, "doctor");
    let bad = found.iter().any(|(name, ok, told)| name == check && !ok && told.contains(detail));
    assert!(bad, "{check} should say {detail:?}: {found:#?}");
    assert_eq!(world.person("doctor").said().code, 1);
}

#[track_caller]
fn is_in_order(world: &World) {
    let bad: Vec<_> = findings(world, "doctor").into_iter().filter(|(_, ok, _)| !ok).collect();
    assert!(bad.is_empty(), "{bad:#?}");
}

// ---- coming and going

#[test]
fn init_leaves_status_head_and_index_as_they_were() {
    let world = World::new();
    world.puts("todo.txt", "a\nB\nc\n");
    world.git("add todo.txt");
    world.puts("todo.txt", "a\nB\nC\n");
    world.puts("scratch.txt", "x\n");
    let seen = || {
        (
            world.git("status --porcelain"),
            world.git("rev-parse HEAD"),
            fs::read(world.path(".git/index")).ok(),
        )
    };
    let index = fs::read(world.path(".git/index")).expect("an index");
    world.person("init").tells("undo      git seed uninstall");
    assert_eq!(fs::read(world.path(".git/index")).expect("an index"), index);
    let before = seen();
    world.person("init").succeeds();
    assert_eq!(before, seen());
    assert_eq!(world.git("status --porcelain"), "MM todo.txt\n?? scratch.txt");
}

#[test]
fn init_says_what_there_is_to_know_in_eight_lines() {
    for hosts in [&[".claude"][..], &[".claude", ".codex", ".gemini"]] {
        let world = World::new();
        for dir in hosts {
            fs::create_dir_all(world.path(dir)).expect("ours");
        }
        let said = world.person("init").succeeds();
        // Where a terminal is narrow, the words on further hosts go on in lines of their own.
        let lines: usize = said.lines().map(|line| line.chars().count().div_ceil(100)).sum();
        assert!(hosts.len() > 1 || lines <= 8, "{lines} lines:\n{said}");
        assert!(said.lines().count() <= 8, "{said}");
        let files: &[&str] = match hosts.len() {
            1 => &[".claude/settings.local.json"],
            _ => &[
                ".claude/settings.local.json, .codex/hooks.json, .gemini/settings.json",
                "          Codex CLI                     asks to trust project",
                "ln -s CLAUDE.md GEMINI.md",
            ],
        };
        let all =
            ["hook lines", "17 subagents", "hooks, info/exclude", "no commit", "git seed tour"];
        for part in files.iter().chain(&all).chain(&["git seed doctor", "git seed uninstall"]) {
            assert!(said.contains(part), "{part}:\n{said}");
        }
        // Programs get each file by itself.
        let rows = serde_json::from_str::<Value>(&world.person("init --json").succeeds());
        let rows = rows.expect("JSON");
        let lines = |row: &&Value| row["detail"].as_str().is_some_and(|d| d.contains("hook lines"));
        assert_eq!(rows.as_array().expect("rows").iter().filter(lines).count(), hosts.len());
    }
}

/// Everything but the objects, with modes and bytes.
fn snapshot(world: &World) -> std::collections::BTreeMap<String, String> {
    tree_of(world.repo(), &|path| path.starts_with(".git/objects"))
}

#[test]
fn uninstall_leaves_not_one_byte() {
    type Before = fn(&World);
    let cases: [(&str, Before); 5] = [
        ("a plain repository", |_| {}),
        ("settings of their own", |world| {
            world.puts(
                ".claude/settings.local.json",
                "{\n    \"model\":   \"x\",\n    \"hooks\": {}\n}",
            );
            world.sh("chmod 600 .claude/settings.local.json");
        }),
        ("a hook of their own", |world| {
            world.sh("printf '#!/bin/sh\\ntrue' > .git/hooks/pre-commit && chmod 750 \
                .git/hooks/pre-commit");
        }),
        ("no exclude file", |world| {
            world.sh("rm -f .git/info/exclude");
        }),
        ("an exclude file without a last line end", |world| {
            world.puts(".git/info/exclude", "*.o");
        }),
    ];
    for (what, arrange) in cases {
        leaves_no_byte(what, arrange);
    }
}

#[test]
fn uninstall_takes_the_folder_of_its_exclude_line_along() {
    leaves_no_byte("no .git/info", |world| {
        world.sh("rm -rf .git/info");
    });
}

/// What a page holds is the person's; the anchors that git seed put in are not, where nothing
/// stands below them.
#[test]
fn uninstall_takes_empty_anchors_out_of_pages() {
    let world = World::new();
    world.puts("docs/CLAUDE.md", "# Docs\n\n---Ob---\n");
    world.git("add -A");
    world.git("commit -qm docs");
    let world = world.installed();
    world.to("plan");
    world.works("plan");
    let page = world.text(PAGE);
    assert!(page.contains("---Ve---"), "{page}");
    // A second init finds git seed's own anchors and keeps the first list.
    world.person("init").succeeds();
    world.puts("src/CLAUDE.md", &super::world::page("# src\n"));
    world
        .puts("src/parser/tests/CLAUDE.md", &super::world::page("# tests\n").replace('\n', "\r\n"));
    world.person("uninstall --check").tells("src/CLAUDE.md                 4 empty anchors");
    let told = world.person("uninstall").succeeds();
    assert!(told.contains("src/CLAUDE.md") && told.contains("4 empty anchors"), "{told}");
    assert!(told.contains("text stands below ---Ob---, ---Pl---"), "{told}");
    assert_eq!(world.text("src/CLAUDE.md"), "# src\n");
    assert_eq!(world.text("src/parser/tests/CLAUDE.md"), "# tests\r\n");
    assert_eq!(world.text("docs/CLAUDE.md"), "# Docs\n\n---Ob---\n", "it was there before");
    let left = world.text(PAGE);
    assert!(left.contains("---Ob---") && !left.contains("---Ve---"), "{left}");
}

#[track_caller]
fn leaves_no_byte(what: &str, arrange: impl Fn(&World)) {
    let world = World::new();
    arrange(&world);
    let before = snapshot(&world);
    let world = world.installed();
    world.prompt("small talk");
    world.ends();
    world.person("uninstall").succeeds();
    let after = snapshot(&world);
    let changed: Vec<_> = before
        .keys()
        .chain(after.keys())
        .filter(|path| before.get(*path) != after.get(*path))
        .map(|path| (path, before.get(path), after.get(path)))
        .collect();
    assert!(changed.is_empty(), "{what}: {changed:#?}");
}

// ---- the track of all jobs

#[test]
fn init_says_which_lane_is_usual_and_leaves_the_tree_alone() {
    let world = World::new();
    let seen = || (world.git("status --porcelain"), world.git("rev-parse HEAD"));
    let (before, bytes) = (seen(), snapshot(&world));
    world.person("init --track quicker").ends(64, "known tracks: auto, opevc, quick");
    assert_eq!(snapshot(&world), bytes, "a name that nobody knows installs nothing");
    world.person("init --track opevc").tells("default = \"opevc\"             rule of this clone");
    world.starts();
    world.person("status").tells("lane     each job takes all phases");
    world.person("rules show").tells("default = \"opevc\"");
    assert_eq!(world.json("status")["usual_track"], "opevc");
    // Saying it again, and init without it, move nothing.
    let rules = world.git("rev-parse refs/seed/rules");
    world.person("init --track opevc").tells("in force already");
    world.person("init").succeeds();
    assert_eq!(world.git("rev-parse refs/seed/rules"), rules);
    world.prompt("fix the lexer");
    world.reads(CODE).passes();
    let small = "phase advance --small --scope src/parser -m 'keep escapes'";
    world.changes_nothing(|| world.seed(small).refuses("the rules require all phases"));
    world.person("init --track auto").tells("default = \"auto\"");
    world.seed(small).succeeds();
    assert!(!world.person("status").succeeds().contains("[tracks]"));
    world.person("job drop -m done").succeeds();
    world.git("checkout -q -- .");
    assert_eq!(seen(), before);
    world.ends();
    world.person("uninstall").succeeds();
    assert_eq!(snapshot(&world), bytes);
}

#[test]
fn init_track_changes_one_key_of_the_rules_in_force() {
    let world = World::new();
    let rules = "# ours\n[tracks]\ndefault = \"auto\" # for now\n\n[lane]\nfiles = 2\n\n\
        [[check]]\nfiles = [\"*.rs\"]\nrun = \"true {path}\"\n";
    world.puts("seed.toml", rules);
    world.git("add seed.toml");
    world.git("commit -qm rules");
    let world = world.installed();
    world.person("rules apply").succeeds();
    let applied = fs::read_to_string(world.path(".git/seed/applied")).expect("it is remembered");
    let told = world.person("init --track quick").succeeds();
    assert!(told.contains("git seed rules apply would bring that one"), "{told}");
    let now = world.git("show refs/seed/rules:seed.toml");
    assert_eq!(now.trim_end(), rules.replace("\"auto\"", "\"quick\"").trim_end());
    world.person("status").tells("each job begins on the small lane");
    world.person("rules diff").tells("tracks.default  \"quick\" -> \"auto\"");
    let again = fs::read_to_string(world.path(".git/seed/applied")).expect("it is remembered");
    assert_ne!(applied, again, "its commands may still run");
    // Rules that nobody applied in this clone stay such: their commands run nothing.
    fs::remove_file(world.path(".git/seed/applied")).expect("it was there");
    world.person("init --track auto").succeeds();
    assert!(!world.path(".git/seed/applied").exists());
}

#[test]
fn an_agent_says_of_no_track_that_it_is_usual() {
    let world = World::new();
    let before = snapshot(&world);
    world.seed("init --track quick").refuses("only a person may run git seed init --track");
    assert_eq!(snapshot(&world), before, "not even where nothing is installed yet");
    let world = World::seeded();
    world.changes_nothing(|| {
        world.seed("init --track quick").refuses("only a person may run git seed init --track")
    });
    world.runs("git seed init --track quick").refuses("only a person may run");
}

#[test]
fn uninstall_keeps_the_work_and_a_bundle_of_every_step() {
    let world = World::seeded();
    world.to("execute");
    let (head, pages) = (world.git("rev-parse HEAD"), world.text("CLAUDE.md"));
    let steps = world.git("rev-list --count refs/seed/jobs/$(git seed job focused)");
    let job = world.job();
    let told = world.person("uninstall").succeeds();
    let bundle = told
        .split_whitespace()
        .find(|word| word.ends_with(".bundle"))
        .expect("a bundle is named")
        .to_owned();
    assert_eq!(world.git("rev-parse HEAD"), head);
    assert_eq!(world.text("CLAUDE.md"), pages);
    assert!(world.git("for-each-ref refs/seed refs/notes refs/worktree").is_empty());
    world.git(&format!("fetch -q {bundle} 'refs/seed/*:refs/back/*'"));
    assert_eq!(world.git(&format!("rev-list --count refs/back/jobs/{job}")), steps);
}

/// A session that began before goes on calling its hooks, and its shell may call git seed: nothing
/// is judged any more, and nothing written.
#[test]
fn what_a_session_calls_after_uninstall_writes_nothing() {
    for keeps in ["", " --keep-history"] {
        for host in ["claude", "codex"] {
            let world = World::new();
            world.host_has("CODEX_SESSION_ID", "the session");
            world.person(&format!("init --host {host}")).succeeds();
            let hears = |event: &str, fields: &serde_json::Value| world.hears(host, event, fields);
            hears("SessionStart", &json!({ "source": "startup" }));
            hears("UserPromptSubmit", &json!({ "prompt": "Mend the lexer" }));
            world.person(&format!("uninstall{keeps}")).succeeds();
            let there = || world.sh("find .git -type f | sort; git for-each-ref; git status -s");
            let before = there();
            let file = world.path("src/new.rs");
            let edit = json!({ "tool_name": "Write", "tool_use_id": "w",
                "tool_input": { "file_path": file, "content": "x" }, "tool_response": "ok" });
            let line = json!({ "tool_name": "Bash", "tool_use_id": "b",
                "tool_input": { "command": "sh build.sh" }, "tool_response": "ok" });
            let patch = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch";
            let patch = json!({ "tool_name": "apply_patch", "tool_use_id": "p",
                "tool_input": { "command": patch }, "tool_response": "ok" });
            for event in ["PreToolUse", "PostToolUse"] {
                for fields in [&edit, &line, &patch] {
                    assert!(hears(event, fields).is_silent(), "{host}{keeps}: {event} {fields}");
                }
            }
            for prompt in ["go on", "[APPROVE]", "[OFF]", "[ON]", "[ALLOW a]"] {
                let said = hears("UserPromptSubmit", &json!({ "prompt": prompt }));
                assert!(said.is_silent(), "{host}{keeps}: {prompt}: {said:?}");
            }
            // Commands still know a history that stayed.
            let all =
                ["status", "why", "log", "phase advance", "off -m x", "exec -- true", "doctor"];
            for command in if keeps.is_empty() { &all[..] } else { &all[..3] } {
                world.agents_shell(&format!("git seed {command}"), "");
            }
            hears("Stop", &json!({ "stop_hook_active": false })).passes();
            hears("SessionEnd", &json!({ "reason": "other" })).passes();
            hears("SessionStart", &json!({ "source": "resume" })).passes();
            assert_eq!(there(), before, "{host}{keeps}");
        }
    }
}

#[test]
fn uninstall_may_leave_the_history() {
    let world = World::seeded();
    world.to("plan");
    let refs = world.git("for-each-ref refs/seed/jobs");
    world.person("uninstall --keep-history").succeeds();
    assert_eq!(world.git("for-each-ref refs/seed/jobs"), refs);
    let status = world.person("status").said();
    assert!(!status.out.contains("another clone"), "it is its own: {status:?}");
    world.person("init").succeeds();
    assert_eq!(world.json("job list").as_array().map(Vec::len), Some(1), "and init finds it again");
}

/// The clone that its jobs name stays the same, unless it is a copy of one that has them.
#[test]
fn a_clone_whose_history_stayed_is_itself_again() {
    const OTHER: &str = "0123456789abcdef01234567";
    let id = |world: &World| world.text(".git/seed/clone").trim().to_owned();
    let world = World::seeded();
    world.puts(".git/seed/clone", &format!("{OTHER}\n"));
    world.to("plan");
    let job = world.job();
    let leaves = |world: &World| {
        world.person("uninstall --keep-history").tells("the id of the clone stay");
        assert!(!world.path(".git/seed/clone").exists());
    };
    leaves(&world);
    world.person("init").succeeds();
    assert_eq!(id(&world), OTHER);
    assert!(!world.path(".git/seed/left-clone").exists());
    world.person(&format!("job focus {job}")).succeeds();
    world.seed("status").tells("plan");
    // Once more, and all of it goes.
    leaves(&world);
    world.person("uninstall").succeeds();
    assert!(!world.path(".git/seed").exists());
    world.person("init").succeeds();
    assert_ne!(id(&world), OTHER);
    // Moved, it is itself; a copy beside its original is not.
    world.puts(".git/seed/clone", &format!("{OTHER}\n"));
    leaves(&world);
    world.sh("mv ../repo ../moved && mkdir ../repo");
    let world = world.elsewhere("moved");
    world.person("init").succeeds();
    assert_eq!(id(&world), OTHER);
    leaves(&world);
    world.sh("cp -a ../moved ../copy");
    let world = world.elsewhere("copy");
    world.person("init").succeeds();
    assert_ne!(id(&world), OTHER, "its original may come back");
}

// ---- the doctor

#[test]
fn the_doctor_proves_that_a_forbidden_call_is_refused() {
    let world = World::seeded();
    is_in_order(&world);
    world.to("execute");
    is_in_order(&world);
    let told = world.person("doctor").succeeds();
    assert!(
        told.contains("a forbidden call was refused through .claude/settings.local.json"),
        "{told}"
    );
}

#[test]
fn the_doctor_says_whether_the_host_has_run_its_hooks() {
    let world = World::new();
    world.person("init").succeeds();
    world.person("doctor").tells("Claude Code has not run its hooks here yet");
    // What doctor runs itself is no sign of the host's.
    world.person("doctor").tells("has not run its hooks here yet");
    world.starts();
    let told = world.person("doctor").tells("Claude Code ran its hooks here, last at 20");
    assert!(told.contains("(SessionStart)") && !told.contains("not run its hooks"), "{told}");
    world.person("init --host claude --host codex").succeeds();
    world.person("doctor").tells("Codex CLI has not run its hooks here yet: asks to trust project");
    world.puts("../home/.codex/config.toml", "[features]\nhooks = false\n");
    finds_fault(
        &world,
        "host",
        "Codex CLI runs no hooks: ~/.codex/config.toml sets features.hooks",
    );
}

#[test]
fn the_doctor_sees_hook_lines_that_do_not_answer() {
    let settings = ".claude/settings.local.json";
    let spoil = |from: &str, to: &str| {
        let world = World::seeded();
        let text = world.text(settings);
        assert!(text.contains(from), "{text}");
        world.puts(settings, &text.replace(from, to));
        world
    };
    finds_fault(&spoil("PreToolUse", "PreToolUsed"), "host", "does not have git seed's hook line");
    finds_fault(&spoil("git-seed\"", "git-sead\""), "host", "");
    let world = World::seeded();
    let text = world.text(settings);
    world.puts(settings, &text.replacen('{', "{ \"disableAllHooks\": true,", 1));
    finds_fault(&world, "host", "runs no hooks: .claude/settings.local.json sets disableAllHooks");
    let world = World::seeded();
    world.sh(&format!("rm {settings}"));
    finds_fault(&world, "host", "");
}

#[test]
fn the_doctor_sees_a_git_hook_that_is_gone() {
    let world = World::seeded();
    world.sh("rm .git/hooks/pre-commit");
    finds_fault(&world, "git hooks", "pre-commit");
}

// ---- repositories that git seed cannot live in

#[test]
fn a_bare_repository_gets_its_sentence() {
    let world = World::empty("git init -q --bare .");
    world.person("init").fails("is a bare repository");
}

#[test]
fn a_reftable_repository_gets_its_sentence() {
    let world =
        World::empty("git init -q -b main --ref-format=reftable . || git init -q -b main .");
    if world.git("rev-parse --show-ref-format 2>/dev/null || true") == "reftable" {
        world.person("init").fails("reftable");
        assert!(world.starts().is_silent());
    }
}

#[test]
fn outside_a_repository_commands_say_so() {
    let world = World::empty("true");
    world.person("status").fails("is not inside a git repository");
}

#[test]
fn without_init_commands_name_it() {
    let world = World::new();
    for command in ["phase advance", "job list", "off -m x"] {
        let said = world.person(command).said();
        assert_eq!(said.code, 1, "{said:?}");
        assert!(said.err.contains("git seed init"), "{said:?}");
    }
}

/// Writes another `format` into `refs/seed/meta`.
fn newer_format(world: &World) {
    let file = world.git("ls-tree --name-only refs/seed/meta");
    let text = world.git(&format!("show refs/seed/meta:{file}"));
    let newer: String = text
        .lines()
        .map(|line| match line.split_once('=') {
            Some((key, _)) => format!("{key}= 99\n"),
            None => format!("{line}\n"),
        })
        .collect();
    world.puts("../meta", &newer);
    let blob = world.git("hash-object -w ../meta");
    let tree = world.sh(&format!("printf '100644 blob {blob}\\t{file}\\n' | git mktree"));
    let commit = world.git(&format!("commit-tree {} -p refs/seed/meta -m newer", tree.trim()));
    world.git(&format!("update-ref refs/seed/meta {commit}"));
}

#[test]
fn what_a_newer_binary_wrote_is_left_to_it() {
    let world = World::prompted();
    world.to("execute");
    newer_format(&world);
    world.changes_nothing(|| {
        world.seed("phase advance -F -").stdin(&message("execute")).fails("newer git-seed")
    });
    world.changes_nothing(|| {
        let reply = world.prompt("go on");
        assert!(reply.to_person().is_some_and(|told| told.contains("newer")), "{reply:?}");
    });
    assert!(world.starts().refusal().is_none());
}

// ---- damage

#[test]
fn a_job_whose_object_is_gone_is_named_and_mended() {
    for object in ["job.toml", "commit"] {
        let world = World::seeded();
        world.to("execute");
        let chain = format!("refs/seed/jobs/{}", world.job());
        let name = if object == "commit" { chain.clone() } else { format!("{chain}:{object}") };
        world.loses(&name);
        world.seed("phase current").fails("git seed doctor --fix");
        world.reads(CODE).passes();
        world.edits(CODE, "fn lex", "fn flex").refuses("git seed doctor --fix");
        world.runs("git seed doctor --fix").before.passes();
        assert_eq!(world.phase(), "execute", "{object}: one step back is the step before the dial");
        world.opens();
        world.works("execute");
        world.leaves();
    }
}

#[test]
fn a_job_that_does_not_read_is_named_and_mended() {
    let world = World::seeded();
    world.to("execute");
    let chain = format!("refs/seed/jobs/{}", world.job());
    world.puts("../bad", "format = 1\nwhat is this\n");
    let blob = world.git("hash-object -w ../bad");
    let tree = world.sh(&format!(
        "git ls-tree {chain} | sed 's/blob [0-9a-f]*\\tjob.toml/blob {blob}\\tjob.toml/' | git \
         mktree"
    ));
    let commit = world.git(&format!("commit-tree {} -p {chain} -m odd", tree.trim()));
    world.git(&format!("update-ref {chain} {commit}"));
    let said = world.seed("status").said();
    assert!(said.code == 1 && said.err.contains("git seed doctor --fix"), "{said:?}");
    world.seed("doctor --fix").said();
    assert_eq!(world.phase(), "execute");
}

#[test]
fn a_journal_that_is_gone_stops_writes_until_it_is_mended() {
    let world = World::seeded();
    world.to("execute");
    world.sh("rm .git/seed/journal/*.jsonl");
    world.reads(CODE).passes();
    world.changes_nothing(|| {
        world.seed("phase advance -F -").stdin(&message("execute")).fails("journal")
    });
    world.stops().refuses("git seed doctor --fix");
    world.edits(CODE, "fn lex", "fn flex").refuses("git seed doctor --fix");
    let did = world.runs("git seed doctor --fix");
    assert!(did.before.grants(), "an agent may rebuild it: {did:?}");
    world.works("execute");
    world.leaves();
    assert_eq!(world.phase(), "verify");
}

#[test]
fn a_journal_that_is_gone_stays_gone_after_a_refusal() {
    let world = World::seeded();
    world.to("execute");
    world.sh("rm .git/seed/journal/*.jsonl");
    for _ in 0..3 {
        world.edits(CODE, "fn lex", "fn flex").refuses("git seed doctor --fix");
    }
    world.runs("cargo test").refuses("git seed doctor --fix");
}

#[test]
fn strays_are_not_forgotten_when_the_journal_is_rebuilt() {
    let world = World::seeded();
    world.to("execute");
    world.works("execute");
    world.runs_and("git log -1", || world.sh("echo stray > todo.txt").clear());
    world.sh("rm .git/seed/journal/*.jsonl");
    world.seed("doctor --fix").succeeds();
    world.reads(CODE).passes();
    world.reads("todo.txt").passes();
    world.edits(super::world::PAGE, "one character", "two characters").passes();
    world.tests();
    let said = world.seed("phase advance -F -").stdin(&message("execute")).said();
    let named = said.err.contains("todo.txt") || said.out.contains("todo.txt");
    assert!(named, "a change that lost its line is at least named: {said:?}");
    assert!(!world.files_of_head().contains(&"todo.txt".to_owned()));
}

#[test]
fn a_journal_that_was_changed_by_hand_is_noticed() {
    let world = World::seeded();
    world.to("execute");
    world.edits(CODE, "fn lex", "fn flex").passes();
    world.sh("sed -i 's/page_edits\":0/page_edits\":9/; s/\"calls\":1/\"calls\":0/' \
         .git/seed/journal/*.jsonl");
    world.edits(CODE, "fn flex", "fn lex").refuses("git seed doctor --fix");
    finds_fault(&world, "journal", "changed by hand");
}

#[test]
fn a_job_whose_ref_is_gone_is_put_back_and_only_a_person_lets_it_go() {
    let world = World::seeded();
    world.to("execute");
    let chain = format!("refs/seed/jobs/{}", world.job());
    let tip = world.git(&format!("rev-parse {chain}"));
    world.git(&format!("update-ref -d {chain}"));
    let said = world.seed("phase current").said();
    assert!(said.code == 1 && said.err.contains("git seed doctor --fix"), "{said:?}");
    let said = world.seed("doctor --fix").said();
    assert!(said.out.contains("stands at") && said.out.contains(&chain), "{said:?}");
    assert_eq!(world.git(&format!("rev-parse {chain}")), tip, "its newest step");
    assert_eq!(world.phase(), "execute");
    // Where nothing names a step of it any more, the agent does not end it.
    world.git(&format!("update-ref -d {chain}"));
    world.git("update-ref -d refs/seed/ops");
    let said = world.seed("doctor --fix").said();
    assert!(said.out.contains("only a person lets the job go"), "{said:?}");
    assert_eq!(world.git("symbolic-ref refs/worktree/seed/focus"), chain);
    world.person("doctor --fix").said();
    assert_eq!(world.phase(), "none");
}

/// A world whose own `hook` kills the git-seed that is making the commit, once.
fn killed_in(hook: &str) -> World {
    let world = World::new();
    // The hook's parent is git or git seed's own hook; the one to kill is above that.
    let script = "#!/bin/sh\n[ -e ../kill ] || exit 0\nrm ../kill\npid=$PPID\n\
        while [ \"$pid\" -gt 1 ]; do\n  read -r line < /proc/$pid/stat\n  rest=${line##*) }\n  \
        set -- $rest\n  case $(tr '\\0' ' ' < /proc/$pid/cmdline) in\n    */git-seed\\ phase*) \
        kill -9 \"$pid\"; exit 1;;\n  esac\n  pid=$2\ndone\n";
    world.puts(&format!(".git/hooks/{hook}"), script);
    world.sh(&format!("chmod +x .git/hooks/{hook}"));
    world.installed()
}

/// The commit is made, git seed is killed, and `finisher` comes next.
fn is_finished_by(finisher: &str) {
    let world = killed_in("post-commit");
    world.to("execute");
    world.works("execute");
    let head = world.git("rev-parse HEAD");
    world.sh("touch ../kill");
    let said = world.seed("phase advance -F -").stdin(&message("execute")).said();
    assert!(said.code != 0, "it was killed: {said:?}");
    assert_eq!(world.git("rev-parse HEAD~1"), head, "the commit was made");
    world.seed(finisher).stdin(&message("execute")).said();
    let chain = world.git("for-each-ref --format='%(refname)' refs/seed/jobs");
    let steps = world
        .git(&format!("log --format='%(trailers:key=Seed-Step,valueonly,separator=)' {chain}"));
    let taken = steps.lines().filter(|step| *step == "execute -> verify").count();
    assert_eq!(taken, 1, "{finisher}: {steps}");
    assert_eq!(world.git("rev-parse HEAD~1"), head, "and not twice");
    assert!(!world.git("notes --ref=seed show HEAD").is_empty(), "it has its note");
    world.works("verify");
    world.leaves();
}

#[cfg(target_os = "linux")]
#[test]
fn a_step_that_was_killed_after_its_commit_is_finished_by_the_next_command() {
    for finisher in ["phase advance -F -", "status"] {
        is_finished_by(finisher);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn any_other_command_finishes_it_too() {
    for finisher in ["phase current", "phase list", "job update --name x", "log"] {
        is_finished_by(finisher);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_step_that_was_killed_before_its_commit_never_was() {
    let world = killed_in("pre-commit");
    world.to("execute");
    world.works("execute");
    world.sh("touch ../kill");
    let said = world.seed("phase advance -F -").stdin(&message("execute")).said();
    assert!(said.code != 0, "it was killed: {said:?}");
    world.sh("rm -f .git/*.lock");
    assert_eq!(world.phase(), "execute");
    assert_eq!(world.git("rev-list --count HEAD"), "3", "the hook went down with it");
    world.leaves();
    assert_eq!(world.phase(), "verify");
    assert_eq!(world.git("rev-list --count HEAD"), "4");
}

/// One of the team wrote hook lines into the settings that are committed; each clone needs no
/// others.
#[test]
fn a_host_has_one_registration() {
    let (team, own) = (".claude/settings.json", ".claude/settings.local.json");
    let has = |world: &World, name: &str| {
        std::fs::read_to_string(world.path(name)).is_ok_and(|text| text.contains("PreToolUse"))
    };
    let world = World::new();
    // Own ones first; those of the team come with a pull.
    world.person("init --host claude").succeeds();
    let lines = world.text(own);
    let said = world.person("init --host claude --shared").succeeds();
    assert!(said.contains("took out  .claude/settings.local.json"), "{said}");
    assert!(has(&world, team) && !has(&world, own), "{said}");
    let shared = world.text(team);
    let said = world.person("init --host claude").succeeds();
    assert!(said.contains("kept      .claude/settings.json"), "{said}");
    assert!(said.contains("the team's hook lines"), "{said}");
    assert!(!has(&world, own), "{said}");
    assert_eq!(world.text(team), shared, "a tracked file is touched only with --shared");
    // Two all the same, by hand or by an older version: doctor names both, and init mends it.
    world.puts(own, &lines);
    let found = world.seed("doctor --json").said().out;
    assert!(found.contains("each event arrives twice"), "{found}");
    world.person("init --host claude").succeeds();
    assert!(has(&world, team) && !has(&world, own));
    let found = world.seed("doctor --json").said().out;
    assert!(!found.contains("each event arrives twice"), "{found}");
    // A clone where no shell finds the program needs its own.
    let world = World::new();
    world.puts(team, &shared);
    let binary = env!("CARGO_BIN_EXE_git-seed");
    world.sh(&format!("PATH=/usr/bin:/bin {binary} init --host claude"));
    assert!(has(&world, own) && has(&world, team));
}

/// Pages are called what the hosts read, where nobody named them and none is there.
#[test]
fn pages_are_called_what_the_hosts_read() {
    let world = World::empty("git init -q -b main . && git config maintenance.auto false");
    world.puts("src/a.rs", "fn a() {}\n");
    world.git("add -A");
    world.git("commit -qm start");
    let told = world.person("init --host codex --host opencode").succeeds();
    assert!(told.contains("pages = [\"AGENTS.md\"]"), "{told}");
    assert!(world.seed("rules show").succeeds().contains("AGENTS.md"));
    // Saying it again changes nothing, and one that reads another name is told how.
    let rules = world.git("rev-parse refs/seed/rules");
    let told = world.person("init --host codex").succeeds();
    assert!(!told.contains("AGENTS.md"), "{told}");
    let told = world.person("init --host claude").succeeds();
    let later = "reads CLAUDE.md, and pages are AGENTS.md. Once AGENTS.md is there, this makes \
                 them one file: ln -s AGENTS.md CLAUDE.md";
    assert!(told.contains(later), "{told}");
    world.puts("AGENTS.md", "# Ours\n");
    let told = world.person("init --host claude").succeeds();
    assert!(told.contains("To make them one file: ln -s AGENTS.md CLAUDE.md"), "{told}");
    world.sh("rm AGENTS.md");
    // Several hosts that read the name are told once.
    world.puts("AGENTS.md", "# Ours\n");
    let told = world.person("init --host gemini --host claude --host copilot --host droid");
    assert_eq!(told.succeeds().matches("ln -s").count(), 2, "for CLAUDE.md and for GEMINI.md");
    world.sh("rm AGENTS.md");
    assert_eq!(world.git("rev-parse refs/seed/rules"), rules);
    // The text that opens observe names the file.
    world.prompt("look at a");
    world.seed("phase advance").tells("below ---Ob--- in its directory's AGENTS.md");
    world.reads("src/a.rs").passes();
    world.writes("src/AGENTS.md", "# src\n\n---Ob---\n\nOne function.\n").passes();
}

/// A name that the team has stays, and so does a page that is there.
#[test]
fn a_page_that_is_there_keeps_its_name() {
    for (file, text) in [("CLAUDE.md", "# Ours\n"), ("seed.toml", "pages = [\"NOTES.md\"]\n")] {
        let world = World::empty("git init -q -b main . && git config maintenance.auto false");
        world.puts(file, text);
        world.git("add -A");
        world.git("commit -qm start");
        let told = world.person("init --host codex").succeeds();
        assert!(told.contains("reads AGENTS.md, and pages are CLAUDE.md"), "{told}");
        assert!(world.tries("git rev-parse -q --verify refs/seed/rules").code != 0);
    }
}
