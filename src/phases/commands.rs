//! Judges commands of git seed that cross no boundary, by the row where the job stands.
//!
//! Each rule takes the row and plain values, and says yes or which work is wanted. What is
//! no question of where the job stands, such as an argument that does not read, is the
//! caller's to find.

use super::home::Away;
use super::pacing::{CORE_LENSES, Pace};
use super::{Multiplier, Phase, PhaseKind, PhaseName};
use crate::verdict::{Case, Refusal, Verdict, Wants};

/// Words that a look through a lens has at least.
const REFLECTION_WORDS: usize = 20;

fn elsewhere(by: &'static str, case: Case, phase: &PhaseName) -> Refusal {
    Refusal::new(by, Wants::Edge).case(case).with("phase", phase.as_str())
}

/// The multiplier: said once in a stay, in a row that has it. `said` is whether it was;
/// `phase` is where the job stands.
///
/// # Errors
///
/// Refuses a second one, and one where the row asks for none.
pub fn multiplier(row: &Phase, phase: &PhaseName, said: bool) -> Verdict {
    let no = |case: Case| Err(row.names.put_in(elsewhere("dial", case, phase)));
    match (row.dial, said) {
        (true, false) => Ok(()),
        (true, true) => no(Case::DialTwice),
        (false, _) => no(Case::DialNowhere),
    }
}

/// The same of a command that brings the multiplier along: one that was refused is given again as
/// it was, so the value that is set already is no second one.
///
/// # Errors
///
/// Refuses another value, and any where the row asks for none.
pub(crate) fn brings_multiplier(
    row: &Phase,
    phase: &PhaseName,
    set: Option<Multiplier>,
    value: Multiplier,
) -> Verdict {
    if row.dial && set == Some(value) { Ok(()) } else { multiplier(row, phase, set.is_some()) }
}

/// The pace of a row where a stay can be looked at again.
///
/// # Errors
/// Rows without a pace, and those outside a job's life, have nothing to look at.
pub fn reflects(row: &Phase) -> Result<&Pace, Refusal> {
    let pace = row.pace.as_ref().filter(|_| row.kind != PhaseKind::Outside);
    pace.ok_or_else(|| Refusal::new("reflect", Wants::Edge).case(Case::ReflectNowhere))
}

/// The lenses through which a stay of this pace may be looked at.
pub(crate) fn lenses(pace: &Pace) -> Vec<&str> {
    let own = pace.lenses.iter().chain(&pace.reflectors).map(String::as_str);
    CORE_LENSES.iter().copied().chain(own).collect()
}

/// What was seen through `lens` is worth keeping.
///
/// # Errors
///
/// Refuses a text with too few words.
pub fn reflection(lens: &str, text: &str) -> Verdict {
    if text.split_whitespace().count() >= REFLECTION_WORDS {
        return Ok(());
    }
    Err(Refusal::new("reflect", Wants::Depth).case(Case::Thin).with("lens", lens))
}

/// The plan document is decided in its row, in the first cycle. A job that came from a small
/// lane comes later and has not `decided` yet; saying the same `again` is open everywhere.
///
/// # Errors
///
/// Refuses in another row, and in a later cycle once it is decided.
pub fn plan_decision(row: &Phase, cycle: u32, decided: bool, again: bool) -> Verdict {
    let late = cycle != 1 && decided;
    if again || (row.decides && !late) {
        return Ok(());
    }
    Err(row.names.put_in(Refusal::new("decision", Wants::Edge).case(Case::PlanTime)))
}

/// A well-formed command that the state does not allow: `said` says why, `next` what does it now.
pub(crate) fn not_now(said: String, next: String) -> Refusal {
    Refusal::new("state", Wants::Edge).case(Case::NotNow).with("said", said).with("next", next)
}

/// The shape of the objective is declared while the objective can still take it.
pub(crate) fn shape(cycle: u32) -> Verdict {
    if cycle <= 1 {
        return Ok(());
    }
    Err(Refusal::new("shape", Wants::Edge).case(Case::ShapeTime))
}

/// Jobs and dependencies are made in a row that opens that.
///
/// # Errors
///
/// Refuses in a row that does not open it.
pub fn births(row: &Phase, phase: &PhaseName) -> Verdict {
    let case = if row.leaves_memory_alone() { Case::BirthLater } else { Case::BirthTime };
    if row.births { Ok(()) } else { Err(row.names.put_in(elsewhere("births", case, phase))) }
}

/// Dependencies are given up in a row that opens that.
///
/// # Errors
///
/// Refuses in a row that does not open it.
pub fn unlinks(row: &Phase, phase: &PhaseName) -> Verdict {
    let no = || row.names.put_in(elsewhere("births", Case::UnlinkTime, phase));
    if row.unlinks { Ok(()) } else { Err(no()) }
}

