//! The work tree is taken into a private index: read once, worked on in memory, written once.

use std::path::Path;

use super::super::own::Own;
use super::super::pins::Lens;
use super::super::worktree::BuildDir;
use super::super::{Store, TreeId};
use super::content::Kept;
use super::take::Dated;
use super::trees::{Cached, Missing};

impl Store {
    /// Has the private index know the work tree as it is, and gives its tree: the file is read
    /// once, and written once where it changes. `None`, and nothing changed, where git has to say.
    pub(in crate::store) fn taken(
        &self,
        index: &Path,
        lens: &Lens,
        is_build: BuildDir<'_>,
    ) -> Option<TreeId> {
        let skipped = self.skipped().ok()?;
        let (mut kept, mut plain) = Kept::read(self, index)?;
        if !self.differing_in(&plain, &skipped).is_empty() {
            return None;
        }
        let seen = self.look_beside(&mut kept, &plain, lens, is_build, &skipped)?;
        let changed = self.without_free(index, lens, seen, is_build).ok()?;
        let mut differs = kept.settle(&mut plain) || kept.moment().is_some();
        let time = kept.moment().unwrap_or(kept.modified);
        let mut dated = Dated { trees: Cached::of(&plain), plain, time };
        let mut own = kept.into_draft();
        if !changed.is_empty() {
            let draft = own.take().or_else(|| Own::beside(self, index).ok())?;
            let Some(taken) = self.taken_in(&dated, draft.now().ok()?, lens, &changed) else {
                // What was read for nothing is not read again by whoever asks git.
                if differs {
                    draft.write(&dated.bytes(self)?, time).ok()?;
                    draft.put(index).ok()?;
                }
                return None;
            };
            (dated, own, differs) = (taken, Some(draft), true);
        }
        if !self.has_trees(&dated.trees, dated.plain.len()) {
            if self.syncs_all_objects() {
                return None;
            }
            dated.trees = self.trees(&dated.plain, dated.trees, Missing::Written)?;
            differs = true;
        }
        let tree = (*dated.trees.top()?).into();
        if differs {
            let own = own.or_else(|| Own::beside(self, index).ok())?;
            let time = dated.time;
            own.write(&dated.bytes(self)?, time).ok()?;
            own.put(index).ok()?;
        }
        Some(tree)
    }
}
