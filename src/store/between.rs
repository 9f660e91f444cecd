//! What lies between two trees, or two texts, told in this process: a hook starts no program.

use std::collections::{BTreeMap, BTreeSet};

use gix::ObjectId;
use gix::bstr::{BStr, BString};
use similar::{Algorithm, ChangeTag, DiffOp, TextDiff, capture_diff_slices};

use super::worktree::repo_path;
use super::{ChangeKind, Changed, Store, StoreError, TreeId};

impl Store {
    /// Paths of files that differ from tree `a` to tree `b`, in git's order; no more than `most`.
    pub(crate) fn paths_between(
        &self,
        a: &TreeId,
        b: &TreeId,
        most: usize,
    ) -> Result<Vec<String>, StoreError> {
        let files = self.files_between(a, b, most)?;
        Ok(files.into_iter().map(|file| file.path.to_string()).collect())
    }

    /// What differs from tree `a` to tree `b`, by path.
    pub(crate) fn diff_trees(&self, a: &TreeId, b: &TreeId) -> Result<Vec<Changed>, StoreError> {
        let mut changed = Vec::new();
        for file in self.files_between(a, b, usize::MAX)? {
            let kind = match (file.old, file.new) {
                (None, _) => ChangeKind::Added,
                (_, None) => ChangeKind::Deleted,
                _ => ChangeKind::Modified,
            };
            changed.push(Changed { path: repo_path(&file.path)?, kind });
        }
        changed.sort();
        Ok(changed)
    }

    /// The files that differ from tree `a` to tree `b`, each with the lines that came and went.
    pub(crate) fn lines_between_trees(
        &self,
        a: &TreeId,
        b: &TreeId,
    ) -> Result<Vec<(String, usize)>, StoreError> {
        let bytes = |entry: &Option<Entry>| match entry {
            Some(entry) if entry.is_blob() => {
                Ok(self.object(entry.id, "a file of a tree")?.detach().data)
            }
            _ => Ok::<_, StoreError>(Vec::new()),
        };
        let mut found = Vec::new();
        for file in self.files_between(a, b, usize::MAX)? {
            let same = lines_between(&bytes(&file.old)?, &bytes(&file.new)?);
            found.push((file.path.to_string(), same));
        }
        Ok(found)
    }

    /// The files that differ from tree `a` to tree `b`, by path, each with its bytes in both; no
    /// more than `most`.
    pub(crate) fn contents_between(
        &self,
        a: &TreeId,
        b: &TreeId,
        most: usize,
    ) -> Result<Vec<Contents>, StoreError> {
        let bytes = |entry: Option<Entry>| match entry {
            Some(entry) if entry.is_blob() => {
                Ok(Some(self.object(entry.id, "a file of a tree")?.detach().data))
            }
            _ => Ok::<_, StoreError>(None),
        };
        let mut found = Vec::new();
        for file in self.files_between(a, b, most)? {
            let path = file.path.to_string();
            found.push(Contents { path, old: bytes(file.old)?, new: bytes(file.new)? });
        }
        Ok(found)
    }

    /// The files of tree `b` that `before` has not or has otherwise; all of them without one.
    pub(crate) fn new_files(
        &self,
        before: Option<&TreeId>,
        tree: &TreeId,
    ) -> Result<Vec<NewFile>, StoreError> {
        const PLAIN: u16 = 0o100_644;
        let from = before.map(TreeId::object).transpose()?;
        let mut found = Vec::new();
        if before != Some(tree) {
            let trees = (from, Some(tree.object()?));
            self.differing_below(trees, BStr::new(""), usize::MAX, &mut found)?;
        }
        let new = found.into_iter().filter_map(|file| Some((file.path, file.new?)));
        new.map(|(path, entry)| {
            let path = path.to_string();
            let plain = entry.mode == PLAIN;
            let bytes = if plain { self.size_of(entry.id, &path)? } else { 0 };
            Ok(NewFile { path, plain, bytes })
        })
        .collect()
    }

