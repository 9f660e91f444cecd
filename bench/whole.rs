//! Whole processes in turn: what git seed costs beside what git costs.
//!
//! The commands of one case run A B A B …, so that a busy machine weighs on all of them
//! alike; only ratios inside one case mean anything. Nothing here ever fails for being
//! slow: it prints a table with the budget beside each ratio. What it does check is that
//! the commands do what they are timed for: a decision that passes is silent, a refusal
//! refuses. See `bench/README.md`.

#![expect(clippy::disallowed_macros, reason = "it prints a table")]
#![expect(clippy::disallowed_methods, reason = "real paths are those of Unix here")]

mod claims;
mod hot;

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use git_seed::engine::read_each;
use git_seed::event::{Change, Replacement};
use git_seed::memory::notes::{Kinds, Standing};
use git_seed::memory::{edit, footers, words};
use nix::sys::resource::{Usage, UsageWho, getrusage};
use serde_json::{Value, json};

const BINARY: &str = env!("CARGO_BIN_EXE_git-seed");
/// Runs before the first one that counts.
const WARM: usize = 3;
/// This program again, as the parent of one process whose peak is asked for.
const PEAK: &str = "--peak-of";
/// Prints `link/hot.txt` instead of measuring.
const HOT: &str = "--hot";
const ANCHORS: [&str; 4] = ["---Ob---", "---Pl---", "---Ex---", "---Ve---"];

/// One thing to measure, by the name that selects it.
struct Case {
    name: &'static str,
    run: fn(&Asked, &mut Table) -> Result<()>,
}

const CASES: [Case; 13] = [
    Case { name: "decision", run: decision },
    Case { name: "journal", run: journal },
    Case { name: "fence", run: fence },
    Case { name: "exec", run: exec },
    Case { name: "step", run: step },
    Case { name: "boundary", run: boundary },
    Case { name: "scale", run: scale },
    Case { name: "status", run: status },
    Case { name: "list", run: list },
    Case { name: "page", run: page },
    Case { name: "pages", run: pages },
    Case { name: "memory", run: memory },
    Case { name: "claims", run: claims::claims },
];

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, binary, payload] = words.as_slice()
        && flag == PEAK
    {
        return peak_of(Path::new(binary), Path::new(payload));
    }
    if words.iter().any(|word| word == HOT) {
        return hot::hot();
    }
    let asked = Asked::read(&words)?;
    println!("{BINARY}\n{}", said(Command::new("git").arg("version"))?.trim());
    let mut table = Table::default();
    let mut measured = Ok(());
    for case in CASES.iter().filter(|case| asked.wants(case.name)) {
        eprintln!("{} …", case.name);
        measured = (case.run)(&asked, &mut table).with_context(|| case.name);
        if measured.is_err() {
            break;
        }
    }
    // What was measured before a case failed is told, too.
    println!("{}", table.text());
    measured
}

/// What the command line asks for.
struct Asked {
    quick: bool,
    names: Vec<String>,
}

impl Asked {
    fn read(words: &[String]) -> Result<Self> {
        let mut asked = Self { quick: false, names: Vec::new() };
        for word in words {
            match word.as_str() {
                "--quick" => asked.quick = true,
                // cargo says so to every bench.
                "--bench" => {}
                name if CASES.iter().any(|case| case.name == name) => {
                    asked.names.push(name.to_owned());
                }
                other => {
                    bail!("`{other}` is no case; cases: {}", CASES.map(|case| case.name).join(", "))
                }
            }
        }
        Ok(asked)
    }

    fn wants(&self, name: &str) -> bool {
        self.names.is_empty() || self.names.iter().any(|asked| asked == name)
    }

    /// Runs that count, of each command; `usual` or a few.
    fn runs(&self, usual: usize) -> usize {
        if self.quick { 8 } else { usual }
    }
}

/// What one run took.
#[derive(Clone, Copy, Default)]
struct Took {
    wall: Duration,
    /// User and system time of the process and of all that it waited for.
    cpu: Duration,
    /// Pages that the kernel had to bring in for it.
    faults: i64,
}

/// All runs of one command, summed up.
#[derive(Clone, Copy)]
struct Typical {
    wall: Duration,
    least: Duration,
    cpu: Duration,
    faults: i64,
}

/// The one in the middle.
fn median<T: Ord + Copy>(mut values: Vec<T>) -> T {
    values.sort_unstable();
    values[values.len() / 2]
}

impl Typical {
    fn of(runs: &[Took]) -> Self {
        Self {
            wall: median(runs.iter().map(|took| took.wall).collect()),
            least: runs.iter().map(|took| took.wall).min().unwrap_or_default(),
            cpu: median(runs.iter().map(|took| took.cpu).collect()),
            faults: median(runs.iter().map(|took| took.faults).collect()),
        }
    }
}

/// A command that takes its turn; the closure prepares a run, untimed, and gives it.
type Lane<'a> = Box<dyn FnMut(usize) -> Result<Command> + 'a>;

