//! Closed jobs: into the archive, found there, and back out.
//!
//! A job is put away when nothing is left to do for it: parked, or completed and back in
//! idle, and in no worktree's focus. The archive's commit comes first, then the job's ref
//! goes: killed between, the job is in both, and the ref counts. The next closing, or
//! `doctor --fix`, finishes what was begun; a ref whose tip is not the archived one has moved
//! on and stays.
//!
//! [`Seed::restore`] only puts the ref back. The archive keeps its line, and readers pass over
//! it while there is a ref; the next closing writes it anew. So whoever restores a job takes
//! its next step under the same lock, or the job would be put away again.

use std::collections::{BTreeMap, BTreeSet};

use super::{Focused, JournalTrouble, Result, Seed, SeedError};
use crate::format::archive::{self, ClosedRow};
use crate::format::names;
use crate::format::state::{self, BadState, State};
use crate::jobs::JobId;
use crate::store::{CommitId, StoreError, Tip, TreeEdit};

/// As many as one commit of the archive takes in.
const AT_ONCE: usize = 256;

/// A job on its way into the archive.
struct Leaving {
    chain: String,
    tip: Tip,
    state: State,
}

impl Seed {
    /// Puts the job `id` away if it is closed and in nobody's focus, and says whether it was.
    pub fn put_away(&self, id: &JobId) -> Result<bool> {
        let _lock = self.store.lock()?;
        self.finish_leaving()?;
        let chain = names::job_chain(id);
        let Some(tip) = self.store.tip(&chain)? else { return Ok(false) };
        let state = self.state(&chain, &tip)?;
        if !archive::is_closed(&state) || self.store.in_focus()?.contains(&chain) {
            return Ok(false);
        }
        self.leave(&[Leaving { chain, tip, state }])?;
        Ok(true)
    }

    /// Puts every closed job away that still has a ref and is in nobody's focus; says how many.
    pub fn put_all_away(&self) -> Result<usize> {
        let _lock = self.store.lock()?;
        let finished = self.finish_leaving()?;
        let focused = self.store.in_focus()?;
        let mut leaving = Vec::new();
        for (chain, _) in self.store.chains(names::JOBS)? {
            if focused.contains(&chain) {
                continue;
            }
            let Some(tip) = self.store.tip(&chain)? else { continue };
            // One that does not read is not ours to move; doctor names it.
            let Ok(state) = self.state(&chain, &tip) else { continue };
            if archive::is_closed(&state) {
                leaving.push(Leaving { chain, tip, state });
            }
        }
        for some in leaving.chunks(AT_ONCE) {
            self.leave(some)?;
        }
        Ok(finished + leaving.len())
    }

    /// The refs of closed jobs that wait to be put away, by what is written of them.
    pub fn not_put_away(&self) -> Result<usize> {
        let focused = self.store.in_focus()?;
        let rows = self.live_rows()?;
        let waits =
            |row: &&ClosedRow| archive::is_closed_row(row) && !focused.contains(&names::job_chain(&row.id));
        Ok(rows.iter().filter(waits).count())
    }

    /// Deletes the refs of jobs that lie in the archive as they stand: somebody was stopped
    /// between the two.
    fn finish_leaving(&self) -> Result<usize> {
        let Some(archived) = self.store.tip(names::ARCHIVE)? else { return Ok(0) };
        let focused = self.store.in_focus()?;
        let mut gone = Vec::new();
        for (chain, commit) in self.store.chains(names::JOBS)? {
            let Some(id) = names::job_of(&chain).filter(|_| !focused.contains(&chain)) else { continue };
            // Most jobs were never there, and a look into one directory says so.
            if self.store.subtree(&archived, &archive::place(&id))?.is_none() {
                continue;
            }
            if self.row_in(&archived, &id)?.is_some_and(|row| row.tip == commit.to_string()) {
                gone.push((chain, commit));
            }
        }
        self.forget(&gone)?;
        Ok(gone.len())
    }

