//! Steps: the only way that a job's state changes.
//!
//! A step locks, reads the job afresh, folds the journal into it, lets the caller
//! decide, and writes state, trace and trailers as one commit by compare-and-swap;
//! then the journal begins anew. Killed between any two of these, the next reader
//! sees either the job before the step or the job after it: the new journal is
//! recognised by its base, the old one by the hash that the step folded.

use crate::engine::record::draft::{By, Journaling, StepDraft, Taken};
use crate::engine::record::kept::kept;
use crate::engine::repo::journal::since;
use crate::engine::repo::{EngineError, LoadedJob, Repo, Result};
use crate::engine::{aside, closings, record, unclaimed};
use crate::format::fold::{JournalLines, Named, opening};
use crate::format::journal::{self, Counts};
use crate::format::state::{self, State};
use crate::format::trailers::StepTrailers;
use crate::format::{archive, names, shown};
use crate::jobs::{Job, JobId};
use crate::store::{CommitId, NewStep, StoreError, TreeEdit};
use crate::verdict::Refusal;

pub(crate) use crate::format::names::TOUCHED;

/// The step that was decided on, or why there is none.
type Decided = Result<std::result::Result<StepDraft, Refusal>>;

/// Takes a step of the job on `chain`. `decide` sees the job with its journal folded in,
/// and may be asked again if another writer came first.
///
/// # Errors
///
/// The outer error is what broke: the store, the journal, a state that does not read, or a ref
/// that other writers kept moving. The inner one is a refusal of `decide`; nothing is written then.
pub fn step(
    repo: &Repo,
    chain: &str,
    fold: Journaling,
    decide: impl FnMut(&mut State, &JournalLines) -> Decided,
) -> Result<std::result::Result<Taken, Refusal>> {
    let _lock = repo.store.lock()?;
    step_locked(repo, chain, fold, decide)
}

fn step_locked(
    repo: &Repo,
    chain: &str,
    fold: Journaling,
    mut decide: impl FnMut(&mut State, &JournalLines) -> Decided,
) -> Result<std::result::Result<Taken, Refusal>> {
    const TRIES: usize = 5;
    for _ in 1..TRIES {
        match try_step(repo, chain, fold, &mut decide) {
            Err(EngineError::Store(error)) if error.is_moved() => {}
            done => return done,
        }
    }
    try_step(repo, chain, fold, &mut decide)
}

fn try_step(
    repo: &Repo,
    chain: &str,
    fold: Journaling,
    decide: &mut dyn FnMut(&mut State, &JournalLines) -> Decided,
) -> Result<std::result::Result<Taken, Refusal>> {
    let repair = "git seed doctor --fix";
    let missing = || StoreError::Missing { what: chain.to_owned(), repair };
    let Some(tip) = repo.store.tip(chain)? else {
        return Err(closed_error(repo, chain)?.unwrap_or_else(|| missing().into()));
    };
    let mut state = repo.state(chain, &tip)?;
    repo.name_in(&mut state, &tip)?;
    if fold == Journaling::Read {
        record::own_clone::is_of_this_clone(repo, &mut state)?;
    }
    if fold == Journaling::Skip {
        return beside(repo, chain, &tip.commit, &mut state, decide);
    }
    repo.store.journal().with_lock(|journal| {
        let since = match fold {
            Journaling::Read => since(&state, &journal.all()?)?,
            Journaling::Restart | Journaling::Skip => {
                JournalLines { last: state.folded.clone(), ..JournalLines::default() }
            }
        };
        let taken = write(repo, chain, Some(&tip.commit), &mut state, &since, decide)?;
        if taken.is_ok() {
            journal.restart(Some(&opening(&state, repo.now)))?;
        }
        Ok(taken)
    })
}

