//! Directories below `.git/seed` in which one command prepares something, and what a killed one
//! left of them.
//!
//! Each names the process that made it. Where that is gone the directory goes with the next command
//! that makes one, or that ends what was begun; where nobody can tell, a day later: a container
//! that shares the repository counts its own processes.

use std::fs;
use std::io;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use crate::world::{self, Process, View};

/// What their names begin with.
const NAMES: [&str; 4] = ["stage-", "carry-", "land-", "restore-"];
/// The file in it that names its process.
const OWNER: &str = "owner";
/// So long one stays of which nobody can tell.
const LEFT: Duration = Duration::from_hours(24);

#[derive(Serialize, Deserialize)]
struct Owner {
    process: Process,
    /// What that process saw of others; empty where nothing tells.
    view: String,
}

/// Makes one whose name begins with `name`, and takes away what killed processes left.
pub(super) fn make(seed: &Path, name: &str) -> io::Result<TempDir> {
    sweep(seed);
    let dir = tempfile::Builder::new().prefix(name).tempdir_in(seed)?;
    let view = match world::view() {
        View::Of(view) => view.clone(),
        View::Blind => return Ok(dir),
    };
    // A struct of strings and numbers always has this form.
    let text = toml::to_string(&Owner { process: world::myself(), view }).unwrap_or_default();
    fs::write(dir.path().join(OWNER), text)?;
    Ok(dir)
}

/// Takes away what killed processes left.
pub(super) fn sweep(seed: &Path) {
    for entry in fs::read_dir(seed).into_iter().flatten().flatten() {
        let dir = entry.path();
        let ours = |name: &str| NAMES.iter().any(|begins| name.starts_with(begins));
        if entry.file_name().to_str().is_some_and(ours) && is_left(&dir) && !locks(&dir) {
            // One that stays is in nobody's way, and the next command tries again.
            let _ = fs::remove_dir_all(&dir);
        }
    }
}

fn is_left(dir: &Path) -> bool {
    // One that does not read names nobody: its age decides.
    let owner = world::read_plain(&dir.join(OWNER)).ok();
    let owner = owner.and_then(|bytes| toml::from_str(&String::from_utf8(bytes).ok()?).ok());
    if let (Some(Owner { process, view }), View::Of(here)) = (owner, world::view())
        && view == *here
    {
        return process.pid != world::myself().pid && !world::is_running(&process);
    }
    let now = Duration::from_millis(u64::try_from(world::system_ms()).unwrap_or(0));
    let touched = || dir.metadata().ok()?.modified().ok()?.duration_since(UNIX_EPOCH).ok();
    touched().is_some_and(|touched| touched + LEFT < now)
}

/// Whether the index in a directory of that kind goes by another name, too: it may be the lock that
/// [`super::Store::unlock_staged`] knows by it.
#[cfg(unix)]
fn locks(dir: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    dir.join("index").metadata().is_ok_and(|data| data.nlink() > 1)
}

#[cfg(not(unix))]
fn locks(_: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_dead_process_left_goes_at_once_and_what_a_live_one_has_stays() {
        let seed = tempfile::tempdir().expect("a directory");
        let at = |name: &str| seed.path().join(name);
        let own = make(seed.path(), "stage-").expect("made");
        let text = fs::read_to_string(own.path().join(OWNER)).expect("it names its process");
        let Owner { process, view } = toml::from_str(&text).expect("it reads");
        let dead = Process { pid: process.pid, started: "1".to_owned(), ..process.clone() };
        let parent = world::ancestors().first().cloned().expect("somebody started this");
        let puts = |name: &str, process: &Process, view: &str| {
            fs::create_dir_all(at(name)).expect("ours");
            let owner = Owner { process: process.clone(), view: view.to_owned() };
            fs::write(at(name).join(OWNER), toml::to_string(&owner).expect("text")).expect("ours");
        };
        let gone = Process { pid: u32::MAX >> 1, ..dead };
        for name in ["stage-dead", "land-dead", "carry-dead", "restore-dead", "sessions"] {
            puts(name, &gone, &view);
        }
        puts("stage-lives", &parent, &view);
        puts("stage-elsewhere", &gone, "another place");
        fs::create_dir_all(at("stage-nobodys")).expect("ours");
        sweep(seed.path());
        let left: Vec<&str> = [
            "stage-dead",
            "land-dead",
            "carry-dead",
            "restore-dead",
            "sessions",
            "stage-lives",
            "stage-elsewhere",
            "stage-nobodys",
        ]
        .into_iter()
        .filter(|name| at(name).exists())
        .collect();
        assert_eq!(left, ["sessions", "stage-lives", "stage-elsewhere", "stage-nobodys"]);
        assert!(own.path().exists(), "its own");
    }
}
