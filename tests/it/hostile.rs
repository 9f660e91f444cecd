//! What an agent can put in a hook's way: locks that somebody keeps, pipes in the place of files,
//! payloads that do not read. No call runs unjudged for it.

use std::fs::{self, File};

use serde_json::{Value, json};

use super::world::{CODE, World};

fn write(world: &World) -> Value {
    json!({ "file_path": world.path("todo.txt"), "content": "mine\n" })
}

/// Looks pass, and all else is refused.
fn only_looks(world: &World, what: &str) {
    let call = world.next_call();
    let refused = world.before("Write", &write(world), &call);
    assert!(refused.refusal().is_some(), "{what}: {refused:?}");
    let run = world.before("Bash", &json!({ "command": "cargo test" }), &world.next_call());
    assert!(run.refusal().is_some(), "{what}: {run:?}");
    let read = json!({ "file_path": world.path(CODE) });
    let read = world.before("Read", &read, &world.next_call());
    assert!(read.refusal().is_none(), "{what}: {read:?}");
}

#[test]
fn a_lock_that_somebody_keeps_turns_no_refusal_off() {
    let world = World::seeded();
    world.to("observe");
    for name in ["journal/main.lock", "lock"] {
        let mut options = File::options();
        options.write(true).create(true).truncate(false);
        let lock = options.open(world.path(".git/seed").join(name)).expect("it opens");
        lock.lock().expect("it is free");
        let before = world.text(".git/seed/journal/main.jsonl");
        let refused = world.before("Write", &write(&world), &world.next_call());
        assert!(refused.refusal().is_some(), "{name}: {refused:?}");
        if name.starts_with("journal") {
            assert_eq!(world.text(".git/seed/journal/main.jsonl"), before, "nobody could write");
            let launch =
                json!({ "subagent_type": "Explore", "prompt": "look", "description": "d" });
            let refused = world.before("Agent", &launch, &world.next_call());
            assert!(refused.refusal().is_some(), "a launch needs its line: {refused:?}");
        }
    }
    world.before("Write", &write(&world), &world.next_call()).refuses("BLOCKED");
    world.seed("why").tells("todo.txt");
}

#[test]
fn a_pipe_in_the_place_of_a_file_is_not_waited_for() {
    let world = World::seeded();
    world.to("execute");
    world.git("pack-refs --all");
    let session = fs::read_dir(world.path(".git/seed/sessions")).expect("there");
    let session = session.flatten().next().expect("one").path();
    let job = world.job();
    let places = [
        ".git/HEAD".to_owned(),
        ".git/config".to_owned(),
        ".git/index".to_owned(),
        ".git/packed-refs".to_owned(),
        ".git/refs/worktree/seed/focus".to_owned(),
        format!(".git/refs/seed/jobs/{job}"),
        ".git/seed/journal/main.jsonl".to_owned(),
        ".git/seed/index/main".to_owned(),
    ];
    let index = |place: &str| place.ends_with("index") || place.ends_with("index/main");
    for place in places {
        let file = world.path(&place);
        let bytes = fs::read(&file).ok();
        let _ = fs::remove_file(&file);
        fs::create_dir_all(file.parent().expect("below")).expect("made");
        for make in ["mkfifo", "ln -s /dev/zero"] {
            world.sh(&format!("{make} {}", file.display()));
            let what = format!("{make} {place}");
            if index(&place) {
                // Only what looks at the tree reads it.
                let run = json!({ "command": "cargo test" });
                let run = world.before("Bash", &run, &world.next_call());
                assert!(run.refusal().is_some(), "{what}: {run:?}");
            } else {
                only_looks(&world, &what);
            }
            fs::remove_file(&file).expect("ours");
        }
        if let Some(bytes) = bytes {
            fs::write(&file, bytes).expect("written");
        }
    }
    // These are no reason to refuse, and none to wait for.
    for file in [session, world.path(".git/refs/heads/main"), world.path(".claude/settings.json")] {
        let bytes = fs::read(&file).ok();
        let _ = fs::remove_file(&file);
        fs::create_dir_all(file.parent().expect("below")).expect("made");
        world.sh(&format!("mkfifo {}", file.display()));
        world.before("Write", &write(&world), &world.next_call());
        world.before("Bash", &json!({ "command": "git push" }), &world.next_call());
        world.reads(CODE);
        world.stops();
        fs::remove_file(&file).expect("ours");
        if let Some(bytes) = bytes {
            fs::write(&file, bytes).expect("written");
        }
    }
    world.reads(CODE).passes();
}

#[test]
fn a_call_whose_payload_does_not_read_is_refused_and_leaves_a_line() {
    let world = World::seeded();
    world.to("execute");
    let call = |input: &str| {
        format!(
            r#"{{"session_id":"s","cwd":{},"hook_event_name":"PreToolUse","tool_use_id":"t",
            "tool_name":"Bash","tool_input":{input}}}"#,
            json!(world.repo())
        )
        .into_bytes()
    };
    let deep = format!("{{\"command\":\"touch x\",\"a\":{}{}}}", "[".repeat(126), "]".repeat(126));
    let mut large = call(r#"{"command":"touch x"}"#);
    large.extend(std::iter::repeat_n(b' ', 17 << 20));
    let mut cut = call(r#"{"command":"touch x"}"#);
    cut.truncate(cut.len() - 3);
    let mut latin = call(r#"{"command":"touch #x"}"#);
    let at = latin.iter().position(|byte| *byte == b'#').expect("there");
    latin[at] = 0xe9;
    let cases = [
        ("deep", call(&deep)),
        ("large", large),
        ("cut off", cut),
        ("no UTF-8", latin),
        ("a key twice", call(r#"{"command":"touch x","command":"true"}"#)),
        (
            "a key twice at the top",
            call(r#"{"command":"touch x"},"tool_input":{"command":"true"}"#),
        ),
        ("a text", call(r#""touch x""#)),
        ("a list", call(r#"["touch x"]"#)),
        ("no tool", call("{}")),
    ];
    for (what, mut payload) in cases {
        if what == "no tool" {
            payload = String::from_utf8(payload).expect("text").replace("Bash", "").into_bytes();
        }
        let lines = world.text(".git/seed/journal/main.jsonl").lines().count();
        let said = world.sends("PreToolUse", &payload);
        assert_eq!(said.code, 0, "{what}");
        assert!(said.out.contains("cannot judge this call"), "{what}: {said:?}");
        assert!(said.out.contains("\"deny\""), "{what}: {said:?}");
        let now = world.text(".git/seed/journal/main.jsonl").lines().count();
        assert_eq!(now, lines + 1, "{what}");
    }
    world.seed("why").tells("cannot judge this call");
    // Any other event is nobody's call, and the person hears.
    let said = world.sends("PostToolUse", b"{");
    assert!(said.out.contains("systemMessage") && !said.out.contains("deny"), "{said:?}");
}

/// Else the agent hears later that no job is active, and not why.
#[test]
fn a_prompt_that_finds_the_store_locked_tells_the_agent_why() {
    let world = World::seeded();
    let mut options = File::options();
    options.write(true).create(true).truncate(false);
    let lock = options.open(world.path(".git/seed/lock")).expect("it opens");
    lock.lock().expect("it is free");
    let told = world.prompt("fix the lexer");
    told.tells("git seed could not take in this prompt");
    assert!(told.to_person().is_some_and(|told| told.contains("git seed doctor")), "{told:?}");
    drop(lock);
    let told = world.prompt("fix the lexer");
    assert!(!told.context().unwrap_or_default().contains("could not take in"), "{told:?}");
    assert_eq!(world.phase(), "idle");
}
