//! `git seed log`

use super::{
    Context, Outcome,
    report::{self, Report},
    width::padded,
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
    let mut rows = record::history::log(&repo, &job, args.number)?;
    name(&repo, &job, &mut rows)?;
    out.json(&rows);
    let map = repo.map(&job.state.stand);
    for row in &rows {
        let (mark, below) = if args.graph { (mark(map, row), "|  ") } else { ("", "") };
        let commit =
            row.commit.as_deref().map_or(String::new(), |commit| commit.chars().take(7).collect());
        let at = report::clock(report::seconds(&row.at));
        let fell = row.rejected.as_deref().map_or(String::new(), |why| {
            let said = why.parse().map_or(why.to_owned(), |why| tell(of_why(why), &[]));
            format!(" (rejected: {said})")
        });
        let line = format!(
            "{} cycle {}  {commit:<7}  {at}  {}{fell}",
            padded(&row.step, 20),
            row.cycle,
            row.subject
        );
        out.drawn(mark, if mark == BIRTH { "   " } else { below }, &line);
    }
    Ok(Outcome::Yes)
}

/// No chain holds the head of a prompt: it is read where the prompt is.
fn name(repo: &Repo, job: &LoadedJob, rows: &mut [LogRow]) -> Result<(), EngineError> {
    let stands_in = job.state.job.id.stand_in();
    if rows.iter().all(|row| row.subject != stands_in) {
        return Ok(());
    }
    let Some(name) = repo.named_by_prompt(job.texts())? else { return Ok(()) };
    for row in rows.iter_mut().filter(|row| row.subject == stands_in) {
        row.subject.clone_from(&name);
    }
    Ok(())
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

/// The sign of a birth, below which nothing is.
const BIRTH: &str = "o  ";

/// A step back branches off; a birth begins the line.
fn mark(map: &Map, row: &LogRow) -> &'static str {
    let Some((from, to)) = row.step.split_once(" -> ") else {
        return if row.step == "birth" { BIRTH } else { "|  " };
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
