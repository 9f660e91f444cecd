//! The tree fence: what changed in the work tree, whose it is, and what may be committed.
//!
//! Trees are compared, never the flags of the person's index. The fence's own index
//! lies below `.git/seed/`. A change that a call made outside the phase's scope is a
//! stray: it enters no commit and has to go before the boundary opens. A change that
//! no call claims is somebody else's: named, left alone, and in no commit either.

use std::collections::{BTreeMap, BTreeSet};

use super::looks::Window;
use super::steps::{Since, TOUCHED};
use super::{Focused, Result, Seed};
use crate::event::PageChange;
use crate::format::journal::What;
use crate::format::names;
use crate::format::state::{State, Unclaimed};
use crate::memory::edit;
use crate::memory::scope::Scope;
use crate::phases::guard::Spot;
use crate::phases::place::Place;
use crate::phases::{Phase, Write};
use crate::store::{Changed, Kind, Lens, Pins, RepoPath, TreeId};

/// What lies in the work tree at a boundary.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    /// The work tree as a tree; absent before the first step of a cycle.
    pub tree: Option<TreeId>,
    /// Paths of this step: they go into its commit.
    pub own: Vec<RepoPath>,
    /// Paths of `own` that held a person's change before: the commit says so.
    pub mixed: Vec<String>,
    /// Paths that the agent changed outside the fence.
    pub strays: Vec<String>,
    /// Paths that changed outside the fence and that no call claims.
    pub unclaimed: Vec<Unclaimed>,
    /// Something changed at all since the last boundary.
    pub changed: bool,
    /// Pages that the agent changed, for declaring their directories.
    pub pages: Vec<String>,
    /// Paths of `own` that follow a source into scope: lock files, snapshots.
    pub companions: Vec<String>,
    /// Paths in scope that git ignores now and did not when the cycle began: in no commit.
    pub hidden: Vec<String>,
    /// A `.gitignore` changed in this cycle: what git's rules of now show counts, too.
    pub loose: bool,
    /// Names as git has them, for paths that text cannot spell.
    names: BTreeMap<String, RepoPath>,
}

impl Survey {
    /// The path that is shown as `path`.
    fn named(&self, path: &str) -> Option<RepoPath> {
        self.names.get(path).cloned().or_else(|| RepoPath::try_from(path).ok())
    }
}

/// What a shell call left behind.
#[derive(Clone, Debug, Default)]
pub struct Aftermath {
    pub paths: Vec<String>,
    pub strays: Vec<String>,
    pub unclaimed: Vec<String>,
    /// Pages that were changed where the phase may change them.
    pub page_edits: u32,
    /// The call changed something; what an earlier call is known for does not count again.
    pub changed: bool,
    /// Work changed since the fence looked last, by this call or before it.
    pub late: bool,
    /// Anything changed since the fence looked last.
    pub moved: bool,
}

impl Seed {
    /// Takes the work tree as it is for what the fence compares with from now on.
    pub fn snapshot(&self) -> Result<TreeId> {
        let focused = self.focused()?;
        let lens = self.lens(focused.as_ref())?;
        let base = focused.and_then(|focused| focused.state.fence.tree.parse().ok());
        let build = |path: &RepoPath| self.build_dir(path);
        Ok(self.store.snapshot(&self.private_index(), &lens, base.as_ref(), &build)?.tree)
    }

    /// How the fence looks at the work tree: by the excludes, the attributes and the settings
    /// of the cycle's beginning. A job that began its cycle before they were kept is looked
    /// at by those of now.
    pub(super) fn lens(&self, focused: Option<&Focused>) -> Result<Lens> {
        let Some(focused) = focused else { return Ok(Lens::default()) };
        let Some(excludes) = self.store.file(&focused.tip, names::EXCLUDES)? else {
            return Ok(Lens::default());
        };
        let attributes = self.store.file(&focused.tip, names::ATTRIBUTES)?.unwrap_or_default();
        let fence = &focused.state.fence;
        let began = fence.began.parse::<TreeId>().ok();
        Ok(self.store.lens(&Pins { excludes, attributes }, began.as_ref())?.loose(fence.loose))
    }

