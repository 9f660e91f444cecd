//! What we say to a host, in its dialect.
//!
//! Silence is `None`: no objection, and no grant. A reply holds only keys that the host
//! knows for that event, because a host that meets another one may run the tool after all.
//! A word that has no place in an event is lowered: a refusal becomes context, or a word
//! to the person; context joins the refusal's reason. Exit codes and printing are the caller's.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::{Dialect, Happening, Host, signs};
use crate::event::Event;

/// What is to be said about one event; several can hold at once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// No, and what to do instead; for the agent.
    pub refuse: Option<String>,
    /// A fact for the agent.
    pub context: Option<String>,
    /// A word to the person.
    pub to_person: Option<String>,
    /// The person need not be asked about this call. A refusal beats it.
    pub grant: bool,
    /// The line that is to run instead, without asking. A refusal beats it, and an event
    /// that cannot be rewritten has no place for it.
    pub rewrite: Option<String>,
    /// The person is to be asked about this call, with these words. A refusal beats it, and so
    /// does an event that asks nobody.
    pub ask: Option<String>,
}

impl Answer {
    /// No objection.
    pub fn silence() -> Self {
        Self::default()
    }

    /// A refusal: of a tool call, a prompt, or a stop.
    pub fn refuse(reason: impl Into<String>) -> Self {
        Self { refuse: Some(reason.into()), ..Self::default() }
    }

    /// A fact for the agent.
    pub fn context(text: impl Into<String>) -> Self {
        Self { context: Some(text.into()), ..Self::default() }
    }

    /// A word to the person.
    pub fn to_person(text: impl Into<String>) -> Self {
        Self { to_person: Some(text.into()), ..Self::default() }
    }

    /// Leave to run if the person says so.
    pub fn ask(words: impl Into<String>) -> Self {
        Self { ask: Some(words.into()), ..Self::default() }
    }

    /// Leave to run without asking the person.
    pub fn grant() -> Self {
        Self { grant: true, ..Self::default() }
    }
}

/// The JSON object to print, or `None` for nothing at all.
///
/// Context for an event that has no place for it is left out, a word to the person too:
/// say it at an event that has one.
pub fn reply(host: &Host, event: &Event, answer: &Answer) -> Option<Value> {
    let happening = host.happening(&event.name)?;
    let said = lowered(host, happening, event, answer);
    let object = match host.reply.dialect {
        Dialect::Claude => claude(happening, &event.name, &said),
        Dialect::Gemini => gemini(&event.name, &said),
        Dialect::VsCode => vs_code(happening, &event.name, &said),
        Dialect::Copilot => copilot(happening, &said),
        Dialect::Cursor => cursor(happening, &said),
    };
    (!object.is_empty()).then_some(Value::Object(object))
}

/// What is left of an answer once the event's limits are kept.
#[derive(Default)]
struct Said {
    refuse: Option<String>,
    context: Option<String>,
    person: Option<String>,
    grant: bool,
    /// The whole input of the call, with another line in it.
    input: Option<Value>,
    ask: Option<String>,
}

fn lowered(host: &Host, happening: Happening, event: &Event, answer: &Answer) -> Said {
    let row = &host.reply;
    let limit = row.limit;
    let can = |list: &[Happening]| list.contains(&happening);
    let escapes = row.escapes.contains(&happening);
    let to_agent = |text| if escapes { signs::in_capitals(text) } else { Cow::Borrowed(text) };
    let reason = answer.refuse.as_deref().map(reason_or_default).map(to_agent);
    let reason = reason.as_deref();
    let context = answer.context.as_deref().map(to_agent);
    let context = context.as_deref();
    let echo = row.echo.as_deref().filter(|_| happening == Happening::Stop);
    let mut said =
        Said { grant: answer.grant && reason.is_none() && can(&row.grant), ..Said::default() };
    if let (Some(line), Some(call), None) = (&answer.rewrite, &event.rewritable, reason) {
        let mut input = call.input.clone();
        input[&call.field] = json!(line);
        said.input = Some(input);
    }
    if reason.is_none() && event.puts_questions && happening == Happening::Before {
        said.ask = answer.ask.as_deref().map(|words| shortened(words, limit).into_owned());
    }
    if can(&row.refuse) && reason.is_some() {
        said.refuse = joined(&[echo, reason, context], limit);
    } else if can(&row.context) {
        said.context = joined(&[reason, context], limit);
    }
    if can(&row.person) {
        let lost = reason.filter(|_| said.refuse.is_none() && said.context.is_none());
        said.person = joined(&[lost, answer.to_person.as_deref()], limit);
    }
    said
}