    /// The archive's commit, then the refs. Who calls holds the lock.
    fn leave(&self, leaving: &[Leaving]) -> Result<()> {
        let archived = match self.store.tip(names::ARCHIVE)? {
            Some(tip) => tip,
            None => self.open_archive()?,
        };
        let edits = self.archive_edits(&archived, leaving)?;
        let tips: Vec<CommitId> = leaving.iter().map(|job| job.tip.commit.clone()).collect();
        let message = match leaving {
            [one] => format!("archive: {}\n\n{}\n", one.state.job.name, one.state.job.id),
            many => format!("archive: {} jobs\n", many.len()),
        };
        self.store.append(names::ARCHIVE, Some(&archived.commit), &edits, &message, self.now, &tips)?;
        let gone: Vec<_> = leaving.iter().map(|job| (job.chain.clone(), job.tip.commit.clone())).collect();
        self.forget(&gone)
    }

    /// The archive begins with a commit of its own, so that its first parents are the archive
    /// and nothing else.
    fn open_archive(&self) -> Result<Tip> {
        let count = TreeEdit::Put { path: archive::COUNT.to_owned(), bytes: b"0\n".to_vec() };
        self.store.append(names::ARCHIVE, None, &[count], "archive: closed jobs\n", self.now, &[])?;
        let missing = || StoreError::Moved { chain: names::ARCHIVE.to_owned() };
        Ok(self.store.tip(names::ARCHIVE)?.ok_or_else(missing)?)
    }

    /// What changes in the archive's tree: the jobs' trees, their lines, how many there are.
    fn archive_edits(&self, archived: &Tip, leaving: &[Leaving]) -> Result<Vec<TreeEdit>> {
        let mut edits = Vec::new();
        let mut files: BTreeMap<String, Vec<ClosedRow>> = BTreeMap::new();
        let mut scheduled = BTreeSet::new();
        for job in leaving {
            let id = &job.state.job.id;
            edits.push(TreeEdit::Graft { path: archive::place(id), tree: job.tip.tree.clone() });
            let row = ClosedRow::of(&job.state, job.tip.commit.to_string());
            files.entry(archive::index_file(id)).or_default().push(row);
            scheduled.extend(job.state.scheduled.iter().cloned());
        }
        let mut count = self.closed_count_in(archived)?;
        for (path, new) in files {
            let known = self.store.file(archived, &path)?.unwrap_or_default();
            let (bytes, grew) = archive::with_rows(&known, &new).map_err(|bad| unread(&path, &bad))?;
            count += grew;
            edits.push(TreeEdit::Put { path, bytes });
        }
        let bytes = format!("{count}\n").into_bytes();
        edits.push(TreeEdit::Put { path: archive::COUNT.to_owned(), bytes });
        if !scheduled.is_empty() {
            scheduled.extend(self.archived_scheduled(archived)?);
            let bytes = state::write_lines(scheduled.iter().map(String::as_str)).into_bytes();
            edits.push(TreeEdit::Put { path: archive::SCHEDULED.to_owned(), bytes });
        }
        Ok(edits)
    }

    /// The refs of jobs that are in the archive go; their pins join those of other closed jobs.
    fn forget(&self, gone: &[(String, CommitId)]) -> Result<()> {
        let mut pins = Vec::new();
        for (chain, _) in gone {
            let Some(id) = names::job_of(chain) else { continue };
            let keep = names::keep_chain(&id);
            if let Some(tip) = self.store.tip(&keep)? {
                pins.push((keep, tip.commit));
            }
        }
        self.store.fold_pins(&pins, names::KEEP_CLOSED, self.now)?;
        Ok(self.store.delete_chains(gone)?)
    }

    /// Gives a closed job its ref back, where it stood when it was closed. The next step must
    /// come under the same [`crate::store::Lock`]; a job that has its ref is given as it is.
    pub fn restore(&self, id: &JobId) -> Result<Focused> {
        let _lock = self.store.lock()?;
        let job = self.job(id)?;
        if job.archived {
            self.store.reopen(&job.chain, &job.tip.commit, self.now)?;
        }
        self.job(id)
    }

