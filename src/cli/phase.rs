//! `git seed phase …`

use crate::engine::{
    boundary, briefing, jobs, landing, memory, record, report, scope_words, unhooked,
};
use crate::voice::{self, Notice};
use clap::Subcommand;
use std::collections::BTreeSet;

use super::{Context, Outcome, TextArgs, refuse, report::Report, width::padded};
use crate::engine::boundary::step::Transitioned;
use crate::engine::record::draft::By;
use crate::engine::record::transition::Transition;
use crate::engine::repo::{EngineError, LoadedJob, Repo};
use crate::engine::untold::{self, Part};
use crate::phases::{Multiplier, PhaseKind, PhaseName, gates};
use crate::verdict::{Refusal, Verdict};

#[derive(Debug, Subcommand)]
pub(super) enum PhaseCommand {
    /// Show the current phase, its purpose and what it allows
    Current,
    /// Print the number of the cycle
    Cycle,
    /// List the phases and the steps between them
    List,
    /// Move to the next phase
    ///
    /// The message becomes the phase commit on your branch: a first line, then the sections of
    /// the phase. git seed checks the gates first. If a gate refuses, nothing changes.
    Advance {
        #[command(flatten)]
        text: TextArgs,
        /// The phase to move to, when there are several
        #[arg(long, value_name = "phase")]
        to: Option<String>,
        /// Declare a directory with this step; may be given several times
        #[arg(long, value_name = "dir")]
        scope: Vec<String>,
        /// Start the job on the small lane, directly in execute
        ///
        /// Use it for a fix of a few lines, in a directory of which you read something in this
        /// job. The message says, in one line each, what you saw, what will change, and which
        /// run will show it. If the work outgrows the lane, continue with --up.
        #[arg(long, conflicts_with_all = ["to", "add_cycle", "up", "review"])]
        small: bool,
        /// Leave the small lane and go on with the larger track; the work so far is kept
        #[arg(long, conflicts_with_all = ["to", "scope", "add_cycle"])]
        up: bool,
        /// Open a small cycle for the person's comments on the finished work
        ///
        /// Use it after the answer `Review` and the person's next prompt. It needs no message:
        /// the completion question closes the cycle, and the person's prompt opens the next one.
        #[arg(long, conflicts_with_all = ["to", "scope", "add_cycle", "up", "message", "file"])]
        review: bool,
        /// Add a cycle to the job, and say why (in condense)
        ///
        /// Without a value, the reason is the text of -m or -F before its first section.
        #[arg(long, value_name = "text", num_args = 0..=1, default_missing_value = "")]
        add_cycle: Option<String>,
    },
    /// Commit the work so far and stay in the phase (in execute)
    Checkpoint {
        #[command(flatten)]
        text: TextArgs,
    },
    /// Go back to an earlier phase of the same cycle
    Back {
        /// The phase to go back to; the nearest one when omitted
        to: Option<String>,
        #[command(flatten)]
        text: TextArgs,
    },
    /// Set the multiplier, which says how small the work in this phase is
    ///
    /// Set it before the first edit of code. Every command takes `--multiplier` as well, and sets
    /// it first.
    Multiplier {
        /// 0.5, 1, 1.5, 2, 2.5 or 3; a larger value means smaller work
        value: String,
    },
}

