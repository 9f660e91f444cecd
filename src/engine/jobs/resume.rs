//! Taking a job up again: in a new session, in another worktree, in another clone.
//!
//! What a job needs of the place where it is worked on is taken anew where the place is
//! another one: the fence's tree, the pins, the driver, the branch. A job that came from
//! another clone is data. What a person granted there was not granted here, and goes.

use crate::engine::fence::tree::Beginning;
use crate::engine::record::draft::{By, Journaling, StepDraft};
use crate::engine::record::step::TOUCHED;
use crate::engine::repo::answer::Answered;
use crate::engine::repo::{EngineError, LoadedJob, Repo, Result};
use crate::engine::{fence, jobs, record};
use crate::format::names;
use crate::format::state::{self, Driver, Fence, State};
use crate::jobs::{JobId, Status};
use crate::phases::home::{self, LastCommit};
use crate::store::{CommitId, TreeEdit, TreeId};
use crate::verdict::Refusal;
use crate::voice::{Notice, tell};

/// The most runs, words and reasons that are looked for one by one.
const MOST: u32 = 100_000;

/// A job that was taken up.
#[derive(Clone, Debug)]
pub(crate) struct Resumed {
    pub focused: LoadedJob,
    /// What no longer holds, and what was taken anew, one line each.
    pub remarks: Vec<String>,
}

/// A job of this clone that rests in the worktree `here` and waits for it, or whose worktree is
/// gone: any other one may take it up.
pub(crate) fn waits_in(repo: &Repo, state: &State, here: &str) -> Result<bool> {
    let home = &state.home.worktree;
    let is_gone =
        || -> Result<bool> { Ok(!home.is_empty() && repo.store.worktree_dir(home)?.is_none()) };
    Ok((home == here || is_gone()?) && !repo.is_foreign(state)?)
}

/// Makes a job active and turns this worktree to it, if nothing is in the way. Where it
/// was worked on elsewhere, it lives here from now on.
pub(crate) fn resume_job(repo: &Repo, id: &JobId, by: By) -> Answered<Resumed> {
    resume_with(repo, id, by, |_| {})
}

/// The same, and `more` is part of the step that makes it active.
pub(crate) fn resume_with(
    repo: &Repo,
    id: &JobId,
    by: By,
    more: impl Fn(&mut State),
) -> Answered<Resumed> {
    repo.require_seeded()?;
    if let Some(refusal) = jobs::focus::focus_in_the_way(repo, id)? {
        return Ok(Err(refusal));
    }
    let job = job_that_holds(repo, id)?;
    if let Some(refusal) = cannot_be_active(&job.state) {
        return Ok(Err(refusal));
    }
    let (foreign, moves) = (repo.is_foreign(&job.state)?, comes_from_elsewhere(repo, &job.state)?);
    if moves && let Err(refusal) = is_in_history(repo, &job.state)? {
        return Ok(Err(refusal));
    }
    let begun = moves && !job.state.fence.tree.is_empty();
    let beginning = if begun { Some(fence::tree::begin_fence(repo)?) } else { None };
    let rebased = if moves { None } else { fence_after_rest(repo, &job.state)? };
    let tree = beginning.as_ref().map(|begins| &begins.tree).or(rebased.as_ref());
    keep_what_it_needs(repo, &job, tree)?;
    let behind = jobs::uncommitted::left_behind(repo, &job, foreign)?;
    let clone = record::own_clone::clone_id(repo)?;
    // Nobody else takes it, or parks it, between the look and the focus.
    let _lock = repo.store.lock()?;
    if let Some(refusal) = jobs::focus::focus_in_the_way(repo, id)? {
        return Ok(Err(refusal));
    }
    let leave = repo.focused()?;
    jobs::focus::leave_focus(repo, leave.as_ref())?;
    jobs::turning::begin(repo, &job)?;
    let (now, mut remarks) = (repo.now, Vec::new());
    let taken = record::step::step(repo, &job.chain, Journaling::Restart, |state, _| {
        remarks.clear();
        let mut edits = Vec::new();
        if foreign {
            remarks = record::own_clone::disown(repo, state, &mut edits)?;
        }
        if state.job.status != Status::Active && !state.is_closing() {
            state.job.become_(Status::Active, now)?;
        }
        if moves {
            settle(repo, state, beginning.as_ref(), &mut edits)?;
        }
        state.fence.tree = rebased.clone().unwrap_or_else(|| state.fence.tree.clone());
        state.home.left.clear();
        state.home.clone.clone_from(&clone);
        state.home.worktree = repo.store.worktree_name();
        state.take_up();
        more(state);
        Ok(Ok(StepDraft { edits, ..StepDraft::new(state, "activate", subject_of(moves), by) }))
    })?;
    remarks.extend(begun.then(|| tell(Notice::TreeAsItIs, &[])).into_iter().chain(behind));
    let focused = jobs::focus::turn_to(repo, taken)?;
    jobs::turning::done(repo)?;
    Ok(focused.map(|focused| Resumed { focused, remarks }))
}

fn subject_of(moves: bool) -> String {
    let told = if moves { Notice::SubjectActivatedHere } else { Notice::SubjectActivated };
    tell(told, &[])
}

