//! `git seed plugin`: what it writes, that a host of another repository hears nothing of it, and
//! that `init` and `doctor` say where one is on.

use std::fs;

use serde_json::{Value, json};

use super::world::{World, tree_of};

const HOSTS: [&str; 3] = ["claude", "gemini", "opencode"];

fn hook_lines(world: &World, dir: &str) -> Value {
    serde_json::from_str(&world.text(&format!("{dir}/hooks/hooks.json"))).expect("JSON")
}

#[test]
fn a_plugin_is_one_directory_and_writing_it_again_changes_nothing() {
    for host in HOSTS {
        let world = World::new();
        let told = world.seed(&format!("plugin --for {host} --to ../plug")).succeeds();
        assert!(told.contains("next      read ../plug/README.md"), "{told}");
        let made = tree_of(&world.root().join("plug"), &|_| false);
        assert!(made.len() > 2, "{host}: {made:?}");
        world.seed(&format!("plugin --for {host} --to ../plug")).succeeds();
        assert_eq!(tree_of(&world.root().join("plug"), &|_| false), made, "{host}");
        let json = world.json(&format!("plugin --for {host} --to ../plug"));
        assert_eq!(json["host"], host);
        assert!(json["files"].as_array().is_some_and(|files| files.len() > 2), "{json}");
        assert_eq!(world.git("status --porcelain"), "", "{host}: the repository is left alone");
    }
}

#[test]
fn what_lies_there_already_is_left_alone() {
    let world = World::new();
    let makes = "plugin --for claude --to ../plug";
    for (line, named) in [
        ("mkdir -p ../plug && echo mine > ../plug/notes.txt", "../plug/notes.txt"),
        ("mkdir -p ../plug/hooks && echo '{}' > ../plug/hooks/hooks.json", "hooks/hooks.json"),
        ("mkdir -p ../plug && ln -s /etc/hostname ../plug/README.md", "../plug/README.md"),
        ("echo mine > ../plug", "../plug"),
        ("mkdir ../elsewhere; ln -s elsewhere ../plug", "../plug"),
    ] {
        world.sh(line);
        let before = world.sh("ls -RA ../plug; cat ../plug/* 2>/dev/null || true");
        let told = world.seed(makes).ends(2, "choose a directory that is new or empty");
        assert!(told.contains(named), "{line}: {told}");
        assert_eq!(world.sh("ls -RA ../plug; cat ../plug/* 2>/dev/null || true"), before);
        world.sh("rm -rf ../plug ../elsewhere");
    }
    // An empty one, and one of an older half that was written the same, are fine.
    world.sh("mkdir ../plug");
    world.seed(makes).succeeds();
    world.sh("rm ../plug/hooks/hooks.json");
    world.seed(makes).succeeds();
    assert!(world.root().join("plug/hooks/hooks.json").is_file());
}

#[test]
fn hosts_without_plugins_are_named() {
    let world = World::new();
    for host in ["codex", "cursor", "copilot", "vscode", "droid"] {
        let told = world.seed(&format!("plugin --for {host} --to ../plug")).said();
        assert_eq!(told.code, 64, "{told:?}");
        assert!(told.err.contains("hosts that take one: claude, gemini, opencode"), "{told:?}");
    }
    assert_eq!(world.seed("plugin --for emacs --to ../plug").said().code, 64);
    assert_eq!(world.seed("plugin --for claude").said().code, 64);
    assert!(!world.root().join("plug").exists());
}

/// The shape that Claude Code 2.1.330 and Gemini CLI 0.61.0 take; their own validators are asked
/// where they are at hand, by hand.
#[test]
fn manifests_and_hooks_have_the_shape_that_hosts_read() {
    let world = World::new();
    world.seed("plugin --for claude --to ../c").succeeds();
    world.seed("plugin --for gemini --to ../g").succeeds();
    world.seed("plugin --for opencode --to ../o").succeeds();
    let read = |path: &str| -> Value { serde_json::from_str(&world.text(path)).expect(path) };
    let plugin = read("../c/.claude-plugin/plugin.json");
    let market = read("../c/.claude-plugin/marketplace.json");
    assert_eq!(plugin["name"], market["plugins"][0]["name"]);
    assert_eq!(market["plugins"][0]["source"], "./");
    assert!(market["owner"]["name"].is_string() && plugin["version"] == env!("CARGO_PKG_VERSION"));
    let known = ["name", "version", "description", "author", "license", "keywords"];
    let keys = plugin.as_object().expect("an object").keys();
    assert!(keys.into_iter().all(|key| known.contains(&key.as_str())), "{plugin}");
    for (dir, program) in [("../c", "git-seed"), ("../g", "git-seed hook gemini ")] {
        let lines = hook_lines(&world, dir);
        assert_eq!(lines.as_object().expect("an object").len(), 1, "hooks alone: {lines}");
        for (event, groups) in lines["hooks"].as_object().expect("by event") {
            let line = &groups[0]["hooks"][0];
            assert_eq!(line["type"], "command", "{event}");
            let command = line["command"].as_str().expect("a command");
            assert!(command.starts_with(program), "{event}: {command}");
            assert!(line["timeout"].is_u64(), "{event}");
        }
    }
    let extension = read("../g/gemini-extension.json");
    assert_eq!(
        (&extension["name"], &extension["version"]),
        (&json!("git-seed"), &plugin["version"])
    );
    assert!(world.text("../g/GEMINI.md").lines().count() <= 4, "it is read in every repository");
    let package = read("../o/package.json");
    let main = package["main"].as_str().expect("a file");
    assert!(world.text(&format!("../o/{main}")).contains("const SEED = \"git-seed\"\n"));
    assert_eq!(package["files"], json!([main]));
}

