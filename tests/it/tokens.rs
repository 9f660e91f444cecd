//! Tokens, out of the transcripts that hosts name: how many the model read and wrote for a job, and
//! what part of them git seed put before it.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::world::{CODE, World};

/// A transcript that the host has, below its home.
struct Transcript {
    file: PathBuf,
}

impl Transcript {
    fn of(world: &World, name: &str) -> Self {
        let file = world.root().join("home/.claude/projects/p").join(name);
        fs::create_dir_all(file.parent().expect("a folder")).expect("made");
        Self { file }
    }

    /// The host adds these bytes.
    fn adds(&self, text: &str) {
        let mut file =
            OpenOptions::new().create(true).append(true).open(&self.file).expect("it opens");
        file.write_all(text.as_bytes()).expect("written");
    }

    fn fields(&self, more: &Value) -> Value {
        let mut fields = more.clone();
        fields["transcript_path"] = json!(self.file);
        fields
    }
}

/// A block of an answer at Claude Code.
fn said(message: &str, input: u64, output: u64) -> String {
    let line = json!({ "type": "assistant", "requestId": "r", "message": { "id": message,
        "role": "assistant", "content": [{ "type": "text", "text": "a hidden word" }],
        "usage": { "input_tokens": input, "cache_creation_input_tokens": 1000,
            "cache_read_input_tokens": 20_000, "output_tokens": output } } });
    format!("{line}\n")
}

/// A count at Codex: the sums so far.
fn counted(input: u64, cached: u64, output: u64) -> String {
    let info = json!({ "total_token_usage": { "input_tokens": input, "cached_input_tokens": cached,
        "output_tokens": output, "reasoning_output_tokens": 1, "total_tokens": input + output },
        "last_token_usage": { "input_tokens": 1, "output_tokens": 1 } });
    let line = json!({ "timestamp": "2026-11-21T20:44:14Z", "type": "event_msg",
        "payload": { "type": "token_count", "info": info, "rate_limits": null } });
    format!("{line}\n")
}

fn prompts(world: &World, transcript: &Transcript, text: &str) {
    world.event("UserPromptSubmit", &transcript.fields(&json!({ "prompt": text })));
}

fn stops(world: &World, transcript: &Transcript) {
    world.event("Stop", &transcript.fields(&json!({ "stop_hook_active": false })));
}

/// A session in which Claude Code has begun on a job.
fn begun() -> (World, Transcript) {
    let world = World::seeded();
    let transcript = Transcript::of(&world, "s.jsonl");
    world.event("SessionStart", &transcript.fields(&json!({ "source": "startup" })));
    prompts(&world, &transcript, "Mend the lexer");
    (world, transcript)
}

/// Input, cached and output of the job at hand, without a look at what was written since.
fn known(world: &World) -> Option<(u64, u64, u64)> {
    let text = world.seed("status --json").succeeds();
    numbers(&serde_json::from_str::<Value>(&text).expect("JSON")["tokens"])
}

fn numbers(tokens: &Value) -> Option<(u64, u64, u64)> {
    let number = |key: &str| tokens[key].as_u64().expect(key);
    (!tokens.is_null()).then(|| (number("input"), number("cached"), number("output")))
}

