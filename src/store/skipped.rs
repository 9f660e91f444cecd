//! What the person's index leaves out of the work tree: files marked skip-worktree, as a sparse
//! checkout marks them, those below the directories of a sparse index among them.
//!
//! A mark counts where the patterns of the sparse checkout leave the path out, too: one that
//! somebody set by hand hides nothing. What is left out and missing was deleted by nobody, unless
//! it was there with another content: a private index keeps what the person's says of it. What is
//! there counts by its content, whatever its mark says.
//!
//! Nothing is read but the first bytes of an index that can hold no such mark.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use gix::index::entry::{Flags, Mode, Stat};

use super::cone::Cone;
use super::error::StoreError;
use super::index::{NUMBERS, Plain, each_entry};
use super::left_out::Skipped;
use super::own::{self, write_dated};
use super::worktree::PRIVATE;
use super::{RepoPath, Store};

/// Marks of the person's that a private index cannot do without: git reads the tree then.
const HIDING: Flags = Flags::ASSUME_VALID.union(Flags::INTENT_TO_ADD).union(Flags::STAGE_MASK);

/// What an index begins with: its name and its version.
const HEAD: usize = 8;

fn numbers_of(stat: &Stat, mode: u32) -> [u32; NUMBERS] {
    let (changed, modified) = (stat.ctime, stat.mtime);
    let ([a, b], [c, d]) = ([changed.secs, changed.nsecs], [modified.secs, modified.nsecs]);
    [a, b, c, d, stat.dev, stat.ino, mode, stat.uid, stat.gid, stat.size]
}

/// An entry of an index; of one that is left out nothing is known but its mode.
struct Listed<'a> {
    name: &'a [u8],
    mode: u32,
    id: gix::ObjectId,
    stat: Option<&'a Stat>,
}

impl Store {
    /// What the person's index leaves out of the work tree.
    ///
    /// # Errors
    ///
    /// The index does not read, or a tree that a sparse one names is not here.
    pub(super) fn skipped(&self) -> Result<Rc<Skipped>, StoreError> {
        let file = self.git_dir.join("index");
        // Before it is read: what takes its place meanwhile is younger.
        let was = file.metadata().and_then(|data| Ok((data.modified()?, data.len())));
        let mut known = self.left_out.0.borrow_mut();
        if let (Ok(was), Some((time, length, skipped))) = (&was, &*known)
            && *was == (*time, *length)
        {
            return Ok(Rc::clone(skipped));
        }
        let skipped = Rc::new(self.read_skipped()?);
        // Where there is no index nothing is kept in mind.
        *known = was.ok().map(|(time, length)| (time, length, Rc::clone(&skipped)));
        Ok(skipped)
    }

    fn read_skipped(&self) -> Result<Skipped, StoreError> {
        let mut skipped = Skipped::default();
        let Some(cone) = self.cone()? else { return Ok(skipped) };
        if let Some(skipped) = self.read_marks(&cone)? {
            return Ok(skipped);
        }
        let Some(index) = self.marking_index()? else { return Ok(skipped) };
        self.each_listed(&index, |listed| {
            if listed.stat.is_none() && !cone.takes(listed.name) {
                skipped.add(listed.name, listed.mode, listed.id);
            }
        })?;
        Ok(skipped)
    }

    /// The same where the index holds all its entries and each is a file, in one pass.
    fn read_marks(&self, cone: &Cone) -> Result<Option<Skipped>, StoreError> {
        let bytes = match fs::read(self.git_dir.join("index")) {
            Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok(None),
            bytes => bytes?,
        };
        if self.shares_index()? {
            return Ok(None);
        }
        let (mut skipped, mut stands) = (Skipped::default(), true);
        let read = each_entry(&bytes, self.repo.object_hash().len_in_bytes(), |entry| {
            let Ok(id) = gix::ObjectId::try_from(entry.id()) else { return };
            stands &= !entry.is_directory();
            if stands && entry.is_skipped() && !cone.takes(entry.name()) {
                skipped.add(entry.name(), entry.mode(), id);
            }
        });
        Ok(read.filter(|_| stands).map(|_| skipped))
    }

