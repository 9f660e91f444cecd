//! A look at a repository in which nothing can be stored, as in an agent's sandbox or on a file
//! system that is read-only: what it makes to see the work tree goes into a scratch directory.
//!
//! That directory borrows the objects of the repository, and holds what is new with a copy of the
//! private indexes. No ref may ever name what lies there, so nobody takes the lock meanwhile.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::elsewhere::{Elsewhere, is_denied, may_change};
use super::own::copy_with_times;
use super::{SEED_DIR, Store, seed_dir_of};
use crate::world::{Scratch, Whole, open_plain};

impl Store {
    /// From here on what a look makes lies elsewhere, where nothing can be stored here.
    pub(crate) fn look_from_elsewhere(&mut self) {
        if let Some(refused) = self.refuses_to_store() {
            // Without a place for it a look fails where it needs one, as before.
            let scratch = self.borrowed().ok();
            self.elsewhere = Some(Elsewhere { scratch, refused });
        }
    }

    /// Nothing can be stored here, and whoever looks keeps nothing.
    pub(crate) fn is_closed(&self) -> bool {
        self.elsewhere.is_some()
    }

    fn scratch(&self) -> Option<&Path> {
        Some(self.elsewhere.as_ref()?.scratch.as_ref()?.dir())
    }

    /// What the system says where this process would store an object, or a file of git seed's.
    pub(super) fn refuses_to_store(&self) -> Option<io::Error> {
        let seed = self.common_dir.join(SEED_DIR);
        let mut lock = fs::OpenOptions::new();
        let own = match open_plain(lock.read(true).write(true), &seed.join("lock")) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => may_change(&seed),
            opened => opened.map(drop),
        };
        let objects = || may_change(&self.common_dir.join("objects"));
        own.and_then(|()| objects()).err().filter(is_denied)
    }

    /// A scratch directory whose objects are those of this repository and what is written there.
    fn borrowed(&mut self) -> io::Result<Scratch> {
        let scratch = Scratch::outside_of(&[self.work_tree.clone(), self.common_dir.clone()])?;
        let objects = scratch.dir().join("objects");
        let lender = std::path::absolute(self.repo.objects.store_ref().path())?;
        let lender = lender.to_str().filter(|path| !path.contains('\n'));
        let lender = lender.ok_or_else(|| io::Error::other("its name is no plain text"))?;
        let alternates = objects.join("info/alternates");
        Whole::private().unsynced().write(&alternates, format!("{lender}\n").as_bytes())?;
        let store = self.repo.objects.store_ref();
        let options = gix::odb::store::init::Options {
            use_multi_pack_index: store.use_multi_pack_index(),
            loose_compression: self.repo.objects.loose_compression,
            ..gix::odb::store::init::Options::default()
        };
        let hash = self.repo.object_hash();
        let mut handle = gix::odb::at_opts(&objects, hash, None, options)?.into_inner();
        handle.ignore_replacements = self.repo.objects.ignore_replacements;
        **self.repo.objects = handle;
        self.told.push(("GIT_OBJECT_DIRECTORY", objects.into_os_string()));
        Ok(scratch)
    }

    /// Refuses in the system's words where nothing can be stored here.
    pub(super) fn may_be_changed(&self) -> io::Result<()> {
        self.elsewhere.as_ref().map_or(Ok(()), |elsewhere| Err(elsewhere.refusal()))
    }

    /// Where files of git seed's own are kept for what is seen of the work tree.
    pub(super) fn kept_dir(&self) -> PathBuf {
        self.scratch().map_or_else(|| self.seed_dir(), Path::to_owned)
    }

    /// The directory in which drafts are made.
    pub(super) fn drafts(&self) -> io::Result<PathBuf> {
        self.scratch().map_or_else(|| seed_dir_of(self), |dir| Ok(dir.to_owned()))
    }

    /// The private index of this worktree for `what`; a copy of it, where a look has its own place.
    pub(crate) fn private_index(&self, what: &str) -> PathBuf {
        let index = |dir: &Path| dir.join(what).join(self.worktree_name());
        let real = index(&self.seed_dir());
        let Some(scratch) = self.scratch() else { return real };
        let own = index(scratch);
        if !own.exists() {
            // One that does not read begins anew.
            let made = own.parent().map_or(Ok(()), fs::create_dir_all);
            let _ = made.and_then(|()| copy_with_times(&real, &own));
        }
        own
    }
}
