//! Runs the commands that applied rules name for what changed, and tells how they ended.
//!
//! After an edit its checkers, when a turn ends its tests. Nothing is refused here. What
//! runs was put into force by a person in this clone: the text of the rules that was
//! applied is known by its hash below `.git/seed`, where no fetch writes. A run has its
//! own process group, which is ended with its time.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::claims::Ran;
use crate::claims::checks::{Command, Commands};
use crate::engine::repo::installation::SettingsFile;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::engine::{claims, fence, record};
use crate::event::{Act, Actor, Event, Outcome, ToolCall};
use crate::format::{evidence, short_hash};
use crate::hosts::{self, Host, install};
use crate::phases::place::Place;
use crate::store::TreeId;
use crate::voice::{Notice, tell};
use crate::world;

/// The longest that the checkers of one edit run, all together.
const CHECKS: Duration = Duration::from_secs(8);

/// The longest that the tests of one turn run, all together.
const TESTS: Duration = Duration::from_mins(1);

/// The most lines of what commands print that are told, and letters of each.
const LINES: usize = 20;

const LETTERS: usize = 200;

/// The most edited files that are checked after one call.
const FILES: usize = 50;

/// The most commands that are named one by one.
const NAMED: usize = 4;

/// What a receipt of these tests is recognised by.
const RUN: &str = "rules";

/// The tests of turns, as far as the next ones need to know.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Turn {
    job: String,
    /// The work tree after they ran.
    tree: String,
    /// What the agent is still to be told.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    told: String,
}

/// One command that was run, or could not be.
struct Done<'a> {
    command: &'a Command,
    ran: Option<world::Ran>,
    how: String,
    passed: bool,
}

/// The commands of the rules, if a person applied these rules in this clone.
pub(crate) fn commands(repo: &Repo) -> Option<&Commands> {
    let commands = &repo.rules.commands;
    let any = commands.has_checks() || commands.has_tests();
    (any && are_applied_here(repo)).then_some(commands)
}

/// The rules have commands that were not applied in this clone.
pub(crate) fn has_foreign_commands(repo: &Repo) -> bool {
    let commands = &repo.rules.commands;
    (commands.has_checks() || commands.has_tests()) && !are_applied_here(repo)
}

/// Remembers that a person applied rules of this text here.
pub(crate) fn remember_applied(repo: &Repo, rules: &str) -> Result<()> {
    put_aside(repo, "applied", short_hash(rules.as_bytes(), 32).as_bytes())
}

/// Puts a text into force that differs by one key from the rules that are; the caller has the lock.
pub(crate) fn put_in_force(repo: &Repo, first: bool, text: &str, why: &str) -> Result<()> {
    // Commands of rules run only where a person applied those rules here; this vouches for one
    // key alone.
    let applied_here = first || are_applied_here(repo);
    record::rules::record(repo, text, why)?;
    if applied_here {
        remember_applied(repo, text)?;
    }
    Ok(())
}

/// Whether the rules in force are those that a person applied in this clone.
pub(crate) fn are_applied_here(repo: &Repo) -> bool {
    // Rules that do not read run nothing; each command that opens the repository names them.
    let Ok(Some(rules)) = repo.applied_rules() else { return false };
    let known = std::fs::read_to_string(repo.store.seed_dir().join("applied"));
    known.is_ok_and(|known| known.trim() == short_hash(rules.as_bytes(), 32))
}

/// What the checkers of an edit found, for the agent.
pub(crate) fn word_on_checks(
    repo: &Repo,
    call: &ToolCall,
    outcome: &Outcome,
    places: &[(String, Place)],
) -> Option<String> {
    if !matches!(call.act, Act::Edit(_)) || !outcome.ok || !repo.rules.commands.has_checks() {
        return None;
    }
    let inside = |place: &Place| {
        !matches!(
            place,
            Place::Git | Place::OwnState | Place::HostMemory | Place::Scratch | Place::Outside
        )
    };
    let edited = places.iter().filter(|(_, place)| inside(place)).map(|(path, _)| path);
    let there = edited.filter(|path| repo.store.work_tree().join(path).is_file());
    let paths: Vec<String> = there.take(FILES).cloned().collect();
    let commands = commands(repo)?.checks_of(&paths);
    let done = run_all(repo, &commands, CHECKS, |_, _| {});
    let (found, quoted) = told(done.iter().filter(|one| !one.passed), Side::Head);
    (!found.is_empty())
        .then(|| tell(Notice::ChecksFailed, &[("found", &found), ("quoted", &quoted)]))
}

