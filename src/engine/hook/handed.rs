//! Commands of git seed that the agent's shell cannot run itself, because `.git` is read-only
//! there: its sandbox leaves them to the hook after the tool.
//!
//! The hook before the tool keeps what the line says, where it is nothing but literal commands
//! that write. The command finds that file, by its own words, and hands over only where the hook
//! after the tool has run in that session. That hook takes the file, so an event that comes twice
//! runs nothing twice, and runs the words that were kept: as the agent, below the host's process.
//! Programs of the repository are confined then (`store/confined.rs`).

use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::engine::repo::{Repo, Result};
use crate::engine::setup;
use crate::event::{Act, Event, EventKind, Outcome, ToolCall};
use crate::format::short_hash;
use crate::hosts::{Answer, Host};
use crate::voice::{Notice, tell};
use crate::world::Held;
use crate::{confine, secrets, shell, world};

/// The most lines that wait for the end of their call.
const WAITING: usize = 64;

/// The most letters of a line that is shown.
const SHOWN: usize = 120;

/// A line that the agent's shell may hand over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Kept {
    pub host: String,
    pub session: String,
    /// The words of each command after `git seed`, and what stands at its standard input.
    commands: Vec<(Vec<String>, Option<String>)>,
}

/// What a command that cannot write finds in the hook's files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// The hook after the tool will run it.
    Waits,
    /// The line is kept, and the hook after the tool has not run in this session.
    Unheard,
    /// No such line is kept: it is more than literal commands, or no hook saw it.
    Unknown,
}

/// Keeps the line of a call that may be handed over.
///
/// # Errors
///
/// What is kept could not be written.
pub(crate) fn keep(repo: &Repo, host: &Host, event: &Event, call: &ToolCall) -> Result<()> {
    let Some(kept) = of_call(host, event, call) else { return Ok(()) };
    drop_old(repo);
    let file = file_of(repo, event, call);
    if let Some(dir) = file.parent() {
        std::fs::create_dir_all(dir)?;
    }
    Ok(world::Whole::private().write(&file, &serde_json::to_vec(&kept.masked())?)?)
}

impl Kept {
    /// As its file has it: what runs are the words of the call itself.
    fn masked(mut self) -> Self {
        for (words, input) in &mut self.commands {
            words.iter_mut().chain(input).for_each(secrets::mask_in);
        }
        self
    }
}

/// What a call may hand over: a line of nothing but literal commands that write.
fn of_call(host: &Host, event: &Event, call: &ToolCall) -> Option<Kept> {
    let Act::Shell { command, background: false, .. } = &call.act else { return None };
    let line = host.hands_over.then(|| shell::seed_line(command)).flatten()?;
    // A pipe behind one command shows less of it; between several it would change what runs.
    let plain = line.filters.is_empty() || line.commands.len() == 1;
    if !plain || !line.commands.iter().all(|command| shell::can_be_handed_over(&command.args)) {
        return None;
    }
    let commands = line.commands.into_iter().map(|command| (command.args, command.stdin));
    let (host, session) = (host.name.clone(), event.session.clone());
    Some(Kept { host, session, commands: commands.collect() })
}

/// What becomes of the command with the words `args`, which cannot write here.
pub(crate) fn find(repo: &Repo, args: &[String]) -> Found {
    let kept = files(repo).into_iter().filter_map(|file| read(&file));
    let args: Vec<_> = args.iter().map(|word| secrets::mask(word)).collect();
    let own = |kept: &Kept| kept.commands.iter().any(|(words, _)| *words == args);
    let mut found = Found::Unknown;
    for kept in kept.filter(own) {
        if setup::heartbeat::has_run_after(repo, &kept.host, &kept.session) {
            return Found::Waits;
        }
        found = Found::Unheard;
    }
    found
}

