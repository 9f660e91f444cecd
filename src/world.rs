//! The edge to the machine: clock, ids, environment, the processes above this one and below it,
//! and files that are written whole.
//!
//! Everything else gets these as arguments. A clock or ids from the environment are
//! honoured in debug builds only, so that tests are the same every time and a release
//! cannot be talked into another day.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::jobs::{JobId, UnixSeconds};

mod below;
mod child;
pub(crate) mod config_lock;
mod git_environment;
pub(crate) mod last;
mod person;
mod processes;
pub(crate) mod progress;
mod scratch;
pub(crate) mod system;
mod there;
mod whole;

pub(crate) use below::run_below;
pub(crate) use child::Group;
pub(crate) use git_environment::{GitEnvironment, git_place_variables, git_variables};
pub(crate) use person::{
    Agents, Ancestor, HostProcess, Life, Lives, NotAPerson, Surroundings, Typist, who, who_started,
};
pub(crate) use processes::started_ms;
pub(crate) use scratch::{Alone, Scratch, sweep};
pub(crate) use there::{
    NotPlain, open_plain, open_unblocked, read_if_there, read_plain, remove_if_there,
};
pub(crate) use whole::{Whole, begin_sync, is_draft, sync, write_whole};

/// The variable that sets the clock of debug builds, in seconds since the epoch.
const CLOCK: &str = "GIT_SEED_TEST_CLOCK";
/// The variable that lets debug builds take a test for a person at a terminal.
const PERSON: &str = "GIT_SEED_TEST_PERSON";

/// The variables that set the code of a command that waits for a person, and how long it waits,
/// in milliseconds.
const CODE: &str = "GIT_SEED_TEST_CODE";
const PATIENCE: &str = "GIT_SEED_TEST_PATIENCE";
/// The variable that holds the words that a client was started with.
const STARTED: &str = "GIT_SEED_TEST_STARTED";

/// Reads the environment; an empty value counts as absent.
#[expect(clippy::disallowed_methods, reason = "this is the edge that the rule names")]
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The names of all variables that are set.
pub(crate) fn variable_names() -> impl Iterator<Item = String> {
    std::env::vars_os().filter_map(|(name, _)| name.into_string().ok())
}

fn debug_variable(name: &str) -> Option<String> {
    if cfg!(debug_assertions) { variable(name) } else { None }
}

