//! The texts that chains name: one commit without a parent, replaced at each write.
//!
//! A ref that holds no past can lose a text for good. The ref has no log of its own for the same
//! reason. It moves by compare-and-swap like every other, and before the chain that names the new
//! texts: a text that nothing names does no harm, a stub without its text would.

use std::collections::{BTreeMap, BTreeSet};

use gix::ObjectId;
use gix::objs::tree::EntryKind;
use gix::refs::Target;
use gix::refs::transaction::{Change, LogChange, PreviousValue, RefEdit};

use super::chain::{full_name, moved};
use super::deflate;
use super::error::StoreError;
use super::object::{Draft, WRITER, unwritten};
use super::{CommitId, NewStep, Store, UnixSeconds};
use crate::format::names::TEXTS;
use crate::format::texts::{NewText, Written, text_in};
use crate::world::sync;

/// The most bytes that a compressed text may come to: one from elsewhere may claim any.
const MOST: usize = 64 << 20;

/// What a write of texts does: some come, some go.
#[derive(Clone, Debug, Default)]
pub(crate) struct TextsEdit<'a> {
    /// The job whose texts come.
    pub job: &'a str,
    pub add: &'a [NewText],
    /// Places of texts that go.
    pub drop: &'a [String],
    /// What the commit says of it, where a step is to follow.
    pub said: Option<Written>,
}

/// What the ref of the texts is to do.
struct Move {
    from: Option<ObjectId>,
    to: ObjectId,
    /// Texts that it holds no more.
    gone: Vec<ObjectId>,
}

/// Texts by their places, `<job id>/<key>`, with the objects that hold them.
pub(crate) type Held = BTreeMap<String, ObjectHeld>;

/// The object that holds a text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ObjectHeld(ObjectId);

impl ObjectHeld {
    pub(super) fn of(id: ObjectId) -> Self {
        Self(id)
    }

    pub(super) fn id(&self) -> ObjectId {
        self.0
    }
}

impl Store {
    /// The texts that a commit of theirs holds.
    pub(crate) fn texts_of(&self, tip: &CommitId) -> Result<Held, StoreError> {
        let mut held = Held::new();
        let lost = self.each_text_of(tip, &mut held)?;
        lost.map_or(Ok(held), Err)
    }

    /// Those of them that are still here, and whether some went where this clone borrows objects.
    pub(crate) fn texts_left_of(&self, tip: &CommitId) -> Result<(Held, bool), StoreError> {
        let mut held = Held::new();
        match self.each_text_of(tip, &mut held) {
            Err(StoreError::Borrowed { .. }) | Ok(Some(_)) => Ok((held, true)),
            Ok(None) => Ok((held, false)),
            Err(error) => Err(error),
        }
    }

    /// Reads them into `held`; gives why some could not be read that were borrowed.
    fn each_text_of(
        &self,
        tip: &CommitId,
        held: &mut Held,
    ) -> Result<Option<StoreError>, StoreError> {
        let mut lost = None;
        let lent = |error| self.or_borrowed(error, TEXTS);
        // The lender keeps the trees that name what it takes away.
        let borrows = self.borrows_objects();
        let top = self.tree_of(tip.object()?, TEXTS).map_err(lent)?;
        for entry in self.tree_object(top, TEXTS).map_err(lent)?.iter() {
            let odd = |err| StoreError::unreadable(TEXTS.to_owned(), &err);
            let entry = entry.map_err(odd)?;
            if !entry.mode().is_tree() {
                continue;
            }
            let job = entry.filename().to_string();
            let texts = match self.tree_object(entry.object_id(), TEXTS).map_err(lent) {
                Err(error @ StoreError::Borrowed { .. }) => {
                    lost = Some(error);
                    continue;
                }
                read => read?,
            };
            for text in texts.iter() {
                let text = text.map_err(odd)?;
                if text.mode().is_blob() && borrows && !self.repo.has_object(text.object_id()) {
                    lost = Some(StoreError::Borrowed { what: TEXTS.to_owned() });
                } else if text.mode().is_blob() {
                    held.insert(format!("{job}/{}", text.filename()), ObjectHeld(text.object_id()));
                }
            }
        }
        Ok(lost)
    }

    /// The texts at `places` of a commit that was fetched, and the ids of the objects.
    /// Whatever else somebody put into their places is left alone.
    pub(crate) fn texts_among(
        &self,
        tip: &CommitId,
        places: &BTreeSet<String>,
    ) -> Result<(Held, Vec<String>), StoreError> {
        let mut held = Held::new();
        // One that does not read holds none that could be known.
        if !self.has_commit(tip.as_str()) || self.each_text_of(tip, &mut held).is_err() {
            return Ok((Held::new(), Vec::new()));
        }
        held.retain(|place, of| {
            let key = place.rsplit('/').next().unwrap_or_default();
            let is_it = |file: Vec<u8>| text_in(&file, key).is_some();
            places.contains(place) && self.bytes_of(of).is_ok_and(is_it)
        });
        // What names them stays: who borrows objects from here may need it to read its own.
        let ids = held.values().map(|ObjectHeld(id)| id.to_string()).collect();
        Ok((held, ids))
    }

