//! What git seed wrote loose, put into packs of its own when a cycle ends.
//!
//! A cycle leaves well over a hundred small objects, each of them a file and a block of the disk.
//! [`Store::pack_ours`] puts those that our refs hold into two packs, texts of people apart from
//! all else, finds deltas between objects of one name, and takes the loose files away. The names
//! of our packs stand in `.git/seed/packs`, so that no more than [`MOST`] of a sort are kept: then
//! they become one. git's own gc may take them in like any other.
//!
//! Nothing is taken away before what replaces it is on the disk with its name. A name is listed
//! before its files come and until they are gone, so a listed pack without an index is one that
//! a killed program left: the next packing takes it away.

mod delta;
mod file;
pub(crate) mod gone;

use std::collections::{HashMap, HashSet, VecDeque};
use std::fs;
use std::io;
use std::path::PathBuf;

use gix::ObjectId;
use gix::odb::pack::index::File as Index;

use self::file::{Draft, HEAD, Packed, Place};
use super::loose;
use super::object::WRITER;
use super::{SEED_DIR, Store, StoreError};
use crate::format::names;
use crate::world::{Whole, read_plain, write_whole};

/// The most packs of ours of one sort.
const MOST: usize = 4;
/// The most deltas between an object and its whole base.
const DEPTH: usize = 24;
/// How many of the newer ones of its likes an object is compared with.
const WINDOW: usize = 6;
/// A larger object is kept whole: looking for likeness costs time by its size.
const LARGE: usize = 1 << 20;
/// The names of our packs, below `.git/seed`.
const LIST: &str = "packs";

/// What a pack of ours holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    /// What people and agents said: they can be taken away without touching anything else.
    Text,
    /// All else.
    State,
}

impl Sort {
    const ALL: [Self; 2] = [Self::Text, Self::State];

    fn word(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::State => "state",
        }
    }
}

/// A line of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Listed {
    sort: Sort,
    /// The checksum in the pack's name.
    name: String,
}

/// An object of ours.
struct Own {
    id: ObjectId,
    /// What likely looks alike has the same: the object's kind and place without numbers.
    like: String,
    sort: Sort,
}

/// From our refs down to what they hold.
struct Walk<'w> {
    store: &'w Store,
    is_text: fn(&str) -> bool,
    /// Below an object that is not wanted nothing is looked for.
    is_wanted: &'w dyn Fn(&ObjectId) -> bool,
}

impl Walk<'_> {
    /// The objects that our refs hold, the newest first and each before what it names.
    ///
    /// Commits of others and their trees are the person's. Where loose objects are wanted,
    /// nothing is missed: a packing takes away the older before the newer.
    fn run(&self) -> Result<Vec<Own>, StoreError> {
        let mut found: Vec<Own> = Vec::new();
        let mut seen = HashSet::new();
        let mut chains = self.store.chains("refs/seed/")?;
        chains.extend(self.store.chains("refs/notes/seed")?);
        for (chain, tip) in chains {
            // These pin commits and trees that are the person's.
            let pins = chain.starts_with(names::KEEP) && !chain.starts_with(names::KEEP_FORMAT_1);
            let texts = chain == names::TEXTS;
            let mut ahead: Vec<ObjectId> = vec![tip.object()?];
            while let Some(id) = ahead.pop() {
                if !seen.insert(id) || !(self.is_wanted)(&id) {
                    continue;
                }
                let commit = self.store.commit_object(id, &chain)?;
                let odd = |err| StoreError::unreadable(format!("{chain} ({id})"), &err);
                let read = commit.decode().map_err(odd)?;
                if read.committer().map_err(odd)?.email != WRITER.1 {
                    continue;
                }
                found.push(Own { id, like: format!("commit {chain}"), sort: Sort::State });
                ahead.extend(read.parents());
                if !pins {
                    let from = found.len();
                    self.below(read.tree(), "", &mut seen, &mut found)?;
                    let blobs = found[from..].iter_mut().filter(|own| own.like.starts_with("blob"));
                    blobs.filter(|_| texts).for_each(|own| own.sort = Sort::Text);
                }
            }
        }
        Ok(found)
    }

    fn below(
        &self,
        tree: ObjectId,
        above: &str,
        seen: &mut HashSet<ObjectId>,
        found: &mut Vec<Own>,
    ) -> Result<(), StoreError> {
        if !seen.insert(tree) || !(self.is_wanted)(&tree) {
            return Ok(());
        }
        found.push(Own { id: tree, like: like("tree", above), sort: Sort::State });
        for entry in self.store.tree_object(tree, above)?.iter() {
            let entry = entry.map_err(|err| StoreError::unreadable(above.to_owned(), &err))?;
            let path = format!("{above}{}", entry.filename());
            let id = entry.object_id();
            if entry.mode().is_tree() {
                self.below(id, &format!("{path}/"), seen, found)?;
            } else if !entry.mode().is_commit() && seen.insert(id) && (self.is_wanted)(&id) {
                let sort = if (self.is_text)(&path) { Sort::Text } else { Sort::State };
                found.push(Own { id, like: like("blob", &path), sort });
            }
        }
        Ok(())
    }
}

