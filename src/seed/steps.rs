//! Steps: the only way that a job's state changes.
//!
//! A step locks, reads the job afresh, folds the journal into it, lets the caller
//! decide, and writes state, trace and trailers as one commit by compare-and-swap;
//! then the journal begins anew. Killed between any two of these, the next reader
//! sees either the job before the step or the job after it: the new journal is
//! recognised by its base, the old one by the hash that the step folded.

use super::receipts::kept;
use super::{Focused, JournalTrouble, Result, Seed, SeedError};
use crate::format::fold::Named;
use crate::format::journal::{self, Counts, Line, Linked};
use crate::format::names;
use crate::format::state::{self, State};
use crate::format::trailers::StepTrailers;
use crate::jobs::{Job, JobId};
use crate::store::{CommitId, StoreError, TreeEdit};
use crate::verdict::Refusal;

pub use crate::format::fold::{PREP, Since, opening};

/// Who took a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    Agent,
    Person,
    Hook,
}

impl By {
    fn word(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Person => "person",
            Self::Hook => "hook",
        }
    }
}

/// What the caller of a step decided.
#[derive(Clone, Debug)]
pub struct Draft {
    /// `observe -> plan`, `checkpoint`, `multiplier`: the value of `Seed-Step`.
    pub step: String,
    /// One line that says what happened.
    pub subject: String,
    pub body: String,
    pub by: By,
    /// The phase that the step was taken in.
    pub phase: String,
    /// The cycle that it was taken in.
    pub cycle: u32,
    /// The phase commit that it made.
    pub commit: Option<CommitId>,
    /// Files of the job's tree that change with it.
    pub edits: Vec<TreeEdit>,
}

impl Draft {
    /// A step taken in the phase where `state` stands.
    pub fn new(state: &State, step: impl Into<String>, subject: impl Into<String>, by: By) -> Self {
        Self {
            step: step.into(),
            subject: subject.into(),
            body: String::new(),
            by,
            phase: state.stand.phase.to_string(),
            cycle: state.stand.cycle,
            commit: None,
            edits: Vec::new(),
        }
    }

    #[must_use]
    pub fn with(mut self, edit: TreeEdit) -> Self {
        self.edits.push(edit);
        self
    }
}

/// A step that was taken.
#[derive(Clone, Debug)]
pub struct Taken {
    pub focused: Focused,
    pub trailers: StepTrailers,
}

/// How a step treats the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    /// It belongs to this job: fold it in.
    In,
    /// It is another job's, or broken: begin a new one.
    Anew,
    /// The job is not focused in this worktree: leave the journal alone.
    Leave,
}

/// The counts that `linked`, the journal's last line, brings over `state`.
pub fn counts_over(state: &State, linked: &Linked) -> Result<Counts, JournalTrouble> {
    if linked.line.base == state.step {
        Ok(linked.line.counts.clone())
    } else if linked.hash == state.folded {
        // The step was written, and whoever wrote it was stopped before the new journal.
        Ok(Counts::default())
    } else {
        Err(JournalTrouble::Changed)
    }
}

impl Seed {
    /// Takes a step of the job on `chain`. `decide` sees the job with its journal folded in,
    /// and may be asked again if another writer came first.
    pub fn step(
        &self,
        chain: &str,
        fold: Fold,
        decide: impl FnMut(&mut State, &Since) -> Result<std::result::Result<Draft, Refusal>>,
    ) -> Result<std::result::Result<Taken, Refusal>> {
        let _lock = self.store.lock()?;
        self.step_locked(chain, fold, decide)
    }

    fn step_locked(
        &self,
        chain: &str,
        fold: Fold,
        mut decide: impl FnMut(&mut State, &Since) -> Result<std::result::Result<Draft, Refusal>>,
    ) -> Result<std::result::Result<Taken, Refusal>> {
        const TRIES: usize = 5;
        for _ in 1..TRIES {
            match self.try_step(chain, fold, &mut decide) {
                Err(SeedError::Store(error)) if error.is_moved() => {}
                done => return done,
            }
        }
        self.try_step(chain, fold, &mut decide)
    }

