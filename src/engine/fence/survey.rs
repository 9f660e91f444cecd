//! What changed in the work tree, whose it is, and what may be committed.
//!
//! A change that a call made outside the phase's scope is a stray: it enters no commit and has to
//! go before the boundary opens. A change that no call claims is somebody else's: named, left
//! alone, and in no commit either.

use std::collections::{BTreeMap, BTreeSet};

use crate::engine::record::step::TOUCHED;
use crate::engine::repo::{self, LoadedJob, Repo, Result};
use crate::engine::{fence, record, unclaimed};
use crate::event::PageChange;
use crate::format::fold::JournalLines;
use crate::format::names;
use crate::format::state::{State, Unclaimed};
use crate::memory::edit;
use crate::memory::scope::Scope;
use crate::phases::guard::Spot;
use crate::phases::place::Place;
use crate::phases::{Phase, Write};
use crate::store::{ChangeKind, Changed, Lens, RepoPath, TreeId};

/// What lies in the work tree at a boundary.
#[derive(Clone, Debug, Default)]
pub(crate) struct Survey {
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
    /// Paths in scope that hooks of the person's changed in the commit.
    pub hooked: Vec<String>,
    /// A `.gitignore` changed in this cycle: what git's rules of now show counts, too.
    pub loose: bool,
    /// Names as git has them, for paths that text cannot spell.
    names: BTreeMap<String, RepoPath>,
}

impl Survey {
    /// Files and pages of the step that somebody wrote: what boundaries write themselves is none.
    pub(crate) fn written(&self, repo: &Repo, state: &State) -> usize {
        self.committed(repo, state).len()
    }

    /// The same by their paths, as they are shown.
    pub(crate) fn committed(&self, repo: &Repo, state: &State) -> Vec<String> {
        let shown = self.own.iter().map(ToString::to_string);
        shown.filter(|path| place_of(repo, path, state) != Place::JobFile).collect()
    }

    /// A hook of the repository made something else of the work, which no run has seen.
    pub(crate) fn has_hooked_work(&self, repo: &Repo, state: &State) -> bool {
        self.hooked.iter().any(|path| !repo.place_named(path, Some(state)).is_memory())
    }

    /// Paths that changed and that no call claims.
    pub(crate) fn unclaimed_paths(&self) -> Vec<String> {
        self.unclaimed.iter().map(|one| one.path.clone()).collect()
    }

    /// The path that is shown as `path`.
    pub(crate) fn named(&self, path: &str) -> Option<RepoPath> {
        self.names.get(path).cloned().or_else(|| RepoPath::try_from(path).ok())
    }
}

/// Looks at the work tree as a boundary does.
pub(crate) fn survey(
    repo: &Repo,
    focused: &LoadedJob,
    since: &JournalLines,
    row: &Phase,
) -> Result<Survey> {
    let state = &focused.state;
    let Ok(before) = state.fence.tree.parse::<TreeId>() else { return Ok(Survey::default()) };
    let mut lens = fence::tree::lens(repo, Some(focused))?;
    let (mut tree, mut changed) = seen(repo, &lens, &before)?;
    let bares_rules = |change: &Changed| change.path.as_bytes().ends_with(b".gitignore");
    if !state.fence.loose && changed.iter().any(bares_rules) {
        lens = lens.loose(true);
        (tree, changed) = seen(repo, &lens, &before)?;
    }
    let mut survey =
        Survey { loose: state.fence.loose || changed.iter().any(bares_rules), ..Survey::default() };
    let judged = Judged {
        persons: fence::tree::persons(repo, focused)?,
        unclaimed: unclaimed::named(state, since),
        touched: touched(repo, focused, since)?,
        scope: repo.scope(focused)?,
        row,
        state,
        chain: &focused.chain,
        tree: None,
    };
    let open = differs_from_head(repo, &tree, &before, &changed)?;
    let mut added = Vec::new();
    for change in changed {
        sort_in(repo, &judged, &change.path, &before, &open, &mut survey)?;
        if change.kind == ChangeKind::Added {
            added.push(change.path.clone());
        }
        survey.names.insert(change.path.to_string(), change.path);
    }
    // What git ignores now is committed by nobody, whoever changed the rules.
    added.retain(|path| survey.own.contains(path));
    let hidden = repo.store.ignored(&added)?;
    survey.own.retain(|path| !hidden.contains(path));
    survey.hidden = hidden.iter().map(ToString::to_string).collect();
    survey.companions.retain(|path| !survey.hidden.contains(path));
    for kept in &state.fence.unclaimed {
        let known = survey.unclaimed.iter().any(|new| new.path == kept.path);
        let own = survey.own.iter().any(|own| own.to_string() == kept.path);
        if open.contains(&kept.path) && !known && !own {
            survey.unclaimed.push(kept.clone());
        }
    }
    survey.tree = Some(tree);
    Ok(survey)
}

