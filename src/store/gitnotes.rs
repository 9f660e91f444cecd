//! Git notes in `refs/notes/seed`: what a phase commit meant, one record per line.
//!
//! A record is one self-contained line, so notes survive being concatenated, sorted
//! and doubled by git's own rewriting and merging. Notes are evidence that may be lost
//! and derived again; the truth is in the chains. The tree's fan-out is left to the
//! library, which shares git's rule: a flat one is a hundred times slower.

use std::collections::{BTreeMap, BTreeSet};
use std::thread::sleep;
use std::time::Duration;

use gix::ObjectId;
use gix::note::plumbing::State;

use super::chain::full_name;
use super::error::StoreError;
use super::object::{Draft, unwritten};
use super::{CommitId, Store, UnixSeconds};
use crate::format::names::COMMIT_NOTES as NOTES;

/// When all notes begin, whatever the clock says.
const BEGUN: UnixSeconds = 1_767_225_600;

/// Tries before giving up against other writers.
const TRIES: u32 = 6;

/// What steps and people say of a commit is read whenever somebody looks at it. A note that is
/// larger than this says something else.
const MOST_OF_A_NOTE: u64 = 1 << 20;

impl Store {
    /// Adds `lines` to the note of `commit`, but for those that it has already.
    pub(crate) fn note_add(
        &self,
        commit: &CommitId,
        lines: &[String],
        at: UnixSeconds,
    ) -> Result<(), StoreError> {
        let is_bad = |line: &&String| line.is_empty() || line.contains(['\n', '\0']);
        if let Some(line) = lines.iter().find(is_bad) {
            return Err(StoreError::Invalid {
                what: line.clone(),
                why: "a line of a note is one line".to_owned(),
            });
        }
        let commit = commit.object()?;
        for turn in 1..TRIES {
            match self.note_once(commit, lines, at) {
                Err(StoreError::Moved { .. } | StoreError::Held { .. }) => sleep(pause(turn)),
                result => return result,
            }
        }
        self.note_once(commit, lines, at)
    }

    /// Makes sure that there are notes, if only empty ones: git warns at each amend and rebase of a
    /// ref that `notes.rewriteRef` names and that is not there.
    ///
    /// All clones begin with the same commit, so that the notes of one may be fetched into another.
    pub(crate) fn note_begin(&self) -> Result<(), StoreError> {
        if self.ref_target(NOTES)?.is_some() {
            return Ok(());
        }
        let draft = Draft::new(self);
        let tree = draft.tree(NOTES)?;
        let root = draft.commit(tree, &[], "Notes of 'git seed'\n", BEGUN, NOTES)?;
        draft.settle()?;
        match self.swing(NOTES, None, root, "notes: begun by 'git seed'", BEGUN) {
            // Somebody else was first.
            Err(StoreError::Moved { .. }) => Ok(()),
            done => done,
        }
    }

    fn note_once(
        &self,
        commit: ObjectId,
        lines: &[String],
        at: UnixSeconds,
    ) -> Result<(), StoreError> {
        let before = self.ref_target(NOTES)?;
        let mut notes = self.notes_at(before)?;
        let old = self.note_text(&mut notes, commit)?;
        let lines = lines.iter().map(String::as_str);
        let Some(text) = with_lines(&old, lines) else { return Ok(()) };
        let draft = Draft::new(self);
        let blob = draft.blob(text.as_bytes(), NOTES)?;
        let tree = notes.replace(commit, blob, &draft).map_err(|err| unwritten(NOTES, &err))?.tree;
        let parents: Vec<ObjectId> = before.into_iter().collect();
        let message = "Notes added by 'git seed'\n";
        let tip = draft.commit(tree, &parents, message, at, NOTES)?;
        draft.settle()?;
        self.swing(NOTES, before, tip, "notes: added by 'git seed'", at)
    }

