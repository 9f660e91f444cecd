//! What commits change: by git's own measure, which leaves white space out, and to the letter.

use std::collections::BTreeMap;

use super::{CommitId, Store, StoreError, TreeId};
use crate::format::short_hash;

/// How a change is known; nothing of it where nothing changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ChangeId {
    /// What `git patch-id --stable` says: white space does not count.
    pub by_git: String,
    /// A hash of the lines that go and come, each with its white space.
    pub verbatim: String,
}

impl ChangeId {
    pub(crate) fn is_empty(&self) -> bool {
        self.by_git.is_empty()
    }
}

/// Of a patch what both of two alike have: where lines stand and the ids of files do not count, nor
/// does white space in the lines around a change.
fn to_the_letter(patch: &[u8]) -> String {
    let mut kept: Vec<u8> = Vec::with_capacity(patch.len());
    for line in patch.split_inclusive(|byte| *byte == b'\n') {
        match line.first() {
            Some(b' ') => {
                kept.extend(line.iter().filter(|byte| !byte.is_ascii_whitespace()));
                kept.push(b'\n');
            }
            _ if line.starts_with(b"@@ ") || line.starts_with(b"index ") => {}
            _ => kept.extend(line),
        }
    }
    if kept.is_empty() { String::new() } else { short_hash(&kept, 40) }
}

/// A patch for each commit that `git diff-tree --stdin` names in a line of its own; no line of a
/// patch begins with hex digits.
fn each_patch(patches: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let mut found: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    let mut at = String::new();
    for line in patches.split_inclusive(|byte| *byte == b'\n') {
        // Of a merge it says behind that from which parent.
        let name = line.split(u8::is_ascii_whitespace).next().unwrap_or_default();
        if name.len() >= 40 && name.iter().all(u8::is_ascii_hexdigit) {
            at = String::from_utf8_lossy(name).into_owned();
        } else {
            found.entry(at.clone()).or_default().extend(line);
        }
    }
    found
}

impl Store {
    /// What each of these commits changes, a merge by its first parent; those that change nothing
    /// are left out, and so is what the pathspecs of `but` name.
    pub(crate) fn patch_ids(
        &self,
        commits: &[CommitId],
        but: &[String],
    ) -> Result<Vec<(CommitId, ChangeId)>, StoreError> {
        if commits.is_empty() {
            return Ok(Vec::new());
        }
        let list = commits.iter().map(|commit| format!("{commit}\n")).collect::<String>();
        let args = ["diff-tree", "--stdin", "-r", "-p", "--root", "--diff-merges=first-parent"];
        let plain = ["--no-ext-diff", "--no-textconv", "--no-color", "--"];
        let args = args.into_iter().chain(plain);
        let git = self.git(args.chain(but.iter().map(String::as_str)));
        let patches = git.env("GIT_LITERAL_PATHSPECS", "0").input(list.into_bytes()).run()?;
        let each = each_patch(&patches);
        let told = self.git(["patch-id", "--stable"]).input(patches).run()?;
        let pair = |line: &str| {
            let (change, commit) = line.split_once(' ')?;
            let verbatim = to_the_letter(each.get(commit.trim())?);
            let change = ChangeId { by_git: change.to_owned(), verbatim };
            Some((commit.trim().parse().ok()?, change))
        };
        Ok(String::from_utf8_lossy(&told).lines().filter_map(pair).collect())
    }

    /// What changes between two trees, without what the pathspecs of `but` name.
    pub(crate) fn change_id(
        &self,
        from: &TreeId,
        to: &TreeId,
        but: &[String],
    ) -> Result<ChangeId, StoreError> {
        if from == to {
            return Ok(ChangeId::default());
        }
        let args = ["diff-tree", "-r", "-p", "--no-ext-diff", "--no-textconv", "--no-color"];
        let args = args.into_iter().chain([from.as_str(), to.as_str(), "--"]);
        let git = self.git(args.chain(but.iter().map(String::as_str)));
        let patch = git.env("GIT_LITERAL_PATHSPECS", "0").run()?;
        let verbatim = to_the_letter(&patch);
        let told = self.git(["patch-id", "--stable"]).input(patch).run()?;
        let told = String::from_utf8_lossy(&told).into_owned();
        let by_git = told.split_whitespace().next().unwrap_or_default().to_owned();
        Ok(ChangeId { by_git, verbatim })
    }

    /// What each of these commits changes, without what the pathspecs of `but` name; where that is
    /// nothing, all that it changes.
    pub(crate) fn known_changes(
        &self,
        commits: &[CommitId],
        but: &[String],
    ) -> Result<BTreeMap<CommitId, ChangeId>, StoreError> {
        let mut known: BTreeMap<CommitId, ChangeId> =
            self.patch_ids(commits, but)?.into_iter().collect();
        let bare = commits.iter().filter(|commit| !known.contains_key(*commit));
        let bare: Vec<CommitId> = bare.cloned().collect();
        known.extend(self.patch_ids(&bare, &[])?);
        Ok(known)
    }
}

#[cfg(test)]
mod tests {
    use crate::store::testbed::Testbed;

    #[test]
    fn white_space_counts_in_what_changes_and_not_around_it() {
        let bed = Testbed::new();
        let changed = |before: &str, after: &str| {
            bed.commit("a", before);
            let commit = bed.commit("a", after);
            let store = bed.store();
            store.patch_ids(&[commit], &[]).expect("git answers").remove(0).1
        };
        let one = changed("1\n2\n", "1\nrm $HOME/x\n");
        let other = changed("1\n2\n", "1\nrm $HOME /x\n");
        assert_eq!(one.by_git, other.by_git, "git leaves white space out");
        assert_ne!(one.verbatim, other.verbatim);
        assert_eq!(one, changed("  1\n2\n", "  1\nrm $HOME/x\n"), "around it none counts");
        assert_eq!(one, changed("1\n2\n", "1\nrm $HOME/x\n"));
        assert!(one.verbatim.len() == 40 && !one.is_empty());
    }
}
