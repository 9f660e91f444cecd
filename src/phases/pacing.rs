//! Pacing: how much of a phase's work has been done, told from counts of acts.
//!
//! A row says what each kind of act is worth there, what it pays for the work that the
//! phase demands, and how reading and writing take turns. Worth times multiplier has to
//! reach a threshold before the phase may be left forward; all of it is counted in whole
//! tenths. Nothing of this is ever said to the agent: it hears which work is missing.

use std::collections::BTreeMap;

use serde::Deserialize;
use strum::VariantArray as _;

use super::{Multiplier, Phase};
use crate::verdict::Case;

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
pub(crate) struct Pacing {
    pub profile: Profile,
    /// Reflection opens the exit under the profile `dial` too.
    pub reflection: bool,
    /// Acts that are better delegated take from a balance.
    pub delegation: bool,
}

/// A kind of act, as rows pay for it and the journal counts it.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Deserialize,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
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
    /// The word as tables and the journal spell it.
    pub fn word(self) -> &'static str {
        self.into()
    }

    fn of(word: &str) -> Option<Self> {
        Self::VARIANTS.iter().copied().find(|deed| deed.word() == word)
    }
}

/// Work that a phase asks for anyway, paid once it is done; in the order in which it is
/// named: what was not run yet is not worth committing.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, strum::IntoStaticStr,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Demand {
    /// Name and objective are told.
    Objective,
    /// The plan document is decided upon.
    Decision,
    /// Code ran well after the last change.
    Proof,
    /// Work was committed in between.
    Checkpoint,
    /// The session log holds the footers.
    Archive,
    /// The footers shrank as far as they must.
    Deflation,
}

impl Demand {
    /// The word as tables and refusals spell it.
    pub(crate) fn word(self) -> &'static str {
        self.into()
    }

    /// The case of a refusal that misses it.
    pub(crate) fn case(self) -> Case {
        match self {
            Self::Objective => Case::Objective,
            Self::Decision => Case::Decision,
            Self::Checkpoint => Case::Checkpoint,
            Self::Proof => Case::Proof,
            Self::Archive => Case::Archive,
            Self::Deflation => Case::Deflation,
        }
    }
}

/// How one phase is paced: a table of its row.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
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
    /// What a kind of act weighs while looking and writing take turns, where that is not what
    /// it pays: work that pays well must not fill the stay before it is done.
    #[serde(default)]
    pub weighs: BTreeMap<Deed, u32>,
    /// Weight of looking that comes before a page is updated.
    #[serde(default)]
    pub least: u32,
    /// Weight of acts after which a page is updated first; 0 leaves it open.
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
    /// The subagent for a part of the work, named where it is better delegated and is defined.
    #[serde(default)]
    pub helper: String,
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

/// Multipliers up to this one, in tenths, are of stays that are not small.
const NOT_SMALL: u32 = 20;

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
    /// Commits in between, which make up for them where nobody can be launched.
    pub checkpoints: u32,
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
    /// What the acts and the demands that are met are worth. In a stay that is not small the acts
    /// carry most of it: there demanded work is worth a third at most.
    pub(crate) fn worth(&self, acts: &Acts, met: &[Demand], multiplier: Multiplier) -> u32 {
        let demands = self.demands.iter().filter(|(demand, _)| met.contains(demand));
        let done = demands.map(|(_, pay)| *pay).fold(0_u32, u32::saturating_add);
        let most = match multiplier.tenths() {
            ..=NOT_SMALL => self.enough.saturating_mul(10) / multiplier.tenths() / 3,
            _ => u32::MAX,
        };
        self.worth_of(acts).saturating_add(done.min(most))
    }

    /// The acts alone are worth more than three times what the multiplier called for.
    fn is_overrun(&self, acts: &Acts, multiplier: Multiplier) -> bool {
        let called_for = self.enough.saturating_mul(10);
        self.worth_of(acts).saturating_mul(multiplier.tenths()) > called_for.saturating_mul(3)
    }

    fn worth_of(&self, acts: &Acts) -> u32 {
        sum(acts, |deed| self.pays.get(deed).copied())
    }

    /// What the acts weigh while looking and writing take turns.
    fn weight_of(&self, acts: &Acts) -> u32 {
        sum(acts, |deed| self.weighs.get(deed).or_else(|| self.pays.get(deed)).copied())
    }

    /// Enough was done at this multiplier. Both sides are counted in tenths.
    pub(crate) fn is_enough(&self, worth: u32, multiplier: Multiplier) -> bool {
        worth.saturating_mul(multiplier.tenths()) >= self.enough.saturating_mul(10)
    }

    /// Too little was looked at since the last update of a page.
    pub fn is_early(&self, stay: &Stay, profile: Profile) -> bool {
        if stay.backwards {
            return false;
        }
        match profile {
            Profile::Dial => self.weight_of(&stay.since) < self.least,
            Profile::Rhythm => {
                stay.since.values().copied().fold(0, u32::saturating_add) < self.least_acts
            }
        }
    }

    /// So much came together since the last update of a page that it is written down first.
    pub fn is_full(&self, stay: &Stay, profile: Profile) -> bool {
        let count = |deed: &Deed| stay.since.get(deed.word()).copied().unwrap_or(0);
        match profile {
            Profile::Dial => self.most > 0 && self.weight_of(&stay.since) >= self.most,
            Profile::Rhythm => self.ceilings.iter().any(|(deed, most)| count(deed) >= *most),
        }
    }

    /// Nothing is left of the balance for acts that are better delegated; where the host
    /// `delegates` nothing, that are better committed in between.
    pub(crate) fn is_spent(&self, stay: &Stay, delegates: bool) -> bool {
        let grants = if delegates { stay.grants } else { stay.checkpoints };
        let had = self.budget.saturating_add(self.grant.saturating_mul(grants));
        !self.spends.is_empty() && self.budget > 0 && stay.direct >= had
    }

    /// No further subagent may be launched now.
    pub(crate) fn is_crowded(&self, stay: &Stay) -> bool {
        self.in_flight > 0 && stay.in_flight >= self.in_flight
    }
}

