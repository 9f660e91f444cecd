//! Confinement by the kernel: a process that may write to few places, and can not get out.
//!
//! On Linux this is Landlock. What is restricted is changing files: writing, truncating,
//! creating, deleting, renaming. Reading stays open, and so does what no file rule can
//! hold: modes and times of files, signals, sockets of daemons that act on their own.
//! The rule holds for this process and all that it starts, and is never lifted.
//! On macOS a program is started through `sandbox-exec`, which was never tried there.
//!
//! An edge like [`crate::world`]: which places stay open is the caller's to say.

use std::ffi::OsString;
use std::path::PathBuf;

#[cfg(any(test, target_os = "macos"))]
mod profile;

/// What stays open to a confined process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Open {
    /// Files, and directories with all below them, that may be changed. What is not there
    /// is left out.
    pub paths: Vec<PathBuf>,
    /// No connection over TCP may be made, where the kernel can refuse them.
    pub offline: bool,
    /// Real paths that may not be read either, with all below them. The directories above them
    /// cannot be listed then; all else can be read.
    pub hidden: Vec<PathBuf>,
    /// Real paths: everything but these may be changed, and nothing can be made in the directories
    /// above them.
    pub all_but: Vec<PathBuf>,
}

/// The kernel cannot confine a process.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CannotConfine {
    /// Another system than Linux and macOS.
    #[error("confinement needs Linux or macOS")]
    OtherSystem,
    /// A macOS without its program for it.
    #[error("confinement needs /usr/bin/sandbox-exec, and it is not there")]
    NoProgram,
    /// A place that is to be kept, and that cannot be told.
    #[error("confinement cannot keep {0:?}: its name is no plain text")]
    Unnamed(PathBuf),
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
/// Says why this system confines nothing: the kernel lacks it, or it is neither Linux nor macOS.
pub fn check() -> Result<(), CannotConfine> {
    system::check()
}

/// What [`enter`] could not hold here though it was told to: `files`, `network`.
pub(crate) fn unheld() -> impl Iterator<Item = &'static str> {
    let files = check().is_err().then_some("files");
    let network = (!system::holds_network()).then_some("network");
    files.into_iter().chain(network)
}

/// Confines this thread and everything it starts from now on.
///
/// To be called right before the process becomes the confined program, or this thread starts it.
/// Gives what the program has to be started through: nothing where the thread itself is held.
pub(crate) fn enter(open: &Open) -> Result<Vec<OsString>, CannotConfine> {
    system::enter(open)
}

#[cfg(target_os = "linux")]
mod system {
    use std::ffi::OsString;
    use std::path::{Path, PathBuf};

    use landlock::{
        ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd,
        Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, RulesetStatus,
    };

    use super::{CannotConfine, Open};

    /// Truncation is restricted from here on; without it a write could not be held.
    const NEEDED: ABI = ABI::V3;
    /// TCP is restricted from here on.
    const NETWORK: ABI = ABI::V4;

    fn failed(error: &RulesetError) -> CannotConfine {
        CannotConfine::Kernel(error.to_string())
    }

    /// What a rule on a file or a directory says of reading.
    fn reading() -> BitFlags<AccessFs> {
        AccessFs::ReadFile | AccessFs::ReadDir
    }

    fn ruleset(offline: bool, hides: bool) -> Result<RulesetCreated, CannotConfine> {
        let write = AccessFs::from_write(NEEDED);
        let files = Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(if hides { write | reading() } else { write });
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
        ruleset(false, false).map(drop)
    }

    pub(super) fn holds_network() -> bool {
        let connecting = AccessNet::from_all(NETWORK) & AccessNet::ConnectTcp;
        let rules = Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(connecting);
        rules.and_then(Ruleset::create).is_ok()
    }

    /// Places that together hold everything but `hidden`. A link is none: what it leads to lies
    /// elsewhere, and is held by its own place.
    fn beside(dir: &Path, hidden: &[PathBuf]) -> Vec<PathBuf> {
        let mut places = Vec::new();
        for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
            let path = entry.path();
            let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
            if is_link || hidden.contains(&path) {
                continue;
            }
            if hidden.iter().any(|hidden| hidden.starts_with(&path)) {
                places.extend(beside(&path, hidden));
            } else {
                places.push(path);
            }
        }
        places
    }

    pub(super) fn enter(open: &Open) -> Result<Vec<OsString>, CannotConfine> {
        let hides = !open.hidden.is_empty();
        let mut rules = ruleset(open.offline, hides)?;
        let readable = if hides { beside(Path::new("/"), &open.hidden) } else { Vec::new() };
        let readable = readable.iter().map(|path| (path, reading()));
        let others = if open.all_but.is_empty() {
            Vec::new()
        } else {
            beside(Path::new("/"), &open.all_but)
        };
        let writable = open.paths.iter().chain(&others);
        let writable = writable.map(|path| (path, AccessFs::from_write(NEEDED)));
        for (path, whole) in readable.chain(writable) {
            let Ok(data) = path.metadata() else { continue };
            let Ok(place) = PathFd::new(path) else { continue };
            let access = if data.is_dir() { whole } else { whole & AccessFs::from_file(NEEDED) };
            rules =
                rules.add_rule(PathBeneath::new(place, access)).map_err(|error| failed(&error))?;
        }
        let held = rules.restrict_self().map_err(|error| failed(&error))?;
        match held.ruleset {
            RulesetStatus::NotEnforced => {
                Err(CannotConfine::Kernel("nothing was enforced".to_owned()))
            }
            RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced => Ok(Vec::new()),
        }
    }
}

