//! A world of its own for each test: home, clock, repository, one agent session, one person.
//!
//! It speaks the recorded payloads of Claude Code to the built binary, changes files
//! only where the hook let it, and says in the domain's words what is expected. It
//! promises that nothing of the machine leaks in, and that it leaves a repository in
//! which `git fsck --strict` is content and no lock is left.

#![expect(
    clippy::disallowed_methods,
    reason = "a test brings its own clock and environment to the binary"
)]

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tempfile::TempDir;

use self::snapshot::Place;
pub use self::snapshot::Snapshot;

pub mod snapshot;
mod warm;

/// The binary under test.
const SEED: &str = env!("CARGO_BIN_EXE_git-seed");

/// The program that everything here runs.
pub fn seed_binary() -> PathBuf {
    PathBuf::from(SEED)
}
/// When every world begins: 2026-11-21 20:56:12 UTC.
const BEGINS: u64 = 1_795_294_572;
/// Variables that would let the machine's own agent or git leak in.
const FOREIGN: [&str; 7] = ["CLAUDE", "CODEX", "GEMINI", "CURSOR", "OPENCODE", "GIT", "COPILOT"];

/// How the tests of these worlds close.
pub const PASSED: &str =
    "test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s";

/// The page that a job of these tests writes its footers in.
pub const PAGE: &str = "src/parser/CLAUDE.md";
/// The file that it mends.
pub const CODE: &str = "src/parser/lex.rs";
/// What the person wants of a job of these tests.
const PROMPT: &str = "Fix the lexer: quoted strings lose their escapes";
/// The phases of the shipped map, in their order.
pub const PHASES: [&str; 5] = ["observe", "plan", "execute", "verify", "condense"];

/// A repository with an agent and a person before it.
pub struct World {
    dir: TempDir,
    repo: PathBuf,
    session: RefCell<String>,
    clock: Cell<u64>,
    calls: Cell<u32>,
    /// No variable says who commits.
    nobody: Cell<bool>,
    /// Variables of the host process: they reach its hooks and its shell.
    host: RefCell<BTreeMap<String, String>>,
    /// A script that calls the hook instead of this process.
    through: RefCell<Option<PathBuf>>,
    /// An object was taken away on purpose.
    damaged: Cell<bool>,
    /// Where it stands if nobody did anything in it yet.
    untouched: Cell<Option<Place>>,
    /// All that the agent could see so far: answers of hooks, and what its shell printed.
    shown: RefCell<Vec<String>>,
    /// Below the top directory; empty for that itself.
    stands: RefCell<String>,
}

/// A directory for one test, in memory where the machine has room there and lets programs run
/// from it. A session syncs some seven hundred files, and a disk makes it wait for each; what a
/// crash leaves behind is tested by what was written, which no disk changes. `TMPDIR` says
/// otherwise.
pub fn ground(prefix: &str) -> TempDir {
    const MEMORY: &str = "/dev/shm";
    const ROOM: u64 = 4 << 30;
    let serves = |dir: &str| {
        rustix::fs::statvfs(dir).is_ok_and(|of| {
            of.f_bavail.saturating_mul(of.f_frsize) >= ROOM
                && !of.f_flag.contains(rustix::fs::StatVfsMountFlags::NOEXEC)
        })
    };
    let in_memory =
        cfg!(target_os = "linux") && std::env::var_os("TMPDIR").is_none() && serves(MEMORY);
    let memory = in_memory.then(|| TempDir::with_prefix_in(prefix, MEMORY).ok()).flatten();
    memory.unwrap_or_else(|| TempDir::with_prefix(prefix).expect("a temporary directory"))
}

impl World {
    /// A small project with one commit; git seed is not in it yet.
    pub fn new() -> Self {
        Self::at(Place::Made)
    }

    /// The same, in a repository that `init` makes.
    pub fn with(init: &str) -> Self {
        let world = Self::empty(init);
        world.puts("CLAUDE.md", "# Root\n");
        world.puts(CODE, "fn lex() {}\n");
        world.puts("todo.txt", "a\nb\nc\n");
        world.git("add -A");
        world.git("commit -qm start");
        world
    }

    /// A repository that `init` makes, without a commit.
    pub fn empty(init: &str) -> Self {
        let world = Self::bare();
        world.sh(init);
        world
    }

    /// A home, and a place for a repository.
    fn bare() -> Self {
        warm::lies_in_one_piece(SEED);
        let dir = ground("git-seed-it-");
        let root = dir.path().canonicalize().expect("it is there");
        fs::create_dir_all(root.join("home")).expect("a home");
        fs::create_dir_all(root.join("repo")).expect("a place for the repository");
        Self {
            repo: root.join("repo"),
            dir,
            session: RefCell::new("e2fc06a6-4aaf-49f6-8712-117cd08f9339".to_owned()),
            clock: Cell::new(BEGINS),
            calls: Cell::new(0),
            nobody: Cell::new(false),
            // A person sits at it, whether this process has a terminal or not.
            host: RefCell::new([("CLAUDE_CODE_SESSION_ATTENDED", "1")].map(owned).into()),
            through: RefCell::new(None),
            damaged: Cell::new(false),
            untouched: Cell::new(None),
            shown: RefCell::new(Vec::new()),
            stands: RefCell::new(String::new()),
        }
    }

    /// A copy of the world at `place`.
    pub fn at(place: Place) -> Self {
        let world = Self::bare();
        Snapshot::of(place).put(&world);
        world.untouched.set(Some(place));
        world
    }

    /// A copy of the world that `walk` leads to; whoever asks first walks, while the others wait.
    pub fn copy_of(taken: &OnceLock<Snapshot>, walk: impl FnOnce() -> Self) -> Self {
        let world = Self::bare();
        taken.get_or_init(|| Snapshot::take(&walk())).put(&world);
        world
    }

    /// The world at `place`, walked to from a copy of the one before it.
    fn walks_to(place: Place) -> Self {
        let world = match place {
            // Upkeep would be one more process behind each commit.
            Place::Made => {
                return Self::with("git init -q -b main . && git config maintenance.auto false");
            }
            Place::Seeded => return Self::at(Place::Made).installed(),
            Place::Prompted => Self::at(Place::Seeded),
            Place::Entered(0) => Self::at(Place::Prompted),
            Place::Entered(n) => Self::at(Place::Opened(n - 1)),
            Place::Opened(n) => Self::at(Place::Entered(n)),
        };
        world.walks_on_to(place);
        world
    }