/// Now, in seconds since the epoch.
#[expect(clippy::disallowed_methods, reason = "this is the edge that the rule names")]
pub(crate) fn now() -> UnixSeconds {
    if let Some(fixed) = debug_variable(CLOCK).and_then(|text| text.parse().ok()) {
        return fixed;
    }
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

/// Now, in milliseconds, for telling how long a call went on. It stands still where a test sets
/// the clock: there the host alone says how long a call took, however busy the machine is.
pub(crate) fn now_ms() -> i64 {
    if debug_variable(CLOCK).is_some() { 0 } else { system_ms() }
}

/// The system's clock, in milliseconds since the epoch: what processes are as old as goes by it,
/// whatever clock a test sets.
#[expect(clippy::disallowed_methods, reason = "this is the edge that the rule names")]
pub(crate) fn system_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// The system's clock, for tests that need a file's age.
#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "this is the edge that the rule names")]
pub(crate) fn system_now() -> SystemTime {
    SystemTime::now()
}

/// A new job id at `at`: time in UTC and four hex digits. The first three of them are the part of
/// the second, so that ids sort as they were made: a queue is taken in that order. The last one
/// differs between processes.
pub(crate) fn new_job_id(at: UnixSeconds, salt: &str) -> JobId {
    use std::hash::{BuildHasher, Hasher};
    if debug_variable(CLOCK).is_some() {
        return job_id(at, &crate::format::short_hash(salt.as_bytes(), 4));
    }
    let random = std::collections::hash_map::RandomState::new().build_hasher().finish();
    let seed = format!("{random}{salt}{}", std::process::id());
    let last = crate::format::short_hash(seed.as_bytes(), 1);
    job_id(at, &format!("{}{last}", part_of_second(at, system_ms())))
}

/// The id of the job `number` of the day of `at`: behind the day its number in thousands, and a
/// chance below a thousand; then four hex digits. Both differ between clones.
pub(crate) fn new_job_id_of_day(at: UnixSeconds, number: u32, salt: &str) -> JobId {
    use std::hash::{BuildHasher, Hasher};
    let chance = if debug_variable(CLOCK).is_some() {
        at.unsigned_abs()
    } else {
        std::collections::hash_map::RandomState::new().build_hasher().finish()
    };
    let digits = crate::format::short_hash(format!("{chance}{salt}").as_bytes(), 4);
    let day = job_id(at, &digits).as_str().get(..8).unwrap_or_default().to_owned();
    let text = format!("{day}t{:06}-{digits}", numbered(number, chance));
    // As below.
    text.parse().unwrap_or_else(|_| unreachable!("{text} is a job id"))
}

/// The six digits of the job `number` of a day. The thousandth and those behind it have the last.
fn numbered(number: u32, chance: u64) -> u64 {
    // The digits behind are of the chance's hash; these are of its other end.
    let part = (chance >> 32) % 1000;
    if number < 1000 { u64::from(number) * 1000 + part } else { 999_999 }
}

/// How far `now`, in milliseconds, is into the second `at`, in 4096 parts: three hex digits.
fn part_of_second(at: UnixSeconds, now: i64) -> String {
    // The clock may have gone on since `at` was read: then it was at that second's end.
    let within = now.saturating_sub(at.saturating_mul(1000)).clamp(0, 999);
    format!("{:03x}", within * 4096 / 1000)
}

fn job_id(at: UnixSeconds, digits: &str) -> JobId {
    let time =
        time::OffsetDateTime::from_unix_timestamp(at).unwrap_or(time::OffsetDateTime::UNIX_EPOCH);
    let text = format!(
        "{:04}{:02}{:02}t{:02}{:02}{:02}-{digits}",
        time.year(),
        u8::from(time.month()),
        time.day(),
        time.hour(),
        time.minute(),
        time.second(),
    );
    // Digits, `t` and `-` always make an id.
    text.parse().unwrap_or_else(|_| unreachable!("{text} is a job id"))
}

pub(crate) fn new_clone_id(dir: &std::path::Path) -> String {
    use std::hash::{BuildHasher, Hasher};
    let random = || std::collections::hash_map::RandomState::new().build_hasher().finish();
    let chance = if debug_variable(CLOCK).is_some() {
        String::new()
    } else {
        format!("{}{}{}", random(), random(), std::process::id())
    };
    crate::format::short_hash(format!("{}{chance}", dir.display()).as_bytes(), 24)
}

/// 32 random hex digits to stand in front of a text; `of` is the text, which alone decides where a
/// test sets the clock.
pub(crate) fn new_salt(of: &[u8]) -> std::io::Result<String> {
    if debug_variable(CLOCK).is_some() {
        return Ok(crate::format::short_hash(of, crate::format::texts::SALT));
    }
    let mut bits = [0; 16];
    system::fill_randomly(&mut bits)?;
    Ok(crate::format::short_hash(&bits, crate::format::texts::SALT))
}

/// A process, told apart from a later one with the same number by its start time.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Process {
    pub pid: u32,
    /// Clock ticks since boot on Linux; empty where the system does not say.
    #[serde(default)]
    pub started: String,
    /// The program's name.
    pub name: String,
    /// Its command line, one string.
    #[serde(default, skip_serializing)]
    pub line: String,
    /// The terminal it belongs to is none.
    #[serde(default, skip_serializing)]
    pub detached: bool,
}

/// The processes above this one, nearest first.
pub(crate) fn ancestors() -> Vec<Process> {
    let mut found = Vec::new();
    let mut pid = processes::parent_of_self();
    while let Some(up) = pid.filter(|pid| *pid > 0 && found.len() < 64) {
        let Some((process, parent)) = processes::process(up) else { break };
        found.push(process);
        pid = (parent != up).then_some(parent);
    }
    found
}

/// The words that `process` was started with; nothing where they may not be read.
pub(crate) fn arguments_of(process: &Process) -> Option<Vec<String>> {
    processes::arguments_of(process.pid)
}

/// The same of the client that speaks; a test may set them.
pub(crate) fn words_of_start(client: &Process) -> Option<Vec<String>> {
    if let Some(words) = debug_variable(STARTED) {
        return Some(words.split(' ').map(str::to_owned).collect());
    }
    arguments_of(client)
}

