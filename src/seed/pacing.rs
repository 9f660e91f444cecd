//! What a stay has come to: counts of acts, from the job and the journal together.
//!
//! Acts are counted after they happened, by kind, and only those of the main session; what
//! they are worth is for the row to say, and for nobody to hear.

use super::dispatch::Bound;
use super::fence::Aftermath;
use super::{Focused, Seed};
use crate::event::{Act, Outcome, ToolCall};
use crate::format::journal::{Counts, Flight};
use crate::format::short_hash;
use crate::jobs::UnixSeconds;
use crate::phases::pacing::{Acts, Deed, Stay};
use crate::phases::place::Place;
use crate::shell::{self, Effect, Tag};

/// The most subagents that are remembered as under way.
const FLIGHTS: usize = 8;
/// The most letters of a name that a host gives: the state that keeps them is small.
const NAME: usize = 64;

impl Seed {
    /// The stay of `focused`, as pacing sees it.
    pub fn stay(&self, focused: &Focused) -> Stay {
        let entry = &focused.state.stand.entry;
        let none = Counts::default();
        let counts = focused.since.as_ref().unwrap_or(&none);
        let before = if counts.settled { Acts::new() } else { entry.since.clone() };
        Stay {
            acts: sum(entry.acts.clone(), &counts.acts),
            since: sum(before, &counts.since),
            backwards: entry.backwards,
            multiplier: entry.multiplier,
            direct: entry.direct + counts.direct,
            grants: entry.grants + counts.grants,
            in_flight: u32::try_from(counts.flights.iter().filter(|one| self.is_up(one)).count())
                .unwrap_or(u32::MAX),
            launches: sum(entry.launches.clone(), &counts.launches),
            reflections: entry.reflections.clone(),
            draw: draw(focused),
        }
    }

    /// Under way: it began, or was launched not long ago. A launch that the host or its
    /// person turned down never begins, and nobody says so.
    pub(super) fn is_up(&self, flight: &Flight) -> bool {
        const MOMENT: i64 = 10 * 60;
        !flight.id.is_empty() || self.now - flight.at <= MOMENT
    }

    /// True when `agent` belongs to the roster of the phase where `focused` stands: by its
    /// name, or by any name where the repository defines no subagent for that phase.
    fn is_of_roster(&self, focused: &Focused, agent: &str) -> bool {
        let own = format!("{}-", focused.state.stand.phase);
        if agent.starts_with(&own) {
            return true;
        }
        let Ok(files) = std::fs::read_dir(self.store.work_tree().join(".claude/agents")) else { return true };
        !files.flatten().any(|file| file.file_name().to_string_lossy().starts_with(&own))
    }

    /// What a call of the main session counts as. `places` are those of its files.
    pub(super) fn deeds(&self, focused: &Focused, call: &ToolCall, places: &[(String, Place)]) -> Vec<Deed> {
        match &call.act {
            Act::Read { .. } => places.iter().filter_map(|(_, place)| read_deed(place)).collect(),
            Act::Edit(_) => places.iter().filter_map(|(_, place)| edit_deed(place)).collect(),
            Act::Search { .. } => vec![Deed::Search],
            Act::Web { .. } => vec![Deed::Web],
            Act::Shell { command, .. } => shell_deed(command).into_iter().collect(),
            Act::Delegate { agent, .. } if self.is_of_roster(focused, agent) => vec![Deed::Launch],
            Act::Delegate { .. } => vec![Deed::Delegate],
            Act::Ask(_) => vec![Deed::Ask],
            Act::Housekeeping | Act::Schedule { .. } | Act::Foreign { .. } | Act::Unknown => Vec::new(),
        }
    }
}