    /// What is missing where objects are borrowed was taken away by whoever lent it.
    fn or_borrowed(&self, error: StoreError, what: &str) -> StoreError {
        match error {
            StoreError::Missing { .. } if self.borrows_objects() => {
                StoreError::Borrowed { what: what.to_owned() }
            }
            error => error,
        }
    }

    /// The file of a text; `None` where it is not here.
    pub(crate) fn text_file(&self, place: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let Some(tip) = self.ref_target(TEXTS)? else { return Ok(None) };
        let read = |tip: ObjectId| {
            self.blob_in(&self.tree_of(tip, TEXTS)?.into(), place.as_bytes(), TEXTS)
        };
        match read(tip) {
            // Somebody replaced the commit meanwhile, and what it held is gone.
            Err(error) => match self.ref_target(TEXTS)? {
                Some(now) if now != tip => read(now),
                _ => Err(self.or_borrowed(error, &format!("the words {place}"))),
            },
            done => done,
        }
    }

    /// The tree of the texts that are here.
    pub(super) fn texts_tree(&self) -> Result<Option<ObjectId>, StoreError> {
        let tip = self.ref_target(TEXTS)?;
        let tree = |tip| self.tree_of(tip, TEXTS).map_err(|error| self.or_borrowed(error, TEXTS));
        tip.map(tree).transpose()
    }

    /// The whole message of the commit that holds the texts.
    pub(crate) fn texts_message(&self) -> Result<Option<String>, StoreError> {
        let Some(tip) = self.stands_at(TEXTS)? else { return Ok(None) };
        self.commit_message(&tip).map(Some)
    }

    /// The messages of a chain's commits on all ways down from `tip`: a merge has two.
    pub(crate) fn messages_below(&self, tip: &CommitId) -> Result<Vec<String>, StoreError> {
        let (mut ahead, mut seen) = (vec![tip.object()?], BTreeSet::new());
        let mut messages = Vec::new();
        while let Some(id) = ahead.pop() {
            if !seen.insert(id) {
                continue;
            }
            let commit = self.commit_object(id, TEXTS)?;
            let odd = |err| StoreError::unreadable(format!("{TEXTS} ({id})"), &err);
            let read = commit.decode().map_err(odd)?;
            // What a chain holds beside its steps is the person's.
            if read.committer().map_err(odd)?.email == WRITER.1 {
                messages.push(read.message.to_string());
                ahead.extend(read.parents());
            }
        }
        Ok(messages)
    }

    /// Adds a commit to `chain` as [`Store::append_holding`] does, and the texts that it names
    /// before it: all objects are settled together, then the texts move, then the chain.
    ///
    /// # Errors
    ///
    /// [`StoreError::Moved`] if either is not where it is said to be.
    pub(crate) fn append_with_texts(
        &self,
        chain: &str,
        after: Option<&CommitId>,
        step: &NewStep<'_>,
        texts: &TextsEdit<'_>,
    ) -> Result<CommitId, StoreError> {
        let after = after.map(CommitId::object).transpose()?;
        if self.ref_target(chain)? != after {
            return Err(moved(chain));
        }
        let draft = Draft::new(self);
        let moves = self.drafted_texts(&draft, texts, step.at)?;
        let base = after.map(|commit| self.tree_of(commit, chain)).transpose()?;
        let tree = self.edited(&draft, base, step.edits, chain)?;
        let parents: Vec<ObjectId> = after.into_iter().collect();
        let commit = draft.commit(tree, &parents, step.message, step.at, chain)?;
        draft.settle()?;
        if let Some(texts) = moves {
            self.move_texts(&texts, step.at)?;
        }
        let subject = step.message.lines().next().unwrap_or_default();
        self.swing(chain, after, commit, subject, step.at)?;
        Ok(commit.into())
    }

    /// The same without a step.
    pub(crate) fn edit_texts(
        &self,
        texts: &TextsEdit<'_>,
        at: UnixSeconds,
    ) -> Result<(), StoreError> {
        let draft = Draft::new(self);
        let Some(texts) = self.drafted_texts(&draft, texts, at)? else { return Ok(()) };
        draft.settle()?;
        self.move_texts(&texts, at)
    }