/// A step of a job that this worktree does not have in focus. Where another one has, the journal
/// there is folded: it goes on from the newest step, and would count as changed otherwise.
fn beside(
    repo: &Repo,
    chain: &str,
    tip: &CommitId,
    state: &mut State,
    decide: &mut dyn FnMut(&mut State, &JournalLines) -> Decided,
) -> Result<std::result::Result<Taken, Refusal>> {
    let nothing = JournalLines::default();
    let Some(worktree) = repo.store.focus_elsewhere(chain)? else {
        return write(repo, chain, Some(tip), state, &nothing, decide);
    };
    repo.store.journal_of(&worktree).with_lock(|journal| {
        let Ok(since) = since(state, &journal.all()?) else {
            // It is broken already, and whoever works there is told.
            return write(repo, chain, Some(tip), state, &nothing, decide);
        };
        let taken = write(repo, chain, Some(tip), state, &since, decide)?;
        if taken.is_ok() {
            journal.restart(Some(&opening(state, repo.now)))?;
        }
        Ok(taken)
    })
}

pub(crate) fn write(
    repo: &Repo,
    chain: &str,
    after: Option<&CommitId>,
    state: &mut State,
    since: &JournalLines,
    decide: &mut dyn FnMut(&mut State, &JournalLines) -> Decided,
) -> Result<std::result::Result<Taken, Refusal>> {
    let moved = record::kept::move_contexts(state);
    let touched = state.take_in(since);
    unclaimed::remember(repo, state, since);
    let before = state.job.updated_at;
    let stood = (state.stand.phase.clone(), state.stand.cycle);
    state.yielded = false;
    let mut draft = match decide(state, since)? {
        Ok(draft) => draft,
        Err(refusal) => return Ok(Err(refusal)),
    };
    draft.edits.splice(0..0, moved);
    record::masked::mask(state, &mut draft);
    if stood != (state.stand.phase.clone(), state.stand.cycle) {
        record::injection::inject(repo, chain, state, &mut draft)?;
    }
    if let Some(head) = repo.store.stands_at(names::CLAIMS)? {
        state.claims = head.to_string();
    }
    let trailers = seal(repo, state, &draft, since, repo.now.max(before))?;
    draft.edits.splice(0..0, traced(since, draft.cycle, &draft.phase, state.steps));
    draft.edits.splice(0..0, kept(&repo.store, since, state.steps)?);
    if !touched.is_empty() {
        draft.edits.insert(0, touched_edit(repo, chain, after, touched)?);
    }
    if archive::is_closed(state) {
        closings::begin(repo, &state.job.id)?;
    }
    put_state(repo, chain, state, &mut draft)?;
    let mut new = aside::taken_by(repo, &state.job.id, &mut draft.edits)?;
    let mut trailers = StepTrailers { redacts: draft.redacts.keys.clone(), ..trailers };
    if draft.redacts.own {
        trailers.redacts.extend(new.drain(..).map(|text| text.key));
    }
    let message = message(&draft, &trailers);
    let step = NewStep { edits: &draft.edits, message: &message, at: repo.now };
    let commit = aside::append(repo, &state.job.id, after, &step, &new)?;
    let tip = repo.store.tip(chain)?.filter(|tip| tip.commit == commit);
    let tip = tip.ok_or_else(|| StoreError::Moved { chain: chain.to_owned() })?;
    let focused = LoadedJob {
        chain: chain.to_owned(),
        tip,
        state: state.clone(),
        activity: Ok(Counts::default()),
        archived: false,
    };
    Ok(Ok(Taken { focused, trailers }))
}

/// The file of the trace for step `n`. There is none where nothing happened since the step before:
/// a journal always begins with a line, which a fold drops.
pub(super) fn traced(since: &JournalLines, cycle: u32, phase: &str, n: u32) -> Option<TreeEdit> {
    let bytes = journal::fold(&since.lines).into_bytes();
    let path = names::trace(cycle, phase, n);
    (!bytes.is_empty()).then_some(TreeEdit::Put { path, bytes })
}

