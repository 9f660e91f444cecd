//! Lists of jobs, without a walk: one line for each, from what was read before.
//!
//! Closed jobs have their lines in the archive's index. For those with a ref the lines are kept
//! in a file beside the journal, by the commit that each was read from: a job that moved on is
//! read again, the others are not. The file is a memory and no truth; without it everything is
//! read anew.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Serialize;

use crate::engine::repo::{Repo, Result};
use crate::engine::{jobs, record};
use crate::format::archive::{self, ClosedRow};
use crate::format::names;
use crate::jobs::graph::{Drawn, Graph, Node};
use crate::jobs::{JobId, Status, questions};

/// The file that remembers the lines of jobs with a ref.
const REMEMBERED: &str = "list";

/// From so many jobs on that had to be read, it is worth its while.
const WORTH: usize = 16;

/// Closed jobs that a list for people names.
const CLOSED: usize = 20;

/// What `job list` shows a person.
#[derive(Debug)]
pub(crate) struct Listed {
    pub rows: Vec<JobRow>,
    /// Closed jobs that it does not name.
    pub more: usize,
}

/// The lines of all jobs that have a ref, oldest first.
pub(crate) fn live_rows(repo: &Repo) -> Result<Vec<ClosedRow>> {
    let path = repo.store.seed_dir().join(REMEMBERED);
    // A memory and no truth: lines that are missing or do not read are read from their jobs.
    let bytes = std::fs::read(&path).unwrap_or_default();
    let known: HashMap<&[u8], &[u8]> =
        bytes.split(|byte| *byte == b'\n').filter_map(|line| Some((tip_of(line)?, line))).collect();
    let (mut rows, mut text, mut read) = (Vec::new(), Vec::new(), 0);
    for (chain, commit) in repo.store.chains(names::JOBS)? {
        let line = known.get(commit.as_str().as_bytes());
        // A memory, as above.
        let row: Option<ClosedRow> = line.and_then(|line| serde_json::from_slice(line).ok());
        let row = row.filter(|row| chain.strip_prefix(names::JOBS) == Some(row.id.as_str()));
        let row = if let Some(row) = row {
            row
        } else {
            read += 1;
            let tip = repo.store.tip_of(&commit)?;
            ClosedRow::of(&repo.state(&chain, &tip)?, commit.to_string())
        };
        if let Some(line) = line {
            text.extend_from_slice(line);
            text.push(b'\n');
        } else if let Ok(line) = row.write() {
            text.extend_from_slice(line.as_bytes());
        }
        rows.push(repo.named(row));
    }
    // Lines of jobs that have left would be read for nothing each time.
    if read >= WORTH || known.len() > 2 * rows.len() + WORTH {
        remember_rows(&path, &text);
    }
    Ok(rows)
}

/// A place that is not writable only means that the next list reads again.
fn remember_rows(path: &std::path::Path, text: &[u8]) {
    let _ = crate::world::write_whole(path, text);
}

/// Every job, oldest first.
pub(crate) fn job_rows(repo: &Repo) -> Result<Vec<JobRow>> {
    list_jobs(repo, usize::MAX).map(|listed| listed.rows)
}

/// The open jobs and the newest closed ones.
pub(crate) fn jobs_for_people(repo: &Repo) -> Result<Listed> {
    list_jobs(repo, CLOSED)
}

