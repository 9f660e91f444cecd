//! A stop lets go, whatever the host does with the refusal.

use pretty_assertions::assert_eq;
use serde_json::json;

use super::world::World;

/// A host, and its names of a session's start, a prompt, a tool that ended, a stop, and the tool
/// that runs a line.
const HOSTS: [[&str; 6]; 8] = [
    ["claude", "SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "Bash"],
    ["codex", "SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "Bash"],
    ["gemini", "SessionStart", "BeforeAgent", "AfterTool", "AfterAgent", "run_shell_command"],
    ["opencode", "session.start", "chat.message", "tool.execute.after", "session.idle", "bash"],
    ["cursor", "sessionStart", "beforeSubmitPrompt", "postToolUse", "stop", "Shell"],
    ["copilot", "sessionStart", "userPromptSubmitted", "postToolUse", "agentStop", "bash"],
    ["vscode", "SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "run_in_terminal"],
    ["droid", "SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "Execute"],
];

/// Hosts that show the person nothing that a hook says.
const MUTE: [&str; 2] = ["cursor", "copilot"];

/// A stop, as each host says that one was refused right before.
fn stops(again: bool) -> serde_json::Value {
    json!({ "stop_hook_active": again, "again": again, "loop_count": u8::from(again) })
}

/// A line that ran.
fn ran(tool: &str) -> serde_json::Value {
    let input = json!({ "command": "ls" });
    json!({ "tool_name": tool, "toolName": tool, "tool_use_id": "t9", "call_id": "t9",
        "tool_input": input, "toolArgs": input, "tool_response": { "stdout": "a" } })
}

fn at_work([host, start, prompt, ..]: [&str; 6]) -> World {
    let world = World::new();
    let said = world.person(&format!("init --host {host}")).succeeds();
    // What a person meets at the host's first start is said before they meet it.
    assert!(said.contains("note "), "{host}: {said}");
    world.hears(host, start, &json!({ "source": "startup" }));
    world.hears(host, prompt, &json!({ "prompt": "Fix the lexer" }));
    world.seed("phase advance").succeeds();
    world
}

fn steps(world: &World) -> usize {
    let job = world.job();
    world.git(&format!("rev-list --count refs/seed/jobs/{job}")).trim().parse().expect("a number")
}

fn journal(world: &World) -> u64 {
    let dir = std::fs::read_dir(world.path(".git/seed/journal")).expect("it is there");
    dir.map(|file| file.expect("a file").metadata().expect("it has a size").len()).sum()
}

/// The client that was seen gives each refusal back as the next prompt, for as long as there is
/// one.
#[test]
fn a_refusal_that_comes_back_as_a_prompt_ends_with_the_third() {
    for names @ [host, _, prompt, _, stop, _] in HOSTS {
        let world = at_work(names);
        let mut refused = 0;
        let mut last = (0, 0);
        for round in 0..50 {
            let reply = world.hears(host, stop, &json!({ "stop_hook_active": round > 0 }));
            let Some(reason) = reply.refusal().map(str::to_owned) else {
                let now = (steps(&world), journal(&world));
                assert!(last == (0, 0) || now == last, "{host}: something grows: {last:?} {now:?}");
                last = now;
                continue;
            };
            refused += 1;
            // As the client gives it back.
            let back = world.hears(host, prompt, &json!({ "prompt": reason }));
            assert!(back.is_silent(), "{host}: {back:?}");
        }
        assert_eq!(refused, 3, "{host}");
        let shown = world.json("job show");
        assert_eq!(shown["interactions"].as_array().map(Vec::len), Some(1), "{host}: {shown}");
        assert!(steps(&world) < 8, "{host}: {}", steps(&world));
    }
}

/// The first refusal says it whole; what repeats it says what is left to do, and when it ends.
#[test]
fn a_refusal_that_repeats_is_one_line() {
    for names @ [host, _, _, after, stop, tool] in HOSTS {
        let world = at_work(names);
        let stops = || {
            let reply = world.hears(host, stop, &json!({ "stop_hook_active": true }));
            reply.refusal().map(|said| said.replace("<git-seed>", "").trim().to_owned())
        };
        let whole = stops().expect("it is open");
        // A host that changes the signs around placeholders gets them without.
        let plain = |text: &str| text.replace(['<', '>'], "");
        let next = plain(world.json("status")["next"].as_str().expect("a next"));
        assert!(whole.contains("BLOCKED: ") && plain(&whole).contains(&next), "{host}: {whole}");
        let (second, third) = (stops().expect("open"), stops().expect("open"));
        for said in [second, third] {
            assert!(said.contains("BLOCKED, as before. Do: "), "{host}: {said}");
            assert!(plain(&said).contains(&next) && said.lines().count() == 1, "{host}: {said}");
        }
        assert_eq!(stops(), None, "{host}");
        // Work comes in between, and what is refused is said whole again.
        world.hears(host, after, &ran(tool));
        assert_eq!(stops(), Some(whole), "{host}");
    }
}

/// So it is where no job has the focus, and one waits; another one that waits is said whole.
#[test]
fn a_job_that_waits_is_named_whole_once() {
    let world = World::seeded();
    world.person("job create 'the first one'").succeeds();
    world.stops().refuses("BLOCKED: the job \"the first one\" waits");
    world.stops().refuses("BLOCKED, as before. Do: git seed job");
    world.person("job drop --pending").succeeds();
    world.minute();
    world.person("job create 'the second one'").succeeds();
    world.stops().refuses("BLOCKED: the job \"the second one\" waits");
    assert!(world.stops().refusal().is_none(), "three were refused without work");
}

/// After the turn was let go, a person's word or a tool call is what holds the next one.
#[test]
fn work_and_words_hold_the_turn_again() {
    for names @ [host, _, prompt, after, stop, tool] in HOSTS {
        let world = at_work(names);
        let stops = || {
            let reply = world.hears(host, stop, &json!({ "stop_hook_active": true }));
            reply.refusal().is_some()
        };
        let held = |times: usize| (0..times).filter(|_| stops()).count();
        assert_eq!(held(6), 3, "{host}");
        world.hears(host, prompt, &json!({ "prompt": "go on" }));
        assert_eq!(held(6), 3, "{host}: a person spoke");
        world.hears(host, after, &ran(tool));
        assert_eq!(held(6), 3, "{host}: something was done");
        // A person who says our words with theirs is heard.
        world.hears(host, prompt, &json!({ "prompt": "what does BLOCKED: job is open mean?" }));
        let shown = world.json("job show");
        assert_eq!(shown["interactions"].as_array().map(Vec::len), Some(3), "{host}: {shown}");
    }
}

/// Over damage nothing can be counted: the second stop in a row is let go.
#[test]
fn damage_holds_no_turn_for_ever() {
    for names @ [host, _, _, _, stop, _] in HOSTS {
        let world = at_work(names);
        world.sh("for f in .git/seed/journal/*; do echo garbage >> \"$f\"; done");
        let first = world.hears(host, stop, &stops(false));
        first.refuses("git seed doctor --fix");
        let second = world.hears(host, stop, &stops(true));
        assert!(second.refusal().is_none(), "{host}: {second:?}");
        let told = second.to_person().is_some();
        assert_eq!(told, !MUTE.contains(&host), "{host}: the person hears of it");
    }
}

/// A client whose model ends its turn with the very same words, time after time within a second:
/// each stop is one of its own, however alike what the host sends.
#[test]
fn stops_that_are_alike_to_the_byte_are_counted_one_by_one() {
    let world = World::prompted();
    world.seed("phase advance").succeeds();
    let fields = json!({
        "stop_hook_active": true, "last_assistant_message": "Finished for now.",
        "background_tasks": [], "session_crons": [],
    });
    let payload = world.payload("Stop", &fields);
    let refused = (0..9).filter(|_| {
        let said = world.sends("Stop", payload.as_bytes());
        // A model takes its time; the clock of the test stands still.
        std::thread::sleep(std::time::Duration::from_millis(60));
        said.out.contains("BLOCKED")
    });
    assert_eq!(refused.count(), 3);
}
