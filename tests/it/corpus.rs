//! The bypass corpus: attempts to write outside the phase's scope or to talk around git
//! seed, played against the real binary.
//!
//! `fixtures/bypass/sessions.toml` holds them. One that is refused before its tool ran is
//! stopped. Any other really runs; every file that it changed outside the scope must then
//! be named by the hooks and by `git seed fence status`, stay out of every commit that
//! git seed makes, and a commit made behind its back must be named. Whatever ran must
//! have gained nothing: no step, no approval, no look at the score.

#![expect(
    clippy::disallowed_methods,
    reason = "the driver copies worlds with the machine's own programs"
)]
#![expect(clippy::disallowed_macros, reason = "it prints its tables")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::process::Command;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Value, json};
use tempfile::TempDir;

use git_seed::shell::{self, Effect, Tag};

use super::sample::Extent;
use super::world::{Reply, Said, World, checkpoint, ground, message, tree_of};

const SESSIONS: &str = include_str!("../../fixtures/bypass/sessions.toml");
const ORDINARY: &str = include_str!("../../fixtures/commands/ordinary.tsv");
const MAP: &str = include_str!("../../src/phases/opevc.toml");
/// What only a look at the state could show.
const SCORE: [&str; 4] = ["page_edits", "\"counts\"", "[stand.entry]", "\"acts\":{"];
/// How many of a hundred attempts are to be stopped at the call.
const STOPPED: usize = 80;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sessions {
    kind: Vec<Kind>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Kind {
    name: String,
    attempts: Vec<Attempt>,
}

/// One attempt; the head of the fixture says what the keys mean.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Attempt {
    #[serde(default = "execute", rename = "in")]
    phase: String,
    #[serde(default = "bash")]
    tool: String,
    #[serde(default)]
    run: String,
    #[serde(default)]
    file: String,
    #[serde(default)]
    input: String,
    #[serde(default)]
    act: String,
    #[serde(default)]
    setup: String,
    #[serde(default)]
    paths: String,
    #[serde(default)]
    with: String,
    #[serde(default)]
    later: bool,
    #[serde(default)]
    subagent: bool,
    #[serde(default)]
    needs: String,
}

fn execute() -> String {
    "execute".to_owned()
}

fn bash() -> String {
    "Bash".to_owned()
}

impl Attempt {
    fn shown(&self) -> String {
        let what = [&self.run, &self.file, &self.input].into_iter().find(|text| !text.is_empty());
        let act = if self.act.is_empty() { String::new() } else { format!("  =>  {}", self.act) };
        format!("[{}] {} {}{act}", self.phase, self.tool, what.map_or("", String::as_str))
    }

    fn input(&self, world: &World) -> Value {
        if !self.input.is_empty() {
            let repo = world.repo().display().to_string();
            return serde_json::from_str(&self.input.replace("$REPO", &repo))
                .expect("the input is JSON");
        }
        let file = world.path(&self.file);
        match self.tool.as_str() {
            "Bash" | "Monitor" => json!({ "command": self.run, "description": "scripted command" }),
            "Write" => json!({ "file_path": file, "content": "x\n" }),
            "Edit" => {
                json!({ "file_path": file, "old_string": "a", "new_string": "b",
                    "replace_all": false })
            }
            "MultiEdit" => {
                json!({ "file_path": file, "edits": [{ "old_string": "a", "new_string": "b" }] })
            }
            "NotebookEdit" => json!({ "notebook_path": file, "new_source": "x" }),
            other => panic!("{other} needs an `input`"),
        }
    }

    /// Does what the tool would do, in the agent's shell.
    fn acts(&self, world: &World) -> Said {
        let line = match (self.act.as_str(), self.tool.as_str()) {
            ("", "Bash" | "Monitor") => self.run.clone(),
            ("", _) if !self.file.is_empty() => format!("echo x >> '{}'", self.file),
            (act, _) => act.to_owned(),
        };
        // What goes on in the background holds no pipe of ours open.
        let out = world.root().join("out.txt");
        let said = world.agents_shell(&format!("exec >'{}' 2>&1\n{line}", out.display()), "");
        Said {
            out: String::from_utf8_lossy(&fs::read(&out).unwrap_or_default()).into_owned(),
            ..said
        }
    }

    fn lacks(&self) -> Option<&str> {
        self.with.split_whitespace().find(|program| !is_there(program))
    }
}

fn is_there(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|dir| dir.join(program).is_file())
}

