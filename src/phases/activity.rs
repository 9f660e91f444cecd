//! What a stay has come to: counts of acts since the last step, and how a step takes them in.
//!
//! Acts are counted after they happened, by kind, and only those of the main session; what they
//! are worth is for the row to say, and for nobody to hear. The journal carries the counts on
//! every line, so that the last one is enough.

use std::collections::BTreeMap;
use std::hash::BuildHasher as _;

use serde::{Deserialize, Serialize};

use super::deeds::{is_proof, shell_deed};
use super::orchestrator::Entry;
use super::pacing::{Acts, Deed, Stay};
use super::place::Place;
use crate::event::{Act, Outcome, ToolCall, UnixSeconds};

/// The most subagents that are remembered as under way, and the most background commands.
const FLIGHTS: usize = 8;
/// The most letters of a name that a host gives: the state that keeps them is small.
const NAME: usize = 64;
/// The most pages that are remembered as read.
const RECALLED: usize = 64;
/// The most types of subagents that a stay remembers.
const LAUNCHES: usize = 16;

/// Acts of the main session since the last step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Activity {
    /// Acts by kind.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub acts: Acts,
    /// The same since a page was updated last.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub since: Acts,
    /// `since` began anew: what the job remembers of it is over.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub settled: bool,
    /// Acts that are better delegated, and launches that make up for them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub direct: u32,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub grants: u32,
    /// Launches by type of subagent.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub launches: Acts,
    /// Pages that were read, as hashes: a page pays once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recalled: Vec<String>,
    /// Subagents under way.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flights: Vec<Flight>,
    /// Background commands that may still run, by the host's ids of their calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub running: Vec<String>,
    /// Code ran well after the last change (`true`), or something changed since (`false`);
    /// absent where neither happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proved: Option<bool>,
}

/// A subagent that was launched and has not ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flight {
    /// The host's id of the call that launched it.
    pub call: String,
    /// Its type.
    pub agent: String,
    /// When it was launched.
    #[serde(default)]
    pub at: UnixSeconds,
    /// The host's id of the run, once it began.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// What the note says that it was launched for, as a hash.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// How many live notes said so then.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub times: u32,
    /// How often its end was refused.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub kept: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(value: &u32) -> bool {
    *value == 0
}

fn short(name: &str) -> String {
    name.chars().take(NAME).collect()
}

/// Tells one path from the others in a few letters.
fn mark(path: &str) -> String {
    format!("{:x}", foldhash::fast::FixedState::default().hash_one(path))
}

impl Flight {
    /// Under way at `now`: it began, or was launched not long ago. A launch that the host or its
    /// person turned down never begins, and nobody says so.
    pub(crate) fn is_up(&self, now: UnixSeconds) -> bool {
        const MOMENT: i64 = 10 * 60;
        !self.id.is_empty() || now - self.at <= MOMENT
    }

    /// It is the run `id`; where a host gives none, the oldest of its type.
    pub(crate) fn is_run(&self, id: &str, agent: &str) -> bool {
        if id.is_empty() { self.agent == short(agent) } else { self.id == short(id) }
    }

    fn is_of(&self, call: &ToolCall) -> bool {
        self.call == short(&call.id)
    }
}

/// What a call left behind, as far as it proves something.
#[derive(Clone, Copy, Debug)]
pub struct Left<'a> {
    pub outcome: &'a Outcome,
    /// The call changed something.
    pub changed: bool,
    /// Work changed since the fence looked last, by this call or before it.
    pub late: bool,
    /// Its files, and where they lie.
    pub places: &'a [(String, Place)],
    /// It was a run of tests that began none.
    pub unstarted: bool,
}

impl Activity {
    /// Adds what a call of the main session did; `spends` are the kinds that take from the balance
    /// where it stands.
    pub fn count(
        &mut self,
        act: &Act,
        deeds: &[Deed],
        places: &[(String, Place)],
        spends: &[Deed],
    ) {
        let again = self.recalls(act, places);
        for deed in deeds.iter().filter(|deed| **deed != Deed::Recall || !again) {
            let word = deed.word().to_owned();
            *self.acts.entry(word.clone()).or_insert(0) += 1;
            if *deed == Deed::Page {
                self.settle();
            } else {
                *self.since.entry(word).or_insert(0) += 1;
            }
        }
        let kind = if matches!(act, Act::Read { .. }) { Deed::Read } else { Deed::Edit };
        let takes =
            |(path, place): &&(String, Place)| spends.contains(&kind) && place.is_direct(path);
        let direct = places.iter().filter(takes).count();
        self.direct += u32::try_from(direct).unwrap_or(u32::MAX);
        if let Act::Delegate { agent, .. } = act {
            *self.launches.entry(short(agent)).or_insert(0) += 1;
            self.grants += u32::from(deeds.contains(&Deed::Launch));
        }
    }

