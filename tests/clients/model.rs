//! A model that answers from a script, on loopback: the four interfaces that the clients speak.
//!
//! Each request that offers tools gets the next turn. Which script it is taken from stands in the
//! request's first words, as `[[script:name]]`, so that a subagent has turns of its own. Requests
//! without tools (titles, summaries) get a plain answer and take no turn.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

/// What the model does next.
#[derive(Clone, Debug)]
pub enum Turn {
    /// Words, which end the turn of the agent.
    Says(String),
    Calls(Call),
    /// A call in an answer that fills the context.
    Fills(Call),
}

impl Turn {
    /// The same call, given in `src`, by a client that names files from where it stands.
    pub fn below_src(&mut self) {
        if let Self::Calls(
            Call::Read { path } | Call::Write { path, .. } | Call::Edit { path, .. },
        ) = self
        {
            *path = path.strip_prefix("src/").unwrap_or(path);
        }
    }
}

/// A call of a tool, by what it does; each client has its own name for it.
#[derive(Clone, Debug)]
pub enum Call {
    Read {
        path: &'static str,
    },
    Write {
        path: &'static str,
        text: String,
    },
    Edit {
        path: &'static str,
        old: String,
        new: String,
    },
    Shell {
        line: String,
    },
    Delegate {
        script: &'static str,
    },
    /// Waits for a subagent, where the client does not do so by itself.
    Wait,
    /// A tool of the server `seed`.
    Tool {
        name: &'static str,
        with: Value,
    },
}

/// How a client speaks with its model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dialect {
    Messages,
    Responses,
    Completions,
    Contents,
}

/// No two calls or answers have the same id: clients count those with one id once.
static IDS: AtomicUsize = AtomicUsize::new(1);

fn new_id(kind: &str) -> String {
    format!("{kind}_{}", IDS.fetch_add(1, Ordering::Relaxed))
}

pub type Scripts = HashMap<&'static str, Vec<Turn>>;

/// What came in so far.
#[derive(Default)]
struct Heard {
    /// How many turns of each script were taken.
    taken: HashMap<String, usize>,
    /// What tools answered, by the ids of their calls, in order.
    results: Vec<(String, String)>,
    words: Vec<String>,
}

pub struct Model {
    pub port: u16,
    heard: Arc<Mutex<Heard>>,
}

impl Model {
    /// Serves until the test ends. Relative paths of calls begin in `top`.
    pub fn serves(scripts: Scripts, top: String) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let heard = Arc::new(Mutex::new(Heard::default()));
        let (kept, scripts) = (Arc::clone(&heard), Arc::new((scripts, top)));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (heard, scripts) = (Arc::clone(&kept), Arc::clone(&scripts));
                thread::spawn(move || {
                    // A client that hangs up has what it wanted.
                    let _ = answer(stream, &scripts.0, &scripts.1, &heard);
                });
            }
        });
        Self { port, heard }
    }

    /// What the client told the model of its calls, in order.
    pub fn results(&self) -> Vec<String> {
        let heard = self.heard.lock().expect("no test failed in it");
        heard.results.iter().map(|(_, text)| text.clone()).collect()
    }

    /// What else it told the model in the person's place: prompts, and what hooks put in.
    pub fn words(&self) -> String {
        self.heard.lock().expect("no test failed in it").words.join("\n---\n")
    }
}

struct Request {
    path: String,
    body: Value,
}

fn request(stream: &TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let path = line.split(' ').nth(1)?.to_owned();
    let (mut length, mut chunked) = (0, false);
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        let header = header.trim().to_ascii_lowercase();
        match header.split_once(':') {
            Some(("content-length", value)) => length = value.trim().parse().ok()?,
            Some(("transfer-encoding", value)) => chunked = value.trim() == "chunked",
            Some(_) => {}
            None => break,
        }
    }
    let bytes = if chunked { chunks(&mut reader)? } else { exactly(&mut reader, length)? };
    Some(Request { path, body: serde_json::from_slice(&bytes).unwrap_or_default() })
}

fn exactly(reader: &mut impl Read, length: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0; length];
    reader.read_exact(&mut bytes).ok()?;
    Some(bytes)
}