/// Adds what a call of the main session did to the running counts; `spends` are the kinds
/// that take from the balance where it stands.
pub(super) fn count(
    counts: &mut Counts,
    call: &ToolCall,
    deeds: &[Deed],
    places: &[(String, Place)],
    spends: &[Deed],
) {
    for deed in deeds {
        let word = deed.word().to_owned();
        *counts.acts.entry(word.clone()).or_insert(0) += 1;
        if *deed == Deed::Page {
            settle(counts);
        } else {
            *counts.since.entry(word).or_insert(0) += 1;
        }
    }
    let kind = if matches!(call.act, Act::Read { .. }) { Deed::Read } else { Deed::Edit };
    let takes = |(path, place): &&(String, Place)| spends.contains(&kind) && place.is_direct(path);
    let direct = places.iter().filter(takes).count();
    counts.direct += u32::try_from(direct).unwrap_or(u32::MAX);
    if let Act::Delegate { agent, .. } = &call.act {
        let name: String = agent.chars().take(NAME).collect();
        *counts.launches.entry(name).or_insert(0) += 1;
        counts.grants += u32::from(deeds.contains(&Deed::Launch));
    }
}

/// The rhythm of looking and writing begins anew.
pub(super) fn settle(counts: &mut Counts) {
    counts.since.clear();
    counts.settled = true;
}

/// Keeps whether code ran well after the last change.
pub(super) fn prove(
    counts: &mut Counts,
    call: &ToolCall,
    outcome: &Outcome,
    after: &Aftermath,
    places: &[(String, Place)],
) {
    match &call.act {
        Act::Shell { command, background, .. } => {
            if after.changed {
                counts.proved = Some(false);
            } else if outcome.ok && !background && !outcome.background && is_proof(command) {
                counts.proved = Some(true);
            } else if after.late || (!outcome.ok && shell_deed(command) == Some(Deed::Test)) {
                // What ran well before does not outweigh a change since, or tests that fail now.
                counts.proved = Some(false);
            }
        }
        // Words on a page prove nothing, and change nothing that was proved.
        Act::Edit(_) if places.iter().any(|(path, place)| place.is_direct(path)) => {
            counts.proved = Some(false);
        }
        Act::Foreign { .. } | Act::Unknown if after.changed || after.late => counts.proved = Some(false),
        _ => {}
    }
}

/// A subagent launch goes to the host.
pub(super) fn launched(
    counts: &mut Counts,
    call: &ToolCall,
    agent: &str,
    bound: Option<Bound>,
    at: UnixSeconds,
) {
    counts.flights.retain(|flight| !is_of(flight, call) || call.id.is_empty());
    let short = |text: &str| text.chars().take(NAME).collect::<String>();
    let (call, agent) = (short(&call.id), short(agent));
    let Bound { note, times } = bound.unwrap_or(Bound { note: String::new(), times: 0 });
    counts.flights.push(Flight { call, agent, at, note, times, ..Flight::default() });
    let old = counts.flights.len().saturating_sub(FLIGHTS);
    counts.flights.drain(..old);
}

/// A subagent begins: it is the oldest launch of its type that nobody claimed.
pub(super) fn began(counts: &mut Counts, id: &str, agent: &str) {
    let unclaimed = |flight: &&mut Flight| {
        flight.id.is_empty() && flight.agent == agent.chars().take(NAME).collect::<String>()
    };
    if let Some(flight) = counts.flights.iter_mut().find(unclaimed) {
        flight.id = id.chars().take(NAME).collect();
    }
}

/// Whether `flight` is the run `id`; where a host gives none, the oldest of its type.
pub(super) fn is_run(flight: &Flight, id: &str, agent: &str) -> bool {
    let short = |text: &str| text.chars().take(NAME).collect::<String>();
    if id.is_empty() { flight.agent == short(agent) } else { flight.id == short(id) }
}

/// A subagent has ended.
pub(super) fn ended(counts: &mut Counts, id: &str) {
    let id: String = id.chars().take(NAME).collect();
    counts.flights.retain(|flight| id.is_empty() || flight.id != id);
}

/// The call that launched a subagent is over; in the background the subagent goes on.
pub(super) fn returned(counts: &mut Counts, call: &ToolCall, outcome: &Outcome) {
    if !outcome.background || !outcome.ok {
        counts.flights.retain(|flight| !is_of(flight, call));
    }
}

