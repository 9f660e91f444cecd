//! Phases are rows: [`Phase`], and the [`Map`] that they make together.
//!
//! A map is read from a table such as `opevc.toml` and checked as a whole before
//! anyone acts on it; what is wrong is said with the row and the known names. The
//! [`orchestrator`] walks the map, [`guard`] judges tool calls, [`gates`] judges
//! boundaries. Everything here is pure: no clock, no files, no git.

pub mod activity;
mod check;
pub mod commands;
pub(crate) mod commit_text;
pub(crate) mod companions;
pub mod criteria;
pub mod deeds;
pub(crate) mod edges;
pub mod gates;
pub mod git_acts;
pub(crate) mod git_reach;
pub mod guard;
pub mod home;
pub mod lane;
pub(crate) mod maps;
pub(crate) mod mcp;
pub(crate) mod meant;
pub mod message;
mod names;
pub mod next;
pub mod orchestrator;
pub(crate) mod overlay;
pub(crate) mod own;
pub(crate) mod own_refs;
pub mod pacing;
pub mod place;
pub mod review;
pub mod room;
pub(crate) mod said_scope;
pub mod search;
pub(crate) mod secrets;
mod shelf;
pub mod stop;
pub(crate) mod tighten;

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::shipped::{self, Rows, Table};

pub use lane::{FirstStep, Lane};
pub(crate) use lane::{LaneRows, Size};
pub(crate) use maps::Maps;
pub use names::Names;
pub(crate) use orchestrator::Entry;
pub use orchestrator::{Move, Position};
pub(crate) use overlay::PhaseRow;
pub(crate) use own::{TrackRow, Within};
pub(crate) use pacing::{Pace, Pacing, Profile};
use shelf::Shelf;

/// The map that is in force unless the rules say otherwise.
pub const OPEVC: &str = include_str!("opevc.toml");

/// The multiplier: how small the agent says that this phase is. Counted in tenths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub struct Multiplier(u32);

impl Multiplier {
    /// The values there are, in tenths.
    pub(crate) const TENTHS: [u32; 6] = [5, 10, 15, 20, 25, 30];

    /// The value in tenths: 5 to 30.
    pub(crate) fn tenths(self) -> u32 {
        self.0
    }
}

/// A multiplier that is none of the six.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not a multiplier; choose one of 0.5, 1, 1.5, 2, 2.5, 3")]
pub struct BadMultiplier(String);

impl TryFrom<u32> for Multiplier {
    type Error = BadMultiplier;

    fn try_from(tenths: u32) -> Result<Self, BadMultiplier> {
        if Self::TENTHS.contains(&tenths) {
            Ok(Self(tenths))
        } else {
            Err(BadMultiplier(tenths.to_string()))
        }
    }
}

impl From<Multiplier> for u32 {
    fn from(multiplier: Multiplier) -> Self {
        multiplier.0
    }
}

impl std::str::FromStr for Multiplier {
    type Err = BadMultiplier;

    fn from_str(text: &str) -> Result<Self, BadMultiplier> {
        let tenths = match text {
            "0.5" | ".5" => 5,
            "1" | "1.0" => 10,
            "1.5" => 15,
            "2" | "2.0" => 20,
            "2.5" => 25,
            "3" | "3.0" => 30,
            _ => return Err(BadMultiplier(text.to_owned())),
        };
        Ok(Self(tenths))
    }
}

impl fmt::Display for Multiplier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0 / 10, self.0 % 10) {
            (whole, 0) => write!(f, "{whole}"),
            (whole, tenth) => write!(f, "{whole}.{tenth}"),
        }
    }
}

/// Name of a phase, as its row spells it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PhaseName(String);

impl PhaseName {
    /// The room between cycles. The name is reserved: `phases/check.rs` refuses a map without this
    /// row, with another kind for it, or with another row that rests.
    pub fn idle() -> Self {
        Self("idle".to_owned())
    }

    /// The side lane. The name is reserved: every map has this row, and it is a side lane.
    pub(crate) fn gmode() -> Self {
        Self("gmode".to_owned())
    }

    /// The name as tables and state spell it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// True between cycles. For code without a map at hand: a closed job's line in the index, a
    /// state that was just read. Where a map is loaded, [`Map::rests`] asks for the row's kind.
    pub fn is_idle(&self) -> bool {
        self.0 == "idle"
    }

    /// True in a job before its first step.
    pub(crate) fn is_talk(&self) -> bool {
        self.0 == "talk"
    }
}

