//! `[ON watch]`, `[ON fence]`, `[ON full]`: a person says how much git seed does in this clone.

use crate::engine::jobs;
use crate::engine::person::resume_word::resume_word;
use crate::engine::person::spoken::{Spoken, Told, hand_on};
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::hosts::Answer;
use crate::jobs::mode::Mode;
use crate::voice::{Notice, tell};

/// Puts `mode` into force. The words behind it are the next work where prompts become jobs.
pub(crate) fn mode_word(
    repo: &Repo,
    spoken: &Spoken<'_>,
    mode: Mode,
    rest: &str,
    focused: Option<&LoadedJob>,
) -> Result<Answer> {
    let Some(moved) = jobs::modes::put(repo, mode, mode.tag())? else {
        let told = Told::person(tell(Notice::ModeAlready, &[("mode", mode.word())]));
        return hand_on(repo, spoken, rest, focused).map(|answer| told.before(answer));
    };
    let mut person = jobs::modes::told(mode);
    if mode.keeps_jobs() {
        return up(repo, spoken, rest).map(|answer| Told::person(person).before(answer));
    }
    let Some(rests) = &moved.rests else { return Ok(Told::person(person).alone()) };
    person = format!("{person}; {}", jobs::modes::told_of_rest(rests));
    let agent = tell(Notice::ModeToAgent, &[("mode", mode.word())]);
    Ok(Told::both(person, agent).alone())
}

/// Prompts become jobs again: the job that rests here goes on, or the prompt is a new one.
fn up(repo: &Repo, spoken: &Spoken<'_>, rest: &str) -> Result<Answer> {
    let repo = Repo::discover(repo.store.work_tree())?;
    let focused = repo.focused()?;
    if focused.is_none() && !jobs::birth::paused_here(&repo)?.is_empty() {
        return resume_word(&repo, spoken, None, rest, None);
    }
    hand_on(&repo, spoken, rest, focused.as_ref())
}
