//! Gathers what guards may look at, for one tool call. Reads only.

use std::path::Path;

use crate::engine::repo::paths::Resolved;
use crate::engine::repo::{self, LoadedJob, Repo};
use crate::engine::{claims, fence, jobs, memory, person, record};
use crate::event::{Act, Change, Event, FileEdit, ToolCall};
use crate::hosts::Host;
use crate::jobs::shortword;
use crate::memory::edit;
use crate::memory::scope::Scope;
use crate::phases::gates::PlanStanding;
use crate::phases::guard::{Call, FileChange, Lost, Scene};
use crate::phases::place::Place;
use crate::phases::{Class, Phase};
use crate::rules::ClaimMode;
use crate::shell::{self, Effect};
use crate::verdict::Refusal;

/// The longest file that a page edit is simulated on, in bytes.
const LONGEST_PAGE: u64 = 16 * 1024 * 1024;

/// The scene of `call`.
pub(crate) fn scene<'a>(
    repo: &'a Repo,
    host: &Host,
    event: &'a Event,
    call: &'a ToolCall,
    focused: Option<&'a LoadedJob>,
    guest: bool,
) -> Scene<'a> {
    let phase = if guest { repo.rules.maps.home().none() } else { repo.row(focused) };
    let stand = focused.map(|focused| &focused.state.stand);
    Scene {
        anchors: repo.rules.maps.anchors(),
        phase,
        cycle: stand.map_or(0, |stand| stand.cycle),
        by: &event.by,
        dial_set: stand.is_some_and(|stand| stand.entry.multiplier.is_some()),
        page: repo.rules.page_name(),
        guest,
        stay: focused.map(|focused| record::activity::stay(repo, focused)).unwrap_or_default(),
        delegates: host.delegates(),
        unsummed: focused.is_some_and(|focused| jobs::summary::is_wanted(&focused.state)),
        room: focused
            .filter(|_| !guest)
            .map(|focused| memory::compaction::room(repo, focused, event))
            .unwrap_or_default(),
        away: focused.and_then(|focused| repo.away(focused)),
        call: call_of(repo, host, event, call, phase, focused),
    }
}

fn call_of<'a>(
    repo: &Repo,
    host: &Host,
    event: &Event,
    call: &'a ToolCall,
    phase: &Phase,
    focused: Option<&LoadedJob>,
) -> Call<'a> {
    let mut out = Call {
        tool: &call.tool,
        classes: Vec::new(),
        read: None,
        changes: Vec::new(),
        own_state: None,
        persons: None,
        moves: None,
        git_verb: None,
        confinable: false,
        question: None,
        dispatch: None,
        unproven: None,
    };
    let place = |path: &Path| repo.place(host, event, path, focused);
    let one = |class: Class| vec![(class, call.tool.clone())];
    match &call.act {
        Act::Read { path } => {
            let resolved = place(path);
            out.classes = one(Class::Read);
            out.read = Some((resolved.shown, resolved.place));
        }
        Act::Search { path } => {
            out.classes = one(Class::Search);
            out.read = path.as_deref().map(place).and_then(|found| match found.place {
                Place::OwnState => Some((found.shown, found.place)),
                _ => None,
            });
        }
        Act::Web { .. } => out.classes = one(Class::Web),
        Act::Edit(files) => {
            out.classes = one(Class::Edit);
            let scope = repo.scope_for(phase, focused);
            let changes = |file: &FileEdit| changes(repo, place(&file.path), file, &scope, focused);
            out.changes = files.iter().flat_map(changes).collect();
        }
        Act::Shell { command, cwd, .. } => {
            shell(repo, host, event, command, cwd.as_deref(), phase, focused, &mut out);
        }
        Act::Delegate { agent, prompt } => {
            out.classes = one(Class::Delegate);
            // Where the pages do not read, no launch can be for a note of theirs.
            out.dispatch = focused.and_then(|focused| {
                match memory::note_agents::dispatch(repo, focused, agent, prompt) {
                    Ok(bound) => bound.err(),
                    Err(error) => Some(Refusal::broken("state", &error)),
                }
            });
        }
        Act::Ask(questions) => {
            out.classes = one(Class::Ask);
            out.question = person::ask::ask(repo, questions, phase, focused).err();
        }
        Act::Housekeeping => out.classes = one(Class::Housekeeping),
        Act::Schedule { text } => {
            out.classes = one(Class::Schedule);
            // No tool makes a person's short word.
            out.persons = shortword::read(text).map(|(word, _)| format!("a prompt that begins with {word}"));
        }
        Act::Foreign { server } if repo.is_own_server(host, server, &call.tool) => {
            out.classes = one(Class::Seed);
        }
        Act::Foreign { .. } => out.classes = one(Class::Foreign),
        Act::Unknown => out.classes = one(Class::Unknown),
    }
    if repo.rules.claims == ClaimMode::Enforce {
        out.unproven =
            focused.and_then(|focused| claims::required::lacks_ruling(repo, call, &out.changes, focused));
    }
    out
}

/// The change of a file, and of every other name that it is known to have: a hard link
/// carries it to places that may not change.
pub(crate) fn changes(
    repo: &Repo,
    resolved: Resolved,
    file: &FileEdit,
    scope: &Scope,
    focused: Option<&LoadedJob>,
) -> Vec<FileChange> {
    let twins = repo.twins(&resolved, focused.map(|focused| &focused.state));
    let (place, given) = (resolved.place.clone(), resolved.shown.clone());
    let mut changes = vec![change(repo, resolved, file, scope, focused)];
    for twin in twins.into_iter().filter(|twin| twin.place != place) {
        let mut change = change(repo, twin, file, scope, focused);
        change.path = format!("{} (a hard link to {given})", change.path);
        changes.push(change);
    }
    changes
}