    /// What a sparse checkout takes in; nothing where this is none, or its patterns are not
    /// followed here.
    pub(super) fn cone(&self) -> Result<Option<Cone>, StoreError> {
        if self.repo.config_snapshot().boolean("core.sparseCheckout") != Some(true) {
            return Ok(None);
        }
        match fs::read(self.git_dir.join("info").join("sparse-checkout")) {
            Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(None),
            file => Ok(Cone::of(&file?)),
        }
    }

    /// The person's index where it may leave something out.
    fn marking_index(&self) -> Result<Option<gix::index::File>, StoreError> {
        let path = self.git_dir.join("index");
        let mut head = [0; HEAD];
        match fs::File::open(&path).and_then(|mut file| file.read_exact(&mut head)) {
            Err(err)
                if matches!(err.kind(), io::ErrorKind::NotFound | io::ErrorKind::UnexpectedEof) =>
            {
                return Ok(None);
            }
            read => read?,
        }
        // Version 2 has no place for the mark, unless another file holds the entries.
        if head == *b"DIRC\0\0\0\x02" && !self.shares_index()? {
            return Ok(None);
        }
        let kind = self.repo.object_hash();
        let index = gix::index::File::at(&path, kind, true, gix::index::decode::Options::default());
        let unreadable = |err| StoreError::unreadable("the index".to_owned(), &err);
        index.map(Some).map_err(unreadable)
    }

    /// Whether a file lies here that a split index leans on.
    pub(super) fn shares_index(&self) -> io::Result<bool> {
        let shared = |entry: io::Result<fs::DirEntry>| {
            entry.map(|entry| entry.file_name().as_encoded_bytes().starts_with(b"sharedindex."))
        };
        fs::read_dir(&self.git_dir)?.map(shared).try_fold(false, |any, is| Ok(any || is?))
    }

