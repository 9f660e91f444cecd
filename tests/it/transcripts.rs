//! Transcripts: sessions as text, played line by line, each answer compared exactly.
//!
//! A line that begins with `$` is a command of the agent's shell, `person$` one at a
//! person's terminal, `new-terminal$` one at a terminal that does not tell who types, and
//! `> terminal` what that one says in the end. `>` is an act of the agent or of its host,
//! `person>` a file that the person changes. What comes back stands indented below it.
//! Everything else is prose. Ids and commits get names in the order in which they turn up;
//! an act may use the name of a job for its id.
//! `UPDATE_TRANSCRIPTS=1 cargo test transcripts` writes the answers anew: read the diff.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use pretty_assertions::assert_eq;
use serde_json::json;

use super::world::{Did, NewTerminal, PAGE, PHASES, Reply, Said, World, message, page, question};

const INDENT: &str = "    ";

/// Plays one transcript and compares.
#[track_caller]
fn plays(name: &str) {
    plays_in(World::new(), name);
}

/// The same in a world of its own.
#[track_caller]
fn plays_in(world: World, name: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/transcripts").join(name);
    let expected =
        fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let played = Player::over(world).play(&expected);
    if std::env::var_os("UPDATE_TRANSCRIPTS").is_some() {
        fs::write(&file, played).expect("the transcript can be written");
    } else {
        assert_eq!(expected, played, "{name}");
    }
}

/// One step of a transcript: the lines that say it.
struct Step<'a> {
    lines: Vec<&'a str>,
}

/// Who plays, and in which world.
struct Player {
    world: World,
    names: Names,
    asked: Option<serde_json::Value>,
    call: String,
    terminal: Option<NewTerminal>,
}

impl Player {
    fn over(world: World) -> Self {
        let names = Names::default();
        Self { world, names, asked: None, call: String::new(), terminal: None }
    }

    /// Plays every line of `text`; gives it back with what was answered.
    fn play(mut self, text: &str) -> String {
        let mut out = String::new();
        let mut lines = text.lines().peekable();
        while let Some(line) = lines.next() {
            if line.starts_with(INDENT) {
                continue;
            }
            let mut step = Step { lines: vec![line] };
            if !is_act(line) {
                // Blank lines between an answer and the next act belong to the prose.
                out.push_str(line);
                out.push('\n');
                continue;
            }
            if let Some(end) = here_document(line) {
                for line in lines.by_ref() {
                    step.lines.push(line);
                    if line == end {
                        break;
                    }
                }
            }
            for line in &step.lines {
                let _ = writeln!(out, "{line}");
            }
            self.answer(&step, &mut out);
            // The blank lines inside the old answer go with it.
            while lines.peek().is_some_and(|next| next.starts_with(INDENT)) || inside(&mut lines) {
                lines.next();
            }
        }
        self.is_called_broken_nowhere();
        out
    }

    /// What was played was honest: whoever verifies it calls none of it broken.
    fn is_called_broken_nowhere(&self) {
        let said = self.world.person("verify --json").said();
        // Nothing is there to verify once git seed is gone.
        let found: serde_json::Value = serde_json::from_str(&said.out).unwrap_or_default();
        let broken = found["broken"].as_array().map_or(0, Vec::len);
        assert_eq!(broken, 0, "{found:#}");
    }

    fn answer(&mut self, step: &Step<'_>, out: &mut String) {
        let act = self.names.back(&step.lines.join("\n"));
        let answer = self.act(&act);
        let answer = self.names.put(&self.world, &answer);
        for line in answer.trim_end().lines() {
            let _ = if line.is_empty() { writeln!(out) } else { writeln!(out, "{INDENT}{line}") };
        }
    }