impl Phase {
    /// What is missing before the phase may be left forward, as far as pacing goes.
    ///
    /// `idle` are demands that nothing could meet as things stand: they are not named.
    pub fn lack(&self, stay: &Stay, met: &[Demand], idle: &[Demand]) -> Option<Lack> {
        let pace = self.pace.as_ref()?;
        let multiplier = stay.multiplier.filter(|_| self.dial && !stay.backwards)?;
        if pace.is_enough(pace.worth(&stay.acts, met, multiplier), multiplier) {
            return None;
        }
        let unmet =
            pace.demands.keys().find(|demand| !met.contains(demand) && !idle.contains(demand));
        Some(unmet.map_or(Lack::Work, |demand| Lack::Demand(*demand)))
    }

    /// The stay took far more work than the multiplier called for: that is answered for.
    pub(crate) fn is_misjudged(&self, stay: &Stay) -> bool {
        let multiplier = stay.multiplier.filter(|_| self.dial && !stay.backwards);
        self.pace
            .as_ref()
            .zip(multiplier)
            .is_some_and(|(pace, multiplier)| pace.is_overrun(&stay.acts, multiplier))
    }

    /// The reflection that is missing before the phase may be left forward.
    ///
    /// The draw says how many further lenses it takes: one to three. A stay that was entered
    /// by a step back only takes the two that every phase has.
    pub(crate) fn lack_of_reflection(&self, stay: &Stay) -> Option<Lack> {
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
        let launched =
            |agent: &&String| stay.launches.get(*agent).is_some_and(|n| *n > 0) || ran(agent);
        match pace.reflectors.first() {
            Some(first) if !pace.reflectors.iter().any(|agent| launched(&agent)) => {
                Some(Lack::Reflector(first.clone()))
            }
            _ => None,
        }
    }
}

/// The sum over all acts of what `each` says of their kind; one that it does not know is nothing.
fn sum(acts: &Acts, each: impl Fn(&Deed) -> Option<u32>) -> u32 {
    let one = |word: &str| Deed::of(word).and_then(|deed| each(&deed)).unwrap_or(0);
    acts.iter().map(|(word, n)| one(word).saturating_mul(*n)).fold(0, u32::saturating_add)
}

/// Counts of acts in words, for people: `page 1, read 4`.
pub(crate) fn said(acts: &Acts) -> String {
    acts.iter().map(|(word, n)| format!("{word} {n}")).collect::<Vec<_>>().join(", ")
}

/// Reads what [`said`] wrote.
pub(crate) fn heard(text: &str) -> Acts {
    let pairs = text.split(", ").filter_map(|pair| pair.split_once(' '));
    pairs.filter_map(|(word, n)| Some((word.to_owned(), n.parse().ok()?))).collect()
}