    /// A commit on top of `base`, the notes that another clone published, with what ours say of
    /// `commits`; nothing where those say it already.
    pub(crate) fn notes_for(
        &self,
        base: Option<&CommitId>,
        commits: &[CommitId],
        at: UnixSeconds,
    ) -> Result<Option<CommitId>, StoreError> {
        let base = base.map(CommitId::object).transpose()?;
        let (mut notes, mut ours) = (self.notes_at(base)?, self.notes_at(self.ref_target(NOTES)?)?);
        let draft = Draft::new(self);
        let mut tree = None;
        for commit in commits {
            let commit = commit.object()?;
            let (old, said) =
                (self.note_text(&mut notes, commit)?, self.note_text(&mut ours, commit)?);
            let said = said.lines().filter(|line| !line.is_empty());
            let Some(text) = with_lines(&old, said) else { continue };
            let blob = draft.blob(text.as_bytes(), NOTES)?;
            let put = notes.replace(commit, blob, &draft);
            tree = Some(put.map_err(|err| unwritten(NOTES, &err))?.tree);
        }
        let Some(tree) = tree else { return Ok(None) };
        let parents: Vec<ObjectId> = base.into_iter().collect();
        let tip = draft.commit(tree, &parents, "Notes added by 'git seed'\n", at, NOTES)?;
        draft.settle()?;
        Ok(Some(tip.into()))
    }

    /// The lines of the note of `commit`; none if it has no note.
    pub(crate) fn note_lines(&self, commit: &CommitId) -> Result<Vec<String>, StoreError> {
        let mut notes = self.notes_at(self.ref_target(NOTES)?)?;
        let text = self.note_text(&mut notes, commit.object()?)?;
        Ok(text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect())
    }

