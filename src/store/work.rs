//! What work is measured from, and what a tree holds by name.

use std::collections::{BTreeMap, BTreeSet};

use super::error::StoreError;
use super::{CommitId, Store, TreeId, UnixSeconds};

/// A commit and its tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Landed {
    pub commit: CommitId,
    pub tree: TreeId,
}

/// The most commits that are looked at for what became of watched work.
const LATER: usize = 2000;

/// A commit, when it was made, and the paths that it changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LaterCommit {
    pub commit: CommitId,
    pub at: UnixSeconds,
    pub paths: Vec<String>,
}

impl Store {
    /// Commits of any branch that were made from `at` on, newest first, with what each changed.
    ///
    /// # Errors
    ///
    /// git does not answer.
    pub(crate) fn later_commits(&self, at: UnixSeconds) -> Result<Vec<LaterCommit>, StoreError> {
        if self.head()?.commit.is_none() {
            return Ok(Vec::new());
        }
        let (since, most) = (format!("--since=@{at}"), format!("--max-count={LATER}"));
        let words = ["log", "-z", "--name-only", "--no-renames", "--no-show-signature"];
        let words = words.into_iter().chain(["--format=%x01%H %ct", &since, &most]);
        let printed = self.git(words.chain(["--branches", "HEAD", "--"])).run()?;
        let text = String::from_utf8_lossy(&printed);
        let mut found: Vec<LaterCommit> = Vec::new();
        for part in text.split('\0').map(|part| part.trim_start_matches('\n')) {
            if let Some((commit, at)) = part.strip_prefix('\u{1}').and_then(|at| at.split_once(' '))
            {
                // git wrote both; a commit that does not read has no path.
                let (Ok(commit), Ok(at)) = (commit.parse(), at.trim().parse()) else { continue };
                found.push(LaterCommit { commit, at, paths: Vec::new() });
            } else if let Some(last) = found.last_mut().filter(|_| !part.is_empty()) {
                last.paths.push(part.to_owned());
            }
        }
        Ok(found)
    }

    /// How many directories `tree` has in `dir`, itself counted; none where it has no such one.
    pub(crate) fn directories_in(&self, tree: &TreeId, dir: &str) -> Result<usize, StoreError> {
        let mut ahead = match dir {
            "" => vec![tree.object()?],
            dir => {
                let found = self.entry_in(tree, dir.as_bytes(), dir)?;
                found.filter(|(mode, _)| mode.is_tree()).map(|(_, id)| id).into_iter().collect()
            }
        };
        let mut count = 0;
        while let Some(id) = ahead.pop() {
            count += 1;
            for entry in self.tree_object(id, dir)?.iter() {
                let entry = entry.map_err(|err| StoreError::unreadable(dir.to_owned(), &err))?;
                ahead.extend(entry.mode().is_tree().then(|| entry.object_id()));
            }
        }
        Ok(count)
    }

    /// The trees before and after the commit of that id; `None` where it, or the commit before it,
    /// is not in this repository.
    pub(crate) fn trees_around(
        &self,
        commit: &str,
    ) -> Result<Option<(TreeId, TreeId)>, StoreError> {
        let known = commit.parse::<CommitId>().ok().filter(|id| self.has_object(id.as_str()));
        let Some(commit) = known else { return Ok(None) };
        let before = match self.parent_of(&commit)? {
            // The edge of a shallow clone.
            Some(parent) if !self.has_object(parent.as_str()) => return Ok(None),
            Some(parent) => self.tree_of_commit(&parent)?,
            None => self.no_tree(),
        };
        Ok(Some((before, self.tree_of_commit(&commit)?)))
    }

    /// The first parent of a commit; `None` for a root.
    pub(crate) fn parent_of(&self, commit: &CommitId) -> Result<Option<CommitId>, StoreError> {
        let object = self.commit_object(commit.object()?, "the commit")?;
        Ok(object.parent_ids().next().map(|id| id.detach().into()))
    }

    /// The newest commit that HEAD and its upstream share; `None` where it has none, which is told
    /// without asking git.
    pub(crate) fn shared_with_upstream(&self) -> Result<Option<CommitId>, StoreError> {
        let branch = self.branch()?;
        match branch.filter(|branch| self.has_upstream(branch)) {
            Some(_) => self.shared_with_head("@{upstream}"),
            None => Ok(None),
        }
    }

    /// The newest commit that HEAD and `other` share; `None` where they share none, or `other`
    /// is no commit here.
    pub(crate) fn shared_with_head(&self, other: &str) -> Result<Option<CommitId>, StoreError> {
        let asked = self.git(["merge-base", "HEAD", other]).outcome()?;
        match asked.code {
            Some(0) => {
                let said = String::from_utf8_lossy(&asked.stdout);
                Ok(said.lines().next().and_then(|id| id.trim().parse().ok()))
            }
            // 1: nothing shared. 128: no upstream, or a name that is no commit.
            Some(1 | 128) => Ok(None),
            _ => Err(asked.failed()),
        }
    }