/// Runs the lanes in turn, `runs` times each after [`WARM`] that do not count.
fn in_turn(runs: usize, lanes: &mut [Lane<'_>]) -> Result<Vec<Typical>> {
    let mut took = vec![Vec::with_capacity(runs); lanes.len()];
    for run in 0..runs + WARM {
        for (lane, took) in lanes.iter_mut().zip(&mut took) {
            let time = timed(lane(run)?)?;
            if run >= WARM {
                took.push(time);
            }
        }
    }
    Ok(took.iter().map(|runs| Typical::of(runs)).collect())
}

fn timed(mut command: Command) -> Result<Took> {
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let before = children()?;
    let start = Instant::now();
    let status = command.status().with_context(|| format!("{command:?}"))?;
    let wall = start.elapsed();
    ensure!(status.success(), "{command:?} ended with {status}");
    let after = children()?;
    Ok(Took {
        wall,
        cpu: cpu(&after).saturating_sub(cpu(&before)),
        faults: after.minor_page_faults() - before.minor_page_faults(),
    })
}

fn children() -> Result<Usage> {
    Ok(getrusage(UsageWho::RUSAGE_CHILDREN)?)
}

fn cpu(usage: &Usage) -> Duration {
    [usage.user_time(), usage.system_time()]
        .map(|time| {
            let part = |count: i64| u64::try_from(count).unwrap_or_default();
            Duration::from_secs(part(time.tv_sec())) + Duration::from_micros(part(time.tv_usec()))
        })
        .iter()
        .sum()
}

/// What a row is held against.
#[derive(Clone, Copy)]
enum Budget {
    /// At most so many times the other's wall time.
    Wall(f64),
    /// At most so many times the other's processor time.
    Cpu(f64),
    /// Shown for comparison.
    None,
}

/// The rows, as they will be printed.
#[derive(Default)]
struct Table {
    rows: Vec<[String; 8]>,
}

impl Table {
    fn ratio(&mut self, what: &str, ours: Typical, against: &str, theirs: Typical, budget: Budget) {
        let times = |ours: Duration, theirs: Duration| ours.as_secs_f64() / theirs.as_secs_f64();
        let (wall, cpu) = (times(ours.wall, theirs.wall), times(ours.cpu, theirs.cpu));
        let (budget, held) = match budget {
            Budget::Wall(most) => (format!("{most:.2}"), verdict(wall <= most)),
            Budget::Cpu(most) => (format!("{most:.2} cpu"), verdict(cpu <= most)),
            Budget::None => ("-".to_owned(), "-"),
        };
        self.rows.push([
            what.to_owned(),
            shown(ours),
            against.to_owned(),
            shown(theirs),
            format!("{wall:.2}"),
            format!("{cpu:.2}"),
            budget,
            held.to_owned(),
        ]);
    }

    fn absolute(&mut self, what: &str, value: String, budget: &str, held: bool) {
        let none = || "-".to_owned();
        let held = verdict(held).to_owned();
        self.rows.push([
            what.to_owned(),
            value,
            none(),
            none(),
            none(),
            none(),
            budget.to_owned(),
            held,
        ]);
    }

    fn text(&self) -> String {
        let head = [
            "what",
            "med/min/cpu ms",
            "against",
            "med/min/cpu ms",
            "wall",
            "cpu",
            "budget",
            "held",
        ];
        let rows: Vec<[&str; 8]> = std::iter::once(head)
            .chain(self.rows.iter().map(|row| row.each_ref().map(String::as_str)))
            .collect();
        let width =
            |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: [usize; 8] = std::array::from_fn(width);
        let mut text = String::new();
        for row in rows {
            for (cell, width) in row.iter().zip(widths) {
                let _ = write!(text, "{cell:width$}  ");
            }
            text.truncate(text.trim_end().len());
            text.push('\n');
        }
        text
    }
}

fn shown(time: Typical) -> String {
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    format!("{:.2}/{:.2}/{:.2}", ms(time.wall), ms(time.least), ms(time.cpu))
}

fn verdict(held: bool) -> &'static str {
    if held { "yes" } else { "NO" }
}

/// A repository with a job in execute, and what its commands need.
struct Ground {
    dir: tempfile::TempDir,
    top: PathBuf,
    /// A fresh copy of the binary, as an installation makes one. What a linker wrote, or
    /// what was partly dropped from memory and read again, lies there in small pieces and
    /// starts up to a third slower.
    binary: PathBuf,
}

/// The directory that the job declares, four levels deep with its file.
const SCOPE: &str = "src/a/b/c";
const FILE: &str = "src/a/b/c/lex.rs";

impl Ground {
    /// A repository of about `files` files, without git seed.
    fn plain(files: usize) -> Result<Self> {
        Self::with(files, &[])
    }

    /// The same with further files in it.
    fn with(files: usize, more: &[(String, String)]) -> Result<Self> {
        let dir = tempfile::tempdir()?;
        let top = fs::canonicalize(dir.path())?.join("repo");
        let binary = dir.path().join("git-seed");
        fs::copy(BINARY, &binary)?;
        fs::create_dir_all(dir.path().join("home"))?;
        fs::create_dir_all(top.join(SCOPE))?;
        let ground = Self { dir, top, binary };
        ground.write(FILE, "fn lex() {}\n")?;
        ground.write("CLAUDE.md", "# Root\n")?;
        for n in 0..files {
            ground.write(&format!("lib/d{:03}/f{n}.txt", n / 100), &format!("file {n}\n"))?;
        }
        for (path, text) in more {
            ground.write(path, text)?;
        }
        for line in [
            "init -q -b main .",
            "config user.name Bench",
            "config user.email bench@invalid",
            // Nothing packs beside what is timed.
            "config gc.auto 0",
            "add -A",
            "commit -qm start",
        ] {
            said(&mut ground.git(line))?;
        }
        Ok(ground)
    }

    /// The same with git seed, and a job that an agent led into execute.
    fn in_execute(files: usize) -> Result<Self> {
        Self::in_execute_with(files, &[])
    }

    fn in_execute_with(files: usize, more: &[(String, String)]) -> Result<Self> {
        Self::with(files, more)?.led_into_execute()
    }

