//! The server of `git seed mcp`, as clients know it: over its pipes.
#![expect(clippy::disallowed_macros, reason = "what was measured, and what was skipped, is told")]
#![expect(clippy::disallowed_methods, reason = "which python has the client is told from outside")]

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::world::{CODE, World};

const SEED: &str = env!("CARGO_BIN_EXE_git-seed");
const TOOLS: [&str; 6] = [
    "verify_claim",
    "verify_paths",
    "causal_trace",
    "response_gate",
    "checkpoint",
    "session_report",
];

/// Words of the arithmetic, which stands in the structured content alone.
const FIGURES: [&str; 8] =
    ["phi", "entropy", "valence", "arousal", "confidence", "coverage", "trust:", "0."];

/// A client that has a server to itself.
pub(super) struct Client {
    server: Child,
    input: Option<ChildStdin>,
    lines: Receiver<Value>,
    asked: u64,
    /// What came that answers nothing.
    news: Vec<Value>,
}

impl Client {
    fn of(world: &World) -> Self {
        Self::serving(world, &["mcp"])
    }

    /// The same with these arguments.
    pub(super) fn serving(world: &World, arguments: &[&str]) -> Self {
        let mut command = world.beside(SEED);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut server = command.spawn().expect("the server starts");
        let output = BufReader::new(server.stdout.take().expect("a pipe"));
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let value =
                    serde_json::from_str(&line).unwrap_or_else(|bad| panic!("{bad}: {line}"));
                if sender.send(value).is_err() {
                    return;
                }
            }
        });
        Self { input: server.stdin.take(), server, lines, asked: 0, news: Vec::new() }
    }

    fn begun(world: &World) -> Self {
        let mut client = Self::of(world);
        client.begins();
        client
    }

    pub(super) fn begins(&mut self) -> Value {
        let params = json!({
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        });
        let told = self.asks("initialize", &params);
        self.sends(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        told
    }

    fn sends(&mut self, line: &str) {
        let input = self.input.as_mut().expect("it is open");
        input.write_all(format!("{line}\n").as_bytes()).expect("the server reads");
    }

    fn next(&self) -> Value {
        self.lines.recv_timeout(Duration::from_secs(20)).expect("the server says something")
    }

    pub(super) fn asks(&mut self, method: &str, params: &Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        self.sends(
            &json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string(),
        );
        loop {
            let answer = self.next();
            if answer["id"] == id {
                return answer;
            }
            self.news.push(answer);
        }
    }

    pub(super) fn calls(&mut self, tool: &str, arguments: &Value) -> Value {
        self.asks("tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    /// What a call gives that works.
    fn content(&mut self, tool: &str, arguments: &Value) -> Value {
        let answer = self.calls(tool, arguments);
        let result = &answer["result"];
        assert_eq!(result["isError"], false, "{tool}: {answer}");
        let content = result["structuredContent"].clone();
        let text = result["content"][0]["text"].as_str().expect("a text");
        assert!(!text.is_empty(), "{tool}: {content}");
        for figure in FIGURES {
            assert!(!text.contains(figure), "{tool}: {text}");
        }
        content
    }

    fn memory_kb(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.server.id())).ok()?;
        let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
        line.split_whitespace().nth(1)?.parse().ok()
    }

    /// The client goes; gives the exit code and what the server complained of.
    pub(super) fn leaves(mut self) -> (Option<i32>, String) {
        drop(self.input.take());
        let done = self.server.wait_with_output().expect("the server ends");
        (done.status.code(), String::from_utf8_lossy(&done.stderr).into_owned())
    }
}

fn claim() -> Value {
    json!({
        "claim": "Fixed the lexer so that it keeps escapes", "evidence": "read lex() again",
        "evidence_type": "code_review", "code_paths_tested": ["lex"],
        "code_paths_affected": "src/parser/lex.rs, lex",
    })
}

fn response() -> Value {
    json!({
        "action_type": "deploy", "confidence": 0.9, "evidence_count": 0, "evidence_type": "none",
        "affects_user_facing": true,
    })
}

/// A change that nobody committed.
fn changed() -> World {
    let world = World::seeded();
    world.puts(CODE, "fn lex() { keep() }\n");
    world
}