#[test]
fn what_claude_code_tells_is_counted_once_for_each_message() {
    let (world, transcript) = begun();
    assert_eq!(known(&world), None, "nothing was told yet");
    assert!(!world.person("status").succeeds().contains("tokens"));
    let [one, two] = [said("one", 5, 1), said("two", 5, 400)];
    let noise = "{\"type\":\"user\",\"message\":{\"content\":\"output_tokens\"}}\nno JSON\n";
    let (half, rest) = two.split_at(two.len() / 2);
    transcript.adds(&[&one, noise, &said("one", 5, 300), half].concat());
    stops(&world, &transcript);
    assert_eq!(known(&world), Some((21_005, 20_000, 300)), "the last line is torn");
    transcript.adds(rest);
    assert_eq!(known(&world), Some((21_005, 20_000, 300)), "an agent's look reads nothing");
    let told = world.json("status");
    assert_eq!(numbers(&told["tokens"]), Some((42_010, 40_000, 700)), "a person's does");
    let words = told["cost"]["words"].as_u64().expect("a number")
        + told["cost"]["quoted"].as_u64().expect("a number");
    assert!(words > 0);
    assert_eq!(told["tokens"]["injected"], json!(words * 13 / 10));
    let share = told["tokens"]["share"].as_f64().expect("a share");
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    let wanted = (words * 13 / 10) as f64 / 2_010.0;
    assert!((share - wanted).abs() < 0.0001, "{share} {wanted}");
    assert!(told.get("tokens_untold").is_none());
    let line = format!(
        "42010 read, 40000 of them from the cache · 700 written · git seed about {}, {:.1} % of \
         what was not cached",
        words * 13 / 10,
        share * 100.0
    );
    world.person("status").tells(&line);
    // Once more: it is all counted.
    stops(&world, &transcript);
    prompts(&world, &transcript, "And the printer");
    world.event("SessionEnd", &transcript.fields(&json!({ "reason": "other" })));
    // The small talk ended with its session, and counts.
    assert_eq!(numbers(&world.json("stats")["tokens"]), Some((42_010, 40_000, 700)));
}

#[test]
fn stats_sum_the_jobs_of_this_clone_by_the_day() {
    let (world, transcript) = begun();
    assert_eq!(world.json("stats")["tokens"], Value::Null);
    assert!(!world.person("stats").succeeds().contains("tokens"));
    transcript.adds(&said("one", 5, 300));
    world.person("stats").tells("tokens   21005 read, 20000 of them from the cache · 300 written");
    assert_eq!(numbers(&world.json("stats")["tokens"]), Some((21_005, 20_000, 300)));
    world.hours(24);
    world.reads(CODE).passes();
    transcript.adds(&said("two", 5, 7));
    stops(&world, &transcript);
    assert_eq!(numbers(&world.json("stats")["tokens"]), Some((42_010, 40_000, 307)));
    let late = world.json("stats --since 2026-11-22");
    assert_eq!(numbers(&late["tokens"]), Some((21_005, 20_000, 7)));
}

#[test]
fn codex_tells_sums_of_its_session() {
    let world = World::new();
    world.person("init --host codex").succeeds();
    let rollout = Transcript::of(&world, "rollout.jsonl");
    let hears = |event: &str, fields: &Value| world.hears("codex", event, &rollout.fields(fields));
    rollout.adds(&counted(50_000, 40_000, 900));
    hears("SessionStart", &json!({ "source": "resume" }));
    hears("UserPromptSubmit", &json!({ "prompt": "Mend the lexer" }));
    rollout.adds(&[counted(50_000, 40_000, 900), counted(51_000, 40_500, 950)].concat());
    hears("Stop", &json!({ "stop_hook_active": false }));
    assert_eq!(known(&world), Some((1_000, 500, 50)), "what was before the job is not its own");
    rollout.adds(&[counted(51_000, 40_500, 950), counted(54_000, 41_500, 990)].concat());
    hears("Stop", &json!({ "stop_hook_active": true }));
    assert_eq!(known(&world), Some((4_000, 1_500, 90)));
}

/// Three answers of a thousand tokens, as the clients wrote them down.
#[test]
fn lines_that_the_clients_wrote_are_counted() {
    for host in ["claude", "codex"] {
        let file = format!("fixtures/hooks/{host}/_transcript-tokens.txt");
        let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file));
        let text = text.expect("it was recorded");
        let world = World::new();
        world.person(&format!("init --host {host}")).succeeds();
        let transcript = Transcript::of(&world, "s.jsonl");
        let hears = |event: &str, fields: &Value| {
            world.hears(host, event, &transcript.fields(fields));
        };
        hears("SessionStart", &json!({ "source": "startup" }));
        hears("UserPromptSubmit", &json!({ "prompt": "Look at the lexer" }));
        transcript.adds(&text);
        hears("Stop", &json!({ "stop_hook_active": false }));
        assert_eq!(known(&world), Some((3_000, 0, 150)), "{host}");
    }
}

