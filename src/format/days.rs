//! What a chain says of when: the day, unless its person said otherwise.
//!
//! Chains travel, and a day in seconds is somebody's day. So a time in one of them is the beginning
//! of its day in UTC, what a cycle cost stands at nothing, and [`Exact`] has both for the clone
//! where it happened. Pure: it is kept elsewhere.

use serde::{Deserialize, Serialize};

use super::state::{Cost, State};
use crate::event::UnixSeconds;

const DAY: i64 = 24 * 60 * 60;

/// The beginning of the day that `at` is in, in UTC.
pub(crate) fn day(at: UnixSeconds) -> UnixSeconds {
    at.saturating_sub(at.rem_euclid(DAY))
}

/// It could be a day, and no more is said.
pub(crate) fn is_day(at: UnixSeconds) -> bool {
    day(at) == at
}

/// What a `job.toml` by the day leaves out, for the step that wrote it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Exact {
    pub step: String,
    pub created: UnixSeconds,
    pub updated: UnixSeconds,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed: Option<UnixSeconds>,
    /// When the gate ruled last.
    pub ruled: UnixSeconds,
    /// When the context began anew.
    pub fresh: UnixSeconds,
    /// When the subagents that are under way were launched, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub launched: Vec<UnixSeconds>,
    pub cost: Cost,
}

impl Exact {
    /// Takes out of `state` what is only for this clone.
    pub(crate) fn take(state: &mut State) -> Self {
        let launched = state.flights.iter().map(|flight| flight.at).collect();
        let job = &mut state.job;
        let exact = Self {
            step: state.step.clone(),
            created: job.created_at,
            updated: job.updated_at,
            completed: job.last_completed_at,
            ruled: state.gate.at,
            fresh: state.gauge.fresh,
            launched,
            cost: std::mem::take(&mut state.cost),
        };
        job.created_at = day(job.created_at);
        job.updated_at = day(job.updated_at);
        job.last_completed_at = job.last_completed_at.map(day);
        state.gate.at = day(state.gate.at);
        state.gauge.fresh = day(state.gauge.fresh);
        state.flights.iter_mut().for_each(|flight| flight.at = day(flight.at));
        exact
    }

    /// Puts it back. What the state itself says exactly stands.
    pub(crate) fn put(self, state: &mut State) {
        let back = |is: &mut UnixSeconds, was: UnixSeconds| {
            if *is == day(was) {
                *is = was;
            }
        };
        back(&mut state.job.created_at, self.created);
        back(&mut state.job.updated_at, self.updated);
        if let (Some(is), Some(was)) = (&mut state.job.last_completed_at, self.completed) {
            back(is, was);
        }
        back(&mut state.gate.at, self.ruled);
        back(&mut state.gauge.fresh, self.fresh);
        for (flight, was) in state.flights.iter_mut().zip(self.launched) {
            back(&mut flight.at, was);
        }
        if state.cost == Cost::default() {
            state.cost = self.cost;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::phases::activity::Flight;

    const FROZEN: &str = include_str!("../../fixtures/format/v2/job.toml");

    fn lived() -> State {
        let mut state = crate::format::state::read(FROZEN.as_bytes()).expect("the sample reads");
        (state.job.last_completed_at, state.gate.at, state.gauge.fresh) =
            (Some(1_795_294_001), 1_795_294_572, 1_795_294_573);
        state.cost = Cost { calls: 9, words: 41, quoted: 3, refusals: 2, commits: 1 };
        state.flights = vec![Flight { at: 1_795_294_574, ..Flight::default() }];
        state
    }

    #[test]
    fn what_is_taken_out_of_a_state_comes_back() {
        let was = lived();
        let mut state = was.clone();
        let exact = Exact::take(&mut state);
        let times = [state.job.created_at, state.job.updated_at, state.gate.at];
        assert!(times.iter().all(|at| is_day(*at)), "{times:?}");
        assert!(state.job.last_completed_at.is_some_and(is_day));
        assert!(is_day(state.gauge.fresh) && is_day(state.flights[0].at));
        assert_eq!(state.cost, Cost::default());
        let line = serde_json::to_string(&exact).expect("it writes");
        let read: Exact = serde_json::from_str(&line).expect("it reads");
        read.put(&mut state);
        assert_eq!(state, was);
    }

    #[test]
    fn what_a_state_says_exactly_stands() {
        let mut state = lived();
        let was = state.clone();
        Exact { updated: 5, completed: Some(6), ruled: 7, ..Exact::default() }.put(&mut state);
        assert_eq!(state, was);
    }

    proptest! {
        #[test]
        fn a_day_begins_before_its_times(at in any::<i64>()) {
            let began = day(at);
            prop_assert!(began <= at && at - began < DAY || began == i64::MIN);
        }
    }
}