    /// A repository of which a sparse checkout leaves `files` files out.
    fn narrowed(files: usize) -> Result<Self> {
        let ground = Self::plain(200)?;
        let mut stream = String::from("blob\nmark :1\ndata 5\nsame\n\ncommit refs/heads/main\n");
        stream.push_str("committer Bench <bench@invalid> 1790000000 +0000\ndata 4\nmany\n");
        stream.push_str("from refs/heads/main^0\n");
        for n in 0..files {
            writeln!(stream, "M 100644 :1 many/{}/{}/{n}.txt", n / 10_000, n / 100)?;
        }
        let file = ground.dir.path().join("stream");
        fs::write(&file, stream)?;
        said(ground.git("fast-import --quiet").stdin(File::open(&file)?))?;
        said(&mut ground.git("sparse-checkout set --cone src lib .claude"))?;
        said(&mut ground.git("reset -q --hard"))?;
        Ok(ground)
    }

    fn led_into_execute(self) -> Result<Self> {
        let ground = self;
        ground.seed("init --host claude")?;
        ground.hooked(&json!({ "hook_event_name": "SessionStart", "source": "startup" }))?;
        ground
            .hooked(&json!({ "hook_event_name": "UserPromptSubmit", "prompt": "Fix the lexer" }))?;
        ground.seed("phase advance")?;
        ground.seed("phase multiplier 3")?;
        let page = format!("{SCOPE}/CLAUDE.md");
        let notes = |text: &str| {
            ground.looked(FILE)?;
            ground.looked("README.md")?;
            ground.edited(&page, text)
        };
        notes("# c\n\n---Ob---\n\nit looks\n\n---Pl---\n\n---Ex---\n\n---Ve---\n")?;
        ground.seed_with(&["job", "update", "--name", "the lexer", "--objective", &words(110)])?;
        ground.advance(&["What I Observed", "Sources Consulted", "Questions Resolved"])?;
        ground.seed("phase multiplier 3")?;
        notes("# c\n\n---Ob---\n\nit looks\n\n---Pl---\n\nkeep escapes\n\n---Ex---\n\n---Ve---\n")?;
        ground.seed("plan set-plan-file false")?;
        ground.advance(&[
            "Plan This Cycle",
            "Acceptance Criteria",
            "Risks",
            "How VERIFY Will Test",
        ])?;
        ground.seed("phase multiplier 3")?;
        ground.edited(FILE, "fn lex() { x() }\n")?;
        said(&mut ground.git("gc -q --prune=now"))?;
        Ok(ground)
    }

    fn write(&self, path: &str, text: &str) -> Result<()> {
        let path = self.top.join(path);
        fs::create_dir_all(path.parent().context("a file in a directory")?)?;
        Ok(fs::write(path, text)?)
    }

    fn advance(&self, titles: &[&str]) -> Result<()> {
        let section = |title: &&str| match *title {
            "Pass-Fail Per Criterion" => format!("## {title}\n- {}: met\n\n", words(30)),
            _ => format!("## {title}\n{}\n\n", words(30)),
        };
        let sections: String = titles.iter().map(section).collect();
        let message = format!("do the step\n\n{sections}## Outstanding Items\n");
        self.seed_with(&["phase", "advance", "-m", &message])
    }

