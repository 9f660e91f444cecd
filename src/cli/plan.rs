//! `git seed plan …`

use clap::Subcommand;

use super::{Context, Outcome, report::Report};
use crate::seed::Seed;

#[derive(Debug, Subcommand)]
pub(super) enum PlanCommand {
    /// Decide about the plan document, in the first cycle's plan
    SetPlanFile {
        /// `false` for a single cycle, or a name that ends in .md
        value: String,
    },
    /// What was decided, and how many cycles it means
    Show,
    /// The number of cycles that the plan document declares
    Total,
}

pub(super) fn run(command: &PlanCommand, context: &Context, out: &mut Report) -> anyhow::Result<Outcome> {
    let seed = context.seed()?;
    match command {
        PlanCommand::SetPlanFile { value } => match seed.set_plan(value)? {
            Ok(_) => show(&seed, out),
            Err(refusal) => {
                let phase = seed.require_focused()?.state.stand.phase.to_string();
                Ok(out.refusal(&refusal, &phase))
            }
        },
        PlanCommand::Show => show(&seed, out),
        PlanCommand::Total => {
            let total = seed.plan_total(&seed.require_focused()?);
            out.json(&total);
            out.line(total.map_or_else(|| "none".to_owned(), |total| total.to_string()));
            Ok(Outcome::Yes)
        }
    }
}

fn show(seed: &Seed, out: &mut Report) -> anyhow::Result<Outcome> {
    let focused = seed.require_focused()?;
    let plan = &focused.state.plan;
    let total = seed.plan_total(&focused);
    let given = match plan.pointer.given() {
        None => serde_json::Value::Null,
        Some("false") => false.into(),
        Some(name) => name.into(),
    };
    let path = plan.pointer.path(&focused.state.job.id.to_string());
    let last = plan.effective_last_cycle(total);
    out.json(&serde_json::json!({
        "stage": plan.pointer.stage(), "plan_file": given, "path": path, "total_cycles": total,
        "effective_last_cycle": last, "eligible": seed.eligible(&focused),
    }));
    out.pair(
        "plan",
        plan.pointer
            .given()
            .map_or("undecided", |given| if given == "false" { "no document, one cycle" } else { given }),
    );
    if let Some(path) = &path {
        out.pair("path", path);
    }
    if let Some(last) = last {
        out.pair("cycles", last);
    }
    Ok(Outcome::Yes)
}
