//! What the last small jobs of a branch changed together, since memory was worked through.

use std::collections::BTreeMap;

use crate::claims::languages::shipped_languages;
use crate::engine::repo::rows::from_line;
use crate::engine::repo::{Repo, Result};
use crate::format::trailers::StepTrailers;
use crate::memory::pages::dir_of;
use crate::phases::lane::ChangedFile;
use crate::phases::place::Place;
use crate::phases::{Lane, Size};
use crate::store::{CommitId, RepoPath, Step, lines_between};

/// How many commits are looked through for the last condense.
const BACK: usize = 300;
/// The most paths of one commit that are looked at: a larger one is past every lane.
const MOST: usize = 500;

/// The first of `dirs` in which small jobs have changed more than the lane takes several times.
pub(crate) fn outgrown<'a>(
    repo: &Repo,
    lane: &Lane,
    dirs: &'a [String],
) -> Result<Option<&'a str>> {
    let Some(head) = repo.store.head()?.commit else { return Ok(None) };
    let steps = repo.store.history_from(&head, BACK)?;
    let mut changed: BTreeMap<String, usize> = BTreeMap::new();
    for (step, before) in steps.iter().zip(steps.iter().skip(1)) {
        let Some(trailers) = StepTrailers::read(&step.message) else { continue };
        if repo.rules.maps.settles(&trailers.phase) {
            break;
        }
        add_changed(repo, (before, step), &mut changed)?;
    }
    let size_in = |dir: &str| {
        let dir = from_line(dir);
        let own = changed.iter().filter(|(path, _)| dir_of(path) == dir);
        Size::of(own.map(|(path, lines)| {
            let along =
                shipped_languages().is_test_path(path) || repo.rules.companions().is_lock(path);
            ChangedFile { path, lines: *lines, along }
        }))
    };
    Ok(dirs.iter().map(String::as_str).find(|dir| lane.is_added_up(size_in(dir))))
}

/// Adds the lines of the project's files that came and went with a commit.
fn add_changed(
    repo: &Repo,
    (before, after): (&Step, &Step),
    changed: &mut BTreeMap<String, usize>,
) -> Result<()> {
    let tree = |commit: &CommitId| repo.store.tip_of(commit).map(|tip| tip.tree);
    let (old, new) = (tree(&before.commit)?, tree(&after.commit)?);
    for path in repo.store.paths_between(&old, &new, MOST)? {
        let Ok(named) = RepoPath::try_from(path.as_str()) else { continue };
        if !matches!(repo.place_named(&path, None), Place::Project { .. }) {
            continue;
        }
        let old = repo.store.blob_at(&old, &named)?.unwrap_or_default();
        let new = repo.store.blob_at(&new, &named)?.unwrap_or_default();
        *changed.entry(path).or_default() += lines_between(&old, &new);
    }
    Ok(())
}
