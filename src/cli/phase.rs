//! `git seed phase …`

use clap::Subcommand;

use super::{Context, Outcome, TextArgs, refuse, report::Report};
use crate::phases::{PhaseName, gates};
use crate::seed::boundary::{Crossed, Toward};
use crate::seed::steps::By;
use crate::seed::{Seed, SeedError};
use crate::verdict::Refusal;

#[derive(Debug, Subcommand)]
pub(super) enum PhaseCommand {
    /// Where the job stands, what the phase is for and what it may do
    Current,
    /// The number of the cycle
    Cycle,
    /// The phases of the map and the steps between them
    List,
    /// Take the step forward
    ///
    /// The message becomes the phase commit on your branch: a first line, then the
    /// phase's sections. Gates are asked first; one that says no changes nothing.
    Advance {
        #[command(flatten)]
        text: TextArgs,
        /// The phase to go to, where there are several
        #[arg(long, value_name = "phase")]
        to: Option<String>,
        /// Declare a directory with the step; may be given several times
        #[arg(long, value_name = "dir")]
        scope: Vec<String>,
        /// Leave the small lane for the larger track; what was done is kept
        #[arg(long, conflicts_with_all = ["to", "scope", "add_cycle"])]
        up: bool,
        /// Add a cycle to the job, and say why (condense)
        #[arg(long, value_name = "text")]
        add_cycle: Option<String>,
    },
    /// Commit what is done so far and stay (execute)
    Checkpoint {
        #[command(flatten)]
        text: TextArgs,
    },
    /// Go back to an earlier phase; the cycle stays the same
    Back {
        /// Phase to go back to; the nearest one when not given
        to: Option<String>,
        #[command(flatten)]
        text: TextArgs,
    },
    /// Say how small this stay is, as its first act
    Multiplier {
        /// 0.5, 1, 1.5, 2, 2.5 or 3: larger for smaller work
        value: String,
    },
}

pub(super) fn run(command: &PhaseCommand, context: &Context, out: &mut Report) -> anyhow::Result<Outcome> {
    let seed = context.seed()?;
    match command {
        PhaseCommand::Current => current(&seed, out),
        PhaseCommand::Cycle => {
            let shown = seed.phase_shown()?;
            out.json(&shown.cycle);
            out.line(shown.cycle);
            Ok(Outcome::Yes)
        }
        PhaseCommand::List => list(&seed, out),
        PhaseCommand::Advance { text, up: true, .. } => cross(&seed, &Toward::Up, &text.read()?, out),
        PhaseCommand::Advance { text, to, scope, add_cycle, .. } => {
            let (to, scope, add_cycle) =
                (to.as_deref().map(PhaseName::from), scope.clone(), add_cycle.clone());
            if let Err(refusal) = only_in_condense(&seed, add_cycle.as_deref())? {
                return Ok(refuse(&seed, &refusal, out));
            }
            cross(&seed, &Toward::Forward { to, add_cycle, scope }, &text.read()?, out)
        }
        PhaseCommand::Checkpoint { text } => cross(&seed, &Toward::Checkpoint, &text.read()?, out),
        PhaseCommand::Back { to, text } => {
            let to = to.as_deref().map(PhaseName::from);
            cross(&seed, &Toward::Back { to }, &text.read()?, out)
        }
        PhaseCommand::Multiplier { value } => multiplier(&seed, value, out),
    }
}

fn only_in_condense(seed: &Seed, add_cycle: Option<&str>) -> Result<Result<(), Refusal>, SeedError> {
    let Some(why) = add_cycle else { return Ok(Ok(())) };
    let focused = seed.require_focused()?;
    if why.trim().is_empty() {
        return Err(SeedError::Usage("--add-cycle says why the job needs another cycle".to_owned()));
    }
    let phase = &focused.state.stand.phase;
    Ok(gates::adds_cycle(seed.row(Some(&focused)), phase, focused.state.job.status.is_open()))
}

fn current(seed: &Seed, out: &mut Report) -> anyhow::Result<Outcome> {
    let shown = seed.phase_shown()?;
    out.json(&shown);
    if let Some(focused) = seed.focused()? {
        out.line(seed.entry_text(&focused).trim_end());
    } else {
        out.line("No job is focused; a prompt becomes one.");
    }
    Ok(Outcome::Yes)
}