    /// The directory that a tool makes in which `path` lies.
    pub(super) fn build_dir(&self, path: &RepoPath) -> Option<RepoPath> {
        let dir = self.rules.companions().build_dir(path.to_str()?)?;
        RepoPath::try_from(dir).ok()
    }

    /// The work tree as a cycle finds it.
    pub(super) fn begin_fence(&self) -> Result<Beginning> {
        let mut persons: BTreeSet<String> = self.dirty_now()?.into_iter().collect();
        let pins = self.store.pins()?;
        let lens = self.store.lens(&pins, None)?;
        let build = |path: &RepoPath| self.build_dir(path);
        let index = self.private_index();
        // What the last cycle knew of ignored files ends with it.
        match std::fs::remove_file(&index) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
        let head = self.store.head()?.commit.map(|head| self.store.tree_of_commit(&head)).transpose()?;
        let tree = self.store.snapshot(&index, &lens, head.as_ref(), &build)?.tree;
        // Trees are compared as well: flags of the person's index hide nothing.
        if let Some(head) = head {
            persons.extend(self.store.diff_trees(&head, &tree)?.iter().map(|change| change.path.to_string()));
        }
        Ok(Beginning { tree: tree.to_string(), persons: persons.into_iter().collect(), pins })
    }

    /// What the person had in the tree when the cycle began.
    pub fn persons(&self, focused: &Focused) -> Result<BTreeSet<String>> {
        let bytes = self.store.file(&focused.tip, names::PERSONS)?.unwrap_or_default();
        Ok(crate::format::state::read_lines(&bytes).into_iter().collect())
    }

    /// What differs from HEAD now: everything of it is the person's.
    pub fn dirty_now(&self) -> Result<Vec<String>> {
        Ok(self.store.status()?.iter().map(|standing| standing.path.to_string()).collect())
    }

    /// Looks at the work tree as a boundary does.
    pub fn survey(&self, focused: &Focused, since: &Since, row: &Phase) -> Result<Survey> {
        let state = &focused.state;
        let Ok(before) = state.fence.tree.parse::<TreeId>() else { return Ok(Survey::default()) };
        let mut lens = self.lens(Some(focused))?;
        let (mut tree, mut changed) = self.seen(&lens, &before)?;
        let bares_rules = |change: &Changed| change.path.as_bytes().ends_with(b".gitignore");
        if !state.fence.loose && changed.iter().any(bares_rules) {
            lens = lens.loose(true);
            (tree, changed) = self.seen(&lens, &before)?;
        }
        let mut survey =
            Survey { loose: state.fence.loose || changed.iter().any(bares_rules), ..Survey::default() };
        let judged = Judged {
            persons: self.persons(focused)?,
            touched: self.touched(focused, since)?,
            scope: self.scope(focused),
            row,
            state,
            chain: &focused.chain,
        };
        let open = self.differs_from_head(&tree, &before, &changed)?;
        let mut added = Vec::new();
        for change in changed {
            self.sort_in(&judged, &change.path, &before, &open, &mut survey)?;
            if change.kind == Kind::Added {
                added.push(change.path.clone());
            }
            survey.names.insert(change.path.to_string(), change.path);
        }
        // What git ignores now is committed by nobody, whoever changed the rules.
        added.retain(|path| survey.own.contains(path));
        let hidden = self.store.ignored(&added)?;
        survey.own.retain(|path| !hidden.contains(path));
        survey.hidden = hidden.iter().map(ToString::to_string).collect();
        survey.companions.retain(|path| !survey.hidden.contains(path));
        for kept in &state.fence.unclaimed {
            let known = survey.unclaimed.iter().any(|new| new.path == kept.path);
            if open.contains(&kept.path) && !known {
                survey.unclaimed.push(kept.clone());
            }
        }
        survey.tree = Some(tree);
        Ok(survey)
    }

