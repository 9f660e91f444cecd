//! `git seed tour`

use super::{Outcome, report::Report};

/// See the whole story in a throw-away repository
#[derive(Debug, clap::Args)]
pub(super) struct TourArgs {
    /// Leave the repository where it is
    #[arg(long)]
    keep: bool,
    /// Do not pause between scenes
    #[arg(long)]
    fast: bool,
}

pub(super) fn run(args: &TourArgs, out: &mut Report) -> anyhow::Result<Outcome> {
    let _ = (args.keep, args.fast, out);
    Ok(Outcome::Yes)
}
