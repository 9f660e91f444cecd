//! Processes of systems without `/proc`. Never asked before a tool.

use std::ffi::OsStr;
use std::path::PathBuf;

use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System, UpdateKind};

use crate::world::Process;

/// What is asked of a process, and what is made of the answer.
fn told<T>(
    pid: u32,
    kind: ProcessRefreshKind,
    of: impl FnOnce(&sysinfo::Process) -> Option<T>,
) -> Option<T> {
    let pid = Pid::from_u32(pid);
    let mut system = System::new().ok()?;
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&[pid]), true, kind.without_tasks());
    let process = system.process(pid)?;
    // One that was killed and not yet reaped acts no more.
    let gone =
        matches!(process.status(), sysinfo::ProcessStatus::Zombie | sysinfo::ProcessStatus::Dead);
    of(process).filter(|_| !gone)
}

fn text(word: &OsStr) -> String {
    word.to_string_lossy().into_owned()
}

/// A process and its parent; 0 for one that has none.
pub(in crate::world) fn process(pid: u32) -> Option<(Process, u32)> {
    let kind = ProcessRefreshKind::nothing().with_cmd(UpdateKind::Always);
    told(pid, kind, |process| {
        let words: Vec<String> = process.cmd().iter().map(|word| text(word)).collect();
        let one = Process {
            pid,
            started: process.start_time().to_string(),
            name: plain(&text(process.name())),
            line: words.join(" ").trim_end().to_owned(),
            detached: has_no_terminal(pid),
        };
        Some((one, process.parent().map_or(0, Pid::as_u32)))
    })
}

/// The words that a process was started with; nothing where they may not be read.
pub(in crate::world) fn arguments_of(pid: u32) -> Option<Vec<String>> {
    let kind = ProcessRefreshKind::nothing().with_cmd(UpdateKind::Always);
    told(pid, kind, |process| {
        let words: Vec<String> = process.cmd().iter().map(|word| text(word)).collect();
        Some(words).filter(|words| !words.is_empty())
    })
}

/// Windows ends the names of programs in a way that says nothing.
fn plain(name: &str) -> String {
    let end = if cfg!(windows) { ".exe" } else { "" };
    name.strip_suffix(end).unwrap_or(name).trim_start_matches('-').to_owned()
}

/// Only `ps` tells the terminal of a process.
#[cfg(all(unix, not(target_os = "linux")))]
fn has_no_terminal(pid: u32) -> bool {
    let asked =
        std::process::Command::new("/bin/ps").args(["-o", "tty=", "-p", &pid.to_string()]).output();
    asked.is_ok_and(|asked| asked.stdout.trim_ascii().starts_with(b"?"))
}

/// Nobody tells. Tests on Linux do not compare it.
#[cfg(any(windows, target_os = "linux"))]
fn has_no_terminal(_: u32) -> bool {
    false
}

/// When `process` started, in milliseconds since the epoch, to the second.
pub(crate) fn started_ms(process: &Process) -> Option<i64> {
    Some(process.started.parse::<i64>().ok()? * 1000)
}

/// The environment that a process was started with; nothing where it may not be read.
pub(in crate::world) fn environment_of(pid: u32) -> Vec<String> {
    let kind = ProcessRefreshKind::nothing().with_environ(UpdateKind::Always);
    let words = |process: &sysinfo::Process| {
        Some(process.environ().iter().map(|word| text(word)).collect())
    };
    told(pid, kind, words).unwrap_or_default()
}

/// The file that a process runs.
pub(in crate::world) fn exe_of(pid: u32) -> Option<PathBuf> {
    let kind = ProcessRefreshKind::nothing().with_exe(UpdateKind::Always);
    told(pid, kind, |process| process.exe().map(ToOwned::to_owned))
}

/// When that file came to be where it is: a copy is new, whatever it says.
pub(in crate::world) fn exe_changed_ms(pid: u32) -> Option<i64> {
    let data = exe_of(pid)?.metadata().ok()?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        Some(data.ctime() * 1000 + data.ctime_nsec() / 1_000_000)
    }
    #[cfg(not(unix))]
    {
        let since = data.created().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
        i64::try_from(since.as_millis()).ok()
    }
}

/// Whether a process belongs to another user than this one, and whether it has a terminal: 0
/// for none.
pub(in crate::world) fn details(pid: u32) -> Option<(bool, i64)> {
    let kind = ProcessRefreshKind::nothing().with_user(UpdateKind::Always);
    let user = |pid| told(pid, kind, |process| Some(process.user_id().cloned()));
    Some((user(pid)? != user(std::process::id())?, i64::from(!has_no_terminal(pid))))
}