fn chunks(reader: &mut impl BufRead) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    loop {
        let mut size = String::new();
        reader.read_line(&mut size).ok()?;
        let size = usize::from_str_radix(size.trim().split(';').next()?, 16).ok()?;
        let chunk = exactly(reader, size + 2)?;
        if size == 0 {
            return Some(bytes);
        }
        bytes.extend(&chunk[..size]);
    }
}

fn answer(
    mut stream: TcpStream,
    scripts: &Scripts,
    top: &str,
    heard: &Mutex<Heard>,
) -> std::io::Result<()> {
    let Some(Request { path, body }) = request(&stream) else { return Ok(()) };
    let path = path.split('?').next().unwrap_or_default();
    let dialect = if path.ends_with("/messages") {
        Dialect::Messages
    } else if path.ends_with("/responses") {
        Dialect::Responses
    } else if path.ends_with("/chat/completions") {
        Dialect::Completions
    } else if path.ends_with(":streamGenerateContent") || path.ends_with(":generateContent") {
        Dialect::Contents
    } else {
        let known = json!({ "input_tokens": 1000, "totalTokens": 1000, "data": [], "models": [] });
        return whole(&mut stream, &known);
    };
    let turn = dialect.next(&body, scripts, &mut heard.lock().expect("no test failed in it"));
    let said = dialect.said(&turn, &body, top);
    let streams = body["stream"] == true || path.ends_with(":streamGenerateContent");
    if streams {
        events(&mut stream, &dialect.streamed(&said))
    } else {
        whole(&mut stream, &said.whole)
    }
}

fn whole(stream: &mut TcpStream, body: &Value) -> std::io::Result<()> {
    let body = body.to_string();
    write!(
        stream,
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\
         connection: close\r\n\r\n{body}",
        body.len()
    )
}

fn events(stream: &mut TcpStream, events: &[(Option<&str>, String)]) -> std::io::Result<()> {
    write!(
        stream,
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
    )?;
    for (name, data) in events {
        if let Some(name) = name {
            writeln!(stream, "event: {name}")?;
        }
        write!(stream, "data: {data}\n\n")?;
    }
    stream.flush()
}

/// The text of a message, whether it is one or is made of parts.
fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part["text"].as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// One answer, as a whole and in the pieces that a stream of it is made of.
struct Said {
    whole: Value,
    text: String,
    calls: Vec<(String, String, Value)>,
    tokens: u64,
}

