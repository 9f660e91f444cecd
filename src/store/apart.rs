//! What one history has and another has not.
//!
//! Listing them asks no child: what is open to an agent's call may depend on it.

use gix::revision::walk::Sorting;
use gix::traverse::commit::simple::CommitTimeOrder;

use super::{ChangeId, CommitId, Store, StoreError, TreeId};
use crate::claims::audit::Content;

/// A commit that only one of two histories has.
#[derive(Clone, Debug)]
pub(crate) struct Apart {
    pub commit: CommitId,
    pub parent: Option<CommitId>,
    pub message: String,
}

impl Store {
    /// The commits that can be reached from `tip` and not from `other`, a child before its parent,
    /// the newest `most`.
    pub(crate) fn apart(
        &self,
        tip: &CommitId,
        other: &CommitId,
        most: usize,
    ) -> Result<Vec<Apart>, StoreError> {
        let walk = self
            .repo
            .rev_walk([tip.object()?])
            .sorting(Sorting::ByCommitTime(CommitTimeOrder::NewestFirst))
            .with_hidden([other.object()?]);
        let mut found = Vec::new();
        let all = walk.all().map_err(|err| StoreError::unreadable(tip.to_string(), &err))?;
        for step in all.take(most) {
            let id = step.map_err(|err| StoreError::unreadable(tip.to_string(), &err))?.id;
            let commit = self.commit_object(id, "a commit of the branch")?;
            let message = commit
                .message_raw()
                .map_err(|err| StoreError::unreadable(tip.to_string(), &err))?
                .to_string();
            let parent = commit.parent_ids().next().map(|parent| parent.detach().into());
            found.push(Apart { commit: id.into(), parent, message });
        }
        Ok(found)
    }

    /// The two commits make the same change, on different ground or to the same tree; by which. A
    /// tree that is the same on other ground takes back what came between.
    pub(crate) fn says_the_same(
        &self,
        a: &CommitId,
        b: &CommitId,
    ) -> Result<Option<Content>, StoreError> {
        let same_tree = self.tree_of_commit(a)? == self.tree_of_commit(b)?;
        let by = if same_tree { Content::Tree } else { Content::PatchId };
        let (ground, other) = (self.tree_before(a)?, self.tree_before(b)?);
        if same_tree && ground.is_some() && ground == other {
            return Ok(Some(by));
        }
        let (a, b) = (self.patch_id(a)?, self.patch_id(b)?);
        Ok((!a.is_empty() && a == b).then_some(by))
    }

    /// The tree that a commit changed, by its first parent; `None` where a shallow clone has it
    /// not.
    pub(crate) fn tree_before(&self, commit: &CommitId) -> Result<Option<TreeId>, StoreError> {
        match self.parent_of(commit)? {
            None => Ok(Some(self.no_tree())),
            Some(parent) if self.has_object(parent.as_str()) => {
                self.tree_of_commit(&parent).map(Some)
            }
            Some(_) => Ok(None),
        }
    }

    /// What a commit changes; nothing where it changes nothing, or is a merge.
    fn patch_id(&self, commit: &CommitId) -> Result<ChangeId, StoreError> {
        if self.as_written(commit)?.parents.len() > 1 {
            return Ok(ChangeId::default());
        }
        let told = self.patch_ids(std::slice::from_ref(commit), &[])?;
        Ok(told.into_iter().next().map(|(_, change)| change).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use crate::store::testbed::Testbed;

    #[test]
    fn each_side_has_its_own_commits_newest_first() {
        let bed = Testbed::new();
        let root = bed.commit("a", "1");
        let (one, two) = (bed.commit("b", "1"), bed.commit("c", "1"));
        bed.git(&["checkout", "-q", "-b", "side", root.as_str()]);
        let three = bed.commit("d", "1");
        let store = bed.store();
        let ids = |tip, other| -> Vec<_> {
            let apart = store.apart(tip, other, usize::MAX).expect("walks");
            apart.into_iter().map(|one| (one.commit, one.parent)).collect()
        };
        assert_eq!(
            ids(&two, &three),
            [(two.clone(), Some(one.clone())), (one, Some(root.clone()))]
        );
        assert_eq!(ids(&three, &two), [(three.clone(), Some(root.clone()))]);
        assert!(ids(&root, &two).is_empty());
    }
}