/// A shell call that goes on in the background.
pub(super) fn detached(counts: &mut Counts, call: &ToolCall) {
    counts.running.push(call.id.chars().take(NAME).collect());
    let old = counts.running.len().saturating_sub(FLIGHTS);
    counts.running.drain(..old);
}

fn is_of(flight: &Flight, call: &ToolCall) -> bool {
    flight.call == call.id.chars().take(NAME).collect::<String>()
}

/// No more than `running` are under way: the host says so, or the turn is over.
pub(super) fn landed(counts: &mut Counts, running: u32) {
    let over = counts.flights.len().saturating_sub(running as usize);
    counts.flights.drain(..over);
}

fn sum(mut one: Acts, other: &Acts) -> Acts {
    for (word, n) in other {
        *one.entry(word.clone()).or_insert(0) += n;
    }
    one
}

/// The same for a stay whenever one asks, and different from stay to stay.
fn draw(focused: &Focused) -> u32 {
    let stand = &focused.state.stand;
    let text =
        format!("{}\n{}\n{}\n{}", focused.state.job.id, focused.state.job.run, stand.cycle, stand.phase);
    u32::from_str_radix(&short_hash(text.as_bytes(), 6), 16).unwrap_or(0)
}

fn read_deed(place: &Place) -> Option<Deed> {
    match place {
        Place::Scratch | Place::OwnState => None,
        Place::HostMemory => Some(Deed::Recall),
        place if place.is_memory() => Some(Deed::Recall),
        _ => Some(Deed::Read),
    }
}

fn edit_deed(place: &Place) -> Option<Deed> {
    match place {
        Place::Page { .. } => Some(Deed::Page),
        Place::Plan { .. } => Some(Deed::Plan),
        Place::Knowledge | Place::AgentDefinition => Some(Deed::Knowledge),
        Place::HostMemory => Some(Deed::Memory),
        Place::Scratch => None,
        _ => Some(Deed::Edit),
    }
}

/// A line that only gives git seed's own commands is no act of the phase.
fn shell_deed(command: &str) -> Option<Deed> {
    let reading = shell::read(command);
    if !reading.found.is_empty() && reading.found.iter().all(|found| found.seed) {
        return None;
    }
    Some(match reading.worst() {
        _ if reading.is(Tag::Test) => Deed::Test,
        Effect::Read => Deed::Shell,
        _ => Deed::Run,
    })
}

/// A line that runs code, and whose end says how that code ended: nothing masks its exit
/// status, turns it round, or runs it where its end is not heard.
pub(super) fn is_proof(command: &str) -> bool {
    runs_code(command) && crate::claims::runs::recognise(command).tells()
}

