//! `git seed exec`: what a confined command can change, and when the hook confines by itself.
//!
//! Where the kernel does not confine, each session says so and tries only the refusal.

use std::fs;

use pretty_assertions::assert_eq;
use serde_json::json;

use super::world::{CODE, Reply, Said, World};

/// A seeded world in `phase`; nothing where the kernel does not confine.
fn at(phase: &str) -> Option<World> {
    if let Err(why) = git_seed::confine::check() {
        super::skip::not_here(&format!("a kernel that confines ({why})"));
        return None;
    }
    let world = World::new();
    world.puts(".gitignore", "target/\n*.log\n.claude/\n");
    world.puts("Cargo.toml", "[package]\n");
    world.puts("Cargo.lock", "# lock\n");
    world.puts("src/parser/Cargo.toml", "[package]\n");
    world.puts("build.log", "");
    world.puts("check.sh", "exit 0\n");
    world.git("add -A");
    world.git("commit -qm more");
    let world = world.installed();
    if phase == "talk" {
        world.prompt("why does the lexer fail?");
    } else {
        world.to(phase);
    }
    Some(world)
}

impl World {
    /// Runs a shell line confined.
    fn confined(&self, line: &str) -> Said {
        self.agents_shell(&format!("git seed exec -- sh -c '{line}'"), "")
    }

    #[track_caller]
    fn is_kept_out(&self, line: &str) {
        self.changes_nothing(|| {
            let said = self.confined(line);
            assert!(said.code != 0, "{line}: {said:?}");
        });
    }

    #[track_caller]
    fn is_let(&self, line: &str) {
        let said = self.confined(line);
        assert!(said.code == 0, "{line}: {said:?}");
    }
}

#[test]
fn in_execute_a_confined_command_writes_in_scope_only() {
    let Some(world) = at("execute") else { return };
    world.is_let(&format!("echo 1 >> {CODE}"));
    world.is_let("echo 1 > src/parser/new.rs && mkdir src/parser/sub && rm src/parser/new.rs");
    world.is_let("echo locked > Cargo.lock");
    assert_eq!(world.text("Cargo.lock"), "locked\n");
    for line in [
        "echo 1 > todo.txt",
        "echo 1 >> todo.txt",
        "echo 1 > src/new.rs",
        "rm todo.txt",
        "mv todo.txt src/parser/todo.txt",
        "ln todo.txt src/parser/todo.txt",
        "mkdir other",
        "ln -s /tmp link",
        "sed -i s/a/b/ todo.txt",
        "truncate -s 0 todo.txt",
        "echo 1 > .git/config",
        "rm -rf .git/hooks",
        "git commit --allow-empty -m x",
        "git update-ref refs/heads/x HEAD",
        "echo 1 > .claude/settings.local.json",
        "mkdir -p .claude/commands",
        "echo 1 > seed.toml",
        "echo 1 > ../beside",
        "echo 1 > \"$HOME/beside\"",
    ] {
        world.is_kept_out(line);
    }
    assert!(!world.root().join("beside").exists());
}

#[test]
fn where_a_phase_changes_no_files_only_what_git_ignores_is_open() {
    for phase in ["observe", "verify"] {
        let Some(world) = at(phase) else { return };
        world.is_let("mkdir -p target/debug && echo 1 > target/debug/x && echo 1 > build.log");
        world.is_let("f=$(mktemp) && echo 1 > $f && rm $f");
        for line in [
            &*format!("echo 1 > {CODE}"),
            "echo 1 > Cargo.lock",
            "mkdir src/parser/sub",
            "touch new",
        ] {
            world.is_kept_out(line);
        }
        assert_eq!(world.git("status --porcelain -- todo.txt Cargo.lock new"), "", "{phase}");
    }
}

