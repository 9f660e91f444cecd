//! Walks the map: where a job stands, which step it may take, where that leads.
//!
//! The next legal step is a function of where the job stands, and of nothing else.
//! Whether the step may be taken *now* is for the gates; here it is only whether the
//! map has it. The cycle counter rises on idle → start alone.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::pacing::{Acts, Deed};
use super::{Map, Multiplier, Phase, PhaseKind, PhaseName, Write};
use crate::verdict::{Case, Refusal, Wants};

/// Where a job stands on its map.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// Name of the map.
    pub track: String,
    /// The track whose paths bind the job: it went on from there, and no person said otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<String>,
    pub phase: PhaseName,
    /// 0 until the first step; rises when a cycle begins.
    pub cycle: u32,
    /// The phase that the side lane returns to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side_from: Option<PhaseName>,
    /// The next idle → start continues the cycle that was left instead of a new one.
    #[serde(default)]
    pub same_cycle: bool,
    pub entry: Entry,
    /// Entries of this cycle that were left backwards: they go on where they were.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shelved: Vec<Entry>,
}

/// One stay in a phase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    pub phase: PhaseName,
    pub cycle: u32,
    /// The phase that it was entered from, the last time.
    pub from: PhaseName,
    /// The last way in was a step back.
    #[serde(default)]
    pub backwards: bool,
    /// Said once, as the first act of the stay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub multiplier: Option<Multiplier>,
    /// Page edits since the last way in.
    #[serde(default)]
    pub page_edits: u32,
    /// Edits of the plan document since the last way in.
    #[serde(default)]
    pub plan_edits: u32,
    /// Times that the plan document was read since the last way in.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub plan_reads: u32,
    /// Commits in between since the last way in.
    #[serde(default)]
    pub checkpoints: u32,
    /// Files that those commits hold, one by one.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub changed: u32,
    /// Acts of the main session so far, by kind; kept across steps back.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub acts: Acts,
    /// Acts since a page was updated last.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub since: Acts,
    /// Acts that are better delegated, and launches that make up for them, since the last way in.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub direct: u32,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub grants: u32,
    /// Launches by type of subagent.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub launches: Acts,
    /// Reflections by lens.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub reflections: Acts,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(value: &u32) -> bool {
    *value == 0
}

impl Entry {
    fn fresh(phase: &PhaseName, cycle: u32, from: &PhaseName, backwards: bool) -> Self {
        Self {
            phase: phase.clone(),
            cycle,
            from: from.clone(),
            backwards,
            multiplier: None,
            page_edits: 0,
            plan_edits: 0,
            plan_reads: 0,
            checkpoints: 0,
            changed: 0,
            acts: Acts::new(),
            since: Acts::new(),
            direct: 0,
            grants: 0,
            launches: Acts::new(),
            reflections: Acts::new(),
        }
    }

    /// What was looked at in talk counts: half of it, rounded up, for the stay that begins the
    /// work, and all of it before the first page is written.
    fn after(self, before: &Self) -> Self {
        if before.cycle != 0 || self.cycle != 1 {
            return self;
        }
        let looks = [Deed::Read, Deed::Recall, Deed::Search, Deed::Web, Deed::Shell, Deed::Test];
        let seen = |deed: &Deed| Some((deed.word().to_owned(), *before.acts.get(deed.word())?));
        let since: Acts = looks.iter().filter_map(seen).collect();
        let half = since.iter().map(|(word, n)| (word.clone(), n.div_ceil(2)));
        Self { acts: half.collect(), since, ..self }
    }

    /// The same stay, entered once more: what was done counts on, rhythm and balance begin anew.
    fn again(self, from: &PhaseName, backwards: bool) -> Self {
        Self {
            from: from.clone(),
            backwards,
            page_edits: 0,
            plan_edits: 0,
            plan_reads: 0,
            checkpoints: 0,
            changed: 0,
            since: Acts::new(),
            direct: 0,
            grants: 0,
            ..self
        }
    }
}

/// A step on the map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Move {
    Forward(PhaseName),
    Back(PhaseName),
    /// Onto another track, where its cycles begin; the cycle stays the same.
    Onto {
        track: String,
        to: PhaseName,
    },
    /// Into the side lane.
    Aside,
    /// Out of it, to where it was entered.
    Return,
}

impl Position {
    /// A job that has not taken a step.
    pub fn new(track: &str) -> Self {
        let idle = PhaseName::idle();
        let entry = Entry::fresh(&idle, 0, &idle, false);
        Self {
            track: track.to_owned(),
            bound: None,
            phase: idle,
            cycle: 0,
            side_from: None,
            same_cycle: false,
            entry,
            shelved: Vec::new(),
        }
    }

