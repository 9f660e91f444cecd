//! The first step onto the small lane: from talk straight into the work.
//!
//! The chain records the phases that are walked through. Whoever is killed on the way goes on with
//! the same command.

use std::collections::BTreeSet;

use crate::claims::languages::shipped_languages;
use crate::engine::boundary::step::Transitioned;
use crate::engine::jobs::birth::QUICK;
use crate::engine::memory::pages::declared_dir;
use crate::engine::record::draft::By;
use crate::engine::record::transition::Transition;
use crate::engine::repo::rows::{from_line, to_line};
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::engine::{boundary, claims, fence};
use crate::jobs::shortword::SaidLane;
use crate::memory::pages::dir_of;
use crate::phases::FirstStep;
use crate::phases::gates::{self, BadLine};
use crate::phases::lane::Opening;
use crate::phases::message::Message;
use crate::phases::place::Place;
use crate::verdict::Refusal;

/// The plain first step of a job that begins on the small lane; absent where it is none, or where
/// nothing says where the work lies: that step opens the phase where one looks.
pub(crate) fn plain(
    repo: &Repo,
    scope: &[String],
    text: &str,
) -> Result<Option<std::result::Result<Vec<Transitioned>, Refusal>>> {
    let focused = repo.require_focused()?;
    let state = &focused.state;
    if !state.stand.is_talk() || repo.first_step(state) != FirstStep::Small {
        return Ok(None);
    }
    let opened = claims::turn::opened_in_job(repo, &focused)?;
    if scope.is_empty() && dirs_read(repo, &focused, &opened).is_empty() {
        return Ok(None);
    }
    open(repo, scope, text).map(Some)
}

/// Opens the small lane for work in `scope`, or in the directories that were read in this job. All
/// boundaries that were crossed, in order.
pub(crate) fn open(
    repo: &Repo,
    scope: &[String],
    text: &str,
) -> Result<std::result::Result<Vec<Transitioned>, Refusal>> {
    boundary::cross::finish_pending(repo)?;
    let focused = repo.require_focused()?;
    let (stand, map) = (&focused.state.stand, repo.map(&focused.state.stand));
    let on_lane = map.lane.is_some();
    let first = repo.first_step(&focused.state);
    let opened = claims::turn::opened_in_job(repo, &focused)?;
    let dirs = if scope.is_empty() && first == FirstStep::Small {
        dirs_read(repo, &focused, &opened)
    } else {
        match declared(scope) {
            Ok(dirs) => dirs,
            Err(bad) => return Ok(Err(gates::misdeclared(BadLine::Scope, &bad))),
        }
    };
    let name = focused.state.job.kept_name();
    let said = if text.trim().is_empty() && first == FirstStep::Small { &name } else { text };
    let binding = map.lane.as_ref().or_else(|| repo.rules.maps.get(QUICK).lane.as_ref());
    let binding = binding.filter(|_| focused.state.said_lane != SaidLane::Quick);
    let added_up = match binding {
        Some(lane) => boundary::added_up::outgrown(repo, lane, &dirs)?,
        None => None,
    };
    let too_many = binding.and_then(|lane| boundary::size::beyond(lane, &dirs, &[]));
    let opening = Opening {
        added_up,
        too_many,
        phase: &stand.phase,
        begins: stand.is_talk() || (on_lane && stand.phase == map.start),
        on_lane,
        first,
        unseen: unseen(repo, &dirs, &opened),
        says: !Message::new(said).text().trim().is_empty(),
        dirs: &dirs,
    };
    if let Err(refusal) = opening.judge() {
        return Ok(Err(refusal));
    }
    let into_work = Transition::Forward { to: None, add_cycle: None, scope: dirs.clone() };
    let steps = if stand.is_talk() { vec![Transition::Small, into_work] } else { vec![into_work] };
    let mut crossed = Vec::new();
    for step in steps {
        match boundary::cross::cross(repo, &step, said, By::Agent)? {
            Ok(taken) => crossed.push(taken),
            Err(refusal) => return Ok(Err(refusal)),
        }
    }
    Ok(Ok(crossed))
}

/// The directories of `--scope`, as lines of the scope.
fn declared(scope: &[String]) -> std::result::Result<Vec<String>, String> {
    let dirs: std::result::Result<Vec<_>, _> = scope.iter().map(|dir| declared_dir(dir)).collect();
    Ok(dirs?.into_iter().flatten().collect())
}

/// Directories of the project of which something was opened, tests aside: they ride along.
fn dirs_read(repo: &Repo, focused: &LoadedJob, opened: &[String]) -> Vec<String> {
    let work = |path: &&String| {
        let place = fence::survey::place_of(repo, path, &focused.state);
        matches!(place, Place::Project { .. }) && !shipped_languages().is_test_path(path)
    };
    let dirs: BTreeSet<String> =
        opened.iter().filter(work).map(|path| to_line(dir_of(path))).collect();
    dirs.into_iter().collect()
}

/// One of `dirs` that holds files, of which none was opened.
pub(crate) fn unseen<'a>(repo: &Repo, dirs: &'a [String], opened: &[String]) -> Option<&'a str> {
    let is_unseen = |dir: &&String| {
        let dir = from_line(dir);
        // One that is not there, or does not read, holds nothing to look at.
        let entries = std::fs::read_dir(repo.store.work_tree().join(&dir)).into_iter().flatten();
        let holds =
            entries.flatten().any(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
        holds && !opened.iter().any(|path| dir_of(path) == dir)
    };
    dirs.iter().find(is_unseen).map(String::as_str)
}
