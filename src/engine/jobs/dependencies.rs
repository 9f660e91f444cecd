//! Who waits for whom: edges between jobs, what blocks a completion, which job comes next.
//!
//! An edge is added where jobs are made and taken away where dependencies are reviewed. Both
//! are decided under the store's lock, which all worktrees share, on jobs that are read there:
//! two that add at once never close a circle. Closed jobs count with the edges that they had,
//! so that none waits for itself once it is opened again.

use crate::engine::record::draft::{By, Journaling, StepDraft};
use crate::engine::repo::answer::Answered;
use crate::engine::repo::{self, EngineError, LoadedJob, Repo, Result};
use crate::engine::{jobs, record};
use crate::format::archive::ClosedRow;
use crate::format::names;
use crate::format::state::State;
use crate::jobs::graph::{self, Graph, Node};
use crate::jobs::merging::SEEN;
use crate::jobs::{Job, JobId, Status, questions};
use crate::phases::commands;
use crate::verdict::Refusal;
use crate::voice::{Notice, tell};

/// A job that may be next, and what it waits for.
#[derive(Clone, Debug)]
pub(crate) struct Waiting {
    pub id: JobId,
    pub name: String,
    pub status: Status,
    /// The jobs that hold it up.
    pub waits_for: Vec<JobId>,
}

/// Adds an edge from the open job `parent` of this clone to `id`, unless that would close a
/// circle. A person may add one at any time, an agent where its phase makes jobs.
pub(crate) fn add_dependency(repo: &Repo, parent: &JobId, id: &JobId) -> Answered<LoadedJob> {
    repo.require_seeded()?;
    // Nobody moves the focus, or closes the job, between the look and the step.
    let _lock = repo.store.lock()?;
    let focused = repo.focused()?;
    if repo.is_person().is_err()
        && let Some(refusal) = births_elsewhere(repo, focused.as_ref().map(|one| &one.state))
    {
        return Ok(Err(refusal));
    }
    let chain = names::job_chain(parent);
    if node(repo, parent)?.is_none() {
        return Err(EngineError::Usage(tell(Notice::JobUnknown, &[("job", parent.as_str())])));
    }
    let fold = record::interactions::fold_for(repo, &chain)?;
    let taken = record::step::step(repo, &chain, fold, |state, _| {
        record::own_clone::is_of_this_clone(repo, state)?;
        if !(state.job.status.is_open() || state.is_closing()) {
            let facts = [("job", parent.as_str()), ("status", state.job.status.word())];
            return Err(EngineError::not_now(Notice::DependencyOfOpen, &facts));
        }
        if let Some(refusal) = no_edge(repo, &state.job, id)? {
            return Ok(Err(refusal));
        }
        if !state.job.depends_on.contains(id) {
            state.job.depends_on.push(id.clone());
        }
        Ok(Ok(StepDraft::new(state, "depend", format!("waits for {id}"), By::Agent)))
    })?;
    Ok(taken.map(|taken| taken.focused))
}

/// Why no job is made and no edge added in the row where `state` stands.
pub(crate) fn births_elsewhere(repo: &Repo, state: Option<&State>) -> Option<Refusal> {
    let none = repo.rules.maps.home().none();
    let row = state.map_or(none, |state| repo.row_of(state));
    commands::births(row, state.map_or(&none.name, |state| &state.stand.phase)).err()
}

/// Why `job` may not wait for `id`.
pub(crate) fn no_edge(repo: &Repo, job: &Job, id: &JobId) -> Result<Option<Refusal>> {
    let Some(known) = node(repo, id)? else {
        return Err(EngineError::Usage(tell(Notice::JobUnknown, &[("job", id.as_str())])));
    };
    let edges = |one: &JobId| -> Result<Vec<JobId>> {
        // A record that is nowhere waits for nobody.
        Ok(node(repo, one)?.map(|node| node.depends_on).unwrap_or_default())
    };
    let back = graph::way(id, &job.id, edges)?;
    Ok(graph::may_wait(&job.id, id, back.as_deref(), known.status).err())
}