/// The names in a directory; none where it is not there.
pub(crate) fn names_in(dir: &Path) -> std::io::Result<Vec<String>> {
    let entries = match std::fs::read_dir(dir) {
        Err(none) if none.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let name = |entry: std::io::Result<std::fs::DirEntry>| {
        Ok(entry?.file_name().to_string_lossy().into_owned())
    };
    entries.map(name).collect()
}

/// This very process.
pub(crate) fn myself() -> Process {
    let pid = std::process::id();
    let unknown = Process {
        pid,
        started: String::new(),
        name: String::new(),
        line: String::new(),
        detached: true,
    };
    running(pid).unwrap_or(unknown)
}

/// What this process sees of others. Where a session's host is in another view, that it is not
/// seen says nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum View {
    /// What the system calls it; nothing where it does not tell them apart.
    Of(String),
    /// What is shown as the system's list of processes is not that, or not this process's own.
    Blind,
}

/// The view of this process.
#[cfg(target_os = "linux")]
pub(crate) fn view() -> &'static View {
    processes::view()
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn view() -> &'static View {
    static ONE: View = View::Of(String::new());
    &ONE
}

/// True while `process` runs, and it is not this one.
pub(crate) fn is_running(process: &Process) -> bool {
    process.pid != std::process::id()
        && running(process.pid).is_some_and(|now| now.started == process.started)
}

/// True where a debug build was told that a person sits here.
pub(crate) fn is_played_person() -> bool {
    debug_variable(PERSON).is_some()
}

/// Who types, where a debug build was told so: `untold` names what leaves it open.
pub(crate) fn played_typist() -> Option<Typist> {
    let played = debug_variable(PERSON)?;
    let untold = played.strip_prefix("untold ").map(|by| Typist::Untold(by.to_owned()));
    Some(untold.unwrap_or(Typist::Person))
}

/// A code that nobody can guess, from the system's randomness; a test may set it.
pub(crate) fn new_code() -> std::io::Result<String> {
    if let Some(code) = debug_variable(CODE) {
        return Ok(code);
    }
    let mut bits = [0; 4];
    system::fill_randomly(&mut bits)?;
    Ok(crate::jobs::code::code(u32::from_le_bytes(bits)))
}

/// How long a command waits for a person, in milliseconds; a test may set it.
pub(crate) fn patience_ms(usual: i64) -> i64 {
    debug_variable(PATIENCE).and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// The number of this process's terminal; 0 for none.
pub(crate) fn own_terminal() -> i64 {
    processes::details(std::process::id()).map_or(0, |(_, tty)| tty)
}

/// When the first process of this system or container started, in milliseconds.
pub(crate) fn first_process_ms() -> Option<i64> {
    running(1).as_ref().and_then(started_ms)
}

/// The process `pid`, if it runs.
pub(crate) fn running(pid: u32) -> Option<Process> {
    processes::process(pid).map(|(process, _)| process)
}

/// How a host hands an event to this process. Code of the agent's that takes a hook's place
/// below the host (`exec git-seed hook …`) is handed it in another way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Manner {
    /// This process is in the session of processes that the host is in.
    pub same_session: bool,
    pub input: Input,
}

/// What standard input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Input {
    Pipe,
    /// One that the host made; its other end is the host's.
    Socket,
    Other,
}

/// How `host` hands its event to this process; `None` where the system does not tell.
#[cfg(target_os = "linux")]
pub(crate) fn manner(host: &Process) -> Option<Manner> {
    use std::os::unix::fs::FileTypeExt;
    let kind = std::fs::metadata("/proc/self/fd/0").ok()?.file_type();
    let made_by_host = || {
        let peer = rustix::net::sockopt::socket_peercred(std::io::stdin()).ok();
        peer.is_some_and(|peer| {
            u32::try_from(peer.pid.as_raw_nonzero().get()).is_ok_and(|pid| pid == host.pid)
        })
    };
    let input = match kind {
        kind if kind.is_fifo() => Input::Pipe,
        kind if kind.is_socket() && made_by_host() => Input::Socket,
        _ => Input::Other,
    };
    let session = processes::session_of;
    Some(Manner { same_session: session(std::process::id())? == session(host.pid)?, input })
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn manner(_: &Process) -> Option<Manner> {
    None
}

/// How a command line ended.
#[derive(Clone, Debug)]
pub(crate) struct Ran {
    pub passed: bool,
    /// What it ended with; nothing where a signal or the end of its time ended it.
    pub status: Option<i32>,
    /// It was ended because its time was over.
    pub late: bool,
    /// What it printed, on both outputs, in order.
    pub said: String,
}

/// Runs a command line in `dir` for at most `most`; then it is ended with all that it
/// started. What git put into the environment for this process is not for it.
pub(crate) fn run_for_a_while(
    line: &str,
    dir: &std::path::Path,
    most: std::time::Duration,
) -> std::io::Result<Ran> {
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", line]);
    run_until(shell, dir, most)
}

/// The same for a program and its arguments, without a shell.
pub(crate) fn run_program_for_a_while(
    program: &str,
    arguments: &[String],
    dir: &std::path::Path,
    most: std::time::Duration,
) -> std::io::Result<Ran> {
    let mut command = std::process::Command::new(program);
    command.args(arguments);
    run_until(command, dir, most)
}

/// Set for a command of git seed that a hook runs in the place of one in an agent's sandbox.
pub(crate) const HANDED: &str = "GIT_SEED_HANDED";

/// How programs of the repository run below a command of git seed that a hook starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Held {
    /// As below one that the agent starts.
    Free,
    /// Confined: it stands in the place of a command that could not run where the agent gave it.
    Confined,
}

