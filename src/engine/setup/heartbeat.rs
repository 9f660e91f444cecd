//! When the hooks of a host ran last in a worktree: hook lines that stand in a file prove nothing
//! until the host runs them.
//!
//! One small file for each host below `.git/seed/fired`. A memory: where it is lost, `doctor` says
//! that nothing has run yet.

use std::path::PathBuf;
use std::process::Command;

use crate::engine::finding::Finding;
use crate::engine::repo::sessions::{Session, is_same};
use crate::engine::repo::{Repo, text};
use crate::engine::setup;
use crate::event::{Event, EventKind};
use crate::hosts::{self, Host};
use crate::jobs::UnixSeconds;
use crate::voice::{Found, Notice, tell};
use crate::world;

/// A hook ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Heartbeat {
    pub at: UnixSeconds,
    /// The event, as the host names it.
    pub event: String,
    /// The version of the client, where its payload tells it.
    pub version: Option<String>,
}

/// Keeps that a hook ran for `event`, of those that write something anyway.
pub(crate) fn beat(repo: &Repo, host: &Host, event: &Event) {
    if host.hands_over && matches!(event.kind, EventKind::After { .. }) {
        return beat_after(repo, event);
    }
    let writes = matches!(
        event.kind,
        EventKind::SessionStart { .. } | EventKind::Prompt { .. } | EventKind::Stop { .. }
    );
    if !writes {
        return;
    }
    let file = file(repo, event.host);
    if let Some(dir) = file.parent() {
        let _ = std::fs::create_dir_all(dir);
    }
    let version = event.client.as_deref().unwrap_or("-");
    let text = format!("{} {}\n{} {version}\n", repo.now, event.name, host.name);
    let _ = world::Whole::new().unsynced().write(&file, text.as_bytes());
}

/// Keeps that the hook after a tool runs in the session of `event`, once a session.
fn beat_after(repo: &Repo, event: &Event) {
    if event.session.is_empty() || has_run_after(repo, event.host, &event.session) {
        return;
    }
    let file = file_after(repo, event.host);
    if let Some(dir) = file.parent() {
        let _ = std::fs::create_dir_all(dir);
    }
    let _ = world::write_whole(&file, event.session.as_bytes());
}

/// The hook of `host` after a tool has run here in this session, and in no other one since.
pub(crate) fn has_run_after(repo: &Repo, host: &str, session: &str) -> bool {
    // A memory, as above.
    world::read_plain(&file_after(repo, host)).is_ok_and(|known| known == session.as_bytes())
}

/// When a hook of `host` ran last here.
pub(crate) fn last(repo: &Repo, host: &str) -> Option<Heartbeat> {
    // A memory, as above.
    let bytes = world::read_plain(&file(repo, host)).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let mut lines = text.lines();
    let (at, event) = lines.next()?.trim().split_once(' ')?;
    let version = lines.next().and_then(|line| Some(line.split_once(' ')?.1.to_owned()));
    let version = version.filter(|version| version != "-");
    Some(Heartbeat { at: at.parse().ok()?, event: event.to_owned(), version })
}

fn file_after(repo: &Repo, host: &str) -> PathBuf {
    let name = format!("{}.{host}.after", repo.store.worktree_name());
    repo.store.seed_dir().join("fired").join(name)
}

fn file(repo: &Repo, host: &str) -> PathBuf {
    repo.store.seed_dir().join("fired").join(format!("{}.{host}", repo.store.worktree_name()))
}

/// Whether the host has run its hooks here: that a line stands in a file does not show it.
pub(crate) fn finding(repo: &Repo, row: &Host) -> Finding {
    let title = ("title", row.title.as_str());
    let Some(last) = last(repo, &row.name) else {
        let says = row.first_start().unwrap_or_default();
        return Finding::of(Found::HostSilent, &[title, ("says", says)]);
    };
    let at = text::rfc3339(last.at);
    let named = last.version.map(|version| format!("{} {version}", row.title));
    let title = ("title", named.as_deref().unwrap_or(&row.title));
    Finding::of(Found::HostFired, &[title, ("at", &at), ("event", &last.event)])
}

/// The hosts whose hook lines stand in this worktree and of which no hook has ever run in it.
pub(crate) fn unfired(repo: &Repo) -> Vec<String> {
    if is_without_hooks(repo) {
        return Vec::new();
    }
    let rows = hosts::names().filter_map(|name| hosts::row(name).ok());
    let silent = rows.filter(|row| {
        !setup::host_settings::registrations(repo, row).is_empty()
            && last(repo, &row.name).is_none()
    });
    let told = |row: &Host| {
        let title = ("title", row.title.as_str());
        match row.first_start() {
            Some(says) => tell(Notice::StatusUnfired, &[title, ("says", says)]),
            None => tell(Notice::StatusUnfiredYet, &[title]),
        }
    };
    silent.map(told).collect()
}

