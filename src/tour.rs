//! The tour's stage: a throw-away repository, a host that speaks Claude Code's payloads,
//! and the person and the agent who work in it.
//!
//! Nothing is faked inside: every event goes to `git-seed hook claude` as a process of
//! its own, every boundary is a real command, and a tool only acts when it was not
//! refused. What is told is what came back.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

/// A play in progress.
#[derive(Debug)]
pub(crate) struct Stage {
    /// Everything the tour makes lies below this directory.
    pub home: PathBuf,
    /// The repository.
    pub repo: PathBuf,
    binary: PathBuf,
    calls: u32,
}

/// What a tool call came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Came {
    /// It went ahead; what was said afterwards, if anything, and what it printed.
    Through { said: Option<String>, printed: String },
    /// It was refused before it ran.
    Refused(String),
}

/// Names of variables that would let the world outside into the play.
const OUTSIDE: [&str; 6] = ["CLAUDE", "CODEX", "GEMINI", "GIT_", "CURSOR", "XDG_"];

const SESSION: &str = "e2fc06a6-4aaf-49f6-8712-117cd08f9339";

impl Stage {
    /// Sets up an empty stage below `home`.
    pub(crate) fn new(home: &Path, binary: &Path) -> std::io::Result<Self> {
        let repo = home.join("project");
        std::fs::create_dir_all(&repo)?;
        let (home, binary) = (home.to_owned(), binary.to_owned());
        Ok(Self { home, repo, binary, calls: 0 })
    }

    /// A program of the play: its own home, its own git configuration, our binary on the path.
    fn program(&self, name: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(name);
        for (key, _) in std::env::vars_os() {
            if key.to_str().is_some_and(|key| OUTSIDE.iter().any(|start| key.starts_with(start))) {
                command.env_remove(key);
            }
        }
        let own = self.binary.parent().map(Path::to_owned);
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths(own.into_iter().chain(std::env::split_paths(&path)))
            .unwrap_or(path);
        command
            .current_dir(&self.repo)
            .env("HOME", &self.home)
            .env("PATH", path)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", self.home.join("gitconfig"))
            .env("CLAUDE_CODE_SESSION_ATTENDED", "0");
        command
    }

    /// Runs a command line as a person or an agent would.
    pub(crate) fn shell(&self, line: &str) -> std::io::Result<Output> {
        self.program("sh").args(["-c", line]).stdin(Stdio::null()).output()
    }

    /// What a command line prints.
    pub(crate) fn prints(&self, line: &str) -> std::io::Result<String> {
        let output = self.shell(line)?;
        Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
    }

    /// Runs a command of git seed.
    pub(crate) fn seed(&self, arguments: &[&str], stdin: &str) -> std::io::Result<Output> {
        feed(self.program(&self.binary).args(arguments), stdin.as_bytes())
    }

    /// Sends an event to the hook and gives its answer, if it has one.
    fn event(&self, name: &str, fields: Value) -> std::io::Result<Option<Value>> {
        let mut payload = json!({
            "session_id": SESSION,
            "transcript_path": self.home.join("transcript.jsonl"),
            "cwd": self.repo,
            "prompt_id": "860a18f9-c287-4764-b282-72ef7cd3cf93",
            "permission_mode": "default",
            "hook_event_name": name,
        });
        if let (Some(payload), Value::Object(fields)) = (payload.as_object_mut(), fields) {
            payload.extend(fields);
        }
        let mut command = self.program(&self.binary);
        let output = feed(command.args(["hook", "claude", name]), payload.to_string().as_bytes())?;
        Ok(serde_json::from_slice(&output.stdout).ok())
    }

    /// The host starts.
    pub(crate) fn session_starts(&self) -> std::io::Result<()> {
        self.event("SessionStart", json!({ "source": "startup" })).map(drop)
    }

    /// The person writes a prompt; what the agent is told with it.
    pub(crate) fn prompt(&self, text: &str) -> std::io::Result<Option<String>> {
        let answer = self.event("UserPromptSubmit", json!({ "prompt": text }))?;
        Ok(answer.and_then(|answer| text_at(&answer, "/hookSpecificOutput/additionalContext")))
    }

    /// The agent wants to end its turn; the reason it may not, if there is one.
    pub(crate) fn stops(&self) -> std::io::Result<Option<String>> {
        self.stops_with("All done.")
    }

    /// The same with these last words.
    pub(crate) fn stops_with(&self, said: &str) -> std::io::Result<Option<String>> {
        let fields = json!({
            "stop_hook_active": false, "last_assistant_message": said,
            "background_tasks": [], "session_crons": [],
        });
        Ok(self.event("Stop", fields)?.and_then(|answer| text_at(&answer, "/reason")))
    }

