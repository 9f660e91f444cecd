//! Processes of Linux, from `/proc`.

use std::path::PathBuf;

use crate::world::{Process, system_ms};

/// A process and its parent, from `/proc`.
pub(in crate::world) fn process(pid: u32) -> Option<(Process, u32)> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name stands in brackets and may itself hold brackets and blanks.
    let (head, tail) = stat.rsplit_once(')')?;
    let name = head.split_once('(')?.1.to_owned();
    let fields: Vec<&str> = tail.split_whitespace().collect();
    // One that was killed and not yet reaped acts no more.
    if matches!(*fields.first()?, "Z" | "X") {
        return None;
    }
    let parent = fields.get(1)?.parse().ok()?;
    let detached = fields.get(4).is_none_or(|tty| *tty == "0");
    let started = (*fields.get(19)?).to_owned();
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let line = String::from_utf8_lossy(&line).replace('\0', " ").trim_end().to_owned();
    Some((Process { pid, started, name, line, detached }, parent))
}

/// When `process` started, in milliseconds since the epoch, where the system tells.
pub(crate) fn started_ms(process: &Process) -> Option<i64> {
    /// Ticks of `/proc` last as long on every architecture.
    const TICK_MS: i64 = 10;
    let up = std::fs::read_to_string("/proc/uptime").ok()?;
    let (seconds, hundredths) = up.split_whitespace().next()?.split_once('.')?;
    let up = seconds.parse::<i64>().ok()? * 1000 + hundredths.parse::<i64>().ok()? * 10;
    Some(system_ms() - up + process.started.parse::<i64>().ok()? * TICK_MS)
}

/// The environment that a process was started with; nothing where it may not be read.
pub(in crate::world) fn environment_of(pid: u32) -> Vec<String> {
    let bytes = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    bytes
        .split(|byte| *byte == 0)
        .map(|entry| String::from_utf8_lossy(entry).into_owned())
        .collect()
}

/// The file that a process runs, as it was when it began.
pub(in crate::world) fn exe_of(pid: u32) -> Option<PathBuf> {
    std::fs::read_link(format!("/proc/{pid}/exe")).ok()
}

/// When the inode of the file that a process runs changed: a copy is new, whatever it says.
pub(in crate::world) fn exe_changed_ms(pid: u32) -> Option<i64> {
    use std::os::unix::fs::MetadataExt;
    let data = std::fs::metadata(format!("/proc/{pid}/exe")).ok()?;
    Some(data.ctime() * 1000 + data.ctime_nsec() / 1_000_000)
}

/// Whether a process belongs to another user than this one, and the number of its terminal.
pub(in crate::world) fn details(pid: u32) -> Option<(bool, i64)> {
    let user = |pid: &str| {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("Uid:"))?.to_owned();
        line.split_whitespace().next().map(str::to_owned)
    };
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let tty = stat.rsplit_once(')')?.1.split_whitespace().nth(4)?.parse().ok()?;
    Some((user(&pid.to_string()) != user("self"), tty))
}
