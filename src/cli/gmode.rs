//! `git seed gmode …`

use clap::Subcommand;

use super::{Context, Outcome, TextArgs, report::Report};
use crate::seed::SeedError;
use crate::seed::steps::By;

#[derive(Debug, Subcommand)]
pub(super) enum GmodeCommand {
    /// Open the side lane°
    Enter {
        #[command(flatten)]
        text: TextArgs,
    },
    /// Close it and return to the phase that was left
    Exit,
}

pub(super) fn run(command: &GmodeCommand, context: &Context, out: &mut Report) -> anyhow::Result<Outcome> {
    let seed = context.seed()?;
    let focused = seed.require_focused()?;
    let phase = focused.state.stand.phase.to_string();
    let done = match command {
        GmodeCommand::Enter { text } => {
            if let Some(refusal) = super::require_person("gmode enter")? {
                return Ok(out.refusal(&refusal, &phase));
            }
            let why = text.read()?;
            if why.trim().is_empty() {
                return Err(SeedError::Usage("say why: git seed gmode enter -m \"…\"".to_owned()).into());
            }
            seed.enter_side(&focused.chain, &why, By::Person)?
        }
        GmodeCommand::Exit => seed.leave_side()?,
    };
    match done {
        Ok(now) => {
            let stand = &now.state.stand;
            out.json(&serde_json::json!({ "phase": stand.phase.as_str(), "cycle": stand.cycle }));
            out.line(seed.entry_text(&now).trim_end());
            Ok(Outcome::Yes)
        }
        Err(refusal) => Ok(out.refusal(&refusal, &phase)),
    }
}
