//! Each host as its client obeys it: places, settings and payloads that its row names.

use std::fs;
use std::path::PathBuf;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::world::{CODE, World};

/// A write of `host`'s in its plan mode, below the person's home.
fn plans(world: &World, host: &str, path: &str) -> super::world::Reply {
    let (event, tool) = match host {
        "gemini" => ("BeforeTool", "write_file"),
        _ => ("PreToolUse", "Write"),
    };
    let file = world.root().join("home").join(path);
    world.hears(
        host,
        event,
        &json!({ "tool_name": tool, "permission_mode": "plan",
        "tool_use_id": world.next_call(), "tool_input": { "file_path": file, "content": "1. x" } }),
    )
}

#[test]
fn a_host_writes_its_own_plan_in_every_phase_and_nothing_else_there() {
    let world = World::seeded();
    let home = world.root().join("home");
    fs::create_dir_all(home.join(".claude/plans")).expect("made");
    let plan = ".claude/plans/brave-fox.md";
    plans(&world, "claude", plan).passes();
    world.prompt("Fix the lexer: quoted strings lose their escapes");
    plans(&world, "claude", plan).passes();
    plans(&world, "claude", ".claude/plans/fox.sh").refuses("BLOCKED");
    plans(&world, "claude", ".claude/settings.json").refuses("BLOCKED");
    plans(&world, "claude", ".claude/plans/../hooks/x.md").refuses("BLOCKED");
    plans(&world, "gemini", ".gemini/tmp/abc/session-1/plans/fox.md").passes();
    plans(&world, "gemini", ".gemini/tmp/abc/fox.md").refuses("BLOCKED");
    plans(&world, "gemini", plan).refuses("BLOCKED");
    // By the shell it is a file outside of the repository like any other.
    world.runs(&format!("echo x > {}", home.join(plan).display())).refuses("BLOCKED");
    world.to("execute");
    plans(&world, "claude", plan).passes();
}

#[cfg(unix)]
#[test]
fn no_link_leads_out_of_the_folder_of_plans() {
    use std::os::unix::fs::symlink;
    let world = World::prompted();
    let home = world.root().join("home");
    let folder = home.join(".claude/plans");
    fs::create_dir_all(&folder).expect("made");
    symlink(world.path(CODE), folder.join("linked.md")).expect("linked");
    symlink(world.repo(), folder.join("away")).expect("linked");
    fs::hard_link(world.path("CLAUDE.md"), folder.join("twin.md")).expect("linked");
    fs::write(home.join("outside.md"), "").expect("written");
    fs::hard_link(home.join("outside.md"), folder.join("other.md")).expect("linked");
    for name in ["linked.md", "away/x.md", "twin.md", "other.md"] {
        plans(&world, "claude", &format!(".claude/plans/{name}")).refuses("BLOCKED");
    }
    // A home that is itself a link is the same home.
    let other = world.root().join("elsewhere");
    fs::rename(&home, &other).expect("moved");
    symlink(&other, &home).expect("linked");
    plans(&world, "claude", ".claude/plans/fox.md").passes();
}

// ---- what keeps hooks from running

/// The findings of `doctor` that are not in order.
fn faults(world: &World) -> Vec<String> {
    let said = world.person("doctor --json").said();
    let all: Vec<Value> = serde_json::from_str(&said.out).expect("JSON");
    let bad = all.iter().filter(|one| one["ok"] == json!(false));
    bad.map(|one| format!("{} ({})", one["detail"], one["fix"])).collect()
}

#[track_caller]
fn names_a_fault(world: &World, parts: &[&str]) {
    let all = faults(world);
    let named = all.iter().any(|fault| parts.iter().all(|part| fault.contains(part)));
    assert!(named, "no fault with {parts:?}: {all:#?}");
    assert_eq!(world.person("doctor").said().code, 1);
}

#[test]
fn doctor_and_init_name_a_sandbox_in_which_nothing_can_be_changed() {
    for file in ["../home/.codex/config.toml", ".codex/config.toml"] {
        let world = World::new();
        world.puts(file, "sandbox_mode = \"read-only\"\n");
        let told = world.person("init --host codex").succeeds();
        let named = "can change no file";
        assert!(told.contains(named) && told.contains("--sandbox workspace-write"), "{told}");
        assert!(told.lines().count() <= 8, "{told}");
        names_a_fault(&world, &[named, "--sandbox workspace-write"]);
        for mode in ["workspace-write", "danger-full-access"] {
            world.puts(file, &format!("sandbox_mode = \"{mode}\"\n"));
            assert!(!world.person("init --host codex").succeeds().contains(named));
            assert!(!world.person("doctor").said().out.contains(named), "{mode}");
        }
    }
}