impl From<&str> for PhaseName {
    fn from(name: &str) -> Self {
        Self(name.to_owned())
    }
}

impl fmt::Display for PhaseName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a phase is in the life of a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PhaseKind {
    /// A row that judges when no phase is on: no job, or only talk.
    #[default]
    Outside,
    /// Between cycles.
    Rest,
    /// Work on the project.
    Work,
    /// Work on memory; there is no way back from it.
    Consolidation,
    /// A lane beside the map, entered from anywhere and left to where it was entered.
    Side,
}

/// A class of act that a row opens or leaves closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    Read,
    Search,
    Web,
    Edit,
    ShellRead,
    ShellCode,
    ShellWrite,
    ShellGit,
    ShellNetwork,
    ShellOutward,
    ShellUnknown,
    Delegate,
    Ask,
    Housekeeping,
    Schedule,
    Foreign,
    Unknown,
    Seed,
}

/// What the read tool may open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reads {
    #[default]
    None,
    /// Pages, knowledge, the plan document and the host's own memory.
    Memory,
    All,
}

/// What a phase may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Write {
    /// Any page, below the phase's own anchor.
    Page,
    /// A page of a declared directory, below the phase's own anchor.
    ScopedPage,
    /// Files of declared directories.
    Scope,
    /// The plan document's birth, in cycle 1.
    PlanNew,
    /// The plan document, in cycle 1.
    PlanEdit,
    /// Pages whole, knowledge, agent definitions.
    Memory,
    /// The protected surface that a person has unlocked.
    Surface,
    /// Everything but git seed's own state, and tests of protected surfaces that are locked.
    All,
    /// Files of the work tree in the scope that rules and prompts leave open, where no job is kept.
    Tree,
}

/// The row that judges where no job is kept.
pub(crate) fn fence_row() -> &'static Phase {
    static ROW: std::sync::OnceLock<Phase> = std::sync::OnceLock::new();
    ROW.get_or_init(|| {
        // A test reads it; a binary in which it does not read was never tested.
        crate::shipped::read(crate::shipped::shipped!("fence"))
            .unwrap_or_else(|bad| unreachable!("fence.toml: {bad}"))
    })
}

/// One phase: a row of a map.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Phase {
    pub name: PhaseName,
    pub kind: PhaseKind,
    /// Phases that `advance` may lead to; the first is the default.
    #[serde(default)]
    pub next: Vec<PhaseName>,
    /// Phases that `back` may lead to; the first is the default.
    #[serde(default)]
    pub back: Vec<PhaseName>,
    /// The side lane that opens from here.
    pub side: Option<PhaseName>,
    /// The anchor line that its notes stand below.
    pub anchor: Option<String>,
    pub acts: Vec<Class>,
    /// Shell acts that are open too where the kernel confines them.
    #[serde(default)]
    pub confined: Vec<Class>,
    /// Runs of the project's tests are open too where the kernel confines them: they show what
    /// happens, and prove nothing.
    #[serde(default)]
    pub reproduces: bool,
    #[serde(default)]
    pub reads: Reads,
    /// Tag words of the questions that may be asked; `*` for any words at all.
    #[serde(default)]
    pub questions: Vec<String>,
    #[serde(default)]
    pub write: Vec<Write>,
    /// Each entry begins with the multiplier.
    #[serde(default)]
    pub dial: bool,
    /// Editing a page opens its directory for the phase that freezes.
    #[serde(default)]
    pub declares: bool,
    /// Entering it freezes what was declared.
    #[serde(default)]
    pub freezes: bool,
    /// Commits in between are its own way of working.
    #[serde(default)]
    pub checkpoints: bool,
    /// Entering it takes the word count of the footers.
    #[serde(default)]
    pub measures: bool,
    /// Jobs and dependencies are made here.
    #[serde(default)]
    pub births: bool,
    /// Dependencies are given up here.
    #[serde(default)]
    pub unlinks: bool,
    /// The plan document is decided here, in the first cycle.
    #[serde(default)]
    pub decides: bool,
    /// Gates of the steps forward, in order.
    #[serde(default)]
    pub exit: Vec<String>,
    /// Gates of the steps back, in order.
    #[serde(default, rename = "return")]
    pub back_gates: Vec<String>,
    /// Titles that its boundary message must have.
    #[serde(default)]
    pub sections: Vec<String>,
    /// The section whose items, where they are said to be met, need a run behind them.
    #[serde(default)]
    pub criteria: Option<String>,
    /// The section of an earlier phase's message, and of the plan document, whose list these items
    /// answer.
    #[serde(default)]
    pub contract: Option<String>,
    /// Work of this size is looked at by somebody else before the phase is left.
    #[serde(default)]
    pub audit: Option<Audit>,
    /// Words that its boundary message has at least, where the multiplier does not say it.
    #[serde(default)]
    pub words: Option<u32>,
    /// Further titles, by destination.
    #[serde(default)]
    pub sections_to: BTreeMap<PhaseName, Vec<String>>,
    /// How the stay is paced.
    #[serde(default)]
    pub pace: Option<Pace>,
    /// The profile that the pace is told by: the rules say it.
    #[serde(skip)]
    pub profile: Profile,
    /// Reflection opens the exit: the rules say it.
    #[serde(skip)]
    pub reflects: bool,
    /// What its track calls the phases that sentences speak of.
    #[serde(skip)]
    pub names: Names,
    /// The work that the stop gate asks for.
    pub work: String,
    /// What the entry text says the phase is for.
    #[serde(default)]
    pub purpose: String,
}