    /// The work tree as a tree, and all that differs from `before`, but for what tools make
    /// and git ignores.
    fn seen(&self, lens: &Lens, before: &TreeId) -> Result<(TreeId, Vec<Changed>)> {
        let build = |path: &RepoPath| self.build_dir(path);
        let taken = self.store.snapshot(&self.private_index(), lens, Some(before), &build)?;
        let mut changed = self.store.diff_trees(before, &taken.tree)?;
        // No tree can hold it, and it is there: a repository without a commit, for one.
        for path in taken.left {
            if !changed.iter().any(|change| change.path == path) {
                let there = self.store.blob_at(before, &path)?.is_some();
                changed.push(Changed { path, kind: if there { Kind::Modified } else { Kind::Added } });
            }
        }
        changed.sort();
        let candidates =
            changed.iter().map(|change| change.path.clone()).filter(|path| build(path).is_some());
        let free = self.store.free(candidates.collect::<Vec<_>>(), &build)?;
        changed.retain(|change| !free.holds(&change.path));
        Ok((taken.tree, changed))
    }

    /// Paths that acts touched since the last boundary, over all steps in between.
    fn touched(&self, focused: &Focused, since: &Since) -> Result<BTreeSet<String>> {
        let mut touched: BTreeSet<String> = since.touched().map(str::to_owned).collect();
        let bytes = self.store.file(&focused.tip, TOUCHED)?.unwrap_or_default();
        touched.extend(crate::format::state::read_lines(&bytes));
        touched.extend(since.strays().map(str::to_owned));
        touched.extend(focused.state.fence.strays.iter().cloned());
        Ok(touched)
    }

    /// Paths in which `tree` differs from HEAD; `changed` are those since `before`.
    fn differs_from_head(
        &self,
        tree: &TreeId,
        before: &TreeId,
        changed: &[Changed],
    ) -> Result<BTreeSet<String>> {
        let names = |changed: &[Changed]| changed.iter().map(|change| change.path.to_string()).collect();
        let Some(head) = self.store.head()?.commit else { return Ok(BTreeSet::new()) };
        let head = self.store.tree_of_commit(&head)?;
        if head == *before {
            return Ok(names(changed));
        }
        Ok(names(&self.store.diff_trees(&head, tree)?))
    }

    fn sort_in(
        &self,
        judged: &Judged<'_>,
        path: &RepoPath,
        before: &TreeId,
        open: &BTreeSet<String>,
        survey: &mut Survey,
    ) -> Result<()> {
        let shown = path.to_string();
        let persons = judged.persons.contains(&shown);
        let touched = judged.touched.contains(&shown);
        let allowed = (touched || !persons) && self.is_allowed(judged, path, &shown, before)?;
        if allowed {
            if persons {
                survey.mixed.push(shown.clone());
            }
            // Anchors that were put in for the agent declare nothing; an edit of its own does.
            if touched && matches!(self.place_of(&shown, judged.state), Place::Page { .. }) {
                survey.pages.push(shown.clone());
            }
            // Nobody's page edit is the anchors that git seed put in: no sign of silent hooks.
            let place = self.place_of(&shown, judged.state);
            let page = matches!(place, Place::Page { .. });
            // Nor is what a command of git seed wrote.
            survey.changed |= place != Place::JobFile && (touched || !page);
            // What nobody can read, or is no file, cannot be committed.
            if self.store.can_be_read(path) {
                if !page
                    && place != Place::JobFile
                    && !self.lies_in_scope(&shown, judged)
                    && judged.row.write.contains(&Write::Scope)
                {
                    survey.companions.push(shown);
                }
                survey.own.push(path.clone());
            }
        } else if touched {
            survey.changed = true;
            survey.strays.push(shown);
        } else if !persons && (open.contains(&shown) || self.store.head()?.commit.is_none()) {
            survey.unclaimed.push(Unclaimed { blob: self.blob_now(path), path: shown });
        }
        Ok(())
    }

    fn blob_now(&self, path: &RepoPath) -> String {
        let file = path.below(self.store.work_tree()).ok();
        let bytes = file.and_then(|file| super::paths::bytes_of(&file).ok());
        bytes.map(|bytes| crate::format::short_hash(&bytes, 16)).unwrap_or_default()
    }

    pub(super) fn place_of(&self, path: &str, state: &State) -> Place {
        match self.place_named(path, Some(state)) {
            Place::Project { dir } if self.is_linked_page(&dir, &self.real_in_tree(path)) => {
                Place::Page { dir }
            }
            place => place,
        }
    }

