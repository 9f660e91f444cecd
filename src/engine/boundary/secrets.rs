//! What a boundary would carry into a commit, looked through for likely secrets: the message, and
//! the lines that are new in memory files. Product files are the person's to judge.

use std::fmt::Write as _;

use crate::engine::fence::survey::Survey;
use crate::engine::repo::{LoadedJob, Repo, Result, paths};
use crate::phases::secrets;
use crate::secrets::added;
use crate::store::RepoPath;
use crate::verdict::Verdict;

/// A file of more bytes is not looked through: no page that anybody reads is so long.
const LONGEST: u64 = 16 * 1024 * 1024;

/// The message of a boundary, or of a commit that an agent makes by hand.
pub(crate) fn in_message(repo: &Repo, by: &'static str, text: &str) -> Verdict {
    let found = added("", text, |kind| counts(repo, kind));
    found.map_or(Ok(()), |secret| Err(secrets::in_message(by, &secret)))
}

/// The memory files of the step, as its commit would hold them. What any of them held before is
/// not of this step: condense moves lines from pages to logs.
pub(crate) fn in_memory(repo: &Repo, focused: &LoadedJob, survey: &Survey) -> Result<Verdict> {
    let memory = |path: &&RepoPath| {
        let shown = path.to_string();
        repo.place_named(&shown, Some(&focused.state)).is_memory()
            && !repo.rules.allow.contains(&shown)
    };
    let files: Vec<(&RepoPath, String)> = survey
        .own
        .iter()
        .filter(memory)
        .filter_map(|path| Some((path, text_of(repo, path)?)))
        .collect();
    if !files.iter().any(|(_, text)| added("", text, |kind| counts(repo, kind)).is_some()) {
        return Ok(Ok(()));
    }
    let mut before = String::new();
    if let Some(head) = repo.store.head()?.commit {
        let tree = repo.store.tree_of_commit(&head)?;
        for path in survey.own.iter().filter(memory) {
            let bytes = repo.store.blob_at(&tree, path)?.unwrap_or_default();
            // Writing to a string cannot fail.
            let _ = writeln!(before, "{}", String::from_utf8_lossy(&bytes));
        }
    }
    let hit = files.iter().find_map(|(path, text)| {
        let secret = added(&before, text, |kind| counts(repo, kind))?;
        Some(secrets::in_file("clean", &path.to_string(), &secret))
    });
    Ok(hit.map_or(Ok(()), Err))
}

fn counts(repo: &Repo, kind: &str) -> bool {
    !repo.rules.allow.iter().any(|allowed| allowed == kind)
}

/// A file of the work tree; nothing where it went, or is no text.
fn text_of(repo: &Repo, path: &RepoPath) -> Option<String> {
    let file = path.below(repo.store.work_tree()).ok()?;
    let short = file.metadata().is_ok_and(|data| data.len() <= LONGEST);
    // What does not read has no line that could be named; the survey has read it before.
    short
        .then(|| paths::bytes_of(&file).ok())
        .flatten()
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}