fn change(
    repo: &Repo,
    resolved: Resolved,
    file: &FileEdit,
    scope: &Scope,
    focused: Option<&LoadedJob>,
) -> FileChange {
    let own_plan = resolved.place == Place::Plan { own: true };
    let page = matches!(resolved.place, Place::Page { .. }).then(|| page_change(repo, &resolved, file));
    let lost = page.is_some().then(|| focused.and_then(|focused| page_loss(repo, &resolved, file, focused)));
    let work = repo.rules.claims != ClaimMode::Off && resolved.place.is_direct(&resolved.shown);
    let lines = if work { claims::required::lines_of(&file.change, &resolved.real) } else { 0 };
    FileChange {
        declared: repo.is_declared(&resolved.shown, &resolved.place, scope),
        path: resolved.shown,
        place: resolved.place,
        exists: resolved.exists,
        missed: focused
            .is_some_and(|focused| own_plan && repo.plan_standing(focused) == PlanStanding::Missing),
        page: page.flatten(),
        lost: lost.flatten(),
        lines,
    }
}

/// What an edit would take from the footers of a page, where they are condensed.
fn page_loss(repo: &Repo, resolved: &Resolved, file: &FileEdit, focused: &LoadedJob) -> Option<Lost> {
    if !repo.row(Some(focused)).measures || !resolved.exists {
        return None;
    }
    let old = String::from_utf8(repo::paths::bytes_of(&resolved.real).ok()?).ok()?;
    let new = edit::apply(Some(&old), &file.change).ok()?.unwrap_or_default();
    let page = record::session_log::cycle_page(repo, focused, &resolved.shown, &resolved.real);
    let loss =
        record::session_log::would_lose(repo, focused, page.as_deref().unwrap_or_default(), &old, &new)?;
    Some(Lost { what: loss.what, line: loss.line, note: loss.note, elsewhere: page.is_none() })
}

fn page_change(repo: &Repo, resolved: &Resolved, file: &FileEdit) -> Option<crate::event::PageChange> {
    if file.change == Change::Opaque {
        return None;
    }
    let long = resolved.real.metadata().is_ok_and(|data| data.len() > LONGEST_PAGE);
    let current = if resolved.exists && !long {
        Some(String::from_utf8(repo::paths::bytes_of(&resolved.real).ok()?).ok()?)
    } else if long {
        return None;
    } else {
        None
    };
    Some(edit::judge(current.as_deref(), &file.change, &repo.rules.maps.anchors()))
}

#[expect(clippy::too_many_arguments, reason = "the pieces of one event, read once")]
pub(crate) fn shell(
    repo: &Repo,
    host: &Host,
    event: &Event,
    command: &str,
    cwd: Option<&Path>,
    phase: &Phase,
    focused: Option<&LoadedJob>,
    out: &mut Call<'_>,
) {
    let reading = shell::read(command);
    let scope = repo.scope_for(phase, focused);
    let cwd = cwd.unwrap_or(&event.cwd);
    let confines = fence::rewrite::confines(repo, event, phase, &reading);
    for found in &reading.found {
        let class = class_of(found);
        // Confined it can change nothing that a phase keeps, so it looks.
        let looks = (confines || found.confined) && phase.confined.contains(&class);
        out.classes.push((if looks { Class::ShellRead } else { class }, found.part.clone()));
        if found.persons && out.persons.is_none() {
            out.persons = Some(found.part.clone());
        }
        if found.seed && !found.looks && out.moves.is_none() {
            out.moves = Some(found.part.clone());
        }
        if found.own_state && out.own_state.is_none() {
            out.own_state = Some(found.part.clone());
        }
        if let Some(git) = found.git.as_ref().filter(|_| found.effect == Effect::GitWrite) {
            out.git_verb.get_or_insert_with(|| git.verb.clone());
        }
        if matches!(found.effect, Effect::Write | Effect::Network | Effect::RunsCode) {
            for path in &found.paths {
                let state = focused.map(|focused| &focused.state);
                // A trailing slash means somewhere below: judged as a file of that directory.
                let below = path.strip_suffix('/').map(|dir| format!("{dir}/*"));
                let path = below.as_ref().unwrap_or(path);
                let resolved = repo.resolve(Path::new(path), cwd, state, &host.memory);
                let file = FileEdit { path: path.into(), change: Change::Opaque };
                out.changes.extend(changes(repo, resolved, &file, &scope, focused));
            }
        }
    }
    out.confinable = is_confinable(phase, &out.classes);
    // A writer that the phase does not open at all says so by its act, not by its place.
    if !phase.opens(Class::ShellWrite) {
        out.changes
            .retain(|change| matches!(change.place, Place::OwnState | Place::Git | Place::Surface { .. }));
    }
}

/// Whether these acts would all be open if the kernel confined them, and are not now.
fn is_confinable(phase: &Phase, classes: &[(Class, String)]) -> bool {
    let mut closed = classes.iter().map(|(class, _)| class).filter(|class| !phase.opens(**class)).peekable();
    closed.peek().is_some()
        && closed.all(|class| phase.confined.contains(class))
        && crate::confine::check().is_ok()
}

fn class_of(found: &shell::Found) -> Class {
    match found.effect {
        _ if found.seed && !found.persons => Class::Seed,
        Effect::Read => Class::ShellRead,
        Effect::RunsCode => Class::ShellCode,
        Effect::Write => Class::ShellWrite,
        Effect::GitWrite => Class::ShellGit,
        Effect::Network => Class::ShellNetwork,
        Effect::Outward => Class::ShellOutward,
        Effect::Unknown => Class::ShellUnknown,
    }
}
