//! Subagents that act on notes: gathers what decides on a launch and on the end of a run.

use crate::engine::memory::pages::NoteAt;
use crate::engine::repo::{self, LoadedJob, Repo, Result};
use crate::engine::{memory, record};
use crate::event::Event;
use crate::format::journal::What;
use crate::format::short_hash;
use crate::hosts::{self, Answer};
use crate::memory::dispatch::{self, Bound, End, Found, Live, UnderWay};
use crate::memory::notes::{Note, NoteKind};
use crate::phases::activity::Flight;
use crate::rules::Consumption;
use crate::verdict::Refusal;
use crate::voice::{self, Notice, tell};

/// The note that a launch of `agent` with `prompt` is for; `None` where the subagent is
/// no consumer of notes, or the phase settles none.
pub(crate) fn dispatch(
    repo: &Repo,
    focused: &LoadedJob,
    agent: &str,
    prompt: &str,
) -> Result<std::result::Result<Option<Bound>, Refusal>> {
    let kinds = repo.kinds(&focused.state);
    let Some(kind) = kinds.of_consumer(agent).filter(|_| repo.row(Some(focused)).measures) else {
        return Ok(Ok(None));
    };
    let notes = memory::pages::notes(repo, focused)?;
    let live: Vec<Live<'_>> = live(repo, &notes).into_iter().map(|(_, live)| live).collect();
    let flights = focused.activity.as_ref().map(|counts| counts.activity.flights.as_slice());
    // A journal that does not hold refuses the launch before this is asked.
    let under_way: Vec<UnderWay<'_>> = flights
        .unwrap_or_default()
        .iter()
        .map(|flight| UnderWay {
            agent: flight.agent.as_str(),
            note: flight.note.as_str(),
            waits: flight.id.is_empty() && flight.is_up(repo.now),
        })
        .collect();
    let ended = || texts_of_kind(repo, focused, &notes, kind);
    dispatch::bind((agent, prompt, kind), &live, &under_way, ended)
}

/// Texts of all notes of `kind`, on the cycle's pages and in the session log.
fn texts_of_kind(
    repo: &Repo,
    focused: &LoadedJob,
    notes: &[NoteAt],
    kind: &NoteKind,
) -> Result<Vec<String>> {
    let on_pages = notes.iter().filter(|one| one.note.kind == kind.name);
    let mut texts: Vec<String> = on_pages.filter_map(|one| text_on_page(repo, one)).collect();
    let kinds = repo.kinds(&focused.state);
    for footer in record::session_log::session_log(repo, focused)?.iter().flatten() {
        let ended = kinds.read(&footer.text).into_iter().filter(|note| note.kind == kind.name);
        texts.extend(ended.filter_map(|note| Some(footer.text.get(note.span)?.to_owned())));
    }
    Ok(texts)
}

/// The live ones of these notes, as a launch is judged by them.
fn live<'n>(repo: &Repo, notes: &'n [NoteAt]) -> Vec<(&'n NoteAt, Live<'n>)> {
    let live = notes.iter().filter(|one| one.note.standing.is_live());
    live.map(|one| {
        (one, Live { note: &one.note, mark: mark(&one.note), text: text_on_page(repo, one) })
    })
    .collect()
}

/// A note as it stands on its page, from its bracket to its last brace.
fn text_on_page(repo: &Repo, one: &NoteAt) -> Option<String> {
    // A page that changed or went meanwhile has no such note any more.
    let page = repo::paths::text_of(repo.store.work_tree().join(&one.page)).ok()?;
    Some(page.get(one.note.span.clone())?.to_owned())
}

/// A subagent wants to end. One that was given a note goes on while the note stands as it
/// stood.
pub(crate) fn subagent_ends(repo: &Repo, event: &Event, id: &str, agent: &str) -> Result<Answer> {
    let Some(focused) = repo.focused()? else { return Ok(Answer::silence()) };
    let flights = focused.activity.as_ref().map(|counts| counts.activity.flights.as_slice());
    let is_bound = |flight: &&Flight| flight.is_run(id, agent) && !flight.note.is_empty();
    // A journal that does not hold knows no launch; what it had begun may end.
    let flight = flights.unwrap_or_default().iter().find(is_bound);
    let flight = flight.filter(|_| repo.row(Some(&focused)).measures);
    let notes = if flight.is_some() { memory::pages::notes(repo, &focused)? } else { Vec::new() };
    let live = live(repo, &notes);
    let judged: Vec<Live<'_>> = live.iter().map(|(_, live)| live.clone()).collect();
    let unchanged = flight.and_then(|flight| {
        let bound = Bound { note: flight.note.clone(), times: flight.times };
        let one = dispatch::unchanged(&judged, &bound)?;
        let place = live.iter().find(|(_, live)| live.mark == one.mark)?.0.place();
        Some((place, one.text.clone()))
    });
    let unchanged = unchanged.as_ref().map(|(place, text)| (place.as_str(), text.as_deref()));
    let end = dispatch::end(unchanged, flight.map_or(0, |flight| flight.kept));
    record::journal_line::note(repo, Some(&focused), |line| match &end {
        End::Free | End::Untouched => {
            line.what = What::Launched;
            line.counts.activity.ended(id);
        }
        End::Kept(_) => {
            line.what = What::Kept;
            line.session.clone_from(&event.session);
            line.counts.activity.kept(id, agent);
        }
    })?;
    Ok(match end {
        End::Free => Answer::silence(),
        End::Untouched => Answer::to_person(tell(
            Notice::NoteUntouched,
            &[("agent", agent), ("place", unchanged.map_or("", |(place, _)| place))],
        )),
        End::Kept(refusal) => {
            Answer::refuse(voice::say(&refusal, repo.row(Some(&focused)).name.as_str()).text())
        }
    })
}

/// A kind whose notes were not given to the subagent that acts on them, and that subagent.
pub(crate) fn unconsumed(repo: &Repo, focused: &LoadedJob) -> Result<Option<(String, String)>> {
    if !repo.row(Some(focused)).measures || !asks_launches(repo, focused) {
        return Ok(None);
    }
    let (marked, seen) =
        (memory::pages::notes(repo, focused)?, memory::notes::notes_at_entry(repo, focused)?);
    let notes: Vec<&Note> = marked.iter().map(|one| &one.note).collect();
    let found: Vec<Found<'_>> = seen
        .iter()
        .map(|one| Found { kind: &one.kind, content: &one.content, carries: one.carries })
        .collect();
    let launches = record::activity::stay(repo, focused).launches;
    let kinds = repo.kinds(&focused.state);
    Ok(dispatch::unconsumed(&kinds, &notes, &found, &launches, |agent| counts(repo, agent)))
}

/// Whether launches have to show that notes were acted on; else their breadcrumbs do.
fn asks_launches(repo: &Repo, focused: &LoadedJob) -> bool {
    let delegates = || hosts::row(&focused.state.driver.host).is_ok_and(hosts::Host::delegates);
    match repo.rules.consumption {
        Consumption::Launch => true,
        Consumption::Breadcrumb => false,
        Consumption::Auto => delegates(),
    }
}

/// Whether launches of this subagent are asked for: the repository defines it, or a person's rule
/// asks for launches and somebody does. Nobody is asked to launch what is not there.
fn counts(repo: &Repo, agent: &str) -> bool {
    repo.defines_subagent(agent)
        || repo.rules.consumption == Consumption::Launch && repo.is_subagent(agent)
}

/// What a note says, as the journal knows it.
fn mark(note: &Note) -> String {
    short_hash(dispatch::says(note).as_bytes(), 16)
}