impl Store {
    /// Puts the loose objects that our refs hold into packs. `is_text` tells by its path in a job's
    /// tree whether a blob holds words of people.
    pub(crate) fn pack_ours(&self, is_text: fn(&str) -> bool) -> Result<(), StoreError> {
        let _lock = self.lock()?;
        let mut listed = self.whole_packs()?;
        let known = self.indexes()?;
        let found = Walk { store: self, is_text, is_wanted: &|id| self.is_loose(id) }.run()?;
        let is_packed = |id: &ObjectId| known.iter().any(|index| index.lookup(id).is_some());
        for sort in Sort::ALL {
            let fresh = found.iter().filter(|own| own.sort == sort && !is_packed(&own.id));
            let draft = self.drafted(fresh.map(|own| (own.id, own.like.as_str())))?;
            if !self.add(&mut listed, sort, draft)? {
                return Err(StoreError::odd(LIST.to_owned(), "an object was to be packed twice"));
            }
            self.make_one(&mut listed, sort)?;
        }
        let known = self.indexes()?;
        let is_packed = |id: &ObjectId| known.iter().any(|index| index.lookup(id).is_some());
        // The newest commit goes last: from it a later packing finds what a killed one left.
        for Own { id, .. } in found.iter().rev().filter(|own| is_packed(&own.id)) {
            self.take_loose(id)?;
        }
        Ok(())
    }

    pub(in crate::store) fn take_loose(&self, id: &ObjectId) -> Result<(), StoreError> {
        let file = loose::path(&self.objects_dir(), &id.to_string());
        remove_if_there(&file)?;
        if let Some(fan) = file.parent() {
            // Only an empty one goes.
            let _ = fs::remove_dir(fan);
        }
        Ok(())
    }

    fn objects_dir(&self) -> PathBuf {
        self.repo.objects.store_ref().path().to_owned()
    }

    fn pack_file(&self, name: &str, end: &str) -> PathBuf {
        self.objects_dir().join("pack").join(format!("pack-{name}.{end}"))
    }

    fn is_loose(&self, id: &ObjectId) -> bool {
        loose::path(&self.objects_dir(), &id.to_string()).is_file()
    }

