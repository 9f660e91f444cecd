//! What the repository shows between two trees, gathered in this process.
//!
//! A claim is checked against the difference from the commit that the work began at to the
//! work tree as it lies there, which [`Store::snapshot`] takes as a tree: what is committed,
//! staged, unstaged and untracked is one difference then. No child process: a server that
//! answers often has no time for one.

use std::collections::{BTreeMap, BTreeSet};

use gix::ObjectId;
use gix::objs::tree::EntryMode;

use super::error::StoreError;
use super::path::RepoPath;
use super::{CommitId, Store, TreeId};
use crate::claims::How;
use crate::claims::truth::{self, Piece};
use crate::world::last::Last;

/// What is longer is not read: it is no text that a person wrote.
const MOST_BYTES: u64 = 2 << 20;

/// The most bytes of texts that are kept in mind.
const MOST_KEPT: usize = 4 << 20;

/// Pairs of files that are compared for being one file under two names.
const MOST_PAIRS: usize = 40_000;

/// One side of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    mode: EntryMode,
    id: ObjectId,
}

/// One path that differs, before anybody looked for renames.
#[derive(PartialEq, Eq)]
struct Differs {
    path: Vec<u8>,
    before: Option<Entry>,
    after: Option<Entry>,
}

impl Store {
    /// All that differs from `base` to `tree`, with the text of both sides, renames followed.
    ///
    /// Without a base everything in `tree` is new. What cannot be read is an error: a claim is
    /// never measured against a truth that is missing.
    ///
    /// # Errors
    ///
    /// A commit, a tree or a file of either side is missing or does not read.
    pub fn truth(&self, base: Option<&CommitId>, tree: &TreeId) -> Result<Vec<Piece>, StoreError> {
        let before = match base {
            Some(commit) => self.tree_of_commit(commit)?.object()?,
            None => ObjectId::empty_tree(self.repo.object_hash()),
        };
        self.pieces(self.differing(before, tree.object()?)?)
    }

