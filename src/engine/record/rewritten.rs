//! A person rewrote the branch of a job: where its commits are now.
//!
//! A step is known by its Seed-Id, which stands in the message of its commit and outlives amends,
//! rebases and squashes. Where each of them is found in HEAD's history the job follows by itself;
//! where one is not, work waits for the person.

use serde_json::json;

use crate::engine::record;
use crate::engine::record::draft::{By, Journaling, StepDraft};
use crate::engine::repo::{EngineError, LoadedJob, Repo, Result};
use crate::format::state::State;
use crate::format::trailers::claimed_ids;
use crate::format::{names, notes};
use crate::phases::home::{self, Named, Rewritten, Trail};
use crate::store::{Apart, CommitId, TreeId};

/// The name of the step that follows a rewrite.
pub(crate) const STEP: &str = "rewritten";

/// Where the job's commits are; nothing is walked where HEAD is the last of them.
fn trail(repo: &Repo, state: &State) -> Result<Trail> {
    sides(repo, state).map(|sides| sides.map_or(Trail::Whole, |sides| sides.trail))
}

/// The job's commits are not all in the history of its branch, where HEAD is. Where git does not
/// say, nothing is said: the boundary asks again, aloud.
pub(crate) fn is_gone(repo: &Repo, focused: &LoadedJob) -> bool {
    let gone = || matches!(trail(repo, &focused.state), Ok(Trail::Gone(_)));
    !focused.state.stand.is_talk() && gone()
}

/// HEAD and the job's last commit, where they are two.
struct Sides {
    trail: Trail,
    last: CommitId,
    head: CommitId,
    lost: Vec<Apart>,
    here: Vec<Apart>,
}

fn sides(repo: &Repo, state: &State) -> Result<Option<Sides>> {
    // Empty before the first phase commit.
    let Ok(tip) = state.home.commit.parse::<CommitId>() else { return Ok(None) };
    // One ref is less than all of HEAD. What does not read is read again below.
    let branch = format!("refs/heads/{}", state.home.branch);
    if repo.store.stands_at(&branch).is_ok_and(|stands| stands.as_ref() == Some(&tip)) {
        return Ok(None);
    }
    let Some(head) = repo.store.head()?.commit.filter(|head| *head != tip) else {
        return Ok(None);
    };
    if !repo.store.has_object(tip.as_str()) {
        let trail = Trail::Gone(vec![state.step.clone()]);
        return Ok(Some(Sides { trail, last: tip, head, lost: Vec::new(), here: Vec::new() }));
    }
    let lost = repo.store.apart(&tip, &head, usize::MAX)?;
    if lost.is_empty() {
        return Ok(None);
    }
    let here = repo.store.apart(&head, &tip, usize::MAX)?;
    let own = format!("Seed-Job: {}", state.job.id);
    let named = |commits: &[Apart]| -> Vec<Named> {
        let ids = |message: &str| {
            let ours = message.lines().any(|line| line.trim() == own);
            let ids = claimed_ids(message).filter(|_| ours);
            ids.map(str::to_owned).collect()
        };
        let named = |one: &Apart| Named { commit: one.commit.to_string(), ids: ids(&one.message) };
        commits.iter().map(named).collect()
    };
    let trail = home::follow(&named(&lost), &named(&here));
    Ok(Some(Sides { trail, last: tip, head, lost, here }))
}

/// Follows the focused job to where its commits are now, if a person rewrote its branch and all
/// of them are there: one step of the chain, notes, and a hold on each new commit.
pub(crate) fn relink(repo: &Repo) -> Result<()> {
    match repo.focused()? {
        Some(focused) => relink_job(repo, &focused).map(drop),
        None => Ok(()),
    }
}

