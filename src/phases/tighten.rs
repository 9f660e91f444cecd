//! Rows that bind one job only may add and tighten, and loosen nothing.
//!
//! They put phases of looking between those that are there, and ask more of the ones that
//! are: further gates, sections and words. What may be done, written and asked in a phase,
//! who approves and which way is home stay as the repository's rules have them, and no way
//! leads past a phase that a job goes through without them.

use std::collections::BTreeSet;

use super::overlay::PhaseRow;
use super::{BadMap, Class, Map, Phase, PhaseKind, PhaseName, Write};

/// What a row may say of a phase that is there already.
const MORE: [&str; 11] = [
    "next",
    "exit",
    "return",
    "sections",
    "sections_to",
    "criteria",
    "audit",
    "words",
    "dial",
    "work",
    "purpose",
];
/// The gate that keeps what is nobody's out of a commit.
const CLEAN: &str = "clean";

/// Rows of one job make no phase like another: what it may do would come along unsaid.
///
/// # Errors
///
/// Names the row that does.
pub(crate) fn says_itself(rows: &[PhaseRow]) -> Result<(), BadMap> {
    let Some(row) = rows.iter().find(|row| row.like.is_some()) else { return Ok(()) };
    let what = "a job's rules make no phase like another; write its row out";
    Err(BadMap::row(&row.name, "like", what))
}

/// Compares the map `new`, which has `rows` laid over it, with `old`, which has not.
///
/// # Errors
///
/// Names the row and the key that would loosen something.
pub(crate) fn only_tightens(old: &Map, new: &Map, rows: &[&PhaseRow]) -> Result<(), BadMap> {
    for row in rows {
        let Some(now) = find(new, &row.name) else { continue };
        match find(old, &row.name) {
            Some(was) => asks_for_more(was, now, row).and_then(|()| leaves_the_rest(was, now))?,
            None => only_looks(old, now, row)?,
        }
    }
    new.phases().try_for_each(|now| leads_past_nothing(old, new, now))
}

fn find<'a>(map: &'a Map, name: &PhaseName) -> Option<&'a Phase> {
    map.phases().find(|phase| phase.name == *name)
}

fn asks_for_more(was: &Phase, now: &Phase, row: &PhaseRow) -> Result<(), BadMap> {
    let no = |key: &str, what: String| Err(BadMap::row(&row.name, key, what));
    if !was.is_in_cycle() {
        return no("name", "a job's rules leave the rooms around a cycle as they are".to_owned());
    }
    if let Some(key) = row.keys.keys().find(|key| !MORE.contains(&key.as_str())) {
        return no(
            key,
            format!(
                "a job's rules do not say this of a phase that is there; they may say: {}",
                MORE.join(", ")
            ),
        );
    }
    let lists = [
        ("exit", &was.exit, &now.exit),
        ("return", &was.back_gates, &now.back_gates),
        ("sections", &was.sections, &now.sections),
    ];
    for (key, was, now) in lists {
        if let Some(gone) = was.iter().find(|one| !now.contains(one)) {
            return no(
                key,
                format!("`{gone}` is left out; a job's rules add and take nothing away"),
            );
        }
    }
    for (to, titles) in &was.sections_to {
        let kept = now.sections_to.get(to).map_or(&[][..], Vec::as_slice);
        if let Some(gone) = titles.iter().find(|title| !kept.contains(title)) {
            return no(
                "sections_to",
                format!("`{gone}` is left out; a job's rules add and take nothing away"),
            );
        }
    }
    if was.criteria.is_some() && was.criteria != now.criteria {
        return no(
            "criteria",
            "a job's rules do not take the section of the criteria away".to_owned(),
        );
    }
    let lines = |phase: &Phase| phase.audit.as_ref().map(|audit| audit.lines);
    if lines(was).is_some_and(|was| lines(now).is_none_or(|now| now > was)) {
        return no("audit", "a job's rules may ask for an auditor sooner, not later".to_owned());
    }
    if was.words > now.words {
        return no("words", "a job's rules may ask for more words, not for fewer".to_owned());
    }
    if was.dial && !now.dial {
        return no("dial", "a job's rules do not take the multiplier away".to_owned());
    }
    Ok(())
}

