//! Closed jobs: into the archive, found there, and back out.
//!
//! A job is put away when nothing is left to do for it: parked, or completed and back in idle, and
//! in no worktree's focus. The archive's commit comes first, then the job's ref goes: killed
//! between, the job is in both, and the ref counts. The next closing, or `doctor --fix`, finishes
//! what was begun; a ref whose tip is not the archived one has moved on and stays.
//!
//! [`restore`] only puts the ref back. The archive keeps its line, and readers pass over it while
//! there is a ref; the next closing writes it anew. So whoever restores a job takes its next step
//! under the same lock, or the job would be put away again.

use std::collections::{BTreeMap, BTreeSet};

use crate::engine::closings;
use crate::engine::repo::archive_index::{damaged, unread};
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::format::archive::{self, ClosedRow};
use crate::format::names;
use crate::format::state::{self, State};
use crate::jobs::JobId;
use crate::store::{CommitId, NewStep, StoreError, Tip, TreeEdit};
use crate::voice::{Notice, tell};

/// As many as one commit of the archive takes in.
const AT_ONCE: usize = 256;

/// A job on its way into the archive.
pub(crate) struct Leaving {
    pub chain: String,
    pub tip: Tip,
    pub state: State,
}

/// Puts the job `id` away if it is closed and in nobody's focus, and says whether it was.
pub(crate) fn put_away(repo: &Repo, id: &JobId) -> Result<bool> {
    Ok(put_some_away(repo, &[id])? > 0)
}

/// The same of several; what is done for all is done once. Says how many were put away.
pub(crate) fn put_some_away(repo: &Repo, ids: &[&JobId]) -> Result<usize> {
    let _lock = repo.store.lock()?;
    finish_leaving(repo)?;
    let focused = repo.store.in_focus()?;
    let mut leaving = Vec::new();
    for chain in ids.iter().map(|id| names::job_chain(id)) {
        let Some(tip) = repo.store.tip(&chain)? else { continue };
        let state = repo.state(&chain, &tip)?;
        if archive::is_closed(&state) && !focused.contains(&chain) {
            leaving.push(Leaving { chain, tip, state });
        }
    }
    for some in leaving.chunks(AT_ONCE) {
        leave(repo, some)?;
    }
    for id in ids {
        if repo.store.tip(&names::job_chain(id))?.is_none() {
            closings::done(repo, id)?;
        }
    }
    Ok(leaving.len())
}

/// Puts every closed job away that still has a ref and is in nobody's focus; says how many.
pub(crate) fn put_all_away(repo: &Repo) -> Result<usize> {
    let _lock = repo.store.lock()?;
    let finished = finish_leaving(repo)?;
    let focused = repo.store.in_focus()?;
    let mut leaving = Vec::new();
    for (chain, _) in repo.store.chains(names::JOBS)? {
        let unfocused = |_: &Tip| !focused.contains(&chain);
        let Some(tip) = repo.store.tip(&chain)?.filter(unfocused) else { continue };
        // One that does not read is not ours to move; doctor names it.
        let Ok(state) = repo.state(&chain, &tip) else { continue };
        if archive::is_closed(&state) {
            leaving.push(Leaving { chain, tip, state });
        }
    }
    for some in leaving.chunks(AT_ONCE) {
        leave(repo, some)?;
    }
    Ok(finished + leaving.len())
}

/// Deletes the refs of jobs that lie in the archive as they stand: somebody was stopped
/// between the two.
fn finish_leaving(repo: &Repo) -> Result<usize> {
    let Some(archived) = repo.store.tip(names::ARCHIVE)? else { return Ok(0) };
    let focused = repo.store.in_focus()?;
    let mut gone = Vec::new();
    for (chain, commit) in repo.store.chains(names::JOBS)? {
        let Some(id) = names::job_of(&chain).filter(|_| !focused.contains(&chain)) else {
            continue;
        };
        // Most jobs were never there, and a look into one directory says so.
        if repo.store.subtree(&archived, &archive::place(&id))?.is_none() {
            continue;
        }
        if repo.row_in(&archived, &id)?.is_some_and(|row| row.tip == commit.to_string()) {
            gone.push((chain, commit));
        }
    }
    forget(repo, &gone)?;
    Ok(gone.len())
}

