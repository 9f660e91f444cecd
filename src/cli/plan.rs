//! `git seed plan …`

use crate::engine::jobs;
use crate::voice::{self, Notice};
use clap::Subcommand;

use super::{Context, Outcome, refuse, report::Report};
use crate::engine::repo::plan_file::Checked;
use crate::engine::repo::{EngineError, Repo};
use crate::phases::commands;
use crate::plans::document::Voice;

#[derive(Debug, Subcommand)]
pub(super) enum PlanCommand {
    /// Choose the plan document, in the plan phase of the first cycle
    SetPlanFile {
        /// `false` for a single cycle without a document, or a name that ends in .md or .yaml
        value: String,
    },
    /// Show which plan document was chosen, and how many cycles it means
    Show,
    /// Print the number of cycles that the plan document declares
    Total,
    /// Check the plan document, and print each fault with its line and column
    Validate {
        /// List the texts that a YAML document may extend, with their variables
        #[arg(long)]
        keys: bool,
    },
    /// Print the plan document that counts
    ///
    /// From the second cycle on, this is the accepted document, whatever the work tree contains.
    /// A plan phase that follows the document reads it this way or with a read tool.
    Read,
    /// Write the accepted plan document back to the work tree
    Restore,
}

pub(super) fn run(
    command: &PlanCommand,
    context: &Context,
    out: &mut Report,
) -> crate::cli::Result<Outcome> {
    let repo = context.repo()?;
    match command {
        PlanCommand::SetPlanFile { value } => match jobs::lifecycle::set_plan(&repo, value)? {
            Ok(_) => show(&repo, out),
            Err(refusal) => Ok(refuse(&repo, &refusal, out)),
        },
        PlanCommand::Show => show(&repo, out),
        PlanCommand::Total => {
            let total = repo.plan_total(&repo.require_focused()?)?;
            out.json(&total);
            out.line(total.map_or_else(|| "none".to_owned(), |total| total.to_string()));
            Ok(Outcome::Yes)
        }
        PlanCommand::Validate { keys: true } => keys(&repo, out),
        PlanCommand::Validate { keys: false } => validate(&repo, out),
        PlanCommand::Read => match jobs::plan::read_plan(&repo)? {
            Some(text) => {
                out.json(&serde_json::json!({ "text": text }));
                out.line(text.trim_end());
                Ok(Outcome::Yes)
            }
            None => Err(EngineError::not_now(Notice::PlanNoneToRead, &[]).into()),
        },
        PlanCommand::Restore => {
            let path = jobs::plan::restore_plan(&repo)?;
            out.json(&serde_json::json!({ "path": path }));
            out.line(voice::tell(Notice::PlanAsAccepted, &[("path", &path)]));
            Ok(Outcome::Yes)
        }
    }
}

/// Where the document is wrong, one line for each fault.
fn validate(repo: &Repo, out: &mut Report) -> crate::cli::Result<Outcome> {
    let focused = repo.require_focused()?;
    let Some(Checked { path, there, document }) = repo.document_now(&focused.state)? else {
        let decided = focused.state.plan.pointer.given().is_some();
        let (row, cycle) = (repo.row(Some(&focused)), focused.state.stand.cycle);
        let open = commands::plan_decision(row, cycle, decided, false).is_ok();
        let told = if open { Notice::PlanUndecided } else { Notice::PlanNoneToRead };
        return Err(EngineError::not_now(told, &[]).into());
    };
    let file = path.rsplit('/').next().unwrap_or_default();
    let faults: Vec<_> = document
        .faults
        .iter()
        .map(|fault| {
            serde_json::json!({ "line": fault.line, "column": fault.column,
                "what": fault.what.as_str() })
        })
        .collect();
    out.json(&serde_json::json!({
        "ok": there && faults.is_empty(), "path": path, "total_cycles": document.sound(),
        "problems": faults,
    }));
    if !there {
        out.line(voice::tell(Notice::PlanNotThere, &[("path", &path)]));
        return Ok(Outcome::Failed);
    }
    for fault in &document.faults {
        out.line(format_args!("{file}:{fault}"));
    }
    match document.sound() {
        Some(total) => {
            let cycles = crate::engine::repo::text::count(total as usize, "cycle");
            out.line(format_args!("{path} is valid and declares {cycles}."));
            Ok(Outcome::Yes)
        }
        None => Ok(Outcome::Failed),
    }
}

/// The texts that a document may add to.
fn keys(repo: &Repo, out: &mut Report) -> crate::cli::Result<Outcome> {
    let voices = repo.voices(&repo.require_focused()?.state);
    let shown: serde_json::Map<String, serde_json::Value> = voices
        .phases
        .iter()
        .map(|(phase, texts)| {
            let row = |voice: &Voice| {
                serde_json::json!({
                    "id": voice.id, "variables": voice.variables, "replace": voice.replaceable,
                })
            };
            (phase.clone(), texts.iter().map(row).collect())
        })
        .collect();
    out.json(&shown);
    for (phase, texts) in &voices.phases {
        out.line(format_args!("{phase}:"));
        for Voice { id, variables, .. } in texts {
            let variables: Vec<String> =
                variables.iter().map(|name| format!("{{{{{name}}}}}")).collect();
            out.line(format_args!("  {id}  {}", variables.join(" ")));
        }
    }
    Ok(Outcome::Yes)
}

/// A number of cycles, and how many of them the plan did not foresee.
fn with_added(cycles: u32, added: u32) -> String {
    match added {
        0 => cycles.to_string(),
        added => format!("{cycles}, {added} of them added"),
    }
}

fn show(repo: &Repo, out: &mut Report) -> crate::cli::Result<Outcome> {
    let focused = repo.require_focused()?;
    let plan = &focused.state.plan;
    let total = repo.plan_total(&focused)?;
    let given = match plan.pointer.given() {
        None => serde_json::Value::Null,
        Some("false") => false.into(),
        Some(name) => name.into(),
    };
    let path = plan.pointer.path(&focused.state.job.id.to_string());
    let last = plan.effective_last_cycle(total);
    // A job that brings rules of its own goes further than any document.
    let stage =
        if jobs::plan::job_rules(repo, &focused)?.is_some() { 4 } else { plan.pointer.stage() };
    out.json(&serde_json::json!({
        "stage": stage, "plan_file": given, "path": path, "total_cycles": total,
        "effective_last_cycle": last, "eligible": jobs::completion::eligible(repo, &focused),
    }));
    out.pair(
        "plan",
        plan.pointer.given().map_or("undecided", |given| {
            if given == "false" { "no document, one cycle" } else { given }
        }),
    );
    if let Some(path) = &path {
        let unwritten = !jobs::plan::is_written(repo, path);
        let when = if unwritten { voice::tell(Notice::PlanUnwritten, &[]) } else { String::new() };
        out.pair("path", format!("{path}{when}"));
    }
    if stage == 4 {
        out.pair("rules", voice::tell(Notice::RulesOfJobToo, &[]));
    }
    if let Some(last) = last {
        out.pair("cycles", with_added(last, plan.extension_cycles_added));
    }
    Ok(Outcome::Yes)
}