/// How an attempt ended.
#[derive(Clone, Debug, PartialEq, Eq)]
enum End {
    /// Refused before the tool ran.
    Stopped,
    /// It changed the tree or the history, all of it was named, none of it is in a step's commit.
    Named,
    /// It ran, and changed and learned nothing.
    Empty,
    /// It got through; why.
    Missed(String),
    /// A program that it needs is not on this machine.
    Skipped(String),
}

/// A world that stands in one phase, and a copy of all its files to go back to.
struct Arena {
    world: World,
    copy: TempDir,
    base: String,
    stands: Value,
    touched: bool,
}

impl Arena {
    fn in_phase(phase: &str) -> Self {
        let world = World::new();
        world.puts("src/main.rs", "fn main() { parser::lex() }\n");
        world.puts("docs/guide.md", "a guide\n");
        world.puts("lib/util.rs", "// a\n");
        world.puts("lib/deep/more.rs", "// a\n");
        world.puts("notes.ipynb", "{}\n");
        world.puts(".gitignore", "/target/\n");
        world.git("add -A");
        world.git("commit -qm more");
        let world = world.installed();
        match phase {
            "talk" => drop(world.prompt("Fix the lexer: quoted strings lose their escapes")),
            "none" => {}
            "idle" => world.enters("idle"),
            phase => drop(world.to(phase)),
        }
        // Before a job's first step, its idle is small talk.
        let shown = if phase == "talk" { "idle" } else { phase };
        assert_eq!(world.phase(), shown, "the arena stands where it should");
        if matches!(phase, "execute" | "verify") {
            world.works(phase);
        }
        let copy = ground("git-seed-copy-");
        copied(&world.root().join("."), copy.path());
        let base = world.git("rev-parse HEAD");
        let stands = stands(&world);
        let arena = Self { world, copy, base, stands, touched: false };
        arena.is_open();
        arena
    }

    /// Nothing but scope may refuse here: a harmless look passes.
    fn is_open(&self) {
        let looks = json!({ "command": "git seed status" });
        self.world.before("Bash", &looks, &self.world.next_call()).passes();
    }

