//! Words for which an event has no place at this host: they wait for the next event of the session
//! that has one, and are said there once.
//!
//! Cursor and Copilot CLI tell the agent nothing at a prompt, and the person nothing at all. What
//! waits is one small file for each worktree and host; where it is lost, `git seed status` says the
//! same. Words count as told when they are.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::engine::own_state;
use crate::engine::quote::count_words;
use crate::engine::record::journal_line;
use crate::engine::repo::text::merged;
use crate::engine::repo::{Repo, Result};
use crate::event::{Actor, Event, EventKind};
use crate::format::journal::What;
use crate::hosts::{Answer, Host};
use crate::voice::{Notice, tell};
use crate::world;

/// The most bytes that wait.
const MOST: usize = 64 * 1024;

#[derive(Debug, Default, Serialize, Deserialize)]
struct Waiting {
    session: String,
    text: String,
}

/// What is answered to `event` at this host: with what waited where the agent reads it, and without
/// what has to wait.
pub(crate) fn through(repo: &Repo, host: &Host, event: &Event, answer: Answer) -> Answer {
    let (agent, person) = host.reads(&event.name);
    let opens = matches!(event.kind, EventKind::Prompt { .. } | EventKind::Stop { .. });
    let fits = (agent || answer.context.is_none()) && (person || answer.to_person.is_none());
    if event.by != Actor::Main || matches!(event.kind, EventKind::Other) {
        return answer;
    }
    // What cannot be kept, or read, is lost; the event is answered all the same.
    if opens && !fits && answer.refuse.is_none() {
        let _ = put_by(repo, host, event, &answer, (agent, person));
        return answer;
    }
    // As above.
    let waited = if agent { take(repo, host, event).ok().flatten() } else { None };
    Answer { context: merged(waited, answer.context), ..answer }
}

/// Keeps what this event has no place for; words to the person go by way of the agent.
fn put_by(
    repo: &Repo,
    host: &Host,
    event: &Event,
    answer: &Answer,
    (agent, person): (bool, bool),
) -> Result<()> {
    let to_agent = answer.context.as_deref().filter(|_| !agent);
    let to_person = answer.to_person.as_deref().filter(|_| !person);
    let to_person = to_person.map(|text| tell(Notice::AlsoToPerson, &[("text", text)]));
    let known = own_state::from_json::<Waiting>(&file(repo, host))?.unwrap_or_default();
    let known = Some(known.text).filter(|_| known.session == event.session);
    let known = known.filter(|text| !text.is_empty());
    let text = merged(merged(known, to_agent.map(str::to_owned)), to_person).unwrap_or_default();
    if text.len() > MOST {
        return Ok(());
    }
    // They were counted where they were found.
    if let (Some(told), Some(job)) = (to_agent, repo.focused()?) {
        let words = count_words(told);
        journal_line::note(repo, Some(&job), |line| {
            line.what = What::After;
            "session".clone_into(&mut line.tool);
            line.counts.untell(words);
        })?;
    }
    let waiting = Waiting { session: event.session.clone(), text };
    let file = file(repo, host);
    if let Some(dir) = file.parent() {
        std::fs::create_dir_all(dir)?;
    }
    Ok(world::write_whole(&file, &serde_json::to_vec(&waiting)?)?)
}

/// What waited in this session.
fn take(repo: &Repo, host: &Host, event: &Event) -> Result<Option<String>> {
    let file = file(repo, host);
    let Some(waiting) = own_state::from_json::<Waiting>(&file)? else { return Ok(None) };
    std::fs::remove_file(&file)?;
    if waiting.session != event.session || waiting.text.is_empty() {
        return Ok(None);
    }
    if let Some(job) = repo.focused()? {
        journal_line::count_injected(repo, &job, &waiting.text)?;
    }
    Ok(Some(waiting.text))
}

fn file(repo: &Repo, host: &Host) -> PathBuf {
    let name = format!("{}.{}", repo.store.worktree_name(), host.name);
    repo.store.seed_dir().join("later").join(name)
}
