//! Whose job it is: one that came from another clone is data until a person takes it up.

use crate::engine::repo::clone_file::{self, clone_file, known_clone, lost_clone};
use crate::engine::repo::{EngineError, LoadedJob, Repo, Result};
use crate::format::state::{Prep, State};
use crate::format::trailers::StepTrailers;
use crate::format::{merge, names};
use crate::jobs::Status;
use crate::jobs::landing::Offer;
use crate::jobs::merging::COMPLETION;
use crate::phases::PhaseName;
use crate::phases::place::Unlocked;
use crate::store::{Tip, TreeEdit};
use crate::voice::{Notice, tell};
use crate::world;

/// The id of this clone, which is made when it is needed first, or taken up where `uninstall` left
/// it with the history. No ref holds it, so no other clone comes by it.
pub(crate) fn clone_id(repo: &Repo) -> Result<String> {
    let known = known_clone(&repo.store)?;
    if !known.is_empty() {
        return Ok(known);
    }
    let left = clone_file::left(&repo.store)?;
    let id = left.unwrap_or_else(|| world::new_clone_id(repo.store.common_dir()));
    match world::Whole::private().write_new(&clone_file(&repo.store), format!("{id}\n").as_bytes())
    {
        // Another process was first, and its word holds.
        Err(failed) if failed.kind() == std::io::ErrorKind::AlreadyExists => {
            Ok(known_clone(&repo.store)?)
        }
        done => {
            done?;
            clone_file::taken_up(&repo.store)?;
            Ok(id)
        }
    }
}

/// Writes the id of this clone down again where it is lost and a job in focus names it; says
/// whether it did.
pub(crate) fn put_back(repo: &Repo) -> Result<bool> {
    let Some(id) = lost_clone(&repo.store) else { return Ok(false) };
    let file = clone_file(&repo.store);
    match world::Whole::private().write_new(&file, format!("{id}\n").as_bytes()) {
        // Another process was first.
        Err(failed) if failed.kind() == std::io::ErrorKind::AlreadyExists => Ok(false),
        done => Ok(done.map(|()| true)?),
    }
}

/// The clone that a step names which is taken here; none in a repository of format 1.
pub(crate) fn taker(repo: &Repo) -> Result<Option<String>> {
    if repo.keeps_texts_apart()? { clone_id(repo).map(Some) } else { Ok(None) }
}

/// The job in focus was taken up here. Steps of another clone that a fetch has put over it
/// were not; those of an older git seed, which named no clone, are this one's.
pub(crate) fn is_of_this_clone(repo: &Repo, state: &mut State) -> Result<()> {
    if state.home.clone.is_empty() {
        state.home.clone = clone_id(repo)?;
    }
    if !repo.is_foreign(state)? {
        return Ok(());
    }
    let id = &state.job.id;
    let text = tell(Notice::JobElsewhere, &[("job", &id.to_string())]);
    Err(EngineError::Elsewhere(text))
}

/// As far back as the step that completed a job is looked for.
const BACK: usize = 1_000;

/// A person approved the work in this clone. An approval that came from another one is on record
/// and opens nothing here.
pub(crate) fn is_approved_here(repo: &Repo, job: &LoadedJob) -> Result<bool> {
    if !job.state.job.user_approval || repo.is_foreign(&job.state)? {
        return Ok(false);
    }
    let own = known_clone(&repo.store)?;
    for step in repo.store.history_from(&job.tip.commit, BACK)? {
        let completes = StepTrailers::read(&step.message)
            .is_some_and(|said| said.step == COMPLETION && said.run == job.state.job.run);
        if completes {
            // One of an older git seed names no clone: it is of where the job lives.
            return Ok(merge::clone_of(&step.message).is_none_or(|clone| clone == own));
        }
    }
    Ok(true)
}

/// What a person granted to a job, beside its completion.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Grants {
    access: bool,
    surface: Option<Unlocked>,
    aside: Option<PhaseName>,
    land: Offer,
    allowed: Vec<u8>,
    rules: Vec<u8>,
}

/// What was granted to the job that stands at `tip`.
pub(crate) fn grants(repo: &Repo, state: &State, tip: &Tip) -> Result<Grants> {
    // Nothing was ever opened where there is no such file.
    let file = |path: &str| Ok::<_, EngineError>(repo.store.file(tip, path)?.unwrap_or_default());
    Ok(Grants {
        access: state.job.plugin_lock_approval,
        surface: state.unlocked.clone(),
        aside: state.stand.side_from.clone(),
        land: state.land.clone(),
        allowed: file(names::ALLOWED)?,
        rules: file(names::JOB_RULES)?,
    })
}

/// Takes what was granted elsewhere out of a job that came from there; says what it was.
pub(crate) fn disown(
    repo: &Repo,
    state: &mut State,
    edits: &mut Vec<TreeEdit>,
) -> Result<Vec<String>> {
    let mut gone = Vec::new();
    let job = &mut state.job;
    if std::mem::take(&mut job.user_approval) {
        gone.push(tell(Notice::GrantCompletion, &[]));
    }
    if state.job.status == Status::Completed {
        state.job.status = Status::Active;
    }
    if std::mem::take(&mut state.job.plugin_lock_approval) {
        gone.push(tell(Notice::GrantAccess, &[]));
    }
    // It is a part of the approval.
    state.land = Offer::None;
    if state.unlocked.take().is_some() {
        gone.push(tell(Notice::GrantSurface, &[]));
    }
    // An error here only says that the side lane is not open.
    if let Ok(step) = state.stand.home() {
        state.stand = state.stand.take(repo.map(&state.stand), &step);
        (state.side_reason, state.side_notes) = (None, None);
        gone.push(tell(Notice::GrantSide, &[]));
    }
    let chain = names::job_chain(&state.job.id);
    if !repo.lines(&chain, names::ALLOWED)?.is_empty() {
        gone.push(tell(Notice::GrantPaths, &[]));
    }
    edits.push(TreeEdit::Put { path: names::ALLOWED.to_owned(), bytes: Vec::new() });
    if !repo.lines(&chain, names::JOB_RULES)?.is_empty() {
        gone.push(tell(Notice::GrantRules, &[]));
    }
    edits.push(TreeEdit::Put { path: names::JOB_RULES.to_owned(), bytes: Vec::new() });
    (state.prep, state.put_back) = (Prep::None, None);
    (state.scheduled, state.answered) = (Vec::new(), Vec::new());
    Ok(gone.iter().map(|what| tell(Notice::NotGrantedHere, &[("what", what)])).collect())
}