impl Phase {
    /// Says whether acts of `class` are open at all.
    pub fn opens(&self, class: Class) -> bool {
        self.acts.contains(&class)
    }

    /// Is paced as the rules say.
    fn pace(&mut self, pacing: &Pacing) {
        if !self.is_in_cycle() {
            return;
        }
        self.profile = pacing.profile;
        self.dial &= pacing.profile == Profile::Dial;
        self.reflects = pacing.reflection || pacing.profile == Profile::Rhythm;
        if let Some(pace) = self.pace.as_mut().filter(|_| !pacing.delegation) {
            pace.budget = 0;
        }
    }

    /// The rank of its anchor among `anchors`.
    pub fn rank(&self, anchors: &[&str]) -> Option<usize> {
        let own = self.anchor.as_deref()?;
        anchors.iter().position(|anchor| *anchor == own)
    }

    /// True for the rows that a cycle walks through.
    pub fn is_in_cycle(&self) -> bool {
        matches!(self.kind, PhaseKind::Work | PhaseKind::Consolidation)
    }

    /// True for a phase that is left once something shows that the work holds.
    pub(crate) fn proves(&self) -> bool {
        self.exit.iter().any(|gate| gate == "proof" || gate == "criteria")
    }

    /// True for a phase of a cycle that writes on no page: whoever works there has no page
    /// to note a thing on, and hears of another way on.
    pub(crate) fn leaves_memory_alone(&self) -> bool {
        let memory = [Write::Page, Write::ScopedPage, Write::Memory, Write::All];
        self.is_in_cycle() && !self.write.iter().any(|write| memory.contains(write))
    }

    /// All titles that messages from here may have, wherever they lead.
    pub(crate) fn titles(&self) -> impl Iterator<Item = &str> {
        self.sections.iter().chain(self.sections_to.values().flatten()).map(String::as_str)
    }

    /// Titles that the message to `to` must have.
    pub fn sections_towards<'a>(&'a self, to: &PhaseName) -> impl Iterator<Item = &'a str> {
        let extra = self.sections_to.get(to).into_iter().flatten();
        self.sections.iter().chain(extra).map(String::as_str)
    }
}

/// When somebody else looks at the work, and what its author answers where nobody can.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Audit {
    /// Changed lines of the cycle from which on it is asked for.
    pub lines: usize,
    /// The section of the message that answers the questions instead.
    pub section: String,
    /// What an auditor asks, a few words each.
    pub questions: Vec<String>,
    /// The subagent that is named for it where it is defined.
    #[serde(default)]
    pub agent: String,
}

impl Audit {
    /// Words of one answer, at least.
    const WORDS: usize = 4;

    /// Whether `section` answers all questions: it has an item or a paragraph for each.
    pub(crate) fn is_answered(&self, section: &str) -> bool {
        let whole = |line: &&str| line.split_whitespace().count() >= Self::WORDS;
        section.lines().filter(whole).count() >= self.questions.len()
    }
}