fn arguments_of(tool: &str) -> Value {
    match tool {
        "verify_claim" => claim(),
        "verify_paths" => json!({"claimed_affected": ["lex.rs", "gone.rs"], "claimed_tested": ""}),
        "causal_trace" => {
            json!({"symptom": "escapes get lost",
                "causal_chain": "lex cuts them → escapes get lost"})
        }
        "response_gate" => response(),
        "checkpoint" => json!({"context": "looking at the lexer"}),
        _ => json!({}),
    }
}

#[test]
fn six_tools_answer_and_each_ruling_has_its_record() {
    let world = changed();
    let began = Instant::now();
    let mut client = Client::of(&world);
    let told = client.begins();
    let first = began.elapsed();
    assert_eq!(told["result"]["serverInfo"]["name"], "seed", "{told}");
    let listed = client.asks("tools/list", &json!({}));
    let tools = listed["result"]["tools"].as_array().expect("a list");
    assert_eq!(
        tools.iter().map(|tool| tool["name"].as_str().expect("a name")).collect::<Vec<_>>(),
        TOOLS
    );
    let gate = &tools[3]["inputSchema"];
    assert_eq!(gate["additionalProperties"], false);
    assert_eq!(
        gate["properties"]["action_type"]["enum"].as_array().expect("an enum").len(),
        10,
        "{gate}"
    );
    let share = &gate["properties"]["confidence"];
    assert_eq!((&share["minimum"], &share["maximum"]), (&json!(0), &json!(1)));
    assert_eq!(gate["required"].as_array().expect("a list").len(), 5);

    for (tool, listed) in TOOLS.into_iter().zip(tools) {
        let content = client.content(tool, &arguments_of(tool));
        super::audit::fits(&listed["outputSchema"], &listed["outputSchema"], &content, tool);
        assert!(listed["outputSchema"]["required"].as_array().is_some_and(|keys| keys.len() > 5));
        let again = client.content(&format!("phionyx_{tool}"), &arguments_of(tool));
        let keys = |value: &Value| {
            value.as_object().expect("an object").keys().cloned().collect::<BTreeSet<_>>()
        };
        assert_eq!(keys(&content), keys(&again), "{tool}");
        let expected: &[&str] = match tool {
            "verify_claim" => &[
                "directive",
                "gaps",
                "physics",
                "input_verification",
                "audit",
                "record",
                "receipts",
            ],
            "verify_paths" => {
                &["missed_by_llm", "phantom_claims", "repo_changed_functions", "warnings"]
            }
            "causal_trace" => &["directive", "links_parsed", "suggestions"],
            "response_gate" => {
                &["directive", "authority", "trace_id", "chain_head", "require_tool"]
            }
            "checkpoint" => &["trace_id", "counters"],
            _ => &["total", "directives", "drift", "last_claims", "chain"],
        };
        for key in expected {
            assert!(content.get(key).is_some(), "{tool} lacks {key}: {content}");
        }
    }
    let paths = client.content("verify_paths", &arguments_of("verify_paths"));
    assert_eq!(paths["repo_changed_files"], json!([CODE]));
    assert_eq!(paths["phantom_claims"], json!(["gone.rs"]));
    let ruling = client.content("verify_claim", &claim());
    assert_eq!(world.git("rev-parse refs/seed/claims"), ruling["record"].as_str().expect("an id"));
    assert_eq!(ruling["audit"]["n"], 7, "six rulings came before it");
    let report = client.content("session_report", &json!({}));
    assert_eq!((&report["total"], &report["chain"]["count"]), (&json!(7), &json!(7)), "{report}");

    // Whoever gives a token hears how far it is.
    client.news.clear();
    let asked =
        json!({"name": "verify_claim", "arguments": claim(), "_meta": {"progressToken": "t"}});
    client.asks("tools/call", &asked);
    let steps: Vec<&Value> = client.news.iter().map(|news| &news["params"]["progress"]).collect();
    assert_eq!(steps, [1.0, 2.0, 3.0], "{:?}", client.news);
    let memory = client.memory_kb();
    println!("mcp: first answer after {first:?}, peak memory {memory:?} KiB");
    if !cfg!(debug_assertions) {
        assert!(memory.is_none_or(|kb| kb <= 30 * 1024), "{memory:?}");
    }
    assert_eq!(client.leaves(), (Some(0), String::new()));
}

