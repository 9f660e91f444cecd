//! `git seed status`

use super::{Context, Outcome, report::Report};
use crate::seed::report::Status;

/// Where the job stands, what may be done, what is missing, what it cost
#[derive(Debug, clap::Args)]
pub(super) struct StatusArgs {}

pub(super) fn run(_: &StatusArgs, context: &Context, out: &mut Report) -> anyhow::Result<Outcome> {
    let seed = context.seed()?;
    seed.require_seeded()?;
    let status = seed.status()?;
    out.json(&status);
    print(&status, out);
    Ok(Outcome::Yes)
}

fn print(status: &Status, out: &mut Report) {
    if !status.enabled {
        out.pair("switch", "OFF in this worktree: git seed on goes on where it stood");
    }
    match &status.job {
        Some(job) => out.pair("job", format_args!("{:<28} {}   run {}", job.name, job.id, job.run)),
        None => out.pair("job", "none"),
    }
    let state = match &status.job {
        Some(job) if job.status != "active" => format!("   {}", job.status),
        _ => String::new(),
    };
    out.pair("phase", format_args!("{:<28} cycle {}{state}", status.phase, status.cycle));
    for job in &status.awaiting {
        out.pair("awaits", format_args!("{:<28} git seed job approve {}", job.name, job.id));
    }
    out.pair("may", status.allowed.join(" · "));
    for missing in &status.missing {
        out.pair("missing", missing);
    }
    let fence = &status.fence;
    if fence.strays.is_empty() && fence.unclaimed.is_empty() {
        out.pair("fence", "clean");
    }
    for path in &fence.strays {
        out.pair("fence", format_args!("{path} was changed by the agent and may not be"));
    }
    for path in &fence.unclaimed {
        out.pair("fence", format_args!("{path} changed, claimed by no call: in no commit"));
    }
    let cost = &status.cost;
    let counted =
        [(cost.calls, "call"), (cost.words, "word"), (cost.refusals, "refusal"), (cost.commits, "commit")];
    let counted = counted.map(|(n, what)| crate::seed::boundary::count(n as usize, what));
    out.pair("cost", counted.join(" · "));
    out.pair("next", &status.next);
    let switch = if status.enabled { "git seed off -m \"…\" to step in" } else { "git seed on" };
    out.pair("look", format_args!("git seed log --graph · git seed why · {switch}"));
}