impl Dialect {
    fn next(self, body: &Value, scripts: &Scripts, heard: &mut Heard) -> Turn {
        for (id, text) in self.results(body) {
            if !heard.results.iter().any(|(known, _)| *known == id) {
                heard.results.push((id, text));
            }
        }
        let words = self.words(body);
        let side = Turn::Says(r#"{"title": "scripted", "next_speaker": "user"}"#.to_owned());
        let wants_json = !body["generationConfig"]["responseJsonSchema"].is_null()
            || !body["generationConfig"]["responseSchema"].is_null();
        let last = words.last().map(String::as_str).unwrap_or_default();
        let compacts = last.contains("Your task is to create a detailed summary")
            || last.contains("CRITICAL: Respond with TEXT ONLY");
        if last.contains("<state_snapshot>") && self.tools(body).is_empty() {
            return Turn::Says("<state_snapshot>what was said so far</state_snapshot>".to_owned());
        }
        if self.tools(body).is_empty() || wants_json {
            return side;
        }
        if compacts {
            return Turn::Says("<summary>what was said so far</summary>".to_owned());
        }
        let marked = words.iter().take(9).find_map(|text| {
            let (_, rest) = text.split_once("[[script:")?;
            Some(rest.split("]]").next()?.to_owned())
        });
        let name = marked.unwrap_or_else(|| "main".to_owned());
        for text in words {
            if !heard.words.contains(&text) {
                heard.words.push(text);
            }
        }
        let at = heard.taken.entry(name.clone()).or_default();
        *at += 1;
        let turns = scripts.get(name.as_str());
        let turn = turns.and_then(|turns| turns.get(*at - 1)).cloned();
        turn.unwrap_or_else(|| Turn::Says(format!("({name} has no more turns)")))
    }

    /// The tools that a request offers, with their kinds and the group that they stand in.
    fn tools(self, body: &Value) -> Vec<(String, String, Option<String>)> {
        let mut found = Vec::new();
        for tool in list(&body["tools"]) {
            let kind = tool["type"].as_str().unwrap_or("function").to_owned();
            let name = |tool: &Value| tool["name"].as_str().unwrap_or_default().to_owned();
            match self {
                Self::Contents => found.extend(
                    list(&tool["functionDeclarations"])
                        .map(|tool| (name(tool), "function".to_owned(), None)),
                ),
                Self::Completions => found.push((name(&tool["function"]), kind, None)),
                _ if kind == "namespace" => found.extend(
                    list(&tool["tools"])
                        .map(|one| (name(one), "function".to_owned(), Some(name(tool)))),
                ),
                _ => found.push((name(tool), kind, None)),
            }
        }
        found
    }

    fn words(self, body: &Value) -> Vec<String> {
        let of = |role: &[&str], list_of: &Value, at: &str| {
            let messages = list(list_of)
                .filter(|message| role.contains(&message["role"].as_str().unwrap_or_default()));
            messages.map(|message| text_of(&message[at])).filter(|text| !text.is_empty()).collect()
        };
        match self {
            Self::Messages | Self::Completions => of(&["user"], &body["messages"], "content"),
            Self::Responses => of(&["user", "developer"], &body["input"], "content"),
            Self::Contents => of(&["user"], &body["contents"], "parts"),
        }
    }

    /// What tools answered, by the ids of their calls.
    fn results(self, body: &Value) -> Vec<(String, String)> {
        let shown = |value: &Value| match value {
            Value::String(text) => text.clone(),
            Value::Array(_) => text_of(value),
            other => other.to_string(),
        };
        let id = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let parts = |messages: &'_ Value, at: &str| -> Vec<Value> {
            list(messages).flat_map(|one| list(&one[at]).cloned().collect::<Vec<_>>()).collect()
        };
        match self {
            Self::Messages => parts(&body["messages"], "content")
                .iter()
                .filter(|part| part["type"] == "tool_result")
                .map(|part| (id(&part["tool_use_id"]), shown(&part["content"])))
                .collect(),
            Self::Contents => parts(&body["contents"], "parts")
                .iter()
                .map(|part| &part["functionResponse"])
                .filter(|told| !told.is_null())
                .map(|told| {
                    let said = told["response"]["output"].as_str().map(str::to_owned);
                    (id(&told["id"]), said.unwrap_or_else(|| told["response"].to_string()))
                })
                .collect(),
            Self::Responses => list(&body["input"])
                .filter(|item| {
                    let kind = item["type"].as_str().unwrap_or_default();
                    kind.ends_with("_call_output")
                })
                .map(|item| (id(&item["call_id"]), shown(&item["output"])))
                .collect(),
            Self::Completions => list(&body["messages"])
                .filter(|message| message["role"] == "tool")
                .map(|message| (id(&message["tool_call_id"]), shown(&message["content"])))
                .collect(),
        }
    }

    fn said(self, turn: &Turn, body: &Value, top: &str) -> Said {
        let tools = self.tools(body);
        let full = match self {
            Self::Completions => 199_500,
            _ => 99_000,
        };
        let (text, call, tokens) = match turn {
            Turn::Says(text) => (text.clone(), None, 1_000),
            Turn::Calls(call) => (String::new(), Some(call), 1_000),
            Turn::Fills(call) => (String::new(), Some(call), full),
        };
        let named = call.map(|call| self.native(call, body, &tools, top));
        let id = || new_id("call");
        let calls: Vec<(String, String, Value)> =
            named.into_iter().map(|(name, with)| (id(), name, with)).collect();
        let whole = self.whole(&text, &calls, tokens, &tools);
        Said { whole, text, calls, tokens }
    }

