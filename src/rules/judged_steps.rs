//! Whether a step is one of the rules in force, or of those that it says it was judged by.

use std::cell::RefCell;
use std::collections::BTreeMap;

use super::Rules;
use crate::phases::PhaseName;
use crate::phases::edges::Edge;

/// The rules of the steps of a chain, each read once; nothing for those that are not here.
#[derive(Default)]
pub(crate) struct Judges(RefCell<BTreeMap<String, Option<Rules>>>);

impl Judges {
    /// What the maps say of the step `from -> to`, which was judged by the rules `id`; `text` gives
    /// their text, where it is here.
    pub(crate) fn edge<E>(
        &self,
        in_force: &Rules,
        id: Option<&String>,
        text: impl FnOnce(&str) -> Result<Option<String>, E>,
        (from, to): (&PhaseName, &PhaseName),
    ) -> Result<Edge, E> {
        let edge = in_force.maps.edge(from, to);
        let Some(id) = id.filter(|_| edge != Edge::On) else { return Ok(edge) };
        let mut known = self.0.borrow_mut();
        if !known.contains_key(id) {
            // What a newer program wrote is not measured, as what is not here.
            let rules = text(id)?.and_then(|text| Rules::with(&text).ok());
            known.insert(id.clone(), rules);
        }
        let Some(rules) = known.get(id).and_then(Option::as_ref) else { return Ok(Edge::Unknown) };
        let on = rules.maps.leads_on(from, to);
        Ok(if on { Edge::On } else { rules.maps.edge(from, to) })
    }
}

impl Rules {
    /// Neither these rules nor those of a proposal beside them have the step.
    pub(crate) fn has_no_step(&self, from: &str, to: &str, proposed: &[u8]) -> bool {
        let (from, to) = (from.into(), to.into());
        // A proposal that does not hold is none.
        let proposed = || Rules::with(&String::from_utf8_lossy(proposed));
        self.maps.edge(&from, &to) == Edge::Off
            && proposed().map_or(true, |rules| rules.maps.edge(&from, &to) == Edge::Off)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_judged_by_the_rules_that_it_names_where_they_are_here() {
        let shipped = Rules::shipped().expect("they hold");
        let short = "[[track]]\nname = \"short\"\nfrom = \"quick\"\nwithout = [\"verify\"]\n";
        for (step, id, text, said) in [
            (("execute", "condense"), None, None, Edge::Off),
            (("execute", "condense"), Some("a"), Some(""), Edge::Off),
            (("execute", "condense"), Some("a"), Some(short), Edge::On),
            (("execute", "condense"), Some("a"), None, Edge::Unknown),
            (("look", "write"), Some("a"), Some(short), Edge::Unknown),
            (("explore", "observe"), Some("a"), Some(""), Edge::On),
        ] {
            let (judges, id) = (Judges::default(), id.map(str::to_owned));
            let text = |_: &str| Ok::<_, ()>(text.map(str::to_owned));
            let (from, to) = (step.0.into(), step.1.into());
            let edge = judges.edge(&shipped, id.as_ref(), text, (&from, &to));
            assert_eq!(edge, Ok(said), "{step:?}");
        }
        assert!(shipped.has_no_step("execute", "condense", b""));
        assert!(!shipped.has_no_step("execute", "condense", short.as_bytes()));
        assert!(!shipped.has_no_step("look", "write", b""));
    }
}