#[cfg(target_os = "macos")]
mod system {
    use std::ffi::OsString;
    use std::path::Path;

    use super::{CannotConfine, Open, profile};

    const PROGRAM: &str = "/usr/bin/sandbox-exec";

    pub(super) fn check() -> Result<(), CannotConfine> {
        if Path::new(PROGRAM).is_file() { Ok(()) } else { Err(CannotConfine::NoProgram) }
    }

    pub(super) fn holds_network() -> bool {
        check().is_ok()
    }

    pub(super) fn enter(open: &Open) -> Result<Vec<OsString>, CannotConfine> {
        check()?;
        // A rule holds for the real path: `/tmp` is a link there.
        let real = open.paths.iter().filter_map(|path| dunce::canonicalize(path).ok());
        let open = Open { paths: real.collect(), ..open.clone() };
        let is_dir = |path: &Path| Some(path.metadata().ok()?.is_dir());
        let profile = profile::profile(&open, is_dir).map_err(CannotConfine::Unnamed)?;
        Ok([PROGRAM, "-p", &profile].map(OsString::from).into())
    }
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
mod system {
    use std::ffi::OsString;

    use super::{CannotConfine, Open};

    pub(super) fn check() -> Result<(), CannotConfine> {
        Err(CannotConfine::OtherSystem)
    }

    pub(super) fn holds_network() -> bool {
        false
    }

    pub(super) fn enter(_: &Open) -> Result<Vec<OsString>, CannotConfine> {
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
                let through = enter(open).expect("the kernel confines");
                assert!(through.is_empty(), "this thread itself is held");
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
            Open { paths: vec![at("open"), at("single"), at("never there")], ..Open::default() };
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
    fn what_is_hidden_cannot_be_read_and_all_else_can() {
        if let Err(why) = check() {
            skipped(&why.to_string());
            return;
        }
        let dir = tempfile::tempdir().expect("a directory");
        let dir = crate::world::real(dir.path()).expect("it is there");
        let at = |name: &str| dir.join(name);
        for name in [".ssh", ".config/gh", ".config/other", "work"] {
            fs::create_dir_all(at(name)).expect("made");
            fs::write(at(name).join("file"), "1").expect("written");
        }
        std::os::unix::fs::symlink(at(".ssh"), at("around")).expect("a link");
        let open = Open {
            paths: vec![at("work")],
            hidden: vec![at(".ssh"), at(".config/gh")],
            ..Open::default()
        };
        confined(&open, || {
            for hidden in [".ssh/file", ".config/gh/file", "around/file"] {
                let no = fs::read(at(hidden)).expect_err(hidden).kind();
                assert_eq!(no, ErrorKind::PermissionDenied, "{hidden}");
            }
            assert!(fs::read_dir(at(".ssh")).is_err());
            for read in [".config/other/file", "work/file"] {
                assert_eq!(fs::read_to_string(at(read)).expect(read), "1");
            }
            assert!(fs::read_dir(at("work")).is_ok() && fs::read("/proc/self/stat").is_ok());
            fs::write(at("work/file"), "22").expect("open");
        });
    }

    #[test]
    fn everything_can_be_open_but_one_place() {
        if let Err(why) = check() {
            skipped(&why.to_string());
            return;
        }
        let dir = tempfile::tempdir().expect("a directory");
        let dir = crate::world::real(dir.path()).expect("it is there");
        for name in ["open", "closed"] {
            fs::create_dir(dir.join(name)).expect("made");
        }
        let open = Open { all_but: vec![dir.join("closed")], ..Open::default() };
        confined(&open, || {
            fs::write(dir.join("open/file"), "1").expect("open");
            let no = fs::write(dir.join("closed/file"), "1").expect_err("closed").kind();
            assert_eq!(no, ErrorKind::PermissionDenied);
            fs::write("/dev/null", "1").expect("open");
        });
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
        let tried = confined(&Open { offline: true, ..Open::default() }, || {
            std::net::TcpStream::connect(at).err()
        });
        match tried {
            Some(error) => assert_eq!(error.kind(), ErrorKind::PermissionDenied),
            None => skipped("this kernel does not restrict TCP"),
        }
    }
}
