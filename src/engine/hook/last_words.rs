//! The words that end a turn are a claim, where the host hands them over and hooks rule by
//! themselves. What does not hold sends the turn back once; the second time it ends, and the
//! person is told what nothing shows.

use crate::claims::hooks::Spoken;
use crate::engine::quote::count_words;
use crate::engine::repo::journal::text_hash;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::engine::{jobs, judge, record};
use crate::event::{Actor, Event};
use crate::format::journal::{Linked, Refused, What};
use crate::hosts::Answer;
use crate::phases::Class;
use crate::rules::ClaimMode;
use crate::verdict::Refusal;
use crate::voice::{self, Notice, tell};

/// What is made of the last words.
pub(crate) enum Heard {
    /// Nothing stands against them.
    Fine,
    /// The turn ends; what the person is told that nothing shows.
    Open(String),
    /// The turn goes on.
    SentBack(Answer),
    /// The turn was sent back for such words before; what the person is told when it ends.
    Unshown(String),
}

/// Rules on the last words of `event`.
pub(crate) fn heard(repo: &Repo, event: &Event, focused: Option<&LoadedJob>) -> Result<Heard> {
    let said = event.said.as_deref().unwrap_or_default().trim();
    let is_on = repo.rules.claims == ClaimMode::Judge && event.by == Actor::Main;
    if !is_on || said.is_empty() || !repo.is_seeded()? {
        return Ok(Heard::Fine);
    }
    let last = match focused {
        Some(_) => None,
        None => judge::words::last_job(repo, &event.session)?,
    };
    let judged = match &last {
        Some(job) => judge::closing::rule_on_rest(repo, job, &event.session, said)?,
        None => judge::closing::rule_on(repo, focused, said)?,
    };
    if !judged.sends_back() {
        let told = judged.points();
        if let Some(job) = focused {
            judge::closing::stands_instead(repo, job, judged)?;
        }
        return Ok(told.map_or(Heard::Fine, |points| {
            Heard::Open(tell(Notice::JudgedOpen, &[("points", &points)]))
        }));
    }
    let refusal = match nothing_runs(repo, focused)? {
        Some(why) => judged.refusal_at_rest(Spoken::Last, &why),
        None => judged.refusal(Spoken::Last),
    };
    if was_sent_back(repo, &refusal) {
        let fact = |key: &str| refusal.facts.get(key).unwrap_or_default();
        let facts = [("said", fact("said")), ("why", fact("why"))];
        return Ok(Heard::Unshown(tell(Notice::JudgedTold, &facts)));
    }
    let answer = send_back(repo, event, focused, &refusal)?;
    judged.keep(repo, focused)?;
    Ok(Heard::SentBack(answer))
}

/// Why a run that would show the words is refused now, where it is.
fn nothing_runs(repo: &Repo, focused: Option<&LoadedJob>) -> Result<Option<String>> {
    let Some(focused) = focused else {
        let paused = jobs::birth::newest_paused_here(repo)?;
        return Ok(paused.map(|_| tell(Notice::RunsPaused, &[])));
    };
    let row = repo.row(Some(focused));
    let runs = row.opens(Class::ShellCode) || row.reproduces || row.name.is_talk();
    Ok((!runs).then(|| tell(Notice::RunsNothing, &[("phase", row.name.as_str())])))
}

/// The turn, which began with the last prompt, was sent back for its words already; a step that
/// was taken since makes them others.
fn was_sent_back(repo: &Repo, refusal: &Refusal) -> bool {
    // A journal that does not read knows of none: the turn is sent back once more at most, since
    // the line of that will read.
    let lines = repo.store.journal().all().unwrap_or_default();
    // As above, of one line.
    let read = lines.iter().rev().filter_map(|line| Some(Linked::read(line).ok()?.line));
    let turn = read.take_while(|line| line.what != What::Prompt);
    let case = refusal.facts.case().map(str::to_owned);
    turn.filter(|line| line.what == What::Kept)
        .filter_map(|line| line.refusal)
        .any(|known| known.by == refusal.by && known.facts.case().map(str::to_owned) == case)
}

fn send_back(
    repo: &Repo,
    event: &Event,
    focused: Option<&LoadedJob>,
    refusal: &Refusal,
) -> Result<Answer> {
    let phase = focused.map_or("idle", |focused| focused.state.stand.phase.as_str());
    let text = match focused {
        Some(focused) => repo.say(Some(focused), refusal, phase),
        None => voice::say(refusal, phase).text(),
    };
    record::journal_line::note(repo, focused, |line| {
        line.what = What::Kept;
        line.call = text_hash(&text);
        line.session.clone_from(&event.session);
        line.refusal = Some(Refused::of(refusal, phase));
        line.counts.refusals += 1;
        line.counts.tell(count_words(&text));
    })?;
    Ok(Answer::refuse(text))
}