    /// One stretch of the way, from the place before.
    fn walks_on_to(&self, place: Place) {
        self.untouched.set(None);
        match place {
            Place::Made | Place::Seeded => {}
            Place::Prompted => drop(self.prompt(PROMPT)),
            Place::Entered(n) => {
                self.works(n.checked_sub(1).map_or("idle", |before| PHASES[before]));
                self.leaves();
            }
            Place::Opened(_) => self.opens(),
        }
    }

    /// The world at `place`, where every step of the way is taken in it.
    fn walks_all_the_way_to(place: Place) -> Self {
        let world = Self::with("git init -q -b main .").installed();
        let phases = (0..PHASES.len()).flat_map(|n| [Place::Entered(n), Place::Opened(n)]);
        for stretch in [Place::Prompted].into_iter().chain(phases) {
            world.walks_on_to(stretch);
            if stretch == place {
                return world;
            }
        }
        panic!("{place:?} is on the way");
    }

    /// A project with git seed in it, and a session that has started.
    pub fn seeded() -> Self {
        Self::at(Place::Seeded)
    }

    /// The same project, seen from a linked worktree.
    pub fn linked() -> Self {
        let mut world = Self::new();
        world.git("worktree add -q -b side ../linked");
        world.repo = world.root().join("linked");
        world.installed()
    }

    /// From now on everything happens in the directory `name` beside the repository.
    pub fn elsewhere(mut self, name: &str) -> Self {
        self.repo = self.root().join(name);
        self
    }

    /// From now on the client and its shell run in this directory of the repository.
    pub fn stands_in(&self, dir: &str) {
        dir.clone_into(&mut self.stands.borrow_mut());
    }

    /// That directory.
    pub fn stand(&self) -> PathBuf {
        PathBuf::from(&*self.stands.borrow())
    }

    /// Puts git seed in and starts a session.
    pub fn installed(self) -> Self {
        self.person("init").succeeds();
        self.starts();
        self
    }

    /// A seeded project with a job born from a prompt.
    pub fn prompted() -> Self {
        Self::at(Place::Prompted)
    }

    // ---- where things are

    /// The work tree. Whoever asks may change what lies there.
    pub fn repo(&self) -> &Path {
        self.untouched.set(None);
        &self.repo
    }

    /// The directory that holds everything of this world.
    pub fn root(&self) -> &Path {
        self.repo().parent().unwrap_or(&self.repo)
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.repo().join(path)
    }

    /// A file's text; empty when it is not there.
    pub fn text(&self, path: &str) -> String {
        String::from_utf8_lossy(&fs::read(self.path(path)).unwrap_or_default()).into_owned()
    }

    /// A file changes without any tool: the person's doing.
    pub fn puts(&self, path: &str, text: &str) {
        write_file(&self.path(path), text);
    }

    /// The repository takes one of the subagents that `init` brought for its own.
    pub fn adopts(&self, agent: &str) {
        self.git(&format!("add -f .claude/agents/{agent}.md"));
        self.git(&format!("commit -qm 'our {agent}'"));
    }

    // ---- programs