/// A job as the graph knows it; `None` if its record is nowhere.
pub(crate) fn node(repo: &Repo, id: &JobId) -> Result<Option<Node>> {
    let chain = names::job_chain(id);
    if let Some(tip) = repo.store.tip(&chain)? {
        return Ok(Some(node_of(repo.state(&chain, &tip)?.job)));
    }
    Ok(repo.archived_row(id)?.as_ref().map(node_of_row))
}

/// Removes the edge to a dependency that is still open; voids the dependency too, if asked.
pub(crate) fn remove_dependency(repo: &Repo, id: &JobId, void: bool) -> Answered<LoadedJob> {
    // Nobody activates, completes or focuses it between the look and the step.
    let _lock = repo.store.lock()?;
    let focused = repo.require_focused()?;
    if let Err(refusal) = commands::unlinks(repo.row(Some(&focused)), &focused.state.stand.phase) {
        return Ok(Err(refusal));
    }
    if !focused.state.job.depends_on.contains(id) {
        return Err(EngineError::not_now(Notice::NoSuchDependency, &[("job", id.as_str())]));
    }
    if let Some(refusal) = no_unlinking(repo, &focused, id, void)? {
        return Ok(Err(refusal));
    }
    if void {
        void_dependency(repo, id)?;
    }
    let done = jobs::focus::always(repo, &focused.chain, |state| {
        state.job.depends_on.retain(|known| known != id);
        StepDraft::new(state, "unlink", format!("no longer waits for {id}"), By::Agent)
    })?;
    Ok(Ok(done))
}

/// Why the edge to `id` stays, or why the job behind it is not parked.
fn no_unlinking(
    repo: &Repo,
    focused: &LoadedJob,
    id: &JobId,
    void: bool,
) -> Result<Option<Refusal>> {
    let status = node(repo, id)?.map(|node| node.status);
    let held = if void { repo.store.focus_elsewhere(&names::job_chain(id))? } else { None };
    let phase = focused.state.stand.phase.as_str();
    Ok(graph::may_unlink(id, status, void, held.as_deref(), phase).err())
}

fn void_dependency(repo: &Repo, id: &JobId) -> Result<()> {
    let now = repo.now;
    let voided = record::step::step(repo, &names::job_chain(id), Journaling::Skip, |state, _| {
        let draft = StepDraft::new(state, "void", tell(Notice::SubjectVoided, &[]), By::Agent);
        state.job.become_(Status::Voided, now)?;
        Ok(Ok(draft))
    })?;
    debug_assert!(voided.is_ok(), "what may be voided was asked before");
    record::archive::put_away(repo, id)?;
    Ok(())
}

/// Every job that `state` waits for is completed or parked.
pub(crate) fn dependencies_hold(
    repo: &Repo,
    state: &State,
) -> Result<std::result::Result<(), Refusal>> {
    Ok(questions::dependencies_hold(&unmet(repo, state)?))
}

/// The first job that `state` waits for and that can be turned to.
pub(crate) fn waits_told(repo: &Repo, state: &State) -> Result<Option<String>> {
    Ok(first_unmet(repo, state, Status::Pending)?
        .map(|(id, name)| tell(Notice::WaitsForJob, &[("name", &name), ("job", &id.to_string())])))
}

/// The first job of this status that `state` still waits for, with its name.
pub(crate) fn first_unmet(
    repo: &Repo,
    state: &State,
    status: Status,
) -> Result<Option<(JobId, String)>> {
    let mut unmet = unmet(repo, state)?.into_iter();
    let first = unmet.find(|(_, _, word)| *word == status.word());
    Ok(first.map(|(id, name, _)| (id, name)))
}

/// Why the dependencies of `state` forbid to ask for its completion, if they do.
pub(crate) fn held_up(repo: &Repo, state: &State) -> Option<Refusal> {
    if state.job.depends_on.is_empty() {
        return None;
    }
    match dependencies_hold(repo, state) {
        Ok(held) => held.err(),
        Err(error) => Some(Refusal::broken("dependencies", &error)),
    }
}

/// The jobs that `state` still waits for, with name and status.
pub(crate) fn unmet(repo: &Repo, state: &State) -> Result<Vec<(JobId, String, &'static str)>> {
    let mut known = Vec::new();
    for id in &state.job.depends_on {
        if let Some(node) = node(repo, id)? {
            known.push(node);
        }
    }
    let graph = Graph::new(known);
    Ok(questions::unmet(&state.job, |id| {
        graph.get(id).map(|node| (node.name.as_str(), node.status))
    }))
}

