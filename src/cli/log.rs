//! `git seed log`

use super::{
    Context, Outcome,
    report::{self, Report},
};
use crate::engine::record;
use crate::engine::record::history::LogRow;
use crate::engine::repo::{EngineError, LoadedJob, Repo};
use crate::jobs::merging::Why;
use crate::phases::Map;
use crate::voice::{Notice, tell};

/// Show the steps of a job, newest first
#[derive(Debug, clap::Args)]
pub(super) struct LogArgs {
    /// Draw steps back as branches
    #[arg(long)]
    graph: bool,
    /// Show at most this many steps
    #[arg(short = 'n', value_name = "number", default_value_t = 200)]
    number: usize,
    /// Id of the job; when omitted, the focused job, or the newest one
    job: Option<String>,
}

pub(super) fn run(
    args: &LogArgs,
    context: &Context,
    out: &mut Report,
) -> crate::cli::Result<Outcome> {
    let repo = context.repo()?;
    let job = which(&repo, args.job.as_deref())?;
    let rows = record::history::log(&repo, &job, args.number)?;
    out.json(&rows);
    let map = repo.map(&job.state.stand);
    for row in &rows {
        let mark = if args.graph { mark(map, row) } else { "" };
        let commit =
            row.commit.as_deref().map_or(String::new(), |commit| commit.chars().take(7).collect());
        let at = report::clock(report::seconds(&row.at));
        let fell = row.rejected.as_deref().map_or(String::new(), |why| {
            let said = why.parse().map_or(why.to_owned(), |why| tell(of_why(why), &[]));
            format!(" (rejected: {said})")
        });
        let line = format!(
            "{mark}{:<20} cycle {}  {commit:<7}  {at}  {}{fell}",
            row.step, row.cycle, row.subject
        );
        out.line(line.trim_end());
    }
    Ok(Outcome::Yes)
}

/// The sentence of a word that a chain says of a step that fell.
fn of_why(why: Why) -> Notice {
    match why {
        Why::Phase => Notice::FellPhase,
        Why::Behind => Notice::FellBehind,
        Why::Grew => Notice::FellGrew,
        Why::Over => Notice::FellOver,
        Why::File => Notice::FellFile,
    }
}

/// A step back branches off; a birth begins the line.
fn mark(map: &Map, row: &LogRow) -> &'static str {
    let Some((from, to)) = row.step.split_once(" -> ") else {
        return if row.step == "birth" { "o  " } else { "|  " };
    };
    let back = map.phase(&from.into()).is_some_and(|phase| phase.back.contains(&to.into()));
    if back { "|\\ " } else { "*  " }
}

/// The job that a person means: by id, the focused one, or the newest.
pub(super) fn which(repo: &Repo, job: Option<&str>) -> Result<LoadedJob, EngineError> {
    repo.require_seeded()?;
    if let Some(id) = job {
        return repo.job(
            &id.parse()
                .map_err(|bad: crate::jobs::BadJobId| EngineError::Usage(bad.to_string()))?,
        );
    }
    match repo.focused()? {
        Some(focused) => Ok(focused),
        None => record::archive::newest(repo)?.ok_or(EngineError::NoJob),
    }
}
