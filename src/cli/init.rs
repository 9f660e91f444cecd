//! `git seed init`

use super::{Context, Outcome, report::Report};
use crate::seed::setup::{Told, Wanted};

/// Install git seed in this repository°
///
/// Writes hook lines into the settings of the agent hosts that are found, hooks beside
/// the ones git runs already, and the meta ref. No commit is made, no tracked file is
/// touched, and `git status` stays as it was. Running it again updates what is there.
#[derive(Debug, clap::Args)]
pub(super) struct InitArgs {
    /// Host to install for; may be given several times
    #[arg(long, value_name = "name")]
    host: Vec<String>,
    /// Write the settings that the team shares, with a bare `git-seed`
    #[arg(long)]
    shared: bool,
    /// Tell the hosts of the MCP server, in their local scope
    #[arg(long)]
    mcp: bool,
}

pub(super) fn run(args: &InitArgs, context: &Context, out: &mut Report) -> anyhow::Result<Outcome> {
    let seed = context.seed()?;
    if seed.is_seeded()?
        && let Some(refusal) = super::require_person(&seed, "init")?
    {
        return Ok(out.refusal(&refusal, "none"));
    }
    let wanted = Wanted { hosts: args.host.clone(), shared: args.shared, mcp: args.mcp };
    let told = seed.install(&wanted)?;
    tell(&told, out);
    out.line("try       git seed doctor               proves that the hooks fire");
    out.line("          git seed tour                 ten seconds, shows what it does");
    out.line("undo      git seed uninstall");
    Ok(Outcome::Yes)
}

/// Lists what was done, aligned; a verb is said once.
pub(super) fn tell(told: &[Told], out: &mut Report) {
    if out.is_json() {
        let rows: Vec<_> = told
            .iter()
            .map(|row| serde_json::json!({ "verb": row.verb, "what": row.what, "detail": row.detail }))
            .collect();
        out.json(&rows);
        return;
    }
    let mut before = "";
    for row in told {
        let verb = if row.verb == before { "" } else { row.verb };
        before = row.verb;
        let detail = row.detail.replace('\n', "; ");
        out.line(format!("{verb:<9} {:<29} {detail}", row.what).trim_end());
    }
}
