//! The turn wants to end: held while a job is open, let go after three refusals without work.

use crate::engine::hook::last_words::Heard;
use crate::engine::quote::count_words;
use crate::engine::record::draft::{By, Journaling, StepDraft};
use crate::engine::repo::journal::text_hash;
use crate::engine::repo::sessions::{Sender, attendance};
use crate::engine::repo::text::merged;
use crate::engine::repo::{EngineError, LoadedJob, Repo, Result};
use crate::engine::{boundary, claims, hook, jobs, record, report, resting, vetoes};
use crate::event::{Actor, Event, EventKind};
use crate::format::journal::{Linked, Refused, What};
use crate::hosts::{self, Answer, Host};
use crate::phases::review::Review;
use crate::phases::stop::{self, Turn};
use crate::phases::{PhaseKind, guard};
use crate::rules::ClaimMode;
use crate::store::TreeEdit;
use crate::verdict::{Case, Refusal, Wants};
use crate::voice::{self, Notice, tell};
use crate::world;

/// Stops in a row that are refused before the turn is let go.
const STOPS: u32 = 3;

pub(crate) fn stop(repo: &Repo, event: &Event, waiting: u32) -> Result<Answer> {
    let focused = repo.focused()?;
    if let Some(focused) = &focused {
        focused.activity.clone()?;
        if repo.is_guest(focused, event)? {
            return Ok(Answer::silence());
        }
    }
    // It only rests until what it waits for has ended: these are not its last words.
    if waiting > 0 {
        return Ok(Answer::silence());
    }
    let heard = match hook::last_words::heard(repo, event, focused.as_ref()) {
        Ok(Heard::SentBack(answer)) => return Ok(answer),
        Ok(heard) => Ok(heard),
        // Damage and a lock that somebody holds have an answer of their own.
        Err(error) if error.is_damage() || error.is_chosen() => return Err(error),
        Err(error) => Err(error),
    };
    let answer = match &focused {
        Some(focused) => stop_in_focus(repo, event, focused)?,
        None => stop_without_focus(repo, event)?,
    };
    Ok(match heard {
        // The turn ends with them: the person hears what nothing shows.
        Ok(Heard::Unshown(told) | Heard::Open(told)) if answer.refuse.is_none() => {
            Answer { to_person: merged(Some(told), answer.to_person), ..answer }
        }
        Err(error) => unruled(event, &error, answer),
        _ => answer,
    })
}

/// The last words could not be ruled on: the turn is held for it once, and the person hears why.
fn unruled(event: &Event, error: &EngineError, answer: Answer) -> Answer {
    let told = Some(tell(Notice::HookTrouble, &[("error", &error.to_string())]));
    let held = matches!(event.kind, EventKind::Stop { again: false, .. });
    let why = || voice::say(&guard::unjudged(error), "").text();
    let refuse = answer.refuse.or_else(|| held.then(why));
    Answer { refuse, to_person: merged(told, answer.to_person), ..Answer::silence() }
}

fn stop_in_focus(repo: &Repo, event: &Event, focused: &LoadedJob) -> Result<Answer> {
    let state = &focused.state;
    // Only the person can open it, and they hear it best at the end of a turn.
    if boundary::hooked::stands(repo, focused)?.is_some() {
        return last_words(repo, focused, event);
    }
    let looking = state.review == Review::Looking;
    let (next, whole) = if looking { (String::new(), true) } else { next(repo, focused) };
    let running = matches!(event.kind, EventKind::Stop { commands, .. } if commands > 0);
    let unasked = jobs::unattended::unasked(repo, state)
        .map(|why| if running { tell(Notice::UnaskedRunning, &[("why", &why)]) } else { why });
    let called_off = jobs::ending::called_off(repo, focused)?;
    let turn = Turn {
        row: repo.row(Some(focused)),
        job: state.job.name.as_str(),
        talk: state.is_only_talked_of(),
        open: state.job.status.is_open(),
        closing: state.is_closing(),
        looking,
        asked: record::interactions::only_asked(repo, focused)?
            || resting::lets_go(repo, focused)?
            || is_the_persons(repo, focused, unasked.is_some())?,
        called_off: called_off.as_deref(),
        unasked: unasked.as_deref(),
        running,
        next: &next,
        whole,
    };
    match stop::may_end(&turn) {
        Ok(()) => last_words(repo, focused, event),
        Err(refusal) => keep_on(repo, focused, event, &refusal),
    }
}

