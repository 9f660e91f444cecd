//! Looks for dead ends of a map: states from which no cycle comes to its end.
//!
//! Every state that a job can reach is walked, as far as a rule can tell states apart; what is
//! open in it is asked of the guards, the gates and the map themselves. Counts of acts are
//! `none`, `enough` and `full`, and what a phase finds when it begins is the least and the most.
//! Pure. The search of the tests (`tests/it/model.rs`) knows more: hosts, people, nights, and
//! whether each sentence leads on; it walks the shipped tracks and those of fixtures/tracks, too.

mod ask;
mod state;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{Map, PhaseName};
use crate::verdict::Refusal;

use ask::Asks;
use state::At;

/// The most states that are walked.
const MOST: usize = 200_000;

/// What the search asks of the rules beside the map.
#[derive(Clone, Copy, Debug)]
pub struct Around {
    /// Before its first step a job is asked as between cycles.
    pub idle_closed: bool,
    /// The host launches subagents.
    pub delegates: bool,
}

/// A state that leads nowhere.
#[derive(Clone, Debug)]
pub struct DeadEnd {
    pub phase: PhaseName,
    /// The steps that lead to it from a prompt.
    pub path: Vec<String>,
    /// What refuses the steps forward.
    pub refused: Vec<Refusal>,
}

/// What a search found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    pub states: usize,
    /// It stopped before all states were walked.
    pub cut: bool,
    /// One for each phase, the nearest to a job's begin.
    pub dead: Vec<DeadEnd>,
    /// Phases of the cycle that no job comes to.
    pub never: Vec<PhaseName>,
}

/// Searches one map; `anchors` are those of pages.
pub fn search(map: &Map, anchors: &[&str], around: Around) -> Found {
    let mut walk = Walk::new(Asks::new(map, anchors, around));
    walk.all();
    walk.found()
}

/// How a state was come to: from which one, and by what.
type Way = Option<(usize, String)>;

struct Walk<'a> {
    asks: Asks<'a>,
    states: Vec<At>,
    ways: Vec<Way>,
    numbers: HashMap<At, usize>,
    /// Where each state leads; an end of the cycle leads to itself.
    leads: Vec<Vec<usize>>,
    ends: Vec<bool>,
}

impl<'a> Walk<'a> {
    fn new(asks: Asks<'a>) -> Self {
        let mut walk = Self {
            asks,
            states: Vec::new(),
            ways: Vec::new(),
            numbers: HashMap::new(),
            leads: Vec::new(),
            ends: Vec::new(),
        };
        let born = walk.asks.born();
        walk.number(born, None);
        walk
    }

    fn number(&mut self, state: At, way: Way) -> usize {
        if let Some(known) = self.numbers.get(&state) {
            return *known;
        }
        self.numbers.insert(state, self.states.len());
        self.states.push(state);
        self.ways.push(way);
        self.leads.push(Vec::new());
        self.ends.push(false);
        self.states.len() - 1
    }

    fn all(&mut self) {
        let mut at = 0;
        while at < self.states.len() && self.states.len() < MOST {
            let state = self.states[at];
            for came in self.asks.from(&state) {
                if came.ends {
                    self.ends[at] = true;
                }
                for to in came.to {
                    let to = self.number(to, Some((at, came.by.clone())));
                    self.leads[at].push(to);
                }
            }
            at += 1;
        }
    }

    /// The states from which the end of a cycle can be reached.
    fn alive(&self) -> Vec<bool> {
        self.backward(self.ends.clone(), |_, _| true)
    }

    fn found(&mut self) -> Found {
        let cut = self.states.len() >= MOST;
        let never = self.asks.phases_beside(&self.states);
        let mut found = Found { states: self.states.len(), cut, dead: Vec::new(), never };
        if cut {
            return found;
        }
        let (alive, leaves) = (self.alive(), self.leaves());
        let dead = (0..alive.len()).filter(|at| !alive[*at]);
        let dead: Vec<usize> = dead.filter(|at| self.asks.is_at_work(&self.states[*at])).collect();
        // Where the end is far, all before it is dead: to blame is the phase that nothing leaves.
        // Of its states the one tells most that has come furthest through the gates.
        let stuck: Vec<usize> = dead.iter().copied().filter(|at| !leaves[*at]).collect();
        // A state that only leads back is no fault of a phase that others leave.
        let left: BTreeSet<usize> =
            (0..leaves.len()).filter(|at| leaves[*at]).map(|at| self.states[at].phase).collect();
        let shut = stuck.iter().copied();
        let shut = shut.filter(|at| !left.contains(&self.states[*at].phase)).collect();
        let nearest = dead.into_iter().take(1).collect();
        let blamed: [Vec<usize>; 3] = [shut, stuck, nearest];
        let blamed = blamed.into_iter().find(|states| !states.is_empty()).unwrap_or_default();
        let mut worst: BTreeMap<usize, usize> = BTreeMap::new();
        for at in blamed {
            let known = worst.entry(self.states[at].phase).or_insert(at);
            if self.asks.passed(&self.states[at]) > self.asks.passed(&self.states[*known]) {
                *known = at;
            }
        }
        for at in worst.into_values() {
            let (state, path) = (&self.states[at], self.path(at));
            let (phase, refused) = (self.asks.phase(state).name.clone(), self.asks.refused(state));
            found.dead.push(DeadEnd { phase, path, refused });
        }
        found
    }