#[test]
fn doctor_and_init_name_what_keeps_the_hooks_of_a_host_from_running() {
    let cases = [
        (
            "gemini",
            "../home/.gemini/settings.json",
            "{\"hooksConfig\":{\"enabled\":true,\"disabled\":[\"git-seed\"]}}",
            "hooksConfig.disabled",
        ),
        (
            "gemini",
            "../home/.gemini/settings.json",
            "{ // mine\n  \"hooksConfig\": { \"enabled\": false }\n}\n",
            "hooksConfig.enabled",
        ),
        (
            "gemini",
            "../home/.gemini/trustedFolders.json",
            "{\"@TOP@\":\"DO_NOT_TRUST\"}",
            "DO_NOT_TRUST",
        ),
        (
            "gemini",
            "../home/.gemini/trustedFolders.json",
            "{\"@ABOVE@\":\"DO_NOT_TRUST\"}",
            "DO_NOT_TRUST",
        ),
        (
            "claude",
            "../home/.claude/settings.json",
            "{\"disableAllHooks\":true}",
            "disableAllHooks",
        ),
        ("codex", "../home/.codex/config.toml", "[features]\nhooks = false\n", "features.hooks"),
        (
            "codex",
            "../home/.codex/config.toml",
            "[projects.\"@TOP@\"]\ntrust_level = \"untrusted\"\n",
            "untrusted",
        ),
        (
            "codex",
            "../home/.codex/config.toml",
            "[hooks.state.\"@TOP@/.codex/hooks.json:pre_tool_use:0:0\"]\nenabled = false\n",
            "enabled = false",
        ),
    ];
    for (host, file, text, named) in cases {
        let world = World::new();
        let text = text.replace("@TOP@", &world.repo().display().to_string());
        let text = text.replace("@ABOVE@", &world.root().display().to_string());
        world.puts(file, &text);
        let told = world.person(&format!("init --host {host}")).succeeds();
        assert!(told.contains("runs no hooks") && told.contains(named), "{host}: {told}");
        assert!(told.lines().count() <= 8, "{told}");
        names_a_fault(&world, &["runs no hooks", named]);
        world.sh(&format!("rm {file}"));
        assert!(!world.person(&format!("init --host {host}")).succeeds().contains("runs no hooks"));
    }
    // What is said nearer to the work tree goes before what is said at home.
    let world = World::seeded();
    world.puts("../home/.claude/settings.json", "{\"disableAllHooks\":true}");
    let own = ".claude/settings.local.json";
    let text = world.text(own);
    world.puts(own, &text.replacen('{', "{ \"disableAllHooks\": false,", 1));
    assert_eq!(faults(&world), Vec::<String>::new());
}

#[test]
fn doctor_misses_the_line_of_any_event() {
    let cases = [
        ("codex", ".codex/hooks.json", ["Stop", "PostToolUse"]),
        ("gemini", ".gemini/settings.json", ["AfterAgent", "SessionStart"]),
        ("claude", ".claude/settings.local.json", ["UserPromptSubmit", "PostToolUse"]),
    ];
    for (host, file, events) in cases {
        for event in events {
            let world = World::new();
            world.person(&format!("init --host {host}")).succeeds();
            let mut settings: Value = serde_json::from_str(&world.text(file)).expect("JSON");
            settings["hooks"].as_object_mut().expect("an object").remove(event);
            world.puts(file, &settings.to_string());
            names_a_fault(
                &world,
                &["does not have git seed's hook line for", event, "git seed init"],
            );
            world.person(&format!("init --host {host}")).succeeds();
            assert!(!faults(&world).iter().any(|fault| fault.contains("hook line for")));
        }
    }
    // A line for one tool alone is none for the others.
    let world = World::seeded();
    let file = ".claude/settings.local.json";
    let mut settings: Value = serde_json::from_str(&world.text(file)).expect("JSON");
    settings["hooks"]["PreToolUse"][0]["matcher"] = json!("Bash");
    world.puts(file, &settings.to_string());
    names_a_fault(&world, &["hook line for PreToolUse"]);
}

/// Puts the host in for the main checkout and links a worktree to it.
fn with_a_worktree(host: &str) -> (World, PathBuf) {
    let world = World::new();
    world.person(&format!("init --host {host}")).succeeds();
    world.git("worktree add -q ../wt2");
    let side = world.root().join("wt2");
    (world, side)
}

#[track_caller]
fn in_worktree(world: &World, line: &str, code: i32, expected: &str) -> String {
    let said = world.tries(&format!("cd ../wt2 && git seed {line}"));
    assert_eq!(said.code, code, "{line}: {said:?}");
    let all = format!("{}{}", said.out, said.err);
    assert!(all.contains(expected), "{line}: {expected}: {all}");
    all
}

#[test]
fn a_worktree_needs_hook_lines_of_its_own_where_the_host_reads_no_others() {
    for host in ["gemini", "opencode"] {
        let (world, _) = with_a_worktree(host);
        let said = in_worktree(&world, "doctor", 1, "in another worktree, but not in this one");
        assert!(said.contains(&format!("fix: git seed init --host {host}")), "{said}");
        assert!(!said.contains("a forbidden call was refused"), "{said}");
        in_worktree(&world, &format!("init --host {host}"), 0, "hook lines");
        in_worktree(&world, "doctor", 0, "a forbidden call was refused");
        // The one that has them is as sound as before.
        let said = world.person("doctor").succeeds();
        assert!(!said.contains("another worktree"), "{said}");
    }
}

/// Codex reads the lines of the main checkout, and only where the worktree has its directory.
#[test]
fn in_a_linked_worktree_codex_reads_the_lines_of_the_main_checkout() {
    let (world, side) = with_a_worktree("codex");
    let said = in_worktree(&world, "doctor", 1, "it reads the hook lines of the main checkout");
    assert!(said.contains("fix: git seed init --host codex"), "{said}");
    assert!(!said.contains("a forbidden call was refused"), "{said}");
    let said = in_worktree(&world, "init --host codex", 0, "without it Codex CLI reads no hook");
    assert!(said.contains("hook lines (there already)"), "{said}");
    assert!(side.join(".codex").is_dir() && !side.join(".codex/hooks.json").exists());
    assert_eq!(world.tries("cd ../wt2 && git status --porcelain").out, "");
    in_worktree(&world, "doctor", 0, "a forbidden call was refused");
    in_worktree(&world, "init --host codex --shared", 2, "run git seed init there, in ");
    world.person("uninstall").succeeds();
    assert!(!world.path(".codex").exists() && !side.join(".codex").exists());
}