    /// What differs between two trees at the paths of `of`, as [`Store::truth`] gives it.
    pub(crate) fn truth_between(
        &self,
        before: &TreeId,
        after: &TreeId,
        of: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<Piece>, StoreError> {
        let mut differing = self.differing(before.object()?, after.object()?)?;
        differing.retain(|one| of(&String::from_utf8_lossy(&one.path)));
        self.read_pieces(&differing)
    }

    /// The same without files that the work tree lacked already when it was `began`, and that HEAD
    /// has still: what a sparse checkout leaves out, or a person deleted and did not commit.
    ///
    /// # Errors
    ///
    /// As with [`Store::truth`].
    pub(crate) fn truth_since(
        &self,
        base: Option<&CommitId>,
        tree: &TreeId,
        began: Option<&TreeId>,
    ) -> Result<Vec<Piece>, StoreError> {
        let before = match base {
            Some(commit) => self.tree_of_commit(commit)?.object()?,
            None => ObjectId::empty_tree(self.repo.object_hash()),
        };
        let mut differing = self.differing(before, tree.object()?)?;
        let goes = |differs: &Differs| differs.before.is_some() && differs.after.is_none();
        let head = self.head()?.commit.filter(|_| differing.iter().any(goes));
        if let (Some(head), Some(began)) = (head, began)
            && self.has_tree(began)?
        {
            let head = self.tree_of_commit(&head)?.object()?;
            let lacked = self.differing(head, began.object()?)?;
            let lacked: BTreeSet<&Vec<u8>> =
                lacked.iter().filter(|one| goes(one)).map(|one| &one.path).collect();
            differing.retain(|one| !(goes(one) && lacked.contains(&one.path)));
        }
        self.pieces(differing)
    }

    /// The paths in which `a` and `b` differ; `None` where one of them is not here any more.
    ///
    /// # Errors
    ///
    /// A tree is there and does not read.
    pub fn changed_between(
        &self,
        a: &TreeId,
        b: &TreeId,
    ) -> Result<Option<Vec<String>>, StoreError> {
        if a == b {
            return Ok(Some(Vec::new()));
        }
        if !(self.has_tree(a)? && self.has_tree(b)?) {
            return Ok(None);
        }
        let differing = self.differing(a.object()?, b.object()?)?;
        differing.into_iter().map(|differs| Ok(Some(shown(differs.path)?))).collect()
    }

    /// Which of `items`, as a claim names them, `tree` holds: paths, ends of paths,
    /// directories, or words that stand in one of its files.
    ///
    /// For what did *not* change, so it costs nothing where a claim names only what did.
    /// A word that no path answers to takes one child to find.
    ///
    /// # Errors
    ///
    /// The tree is missing or does not read, or the child that looks for words fails.
    pub fn held(&self, tree: &TreeId, items: &[String]) -> Result<Vec<String>, StoreError> {
        if items.is_empty() {
            return Ok(Vec::new());
        }
        let empty = ObjectId::empty_tree(self.repo.object_hash());
        let all = self.differing(empty, tree.object()?)?;
        let mut held = Vec::new();
        for item in items {
            let name = plain(item);
            if !name.is_empty()
                && (all.iter().any(|file| is_at(&file.path, name.as_bytes()))
                    || self.has_word(tree, &name)?)
            {
                held.push(item.clone());
            }
        }
        Ok(held)
    }

    /// Whether the last part of a name stands as a word in a file of `tree`.
    fn has_word(&self, tree: &TreeId, name: &str) -> Result<bool, StoreError> {
        let word = name.trim_end_matches("()").rsplit([':', '.', '#']).next().unwrap_or(name);
        // What looks like a path is one, and is not there.
        if name.contains('/') || word.len() < 2 || word.contains('\n') {
            return Ok(false);
        }
        let grep = ["grep", "-q", "-I", "-w", "-F", "-e", word, tree.as_str(), "--"];
        let outcome = self.git(grep).outcome()?;
        match outcome.code {
            Some(0) => Ok(true),
            Some(1) => Ok(false),
            _ => Err(outcome.failed()),
        }
    }

    pub(crate) fn has_tree(&self, tree: &TreeId) -> Result<bool, StoreError> {
        let id = tree.object()?;
        if id == ObjectId::empty_tree(self.repo.object_hash()) {
            return Ok(true);
        }
        let found = self.repo.try_find_header(id);
        let found =
            found.map_err(|err| StoreError::unreadable(format!("the tree ({id})"), &err))?;
        Ok(found.is_some_and(|header| header.kind().is_tree()))
    }

    /// Walks both trees at once; a directory that is the same on both sides is not opened.
    fn differing(&self, a: ObjectId, b: ObjectId) -> Result<Vec<Differs>, StoreError> {
        let mut found = Vec::new();
        let mut ahead = vec![(Vec::new(), Some(a), Some(b))];
        while let Some((dir, a, b)) = ahead.pop() {
            let (a, b) = (self.entries(a)?, self.entries(b)?);
            let names: BTreeSet<&Vec<u8>> = a.keys().chain(b.keys()).collect();
            for name in names {
                let (before, after) = (a.get(name).copied(), b.get(name).copied());
                if before == after {
                    continue;
                }
                let path =
                    if dir.is_empty() { name.clone() } else { [&dir[..], b"/", name].concat() };
                let is_tree = |entry: &Entry| entry.mode.is_tree();
                let (dir_before, dir_after) = (before.filter(is_tree), after.filter(is_tree));
                if dir_before.is_some() || dir_after.is_some() {
                    let id = |entry: Option<Entry>| entry.map(|entry| entry.id);
                    ahead.push((path.clone(), id(dir_before), id(dir_after)));
                }
                let is_file = |entry: &Entry| !entry.mode.is_tree();
                let (before, after) = (before.filter(is_file), after.filter(is_file));
                if before.is_some() || after.is_some() {
                    found.push(Differs { path, before, after });
                }
            }
        }
        found.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(found)
    }

    fn entries(&self, tree: Option<ObjectId>) -> Result<BTreeMap<Vec<u8>, Entry>, StoreError> {
        let Some(id) = tree else { return Ok(BTreeMap::new()) };
        let tree = self.tree_object(id, "a tree of the work")?;
        let entry = |entry: gix::Result<gix::object::tree::EntryRef<'_, '_>>| {
            let entry =
                entry.map_err(|err| StoreError::unreadable(format!("a tree ({id})"), &err))?;
            let held = Entry { mode: entry.mode(), id: entry.object_id() };
            Ok((entry.filename().to_vec(), held))
        };
        tree.iter().map(entry).collect()
    }

    fn pieces(&self, differing: Vec<Differs>) -> Result<Vec<Piece>, StoreError> {
        // A server is asked of the same work again and again, and ids say what a text is.
        static LAST: Last<Vec<Differs>, Vec<Piece>> = Last::new();
        LAST.answer(differing, |differing| {
            let pieces = self.read_pieces(differing)?;
            let texts = pieces.iter().flat_map(|piece| [&piece.before, &piece.after]).flatten();
            let small = texts.map(Vec::len).sum::<usize>() <= MOST_KEPT;
            Ok((pieces, small))
        })
    }

    fn read_pieces(&self, differing: &[Differs]) -> Result<Vec<Piece>, StoreError> {
        let mut pieces = Vec::new();
        let mut came = Vec::new();
        let mut went = Vec::new();
        for differs in differing {
            let (before, after) = (self.text(differs.before)?, self.text(differs.after)?);
            let how = match (&differs.before, &differs.after) {
                (None, _) => How::Added,
                (_, None) => How::Deleted,
                _ => How::Modified,
            };
            let id = differs.after.or(differs.before).map(|entry| entry.id);
            match how {
                How::Added => came.push((pieces.len(), id)),
                How::Deleted => went.push((pieces.len(), id)),
                _ => {}
            }
            pieces.push(Piece {
                path: shown(differs.path.clone())?,
                was: None,
                how,
                before,
                after,
            });
        }
        Ok(join_renames(pieces, came, &went))
    }

    /// The text of a file; `None` for a submodule, or what is too long.
    fn text(&self, entry: Option<Entry>) -> Result<Option<Vec<u8>>, StoreError> {
        let Some(Entry { mode, id }) = entry else { return Ok(None) };
        if mode.is_commit() {
            return Ok(None);
        }
        let size = self.repo.try_find_header(id);
        let size = size.map_err(|err| StoreError::unreadable(format!("a file ({id})"), &err))?;
        if size.is_some_and(|header| header.size() > MOST_BYTES) {
            return Ok(None);
        }
        Ok(Some(self.object(id, "a file of the work")?.data.clone()))
    }
}

/// Makes one piece of a file that went and one that came with the same text, or most of it.
fn join_renames(
    mut pieces: Vec<Piece>,
    came: Vec<(usize, Option<ObjectId>)>,
    went: &[(usize, Option<ObjectId>)],
) -> Vec<Piece> {
    let mut free: BTreeSet<usize> = went.iter().map(|(at, _)| *at).collect();
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    let mut open = Vec::new();
    for (at, id) in came {
        let name = |at: usize| pieces[at].path.rsplit('/').next().map(str::to_owned);
        // An empty file is like every other.
        let full = pieces[at].after.as_ref().is_some_and(|text| !text.is_empty());
        let mut same =
            went.iter().filter(|(from, other)| full && *other == id && free.contains(from));
        let found = same.clone().find(|(from, _)| name(*from) == name(at)).or_else(|| same.next());
        match found {
            Some((from, _)) => {
                free.remove(from);
                pairs.push((*from, at));
            }
            None => open.push(at),
        }
    }
    if open.len().saturating_mul(free.len()) <= MOST_PAIRS {
        let mut like: Vec<(usize, usize, usize)> = Vec::new();
        let sides = |at: &usize, side: fn(&Piece) -> &Option<Vec<u8>>| {
            side(&pieces[*at]).as_deref().map(truth::Lines::of)
        };
        let olds: Vec<_> = free.iter().map(|at| (*at, sides(at, |piece| &piece.before))).collect();
        for to in open {
            let Some(new) = sides(&to, |piece| &piece.after) else { continue };
            for (from, old) in &olds {
                let share = old.as_ref().map_or(0, |old| old.alike(&new));
                if share >= truth::ALIKE {
                    like.push((share, *from, to));
                }
            }
        }
        like.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
        let mut taken = BTreeSet::new();
        for (_, from, to) in like {
            if !taken.contains(&to) && free.remove(&from) {
                taken.insert(to);
                pairs.push((from, to));
            }
        }
    }
    for (from, to) in &pairs {
        let was = pieces[*from].path.clone();
        let before = pieces[*from].before.take();
        let piece = &mut pieces[*to];
        (piece.was, piece.before, piece.how) = (Some(was), before, How::Renamed);
    }
    let gone: BTreeSet<usize> = pairs.into_iter().map(|(from, _)| from).collect();
    let left = pieces.into_iter().enumerate().filter(|(at, _)| !gone.contains(at));
    left.map(|(_, piece)| piece).collect()
}

/// A name as a claim writes it, without quotes and the number of a line.
fn plain(item: &str) -> String {
    let item = item.trim().trim_matches(['`', '"', '\'']).replace('\\', "/");
    let number = |end: &str| {
        !end.is_empty() && end.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
    };
    let path = item
        .rsplit_once(':')
        .filter(|(_, end)| number(end))
        .map_or(item.as_str(), |(path, _)| path);
    path.trim_start_matches("./").trim_end_matches('/').to_owned()
}

/// Whether `name` is the path, its end, or a directory above it, on whole segments.
fn is_at(path: &[u8], name: &[u8]) -> bool {
    memchr::memmem::find_iter(path, name).any(|at| {
        let begins = at == 0 || path[at - 1] == b'/';
        let ends = path.get(at + name.len()).is_none_or(|byte| *byte == b'/');
        begins && ends
    })
}

fn shown(path: Vec<u8>) -> Result<String, StoreError> {
    let named =
        |_| StoreError::Invalid { what: "a path".to_owned(), why: "git gave none".to_owned() };
    Ok(RepoPath::new(path).map_err(named)?.to_string())
}

#[cfg(test)]
mod tests {
    use super::super::testbed::Testbed;
    use super::*;