    /// A pack of these objects, each a delta to one of the newer ones of its likes where that is
    /// shorter.
    fn drafted<'l>(
        &self,
        objects: impl Iterator<Item = (ObjectId, &'l str)>,
    ) -> Result<Draft, StoreError> {
        struct Base {
            at: usize,
            depth: usize,
            kind: gix::objs::Kind,
            bytes: Vec<u8>,
        }
        let mut draft = Draft::new(self.repo.object_hash());
        let mut bases: HashMap<&str, VecDeque<Base>> = HashMap::new();
        for (id, like) in objects {
            let object = self.object(id, like)?;
            let at = draft.end();
            let likes = bases.entry(like).or_default();
            let mut least = file::deflated(&object.data)?.len();
            let mut delta = None;
            // A delta is of its base's kind.
            let fits = |base: &&Base| base.depth < DEPTH && base.kind == object.kind;
            for base in likes.iter().filter(fits) {
                if base.bytes.len().max(object.data.len()) > LARGE {
                    continue;
                }
                let Some(bytes) = delta::between(&base.bytes, &object.data) else { continue };
                let size = file::deflated(&bytes)?.len() + file::distance(at - base.at).len();
                if size < least {
                    least = size;
                    delta = Some((base, bytes));
                }
            }
            let depth = if let Some((base, bytes)) = delta {
                draft.push_delta(id, &file::Delta { bytes: &bytes, base: base.at })?;
                base.depth + 1
            } else {
                draft.push(id, object.kind, &object.data)?;
                0
            };
            likes.truncate(WINDOW - 1);
            likes.push_front(Base { at, depth, kind: object.kind, bytes: object.data.clone() });
        }
        Ok(draft)
    }

    /// Puts these objects into packs of ours, whatever refs hold them.
    pub(in crate::store) fn add_packs(
        &self,
        texts: &[(ObjectId, gix::objs::Kind, Vec<u8>)],
        state: &[(ObjectId, gix::objs::Kind, Vec<u8>)],
    ) -> Result<(), StoreError> {
        let _lock = self.lock()?;
        let mut listed = self.whole_packs()?;
        for (sort, objects) in [(Sort::Text, texts), (Sort::State, state)] {
            let mut draft = Draft::new(self.repo.object_hash());
            for (id, kind, bytes) in objects {
                draft.push(*id, *kind, bytes)?;
            }
            if !self.add(&mut listed, sort, draft)? {
                return Err(StoreError::odd(LIST.to_owned(), "an object was to be packed twice"));
            }
        }
        Ok(())
    }

    /// Gives the pack its name; false where git would refuse it.
    fn add(&self, listed: &mut Vec<Listed>, sort: Sort, draft: Draft) -> Result<bool, StoreError> {
        if draft.is_empty() {
            return Ok(true);
        }
        let Some(packed) = draft.finish()? else { return Ok(false) };
        listed.retain(|listed| listed.name != packed.name);
        listed.push(Listed { sort, name: packed.name.clone() });
        self.list(listed)?;
        self.write(&packed)?;
        Ok(true)
    }

    fn write(&self, Packed { name, pack, index }: &Packed) -> Result<(), StoreError> {
        let seed = self.seed_dir();
        // git has them so: nobody writes to a pack.
        let whole = Whole::new().mode(0o444).drafted_in(&seed);
        whole.write(&self.pack_file(name, "pack"), pack)?;
        Ok(whole.write(&self.pack_file(name, "idx"), index)?)
    }

    /// Where there are too many packs of a sort, one takes the place of all but a large one.
    fn make_one(&self, listed: &mut Vec<Listed>, sort: Sort) -> Result<(), StoreError> {
        let mut ours = Vec::new();
        for Listed { name, .. } in listed.iter().filter(|listed| listed.sort == sort) {
            let data = fs::metadata(self.pack_file(name, "pack"))?;
            ours.push((usize::try_from(data.len()).unwrap_or(usize::MAX), name.clone()));
        }
        if ours.len() <= MOST {
            return Ok(());
        }
        ours.sort();
        let total = |of: &[(usize, String)]| of.iter().map(|(size, _)| size).sum::<usize>();
        // The bytes of a large pack are not written again for each small one that comes.
        while let Some(((large, _), rest)) = ours.split_last()
            && rest.len() > 1
            && *large > total(rest)
        {
            ours.pop();
        }
        if total(&ours) > file::MOST {
            // Too much for one step: git's gc takes such packs together.
            return Ok(());
        }
        let names: Vec<&str> = ours.iter().map(|(_, name)| name.as_str()).collect();
        let one = self.joined(&names)?;
        if self.add(listed, sort, one)? {
            for name in &names {
                self.take_away(name)?;
            }
            listed.retain(|listed| !names.contains(&listed.name.as_str()));
            self.list(listed)?;
        }
        Ok(())
    }