pub(super) fn run(
    command: &PhaseCommand,
    context: &Context,
    out: &mut Report,
) -> crate::cli::Result<Outcome> {
    let repo = context.repo()?;
    if let Err(refusal) = before_a_step(&repo, command, context, out)? {
        return Ok(refuse(&repo, &refusal, out));
    }
    match command {
        PhaseCommand::Current => current(&repo, out),
        PhaseCommand::Cycle => {
            let shown = report::phase_shown(&repo)?;
            out.json(&shown.cycle);
            out.line(shown.cycle);
            Ok(Outcome::Yes)
        }
        PhaseCommand::List => list(&repo, out),
        PhaseCommand::Advance { review: true, .. } => {
            crossed(&repo, boundary::reopen::reopen(&repo)?, out)
        }
        PhaseCommand::Advance { text, up: true, .. } => {
            cross(&repo, &Transition::Up, &text.read()?, out)
        }
        PhaseCommand::Advance { text, scope, small: true, .. } => {
            let scope = scope_words::dirs_of(&repo, scope);
            crossed(&repo, boundary::small::open(&repo, &scope, &text.read()?)?, out)
        }
        PhaseCommand::Advance { text, to, scope, add_cycle, .. } => {
            let scope = scope_words::dirs_of(&repo, scope);
            to.as_deref().map_or(Ok(()), |to| is_phase(&repo, to))?;
            let (to, text) = (to.as_deref().map(PhaseName::from), text.read()?);
            if to.is_none()
                && add_cycle.is_none()
                && let Some(opened) = boundary::small::plain(&repo, &scope, &text)?
            {
                return crossed(&repo, opened, out);
            }
            let add_cycle = add_cycle.as_deref().map(|why| reason(why, &text));
            if let Err(refusal) = only_in_condense(&repo, add_cycle.as_deref())? {
                return Ok(refuse(&repo, &refusal, out));
            }
            cross(&repo, &Transition::Forward { to, add_cycle, scope }, &text, out)
        }
        PhaseCommand::Checkpoint { text } => {
            cross(&repo, &Transition::Checkpoint, &text.read()?, out)
        }
        PhaseCommand::Back { to, text } => {
            to.as_deref().map_or(Ok(()), |to| is_phase(&repo, to))?;
            let (to, text) = (to.as_deref().map(PhaseName::from), text.read()?);
            back(&repo, to, &text, out)
        }
        PhaseCommand::Multiplier { value } => multiplier(&repo, value, out),
    }
}

/// Why a cycle is added: what stands behind the option, else what the message begins with.
fn reason(why: &str, message: &str) -> String {
    if !why.trim().is_empty() {
        return why.to_owned();
    }
    let begins = message.lines().take_while(|line| !line.starts_with('#'));
    begins.collect::<Vec<_>>().join("\n").trim().to_owned()
}

fn only_in_condense(
    repo: &Repo,
    add_cycle: Option<&str>,
) -> Result<Result<(), Refusal>, EngineError> {
    let Some(why) = add_cycle else { return Ok(Ok(())) };
    let focused = repo.require_focused()?;
    if why.trim().is_empty() {
        return Err(EngineError::Usage(voice::tell(Notice::AddCycleSaysWhy, &[])));
    }
    let phase = &focused.state.stand.phase;
    Ok(gates::adds_cycle(repo.row(Some(&focused)), phase, focused.state.job.status.is_open()))
}

fn current(repo: &Repo, out: &mut Report) -> crate::cli::Result<Outcome> {
    let shown = report::phase_shown(repo)?;
    out.json(&shown);
    if let Some(focused) = repo.focused()? {
        out.line(briefing::gather::entry_text(repo, &focused).trim_end());
        let row = repo.row(Some(&focused));
        let steps = |names: &[PhaseName]| {
            names.iter().map(PhaseName::as_str).collect::<Vec<_>>().join(", ")
        };
        let (next, back) = (steps(&row.next), steps(&row.back));
        let told = match (next.is_empty(), back.is_empty()) {
            (false, true) => Notice::StepsOn,
            (false, false) => Notice::StepsOnAndBack,
            (true, _) => return Ok(Outcome::Yes),
        };
        out.line(voice::tell(told, &[("next", &next), ("back", &back)]));
    } else {
        out.line(voice::tell(Notice::NoJobFocused, &[]));
    }
    Ok(Outcome::Yes)
}

