//! How large the work of a small lane is, and how large a call would make it.
//!
//! Tests and lock files ride along: they count neither as files nor as directories, their lines
//! four to one. What nobody claims, what is the person's, what they committed meanwhile, and pages
//! are no work.

use std::collections::{BTreeMap, BTreeSet};

use crate::claims::languages::shipped_languages;
use crate::engine::memory::pages::declared_dir;
use crate::engine::repo::rows::{from_line, to_line};
use crate::engine::repo::{self, LoadedJob, Repo, Result};
use crate::engine::{fence, record};
use crate::event::Change;
use crate::format::names;
use crate::format::state::Unclaimed;
use crate::jobs::shortword::SaidLane;
use crate::memory::edit;
use crate::memory::pages::dir_of;
use crate::memory::scope::Scope;
use crate::phases::guard::FileChange;
use crate::phases::lane::{self, ChangedFile};
use crate::phases::place::Place;
use crate::phases::{Lane, Size};
use crate::store::{RepoPath, TreeId, lines_between};
use crate::verdict::Verdict;

/// The most paths that are looked at; a lane that takes more is none.
const MOST: usize = 500;

/// How large the cycle's work is for its lane.
pub(crate) fn of_tree(
    repo: &Repo,
    focused: &LoadedJob,
    tree: &TreeId,
    unclaimed: &[Unclaimed],
) -> Result<Size> {
    let mut changed = changed(repo, focused, tree)?;
    changed.retain(|(path, _)| unclaimed.iter().all(|one| one.path != *path));
    let sizes = changed.iter().map(|(path, lines)| (path.as_str(), *lines));
    Ok(of_paths(repo, &opened(repo, focused)?, sizes))
}

/// What the cycle has changed so far, besides pages and what is the person's: paths, and how many
/// lines came and went.
pub(crate) fn changed(
    repo: &Repo,
    focused: &LoadedJob,
    tree: &TreeId,
) -> Result<Vec<(String, usize)>> {
    let Ok(began) = focused.state.fence.began.parse::<TreeId>() else { return Ok(Vec::new()) };
    let persons = fence::tree::persons(repo, focused)?;
    let mut all = repo.store.lines_between_trees(&began, tree)?;
    all.retain(|(path, _)| !persons.contains(path) && !repo.is_page(path));
    let waiting = match repo.store.head()?.commit {
        Some(head) => repo.store.paths_between(&repo.store.tree_of_commit(&head)?, tree, MOST)?,
        None => Vec::new(),
    };
    let paths = all.iter().map(|(path, _)| path.clone()).collect();
    let by_hand = by_hand(repo, focused, paths, waiting.iter().map(String::as_str))?;
    all.retain(|(path, _)| !by_hand.contains(path));
    Ok(all)
}

/// Those of `paths` that came into the cycle by commits of somebody else's alone: no commit of the
/// job changed them, and they are none of those that the agent `has` changed since.
fn by_hand<'a>(
    repo: &Repo,
    focused: &LoadedJob,
    mut paths: BTreeSet<String>,
    has: impl Iterator<Item = &'a str>,
) -> Result<BTreeSet<String>> {
    for path in has {
        paths.remove(path);
    }
    if paths.is_empty() {
        return Ok(paths);
    }
    // Where nobody can tell, all of it is the job's.
    let Some(own) = record::history::own_paths(repo, focused)? else { return Ok(BTreeSet::new()) };
    paths.retain(|path| !own.contains(path));
    Ok(paths)
}

/// What a person opened counts for nothing: they know of it.
fn of_paths<'a>(
    repo: &Repo,
    opened: &Scope,
    changed: impl Iterator<Item = (&'a str, usize)>,
) -> Size {
    Size::of(changed.filter(|(path, _)| !opened.holds(path)).map(|(path, lines)| {
        let along = shipped_languages().is_test_path(path) || repo.rules.companions().is_lock(path);
        ChangedFile { path, lines, along }
    }))
}

/// The paths that a person opened in the middle of the job.
fn opened(repo: &Repo, focused: &LoadedJob) -> Result<Scope> {
    let lines = repo.lines(&focused.chain, names::ALLOWED)?;
    let dirs = lines.iter().filter_map(|line| line.strip_suffix('/'));
    let mut opened: Scope = dirs.map(from_line).collect();
    lines.iter().filter(|line| !line.ends_with('/')).for_each(|file| opened.open(file.as_str()));
    Ok(opened)
}

/// The first of `dirs` that has no room on the lane beside the others and those that `changed`;
/// directories of tests ride along.
pub(crate) fn beyond<'d>(lane: &Lane, dirs: &'d [String], changed: &[String]) -> Option<&'d str> {
    let along = |dir: &str| shipped_languages().is_test_path(&format!("{dir}/x"));
    let mut known: BTreeSet<&str> = changed.iter().map(String::as_str).collect();
    dirs.iter().map(String::as_str).filter(|dir| !along(dir)).find(|dir| {
        known.insert(dir);
        known.len() > lane.directories
    })
}