/// All phases of one track, checked.
#[derive(Clone, Debug)]
pub struct Map {
    /// The track's name, such as `opevc`.
    pub name: String,
    /// Where every cycle begins.
    pub start: PhaseName,
    /// What makes the track small, if it is.
    pub lane: Option<Lane>,
    /// Its jobs may declare some paths only.
    bound: bool,
    rows: Shelf,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MapTable {
    map: String,
    start: PhaseName,
    lane: Option<Lane>,
    phase: Vec<Phase>,
}

/// The same of a shipped map, whose rows are read later.
#[derive(Deserialize)]
struct MapHead {
    map: String,
    start: PhaseName,
    lane: Option<Lane>,
    phase: Vec<shelf::Head>,
}

/// What is wrong with a map.
#[derive(Debug, thiserror::Error)]
pub enum BadMap {
    #[error("track `{track}` is not known; known tracks: {known}")]
    Track { track: String, known: String },
    #[error("the phase table does not read: {0}")]
    Toml(#[from] toml::de::Error),
    #[error("map `{map}` has no phase `{phase}`, which every map needs")]
    Lacks { map: String, phase: PhaseName },
    #[error("track `{track}`, `{key}`: {what}")]
    OwnTrack { track: String, key: &'static str, what: String },
    #[error("track `{track}` has no phase of kind `consolidation`, where its jobs end")]
    Endless { track: String },
    #[error("{}phase `{phase}`{}: {what}",
        of.as_ref().map(|track| format!("track `{track}`, ")).unwrap_or_default(),
        key.as_ref().map(|key| format!(", `{key}`")).unwrap_or_default())]
    Row {
        /// The track of a repository's own that it belongs to.
        of: Option<String>,
        phase: PhaseName,
        key: Option<String>,
        what: String,
    },
}

impl BadMap {
    /// A key of a row is wrong.
    fn row(phase: &PhaseName, key: &str, what: impl Into<String>) -> Self {
        let key = Some(key.to_owned());
        Self::Row { of: None, phase: phase.clone(), key, what: what.into() }
    }

    /// A row is wrong as a whole.
    fn whole_row(phase: &PhaseName, what: impl Into<String>) -> Self {
        Self::Row { of: None, phase: phase.clone(), key: None, what: what.into() }
    }

    /// The same of a row of that track.
    fn of_track(self, track: &str) -> Self {
        match self {
            Self::Row { phase, key, what, .. } => {
                Self::Row { of: Some(track.to_owned()), phase, key, what }
            }
            other => other,
        }
    }
}

impl Map {
    /// Reads and checks a phase table.
    ///
    /// # Errors
    ///
    /// Says which row is wrong and which names are known.
    pub fn read(table: &str) -> Result<Self, BadMap> {
        Self::checked(toml::from_str(table)?)
    }

    /// The map [`OPEVC`].
    #[cfg(test)]
    pub(crate) fn opevc() -> Result<Self, BadMap> {
        maps::shipped("opevc")
    }

    /// A shipped map. The tests of the library check each that they read; a hook would pay for that
    /// with each call.
    fn shipped(table: Table, rows: &'static Rows<Phase>) -> Result<Self, BadMap> {
        if cfg!(test) {
            Self::checked(shipped::read(table)?)?;
        }
        let MapHead { map: name, start, lane, phase } = shipped::read(table)?;
        Ok(Self { name, start, lane, bound: false, rows: Shelf::shipped(phase, rows) })
    }

    /// A map without a phase, on which nothing is open.
    fn empty() -> Self {
        let nothing = Phase { name: "none".into(), ..Phase::default() };
        let rows = Shelf::of(vec![nothing]);
        Self { name: String::new(), start: PhaseName::idle(), lane: None, bound: false, rows }
    }

    fn checked(table: MapTable) -> Result<Self, BadMap> {
        let MapTable { map: name, start, lane, phase } = table;
        let map = Self { name, start, lane, bound: false, rows: Shelf::of(phase) };
        map.check()?;
        Ok(map)
    }

    /// The same map, paced as the rules say.
    #[must_use]
    fn paced(mut self, pacing: &Pacing) -> Self {
        self.rows.pace(pacing);
        self
    }

    /// The same map; its lane, where it is one, takes what the rules say.
    #[must_use]
    fn sized(mut self, rows: LaneRows) -> Self {
        if let Some(lane) = &mut self.lane {
            lane.lay(rows);
        }
        self
    }

    /// The same map, with its own names for the phases that sentences speak of.
    #[must_use]
    fn named(mut self, likes: &[(PhaseName, PhaseName)]) -> Self {
        let names = Names::of(&self, likes);
        self.rows.name(&names);
        self
    }

