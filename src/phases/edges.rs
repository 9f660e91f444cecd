//! Whether some map has a step: what of a chain can be told by its words alone. Pure.

use super::{Map, Maps, PhaseName};

/// What maps say of a step from one phase to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Edge {
    /// One of them has it.
    On,
    /// They know both phases, and none of them has it.
    Off,
    /// No map knows one of the phases: it is of other rules.
    Unknown,
}

impl Maps {
    /// Looks for the step in all maps: on, back, aside and home again, or from a lane to where a
    /// larger map begins.
    pub(crate) fn edge(&self, from: &PhaseName, to: &PhaseName) -> Edge {
        let maps: Vec<&Map> = self.names().into_iter().map(|name| self.get(name)).collect();
        let knows = |name| maps.iter().any(|map| map.phase(name).is_some());
        let begins = maps.iter().any(|map| map.start == *to);
        let has = |map: &&Map| {
            let row = map.phase(from);
            let leads = row.is_some_and(|row| {
                row.next.contains(to) || row.back.contains(to) || row.side.as_ref() == Some(to)
            });
            leads || (map.lane.is_some() && row.is_some() && begins)
        };
        if maps.iter().any(has) {
            return Edge::On;
        }
        match (knows(from), knows(to)) {
            (true, true) if maps.iter().any(|map| map.is_aside(from)) => Edge::On,
            (true, true) => Edge::Off,
            _ => Edge::Unknown,
        }
    }

    /// The step goes on from a phase that rules have dropped: where cycles begin.
    pub(crate) fn leads_on(&self, from: &PhaseName, to: &PhaseName) -> bool {
        let maps = || self.names().into_iter().map(|name| self.get(name));
        maps().all(|map| map.phase(from).is_none()) && maps().any(|map| map.start == *to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;

    fn edge(rules: &str, step: &str) -> Edge {
        let rules = Rules::with(rules).expect("they hold");
        let (from, to) = step.split_once(" -> ").expect("a step");
        rules.maps.edge(&from.into(), &to.into())
    }

    #[test]
    fn a_step_of_other_rules_is_not_known() {
        let docs = include_str!("../../fixtures/tracks/docs.toml");
        let research = include_str!("../../fixtures/tracks/research.toml");
        for (rules, step, said) in [
            ("", "observe -> plan", Edge::On),
            ("", "verify -> observe", Edge::On),
            ("", "gmode -> execute", Edge::On),
            ("", "observe -> condense", Edge::Off),
            ("", "condense -> execute", Edge::Off),
            ("", "idle -> look", Edge::Unknown),
            ("", "look -> write", Edge::Unknown),
            ("", "write -> settle", Edge::Unknown),
            ("", "gmode -> write", Edge::Unknown),
            (docs, "look -> write", Edge::On),
            (docs, "look -> settle", Edge::Off),
            // Off a lane to where a larger track begins.
            (docs, "write -> observe", Edge::On),
            (research, "explore -> conclude", Edge::On),
            (research, "explore -> observe", Edge::Off),
        ] {
            assert_eq!(edge(rules, step), said, "{step}");
        }
    }

    #[test]
    fn from_a_phase_that_is_gone_the_way_on_is_where_cycles_begin() {
        let rules = Rules::with("").expect("they hold");
        for (from, to, leads) in [
            ("explore", "observe", true),
            ("look", "observe", true),
            ("explore", "execute", false),
            ("verify", "observe", false),
        ] {
            assert_eq!(rules.maps.leads_on(&from.into(), &to.into()), leads, "{from} -> {to}");
        }
    }
}