fn list_jobs(repo: &Repo, closed: usize) -> Result<Listed> {
    let focus = repo.store.focus()?;
    let live = live_rows(repo)?;
    let open: BTreeSet<&JobId> = live.iter().map(|row| &row.id).collect();
    let mut total = record::archive::closed_count(repo)?;
    if let Some(archived) = repo.store.tip(names::ARCHIVE)? {
        for row in &live {
            // Opened again, also by undo, or not put away again yet: the archive still has the
            // line that it left there.
            let there = repo.store.subtree(&archived, &archive::place(&row.id))?;
            total = total.saturating_sub(usize::from(there.is_some()));
        }
    }
    let mut shut = record::archive::closed_beside(repo, &open, closed)?;
    let (left, mut rows): (Vec<_>, Vec<_>) = live.iter().cloned().partition(archive::is_closed_row);
    total += left.len();
    shut.extend(left);
    shut.sort_by(|one, other| other.id.cmp(&one.id));
    shut.truncate(closed);
    let more = total.saturating_sub(shut.len());
    let waits = waits_of(repo, &rows, &live)?;
    rows.extend(shut);
    rows.sort_by(|one, other| one.id.cmp(&other.id));
    let focus = focus.as_deref().and_then(|chain| chain.strip_prefix(names::JOBS));
    let rows = rows.into_iter().map(|row| JobRow {
        focused: focus == Some(row.id.as_str()),
        waits_for: waits.get(&row.id).cloned().unwrap_or_default(),
        id: row.id.into(),
        name: row.name,
        status: row.status.word(),
        phase: row.phase,
        cycle: row.cycle,
        run: row.run,
    });
    Ok(Listed { rows: rows.collect(), more })
}

/// What each of the open jobs still waits for.
fn waits_of(
    repo: &Repo,
    open: &[ClosedRow],
    live: &[ClosedRow],
) -> Result<BTreeMap<JobId, Vec<JobId>>> {
    let held: Vec<&ClosedRow> = open.iter().filter(|row| !row.depends_on.is_empty()).collect();
    let mut waits = BTreeMap::new();
    if held.is_empty() {
        return Ok(waits);
    }
    let known: HashMap<&JobId, Status> = live.iter().map(|row| (&row.id, row.status)).collect();
    for row in held {
        let mut unmet = Vec::new();
        for id in &row.depends_on {
            let status = match known.get(id) {
                Some(status) => Some(*status),
                None => repo.archived_row(id)?.map(|row| row.status),
            };
            if !matches!(status, Some(Status::Completed | Status::Voided)) {
                unmet.push(id.clone());
            }
        }
        waits.insert(row.id.clone(), unmet);
    }
    Ok(waits)
}

/// The open jobs, each above what it waits for, and the graph that says more of each.
pub(crate) fn drawn_jobs(repo: &Repo) -> Result<(Graph, Vec<Drawn>)> {
    let mut nodes: BTreeMap<JobId, Node> = BTreeMap::new();
    let mut ahead: Vec<ClosedRow> = live_rows(repo)?;
    let mut asked = BTreeSet::new();
    while let Some(row) = ahead.pop() {
        nodes.insert(row.id.clone(), jobs::dependencies::node_of_row(&row));
        for id in row.depends_on {
            if !nodes.contains_key(&id) && asked.insert(id.clone()) {
                ahead.extend(repo.archived_row(&id)?.filter(|row| {
                    // One that was opened again is among those with a ref.
                    !nodes.contains_key(&row.id)
                }));
            }
        }
    }
    let graph = Graph::new(nodes.into_values());
    let drawn = graph.draw();
    Ok((graph, drawn))
}

/// What a drawing says of one job.
pub(crate) fn drawn_status(graph: &Graph, id: &JobId) -> (&'static str, String) {
    match graph.get(id) {
        Some(node) => (node.status.word(), node.name.clone()),
        None => (questions::NOWHERE, String::new()),
    }
}

/// The commit that a remembered line was read from: it stands behind the id.
fn tip_of(line: &[u8]) -> Option<&[u8]> {
    const BEFORE: &[u8] = b"\",\"tip\":\"";
    let at = line.windows(BEFORE.len()).take(64).position(|part| part == BEFORE)? + BEFORE.len();
    let rest = line.get(at..)?;
    rest.get(..rest.iter().position(|byte| *byte == b'"')?)
}

/// One row of `job list --json`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct JobRow {
    pub id: String,
    pub name: String,
    pub status: &'static str,
    pub focused: bool,
    pub phase: String,
    pub cycle: u32,
    pub run: u32,
    /// For people: the jobs that hold it up.
    #[serde(skip)]
    pub waits_for: Vec<JobId>,
}