/// A host that gets an empty reason takes the hook for failed and runs the tool.
fn reason_or_default(reason: &str) -> &str {
    if reason.trim().is_empty() { "git seed refused this." } else { reason }
}

fn joined(parts: &[Option<&str>], limit: usize) -> Option<String> {
    let parts: Vec<&str> =
        parts.iter().flatten().copied().filter(|part| !part.trim().is_empty()).collect();
    (!parts.is_empty()).then(|| shortened(&parts.join("\n\n"), limit).into_owned())
}

fn claude(happening: Happening, event: &str, said: &Said) -> Map<String, Value> {
    let mut reply = Map::new();
    let mut specific = Map::new();
    match &said.refuse {
        Some(reason) if happening == Happening::Before => {
            specific.insert("permissionDecision".to_owned(), json!("deny"));
            specific.insert("permissionDecisionReason".to_owned(), json!(reason));
        }
        Some(reason) => {
            reply.insert("decision".to_owned(), json!("block"));
            reply.insert("reason".to_owned(), json!(reason));
        }
        None if said.ask.is_some() => {
            specific.insert("permissionDecision".to_owned(), json!("ask"));
            specific.insert("permissionDecisionReason".to_owned(), json!(said.ask));
        }
        None if said.grant || said.input.is_some() => {
            specific.insert("permissionDecision".to_owned(), json!("allow"));
            if let Some(input) = &said.input {
                specific.insert("updatedInput".to_owned(), input.clone());
            }
        }
        None => {}
    }
    add_specific(&mut reply, event, specific, said);
    reply
}

fn gemini(event: &str, said: &Said) -> Map<String, Value> {
    let mut reply = Map::new();
    if let Some(reason) = &said.refuse {
        reply.insert("decision".to_owned(), json!("deny"));
        reply.insert("reason".to_owned(), json!(reason));
    }
    let mut specific = Map::new();
    if let Some(input) = &said.input {
        specific.insert("tool_input".to_owned(), input.clone());
    }
    add_specific(&mut reply, event, specific, said);
    reply
}

/// Claude's, with the end of a turn among what is specific to the event.
fn vs_code(happening: Happening, event: &str, said: &Said) -> Map<String, Value> {
    let ends = matches!(happening, Happening::Stop | Happening::SubagentStop);
    let Some(reason) = said.refuse.as_ref().filter(|_| ends) else {
        return claude(happening, event, said);
    };
    let mut specific = Map::new();
    specific.insert("decision".to_owned(), json!("block"));
    specific.insert("reason".to_owned(), json!(reason));
    let mut reply = Map::new();
    add_specific(&mut reply, event, specific, said);
    reply
}

fn copilot(happening: Happening, said: &Said) -> Map<String, Value> {
    let mut reply = Map::new();
    match &said.refuse {
        Some(reason) if happening == Happening::Before => {
            reply.insert("permissionDecision".to_owned(), json!("deny"));
            reply.insert("permissionDecisionReason".to_owned(), json!(reason));
        }
        Some(reason) => {
            reply.insert("decision".to_owned(), json!("block"));
            reply.insert("reason".to_owned(), json!(reason));
        }
        None if said.grant => {
            reply.insert("permissionDecision".to_owned(), json!("allow"));
        }
        None => {}
    }
    if let Some(context) = &said.context {
        reply.insert("additionalContext".to_owned(), json!(context));
    }
    reply
}