/// Set for a program of ours that does a part of what its parent does.
const PART: &str = "GIT_SEED_PART";

/// This process does a part of what another one of ours does, which waits for it.
pub(crate) fn is_part() -> bool {
    std::env::var_os(PART).is_some()
}

/// Runs this program for a part of what this process does, with `input` at its standard input.
pub(crate) fn run_a_part(
    arguments: &[String],
    input: &[u8],
    dir: &std::path::Path,
    most: std::time::Duration,
    held: Held,
) -> std::io::Result<Ran> {
    let mut command = ourselves(arguments, held);
    command.env(PART, "1");
    run_reading(command, given(input)?, dir, most)
}

/// The same for what is no part of it.
pub(crate) fn run_ourselves(
    arguments: &[String],
    input: &[u8],
    dir: &std::path::Path,
    most: std::time::Duration,
    held: Held,
) -> std::io::Result<Ran> {
    run_reading(ourselves(arguments, held), given(input)?, dir, most)
}

fn ourselves(arguments: &[String], held: Held) -> std::process::Command {
    let mut command = std::process::Command::new(own_binary());
    command.args(arguments);
    if held == Held::Confined {
        command.env(HANDED, "1");
    }
    command
}

fn given(input: &[u8]) -> std::io::Result<std::process::Stdio> {
    use std::io::{Seek as _, Write as _};
    let mut given = tempfile::tempfile()?;
    given.write_all(input)?;
    given.rewind()?;
    Ok(given.into())
}

/// Opens a file with the program that the person's desktop has for it, and does not wait for it.
pub(crate) fn open_for_person(path: &std::path::Path) -> std::io::Result<()> {
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let quiet = std::process::Stdio::null;
    let mut command = std::process::Command::new(opener);
    command.arg(path).stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn().map(drop)
}

fn run_until(
    command: std::process::Command,
    dir: &std::path::Path,
    most: std::time::Duration,
) -> std::io::Result<Ran> {
    run_reading(command, std::process::Stdio::null(), dir, most)
}

fn run_reading(
    mut command: std::process::Command,
    input: std::process::Stdio,
    dir: &std::path::Path,
    most: std::time::Duration,
) -> std::io::Result<Ran> {
    use std::io::{Read as _, Seek as _};
    /// The most bytes of its words that are kept.
    const MOST: u64 = 4 * 1024 * 1024;
    let mut printed = tempfile::tempfile()?;
    command.current_dir(dir).stdin(input);
    command.stdout(printed.try_clone()?).stderr(printed.try_clone()?);
    for name in git_place_variables().chain(["GIT_SEED_PENDING"]) {
        command.env_remove(name);
    }
    let ends = std::time::Instant::now() + most;
    let status = Group::spawn(&mut command)?.wait_until(ends)?;
    let mut bytes = Vec::new();
    printed.rewind()?;
    printed.take(MOST).read_to_end(&mut bytes)?;
    let mut said = String::from_utf8_lossy(&bytes).into_owned();
    if status.is_none() {
        said.push_str("\nit ran too long and was ended");
    }
    let passed = status.is_some_and(|status| status.success());
    Ok(Ran {
        passed,
        status: status.and_then(|status| status.code()),
        late: status.is_none(),
        said,
    })
}

/// Makes `dir` for this user alone, or takes it if that is what it is.
///
/// # Errors
///
/// If something else lies there: in a folder that everybody may write to, another user
/// may have put it there.
pub(crate) fn private_dir(dir: &std::path::Path) -> std::io::Result<()> {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "the mode is of Unix"))]
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(dir) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
        done => return done,
    }
    let data = dir.symlink_metadata()?;
    if data.is_dir() && is_private(&data) {
        return Ok(());
    }
    Err(std::io::Error::other(format!("{} is not a folder of yours alone", dir.display())))
}

