//! Hosts as their rows know them. Sessions that were recorded from real clients are played again:
//! a small fix from the prompt to the job that awaits the person, and each event gets the same kind
//! of answer as it got there.

use std::fs;
use std::path::Path;

use git_seed::hosts;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::world::World;

/// A client, and where its events after a tool hold what a shell line printed.
const CLIENTS: [(&str, &str); 3] = [
    ("codex", "/tool_response"),
    ("gemini", "/tool_response/llmContent"),
    ("opencode", "/tool_response/output"),
];

/// The events of a session as they were recorded: each with what the hook printed.
fn recorded(host: &str, world: &World) -> Vec<(Value, Value)> {
    let file = format!("fixtures/hooks/{host}/_sequence-quick.jsonl");
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file));
    let text = text.expect("it was recorded");
    let home = world.repo().to_string_lossy().into_owned();
    let read = |line: &str| {
        let line: Value =
            serde_json::from_str(&line.replace("/home/u/project", &home)).expect("JSON");
        let printed = line["hook_stdout"].as_str().unwrap_or_default();
        (line["stdin"].clone(), serde_json::from_str(printed).unwrap_or_default())
    };
    text.lines().map(read).collect()
}

/// What a call of the agent does, as its input shows it; what a shell line printed.
fn does(world: &World, host: &str, input: &Value) -> Option<String> {
    let text = |names: &[&str]| names.iter().find_map(|name| input[*name].as_str());
    if let Some(command) = text(&["command"]).filter(|command| !command.starts_with("***")) {
        // Codex starts its shell in a sandbox in which `.git` is read-only.
        let held = format!("git seed exec -- sh -c '{}'", command.replace('\'', r"'\''"));
        let said = world.agents_shell(if host == "codex" { &held } else { command }, "");
        return Some(format!("{}{}", said.out, said.err));
    }
    let file = text(&["file_path", "filePath"]).unwrap_or("src/a.txt").to_owned();
    let file = file.trim_start_matches(&*world.repo().to_string_lossy()).trim_matches('/');
    let patch = text(&["command"]).map(|_| ("alpha", "beta"));
    let pair = text(&["old_string", "oldString"]).zip(text(&["new_string", "newString"]));
    if let Some((old, new)) = patch.or(pair) {
        world.puts(file, &world.text(file).replace(old, new));
    } else if let Some(content) = text(&["content"]) {
        world.puts(file, content);
    }
    None
}

/// What the hook said, in kind.
fn kind(reply: &Value) -> [bool; 3] {
    let specific = &reply["hookSpecificOutput"];
    let refused = reply["decision"] != Value::Null || specific["permissionDecision"] == "deny";
    let told = specific["additionalContext"].is_string();
    [refused, told, reply["systemMessage"].is_string()]
}

#[test]
fn a_recorded_session_of_each_client_goes_from_the_prompt_to_the_job_that_awaits_the_person() {
    for (host, printed) in CLIENTS {
        if let (true, Err(why)) = (host == "codex", git_seed::confine::check()) {
            super::skip::not_here(&format!("a kernel that confines ({why})"));
            continue;
        }
        let world = World::empty("git init -q -b main");
        world.puts("src/a.txt", "alpha\n");
        world.puts("Makefile", "test:\n\t@grep -q beta src/a.txt && echo ok\n");
        world.git("add -A");
        world.git("commit -qm init");
        world.person(&format!("init --host {host}")).succeeds();
        // Nobody sat there when it was recorded.
        world.puts("seed.toml", "approval = \"defer\"\n");
        world.person("rules apply").succeeds();
        fs::remove_file(world.path("seed.toml")).expect("the proposal goes");
        if host == "codex" {
            world.host_has("CODEX_SESSION_ID", "the session");
        }
        let mut ran = None;
        for (n, (mut event, answer)) in recorded(host, &world).into_iter().enumerate() {
            let name = event["hook_event_name"].as_str().expect("a name").to_owned();
            if let (Some(ran), Some(place)) = (ran.take(), event.pointer_mut(printed)) {
                *place = json!(ran);
            }
            let said = world.hears(host, &name, &event).json().clone();
            assert_eq!(kind(&said), kind(&answer), "{host} {n} {name}: {said} {event}");
            let before = name.to_lowercase().contains("before") || name == "PreToolUse";
            if before && event["tool_input"].is_object() && !kind(&said)[0] {
                ran = does(&world, host, &event["tool_input"]);
            }
        }
        let subject = world.git("log -1 --format=%s");
        assert_eq!(subject.trim(), "execute: src: the greeting says beta, as it should", "{host}");
        let awaits = world.json("status")["awaiting"].as_array().map_or(0, Vec::len);
        assert_eq!(awaits, 1, "{host}");
    }
}

