//! Putting back what a call changed outside the fence, and what a person takes over instead.

use crate::engine::record::draft::{By, Journaling, StepDraft};
use crate::engine::record::step::TOUCHED;
use crate::engine::repo::{self, EngineError, LoadedJob, Repo, Result};
use crate::engine::{fence, record};
use crate::format::names;
use crate::phases::place::Place;
use crate::store::{RepoPath, TreeEdit, TreeId};

/// Puts strays back as they were at the last boundary, and of the agent's changes in scope those
/// that are named. What it takes away is kept as blobs, whose ids it gives. Nothing else is ever
/// touched, and what nobody claims only where a `person` names it.
pub(crate) fn restore_strays(repo: &Repo, paths: &[String], person: bool) -> Result<Restored> {
    fence::after_call::forget_stale_proof(repo)?;
    let focused = repo.require_focused()?;
    let row = repo.row(Some(&focused));
    let since = repo.read_since(&focused)?;
    let survey = fence::survey::survey(repo, &focused, &since, row)?;
    let wanted: Vec<String> = if paths.is_empty() { survey.strays.clone() } else { paths.to_vec() };
    let unclaimed = |path: &String| person && survey.unclaimed.iter().any(|one| one.path == *path);
    let touched = fence::survey::touched(repo, &focused, &since)?;
    let own = |path: &String| {
        touched.contains(path)
            && survey.named(path).is_some_and(|named| survey.own.contains(&named))
            && is_no_memory(repo, path, &focused)
    };
    let (known, mut left): (Vec<String>, Vec<String>) = wanted
        .into_iter()
        .partition(|path| survey.strays.contains(path) || unclaimed(path) || own(path));
    let Ok(before) = focused.state.fence.tree.parse::<TreeId>() else {
        return Ok(Restored { kept: Vec::new(), left });
    };
    let files: Vec<RepoPath> = known.iter().filter_map(|path| survey.named(path)).collect();
    if files.is_empty() {
        left.extend(known);
        return Ok(Restored { kept: Vec::new(), left });
    }
    let (mut kept, edits) = kept_before(repo, &focused, &files)?;
    let works = known.iter().any(own);
    let by = if person { By::Person } else { By::Agent };
    let taken = record::step::step(repo, &focused.chain, Journaling::Read, |state, _| {
        state.fence.strays.retain(|stray| !known.contains(stray));
        state.fence.unclaimed.retain(|one| !known.contains(&one.path));
        // Code ran well on other files than these.
        state.proved &= !works;
        let subject = format!("put back {}", known.join(", "));
        let mut draft = StepDraft::new(state, "restore", subject, by);
        draft.edits.clone_from(&edits);
        Ok(Ok(draft))
    })?;
    debug_assert!(taken.is_ok(), "putting strays back is never refused");
    repo.store.restore(&before, &files)?;
    let focused = repo.require_focused()?;
    let failed = still_changed(repo, &focused, &before, &files)?;
    if !failed.is_empty() {
        kept.retain(|(path, _)| !failed.contains(path));
        left.extend(failed.iter().cloned());
        record::step::step(repo, &focused.chain, Journaling::Read, |state, _| {
            state
                .fence
                .strays
                .extend(failed.iter().filter(|path| survey.strays.contains(path)).cloned());
            let subject = format!("still changed: {}", failed.join(", "));
            Ok(Ok(StepDraft::new(state, "restore", subject, by)))
        })?
        .map_err(|refusal| EngineError::Refused(refusal.wants))?;
    }
    Ok(Restored { kept, left })
}

/// Words of a page and files of a job are taken back by edits, which are judged.
fn is_no_memory(repo: &Repo, path: &str, focused: &LoadedJob) -> bool {
    let place = fence::survey::place_of(repo, path, &focused.state);
    !matches!(place, Place::Page { .. } | Place::JobFile)
}

/// Paths, and where their bytes are kept.
pub(crate) type Places = Vec<(String, String)>;

/// Where the bytes of `files` are kept before they are put back, and the edits that keep them.
pub(crate) fn kept_before(
    repo: &Repo,
    focused: &LoadedJob,
    files: &[RepoPath],
) -> Result<(Places, Vec<TreeEdit>)> {
    let (mut kept, mut edits) = (Vec::new(), Vec::new());
    for file in files {
        let place = match repo.store.stored_form(file)? {
            Some(bytes) => {
                let name = format!(
                    "taken/{}-{}",
                    focused.state.steps + 1,
                    crate::format::short_hash(&bytes, 12)
                );
                let place = format!("{}:{name}", focused.chain);
                edits.push(TreeEdit::Put { path: name, bytes });
                place
            }
            // The commits of a repository inside this one stay in it.
            None => repo.store.inner_head(file).unwrap_or_default(),
        };
        kept.push((file.to_string(), place));
    }
    Ok((kept, edits))
}

