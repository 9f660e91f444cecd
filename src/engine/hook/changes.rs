//! The files that a call would change, each with its place and what is known of the change.
//! Reads only.

use std::borrow::Cow;
use std::path::Path;

use crate::engine::repo::paths::Resolved;
use crate::engine::repo::{self, LoadedJob, Repo, Result};
use crate::engine::{agent_settings, claims, closed_paths, hook, links, named_dirs, own_dir};
use crate::event::{Change, Event, FileEdit};
use crate::hosts::Host;
use crate::memory::edit;
use crate::memory::scope::Scope;
use crate::phases::gates::PlanStanding;
use crate::phases::guard::FileChange;
use crate::phases::mcp::{NamedPath, Touches};
use crate::phases::place::Place;
use crate::phases::{Phase, Write};
use crate::rules::ClaimMode;
use crate::secrets::{self, Line};
use crate::shell;

/// The longest file that a page edit is simulated on, in bytes.
const LONGEST_PAGE: u64 = 16 * 1024 * 1024;

/// Whose call it is, and where the job stands.
pub(crate) struct By<'a> {
    pub repo: &'a Repo,
    pub host: &'a Host,
    pub event: &'a Event,
    pub phase: &'a Phase,
    pub focused: Option<&'a LoadedJob>,
}

/// Where the file of an edit lies; one that is deleted goes as the name that it is.
pub(crate) fn edited(by: &By<'_>, file: &FileEdit) -> Resolved {
    let By { repo, host, event, focused, .. } = *by;
    let as_name = || {
        let state = focused.map(|focused| &focused.state);
        links::name_at(repo, (&file.path, &event.cwd), state, &host.memory)
    };
    let taken = matches!(file.change, Change::Delete);
    let name = if taken { as_name() } else { None };
    let resolved = name.unwrap_or_else(|| repo.place(host, event, &file.path, focused));
    if own_dir::is_program(&resolved.real) {
        return Resolved { place: Place::OwnState, ..resolved };
    }
    resolved
}

/// The files that a piece of a shell line writes, as it names them.
pub(crate) fn written(
    by: &By<'_>,
    found: &shell::Found,
    cwd: &Path,
    scope: &Scope,
) -> Result<Vec<FileChange>> {
    let By { repo, host, event, phase, focused } = *by;
    let state = focused.map(|focused| &focused.state);
    let mut written = Vec::new();
    let away = closed_paths::put_away(repo, (&event.session, cwd), found)?;
    for given in found.paths.iter().chain(&away) {
        // A trailing slash means somewhere below: judged as a file of that directory.
        let below = given.strip_suffix('/').map(|dir| format!("{dir}/*"));
        let path = below.as_ref().unwrap_or(given);
        let file = FileEdit { path: path.into(), change: Change::Opaque };
        if found.takes_name(given, cwd.join(given).is_dir())
            && let Some(mut name) = links::name_at(repo, (given.as_ref(), cwd), state, &host.memory)
        {
            if own_dir::takes_program(&name, found) {
                name.place = Place::OwnState;
            }
            written.extend(of_file(repo, name, &file, scope, focused)?);
            continue;
        }
        let mut resolved = repo.resolve(Path::new(path), cwd, state, &host.memory);
        if own_dir::takes_program(&resolved, found) {
            resolved.place = Place::OwnState;
        }
        let by = named_dirs::By { found, given, last: found.paths.last() == Some(given) };
        let named = match focused.filter(|_| phase.write.contains(&Write::Scope)) {
            Some(focused) => named_dirs::files(repo, &resolved, &by, scope, focused)?,
            None if !repo.rules.mode.keeps_jobs() => {
                named_dirs::closed_files(repo, &event.session, &resolved, &by)?
            }
            None => None,
        };
        for resolved in named.unwrap_or_else(|| vec![resolved]) {
            written.extend(of_file(repo, resolved, &file, scope, focused)?);
        }
    }
    Ok(written)
}

/// The files that the input of a server's tool names, of those that are this repository's. A path
/// that is told from nowhere counts where something is there, or the server works on files here.
pub(crate) fn named(by: &By<'_>, touches: &Touches, scope: &Scope) -> Result<Vec<FileChange>> {
    let By { repo, host, event, focused, .. } = *by;
    let home = crate::world::variable("HOME").unwrap_or_default();
    let mut changes = Vec::new();
    for NamedPath { path, sure } in &touches.paths {
        let at_home = path.strip_prefix("~/").filter(|_| !home.is_empty());
        let path = at_home.map_or_else(|| path.clone(), |rest| format!("{home}/{rest}"));
        let first = Path::new(&path).components().next();
        let is_there = first.is_some_and(|first| event.cwd.join(first).symlink_metadata().is_ok());
        if !sure && !is_there {
            continue;
        }
        let resolved = repo.place(host, event, Path::new(&path), focused);
        let free = matches!(resolved.place, Place::Outside | Place::Scratch | Place::HostMemory);
        if free || resolved.shown.is_empty() && !touches.changes {
            continue;
        }
        let file = FileEdit { path: path.into(), change: Change::Opaque };
        changes.extend(of_file(repo, resolved, &file, scope, focused)?);
    }
    Ok(changes)
}

