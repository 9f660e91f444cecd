//! `git seed doctor`

use super::{Context, Outcome};
use crate::cli::report::{Report, Tint};

/// Prove that everything is in place and that the hooks answer
///
/// Sends a forbidden call through the installed hook line of each host and expects a
/// refusal; checks git hooks, journal, objects and memory. Exit code 1 when something is
/// not in order.
#[derive(Debug, clap::Args)]
pub(super) struct DoctorArgs {
    /// Mend what can be rebuilt without losing anything
    #[arg(long)]
    fix: bool,
}

pub(super) fn run(args: &DoctorArgs, context: &Context, out: &mut Report) -> anyhow::Result<Outcome> {
    let found = context.seed()?.examine(args.fix)?;
    out.json(&found);
    for finding in &found {
        let mark = if finding.ok { out.tint(Tint::Good, "ok ") } else { out.tint(Tint::Bad, "NO ") };
        out.line(format_args!("{mark} {:<12} {}", finding.check, finding.detail));
        if let Some(fix) = finding.fix.as_deref().filter(|_| !finding.ok) {
            out.line(format_args!("                 mend: {fix}"));
        }
    }
    Ok(if found.iter().all(|finding| finding.ok) { Outcome::Yes } else { Outcome::Failed })
}