/// The line of a plugin as a host runs it, in a repository where nobody put git seed in.
#[test]
fn a_plugin_says_nothing_where_git_seed_is_not_installed() {
    let world = World::new();
    world.seed("plugin --for claude --to ../c").succeeds();
    let lines = hook_lines(&world, "../c");
    let before = world.sh("ls -A .git; git for-each-ref; git status --porcelain");
    for (event, groups) in lines["hooks"].as_object().expect("by event") {
        let line = &groups[0]["hooks"][0];
        let mut words = vec![line["command"].as_str().expect("a program").to_owned()];
        words.extend(
            line["args"]
                .as_array()
                .expect("words")
                .iter()
                .map(|word| word.as_str().expect("a word").to_owned()),
        );
        let payload = world.payload(
            event,
            &json!({ "prompt": "fix the lexer", "source": "startup", "tool_name": "Write",
                "tool_use_id": "t1",
                "tool_input": { "file_path": world.path("x"), "content": "x" } }),
        );
        fs::write(world.root().join("payload"), payload).expect("it is written");
        let said = world.tries(&format!("{} < ../payload", words.join(" ")));
        assert_eq!((said.code, said.out.as_str(), said.err.as_str()), (0, "", ""), "{event}");
    }
    let after = world.sh("ls -A .git; git for-each-ref; git status --porcelain");
    assert_eq!(after, before, "it leaves no trace");
}

#[test]
fn init_and_doctor_say_that_a_plugin_is_on_beside_the_hook_lines() {
    let world = World::new();
    let home = |path: &str, text: &str| {
        let file = world.root().join("home").join(path);
        fs::create_dir_all(file.parent().expect("a directory")).expect("it is made");
        fs::write(file, text).expect("it is written");
    };
    home(".claude/settings.json", "{ \"enabledPlugins\": { \"git-seed@git-seed\": true } }\n");
    let told = world.person("init").succeeds();
    assert!(told.contains("its plugin git-seed is on (~/.claude/settings.json)"), "{told}");
    world.starts();
    let found = world.person("doctor").succeeds();
    let both = "Claude Code has git seed's plugin as well (~/.claude/settings.json)";
    assert!(found.contains(both), "{found}");
    assert!(!found.contains("Gemini CLI has"), "{found}");
    home(".gemini/extensions/git-seed/gemini-extension.json", "{}");
    let found = world.person("doctor").said();
    let alone =
        "Gemini CLI has git seed's plugin (~/.gemini/extensions/git-seed/gemini-extension.json)";
    assert!(found.out.contains(alone), "{found:?}");
    // One that is switched off for this project is off.
    world.puts(".claude/settings.json", "{\"enabledPlugins\":{\"git-seed@git-seed\":false}}");
    assert!(!world.person("doctor").said().out.contains(both));
}

/// The host runs both lines: the prompt makes one job, and the refusal is counted once.
#[test]
fn events_of_both_registrations_count_once() {
    let world = World::seeded();
    let twice = |event: &str, fields: &Value| {
        let payload = world.payload(event, fields);
        let first = world.sends(event, payload.as_bytes());
        let second = world.sends(event, payload.as_bytes());
        assert_eq!(first.out, second.out, "{event}");
        first.out
    };
    twice("UserPromptSubmit", &json!({ "prompt": "fix the lexer" }));
    assert_eq!(world.json("job list").as_array().map(Vec::len), Some(1));
    let said = world.json("job show");
    assert_eq!(said["interactions"].as_array().map(Vec::len), Some(1), "{said}");
    let input = json!({ "file_path": world.path("x.rs"), "content": "x" });
    let call = json!({ "tool_name": "Write", "tool_use_id": "toolu_1", "tool_input": input });
    assert!(twice("PreToolUse", &call).contains("deny"));
    assert_eq!(world.json("status")["cost"]["refusals"], 1);
}