    /// The row of `name`.
    pub(crate) fn phase(&self, name: &PhaseName) -> Option<&Phase> {
        self.rows.named(name.as_str())
    }

    /// The phases that the first way on of each leads through from `name`, this one first, each
    /// once.
    pub(crate) fn onward(&self, name: &PhaseName) -> impl Iterator<Item = &Phase> {
        let mut seen: Vec<PhaseName> = Vec::new();
        let mut ahead = self.phase(name);
        std::iter::from_fn(move || {
            let row = ahead.take().filter(|row| !seen.contains(&row.name))?;
            seen.push(row.name.clone());
            ahead = row.next.first().and_then(|next| self.phase(next));
            Some(row)
        })
    }

    fn is_kind(&self, name: &PhaseName, kind: PhaseKind) -> bool {
        self.phase(name).is_some_and(|row| row.kind == kind)
    }

    /// The row of `name` is one between cycles.
    pub(crate) fn rests(&self, name: &PhaseName) -> bool {
        self.is_kind(name, PhaseKind::Rest)
    }

    /// The lane that work done in `row` has to keep within; a step onward asks its size, and leads
    /// off the lane what has outgrown it.
    pub fn confines(&self, row: &Phase) -> Option<&Lane> {
        self.lane.as_ref().filter(|_| row.kind == PhaseKind::Work)
    }

    /// A step forward that came to `row` goes on through it where its exit is met already. What
    /// is written in first, and what a person decides, is never walked through.
    pub fn walks_through(&self, row: &Phase) -> bool {
        let writes = row.freezes || row.write.contains(&Write::Scope);
        let works = row.kind == PhaseKind::Work && !writes;
        self.lane.is_some() && works && row.name != self.start
    }

    /// The question for completion may be asked in `row` already, where all that lies between is
    /// met: a person's answer takes the steps.
    pub fn asks_ahead(&self, row: &Phase) -> bool {
        self.confines(row).is_some() && row.name != self.start
    }

    /// The row of `name` is a side lane.
    pub(crate) fn is_aside(&self, name: &PhaseName) -> bool {
        self.is_kind(name, PhaseKind::Side)
    }

    /// The step is one forward, out of the cycle.
    pub(crate) fn ends_cycle(&self, step: Option<&Move>) -> bool {
        matches!(step, Some(Move::Forward(to)) if self.rests(to))
    }

    /// A row that [`Map::read`] has made sure of.
    fn sure(&self, name: &str) -> &Phase {
        self.rows.named(name).unwrap_or_else(|| self.rows.at(0))
    }

    /// The row that judges while no job is focused.
    pub fn none(&self) -> &Phase {
        self.sure("none")
    }

    /// The row that judges a job before its first step.
    pub(crate) fn talk(&self) -> &Phase {
        self.sure("talk")
    }

    /// A phase of it decides about a plan document.
    pub fn decides(&self) -> bool {
        self.phases().any(|phase| phase.decides)
    }

    /// All rows, in the order of the table.
    pub fn phases(&self) -> impl Iterator<Item = &Phase> {
        self.rows.iter()
    }

    /// The phase that settled the contract which binds `row`: one that decides, for the work after
    /// it.
    pub(crate) fn contract_of(&self, row: &Phase) -> Option<&Phase> {
        let before = self.phases().take_while(|phase| phase.name != row.name);
        before.filter(|phase| phase.decides && row.kind == PhaseKind::Work).last()
    }