    /// True where there is a job `id`, open or closed.
    pub fn knows(&self, id: &JobId) -> Result<bool> {
        Ok(self.store.tip(&names::job_chain(id))?.is_some() || self.archived_row(id)?.is_some())
    }

    /// The line of a job in the archive, whether or not it has a ref as well.
    pub(super) fn archived_row(&self, id: &JobId) -> Result<Option<ClosedRow>> {
        match self.store.tip(names::ARCHIVE)? {
            Some(archived) => self.row_in(&archived, id),
            None => Ok(None),
        }
    }

    fn row_in(&self, archived: &Tip, id: &JobId) -> Result<Option<ClosedRow>> {
        let path = archive::index_file(id);
        let bytes = self.store.file(archived, &path)?.unwrap_or_default();
        archive::row(&bytes, id).map_err(|bad| unread(&path, &bad))
    }

    /// A job as it lies in the archive.
    pub(super) fn archived_job(&self, id: &JobId) -> Result<Option<Focused>> {
        let Some(archived) = self.store.tip(names::ARCHIVE)? else { return Ok(None) };
        let Some(row) = self.row_in(&archived, id)? else { return Ok(None) };
        let chain = names::job_chain(id);
        let tree = self.store.subtree(&archived, &archive::place(id))?;
        let (Some(tree), Ok(commit)) = (tree, row.tip.parse()) else {
            let what = format!("the tree of {id} in {}", names::ARCHIVE);
            return Err(StoreError::Missing { what, repair: "git seed doctor --fix" }.into());
        };
        let tip = Tip { commit, tree };
        let state = self.state(&chain, &tip)?;
        Ok(Some(Focused { chain, tip, state, since: Err(JournalTrouble::Missing), archived: true }))
    }

    /// Every closed job that lies in the archive and has no ref, oldest first. It reads the
    /// index alone.
    pub fn closed(&self) -> Result<Vec<ClosedRow>> {
        self.newest_closed(usize::MAX).map(|mut rows| {
            rows.reverse();
            rows
        })
    }

    /// The newest `most` of them, newest first.
    pub fn newest_closed(&self, most: usize) -> Result<Vec<ClosedRow>> {
        let open = self.live_ids()?;
        self.closed_beside(&open.iter().collect(), most)
    }

    /// The newest `most` lines of jobs that are not among `open`, newest first.
    pub(super) fn closed_beside(&self, open: &BTreeSet<&JobId>, most: usize) -> Result<Vec<ClosedRow>> {
        let Some(archived) = self.store.tip(names::ARCHIVE)? else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for path in self.index_files(&archived)?.iter().rev() {
            if found.len() >= most {
                break;
            }
            let bytes = self.store.file(&archived, path)?.unwrap_or_default();
            let rows = archive::rows(&bytes).map_err(|bad| unread(path, &bad))?;
            found.extend(rows.into_iter().rev().filter(|row| !open.contains(&row.id)));
        }
        found.truncate(most);
        Ok(found)
    }