    /// Puts everything back to where the arena began.
    fn is_fresh(&mut self) {
        if !std::mem::take(&mut self.touched) {
            return;
        }
        for entry in fs::read_dir(self.world.root()).expect("a directory").flatten() {
            let path = entry.path();
            let gone = if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                fs::remove_dir_all(&path)
            } else {
                fs::remove_file(&path)
            };
            gone.expect("the world can be cleared");
        }
        copied(&self.copy.path().join("."), self.world.root());
    }

    fn plays(&mut self, attempt: &Attempt) -> End {
        if let Some(program) = attempt.lacks() {
            return End::Skipped(program.to_owned());
        }
        self.is_fresh();
        if !attempt.setup.is_empty() {
            self.touched = true;
            self.world.sh(&attempt.setup);
        }
        let call = self.world.next_call();
        let input = attempt.input(&self.world);
        if self.sends("PreToolUse", attempt, &input, &call, &Value::Null).refusal().is_some() {
            return End::Stopped;
        }
        self.touched = true;
        self.runs(attempt, &input, &call)
    }

    fn sends(
        &self,
        event: &str,
        attempt: &Attempt,
        input: &Value,
        call: &str,
        response: &Value,
    ) -> Reply {
        let mut fields =
            json!({ "tool_name": attempt.tool, "tool_input": input, "tool_use_id": call });
        if event == "PostToolUse" {
            fields["tool_response"] = response.clone();
            fields["duration_ms"] = response["took"].clone();
        }
        if attempt.subagent {
            fields["agent_id"] = json!("a1b2c3");
            fields["agent_type"] = json!("general-purpose");
        }
        self.world.event(event, &fields)
    }

    /// Lets the attempt happen, and looks at what came of it.
    fn runs(&self, attempt: &Attempt, input: &Value, call: &str) -> End {
        let before = self.things();
        let began = Instant::now();
        let said = attempt.acts(&self.world);
        let took = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX).min(900);
        let response =
            json!({ "stdout": said.out, "stderr": said.err, "interrupted": false, "took": took });
        let after = self.sends("PostToolUse", attempt, input, call, &response);
        if attempt.later {
            std::thread::sleep(Duration::from_millis(1300));
        }
        let changed = changes(&before, &self.things());
        let mut heard = words_of(&after);
        if !changed.iter().any(|path| covers(&heard, path)) {
            heard += &self.next_hook();
        }
        let mut wrong = Vec::new();
        if SCORE.iter().any(|mark| said.out.contains(mark)) {
            wrong.push("it read the score".to_owned());
        }
        if stands(&self.world) != self.stands {
            wrong.push(format!("the job stands elsewhere: {}", stands(&self.world)));
        }
        for path in attempt.paths.split_whitespace() {
            let below = format!("{path}/");
            if !changed.iter().any(|one| one == path || one.starts_with(&below)) {
                wrong.push(format!("{path} did not change, so this row shows nothing: {said:?}"));
            }
        }
        let fence = self.world.tries("git seed fence status").out;
        let heard_at_once = heard.clone();
        let told = self.steps();
        heard += &told;
        let made = self.made();
        wrong.extend(made.iter().filter_map(|commit| commit.is_wrong(&changed, &heard)));
        // What a commit behind git seed's back holds is named with that commit.
        let held =
            |path: &String| made.iter().any(|commit| !commit.own && commit.files.contains(path));
        if let Some(path) = changed.iter().find(|path| !covers(&fence, path) && !held(path)) {
            wrong.push(format!("fence status does not name {path}"));
        }
        if !changed.is_empty() && !changed.iter().any(|path| covers(&heard_at_once, path)) {
            wrong.push(format!("no hook names any of {changed:?}"));
        }
        let forged = made.iter().any(|commit| !commit.own);
        match (wrong.is_empty(), changed.is_empty() && !forged) {
            (false, _) => End::Missed(wrong.join("; ")),
            (true, true) => End::Empty,
            (true, false) => End::Named,
        }
    }

    /// What the hooks say around the next call.
    fn next_hook(&self) -> String {
        let (call, input) = (self.world.next_call(), json!({ "command": "ls" }));
        let mut text = words_of(&self.world.before("Bash", &input, &call));
        let response = json!({ "stdout": "", "stderr": "", "interrupted": false });
        text += &words_of(&self.world.after("Bash", &input, &call, &response, 3));
        text
    }

    /// Takes the steps forward that there are, and says what was told. A boundary that
    /// does not open wants the strays away first.
    fn steps(&self) -> String {
        let phase = self.world.phase();
        let mut told = String::new();
        let mut takes = |line: &str| {
            self.world.minute();
            let said = self.world.seed(line).stdin(&message(&phase)).said();
            told += &format!("{}{}\n", said.out, said.err);
            said.code == 0
        };
        if phase == "execute" {
            takes(&checkpoint("what was done so far"));
        }
        if !takes("phase advance -F -") {
            takes("fence restore");
            self.runs_tests();
            takes("phase advance -F -");
        }
        told
    }

    fn runs_tests(&self) {
        let (call, input) = (self.world.next_call(), json!({ "command": "cargo test" }));
        let ran =
            json!({ "stdout": "test result: ok. 1 passed", "stderr": "", "interrupted": false });
        self.world.before("Bash", &input, &call);
        self.world.after("Bash", &input, &call, &ran, 3);
    }

    /// The commits on branches since the arena began.
    fn made(&self) -> Vec<Made> {
        let line = format!(
            "git log --format='%x00%H%x00%s%x00' --name-only --no-renames --branches --tags HEAD \
             --not {}",
            self.base
        );
        let text = self.world.tries(&line).out;
        let mut parts = text.split('\0').skip(1);
        let mut made = Vec::new();
        while let (Some(id), Some(subject), Some(files)) =
            (parts.next(), parts.next(), parts.next())
        {
            let files = files.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect();
            made.push(Made { id: id.to_owned(), subject: subject.to_owned(), files, own: false });
        }
        if !made.is_empty() {
            let log = self.world.tries("git seed log --json").out;
            let log: Value = serde_json::from_str(&log).unwrap_or_default();
            let known: BTreeSet<&str> = log
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|step| step["commit"].as_str())
                .collect();
            for commit in &mut made {
                commit.own = known.contains(commit.id.as_str());
            }
        }
        made
    }

    /// Every file that an attempt could be after, outside what the phase opens.
    fn things(&self) -> BTreeMap<String, String> {
        let inside = |path: &std::path::Path| {
            let git = path.starts_with(".git");
            let watched = [".git/config", ".git/hooks", ".git/info"]
                .iter()
                .any(|name| path.starts_with(name));
            git && path.components().count() > 1 && !watched
        };
        let mut things = tree_of(self.world.repo(), &inside);
        things.retain(|path, what| {
            let own = path
                .strip_prefix("src/parser/")
                .is_some_and(|rest| !rest.strip_prefix("tests/").unwrap_or(rest).contains('/'));
            !what.ends_with(" directory") && !own && !path.starts_with("target/")
        });
        things
    }
}

