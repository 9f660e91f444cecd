//! `git-seed rewritten`: what a hook puts before `git seed doctor`, to see whether it runs.

use super::{Context, Outcome};
use crate::engine::rewrite;

/// Record that a host ran the line that its hook gave it (called from that line)
#[derive(Debug, clap::Args)]
pub(super) struct RewrittenArgs {
    /// The session that the line was made for
    session: String,
}

pub(super) fn run(args: &RewrittenArgs, context: &Context) -> crate::cli::Result<Outcome> {
    let seen = rewrite::saw_rewrite(&*context.repo()?, &args.session)?;
    Ok(if seen { Outcome::Yes } else { Outcome::Failed })
}