    /// Tells of each entry in order, and of each file below a directory that stands for them all.
    fn each_listed(
        &self,
        index: &gix::index::File,
        mut tell: impl FnMut(Listed<'_>),
    ) -> Result<(), StoreError> {
        for entry in index.entries() {
            let (name, id) = (entry.path(index), entry.id);
            if entry.mode == Mode::DIR {
                for (below, mode, id) in self.files_of_tree(id)? {
                    let name = [name.as_ref(), below.as_slice()].concat();
                    tell(Listed { name: &name, mode, id, stat: None });
                }
            } else {
                let is_there = !entry.flags.contains(Flags::SKIP_WORKTREE);
                let stat = is_there.then_some(&entry.stat);
                tell(Listed { name: name.as_ref(), mode: entry.mode.bits(), id, stat });
            }
        }
        Ok(())
    }

    fn files_of_tree(
        &self,
        id: gix::ObjectId,
    ) -> Result<Vec<(Vec<u8>, u32, gix::ObjectId)>, StoreError> {
        let name = || format!("a tree of the sparse index ({id})");
        if self.is_partial() && !self.repo.has_object(id) {
            return Err(StoreError::odd(
                name(),
                "it is with the remote: git sparse-checkout reapply --no-sparse-index",
            ));
        }
        let unreadable = |err| StoreError::unreadable(name(), &err);
        let tree = self.repo.find_tree(id).map_err(unreadable)?;
        let mut files: Vec<_> = tree
            .traverse()
            .breadthfirst
            .files()
            .map_err(unreadable)?
            .into_iter()
            .filter(|file| !file.mode.is_tree())
            .map(|file| (file.filepath.into(), u32::from(file.mode.value()), file.oid))
            .collect();
        files.sort_unstable();
        Ok(files)
    }

    /// Makes `to` what the person's index says, without its marks; says whether it did. Nothing is
    /// made of an index that hides more than what it leaves out.
    pub(super) fn copy_unmarked_index(&self, to: &Path) -> Result<bool, StoreError> {
        if self.copy_plain_index(to)? {
            return Ok(true);
        }
        let file = self.git_dir.join("index");
        let when = match file.metadata() {
            Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok(false),
            data => data?.modified()?,
        };
        let Some(index) = self.marking_index()? else { return Ok(false) };
        let Some(bytes) = self.unmarked(&index)? else { return Ok(false) };
        let Some(bytes) = own::sealed(self.repo.object_hash(), bytes) else { return Ok(false) };
        write_dated(to, &bytes, when)?;
        Ok(true)
    }

    /// The entries of the person's index without its marks, as those of a plain one; none where it
    /// hides more than what it leaves out.
    fn unmarked(&self, index: &gix::index::File) -> Result<Option<Vec<u8>>, StoreError> {
        if index.entries().iter().any(|entry| entry.flags.intersects(HIDING)) {
            return Ok(None);
        }
        let mut bytes = b"DIRC\0\0\0\x02\0\0\0\0".to_vec();
        let mut entries = 0_u32;
        self.each_listed(index, |Listed { name, mode, id, stat }| {
            let numbers = match stat {
                Some(stat) => numbers_of(stat, mode),
                None => numbers_of(&Stat::default(), mode),
            };
            Plain::write_entry(&mut bytes, &numbers, id.as_slice(), name);
            entries += 1;
        })?;
        bytes[HEAD..HEAD + 4].copy_from_slice(&entries.to_be_bytes());
        Ok(Some(bytes))
    }

    /// Has a private index say of what is left out, and is missing, what the person's says.
    pub(super) fn follow_skipped(&self, index: &Path, skipped: &Skipped) -> Result<(), StoreError> {
        if skipped.is_empty() || !index.exists() {
            return Ok(());
        }
        let length = self.repo.object_hash().len_in_bytes();
        // One that is not plain is begun anew by whoever needs it.
        let Some(plain) = Plain::of(fs::read(index)?, length) else { return Ok(()) };
        let differing = self.differing_in(&plain, skipped);
        let lines: Vec<u8> = differing.into_iter().flat_map(|at| skipped.line(at)).collect();
        if lines.is_empty() {
            return Ok(());
        }
        let time = index.metadata()?.modified()?;
        self.take_lines(index, lines)?;
        Ok(own::date(index, time)?)
    }

    /// Of what is left out and missing, that of which a private index says something else.
    pub(super) fn differing_in(&self, index: &Plain, skipped: &Skipped) -> Vec<usize> {
        let mut differing = skipped.told_otherwise(index);
        differing.retain(|at| self.is_missing(skipped.name(*at)));
        differing
    }

    /// Has an index of ours say of those of `paths` that are left out, and are missing, what the
    /// person's says; gives the others.
    pub(super) fn stage_skipped(
        &self,
        index: &Path,
        paths: &[RepoPath],
    ) -> Result<Vec<RepoPath>, StoreError> {
        let skipped = self.skipped()?;
        let left: BTreeSet<usize> = paths
            .iter()
            .filter_map(|path| skipped.find(path.as_bytes()))
            .filter(|at| self.is_missing(skipped.name(*at)))
            .collect();
        let is_left =
            |path: &RepoPath| skipped.find(path.as_bytes()).is_some_and(|at| left.contains(&at));
        if !left.is_empty() {
            self.take_lines(index, left.iter().flat_map(|at| skipped.line(*at)).collect())?;
        }
        Ok(paths.iter().filter(|path| !is_left(path)).cloned().collect())
    }

    /// Whether the person's index leaves `path` out, as `mode` and `id` say.
    pub(super) fn is_left_out_as(
        &self,
        path: &RepoPath,
        mode: u32,
        id: &gix::ObjectId,
    ) -> Result<bool, StoreError> {
        let skipped = self.skipped()?;
        Ok(skipped.find(path.as_bytes()).is_some_and(|at| skipped.is(at, mode, id)))
    }

    fn take_lines(&self, index: &Path, lines: Vec<u8>) -> Result<(), StoreError> {
        let args = ["update-index", "--add", "--replace", "-z", "--index-info"];
        let child = self.git(PRIVATE.into_iter().chain(args)).index(index);
        child.input(lines).run().map(drop)
    }

    /// Marks in an index of ours, which git gets to commit from, what is left out and missing: to
    /// the person's hooks nobody deleted it, and git does not look for each of them.
    pub(super) fn mark_skipped(&self, index: &Path) -> Result<(), StoreError> {
        let skipped = self.skipped()?;
        if skipped.is_empty() {
            return Ok(());
        }
        let kind = self.repo.object_hash();
        let Some(plain) = Plain::of(fs::read(index)?, kind.len_in_bytes()) else { return Ok(()) };
        let time = index.metadata()?.modified()?;
        let missing = Missing::of(self);
        let marked = plain.with_skipped(|name| skipped.holds(name) && missing.is(name));
        let bytes = own::sealed(kind, marked);
        bytes.map_or(Ok(()), |bytes| Ok(write_dated(index, &bytes, time)?))
    }

    /// Nothing lies at the path, and nothing but directories could.
    fn is_missing(&self, name: &[u8]) -> bool {
        let file = RepoPath::new(name).ok().and_then(|path| path.below(&self.work_tree).ok());
        file.is_some_and(|file| is_not_found(&file))
    }
}

fn is_not_found(path: &Path) -> bool {
    path.symlink_metadata().is_err_and(|err| err.kind() == io::ErrorKind::NotFound)
}

/// Says of many paths, one after the other, whether they are missing: where a directory is, all
/// below it are.
pub(super) struct Missing<'a> {
    store: &'a Store,
    /// The highest directory that was found missing last.
    dir: RefCell<Option<PathBuf>>,
}