    fn act(&mut self, text: &str) -> String {
        let world = &self.world;
        world.minute();
        if let Some(line) = text.strip_prefix("$ ") {
            return heard(&world.agents_shell(line, ""));
        }
        if let Some(line) = text.strip_prefix("person$ ") {
            return heard(&world.tries(line));
        }
        if let Some(line) = text.strip_prefix("new-terminal$ ") {
            let mut terminal = world.new_terminal(line, "k7m2qx");
            let said = terminal.says();
            self.terminal = Some(terminal);
            return said;
        }
        if let Some(act) = text.strip_prefix("person> write ") {
            let (path, words) = two(act, ": ");
            world.puts(path, &unescape(words));
            return String::new();
        }
        let act = text.strip_prefix("> ").unwrap_or_else(|| panic!("no act: {text}"));
        let (verb, rest) = act.split_once([' ', ':']).unwrap_or((act, ""));
        let rest = rest.trim_start();
        match verb {
            "host" => {
                let (name, value) = two(rest, "=");
                world.host_has(name, value);
                String::new()
            }
            "start" => told(&world.starts()),
            "end" => told(&world.ends()),
            "session" => {
                world.session(rest);
                String::new()
            }
            "stop" => told(&world.stops()),
            // The turn ends with these words.
            "say" => {
                let fields = json!({ "stop_hook_active": false, "last_assistant_message": rest });
                told(&world.event("Stop", &fields))
            }
            "terminal" => heard(&self.terminal.take().expect("it waits").ends()),
            "prompt" => told(&world.prompt(rest)),
            "read" => did(&world.reads(rest)),
            "run" => did(&world.runs(rest)),
            "edit" => {
                let (path, change) = two(rest, ": ");
                let (old, new) = two(change, " => ");
                did(&world.edits(path, &unescape(old), &unescape(new)))
            }
            "write" => {
                let (path, words) = file_of(rest);
                did(&world.writes(&path, &words))
            }
            "script" => {
                // Code that the agent runs; its text does not show what it does.
                let (line, hidden) = two(rest, " => ");
                did(&world.runs_and(line, || {
                    world.agents_shell(hidden, "");
                }))
            }
            // The project's tests run, and pass.
            "test" => did(&world.runs_and(rest, || {})),
            "leave" => did(&leaves(world, rest)),
            "add" => {
                let text = message("condense");
                did(&world.runs(&format!(
                    "git seed phase advance --add-cycle '{rest}' -F - <<'END'\n{text}END"
                )))
            }
            "subagent" => self.subagent(rest),
            // From where the job stands into another phase, opened.
            "work" => {
                lives(world, rest);
                String::new()
            }
            // What the phase asks for, short of leaving it.
            "settle" => {
                world.opens();
                let stands = world.json("phase current");
                settles(world, stands["phase"].as_str().expect("a phase"), &stands["cycle"]);
                String::new()
            }
            // From idle through all phases to the end of condense.
            "cycle" => {
                lives(world, "condense");
                settles(world, "condense", &json!(null));
                did(&leaves(world, "condense"))
            }
            "hours" => {
                world.hours(rest.parse().expect("a number of hours"));
                String::new()
            }
            "ask" => self.ask(rest),
            "answer" => self.hear(rest),
            other => panic!("no verb: {other}"),
        }
    }

    /// A subagent with a prompt: what it changes on the page, or runs, and what it hears at its
    /// ends.
    fn subagent(&mut self, what: &str) -> String {
        let (agent, rest) = two(what, ": ");
        let (prompt, change) = rest.split_once(" => ").unwrap_or((rest, ""));
        let world = &self.world;
        let run = |event: &str| {
            told(&world.event(event, &json!({ "agent_id": "run", "agent_type": agent })))
        };
        let input = json!({ "subagent_type": agent, "description": "a note", "prompt": prompt });
        let mut heard = Vec::new();
        let launched = world.tool("Agent", &input, || {
            heard.push(run("SubagentStart"));
            if let Some(line) = change.strip_prefix("$ ") {
                heard.push(self::heard(&world.agents_shell(line, "")).trim_end().to_owned());
            }
            heard.push(run("SubagentStop"));
            if let Some((old, new)) = change.split_once(" => ") {
                let page = world.text(PAGE);
                assert!(page.contains(old), "{page}");
                world.puts(PAGE, &page.replace(old, new));
                heard.push(run("SubagentStop"));
            }
            json!({ "status": "completed", "content": [] })
        });
        heard.insert(0, told(&launched.before));
        heard.push(told(&launched.after));
        heard.retain(|part| !part.is_empty());
        heard.join("\n")
    }