    /// All objects of these packs in one: their entries as they are, or written anew where an
    /// object stands in two of them, as a killed joining leaves them.
    fn joined(&self, names: &[&str]) -> Result<Draft, StoreError> {
        let mut one = Draft::new(self.repo.object_hash());
        let mut ids = HashSet::new();
        let mut twice = false;
        for name in names {
            let index = self.index(&self.pack_file(name, "idx"))?;
            let bytes = fs::read(self.pack_file(name, "pack"))?;
            let end = bytes.len().saturating_sub(self.repo.object_hash().len_in_bytes());
            let body = bytes.get(HEAD..end).ok_or_else(|| damaged(name))?;
            let mut places = Vec::new();
            for entry in index.iter() {
                let offset = usize::try_from(entry.pack_offset).map_err(|_| damaged(name))?;
                let crc = entry.crc32.ok_or_else(|| damaged(name))?;
                twice |= !ids.insert(entry.oid);
                places.push(Place { id: entry.oid, offset, crc });
            }
            one.adopt(body, places);
        }
        if twice { self.drafted(ids.into_iter().map(|id| (id, ""))) } else { Ok(one) }
    }

    /// The index first: without it git does not see the pack.
    fn take_away(&self, name: &str) -> Result<(), StoreError> {
        for end in ["idx", "rev", "bitmap", "pack"] {
            remove_if_there(&self.pack_file(name, end))?;
        }
        Ok(())
    }

    /// The packs of ours that are there, without those that gc took in or that a killed program
    /// left half made or half gone.
    fn whole_packs(&self) -> Result<Vec<Listed>, StoreError> {
        let mut listed = self.listed()?;
        let mut gone = Vec::new();
        listed.retain(|Listed { name, .. }| {
            let whole = ["pack", "idx"].iter().all(|end| self.pack_file(name, end).is_file());
            if !whole {
                gone.push(name.clone());
            }
            whole
        });
        for name in gone {
            self.take_away(&name)?;
        }
        Ok(listed)
    }

    fn list_file(&self) -> PathBuf {
        self.common_dir.join(SEED_DIR).join(LIST)
    }

    fn listed(&self) -> Result<Vec<Listed>, StoreError> {
        let text = match read_plain(&self.list_file()) {
            Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            read => read?,
        };
        let digits = self.repo.object_hash().len_in_hex();
        let read = |line: &str| {
            let (word, name) = line.split_once(' ')?;
            let sort = Sort::ALL.into_iter().find(|sort| sort.word() == word)?;
            let is_name = name.len() == digits && name.bytes().all(|byte| byte.is_ascii_hexdigit());
            is_name.then(|| Listed { sort, name: name.to_owned() })
        };
        let text = String::from_utf8_lossy(&text);
        let lines = text.lines().map(|line| {
            let what = || self.list_file().display().to_string();
            read(line).ok_or_else(|| StoreError::odd(what(), &format!("not a pack: {line}")))
        });
        lines.collect()
    }

    fn list(&self, listed: &[Listed]) -> Result<(), StoreError> {
        let line = |Listed { sort, name }: &Listed| format!("{} {name}\n", sort.word());
        let text: String = listed.iter().map(line).collect();
        Ok(write_whole(&self.list_file(), text.as_bytes())?)
    }