#[test]
fn what_does_not_fit_is_named_and_the_server_goes_on() {
    let world = changed();
    let mut client = Client::of(&world);
    // Before it has begun: an answer to nothing, a word that asks nothing, a question too early.
    client.sends(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"?"}}"#);
    client
        .sends(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#);
    let early = client.asks("tools/list", &json!({}))["error"].take();
    assert!(early["code"] == -32600 && early.to_string().contains("initialize"), "{early}");
    client.begins();
    let long = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{}\"}}", "m".repeat(3 << 20));
    let late = format!("{{\"method\":\"{}\",\"id\":\"late\"}}", "m".repeat(3 << 20));
    let deep = "[".repeat(100_000);
    for (line, code, id) in [
        ("not json", -32700, json!(null)),
        ("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":", -32700, json!(7)),
        (r#"{"jsonrpc":"2.0","method":"ping","x":"\ud83d","id":"half"}"#, -32700, json!("half")),
        (deep.as_str(), -32700, json!(null)),
        (long.as_str(), -32600, json!(1)),
        (late.as_str(), -32600, json!("late")),
        ("[]", -32600, json!(null)),
        ("17", -32600, json!(null)),
        (r#"{"jsonrpc":"2.0","id":70}"#, -32600, json!(70)),
        (r#"{"jsonrpc":"1.0","id":71,"method":"ping"}"#, -32600, json!(71)),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600, json!(null)),
        (r#"{"jsonrpc":"2.0","id":72,"method":"tools/call","params":[1]}"#, -32602, json!(72)),
        (
            r#"{"jsonrpc":"2.0","id":73,"method":"tools/call","params":{"name":3}}"#,
            -32602,
            json!(73),
        ),
        (r#"{"jsonrpc":"2.0","id":74,"method":"no/such"}"#, -32601, json!(74)),
        (
            r#"{"jsonrpc":"2.0","id":75,"method":"tools/call","params":{"name":"nothing"}}"#,
            -32602,
            json!(75),
        ),
    ] {
        client.sends(line);
        let said = client.next();
        let shown: String = line.chars().take(60).collect();
        assert_eq!((&said["error"]["code"], &said["id"]), (&json!(code), &id), "{shown}: {said}");
    }
    client
        .sends(r#"[{"jsonrpc":"2.0","id":80,"method":"ping"},{"jsonrpc":"2.0","method":"what"}]"#);
    assert_eq!(client.next()["id"], 80);
    // Arguments that do not fit say what would.
    let without = |field: &str| {
        let mut given = claim();
        given.as_object_mut().expect("an object").remove(field);
        given
    };
    let with = |mut given: Value, field: &str, value: Value| {
        given[field] = value;
        given
    };
    for (tool, given, field, word) in [
        ("verify_claim", without("evidence"), "evidence", "missing"),
        (
            "verify_claim",
            with(claim(), "evidence_type", json!("vibes")),
            "evidence_type",
            "unit_test",
        ),
        (
            "verify_claim",
            with(claim(), "evidence_kind", json!("x")),
            "evidence_kind",
            "code_paths_tested",
        ),
        ("verify_claim", with(claim(), "claim", json!("x".repeat(500_000))), "claim", "16384"),
        ("response_gate", with(response(), "confidence", json!(1.5)), "confidence", "from 0 to 1"),
        (
            "response_gate",
            with(response(), "evidence_count", json!(-1)),
            "evidence_count",
            "from 0",
        ),
        (
            "response_gate",
            with(response(), "action_type", json!("ship")),
            "action_type",
            "claim_fixed",
        ),
    ] {
        let error = client.calls(tool, &given)["error"].clone();
        assert_eq!(
            (&error["code"], &error["data"]["field"]),
            (&json!(-32602), &json!(field)),
            "{error}"
        );
        assert!(error["message"].as_str().expect("a text").contains(word), "{error}");
    }
    // None of it was ruled on, and the next claim is.
    assert!(world.tries("git rev-parse -q --verify refs/seed/claims").code != 0);
    assert!(client.begins()["result"].is_object(), "beginning twice is no fault");
    assert!(client.content("verify_claim", &claim())["record"].is_string());
    assert_eq!(client.leaves(), (Some(0), String::new()));

    // A client that stops listening is no reason to break.
    let mut deaf = world.beside("sh");
    let line =
        format!("(cat ask; sleep 0.3; cat ask) | '{SEED}' mcp 2>complaints | true; cat complaints");
    world.puts("ask", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n");
    let said = deaf.args(["-c", &line]).output().expect("it runs");
    assert_eq!(String::from_utf8_lossy(&said.stdout), "");
}

#[test]
fn two_clients_at_once_lose_no_ruling() {
    let world = changed();
    let clients: Vec<Client> = (0..2).map(|_| Client::begun(&world)).collect();
    std::thread::scope(|scope| {
        for mut client in clients {
            scope.spawn(move || {
                for _ in 0..8 {
                    assert!(client.content("verify_claim", &claim())["record"].is_string());
                }
                assert_eq!(client.leaves().0, Some(0));
            });
        }
    });
    assert_eq!(world.git("rev-list --count refs/seed/claims"), "16");
}

#[test]
fn where_git_cannot_answer_nothing_is_ruled() {
    for (world, said) in [
        (World::new(), "git seed is not installed in this repository"),
        (World::new().elsewhere("home"), "is not inside a git repository"),
    ] {
        let mut client = Client::begun(&world);
        for tool in TOOLS {
            let answer = client.calls(tool, &arguments_of(tool));
            let result = &answer["result"];
            assert_eq!(result["isError"], true, "{tool}: {answer}");
            assert!(result["structuredContent"].is_null(), "{answer}");
            let text = result["content"][0]["text"].as_str().expect("a text").to_lowercase();
            assert!(text.starts_with("error: ") && text.contains(&said.to_lowercase()), "{text}");
        }
        assert_eq!(client.leaves().0, Some(0));
    }
}

/// What a recorded value holds, by shape: texts and numbers may be others by now.
fn fits(recorded: &Value, now: &Value, at: &str) {
    match (recorded, now) {
        // Their keys are what was counted.
        (Value::Object(_), Value::Object(_))
            if at.ends_with(".directives") || at.ends_with(".evidence_types_used") => {}
        (Value::Object(recorded), Value::Object(now)) => {
            for (key, value) in recorded {
                let there = now.get(key).unwrap_or_else(|| panic!("{at} has no {key} any more"));
                fits(value, there, &format!("{at}.{key}"));
            }
        }
        (Value::Number(_), Value::Number(_)) if at.rsplit('.').next() != Some("code") => {}
        (Value::String(_), Value::String(_)) | (Value::Array(_), Value::Array(_)) => {}
        // What a ruling asks for goes by the rows of today.
        (Value::Bool(_), Value::Bool(_)) if at.ends_with(".require_tool.needed") => {}
        // What the repository has no word for differs from place to place.
        (Value::Null, _) | (_, Value::Null) if at.contains(".structuredContent") => {}
        (recorded, now) => assert_eq!(recorded, now, "{at}"),
    }
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/mcp").join(name)
}

#[test]
fn a_recorded_session_of_a_real_client_goes_the_same_way() {
    let world = changed();
    let mut client = Client::of(&world);
    let text = std::fs::read_to_string(fixture("session.jsonl")).expect("the recording");
    let mut answered = 0;
    // What was asked at once may be answered in another order.
    let mut early: Vec<Value> = Vec::new();
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).expect("JSON");
        if let Some(said) = line.get("to") {
            client.sends(&said.to_string());
            continue;
        }
        let recorded = &line["from"];
        let now = loop {
            let is_it = |one: &Value| one.get("id") == recorded.get("id");
            if let Some(at) = early.iter().position(is_it) {
                break early.swap_remove(at);
            }
            early.push(client.next());
        };
        fits(recorded, &now, "answer");
        answered += 1;
    }
    assert!(answered > 30, "{answered}");
    assert_eq!(client.leaves().0, Some(0));
}

#[test]
fn a_real_client_passes_where_it_is_installed() {
    let python = std::env::var("GIT_SEED_TEST_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let there = Command::new(&python).args(["-c", "import mcp"]).output();
    if !there.is_ok_and(|said| said.status.success()) {
        super::skip::not_here(&format!("the module `mcp` of {python}: pip install mcp"));
        return;
    }
    let world = changed();
    let said = world
        .beside(&python)
        .arg(fixture("session.py"))
        .args([SEED, "mcp"])
        .output()
        .expect("python runs");
    let (out, err) = (String::from_utf8_lossy(&said.stdout), String::from_utf8_lossy(&said.stderr));
    assert!(said.status.success() && out.trim_end().ends_with("ok"), "{out}\n{err}");
}

#[test]
fn a_registered_server_is_heard_in_every_phase_and_no_other_of_its_name() {
    let world = World::new();
    let person = r#"{"numStartups": 3, "projects": {"/elsewhere": {"mcpServers": {}}}}"#;
    let settings = world.root().join("home/.claude.json");
    std::fs::write(&settings, person).expect("a home");
    world.puts(".codex/config.toml", "model = \"x\"\n");
    let before = world.git("status --porcelain");
    let told = world.person("init --mcp --host claude --host codex").succeeds();
    assert!(told.contains("~/.claude.json") && told.contains("MCP server seed"), "{told}");
    assert_eq!(world.git("status --porcelain"), before);
    let there: Value =
        serde_json::from_str(&std::fs::read_to_string(&settings).expect("it is there"))
            .expect("JSON");
    let entry = &there["projects"][world.repo().to_str().expect("a path")]["mcpServers"]["seed"];
    assert_eq!((&entry["command"], &entry["args"]), (&json!(SEED), &json!(["mcp"])), "{there}");
    assert!(world.text(".codex/config.toml").ends_with("args = [\"mcp\"]\n"));
    world.seed("doctor").tells("finds the server seed in ~/.claude.json");

    world.starts();
    let before = |tool: &str| world.before(tool, &json!({}), &world.next_call());
    before("mcp__seed__verify_claim").passes();
    world.prompt("Fix the lexer: quoted strings lose their escapes");
    for phase in ["observe", "execute", "condense"] {
        world.to(phase);
        for tool in ["mcp__seed__verify_claim", "mcp__seed__phionyx_response_gate"] {
            before(tool).passes();
        }
    }
    // Only what it offers, and only while the entry is ours.
    before("mcp__seed__write_file").refuses("[phase_condense]");
    before("mcp__other__verify_claim").refuses("[phase_condense]");
    let text = std::fs::read_to_string(&settings).expect("it is there");
    std::fs::write(&settings, text.replace(SEED, "/tmp/git-seed")).expect("it is written");
    before("mcp__seed__verify_claim").refuses("[phase_condense]");
    std::fs::write(&settings, text).expect("it is written");

    world.person("uninstall").succeeds();
    assert_eq!(std::fs::read_to_string(&settings).expect("it is there"), person);
    assert_eq!(world.text(".codex/config.toml"), "model = \"x\"\n");
}

/// Every request gets its answer, also when the client has said its last word, and at once.
#[test]
fn what_was_asked_before_the_end_is_answered() {
    let world = changed();
    let mut client = Client::of(&world);
    assert_eq!(client.asks("ping", &json!({}))["result"], json!({}), "before it has begun");
    client.begins();
    client.sends(r#"{"jsonrpc":"2.0","id":81.0,"method":"ping"}"#);
    assert_eq!(client.next()["id"], 81, "a whole number with a point is one");
    for id in 90..94 {
        let params = json!({
            "name": "verify_claim", "arguments": claim(), "_meta": {"progressToken": id},
        });
        let asked = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
        client.sends(&asked.to_string());
    }
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": 93}});
    client.sends(&cancel.to_string());
    let began = Instant::now();
    drop(client.input.take());
    let mut answered = BTreeSet::new();
    while let Ok(line) = client.lines.recv_timeout(Duration::from_secs(20)) {
        answered.extend(line["id"].as_u64().filter(|_| line.get("result").is_some()));
    }
    for id in 90..93 {
        assert!(answered.contains(&id), "{id} has no answer: {answered:?}");
    }
    println!("the last answers came after {:?}", began.elapsed());
    assert_eq!(client.leaves(), (Some(0), String::new()));
}