    /// The call in the client's own words; a text is the input of a tool without fields.
    fn native(
        self,
        call: &Call,
        body: &Value,
        tools: &[(String, String, Option<String>)],
        top: &str,
    ) -> (String, Value) {
        let has = |name: &str| tools.iter().any(|(known, ..)| known == name);
        let at = |path: &str| format!("{top}/{path}");
        let (name, with) = match (self, call) {
            (Self::Responses, _) => return responses_call(call, body, tools),
            (Self::Messages, Call::Read { path }) => ("Read", json!({ "file_path": at(path) })),
            (Self::Messages, Call::Write { path, text }) => {
                ("Write", json!({ "file_path": at(path), "content": text }))
            }
            (Self::Messages, Call::Edit { path, old, new }) => {
                ("Edit", json!({ "file_path": at(path), "old_string": old, "new_string": new }))
            }
            (Self::Messages, Call::Shell { line }) => {
                ("Bash", json!({ "command": line, "description": "scripted" }))
            }
            (Self::Messages, Call::Delegate { script }) => {
                let name = if has("Task") { "Task" } else { "Agent" };
                let prompt = format!("[[script:{script}]] do it");
                let agent = "general-purpose";
                let with =
                    json!({ "description": "a part", "prompt": prompt, "subagent_type": agent });
                (name, with)
            }
            (Self::Contents, Call::Read { path }) => {
                ("read_file", json!({ "file_path": at(path) }))
            }
            (Self::Contents, Call::Write { path, text }) => {
                ("write_file", json!({ "file_path": at(path), "content": text }))
            }
            (Self::Contents, Call::Edit { path, old, new }) => (
                "replace",
                json!({ "file_path": at(path), "old_string": old, "new_string": new,
                    "instruction": "scripted" }),
            ),
            (Self::Contents, Call::Shell { line }) => {
                ("run_shell_command", json!({ "command": line, "description": "scripted" }))
            }
            (Self::Contents, Call::Delegate { script }) => (
                "invoke_agent",
                json!({ "agent_name": "generalist",
                    "prompt": format!("[[script:{script}]] do it") }),
            ),
            (Self::Completions, Call::Read { path }) => ("read", json!({ "filePath": at(path) })),
            (Self::Completions, Call::Write { path, text }) => {
                ("write", json!({ "filePath": at(path), "content": text }))
            }
            (Self::Completions, Call::Edit { path, old, new }) => {
                ("edit", json!({ "filePath": at(path), "oldString": old, "newString": new }))
            }
            (Self::Completions, Call::Shell { line }) => {
                ("bash", json!({ "command": line, "description": "scripted" }))
            }
            (Self::Completions, Call::Delegate { script }) => (
                "task",
                json!({ "description": "a part", "prompt": format!("[[script:{script}]] do it"),
                    "subagent_type": "general" }),
            ),
            (_, Call::Tool { name, with }) => {
                let name = match self {
                    Self::Messages => format!("mcp__seed__{name}"),
                    Self::Contents => format!("mcp_seed_{name}"),
                    _ => format!("seed_{name}"),
                };
                return (name, with.clone());
            }
            (_, Call::Wait) => unreachable!("only Codex has to wait"),
        };
        (name.to_owned(), with)
    }

