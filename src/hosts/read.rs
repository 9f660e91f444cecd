//! Payload bytes to [`Event`], by a host's row.
//!
//! Bad bytes get a named answer; strange values inside a good object never do: a field of
//! the wrong type counts as absent, an unknown tool is [`Act::Unknown`], an unknown event
//! (and every permission dialogue, which follows a before-tool event that was judged
//! already) is [`EventKind::Other`]. Paths are joined to the payload's directory and not
//! resolved. The payload must be JSON, so bytes that are not UTF-8 are refused as that.

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::patch::patched_files;
use super::{ActRow, AnswerKey, AskRow, Happening, Host, Sign, TranscriptRow};
use crate::event::{
    Act, Actor, Answer, Change, Event, EventKind, FileEdit, Outcome, Question, Replacement,
    Rewritable, SessionSource, ToolCall,
};
use crate::format::short_hash;
use crate::shipped::text::Text;

/// Largest payload that is read, in bytes.
pub(crate) const PAYLOAD_LIMIT: usize = 16 * 1024 * 1024;

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
    /// A call whose input is a list, a text …
    #[error("the input of the call is no object")]
    NoInput,
    /// Neither the payload nor the hook line names the event.
    #[error("the hook's payload has no event name in `{field}`, and the hook line gives none")]
    NoEvent { field: String },
}

/// Reads one payload. `event_argument` is the event named on the hook line, used where
/// the payload does not say.
///
/// `cwd` is empty where the payload gives no absolute one; relative paths stay relative then.
///
/// # Errors
///
/// [`BadPayload`] where there are no bytes, more than [`PAYLOAD_LIMIT`], or no JSON object, and
/// where neither the object nor `event_argument` names the event.
pub fn read(
    host: &'static Host,
    bytes: &[u8],
    event_argument: Option<&str>,
) -> Result<Event, BadPayload> {
    let top = spelled_out(host, object(bytes)?);
    let cwd = cwd(host, &top);
    let payload = Payload { host, top, cwd };
    // A tool without arguments may come with none, or with null: what needs some is unknown then.
    let input = payload.top.get(host.fields.input.as_str());
    if input.is_some_and(|input| !(input.is_object() || input.is_null())) {
        return Err(BadPayload::NoInput);
    }
    let named = payload.text(&host.fields.event).or(event_argument.filter(|name| !name.is_empty()));
    let name = named.ok_or_else(|| BadPayload::NoEvent { field: host.fields.event.to_string() })?;
    Ok(Event {
        host: &host.name,
        name: name.to_owned(),
        session: payload.owned(&host.fields.session),
        by: payload.actor(),
        kind: payload.kind(name),
        tokens: payload.tokens(),
        transcript: payload.transcript(|row| Some(&row.path)).or_else(|| payload.compacted()),
        agent_transcript: payload.transcript(|row| row.agent.as_ref()),
        client: host.fields.version.as_ref().and_then(|at| payload.text(at)).map(str::to_owned),
        said: host.fields.said.as_ref().and_then(|field| payload.text(field)).map(str::to_owned),
        rewritable: payload.rewritable(name),
        puts_questions: payload.puts_questions(),
        plans: payload.plans(),
        cwd: payload.cwd.clone(),
    })
}

/// What is known of a call whose payload does not read: `None` for any event that asks for no
/// verdict on a call.
pub(crate) fn unread_event(host: &'static Host, name: &str, cwd: &Path) -> Option<Event> {
    (host.happening(name) == Some(Happening::Before)).then(|| Event {
        host: &host.name,
        name: name.to_owned(),
        session: String::new(),
        by: Actor::Main,
        kind: EventKind::Before(ToolCall {
            id: String::new(),
            act: Act::Unknown,
            tool: String::new(),
            mentions: Vec::new(),
        }),
        tokens: None,
        transcript: None,
        agent_transcript: None,
        client: None,
        said: None,
        rewritable: None,
        puts_questions: false,
        plans: false,
        cwd: cwd.to_owned(),
    })
}