/// Runs what the call of `event` handed over, and gives what the agent and the person are told;
/// nothing where it handed over nothing.
pub(crate) fn run(repo: &Repo, host: &Host, event: &Event) -> Option<Answer> {
    let EventKind::After { call, outcome } = &event.kind else { return None };
    if !host.hands_over || !repo.is_on() {
        return None;
    }
    let file = file_of(repo, event, call);
    let taken = file.with_extension("taken");
    // Whoever takes it runs it; the same event again finds nothing.
    std::fs::rename(&file, &taken).ok()?;
    let kept = read(&taken);
    // Left behind it would be in nobody's way.
    let _ = std::fs::remove_file(&taken);
    // The call itself says once more what it hands over: code that writes into `.git` adds nothing.
    let of_call = of_call(host, event, call).filter(|_| is_handed_over(outcome))?;
    let kept = kept.is_some_and(|kept| kept == of_call.clone().masked()).then_some(of_call)?;
    let ends = Instant::now() + repo.patience(host, &event.name);
    let mut told = Answer::silence();
    for (args, input) in &kept.commands {
        let (ended, answer) = run_one(event, args, input.as_deref(), ends);
        told = Answer {
            context: joined(told.context, answer.context),
            to_person: joined(told.to_person, answer.to_person),
            ..told
        };
        if !ended {
            break;
        }
    }
    Some(told)
}

/// The answer to the event, behind what became of the line that was handed over.
pub(crate) fn told_first(ran: Answer, answer: Answer) -> Answer {
    Answer {
        context: joined(ran.context, answer.context),
        to_person: joined(ran.to_person, answer.to_person),
        ..answer
    }
}

fn joined(first: Option<String>, second: Option<String>) -> Option<String> {
    let parts: Vec<String> = first.into_iter().chain(second).collect();
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}

/// The command printed nothing but that it was handed over.
fn is_handed_over(outcome: &Outcome) -> bool {
    let word = tell(Notice::HandedOver, &[]);
    let lines = || outcome.printed.lines().map(str::trim).filter(|line| !line.is_empty());
    lines().next().is_some() && lines().all(|line| line == word)
}

/// Runs one command; true where it ended with 0.
fn run_one(event: &Event, args: &[String], input: Option<&str>, ends: Instant) -> (bool, Answer) {
    let words = args.iter().map(|word| {
        if word.contains(char::is_whitespace) { shell::quoted_word(word) } else { word.clone() }
    });
    let line = format!("git seed {}", words.collect::<Vec<_>>().join(" "));
    let line: String = line.chars().take(SHOWN).collect();
    let line = ("line", line.as_str());
    if let (true, Err(why)) = (shell::starts_programs(args), confine::check()) {
        let told = tell(Notice::HandedUnheld, &[line, ("why", &why.to_string())]);
        return (false, Answer { to_person: Some(told.clone()), ..Answer::context(told) });
    }
    let most = ends.saturating_duration_since(Instant::now());
    let input = input.unwrap_or_default().as_bytes();
    let ran = world::run_ourselves(args, input, &event.cwd, most, Held::Confined);
    let told = match &ran {
        Ok(ran) if ran.late => tell(Notice::HandedLate, &[line, ("said", ran.said.trim_end())]),
        Ok(ran) => {
            let code = ran.status.map_or_else(|| "a signal".to_owned(), |code| code.to_string());
            tell(Notice::HandedRan, &[line, ("code", &code), ("said", ran.said.trim_end())])
        }
        Err(error) => tell(Notice::HandedFailed, &[line, ("error", &error.to_string())]),
    };
    (ran.is_ok_and(|ran| ran.passed), Answer::context(told))
}

fn dir(repo: &Repo) -> PathBuf {
    repo.store.seed_dir().join("handed").join(repo.store.worktree_name())
}

fn file_of(repo: &Repo, event: &Event, call: &ToolCall) -> PathBuf {
    let given = [event.session.as_str(), call.id.as_str()].join("\n");
    dir(repo).join(format!("{}.json", short_hash(given.as_bytes(), 24)))
}

fn read(file: &Path) -> Option<Kept> {
    // One that was torn or is gone hands over nothing.
    serde_json::from_slice(&world::read_plain(file).ok()?).ok()
}

fn files(repo: &Repo) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir(repo)).into_iter().flatten().flatten();
    let kept = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "json");
    entries.map(|entry| entry.path()).filter(kept).collect()
}

/// Lines whose calls never ended make room.
fn drop_old(repo: &Repo) {
    let files = files(repo);
    if files.len() >= WAITING {
        for file in files {
            // One that stays is written over or found again.
            let _ = std::fs::remove_file(file);
        }
    }
}
