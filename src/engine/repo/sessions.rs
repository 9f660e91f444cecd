//! Sessions: which host process speaks, and whether its word may grant anything.
//!
//! A session is recorded when it starts: host, process, start time. Prompts and
//! answers count only from that process. A host that was started below another
//! recorded host of this repository is an agent, whatever it says.

use std::convert::Infallible;

use serde::{Deserialize, Serialize};

use crate::engine::own_state;
use crate::engine::repo::{Repo, Result};
use crate::event::Event;
use crate::format::short_hash;
use crate::hosts::Host;
use crate::jobs::UnixSeconds;
use crate::world::last::Last;
use crate::world::{self, GitEnvironment, Manner, Process, View};

/// The processes above this one, and the sessions that were recorded.
type Above = (Vec<Process>, Vec<Session>);

/// A session as it was recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Session {
    pub host: String,
    pub id: String,
    pub worktree: String,
    pub started: UnixSeconds,
    /// The host's process; absent where the system does not tell.
    #[serde(default)]
    pub process: Option<Process>,
    /// What the process that recorded it saw of others; empty where nothing tells, and of an older
    /// git seed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub view: String,
    /// The home that the host has; what a command sets itself does not count.
    #[serde(default)]
    pub home: Option<std::path::PathBuf>,
    /// How git is run for it.
    #[serde(default)]
    pub git: Option<GitEnvironment>,
    /// How the host hands over its events.
    #[serde(default)]
    pub manner: Option<Manner>,
    /// When its process started, in milliseconds by the system's clock.
    #[serde(default)]
    pub since_ms: i64,
    /// Started from inside another recorded session, or detached from one.
    #[serde(default)]
    pub nested: bool,
    /// It began while another one ran, and this program above its process leaves open who
    /// started it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub untold: String,
    /// The host said that nobody sits there.
    #[serde(default)]
    pub unattended: bool,
    /// The host does not say whether somebody sits there, and has nothing to sit at.
    #[serde(default)]
    pub bare: bool,
    /// What its acts and rulings are told apart by; a session that goes on keeps it.
    #[serde(default)]
    pub trace: String,
}

/// Whose word an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sender {
    /// A person's, and one was there.
    Attended,
    /// A person's session, without anyone sitting there.
    Unattended,
    /// A person's session; the host does not say whether anyone sits there.
    Unknown,
    /// A session that a person or an agent began: its words are work, and grant nothing.
    Untold,
    /// Nobody's: an agent made it, or another process than the recorded host.
    Nobody,
}

impl Sender {
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Attended => "attended",
            Self::Unattended => "unattended",
            Self::Unknown => "unknown",
            Self::Untold => "untold",
            Self::Nobody => "nobody",
        }
    }

    pub(crate) fn is_somebody(self) -> bool {
        self != Self::Nobody
    }

    /// A person's, as far as can be told.
    pub(crate) fn is_persons(self) -> bool {
        !matches!(self, Self::Untold | Self::Nobody)
    }
}

/// Whether a person sits at the session that calls, where that is a person's.
pub(crate) fn attendance(host: &Host, above: &[Process]) -> Sender {
    let value = host.attended.as_deref().and_then(world::variable);
    // Where the host does not say, a person needs a terminal to sit at.
    let has_terminal = world::caller(above).is_none_or(|host| !host.detached);
    match host.is_attended(value.as_deref()) {
        Some(true) => Sender::Attended,
        None if has_terminal => Sender::Unknown,
        Some(false) | None => Sender::Unattended,
    }
}

/// The host says of itself that nobody sits there.
pub(crate) fn is_unattended(host: &Host) -> bool {
    let value = host.attended.as_deref().and_then(world::variable);
    host.is_attended(value.as_deref()) == Some(false)
}

impl Session {
    /// Its host runs. Of one that this process cannot see nobody can say that it is gone: an
    /// agent's code may put itself where it sees none.
    pub(crate) fn runs(&self) -> bool {
        !self.is_in_view() || is_running(self.process.as_ref())
    }

    /// This process sees what the one saw that recorded the session.
    pub(crate) fn is_in_view(&self) -> bool {
        match world::view() {
            View::Of(here) => self.view.is_empty() || self.view == *here,
            View::Blind => false,
        }
    }
}

/// True when the process that calls us is the session's recorded host.
pub(crate) fn speaks_for(session: &Session, above: &[Process]) -> bool {
    if !session.is_in_view() {
        return false;
    }
    match (&session.process, world::caller(above)) {
        (Some(recorded), Some(caller)) => is_same(recorded, caller),
        (None, None) => true,
        _ => false,
    }
}

/// True when this event is handed over as that was which recorded the session.
pub(crate) fn is_handed_alike(session: &Session) -> bool {
    let now = session.process.as_ref().and_then(world::manner);
    session.manner.zip(now).is_none_or(|(then, now)| then == now)
}

pub(crate) fn is_same(a: &Process, b: &Process) -> bool {
    a.pid == b.pid && a.started == b.started
}