    fn whole(
        self,
        text: &str,
        calls: &[(String, String, Value)],
        tokens: u64,
        tools: &[(String, String, Option<String>)],
    ) -> Value {
        match self {
            Self::Messages => json!({
                "id": new_id("msg"), "type": "message", "role": "assistant", "model": "scripted",
                "content": blocks(text, calls), "stop_sequence": null,
                "stop_reason": if calls.is_empty() { "end_turn" } else { "tool_use" },
                "usage": { "input_tokens": tokens, "output_tokens": 50,
                    "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0 },
            }),
            Self::Responses => json!({
                "id": new_id("resp"), "object": "response", "created_at": 1, "model": "scripted",
                "status": "completed", "output": items(text, calls, tools),
                "usage": { "input_tokens": tokens, "input_tokens_details": { "cached_tokens": 0 },
                    "output_tokens": 50, "output_tokens_details": { "reasoning_tokens": 0 },
                    "total_tokens": tokens + 50 },
            }),
            Self::Completions => json!({
                "id": new_id("chat"), "object": "chat.completion", "created": 1,
                "model": "scripted",
                "choices": [{ "index": 0, "finish_reason": "stop",
                    "message": { "role": "assistant", "content": text } }],
                "usage": { "prompt_tokens": tokens, "completion_tokens": 50,
                    "total_tokens": tokens + 50 },
            }),
            Self::Contents => {
                let words = (!text.is_empty()).then(|| json!({ "text": text }));
                let asked = calls.iter().map(|(id, name, with)| {
                    json!({ "functionCall": { "id": id, "name": name, "args": with } })
                });
                let parts: Vec<Value> = words.into_iter().chain(asked).collect();
                json!({
                    "candidates": [{ "content": { "role": "model", "parts": parts },
                        "finishReason": "STOP", "index": 0 }],
                    "usageMetadata": { "promptTokenCount": tokens, "candidatesTokenCount": 50,
                        "totalTokenCount": tokens + 50 },
                    "modelVersion": "scripted",
                })
            }
        }
    }

    fn streamed(self, said: &Said) -> Vec<(Option<&'static str>, String)> {
        let Said { whole, text, calls, tokens } = said;
        match self {
            Self::Messages => messages_stream(whole),
            Self::Responses => responses_stream(whole),
            Self::Contents => vec![(None, whole.to_string())],
            Self::Completions => {
                let piece = |choices: Value| {
                    let head = json!({ "id": whole["id"], "object": "chat.completion.chunk",
                        "created": 1, "model": "scripted", "choices": choices,
                        "usage": { "prompt_tokens": tokens, "completion_tokens": 50,
                            "total_tokens": tokens + 50 } });
                    (None, head.to_string())
                };
                let asked: Vec<Value> = calls
                    .iter()
                    .enumerate()
                    .map(|(index, (id, name, with))| {
                        json!({ "index": index, "id": id, "type": "function",
                            "function": { "name": name, "arguments": with.to_string() } })
                    })
                    .collect();
                let ends = if calls.is_empty() { "stop" } else { "tool_calls" };
                let mut delta = json!({ "role": "assistant", "content": text });
                if !asked.is_empty() {
                    delta["tool_calls"] = json!(asked);
                }
                vec![
                    piece(json!([{ "index": 0, "delta": delta, "finish_reason": null }])),
                    piece(json!([{ "index": 0, "delta": {}, "finish_reason": ends }])),
                    (None, "[DONE]".to_owned()),
                ]
            }
        }
    }
}

fn blocks(text: &str, calls: &[(String, String, Value)]) -> Vec<Value> {
    let words = (!text.is_empty()).then(|| json!({ "type": "text", "text": text }));
    let asked = calls.iter().map(|(id, name, with)| {
        json!({ "type": "tool_use", "id": format!("toolu_{id}"), "name": name, "input": with })
    });
    words.into_iter().chain(asked).collect()
}

fn messages_stream(whole: &Value) -> Vec<(Option<&'static str>, String)> {
    let mut begins = whole.clone();
    begins["content"] = json!([]);
    begins["stop_reason"] = json!(null);
    let event = |name: &'static str, mut data: Value| {
        data["type"] = json!(name);
        (Some(name), data.to_string())
    };
    let mut events = vec![event("message_start", json!({ "message": begins }))];
    for (index, block) in list(&whole["content"]).enumerate() {
        let (empty, delta) = if block["type"] == "text" {
            let delta = json!({ "type": "text_delta", "text": block["text"] });
            (json!({ "type": "text", "text": "" }), delta)
        } else {
            let mut empty = block.clone();
            empty["input"] = json!({});
            let input = block["input"].to_string();
            (empty, json!({ "type": "input_json_delta", "partial_json": input }))
        };
        events.extend([
            event("content_block_start", json!({ "index": index, "content_block": empty })),
            event("content_block_delta", json!({ "index": index, "delta": delta })),
            event("content_block_stop", json!({ "index": index })),
        ]);
    }
    let ends = json!({ "stop_reason": whole["stop_reason"], "stop_sequence": null });
    events.push(event("message_delta", json!({ "delta": ends, "usage": whole["usage"] })));
    events.push(event("message_stop", json!({})));
    events
}

