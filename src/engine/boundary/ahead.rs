//! The question for completion on a small lane, asked where the work was done: whether it may be,
//! and the steps that the person's answer takes.
//!
//! The steps run as a program of their own, as the agent would run them: what a hook of the
//! person's does to them, and how long it takes, cannot take the answer's hook along.

use std::path::Path;
use std::time::Duration;

use crate::engine::boundary::step::Judged;
use crate::engine::record::transition::Transition;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::engine::{boundary, jobs, record};
use crate::format::trailers::{self, StepTrailers};
use crate::hosts::Host;
use crate::jobs::questions::{self, Ahead};
use crate::jobs::routing::InteractionKind;
use crate::phases::message::Message;
use crate::phases::{PhaseKind, gates, lane};
use crate::verdict::Refusal;
use crate::voice::{Notice, tell};
use crate::world::{self, Held};

/// How many steps back the one that opened the lane is looked for.
const RECENT: usize = 200;

/// May `question`, that for completion, be asked where `focused` stands, before the phase that asks
/// it? It is judged with the words that its commit would have.
pub(crate) fn ahead(repo: &Repo, focused: &LoadedJob, question: &str) -> Result<Ahead> {
    if !repo.map(&focused.state.stand).asks_ahead(repo.row(Some(focused))) {
        return Ok(Ahead::No);
    }
    let text = message(repo, focused, question)?;
    Ok(judged(repo, focused, &text)?.map_or_else(|ahead| ahead, |_| Ahead::Met))
}

/// The step out of where `focused` stands, where the question may be asked there.
fn judged(
    repo: &Repo,
    focused: &LoadedJob,
    text: &str,
) -> Result<std::result::Result<Judged, Ahead>> {
    let map = repo.map(&focused.state.stand);
    // What has grown too large goes on elsewhere.
    if !map.asks_ahead(repo.row(Some(focused))) || boundary::size::is_outgrown(repo, focused, &[])?
    {
        return Ok(Err(Ahead::No));
    }
    if let Some(first) = boundary::judge::missing_with(repo, focused, text)?.into_iter().next() {
        return Ok(Err(Ahead::Lacks(first)));
    }
    let mut further = focused.clone();
    for row in map.onward(&focused.state.stand.phase).skip(1) {
        let settles = row.kind == PhaseKind::Consolidation;
        // The steps that the answer takes would stop there.
        if !settles && !map.walks_through(row) {
            return Ok(Err(Ahead::No));
        }
        further.state.stand.phase = row.name.clone();
        let missing = boundary::judge::missing_with(repo, &further, text)?;
        if let Some(first) = gates::missing_ahead(missing).next() {
            let first = if settles { gates::settled_there(first, row) } else { first };
            return Ok(Err(Ahead::Lacks(first)));
        }
        if settles {
            break;
        }
    }
    let since = repo.read_since(focused)?;
    let judged = boundary::judge::judge(repo, focused, &since, &onward(), Message::new(text))?;
    Ok(judged.map_err(Ahead::Lacks))
}

/// What comes next where work is done on a lane, and nothing of its own phase is missing.
pub(crate) enum Then {
    /// The work itself: nothing has changed so far. Where somebody is there who answers, the
    /// question may say that nothing has to.
    Work { asks: bool },
    /// What shows the work: the refusal says what.
    Show(Refusal),
    /// The question for completion: work is done, and somebody is there who answers.
    Ask,
    /// The step forward.
    Step,
}

/// The question is what comes next, where `focused` stands.
pub(crate) fn is_next(repo: &Repo, focused: &LoadedJob) -> Result<bool> {
    Ok(matches!(then(repo, focused)?, Some(Then::Ask)))
}

/// What comes next, where `focused` stands in such a phase; absent in every other.
pub(crate) fn then(repo: &Repo, focused: &LoadedJob) -> Result<Option<Then>> {
    if !repo.map(&focused.state.stand).asks_ahead(repo.row(Some(focused))) {
        return Ok(None);
    }
    let judged = judged(repo, focused, &focused.state.job.name)?;
    let asked = jobs::completion::eligible(repo, focused)
        && !jobs::unattended::defers(repo, &focused.state);
    Ok(Some(match judged {
        Ok(judged) if asked && !judged.survey.own.is_empty() => Then::Ask,
        _ if !boundary::size::has_begun(repo, focused)? => Then::Work { asks: asked },
        Err(Ahead::Lacks(refusal)) if gates::wants_a_look(&refusal) => Then::Show(refusal),
        _ => Then::Step,
    }))
}

fn onward() -> Transition {
    Transition::Forward { to: None, add_cycle: None, scope: Vec::new() }
}

/// Who answers, where, and how long the host waits for it.
pub(crate) struct Answering<'a> {
    pub host: &'a Host,
    pub dir: &'a Path,
    pub most: Duration,
}