    /// The environment in which everything runs.
    fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        self.untouched.set(None);
        let mut command = Command::new(on_path(program.as_ref()));
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy().into_owned();
            if FOREIGN.iter().any(|foreign| name.starts_with(foreign)) {
                command.env_remove(&name);
            }
        }
        let binary = Path::new(SEED).parent().expect("the binary lies in a directory");
        let path = std::env::var("PATH").unwrap_or_default();
        let date = format!("@{} +0000", self.clock.get());
        // The person's own configuration, where a test writes one.
        let global = self.repo.with_file_name("gitconfig");
        let global = if global.is_file() { global } else { PathBuf::from("/dev/null") };
        command
            .current_dir(&self.repo)
            .env("HOME", self.root().join("home"))
            .env("PATH", format!("{}:{path}", binary.display()))
            .env("TZ", "UTC")
            .env("LC_ALL", "C")
            .env("NO_COLOR", "1")
            .env("TERM", "dumb")
            .env("GIT_CONFIG_GLOBAL", global)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_EDITOR", "true")
            .env("GIT_AUTHOR_NAME", "Ada")
            .env("GIT_AUTHOR_EMAIL", "ada@example.org")
            .env("GIT_AUTHOR_DATE", &date)
            .env("GIT_COMMITTER_NAME", "Ada")
            .env("GIT_COMMITTER_EMAIL", "ada@example.org")
            .env("GIT_COMMITTER_DATE", &date)
            .env("GIT_SEED_TEST_CLOCK", self.clock.get().to_string())
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("XDG_DATA_HOME");
        for name in ["AUTHOR_NAME", "AUTHOR_EMAIL", "COMMITTER_NAME", "COMMITTER_EMAIL"] {
            if self.nobody.get() {
                command.env_remove(format!("GIT_{name}")).env_remove("EMAIL");
            }
        }
        command
    }

    /// A program that the host starts and goes on talking to.
    pub fn beside(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = self.command(program);
        command.envs(&*self.host.borrow());
        command
    }

    /// Runs a line of the person's shell and gives what it printed.
    pub fn sh(&self, line: &str) -> String {
        let said = self.tries(line);
        assert!(said.code == 0, "{line}\n{said:?}");
        said.out
    }

    /// Runs a line of the person's shell that may fail.
    pub fn tries(&self, line: &str) -> Said {
        let mut command = self.command("sh");
        command.args(["-c", line]).env("GIT_SEED_TEST_PERSON", "1");
        Said::of(line, run(command, b""))
    }

    /// Runs git as the person and gives what it printed, without the last line end.
    pub fn git(&self, arguments: &str) -> String {
        self.sh(&format!("git {arguments}")).trim_end().to_owned()
    }

    /// A command of git seed in the agent's shell.
    pub fn seed(&self, arguments: &str) -> Asked<'_> {
        Asked {
            world: self,
            line: format!("git seed {arguments}"),
            stdin: String::new(),
            person: false,
        }
    }

    /// A commit in between whose message begins with `subject`.
    pub fn checkpoint(&self, subject: &str) -> Asked<'_> {
        self.seed(&checkpoint(subject))
    }

    /// A command of git seed that a person types at a terminal.
    pub fn person(&self, arguments: &str) -> Asked<'_> {
        Asked { person: true, ..self.seed(arguments) }
    }

    /// Runs a line in the agent's shell; no event is sent.
    pub fn agents_shell(&self, line: &str, stdin: &str) -> Said {
        let mut command = self.command("sh");
        command.args(["-c", line]).env("CLAUDECODE", "1").envs(&*self.host.borrow());
        command.current_dir(self.repo.join(self.stand()));
        let said = Said::of(line, run(command, stdin.as_bytes()));
        self.shown.borrow_mut().extend([said.out.clone(), said.err.clone()]);
        said
    }

    /// All that the agent could see so far.
    pub fn shown(&self) -> Vec<String> {
        self.shown.borrow().clone()
    }

    pub fn persons_terminal(&self, line: &str, stdin: &str) -> Said {
        let mut command = self.command("sh");
        command.args(["-c", line]).env("GIT_SEED_TEST_PERSON", "1");
        Said::of(line, run(command, stdin.as_bytes()))
    }

    /// A command of git seed in a terminal that does not tell who types; `code` is the one that
    /// it shows.
    pub fn new_terminal(&self, line: &str, code: &str) -> NewTerminal {
        let mut command = self.command("sh");
        command.args(["-c", line]).env("GIT_SEED_TEST_PERSON", "untold tmux");
        command.env("GIT_SEED_TEST_CODE", code);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        NewTerminal { line: line.to_owned(), child: command.spawn().expect("it starts") }
    }

    // ---- events

    /// Sets a variable of the host process.
    pub fn host_has(&self, name: &str, value: &str) {
        self.untouched.set(None);
        self.host.borrow_mut().insert(name.to_owned(), value.to_owned());
    }

    /// From now on the session is `id`.
    pub fn session(&self, id: &str) {
        self.untouched.set(None);
        id.clone_into(&mut self.session.borrow_mut());
    }

    /// From now on no variable says who commits.
    pub fn has_no_identity(&self) {
        self.nobody.set(true);
    }

    /// From now on another process than this one calls the hook.
    pub fn another_process_speaks(&self) {
        self.hooks_run_by("\"$1\" hook claude \"$2\"\nexit 0\n");
    }

    /// From now on this script calls the hook: `$1` is the binary, `$2` the event. An empty one
    /// leaves that to the host again.
    pub fn hooks_run_by(&self, script: &str) {
        let file = self.root().join("host.sh");
        write_file(&file, script);
        *self.through.borrow_mut() = (!script.is_empty()).then_some(file);
    }

    /// Takes the object away that `name` resolves to.
    pub fn loses(&self, name: &str) {
        self.damaged.set(true);
        let id = self.git(&format!("rev-parse {name}"));
        let (folder, file) = id.split_at(2);
        fs::remove_file(self.path(&format!(".git/objects/{folder}/{file}")))
            .expect("a loose object");
    }

    /// A minute goes by.
    pub fn minute(&self) {
        self.untouched.set(None);
        self.clock.set(self.clock.get() + 60);
    }

    /// Hours go by.
    pub fn hours(&self, hours: u64) {
        self.untouched.set(None);
        self.clock.set(self.clock.get() + hours * 3600);
    }

    /// Sends bytes to the hook as they are.
    pub fn sends(&self, event: &str, payload: &[u8]) -> Said {
        let mut command = if let Some(script) = &*self.through.borrow() {
            let mut command = self.command("sh");
            command.arg(script).args([SEED, event]);
            command
        } else {
            let mut command = self.command(SEED);
            command.args(["hook", "claude", event]);
            command
        };
        command.envs(&*self.host.borrow());
        let said = Said::of(event, run(command, payload));
        self.shown.borrow_mut().push(said.out.clone());
        said
    }

    /// One event of the session at another host; what its hook prints.
    pub fn hears(&self, host: &str, event: &str, fields: &Value) -> Reply {
        let payload = self.host_payload(host, event, fields);
        let mut command = self.command(SEED);
        command.args(["hook", host, event]).envs(&*self.host.borrow());
        command.current_dir(self.repo.join(self.stand()));
        let said = Said::of(event, run(command, payload.as_bytes()));
        assert_eq!(said.code, 0, "a hook always exits 0: {said:?}");
        Reply::read(&said.out)
    }

    /// The same of several events at one moment; what was said to each.
    pub fn hears_at_once(&self, host: &str, event: &str, all: &[Value]) -> Vec<String> {
        let starts = |fields: &Value| {
            let payload = self.host_payload(host, event, fields);
            let mut command = self.command(SEED);
            command.args(["hook", host, event]).envs(&*self.host.borrow());
            command.current_dir(self.repo.join(self.stand()));
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            let mut child = command.spawn().expect("the program starts");
            let mut stdin = child.stdin.take().expect("it was asked for");
            // A program that does not read is free not to.
            let _ = stdin.write_all(payload.as_bytes());
            child
        };
        let children: Vec<_> = all.iter().map(starts).collect();
        let ends = children.into_iter().map(|child| child.wait_with_output().expect("it ends"));
        ends.map(|ended| Said::of(event, ended).out).collect()
    }

    /// The same of a host that has a terminal, by which a row knows of a person that says nothing
    /// of one.
    pub fn hears_at_a_terminal(&self, host: &str, event: &str, fields: &Value) -> Reply {
        let payload = self.host_payload(host, event, fields);
        fs::write(self.root().join("payload"), payload).expect("it is written");
        let hook = format!("git-seed hook {host} {event} <../payload >../reply");
        let line =
            format!("script -qfec \"{hook}\" /dev/null </dev/null >/dev/null && cat ../reply");
        let said = self.tries(&line);
        assert_eq!(said.code, 0, "a hook always exits 0: {said:?}");
        Reply::read(&said.out)
    }

    fn host_payload(&self, host: &str, event: &str, fields: &Value) -> String {
        self.minute();
        // Hosts call the same by other names; what a row does not name is passed over.
        let session = &*self.session.borrow();
        let mut payload = json!({ "session_id": session, "sessionId": session,
            "conversation_id": session, "cwd": self.repo, "hook_event_name": event,
            "hookEventName": event });
        if host == "copilot" {
            // By the hook line alone.
            let top = payload.as_object_mut().expect("it is one");
            top.remove("hookEventName");
            top.remove("hook_event_name");
        }
        for (key, value) in fields.as_object().expect("fields are an object") {
            payload[key] = value.clone();
        }
        payload.to_string()
    }

    /// Calls the hook with this for its standard input.
    pub fn sends_through(&self, event: &str, input: std::os::fd::OwnedFd) {
        let mut command = self.command(SEED);
        command
            .args(["hook", "claude", event])
            .envs(&*self.host.borrow())
            .stdin(Stdio::from(input));
        assert!(command.output().expect("it runs").status.success());
    }

    /// Sends one event of the session with these fields.
    pub fn event(&self, name: &str, fields: &Value) -> Reply {
        let said = self.sends(name, self.payload(name, fields).as_bytes());
        assert_eq!(said.code, 0, "a hook always exits 0: {said:?}");
        Reply::read(&said.out)
    }

    /// What the host sends as the next event of the session.
    pub fn payload(&self, name: &str, fields: &Value) -> String {
        self.minute();
        let session = self.session.borrow().clone();
        let mut payload = json!({
            "session_id": session,
            "transcript_path": format!("/home/u/.claude/projects/-home-u-project/{session}.jsonl"),
            "cwd": self.repo,
            "prompt_id": format!("860a18f9-c287-4764-b282-{:012}", self.clock.get()),
            "permission_mode": "acceptEdits",
            "hook_event_name": name,
        });
        for (key, value) in fields.as_object().expect("fields are an object") {
            payload[key] = value.clone();
        }
        payload.to_string()
    }

    /// The session starts.
    pub fn starts(&self) -> Reply {
        self.event("SessionStart", &json!({ "source": "startup" }))
    }

    /// The session ends.
    pub fn ends(&self) -> Reply {
        self.event("SessionEnd", &json!({ "reason": "other" }))
    }

    /// The person writes to the agent.
    pub fn prompt(&self, text: &str) -> Reply {
        self.event("UserPromptSubmit", &json!({ "prompt": text }))
    }

    /// The agent wants to end its turn.
    pub fn stops(&self) -> Reply {
        let fields = json!({
            "stop_hook_active": false, "last_assistant_message": "All done.",
            "background_tasks": [], "session_crons": [],
        });
        self.event("Stop", &fields)
    }

    /// One tool call: before, the act itself if it was let through, after.
    pub fn tool(&self, name: &str, input: &Value, act: impl FnOnce() -> Value) -> Did {
        let call = self.next_call();
        let before = self.before(name, input, &call);
        if before.refusal().is_some() {
            return Did { before, after: Reply::default(), said: None };
        }
        let response = act();
        // What the host says that it took. A slow machine makes no call of a test a long one.
        let after = self.after(name, input, &call, &response, 40);
        Did { before, after, said: None }
    }

    /// The id of a call that was not made yet.
    pub fn next_call(&self) -> String {
        self.calls.set(self.calls.get() + 1);
        format!("toolu_{:020}", self.calls.get())
    }

    /// The event before a tool, alone.
    pub fn before(&self, name: &str, input: &Value, call: &str) -> Reply {
        let fields = json!({ "tool_name": name, "tool_input": input, "tool_use_id": call });
        self.event("PreToolUse", &fields)
    }

    /// The event after a tool, alone.
    pub fn after(
        &self,
        name: &str,
        input: &Value,
        call: &str,
        response: &Value,
        took: u64,
    ) -> Reply {
        let fields = json!({
            "tool_name": name, "tool_input": input, "tool_response": response,
            "tool_use_id": call, "duration_ms": took,
        });
        self.event("PostToolUse", &fields)
    }

    /// The agent reads a file.
    pub fn reads(&self, path: &str) -> Did {
        let file = self.path(path);
        let text = self.text(path);
        let lines = text.lines().count();
        self.tool("Read", &json!({ "file_path": file }), || {
            json!({ "type": "text", "file": {
                "filePath": file, "content": text, "numLines": lines, "startLine": 1,
                "totalLines": lines,
            } })
        })
    }

    /// The agent replaces `old` by `new` in a file.
    pub fn edits(&self, path: &str, old: &str, new: &str) -> Did {
        let file = self.path(path);
        let before = self.text(path);
        let input = json!({ "file_path": file, "old_string": old, "new_string": new,
                "replace_all": false });
        self.tool("Edit", &input, || {
            assert!(before.contains(old), "{path} does not hold {old:?}:\n{before}");
            write_file(&file, &before.replacen(old, new, 1));
            json!({
                "filePath": file, "oldString": old, "newString": new, "originalFile": before,
                "structuredPatch": [], "userModified": false, "replaceAll": false,
            })
        })
    }

    /// The agent writes a whole file.
    pub fn writes(&self, path: &str, text: &str) -> Did {
        let file = self.path(path);
        let before = fs::read_to_string(&file).ok();
        self.tool("Write", &json!({ "file_path": file, "content": text }), || {
            write_file(&file, text);
            let kind = if before.is_some() { "update" } else { "create" };
            json!({
                "type": kind, "filePath": file, "content": text, "structuredPatch": [],
                "originalFile": before, "userModified": false,
            })
        })
    }

    /// The agent runs a command in its shell.
    pub fn runs(&self, line: &str) -> Did {
        let mut said = None;
        let input = json!({ "command": line, "description": "scripted command" });
        let did = self.tool("Bash", &input, || {
            let heard = self.agents_shell(line, "");
            let response = json!({
                "stdout": heard.out, "stderr": heard.err, "interrupted": false,
                "isImage": false, "noOutputExpected": false,
            });
            said = Some(heard);
            response
        });
        Did { said, ..did }
    }

    /// The agent runs a command whose text shows nothing of what `act` does meanwhile.
    pub fn runs_and(&self, line: &str, act: impl FnOnce()) -> Did {
        let input = json!({ "command": line, "description": "scripted command" });
        self.tool("Bash", &input, || {
            act();
            json!({ "stdout": "", "stderr": "", "interrupted": false, "isImage": false })
        })
    }

    /// The agent puts a question to the person; the answer comes later.
    ///
    /// A question whether the job is complete holds the line that `condense status` prints, as a
    /// host's agent is told to; [`World::asks_bare`] leaves it out.
    pub fn asks(&self, question: &Value) -> Question<'_> {
        let text = question["question"].as_str().unwrap_or_default();
        let Some(at) = text.starts_with("[JOB-COMPLETE]").then(|| text.find("##")).flatten() else {
            return self.asks_bare(question);
        };
        let mut shown = question.clone();
        shown["question"] = json!(format!("{}{}\n\n{}", &text[..at], self.card(), &text[at..]));
        self.asks_bare(&shown)
    }

    /// The line that shows a person what was seen of the work; empty where none is asked for.
    pub fn card(&self) -> String {
        let printed = self.person("condense status --json").said();
        if printed.code != 0 {
            return String::new();
        }
        let read: Value = serde_json::from_str(&printed.out).expect("JSON");
        read["card"].as_str().unwrap_or_default().to_owned()
    }

    /// Puts a question of the agent's, word by word.
    pub fn asks_bare(&self, question: &Value) -> Question<'_> {
        let input = json!({ "questions": [question] });
        let call = self.next_call();
        let reply = self.before("AskUserQuestion", &input, &call);
        Question { world: self, asked: question.clone(), call, reply }
    }

    // ---- where the job stands

    /// A value of `git seed <command> --json`, as a person sees it.
    pub fn json(&self, command: &str) -> Value {
        let text = self.person(&format!("{command} --json")).succeeds();
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{command}: {error}\n{text}"))
    }

    /// The journal lines that steps of `job` took in, out of the texts that its chain names.
    pub fn traced(&self, job: &str) -> String {
        let chain = format!("refs/seed/jobs/{job}");
        let files = self.git(&format!("ls-tree -r --name-only {chain} trace/"));
        let of = |file: &str| {
            let stub = self.git(&format!("show {chain}:{file}"));
            let key = stub.split("sha256:").nth(1).and_then(|rest| rest.get(..64));
            let key = key.unwrap_or_else(|| panic!("{file} is no stub: {stub}"));
            let blob = format!("git cat-file blob refs/seed/texts:{job}/{key}");
            let out = self.beside("sh").args(["-c", &blob]).output().expect("git runs");
            String::from_utf8(inflated(&out.stdout[33..])).expect("lines")
        };
        files.lines().map(of).collect()
    }

    /// All texts that are kept here, without what stands in front of them.
    pub fn texts(&self) -> Vec<Vec<u8>> {
        let list = self.git("ls-tree -r refs/seed/texts 2>/dev/null || true");
        let ids = list.lines().filter_map(|line| line.split_whitespace().nth(2));
        let of = |id: &str| {
            let blob = format!("git cat-file blob {id}");
            let out = self.beside("sh").args(["-c", &blob]).output().expect("git runs");
            let text = out.stdout[33..].to_vec();
            if text.starts_with(&[0x78]) { inflated(&text) } else { text }
        };
        ids.map(of).collect()
    }

    /// The phase of the focused job; `none` without one.
    pub fn phase(&self) -> String {
        self.json("phase current")["phase"].as_str().unwrap_or("none").to_owned()
    }

    /// The id of the focused job.
    pub fn job(&self) -> String {
        self.json("status")["job"]["id"].as_str().expect("a job is focused").to_owned()
    }

    /// The newest value of a trailer on HEAD.
    pub fn trailer(&self, key: &str) -> String {
        self.git(&format!("log -1 --format='%(trailers:key={key},valueonly,separator=%x0a)'"))
    }

    /// The files of the commit at HEAD.
    pub fn files_of_head(&self) -> Vec<String> {
        let text = self.git("show --format= --name-only HEAD");
        text.lines().map(str::to_owned).collect()
    }

    /// All that a refused step must leave alone.
    pub fn standing(&self) -> Standing {
        Standing {
            head: self.git("rev-parse -q --verify HEAD || echo unborn"),
            branch: self.git("symbolic-ref -q HEAD || echo detached"),
            index: fs::read(self.path(&self.git("rev-parse --git-path index"))).unwrap_or_default(),
            tree: tree_of(&self.repo, &|path| path.starts_with(".git")),
            refs: self.git("for-each-ref --format='%(refname) %(objectname)'"),
        }
    }

    /// Runs `act` and says that it left HEAD, index, work tree and all refs alone.
    #[track_caller]
    pub fn changes_nothing<T>(&self, act: impl FnOnce() -> T) -> T {
        let before = self.standing();
        let done = act();
        assert_eq!(before, self.standing());
        done
    }

    // ---- the shortest honest way

    /// Drives the focused job (born from a prompt if there is none) into `phase`, opened.
    pub fn to(&self, phase: &str) -> &Self {
        if self.is_put(Place::Opened, phase) {
            return self;
        }
        self.enters(phase);
        self.opens();
        self
    }

    /// Drives it into `phase`, before the first word there.
    pub fn enters(&self, phase: &str) {
        if self.is_put(Place::Entered, phase) {
            return;
        }
        if self.phase() == "none" {
            self.prompt(PROMPT);
        }
        for _ in 0..12 {
            let entry = self.json("phase current");
            let now = phase_in(&entry);
            if now == phase {
                return;
            }
            self.opens_at(&entry);
            self.does(now);
            self.leaves_from(now);
        }
        panic!("{phase} was not reached; the job is in {}", self.phase());
    }

    /// Makes a world in which nobody did anything yet a copy of the one at this place.
    fn is_put(&self, place: impl Fn(usize) -> Place, phase: &str) -> bool {
        let begins = matches!(self.untouched.get(), Some(Place::Seeded | Place::Prompted));
        let number = PHASES.iter().position(|known| *known == phase).filter(|_| begins);
        let Some(place) = number.map(place) else { return false };
        Snapshot::of(place).put(self);
        self.untouched.set(None);
        true
    }

    /// Says how small the stay is, where the phase wants to hear it.
    pub fn opens(&self) {
        self.opens_at(&self.json("phase current"));
    }

    /// The same, of what was just asked.
    fn opens_at(&self, entry: &Value) {
        if entry["phase"].as_str().is_some_and(|phase| PHASES.contains(&phase))
            && entry["entry"]["multiplier"].is_null()
        {
            self.seed("phase multiplier 3").succeeds();
        }
    }

    /// The agent looks at the code, so that the hooks were heard since the last step.
    pub fn is_heard(&self) {
        let (call, input) = (self.next_call(), json!({ "file_path": self.path(CODE) }));
        self.before("Read", &input, &call);
        self.after("Read", &input, &call, &json!({ "type": "text" }), 3);
    }

    /// Does what `phase` asks for, short of leaving it.
    pub fn works(&self, phase: &str) {
        self.opens();
        self.does(phase);
    }

    /// Does what `phase`, opened, asks for.
    pub fn does(&self, phase: &str) {
        match phase {
            "observe" => {
                self.looks();
                self.seed(&format!(
                    "job update --name 'fix the lexer' --objective '{}'",
                    objective()
                ))
                .succeeds();
            }
            "plan" => {
                self.notes(
                    "---Pl---",
                    "contract: keep escapes, and show it\nscope: src/parser/tests",
                );
                let plan = self.json("plan show");
                if plan["plan_file"].is_null() {
                    self.seed("plan set-plan-file false").succeeds();
                } else if plan["total_cycles"].is_u64() {
                    self.seed("plan read").succeeds();
                }
            }
            "execute" => {
                self.edits(CODE, "fn lex() {", "fn lex() { escapes();").passes();
                self.tests();
                self.notes("---Ex---", "looked ahead one character");
            }
            "verify" => {
                self.tests();
                self.notes("---Ve---", "ran it: escapes survive");
            }
            "condense" => {
                self.reads(PAGE).passes();
                self.seed("condense archive").succeeds();
                self.writes(PAGE, &page("Escapes need one character of lookahead.\n")).passes();
            }
            _ => {}
        }
    }

    /// Looks at the code and notes what it is about.
    pub fn looks(&self) {
        self.reads(CODE).passes();
        self.notes("---Ob---", "the lexer drops escapes inside quoted strings");
    }

    /// Runs the project's tests, which pass.
    pub fn tests(&self) {
        let ran = json!({ "stdout": PASSED, "stderr": "", "interrupted": false });
        self.tool("Bash", &json!({ "command": "cargo test" }), || ran).passes();
    }

    /// Launches a subagent, which comes back at once.
    pub fn launches(&self, agent: &str) {
        self.delegates(agent, || json!({ "status": "completed", "content": [] })).passes();
    }

    /// Launches a subagent; `act` is what its call comes to.
    pub fn delegates(&self, agent: &str, act: impl FnOnce() -> Value) -> Did {
        let input =
            json!({ "subagent_type": agent, "description": "a piece", "prompt": "Look at it." });
        self.tool("Agent", &input, act)
    }

    /// Takes the step forward with the message that the phase wants. A cycle of a job that nobody
    /// has approved is not its last one.
    pub fn leaves(&self) {
        self.leaves_from(phase_in(&self.json("phase current")));
    }

    /// The same, out of `phase`.
    fn leaves_from(&self, phase: &str) {
        self.minute();
        // The shipped map asks for an approval in its last phase.
        let asks = phase == "condense" || !PHASES.contains(&phase);
        let asks_now = || {
            let next = self.json("status")["next"].to_string();
            next.contains("[JOB-COMPLETE]")
        };
        let more = if asks && asks_now() { "--add-cycle 'more is to be seen' " } else { "" };
        self.seed(&format!("phase advance {more}-F -")).stdin(&message(phase)).succeeds();
    }

    /// Writes below an anchor of the job's page.
    pub fn notes(&self, anchor: &str, text: &str) {
        let page_now = self.text(PAGE);
        if page_now.is_empty() {
            let empty = page("# parser\n");
            self.writes(PAGE, &empty.replace(anchor, &format!("{anchor}\n\n{text}"))).passes();
            return;
        }
        self.reads(PAGE).passes();
        let end = if page_now.contains("\r\n") { "\r\n" } else { "\n" };
        let text = text.replace('\n', end);
        self.edits(PAGE, &format!("{anchor}{end}"), &format!("{anchor}{end}{end}{text}{end}"))
            .passes();
    }

    /// From condense with settled memory to the person's approval.
    pub fn approved(&self) {
        self.asks(&completion()).passes().answers("Approve completion");
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if std::thread::panicking() || !self.repo.join(".git").exists() {
            return;
        }
        // Without files of these kinds git would start two more of itself, thousands of times over.
        let mut command = self.command("git");
        command.args(["-c", "core.commitGraph=false", "-c", "core.multiPackIndex=false"]);
        command.args(["fsck", "--strict", "--no-dangling"]);
        let fsck = Said::of("git fsck", run(command, b""));
        assert!(fsck.code == 0 || self.damaged.get(), "git fsck objects: {fsck:?}");
        // Files below .git/seed are locked with flock, and stay. git's own upkeep goes on behind a
        // commit, and one that was killed leaves its lock.
        let mut locks = Vec::new();
        left_locks(&self.repo, &self.repo.join(".git/seed"), &mut locks);
        assert!(locks.is_empty(), "locks are left: {locks:?}");
        let _ = &self.dir;
    }
}

