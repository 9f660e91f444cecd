//! Whether a private index says of what is left out of the work tree what the person's index says
//! of it: kept beside it, so that a look reads neither the person's index nor searches it.
//!
//! The word holds for three files as they were then: the private index, the person's, and the
//! patterns. Each is known by its inode, size and times; the time of an inode's change nobody can
//! set. Of the person's index the checksum counts, too. Whoever writes one of them ends it.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::super::Store;
use super::super::cone::Cone;
use super::super::error::StoreError;
use super::super::index::Plain;
use super::super::left_out::{Skipped, is_unseen};
use super::super::worktree::Changed;
use super::content::identity;
use crate::world::write_whole;

/// What a private index knows of what is left out.
pub(super) enum Left {
    /// As much as the person's: what it never saw is left out, and nothing else that is missing.
    Followed,
    /// What the person's index says of it.
    Read(Rc<Skipped>),
}

impl Left {
    /// Whether what the index knows at `entry` is left out, where it is missing.
    pub(super) fn keeps(&self, index: &Plain, entry: usize) -> bool {
        match self {
            Self::Followed => is_unseen(index, entry),
            Self::Read(skipped) => skipped.keeps(index, entry),
        }
    }
}

/// How a private index stands to the person's, and what that one was like when this was found.
pub(super) struct Following {
    pub(super) left: Left,
    /// Nothing where nothing is left out.
    persons: Option<Persons>,
}

/// What the person's index and the patterns were like.
#[derive(PartialEq)]
struct Persons(String);

impl Store {
    /// How the private index at `index` stands to the person's; `file` tells it from others.
    pub(super) fn following(&self, index: &Path, file: [i64; 6]) -> Result<Following, StoreError> {
        // Before anything of them is read.
        let persons = self.persons();
        let holds = |persons: &Persons, word: PathBuf| {
            fs::read_to_string(word).is_ok_and(|said| said == line(file, persons))
        };
        if let (Some(known), Some(word)) = (&persons, self.word_at(index))
            && holds(known, word)
        {
            return Ok(Following { left: Left::Followed, persons });
        }
        if persons.is_some() {
            // What is in mind is known by less than the word is, and the word stays.
            self.left_out.0.replace(None);
        }
        let skipped = self.skipped()?;
        let persons = persons.filter(|_| !skipped.is_empty());
        Ok(Following { left: Left::Read(skipped), persons })
    }

    /// Whether `plain` follows what is left out. Where its word stood before, it became this by
    /// `changed`, and `unseen` was the sum of what it had never seen.
    pub(super) fn follows(
        &self,
        was: &Following,
        plain: &Plain,
        (changed, unseen): (&[Changed], Option<u64>),
    ) -> bool {
        let inside = |cone: &Cone| changed.iter().all(|one| cone.takes(one.path.as_bytes()));
        match &was.left {
            _ if was.persons.is_none() => false,
            Left::Read(skipped) => skipped.is_followed_by(plain),
            Left::Followed => {
                (changed.is_empty() || matches!(self.cone(), Ok(Some(cone)) if inside(&cone)))
                    && unseen.is_none_or(|unseen| unseen == unseen_in(plain))
            }
        }
    }

    /// Keeps that the index which `file` tells from others follows. It is nobody's loss where this
    /// cannot be kept: the next look compares again.
    pub(super) fn keep_followed(&self, index: &Path, file: [i64; 6], was: &Following) {
        let (Some(persons), Some(word)) = (&was.persons, self.word_at(index)) else { return };
        if self.persons().as_ref() == Some(persons) {
            let _ = write_whole(&word, line(file, persons).as_bytes());
            self.forget_worktrees_that_went();
        }
    }

    /// Takes out the words of worktrees that are gone. One that stays says nothing of any index.
    fn forget_worktrees_that_went(&self) {
        let words = std::fs::read_dir(self.seed_dir().join("left-out"));
        for word in words.into_iter().flatten().flatten() {
            let name = word.file_name();
            let linked = if name == "main~linked" { "main".into() } else { name.clone() };
            let there = self.common_dir.join("worktrees").join(linked).is_dir();
            if name != "main" && !there && name != self.worktree_name().as_str() {
                let _ = std::fs::remove_file(word.path());
            }
        }
    }

    /// Where the word stands of one of the fence's own indexes; drafts of them have none.
    fn word_at(&self, index: &Path) -> Option<PathBuf> {
        let seed = self.seed_dir();
        let is_own = index.parent() == Some(seed.join("index").as_path());
        is_own.then(|| seed.join("left-out").join(index.file_name().unwrap_or_default()))
    }

    /// `None` where nothing is left out, or where one of them does not read.
    fn persons(&self) -> Option<Persons> {
        if self.repo.config_snapshot().boolean("core.sparseCheckout") != Some(true) {
            return None;
        }
        let mut index = File::open(self.git_dir.join("index")).ok()?;
        let data = index.metadata().ok()?;
        let length = self.repo.object_hash().len_in_bytes();
        index.seek(SeekFrom::End(-i64::try_from(length).ok()?)).ok()?;
        let mut checksum = vec![0; length];
        index.read_exact(&mut checksum).ok()?;
        // Some indexes are written without one (`index.skipHash`): times alone tell too little.
        checksum.iter().any(|byte| *byte != 0).then_some(())?;
        let patterns = self.git_dir.join("info").join("sparse-checkout").metadata().ok()?;
        Some(Persons(format!("{:?} {checksum:?} {:?}", identity(&data), identity(&patterns))))
    }
}

/// A sum over the names of files that an index never saw: which they are, and not how many alone.
pub(super) fn unseen_in(plain: &Plain) -> u64 {
    let mut sum = DefaultHasher::new();
    let unseen = (0..plain.len()).filter(|entry| is_unseen(plain, *entry));
    unseen.for_each(|entry| plain.name(entry).hash(&mut sum));
    sum.finish()
}

fn line(file: [i64; 6], persons: &Persons) -> String {
    format!("{file:?} {}\n", persons.0)
}