    /// A command with a home of its own and nothing of ours around it.
    fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        let path = std::env::var_os("PATH").unwrap_or_default();
        command.env_clear().env("PATH", path).env("HOME", self.dir.path().join("home"));
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("LC_ALL", "C").current_dir(&self.top);
        command.stdin(Stdio::null());
        command
    }

    fn git(&self, line: &str) -> Command {
        let mut command = self.command("git");
        command.args(line.split(' '));
        command
    }

    fn own(&self, words: &[&str]) -> Command {
        let mut command = self.command(&self.binary);
        command.args(words);
        command
    }

    fn seed(&self, line: &str) -> Result<()> {
        self.seed_with(&line.split(' ').collect::<Vec<_>>())
    }

    fn seed_with(&self, words: &[&str]) -> Result<()> {
        said(&mut self.own(words)).map(drop)
    }

    /// Keeps a payload in a file, with the fields that every event has.
    fn payload(&self, name: &str, event: &Value) -> Result<PathBuf> {
        // A host gives each call an id of its own, which its event before and that after share.
        let mut hasher = DefaultHasher::new();
        format!("{} {}", event["tool_name"], event["tool_input"]).hash(&mut hasher);
        let id = format!("t{:x}", hasher.finish());
        let mut whole = json!({ "session_id": "s1", "cwd": self.top, "tool_use_id": id });
        let fields = event.as_object().context("an event is an object")?;
        whole.as_object_mut().context("an object")?.extend(fields.clone());
        let path = self.dir.path().join(name);
        fs::write(&path, whole.to_string())?;
        Ok(path)
    }

    /// The hook, with this payload as its input.
    fn hook(&self, payload: &Path) -> Result<Command> {
        let mut command = self.own(&["hook", "claude"]);
        command.stdin(File::open(payload)?);
        Ok(command)
    }

    fn hooked(&self, event: &Value) -> Result<String> {
        said(&mut self.hook(&self.payload("event.json", event)?)?)
    }

    /// The agent writes a file, and the hook hears of it before and after.
    fn edited(&self, path: &str, text: &str) -> Result<()> {
        let heard = self.hooked(&tool(
            "PreToolUse",
            "Write",
            json!({ "file_path": self.top.join(path), "content": text }),
        ))?;
        ensure!(heard.is_empty(), "a write of {path} passes, but: {heard}");
        self.write(path, text)?;
        self.hooked(&tool(
            "PostToolUse",
            "Write",
            json!({ "file_path": self.top.join(path), "content": text }),
        ))?;
        Ok(())
    }

    /// The agent reads a file, and the hook hears of it.
    fn looked(&self, path: &str) -> Result<()> {
        self.hooked(&tool("PostToolUse", "Read", json!({ "file_path": self.top.join(path) })))
            .map(drop)
    }

    /// The agent wrote a file; the hook hears of it afterwards only, so that nothing paces it.
    fn wrote(&self, path: &str, text: &str) -> Result<()> {
        self.write(path, text)?;
        let input = json!({ "file_path": self.top.join(path), "content": text });
        self.hooked(&tool("PostToolUse", "Write", input)).map(drop)
    }

    /// An edit of `path`, as its payload.
    fn edit(&self, moment: &str, path: &str, new: &str) -> Value {
        tool(
            moment,
            "Edit",
            json!({ "file_path": self.top.join(path), "old_string": "x()", "new_string": new }),
        )
    }

    /// The same, led into condense; its page was read and its footers archived.
    fn in_condense() -> Result<Self> {
        let ground = Self::in_execute(0)?;
        let page = format!("{SCOPE}/CLAUDE.md");
        let shown = |command: &str, executed: &str, verified: &str| {
            for moment in ["PreToolUse", "PostToolUse"] {
                let mut tests = tool(moment, "Bash", json!({ "command": command }));
                tests["tool_response"] =
                    json!({ "stdout": "test result: ok. 1 passed", "interrupted": false });
                ground.hooked(&tests)?;
            }
            let text = format!(
                "# c\n\n---Ob---\n\nit looks\n\n---Pl---\n\nkeep escapes\n\n---Ex---\n{executed}\n\
                 ---Ve---\n{verified}"
            );
            ground.edited(&page, &text)
        };
        shown("cargo test", "\nlooked ahead\n", "")?;
        ground.advance(&["What I Implemented", "Evidence", "Plan Item Addressed"])?;
        ground.seed("phase multiplier 3")?;
        // Another run, with an id of its own: the same one again is nothing new.
        shown("cargo test --all", "\nlooked ahead\n", "\nran it\n")?;
        ground.advance(&["Acceptance Criteria Checked", "Pass-Fail Per Criterion", "Evidence"])?;
        ground.seed("phase multiplier 3")?;
        ground.looked(&page)?;
        ground.seed("condense archive")?;
        ground.looked(&page)?;
        said(&mut ground.git("gc -q --prune=now"))?;
        Ok(ground)
    }

    /// The payload of a passing decision, after making sure that it passes.
    fn passing(&self) -> Result<PathBuf> {
        let payload = self.payload("pass.json", &self.edit("PreToolUse", FILE, "y()"))?;
        let heard = said(&mut self.hook(&payload)?)?;
        ensure!(heard.is_empty(), "an edit of {FILE} in execute passes, but: {heard}");
        Ok(payload)
    }

    /// The chain in focus.
    fn chain(&self) -> Result<String> {
        Ok(said(&mut self.git("symbolic-ref refs/worktree/seed/focus"))?.trim().to_owned())
    }

    fn at(&self, revision: &str) -> Result<String> {
        Ok(said(&mut self.git(&format!("rev-parse {revision}")))?.trim().to_owned())
    }

    /// Packs `count` further jobs into `packed-refs`, all at the state of this one.
    fn pack_jobs(&self, count: usize) -> Result<()> {
        said(&mut self.git("pack-refs --all"))?;
        let file = self.top.join(".git/packed-refs");
        let text = fs::read_to_string(&file)?;
        let tip = self.at(&self.chain()?)?;
        let mut refs: Vec<String> =
            text.lines().filter(|line| !line.starts_with(['#', '^'])).map(str::to_owned).collect();
        refs.extend((0..count).map(|n| {
            format!("{tip} refs/seed/jobs/20200101t{:06}-{:04x}", n % 1_000_000, n % 0xffff)
        }));
        refs.sort_by(|one, other| one[41..].cmp(&other[41..]));
        Ok(fs::write(
            file,
            format!("# pack-refs with: peeled fully-peeled sorted \n{}\n", refs.join("\n")),
        )?)
    }

    /// Adds `count` jobs of one step each, of which `open` are pending and the others are
    /// completed and idle, and packs everything.
    fn add_jobs(&self, count: usize, open: usize) -> Result<()> {
        let chain = self.chain()?;
        let own = chain.rsplit('/').next().unwrap_or_default().to_owned();
        let state = said(&mut self.git(&format!("cat-file blob {chain}:job.toml")))?;
        let stream = self.dir.path().join("stream");
        let mut out = std::io::BufWriter::new(File::create(&stream)?);
        for n in 0..count {
            let day = n % 365;
            let id =
                format!("2025{:02}{:02}t{:06}-{:04x}", day / 31 + 1, day % 28 + 1, n, n % 0xffff);
            let (status, phase) = if n % (count / open) == 0 && n / (count / open) < open {
                ("pending", "execute")
            } else {
                ("completed", "idle")
            };
            let renamed = state.replace(&own, &id);
            let lines = renamed.lines().map(|line| match line.split(" = ").next() {
                Some("status") => format!("status = \"{status}\"\n"),
                Some("phase") => format!("phase = \"{phase}\"\n"),
                _ => format!("{line}\n"),
            });
            let blob: String = lines.collect::<Vec<_>>().concat();
            let at = 1_700_000_000 + n;
            write!(
                out,
                "commit refs/seed/jobs/{id}\ncommitter git seed <seed@invalid> {at} +0000\n\
                 data 5\nstep\n\nM 100644 inline job.toml\ndata {}\n{blob}\n",
                blob.len()
            )?;
        }
        out.into_inner()?;
        let mut import = self.git("fast-import --quiet");
        said(import.stdin(File::open(&stream)?))?;
        said(&mut self.git("pack-refs --all"))?;
        said(&mut self.git("repack -adq")).map(drop)
    }

    /// Puts `count` steps below the state in focus, and packs everything.
    fn lengthen(&self, count: usize) -> Result<()> {
        let chain = self.chain()?;
        let state = said(&mut self.git(&format!("cat-file blob {chain}:job.toml")))?;
        let tree = self.at(&format!("{chain}^{{tree}}"))?;
        let stream = self.dir.path().join("stream");
        let mut out = std::io::BufWriter::new(File::create(&stream)?);
        for n in 0..count {
            let (at, blob) = (1_700_000_000 + n, format!("{state}# {n}\n"));
            write!(
                out,
                "commit refs/seed/bench\ncommitter git seed <seed@invalid> {at} +0000\ndata 5\n\
                 step\n\nM 100644 inline job.toml\ndata {}\n{blob}\n",
                blob.len()
            )?;
        }
        let at = 1_700_000_000 + count;
        write!(
            out,
            "commit refs/seed/bench\ncommitter git seed <seed@invalid> {at} +0000\ndata 5\nstep\n\
             \nM 040000 {tree} \n\n"
        )?;
        out.into_inner()?;
        let mut import = self.git("fast-import --quiet");
        said(import.stdin(File::open(&stream)?))?;
        ensure!(
            self.at("refs/seed/bench^{tree}")? == tree,
            "the state is the same below a longer chain"
        );
        said(&mut self.git(&format!("update-ref {chain} refs/seed/bench")))?;
        said(&mut self.git("update-ref -d refs/seed/bench"))?;
        said(&mut self.git("gc -q --prune=now"))?;
        Ok(())
    }
}

