//! What the system tells of a process: its parent, when it started, what it runs and for whom.
//!
//! One module for each way to ask: Linux by `/proc`, other systems by what a kept library makes
//! of theirs (`proc_pidinfo` on macOS, the process table on Windows). The tests of Linux ask
//! both and compare the answers.

#[cfg(any(test, not(target_os = "linux")))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod linux;

#[cfg(not(target_os = "linux"))]
pub(super) use elsewhere::{
    arguments_of, details, environment_of, exe_changed_ms, exe_of, process,
};
#[cfg(target_os = "linux")]
pub(super) use linux::{
    arguments_of, details, environment_of, exe_changed_ms, exe_of, process, session_of, view,
};

#[cfg(not(target_os = "linux"))]
pub(crate) use elsewhere::started_ms;
#[cfg(target_os = "linux")]
pub(crate) use linux::started_ms;

/// The number of the process that started this one, where it still runs.
#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other systems may not tell")]
pub(super) fn parent_of_self() -> Option<u32> {
    Some(std::os::unix::process::parent_id())
}

/// The number of the process that started this one, where it still runs.
#[cfg(not(unix))]
pub(super) fn parent_of_self() -> Option<u32> {
    process(std::process::id()).map(|(_, parent)| parent)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::{elsewhere, linux};

    #[test]
    fn both_ways_to_ask_tell_the_same() {
        let own = std::process::id();
        let mut looked_at = 0;
        let mut next = Some(own);
        while let Some(pid) = next.filter(|pid| *pid > 0) {
            let Some((here, parent)) = linux::process(pid) else { break };
            let (there, also) = elsewhere::process(pid).expect("it runs");
            // A name is cut after fifteen bytes by the one, and may be by the other.
            assert_eq!((there.pid, also, &there.name), (here.pid, parent, &here.name));
            assert_eq!(there.line, here.line);
            assert_eq!(elsewhere::arguments_of(pid), linux::arguments_of(pid));
            let [left, right] = [linux::started_ms(&here), elsewhere::started_ms(&there)]
                .map(|ms| ms.expect("told"));
            assert!((left - right).abs() < 3000, "{left} {right}");
            // A program whose file is gone, or never had a name, is told by the one with a word.
            if let Some(exe) = linux::exe_of(pid).filter(|exe| exe.is_file()) {
                assert_eq!(elsewhere::exe_of(pid), Some(exe));
                assert_eq!(elsewhere::exe_changed_ms(pid), linux::exe_changed_ms(pid));
            }
            // What the variables hold is nothing for a log.
            let variables = |told: Vec<String>| {
                told.into_iter().filter(|entry| !entry.is_empty()).collect::<Vec<_>>()
            };
            let (left, right) = (elsewhere::environment_of(pid), linux::environment_of(pid));
            assert!(variables(left) == variables(right), "{pid}");
            let others = |told: Option<(bool, i64)>| told.map(|(others, _)| others);
            assert_eq!(others(elsewhere::details(pid)), others(linux::details(pid)), "{pid}");
            looked_at += 1;
            next = Some(parent);
        }
        assert!(looked_at > 1, "{looked_at}");
    }

    #[test]
    fn who_does_not_run_is_nobody() {
        // No system numbers so many.
        assert_eq!(elsewhere::process(u32::MAX - 7), None);
        assert_eq!(linux::process(u32::MAX - 7), None);
    }
}
