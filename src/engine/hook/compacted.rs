//! A compaction that the host tells in its transcript alone: what was written there since the last
//! event is looked through, and the agent hears where it stands as at the beginning of a session.

use std::fs::OpenOptions;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use crate::engine::hook;
use crate::engine::own_state;
use crate::engine::repo::{Repo, Result};
use crate::event::{Actor, Event, EventKind, SessionSource};
use crate::format::short_hash;
use crate::hosts::Host;
use crate::world;

/// The most bytes that are looked through for one event, the last ones.
const MOST: u64 = 8 << 20;
/// So many are rather read again than that each event writes and syncs a file.
const AGAIN: usize = 256 << 10;

/// What the agent hears where its context was compacted since the last event.
pub(crate) fn heard(repo: &Repo, host: &Host, event: &Event) -> Result<Option<String>> {
    let follows = matches!(event.kind, EventKind::After { .. } | EventKind::Prompt { .. });
    let (Some(row), Some(transcript)) = (host.compaction(), &event.transcript) else {
        return Ok(None);
    };
    if !follows || event.by != Actor::Main || !repo.is_seeded()? {
        return Ok(None);
    }
    let Some(focused) = repo.focused()? else { return Ok(None) };
    if focused.state.is_small_talk() || repo.is_guest(&focused, event)? {
        return Ok(None);
    }
    // It is not there yet, or not to be read by us: nothing is known of a compaction then.
    let Ok(new) = read_on(repo, transcript) else { return Ok(None) };
    let summary = row.summary(&new.lines).map(|summary| short_hash(summary, 16));
    let Some(summary) = summary.filter(|summary| *summary != new.known.summary) else {
        // What holds no news is read again with the next event, up to here.
        if new.is_first || new.lines.len() > AGAIN {
            mark(repo, transcript, new.end, &new.known.summary)?;
        }
        return Ok(None);
    };
    let source = SessionSource::Compact;
    let kind = EventKind::SessionStart { source: source.clone() };
    let begins = Event { kind, ..event.clone() };
    let context = hook::session::session_start(repo, &begins, &source)?.context;
    mark(repo, transcript, new.end, &summary)?;
    Ok(context)
}

/// What this clone knows of a transcript: where the next event reads on, and the summary that was
/// told last, by its hash.
struct Known {
    at: u64,
    summary: String,
}

/// What stands in a transcript behind what is known of it.
struct News {
    known: Known,
    is_first: bool,
    lines: Vec<u8>,
    end: u64,
}

/// The whole lines since the last mark. A file that is met for the first time is read from its end
/// on: what stands there is older than the work at hand.
fn read_on(repo: &Repo, transcript: &Path) -> Result<News> {
    let mut opened = world::open_plain(OpenOptions::new().read(true), transcript)?;
    let length = opened.metadata()?.len();
    let known = own_state::text(&file(repo))?.and_then(|text| {
        let (at, rest) = text.split_once(' ')?;
        let (summary, path) = rest.split_once(' ')?;
        let known = Known { at: at.parse().ok()?, summary: summary.to_owned() };
        (*path == *transcript.display().to_string()).then_some(known)
    });
    // A shorter one was written anew.
    let is_first = known.as_ref().is_none_or(|known| known.at > length);
    let known = known.unwrap_or(Known { at: length, summary: "-".to_owned() });
    let from = known.at.min(length).max(length.saturating_sub(MOST));
    let mut lines = Vec::new();
    if from < length {
        opened.seek(SeekFrom::Start(from))?;
        opened.take(length - from).read_to_end(&mut lines)?;
        // The rest of a line that is being written is for the next event.
        let whole = memchr::memrchr(b'\n', &lines).map_or(0, |end| end + 1);
        lines.truncate(whole);
    }
    let end = from + u64::try_from(lines.len()).unwrap_or_default();
    Ok(News { known, is_first, lines, end })
}

fn mark(repo: &Repo, transcript: &Path, at: u64, summary: &str) -> Result<()> {
    let text = format!("{at} {summary} {}", transcript.display());
    Ok(world::write_whole(&file(repo), text.as_bytes())?)
}

fn file(repo: &Repo) -> PathBuf {
    repo.store.seed_dir().join("transcripts").join(repo.store.worktree_name())
}