/// The phase that `phase current` says.
fn phase_in(entry: &Value) -> &str {
    entry["phase"].as_str().expect("a phase")
}

/// What was compressed.
fn inflated(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![0; bytes.len() * 200 + 4096];
    let (status, _, count) =
        gix::zlib::Inflate::default().once(bytes, &mut out).expect("it was compressed");
    assert_eq!(status, gix::zlib::Status::StreamEnd);
    out.truncate(count);
    out
}

/// Lock files below `dir`, but for those below `ours`.
fn left_locks(dir: &Path, ours: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let is_dir = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_dir && path != ours {
            left_locks(&path, ours, found);
        } else if path.extension().is_some_and(|ending| ending == "lock")
            && name != "Cargo.lock"
            && name != "maintenance.lock"
        {
            found.push(path);
        }
    }
}

/// What a refused step leaves alone.
#[derive(Debug, PartialEq, Eq)]
pub struct Standing {
    head: String,
    branch: String,
    index: Vec<u8>,
    tree: BTreeMap<String, String>,
    refs: String,
}

/// What a program said.
#[derive(Clone, Debug)]
pub struct Said {
    pub line: String,
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Said {
    fn of(line: &str, output: Output) -> Self {
        Self {
            line: line.to_owned(),
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// A command that may wait for a person's word.
pub struct NewTerminal {
    line: String,
    child: std::process::Child,
}

impl NewTerminal {
    /// The line that it says first.
    pub fn says(&mut self) -> String {
        let mut line = Vec::new();
        let errors = self.child.stderr.as_mut().expect("a pipe");
        let mut letter = [0];
        while errors.read(&mut letter).expect("it reads") == 1 && letter[0] != b'\n' {
            line.push(letter[0]);
        }
        String::from_utf8(line).expect("text")
    }

    /// What it says from there on, and how it ends.
    pub fn ends(self) -> Said {
        Said::of(&self.line, self.child.wait_with_output().expect("it ends"))
    }

    /// It is ended, as by Ctrl-C.
    pub fn kill(mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ends");
    }
}

/// A command of git seed, not run yet.
pub struct Asked<'a> {
    world: &'a World,
    line: String,
    stdin: String,
    person: bool,
}

impl Asked<'_> {
    /// What it reads.
    pub fn stdin(mut self, text: &str) -> Self {
        text.clone_into(&mut self.stdin);
        self
    }

    /// Runs it: through git as it is typed, or, where no shell has to read the words, at once.
    /// Transcripts and the agent's tool calls always go the whole way.
    pub fn said(&self) -> Said {
        if let Some(words) = self.line.strip_prefix("git seed ").and_then(plain_words) {
            let mut command = self.world.command(SEED);
            command.args(words);
            if self.person {
                command.env("GIT_SEED_TEST_PERSON", "1");
            } else {
                command.env("CLAUDECODE", "1").envs(&*self.world.host.borrow());
            }
            let said = Said::of(&self.line, run(command, self.stdin.as_bytes()));
            if !self.person {
                self.world.shown.borrow_mut().extend([said.out.clone(), said.err.clone()]);
            }
            return said;
        }
        if self.person {
            self.world.persons_terminal(&self.line, &self.stdin)
        } else {
            self.world.agents_shell(&self.line, &self.stdin)
        }
    }

    /// It says yes; gives what it printed.
    #[track_caller]
    pub fn succeeds(&self) -> String {
        let said = self.said();
        assert!(said.code == 0, "{}\n[exit {}]\n{}{}", said.line, said.code, said.out, said.err);
        said.out
    }

    /// It says yes and prints exactly this.
    #[track_caller]
    pub fn prints(&self, expected: &str) {
        assert_eq!(self.succeeds(), expected, "{}", self.line);
    }

    /// It says yes and prints this among other things.
    #[track_caller]
    pub fn tells(&self, expected: &str) -> String {
        let out = self.succeeds();
        assert!(out.contains(expected), "{}\nlacks {expected:?}:\n{out}", self.line);
        out
    }

    /// A rule says no, in these words among others.
    #[track_caller]
    pub fn refuses(&self, expected: &str) -> String {
        self.ends(2, expected)
    }

    /// It fails, in these words among others.
    #[track_caller]
    pub fn fails(&self, expected: &str) -> String {
        self.ends(1, expected)
    }

    /// It ends with `code`, and stderr has these words among others.
    #[track_caller]
    pub fn ends(&self, code: i32, expected: &str) -> String {
        let said = self.said();
        assert!(
            said.code == code,
            "{} ended with {}, not {code}\n{}{}",
            said.line,
            said.code,
            said.out,
            said.err
        );
        assert!(said.err.contains(expected), "{}\nlacks {expected:?}:\n{}", said.line, said.err);
        said.err
    }
}

/// What the hook answered.
#[derive(Clone, Debug, Default)]
pub struct Reply {
    json: Value,
}

impl Reply {
    /// Reads what a hook printed: nothing, or one JSON object.
    pub fn read(text: &str) -> Self {
        if text.trim().is_empty() {
            return Self::default();
        }
        let json: Value =
            serde_json::from_str(text).unwrap_or_else(|bad| panic!("{bad}: {text:?}"));
        assert!(json.is_object(), "one JSON object, not {text}");
        Self { json }
    }

    /// The object as it was printed; null where nothing was.
    pub fn json(&self) -> &Value {
        &self.json
    }

    fn at(&self, path: &str) -> Option<&str> {
        self.json.pointer(path).and_then(Value::as_str)
    }

    /// Why it said no, if it did.
    pub fn refusal(&self) -> Option<&str> {
        if self.at("/hookSpecificOutput/permissionDecision") == Some("deny") {
            return self.at("/hookSpecificOutput/permissionDecisionReason");
        }
        let places = [
            ("/decision", "/reason"),
            ("/hookSpecificOutput/decision", "/hookSpecificOutput/reason"),
            ("/permissionDecision", "/permissionDecisionReason"),
            ("/permission", "/user_message"),
        ];
        let no = |(verdict, _): &&(&str, &str)| matches!(self.at(verdict), Some("block" | "deny"));
        let refused = places.iter().find(no).and_then(|(_, reason)| self.at(reason));
        refused.or_else(|| self.at("/followup_message"))
    }

    /// What it told the agent.
    pub fn context(&self) -> Option<&str> {
        self.at("/hookSpecificOutput/additionalContext")
    }

    /// What it told the person.
    pub fn to_person(&self) -> Option<&str> {
        self.at("/systemMessage")
    }

    /// True where the host need not ask the person.
    pub fn grants(&self) -> bool {
        self.at("/hookSpecificOutput/permissionDecision") == Some("allow")
    }

    /// What the host asks the person, if it is to ask.
    pub fn question(&self) -> Option<&str> {
        if self.at("/hookSpecificOutput/permissionDecision") != Some("ask") {
            return None;
        }
        self.at("/hookSpecificOutput/permissionDecisionReason")
    }

    /// The line that is to run instead.
    pub fn rewritten(&self) -> Option<&str> {
        self.at("/hookSpecificOutput/updatedInput/command")
    }

    /// True where it said nothing at all.
    pub fn is_silent(&self) -> bool {
        self.json.is_null()
    }

    /// It has no objection.
    #[track_caller]
    pub fn passes(&self) {
        assert!(self.refusal().is_none(), "{self:?}");
    }

    /// It says no, in these words among others.
    #[track_caller]
    pub fn refuses(&self, expected: &str) {
        let why = self.refusal().unwrap_or_else(|| panic!("no refusal: {self:?}"));
        assert!(why.contains(expected), "lacks {expected:?}: {why}");
    }

    /// It tells the agent this among other things.
    #[track_caller]
    pub fn tells(&self, expected: &str) {
        let told = self.context().unwrap_or_else(|| panic!("no word to the agent: {self:?}"));
        assert!(told.contains(expected), "lacks {expected:?}: {told}");
    }
}

/// A tool call with the answers before and after it.
#[derive(Clone, Debug)]
pub struct Did {
    pub before: Reply,
    pub after: Reply,
    /// What the command said, where it was one and ran.
    pub said: Option<Said>,
}

impl Did {
    /// It was let through, and nothing was found amiss afterwards.
    #[track_caller]
    pub fn passes(&self) {
        self.before.passes();
        self.after.passes();
    }

    /// It was refused before it ran, in these words among others.
    #[track_caller]
    pub fn refuses(&self, expected: &str) {
        self.before.refuses(expected);
    }
}

/// A question that went out.
pub struct Question<'a> {
    world: &'a World,
    pub asked: Value,
    pub call: String,
    pub reply: Reply,
}

impl Question<'_> {
    /// It may be put.
    #[track_caller]
    pub fn passes(self) -> Self {
        self.reply.passes();
        self
    }

