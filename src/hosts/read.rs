//! Payload bytes to [`Event`], by a host's row.
//!
//! Bad bytes get a named answer; strange values inside a good object never do: a field of
//! the wrong type counts as absent, an unknown tool is [`Act::Unknown`], an unknown event
//! (and every permission dialogue, which follows a before-tool event that was judged
//! already) is [`Kind::Other`]. Paths are joined to the payload's directory and not
//! resolved. The payload must be JSON, so bytes that are not UTF-8 are refused as that.

use std::iter::Peekable;
use std::path::{Path, PathBuf};
use std::str::Lines;

use serde_json::{Map, Value};

use super::{ActRow, AnswerKey, AskRow, Happening, Host, Sign};
use crate::event::{
    Act, Actor, Answer, Change, Event, FileEdit, Hunk, Kind, Outcome, Question, Replacement, ToolCall,
};

/// Largest payload that is read, in bytes.
pub const PAYLOAD_LIMIT: usize = 16 * 1024 * 1024;

/// The bytes on stdin are no event.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadPayload {
    /// Nothing, or blanks only.
    #[error("the hook got nothing on stdin; a host sends one JSON object")]
    Empty,
    /// More than [`PAYLOAD_LIMIT`].
    #[error("the hook's payload is larger than {limit} bytes")]
    TooLarge { limit: usize },
    /// Not JSON, or not UTF-8; cut off, or nested deeper than 128.
    #[error("the hook's payload is not JSON: {why}")]
    NotJson { why: String },
    /// JSON, but a list, a string …
    #[error("the hook's payload is JSON but not an object")]
    NotAnObject,
    /// Neither the payload nor the hook line names the event.
    #[error("the hook's payload has no event name in `{field}`, and the hook line gives none")]
    NoEvent { field: String },
}

/// Reads one payload. `event_argument` is the event named on the hook line, used where
/// the payload does not say.
///
/// `cwd` is empty where the payload gives no absolute one; relative paths stay relative then.
pub fn read(host: &'static Host, bytes: &[u8], event_argument: Option<&str>) -> Result<Event, BadPayload> {
    let top = object(bytes)?;
    let cwd = cwd(host, &top);
    let payload = Payload { host, top, cwd };
    let named = payload.text(&host.fields.event).or(event_argument.filter(|name| !name.is_empty()));
    let name = named.ok_or_else(|| BadPayload::NoEvent { field: host.fields.event.clone() })?;
    Ok(Event {
        host: &host.name,
        name: name.to_owned(),
        session: payload.owned(&host.fields.session),
        by: payload.actor(),
        kind: payload.kind(name),
        cwd: payload.cwd.clone(),
    })
}

/// The JSON text with each half of a surrogate pair replaced by U+FFFD; `None` without any.
fn whole_surrogates(bytes: &[u8]) -> Option<Vec<u8>> {
    let unit = |at: usize| -> Option<u32> {
        let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let mut mended = Vec::with_capacity(bytes.len());
    let mut changed = false;
    let mut at = 0;
    while at < bytes.len() {
        let step = match (unit(at), unit(at + 6)) {
            _ if bytes[at] != b'\\' => 1,
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(0xD800..=0xDFFF), _) => {
                mended.extend_from_slice(b"\\ufffd");
                changed = true;
                at += 6;
                continue;
            }
            (Some(_), _) => 6,
            // An escape of two bytes: its second byte begins nothing.
            (None, _) => 2,
        };
        let end = bytes.len().min(at + step);
        mended.extend_from_slice(&bytes[at..end]);
        at = end;
    }
    changed.then_some(mended)
}