/// The ids of pending jobs that the agent made and no person has seen; they hold up no stop.
/// A question cannot be judged by what does not read, so a damaged job is left to `doctor`.
pub(crate) fn unseen_jobs(repo: &Repo) -> Vec<String> {
    // The stop hook asks: the turn of a session that has nothing to do with it may end.
    let jobs = repo.jobs().unwrap_or_default();
    let unseen = |job: &&LoadedJob| is_agents_own(repo, job).is_ok_and(|own| own);
    jobs.iter().filter(unseen).map(|job| job.state.job.id.to_string()).collect()
}

/// The agent made it, and no person has seen it yet.
pub(crate) fn is_agents_own(repo: &Repo, job: &LoadedJob) -> Result<bool> {
    let home = &job.state.home;
    let nowhere = home.worktree.is_empty() && home.rested.is_empty();
    Ok(nowhere && job.state.job.status == Status::Pending && !repo.is_foreign(&job.state)?)
}

/// Jobs that the agent made and that wait for a person, oldest first.
pub(crate) fn agents_own(repo: &Repo) -> Result<Vec<LoadedJob>> {
    let mut own = Vec::new();
    for job in repo.jobs()? {
        if is_agents_own(repo, &job)? {
            own.push(job);
        }
    }
    Ok(own)
}

/// A person saw the jobs that `next` names: from now on they wait here.
pub(crate) fn jobs_were_seen(repo: &Repo, next: &str) -> Result<()> {
    let here = repo.store.worktree_name();
    for id in unseen_jobs(repo).iter().filter(|id| next.contains(id.as_str())) {
        record::step::step(repo, &format!("{}{id}", names::JOBS), Journaling::Skip, |state, _| {
            state.home.worktree.clone_from(&here);
            Ok(Ok(StepDraft::new(state, SEEN, tell(Notice::SubjectSeen, &[]), By::Person)))
        })?
        .ok();
    }
    Ok(())
}

/// The jobs that may be next in this worktree: active ones first, then pending ones, the
/// oldest first, and those that wait for others last. Jobs that are in focus, or await the
/// person, are not among them, nor are those that another clone is working on.
fn queue(repo: &Repo) -> Result<Vec<Waiting>> {
    let focused = repo.store.in_focus()?;
    let mut queue = Vec::new();
    for job in repo.jobs()? {
        if focused.contains(&job.chain)
            || !(job.state.job.status.is_open() || job.state.is_closing())
            || is_at_work_elsewhere(repo, &job.state)?
        {
            continue;
        }
        let waits_for = unmet(repo, &job.state)?.into_iter().map(|(id, ..)| id).collect();
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

/// Another clone has begun it: taking it over is a person's own idea.
fn is_at_work_elsewhere(repo: &Repo, state: &State) -> Result<bool> {
    let begun = state.job.status == Status::Active && !state.home.clone.is_empty();
    Ok(begun && repo.is_foreign(state)?)
}

/// What a person and an agent are told when a job is closed and none is in focus.
pub(crate) fn next_told(repo: &Repo) -> Result<Vec<String>> {
    const NAMED: usize = 5;
    let queue = queue(repo)?;
    let mut told = Vec::new();
    let (free, held): (Vec<_>, Vec<_>) =
        queue.iter().partition(|job| job.status != Status::Pending || job.waits_for.is_empty());
    if let Some(next) = free.first() {
        told.push(tell(Notice::NextJob, &[("job", &next.id.to_string()), ("name", &next.name)]));
    }
    if free.len() > 1 {
        let more = repo::text::count(free.len() - 1, "more job");
        told.push(tell(Notice::NextMore, &[("more", &more)]));
    }
    for job in held.iter().take(NAMED) {
        told.push(format!("\"{}\" waits for {}", job.name, listed(&job.waits_for)));
    }
    Ok(told)
}

/// Ids in a row.
pub(crate) fn listed(ids: &[JobId]) -> String {
    let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
    ids.join(", ")
}

pub(crate) fn node_of_row(row: &ClosedRow) -> Node {
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