#[test]
fn init_in_a_linked_worktree_puts_codex_in_where_it_reads() {
    let world = World::new();
    world.git("worktree add -q ../wt2");
    let side = world.root().join("wt2");
    in_worktree(&world, "init --host codex", 0, "hook lines");
    assert!(world.text(".codex/hooks.json").contains("git-seed"));
    assert_eq!(world.git("status --porcelain"), "");
    in_worktree(&world, "doctor", 0, "a forbidden call was refused");
    world.person("doctor").tells("a forbidden call was refused");
    // Lines that an older git seed left in the worktree are read by nobody, and go.
    let (lines, record) = (world.text(".codex/hooks.json"), world.text(".git/seed/install.toml"));
    fs::write(side.join(".codex/hooks.json"), lines).expect("writes");
    let here = side.join(".codex/hooks.json").display().to_string();
    let there = world.path(".codex/hooks.json").display().to_string();
    assert!(record.contains(&there), "{record}");
    let old = format!("[[settings]]\nhost = \"codex\"\npath = \"{here}\"\nundo = \"\"\n\n");
    world.puts(
        ".git/seed/install.toml",
        &record.replacen("[[settings]]", &(old + "[[settings]]"), 1),
    );
    in_worktree(&world, "init --host codex", 0, "does not read it in a linked worktree");
    assert!(!side.join(".codex/hooks.json").exists());
    // A file of the main checkout that is tracked there is the team's.
    let world = World::new();
    world.puts(".codex/hooks.json", "{}\n");
    world.git("add -f .codex/hooks.json");
    world.git("commit -qm settings");
    world.git("worktree add -q ../wt2");
    in_worktree(&world, "init --host codex", 2, "is tracked");
}

/// Claude Code loads the local settings of the main checkout in its worktrees, too.
#[test]
fn the_local_lines_of_the_main_checkout_hold_in_claudes_worktrees() {
    let (world, side) = with_a_worktree("claude");
    let said = in_worktree(&world, "doctor", 0, "a forbidden call was refused through ");
    assert!(said.contains(&world.path(".claude/settings.local.json").display().to_string()));
    assert!(!said.contains("another worktree"), "{said}");
    in_worktree(&world, "init", 0, "reads the hook lines of the main checkout here, too");
    assert!(!side.join(".claude/settings.local.json").exists());
    // Lines of the worktree alone are read there alone, and both are named.
    let world = World::new();
    world.git("worktree add -q ../wt2");
    let side = world.root().join("wt2");
    in_worktree(&world, "init", 0, "hook lines");
    let said = world.seed("doctor").said().out;
    assert!(said.contains("in another worktree, but not in this one"), "{said}");
    assert!(said.contains("fix: git seed init --host claude"), "{said}");
    world.person("init").succeeds();
    in_worktree(&world, "doctor", 1, "hook lines twice");
    in_worktree(&world, "init", 0, "each event would arrive twice");
    assert!(!side.join(".claude/settings.local.json").exists());
    in_worktree(&world, "doctor", 0, "a forbidden call was refused");
}

#[test]
fn why_tells_refusals_of_a_talk_that_came_to_no_work() {
    let world = World::seeded();
    world.person("why").tells("Nothing was refused.");
    world.prompt("Fix the lexer: quoted strings lose their escapes");
    world.writes(CODE, "fn lex() {}\n").refuses("BLOCKED");
    world.ends();
    assert_eq!(world.json("job list --all")[0]["status"], "voided");
    world.person("why").tells("Write src/parser/lex.rs");
    // A talk in which nothing was refused says nothing, and keeps nothing quiet.
    world.session("5b1de4ab-6f4e-4a21-9c6b-0e6ad28f4d0f");
    world.starts();
    world.prompt("What does the lexer do with blanks?");
    world.ends();
    world.person("why").tells("Write src/parser/lex.rs");
}

/// A home below a scratch folder, as in containers: what configures the person's programs there is
/// no scratch, and what else lies there is.
#[test]
fn what_configures_a_persons_programs_is_scratch_nowhere() {
    let world = World::seeded();
    let root = world.root().canonicalize().expect("it is there");
    world.puts("seed.toml", &format!("scratch = [\"{}/\"]\n", root.display()));
    world.git("add seed.toml");
    world.git("commit -qm rules");
    world.person("rules apply").succeeds();
    world.prompt("Fix the lexer: quoted strings lose their escapes");
    let home = world.root().join("home");
    // Git is told of this one by its variable, where it is there.
    world.puts("../gitconfig", "");
    let binary = PathBuf::from(env!("CARGO_BIN_EXE_git-seed"));
    let writes = |path: PathBuf| {
        let input = json!({ "file_path": path, "content": "x" });
        world.before("Write", &input, &world.next_call())
    };
    for path in [
        home.join(".claude/settings.json"),
        home.join(".codex/config.toml"),
        home.join(".gitconfig"),
        home.join(".bashrc"),
        home.join(".config/git/config"),
        home.join(".ssh/authorized_keys"),
        world.root().join("gitconfig"),
        binary,
    ] {
        let said = writes(path.clone());
        assert!(said.refusal().is_some(), "{}: {said:?}", path.display());
    }
    writes(world.root().join("notes.txt")).passes();
    let line = format!("echo x >> {}", home.join(".bashrc").display());
    world.before("Bash", &json!({ "command": line }), &world.next_call()).refuses("BLOCKED");
}