/// The archive's commit, then the refs. Who calls holds the lock.
fn leave(repo: &Repo, leaving: &[Leaving]) -> Result<()> {
    let archived = match repo.store.tip(names::ARCHIVE)? {
        Some(tip) => tip,
        None => open_archive(repo)?,
    };
    let edits = archive_edits(repo, &archived, leaving)?;
    let tips: Vec<CommitId> = leaving.iter().map(|job| job.tip.commit.clone()).collect();
    let message = match leaving {
        [one] => format!("archive: {}\n\n{}\n", one.state.job.kept_name(), one.state.job.id),
        many => format!("archive: {} jobs\n", many.len()),
    };
    let step = NewStep { edits: &edits, message: &message, at: repo.now };
    repo.store.append_holding(names::ARCHIVE, Some(&archived.commit), &step, &tips)?;
    let gone: Vec<_> =
        leaving.iter().map(|job| (job.chain.clone(), job.tip.commit.clone())).collect();
    forget(repo, &gone)
}

/// The archive begins with a commit of its own, so that its first parents are the archive
/// and nothing else.
fn open_archive(repo: &Repo) -> Result<Tip> {
    let count = TreeEdit::Put { path: archive::COUNT.to_owned(), bytes: b"0\n".to_vec() };
    repo.store.append(names::ARCHIVE, None, &[count], "archive: closed jobs\n", repo.now)?;
    let missing = || StoreError::Moved { chain: names::ARCHIVE.to_owned() };
    Ok(repo.store.tip(names::ARCHIVE)?.ok_or_else(missing)?)
}

/// What changes in the archive's tree: the jobs' trees, their lines, how many there are.
pub(crate) fn archive_edits(
    repo: &Repo,
    archived: &Tip,
    leaving: &[Leaving],
) -> Result<Vec<TreeEdit>> {
    let mut edits = Vec::new();
    let mut files: BTreeMap<String, Vec<ClosedRow>> = BTreeMap::new();
    let mut scheduled = BTreeSet::new();
    for job in leaving {
        let id = &job.state.job.id;
        edits.push(TreeEdit::Graft { path: archive::place(id), tree: job.tip.tree.clone() });
        let row = repo.store.kept_row(ClosedRow::of(&job.state, job.tip.commit.to_string()))?;
        files.entry(archive::index_file(id)).or_default().push(row);
        scheduled.extend(job.state.scheduled.iter().cloned());
    }
    let mut count = closed_count_in(repo, archived)?;
    for (path, new) in files {
        // The first job of its day begins the file.
        let known = repo.store.file(archived, &path)?.unwrap_or_default();
        let (bytes, grew) = archive::with_rows(&known, &new).map_err(|bad| unread(&path, &bad))?;
        count += grew;
        edits.push(TreeEdit::Put { path, bytes });
    }
    let bytes = format!("{count}\n").into_bytes();
    edits.push(TreeEdit::Put { path: archive::COUNT.to_owned(), bytes });
    if !scheduled.is_empty() {
        scheduled.extend(archived_scheduled(repo, archived)?);
        let bytes = state::write_lines(scheduled.iter().map(String::as_str)).into_bytes();
        edits.push(TreeEdit::Put { path: archive::SCHEDULED.to_owned(), bytes });
    }
    Ok(edits)
}

/// The refs of jobs that are in the archive go; their pins join those of other closed jobs.
pub(crate) fn forget(repo: &Repo, gone: &[(String, CommitId)]) -> Result<()> {
    let mut pins = Vec::new();
    for (chain, _) in gone {
        let Some(id) = names::job_of(chain) else { continue };
        let keep = names::keep_chain(&id);
        if let Some(tip) = repo.store.tip(&keep)? {
            pins.push((keep, tip.commit));
        }
    }
    repo.store.fold_pins(&pins, names::KEEP_CLOSED, repo.now)?;
    Ok(repo.store.delete_chains(gone)?)
}

