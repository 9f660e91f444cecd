//! Taking a job up again: in a new session, in another worktree, in another clone.
//!
//! What a job needs of the place where it is worked on is taken anew where the place is
//! another one: the fence's tree, the pins, the driver, the branch. A job that came from
//! another clone is data. What a person granted there was not granted here, and goes.

use super::commands::Done;
use super::fence::Beginning;
use super::steps::{By, Draft, Fold, TOUCHED};
use super::{Focused, Result, Seed, SeedError};
use crate::format::names;
use crate::format::state::{self, Driver, Fence, Prep, State};
use crate::jobs::{JobId, Status};
use crate::phases::home::{self, LastCommit};
use crate::store::{CommitId, Store, TreeEdit, TreeId};
use crate::verdict::Refusal;
use crate::world;

/// The most runs, words and reasons that are looked for one by one.
const MOST: u32 = 100_000;

/// A job that was taken up.
#[derive(Clone, Debug)]
pub struct Resumed {
    pub focused: Focused,
    /// What no longer holds, and what was taken anew, one line each.
    pub remarks: Vec<String>,
}

fn clone_file(store: &Store) -> std::path::PathBuf {
    store.seed_dir().join("clone")
}

/// The id of this clone; empty while it has none.
pub(super) fn known_clone(store: &Store) -> String {
    std::fs::read_to_string(clone_file(store)).unwrap_or_default().trim().to_owned()
}

/// The line above what a person approved for a job: it counts in this clone alone.
pub(super) fn approved_in(clone: &str) -> String {
    format!("# Approved in clone {clone}.")
}

impl Seed {
    fn clone_file(&self) -> std::path::PathBuf {
        clone_file(&self.store)
    }

    /// The id of this clone; empty while it has none.
    fn known_clone(&self) -> String {
        known_clone(&self.store)
    }

    /// The id of this clone, which is made when it is needed first. No ref holds it, so no
    /// other clone comes by it.
    pub fn clone_id(&self) -> Result<String> {
        let known = self.known_clone();
        if !known.is_empty() {
            return Ok(known);
        }
        let id = world::new_clone_id(self.store.common_dir());
        match world::Whole::private().write_new(&self.clone_file(), format!("{id}\n").as_bytes()) {
            // Another process was first, and its word holds.
            Err(failed) if failed.kind() == std::io::ErrorKind::AlreadyExists => Ok(self.known_clone()),
            done => Ok(done.map(|()| id)?),
        }
    }

    /// True for a job whose steps another clone took, or nobody knows who.
    pub fn is_foreign(&self, state: &State) -> bool {
        state.home.clone != self.known_clone()
    }

    /// The job in focus was taken up here. Steps of another clone that a fetch has put over it
    /// were not; those of an older git seed, which named no clone, are this one's.
    pub(super) fn is_of_this_clone(&self, state: &mut State) -> Result<()> {
        if state.home.clone.is_empty() {
            state.home.clone = self.clone_id()?;
        }
        if !self.is_foreign(state) {
            return Ok(());
        }
        let id = &state.job.id;
        let text =
            format!("job {id} went on in another clone; a person's git seed job activate {id} takes it up");
        Err(SeedError::Elsewhere(text))
    }

    /// A job of this clone that rests in the worktree `here` and waits for it.
    pub(super) fn waits_in(&self, state: &State, here: &str) -> bool {
        state.home.worktree == here && !self.is_foreign(state)
    }

