//! `git seed reflect`

use super::{Context, Outcome, TextArgs, report::Report};
use crate::engine::jobs;

/// Record a reflection on the work in this phase, through one lens
///
/// If the rules ask for reflection, the phase can be left only after its own lenses were used.
#[derive(Debug, clap::Args)]
pub(super) struct ReflectArgs {
    /// The lens; an unknown one prints the list of lenses
    lens: String,
    #[command(flatten)]
    text: TextArgs,
}

pub(super) fn run(
    args: &ReflectArgs,
    context: &Context,
    out: &mut Report,
) -> crate::cli::Result<Outcome> {
    let repo = context.repo()?;
    let text = args.text.read()?;
    match jobs::lifecycle::reflect(&repo, &args.lens, &text)? {
        Ok(_) => {
            out.json(&serde_json::json!({ "lens": args.lens }));
            out.line(format_args!("Recorded: {}.", args.lens));
            Ok(Outcome::Yes)
        }
        Err(refusal) => Ok(super::refuse(&repo, &refusal, out)),
    }
}