#[test]
fn init_takes_the_one_host_that_a_home_shows() {
    for (dirs, expected) in [
        (&[".codex"][..], ".codex/hooks.json"),
        (&[".gemini"], ".gemini/settings.json"),
        (&[".config/opencode"], ".opencode/plugins/git-seed.js"),
        (&[".claude"], ".claude/settings.local.json"),
        // Several, or one that nobody tried: as where the home shows none.
        (&[".codex", ".gemini"], ".claude/settings.local.json"),
        (&[".cursor"], ".claude/settings.local.json"),
    ] {
        let world = World::new();
        for dir in dirs {
            fs::create_dir_all(world.root().join("home").join(dir)).expect("made");
        }
        world.person("init").tells(expected);
        let files = [
            ".codex/hooks.json",
            ".gemini/settings.json",
            ".opencode/plugins/git-seed.js",
            ".claude/settings.local.json",
        ];
        let there: Vec<_> = files.into_iter().filter(|file| world.path(file).exists()).collect();
        assert_eq!(there, [expected], "{dirs:?}");
        assert_eq!(world.git("status --porcelain"), "");
    }
    // What the repository shows is put in as well.
    let world = World::new();
    fs::create_dir_all(world.root().join("home/.codex")).expect("made");
    fs::create_dir_all(world.path(".gemini")).expect("made");
    world.person("init").tells("found     Codex CLI, Gemini CLI");
    assert!(!world.path(".claude/settings.local.json").exists());
}

#[test]
fn doctor_says_what_each_host_cannot_do() {
    for (host, limits) in [
        ("cursor", "Cursor: it does not hold the turn; it cannot ask you about an act"),
        ("gemini", "started below the top directory it runs no hook"),
    ] {
        let world = World::new();
        world.person(&format!("init --host {host}")).succeeds();
        let said = world.seed("doctor").said().out;
        assert!(said.contains(limits), "{host}: {said}");
    }
}

// ---- settings with comments, and settings that are links

const COMMENTED: &str = r#"{
  // the theme I like
  "theme": "x", /* both */
  "hooks": { // mine
    "AfterAgent": [ // none yet
    ]
  } // end
}
"#;

#[test]
fn comments_of_a_settings_file_stay_byte_for_byte() {
    let only = "{ // nothing yet\n}\n".to_owned();
    let crlf = COMMENTED.replace('\n', "\r\n");
    for before in [COMMENTED.to_owned(), only, crlf] {
        let world = World::new();
        let file = ".gemini/settings.json";
        world.puts(file, &before);
        world.person("init --host gemini").tells("hook lines");
        let with = world.text(file);
        assert_eq!(with.matches("//").count(), before.matches("//").count(), "{with}");
        world.person("doctor").tells("a forbidden call was refused through .gemini/settings.json");
        world.person("init --host gemini").tells("hook lines (there already)");
        world.person("uninstall").succeeds();
        assert_eq!(world.text(file), before);
    }
}

#[test]
fn a_comment_that_came_later_keeps_no_line_of_ours_there() {
    for (host, file) in [
        ("gemini", ".gemini/settings.json"),
        ("claude", ".claude/settings.local.json"),
        ("codex", ".codex/hooks.json"),
    ] {
        let world = World::new();
        world.puts(file, "{\n  \"theirs\": 1\n}\n");
        world.person(&format!("init --host {host}")).succeeds();
        let text = world.text(file);
        let spoiled = text.replacen("\"hooks\": {", "\"hooks\": { // keep me", 1);
        let spoiled = spoiled.replacen("{\n", "{\n  /* and me */\n", 1);
        world.puts(file, &spoiled);
        world.person("uninstall").succeeds();
        let left = world.text(file);
        assert!(!left.contains("git-seed"), "{host}: {left}");
        for part in ["keep me", "and me", "\"theirs\": 1"] {
            assert!(left.contains(part), "{host}: {part}: {left}");
        }
    }
}

