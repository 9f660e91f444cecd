//! Protected surfaces: how a person's answer unlocks one, and how its lock closes.
//!
//! One surface is open at a time, and of its tests one. The next boundary closes it: its
//! check is run, outside any lock; passes it, the changes are in that boundary's commit,
//! and fails it, the surface goes back to the commit that it was unlocked at. What that
//! takes away is kept with the job.

use std::fmt::Write as _;
use std::time::Duration;

use crate::engine::record::draft::{By, Journaling, StepDraft};
use crate::engine::repo::answer::PersonReply;
use crate::engine::repo::{self, EngineError, LoadedJob, Repo, Result};
use crate::engine::{fence, record};
use crate::format::short_hash;
use crate::format::state::State;
use crate::jobs::questions::{self, Grant, Locks, Opened};
use crate::phases::place::{Place, Surface, Unlocked};
use crate::phases::{PhaseKind, gates};
use crate::store::{CommitId, RepoPath, TreeEdit, TreeId};
use crate::verdict::Refusal;
use crate::voice::{Notice, tell};
use crate::{secrets, world};

/// The longest that a check may run.
const CHECK: Duration = Duration::from_secs(90);

/// The most characters of a check's words that a refusal and the step keep.
const SAID: (usize, usize) = (400, 4000);

fn surface<'a>(repo: &'a Repo, name: &str) -> Option<&'a Surface> {
    repo.rules.surfaces.iter().find(|surface| surface.name == name)
}

fn is_of_surface(repo: &Repo, path: &str, wanted: &str) -> bool {
    matches!(repo.place_named(path, None), Place::Surface { name, .. } if name == wanted)
}

/// May a question for the lock of `name` be put to the person, and its answer count?
pub(crate) fn lock_may_open(
    repo: &Repo,
    grants: Grant,
    name: &str,
    focused: &LoadedJob,
) -> std::result::Result<(), Refusal> {
    let state = &focused.state;
    let known: Vec<&str> =
        repo.rules.surfaces.iter().map(|surface| surface.name.as_str()).collect();
    let open = state.unlocked.as_ref().map(|open| {
        let of_it = || match repo.place_named(name, None) {
            Place::Surface { name, test: true, .. } => name == open.surface,
            _ => false,
        };
        Opened {
            surface: open.surface.as_str(),
            test: open.test.as_deref(),
            has: grants == Grant::SurfaceTest && of_it(),
        }
    });
    let access = repo.row(Some(focused)).kind == PhaseKind::Side || state.job.plugin_lock_approval;
    questions::lock_may_open(grants, name, &Locks { known: &known, access, open })
}

/// Unlocks the surface, or the test, that the person's answer named.
pub(crate) fn unlock(repo: &Repo, chain: &str, grants: Grant, name: &str) -> Result<PersonReply> {
    let focused = repo.require_focused()?;
    let not = |why: String| Ok(PersonReply::NotCounted(why));
    if let Err(refusal) = lock_may_open(repo, grants, name, &focused) {
        let said = crate::voice::say(&refusal, focused.state.stand.phase.as_str());
        return not(tell(
            Notice::SurfaceRefused,
            &[("surface", name), ("why", &said.why), ("do", &said.do_)],
        ));
    }
    if grants == Grant::SurfaceTest {
        fence::opened::grant_step(
            repo,
            chain,
            "unlock",
            &format!("a person unlocked the test {name}"),
            |state| {
                if let Some(open) = &mut state.unlocked {
                    open.test = Some(name.to_owned());
                }
            },
        )?;
        return Ok(PersonReply::Done(tell(Notice::SurfaceTestOpen, &[("test", name)])));
    }
    let Some(head) = repo.store.head()?.commit else {
        return not(tell(Notice::SurfaceWithoutCommit, &[("surface", name)]));
    };
    if let Some(path) =
        fence::tree::dirty_now(repo)?.into_iter().find(|path| is_of_surface(repo, path, name))
    {
        return not(tell(Notice::SurfaceDirty, &[("surface", name), ("path", &path)]));
    }
    let unlocked = Unlocked { surface: name.to_owned(), checkpoint: head.to_string(), test: None };
    fence::opened::grant_step(
        repo,
        chain,
        "unlock",
        &format!("a person unlocked {name}"),
        |state| {
            state.unlocked = Some(unlocked.clone());
        },
    )?;
    Ok(PersonReply::Done(briefing(repo, name)))
}

/// What the agent is told about a surface that was unlocked.
fn briefing(repo: &Repo, name: &str) -> String {
    let mut text = tell(Notice::SurfaceUnlocked, &[("surface", name)]);
    let Some(surface) = surface(repo, name) else { return text };
    if !surface.tests.is_empty() {
        text.push_str(&tell(Notice::SurfaceTests, &[("tests", &surface.tests.join(", "))]));
    }
    text.push_str(&tell(Notice::SurfaceCloses, &[]));
    if let Some(check) = &surface.check {
        text.push_str(&tell(Notice::SurfaceChecked, &[("check", check)]));
    }
    text
}

