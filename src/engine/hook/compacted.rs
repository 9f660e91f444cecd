//! A compaction that the host tells in its transcript alone: what was written there since the last
//! event is looked through, and the agent hears where it stands as at the beginning of a session.

use std::fs::OpenOptions;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use crate::engine::hook;
use crate::engine::repo::{Repo, Result, own_state};
use crate::event::{Actor, Event, EventKind, SessionSource};
use crate::hosts::Host;
use crate::world;

/// The most bytes that are looked through for one event, the last ones.
const MOST: u64 = 8 << 20;

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
    let Ok(new) = new_lines(repo, transcript) else { return Ok(None) };
    if !row.is_told(&new) {
        return Ok(None);
    }
    let source = SessionSource::Compact;
    let kind = EventKind::SessionStart { source: source.clone() };
    let begins = Event { kind, ..event.clone() };
    Ok(hook::session::session_start(repo, &begins, &source)?.context)
}

/// The whole lines that were written since the last event. A file that is met for the first time is
/// read from its end on: what stands there is older than the work at hand.
fn new_lines(repo: &Repo, transcript: &Path) -> Result<Vec<u8>> {
    let mut opened = world::open_plain(OpenOptions::new().read(true), transcript)?;
    let length = opened.metadata()?.len();
    let name = transcript.display().to_string();
    let known = own_state::text(&file(repo))?;
    let known = known.as_ref().and_then(|known| known.split_once(' '));
    let known = known.filter(|(_, path)| *path == name).and_then(|(at, _)| at.parse::<u64>().ok());
    // A shorter one was written anew.
    let from = known.unwrap_or(length).min(length).max(length.saturating_sub(MOST));
    let mut lines = Vec::new();
    if from < length {
        opened.seek(SeekFrom::Start(from))?;
        opened.take(length - from).read_to_end(&mut lines)?;
        // The rest of a line that is being written is for the next event.
        let whole = memchr::memrchr(b'\n', &lines).map_or(0, |end| end + 1);
        lines.truncate(whole);
    }
    let at = from + u64::try_from(lines.len()).unwrap_or_default();
    if known != Some(at) {
        world::write_whole(&file(repo), format!("{at} {name}").as_bytes())?;
    }
    Ok(lines)
}

fn file(repo: &Repo) -> PathBuf {
    repo.store.seed_dir().join("transcripts").join(repo.store.worktree_name())
}
