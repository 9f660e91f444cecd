//! The footers when a cycle closes: measured, archived, made shorter.
//!
//! What condense takes out of a page stands in the session log first. Nothing here is a
//! flag: whether the log holds the footers is read from both, whenever it is asked, so
//! that a page or a log that somebody changed in between is never taken for what it was.

use std::path::{Path, PathBuf};

use super::ownfiles::OwnFile;
use super::steps::{By, Draft};
use super::{Focused, Result, Seed, SeedError};
use crate::format::journal::What;
use crate::format::names;
use crate::format::state::State;
use crate::memory::absorb::{self, Absorbed};
use crate::memory::archive::{self, BadLog, Capture, Footer};
use crate::memory::condense::{Baseline, Deflation};
use crate::memory::lock::{self, Held, Loss, Unarchived};
use crate::memory::{footers, words};
use crate::phases::commands;
use crate::store::TreeEdit;
use crate::verdict::Refusal;

/// What `condense archive` did.
#[derive(Clone, Debug)]
pub struct Archived {
    /// The session log, from the top of the work tree.
    pub path: String,
    /// Pages whose footers it holds.
    pub pages: Vec<String>,
    /// Captures in it; none where there was nothing to keep.
    pub captures: usize,
    /// This call added one.
    pub added: bool,
}

/// What `condense absorb` did with one page.
#[derive(Clone, Debug)]
pub struct PageAbsorbed {
    pub page: String,
    pub before: String,
    pub absorbed: Absorbed,
    /// Somebody changed the page meanwhile: it was left alone.
    pub left_alone: bool,
}

impl Seed {
    /// Entering a phase that measures takes the footers' word counts, and what they say.
    pub(super) fn measure(&self, chain: &str, state: &mut State, draft: &mut Draft) -> Result<()> {
        if !self.row_of(state).measures {
            state.baseline = None;
            return Ok(());
        }
        if state.baseline.is_some() {
            return Ok(());
        }
        let dirs = self.lines(chain, names::SCOPE)?;
        let baseline = self.footers_now(&dirs);
        state.baseline = Some(baseline.total());
        let footers = archive::begin(&state.job.id.to_string(), state.job.run, state.stand.cycle);
        let footers = archive::add(&footers, &self.footers_of(&self.pages_of(&dirs))).map_err(unread)?;
        draft.edits.push(TreeEdit::Put { path: names::FOOTERS.to_owned(), bytes: footers.into_bytes() });
        let text = toml::to_string(&baseline).map_err(|error| SeedError::Usage(error.to_string()))?;
        draft.edits.push(TreeEdit::Put { path: names::BASELINE.to_owned(), bytes: text.into_bytes() });
        draft.edits.push(self.found_notes(chain, state)?);
        Ok(())
    }

    /// Footer words of the pages of these directories, as they are on disk.
    pub(super) fn footers_now(&self, dirs: &[String]) -> Baseline {
        let anchors = self.rules.maps.anchors();
        let mut baseline = Baseline::default();
        for dir in dirs {
            if let Some(text) = self.page_text(dir) {
                baseline.per_page.insert(self.page_path(dir), words::footer_words(&text, &anchors));
            }
        }
        baseline
    }

    /// Where the footers stand against the count taken when condense began.
    pub fn deflation(&self, focused: &Focused) -> Result<Option<Deflation>> {
        let Some(baseline) = focused.state.baseline else { return Ok(None) };
        let remaining = self.footers_now(&self.lines(&focused.chain, names::SCOPE)?).total();
        Ok(Some(Deflation { baseline, remaining, share: self.rules.share }))
    }