fn object(bytes: &[u8]) -> Result<Value, BadPayload> {
    if bytes.len() > PAYLOAD_LIMIT {
        return Err(BadPayload::TooLarge { limit: PAYLOAD_LIMIT });
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii();
    if bytes.is_empty() {
        return Err(BadPayload::Empty);
    }
    // A host in JavaScript writes half a surrogate pair as it is; the rest of the payload
    // is sound, and an act must not go unjudged for one bad character.
    let parsed = serde_json::from_slice(bytes).or_else(|error| match whole_surrogates(bytes) {
        Some(mended) => serde_json::from_slice(&mended),
        None => Err(error),
    });
    let value: Value = parsed.map_err(|error| BadPayload::NotJson { why: error.to_string() })?;
    if value.is_object() { Ok(value) } else { Err(BadPayload::NotAnObject) }
}

fn cwd(host: &Host, top: &Value) -> PathBuf {
    let named = top.get(&host.fields.cwd).and_then(Value::as_str).map(Path::new);
    named.filter(|path| path.is_absolute()).map(Path::to_owned).unwrap_or_default()
}

struct Payload {
    host: &'static Host,
    top: Value,
    cwd: PathBuf,
}

/// The text of a field, if it is text and not empty.
fn text<'v>(object: &'v Value, field: &str) -> Option<&'v str> {
    object.get(field)?.as_str().filter(|text| !text.is_empty())
}

/// The text of a field as it stands, empty or not.
fn string(object: &Value, field: &str) -> Option<String> {
    object.get(field)?.as_str().map(str::to_owned)
}

fn flag(object: &Value, field: &str) -> bool {
    object.get(field).and_then(Value::as_bool).unwrap_or(false)
}

fn list<'v>(object: &'v Value, field: &str) -> &'v [Value] {
    object.get(field).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

impl Payload {
    fn text(&self, field: &str) -> Option<&str> {
        text(&self.top, field)
    }

    fn owned(&self, field: &str) -> String {
        self.text(field).unwrap_or_default().to_owned()
    }

    fn optional(&self, field: Option<&String>) -> String {
        field.map(|field| self.owned(field)).unwrap_or_default()
    }

    fn agent(&self) -> (String, String) {
        let fields = &self.host.fields;
        (self.optional(fields.agent.as_ref()), self.optional(fields.agent_type.as_ref()))
    }

    /// A type without an id is a session that was started as that agent.
    fn actor(&self) -> Actor {
        match self.agent() {
            (id, _) if id.is_empty() => Actor::Main,
            (id, agent) => Actor::Subagent { id, agent },
        }
    }

    fn kind(&self, event: &str) -> Kind {
        let fields = &self.host.fields;
        let (id, agent) = self.agent();
        let again = flag(&self.top, &fields.again);
        match self.host.happening(event) {
            None => Kind::Other,
            Some(Happening::SessionStart) => Kind::SessionStart { source: self.owned(&fields.source) },
            Some(Happening::SessionEnd) => Kind::SessionEnd { reason: self.owned(&fields.reason) },
            Some(Happening::Prompt) => self.prompt(),
            Some(Happening::Before) => Kind::Before(self.call()),
            Some(Happening::After) => self.after(true),
            Some(Happening::Failed) => self.after(false),
            Some(Happening::Stop) => Kind::Stop { again, waiting: self.waiting() },
            Some(Happening::SubagentStart) => Kind::SubagentStart { id, agent },
            Some(Happening::SubagentStop) => Kind::SubagentStop { id, agent, again },
            Some(Happening::CompactBefore) => Kind::Compact { done: false },
            Some(Happening::CompactAfter) => Kind::Compact { done: true },
        }
    }

    fn prompt(&self) -> Kind {
        let text = self.unwrapped(self.text(&self.host.fields.prompt).unwrap_or_default());
        let begins = |tag: &String| text.trim_start().starts_with(tag.as_str());
        let automation = self.actor() != Actor::Main || self.host.prompt.automation.iter().any(begins);
        Kind::Prompt { text: text.to_owned(), automation }
    }

