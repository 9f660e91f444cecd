//! What commands do: jobs, multiplier, plan pointer, switching off and on.

use super::resume::Resumed;
use super::sessions::Word;
use super::steps::{By, Draft, Fold, Taken};
use super::{Focused, Result, Seed, SeedError, steps};
use crate::jobs::routing::InteractionKind;
use crate::jobs::{self, JobId, Status};
use crate::phases::{Multiplier, commands};
use crate::plans::Pointer;
use crate::store::TreeEdit;
use crate::verdict::Refusal;
use crate::{
    format::{interaction::Interaction, names},
    world,
};

/// Either it was done, or a rule said no.
pub type Done<T> = Result<std::result::Result<T, Refusal>>;

impl Seed {
    /// Says how small this stay is; once, before anything else.
    pub fn set_multiplier(&self, value: Multiplier) -> Done<Focused> {
        let focused = self.require_focused()?;
        let taken = self.step(&focused.chain, Fold::In, |state, _| {
            let row = self.row_of(state);
            let said = state.stand.entry.multiplier.is_some();
            if let Err(refusal) = commands::multiplier(row, &state.stand.phase, said) {
                return Ok(Err(refusal));
            }
            state.stand.entry.multiplier = Some(value);
            Ok(Ok(Draft::new(state, "multiplier", format!("this stay is entered at {value}"), By::Agent)))
        })?;
        Ok(taken.map(|taken| taken.focused))
    }

    /// Keeps what the agent sees when it looks at its stay through `lens`.
    pub fn reflect(&self, lens: &str, text: &str) -> Done<Focused> {
        let focused = self.require_focused()?;
        let row = self.row(Some(&focused));
        let known = match commands::reflects(row) {
            Ok(pace) => commands::lenses(pace),
            Err(refusal) => return Ok(Err(refusal)),
        };
        if !known.contains(&lens) {
            let text = format!("`{lens}` is no lens of {}; known: {}", row.name, known.join(", "));
            return Err(SeedError::Usage(text));
        }
        if let Err(refusal) = commands::reflection(lens, text) {
            return Ok(Err(refusal));
        }
        let taken = self.step(&focused.chain, Fold::In, |state, _| {
            *state.stand.entry.reflections.entry(lens.to_owned()).or_insert(0) += 1;
            let mut draft = Draft::new(state, "reflect", lens, By::Agent);
            text.trim().clone_into(&mut draft.body);
            Ok(Ok(draft))
        })?;
        Ok(taken.map(|taken| taken.focused))
    }

    /// Gives the focused job a name, an objective, or both in one step.
    pub fn update_job(&self, name: Option<&str>, objective: Option<&str>) -> Result<Focused> {
        let focused = self.require_focused()?;
        let name = name.map(jobs::check_name).transpose().map_err(usage)?;
        let objective = objective.map(jobs::check_objective).transpose().map_err(usage)?;
        if name.is_none() && objective.is_none() {
            return Err(SeedError::Usage("nothing to update: give --name, --objective, or both".to_owned()));
        }
        self.always(&focused.chain, |state| {
            if let Some(name) = name {
                name.clone_into(&mut state.job.name);
                state.job.provisional = false;
            }
            if let Some(objective) = objective {
                objective.clone_into(&mut state.job.objective);
            }
            Draft::new(state, "update", format!("the job is \"{}\"", state.job.name), By::Agent)
        })
    }

    /// A step that no rule can refuse.
    pub(super) fn always(
        &self,
        chain: &str,
        mut draft: impl FnMut(&mut crate::format::state::State) -> Draft,
    ) -> Result<Focused> {
        let taken = self.step(chain, Fold::In, |state, _| Ok(Ok(draft(state))))?;
        match taken {
            Ok(taken) => Ok(taken.focused),
            Err(refusal) => Err(SeedError::Usage(format!("{} was wanted", refusal.wants.word()))),
        }
    }