    fn size_of(&self, id: ObjectId, what: &str) -> Result<u64, StoreError> {
        let header = self.repo.try_find_header(id);
        let header =
            header.map_err(|err| StoreError::unreadable(format!("{what} ({id})"), &err))?;
        Ok(header.ok_or_else(|| StoreError::missing(format!("{what} ({id})")))?.size())
    }

    fn files_between(
        &self,
        a: &TreeId,
        b: &TreeId,
        most: usize,
    ) -> Result<Vec<Differing>, StoreError> {
        let mut found = Vec::new();
        if a != b {
            let (a, b) = (Some(a.object()?), Some(b.object()?));
            self.differing_below((a, b), BStr::new(""), most, &mut found)?;
        }
        Ok(found)
    }

    fn differing_below(
        &self,
        (a, b): (Option<ObjectId>, Option<ObjectId>),
        dir: &BStr,
        most: usize,
        found: &mut Vec<Differing>,
    ) -> Result<(), StoreError> {
        let (mut old, mut new) = (self.entries_of(a)?, self.entries_of(b)?);
        let names: BTreeSet<BString> = old.keys().chain(new.keys()).cloned().collect();
        for name in names {
            let (was, is) = (old.remove(&name), new.remove(&name));
            if was == is || found.len() >= most {
                continue;
            }
            let mut path = dir.to_owned();
            if !path.is_empty() {
                path.push(b'/');
            }
            path.extend_from_slice(&name);
            let below = |entry: &Option<Entry>| entry.as_ref().filter(|it| it.tree).map(|it| it.id);
            let trees = (below(&was), below(&is));
            let file = |entry: Option<Entry>| entry.filter(|entry| !entry.tree);
            let (was, is) = (file(was), file(is));
            if was.is_some() || is.is_some() {
                found.push(Differing { path: path.clone(), old: was, new: is });
            }
            if trees != (None, None) {
                self.differing_below(trees, path.as_ref(), most, found)?;
            }
        }
        Ok(())
    }

    fn entries_of(&self, tree: Option<ObjectId>) -> Result<BTreeMap<BString, Entry>, StoreError> {
        let Some(id) = tree else { return Ok(BTreeMap::new()) };
        let what = || format!("tree {id}");
        let tree = self.tree_object(id, &what())?;
        let entries = tree.decode().map_err(|err| StoreError::unreadable(what(), &err))?.entries;
        let entry = |entry: &gix::objs::tree::EntryRef<'_>| {
            let (mode, tree) = (entry.mode.value(), entry.mode.is_tree());
            (entry.filename.to_owned(), Entry { id: entry.oid.to_owned(), mode, tree })
        };
        Ok(entries.iter().map(entry).collect())
    }
}

/// A file that one of two trees has otherwise, with its bytes; none where it is not there.
#[derive(Clone, Debug)]
pub(crate) struct Contents {
    pub path: String,
    pub old: Option<Vec<u8>>,
    pub new: Option<Vec<u8>>,
}

/// A file that a tree has and the one before it had not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NewFile {
    pub path: String,
    /// A file of bytes, which nobody may run.
    pub plain: bool,
    pub bytes: u64,
}

/// A file that one of two trees has otherwise.
struct Differing {
    path: BString,
    old: Option<Entry>,
    new: Option<Entry>,
}

#[derive(PartialEq, Eq)]
struct Entry {
    id: ObjectId,
    mode: u16,
    tree: bool,
}

impl Entry {
    /// It has bytes here: a submodule has none.
    fn is_blob(&self) -> bool {
        const SUBMODULE: u16 = 0o160_000;
        !self.tree && self.mode != SUBMODULE
    }
}

/// Lines that were added and removed from `old` to `new`; where one of them is not text, 1, as git
/// counts it.
pub(crate) fn lines_between(old: &[u8], new: &[u8]) -> usize {
    if old == new {
        return 0;
    }
    let text = |bytes: &[u8]| !bytes.iter().take(8_000).any(|byte| *byte == 0);
    if !text(old) || !text(new) {
        return 1;
    }
    let lines = |bytes: &'_ [u8]| -> Vec<Vec<u8>> {
        bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
    };
    let (old, new) = (lines(old), lines(new));
    capture_diff_slices(Algorithm::Myers, &old, &new)
        .iter()
        .map(|op| match op {
            DiffOp::Equal { .. } => 0,
            DiffOp::Delete { old_len, .. } => *old_len,
            DiffOp::Insert { new_len, .. } => *new_len,
            DiffOp::Replace { old_len, new_len, .. } => old_len + new_len,
        })
        .sum()
}