#[test]
fn a_command_of_the_whole_tree_leaves_git_closed() {
    let Some(world) = at("plan") else { return };
    world.works("plan");
    world.seed("phase advance --scope . -F -").stdin(&super::world::message("plan")).succeeds();
    world.opens();
    world.is_let("echo 1 > todo.txt");
    world.is_let("echo 1 > src/new.rs");
    world.is_kept_out("echo 1 > .git/x");
    world.is_kept_out("mv .git git2");
    world.is_kept_out("echo 1 > .claude/x");
}

#[test]
fn what_the_agent_sets_or_moves_opens_nothing() {
    let Some(world) = at("execute") else { return };
    let home = world.root().join("trick");
    for (file, text) in [(".config/git/ignore", "*\n"), (".cache", "")] {
        let file = home.join(file);
        fs::create_dir_all(file.parent().expect("a folder")).expect("made");
        match text {
            "" => std::os::unix::fs::symlink(world.path("src"), file).expect("linked"),
            text => fs::write(file, text).expect("written"),
        }
    }
    // Build directories that git ignores are made at the first call.
    world.is_let("true");
    for set in
        ["HOME=../trick", "XDG_CONFIG_HOME=../trick/.config", "XDG_CACHE_HOME=../trick/.cache"]
    {
        let set = set.replace("..", &world.root().to_string_lossy());
        world.changes_nothing(|| {
            let line = "echo 1 > todo.txt; echo 1 > src/new.rs; echo 1 > src/other.rs";
            world.agents_shell(&format!("{set} git seed exec -- sh -c '{line}'"), "")
        });
    }
    // A directory that was declared, and is a link by now, is another one.
    world.confined("rm -rf src/parser/tests; ln -s ../../src src/parser/tests");
    world.is_kept_out("echo 1 > src/new.rs");
}

#[test]
fn a_tracked_file_in_an_ignored_directory_is_no_build() {
    let Some(world) = at("verify") else { return };
    world.puts("target/kept", "1\n");
    world.git("add -f target/kept");
    world.is_let("true");
    world.is_kept_out("echo 1 > target/kept");
    world.git("rm -q --cached target/kept");
    world.is_let("echo 1 > target/kept");
}

#[test]
fn code_signals_output_and_input_are_those_of_the_command() {
    let Some(world) = at("verify") else { return };
    for (line, code, out) in [
        ("exit 7", 7, ""),
        ("echo a; echo b >&2; exit 0", 0, "a\n"),
        ("cat", 0, "given"),
        ("yes | head -n 1", 0, "y\n"),
    ] {
        let said = world.agents_shell(&format!("git seed exec -- sh -c '{line}'"), "given");
        assert_eq!((said.code, said.out.as_str()), (code, out), "{said:?}");
        assert_eq!(said.err, if line.contains(">&2") { "b\n" } else { "" });
    }
    let said =
        world.agents_shell("git-seed exec -- sh -c 'kill -TERM $$'; echo \"by signal $?\"", "");
    assert_eq!(said.out, "by signal 143\n");
    assert_eq!(world.agents_shell("git seed exec -- no-such-command", "").code, 127);
    assert_eq!(world.agents_shell("git seed exec -- ./todo.txt", "").code, 126);
    assert_eq!(world.agents_shell("git seed exec", "").code, 64);
    assert_eq!(world.agents_shell("git seed exec --help", "").code, 0);
    let said = world.agents_shell("cd src && git seed -C .. exec echo through the long form", "");
    assert_eq!((said.code, said.out.as_str()), (0, "through the long form\n"), "{said:?}");
}

#[test]
fn without_git_seed_nothing_is_run() {
    let world = World::new();
    let said = world.agents_shell("git seed exec -- touch ran", "");
    assert_eq!(said.code, 1);
    assert!(said.err.contains("not installed"), "{said:?}");
    assert!(!world.path("ran").exists());
}

#[test]
fn scratch_files_go_where_they_may_wherever_tmpdir_leads() {
    let Some(world) = at("verify") else { return };
    world.sh("mkdir -p ../mine");
    let mine = world.root().join("mine").display().to_string();
    world.host_has("TMPDIR", &mine);
    world.is_let("f=$(mktemp) && echo 1 > $f && rm $f");
    world.is_kept_out("echo 1 > ../mine/x");
    assert!(!world.root().join("mine/x").exists());
}