    /// Creates a pending job; a dependent one is what the focused job waits for from then on.
    /// One that is made of a note is told what the note said; the note itself is resolved by
    /// [`Seed::note_resolve`], once the job is there.
    pub fn create_job(
        &self,
        name: &str,
        objective: &str,
        dependent: bool,
        person: bool,
        note: Option<usize>,
    ) -> Done<Focused> {
        self.require_seeded()?;
        let _lock = self.store.lock()?;
        let name = jobs::check_name(name).map_err(usage)?.to_owned();
        let objective = jobs::check_objective(objective).map_err(usage)?.to_owned();
        let parent = self.focused()?;
        let elsewhere = self.births_elsewhere(parent.as_ref().map(|parent| &parent.state));
        if let Some(refusal) = elsewhere.filter(|_| !person || dependent) {
            return Ok(Err(refusal));
        }
        let told = match note.map(|n| self.note_for_birth(n)).transpose()? {
            Some(Err(refusal)) => return Ok(Err(refusal)),
            Some(Ok(told)) => Some(told),
            None => None,
        };
        let id = self.free_id(&name)?;
        let mut state = steps::created(
            id.clone(),
            &name,
            self.rules.maps.home_name(),
            self.now,
            &self.store.worktree_name(),
        );
        state.job.objective = objective;
        if !person {
            // It waits for a person to see it: an agent's own plans do not hold up its stop.
            state.home.worktree.clear();
        }
        let by = if person { By::Person } else { By::Agent };
        let mut edits = Vec::new();
        if let Some(text) = told {
            let kind = InteractionKind::Automation;
            let provenance = Word::Nobody.text().to_owned();
            let interaction = Interaction { kind, at: self.now, provenance, text };
            state.job.interactions = 1;
            let bytes = interaction.write().into_bytes();
            edits.push(TreeEdit::Put { path: names::interaction(1), bytes });
        }
        let born = self.bear(state, &format!("\"{name}\""), by, edits, false)?;
        if let (true, Some(parent)) = (dependent, parent) {
            self.always(&parent.chain, |state| {
                state.job.depends_on.push(id.clone());
                Draft::new(state, "depend", format!("waits for {id}"), By::Agent)
            })?;
        }
        Ok(Ok(born.focused))
    }

    /// Creates the pending job that a person approved; it may ask for protected surfaces.
    pub fn create_approved_job(&self, name: &str, objective: &str) -> Result<Focused> {
        let name = jobs::check_name(name).map_err(usage)?.to_owned();
        let words: Vec<&str> = objective.split_whitespace().take(jobs::OBJECTIVE_WORDS_MOST).collect();
        let whole = jobs::check_objective(objective).map(str::to_owned);
        let (id, worktree) = (self.free_id(&name)?, self.store.worktree_name());
        let mut state = steps::created(id, &name, self.rules.maps.home_name(), self.now, &worktree);
        state.job.objective = whole.unwrap_or_else(|_| words.join(" "));
        state.job.plugin_lock_approval = true;
        Ok(self.bear(state, &format!("\"{name}\""), By::Person, Vec::new(), false)?.focused)
    }

    fn free_id(&self, salt: &str) -> Result<JobId> {
        let mut id = world::new_job_id(self.now, salt);
        for n in 1..100 {
            if !self.knows(&id)? {
                break;
            }
            id = world::new_job_id(self.now, &format!("{salt}{n}"));
        }
        Ok(id)
    }

    /// Makes a pending job active and turns this worktree to it, if no other job is in the way.
    pub fn activate_job(&self, id: &JobId) -> Done<Focused> {
        Ok(self.resume_job(id)?.map(|resumed| resumed.focused))
    }

    /// Turns this worktree to another active job.
    pub fn focus_job(&self, id: &JobId) -> Done<Resumed> {
        self.require_seeded()?;
        let job = self.job(id)?;
        if let Some(refusal) = self.cannot_be_active(&job.state) {
            return Ok(Err(refusal));
        }
        if job.state.job.status != Status::Active {
            let text = format!(
                "job {id} is {}; git seed job activate {id} comes first",
                job.state.job.status.word()
            );
            return Err(SeedError::Usage(text));
        }
        self.resume_job(id)
    }

    pub(super) fn turn_to(&self, taken: std::result::Result<Taken, Refusal>) -> Done<Focused> {
        match taken {
            Ok(taken) => {
                self.store.set_focus(&taken.focused.chain)?;
                Ok(Ok(taken.focused))
            }
            Err(refusal) => Ok(Err(refusal)),
        }
    }

    /// Why the focus may not move to `id` now, if it may not.
    pub(super) fn focus_in_the_way(&self, id: &JobId) -> Result<Option<Refusal>> {
        let chain = names::job_chain(id);
        let held = self.store.focus_elsewhere(&chain)?;
        let busy =
            self.focused()?.filter(|focused| focused.chain != chain && !focused.state.stand.phase.is_idle());
        let busy = busy.as_ref().map(|busy| &busy.state.stand.phase);
        Ok(commands::focus(id.as_str(), held.as_deref(), busy).err())
    }