    /// Only pages that were read before are read again. Keeps the others.
    fn recalls(&mut self, act: &Act, places: &[(String, Place)]) -> bool {
        if !matches!(act, Act::Read { .. }) {
            return false;
        }
        let pages = places.iter().filter(|(_, place)| matches!(place, Place::Page { .. }));
        let read: Vec<String> = pages.map(|(path, _)| mark(path)).collect();
        let fresh: Vec<String> =
            read.iter().filter(|page| !self.recalled.contains(page)).cloned().collect();
        let again = !read.is_empty() && fresh.is_empty();
        let room = RECALLED.saturating_sub(self.recalled.len());
        self.recalled.extend(fresh.into_iter().take(room));
        again
    }

    /// So many pages were updated by a command of git seed's.
    pub(crate) fn count_pages(&mut self, pages: u32) {
        *self.acts.entry(Deed::Page.word().to_owned()).or_insert(0) += pages;
        self.settle();
    }

    /// The rhythm of looking and writing begins anew.
    pub(crate) fn settle(&mut self) {
        self.since.clear();
        self.settled = true;
    }

    /// Keeps whether code ran well after the last change. `tells` says of a line whether its end is
    /// that of the code which it runs.
    pub fn prove(&mut self, act: &Act, left: &Left<'_>, tells: &dyn Fn(&str) -> bool) {
        let Left { outcome, changed, late, places, unstarted } = *left;
        match act {
            Act::Shell { command, background, .. } => {
                if changed {
                    self.proved = Some(false);
                } else if outcome.ok
                    && !background
                    && !outcome.background
                    && is_proof(command, tells)
                {
                    self.proved = Some(true);
                } else if late
                    || (!outcome.ok && !unstarted && shell_deed(command) == Some(Deed::Test))
                {
                    // What ran well before does not outweigh a change since, or tests that fail
                    // now. What never began says nothing of them.
                    self.proved = Some(false);
                }
            }
            // Words on a page prove nothing, and change nothing that was proved.
            Act::Edit(_) if places.iter().any(|(path, place)| place.is_direct(path)) => {
                self.proved = Some(false);
            }
            Act::Foreign { .. } | Act::Unknown if changed || late => self.proved = Some(false),
            _ => {}
        }
    }

    /// A subagent launch goes to the host. `note` is a hash of the note that it is bound to and
    /// how many live notes say that; empty where it is bound to none.
    pub(crate) fn launched(
        &mut self,
        call: &ToolCall,
        agent: &str,
        note: (String, u32),
        at: UnixSeconds,
    ) {
        self.flights.retain(|flight| !flight.is_of(call) || call.id.is_empty());
        let (call, agent, (note, times)) = (short(&call.id), short(agent), note);
        self.flights.push(Flight { call, agent, at, note, times, ..Flight::default() });
        let old = self.flights.len().saturating_sub(FLIGHTS);
        self.flights.drain(..old);
    }

    /// A subagent begins: it is the oldest launch of its type that nobody claimed.
    pub(crate) fn began(&mut self, id: &str, agent: &str) {
        let unclaimed = |flight: &&mut Flight| flight.id.is_empty() && flight.agent == short(agent);
        if let Some(flight) = self.flights.iter_mut().find(unclaimed) {
            flight.id = short(id);
        }
    }

    /// The run `id` was kept on, as its note stands as it stood.
    pub(crate) fn kept(&mut self, id: &str, agent: &str) {
        for flight in &mut self.flights {
            flight.kept += u32::from(flight.is_run(id, agent) && !flight.note.is_empty());
        }
    }

    /// A subagent has ended.
    pub(crate) fn ended(&mut self, id: &str) {
        let id = short(id);
        self.flights.retain(|flight| id.is_empty() || flight.id != id);
    }

    /// The call that launched a subagent is over; in the background the subagent goes on.
    pub(crate) fn returned(&mut self, call: &ToolCall, outcome: &Outcome) {
        if !outcome.background || !outcome.ok {
            self.flights.retain(|flight| !flight.is_of(call));
        }
    }

    /// A shell call goes on in the background.
    pub(crate) fn detached(&mut self, call: &ToolCall) {
        self.running.push(short(&call.id));
        let old = self.running.len().saturating_sub(FLIGHTS);
        self.running.drain(..old);
    }

    /// No more than `running` subagents are under way: the host says so, or the turn is over.
    pub(crate) fn landed(&mut self, running: u32) {
        let over = self.flights.len().saturating_sub(running as usize);
        self.flights.drain(..over);
    }

