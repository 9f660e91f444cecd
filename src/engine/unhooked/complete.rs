//! The work is said to be done: the claim is judged, and the job rests until a person approves it.

use crate::engine::repo::{EngineError, Repo, Result};
use crate::engine::unhooked::{Unhooked, changes, note_call, own_job};
use crate::engine::{judge, no_prompt, repeats};
use crate::jobs::{JobId, Status};
use crate::phases::PhaseKind;
use crate::voice::{Notice, tell};

/// A claim that holds: the job that may close now, and what its person is to see.
pub(crate) struct Claimed {
    pub job: JobId,
    pub card: String,
}

/// Judges `said`, by which the agent calls its job done, as the question for completion is judged.
/// Gives the words of the refusal where it does not hold.
pub(crate) fn claim(
    repo: &Repo,
    own: &Unhooked,
    said: &str,
    call: &str,
) -> Result<std::result::Result<Claimed, String>> {
    let focused = own_job(repo, own)?;
    let row = repo.row(Some(&focused));
    let stand = &focused.state.stand;
    // A small lane walks on through all that is left of it.
    let walks = repo.map(stand).lane.is_some() && !stand.is_talk() && !repo.rests(stand);
    if row.kind != PhaseKind::Consolidation && !walks {
        let facts = [("phase", row.name.as_str())];
        return Err(EngineError::not_now(Notice::UnhookedNotDone, &facts));
    }
    note_call(repo, own, "complete", call)?;
    changes::hear(repo, own.cwd.clone())?;
    let focused = repo.require_focused()?;
    if let Err(refusal) = judge::closing::holds(repo, &focused, said)? {
        let text = repo.say(Some(&focused), &refusal, focused.state.stand.phase.as_str());
        repeats::remember_refusal(repo, Some(&focused), &refusal)?;
        return Ok(Err(text));
    }
    let card = judge::card::shown(repo, &focused, None)?;
    Ok(Ok(Claimed { job: focused.state.job.id.clone(), card }))
}

/// The job came to its last phase and stays there: the step that closes it is left. A small lane
/// stops there, where a person would be asked.
pub(crate) fn closes_next(repo: &Repo, claimed: &Claimed) -> Result<bool> {
    let focused = repo.focused()?.filter(|focused| focused.state.job.id == claimed.job);
    Ok(focused.is_some_and(|job| repo.row(Some(&job)).kind == PhaseKind::Consolidation))
}

/// What the agent is told where the job rests now; nothing where it does not.
pub(crate) fn rests(repo: &Repo, claimed: &Claimed) -> Result<Option<String>> {
    let job = repo.job(&claimed.job)?;
    let client = no_prompt::clients(repo);
    let facts = [
        ("job", job.state.job.name.as_str()),
        ("id", claimed.job.as_str()),
        ("client", client.as_str()),
    ];
    let rests = job.state.job.status == Status::Awaiting;
    Ok(rests.then(|| format!("{}\n{}", tell(Notice::UnhookedRests, &facts), claimed.card)))
}