/// The name of the event in a payload that does not read: what stands behind its key, wherever
/// that is. Of several the first that asks for a verdict counts, for that is the careful one.
pub(crate) fn event_said(host: &'static Host, bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let key = format!("\"{}\"", host.fields.event);
    let value = |behind: &str| {
        let quoted = behind.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
        quoted.split_once('"').map(|(name, _)| name.to_owned())
    };
    let names: Vec<String> = text.split(&key).skip(1).filter_map(value).collect();
    let asks = |name: &&String| host.happening(name) == Some(Happening::Before);
    names.iter().find(asks).or(names.first()).cloned()
}

/// JSON in which no object has a key twice: of two values, host and reader could take another.
struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Reader).map(Self)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Value;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("JSON")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Strict(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some((key, Strict(value))) = fields.next_entry::<String, Strict>()? {
            if object.contains_key(&key) {
                return Err(A::Error::custom(format_args!("`{key}` stands there twice")));
            }
            object.insert(key, value);
        }
        Ok(Value::Object(object))
    }
}

/// What tells an event from another one of its session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    pub text: String,
    /// It tells however late; without an id of the host's it does so within a second.
    pub lasts: bool,
}

/// What tells `event`, which was read from these bytes, from another one: the host's id of the
/// call with the event's name, that of the prompt, or else the bytes.
pub(crate) fn identity(host: &Host, event: &Event, bytes: &[u8]) -> Identity {
    let named = |id: &str, more: &str| {
        let text = [event.host, &event.session, &event.name, id, more].join("\n");
        Identity { text, lasts: true }
    };
    match &event.kind {
        EventKind::Before(call) | EventKind::After { call, .. } if !call.id.is_empty() => {
            named(&call.id, &format!("{} {:?}", call.tool, call.act))
        }
        EventKind::Prompt { text, .. } => {
            let field = host.fields.prompt_id.as_ref();
            // It was read as an object before.
            let top = field.and_then(|_| object(bytes).ok());
            let id = top.as_ref().zip(field).and_then(|(top, field)| self::text(top, field));
            id.map_or_else(|| by_bytes(event, bytes), |id| named(id, text))
        }
        _ => by_bytes(event, bytes),
    }
}

fn by_bytes(event: &Event, bytes: &[u8]) -> Identity {
    let hash = short_hash(bytes.trim_ascii(), 32);
    Identity { text: [event.host, &event.name, &hash].join("\n"), lasts: false }
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
    let Strict(value) = parsed.map_err(|error| BadPayload::NotJson { why: error.to_string() })?;
    if value.is_object() { Ok(value) } else { Err(BadPayload::NotAnObject) }
}

/// The payload with the fields read that hold JSON as a text.
fn spelled_out(host: &Host, mut top: Value) -> Value {
    for field in &host.fields.spelled {
        let Some(text) = top.get(field.as_str()).and_then(Value::as_str) else { continue };
        let read = serde_json::from_str::<Strict>(text).ok().map(|Strict(value)| value);
        match read.filter(Value::is_object) {
            Some(value) => top[field.as_str()] = value,
            None if *field == host.fields.input => {
                top[field.as_str()] = serde_json::json!({ "text": text });
            }
            None => {}
        }
    }
    top
}

fn cwd(host: &Host, top: &Value) -> PathBuf {
    let first = |field: &Text| top.get(field.as_str())?.as_array()?.first()?.as_str();
    let root = || host.fields.roots.as_ref().and_then(first);
    let named =
        top.get(host.fields.cwd.as_str()).and_then(Value::as_str).or_else(root).map(Path::new);
    named.filter(|path| path.is_absolute()).map(Path::to_owned).unwrap_or_default()
}

