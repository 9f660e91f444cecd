//! Objects read with their name, and objects written so that they survive a crash.
//!
//! The library writes loose objects and never syncs them, nor does git by default;
//! a ref that survives a power cut while its commit does not is a broken repository.
//! So a [`Draft`] remembers what it wrote and [`Draft::settle`] syncs it, before any
//! ref may point to it. As git does with `core.fsync=loose-object` it syncs files and no
//! directories: where a file is synced after it got its name (ext4, xfs, btrfs, APFS), the
//! name is on the disk with it. `core.fsync=none` turns all of that off.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use gix::ObjectId;
use gix::objs::{Data, Find, Kind, Write};

use super::error::StoreError;
use super::loose;
use super::{Store, UnixSeconds};
use crate::world::{begin_sync, sync};

/// Who signs the commits of seed chains.
const NAME: &str = "git seed";
const EMAIL: &str = "seed@git-seed.invalid";
/// The same for a git that makes a commit for us.
pub(super) const WRITER: (&str, &str) = (NAME, EMAIL);

/// From so many bytes on the name of a blob is kept in mind, and up to so many.
const LONG: usize = 32 * 1024;
const LONGEST: usize = 1024 * 1024;

impl Store {
    /// Reads the object `id`, which `what` needs.
    ///
    /// A partial clone may lack it here although the remote has it: then git fetches it.
    pub(super) fn object(&self, id: ObjectId, what: &str) -> Result<gix::Object<'_>, StoreError> {
        if let Some(object) = self.stored(id) {
            return Ok(object);
        }
        let named = || format!("{what} ({id})");
        let find =
            || self.repo.try_find_object(id).map_err(|err| StoreError::unreadable(named(), &err));
        match find()? {
            Some(object) => Ok(object),
            None if self.is_partial() => {
                self.git(["cat-file", "-e", &id.to_string()]).outcome()?;
                find()?.ok_or_else(|| StoreError::missing(named()))
            }
            None => Err(StoreError::missing(named())),
        }
    }

    /// An object that lies loose and is not compressed, as ours do: read at one go, while the
    /// library looks at all packs first. Anything else, what is damaged included, is the library's.
    fn stored(&self, id: ObjectId) -> Option<gix::Object<'_>> {
        let objects = &self.repo.objects;
        let replaced = || objects.store_ref().replacements().next().is_some();
        if self.loose.is_given_up() || objects.has_object_cache() || replaced() {
            return None;
        }
        let place = loose::path(objects.store_ref().path(), &id.to_string());
        let read = loose::stored(&place);
        self.loose.count(read.is_some());
        let (kind, data) = read?;
        Some(gix::ObjectDetached { id, kind, data }.attach(&self.repo))
    }

    /// Keeps so many bytes of what is read in mind, for whoever asks for each object many times.
    pub(crate) fn remember_objects(&mut self, bytes: usize) {
        self.repo.object_cache_size(bytes);
    }

    /// Whether a remote promised the objects that are not here; old gits said so elsewhere.
    pub(super) fn is_partial(&self) -> bool {
        let config = self.repo.config_snapshot();
        let mut remotes = config.sections_by_name("remote").into_iter().flatten();
        config.string("extensions.partialClone").is_some()
            || remotes.any(|remote| remote.value("promisor").is_some())
    }

    /// In a partial clone, has git fetch what our refs hold and the clone left with its remote:
    /// whoever reads objects past git cannot ask for them one by one. True where it asked: each
    /// answer is a pack of its own, and a store that is open may have no room for so many.
    ///
    /// A remote that cannot be asked is no error here; the reader says what is missing. Copies of
    /// what a remote has are asked for as well: `verify --ci` reads those.
    pub(crate) fn fetch_ours(&self) -> Result<bool, StoreError> {
        let mut refs = if self.is_partial() { self.our_refs()? } else { Vec::new() };
        if self.is_partial() {
            refs.extend(self.our_copies()?);
        }
        let mut asked = BTreeSet::new();
        // A tree that came names what may be missing below it.
        while !refs.is_empty() {
            let words = ["rev-list", "--objects", "--missing=print"].into_iter();
            let out = self.git(words.chain(refs.iter().map(String::as_str))).run()?;
            let out = String::from_utf8_lossy(&out).into_owned();
            let missing = out.lines().filter_map(|line| line.strip_prefix('?'));
            let missing: Vec<&str> = missing.filter(|id| asked.insert((*id).to_owned())).collect();
            if missing.is_empty() {
                break;
            }
            let input: String = missing.iter().flat_map(|id| [*id, "\n"]).collect();
            self.git(["cat-file", "--batch-check"]).input(input.into_bytes()).outcome()?;
        }
        Ok(!asked.is_empty())
    }

    /// An object of our refs, or of their copies, that a partial clone lacks still.
    pub(crate) fn lacks_of_ours(&self) -> Result<Option<String>, StoreError> {
        let mut refs = if self.is_partial() { self.our_refs()? } else { Vec::new() };
        if self.is_partial() {
            refs.extend(self.our_copies()?);
        }
        if refs.is_empty() {
            return Ok(None);
        }
        let words = ["rev-list", "--objects", "--missing=print"].into_iter();
        let out = self.git(words.chain(refs.iter().map(String::as_str))).run()?;
        let out = String::from_utf8_lossy(&out).into_owned();
        Ok(out.lines().find_map(|line| line.strip_prefix('?')).map(str::to_owned))
    }

    /// Reads the commit `id`, which `what` needs.
    pub(super) fn commit_object(
        &self,
        id: ObjectId,
        what: &str,
    ) -> Result<gix::Commit<'_>, StoreError> {
        let object = self.object(id, what)?;
        let kind = object.kind;
        object
            .try_into_commit()
            .map_err(|_| StoreError::odd(format!("{what} ({id})"), &not_a("commit", kind)))
    }

    /// Reads the tree `id`, which `what` needs.
    pub(super) fn tree_object(
        &self,
        id: ObjectId,
        what: &str,
    ) -> Result<gix::Tree<'_>, StoreError> {
        if id == ObjectId::empty_tree(self.repo.object_hash()) {
            return Ok(self.repo.empty_tree());
        }
        let object = self.object(id, what)?;
        let kind = object.kind;
        object
            .try_into_tree()
            .map_err(|_| StoreError::odd(format!("{what} ({id})"), &not_a("tree", kind)))
    }

    /// How much loose objects are compressed here; git's own choice is to be quick.
    fn compression(&self) -> i32 {
        const QUICK: i32 = 1;
        let config = self.repo.config_snapshot();
        let wanted = ["core.looseCompression", "core.compression"];
        let level = wanted.into_iter().find_map(|key| config.integer(key));
        level
            .and_then(|level| i32::try_from(level).ok())
            .filter(|of| (0..=9).contains(of))
            .unwrap_or(QUICK)
    }

    /// Whether this repository wants writes synced; ours do unless it says `none`.
    pub(super) fn is_synced(&self) -> bool {
        let wanted = self.repo.config_snapshot().string("core.fsync");
        wanted.is_none_or(|list| is_synced_by(&list.to_string()))
    }
}