    /// A background command or a subagent may still be under way.
    pub(crate) fn has_running(&self) -> bool {
        !(self.running.is_empty() && self.flights.is_empty())
    }
}

impl Entry {
    /// Takes in what was counted since the last step.
    pub(crate) fn take_in(&mut self, counted: &Activity) {
        if counted.settled {
            self.since.clear();
        }
        add(&mut self.acts, &counted.acts);
        add(&mut self.since, &counted.since);
        add(&mut self.launches, &counted.launches);
        while self.launches.len() > LAUNCHES {
            self.launches.pop_last();
        }
        self.direct += counted.direct;
        self.grants += counted.grants;
    }

    /// The stay as pacing sees it at `now`, with what was counted since the last step. `draw` is
    /// the same for a stay whenever one asks.
    pub(crate) fn stay(&self, counted: &Activity, now: UnixSeconds, draw: u32) -> Stay {
        let before = if counted.settled { Acts::new() } else { self.since.clone() };
        let up = counted.flights.iter().filter(|flight| flight.is_up(now)).count();
        Stay {
            acts: sum(self.acts.clone(), &counted.acts),
            since: sum(before, &counted.since),
            backwards: self.backwards,
            multiplier: self.multiplier,
            direct: self.direct + counted.direct,
            grants: self.grants + counted.grants,
            checkpoints: self.checkpoints,
            in_flight: u32::try_from(up).unwrap_or(u32::MAX),
            launches: sum(self.launches.clone(), &counted.launches),
            reflections: self.reflections.clone(),
            draw,
        }
    }
}

fn add(known: &mut Acts, new: &Acts) {
    for (word, n) in new {
        *known.entry(word.clone()).or_insert(0) += n;
    }
}

