//! The first day of a person who knows nothing of git seed but one command (`init`), two words
//! (`[DROP]` and `?`) and the answers that a question offers, at every host that there is a row of:
//! they ask, drop what they did not mean, and approve what they wanted.
//!
//! The agent knows nothing either: it does what the last text tells it to do next. Payloads have
//! the fields of each host's own fixtures.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::world::{CODE, Reply, World};

/// A host: its events, its shell tool, and its tool for questions, where it has one that hooks see.
struct Host {
    name: &'static str,
    start: &'static str,
    prompt: &'static str,
    before: &'static str,
    after: &'static str,
    stop: &'static str,
    shell: &'static str,
    asks: Option<&'static str>,
}

const fn like_claude(name: &'static str, shell: &'static str, asks: Option<&'static str>) -> Host {
    Host {
        name,
        start: "SessionStart",
        prompt: "UserPromptSubmit",
        before: "PreToolUse",
        after: "PostToolUse",
        stop: "Stop",
        shell,
        asks,
    }
}

const HOSTS: [Host; 8] = [
    like_claude("claude", "Bash", Some("AskUserQuestion")),
    like_claude("codex", "Bash", Some("request_user_input")),
    like_claude("droid", "Execute", None),
    like_claude("vscode", "run_in_terminal", None),
    Host {
        name: "gemini",
        start: "SessionStart",
        prompt: "BeforeAgent",
        before: "BeforeTool",
        after: "AfterTool",
        stop: "AfterAgent",
        shell: "run_shell_command",
        asks: Some("ask_user"),
    },
    Host {
        name: "copilot",
        start: "sessionStart",
        prompt: "userPromptSubmitted",
        before: "preToolUse",
        after: "postToolUse",
        stop: "agentStop",
        shell: "bash",
        asks: None,
    },
    Host {
        name: "cursor",
        start: "sessionStart",
        prompt: "beforeSubmitPrompt",
        before: "preToolUse",
        after: "postToolUse",
        stop: "stop",
        shell: "Shell",
        asks: None,
    },
    Host {
        name: "opencode",
        start: "session.start",
        prompt: "chat.message",
        before: "tool.execute.before",
        after: "tool.execute.after",
        stop: "session.idle",
        shell: "bash",
        asks: Some("question"),
    },
];

/// What the tests of the project print.
const PASSES: &str = "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out";

struct Day {
    world: World,
    host: &'static Host,
    /// All that the person was shown.
    seen: std::cell::RefCell<String>,
}

impl Day {
    /// The one command.
    fn at(host: &'static Host) -> Self {
        let world = World::new();
        world.puts("Makefile", &format!("test:\n\t@echo '{PASSES}'\n"));
        world.sh("git add -A && git commit -qm make");
        if host.name == "codex" {
            // Without it there is no tool for questions outside of its plan mode.
            let asks = "[features]\ndefault_mode_request_user_input = true\n";
            world.puts("../home/.codex/config.toml", asks);
        }
        world.person(&format!("init --host {}", host.name)).succeeds();
        let day = Self { world, host, seen: std::cell::RefCell::default() };
        day.hears(host.start, &json!({ "source": "startup" }));
        day
    }

    fn hears(&self, event: &str, fields: &Value) -> Reply {
        // One row has a variable that says whether a person is there.
        let reply = match self.host.name {
            "claude" => self.world.hears("claude", event, fields),
            name => self.world.hears_at_a_terminal(name, event, fields),
        };
        self.seen.borrow_mut().push_str(reply.to_person().unwrap_or_default());
        reply
    }

    fn says(&self, words: &str) -> Reply {
        self.hears(self.host.prompt, &json!({ "prompt": words }))
    }

    fn stops(&self) -> Reply {
        let fields = json!({ "stop_hook_active": false, "last_assistant_message": "Here it is.",
            "prompt_response": "Here it is.", "said": "Here it is.", "loop_count": 0 });
        self.hears(self.host.stop, &fields)
    }