fn not_a(wanted: &str, kind: Kind) -> String {
    format!("it is a {kind}, not a {wanted}")
}

/// The last word of git's list counts: `none` clears what stands before it.
fn is_synced_by(list: &str) -> bool {
    list.split(',').map(str::trim).rfind(|word| !word.is_empty() && !word.starts_with('-'))
        != Some("none")
}

/// The signature of our own commits and reflog entries, always in UTC.
pub(super) fn signature(at: UnixSeconds) -> gix::actor::Signature {
    gix::actor::Signature {
        name: NAME.into(),
        email: EMAIL.into(),
        time: gix::date::Time::new(at, 0),
    }
}

/// So many files of a draft stay open until it is settled.
const OPEN: usize = 64;

/// An object of a draft, with its file where that is still open.
struct Written {
    id: ObjectId,
    file: Option<File>,
    /// This draft wrote it.
    is_new: bool,
}

/// Objects on their way into the repository.
pub(super) struct Draft<'store> {
    store: &'store Store,
    written: RefCell<Vec<Written>>,
    /// Objects are only named, and nothing is written.
    named: bool,
}

impl<'store> Draft<'store> {
    pub(super) fn new(store: &'store Store) -> Self {
        Self { store, written: RefCell::default(), named: false }
    }

    /// A draft that writes nothing: it gives the names that its objects would have.
    pub(super) fn named(store: &'store Store) -> Self {
        Self { named: true, ..Self::new(store) }
    }

    pub(super) fn blob(&self, bytes: &[u8], what: &str) -> Result<ObjectId, StoreError> {
        self.named_once(bytes).map_err(|err| unwritten(what, &err))
    }

