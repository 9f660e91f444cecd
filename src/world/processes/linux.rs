//! Processes of Linux, from `/proc`.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rustix::fs::{Mode, OFlags, ResolveFlags};

use crate::world::{Process, View, system_ms};

/// `/proc`, where it is the system's own. An agent's code may lay anything over it in a mount
/// namespace of its own, and over each file below it: what is read here is read through this
/// directory alone, and through no mount.
fn proc_dir() -> io::Result<&'static OwnedFd> {
    static DIR: OnceLock<io::Result<OwnedFd>> = OnceLock::new();
    let open = || {
        let dir = rustix::fs::open("/proc", OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        is_proc(&dir)?;
        Ok(dir)
    };
    DIR.get_or_init(open).as_ref().map_err(|failed| io::Error::from(failed.kind()))
}

fn is_proc(file: &OwnedFd) -> io::Result<()> {
    let magic = u64::try_from(rustix::fs::fstatfs(file)?.f_type).unwrap_or_default();
    if magic == u64::try_from(rustix::fs::PROC_SUPER_MAGIC).unwrap_or_default() {
        return Ok(());
    }
    Err(io::Error::other("/proc is not the system's"))
}

/// Opens what lies below `/proc`, or the link itself (`PATH` and `NOFOLLOW`).
fn open_proc(path: &str, flags: OFlags) -> io::Result<OwnedFd> {
    let (dir, flags) = (proc_dir()?, flags | OFlags::CLOEXEC);
    match rustix::fs::openat2(dir, path, flags, Mode::empty(), ResolveFlags::NO_XDEV) {
        // Kernels before 5.6, and sandboxes that do not know the call: then at least the file
        // itself has to be of `/proc`.
        Err(rustix::io::Errno::NOSYS | rustix::io::Errno::PERM) => {
            let file = rustix::fs::openat(dir, path, flags, Mode::empty())?;
            is_proc(&file)?;
            Ok(file)
        }
        opened => Ok(opened?),
    }
}

fn read_proc(path: &str) -> io::Result<Vec<u8>> {
    // The system tells no size of these files, so nobody asks for it; most are shorter than this.
    let mut bytes = Vec::with_capacity(4096);
    File::from(open_proc(path, OFlags::RDONLY)?).take(u64::MAX).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn read_proc_text(path: &str) -> io::Result<String> {
    String::from_utf8(read_proc(path)?).map_err(io::Error::other)
}

/// Where a link below `/proc` leads.
fn read_proc_link(path: &str) -> io::Result<PathBuf> {
    let link = open_proc(path, OFlags::PATH | OFlags::NOFOLLOW)?;
    let led = rustix::fs::readlinkat(link.as_fd(), "", Vec::new())?;
    Ok(Path::new(std::ffi::OsStr::from_bytes(led.as_bytes())).to_owned())
}

/// What this process sees of others: the space that numbers them, as the system calls it.
pub(in crate::world) fn view() -> &'static View {
    static VIEW: OnceLock<View> = OnceLock::new();
    VIEW.get_or_init(|| {
        let own = std::process::id().to_string();
        // A `/proc` of another space numbers this process otherwise, or not at all.
        let is_own = read_proc_link("self").is_ok_and(|told| told.as_os_str() == own.as_str());
        let space = read_proc_link(&format!("{own}/ns/pid")).ok().filter(|_| is_own);
        space.map_or(View::Blind, |space| View::Of(space.to_string_lossy().into_owned()))
    })
}

/// A process and its parent, from `/proc`.
pub(in crate::world) fn process(pid: u32) -> Option<(Process, u32)> {
    let stat = read_proc_text(&format!("{pid}/stat")).ok()?;
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
    let line = read_proc(&format!("{pid}/cmdline")).unwrap_or_default();
    let line = String::from_utf8_lossy(&line).replace('\0', " ").trim_end().to_owned();
    Some((Process { pid, started, name, line, detached }, parent))
}

/// The words that a process was started with; nothing where they may not be read.
pub(in crate::world) fn arguments_of(pid: u32) -> Option<Vec<String>> {
    let bytes = read_proc(&format!("{pid}/cmdline")).ok().filter(|bytes| !bytes.is_empty())?;
    let bytes = bytes.strip_suffix(b"\0").unwrap_or(&bytes);
    let words = bytes.split(|byte| *byte == 0);
    Some(words.map(|word| String::from_utf8_lossy(word).into_owned()).collect())
}

/// When `process` started, in milliseconds since the epoch, where the system tells.
pub(crate) fn started_ms(process: &Process) -> Option<i64> {
    /// Ticks of `/proc` last as long on every architecture.
    const TICK_MS: i64 = 10;
    // Not `/proc/uptime`: in a container that may be the container's, where the start of a process
    // is counted from the machine's.
    let up = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    let up = up.tv_sec * 1000 + up.tv_nsec / 1_000_000;
    Some(system_ms() - up + process.started.parse::<i64>().ok()? * TICK_MS)
}

/// The environment that a process was started with; nothing where it may not be read.
pub(in crate::world) fn environment_of(pid: u32) -> Vec<String> {
    let bytes = read_proc(&format!("{pid}/environ")).unwrap_or_default();
    bytes
        .split(|byte| *byte == 0)
        .map(|entry| String::from_utf8_lossy(entry).into_owned())
        .collect()
}

/// The file that a process runs, as it was when it began.
pub(in crate::world) fn exe_of(pid: u32) -> Option<PathBuf> {
    read_proc_link(&format!("{pid}/exe")).ok()
}

/// When the inode of the file that a process runs changed: a copy is new, whatever it says.
pub(in crate::world) fn exe_changed_ms(pid: u32) -> Option<i64> {
    // The link leads out of `/proc`, so it is followed without asking where it lies; that it lies
    // there was asked when it was read.
    read_proc_link(&format!("{pid}/exe")).ok()?;
    let data = std::fs::metadata(format!("/proc/{pid}/exe")).ok()?;
    Some(data.ctime() * 1000 + data.ctime_nsec() / 1_000_000)
}

/// Whether a process belongs to another user than this one, and the number of its terminal.
pub(in crate::world) fn details(pid: u32) -> Option<(bool, i64)> {
    let user = |pid: &str| {
        let status = read_proc_text(&format!("{pid}/status")).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("Uid:"))?.to_owned();
        line.split_whitespace().next().map(str::to_owned)
    };
    let stat = read_proc_text(&format!("{pid}/stat")).ok()?;
    let tty = stat.rsplit_once(')')?.1.split_whitespace().nth(4)?.parse().ok()?;
    Some((user(&pid.to_string()) != user("self"), tty))
}

/// The session of processes that `pid` is in.
pub(in crate::world) fn session_of(pid: u32) -> Option<u32> {
    let stat = read_proc_text(&format!("{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(3)?.parse().ok()
}
