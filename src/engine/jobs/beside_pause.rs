//! Prompts beside a job that a person paused: whether they go on with it is asked, once; a job that
//! is born then has all of their words.

use crate::engine::jobs::birth::Begins;
use crate::engine::record::draft::{By, Journaling, StepDraft};
use crate::engine::repo::sessions::Sender;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::engine::{jobs, record};
use crate::format::interaction::Interaction;
use crate::format::state::Driver;
use crate::jobs::merging::SEEN;
use crate::jobs::routing::InteractionKind;
use crate::jobs::shortword;

/// The words of a prompt where one job was paused here by the person's word, and nobody asked yet
/// whether they belong to it: they are kept with it, and both hear how it goes on.
pub(crate) fn ask_about(repo: &Repo, paused: &LoadedJob, text: &str, word: Sender) -> Result<()> {
    record::interactions::add_interaction(
        repo,
        &paused.chain,
        InteractionKind::Prompt,
        text,
        word,
        "words beside a pause",
    )?;
    mark(repo, paused, |n| n)
}

/// A job is born beside those that are paused here: with the words that were asked about, where
/// there are any.
pub(crate) fn bear_beside(
    repo: &Repo,
    prompt: Interaction,
    driver: &Driver,
    begins: Begins<'_>,
) -> Result<LoadedJob> {
    let (paused, mut words) = words_asked_about(repo)?;
    words.push(prompt);
    let Some((first, more)) = words.split_first() else {
        unreachable!("the prompt itself is among them")
    };
    jobs::birth::create_from_prompts(repo, first, more, driver, begins)?;
    // Last: killed before it, the words stand in both jobs, and in none are they lost.
    if let Some(paused) = paused {
        mark(repo, &paused, |_| 0)?;
    }
    repo.require_focused()
}

/// The paused job that keeps words, and the words.
fn words_asked_about(repo: &Repo) -> Result<(Option<LoadedJob>, Vec<Interaction>)> {
    for paused in jobs::birth::paused_here(repo)? {
        let Some(from) = paused.state.home.asked.filter(|from| *from > 0) else { continue };
        let mut words = Vec::new();
        for n in from..=paused.state.job.interactions {
            words.extend(record::interactions::interaction(repo, &paused.chain, n)?.filter(
                |one| one.kind == InteractionKind::Prompt && shortword::read(&one.text).is_none(),
            ));
        }
        return Ok((Some(paused), words));
    }
    Ok((None, Vec::new()))
}

/// Writes down which words were asked about: the last that the job keeps, or none any more.
fn mark(repo: &Repo, paused: &LoadedJob, from: impl Fn(u32) -> u32) -> Result<()> {
    let step = record::step::step(repo, &paused.chain, Journaling::Skip, |state, _| {
        state.home.asked = Some(from(state.job.interactions));
        Ok(Ok(StepDraft::new(state, SEEN, "words beside a pause", By::Hook)))
    })?;
    debug_assert!(step.is_ok(), "a mark is never refused");
    Ok(())
}
