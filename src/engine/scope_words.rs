//! What `--scope` says is read from the top of the work tree, wherever the command is given.

use std::path::{Component, Path};

use crate::engine::repo::{self, Repo};
use crate::memory::scope::of_below;
use crate::phases::gates;
use crate::verdict::Verdict;

/// `--scope` is read from the top of the work tree: a word that means nothing there, and something
/// in the directory where the command was given, is told by its right name.
pub(crate) fn are_from_the_top(repo: &Repo, scope: &[String], cwd: &Path) -> Verdict {
    let top = repo::paths::real(repo.store.work_tree());
    let cwd = repo::paths::real(cwd);
    let Ok(here) = cwd.strip_prefix(&top) else { return Ok(()) };
    for named in scope {
        let bare = of_below(named).unwrap_or(named);
        let is_there = |base: &Path| base.join(bare).symlink_metadata().is_ok();
        let inside =
            |path: &Path| path.components().all(|part| matches!(part, Component::Normal(_)));
        let bare_path = Path::new(bare.trim_start_matches("./"));
        if !is_there(&top) && is_there(&cwd) && inside(bare_path) {
            let meant = here.join(named.trim_start_matches("./")).display().to_string();
            return Err(gates::named_elsewhere(named, &meant));
        }
    }
    Ok(())
}
