//! Pacing: how much of a phase's work has been done, told from counts of acts.
//!
//! A row says what each kind of act is worth there, what it pays for the work that the
//! phase demands, and how reading and writing take turns. Worth times multiplier has to
//! reach a threshold before the phase may be left forward; all of it is counted in whole
//! tenths. Nothing of this is ever said to the agent: it hears which work is missing.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{Multiplier, Phase};

/// How a stay is paced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// The agent says how small the stay is; what it does adds up to a threshold.
    #[default]
    Dial,
    /// No multiplier and no threshold: acts are counted by kind, and reflection opens the exit.
    Rhythm,
}

/// What the rules say about pacing, for all maps.
#[derive(Clone, Debug)]
pub struct Pacing {
    pub profile: Profile,
    /// Reflection opens the exit under the profile `dial` too.
    pub reflection: bool,
    /// Acts that are better delegated take from a balance.
    pub budget: bool,
}

/// A kind of act, as rows pay for it and the journal counts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Deed {
    /// A page was updated.
    Page,
    /// A project file was read.
    Read,
    /// Memory was read: a page, knowledge, the plan document.
    Recall,
    Search,
    Web,
    /// A command that only looks.
    Shell,
    /// A command that runs code.
    Run,
    /// A run of the project's tests.
    Test,
    /// A project file was changed.
    Edit,
    /// The plan document was changed.
    Plan,
    /// Knowledge or an agent definition was changed.
    Knowledge,
    /// The host's own memory was changed.
    Memory,
    /// The person was asked.
    Ask,
    /// A subagent of the phase's own roster was launched.
    Launch,
    /// Another subagent was launched.
    Delegate,
}

impl Deed {
    /// Every kind.
    pub const ALL: [Self; 15] = [
        Self::Page,
        Self::Read,
        Self::Recall,
        Self::Search,
        Self::Web,
        Self::Shell,
        Self::Run,
        Self::Test,
        Self::Edit,
        Self::Plan,
        Self::Knowledge,
        Self::Memory,
        Self::Ask,
        Self::Launch,
        Self::Delegate,
    ];

    /// The word as tables and the journal spell it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::Read => "read",
            Self::Recall => "recall",
            Self::Search => "search",
            Self::Web => "web",
            Self::Shell => "shell",
            Self::Run => "run",
            Self::Test => "test",
            Self::Edit => "edit",
            Self::Plan => "plan",
            Self::Knowledge => "knowledge",
            Self::Memory => "memory",
            Self::Ask => "ask",
            Self::Launch => "launch",
            Self::Delegate => "delegate",
        }
    }

    fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|deed| deed.word() == word)
    }
}

/// Work that a phase asks for anyway, paid once it is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Demand {
    /// Name and objective are told.
    Objective,
    /// The plan document is decided upon.
    Decision,
    /// Work was committed in between.
    Checkpoint,
    /// Code ran well after the last change.
    Proof,
    /// The footers shrank as far as they must.
    Deflation,
}

impl Demand {
    /// The word as tables and refusals spell it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Objective => "objective",
            Self::Decision => "decision",
            Self::Checkpoint => "checkpoint",
            Self::Proof => "proof",
            Self::Deflation => "deflation",
        }
    }
}

/// How one phase is paced: a table of its row.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pace {
    /// What has to come together before the phase may be left forward, at multiplier 1.
    #[serde(default = "hundred")]
    pub enough: u32,
    /// What each kind of act is worth; what is not named is worth nothing.
    #[serde(default)]
    pub pays: BTreeMap<Deed, u32>,
    /// What the work that the phase demands is worth, once it is done.
    #[serde(default)]
    pub demands: BTreeMap<Demand, u32>,
    /// Worth of looking that comes before a page is updated.
    #[serde(default)]
    pub least: u32,
    /// Worth of acts after which a page is updated first; 0 leaves it open.
    #[serde(default)]
    pub most: u32,
    /// Acts before a page is updated, under the profile that counts by kind.
    #[serde(default)]
    pub least_acts: u32,
    /// Acts of each kind after which a page is updated first, under that profile.
    #[serde(default)]
    pub ceilings: BTreeMap<Deed, u32>,
    /// Kinds of act that are better delegated: each takes one of the balance.
    #[serde(default)]
    pub spends: Vec<Deed>,
    /// The balance that a stay begins with.
    #[serde(default)]
    pub budget: u32,
    /// What a launched subagent of the own roster adds to it.
    #[serde(default)]
    pub grant: u32,
    /// The most subagents that may be under way at once; 0 leaves it open.
    #[serde(default)]
    pub in_flight: u32,
    /// Further lenses for `git seed reflect`, beside the two that every phase has.
    #[serde(default)]
    pub lenses: Vec<String>,
    /// Subagents that look at the phase from outside; one of them runs before it is left.
    #[serde(default)]
    pub reflectors: Vec<String>,
}

fn hundred() -> u32 {
    100
}

/// The lenses that every stay looks through before it ends, where reflection opens the exit.
pub const CORE_LENSES: [&str; 2] = ["quality-self-assessment", "voice-update-scan"];

/// Counts of acts by the word of their kind.
pub type Acts = BTreeMap<String, u32>;

