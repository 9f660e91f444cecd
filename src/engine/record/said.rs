//! What the person said in a session where no job keeps it: which paths are closed and opened, and
//! which acts of git were named. One file for each worktree, `.git/seed/said/<worktree>.json`; the
//! words of a session go with it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::engine::own_state;
use crate::engine::repo::{Repo, Result};
use crate::phases::said_scope::SaidOfPaths;
use crate::{secrets, world};

/// The most sentences of one kind that are kept of a session, and the most sessions.
const SENTENCES: usize = 100;
const SESSIONS: usize = 32;

/// What was said in one session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SaidInSession {
    /// Of paths, oldest first.
    #[serde(default)]
    pub paths: Vec<SaidOfPaths>,
    /// Sentences that name acts of git.
    #[serde(default)]
    pub git: Vec<String>,
    /// The agent has made its first change: what only phases would have refused is written down
    /// once.
    #[serde(default)]
    pub begun: bool,
    /// The commit at which the session began.
    #[serde(default)]
    pub base: String,
    /// What the agent said by its last stop that was refused in this turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged: Option<JudgedWords>,
}

/// Words that were judged: how many bytes, and their hash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct JudgedWords {
    pub length: usize,
    pub hash: String,
}

type Said = BTreeMap<String, SaidInSession>;

fn file(repo: &Repo) -> std::path::PathBuf {
    let name = format!("{}.json", repo.store.worktree_name());
    repo.store.seed_dir().join("said").join(name)
}

fn read(repo: &Repo) -> Result<Said> {
    Ok(own_state::from_json(&file(repo))?.unwrap_or_default())
}

/// What was said in `session`.
pub(crate) fn of(repo: &Repo, session: &str) -> Result<SaidInSession> {
    Ok(read(repo)?.remove(session).unwrap_or_default())
}

/// What was said of paths in any session of this worktree: git's own hooks know of none.
pub(crate) fn of_all(repo: &Repo) -> Result<Vec<SaidOfPaths>> {
    Ok(read(repo)?.into_values().flat_map(|said| said.paths).collect())
}

/// Changes what is kept of `session`.
pub(crate) fn change(
    repo: &Repo,
    session: &str,
    change: impl FnOnce(&mut SaidInSession),
) -> Result<()> {
    let _lock = repo.store.lock()?;
    let mut said = read(repo)?;
    let before = said.get(session).cloned();
    let now = said.entry(session.to_owned()).or_default();
    change(now);
    // As in the record of a job: no likely secret is kept of what somebody said.
    let sentences = now.paths.iter_mut().map(|said| &mut said.words);
    sentences.chain(&mut now.git).for_each(secrets::mask_in);
    let over = now.git.len().saturating_sub(SENTENCES);
    now.git.drain(..over);
    if before.as_ref() == Some(now) || before.is_none() && *now == SaidInSession::default() {
        return Ok(());
    }
    if said.len() > SESSIONS {
        // One that is not recorded is over.
        let lives = |id: &String| id == session || matches!(repo.session(id), Ok(Some(_)));
        said.retain(|id, _| lives(id));
    }
    write(repo, &said)
}

/// Whether another sentence about paths can be kept.
pub(crate) fn has_room(said: &SaidInSession) -> bool {
    said.paths.len() < SENTENCES
}

/// The session is over, and with it what was said.
pub(crate) fn forget(repo: &Repo, session: &str) -> Result<()> {
    let _lock = repo.store.lock()?;
    let mut said = read(repo)?;
    if said.remove(session).is_none() { Ok(()) } else { write(repo, &said) }
}

fn write(repo: &Repo, said: &Said) -> Result<()> {
    Ok(world::Whole::private().write(&file(repo), &serde_json::to_vec(said)?)?)
}