impl Sign {
    /// The value shows it.
    pub(super) fn shows(&self, value: &Value) -> bool {
        match (value.pointer(&self.at), &self.is) {
            (None, _) => false,
            (Some(value), Some(wanted)) => value == wanted,
            (Some(value), None) => !is_nothing(value),
        }
    }
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

/// The line of a field that lists the words of one program, as a shell would be given it.
fn listed_words(object: &Value, field: &str) -> Option<String> {
    let words: Vec<&str> = list(object, field).iter().map(Value::as_str).collect::<Option<_>>()?;
    let line: Vec<String> = words.into_iter().map(crate::shell::quoted_word).collect();
    (!line.is_empty()).then(|| line.join(" "))
}

/// A field that is true, or that counts something.
fn flag(object: &Value, field: &str) -> bool {
    let counts = |value: &Value| value.as_u64().is_some_and(|count| count > 0);
    object.get(field).is_some_and(|value| value.as_bool().unwrap_or_else(|| counts(value)))
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

    fn optional(&self, field: Option<&Text>) -> String {
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

    fn kind(&self, event: &str) -> EventKind {
        let fields = &self.host.fields;
        let (id, agent) = self.agent();
        let again = flag(&self.top, &fields.again);
        if self.is_foreign() {
            // That client's own line judges its calls, in its own words.
            return EventKind::Other;
        }
        match self.host.happening(event) {
            None => EventKind::Other,
            Some(Happening::SessionStart) => {
                let source = self.text(&fields.source).unwrap_or_default();
                EventKind::SessionStart { source: SessionSource::read(source) }
            }
            Some(Happening::SessionEnd) => {
                EventKind::SessionEnd { reason: self.owned(&fields.reason) }
            }
            Some(Happening::Prompt) => self.prompt(),
            Some(Happening::Before) => EventKind::Before(self.call()),
            Some(Happening::After) => self.after(true),
            Some(Happening::Failed) => self.after(false),
            // What ended it was the person, or the host: nothing goes on.
            Some(Happening::Stop) if self.shows_any(&self.host.interrupted) => EventKind::Other,
            Some(Happening::Stop) => EventKind::Stop {
                again,
                waiting: self.waiting(true),
                commands: self.waiting(false),
            },
            Some(Happening::SubagentStart) => EventKind::SubagentStart { id, agent },
            Some(Happening::SubagentStop) => EventKind::SubagentStop { id, agent, again },
            Some(Happening::CompactBefore) => EventKind::Compact { done: false },
            Some(Happening::CompactAfter) => EventKind::Compact { done: true },
        }
    }

    /// Another client loaded this host's hook line, and speaks in its own words.
    fn is_foreign(&self) -> bool {
        let has = |field: &Text| self.top.get(field.as_str()).is_some();
        self.host.foreign.iter().any(|row| has(&row.has) && !has(&row.lacks))
    }

    fn tokens(&self) -> Option<u64> {
        self.top.pointer(self.host.fields.tokens.as_ref()?)?.as_u64()
    }

    /// A file that the host writes down what it does in, where its row knows how to read that.
    fn transcript(&self, field: impl Fn(&TranscriptRow) -> Option<&String>) -> Option<PathBuf> {
        let path = self.text(field(self.host.transcript()?)?).map(Path::new)?;
        path.is_absolute().then(|| path.to_owned())
    }

    /// The one in which a compaction stands that no event tells.
    fn compacted(&self) -> Option<PathBuf> {
        let path = self.text(&self.host.compaction()?.path).map(Path::new)?;
        path.is_absolute().then(|| path.to_owned())
    }

    fn prompt(&self) -> EventKind {
        let text = self.unwrapped(self.text(&self.host.fields.prompt).unwrap_or_default());
        let text = self.unquoted(text);
        let begins = |tag: &Text| text.trim_start().starts_with(tag.as_str());
        let automation =
            self.actor() != Actor::Main || self.host.prompt.automation.iter().any(begins);
        EventKind::Prompt { text: text.into_owned(), automation }
    }

    /// The person's words, without what the host put in front of them.
    fn unwrapped<'t>(&self, prompt: &'t str) -> &'t str {
        let Some(tags) = &self.host.prompt.wrapper else { return prompt };
        let wrapped =
            prompt.strip_prefix(&*tags.open).and_then(|rest| rest.split_once(&*tags.close));
        wrapped.map_or(prompt, |(_, words)| words.trim_start_matches(['\r', '\n']))
    }