    /// A call, in the spelling of the host.
    fn call(&self, tool: &str, input: &Value, id: &str) -> Value {
        let spelled = input.to_string();
        match self.host.name {
            "copilot" => json!({ "toolName": tool, "toolArgs": spelled }),
            "opencode" => json!({ "tool_name": tool, "tool_input": input, "call_id": id }),
            "gemini" | "droid" => json!({ "tool_name": tool, "tool_input": input }),
            _ => json!({ "tool_name": tool, "tool_input": input, "tool_use_id": id }),
        }
    }

    /// What came of it.
    fn came(&self, fields: &mut Value, code: i32, printed: &str) {
        match self.host.name {
            "claude" => {
                fields["tool_response"] =
                    json!({ "stdout": printed, "stderr": "", "interrupted": false });
            }
            "copilot" => {
                let kind = if code == 0 { "success" } else { "failure" };
                fields["toolResult"] = json!({ "resultType": kind, "textResultForLlm": printed });
            }
            "cursor" => {
                let output = json!({ "exitCode": code, "stdout": printed, "stderr": "" });
                fields["tool_output"] = json!(output.to_string());
                fields["duration"] = json!(40);
            }
            "gemini" => fields["tool_response"] = json!({ "llmContent": printed }),
            "droid" => {
                fields["tool_response"] = json!({ "success": code == 0, "output": printed });
            }
            "opencode" => {
                fields["tool_response"] =
                    json!({ "output": printed, "metadata": { "exit": code } });
            }
            _ => fields["tool_response"] = json!(printed),
        }
    }

    /// The agent runs a line; what it reads of it, a refusal where there is one.
    fn runs(&self, line: &str) -> String {
        let id = self.world.next_call();
        let mut fields = self.call(self.host.shell, &json!({ "command": line }), &id);
        let before = self.hears(self.host.before, &fields);
        if let Some(refusal) = before.refusal() {
            return refusal.to_owned();
        }
        let said = self.world.agents_shell(line, "");
        let printed = format!("{}{}", said.out, said.err);
        self.came(&mut fields, said.code, &printed);
        self.hears(self.host.after, &fields);
        printed
    }

    /// The agent asks; the person gives one of the answers that are offered.
    fn asks(&self, tool: &str, question: &Value, answer: &str) -> Reply {
        let id = self.world.next_call();
        let mut question = question.clone();
        question["id"] = json!("done");
        let input = json!({ "questions": [question] });
        let mut fields = self.call(tool, &input, &id);
        fields["permission_mode"] = json!("default");
        let before = self.hears(self.host.before, &fields);
        assert_eq!(before.refusal(), None, "{}", self.host.name);
        let text = question["question"].as_str().expect("a text");
        let answers = match self.host.name {
            "claude" => json!({ "questions": [question], "answers": { text: answer } }),
            "codex" => json!({ "answers": { "done": { "answers": [answer] } } }),
            "gemini" => {
                json!({ "llmContent": json!({ "answers": { "0": answer } }).to_string() })
            }
            _ => json!({ "output": "", "metadata": { "answers": [[answer]] } }),
        };
        fields["tool_response"] = answers;
        self.hears(self.host.after, &fields)
    }

    fn next(&self) -> String {
        self.world.json("status")["next"].as_str().unwrap_or_default().to_owned()
    }

    /// The agent does the work that was asked for, step by step as it is told.
    fn works(&self, what: &str) {
        let mut told = String::new();
        for _ in 0..14 {
            let (phase, next) = (self.world.phase(), self.next());
            told.push_str(&format!("{phase}: {next}\n"));
            match phase.as_str() {
                "condense" => return,
                "idle" => {
                    self.runs(&format!("cat {CODE}"));
                    let line = "git seed phase advance --small --scope src/parser -m";
                    told.push_str(&self.runs(&format!("{line} '{what}'")));
                }
                _ => {
                    self.runs(&format!("echo 'fn {what}() {{}}' >> {CODE}"));
                    self.runs("make test");
                    if next.contains("[JOB-COMPLETE]") {
                        return;
                    }
                    told.push_str(&self.runs(&format!("git seed phase advance -m '{what}'")));
                }
            }
        }
        panic!("{}: the work does not end:\n{told}", self.host.name);
    }