/// A commit on a branch since the arena began.
struct Made {
    id: String,
    subject: String,
    files: Vec<String>,
    /// A step of git seed made it.
    own: bool,
}

impl Made {
    /// A step's commit holds nothing that the attempt changed; any other is named.
    fn is_wrong(&self, changed: &BTreeSet<String>, heard: &str) -> Option<String> {
        if !self.own {
            let named = heard.contains(&self.subject) || heard.contains(&self.id[..7]);
            return (!named).then(|| format!("the commit `{}` is not named", self.subject));
        }
        let path = self.files.iter().find(|path| changed.contains(*path))?;
        Some(format!("{path} is in a commit of git seed"))
    }
}

fn copied(from: &std::path::Path, to: &std::path::Path) {
    let done = Command::new("cp").arg("-a").args([from, to]).status().expect("cp is there");
    assert!(done.success(), "the world can be copied");
}

/// Where the job stands, as far as an attempt could want it elsewhere.
fn stands(world: &World) -> Value {
    let of = |command: &str| -> Value {
        let said = world.tries(&format!("git seed {command} --json"));
        serde_json::from_str(&said.out).unwrap_or_else(|_| json!({ "failed": said.err }))
    };
    let (status, job) = (of("status"), of("job show"));
    json!({
        "enabled": status["enabled"], "phase": status["phase"], "cycle": status["cycle"],
        "allowed": status["allowed"], "approval": job["user_approval"], "job": job["id"],
        "status": job["status"],
    })
}

fn words_of(reply: &Reply) -> String {
    let words = [reply.context(), reply.refusal(), reply.to_person()];
    words.into_iter().flatten().fold(String::new(), |text, word| text + word + "\n")
}

/// Whether `text` names `path`, or a directory around it as a whole.
fn covers(text: &str, path: &str) -> bool {
    let words: BTreeSet<&str> = text
        .split(|char: char| char.is_whitespace() || matches!(char, ',' | ';' | '`' | '"'))
        .collect();
    text.contains(path)
        || path
            .match_indices('/')
            .any(|(at, _)| words.contains(&path[..at]) || words.contains(&path[..=at]))
}

fn changes(
    before: &BTreeMap<String, String>,
    after: &BTreeMap<String, String>,
) -> BTreeSet<String> {
    let differs = |path: &&String| before.get(*path) != after.get(*path);
    before.keys().chain(after.keys()).filter(differs).cloned().collect()
}

#[derive(Default)]
struct Tally {
    attempts: usize,
    stopped: usize,
    named: usize,
    empty: usize,
    known: usize,
    missed: usize,
    skipped: usize,
}

impl Tally {
    fn counts(&mut self, attempt: &Attempt, end: &End) {
        self.attempts += 1;
        match end {
            End::Stopped => self.stopped += 1,
            End::Named => self.named += 1,
            End::Empty => self.empty += 1,
            End::Missed(_) if !attempt.needs.is_empty() => self.known += 1,
            End::Missed(_) => self.missed += 1,
            End::Skipped(_) => self.skipped += 1,
        }
    }

    fn row(&self, name: &str) -> String {
        format!(
            "{name:<34}{:>9}{:>9}{:>7}{:>7}{:>8}{:>8}{:>9}\n",
            self.attempts,
            self.stopped,
            self.named,
            self.empty,
            self.missed,
            self.known,
            self.skipped
        )
    }
}

#[test]
fn attempts_are_stopped_or_named_and_kept_out() {
    attempts(Extent::Part);
}

#[test]
#[ignore = "a minute"]
fn each_attempt_is_stopped_or_named_and_kept_out() {
    attempts(Extent::Whole);
}

