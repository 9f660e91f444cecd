//! A chain made anew, commit by commit: the same steps with other files and other messages.
//!
//! What is made lies in memory until [`Recast::finish`] puts it into packs of ours, so that ten
//! thousand steps are a few files. No ref moves here.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;

use gix::ObjectId;
use gix::objs::tree::EntryKind;
use gix::objs::{Data, Find, Kind, Write};

use super::chain::TreeEdit;
use super::error::StoreError;
use super::object::{WRITER, signature, unwritten};
use super::texts::ObjectHeld;
use super::{CommitId, Store, TreeId, UnixSeconds};

/// A commit of a chain as it stands.
#[derive(Clone, Debug)]
pub(crate) struct OldCommit {
    pub commit: CommitId,
    pub tree: TreeId,
    /// All of them, the one it follows first.
    pub parents: Vec<CommitId>,
    pub message: String,
    pub at: UnixSeconds,
}

/// Objects on their way into a pack.
pub(crate) struct Recast<'s> {
    store: &'s Store,
    made: RefCell<Made>,
}

#[derive(Default)]
struct Made {
    objects: HashMap<ObjectId, (Kind, Vec<u8>)>,
    /// In the order in which they were made.
    order: Vec<ObjectId>,
    texts: HashSet<ObjectId>,
}

impl Store {
    /// The commits of ours from `tip` down on all ways, each after its parents.
    pub(crate) fn commits_of_ours(&self, tip: &CommitId) -> Result<Vec<OldCommit>, StoreError> {
        let (mut found, mut seen) = (Vec::new(), HashSet::new());
        // A commit is met twice: before its parents, and after them.
        let mut ahead = vec![(tip.object()?, false)];
        let mut known: HashMap<ObjectId, OldCommit> = HashMap::new();
        while let Some((id, done)) = ahead.pop() {
            if done {
                found.extend(known.remove(&id));
                continue;
            }
            if !seen.insert(id) {
                continue;
            }
            let commit = self.commit_object(id, "refs/seed")?;
            let odd = |err| StoreError::unreadable(format!("refs/seed ({id})"), &err);
            let read = commit.decode().map_err(odd)?;
            let committer = read.committer().map_err(odd)?;
            if committer.email != WRITER.1 {
                continue;
            }
            let parents: Vec<ObjectId> = read.parents().collect();
            known.insert(
                id,
                OldCommit {
                    commit: id.into(),
                    tree: read.tree().into(),
                    parents: parents.iter().map(|id| (*id).into()).collect(),
                    message: read.message.to_string(),
                    at: committer.seconds(),
                },
            );
            ahead.push((id, true));
            ahead.extend(parents.into_iter().rev().map(|parent| (parent, false)));
        }
        Ok(found)
    }

    /// The files of the directory `dir` of a tree, by their names, and what they hold.
    pub(crate) fn files_in(
        &self,
        tree: &TreeId,
        dir: &str,
    ) -> Result<BTreeMap<String, ObjectHeld>, StoreError> {
        let entry = self.entry_in(tree, dir.as_bytes(), dir)?;
        let Some((_, id)) = entry.filter(|(mode, _)| mode.is_tree()) else {
            return Ok(BTreeMap::new());
        };
        let mut files = BTreeMap::new();
        for entry in self.tree_object(id, dir)?.iter() {
            let entry = entry.map_err(|err| StoreError::unreadable(dir.to_owned(), &err))?;
            if entry.mode().is_blob() {
                files.insert(entry.filename().to_string(), ObjectHeld::of(entry.object_id()));
            } else if entry.mode().is_tree() {
                let below = format!("{dir}/{}", entry.filename());
                for (name, held) in self.files_in(tree, &below)? {
                    files.insert(format!("{}/{name}", entry.filename()), held);
                }
            }
        }
        Ok(files)
    }

    /// The bytes of a file.
    pub(crate) fn bytes_of(&self, held: &ObjectHeld) -> Result<Vec<u8>, StoreError> {
        Ok(self.object(held.id(), "a file of refs/seed")?.detach().data)
    }
}

impl<'s> Recast<'s> {
    pub(crate) fn new(store: &'s Store) -> Self {
        Self { store, made: RefCell::default() }
    }

