//! What commands do: jobs, multiplier, plan pointer, switching off and on.

use crate::engine;
use crate::engine::absence::{self, Anew};
use crate::engine::bypasses::{self, Bypass};
use crate::engine::jobs::new_id;
use crate::engine::jobs::resume::Resumed;
use crate::engine::record::draft::{By, Journaling, StepDraft};
use crate::engine::repo::answer::Answered;
use crate::engine::repo::sessions::Sender;
use crate::engine::repo::{EngineError, LoadedJob, Repo, Result};
use crate::engine::{fence, memory, record};
use crate::format::interaction::Interaction;
use crate::format::names;
use crate::format::state::State;
use crate::jobs::routing::InteractionKind;
use crate::jobs::{JobId, Naming, Status};
use crate::phases::{Multiplier, commands, home};
use crate::plans::{BadPointer, Pointer};
use crate::secrets::Masked;
use crate::store::TreeEdit;
use crate::voice::{Notice, tell};
use crate::{jobs, world};

/// Says how small this stay is; once, before anything else.
pub(crate) fn set_multiplier(repo: &Repo, value: Multiplier) -> Answered<LoadedJob> {
    let focused = repo.require_focused()?;
    let taken = record::step::step(repo, &focused.chain, Journaling::Read, |state, _| {
        let row = repo.row_of(state);
        let said = state.stand.entry.multiplier.is_some();
        if let Err(refusal) = commands::multiplier(row, &state.stand.phase, said) {
            return Ok(Err(refusal));
        }
        state.stand.entry.multiplier = Some(value);
        Ok(Ok(StepDraft::new(
            state,
            "multiplier",
            tell(Notice::SubjectEntered, &[("value", &value.to_string())]),
            By::Agent,
        )))
    })?;
    Ok(taken.map(|taken| taken.focused))
}

/// Sets the multiplier that a command brings along, unless it is that already.
pub(crate) fn bring_multiplier(repo: &Repo, value: Multiplier) -> Answered<()> {
    let focused = repo.require_focused()?;
    let (row, stand) = (repo.row(Some(&focused)), &focused.state.stand);
    let set = stand.entry.multiplier;
    if let Err(refusal) = commands::brings_multiplier(row, &stand.phase, set, value) {
        return Ok(Err(refusal));
    }
    if set == Some(value) { Ok(Ok(())) } else { Ok(set_multiplier(repo, value)?.map(drop)) }
}

/// Keeps what the agent sees when it looks at its stay through `lens`.
pub(crate) fn reflect(repo: &Repo, lens: &str, text: &str) -> Answered<LoadedJob> {
    let focused = repo.require_focused()?;
    let row = repo.row(Some(&focused));
    let known = match commands::reflects(row) {
        Ok(pace) => commands::lenses(pace),
        Err(refusal) => return Ok(Err(refusal)),
    };
    if !known.contains(&lens) {
        let known = known.join(", ");
        let facts = [("lens", lens), ("phase", row.name.as_str()), ("known", known.as_str())];
        let text = tell(Notice::LensUnknown, &facts);
        return Err(EngineError::Usage(text));
    }
    if let Err(refusal) = commands::reflection(lens, text) {
        return Ok(Err(refusal));
    }
    let taken = record::step::step(repo, &focused.chain, Journaling::Read, |state, _| {
        *state.stand.entry.reflections.entry(lens.to_owned()).or_insert(0) += 1;
        let mut draft = StepDraft::new(state, "reflect", lens, By::Agent);
        text.trim().clone_into(&mut draft.body);
        Ok(Ok(draft))
    })?;
    Ok(taken.map(|taken| taken.focused))
}

/// Gives the focused job a name, an objective, or both in one step.
pub(crate) fn update_job(
    repo: &Repo,
    name: Option<&str>,
    objective: Option<&str>,
) -> Result<LoadedJob> {
    let focused = repo.require_focused()?;
    let name = name.map(jobs::check_name).transpose().map_err(usage)?;
    let objective = objective.map(jobs::check_objective).transpose().map_err(usage)?;
    if name.is_none() && objective.is_none() {
        return Err(EngineError::Usage(tell(Notice::NothingToUpdate, &[])));
    }
    engine::jobs::focus::always(repo, &focused.chain, |state| {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        Naming { name: owned(name), objective: owned(objective) }.give(&mut state.job);
        let subject = format!("the job is \"{}\"", state.job.kept_name());
        StepDraft::new(state, "update", subject, By::Agent)
    })
}