/// Whoever asks is the agent of a client without hooks, which no hook line serves.
fn is_without_hooks(repo: &Repo) -> bool {
    let hosted = repo.hosted();
    let unhooked =
        |session: &&Session| hosts::row(&session.host).is_ok_and(|row| !row.runs_hooks());
    let mut clients = hosted.iter().filter(unhooked).filter_map(|session| session.process.as_ref());
    let above = if clients.clone().next().is_some() { world::ancestors() } else { Vec::new() };
    clients.any(|client| above.iter().any(|up| is_same(up, client)))
}

/// What hosts that are put in here cannot do, and which of them runs as another version than the
/// one that its row was tried with. `asks` starts their programs, for two seconds each.
pub(crate) fn versions(repo: &Repo, asks: bool) -> Vec<Finding> {
    let mut found = Vec::new();
    for row in hosts::names().filter_map(|name| hosts::row(name).ok()) {
        if setup::host_settings::registrations(repo, row).is_empty() {
            continue;
        }
        let title = ("title", row.title.as_str());
        let limits = limits(row);
        let Some(range) = row.range() else {
            // That nobody tried it is said of each file.
            found.push(Finding::of(Found::HostCannot, &[title, ("limits", &limits)]));
            continue;
        };
        found
            .push(Finding::of(Found::HostLimits, &[title, ("range", &range), ("limits", &limits)]));
        if asks {
            ask_version(repo, row);
        }
        if let Some(version) = version_outside(repo, row) {
            let facts = [title, ("version", version.as_str()), ("range", &*range)];
            found.push(Finding::of(Found::HostOutside, &facts));
        }
    }
    found
}

/// Asks the clients that are put in here for their versions, as `git seed init` does at a terminal,
/// so that the first session knows them; the title and the word on each that lies outside.
pub(crate) fn others(repo: &Repo) -> Vec<(&'static str, String)> {
    let rows = hosts::names().filter_map(|name| hosts::row(name).ok());
    let put_in = rows.filter(|row| {
        row.range().is_some() && !setup::host_settings::registrations(repo, row).is_empty()
    });
    let told = |row: &'static Host| {
        ask_version(repo, row);
        let word = word_on_version(repo, row)?;
        let rest = word.strip_prefix(&row.title).map_or(word.as_str(), str::trim_start);
        Some((row.title.as_str(), rest.to_owned()))
    };
    put_in.filter_map(told).collect()
}

/// One line for the person as a session begins, where its client is known to be another version.
pub(crate) fn word_on_version(repo: &Repo, row: &Host) -> Option<String> {
    let (range, version) = (row.range()?, version_outside(repo, row)?);
    let facts = [("title", row.title.as_str()), ("version", &version), ("range", &range)];
    Some(crate::voice::found(Found::HostOutside, &facts).found)
}

fn limits(row: &Host) -> String {
    let lacks = |name: &str| row.capabilities().any(|(known, can)| known == name && !can);
    let all = [
        ("refuse-tool", Notice::LimitAdvises),
        ("refuse-stop", Notice::LimitTurn),
        ("ask-person", Notice::LimitAsks),
        ("question-tool", Notice::LimitQuestions),
    ];
    let lacking = all.into_iter().filter(|(name, _)| lacks(name));
    let top = row.settings.top_only.then_some(Notice::LimitTop);
    let lacking = lacking.map(|(_, notice)| notice).chain(top);
    let lacking: Vec<String> = lacking.map(|notice| tell(notice, &[])).collect();
    if lacking.is_empty() { tell(Notice::LimitNone, &[]) } else { lacking.join("; ") }
}

/// Keeps which version the client's own program says it is.
fn ask_version(repo: &Repo, row: &Host) {
    let Some(program) = row.processes.first().and_then(|name| world::on_path(name)) else { return };
    let said = setup::reach::answer(Command::new(program).arg("--version"));
    let version = said.filter(|(well, _)| *well).and_then(|(_, said)| version_in(&said));
    // A memory, as above.
    if let Some(version) = version {
        let file = version_file(repo, &row.name);
        let _ = file.parent().map(std::fs::create_dir_all);
        let _ = world::write_whole(&file, version.as_bytes());
    }
}

fn version_file(repo: &Repo, host: &str) -> PathBuf {
    repo.store.seed_dir().join("fired").join(format!("{host}.version"))
}

/// The version of the client as it was last known, where its row was tried with another one.
fn version_outside(repo: &Repo, row: &Host) -> Option<String> {
    let by_payload = last(repo, &row.name).and_then(|last| last.version);
    // A memory, as above.
    let told = || world::read_plain(&version_file(repo, &row.name)).ok();
    let version = by_payload
        .or_else(|| Some(String::from_utf8_lossy(&told()?).into_owned()))
        .and_then(|text| version_in(&text))?;
    row.is_outside(&version).then_some(version)
}

/// The first word of a text that is numbers with dots between them.
fn version_in(text: &str) -> Option<String> {
    let words = text.split(|letter: char| !(letter.is_ascii_digit() || letter == '.'));
    let mut versions = words.map(|word| word.trim_matches('.')).filter(|word| word.contains('.'));
    versions.next().map(str::to_owned)
}