    /// The words themselves, where the host puts all of them between quotation marks: it does where
    /// they hold a blank, and any other marks are the person's.
    fn unquoted<'t>(&self, prompt: &'t str) -> Cow<'t, str> {
        let Some(mark) = self.host.prompt.quotes else { return prompt.into() };
        let between = prompt.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark));
        let (bare, escaped) = (mark.to_string(), format!("\\{mark}"));
        match between {
            Some(words)
                if words.contains(char::is_whitespace)
                    && !words.replace(&escaped, "").contains(mark) =>
            {
                words.replace(&escaped, &bare).into()
            }
            _ => prompt.into(),
        }
    }

    /// Background work under way: what a stop waits for, or all else.
    fn waiting(&self, counted: bool) -> u32 {
        let Some(tasks) = &self.host.tasks else { return 0 };
        let over = |task: &&Value| {
            text(task, &tasks.status)
                .is_some_and(|status| tasks.finished.iter().any(|word| word == status))
        };
        let counts = |task: &&Value| {
            text(task, &tasks.kind).is_none_or(|kind| tasks.counts.iter().any(|word| word == kind))
                == counted
        };
        let running =
            list(&self.top, &tasks.list).iter().filter(counts).filter(|task| !over(task)).count();
        u32::try_from(running).unwrap_or(u32::MAX)
    }

    /// Whether the line or the text of this call may be replaced, and what the answer has to
    /// repeat.
    fn rewritable(&self, event: &str) -> Option<Rewritable> {
        let row = self.host.rewrite.as_ref()?;
        let tool = self
            .text(&self.host.fields.tool)
            .filter(|tool| row.tools.iter().any(|known| known == tool))?;
        let mode = row.mode.as_ref().and_then(|field| self.text(field));
        let unasked = mode.is_some_and(|mode| row.unasked.iter().any(|known| known == mode));
        // A text is long, and is only repeated where it may be replaced.
        let may_be = unasked || row.start.is_some();
        let field = match &self.host.tool(tool)?.act {
            ActRow::Shell { command, .. } => command,
            ActRow::Write { content: text, .. } | ActRow::Replace { new: text, .. } if may_be => {
                text
            }
            _ => return None,
        };
        if self.host.happening(event) != Some(Happening::Before) {
            return None;
        }
        let input = self
            .top
            .get(self.host.fields.input.as_str())
            .filter(|input| text(input, field).is_some())?;
        Some(Rewritable { input: input.clone(), field: field.to_string(), unasked })
    }

    /// The mode of the payload is one in which the host asks where a hook says so.
    fn puts_questions(&self) -> bool {
        let Some(row) = &self.host.consent else { return false };
        self.text(&row.mode).is_some_and(|mode| row.asks.iter().any(|known| known == mode))
    }

    /// The mode of the payload is one in which the host only plans.
    fn plans(&self) -> bool {
        let Some(row) = &self.host.consent else { return false };
        self.text(&row.mode).is_some_and(|mode| row.plans.iter().any(|known| known == mode))
    }

    fn call(&self) -> ToolCall {
        let tool = self.owned(&self.host.fields.tool);
        let act = self.act(&tool);
        let mentions = self.mentions(&act);
        ToolCall { id: self.optional(self.host.fields.call.as_ref()), act, tool, mentions }
    }

    fn after(&self, ok: bool) -> EventKind {
        let call = self.call();
        let row = &self.host.outcome;
        let duration =
            self.host.fields.duration.as_ref().and_then(|field| self.top.get(field.as_str()));
        let background = self.background(&call.tool);
        let ok = ok && !self.shows_any(&row.failed);
        let shell = matches!(call.act, Act::Shell { background: false, .. }) && !background;
        let printed = if shell { self.printed() } else { String::new() };
        let output = match printed.as_str() {
            "" => String::new(),
            text => short_hash(text.as_bytes(), 16),
        };
        let status = if shell { self.status(ok) } else { None };
        let outcome = Outcome {
            // An after-event says no more than that the command ended.
            ok: ok && status.is_none_or(|status| status == 0) && !(shell && self.is_stopped()),
            duration_ms: duration.and_then(Value::as_u64),
            background,
            status,
            output,
            printed,
            before: self.text_before(&call.act),
            answers: self.answers(&call.tool),
        };
        EventKind::After { call, outcome }
    }

    /// The exit status of a shell command, where the host states it.
    fn status(&self, ok: bool) -> Option<i32> {
        if let Some(at) = &self.host.outcome.exit {
            return self.top.pointer(at)?.as_i64().and_then(|code| i32::try_from(code).ok());
        }
        if let Some(row) = &self.host.outcome.bad_exit {
            return self.top.pointer(&row.at)?.as_str().and_then(|text| row.status(text));
        }
        let row = self.host.outcome.status.as_ref()?;
        if self.shows_any(&row.unless) {
            return None;
        }
        if ok {
            return Some(0);
        }
        let text = self.top.pointer(&row.at)?.as_str()?.strip_prefix(row.begins.as_str())?;
        let end = text.find(|char: char| !char.is_ascii_digit()).unwrap_or(text.len());
        // A failed event never tells of a command that ended well.
        text[..end].parse().ok().filter(|status| *status != 0)
    }

    /// A shell command did not end by itself: what stands where its status would is none, or a line
    /// says so.
    fn is_stopped(&self) -> bool {
        let row = &self.host.outcome;
        let told = row.exit.as_ref().and_then(|at| self.top.pointer(at));
        let odd = |value: &Value| value.as_i64().is_none_or(|code| i32::try_from(code).is_err());
        let line = |row: &super::BadExitRow| {
            self.top
                .pointer(&row.at)
                .and_then(Value::as_str)
                .is_some_and(|text| row.is_stopped(text))
        };
        let unless = row.status.as_ref().is_some_and(|row| self.shows_any(&row.unless));
        unless || told.is_some_and(odd) || row.bad_exit.as_ref().is_some_and(line)
    }

    /// What a shell command printed, as far as the host tells.
    fn printed(&self) -> String {
        let places = self.host.outcome.prints.iter().filter_map(|at| self.top.pointer(at));
        places.filter_map(Value::as_str).collect::<Vec<&str>>().join("\n")
    }

    /// What an edit found in its file, as far as the host tells.
    fn text_before(&self, act: &Act) -> Option<String> {
        let at = self.host.outcome.before.as_ref().filter(|_| matches!(act, Act::Edit(_)))?;
        self.top.pointer(at)?.as_str().map(str::to_owned)
    }

    fn shows(&self, sign: &Sign) -> bool {
        sign.shows(&self.top)
    }

    fn shows_any(&self, signs: &[Sign]) -> bool {
        signs.iter().any(|sign| self.shows(sign))
    }

    fn background(&self, tool: &str) -> bool {
        self.host.tool(tool).is_some_and(|row| row.detached)
            || self.shows_any(&self.host.outcome.background)
    }

    fn path(&self, input: &Value, field: &str) -> Option<PathBuf> {
        text(input, field).map(|path| self.cwd.join(path))
    }

    fn act(&self, tool: &str) -> Act {
        let Some(row) = self.host.tool(tool) else { return Act::Unknown };
        let none = Value::Null;
        let input = self.top.get(self.host.fields.input.as_str()).unwrap_or(&none);
        match &row.act {
            ActRow::Read { path } => self.path(input, path).map(|path| Act::Read { path }),
            ActRow::Search { path } => {
                Some(Act::Search { path: path.as_ref().and_then(|field| self.path(input, field)) })
            }
            ActRow::Web { what } => {
                let what = what.iter().find_map(|field| text(input, field)).unwrap_or_default();
                Some(Act::Web { what: what.to_owned() })
            }
            ActRow::Housekeeping => Some(Act::Housekeeping),
            ActRow::Shell { command, cwd } => self.shell(tool, input, command, cwd.as_deref()),
            ActRow::AsShell { line, word } => {
                let word = word.iter().find_map(|field| text(input, field));
                let word = word.map(|word| format!(" {}", crate::shell::quoted_word(word)));
                let command = format!("{line}{}", word.unwrap_or_default());
                Some(Act::Shell { command, cwd: None, background: false })
            }
            ActRow::Delegate { agent, prompt, default } => Some(Act::Delegate {
                agent: text(input, agent).unwrap_or(default).to_owned(),
                prompt: string(input, prompt).unwrap_or_default(),
            }),
            ActRow::Ask(row) => Some(Act::Ask(questions(row, input))),
            ActRow::Schedule { text } => {
                Some(Act::Schedule { text: string(input, text).unwrap_or_default() })
            }
            ActRow::Foreign { server, between } => Some(Act::Foreign {
                server: self.server(tool, server.as_deref(), between.as_deref()),
                said: said(input),
                named: named(input),
            }),
            edit => self.edit(edit, input).map(Act::Edit),
        }
        .unwrap_or(Act::Unknown)
    }

    /// Texts with our name in the input of an act that shows no path, or not all of them.
    fn mentions(&self, act: &Act) -> Vec<String> {
        let open = matches!(
            act,
            Act::Search { .. } | Act::Web { .. } | Act::Foreign { .. } | Act::Unknown
        );
        let input = self.top.get(self.host.fields.input.as_str()).filter(|_| open);
        let named = |text: &&str| text.to_ascii_lowercase().contains("seed");
        input
            .map(strings)
            .unwrap_or_default()
            .into_iter()
            .filter(named)
            .map(str::to_owned)
            .collect()
    }

    fn shell(&self, tool: &str, input: &Value, command: &str, cwd: Option<&str>) -> Option<Act> {
        let cwd = cwd.and_then(|field| self.path(input, field)).filter(|path| *path != self.cwd);
        Some(Act::Shell {
            command: string(input, command).or_else(|| listed_words(input, command))?,
            cwd,
            background: self.background(tool),
        })
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
            ActRow::TouchMany { paths } => return self.touched(input, paths),
            _ => return None,
        };
        // Where the payload does not say which file it is, it is none of the work's.
        let nowhere = || Path::new("/").to_owned();
        Some(vec![FileEdit {
            path: self.path(input, path).unwrap_or_else(nowhere),
            change: change.unwrap_or(Change::Opaque),
        }])
    }

    /// Files of a list; `None` where it has none, or something else than paths.
    fn touched(&self, input: &Value, field: &str) -> Option<Vec<FileEdit>> {
        let place = |path: &Value| {
            let path = path.as_str().filter(|path| !path.is_empty())?;
            Some(FileEdit { path: self.cwd.join(path), change: Change::Opaque })
        };
        let files = list(input, field).iter().map(place).collect::<Option<Vec<_>>>()?;
        (!files.is_empty()).then_some(files)
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
        let Some(ActRow::Ask(row)) = self.host.tool(tool).map(|row| &row.act) else {
            return Vec::new();
        };
        let Some(given) = self.given_answers() else { return Vec::new() };
        let timed_out = self.host.outcome.timed_out.as_ref().is_some_and(|sign| self.shows(sign));
        let asked = self
            .top
            .get(self.host.fields.input.as_str())
            .map_or(&[][..], |input| list(input, &row.list));
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
        match spelled.as_ref().unwrap_or(place).get("answers")? {
            Value::Object(answers) => Some(answers.clone()),
            // A list has them in the order of the questions.
            Value::Array(answers) => {
                let numbered = answers.iter().enumerate();
                Some(numbered.map(|(n, answer)| (n.to_string(), answer.clone())).collect())
            }
            _ => None,
        }
    }
}