fn tool(moment: &str, name: &str, input: Value) -> Value {
    json!({
        "hook_event_name": moment, "tool_name": name, "tool_input": input,
        "tool_response": {}, "duration_ms": 5,
    })
}

fn words(count: usize) -> String {
    let text = "quoted strings keep their escapes and the tests of this lexer show it";
    text.split(' ').cycle().take(count).collect::<Vec<_>>().join(" ")
}

/// What a command prints; an exit code other than 0 is an error with its words.
fn said(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("{command:?}"))?;
    let words = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    ensure!(
        output.status.success(),
        "{command:?}\n{}{}",
        words(&output.stdout),
        words(&output.stderr)
    );
    Ok(words(&output.stdout))
}

/// Before a tool: a call that passes, and one that does not.
fn decision(asked: &Asked, table: &mut Table) -> Result<()> {
    let ground = Ground::in_execute(0)?;
    let pass = ground.passing()?;
    let refuse =
        ground.payload("refuse.json", &ground.edit("PreToolUse", "src/other.rs", "y()"))?;
    let heard = said(&mut ground.hook(&refuse)?)?;
    ensure!(
        heard.contains("deny"),
        "an edit outside the declared directories is refused: {heard:?}"
    );
    let line = json!({ "command": "git log --oneline -5 -- src/a && grep -rn lex src" });
    let line = ground.payload("line.json", &tool("PreToolUse", "Bash", line))?;
    let heard = said(&mut ground.hook(&line)?)?;
    ensure!(heard.is_empty(), "a line that looks passes in execute, but: {heard}");
    let took = in_turn(
        asked.runs(200),
        &mut [
            Box::new(|_| ground.hook(&pass)),
            Box::new(|_| Ok(ground.git("rev-parse HEAD"))),
            Box::new(|_| Ok(ground.own(&["version"]))),
            Box::new(|_| ground.hook(&refuse)),
            Box::new(|_| ground.hook(&line)),
        ],
    )?;
    let git = "git rev-parse HEAD";
    table.ratio("decision, passing", took[0], git, took[1], Budget::Wall(0.90));
    table.ratio("decision, passing", took[0], "git-seed version", took[2], Budget::None);
    table.ratio("refusal, with its line", took[3], git, took[1], Budget::Wall(1.0));
    table.ratio("line of ten words", took[4], git, took[1], Budget::Wall(1.0));
    for (what, one) in [("page faults, passing", 0), ("page faults, line of ten words", 4)] {
        let (ours, theirs) = (took[one].faults, took[1].faults);
        table.absolute(what, format!("{ours}, {git}: {theirs}"), "those of git", ours <= theirs);
    }
    // Here the page is read, and the session log that has to hold what goes.
    let ground = Ground::in_condense()?;
    let input = json!({
        "file_path": ground.top.join(SCOPE).join("CLAUDE.md"), "old_string": "it looks\n",
        "new_string": "\n",
    });
    let pass = ground.payload("pass.json", &tool("PreToolUse", "Edit", input))?;
    let heard = said(&mut ground.hook(&pass)?)?;
    ensure!(heard.is_empty(), "what is archived may go in condense, but: {heard}");
    let took = in_turn(
        asked.runs(200),
        &mut [Box::new(|_| ground.hook(&pass)), Box::new(|_| Ok(ground.git("rev-parse HEAD")))],
    )?;
    table.ratio(
        "decision in condense, passing",
        took[0],
        "git rev-parse HEAD",
        took[1],
        Budget::None,
    );
    Ok(())
}