/// Takes the steps between the work and the question that was answered there; what the agent and
/// the person are told where they could not be taken.
pub(crate) fn take(
    repo: &Repo,
    focused: &LoadedJob,
    question: &str,
    answering: &Answering<'_>,
) -> Result<std::result::Result<(), String>> {
    let map = repo.map(&focused.state.stand);
    if !map.asks_ahead(repo.row(Some(focused))) {
        return Ok(Ok(()));
    }
    let text = message(repo, focused, question)?;
    let words = ["phase", "advance", "-F", "-"].map(str::to_owned);
    let Answering { host, dir, most } = *answering;
    // Where the agent's own shell could not write to `.git`, nothing that it may have changed runs
    // free in its place.
    let held = if host.hands_over { Held::Confined } else { Held::Free };
    let ran = world::run_a_part(&words, text.as_bytes(), dir, most, held);
    let there =
        repo.focused()?.is_some_and(|now| repo.row(Some(&now)).kind == PhaseKind::Consolidation);
    if there {
        return Ok(Ok(()));
    }
    Ok(Err(match ran {
        Ok(ran) if ran.late => {
            boundary::commit::remember(repo, focused, &gates::late())?;
            tell(Notice::AnswerLate, &[])
        }
        Ok(ran) => {
            let why = match missing(repo, focused, &text)? {
                Some(why) => [hooked(&ran.said), why].join("\n"),
                None if ran.said.trim().is_empty() => tell(Notice::AnswerMute, &[]),
                None => ran.said,
            };
            tell(Notice::AnswerUnstepped, &[("said", why.trim())])
        }
        Err(error) => tell(Notice::AnswerUnstepped, &[("said", &error.to_string())]),
    }))
}

/// What the steps said of files that a hook of the person's changed in the commit: that is why
/// what ran before proves nothing of them.
fn hooked(said: &str) -> String {
    let remark = tell(Notice::RemarkHooked, &[("path", "")]);
    let lines = said.lines().map(str::trim).filter(|line| line.ends_with(remark.trim()));
    lines.collect::<Vec<_>>().join("\n")
}

/// What the phase wants in which the steps ended, where one was taken; kept for `why`.
fn missing(repo: &Repo, before: &LoadedJob, text: &str) -> Result<Option<String>> {
    let Some(now) = repo.focused()?.filter(|now| now.state.step != before.state.step) else {
        return Ok(None);
    };
    let since = repo.read_since(&now)?;
    let judged = boundary::judge::judge(repo, &now, &since, &onward(), Message::new(text))?;
    let Err(refusal) = judged else { return Ok(None) };
    boundary::commit::remember(repo, &now, &refusal)?;
    let phase = now.state.stand.phase.as_str();
    Ok(Some(repo.say(Some(&now), &refusal, phase)))
}

/// The message of the step: what will change, as the first step said it, and what the question
/// says.
fn message(repo: &Repo, focused: &LoadedJob, question: &str) -> Result<String> {
    let opening = opening(repo, focused)?;
    let job = &focused.state.job;
    let first = record::interactions::interaction(repo, &focused.chain, 1)?;
    let prompt = first.filter(|first| first.kind == InteractionKind::Prompt);
    let prompt = prompt.as_ref().map_or("", |first| {
        repo.rules.short_word(&first.text).map_or(&*first.text, |(_, rest)| rest).trim()
    });
    let said = job.without_prompt(&questions::as_text(question, &job.name, prompt));
    let own = job.kept_name();
    Ok(match lane::what_changes(&opening).filter(|words| *words != own) {
        Some(subject) => format!("{subject}\n\n{said}\n"),
        // What the agent says of the work tells more of it than the number of the job, or than a
        // name that an earlier cycle's commit has.
        None if job.provisional || focused.state.stand.cycle > 1 => format!("{said}\n"),
        None => format!("{}\n\n{said}\n", job.name),
    })
}

/// The message of a step off the lane: what the commit holds is what the lane was opened for, and
/// why it grew comes behind.
pub(crate) fn with_change(
    repo: &Repo,
    focused: &LoadedJob,
    toward: &Transition,
    text: &str,
) -> Result<String> {
    if !matches!(toward, Transition::Up) || text.trim().is_empty() {
        return Ok(text.to_owned());
    }
    let opening = opening(repo, focused)?;
    let change = lane::what_changes(&opening).filter(|change| *change != text.trim());
    Ok(change.map_or_else(|| text.to_owned(), |change| format!("{change}\n\n{text}")))
}

/// What was said when the lane was opened, or the cycle on it.
fn opening(repo: &Repo, focused: &LoadedJob) -> Result<String> {
    let map = repo.map(&focused.state.stand);
    let (run, cycle) = (focused.state.job.run, focused.state.stand.cycle);
    for step in repo.store.history(&focused.chain, RECENT)? {
        let Some(said) = StepTrailers::read(&step.message) else { continue };
        if (said.run, said.cycle) != (run, cycle) {
            break;
        }
        let from = said.step.split_once(" -> ").map(|(from, _)| from);
        if from == Some(map.start.as_str()) {
            return Ok(trailers::body(&step.message).to_owned());
        }
    }
    Ok(String::new())
}
