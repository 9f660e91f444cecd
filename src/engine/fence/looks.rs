//! The fence's look before a call that may write, and what it proves after the call.
//!
//! A change is a call's only where this look had the path unchanged and the look after the
//! call has it changed, and the call is tied to it: its input names the path, it was confined
//! with the path open, or it was short. Times of files never decide. Where this look could
//! not be had, whatever changed is unclaimed: named, in no commit, and nobody's to take back.
//!
//! Looking moves nothing: the fence's index stays as it is, but for the times of files that it
//! holds, so that what changed between two calls is still seen after the second.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::engine::fence;
use crate::engine::repo::{self, LoadedJob, Repo, Result};
use crate::event::{Act, Event, Outcome, ToolCall};
use crate::format::looks::{FirstLook, RefMove, RefsSeen};
use crate::format::short_hash;
use crate::shell::{self, Effect};
use crate::store::{RepoPath, TreeId};
use crate::world;

/// The most looks that wait for the end of their call.
const WAITING: usize = 64;

/// The longest file whose bytes tell whether it changed; of a longer one the system does.
const READ: u64 = 1024 * 1024;

/// The most files that are read for one look.
const FILES: usize = 256;

/// The most words of a line that may name a path.
const WORDS: usize = 256;

/// Verbs of git that write its configuration, or its patterns.
const CONFIGURING: [&str; 6] =
    ["config", "remote", "submodule", "sparse-checkout", "lfs", "maintenance"];

/// A call that has ended, between its two looks.
#[derive(Clone, Debug)]
pub(crate) struct Window {
    pub(crate) look: FirstLook,
    short: bool,
    /// Refs that moved between both looks.
    pub(crate) refs: Vec<RefMove>,
}

impl Window {
    /// Whether a change at the absolute path `file` that came between both looks is the call's.
    pub(crate) fn is_tied_to(&self, file: &Path) -> bool {
        self.short || self.names(file)
    }

    /// Whether the line of the call has git do something that may move HEAD.
    pub(crate) fn moves_head(&self, repo: &Repo) -> bool {
        self.names(&repo.store.common_dir().join("HEAD"))
    }

    /// Whether the call's input names `file`.
    pub(crate) fn names(&self, file: &Path) -> bool {
        self.look.names(file) || self.look.names(&repo::paths::real(file))
    }
}

fn looks_dir(repo: &Repo) -> PathBuf {
    repo.store.seed_dir().join("looks").join(repo.store.worktree_name())
}

/// Where the look before `call` is kept. A host that gives no ids has its calls told apart
/// by what they do.
fn look_file(repo: &Repo, event: &Event, call: &ToolCall) -> PathBuf {
    let given = match &call.act {
        _ if !call.id.is_empty() => call.id.clone(),
        Act::Shell { command, .. } => format!("{}\n{}\n{command}", event.session, call.tool),
        _ => format!("{}\n{}", event.session, call.tool),
    };
    looks_dir(repo).join(format!("{}.json", short_hash(given.as_bytes(), 24)))
}

/// Where `packed-refs` is kept as it was at the look in `file`.
fn kept_refs(repo: &Repo, file: &Path) -> PathBuf {
    let name = file.file_stem().unwrap_or_default();
    packed_dir(repo).join(name)
}

fn packed_dir(repo: &Repo) -> PathBuf {
    repo.store.seed_dir().join("packed").join(repo.store.worktree_name())
}

/// Looks before `call`, if it may write. Where that fails nothing is kept, and the call's
/// changes are unclaimed.
///
/// # Errors
///
/// Only damage: what is there and does not read makes a call that may write wait.
pub(crate) fn look_first(
    repo: &Repo,
    event: &Event,
    call: &ToolCall,
    confined: bool,
    focused: Option<&LoadedJob>,
) -> Result<()> {
    if !may_write(repo, event, call) {
        return Ok(());
    }
    let file = look_file(repo, event, call);
    match take_look(repo, event, call, confined, focused, &file) {
        Err(error) if error.is_damage() || error.is_chosen() => Err(error),
        Err(_) => {
            // An older look of the same name, if any: without one there is nothing to remove.
            let _ = std::fs::remove_file(&file);
            Ok(())
        }
        Ok(()) => Ok(()),
    }
}

/// True for calls after which the fence looks for what they changed, but for those whose
/// text shows that they only look and for git seed's own commands.
fn may_write(repo: &Repo, event: &Event, call: &ToolCall) -> bool {
    match &call.act {
        Act::Shell { command, .. } => {
            let writes = |found: &shell::Found| {
                found.confined || !(found.seed && !found.persons || found.effect == Effect::Read)
            };
            repo.line(command).found.iter().any(writes)
        }
        Act::Foreign { server, .. } => !crate::hosts::row(event.host)
            .is_ok_and(|host| repo.is_own_server(host, server, &call.tool)),
        Act::Unknown => true,
        _ => false,
    }
}