/// Runs the tests of what changed since they ran last, when a turn of the main session
/// ends. Gives what the person is told; the agent hears it with the next event.
pub(crate) fn tests_of_turn(
    repo: &Repo,
    host: &Host,
    event: &Event,
    waiting: u32,
) -> Result<Option<String>> {
    if !repo.rules.commands.has_tests() || event.by != Actor::Main || waiting > 0 {
        return Ok(None);
    }
    let (Some(commands), Some(focused)) = (commands(repo), repo.focused()?) else {
        return Ok(None);
    };
    if focused.activity.is_err()
        || focused.state.is_small_talk()
        || repo.is_guest(&focused, event)?
    {
        return Ok(None);
    }
    let before = fence::tree::snapshot(repo)?;
    let tests = commands.tests_of(&changed_since_tests(repo, &focused, &before));
    if tests.is_empty() {
        return Ok(None);
    }
    // Said before they run: a host that ends this hook must not have them run again at
    // every stop.
    let job = focused.state.job.id.to_string();
    let mut turn = Turn { job, tree: before.to_string(), told: String::new() };
    remember_turn(repo, &turn)?;
    let mut trouble = None;
    let done = run_all(repo, &tests, TESTS.min(time_at(repo, host, event)), |command, ran| {
        // Without a tree the receipt says of no tree that the tests passed on it.
        let after = fence::tree::snapshot(repo).ok();
        let left = leave_test_receipt(repo, event, command, ran, &before, after.as_ref());
        trouble = trouble.take().or(left.err());
    });
    if let Some(trouble) = trouble {
        return Err(trouble);
    }
    turn.tree = fence::tree::snapshot(repo)?.to_string();
    let (found, quoted) = told(done.iter(), Side::Tail);
    turn.told = tell(Notice::TurnTests, &[("found", &found), ("quoted", &quoted)]);
    remember_turn(repo, &turn)?;
    Ok(Some(turn.told))
}

/// What the agent has not heard yet of the tests of its last turn; it is told once.
pub(crate) fn word_on_tests(repo: &Repo, focused: &LoadedJob, event: &Event) -> Option<String> {
    // Where it cannot be told who drives the job, nobody is told: the words wait.
    let guest = || repo.is_guest(focused, event).unwrap_or(true);
    if !repo.rules.commands.has_tests() || event.by != Actor::Main || guest() {
        return None;
    }
    let turn = last_turn(repo).filter(|turn| turn.job == focused.state.job.id.to_string())?;
    if turn.told.is_empty() {
        return None;
    }
    // What could not be marked as told would be told with every call: it waits.
    remember_turn(repo, &Turn { told: String::new(), ..turn.clone() }).ok()?;
    Some(turn.told)
}

fn changed_since_tests(repo: &Repo, focused: &LoadedJob, now: &TreeId) -> Vec<String> {
    let fence = &focused.state.fence;
    let last = last_turn(repo).filter(|turn| turn.job == focused.state.job.id.to_string());
    let last = last.map(|turn| turn.tree);
    // A tree that git has cleaned away says nothing; what the cycle changed does.
    let since = last.iter().chain([&fence.began, &fence.tree]);
    // One that is empty or gone is passed over for the next one.
    let mut known = since.filter_map(|tree| repo.store.diff_trees(&tree.parse().ok()?, now).ok());
    // None is left: nothing can be compared, and no test is chosen by a change.
    let changed = known.next().unwrap_or_default();
    changed.iter().filter_map(|one| one.path.to_str().map(str::to_owned)).collect()
}

