//! Refs that travel in a branch, for servers that take nothing else: what the file of such a branch
//! names, and reading chains by it where nobody wrote refs for them.

use std::collections::BTreeMap;

use super::chain::Tip;
use super::{CommitId, Store, StoreError};
use crate::format::{names, sync};

impl Store {
    /// The refs that a commit of the branch names; `None` where it is not one that git seed made:
    /// one file, and a ref on each line of it.
    pub(crate) fn carried(
        &self,
        tip: &Tip,
    ) -> Result<Option<BTreeMap<String, CommitId>>, StoreError> {
        let files = self.new_files(None, &tip.tree)?;
        let [file] = files.as_slice() else { return Ok(None) };
        if !file.plain || file.path.as_str() != sync::REFS {
            return Ok(None);
        }
        let text = self.file(tip, sync::REFS)?.unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let read = sync::read_refs(&text);
        if read.len() != text.lines().count() {
            return Ok(None);
        }
        Ok(Some(read.into_iter().filter_map(|(name, id)| Some((name, id.parse().ok()?))).collect()))
    }

    /// From here on chains and notes are read as the last fetch from `remote` left them: below
    /// `refs/seed-remote`, or in the branch of that remote where that has all of these and so is
    /// not the older one. No chain takes a step.
    pub(crate) fn read_what_came(&mut self, remote: &str) -> Result<(), StoreError> {
        let carried = self.newer_in_branch(remote)?;
        self.read_fetched(remote);
        self.carried = carried;
        Ok(())
    }

    fn newer_in_branch(
        &self,
        remote: &str,
    ) -> Result<Option<BTreeMap<String, CommitId>>, StoreError> {
        let Some(tip) = self.tip(&names::fetched_branch(remote))? else { return Ok(None) };
        let Some(mut carried) = self.carried(&tip)? else { return Ok(None) };
        let below = names::fetched(remote, "refs/seed/");
        let mut copies = Vec::new();
        for (name, copy) in self.chains(&below)? {
            let rest = name.strip_prefix(&below).unwrap_or_default();
            let is_copy = rest == "notes" || names::travels(&format!("refs/seed/{rest}"));
            // Texts never travel in a branch.
            if is_copy && name != names::fetched(remote, names::TEXTS) {
                copies.push(copy);
            }
        }
        if !copies.is_empty() && !self.tips_outside(&copies, Some(&tip.commit))?.is_empty() {
            return Ok(None);
        }
        // A branch that was fetched in part names what is not here.
        carried.retain(|_, id| self.has_commit(id.as_str()));
        Ok(Some(carried))
    }
}