/// A line that runs code which it does not show.
pub(super) fn runs_code(command: &str) -> bool {
    matches!(shell_deed(command), Some(Deed::Test | Deed::Run))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(act: Act, id: &str) -> ToolCall {
        ToolCall { tool: "T".to_owned(), id: id.to_owned(), act }
    }

    fn launch(id: &str) -> ToolCall {
        call(Act::Delegate { agent: "execute-a".to_owned(), prompt: String::new() }, id)
    }

    #[test]
    fn commands_count_by_what_they_do() {
        for (command, deed) in [
            ("cargo test", Some(Deed::Test)),
            ("git log -1", Some(Deed::Shell)),
            ("python3 x.py", Some(Deed::Run)),
            ("git seed status", None),
            ("git seed status && git seed phase current", None),
        ] {
            assert_eq!(shell_deed(command), deed, "{command}");
        }
    }

    #[test]
    fn only_an_unmasked_run_proves() {
        for (command, proves) in [
            ("cargo test", true),
            ("cd a && cargo test 2>&1", true),
            ("cargo test || true", false),
            ("cargo test | tail -5", false),
            ("cargo test; true", false),
            ("cargo test &", false),
            ("git log", false),
            ("! cargo test", false),
            ("(! cargo test)", false),
            ("echo $(cargo test)", false),
            ("x=`cargo test` true", false),
            ("cat <(cargo test)", false),
            ("cargo test --no-run", false),
            ("pytest --collect-only", false),
            ("make -n test", false),
            ("make test", true),
            ("(cd a && cargo test -- --nocapture)", true),
        ] {
            assert_eq!(is_proof(command), proves, "{command}");
        }
    }

    #[test]
    fn the_last_run_of_the_tests_decides_what_is_proved() {
        let proved = |command: &str, ok: bool, before: Option<bool>| {
            let act = Act::Shell { command: command.to_owned(), cwd: None, background: false };
            let mut counts = Counts { proved: before, ..Counts::default() };
            let outcome = Outcome { ok, ..Outcome::default() };
            prove(&mut counts, &call(act, "1"), &outcome, &Aftermath::default(), &[]);
            counts.proved
        };
        assert_eq!(proved("cargo test", true, None), Some(true));
        assert_eq!(proved("cargo test", false, Some(true)), Some(false));
        assert_eq!(proved("cargo test | tail", false, Some(true)), Some(false), "masked or not");
        assert_eq!(proved("python3 x.py", false, Some(true)), Some(true), "it may be meant to fail");
        assert_eq!(proved("git log", false, None), None);
    }

    #[test]
    fn a_page_update_begins_the_rhythm_anew() {
        let mut counts = Counts::default();
        let read = call(Act::Web { what: String::new() }, "1");
        count(&mut counts, &read, &[Deed::Web, Deed::Web], &[], &[]);
        assert_eq!((counts.acts.get("web"), counts.since.get("web")), (Some(&2), Some(&2)));
        count(&mut counts, &read, &[Deed::Page], &[], &[]);
        assert_eq!((counts.acts.get("web"), counts.since.get("web"), counts.settled), (Some(&2), None, true));
    }

    #[test]
    fn only_what_the_phase_spends_takes_from_the_balance() {
        let project = [("src/a".to_owned(), Place::Project { dir: "src".to_owned() })];
        let memory = [("CLAUDE.md".to_owned(), Place::Page { dir: String::new() })];
        let read = call(Act::Read { path: "src/a".into() }, "1");
        let edit = call(Act::Edit(Vec::new()), "2");
        for (call, deed, places, spends, direct) in [
            (&read, Deed::Read, &project, [Deed::Read], 1),
            (&read, Deed::Read, &project, [Deed::Edit], 0),
            (&edit, Deed::Edit, &project, [Deed::Edit], 1),
            (&edit, Deed::Edit, &project, [Deed::Read], 0),
            (&read, Deed::Recall, &memory, [Deed::Read], 0),
        ] {
            let mut counts = Counts::default();
            count(&mut counts, call, &[deed], places, &spends);
            assert_eq!(counts.direct, direct, "{deed:?} where {spends:?} are spent");
        }
    }

    #[test]
    fn a_subagent_is_under_way_until_it_or_its_call_ends() {
        let mut counts = Counts::default();
        let done = Outcome { ok: true, ..Outcome::default() };
        let detached = Outcome { background: true, ..done.clone() };
        launched(&mut counts, &launch("a"), "execute-a", None, 0);
        launched(&mut counts, &launch("b"), "execute-a", None, 0);
        launched(&mut counts, &launch("b"), "execute-a", None, 0);
        assert_eq!(counts.flights.len(), 2, "a call that is asked for twice flies once");
        began(&mut counts, "run-1", "execute-a");
        returned(&mut counts, &launch("a"), &detached);
        assert_eq!(counts.flights.len(), 2, "it goes on in the background");
        ended(&mut counts, "run-1");
        returned(&mut counts, &launch("b"), &done);
        assert!(counts.flights.is_empty());
        launched(&mut counts, &launch("c"), "execute-a", None, 0);
        landed(&mut counts, 0);
        assert!(counts.flights.is_empty(), "the turn is over");
    }
}
