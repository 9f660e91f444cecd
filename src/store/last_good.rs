//! The last value of a ref of ours that reads, for where the one it has does not: its file was cut
//! off, or the object that it names is gone.
//!
//! A ref's log names what it had, newest first. Texts and operations keep no log: their last
//! commit is one that nothing holds any more, and git tells those. Then comes what git packed. The
//! value is put in place in one rename, so that whoever is killed on the way leaves the old one or
//! the new one.

use std::fs;
use std::path::{Path, PathBuf};

use super::error::StoreError;
use super::refs::{PACKED, packed_refs};
use super::{CommitId, Held, Store, UnixSeconds};
use crate::format::meta::{self, Meta};
use crate::format::names::{COMMIT_NOTES, FETCHED, FOCUS, JOBS, META, OPS, TEXTS, is_own};
use crate::world::{Whole, read_plain, remove_if_there, write_whole};

/// The directory below `.git/seed` that keeps what refs said of which nothing reads.
const LOST: &str = "lost";

/// A value that a ref had.
pub(crate) struct LastGood {
    pub commit: CommitId,
    /// Nothing tells of a later one.
    pub is_newest: bool,
}

impl Store {
    /// Our refs that do not read, by their names, with why. The focus is no chain, and jobs are
    /// read by whoever knows what a step is: neither is among them.
    pub(crate) fn broken_refs(&self) -> Vec<(String, StoreError)> {
        let mut all = self.ref_names("refs/seed/");
        all.retain(|name| !name.starts_with(JOBS));
        all.push(COMMIT_NOTES.to_owned());
        all.extend(self.ref_names(FETCHED));
        let broken = |name: String| {
            let why = self.why_broken(&name)?;
            Some((name, why))
        };
        all.into_iter().filter_map(broken).collect()
    }

    fn why_broken(&self, name: &str) -> Option<StoreError> {
        let why = self.reads(name).err()?;
        // What another repository lent, or a remote promised, is theirs to give again.
        let lent = self.borrows_objects() || self.is_partial();
        let is_damage = match why {
            StoreError::Unreadable { .. } => true,
            StoreError::Missing { .. } => !lent,
            _ => false,
        };
        is_damage.then_some(why)
    }

    fn reads(&self, name: &str) -> Result<(), StoreError> {
        if name != COMMIT_NOTES && !is_own(name) {
            // What somebody else put there, or a remote has, need be no commit.
            return self.stands_at(name).map(drop);
        }
        let Some(tip) = self.tip(name)? else { return Ok(()) };
        self.names(&tip, "")?;
        if name != META {
            return Ok(());
        }
        let bytes = self.file(&tip, meta::FILE)?.unwrap_or_default();
        let read = Meta::read(&bytes).map(drop);
        read.map_err(|bad| StoreError::odd(META.to_owned(), bad.message()))
    }

    /// The newest value of the ref `name` that reads.
    pub(crate) fn last_good(&self, name: &str) -> Result<Option<LastGood>, StoreError> {
        let logged = self.reflog(name);
        let mut known = logged.iter().enumerate();
        if let Some((at, commit)) = known.find_map(|(at, id)| Some((at, self.good(name, id)?))) {
            return Ok(Some(LastGood { commit, is_newest: at == 0 }));
        }
        let left = match name {
            OPS => self.left_op()?,
            TEXTS => self.left_texts()?,
            _ => None,
        };
        if let Some(commit) = left {
            return Ok(Some(LastGood { commit, is_newest: true }));
        }
        let packed = packed_refs(&self.common_dir.join(PACKED));
        let commit = packed.get(name).and_then(|id| self.good(name, id));
        Ok(commit.map(|commit| LastGood { commit, is_newest: false }))
    }

    /// The commit `id`, if it reads as a value of the ref `name`.
    fn good(&self, name: &str, id: &str) -> Option<CommitId> {
        // Notes are anybody's to write: git itself does where it rewrites commits.
        let is_ours = name == COMMIT_NOTES || self.is_own_step(name, id);
        let commit: CommitId = id.parse().ok().filter(|_| is_ours)?;
        let tip = self.tip_of(&commit).ok()?;
        let is_whole = self.names(&tip, "").is_ok()
            && (name != META || self.file(&tip, meta::FILE).is_ok_and(|file| file.is_some()));
        is_whole.then_some(commit)
    }

    /// The newest operation that nothing holds.
    fn left_op(&self) -> Result<Option<CommitId>, StoreError> {
        let left = self.left_commits(OPS, |message| message.contains("\n\nSeed-Worktree: "))?;
        Ok(left.into_iter().max_by_key(|(_, at)| *at).map(|(commit, _)| commit))
    }

    /// The texts of the commit that has the most of them still here, of those that nothing holds.
    /// What a redaction took is not here.
    fn left_texts(&self) -> Result<Option<CommitId>, StoreError> {
        let left = self.left_commits(TEXTS, |message| message.starts_with("texts\n"))?;
        let here = |(commit, at): (CommitId, UnixSeconds)| {
            // One whose directories are gone names no text.
            let mut held: Held = self.texts_of(&commit).ok()?;
            let all = held.len();
            held.retain(|_, text| self.repo.has_object(text.id()));
            Some((held, at, commit, all))
        };
        let most = left.into_iter().filter_map(here).max_by_key(|(held, at, ..)| (held.len(), *at));
        let Some((held, at, commit, all)) = most else { return Ok(None) };
        if held.len() == all { Ok(Some(commit)) } else { self.texts_commit(&held, at).map(Some) }
    }