    /// The tree `base` with `edits` made to it.
    pub(crate) fn tree(&self, base: &TreeId, edits: &[TreeEdit]) -> Result<TreeId, StoreError> {
        let what = "a tree of refs/seed";
        let unread = |err: gix::Error| StoreError::unreadable(what.to_owned(), &err);
        let (base, mut buffer) = (base.object()?, Vec::new());
        let hash = self.store.repo.object_hash();
        let root = if base == ObjectId::empty_tree(hash) {
            gix::objs::Tree::empty()
        } else {
            let found = self.try_find(&base, &mut buffer).map_err(unread)?;
            let data = found.ok_or_else(|| StoreError::missing(what.to_owned()))?;
            let read = gix::objs::TreeRef::from_bytes(data.data, hash);
            read.map_err(unread)?.into()
        };
        let mut editor = gix::objs::tree::Editor::new(root, self, hash);
        for edit in edits {
            let (path, kind, id) = match edit {
                TreeEdit::Put { path, bytes } => {
                    let blob = self.write_buf(Kind::Blob, bytes);
                    (path, EntryKind::Blob, blob.map_err(|err| unwritten(path, &err))?)
                }
                TreeEdit::Graft { path, tree } => (path, EntryKind::Tree, tree.object()?),
                TreeEdit::Link { path, commit } => (path, EntryKind::Commit, commit.object()?),
                TreeEdit::Remove { path } => {
                    editor.remove(path.split('/')).map_err(unread)?;
                    continue;
                }
            };
            editor.upsert(path.split('/'), kind, id).map_err(unread)?;
        }
        let written = editor.write(|tree| Write::write(self, tree));
        Ok(written.map_err(|err| unwritten(what, &err))?.into())
    }

    /// A commit of ours, as it was written but for what is given: its date stays, which its note
    /// says as well. What this clone knows of the time of `old` goes along.
    pub(crate) fn commit_of(
        &self,
        old: &OldCommit,
        tree: &TreeId,
        parents: &[CommitId],
        message: &str,
    ) -> Result<CommitId, StoreError> {
        let id = self.commit(tree, parents, message, old.at)?;
        if id != old.commit {
            let was = self.store.moment(old.commit.as_str(), old.at);
            self.store.keep_moment(id.as_str(), was)?;
        }
        Ok(id)
    }

    /// A commit of ours, as it was written but for what is given.
    pub(crate) fn commit(
        &self,
        tree: &TreeId,
        parents: &[CommitId],
        message: &str,
        at: UnixSeconds,
    ) -> Result<CommitId, StoreError> {
        let parents: Result<_, _> = parents.iter().map(CommitId::object).collect();
        let commit = gix::objs::Commit {
            tree: tree.object()?,
            parents: parents?,
            author: signature(at),
            committer: signature(at),
            encoding: None,
            message: message.into(),
            extra_headers: Vec::new(),
        };
        let written = Write::write(self, &commit);
        Ok(written.map_err(|err| unwritten("a commit of refs/seed", &err))?.into())
    }

    /// A text, for the texts alone.
    pub(crate) fn text(&self, file: &[u8]) -> Result<ObjectHeld, StoreError> {
        let written = self.write_buf(Kind::Blob, file);
        let id = written.map_err(|err| unwritten("a text", &err))?;
        self.made.borrow_mut().texts.insert(id);
        Ok(ObjectHeld::of(id))
    }

    /// Puts all that was made into packs, on the disk. Refs may name it then.
    pub(crate) fn finish(self) -> Result<(), StoreError> {
        let Made { mut objects, order, texts } = self.made.into_inner();
        let mut text = Vec::new();
        let mut state = Vec::new();
        for id in order {
            let Some((kind, bytes)) = objects.remove(&id) else { continue };
            let pile = if texts.contains(&id) { &mut text } else { &mut state };
            pile.push((id, kind, bytes));
        }
        self.store.add_packs(&text, &state)
    }
}

impl Write for Recast<'_> {
    fn write_buf(&self, kind: Kind, bytes: &[u8]) -> gix::Result<ObjectId> {
        let id = gix::objs::compute_hash(self.store.repo.object_hash(), kind, bytes)?;
        self.write_buf_with_known_id(kind, bytes, id)
    }

    fn write_buf_with_known_id(
        &self,
        kind: Kind,
        bytes: &[u8],
        id: ObjectId,
    ) -> gix::Result<ObjectId> {
        let mut made = self.made.borrow_mut();
        if !made.objects.contains_key(&id) && self.store.repo.find_header(id).is_err() {
            made.objects.insert(id, (kind, bytes.to_vec()));
            made.order.push(id);
        }
        Ok(id)
    }

    fn write_stream(
        &self,
        kind: Kind,
        _size: u64,
        from: &mut dyn io::Read,
    ) -> gix::Result<ObjectId> {
        let mut bytes = Vec::new();
        from.read_to_end(&mut bytes).map_err(gix::Error::from_error)?;
        self.write_buf(kind, &bytes)
    }

    fn write_stream_with_known_id(
        &self,
        kind: Kind,
        size: u64,
        from: &mut dyn io::Read,
        _id: ObjectId,
    ) -> gix::Result<ObjectId> {
        self.write_stream(kind, size, from)
    }
}

impl Find for Recast<'_> {
    fn try_find<'a>(
        &self,
        id: &gix::oid,
        buffer: &'a mut Vec<u8>,
    ) -> gix::Result<Option<Data<'a>>> {
        if let Some((kind, bytes)) = self.made.borrow().objects.get(id) {
            buffer.clear();
            buffer.extend_from_slice(bytes);
            let object_hash = self.store.repo.object_hash();
            return Ok(Some(Data { kind: *kind, object_hash, data: buffer }));
        }
        Find::try_find(&self.store.repo, id, buffer)
    }
}
