//! Before a tool, where no job is kept: judged by one row. A call that passes writes nothing, but
//! for the looks that the fence takes.

use crate::engine::quote::count_words;
use crate::engine::repo::{Repo, Result, UnwrittenRefusal};
use crate::engine::{hook, merge_mark, record};
use crate::event::{Actor, Event, ToolCall};
use crate::format::journal::{Refused, What, name_of};
use crate::format::watched::Happened;
use crate::hosts::{Answer, Host};
use crate::jobs::mode::Mode;
use crate::phases::git_acts::{self, Ruling};
use crate::phases::guard::{self, Scene};
use crate::verdict::Refusal;
use crate::voice;

pub(crate) fn before(repo: &Repo, host: &Host, event: &Event, call: &ToolCall) -> Result<Answer> {
    // What it does cannot be told.
    if call.tool.is_empty() {
        return Ok(refuse(repo, call, &[], guard::unjudged(&"it names no tool")));
    }
    let mut scene = hook::scene::scene(repo, host, event, call, None, false)?;
    if let Err(refusal) = merge_mark::judge(repo, call, &mut scene)? {
        let refusal = hook::before::heard_by(&event.by, refusal, "fence");
        return Ok(refuse(repo, call, &paths(&scene), refusal));
    }
    let asked = scene.call.git.as_ref().filter(|(_, ruling)| matches!(ruling, Ruling::Asked(_)));
    if let Some((acts, _)) = asked {
        let asked = Refused::of(&git_acts::is_asked(acts), "fence");
        note(repo, event, (call, Vec::new()), (Happened::Asked, false), asked)?;
    }
    if repo.rules.mode == Mode::Fence {
        return hook::before::let_through(repo, host, event, (call, &scene), None);
    }
    first_change(repo, event, call, &scene)?;
    Ok(Answer::silence())
}

/// The files that a call names.
fn paths(scene: &Scene<'_>) -> Vec<String> {
    let changed = scene.call.changes.iter().map(|change| change.path.clone());
    let read = scene.call.read.iter().map(|(path, _)| path.clone());
    let paths: Vec<String> = changed.collect();
    if paths.is_empty() { read.collect() } else { paths }
}

/// The refusal is written down once it was said.
fn refuse(repo: &Repo, call: &ToolCall, paths: &[String], refusal: Refusal) -> Answer {
    let text = voice::say(&refusal, "fence").text();
    repo.unwritten.replace(Some(UnwrittenRefusal {
        focused: None,
        call: call.clone(),
        paths: paths.to_vec(),
        refusal,
        phase: "fence".to_owned(),
        words: count_words(&text),
    }));
    Answer::refuse(text)
}

/// Writes down the refusal that was said, or that only would have been.
pub(crate) fn write_down(repo: &Repo, event: &Event) {
    if repo.rules.mode.keeps_jobs() {
        return hook::before::write_down(repo, event);
    }
    let Some(said) = repo.unwritten.take() else { return };
    // A no stays a no where its line cannot be written, and so does a pass.
    let refused = Refused::of(&said.refusal, &said.phase);
    let _ = note(repo, event, (&said.call, said.paths), (Happened::Refused, false), refused);
}

fn note(
    repo: &Repo,
    event: &Event,
    (call, paths): (&ToolCall, Vec<String>),
    (what, of_phases): (Happened, bool),
    refused: Refused,
) -> Result<()> {
    record::watched::keep(repo, what, |line| {
        line.session.clone_from(&event.session);
        line.tool.clone_from(&call.tool);
        line.call = name_of(What::Refused, call);
        line.of_phases = of_phases;
        line.paths = paths;
        line.refusal = Some(refused);
    })
}

/// In mode full the first change of a session waits for a first step. What comes after that step
/// cannot be told, so it is written down once.
fn first_change(repo: &Repo, event: &Event, call: &ToolCall, scene: &Scene<'_>) -> Result<()> {
    let Err(refusal) = guard::waits_for_a_step(scene, repo.rules.maps.home().talk()) else {
        return Ok(());
    };
    if event.by != Actor::Main || record::said::of(repo, &event.session)?.begun {
        return Ok(());
    }
    record::said::change(repo, &event.session, |said| said.begun = true)?;
    let of_phases = Refused::of(&refusal, "talk");
    note(repo, event, (call, paths(scene)), (Happened::Refused, true), of_phases)
}