/// The work tree as a tree, and all that differs from `before`, but for what tools make
/// and git ignores.
///
/// The fence's index stays as it is: what came between two calls is told by the look before the
/// next one, also where a question, a stop or a status looks meanwhile.
pub(crate) fn seen(repo: &Repo, lens: &Lens, before: &TreeId) -> Result<(TreeId, Vec<Changed>)> {
    let build = |path: &RepoPath| fence::tree::build_dir(repo, path);
    let taken = repo.store.snapshot_beside(&repo.private_index(), lens, Some(before), &build)?;
    let mut changed = repo.store.diff_trees(before, &taken.tree)?;
    // No tree can hold it, and it is there: a repository without a commit, for one.
    for path in taken.left {
        if !changed.iter().any(|change| change.path == path) {
            let there = repo.store.blob_at(before, &path)?.is_some();
            changed.push(Changed {
                path,
                kind: if there { ChangeKind::Modified } else { ChangeKind::Added },
            });
        }
    }
    changed.sort();
    let candidates =
        changed.iter().map(|change| change.path.clone()).filter(|path| build(path).is_some());
    let free = repo.store.free(candidates.collect::<Vec<_>>(), &build)?;
    changed.retain(|change| !free.holds(&change.path));
    Ok((taken.tree, changed))
}

