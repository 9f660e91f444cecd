//! A job that another clone took over leaves the focus of this worktree.
//!
//! Its steps are that clone's from then on. What the journal here recorded since the last step that
//! was joined is kept below `.git/seed/left`, and the uncommitted changes stay for the person. A
//! file below `.git/seed/let-go` says so until a person was told, and so it does of a job that
//! ended elsewhere while it was in focus here.

use std::path::PathBuf;

use crate::engine::own_state;
use crate::engine::repo::{Repo, Result, clone_file};
use crate::engine::{jobs, record};
use crate::format::merge::clone_of;
use crate::format::{archive, names};
use crate::jobs::{JobId, Status};
use crate::voice::{Notice, tell};
use crate::world;

fn file(repo: &Repo) -> PathBuf {
    repo.store.seed_dir().join("let-go").join(repo.store.worktree_name())
}

/// The chain in focus, if its last steps are another clone's.
fn taken_over(repo: &Repo) -> Result<Option<String>> {
    let Some((chain, tip)) = repo.store.focused()? else { return Ok(None) };
    let state = repo.state(&chain, &tip)?;
    // An older git seed named no clone: such a job is this one's.
    let foreign = !state.home.clone.is_empty() && repo.is_foreign(&state)?;
    Ok(foreign.then_some(chain))
}

/// Gives up the focus of a job that another clone took over. What does not read is left to who
/// needs it next, and names it.
pub(crate) fn let_go(repo: &Repo) -> Result<()> {
    if !matches!(taken_over(repo), Ok(Some(_))) {
        return Ok(());
    }
    let _lock = repo.store.lock()?;
    // A commit of a boundary is not behind its step: whoever finishes it names that.
    if record::pending_file::is_there(repo) {
        return Ok(());
    }
    let Some(chain) = taken_over(repo)? else { return Ok(()) };
    let Some(id) = names::job_of(&chain) else { return Ok(()) };
    keep_rest(repo, id.as_str())?;
    world::write_whole(&file(repo), format!("{id}\n").as_bytes())?;
    jobs::focus::give_up(repo)
}

/// Gives up the focus of the job on `chain`, which is closed where it stands now; says whether
/// nobody has it in focus any more.
pub(crate) fn ended(repo: &Repo, chain: &str) -> Result<bool> {
    let _lock = repo.store.lock()?;
    // As in `let_go`.
    if record::pending_file::is_there(repo) {
        return Ok(false);
    }
    if repo.store.focus()?.as_deref() == Some(chain) {
        let Some(id) = names::job_of(chain) else { return Ok(false) };
        keep_rest(repo, id.as_str())?;
        world::write_whole(&file(repo), format!("{id}\n").as_bytes())?;
        jobs::focus::give_up(repo)?;
    }
    Ok(!repo.store.in_focus()?.iter().any(|one| one == chain))
}

/// Keeps the lines of the journal in which somebody did something.
fn keep_rest(repo: &Repo, id: &str) -> Result<()> {
    let lines = repo.store.journal().all()?;
    // The first is the opening.
    let Some(rest) = lines.get(1..).filter(|rest| !rest.is_empty()) else { return Ok(()) };
    let kept = repo.store.seed_dir().join("left").join(format!("{id}.jsonl"));
    let mut bytes = own_state::bytes(&kept)?.unwrap_or_default();
    for line in rest {
        bytes.extend_from_slice(line);
        bytes.push(b'\n');
    }
    Ok(world::Whole::private().write(&kept, &bytes)?)
}

/// The sentence about a job that was let go here, until [`heard`] or until it is true no longer.
pub(crate) fn told(repo: &Repo) -> Result<Option<String>> {
    let Some(text) = own_state::text(&file(repo))? else { return Ok(None) };
    let id = text.trim();
    let facts = [("job", id)];
    if let Some(how) = became(repo, id)? {
        return Ok(Some(tell(how, &facts)));
    }
    heard(repo)?;
    Ok(None)
}

/// How another clone has the job `id`: it goes on there, or ended there. Nothing where this one
/// took it back or ended it itself.
fn became(repo: &Repo, id: &str) -> Result<Option<Notice>> {
    let Ok(id) = id.parse::<JobId>() else { return Ok(None) };
    // What does not read is named by who needs it.
    let Ok(job) = repo.job(&id) else { return Ok(None) };
    if !archive::is_closed(&job.state) {
        return Ok(repo.is_foreign(&job.state)?.then_some(Notice::JobLetGo));
    }
    let last = repo.store.commit_message(&job.tip.commit)?;
    let ended_here = clone_of(&last) == Some(&*clone_file::known_clone(&repo.store)?);
    let how = match job.state.job.status {
        Status::Voided => Notice::JobDroppedElsewhere,
        _ => Notice::JobEndedElsewhere,
    };
    Ok((!ended_here).then_some(how))
}

/// A person was told.
pub(crate) fn heard(repo: &Repo) -> Result<()> {
    Ok(world::remove_if_there(file(repo))?)
}