    /// Folds what the journal still holds into the job that loses the focus.
    pub(super) fn leave_focus(&self, focused: Option<&Focused>) -> Result<()> {
        match focused {
            Some(focused) if focused.since.is_ok() && !self.is_foreign(&focused.state) => {
                self.always(&focused.chain, |state| {
                    Draft::new(state, "rest", "the focus moved on", By::Agent)
                })?;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Active to pending, and out of focus. Phase and multiplier wait where they are. A job
    /// that is completed stays so; its open cycle waits.
    pub fn pause_job(&self, by: By) -> Result<Focused> {
        let focused = self.require_focused()?;
        let (now, head) = (self.now, self.store.head()?.commit);
        // A person can always pause, over a broken journal too.
        let fold = if by == By::Person && focused.since.is_err() { Fold::Anew } else { Fold::In };
        let taken = self.step(&focused.chain, fold, |state, _| {
            if !state.is_closing() {
                state.job.become_(Status::Pending, now).map_err(usage)?;
            }
            // What was unlocked is judged at the boundary that comes next, and that may be another job's.
            state.unlocked = None;
            state.home.left = head.as_ref().map(ToString::to_string).unwrap_or_default();
            // A person's pause lets the turn end; an agent's own does not.
            if by == By::Person {
                state.home.rested = std::mem::take(&mut state.home.worktree);
            }
            Ok(Ok(Draft::new(state, "pause", "the job rests", by)))
        })?;
        self.store.clear_focus()?;
        self.store.journal().restart(None)?;
        match taken {
            Ok(taken) => Ok(taken.focused),
            Err(_) => Ok(focused),
        }
    }

    /// A person says how often the focused job repeats, in hours; 0 is not at all. Its next
    /// run begins `active`, or pending.
    pub fn repeat_job(&self, hours: u32, active: bool) -> Result<Focused> {
        let focused = self.require_focused()?;
        self.always(&focused.chain, |state| {
            state.job.repeating_interval = hours;
            state.job.repeats_active = active && hours > 0;
            Draft::new(state, "repeat", format!("the job repeats every {hours} hours"), By::Person)
        })
    }

    /// Re-homes the focused job: it lives on the branch of this worktree from now on.
    pub fn move_job(&self) -> Result<Focused> {
        let focused = self.require_focused()?;
        let head = self.store.head()?;
        let tree =
            if focused.state.fence.tree.is_empty() { None } else { Some(self.snapshot()?.to_string()) };
        let persons = self.dirty_now()?;
        self.always(&focused.chain, |state| {
            state.home.branch = head.branch.clone().unwrap_or_default();
            state.home.commit = head.commit.as_ref().map(ToString::to_string).unwrap_or_default();
            state.home.logged = self.store.head_log_length();
            if let Some(tree) = &tree {
                state.fence.tree.clone_from(tree);
            }
            let bytes = crate::format::state::write_lines(persons.iter().map(String::as_str)).into_bytes();
            let put = TreeEdit::Put { path: names::PERSONS.to_owned(), bytes };
            Draft::new(state, "move", "the job lives here now", By::Person).with(put)
        })
    }

    /// Decides about the plan document, in the first cycle's plan phase.
    pub fn set_plan(&self, argument: &str) -> Done<Focused> {
        let pointer = Pointer::read(argument).map_err(usage)?;
        let focused = self.require_focused()?;
        let taken = self.step(&focused.chain, Fold::In, |state, _| {
            let again = state.plan.pointer == pointer;
            let decided = state.plan.pointer != Pointer::Undecided;
            let row = self.row_of(state);
            if let Err(refusal) = commands::plan_decision(row, state.stand.cycle, decided, again) {
                return Ok(Err(refusal));
            }
            state.plan.decide(pointer.clone()).map_err(usage)?;
            Ok(Ok(Draft::new(state, "decision", format!("plan document: {argument}"), By::Agent)))
        })?;
        Ok(taken.map(|taken| taken.focused))
    }

    /// Switches discipline off in this worktree.
    pub fn switch_off(&self, why: &str) -> Result<()> {
        self.require_seeded()?;
        Ok(world::write_whole(&self.switch(), format!("{why}\n").as_bytes())?)
    }

    /// Switches it on again. What changed meanwhile is the person's.
    pub fn switch_on(&self) -> Result<()> {
        self.require_seeded()?;
        match std::fs::remove_file(self.switch()) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            done => done?,
        }
        self.take_prints()?;
        let Some(focused) = self.focused()? else { return Ok(()) };
        if focused.state.fence.tree.is_empty() {
            return Ok(());
        }
        let persons: Vec<String> = self.persons(&focused)?.into_iter().chain(self.dirty_now()?).collect();
        let tree = self.snapshot()?.to_string();
        self.always(&focused.chain, |state| {
            state.fence.tree.clone_from(&tree);
            let bytes = crate::format::state::write_lines(persons.iter().map(String::as_str)).into_bytes();
            let put = TreeEdit::Put { path: names::PERSONS.to_owned(), bytes };
            Draft::new(state, "on", "discipline is on again", By::Person).with(put)
        })?;
        Ok(())
    }
}

fn usage(error: impl std::fmt::Display) -> SeedError {
    SeedError::Usage(error.to_string())
}