/// The job, unless its record is not one that git seed writes.
fn job_that_holds(repo: &Repo, id: &JobId) -> Result<LoadedJob> {
    let job = repo.job(id)?;
    let counts = [job.state.job.run, job.state.job.interactions, job.state.plan.contexts];
    if job.state.job.id != *id || counts.iter().any(|count| *count > MOST) {
        return Err(EngineError::Elsewhere(tell(Notice::JobNotOurs, &[("chain", &job.chain)])));
    }
    Ok(job)
}

pub(crate) fn cannot_be_active(state: &State) -> Option<Refusal> {
    state.job.may_be_active(state.is_closing()).err()
}

/// The place where the job was worked on last is not this one.
fn comes_from_elsewhere(repo: &Repo, state: &State) -> Result<bool> {
    let home = &state.home;
    let worktree = if home.worktree.is_empty() { &home.rested } else { &home.worktree };
    let another = !worktree.is_empty() && *worktree != repo.store.worktree_name();
    let lost = |tree: &str| !tree.is_empty() && !repo.store.has_object(tree);
    Ok(another || repo.is_foreign(state)? || lost(&state.fence.tree))
}

/// The job's last commit is what HEAD builds on.
fn is_in_history(repo: &Repo, state: &State) -> Result<std::result::Result<(), Refusal>> {
    let home = &state.home;
    if !home.branch.is_empty() {
        let on_a_branch = repo.store.head()?.branch.is_some();
        if let Err(refusal) = home::finds_a_branch(repo.store.in_progress(), on_a_branch) {
            return Ok(Err(refusal));
        }
    }
    let id = state.job.id.as_str();
    let last = match home.commit.parse::<CommitId>() {
        _ if home.commit.is_empty() => LastCommit::None,
        Ok(commit) if repo.store.has_commit(&home.commit) => {
            if repo.store.contains(&commit)? {
                LastCommit::Below
            } else if let Some(branch) = of_remote(repo, state, &commit)? {
                return Ok(home::takes_up(LastCommit::OfRemote, &branch, id));
            } else {
                LastCommit::Beside
            }
        }
        _ if is_on(repo, &home.branch)? && repo.store.upstream_shown().is_some() => {
            LastCommit::Behind
        }
        _ => LastCommit::Absent,
    };
    Ok(home::takes_up(last, &home.branch, id))
}

/// HEAD is on this branch.
fn is_on(repo: &Repo, branch: &str) -> Result<bool> {
    Ok(repo.store.head()?.branch.is_some_and(|here| short(&here) == short(branch)))
}

fn short(branch: &str) -> &str {
    branch.strip_prefix("refs/heads/").unwrap_or(branch)
}

/// The branch of a remote that has the job's last commit, where the job's own branch here has it
/// not: that one may be checked out already.
fn of_remote(repo: &Repo, state: &State, last: &CommitId) -> Result<Option<String>> {
    let own = short(&state.home.branch);
    let there =
        if own.is_empty() { None } else { repo.store.stands_at(&format!("refs/heads/{own}"))? };
    if there.is_some_and(|there| repo.store.descends(there.as_str(), last.as_str())) {
        return Ok(None);
    }
    let branches = repo.store.remote_branches_with(last)?;
    let of_name = |name: &&String| name.split_once('/').is_some_and(|(_, branch)| branch == own);
    Ok(branches.iter().find(of_name).or(branches.first()).cloned())
}

/// Holds what the job stands on against a gc of this clone.
fn keep_what_it_needs(repo: &Repo, job: &LoadedJob, tree: Option<&String>) -> Result<()> {
    let chain = names::keep_chain(&job.state.job.id);
    // Both are empty before the first cycle and the first phase commit.
    let Some(tree) = tree.and_then(|tree| tree.parse().ok()) else { return Ok(()) };
    let commit = job.state.home.commit.parse().ok();
    Ok(repo.store.keep_both(&chain, commit.as_ref(), Some(&tree), repo.now)?)
}

/// The fence's tree of a job that comes back where it rested, with what was committed here
/// meanwhile: that is none of its changes, and putting strays back must not undo it. What
/// is in no commit, and what was committed before it rested, stays judged as it was.
fn fence_after_rest(repo: &Repo, state: &State) -> Result<Option<String>> {
    let (Ok(tree), Ok(left)) =
        (state.fence.tree.parse::<TreeId>(), state.home.left.parse::<CommitId>())
    else {
        return Ok(None);
    };
    let Some(head) = repo.store.head()?.commit.filter(|head| *head != left) else {
        return Ok(None);
    };
    if !repo.store.has_commit(left.as_str()) || !repo.store.contains(&left)? {
        return Ok(None);
    }
    let (old, new) = (repo.store.tree_of_commit(&left)?, repo.store.tree_of_commit(&head)?);
    Ok(Some(repo.store.carry_over(&tree, &old, &new)?.to_string()))
}

/// Ties the job to this worktree, as far as it had a place before.
pub(crate) fn settle(
    repo: &Repo,
    state: &mut State,
    beginning: Option<&Beginning>,
    edits: &mut Vec<TreeEdit>,
) -> Result<()> {
    state.driver = Driver::default();
    state.proved = false;
    state.flights.clear();
    state.running.clear();
    if !state.home.branch.is_empty() {
        state.home.branch = repo.store.head()?.branch.unwrap_or_default();
    }
    state.home.logged = repo.store.head_log_length();
    let Some(Beginning { tree, persons, pins }) = beginning else { return Ok(()) };
    let known = Some(&state.fence.began).filter(|began| repo.store.has_object(began));
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
