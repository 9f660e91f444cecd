//! A forbidden call to try a host's hook line with, and what counts as its refusal.
//!
//! The line is taken from the settings as they are on disk, so that what is proved is
//! what the host would run.

use std::path::Path;

use serde_json::{Value, json};

use super::document::value_of;
use super::{ActRow, Form, Happening, Host, install};

/// The session that the forbidden call is of.
pub(crate) const CANARY: &str = "doctor";

/// The program and arguments of our hook line for the event before a tool.
pub(crate) fn before_tool_line(settings: &str, host: &Host) -> Option<(String, Vec<String>)> {
    if host.script().is_some() {
        let program = install::program_of_script(settings, host)?;
        let event = before_event(host)?.to_owned();
        return Some((program, vec!["hook".to_owned(), host.name.clone(), event]));
    }
    let settings = value_of(settings, host.settings.comments)?;
    let groups = settings.get("hooks")?.get(before_event(host)?)?.as_array()?;
    let inner = groups.iter().filter_map(|group| group.get("hooks")?.as_array()).flatten();
    let flat = groups.iter().filter(|_| host.install.flat);
    let mut lines = inner.chain(flat);
    lines.find_map(|line| words(line, host))
}

/// True where settings switch every hook off.
pub(crate) fn switches_hooks_off(settings: &str) -> bool {
    let bare: String = settings.split_whitespace().collect();
    bare.contains("\"disableAllHooks\":true")
}

/// What `text` of a settings file says of `key`, whose parts dots join; nothing where it does not
/// read: then the host does not read it, either.
pub(super) fn setting(file: &str, text: &str, key: &str, comments: bool) -> Option<Value> {
    let at = format!("/{}", key.replace('.', "/"));
    settings(file, text, comments)?.pointer(&at).cloned()
}

/// All that a settings file says: TOML by its name, else JSON, in which comments count as blanks
/// where `comments` is true.
pub(super) fn settings(file: &str, text: &str, comments: bool) -> Option<Value> {
    let is_toml = Path::new(file).extension().is_some_and(|end| end == "toml");
    let toml = || serde_json::to_value(text.parse::<toml::Table>().ok()?).ok();
    if is_toml { toml() } else { value_of(text, comments) }
}

/// A payload of `host` that asks for git seed's own state.
pub(crate) fn canary(host: &Host, work_tree: &Path, state: &Path) -> Option<Vec<u8>> {
    let (tool, command) = host.tools.iter().find_map(|row| match &row.act {
        ActRow::Shell { command, .. } => Some((row.names.first()?, command)),
        _ => None,
    })?;
    let fields = &host.fields;
    let mut payload = json!({});
    payload[fields.event.as_str()] = before_event(host)?.into();
    payload[fields.session.as_str()] = CANARY.into();
    payload[fields.cwd.as_str()] = work_tree.to_string_lossy().into();
    payload[fields.tool.as_str()] = tool.as_str().into();
    // A shell takes a backslash for its own, on Windows, too.
    let state = state.to_string_lossy();
    let state = if cfg!(windows) { state.replace('\\', "/") } else { state.into_owned() };
    payload[fields.input.as_str()] =
        json!({ command.as_str(): format!("cat {state}/journal/x.jsonl") });
    if let Some(call) = &fields.call {
        payload[call.as_str()] = "doctor".into();
    }
    serde_json::to_vec(&payload).ok()
}

/// True when `reply`, as printed, refuses a tool call in the host's dialect.
pub(crate) fn is_refusal(_: &Host, reply: &str) -> bool {
    let Ok(reply) = serde_json::from_str::<Value>(reply) else { return false };
    let claude = reply.pointer("/hookSpecificOutput/permissionDecision").and_then(Value::as_str);
    let gemini = reply.get("decision").and_then(Value::as_str);
    let copilot = reply.get("permissionDecision").and_then(Value::as_str);
    let cursor = reply.get("permission").and_then(Value::as_str);
    [claude, copilot, cursor].contains(&Some("deny")) || matches!(gemini, Some("deny" | "block"))
}

fn before_event(host: &Host) -> Option<&str> {
    let before = |name: &&String| host.happening(name) == Some(Happening::Before);
    host.install.events.iter().find(before).map(String::as_str)
}