fn is_core(lens: &str) -> bool {
    CORE_LENSES.contains(&lens)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::phases::{Map, OPEVC};

    fn at(multiplier: &str) -> Multiplier {
        multiplier.parse().expect("a multiplier")
    }

    fn acts(counts: &[(Deed, u32)]) -> Acts {
        counts.iter().map(|(deed, n)| (deed.word().to_owned(), *n)).collect()
    }

    fn reading() -> Pace {
        Pace { enough: 100, pays: [(Deed::Read, 3)].into(), ..Pace::default() }
    }

    fn row(phase: &str) -> Phase {
        let map = Map::read(OPEVC).expect("the shipped map is sound");
        map.phase(&phase.into()).expect("a phase").clone()
    }

    /// The fewest reads that are enough.
    fn reads_at(multiplier: &str) -> u32 {
        let pace = reading();
        let enough = |n: &u32| {
            let reads = pace.worth(&acts(&[(Deed::Read, *n)]), &[], at(multiplier));
            pace.is_enough(reads, at(multiplier))
        };
        let first = (0..200).find(enough).expect("at some time it is enough");
        assert!((first..200).all(|n| enough(&n)), "and more is never less");
        first
    }

    #[test]
    fn the_multiplier_says_how_many_acts_are_enough() {
        for (multiplier, reads) in [("3", 12), ("2", 17), ("1", 34), ("0.5", 67)] {
            assert_eq!(reads_at(multiplier), reads, "at {multiplier}");
        }
        for (multiplier, about) in [("1.5", 22), ("2.5", 13)] {
            assert!(
                reads_at(multiplier).abs_diff(about) <= 1,
                "at {multiplier}: {}",
                reads_at(multiplier)
            );
        }
    }

    #[test]
    fn a_demand_is_paid_once_and_an_unknown_act_never() {
        let pace =
            Pace { demands: [(Demand::Proof, 20), (Demand::Checkpoint, 20)].into(), ..reading() };
        let two = acts(&[(Deed::Read, 2)]);
        let both = [Demand::Proof, Demand::Checkpoint, Demand::Objective];
        let worth = |met: &[Demand]| pace.worth(&two, met, at("3"));
        assert_eq!(worth(&[]), 6);
        assert_eq!(worth(&[Demand::Proof]), 26);
        assert_eq!(worth(&[Demand::Proof, Demand::Proof]), 26);
        assert_eq!(worth(&both), 46);
        // In a stay that is not small it is worth a third of what that one wants.
        for (multiplier, sum) in [("2.5", 46), ("2", 6 + 16), ("1.5", 6 + 22), ("1", 6 + 33)] {
            assert_eq!(pace.worth(&two, &both, at(multiplier)), sum, "at {multiplier}");
        }
        let odd = [("page".to_owned(), 9), ("nonesuch".to_owned(), 9)].into();
        assert_eq!(pace.worth(&odd, &[], at("3")), 0, "what is not named is nothing");
    }

    #[test]
    fn what_is_named_as_missing_is_something_that_can_be_done() {
        let execute = row("execute");
        let stay = Stay { multiplier: Some(at("3")), ..Stay::default() };
        let lack = |met: &[Demand], idle: &[Demand]| execute.lack(&stay, met, idle);
        assert_eq!(
            lack(&[], &[]),
            Some(Lack::Demand(Demand::Proof)),
            "it runs before it is committed"
        );
        assert_eq!(lack(&[], &[Demand::Checkpoint]), Some(Lack::Demand(Demand::Proof)));
        assert_eq!(lack(&[Demand::Proof], &[]), Some(Lack::Demand(Demand::Checkpoint)));
        assert_eq!(
            lack(&[Demand::Proof], &[Demand::Checkpoint]),
            Some(Lack::Work),
            "nothing to commit"
        );
        assert_eq!(lack(&[Demand::Proof, Demand::Checkpoint], &[]), None);
        let back = Stay { backwards: true, ..stay.clone() };
        assert_eq!(execute.lack(&back, &[], &[]), None, "who was sent back has shown enough");
        let rhythm = Stay { multiplier: None, ..stay.clone() };
        assert_eq!(
            execute.lack(&rhythm, &[], &[]),
            None,
            "without a multiplier there is no threshold"
        );
    }

    #[test]
    fn looking_and_writing_take_turns_in_both_profiles() {
        let pace = Pace {
            least: 5,
            most: 25,
            least_acts: 3,
            ceilings: [(Deed::Search, 2)].into(),
            pays: [(Deed::Read, 3), (Deed::Search, 1)].into(),
            ..Pace::default()
        };
        // What was done; early and full by worth, early and full by kind.
        for (done, expected) in [
            (vec![], [true, false, true, false]),
            (vec![(Deed::Read, 1)], [true, false, true, false]),
            (vec![(Deed::Read, 2)], [false, false, true, false]),
            (vec![(Deed::Read, 3)], [false, false, false, false]),
            (vec![(Deed::Read, 8), (Deed::Search, 1)], [false, true, false, false]),
            (vec![(Deed::Search, 2)], [true, false, true, true]),
            (vec![(Deed::Ask, 9)], [true, false, false, false]),
        ] {
            let stay = Stay { since: acts(&done), ..Stay::default() };
            let by = |profile| [pace.is_early(&stay, profile), pace.is_full(&stay, profile)];
            assert_eq!([by(Profile::Dial), by(Profile::Rhythm)].concat(), expected, "{done:?}");
            let back = Stay { backwards: true, ..stay };
            assert!(!pace.is_early(&back, Profile::Dial) && !pace.is_early(&back, Profile::Rhythm));
        }
        let open = Pace { most: 0, ceilings: BTreeMap::new(), ..pace };
        let much = Stay { since: acts(&[(Deed::Read, 999)]), ..Stay::default() };
        assert!(!open.is_full(&much, Profile::Dial) && !open.is_full(&much, Profile::Rhythm));
    }

    #[test]
    fn the_balance_is_spent_and_a_launch_refills_it() {
        let pace = Pace { spends: vec![Deed::Read], budget: 5, grant: 3, ..Pace::default() };
        for (direct, grants, spent) in
            [(0, 0, false), (4, 0, false), (5, 0, true), (5, 1, false), (7, 1, false), (8, 1, true)]
        {
            let stay = Stay { direct, grants, ..Stay::default() };
            assert_eq!(pace.is_spent(&stay, true), spent, "{direct} by hand, {grants} launched");
        }
        let stay = Stay { direct: 99, ..Stay::default() };
        assert!(
            !Pace { budget: 0, ..pace.clone() }.is_spent(&stay, true),
            "without a balance it is open"
        );
        let free = Pace { spends: Vec::new(), ..pace.clone() };
        assert!(!free.is_spent(&stay, true), "and where nothing spends");
        let stay = Stay { direct: 7, grants: 9, checkpoints: 1, ..Stay::default() };
        assert!(!pace.is_spent(&stay, false) && pace.is_spent(&Stay { direct: 8, ..stay }, false));
    }

    #[test]
    fn each_phase_pays_best_for_what_it_is_for() {
        use Deed::{Delegate, Edit, Knowledge, Launch, Memory, Page, Recall, Run, Test};
        for (phase, best) in [
            ("observe", &[Page, Launch][..]),
            ("plan", &[Page, Launch]),
            ("execute", &[Edit, Launch]),
            ("verify", &[Test, Run, Launch]),
            ("condense", &[Knowledge, Memory, Launch]),
        ] {
            let pace = row(phase).pace.expect("it is paced");
            let pay = |deed: &Deed| pace.pays.get(deed).copied().unwrap_or(0);
            let rest = Deed::VARIANTS.iter().filter(|deed| !best.contains(deed));
            let next = rest.map(pay).max().expect("there are others");
            assert!(best.iter().all(|deed| pay(deed) > next), "{phase}: {:?}", pace.pays);
            assert_eq!(pay(&Delegate), 0, "{phase}: another subagent pays nothing");
            assert!(pay(&Recall) < pay(&Page), "{phase}");
            let reads = pace.spends.contains(&Deed::Read);
            assert!(!reads, "{phase}: reading spends no balance");
            assert_eq!(pace.spends == [Edit], phase == "execute", "{phase}");
        }
    }

    #[test]
    fn work_that_pays_well_does_not_fill_the_stay_before_it_is_done() {
        for phase in ["execute", "verify"] {
            let pace = row(phase).pace.expect("it is paced");
            let since = acts(&[(if phase == "execute" { Deed::Edit } else { Deed::Test }, 4)]);
            let stay = Stay { since, ..Stay::default() };
            assert!(!pace.is_full(&stay, Profile::Dial), "{phase}");
            assert!(pace.worth_of(&stay.since) > pace.most, "{phase}: it pays more");
        }
    }

    #[test]
    fn only_so_many_subagents_are_under_way() {
        let pace = Pace { in_flight: 2, ..Pace::default() };
        for (in_flight, crowded) in [(0, false), (1, false), (2, true), (3, true)] {
            assert_eq!(
                pace.is_crowded(&Stay { in_flight, ..Stay::default() }),
                crowded,
                "{in_flight}"
            );
        }
        assert!(!Pace::default().is_crowded(&Stay { in_flight: 99, ..Stay::default() }));
    }

    #[test]
    fn reflection_asks_for_the_core_then_what_was_drawn_then_somebody_else() {
        let phase = Phase { reflects: true, ..row("observe") };
        let further = ["assumptions", "blind-spots", "sources"];
        for draw in 0..9 {
            let mut stay = Stay { draw, ..Stay::default() };
            for lens in CORE_LENSES {
                assert_eq!(phase.lack_of_reflection(&stay), Some(Lack::Lens(lens.to_owned())));
                stay.reflections.insert(lens.to_owned(), 1);
            }
            let wanted = 1 + draw as usize % 3;
            for lens in &further[..wanted] {
                assert_eq!(
                    phase.lack_of_reflection(&stay),
                    Some(Lack::Lenses),
                    "draw {draw}, before {lens}"
                );
                stay.reflections.insert((*lens).to_owned(), 1);
            }
            let outside = "observe-blindspot-finder".to_owned();
            assert_eq!(
                phase.lack_of_reflection(&stay),
                Some(Lack::Reflector(outside.clone())),
                "draw {draw}"
            );
            let launched = Stay { launches: [(outside.clone(), 1)].into(), ..stay.clone() };
            assert_eq!(phase.lack_of_reflection(&launched), None);
            stay.reflections.insert(outside, 1);
            assert_eq!(phase.lack_of_reflection(&stay), None, "where there is none, its words do");
        }
    }

    #[test]
    fn a_stay_entered_backwards_reflects_through_the_core_lenses_only() {
        let phase = Phase { reflects: true, ..row("plan") };
        let mut stay = Stay { backwards: true, draw: 2, ..Stay::default() };
        stay.reflections.insert(CORE_LENSES[0].to_owned(), 1);
        assert_eq!(phase.lack_of_reflection(&stay), Some(Lack::Lens(CORE_LENSES[1].to_owned())));
        stay.reflections.insert(CORE_LENSES[1].to_owned(), 1);
        assert_eq!(phase.lack_of_reflection(&stay), None);
        let quiet = row("plan");
        assert_eq!(
            quiet.lack_of_reflection(&Stay::default()),
            None,
            "only where the rules ask for it"
        );
    }

    #[test]
    fn counts_are_read_as_they_were_said() {
        let done = acts(&[(Deed::Page, 1), (Deed::Read, 12)]);
        assert_eq!(said(&done), "page 1, read 12");
        assert_eq!(heard(&said(&done)), done);
        assert!(heard("").is_empty());
        for deed in Deed::VARIANTS.iter().copied() {
            assert_eq!(Deed::of(deed.word()), Some(deed));
        }
    }

    proptest! {
        /// One more act is never worth less, and no count is too large.
        #[test]
        fn worth_grows_with_every_act_and_never_overflows(
            pays in prop::collection::vec(any::<u32>(), Deed::VARIANTS.len()),
            counts in prop::collection::vec(any::<u32>(), Deed::VARIANTS.len()),
            more in 0..Deed::VARIANTS.len(),
            tenths in prop::sample::select(Multiplier::TENTHS.to_vec()),
        ) {
            let pace = Pace {
                pays: Deed::VARIANTS.iter().copied().zip(pays).collect(),
                demands: [(Demand::Proof, u32::MAX)].into(),
                ..reading()
            };
            let words = Deed::VARIANTS.iter().map(|deed| deed.word().to_owned());
            let before: Acts = words.zip(counts).collect();
            let mut after = before.clone();
            let count = after.get_mut(Deed::VARIANTS[more].word()).expect("it is there");
            *count = count.saturating_add(1);
            let multiplier = Multiplier::try_from(tenths).expect("one of the six");
            let at = |acts: &Acts| pace.worth(acts, &[], multiplier);
            let (less, worth) = (at(&before), at(&after));
            prop_assert!(less <= worth);
            prop_assert!(worth <= pace.worth(&after, &[Demand::Proof], multiplier));
            prop_assert!(!pace.is_enough(less, multiplier) || pace.is_enough(worth, multiplier));
        }
    }
}
