//! `git seed reflect`

use super::{Context, Outcome, TextArgs, report::Report};
use crate::engine::jobs;

/// Look at this stay through a lens, and keep what you see
///
/// Where the rules ask for reflection, a phase is left only after its own lenses were used.
#[derive(Debug, clap::Args)]
pub(super) struct ReflectArgs {
    /// The lens; an unknown one is answered with those that there are
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
            out.line(format_args!("Kept: {}.", args.lens));
            Ok(Outcome::Yes)
        }
        Err(refusal) => Ok(super::refuse(&repo, &refusal, out)),
    }
}
