//! `[DOCS]` and its like: a person chooses a track of the repository's own for a job.

use crate::engine::jobs::birth::Begins;
use crate::engine::person::spoken::{Spoken, Told, hand_on};
use crate::engine::record::draft::{By, Journaling, StepDraft};
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::engine::{briefing, jobs, person, record};
use crate::hosts::Answer;
use crate::jobs::shortword::{SaidLane, ShortWord, word_of};
use crate::voice::{Notice, tell};

/// A person says how large a job is, or which track it goes.
pub(crate) fn chosen(
    repo: &Repo,
    spoken: &Spoken<'_>,
    word: &ShortWord,
    rest: &str,
    focused: Option<&LoadedJob>,
) -> Result<Answer> {
    let said = match word {
        ShortWord::Track(track) => return track_word(repo, spoken, track, rest, focused),
        ShortWord::Quick => SaidLane::Quick,
        _ => SaidLane::Full,
    };
    person::lane_word::lane_word(repo, spoken, said, rest, focused)
}

/// Acts on the word, and hands the prompt on.
fn track_word(
    repo: &Repo,
    spoken: &Spoken<'_>,
    track: &str,
    rest: &str,
    focused: Option<&LoadedJob>,
) -> Result<Answer> {
    let word = word_of(track);
    let facts = [("word", word.as_str()), ("track", track)];
    let Some(focused) = focused.filter(|focused| focused.state.job.status.is_open()) else {
        if rest.is_empty() {
            return Ok(Told::person(tell(Notice::TrackAlone, &facts)).alone());
        }
        if focused.is_some_and(|focused| focused.state.is_closing()) {
            let told = Told::person(tell(Notice::TrackWhileClosing, &facts));
            return hand_on(repo, spoken, rest, focused).map(|answer| told.before(answer));
        }
        return born(repo, spoken, track, &facts);
    };
    let (state, stand) = (&focused.state, &focused.state.stand);
    let begins = repo.rests(stand) && stand.side_from.is_none();
    let told = if stand.track == track && stand.bound.is_none() {
        Told::person(tell(Notice::TrackAlready, &facts))
    } else if begins {
        keep(repo, focused, track)?;
        Told::both(tell(Notice::TrackMoved, &facts), tell(Notice::TrackMovedToAgent, &facts))
    } else {
        let (job, phase) = (state.job.name.as_str(), stand.phase.as_str());
        Told::person(tell(Notice::TrackUnderWay, &[facts[0], ("job", job), ("phase", phase)]))
    };
    let now = repo.focused()?;
    hand_on(repo, spoken, rest, now.as_ref().or(Some(focused))).map(|answer| told.before(answer))
}

fn born(repo: &Repo, spoken: &Spoken<'_>, track: &str, facts: &[(&str, &str)]) -> Result<Answer> {
    let prompt = jobs::birth::as_prompt(repo, spoken.text.to_owned(), spoken.word);
    let begins = Begins { track: Some(track), ..Begins::default() };
    let created = jobs::beside_pause::bear_beside(repo, prompt, &spoken.driver(), begins)?;
    let agent = briefing::talk::text(repo, &created.state);
    record::journal_line::count_injected(repo, &created, &agent)?;
    let agent = agent.trim_start_matches("git seed: ").to_owned();
    Ok(Told::both(tell(Notice::TrackBorn, facts), agent).alone())
}

/// The job goes on on `track`; what its person said of its size before is no longer said.
fn keep(repo: &Repo, focused: &LoadedJob, track: &str) -> Result<()> {
    let kept = record::step::step(repo, &focused.chain, Journaling::Read, |state, _| {
        state.said_lane = SaidLane::Unsaid;
        state.stand.put_on(track);
        let subject = tell(Notice::SubjectTrack, &[("track", track)]);
        Ok(Ok(StepDraft::new(state, "track", subject, By::Person)))
    })?;
    debug_assert!(kept.is_ok(), "a person's track is never refused");
    Ok(())
}
