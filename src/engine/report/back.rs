//! Lines of journals, read backwards.

use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::format::journal::{Line, Linked};

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