#[test]
fn a_scratch_folder_of_its_own_goes_with_git_seed() {
    let Some(world) = at("verify") else { return };
    let said = world.confined("echo $TMPDIR");
    let dir = said.out.trim().to_owned();
    if !dir.contains("git-seed-") {
        // The world does not lie in a scratch folder of the rules.
        return;
    }
    assert!(std::path::Path::new(&dir).is_dir(), "{said:?}");
    world.person("uninstall").succeeds();
    assert!(!std::path::Path::new(&dir).exists());
}

#[test]
fn the_doctor_leaves_no_directory_that_its_probe_was_given() {
    let Some(world) = at("execute") else { return };
    let dirs = || world.sh("find . ../tmp -name .git -prune -o -type d -print 2>/dev/null | sort");
    let before = dirs();
    // A place for scratch files that no other test uses.
    world.sh("mkdir ../scratch");
    let said = world.persons_terminal("TMPDIR=$PWD/../scratch git seed doctor", "");
    assert!(said.out.contains("the kernel stopped a confined command"), "{said:?}");
    assert_eq!((dirs(), world.sh("ls -A ../scratch")), (before, String::new()));
    // What a confined run needs is there for it all the same.
    world.confined("touch target/made");
    assert!(world.path("target/made").is_file());
}

/// What was made for a command goes again where the command left it empty.
#[test]
fn an_empty_directory_that_a_command_was_given_does_not_stay() {
    let Some(world) = at("execute") else { return };
    world.puts(".gitignore", "target/\nnode_modules/\n__pycache__/\n.claude/\n");
    world.puts("package.json", "{}\n");
    world.puts("pyproject.toml", "[project]\n");
    let dirs = || world.sh("find . -name .git -prune -o -type d -print | sort");
    let before = dirs();
    for line in ["true", "exit 3", "kill -TERM $$", "ls target", "cargo test --help >/dev/null"] {
        world.confined(line);
        assert_eq!(dirs(), before, "{line}");
    }
    world.agents_shell("git seed exec -- cargo test --no-such-option", "");
    world.agents_shell("git seed exec -- no-such-command", "");
    assert_eq!(dirs(), before);
    let said = world.confined("echo 1 > target/made; cat; exit 5");
    assert_eq!(said.code, 5, "{said:?}");
    assert_eq!(world.text("target/made"), "1\n");
    // One that was there before stays, whatever lies in it.
    world.sh("mkdir node_modules");
    world.confined("true");
    assert!(world.path("node_modules").is_dir());
}

#[test]
fn an_unknown_command_is_told_to_run_confined_and_may() {
    for phase in ["observe", "verify"] {
        let Some(world) = at(phase) else { return };
        world.puts("../bin/frob", "#!/bin/sh\necho looked; echo 1 > todo.txt\n");
        world.sh("chmod +x ../bin/frob");
        let frob = "PATH=../bin:$PATH frob";
        world.runs("frob --all").refuses("git seed exec -- <the command>");
        let did = world.runs("git seed exec -- frob --all");
        did.before.passes();
        // What changes something by its text is closed, confined or not.
        world.runs("git seed exec -- rm todo.txt").refuses("BLOCKED");
        world.runs("git seed exec -- git commit -m x").refuses("BLOCKED");
        world.runs("git seed exec -- curl -X POST https://example.org").refuses("BLOCKED");
        world.runs("git seed exec -- cat .git/seed/journal/main.jsonl").refuses("BLOCKED");
        world.runs("git seed exec -- frob > todo.txt").refuses("BLOCKED");
        let before = world.text("todo.txt");
        let said = world.agents_shell(&format!("git seed exec -- env {frob}"), "");
        assert_eq!(said.out, "looked\n");
        assert_eq!(world.text("todo.txt"), before);
    }
    for phase in ["plan", "condense"] {
        let Some(world) = at(phase) else { return };
        world.runs("git seed exec -- frob --all").refuses("BLOCKED");
    }
}

