//! What goes on in a worktree at one moment, for `git seed watch`.

use std::path::PathBuf;

use serde::Serialize;

use crate::engine::jobs::birth;
use crate::engine::judge::shown::{RunShown, runs_until};
use crate::engine::repo::text::rfc3339;
use crate::engine::repo::{Repo, Result};
use crate::engine::report::{self, JobHead, Status, WhyRow, back};
use crate::event::UnixSeconds;
use crate::format::journal::{Line, What};
use crate::voice::{Notice, tell};

/// How many calls, and how many refusals, are read.
const SHOWN: usize = 60;
const REFUSALS: usize = 20;

/// `watch --json`.
#[derive(Debug, Serialize)]
pub(crate) struct Watching {
    /// The directory of the worktree.
    pub worktree: PathBuf,
    pub status: Status,
    /// Jobs that were paused in this worktree, as `job activate` continues them.
    pub paused: Vec<JobHead>,
    /// What the journal heard, newest first.
    pub calls: Vec<CallShown>,
    pub refusals: Vec<WhyRow>,
    /// The last runs of tests of the focused job, newest first.
    pub runs: Vec<RunShown>,
}

/// A line of the journal.
#[derive(Debug, Serialize)]
pub(crate) struct CallShown {
    pub at: String,
    pub event: What,
    pub tool: String,
    pub paths: Vec<String>,
    /// The rule that refused it.
    pub by: Option<String>,
    /// The same in words.
    #[serde(skip)]
    pub told: String,
    #[serde(skip)]
    pub seconds: UnixSeconds,
}

/// What goes on now.
pub(crate) fn now(repo: &Repo) -> Result<Watching> {
    let focused = repo.focused()?;
    let runs = match &focused {
        Some(focused) => runs_until(repo, focused, UnixSeconds::MAX)?,
        None => Vec::new(),
    };
    let job = back::of_here(repo)?;
    let lines = back::lines(repo, job.as_ref(), |lines| lines.len() >= SHOWN)?;
    Ok(Watching {
        worktree: repo.store.work_tree().to_owned(),
        status: report::status(repo)?,
        paused: birth::paused_here(repo)?.iter().map(report::job_head).collect(),
        calls: lines.iter().filter_map(shown).take(SHOWN).collect(),
        refusals: report::refusals(repo, REFUSALS)?,
        runs,
    })
}

/// The places that change when something goes on in this worktree.
pub(crate) fn changes_in(repo: &Repo) -> [PathBuf; 2] {
    [repo.store.seed_dir(), repo.store.common_dir().join("refs/seed")]
}

/// What a person sees of a line; nothing of those that say what git seed itself keeps.
fn shown(line: &Line) -> Option<CallShown> {
    let told = match line.what {
        What::After | What::Looked | What::Refused | What::Ran => acted(line),
        What::Step => tell(Notice::WatchStep, &[]),
        What::Session => tell(Notice::WatchSession, &[]),
        What::Prompt => tell(Notice::WatchPrompt, &[]),
        What::Scheduled => tell(Notice::WatchScheduled, &[]),
        What::Asked => tell(Notice::WatchAsked, &[]),
        What::Launched => tell(Notice::WatchLaunched, &[("tool", &line.tool)]),
        What::Attested => tell(Notice::WatchAttested, &[("tool", &line.tool)]),
        What::Kept => tell(Notice::WatchKept, &[]),
        What::Trouble => tell(Notice::WatchTrouble, &[]),
        What::Commit => tell(Notice::WatchCommit, &[]),
        What::Compacting => tell(Notice::WatchCompacting, &[]),
        What::Late | What::Claimed | What::Advised => return None,
    };
    Some(CallShown {
        at: rfc3339(line.at),
        event: line.what,
        tool: line.tool.clone(),
        paths: line.paths.clone(),
        by: line.refusal.as_ref().map(|refused| refused.by.clone()),
        told,
        seconds: line.at,
    })
}

/// A call, by what it touched or ran.
fn acted(line: &Line) -> String {
    let paths = if line.paths.is_empty() { &line.opened } else { &line.paths };
    let what = match &line.ran {
        Some(ran) => ran.command.clone(),
        None if paths.is_empty() => line.source.clone(),
        None => paths.join(" "),
    };
    let told = format!("{} {what}", line.tool).trim().to_owned();
    // A step that a gate refused is no tool's.
    if told.is_empty() { tell(Notice::WatchStep, &[]) } else { told }
}