fn list(repo: &Repo, out: &mut Report) -> crate::cli::Result<Outcome> {
    let focused = repo.focused()?;
    let map =
        focused.as_ref().map_or(repo.rules.maps.home(), |focused| repo.map(&focused.state.stand));
    let rows: Vec<_> = map
        .phases()
        .filter(|phase| !phase.next.is_empty() || phase.kind == PhaseKind::Side)
        .map(|phase| {
            let names =
                |list: &[PhaseName]| list.iter().map(PhaseName::to_string).collect::<Vec<_>>();
            (phase, names(&phase.next), names(&phase.back))
        })
        .collect();
    let json: Vec<_> = rows
        .iter()
        .map(|(row, next, back)| {
            let name = row.name.as_str();
            serde_json::json!({ "phase": name, "next": next, "back": back })
        })
        .collect();
    out.json(&json);
    for (row, next, back) in &rows {
        let side = row.kind == PhaseKind::Side;
        let next = if side { "where it was entered".to_owned() } else { next.join(", ") };
        let back =
            if back.is_empty() { String::new() } else { format!("   back to {}", back.join(", ")) };
        out.line(format_args!("{} -> {next}{back}", padded(row.name.as_str(), 9)));
    }
    Ok(Outcome::Yes)
}

fn multiplier(repo: &Repo, value: &str, out: &mut Report) -> crate::cli::Result<Outcome> {
    let value = read_multiplier(value)?;
    match jobs::lifecycle::set_multiplier(repo, value)? {
        Ok(focused) => {
            let stand = &focused.state.stand;
            out.json(&serde_json::json!({ "phase": stand.phase.as_str(),
                "multiplier": f64::from(value.tenths()) / 10.0 }));
            out.line(format_args!("{} is open.", stand.phase));
            Ok(Outcome::Yes)
        }
        Err(refusal) => Ok(refuse(repo, &refusal, out)),
    }
}

/// Sets the multiplier that a command brings along, before the command itself.
pub(super) fn bring_multiplier(
    repo: &Repo,
    value: &str,
    out: &mut Report,
) -> crate::cli::Result<Outcome> {
    match jobs::lifecycle::bring_multiplier(repo, read_multiplier(value)?)? {
        Ok(()) => Ok(Outcome::Yes),
        Err(refusal) => Ok(refuse(repo, &refusal, out)),
    }
}

/// Names that no map has are words that the parser does not know.
fn is_phase(repo: &Repo, name: &str) -> Result<(), EngineError> {
    let maps = &repo.rules.maps;
    let mut known: Vec<&str> = Vec::new();
    for row in maps.names().into_iter().flat_map(|track| maps.get(track).phases()) {
        if !known.contains(&row.name.as_str()) {
            known.push(row.name.as_str());
        }
    }
    if known.contains(&name) {
        return Ok(());
    }
    let facts = [("phase", name), ("known", &*known.join(", "))];
    Err(EngineError::Usage(voice::tell(Notice::PhaseNoSuch, &facts)))
}

fn read_multiplier(value: &str) -> Result<Multiplier, EngineError> {
    let read: Result<Multiplier, crate::phases::BadMultiplier> = value.parse();
    read.map_err(|bad| EngineError::Usage(bad.to_string()))
}

fn cross(
    repo: &Repo,
    toward: &Transition,
    text: &str,
    out: &mut Report,
) -> crate::cli::Result<Outcome> {
    crossed(repo, boundary::cross::advance(repo, toward, text, By::Agent)?, out)
}

/// A way back that a killed command took already is told, and not taken twice.
fn back(
    repo: &Repo,
    to: Option<PhaseName>,
    text: &str,
    out: &mut Report,
) -> crate::cli::Result<Outcome> {
    if let Some((job, told)) = untold::again(repo, to.as_ref(), text)? {
        let stand = &job.state.stand;
        out.json(&serde_json::json!({ "phase": stand.phase.as_str(), "cycle": stand.cycle,
            "taken_before": true }));
        out.line(told.trim_end());
        return Ok(Outcome::Yes);
    }
    tell_untold(repo, out)?;
    cross(repo, &Transition::Back { to }, text, out)
}