/// How many strings of an input are looked at.
const STRINGS: usize = 400;

/// Every string in `value`, outermost first.
fn strings(value: &Value) -> Vec<&str> {
    let (mut open, mut found) = (vec![value], Vec::new());
    while let Some(value) = open.pop().filter(|_| found.len() < STRINGS) {
        match value {
            Value::String(text) => found.push(text.as_str()),
            Value::Array(items) => open.extend(items),
            Value::Object(members) => open.extend(members.values()),
            _ => {}
        }
    }
    found
}

/// The texts of an input, each by its field.
fn said(input: &Value) -> Vec<(String, String)> {
    let members = input.as_object().into_iter().flatten();
    let texts = members.filter_map(|(field, value)| Some((field.clone(), value.as_str()?.into())));
    texts.take(STRINGS).collect()
}

/// The texts at any depth of an input, each by the nearest field, in the order of the input.
fn named(input: &Value) -> Vec<(String, String)> {
    let (mut open, mut found) = (vec![("", input)], Vec::new());
    while let Some((field, value)) = open.pop().filter(|_| found.len() < STRINGS) {
        match value {
            Value::String(text) => found.push((field.to_owned(), text.clone())),
            Value::Array(items) => open.extend(items.iter().rev().map(|item| (field, item))),
            Value::Object(members) => {
                open.extend(members.iter().rev().map(|(name, item)| (name.as_str(), item)));
            }
            _ => {}
        }
    }
    found
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
    let answered = input.get(row.given.as_str()).is_some_and(|given| !given.is_null());
    let question = |asked: &Value| {
        let labels =
            list(asked, &row.options).iter().filter_map(|option| string(option, &row.label));
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

#[cfg(test)]
mod tests;