/// The path with which a call would make the work larger than its lane takes.
///
/// Of an edit what it would leave is compared with how the cycle began. Of a shell line the files
/// that it names are counted; the lines of what it did are seen after it.
pub(crate) fn outgrown_by(
    repo: &Repo,
    focused: &LoadedJob,
    edits: &[(String, &Change)],
    changes: &[FileChange],
) -> Result<Option<String>> {
    let Some(lane) = binds(repo, focused) else { return Ok(None) };
    let work = |change: &&FileChange| matches!(change.place, Place::Project { .. });
    let Some(last) = changes.iter().rfind(work) else { return Ok(None) };
    let Ok(began) = focused.state.fence.began.parse::<TreeId>() else { return Ok(None) };
    let so_far = so_far(repo, focused, &began, &[])?;
    let mut sizes = sizes(repo, &began, so_far.all())?;
    let mut more = BTreeMap::new();
    for change in changes.iter().filter(work) {
        let lines = match edits.iter().find(|(path, _)| *path == change.path) {
            Some((path, edit)) => lines_of(repo, &began, path, Some(edit))?,
            // The file changes, at least.
            None => sizes.get(&change.path).copied().unwrap_or_default().max(1),
        };
        more.insert(change.path.clone(), lines);
    }
    let opened = opened(repo, focused)?;
    let leaves = |sizes: &BTreeMap<String, usize>| {
        let whole = |sizes: &BTreeMap<String, usize>| {
            of_paths(repo, &opened, sizes.iter().map(|(path, lines)| (path.as_str(), *lines)))
        };
        let (before, mut after) = (whole(sizes), sizes.clone());
        after.extend(more.clone());
        lane.is_left_by(before, whole(&after))
    };
    // Who committed it is asked only where that decides.
    if leaves(&sizes) {
        let by_hand = so_far.by_hand(repo, focused)?;
        sizes.retain(|path, _| !by_hand.contains(path));
        return Ok(leaves(&sizes).then(|| last.path.clone()));
    }
    Ok(None)
}

/// Whether the directories that a step on the lane declares have room there, beside those that the
/// work changed so far.
pub(crate) fn has_room(repo: &Repo, focused: &LoadedJob, scope: &[String]) -> Result<Verdict> {
    let lane = repo.map(&focused.state.stand).lane.as_ref();
    let lane = lane.filter(|_| focused.state.said_lane != SaidLane::Quick && !scope.is_empty());
    let Some(lane) = lane else { return Ok(Ok(())) };
    let (dirs, changed) = (named(scope), changed_dirs(repo, focused)?);
    let Some(dir) = beyond(lane, &dirs, &changed) else { return Ok(Ok(())) };
    Ok(Err(lane::no_room(dir)))
}

/// Takes out of `lines`, what was declared before, the directories that the lane has no room for
/// beside `scope`: work that began in none of them goes on where the step says.
pub(crate) fn make_room(
    repo: &Repo,
    focused: &LoadedJob,
    scope: &[String],
    lines: &mut Vec<String>,
) -> Result<()> {
    let lane = repo.map(&focused.state.stand).lane.as_ref();
    let lane = lane.filter(|_| focused.state.said_lane != SaidLane::Quick && !scope.is_empty());
    let Some(lane) = lane else { return Ok(()) };
    let (dirs, changed) = (named(scope), changed_dirs(repo, focused)?);
    let known = [dirs, changed].concat();
    lines.retain(|line| beyond(lane, std::slice::from_ref(line), &known).is_none());
    Ok(())
}

/// The lines of the scope that directories are; what does not read was refused before.
fn named(scope: &[String]) -> Vec<String> {
    scope.iter().filter_map(|dir| declared_dir(dir).ok()).flatten().collect()
}

/// The directories that the work of the cycle changed so far, as lines of the scope.
fn changed_dirs(repo: &Repo, focused: &LoadedJob) -> Result<Vec<String>> {
    let Ok(began) = focused.state.fence.began.parse::<TreeId>() else { return Ok(Vec::new()) };
    let so_far = so_far(repo, focused, &began, &[])?;
    let (opened, by_hand) = (opened(repo, focused)?, so_far.by_hand(repo, focused)?);
    let counts = |path: &String| {
        let along = shipped_languages().is_test_path(path);
        let lock = repo.rules.companions().is_lock(path);
        !along && !lock && !opened.holds(path) && !by_hand.contains(path)
    };
    let mut changed = Vec::new();
    for path in so_far.all().into_iter().filter(counts) {
        if lines_of(repo, &began, &path, None)? > 0 {
            changed.push(to_line(dir_of(&path)));
        }
    }
    Ok(changed)
}

/// Whether the work is larger than its lane takes, now that a call changed `more`.
pub(crate) fn is_outgrown(repo: &Repo, focused: &LoadedJob, more: &[String]) -> Result<bool> {
    let Some(lane) = binds(repo, focused) else { return Ok(false) };
    let Ok(began) = focused.state.fence.began.parse::<TreeId>() else { return Ok(false) };
    let so_far = so_far(repo, focused, &began, more)?;
    let mut sizes = sizes(repo, &began, so_far.all())?;
    let opened = opened(repo, focused)?;
    let is_outgrown = |sizes: &BTreeMap<String, usize>| {
        let sizes = sizes.iter().map(|(path, lines)| (path.as_str(), *lines));
        lane.is_outgrown(of_paths(repo, &opened, sizes))
    };
    if !is_outgrown(&sizes) {
        return Ok(false);
    }
    let by_hand = so_far.by_hand(repo, focused)?;
    sizes.retain(|path, _| !by_hand.contains(path));
    Ok(is_outgrown(&sizes))
}