    /// It may not, for these words among others.
    #[track_caller]
    pub fn refuses(&self, expected: &str) {
        self.reply.refuses(expected);
    }

    /// The person answers.
    pub fn answers(&self, answer: &str) -> Reply {
        self.answered_with(&json!({ "answers": { self.text(): answer } }))
    }

    /// The answer's payload is this.
    pub fn answered_with(&self, response: &Value) -> Reply {
        let mut input = json!({ "questions": [self.asked] });
        if let Some(answers) = response.get("answers") {
            input["answers"] = answers.clone();
        }
        let mut full = response.clone();
        full["questions"] = json!([self.asked]);
        self.world.after("AskUserQuestion", &input, &self.call, &full, 2000)
    }

    /// The words that went out.
    pub fn text(&self) -> &str {
        self.asked["question"].as_str().unwrap_or_default()
    }
}

/// The question that ends a job, in its literal shape.
pub fn completion() -> Value {
    let words = "what was asked for is done and shown by a run of its own ".repeat(10);
    let text = format!("[JOB-COMPLETE] fix the lexer: {words}\n\n## Outstanding Items\n");
    question(&text, &["Review", "Approve completion"])
}

/// A single-choice question.
pub fn question(text: &str, options: &[&str]) -> Value {
    let options: Vec<Value> =
        options.iter().map(|label| json!({ "label": label, "description": label })).collect();
    json!({ "question": text, "header": "Choice", "options": options, "multiSelect": false })
}

