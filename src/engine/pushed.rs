//! What a push of a call sent: by what git printed, and where it printed nothing by the logs of
//! the refs that stand for what remotes have.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::claims::sent::{self, Sent};
use crate::engine::repo::Repo;
use crate::event::{Act, Outcome, ToolCall};
use crate::world;

/// The most logs that are looked at.
const LOGS: usize = 512;
/// How far a file system's times may lie behind.
const LATE: Duration = Duration::from_secs(2);

/// What the push of a call sent; nothing where it had none, or where that cannot be told.
pub(crate) fn sent(repo: &Repo, call: &ToolCall, outcome: &Outcome) -> Option<Sent> {
    let Act::Shell { command, background, .. } = &call.act else { return None };
    if let Some(told) = Sent::of(command, &outcome.printed) {
        return Some(told);
    }
    let quiet = || !*background && !outcome.background && outcome.ok && is_quiet(command);
    if !(sent::is_push(command) && quiet()) {
        return None;
    }
    let took = Duration::from_millis(outcome.duration_ms?);
    let now = Duration::from_millis(u64::try_from(world::system_ms()).ok()?);
    let began = UNIX_EPOCH + now.checked_sub(took + LATE)?;
    let logs = repo.store.common_dir().join("logs/refs/remotes");
    Some(if written_since(&logs, began, &mut LOGS.clone())? { Sent::Plain } else { Sent::Nothing })
}

/// One push alone, told to be quiet, to a remote by its name: what it sends is written down in the
/// log of a ref.
fn is_quiet(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    let ["git", "push", rest @ ..] = words.as_slice() else { return false };
    let quiet = rest.iter().any(|word| matches!(*word, "-q" | "--quiet"));
    let plain = |word: &&str| {
        word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_/.".contains(&byte))
    };
    let remote = rest.iter().find(|word| !word.starts_with('-'));
    quiet && rest.iter().all(plain) && remote.is_none_or(|name| !name.contains(['/', '.']))
}

/// Whether a log below `dir` was written since; nothing where there are none, or too many.
fn written_since(dir: &Path, began: SystemTime, left: &mut usize) -> Option<bool> {
    let mut any = None;
    // What cannot be read tells nothing, and then nothing is said of the push.
    for entry in std::fs::read_dir(dir).ok()?.flatten() {
        *left = left.checked_sub(1)?;
        let kind = entry.file_type().ok()?;
        let new = if kind.is_dir() {
            written_since(&entry.path(), began, left)
        } else {
            // As above.
            Some(entry.metadata().ok()?.modified().ok()? >= began)
        };
        if new == Some(true) {
            return new;
        }
        any = any.or(new);
    }
    any
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quiet_push_is_one_alone_to_a_named_remote() {
        for (line, wanted) in [
            ("git push -q", true),
            ("git push --quiet origin main", true),
            ("git push -q -u origin feature/a", true),
            ("git push", false),
            ("git push -q https://example.org/a.git", false),
            ("git push -q ../a", false),
            ("git push -q && ls", false),
            ("git -C sub push -q", false),
        ] {
            assert_eq!(is_quiet(line), wanted, "{line}");
        }
    }
}