pub(crate) fn is_running(process: Option<&Process>) -> bool {
    process
        .is_none_or(|process| world::running(process.pid).is_some_and(|now| is_same(&now, process)))
}

impl Repo {
    pub(crate) fn session_file(&self, id: &str) -> std::path::PathBuf {
        self.store
            .seed_dir()
            .join("sessions")
            .join(format!("{}.toml", short_hash(id.as_bytes(), 16)))
    }

    /// The recorded session whose id has the hash `name`.
    pub(crate) fn session_named(&self, name: &str) -> Result<Option<Session>> {
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Ok(None);
        }
        Ok(own_state::from_toml(
            &self.store.seed_dir().join("sessions").join(format!("{name}.toml")),
        )?)
    }

    /// The recorded session `id`.
    pub(crate) fn session(&self, id: &str) -> Result<Option<Session>> {
        Ok(own_state::from_toml(&self.session_file(id))?)
    }

    /// True while the session `id` is recorded and its host runs.
    pub(crate) fn is_live(&self, id: &str) -> Result<bool> {
        Ok(self.session(id)?.is_some_and(|session| session.runs()))
    }

    /// True when the event comes from the process that its session was recorded with.
    pub(crate) fn is_own_session(&self, event: &Event) -> Result<bool> {
        let known = self.session(&event.session)?;
        Ok(known.is_some_and(|known| speaks_for(&known, &world::ancestors())))
    }

    /// Sessions that are recorded, whether their host runs or not.
    pub(crate) fn recorded(&self) -> impl Iterator<Item = Session> {
        let files = std::fs::read_dir(self.store.seed_dir().join("sessions"));
        let read = |file: std::fs::DirEntry| {
            // The draft of a writer that was killed is no session.
            file.path().extension().filter(|ending| *ending == "toml")?;
            // One that does not read names no process. Whoever asks for it by its id is in
            // trouble; a person's `git seed off` asks for all of them, and is not.
            let bytes = world::read_plain(&file.path()).ok()?;
            // As above.
            toml::from_str::<Session>(&String::from_utf8(bytes).ok()?).ok()
        };
        files.into_iter().flatten().flatten().filter_map(read)
    }

    /// Recorded sessions whose host still runs, where the system tells.
    pub(crate) fn hosted(&self) -> Vec<Session> {
        self.recorded().filter(|session| session.process.is_some() && session.runs()).collect()
    }

    /// The home of the person behind this process: that of the host above it, and only where
    /// none is, the one that the environment names.
    pub(crate) fn persons_home(&self) -> Option<std::path::PathBuf> {
        let hosted = self.hosted();
        if hosted.is_empty() {
            return world::variable("HOME").map(Into::into);
        }
        let above = world::ancestors();
        let is_above = |session: &&Session| {
            session
                .process
                .as_ref()
                .is_some_and(|process| above.iter().any(|up| is_same(up, process)))
        };
        hosted.iter().find(is_above).or(hosted.first()).and_then(|session| session.home.clone())
    }

    /// How git is run for the session above this process, as its first hook saw it; nothing at a
    /// person's terminal, and of a session that an older git seed recorded.
    pub(crate) fn git_environment(&self) -> Option<GitEnvironment> {
        // What a process was started with does not change: a server asks once for as long as the
        // same processes are above it and the same sessions are recorded. That a person asks is
        // never kept.
        static KNOWN: Last<Above, Option<GitEnvironment>> = Last::new();
        let mut sessions = self.recorded().collect::<Vec<_>>();
        sessions.retain(|session| session.git.is_some());
        if sessions.is_empty() {
            return None;
        }
        sessions.sort_by_key(|session| (session.started, session.since_ms));
        let ask = |(above, sessions): &Above| {
            let found = self.environment_above(above, sessions);
            let stays = found.is_some();
            Ok::<_, Infallible>((found, stays))
        };
        KNOWN.answer((world::ancestors(), sessions), ask).unwrap_or_default()
    }

    fn environment_above(&self, above: &[Process], sessions: &[Session]) -> Option<GitEnvironment> {
        let is_above = |process: &Process| above.iter().any(|up| is_same(up, process));
        let session =
            sessions.iter().find(|session| session.process.as_ref().is_some_and(is_above))?;
        if self.is_person().is_ok() { None } else { session.git.clone() }
    }

    /// A host of this worktree runs.
    pub(crate) fn is_hosted(&self) -> bool {
        let here = self.store.worktree_name();
        self.hosted().iter().any(|session| session.worktree == here)
    }

    /// The host processes of recorded sessions that run.
    pub(crate) fn host_processes(&self) -> Vec<Process> {
        self.hosted().into_iter().filter_map(|session| session.process).collect()
    }

    pub(crate) fn is_below_another(&self, above: &[Process]) -> bool {
        let caller = world::caller(above).cloned();
        self.host_processes()
            .into_iter()
            .filter(|process| !caller.as_ref().is_some_and(|caller| is_same(caller, process)))
            .any(|process| above.iter().any(|up| is_same(up, &process)))
    }
}