/// Nobody else may write there, and it is ours: a file that we make has the same owner.
#[cfg(unix)]
fn is_private(data: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    let own = tempfile::tempfile().and_then(|file| file.metadata());
    own.is_ok_and(|own| own.uid() == data.uid()) && data.mode().trailing_zeros() >= 6
}

#[cfg(not(unix))]
fn is_private(_: &std::fs::Metadata) -> bool {
    true
}

/// What tells this version of a program from another: its executable and, behind an
/// interpreter, the script that it runs, by path, size and time. `None` where the system
/// does not say.
pub(crate) fn version_mark(process: &Process) -> Option<String> {
    let exe = processes::exe_of(process.pid)?;
    let script = script_of(&exe, &process.line);
    let mut text = String::new();
    for file in std::iter::once(exe).chain(script) {
        let Ok(file) = real(file) else { continue };
        let Ok(data) = file.metadata() else { continue };
        let modified = data.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        text += &format!("{} {} {:?}\n", file.display(), data.len(), modified);
    }
    (!text.is_empty()).then(|| crate::format::short_hash(text.as_bytes(), 16))
}

/// The script that an interpreter runs. Words of another program are not its version: a directory
/// to work in, a path in a prompt.
fn script_of(program: &Path, line: &str) -> Option<PathBuf> {
    let name = program.file_name()?.to_string_lossy().into_owned();
    let mut words = line.split_whitespace().skip(1);
    let script = words.find(|word| word.starts_with('/'))?;
    person::is_interpreter(&name).then(|| script.into())
}

/// Becomes `program`; comes back only where it could not be started.
#[cfg(unix)]
pub(crate) fn become_program(
    program: &std::ffi::OsStr,
    arguments: &[std::ffi::OsString],
    scratch: Option<&std::path::Path>,
    without: &[String],
) -> std::io::Error {
    let mut command = std::process::Command::new(program);
    command.args(arguments);
    for name in without {
        command.env_remove(name);
    }
    if let Some(dir) = scratch {
        command.env("TMPDIR", dir);
    }
    std::os::unix::process::CommandExt::exec(&mut command)
}

#[cfg(not(unix))]
pub(crate) fn become_program(
    _: &std::ffi::OsStr,
    _: &[std::ffi::OsString],
    _: Option<&std::path::Path>,
    _: &[String],
) -> std::io::Error {
    std::io::ErrorKind::Unsupported.into()
}

/// Programs that only hand on: the host is the process above them.
const HANDS_ON: [&str; 7] = ["git", "sh", "dash", "bash", "zsh", "env", "timeout"];

/// This process ends with the one that started it, and so does what takes its place.
pub(crate) fn end_with_parent() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::TERM));
}

/// The process that calls this one on its own account: the nearest that does not merely
/// hand on. A shell hands on when it runs `-c`; a shell that runs a script is a caller.
pub(crate) fn caller(ancestors: &[Process]) -> Option<&Process> {
    ancestors.iter().find(|process| !hands_on(process)).or(ancestors.last())
}

/// Only what hands on to our own hook line does, and that line has to be all of it: a script
/// of the same name, a shell that runs a file, or more than the line, acts on its own account.
fn hands_on(process: &Process) -> bool {
    let (program, rest) = process.line.split_once(' ').unwrap_or((process.line.as_str(), ""));
    let program = program.trim_start_matches('-');
    let own_name = program.rsplit('/').next() == Some(process.name.as_str());
    let line = match process.name.as_str() {
        "sh" | "dash" | "bash" | "zsh" => {
            let flags = ["-c ", "-lc ", "-l -c ", "-c -l "];
            flags.iter().find_map(|flag| rest.strip_prefix(flag))
        }
        "git" => rest.strip_prefix("seed ").map(|_| process.line.as_str()),
        name if HANDS_ON.contains(&name) => Some(without_settings(rest)),
        _ => None,
    };
    own_name && line.is_some_and(is_hook_line)
}

/// Words that `env` and `timeout` take before the command.
fn without_settings(line: &str) -> &str {
    let mut rest = line.trim_start();
    loop {
        let word = rest.split(' ').next().unwrap_or_default();
        let number = word.trim_end_matches(['s', 'm']).parse::<f64>().is_ok();
        if word.is_empty() || !(word.starts_with('-') || word.contains('=') || number) {
            return rest;
        }
        rest = rest[word.len()..].trim_start();
    }
}

