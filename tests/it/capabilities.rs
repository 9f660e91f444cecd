//! The table of hosts in `docs/hosts.md`, cell by cell: what its rows say is seen in what the
//! clients sent and were answered, or shown by the tests that the page names.

use std::fs;
use std::path::Path;

use git_seed::event::{Act, Actor, EventKind};
use git_seed::hosts;
use pretty_assertions::assert_eq;
use serde_json::Value;

use super::clients::{COLUMNS, Ends, REWRITTEN, SESSIONS, asks, kind, recorded};

/// What was seen in the recorded sessions of one client, by the names of capabilities.
#[derive(Debug, Default)]
struct Seen {
    names: Vec<&'static str>,
}

impl Seen {
    fn note(&mut self, seen: bool, name: &'static str) {
        if seen && !self.names.contains(&name) {
            self.names.push(name);
        }
    }
}

/// Those that recorded sessions show or refute.
const SHOWN: [&str; 11] = [
    "run-hooks",
    "refuse-tool",
    "refuse-stop",
    "inject-start",
    "inject-prompt",
    "ask-person",
    "question-tool",
    "grant",
    "mark-subagents",
    "tell-exits",
    "replace-input",
];

fn seen_of(host: &'static str) -> Seen {
    let row = hosts::row(host).expect("it loads");
    let mut seen = Seen::default();
    for session in SESSIONS.iter().chain(&REWRITTEN).filter(|one| one.host == host) {
        let events = recorded(session, "/home/u/project");
        let read = |payload: &Value| {
            hosts::read(row, payload.to_string().as_bytes(), None).expect("it is an event")
        };
        let read: Vec<_> =
            events.iter().map(|(payload, answer, _)| (read(payload), answer)).collect();
        for (pair, (after, ..)) in events.iter().zip(events.iter().skip(1)) {
            let said = &pair.1["hookSpecificOutput"];
            let field = if host == "gemini" { "tool_input" } else { "updatedInput" };
            let line = &said[field]["command"];
            let ran = line.is_string() && *line == after["tool_input"]["command"];
            seen.note(ran, "replace-input");
        }
        for (at, (event, answer)) in read.iter().enumerate() {
            let [refused, told, _] = kind(answer);
            let next = read.get(at + 1).map(|(event, _)| &event.kind);
            seen.note(true, "run-hooks");
            seen.note(matches!(event.by, Actor::Subagent { .. }), "mark-subagents");
            match &event.kind {
                EventKind::Before(call) => {
                    // A refused call does not run, so nothing comes after it.
                    let ran = |kind: &EventKind| match kind {
                        EventKind::After { call: ran, .. } => ran.act == call.act,
                        _ => false,
                    };
                    seen.note(refused && !next.is_some_and(ran), "refuse-tool");
                    let said = &answer["hookSpecificOutput"];
                    // Another line is not run for the agent's.
                    let granted =
                        said["permissionDecision"] == "allow" && said["updatedInput"].is_null();
                    seen.note(granted, "grant");
                    seen.note(asks(answer) && next.is_some_and(ran), "ask-person");
                }
                EventKind::After { call, outcome } => {
                    let shell = matches!(call.act, Act::Shell { .. });
                    // Of a failure alone a host may tell, too.
                    seen.note(shell && outcome.status == Some(0), "tell-exits");
                    // Codex has its tool with a setting alone, as it was recorded.
                    let asked = !outcome.answers.is_empty() && host != "codex";
                    seen.note(asked && session.ends != Ends::Awaiting, "question-tool");
                }
                EventKind::Stop { .. } => {
                    // What goes on by itself is held; a new prompt is the person's, or ours.
                    let ended = next.is_none_or(|next| {
                        matches!(
                            next,
                            EventKind::SessionEnd { .. } | EventKind::SessionStart { .. }
                        )
                    });
                    let asked =
                        matches!(next, Some(EventKind::Prompt { .. })) && host == "opencode";
                    seen.note(refused && !ended && !asked, "refuse-stop");
                }
                EventKind::SessionStart { .. } => seen.note(told, "inject-start"),
                EventKind::Prompt { .. } => seen.note(told, "inject-prompt"),
                _ => {}
            }
        }
    }
    seen
}

#[test]
fn what_a_row_says_is_seen_in_what_the_client_sent() {
    for host in ["claude", "codex", "gemini", "opencode"] {
        let row = hosts::row(host).expect("it loads");
        let seen = seen_of(host);
        let shown = row.capabilities().filter(|(name, _)| SHOWN.contains(name));
        let said: Vec<(&str, bool)> = shown.collect();
        let found: Vec<(&str, bool)> =
            said.iter().map(|(name, _)| (*name, seen.names.contains(name))).collect();
        assert_eq!(found, said, "{host}: seen on the left, said on the right");
    }
}

/// Each column of the table has a line that names its tests, and each of these is there.
#[test]
fn each_cell_names_the_test_that_shows_it_or_is_not_tried() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |file: &str| fs::read_to_string(root.join(file)).expect("it is there");
    let docs = read("docs/hosts.md");
    let (_, rest) = docs.split_once("<!-- shown -->\n").expect("a table begins");
    let (told, _) = rest.split_once("<!-- /shown -->").expect("it ends");
    let rows: Vec<&str> = told.lines().skip(2).collect();
    let heads = rows.iter().map(|row| row.trim_matches('|').split('|').next().unwrap_or_default());
    let heads: Vec<&str> = heads.map(str::trim).collect();
    assert_eq!(heads, COLUMNS.map(|(_, head)| head), "a line for each column");
    let live = read("tests/clients/main.rs");
    for ((name, head), row) in COLUMNS.into_iter().zip(&rows) {
        let tests: Vec<&str> = row.split('`').skip(1).step_by(2).collect();
        assert!(!tests.is_empty(), "{head} names its tests");
        let recorded = "capabilities::what_a_row_says_is_seen_in_what_the_client_sent";
        assert_eq!(tests.contains(&recorded), SHOWN.contains(&name), "{head}");
        for test in tests {
            if let Some((file, test)) = test.split_once("::") {
                let code = read(&format!("tests/it/{file}.rs"));
                let there = code.contains(&format!("fn {test}("));
                assert!(there, "{head}: tests/it/{file}.rs has no {test}");
                continue;
            }
            // What is played live, in each client that can do it.
            let rows = hosts::names().filter_map(|host| hosts::row(host).ok());
            let can = |row: &hosts::Host| row.capabilities().any(|one| one == (name, true));
            for row in rows.filter(|row| row.tried.is_some() && can(row)) {
                let there = live.contains(&format!(" {}_{test}", row.name));
                assert!(there, "{head}: {} is not played by {test}", row.name);
            }
        }
    }
}