    /// The files of the index that hold lines, oldest first.
    fn index_files(&self, archived: &Tip) -> Result<Vec<String>> {
        let mut files = Vec::new();
        for name in self.store.names(archived, archive::INDEX)? {
            let path = format!("{}/{name}", archive::INDEX);
            if path == archive::COUNT || path == archive::SCHEDULED {
                continue;
            }
            let days = self.store.names(archived, &path)?;
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
    pub fn closed_count(&self) -> Result<usize> {
        match self.store.tip(names::ARCHIVE)? {
            Some(archived) => self.closed_count_in(&archived),
            None => Ok(0),
        }
    }

    fn closed_count_in(&self, archived: &Tip) -> Result<usize> {
        let bytes = self.store.file(archived, archive::COUNT)?.unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        text.trim().parse().map_err(|_| damaged(archive::COUNT, "it holds no number"))
    }

    fn archived_scheduled(&self, archived: &Tip) -> Result<Vec<String>> {
        let bytes = self.store.file(archived, archive::SCHEDULED)?.unwrap_or_default();
        Ok(state::read_lines(&bytes))
    }

    /// True if a closed job's agent gave a text of this hash to a scheduling tool.
    pub(super) fn closed_scheduled(&self, hash: &str) -> Result<bool> {
        let Some(archived) = self.store.tip(names::ARCHIVE)? else { return Ok(false) };
        Ok(self.archived_scheduled(&archived)?.iter().any(|known| known == hash))
    }

    /// The ids of all jobs that have a ref, oldest first.
    pub(super) fn live_ids(&self) -> Result<Vec<JobId>> {
        let chains = self.store.chains(names::JOBS)?;
        Ok(chains.iter().filter_map(|(chain, _)| names::job_of(chain)).collect())
    }

    /// The newest job, open or closed.
    pub fn newest(&self) -> Result<Option<Focused>> {
        let open = self.live_ids()?.pop();
        let closed = self.newest_closed(1)?.pop().map(|row| row.id);
        open.max(closed).map(|id| self.job(&id)).transpose()
    }

    /// True when the index of the archive reads; what is wrong with it otherwise.
    pub(super) fn archive_reads(&self) -> Result<usize> {
        let Some(archived) = self.store.tip(names::ARCHIVE)? else { return Ok(0) };
        let mut count = 0;
        for path in self.index_files(&archived)? {
            let bytes = self.store.file(&archived, &path)?.unwrap_or_default();
            let rows = archive::rows(&bytes).map_err(|bad| unread(&path, &bad))?;
            for row in &rows {
                if self.store.subtree(&archived, &archive::place(&row.id))?.is_none() {
                    return Err(damaged(&path, &format!("{} lies nowhere", row.id)));
                }
            }
            count += rows.len();
        }
        let said = self.closed_count_in(&archived)?;
        if said == count { Ok(count) } else { Err(damaged(archive::COUNT, "it counts other jobs")) }
    }

    /// Writes the index anew, from the commits that the archive holds.
    pub(super) fn rebuild_archive(&self) -> Result<usize> {
        let _lock = self.store.lock()?;
        let Some(archived) = self.store.tip(names::ARCHIVE)? else { return Ok(0) };
        let mut jobs: BTreeMap<JobId, Leaving> = BTreeMap::new();
        // Newest first: the first tip of a job that is met is its last.
        for step in self.store.history_from(&archived.commit, usize::MAX)? {
            for commit in self.store.extra_parents(&step.commit)? {
                let tip = self.store.tip_of(&commit)?;
                let state = self.state(names::ARCHIVE, &tip)?;
                let id = state.job.id.clone();
                let chain = names::job_chain(&id);
                jobs.entry(id).or_insert(Leaving { chain, tip, state });
            }
        }
        let leaving: Vec<Leaving> = jobs.into_values().collect();
        let bare = TreeEdit::Remove { path: archive::INDEX.to_owned() };
        let zero = TreeEdit::Put { path: archive::COUNT.to_owned(), bytes: b"0\n".to_vec() };
        let cleared = self.store.tree_with(&archived.tree, std::slice::from_ref(&bare))?;
        let cleared = self.store.tree_with(&cleared, &[zero])?;
        let empty = Tip { commit: archived.commit.clone(), tree: cleared };
        let mut edits = vec![bare];
        edits.extend(self.archive_edits(&empty, &leaving)?);
        let message = "archive: the index was written anew\n";
        self.store.append(names::ARCHIVE, Some(&archived.commit), &edits, message, self.now, &[])?;
        Ok(leaving.len())
    }
}

fn unread(path: &str, bad: &serde_json::Error) -> SeedError {
    damaged(path, &bad.to_string())
}

fn damaged(path: &str, why: &str) -> SeedError {
    let bad = BadState::Index(format!("{why}; git seed doctor --fix writes it anew"));
    SeedError::State { chain: format!("{}: {path}", names::ARCHIVE), bad }
}
