//! What a phase commit changes, file by file, cut to a bound.

use serde::Serialize;

use crate::engine::repo::{Repo, Result};
use crate::store::{Contents, RepoPath, TreeId, text_between};

/// The most files of a commit that are told one by one.
const FILES: usize = 40;

/// The most bytes of the two versions of a file that are compared.
const BYTES: usize = 200_000;

/// The most bytes of hunks of one file that are kept.
const HUNKS: usize = 16_000;

/// A phase commit.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct CommitShown {
    pub id: String,
    /// Its objects are in this clone: without them nothing is known of what it changed.
    pub here: bool,
    pub files: Vec<FileChanged>,
    /// It changed more files than are told.
    pub more: bool,
}

/// One file that it changed.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct FileChanged {
    pub path: String,
    /// `added`, `removed` or `changed`.
    pub kind: &'static str,
    pub added: usize,
    pub removed: usize,
    /// Hunks as git writes them; absent where a version is no text or too long.
    pub diff: Option<String>,
    /// There is more of them.
    pub cut: bool,
}

/// The paths that differ between two trees, and whether there are more.
pub(crate) fn paths(repo: &Repo, (a, b): &(TreeId, TreeId)) -> Result<(Vec<String>, bool)> {
    let mut paths = repo.store.paths_between(a, b, FILES + 1)?;
    let more = paths.len() > FILES;
    paths.truncate(FILES);
    Ok((paths, more))
}

/// What `commit` changed. `left` is how many bytes of hunks its job may still have.
pub(crate) fn of(repo: &Repo, commit: &str, left: &mut usize) -> Result<CommitShown> {
    let id = commit.to_owned();
    let Some(trees) = repo.store.trees_around(commit)? else {
        return Ok(CommitShown { id, here: false, files: Vec::new(), more: false });
    };
    let mut contents = repo.store.contents_between(&trees.0, &trees.1, FILES + 1)?;
    let more = contents.len() > FILES;
    contents.truncate(FILES);
    let mut files = Vec::new();
    for file in contents {
        let file = changed(file, HUNKS.min(*left));
        *left = left.saturating_sub(file.diff.as_ref().map_or(0, String::len));
        files.push(file);
    }
    Ok(CommitShown { id, here: true, files, more })
}

/// The bytes of a file in a tree; nothing where its name is no text, or it is no file.
pub(crate) fn bytes(repo: &Repo, tree: &TreeId, path: &str) -> Result<Option<Vec<u8>>> {
    match RepoPath::new(path) {
        Ok(path) => Ok(repo.store.blob_at(tree, &path)?),
        Err(_) => Ok(None),
    }
}

fn changed(Contents { path, old, new }: Contents, most: usize) -> FileChanged {
    let kind = match (&old, &new) {
        (None, Some(_)) => "added",
        (Some(_), None) => "removed",
        _ => "changed",
    };
    // Where nothing more is kept, nothing is compared.
    let bytes = if most == 0 { 0 } else { BYTES };
    let between = text_between(&old.unwrap_or_default(), &new.unwrap_or_default(), bytes);
    let mut diff = between.hunks;
    let cut = diff.as_mut().is_some_and(|hunks| cut(hunks, most));
    let (added, removed) = (between.added, between.removed);
    FileChanged { path, kind, added, removed, diff, cut }
}

/// Cuts a text behind its last whole line within `most` bytes; says whether there was more.
pub(crate) fn cut(text: &mut String, most: usize) -> bool {
    if text.len() <= most {
        return false;
    }
    let within = (0..=most).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
    let end = text[..within].rfind('\n').map_or(within, |line| line + 1);
    text.truncate(end);
    true
}

#[cfg(test)]
mod tests {
    use super::cut;

    #[test]
    fn a_text_ends_with_a_whole_line_or_a_whole_letter() {
        for (text, most, left, more) in [
            ("ab\ncd\n", 6, "ab\ncd\n", false),
            ("ab\ncd\n", 5, "ab\n", true),
            ("äöü", 3, "ä", true),
            ("", 0, "", false),
        ] {
            let mut text = text.to_owned();
            assert_eq!((cut(&mut text, most), text.as_str()), (more, left));
        }
    }
}