#[test]
fn a_confined_run_of_the_tests_is_a_proof() {
    let Some(world) = at("verify") else { return };
    world.puts("../bin/pytest", "#!/bin/sh\necho '3 passed in 0.02s'\n");
    world.sh("chmod +x ../bin/pytest");
    world.runs("git seed exec -- ../bin/pytest").passes();
    world.notes("---Ve---", "ran it: escapes survive");
    world.leaves();
    assert_eq!(world.phase(), "condense");
}

#[test]
fn a_confined_run_prints_as_it_comes_and_its_counts_are_kept() {
    let Some(world) = at("verify") else { return };
    world.puts(
        "../bin/pytest",
        "#!/bin/sh\necho one; echo two >&2; echo '3 passed, 1 skipped in 0.02s'; exit 0\n",
    );
    world.sh("chmod +x ../bin/pytest");
    let said = world.agents_shell("git seed exec -- ../bin/pytest -q", "");
    assert_eq!(
        (said.out.as_str(), said.err.as_str()),
        ("one\n3 passed, 1 skipped in 0.02s\n", "two\n")
    );
    world.minute();
    let said = world.agents_shell("git seed exec -- ../bin/pytest -q 2>&1", "");
    assert_eq!(said.out, "one\ntwo\n3 passed, 1 skipped in 0.02s\n", "the order stays");
    // What the run leaves behind holds its output open, and nobody waits for that.
    world.puts("../bin/pytest", "#!/bin/sh\nsleep 60 &\necho '2 passed in 0.02s'\n");
    world.minute();
    let said = world.agents_shell("git seed exec -- ../bin/pytest", "");
    assert_eq!((said.code, said.out.as_str()), (0, "2 passed in 0.02s\n"));
    // Another program ran under that name by then; a step back asks for no proof.
    world.tests();
    world.notes("---Ve---", "ran it: escapes survive");
    let why = "look at it once more before anybody relies on it, since another program ran";
    world.seed(&format!("phase back execute -m '{why}'")).succeeds();
    let all = super::receipts::receipts(&world);
    let counts: Vec<&serde_json::Value> =
        all.iter().filter(|one| one["run"] == "pytest").map(|one| &one["counts"]).collect();
    let three = json!({ "passed": 3, "skipped": 1 });
    assert_eq!(counts, [&three, &three, &json!({ "passed": 2 })]);
}

/// On a host that tells of no status this is what the refusal recommends: a script of the
/// repository's own is a run of its tests, and an act beyond the work tree leaves its receipt.
#[test]
fn what_git_seed_runs_leaves_a_status_on_every_host() {
    let Some(world) = at("verify") else { return };
    world.puts("tests/run.sh", "echo '2 checks'; exit 0\n");
    assert_eq!(world.agents_shell("git seed exec -- sh tests/run.sh", "").code, 0);
    world.minute();
    world.puts("tests/run.sh", "exit 3\n");
    assert_eq!(world.agents_shell("git seed exec -- sh tests/run.sh", "").code, 3);
    world.minute();
    world.agents_shell("git seed exec -- git push nowhere main", "");
    let said = "claim verify --claim 'Fixed the lexer' --evidence x --type unit_test --json";
    let json: serde_json::Value =
        serde_json::from_str(&world.seed(said).said().out).expect("JSON beside the reasons");
    let read: Vec<(&str, &str)> = json["receipts"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|one| Some((one["command"].as_str()?, one["reading"].as_str()?)))
        .filter(|(line, _)| line.contains("exec"))
        .collect();
    assert_eq!(
        read,
        [
            ("git seed exec -- sh tests/run.sh", "stale"),
            ("git seed exec -- sh tests/run.sh", "failed"),
            ("git seed exec -- git push nowhere main", "command"),
        ]
    );
}