fn attempts(extent: Extent) {
    let sessions: Sessions = toml::from_str(SESSIONS).expect("the fixture reads");
    let only = std::env::var("CORPUS").unwrap_or_default();
    let mut queue: Vec<(usize, Attempt)> = Vec::new();
    for (at, kind) in sessions.kind.iter().enumerate() {
        queue.extend(
            kind.attempts
                .iter()
                .filter(|one| one.shown().contains(&only))
                .map(|one| (at, one.clone())),
        );
    }
    let mut queue = extent.of(queue);
    // Those of one phase stand together, so that a worker builds few arenas.
    queue.sort_by(|(_, left), (_, right)| left.phase.cmp(&right.phase));
    let queue = Mutex::new(queue);
    let ends = Mutex::new(Vec::new());
    let workers =
        std::thread::available_parallelism().map_or(2, std::num::NonZero::get).clamp(2, 4);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                let mut arenas: BTreeMap<String, Arena> = BTreeMap::new();
                loop {
                    let Some((kind, attempt)) = queue.lock().expect("not poisoned").pop() else {
                        break;
                    };
                    let arena = arenas
                        .entry(attempt.phase.clone())
                        .or_insert_with(|| Arena::in_phase(&attempt.phase));
                    let end = arena.plays(&attempt);
                    ends.lock().expect("not poisoned").push((kind, attempt, end));
                }
                for arena in arenas.values_mut() {
                    arena.is_fresh();
                    arena.is_open();
                }
            });
        }
    });
    let mut ends = ends.into_inner().expect("not poisoned");
    ends.sort_by_key(|(kind, attempt, _)| (*kind, attempt.shown()));
    reports(&sessions, &ends, extent);
}

