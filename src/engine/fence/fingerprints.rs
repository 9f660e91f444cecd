//! Fingerprints of what holds the fence up: host settings, hooks, the binary, git's
//! configuration. Taken when a session starts, compared after calls and at boundaries.
//!
//! Most of it lies outside the work tree or is ignored there, so the tree fence does not
//! see it. What a call of the agent changed stays named until it is put back or a person
//! takes it over; what no call claims is told to the person once and counts from then on.
//! No child process is asked, and a file is read only where the system says that it changed.

use std::path::{Path, PathBuf};

use crate::engine::repo::{Repo, Result};
use crate::format::looks::Stood;
use crate::format::prints::{Content, Look, Print, Prints, Role, tame};
use crate::format::short_hash;
use crate::{hosts, world};

/// The longest file whose bytes are kept, so that it can be put back.
const KEPT: u64 = 64 * 1024;

/// The longest file that is read; a longer one is known by what the system says of it.
pub(crate) const READ: u64 = 1024 * 1024;

/// The most files of one directory that are looked at.
const FILES: usize = 256;

pub(crate) fn save_prints(repo: &Repo, prints: &Prints) -> Result<()> {
    let bytes = serde_json::to_vec(prints)?;
    write_privately(&repo.prints_file(), &bytes)
}

/// Takes the prints of a session that begins. What a call of the agent changed before
/// stays named: no new session makes it anybody else's.
pub(crate) fn take_prints(repo: &Repo) -> Result<()> {
    let _lock = repo.store.lock()?;
    let old = repo.prints()?.unwrap_or_default();
    let dirs = hook_dirs(repo);
    let mut prints = Prints { taken: repo.now, dirs, files: Vec::new() };
    for (path, role) in printed(repo, &prints.dirs)? {
        let known = old.files.iter().find(|print| Path::new(&print.path) == path);
        let (now, seen) = content(repo, &path, role, true);
        let print = match known.filter(|print| print.stray.is_some()) {
            Some(print) if print.look(&now) != Look::Back => {
                Print { stray: Some(now), seen, ..print.clone() }
            }
            _ => match path.to_str() {
                Some(text) => Print {
                    path: text.to_owned(),
                    shown: shown_print(repo, &path),
                    role,
                    was: now,
                    seen,
                    stray: None,
                },
                None => continue,
            },
        };
        prints.files.push(print);
    }
    let lost =
        old.strays().filter(|stray| !prints.files.iter().any(|print| print.path == stray.path));
    let lost: Vec<Print> = lost.cloned().collect();
    prints.files.extend(lost);
    save_prints(repo, &prints)
}

/// Does what git seed itself writes; what differs afterwards is as it should be.
pub(crate) fn as_our_own<T>(repo: &Repo, act: impl FnOnce() -> Result<T>) -> Result<T> {
    let before = repo.prints()?.map(|prints| sums(repo, &prints)).unwrap_or_default();
    let done = act();
    let Some(mut prints) = repo.prints()? else { return done };
    let _lock = repo.store.lock()?;
    prints.dirs = hook_dirs(repo);
    for (path, role) in printed(repo, &prints.dirs)? {
        add(repo, &mut prints, &path, role);
    }
    for print in &mut prints.files {
        let (now, seen) = content(repo, Path::new(&print.path), print.role, true);
        let was = before.iter().find(|(path, _)| *path == print.path).map(|(_, content)| content);
        if !was.is_some_and(|was| was.is_same(&now, print.role)) {
            (print.was, print.seen, print.stray) = (now, seen, None);
        }
    }
    save_prints(repo, &prints)?;
    done
}

fn sums(repo: &Repo, prints: &Prints) -> Vec<(String, Content)> {
    let now = |print: &Print| content(repo, Path::new(&print.path), print.role, false).0;
    prints.files.iter().map(|print| (print.path.clone(), now(print))).collect()
}

// ---- what is printed

