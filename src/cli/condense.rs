//! `git seed condense …`

use clap::Subcommand;

use super::{Context, Outcome, report::Report};

#[derive(Debug, Subcommand)]
pub(super) enum CondenseCommand {
    /// What is left before the cycle can close
    Status,
}

pub(super) fn run(command: &CondenseCommand, context: &Context, out: &mut Report) -> anyhow::Result<Outcome> {
    let CondenseCommand::Status = command;
    let seed = context.seed()?;
    let focused = seed.require_focused()?;
    let live = seed.live_notes(&focused)?;
    let deflation = seed.deflation(&focused)?;
    let stage = seed.condense_stage(&focused);
    let (baseline, now, most) = deflation
        .map_or((0, 0, 0), |deflation| (deflation.baseline, deflation.remaining, deflation.max_words()));
    let archived = seed.is_archived(&focused);
    out.json(&serde_json::json!({
        "stage": stage, "live": live.len(), "archived": archived, "baseline_words": baseline,
        "footer_words": now, "max_words": most,
    }));
    out.pair("stage", stage);
    for note in &live {
        out.pair("note", format_args!("{note} is live"));
    }
    out.pair("footers", format_args!("{now} words, at most {most} may remain of {baseline}"));
    Ok(Outcome::Yes)
}