/// Asks the check of the unlocked surface whether its changes may stay. If it says no,
/// they are put back and the lock is closed; what is answered then refuses the boundary.
pub(crate) fn check_surface(
    repo: &Repo,
    focused: &LoadedJob,
) -> Result<std::result::Result<(), Refusal>> {
    let Some(unlocked) = &focused.state.unlocked else { return Ok(Ok(())) };
    let name = unlocked.surface.as_str();
    let Ok(checkpoint) = unlocked.checkpoint.parse::<CommitId>() else { return Ok(Ok(())) };
    let before = repo.store.tree_of_commit(&checkpoint)?;
    let check = surface(repo, name).and_then(|surface| surface.check.as_deref());
    let Some(check) = check else { return Ok(Ok(())) };
    if changed_of_surface(repo, name, &before)?.is_empty() {
        return Ok(Ok(()));
    }
    let ran = world::run_for_a_while(check, repo.store.work_tree(), CHECK)?;
    if ran.passed {
        return Ok(Ok(()));
    }
    put_surface_back(repo, focused, name, &before, &ran.said)?;
    let said: String = secrets::mask(&ran.said).chars().take(SAID.0).collect();
    Ok(Err(gates::surface_check_failed(name, &said)))
}

/// Files of a surface in which the work tree differs from `before`.
fn changed_of_surface(repo: &Repo, name: &str, before: &TreeId) -> Result<Vec<RepoPath>> {
    let changed = repo.store.diff_trees(before, &fence::tree::snapshot(repo)?)?;
    let paths = changed.into_iter().map(|change| change.path);
    Ok(paths.filter(|path| is_of_surface(repo, &path.to_string(), name)).collect())
}

/// True for a path that is staged as git seed put it back: what undoes a change of a
/// locked file is not one.
pub(crate) fn is_put_back(repo: &Repo, state: &State, path: &RepoPath) -> Result<bool> {
    let Some(lock) = state
        .put_back
        .as_ref()
        .filter(|lock| is_of_surface(repo, &path.to_string(), &lock.surface))
    else {
        return Ok(false);
    };
    let Ok(checkpoint) = lock.checkpoint.parse::<CommitId>() else { return Ok(false) };
    Ok(repo.store.is_staged_as_in(&checkpoint, path)?)
}

fn put_surface_back(
    repo: &Repo,
    focused: &LoadedJob,
    name: &str,
    before: &TreeId,
    said: &str,
) -> Result<()> {
    let files = changed_of_surface(repo, name, before)?;
    let paths: Vec<String> = files.iter().map(ToString::to_string).collect();
    let mut edits: Vec<TreeEdit> = Vec::new();
    let said: String = secrets::mask(said).chars().take(SAID.1).collect();
    let mut body = tell(Notice::BodyCheckFailed, &[("said", &said)]) + "\n\n";
    for file in &files {
        // One that is gone is not kept; the blob of before comes back all the same.
        let bytes = file
            .below(repo.store.work_tree())
            .ok()
            // As above.
            .and_then(|file| repo::paths::bytes_of(file).ok());
        let place = bytes.map_or_else(String::new, |bytes| {
            let kept = format!("taken/{}-{}", focused.state.steps + 1, short_hash(&bytes, 12));
            let place = format!(", kept as {}:{kept}", focused.chain);
            edits.push(TreeEdit::Put { path: kept, bytes });
            place
        });
        let _ = writeln!(body, "- {file}{place}");
    }
    let lock = |state: &mut State, step: &str, subject: String| {
        state.put_back = state.unlocked.take().or_else(|| state.put_back.take());
        StepDraft::new(state, step, subject, By::Hook)
    };
    let subject = tell(Notice::SubjectCheckFailed, &[("name", name)]);
    record::step::step(repo, &focused.chain, Journaling::Read, |state, _| {
        let mut draft = lock(state, "lock", subject.clone());
        state.fence.strays.retain(|stray| !paths.contains(stray));
        draft.edits.clone_from(&edits);
        draft.body.clone_from(&body);
        Ok(Ok(draft))
    })?
    .map_err(|refusal| EngineError::Refused(refusal.wants))?;
    repo.store.restore(before, &files)?;
    fence::tree::snapshot(repo)?;
    let failed: Vec<&String> =
        paths.iter().filter(|path| fence::tree::is_still_changed(repo, before, path)).collect();
    if failed.is_empty() {
        return Ok(());
    }
    record::step::step(repo, &focused.chain, Journaling::Read, |state, _| {
        state.fence.strays.extend(failed.iter().map(|path| (*path).clone()));
        Ok(Ok(lock(state, "lock", tell(Notice::SubjectNotPutBack, &[("name", name)]))))
    })?
    .map(drop)
    .map_err(|refusal| EngineError::Refused(refusal.wants))
}
