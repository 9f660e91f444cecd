//! What the person said in a session where no job keeps it: which paths are closed and opened, and
//! which acts of git were named; and which paths they closed in a job. One file for each worktree,
//! `.git/seed/said/<worktree>.json`; the words of a session go with it.

use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::engine::said_file::{self, JOB, Said, SaidInSession};
use crate::phases::said_scope::SaidOfPaths;
use crate::{secrets, world};

/// The most sentences of one kind that are kept of a session, and the most sessions.
const SENTENCES: usize = 100;
const SESSIONS: usize = 32;

/// What was said in `session`.
pub(crate) fn of(repo: &Repo, session: &str) -> Result<SaidInSession> {
    Ok(said_file::read(&repo.store)?.remove(session).unwrap_or_default())
}

/// What was said of paths in any session of this worktree: git's own hooks know of none.
pub(crate) fn of_all(repo: &Repo) -> Result<Vec<SaidOfPaths>> {
    let said = said_file::read(&repo.store)?.into_iter().filter(|(key, _)| !key.starts_with(JOB));
    Ok(said.flat_map(|(_, said)| said.paths).collect())
}

/// Under what the words of a job stand, beside those of sessions.
pub(crate) fn of_job(job: &LoadedJob) -> String {
    said_file::key_of(&job.chain)
}

/// Changes what is kept of `session`.
pub(crate) fn change(
    repo: &Repo,
    session: &str,
    change: impl FnOnce(&mut SaidInSession),
) -> Result<()> {
    let _lock = repo.store.lock()?;
    let mut said = said_file::read(&repo.store)?;
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
        let lives = |id: &String| {
            id == session
                || match id.strip_prefix(JOB) {
                    Some(chain) => matches!(repo.store.stands_at(chain), Ok(Some(_))),
                    None => matches!(repo.session(id), Ok(Some(_))),
                }
        };
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
    let mut said = said_file::read(&repo.store)?;
    if said.remove(session).is_none() { Ok(()) } else { write(repo, &said) }
}

pub(crate) fn write(repo: &Repo, said: &Said) -> Result<()> {
    Ok(world::Whole::private().write(&said_file::file(&repo.store), &serde_json::to_vec(said)?)?)
}