/// Only the person can go on, and they know it: they answered a question about it, or HEAD is where
/// the job is not and nobody can be asked.
fn is_the_persons(repo: &Repo, focused: &LoadedJob, nobody: bool) -> Result<bool> {
    let asked = resting::asked_to_wait(repo, focused)?;
    if !asked && !nobody {
        return Ok(false);
    }
    if asked && vetoes::is_unmended(repo, focused)? {
        return Ok(true);
    }
    // A merge that the agent was allowed to begin is its own to end.
    let own = Some(Case::OperationMerge.word());
    let away = |no: &Refusal| no.wants == Wants::Home && no.facts.case() != own;
    // What does not read frees nobody.
    Ok(boundary::judge::missing(repo, focused).is_ok_and(|missing| missing.iter().any(away)))
}

/// What `status` says comes next, and whether nothing else is to be said of the work; where it does
/// not read, `status` says why.
fn next(repo: &Repo, focused: &LoadedJob) -> (String, bool) {
    let row = repo.row(Some(focused));
    let on_lane = repo.map(&focused.state.stand).lane.is_some() && row.kind == PhaseKind::Work;
    match boundary::judge::missing(repo, focused) {
        Ok(missing) => {
            // The row asks for the question that the person has answered already.
            let spoken = focused.state.review.opens_a_cycle().is_ok();
            // A row between cycles speaks of the next one, and a finished job has none to begin.
            let whole = if row.is_in_cycle() {
                on_lane || spoken || missing.is_empty()
            } else {
                jobs::ending::is_finished(repo, focused)
            };
            (report::next::of_focused(repo, focused, row, &missing).to_agent(), whole)
        }
        Err(_) => ("git seed status".to_owned(), false),
    }
}

/// The turn may end; its last words may still speak of what it did not open.
fn last_words(repo: &Repo, focused: &LoadedJob, event: &Event) -> Result<Answer> {
    let Some(refusal) =
        claims::turn::ungrounded(repo, event, focused)?.filter(|_| event.by == Actor::Main)
    else {
        return Ok(Answer::silence());
    };
    if repo.rules.claims == ClaimMode::Enforce {
        return keep_on(repo, focused, event, &refusal);
    }
    // A stop has no room for a word to the agent: the person hears it, once in a session.
    let told = claims::required::advise(repo, &event.session, focused, &refusal)?;
    let path = refusal.facts.get("path").unwrap_or_default();
    let told = told.map(|_| tell(Notice::AnswerOfUnopened, &[("path", path)]));
    Ok(told.map_or_else(Answer::silence, Answer::to_person))
}

/// Without a focus, a job that rests in this worktree still waits.
fn stop_without_focus(repo: &Repo, event: &Event) -> Result<Answer> {
    if !repo.is_seeded()? {
        return Ok(Answer::silence());
    }
    let Some(job) = jobs::birth::waiting_here(repo)? else { return rests_unasked(repo, event) };
    if loose_stops(repo) >= STOPS {
        return Ok(Answer::to_person(tell(Notice::StillPending, &[("job", &job.state.job.name)])));
    }
    let refusal = stop::waits(&job.state.job.name, job.state.job.id.as_str());
    let said = loose_stops(repo);
    let text = match said_again(repo, "", said, &refusal, "idle") {
        Some(again) => again,
        None => voice::say(&refusal, "idle").text(),
    };
    record::journal_line::note(repo, None, |line| {
        line.what = What::Kept;
        line.call = text_hash(&text);
        line.counts.stops += 1;
        line.refusal = Some(Refused::of(&refusal, "idle"));
    })?;
    Ok(Answer::refuse(text))
}

/// The job of this session came to rest in this turn, and the host cannot ask: its person hears
/// what approves it.
fn rests_unasked(repo: &Repo, event: &Event) -> Result<Answer> {
    // A journal that does not read knows of no prompt since: the person hears it once more.
    let lines = repo.store.journal().all().unwrap_or_default();
    // As above, of one line.
    let mut read = lines.iter().filter_map(|line| Linked::read(line).ok());
    let prompted = read.any(|linked| linked.line.what == What::Prompt);
    // A host without a row is one of which nothing is known.
    let sits = |host: &Host| attendance(host, &world::ancestors()) != Sender::Unattended;
    if prompted || !hosts::row(event.host).is_ok_and(sits) {
        return Ok(Answer::silence());
    }
    let of_session = |job: &LoadedJob| {
        job.state.driver.session == event.session && jobs::unattended::cannot_ask(repo, &job.state)
    };
    let rests = jobs::unattended::awaiting(repo)?.into_iter().filter(of_session);
    let newest = rests.max_by_key(|job| job.state.job.updated_at);
    Ok(newest.map_or_else(Answer::silence, |job| {
        let job = &job.state.job;
        let facts = [("job", job.name.as_str()), ("id", job.id.as_str())];
        Answer::to_person(tell(Notice::RestsUnasked, &facts))
    }))
}

