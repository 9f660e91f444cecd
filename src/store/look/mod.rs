//! The fence's look in process: what differs between a private index and the work tree, without
//! a child.
//!
//! The answer is git's, or there is none and git is asked. An entry is trusted as git trusts it:
//! times of file and inode, owner, inode number, size and mode are those that it knows, and its
//! inode changed before the moment that the index bears as its own time. Here that is the moment
//! right before the look that the index keeps, not the one when it was written, and fractions of
//! a second count: a file that was rewritten with the same size within the same second, and dated
//! back, is seen. Any other entry is settled by its content, once: what was found is written into
//! the index, which takes the old one's place whole.
//!
//! # What goes to git
//!
//! * An index that is not plain: of version 3 or 4, split or sparse, with conflicts, intent to
//!   add, assume-unchanged or skip-worktree marks. (An untracked cache or a file system monitor
//!   in it is not listened to.)
//! * Rules that are not pinned, or that a changed `.gitignore` made wider in this cycle.
//! * Pinned settings `core.ignoreCase`, `core.precomposeUnicode`, and `core.symlinks` where it is
//!   off; patterns with more than two dozen stars.
//! * A link where the index has a directory; a directory that does not read; a name that no
//!   index can hold; a file of 4 GiB or more.
//! * A repository inside this one that the index does not know, and a known one whose HEAD is
//!   not where the index has it.
//! * A file of which only the content can tell, where attributes could convert it: see
//!   [`attributes`].
//! * Systems where files have no inode numbers.
//!
//! Budget: at most one `git status` of the same tree (SPEC §8); `bench/whole.rs` prints it.

#[cfg(unix)]
mod attributes;
#[cfg(unix)]
mod content;
pub(super) mod excludes;
#[cfg(unix)]
mod followed;
#[cfg(unix)]
mod stage;
#[cfg(unix)]
mod take;
#[cfg(unix)]
mod taken;
#[cfg(unix)]
mod trees;
#[cfg(unix)]
mod walk;

#[cfg(unix)]
use std::collections::BTreeMap;
use std::path::Path;

use super::pins::Lens;
#[cfg(unix)]
use super::worktree::ChangeKind;
#[cfg(not(unix))]
use super::worktree::Changed;
use super::worktree::{BuildDir, Seen};
use super::{RepoPath, Store, TreeId};

/// The person's index as it was when a commit was begun from it.
pub(in crate::store) type Replaced = [i64; 6];

/// A commit that was prepared here.
pub(in crate::store) struct InProcess {
    pub(in crate::store) tree: TreeId,
    /// The index of the commit may take the place of the person's, while that is this file.
    pub(in crate::store) replaces: Option<Replaced>,
}

#[cfg(not(unix))]
impl Store {
    /// Nothing is known without git here.
    pub(super) fn look(&self, _: &Path, _: &Lens, _: BuildDir<'_>) -> Option<Seen> {
        None
    }

    /// Nothing is taken in without git.
    pub(super) fn take_in(&self, _: &Path, _: &Lens, _: &[Changed]) -> Option<()> {
        None
    }

    /// Nothing is caught up with without git.
    pub(super) fn caught_up(&self, _: &Path, _: &Lens, _: &[Changed]) -> Option<()> {
        None
    }

    /// Nothing is taken without git.
    pub(super) fn taken(&self, _: &Path, _: &Lens, _: BuildDir<'_>) -> Option<TreeId> {
        None
    }

    /// Nothing is staged without git.
    pub(super) fn stage_in(&self, _: &Path, _: &TreeId, _: &[RepoPath]) -> Option<InProcess> {
        None
    }

    /// No index takes another one's place.
    pub(super) fn replace_index(&self, _: &Path, _: &TreeId, _: Replaced) -> bool {
        false
    }

    /// And none leaves a lock.
    pub(super) fn unlock_staged_in(
        &self,
        _: impl Iterator<Item = std::path::PathBuf>,
    ) -> std::io::Result<()> {
        Ok(())
    }

    /// No tree is written without git.
    pub(super) fn tree_from(&self, _: &Path) -> Option<TreeId> {
        None
    }
}

