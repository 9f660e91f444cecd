//! Files below one directory that leave the index and the work tree; who calls knows that nothing
//! is lost with them.

use std::collections::BTreeSet;
use std::io;

use super::error::StoreError;
use super::path::nul_terminated;
use super::{RepoPath, Store};

impl Store {
    /// What git tracks below `dir`, also where a sparse checkout leaves it out of the work tree.
    pub(crate) fn tracked_below(&self, dir: &str) -> Result<BTreeSet<String>, StoreError> {
        let asked = ["ls-files", "-z", "--cached", "--deduplicate", "--", dir];
        Ok(listed(&self.git(asked).run()?))
    }

    /// Those of them that no commit holds as they are now.
    pub(crate) fn uncommitted_below(&self, dir: &str) -> Result<BTreeSet<String>, StoreError> {
        if self.head()?.commit.is_none() {
            return self.tracked_below(dir);
        }
        let asked = ["diff", "--name-only", "--no-renames", "-z"];
        let here = self.git(asked.into_iter().chain(["HEAD", "--", dir])).run()?;
        let staged = self.git(asked.into_iter().chain(["--cached", "HEAD", "--", dir])).run()?;
        let mut found = listed(&here);
        found.extend(listed(&staged));
        Ok(found)
    }

    /// What the index has at `path`.
    pub(crate) fn staged_bytes(&self, path: &str) -> Result<Vec<u8>, StoreError> {
        self.git(["cat-file", "blob", &format!(":0:{path}")]).run()
    }

    /// Takes files out of the index and the work tree. Killed between the two, they lie there
    /// untracked.
    pub(crate) fn take_out(&self, paths: &[RepoPath]) -> Result<(), StoreError> {
        let taken = self.git(["update-index", "-z", "--force-remove", "--stdin"]);
        taken.input(nul_terminated(paths)).run()?;
        for path in paths {
            let file = path.below(self.work_tree()).map_err(io::Error::other)?;
            crate::world::remove_if_there(&file)?;
            for dir in file.ancestors().skip(1).take_while(|dir| *dir != self.work_tree()) {
                // Only an empty one goes.
                if std::fs::remove_dir(dir).is_err() {
                    break;
                }
            }
        }
        Ok(())
    }
}

fn listed(printed: &[u8]) -> BTreeSet<String> {
    let paths = printed.split(|byte| *byte == 0).filter(|path| !path.is_empty());
    // A name that is no text is no file of git seed's.
    paths.filter_map(|path| String::from_utf8(path.to_vec()).ok()).collect()
}
