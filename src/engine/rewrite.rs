//! What the hook replaces: lines, so that the kernel confines what runs, and the text of an edit,
//! so that a page has its anchor.
//!
//! A host is believed to take another line only once it was seen to: the hook puts a
//! command of ours before `git seed doctor`, and that command, when it runs, writes down
//! which client ran it. From then on, in phases that change no files, a call that runs
//! code and that the host would run unasked is confined.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::event::{Act, Event, FileEdit, ToolCall};
use crate::hosts;
use crate::memory::anchored;
use crate::phases::{Class, Phase};
use crate::rules::Confining;
use crate::shell::{self, Effect, Reading};
use crate::{confine, world};

/// Clients that were seen to take another line.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Clients {
    #[serde(default)]
    seen: Vec<Client>,
}

/// One version of one client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Client {
    host: String,
    /// [`world::version_mark`] of its process.
    mark: String,
}

/// Clients that are kept: older versions are of no use.
const KEPT: usize = 16;

fn clients_file(repo: &Repo) -> PathBuf {
    repo.store.seed_dir().join("clients.toml")
}

fn clients(repo: &Repo) -> Clients {
    // Only a memory of what was seen: without it no line is replaced until a client has shown
    // again that it takes another one, and the tree fence looks afterwards as everywhere.
    let text = crate::world::read_plain(&clients_file(repo)).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    // As above, of one that another version wrote.
    toml::from_str(&text).unwrap_or_default()
}

/// The client that speaks in the session `id`.
fn client_of(repo: &Repo, id: &str) -> Option<Client> {
    // An unrecorded client is not known to take another line, nor is one whose record is broken.
    let session = repo.session(id).ok()??;
    let process = world::running(session.process?.pid)?;
    Some(Client { host: session.host, mark: world::version_mark(&process)? })
}

/// The host has run the line that we gave it: it is written down.
///
/// Counts only below the process of the session that the line was made for.
pub(crate) fn saw_rewrite(repo: &Repo, session: &str) -> Result<bool> {
    let above = world::ancestors();
    let Some(known) = repo.session_named(session)? else { return Ok(false) };
    let Some(process) = &known.process else { return Ok(false) };
    let below = above.iter().find(|up| up.pid == process.pid && up.started == process.started);
    let Some(mark) = below.and_then(world::version_mark) else { return Ok(false) };
    let client = Client { host: known.host, mark };
    let mut clients = clients(repo);
    clients.seen.retain(|seen| *seen != client);
    clients.seen.insert(0, client);
    clients.seen.truncate(KEPT);
    let text = toml::to_string(&clients)?;
    world::write_whole(&clients_file(repo), text.as_bytes())?;
    Ok(true)
}

/// Whether some client of `host` was seen to take another line.
pub(crate) fn has_seen_rewrite(repo: &Repo, host: &str) -> bool {
    clients(repo).seen.iter().any(|client| client.host == host)
}

/// The host runs this call without asking anybody, as its payload or its start says.
pub(crate) fn is_unasked(repo: &Repo, event: &Event) -> bool {
    let Some(call) = &event.rewritable else { return false };
    call.unasked || is_started_unasked(repo, event)
}

/// As the words tell that the host of this session was started with.
fn is_started_unasked(repo: &Repo, event: &Event) -> bool {
    let Ok(host) = hosts::row(event.host) else { return false };
    let Some(start) = host.unasked_start() else { return false };
    // Of an unrecorded client nobody knows how it was started.
    let session = repo.session(&event.session).ok().flatten();
    let process = session.and_then(|session| session.process);
    let runs = |process: &world::Process| {
        world::running(process.pid).is_some_and(|now| now.started == process.started)
    };
    let words = process.filter(runs).as_ref().and_then(world::words_of_start);
    let list = |dir: &str| world::names_in(&repo.host_place(dir)?).ok();
    words.is_some_and(|words| start.asks_nobody(&words))
        && !host.judges_lines(|file| repo.host_file(file), list)
}

/// Whether the line of this call is replaced by one that confines it.
pub(crate) fn confines(repo: &Repo, event: &Event, phase: &Phase, reading: &Reading) -> bool {
    repo.rules.confining == Confining::Auto
        && !phase.opens(Class::ShellWrite)
        && is_worth_it(reading)
        && is_unasked(repo, event)
        && takes_another(repo, event)
        && confine::check().is_ok()
}

/// The client of this session was seen to take what a hook gives it.
pub(crate) fn takes_another(repo: &Repo, event: &Event) -> bool {
    client_of(repo, &event.session).is_some_and(|client| clients(repo).seen.contains(&client))
}

/// The call with the phase's anchor in what it adds to a page that lacks it, where the host asks
/// nobody and takes another text; else the call is refused, with the line to add.
pub(crate) fn anchored(
    repo: &Repo,
    event: &Event,
    call: &ToolCall,
    focused: Option<&LoadedJob>,
) -> Option<(ToolCall, String)> {
    let Act::Edit(files) = &call.act else { return None };
    let [file] = files.as_slice() else { return None };
    if !is_unasked(repo, event) || !takes_another(repo, event) {
        return None;
    }
    let anchors = repo.rules.maps.anchors();
    let own = repo.row(focused).rank(&anchors)?;
    // A page that does not read is judged as it is.
    let current = world::read_if_there(&file.path).ok()?;
    let current = current.map(String::from_utf8).transpose().ok()?;
    let change = anchored::anchored(current.as_deref(), &file.change, own, &anchors)?;
    let text = anchored::text_of(&change)?.to_owned();
    let act = Act::Edit(vec![FileEdit { path: file.path.clone(), change }]);
    Some((ToolCall { act, ..call.clone() }, text))
}

/// The line that runs instead of that of `call`, if it is to be confined.
pub(crate) fn confined_line(
    repo: &Repo,
    event: &Event,
    call: &ToolCall,
    focused: Option<&LoadedJob>,
) -> Option<String> {
    let Act::Shell { command, .. } = &call.act else { return None };
    if !confines(repo, event, repo.row(focused), &repo.line(command)) {
        return None;
    }
    shell::wrapped(world::own_binary().to_str()?, command)
}

/// Code runs in it, and nothing that needs what confinement closes.
fn is_worth_it(reading: &Reading) -> bool {
    let fits = |effect: Effect| matches!(effect, Effect::Read | Effect::RunsCode | Effect::Unknown);
    let fits = |found: &shell::Found| !found.seed && fits(found.effect);
    reading.found.iter().all(fits) && reading.worst() > Effect::Read
}