    /// Makes a job active and turns this worktree to it, if nothing is in the way. Where it
    /// was worked on elsewhere, it lives here from now on.
    pub fn resume_job(&self, id: &JobId) -> Done<Resumed> {
        self.require_seeded()?;
        if let Some(refusal) = self.focus_in_the_way(id)? {
            return Ok(Err(refusal));
        }
        let job = self.job(id)?;
        let counts = [job.state.job.run, job.state.job.interactions, job.state.plan.contexts];
        if job.state.job.id != *id || counts.iter().any(|count| *count > MOST) {
            return Err(SeedError::Elsewhere(format!("{} is no job that git seed wrote", job.chain)));
        }
        if let Some(refusal) = self.cannot_be_active(&job.state) {
            return Ok(Err(refusal));
        }
        let (foreign, moves) = (self.is_foreign(&job.state), self.comes_from_elsewhere(&job.state)?);
        if moves && let Err(refusal) = self.is_in_history(&job.state)? {
            return Ok(Err(refusal));
        }
        let begun = moves && !job.state.fence.tree.is_empty();
        let beginning = if begun { Some(self.begin_fence()?) } else { None };
        let rebased = if moves { None } else { self.fence_after_rest(&job.state)? };
        let tree = beginning.as_ref().map(|beginning| &beginning.tree).or(rebased.as_ref());
        self.keep_what_it_needs(&job, tree)?;
        let (clone, worktree) = (self.clone_id()?, self.store.worktree_name());
        // Nobody else takes it, or parks it, between the look and the focus.
        let _lock = self.store.lock()?;
        if let Some(refusal) = self.focus_in_the_way(id)? {
            return Ok(Err(refusal));
        }
        let leave = self.focused()?;
        self.leave_focus(leave.as_ref())?;
        let (now, mut remarks) = (self.now, Vec::new());
        let taken = self.step(&job.chain, Fold::Anew, |state, _| {
            remarks.clear();
            let mut edits = Vec::new();
            if foreign {
                remarks = self.disown(state, &mut edits);
            }
            if state.job.status != Status::Active && !state.is_closing() {
                let became = state.job.become_(Status::Active, now);
                became.map_err(|bad| SeedError::Usage(bad.to_string()))?;
            }
            if moves {
                self.settle(state, beginning.as_ref(), &mut edits)?;
            }
            if let Some(tree) = &rebased {
                state.fence.tree.clone_from(tree);
            }
            state.home.left.clear();
            state.home.clone.clone_from(&clone);
            state.home.worktree.clone_from(&worktree);
            state.home.rested.clear();
            let subject = if moves { "the job is active, and lives here now" } else { "the job is active" };
            Ok(Ok(Draft { edits, ..Draft::new(state, "activate", subject, By::Agent) }))
        })?;
        if begun {
            remarks.push(
                "The work tree was taken as it is: what differs from HEAD in it is the person's.".to_owned(),
            );
        }
        let focused = self.turn_to(taken)?;
        Ok(focused.map(|focused| Resumed { focused, remarks }))
    }

    pub(super) fn cannot_be_active(&self, state: &State) -> Option<Refusal> {
        state.job.may_be_active(state.is_closing()).err()
    }

    /// The place where the job was worked on last is not this one.
    fn comes_from_elsewhere(&self, state: &State) -> Result<bool> {
        let home = &state.home;
        let worktree = if home.worktree.is_empty() { &home.rested } else { &home.worktree };
        let another = !worktree.is_empty() && *worktree != self.store.worktree_name();
        let lost = |tree: &str| !tree.is_empty() && !self.store.has_object(tree);
        Ok(another || self.is_foreign(state) || lost(&state.fence.tree))
    }

    /// The job's last commit is what HEAD builds on.
    fn is_in_history(&self, state: &State) -> Result<std::result::Result<(), Refusal>> {
        let home = &state.home;
        let last = match home.commit.parse::<CommitId>() {
            _ if home.commit.is_empty() => LastCommit::None,
            Ok(commit) if self.store.has_commit(&home.commit) => {
                if self.store.contains(&commit)? {
                    LastCommit::Below
                } else {
                    LastCommit::Beside
                }
            }
            _ => LastCommit::Absent,
        };
        Ok(home::takes_up(last, &home.branch, state.job.id.as_str()))
    }

    /// Holds what the job stands on against a gc of this clone.
    fn keep_what_it_needs(&self, job: &Focused, tree: Option<&String>) -> Result<()> {
        let chain = names::keep_chain(&job.state.job.id);
        let Some(tree) = tree.and_then(|tree| tree.parse().ok()) else { return Ok(()) };
        if let Ok(commit) = job.state.home.commit.parse() {
            self.store.keep(&chain, &commit, self.now)?;
        }
        Ok(self.store.keep_tree(&chain, &tree, self.now)?)
    }