#[cfg(unix)]
impl Store {
    /// What differs between the private index and the work tree; `None` where git has to say.
    ///
    /// The index is written anew where entries had to be settled by their content.
    pub(super) fn look(&self, index: &Path, lens: &Lens, is_build: BuildDir<'_>) -> Option<Seen> {
        let (mut kept, before) = content::Kept::read(self, index)?;
        let was = self.following(index, kept.identity).ok()?;
        let seen = self.look_beside(&mut kept, &before, lens, is_build, &was.left)?;
        let read = matches!(was.left, followed::Left::Read(_));
        if read && self.follows(&was, &before, (&[], None)) {
            // One that is written below is another file, of which this says nothing.
            self.keep_followed(index, kept.identity, &was);
        }
        kept.write(self, index, before);
        Some(seen)
    }

    /// The same, and nothing is written: `kept` has what was settled.
    fn look_beside(
        &self,
        kept: &mut content::Kept,
        before: &super::index::Plain,
        lens: &Lens,
        is_build: BuildDir<'_>,
        left: &followed::Left,
    ) -> Option<Seen> {
        let modes = modes(lens)?;
        let excludes = excludes::Excludes::of(lens.patterns.as_ref()?)?;
        let ground = walk::Ground { index: before, excludes: &excludes, trusted: kept.time, modes };
        let mut found = walk::walk(&self.work_tree, &ground)?;
        let dirs = std::mem::take(&mut found.dirs);
        let below = |dir: &RepoPath| is_build(&super::worktree::below_it(dir)).is_some();
        let (mut builds, mut others): (Vec<_>, Vec<_>) = dirs.into_iter().partition(below);
        builds.retain(|dir| {
            walk::holds_anything(&self.work_tree, &ground, dir).is_none_or(|holds| holds)
        });
        // One in a file's place is told whatever lies in it.
        for (dir, hidden) in std::mem::take(&mut found.replaced) {
            if below(&dir) && self.is_plain_directory(&dir) {
                builds.push(dir);
            } else if !hidden {
                others.push(dir);
            }
        }
        walk::look_into(&self.work_tree, &ground, others, &mut found)?;
        let doubted = std::mem::take(&mut found.doubted);
        if !doubted.is_empty() {
            kept.tell(self, lens, &ground, doubted, &mut found)?;
        }
        for entry in std::mem::take(&mut found.inner) {
            self.stands_where(before.name(entry), before.id(entry))?;
        }
        // What is left out of the work tree was deleted by nobody.
        found.gone.retain(|entry| !left.keeps(before, *entry));
        let path = |entry: usize| RepoPath::new(before.name(entry)).ok();
        let mut changed = BTreeMap::new();
        for (entries, kind) in
            [(&found.modified, ChangeKind::Modified), (&found.gone, ChangeKind::Deleted)]
        {
            for entry in entries {
                changed.insert(path(*entry)?, kind);
            }
        }
        changed.extend(found.added.into_iter().map(|path| (path, ChangeKind::Added)));
        Some(Seen { changed, builds })
    }

    /// That the repository at `path` stands at the commit `id`, or is not there at all.
    fn stands_where(&self, path: &[u8], id: &[u8]) -> Option<()> {
        let path = RepoPath::new(path).ok()?;
        let dir = path.below(&self.work_tree).ok()?;
        if dir.join(".git").symlink_metadata().is_err() {
            return Some(());
        }
        let wanted = gix::ObjectId::try_from(id).ok()?.to_string();
        (self.inner_head(&path)? == wanted).then_some(())
    }
}

/// Whether the executable bit of files counts; `None` where settings or rules are git's.
#[cfg(unix)]
fn modes(lens: &Lens) -> Option<bool> {
    let off = |name: &str| lens.setting(name).is_none_or(|value| value == "false");
    let links = lens.setting("core.symlinks").is_none_or(|value| value == "true");
    if lens.loose || !links || !off("core.ignorecase") || !off("core.precomposeunicode") {
        return None;
    }
    match lens.setting("core.filemode")? {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

#[cfg(all(test, unix))]
mod tests;