/// Runs commands one after another from the top of the work tree, for `most` in all.
fn run_all<'a>(
    repo: &Repo,
    commands: &'a [Command],
    most: Duration,
    mut each: impl FnMut(&'a Command, &world::Ran),
) -> Vec<Done<'a>> {
    let began = Instant::now();
    let run = |command: &'a Command| {
        let left = most.saturating_sub(began.elapsed());
        let not = |how: String| Done { command, ran: None, how, passed: false };
        if left.is_zero() {
            return not(tell(Notice::CheckNoTime, &[]));
        }
        let Some((program, arguments)) = command.words.split_first() else {
            return not("names no program".to_owned());
        };
        let top = repo.store.work_tree();
        let ran = match world::run_program_for_a_while(program, arguments, top, left) {
            Ok(ran) => ran,
            Err(error) => return not(format!("could not be started: {error}")),
        };
        each(command, &ran);
        let how = match ran.status {
            _ if ran.passed => "passed".to_owned(),
            _ if ran.late => tell(Notice::CheckTooLong, &[]),
            Some(status) => format!("ended with {status}"),
            None => "was ended by a signal".to_owned(),
        };
        Done { command, passed: ran.passed, ran: Some(ran), how }
    };
    commands.iter().map(run).collect()
}

/// A receipt of tests that the rules name.
fn leave_test_receipt(
    repo: &Repo,
    event: &Event,
    command: &Command,
    ran: &world::Ran,
    before: &TreeId,
    after: Option<&TreeId>,
) -> Result<()> {
    // What a shell makes of several commands says little about one of them.
    let status = ran.status.filter(|_| !command.shell);
    let top = repo.store.work_tree();
    claims::receipts::leave_receipt(
        repo,
        Ran {
            at: repo.store.dated(world::now()),
            session: event.session.clone(),
            command: evidence::cut(&command.line),
            run: Some(RUN.to_owned()),
            status,
            failed: !ran.passed,
            output: short_hash(ran.said.as_bytes(), 16),
            tree_before: Some(before.to_string()),
            tree_after: after.map(ToString::to_string),
            program: command.words.first().and_then(|name| claims::receipts::program(name, top)),
            ..Ran::default()
        },
    )
}

/// How long a hook of this event may take: what the installed line says, less what its
/// other work needs.
fn time_at(repo: &Repo, host: &Host, event: &Event) -> Duration {
    // Without the record, or the settings, the time that the host usually gives is taken.
    let installation = repo.installation().unwrap_or_default();
    let lines = installation.settings.iter().filter(|file| file.host == host.name);
    // As above, of each file of settings.
    let texts = lines.filter_map(|file| std::fs::read_to_string(&file.path).ok());
    let time = texts.filter_map(|text| install::time_out(&text, host, &event.name)).min();
    let time = time.unwrap_or(host.usual_time());
    time.saturating_sub((time / 5).max(Duration::from_secs(2)))
}

fn turn_file(repo: &Repo) -> String {
    format!("turn-{}", repo.store.worktree_name())
}

fn last_turn(repo: &Repo) -> Option<Turn> {
    // Only a memory of the last run: without it the tests of the whole cycle's changes run.
    let text = std::fs::read(repo.store.seed_dir().join(turn_file(repo))).ok()?;
    // A line of another version is no memory, either.
    serde_json::from_slice(&text).ok()
}

fn remember_turn(repo: &Repo, turn: &Turn) -> Result<()> {
    put_aside(repo, &turn_file(repo), serde_json::json!(turn).to_string().as_bytes())
}

/// Writes a file below `.git/seed`, whole or not at all.
fn put_aside(repo: &Repo, name: &str, bytes: &[u8]) -> Result<()> {
    Ok(world::Whole::private().write(&repo.store.seed_dir().join(name), bytes)?)
}