fn list(seed: &Seed, out: &mut Report) -> anyhow::Result<Outcome> {
    let focused = seed.focused()?;
    let map = focused.as_ref().map_or(seed.rules.maps.home(), |focused| seed.map(&focused.state.stand));
    let rows: Vec<_> = map
        .phases()
        .filter(|phase| !phase.next.is_empty() || phase.name.is_gmode())
        .map(|phase| {
            let names = |list: &[PhaseName]| list.iter().map(PhaseName::to_string).collect::<Vec<_>>();
            (phase.name.to_string(), names(&phase.next), names(&phase.back))
        })
        .collect();
    let json: Vec<_> = rows
        .iter()
        .map(|(name, next, back)| serde_json::json!({ "phase": name, "next": next, "back": back }))
        .collect();
    out.json(&json);
    for (name, next, back) in &rows {
        let next = if name == "gmode" { "where it was entered".to_owned() } else { next.join(", ") };
        let back = if back.is_empty() { String::new() } else { format!("   back to {}", back.join(", ")) };
        out.line(format_args!("{name:<9} -> {next}{back}"));
    }
    Ok(Outcome::Yes)
}

fn multiplier(seed: &Seed, value: &str, out: &mut Report) -> anyhow::Result<Outcome> {
    let value =
        value.parse().map_err(|bad: crate::phases::BadMultiplier| SeedError::Usage(bad.to_string()))?;
    match seed.set_multiplier(value)? {
        Ok(focused) => {
            let stand = &focused.state.stand;
            out.json(&serde_json::json!({ "phase": stand.phase.as_str(), "multiplier": f64::from(value.tenths()) / 10.0 }));
            out.line(format_args!("{} is open.", stand.phase));
            Ok(Outcome::Yes)
        }
        Err(refusal) => Ok(refuse(seed, &refusal, out)),
    }
}

fn cross(seed: &Seed, toward: &Toward, text: &str, out: &mut Report) -> anyhow::Result<Outcome> {
    match seed.advance(toward, text, By::Agent)? {
        Ok(crossed) => {
            let (last, passed) =
                crossed.split_last().ok_or_else(|| SeedError::Usage("no step".to_owned()))?;
            for crossed in passed {
                step_line(crossed, out);
            }
            tell(seed, passed, last, out);
            Ok(Outcome::Yes)
        }
        Err(refusal) => Ok(refuse(seed, &refusal, out)),
    }
}

fn step_json(crossed: &Crossed) -> serde_json::Value {
    let commit = crossed.commit.as_ref().map(ToString::to_string);
    serde_json::json!({ "step": crossed.trailers.step, "id": crossed.trailers.id, "commit": commit })
}

fn step_line(crossed: &Crossed, out: &mut Report) {
    let commit = crossed.commit.as_ref().map_or(String::new(), |commit| {
        format!("   commit {}", commit.to_string().chars().take(7).collect::<String>())
    });
    out.line(format_args!("{}{commit}", crossed.trailers.step));
    for remark in &crossed.remarks {
        out.line(remark);
    }
}

fn tell(seed: &Seed, passed: &[Crossed], crossed: &Crossed, out: &mut Report) {
    let stand = &crossed.focused.state.stand;
    out.json(&serde_json::json!({
        "step": crossed.trailers.step, "id": crossed.trailers.id, "phase": stand.phase.as_str(),
        "cycle": stand.cycle, "commit": crossed.commit.as_ref().map(ToString::to_string),
        "remarks": crossed.remarks, "passed": passed.iter().map(step_json).collect::<Vec<_>>(),
    }));
    step_line(crossed, out);
    if crossed.closed {
        out.line(format_args!(
            "\"{}\" is done; cycle {} is closed.",
            crossed.focused.state.job.name, stand.cycle
        ));
        if let Some(carried) = seed.carried_on(&crossed.focused) {
            out.line(carried);
        }
        if let Some(born) = &crossed.born {
            out.line(format_args!("The prompt that waited is a job now: \"{}\".", born.state.job.name));
        } else if let Ok(told) = seed.next_told() {
            for line in told {
                out.line(line);
            }
        }
        return;
    }
    if crossed.rests {
        out.line(format_args!(
            "\"{}\" is finished; cycle {} is closed, and the job rests until the person approves it.",
            crossed.focused.state.job.name, stand.cycle
        ));
        if let Some(next) = &crossed.next {
            out.line(format_args!("\"{}\" is active and focused now.", next.state.job.name));
            out.line("");
            out.line(seed.entry_text(next).trim_end());
        }
        return;
    }
    if stand.phase.is_idle() {
        out.line(format_args!("Cycle {} is closed; git seed phase advance begins the next.", stand.cycle));
        if let Ok(Some(told)) = seed.waits_told(&crossed.focused.state) {
            out.line(told);
        }
        return;
    }
    let stays = crossed.trailers.phase == stand.phase.as_str();
    let text = if stays { seed.stay_text(&crossed.focused) } else { seed.entry_text(&crossed.focused) };
    out.line("");
    out.line(text.trim_end());
    if let Err(error) = seed.count_injected(&crossed.focused, &text) {
        out.error(&error.into());
    }
}