/// The step of a command that was killed before it could print, where no hook told of it.
fn tell_untold(repo: &Repo, out: &mut Report) -> Result<(), EngineError> {
    // JSON has no place for it: whoever comes next tells it.
    if !out.is_json()
        && untold::is_there(repo)
        && let Some(told) = untold::told(repo, Part::Whole, false)?
    {
        out.line(told.trim_end());
        out.line("");
    }
    Ok(())
}

fn crossed(
    repo: &Repo,
    crossed: Result<Vec<Transitioned>, Refusal>,
    out: &mut Report,
) -> crate::cli::Result<Outcome> {
    match crossed {
        Ok(crossed) => {
            let (last, passed) =
                crossed.split_last().ok_or_else(|| EngineError::OnDisk("no step".to_owned()))?;
            tell(repo, passed, last, out);
            Ok(Outcome::Yes)
        }
        Err(refusal) => Ok(refuse(repo, &refusal, out)),
    }
}

fn step_json(crossed: &Transitioned) -> serde_json::Value {
    let commit = crossed.commit.as_ref().map(ToString::to_string);
    serde_json::json!({ "step": crossed.trailers.step, "id": crossed.trailers.id,
        "commit": commit })
}

/// What no hook told of is heard where the host runs none, and `--scope` is read from the top.
fn before_a_step(
    repo: &Repo,
    command: &PhaseCommand,
    context: &Context,
    out: &mut Report,
) -> crate::cli::Result<Verdict> {
    if matches!(
        command,
        PhaseCommand::Advance { .. }
            | PhaseCommand::Checkpoint { .. }
            | PhaseCommand::Multiplier { .. }
    ) {
        tell_untold(repo, out)?;
    }
    let scope = match command {
        PhaseCommand::Advance { scope, .. } => scope.as_slice(),
        PhaseCommand::Checkpoint { .. } | PhaseCommand::Back { .. } => &[],
        _ => return Ok(Ok(())),
    };
    if let Some(told) = unhooked::changes::hear(repo, context.cwd.clone())? {
        out.aside(&told);
    }
    Ok(scope_words::are_from_the_top(repo, scope, &context.cwd))
}

/// The steps as one line, with their commits: `execute -> verify -> condense   commit 1a2b3c4`.
fn step_line(passed: &[Transitioned], last: &Transitioned, out: &mut Report) {
    let steps = || passed.iter().chain([last]);
    let mut line = String::new();
    for crossed in steps() {
        let step = crossed.trailers.step.as_str();
        match step.split_once(" -> ") {
            Some((from, to)) if line.ends_with(from) => line = format!("{line} -> {to}"),
            _ => line.push_str(step),
        }
    }
    for commit in steps().filter_map(|crossed| crossed.commit.as_ref()) {
        let short: String = commit.to_string().chars().take(7).collect();
        line = format!("{line}   commit {short}");
    }
    out.line(line);
    // What one step says of the work tree is as true at the next: it is told once.
    let mut told = BTreeSet::new();
    for remark in steps().flat_map(|crossed| &crossed.remarks) {
        if told.insert(remark) {
            out.line(remark);
        }
    }
}

/// A cycle is closed and the job goes on: with the next one, with a job that it waits for, or with
/// the person.
fn tell_cycle_closed(repo: &Repo, focused: &LoadedJob, out: &mut Report) {
    let cycle = focused.state.stand.cycle.to_string();
    // What does not read is told by `status`.
    let waits = jobs::dependencies::waits_told(repo, &focused.state).ok().flatten();
    let told = match (jobs::ending::is_finished(repo, focused), &waits) {
        (false, _) => voice::tell(Notice::CycleClosed, &[("cycle", &cycle)]),
        (true, Some(_)) => voice::tell(Notice::CycleClosedLast, &[("cycle", &cycle)]),
        (true, None) => {
            let row = repo.row(Some(focused));
            let next = report::next::of_focused(repo, focused, row, &[]).to_agent();
            voice::tell(Notice::CycleClosedNext, &[("cycle", &cycle), ("next", &next)])
        }
    };
    out.line(told);
    if let Some(told) = waits {
        out.line(told);
    }
}

