//! `git seed why`

use super::{
    Context, Outcome,
    report::{self, Report, Tint},
    width::padded,
};
use crate::engine;
use crate::format::shown;
use crate::voice::{self, Notice};

/// Show the last refusals, with the rule, the reason and the next step
///
/// `--json` adds the facts of each. In an agent's session it is refused, because they may contain
/// figures.
#[derive(Debug, clap::Args)]
pub(super) struct WhyArgs {
    /// Show at most this many refusals
    #[arg(long, value_name = "number", default_value_t = 5,
          value_parser = clap::value_parser!(u16).range(1..))]
    last: u16,
}

pub(super) fn run(
    args: &WhyArgs,
    context: &Context,
    out: &mut Report,
) -> crate::cli::Result<Outcome> {
    let repo = context.repo()?;
    repo.require_seeded()?;
    if out.is_json() && engine::git_hooks::has_agent_above(&repo) {
        let refusal = crate::phases::commands::figures("why", "git seed why --json");
        return Ok(super::refuse(&repo, &refusal, out));
    }
    let rows = engine::report::refusals(&repo, usize::from(args.last))?;
    out.json(&rows);
    if rows.is_empty() {
        out.line("Nothing was refused.");
    }
    for row in &rows {
        let at =
            time::OffsetDateTime::parse(&row.at, &time::format_description::well_known::Rfc3339)
                .map_or(0, time::OffsetDateTime::unix_timestamp);
        let what = format!("{} {}", row.tool, shown::all_on_one_line(&row.paths, " "));
        let what = if what.trim().is_empty() { row.event.clone() } else { what.trim().to_owned() };
        let by = out.tint(Tint::Bad, format_args!("refused by {}", row.by));
        out.line(format_args!("{}  {} {by}", report::clock(at), padded(&what, 32)));
        out.line(format_args!("          {}", row.why));
        if let Some(ran) = &row.ran {
            for run in ran {
                out.line(format_args!("          {}", run.told()));
            }
            if ran.is_empty() {
                out.line(format_args!("          {}", voice::tell(Notice::WhyNoRun, &[])));
            }
        }
        out.line(format_args!("          do: {}", row.do_));
    }
    Ok(Outcome::Yes)
}