/// Which of `files` differ from `before` all the same.
fn still_changed(
    repo: &Repo,
    focused: &LoadedJob,
    before: &TreeId,
    files: &[RepoPath],
) -> Result<Vec<String>> {
    let (_, changed) = fence::survey::seen(repo, &fence::tree::lens(repo, Some(focused))?, before)?;
    let is_changed = |path: &&RepoPath| changed.iter().any(|change| change.path == **path);
    Ok(files.iter().filter(is_changed).map(ToString::to_string).collect())
}

/// Takes changes outside the fence over as the person's own: they are in no commit of
/// this cycle and stop nothing.
pub(crate) fn accept(repo: &Repo, paths: &[String]) -> Result<()> {
    let focused = repo.require_focused()?;
    let over = taken_over(repo, &focused, paths)?;
    let mut touched = repo.lines(&focused.chain, TOUCHED)?;
    let taken = record::step::step(repo, &focused.chain, Journaling::Read, |state, since| {
        if let Some(tree) = &over.tree {
            state.fence.tree = tree.to_string();
        }
        state.fence.strays.retain(|stray| !paths.contains(stray));
        state.fence.unclaimed.retain(|unclaimed| !paths.contains(&unclaimed.path));
        touched.extend(since.touched().map(str::to_owned));
        touched.retain(|path| !paths.contains(path));
        let subject = format!("the person takes {}", paths.join(", "));
        let draft = StepDraft::new(state, "accept", subject, By::Person);
        let edits = over.edits.iter().filter(|edit| !is_of(edit, TOUCHED)).cloned();
        let edits = edits.chain([lines(TOUCHED, &touched)]);
        Ok(Ok(edits.fold(draft, StepDraft::with)))
    })?;
    taken.map(drop).map_err(|refusal| EngineError::Refused(refusal.wants))
}

/// What says that paths are the person's.
pub(crate) struct TakenOver {
    /// What the fence looks from, where pages are among them.
    pub tree: Option<TreeId>,
    pub edits: Vec<TreeEdit>,
}

/// What makes changes of `job` the person's.
pub(crate) fn taken_over(repo: &Repo, job: &LoadedJob, paths: &[String]) -> Result<TakenOver> {
    let mut persons = fence::tree::persons(repo, job)?;
    // A page is both sides' to write: what it says now is where the agent's next edit
    // is measured from. Any other path is the person's from here on.
    let (pages, files): (Vec<String>, Vec<String>) =
        paths.iter().cloned().partition(|path| repo.is_page(path));
    persons.extend(files.iter().cloned());
    let tree = with_pages_as_they_are(repo, job, &pages)?;
    let known = |path: &str| -> Result<Vec<String>> {
        // Written with the first such path.
        let bytes = repo.store.file(&job.tip, path)?.unwrap_or_default();
        Ok(crate::format::state::read_lines(&bytes))
    };
    let (mut accepted, mut touched) = (known(names::ACCEPTED)?, known(TOUCHED)?);
    accepted.extend(files);
    accepted.extend(pages.into_iter().filter(|page| is_gone(repo, page)));
    touched.retain(|path| !paths.contains(path));
    let persons: Vec<String> = persons.into_iter().collect();
    let edits = [(names::PERSONS, persons), (names::ACCEPTED, accepted), (TOUCHED, touched)];
    Ok(TakenOver { tree, edits: edits.map(|(path, all)| lines(path, &all)).into() })
}

/// Nothing lies there, not even a link that leads nowhere.
fn is_gone(repo: &Repo, path: &str) -> bool {
    repo.store.work_tree().join(path).symlink_metadata().is_err()
}

fn is_of(edit: &TreeEdit, file: &str) -> bool {
    matches!(edit, TreeEdit::Put { path, .. } if path == file)
}

fn lines(path: &str, lines: &[String]) -> TreeEdit {
    let bytes = crate::format::state::write_lines(lines.iter().map(String::as_str)).into_bytes();
    TreeEdit::Put { path: path.to_owned(), bytes }
}

/// The fence's tree with these pages as they are on disk, kept against gc.
fn with_pages_as_they_are(
    repo: &Repo,
    focused: &LoadedJob,
    pages: &[String],
) -> Result<Option<TreeId>> {
    let Ok(before) = focused.state.fence.tree.parse::<TreeId>() else { return Ok(None) };
    let mut edits = Vec::new();
    for page in pages {
        if is_gone(repo, page) {
            edits.push(TreeEdit::Remove { path: page.clone() });
            continue;
        }
        let bytes = repo::paths::bytes_of(repo.store.work_tree().join(page))?;
        edits.push(TreeEdit::Put { path: page.clone(), bytes });
    }
    if edits.is_empty() {
        return Ok(None);
    }
    let tree = repo.store.tree_with(&before, &edits)?;
    if let Some(id) = names::job_of(&focused.chain) {
        repo.store.keep_tree(&names::keep_chain(&id), &tree, repo.now)?;
    }
    Ok(Some(tree))
}

/// What putting strays back did.
#[derive(Clone, Debug, Default)]
pub(crate) struct Restored {
    /// Path, and where its bytes are kept (`<ref>:<file>`); empty where there were none.
    pub kept: Vec<(String, String)>,
    /// Asked for, but no stray.
    pub left: Vec<String>,
}
