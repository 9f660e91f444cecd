//! Who waits for whom: edges between jobs, what blocks a completion, which job comes next.
//!
//! An edge is added where jobs are made and taken away where dependencies are reviewed. Both
//! are decided under the store's lock, which all worktrees share, on jobs that are read there:
//! two that add at once never close a circle. Closed jobs count with the edges that they had,
//! so that none waits for itself once it is opened again.

use super::commands::Done;
use super::steps::{By, Draft, Fold};
use super::{Focused, Result, Seed, SeedError};
use crate::format::archive::ClosedRow;
use crate::format::names;
use crate::format::state::State;
use crate::jobs::graph::{self, Graph, Node};
use crate::jobs::{Job, JobId, Status, questions};
use crate::phases::commands;
use crate::verdict::Refusal;

/// A job that may be next, and what it waits for.
#[derive(Clone, Debug)]
pub struct Waiting {
    pub id: JobId,
    pub name: String,
    pub status: Status,
    /// The jobs that hold it up.
    pub waits_for: Vec<JobId>,
}

impl Seed {
    /// Adds an edge from the focused job to `id`, unless that would close a circle.
    pub fn add_dependency(&self, parent: &JobId, id: &JobId) -> Done<Focused> {
        let focused = self.require_focused()?;
        if focused.state.job.id != *parent {
            return Err(SeedError::Usage("dependencies are added to the focused job".to_owned()));
        }
        let taken = self.step(&focused.chain, Fold::In, |state, _| {
            if let Some(refusal) = self.births_elsewhere(Some(state)) {
                return Ok(Err(refusal));
            }
            if let Some(refusal) = self.no_edge(&state.job, id)? {
                return Ok(Err(refusal));
            }
            if !state.job.depends_on.contains(id) {
                state.job.depends_on.push(id.clone());
            }
            Ok(Ok(Draft::new(state, "depend", format!("waits for {id}"), By::Agent)))
        })?;
        Ok(taken.map(|taken| taken.focused))
    }

    /// Why no job is made and no edge added in the row where `state` stands.
    pub(super) fn births_elsewhere(&self, state: Option<&State>) -> Option<Refusal> {
        let none = self.rules.maps.home().none();
        let row = state.map_or(none, |state| self.row_of(state));
        commands::births(row, state.map_or(&none.name, |state| &state.stand.phase)).err()
    }

    /// Why `job` may not wait for `id`.
    fn no_edge(&self, job: &Job, id: &JobId) -> Result<Option<Refusal>> {
        let Some(known) = self.node(id)? else {
            return Err(SeedError::Usage(format!("there is no job {id}; git seed job list shows them")));
        };
        let edges = |one: &JobId| -> Result<Vec<JobId>> {
            Ok(self.node(one)?.map(|node| node.depends_on).unwrap_or_default())
        };
        let back = graph::way(id, &job.id, edges)?;
        Ok(graph::may_wait(&job.id, id, back.as_deref(), known.status).err())
    }

    /// A job as the graph knows it; `None` if its record is nowhere.
    fn node(&self, id: &JobId) -> Result<Option<Node>> {
        let chain = names::job_chain(id);
        if let Some(tip) = self.store.tip(&chain)? {
            return Ok(Some(node_of(self.state(&chain, &tip)?.job)));
        }
        Ok(self.archived_row(id)?.as_ref().map(node_of_row))
    }

    /// Removes the edge to a dependency that is still open; voids the dependency too, if asked.
    pub fn remove_dependency(&self, id: &JobId, void: bool) -> Done<Focused> {
        // Nobody activates, completes or focuses it between the look and the step.
        let _lock = self.store.lock()?;
        let focused = self.require_focused()?;
        if let Err(refusal) = commands::unlinks(self.row(Some(&focused)), &focused.state.stand.phase) {
            return Ok(Err(refusal));
        }
        if !focused.state.job.depends_on.contains(id) {
            return Err(SeedError::Usage(format!("this job does not depend on {id}")));
        }
        if let Some(refusal) = self.no_unlinking(&focused, id, void)? {
            return Ok(Err(refusal));
        }
        if void {
            self.void_dependency(id)?;
        }
        let done = self.always(&focused.chain, |state| {
            state.job.depends_on.retain(|known| known != id);
            Draft::new(state, "unlink", format!("no longer waits for {id}"), By::Agent)
        })?;
        Ok(Ok(done))
    }

    /// Why the edge to `id` stays, or why the job behind it is not parked.
    fn no_unlinking(&self, focused: &Focused, id: &JobId, void: bool) -> Result<Option<Refusal>> {
        let status = self.node(id)?.map(|node| node.status);
        let held = if void { self.store.focus_elsewhere(&names::job_chain(id))? } else { None };
        let phase = focused.state.stand.phase.as_str();
        Ok(graph::may_unlink(id, status, void, held.as_deref(), phase).err())
    }

    fn void_dependency(&self, id: &JobId) -> Result<()> {
        let now = self.now;
        let voided = self.step(&names::job_chain(id), Fold::Leave, |state, _| {
            let draft = Draft::new(state, "void", "its parent no longer waits for it", By::Agent);
            let became = state.job.become_(Status::Voided, now);
            became.map_err(|bad| SeedError::Usage(bad.to_string()))?;
            Ok(Ok(draft))
        })?;
        debug_assert!(voided.is_ok(), "what may be voided was asked before");
        self.put_away(id)?;
        Ok(())
    }

