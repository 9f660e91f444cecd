//! `git seed gmode …`

use crate::engine::{briefing, person};
use crate::voice::{self, Notice};
use clap::Subcommand;

use super::{Context, Outcome, TextArgs, refuse, report::Report};
use crate::engine::record::draft::By;
use crate::engine::repo::EngineError;

#[derive(Debug, Subcommand)]
pub(super) enum GmodeCommand {
    /// Say what gmode is needed for, right before you ask the person for it
    Prep {
        /// How sure you are that gmode is needed, from 0 to 100
        #[arg(value_parser = clap::value_parser!(u8).range(0..=100))]
        confidence: u8,
        #[command(flatten)]
        text: TextArgs,
    },
    /// Enter gmode°
    Enter {
        #[command(flatten)]
        text: TextArgs,
    },
    /// Leave gmode and return to the phase where it was entered
    Exit,
}

pub(super) fn run(
    command: &GmodeCommand,
    context: &Context,
    out: &mut Report,
) -> crate::cli::Result<Outcome> {
    let repo = context.repo()?;
    let focused = repo.require_focused()?;
    let done = match command {
        GmodeCommand::Prep { confidence, text } => {
            return Ok(match person::answers::prepare_side(&repo, *confidence, &text.read()?)? {
                Ok(_) => {
                    out.json(&serde_json::json!({ "prepared": true }));
                    out.line(voice::tell(Notice::SidePrepared, &[]));
                    Outcome::Yes
                }
                Err(refusal) => refuse(&repo, &refusal, out),
            });
        }
        GmodeCommand::Enter { text } => {
            let why = text.read()?;
            if why.trim().is_empty() {
                return Err(EngineError::Usage(voice::tell(Notice::SideSaysWhy, &[])).into());
            }
            person::answers::enter_side(&repo, &focused.chain, &why, By::Person)?
        }
        GmodeCommand::Exit => {
            let person = repo.is_person().is_ok();
            person::answers::leave_side(&repo, if person { By::Person } else { By::Agent })?
        }
    };
    match done {
        Ok(now) => {
            let stand = &now.state.stand;
            out.json(&serde_json::json!({ "phase": stand.phase.as_str(), "cycle": stand.cycle }));
            out.line(briefing::gather::entry_text(&repo, &now).trim_end());
            Ok(Outcome::Yes)
        }
        Err(refusal) => Ok(refuse(&repo, &refusal, out)),
    }
}
