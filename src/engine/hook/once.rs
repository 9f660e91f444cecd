//! The same event twice: two registrations of one host hand it over twice, at the same instant.
//!
//! An event that writes is answered once and recorded once. Whoever comes first keeps its answer
//! in a place below `.git/seed/events`, under a lock of that place; whoever comes with the same
//! event waits for it and gives that answer. Before a tool nothing is kept: what passes writes
//! nothing, and what writes all the same knows its call by the end of the journal: by the host's
//! id, or else by what the call does, within a second.
//! There are so many places and no more, so that nothing piles up.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Seek as _, Write as _};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::engine::repo::Repo;
use crate::event::{Event, EventKind};
use crate::format::short_hash;
use crate::hosts::{self, Host, Identity};
use crate::jobs::UnixSeconds;
use crate::store::{self, Tail};
use crate::world;

/// What an event that was answered left behind.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    event: String,
    at: UnixSeconds,
    /// When the answer was found, in milliseconds of the system's clock.
    #[serde(default)]
    answered_ms: i64,
    /// The end of the journal then, and whether discipline was on.
    #[serde(default)]
    tail: String,
    reply: Option<String>,
}

/// How long after an answer its event may still come again, in milliseconds: from a host that
/// starts its hooks one after the other. A model that ends its turn anew with the very same words
/// takes longer, and that is a turn of its own: taken for the same one, it would be refused for
/// ever.
const AGAIN_MS: i64 = 40;

/// The answer to `event`: the one that was given to it already, or that which `answer` finds.
pub(crate) fn answered(
    repo: &Repo,
    host: &Host,
    event: &Event,
    payload: &[u8],
    answer: impl FnOnce() -> Option<String>,
) -> Option<String> {
    if matches!(event.kind, EventKind::Before(_) | EventKind::Other) {
        return answer();
    }
    let Identity { text, lasts } = hosts::identity(host, event, payload);
    let identity = short_hash(text.as_bytes(), 32);
    // Where no place can be had, on a full disk or a read-only one, nothing is written twice.
    let Some(mut place) = place(repo, event, &identity) else { return answer() };
    let now = repo.now;
    if let Some(kept) = read(&mut place)
        && kept.event == identity
        && (lasts
            || (now - kept.at).abs() <= 1
                && began_ms() <= kept.answered_ms + AGAIN_MS
                && kept.tail == tail(repo))
    {
        return kept.reply;
    }
    let reply = answer();
    let kept = Kept {
        event: identity,
        at: now,
        answered_ms: world::system_ms(),
        tail: tail(repo),
        reply: reply.as_deref().map(|reply| crate::secrets::mask(reply).into_owned()),
    };
    // One that cannot be kept is found anew; the lock ends with the file.
    let _ = keep(&mut place, &kept);
    reply
}

/// When the host started this process; it may have waited for the place since.
fn began_ms() -> i64 {
    world::started_ms(&world::myself()).unwrap_or_else(world::system_ms)
}

/// The end of the journal: an event without an id that comes again after something else happened
/// is another one.
fn tail(repo: &Repo) -> String {
    let line = match repo.store.journal().tail() {
        Ok(Tail::Line(line)) => short_hash(&line, 16),
        // One that does not read tells nothing; a second goes by soon.
        _ => String::new(),
    };
    format!("{line} {}", repo.is_on())
}

/// The place of this event, held. None where git seed does not live here.
fn place(repo: &Repo, event: &Event, identity: &str) -> Option<File> {
    let seed = repo.store.seed_dir();
    if !seed.is_dir() {
        return None;
    }
    let file = place_of(repo, event, identity);
    let open = || {
        let mut options = OpenOptions::new();
        world::open_plain(options.create(true).truncate(false).read(true).write(true), &file)
    };
    let place = open().or_else(|_| {
        std::fs::create_dir_all(file.parent().unwrap_or(&seed))?;
        open()
    });
    // Without the right to write there is no place.
    let place = place.ok()?;
    // One that somebody keeps is no reason to be late: the event is answered anew.
    store::take(&place).is_ok_and(|taken| taken).then_some(place)
}

/// Events of one kind share their places: a stop that runs tests holds up no other kind.
fn place_of(repo: &Repo, event: &Event, identity: &str) -> PathBuf {
    let kind = match &event.kind {
        EventKind::SessionStart { .. } | EventKind::SessionEnd { .. } => "session",
        EventKind::Prompt { .. } => "prompt",
        EventKind::Before(_) | EventKind::After { .. } => "tool",
        EventKind::Stop { .. } => "stop",
        EventKind::SubagentStart { .. } | EventKind::SubagentStop { .. } => "subagent",
        EventKind::Compact { .. } | EventKind::Other => "compact",
    };
    let dir = repo.store.seed_dir().join("events").join(repo.store.worktree_name());
    dir.join(format!("{kind}-{}", &identity[..2]))
}

fn read(place: &mut File) -> Option<Kept> {
    let mut text = String::new();
    // What was torn by a kill was not answered.
    place.read_to_string(&mut text).ok()?;
    // As above.
    serde_json::from_str(&text).ok()
}

fn keep(place: &mut File, kept: &Kept) -> std::io::Result<()> {
    let text = serde_json::to_vec(kept)?;
    place.set_len(0)?;
    place.rewind()?;
    place.write_all(&text)
}