    /// The track whose paths bind the job.
    pub(crate) fn bounds(&self) -> &str {
        self.bound.as_deref().unwrap_or(&self.track)
    }

    /// A person puts the job on `track`: it is bound by that one alone.
    pub(crate) fn put_on(&mut self, track: &str) {
        track.clone_into(&mut self.track);
        self.bound = None;
    }

    /// True before the first step, and not in a side lane entered from there.
    pub(crate) fn is_talk(&self) -> bool {
        self.cycle == 0 && self.side_from.is_none()
    }

    /// The row that judges this stand.
    pub fn row<'a>(&self, map: &'a Map, idle_closed: bool) -> &'a Phase {
        if self.is_talk() && !idle_closed {
            return map.talk();
        }
        map.phase(&self.phase).unwrap_or_else(|| map.none())
    }

    /// The step that `advance` means, if the map has it.
    ///
    /// # Errors
    ///
    /// Refuses where the map has no such edge, and names those that it has.
    pub fn forward(&self, map: &Map, to: Option<&PhaseName>) -> Result<Move, Refusal> {
        // Rules may have dropped the phase where the job stands: the way on is where cycles begin.
        let start = std::slice::from_ref(&map.start);
        let ahead = map.phase(&self.phase).map_or(start, |phase| &phase.next);
        let to = to.or(ahead.first());
        match to {
            Some(to) if ahead.contains(to) => Ok(Move::Forward(to.clone())),
            to => Err(self.no_edge(
                to,
                ahead,
                if ahead.is_empty() { Case::AdvanceNowhere } else { Case::Advance },
            )),
        }
    }

    /// The step that `back` means, if the map has it.
    ///
    /// # Errors
    ///
    /// Refuses where the map has no such edge, and names those that it has.
    pub fn backward(&self, map: &Map, to: Option<&PhaseName>) -> Result<Move, Refusal> {
        let behind = map.phase(&self.phase).map_or(&[][..], |phase| &phase.back);
        let to = to.or(behind.first());
        match to {
            Some(to) if behind.contains(to) => Ok(Move::Back(to.clone())),
            to => Err(self.no_edge(
                to,
                behind,
                if behind.is_empty() { Case::BackNowhere } else { Case::Back },
            )),
        }
    }

    /// The step back to where the work is written, which a small lane has once a person looked at
    /// the work; elsewhere what [`Position::backward`] says.
    ///
    /// # Errors
    ///
    /// Refuses where the map has no such edge, and names those that it has.
    pub fn back_to_work(&self, map: &Map, to: Option<&PhaseName>) -> Result<Move, Refusal> {
        let works = |phase: &&Phase| phase.is_in_cycle() && phase.write.contains(&Write::Scope);
        let writes = map.phases().filter(works).last().filter(|_| map.lane.is_some());
        match writes {
            Some(row) if to.is_none_or(|to| *to == row.name) => Ok(Move::Back(row.name.clone())),
            _ => self.backward(map, to),
        }
    }

    /// The step into the side lane, if it opens from here.
    ///
    /// # Errors
    ///
    /// Refuses where the phase opens no side lane.
    pub fn aside(&self, map: &Map) -> Result<Move, Refusal> {
        match map.phase(&self.phase).and_then(|phase| phase.side.as_ref()) {
            Some(_) => Ok(Move::Aside),
            None => Err(self.no_edge(Some(&PhaseName::gmode()), &[], Case::AsideNowhere)),
        }
    }

    /// The step out of the side lane.
    ///
    /// # Errors
    ///
    /// Refuses outside the side lane.
    pub fn home(&self) -> Result<Move, Refusal> {
        match &self.side_from {
            Some(_) => Ok(Move::Return),
            None => Err(self.no_edge(None, &[], Case::ReturnNowhere)),
        }
    }

    /// The step off a lane and onto the larger track `beyond`, whose cycles begin at `start`.
    ///
    /// # Errors
    ///
    /// Refuses outside a lane, and where the job is not at work.
    pub(crate) fn upward(&self, map: &Map, beyond: &Map) -> Result<Move, Refusal> {
        let works = map.phase(&self.phase).is_some_and(Phase::is_in_cycle);
        if map.lane.is_none() || !works {
            return Err(self.no_edge(None, &[], Case::UpNowhere));
        }
        Ok(Move::Onto { track: beyond.name.clone(), to: beyond.start.clone() })
    }

    /// The step off a track with all phases and onto the small lane `lane`, where its cycles begin.
    ///
    /// # Errors
    ///
    /// Refuses on a lane, where the job is not at work, and where only memory is left to settle.
    pub(crate) fn downward(&self, map: &Map, lane: &Map) -> Result<Move, Refusal> {
        let works = map.phase(&self.phase).is_some_and(|phase| phase.kind == PhaseKind::Work);
        if map.lane.is_some() || lane.lane.is_none() || !works {
            return Err(self.no_edge(None, &[], Case::DownNowhere));
        }
        Ok(Move::Onto { track: lane.name.clone(), to: lane.start.clone() })
    }

    fn no_edge(&self, to: Option<&PhaseName>, known: &[PhaseName], case: Case) -> Refusal {
        let names: Vec<&str> = known.iter().map(PhaseName::as_str).collect();
        Refusal::new("edge", Wants::Edge)
            .case(case)
            .with("phase", self.phase.as_str())
            .with("to", to.map_or("", PhaseName::as_str))
            .with("known", names.join(", "))
    }

    /// Where `step` leads. Only steps that [`Position::forward`] and its friends gave make sense
    /// here.
    #[must_use]
    pub fn take(&self, map: &Map, step: &Move) -> Self {
        match step {
            Move::Forward(to) if map.rests(&self.phase) => self.begin(to),
            Move::Forward(to) => self.enter(to, false),
            Move::Back(to) if map.rests(to) => self.bail(to),
            Move::Back(to) => self.enter(to, true),
            Move::Onto { track, to } => self.change_tracks(map, track, to),
            Move::Aside => self.step_aside(map),
            Move::Return => self.step_home(),
        }
    }

    fn begin(&self, to: &PhaseName) -> Self {
        let mut next = self.clone();
        if !self.same_cycle {
            next.cycle += 1;
            next.shelved.clear();
        }
        next.same_cycle = false;
        next.open(to, &self.phase, false);
        next
    }

    fn enter(&self, to: &PhaseName, backwards: bool) -> Self {
        let mut next = self.clone();
        if backwards {
            next.shelve();
        }
        next.open(to, &self.phase, backwards);
        next
    }

    /// The paths that bind a job go along: how large its work is says nothing about where it lies.
    fn change_tracks(&self, map: &Map, track: &str, to: &PhaseName) -> Self {
        let mut next = self.clone();
        if map.bound && next.bound.is_none() {
            next.bound = Some(self.track.clone());
        }
        track.clone_into(&mut next.track);
        next.shelved.clear();
        next.open(to, &self.phase, false);
        next
    }

    fn bail(&self, to: &PhaseName) -> Self {
        let mut next = self.enter(to, true);
        next.same_cycle = true;
        next
    }

    fn step_aside(&self, map: &Map) -> Self {
        let lane = map.phase(&self.phase).and_then(|phase| phase.side.clone());
        let mut next = self.clone();
        next.side_from = Some(self.phase.clone());
        next.phase = lane.unwrap_or_else(PhaseName::gmode);
        next
    }

    /// The stay that was left aside goes on: its entry was never touched.
    fn step_home(&self) -> Self {
        let mut next = self.clone();
        if let Some(from) = next.side_from.take() {
            next.phase = from;
        }
        next
    }

    fn shelve(&mut self) {
        self.shelved.retain(|entry| entry.phase != self.entry.phase);
        self.shelved.push(self.entry.clone());
    }

    /// Opens a stay: the shelved one of this cycle, or a fresh one.
    fn open(&mut self, to: &PhaseName, from: &PhaseName, backwards: bool) {
        let shelved = self.shelved.iter().position(|entry| &entry.phase == to);
        self.entry = match shelved {
            Some(n) => self.shelved.remove(n).again(from, backwards),
            None => Entry::fresh(to, self.cycle, from, backwards).after(&self.entry),
        };
        self.phase = to.clone();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::phases::OPEVC;

    fn map() -> Map {
        Map::read(OPEVC).expect("the shipped map is sound")
    }

    /// A plain model of the seven states, written without the table.
    #[derive(Clone, Debug, PartialEq)]
    struct Model {
        phase: &'static str,
        cycle: u32,
        aside: Option<&'static str>,
        bailed: bool,
    }

    impl Model {
        fn forward(&mut self, to: Option<&str>) -> bool {
            let next = match (self.phase, to) {
                ("idle", None | Some("observe")) => "observe",
                ("observe", None | Some("plan")) => "plan",
                ("plan", None | Some("execute")) => "execute",
                ("plan" | "execute", Some("verify")) | ("execute", None) => "verify",
                ("verify", None | Some("condense")) => "condense",
                ("condense", None | Some("idle")) => "idle",
                _ => return false,
            };
            if self.phase == "idle" {
                self.cycle += u32::from(!self.bailed);
                self.bailed = false;
            }
            self.phase = next;
            true
        }

        fn back(&mut self, to: Option<&str>) -> bool {
            let next = match (self.phase, to) {
                ("observe", None | Some("idle")) => "idle",
                ("plan", None) | ("plan" | "execute" | "verify", Some("observe")) => "observe",
                ("execute", None) | ("execute" | "verify", Some("plan")) => "plan",
                ("verify", None | Some("execute")) => "execute",
                _ => return false,
            };
            self.bailed |= self.phase == "observe";
            self.phase = next;
            true
        }

        fn aside(&mut self) -> bool {
            if self.phase == "gmode" {
                return false;
            }
            self.aside = Some(self.phase);
            self.phase = "gmode";
            true
        }

        fn home(&mut self) -> bool {
            match self.aside.take() {
                Some(phase) => {
                    self.phase = phase;
                    true
                }
                None => false,
            }
        }
    }

    const NAMES: [&str; 8] =
        ["idle", "observe", "plan", "execute", "verify", "condense", "gmode", "nowhere"];

    /// 0–8 forward (8 = default), 9–17 back, 18 aside, 19 home.
    fn drive(stand: &mut Position, model: &mut Model, map: &Map, choice: usize) {
        let to = NAMES.get(choice % 9).copied();
        let name = to.map(PhaseName::from);
        let (step, legal) = match choice {
            0..=8 => (stand.forward(map, name.as_ref()), model.forward(to)),
            9..=17 => (stand.backward(map, name.as_ref()), model.back(to)),
            18 => (stand.aside(map), model.aside()),
            _ => (stand.home(), model.home()),
        };
        assert_eq!(step.is_ok(), legal, "{choice} from {}", stand.phase);
        if let Ok(step) = step {
            *stand = stand.take(map, &step);
        }
        assert_eq!((stand.phase.as_str(), stand.cycle), (model.phase, model.cycle), "{choice}");
    }

    proptest! {
        #[test]
        fn random_walks_never_disagree_with_a_plain_model(
            choices in prop::collection::vec(0usize..20, 0..200)) {
            let map = map();
            let mut stand = Position::new("opevc");
            let mut model = Model { phase: "idle", cycle: 0, aside: None, bailed: false };
            for choice in choices {
                drive(&mut stand, &mut model, &map, choice);
            }
        }
    }

    /// Every state that a walk can reach, and every step from it: searched, not sampled.
    #[test]
    fn every_step_from_every_reachable_stand_agrees_with_the_model() {
        let map = map();
        let mut seen: Vec<(Position, Model)> = Vec::new();
        let mut ahead = vec![(
            Position::new("opevc"),
            Model { phase: "idle", cycle: 0, aside: None, bailed: false },
        )];
        while let Some((stand, model)) = ahead.pop() {
            for choice in 0..20 {
                let (mut stand, mut model) = (stand.clone(), model.clone());
                drive(&mut stand, &mut model, &map, choice);
                if stand.cycle <= 2 && !seen.contains(&(stand.clone(), model.clone())) {
                    seen.push((stand.clone(), model.clone()));
                    ahead.push((stand, model));
                }
            }
        }
        assert!(seen.len() > 50, "{} stands", seen.len());
    }

    fn walk(steps: &[&str]) -> Position {
        let map = map();
        steps.iter().fold(Position::new("opevc"), |stand, step| {
            let step = match *step {
                "aside" => stand.aside(&map),
                "home" => stand.home(),
                back if back.starts_with('<') => stand.backward(&map, Some(&back[1..].into())),
                to => stand.forward(&map, Some(&to.into())),
            };
            stand.take(&map, &step.expect("a legal step"))
        })
    }

    #[test]
    fn a_stay_left_backwards_keeps_its_multiplier_and_one_left_forwards_does_not() {
        let map = map();
        let mut stand = walk(&["observe", "plan", "execute", "verify"]);
        stand.entry.multiplier = Some("3".parse().expect("a value"));
        stand.entry.page_edits = 2;
        let stand = stand.take(&map, &Move::Back("execute".into()));
        assert_eq!(
            (stand.entry.multiplier, stand.entry.backwards),
            (None, true),
            "execute is fresh"
        );
        let stand = stand.take(&map, &Move::Forward("verify".into()));
        assert_eq!(stand.entry.multiplier.map(Multiplier::tenths), Some(30), "verify goes on");
        assert_eq!(stand.entry.page_edits, 0, "and owes a new page edit");
    }

    #[test]
    fn a_bail_does_not_use_up_the_cycle() {
        assert_eq!(walk(&["observe", "<idle", "observe"]).cycle, 1);
        assert_eq!(walk(&["observe", "plan", "execute", "verify", "condense", "idle"]).cycle, 1);
        assert_eq!(
            walk(&["observe", "plan", "execute", "verify", "condense", "idle", "observe"]).cycle,
            2
        );
    }

    #[test]
    fn the_side_lane_returns_to_where_it_was_entered() {
        let stand = walk(&["observe", "plan", "aside", "home"]);
        assert_eq!((stand.phase.as_str(), stand.cycle), ("plan", 1));
        assert_eq!(stand.side_from, None);
    }
}
