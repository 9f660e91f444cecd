//! The agent hears that its person undid something: with the next event of its session, once.

use std::path::PathBuf;

use crate::engine::own_state;
use crate::engine::record;
use crate::engine::repo::text::merged;
use crate::engine::repo::{Repo, Result};
use crate::event::{Actor, Event, EventKind};
use crate::hosts::Answer;
use crate::world;

fn file(repo: &Repo) -> PathBuf {
    repo.store.seed_dir().join("undone").join(repo.store.worktree_name())
}

/// Keeps what is to be told.
pub(crate) fn keep(repo: &Repo, told: &str) -> Result<()> {
    Ok(world::Whole::private().write(&file(repo), told.as_bytes())?)
}

/// The answer to an event, with what is to be told where the agent hears it.
pub(crate) fn also(repo: &Repo, event: &Event, answer: Answer) -> Result<Answer> {
    let hears = matches!(
        event.kind,
        EventKind::Prompt { .. } | EventKind::SessionStart { .. } | EventKind::After { .. }
    );
    if !hears || event.by != Actor::Main || answer.refuse.is_some() || !file(repo).exists() {
        return Ok(answer);
    }
    let focused = repo.focused()?;
    // A guest does not go on with the work.
    if let Some(focused) = &focused
        && repo.is_guest(focused, event)?
    {
        return Ok(answer);
    }
    let Some(told) = own_state::text(&file(repo))? else { return Ok(answer) };
    std::fs::remove_file(file(repo))?;
    if let Some(focused) = &focused {
        record::journal_line::count_injected(repo, focused, &told)?;
    }
    Ok(Answer { context: merged(Some(told), answer.context), ..answer })
}