/// The same for a job that was read already; what it is then, where it followed.
pub(crate) fn relink_job(repo: &Repo, focused: &LoadedJob) -> Result<Option<LoadedJob>> {
    if focused.state.stand.is_talk() || repo.away(focused).is_some() {
        return Ok(None);
    }
    let Some(sides) = sides(repo, &focused.state)? else { return Ok(None) };
    let Trail::Rewritten(moved) = &sides.trail else { return Ok(None) };
    let stands = moved.iter().rev().find(|one| one.old == sides.last.as_str());
    let last = stands.and_then(|one| find(&sides.here, &one.new)).map(|one| one.commit.clone());
    let last = last.unwrap_or_else(|| sides.head.clone());
    let base = base_now(&sides, moved, &focused.state.home.base);
    let (tree, began) = (
        carried(repo, &focused.state.fence.tree, &sides.last, &last)?,
        carried(repo, &focused.state.fence.began, &sides.last, &last)?,
    );
    note(repo, focused, &sides, moved)?;
    let was = focused.state.home.commit.clone();
    let taken = record::step::step(repo, &focused.chain, Journaling::Read, |state, _| {
        if state.home.commit == was {
            state.home.commit = last.to_string();
            state.home.base.clone_from(&base);
            state.home.logged = repo.store.head_log_length();
            for (now, carried) in [(&mut state.fence.tree, &tree), (&mut state.fence.began, &began)]
            {
                if let Some(carried) = carried {
                    carried.clone_into(now);
                }
            }
        }
        let mut draft = StepDraft::new(state, STEP, "the branch was rewritten", By::Hook);
        draft.body = moved.iter().map(told).collect::<Vec<_>>().join("\n");
        Ok(Ok(draft))
    })?;
    taken.map(|taken| Some(taken.focused)).map_err(|refusal| EngineError::Refused(refusal.wants))
}

/// Notes on the new commits, and a hold on each.
fn note(repo: &Repo, focused: &LoadedJob, sides: &Sides, moved: &[Rewritten]) -> Result<()> {
    for one in moved {
        let found = (find(&sides.lost, &one.old), find(&sides.here, &one.new));
        let (Some(old), Some(new)) = found else { continue };
        let new = &new.commit;
        repo.store.keep(&names::keep_chain(&focused.state.job.id), new, repo.now)?;
        // Git carries notes along an amend and a rebase, and along nothing else.
        let mut lines = repo.store.note_lines(&old.commit)?;
        lines.push(notes::rewritten_line(&one.id, &one.old, &one.new));
        repo.store.note_add(new, &lines, repo.now)?;
    }
    Ok(())
}

fn find<'a>(commits: &'a [Apart], id: &str) -> Option<&'a Apart> {
    commits.iter().find(|one| one.commit.as_str() == id)
}

/// One step that moved, as the chain has it: its id, the old commit, the new one.
fn told(one: &Rewritten) -> String {
    json!([one.id, one.old, one.new]).to_string()
}

/// What the work is measured from, where the first of its commits got another parent.
fn base_now(sides: &Sides, moved: &[Rewritten], base: &str) -> String {
    let parent_of =
        |commits: &[Apart], id: &str| find(commits, id)?.parent.as_ref().map(ToString::to_string);
    let first = moved
        .first()
        .filter(|one| parent_of(&sides.lost, &one.old).is_some_and(|parent| parent == base));
    first.and_then(|one| parent_of(&sides.here, &one.new)).unwrap_or_else(|| base.to_owned())
}

/// A tree of the fence with what the rewrite brought: that is none of the agent's changes.
fn carried(repo: &Repo, tree: &str, old: &CommitId, new: &CommitId) -> Result<Option<String>> {
    // Empty before the first cycle.
    let Ok(tree) = tree.parse::<TreeId>() else { return Ok(None) };
    let (old, new) = (repo.store.tree_of_commit(old)?, repo.store.tree_of_commit(new)?);
    if old == new {
        return Ok(None);
    }
    Ok(Some(repo.store.carry_over(&tree, &old, &new)?.to_string()))
}