/// The change of a file, and of every other name that it is known to have: a hard link
/// carries it to places that may not change.
pub(crate) fn of_file(
    repo: &Repo,
    resolved: Resolved,
    file: &FileEdit,
    scope: &Scope,
    focused: Option<&LoadedJob>,
) -> Result<Vec<FileChange>> {
    let twins = repo.twins(&resolved, focused.map(|focused| &focused.state))?;
    let (place, given) = (resolved.place.clone(), resolved.shown.clone());
    let mut changes = vec![change(repo, resolved, file, scope, focused)];
    for twin in twins.into_iter().filter(|twin| twin.place != place) {
        let mut change = change(repo, twin, file, scope, focused);
        change.path = format!("{} (a hard link to {given})", change.path);
        changes.push(change);
    }
    Ok(changes)
}

fn change(
    repo: &Repo,
    resolved: Resolved,
    file: &FileEdit,
    scope: &Scope,
    focused: Option<&LoadedJob>,
) -> FileChange {
    let resolved = agent_settings::judged(repo, resolved, file);
    let own_plan = resolved.place == Place::Plan { own: true };
    let page =
        matches!(resolved.place, Place::Page { .. }).then(|| page_change(repo, &resolved, file));
    let lost = page.is_some().then(|| {
        focused.and_then(|focused| hook::footer_loss::page_loss(repo, &resolved, file, focused))
    });
    let work = repo.rules.claims != ClaimMode::Off && resolved.place.is_direct(&resolved.shown);
    let lines = if work { claims::required::lines_of(&file.change, &resolved.real) } else { 0 };
    let secret = added_secret(repo, &resolved, file);
    let declared = repo.is_declared(&resolved.shown, &resolved.place, scope);
    // No step back declares what the track is not for; only a person opens it.
    let shut = match (&resolved.place, focused) {
        (Place::Project { dir }, Some(focused)) if !declared => {
            closed_paths::shut_for_good(repo, (focused, scope), (&resolved.shown, dir))
        }
        _ => None,
    };
    FileChange {
        secret,
        declared,
        path: resolved.shown,
        place: resolved.place,
        exists: resolved.exists,
        // A document that does not read may be written anew, as one that is not there.
        missed: focused.is_some_and(|focused| {
            own_plan && !repo.plan_standing(focused).is_ok_and(|at| at != PlanStanding::Missing)
        }),
        page: page.flatten(),
        lost: lost.flatten(),
        lines,
        shut,
    }
}

/// A likely secret that an edit of memory would add. The file is read only where the call's own
/// words hold one.
fn added_secret(repo: &Repo, resolved: &Resolved, file: &FileEdit) -> Option<Line> {
    if !resolved.place.is_memory() || repo.rules.allow.contains(&resolved.shown) {
        return None;
    }
    let counts = |kind: &str| !repo.rules.allow.iter().any(|allowed| allowed == kind);
    let new = match &file.change {
        Change::Whole(text) => Cow::Borrowed(text.as_str()),
        Change::Replace(steps) => steps.iter().flat_map(|step| [&*step.new, "\n"]).collect(),
        Change::Hunks(hunks) => {
            hunks.iter().flat_map(|hunk| hunk.new.iter().flat_map(|line| [line, "\n"])).collect()
        }
        Change::Delete | Change::Opaque => return None,
    };
    let found = secrets::added("", &new, counts)?;
    // A page that is no text is judged by `page_change`.
    let old = repo::paths::text_of(&resolved.real).unwrap_or_default();
    match edit::apply(Some(&old).filter(|_| resolved.exists).map(String::as_str), &file.change) {
        Ok(new) => secrets::added(&old, &new.unwrap_or_default(), counts),
        // The tool itself will say so, or it is more lenient than we are.
        Err(_) => Some(found),
    }
}

fn page_change(
    repo: &Repo,
    resolved: &Resolved,
    file: &FileEdit,
) -> Option<crate::event::PageChange> {
    if file.change == Change::Opaque {
        return None;
    }
    let long = resolved.real.metadata().is_ok_and(|data| data.len() > LONGEST_PAGE);
    // A page that does not read cannot be shown to keep its bytes: no change of it is proved fit.
    let current = if resolved.exists && !long {
        // So no change is shown.
        Some(String::from_utf8(repo::paths::bytes_of(&resolved.real).ok()?).ok()?)
    } else if long {
        return None;
    } else {
        None
    };
    Some(edit::judge(current.as_deref(), &file.change, &repo.rules.maps.anchors()))
}