/// Some file that acts touched is not as the last boundary has it.
pub(crate) fn is_uncommitted(repo: &Repo, focused: &LoadedJob) -> Result<bool> {
    let Ok(tree) = focused.state.fence.tree.parse::<TreeId>() else { return Ok(false) };
    for path in touched(repo, focused, &repo.read_since(focused)?)? {
        let Ok(named) = RepoPath::try_from(path.as_str()) else { continue };
        // One that is not there, or is no file, holds nothing that could be committed as it is.
        let now = std::fs::read(repo.store.work_tree().join(&path)).ok();
        if repo.store.blob_at(&tree, &named)? != now {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Paths that acts touched since the last boundary, over all steps in between.
pub(crate) fn touched(
    repo: &Repo,
    focused: &LoadedJob,
    since: &JournalLines,
) -> Result<BTreeSet<String>> {
    let mut touched: BTreeSet<String> = since.touched().map(str::to_owned).collect();
    // Written with the first step that touched something.
    let bytes = repo.store.file(&focused.tip, TOUCHED)?.unwrap_or_default();
    touched.extend(crate::format::state::read_lines(&bytes));
    touched.extend(since.strays().map(str::to_owned));
    touched.extend(focused.state.fence.strays.iter().cloned());
    Ok(touched)
}

/// Paths in which `tree` differs from HEAD; `changed` are those since `before`.
fn differs_from_head(
    repo: &Repo,
    tree: &TreeId,
    before: &TreeId,
    changed: &[Changed],
) -> Result<BTreeSet<String>> {
    let names =
        |changed: &[Changed]| changed.iter().map(|change| change.path.to_string()).collect();
    let Some(head) = repo.store.head()?.commit else { return Ok(BTreeSet::new()) };
    let head = repo.store.tree_of_commit(&head)?;
    if head == *before {
        return Ok(names(changed));
    }
    Ok(names(&repo.store.diff_trees(&head, tree)?))
}

fn sort_in(
    repo: &Repo,
    judged: &Judged<'_>,
    path: &RepoPath,
    before: &TreeId,
    open: &BTreeSet<String>,
    survey: &mut Survey,
) -> Result<()> {
    let shown = path.to_string();
    let persons = judged.persons.contains(&shown);
    let touched = judged.touched.contains(&shown);
    let place = place_of(repo, &shown, judged.state);
    let others = persons || judged.is_unclaimed_work(repo, &shown, &place);
    let may = is_allowed_at(repo, judged, path, &place, before)?;
    // In the scope, whoever wrote it: hooks that fell silent tell of nobody.
    survey.changed |= may && !touched && others && !persons;
    if may && (touched || !others) {
        if others {
            survey.mixed.push(shown.clone());
        }
        // Anchors that were put in for the agent declare nothing; an edit of its own does.
        let page = matches!(place, Place::Page { .. });
        if touched && page {
            survey.pages.push(shown.clone());
        }
        // Nobody's page edit is the anchors that git seed put in: no sign of silent hooks.
        // Nor is what a command of git seed wrote.
        survey.changed |= place != Place::JobFile && (touched || !page);
        // What nobody can read, or is no file, cannot be committed.
        if repo.store.can_be_read(path) {
            if !page
                && place != Place::JobFile
                && !lies_in_scope(repo, &shown, judged)
                && judged.row.write.contains(&Write::Scope)
            {
                survey.companions.push(shown);
            }
            survey.own.push(path.clone());
        }
    } else if touched {
        survey.changed = true;
        survey.strays.push(shown);
    } else if !persons && (open.contains(&shown) || repo.store.head()?.commit.is_none()) {
        survey.unclaimed.push(Unclaimed { blob: unclaimed::blob_now(repo, path), path: shown });
    }
    Ok(())
}

/// Of `paths`, as they are in `tree`, those that the phase may not put into its commit.
pub(crate) fn outside(
    repo: &Repo,
    focused: &LoadedJob,
    tree: &TreeId,
    paths: &[RepoPath],
) -> Result<Vec<String>> {
    let state = &focused.state;
    let Ok(before) = state.fence.tree.parse::<TreeId>() else { return Ok(Vec::new()) };
    let accepted = repo.lines(&focused.chain, names::ACCEPTED)?;
    let since = repo.read_since(focused)?;
    let judged = Judged {
        persons: fence::tree::persons(repo, focused)?,
        unclaimed: unclaimed::named(state, &since),
        touched: touched(repo, focused, &since)?,
        scope: repo.scope(focused)?,
        row: repo.row(Some(focused)),
        state,
        chain: &focused.chain,
        tree: Some(tree),
    };
    let mut outside = Vec::new();
    for path in paths {
        let shown = path.to_string();
        // What lay there before the job is the person's, whatever the scope says of its place.
        let others = judged.persons.contains(&shown) || {
            let place = place_of(repo, &shown, state);
            judged.is_unclaimed_work(repo, &shown, &place)
        };
        let theirs = others && !judged.touched.contains(&shown);
        if !accepted.contains(&shown)
            && (theirs || !is_allowed(repo, &judged, path, &shown, &before)?)
        {
            outside.push(shown);
        }
    }
    Ok(outside)
}

pub(crate) fn place_of(repo: &Repo, path: &str, state: &State) -> Place {
    let place = repo.place_named(path, Some(state));
    let Place::Project { dir } = &place else { return place };
    let real = real_in_tree(repo, path);
    if repo.is_linked_page(dir, &real) || repo.is_page_elsewhere(&real, &state.fence.began) {
        return Place::Page { dir: dir.clone() };
    }
    place
}

fn real_in_tree(repo: &Repo, path: &str) -> std::path::PathBuf {
    repo::paths::real(&repo.store.work_tree().join(path))
}

/// May the phase have changed `path` in this way?
pub(crate) fn is_allowed(
    repo: &Repo,
    judged: &Judged<'_>,
    path: &RepoPath,
    shown: &str,
    before: &TreeId,
) -> Result<bool> {
    is_allowed_at(repo, judged, path, &place_of(repo, shown, judged.state), before)
}

/// The same where its place is known: to find it asks the disk for each directory above.
pub(crate) fn is_allowed_at(
    repo: &Repo,
    judged: &Judged<'_>,
    path: &RepoPath,
    place: &Place,
    before: &TreeId,
) -> Result<bool> {
    let (row, shown) = (judged.row, path.to_string());
    let shown = shown.as_str();
    if *place == Place::JobFile
        && record::own_files::is_own_file(repo, judged.chain, judged.state, shown)?
    {
        return Ok(true);
    }
    let declared = repo.is_declared(shown, place, &judged.scope);
    let cycle = judged.state.stand.cycle;
    let old = repo.store.blob_at(before, path)?;
    let exists = old.is_some();
    let plan = *place == Place::Plan { own: true };
    if plan && plan_came_back(repo, judged, path)? {
        return Ok(true);
    }
    let missed = plan && repo.plan_missed(judged.state, old.as_deref());
    if !row.writes(place, Spot { cycle, declared, exists, missed }) {
        return Ok(false);
    }
    let page = matches!(place, Place::Page { .. });
    if row.measures && page && page_lost(repo, judged, path, shown, before)? {
        return Ok(false);
    }
    let whole = [Write::All, Write::Memory].iter().any(|write| row.write.contains(write));
    Ok(whole || !page || page_is_own(repo, judged, path, before)?)
}

/// What the path holds in the tree that is judged, else in the work tree; nothing where it is
/// gone or does not read.
fn bytes_now(repo: &Repo, judged: &Judged<'_>, path: &RepoPath) -> Result<Option<Vec<u8>>> {
    if let Some(tree) = judged.tree {
        return Ok(repo.store.blob_at(tree, path)?);
    }
    let file = path.below(repo.store.work_tree()).ok();
    // Who asks takes what does not read for the worse of its cases.
    Ok(file.and_then(|file| repo::paths::bytes_of(file).ok()))
}

/// The file holds the accepted plan document again.
fn plan_came_back(repo: &Repo, judged: &Judged<'_>, path: &RepoPath) -> Result<bool> {
    // A link to it is not the document; what a tree holds of a link is where it leads.
    let is_link = || {
        let file = path.below(repo.store.work_tree()).ok();
        file.is_none_or(|file| file.symlink_metadata().is_ok_and(|data| data.is_symlink()))
    };
    if judged.tree.is_none() && is_link() {
        return Ok(false);
    }
    let bytes = bytes_now(repo, judged, path)?;
    Ok(bytes.is_some_and(|bytes| repo.is_accepted(judged.state, &bytes)))
}

/// Compares a page with what it was: is something gone from its footers that no session
/// log holds?
fn page_lost(
    repo: &Repo,
    judged: &Judged<'_>,
    path: &RepoPath,
    shown: &str,
    before: &TreeId,
) -> Result<bool> {
    let Some(old) = repo.store.blob_at(before, path)?.and_then(|old| String::from_utf8(old).ok())
    else {
        return Ok(false);
    };
    let Some(focused) = repo.focused()? else { return Ok(false) };
    let file = path.below(repo.store.work_tree()).ok();
    // A page that is gone or does not read has lost all its words.
    let new = bytes_now(repo, judged, path)?.unwrap_or_default();
    let page = file.and_then(|file| record::session_log::cycle_page(repo, &focused, shown, &file));
    let new = String::from_utf8_lossy(&new);
    Ok(record::session_log::has_lost(
        repo,
        &focused,
        page.as_deref().unwrap_or_default(),
        &old,
        &new,
    ))
}

fn lies_in_scope(repo: &Repo, shown: &str, judged: &Judged<'_>) -> bool {
    repo::rows::declared(shown, &place_of(repo, shown, judged.state), &judged.scope)
}

/// Compares a page with what it was: is every changed byte below the phase's own anchor?
///
/// What a person committed to the page since then is theirs: the rest is compared with HEAD.
fn page_is_own(repo: &Repo, judged: &Judged<'_>, path: &RepoPath, before: &TreeId) -> Result<bool> {
    let old = repo.store.blob_at(before, path)?;
    if added_below(repo, judged, path, old.clone())? {
        return Ok(true);
    }
    let head = if judged.tree.is_none() { repo.store.head()?.commit } else { None };
    let Some(head) = head else { return Ok(false) };
    let committed = repo.store.blob_at(&repo.store.tree_of_commit(&head)?, path)?;
    Ok(committed != old && added_below(repo, judged, path, committed)?)
}

fn added_below(
    repo: &Repo,
    judged: &Judged<'_>,
    path: &RepoPath,
    old: Option<Vec<u8>>,
) -> Result<bool> {
    // What does not read is not the phase's own change.
    let new = bytes_now(repo, judged, path)?;
    let (Some(new), Ok(old)) = (new.map(String::from_utf8), old.map(String::from_utf8).transpose())
    else {
        return Ok(false);
    };
    let Ok(new) = new else { return Ok(false) };
    let anchors = repo.rules.maps.anchors();
    let own = judged.row.rank(&anchors);
    Ok(match edit::compare(old.as_deref(), &new, &anchors) {
        PageChange::Nothing => true,
        PageChange::Below { first_rank } => own.is_some_and(|own| first_rank >= own),
        _ => false,
    })
}

/// Which of these paths git ignores now: the excludes of the cycle's beginning show them.
pub(crate) fn hidden_now<'p>(
    repo: &Repo,
    survey: &Survey,
    paths: impl Iterator<Item = &'p str>,
) -> Result<Vec<String>> {
    let named: Vec<RepoPath> = paths.filter_map(|path| survey.named(path)).collect();
    Ok(repo.store.ignored(&named)?.iter().map(ToString::to_string).collect())
}

/// What a survey judges paths by.
pub(crate) struct Judged<'a> {
    pub(crate) persons: BTreeSet<String>,
    /// Paths whose change no call accounts for.
    pub(crate) unclaimed: BTreeSet<String>,
    pub(crate) touched: BTreeSet<String>,
    pub(crate) scope: Scope,
    pub(crate) row: &'a Phase,
    pub(crate) state: &'a State,
    pub(crate) chain: &'a str,
    /// The commit's tree that is judged; absent where the work tree is.
    pub(crate) tree: Option<&'a TreeId>,
}

impl Judged<'_> {
    /// A file of the project that changed while no call ran, whatever the scope says of its place.
    /// A lock file follows what it locks.
    fn is_unclaimed_work(&self, repo: &Repo, shown: &str, place: &Place) -> bool {
        self.unclaimed.contains(shown)
            && place.is_direct(shown)
            && !repo.rules.companions().is_lock(shown)
    }
}