#[test]
fn other_hosts_tell_nothing_and_status_says_so() {
    for (host, prompt, title) in [
        ("gemini", "BeforeAgent", "Gemini CLI"),
        ("droid", "UserPromptSubmit", "Factory Droid"),
        ("vscode", "UserPromptSubmit", "VS Code"),
    ] {
        let world = World::new();
        world.person(&format!("init --host {host}")).succeeds();
        let transcript = Transcript::of(&world, "s.jsonl");
        transcript.adds(&said("one", 5, 300));
        let fields = json!({ "source": "startup", "prompt": "Mend the lexer" });
        world.hears(host, "SessionStart", &transcript.fields(&fields));
        world.hears(host, prompt, &transcript.fields(&fields));
        let told = world.json("status");
        assert_eq!(told["tokens"], Value::Null, "{host}");
        assert_eq!(told["tokens_untold"], json!(format!("not told by {title}")), "{host}");
        assert!(!world.person("status").succeeds().contains("tokens"), "{host}");
        assert!(!world.path(".git/seed/tokens").exists(), "{host}");
    }
}

#[test]
fn a_subagents_transcript_is_its_own_from_the_first_line() {
    let (world, transcript) = begun();
    let own = Transcript::of(&world, "agent-a.jsonl");
    own.adds(&said("sub", 5, 40));
    transcript.adds(&said("one", 5, 300));
    let ends =
        json!({ "agent_id": "a", "agent_type": "Explore", "agent_transcript_path": own.file });
    for _ in 0..2 {
        world.event("SubagentStop", &transcript.fields(&ends));
        assert_eq!(known(&world), Some((42_010, 40_000, 340)));
    }
}

#[test]
fn no_transcript_is_read_before_or_after_a_tool() {
    let (world, transcript) = begun();
    transcript.adds(&said("one", 5, 300));
    for event in ["PreToolUse", "PostToolUse", "PreCompact", "SubagentStart", "Notification"] {
        let call = json!({ "tool_name": "Read", "tool_use_id": "t", "tool_response": {},
            "tool_input": { "file_path": world.path("seed.txt") } });
        world.event(event, &transcript.fields(&call));
        assert_eq!(known(&world), None, "{event}");
    }
}

#[test]
fn megabytes_are_read_in_parts_and_no_line_is_lost_or_held() {
    let (world, transcript) = begun();
    let long = format!("{{\"type\":\"user\",\"message\":\"{}\"}}\n", "x".repeat(9 << 20));
    let filler = format!("{{\"type\":\"user\",\"message\":\"{}\"}}\n", "y".repeat(5_000));
    let mut text = String::new();
    for n in 0..2_000 {
        text += &filler;
        text += &said(&format!("m{n}"), 5, 1);
        if n == 700 {
            text += &long;
        }
    }
    transcript.adds(&text);
    stops(&world, &transcript);
    assert_eq!(known(&world), Some((2_000 * 21_005, 2_000 * 20_000, 2_000)));
    // A gigabyte without an end: a hook reads 32 MiB of it.
    let before = fs::metadata(&transcript.file).expect("there").len();
    let file = OpenOptions::new().write(true).open(&transcript.file).expect("it opens");
    file.set_len(before + (1 << 30)).expect("sparse");
    stops(&world, &transcript);
    let book: Value = serde_json::from_str(&world.text(".git/seed/tokens")).expect("JSON");
    assert_eq!(book["transcripts"][0]["reading"]["at"], json!(before + (32 << 20)));
    assert_eq!(known(&world), Some((2_000 * 21_005, 2_000 * 20_000, 2_000)));
}

