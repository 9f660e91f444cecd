//! Focus: which chain this worktree works on.
//!
//! A symbolic ref `refs/worktree/seed/focus` to a shared ref. Symbolic only: objects
//! that only a worktree's own ref holds are lost when gc runs in another worktree.
//! It is never set to a chain that is not there, and a chain in focus is not deleted.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use gix::refs::Target;
use gix::refs::transaction::{Change, LogChange, PreviousValue, RefEdit};

use super::chain::{Tip, full_name};
use super::error::StoreError;
use super::{Store, worktree_name};
use crate::format::names::FOCUS;
use crate::world::read_plain;

impl Store {
    /// The chain in focus and where it stands.
    ///
    /// # Errors
    ///
    /// [`StoreError::Missing`] names a chain that is in focus and gone.
    pub(crate) fn focused(&self) -> Result<Option<(String, Tip)>, StoreError> {
        let Some(chain) = self.focus_name()? else { return Ok(None) };
        match self.tip(&chain)? {
            Some(tip) => Ok(Some((chain, tip))),
            None => Err(dangling(&chain)),
        }
    }

    /// The full name of the chain in focus, which exists.
    pub(crate) fn focus(&self) -> Result<Option<String>, StoreError> {
        let Some(chain) = self.focus_name()? else { return Ok(None) };
        match self.ref_target(&chain)? {
            Some(_) => Ok(Some(chain)),
            None => Err(dangling(&chain)),
        }
    }

    pub(super) fn focus_name(&self) -> Result<Option<String>, StoreError> {
        match self.target(FOCUS)? {
            None => Ok(None),
            Some(Target::Symbolic(chain)) => Ok(Some(chain.as_bstr().to_string())),
            Some(Target::Object(_)) => {
                Err(StoreError::odd(FOCUS.to_owned(), "it is not a symbolic ref"))
            }
        }
    }

    /// Turns this worktree to `chain`, which must exist.
    pub(crate) fn set_focus(&self, chain: &str) -> Result<(), StoreError> {
        if self.ref_target(chain)?.is_none() {
            return Err(StoreError::missing(chain.to_owned()));
        }
        let change = Change::Update {
            log: LogChange::default(),
            expected: PreviousValue::Any,
            new: Target::Symbolic(full_name(chain)?),
        };
        self.edit_ref(FOCUS, &RefEdit::new(full_name(FOCUS)?, change), 0)
    }

    /// Turns this worktree to nothing.
    pub(crate) fn clear_focus(&self) -> Result<(), StoreError> {
        self.edit_ref(FOCUS, &RefEdit::delete(full_name(FOCUS)?, PreviousValue::Any), 0)
    }

    /// The name of another worktree that has `chain` in focus.
    pub(crate) fn focus_elsewhere(&self, chain: &str) -> Result<Option<String>, StoreError> {
        self.first_focused(chain, |git_dir| git_dir != self.git_dir)
    }

    /// The name of any worktree that has `chain` in focus.
    pub(super) fn focused_by(&self, chain: &str) -> Result<Option<String>, StoreError> {
        self.first_focused(chain, |_| true)
    }

    /// The worktree that has `chain` in focus.
    pub(crate) fn focus_of(&self, chain: &str) -> Result<Option<String>, StoreError> {
        self.focused_by(chain)
    }

    fn first_focused(
        &self,
        chain: &str,
        asked: impl Fn(&Path) -> bool,
    ) -> Result<Option<String>, StoreError> {
        for git_dir in self.live_git_dirs()?.into_iter().filter(|git_dir| asked(git_dir)) {
            if symref(&git_dir.join(FOCUS))?.as_deref() == Some(chain) {
                return Ok(Some(worktree_name(&git_dir, &self.common_dir)));
            }
        }
        Ok(None)
    }

    /// Every chain that a worktree has in focus.
    pub(super) fn every_focus(&self) -> io::Result<BTreeSet<String>> {
        let dirs = self.live_git_dirs()?;
        let found: io::Result<Vec<_>> = dirs.iter().map(|dir| symref(&dir.join(FOCUS))).collect();
        Ok(found?.into_iter().flatten().collect())
    }

    /// What each worktree has in focus, by the worktree's name.
    pub(super) fn each_focus(&self) -> io::Result<Vec<(String, String)>> {
        let mut found = Vec::new();
        for dir in self.live_git_dirs()? {
            let chain = symref(&dir.join(FOCUS))?;
            found.extend(chain.map(|chain| (worktree_name(&dir, &self.common_dir), chain)));
        }
        Ok(found)
    }