    /// The fence's tree of a job that comes back where it rested, with what was committed here
    /// meanwhile: that is none of its changes, and putting strays back must not undo it. What
    /// is in no commit, and what was committed before it rested, stays judged as it was.
    fn fence_after_rest(&self, state: &State) -> Result<Option<String>> {
        let (Ok(tree), Ok(left)) = (state.fence.tree.parse::<TreeId>(), state.home.left.parse::<CommitId>())
        else {
            return Ok(None);
        };
        let Some(head) = self.store.head()?.commit.filter(|head| *head != left) else { return Ok(None) };
        if !self.store.has_commit(left.as_str()) || !self.store.contains(&left)? {
            return Ok(None);
        }
        let (old, new) = (self.store.tree_of_commit(&left)?, self.store.tree_of_commit(&head)?);
        Ok(Some(self.store.carry_over(&tree, &old, &new)?.to_string()))
    }

    /// Takes what was granted elsewhere out of a job that came from there; says what it was.
    fn disown(&self, state: &mut State, edits: &mut Vec<TreeEdit>) -> Vec<String> {
        let mut gone = Vec::new();
        let job = &mut state.job;
        if std::mem::take(&mut job.user_approval) {
            gone.push("a completion that was approved elsewhere");
        }
        if state.job.status == Status::Completed {
            state.job.status = Status::Active;
        }
        if std::mem::take(&mut state.job.plugin_lock_approval) {
            gone.push("access to protected surfaces");
        }
        if state.unlocked.take().is_some() {
            gone.push("a surface that was unlocked");
        }
        if let Ok(step) = state.stand.home() {
            state.stand = state.stand.take(self.map(&state.stand), &step);
            (state.side_reason, state.side_notes) = (None, None);
            gone.push("the side lane, which was open");
        }
        let chain = names::job_chain(&state.job.id);
        if !self.lines(&chain, names::ALLOWED).unwrap_or_default().is_empty() {
            gone.push("paths that a person had opened");
        }
        edits.push(TreeEdit::Put { path: names::ALLOWED.to_owned(), bytes: Vec::new() });
        if !self.lines(&chain, names::JOB_RULES).unwrap_or_default().is_empty() {
            gone.push("rules of its own");
        }
        edits.push(TreeEdit::Put { path: names::JOB_RULES.to_owned(), bytes: Vec::new() });
        (state.prep, state.put_back) = (Prep::None, None);
        (state.scheduled, state.answered) = (Vec::new(), Vec::new());
        gone.iter().map(|what| format!("It came from another clone; not granted here: {what}.")).collect()
    }

    /// Ties the job to this worktree, as far as it had a place before.
    fn settle(
        &self,
        state: &mut State,
        beginning: Option<&Beginning>,
        edits: &mut Vec<TreeEdit>,
    ) -> Result<()> {
        state.driver = Driver::default();
        state.proved = false;
        state.flights.clear();
        state.running.clear();
        if !state.home.branch.is_empty() {
            state.home.branch = self.store.head()?.branch.unwrap_or_default();
        }
        state.home.logged = self.store.head_log_length();
        let Some(Beginning { tree, persons, pins }) = beginning else { return Ok(()) };
        let known = Some(&state.fence.began).filter(|began| self.store.has_object(began));
        let began = known.unwrap_or(tree).clone();
        state.fence = Fence { tree: tree.clone(), began, ..Fence::default() };
        let persons = state::write_lines(persons.iter().map(String::as_str)).into_bytes();
        for (file, bytes) in [
            (names::EXCLUDES, pins.excludes.clone()),
            (names::ATTRIBUTES, pins.attributes.clone()),
            (names::PERSONS, persons),
            (TOUCHED, Vec::new()),
        ] {
            edits.push(TreeEdit::Put { path: file.to_owned(), bytes });
        }
        Ok(())
    }

    /// Where a job stands, for one that takes it up: the text of its phase, or the next command.
    pub fn where_it_stands(&self, focused: &Focused) -> String {
        let state = &focused.state;
        if state.stand.phase.is_idle() {
            return "Next: git seed phase advance".to_owned();
        }
        self.wake_text(focused, false)
    }
}