/// A difference of two texts, as people read it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TextBetween {
    pub added: usize,
    pub removed: usize,
    /// Hunks as git writes them; `None` where one of both is not text, or both together are longer
    /// than was asked for.
    pub hunks: Option<String>,
}

/// What differs from `old` to `new`. Of more than `most` bytes only the lines are counted, and
/// bytes that are no UTF-8 are replaced.
pub(crate) fn text_between(old: &[u8], new: &[u8], most: usize) -> TextBetween {
    /// What takes longer is told coarser.
    const WAIT: std::time::Duration = std::time::Duration::from_millis(20);
    let text = |bytes: &[u8]| !bytes.iter().take(8_000).any(|byte| *byte == 0);
    if !text(old) || !text(new) {
        return TextBetween::default();
    }
    let lines = |bytes: &[u8]| bytes.split_inclusive(|byte| *byte == b'\n').count();
    if old.len() + new.len() > most {
        let (was, is) = (lines(old), lines(new));
        let (added, removed) = (is.saturating_sub(was), was.saturating_sub(is));
        return TextBetween { added, removed, hunks: None };
    }
    let (old, new) = (String::from_utf8_lossy(old), String::from_utf8_lossy(new));
    let diff = TextDiff::configure().timeout(WAIT).diff_lines(&*old, &*new);
    let tagged = |tag| diff.iter_all_changes().filter(|change| change.tag() == tag).count();
    TextBetween {
        added: tagged(ChangeTag::Insert),
        removed: tagged(ChangeTag::Delete),
        hunks: Some(diff.unified_diff().to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testbed::Testbed;
    use super::*;

    /// The tree of a commit of exactly these files.
    fn tree(bed: &Testbed, files: &[(&str, &str)]) -> TreeId {
        bed.git(&["rm", "-rqf", "--ignore-unmatch", "."]);
        for (path, text) in files {
            bed.write(path, text);
        }
        bed.git(&["add", "-A"]);
        bed.git(&["write-tree"]).parse().expect("full")
    }

    #[test]
    fn a_text_is_told_by_its_hunks_up_to_a_bound() {
        let told = |old: &[u8], new: &[u8], most| text_between(old, new, most);
        let hunks = "@@ -1,2 +1,2 @@\n a\n-b\n+c\n";
        let both = |hunks: Option<&str>, added, removed| TextBetween {
            added,
            removed,
            hunks: hunks.map(str::to_owned),
        };
        assert_eq!(told(b"a\nb\n", b"a\nc\n", 99), both(Some(hunks), 1, 1));
        assert_eq!(told(b"", b"a\nb\n", 99).added, 2);
        assert_eq!(
            told(b"a\n", b"a\n\xff\n", 99).hunks.as_deref().map(|it| it.contains('\u{fffd}')),
            Some(true),
            "what is no UTF-8 is replaced"
        );
        assert_eq!(told(b"a\nb\n", b"a\n", 3), both(None, 0, 1), "too long: counted alone");
        assert_eq!(told(b"a\0", b"b", 99), both(None, 0, 0), "no text");
    }

    #[test]
    fn paths_and_lines_are_those_that_git_names() {
        let bed = Testbed::new();
        let a = [("a.txt", "1\n2\n"), ("dir/b.txt", "x\n"), ("dir/deep/c", "c"), ("same", "s")];
        let b = [("a.txt", "1\n3\n"), ("dir", "a file now\n"), ("new/d", "d"), ("same", "s")];
        let (a, b) = (tree(&bed, &a), tree(&bed, &b));
        let store = bed.store();
        let found = store.paths_between(&a, &b, 10).expect("they read");
        assert_eq!(found, ["a.txt", "dir", "dir/b.txt", "dir/deep/c", "new/d"]);
        assert_eq!(store.paths_between(&a, &b, 2).expect("they read").len(), 2);
        assert_eq!(store.paths_between(&a, &a, 9).expect("it reads"), Vec::<String>::new());
        let git: Vec<(String, usize)> = store
            .lines_changed(&a, &b)
            .expect("git answers")
            .into_iter()
            .map(|one| (one.path.to_string(), one.added + one.removed))
            .collect();
        for (path, lines) in git {
            let blob = |tree: &TreeId| {
                let path = path.as_str().try_into().expect("a path");
                store.blob_at(tree, &path).expect("it reads").unwrap_or_default()
            };
            assert_eq!(lines_between(&blob(&a), &blob(&b)), lines, "{path}");
        }
        assert_eq!(lines_between(b"\0a", b"\0b"), 1, "as git counts what is no text");
    }

    /// Whatever lies in two trees: what differs is what git says.
    #[test]
    fn what_differs_is_what_git_names() {
        let bed = Testbed::new();
        let (link, store) = (bed.commit("sub", "1"), bed.store());
        let blob = |text: &str| {
            let id = store.git(["hash-object", "-w", "--stdin"]).input(text.into()).run();
            String::from_utf8_lossy(&id.expect("written")).trim().to_owned()
        };
        let (ids, other) = ([blob("0\n"), blob("1\n"), blob("2\n")], blob("other\n"));
        let index = bed.path().join("index");
        let tree = |round: usize| {
            let (has, id) =
                (|bit: usize| !(round * 7 + bit * 5).is_multiple_of(3), &ids[round % 3]);
            let mut lines: Vec<u8> = Vec::new();
            let mut put = |mode: &str, id: &str, path: &[u8]| {
                lines.extend([format!("{mode} {id}\t").as_bytes(), path, b"\0"].concat());
            };
            let paths = ["a", "b/c", "b/d/e", "b.x", "b-/f", "z"];
            for (bit, path) in paths.into_iter().enumerate().filter(|(bit, _)| has(*bit)) {
                let mode = if (round + bit).is_multiple_of(4) { "100755" } else { "100644" };
                put(mode, if bit % 2 == 0 { id } else { &other }, path.as_bytes());
            }
            // A file, a directory, a link and a submodule in turn; a name that is no text.
            match round % 4 {
                0 => put("100644", id, b"turn"),
                1 => put("100644", id, b"turn/in"),
                2 => put("120000", &other, b"turn"),
                _ => put("160000", link.as_str(), b"turn"),
            }
            put("100644", if has(9) { id } else { &other }, b"o\xffdd");
            store.git(["read-tree", "--empty"]).index(&index).run().expect("emptied");
            let info = ["update-index", "-z", "--index-info"];
            store.git(info).index(&index).input(lines).run().expect("put in");
            let tree = store.git(["write-tree"]).index(&index).run().expect("written");
            String::from_utf8_lossy(&tree).trim().parse::<TreeId>().expect("full")
        };
        let trees: Vec<TreeId> = (0..12).map(tree).collect();
        for (a, b) in trees.iter().flat_map(|a| trees.iter().map(move |b| (a, b))) {
            let args = ["diff-tree", "-r", "-z", "--no-renames", "--name-status"];
            let said = store.git(args.into_iter().chain([a.as_str(), b.as_str()])).run();
            let said = said.expect("it compares");
            let mut fields = said.split(|byte| *byte == 0).filter(|field| !field.is_empty());
            let mut expected = Vec::new();
            while let (Some(letter), Some(path)) = (fields.next(), fields.next()) {
                let kind = match letter {
                    b"A" => ChangeKind::Added,
                    b"D" => ChangeKind::Deleted,
                    _ => ChangeKind::Modified,
                };
                expected.push(Changed { path: repo_path(path).expect("a path"), kind });
            }
            expected.sort();
            assert_eq!(store.diff_trees(a, b).expect("they read"), expected);
        }
    }
}
