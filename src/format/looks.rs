//! Looks: how the work tree and the fingerprints stood right before a call that may write.
//!
//! One small file for each call that is under way, below `.git/seed/looks/<worktree>`. The
//! hook after the call takes it away again. What the tool was told besides (the paths that
//! its input names) is read from the same call and kept with it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::prints::Content;

/// The longest time between two looks, in milliseconds, in which a change that nothing else
/// ties to the call is still the call's.
pub(crate) const SHORT_MS: i64 = 2000;

/// How things stood when a call began.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FirstLook {
    /// When it was taken, in milliseconds since the epoch.
    pub at: i64,
    /// Paths that differed from the fence's index already, and the mark of each; absent where
    /// the work tree was not looked at.
    #[serde(default)]
    pub tree: Option<BTreeMap<String, String>>,
    /// Fingerprinted files that differed from how they were seen last.
    #[serde(default)]
    pub prints: Vec<Stood>,
    /// The fingerprints were looked at.
    #[serde(default)]
    pub printed: bool,
    /// How many bytes the log of HEAD had.
    #[serde(default)]
    pub logged: u64,
    /// Absolute paths that the call's input names as a plain word, which may be no path.
    #[serde(default)]
    pub named: Vec<PathBuf>,
    /// Absolute paths that it names beyond doubt: all below them is named, too.
    #[serde(default)]
    pub whole: Vec<PathBuf>,
    /// Its line gives a command of git seed as well.
    #[serde(default)]
    pub seed: bool,
    /// The kernel confines it.
    #[serde(default)]
    pub confined: bool,
    /// The refs that are compared; absent where they were not looked at.
    #[serde(default)]
    pub refs: Option<RefsSeen>,
}

/// Refs as a look found them, without those of remotes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RefsSeen {
    /// Files of refs and what each held; nothing where there were too many to read.
    pub loose: BTreeMap<String, String>,
    /// What the system said of `packed-refs`; empty without one.
    pub packed: String,
    /// The stash, oldest first: the object of each entry, and its words.
    pub stash: Vec<(String, String)>,
}

/// A ref that two looks tell apart: what it held, and what it holds; empty for nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RefMove {
    pub name: String,
    pub old: String,
    pub new: String,
    /// The words of an entry of the stash.
    pub words: String,
}

/// What `old` and `new` tell apart, by name.
pub(crate) fn ref_moves(
    old: &BTreeMap<String, String>,
    new: &BTreeMap<String, String>,
) -> Vec<RefMove> {
    let names: std::collections::BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let held = |all: &BTreeMap<String, String>, name: &str| all.get(name).cloned();
    names
        .into_iter()
        .filter(|name| held(old, name) != held(new, name))
        .map(|name| RefMove {
            name: name.clone(),
            old: held(old, name).unwrap_or_default(),
            new: held(new, name).unwrap_or_default(),
            words: String::new(),
        })
        .collect()
}

/// A fingerprinted file as a look found it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stood {
    pub path: String,
    /// What the system said of it.
    pub seen: String,
    pub content: Content,
}

impl FirstLook {
    /// Whether the path `shown`, which now has the mark `now`, changed since.
    pub(crate) fn moved(&self, shown: &str, now: &str) -> bool {
        self.tree.as_ref().is_some_and(|tree| tree.get(shown).is_none_or(|mark| mark != now))
    }

    /// Whether the path differed before the call.
    pub(crate) fn had_changed(&self, shown: &str) -> bool {
        self.tree.as_ref().is_some_and(|tree| tree.contains_key(shown))
    }

    /// The fingerprinted file at `path`, where it differed before the call.
    pub(crate) fn stood(&self, path: &str) -> Option<&Stood> {
        self.prints.iter().find(|stood| stood.path == path)
    }

    /// Whether the input names the absolute path `path`, or a directory above it.
    pub(crate) fn names(&self, path: &Path) -> bool {
        self.named.iter().any(|named| named == path)
            || self.whole.iter().any(|above| path.starts_with(above))
    }

    /// Whether a call is short that has gone on until `now` and took `took` by the host's
    /// word. A clock that ran backwards proves nothing.
    pub(crate) fn is_short(&self, now: i64, took: Option<u64>) -> bool {
        let took = took.map_or(0, |ms| i64::try_from(ms).unwrap_or(i64::MAX));
        (0..SHORT_MS).contains(&(now - self.at)) && took < SHORT_MS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_two_looks_tell_apart_has_moved() {
        let tree = BTreeMap::from([("was".to_owned(), "1".to_owned())]);
        let look = FirstLook { tree: Some(tree), ..FirstLook::default() };
        for (path, mark, moved) in [("was", "1", false), ("was", "2", true), ("new", "1", true)] {
            assert_eq!(look.moved(path, mark), moved, "{path} {mark}");
        }
        assert!(!FirstLook::default().moved("new", "1"), "nobody looked");
    }

    #[test]
    fn a_ref_moved_where_two_looks_differ() {
        let map = |refs: &[(&str, &str)]| {
            refs.iter().map(|(name, held)| ((*name).to_owned(), (*held).to_owned())).collect()
        };
        let old = map(&[("refs/heads/a", "1"), ("refs/heads/b", "2"), ("refs/tags/t", "3")]);
        let new = map(&[("refs/heads/a", "1"), ("refs/replace/x", "4"), ("refs/tags/t", "5")]);
        let moved = ref_moves(&old, &new);
        let told: Vec<_> = moved.iter().map(|one| (&*one.name, &*one.old, &*one.new)).collect();
        assert_eq!(
            told,
            [("refs/heads/b", "2", ""), ("refs/replace/x", "", "4"), ("refs/tags/t", "3", "5")]
        );
    }

    #[test]
    fn a_call_is_short_by_both_clocks_or_not_at_all() {
        let look = FirstLook { at: 10_000, ..FirstLook::default() };
        for (now, took, short) in [
            (10_000, None, true),
            (11_999, Some(1999), true),
            (12_000, None, false),
            (12_000, Some(3), false),
            (10_100, Some(2000), false),
            (9_999, Some(3), false),
        ] {
            assert_eq!(look.is_short(now, took), short, "{now} {took:?}");
        }
    }

    #[test]
    fn a_directory_names_all_below_it_and_a_plain_word_only_itself() {
        let look = FirstLook {
            named: vec!["/r/docs".into()],
            whole: vec!["/r/src".into()],
            ..FirstLook::default()
        };
        for (path, named) in [
            ("/r/docs", true),
            ("/r/docs/a", false),
            ("/r/src", true),
            ("/r/src/a", true),
            ("/r/srcs", false),
        ] {
            assert_eq!(look.names(Path::new(path)), named, "{path}");
        }
    }
}