    /// The commits of `range`, newest first, with their trees.
    pub(crate) fn landed(&self, range: &str) -> Result<Vec<Landed>, StoreError> {
        let printed = self.git(["log", "--format=%H %T", "--end-of-options", range, "--"]).run()?;
        let text = String::from_utf8_lossy(&printed).into_owned();
        let read = |line: &str| {
            let (commit, tree) = line.split_once(' ')?;
            Some(Landed { commit: commit.parse().ok()?, tree: tree.parse().ok()? })
        };
        let odd =
            |line: &str| StoreError::Invalid { what: "git log".to_owned(), why: line.to_owned() };
        text.lines().map(|line| read(line).ok_or_else(|| odd(line))).collect()
    }

    /// Every path of a tree, as text shows it.
    pub(crate) fn paths_of(&self, tree: &TreeId) -> Result<Vec<String>, StoreError> {
        let mut found = Vec::new();
        let mut ahead = vec![(String::new(), tree.object()?)];
        while let Some((dir, id)) = ahead.pop() {
            let tree = self.tree_object(id, "a tree of the work")?;
            for entry in tree.iter() {
                let entry =
                    entry.map_err(|err| StoreError::unreadable(format!("a tree ({id})"), &err))?;
                let name = entry.filename().to_string();
                let path = if dir.is_empty() { name } else { format!("{dir}/{name}") };
                if entry.mode().is_tree() {
                    ahead.push((path, entry.object_id()));
                } else {
                    found.push(path);
                }
            }
        }
        found.sort();
        Ok(found)
    }

    /// Those of `words` that stand in a file of `tree`, as whole words.
    pub(crate) fn words_in(
        &self,
        tree: &TreeId,
        words: &[String],
    ) -> Result<BTreeSet<String>, StoreError> {
        if words.is_empty() {
            return Ok(BTreeSet::new());
        }
        let head = ["grep", "-h", "-o", "-w", "-I", "-F", "--no-color"].map(str::to_owned);
        let asked = words.iter().flat_map(|word| ["-e".to_owned(), word.clone()]);
        let args = head.into_iter().chain(asked).chain([tree.to_string(), "--".to_owned()]);
        let asked = self.git(args).outcome()?;
        match asked.code {
            Some(0) => {
                Ok(String::from_utf8_lossy(&asked.stdout).lines().map(str::to_owned).collect())
            }
            Some(1) => Ok(BTreeSet::new()),
            _ => Err(asked.failed()),
        }
    }

    /// How often `word` stands by itself in each file of `tree`, below `paths` where there are any.
    pub(crate) fn places_of(
        &self,
        tree: &str,
        word: &str,
        paths: &[String],
    ) -> Result<BTreeMap<String, u64>, StoreError> {
        let head = ["grep", "-z", "-c", "-w", "-I", "-F", "--no-color", "-e", word, tree, "--"];
        let below = paths.iter().cloned();
        let asked = self.git(head.map(str::to_owned).into_iter().chain(below)).outcome()?;
        let told = String::from_utf8_lossy(&asked.stdout).into_owned();
        match asked.code {
            Some(0) => Ok(told.lines().filter_map(|line| count_of(line, tree)).collect()),
            Some(1) => Ok(BTreeMap::new()),
            _ => Err(asked.failed()),
        }
    }
}

/// `tree:path`, a zero, and how many lines; a name with a line end is none that anybody writes.
fn count_of(line: &str, tree: &str) -> Option<(String, u64)> {
    let (place, count) = line.split_once('\0')?;
    let path = place.strip_prefix(tree)?.strip_prefix(':')?;
    Some((path.to_owned(), count.trim_end_matches('\0').parse().ok()?))
}

#[cfg(test)]
mod tests {
    use crate::store::testbed::Testbed;

    #[test]
    fn names_of_a_tree_and_what_head_shares() {
        let bed = Testbed::new();
        bed.commit("src/a.rs", "fn lex() {}\n");
        bed.git(&["branch", "side"]);
        bed.commit("docs/b.md", "about lexing\n");
        let store = bed.store();
        let head = store.head().expect("HEAD").commit.expect("a commit");
        let tree = store.tree_of_commit(&head).expect("its tree");
        let paths = store.paths_of(&tree).expect("paths");
        assert!(
            paths.contains(&"src/a.rs".to_owned()) && paths.contains(&"docs/b.md".to_owned()),
            "{paths:?}"
        );
        let words = ["lex", "parse"].map(str::to_owned);
        let found = store.words_in(&tree, &words).expect("words");
        assert_eq!(found.into_iter().collect::<Vec<_>>(), ["lex"]);
        let parent = store.parent_of(&head).expect("it reads");
        assert_eq!(store.shared_with_head("side").expect("it answers"), parent);
        assert_eq!(store.shared_with_head("@{upstream}").expect("it answers"), None);
        assert_eq!(store.shared_with_upstream().expect("it answers"), None);
        let branch = store.branch().expect("reads").expect("a branch");
        bed.git(&["config", &format!("branch.{branch}.remote"), "."]);
        bed.git(&["config", &format!("branch.{branch}.merge"), "refs/heads/side"]);
        assert_eq!(bed.store().shared_with_upstream().expect("it answers"), parent);
        let landed = store.landed("side..HEAD").expect("a range");
        assert_eq!(landed.len(), 1);
        assert_eq!((&landed[0].commit, &landed[0].tree), (&head, &tree));
        assert!(store.landed("no..where").is_err() && store.landed("--all").is_err());
    }
}