// ---- looking by running

/// A run of tests beside the repository that fails, and says so.
fn failing(world: &World) -> &'static str {
    world.puts("../bin/pytest", "#!/bin/sh\necho '1 failed, 2 passed in 0.02s'\nexit 1\n");
    world.sh("chmod +x ../bin/pytest");
    "git seed exec -- ../bin/pytest"
}

fn receipts_of_a_claim(world: &World) -> Vec<String> {
    let said = "claim verify --claim 'Fixed the lexer' --evidence x --type unit_test --json";
    let json: serde_json::Value =
        serde_json::from_str(&world.seed(said).said().out).expect("JSON beside the reasons");
    let all = json["receipts"].as_array().expect("a list");
    all.iter().map(|one| one["command"].as_str().expect("a command").to_owned()).collect()
}

#[test]
fn nobody_there_lets_the_tests_of_a_strange_repository_run() {
    for phase in ["talk", "observe"] {
        let Some(world) = at(phase) else { return };
        let run = failing(&world);
        world.host_has("CLAUDE_CODE_SESSION_ATTENDED", "0");
        world.runs(run).refuses("have never run here");
        world.runs("../bin/pytest").refuses("have never run here");
        // A person is there and answers the host's own question; later runs ask nobody.
        world.host_has("CLAUDE_CODE_SESSION_ATTENDED", "1");
        let did = world.runs(run);
        assert_eq!(did.before.question(), None, "the host asks by itself");
        assert!(!did.before.grants(), "{did:?}");
        world.host_has("CLAUDE_CODE_SESSION_ATTENDED", "0");
        assert!(world.runs(run).before.is_silent());
        // As it is given it would run free.
        world.runs("../bin/pytest").refuses("git seed exec -- ../bin/pytest");
        world.runs("cd src && ../../bin/pytest -q").refuses("git seed exec");
        // What is set or entered for a run goes with it, and builds run as tests do.
        for line in [
            "PYTHONPATH=src ../bin/pytest -q",
            "DATABASE_URL=sqlite: ../bin/pytest",
            "export RUSTFLAGS='-D warnings'; cargo test",
            "source .venv/bin/activate && pytest -q",
        ] {
            let said = format!("git seed exec -- sh -c '{}'", line.replace('\'', "'\\''"));
            world.runs(line).refuses(&said);
            world.runs(&said).before.passes();
        }
        world.runs("cargo clippy").refuses("git seed exec -- cargo clippy");
        world.runs("git seed exec -- cargo clippy").before.passes();
        world.runs("PYTHONPATH=src python gen.py").refuses("BLOCKED");
        world.runs("GIT_DIR=x cargo test").refuses("BLOCKED");
        // Other code is none the wiser.
        world.runs("git seed exec -- sh gen.sh").refuses("BLOCKED");
        world.runs("git seed exec -- ../bin/pytest && sh gen.sh").refuses("BLOCKED");
        world.runs("git seed exec -- ../bin/pytest > out.txt").refuses("BLOCKED");
    }
}

#[test]
fn a_run_that_only_looks_is_kept_and_proves_nothing_later() {
    let Some(world) = at("condense") else { return };
    world.works("condense");
    world.approved();
    world.leaves();
    world.prompt("why does the lexer drop escapes?");
    let run = failing(&world);
    world.runs(run).before.passes();
    assert_eq!(receipts_of_a_claim(&world), [run], "while one looks it is heard");
    world.enters("observe");
    assert!(receipts_of_a_claim(&world).is_empty(), "and later it proves nothing");
    let kept = super::receipts::receipts(&world);
    let kept = kept.iter().find(|one| one["command"] == run).expect("it is kept");
    assert_eq!((&kept["reproduced"], &kept["run"]), (&json!(true), &json!("pytest")));
    // It is looking: before the multiplier, and it weighs for the first page.
    world.runs(run).before.passes();
    world.enters("plan");
    world.runs("../bin/pytest").refuses("git seed phase back observe");
    world.enters("verify");
    world.opens();
    world.runs("../bin/pytest").before.passes();
}

