//! When agent sessions lived in this repository: those that live, and those that are over.
//!
//! A terminal that was opened while one lived may be the agent's work, also when that session
//! has ended. So the ends are kept, below `.git/seed/lives.toml`; `person::sender` writes them.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::engine::own_state;
use crate::engine::repo::sessions::Session;
use crate::engine::repo::{self, Repo};
use crate::format::short_hash;
use crate::jobs::UnixSeconds;
use crate::world::{self, HostProcess, Life, Lives, NotAPerson, Process, Typist, View};

/// The most ends that are kept; older ones become one.
const MOST: usize = 64;

/// The ends of sessions, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Ends {
    #[serde(default)]
    life: Vec<End>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct End {
    /// The hash of the session's id, and its process.
    session: String,
    process: String,
    from: i64,
    to: i64,
    /// Nobody sat there.
    #[serde(default)]
    unattended: bool,
    /// Its host ended without a word: it was over by `to`, and may have been sooner.
    #[serde(default)]
    late: bool,
}

impl Ends {
    fn has(&self, session: &Session) -> bool {
        let (name, process) = (name_of(session), mark(session.process.as_ref()));
        self.life.iter().any(|end| end.session == name && end.process == process)
    }

    /// The session `id`, which did something at `last`, is known to be over; or it may be one of
    /// those that became one end.
    pub(crate) fn covers(&self, id: &str, last: UnixSeconds) -> bool {
        let name = short_hash(id.as_bytes(), 16);
        let folded = self.life.first().filter(|_| self.life.len() >= MOST);
        folded.is_some_and(|old| last.saturating_mul(1_000) <= old.to)
            || self.life.iter().any(|end| end.session == name)
    }

    /// Adds the end of the session `id`, of which nothing is known but that a person has seen that
    /// its record is lost.
    pub(crate) fn add_lost(&mut self, id: &str, now: i64) {
        let session = short_hash(id.as_bytes(), 16);
        if self.life.iter().any(|end| end.session == session) {
            return;
        }
        let (process, unattended) = (String::new(), false);
        self.put(End { session, process, from: now, to: now, unattended, late: true });
    }

    /// Adds the end of `session` at `now`, or before that, where the machine was started anew
    /// since. One that is known already keeps its first end.
    pub(crate) fn add(&mut self, session: &Session, now: i64, first_process: Option<i64>) {
        if self.has(session) {
            return;
        }
        let from = session.since_ms;
        // Where everything began after it, it was over by then.
        let to = first_process.filter(|at| *at > from).unwrap_or(now).max(from);
        self.put(End {
            session: name_of(session),
            process: mark(session.process.as_ref()),
            from,
            to,
            unattended: session.unattended,
            late: !session.runs(),
        });
    }

    fn put(&mut self, end: End) {
        self.life.push(end);
        while self.life.len() > MOST {
            let old = self.life.remove(0);
            self.life[0].from = self.life[0].from.min(old.from);
            self.life[0].to = self.life[0].to.max(old.to);
            self.life[0].unattended &= old.unattended;
            self.life[0].late |= old.late;
        }
    }

    /// Those that were attended, in another process than `own`, and that are seen to live at `at`.
    pub(crate) fn at(&self, at: i64, own: &str) -> impl Iterator<Item = Life> {
        let then = move |end: &&End| !end.late && end.from <= at && at <= end.to;
        let others = move |end: &&End| !end.unattended && end.process != own;
        self.life.iter().filter(then).filter(others).map(|end| Life { from: end.from, to: end.to })
    }

    fn lives(&self) -> impl Iterator<Item = Life> {
        self.life.iter().map(|end| Life { from: end.from, to: end.to })
    }
}

pub(crate) fn mark(process: Option<&Process>) -> String {
    process.map_or_else(String::new, |process| format!("{} {}", process.pid, process.started))
}

fn name_of(session: &Session) -> String {
    short_hash(session.id.as_bytes(), 16)
}

impl Repo {
    pub(crate) fn ends_file(&self) -> PathBuf {
        self.store.seed_dir().join("lives.toml")
    }

    /// The ends that are kept.
    pub(crate) fn ends(&self) -> Ends {
        // A file that does not read kept none: a person's `git seed off` has to work over it, and
        // the sessions that live are known without it.
        own_state::from_toml(&self.ends_file()).ok().flatten().unwrap_or_default()
    }