    /// `address`, `archive`, `deflate` or `ready`.
    pub fn condense_stage(&self, focused: &Focused) -> &'static str {
        match (self.live_notes(focused), self.deflation(focused)) {
            (Ok(notes), _) if !notes.is_empty() => "address",
            (Ok(_), Ok(None)) => "ready",
            _ if !self.is_archived(focused) => "archive",
            (Ok(_), Ok(Some(deflation))) if deflation.holds() => "ready",
            _ => "deflate",
        }
    }

    /// The session log holds what the footers say, or there is nothing for it to hold.
    pub fn is_archived(&self, focused: &Focused) -> bool {
        self.unarchived(focused).is_ok_and(|unarchived| unarchived.is_none())
    }

    /// The first thing that the session log of this cycle lacks.
    pub fn unarchived(&self, focused: &Focused) -> Result<Option<Unarchived>> {
        let (anchors, kinds) = (self.rules.maps.anchors(), self.kinds(&focused.state));
        let pages = self.pages_of(&self.lines(&focused.chain, names::SCOPE)?);
        let log = self.session_log(focused)?;
        if let Some(gone) = self.gone(focused, &pages, &log)? {
            return Ok(Some(gone));
        }
        for (page, text) in &pages {
            // Where there is no log, a carried note alone is nothing that could get lost.
            let asks = !log.is_empty() || lock::says_something(text, &anchors, &kinds);
            let held = Held::of(&log, page, &anchors);
            if let Some(loss) = lock::unheld(text, &anchors, &kinds, &held).filter(|_| asks) {
                return Ok(Some(Unarchived::Words { page: page.clone(), loss }));
            }
        }
        let name = names::session_log(focused.state.stand.cycle);
        let recorded = self.own_file(focused, &name)?;
        let lost = recorded.is_some() && recorded != self.own_file_on_disk(&focused.state, &name);
        Ok(lost.then(|| Unarchived::Log { path: self.own_path(&focused.state, &name) }))
    }

    /// What the gate says where the log lacks something, in a phase that measures.
    pub(super) fn lacks_archive(&self, focused: &Focused) -> Result<Option<Refusal>> {
        if !self.row(Some(focused)).measures {
            return Ok(None);
        }
        Ok(self.unarchived(focused)?.map(|lacks| lacks.refusal("gate")))
    }

    /// What a footer said when condense began and neither it nor the log says now.
    fn gone(
        &self,
        focused: &Focused,
        pages: &[(String, String)],
        log: &[Capture],
    ) -> Result<Option<Unarchived>> {
        let (anchors, kinds) = (self.rules.maps.anchors(), self.kinds(&focused.state));
        for footer in &self.footers_at_entry(focused)? {
            let now =
                pages.iter().find(|(page, _)| *page == footer.page).map_or("", |(_, text)| text.as_str());
            let held = Held::of(log, &footer.page, &anchors);
            if let Some(loss) = lock::gone(&lock::as_page(footer, &anchors), now, &anchors, &kinds, &held) {
                let (page, strays) = (footer.page.clone(), self.fence_shown(focused)?.strays);
                let by_fence = strays.contains(&page);
                return Ok(Some(Unarchived::Gone { page, loss, by_fence }));
            }
        }
        Ok(None)
    }

    /// What the footers said when condense began.
    fn footers_at_entry(&self, focused: &Focused) -> Result<Capture> {
        let bytes = self.store.file(&focused.tip, names::FOOTERS)?;
        let Some(bytes) = bytes.filter(|_| focused.state.baseline.is_some()) else {
            return Ok(Capture::new());
        };
        let captures = archive::read(&String::from_utf8_lossy(&bytes)).map_err(unread)?;
        Ok(captures.into_iter().flatten().collect())
    }

    /// What an edit would take from the footer of `page` and the log does not hold; asked
    /// only where a phase measures.
    pub(super) fn would_lose(&self, focused: &Focused, page: &str, old: &str, new: &str) -> Option<Loss> {
        if !self.row(Some(focused)).measures {
            return None;
        }
        let anchors = self.rules.maps.anchors();
        // A log that does not read holds nothing.
        let log = self.session_log(focused).unwrap_or_default();
        let held = Held::of(&log, page, &anchors);
        lock::lost(old, new, &anchors, &self.kinds(&focused.state), &held)
    }

    /// Whether something that `page` said at the last boundary stands neither there nor in the
    /// log now; asked only where a phase measures.
    pub(super) fn has_lost(&self, focused: &Focused, page: &str, old: &str, new: &str) -> bool {
        let anchors = self.rules.maps.anchors();
        let held = Held::of(&self.session_log(focused).unwrap_or_default(), page, &anchors);
        let kinds = self.kinds(&focused.state);
        self.row(Some(focused)).measures && lock::gone(old, new, &anchors, &kinds, &held).is_some()
    }

    /// The page of this cycle that a file is, under whatever name it is reached.
    pub(super) fn cycle_page(&self, focused: &Focused, shown: &str, real: &Path) -> Option<String> {
        let dirs = self.lines(&focused.chain, names::SCOPE).unwrap_or_default();
        let mut pages = dirs.iter().map(|dir| self.page_path(dir));
        pages.find(|page| {
            page == shown
                || std::fs::canonicalize(self.store.work_tree().join(page)).is_ok_and(|file| file == real)
        })
    }

    /// The captures of this cycle, as the job's tree has them.
    pub(super) fn session_log(&self, focused: &Focused) -> Result<Vec<Capture>> {
        let bytes = self.own_file(focused, &names::session_log(focused.state.stand.cycle))?;
        let Some(bytes) = bytes else { return Ok(Vec::new()) };
        archive::read(&String::from_utf8_lossy(&bytes)).map_err(unread)
    }

    /// The pages of these directories that are there, with their texts.
    fn pages_of(&self, dirs: &[String]) -> Vec<(String, String)> {
        dirs.iter().filter_map(|dir| Some((self.page_path(dir), self.page_text(dir)?))).collect()
    }

    fn footers_of(&self, pages: &[(String, String)]) -> Capture {
        let anchors = self.rules.maps.anchors();
        let footer = |(page, text): &(String, String)| {
            let text = footers::layout(text, &anchors).footer().to_owned();
            Footer { page: page.clone(), text }
        };
        pages.iter().map(footer).filter(|footer| !footer.text.trim().is_empty()).collect()
    }

    /// Captures the footers of the cycle's pages in the session log, and proves it by reading
    /// the log back. Without anything new it only puts back a log that was lost.
    pub fn archive(&self, by: By) -> Result<std::result::Result<Archived, Refusal>> {
        let focused = self.require_focused()?;
        focused.since.clone()?;
        self.climb(&focused)?;
        if let Err(refusal) = self.may_condense(&focused, "archive")? {
            return Ok(Err(refusal));
        }
        let name = names::session_log(focused.state.stand.cycle);
        let path = self.own_path(&focused.state, &name);
        let captures = self.session_log(&focused)?;
        let unarchived = self.unarchived(&focused)?;
        let mut earlier = Capture::new();
        let done = |captures: &[Capture], added| {
            let pages = captures.last().into_iter().flatten().map(|footer| footer.page.clone()).collect();
            Ok(Ok(Archived { path: path.clone(), pages, captures: captures.len(), added }))
        };
        match unarchived {
            None => return done(&captures, false),
            // Words that somebody else took are kept as they were when condense began; a note
            // has to come to its end first.
            Some(Unarchived::Gone { ref loss, by_fence: false, .. }) if !loss.note => {
                earlier = self.footers_at_entry(&focused)?;
            }
            Some(gone @ Unarchived::Gone { .. }) => return Ok(Err(gone.refusal("archive"))),
            Some(Unarchived::Log { .. }) => {
                let recorded = self.own_file(&focused, &name)?.unwrap_or_default();
                self.put_own_file(&focused, &name, &recorded)?;
                return done(&captures, false);
            }
            Some(Unarchived::Words { .. }) => {}
        }
        let state = &focused.state;
        let mut log = match self.own_file(&focused, &name)? {
            Some(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            None => archive::begin(&state.job.id.to_string(), state.job.run, state.stand.cycle),
        };
        let now = self.footers_of(&self.pages_of(&self.lines(&focused.chain, names::SCOPE)?));
        let mut capture = Capture::new();
        for one in [earlier, now].into_iter().filter(|one| !one.is_empty()) {
            log = archive::add(&log, &one).map_err(unread)?;
            capture = one;
        }
        let bytes = log.into_bytes();
        let subject = format!("archive the footers of {}", super::boundary::count(capture.len(), "page"));
        let file = OwnFile { name: &name, bytes, step: "archive", subject, by };
        let focused = self.write_own_file(&focused, file)?;
        let kept = self.own_file_on_disk(&focused.state, &name).unwrap_or_default();
        let kept = archive::read(&String::from_utf8_lossy(&kept)).map_err(unread)?;
        if kept.last() != Some(&capture) {
            return Err(SeedError::Usage(format!("{path} does not hold what was captured; try again")));
        }
        done(&kept, true)
    }

    /// A phase that condenses, with every note at rest.
    fn may_condense(&self, focused: &Focused, by: &'static str) -> Result<std::result::Result<(), Refusal>> {
        let row = self.row(Some(focused));
        // Pages are read where the row asks for it alone.
        let live = if row.measures { self.live_notes(focused)? } else { Vec::new() };
        Ok(commands::condenses(row, live.first().map(String::as_str), by))
    }

    /// Takes out of the cycle's pages what their tags say, page by page. A page that is not
    /// what the log holds any more, or that changes meanwhile, is left alone.
    pub fn absorb(&self, dry: bool) -> Result<std::result::Result<Vec<PageAbsorbed>, Refusal>> {
        let focused = self.require_focused()?;
        focused.since.clone()?;
        if let Err(refusal) = self.may_condense(&focused, "absorb")? {
            return Ok(Err(refusal));
        }
        if let Some(unarchived) = self.unarchived(&focused)? {
            return Ok(Err(unarchived.refusal("absorb")));
        }
        let (anchors, kinds) = (self.rules.maps.anchors(), self.kinds(&focused.state));
        let log = self.session_log(&focused)?;
        let mut done = Vec::new();
        for (page, before) in self.pages_of(&self.lines(&focused.chain, names::SCOPE)?) {
            let absorbed = absorb::absorb(&before, &anchors, &kinds, &self.rules.heading);
            let absorbed = absorbed.map_err(|disorder| SeedError::Usage(format!("{page}: {disorder}")))?;
            let held = Held::of(&log, &page, &anchors);
            let mut left_alone = lock::unheld(&before, &anchors, &kinds, &held)
                .is_some_and(|_| lock::says_something(&before, &anchors, &kinds));
            if !dry && !left_alone && absorbed.text != before {
                left_alone = !self.rewrite_page(&focused, &page, &before, &absorbed.text)?;
            }
            done.push(PageAbsorbed { page, before, absorbed, left_alone });
        }
        Ok(Ok(done))
    }

    /// Rewrites a page for the agent; false if it is not what it was when it was read.
    /// Claimed before it is written: killed in between, the fence still knows whose it is.
    fn rewrite_page(&self, focused: &Focused, page: &str, before: &str, text: &str) -> Result<bool> {
        let file: PathBuf = self.store.work_tree().join(page);
        let claim = |edits: u32| {
            self.note(Some(focused), |line| {
                line.what = What::After;
                "session".clone_into(&mut line.tool);
                line.paths = vec![page.to_owned()];
                line.counts.page_edits += edits;
            })
        };
        claim(0)?;
        if super::paths::bytes_of(&file).ok().as_deref() != Some(before.as_bytes()) {
            return Ok(false);
        }
        self.replace_file(&file, text.as_bytes())?;
        claim(1)?;
        Ok(true)
    }
}

fn unread(bad: BadLog) -> SeedError {
    SeedError::Usage(bad.to_string())
}