    fn try_step(
        &self,
        chain: &str,
        fold: Fold,
        decide: &mut impl FnMut(&mut State, &Since) -> Result<std::result::Result<Draft, Refusal>>,
    ) -> Result<std::result::Result<Taken, Refusal>> {
        let repair = "git seed doctor --fix";
        let missing = || StoreError::Missing { what: chain.to_owned(), repair };
        let Some(tip) = self.store.tip(chain)? else {
            return Err(self.closed_error(chain)?.unwrap_or_else(|| missing().into()));
        };
        let mut state = self.state(chain, &tip)?;
        if fold == Fold::In {
            self.is_of_this_clone(&mut state)?;
        }
        if fold == Fold::Leave {
            return self.write(chain, Some(&tip.commit), &mut state, &Since::default(), decide);
        }
        self.store.journal().with_lock(|journal| {
            let since = match fold {
                Fold::In => since(&state, &journal.all()?)?,
                Fold::Anew | Fold::Leave => Since { last: state.folded.clone(), ..Since::default() },
            };
            let taken = self.write(chain, Some(&tip.commit), &mut state, &since, decide)?;
            if taken.is_ok() {
                journal.restart(Some(&opening(&state, self.now)))?;
            }
            Ok(taken)
        })
    }

    fn write(
        &self,
        chain: &str,
        after: Option<&CommitId>,
        state: &mut State,
        since: &Since,
        decide: &mut impl FnMut(&mut State, &Since) -> Result<std::result::Result<Draft, Refusal>>,
    ) -> Result<std::result::Result<Taken, Refusal>> {
        let moved = super::runs::move_contexts(state);
        let touched = state.take_in(since);
        let before = state.job.updated_at;
        let stood = (state.stand.phase.clone(), state.stand.cycle);
        let mut draft = match decide(state, since)? {
            Ok(draft) => draft,
            Err(refusal) => return Ok(Err(refusal)),
        };
        draft.edits.splice(0..0, moved);
        if stood != (state.stand.phase.clone(), state.stand.cycle) {
            self.inject(chain, state, &mut draft)?;
        }
        let trailers = seal(state, &draft, since, self.now.max(before));
        if !since.lines.is_empty() {
            let path = names::trace(draft.cycle, &draft.phase, state.steps);
            draft.edits.insert(0, TreeEdit::Put { path, bytes: journal::fold(&since.lines).into_bytes() });
        }
        draft.edits.splice(0..0, kept(since.lines.iter().filter_map(|linked| linked.line.ran.as_ref())));
        if !touched.is_empty() {
            draft.edits.insert(0, self.touched_edit(chain, after, touched)?);
        }
        let written = state::write_short(state);
        let (text, spilled) = written.map_err(|bad| SeedError::State { chain: chain.to_owned(), bad })?;
        if let Some(text) = spilled {
            draft.edits.push(TreeEdit::Put { path: names::FENCE.to_owned(), bytes: text.into_bytes() });
        }
        draft.edits.push(TreeEdit::Put { path: names::STATE.to_owned(), bytes: text.into_bytes() });
        let message = message(&draft, &trailers);
        let commit = self.store.append(chain, after, &draft.edits, &message, self.now, &[])?;
        let tip = self.store.tip(chain)?.filter(|tip| tip.commit == commit);
        let tip = tip.ok_or_else(|| StoreError::Moved { chain: chain.to_owned() })?;
        let focused = Focused {
            chain: chain.to_owned(),
            tip,
            state: state.clone(),
            since: Ok(Counts::default()),
            archived: false,
        };
        Ok(Ok(Taken { focused, trailers }))
    }

    /// The list of paths that the agent touched since the last boundary, with new ones added.
    fn touched_edit(&self, chain: &str, after: Option<&CommitId>, new: Vec<String>) -> Result<TreeEdit> {
        let known = match after {
            Some(_) => self.lines(chain, TOUCHED)?,
            None => Vec::new(),
        };
        let all = known.iter().chain(&new).map(String::as_str);
        let bytes = state::write_lines(all).into_bytes();
        Ok(TreeEdit::Put { path: TOUCHED.to_owned(), bytes })
    }

    /// Why the job of a chain that has no ref takes no step, if it lies in the archive.
    fn closed_error(&self, chain: &str) -> Result<Option<SeedError>> {
        let row = names::job_of(chain).map(|id| self.archived_row(&id)).transpose()?.flatten();
        Ok(row.map(|row| SeedError::Closed { id: row.id, status: row.status.word() }))
    }

