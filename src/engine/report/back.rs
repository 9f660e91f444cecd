//! Lines of journals, read backwards.

use crate::engine::record::{self, archive};
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::format::journal::{Line, Linked};

/// The name of the main worktree.
const MAIN: &str = "main";
/// How many jobs that are over are looked at for one that was worked on.
const LOOKED_AT: usize = 8;

/// The job of this worktree that people mean where they name none: the focused one, or the newest
/// that was worked on here. One that only waits has nothing to tell.
pub(crate) fn of_here(repo: &Repo) -> Result<Option<LoadedJob>> {
    match repo.focused()? {
        Some(focused) => Ok(Some(focused)),
        None => newest(repo, |job| was_worked_on(job) && is_here(repo, job)),
    }
}

/// The same, and a job that was talk to its end, where something was refused in it.
pub(crate) fn refused_here(repo: &Repo) -> Result<Option<LoadedJob>> {
    let has_refused = |job: &LoadedJob| {
        // What does not read is told by `doctor`; here it refused nothing.
        let lines = record::refused::traced(repo, job, |_| true).unwrap_or_default();
        lines.iter().any(|line| line.refusal.is_some())
    };
    match repo.focused()? {
        Some(focused) => Ok(Some(focused)),
        None => newest(repo, |job| is_here(repo, job) && (was_worked_on(job) || has_refused(job))),
    }
}

/// The job is this worktree's. One that was let go is at home nowhere: then it counts as one of
/// the main worktree.
fn is_here(repo: &Repo, job: &LoadedJob) -> bool {
    let (here, home) = (repo.store.worktree_name(), &job.state.home);
    let at = [&home.worktree, &home.rested].into_iter().find(|at| !at.is_empty());
    at.map_or(here == MAIN, |at| *at == here)
}

fn was_worked_on(job: &LoadedJob) -> bool {
    job.state.stand.cycle > 0
}

/// The same, and else one of another worktree, or the newest that waits.
pub(crate) fn meant(repo: &Repo) -> Result<Option<LoadedJob>> {
    if let Some(job) = of_here(repo)? {
        return Ok(Some(job));
    }
    match newest(repo, was_worked_on)? {
        Some(job) => Ok(Some(job)),
        None => archive::newest(repo),
    }
}

/// The newest job of those that `is` one of them.
fn newest(repo: &Repo, is: impl Fn(&LoadedJob) -> bool) -> Result<Option<LoadedJob>> {
    let mut open = None;
    for id in archive::live_ids(repo)?.iter().rev() {
        let job = repo.job(id)?;
        if is(&job) {
            open = Some(job);
            break;
        }
    }
    let closed = archive::closed_last(repo, LOOKED_AT)?.into_iter().find(is);
    Ok(match (open, closed) {
        (Some(open), Some(closed)) if closed.state.job.id > open.state.job.id => Some(closed),
        (open, closed) => open.or(closed),
    })
}

/// Lines of this worktree since the last step, newest first, and behind them those that the steps
/// of `job` folded, until there are `enough`.
pub(crate) fn lines(
    repo: &Repo,
    job: Option<&LoadedJob>,
    enough: impl Fn(&[Line]) -> bool,
) -> Result<Vec<Line>> {
    let mut lines: Vec<Line> = Vec::new();
    let journal = repo.store.journal().all()?;
    // A journal that does not hold is told by `status` and `doctor`; what reads of it explains.
    lines.extend(journal.iter().rev().filter_map(|line| Some(Linked::read(line).ok()?.line)));
    let Some(job) = job else { return Ok(lines) };
    let mut traces = repo.store.names(&job.tip, "trace")?;
    let number = |name: &String| {
        let stem = name.trim_end_matches(".jsonl");
        stem.rsplit('-').next().and_then(|n| n.parse::<u32>().ok()).unwrap_or(0)
    };
    traces.sort_by_key(|name| std::cmp::Reverse(number(name)));
    for name in traces {
        if enough(&lines) {
            break;
        }
        let here = repo.counted_text(job, &format!("trace/{name}"))?.here();
        let Some(bytes) = here else { continue };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        // A line of another git seed is passed over: the list is for people, nothing decides by
        // it.
        lines.extend(text.lines().rev().filter_map(|line| serde_json::from_str(line).ok()));
    }
    Ok(lines)
}
