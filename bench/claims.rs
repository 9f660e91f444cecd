//! Claims before the gate: the command, the server, the rows that ask for a ruling.

use git_seed::engine;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use git_seed::engine::Repo;
use serde_json::{Value, json};

use super::{
    Asked, Budget, FILE, Ground, SCOPE, Table, Took, Typical, WARM, in_turn, said, timed, tool,
};

/// Files of the repository, of which so many are code that the change touches.
const FILES: usize = 1_000;
const CHANGED: usize = 20;
/// Records that lie there before: as many as a ruling looks back on.
const RECORDS: usize = 120;

/// A file of code; `kept` stands in one function of its ten.
fn code(n: usize, kept: &str) -> String {
    let function = |at: usize| {
        let body = if at == 4 { kept } else { "same" };
        format!(
            "/// Step {at} of part {n}.\npub fn step_{n}_{at}(input: &str) -> usize {{\n    let \
             {body} = input.len() + {at};\n    if {body} > 3 {{\n        return {body} * \
             2;\n    }}\n    {body}\n}}\n\n"
        )
    };
    (0..10).map(function).collect()
}

fn place(n: usize) -> String {
    format!("src/a/b/c/part{n}.rs")
}

impl Ground {
    /// In execute with a change that was tested, and a chain of records behind it.
    fn claiming() -> Result<Self> {
        let sources: Vec<_> = (0..CHANGED).map(|n| (place(n), code(n, "old"))).collect();
        let ground = Self::in_execute_with(FILES, &sources)?;
        for n in 0..CHANGED {
            ground.wrote(&place(n), &code(n, "new"))?;
        }
        ground.tested()?;
        // Files that are as young as an index are looked at one by one; work is older than that.
        std::thread::sleep(Duration::from_secs(4));
        for _ in 0..RECORDS {
            said(&mut ground.verify())?;
        }
        Ok(ground)
    }

    /// The agent runs the tests, and the hook hears of it.
    fn tested(&self) -> Result<()> {
        let mut tests = tool("PostToolUse", "Bash", json!({ "command": "cargo test" }));
        tests["tool_response"] =
            json!({ "stdout": "test result: ok. 20 passed", "interrupted": false });
        self.hooked(&tests).map(drop)
    }

    fn verify(&self) -> std::process::Command {
        let paths = paths();
        let words =
            ["claim", "verify", "--claim", CLAIM, "--evidence", EVIDENCE, "--type", "unit_test"];
        let mut command = self.own(&words);
        command.args(["--tested", &paths, "--affected", &paths]);
        command
    }

    /// The agent's question for a ruling on its work, over the server.
    fn question() -> Value {
        json!({"name": "verify_claim", "arguments": {
            "claim": CLAIM, "evidence": EVIDENCE, "evidence_type": "unit_test",
            "code_paths_tested": paths(), "code_paths_affected": paths(),
        }})
    }
}

const CLAIM: &str = "Every step of the twenty parts keeps the new length, and cargo test passes";
const EVIDENCE: &str = "cargo test: 20 passed";

fn paths() -> String {
    let all: Vec<String> = (0..CHANGED).map(place).chain([FILE.to_owned()]).collect();
    all.join(",")
}

/// A client that has a server to itself.
struct Client {
    server: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    asked: u64,
}

impl Client {
    /// Starts a server and waits for its first answer.
    fn greeted(ground: &Ground) -> Result<Self> {
        let mut command = ground.own(&["mcp"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut server = command.spawn()?;
        let input = server.stdin.take().context("a pipe")?;
        let output = BufReader::new(server.stdout.take().context("a pipe")?);
        let mut client = Self { server, input, output, asked: 0 };
        client.asks(
            "initialize",
            &json!({
                "protocolVersion": "2025-06-18", "capabilities": {},
                "clientInfo": {"name": "bench", "version": "1"},
            }),
        )?;
        Ok(client)
    }

    fn sends(&mut self, message: &Value) -> Result<()> {
        Ok(self.input.write_all(format!("{message}\n").as_bytes())?)
    }

    fn asks(&mut self, method: &str, params: &Value) -> Result<Value> {
        self.asked += 1;
        let id = self.asked;
        self.sends(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        let mut line = String::new();
        loop {
            line.clear();
            ensure!(self.output.read_line(&mut line)? > 0, "the server went");
            let answer: Value = serde_json::from_str(&line)?;
            if answer["id"] == id {
                return Ok(answer);
            }
        }
    }

    /// The most memory that the server had, in KiB; where the system tells.
    fn peak(&self) -> Option<f64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.server.id())).ok()?;
        let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
        line.split_whitespace().nth(1)?.parse().ok()
    }

    fn leaves(self) -> Result<()> {
        let Self { mut server, input, .. } = self;
        drop(input);
        ensure!(server.wait()?.success(), "the server ends well");
        Ok(())
    }
}