    /// Writes a blob. A long one that is the last such one again has its name already: a server
    /// keeps the gate's rows with each ruling.
    fn named_once(&self, bytes: &[u8]) -> gix::Result<ObjectId> {
        static LAST: Mutex<Option<(gix::hash::Kind, Vec<u8>, ObjectId)>> = Mutex::new(None);
        if bytes.len() < LONG {
            return self.write_buf(Kind::Blob, bytes);
        }
        let hash = self.store.repo.object_hash();
        let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, _, id)) = last.as_ref().filter(|(by, of, _)| *by == hash && of == bytes) {
            return self.write_buf_with_known_id(Kind::Blob, bytes, *id);
        }
        let id = self.write_buf(Kind::Blob, bytes)?;
        *last = (bytes.len() < LONGEST).then(|| (hash, bytes.to_vec(), id));
        Ok(id)
    }

    /// The tree without an entry.
    pub(super) fn tree(&self, what: &str) -> Result<ObjectId, StoreError> {
        self.write_buf(Kind::Tree, &[]).map_err(|err| unwritten(what, &err))
    }

    pub(super) fn commit(
        &self,
        tree: ObjectId,
        parents: &[ObjectId],
        message: &str,
        at: UnixSeconds,
        what: &str,
    ) -> Result<ObjectId, StoreError> {
        if message.contains('\0') {
            return Err(StoreError::Invalid {
                what: what.to_owned(),
                why: "its message holds a NUL".to_owned(),
            });
        }
        let dated = self.store.dated_in(what, at);
        let commit = gix::objs::Commit {
            tree,
            parents: parents.iter().copied().collect(),
            author: signature(dated),
            committer: signature(dated),
            encoding: None,
            message: message.into(),
            extra_headers: Vec::new(),
        };
        let id = self.write(&commit).map_err(|err| unwritten(what, &err))?;
        if dated != at && !self.named {
            self.store.keep_moment(&id.to_string(), at)?;
        }
        Ok(id)
    }

    /// Something that git wrote for this draft is settled with it.
    pub(super) fn adopt(&self, id: ObjectId) {
        self.written.borrow_mut().push(Written { id, file: None, is_new: false });
    }

    /// Something that lies loose here already is settled with it; what a pack holds is.
    pub(super) fn adopt_if_loose(&self, id: ObjectId) {
        if loose::path(self.objects(), &id.to_string()).is_file() {
            self.adopt(id);
        }
    }

    /// Makes everything written survive a crash. Only then may a ref point to it.
    pub(super) fn settle(&self) -> Result<(), StoreError> {
        if !self.store.is_synced() {
            return Ok(());
        }
        let mut written = self.written.borrow_mut();
        written.iter().filter_map(|one| one.file.as_ref()).for_each(begin_sync);
        let synced = written.iter().try_for_each(|Written { id, file, .. }| match file {
            Some(file) => file.sync_all(),
            None => sync(&loose::path(self.objects(), &id.to_string())),
        });
        if synced.is_err() {
            // Nobody may take for whole what the disk did not take. No ref points to it yet.
            for Written { id, .. } in written.drain(..).filter(|one| one.is_new) {
                let _ = fs::remove_file(loose::path(self.objects(), &id.to_string()));
            }
        }
        Ok(synced?)
    }

    fn objects(&self) -> &Path {
        self.store.repo.objects.store_ref().path()
    }

    /// Writes what is not here yet.
    fn put(&self, kind: Kind, bytes: &[u8], id: ObjectId) -> gix::Result<ObjectId> {
        let new = self.store.put_loose(kind, bytes, id).map_err(gix::Error::from_error)?;
        let mut written = self.written.borrow_mut();
        let is_new = new.is_some();
        let file = new.filter(|_| written.len() < OPEN);
        written.push(Written { id, file, is_new });
        Ok(id)
    }
}

impl Store {
    /// Writes an object that is not here yet; nothing waits for the disk. For what may be made
    /// again from the work tree after a power cut.
    pub(super) fn keep_object(&self, kind: Kind, bytes: &[u8]) -> gix::Result<ObjectId> {
        let id = gix::objs::compute_hash(self.repo.object_hash(), kind, bytes)?;
        self.put_loose(kind, bytes, id).map_err(gix::Error::from_error)?;
        Ok(id)
    }

    /// The new file of an object; `None` where it is here already.
    fn put_loose(&self, kind: Kind, bytes: &[u8], id: ObjectId) -> io::Result<Option<File>> {
        let objects = self.repo.objects.store_ref().path();
        let mut new = None;
        let name = id.to_string();
        if !self.repo.objects.exists_without_refresh(&id)
            || loose::is_emptied(&loose::path(objects, &name))
        {
            new = loose::write(objects, &name, (kind, bytes), || self.compression())?;
        }
        self.loose.look();
        Ok(new)
    }
}