/// A page with this body and four empty footers.
pub fn page(body: &str) -> String {
    format!("{body}\n---Ob---\n\n---Pl---\n\n---Ex---\n\n---Ve---\n")
}

/// An objective of a hundred words and some.
pub fn objective() -> String {
    "quoted strings keep their escapes and a test of its own shows it ".repeat(9)
}

/// The one criterion of the plans here.
pub const CRITERION: &str = "quoted strings keep their escapes";

/// The words of a commit in between, with as many in its message as `opevc` asks for.
pub fn checkpoint(subject: &str) -> String {
    let told = "What was asked for is kept, and a test of its own shows that, as it stands now, \
        with nothing else changed.";
    format!("phase checkpoint -m '{subject}\n\n{told}'")
}

/// A boundary message that tells the whole story of `phase`.
pub fn message(phase: &str) -> String {
    let sections: &[&str] = match phase {
        "observe" => &["What I Observed", "Sources Consulted", "Questions Resolved"],
        "plan" => &["Plan This Cycle", "Acceptance Criteria", "Risks", "How VERIFY Will Test"],
        "execute" => &["What I Implemented", "Evidence", "Plan Item Addressed"],
        "verify" => &["Acceptance Criteria Checked", "Pass-Fail Per Criterion", "Evidence"],
        "condense" => &["Waterfall Steps Completed", "Knowledge Routed", "Markers Consumed"],
        _ => return String::new(),
    };
    let mut text = format!("settle what {phase} had to say\n\n");
    let told = "This was done with care, and here is the sentence that tells it, with what was \
        seen on the way, what shows it, and what somebody who was not there has to know before \
        they change it again.";
    for section in sections {
        let listed = match *section {
            "Acceptance Criteria" => format!("- {CRITERION}\n\n"),
            "Pass-Fail Per Criterion" => format!("- {CRITERION}: met\n\n"),
            _ => String::new(),
        };
        text += &format!("## {section}\n{listed}{told}\n\n");
    }
    text + "## Outstanding Items\n"
}

