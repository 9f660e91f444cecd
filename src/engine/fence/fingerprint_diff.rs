//! Compares the fingerprints before and after a call, and tells whose the difference is.

use std::path::{Path, PathBuf};

use crate::engine::fence;
use crate::engine::fence::fingerprints::{is_worth_a_look, seen};
use crate::engine::fence::looks::Window;
use crate::engine::repo::{self, LoadedJob, Repo, Result};
use crate::format::looks::{FirstLook, Stood};
use crate::format::prints::{Look, Print, Prints, Role};
use crate::hosts;
use crate::phases::place::{Lock, Place};
use crate::store::RepoPath;
use crate::voice::{Notice, tell};

/// What a comparison found; all paths as they are shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FingerprintDiff {
    /// Changed by the call that just ran.
    pub strays: Vec<String>,
    /// Changed, and no call claims it.
    pub unclaimed: Vec<String>,
    /// Of the strays one cannot be put back; it stands first.
    pub stuck: bool,
    /// Sentences about what no longer holds the agent.
    pub disarmed: Vec<String>,
    /// The prints themselves were gone.
    pub gone: bool,
    /// Why they could not be compared.
    pub trouble: Option<String>,
}

impl FingerprintDiff {
    /// What the person hears of it.
    pub(crate) fn to_person(&self) -> Option<String> {
        let mut told = Vec::new();
        if let Some(why) = &self.trouble {
            told.push(tell(Notice::PrintsNotCompared, &[("why", why)]));
        }
        if self.gone {
            told.push(tell(Notice::PrintsGone, &[]));
        }
        if !self.strays.is_empty() {
            told.push(tell(Notice::PrintsOfAgent, &[("paths", &self.strays.join(", "))]));
        }
        if !self.unclaimed.is_empty() {
            told.push(tell(Notice::PrintsUnclaimed, &[("paths", &self.unclaimed.join(", "))]));
        }
        for what in &self.disarmed {
            told.push(tell(Notice::PrintsDisarmed, &[("what", what)]));
        }
        (!told.is_empty()).then(|| told.join("\n"))
    }
}

/// Compares after a call; nothing is written where nothing changed. `window` is what the
/// look before it knew; `edited` are the files that an edit tool names.
pub(crate) fn compare_prints(
    repo: &Repo,
    focused: Option<&LoadedJob>,
    session: &str,
    window: Option<&Window>,
    edited: &[PathBuf],
) -> Result<FingerprintDiff> {
    let Some(prints) = repo.prints()? else {
        let gone = repo.session(session)?.is_some();
        fence::fingerprints::take_prints(repo)?;
        return Ok(FingerprintDiff { gone, ..FingerprintDiff::default() });
    };
    if !is_worth_a_look(&prints) {
        return Ok(FingerprintDiff::default());
    }
    let others = fence::looks::calls_under_way(repo);
    let _lock = repo.store.lock()?;
    let mut prints = repo.prints()?.unwrap_or(prints);
    fence::fingerprints::add_new_hooks(repo, &mut prints);
    let mut compared = FingerprintDiff::default();
    for print in &mut prints.files {
        if let Some(stood) = window.and_then(|window| window.look.stood(&print.path)) {
            take_as_found(repo, print, stood, focused, &mut compared)?;
        }
        let path = Path::new(&print.path);
        let by_call = window.is_some_and(|window| window.look.printed && window.is_tied_to(path))
            || edited.iter().any(|file| *file == path || *file == repo::paths::real(path));
        // Another call is under way that may have done it: its own second look tells.
        let moved = |look: &FirstLook| {
            look.printed && look.stood(&print.path).is_none_or(|stood| stood.seen != seen(path))
        };
        if by_call || print.stray.is_some() || !others.iter().any(moved) {
            compare_one(repo, print, focused, by_call, &mut compared)?;
        }
    }
    if !compared.strays.is_empty() || !compared.unclaimed.is_empty() {
        compared.disarmed = disarmed(repo, &prints)?;
    }
    fence::fingerprints::save_prints(repo, &prints)?;
    Ok(compared)
}

