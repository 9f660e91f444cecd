//! Where a prompt goes: it creates a job, joins the focused one, or waits for the next.

use crate::engine::jobs::birth::Begins;
use crate::engine::record::draft::{By, Journaling, StepDraft};
use crate::engine::repo::sessions::Sender;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::engine::{briefing, jobs, person, record, resting};
use crate::event::Event;
use crate::format::state::Driver;
use crate::hosts::Answer;
use crate::jobs::merging::KEEP;
use crate::jobs::routing::{self, InteractionKind, Route};
use crate::jobs::shortword;
use crate::phases::review::Review;
use crate::voice::{Notice, tell};

/// A prompt in the session that drives goes its ordinary way.
pub(crate) fn route_prompt(
    repo: &Repo,
    event: &Event,
    text: String,
    word: Sender,
    person: bool,
    focused: Option<&LoadedJob>,
) -> Result<Answer> {
    if !repo.rules.mode.keeps_jobs() {
        return Ok(Answer::silence());
    }
    let job = focused.map(|focused| &focused.state.job);
    let closing = focused.is_some_and(|focused| focused.state.is_closing());
    let route = routing::route(&text, person, job, closing);
    let driver = Driver { host: event.host.to_owned(), session: event.session.clone() };
    match (route, focused) {
        (Route::Bear | Route::Ends, _) => {
            if let [paused] = jobs::birth::paused_here(repo)?.as_slice()
                && paused.state.home.asked.is_none()
                && shortword::read(&text).is_none()
            {
                return beside_a_pause(repo, paused, &text, word);
            }
            if route == Route::Ends {
                return Ok(Answer::silence());
            }
            if let Some(told) = resting::approves_in_words(repo, &text)? {
                return Ok(told);
            }
            let named = jobs::tracks::named_by_paths(repo, &text);
            let interaction = jobs::birth::as_prompt(repo, text, word);
            let begins = Begins { track: named.as_deref(), ..Begins::default() };
            let created = jobs::beside_pause::bear_beside(repo, interaction, &driver, begins)?;
            let told = briefing::talk::text(repo, &created.state);
            record::journal_line::count_injected(repo, &created, &told)?;
            Ok(Answer::context(told))
        }
        (Route::Append(kind), Some(focused)) => {
            person::answers::add_prompt(repo, &focused.chain, kind, &text, word)?;
            let asks_for_more =
                person && repo.focused()?.is_some_and(|now| now.state.review == Review::Spoken);
            if person {
                jobs::birth::take_over(repo, &focused.chain, &driver)?;
            }
            if person && resting::rests_by(&text) && !focused.state.is_only_talked_of() {
                return resting::told(repo);
            }
            Ok(if asks_for_more {
                Answer::context(told_of_review(repo, focused)?)
            } else {
                Answer::silence()
            })
        }
        (Route::Keep, Some(focused)) => {
            keep_prompt(repo, focused, &text, word)?;
            Ok(Answer::context(tell(Notice::PromptWaits, &[])))
        }
        _ => Ok(Answer::silence()),
    }
}

/// The person paused the only job here: whether their words go on with it is theirs to say.
fn beside_a_pause(repo: &Repo, paused: &LoadedJob, text: &str, word: Sender) -> Result<Answer> {
    jobs::beside_pause::ask_about(repo, paused, text, word)?;
    let facts = [("job", paused.state.job.name.as_str())];
    let to_person = Some(tell(Notice::PausedAsks, &facts));
    Ok(Answer { to_person, ..Answer::context(tell(Notice::PausedAsksAgent, &facts)) })
}

/// What the agent hears with a prompt that comes after its question for completion, or where that
/// would be asked.
fn told_of_review(repo: &Repo, focused: &LoadedJob) -> Result<String> {
    let unasked = jobs::ending::asks_nobody(repo, focused);
    let notice = if unasked { Notice::ReviewPromptUnasked } else { Notice::ReviewPrompt };
    let told = tell(notice, &[]);
    record::journal_line::count_injected(repo, focused, &told)?;
    Ok(told)
}

fn keep_prompt(repo: &Repo, focused: &LoadedJob, text: &str, word: Sender) -> Result<()> {
    record::interactions::add_interaction(
        repo,
        &focused.chain,
        InteractionKind::Prompt,
        text,
        word,
        &tell(Notice::SubjectWordsKept, &[]),
    )?;
    let step = record::step::step(repo, &focused.chain, Journaling::Read, |state, _| {
        // The first one bears the job; close() gives it the ones that came after.
        let n = state.job.interactions;
        state.job.kept_prompt.get_or_insert(n);
        Ok(Ok(StepDraft::new(state, KEEP, tell(Notice::SubjectPromptWaits, &[]), By::Hook)))
    })?;
    debug_assert!(step.is_ok(), "keeping words is never refused");
    Ok(())
}