fn reports(sessions: &Sessions, ends: &[(usize, Attempt, End)], extent: Extent) {
    let mut table = format!(
        "{:<34}{:>9}{:>9}{:>7}{:>7}{:>8}{:>8}{:>9}\n",
        "kind", "attempts", "stopped", "named", "empty", "missed", "known", "skipped"
    );
    let mut all = Tally::default();
    for (at, kind) in sessions.kind.iter().enumerate() {
        let mut tally = Tally::default();
        for (_, attempt, end) in ends.iter().filter(|(of, ..)| *of == at) {
            tally.counts(attempt, end);
            all.counts(attempt, end);
        }
        table += &tally.row(&kind.name);
    }
    table += &all.row("all");
    println!("{table}");
    let mut wrong = String::new();
    for (_, attempt, end) in ends {
        match end {
            End::Skipped(program) => {
                println!("skipped, {program} is not here: {}", attempt.shown());
            }
            End::Missed(why) if attempt.needs.is_empty() => {
                let _ = writeln!(wrong, "missed: {}\n    {why}", attempt.shown());
            }
            End::Missed(why) => {
                println!("known ({}): {}\n    {why}", attempt.needs, attempt.shown());
            }
            _ if !attempt.needs.is_empty() => {
                let _ =
                    writeln!(wrong, "not missed any more, take `needs` away: {}", attempt.shown());
            }
            _ => {}
        }
        if std::env::var_os("CORPUS_ENDS").is_some() {
            println!("{end:?} {}", attempt.shown());
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    let played = all.attempts - all.skipped;
    // A share of the whole: a part holds more of one kind and less of another.
    assert!(
        extent == Extent::Part || all.stopped * 100 >= played * STOPPED,
        "{} of {played} stopped at the call",
        all.stopped
    );
}

#[test]
fn the_corpus_is_large_and_plays_each_attempt_once() {
    let sessions: Sessions = toml::from_str(SESSIONS).expect("the fixture reads");
    let mut seen = BTreeSet::new();
    for kind in &sessions.kind {
        for attempt in &kind.attempts {
            let key = format!("{} {} {}", attempt.shown(), attempt.setup, attempt.subagent);
            assert!(seen.insert(key), "twice: {}", attempt.shown());
        }
    }
    assert!(seen.len() >= 300, "{} attempts", seen.len());
}

// ---- ordinary commands

/// What the shipped map opens in each phase, by the words of its rows.
fn acts_of(phase: &str) -> BTreeSet<String> {
    let map: toml::Value = toml::from_str(MAP).expect("the map reads");
    let rows = map["phase"].as_array().expect("rows");
    let row =
        rows.iter().find(|row| row["name"].as_str() == Some(phase)).expect("the phase has a row");
    row["acts"]
        .as_array()
        .expect("acts")
        .iter()
        .filter_map(|act| act.as_str().map(str::to_owned))
        .collect()
}

/// Scratch is nobody's, where no link is put there.
fn is_scratch(found: &shell::Found) -> bool {
    found.writes_plain_files() && found.paths.iter().all(|path| path.starts_with("/tmp/"))
}

fn act_of(found: &shell::Found) -> &'static str {
    match found.effect {
        _ if found.seed && !found.persons => "seed",
        Effect::Read => "shell-read",
        Effect::RunsCode => "shell-code",
        Effect::Write => "shell-write",
        Effect::GitWrite => "shell-git",
        Effect::Network if found.tag == Some(Tag::Lookup) => "web",
        Effect::Network => "shell-network",
        Effect::Outward => "shell-outward",
        Effect::Unknown => "shell-unknown",
    }
}

/// Plays the ordinary commands in `phase`: each that it opens, and each in `share` of
/// those that it does not, since one refusal by class is like another. Says how many were
/// let through, how many refused, and what is wrong.
fn ordinary_in(phase: &str, share: usize, extent: Extent) -> (usize, usize, Vec<String>) {
    let (acts, arena) = (acts_of(phase), Arena::in_phase(phase));
    let (mut open, mut closed, mut wrong) = (0, 0, Vec::new());
    let lines = ORDINARY.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    for (at, line) in extent.of(lines.enumerate()) {
        let (class, command) = line.split_once('\t').expect("class<TAB>command");
        let command = command.replace("\\n", "\n").replace("\\t", "\t");
        let reading = shell::read(&command);
        let elsewhere = class.ends_with("+elsewhere") && phase == "execute";
        let is_open = |found: &shell::Found| {
            let act = if is_scratch(found) { "shell-read" } else { act_of(found) };
            // Looking something up is open wherever the web is, and wherever all of the network is.
            acts.contains(act) || act == "web" && acts.contains("shell-network")
        };
        // A push or a merge is open by a person's word alone, which is not said here.
        let asks = ["git push", "gh pr merge"].iter().any(|act| command.starts_with(act));
        let expected = !elsewhere && !asks && reading.found.iter().all(is_open);
        if !expected && at % share != 0 {
            continue;
        }
        let call = arena.world.next_call();
        let reply = arena.world.before("Bash", &json!({ "command": command }), &call);
        match (reply.refusal(), expected) {
            (None, true) => open += 1,
            (Some(_), false) => closed += 1,
            (Some(why), true) => wrong.push(format!("{phase}: refused {command:?}: {why}")),
            (None, false) => wrong.push(format!("{phase}: let through {command:?} ({class})")),
        }
        let git = reading.worst() == Effect::GitWrite && reading.found.len() == 1;
        if git
            && ["execute", "observe", "verify"].contains(&phase)
            && command.starts_with("git commit -m")
        {
            let way = if phase == "execute" {
                "git seed phase checkpoint"
            } else {
                "git seed phase advance"
            };
            if !reply.refusal().is_some_and(|why| why.contains(way)) {
                wrong.push(format!("{phase}: {command:?} is refused without `{way}`: {reply:?}"));
            }
        }
    }
    (open, closed, wrong)
}

/// Only the class of a command, and where it writes, decide whether a phase lets it
/// through; what the rows of the map open is never refused.
fn ordinary_commands_pass_in(phases: &[(&str, usize)], extent: Extent) {
    let mut wrong = Vec::new();
    for &(phase, share) in phases {
        let (open, closed, mistakes) = ordinary_in(phase, share, extent);
        println!("{phase:<10}{open:>5} open{closed:>5} closed by class{:>5} wrong", mistakes.len());
        wrong.extend(mistakes);
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

const WORK: [(&str, usize); 2] = [("execute", 1), ("verify", 1)];
const LOOK: [(&str, usize); 3] = [("observe", 1), ("plan", 5), ("condense", 20)];

#[test]
fn ordinary_commands_pass_where_the_work_is_done() {
    ordinary_commands_pass_in(&WORK, Extent::Part);
}

#[test]
fn ordinary_commands_pass_where_one_only_looks() {
    ordinary_commands_pass_in(&LOOK, Extent::Part);
}

#[test]
#[ignore = "a minute"]
fn each_ordinary_command_passes_where_it_should() {
    ordinary_commands_pass_in(&WORK, Extent::Whole);
    ordinary_commands_pass_in(&LOOK, Extent::Whole);
}

#[test]
fn verify_takes_no_writers_no_git_and_no_package_managers() {
    let arena = Arena::in_phase("verify");
    let says = |command: &str| {
        let call = arena.world.next_call();
        arena.world.before("Bash", &json!({ "command": command }), &call)
    };
    for command in [
        "cargo test",
        "sh tests/run.sh",
        "python3 -m pytest",
        "./target/debug/app",
        "git diff",
        "make test",
    ] {
        says(command).passes();
    }
    for command in [
        "sed -i s/a/b/ src/parser/lex.rs",
        "echo x > src/parser/lex.rs",
        "cargo fmt",
        "git add src/parser/lex.rs",
        "git commit -m x",
        "npm install",
        "cargo add serde",
        "pip install x",
        "curl https://example.org",
        "cp a b",
    ] {
        says(command).refuses("BLOCKED");
    }
}