/// Whether the text of `call` shows that it changes nothing: a line that only reads, or commands
/// of git seed that only tell.
pub(crate) fn only_looks(repo: &Repo, call: &ToolCall) -> bool {
    let Act::Shell { command, .. } = &call.act else { return false };
    let looks = |found: &shell::Found| {
        !found.confined && (found.looks || !found.seed && found.effect == Effect::Read)
    };
    repo.line(command).found.iter().all(looks)
}

fn take_look(
    repo: &Repo,
    event: &Event,
    call: &ToolCall,
    confined: bool,
    focused: Option<&LoadedJob>,
    file: &Path,
) -> Result<()> {
    repo.store.indexes_are_plain(&repo.private_index())?;
    let mut look = FirstLook { logged: repo.store.head_log_length(), ..FirstLook::default() };
    if let Act::Shell { command, cwd, .. } = &call.act {
        named_by(repo, command, cwd.as_deref().unwrap_or(&event.cwd), &mut look);
        look.confined |= confined;
    }
    look.tree = focused.map(|focused| tree_before(repo, focused)).transpose()?.flatten();
    (look.printed, look.prints) = fence::fingerprints::prints_before(repo)?;
    if repo.store.keep_packed_refs(&kept_refs(repo, file)).is_ok() {
        look.refs = Some(repo.store.refs_seen(None));
    }
    // Last: what it took to look is none of the call's time.
    look.at = world::now_ms();
    let bytes = serde_json::to_vec(&look)?;
    drop_old_looks(repo);
    fence::fingerprints::write_privately(file, &bytes)
}

/// The paths that differ from the fence's index, and their marks; nothing before the first
/// step of a cycle.
fn tree_before(repo: &Repo, focused: &LoadedJob) -> Result<Option<BTreeMap<String, String>>> {
    let Ok(before) = focused.state.fence.tree.parse::<TreeId>() else { return Ok(None) };
    let (index, lens) = (repo.private_index(), fence::tree::lens(repo, Some(focused))?);
    let build = |path: &RepoPath| fence::tree::build_dir(repo, path);
    let changed = repo.store.changes_since(&index, &before, &lens, &build)?;
    let marked = |(at, change): (usize, &crate::store::Changed)| {
        (change.path.to_string(), mark(repo, &change.path, at < FILES))
    };
    Ok(Some(changed.iter().enumerate().map(marked).collect()))
}

/// What a path is told by that differs from the fence's index: its bytes where they may be
/// `read`, else what the system says of it. A repository inside this one is told by where
/// its HEAD stands.
fn mark(repo: &Repo, path: &RepoPath, read: bool) -> String {
    let Ok(file) = path.below(repo.store.work_tree()) else { return String::new() };
    let seen = fence::fingerprints::seen(&file);
    match file.symlink_metadata() {
        Ok(data) if data.is_file() && data.len() <= READ && read => match std::fs::read(&file) {
            Ok(bytes) => {
                format!("{:x} {}", fence::fingerprints::mode_of(&data), short_hash(&bytes, 32))
            }
            Err(_) => seen,
        },
        // A directory without a HEAD of its own is told by nothing but being there.
        Ok(data) if data.is_dir() => repo.store.inner_head(path).unwrap_or_default(),
        _ => seen,
    }
}

/// Whether `path`, which differs from the fence's index, changed since `look`.
pub(crate) fn has_moved(repo: &Repo, look: &FirstLook, path: &RepoPath) -> bool {
    let shown = path.to_string();
    if !look.had_changed(&shown) {
        return look.tree.is_some();
    }
    // Which of the two marks was taken is told by trying both: no file of a look is read
    // twice unless there are very many.
    look.moved(&shown, &mark(repo, path, true)) && look.moved(&shown, &mark(repo, path, false))
}

/// Takes the look before `call` away, now that the call is over.
pub(crate) fn end_of(
    repo: &Repo,
    event: &Event,
    call: &ToolCall,
    outcome: &Outcome,
) -> Option<Window> {
    let now = world::now_ms();
    let file = look_file(repo, event, call);
    // A look that is missing or does not read proves nothing: the call's changes are unclaimed,
    // which takes nothing away from anybody.
    let look: FirstLook = serde_json::from_slice(&world::read_plain(&file).ok()?).ok()?;
    let kept = kept_refs(repo, &file);
    let moved = |before: &RefsSeen| repo.store.refs_moved(before, &kept);
    let refs = look.refs.as_ref().map(moved).unwrap_or_default();
    for over in [&file, &kept] {
        // One that stays behind is dropped with the old ones.
        let _ = std::fs::remove_file(over);
    }
    Some(Window { short: look.is_short(now, outcome.duration_ms), look, refs })
}