    /// The ref moves, and what it does not hold any more is no loose object either.
    fn move_texts(&self, texts: &Move, at: UnixSeconds) -> Result<(), StoreError> {
        self.swing_texts(texts.from, texts.to, at)?;
        texts.gone.iter().try_for_each(|blob| self.take_loose(blob))
    }

    fn drafted_texts(
        &self,
        draft: &Draft<'_>,
        texts: &TextsEdit<'_>,
        at: UnixSeconds,
    ) -> Result<Option<Move>, StoreError> {
        if texts.add.is_empty() && texts.drop.is_empty() {
            return Ok(None);
        }
        let (from, mut gone) = (self.ref_target(TEXTS)?, Vec::new());
        let base = from.map(|commit| self.tree_of(commit, TEXTS)).transpose();
        let base = base.map_err(|error| self.or_borrowed(error, TEXTS))?;
        let base = base.unwrap_or_else(|| ObjectId::empty_tree(self.repo.object_hash()));
        let unread = |err: gix::Error| StoreError::unreadable(format!("{TEXTS} ({base})"), &err);
        let root = self.tree_object(base, TEXTS).map_err(|error| self.or_borrowed(error, TEXTS))?;
        let root = root.decode().map_err(unread)?.into();
        let mut editor =
            gix::objs::tree::Editor::new(root, &self.repo.objects, self.repo.object_hash());
        for place in texts.drop {
            if let Some((_, blob)) = self.entry_in(&base.into(), place.as_bytes(), TEXTS)? {
                gone.push(blob);
            }
            editor.remove(place.split('/')).map_err(unread)?;
        }
        for NewText { key, file } in texts.add {
            let blob = draft.blob(file, TEXTS)?;
            // The same text comes again where a step is taken that was stopped.
            gone.retain(|known| *known != blob);
            let place = [texts.job, key.as_str()];
            editor.upsert(place, EntryKind::Blob, blob).map_err(unread)?;
        }
        let written = editor.write(|tree| gix::objs::Write::write(draft, tree));
        let tree = written.map_err(|err| unwritten(TEXTS, &err))?;
        let message = texts.said.as_ref().map_or_else(|| "texts\n".to_owned(), Written::message);
        let to = draft.commit(tree, &[], &message, at, TEXTS)?;
        Ok(Some(Move { from, to, gone }))
    }

    /// A commit that holds exactly these texts; no ref names it.
    pub(crate) fn texts_commit(
        &self,
        held: &Held,
        at: UnixSeconds,
    ) -> Result<CommitId, StoreError> {
        let draft = Draft::new(self);
        let empty = gix::objs::Tree::empty();
        let mut editor =
            gix::objs::tree::Editor::new(empty, &self.repo.objects, self.repo.object_hash());
        for (place, ObjectHeld(blob)) in held {
            let path = place.split('/');
            let put = editor.upsert(path, EntryKind::Blob, *blob);
            put.map_err(|err| unwritten(TEXTS, &err))?;
            draft.adopt_if_loose(*blob);
        }
        let written = editor.write(|tree| gix::objs::Write::write(&draft, tree));
        let tree = written.map_err(|err| unwritten(TEXTS, &err))?;
        let commit = draft.commit(tree, &[], "texts\n", at, TEXTS)?;
        draft.settle()?;
        Ok(commit.into())
    }

    /// A text whose ref comes later; its object is settled with the commit that names it.
    #[cfg(test)]
    pub(crate) fn write_text(&self, text: &NewText) -> Result<ObjectHeld, StoreError> {
        let draft = Draft::new(self);
        Ok(ObjectHeld(draft.blob(&text.file, TEXTS)?))
    }

    /// Whether an object of these is here still, in whatever pack.
    pub(crate) fn has_any(&self, held: &Held) -> bool {
        held.values().any(|ObjectHeld(id)| self.repo.find_header(*id).is_ok())
    }

    /// The remotes of this repository.
    pub(crate) fn remote_names(&self) -> Vec<String> {
        self.repo.remote_names().iter().map(ToString::to_string).collect()
    }

    /// Moves the ref of the texts to a commit that is here.
    ///
    /// # Errors
    ///
    /// [`StoreError::Moved`] if it is not at `from`.
    pub(crate) fn turn_texts(
        &self,
        from: Option<&CommitId>,
        to: &CommitId,
        at: UnixSeconds,
    ) -> Result<(), StoreError> {
        let from = from.map(CommitId::object).transpose()?;
        self.swing_texts(from, to.object()?, at)
    }

