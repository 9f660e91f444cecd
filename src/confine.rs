//! Confinement by the kernel: a process that may write to few places, and can not get out.
//!
//! On Linux this is Landlock. What is restricted is changing files: writing, truncating,
//! creating, deleting, renaming. Reading stays open, and so does what no file rule can
//! hold: modes and times of files, signals, sockets of daemons that act on their own.
//! The rule holds for this process and all that it starts, and is never lifted.
//!
//! An edge like [`crate::world`]: which places stay open is the caller's to say.

use std::path::PathBuf;

/// What stays open to a confined process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Open {
    /// Files, and directories with all below them, that may be changed. What is not there
    /// is left out.
    pub paths: Vec<PathBuf>,
    /// No connection over TCP may be made, where the kernel can refuse them.
    pub offline: bool,
}

/// The kernel cannot confine a process.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CannotConfine {
    /// Another system than Linux.
    #[error("confinement needs Linux")]
    OtherSystem,
    /// No Landlock, one without truncation, or one that is not switched on.
    #[error(
        "confinement needs Landlock of Linux 6.2 or newer, and this kernel does not offer it: {0}"
    )]
    Kernel(String),
}

/// Says whether [`enter`] would hold here; restricts nothing.
///
/// # Errors
///
/// Says why this system confines nothing: the kernel lacks it, or it is no Linux.
pub fn check() -> Result<(), CannotConfine> {
    system::check()
}

/// Confines this thread and everything it starts from now on.
///
/// To be called right before the process becomes the confined program.
pub(crate) fn enter(open: &Open) -> Result<(), CannotConfine> {
    system::enter(open)
}

#[cfg(target_os = "linux")]
mod system {
    use landlock::{
        ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset,
        RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, RulesetStatus,
    };

    use super::{CannotConfine, Open};

    /// Truncation is restricted from here on; without it a write could not be held.
    const NEEDED: ABI = ABI::V3;
    /// TCP is restricted from here on.
    const NETWORK: ABI = ABI::V4;

    fn failed(error: &RulesetError) -> CannotConfine {
        CannotConfine::Kernel(error.to_string())
    }

    fn ruleset(offline: bool) -> Result<RulesetCreated, CannotConfine> {
        let files = Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_write(NEEDED));
        let rules = files.map_err(|error| failed(&error))?;
        let rules = if offline {
            let connecting = AccessNet::from_all(NETWORK) & AccessNet::ConnectTcp;
            // An older kernel holds the files all the same.
            let network =
                rules.set_compatibility(CompatLevel::BestEffort).handle_access(connecting);
            network.map_err(|error| failed(&error))?.set_compatibility(CompatLevel::HardRequirement)
        } else {
            rules
        };
        rules.create().map_err(|error| failed(&error))
    }

    pub(super) fn check() -> Result<(), CannotConfine> {
        ruleset(false).map(drop)
    }

    pub(super) fn enter(open: &Open) -> Result<(), CannotConfine> {
        let mut rules = ruleset(open.offline)?;
        for path in &open.paths {
            let Ok(data) = path.metadata() else { continue };
            let Ok(place) = PathFd::new(path) else { continue };
            let whole = AccessFs::from_write(NEEDED);
            let access = if data.is_dir() { whole } else { whole & AccessFs::from_file(NEEDED) };
            rules =
                rules.add_rule(PathBeneath::new(place, access)).map_err(|error| failed(&error))?;
        }
        let held = rules.restrict_self().map_err(|error| failed(&error))?;
        match held.ruleset {
            RulesetStatus::NotEnforced => {
                Err(CannotConfine::Kernel("nothing was enforced".to_owned()))
            }
            RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced => Ok(()),
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use super::{CannotConfine, Open};

    pub(super) fn check() -> Result<(), CannotConfine> {
        Err(CannotConfine::OtherSystem)
    }

    pub(super) fn enter(_: &Open) -> Result<(), CannotConfine> {
        Err(CannotConfine::OtherSystem)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;
    use std::io::ErrorKind;

    use super::*;

    /// Says what was not tried.
    fn skipped(why: &str) {
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), "skipped: {why}");
    }

    /// Runs `act` in a thread of its own: what is confined is that thread.
    fn confined<T: Send>(open: &Open, act: impl FnOnce() -> T + Send) -> T {
        std::thread::scope(|scope| {
            let thread = scope.spawn(|| {
                enter(open).expect("the kernel confines");
                act()
            });
            thread.join().expect("no panic")
        })
    }

    #[test]
    fn what_is_not_open_cannot_be_changed_in_any_way() {
        if let Err(why) = check() {
            skipped(&why.to_string());
            return;
        }
        let dir = tempfile::tempdir().expect("a directory");
        let at = |name: &str| dir.path().join(name);
        for name in ["open", "closed"] {
            fs::create_dir(at(name)).expect("made");
            fs::write(at(name).join("file"), "1").expect("written");
        }
        fs::write(at("single"), "1").expect("written");
        let open =
            Open { paths: vec![at("open"), at("single"), at("never there")], offline: false };
        let denied = |done: std::io::Result<()>| {
            done.expect_err("closed").kind() == ErrorKind::PermissionDenied
        };
        confined(&open, || {
            fs::write(at("open/file"), "22").expect("open");
            fs::write(at("open/new"), "1").expect("open");
            fs::rename(at("open/new"), at("open/newer")).expect("open");
            fs::remove_file(at("open/newer")).expect("open");
            fs::write(at("single"), "22").expect("open by itself");
            assert!(denied(fs::write(at("closed/file"), "22")));
            assert!(denied(fs::write(at("closed/new"), "22")));
            assert!(denied(fs::remove_file(at("closed/file"))));
            assert!(denied(fs::remove_file(at("single"))));
            assert!(denied(fs::create_dir(at("closed/dir"))));
            assert!(fs::rename(at("closed/file"), at("open/stolen")).is_err());
            assert!(fs::hard_link(at("closed/file"), at("open/link")).is_err());
            assert!(denied(std::os::unix::fs::symlink("x", at("closed/link"))));
            assert!(denied(fs::File::options().append(true).open(at("closed/file")).map(drop)));
            assert_eq!(fs::read_to_string(at("closed/file")).expect("reading stays open"), "1");
        });
        fs::write(at("closed/file"), "this thread is free").expect("only that thread was confined");
    }

    #[test]
    fn an_offline_process_connects_nowhere() {
        if let Err(why) = check() {
            skipped(&why.to_string());
            return;
        }
        let server = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let at = server.local_addr().expect("it has one");
        std::net::TcpStream::connect(at).expect("it listens");
        let tried = confined(&Open { paths: Vec::new(), offline: true }, || {
            std::net::TcpStream::connect(at).err()
        });
        match tried {
            Some(error) => assert_eq!(error.kind(), ErrorKind::PermissionDenied),
            None => skipped("this kernel does not restrict TCP"),
        }
    }
}