/// The focus of a worktree moves to job `id`. `held` is another worktree that has the job in
/// focus; `busy` is where the job stands that would lose it, if that is in the middle of a cycle.
///
/// # Errors
///
/// Refuses a job that another worktree has, and to leave one in the middle of a cycle.
pub fn focus(id: &str, held: Option<&str>, busy: Option<&PhaseName>) -> Verdict {
    match (held, busy) {
        (Some(worktree), _) => Err(Refusal::new("focus", Wants::Edge)
            .case(Case::FocusElsewhere)
            .with("id", id)
            .with("worktree", worktree)),
        (None, Some(phase)) => Err(elsewhere("focus", Case::FocusBusy, phase)),
        (None, None) => Ok(()),
    }
}

/// Footers are archived and absorbed where they are measured, once every note is at rest;
/// `live` is the place of one that is not. `by` is the command.
///
/// # Errors
///
/// Refuses in a row that measures nothing, and while a note is live.
pub fn condenses(row: &Phase, live: Option<&str>, by: &'static str) -> Verdict {
    let no = match live {
        _ if !row.measures => Refusal::new(by, Wants::Archive).case(Case::Phase),
        Some(place) => Refusal::new(by, Wants::Settled).case(Case::Notes).with("where", place),
        None => return Ok(()),
    };
    Err(row.names.put_in(no))
}

/// What a session leaves to the next is a job's, and belongs to its branch; `away` is the
/// branch where HEAD is instead.
pub(crate) fn hands_over(talk: bool, away: Option<Away<'_>>) -> Verdict {
    match away {
        _ if talk => Err(Refusal::new("compact", Wants::Begin).case(Case::Talk)),
        Some(away) => Err(away.refusal("compact")),
        None => Ok(()),
    }
}

/// The side lane is left with a clean tree; `dirty` is a path of it that was changed there.
///
/// # Errors
///
/// Refuses while a path is `dirty`.
pub fn side_is_clean(dirty: Option<&str>) -> Verdict {
    match dirty {
        Some(path) => Err(Refusal::new("clean", Wants::Clean).case(Case::Side).with("path", path)),
        None => Ok(()),
    }
}

/// The side lane leaves a new note on the root cause: `notes` of them are open now, and
/// `before` were when it was entered. A person closes it without (`before` is none).
///
/// # Errors
///
/// Refuses while there is no new note.
pub fn names_the_root_cause(before: Option<usize>, notes: usize) -> Verdict {
    match before {
        Some(before) if notes <= before => {
            Err(Refusal::new("root-cause", Wants::Settled).case(Case::RootCause))
        }
        _ => Ok(()),
    }
}

/// It is a person's, who types cannot be told, and no word in a session confirms it.
pub(crate) fn takes_no_code(command: &str, by: &str) -> Refusal {
    Refusal::new("person", Wants::Person)
        .case(Case::NoCode)
        .with("command", format!("git seed {command}"))
        .with("by", by)
}

/// It is a person's, and no session that lives takes a word for it: `client` has to end first.
pub(crate) fn client_ends_first(command: &str, client: &str) -> Refusal {
    Refusal::new("person", Wants::Person)
        .case(Case::ClientFirst)
        .with("command", format!("git seed {command}"))
        .with("client", client)
}

/// It is a person's, and no word for it came from a session; `why` says how it ended.
pub(crate) fn was_not_said(command: &str, why: &str) -> Refusal {
    Refusal::new("person", Wants::Person)
        .case(Case::Unsaid)
        .with("command", format!("git seed {command}"))
        .with("why", why)
}

/// The refusal of `command`, which is a person's, where none may be assumed; `why` says how
/// that is known.
pub(crate) fn persons_only(command: &str, why: &str) -> Refusal {
    Refusal::new("person", Wants::Person)
        .case(Case::Terminal)
        .with("command", format!("git seed {command}"))
        .with("why", why)
}

/// The refusal of a command that is about a job, in a mode that keeps none.
pub(crate) fn needs_jobs(command: &str, watches: bool) -> Refusal {
    let case = if watches { Case::OnlyInWatch } else { Case::OnlyInFence };
    Refusal::new("mode", Wants::Begin).case(case).with("command", command)
}

/// The refusal of a command that changes something, given by a session that does not drive the job.
pub(crate) fn of_a_guest(title: &str) -> Refusal {
    Refusal::new("driver", Wants::Driver).case(Case::Guest).with("title", title)
}

/// Recorded commands run where a person or a machine of theirs asks, never where an agent does.
pub(crate) fn runs_nothing_for_agents(why: &str) -> Refusal {
    Refusal::new("person", Wants::Person).case(Case::Rerun).with("why", why)
}