    /// The agent calls a tool; `act` is what the tool does, once it may, and gives its response.
    fn tool(
        &mut self,
        name: &str,
        input: Value,
        act: impl FnOnce(&Self) -> std::io::Result<Value>,
    ) -> std::io::Result<Came> {
        self.calls += 1;
        let id = format!("toolu_{:020}", self.calls);
        let before = json!({ "tool_name": name, "tool_input": input, "tool_use_id": id });
        let answer = self.event("PreToolUse", before.clone())?;
        let refused = answer
            .as_ref()
            .and_then(|answer| text_at(answer, "/hookSpecificOutput/permissionDecision"));
        if refused.as_deref() == Some("deny") {
            let reason = answer.and_then(|answer| {
                text_at(&answer, "/hookSpecificOutput/permissionDecisionReason")
            });
            return Ok(Came::Refused(reason.unwrap_or_default()));
        }
        let begun = std::time::Instant::now();
        let response = act(self)?;
        let mut after = before;
        after["tool_response"] = response.clone();
        after["duration_ms"] =
            u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX).into();
        // As hosts tell it: a command that exits with an error is a tool that failed.
        let failed = response.get("exit").is_some_and(|exit| *exit != json!(0));
        let said = self.event(if failed { "PostToolUseFailure" } else { "PostToolUse" }, after)?;
        let said = said.and_then(|said| text_at(&said, "/hookSpecificOutput/additionalContext"));
        let printed = text_at(&response, "/stdout").unwrap_or_default();
        Ok(Came::Through { said, printed })
    }

    /// The agent reads a file.
    pub(crate) fn reads(&mut self, path: &str) -> std::io::Result<Came> {
        let file = self.repo.join(path);
        self.tool("Read", json!({ "file_path": file }), |_| {
            let content = std::fs::read_to_string(&file)?;
            Ok(json!({ "type": "text", "file": { "filePath": file, "content": content } }))
        })
    }

    /// The agent replaces `old` by `new` in a file.
    pub(crate) fn edits(&mut self, path: &str, old: &str, new: &str) -> std::io::Result<Came> {
        let file = self.repo.join(path);
        let input = json!({ "file_path": file, "old_string": old, "new_string": new,
                "replace_all": false });
        self.tool("Edit", input, |_| {
            let text = std::fs::read_to_string(&file)?;
            std::fs::write(&file, text.replacen(old, new, 1))?;
            Ok(json!({ "filePath": file, "userModified": false }))
        })
    }

    /// The agent writes a whole file.
    pub(crate) fn writes(&mut self, path: &str, content: &str) -> std::io::Result<Came> {
        let file = self.repo.join(path);
        self.tool("Write", json!({ "file_path": file, "content": content }), |_| {
            std::fs::write(&file, content)?;
            Ok(json!({ "type": "create", "filePath": file, "userModified": false }))
        })
    }

    /// The agent launches a subagent with `prompt`. What the subagent is told when it wants to
    /// end before it has done anything comes back, and then `does` is done and it ends.
    pub(crate) fn launches(
        &mut self,
        agent: &str,
        prompt: &str,
        does: impl FnOnce(&Self) -> std::io::Result<()>,
    ) -> std::io::Result<(Came, Option<String>)> {
        let mut kept = None;
        let input = json!({ "subagent_type": agent, "description": "one note", "prompt": prompt });
        let came = self.tool("Agent", input, |stage| {
            let run = |event: &str, again: bool| {
                let again = json!({ "agent_id": agent, "agent_type": agent,
                    "stop_hook_active": again });
                let answer = stage.event(event, again)?;
                std::io::Result::Ok(answer.and_then(|answer| text_at(&answer, "/reason")))
            };
            run("SubagentStart", false)?;
            kept = run("SubagentStop", false)?;
            does(stage)?;
            if let Some(kept) = run("SubagentStop", true)? {
                return Err(std::io::Error::other(kept));
            }
            Ok(json!({ "status": "completed", "content": [] }))
        })?;
        Ok((came, kept))
    }

    /// The agent runs a command line.
    pub(crate) fn runs(&mut self, line: &str) -> std::io::Result<Came> {
        self.tool(
            "Bash",
            json!({ "command": line, "description": "a step of the tour" }),
            |stage| {
                let output = stage.shell(line)?;
                let (stdout, stderr) = (
                    String::from_utf8_lossy(&output.stdout),
                    String::from_utf8_lossy(&output.stderr),
                );
                let text = format!("{stdout}{stderr}");
                let exit = output.status.code().unwrap_or(-1);
                Ok(json!({
                    "stdout": text.trim_end(), "stderr": "", "interrupted": false, "isImage": false,
                    "exit": exit,
                }))
            },
        )
    }

    /// The agent asks; the person gives `answer`.
    pub(crate) fn asks(
        &mut self,
        question: &str,
        options: [&str; 2],
        answer: &str,
    ) -> std::io::Result<Came> {
        let options = options.map(|label| json!({ "label": label, "description": label }));
        let asked = json!([{
            "question": question, "header": "Done?", "options": options, "multiSelect": false,
        }]);
        self.tool("AskUserQuestion", json!({ "questions": asked }), |_| {
            Ok(json!({ "questions": asked, "answers": { question: answer } }))
        })
    }
}

fn feed(command: &mut Command, stdin: &[u8]) -> std::io::Result<Output> {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    if let Some(mut pipe) = child.stdin.take() {
        match pipe.write_all(stdin) {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => return Err(error),
            _ => {}
        }
    }
    child.wait_with_output()
}

fn text_at(value: &Value, pointer: &str) -> Option<String> {
    value.pointer(pointer)?.as_str().map(str::to_owned)
}