    /// The states from which a job comes forward out of its phase.
    fn leaves(&self) -> Vec<bool> {
        let within = |from: usize, to: usize| self.states[from].phase == self.states[to].phase;
        let further =
            |from: usize, to: usize| self.asks.is_further(&self.states[from], &self.states[to]);
        let seeds: Vec<bool> = (0..self.states.len())
            .map(|at| self.ends[at] || self.leads[at].iter().any(|to| further(at, *to)))
            .collect();
        self.backward(seeds, within)
    }

    /// `seeds`, and all states that lead to one of them over steps that `through` takes.
    fn backward(&self, mut seeds: Vec<bool>, through: impl Fn(usize, usize) -> bool) -> Vec<bool> {
        let mut behind = vec![Vec::new(); self.states.len()];
        for (from, list) in self.leads.iter().enumerate() {
            for to in list.iter().filter(|to| through(from, **to)) {
                behind[*to].push(from);
            }
        }
        let mut ahead: Vec<usize> = (0..seeds.len()).filter(|at| seeds[*at]).collect();
        while let Some(at) = ahead.pop() {
            for from in &behind[at] {
                if !seeds[*from] {
                    seeds[*from] = true;
                    ahead.push(*from);
                }
            }
        }
        seeds
    }

    fn path(&self, mut at: usize) -> Vec<String> {
        let mut path = Vec::new();
        while let Some((from, by)) = &self.ways[at] {
            path.push(by.clone());
            at = *from;
        }
        path.reverse();
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phases::{LaneRows, Maps, Pacing, PhaseRow, Profile};

    fn maps(rows: &str) -> Maps {
        #[derive(serde::Deserialize)]
        struct Table {
            #[serde(default)]
            phase: Vec<PhaseRow>,
        }
        let rows = toml::from_str::<Table>(rows).expect("it reads").phase;
        let pacing = Pacing { profile: Profile::Dial, reflection: false, delegation: true };
        Maps::with("opevc", Vec::new(), &rows, LaneRows::default(), pacing)
            .unwrap_or_else(|bad| panic!("{bad}"))
    }

    fn found(rows: &str, track: &str) -> Found {
        let maps = maps(rows);
        let around = Around { idle_closed: false, delegates: true };
        search(maps.get(track), &maps.anchors(), around)
    }

    #[test]
    fn shipped_maps_have_no_dead_end() {
        for track in ["opevc", "quick"] {
            let found = found("", track);
            assert!(!found.cut && found.states > 20, "{track}: {} states", found.states);
            assert!(found.dead.is_empty(), "{track}: {:#?}", found.dead);
            assert!(found.never.is_empty(), "{track}: {:?}", found.never);
        }
    }

    /// Each of these reads as a map; only the search sees that a job does not get through.
    #[test]
    fn a_phase_whose_exit_nothing_meets_is_a_dead_end() {
        for (rows, phase, gate) in [
            // Proof where nothing runs.
            ("[[phase]]\nname = \"observe\"\nexit = [\"proof\", \"message\"]", "observe", "proof"),
            // A failed run where nothing runs.
            (
                "[[phase]]\nname = \"plan\"\nexit = [\"decision\", \"failed-run\"]",
                "plan",
                "failed-run",
            ),
            // A shrunk footer that no row lets shrink.
            (
                "[[phase]]\nname = \"condense\"\nwrite = []\nexit = [\"deflation\", \"asked\"]",
                "condense",
                "deflation",
            ),
            // The person is to be asked, and the question is none of the row's.
            ("[[phase]]\nname = \"condense\"\nquestions = [\"WAITING\"]", "condense", "asked"),
        ] {
            let found = found(rows, "opevc");
            let dead: Vec<&str> = found.dead.iter().map(|dead| dead.phase.as_str()).collect();
            assert_eq!(dead, [phase], "{rows}: {found:#?}");
            let refused: Vec<&str> = found.dead[0].refused.iter().map(|no| no.by).collect();
            assert!(refused.contains(&gate), "{rows}: {refused:?}");
            assert!(found.dead[0].path.iter().any(|step| step.contains("observe")), "{found:#?}");
        }
    }
}