/// Stops refused in a row while no job is focused.
fn loose_stops(repo: &Repo) -> u32 {
    // A journal that does not read counts no refusal: without a job nothing but these stops is
    // lost, and `doctor` tells of it.
    let lines = repo.store.journal().all().unwrap_or_default();
    // As above, of its last line.
    let last = lines.last().and_then(|line| Linked::read(line).ok());
    last.filter(|last| last.line.base.is_empty()).map_or(0, |last| last.line.counts.stops)
}

/// Refuses the stop, or yields after the third in a row without work in between.
fn keep_on(repo: &Repo, focused: &LoadedJob, event: &Event, refusal: &Refusal) -> Result<Answer> {
    let stops = focused.activity.as_ref().map_or(0, |counts| counts.stops);
    let phase = focused.state.stand.phase.as_str();
    // Nothing was done since the turn was let go: it ends again, and no step says so twice.
    if focused.state.yielded && focused.activity.as_ref().is_ok_and(|counts| counts.calls == 0) {
        return Ok(Answer::silence());
    }
    if stops >= STOPS {
        return hand_off(repo, focused, refusal);
    }
    let text = match said_again(repo, &focused.state.step, stops, refusal, phase) {
        Some(again) => again,
        None => repo.say(Some(focused), refusal, phase),
    };
    let words = count_words(&text);
    record::journal_line::note(repo, Some(focused), |line| {
        line.what = What::Kept;
        line.call = text_hash(&text);
        line.session.clone_from(&event.session);
        line.refusal = Some(Refused::of(refusal, phase));
        line.counts.activity.landed(0);
        line.counts.stops += 1;
        line.counts.refusals += 1;
        line.counts.tell(words);
    })?;
    Ok(Answer::refuse(text))
}

/// What is said instead of the whole refusal where the stop before was refused with the same one:
/// what is left to do, and not how often it has to be tried. `stops` were refused in a row.
fn said_again(
    repo: &Repo,
    base: &str,
    stops: u32,
    refusal: &Refusal,
    phase: &str,
) -> Option<String> {
    if stops == 0 {
        return None;
    }
    // A journal that does not read knows of no refusal: the whole one is said.
    let lines = repo.store.journal().all().unwrap_or_default();
    let kept = lines.iter().rev().filter_map(|line| {
        // Nor does a line that does not.
        let line = Linked::read(line).ok()?.line;
        (line.what == What::Kept && line.base == base).then_some(line.refusal)
    });
    let same = kept.flatten().next() == Some(Refused::of(refusal, phase));
    let next = voice::say(refusal, phase).do_;
    same.then(|| tell(Notice::StopAgain, &[("next", &next)]))
}

/// Lets the turn end with the work open, and leaves a hand-off for whoever comes next.
fn hand_off(repo: &Repo, focused: &LoadedJob, refusal: &Refusal) -> Result<Answer> {
    let said = voice::say(refusal, focused.state.stand.phase.as_str());
    let step = record::step::step(repo, &focused.chain, Journaling::Read, |state, _| {
        let (phase, cycle) = (state.stand.phase.as_str(), state.stand.cycle.to_string());
        let facts = [("phase", phase), ("cycle", cycle.as_str()), ("next", said.do_.as_str())];
        let text = tell(Notice::HandOff, &facts);
        let path = format!("summaries/hand-off-{}.md", state.steps + 1);
        let put = TreeEdit::Put { path, bytes: text.into_bytes() };
        state.yielded = true;
        Ok(Ok(
            StepDraft::new(state, "yield", tell(Notice::SubjectTurnEnded, &[]), By::Hook).with(put)
        ))
    })?;
    debug_assert!(step.is_ok(), "a hand-off is never refused");
    Ok(Answer::to_person(tell(
        Notice::TurnEndsOpen,
        &[("job", &focused.state.job.name), ("phase", focused.state.stand.phase.as_str())],
    )))
}
