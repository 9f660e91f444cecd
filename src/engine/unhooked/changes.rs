//! What changed since the last call: the agent's where its phase may change it.
//!
//! No hook saw the edits, so the work tree is compared with what it was at the last call. A path
//! that the phase may not change is left unclaimed: it could be anybody's.

use std::path::PathBuf;

use crate::engine::repo::{Repo, Result, own_state};
use crate::engine::unhooked::{Unhooked, row};
use crate::engine::{fence, modes};
use crate::event::{Act, Change, EventKind, FileEdit, Outcome, ToolCall};
use crate::hosts;
use crate::store::TreeId;
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
    let survey = fence::survey::survey(repo, &focused, &since, repo.row(Some(&focused)))?;
    let Some(tree) = &survey.tree else { return Ok(None) };
    let before = heard_last(repo)?.map_or_else(|| focused.state.fence.tree.parse(), Ok);
    let Ok(before) = before else { return Ok(None) };
    let changed = repo.store.diff_trees(&before, tree)?;
    let own_paths = survey.committed(repo, &focused.state);
    let new = changed.iter().filter(|change| own_paths.contains(&change.path.to_string()));
    let edits: Vec<FileEdit> = new
        .map(|change| FileEdit {
            path: repo.store.work_tree().join(change.path.to_string()),
            change: Change::Opaque,
        })
        .collect();
    let told = if edits.is_empty() { None } else { tell_of(repo, &own, edits, tree)? };
    world::write_whole(&file(repo), tree.to_string().as_bytes())?;
    Ok(told)
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

/// The work tree as it was heard of last; nothing where that tree is gone.
fn heard_last(repo: &Repo) -> Result<Option<TreeId>> {
    let known = own_state::text(&file(repo))?;
    let known = known.filter(|tree| repo.store.has_object(tree));
    // One that does not read says nothing: all since the last boundary is heard once more.
    Ok(known.and_then(|tree| tree.parse().ok()))
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
