//! Whether an agent's shell finds git seed by its name.
//!
//! Texts for agents say `git seed …`, and hook lines name the program by its path: a program that
//! is on nobody's PATH answers every hook, and no command that it asks for can be given.

use std::io::{Read as _, Seek as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::engine::finding::Finding;
use crate::engine::setup::own_record::Told;
use crate::voice::Found;
use crate::world;

/// How long a program of the person's may take.
const PATIENCE: Duration = Duration::from_secs(2);

const PROGRAM: &str = "git-seed";

/// Shells that take a line behind `-lc`.
const SHELLS: [&str; 6] = ["sh", "bash", "dash", "zsh", "ksh", "fish"];

/// What is wrong with the ways to the program: that of this process, and where `asks`, that of the
/// person's login shell, in which some hosts run every command.
pub(crate) fn findings(asks: bool) -> Vec<Finding> {
    let mut found: Vec<Finding> =
        wrong(world::on_path(PROGRAM), "this shell").into_iter().collect();
    if let Some(shell) = login_shell().filter(|_| asks)
        && let Some(said) = told_by(&shell)
    {
        let of = format!("your login shell ({})", shell.display());
        found.extend(wrong(world::real(Path::new(&said)).ok(), &of));
    }
    found
}

/// The same for `init`: what there is to do, in one line.
pub(crate) fn told(asks: bool) -> Option<Told> {
    let Finding { detail, fix, .. } = findings(asks).into_iter().next()?;
    Some(Told::new("note", PROGRAM, format!("{detail}: {}", fix.unwrap_or_default())))
}

fn wrong(path: Option<PathBuf>, of: &str) -> Option<Finding> {
    let own = world::own_binary();
    let dir = own.parent().unwrap_or(Path::new("/")).display().to_string();
    let facts = [("where", of), ("dir", dir.as_str())];
    match path {
        None => Some(Finding::of(Found::NotOnPath, &facts)),
        Some(path) if path == own => None,
        Some(path) => {
            let other = path.display().to_string();
            Some(Finding::of(Found::OtherOnPath, &[facts[0], facts[1], ("other", &other)]))
        }
    }
}

/// The shell that the system starts for this person, where it is one that is known.
fn login_shell() -> Option<PathBuf> {
    // Not every system has its people there.
    let shell = listed_shell().or_else(|| world::variable("SHELL").map(PathBuf::from))?;
    let name = shell.file_name()?.to_str()?;
    SHELLS.contains(&name).then_some(shell)
}

#[cfg(unix)]
fn listed_shell() -> Option<PathBuf> {
    let user = rustix::process::getuid().as_raw().to_string();
    // Where nothing is listed, the variable says it.
    let known = std::fs::read_to_string("/etc/passwd").ok()?;
    let row = known.lines().find(|row| row.split(':').nth(2) == Some(user.as_str()))?;
    Some(PathBuf::from(row.rsplit(':').next()?))
}

#[cfg(not(unix))]
fn listed_shell() -> Option<PathBuf> {
    None
}

/// Where the login shell finds the program, empty for nowhere; `None` where it says nothing in
/// time.
fn told_by(shell: &Path) -> Option<String> {
    let (ended, said) = answer(Command::new(shell).args(["-lc", "command -v git-seed"]))?;
    // A profile may print, too; the answer is the last line.
    let path = said.lines().last().map(str::trim).filter(|line| line.starts_with('/'));
    Some(path.filter(|_| ended).unwrap_or_default().to_owned())
}

/// How a program ended and what it printed; `None` where it did not start, or not end in time.
pub(crate) fn answer(command: &mut Command) -> Option<(bool, String)> {
    // A file, so that nothing which goes on in the background keeps the answer from ending.
    let mut out = tempfile::tempfile().ok()?;
    command.stdin(Stdio::null()).stdout(out.try_clone().ok()?).stderr(Stdio::null());
    let group = world::Group::spawn(command).ok()?;
    let ended = group.wait_and_end(Instant::now() + PATIENCE).ok()??;
    let mut said = Vec::new();
    out.rewind().ok()?;
    // What does not read was not answered.
    out.take(4096).read_to_end(&mut said).ok()?;
    Some((ended.success(), String::from_utf8_lossy(&said).into_owned()))
}