/// After a tool that is no shell: one journal line.
fn journal(asked: &Asked, table: &mut Table) -> Result<()> {
    let ground = Ground::in_execute(0)?;
    let pass = ground.passing()?;
    let mut after = ground.edit("PostToolUse", FILE, "y()");
    // A subagent's: its acts are not counted, so the decision beside it goes on to pass.
    after["agent_id"] = json!("a1");
    after["agent_type"] = json!("helper");
    let after = ground.payload("after.json", &after)?;
    let took = in_turn(
        asked.runs(100),
        &mut [Box::new(|_| ground.hook(&after)), Box::new(|_| ground.hook(&pass))],
    )?;
    table.ratio("journal line", took[0], "decision, passing", took[1], Budget::Wall(1.1));
    Ok(())
}

/// The looks around a shell call: after one that changed nothing, after one that changed ten
/// files, and before one that may write.
fn fence(asked: &Asked, table: &mut Table) -> Result<()> {
    let sizes: &[usize] = if asked.quick { &[1_000, 10_000] } else { &[1_000, 10_000, 100_000] };
    let ten: Vec<(String, String)> =
        (0..10).map(|n| (format!("{SCOPE}/part{n}.rs"), format!("fn part{n}() {{}}\n"))).collect();
    for files in sizes {
        let ground = Ground::in_execute_with(*files, &ten)?;
        let input = json!({ "command": "ls" });
        let runs = if *files > 10_000 { asked.runs(10) } else { asked.runs(30) };
        // The same event is answered without a look: each run has an id of its own.
        let look = |moment: &str, id: String, input: &Value| {
            let mut event = tool(moment, "Bash", input.clone());
            event["tool_use_id"] = json!(id);
            ground.hook(&ground.payload("look.json", &event)?)
        };
        let status = || Ok(ground.git("status --porcelain"));
        let mut clean: [Lane<'_>; 2] = [
            Box::new(|run| look("PostToolUse", format!("clean{run}"), &input)),
            Box::new(|_| status()),
        ];
        let took = in_turn(runs, &mut clean)?;
        let what = format!("after a shell call, {files} files");
        table.ratio(&what, took[0], "git status --porcelain", took[1], Budget::Wall(1.0));
        let mut changed: [Lane<'_>; 2] = [
            Box::new(|run| {
                for (path, _) in &ten {
                    ground.write(path, &format!("fn changed() {{ {run} }}\n"))?;
                }
                look("PostToolUse", format!("changed{run}"), &input)
            }),
            Box::new(|_| status()),
        ];
        let took = in_turn(runs, &mut changed)?;
        let what = format!("the same, 10 changed, {files} files");
        table.ratio(&what, took[0], "git status --porcelain", took[1], Budget::Wall(1.0));
        let writes = json!({ "command": "cargo test" });
        let mut before: [Lane<'_>; 2] = [
            Box::new(|run| look("PreToolUse", format!("before{run}"), &writes)),
            Box::new(|_| status()),
        ];
        let took = in_turn(runs, &mut before)?;
        let what = format!("before a shell call, {files} files");
        table.ratio(&what, took[0], "git status --porcelain", took[1], Budget::Wall(1.0));
    }
    Ok(())
}

/// How much later a confined command starts than a bare one.
fn exec(asked: &Asked, table: &mut Table) -> Result<()> {
    for files in [1_000, 10_000] {
        let ground = Ground::in_execute(files)?;
        let mut lanes: [Lane<'_>; 2] = [
            Box::new(|_| Ok(ground.own(&["exec", "--", "true"]))),
            Box::new(|_| Ok(ground.command("true"))),
        ];
        let took = in_turn(asked.runs(60), &mut lanes)?;
        let later = took[0].wall.saturating_sub(took[1].wall).as_secs_f64() * 1_000.0;
        table.absolute(
            &format!("exec, {files} files"),
            format!("{later:.2} ms later"),
            "3 ms",
            later <= 3.0,
        );
    }
    Ok(())
}

/// A step of the chain without a commit on the branch.
fn step(asked: &Asked, table: &mut Table) -> Result<()> {
    let ground = Ground::in_execute(0)?;
    let plain = Ground::plain(0)?;
    let pipeline = "b=$(git hash-object -w --stdin <state) && t=$(printf '100644 blob \
                    %s\\tjob.toml\\n' $b | git mktree) && c=$(git commit-tree $t -p HEAD -m \
                    step) && git update-ref refs/seed/bench $c";
    let took = in_turn(
        asked.runs(40),
        &mut [
            Box::new(|run| {
                Ok(ground.own(&["job", "update", "--objective", &format!("{} {run}", words(110))]))
            }),
            Box::new(|_| Ok(plain.git("commit -q --allow-empty -m step"))),
            Box::new(|run| {
                plain.write("state", &format!("{} {run}\n", words(110)))?;
                let mut command = plain.command("sh");
                command.args(["-c", pipeline]);
                Ok(command)
            }),
        ],
    )?;
    table.ratio("state step", took[0], "git commit --allow-empty", took[1], Budget::Cpu(0.7));
    table.ratio("state step", took[0], "hash-object … update-ref", took[2], Budget::Wall(0.3));
    Ok(())
}

/// A whole boundary beside a commit of the same file, with the same hooks.
fn boundary(asked: &Asked, table: &mut Table) -> Result<()> {
    let plain = |files: usize| move || Ground::in_execute(files);
    let left_out = || Ground::narrowed(200_000)?.led_into_execute();
    boundary_in(asked, table, "checkpoint", &plain(200))?;
    if !asked.quick {
        boundary_in(asked, table, "checkpoint, 10000 files", &plain(10_000))?;
        boundary_in(asked, table, "checkpoint, 200000 files left out", &left_out)?;
    }
    Ok(())
}