    /// The work tree as it is, as a tree.
    fn now(bed: &Testbed) -> TreeId {
        let store = bed.store();
        let lens = store.lens(&store.pins().expect("pins"), None).expect("a lens");
        let dir = tempfile::tempdir().expect("a directory");
        store.snapshot(&dir.path().join("index"), &lens, None, &|_| None).expect("a snapshot").tree
    }

    fn told(pieces: &[Piece]) -> Vec<String> {
        let one = |piece: &Piece| {
            let was = piece.was.as_ref().map_or(String::new(), |was| format!(" from {was}"));
            format!("{:?} {}{was}", piece.how, piece.path)
        };
        pieces.iter().map(one).collect()
    }

    #[test]
    fn committed_staged_unstaged_and_untracked_are_one_difference() {
        let bed = Testbed::new();
        bed.write(".gitignore", "hidden\n");
        bed.git(&["add", ".gitignore"]);
        for path in ["committed", "staged", "unstaged", "same", "deleted"] {
            bed.commit(path, &format!("{path}\n"));
        }
        let text: String = (0..40).map(|n| format!("line {n} of the text\n")).collect();
        let base = bed.commit("dir/old name.txt", &text);
        bed.commit("committed", "other\n");
        bed.write("staged", "other\n");
        bed.git(&["add", "staged"]);
        bed.write("unstaged", "other\n");
        bed.write("dir/untracked", "new\n");
        bed.write("hidden", "new\n");
        bed.git(&["rm", "-q", "deleted"]);
        bed.git(&["mv", "dir/old name.txt", "new name.txt"]);
        bed.write("new name.txt", &text.replace("line 7 ", "line seven "));
        let pieces = bed.store().truth(Some(&base), &now(&bed)).expect("a truth");
        let wanted = [
            "Modified committed",
            "Deleted deleted",
            "Added dir/untracked",
            "Renamed new name.txt from dir/old name.txt",
            "Modified staged",
            "Modified unstaged",
        ];
        assert_eq!(told(&pieces), wanted);
        assert_eq!(pieces[0].before.as_deref(), Some(&b"committed\n"[..]));
        assert_eq!(pieces[0].after.as_deref(), Some(&b"other\n"[..]));
    }

