//! The promises of the reader, over recorded payloads and sessions of every host in
//! `fixtures/hooks`, tables of odd fields, and foreign bytes.

use super::*;
use crate::hosts::{names, row};
use proptest::prelude::*;
use serde_json::json;

/// Lists, titles and looks of a host's own: they change nothing and are open everywhere.
#[test]
fn tools_that_only_tell_the_client_something_are_its_household() {
    for (name, before, tools) in [
        ("claude", "PreToolUse", &["TodoWrite", "TaskList", "ListAgents", "ReportFindings"][..]),
        (
            "codex",
            "PreToolUse",
            &["update_plan", "get_goal", "update_goal", "multi_agent_v1close_agent"],
        ),
        (
            "gemini",
            "BeforeTool",
            &["write_todos", "update_topic", "list_background_processes", "read_background_output"],
        ),
        ("opencode", "tool.execute.before", &["todowrite", "todoread", "skill"]),
    ] {
        for tool in tools {
            let payload = json!({"hook_event_name": before, "tool_name": tool, "tool_input": {}});
            let event = event(name, &payload);
            assert_eq!(*act(&event), Act::Housekeeping, "{name}: {tool}");
        }
    }
}

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/hooks");

fn host(name: &str) -> &'static Host {
    row(name).expect("the row loads")
}

fn event(name: &str, payload: &Value) -> Event {
    read(host(name), payload.to_string().as_bytes(), None).expect("it is an event")
}

