//! The cycle's pages at a boundary: what they declare, how long their footers are, which
//! notes in them are live, and the anchors that git seed puts in.
//!
//! What a page *is* stands in `memory`; here it is read from the work tree and written to it.

use super::boundary::{Judged, Toward};
use super::scene::to_line;
use super::steps::Draft;
use super::{Focused, Result, Seed, SeedError};
use crate::format::state::{self, State};
use crate::format::{names, short_hash};
use crate::memory::notes::{Kinds, Note, Standing};
use crate::memory::{footers, heal, scope};
use crate::phases::gates::{self, BadLine};
use crate::phases::{Move, Phase, Stand};
use crate::store::TreeEdit;
use crate::verdict::Refusal;

/// A note on one of the cycle's pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marked {
    /// Its number among the cycle's notes, from 1; it stays while no note comes or goes.
    pub n: usize,
    pub page: String,
    pub note: Note,
}

impl Marked {
    /// `page:line`.
    pub fn place(&self) -> String {
        format!("{}:{}", self.page, self.note.line)
    }
}

impl Seed {
    /// What the step would declare reads, and is this phase's to declare.
    pub(super) fn scope_is_sound(
        &self,
        focused: &Focused,
        row: &Phase,
        toward: &Toward,
        step: Option<&Move>,
    ) -> Result<std::result::Result<(), Refusal>> {
        let no = |line: BadLine, what: String| Ok(Err(gates::misdeclared(line, &what)));
        let Toward::Forward { scope, .. } = toward else { return Ok(Ok(())) };
        if let Err(refusal) = gates::declares(row, scope.first().map(String::as_str)) {
            return Ok(Err(refusal));
        }
        for dir in scope {
            if let Err(bad) = declared_dir(dir) {
                return no(BadLine::Scope, bad);
            }
        }
        if self.freezes(&focused.state.stand, step) {
            let mut dirs = self.lines(&focused.chain, names::SCOPE)?;
            let since = self.read_since(focused)?;
            dirs.extend(since.touched().filter(|path| self.is_page(path)).map(dir_line));
            if let Err(bad) = self.scope_lines(&dirs, row) {
                return no(BadLine::Scope, bad);
            }
            if let Err(bad) = self.kinds_brought(&dirs, row) {
                return no(BadLine::Kind, bad);
            }
        }
        Ok(Ok(()))
    }

    /// Directories that `scope:` lines of declared pages name, below the anchor of `row`;
    /// or what is wrong with one of them.
    pub(super) fn scope_lines(
        &self,
        declared: &[String],
        row: &Phase,
    ) -> std::result::Result<Vec<String>, String> {
        let anchors = self.rules.maps.anchors();
        let Some(rank) = row.rank(&anchors) else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for dir in declared {
            let Some(text) = self.page_text(dir) else { continue };
            let Some(section) = footers::layout(&text, &anchors).section(rank).map(str::to_owned) else {
                continue;
            };
            for line in scope::declared(&section) {
                let dir = line.map_err(|bad| format!("{}: {bad}", self.page_path(dir)))?;
                found.push(to_line(&dir));
            }
        }
        Ok(found)
    }

    /// Kinds of notes that `note:` lines of declared pages bring, below the anchor of `row`; or
    /// the line that names none.
    pub(super) fn kinds_brought(
        &self,
        declared: &[String],
        row: &Phase,
    ) -> std::result::Result<Vec<String>, String> {
        /// What a job remembers is small.
        const MOST: usize = 8;
        let anchors = self.rules.maps.anchors();
        let Some(rank) = row.rank(&anchors) else { return Ok(Vec::new()) };
        let mut kinds = Vec::new();
        for dir in declared {
            let Some(text) = self.page_text(dir) else { continue };
            let section = footers::layout(&text, &anchors).section(rank).map(str::to_owned);
            for kind in crate::memory::notes::brought(&section.unwrap_or_default()) {
                let kind = kind.map_err(|bad| format!("{}: {bad}", self.page_path(dir)))?;
                if !kinds.contains(&kind) {
                    kinds.push(kind);
                }
            }
        }
        match kinds.get(MOST) {
            Some(more) => Err(format!("note: {more} is one too many; a job brings at most {MOST}")),
            None => Ok(kinds),
        }
    }