/// The state as it is to stand in the tree.
fn put_state(repo: &Repo, chain: &str, state: &mut State, draft: &mut StepDraft) -> Result<()> {
    state.format = repo.format_to_write()?;
    let written = aside::written(repo, state)?;
    let (text, spilled) =
        written.map_err(|bad| EngineError::State { chain: chain.to_owned(), bad })?;
    if let Some(text) = spilled {
        draft.edits.push(TreeEdit::Put { path: names::FENCE.to_owned(), bytes: text.into_bytes() });
    }
    draft.edits.push(TreeEdit::Put { path: names::STATE.to_owned(), bytes: text.into_bytes() });
    Ok(())
}

/// The list of paths that the agent touched since the last boundary, with new ones added.
pub(super) fn touched_edit(
    repo: &Repo,
    chain: &str,
    after: Option<&CommitId>,
    new: Vec<String>,
) -> Result<TreeEdit> {
    let known = match after {
        Some(_) => repo.lines(chain, TOUCHED)?,
        None => Vec::new(),
    };
    let all = known.iter().chain(&new).map(String::as_str);
    let bytes = state::write_lines(all).into_bytes();
    Ok(TreeEdit::Put { path: TOUCHED.to_owned(), bytes })
}

/// Why the job of a chain that has no ref takes no step, if it lies in the archive.
fn closed_error(repo: &Repo, chain: &str) -> Result<Option<EngineError>> {
    let row = names::job_of(chain).map(|id| repo.archived_row(&id)).transpose()?.flatten();
    Ok(row.map(|row| EngineError::Closed { id: row.id, status: row.status.word() }))
}

/// Opens the chain of a new job.
pub(crate) fn create(
    repo: &Repo,
    mut job: State,
    subject: &str,
    by: By,
    edits: Vec<TreeEdit>,
    focus: bool,
) -> Result<Taken> {
    let _lock = repo.store.lock()?;
    let chain = names::job_chain(&job.job.id);
    job.home.clone = record::own_clone::clone_id(repo)?;
    let draft = StepDraft { edits, ..StepDraft::new(&job, "birth", subject, by) };
    let mut decide = |_: &mut State, _: &JournalLines| Ok(Ok(draft.clone()));
    let taken = write(repo, &chain, None, &mut job, &JournalLines::default(), &mut decide)?;
    let taken = taken.map_err(|refusal| EngineError::Refused(refusal.wants))?;
    if focus {
        self::focus(repo, &taken.focused)?;
    }
    Ok(taken)
}

/// Gives the focus to a job that has just begun.
pub(crate) fn focus(repo: &Repo, job: &LoadedJob) -> Result<()> {
    // The journal first: a focus without its journal would look like damage.
    repo.store.journal().restart(Some(&opening(&job.state, repo.now)))?;
    Ok(repo.store.set_focus(&job.chain)?)
}

/// Names the step of `draft` in the state and gives its trailers.
pub(super) fn seal(
    repo: &Repo,
    state: &mut State,
    draft: &StepDraft,
    since: &JournalLines,
    at: i64,
) -> Result<StepTrailers> {
    let clone = record::own_clone::taker(repo)?;
    let (phase, cycle) = (draft.phase.as_str(), draft.cycle);
    let named = Named { step: &draft.step, clone: clone.as_deref(), phase, cycle };
    let sealed = state.seal(named, &since.last, at);
    Ok(StepTrailers {
        commit: draft.commit.as_ref().map(CommitId::to_string),
        carries: draft.carries.clone().filter(|carried| *carried != sealed.id),
        by: Some(draft.by.word().to_owned()),
        rules: Some(repo.judged_by()?),
        ..sealed
    })
}

pub(super) fn message(draft: &StepDraft, trailers: &StepTrailers) -> String {
    let head = format!("{}: {}", draft.step, shown::subject(&draft.subject));
    let text = if draft.body.is_empty() { head } else { format!("{head}\n\n{}", draft.body) };
    crate::format::trailers::append(&text, trailers)
}

/// A new pending job.
pub(crate) fn created(id: JobId, name: &str, track: &str, at: i64, worktree: &str) -> State {
    State::new(Job::created(id, name, at), track, worktree)
}
