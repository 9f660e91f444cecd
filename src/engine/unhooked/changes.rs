//! What changed since the last call: the agent's where its phase may change it.
//!
//! No hook saw the edits, so the work tree is compared with what it was at the last call. A path
//! that the phase may not change is left unclaimed: it could be anybody's. A file of the person's
//! that lay there changed when the cycle began is the agent's as well where it changed since, and
//! the phase may change it; its commit says that it holds both.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::engine::fence::survey::Judged;
use crate::engine::own_state;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::engine::unhooked::{Unhooked, row};
use crate::engine::{fence, modes};
use crate::event::{Act, Change, EventKind, FileEdit, Outcome, ToolCall};
use crate::hosts;
use crate::store::{RepoPath, TreeId};
use crate::world;

/// Hears what changed in the session that drives the focused job, where its host runs no hooks.
/// Gives what the agent is told of it.
pub(crate) fn hear(repo: &Repo, cwd: PathBuf) -> Result<Option<String>> {
    let Some(focused) = repo.focused()? else { return Ok(None) };
    let hooked = hosts::row(&focused.state.driver.host).is_ok_and(hosts::Host::runs_hooks);
    let Some(own) = Unhooked::that_drives(&focused, cwd).filter(|_| !hooked) else {
        return Ok(None);
    };
    // A journal that does not hold is told of by whoever goes on.
    if focused.activity.is_err() {
        return Ok(None);
    }
    let since = repo.read_since(&focused)?;
    let row = repo.row(Some(&focused));
    let survey = fence::survey::survey(repo, &focused, &since, row)?;
    // What is heard of here is no change that the next run makes.
    fence::tree::snapshot(repo)?;
    let Some(tree) = &survey.tree else { return Ok(None) };
    let Ok(boundary) = focused.state.fence.tree.parse::<TreeId>() else { return Ok(None) };
    let before = heard_last(repo, &focused)?.unwrap_or(boundary);
    let changed = repo.store.diff_trees(&before, tree)?;
    let mut own_paths = survey.committed(repo, &focused.state);
    let paths: Vec<RepoPath> = changed.iter().map(|change| change.path.clone()).collect();
    own_paths.extend(persons_that_are_open(repo, &focused, &paths)?);
    let new = changed.iter().filter(|change| own_paths.contains(&change.path.to_string()));
    let edits: Vec<FileEdit> = new
        .map(|change| FileEdit {
            path: repo.store.work_tree().join(change.path.to_string()),
            change: Change::Opaque,
        })
        .collect();
    let told = if edits.is_empty() { None } else { tell_of(repo, &own, edits, tree)? };
    world::write_whole(&file(repo), format!("{} {tree}", stay(&focused)).as_bytes())?;
    Ok(told)
}

/// Of `paths`, those that the person had changed when the cycle began, and that the phase may
/// change where an act touches them.
fn persons_that_are_open(
    repo: &Repo,
    focused: &LoadedJob,
    paths: &[RepoPath],
) -> Result<Vec<String>> {
    let state = &focused.state;
    let Ok(before) = state.fence.tree.parse::<TreeId>() else { return Ok(Vec::new()) };
    let judged = Judged {
        persons: fence::tree::persons(repo, focused)?,
        unclaimed: BTreeSet::new(),
        touched: BTreeSet::new(),
        scope: repo.scope(focused)?,
        row: repo.row(Some(focused)),
        state,
        chain: &focused.chain,
        tree: None,
    };
    let mut open = Vec::new();
    for path in paths {
        let shown = path.to_string();
        let theirs = judged.persons.contains(&shown);
        if theirs && fence::survey::is_allowed(repo, &judged, path, &shown, &before)? {
            open.push(shown);
        }
    }
    Ok(open)
}

/// One act changed these files; it is told of as the host's event after a tool would.
fn tell_of(
    repo: &Repo,
    own: &Unhooked,
    edits: Vec<FileEdit>,
    tree: &TreeId,
) -> Result<Option<String>> {
    let call = ToolCall {
        tool: "edit".to_owned(),
        id: tree.to_string(),
        act: Act::Edit(edits),
        mentions: Vec::new(),
    };
    let outcome = Outcome { ok: true, ..Outcome::default() };
    let after = own.event("edit", EventKind::After { call, outcome });
    Ok(modes::answer(repo, row()?, &after).context)
}

/// The work tree as it was heard of last in this cycle; nothing where that tree is gone. What lay
/// there before the cycle was somebody else's.
fn heard_last(repo: &Repo, focused: &LoadedJob) -> Result<Option<TreeId>> {
    let known = own_state::text(&file(repo))?;
    // One that is of another cycle, or does not read, says nothing: all since the last boundary is
    // heard once more.
    let known = known.as_ref().and_then(|known| known.strip_prefix(&stay(focused)));
    let tree = known.map(str::trim).filter(|tree| repo.store.has_object(tree));
    Ok(tree.and_then(|tree| tree.parse().ok()))
}

/// What tells one cycle of a job from another, and from one that was taken up in another place.
fn stay(focused: &LoadedJob) -> String {
    let state = &focused.state;
    format!("{} {} {} {}", state.job.id, state.job.run, state.stand.cycle, state.fence.began)
}

fn file(repo: &Repo) -> PathBuf {
    repo.store.seed_dir().join("unhooked").join(repo.store.worktree_name())
}

/// A run that git seed watched itself, in a session whose host runs no hooks: told of as a shell
/// call that ended with `code`.
pub(crate) fn ran(
    repo: &Repo,
    cwd: PathBuf,
    command: String,
    (code, printed): (i32, String),
) -> Result<()> {
    let focused = repo.focused()?;
    let Some(own) = focused.and_then(|focused| Unhooked::that_drives(&focused, cwd)) else {
        return Ok(());
    };
    let id = format!("{}-ran-{}", own.id, world::system_ms());
    let act = Act::Shell { command, cwd: None, background: false };
    let call = ToolCall { tool: "exec".to_owned(), id, act, mentions: Vec::new() };
    let outcome = Outcome { ok: code == 0, status: Some(code), printed, ..Outcome::default() };
    // Whoever ran it reads what it printed; what would be told beside it comes with the next call.
    let _ = modes::answer(repo, row()?, &own.event("exec", EventKind::After { call, outcome }));
    Ok(())
}
