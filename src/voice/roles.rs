//! The phases that sentences speak of: `{observe}` to `{condense}`, each a place that holds what
//! the track of the job calls the phase where that work is done.
//!
//! A track may do the work of two of them in one phase; a list then names it once. It may do none
//! of one: then nothing is promised of that phase, and a command names the nearest one. Pure.

use std::borrow::Cow;

/// The phases, as shipped tracks call them.
const ROLES: [&str; 5] = ["observe", "plan", "execute", "verify", "condense"];

/// What may stand between two of them in a list.
const BETWEEN: [&str; 4] = [", and ", ", ", " and ", " or "];

/// True for the name of such a place.
pub(super) fn is_role(name: &str) -> bool {
    ROLES.contains(&name)
}

/// What stands between a role and its phase: the work is done there, or it is only the nearest one.
const DOES: char = '=';
const NEAR: char = '~';

/// What `names` (`observe=look execute~look …`) calls `role`, and whether that phase does its work.
fn own<'n>(role: &'n str, names: &'n str) -> (&'n str, bool) {
    let mut pairs = names.split(' ').filter_map(|pair| {
        let at = pair.find([DOES, NEAR])?;
        (&pair[..at] == role).then(|| (&pair[at + 1..], pair[at..].starts_with(DOES)))
    });
    pairs.next().unwrap_or((role, true))
}

/// What shipped tracks call the phase that these names call `phase`.
pub(super) fn shipped<'n>(phase: &'n str, names: Option<&'n str>) -> &'n str {
    let mut pairs = names.unwrap_or_default().split(' ').filter_map(|pair| pair.split_once(DOES));
    pairs.find(|(_, own)| *own == phase).map_or(phase, |(shipped, _)| shipped)
}

/// What stands before a phase that alone may do something.
const ONLY: &str = "only ";

/// `text` with the phases in their places.
pub(crate) fn put<'t>(text: &'t str, names: Option<&str>) -> Cow<'t, str> {
    if !ROLES.iter().any(|role| text.contains(&format!("{{{role}}}"))) {
        return Cow::Borrowed(text);
    }
    let names = names.unwrap_or_default();
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, role, after)) = next(rest) {
        let (mut list, mut left) = (vec![("", own(role, names))], after);
        while let Some((between, role, after)) = follows(left) {
            list.push((between, own(role, names)));
            left = after;
        }
        out.push_str(before);
        match list.iter().any(|(_, (_, does))| *does) {
            false if out.ends_with(ONLY) => {
                out.truncate(out.len() - ONLY.len());
                out.push_str("no phase of this job");
            }
            // A command names the nearest one.
            false => write_list(&list, &mut out),
            true => {
                list.retain(|(_, (_, does))| *does);
                write_list(&list, &mut out);
            }
        }
        rest = left;
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// What stands between two promises.
const APART: [&str; 2] = ["; ", ", and {"];

/// What `text` promises of phases, without what no phase of the job keeps; nothing where that is
/// all of it.
pub(super) fn kept<'t>(text: &'t str, names: Option<&str>) -> Option<Cow<'t, str>> {
    let names = names.unwrap_or_default();
    if !names.contains(NEAR) || text.is_empty() {
        return Some(Cow::Borrowed(text));
    }
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((at, apart)) = APART.iter().filter_map(|a| Some((rest.find(a)?, *a))).min() {
        // A list ends with the same words.
        let ends = if apart.ends_with('{') && rest[..at].ends_with('}') { None } else { Some(at) };
        let Some(at) = ends else { break };
        parts.push((&rest[..at], apart.trim_end_matches('{')));
        rest = &rest[at + apart.trim_end_matches('{').len()..];
    }
    parts.push((rest, ""));
    // Its first phases are those that it speaks of; others say what they do it with.
    let holds = |part: &str| {
        let Some((_, role, mut left)) = next(part) else { return true };
        let mut does = own(role, names).1;
        while let Some((_, role, after)) = follows(left) {
            (does, left) = (does || own(role, names).1, after);
        }
        does
    };
    let whole = parts.len();
    parts.retain(|(part, _)| holds(part));
    if parts.is_empty() {
        return None;
    }
    if parts.len() == whole {
        return Some(Cow::Borrowed(text));
    }
    let mut out = String::new();
    for (n, (part, apart)) in parts.iter().enumerate() {
        out.push_str(part);
        out.push_str(if n + 1 < parts.len() { apart } else { "" });
    }
    Some(Cow::Owned(if out.ends_with('.') { out } else { out + "." }))
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
fn write_list(phases: &[(&str, (&str, bool))], out: &mut String) {
    let mut once: Vec<(&str, &str)> = Vec::new();
    for (between, (name, _)) in phases {
        if !once.iter().any(|(_, known)| known == name) {
            once.push((between, name));
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

    const RESEARCH: &str =
        "observe=explore execute~explore verify~explore condense=conclude plan~explore";

    #[test]
    fn nothing_is_promised_that_no_phase_of_the_job_does() {
        for (text, said) in [
            ("{execute} and {verify} may run it.", None),
            ("{execute} may change it, and {verify} tests it again.", None),
            ("{execute} may change files in {dir}, because you edited its page.", None),
            (
                "{observe} opens; {execute} may later change the directories that {observe} and \
                 {plan} declare.",
                Some("explore opens."),
            ),
            ("keep it in a note; {execute} may do it.", Some("keep it in a note.")),
            (
                "{observe}, {plan}, {execute} and {verify} may launch subagents.",
                Some("explore may launch subagents."),
            ),
            ("it shows the decision.", Some("it shows the decision.")),
            ("", Some("")),
        ] {
            let kept = kept(text, Some(RESEARCH));
            let put = kept.map(|text| put(&text, Some(RESEARCH)).into_owned());
            assert_eq!(put.as_deref(), said, "{text}");
        }
        for (text, said) in [
            ("only {plan} decides.", "no phase of this job decides."),
            ("only {condense} may.", "only conclude may."),
            ("git seed phase back {plan}", "git seed phase back explore"),
        ] {
            assert_eq!(put(text, Some(RESEARCH)), said);
        }
        assert_eq!(kept("{execute} may.", Some(DOCS)).as_deref(), Some("{execute} may."));
        assert_eq!(kept("{execute} may.", None).as_deref(), Some("{execute} may."));
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