    /// The anchors of pages, in rank order.
    pub fn anchors(&self) -> Vec<&str> {
        self.rows.anchors()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opevc() -> Map {
        Map::opevc().expect("the shipped map is sound")
    }

    #[test]
    fn the_shipped_maps_say_the_same_in_both_forms() {
        for (toml, track) in [(OPEVC, "opevc"), (include_str!("quick.toml"), "quick")] {
            let (read, built) = (Map::read(toml), maps::shipped(track));
            let whole = |map: Result<Map, BadMap>| {
                let map = map.unwrap_or_else(|bad| panic!("{track}: {bad}"));
                let rows: Vec<_> = map.phases().cloned().collect();
                (
                    map.anchors().join(" "),
                    format!("{} {} {:?} {rows:?}", map.name, map.start, map.lane),
                )
            };
            assert_eq!(whole(read), whole(built), "{track}");
        }
    }

    #[test]
    fn the_shipped_map_has_the_edges_it_promises() {
        let map = opevc();
        let edges = |name: &str| {
            let phase = map.phase(&name.into()).expect("a phase");
            let names = |list: &[PhaseName]| {
                list.iter().map(PhaseName::to_string).collect::<Vec<_>>().join(" ")
            };
            (names(&phase.next), names(&phase.back))
        };
        let cases = [
            ("idle", "observe", ""),
            ("observe", "plan", "idle"),
            ("plan", "execute verify", "observe"),
            ("execute", "verify", "plan observe"),
            ("verify", "condense", "execute plan observe"),
            ("condense", "idle", ""),
        ];
        for (phase, next, back) in cases {
            assert_eq!(edges(phase), (next.to_owned(), back.to_owned()), "{phase}");
        }
        assert_eq!(map.anchors(), ["---Ob---", "---Pl---", "---Ex---", "---Ve---"]);
    }

    #[test]
    fn the_contract_binds_the_work_after_the_phase_that_decides() {
        let map = opevc();
        let bound = map.phases().filter(|row| map.contract_of(row).is_some());
        let bound: Vec<&str> = bound.map(|row| row.name.as_str()).collect();
        assert_eq!(bound, ["execute", "verify"]);
        let verify = map.phase(&"verify".into()).and_then(|row| map.contract_of(row));
        assert_eq!(verify.and_then(|plan| plan.anchor.as_deref()), Some("---Pl---"));
    }

    #[test]
    fn a_broken_row_is_named_with_what_is_known() {
        let cases = [
            (
                "next = [\"plan\"]",
                "next = [\"plam\"]",
                "phase `observe`, `next`: leads to `plam`, which is no phase; known phases: none, \
                 talk",
            ),
            (
                "\"reflection\", \"message\"]",
                "\"reflection\", \"klean\"]",
                "phase `observe`, `exit`: wants gate `klean`; known gates: summary, dial",
            ),
            (
                "anchor = \"---Pl---\"",
                "anchor = \"---Ob---\"",
                "phase `plan`, `anchor`: `---Ob---` is taken by phase `observe`",
            ),
            ("next = [\"condense\"]", "next = [\"execute\"]", "has no way on to idle"),
            ("back = [\"idle\"]", "back = [\"idel\"]", "known phases: none, talk, idle"),
            ("name = \"talk\"", "name = \"idle\"", "phase `idle`, `name`: stands twice"),
            ("reads = \"memory\"", "reads = \"memmory\"", "unknown variant `memmory`"),
            ("dial = true", "dail = true", "unknown field `dail`"),
            (
                "confined = [\"shell-unknown\"]",
                "confined = [\"shell-outward\"]",
                "phase `observe`, `confined`: names an act that the kernel does not hold",
            ),
            (
                "questions = [\"*\"]",
                "questions = []",
                "phase `none`, `questions`: it may ask, so this says what",
            ),
        ];
        for (sound, broken, says) in cases {
            let table = OPEVC.replacen(sound, broken, 1);
            assert_ne!(table, OPEVC, "{sound} stands in the table");
            let heard = Map::read(&table).err().map(|bad| bad.to_string()).unwrap_or_default();
            assert!(heard.contains(says), "{broken}: {heard}");
        }
    }

    #[test]
    fn a_phase_is_added_by_one_row_and_one_edge() {
        let research = r#"
            [[phase]]
            name = "research"
            kind = "work"
            next = ["plan"]
            back = ["observe"]
            acts = ["read", "seed"]
            work = "read on"
        "#;
        let table = OPEVC.replacen("next = [\"plan\"]", "next = [\"research\"]", 1) + research;
        let map = Map::read(&table).expect("it is sound");
        assert!(map.phase(&"research".into()).is_some());
    }

    #[test]
    fn the_multiplier_has_six_values_and_two_spellings() {
        for (text, shown, tenths) in [
            ("0.5", "0.5", 5),
            ("1", "1", 10),
            ("1.0", "1", 10),
            ("1.5", "1.5", 15),
            ("2.0", "2", 20),
            ("2.5", "2.5", 25),
            ("3", "3", 30),
        ] {
            let multiplier: Multiplier = text.parse().expect(text);
            assert_eq!(
                (multiplier.to_string().as_str(), multiplier.tenths()),
                (shown, tenths),
                "{text}"
            );
        }
        for text in ["0", "4", "3.5", "-1", "", "three", "0.50"] {
            assert!(text.parse::<Multiplier>().is_err(), "{text}");
        }
    }
}