/// The job of this name and objective that an agent made and no person has seen yet: the command
/// that made it is given again, since its answer was lost.
fn made_before(repo: &Repo, name: &str, objective: &str) -> Option<LoadedJob> {
    let (name, objective) = (Masked::new(name), Masked::new(objective));
    // Where a job does not read, none is known, and another one is made.
    let own = engine::jobs::dependencies::agents_own(repo).unwrap_or_default();
    own.into_iter().find(|job| {
        let known = &job.state.job;
        known.name == *name && known.objective == *objective
    })
}

/// `parent` waits for the job `id` from now on.
fn depend(repo: &Repo, parent: &LoadedJob, id: &JobId) -> Result<()> {
    engine::jobs::focus::always(repo, &parent.chain, |state| {
        state.job.depends_on.push(id.clone());
        StepDraft::new(state, "depend", format!("waits for {id}"), By::Agent)
    })?;
    Ok(())
}

/// The agent asks again for a job that it made: nothing is made, and a wait that is missing is.
fn made_again(repo: &Repo, same: LoadedJob, parent: Option<&LoadedJob>) -> Answered<LoadedJob> {
    let id = &same.state.job.id;
    if let Some(parent) = parent.filter(|parent| !parent.state.job.depends_on.contains(id)) {
        if let Some(refusal) = engine::jobs::dependencies::no_edge(repo, &parent.state.job, id)? {
            return Ok(Err(refusal));
        }
        depend(repo, parent, id)?;
    }
    Ok(Ok(same))
}

/// Creates a pending job; a dependent one is what the focused job waits for from then on.
/// One that is made of a note is told what the note said; the note itself is resolved by
/// `memory::notes::note_resolve`, once the job is there.
pub(crate) fn create_job(
    repo: &Repo,
    name: &str,
    objective: &str,
    dependent: bool,
    person: bool,
    note: Option<usize>,
) -> Answered<LoadedJob> {
    repo.require_seeded()?;
    let _lock = repo.store.lock()?;
    let name = jobs::check_name(name).map_err(usage)?.to_owned();
    let objective = jobs::check_objective(objective).map_err(usage)?.to_owned();
    // Of a person's the focused job waits, whatever its phase.
    let parent =
        if dependent && person { repo.require_focused().map(Some) } else { repo.focused() }?;
    let elsewhere = engine::jobs::dependencies::births_elsewhere(
        repo,
        parent.as_ref().map(|parent| &parent.state),
    );
    if let Some(refusal) = elsewhere.filter(|_| !person) {
        return Ok(Err(refusal));
    }
    let told = match note.map(|n| memory::notes::note_for_birth(repo, n)).transpose()? {
        Some(Err(refusal)) => return Ok(Err(refusal)),
        Some(Ok(told)) => Some(told),
        None => None,
    };
    let waits = parent.filter(|_| dependent);
    if !person && let Some(same) = made_before(repo, &name, &objective) {
        return made_again(repo, same, waits.as_ref());
    }
    let (id, here) = (new_id::free(repo, &name)?, repo.store.worktree_name());
    let home = repo.rules.maps.home_name();
    let mut state = record::step::created(id.clone(), &name, home, repo.now, &here);
    state.job.objective = objective;
    if !person {
        // It waits for a person to see it: an agent's own plans do not hold up its stop.
        state.home.worktree.clear();
    }
    let by = if person { By::Person } else { By::Agent };
    let mut edits = Vec::new();
    if let Some(text) = told {
        let kind = InteractionKind::Automation;
        let provenance = Sender::Nobody.text().to_owned();
        let text = Masked::new(&text);
        let interaction = Interaction { kind, at: repo.now, provenance, text };
        state.job.interactions = 1;
        let bytes = interaction.write().into_bytes();
        edits.push(TreeEdit::Put { path: names::interaction(1), bytes });
    }
    let created = record::step::create(repo, state, &format!("\"{name}\""), by, edits, false)?;
    if let Some(parent) = &waits {
        depend(repo, parent, &id)?;
    }
    Ok(Ok(created.focused))
}