fn boundary_in(
    asked: &Asked,
    table: &mut Table,
    what: &str,
    begins: &dyn Fn() -> Result<Ground>,
) -> Result<()> {
    let (ground, twin) = (begins()?, begins()?);
    let took = in_turn(
        asked.runs(30),
        &mut [
            Box::new(|run| {
                ground.wrote(FILE, &format!("fn lex() {{ x({run}) }}\n"))?;
                let message = format!("escapes survive {run}: {}", words(24));
                Ok(ground.own(&["phase", "checkpoint", "-m", &message]))
            }),
            Box::new(|run| {
                twin.wrote(FILE, &format!("fn lex() {{ x({run}) }}\n"))?;
                Ok(twin.git(&format!("commit -q -m escapes -- {FILE}")))
            }),
        ],
    )?;
    table.ratio(what, took[0], "git commit, same hooks", took[1], Budget::Wall(1.7));
    Ok(())
}

/// The decision where many jobs are packed, and on top of a long chain.
fn scale(asked: &Asked, table: &mut Table) -> Result<()> {
    let small = Ground::in_execute(0)?;
    let pass = small.passing()?;
    let counts: &[usize] = if asked.quick { &[10, 1_000] } else { &[10, 1_000, 100_000] };
    for (what, grow) in [
        ("packed jobs", Ground::pack_jobs as fn(&Ground, usize) -> Result<()>),
        ("steps", Ground::lengthen),
    ] {
        for count in counts {
            let large = Ground::in_execute(0)?;
            grow(&large, *count)?;
            let same = large.passing()?;
            let took = in_turn(
                asked.runs(60),
                &mut [Box::new(|_| large.hook(&same)), Box::new(|_| small.hook(&pass))],
            )?;
            let what = format!("decision, {count} {what}");
            table.ratio(&what, took[0], "decision, one job", took[1], Budget::Wall(1.1));
        }
    }
    Ok(())
}

/// `git seed status` in a large repository.
fn status(asked: &Asked, table: &mut Table) -> Result<()> {
    let ground = Ground::in_execute(10_000)?;
    let took = in_turn(
        asked.runs(30),
        &mut [
            Box::new(|_| Ok(ground.own(&["status"]))),
            Box::new(|_| Ok(ground.git("status --porcelain"))),
        ],
    )?;
    table.ratio(
        "status, 10000 files",
        took[0],
        "git status --porcelain",
        took[1],
        Budget::Wall(0.5),
    );
    Ok(())
}

/// A page of 1 MB: its anchors found, an edit below one of them made and judged.
/// Lists of 10,000 jobs, of which 100 are open.
fn list(asked: &Asked, table: &mut Table) -> Result<()> {
    const JOBS: usize = 10_000;
    const OPEN: usize = 100;
    let ground = Ground::in_execute(10)?;
    ground.add_jobs(JOBS - 1, OPEN - 1)?;
    let measure = |table: &mut Table, what: &str| -> Result<()> {
        for (name, words, budget) in [
            ("job list", &["job", "list"][..], Budget::Wall(1.2)),
            ("job list --all", &["job", "list", "--all"], Budget::Wall(3.0)),
            ("job list --graph", &["job", "list", "--graph"], Budget::None),
            ("job list --json", &["--json", "job", "list"], Budget::None),
        ] {
            let ours: Lane<'_> = Box::new(|_| Ok(ground.own(words)));
            let theirs: Lane<'_> = Box::new(|_| Ok(ground.git("for-each-ref refs/seed")));
            let times = in_turn(asked.runs(20), &mut [ours, theirs])?;
            let name = format!("{name}, {what}");
            table.ratio(&name, times[0], "git for-each-ref refs/seed", times[1], budget);
        }
        Ok(())
    };
    let shown = said(&mut ground.own(&["--json", "job", "list"]))?;
    let jobs: Vec<Value> = serde_json::from_str(&shown)?;
    ensure!(jobs.len() == JOBS, "{} jobs are listed", jobs.len());
    measure(table, "10,000 refs packed")?;
    let begun = Instant::now();
    // It ends with 1: git seed did not write the hundred that stay.
    let told = ground.own(&["doctor", "--fix"]).output()?.stdout;
    let told = String::from_utf8_lossy(&told);
    ensure!(told.contains("9900 closed jobs moved to the archive"), "{told}");
    table.absolute(
        "doctor --fix archives 9,900",
        format!("{:.1} s", begun.elapsed().as_secs_f64()),
        "none",
        true,
    );
    said(&mut ground.git("gc -q"))?;
    let again: Vec<Value> =
        serde_json::from_str(&said(&mut ground.own(&["--json", "job", "list"]))?)?;
    ensure!(again == jobs, "the archive lists what the refs listed");
    measure(table, "9,900 archived")
}

fn page(asked: &Asked, table: &mut Table) -> Result<()> {
    let line = "Text with `code`, *stress* and a [link](src/lib.rs).\n- an item\n\n";
    let mut page = line.repeat(1024 * 1024 / line.len());
    for anchor in ANCHORS {
        let _ = write!(page, "\n{anchor}\n\nnotes of {anchor}\n");
    }
    let change = Change::Replace(vec![Replacement {
        old: "notes of ---Ex---".into(),
        new: "other notes".into(),
        all: false,
    }]);
    let mut took: Vec<(Duration, Duration)> = (0..asked.runs(30))
        .map(|_| {
            let start = Instant::now();
            let found = footers::layout(&page, &ANCHORS).found().len();
            let parsed = start.elapsed();
            let whole = Instant::now();
            let judged = edit::judge(Some(&page), &change, &ANCHORS);
            assert!(found == ANCHORS.len(), "each anchor is found, and the edit is {judged:?}");
            (parsed, whole.elapsed())
        })
        .collect();
    let mut middle = |key: fn(&(Duration, Duration)) -> Duration| {
        took.sort_by_key(key);
        key(&took[took.len() / 2]).as_secs_f64() * 1e3
    };
    let (parse, whole) = (middle(|took| took.0), middle(|took| took.1));
    table.absolute("page of 1 MB, parsed", format!("{parse:.2} ms"), "20 ms", parse <= 20.0);
    table.absolute(
        "page of 1 MB, edited and judged",
        format!("{whole:.2} ms"),
        "20 ms",
        whole <= 20.0,
    );
    Ok(())
}

