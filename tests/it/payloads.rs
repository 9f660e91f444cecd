//! What hosts send, recorded and broken: a hook always exits 0, and no call runs unjudged.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::world::{Reply, World};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/hooks/claude")
}

/// Every recorded event, by the name of its file.
fn recorded() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for dir in [fixtures(), fixtures().join("docs")] {
        for entry in fs::read_dir(dir).expect("the fixtures are there").flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let text = fs::read_to_string(entry.path()).unwrap_or_default();
            let path = entry.path();
            let ending = path.extension().unwrap_or_default();
            if ending == "json" {
                found.push((name, text));
            } else if ending == "jsonl" {
                found.extend(text.lines().map(|line| (name.clone(), line.to_owned())));
            }
        }
    }
    found.sort();
    found
}

/// The recorded event as it would come from this world's repository.
fn at_home(world: &World, text: &str) -> Option<(String, Vec<u8>)> {
    let mut payload: Value = serde_json::from_str(text).ok()?;
    // A line of a recorded sequence may wrap its event.
    if let Some(inner) =
        payload.get("payload").or_else(|| payload.get("input")).filter(|inner| inner.is_object())
    {
        payload = inner.clone();
    }
    let event = payload.get("hook_event_name")?.as_str()?.to_owned();
    let home = world.repo().to_string_lossy().into_owned();
    let text = payload.to_string().replace("/home/u/project", &home);
    let mut payload: Value = serde_json::from_str(&text).ok()?;
    payload["cwd"] = json!(home);
    Some((event, payload.to_string().into_bytes()))
}

/// Says that the hook ended well and printed nothing or one JSON object.
fn heard(world: &World, what: &str, event: &str, payload: &[u8]) -> Reply {
    let said = world.sends(event, payload);
    assert_eq!(said.code, 0, "{what}: {said:?}");
    assert_eq!(said.err, "", "{what}");
    Reply::read(&said.out)
}

#[test]
fn every_recorded_event_is_answered() {
    let world = World::seeded();
    world.to("execute");
    let mut n = 0;
    for (name, text) in recorded() {
        let Some((event, payload)) = at_home(&world, &text) else { continue };
        heard(&world, &name, &event, &payload);
        n += 1;
    }
    assert!(n > 80, "only {n} events were recorded");
}

#[test]
fn a_recorded_session_bears_a_job_and_its_edits_are_refused_before_it_begins() {
    let world = World::new();
    world.person("init").succeeds();
    let send = |name: &str| {
        let text = fs::read_to_string(fixtures().join(name)).expect("a fixture");
        let (event, payload) = at_home(&world, &text).expect("an event");
        heard(&world, name, &event, &payload)
    };
    send("SessionStart-startup.json");
    send("UserPromptSubmit.json").tells("new job");
    assert_eq!(world.json("status")["job"]["name"], "Do the scripted work");
    send("PreToolUse-Read.json").passes();
    send("PreToolUse-Edit.json").refuses("has not started");
    send("PreToolUse-Write.json").refuses("has not started");
    send("PreToolUse-Agent.json").refuses("BLOCKED");
    send("PreToolUse-AskUserQuestion.json").passes();
    assert!(send("Stop.json").is_silent());
    send("SessionEnd-other.json");
    assert_eq!(world.json("status")["job"], Value::Null, "small talk ends with its session");
}

#[test]
fn what_does_not_read_is_refused_before_a_tool_and_nowhere_else() {
    let world = World::seeded();
    world.to("observe");
    let call = |fields: Value| {
        let mut payload = json!({
            "session_id": "e2fc06a6-4aaf-49f6-8712-117cd08f9339", "cwd": world.repo(),
            "hook_event_name": "PreToolUse", "tool_use_id": "toolu_x",
        });
        for (key, value) in fields.as_object().expect("fields are an object") {
            payload[key] = value.clone();
        }
        payload.to_string().into_bytes()
    };
    let mut huge = call(json!({ "tool_name": "Write" }));
    huge.extend(std::iter::repeat_n(b' ', 17 * 1024 * 1024));
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("nothing", Vec::new()),
        ("blanks", b"  \n".to_vec()),
        ("no JSON", b"hello".to_vec()),
        ("half of it", b"{\"session_id\": \"x\", \"cwd\"".to_vec()),
        ("a list", b"[1, 2]".to_vec()),
        ("a number", b"7".to_vec()),
        ("null", b"null".to_vec()),
        ("an empty object", b"{}".to_vec()),
        ("no UTF-8", vec![0xff, 0xfe, 0x00, b'{', b'}']),
        ("NUL bytes", vec![0; 64]),
        ("too much", huge),
        ("deeply nested", "[".repeat(100_000).into_bytes()),
        (
            "event of a wrong type",
            call(json!({ "hook_event_name": 7, "tool_name": "Read",
                    "tool_input": { "file_path": "x" } })),
        ),
        ("directory of a wrong type", call(json!({ "cwd": ["x"], "tool_name": "Read" }))),
        ("directory that is gone", call(json!({ "cwd": "/no/such/place", "tool_name": "Write" }))),
        ("unknown event", call(json!({ "hook_event_name": "SomethingNew" }))),
    ];
    // These read, and say what they are.
    let reads = |what: &str| {
        ["object", "event", "directory", "unknown"].iter().any(|word| what.contains(word))
    };
    for (what, payload) in cases {
        let reply = heard(&world, what, "PreToolUse", &payload);
        assert_eq!(reply.refusal().is_some(), !reads(what), "{what}: {reply:?}");
        let reply = heard(&world, what, "PostToolUse", &payload);
        assert!(reply.refusal().is_none(), "{what}: {reply:?}");
    }
}

