//! `[QUICK]` and `[FULL]`: a person says how large a job is, and their word outweighs the rules and
//! the agent.

use crate::engine::jobs::birth::{QUICK, track_of};
use crate::engine::person::spoken::{Spoken, Told, hand_on};
use crate::engine::record::draft::{By, Journaling, StepDraft};
use crate::engine::record::transition::Transition;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::engine::{boundary, briefing, jobs, record};
use crate::format::names;
use crate::hosts::Answer;
use crate::jobs::shortword::SaidLane;
use crate::voice::{self, Notice, tell};

/// What became of the word.
enum Lane {
    /// A job was born with it.
    Born(Box<LoadedJob>),
    /// The focused job, which had not begun a cycle, goes that way.
    Moved,
    /// It walks the lane already; from now on its size does not bind.
    Unbound,
    /// The paths of the track that it came from bind it no more.
    Freed,
    /// It left the small lane.
    Left,
    /// It came down to the small lane from all phases.
    Shrunk,
    /// Not now, for this reason.
    Closed(String),
}

/// The texts of one of the two words.
struct Texts {
    alone: Notice,
    born: Notice,
    moved: Notice,
    moved_to_agent: Notice,
    closed: Notice,
    closing: Notice,
    already: Notice,
    subject: Notice,
}

const QUICK_TEXTS: Texts = Texts {
    alone: Notice::QuickAlone,
    born: Notice::QuickBorn,
    moved: Notice::QuickMoved,
    moved_to_agent: Notice::QuickMovedToAgent,
    closed: Notice::QuickClosed,
    closing: Notice::QuickWhileClosing,
    already: Notice::QuickAlready,
    subject: Notice::SubjectSmallLane,
};

const FULL_TEXTS: Texts = Texts {
    alone: Notice::FullAlone,
    born: Notice::FullBorn,
    moved: Notice::FullMoved,
    moved_to_agent: Notice::FullMovedToAgent,
    closed: Notice::FullClosed,
    closing: Notice::FullWhileClosing,
    already: Notice::FullAlready,
    subject: Notice::SubjectAllPhases,
};

/// Acts on the word, and hands the prompt on.
pub(crate) fn lane_word(
    repo: &Repo,
    spoken: &Spoken<'_>,
    said: SaidLane,
    rest: &str,
    focused: Option<&LoadedJob>,
) -> Result<Answer> {
    let texts = if said == SaidLane::Full { &FULL_TEXTS } else { &QUICK_TEXTS };
    if rest.is_empty() && focused.is_none_or(|focused| !focused.state.job.status.is_open()) {
        return Ok(Told::person(tell(texts.alone, &[])).alone());
    }
    match go(repo, spoken, said, texts, focused)? {
        Lane::Born(created) => {
            let agent = briefing::talk::text(repo, &created.state);
            record::journal_line::count_injected(repo, &created, &agent)?;
            let agent = agent.trim_start_matches("git seed: ").to_owned();
            Ok(Told::both(tell(texts.born, &[]), agent).alone())
        }
        Lane::Moved => {
            let now = repo.focused()?;
            let told = Told::both(tell(texts.moved, &[]), tell(texts.moved_to_agent, &[]));
            hand_on(repo, spoken, rest, now.as_ref().or(focused)).map(|answer| told.before(answer))
        }
        Lane::Unbound => {
            let told = Told::person(tell(Notice::QuickUnbound, &[]));
            hand_on(repo, spoken, rest, focused).map(|answer| told.before(answer))
        }
        Lane::Freed => {
            let told =
                Told::both(tell(Notice::FullFreed, &[]), tell(Notice::FullFreedToAgent, &[]));
            let now = repo.focused()?;
            hand_on(repo, spoken, rest, now.as_ref().or(focused)).map(|answer| told.before(answer))
        }
        Lane::Left => elsewhere(repo, spoken, rest, focused, (texts, Notice::FullLeftToAgent)),
        Lane::Shrunk => elsewhere(repo, spoken, rest, focused, (texts, Notice::QuickShrunkToAgent)),
        Lane::Closed(why) => {
            let told = Told::person(tell(texts.closed, &[("why", &why)]));
            hand_on(repo, spoken, rest, focused).map(|answer| told.before(answer))
        }
    }
}

/// The job stands in another phase now: the agent is told what that one opens, too.
fn elsewhere(
    repo: &Repo,
    spoken: &Spoken<'_>,
    rest: &str,
    focused: Option<&LoadedJob>,
    (texts, to_agent): (&Texts, Notice),
) -> Result<Answer> {
    let now = repo.focused()?;
    let opens = now.as_ref().map(|now| briefing::gather::entry_text(repo, now)).unwrap_or_default();
    if let Some(now) = &now {
        record::journal_line::count_injected(repo, now, &opens)?;
    }
    let told = Told::both(tell(texts.moved, &[]), format!("{}\n{opens}", tell(to_agent, &[])));
    hand_on(repo, spoken, rest, now.as_ref().or(focused)).map(|answer| told.before(answer))
}