/// Gives a closed job its ref back, where it stood when it was closed. The next step must
/// come under the same [`crate::store::Lock`]; a job that has its ref is given as it is.
pub(crate) fn restore(repo: &Repo, id: &JobId) -> Result<LoadedJob> {
    let _lock = repo.store.lock()?;
    let job = repo.job(id)?;
    if job.archived {
        repo.store.reopen(&job.chain, &job.tip.commit, repo.now)?;
    }
    repo.job(id)
}

/// True where there is a job `id`, open or closed.
pub(crate) fn knows(repo: &Repo, id: &JobId) -> Result<bool> {
    Ok(repo.store.tip(&names::job_chain(id))?.is_some() || repo.archived_row(id)?.is_some())
}

/// Every closed job that lies in the archive and has no ref, oldest first. It reads the
/// index alone.
pub(crate) fn closed(repo: &Repo) -> Result<Vec<ClosedRow>> {
    newest_closed(repo, usize::MAX).map(|mut rows| {
        rows.reverse();
        rows
    })
}

/// The newest `most` of them, newest first.
fn newest_closed(repo: &Repo, most: usize) -> Result<Vec<ClosedRow>> {
    let open = live_ids(repo)?;
    closed_beside(repo, &open.iter().collect(), most)
}

/// The newest `most` lines of jobs that are not among `open`, newest first.
pub(crate) fn closed_beside(
    repo: &Repo,
    open: &BTreeSet<&JobId>,
    most: usize,
) -> Result<Vec<ClosedRow>> {
    let Some(archived) = repo.store.tip(names::ARCHIVE)? else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for path in index_files(repo, &archived)?.iter().rev() {
        if found.len() >= most {
            break;
        }
        // Listed right above.
        let bytes = repo.store.file(&archived, path)?.unwrap_or_default();
        let rows = archive::rows(&bytes).map_err(|bad| unread(path, &bad))?;
        found.extend(rows.into_iter().rev().filter(|row| !open.contains(&row.id)));
    }
    found.truncate(most);
    Ok(found.into_iter().map(|row| repo.named(row)).collect())
}

/// The files of the index that hold lines, oldest first.
pub(crate) fn index_files(repo: &Repo, archived: &Tip) -> Result<Vec<String>> {
    let mut files = Vec::new();
    for name in repo.store.names(archived, archive::INDEX)? {
        let path = format!("{}/{name}", archive::INDEX);
        if path == archive::COUNT || path == archive::SCHEDULED {
            continue;
        }
        let days = repo.store.names(archived, &path)?;
        if days.is_empty() {
            // A file, for ids that begin with no day: they come before all others.
            files.insert(0, path);
        } else {
            files.extend(days.iter().map(|day| format!("{path}/{day}")));
        }
    }
    Ok(files)
}

/// How many jobs the archive holds, those with a ref among them.
pub(crate) fn closed_count(repo: &Repo) -> Result<usize> {
    match repo.store.tip(names::ARCHIVE)? {
        Some(archived) => closed_count_in(repo, &archived),
        None => Ok(0),
    }
}

fn closed_count_in(repo: &Repo, archived: &Tip) -> Result<usize> {
    // Without the file there is no number, which is damage as well.
    let bytes = repo.store.file(archived, archive::COUNT)?.unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    text.trim().parse().map_err(|_| damaged(archive::COUNT, "it holds no number"))
}

fn archived_scheduled(repo: &Repo, archived: &Tip) -> Result<Vec<String>> {
    // Written with the first scheduled text.
    let bytes = repo.store.file(archived, archive::SCHEDULED)?.unwrap_or_default();
    Ok(state::read_lines(&bytes))
}

