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
use crate::world::{Whole, read_plain, remove_if_there, write_whole};

/// The most packs of ours of one sort.
const MOST: usize = 4;
/// Packs of a sort that come to no more bytes are made one at each packing: an index has a head of
/// a kilobyte, and what a cycle leaves is most like what the one before left.
const SMALL: usize = 64 * 1024;
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
    /// What the next step replaces: it stays loose. The commit of the texts, and the tree of an
    /// open job's.
    Passing,
}

impl Sort {
    /// Those that have packs.
    const ALL: [Self; 2] = [Self::Text, Self::State];

    fn word(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::State => "state",
            Self::Passing => "passing",
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
        let open: HashSet<String> = chains
            .iter()
            .filter_map(|(chain, _)| Some(names::job_of(chain)?.to_string()))
            .collect();
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
                let sort = if texts { Sort::Passing } else { Sort::State };
                found.push(Own { id, like: format!("commit {chain}"), sort });
                ahead.extend(read.parents());
                if !pins {
                    let from = found.len();
                    self.below(read.tree(), "", &mut seen, &mut found)?;
                    if texts {
                        let passes = self.passing(read.tree(), &open)?;
                        found[from..].iter_mut().for_each(|own| own.sort = of_texts(own, &passes));
                    }
                }
            }
        }
        Ok(found)
    }

    /// Of the tree of the texts, the trees that the next step of an open job replaces.
    fn passing(
        &self,
        tree: ObjectId,
        open: &HashSet<String>,
    ) -> Result<HashSet<ObjectId>, StoreError> {
        let mut passes = HashSet::from([tree]);
        for job in self.store.tree_object(tree, names::TEXTS)?.iter() {
            let odd = |err| StoreError::unreadable(names::TEXTS.to_owned(), &err);
            let job = job.map_err(odd)?;
            if open.contains(&job.filename().to_string()) {
                passes.insert(job.object_id());
            }
        }
        Ok(passes)
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

/// What an object of the texts is.
fn of_texts(own: &Own, passes: &HashSet<ObjectId>) -> Sort {
    if own.like.starts_with("blob") {
        Sort::Text
    } else if passes.contains(&own.id) {
        Sort::Passing
    } else {
        Sort::State
    }
}

impl Store {
    /// Puts the loose objects that our refs hold into packs. `is_text` tells by its path in a job's
    /// tree whether a blob holds words of people.
    pub(crate) fn pack_ours(&self, is_text: fn(&str) -> bool) -> Result<(), StoreError> {
        let _lock = self.lock()?;
        let mut listed = self.whole_packs()?;
        let known = self.indexes()?;
        let small = self.small(&listed, Sort::State)?;
        let redone: HashSet<ObjectId> =
            small.iter().flat_map(|(_, index)| index.iter().map(|entry| entry.oid)).collect();
        let is_wanted = |id: &ObjectId| redone.contains(id) || self.is_loose(id);
        let found = Walk { store: self, is_text, is_wanted: &is_wanted }.run()?;
        let is_packed = |id: &ObjectId| known.iter().any(|index| index.lookup(id).is_some());
        let is_fresh = |own: &&Own| !is_packed(&own.id);
        let text = found.iter().filter(|own| own.sort == Sort::Text).filter(is_fresh);
        let text = self.drafted(text.map(|own| (own.id, own.like.as_str())))?;
        self.add_new(&mut listed, Sort::Text, text)?;
        self.make_one(&mut listed, Sort::Text)?;
        if found.iter().filter(is_fresh).any(|own| own.sort == Sort::State) {
            let state = found
                .iter()
                .filter(|own| redone.contains(&own.id) || own.sort == Sort::State && is_fresh(own));
            let mut state: Vec<(ObjectId, &str)> =
                state.map(|own| (own.id, own.like.as_str())).collect();
            let met: HashSet<ObjectId> = state.iter().map(|(id, _)| *id).collect();
            // What our refs hold no more may be named by a log or an undo.
            state.extend(redone.iter().filter(|id| !met.contains(*id)).map(|id| (*id, "")));
            let state = self.drafted(state.into_iter())?;
            let stays = self.add_new(&mut listed, Sort::State, state)?;
            self.drop_packs(&mut listed, small.iter().map(|(name, _)| name), &stays)?;
        }
        self.make_one(&mut listed, Sort::State)?;
        let known = self.indexes()?;
        let is_packed = |id: &ObjectId| known.iter().any(|index| index.lookup(id).is_some());
        let done = |own: &&Own| own.sort != Sort::Passing && is_packed(&own.id);
        // The newest commit goes last: from it a later packing finds what a killed one left.
        for Own { id, .. } in found.iter().rev().filter(done) {
            // Its directory stays: the next steps would make it anew.
            remove_if_there(loose::path(&self.objects_dir(), &id.to_string()))?;
        }
        Ok(())
    }

    /// The smallest packs of a sort, as many as together are small, with what they hold.
    fn small(&self, listed: &[Listed], sort: Sort) -> Result<Vec<(String, Index)>, StoreError> {
        let (mut small, mut total) = (Vec::new(), 0);
        for (size, name) in self.sizes(listed, sort)? {
            total += size;
            if total > SMALL {
                break;
            }
            let index = self.index(&self.pack_file(&name, "idx"))?;
            small.push((name, index));
        }
        Ok(small)
    }

    /// The packs of a sort with their sizes, the smallest first.
    fn sizes(&self, listed: &[Listed], sort: Sort) -> Result<Vec<(usize, String)>, StoreError> {
        let mut sizes = Vec::new();
        for Listed { name, .. } in listed.iter().filter(|listed| listed.sort == sort) {
            let data = fs::metadata(self.pack_file(name, "pack"))?;
            sizes.push((usize::try_from(data.len()).unwrap_or(usize::MAX), name.clone()));
        }
        sizes.sort();
        Ok(sizes)
    }

    /// Takes away packs whose objects stand in another one, which `stays`.
    fn drop_packs<'n>(
        &self,
        listed: &mut Vec<Listed>,
        names: impl Iterator<Item = &'n String>,
        stays: &str,
    ) -> Result<(), StoreError> {
        let names: Vec<&String> = names.filter(|name| *name != stays).collect();
        for name in &names {
            self.take_away(name)?;
        }
        listed.retain(|listed| !names.contains(&&listed.name));
        self.list(listed)
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
            self.add_new(&mut listed, sort, draft)?;
        }
        Ok(())
    }

    /// Gives the pack its name; no object may stand in it twice.
    fn add_new(
        &self,
        listed: &mut Vec<Listed>,
        sort: Sort,
        draft: Draft,
    ) -> Result<String, StoreError> {
        let was_empty = draft.is_empty();
        if !self.add(listed, sort, draft)? {
            return Err(StoreError::odd(LIST.to_owned(), "an object was to be packed twice"));
        }
        // The one that came is listed last.
        let last = listed.last().filter(|_| !was_empty);
        Ok(last.map(|last| last.name.clone()).unwrap_or_default())
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
        let mut ours = self.sizes(listed, sort)?;
        let total = |of: &[(usize, String)]| of.iter().map(|(size, _)| size).sum::<usize>();
        if ours.len() <= MOST && (sort != Sort::Text || ours.len() < 2 || total(&ours) > SMALL) {
            return Ok(());
        }
        // The bytes of a large pack are not written again for each small one that comes.
        while let Some(((large, _), rest)) = ours.split_last()
            && rest.len() > 1
            && *large > total(rest).max(SMALL)
        {
            ours.pop();
        }
        if total(&ours) > file::MOST {
            // Too much for one step: git's gc takes such packs together.
            return Ok(());
        }
        let names: Vec<&String> = ours.iter().map(|(_, name)| name).collect();
        let one = self.joined(&names)?;
        if self.add(listed, sort, one)? {
            let stays = listed.last().map(|last| last.name.clone()).unwrap_or_default();
            self.drop_packs(listed, names.iter().copied(), &stays)?;
        }
        Ok(())
    }

    /// All objects of these packs in one: their entries as they are, or written anew where an
    /// object stands in two of them, as a killed joining leaves them.
    fn joined(&self, names: &[&String]) -> Result<Draft, StoreError> {
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
            remove_if_there(self.pack_file(name, end))?;
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

    /// Adds a state and a text of so many bytes that do not compress.
    fn noise(store: &Store, chain: &str, seed: u32, bytes: usize) {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state.to_be_bytes()[0]
        };
        let mut put = |path: &str| {
            let bytes = std::iter::repeat_with(&mut next).take(bytes).collect();
            TreeEdit::Put { path: path.to_owned(), bytes }
        };
        let edits = [put("noise"), put("interactions/noise")];
        let tip = store.tip(chain).expect("reads").map(|tip| tip.commit);
        store.append(chain, tip.as_ref(), &edits, "noise", 0).expect("appends");
    }

    #[test]
    fn many_packs_become_one_and_a_large_one_stays() {
        let bed = Testbed::new();
        let store = bed.store();
        steps(&store, CHAIN, 0..40);
        noise(&store, CHAIN, 7, SMALL * 16);
        store.pack_ours(is_text).expect("packs");
        let large = store.listed().expect("reads");
        for n in 0..9 {
            steps(&store, OTHER, n..n + 1);
            noise(&store, OTHER, 100 + u32::try_from(n).expect("fits"), SMALL + 1);
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

    /// What comes in four packings takes as much room as what comes in one.
    #[test]
    fn small_packs_are_made_one_with_new_deltas() {
        let size = |bed: &Testbed, store: &Store| {
            let state = store.listed().expect("reads");
            assert_eq!((state.len(), counted(bed, "garbage")), (2, 0), "{state:?}");
            let sizes = store.sizes(&state, Sort::State).expect("reads");
            (sizes[0].0, packs(store).iter().map(|(_, held)| held.len()).sum::<usize>())
        };
        let (once, often) = (Testbed::new(), Testbed::new());
        let (whole, store) = (once.store(), often.store());
        steps(&whole, CHAIN, 0..16);
        let fans = || fs::read_dir(whole.objects_dir()).expect("is there").count();
        let before = fans();
        whole.pack_ours(is_text).expect("packs");
        assert_eq!(fans(), before, "directories stay for the next steps");
        for n in 0..4 {
            steps(&store, CHAIN, n * 4..n * 4 + 4);
            store.pack_ours(is_text).expect("packs");
            let before = store.listed().expect("reads");
            store.pack_ours(is_text).expect("packs");
            assert_eq!(store.listed().expect("reads"), before, "nothing came");
            often.is_sound();
        }
        let (alone, joined) = (size(&once, &whole), size(&often, &store));
        assert_eq!(joined, alone);
        reads_all(&often.store(), CHAIN, 16);
        // What no ref of ours holds any more stays in them.
        let tip = store.tip(CHAIN).expect("reads").expect("is there").commit;
        store.delete_chain(CHAIN, &tip).expect("goes");
        steps(&store, OTHER, 0..1);
        store.pack_ours(is_text).expect("packs");
        assert!(size(&often, &store).1 > alone.1);
        often.git(&["cat-file", "-e", tip.as_str()]);
    }

    /// Of the texts a step replaces the commit, its tree and that of the job: in a pack they would
    /// be nobody's after it.
    #[test]
    fn what_the_next_step_replaces_stays_loose_while_its_job_is_open() {
        use crate::format::texts::NewText;
        use crate::store::{NewStep, TextsEdit};
        let bed = Testbed::new();
        let store = bed.store();
        let add = [NewText::new("0123456789abcdef0123456789abcdef", b"Mend it.")];
        let edits = [put("job.toml", &state(1))];
        let step = NewStep { edits: &edits, message: "step", at: 0 };
        let texts = TextsEdit { job: "a", add: &add, ..TextsEdit::default() };
        let tip = store.append_with_texts(CHAIN, None, &step, &texts).expect("appends");
        let of = |what: &str| {
            let id = bed.git(&["rev-parse", &format!("{}{what}", names::TEXTS)]);
            ObjectId::from_hex(id.trim().as_bytes()).expect("an id")
        };
        let (passing, text) = (["", ":", ":a"].map(of), of(&format!(":a/{}", add[0].key)));
        let is_packed = |id: &ObjectId| packs(&store).iter().any(|(_, held)| held.contains(id));
        store.pack_ours(is_text).expect("packs");
        assert!(passing.iter().all(|id| store.is_loose(id) && !is_packed(id)));
        assert!(is_packed(&text) && !store.is_loose(&text));
        store.delete_chain(CHAIN, &tip).expect("goes");
        store.pack_ours(is_text).expect("packs");
        assert_eq!(passing.map(|id| is_packed(&id)), [false, false, true], "its job is closed");
        bed.is_sound();
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