/// The number of the user whom a path belongs to.
pub(crate) fn owner_of(path: &std::path::Path) -> std::io::Result<u32> {
    let data = path.metadata()?;
    #[cfg(unix)]
    let owner = std::os::unix::fs::MetadataExt::uid(&data);
    #[cfg(not(unix))]
    let owner = u32::from(data.permissions().readonly());
    Ok(owner)
}

/// `git seed hook <host> [<event>]`, or the same through a path, and nothing besides.
fn is_hook_line(line: &str) -> bool {
    let line = line.trim();
    let line = line.strip_prefix("exec ").unwrap_or(line);
    let line = line.strip_prefix("env ").map_or(line, without_settings);
    let Some((program, words)) = line.rsplit_once(" hook ") else { return false };
    let plain =
        |text: &str, also: &str| text.chars().all(|c| c.is_alphanumeric() || also.contains(c));
    let program = program.trim_matches(['\'', '"']);
    let ours = program == "git seed" || program.rsplit('/').next() == Some("git-seed");
    let words: Vec<&str> = words.split_whitespace().collect();
    ours && plain(program, "/._-+:@%,= ~")
        && matches!(words.len(), 1 | 2)
        && words.iter().all(|word| plain(word, "-_"))
}

/// The message of this process's command comes through its standard input.
static MESSAGE_AT_INPUT: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);

/// From now on what the standard input is says nothing of who types: a message comes through it.
pub(crate) fn message_comes_through_input() {
    MESSAGE_AT_INPUT.store(true, std::sync::atomic::Ordering::Relaxed);
}

/// Somebody could type to this process: at its input, or, where a message takes that, at the
/// terminal that it has beside it. Whoever has one could give it as the input (`</dev/tty`).
fn has_keys() -> bool {
    use std::io::IsTerminal as _;
    if std::io::stdin().is_terminal() {
        return true;
    }
    let message = MESSAGE_AT_INPUT.load(std::sync::atomic::Ordering::Relaxed);
    message && std::fs::File::open("/dev/tty").is_ok()
}

/// What speaks for a person behind this process, or against one.
pub(crate) fn surroundings(markers: &[String]) -> Surroundings {
    use std::io::IsTerminal;
    Surroundings {
        above: above(std::process::id(), markers),
        markers: markers.iter().filter(|marker| variable(marker).is_some()).cloned().collect(),
        from_here: variable("SSH_CONNECTION").is_some_and(|text| person::is_from_here(&text)),
        terminals: has_keys() && std::io::stderr().is_terminal(),
        tty: own_terminal(),
    }
}

/// The processes above `pid`, with all that is known of each.
pub(crate) fn above(pid: u32, markers: &[String]) -> Vec<Ancestor> {
    let mut found: Vec<Ancestor> = Vec::new();
    let mut next = parent_of(pid);
    while let Some(pid) = next.filter(|pid| *pid > 0 && found.len() < 64) {
        let Some((process, parent)) = processes::process(pid) else { break };
        found.push(ancestor(process, parent, markers));
        next = (parent != pid).then_some(parent);
    }
    found
}

fn ancestor(process: Process, parent: u32, markers: &[String]) -> Ancestor {
    let started_ms = started_ms(&process);
    let environment = processes::environment_of(process.pid);
    let has = |marker: &&String| {
        environment.iter().any(|entry| {
            entry
                .strip_prefix(marker.as_str())
                .and_then(|rest| rest.strip_prefix('='))
                .is_some_and(|v| !v.is_empty())
        })
    };
    let from_here =
        |entry: &String| entry.strip_prefix("SSH_CONNECTION=").is_some_and(person::is_from_here);
    let exe = processes::exe_of(process.pid);
    let (others, tty) = processes::details(process.pid).unwrap_or_default();
    Ancestor {
        pid: process.pid,
        parent,
        started_ms,
        markers: markers.iter().filter(has).cloned().collect(),
        from_here: environment.iter().any(from_here),
        exe_ms: exe.as_ref().and_then(|_| processes::exe_changed_ms(process.pid)),
        exe: exe.map(|exe| system::told_of_program(&exe)),
        others,
        tty,
        started: process.started,
        name: process.name,
        line: process.line,
    }
}

fn parent_of(pid: u32) -> Option<u32> {
    if pid == std::process::id() {
        processes::parent_of_self()
    } else {
        processes::process(pid).map(|(_, parent)| parent)
    }
}