/// Creates the pending job that a person approved; it may ask for protected surfaces.
pub(crate) fn create_approved_job(repo: &Repo, name: &str, objective: &str) -> Result<LoadedJob> {
    let name = jobs::check_name(name).map_err(usage)?.to_owned();
    let words: Vec<&str> = objective.split_whitespace().take(jobs::OBJECTIVE_WORDS_MOST).collect();
    let whole = jobs::check_objective(objective).map(str::to_owned);
    let (id, worktree) = (new_id::free(repo, &name)?, repo.store.worktree_name());
    let mut state =
        record::step::created(id, &name, repo.rules.maps.home_name(), repo.now, &worktree);
    state.job.objective = whole.unwrap_or_else(|_| words.join(" "));
    state.job.plugin_lock_approval = true;
    Ok(record::step::create(repo, state, &format!("\"{name}\""), By::Person, Vec::new(), false)?
        .focused)
}

/// Turns this worktree to another active job.
pub(crate) fn focus_job(repo: &Repo, id: &JobId, by: By) -> Answered<Resumed> {
    repo.require_seeded()?;
    let job = repo.job(id)?;
    if let Some(refusal) = engine::jobs::resume::cannot_be_active(&job.state) {
        return Ok(Err(refusal));
    }
    if job.state.job.status != Status::Active {
        let facts = [("job", id.as_str()), ("status", job.state.job.status.word())];
        return Err(EngineError::not_now(Notice::JobNotActive, &facts));
    }
    engine::jobs::resume::resume_job(repo, id, by)
}

/// Active to pending, and out of focus. Phase and multiplier wait where they are. A job
/// that is completed stays so; its open cycle waits.
pub(crate) fn pause_job(repo: &Repo, by: By) -> Result<LoadedJob> {
    // Until the focus is given up: nobody else may take it for one that was left half done.
    let _lock = repo.store.lock()?;
    let focused = repo.require_focused()?;
    let (now, head) = (repo.now, repo.store.head()?.commit);
    // A person can always pause, over a broken journal too.
    let fold = if by == By::Person && focused.activity.is_err() {
        Journaling::Restart
    } else {
        Journaling::Read
    };
    let taken = record::step::step(repo, &focused.chain, fold, |state, _| {
        if !state.is_closing() {
            state.job.become_(Status::Pending, now)?;
        }
        // What was unlocked is judged at the boundary that comes next, and that may be another
        // job's.
        state.unlocked = None;
        state.home.left = head.as_ref().map(ToString::to_string).unwrap_or_default();
        // A person's pause lets the turn end; an agent's own does not.
        if by == By::Person {
            state.home.rested = std::mem::take(&mut state.home.worktree);
        }
        Ok(Ok(StepDraft::new(state, "pause", "the job rests", by)))
    })?;
    engine::jobs::focus::give_up(repo)?;
    match taken {
        Ok(taken) => Ok(taken.focused),
        Err(_) => Ok(focused),
    }
}

/// A person says how often the focused job repeats, in hours; 0 is not at all. Its next
/// run begins `active`, or pending.
pub(crate) fn repeat_job(repo: &Repo, hours: u32, active: bool) -> Result<LoadedJob> {
    let focused = repo.require_focused()?;
    engine::jobs::focus::always(repo, &focused.chain, |state| {
        state.job.repeating_interval = hours;
        state.job.repeats_active = active && hours > 0;
        StepDraft::new(
            state,
            "repeat",
            tell(Notice::SubjectRepeats, &[("hours", &hours.to_string())]),
            By::Person,
        )
    })
}

/// Re-homes the focused job: it lives on the branch of this worktree from now on.
pub(crate) fn move_job(repo: &Repo) -> Answered<LoadedJob> {
    let focused = repo.require_focused()?;
    let head = repo.store.head()?;
    if let Err(refusal) = home::moves(repo.store.in_progress(), head.branch.is_some()) {
        return Ok(Err(refusal));
    }
    let anew = absence::taken_anew(repo, &focused, None)?;
    engine::jobs::focus::always(repo, &focused.chain, |state| {
        state.home.branch = head.branch.clone().unwrap_or_default();
        state.home.commit = head.commit.as_ref().map(ToString::to_string).unwrap_or_default();
        state.home.logged = repo.store.head_log_length();
        let subject = tell(Notice::SubjectMoved, &[]);
        let draft = StepDraft::new(state, "move", subject, By::Person);
        taken_in(state, anew.as_ref(), draft)
    })
    .map(Ok)
}

/// Puts what the fence looks from now on into the step that `draft` is of.
fn taken_in(state: &mut State, anew: Option<&Anew>, draft: StepDraft) -> StepDraft {
    let Some(anew) = anew else { return draft };
    state.fence.tree = anew.tree.to_string();
    state.proved &= !anew.changed;
    draft.with(anew.edit())
}