    /// Whether a worktree has the branch of this full name checked out.
    pub(super) fn is_checked_out(&self, name: &str) -> io::Result<bool> {
        for dir in self.live_git_dirs()? {
            if symref(&dir.join("HEAD"))?.as_deref() == Some(name) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Where the worktree `name` lies, if it is there.
    pub(crate) fn worktree_dir(&self, name: &str) -> Result<Option<PathBuf>, StoreError> {
        let named = |git_dir: &PathBuf| worktree_name(git_dir, &self.common_dir) == name;
        Ok(self.live_git_dirs()?.into_iter().find(named).and_then(|git_dir| work_tree_of(&git_dir)))
    }

    /// Where the worktrees of this repository lie, the main one first.
    pub(crate) fn worktrees(&self) -> Result<Vec<PathBuf>, StoreError> {
        Ok(self.live_git_dirs()?.iter().filter_map(|git_dir| work_tree_of(git_dir)).collect())
    }

    /// Where git looks for this linked worktree in vain: somebody moved it by hand.
    pub(crate) fn is_looked_for(&self) -> Option<PathBuf> {
        if self.git_dir == self.common_dir || is_live(&self.git_dir) {
            return None;
        }
        let points_back = text_of(&self.git_dir.join("gitdir")).ok()?;
        let dot_git = self.git_dir.join(points_back.trim_end());
        dot_git.parent().map(Path::to_owned)
    }

    /// The git directories of the main worktree and of every linked one that still is.
    fn live_git_dirs(&self) -> io::Result<Vec<PathBuf>> {
        let mut dirs = vec![self.common_dir.clone()];
        let linked = match fs::read_dir(self.common_dir.join("worktrees")) {
            Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok(dirs),
            linked => linked?,
        };
        for entry in linked {
            let dir = entry?.path();
            // One that was moved by hand is here, whatever git believes.
            if is_live(&dir) || dir == self.git_dir {
                dirs.push(dir);
            }
        }
        Ok(dirs)
    }
}

/// A linked worktree is gone when its directory is, unless it is locked because it
/// lives on a disk that comes and goes.
fn is_live(git_dir: &Path) -> bool {
    let points_back = text_of(&git_dir.join("gitdir"));
    let there = points_back.is_ok_and(|dot_git| git_dir.join(dot_git.trim_end()).exists());
    there || git_dir.join("locked").exists()
}

/// The directory that a worktree's git directory belongs to, if it is there.
fn work_tree_of(git_dir: &Path) -> Option<PathBuf> {
    let dot_git = match text_of(&git_dir.join("gitdir")) {
        Ok(path) => git_dir.join(path.trim_end()),
        Err(_) => git_dir.to_owned(),
    };
    dot_git.parent().map(Path::to_owned).filter(|dir| dir.is_dir())
}

/// Symbolic refs are always loose files, so reading one needs no repository.
fn symref(file: &Path) -> io::Result<Option<String>> {
    match text_of(file) {
        Ok(text) => Ok(text.strip_prefix("ref:").map(|name| name.trim().to_owned())),
        Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(err) => Err(err),
    }
}

fn dangling(chain: &str) -> StoreError {
    StoreError::missing(format!("{FOCUS}: the job in focus, {chain},"))
}

fn text_of(file: &Path) -> io::Result<String> {
    String::from_utf8(read_plain(file)?).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::testbed::Testbed;
    use crate::store::{CommitId, TreeEdit};

    const JOB: &str = "refs/seed/jobs/j";

    fn open(store: &Store, chain: &str) -> CommitId {
        let edit = TreeEdit::Put { path: "job.toml".to_owned(), bytes: chain.as_bytes().to_vec() };
        store.append(chain, None, &[edit], "open", 1_790_000_000).expect("opens")
    }

    #[test]
    fn focus_is_set_moved_and_cleared_even_before_the_first_commit() {
        for format in ["sha1", "sha256"] {
            let bed = Testbed::with_format(format);
            let store = bed.store();
            assert_eq!(store.focus().expect("reads"), None);
            for chain in [JOB, "refs/seed/jobs/k"] {
                let commit = open(&store, chain);
                store.set_focus(chain).expect("turns");
                assert_eq!(store.focus().expect("reads").as_deref(), Some(chain));
                let (name, tip) = bed.store().focused().expect("reads").expect("is there");
                assert_eq!((name.as_str(), tip.commit), (chain, commit));
                assert_eq!(bed.git(&["symbolic-ref", FOCUS]), chain);
            }
            store.clear_focus().expect("turns away");
            store.clear_focus().expect("is away already");
            assert_eq!(store.focus().expect("reads"), None);
            bed.is_sound();
        }
    }

    #[test]
    fn each_worktree_has_its_own_focus() {
        let bed = Testbed::new();
        bed.commit("a", "1");
        let linked = bed.linked("side");
        let (main, side) = (bed.store(), Store::discover(&linked).expect("opens"));
        open(&main, JOB);
        side.set_focus(JOB).expect("turns");
        assert_eq!(main.focus().expect("reads"), None);
        assert_eq!(side.focus().expect("reads").as_deref(), Some(JOB));
        assert_eq!(main.focus_elsewhere(JOB).expect("looks").as_deref(), Some("side"));
        assert_eq!(side.focus_elsewhere(JOB).expect("looks"), None);
        main.set_focus(JOB).expect("turns");
        assert_eq!(side.focus_elsewhere(JOB).expect("looks").as_deref(), Some("main"));
        main.clear_focus().expect("turns away");
        std::fs::remove_dir_all(linked).expect("ours");
        assert_eq!(main.focus_elsewhere(JOB).expect("looks"), None, "the worktree is gone");
    }

    #[test]
    fn focus_never_dangles_by_our_hand_and_is_named_if_it_does() {
        let bed = Testbed::new();
        let store = bed.store();
        assert!(matches!(store.set_focus(JOB), Err(StoreError::Missing { .. })));
        let commit = open(&store, JOB);
        store.set_focus(JOB).expect("turns");
        assert!(matches!(store.delete_chain(JOB, &commit), Err(StoreError::Focused { .. })));
        bed.git(&["update-ref", "-d", JOB]);
        let said = bed.store().focused().expect_err("it is gone").to_string();
        assert!(said.contains(JOB) && said.contains("git seed doctor --fix"), "{said}");
        assert!(matches!(bed.store().focus(), Err(StoreError::Missing { .. })));
    }
}