    fn swing_texts(
        &self,
        from: Option<ObjectId>,
        to: ObjectId,
        at: UnixSeconds,
    ) -> Result<(), StoreError> {
        let expected = from.map_or(PreviousValue::MustNotExist, |id| {
            PreviousValue::MustExistAndMatch(Target::Object(id))
        });
        // No log: it would hold what is to go.
        let log = LogChange::default();
        let change = Change::Update { log, expected, new: Target::Object(to) };
        self.edit_ref(TEXTS, &RefEdit::new(full_name(TEXTS)?, change), at)?;
        if self.is_synced() {
            sync(&self.ref_file(TEXTS))?;
        }
        Ok(())
    }
}

/// Bytes as a text of journal lines is kept: a zlib stream. Packs compress, here only what is too
/// long for a frame is.
pub(crate) fn deflated(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    deflate::framed(&[bytes]).map_or_else(|| deflate::deflated(bytes, deflate::USUAL), Ok)
}

/// What was compressed; `None` where it is damaged, or larger than any of ours.
pub(crate) fn inflated(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut out = vec![0; bytes.len().saturating_mul(4).clamp(512, MOST)];
    loop {
        let mut inflate = gix::zlib::Inflate::default();
        match inflate.once(bytes, &mut out) {
            Ok((gix::zlib::Status::StreamEnd, read, written)) if read == bytes.len() => {
                out.truncate(written);
                return Some(out);
            }
            Ok((gix::zlib::Status::Ok | gix::zlib::Status::BufError, _, written))
                if written == out.len() && out.len() < MOST =>
            {
                let longer = out.len().saturating_mul(4).min(MOST);
                out.resize(longer, 0);
            }
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::TreeEdit;
    use super::super::testbed::Testbed;
    use super::*;

    const AT: UnixSeconds = 1_790_000_000;
    const JOB: &str = "refs/seed/jobs/j";

    fn text(words: &str) -> NewText {
        NewText::new("0123456789abcdef0123456789abcdef", words.as_bytes())
    }

    fn said(keys: &[NewText]) -> Option<Written> {
        let keys = keys.iter().map(|text| text.key.clone()).collect();
        Some(Written { job: "j".to_owned(), keys, ..Written::default() })
    }

    #[test]
    fn texts_come_with_a_step_and_hold_no_past() {
        for format in ["sha1", "sha256"] {
            let bed = Testbed::with_format(format);
            let store = bed.store();
            let edits = [TreeEdit::Put { path: "a".to_owned(), bytes: b"1".to_vec() }];
            let step = NewStep { edits: &edits, message: "open\n", at: AT };
            let mut after = None;
            for words in ["one", "two"] {
                let add = [text(words)];
                let texts =
                    TextsEdit { job: "j", add: &add, said: said(&add), ..TextsEdit::default() };
                let at = store.append_with_texts(JOB, after.as_ref(), &step, &texts);
                after = Some(at.expect("grows"));
            }
            let tip = store.stands_at(TEXTS).expect("reads").expect("is there");
            assert_eq!(bed.git(&["rev-list", "--count", TEXTS]), "1");
            assert_eq!(store.texts_of(&tip).expect("reads").len(), 2);
            let place = format!("j/{}", text("one").key);
            assert_eq!(store.text_file(&place).expect("reads"), Some(text("one").file));
            assert!(!bed.path().join(".git/logs/refs/seed/texts").exists());
            let gone = [place.clone()];
            let edit = TextsEdit { drop: &gone, ..TextsEdit::default() };
            store.edit_texts(&edit, AT).expect("goes");
            assert_eq!(store.text_file(&place).expect("reads"), None);
            let late = store.turn_texts(Some(&tip), &tip, AT).expect_err("it moved");
            assert!(late.is_moved());
            bed.is_sound();
        }
    }

    #[test]
    fn two_clones_that_hold_the_same_texts_make_the_same_commit() {
        let bed = Testbed::new();
        let store = bed.store();
        let held = |words: &[&str]| -> Held {
            let each = words.iter().map(|words| {
                let one = text(words);
                (format!("j/{}", one.key), store.write_text(&one).expect("writes"))
            });
            each.collect()
        };
        let there = store.texts_commit(&held(&["a", "b"]), AT).expect("writes");
        assert_eq!(store.texts_commit(&held(&["b", "a"]), AT).expect("writes"), there);
        assert_ne!(store.texts_commit(&held(&["b"]), AT).expect("writes"), there);
        assert_eq!(store.texts_of(&there).expect("reads"), held(&["a", "b"]));
    }

    #[test]
    fn journal_lines_come_back_from_their_bytes_and_nothing_else_does() {
        let lines = "{\"what\":\"after\"}\n".repeat(5000);
        let small = deflated(lines.as_bytes()).expect("deflates");
        assert!(small.len() < lines.len() / 50);
        assert_eq!(inflated(&small), Some(lines.into_bytes()));
        assert_eq!(inflated(b"no such thing"), None);
        assert_eq!(inflated(&small[..small.len() / 2]), None);
    }
}