    fn ask(&mut self, what: &str) -> String {
        let asked = match what {
            "completion" => completion_of(&self.world),
            what => question(what, &["Yes", "No"]),
        };
        let sent = self.world.asks(&asked);
        self.call.clone_from(&sent.call);
        let answer = told(&sent.reply);
        self.asked = Some(sent.asked.clone());
        answer
    }

    fn hear(&mut self, answer: &str) -> String {
        let asked = self.asked.take().expect("something was asked");
        let text = asked["question"].as_str().expect("a text").to_owned();
        let answers = json!({ text: answer });
        let input = json!({ "questions": [asked], "answers": answers });
        told(&self.world.after("AskUserQuestion", &input, &self.call, &input, 2000))
    }
}

/// From where the job stands into `phase`, opened, by the shortest honest way.
fn lives(world: &World, phase: &str) {
    let stands = world.json("phase current");
    if stands["job"].is_null() {
        world.to(phase);
        return;
    }
    let mut now = stands["phase"].as_str().expect("a phase");
    // The step out of idle begins a cycle.
    let cycle = stands["cycle"].as_u64().expect("a cycle") + u64::from(now == "idle");
    loop {
        // One that was left by a step back is open still.
        world.opens();
        if now == phase {
            return;
        }
        settles(world, now, &json!(cycle));
        world.minute();
        world.seed("phase advance -F -").stdin(&message(now)).succeeds();
        let next = PHASES.iter().position(|name| *name == now).map_or(0, |at| at + 1);
        now = PHASES.get(next).expect("condense is left by an act of its own");
    }
}

/// What `phase`, opened, asks for. An objective that is there stays.
fn settles(world: &World, phase: &str, cycle: &serde_json::Value) {
    if phase == "observe" && (*cycle != 1 || !world.json("job show")["objective"].is_null()) {
        world.looks();
    } else {
        world.does(phase);
    }
}

/// The step out of `phase`, with a message that tells all it asks for.
fn leaves(world: &World, phase: &str) -> Did {
    world.runs(&format!("git seed phase advance -F - <<'END'\n{}END", message(phase)))
}

/// What a person is told before a job ends.
const DONE: &str = "all of it is done, and it was shown to hold by runs that anyone can do \
    again. In each cycle the page says what was asked, what was done, and how it was put to the \
    proof; what did not hold at first was mended and put to the proof again. No test was left \
    out or made to say less than it did. What may be of use later is on the page or in a note, \
    and what is still to be done is a job of its own, or is named below. Try it, and say if it \
    may end here.";

/// The question that ends the focused job, with its name.
fn completion_of(world: &World) -> serde_json::Value {
    let status = world.json("status");
    let name = status["job"]["name"].as_str().expect("a job is focused");
    let text = format!("[JOB-COMPLETE] {name}: {DONE}\n\n## Outstanding Items\n");
    question(&text, &["Review", "Approve completion"])
}

/// What a `write` says: a path, and the text of one line or of the document below it.
fn file_of(act: &str) -> (String, String) {
    if let Some((path, text)) = act.split_once(" <<'END'\n") {
        let text = text.strip_suffix("END").expect("the document ends");
        return (path.to_owned(), text.to_owned());
    }
    let (path, words) = two(act, ": ");
    (path.to_owned(), if words == "<page>" { page("# parser\n") } else { unescape(words) })
}