/// Every file below `dir`, with its mode and bytes in one line each.
pub fn tree_of(dir: &Path, leave: &dyn Fn(&Path) -> bool) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    walk(dir, dir, leave, &mut found);
    found
}

fn walk(
    top: &Path,
    dir: &Path,
    leave: &dyn Fn(&Path) -> bool,
    found: &mut BTreeMap<String, String>,
) {
    let mut entries: Vec<_> = fs::read_dir(dir).expect("a directory").flatten().collect();
    entries.sort_by_key(fs::DirEntry::path);
    for entry in entries {
        let path = entry.path();
        let below = path.strip_prefix(top).expect("it lies below");
        if leave(below) {
            continue;
        }
        let data = path.symlink_metadata().expect("it is there");
        let mode = mode_of(&data);
        let name = below.to_string_lossy().into_owned();
        if data.is_dir() {
            found.insert(name, format!("{mode} directory"));
            walk(top, &path, leave, found);
        } else if data.is_symlink() {
            found.insert(
                name,
                format!("{mode} -> {}", fs::read_link(&path).expect("a link").display()),
            );
        } else {
            let bytes = fs::read(&path).expect("a file");
            found.insert(name, format!("{mode} {}", String::from_utf8_lossy(&bytes)));
        }
    }
}

#[cfg(unix)]
fn mode_of(data: &fs::Metadata) -> String {
    use std::os::unix::fs::PermissionsExt as _;
    format!("{:o}", data.permissions().mode())
}

