//! What `--scope` says is read from the top of the work tree, wherever the command is given.

use std::path::{Component, Path};

use crate::engine::memory::pages::is_there;
use crate::engine::repo::rows::to_line;
use crate::engine::repo::{self, Repo};
use crate::memory::pages::dir_of;
use crate::memory::scope::{listed, of_below};
use crate::phases::gates;
use crate::verdict::Verdict;

/// `--scope` is read from the top of the work tree: a word that means nothing there, and something
/// in the directory where the command was given, is told by its right name.
pub(crate) fn are_from_the_top(repo: &Repo, scope: &[String], cwd: &Path) -> Verdict {
    let top = repo::paths::real(repo.store.work_tree());
    let cwd = repo::paths::real(cwd);
    let Ok(here) = cwd.strip_prefix(&top) else { return Ok(()) };
    for named in scope.iter().flat_map(|word| listed(word, &|path| is_there(repo, path))) {
        let bare = of_below(named).unwrap_or(named);
        let lies_in = |base: &Path| base.join(bare).symlink_metadata().is_ok();
        let inside =
            |path: &Path| path.components().all(|part| matches!(part, Component::Normal(_)));
        let bare_path = Path::new(bare.trim_start_matches("./"));
        if !lies_in(&top) && lies_in(&cwd) && inside(bare_path) {
            let meant = here.join(named.trim_start_matches("./")).display().to_string();
            return Err(gates::named_elsewhere(named, &meant));
        }
    }
    Ok(())
}

/// What `--scope` names, as directories: a file stands for the one that it lies in.
pub(crate) fn dirs_of(repo: &Repo, scope: &[String]) -> Vec<String> {
    let dir = |named: &str| {
        if repo.store.work_tree().join(named).is_file() {
            to_line(dir_of(named.strip_prefix("./").unwrap_or(named)))
        } else {
            named.to_owned()
        }
    };
    scope.iter().flat_map(|word| listed(word, &|path| is_there(repo, path))).map(dir).collect()
}