/// True while blank lines lead to more of the same answer.
fn inside<'a>(lines: &mut std::iter::Peekable<impl Iterator<Item = &'a str> + Clone>) -> bool {
    lines.clone().find(|line| !line.is_empty()).is_some_and(|line| line.starts_with(INDENT))
}

fn is_act(line: &str) -> bool {
    ["$ ", "person$ ", "new-terminal$ ", "> ", "person> "].iter().any(|mark| line.starts_with(mark))
}

/// The word that ends the document that a command begins.
fn here_document(line: &str) -> Option<&str> {
    let (_, word) = line.split_once("<<'")?;
    word.split_once('\'').map(|(word, _)| word)
}

fn two<'a>(text: &'a str, between: &str) -> (&'a str, &'a str) {
    text.split_once(between).unwrap_or_else(|| panic!("no {between:?} in {text}"))
}

fn unescape(text: &str) -> String {
    text.replace("\\n", "\n")
}

fn heard(said: &Said) -> String {
    let mut text = said.out.clone() + &said.err;
    if said.code != 0 {
        let _ = write!(
            text,
            "{}[exit {}]",
            if text.is_empty() || text.ends_with('\n') { "" } else { "\n" },
            said.code
        );
    }
    text
}

fn told(reply: &Reply) -> String {
    let mut parts: Vec<String> = Vec::new();
    parts.extend(reply.refusal().map(str::to_owned));
    parts.extend(reply.question().map(|text| format!("(the host asks) {text}")));
    parts.extend(reply.context().map(str::to_owned));
    parts.extend(reply.to_person().map(|text| format!("(to the person) {text}")));
    parts.join("\n")
}