#[test]
fn settings_that_a_host_could_not_read_are_left_with_the_next_step() {
    for (host, file) in [("claude", ".claude/settings.local.json"), ("codex", ".codex/hooks.json")]
    {
        let world = World::new();
        world.puts(file, "{ // mine\n}\n");
        let said = world.person(&format!("init --host {host}")).fails("take it out");
        assert!(said.contains("git seed init again") && said.contains(":1:3: "), "{said}");
        assert_eq!(world.text(file), "{ // mine\n}\n");
    }
    let world = World::new();
    world.puts(".gemini/settings.json", "{ \"a\": 1, }\n");
    world.person("init --host gemini").fails("git seed init again");
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_to_nothing_yet_stays_the_persons() {
    use std::os::unix::fs::symlink;
    for (host, file) in [
        ("claude", ".claude/settings.local.json"),
        ("gemini", ".gemini/settings.json"),
        ("opencode", ".opencode/plugins/git-seed.js"),
    ] {
        let world = World::new();
        let target = world.root().join("dotfiles/of/mine.json");
        let link = world.path(file);
        fs::create_dir_all(link.parent().expect("a directory")).expect("made");
        symlink(&target, &link).expect("linked");
        world.person(&format!("init --host {host}")).succeeds();
        assert!(target.is_file(), "{host}: it leads somewhere now");
        world.person("uninstall").succeeds();
        assert_eq!(fs::read_link(&link).expect("the link is there"), target, "{host}");
        assert!(!world.root().join("dotfiles").exists(), "{host}: as it was");
    }
}

#[cfg(unix)]
#[test]
fn a_folder_that_is_a_link_is_named_before_anything_is_written() {
    use std::os::unix::fs::symlink;
    for (host, dir) in
        [("claude", ".claude"), ("codex", ".codex"), ("gemini", ".gemini"), ("codex", ".claude")]
    {
        let world = World::new();
        let target = world.root().join("config");
        fs::create_dir_all(&target).expect("made");
        symlink(&target, world.path(dir)).expect("linked");
        let said = world.person(&format!("init --host {host}")).said();
        assert_eq!(said.code, 2, "{said:?}");
        assert!(said.err.contains(&format!("{dir} is a link")), "{said:?}");
        assert_eq!(fs::read_dir(&target).expect("there").count(), 0, "{host}");
        assert!(!world.path(".git/seed/install.toml").exists(), "{host}");
    }
}

#[test]
fn a_blank_file_in_the_place_of_a_plugin_is_blank_again() {
    for before in ["", "\n", "  \n"] {
        let world = World::new();
        let file = ".opencode/plugins/git-seed.js";
        world.puts(file, before);
        world.person("init --host opencode").succeeds();
        assert!(world.text(file).contains("hook"));
        world.person("uninstall").succeeds();
        assert!(world.path(file).is_file(), "{before:?}");
        assert_eq!(world.text(file), before);
    }
}

// ---- an event that comes twice, and a payload that is another client's

/// Hands the same bytes over twice at once, as two registrations of a host do.
fn twice(world: &World, host: &str, event: &str, payload: &Value) -> Vec<String> {
    fs::write(world.root().join("payload"), payload.to_string()).expect("written");
    let hook = format!("git-seed hook {host} {event} <../payload");
    world.sh(&format!("{hook} >../one & {hook} >../two; wait"));
    ["one", "two"].map(|name| world.text(&format!("../{name}"))).to_vec()
}

#[test]
fn a_refusal_of_a_host_without_ids_that_comes_twice_is_counted_once() {
    let (file, x) = (json!("src/parser/lex.rs"), json!("x"));
    for (host, begins, event, fields) in [
        (
            "gemini",
            "SessionStart",
            "BeforeTool",
            json!({ "tool_name": "write_file", "tool_input": { "file_path": file, "content": x } }),
        ),
        (
            "copilot",
            "sessionStart",
            "preToolUse",
            json!({ "toolName": "create", "toolArgs": { "path": file, "file_text": "x" } }),
        ),
        (
            "droid",
            "SessionStart",
            "PreToolUse",
            json!({ "tool_name": "Create", "tool_input": { "file_path": file, "content": x } }),
        ),
    ] {
        let world = World::prompted();
        // The session that drives the job: what another one is refused counts for nothing.
        let driver = "e2fc06a6-4aaf-49f6-8712-117cd08f9339";
        world.hears(host, begins, &json!({ "source": "startup" }));
        let mut payload = json!({ "cwd": world.repo() });
        let ids: &[&str] =
            if host == "copilot" { &["sessionId"] } else { &["session_id", "hook_event_name"] };
        for id in ids {
            payload[*id] = if *id == "hook_event_name" { json!(event) } else { json!(driver) };
        }
        for (key, value) in fields.as_object().expect("an object") {
            payload[key] = value.clone();
        }
        let before = world.json("status")["cost"]["refusals"].as_u64().expect("a number");
        for said in twice(&world, host, event, &payload) {
            assert!(said.contains("BLOCKED"), "{host}: {said}");
        }
        let count = || world.json("status")["cost"]["refusals"].as_u64().expect("a number");
        assert_eq!(count(), before + 1, "{host}");
        let why = world.json("why --last 9");
        assert_eq!(why.as_array().expect("a list").len(), 1, "{host}: {why}");
        // Later it is another call.
        world.minute();
        twice(&world, host, event, &payload);
        assert_eq!(count(), before + 2, "{host}");
    }
}

#[test]
fn a_refusal_that_comes_twice_is_written_down_once_where_no_job_is_kept() {
    let world = World::new();
    world.person("init --host gemini --mode fence").succeeds();
    let payload = json!({ "session_id": "s", "hook_event_name": "BeforeTool", "cwd": world.repo(),
        "tool_name": "run_shell_command", "tool_input": { "command": "cat .git/seed/x" } });
    for said in twice(&world, "gemini", "BeforeTool", &payload) {
        assert!(said.contains("deny"), "{said}");
    }
    assert_eq!(world.json("why --last 9").as_array().expect("a list").len(), 1);
}

#[test]
fn a_line_that_another_client_loads_says_nothing_in_words_it_does_not_know() {
    let fixtures = [
        (
            "vscode",
            "PreToolUse",
            json!({ "hook_event_name": "PreToolUse", "session_id": "c",
            "timestamp": "2026-10-09T08:53:20.000Z", "tool_name": "Read",
            "tool_input": { "path": "src/parser/lex.rs" } }),
        ),
        (
            "vscode",
            "PreToolUse",
            json!({ "hook_event_name": "PreToolUse", "session_id": "c",
            "tool_name": "Bash", "tool_input": { "command": "ls", "description": "Look" } }),
        ),
        (
            "vscode",
            "UserPromptSubmit",
            json!({ "hook_event_name": "UserPromptSubmit",
            "session_id": "c", "prompt": "add a parser" }),
        ),
        (
            "vscode",
            "Stop",
            json!({ "hook_event_name": "Stop", "session_id": "c",
            "stop_hook_active": false }),
        ),
        (
            "copilot",
            "preToolUse",
            json!({ "hookEventName": "PreToolUse", "sessionId": "v",
            "tool_name": "run_in_terminal", "tool_input": { "command": "ls" } }),
        ),
        (
            "copilot",
            "userPromptSubmitted",
            json!({ "hookEventName": "UserPromptSubmit",
            "sessionId": "v", "prompt": "add a parser" }),
        ),
        (
            "claude",
            "PreToolUse",
            json!({ "hookEventName": "PreToolUse", "sessionId": "v",
            "tool_name": "readFile", "tool_input": { "filePath": "src/parser/lex.rs" } }),
        ),
        (
            "claude",
            "preToolUse",
            json!({ "hook_event_name": "preToolUse",
            "conversation_id": "k", "tool_name": "Shell", "tool_input": { "command": "ls" } }),
        ),
    ];
    for (host, event, mut payload) in fixtures {
        let world = World::prompted();
        payload["cwd"] = json!(world.repo());
        let before = world.json("job list");
        for said in twice(&world, host, event, &payload) {
            assert_eq!(said, "", "{host} {payload}");
        }
        assert_eq!(world.json("job list"), before, "{host} {payload}");
    }
    // In its own words each is judged as ever.
    let world = World::prompted();
    for (host, event, payload) in [
        (
            "vscode",
            "PreToolUse",
            json!({ "hookEventName": "PreToolUse", "sessionId": "v",
            "cwd": world.repo(), "tool_use_id": "1", "tool_name": "create_file",
            "tool_input": { "filePath": world.path(CODE), "content": "x" } }),
        ),
        (
            "copilot",
            "preToolUse",
            json!({ "sessionId": "c", "cwd": world.repo(),
            "toolName": "create", "toolArgs": { "path": CODE, "file_text": "x" } }),
        ),
    ] {
        assert!(twice(&world, host, event, &payload)[0].contains("BLOCKED"), "{host}");
    }
}

#[test]
fn what_a_prompt_answers_is_told_at_the_next_event_that_has_room() {
    let cases = [
        (
            "cursor",
            "beforeSubmitPrompt",
            "postToolUse",
            "sessionStart",
            json!({ "tool_name": "Read", "tool_input": { "file_path": "todo.txt" } }),
        ),
        (
            "copilot",
            "userPromptSubmitted",
            "postToolUse",
            "sessionStart",
            json!({ "toolName": "view", "toolArgs": { "path": "todo.txt" } }),
        ),
    ];
    for (host, prompt, after, begins, read) in cases {
        let world = World::seeded();
        let context = |reply: &super::world::Reply| {
            let keys = ["additional_context", "additionalContext"];
            let all = keys.iter().filter_map(|key| reply.json()[*key].as_str());
            all.collect::<String>()
        };
        world.hears(host, begins, &json!({ "source": "startup" }));
        let said = world.hears(host, prompt, &json!({ "prompt": "Mend the lexer" }));
        assert!(said.is_silent(), "{host}: {said:?}");
        let words = || world.json("status")["cost"]["words"].as_u64().expect("a number");
        assert_eq!(words(), 0, "{host}: nothing was told yet");
        let told = context(&world.hears(host, after, &read));
        assert!(told.contains("git seed phase advance"), "{host}: {told}");
        assert!(words() > 0, "{host}");
        let counted = words();
        let again = context(&world.hears(host, after, &read));
        assert!(!again.contains("git seed phase advance"), "{host}: once: {again}");
        assert_eq!(words(), counted, "{host}");
        // The hand-off after the third refused stop reaches the person by way of the agent.
        world.seed("phase advance").succeeds();
        let stop = if host == "cursor" { "stop" } else { "agentStop" };
        for _ in 0..3 {
            assert!(world.hears(host, stop, &json!({})).refusal().is_some(), "{host}");
        }
        assert!(world.hears(host, stop, &json!({})).is_silent(), "{host}");
        let told = context(&world.hears(host, after, &read));
        assert!(told.contains("open"), "{host}: {told}");
    }
}

// ---- small things

#[test]
fn a_trial_of_doctors_is_not_in_why() {
    for init in ["init", "init --mode fence"] {
        let world = World::new();
        world.person(init).succeeds();
        world.prompt("Mend the lexer");
        world.person("doctor").tells("a forbidden call was refused");
        assert_eq!(world.json("why"), json!([]), "{init}");
    }
}

#[test]
fn a_text_from_elsewhere_is_not_granted_unasked() {
    let world = World::prompted();
    world.puts("note.txt", "x\n");
    for (line, granted) in [
        ("git seed summary submit -F note.txt", true),
        ("git seed summary submit -F -", true),
        ("git seed phase advance -m x", true),
        ("git seed summary submit -F /etc/passwd", false),
        ("git seed summary submit --file=/etc/passwd", false),
        ("git seed summary submit -F/etc/passwd", false),
        ("git seed phase advance -F ../../home/.ssh/id", false),
        ("git seed status && git seed compact append Notes -F /etc/passwd", false),
        ("git seed phase advance -F .git/config", false),
    ] {
        let reply = world.before("Bash", &json!({ "command": line }), &world.next_call());
        assert_eq!(reply.grants(), granted, "{line}: {reply:?}");
    }
}

// ---- what a person hears of a host

#[test]
fn a_program_that_no_agent_finds_is_named() {
    let world = World::new();
    let binary = env!("CARGO_BIN_EXE_git-seed");
    let told = world.sh(&format!("PATH=/usr/bin:/bin {binary} init --host claude"));
    assert!(told.contains("this shell finds no git-seed on its PATH"), "{told}");
    assert!(told.contains("in the profile of your shell"), "{told}");
    assert!(!world.sh(&format!("{binary} init --host claude")).contains("on its PATH"));
    let said = world.tries(&format!("PATH=/usr/bin:/bin {binary} doctor"));
    assert!(said.code == 1 && said.out.contains("NO  path"), "{said:?}");
    world.puts("../other/git-seed", "#!/bin/sh\n");
    world.sh("chmod +x ../other/git-seed");
    let said = world.tries(&format!("PATH=$(realpath ../other):$PATH {binary} doctor"));
    assert!(said.out.contains("finds another git-seed than this one"), "{said:?}");
}

/// What `doctor` prints at a terminal of the person's.
#[cfg(target_os = "linux")]
fn doctor_at_a_terminal(world: &World) -> String {
    world.sh("script -qfec 'git-seed doctor >../told' /dev/null </dev/null >/dev/null; cat ../told")
}

#[cfg(target_os = "linux")]
#[test]
fn the_login_shell_is_asked_at_a_terminal_and_never_waited_for() {
    let user = rustix::process::getuid().as_raw().to_string();
    let known = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let row = known.lines().find(|row| row.split(':').nth(2) == Some(user.as_str()));
    if !row.is_some_and(|row| row.ends_with("/bash") || row.ends_with("/sh")) {
        super::skip::not_here("a login shell that reads a profile");
        return;
    }
    let world = World::seeded();
    let profile = |text: &str| {
        world.puts("../home/.profile", text);
        world.puts("../home/.bash_profile", text);
    };
    profile("PATH=/nowhere\n");
    let told = doctor_at_a_terminal(&world);
    assert!(told.contains("NO  path") && told.contains("your login shell"), "{told}");
    // Without a terminal nobody is asked.
    assert!(!world.person("doctor").said().out.contains("login shell"));
    let dir = std::path::Path::new(env!("CARGO_BIN_EXE_git-seed")).parent().expect("a directory");
    profile(&format!("PATH={}:$PATH\n", dir.display()));
    assert!(!doctor_at_a_terminal(&world).contains("login shell"));
    profile("sleep 100\n");
    let begun = std::time::Instant::now();
    assert!(!doctor_at_a_terminal(&world).contains("login shell"));
    assert!(begun.elapsed().as_secs() < 60, "{:?}", begun.elapsed());
}

#[test]
fn init_names_the_hosts_that_a_home_shows() {
    for (dirs, titles, options) in [
        (&[".codex", ".gemini"][..], "Codex CLI, Gemini CLI", "--host codex --host gemini"),
        (&[".claude", ".config/opencode"], "opencode", "--host claude --host opencode"),
    ] {
        let world = World::new();
        for dir in dirs {
            fs::create_dir_all(world.root().join("home").join(dir)).expect("made");
        }
        let told = world.person("init").succeeds();
        let (verb, shows) = if dirs.contains(&".claude") {
            ("found", format!("your home also shows {titles}; "))
        } else {
            ("chose", format!("nothing shows it here; your home shows {titles}: "))
        };
        assert!(told.starts_with(&format!("{verb}     Claude Code ")), "{told}");
        assert!(told.contains(&shows), "{told}");
        assert!(told.contains(&format!("git seed init {options}")), "{told}");
        assert!(told.lines().count() <= 8, "{told}");
        let told = world.person(&format!("init {options}")).succeeds();
        assert!(told.starts_with("found") && !told.contains("your home"), "{told}");
    }
    let world = World::new();
    fs::create_dir_all(world.root().join("home/.claude")).expect("made");
    let told = world.person("init").succeeds();
    assert!(told.starts_with("found") && !told.contains("your home"), "{told}");
    // Nothing shows the usual one.
    let world = World::new();
    let told = world.person("init").succeeds();
    assert!(told.starts_with("chose     Claude Code "), "{told}");
    assert!(told.contains("nothing here or in your home shows a host"), "{told}");
    // One that the repository shows is enough.
    let world = World::new();
    fs::create_dir_all(world.path(".gemini")).expect("made");
    world.person("init").tells("found     Gemini CLI\n");
    assert!(!world.path(".claude/settings.local.json").exists());
}

#[test]
fn init_says_what_others_need_of_it() {
    let world = World::new();
    let told = world.person("init").succeeds();
    assert!(told.contains("no commit was made, git status is unchanged"), "{told}");
    let told = world.person("init --shared").succeeds();
    assert!(told.contains("once you commit what it wrote: git seed init --shared --commit"));
    assert!(!told.contains("git status is unchanged"), "{told}");
    assert_ne!(world.git("status --porcelain"), "");
    let told = world.person("init --shared --commit").succeeds();
    assert!(!told.contains("once you commit") && !told.contains("no commit"), "{told}");
    assert_eq!(world.git("status --porcelain"), "");
    world.git("cat-file -e HEAD:.claude/settings.json");
}

#[test]
fn a_host_that_never_ran_a_hook_is_no_host_in_order() {
    for (host, title) in
        [("codex", "Codex CLI"), ("gemini", "Gemini CLI"), ("opencode", "opencode")]
    {
        let world = World::new();
        world.person(&format!("init --host {host}")).succeeds();
        let told = world.person("status").succeeds();
        assert!(told.contains(&format!("{title}: no hook of it has ever run here; it ")), "{told}");
        assert_eq!(world.json("status")["unfired"].as_array().expect("a list").len(), 1);
        let told = world.person("doctor").succeeds();
        let line = format!("??  host         {title} has not run its hooks here yet");
        assert!(told.contains(&line), "{told}");
        let begins = if host == "opencode" { "session.start" } else { "SessionStart" };
        world.hears(host, begins, &json!({ "source": "startup" }));
        assert_eq!(world.json("status")["unfired"], json!([]), "{host}");
        assert!(!world.person("doctor").succeeds().contains("?? "), "{host}");
    }
}

#[test]
fn doctor_says_what_a_host_cannot_do_and_with_what_it_was_tried() {
    for (host, line) in [
        ("claude", "Claude Code: tried with 2.1.x; it can do all that git seed asks of a host"),
        ("codex", "Codex CLI: tried with 0.169.x; it cannot ask you about an act"),
        ("gemini", "Gemini CLI: tried with 0.61.x; it cannot ask you about an act"),
        ("opencode", "opencode: tried with 1.18.x; it does not hold the turn; it cannot ask you"),
    ] {
        let world = World::new();
        world.person(&format!("init --host {host}")).succeeds();
        world.person("doctor").tells(line);
    }
}

/// What each client says of itself, with its version in it: the one that was tried, a later one of
/// the same line, and another one.
const VERSIONS: [(&str, &str, &str, &str); 4] = [
    ("claude", "Claude Code", "2.1", "{} (Claude Code)"),
    ("codex", "Codex CLI", "0.169", "codex-cli {}"),
    ("gemini", "Gemini CLI", "0.61", "{}"),
    ("opencode", "opencode", "1.18", "{}"),
];

#[cfg(target_os = "linux")]
#[test]
fn another_version_than_the_one_that_was_tried_is_named() {
    for (host, title, tried, told_as) in VERSIONS {
        let row = git_seed::hosts::row(host).expect("it loads");
        let exact = row.tried.as_deref().expect("it was tried");
        assert!(exact.starts_with(&format!("{tried}.")), "{host}: {exact}");
        let world = World::new();
        world.person(&format!("init --host {host}")).succeeds();
        let tool = format!("../bin/{host}");
        let says = |version: &str| {
            let line = told_as.replace("{}", version);
            world.puts(&tool, &format!("#!/bin/sh\necho ran >>../started\necho '{line}'\n"));
            world.sh(&format!("chmod +x {tool}"));
            let line = "script -qfec 'git-seed doctor >../told' /dev/null </dev/null >/dev/null";
            world.sh(&format!("PATH=$(realpath ../bin):$PATH {line}; cat ../told"))
        };
        let begins = if host == "opencode" { "session.start" } else { "SessionStart" };
        let starts = || world.hears(host, begins, &json!({ "source": "startup" }));
        for outside in ["3.7.0", &format!("{tried}1.0")] {
            let line = format!("{title} is {outside} here, and was tried with {tried}.x");
            let told = says(outside);
            assert_eq!(told.lines().filter(|told| told.contains(&line)).count(), 1, "{told}");
            let reply = starts();
            let person = reply.to_person().expect("the person is told");
            assert_eq!(person.lines().filter(|told| told.contains(&line)).count(), 1, "{person}");
        }
        for inside in [exact, &format!("{tried}.9999")] {
            assert!(!says(inside).contains("here, and was tried with"), "{host} {inside}");
            assert!(starts().to_person().is_none_or(|told| !told.contains("was tried with")));
        }
        // A hook starts no client to ask it.
        let asked = world.sh("cat ../started");
        world.puts(&tool, "#!/bin/sh\necho ran >>../started\n");
        starts();
        assert_eq!(world.sh("cat ../started"), asked, "{host}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn init_at_a_terminal_asks_so_that_the_first_session_knows() {
    let world = World::new();
    world.puts("../bin/claude", "#!/bin/sh\necho '3.7.0 (Claude Code)'\n");
    let line =
        "script -qfec 'git-seed init --host claude >../told' /dev/null </dev/null >/dev/null";
    let path = "chmod +x ../bin/claude; PATH=$(realpath ../bin):$PATH";
    let told = world.sh(&format!("{path} {line}; cat ../told"));
    let said = "is 3.7.0 here, and was tried with 2.1.x";
    let note = told.lines().find(|line| line.contains(said));
    assert!(note.is_some_and(|line| line.starts_with("note      Claude Code ")), "{told}");
    let reply = world.hears("claude", "SessionStart", &json!({ "source": "startup" }));
    assert!(reply.to_person().is_some_and(|told| told.contains(said)));
}

/// A hook knows no version of a client that nobody has asked, and says nothing then.
#[test]
fn a_client_that_was_never_asked_is_not_called_another_version() {
    for (host, title, ..) in VERSIONS {
        let world = World::new();
        world.person(&format!("init --host {host}")).succeeds();
        let begins = if host == "opencode" { "session.start" } else { "SessionStart" };
        let told = world.hears(host, begins, &json!({ "source": "startup" }));
        assert!(told.to_person().is_none_or(|told| !told.contains(title)), "{host}");
    }
}

/// opencode sends no event when it ends: its plugin is told, and hands that over while its process
/// can still be seen.
#[test]
fn a_session_of_opencode_ends_with_opencode() {
    let world = World::new();
    if !world.tries("node --version").out.starts_with('v') {
        super::skip::not_here("node");
        return;
    }
    world.person("init --host opencode").succeeds();
    let plugin = world.text(".opencode/plugins/git-seed.js");
    world.puts("../plugin.mjs", &plugin);
    let play = r#"
        import { readdirSync } from "node:fs"
        import { GitSeed } from "./plugin.mjs"
        const session = { get: async () => ({ data: {} }), messages: async () => ({ data: [] }) }
        const tui = { showToast: async () => {} }
        const client = { session, tui }
        const hooks = await GitSeed({ client, directory: process.cwd() })
        const lives = (when) => console.log(when, readdirSync(".git/seed/sessions").length)
        const parts = [{ type: "text", id: "a", text: "where is the lexer?" }]
        for (const sessionID of ["one", "two"])
          await hooks["chat.message"]({ sessionID }, { parts: [...parts] })
        lives("said")
        await hooks.dispose()
        await hooks.dispose()
        lives("over")
    "#;
    world.puts("../play.mjs", play);
    let said = world.tries("node ../play.mjs");
    assert_eq!(said.out, "said 2\nover 0\n", "{said:?}");
    let ends = world.text(".git/seed/lives.toml");
    assert_eq!(ends.matches("[[life]]").count(), 2, "{ends}");
    assert!(!ends.contains("late = true"), "nobody had to find out: {ends}");
}