fn go(
    repo: &Repo,
    spoken: &Spoken<'_>,
    said: SaidLane,
    texts: &Texts,
    focused: Option<&LoadedJob>,
) -> Result<Lane> {
    let closed = |why: String| Ok(Lane::Closed(why));
    if !repo.rules.maps.names().contains(&QUICK) {
        return closed(tell(Notice::QuickHasNoMap, &[]));
    }
    let Some(focused) = focused.filter(|focused| focused.state.job.status.is_open()) else {
        if focused.is_some_and(|focused| focused.state.is_closing()) {
            return closed(tell(texts.closing, &[]));
        }
        let prompt = jobs::birth::as_prompt(repo, spoken.text.to_owned(), spoken.word);
        let born = jobs::beside_pause::bear_beside(repo, prompt, &spoken.driver(), said.into())?;
        return Ok(Lane::Born(Box::new(born)));
    };
    let (state, stand) = (&focused.state, &focused.state.stand);
    let on_lane = repo.map(stand).lane.is_some();
    let begins = repo.rests(stand) && stand.side_from.is_none();
    match said {
        _ if begins && state.said_lane == said && stand.bound.is_none() => {
            closed(tell(texts.already, &[]))
        }
        _ if begins => {
            keep(repo, focused, said, texts, Some(track_of(repo, said)))?;
            Ok(Lane::Moved)
        }
        SaidLane::Full if on_lane => leave(repo, focused),
        SaidLane::Full if stand.bound.is_some() => {
            keep(repo, focused, said, texts, None)?;
            Ok(Lane::Freed)
        }
        SaidLane::Quick if on_lane && state.said_lane != said => {
            keep(repo, focused, said, texts, None)?;
            Ok(Lane::Unbound)
        }
        SaidLane::Quick if !on_lane => shrink(repo, focused),
        _ => closed(tell(texts.already, &[])),
    }
}

/// The job keeps the word, and goes on on `track`.
fn keep(
    repo: &Repo,
    focused: &LoadedJob,
    said: SaidLane,
    texts: &Texts,
    track: Option<&str>,
) -> Result<()> {
    let kept = record::step::step(repo, &focused.chain, Journaling::Read, |state, _| {
        state.said_lane = said;
        if let Some(track) = track {
            state.stand.put_on(track);
        }
        if said == SaidLane::Full {
            state.stand.bound = None;
        }
        Ok(Ok(StepDraft::new(state, "track", tell(texts.subject, &[]), By::Person)))
    })?;
    debug_assert!(kept.is_ok(), "a person's track is never refused");
    Ok(())
}

/// The job leaves the small lane; what was done is committed. What the person said besides is a
/// prompt like any other, and neither a step nor a commit shows it.
fn leave(repo: &Repo, focused: &LoadedJob) -> Result<Lane> {
    let why = tell(FULL_TEXTS.subject, &[]);
    let crossed = boundary::cross::cross(repo, &Transition::Up, &why, By::Person)?;
    match crossed {
        Ok(crossed) => {
            keep(repo, &crossed.focused, SaidLane::Full, &FULL_TEXTS, None)?;
            Ok(Lane::Left)
        }
        Err(refusal) => {
            Ok(Lane::Closed(voice::say(&refusal, focused.state.stand.phase.as_str()).why))
        }
    }
}

/// The job comes down to the small lane; what was done is committed. Where directories are
/// declared the work goes on, else where one looks: the agent names them there.
fn shrink(repo: &Repo, focused: &LoadedJob) -> Result<Lane> {
    let (stand, why) = (&focused.state.stand, tell(QUICK_TEXTS.subject, &[]));
    if more_cycles(repo, focused) {
        return Ok(Lane::Closed(tell(Notice::QuickHasCycles, &[("job", &focused.state.job.name)])));
    }
    let down = match boundary::cross::cross(repo, &Transition::Down, &why, By::Person)? {
        Ok(crossed) => crossed.focused,
        Err(refusal) => return Ok(Lane::Closed(voice::say(&refusal, stand.phase.as_str()).why)),
    };
    keep(repo, &down, SaidLane::Quick, &QUICK_TEXTS, None)?;
    if !repo.lines(&down.chain, names::SCOPE)?.is_empty() {
        let work = Transition::Forward { to: None, add_cycle: None, scope: Vec::new() };
        // Where a gate objects the agent is told so at its own step.
        let _objection = boundary::cross::cross(repo, &work, &why, By::Person)?.err();
    }
    Ok(Lane::Shrunk)
}

/// The plan has cycles after this one, or does not say: one small cycle is not the job.
pub(crate) fn more_cycles(repo: &Repo, focused: &LoadedJob) -> bool {
    let (plan, cycle) = (&focused.state.plan, focused.state.stand.cycle);
    plan.pointer.given().is_some()
        && !repo.plan_total(focused).is_ok_and(|total| plan.eligible(cycle, total))
}