    #[test]
    fn without_a_commit_all_is_new() {
        let bed = Testbed::new();
        bed.write("a/b/c.rs", "fn c() {}\n");
        let pieces = bed.store().truth(None, &now(&bed)).expect("a truth");
        assert_eq!(told(&pieces), ["Added a/b/c.rs"]);
    }

    #[cfg(unix)]
    #[test]
    fn odd_names_links_submodules_and_files_that_are_no_text() {
        use std::os::unix::ffi::OsStrExt as _;
        let bed = Testbed::new();
        let base = bed.commit("a", "a\n");
        let odd = bed.path().join(std::ffi::OsStr::from_bytes(b"o\xffd\n\"\t"));
        std::fs::write(odd, "odd\n").expect("writes");
        std::os::unix::fs::symlink("a", bed.path().join("link")).expect("links");
        bed.write("binary.rs", "fn a() {}\0\n");
        bed.write("huge.rs", &"x\n".repeat(2 << 20));
        let link = format!("160000,{},module", "1".repeat(40));
        bed.git(&["update-index", "--add", "--cacheinfo", &link]);
        let staged: TreeId = bed.git(&["write-tree"]).parse().expect("full");
        let pieces = bed.store().truth(Some(&base), &staged).expect("a truth");
        assert_eq!(told(&pieces), ["Added module"]);
        assert_eq!(pieces[0].after, None);
        bed.git(&["rm", "-q", "--cached", "module"]);
        let pieces = bed.store().truth(Some(&base), &now(&bed)).expect("a truth");
        assert_eq!(
            told(&pieces),
            ["Added binary.rs", "Added huge.rs", "Added link", "Added o\u{fffd}d\n\"\t"]
        );
        assert_eq!(pieces[1].after, None);
        let read = truth::read("", "", &pieces, crate::claims::languages::shipped_languages());
        assert_eq!(read.files[0].functions, Vec::<String>::new());
    }