fn leaves_the_rest(was: &Phase, now: &Phase) -> Result<(), BadMap> {
    if is_the_same(was, now) {
        return Ok(());
    }
    let more = MORE.join(", ");
    let what = format!("a job's rules leave the rest of a phase as it is; they may say: {more}");
    Err(BadMap::row(&now.name, "name", what))
}

/// The rows say the same, but for what a job's rules may say, and for how sentences call phases.
fn is_the_same(was: &Phase, now: &Phase) -> bool {
    let Phase { next, exit, back_gates, sections, sections_to, criteria, .. } = was.clone();
    let Phase { audit, words, dial, work, purpose, names, .. } = was.clone();
    let more = Phase { next, exit, back_gates, sections, criteria, sections_to, ..now.clone() };
    Phase { dial, audit, words, names, work, purpose, ..more } == *was
}

/// The first key of a phase by which it does more than look and ask.
fn does(phase: &Phase) -> Option<&'static str> {
    let keys = [
        ("reproduces", phase.reproduces),
        ("anchor", phase.anchor.is_some()),
        ("write", !phase.write.is_empty()),
        ("declares", phase.declares),
        ("freezes", phase.freezes),
        ("checkpoints", phase.checkpoints),
        ("measures", phase.measures),
        ("births", phase.births),
        ("unlinks", phase.unlinks),
        ("decides", phase.decides),
    ];
    keys.into_iter().find_map(|(key, does)| does.then_some(key))
}

fn only_looks(old: &Map, now: &Phase, row: &PhaseRow) -> Result<(), BadMap> {
    let no = |key: &str, what: String| Err(BadMap::row(&row.name, key, what));
    if now.kind != PhaseKind::Work {
        return no("kind", "a phase of a job's own is `work`".to_owned());
    }
    if let Some(key) = does(now) {
        return no(
            key,
            "a phase of a job's own looks and asks; it writes and decides nothing".to_owned(),
        );
    }
    let looking: Vec<&Phase> =
        old.phases().filter(|phase| phase.is_in_cycle() && !builds(phase)).collect();
    let open = |of: List, class: &Class| looking.iter().any(|row| of(row).contains(class));
    let lists: [(&str, List); 2] =
        [("acts", |phase| &phase.acts), ("confined", |phase| &phase.confined)];
    for (key, of) in lists {
        if let Some(n) = of(now).iter().position(|class| !open(of, class)) {
            let said = row.keys.get(key).and_then(|list| list[n].as_str()).unwrap_or_default();
            return no(key, format!("`{said}` is open in no phase that builds nothing"));
        }
    }
    let asks = find(old, &old.start).map_or(&[][..], |start| start.questions.as_slice());
    if let Some(more) = now.questions.iter().find(|word| !asks.contains(word)) {
        return no("questions", format!("`{more}` is not asked here; known: {}", asks.join(", ")));
    }
    for (key, gates) in [("exit", &now.exit), ("return", &now.back_gates)] {
        if !gates.iter().any(|gate| gate == CLEAN) {
            return no(key, format!("the gate `{CLEAN}` is wanted here"));
        }
    }
    Ok(())
}

type List = fn(&Phase) -> &Vec<Class>;

fn builds(phase: &Phase) -> bool {
    phase.write.iter().any(|write| matches!(write, Write::Scope | Write::All))
}

/// Where a way leads on through phases of the job's own, it comes out where it led before.
fn leads_past_nothing(old: &Map, new: &Map, now: &Phase) -> Result<(), BadMap> {
    let Some(was) = find(old, &now.name) else { return Ok(()) };
    let mut ahead: Vec<&PhaseName> = now.next.iter().collect();
    let mut seen = BTreeSet::new();
    while let Some(to) = ahead.pop() {
        if was.next.contains(to) || !seen.insert(to) {
            continue;
        }
        if find(old, to).is_some() {
            let what = format!("this way leads to `{to}`, past what stands before it");
            return Err(BadMap::row(&now.name, "next", what));
        }
        ahead.extend(find(new, to).into_iter().flat_map(|phase| &phase.next));
    }
    Ok(())
}
