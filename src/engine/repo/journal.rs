//! The journal of this worktree, read: the counts since the last step, and who drives.

use std::sync::Arc;

use crate::engine::repo::Repo;
use crate::engine::repo::{JournalTrouble, LoadedJob, Result};
use crate::event::Event;
use crate::format::fold::JournalLines;
use crate::format::journal::{Counts, Linked};
use crate::format::reread;
use crate::format::state::{self, State};

/// What a scheduled text is known by.
pub(crate) fn text_hash(text: &str) -> String {
    let text = crate::hosts::given_back(text.trim());
    crate::format::short_hash(crate::secrets::mask(&text).as_bytes(), 16)
}

/// The counts that `linked`, the journal's last line, brings over `state`.
pub(crate) fn counts_over(state: &State, linked: &Linked) -> Result<Counts, JournalTrouble> {
    if linked.line.base == state.step {
        Ok(linked.line.counts.clone())
    } else if linked.hash == state.folded {
        // The step was written, and whoever wrote it was stopped before the new journal.
        Ok(Counts::default())
    } else {
        Err(JournalTrouble::Changed)
    }
}

pub(crate) fn since(state: &State, lines: &[Vec<u8>]) -> Result<JournalLines> {
    let linked = Linked::chain(lines).map_err(|_| JournalTrouble::Changed)?;
    let Some(last) = linked.last() else { return Err(JournalTrouble::Missing.into()) };
    let hash = last.hash.clone();
    counts_over(state, last)?;
    let lines = if hash == state.folded { Vec::new() } else { linked };
    let lines = lines.into_iter().filter(|linked| linked.line.base == state.step);
    let lines = lines.map(Arc::new).collect();
    Ok(JournalLines { lines, last: hash })
}

impl Repo {
    /// The journal's lines since the last step, read without a lock.
    pub(crate) fn read_since(&self, focused: &LoadedJob) -> Result<JournalLines> {
        // Whoever writes a step has the whole chain verified (`since` above), and guards hear of a
        // journal that does not hold. Who only looks is told what reads of it.
        let mut linked = reread::read(self.store.journal().all()?);
        linked.retain(|linked| linked.line.base == focused.state.step);
        // No line since the step: there is no hash to go on from.
        let last = linked.last().map(|linked| linked.hash.clone()).unwrap_or_default();
        Ok(JournalLines { lines: linked, last })
    }

    /// The agent itself gave this text to a scheduling tool, so no person wrote it.
    pub(crate) fn was_scheduled(&self, focused: &LoadedJob, text: &str) -> Result<bool> {
        let hash = text_hash(text);
        let since = self.read_since(focused)?;
        Ok(focused.state.scheduled.contains(&hash) || since.scheduled().any(|known| known == hash))
    }

    /// Another session drives the job, and its host still runs.
    pub(crate) fn is_guest(&self, focused: &LoadedJob, event: &Event) -> Result<bool> {
        let driver = &focused.state.driver.session;
        let another = !driver.is_empty() && !event.session.is_empty() && *driver != event.session;
        Ok(another && self.is_live(driver)?)
    }

    /// The lines of a list file in the job's tree.
    pub(crate) fn lines(&self, chain: &str, file: &str) -> Result<Vec<String>> {
        let Some(tip) = self.store.tip(chain)? else { return Ok(Vec::new()) };
        // A list that has no line yet has no file.
        Ok(self.store.file(&tip, file)?.map(|bytes| state::read_lines(&bytes)).unwrap_or_default())
    }
}