    /// The lines of a list file in the job's tree.
    pub fn lines(&self, chain: &str, file: &str) -> Result<Vec<String>> {
        let Some(tip) = self.store.tip(chain)? else { return Ok(Vec::new()) };
        Ok(self.store.file(&tip, file)?.map(|bytes| state::read_lines(&bytes)).unwrap_or_default())
    }

    /// Opens the chain of a new job.
    pub fn bear(
        &self,
        mut job: State,
        subject: &str,
        by: By,
        edits: Vec<TreeEdit>,
        focus: bool,
    ) -> Result<Taken> {
        let _lock = self.store.lock()?;
        let chain = names::job_chain(&job.job.id);
        job.home.clone = self.clone_id()?;
        let draft = Draft { edits, ..Draft::new(&job, "birth", subject, by) };
        let mut decide = |_: &mut State, _: &Since| Ok(Ok(draft.clone()));
        let taken = self.write(&chain, None, &mut job, &Since::default(), &mut decide)?;
        let taken = taken.map_err(|_| SeedError::Usage("a birth is never refused".to_owned()))?;
        if focus {
            // The journal first: a focus without its journal would look like damage.
            self.store.journal().restart(Some(&opening(&taken.focused.state, self.now)))?;
            self.store.set_focus(&chain)?;
        }
        Ok(taken)
    }

    /// Adds one line to the journal, over the focused job or over none.
    ///
    /// A journal that does not hold is left as it is: `doctor` tells and mends it.
    pub fn note(&self, focused: Option<&Focused>, fill: impl FnOnce(&mut Line)) -> Result<()> {
        if focused.is_some_and(|focused| focused.since.is_err()) {
            return Ok(());
        }
        let mut line = Line { at: self.now, ..Line::default() };
        let (base, folded) =
            focused.map_or(("", ""), |focused| (focused.state.step.as_str(), focused.state.folded.as_str()));
        base.clone_into(&mut line.base);
        let journal = self.store.journal();
        journal.append(|last| {
            let last = last.and_then(|bytes| Linked::read(bytes).ok());
            // A step may have landed since the job was read: the journal has begun anew then,
            // and its own base is the right one. Only a journal that the job itself folded,
            // whose successor was never written, is begun by this line.
            let follows = last.as_ref().filter(|last| focused.is_none() || last.hash != folded);
            if let Some(last) = follows {
                if focused.is_some() {
                    line.base.clone_from(&last.line.base);
                }
                if last.line.base == line.base {
                    line.counts = last.line.counts.clone();
                }
            }
            let prev = last.map_or_else(|| folded.to_owned(), |last| last.hash);
            fill(&mut line);
            line.link(&prev)
        })?;
        Ok(())
    }
}

/// The file that lists paths touched since the last boundary.
pub const TOUCHED: &str = "touched";

fn since(state: &State, lines: &[Vec<u8>]) -> Result<Since> {
    let linked = Linked::chain(lines).map_err(|_| JournalTrouble::Changed)?;
    let Some(last) = linked.last() else { return Err(JournalTrouble::Missing.into()) };
    let hash = last.hash.clone();
    counts_over(state, last)?;
    let lines = if hash == state.folded { Vec::new() } else { linked };
    let lines = lines.into_iter().filter(|linked| linked.line.base == state.step).collect();
    Ok(Since { lines, last: hash })
}

/// Names the step of `draft` in the state and gives its trailers.
fn seal(state: &mut State, draft: &Draft, since: &Since, at: i64) -> StepTrailers {
    let named = Named { step: &draft.step, phase: &draft.phase, cycle: draft.cycle };
    StepTrailers {
        commit: draft.commit.as_ref().map(CommitId::to_string),
        by: Some(draft.by.word().to_owned()),
        ..state.seal(named, &since.last, at)
    }
}

fn message(draft: &Draft, trailers: &StepTrailers) -> String {
    let subject: String = draft.subject.lines().next().unwrap_or_default().chars().take(120).collect();
    let head = format!("{}: {subject}", draft.step);
    let text = if draft.body.is_empty() { head } else { format!("{head}\n\n{}", draft.body) };
    crate::format::trailers::append(&text, trailers)
}

/// A new pending job.
pub fn created(id: JobId, name: &str, track: &str, at: i64, worktree: &str) -> State {
    State::new(Job::created(id, name, at), track, worktree)
}