impl<'a> Missing<'a> {
    pub(super) fn of(store: &'a Store) -> Self {
        Self { store, dir: RefCell::default() }
    }

    pub(super) fn is(&self, name: &[u8]) -> bool {
        let Ok(path) = RepoPath::new(name) else { return false };
        let Ok(file) = path.below(&self.store.work_tree) else { return false };
        if self.dir.borrow().as_ref().is_some_and(|dir| file.starts_with(dir)) {
            return true;
        }
        let above = file.ancestors().skip(1).take_while(|dir| *dir != self.store.work_tree);
        let gone = above.take_while(|dir| is_not_found(dir)).last();
        if let Some(gone) = gone {
            *self.dir.borrow_mut() = Some(gone.to_owned());
            return true;
        }
        is_not_found(&file)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::store::testbed::{Testbed, path};
    use crate::store::worktree::{ChangeKind, ToolDir};
    use crate::store::{Lens, TreeId};

    fn no_build(_: &RepoPath) -> Option<ToolDir> {
        None
    }

    /// What the fence found to have changed since it looked last, and the tree that it has now:
    /// by git, and by its own look.
    fn look(bed: &Testbed) -> (Vec<(String, ChangeKind)>, TreeId) {
        let store = bed.store();
        let looked = |index: &str, lens: &Lens| {
            let index = store.seed_dir().join("index").join(index);
            let changed = if index.exists() {
                store.changes_since_index(&index, lens, &no_build).expect("looks")
            } else {
                Vec::new()
            };
            let taken = store.snapshot(&index, lens, None, &no_build).expect("stands");
            let changed = changed.into_iter().map(|one| (one.path.to_string(), one.kind));
            (changed.collect::<Vec<_>>(), taken.tree)
        };
        let (own, gits) = (looked("main", &lens(&store)), looked("gits", &Lens::default()));
        assert_eq!(own, gits, "by the fence's own look, and by git");
        own
    }

    /// By which the fence looks itself, where it can.
    fn lens(store: &Store) -> Lens {
        store.lens(&store.pins().expect("pins"), None).expect("writes")
    }

    fn tree(bed: &Testbed, of: &str) -> TreeId {
        bed.git(&["rev-parse", &format!("{of}^{{tree}}")]).parse().expect("a tree")
    }

    /// Checkouts of each kind: how they are made, and whether the index is sparse, too.
    const KINDS: [(&str, &[&str]); 4] = [
        ("cone", &["set", "--cone", "--no-sparse-index", "src"]),
        ("cone, sparse index", &["set", "--cone", "--sparse-index", "src"]),
        ("patterns", &["set", "--no-cone", "/*", "!/many/", "!/src/left.txt"]),
        ("patterns, split", &["set", "--no-cone", "/*", "!/many/"]),
    ];

    fn sparse(args: &[&str]) -> Testbed {
        let bed = Testbed::new();
        for file in ["top", "src/a", "src/b", "src/left.txt", "many/1/a", "many/1/b", "many/2/a"] {
            bed.write(file, file);
        }
        bed.git(&["add", "-A"]);
        bed.git(&["commit", "-qm", "all"]);
        bed.git(&[&["sparse-checkout"], args].concat());
        bed
    }

    #[test]
    fn what_is_left_out_is_kept_as_the_index_has_it_and_no_change() {
        for (kind, args) in KINDS {
            let bed = sparse(args);
            if kind.ends_with("split") {
                bed.git(&["update-index", "--split-index"]);
            }
            assert!(!bed.path().join("many").exists(), "{kind}");
            for _ in 0..2 {
                assert_eq!(look(&bed), (Vec::new(), tree(&bed, "HEAD")), "{kind}");
            }
            // Inside the cone a file that goes was deleted.
            fs::remove_file(bed.path().join("src/a")).expect("goes");
            let (changed, now) = look(&bed);
            assert_eq!(changed, [("src/a".to_owned(), ChangeKind::Deleted)], "{kind}");
            assert_ne!(now, tree(&bed, "HEAD"), "{kind}");
        }
    }

    #[test]
    fn a_file_that_is_there_counts_by_its_content() {
        for (kind, args) in KINDS {
            let bed = sparse(args);
            look(&bed);
            bed.write("many/1/a", "many/1/a");
            assert_eq!(look(&bed), (Vec::new(), tree(&bed, "HEAD")), "{kind}: as it was");
            bed.write("many/1/a", "another");
            bed.write("many/1/new", "new");
            let (changed, now) = look(&bed);
            let named = ["many/1/a", "many/1/new"].map(str::to_owned);
            let kinds = [ChangeKind::Modified, ChangeKind::Added];
            assert_eq!(changed, named.into_iter().zip(kinds).collect::<Vec<_>>(), "{kind}");
            let content = bed.store().blob_at(&now, &path("many/1/a")).expect("reads");
            assert_eq!(content, Some(b"another".to_vec()), "{kind}");
            assert_eq!(
                bed.store().blob_at(&now, &path("many/1/b")).expect("reads").as_deref(),
                Some(b"many/1/b".as_slice()),
                "{kind}"
            );
        }
    }

    #[test]
    fn a_checkout_that_grows_or_shrinks_changes_nothing() {
        for (kind, args) in KINDS {
            let bed = sparse(args);
            look(&bed);
            let turns: [&[&str]; 4] = if kind.starts_with("cone") {
                [&["add", "many/1"], &["set", "many/2"], &["disable"], &["set", "src"]]
            } else {
                let all: &[&str] = &["set", "--no-cone", "/*"];
                [&["add", "/many/1/"], &["set", "/many/2/"], &["disable"], all]
            };
            for turn in turns {
                bed.git(&[&["sparse-checkout"], turn].concat());
                assert_eq!(look(&bed), (Vec::new(), tree(&bed, "HEAD")), "{kind}: {turn:?}");
            }
            bed.git(&["sparse-checkout", "disable"]);
            fs::remove_file(bed.path().join("many/2/a")).expect("goes");
            let deleted = vec![("many/2/a".to_owned(), ChangeKind::Deleted)];
            assert_eq!(look(&bed).0, deleted, "{kind}: nothing leaves it out any more");
        }
    }

    #[test]
    fn a_mark_set_by_hand_hides_nothing() {
        for (kind, args) in [("none", None)].into_iter().chain(KINDS.map(|(k, a)| (k, Some(a)))) {
            let bed = args.map_or_else(Testbed::new, sparse);
            bed.commit("src/c", "1");
            bed.commit("src/d", "1");
            look(&bed);
            bed.git(&["update-index", "--skip-worktree", "src/c"]);
            for file in ["src/c", "src/d"] {
                fs::remove_file(bed.path().join(file)).expect("goes");
            }
            let deleted = ["src/c", "src/d"].map(|it| (it.to_owned(), ChangeKind::Deleted));
            assert_eq!(look(&bed).0, deleted, "{kind}");
        }
    }

    #[test]
    fn what_was_there_with_another_content_was_deleted() {
        for (kind, args) in KINDS {
            let bed = sparse(args);
            look(&bed);
            bed.write("many/1/a", "of the person");
            look(&bed);
            fs::remove_file(bed.path().join("many/1/a")).expect("goes");
            let (changed, now) = look(&bed);
            assert_eq!(changed, [("many/1/a".to_owned(), ChangeKind::Deleted)], "{kind}");
            assert_ne!(now, tree(&bed, "HEAD"), "{kind}");
            // What was as the index has it may go: that is what a checkout does which shrinks.
            bed.write("many/2/a", "many/2/a");
            look(&bed);
            fs::remove_file(bed.path().join("many/2/a")).expect("goes");
            assert!(!look(&bed).0.iter().any(|(path, _)| path == "many/2/a"), "{kind}");
        }
    }

    #[test]
    fn what_another_commit_says_of_files_left_out_is_followed() {
        for (kind, args) in KINDS {
            let bed = sparse(args);
            let old = bed.git(&["rev-parse", "HEAD"]);
            bed.git(&["sparse-checkout", "disable"]);
            bed.commit("many/1/a", "newer");
            bed.git(&["rm", "-q", "many/2/a"]);
            bed.git(&["commit", "-qm", "less"]);
            let new = bed.git(&["rev-parse", "HEAD"]);
            bed.git(&[&["sparse-checkout"], args].concat());
            bed.git(&["checkout", "-q", &old]);
            assert_eq!(look(&bed).1, tree(&bed, &old), "{kind}");
            bed.git(&["checkout", "-q", &new]);
            assert_eq!(look(&bed).1, tree(&bed, &new), "{kind}");
            bed.git(&["checkout", "-q", &old]);
            assert_eq!(look(&bed).1, tree(&bed, &old), "{kind}");
        }
    }

    #[test]
    fn a_commit_deletes_nothing_that_is_left_out_and_its_hooks_see_it_marked() {
        for (kind, args) in KINDS {
            let bed = sparse(args);
            bed.hook(
                "pre-commit",
                "git diff-files --name-only >.git/seen; git status -s >>.git/seen",
            );
            bed.write("src/a", "changed");
            let paths = ["src/a", "many/1/a"].map(path);
            let made = bed.store().commit(&paths, b"one\n", "p").expect("commits");
            assert!(made.is_some(), "{kind}");
            assert_eq!(bed.git(&["show", "--format=", "--name-only", "HEAD"]), "src/a", "{kind}");
            assert_eq!(bed.git(&["status", "--porcelain"]), "", "{kind}");
            assert_eq!(bed.read(".git/seen").trim(), "M  src/a", "{kind}");
            assert!(!bed.path().join("many").exists(), "{kind}");
        }
    }

    #[test]
    fn a_look_that_follows_reads_no_index_of_the_person() {
        let has_read = |bed: &Testbed| {
            let store = bed.store();
            let index = store.seed_dir().join("index/main");
            store.snapshot(&index, &lens(&store), None, &no_build).expect("stands");
            store.left_out.0.borrow().is_some()
        };
        for (kind, args) in KINDS {
            let bed = sparse(args);
            // The first one begins the index by git, the second one finds that it follows.
            has_read(&bed);
            has_read(&bed);
            assert!(!has_read(&bed), "{kind}: nothing has changed");
            bed.write("src/a", "another");
            assert!(!has_read(&bed), "{kind}: a change of what is taken in");
            assert!(!has_read(&bed), "{kind}: after that");
            bed.write("many/1/a", "another");
            has_read(&bed);
            assert!(has_read(&bed), "{kind}: a change of what is left out");
            bed.git(&["add", "src/a"]);
            assert!(has_read(&bed), "{kind}: the person's index is another one");
        }
    }

    #[test]
    fn patterns_that_changed_in_one_process_make_no_word_for_the_next() {
        let bed = sparse(KINDS[2].1);
        let store = bed.store();
        let index = store.seed_dir().join("index/main");
        let lens = lens(&store);
        store.snapshot(&index, &lens, None, &no_build).expect("stands");
        assert!(!store.skipped().expect("reads").is_empty());
        bed.write(".git/info/sparse-checkout", "/*\n!/src/left.txt\n");
        store.changes_since_index(&index, &lens, &no_build).expect("looks");
        let changed = bed.store().changes_since_index(&index, &lens, &no_build).expect("looks");
        let changed: Vec<String> = changed.iter().map(|one| one.path.to_string()).collect();
        assert_eq!(changed, ["many/1/a", "many/1/b", "many/2/a"], "they are taken in, and missing");
    }

    /// What happens between two looks.
    #[derive(Clone, Debug)]
    enum Act {
        Write(usize, u8),
        Remove(usize),
        Git(usize),
        /// A look that takes nothing in.
        Look,
    }

    const PLACES: [&str; 6] = ["top", "src/a", "src/new", "many/1/a", "many/2/a", "many/new"];
    const ACTS: [&[&str]; 12] = [
        &["add", "--sparse", "-A"],
        &["add", "-u", "src"],
        &["commit", "-q", "--allow-empty", "-m", "more"],
        &["rm", "-q", "--cached", "--sparse", "many/1/b"],
        &["rm", "-q", "--cached", "src/b"],
        &["update-index", "--skip-worktree", "src/b"],
        &["update-index", "--no-skip-worktree", "many/1/b"],
        &["sparse-checkout", "set", "--cone", "src"],
        &["sparse-checkout", "set", "--cone", "many/1"],
        &["sparse-checkout", "disable"],
        &["reset", "-q", "--mixed", "HEAD"],
        &["status", "--short"],
    ];

    fn act() -> impl Strategy<Value = Act> {
        prop_oneof![
            (0..PLACES.len(), any::<u8>()).prop_map(|(at, what)| Act::Write(at, what % 2)),
            (0..PLACES.len()).prop_map(Act::Remove),
            (0..ACTS.len()).prop_map(Act::Git),
            Just(Act::Look),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]
        #[test]
        fn a_word_that_was_kept_changes_no_answer(
            acts in prop::collection::vec(act(), 1..14),
            kind in 0..KINDS.len(),
        ) {
            let bed = sparse(KINDS[kind].1);
            for act in &acts {
                match act {
                    Act::Write(at, what) => bed.write(PLACES[*at], &format!("{what}")),
                    Act::Remove(at) => drop(fs::remove_file(bed.path().join(PLACES[*at]))),
                    // One that has nothing to do here refuses.
                    Act::Git(at) => drop(Testbed::run_in(bed.path(), ACTS[*at])),
                    Act::Look => {}
                }
                let (index, other) = ("index/main", "index/other");
                let seed = bed.store().seed_dir();
                fs::create_dir_all(seed.join("index")).expect("creates");
                own::copy_with_times(&seed.join(index), &seed.join(other)).expect("copies");
                drop(fs::remove_file(seed.join("left-out/other")));
                let answer = |index: &str| {
                    let (store, index) = (bed.store(), seed.join(index));
                    let lens = lens(&store);
                    let changed = store.changes_since_index(&index, &lens, &no_build);
                    let changed = changed.expect("looks").into_iter();
                    let changed: Vec<_> = changed.map(|one| (one.path, one.kind)).collect();
                    let tree = (!matches!(act, Act::Look)).then(|| {
                        store.snapshot(&index, &lens, None, &no_build).expect("stands").tree
                    });
                    (changed, tree)
                };
                prop_assert_eq!(answer(index), answer(other), "{:?} in {:?}", act, acts);
            }
        }
    }
}