/// Every file whose print is taken.
pub(crate) fn printed(repo: &Repo, dirs: &[String]) -> Result<Vec<(PathBuf, Role)>> {
    let top = repo.store.work_tree();
    let home = home();
    let installation = repo.installation()?;
    let mut found: Vec<(PathBuf, Role)> = Vec::new();
    for file in &installation.settings {
        found.push((file.path.clone(), Role::Settings));
        let Ok(row) = hosts::row(&file.host) else { continue };
        for surface in &row.surfaces {
            let path = match (surface.strip_prefix("~/"), &home) {
                (Some(_), None) => continue,
                (Some(below), Some(home)) => home.join(below),
                (None, _) => top.join(surface),
            };
            found.push((path, Role::Settings));
        }
    }
    found.extend(
        dirs.iter().flat_map(|dir| files_in(Path::new(dir))).map(|file| (file, Role::Hook)),
    );
    // What `init` put in beside them steers hosts as well, and git ignores much of it.
    found.extend(installation.servers.into_iter().map(|file| (file.path, Role::Settings)));
    let whole = installation.agents.into_iter().chain(installation.grants);
    found.extend(whole.map(|file| (file.path, Role::Settings)));
    let configs = configs(repo);
    let patterns = pattern_files(repo, &configs.patterns, home.as_deref());
    found.extend(configs.own.into_iter().map(|file| (file, Role::Config)));
    let wider = configs.wider.into_iter().chain(configs.signers).chain(patterns);
    found.extend(wider.map(|file| (file, Role::Wider)));
    let info = repo.store.common_dir().join("info");
    found.extend(["exclude", "attributes"].map(|name| (info.join(name), Role::Info)));
    // Each worktree has patterns of its own.
    found.push((repo.store.git_dir().join("info/sparse-checkout"), Role::Info));
    found.push((world::own_binary(), Role::Binary));
    let mut known = std::collections::BTreeSet::new();
    // Who wants no configuration names a device; a repository in shared memory is one all the same.
    let is_device =
        |path: &Path| path.starts_with("/dev") && path.metadata().is_ok_and(|data| !data.is_file());
    found.retain(|(path, _)| !is_device(path) && known.insert(path.clone()));
    Ok(found)
}

/// Files with patterns of what git ignores, or stores otherwise, beside those of the repository:
/// where the person and the machine have them, and those that configuration names. What the next
/// cycle's looks leave out is read from them.
fn pattern_files(repo: &Repo, named: &[String], home: Option<&Path>) -> Vec<PathBuf> {
    let beside = |file: PathBuf| ["ignore", "attributes"].map(|name| file.with_file_name(name));
    let usual = person_config(home).into_iter().flat_map(beside);
    let named = named.iter().map(|path| led_to(repo, path, home));
    let machine = PathBuf::from("/etc/gitattributes");
    let all = usual.chain(named).chain([machine]);
    all.filter(|file| is_apart(repo, file)).collect()
}

/// Where a path of configuration leads.
fn led_to(repo: &Repo, path: &str, home: Option<&Path>) -> PathBuf {
    match (path.strip_prefix("~/"), home) {
        (Some(below), Some(home)) => home.join(below),
        _ => repo.store.work_tree().join(path),
    }
}

/// What lies in the work tree is the tree fence's.
fn is_apart(repo: &Repo, path: &Path) -> bool {
    let real = |path: &Path| crate::world::real(path).unwrap_or_else(|_| path.to_owned());
    path.starts_with(repo.store.common_dir())
        || !real(path).starts_with(real(repo.store.work_tree()))
}

/// Directories whose files git runs, or our hooks hand on to.
fn hook_dirs(repo: &Repo) -> Vec<String> {
    let common = repo.store.common_dir();
    let home = home();
    let configs = configs(repo);
    let led = configs.hooks.iter().map(|path| led_to(repo, path, home.as_deref()));
    let all = [common.join("hooks"), common.join("seed").join("hooks")].into_iter().chain(led);
    let all = all.filter(|dir| is_apart(repo, dir));
    let mut dirs: Vec<String> = all.filter_map(|dir| dir.to_str().map(str::to_owned)).collect();
    dirs.sort();
    dirs.dedup();
    dirs
}