#[test]
fn a_call_without_a_tool_cannot_be_judged() {
    let world = World::seeded();
    world.to("observe");
    for fields in [json!({ "tool_input": {} }), json!({ "tool_name": 7, "tool_input": {} })] {
        let reply = world.event("PreToolUse", &fields);
        reply.refuses("names no tool");
    }
}

#[test]
fn wrongly_typed_fields_end_well() {
    let world = World::seeded();
    world.to("observe");
    let tools = [
        "Read",
        "Write",
        "Edit",
        "MultiEdit",
        "Bash",
        "AskUserQuestion",
        "Agent",
        "Glob",
        "mcp__x__y",
        "",
    ];
    let inputs = [
        json!({}),
        json!(null),
        json!([]),
        json!("text"),
        json!({ "file_path": 7, "content": {}, "old_string": [], "command": false,
            "questions": "x" }),
        json!({ "file_path": "a\u{0}b", "content": "", "old_string": "", "new_string": "",
            "command": "\u{0}" }),
        json!({ "file_path": "", "command": "", "questions": [] }),
        json!({ "questions": [{ "question": 7, "options": "x" }, 3] }),
    ];
    for event in ["PreToolUse", "PostToolUse", "PostToolUseFailure"] {
        for tool in tools {
            for input in &inputs {
                let fields = json!({
                    "session_id": "e2fc06a6-4aaf-49f6-8712-117cd08f9339", "cwd": world.repo(),
                    "hook_event_name": event, "tool_name": tool, "tool_input": input,
                    "tool_use_id": "t",
                    "tool_response": input, "duration_ms": "soon",
                });
                heard(&world, &fields.to_string(), event, fields.to_string().as_bytes());
            }
        }
    }
    world.notes("---Ob---", "odd calls end well");
    world.reads("todo.txt").passes();
    assert_eq!(world.phase(), "observe");
}

#[test]
fn an_unknown_host_is_wrong_usage() {
    let world = World::seeded();
    world.seed("hook nonesuch").ends(64, "claude");
}

#[test]
fn outside_a_seeded_repository_the_hook_is_silent() {
    let world = World::new();
    for name in
        ["PreToolUse-Write.json", "UserPromptSubmit.json", "Stop.json", "SessionStart-startup.json"]
    {
        let text = fs::read_to_string(fixtures().join(name)).expect("a fixture");
        let (event, payload) = at_home(&world, &text).expect("an event");
        assert!(heard(&world, name, &event, &payload).is_silent(), "{name}: no git seed here");
        let text = String::from_utf8_lossy(&payload).replace(
            &*world.repo().to_string_lossy(),
            &world.root().join("home").to_string_lossy(),
        );
        assert!(
            heard(&world, name, &event, text.as_bytes()).is_silent(),
            "{name}: no repository here"
        );
    }
    assert!(!world.path(".git/seed").exists());
}

#[test]
fn a_call_that_passes_writes_nothing() {
    let world = World::seeded();
    world.to("execute");
    let but = |leave: &dyn Fn(&Path) -> bool| super::world::tree_of(world.root(), leave);
    let before = but(&|_| false);
    for (tool, input) in [
        ("Read", json!({ "file_path": world.path("todo.txt") })),
        (
            "Edit",
            json!({ "file_path": world.path("src/parser/lex.rs"), "old_string": "fn",
                "new_string": "pub fn" }),
        ),
        ("Bash", json!({ "command": "git log -1" })),
    ] {
        world.before(tool, &input, &world.next_call()).passes();
        assert!(before == but(&|_| false), "{tool} left something behind");
    }
    // Before a line that may write the fence looks, and keeps what it saw until the call is over.
    let input = json!({ "command": "cargo test" });
    let call = world.next_call();
    world.before("Bash", &input, &call).passes();
    // Its index is written anew where an entry is as young as the index itself, as git's is.
    let mine = ["looks", "packed", "index"].map(|name| Path::new("repo/.git/seed").join(name));
    let looks = |path: &Path| mine.iter().any(|own| path.starts_with(own));
    let before = {
        let mut before = before;
        before.retain(|path, _| !looks(Path::new(path)));
        before
    };
    assert!(before == but(&looks), "the look moved something");
    assert!(but(&|_| false).keys().any(|path| path.contains("/looks/")), "nobody looked");
    world.after("Bash", &input, &call, &json!({ "stdout": "" }), 40);
    let left = but(&|_| false);
    assert!(
        !left.keys().any(|path| {
            path.contains("/looks/") && path.contains(".json") || path.contains("/packed/main/")
        }),
        "{left:#?}"
    );
}
