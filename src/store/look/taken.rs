//! The work tree is taken into a private index: read once, worked on in memory, written once.

use std::path::Path;

use super::super::own::Own;
use super::super::pins::Lens;
use super::super::worktree::BuildDir;
use super::super::{Store, TreeId};
use super::content::{Kept, identity};
use super::followed::{Left, unseen_in};
use super::take::Dated;
use super::trees::{Cached, Missing};

/// What becomes of the file of an index that was taken.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Index {
    Moves,
    Stays,
}

impl Store {
    /// Has the private index know the work tree as it is, and gives its tree: the file is read
    /// once, and written once where it changes. `None`, and nothing changed, where git has to say.
    pub(in crate::store) fn taken(
        &self,
        index: &Path,
        lens: &Lens,
        is_build: BuildDir<'_>,
    ) -> Option<TreeId> {
        self.taken_as(index, lens, is_build, Index::Moves)
    }

    /// The same of an index that stays as it is.
    pub(in crate::store) fn taken_beside(
        &self,
        index: &Path,
        lens: &Lens,
        is_build: BuildDir<'_>,
    ) -> Option<TreeId> {
        self.taken_as(index, lens, is_build, Index::Stays)
    }

    fn taken_as(
        &self,
        index: &Path,
        lens: &Lens,
        is_build: BuildDir<'_>,
        file: Index,
    ) -> Option<TreeId> {
        let (mut kept, mut plain) = Kept::read(self, index)?;
        let was = self.following(index, kept.identity).ok()?;
        if let Left::Read(skipped) = &was.left
            && !self.differing_in(&plain, skipped).is_empty()
        {
            return None;
        }
        let seen = self.look_beside(&mut kept, &plain, lens, is_build, &was.left)?;
        let changed = self.without_free(index, lens, seen, is_build).ok()?;
        let (kept_as, follows) = (kept.identity, matches!(was.left, Left::Followed));
        let writes = kept.moment().is_some() || !changed.is_empty();
        let unseen = (follows && writes).then(|| unseen_in(&plain));
        let mut differs = kept.settle(&mut plain) || kept.moment().is_some();
        let time = kept.moment().unwrap_or(kept.modified);
        let mut dated = Dated { trees: Cached::of(&plain), plain, time };
        let mut own = kept.into_draft();
        if !changed.is_empty() {
            let draft = own.take().or_else(|| Own::beside(self, index).ok())?;
            let Some(taken) = self.taken_in(&dated, draft.now().ok()?, lens, &changed) else {
                // What was read for nothing is not read again by whoever asks git.
                if differs && file == Index::Moves {
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
        if file == Index::Stays {
            return Some(tree);
        }
        // Whoever follows already, and is not written, has its word.
        let follows = (differs || !follows) && self.follows(&was, &dated.plain, (&changed, unseen));
        let file = if differs {
            let own = own.or_else(|| Own::beside(self, index).ok())?;
            self.put_in_place(index, &own, dated)?
        } else {
            kept_as
        };
        if follows {
            self.keep_followed(index, file, &was);
        }
        Some(tree)
    }

    /// The index becomes what is in memory; tells which file that is, or was where another one has
    /// come in its place meanwhile.
    fn put_in_place(&self, index: &Path, own: &Own, dated: Dated) -> Option<[i64; 6]> {
        let time = dated.time;
        own.write(&dated.bytes(self)?, time).ok()?;
        let written = identity(&own.index.metadata().ok()?);
        own.put(index).ok()?;
        // The change of its place counts as a change of the inode.
        let now = identity(&index.metadata().ok()?);
        Some(if now[..4] == written[..4] { now } else { written })
    }
}