/// Whether the cycle has changed a line of the project so far, by a call or by a commit of the
/// job's.
pub(crate) fn has_begun(repo: &Repo, focused: &LoadedJob) -> Result<bool> {
    let Ok(began) = focused.state.fence.began.parse::<TreeId>() else { return Ok(false) };
    let so_far = so_far(repo, focused, &began, &[])?;
    let by_hand = so_far.by_hand(repo, focused)?;
    for path in so_far.all().difference(&by_hand) {
        if lines_of(repo, &began, path, None)? > 0 {
            return Ok(true);
        }
    }
    Ok(false)
}

fn sizes(repo: &Repo, began: &TreeId, paths: BTreeSet<String>) -> Result<BTreeMap<String, usize>> {
    let sized = |path: String| {
        let lines = lines_of(repo, began, &path, None)?;
        Ok((path, lines))
    };
    paths.into_iter().map(sized).collect()
}

/// What changed in the cycle, as far as journal and commits tell.
struct SoFar {
    /// By calls since the last commit of the job.
    touched: BTreeSet<String>,
    /// Between the cycle's beginning and that commit, whoever committed it.
    committed: BTreeSet<String>,
}

impl SoFar {
    fn all(&self) -> BTreeSet<String> {
        self.touched.union(&self.committed).cloned().collect()
    }

    /// What of it somebody else's commits alone brought.
    fn by_hand(&self, repo: &Repo, focused: &LoadedJob) -> Result<BTreeSet<String>> {
        by_hand(repo, focused, self.committed.clone(), self.touched.iter().map(String::as_str))
    }
}

/// What changed in the cycle, with `more` that a call did.
fn so_far(repo: &Repo, focused: &LoadedJob, began: &TreeId, more: &[String]) -> Result<SoFar> {
    let mut touched = fence::survey::touched(repo, focused, &repo.read_since(focused)?)?;
    touched.extend(more.iter().cloned());
    let mut committed = BTreeSet::new();
    if let Ok(tree) = focused.state.fence.tree.parse::<TreeId>() {
        committed.extend(repo.store.paths_between(began, &tree, MOST)?);
    }
    let state = &focused.state;
    let persons = fence::tree::persons(repo, focused)?;
    // By its name alone: pages that are links are found in the index, and nobody waits for that
    // before a tool.
    let is_work = |path: &String| {
        let place = repo.place_named(path, Some(state));
        matches!(place, Place::Project { .. }) && !persons.contains(path)
    };
    touched.retain(is_work);
    committed.retain(is_work);
    Ok(SoFar { touched, committed })
}

/// Lines of a file that came and went since the cycle began, once `edit` is made.
fn lines_of(repo: &Repo, began: &TreeId, path: &str, edit: Option<&Change>) -> Result<usize> {
    // A name that git cannot have is no file of the cycle's beginning.
    let old = match RepoPath::try_from(path) {
        Ok(path) => repo.store.blob_at(began, &path)?.unwrap_or_default(),
        Err(_) => Vec::new(),
    };
    // One that is not there, or not a file, has no lines.
    let now = repo::paths::bytes_of(repo.store.work_tree().join(path)).ok();
    // As above.
    let so_far = lines_between(&old, now.as_deref().unwrap_or_default());
    let Some(edit) = edit else { return Ok(so_far) };
    let text = now.as_deref().map(String::from_utf8_lossy);
    Ok(match edit::apply(text.as_deref(), edit) {
        Ok(new) => lines_between(&old, new.unwrap_or_default().as_bytes()),
        // The tool finds its place by rules of its own, or fails: what it says counts all the same.
        Err(_) => so_far.saturating_add(lines_said(edit)),
    })
}

/// How many lines an edit says that come and go, wherever they stand; one at least.
fn lines_said(edit: &Change) -> usize {
    let between = |old: &str, new: &str| lines_between(old.as_bytes(), new.as_bytes());
    let lines: usize = match edit {
        Change::Hunks(hunks) => {
            hunks.iter().map(|hunk| between(&hunk.old.join("\n"), &hunk.new.join("\n"))).sum()
        }
        Change::Replace(steps) => steps.iter().map(|step| between(&step.old, &step.new)).sum(),
        Change::Whole(_) | Change::Delete | Change::Opaque => 1,
    };
    lines.max(1)
}

/// The lane that holds the work of `focused` where it is done: none where its person said that
/// the size does not matter.
pub(crate) fn binds<'a>(repo: &'a Repo, focused: &LoadedJob) -> Option<&'a Lane> {
    if focused.state.said_lane == SaidLane::Quick {
        return None;
    }
    repo.map(&focused.state.stand).confines(repo.row(Some(focused)))
}