    /// The person's words, without what the host put in front of them.
    fn unwrapped<'t>(&self, prompt: &'t str) -> &'t str {
        let Some(tags) = &self.host.prompt.wrapper else { return prompt };
        let wrapped = prompt.strip_prefix(&tags.open).and_then(|rest| rest.split_once(&tags.close));
        wrapped.map_or(prompt, |(_, words)| words.trim_start_matches(['\r', '\n']))
    }

    fn waiting(&self) -> u32 {
        let Some(tasks) = &self.host.tasks else { return 0 };
        let over = |task: &&Value| {
            text(task, &tasks.status).is_some_and(|status| tasks.finished.iter().any(|word| word == status))
        };
        let counts = |task: &&Value| {
            text(task, &tasks.kind).is_none_or(|kind| tasks.counts.iter().any(|word| word == kind))
        };
        let running = list(&self.top, &tasks.list).iter().filter(counts).filter(|task| !over(task)).count();
        u32::try_from(running).unwrap_or(u32::MAX)
    }

    fn call(&self) -> ToolCall {
        let tool = self.owned(&self.host.fields.tool);
        ToolCall { id: self.optional(self.host.fields.call.as_ref()), act: self.act(&tool), tool }
    }

    fn after(&self, ok: bool) -> Kind {
        let call = self.call();
        let row = &self.host.outcome;
        let duration = self.host.fields.duration.as_ref().and_then(|field| self.top.get(field));
        let outcome = Outcome {
            ok: ok && !self.shows_any(&row.failed),
            duration_ms: duration.and_then(Value::as_u64),
            background: self.background(&call.tool),
            answers: self.answers(&call.tool),
        };
        Kind::After { call, outcome }
    }

    fn shows(&self, sign: &Sign) -> bool {
        match (self.top.pointer(&sign.at), &sign.is) {
            (None, _) => false,
            (Some(value), Some(wanted)) => value == wanted,
            (Some(value), None) => !is_nothing(value),
        }
    }

    fn shows_any(&self, signs: &[Sign]) -> bool {
        signs.iter().any(|sign| self.shows(sign))
    }

    fn background(&self, tool: &str) -> bool {
        self.host.tool(tool).is_some_and(|row| row.detached) || self.shows_any(&self.host.outcome.background)
    }

    fn path(&self, input: &Value, field: &str) -> Option<PathBuf> {
        text(input, field).map(|path| self.cwd.join(path))
    }

    fn act(&self, tool: &str) -> Act {
        let Some(row) = self.host.tool(tool) else { return Act::Unknown };
        let none = Value::Null;
        let input = self.top.get(&self.host.fields.input).unwrap_or(&none);
        match &row.act {
            ActRow::Read { path } => self.path(input, path).map(|path| Act::Read { path }),
            ActRow::Search { path } => {
                Some(Act::Search { path: path.as_ref().and_then(|field| self.path(input, field)) })
            }
            ActRow::Web => Some(Act::Web),
            ActRow::Housekeeping => Some(Act::Housekeeping),
            ActRow::Shell { command, cwd } => self.shell(tool, input, command, cwd.as_deref()),
            ActRow::Delegate { agent, prompt, default } => Some(Act::Delegate {
                agent: text(input, agent).unwrap_or(default).to_owned(),
                prompt: string(input, prompt).unwrap_or_default(),
            }),
            ActRow::Ask(row) => Some(Act::Ask(questions(row, input))),
            ActRow::Schedule { text } => {
                Some(Act::Schedule { text: string(input, text).unwrap_or_default() })
            }
            ActRow::Foreign { server, between } => {
                Some(Act::Foreign { server: self.server(tool, server.as_deref(), between.as_deref()) })
            }
            edit => self.edit(edit, input).map(Act::Edit),
        }
        .unwrap_or(Act::Unknown)
    }

    fn shell(&self, tool: &str, input: &Value, command: &str, cwd: Option<&str>) -> Option<Act> {
        let cwd = cwd.and_then(|field| self.path(input, field)).filter(|path| *path != self.cwd);
        Some(Act::Shell { command: string(input, command)?, cwd, background: self.background(tool) })
    }

    /// The server's name: as the payload gives it, else the second part of the tool's name.
    fn server(&self, tool: &str, at: Option<&str>, between: Option<&str>) -> String {
        let given = at.and_then(|at| self.top.pointer(at)).and_then(Value::as_str);
        let spelled = || between.and_then(|between| tool.split(between).nth(1));
        given.filter(|name| !name.is_empty()).or_else(spelled).unwrap_or_default().to_owned()
    }

    /// The files an edit changes; `None` where the payload does not say which.
    fn edit(&self, row: &ActRow, input: &Value) -> Option<Vec<FileEdit>> {
        let (path, change) = match row {
            ActRow::Write { path, content } => (path, string(input, content).map(Change::Whole)),
            ActRow::Replace { path, old, new, all } => {
                let one = replacement(input, old, new, all);
                (path, one.map(|one| Change::Replace(vec![one])))
            }
            ActRow::ReplaceMany { path, edits, old, new, all } => {
                let each = list(input, edits).iter().map(|edit| replacement(edit, old, new, all));
                let every = each.collect::<Option<Vec<_>>>().filter(|edits| !edits.is_empty());
                (path, every.map(Change::Replace))
            }
            ActRow::Touch { path } => (path, None),
            ActRow::Patch { text: field } => return self.patch(text(input, field)?),
            _ => return None,
        };
        Some(vec![FileEdit { path: self.path(input, path)?, change: change.unwrap_or(Change::Opaque) }])
    }

    fn patch(&self, whole: &str) -> Option<Vec<FileEdit>> {
        let place = |(path, change): (&str, Change)| {
            let path = (!path.is_empty()).then(|| self.cwd.join(path))?;
            Some(FileEdit { path, change })
        };
        let files = patched_files(whole).into_iter().map(place).collect::<Option<Vec<_>>>()?;
        (!files.is_empty()).then_some(files)
    }

    /// What was answered, in the order of the questions; questions without an answer are left out.
    fn answers(&self, tool: &str) -> Vec<Answer> {
        let Some(ActRow::Ask(row)) = self.host.tool(tool).map(|row| &row.act) else { return Vec::new() };
        let Some(given) = self.given_answers() else { return Vec::new() };
        let timed_out = self.host.outcome.timed_out.as_ref().is_some_and(|sign| self.shows(sign));
        let asked = self.top.get(&self.host.fields.input).map_or(&[][..], |input| list(input, &row.list));
        let answer = |(place, asked): (usize, &Value)| {
            let question = text(asked, &row.text)?;
            let answer = match row.key {
                AnswerKey::Text => given.get(question),
                AnswerKey::Id => given.get(text(asked, "id")?),
                AnswerKey::Index => given.get(&place.to_string()),
            };
            Some(Answer { question: question.to_owned(), answer: answer_text(answer?)?, timed_out })
        };
        asked.iter().enumerate().filter_map(answer).collect()
    }

    fn given_answers(&self) -> Option<Map<String, Value>> {
        let place = self.top.pointer(self.host.outcome.answers.as_ref()?)?;
        let spelled = place.as_str().and_then(|json| serde_json::from_str::<Value>(json).ok());
        spelled.as_ref().unwrap_or(place).get("answers")?.as_object().cloned()
    }
}

fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Bool(true) | Value::Number(_) => false,
    }
}

fn replacement(edit: &Value, old: &str, new: &str, all: &str) -> Option<Replacement> {
    Some(Replacement { old: string(edit, old)?, new: string(edit, new)?, all: flag(edit, all) })
}

fn questions(row: &AskRow, input: &Value) -> Vec<Question> {
    let answered = input.get(&row.given).is_some_and(|given| !given.is_null());
    let question = |asked: &Value| {
        let labels = list(asked, &row.options).iter().filter_map(|option| string(option, &row.label));
        Some(Question {
            text: text(asked, &row.text)?.to_owned(),
            options: labels.collect(),
            multiple: row.multiple.as_ref().is_some_and(|field| flag(asked, field)),
            answered,
        })
    };
    list(input, &row.list).iter().filter_map(question).collect()
}

/// One answer: a text, a list of texts, or either under `answers`.
fn answer_text(answer: &Value) -> Option<String> {
    match answer {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => {
            let texts = parts.iter().map(Value::as_str).collect::<Option<Vec<_>>>()?;
            (!texts.is_empty()).then(|| texts.join(", "))
        }
        Value::Object(inner) => {
            inner.get("answers").filter(|answers| !answers.is_object()).and_then(answer_text)
        }
        _ => None,
    }
}