#[test]
fn a_run_that_only_looks_gets_no_secrets() {
    let Some(world) = at("observe") else { return };
    world.sh("mkdir -p ~/.ssh && echo key > ~/.ssh/id && echo free > ~/notes");
    let line = |line: &str| format!("MY_TOKEN=1 PLAIN=2 git seed exec -- sh -c '{line}'");
    let seen = |said: &str| world.agents_shell(&line(said), "");
    assert_eq!(seen("echo [$MY_TOKEN] [$PLAIN]").out, "[] [2]\n");
    assert_eq!(seen("cat ~/notes").out, "free\n");
    assert!(seen("cat ~/.ssh/id").code != 0);
    world.is_let("cat src/parser/lex.rs; ls src; cat /proc/self/stat");
    world.enters("verify");
    assert_eq!(seen("echo [$MY_TOKEN]; cat ~/.ssh/id").out, "[1]\nkey\n");
}

// ---- lines that the hook replaces

/// A call of the shell in a session where the host asks nobody.
fn unasked(world: &World, line: &str) -> Reply {
    let input = json!({ "command": line, "timeout": 5000 });
    let fields = json!({
        "tool_name": "Bash", "tool_input": input, "tool_use_id": world.next_call(),
        "permission_mode": "bypassPermissions",
    });
    world.event("PreToolUse", &fields)
}

/// Lets the client show that it runs what the hook gives it.
fn doctor_in_session(world: &World) {
    let reply = unasked(world, "git seed doctor");
    let line = reply.rewritten().expect("another line").to_owned();
    let said = world.agents_shell(&line, "");
    assert!(said.out.contains("ran a rewritten command"), "{said:?}");
}

#[test]
fn once_a_rewrite_was_seen_code_runs_confined_where_nobody_is_asked() {
    let Some(world) = at("verify") else { return };
    world.puts("check.sh", "echo checked; echo 1 > todo.txt\n");
    let reply = unasked(&world, "sh check.sh");
    assert!(reply.is_silent(), "nothing was seen yet: {reply:?}");
    doctor_in_session(&world);
    let reply = unasked(&world, "sh check.sh");
    assert!(reply.grants(), "{reply:?}");
    let line = reply.rewritten().expect("another line").to_owned();
    let before = world.text("todo.txt");
    let said = world.agents_shell(&line, "");
    assert!(said.out == "checked\n" && said.code != 0, "{said:?}");
    assert_eq!(world.text("todo.txt"), before);
    // What the agent gave is what counts afterwards.
    let call = world.next_call();
    let after = world.after(
        "Bash",
        &json!({ "command": line }),
        &call,
        &json!({ "stdout": "checked" }),
        20,
    );
    after.passes();
    // A call that the host would ask about, one that only looks, and git seed's own go as they are.
    let input = json!({ "command": "sh check.sh" });
    assert!(world.before("Bash", &input, &world.next_call()).is_silent());
    assert!(unasked(&world, "cat todo.txt").is_silent());
    assert!(unasked(&world, "sh check.sh; cd src").is_silent());
    assert!(unasked(&world, "git seed status").rewritten().is_none());
    assert!(
        unasked(&world, "/tmp/x/git-seed status").rewritten().is_some(),
        "a program of that name"
    );
    assert!(unasked(&world, "cd \n/tmp/x && true").rewritten().is_none());
    unasked(&world, "sed -i s/a/b/ todo.txt").refuses("BLOCKED");
    assert!(
        unasked(&world, "cd src && sh ../check.sh")
            .rewritten()
            .expect("confined")
            .starts_with("cd src && '")
    );
}