    /// Commits of git seed's own that nothing holds and whose message is one of these, with when
    /// they were made.
    fn left_commits(
        &self,
        name: &str,
        is_one: impl Fn(&str) -> bool,
    ) -> Result<Vec<(CommitId, UnixSeconds)>, StoreError> {
        let said = self.git(["fsck", "--connectivity-only", "--dangling"]).outcome()?.stdout;
        let said = String::from_utf8_lossy(&said).into_owned();
        let mut left = Vec::new();
        // What an object is git says in the language of whoever asks; its id comes last.
        for id in said.lines().filter_map(|line| line.rsplit(' ').next()) {
            if !self.is_own_step(name, id) {
                continue;
            }
            let Ok(commit) = id.parse::<CommitId>() else { continue };
            let step = self.step_at(commit.object()?, name)?;
            if is_one(&step.message) {
                left.push((commit, step.at));
            }
        }
        Ok(left)
    }

    /// Has the ref `name` the value `commit`, whatever it says now; for repairs only.
    pub(crate) fn put_back(&self, name: &str, commit: &CommitId) -> Result<(), StoreError> {
        self.write_ref(name, &format!("{commit}\n"))
    }

    /// Takes a ref away of which nothing reads. What it said, and what its log says, is kept in
    /// the file that this gives.
    pub(crate) fn put_ref_aside(&self, name: &str) -> Result<PathBuf, StoreError> {
        let packed = packed_refs(&self.common_dir.join(PACKED));
        let file = self.ref_file(name);
        let aside = self.seed_dir().join(LOST).join(name.replace('/', "."));
        // What does not read says nothing.
        let said = |path: &Path| read_plain(path).unwrap_or_default();
        let log = self.common_dir.join("logs").join(name);
        let was_packed = packed.get(name).map(|id| format!("{id}\n")).unwrap_or_default();
        let kept = [said(&aside), said(&file), was_packed.into_bytes(), said(&log)].concat();
        write_whole(&aside, &kept)?;
        remove_if_there(&file)?;
        if packed.contains_key(name) {
            self.forget_chain(name)?;
        }
        Ok(aside)
    }

    /// The file of the focus of this worktree says nothing that could be one.
    pub(crate) fn is_focus_torn(&self) -> bool {
        matches!(self.focus_name(), Err(StoreError::Unreadable { .. }))
    }

    /// Turns this worktree to `chain` again, whatever its focus says; operations know of it.
    pub(crate) fn put_focus_back(&self, chain: &str) -> Result<(), StoreError> {
        self.write_ref(FOCUS, &format!("ref: {chain}\n"))
    }

    /// The draft lies where no reader of refs looks.
    fn write_ref(&self, name: &str, text: &str) -> Result<(), StoreError> {
        let file = self.ref_file(name);
        // Where git packs a ref its directory may stay; one that holds something is told below.
        let _ = fs::remove_dir(&file);
        let whole = Whole::new().over_links().drafted_in(&self.common_dir);
        Ok(whole.write(&file, text.as_bytes())?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::names::{ARCHIVE, RULES};
    use crate::store::TreeEdit;
    use crate::store::testbed::Testbed;

    fn grown(store: &Store, name: &str) -> [CommitId; 2] {
        let put = |text: &str| TreeEdit::Put { path: "a".to_owned(), bytes: text.into() };
        let first = store.append(name, None, &[put("1")], "begin\n", 1_790_000_000).expect("opens");
        let next = store.append(name, Some(&first), &[put("2")], "on\n", 1_790_000_001);
        [first, next.expect("grows")]
    }

    #[test]
    fn a_ref_that_was_cut_off_has_its_last_value_in_its_log() {
        for said in ["", "no id\n", "ref: refs/heads/x\n"] {
            let bed = Testbed::new();
            let store = bed.store();
            let [_, last] = grown(&store, ARCHIVE);
            assert!(store.broken_refs().is_empty());
            fs::write(bed.path().join(".git").join(ARCHIVE), said).expect("cut off");
            let broken = bed.store().broken_refs();
            assert!(matches!(&broken[..], [(name, _)] if name == ARCHIVE), "{broken:?}");
            let good = store.last_good(ARCHIVE).expect("looks").expect("is logged");
            assert!(good.commit == last && good.is_newest, "{said:?}");
            store.put_back(ARCHIVE, &good.commit).expect("writes");
            assert_eq!(bed.store().stands_at(ARCHIVE).expect("reads"), Some(last));
        }
    }

    #[test]
    fn an_object_that_is_gone_leaves_the_value_before_it() {
        let bed = Testbed::new();
        let store = bed.store();
        let [first, last] = grown(&store, RULES);
        let (folder, file) = last.as_str().split_at(2);
        let object = bed.path().join(format!(".git/objects/{folder}/{file}"));
        fs::remove_file(object).expect("a loose object");
        let store = bed.store();
        assert_eq!(store.broken_refs().len(), 1);
        let good = store.last_good(RULES).expect("looks").expect("is logged");
        assert!(good.commit == first && !good.is_newest);
        fs::remove_file(bed.path().join(".git/logs").join(RULES)).expect("a log");
        assert!(store.last_good(RULES).expect("looks").is_none());
        let aside = store.put_ref_aside(RULES).expect("takes it away");
        let kept = fs::read_to_string(aside).expect("a file");
        assert_eq!(kept, format!("{last}\n"));
        assert_eq!(bed.store().stands_at(RULES).expect("reads"), None);
    }
}
