//! Pages of the cycle that are gone while HEAD still has what they said below their anchors.
//!
//! The words are memory of the job: a boundary that passed over them would leave them out of what
//! CONDENSE measures, archives and asks about. A page whose words the agent took away is a stray,
//! and has its own way back; this is about any other, such as one that a person moved away.

use crate::engine::record;
use crate::engine::record::draft::{By, Journaling, StepDraft};
use crate::engine::repo::{EngineError, LoadedJob, Repo, Result};
use crate::format::names;
use crate::memory::lock;
use crate::memory::scope::of_below;
use crate::phases::gates;
use crate::store::RepoPath;
use crate::verdict::Refusal;

/// The pages, by their paths. One whose loss a person accepted, or committed, is none of them.
pub(crate) fn of(repo: &Repo, focused: &LoadedJob) -> Result<Vec<String>> {
    let Some(head) = repo.store.head()?.commit else { return Ok(Vec::new()) };
    let tree = repo.store.tree_of_commit(&head)?;
    let accepted = repo.lines(&focused.chain, names::ACCEPTED)?;
    let (anchors, kinds) = (repo.rules.maps.anchors(), repo.kinds(&focused.state));
    let mut lost = Vec::new();
    for dir in repo.lines(&focused.chain, names::SCOPE)? {
        let page = repo.page_path(&dir);
        let Ok(path) = RepoPath::try_from(page.as_str()) else { continue };
        if of_below(&dir).is_some() || accepted.contains(&page) || repo.page_text(&dir)?.is_some() {
            continue;
        }
        let said = repo.store.blob_at(&tree, &path)?;
        // What is no text has no footers.
        let said = said.and_then(|said| String::from_utf8(said).ok()).unwrap_or_default();
        if lock::says_something(&said, &anchors, &kinds) {
            lost.push(page);
        }
    }
    Ok(lost)
}

/// Why no boundary passes over them.
pub(crate) fn stop(repo: &Repo, focused: &LoadedJob) -> Result<Option<Refusal>> {
    let row = repo.row(Some(focused));
    if row.leaves_memory_alone() || row.measures {
        // The small lane has no page duty, and CONDENSE compares with what it began with.
        return Ok(None);
    }
    Ok(of(repo, focused)?.first().map(|page| gates::page_is_gone(page)))
}

/// Puts those of `paths` back that are such pages, as HEAD has them; gives which. It takes nothing
/// away, so anybody may.
pub(crate) fn put_back(repo: &Repo, focused: &LoadedJob, paths: &[String]) -> Result<Vec<String>> {
    let mut lost = of(repo, focused)?;
    lost.retain(|page| paths.contains(page));
    let head = repo.store.head()?.commit;
    let (Some(head), false) = (head, lost.is_empty()) else { return Ok(Vec::new()) };
    let files: Vec<RepoPath> =
        lost.iter().filter_map(|page| RepoPath::try_from(page.as_str()).ok()).collect();
    repo.store.restore(&repo.store.tree_of_commit(&head)?, &files)?;
    let still = of(repo, focused)?;
    lost.retain(|page| !still.contains(page));
    if lost.is_empty() {
        return Ok(lost);
    }
    let by = if repo.is_person().is_ok() { By::Person } else { By::Agent };
    let taken = record::step::step(repo, &focused.chain, Journaling::Read, |state, _| {
        state.fence.unclaimed.retain(|one| !lost.contains(&one.path));
        let subject = format!("put back {}", lost.join(", "));
        Ok(Ok(StepDraft::new(state, "restore", subject, by)))
    })?;
    taken.map(|_| lost).map_err(|refusal| EngineError::Refused(refusal.wants))
}
