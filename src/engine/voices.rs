//! The sentences that the repository words itself, as far as they count: the file says what HEAD
//! has, and its last commit is one whose memory is trusted.

use crate::engine::repo::{Repo, Result, paths, trust};
use crate::store::{CommitId, RepoPath, TreeId};
use crate::voice::own::{BadVoice, OwnVoices};

/// Where they stand.
pub(crate) const FILE: &str = ".claude/knowledge/voices.toml";

/// The sentences that count here now. What cannot be read words nothing: the shipped ones hold.
pub(crate) fn voices(repo: &Repo) -> OwnVoices {
    let text = || -> Result<Option<String>> {
        let Some(head) = repo.store.head()?.commit else { return Ok(None) };
        let tree = repo.store.tree_of_commit(&head)?;
        let Some(text) = text_of(repo, &tree)? else { return Ok(None) };
        let trusted = trust::trusted(repo, [FILE].into_iter());
        Ok(Some(text).filter(|_| trusted.contains(FILE)))
    };
    // As the head of this function says.
    let text = text().ok().flatten();
    text.map(|text| OwnVoices::read(&text).0).unwrap_or_default()
}

/// How many sentences the work changed since the tree `began`, from the one before to HEAD's.
pub(crate) fn changed(repo: &Repo, began: &TreeId, head: &CommitId) -> Result<usize> {
    let now = repo.store.tree_of_commit(head)?;
    let of = |tree: &TreeId| -> Result<OwnVoices> {
        Ok(text_of(repo, tree)?.map(|text| OwnVoices::read(&text).0).unwrap_or_default())
    };
    let (now, before) = (of(&now)?, of(began)?);
    Ok(now.beyond(&before).max(before.beyond(&now)))
}

/// What is wrong with the file in the work tree; nothing where there is none.
pub(crate) fn faults(repo: &Repo) -> Result<Vec<BadVoice>> {
    let file = repo.store.work_tree().join(FILE);
    if !file.symlink_metadata().is_ok_and(|data| data.is_file()) {
        return Ok(Vec::new());
    }
    let bytes = paths::bytes_of(file)?;
    Ok(OwnVoices::read(&String::from_utf8_lossy(&bytes)).1)
}

fn text_of(repo: &Repo, tree: &TreeId) -> Result<Option<String>> {
    // It is one.
    let Ok(path) = RepoPath::try_from(FILE) else { return Ok(None) };
    let blob = repo.store.blob_at(tree, &path)?;
    Ok(blob.map(|blob| String::from_utf8_lossy(&blob).into_owned()))
}
