//! Scratch directories that are taken away again, and programs that run in one of them with next to
//! nothing around them.
//!
//! The name of a directory says which process made it. One that was killed leaves it behind; the
//! next that makes one takes it away.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::{Group, Ran, is_private, myself, running, variable};
use crate::confine;

/// How their names begin.
const HEAD: &str = "git-seed-again-";
/// The most bytes of a program's words that are kept.
const MOST: u64 = 4 * 1024 * 1024;

/// A directory of this process alone, with all below it until it is dropped.
#[derive(Debug)]
pub(crate) struct Scratch {
    dir: PathBuf,
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be taken away now goes with the next one.
        let _ = take_away(&self.dir);
    }
}

impl Scratch {
    /// Makes one that lies in none of `places`.
    ///
    /// # Errors
    ///
    /// What the system says; or that no directory for such files lies outside of them.
    pub(crate) fn outside_of(places: &[PathBuf]) -> io::Result<Self> {
        let process = myself();
        let name = format!("{HEAD}{}-{}-", process.pid, process.started);
        let above = above(places).ok_or_else(|| {
            io::Error::other("no directory for temporary files lies outside of this repository")
        })?;
        let mut builder = tempfile::Builder::new();
        builder.prefix(&name);
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let made = builder.tempdir_in(above)?;
        Ok(Self { dir: made.keep() })
    }

    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }
}

/// A directory for temporary files that lies in none of `places`.
fn above(places: &[PathBuf]) -> Option<PathBuf> {
    let known = [std::env::temp_dir(), PathBuf::from("/tmp"), PathBuf::from("/var/tmp")];
    let real = known.into_iter().filter_map(|dir| super::real(dir).ok());
    let mut outside = real.filter(|dir| !places.iter().any(|place| dir.starts_with(place)));
    outside.find(|dir| dir.is_dir())
}

/// Takes away what processes that are gone have left behind.
pub(crate) fn sweep(places: &[PathBuf]) {
    let Some(above) = above(places) else { return };
    // What is not there, or somebody else's, is left as it is.
    let Ok(entries) = fs::read_dir(above) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some((pid, started)) = name.to_str().and_then(maker) else { continue };
        let lives = running(pid).is_some_and(|now| now.started == started);
        let ours =
            entry.path().symlink_metadata().is_ok_and(|data| data.is_dir() && is_private(&data));
        if !lives && ours {
            // The same.
            let _ = take_away(&entry.path());
        }
    }
}

/// The process that made a directory of this name: its number, and when it started.
fn maker(name: &str) -> Option<(u32, &str)> {
    let (pid, rest) = name.strip_prefix(HEAD)?.split_once('-')?;
    let (started, _) = rest.split_once('-')?;
    Some((pid.parse().ok()?, started))
}

/// Takes a directory away with all below it, whatever a program made of its modes.
fn take_away(dir: &Path) -> io::Result<()> {
    if fs::remove_dir_all(dir).is_ok() {
        return Ok(());
    }
    let mut ahead = vec![dir.to_owned()];
    while let Some(dir) = ahead.pop() {
        open_up(&dir)?;
        for entry in fs::read_dir(&dir)? {
            let path = entry?.path();
            if path.symlink_metadata()?.is_dir() {
                ahead.push(path);
            }
        }
    }
    fs::remove_dir_all(dir)
}

#[cfg(unix)]
fn open_up(dir: &Path) -> io::Result<()> {
    fs::set_permissions(dir, std::os::unix::fs::PermissionsExt::from_mode(0o700))
}

#[cfg(not(unix))]
fn open_up(_: &Path) -> io::Result<()> {
    Ok(())
}

/// A program as it is to run by itself.
#[derive(Debug)]
pub(crate) struct Alone<'a> {
    /// The program and its arguments.
    pub words: &'a [String],
    /// Where it runs, and the home that it gets.
    pub dir: &'a Path,
    pub home: &'a Path,
    /// Then it is ended, with its process group.
    pub most: Duration,
    /// What the kernel is to keep it from changing, where it can.
    pub closed: &'a [PathBuf],
}

impl Alone<'_> {
    /// Runs it, with no input and no variable but `PATH`, `HOME` and `LANG`. `None` where no such
    /// program is there.
    ///
    /// # Errors
    ///
    /// What the system says where it cannot be started.
    pub(crate) fn run(&self) -> io::Result<Option<Ran>> {
        let Some((name, arguments)) = self.words.split_first() else { return Ok(None) };
        let path = variable("PATH").unwrap_or_default();
        // A place that depends on where one stands would be one of the tree's.
        let dirs: Vec<PathBuf> =
            std::env::split_paths(&path).filter(|dir| dir.is_absolute()).collect();
        let Some(program) = found(name, self.dir, &dirs) else { return Ok(None) };
        let path = std::env::join_paths(&dirs).map_err(io::Error::other)?;
        // What is confined is a thread and all that it starts.
        std::thread::scope(|scope| {
            let run = || {
                let through = self.confined();
                let words = through.iter().cloned().chain([program.into_os_string()]);
                let words: Vec<OsString> = words.chain(arguments.iter().map(Into::into)).collect();
                let mut command = Command::new(&words[0]);
                command.args(&words[1..]).current_dir(self.dir).stdin(Stdio::null()).env_clear();
                #[cfg(unix)]
                if through.is_empty() {
                    std::os::unix::process::CommandExt::arg0(&mut command, name);
                }
                command.env("PATH", path).env("HOME", self.home);
                if let Some(language) = variable("LANG") {
                    command.env("LANG", language);
                }
                until(command, self.most)
            };
            scope.spawn(run).join().unwrap_or_else(|_| Err(io::Error::other("it stopped")))
        })
        .map(Some)
    }

    /// Confines this thread, where the kernel can; gives what the program is started through.
    fn confined(&self) -> Vec<OsString> {
        if self.closed.is_empty() {
            return Vec::new();
        }
        let all_but = confine::Open { all_but: self.closed.to_vec(), ..Default::default() };
        // A kernel that cannot hold it: the tree and its home are scratch all the same.
        confine::enter(&all_but).unwrap_or_default()
    }
}