/// True when `process` runs this very binary.
pub(crate) fn is_own_program(process: &Process) -> bool {
    let exe = processes::exe_of(process.pid);
    let exe = exe.and_then(|exe| real(exe).ok());
    exe.map_or(process.name == "git-seed", |exe| exe == own_binary())
}

/// True when `process` runs the program `name`, also as a script of an interpreter.
pub(crate) fn is_program(process: &Process, name: &str) -> bool {
    person::runs_program(&process.name, &process.line, name)
}

/// The path itself, links resolved, as people and other programs write it: Windows' own answer
/// (`\\?\C:\a`) is one that shells and git do not take.
///
/// # Errors
///
/// If nothing is there, or it may not be looked at.
pub(crate) fn real(path: impl AsRef<Path>) -> std::io::Result<PathBuf> {
    dunce::canonicalize(path)
}

/// The path of this binary, links resolved.
pub(crate) fn own_binary() -> PathBuf {
    let path = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("git-seed"));
    real(&path).unwrap_or(path)
}

/// True for the path of this binary itself, and for no link to it: one could lead elsewhere by the
/// time that a shell follows it.
pub(crate) fn is_own_path(path: &str) -> bool {
    Path::new(path) == own_binary()
}

/// The program `name` as a shell would find it, links resolved.
pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let found =
        std::env::split_paths(&path).map(|dir| dir.join(name)).find(|file| file.is_file())?;
    real(found).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn above(name: &str, line: &str) -> Process {
        let (name, line) = (name.to_owned(), line.to_owned());
        Process { pid: 7, started: "1".into(), name, line, detached: false }
    }

    #[test]
    fn only_the_script_of_an_interpreter_belongs_to_a_version() {
        for (program, line, script) in [
            ("/usr/bin/node", "node /opt/gemini.js -p /etc/hosts", Some("/opt/gemini.js")),
            ("/usr/bin/node", "node --max-old-space-size=1 /opt/g.js", Some("/opt/g.js")),
            ("/usr/bin/python3.12", "python3 /opt/agent.py", Some("/opt/agent.py")),
            ("/usr/bin/node", "node gemini.js", None),
            // A directory to work in; a file that a prompt names.
            ("/opt/codex", "codex exec -C /home/u/project", None),
            ("/opt/claude", "claude -p mend /home/u/project/src/a.txt", None),
            ("/opt/nodest", "nodest /home/u/x.js", None),
        ] {
            let found = script_of(Path::new(program), line);
            assert_eq!(found, script.map(PathBuf::from), "{line}");
        }
    }

    /// What it was told to do is no version of it: a file that it names may change.
    #[cfg(unix)]
    #[test]
    fn a_client_stays_the_same_version_while_files_change_that_its_line_names() {
        let dir = tempfile::tempdir().expect("a directory");
        let mark = || {
            let line = format!("client exec -C {}", dir.path().display());
            let pid = std::process::id();
            version_mark(&Process { pid, ..above("client", &line) }).expect("it runs")
        };
        let before = mark();
        std::fs::write(dir.path().join("new"), "1").expect("written");
        assert_eq!(mark(), before);
    }

    /// Its own children go with it, and it is not waited for.
    #[cfg(unix)]
    #[test]
    fn a_program_is_ended_with_its_time() {
        let dir = tempfile::tempdir().expect("a directory");
        let line = "(sleep 2; echo late > late) & echo begun; sleep 30".to_owned();
        let most = std::time::Duration::from_millis(300);
        let began = std::time::Instant::now();
        let ran = run_program_for_a_while("sh", &["-c".to_owned(), line], dir.path(), most)
            .expect("it runs");
        assert!(began.elapsed().as_secs() < 20, "it was waited for");
        assert!(
            ran.late && !ran.passed && ran.status.is_none() && ran.said.starts_with("begun\n"),
            "{ran:?}"
        );
        std::thread::sleep(std::time::Duration::from_millis(2200));
        assert!(!dir.path().join("late").exists(), "a child outlived it");
        assert!(run_program_for_a_while("no-such-program", &[], dir.path(), most).is_err());
    }

    #[test]
    fn the_caller_is_the_first_process_that_does_not_hand_on() {
        let python = above("python3", "python3 drive.py");
        for between in [
            vec![],
            vec![above("git", "git seed hook claude")],
            vec![above("sh", "sh -c git seed hook claude")],
            vec![
                above("bash", "/bin/bash -lc git-seed hook claude"),
                above("env", "env A=1 git-seed hook x"),
            ],
            vec![above("timeout", "timeout -k 5 60 /a/git-seed hook claude Stop")],
            vec![above("sh", "/bin/sh -c '/home/a b/bin/git-seed' hook gemini BeforeTool")],
            vec![above("zsh", "-zsh -lc exec git seed hook codex PreToolUse")],
        ] {
            let chain: Vec<Process> = between.into_iter().chain([python.clone()]).collect();
            assert_eq!(caller(&chain), Some(&python), "{chain:?}");
        }
        for script in [
            above("bash", "bash drive.sh"),
            above("bash", "bash --norc x.sh"),
            above("bash", "bash -c sh x.sh"),
            above("git", "/bin/sh ./git seed hook claude"),
            above("sh", "sh x.sh --check seed hook "),
            above("bash", "bash -c # seed hook claude\neval \"$X\""),
            above("bash", "bash -c true; git seed hook claude"),
            above("bash", "bash -c git seed hook claude < p"),
            above("bash", "bash -c $(x) git seed hook claude"),
            above("env", "env A=1 python3 drive.py seed hook claude"),
        ] {
            assert_eq!(caller(&[script.clone(), python.clone()]), Some(&script));
        }
    }

    #[test]
    fn a_job_id_tells_its_time() {
        let id = new_job_id(1_795_294_572, "x").to_string();
        assert!(id.starts_with("20261121t205612-"), "{id}");
        assert_eq!(id.len(), 20);
        let made = [0, 1, 4, 250, 999, 1_400].map(|ms| {
            let part = part_of_second(1_795_294_572, 1_795_294_572_000 + ms);
            job_id(1_795_294_572, &format!("{part}0")).to_string()
        });
        assert!(made.is_sorted(), "{made:?}");
        assert_eq!([&made[1], &made[4], &made[5]].map(|id| &id[16..]), ["0040", "ffb0", "ffb0"]);
        assert_eq!(part_of_second(1_795_294_572, 0), "000", "a clock that was set back");
    }

    #[test]
    fn a_job_id_of_a_day_tells_the_day_alone() {
        let id = |number| new_job_id_of_day(1_795_294_572, number, "x");
        let made = [1, 2, 10, 999, 1_000, 1_000_000].map(id);
        assert!(made[0].as_str().starts_with("20261121t001"), "{made:?}");
        assert!(made.iter().all(|id| id.is_stamped() && id.as_str().len() == 20), "{made:?}");
        assert!(made[..5].is_sorted(), "{made:?}");
        assert_eq!(made[2].number_on(&made[0]).map(|number| number / 1000), Some(10));
        assert_eq!(made[2].number_on(&"20261122t000001-0000".parse().expect("an id")), None);
    }

    #[test]
    fn two_clones_number_the_jobs_of_a_day_differently() {
        let chances = [0, 7 << 32, 998 << 32, 999 << 32, u64::MAX];
        for number in [1, 2, 250, 999] {
            let made = chances.map(|chance| numbered(number, chance));
            assert!(made.iter().all(|made| made / 1000 == u64::from(number)), "{made:?}");
            assert_eq!(made[..4], [0, 7, 998, 999].map(|part| u64::from(number) * 1000 + part));
        }
        assert_eq!([1_000, u32::MAX].map(|number| numbered(number, 5)), [999_999; 2]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_processes_above_are_found() {
        let found = ancestors();
        assert!(!found.is_empty());
        assert_eq!(
            running(found[0].pid).map(|process| process.started),
            Some(found[0].started.clone())
        );
    }

    #[test]
    #[cfg(unix)]
    fn a_command_line_says_how_it_ended_and_is_ended_when_it_takes_too_long() {
        use std::time::{Duration, Instant};
        let dir = tempfile::tempdir().expect("a directory");
        let run = |line: &str, ms: u64| {
            let ran =
                run_for_a_while(line, dir.path(), Duration::from_millis(ms)).expect("it starts");
            (ran.passed, ran.said)
        };
        assert_eq!(run("echo a; echo b >&2", 60_000), (true, "a\nb\n".to_owned()));
        assert_eq!(run("echo no; exit 3", 60_000), (false, "no\n".to_owned()));
        let began = Instant::now();
        let (passed, said) = run("echo so far; (sleep 60 & sleep 60)", 300);
        assert!(!passed && said.starts_with("so far") && said.contains("too long"), "{said}");
        assert!(began.elapsed() < Duration::from_secs(30), "nobody waits for what it started");
    }
}