    /// The page of a directory, given as a line of the scope.
    pub(super) fn page_text(&self, line: &str) -> Option<String> {
        super::paths::text_of(self.store.work_tree().join(self.page_path(line))).ok()
    }

    /// The path of the page of a directory, given as a line of the scope.
    pub fn page_path(&self, line: &str) -> String {
        let dir = if line == "." { "" } else { line };
        crate::memory::pages::page_of_dir(dir, self.rules.page_name())
    }

    /// The kinds of notes that hold in the job: the rules', and those that it brought.
    pub fn kinds(&self, state: &State) -> Kinds {
        self.rules.kinds().clone().with_own(state.kinds.iter().map(String::as_str))
    }

    /// Every note in the footers of the cycle's pages, page by page. An end that proves
    /// nothing is none: its note is still live.
    pub fn notes(&self, focused: &Focused) -> Result<Vec<Marked>> {
        self.notes_of(&focused.chain, &focused.state)
    }

    pub(super) fn notes_of(&self, chain: &str, state: &State) -> Result<Vec<Marked>> {
        let (anchors, kinds) = (self.rules.maps.anchors(), self.kinds(state));
        let mut found = Vec::new();
        for dir in self.lines(chain, names::SCOPE)? {
            let Some(text) = self.page_text(&dir) else { continue };
            let page = self.page_path(&dir);
            for mut note in kinds.in_footer(&text, &anchors) {
                let kind = kinds.get(&note.kind);
                if note.standing == Standing::Resolved
                    && !kind.is_some_and(|kind| self.leads_somewhere(state, kind, &note.crumb))
                {
                    note.standing = Standing::Live;
                }
                found.push(Marked { n: found.len() + 1, page: page.clone(), note });
            }
        }
        Ok(found)
    }

    /// Live notes in the footers of the cycle's pages, as `page:line`.
    pub fn live_notes(&self, focused: &Focused) -> Result<Vec<String>> {
        let notes = self.notes(focused)?;
        Ok(notes.iter().filter(|one| one.note.standing.is_live()).map(Marked::place).collect())
    }

    /// Open notes of a root cause, below the anchors of all pages of the work tree.
    pub(super) fn root_cause_notes(&self) -> Result<usize> {
        let anchors = self.rules.maps.anchors();
        let mut open = 0;
        for file in self.store.files()?.iter().filter(|file| self.is_page(&file.to_string())) {
            let Ok(path) = file.below(self.store.work_tree()) else { continue };
            // A second name for a page is not a second page.
            if !path.symlink_metadata().is_ok_and(|data| data.is_file()) {
                continue;
            }
            let text = String::from_utf8_lossy(&super::paths::bytes_of(&path)?).into_owned();
            open += self.rules.kinds().open(&text, &anchors, "PENDING-JOB");
        }
        Ok(open)
    }

    /// May the job end in this cycle?
    pub fn eligible(&self, focused: &Focused) -> bool {
        let state = &focused.state;
        // Where no phase decides about a plan document, each cycle may be the last.
        let decides = self.map(&state.stand).phases().any(|phase| phase.decides);
        !decides || state.plan.eligible(state.stand.cycle, self.plan_total(focused))
    }