/// The refusal of a form of `command` that shows figures, which an agent is not told.
pub(crate) fn figures(by: &'static str, command: &str) -> Refusal {
    Refusal::new(by, Wants::Person).case(Case::Figures).with("command", command)
}

/// The refusal of a `command` that draws on a terminal, where there is none.
pub(crate) fn no_terminal(by: &'static str, command: &str) -> Refusal {
    Refusal::new(by, Wants::Person).case(Case::NoTerminal).with("command", command)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phases::{Map, OPEVC, Write};

    fn said(verdict: Verdict) -> String {
        verdict.map_or_else(
            |no| format!("{} {}", no.by, no.facts.get("case").unwrap_or("-")),
            |()| "yes".to_owned(),
        )
    }

    #[test]
    fn a_multiplier_that_a_command_brings_is_the_same_or_the_first() {
        let map = Map::read(OPEVC).expect("the shipped map is sound");
        let value = |text: &str| text.parse::<Multiplier>().expect("a value");
        for (name, set, brought, expected) in [
            ("observe", None, "3", "yes"),
            ("observe", Some("3"), "3", "yes"),
            ("observe", Some("2"), "3", "dial dial-twice"),
            ("idle", None, "3", "dial dial-nowhere"),
        ] {
            let row = map.phase(&name.into()).expect("a phase of the map");
            let verdict = brings_multiplier(row, &row.name, set.map(value), value(brought));
            assert_eq!(said(verdict), expected, "{name} {set:?} {brought}");
        }
    }

    /// Each rule asks what the row opens: a row by any other name gets the same answer.
    #[test]
    fn what_a_row_opens_is_asked_and_not_its_name() {
        let map = Map::read(OPEVC).expect("the shipped map is sound");
        let row = |name: &str| Phase {
            name: "renamed".into(),
            ..map.phase(&name.into()).expect("a phase of the map").clone()
        };
        let here = PhaseName::from("renamed");
        for (name, refused) in [
            ("idle", "dial-nowhere reflect-nowhere plan-time birth-time unlink-time phase"),
            ("observe", "plan-time birth-time unlink-time phase"),
            ("plan", "birth-time unlink-time phase"),
            ("execute", "plan-time birth-time unlink-time phase"),
            ("verify", "plan-time birth-time phase"),
            ("condense", "plan-time unlink-time"),
        ] {
            let row = row(name);
            let verdicts = [
                multiplier(&row, &here, false),
                reflects(&row).map(drop),
                plan_decision(&row, 1, false, false),
                births(&row, &here),
                unlinks(&row, &here),
                condenses(&row, None, "archive"),
            ];
            let cases =
                verdicts.iter().filter_map(|verdict| verdict.as_ref().err()?.facts.get("case"));
            assert_eq!(cases.collect::<Vec<_>>().join(" "), refused, "{name}");
        }
        // Who works where no page can be written hears of another way on.
        let quiet = Phase { write: vec![Write::Scope], ..row("execute") };
        assert_eq!(said(births(&quiet, &here)), "births birth-later");
    }

    #[test]
    fn what_is_said_once_or_in_time_is_told_apart() {
        let map = Map::read(OPEVC).expect("the shipped map is sound");
        let plan = map.phase(&"plan".into()).expect("a phase");
        let condense = map.phase(&"condense".into()).expect("a phase");
        let away = Some(Away { branch: "main", is_gone: false });
        for (verdict, expected) in [
            (multiplier(plan, &plan.name, true), "dial dial-twice"),
            (plan_decision(plan, 2, false, false), "yes"),
            (plan_decision(plan, 2, true, false), "decision plan-time"),
            (plan_decision(condense, 3, true, true), "yes"),
            (shape(0), "yes"),
            (shape(1), "yes"),
            (shape(2), "shape shape-time"),
            (births(map.none(), &map.none().name), "births birth-time"),
            (focus("j", None, None), "yes"),
            (focus("j", Some("/w"), Some(&plan.name)), "focus focus-elsewhere"),
            (focus("j", None, Some(&plan.name)), "focus focus-busy"),
            (condenses(condense, Some("CLAUDE.md:9"), "absorb"), "absorb notes"),
            (hands_over(false, None), "yes"),
            (hands_over(true, away), "compact talk"),
            (hands_over(false, away), "compact branch"),
            (side_is_clean(None), "yes"),
            (side_is_clean(Some("a")), "clean side"),
            (names_the_root_cause(None, 0), "yes"),
            (names_the_root_cause(Some(1), 1), "root-cause root-cause"),
            (names_the_root_cause(Some(1), 2), "yes"),
            (reflection("scope", "too few words"), "reflect thin"),
            (reflection("scope", &"word ".repeat(20)), "yes"),
        ] {
            assert_eq!(said(verdict), expected);
        }
    }
}