/// The words of a hook line of ours.
fn words(line: &Value, host: &Host) -> Option<(String, Vec<String>)> {
    let command = line.get(host.install.line_key())?.as_str()?;
    let (program, arguments) = match host.install.form {
        Form::Program => {
            let arguments = line.get("args")?.as_array()?.iter();
            (
                command.to_owned(),
                arguments.filter_map(|word| word.as_str().map(str::to_owned)).collect(),
            )
        }
        Form::Line | Form::Script => ("sh".to_owned(), vec!["-c".to_owned(), command.to_owned()]),
    };
    let ours = command.contains("git-seed") || program.ends_with("git-seed");
    ours.then_some((program, arguments))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Act, EventKind};
    use crate::hosts::{names, read, row};

    #[test]
    fn each_host_names_what_switches_its_hooks_off() {
        for (name, file, text, off) in [
            ("claude", ".claude/settings.json", "{ \"disableAllHooks\": true }", true),
            ("claude", "~/.claude/settings.json", "{ \"disableAllHooks\": true }", true),
            ("claude", ".claude/settings.json", "{ \"disableAllHooks\": false }", false),
            (
                "claude",
                ".claude/settings.json",
                "{ \"env\": { \"disableAllHooks\": true } }",
                false,
            ),
            ("gemini", "~/.gemini/settings.json", "{\"hooksConfig\":{\"enabled\":false}}", true),
            ("gemini", ".gemini/settings.json", "{\"hooksConfig\":{\"enabled\":true}}", false),
            ("gemini", ".gemini/settings.json", "no JSON", false),
            ("codex", ".codex/config.toml", "[features]\nhooks = false\n", true),
            ("codex", "~/.codex/config.toml", "[features]\ncodex_hooks = false\n", true),
            ("codex", ".codex/config.toml", "[features]\nhooks = true\n", false),
        ] {
            let host = row(name).expect("a sound row");
            let said = host.switched_off(|asked| (asked == file).then(|| text.to_owned()));
            assert_eq!(said.map(|(_, file)| file), off.then_some(file), "{name}: {text}");
        }
    }

    #[test]
    fn a_sandbox_in_which_nothing_can_be_changed_is_found() {
        const HOME: &str = "~/.codex/config.toml";
        const HERE: &str = ".codex/config.toml";
        let codex = row("codex").expect("a sound row");
        let (closed, open) = ("sandbox_mode = 'read-only'\n", "sandbox_mode = 'workspace-write'\n");
        for (files, holds) in [
            (&[(HOME, closed)][..], Some(HOME)),
            (&[(HERE, closed)], Some(HERE)),
            // The project's word comes first.
            (&[(HERE, open), (HOME, closed)], None),
            (&[(HERE, closed), (HOME, open)], Some(HERE)),
            (&[(HERE, "model = 'x'\n"), (HOME, closed)], Some(HOME)),
            (&[(HOME, "sandbox_mode = 'danger-full-access'\n")], None),
            (&[(HOME, "[profiles.x]\nsandbox_mode = 'read-only'\n")], None),
            (&[(HOME, "sandbox_mode = true\n")], None),
            (&[(HOME, "sandbox_mode =")], None),
            (&[], None),
        ] {
            let read = |asked: &str| {
                let found = files.iter().find(|(file, _)| *file == asked);
                found.map(|(_, text)| (*text).to_owned())
            };
            let found = codex.is_read_only(read).map(|found| found.file);
            assert_eq!(found, holds, "{files:?}");
        }
        for name in names().filter(|name| *name != "codex") {
            let host = row(name).expect("a sound row");
            assert!(host.is_read_only(|_| Some(closed.to_owned())).is_none(), "{name}");
        }
    }

    #[test]
    fn every_host_can_be_tried() {
        for name in names() {
            let host = row(name).expect("a sound row");
            let settings = install::add(None, host, "/opt/bin/git-seed").expect("settings");
            let (program, arguments) = before_tool_line(&settings.text, host).expect("our line");
            let line = format!("{program} {}", arguments.join(" "));
            assert!(line.contains("/opt/bin/git-seed") && line.contains("hook"), "{name}: {line}");
            let payload =
                canary(host, Path::new("/w"), Path::new("/w/.git/seed")).expect("a payload");
            let event = read(host, &payload, None).expect("it reads");
            assert!(
                matches!(event.kind,
                    EventKind::Before(call) if matches!(call.act, Act::Shell { .. })),
                "{name}"
            );
        }
    }

    #[test]
    fn only_a_refusal_is_a_refusal() {
        let host = row("claude").expect("a sound row");
        for (reply, refusal) in [
            (
                r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}"#,
                true,
            ),
            (
                r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}"#,
                false,
            ),
            (r#"{"decision":"deny","reason":"x"}"#, true),
            ("", false),
            ("deny", false),
        ] {
            assert_eq!(is_refusal(host, reply), refusal, "{reply}");
        }
    }
}
