//! The answer to the question whether an approved job lands at once.
//!
//! It counts as any other answer of a person does. A job that is closed lands while the host waits,
//! as a program of its own: what a hook or a signing key of the person's does, and how long it
//! takes, cannot take the answer's hook along. One whose cycle is open lands once it is closed.

use crate::engine::landing::asked;
use crate::engine::landing::offer::{self, Offered};
use crate::engine::person;
use crate::engine::person::answers::{is_no_persons, keep_answer, text_hash, was_asked};
use crate::engine::repo::answer::PersonReply;
use crate::engine::repo::{Repo, Result};
use crate::event::{Answer, Event, ToolCall};
use crate::hosts::Host;
use crate::jobs::landing::Offer;
use crate::jobs::questions::{self, Grant, Registered};
use crate::voice::{Notice, tell};
use crate::world::{self, Held};

/// Hears the answers of `call`, where they are to that question; `None` where they are not.
pub(crate) fn hear(
    repo: &Repo,
    host: &Host,
    event: &Event,
    call: &ToolCall,
    answers: &[Answer],
) -> Result<Option<PersonReply>> {
    let [answer] = answers else { return Ok(None) };
    let Some(row) = Registered::of(&answer.question).filter(|row| row.grants == Grant::Land) else {
        return Ok(None);
    };
    let sender = person::sender::word(repo, host, event)?;
    let not = |why| Ok(Some(PersonReply::NotCounted(tell(why, &[]))));
    let Some(offered) = offer::offered(repo)? else { return not(Notice::AnswerNotAsked) };
    let chain = &offered.job.chain;
    if !offered.job.archived {
        keep_answer(repo, chain, call, answer, sender)?;
    }
    if let Some(why) = is_no_persons(repo, answer, sender) {
        return not(why);
    }
    if !was_asked(repo, chain, call, &[row.tag.as_str(), &text_hash(&answer.question), ""])? {
        return not(Notice::AnswerNotAsked);
    }
    let id = &offered.job.state.job.id;
    if row.granted(&answer.answer).is_none() {
        // Other words than the two answers settle nothing: it may be asked again.
        if answer.answer.trim() != questions::LEAVE {
            let facts = [("said", answer.answer.trim())];
            return Ok(Some(PersonReply::NotCounted(tell(Notice::LandTyped, &facts))));
        }
        offer::answered(repo, id, &Offer::Left)?;
        return Ok(Some(PersonReply::Done(tell(Notice::DeclinedLanding, &[]))));
    }
    // What the person saw is what is made.
    if !questions::shows(&answer.question, &offered.card()) {
        let facts = [("card", offered.card())];
        let facts: Vec<(&str, &str)> = facts.iter().map(|(key, said)| (*key, &**said)).collect();
        return Ok(Some(PersonReply::NotCounted(tell(Notice::LandOther, &facts))));
    }
    offer::answered(repo, id, &Offer::Granted(offered.lands.clone()))?;
    land(repo, host, event, &offered).map(Some)
}

/// Lands it now, where it is closed.
fn land(repo: &Repo, host: &Host, event: &Event, offered: &Offered) -> Result<PersonReply> {
    let id = &offered.job.state.job.id;
    let card = offered.card();
    if offered.job.state.is_closing() {
        return Ok(PersonReply::Done(tell(Notice::LandSoon, &[("card", &card)])));
    }
    let words = ["land".to_owned(), id.to_string()];
    let held = if host.hands_over { Held::Confined } else { Held::Free };
    let most = repo.patience(host, &event.name);
    let ran = world::run_a_part(&words, b"", &event.cwd, most, held);
    if offer::granted(repo, id)?.is_none() {
        return Ok(PersonReply::Done(tell(Notice::LandDone, &[("card", &card)])));
    }
    let said = match ran {
        Ok(ran) if ran.late => tell(Notice::LandLate, &[]),
        Ok(ran) => ran.said.trim().to_owned(),
        Err(error) => error.to_string(),
    };
    let words = asked::words(repo, &repo.job(id)?)?;
    let facts = [("id", words.as_str()), ("said", &said)];
    Ok(PersonReply::NotCounted(tell(Notice::LandFailed, &facts)))
}