pub(super) fn unwritten(what: &str, err: &gix::Error) -> StoreError {
    StoreError::Invalid { what: what.to_owned(), why: super::error::reason(err) }
}

impl Write for Draft<'_> {
    fn write_buf(&self, kind: Kind, bytes: &[u8]) -> gix::Result<ObjectId> {
        let id = gix::objs::compute_hash(self.store.repo.object_hash(), kind, bytes)?;
        if self.named { Ok(id) } else { self.put(kind, bytes, id) }
    }

    fn write_buf_with_known_id(
        &self,
        kind: Kind,
        bytes: &[u8],
        id: ObjectId,
    ) -> gix::Result<ObjectId> {
        if self.named { Ok(id) } else { self.put(kind, bytes, id) }
    }

    fn write_stream(
        &self,
        kind: Kind,
        size: u64,
        from: &mut dyn io::Read,
    ) -> gix::Result<ObjectId> {
        self.write_buf(kind, &whole(size, from)?)
    }

    fn write_stream_with_known_id(
        &self,
        kind: Kind,
        size: u64,
        from: &mut dyn io::Read,
        id: ObjectId,
    ) -> gix::Result<ObjectId> {
        self.write_buf_with_known_id(kind, &whole(size, from)?, id)
    }
}

/// What a stream holds, which is to be so many bytes.
fn whole(size: u64, from: &mut dyn io::Read) -> gix::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.read_to_end(&mut bytes).map_err(gix::Error::from_error)?;
    if bytes.len() as u64 != size {
        let said = format!("{size} bytes were announced, {} came", bytes.len());
        return Err(gix::Error::from_error(io::Error::other(said)));
    }
    Ok(bytes)
}

impl Find for Draft<'_> {
    fn try_find<'a>(
        &self,
        id: &gix::oid,
        buffer: &'a mut Vec<u8>,
    ) -> gix::Result<Option<Data<'a>>> {
        Find::try_find(&self.store.repo, id, buffer)
    }
}

#[cfg(test)]
mod tests {
    use gix::ObjectId;

    use super::super::testbed::Testbed;
    use super::super::{CommitId, TreeEdit};
    use super::is_synced_by;

    /// Whoever only reads looks at packs first.
    #[test]
    fn loose_objects_are_read_first_by_writers_alone_and_as_the_library_reads_them() {
        let bed = Testbed::new();
        let store = bed.store();
        let put =
            |text: &str| [TreeEdit::Put { path: "a".to_owned(), bytes: text.as_bytes().to_vec() }];
        let chain = "refs/seed/jobs/j";
        let one = store.append(chain, None, &put("1"), "open", 7).expect("opens");
        let two = store.append(chain, Some(&one), &put("2"), "on", 7).expect("grows");
        let id = |commit: &CommitId| ObjectId::from_hex(commit.as_str().as_bytes()).expect("an id");
        let kind = |store: &super::Store, commit| store.stored(id(commit)).map(|read| read.kind);
        assert_eq!(kind(&store, &one), Some(gix::objs::Kind::Commit));
        let gone: CommitId = "1".repeat(40).parse().expect("full");
        let reader = bed.store();
        assert_eq!(kind(&reader, &one), None);
        reader.ref_target(chain).expect("is there");
        assert_eq!(kind(&reader, &one), kind(&store, &one), "the chain's own file says so");
        assert_eq!((kind(&reader, &gone), kind(&reader, &gone)), (None, None));
        assert_eq!(kind(&reader, &one), None, "two were looked for in vain");
        bed.git(&["replace", one.as_str(), two.as_str()]);
        let reader = bed.store();
        reader.loose.look();
        let by_library = reader.repo.find_object(id(&one)).expect("is there").detach();
        let ours = reader.object(id(&one), "a commit").expect("is there").detach();
        assert_eq!(
            (ours.kind, ours.data),
            (by_library.kind, by_library.data),
            "a replaced one, too"
        );
    }

    #[test]
    fn only_none_turns_syncing_off() {
        let cases = [
            ("none", false),
            ("all,none", false),
            ("none,", false),
            ("none,loose-object", true),
            ("committed,-loose-object", true),
            ("all", true),
            ("", true),
        ];
        for (list, synced) in cases {
            assert_eq!(is_synced_by(list), synced, "{list:?}");
        }
    }
}