#[test]
fn what_is_no_file_is_not_waited_for() {
    let (world, transcript) = begun();
    world.sh("mkfifo ../pipe && ln -s /dev/zero ../zero && ln -s pipe ../link && mkdir -p ../dir");
    let root = world.root().to_owned();
    let hostile = ["pipe", "zero", "link", "dir", "absent/below", "dir/../pipe"];
    let hostile = hostile.iter().map(|name| json!(root.join(name)));
    let others = [
        json!("/dev/zero"),
        json!("/dev/tty"),
        json!("/proc/kmsg"),
        json!("/proc/self/mem"),
        json!("s.jsonl"),
        json!(""),
        json!("/a\u{0}b"),
        json!(7),
        json!(null),
        json!(["/x"]),
    ];
    for path in hostile.chain(others) {
        for (event, fields) in [
            ("UserPromptSubmit", json!({ "prompt": "And the printer" })),
            ("Stop", json!({ "stop_hook_active": true })),
            ("SubagentStop", json!({ "agent_id": "a", "agent_type": "Explore" })),
        ] {
            let mut fields = fields;
            fields["transcript_path"] = path.clone();
            fields["agent_transcript_path"] = path.clone();
            world.event(event, &fields);
        }
        assert_eq!(known(&world), None, "{path}");
    }
    // A pipe that takes the place of what was read before.
    transcript.adds(&said("one", 5, 300));
    stops(&world, &transcript);
    fs::remove_file(&transcript.file).expect("goes");
    world.sh(&format!("mkfifo {}", transcript.file.display()));
    stops(&world, &transcript);
    assert_eq!(numbers(&world.json("status")["tokens"]), Some((21_005, 20_000, 300)));
}

#[test]
fn a_transcript_that_becomes_shorter_and_a_book_that_is_damaged_begin_anew() {
    let (world, transcript) = begun();
    transcript.adds(&[said("one", 5, 300), said("two", 5, 1)].concat());
    stops(&world, &transcript);
    let all = Some((42_010, 40_000, 301));
    assert_eq!(known(&world), all);
    fs::write(&transcript.file, said("old", 5, 9)).expect("another one");
    stops(&world, &transcript);
    assert_eq!(known(&world), all, "what was there before we looked is not counted");
    transcript.adds(&said("new", 5, 2));
    stops(&world, &transcript);
    assert_eq!(known(&world), Some((63_015, 60_000, 303)));
    for damaged in ["", "{", "[]", "{\"rows\":7}"] {
        world.puts(".git/seed/tokens", damaged);
        assert_eq!(world.json("status")["tokens"], Value::Null, "{damaged}");
        transcript.adds(&said(&format!("m{}", damaged.len()), 5, 2));
        stops(&world, &transcript);
        assert_eq!(known(&world), None, "{damaged}: it is met for the first time");
        transcript.adds(&said(&format!("n{}", damaged.len()), 5, 2));
        stops(&world, &transcript);
        assert_eq!(known(&world), Some((21_005, 20_000, 2)), "{damaged}");
    }
}

#[test]
fn only_the_process_of_the_session_is_heard() {
    let (world, transcript) = begun();
    transcript.adds(&said("one", 5, 300));
    let mut other = transcript.fields(&json!({ "stop_hook_active": false }));
    other["session_id"] = json!("00000000-0000-4000-8000-000000000000");
    world.event("Stop", &other);
    assert_eq!(known(&world), None, "a session that nobody recorded");
    world.another_process_speaks();
    stops(&world, &transcript);
    assert_eq!(known(&world), None, "another process");
}

#[test]
fn only_numbers_are_kept_and_only_here() {
    let (world, transcript) = begun();
    transcript.adds(&said("msg_01", 5, 300));
    stops(&world, &transcript);
    let book = world.text(".git/seed/tokens");
    for word in ["hidden", "msg_01", "assistant", "Mend"] {
        assert!(!book.contains(word), "{word}: {book}");
    }
    let objects = world.git("cat-file --batch --batch-all-objects --buffer");
    for word in ["21005", "20000", "s.jsonl"] {
        assert!(!objects.contains(word), "{word}");
    }
    let report = world.person("report --all -o - --json").said();
    assert!(!report.out.contains("21005"), "{}", report.out);
    fs::remove_file(world.path(".git/seed/tokens")).expect("goes");
    assert_eq!(world.json("status")["tokens"], Value::Null);
}
