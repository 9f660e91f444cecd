//! `git seed show`

use super::{Context, Outcome, report::Report};
use crate::format::trailers::StepTrailers;
use crate::jobs::JobId;
use crate::seed::SeedError;

/// A job, or what a phase commit meant
#[derive(Debug, clap::Args)]
pub(super) struct ShowArgs {
    /// Id of a job, or a commit
    object: String,
}

pub(super) fn run(args: &ShowArgs, context: &Context, out: &mut Report) -> anyhow::Result<Outcome> {
    let seed = context.seed()?;
    seed.require_seeded()?;
    if let Ok(id) = args.object.parse::<JobId>()
        && seed.knows(&id)?
    {
        super::job::print(&seed.show_job(&seed.job(&id)?)?, out);
        return Ok(Outcome::Yes);
    }
    let commit = seed.store.resolve_commit(&args.object)?;
    let Some(commit) = commit else {
        return Err(SeedError::Usage(format!("`{}` is neither a job nor a commit", args.object)).into());
    };
    let message = seed.store.commit_message(&commit)?;
    let Some(step) = StepTrailers::read(&message) else {
        return Err(SeedError::Usage(format!("{commit} is no phase commit")).into());
    };
    let notes = seed.store.note_lines(&commit)?;
    out.json(&serde_json::json!({
        "commit": commit.to_string(), "job": step.job, "run": step.run, "cycle": step.cycle,
        "phase": step.phase, "step": step.step, "id": step.id, "notes": notes,
    }));
    out.pair("commit", &commit);
    out.pair("step", format_args!("{}   cycle {}   run {}", step.step, step.cycle, step.run));
    out.pair("job", &step.job);
    for note in &notes {
        out.pair("note", note);
    }
    out.line("");
    out.line(message.trim_end());
    Ok(Outcome::Yes)
}