    /// Every job that `state` waits for is completed or parked.
    pub(super) fn dependencies_hold(&self, state: &State) -> Result<std::result::Result<(), Refusal>> {
        Ok(questions::dependencies_hold(&self.unmet(state)?))
    }

    /// The first job that `state` waits for and that can be turned to.
    pub fn waits_told(&self, state: &State) -> Result<Option<String>> {
        let unmet = self.unmet(state)?;
        let open = unmet.iter().find(|(_, _, status)| *status == Status::Pending.word());
        Ok(open.map(|(id, name, _)| format!("It waits for \"{name}\": git seed job activate {id}")))
    }

    /// Why the dependencies of `state` forbid to ask for its completion, if they do.
    pub fn held_up(&self, state: &State) -> Option<Refusal> {
        if state.job.depends_on.is_empty() {
            return None;
        }
        match self.dependencies_hold(state) {
            Ok(held) => held.err(),
            Err(error) => Some(Refusal::broken("dependencies", &error)),
        }
    }

    /// The jobs that `state` still waits for, with name and status.
    pub(super) fn unmet(&self, state: &State) -> Result<Vec<(JobId, String, &'static str)>> {
        let mut known = Vec::new();
        for id in &state.job.depends_on {
            if let Some(node) = self.node(id)? {
                known.push(node);
            }
        }
        let graph = Graph::new(known);
        Ok(questions::unmet(&state.job, |id| graph.get(id).map(|node| (node.name.as_str(), node.status))))
    }

    /// The ids of pending jobs that the agent made and no person has seen; they hold up no stop.
    /// A question cannot be judged by what does not read, so a damaged job is left to `doctor`.
    pub fn unseen_jobs(&self) -> Vec<String> {
        let unseen = |job: &Focused| {
            let home = &job.state.home;
            let nobodys = home.worktree.is_empty() && home.rested.is_empty();
            nobodys && job.state.job.status == Status::Pending && !self.is_foreign(&job.state)
        };
        let jobs = self.jobs().unwrap_or_default();
        jobs.iter().filter(|job| unseen(job)).map(|job| job.state.job.id.to_string()).collect()
    }

    /// A person saw the jobs that `next` names: from now on they wait here.
    pub fn jobs_were_seen(&self, next: &str) -> Result<()> {
        let here = self.store.worktree_name();
        for id in self.unseen_jobs().iter().filter(|id| next.contains(id.as_str())) {
            self.step(&format!("{}{id}", names::JOBS), Fold::Leave, |state, _| {
                state.home.worktree.clone_from(&here);
                Ok(Ok(Draft::new(state, "seen", "a person saw that it comes next", By::Person)))
            })?
            .ok();
        }
        Ok(())
    }

    /// The jobs that may be next in this worktree: active ones first, then pending ones, the
    /// oldest first, and those that wait for others last. Jobs that are in focus, or await the
    /// person, are not among them.
    pub fn queue(&self) -> Result<Vec<Waiting>> {
        let focused = self.store.in_focus()?;
        let mut queue = Vec::new();
        for job in self.jobs()? {
            if focused.contains(&job.chain) || !(job.state.job.status.is_open() || job.state.is_closing()) {
                continue;
            }
            let waits_for = self.unmet(&job.state)?.into_iter().map(|(id, ..)| id).collect();
            let Job { id, name, status, .. } = job.state.job;
            queue.push(Waiting { id, name, status, waits_for });
        }
        // An active job that waits for others can still be worked on: only its end is blocked.
        queue.sort_by_key(|job| {
            let pending = job.status == Status::Pending;
            (pending && !job.waits_for.is_empty(), pending, job.id.clone())
        });
        Ok(queue)
    }

    /// What a person and an agent are told when a job is closed and none is in focus.
    pub fn next_told(&self) -> Result<Vec<String>> {
        const NAMED: usize = 5;
        let queue = self.queue()?;
        let mut told = Vec::new();
        let (free, held): (Vec<_>, Vec<_>) =
            queue.iter().partition(|job| job.status != Status::Pending || job.waits_for.is_empty());
        if let Some(next) = free.first() {
            told.push(format!("Next: git seed job activate {}   \"{}\"", next.id, next.name));
        }
        if free.len() > 1 {
            let more = super::boundary::count(free.len() - 1, "more job");
            told.push(format!("{more} could be next: git seed job list"));
        }
        for job in held.iter().take(NAMED) {
            told.push(format!("\"{}\" waits for {}", job.name, listed(&job.waits_for)));
        }
        Ok(told)
    }
}

/// Ids in a row.
pub fn listed(ids: &[JobId]) -> String {
    let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
    ids.join(", ")
}

pub(super) fn node_of_row(row: &ClosedRow) -> Node {
    Node {
        id: row.id.clone(),
        name: row.name.clone(),
        status: row.status,
        depends_on: row.depends_on.clone(),
    }
}

fn node_of(job: Job) -> Node {
    Node { id: job.id, name: job.name, status: job.status, depends_on: job.depends_on }
}
