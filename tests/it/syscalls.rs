//! What a passing decision asks of the kernel, counted with `strace`.
//!
//! The hook runs before every tool call of an agent, so its cost is a promise: no other
//! program, nothing written, no scan of the zone database, and a bounded number of
//! system calls. Where there is no `strace` the test says so and passes.

#![expect(clippy::disallowed_macros, reason = "it tells what it counted, or why it did not")]

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::world::ground;

const BINARY: &str = env!("CARGO_BIN_EXE_git-seed");
/// The most system calls of a decision, from `execve` to `exit_group`, where the work
/// tree is at most [`DEPTH`] directories deep.
const MOST: usize = 150;
const DEPTH: usize = 4;
/// Those that the size of a small lane's work takes: the files of the cycle, each looked at once;
/// and its times.
const WEIGHED: usize = 33;
/// A file four levels deep, in the directory that the job declares.
const FILE: &str = "src/a/b/c/lex.rs";

/// The release binary beside this one, if it was built and is not older than it.
fn counted_binary() -> PathBuf {
    let own = Path::new(BINARY);
    let target = own.parent().and_then(Path::parent).unwrap_or(own);
    let release = target.join("release").join(own.file_name().unwrap_or_default());
    let built = |path: &Path| path.metadata().and_then(|data| data.modified()).ok();
    if built(&release) >= built(own) { release } else { own.to_owned() }
}

fn has_strace() -> bool {
    let mut tried = Command::new("strace");
    let done = tried.args(["-f", "-qq", "-o", "/dev/null", "true"]).stderr(Stdio::null()).status();
    done.is_ok_and(|status| status.success())
}

/// A repository whose job was led into execute.
struct Ground {
    _dir: tempfile::TempDir,
    home: PathBuf,
    top: PathBuf,
}

impl Ground {
    /// A job whose prompt came, and nothing more.
    fn begun() -> Self {
        Self::begun_beside(0)
    }

