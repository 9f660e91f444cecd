//! `git seed off` and `git seed on`

use super::{Context, Outcome, TextArgs, report::Report};
use crate::engine::jobs;
use crate::engine::repo::EngineError;
use crate::voice::{self, Notice};

/// Pause enforcement in this worktree°
///
/// The hooks stay silent until `git seed on`. The job stays in its phase.
#[derive(Debug, clap::Args)]
pub(super) struct OffArgs {
    #[command(flatten)]
    pub(super) text: TextArgs,
}

/// Resume enforcement in this worktree°
///
/// Changes made in the meantime count as yours.
#[derive(Debug, clap::Args)]
pub(super) struct OnArgs {}

pub(super) fn off(
    args: &OffArgs,
    context: &Context,
    out: &mut Report,
) -> crate::cli::Result<Outcome> {
    let repo = context.repo_over_damage()?;
    let why = args.text.read()?;
    if why.trim().is_empty() {
        return Err(EngineError::Usage(voice::tell(Notice::OffSaysWhy, &[])).into());
    }
    jobs::lifecycle::switch_off(&repo, why.trim())?;
    out.json(&serde_json::json!({ "enabled": false }));
    out.line(voice::tell(Notice::OffHere, &[]));
    Ok(Outcome::Yes)
}

pub(super) fn on(_: &OnArgs, context: &Context, out: &mut Report) -> crate::cli::Result<Outcome> {
    let repo = context.repo()?;
    jobs::lifecycle::switch_on(&repo)?;
    out.json(&serde_json::json!({ "enabled": true }));
    out.line("On.");
    Ok(Outcome::Yes)
}
