//! What lies between two trees, or two texts, told in this process: a hook starts no program.

use std::collections::BTreeMap;

use gix::ObjectId;
use similar::{Algorithm, ChangeTag, DiffOp, TextDiff, capture_diff_slices};

use super::{Store, StoreError, TreeId};

impl Store {
    /// Paths of files that differ from tree `a` to tree `b`, in git's order; no more than `most`.
    pub(crate) fn paths_between(
        &self,
        a: &TreeId,
        b: &TreeId,
        most: usize,
    ) -> Result<Vec<String>, StoreError> {
        let mut found = Vec::new();
        if a != b {
            let (a, b) = (Some(a.object()?), Some(b.object()?));
            self.differing_below((a, b), "", most, &mut found)?;
        }
        Ok(found)
    }

    fn differing_below(
        &self,
        (a, b): (Option<ObjectId>, Option<ObjectId>),
        dir: &str,
        most: usize,
        found: &mut Vec<String>,
    ) -> Result<(), StoreError> {
        let (old, new) = (self.entries_of(a)?, self.entries_of(b)?);
        let names: std::collections::BTreeSet<&String> = old.keys().chain(new.keys()).collect();
        for name in names {
            let (was, is) = (old.get(name), new.get(name));
            if was == is || found.len() >= most {
                continue;
            }
            let path = if dir.is_empty() { name.clone() } else { format!("{dir}/{name}") };
            let below =
                |entry: Option<&Entry>| entry.filter(|entry| entry.tree).map(|entry| entry.id);
            let file = |entry: Option<&Entry>| entry.is_some_and(|entry| !entry.tree);
            if file(was) || file(is) {
                found.push(path.clone());
            }
            let trees = (below(was), below(is));
            if trees != (None, None) {
                self.differing_below(trees, &path, most, found)?;
            }
        }
        Ok(())
    }

    fn entries_of(&self, tree: Option<ObjectId>) -> Result<BTreeMap<String, Entry>, StoreError> {
        let Some(id) = tree else { return Ok(BTreeMap::new()) };
        let what = || format!("tree {id}");
        let tree = self.tree_object(id, &what())?;
        let entries = tree.decode().map_err(|err| StoreError::unreadable(what(), &err))?.entries;
        Ok(entries
            .iter()
            .map(|entry| {
                let tree = entry.mode.is_tree();
                let mode = entry.mode.value();
                (entry.filename.to_string(), Entry { id: entry.oid.to_owned(), mode, tree })
            })
            .collect())
    }
}

#[derive(PartialEq, Eq)]
struct Entry {
    id: ObjectId,
    mode: u16,
    tree: bool,
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
}