/// The head of a column of the table in `docs/hosts.md`, by the capability that it tells.
const COLUMNS: [(&str, &str); 10] = [
    ("refuse-tool", "refuses tools"),
    ("refuse-stop", "holds the turn"),
    ("inject-start", "told at start"),
    ("inject-prompt", "at a prompt"),
    ("ask-person", "asks you"),
    ("question-tool", "has questions"),
    ("grant", "asks nobody for git seed"),
    ("mark-subagents", "marks subagents"),
    ("tell-exits", "tells exits"),
    ("replace-input", "confines by itself"),
];

/// The table as the rows have it.
fn table() -> String {
    let heads: Vec<&str> = COLUMNS.iter().map(|(_, head)| *head).collect();
    let line = "---|".repeat(COLUMNS.len() + 2);
    let mut table = format!("| host | tried | {} |\n|{line}\n", heads.join(" | "));
    for name in hosts::names() {
        let row = hosts::row(name).expect("it loads");
        let can: Vec<(&str, bool)> = row.capabilities().collect();
        assert_eq!(can.len(), COLUMNS.len(), "every capability has its column");
        let cell = |capability: &str| {
            let (_, can) = can.iter().find(|(name, _)| *name == capability).expect(capability);
            if *can { "yes" } else { "no" }
        };
        let cells: Vec<&str> = COLUMNS.iter().map(|(capability, _)| cell(capability)).collect();
        let tried = row.tried.as_deref().unwrap_or("no");
        table += &format!("| {} (`{name}`) | {tried} | {} |\n", row.title, cells.join(" | "));
    }
    table
}

#[test]
fn the_table_of_hosts_says_what_the_rows_say() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/hosts.md");
    let text = fs::read_to_string(file).expect("it is there");
    let (_, rest) = text.split_once("<!-- table -->\n").expect("a table begins");
    let (told, _) = rest.split_once("<!-- /table -->").expect("it ends");
    assert_eq!(told, table(), "docs/hosts.md has another table");
    for name in hosts::names() {
        assert!(text.contains(&format!("| `{name}` |")), "what to do once for {name}");
    }
}

#[test]
fn each_host_is_put_in_refuses_a_forbidden_call_and_is_taken_out_without_a_trace() {
    for name in hosts::names() {
        let row = hosts::row(name).expect("it loads");
        let world = World::new();
        let settings = "cat .git/config .git/info/exclude; ls .git .git/hooks; ls -A; git status";
        let before = world.sh(settings);
        let told = world.person(&format!("init --host {name}")).succeeds();
        assert_eq!(world.git("status --porcelain"), "", "{name}");
        let untried = told.contains("not tried with the client");
        assert_eq!(untried, row.tried.is_none(), "{name}: {told}");
        let doctor = world.person("doctor").said();
        let refused = format!("{}: a forbidden call was refused through", row.title);
        assert!(doctor.out.contains(&refused), "{name}: {doctor:?}");
        assert_eq!(doctor.out.contains("was never tried"), row.tried.is_none(), "{name}");
        world.person("uninstall").succeeds();
        assert!(!world.path(&row.settings.local).exists(), "{name}: {}", row.settings.local);
        assert_eq!(world.sh(settings), before, "{name}");
    }
}

/// What somebody else has in the same settings stays as it is, byte for byte.
#[test]
fn settings_with_hooks_of_others_come_back_as_they_were() {
    for (name, theirs) in [
        ("cursor", "{\"version\":1,\"hooks\":{\"stop\":[{\"command\":\"./mine.sh\"}]}}\n"),
        ("droid", "{\n  \"model\": \"x\"\n}\n"),
    ] {
        let file = hosts::row(name).expect("it loads").settings.local.clone();
        let world = World::new();
        world.puts(&file, theirs);
        world.person(&format!("init --host {name}")).succeeds();
        assert!(world.text(&file).contains("git-seed"), "{name}");
        world.person("uninstall").succeeds();
        assert_eq!(world.text(&file), theirs, "{name}");
    }
}