    /// All ends of sessions. One whose host is gone and whose end nobody wrote is over by now.
    pub(crate) fn all_ends(&self) -> Ends {
        let mut ends = self.ends();
        for session in self.died() {
            ends.add(&session, world::system_ms(), world::first_process_ms());
        }
        ends
    }

    /// Recorded sessions whose host ended without a word.
    pub(crate) fn died(&self) -> Vec<Session> {
        let gone = |session: &Session| session.process.is_some() && !session.runs();
        self.recorded().filter(gone).collect()
    }

    /// Says who types at the terminal of this process.
    ///
    /// # Errors
    ///
    /// Says what speaks against a person.
    pub(crate) fn typist(&self) -> Result<Typist, NotAPerson> {
        if let Some(played) = world::played_typist() {
            return Ok(played);
        }
        if *world::view() == View::Blind {
            return Err(NotAPerson::Unseen);
        }
        let agents = repo::installation::agents();
        let ends = self.all_ends();
        let lives = Lives { live: self.live_hosts(), over: ends.lives().collect() };
        let found = world::who(&world::surroundings(&agents.markers), &agents, &lives);
        let last = ends.life.iter().max_by_key(|end| end.to);
        found.map_err(|why| why.where_the_end_is_late(last.is_some_and(|end| end.late)))
    }

    /// Says whether a person may be assumed behind this process, with nobody asked.
    ///
    /// # Errors
    ///
    /// Says what speaks against it.
    pub(crate) fn is_person(&self) -> Result<(), NotAPerson> {
        match self.typist()? {
            Typist::Person => Ok(()),
            Typist::Untold(by) => Err(NotAPerson::Untold(by)),
        }
    }

    fn live_hosts(&self) -> Vec<HostProcess> {
        self.hosted().into_iter().filter_map(host).collect()
    }
}

pub(crate) fn host(session: Session) -> Option<HostProcess> {
    let since = session.since_ms;
    session.process.map(|process| HostProcess { process, since })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(id: &str, since_ms: i64) -> Session {
        let text = format!(
            "host = \"claude\"\nid = \"{id}\"\nworktree = \"main\"\nstarted = 1\nsince_ms = \
             {since_ms}\n[process]\npid = 7\nstarted = \"{since_ms}\"\nname = \"claude\"\n"
        );
        toml::from_str(&text).expect("a session")
    }

    #[test]
    fn an_end_is_written_once_and_lies_before_all_that_runs() {
        let mut ends = Ends::default();
        ends.add(&session("a", 100), 200, Some(10));
        ends.add(&session("a", 100), 900, Some(10));
        // It goes on in another process, and the machine was started anew before anybody looked.
        ends.add(&session("a", 300), 900, Some(400));
        let lives: Vec<(i64, i64)> = ends.lives().map(|life| (life.from, life.to)).collect();
        assert_eq!(lives, [(100, 200), (300, 400)]);
    }

    #[test]
    fn a_session_is_over_where_its_end_is_kept_or_may_have_become_another() {
        let mut ends = Ends::default();
        assert!(!ends.covers("a", 1));
        ends.add_lost("a", 5_000);
        ends.add_lost("a", 9_000);
        assert!(ends.covers("a", 100) && !ends.covers("b", 1));
        assert_eq!(ends.lives().collect::<Vec<_>>(), [Life { from: 5_000, to: 5_000 }]);
        for at in 0..100 {
            ends.add(&session(&at.to_string(), 10_000 + at), 10_000 + at, None);
        }
        // What it did last was before the oldest end that is kept apart.
        assert!(ends.covers("c", 10) && !ends.covers("c", 11));
    }

    #[test]
    fn old_ends_become_one() {
        let mut ends = Ends::default();
        for at in 0..100 {
            ends.add(&session(&at.to_string(), at * 10), at * 10 + 5, None);
        }
        let lives: Vec<Life> = ends.lives().collect();
        assert_eq!(lives.len(), MOST);
        assert_eq!(lives[0], Life { from: 0, to: 365 });
        assert_eq!(lives[63], Life { from: 990, to: 995 });
    }
}