/// The model reads `user_message`, and may not read the other one.
fn cursor(happening: Happening, said: &Said) -> Map<String, Value> {
    let mut reply = Map::new();
    match (&said.refuse, happening) {
        (Some(reason), Happening::Stop | Happening::SubagentStop) => {
            reply.insert("followup_message".to_owned(), json!(reason));
        }
        (Some(reason), Happening::Prompt) => {
            reply.insert("continue".to_owned(), json!(false));
            reply.insert("user_message".to_owned(), json!(reason));
        }
        (Some(reason), _) => {
            reply.insert("permission".to_owned(), json!("deny"));
            reply.insert("user_message".to_owned(), json!(reason));
            reply.insert("agent_message".to_owned(), json!(reason));
        }
        (None, _) => {}
    }
    if let Some(context) = &said.context {
        reply.insert("additional_context".to_owned(), json!(context));
    }
    reply
}

fn add_specific(
    reply: &mut Map<String, Value>,
    event: &str,
    specific: Map<String, Value>,
    said: &Said,
) {
    let mut output = Map::new();
    output.insert("hookEventName".to_owned(), json!(event));
    output.extend(specific);
    if let Some(context) = &said.context {
        output.insert("additionalContext".to_owned(), json!(context));
    }
    if output.len() > 1 {
        reply.insert("hookSpecificOutput".to_owned(), Value::Object(output));
    }
    if let Some(word) = &said.person {
        reply.insert("systemMessage".to_owned(), json!(word));
    }
}

/// Marks a text that goes on where we do not.
const MORE: &str = " […]";

/// The text within `limit` UTF-16 units, the unit hosts count in: cut after a sentence,
/// else between words, else where the limit falls.
fn shortened(text: &str, limit: usize) -> Cow<'_, str> {
    if units(text) <= limit {
        return Cow::Borrowed(text);
    }
    let room = prefix(text, limit.saturating_sub(units(MORE)));
    let half = room.len() / 2;
    let ends_sentence =
        |end: &usize| text[*end..].starts_with(char::is_whitespace) || room[..*end].ends_with('\n');
    let mut ends = room.match_indices(['.', '!', '?', '\n']).map(|(at, end)| at + end.len());
    let sentence = ends.rfind(ends_sentence).filter(|end| *end > half);
    let end = sentence.or_else(|| room.rfind(char::is_whitespace).filter(|end| *end > half));
    Cow::Owned(format!("{}{MORE}", room[..end.unwrap_or(room.len())].trim_end()))
}

fn units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

