//! What models read and wrote for a job, out of the transcript that the host names.
//!
//! Never before a tool. Where a turn begins or ends, and when a person asks for the sums, a
//! transcript is read on from where it was left, by so many bytes at most; what its host's row
//! knows to be tokens is added to the job that is at hand. A transcript that is met for the first
//! time counts from there on: what stands in it is older than the job. Nothing else of it is kept.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::event::{Event, EventKind};
use crate::format::tokens::{Reading, TokenBook, Tokens, Transcript};
use crate::hosts::{self, Host, TranscriptRow};
use crate::world::open_plain;

/// What is read at once, in bytes: no line that tells tokens is longer.
const WINDOW: u64 = 4 << 20;
/// How many of these a hook reads, and a command of a person's.
const OF_A_HOOK: u32 = 8;
const OF_A_PERSON: u32 = 64;

/// Adds what the transcripts tell that `event` names.
pub(crate) fn hear(repo: &Repo, host: &Host, event: &Event) {
    // Sums decide nothing: what stands in their way changes no answer.
    let _ = heard(repo, host, event);
}

fn heard(repo: &Repo, host: &Host, event: &Event) -> Result<()> {
    let ends = match event.kind {
        EventKind::Prompt { .. } | EventKind::Stop { .. } | EventKind::SessionEnd { .. } => false,
        EventKind::SubagentStop { .. } => true,
        _ => return Ok(()),
    };
    let Some(row) = host.transcript() else { return Ok(()) };
    if !repo.is_own_session(event)? {
        return Ok(());
    }
    let focused = repo.focused()?;
    let focused = match &focused {
        Some(focused) if !repo.is_guest(focused, event)? => Some(focused),
        _ => None,
    };
    let mut named: Vec<(&Path, bool)> = Vec::new();
    named.extend(event.transcript.as_deref().map(|path| (path, false)));
    // A subagent's is its own from its first line on.
    named.extend(event.agent_transcript.as_deref().filter(|_| ends).map(|path| (path, true)));
    Ok(repo.store.change_tokens(|book| {
        for (path, whole) in named {
            let Some(path) = path.to_str() else { continue };
            let mut told = book.known(path).cloned().unwrap_or_else(|| Transcript {
                path: path.to_owned(),
                host: host.name.clone(),
                session: String::new(),
                reading: Reading::default(),
            });
            let known = !told.session.is_empty();
            told.session.clone_from(&event.session);
            let more = if known || whole {
                if !known {
                    told.reading = Reading::from(0);
                }
                follow(row, &mut told, OF_A_HOOK)
            } else {
                begin(row, &mut told).map(|()| Tokens::default())
            };
            // As above: it cannot be read, or not by us.
            let Ok(more) = more else { continue };
            count(repo, book, focused, more);
            book.keep(told);
        }
    })?)
}

/// Adds what was written since to the transcripts of the session that drives the job at hand.
pub(crate) fn catch_up(repo: &Repo) -> Result<()> {
    let Some(focused) = repo.focused()? else { return Ok(()) };
    let session = focused.state.driver.session.as_str();
    if session.is_empty() {
        return Ok(());
    }
    Ok(repo.store.change_tokens(|book| {
        let known: Vec<Transcript> = book.of_session(session).cloned().collect();
        for mut told in known {
            // A host that is not there any more, in another version of git seed.
            let Ok(host) = hosts::row(&told.host) else { continue };
            let Some(row) = host.transcript() else { continue };
            // It went, or is not to be read: what was counted stands.
            let Ok(more) = follow(row, &mut told, OF_A_PERSON) else { continue };
            count(repo, book, Some(&focused), more);
            book.keep(told);
        }
    })?)
}

fn count(repo: &Repo, book: &mut TokenBook, focused: Option<&LoadedJob>, more: Tokens) {
    if let Some(focused) = focused {
        book.add(focused.state.job.id.as_str(), repo.now, more);
    }
}

/// The file and its length; what is not there yet has none.
fn opened(told: &Transcript) -> io::Result<Option<(File, u64)>> {
    match open_plain(OpenOptions::new().read(true), Path::new(&told.path)) {
        Ok(file) => {
            let length = file.metadata()?.len();
            Ok(Some((file, length)))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Goes to the end. The last lines are looked at, for what the next one is compared with.
fn begin(row: &TranscriptRow, told: &mut Transcript) -> io::Result<()> {
    let Some((mut file, length)) = opened(told)? else {
        told.reading = Reading::from(0);
        return Ok(());
    };
    told.reading = Reading::from(length.saturating_sub(WINDOW));
    read_on(row, (&mut file, length), &mut told.reading, 1)?;
    Ok(())
}

/// Reads on, and gives what that adds.
fn follow(row: &TranscriptRow, told: &mut Transcript, windows: u32) -> io::Result<Tokens> {
    let Some((mut file, length)) = opened(told)? else { return Ok(Tokens::default()) };
    if length < told.reading.at {
        // Another file lies there.
        begin(row, told)?;
        return Ok(Tokens::default());
    }
    read_on(row, (&mut file, length), &mut told.reading, windows)
}

fn read_on(
    row: &TranscriptRow,
    (file, length): (&mut File, u64),
    reading: &mut Reading,
    windows: u32,
) -> io::Result<Tokens> {
    let mut sum = Tokens::default();
    for _ in 0..windows {
        let size = length.saturating_sub(reading.at).min(WINDOW);
        if size == 0 {
            break;
        }
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(reading.at))?;
        file.take(size).read_to_end(&mut bytes)?;
        let Some(end) = memchr::memrchr(b'\n', &bytes) else {
            if size < WINDOW {
                // Its writer is not at the end of the line, or died there.
                break;
            }
            reading.at += size;
            reading.inside = true;
            continue;
        };
        let lines = &bytes[..=end];
        let torn = memchr::memchr(b'\n', lines).filter(|_| reading.inside);
        let whole = torn.map_or(lines, |torn| &lines[torn + 1..]);
        sum.add(row.read(whole, reading));
        reading.inside = false;
        reading.at += lines.len() as u64;
    }
    Ok(sum)
}