/// A line that opens the part of a patch about one file.
enum Section<'t> {
    Add(&'t str),
    Delete(&'t str),
    Update(&'t str),
}

impl<'t> Section<'t> {
    fn of(line: &'t str) -> Option<Self> {
        let line = line.trim();
        let after = |marker| line.strip_prefix(marker).map(str::trim);
        after("*** Add File:")
            .map(Self::Add)
            .or_else(|| after("*** Delete File:").map(Self::Delete))
            .or_else(|| after("*** Update File:").map(Self::Update))
    }
}

/// The files of an `apply_patch` text, in order, with their paths as written.
///
/// Lenient where the tool is: markers may be indented, text around the patch is skipped.
/// A part that cannot be followed keeps its path and becomes [`Change::Opaque`]: a path
/// must never go missing. A moved file is deleted here and opaque there, since its new
/// text depends on a file at another path.
fn patched_files(whole: &str) -> Vec<(&str, Change)> {
    let mut lines = whole.lines().peekable();
    let mut files = Vec::new();
    while let Some(line) = lines.next() {
        match Section::of(line) {
            Some(Section::Add(path)) => files.push((path, Change::Whole(added_lines(&mut lines)))),
            Some(Section::Delete(path)) => files.push((path, Change::Delete)),
            Some(Section::Update(path)) => {
                let moved = lines.next_if(|line| line.trim().starts_with(MOVE)).map(str::trim);
                let change = hunks(&mut lines).map_or(Change::Opaque, Change::Hunks);
                match moved.and_then(|line| line.strip_prefix(MOVE)) {
                    Some(to) => files.extend([(path, Change::Delete), (to.trim(), Change::Opaque)]),
                    None => files.push((path, change)),
                }
            }
            None => {}
        }
    }
    files
}

const MOVE: &str = "*** Move to:";

fn added_lines(lines: &mut Peekable<Lines<'_>>) -> String {
    let mut text = String::new();
    while let Some(line) = lines.next_if(|line| line.starts_with('+')) {
        text.push_str(&line[1..]);
        text.push('\n');
    }
    text
}

/// The hunks up to the next marker; `None` if a line among them is neither context nor change.
fn hunks(lines: &mut Peekable<Lines<'_>>) -> Option<Vec<Hunk>> {
    let mut hunks: Vec<Hunk> = Vec::new();
    let mut sound = true;
    while let Some(line) = lines.next_if(|line| !ends_hunks(line)) {
        if let Some(at) = line.strip_prefix("@@") {
            hunks.push(Hunk { at: at.trim().to_owned(), old: Vec::new(), new: Vec::new() });
        } else if !line.starts_with("*** End of File") {
            sound &= add_line(&mut hunks, line);
        }
    }
    hunks.retain(|hunk| !(hunk.old.is_empty() && hunk.new.is_empty()));
    sound.then_some(hunks)
}

fn ends_hunks(line: &str) -> bool {
    let marker = line.starts_with("***") && !line.starts_with("*** End of File");
    marker || (!line.starts_with([' ', '+', '-']) && Section::of(line).is_some())
}

/// Adds a line to the last hunk, opening the first; false if it is no line of a hunk.
fn add_line(hunks: &mut Vec<Hunk>, line: &str) -> bool {
    let (old, new, text) = match line.split_at_checked(1) {
        None => (true, true, line),
        Some((" ", text)) => (true, true, text),
        Some(("-", text)) => (true, false, text),
        Some(("+", text)) => (false, true, text),
        Some(_) => return false,
    };
    if hunks.is_empty() {
        hunks.push(Hunk { at: String::new(), old: Vec::new(), new: Vec::new() });
    }
    if let Some(hunk) = hunks.last_mut() {
        hunk.old.extend(old.then(|| text.to_owned()));
        hunk.new.extend(new.then(|| text.to_owned()));
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hosts::{names, row};
    use proptest::prelude::*;
    use serde_json::json;

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
        let entries = std::fs::read_dir(format!("{FIXTURES}/{folder}")).expect("the fixtures are there");
        let names =
            entries.map(|entry| entry.expect("it lists").file_name().into_string().expect("plain names"));
        let mut names: Vec<_> =
            names.filter(|name| Path::new(name).extension().is_some_and(|end| end == "json")).collect();
        names.sort();
        names
    }

    fn act(event: &Event) -> &Act {
        match &event.kind {
            Kind::Before(call) | Kind::After { call, .. } => &call.act,
            other => panic!("no tool call: {other:?}"),
        }
    }

    /// An event in a few words, for tables.
    fn told(event: &Event) -> String {
        let words = match &event.kind {
            Kind::SessionStart { source } => format!("start {source}"),
            Kind::SessionEnd { reason } => format!("end {reason}"),
            Kind::Prompt { text, automation } => format!("prompt {automation} {text}"),
            Kind::Before(call) => format!("before {}", told_act(&call.act)),
            Kind::After { call, outcome } => {
                let state = [(!outcome.ok, " failed"), (outcome.background, " background")];
                let state: String = state.iter().filter(|(on, _)| *on).map(|(_, word)| *word).collect();
                let answers = outcome.answers.iter().map(|answer| answer.answer.as_str()).collect::<Vec<_>>();
                let answers =
                    if answers.is_empty() { String::new() } else { format!(" = {}", answers.join(", ")) };
                format!("after {}{state}{answers}", told_act(&call.act))
            }
            Kind::Stop { again, waiting } => format!("stop {again} {waiting}"),
            Kind::SubagentStart { agent, .. } => format!("start of {agent}"),
            Kind::SubagentStop { agent, again, .. } => format!("stop of {agent} {again}"),
            Kind::Compact { done } => format!("compact {done}"),
            Kind::Other => "other".to_owned(),
        };
        match &event.by {
            Actor::Main => words,
            Actor::Subagent { agent, .. } => format!("{agent}: {words}"),
        }
    }

    fn told_act(act: &Act) -> String {
        match act {
            Act::Read { path } => format!("read {}", path.display()),
            Act::Search { path } => format!("search {}", path.as_deref().unwrap_or(Path::new("?")).display()),
            Act::Web => "web".to_owned(),
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
            Act::Foreign { server } => format!("foreign {server}"),
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
                let event = read(host(name), &capture(&format!("{folder}/{file}")), None);
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
        let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a recorded line"));
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
        ];
        for (name, scenario) in sequences {
            for payload in sequence(&format!("{name}/_sequence-{scenario}.jsonl")) {
                let event = event(name, &payload);
                let known = event.kind != Kind::Other
                    || matches!(
                        event.name.as_str(),
                        "PermissionRequest" | "BeforeModel" | "AfterModel" | "BeforeToolSelection"
                    );
                assert!(
                    known && event.session.len() == 36 && event.cwd.is_absolute(),
                    "{name} {scenario}: {event:?}"
                );
                let unknown = matches!(&event.kind, Kind::Before(call) if call.act == Act::Unknown);
                assert!(!unknown, "{name} {scenario}: {event:?}");
            }
        }
    }

    #[test]
    fn a_stop_waits_for_subagents_and_their_word_is_no_prompt() {
        let events: Vec<_> = sequence("claude/_sequence-subagent.jsonl")
            .iter()
            .map(|payload| event("claude", payload))
            .collect();
        let waiting =
            events.iter().filter(|event| matches!(event.kind, Kind::Stop { waiting: 1, .. })).count();
        let automatic =
            events.iter().filter(|event| matches!(event.kind, Kind::Prompt { automation: true, .. })).count();
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
        assert_eq!(read(host("claude"), &large, None), Err(BadPayload::TooLarge { limit: PAYLOAD_LIMIT }));
        let deep = [b"[".repeat(100_000), b"]".repeat(100_000)].concat();
        assert!(matches!(read(host("claude"), &deep, None), Err(BadPayload::NotJson { .. })));
    }

    #[test]
    fn the_hook_line_names_the_event_where_the_payload_does_not() {
        let cases =
            [("{}", Some("Stop"), "Stop"), ("\u{feff}{\"hook_event_name\":\"Stop\"}", Some("Other"), "Stop")];
        for (payload, argument, name) in cases {
            let event = read(host("claude"), payload.as_bytes(), argument).expect("it is an event");
            assert_eq!(event.name, name);
            assert_eq!(event.kind, Kind::Stop { again: false, waiting: 0 });
        }
    }

    #[test]
    fn a_field_of_the_wrong_type_counts_as_absent() {
        let cases = [
            // tool       input                                              act
            ("Write", r#"{"file_path":7,"content":"x"}"#, "unknown"),
            ("Write", r#"{"file_path":"","content":"x"}"#, "unknown"),
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
            ("Bash", r#"{"command":["ls"]}"#, "unknown"),
            ("Bash", r#"{"command":"ls","run_in_background":"yes"}"#, "shell false ls"),
            ("Monitor", r#"{"command":"ls"}"#, "shell true ls"),
            ("Agent", "null", "delegate general-purpose"),
            ("AskUserQuestion", r#"{"questions":[1,{"question":"q","options":[{"label":3}]}]}"#, "ask q"),
            ("CronCreate", r#"{"prompt":"later"}"#, "schedule later"),
            ("mcp__tiny__echo", "null", "foreign tiny"),
            ("mcp__", "null", "foreign "),
            ("Frobnicate", r#"{"file_path":"/a"}"#, "unknown"),
        ];
        for (tool, input, wanted) in cases {
            let input: Value = serde_json::from_str(input).expect("JSON");
            let payload =
                json!({"hook_event_name": "PreToolUse", "cwd": "/w", "tool_name": tool, "tool_input": input});
            assert_eq!(told_act(act(&event("claude", &payload))), wanted, "{tool} {input}");
        }
        let nameless = json!({"hook_event_name": "PreToolUse", "tool_name": {}, "agent_id": 1, "cwd": "w"});
        assert_eq!(told(&event("claude", &nameless)), "before unknown");
    }

    #[test]
    fn paths_are_joined_to_the_directory_and_not_resolved() {
        let cases =
            [("/w", "src/../a", "/w/src/../a"), ("/w", "/b", "/b"), ("", "a", "a"), ("relative", "a", "a")];
        for (cwd, path, wanted) in cases {
            let payload = json!({"hook_event_name": "BeforeTool", "cwd": cwd, "tool_name": "read_file", "tool_input": {"file_path": path}});
            assert_eq!(told_act(act(&event("gemini", &payload))), format!("read {wanted}"));
        }
        for (dir, wanted) in [("sub", Some("/w/sub")), (".", None), ("/w", None)] {
            let payload = json!({"hook_event_name": "BeforeTool", "cwd": "/w", "tool_name": "run_shell_command", "tool_input": {"command": "ls", "dir_path": dir}});
            let Act::Shell { cwd, .. } = act(&event("gemini", &payload)).clone() else { panic!("{dir}") };
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
            ("claude", json!({"prompt": "why <task-notification>?"}), "why <task-notification>?", false),
            ("claude", json!({"prompt": "fix it", "agent_id": "a1"}), "fix it", true),
            ("claude", json!({"prompt": "fix it", "agent_type": "reviewer"}), "fix it", false),
            ("claude", json!({"prompt": ["fix it"]}), "", false),
            ("gemini", json!({"prompt": "<hook_context>[OFF]</hook_context>\n\n[ON] go"}), "[ON] go", false),
            ("gemini", json!({"prompt": "<hook_context>open"}), "<hook_context>open", false),
            ("gemini", json!({"prompt": "<git-seed>\n\ngo on"}), "<git-seed>\n\ngo on", true),
        ];
        for (name, mut payload, words, automatic) in cases {
            payload["hook_event_name"] =
                json!(if name == "gemini" { "BeforeAgent" } else { "UserPromptSubmit" });
            let Kind::Prompt { text, automation } = event(name, &payload).kind else { panic!("{payload}") };
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
            let payload = json!({"hook_event_name": after, "tool_name": tool, "tool_input": {"questions": asked}, "tool_response": response});
            let Kind::After { outcome, .. } = event(name, &payload).kind else { panic!("{payload}") };
            let told = outcome
                .answers
                .iter()
                .map(|one| format!("{}{}", one.answer, if one.timed_out { "!" } else { "" }));
            assert_eq!(told.collect::<Vec<_>>().join(" "), wanted, "{payload}");
        }
    }

    #[test]
    fn a_question_that_brings_its_answer_is_marked() {
        let cases =
            [(json!(null), false), (json!({}), true), (json!({"q": "yes"}), true), (json!("yes"), true)];
        for (given, answered) in cases {
            let input = json!({"questions": [{"question": "q", "multiSelect": true, "options": [{"label": "yes"}, {"label": "no"}]}], "answers": given});
            let payload =
                json!({"hook_event_name": "PreToolUse", "tool_name": "AskUserQuestion", "tool_input": input});
            let options = vec!["yes".to_owned(), "no".to_owned()];
            let question = Question { text: "q".to_owned(), options, multiple: true, answered };
            assert_eq!(*act(&event("claude", &payload)), Act::Ask(vec![question]), "{payload}");
        }
    }

    #[test]
    fn what_came_of_a_call_is_read_from_its_signs() {
        let cases = [
            // host, event, tool, response                                              ok, background
            ("claude", "PostToolUse", "Bash", json!({"stdout": "", "backgroundTaskId": "b1"}), true, true),
            ("claude", "PostToolUse", "Agent", json!({"status": "completed"}), true, false),
            ("claude", "PostToolUse", "Agent", json!({"status": "async_launched"}), true, true),
            ("claude", "PostToolUseFailure", "Bash", json!(null), false, false),
            ("codex", "PostToolUse", "mcp__a__b", json!({"isError": true}), false, false),
            ("codex", "PostToolUse", "spawn_agent", json!("{}"), true, true),
            ("gemini", "AfterTool", "write_file", json!({"error": {"message": "no"}}), false, false),
            ("gemini", "AfterTool", "write_file", json!({"error": null}), true, false),
        ];
        for (name, after, tool, response, ok, background) in cases {
            let payload = json!({"hook_event_name": after, "tool_name": tool, "tool_response": response, "duration_ms": 7});
            let Kind::After { outcome, .. } = event(name, &payload).kind else { panic!("{payload}") };
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
            let payload = json!({"hook_event_name": "PreToolUse", "cwd": "/w", "tool_name": "apply_patch", "tool_input": {"command": patch}});
            assert_eq!(told_act(act(&event("codex", &payload))), wanted, "{patch}");
        }
    }

    #[test]
    fn a_hunk_keeps_its_context_on_both_sides() {
        let lines = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let files = patched_files("*** Update File: a\n@@ fn f\n a\n-b\n+c\n d");
        let hunk = Hunk { at: "fn f".to_owned(), old: lines("a b d"), new: lines("a c d") };
        assert_eq!(files, [("a", Change::Hunks(vec![hunk]))]);
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
        fn any_object_with_an_event_name_is_an_event(mut payload in any_json(), argument in "PreToolUse|PostToolUse|Stop|AfterTool|X") {
            if payload.is_object() {
                if payload["hook_event_name"].is_string() { payload["hook_event_name"] = json!(argument); }
                for name in names() {
                    prop_assert!(read(host(name), payload.to_string().as_bytes(), Some(&argument)).is_ok());
                }
            }
        }

        #[test]
        fn any_bytes_get_an_answer(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            for name in names() {
                let _ = read(host(name), &bytes, Some("PreToolUse"));
            }
        }

        #[test]
        fn any_patch_gets_an_answer(patch in "(\\*\\*\\* (Add File: |Update File: |Delete File: |Move to: |End Patch)?|@@ ?|[-+ ]?[a-zé]{0,3}|\r?\n){0,24}") {
            let marked = patch.lines().any(|line| line.starts_with("*** Delete File:"));
            let files = patched_files(&patch);
            prop_assert!(!marked || !files.is_empty());
        }
    }
}