    /// Pages that the next phase finds without their anchors: the root page when a cycle
    /// begins, and pages that the agent has looked at or written in.
    pub(super) fn pages_to_heal(&self, judged: &Judged, chain: &str) -> Result<Vec<(String, String)>> {
        let map = self.map(&self.require_focused()?.state.stand);
        let enters = match &judged.step {
            Some(Move::Forward(to) | Move::Back(to)) => map.phase(to).is_some_and(|to| to.anchor.is_some()),
            Some(Move::Up { track, to }) => {
                self.rules.maps.get(track).phase(to).is_some_and(|to| to.anchor.is_some())
            }
            _ => false,
        };
        if !enters {
            return Ok(Vec::new());
        }
        let mut pages = vec![self.page_path(".")];
        pages.extend(self.lines(chain, names::SCOPE)?.iter().map(|dir| self.page_path(dir)));
        let focused = self.require_focused()?;
        let persons = self.persons(&focused)?;
        let dirty: Vec<String> =
            if focused.state.stand.phase.is_idle() { self.dirty_now()? } else { Vec::new() };
        let since = self.read_since(&focused)?;
        pages.extend(
            since.touched().chain(since.looked_at()).filter(|path| self.is_page(path)).map(str::to_owned),
        );
        pages.sort();
        pages.dedup();
        pages.retain(|page| !persons.contains(page) && !dirty.contains(page));
        let anchors = self.rules.maps.anchors();
        let text = |page: &String| super::paths::text_of(self.store.work_tree().join(page)).ok();
        Ok(pages
            .iter()
            .filter_map(|page| Some((page.clone(), heal::heal(&text(page)?, &anchors).ok()?)))
            .filter(|(_, healed)| !healed.is_unchanged())
            .map(|(page, healed)| (page, healed.text))
            .collect())
    }

    pub(super) fn is_page(&self, path: &str) -> bool {
        self.rules.pages.iter().any(|page| page == crate::memory::pages::name_of(path))
    }

    /// Keeps the bytes of pages that get their anchors now, as they were.
    pub(super) fn keep_unhealed(&self, mut draft: Draft, steps: u32, pages: &[(String, String)]) -> Draft {
        for (page, _) in pages {
            let Ok(bytes) = super::paths::bytes_of(self.store.work_tree().join(page)) else { continue };
            let path = format!("heals/{}-{}", steps + 1, short_hash(page.as_bytes(), 8));
            let head = format!("{page}\n").into_bytes();
            draft.edits.push(TreeEdit::Put { path, bytes: [head, bytes].concat() });
        }
        draft
    }

    pub(super) fn write_healed(&self, pages: &[(String, String)]) -> Result<Vec<String>> {
        let mut remarks = Vec::new();
        for (page, text) in pages {
            self.replace_file(&self.store.work_tree().join(page), text.as_bytes())?;
            remarks.push(format!("{page} has its anchors now; its words are as they were."));
        }
        Ok(remarks)
    }

    /// Adds what this stay declared to the cycle's scope.
    pub(super) fn declare(
        &self,
        chain: &str,
        state: &mut State,
        row: &Phase,
        toward: &Toward,
        judged: &Judged,
        draft: &mut Draft,
    ) -> Result<()> {
        let mut lines = self.lines(chain, names::SCOPE)?;
        let known = lines.len();
        if row.declares {
            lines.extend(judged.survey.pages.iter().map(|page| dir_line(page)));
        }
        let freezes = self.freezes(&state.stand, judged.step.as_ref());
        // Both were judged before the commit; what does not read now has changed since.
        if freezes {
            state.kinds = self.kinds_brought(&lines, row).map_err(SeedError::Usage)?;
            lines.extend(self.scope_lines(&lines, row).map_err(SeedError::Usage)?);
        }
        if let Toward::Forward { scope, .. } = toward {
            for dir in scope {
                lines.extend(declared_dir(dir).map_err(SeedError::Usage)?);
            }
        }
        if lines.len() != known || freezes {
            let bytes = state::write_lines(lines.iter().map(String::as_str)).into_bytes();
            draft.edits.push(TreeEdit::Put { path: names::SCOPE.to_owned(), bytes });
        }
        Ok(())
    }

    pub(super) fn freezes(&self, stand: &Stand, step: Option<&Move>) -> bool {
        match step {
            Some(Move::Forward(to)) => self.map(stand).phase(to).is_some_and(|to| to.freezes),
            _ => false,
        }
    }
}

/// The line of the scope that `--scope <dir>` means.
pub(super) fn declared_dir(dir: &str) -> std::result::Result<Option<String>, String> {
    let said = scope::declared(&format!("scope: {dir}\n")).pop();
    let dir = said.transpose().map_err(|bad| bad.to_string())?;
    Ok(dir.map(|dir| to_line(&dir)))
}

pub(super) fn dir_line(page: &str) -> String {
    to_line(crate::memory::pages::dir_of(page))
}