/// The command beside `git diff`, the server's start, its answers and its memory, and what a
/// row that asks for a ruling adds to a decision.
pub fn claims(asked: &Asked, table: &mut Table) -> Result<()> {
    let ground = Ground::claiming()?;
    let heard = said(&mut ground.verify())?;
    ensure!(heard.contains("pass") || heard.contains("damp"), "the claim stands, but: {heard}");
    command(asked, table, &ground)?;
    server(asked, table, &ground)?;
    rows(asked, table, &ground)
}

fn command(asked: &Asked, table: &mut Table, ground: &Ground) -> Result<()> {
    let took = in_turn(
        asked.runs(60),
        &mut [Box::new(|_| Ok(ground.verify())), Box::new(|_| Ok(ground.git("diff --stat HEAD")))],
    )?;
    let what = format!("claim verify, {CHANGED} of {FILES} files");
    table.ratio(&what, took[0], "git diff --stat HEAD", took[1], Budget::None);
    Ok(())
}

fn server(asked: &Asked, table: &mut Table, ground: &Ground) -> Result<()> {
    let mut starts = Vec::new();
    for run in 0..asked.runs(30) + WARM {
        let begun = Instant::now();
        let client = Client::greeted(ground)?;
        if run >= WARM {
            starts.push(Took { wall: begun.elapsed(), ..Took::default() });
        }
        client.leaves()?;
    }
    let start = Typical::of(&starts).wall.as_secs_f64() * 1e3;
    table.absolute(
        "server, start to first answer",
        format!("{start:.2} ms"),
        "30 ms",
        start <= 30.0,
    );

    let mut client = Client::greeted(ground)?;
    client.sends(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
    let question = Ground::question();
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for run in 0..asked.runs(60) + WARM {
        let begun = Instant::now();
        let answer = client.asks("tools/call", &question)?;
        let took = [
            Took { wall: begun.elapsed(), ..Took::default() },
            timed(ground.git("diff --numstat HEAD"))?,
        ];
        ensure!(answer["result"]["isError"] == false, "{answer}");
        if run >= WARM {
            ours.push(took[0]);
            theirs.push(took[1]);
        }
    }
    let (ours, theirs) = (Typical::of(&ours), Typical::of(&theirs));
    table.ratio(
        "verify_claim, warm server",
        ours,
        "git diff --numstat HEAD",
        theirs,
        Budget::Wall(2.0),
    );
    if let Some(kib) = client.peak() {
        let shown = format!("{:.1} MiB", kib / 1024.0);
        table.absolute("peak of the server", shown, "30 MiB", kib <= 30.0 * 1024.0);
    }
    client.leaves()
}

/// The same decision where no row asks and where one does: a ruling that holds lets it pass.
fn rows(asked: &Asked, table: &mut Table, ground: &Ground) -> Result<()> {
    // So that nothing else objects.
    let page = format!("{SCOPE}/CLAUDE.md");
    let notes = "# c\n\n---Ob---\n\nit looks\n\n---Pl---\n\nkeep escapes\n\n---Ex---\n\n\
        the length is kept\n\n---Ve---\n";
    ground.edited(&page, notes)?;
    let publish = json!({ "command": "npm publish", "description": "publishes" });
    let publish = ground.payload("publish.json", &tool("PreToolUse", "Bash", publish))?;
    let [off, on] = modes(asked, ground, &publish)?;
    table.ratio("npm publish, a row asks", on, "the same, mode off", off, Budget::None);
    let more = (on.cpu.as_secs_f64() - off.cpu.as_secs_f64()) * 1e6;
    table.absolute(
        "npm publish, a row asks",
        format!("{more:.0} us cpu more"),
        "100 us",
        more <= 100.0,
    );
    Ok(())
}

/// One decision by rules that ask for no ruling, and by those that wait for one.
fn modes(asked: &Asked, ground: &Ground, payload: &Path) -> Result<[Typical; 2]> {
    let seed = Repo::open(&ground.top)?;
    let mut runs: [Vec<Took>; 2] = Default::default();
    // In turns of a few, since changing the rules takes a step of its own.
    for turn in 0..asked.runs(60).div_ceil(4) {
        for (mode, runs) in ["off", "enforce"].iter().zip(&mut runs) {
            engine::apply_rules(&seed, &format!("[claims]\nmode = \"{mode}\"\n"))?;
            said(&mut ground.verify())?;
            let heard = said(&mut ground.hook(payload)?)?;
            ensure!(heard.is_empty(), "mode {mode}: it passes, but: {heard}");
            for run in 0..8 {
                let took = timed(ground.hook(payload)?)?;
                if turn > 0 && run > 1 {
                    runs.push(took);
                }
            }
        }
    }
    Ok(runs.map(|runs| Typical::of(&runs)))
}