    fn real_in_tree(&self, path: &str) -> std::path::PathBuf {
        super::paths::real(&self.store.work_tree().join(path))
    }

    /// May the phase have changed `path` in this way?
    fn is_allowed(&self, judged: &Judged<'_>, path: &RepoPath, shown: &str, before: &TreeId) -> Result<bool> {
        let row = judged.row;
        let place = self.place_of(shown, judged.state);
        if place == Place::JobFile && self.is_own_file(judged.chain, judged.state, shown)? {
            return Ok(true);
        }
        let declared = self.is_declared(shown, &place, &judged.scope);
        let cycle = judged.state.stand.cycle;
        let old = self.store.blob_at(before, path)?;
        let exists = old.is_some();
        let plan = place == Place::Plan { own: true };
        if plan && self.plan_came_back(judged.state, path) {
            return Ok(true);
        }
        let missed = plan && self.plan_missed(judged.state, old.as_deref());
        if !row.writes(&place, Spot { cycle, declared, exists, missed }) {
            return Ok(false);
        }
        if row.measures && matches!(place, Place::Page { .. }) && self.page_lost(path, shown, before)? {
            return Ok(false);
        }
        let whole = [Write::All, Write::Memory].iter().any(|write| row.write.contains(write));
        Ok(whole || !matches!(place, Place::Page { .. }) || self.page_is_own(row, path, before)?)
    }

    /// The file holds the accepted plan document again.
    fn plan_came_back(&self, state: &State, path: &RepoPath) -> bool {
        let file = path.below(self.store.work_tree()).ok();
        let plain = file.filter(|file| file.symlink_metadata().is_ok_and(|data| data.is_file()));
        plain.and_then(|file| std::fs::read(file).ok()).is_some_and(|bytes| self.is_accepted(state, &bytes))
    }

    /// Compares a page with what it was: is something gone from its footers that no session
    /// log holds?
    fn page_lost(&self, path: &RepoPath, shown: &str, before: &TreeId) -> Result<bool> {
        let Some(old) = self.store.blob_at(before, path)?.and_then(|old| String::from_utf8(old).ok()) else {
            return Ok(false);
        };
        let Some(focused) = self.focused()? else { return Ok(false) };
        let file = path.below(self.store.work_tree()).ok();
        let new = file.as_ref().and_then(|file| super::paths::bytes_of(file).ok()).unwrap_or_default();
        let page = file.and_then(|file| self.cycle_page(&focused, shown, &file));
        let new = String::from_utf8_lossy(&new);
        Ok(self.has_lost(&focused, page.as_deref().unwrap_or_default(), &old, &new))
    }

    fn lies_in_scope(&self, shown: &str, judged: &Judged<'_>) -> bool {
        super::scene::declared(shown, &self.place_of(shown, judged.state), &judged.scope)
    }

    /// Compares a page with what it was: is every changed byte below the phase's own anchor?
    fn page_is_own(&self, row: &Phase, path: &RepoPath, before: &TreeId) -> Result<bool> {
        let old = self.store.blob_at(before, path)?.map(String::from_utf8);
        let new = path.below(self.store.work_tree()).ok().and_then(|file| super::paths::bytes_of(file).ok());
        let (Some(new), Ok(old)) = (new.map(String::from_utf8), old.transpose()) else { return Ok(false) };
        let Ok(new) = new else { return Ok(false) };
        let anchors = self.rules.maps.anchors();
        let own = row.rank(&anchors);
        Ok(match edit::compare(old.as_deref(), &new, &anchors) {
            PageChange::Nothing => true,
            PageChange::Below { first_rank } => own.is_some_and(|own| first_rank >= own),
            _ => false,
        })
    }