fn prefix(text: &str, limit: usize) -> &str {
    let mut used = 0;
    let over = text.char_indices().find(|(_, letter)| {
        used += letter.len_utf16();
        used > limit
    });
    &text[..over.map_or(text.len(), |(at, _)| at)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hosts::{read, row};
    use proptest::prelude::*;

    fn said(host: &str, event: &str, answer: &Answer) -> Option<Value> {
        let host = row(host).expect("the row loads");
        let event = read(host, b"{}", Some(event)).expect("it is an event");
        reply(host, &event, answer)
    }

    #[test]
    fn each_host_is_answered_in_its_dialect() {
        let specific = |event: &str, key: &str, text: &str| {
            json!({"hookSpecificOutput": {
            "hookEventName": event, key: text}})
        };
        let deny = json!({"hookSpecificOutput": {
            "hookEventName": "PreToolUse", "permissionDecision": "deny",
            "permissionDecisionReason": "no"}});
        let block = json!({"decision": "block", "reason": "no"});
        let context = |event| specific(event, "additionalContext", "fact");
        let cases = [
            ("claude", "PreToolUse", Answer::refuse("no"), Some(deny.clone())),
            (
                "claude",
                "PreToolUse",
                Answer::grant(),
                Some(specific("PreToolUse", "permissionDecision", "allow")),
            ),
            ("claude", "PreToolUse", Answer::context("fact"), Some(context("PreToolUse"))),
            ("claude", "UserPromptSubmit", Answer::refuse("no"), Some(block.clone())),
            ("claude", "Stop", Answer::refuse("no"), Some(block.clone())),
            ("claude", "SubagentStop", Answer::refuse("no"), Some(block.clone())),
            ("claude", "SessionStart", Answer::context("fact"), Some(context("SessionStart"))),
            (
                "claude",
                "SessionEnd",
                Answer::to_person("word"),
                Some(json!({"systemMessage": "word"})),
            ),
            ("codex", "PreToolUse", Answer::refuse("no"), Some(deny)),
            ("codex", "PostToolUse", Answer::context("fact"), Some(context("PostToolUse"))),
            ("codex", "Stop", Answer::refuse("no"), Some(block)),
            (
                "gemini",
                "BeforeTool",
                Answer::refuse("no"),
                Some(json!({"decision": "deny", "reason": "no"})),
            ),
            (
                "gemini",
                "AfterAgent",
                Answer::refuse("no"),
                Some(json!({"decision": "deny", "reason": "<git-seed>\n\nno"})),
            ),
            ("gemini", "SessionStart", Answer::context("fact"), Some(context("SessionStart"))),
        ];
        for (host, event, answer, wanted) in cases {
            assert_eq!(said(host, event, &answer), wanted, "{host} {event} {answer:?}");
        }
    }

    #[test]
    fn hosts_that_are_known_from_documentation_are_answered_in_their_dialects() {
        let specific_deny = json!({"hookSpecificOutput": {
            "hookEventName": "PreToolUse", "permissionDecision": "deny",
            "permissionDecisionReason": "no"}});
        let cases = [
            ("droid", "PreToolUse", Answer::refuse("no"), Some(specific_deny.clone())),
            ("vscode", "PreToolUse", Answer::refuse("no"), Some(specific_deny)),
            (
                "vscode",
                "Stop",
                Answer::refuse("no"),
                Some(json!({"hookSpecificOutput": {
                    "hookEventName": "Stop", "decision": "block", "reason": "no"}})),
            ),
            (
                "copilot",
                "preToolUse",
                Answer::refuse("no"),
                Some(json!({"permissionDecision": "deny", "permissionDecisionReason": "no"})),
            ),
            (
                "copilot",
                "preToolUse",
                Answer::grant(),
                Some(json!({"permissionDecision": "allow"})),
            ),
            (
                "copilot",
                "agentStop",
                Answer::refuse("no"),
                Some(json!({"decision": "block", "reason": "no"})),
            ),
            (
                "copilot",
                "sessionStart",
                Answer::context("fact"),
                Some(json!({"additionalContext": "fact"})),
            ),
            (
                "cursor",
                "preToolUse",
                Answer::refuse("no"),
                Some(json!({"permission": "deny", "user_message": "no", "agent_message": "no"})),
            ),
            (
                "cursor",
                "stop",
                Answer::refuse("no"),
                Some(json!({"followup_message": "<git-seed>\n\nno"})),
            ),
            (
                "cursor",
                "beforeSubmitPrompt",
                Answer::refuse("no"),
                Some(json!({"continue": false, "user_message": "no"})),
            ),
            (
                "cursor",
                "postToolUse",
                Answer::context("fact"),
                Some(json!({"additional_context": "fact"})),
            ),
        ];
        for (host, event, answer, wanted) in cases {
            assert_eq!(said(host, event, &answer), wanted, "{host} {event} {answer:?}");
        }
    }

    #[test]
    fn placeholders_reach_a_model_that_would_read_other_signs() {
        let told = "git seed phase advance --scope <dir> -m \"<why it grew>\"";
        let plain = "git seed phase advance --scope DIR -m \"WHY IT GREW\"";
        let context = Answer::context(told);
        for (host, event, answer, wanted) in [
            ("gemini", "SessionStart", &context, plain),
            ("gemini", "BeforeAgent", &context, plain),
            ("gemini", "AfterTool", &context, plain),
            ("gemini", "BeforeTool", &Answer::refuse(told), told),
            ("codex", "Stop", &Answer::refuse(told), plain),
            ("codex", "SubagentStop", &Answer::refuse(told), plain),
            ("codex", "PreToolUse", &Answer::refuse(told), told),
            ("codex", "SessionStart", &context, told),
            ("claude", "Stop", &Answer::refuse(told), told),
            ("claude", "UserPromptSubmit", &context, told),
        ] {
            let said = said(host, event, answer).expect("something is said");
            let specific = &said["hookSpecificOutput"];
            let places = [
                &said["reason"],
                &specific["additionalContext"],
                &specific["permissionDecisionReason"],
            ];
            let heard = places.into_iter().find_map(Value::as_str);
            assert_eq!(heard, Some(wanted), "{host} {event}");
        }
        let person = Answer::to_person(told);
        let word = said("gemini", "SessionStart", &person).expect("a word");
        assert_eq!(word["systemMessage"], told, "the person reads the signs as they are");
        let ends = said("gemini", "AfterAgent", &Answer::refuse(told)).expect("it goes on");
        assert_eq!(ends["reason"], format!("<git-seed>\n\n{told}"), "this is sent as it is");
    }

    #[test]
    fn silence_prints_nothing() {
        for (host, event) in [("claude", "PreToolUse"), ("codex", "Stop"), ("gemini", "BeforeTool")]
        {
            assert_eq!(said(host, event, &Answer::silence()), None);
        }
    }

    #[test]
    fn a_word_without_a_place_is_lowered_or_left_out() {
        let context = |event: &str, text: &str| {
            json!(
                {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}})
        };
        let cases = [
            ("claude", "PostToolUse", Answer::refuse("no"), Some(context("PostToolUse", "no"))),
            ("claude", "SubagentStart", Answer::refuse("no"), Some(context("SubagentStart", "no"))),
            ("claude", "SessionEnd", Answer::refuse("no"), Some(json!({"systemMessage": "no"}))),
            ("claude", "PreCompact", Answer::refuse("no"), Some(json!({"systemMessage": "no"}))),
            ("claude", "Stop", Answer::context("fact"), None),
            ("claude", "Stop", Answer::grant(), None),
            ("claude", "PermissionRequest", Answer::refuse("no"), None),
            ("codex", "PreToolUse", Answer::grant(), None),
            ("codex", "SessionEnd", Answer::to_person("word"), None),
            ("gemini", "BeforeTool", Answer::context("fact"), None),
            ("gemini", "AfterTool", Answer::refuse("no"), Some(context("AfterTool", "no"))),
        ];
        for (host, event, answer, wanted) in cases {
            assert_eq!(said(host, event, &answer), wanted, "{host} {event} {answer:?}");
        }
    }

    #[test]
    fn several_words_hold_at_once() {
        let everything = Answer {
            refuse: Some("no".to_owned()),
            context: Some("fact".to_owned()),
            to_person: Some("word".to_owned()),
            grant: true,
            rewrite: None,
            ask: Some("may it".to_owned()),
        };
        let denied = json!({
            "hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",
                "permissionDecisionReason": "no\n\nfact"},
            "systemMessage": "word"});
        assert_eq!(said("claude", "PreToolUse", &everything), Some(denied));
        let allowed = Answer { refuse: None, ..everything };
        let granted = json!({
            "hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow",
                "additionalContext": "fact"},
            "systemMessage": "word"});
        assert_eq!(said("claude", "PreToolUse", &allowed), Some(granted));
    }

    #[test]
    fn a_line_is_replaced_with_the_whole_input_around_it() {
        let payload = json!({"tool_name": "Bash", "permission_mode": "bypassPermissions",
            "tool_input": {"command": "make", "timeout": 5}});
        let answer = Answer { rewrite: Some("confined make".to_owned()), ..Answer::silence() };
        let reply_of = |host: &str, event: &str, payload: &Value, answer: &Answer| {
            let host = row(host).expect("the row loads");
            let event =
                read(host, payload.to_string().as_bytes(), Some(event)).expect("it is an event");
            reply(host, &event, answer)
        };
        let rewritten = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse",
                "permissionDecision": "allow",
            "updatedInput": {"command": "confined make", "timeout": 5}}});
        for host in ["claude", "codex"] {
            assert_eq!(
                reply_of(host, "PreToolUse", &payload, &answer),
                Some(rewritten.clone()),
                "{host}"
            );
            assert_eq!(
                reply_of(host, "PostToolUse", &payload, &answer),
                None,
                "{host}: it has run"
            );
            let refused = Answer { rewrite: answer.rewrite.clone(), ..Answer::refuse("no") };
            let reply = reply_of(host, "PreToolUse", &payload, &refused).expect("it refuses");
            assert_eq!(reply["hookSpecificOutput"]["permissionDecision"], "deny", "{host}");
            assert_eq!(reply["hookSpecificOutput"]["updatedInput"], Value::Null, "{host}");
        }
        let edit = json!({"tool_name": "Write", "permission_mode": "bypassPermissions",
                "tool_input": {"file_path": "a"}});
        assert_eq!(reply_of("claude", "PreToolUse", &edit, &answer), None);
        let payload = json!({"tool_name": "run_shell_command",
            "tool_input": {"command": "make", "description": "builds"}});
        assert_eq!(
            reply_of("gemini", "BeforeTool", &payload, &answer),
            Some(json!({"hookSpecificOutput": {"hookEventName": "BeforeTool",
                "tool_input": {"command": "confined make", "description": "builds"}}}))
        );
        let refused = Answer { rewrite: answer.rewrite.clone(), ..Answer::refuse("no") };
        let reply = reply_of("gemini", "BeforeTool", &payload, &refused).expect("it refuses");
        assert_eq!(reply, json!({"decision": "deny", "reason": "no"}));
    }

    #[test]
    fn an_empty_reason_still_refuses() {
        for reason in ["", " \n"] {
            let reply = said("codex", "PreToolUse", &Answer::refuse(reason)).expect("it refuses");
            assert_eq!(
                reply["hookSpecificOutput"]["permissionDecisionReason"],
                "git seed refused this."
            );
        }
    }

    #[test]
    fn a_long_text_ends_after_a_sentence() {
        let cases = [
            ("Short.", 6, "Short."),
            ("One two. Three four.", 16, "One two. […]"),
            ("Version 1.2 is here now", 16, "Version 1.2 […]"),
            ("line one\nline two", 14, "line one […]"),
            ("aaaaaaaaaaaaaaaaaaaa", 10, "aaaaaa […]"),
            ("😀😀😀😀😀😀", 10, "😀😀😀 […]"),
        ];
        for (text, limit, wanted) in cases {
            assert_eq!(shortened(text, limit), wanted, "{text}");
            assert!(units(wanted) <= limit, "{text}");
        }
        let long = "A sentence of some length stands here. ".repeat(500);
        let reply = said("claude", "SessionStart", &Answer::context(&long)).expect("it speaks");
        let text = reply["hookSpecificOutput"]["additionalContext"].as_str().expect("text");
        assert!(
            (9_900..=10_000).contains(&units(text)) && text.ends_with("here. […]"),
            "{}",
            units(text)
        );
    }

    proptest! {
        #[test]
        fn no_text_grows_past_the_limit(text in "\\PC{0,80}", limit in 8..60usize) {
            let short = shortened(&text, limit);
            prop_assert!(units(&short) <= limit);
            prop_assert!(text.starts_with(short.trim_end_matches(MORE).trim_end()));
        }
    }
}