    /// The index of each pack that is here now; one that another program just took away is not.
    fn indexes(&self) -> Result<Vec<Index>, StoreError> {
        let files = match fs::read_dir(self.objects_dir().join("pack")) {
            Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            read => read?,
        };
        let files = files.flatten().map(|file| file.path());
        let files = files.filter(|file| file.extension().is_some_and(|end| end == "idx"));
        // Of a pack that is gone no object counts as packed: it stays loose, or is packed again.
        Ok(files.filter_map(|file| Index::at(file, self.repo.object_hash()).ok()).collect())
    }

    fn index(&self, file: &std::path::Path) -> Result<Index, StoreError> {
        let at = Index::at(file, self.repo.object_hash());
        at.map_err(|err| StoreError::unreadable(file.display().to_string(), &err))
    }
}

fn damaged(name: &str) -> StoreError {
    StoreError::odd(format!("pack-{name}"), "its index does not fit it")
}

/// The kind and the path, without the names that number what is alike.
fn like(kind: &str, path: &str) -> String {
    let parts = path.split('/').map(|part| {
        let is_id = part.len() > 1 && part.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_numbered = part.bytes().any(|byte| byte.is_ascii_digit());
        if is_id || is_numbered { "" } else { part }
    });
    let path: Vec<&str> = parts.collect();
    format!("{kind} {}", path.join("/"))
}

fn remove_if_there(file: &std::path::Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}

#[cfg(test)]
mod tests {
    use super::super::chain::TreeEdit;
    use super::super::testbed::Testbed;
    use super::*;

    const CHAIN: &str = "refs/seed/jobs/a";
    const OTHER: &str = "refs/seed/jobs/b";

    fn is_text(path: &str) -> bool {
        path.starts_with("interactions/")
    }

    fn put(path: &str, text: &str) -> TreeEdit {
        TreeEdit::Put { path: path.to_owned(), bytes: text.as_bytes().to_vec() }
    }

    /// A state of some size that changes a little with each step.
    fn state(n: usize) -> String {
        let line = |m: usize| format!("line-{m} = \"{}\"\n", m * m);
        (0..60).map(line).chain([format!("step = {n}\n")]).collect()
    }

    /// As many steps on a chain, each with its state and a prompt.
    fn steps(store: &Store, chain: &str, numbers: std::ops::Range<usize>) {
        for n in numbers {
            let prompt = format!("Mend the lexer, part {n} of {chain}.\n");
            let edits =
                [put("job.toml", &state(n)), put(&format!("interactions/{n:04}.md"), &prompt)];
            let tip = store.tip(chain).expect("reads").map(|tip| tip.commit);
            store.append(chain, tip.as_ref(), &edits, "step", 0).expect("appends");
        }
    }

    fn counted(bed: &Testbed, key: &str) -> usize {
        let said = bed.git(&["count-objects", "-v"]);
        let value = said.lines().find_map(|line| line.strip_prefix(&format!("{key}: ")));
        value.expect("git counts it").parse().expect("a number")
    }

    /// All of our packs with the objects in them.
    fn packs(store: &Store) -> Vec<(Sort, HashSet<ObjectId>)> {
        let listed = store.listed().expect("reads").into_iter();
        let held = |name: &str| {
            let index = store.index(&store.pack_file(name, "idx")).expect("is there");
            index.iter().map(|entry| entry.oid).collect()
        };
        listed.map(|Listed { sort, name }| (sort, held(&name))).collect()
    }

    fn reads_all(store: &Store, chain: &str, steps: usize) {
        let tip = store.tip(chain).expect("reads").expect("is there");
        assert_eq!(store.file(&tip, "job.toml").expect("reads"), Some(state(steps - 1).into()));
        for n in 0..steps {
            let path = format!("interactions/{n:04}.md");
            assert!(store.file(&tip, &path).expect("reads").is_some(), "{path}");
        }
    }

