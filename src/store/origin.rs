//! Where commits come from: which ones were made in this clone, and what its remotes call their
//! default branch.

use std::collections::HashSet;

use gix::refs::Target;

use super::{CommitId, Store, StoreError};
use crate::world;

/// The reflog's words for a commit that `git commit` made here; one of a merge brings along what
/// others wrote.
const MADE: [&str; 3] = ["commit: ", "commit (initial): ", "commit (amend): "];

/// What default branches are called where a remote does not say it.
pub(super) const USUAL: [&str; 2] = ["main", "master"];

impl Store {
    /// The commits that the reflogs of HEAD and of its branch say were made here. Empty where
    /// none is kept.
    ///
    /// # Errors
    ///
    /// A reflog is there and does not read.
    pub(crate) fn made_here(&self) -> Result<HashSet<String>, StoreError> {
        let branch = self.branch()?.map(|name| format!("logs/refs/heads/{name}"));
        let branch = branch.map(|log| self.common_dir().join(log));
        let files = [Some(self.git_dir().join("logs/HEAD")), branch];
        let mut made = HashSet::new();
        for file in files.into_iter().flatten() {
            let Some(bytes) = world::read_if_there(&file)? else { continue };
            made.extend(String::from_utf8_lossy(&bytes).lines().filter_map(made_by));
        }
        Ok(made)
    }

    /// Whether the repository knows others to fetch from.
    pub(crate) fn has_remotes(&self) -> bool {
        !self.repo.remote_names().is_empty()
    }

    /// Where the default branches of the remotes are, as they were fetched last.
    ///
    /// # Errors
    ///
    /// A ref does not read.
    pub(crate) fn default_branches(&self) -> Result<Vec<CommitId>, StoreError> {
        let mut found = Vec::new();
        for name in self.repo.remote_names() {
            let head = format!("refs/remotes/{name}/HEAD");
            // A remote that was added by hand has no HEAD until somebody sets it.
            let branches = match self.target(&head)? {
                Some(Target::Symbolic(to)) => vec![to.as_bstr().to_string()],
                _ => USUAL.map(|branch| format!("refs/remotes/{name}/{branch}")).to_vec(),
            };
            for branch in branches {
                found.extend(self.commit_of_ref(&branch)?);
            }
        }
        Ok(found)
    }

    /// The commit that the ref `name` leads to; `None` where there is no such ref.
    ///
    /// # Errors
    ///
    /// The ref does not read.
    pub(crate) fn commit_of_ref(&self, name: &str) -> Result<Option<CommitId>, StoreError> {
        match self.target(name)? {
            Some(Target::Object(id)) => Ok(Some(id.into())),
            _ => Ok(None),
        }
    }
}

/// The commit that a line of a reflog says was made.
fn made_by(line: &str) -> Option<String> {
    let (entry, message) = line.split_once('\t')?;
    let new = entry.split(' ').nth(1)?;
    MADE.iter().any(|word| message.starts_with(word)).then(|| new.to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::testbed::Testbed;
    use super::*;

    #[test]
    fn a_reflog_tells_commits_that_were_made_from_those_that_came() {
        let line = |message: &str| {
            let zero = "0".repeat(40);
            made_by(&format!("{zero} {} A B <a@b> 1 +0000\t{message}", "1".repeat(40)))
        };
        let made = Some("1".repeat(40));
        assert_eq!(line("commit: x"), made);
        assert_eq!(line("commit (initial): x"), made);
        assert_eq!(line("commit (amend): x"), made);
        for came in ["pull: Fast-forward", "commit (merge): x", "merge x: y", "rebase (pick): x"] {
            assert_eq!(line(came), None, "{came}");
        }
        assert_eq!(made_by("no line of a reflog"), None);
    }

    #[test]
    fn what_was_committed_here_was_made_here() {
        let bed = Testbed::new();
        bed.git(&["commit", "-q", "--allow-empty", "-m", "start"]);
        let store = bed.store();
        let head = store.head().expect("it reads").commit.expect("a commit");
        assert!(store.made_here().expect("it reads").contains(head.as_str()));
        assert_eq!(store.default_branches().expect("they read"), Vec::new());
        bed.git(&["remote", "add", "hub", "../hub"]);
        for (name, found) in [("master", 1), ("other", 1), ("main", 2)] {
            bed.git(&["update-ref", &format!("refs/remotes/hub/{name}"), "HEAD"]);
            assert_eq!(bed.store().default_branches().expect("they read").len(), found, "{name}");
        }
        bed.git(&["symbolic-ref", "refs/remotes/hub/HEAD", "refs/remotes/hub/other"]);
        assert_eq!(bed.store().default_branches().expect("they read"), vec![head]);
    }
}