    /// Whether every line that the notes at `old` say is said at `new` as well, of the same commit.
    pub(crate) fn notes_keep(&self, old: &CommitId, new: &CommitId) -> Result<bool, StoreError> {
        let (old, new) = (self.note_blobs(old.object()?)?, self.note_blobs(new.object()?)?);
        let text = |blob: ObjectId| Ok::<_, StoreError>(self.object(blob, NOTES)?.data.clone());
        for (on, blob) in old {
            let Some(now) = new.get(&on) else { return Ok(false) };
            if *now == blob {
                continue;
            }
            let (was, now) = (text(blob)?, text(*now)?);
            let now: BTreeSet<&[u8]> = now.split(|byte| *byte == b'\n').collect();
            if !was.split(|byte| *byte == b'\n').all(|line| line.is_empty() || now.contains(line)) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Joins two histories of notes with a commit of this message; the published one where the
    /// other has no line more.
    pub(crate) fn notes_joined(
        &self,
        published: &CommitId,
        local: &CommitId,
        message: &str,
        at: UnixSeconds,
    ) -> Result<CommitId, StoreError> {
        let (one, other) = (published.object()?, local.object()?);
        let (theirs, ours) = (self.note_blobs(one)?, self.note_blobs(other)?);
        let draft = Draft::new(self);
        let mut notes = self.notes_at(Some(one))?;
        let mut tree = None;
        for (on, blob) in ours {
            let joined = match theirs.get(&on) {
                Some(known) if *known == blob => continue,
                None => blob,
                Some(known) => {
                    let bytes = [*known, blob].map(|id| self.object(id, NOTES));
                    let [known_text, more] = bytes;
                    let (known_text, more) = (known_text?, more?);
                    let text = lines_of_both(&known_text.data, &more.data);
                    if text == known_text.data {
                        continue;
                    }
                    draft.blob(&text, NOTES)?
                }
            };
            let on = ObjectId::from_hex(on.as_bytes())
                .map_err(|err| StoreError::Invalid { what: on.clone(), why: err.to_string() })?;
            let done = notes.replace(on, joined, &draft).map_err(|err| unwritten(NOTES, &err))?;
            tree = Some(done.tree);
        }
        let Some(tree) = tree else { return Ok(published.clone()) };
        let commit = draft.commit(tree, &[one, other], message, at, NOTES)?;
        draft.settle()?;
        Ok(commit.into())
    }

    /// Says whether all notes below `tip` read: plain files, named by what they are on, and none
    /// that `here` has not of more than [`MOST_OF_A_NOTE`] bytes.
    pub(crate) fn notes_read(
        &self,
        tip: &CommitId,
        here: Option<&CommitId>,
    ) -> Result<(), StoreError> {
        let here = here.map(|here| self.note_blobs(here.object()?)).transpose()?;
        let here = here.unwrap_or_default();
        for (on, blob) in self.note_blobs(tip.object()?)? {
            if here.get(&on) == Some(&blob) {
                continue;
            }
            let odd = |why: String| StoreError::odd(format!("{NOTES}: note of {on}"), &why);
            let size = self.repo.find_header(blob).map_err(|err| odd(err.to_string()))?.size();
            if size > MOST_OF_A_NOTE {
                return Err(odd(format!(
                    "it has {size} bytes; a note has {MOST_OF_A_NOTE} at most"
                )));
            }
        }
        Ok(())
    }

    /// The blob of each note, by what it is on.
    fn note_blobs(&self, tip: ObjectId) -> Result<BTreeMap<String, ObjectId>, StoreError> {
        let mut found = BTreeMap::new();
        let mut ahead = vec![(self.tree_of(tip, NOTES)?, String::new())];
        let digits = tip.kind().len_in_hex();
        while let Some((tree, above)) = ahead.pop() {
            let odd = |name: &str| {
                StoreError::odd(format!("{NOTES} ({tree})"), &format!("`{name}` is no note"))
            };
            let tree_object = self.tree_object(tree, NOTES)?;
            let decoded = tree_object
                .decode()
                .map_err(|err| StoreError::unreadable(format!("{NOTES} ({tree})"), &err))?;
            for entry in &decoded.entries {
                let name = format!("{above}{}", entry.filename);
                let hex = name.bytes().all(|byte| byte.is_ascii_hexdigit());
                match (entry.mode.is_tree(), entry.mode.is_blob()) {
                    (true, _) if hex && name.len() < digits => {
                        ahead.push((entry.oid.to_owned(), name));
                    }
                    (_, true) if hex && name.len() == digits => {
                        found.insert(name, entry.oid.to_owned());
                    }
                    _ => return Err(odd(&name)),
                }
            }
        }
        Ok(found)
    }

    fn notes_at(&self, tip: Option<ObjectId>) -> Result<State, StoreError> {
        full_name(NOTES)?;
        let tree = match tip {
            Some(tip) => self.tree_of(tip, NOTES)?,
            None => ObjectId::empty_tree(self.repo.object_hash()),
        };
        State::new(tree, &self.repo)
            .map_err(|err| StoreError::unreadable(format!("{NOTES} ({tree})"), &err))
    }

    fn note_text(&self, notes: &mut State, commit: ObjectId) -> Result<String, StoreError> {
        let found = notes.get(&commit, &self.repo);
        match found
            .map_err(|err| StoreError::unreadable(format!("{NOTES}: note of {commit}"), &err))?
        {
            Some(blob) => Ok(String::from_utf8_lossy(&self.object(blob, NOTES)?.data).into_owned()),
            None => Ok(String::new()),
        }
    }
}

/// A note with those of `lines` that it has not yet: each in its order beside those that begin with
/// the same word, which is the key of their record; of a new key at the end. Nothing where it has
/// them all.
fn with_lines<'l>(old: &'l str, lines: impl Iterator<Item = &'l str>) -> Option<String> {
    let mut all: Vec<&str> = old.lines().collect();
    let before = all.len();
    let key = |line: &'l str| line.split(' ').next();
    for line in lines {
        let own = |other: &&'l str| key(other) == key(line);
        if all.contains(&line) {
            continue;
        }
        let below = all.iter().position(|other| own(other) && *other > line);
        let last = all.iter().rposition(own).map(|last| last + 1);
        all.insert(below.or(last).unwrap_or(all.len()), line);
    }
    (all.len() > before).then(|| all.iter().flat_map(|line| [*line, "\n"]).collect())
}

/// The lines of two notes, each once, as git joins notes with `cat_sort_uniq`.
fn lines_of_both(one: &[u8], other: &[u8]) -> Vec<u8> {
    let lines: BTreeSet<&[u8]> = [one, other]
        .into_iter()
        .flat_map(|text| text.split(|byte| *byte == b'\n'))
        .filter(|line| !line.is_empty())
        .collect();
    lines.into_iter().flat_map(|line| [line, b"\n"].concat()).collect()
}

/// Two writers that lost to each other must not meet again: the process id differs.
fn pause(turn: u32) -> Duration {
    Duration::from_millis(u64::from(turn * turn) + u64::from(std::process::id() % 7))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::testbed::Testbed;

    const AT: UnixSeconds = 1_790_000_000;

    #[test]
    fn lines_are_added_once_beside_what_others_wrote() {
        let bed = Testbed::new();
        let first = bed.commit("a", "1");
        let second = bed.commit("a", "2");
        bed.git(&["notes", "--ref=seed", "add", "-m", "by hand", first.as_str()]);
        let store = bed.store();
        for line in ["k1 one", "k2 two", "k1 one"] {
            store.note_add(&first, &[line.to_owned()], AT).expect("adds");
        }
        store.note_add(&second, &["k3 three".to_owned()], AT).expect("adds");
        assert_eq!(store.note_lines(&first).expect("reads"), ["by hand", "k1 one", "k2 two"]);
        assert_eq!(bed.git(&["notes", "--ref=seed", "show", second.as_str()]), "k3 three");
        assert_eq!(bed.git(&["rev-list", "--count", NOTES]), "4", "a known line writes nothing");
        bed.is_sound();
    }

    #[test]
    fn a_repository_without_notes_has_none_and_gets_the_first() {
        for format in ["sha1", "sha256"] {
            let bed = Testbed::with_format(format);
            let commit = bed.commit("a", "1");
            let store = bed.store();
            assert_eq!(store.note_lines(&commit).expect("reads"), [""; 0]);
            store.note_add(&commit, &["k1".to_owned()], AT).expect("adds");
            assert_eq!(bed.git(&["log", "-1", "--format=%N", "--notes=seed"]), "k1");
            bed.is_sound();
        }
    }

    #[test]
    fn notes_begin_alike_everywhere_and_once() {
        for format in ["sha1", "sha256"] {
            let roots = [1, 2].map(|_| {
                let bed = Testbed::with_format(format);
                let commit = bed.commit("a", "1");
                let store = bed.store();
                store.note_begin().expect("begins");
                assert!(store.all_notes().expect("reads").is_none(), "none says anything yet");
                let root = bed.git(&["rev-parse", NOTES]);
                store.note_begin().expect("begins");
                assert_eq!(bed.git(&["rev-parse", NOTES]), root);
                store.note_add(&commit, &["k1".to_owned()], AT).expect("adds");
                assert_eq!(bed.git(&["log", "-1", "--format=%N", "--notes=seed"]), "k1");
                assert_eq!(bed.git(&["rev-parse", &format!("{NOTES}~1")]), root);
                bed.is_sound();
                root
            });
            assert_eq!(roots[0], roots[1], "{format}");
        }
    }

    #[test]
    fn writers_at_once_lose_no_line() {
        let bed = Testbed::new();
        let commit = bed.commit("a", "1");
        std::thread::scope(|scope| {
            for writer in 0..2 {
                let (bed, commit) = (&bed, &commit);
                scope.spawn(move || {
                    let store = bed.store();
                    for turn in 0..5 {
                        store.note_add(commit, &[format!("{writer} {turn}")], AT).expect("adds");
                    }
                });
            }
        });
        assert_eq!(bed.store().note_lines(&commit).expect("reads").len(), 10);
    }

    #[test]
    fn lines_of_a_record_stand_together_and_in_order() {
        let bed = Testbed::new();
        let commit = bed.commit("a", "1");
        let store = bed.store();
        let add = |lines: &[&str]| {
            let lines: Vec<String> = lines.iter().map(|&line| line.to_owned()).collect();
            store.note_add(&commit, &lines, AT).expect("adds");
        };
        add(&["4f 01 one", "4f 99 {}", "by hand"]);
        add(&["3a 01 two", "3a 99 {}"]);
        add(&["4f 98 undone", "4f 99 {}", "4f 99 {again}"]);
        let lines = store.note_lines(&commit).expect("reads");
        let (one, two) = (["4f 01 one", "4f 98 undone", "4f 99 {again}", "4f 99 {}"], "3a 01 two");
        assert_eq!(lines[..4], one);
        assert_eq!(lines[4..], ["by hand", two, "3a 99 {}"], "records stand as they came");
    }

    #[test]
    fn a_note_is_one_line() {
        let bed = Testbed::new();
        let commit = bed.commit("a", "1");
        for line in ["", "a\nb", "a\0"] {
            assert!(
                matches!(
                    bed.store().note_add(&commit, &[line.to_owned()], AT),
                    Err(StoreError::Invalid { .. })
                ),
                "{line:?}"
            );
        }
    }
}
