//! Processes that this one starts and will not wait for without end.
//!
//! A child leads a process group of its own. When its time is over the group is ended: the
//! child and all that it started, but for what made itself a group of its own.

use std::io;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

/// How often a child that goes on is looked at: soon, for one that is quick, and then less.
const PAUSES: (Duration, Duration) = (Duration::from_micros(500), Duration::from_millis(10));

/// A child that leads a process group.
#[derive(Debug)]
pub(crate) struct Group {
    leader: Child,
}

impl Group {
    /// Starts `command` at the head of a new group.
    ///
    /// # Errors
    ///
    /// What the system says where it cannot be started.
    pub(crate) fn spawn(command: &mut Command) -> io::Result<Self> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        Ok(Self { leader: command.spawn()? })
    }

    /// Waits for the leader until `ends`; then ends the whole group: `None`.
    ///
    /// # Errors
    ///
    /// What the system says where the leader cannot be waited for.
    pub(crate) fn wait_until(mut self, ends: Instant) -> io::Result<Option<ExitStatus>> {
        let mut pause = PAUSES.0;
        loop {
            if let Some(status) = self.leader.try_wait()? {
                return Ok(Some(status));
            }
            if Instant::now() >= ends {
                self.end()?;
                return Ok(None);
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(PAUSES.1);
        }
    }

    /// The same; and where the leader ends in time, what it left in its group is ended, too.
    ///
    /// # Errors
    ///
    /// What the system says where the leader cannot be waited for.
    #[cfg(unix)]
    pub(crate) fn wait_and_end(mut self, ends: Instant) -> io::Result<Option<ExitStatus>> {
        use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
        let leader = Pid::from_child(&self.leader);
        let looks = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let mut pause = PAUSES.0;
        loop {
            // Until it is waited for, its number is nobody else's.
            if waitid(WaitId::Pid(leader), looks)?.is_some() {
                let _ = rustix::process::kill_process_group(leader, rustix::process::Signal::KILL);
                return self.leader.wait().map(Some);
            }
            if Instant::now() >= ends {
                self.end()?;
                return Ok(None);
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(PAUSES.1);
        }
    }

    /// Where there are no groups, the leader is all there is.
    #[cfg(not(unix))]
    pub(crate) fn wait_and_end(self, ends: Instant) -> io::Result<Option<ExitStatus>> {
        self.wait_until(ends)
    }

    /// The leader was not waited for yet, so its number is still its own, and its group's.
    fn end(&mut self) -> io::Result<()> {
        #[cfg(unix)]
        let _ = rustix::process::kill_process_group(
            rustix::process::Pid::from_child(&self.leader),
            rustix::process::Signal::KILL,
        );
        // Where there are no groups, or ours is not to be had, the leader at least.
        let _ = self.leader.kill();
        self.leader.wait().map(drop)
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::process::Stdio;

    use super::*;

    fn sh(line: &str) -> Group {
        Group::spawn(Command::new("sh").args(["-c", line]).stdin(Stdio::null())).expect("it starts")
    }

    #[test]
    fn a_child_that_ends_in_time_says_how() {
        let ended =
            sh("exit 3").wait_until(Instant::now() + Duration::from_mins(1)).expect("waited for");
        assert_eq!(ended.and_then(|status| status.code()), Some(3));
    }

    #[test]
    fn what_a_child_leaves_behind_is_ended_with_it() {
        let dir = tempfile::tempdir().expect("a directory");
        let below = dir.path().join("below");
        let group = sh(&format!("sleep 600 & echo $! > '{}'; exit 4", below.display()));
        let patience = Instant::now() + Duration::from_mins(1);
        let ended = group.wait_and_end(patience).expect("waited for");
        assert_eq!(ended.and_then(|status| status.code()), Some(4));
        let pid = std::fs::read_to_string(&below).expect("said").trim().parse().expect("a number");
        while crate::world::running(pid).is_some() {
            assert!(Instant::now() < patience, "{pid} still runs");
            std::thread::sleep(Duration::from_millis(5));
        }
        let late = sh("sleep 600").wait_and_end(Instant::now()).expect("waited for");
        assert!(late.is_none());
    }

    #[test]
    fn a_child_that_does_not_is_ended_with_all_it_started() {
        let dir = tempfile::tempdir().expect("a place");
        let below = dir.path().join("below");
        let group = sh(&format!("sleep 600 & echo $! > '{}'; wait", below.display()));
        let patience = Instant::now() + Duration::from_mins(1);
        let pid = loop {
            let said = std::fs::read_to_string(&below).unwrap_or_default();
            if let Ok(pid) = said.trim().parse::<u32>() {
                break pid;
            }
            assert!(Instant::now() < patience, "it never started");
            std::thread::sleep(Duration::from_millis(5));
        };
        assert!(group.wait_until(Instant::now()).expect("waited for").is_none());
        while crate::world::running(pid).is_some() {
            assert!(Instant::now() < patience, "{pid} still runs");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}