fn did(did: &Did) -> String {
    let said = did.said.as_ref().map(heard).unwrap_or_default();
    let parts = [told(&did.before), said.trim_end().to_owned(), told(&did.after)];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

/// Names for what differs from one run to the next.
#[derive(Default)]
pub struct Names {
    jobs: Vec<String>,
    commits: Vec<String>,
}

impl Names {
    /// The ids in the place of the names that stand for jobs in an act.
    fn back(&self, act: &str) -> String {
        let ids = self.jobs.iter().enumerate();
        ids.fold(act.to_owned(), |act, (at, id)| act.replace(&format!("<job {}>", at + 1), id))
    }

    pub fn put(&mut self, played: &World, text: &str) -> String {
        let text = text.replace(&*played.root().to_string_lossy(), "<world>");
        let mut out = String::new();
        let mut word = String::new();
        for c in text.chars().chain(['\n']) {
            if c.is_ascii_alphanumeric() || c == '-' {
                word.push(c);
            } else {
                out.push_str(&self.name(&word));
                word.clear();
                out.push(c);
            }
        }
        out.pop();
        out
    }

    fn name(&mut self, word: &str) -> String {
        if let Some((n, rest)) = self.job(word) {
            return format!("<job {n}>{rest}");
        }
        let parts: Vec<String> = word.split('-').map(|part| self.hash(part)).collect();
        parts.join("-")
    }

    /// A job id: `20261121t205612-7f3a`.
    fn job(&mut self, word: &str) -> Option<(usize, String)> {
        let digits = |range: std::ops::Range<usize>| {
            word.get(range).is_some_and(|part| part.bytes().all(|b| b.is_ascii_digit()))
        };
        if !(digits(0..8) && word.get(8..9) == Some("t") && digits(9..15) && word.len() >= 20) {
            return None;
        }
        let (id, rest) = word.split_at(20);
        Some((place(&mut self.jobs, id, |known, new| known == new), rest.to_owned()))
    }

    fn hash(&mut self, word: &str) -> String {
        let hex = word.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        match word.len() {
            12 | 16 | 20 if hex => "<id>".to_owned(),
            7 | 40 if hex => {
                let n = place(&mut self.commits, word, |known, new| {
                    known.starts_with(new) || new.starts_with(known)
                });
                format!("<c{n}>")
            }
            _ => word.to_owned(),
        }
    }
}

/// The place of `new` among the known ones, from 1; it is added when it is not there.
fn place(known: &mut Vec<String>, new: &str, same: impl Fn(&str, &str) -> bool) -> usize {
    let at = known.iter().position(|old| same(old, new));
    at.unwrap_or_else(|| {
        known.push(new.to_owned());
        known.len() - 1
    }) + 1
}

#[test]
fn a_night_of_five() {
    plays("a-night-of-five.txt");
}

#[test]
fn commit_and_push() {
    plays("commit-and-push.txt");
}

#[test]
fn a_whole_cycle() {
    plays("a-whole-cycle.txt");
}

#[test]
fn approve_from_a_new_terminal() {
    plays("approve-from-a-new-terminal.txt");
}

#[test]
fn review_and_change() {
    plays("review-and-change.txt");
}

#[test]
fn never_mind() {
    plays("never-mind.txt");
}

#[test]
fn a_week_of_watch_and_what_it_would_have_said() {
    plays("a-week-of-watch.txt");
}

#[test]
fn a_machine_runs_the_recorded_tests_again() {
    plays("run-it-again.txt");
}

#[test]
fn a_job_is_landed_and_squashed_once_more() {
    plays("land-and-squash-merge.txt");
}

#[test]
fn amend_and_go_on() {
    plays("amend-and-go-on.txt");
}

#[test]
fn small_talk() {
    plays("small-talk.txt");
}

#[test]
fn a_dirty_start() {
    plays("a-dirty-start.txt");
}

#[test]
fn the_persons_commands() {
    plays("the-persons-commands.txt");
}

#[test]
fn two_jobs() {
    plays("two-jobs.txt");
}

#[test]
fn the_stop_gate() {
    plays("the-stop-gate.txt");
}

#[test]
fn three_cycles() {
    plays("three-cycles.txt");
}

#[test]
fn the_way_out() {
    plays("the-way-out.txt");
}

#[test]
fn four_cycles_and_a_fifth() {
    plays("four-cycles-and-a-fifth.txt");
}

#[test]
fn a_plan_that_speaks() {
    plays("a-plan-that-speaks.txt");
}

#[test]
fn a_claim_that_is_proved() {
    plays("a-claim-that-is-proved.txt");
}

#[test]
fn a_claim_in_enforce_mode() {
    plays("a-claim-in-enforce-mode.txt");
}

#[test]
fn a_job_that_repeats() {
    plays("a-job-that-repeats.txt");
}

#[test]
fn a_job_born_from_a_note() {
    plays("a-job-born-from-a-note.txt");
}

#[test]
fn a_policy_that_tightens_by_itself_and_one_that_waits() {
    if std::process::Command::new("ssh-keygen").arg("-?").output().is_err() {
        return super::skip::not_here("ssh-keygen");
    }
    plays("a-policy-that-tightens.txt");
}

#[test]
fn an_upgrade_and_back() {
    plays_in(super::frozen::thawed("v1"), "an-upgrade-and-back.txt");
}

#[test]
fn an_approval_demanded_by_ci() {
    if std::process::Command::new("ssh-keygen").arg("-?").output().is_err() {
        return super::skip::not_here("ssh-keygen");
    }
    plays("an-approval-demanded-by-ci.txt");
}

/// Every transcript is played by a test.
#[test]
fn no_transcript_is_forgotten() {
    let dir: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/transcripts");
    let own = include_str!("transcripts.rs");
    for entry in fs::read_dir(dir).expect("the transcripts are there").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let played = ["plays(", "plays_in("].iter().any(|call| {
            let mut calls = own.split(call).skip(1).filter_map(|call| call.split_once(");"));
            calls.any(|(given, _)| given.ends_with(&format!("\"{name}\"")))
        });
        assert!(played, "{name} is not played");
    }
}

#[test]
fn undo_everything() {
    plays("undo-everything.txt");
}

#[test]
fn a_day_on_two_machines() {
    plays("a-day-on-two-machines.txt");
}