pub(crate) fn add_new_hooks(repo: &Repo, prints: &mut Prints) {
    for file in prints.dirs.clone().iter().flat_map(|dir| files_in(Path::new(dir))) {
        add(repo, prints, &file, Role::Hook);
    }
}

/// Adds a file that was not there.
pub(crate) fn add(repo: &Repo, prints: &mut Prints, file: &Path, role: Role) {
    let Some(path) = file.to_str() else { return };
    if prints.files.iter().any(|print| print.path == path) {
        return;
    }
    let (path, shown, seen) = (path.to_owned(), shown_print(repo, file), NOTHING.to_owned());
    prints.files.push(Print { path, shown, role, was: Content::default(), seen, stray: None });
}

/// How a printed file is called.
pub(crate) fn shown_print(repo: &Repo, path: &Path) -> String {
    let below = |dir: &Path, word: &str| {
        let rest = path.strip_prefix(dir).ok()?;
        Some(format!("{word}{}", rest.display()))
    };
    below(repo.store.common_dir(), ".git/")
        .or_else(|| below(repo.store.work_tree(), ""))
        .or_else(|| below(&home()?, "~/"))
        .unwrap_or_else(|| path.display().to_string())
}

/// What lies at `path`, and what the system says of it. With `keep` its bytes are kept.
pub(crate) fn content(repo: &Repo, path: &Path, role: Role, keep: bool) -> (Content, String) {
    let seen = seen(path);
    // Nothing there and nothing to be seen are one print: either way the next look differs.
    let Ok(entry) = path.symlink_metadata() else { return (Content::default(), seen) };
    // What is no link has no target.
    let link = std::fs::read_link(path).ok().map(|target| target.to_string_lossy().into_owned());
    let mut content = Content { mode: mode_of(&entry), link, ..Content::default() };
    let data = path.metadata();
    content.sum = match &data {
        Ok(data) if data.is_file() && role != Role::Binary && data.len() <= READ => {
            content.mode = mode_of(data);
            match std::fs::read(path) {
                Ok(bytes) => {
                    if keep && data.len() <= KEPT {
                        content.kept = keep_bytes(repo, &bytes);
                    }
                    let counts = if role == Role::Config { tame(&bytes) } else { bytes };
                    short_hash(&counts, 32)
                }
                Err(_) => "unreadable".to_owned(),
            }
        }
        Ok(data) if data.is_file() => format!("seen {seen}"),
        Ok(_) => "no file".to_owned(),
        Err(_) => "leads nowhere".to_owned(),
    };
    (content, seen)
}

/// Keeps bytes below `.git/seed`, where no push takes them; gives their name, or nothing
/// where they could not be kept.
fn keep_bytes(repo: &Repo, bytes: &[u8]) -> String {
    let name = short_hash(bytes, 32);
    let file = repo.prints_dir().join("kept").join(&name);
    if file.exists() || write_privately(&file, bytes).is_ok() { name } else { String::new() }
}

// ---- comparing

/// The look before a call: whether there are prints, and the files that differ from how they
/// were seen last. Nothing is taken over yet; their bytes are kept, so that what a person
/// changed is what the agent's change is put back to.
pub(crate) fn prints_before(repo: &Repo) -> Result<(bool, Vec<Stood>)> {
    let Some(mut prints) = repo.prints()? else { return Ok((false, Vec::new())) };
    if !is_worth_a_look(&prints) {
        return Ok((true, Vec::new()));
    }
    add_new_hooks(repo, &mut prints);
    let differs =
        prints.files.into_iter().filter(|print| seen(Path::new(&print.path)) != print.seen);
    let stood = differs.map(|print| {
        let (content, seen) = content(repo, Path::new(&print.path), print.role, true);
        Stood { path: print.path, seen, content }
    });
    Ok((true, stood.collect()))
}

