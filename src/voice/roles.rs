//! The phases that sentences speak of: `{observe}` to `{condense}`, each a place that holds what
//! the track of the job calls the phase where that work is done.
//!
//! A track may do the work of two of them in one phase; a list then names it once. Pure.

use std::borrow::Cow;

/// The phases, as shipped tracks call them.
const ROLES: [&str; 5] = ["observe", "plan", "execute", "verify", "condense"];

/// What may stand between two of them in a list.
const BETWEEN: [&str; 4] = [", and ", ", ", " and ", " or "];

/// True for the name of such a place.
pub(super) fn is_role(name: &str) -> bool {
    ROLES.contains(&name)
}

/// What `names` (`observe=look plan=look …`) calls `role`.
fn own<'n>(role: &'n str, names: &'n str) -> &'n str {
    let mut pairs = names.split(' ').filter_map(|pair| pair.split_once('='));
    pairs.find(|(shipped, _)| *shipped == role).map_or(role, |(_, own)| own)
}

/// What shipped tracks call the phase that these names call `phase`.
pub(super) fn shipped<'n>(phase: &'n str, names: Option<&'n str>) -> &'n str {
    let mut pairs = names.unwrap_or_default().split(' ').filter_map(|pair| pair.split_once('='));
    pairs.find(|(_, own)| *own == phase).map_or(phase, |(shipped, _)| shipped)
}

/// `text` with the phases in their places.
pub(crate) fn put<'t>(text: &'t str, names: Option<&str>) -> Cow<'t, str> {
    if !ROLES.iter().any(|role| text.contains(&format!("{{{role}}}"))) {
        return Cow::Borrowed(text);
    }
    let names = names.unwrap_or_default();
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, role, after)) = next(rest) {
        out.push_str(before);
        let (mut list, mut left) = (vec![("", own(role, names))], after);
        while let Some((between, role, after)) = follows(left) {
            list.push((between, own(role, names)));
            left = after;
        }
        write_list(&list, &mut out);
        rest = left;
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The first place for a phase, with what stands before and behind it.
fn next(text: &str) -> Option<(&str, &str, &str)> {
    text.match_indices('{').find_map(|(at, _)| {
        let (role, after) = text[at + 1..].split_once('}')?;
        is_role(role).then_some((&text[..at], role, after))
    })
}

/// The next phase of a list.
fn follows(text: &str) -> Option<(&'static str, &str, &str)> {
    BETWEEN.iter().find_map(|between| {
        let (before, role, after) = next(text.strip_prefix(between)?)?;
        before.is_empty().then_some((*between, role, after))
    })
}

/// A list, each phase once.
fn write_list(phases: &[(&str, &str)], out: &mut String) {
    let mut once: Vec<(&str, &str)> = Vec::new();
    for one in phases {
        if !once.iter().any(|(_, name)| *name == one.1) {
            once.push(*one);
        }
    }
    let whole = once.len() == phases.len();
    let last = phases.last().map_or("", |(between, _)| between);
    for (n, (between, name)) in once.iter().enumerate() {
        out.push_str(match n {
            0 => "",
            _ if whole => between,
            _ if n + 1 == once.len() => last,
            _ => ", ",
        });
        out.push_str(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCS: &str = "observe=look execute=write verify=write condense=settle plan=look";

    #[test]
    fn a_sentence_names_the_phases_of_the_track() {
        for (text, as_shipped, as_docs) in [
            ("only {condense} ends notes.", "only condense ends notes.", "only settle ends notes."),
            (
                "{observe}, {plan}, {execute} and {verify} may.",
                "observe, plan, execute and verify may.",
                "look and write may.",
            ),
            ("{execute} and {verify} may.", "execute and verify may.", "write may."),
            (
                "only {observe}, {plan} and {condense} do.",
                "only observe, plan and condense do.",
                "only look and settle do.",
            ),
            ("back {plan} -m {dir}", "back plan -m {dir}", "back look -m {dir}"),
            ("{dir} and {path}", "{dir} and {path}", "{dir} and {path}"),
        ] {
            assert_eq!(
                (put(text, None), put(text, Some(DOCS))),
                (as_shipped.into(), as_docs.into())
            );
        }
    }

    #[test]
    fn a_phase_speaks_as_the_shipped_one_that_does_its_work() {
        for (own, as_shipped) in
            [("look", "observe"), ("write", "execute"), ("settle", "condense"), ("rest", "rest")]
        {
            assert_eq!(shipped(own, Some(DOCS)), as_shipped);
        }
        assert_eq!(shipped("execute", None), "execute");
    }
}