#[cfg(not(unix))]
fn mode_of(data: &fs::Metadata) -> String {
    if data.permissions().readonly() { "r".to_owned() } else { "rw".to_owned() }
}

fn write_file(file: &Path, text: &str) {
    fs::create_dir_all(file.parent().expect("files lie in directories")).expect("a directory");
    fs::write(file, text).expect("the file can be written");
}

/// The words of a line that a shell would take as they stand, up to quotes around whole words.
fn plain_words(line: &str) -> Option<Vec<String>> {
    if line.contains(['"', '$', '`', '\\', '|', '&', ';', '<', '>', '(', ')', '{', '}', '*', '?'])
        || line.contains(['[', ']', '~', '#', '!', '\n', '='])
    {
        return None;
    }
    let mut words = Vec::new();
    let mut rest = line.trim_start();
    while !rest.is_empty() {
        let (word, after) = match rest.strip_prefix('\'') {
            Some(quoted) => quoted.split_once('\'')?,
            None => rest.split_once(' ').unwrap_or((rest, "")),
        };
        // A quote within a word, or words that touch, are for the shell.
        if word.contains('\'')
            || (rest.starts_with('\'') && !(after.is_empty() || after.starts_with(' ')))
        {
            return None;
        }
        words.push(word.to_owned());
        rest = after.trim_start();
    }
    Some(words)
}

fn owned((name, value): (&str, &str)) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

/// Where a program lies. A name that is looked up in a `PATH` of its own makes the standard library
/// fork, which costs ten times a spawn from a process as large as this one.
pub fn on_path(program: &std::ffi::OsStr) -> PathBuf {
    let dirs = std::env::var_os("PATH").unwrap_or_default();
    let named = Path::new(program);
    let found = std::env::split_paths(&dirs).map(|dir| dir.join(named)).find(|file| file.is_file());
    found.unwrap_or_else(|| named.to_owned())
}

fn run(mut command: Command, stdin: &[u8]) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // A program that does not read is free not to.
    let _ = child.stdin.take().expect("it was asked for").write_all(stdin);
    child.wait_with_output().expect("the program ends")
}