/// What [`seen`] says of nothing.
const NOTHING: &str = "-";

/// True when some file is not as it was seen last, or a directory of hooks holds a new one.
pub(crate) fn is_worth_a_look(prints: &Prints) -> bool {
    let known = |file: &PathBuf| prints.files.iter().any(|print| Path::new(&print.path) == file);
    prints.files.iter().any(|print| seen(Path::new(&print.path)) != print.seen)
        || prints.dirs.iter().flat_map(|dir| files_in(Path::new(dir))).any(|file| !known(&file))
}

/// Files that git may run as hooks; the samples it ships are none.
fn files_in(dir: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten().take(FILES);
    let files = entries.filter(|entry| !entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let mut files: Vec<PathBuf> = files.map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_none_or(|ending| ending != "sample"));
    files.sort();
    files
}

/// The files that git reads its configuration from here.
pub(crate) fn configs(repo: &Repo) -> crate::store::ConfigFiles {
    let home = home();
    repo.store.config_files(home.as_deref(), &wider_configs(home.as_deref()))
}

fn home() -> Option<PathBuf> {
    world::variable("HOME").map(PathBuf::from)
}

/// Configuration that the environment names beside the usual places.
fn wider_configs(home: Option<&Path>) -> Vec<PathBuf> {
    let named = ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"].into_iter().filter_map(world::variable);
    named.map(PathBuf::from).chain(person_config(home)).collect()
}

/// Where the person's configuration lies beside the one in the home.
fn person_config(home: Option<&Path>) -> Option<PathBuf> {
    let set = world::variable("XDG_CONFIG_HOME").filter(|value| !value.is_empty());
    let xdg = set.map(PathBuf::from).or_else(|| home.map(|home| home.join(".config")));
    xdg.map(|dir| dir.join("git").join("config"))
}

/// What the system says of a path and of what it leads to, in one word.
pub(crate) fn seen(path: &Path) -> String {
    // As in [`content`].
    let Ok(entry) = path.symlink_metadata() else { return NOTHING.to_owned() };
    let mut word = stat_word(&entry);
    if entry.file_type().is_symlink() {
        word.push('>');
        word.push_str(
            &path.metadata().map_or_else(|_| NOTHING.to_owned(), |data| stat_word(&data)),
        );
    }
    word
}

#[cfg(unix)]
fn stat_word(data: &std::fs::Metadata) -> String {
    use std::os::unix::fs::MetadataExt;
    let times = [data.mtime(), data.mtime_nsec(), data.ctime(), data.ctime_nsec()];
    format!("{}.{}.{:x}.{times:?}", data.size(), data.ino(), data.mode()).replace(' ', "")
}

#[cfg(not(unix))]
fn stat_word(data: &std::fs::Metadata) -> String {
    format!("{}.{:?}", data.len(), data.modified().ok())
}

#[cfg(unix)]
pub(crate) fn mode_of(data: &std::fs::Metadata) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    data.permissions().mode() & 0o7777
}

#[cfg(not(unix))]
pub(crate) fn mode_of(_: &std::fs::Metadata) -> u32 {
    0
}

pub(crate) fn write_privately(file: &Path, bytes: &[u8]) -> Result<()> {
    write_with_mode(file, bytes, 0o600)
}

/// Writes a file whole or not at all.
pub(crate) fn write_with_mode(file: &Path, bytes: &[u8], mode: u32) -> Result<()> {
    Ok(world::Whole::new().mode(mode).over_links().write(file, bytes)?)
}

#[cfg(unix)]
pub(crate) fn make_link(target: &str, path: &Path) -> Result<()> {
    Ok(std::os::unix::fs::symlink(target, path)?)
}

#[cfg(not(unix))]
pub(crate) fn make_link(_: &str, path: &Path) -> Result<()> {
    Err(crate::engine::repo::EngineError::OnDisk(crate::voice::tell(
        crate::voice::Notice::LinkMadeByHand,
        &[("path", &path.display().to_string())],
    )))
}
