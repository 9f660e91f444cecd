//! What lies between two trees, or two texts, told in this process: a hook starts no program.

use std::collections::BTreeMap;

use gix::ObjectId;
use similar::{Algorithm, DiffOp, capture_diff_slices};

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