    /// Compares the tree after a call that may have written; `window` is what the look before
    /// it knew, where it was had.
    pub(super) fn after_shell(
        &self,
        focused: &Focused,
        since: &Since,
        window: Option<&Window>,
    ) -> Result<Aftermath> {
        let mut after = Aftermath::default();
        let Ok(before) = focused.state.fence.tree.parse::<TreeId>() else { return Ok(after) };
        let (index, lens) = (self.private_index(), self.lens(Some(focused))?);
        self.store.mend_index(&index, &before)?;
        let mut changed = self.store.changes_since_index(&index, &lens, &|path| self.build_dir(path))?;
        if changed.is_empty() {
            return Ok(after);
        }
        after.moved = true;
        let row = self.row(Some(focused));
        let touched = self.touched(focused, since)?;
        let judged = Judged {
            persons: self.persons(focused)?,
            touched: BTreeSet::new(),
            scope: self.scope(focused),
            row,
            state: &focused.state,
            chain: &focused.chain,
        };
        // What was unclaimed once may hold a person's work: no later call makes it the agent's.
        let named = focused.state.fence.unclaimed.iter().map(|one| one.path.as_str());
        let unclaimed: BTreeSet<&str> = named.chain(since.unclaimed()).collect();
        let others = self.calls_under_way();
        let mut waiting = Vec::new();
        for change in &changed {
            let shown = change.path.to_string();
            let file = change.path.below(self.store.work_tree()).unwrap_or_default();
            let moved = window.is_none_or(|window| self.has_moved(&window.look, &change.path));
            let allowed = self.is_allowed(&judged, &change.path, &shown, &before)?;
            let work = self.is_work(&shown, &judged.scope, &focused.state);
            let by_call = window.is_some_and(|window| {
                let open = || window.look.confined && allowed;
                window.look.tree.is_some() && moved && (window.is_tied_to(&file) || open())
            });
            let first = touched.contains(&shown)
                || !(unclaimed.contains(shown.as_str())
                    || window.is_some_and(|window| window.look.had_changed(&shown)));
            after.changed |= moved && (by_call || work);
            after.late |= work;
            let page = matches!(self.place_of(&shown, &focused.state), Place::Page { .. });
            match (by_call, allowed) {
                (true, true) => {
                    after.page_edits += u32::from(page);
                    after.paths.push(shown);
                }
                (true, false) if first => after.strays.push(shown),
                (false, false) if touched.contains(&shown) || judged.persons.contains(&shown) => {}
                (false, true) => {}
                // Another call is under way that may have done it: its own second look tells.
                (false, false) if others.iter().any(|look| self.has_moved(look, &change.path)) => {
                    waiting.push(change.path.clone());
                }
                (_, false) => after.unclaimed.push(shown),
            }
        }
        changed.retain(|change| !waiting.contains(&change.path));
        self.store.catch_up(&index, &lens, &changed)?;
        Ok(after)
    }

    /// Forgets that code ran well where declared work changed after it: by a command that
    /// went on in the background, or by somebody else. Called before the fence's index is
    /// brought up to date, which is what tells such a change from one that was proved.
    pub(super) fn forget_stale_proof(&self) -> Result<()> {
        let (focused, index) = (self.require_focused()?, self.private_index());
        let proved = focused.since.as_ref().ok().and_then(|counts| counts.activity.proved);
        if focused.since.is_err() || !proved.unwrap_or(focused.state.proved) || !index.exists() {
            return Ok(());
        }
        let lens = self.lens(Some(&focused))?;
        let changed = self.store.changes_since_index(&index, &lens, &|path| self.build_dir(path))?;
        let scope = self.scope(&focused);
        if changed.iter().any(|change| self.is_work(&change.path.to_string(), &scope, &focused.state)) {
            self.note(Some(&focused), |line| {
                line.what = What::Late;
                line.counts.activity.proved = Some(false);
            })?;
        }
        Ok(())
    }

    /// A declared file of the project: what a proof is about.
    fn is_work(&self, path: &str, scope: &Scope, state: &State) -> bool {
        let place = self.place_of(path, state);
        place.is_direct(path) && super::scene::declared(path, &place, scope)
    }

