//! `git seed report`

mod graph;
mod job;
mod page;
mod plot;
pub(super) mod sums;

use std::ffi::OsString;
use std::path::PathBuf;

use super::failure::While as _;
use super::report::Report;
use super::{Context, Outcome};
use crate::engine::repo::{EngineError, Repo};
use crate::engine::story;
use crate::engine::story::by_day::Reader;
use crate::voice::{self, Notice};
use crate::world;
use page::Page;

/// Write the story of a job as one HTML page
///
/// The page needs no network: its style and a small script for keys are part of it. It shows the
/// cycles and phases of the job with their commits, refusals, questions and answers, notes,
/// footers, claims and costs. Without `-o` it lies in the git directory and tells you all that
/// this clone knows. A page that is written elsewhere, and JSON, may be handed on: times are by the
/// day, and refusals, pauses and figures are left out, unless you say `--full` or the rules say
/// `[sync] detail = "full"`. Without a job it is about the focused job, or the newest one that was
/// worked on. In an agent's session the command is refused: the page is for people.
#[derive(Debug, clap::Args)]
pub(super) struct ReportArgs {
    /// Id of the job; when omitted, the focused job, or the newest one that was worked on
    job: Option<String>,
    /// Write about all jobs: a list, the sums of `git seed stats`, and the newest jobs one by one
    #[arg(long, conflicts_with = "job")]
    all: bool,
    /// Write to this file, or to standard output with `-`; when omitted, to a file in the git
    /// directory
    #[arg(short = 'o', long, value_name = "file")]
    output: Option<OsString>,
    /// Tell times to the second, refusals, pauses and figures in what is written elsewhere, too
    #[arg(long)]
    full: bool,
    /// Open the page in the browser
    #[arg(long)]
    open: bool,
}

pub(super) fn run(
    args: &ReportArgs,
    context: &Context,
    out: &mut Report,
) -> super::Result<Outcome> {
    let repo = context.repo()?;
    if let Some(refused) = keep_from_agents(&repo, "report", "git seed report", out) {
        return Ok(refused);
    }
    repo.require_seeded()?;
    let own = args.full || args.output.is_none() && !out.is_json();
    let reader = if own { Reader::Person } else { Reader::Anyone };
    let (name, page) = if args.all {
        let all = story::by_day::of_all(&repo, reader, story::all::all(&repo)?);
        out.json(&all);
        ("all".to_owned(), Page::of_all(&all))
    } else {
        let job = super::log::which(&repo, args.job.as_deref())?;
        let story = story::by_day::of_job(&repo, reader, story::job::story(&repo, &job)?);
        out.json(&story);
        (story.id.clone(), Page::of_job(&story))
    };
    put(args, context, &repo, &name, &page, out)
}

/// Figures for people are kept from an agent, whatever form it asks for.
pub(super) fn keep_from_agents(
    repo: &Repo,
    by: &'static str,
    command: &str,
    out: &mut Report,
) -> Option<Outcome> {
    if !crate::engine::git_hooks::has_agent_above(repo) {
        return None;
    }
    Some(super::refuse(repo, &crate::phases::commands::figures(by, command), out))
}

/// Writes the page where it was asked for. With `--json` only where a file was named.
fn put(
    args: &ReportArgs,
    context: &Context,
    repo: &Repo,
    name: &str,
    page: &Page,
    out: &mut Report,
) -> super::Result<Outcome> {
    let named = args.output.as_ref();
    if out.is_json() && named.is_none_or(|file| file == "-") {
        return Ok(Outcome::Yes);
    }
    if named.is_some_and(|file| file == "-") {
        if args.open {
            let text = voice::tell(Notice::ReportOpensNothing, &[]);
            return Err(EngineError::Usage(text).into());
        }
        out.raw(page.text());
        return Ok(Outcome::Yes);
    }
    let path = match named {
        Some(file) => context.cwd.join(file),
        None => place(repo, name),
    };
    // A file goes where the person says; a directory that is not there is a slip of the pen.
    if let Some(dir) = named.and_then(|_| path.parent()) {
        std::fs::metadata(dir).at(|| dir.display().to_string())?;
    }
    let whole = if named.is_some() { world::Whole::new() } else { world::Whole::private() };
    whole.write(&path, page.text().as_bytes()).at(|| path.display().to_string())?;
    out.line(path.display());
    if args.open {
        let opened = world::open_for_person(&path);
        opened.at(|| voice::tell(Notice::ReportNoBrowser, &[]))?;
    }
    Ok(Outcome::Yes)
}

/// The page's place where none was given: no file of the work tree, and none that another person
/// of the machine reads.
fn place(repo: &Repo, name: &str) -> PathBuf {
    repo.store.seed_dir().join("reports").join(format!("seed-report-{name}.html"))
}
