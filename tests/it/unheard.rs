//! Last words that went back at a host that lets the turn end all the same, and ended with it.

use serde_json::json;

use super::world::World;

const TOLD: &str = "the last turn ended with words that nothing shows";

/// What each host calls a session's begin, a prompt, a stop and the words that it ends with.
const OPENCODE: [&str; 5] = ["opencode", "session.start", "chat.message", "session.idle", "said"];
const CLAUDE: [&str; 5] =
    ["claude", "SessionStart", "UserPromptSubmit", "Stop", "last_assistant_message"];

/// A turn that ended with words that go back.
fn went_back([host, begins, prompt, stop, said]: [&str; 5]) -> World {
    let world = World::new();
    world.person(&format!("init --host {host}")).succeeds();
    world.hears(host, begins, &json!({ "source": "startup" }));
    world.hears(host, prompt, &json!({ "prompt": "Please look at the lexer" }));
    let fields =
        json!({ "stop_hook_active": false, said: "Fixed the lexer and all tests pass now." });
    world.hears(host, stop, &fields).refuses("all tests pass now");
    world
}

fn begins_again(world: &World, [host, begins, ..]: [&str; 5]) {
    world.hears(host, begins, &json!({ "source": "resume" }));
}

fn says(world: &World, [host, _, prompt, ..]: [&str; 5], words: &str) -> String {
    let reply = world.hears(host, prompt, &json!({ "prompt": words }));
    reply.context().unwrap_or_default().to_owned()
}

#[test]
fn the_next_prompt_tells_of_them_once() {
    let world = went_back(OPENCODE);
    begins_again(&world, OPENCODE);
    let told = says(&world, OPENCODE, "and the parser?");
    assert!(told.contains(TOLD) && told.contains("all tests pass now"), "{told}");
    let told = says(&world, OPENCODE, "and the printer?");
    assert!(!told.contains(TOLD), "once: {told}");
}

/// The same of a job at work, whose client has ended with the turn.
#[test]
fn a_job_at_work_tells_of_them_after_its_client_ended() {
    let world = went_back(OPENCODE);
    let file = world.path(super::world::CODE);
    let call = json!({ "tool_name": "read", "tool_input": { "filePath": file }, "call_id": "c1",
        "tool_response": { "output": "fn lex() {}", "metadata": {} } });
    world.hears("opencode", "tool.execute.before", &call);
    world.hears("opencode", "tool.execute.after", &call);
    let opens =
        "phase advance --small --scope src/parser -m 'escapes get lost; lex.rs; cargo test'";
    world.seed(opens).succeeds();
    let fields = json!({ "said": "Fixed the lexer and all tests pass now." });
    world.hears("opencode", "session.idle", &fields).refuses("all tests pass now");
    world.hears("opencode", "session.ended", &json!({}));
    begins_again(&world, OPENCODE);
    let told = says(&world, OPENCODE, "and the parser?");
    assert!(told.contains(TOLD) && told.contains("all tests pass now"), "{told}");
    assert!(!says(&world, OPENCODE, "and the printer?").contains(TOLD), "once");
}

#[test]
fn where_they_were_heard_nothing_is_told() {
    // The reason came as a prompt of the host's own, while its process ran.
    let world = went_back(OPENCODE);
    assert!(!says(&world, OPENCODE, "and the parser?").contains(TOLD));
    // Something was done since.
    let world = went_back(OPENCODE);
    let call = json!({ "tool_name": "read", "tool_input": { "filePath": "todo.txt" },
        "call_id": "c1", "tool_response": { "output": "a", "metadata": {} } });
    world.hears("opencode", "tool.execute.before", &call);
    world.hears("opencode", "tool.execute.after", &call);
    begins_again(&world, OPENCODE);
    let told = says(&world, OPENCODE, "and the parser?");
    assert!(!told.contains(TOLD), "{told}");
    // A host that holds the turn has said it in that turn.
    let world = went_back(CLAUDE);
    begins_again(&world, CLAUDE);
    assert!(!says(&world, CLAUDE, "and the parser?").contains(TOLD));
}