    /// Puts strays back as they were at the last boundary. What it takes away is kept as
    /// blobs, whose ids it gives. Nothing but strays is ever touched, and what nobody claims
    /// only where a `person` names it.
    pub fn restore_strays(&self, paths: &[String], person: bool) -> Result<Restored> {
        self.forget_stale_proof()?;
        let focused = self.require_focused()?;
        let row = self.row(Some(&focused));
        let since = self.read_since(&focused)?;
        let survey = self.survey(&focused, &since, row)?;
        let wanted: Vec<String> = if paths.is_empty() { survey.strays.clone() } else { paths.to_vec() };
        let unclaimed = |path: &String| person && survey.unclaimed.iter().any(|one| one.path == *path);
        let (known, mut left): (Vec<String>, Vec<String>) =
            wanted.into_iter().partition(|path| survey.strays.contains(path) || unclaimed(path));
        let Ok(before) = focused.state.fence.tree.parse::<TreeId>() else {
            return Ok(Restored { kept: Vec::new(), left });
        };
        let files: Vec<RepoPath> = known.iter().filter_map(|path| survey.named(path)).collect();
        if files.is_empty() {
            left.extend(known);
            return Ok(Restored { kept: Vec::new(), left });
        }
        let mut edits = Vec::new();
        let mut kept = Vec::new();
        for file in &files {
            let place = match self.store.content_now(file) {
                Some(bytes) => {
                    let name = format!(
                        "taken/{}-{}",
                        focused.state.steps + 1,
                        crate::format::short_hash(&bytes, 12)
                    );
                    let place = format!("{}:{name}", focused.chain);
                    edits.push(crate::store::TreeEdit::Put { path: name, bytes });
                    place
                }
                // The commits of a repository inside this one stay in it.
                None => self.store.inner_head(file).unwrap_or_default(),
            };
            kept.push((file.to_string(), place));
        }
        let by = if person { super::steps::By::Person } else { super::steps::By::Agent };
        let taken = self.step(&focused.chain, super::steps::Fold::In, |state, _| {
            state.fence.strays.retain(|stray| !known.contains(stray));
            state.fence.unclaimed.retain(|one| !known.contains(&one.path));
            let subject = format!("put back {}", known.join(", "));
            let mut draft = super::steps::Draft::new(state, "restore", subject, by);
            draft.edits.clone_from(&edits);
            Ok(Ok(draft))
        })?;
        debug_assert!(taken.is_ok(), "putting strays back is never refused");
        self.store.restore(&before, &files)?;
        let focused = self.require_focused()?;
        let (_, changed) = self.seen(&self.lens(Some(&focused))?, &before)?;
        let failed: Vec<String> = files
            .iter()
            .filter(|path| changed.iter().any(|change| change.path == **path))
            .map(ToString::to_string)
            .collect();
        if !failed.is_empty() {
            kept.retain(|(path, _)| !failed.contains(path));
            left.extend(failed.iter().cloned());
            self.step(&focused.chain, super::steps::Fold::In, |state, _| {
                state.fence.strays.extend(failed.iter().filter(|path| survey.strays.contains(path)).cloned());
                let subject = format!("still changed: {}", failed.join(", "));
                Ok(Ok(super::steps::Draft::new(state, "restore", subject, by)))
            })?
            .map_err(|refusal| super::SeedError::Usage(refusal.wants.word().to_owned()))?;
        }
        Ok(Restored { kept, left })
    }

    /// True when `path` is not what it was in `tree`.
    pub fn is_still_changed(&self, tree: &TreeId, path: &str) -> bool {
        let Ok(path) = RepoPath::try_from(path) else { return true };
        !self.store.is_as_in(tree, &path).unwrap_or(false)
    }

    /// Of these paths, those that lie where a tool makes its directories and that git ignores:
    /// nobody is asked about them.
    pub(super) fn without_built(&self, paths: &mut Vec<String>) -> Result<()> {
        let build = |path: &RepoPath| self.build_dir(path);
        let named =
            |path: &String| RepoPath::try_from(path.as_str()).ok().filter(|path| build(path).is_some());
        let candidates: Vec<RepoPath> = paths.iter().filter_map(named).collect();
        if !candidates.is_empty() {
            let free = self.store.free(candidates, &build)?;
            paths.retain(|path| named(path).is_none_or(|path| !free.holds(&path)));
        }
        Ok(())
    }

