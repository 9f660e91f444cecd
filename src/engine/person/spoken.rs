//! A short word as a person said it, and what is told of it.

use crate::engine::repo::sessions::Sender;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::engine::{person, record};
use crate::event::Event;
use crate::format::state::Driver;
use crate::hosts::Answer;
use crate::jobs::routing::InteractionKind;

/// A person's prompt as it came in.
pub(crate) struct Spoken<'a> {
    pub event: &'a Event,
    pub text: &'a str,
    pub word: Sender,
    /// It was said in a session that does not drive the job.
    pub guest: bool,
}

impl Spoken<'_> {
    pub(crate) fn driver(&self) -> Driver {
        Driver { host: self.event.host.to_owned(), session: self.event.session.clone() }
    }
}

/// What a word did: a line for the person, and a fact for the agent where it matters.
pub(crate) struct Told {
    pub(crate) person: String,
    pub(crate) agent: Option<String>,
}

impl Told {
    pub(crate) fn person(text: impl Into<String>) -> Self {
        Self { person: text.into(), agent: None }
    }

    pub(crate) fn both(person: impl Into<String>, agent: impl Into<String>) -> Self {
        Self { person: person.into(), agent: Some(agent.into()) }
    }

    /// The answer that says this, and then what became of the words behind it.
    pub(crate) fn before(self, answer: Answer) -> Answer {
        let said = format!("git seed: {}", self.person);
        let agent = self.agent.map(|agent| format!("git seed: {agent}"));
        let joined = |first: Option<String>, then: Option<String>| match (first, then) {
            (Some(first), Some(then)) => Some(format!("{first}\n{then}")),
            (first, then) => first.or(then),
        };
        Answer {
            context: joined(agent, answer.context),
            to_person: joined(Some(said), answer.to_person),
            ..answer
        }
    }

    pub(crate) fn alone(self) -> Answer {
        self.before(Answer::silence())
    }
}

/// The words behind a short word go where a prompt goes. Without any, the prompt is
/// kept with the job and bears nothing.
pub(crate) fn hand_on(
    repo: &Repo,
    spoken: &Spoken<'_>,
    rest: &str,
    focused: Option<&LoadedJob>,
) -> Result<Answer> {
    if spoken.guest {
        return Ok(Answer::silence());
    }
    let open = focused.is_some_and(|focused| focused.state.job.status.is_open());
    if rest.is_empty() && !open {
        if let Some(focused) = focused {
            keep_word(repo, spoken, focused)?;
        }
        return Ok(Answer::silence());
    }
    person::route::route_prompt(
        repo,
        spoken.event,
        spoken.text.to_owned(),
        spoken.word,
        true,
        focused,
    )
}

/// Keeps the whole prompt with a job.
pub(crate) fn keep_word(repo: &Repo, spoken: &Spoken<'_>, job: &LoadedJob) -> Result<()> {
    record::interactions::add_interaction(
        repo,
        &job.chain,
        InteractionKind::Prompt,
        spoken.text,
        spoken.word,
        "a short word",
    )
}