/// The focused job goes along to a branch that was opened where it stands, with a person's leave;
/// says so, where it did.
pub(crate) fn follow_branch(repo: &Repo) -> Result<Option<String>> {
    let Some(focused) = repo.focused()? else { return Ok(None) };
    let home = focused.state.home.branch.clone();
    let (head, here) = (repo.store.head()?, repo.store.branch()?.unwrap_or_default());
    if home.is_empty() || here.is_empty() || here == home {
        return Ok(None);
    }
    let there = repo.store.resolve_commit(&format!("refs/heads/{home}"))?;
    if there != head.commit {
        return Ok(None);
    }
    engine::jobs::focus::always(repo, &focused.chain, |state| {
        state.home.branch.clone_from(&here);
        StepDraft::new(state, "move", tell(Notice::SubjectAlong, &[]), By::Person)
    })?;
    Ok(Some(tell(Notice::GitFollowed, &[("branch", &here)])))
}

fn plan_stands(bad: &BadPointer) -> EngineError {
    EngineError::NotNow { why: bad.to_string(), next: tell(Notice::NextPlan, &[]) }
}

/// Decides about the plan document, in the first cycle's plan phase.
pub(crate) fn set_plan(repo: &Repo, argument: &str) -> Answered<LoadedJob> {
    let pointer = Pointer::read(argument).map_err(usage)?;
    let focused = repo.require_focused()?;
    let taken = record::step::step(repo, &focused.chain, Journaling::Read, |state, _| {
        let again = state.plan.pointer == pointer;
        let decided = state.plan.pointer != Pointer::Undecided;
        let row = repo.row_of(state);
        if let Err(refusal) = commands::plan_decision(row, state.stand.cycle, decided, again) {
            return Ok(Err(refusal));
        }
        state.plan.decide(pointer.clone()).map_err(|bad| plan_stands(&bad))?;
        Ok(Ok(StepDraft::new(state, "decision", format!("plan document: {argument}"), By::Agent)))
    })?;
    Ok(taken.map(|taken| taken.focused))
}

/// Switches discipline off in this worktree.
pub(crate) fn switch_off(repo: &Repo, why: &str) -> Result<()> {
    // What does not read is there, and to be switched off.
    let in_focus = repo.store.in_focus().map_or(true, |chains| !chains.is_empty());
    if !in_focus && matches!(repo.is_seeded(), Ok(false)) {
        return Err(EngineError::NotSeeded);
    }
    // Over damage nobody knows what was whose; then what calls wrote stays the agent's.
    let _ = if repo.is_on() { absence::begin(repo) } else { Ok(()) };
    world::write_whole(&repo.switch(), format!("{}\n", Masked::new(why)).as_bytes())?;
    // A person can switch it off over any damage: then the record lacks it.
    let _ = bypasses::keep(repo, Bypass::Off, why);
    Ok(())
}

/// Switches it on again. What changed meanwhile is the person's.
pub(crate) fn switch_on(repo: &Repo) -> Result<()> {
    repo.require_seeded()?;
    match std::fs::remove_file(repo.switch()) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        done => done?,
    }
    let left = absence::end(repo)?;
    fence::fingerprints::take_prints(repo)?;
    let Some(focused) = repo.focused()? else { return Ok(()) };
    let Some(anew) = absence::taken_anew(repo, &focused, left.as_ref())? else { return Ok(()) };
    engine::jobs::focus::always(repo, &focused.chain, |state| {
        let draft = StepDraft::new(state, "on", "discipline is on again", By::Person);
        taken_in(state, Some(&anew), draft)
    })?;
    Ok(())
}

pub(crate) fn usage(error: impl std::fmt::Display) -> EngineError {
    EngineError::Usage(error.to_string())
}

/// Parks a job for good and gives up its focus.
pub(crate) fn void(repo: &Repo, focused: &LoadedJob, why: &str) -> Result<()> {
    let now = repo.now;
    // As in `pause_job`.
    let _lock = repo.store.lock()?;
    let taken = record::step::step(repo, &focused.chain, Journaling::Read, |state, _| {
        let draft = StepDraft::new(state, "void", why, By::Hook);
        state.job.become_(Status::Voided, now)?;
        Ok(Ok(draft))
    })?;
    if taken.is_ok() {
        engine::jobs::focus::give_up(repo)?;
        record::archive::put_away(repo, &focused.state.job.id)?;
    }
    Ok(())
}