    /// Which of these paths git ignores now: the excludes of the cycle's beginning show them.
    pub fn hidden_now<'p>(
        &self,
        survey: &Survey,
        paths: impl Iterator<Item = &'p str>,
    ) -> Result<Vec<String>> {
        let named: Vec<RepoPath> = paths.filter_map(|path| survey.named(path)).collect();
        Ok(self.store.ignored(&named)?.iter().map(ToString::to_string).collect())
    }

    /// Takes changes outside the fence over as the person's own: they are in no commit of
    /// this cycle and stop nothing.
    pub fn accept(&self, paths: &[String]) -> Result<()> {
        let focused = self.require_focused()?;
        let mut persons = self.persons(&focused)?;
        // A page is both sides' to write: what it says now is where the agent's next edit
        // is measured from. Any other path is the person's from here on.
        let (pages, files): (Vec<String>, Vec<String>) =
            paths.iter().cloned().partition(|path| self.is_page(path));
        persons.extend(files.iter().cloned());
        let tree = self.with_pages_as_they_are(&focused, &pages)?;
        let mut touched = self.lines(&focused.chain, TOUCHED)?;
        let taken = self.step(&focused.chain, super::steps::Fold::In, |state, since| {
            if let Some(tree) = &tree {
                state.fence.tree = tree.to_string();
            }
            state.fence.strays.retain(|stray| !paths.contains(stray));
            state.fence.unclaimed.retain(|unclaimed| !paths.contains(&unclaimed.path));
            touched.extend(since.touched().map(str::to_owned));
            touched.retain(|path| !paths.contains(path));
            let put = |path: &str, lines: Vec<&str>| crate::store::TreeEdit::Put {
                path: path.to_owned(),
                bytes: crate::format::state::write_lines(lines).into_bytes(),
            };
            let subject = format!("the person takes {}", paths.join(", "));
            let draft = super::steps::Draft::new(state, "accept", subject, super::steps::By::Person);
            Ok(Ok(draft
                .with(put(names::PERSONS, persons.iter().map(String::as_str).collect()))
                .with(put(TOUCHED, touched.iter().map(String::as_str).collect()))))
        })?;
        taken.map(drop).map_err(|refusal| super::SeedError::Usage(refusal.wants.word().to_owned()))
    }

    /// The fence's tree with these pages as they are on disk, kept against gc.
    fn with_pages_as_they_are(&self, focused: &Focused, pages: &[String]) -> Result<Option<TreeId>> {
        let Ok(before) = focused.state.fence.tree.parse::<TreeId>() else { return Ok(None) };
        let mut edits = Vec::new();
        for page in pages {
            let bytes = super::paths::bytes_of(self.store.work_tree().join(page))?;
            edits.push(crate::store::TreeEdit::Put { path: page.clone(), bytes });
        }
        if edits.is_empty() {
            return Ok(None);
        }
        let tree = self.store.tree_with(&before, &edits)?;
        if let Some(id) = names::job_of(&focused.chain) {
            self.store.keep_tree(&names::keep_chain(&id), &tree, self.now)?;
        }
        Ok(Some(tree))
    }

    /// The journal's lines since the last step, read without a lock.
    pub fn read_since(&self, focused: &Focused) -> Result<Since> {
        use crate::format::journal::Linked;
        let lines = self.store.journal().all()?;
        let linked: Vec<Linked> = lines
            .iter()
            .filter_map(|line| Linked::read(line).ok())
            .filter(|linked| linked.line.base == focused.state.step)
            .collect();
        let last = linked.last().map(|linked| linked.hash.clone()).unwrap_or_default();
        Ok(Since { lines: linked, last })
    }
}

/// The work tree when a cycle begins.
pub(super) struct Beginning {
    pub(super) tree: String,
    /// What differs from HEAD: the person's.
    pub(super) persons: Vec<String>,
    pub(super) pins: Pins,
}

/// What a survey judges paths by.
struct Judged<'a> {
    persons: BTreeSet<String>,
    touched: BTreeSet<String>,
    scope: Scope,
    row: &'a Phase,
    state: &'a State,
    chain: &'a str,
}

/// What putting strays back did.
#[derive(Clone, Debug, Default)]
pub struct Restored {
    /// Path, and where its bytes are kept (`<ref>:<file>`); empty where there were none.
    pub kept: Vec<(String, String)>,
    /// Asked for, but no stray.
    pub left: Vec<String>,
}