    #[test]
    fn what_was_loose_is_packed_in_both_formats_and_texts_lie_apart() {
        for format in ["sha1", "sha256"] {
            let bed = Testbed::with_format(format);
            bed.commit("code", "fn lex() {}\n");
            let persons = counted(&bed, "count");
            let (store, reader) = (bed.store(), bed.store());
            steps(&store, CHAIN, 0..12);
            reads_all(&reader, CHAIN, 12);
            let loose = counted(&bed, "size");
            store.pack_ours(is_text).expect("packs");
            assert_eq!(counted(&bed, "count"), persons);
            assert_eq!((counted(&bed, "packs"), counted(&bed, "garbage")), (2, 0));
            assert!(counted(&bed, "size-pack") * 8 < loose, "{loose} KiB were loose");
            bed.is_sound();
            for Listed { name, .. } in store.listed().expect("reads") {
                bed.git(&["verify-pack", &store.pack_file(&name, "idx").display().to_string()]);
            }
            // A handle that looked before the files went finds them where they are now.
            reads_all(&reader, CHAIN, 12);
            let tip = store.tip(CHAIN).expect("reads").expect("is there");
            for (sort, held) in packs(&store) {
                for n in 0..12 {
                    let path = format!("{}:interactions/{n:04}.md", tip.commit);
                    let id: ObjectId =
                        bed.git(&["rev-parse", &path]).trim().parse().expect("an id");
                    assert_eq!(held.contains(&id), sort == Sort::Text);
                }
            }
            bed.git(&["gc", "-q", "--prune=now"]);
            bed.is_sound();
            steps(&store, CHAIN, 12..14);
            store.pack_ours(is_text).expect("packs after a gc");
            assert_eq!(packs(&store).len(), 2, "those that gc took in are forgotten");
            reads_all(&bed.store(), CHAIN, 14);
        }
    }

    /// A delta says nothing of its kind: git takes the base's.
    #[test]
    fn a_delta_is_of_its_bases_kind() {
        let bed = Testbed::new();
        let store = bed.store();
        steps(&store, CHAIN, 0..2);
        let commit = store.tip(CHAIN).expect("reads").expect("is there").commit;
        let bytes = bed.git(&["cat-file", "commit", commit.as_str()]);
        let blobs = super::super::object::Draft::new(&store);
        let blob = |end: &str| blobs.blob(format!("{bytes}{end}").as_bytes(), "b").expect("made");
        let ids = [commit.object().expect("an id"), blob("one"), blob("two")];
        blobs.settle().expect("settles");
        let drafted = store.drafted(ids.map(|id| (id, "")).into_iter()).expect("drafts");
        let packed = drafted.finish().expect("finishes").expect("none stands twice");
        store.write(&packed).expect("writes");
        for id in &ids {
            store.take_loose(id).expect("goes");
        }
        for (id, kind) in ids.iter().zip(["commit", "blob", "blob"]) {
            assert_eq!(bed.git(&["cat-file", "-t", &id.to_string()]).trim(), kind);
        }
        bed.is_sound();
    }

    #[test]
    fn many_packs_become_one_and_a_large_one_stays() {
        let bed = Testbed::new();
        let store = bed.store();
        steps(&store, CHAIN, 0..40);
        store.pack_ours(is_text).expect("packs");
        let large = store.listed().expect("reads");
        for n in 0..9 {
            steps(&store, OTHER, n..n + 1);
            store.pack_ours(is_text).expect("packs");
            for sort in Sort::ALL {
                let ours = packs(&store).iter().filter(|(of, _)| *of == sort).count();
                assert!(ours <= MOST, "{ours} of {sort:?}");
            }
            assert_eq!(counted(&bed, "packs"), store.listed().expect("reads").len());
            assert_eq!(counted(&bed, "garbage"), 0);
            bed.is_sound();
        }
        let now = store.listed().expect("reads");
        assert!(large.iter().all(|listed| now.contains(listed)), "{large:?} {now:?}");
        reads_all(&bed.store(), CHAIN, 40);
        reads_all(&bed.store(), OTHER, 9);
    }