/// The Stop line of a host waits for less than tests may take.
pub(crate) fn short_stops(repo: &Repo) -> Result<Vec<&'static str>> {
    let installation = repo.installation()?;
    let short = |file: &SettingsFile| {
        let row = hosts::row(&file.host).ok()?;
        // Settings without our line have a finding of their own.
        let text = std::fs::read_to_string(&file.path).ok()?;
        let time = install::time_out(&text, row, row.stop()?)?;
        (time < row.time_of(row.stop()?)).then_some(row.title.as_str())
    };
    Ok(installation.settings.iter().filter_map(short).collect())
}

/// Which end of what a command prints is told.
#[derive(Clone, Copy)]
enum Side {
    Head,
    Tail,
}

/// How commands ended in a few words, and below them lines of what those that did not pass
/// printed.
fn told<'a>(done: impl Iterator<Item = &'a Done<'a>>, side: Side) -> (String, String) {
    let mut found = Vec::new();
    let mut quoted = String::new();
    let mut left = LINES;
    for one in done {
        found.push(format!("`{}` {}", shown(&one.command.line, 80), one.how));
        let said = one.ran.as_ref().filter(|_| !one.passed).map(|ran| ran.said.as_str());
        let lines: Vec<String> =
            said.unwrap_or_default().lines().map(|line| shown(line, LETTERS)).collect();
        let lines: Vec<&String> = lines.iter().filter(|line| !line.is_empty()).collect();
        let take = lines.len().min(left);
        left -= take;
        let lines = match side {
            Side::Head => &lines[..take],
            Side::Tail => &lines[lines.len() - take..],
        };
        for line in lines {
            quoted.push_str("\n> ");
            quoted.push_str(line);
        }
    }
    let more = found.len().saturating_sub(NAMED);
    found.truncate(NAMED);
    if more > 0 {
        found.push(format!("{more} more"));
    }
    (found.join(", "), quoted)
}

/// A line without colours and other signs of terminals.
fn shown(line: &str, most: usize) -> String {
    let mut text = String::new();
    let mut letters = line.trim_end().chars().peekable();
    while let Some(letter) = letters.next() {
        if letter == '\u{1b}' {
            if letters.next_if_eq(&'[').is_some() {
                while letters.next().is_some_and(|c| !('@'..='~').contains(&c)) {}
            }
        } else if letter == '\t' {
            text.push(' ');
        } else if !letter.is_control() {
            text.push(letter);
        }
    }
    if text.chars().count() > most {
        text = text.chars().take(most).chain(['…']).collect();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_terminal_become_plain_words() {
        let cases = [
            ("\u{1b}[1;31merror\u{1b}[0m: no", 20, "error: no"),
            ("a\tb\u{7}\r", 20, "a b"),
            ("\u{1b}[", 20, ""),
            ("abcdef", 3, "abc…"),
        ];
        for (line, most, expected) in cases {
            assert_eq!(shown(line, most), expected, "{line:?}");
        }
    }

    #[test]
    fn of_what_was_printed_so_many_lines_are_told() {
        let command =
            |line: &str| Command { line: line.to_owned(), words: Vec::new(), shell: false };
        let ran = |passed, said: String| world::Ran { passed, status: Some(1), late: false, said };
        let lines: String = (0..30).map(|n| format!("line {n}\n")).collect();
        let commands = [command("a"), command("b"), command("c")];
        let done = [
            Done {
                command: &commands[0],
                ran: Some(ran(true, "fine".into())),
                how: "passed".into(),
                passed: true,
            },
            Done {
                command: &commands[1],
                ran: Some(ran(false, lines)),
                how: "ended with 1".into(),
                passed: false,
            },
            Done {
                command: &commands[2],
                ran: Some(ran(false, "x".into())),
                how: "ended with 1".into(),
                passed: false,
            },
        ];
        let (found, head) = told(done.iter(), Side::Head);
        assert_eq!(found, "`a` passed, `b` ended with 1, `c` ended with 1");
        assert!(head.starts_with("\n> line 0\n") && head.ends_with("\n> line 19"), "{head}");
        let (_, tail) = told(done.iter(), Side::Tail);
        assert!(tail.starts_with("\n> line 10\n") && tail.ends_with("\n> line 29"), "{tail}");
    }
}
