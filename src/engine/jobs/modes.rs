//! The mode of the clone moves: a rule is put into force, and a job that is open rests where the
//! new mode keeps none.

use crate::engine::record::draft::By;
use crate::engine::repo::{EngineError, LoadedJob, Repo, Result};
use crate::engine::{claims, jobs};
use crate::jobs::Status;
use crate::jobs::mode::Mode;
use crate::rules::{BadRules, Rules};
use crate::voice::{Notice, tell};

/// A mode that was put into force.
pub(crate) struct Moved {
    /// The job that was open, and rests now.
    pub rests: Option<LoadedJob>,
}

/// Puts `mode` into force; nothing where it is already.
///
/// # Errors
///
/// The rules in force do not hold; then nothing has changed.
pub(crate) fn put(repo: &Repo, mode: Mode, why: &str) -> Result<Option<Moved>> {
    let applied = repo.applied_rules()?;
    let before = applied.clone().unwrap_or_default();
    let bad = |bad: BadRules| EngineError::Proposal(bad.told("the applied rules", &before));
    let now = if applied.is_none() { Rules::shipped() } else { Rules::with(&before) };
    if now.map_err(bad)?.mode == mode {
        return Ok(None);
    }
    let text = Rules::with_mode(&before, mode).map_err(bad)?;
    let rests = rest_for(repo, mode)?;
    let _lock = repo.store.lock()?;
    claims::checkers::put_in_force(repo, applied.is_none(), &text, why)?;
    Ok(Some(Moved { rests }))
}

/// Lets the focused job rest, if the repository keeps jobs now and `mode` keeps none. One that has
/// not begun is over, as with the end of its session.
pub(crate) fn rest_for(repo: &Repo, mode: Mode) -> Result<Option<LoadedJob>> {
    if mode.keeps_jobs() {
        return Ok(None);
    }
    let Some(focused) = repo.focused()? else { return Ok(None) };
    if focused.state.is_small_talk() && focused.state.job.status == Status::Active {
        jobs::lifecycle::void(repo, &focused, &tell(Notice::SubjectSessionEnded, &[]))?;
        return Ok(None);
    }
    if focused.state.job.status == Status::Active || focused.state.is_closing() {
        jobs::lifecycle::pause_job(repo, By::Person)?;
    } else {
        jobs::focus::give_up(repo)?;
    }
    Ok(Some(focused))
}

/// What a person is told of a job that rests because of a mode.
pub(crate) fn told_of_rest(rests: &LoadedJob) -> String {
    let job = &rests.state.job;
    tell(Notice::ModeRests, &[("job", &job.name), ("id", job.id.as_str())])
}

/// What a person is told of a mode that is in force now.
pub(crate) fn told(mode: Mode) -> String {
    let notice = match mode {
        Mode::Watch => Notice::ModeWatch,
        Mode::Fence => Notice::ModeFence,
        Mode::Full => Notice::ModeFull,
    };
    tell(notice, &[])
}