/// Pages of the repository that all pages are read in.
const PAGES: usize = 2_000;

/// A page as they are: some headings, a code block, a footer that was not settled yet.
fn page_of(n: usize) -> String {
    let mut page =
        format!("# Module {n}\n\nIt turns tokens of kind {n} into trees.\n\n## Build\n\n");
    let _ = write!(page, "```sh\ncargo test -p module-{n}\n```\n\n## How it works\n\n");
    for line in 0..30 {
        let _ =
            writeln!(page, "- step {line} of {n} reads `f{line}` and hands it on to whoever waits");
    }
    for anchor in ANCHORS {
        let _ = write!(
            page,
            "\n{anchor}\n\nThe cycle found {n} of them, and two more behind the parser.\n"
        );
    }
    page + &format!("[KNOWLEDGE]{{order-of-{n}}}\n[CARRIED:PENDING-JOB:2]{{mend-{n}}}{{no time}}\n")
}

/// All pages read, their notes told apart, their footers counted; and lint, which does more:
/// it starts a process, asks git for its files, and compares all pages with each other.
fn pages(asked: &Asked, table: &mut Table) -> Result<()> {
    let ground = Ground::plain(0)?;
    let paths: Vec<PathBuf> =
        (0..PAGES).map(|n| ground.top.join(format!("m{:02}/d{n}/CLAUDE.md", n / 50))).collect();
    for (n, path) in paths.iter().enumerate() {
        fs::create_dir_all(path.parent().context("it lies in a directory")?)?;
        fs::write(path, page_of(n))?;
    }
    said(&mut ground.git("add -A"))?;
    said(&mut ground.git("commit -qm pages"))?;
    let kinds = Kinds::shipped()?;
    let mut runs: [Vec<Took>; 3] = Default::default();
    for run in 0..asked.runs(30) + WARM {
        let start = Instant::now();
        let used = cpu(&getrusage(UsageWho::RUSAGE_SELF)?);
        let looked = read_each(&paths, |bytes| {
            let text = String::from_utf8_lossy(bytes);
            let layout = footers::layout(&text, &ANCHORS);
            let notes = kinds.below(&text, &layout);
            let live = notes.iter().filter(|note| note.standing.is_live()).count();
            let carried = notes.iter().filter(|note| note.standing == Standing::Carried).count();
            [live, carried, words::words_below(&layout)]
        })?;
        let [live, carried, counted] =
            [0, 1, 2].map(|part| looked.iter().map(|one| one[part]).sum::<usize>());
        let wall = start.elapsed();
        let used = cpu(&getrusage(UsageWho::RUSAGE_SELF)?).saturating_sub(used);
        ensure!(live == PAGES && carried == PAGES && counted > PAGES, "{live} {carried} {counted}");
        let mut grep = ground.command("git");
        grep.args(["grep", "-c", ".", "--", "*CLAUDE.md"]);
        let took = [
            Took { wall, cpu: used, faults: 0 },
            timed(grep)?,
            timed(ground.own(&["memory", "lint"]))?,
        ];
        if run >= WARM {
            runs.iter_mut().zip(took).for_each(|(runs, took)| runs.push(took));
        }
    }
    let [read, grep, lint] = runs.map(|runs| Typical::of(&runs));
    table.ratio(
        "2000 pages read, told apart, counted",
        read,
        "git grep -c .",
        grep,
        Budget::Wall(1.0),
    );
    table.ratio("memory lint, 2000 pages", lint, "git grep -c .", grep, Budget::None);
    Ok(())
}

/// Peak memory of a hook.
fn memory(_: &Asked, table: &mut Table) -> Result<()> {
    let ground = Ground::in_execute(0)?;
    for size in [2, 64] {
        let new = "x".repeat(size * 1024 - 512);
        let payload = ground.payload("large.json", &ground.edit("PreToolUse", FILE, &new))?;
        let mut again = ground.command(std::env::current_exe()?);
        let kib: f64 = said(again.arg(PEAK).arg(&ground.binary).arg(payload))?.trim().parse()?;
        let what = format!("peak of a hook, {size} KB payload");
        table.absolute(&what, format!("{:.1} MiB", kib / 1024.0), "10 MiB", kib <= 10.0 * 1024.0);
    }
    Ok(())
}

/// Runs one hook and prints its peak in KiB. A process of its own, because a child
/// inherits the peak of the parent that it was started from.
fn peak_of(binary: &Path, payload: &Path) -> Result<()> {
    let mut hook = Command::new(binary);
    let status =
        hook.args(["hook", "claude"]).stdin(File::open(payload)?).stdout(Stdio::null()).status()?;
    ensure!(status.success(), "the hook ended with {status}");
    let unit = if cfg!(target_os = "macos") { 1024 } else { 1 };
    println!("{}", children()?.max_rss() / unit);
    Ok(())
}