fn items(
    text: &str,
    calls: &[(String, String, Value)],
    tools: &[(String, String, Option<String>)],
) -> Vec<Value> {
    let words = (!text.is_empty()).then(|| {
        json!({ "type": "message", "id": new_id("item"), "role": "assistant", "status": "completed",
            "content": [{ "type": "output_text", "text": text, "annotations": [] }] })
    });
    let asked = calls.iter().map(|(id, name, with)| {
        if let Value::String(input) = with {
            return json!({ "type": "custom_tool_call", "id": format!("ctc_{id}"), "call_id": id,
                "name": name, "input": input, "status": "completed" });
        }
        let mut item = json!({ "type": "function_call", "id": format!("fc_{id}"), "call_id": id,
            "name": name, "arguments": with.to_string(), "status": "completed" });
        if let Some((.., Some(group))) = tools.iter().find(|(known, ..)| known == name) {
            item["namespace"] = json!(group);
        }
        item
    });
    words.into_iter().chain(asked).collect()
}

fn responses_stream(whole: &Value) -> Vec<(Option<&'static str>, String)> {
    let event = |name: &'static str, mut data: Value| {
        data["type"] = json!(name);
        (Some(name), data.to_string())
    };
    let mut begins = whole.clone();
    begins["output"] = json!([]);
    begins["status"] = json!("in_progress");
    let mut events = vec![event("response.created", json!({ "response": begins }))];
    for (index, item) in list(&whole["output"]).enumerate() {
        let mut started = item.clone();
        started["status"] = json!("in_progress");
        let added = json!({ "output_index": index, "item": started });
        events.push(event("response.output_item.added", added));
        let done = json!({ "output_index": index, "item": item });
        events.push(event("response.output_item.done", done));
    }
    events.push(event("response.completed", json!({ "response": whole })));
    events
}

/// A call in Codex's words: it reads by its shell, and changes files by patches.
fn responses_call(
    call: &Call,
    body: &Value,
    tools: &[(String, String, Option<String>)],
) -> (String, Value) {
    let signed = |sign: &str, text: &str| {
        text.lines().map(|line| format!("{sign}{line}\n")).collect::<String>()
    };
    let shell =
        |line: &str| ("exec_command".to_owned(), json!({ "cmd": line, "yield_time_ms": 5_000 }));
    let patch = |head: String| format!("*** Begin Patch\n{head}*** End Patch");
    let patched = |patch: String| match tools.iter().find(|(name, ..)| name == "apply_patch") {
        Some((name, kind, _)) if kind == "custom" => (name.clone(), json!(patch)),
        Some((name, ..)) => (name.clone(), json!({ "input": patch })),
        None => shell(&format!("apply_patch <<'END_OF_PATCH'\n{patch}\nEND_OF_PATCH")),
    };
    match call {
        Call::Read { path } => shell(&format!("cat {path}")),
        Call::Shell { line } => shell(line),
        Call::Write { path, text } => {
            patched(patch(format!("*** Add File: {path}\n{}", signed("+", text))))
        }
        Call::Edit { path, old, new } => patched(patch(format!(
            "*** Update File: {path}\n@@\n{}{}",
            signed("-", old),
            signed("+", new)
        ))),
        Call::Delegate { script } => {
            ("spawn_agent".to_owned(), json!({ "message": format!("[[script:{script}]] do it") }))
        }
        Call::Wait => {
            let told = list(&body["input"]).filter_map(|item| item["output"].as_str());
            let ids = told.filter_map(|output| {
                let (_, rest) = output.split_once("\"agent_id\":\"")?;
                rest.split('"').next().map(str::to_owned)
            });
            let ids: Vec<String> = ids.collect();
            ("wait_agent".to_owned(), json!({ "targets": ids, "timeout_ms": 20_000 }))
        }
        Call::Tool { name, with } => ((*name).to_owned(), with.clone()),
    }
}