    #[test]
    fn packs_that_a_killed_joining_left_beside_the_joined_one_are_joined_again() {
        let bed = Testbed::new();
        let store = bed.store();
        let pack = |n: usize| {
            steps(&store, OTHER, n..n + 1);
            store.pack_ours(is_text).expect("packs");
        };
        (0..MOST).for_each(pack);
        let before = store.listed().expect("reads");
        let dir = store.objects_dir().join("pack");
        let copy = |from: &std::path::Path, to: &std::path::Path| {
            for file in fs::read_dir(from).expect("is there").flatten() {
                fs::copy(file.path(), to.join(file.file_name())).expect("copies");
            }
        };
        let beside = bed.path().join("../beside");
        fs::create_dir(&beside).expect("creates");
        copy(&dir, &beside);
        pack(MOST);
        let mut both = before;
        let now = store.listed().expect("reads");
        let new: Vec<Listed> = now.into_iter().filter(|one| !both.contains(one)).collect();
        both.extend(new);
        copy(&beside, &dir);
        store.list(&both).expect("writes");
        for n in MOST + 1..2 * MOST {
            pack(n);
        }
        let ours = store.listed().expect("reads");
        assert!(ours.len() <= 2 * MOST, "{ours:?}");
        bed.is_sound();
        reads_all(&bed.store(), OTHER, 2 * MOST);
    }

    #[test]
    fn what_a_killed_packing_left_is_finished_or_taken_away() {
        let bed = Testbed::new();
        let store = bed.store();
        steps(&store, CHAIN, 0..3);
        let kept = bed.path().parent().expect("has one").join("kept");
        let shell = |line: &str| {
            let dirs = [bed.path().join(".git/objects"), kept.clone()];
            let mut sh = std::process::Command::new("sh");
            assert!(
                sh.arg("-c").arg(line).arg("sh").args(&dirs).status().expect("runs").success(),
                "{line}"
            );
        };
        shell("cp -a \"$1\" \"$2\"");
        store.pack_ours(is_text).expect("packs");
        let listed = store.listed().expect("reads");
        let again = |what: &str| {
            bed.is_sound();
            let store = bed.store();
            store.pack_ours(is_text).expect("packs");
            reads_all(&store, CHAIN, 3);
            assert_eq!((counted(&bed, "count"), counted(&bed, "garbage")), (0, 0), "{what}");
            bed.is_sound();
        };
        // All loose files are there still, or some of them.
        shell("cp -a \"$2\"/?? \"$1\"");
        again("before the first file went");
        let tip = store.tip(CHAIN).expect("reads").expect("is there").commit.to_string();
        shell(&format!("d={}; mkdir -p \"$1/$d\" && cp -a \"$2/$d\" \"$1\"", &tip[..2]));
        again("before the last file went");
        // The pack has its name, and its index does not.
        shell("cp -a \"$2\"/?? \"$1\"");
        for Listed { name, .. } in &listed {
            fs::remove_file(store.pack_file(name, "idx")).expect("is there");
        }
        again("before the index");
        // Nothing of it came but the line.
        shell("cp -a \"$2\"/?? \"$1\"; rm -f \"$1\"/pack/*");
        again("before the pack");
    }

    #[test]
    fn a_list_that_is_not_ours_is_named_and_nothing_is_taken_away() {
        let bed = Testbed::new();
        let store = bed.store();
        steps(&store, CHAIN, 0..2);
        for line in ["text ../../../HEAD", "state 12", "other", "prompt 00"] {
            write_whole(&store.list_file(), format!("{line}\n").as_bytes()).expect("writes");
            let before = counted(&bed, "count");
            let failed = store.pack_ours(is_text).expect_err("it does not read");
            assert!(failed.to_string().contains("packs"), "{failed}");
            assert_eq!(counted(&bed, "count"), before);
        }
    }
}