fn sum(mut one: Acts, other: &Acts) -> Acts {
    add(&mut one, other);
    one
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phases::Position;

    fn call(act: Act, id: &str) -> ToolCall {
        ToolCall { tool: "T".to_owned(), id: id.to_owned(), act, mentions: Vec::new() }
    }

    fn launch(id: &str) -> ToolCall {
        call(Act::Delegate { agent: "execute-a".to_owned(), prompt: String::new() }, id)
    }

    #[test]
    fn the_last_run_of_the_tests_decides_what_is_proved() {
        let proved = |command: &str, ok: bool, before: Option<bool>| {
            let act = Act::Shell { command: command.to_owned(), cwd: None, background: false };
            let mut counted = Activity { proved: before, ..Activity::default() };
            let outcome = Outcome { ok, ..Outcome::default() };
            let left = Left {
                outcome: &outcome,
                changed: false,
                late: false,
                places: &[],
                unstarted: false,
            };
            counted.prove(&act, &left, &|line: &str| !line.contains('|'));
            counted.proved
        };
        assert_eq!(proved("cargo test", true, None), Some(true));
        assert_eq!(proved("cargo test | tail", true, None), None);
        assert_eq!(proved("cargo test", false, Some(true)), Some(false));
        assert_eq!(proved("cargo test | tail", false, Some(true)), Some(false), "masked or not");
        assert_eq!(
            proved("python3 x.py", false, Some(true)),
            Some(true),
            "it may be meant to fail"
        );
        assert_eq!(proved("git log", false, None), None);
    }

    #[test]
    fn a_change_takes_back_what_was_proved() {
        let outcome = Outcome { ok: true, ..Outcome::default() };
        let project = [("src/a".to_owned(), Place::Project { dir: "src".to_owned() })];
        let page = [("CLAUDE.md".to_owned(), Place::Page { dir: String::new() })];
        let shell = Act::Shell { command: "cargo test".to_owned(), cwd: None, background: false };
        let read = Act::Read { path: "src/a".into() };
        for (act, changed, late, places, proved) in [
            (&shell, true, true, &project, Some(false)),
            (&shell, false, true, &project, Some(true)),
            (&Act::Edit(Vec::new()), false, false, &project, Some(false)),
            (&Act::Edit(Vec::new()), false, false, &page, None),
            (&Act::Unknown, false, true, &page, Some(false)),
            (&Act::Unknown, false, false, &page, None),
            (&read, false, false, &project, None),
        ] {
            let mut counted = Activity::default();
            counted.prove(
                act,
                &Left { outcome: &outcome, changed, late, places, unstarted: false },
                &|_| true,
            );
            assert_eq!(counted.proved, proved, "{act:?} {changed} {late}");
        }
    }

    #[test]
    fn a_page_update_begins_the_rhythm_anew() {
        let mut counted = Activity::default();
        let web = Act::Web { what: String::new() };
        counted.count(&web, &[Deed::Web, Deed::Web], &[], &[]);
        assert_eq!((counted.acts.get("web"), counted.since.get("web")), (Some(&2), Some(&2)));
        counted.count(&web, &[Deed::Page], &[], &[]);
        let now = (counted.acts.get("web"), counted.since.get("web"), counted.settled);
        assert_eq!(now, (Some(&2), None, true));
    }

    #[test]
    fn only_what_the_phase_spends_takes_from_the_balance() {
        let project = [("src/a".to_owned(), Place::Project { dir: "src".to_owned() })];
        let memory = [("CLAUDE.md".to_owned(), Place::Page { dir: String::new() })];
        let read = Act::Read { path: "src/a".into() };
        let edit = Act::Edit(Vec::new());
        for (act, deed, places, spends, direct) in [
            (&read, Deed::Read, &project, [Deed::Read], 1),
            (&read, Deed::Read, &project, [Deed::Edit], 0),
            (&edit, Deed::Edit, &project, [Deed::Edit], 1),
            (&edit, Deed::Edit, &project, [Deed::Read], 0),
            (&read, Deed::Recall, &memory, [Deed::Read], 0),
        ] {
            let mut counted = Activity::default();
            counted.count(act, &[deed], places, &spends);
            assert_eq!(counted.direct, direct, "{deed:?} where {spends:?} are spent");
        }
    }

    #[test]
    fn a_page_that_is_read_again_pays_nothing_more() {
        let page = |dir: &str| Place::Page { dir: dir.to_owned() };
        let one = [("CLAUDE.md".to_owned(), page(""))];
        let both = [one[0].clone(), ("a/CLAUDE.md".to_owned(), page("a"))];
        let knowledge = [("k.md".to_owned(), Place::Knowledge)];
        let read = Act::Read { path: "CLAUDE.md".into() };
        let mut counted = Activity::default();
        for (places, sum) in
            [(&one[..], 1), (&one, 1), (&both, 2), (&both, 2), (&knowledge, 3), (&knowledge, 4)]
        {
            counted.count(&read, &[Deed::Recall], places, &[]);
            assert_eq!(counted.acts.get("recall"), Some(&sum), "{places:?}");
        }
    }

    #[test]
    fn a_subagent_is_under_way_until_it_or_its_call_ends() {
        let mut counted = Activity::default();
        let done = Outcome { ok: true, ..Outcome::default() };
        let detached = Outcome { background: true, ..done.clone() };
        let none = || (String::new(), 0);
        counted.launched(&launch("a"), "execute-a", none(), 0);
        counted.launched(&launch("b"), "execute-a", none(), 0);
        counted.launched(&launch("b"), "execute-a", none(), 0);
        assert_eq!(counted.flights.len(), 2, "a call that is asked for twice flies once");
        counted.began("run-1", "execute-a");
        counted.returned(&launch("a"), &detached);
        assert_eq!(counted.flights.len(), 2, "it goes on in the background");
        assert!(counted.has_running());
        counted.ended("run-1");
        counted.returned(&launch("b"), &done);
        assert!(!counted.has_running());
        counted.launched(&launch("c"), "execute-a", none(), 0);
        counted.landed(0);
        assert!(counted.flights.is_empty(), "the turn is over");
    }

    #[test]
    fn only_a_run_with_a_note_is_kept() {
        let mut counted = Activity::default();
        counted.launched(&launch("a"), "execute-a", ("n".to_owned(), 1), 0);
        counted.launched(&launch("b"), "execute-a", (String::new(), 0), 0);
        counted.began("run-1", "execute-a");
        counted.began("run-2", "execute-a");
        counted.kept("run-1", "execute-a");
        counted.kept("run-2", "execute-a");
        assert_eq!(counted.flights.iter().map(|flight| flight.kept).collect::<Vec<_>>(), [1, 0]);
    }

    /// What a step takes in leaves the stay as it was: a boundary costs and gives nothing.
    #[test]
    fn a_step_takes_in_what_was_counted() {
        let entry = Position::new("opevc").entry;
        for settles in [false, true] {
            let mut counted = Activity { direct: 2, grants: 1, ..Activity::default() };
            counted.count(&Act::Search { path: None }, &[Deed::Search], &[], &[]);
            if settles {
                counted.count(&Act::Edit(Vec::new()), &[Deed::Page], &[], &[]);
            }
            let before = entry.stay(&counted, 0, 7);
            let mut after = entry.clone();
            after.take_in(&counted);
            let after = after.stay(&Activity::default(), 0, 7);
            assert_eq!((&before.acts, &before.since), (&after.acts, &after.since));
            assert_eq!(
                (before.direct, before.grants, before.draw),
                (after.direct, after.grants, 7)
            );
        }
    }
}