fn until(mut command: Command, most: Duration) -> io::Result<Ran> {
    use std::io::{Read as _, Seek as _, SeekFrom};
    let mut printed = tempfile::tempfile()?;
    command.stdout(printed.try_clone()?).stderr(printed.try_clone()?);
    let status = Group::spawn(&mut command)?.wait_and_end(Instant::now() + most)?;
    let size = printed.metadata()?.len();
    printed.seek(SeekFrom::Start(size.saturating_sub(MOST)))?;
    let mut bytes = Vec::new();
    printed.take(MOST).read_to_end(&mut bytes)?;
    Ok(Ran {
        passed: status.is_some_and(|status| status.success()),
        status: status.and_then(|status| status.code()),
        late: status.is_none(),
        said: String::from_utf8_lossy(&bytes).into_owned(),
    })
}

/// The file that `name` means in `dir`: one of the tree's, or one on the path.
fn found(name: &str, dir: &Path, path: &[PathBuf]) -> Option<PathBuf> {
    let all: Vec<PathBuf> = if name.contains('/') {
        vec![dir.join(name)]
    } else {
        path.iter().map(|dir| dir.join(name)).collect()
    };
    all.into_iter().find(|file| file.metadata().is_ok_and(|data| data.is_file() && can_run(&data)))
}

#[cfg(unix)]
fn can_run(data: &fs::Metadata) -> bool {
    std::os::unix::fs::MetadataExt::mode(data) & 0o111 != 0
}

#[cfg(not(unix))]
fn can_run(_: &fs::Metadata) -> bool {
    true
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn scratch() -> Scratch {
        Scratch::outside_of(&[]).expect("a directory")
    }

    fn ran(line: &str, most: Duration) -> Option<Ran> {
        let scratch = scratch();
        let words = ["sh", "-c", line].map(str::to_owned);
        let (dir, home) = (scratch.dir(), Path::new("/nowhere"));
        Alone { words: &words, dir, home, most, closed: &[] }.run().expect("it starts")
    }

    #[test]
    fn a_scratch_directory_goes_with_whoever_made_it() {
        let scratch = scratch();
        let dir = scratch.dir().to_owned();
        assert_eq!(dir.metadata().expect("there").permissions().mode() & 0o777, 0o700);
        let shut = dir.join("a/b");
        fs::create_dir_all(&shut).expect("made");
        fs::write(shut.join("file"), "x").expect("written");
        std::os::unix::fs::symlink("/", dir.join("link")).expect("made");
        fs::set_permissions(&shut, fs::Permissions::from_mode(0o000)).expect("shut");
        let (pid, started) = maker(dir.file_name().and_then(|name| name.to_str()).expect("text"))
            .expect("it says whose it is");
        assert_eq!((pid, started), (myself().pid, myself().started.as_str()));
        sweep(&[]);
        assert!(dir.exists(), "whoever made it lives");
        drop(scratch);
        assert!(!dir.exists());
        let left = super::super::real(std::env::temp_dir())
            .expect("there")
            .join(format!("{HEAD}{pid}-0-x"));
        fs::create_dir(&left).expect("made");
        fs::set_permissions(&left, fs::Permissions::from_mode(0o700)).expect("set");
        sweep(&[]);
        assert!(!left.exists(), "a process of that number that began at another time is gone");
    }

    #[test]
    fn nothing_surrounds_a_program_that_runs_alone() {
        let hour = Duration::from_hours(1);
        let said = ran("env | cut -d= -f1 | sort; pwd; exit 3", hour).expect("there");
        assert_eq!((said.status, said.passed, said.late), (Some(3), false, false), "{said:?}");
        let names: Vec<&str> =
            said.said.lines().take_while(|line| !line.starts_with('/')).collect();
        // A shell sets some of its own.
        let own = ["PWD", "OLDPWD", "SHLVL", "_", "LANG"];
        let rest: Vec<&str> = names.into_iter().filter(|name| !own.contains(name)).collect();
        assert_eq!(rest, ["HOME", "PATH"]);
        let late = ran("sleep 600 & sleep 600", Duration::ZERO).expect("there");
        assert!(late.late && late.status.is_none());
        let words = ["no-such-program".to_owned()];
        let none = Alone {
            words: &words,
            dir: Path::new("/"),
            home: Path::new("/"),
            most: hour,
            closed: &[],
        };
        assert!(none.run().expect("looked for").is_none());
    }
}
