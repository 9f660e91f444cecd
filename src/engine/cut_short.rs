//! A person's prompt that does several things, over a kill: the file below `.git/seed/hearing`.
//!
//! A short word acts, the words behind it go where a prompt goes, and what they say of paths is
//! kept behind that. Stopped in between, the next event of a session that may speak for the person
//! keeps what is missing of the words and of what they close. What a short word does is not done
//! again, since it may be done: the person hears how to see that.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::engine::repo::text::merged;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::engine::{closed_paths, own_state, person, record};
use crate::event::{Actor, Event, EventKind};
use crate::hosts::{Answer, Host};
use crate::jobs::shortword::ShortWord;
use crate::secrets::Masked;
use crate::voice::{Notice, tell};
use crate::world::{self, Process};

/// What the file says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Hearing {
    /// The job that it is said to; empty where none was in focus.
    chain: String,
    /// How many words that job had.
    had: u32,
    text: String,
    /// While it runs, hearing is its own.
    owner: Process,
}

fn file(repo: &Repo) -> PathBuf {
    repo.store.seed_dir().join("hearing").join(format!("{}.toml", repo.store.worktree_name()))
}

/// The prompt `text` is about to be heard; says whether that is more than one thing.
pub(crate) fn begin(repo: &Repo, event: &Event, text: &str) -> Result<bool> {
    let several =
        || repo.rules.short_word(text).is_some() || closed_paths::speaks(repo, event, text);
    if event.by != Actor::Main || !repo.is_seeded()? || !several() {
        return Ok(false);
    }
    let focused = repo.focused()?;
    let hearing = Hearing {
        chain: focused.as_ref().map(|job| job.chain.clone()).unwrap_or_default(),
        had: focused.as_ref().map_or(0, |job| job.state.job.interactions),
        text: Masked::new(text).into_string(),
        owner: world::myself(),
    };
    world::Whole::private().write(&file(repo), toml::to_string(&hearing)?.as_bytes())?;
    Ok(true)
}

/// All of it is done.
pub(crate) fn done(repo: &Repo) -> Result<()> {
    Ok(world::remove_if_there(file(repo))?)
}

/// Does what is missing of a prompt whose hook was stopped, and says so.
pub(crate) fn finish(repo: &Repo, host: &Host, event: &Event) -> Result<Answer> {
    let hears = matches!(
        event.kind,
        EventKind::After { .. }
            | EventKind::Prompt { .. }
            | EventKind::SessionStart { .. }
            | EventKind::Stop { .. }
    );
    if !hears || event.by != Actor::Main || !file(repo).exists() {
        return Ok(Answer::silence());
    }
    // Whoever is about to hear another one holds the lock for its steps.
    let _lock = repo.store.lock()?;
    let Some(left) = own_state::from_toml::<Hearing>(&file(repo))? else {
        return Ok(Answer::silence());
    };
    if world::is_running(&left.owner) {
        return Ok(Answer::silence());
    }
    let Some(answer) = carried_on(repo, host, event, &left)? else {
        // It is left to a session of the person's that drives the job.
        return Ok(Answer::silence());
    };
    done(repo)?;
    Ok(answer)
}

fn carried_on(repo: &Repo, host: &Host, event: &Event, left: &Hearing) -> Result<Option<Answer>> {
    let nothing = Ok(Some(Answer::silence()));
    let said_to = |job: &LoadedJob| {
        job.state.job.status.is_open() && (left.chain.is_empty() || job.chain == left.chain)
    };
    // Where the job is at work no more, the word has done that; where none is, nothing was done.
    let Some(job) = repo.focused()?.filter(said_to) else { return nothing };
    // The host sends it again: it is heard as a whole now.
    let again = match &event.kind {
        EventKind::Prompt { text, .. } => Masked::new(text).into_string() == left.text,
        _ => false,
    };
    if again || person::short_words::was_ever_scheduled(repo, &left.text)? {
        return nothing;
    }
    let sender = person::sender::word(repo, host, event)?;
    if !sender.is_persons() || repo.is_guest(&job, event)? {
        return Ok(None);
    }
    let short = repo.rules.short_word(&left.text);
    let is_kept = is_kept(repo, &job, left)?;
    let goes_on = short.as_ref().is_none_or(|(short, _)| hands_on(short));
    if !is_kept && (left.chain.is_empty() || !goes_on) {
        // Its words come first, or they begin the job: nothing was done.
        return nothing;
    }
    let mut answer = Answer::silence();
    if !is_kept {
        let text = left.text.clone();
        answer = person::route::route_prompt(repo, event, text, sender, true, Some(&job))?;
    }
    let of_paths = match &short {
        None => left.text.as_str(),
        Some((short, _)) if short.takes_a_reason() => "",
        Some((_, rest)) => *rest,
    };
    let closed = closed_paths::hear_again(repo, event, of_paths)?;
    answer.to_person = merged(answer.to_person, closed);
    match short {
        Some((short, _)) => {
            let job = repo.focused()?.unwrap_or(job);
            told(repo, event, &job, &short, answer).map(Some)
        }
        None => Ok(Some(answer)),
    }
}

/// The words behind it are the job's, and are kept after the word has acted.
fn hands_on(short: &ShortWord) -> bool {
    matches!(
        short,
        ShortWord::Allow(_)
            | ShortWord::AllowGit(_)
            | ShortWord::Allows { .. }
            | ShortWord::Quick
            | ShortWord::Full
            | ShortWord::Track(_)
    )
}

/// The job has the words of the prompt.
fn is_kept(repo: &Repo, job: &LoadedJob, left: &Hearing) -> Result<bool> {
    let text = record::interactions::kept_of(repo, &left.text);
    for n in left.had + 1..=job.state.job.interactions {
        let said = record::interactions::interaction(repo, &job.chain, n)?;
        if said.is_some_and(|said| said.text == text) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Both hear that the word may not be done. A stop has no room for a word to the agent.
fn told(
    repo: &Repo,
    event: &Event,
    job: &LoadedJob,
    short: &ShortWord,
    answer: Answer,
) -> Result<Answer> {
    let word = short.to_string();
    let facts = [("word", word.as_str()), ("job", job.state.job.name.as_str())];
    let to_person = merged(Some(tell(Notice::HeardInPart, &facts)), answer.to_person);
    let context = if matches!(event.kind, EventKind::Stop { .. }) {
        None
    } else {
        let told = tell(Notice::HeardInPartToAgent, &facts);
        record::journal_line::count_injected(repo, job, &told)?;
        merged(Some(told), answer.context)
    };
    Ok(Answer { context, to_person, ..Answer::silence() })
}
