//! What only our refs held goes with them.
//!
//! A prompt would else lie in the repository until git's gc finds it. What anything else of git's
//! names stays: refs, reflogs, indexes, an interrupted merge or rebase. So do the person's own
//! commits and trees that we pinned, and what a gc has put into a pack of git's.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs;
use std::path::Path;

use gix::ObjectId;

use super::{Store, StoreError, Walk};

/// Files of a git directory that name commits and are no refs, and directories of such files.
const NAMED: [&str; 11] = [
    "AUTO_MERGE",
    "BISECT_HEAD",
    "CHERRY_PICK_HEAD",
    "FETCH_HEAD",
    "MERGE_AUTOSTASH",
    "MERGE_HEAD",
    "ORIG_HEAD",
    "REBASE_HEAD",
    "REVERT_HEAD",
    "rebase-apply",
    "rebase-merge",
];

/// The objects that our refs held, before they went.
pub(crate) struct Ours(HashSet<ObjectId>);

impl Ours {
    /// Their ids, to be read again with [`Ours::named`].
    pub(crate) fn names(&self) -> Vec<String> {
        self.0.iter().map(ToString::to_string).collect()
    }

    /// The same and those of `ids`; what is no id is left out.
    pub(crate) fn and_named(mut self, ids: &[String]) -> Self {
        self.0.extend(ids.iter().filter_map(|id| ObjectId::from_hex(id.as_bytes()).ok()));
        self
    }
}

impl Store {
    /// What our refs hold now.
    pub(crate) fn objects_of_ours(&self) -> Result<Ours, StoreError> {
        let walk = Walk { store: self, is_text: |_| false, is_wanted: &|_| true };
        Ok(Ours(walk.run()?.into_iter().map(|own| own.id).collect()))
    }

    /// Takes away what our refs held before and hold no more.
    pub(crate) fn forget_all_but_ours(&self, Ours(mut before): Ours) -> Result<usize, StoreError> {
        for id in self.objects_of_ours()?.0 {
            before.remove(&id);
        }
        if before.is_empty() {
            return Ok(0);
        }
        let _lock = self.lock()?;
        for id in self.held_by_others()? {
            before.remove(&id);
        }
        self.forget_from_packs(&before)?;
        for id in &before {
            self.take_loose(id)?;
        }
        Ok(before.len())
    }

    /// Writes those of our packs anew that hold one of these, without it.
    fn forget_from_packs(&self, gone: &HashSet<ObjectId>) -> Result<(), StoreError> {
        let mut listed = self.whole_packs()?;
        for super::Listed { sort, name } in listed.clone() {
            let index = self.index(&self.pack_file(&name, "idx"))?;
            let all: Vec<ObjectId> = index.iter().map(|entry| entry.oid).collect();
            let stays: Vec<ObjectId> =
                all.iter().copied().filter(|id| !gone.contains(id)).collect();
            if stays.len() == all.len() {
                continue;
            }
            let draft = self.drafted(stays.into_iter().map(|id| (id, "")))?;
            // Its name is listed before its files come, and the old one until its files are gone.
            if !self.add(&mut listed, sort, draft)? {
                return Err(StoreError::odd(name, "an object was to be packed twice"));
            }
            self.take_away(&name)?;
            listed.retain(|listed| listed.name != name);
            self.list(&listed)?;
        }
        Ok(())
    }

    /// Takes away those that nothing names any more; our refs are gone. How many went.
    pub(crate) fn forget_objects(&self, Ours(mut ours): Ours) -> Result<usize, StoreError> {
        let _lock = self.lock()?;
        for id in self.held_by_others()? {
            ours.remove(&id);
        }
        for super::Listed { name, .. } in self.whole_packs()? {
            let index = self.index(&self.pack_file(&name, "idx"))?;
            let stays = index.iter().map(|entry| entry.oid).filter(|id| !ours.contains(id));
            let draft = self.drafted(stays.map(|id| (id, "")))?;
            if !draft.is_empty() {
                // An index names no object twice; where one did, its pack stays.
                let Some(packed) = draft.finish()? else { continue };
                self.write(&packed)?;
                if packed.name == name {
                    continue;
                }
            }
            self.take_away(&name)?;
        }
        for id in &ours {
            self.take_loose(id)?;
        }
        Ok(ours.len())
    }

    /// Every object that something else than our refs names.
    fn held_by_others(&self) -> Result<Vec<ObjectId>, StoreError> {
        let mut args: Vec<OsString> =
            ["rev-list", "--objects", "--all", "--reflog", "--indexed-objects"]
                .into_iter()
                .map(Into::into)
                .collect();
        if self.is_partial() {
            // What is not here can neither stay nor go.
            args.push("--missing=allow-any".into());
        }
        args.extend(self.named_elsewhere().into_iter().map(Into::into));
        let out = self.git(args).run()?;
        let digits = self.repo.object_hash().len_in_hex();
        // After the id stands where the object lies, and a name may hold a line's end.
        let ids = out.split(|byte| *byte == b'\n').filter_map(|line| line.get(..digits));
        Ok(ids.filter_map(|id| ObjectId::from_hex(id).ok()).collect())
    }

    /// Ids of objects that are here and stand in files beside the refs.
    fn named_elsewhere(&self) -> Vec<String> {
        let mut texts = Vec::new();
        for dir in self.worktree_dirs() {
            for name in NAMED {
                let path = dir.join(name);
                // What is not there, or is no text, names nothing.
                let files = fs::read_dir(&path).into_iter().flatten().flatten();
                let files = files.map(|file| file.path()).chain([path.clone()]);
                texts.extend(files.filter_map(|file| text(&file)));
            }
        }
        let words = texts.iter().flat_map(|text| text.split_ascii_whitespace());
        let ids = words.filter_map(|word| ObjectId::from_hex(word.as_bytes()).ok());
        let here = ids.filter(|id| self.repo.find_header(*id).is_ok());
        here.map(|id| id.to_string()).collect()
    }
}

fn text(file: &Path) -> Option<String> {
    // What is not there, or is no text, names nothing.
    crate::world::read_plain(file).ok().and_then(|bytes| String::from_utf8(bytes).ok())
}