/// Looks before calls that have not ended and could still be proved to have changed
/// something: a change that they explain is left to the look after them.
pub(crate) fn calls_under_way(repo: &Repo) -> Vec<FirstLook> {
    let now = world::now_ms();
    calls_not_over(repo).into_iter().filter(|look| look.is_short(now, None)).collect()
}

/// Looks before calls that have not ended, as far as is known.
pub(crate) fn calls_not_over(repo: &Repo) -> Vec<FirstLook> {
    kept_looks(repo).into_iter().map(|(_, look)| look).collect()
}

/// The looks before the calls in which this command may run.
pub(crate) fn calls_around(repo: &Repo) -> Vec<Window> {
    let now = world::now_ms();
    let looks = kept_looks(repo).into_iter().map(|(_, look)| look);
    let around =
        looks.map(|look| Window { short: look.is_short(now, None), look, refs: Vec::new() });
    // A call that a person refused leaves its look behind: one that is not short any more
    // counts only where its own line gives the command that asks.
    around.filter(|window| window.short || window.look.seed).collect()
}

fn kept_looks(repo: &Repo) -> Vec<(PathBuf, FirstLook)> {
    let files =
        std::fs::read_dir(looks_dir(repo)).into_iter().flatten().flatten().take(4 * WAITING);
    let read = |file: PathBuf| {
        // Another process may be about to write or to take it away; one that does not read
        // proves nothing, as in [`end_of`].
        let bytes = repo::paths::bytes_of(&file).ok()?;
        // Nor does one that another version wrote.
        Some((file, serde_json::from_slice(&bytes).ok()?))
    };
    files.map(|file| file.path()).filter_map(read).collect()
}

/// Forgets looks whose calls never ended, where there are many.
fn drop_old_looks(repo: &Repo) {
    let dir = std::fs::read_dir(looks_dir(repo));
    if dir.into_iter().flatten().count() < WAITING {
        return;
    }
    let mut kept = kept_looks(repo);
    kept.sort_by_key(|(_, look)| look.at);
    for (file, _) in kept.iter().take(kept.len().saturating_sub(WAITING / 2)) {
        for over in [file, &kept_refs(repo, file)] {
            // One that stays is tried again with the next look.
            let _ = std::fs::remove_file(over);
        }
    }
}

/// Forgets all looks: a session starts where none runs, and no call is under way.
pub(crate) fn forget_looks(repo: &Repo) {
    // A look that stays names a call that never ends, and is dropped with the old ones.
    let _ = std::fs::remove_dir_all(looks_dir(repo));
    let _ = std::fs::remove_dir_all(packed_dir(repo));
}

/// What the text of a command line names, told as absolute paths.
fn named_by(repo: &Repo, command: &str, cwd: &Path, look: &mut FirstLook) {
    let absolute = |word: &str| {
        let given = cwd.join(word.trim_end_matches('/'));
        [repo::paths::real(&given), given]
    };
    for found in &repo.line(command).found {
        look.confined |= found.confined;
        look.seed |= found.seed;
        look.whole.extend(found.paths.iter().flat_map(|path| absolute(path)));
        if let Some(git) = found.git.as_ref().filter(|_| found.effect == Effect::GitWrite) {
            let mut names = vec!["HEAD"];
            if CONFIGURING.contains(&git.verb.as_str()) {
                names.extend(["config", "config.worktree", "info"]);
            }
            if git.verb == "lfs" {
                names.push("hooks");
            }
            let common = repo.store.common_dir();
            look.whole.extend(names.iter().map(|name| repo::paths::real(&common.join(name))));
        }
    }
    let ends = |c: char| c.is_whitespace() || "\"'`;|&<>(){}=".contains(c);
    let words = command.split(ends).filter(|word| !word.is_empty() && !word.starts_with('-'));
    let top = repo::paths::real(repo.store.work_tree());
    for word in words.take(WORDS) {
        let paths = absolute(word);
        // `test` may be a verb, `./test` is a path; `..` names nothing in particular.
        let all = word.contains('/') && !top.starts_with(&paths[0]);
        if all { &mut look.whole } else { &mut look.named }.extend(paths);
    }
}