/// What guards and gates know about the stay so far.
#[derive(Clone, Debug, Default)]
pub struct Stay {
    /// Acts of this stay, kept over steps back.
    pub acts: Acts,
    /// Acts since a page was updated last.
    pub since: Acts,
    /// The last way in was a step back.
    pub backwards: bool,
    pub multiplier: Option<Multiplier>,
    /// Acts that took from the balance, and launches that added to it, since the last way in.
    pub direct: u32,
    pub grants: u32,
    /// Subagents under way.
    pub in_flight: u32,
    /// Launches by type of subagent.
    pub launches: Acts,
    /// Reflections by lens.
    pub reflections: Acts,
    /// What was drawn for this stay; the same number whenever one asks.
    pub draw: u32,
}

/// What is missing before a phase may be left, in the order in which it is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lack {
    /// Work that the phase demands.
    Demand(Demand),
    /// More of what the phase is for.
    Work,
    /// A reflection through this lens.
    Lens(String),
    /// Reflections through further lenses.
    Lenses,
    /// A subagent that looks at it from outside, such as this one.
    Reflector(String),
}

impl Pace {
    /// What the acts and the demands that are met are worth.
    pub fn worth(&self, acts: &Acts, met: &[Demand]) -> u32 {
        let demands = self.demands.iter().filter(|(demand, _)| met.contains(demand));
        let done = demands.map(|(_, pay)| *pay).fold(0_u32, u32::saturating_add);
        self.worth_of(acts).saturating_add(done)
    }

    fn worth_of(&self, acts: &Acts) -> u32 {
        let pay = |word: &str| Deed::of(word).and_then(|deed| self.pays.get(&deed)).copied().unwrap_or(0);
        acts.iter().map(|(word, n)| pay(word).saturating_mul(*n)).fold(0, u32::saturating_add)
    }

    /// Enough was done at this multiplier. Both sides are counted in tenths.
    pub fn is_enough(&self, worth: u32, multiplier: Multiplier) -> bool {
        worth.saturating_mul(multiplier.tenths()) >= self.enough.saturating_mul(10)
    }

    /// Too little was looked at since the last update of a page.
    pub fn is_early(&self, stay: &Stay, profile: Profile) -> bool {
        if stay.backwards {
            return false;
        }
        match profile {
            Profile::Dial => self.worth_of(&stay.since) < self.least,
            Profile::Rhythm => stay.since.values().copied().fold(0, u32::saturating_add) < self.least_acts,
        }
    }

    /// So much came together since the last update of a page that it is written down first.
    pub fn is_full(&self, stay: &Stay, profile: Profile) -> bool {
        let count = |deed: &Deed| stay.since.get(deed.word()).copied().unwrap_or(0);
        match profile {
            Profile::Dial => self.most > 0 && self.worth_of(&stay.since) >= self.most,
            Profile::Rhythm => self.ceilings.iter().any(|(deed, most)| count(deed) >= *most),
        }
    }

    /// Nothing is left of the balance for acts that are better delegated.
    pub fn is_spent(&self, stay: &Stay) -> bool {
        let had = self.budget.saturating_add(self.grant.saturating_mul(stay.grants));
        !self.spends.is_empty() && self.budget > 0 && stay.direct >= had
    }

    /// No further subagent may be launched now.
    pub fn is_crowded(&self, stay: &Stay) -> bool {
        self.in_flight > 0 && stay.in_flight >= self.in_flight
    }
}

impl Phase {
    /// What is missing before the phase may be left forward, as far as pacing goes.
    pub fn lack(&self, stay: &Stay, met: &[Demand]) -> Option<Lack> {
        let pace = self.pace.as_ref()?;
        let multiplier = stay.multiplier.filter(|_| self.dial && !stay.backwards)?;
        if pace.is_enough(pace.worth(&stay.acts, met), multiplier) {
            return None;
        }
        let unmet = pace.demands.keys().find(|demand| !met.contains(demand));
        Some(unmet.map_or(Lack::Work, |demand| Lack::Demand(*demand)))
    }

    /// The reflection that is missing before the phase may be left forward.
    ///
    /// The draw says how many further lenses it takes: one to three. A stay that was entered
    /// by a step back only takes the two that every phase has.
    pub fn lack_of_reflection(&self, stay: &Stay) -> Option<Lack> {
        let pace = self.pace.as_ref().filter(|_| self.reflects)?;
        let ran = |lens: &str| stay.reflections.get(lens).is_some_and(|n| *n > 0);
        if let Some(lens) = CORE_LENSES.iter().find(|lens| !ran(lens)) {
            return Some(Lack::Lens((*lens).to_owned()));
        }
        if stay.backwards {
            return None;
        }
        let wanted = 1 + stay.draw % 3;
        let further = stay.reflections.iter().filter(|(lens, n)| **n > 0 && !is_core(lens)).count();
        if u32::try_from(further).unwrap_or(u32::MAX) < wanted {
            return Some(Lack::Lenses);
        }
        let launched = |agent: &&String| stay.launches.get(*agent).is_some_and(|n| *n > 0) || ran(agent);
        match pace.reflectors.first() {
            Some(first) if !pace.reflectors.iter().any(|agent| launched(&agent)) => {
                Some(Lack::Reflector(first.clone()))
            }
            _ => None,
        }
    }
}

/// Counts of acts in words, for people: `page 1, read 4`.
pub fn said(acts: &Acts) -> String {
    acts.iter().map(|(word, n)| format!("{word} {n}")).collect::<Vec<_>>().join(", ")
}

/// Reads what [`said`] wrote.
pub fn heard(text: &str) -> Acts {
    let pairs = text.split(", ").filter_map(|pair| pair.split_once(' '));
    pairs.filter_map(|(word, n)| Some((word.to_owned(), n.parse().ok()?))).collect()
}

fn is_core(lens: &str) -> bool {
    CORE_LENSES.contains(&lens)
}
