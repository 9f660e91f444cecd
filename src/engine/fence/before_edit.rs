//! What somebody else changed in a file just before the agent's first edit of it. No look comes
//! between two edits, so only the host tells: by the text that its tool found there.

use super::survey;
use super::tree;
use crate::engine::repo::{self, LoadedJob, Repo, Result};
use crate::phases::place::Place;
use crate::store::{RepoPath, TreeId};

/// Of the one file in `places` that an edit found as `before`: the file, where that is not what
/// the job's last step left, what HEAD has, or the agent's own.
pub(crate) fn changed_before(
    repo: &Repo,
    focused: &LoadedJob,
    before: Option<&str>,
    places: &[(String, Place)],
) -> Result<Vec<String>> {
    // Where several files change at once, nothing says whose text it is.
    let (Some(before), [(shown, place)]) = (before, places) else { return Ok(Vec::new()) };
    let work = place.is_direct(shown) && repo::rows::declared(shown, place, &repo.scope(focused)?);
    let (true, Ok(path)) = (work, RepoPath::try_from(shown.as_str())) else {
        return Ok(Vec::new());
    };
    // Where the fence keeps no tree it lays nothing to anybody.
    let Ok(step) = focused.state.fence.tree.parse::<TreeId>() else { return Ok(Vec::new()) };
    if !is_another(repo.store.blob_at(&step, &path)?, before) {
        return Ok(Vec::new());
    }
    let touched = survey::touched(repo, focused, &repo.read_since(focused)?)?;
    if touched.contains(shown) || tree::persons(repo, focused)?.contains(shown) {
        return Ok(Vec::new());
    }
    // What the person committed meanwhile is in no way of the agent's change.
    if let Some(head) = repo.store.head()?.commit {
        let head = repo.store.tree_of_commit(&head)?;
        if !is_another(repo.store.blob_at(&head, &path)?, before) {
            return Ok(Vec::new());
        }
    }
    Ok(vec![shown.clone()])
}

/// Whether `before` is another text than the one stored. Line ends are git's to store, and a stored
/// form that has no line in common with the text is a filter's.
fn is_another(stored: Option<Vec<u8>>, before: &str) -> bool {
    let Some(stored) = stored else { return true };
    let Ok(stored) = String::from_utf8(stored) else { return false };
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<String>>();
    let (stored, before) = (lines(&stored), lines(before));
    let full = |line: &&String| !line.trim().is_empty();
    let empty = stored.iter().filter(full).count() == 0;
    stored != before && (empty || stored.iter().filter(full).any(|line| before.contains(line)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_and_filters_are_no_change_of_somebody() {
        for (stored, before, other) in [
            (None, "a\n", true),
            (Some("a\nb\n"), "a\nb\n", false),
            (Some("a\nb\n"), "a\r\nb\r\n", false),
            (Some("a\nb\n"), "a\nb\nc\n", true),
            (Some("a\nb\n"), "a\n", true),
            (Some(""), "a\n", true),
            (Some("version 1\noid 2\n"), "a\nb\n", false),
        ] {
            let bytes = stored.map(|text: &str| text.as_bytes().to_vec());
            assert_eq!(is_another(bytes, before), other, "{stored:?} {before:?}");
        }
        assert!(!is_another(Some(vec![0xff, 0xfe]), "a"), "no text");
    }
}