fn tell(repo: &Repo, passed: &[Transitioned], crossed: &Transitioned, out: &mut Report) {
    let stand = &crossed.focused.state.stand;
    out.json(&serde_json::json!({
        "step": crossed.trailers.step, "id": crossed.trailers.id, "phase": stand.phase.as_str(),
        "cycle": stand.cycle, "commit": crossed.commit.as_ref().map(ToString::to_string),
        "remarks": crossed.remarks, "passed": passed.iter().map(step_json).collect::<Vec<_>>(),
    }));
    step_line(passed, crossed, out);
    if crossed.closed {
        tell_done(repo, crossed, out);
        return;
    }
    if crossed.rests {
        tell_resting(repo, crossed, out);
        return;
    }
    if repo.rests(stand) {
        tell_cycle_closed(repo, &crossed.focused, out);
        return;
    }
    let stays = crossed.trailers.phase == stand.phase.as_str();
    let text = if stays {
        briefing::gather::stay_text(repo, &crossed.focused)
    } else {
        briefing::gather::next_text(repo, &crossed.focused, &crossed.trailers.phase)
    };
    out.line("");
    out.line(text.trim_end());
    if let Err(error) = record::journal_line::count_injected(repo, &crossed.focused, &text) {
        out.error(&error.into());
    }
}

/// Lands the job where the person said so when they approved it. The step is taken, so what goes
/// wrong is told, and the landing stays theirs.
fn land_as_granted(repo: &Repo, crossed: &Transitioned, out: &mut Report) {
    let id = &crossed.focused.state.job.id;
    let said = match landing::offer::use_up(repo, id) {
        Ok(None) => return,
        Ok(Some(Ok(Ok(landed)))) => {
            let subject = landed.commits.first().map_or("", |first| first.subject.as_str());
            let facts = [("branch", landed.branch.as_str()), ("subject", subject)];
            let card = voice::tell(Notice::LandCard, &facts);
            out.line(voice::tell(Notice::LandDone, &[("card", &card)]));
            return;
        }
        Ok(Some(Ok(Err(refusal)))) => voice::say(&refusal, "idle").why,
        Ok(Some(Err(error))) | Err(error) => error.to_string(),
    };
    out.line(voice::tell(Notice::LandFailed, &[("id", id.as_str()), ("said", &said)]));
}

/// The job is over; what waited for it goes on.
fn tell_done(repo: &Repo, crossed: &Transitioned, out: &mut Report) {
    let state = &crossed.focused.state;
    out.line(voice::tell(
        Notice::JobDone,
        &[("name", &state.job.name), ("cycle", &state.stand.cycle.to_string())],
    ));
    if let Some(carried) = memory::compaction::carried_on(repo, &crossed.focused) {
        out.line(carried);
    }
    land_as_granted(repo, crossed, out);
    if let Some(created) = &crossed.created {
        out.line(voice::tell(Notice::PromptIsNowJob, &[("name", &created.state.job.name)]));
    } else if let Ok(told) = jobs::dependencies::next_told(repo) {
        for line in told {
            out.line(line);
        }
    }
}

/// The work is done and waits for the person; another job may have begun.
fn tell_resting(repo: &Repo, crossed: &Transitioned, out: &mut Report) {
    let state = &crossed.focused.state;
    out.line(voice::tell(
        Notice::JobRests,
        &[("name", &state.job.name), ("cycle", &state.stand.cycle.to_string())],
    ));
    if let Some(next) = &crossed.next {
        out.line(voice::tell(Notice::JobFocusedNow, &[("name", &next.state.job.name)]));
        out.line("");
        out.line(briefing::gather::where_it_stands(repo, next).trim_end());
    }
}