/// An edit that adds to a page without the phase's anchor gets it, where the host asks nobody.
#[test]
fn an_edit_of_a_page_without_anchors_gets_them_with_it() {
    let Some(world) = at("observe") else { return };
    world.puts("src/parser/deep/CLAUDE.md", "# deep\n\nIt lexes.\n");
    let edits = |path: &str, old: &str, new: &str| {
        let input = json!({
            "file_path": world.path(path), "old_string": old, "new_string": new,
            "replace_all": false,
        });
        let fields = json!({
            "tool_name": "Edit", "tool_input": input, "tool_use_id": world.next_call(),
            "permission_mode": "bypassPermissions",
        });
        world.event("PreToolUse", &fields)
    };
    let page = "src/parser/deep/CLAUDE.md";
    let adds = ["It lexes.", "It lexes.\n\nIt drops escapes."];
    let refused = edits(page, adds[0], adds[1]);
    refused.refuses("write it below a line `---Ob---`");
    doctor_in_session(&world);
    // What stands in its way besides is said, and the anchor is not.
    edits(page, adds[0], adds[1]).refuses("read");
    world.reads(CODE).passes();
    let reply = edits(page, adds[0], adds[1]);
    assert!(reply.grants(), "{reply:?}");
    let given = &reply.json()["hookSpecificOutput"]["updatedInput"];
    assert_eq!(given["new_string"], "It lexes.\n\n---Ob---\n\nIt drops escapes.");
    assert_eq!((&given["old_string"], &given["replace_all"]), (&json!("It lexes."), &json!(false)));
    // A page that is written at once, and one whose body would change.
    let write = json!({
        "file_path": world.path("src/CLAUDE.md"), "content": "# src\n\nOne parser.\n",
    });
    let fields = json!({
        "tool_name": "Write", "tool_input": write, "tool_use_id": world.next_call(),
        "permission_mode": "bypassPermissions",
    });
    let reply = world.event("PreToolUse", &fields);
    let given = &reply.json()["hookSpecificOutput"]["updatedInput"]["content"];
    assert_eq!(given, "# src\n\n---Ob---\n\nOne parser.\n", "{reply:?}");
    edits(page, "It lexes.", "It lexes bytes.").refuses("only condense may change the body");
    // Where the host would ask a person, nothing is answered for them.
    world.edits(page, adds[0], adds[1]).refuses("---Ob---");
    // What a page of the product's would be stays what the phase says.
    edits(CODE, "fn lex() {", "fn lex() { x();").refuses("BLOCKED");
}

#[test]
fn nothing_is_rewritten_where_the_phase_writes_or_the_rules_say_no() {
    let Some(world) = at("execute") else { return };
    doctor_in_session(&world);
    assert!(unasked(&world, "sh check.sh").is_silent());
    let Some(world) = at("verify") else { return };
    world.puts("seed.toml", "[shell]\nconfine = \"off\"\n");
    world.person("rules apply").succeeds();
    let line =
        unasked(&world, "git seed doctor").rewritten().expect("it may still be seen").to_owned();
    world.agents_shell(&line, "");
    assert!(unasked(&world, "sh check.sh").is_silent());
}

#[test]
fn a_line_that_another_process_runs_proves_nothing() {
    let Some(world) = at("verify") else { return };
    let line = unasked(&world, "git seed doctor").rewritten().expect("another line").to_owned();
    let name = line
        .split(" rewritten ")
        .nth(1)
        .and_then(|rest| rest.split(';').next())
        .expect("a session");
    let sessions = world.path(".git/seed/sessions");
    let file = fs::read_dir(&sessions).expect("sessions").flatten().next().expect("one").path();
    let other = fs::read_to_string(&file).expect("it reads").replace("pid = ", "pid = 1");
    fs::write(&file, other).expect("it can be written");
    assert_eq!(world.agents_shell(&format!("git-seed rewritten {name}"), "").code, 1);
    assert_eq!(world.agents_shell("git-seed rewritten ../../x", "").code, 1);
    assert!(!world.path(".git/seed/clients.toml").exists());
    unasked(&world, &format!("git seed rewritten {name}")).refuses("BLOCKED");
}