/// True if a closed job's agent gave a text of this hash to a scheduling tool.
pub(crate) fn closed_scheduled(repo: &Repo, hash: &str) -> Result<bool> {
    let Some(archived) = repo.store.tip(names::ARCHIVE)? else { return Ok(false) };
    Ok(archived_scheduled(repo, &archived)?.iter().any(|known| known == hash))
}

/// The ids of all jobs that have a ref, oldest first.
pub(crate) fn live_ids(repo: &Repo) -> Result<Vec<JobId>> {
    let chains = repo.store.chains(names::JOBS)?;
    Ok(chains.iter().filter_map(|(chain, _)| names::job_of(chain)).collect())
}

/// The newest job, open or closed.
pub(crate) fn newest(repo: &Repo) -> Result<Option<LoadedJob>> {
    let open = live_ids(repo)?.pop();
    let closed = newest_closed(repo, 1)?.pop().map(|row| row.id);
    open.max(closed).map(|id| repo.job(&id)).transpose()
}

/// The jobs that closed last, at most `most`, newest first.
pub(crate) fn closed_last(repo: &Repo, most: usize) -> Result<Vec<LoadedJob>> {
    newest_closed(repo, most)?.iter().map(|row| repo.job(&row.id)).collect()
}

/// True when the index of the archive reads; what is wrong with it otherwise.
pub(crate) fn archive_reads(repo: &Repo) -> Result<usize> {
    let Some(archived) = repo.store.tip(names::ARCHIVE)? else { return Ok(0) };
    let mut count = 0;
    for path in index_files(repo, &archived)? {
        // Listed right above.
        let bytes = repo.store.file(&archived, &path)?.unwrap_or_default();
        let rows = archive::rows(&bytes).map_err(|bad| unread(&path, &bad))?;
        for row in &rows {
            let lies = repo.store.subtree(&archived, &archive::place(&row.id))?.is_some();
            // A tool that wrote all refs anew left the index with the ids of before.
            if !lies || !repo.store.has_commit(&row.tip) {
                return Err(damaged(&path, &format!("{} lies nowhere", row.id)));
            }
        }
        count += rows.len();
    }
    let said = closed_count_in(repo, &archived)?;
    if said == count { Ok(count) } else { Err(damaged(archive::COUNT, "it counts other jobs")) }
}

/// Writes the index anew, from the commits that the archive holds.
pub(crate) fn rebuild_archive(repo: &Repo) -> Result<usize> {
    let _lock = repo.store.lock()?;
    let Some(archived) = repo.store.tip(names::ARCHIVE)? else { return Ok(0) };
    let mut jobs: BTreeMap<JobId, Leaving> = BTreeMap::new();
    // Newest first: the first tip of a job that is met is its last.
    for step in repo.store.history_from(&archived.commit, usize::MAX)? {
        for commit in repo.store.extra_parents(&step.commit)? {
            let tip = repo.store.tip_of(&commit)?;
            let state = repo.state(names::ARCHIVE, &tip)?;
            let id = state.job.id.clone();
            let chain = names::job_chain(&id);
            jobs.entry(id).or_insert(Leaving { chain, tip, state });
        }
    }
    let leaving: Vec<Leaving> = jobs.into_values().collect();
    let bare = TreeEdit::Remove { path: archive::INDEX.to_owned() };
    let zero = TreeEdit::Put { path: archive::COUNT.to_owned(), bytes: b"0\n".to_vec() };
    let cleared = repo.store.tree_with(&archived.tree, std::slice::from_ref(&bare))?;
    let cleared = repo.store.tree_with(&cleared, &[zero])?;
    let empty = Tip { commit: archived.commit.clone(), tree: cleared };
    let mut edits = vec![bare];
    edits.extend(archive_edits(repo, &empty, &leaving)?);
    let message = tell(Notice::SubjectIndexAnew, &[]) + "\n";
    repo.store.append(names::ARCHIVE, Some(&archived.commit), &edits, &message, repo.now)?;
    Ok(leaving.len())
}