    /// The same, with this many more files.
    fn begun_beside(files: usize) -> Self {
        let dir = ground("git-seed-calls-");
        let base = fs::canonicalize(dir.path()).expect("it is there");
        let ground = Self { _dir: dir, home: base.join("home"), top: base.join("repo") };
        fs::create_dir_all(&ground.home).expect("made");
        ground.write(FILE, "fn lex() {}\n");
        for file in 0..files {
            ground.write(&format!("many/{}/{file}.txt", file % 20), &format!("line {file}\n"));
        }
        ground.git("init -q -b main .");
        ground.git("config user.name Test");
        ground.git("config user.email test@invalid");
        ground.git("add -A");
        ground.git("commit -qm start");
        ground.seed(&["init", "--host", "claude"]);
        ground.hook(r#""hook_event_name":"SessionStart","source":"startup""#);
        ground.hook(r#""hook_event_name":"UserPromptSubmit","prompt":"Fix the lexer""#);
        ground
    }

    /// In execute of the small lane, with something changed and committed already.
    fn on_the_small_lane() -> Self {
        let ground = Self::begun();
        ground.read(FILE);
        ground.seed(&["phase", "advance", "--small", "--scope", "src/a/b/c", "-m", "fix lex"]);
        ground.changes(FILE, "fn lex() { y() }\n{}\n");
        ground.seed(&["phase", "checkpoint", "-m", "the first half of it is done"]);
        ground.read(FILE);
        ground.git("gc -q --prune=now");
        ground
    }

    fn in_execute() -> Self {
        let ground = Self::begun();
        ground.seed(&["phase", "advance"]);
        ground.seed(&["phase", "multiplier", "3"]);
        ground.read(FILE);
        ground.write_page("it looks", "");
        ground.seed(&["job", "update", "--name", "the lexer", "--objective", &words(110)]);
        ground.advance(&["What I Observed", "Sources Consulted", "Questions Resolved"]);
        ground.seed(&["phase", "multiplier", "3"]);
        ground.read("src/a/b/c/CLAUDE.md");
        ground.write_page("it looks", "keep escapes");
        ground.seed(&["plan", "set-plan-file", "false"]);
        ground.advance(&[
            "Plan This Cycle",
            "Acceptance Criteria",
            "Risks",
            "How VERIFY Will Test",
        ]);
        ground.seed(&["phase", "multiplier", "3"]);
        // The decision that is counted stands in a stay that has a past.
        ground.read(FILE);
        ground.git("gc -q --prune=now");
        ground
    }

    fn command(&self, program: impl Into<OsString>) -> Command {
        let mut command = Command::new(program.into());
        let path = std::env::var_os("PATH").unwrap_or_default();
        command
            .env_clear()
            .env("PATH", path)
            .env("HOME", &self.home)
            .env("GIT_CONFIG_NOSYSTEM", "1");
        command.current_dir(&self.top).stdin(Stdio::null());
        command
    }

    fn git(&self, line: &str) {
        said(self.command("git").args(line.split(' ')));
    }

    fn seed(&self, words: &[&str]) {
        said(self.command(BINARY).args(words));
    }

    fn advance(&self, titles: &[&str]) {
        let sections: String =
            titles.iter().map(|title| format!("## {title}\n{}\n\n", words(30))).collect();
        self.seed(&[
            "phase",
            "advance",
            "-m",
            &format!("do the step\n\n{sections}## Outstanding Items\n"),
        ]);
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.top.join(path);
        fs::create_dir_all(path.parent().expect("a directory")).expect("made");
        fs::write(path, text).expect("written");
    }

    /// The agent reads a file, and the hook hears of it.
    fn read(&self, path: &str) {
        let input = serde_json::json!({ "file_path": self.top.join(path) });
        for moment in ["PreToolUse", "PostToolUse"] {
            let fields = format!(
                r#""hook_event_name":"{moment}","tool_name":"Read","tool_response":{{}},"tool_input":{input}"#
            );
            assert_eq!(self.hook(&fields), "", "the file may be read");
        }
    }

    /// The agent writes the notes of its directory, and the hook hears of it.
    fn write_page(&self, observed: &str, planned: &str) {
        let text =
            format!("---Ob---\n\n{observed}\n\n---Pl---\n\n{planned}\n\n---Ex---\n\n---Ve---\n");
        self.changes("src/a/b/c/CLAUDE.md", &text);
    }

    /// The agent writes a file, and the hook hears of it.
    fn changes(&self, path: &str, text: &str) {
        let input = serde_json::json!({ "file_path": self.top.join(path), "content": text });
        let event = |moment: &str| {
            format!(
                r#""hook_event_name":"{moment}","tool_name":"Write","tool_response":{{}},"tool_input":{input}"#
            )
        };
        assert_eq!(self.hook(&event("PreToolUse")), "", "the file may be written");
        self.write(path, text);
        self.hook(&event("PostToolUse"));
    }

    /// Keeps a payload in a file; `fields` are those of the event.
    fn payload(&self, fields: &str) -> PathBuf {
        self.payload_of("t1", fields)
    }

    fn payload_of(&self, id: &str, fields: &str) -> PathBuf {
        let path = self.home.join("payload.json");
        let cwd = serde_json::json!(self.top);
        fs::write(
            &path,
            format!(r#"{{"session_id":"s1","cwd":{cwd},"tool_use_id":"{id}",{fields}}}"#),
        )
        .expect("written");
        path
    }

    fn hook(&self, fields: &str) -> String {
        let payload = File::open(self.payload(fields)).expect("it is there");
        said(self.command(BINARY).args(["hook", "claude"]).stdin(payload))
    }

    /// The system calls of `binary` while it answers `payload`, one a line.
    fn traced(&self, binary: &Path, payload: &Path) -> Vec<String> {
        let trace = self.home.join("trace");
        let mut strace = self.command("strace");
        strace
            .args(["-f", "-qq", "-s", "256", "-o"])
            .arg(&trace)
            .arg(binary)
            .args(["hook", "claude"]);
        let heard = said(strace.stdin(File::open(payload).expect("it is there")));
        assert_eq!(heard, "", "the edit passes in silence");
        let text = fs::read_to_string(trace).expect("strace wrote it");
        // Each line begins with the process id; signals and exits are no calls.
        let call = |line: &str| line.split_once(' ').map(|(_, call)| call.trim_start().to_owned());
        // The standard library of a debug build asks of each file that it closes whether it is
        // open.
        let counts = |call: &String| !call.starts_with(['-', '+']) && !call.contains("F_GETFD");
        text.lines().filter_map(call).filter(counts).collect()
    }
}

fn said(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|problem| panic!("{command:?}: {problem}"));
    let words = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (words(&output.stdout), words(&output.stderr));
    assert!(output.status.success(), "{command:?}\n{out}{err}");
    out
}

fn words(count: usize) -> String {
    let text = "quoted strings keep their escapes and the tests of this lexer show it";
    text.split(' ').cycle().take(count).collect::<Vec<_>>().join(" ")
}

/// True for a call that could change a file.
fn writes(call: &str) -> bool {
    const CHANGING: [&str; 10] = [
        "mkdir",
        "rename",
        "unlink",
        "link(",
        "linkat",
        "symlink",
        "truncate",
        "ftruncate",
        "flock",
        "chmod",
    ];
    let opens = call.starts_with("open") || call.starts_with("creat");
    let to_write =
        ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC"].iter().any(|flag| call.contains(flag));
    (opens && to_write) || CHANGING.iter().any(|name| call.starts_with(name))
}

#[test]
fn a_decision_that_passes_only_reads_and_asks_little_of_the_kernel() {
    if !has_strace() {
        super::skip::not_here("strace that may trace");
        return;
    }
    asks_little(&Ground::in_execute(), MOST);
}

/// What the work would come to is found in files and objects that it touches: no program, no scan,
/// not the index.
#[test]
fn nor_does_one_that_weighs_the_work_of_a_small_lane() {
    if !has_strace() {
        super::skip::not_here("strace that may trace");
        return;
    }
    asks_little(&Ground::on_the_small_lane(), MOST + WEIGHED);
}

/// The fence's look after a shell call on a tree that is as young as its index: nothing but the
/// hook runs, and what was read once is not opened again.
#[test]
fn a_look_after_a_shell_call_starts_no_program_and_reads_no_file_twice() {
    if !has_strace() {
        super::skip::not_here("strace that may trace");
        return;
    }
    let ground = Ground::begun_beside(300);
    ground.read(FILE);
    ground.seed(&["phase", "advance", "--small", "--scope", "src/a/b/c", "-m", "fix lex"]);
    let fields = r#""hook_event_name":"PostToolUse","tool_name":"Bash","tool_response":{},"tool_input":{"command":"make"}"#;
    let opened = |id: &str| {
        let calls = ground.traced(Path::new(BINARY), &ground.payload_of(id, fields));
        let named = |name: &str| calls.iter().filter(|call| call.starts_with(name)).count();
        let all = || calls.join("\n");
        assert_eq!(named("execve"), 1, "it starts no program\n{}", all());
        assert_eq!(named("fork") + named("vfork"), 0, "nor a process\n{}", all());
        assert!(named("newfstatat") + named("statx") > 300, "it looks at each file\n{}", all());
        let files = |call: &&String| call.starts_with("open") && call.contains(".txt\"");
        calls.iter().filter(files).count()
    };
    assert!(opened("c1") <= 300, "each at most once");
    assert_eq!(opened("c2"), 0, "none twice");
    for file in 0..10 {
        ground.write(&format!("src/a/b/c/{file}.txt"), "new\n");
    }
    ground.write(FILE, "fn lex() { y() }\n");
    assert!(opened("c3") >= 10, "what changed is read");
    opened("c4");
    assert_eq!(opened("c5"), 0, "and then not again");
}

/// A line that names a directory to write in is judged by the files there, and git is not asked.
#[test]
fn nor_does_one_before_a_line_that_names_a_directory() {
    if !has_strace() {
        super::skip::not_here("strace that may trace");
        return;
    }
    let ground = Ground::begun_beside(30);
    ground.read(FILE);
    ground.seed(&["phase", "advance", "--small", "--scope", "src/a/b/c", "-m", "fix lex"]);
    for (nth, line) in ["chmod -R u+w src/a/b/c", "npx prettier --write src"].iter().enumerate() {
        let fields = format!(
            r#""hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{{"command":"{line}"}}"#
        );
        let payload = ground.payload_of(&format!("d{nth}"), &fields);
        let calls = ground.traced(Path::new(BINARY), &payload);
        let named = |name: &str| calls.iter().filter(|call| call.starts_with(name)).count();
        assert_eq!(named("execve"), 1, "{line}: it starts no program\n{}", calls.join("\n"));
        assert_eq!(named("fork") + named("vfork"), 0, "{line}: nor a process");
    }
}

fn asks_little(ground: &Ground, most: usize) {
    let packs = fs::read_dir(ground.top.join(".git/objects/pack")).expect("it is there");
    let packs =
        packs.flatten().filter(|file| file.path().extension().is_some_and(|kind| kind == "pack"));
    assert_eq!(packs.count(), 1, "everything lies in one pack");
    let input = serde_json::json!({ "file_path": ground.top.join(FILE), "old_string": "{}",
            "new_string": "{ x() }" });
    let fields =
        format!(r#""hook_event_name":"PreToolUse","tool_name":"Edit","tool_input":{input}"#);
    let payload = ground.payload(&fields);
    let mut binaries = vec![PathBuf::from(BINARY), counted_binary()];
    binaries.dedup();
    for binary in &binaries {
        ground.traced(binary, &payload);
        let calls = ground.traced(binary, &payload);
        let named = |name: &str| calls.iter().filter(|call| call.starts_with(name)).count();
        let shown = binary.display();
        eprintln!("{shown}: {} system calls", calls.len());
        let all = || calls.join("\n");
        assert_eq!(named("execve"), 1, "{shown} starts no program\n{}", all());
        assert_eq!(
            named("clone") + named("fork") + named("vfork"),
            0,
            "{shown} starts no process\n{}",
            all()
        );
        assert!(
            !calls.iter().any(|call| call.contains("zoneinfo")),
            "{shown} knows the time\n{}",
            all()
        );
        let written: Vec<_> = calls.iter().filter(|call| writes(call)).collect();
        assert!(written.is_empty(), "{shown} writes nothing: {written:#?}");
        // Each directory above is looked at twice for links: a deep temporary directory is no
        // fault.
        let index =
            calls.iter().find(|call| call.starts_with("open") && call.contains(".git/index\""));
        assert_eq!(index, None, "{shown} reads no index\n{}", all());
        let most = most + 2 * (ground.top.components().count() - 1).saturating_sub(DEPTH);
        assert!(
            calls.len() <= most,
            "{shown}: {} system calls, more than {most}\n{}",
            calls.len(),
            all()
        );
    }
}

/// A step and its operation sync each object once, and no directory of objects. Four files of them
/// are what was said, beside the chain: the text, its two directories and the commit.
#[test]
fn a_step_syncs_each_object_once() {
    if !has_strace() {
        super::skip::not_here("strace that may trace");
        return;
    }
    let ground = Ground::in_execute();
    let out = ground.home.join("syncs");
    let mut strace = ground.command("strace");
    strace.args(["-f", "-qq", "-y", "-e", "trace=fsync,fdatasync", "-o"]).arg(&out).arg(BINARY);
    said(strace.args(["compact", "append", "forward-state", "-m", "run the tests"]));
    let trace = fs::read_to_string(&out).expect("a trace");
    let synced: Vec<&str> =
        trace.lines().filter_map(|line| Some(line.split_once('<')?.1.split_once('>')?.0)).collect();
    let objects: Vec<&&str> = synced.iter().filter(|path| path.contains(".git/objects/")).collect();
    let each: std::collections::BTreeSet<&&&str> = objects.iter().collect();
    assert!(!objects.is_empty() && each.len() == objects.len(), "{synced:#?}");
    assert!(objects.iter().all(|path| Path::new(path).is_file()), "{synced:#?}");
    println!("a step and its operation sync {} files", synced.len());
    assert!(synced.len() <= 22, "{synced:#?}");
}

/// A boundary starts `git commit` and nothing else; what runs below it is git's and its hooks'. The
/// fence's own index is written once.
#[test]
fn a_boundary_starts_git_commit_alone() {
    if !has_strace() {
        super::skip::not_here("strace that may trace");
        return;
    }
    let ground = Ground::in_execute();
    let out = ground.home.join("boundary");
    let (mut begun, mut indexes) = (Vec::new(), Vec::new());
    // The second time the person's index is the one that the first has left.
    for turn in 0..2 {
        ground.changes(FILE, &format!("fn lex() {{ y({turn}) }}\n"));
        let mut strace = ground.command("strace");
        strace.args(["-f", "-qq", "-s", "256", "-e", "trace=execve,openat", "-o"]).arg(&out);
        said(strace.arg(BINARY).args(["phase", "checkpoint", "-m", &words(24)]));
        let trace = fs::read_to_string(&out).expect("a trace");
        let programs =
            trace.lines().filter(|call| call.contains("execve(") && call.ends_with("= 0"));
        let gits: Vec<&str> = programs.filter(|call| call.contains(r#"git", "-C""#)).collect();
        begun.extend(gits.iter().map(|call| call.contains(r#""commit""#)));
        assert_eq!(gits.len(), 1, "{gits:#?}");
        let ours = trace.split_whitespace().next().expect("a process");
        let writes = trace.lines().filter(|call| {
            call.starts_with(ours) && call.contains("O_WRONLY") && call.contains("/index\"")
        });
        indexes.push(writes.count());
    }
    assert_eq!(begun, [true, true]);
    // The fence's and that of the commit: each is created, and then given its time.
    assert_eq!(indexes, [4, 4]);
}