/// Takes over what somebody changed before the call began: it is how the file may be.
fn take_as_found(
    repo: &Repo,
    print: &mut Print,
    stood: &Stood,
    focused: Option<&LoadedJob>,
    compared: &mut FingerprintDiff,
) -> Result<()> {
    if print.stray.is_some() || print.seen == stood.seen {
        return Ok(());
    }
    print.seen.clone_from(&stood.seen);
    if print.look(&stood.content) == Look::Changed {
        print.was = stood.content.clone();
        if !is_open_surface(repo, Path::new(&print.path), focused) {
            compared.unclaimed.push(print.shown.clone());
        }
    }
    Ok(())
}

fn compare_one(
    repo: &Repo,
    print: &mut Print,
    focused: Option<&LoadedJob>,
    by_call: bool,
    compared: &mut FingerprintDiff,
) -> Result<()> {
    let path = PathBuf::from(&print.path);
    if seen(&path) == print.seen {
        return Ok(());
    }
    let (now, seen) = fence::fingerprints::content(repo, &path, print.role, false);
    print.seen = seen;
    match print.look(&now) {
        Look::Same => {}
        Look::Back => print.stray = None,
        Look::Changed => {
            let allowed = is_open_surface(repo, &path, focused);
            let committed = !allowed && is_as_in_head(repo, &path)?;
            if (by_call || print.stray.is_some()) && !allowed && !committed {
                print.stray = Some(now);
                let stuck = !print.can_be_put_back();
                compared.stuck |= stuck;
                let at = if stuck { 0 } else { compared.strays.len() };
                compared.strays.insert(at, print.shown.clone());
                return Ok(());
            }
            (print.was, print.seen) = fence::fingerprints::content(repo, &path, print.role, true);
            print.stray = None;
            if !allowed && !compared.unclaimed.contains(&print.shown) {
                compared.unclaimed.push(print.shown.clone());
            }
        }
    }
    Ok(())
}

/// A person has unlocked it, so the agent may change it.
fn is_open_surface(repo: &Repo, path: &Path, focused: Option<&LoadedJob>) -> bool {
    let Ok(below) = path.strip_prefix(repo.store.work_tree()) else { return false };
    let place = repo.place_named(&below.to_string_lossy(), focused.map(|focused| &focused.state));
    matches!(place, Place::Surface { lock: Lock::Open, .. })
}

/// It is what the commit at HEAD says: a merge or a checkout brought it.
fn is_as_in_head(repo: &Repo, path: &Path) -> Result<bool> {
    let below = path.strip_prefix(repo.store.work_tree()).ok();
    let below = below.and_then(|below| RepoPath::try_from(below.to_str()?).ok());
    let (Some(below), Some(head)) = (below, repo.store.head()?.commit) else { return Ok(false) };
    let blob = repo.store.blob_at(&repo.store.tree_of_commit(&head)?, &below)?;
    // What does not read is not what the commit has.
    Ok(blob.is_some() && blob == std::fs::read(path).ok())
}

/// What no longer holds the agent, as sentences.
fn disarmed(repo: &Repo, prints: &Prints) -> Result<Vec<String>> {
    let installation = repo.installation()?;
    let mut found = Vec::new();
    for print in prints.files.iter().filter(|print| print.role == Role::Settings) {
        // Settings that are gone or do not read switch nothing off; the loop below misses their
        // line.
        let text = std::fs::read_to_string(&print.path).unwrap_or_default();
        if hosts::switches_hooks_off(&text) {
            found.push(tell(Notice::DisarmedSettings, &[("path", &print.shown)]));
        }
    }
    for file in &installation.settings {
        // As for a host that cannot read them: no line of ours is there.
        let text = std::fs::read_to_string(&file.path).unwrap_or_default();
        let line = hosts::row(&file.host).ok().and_then(|row| hosts::before_tool_line(&text, row));
        if line.is_none() {
            found.push(tell(
                Notice::DisarmedLine,
                &[("path", &fence::fingerprints::shown_print(repo, &file.path))],
            ));
        }
    }
    let Some(record) = &installation.hooks else { return Ok(found) };
    let dirs = repo.hook_repo();
    for hook in record.scripts(&dirs) {
        if !crate::githooks::runs(&hook) {
            found.push(tell(
                Notice::DisarmedHook,
                &[("path", &fence::fingerprints::shown_print(repo, &hook))],
            ));
        }
    }
    if let Some(path) = repo.store.hooks_path().filter(|path| !record.is_reached_by(&dirs, path)) {
        found.push(tell(Notice::DisarmedPath, &[("path", &path)]));
    }
    Ok(found)
}