    #[test]
    fn what_cannot_be_read_is_an_error() {
        let bed = Testbed::new();
        let base = bed.commit("a", "a\n");
        let gone: TreeId = "1".repeat(40).parse().expect("full");
        assert!(bed.store().truth(Some(&base), &gone).is_err());
        let tree = now(&bed);
        assert!(bed.store().truth(Some(&"2".repeat(40).parse().expect("full")), &tree).is_err());
        // A commit is no tree.
        assert!(bed.store().truth(None, &base.as_str().parse().expect("full")).is_err());
        assert_eq!(bed.store().changed_between(&gone, &tree).expect("an answer"), None);
    }

    #[test]
    fn renames_are_those_that_git_finds() {
        let bed = Testbed::new();
        let text =
            |seed: u32| (0..60).map(|n| format!("{} of {seed}\n", n * seed)).collect::<String>();
        for seed in 1..8 {
            bed.commit(&format!("old/{seed}.txt"), &text(seed));
        }
        let base: CommitId = bed.git(&["rev-parse", "HEAD"]).parse().expect("full");
        for seed in 1..6 {
            bed.git(&["mv", &format!("old/{seed}.txt"), &format!("moved-{seed}.txt")]);
        }
        bed.write("moved-3.txt", &text(3).replace('7', "seven"));
        bed.write("moved-4.txt", &text(11));
        bed.git(&["rm", "-q", "old/6.txt"]);
        bed.git(&["add", "."]);
        let tree: TreeId = bed.git(&["write-tree"]).parse().expect("full");
        let found = told(&bed.store().truth(Some(&base), &tree).expect("a truth"));
        let listed =
            bed.git(&["diff-tree", "-r", "-M", "--name-status", base.as_str(), tree.as_str()]);
        let mut wanted: Vec<String> = listed
            .lines()
            .map(|line| {
                let fields: Vec<&str> = line.split('\t').collect();
                match (&fields[0][..1], &fields[1..]) {
                    ("R", [was, path]) => format!("Renamed {path} from {was}"),
                    ("A", [path]) => format!("Added {path}"),
                    ("D", [path]) => format!("Deleted {path}"),
                    other => panic!("{other:?}"),
                }
            })
            .collect();
        let mut sorted = found.clone();
        wanted.sort();
        sorted.sort();
        assert_eq!(sorted, wanted);
    }

    #[test]
    fn paths_that_differ_between_two_trees() {
        let bed = Testbed::new();
        bed.commit("a/b", "1\n");
        bed.commit("a/c", "1\n");
        let before = now(&bed);
        bed.write("a/c", "2\n");
        bed.write("d", "2\n");
        let after = now(&bed);
        let store = bed.store();
        let between =
            |a, b| store.changed_between(a, b).expect("an answer").expect("both are here");
        assert_eq!(between(&before, &after), ["a/c", "d"]);
        assert_eq!(between(&after, &after), Vec::<String>::new());
        // A directory that becomes a file.
        std::fs::remove_dir_all(bed.path().join("a")).expect("ours");
        bed.write("a", "3\n");
        assert_eq!(between(&after, &now(&bed)), ["a", "a/b", "a/c"]);
    }

    #[test]
    fn what_a_claim_names_is_looked_for_in_the_whole_tree() {
        let bed = Testbed::new();
        bed.commit("src/deep/a.rs", "fn handler() {}\n");
        bed.commit("b.py", "def handle_all(): pass\n");
        let tree = now(&bed);
        let items = [
            "src/deep/a.rs",
            "./src/deep/a.rs",
            "`a.rs:12`",
            "deep/a.rs",
            "src/deep",
            "handler",
            "Server::handler()",
            "b.handle_all",
            "eep/a.rs",
            "src/a.rs",
            "handle",
            "c.py",
            "",
            "--all",
            "deep/handler",
        ]
        .map(str::to_owned);
        let held = bed.store().held(&tree, &items).expect("an answer");
        assert_eq!(held, items[..8]);
        assert!(bed.store().held(&"1".repeat(40).parse().expect("full"), &items).is_err());
    }
}