    /// The question that the agent asks at the end, with what the person is to see.
    fn question(&self) -> Value {
        let words = "what was asked for is done and shown by a run of its own ".repeat(9);
        let card = self.world.card();
        let status = self.world.json("status");
        let name = status["job"]["name"].as_str().expect("a name");
        let text = format!("[JOB-COMPLETE] {name}: {words}\n\n{card}\n\n## Outstanding Items\n");
        super::world::question(&text, &["Review", "Approve completion"])
    }

    fn status_of(&self, job: &str) -> String {
        let shown = self.world.json(&format!("job show {job}"));
        shown["status"].as_str().expect("a status").to_owned()
    }
}

#[test]
fn one_command_two_words_and_the_answers_that_are_offered_are_enough_at_each_host() {
    if std::process::Command::new("script").arg("--version").output().is_err() {
        super::skip::not_here("script");
        return;
    }
    for host in &HOSTS {
        let day = Day::at(host);
        let (world, name) = (&day.world, host.name);
        // A question is answered, and nothing is begun by it.
        day.says("? what does the lexer do");
        day.runs(&format!("cat {CODE}"));
        assert_eq!(day.stops().refusal(), None, "{name}: a question holds nobody");
        assert_eq!(world.phase(), "none", "{name}");
        // What was not meant goes with a word, begun or not.
        day.says("Rewrite the lexer in another language");
        let dropped = world.job();
        day.runs(&format!("cat {CODE}"));
        day.says("[DROP] I did not mean that");
        assert_eq!(day.status_of(&dropped), "voided", "{name}");
        assert_eq!(day.stops().refusal(), None, "{name}: dropped, and over");
        // What was meant is done; the person looks at it first, and then says yes.
        day.says("Let the lexer skip blanks");
        let job = world.job();
        assert_ne!(job, dropped, "{name}");
        day.works("skip_blanks");
        if let Some(tool) = host.asks {
            day.asks(tool, &day.question(), "Review");
            assert_eq!(day.stops().refusal(), None, "{name}: the person looks");
            assert_ne!(day.status_of(&job), "completed", "{name}");
            day.says("And tabs, too");
            assert_eq!(world.job(), job, "{name}: more of the same job");
            day.works("skip_tabs");
            // Other words than the answers approve nothing, and what is asked again counts, also
            // where the host gives its calls no ids.
            let question = day.question();
            let heard = day.asks(tool, &question, "what about tabs at the end");
            assert_eq!(day.status_of(&job), "active", "{name}: {heard:?}");
            let heard = day.asks(tool, &question, "Approve completion");
            assert_ne!(day.status_of(&job), "active", "{name}: {heard:?}");
        } else {
            // No question can be asked here: the person is told the word that approves.
            day.stops();
            let approves = "[APPROVE]";
            let status = world.person("status").succeeds();
            let seen = day.seen.borrow().clone();
            assert!(
                status.contains(approves) || seen.contains(approves),
                "{name}: {status}\n{seen}"
            );
            day.says(approves);
        }
        if day.status_of(&job) == "completed" && world.phase() == "condense" {
            day.runs("git seed phase advance -m 'blanks are skipped'");
        }
        assert_eq!(day.status_of(&job), "completed", "{name}: {}", day.next());
        assert_eq!(day.stops().refusal(), None, "{name}: approved, and free");
        let subjects = world.git("log --format=%s");
        assert!(subjects.contains("skip_blanks"), "{name}: {subjects}");
        let status = world.git("status --porcelain");
        assert!(!status.contains(CODE), "{name}: {status}");
    }
}

#[test]
fn every_host_has_its_first_day() {
    let rows = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/src/hosts"));
    let names = rows
        .expect("a directory")
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.strip_suffix(".toml").map(str::to_owned));
    let mut rows: Vec<String> = names.collect();
    let mut played: Vec<String> = HOSTS.iter().map(|host| host.name.to_owned()).collect();
    rows.sort();
    played.sort();
    assert_eq!(played, rows);
}