fn capture(path: &str) -> Vec<u8> {
    std::fs::read(format!("{FIXTURES}/{path}")).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Files of a fixture folder that end in `.json`, sorted.
fn captures(folder: &str) -> Vec<String> {
    let entries =
        std::fs::read_dir(format!("{FIXTURES}/{folder}")).expect("the fixtures are there");
    let names = entries
        .map(|entry| entry.expect("it lists").file_name().into_string().expect("plain names"));
    let mut names: Vec<_> =
        names.filter(|name| Path::new(name).extension().is_some_and(|end| end == "json")).collect();
    names.sort();
    names
}

#[test]
fn a_host_may_say_how_full_the_context_is() {
    let resumed =
        read(host("claude"), &capture("claude/SessionStart-resume.json"), None).expect("it reads");
    assert_eq!(resumed.tokens, Some(1050));
    for (tokens, known) in [
        (json!(7), Some(7)),
        (json!(-7), None),
        (json!("7"), None),
        (json!([7]), None),
        (json!(null), None),
    ] {
        let payload = json!({ "hook_event_name": "PreToolUse", "tool_name": "Read",
                "context_tokens": tokens });
        assert_eq!(event("claude", &payload).tokens, known, "{tokens}");
    }
    assert_eq!(
        event("codex", &json!({ "hook_event_name": "Stop", "context_tokens": 7 })).tokens,
        None
    );
}

/// Of a command that ended badly the event after it says so, by a number or in a line.
#[test]
fn a_command_that_ended_badly_did_not_do_its_work() {
    let after = |name: &str, fields: Value| match event(name, &fields).kind {
        EventKind::After { outcome, .. } => (outcome.ok, outcome.status),
        other => panic!("{name}: {other:?}"),
    };
    let opencode = |code: i32| {
        json!({ "hook_event_name": "tool.execute.after", "tool_name": "bash",
            "tool_input": { "command": "make" },
            "tool_response": { "output": "", "metadata": { "exit": code } } })
    };
    let cursor = |code: i32| {
        let output = json!({ "exitCode": code, "stdout": "", "stderr": "" }).to_string();
        json!({ "hook_event_name": "postToolUse", "tool_name": "Shell",
            "tool_input": { "command": "make" }, "tool_output": output })
    };
    for code in [0, 1, 2, 127] {
        assert_eq!(after("opencode", opencode(code)), (code == 0, Some(code)));
        assert_eq!(after("cursor", cursor(code)), (code == 0, Some(code)));
    }
    // One that did not end by itself has none, or one that is no status.
    for code in [Value::Null, json!(3_221_225_786_u32), json!(0.5), json!("0")] {
        let mut fields = opencode(0);
        fields["tool_response"]["metadata"]["exit"] = code.clone();
        assert_eq!(after("opencode", fields), (false, None), "{code}");
    }
    let mut fields = opencode(0);
    fields["tool_response"]["metadata"] = json!({});
    assert_eq!(after("opencode", fields), (true, None), "nothing is told");
    let end = "Process Group PGID: 17\n</untrusted_context>";
    for (printed, wanted) in [
        (format!("Output: x\nExit Code: 2\n{end}"), (false, Some(2))),
        (format!("Output: x\nExit Code: 1\nSignal: 9\n{end}"), (false, Some(1))),
        ("Output: error: test failed\nExit Code: 101".to_owned(), (false, Some(101))),
        (format!("Output: x\n{end}"), (true, None)),
        // The command's own words are not the host's.
        (format!("Output: Exit Code: 2\nok\n{end}"), (true, None)),
        (format!("Output: x\nExit Code: 0\nExit Code: 3\n{end}"), (false, Some(3))),
        (format!("Output: x\nSignal: 11\n{end}"), (false, None)),
        (format!("Output: Signal: 11\nok\n{end}"), (true, None)),
        (
            "Command was automatically cancelled because it exceeded the timeout".into(),
            (false, None),
        ),
        (format!("<untrusted_context>\nCommand was cancelled by user.\n{end}"), (false, None)),
        (String::new(), (true, None)),
    ] {
        let fields = json!({ "hook_event_name": "AfterTool", "tool_name": "run_shell_command",
            "tool_input": { "command": "make" }, "tool_response": { "llmContent": printed } });
        assert_eq!(after("gemini", fields), wanted, "{printed}");
    }
}

/// What the person stopped, or a failure did, is held by nobody.
#[test]
fn a_turn_that_the_agent_did_not_end_is_no_stop() {
    for (status, stops) in [("completed", true), ("aborted", false), ("error", false)] {
        let fields = json!({ "hook_event_name": "stop", "status": status, "loop_count": 0 });
        let kind = event("cursor", &fields).kind;
        assert_eq!(matches!(kind, EventKind::Stop { .. }), stops, "{status}: {kind:?}");
    }
}

fn act(event: &Event) -> &Act {
    match &event.kind {
        EventKind::Before(call) | EventKind::After { call, .. } => &call.act,
        other => panic!("no tool call: {other:?}"),
    }
}

/// An event in a few words, for tables.
fn told(event: &Event) -> String {
    let words = match &event.kind {
        EventKind::SessionStart { source } => format!("start {}", source.word()),
        EventKind::SessionEnd { reason } => format!("end {reason}"),
        EventKind::Prompt { text, automation } => format!("prompt {automation} {text}"),
        EventKind::Before(call) => format!("before {}", told_act(&call.act)),
        EventKind::After { call, outcome } => {
            let state = [(!outcome.ok, " failed"), (outcome.background, " background")];
            let state: String = state.iter().filter(|(on, _)| *on).map(|(_, word)| *word).collect();
            let answers =
                outcome.answers.iter().map(|answer| answer.answer.as_str()).collect::<Vec<_>>();
            let answers = if answers.is_empty() {
                String::new()
            } else {
                format!(" = {}", answers.join(", "))
            };
            format!("after {}{state}{answers}", told_act(&call.act))
        }
        EventKind::Stop { again, waiting, .. } => format!("stop {again} {waiting}"),
        EventKind::SubagentStart { agent, .. } => format!("start of {agent}"),
        EventKind::SubagentStop { agent, again, .. } => format!("stop of {agent} {again}"),
        EventKind::Compact { done } => format!("compact {done}"),
        EventKind::Other => "other".to_owned(),
    };
    match &event.by {
        Actor::Main => words,
        Actor::Subagent { agent, .. } => format!("{agent}: {words}"),
    }
}

fn told_act(act: &Act) -> String {
    match act {
        Act::Read { path } => format!("read {}", path.display()),
        Act::Search { path } => {
            format!("search {}", path.as_deref().unwrap_or(Path::new("?")).display())
        }
        Act::Web { .. } => "web".to_owned(),
        Act::Edit(files) => files.iter().map(told_edit).collect::<Vec<_>>().join(", "),
        Act::Shell { command, background, .. } => {
            format!("shell {background} {}", command.lines().next().unwrap_or_default())
        }
        Act::Delegate { agent, .. } => format!("delegate {agent}"),
        Act::Ask(questions) => {
            format!("ask {}", questions.iter().map(|one| one.text.as_str()).collect::<String>())
        }
        Act::Housekeeping => "housekeeping".to_owned(),
        Act::Schedule { text } => format!("schedule {text}"),
        Act::Foreign { server, .. } => format!("foreign {server}"),
        Act::Unknown => "unknown".to_owned(),
    }
}

fn told_edit(edit: &FileEdit) -> String {
    let change = match &edit.change {
        Change::Replace(edits) => format!("replace {}", edits.len()),
        Change::Whole(text) => format!("whole {text:?}"),
        Change::Hunks(hunks) => format!("hunks {}", hunks.len()),
        Change::Delete => "delete".to_owned(),
        Change::Opaque => "opaque".to_owned(),
    };
    format!("{} {change}", edit.path.display())
}

/// Every file of a host's captures and of its vendor's examples, one line each.
fn told_captures(name: &str) -> String {
    let mut lines = String::new();
    for folder in [name.to_owned(), format!("{name}/docs")] {
        for file in captures(&folder) {
            // A hook line names its event; payloads of some hosts do not.
            let named = file.split(['-', '.']).next();
            let event = read(host(name), &capture(&format!("{folder}/{file}")), named);
            let told = event.as_ref().map_or_else(|problem| format!("bad: {problem}"), told);
            let file = format!("{folder}/{file}");
            lines.extend([file.trim_start_matches(&format!("{name}/")), ": ", &told, "\n"]);
        }
    }
    lines
}

#[test]
fn every_capture_reads_as_its_line_in_the_table_says() {
    for name in names() {
        let table = String::from_utf8(capture(&format!("{name}/_told.txt"))).expect("text");
        pretty_assertions::assert_eq!(told_captures(name), table, "{name}");
    }
}

/// Payloads of a recorded session, in order.
fn sequence(path: &str) -> Vec<Value> {
    let text = String::from_utf8(capture(path)).expect("text");
    let lines =
        text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a recorded line"));
    lines.map(|mut line| line["stdin"].take()).collect()
}

#[test]
fn recorded_sessions_read_to_the_end() {
    let sequences = [
        ("claude", "ask"),
        ("claude", "autocompact"),
        ("claude", "basic"),
        ("claude", "mcp-tool"),
        ("claude", "parallel"),
        ("claude", "resume-compact"),
        ("claude", "subagent-foreground"),
        ("claude", "subagent"),
        ("codex", "autocompact"),
        ("codex", "basic"),
        ("codex", "codemode"),
        ("codex", "mcp-tool"),
        ("codex", "parallel"),
        ("codex", "stdin"),
        ("codex", "subagent"),
        ("gemini", "mcp-tool"),
        ("codex", "opevc"),
        ("codex", "quick"),
        ("gemini", "quick"),
        ("opencode", "quick"),
        ("claude", "approved"),
        ("claude", "compacted"),
        ("claude", "delegated"),
        ("claude", "resumed"),
        ("codex", "compacted"),
        ("codex", "delegated"),
        ("codex", "resumed"),
        ("codex", "typed"),
        ("gemini", "approved"),
        ("opencode", "approved"),
        ("gemini", "delegated"),
        ("gemini", "resumed"),
        ("opencode", "compacted"),
        ("opencode", "delegated"),
        ("opencode", "resumed"),
        ("claude", "first-day"),
        ("codex", "first-day"),
        ("gemini", "first-day"),
        ("opencode", "first-day"),
        ("codex", "approved"),
        ("claude", "asked"),
        ("claude", "rewritten"),
        ("codex", "rewritten"),
        ("claude", "opevc"),
        ("gemini", "opevc"),
        ("opencode", "opevc"),
    ];
    for (name, scenario) in sequences {
        for payload in sequence(&format!("{name}/_sequence-{scenario}.jsonl")) {
            let event = event(name, &payload);
            let known = event.kind != EventKind::Other
                || matches!(
                    event.name.as_str(),
                    "PermissionRequest" | "BeforeModel" | "AfterModel" | "BeforeToolSelection"
                );
            assert!(
                known && event.session.len() >= 30 && event.cwd.is_absolute(),
                "{name} {scenario}: {event:?}"
            );
            let unknown =
                matches!(&event.kind, EventKind::Before(call) if call.act == Act::Unknown);
            assert!(!unknown, "{name} {scenario}: {event:?}");
        }
    }
}

#[test]
fn quotation_marks_that_a_host_puts_around_a_prompt_are_none_of_its_words() {
    let heard = |host: &str, prompt: &str| {
        let name = if host == "opencode" { "chat.message" } else { "UserPromptSubmit" };
        let fields = json!({ "hook_event_name": name, "prompt": prompt });
        match event(host, &fields).kind {
            EventKind::Prompt { text, .. } => text,
            other => panic!("{other:?}"),
        }
    };
    for (sent, words) in [
        ("\"fix the lexer\"", "fix the lexer"),
        ("\"[DROP] not now\"", "[DROP] not now"),
        ("\"say \\\"beta\\\" there\"", "say \"beta\" there"),
        ("\"two\nlines\"", "two\nlines"),
        // What a person quotes themselves.
        ("\"[APPROVE]\"", "\"[APPROVE]\""),
        ("\"beta\"", "\"beta\""),
        ("\"beta\" is what \"alpha\" should say", "\"beta\" is what \"alpha\" should say"),
        ("\"open", "\"open"),
        ("\"", "\""),
        ("fix", "fix"),
        ("", ""),
    ] {
        assert_eq!(heard("opencode", sent), words, "{sent}");
        assert_eq!(heard("claude", sent), sent, "only where the row says so");
    }
}

#[test]
fn a_stop_waits_for_subagents_and_their_word_is_no_prompt() {
    let events: Vec<_> = sequence("claude/_sequence-subagent.jsonl")
        .iter()
        .map(|payload| event("claude", payload))
        .collect();
    let waiting = events
        .iter()
        .filter(|event| matches!(event.kind, EventKind::Stop { waiting: 1, .. }))
        .count();
    let automatic = events
        .iter()
        .filter(|event| matches!(event.kind, EventKind::Prompt { automation: true, .. }))
        .count();
    assert_eq!((waiting, automatic), (2, 1));
}

#[test]
fn bytes_that_are_no_event_are_named() {
    let not_json = |why: &str| BadPayload::NotJson { why: why.to_owned() };
    let cases: [(&[u8], BadPayload); 8] = [
        (b"", BadPayload::Empty),
        (b" \r\n", BadPayload::Empty),
        (b"{", not_json("EOF while parsing an object at line 1 column 1")),
        (b"[]", BadPayload::NotAnObject),
        (b"\"x\"", BadPayload::NotAnObject),
        (b"{}", BadPayload::NoEvent { field: "hook_event_name".to_owned() }),
        (b"{\"hook_event_name\":7}", BadPayload::NoEvent { field: "hook_event_name".to_owned() }),
        (b"{\"a\":\"\xff\"}", not_json("invalid unicode code point at line 1 column 7")),
    ];
    for (bytes, wanted) in cases {
        assert_eq!(read(host("claude"), bytes, None), Err(wanted), "{}", bytes.escape_ascii());
    }
    let large = vec![b' '; PAYLOAD_LIMIT + 1];
    assert_eq!(
        read(host("claude"), &large, None),
        Err(BadPayload::TooLarge { limit: PAYLOAD_LIMIT })
    );
    let deep = [b"[".repeat(100_000), b"]".repeat(100_000)].concat();
    assert!(matches!(read(host("claude"), &deep, None), Err(BadPayload::NotJson { .. })));
}

#[test]
fn the_hook_line_names_the_event_where_the_payload_does_not() {
    let cases = [
        ("{}", Some("Stop"), "Stop"),
        ("\u{feff}{\"hook_event_name\":\"Stop\"}", Some("Other"), "Stop"),
    ];
    for (payload, argument, name) in cases {
        let event = read(host("claude"), payload.as_bytes(), argument).expect("it is an event");
        assert_eq!(event.name, name);
        assert_eq!(event.kind, EventKind::Stop { again: false, waiting: 0, commands: 0 });
    }
}

#[test]
fn a_field_of_the_wrong_type_counts_as_absent() {
    let cases = [
        // tool       input                                              act
        ("Write", r#"{"file_path":7,"content":"x"}"#, "/ whole \"x\""),
        ("Write", r#"{"file_path":"","content":"x"}"#, "/ whole \"x\""),
        ("Edit", r#"{"file_path":["a"],"old_string":"x"}"#, "/ opaque"),
        ("Write", r#"{"file_path":"/a","content":7}"#, "/a opaque"),
        ("Write", r#"{"file_path":"a","content":""}"#, "/w/a whole \"\""),
        ("Edit", r#"{"file_path":"/a","old_string":"x"}"#, "/a opaque"),
        ("Edit", r#"{"file_path":"/a","old_string":"","new_string":"y"}"#, "/a replace 1"),
        (
            "MultiEdit",
            r#"{"file_path":"/a","edits":[{"old_string":"x","new_string":"y"},1]}"#,
            "/a opaque",
        ),
        ("MultiEdit", r#"{"file_path":"/a","edits":{}}"#, "/a opaque"),
        ("Read", "{}", "unknown"),
        ("Grep", r#"{"path":[]}"#, "search ?"),
        ("Bash", r#"{"command":["ls", 1]}"#, "unknown"),
        // The words of one program are a line.
        ("Bash", r#"{"command":["ls", "a b"]}"#, "shell false ls 'a b'"),
        ("Bash", r#"{"command":"ls","run_in_background":"yes"}"#, "shell false ls"),
        ("Monitor", r#"{"command":"ls"}"#, "shell true ls"),
        ("Agent", "null", "delegate general-purpose"),
        (
            "AskUserQuestion",
            r#"{"questions":[1,{"question":"q","options":[{"label":3}]}]}"#,
            "ask q",
        ),
        ("CronCreate", r#"{"prompt":"later"}"#, "schedule later"),
        ("mcp__tiny__echo", "null", "foreign tiny"),
        ("mcp__", "null", "foreign "),
        ("Frobnicate", r#"{"file_path":"/a"}"#, "unknown"),
    ];
    for (tool, input, wanted) in cases {
        let input: Value = serde_json::from_str(input).expect("JSON");
        let payload = json!({"hook_event_name": "PreToolUse", "cwd": "/w", "tool_name": tool,
                "tool_input": input});
        assert_eq!(told_act(act(&event("claude", &payload))), wanted, "{tool} {input}");
    }
    let nameless =
        json!({"hook_event_name": "PreToolUse", "tool_name": {}, "agent_id": 1, "cwd": "w"});
    assert_eq!(told(&event("claude", &nameless)), "before unknown");
}

#[test]
fn paths_are_joined_to_the_directory_and_not_resolved() {
    let cases = [
        ("/w", "src/../a", "/w/src/../a"),
        ("/w", "/b", "/b"),
        ("", "a", "a"),
        ("relative", "a", "a"),
    ];
    for (cwd, path, wanted) in cases {
        let payload = json!({"hook_event_name": "BeforeTool", "cwd": cwd, "tool_name": "read_file",
                "tool_input": {"file_path": path}});
        assert_eq!(told_act(act(&event("gemini", &payload))), format!("read {wanted}"));
    }
    for (dir, wanted) in [("sub", Some("/w/sub")), (".", None), ("/w", None)] {
        let payload = json!({"hook_event_name": "BeforeTool", "cwd": "/w",
                "tool_name": "run_shell_command", 
                "tool_input": {"command": "ls", "dir_path": dir}});
        let Act::Shell { cwd, .. } = act(&event("gemini", &payload)).clone() else {
            panic!("{dir}")
        };
        assert_eq!(cwd.as_deref(), wanted.map(Path::new), "{dir}");
    }
}

#[test]
fn a_prompt_that_no_person_wrote_is_automation() {
    let cases = [
        ("claude", json!({"prompt": "fix it"}), "fix it", false),
        (
            "claude",
            json!({"prompt": "\n <task-notification>\n<task-id>"}),
            "\n <task-notification>\n<task-id>",
            true,
        ),
        (
            "claude",
            json!({"prompt": "why <task-notification>?"}),
            "why <task-notification>?",
            false,
        ),
        ("claude", json!({"prompt": "fix it", "agent_id": "a1"}), "fix it", true),
        ("claude", json!({"prompt": "fix it", "agent_type": "reviewer"}), "fix it", false),
        ("claude", json!({"prompt": ["fix it"]}), "", false),
        (
            "gemini",
            json!({"prompt": "<hook_context>[OFF]</hook_context>\n\n[ON] go"}),
            "[ON] go",
            false,
        ),
        ("gemini", json!({"prompt": "<hook_context>open"}), "<hook_context>open", false),
        ("gemini", json!({"prompt": "<git-seed>\n\ngo on"}), "<git-seed>\n\ngo on", true),
    ];
    for (name, mut payload, words, automatic) in cases {
        payload["hook_event_name"] =
            json!(if name == "gemini" { "BeforeAgent" } else { "UserPromptSubmit" });
        let EventKind::Prompt { text, automation } = event(name, &payload).kind else {
            panic!("{payload}")
        };
        assert_eq!((text.as_str(), automation), (words, automatic), "{payload}");
    }
}

#[test]
fn answers_are_found_by_text_by_id_and_by_place() {
    let asked = json!([{"id": "a", "question": "A?"}, {"id": "b", "question": "B?"}]);
    let cases = [
        ("claude", "AskUserQuestion", json!({"answers": {"B?": "2", "A?": "1"}}), "1 2"),
        ("claude", "AskUserQuestion", json!({"answers": {"B?": "2"}, "afkTimeoutMs": 60000}), "2!"),
        ("claude", "AskUserQuestion", json!({"answers": {"A?": 7, "0": "x", "a": "y"}}), ""),
        ("claude", "AskUserQuestion", json!("declined"), ""),
        (
            "codex",
            "request_user_input",
            json!(r#"{"answers":{"a":{"answers":["1","2"]},"b":{"answers":[]}}}"#),
            "1, 2",
        ),
        ("codex", "request_user_input", json!({"answers": {"b": {"answers": ["3"]}}}), "3"),
        ("gemini", "ask_user", json!({"llmContent": r#"{"answers":{"1":"2","0":"1"}}"#}), "1 2"),
        ("gemini", "ask_user", json!({"llmContent": "no JSON"}), ""),
    ];
    for (name, tool, response, wanted) in cases {
        let after = if name == "gemini" { "AfterTool" } else { "PostToolUse" };
        let payload = json!({"hook_event_name": after, "tool_name": tool,
                "tool_input": {"questions": asked}, "tool_response": response});
        let EventKind::After { outcome, .. } = event(name, &payload).kind else {
            panic!("{payload}")
        };
        let told = outcome
            .answers
            .iter()
            .map(|one| format!("{}{}", one.answer, if one.timed_out { "!" } else { "" }));
        assert_eq!(told.collect::<Vec<_>>().join(" "), wanted, "{payload}");
    }
}

#[test]
fn a_question_that_brings_its_answer_is_marked() {
    let cases = [
        (json!(null), false),
        (json!({}), true),
        (json!({"q": "yes"}), true),
        (json!("yes"), true),
    ];
    for (given, answered) in cases {
        let input = json!({"questions": [{"question": "q", "multiSelect": true,
                "options": [{"label": "yes"}, {"label": "no"}]}], "answers": given});
        let payload = json!({"hook_event_name": "PreToolUse", "tool_name": "AskUserQuestion",
                "tool_input": input});
        let options = vec!["yes".to_owned(), "no".to_owned()];
        let question = Question { text: "q".to_owned(), options, multiple: true, answered };
        assert_eq!(*act(&event("claude", &payload)), Act::Ask(vec![question]), "{payload}");
    }
}

#[test]
fn what_came_of_a_call_is_read_from_its_signs() {
    let cases = [
        // host, event, tool, response                                              ok, background
        (
            "claude",
            "PostToolUse",
            "Bash",
            json!({"stdout": "", "backgroundTaskId": "b1"}),
            true,
            true,
        ),
        ("claude", "PostToolUse", "Agent", json!({"status": "completed"}), true, false),
        ("claude", "PostToolUse", "Agent", json!({"status": "async_launched"}), true, true),
        ("claude", "PostToolUseFailure", "Bash", json!(null), false, false),
        ("codex", "PostToolUse", "mcp__a__b", json!({"isError": true}), false, false),
        ("codex", "PostToolUse", "spawn_agent", json!("{}"), true, true),
        ("gemini", "AfterTool", "write_file", json!({"error": {"message": "no"}}), false, false),
        ("gemini", "AfterTool", "write_file", json!({"error": null}), true, false),
    ];
    for (name, after, tool, response, ok, background) in cases {
        let payload = json!({"hook_event_name": after, "tool_name": tool, "tool_response": response,
                "duration_ms": 7});
        let EventKind::After { outcome, .. } = event(name, &payload).kind else {
            panic!("{payload}")
        };
        assert_eq!((outcome.ok, outcome.background), (ok, background), "{payload}");
        assert_eq!(outcome.duration_ms, (name == "claude").then_some(7));
    }
}

#[test]
fn a_patch_names_every_file_it_touches() {
    let cases = [
        ("", "unknown"),
        ("*** Begin Patch\n*** End Patch", "unknown"),
        ("*** Begin Patch\n*** Add File: \n+x\n*** End Patch", "unknown"),
        ("*** Add File: a b.txt\n+one\n+\n+two", "/w/a b.txt whole \"one\\n\\ntwo\\n\""),
        ("*** Add File: a\r\n+x\r\n*** Delete File: b\r\n", "/w/a whole \"x\\n\", /w/b delete"),
        ("<<'EOF'\n*** Begin Patch\n  *** Delete File: a\n*** End Patch\nEOF\n", "/w/a delete"),
        (
            "*** Update File: a\n-x\n+y\n@@ fn f\n c\n-d\n\n*** Update File: b\n@@\n+z",
            "/w/a hunks 2, /w/b hunks 1",
        ),
        (
            "*** Update File: a\n@@\n ctx\n*** End of File\n*** Delete File: b",
            "/w/a hunks 1, /w/b delete",
        ),
        ("*** Update File: a\n*** Move to: d/b\n@@\n-x\n+y", "/w/a delete, /w/d/b opaque"),
        (
            "*** Update File: a\n@@\n-x\nwhat is this\n*** Add File: b\n+q",
            "/w/a opaque, /w/b whole \"q\\n\"",
        ),
        ("*** Update File: a\n@@\n+*** Add File: b\n", "/w/a hunks 1"),
        ("*** Update File: a\n@@\n-x\n\t*** Delete File: b\n", "/w/a hunks 1, /w/b delete"),
        ("*** Update File: a\n*** Frobnicate\n*** Delete File: /b", "/w/a hunks 0, /b delete"),
    ];
    for (patch, wanted) in cases {
        let payload = json!({"hook_event_name": "PreToolUse", "cwd": "/w",
                "tool_name": "apply_patch", "tool_input": {"command": patch}});
        assert_eq!(told_act(act(&event("codex", &payload))), wanted, "{patch}");
    }
}

#[test]
fn a_capture_cut_anywhere_is_refused_and_not_fallen_over() {
    for name in names() {
        for file in captures(name) {
            let bytes = capture(&format!("{name}/{file}"));
            let whole = bytes.trim_ascii_end().len();
            for cut in 0..whole {
                let answer = read(host(name), &bytes[..cut], None);
                assert!(
                    matches!(answer, Err(BadPayload::Empty | BadPayload::NotJson { .. })),
                    "{file} at {cut}"
                );
            }
        }
    }
}

/// Any JSON, with names and words of payloads among its keys and texts.
fn any_json() -> impl Strategy<Value = Value> {
    let words = prop_oneof![
        Just("PreToolUse"),
        Just("PostToolUse"),
        Just("Stop"),
        Just("BeforeTool"),
        Just("AfterTool"),
        Just("UserPromptSubmit"),
        Just("Write"),
        Just("MultiEdit"),
        Just("AskUserQuestion"),
        Just("apply_patch"),
        Just("run_shell_command"),
        Just("mcp__a"),
        Just("*** Update File: a\n@@\n-x"),
        Just("é"),
        Just(""),
    ];
    let keys = prop_oneof![
        Just("hook_event_name"),
        Just("cwd"),
        Just("tool_name"),
        Just("tool_input"),
        Just("tool_response"),
        Just("prompt"),
        Just("agent_id"),
        Just("background_tasks"),
        Just("file_path"),
        Just("command"),
        Just("edits"),
        Just("questions"),
        Just("question"),
        Just("answers"),
        Just("options"),
        Just("status"),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        words.prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 48, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((keys.clone(), inner), 0..8).prop_map(|members| members
                .into_iter()
                .map(|(key, value)| (key.to_owned(), value))
                .collect()),
        ]
    })
}

proptest! {
    #[test]
    fn any_object_with_an_event_name_is_an_event(mut payload in any_json(),
        argument in "PreToolUse|PostToolUse|Stop|AfterTool|X") {
        if payload.is_object() {
            if payload["hook_event_name"]
                .is_string() { payload["hook_event_name"] = json!(argument); }
            for name in names() {
                let fields = &host(name).fields;
                // Where JSON may be spelled out, a text is a field of an object.
                let spelled = fields.spelled.contains(&fields.input);
                let fits = payload.get(fields.input.as_str()).is_none_or(|input| {
                    input.is_object() || input.is_null() || spelled && input.is_string()
                });
                let event = read(host(name), payload.to_string().as_bytes(), Some(&argument));
                prop_assert_eq!(event.is_ok(), fits);
            }
        }
    }

    #[test]
    fn any_bytes_get_an_answer(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        for name in names() {
            let _ = read(host(name), &bytes, Some("PreToolUse"));
        }
    }
}
