//! Refs as files, for the look before a call and the one after it.
//!
//! They are read as they lie: a look asks no child, and a ref that does not parse is told by
//! its bytes. `packed-refs` is never written in place, only replaced, so that a second name
//! for it keeps what it held.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::object::WRITER;
use super::{CommitId, Store, StoreError};
use crate::format::looks::{RefMove, RefsSeen, ref_moves};
use crate::format::names::{self, FOCUS};
use crate::world;

/// Where refs lie that are compared. Those of remotes are git's to move.
const COMPARED: [&str; 5] =
    ["refs/heads/", "refs/tags/", "refs/replace/", "refs/notes/", "refs/seed/"];

/// What this worktree alone holds and is compared: its focus, and what git leaves while it merges
/// or picks.
const OF_WORKTREE: [&str; 4] = [FOCUS, "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD"];

/// The most loose refs that are read for one look; of the others only the name is known.
const READ: usize = 512;

/// The name by which the stash is told.
pub(crate) const STASH: &str = "refs/stash";

/// The file of refs that git packed.
pub(crate) const PACKED: &str = "packed-refs";

impl Store {
    /// The refs as they are. What `known` could not read is not read either.
    pub(crate) fn refs_seen(&self, known: Option<&RefsSeen>) -> RefsSeen {
        let mut loose = BTreeMap::new();
        for below in COMPARED {
            self.names_below(below.trim_end_matches('/'), &mut loose);
        }
        for name in OF_WORKTREE {
            if self.place_of_ref(name).is_file() {
                loose.insert(name.to_owned(), String::new());
            }
        }
        let mut read = 0;
        for (name, held) in &mut loose {
            let before = known.and_then(|known| known.loose.get(name));
            let fits = before.map_or(read < READ, |before| !before.is_empty());
            read += usize::from(before.is_none());
            if fits {
                *held = self.text_in(name);
            }
        }
        RefsSeen { loose, packed: self.packed_now(), stash: self.stash_now() }
    }

    /// Gives `packed-refs` a second name, so that what it holds now is there after the call.
    pub(crate) fn keep_packed_refs(&self, at: &Path) -> std::io::Result<()> {
        let packed = self.common_dir.join(PACKED);
        if let Some(dir) = at.parent() {
            fs::create_dir_all(dir)?;
        }
        world::remove_if_there(at)?;
        if packed.is_file() && fs::hard_link(&packed, at).is_err() {
            world::write_whole(at, &world::read_plain(&packed)?)?;
        }
        Ok(())
    }

    /// The refs that moved since `before`; `kept` is what `packed-refs` was then.
    pub(crate) fn refs_moved(&self, before: &RefsSeen, kept: &Path) -> Vec<RefMove> {
        let now = self.refs_seen(Some(before));
        if now == *before {
            return Vec::new();
        }
        let (same, packed) =
            (now.packed == before.packed, packed_refs(&self.common_dir.join(PACKED)));
        let old = if same { packed.clone() } else { packed_refs(kept) };
        let over = |mut packed: BTreeMap<String, String>, loose: &BTreeMap<String, String>| {
            packed.extend(loose.clone());
            packed
        };
        let mut moved = ref_moves(&over(old, &before.loose), &over(packed, &now.loose));
        let is_there = |entry: &&(String, String)| !now.stash.contains(entry);
        moved.extend(before.stash.iter().filter(is_there).map(|(old, words)| RefMove {
            name: STASH.to_owned(),
            old: old.clone(),
            new: String::new(),
            words: words.clone(),
        }));
        moved
    }

    /// Whether `old` is `new`, or lies in its history.
    pub(crate) fn descends(&self, new: &str, old: &str) -> bool {
        let ids = (new.parse::<CommitId>(), old.parse::<CommitId>());
        let (Ok(new), Ok(old)) = ids else { return false };
        let near = |new: &CommitId, old: &CommitId| -> Result<bool, StoreError> {
            Ok(self.is_near(new.object()?, old.object()?))
        };
        new == old
            || matches!(near(&new, &old), Ok(true))
            || self.is_none_left(&["rev-list", "-1", old.as_str(), "--not", new.as_str()])
    }

    /// Whether what the ref `name` of ours holds was written by git seed: a step of its own, under
    /// a name that it uses. Anybody can write under its name; what a step says is asked by whoever
    /// reads it.
    pub(crate) fn is_own_step(&self, name: &str, held: &str) -> bool {
        let by_us = || -> Result<bool, StoreError> {
            let Ok(held) = held.parse::<CommitId>() else { return Ok(false) };
            let commit = self.commit_object(held.object()?, name)?;
            let unread = |err| StoreError::unreadable(name.to_owned(), &err);
            let writer = commit.committer().map_err(unread)?;
            Ok(*writer.name == *WRITER.0.as_bytes() && *writer.email == *WRITER.1.as_bytes())
        };
        // What does not read is nobody's.
        names::is_own(name) && by_us().unwrap_or(false)
    }

    /// Whether `old` lies in the history of what git seed keeps: a closed job's does.
    pub(crate) fn is_kept_by_own_refs(&self, old: &str) -> bool {
        self.is_none_left(&["rev-list", "-1", old, "--not", "--glob=refs/seed"])
    }

    fn is_none_left(&self, args: &[&str]) -> bool {
        let asked = self.git(args).outcome();
        asked.is_ok_and(|asked| asked.code == Some(0) && asked.stdout.is_empty())
    }

    /// The names of all refs below `prefix`, which ends in `/`.
    pub(crate) fn ref_names(&self, prefix: &str) -> Vec<String> {
        let mut found = packed_refs(&self.common_dir.join(PACKED));
        found.retain(|name, _| name.starts_with(prefix));
        self.names_below(prefix.trim_end_matches('/'), &mut found);
        found.into_keys().collect()
    }

    fn names_below(&self, dir: &str, found: &mut BTreeMap<String, String>) {
        for entry in fs::read_dir(self.common_dir.join(dir)).into_iter().flatten().flatten() {
            let name = format!("{dir}/{}", entry.file_name().to_string_lossy());
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => self.names_below(&name, found),
                Ok(_) if Path::new(&name).extension().is_none_or(|kind| kind != "lock") => {
                    found.insert(name, String::new());
                }
                _ => {}
            }
        }
    }

    /// What a ref's file holds. One that went meanwhile, or is no file, holds nothing.
    fn text_in(&self, name: &str) -> String {
        let bytes = world::read_plain(&self.place_of_ref(name));
        bytes.map_or_else(|_| String::new(), |bytes| text(&bytes).trim_end().to_owned())
    }

    /// Where the file of a compared ref lies.
    pub(crate) fn place_of_ref(&self, name: &str) -> PathBuf {
        let own = OF_WORKTREE.contains(&name);
        (if own { &self.git_dir } else { &self.common_dir }).join(name)
    }

    fn packed_now(&self) -> String {
        seen(&self.common_dir.join(PACKED))
    }

    /// Dropping an entry changes nothing but this log.
    fn stash_now(&self) -> Vec<(String, String)> {
        let log: PathBuf = self.common_dir.join("logs").join(STASH);
        let bytes = world::read_plain(&log);
        let lines = bytes.map_or_else(|_| String::new(), |bytes| text(&bytes));
        let entry = |line: &str| {
            let (who, words) = line.split_once('\t').unwrap_or((line, ""));
            Some((who.split(' ').nth(1)?.to_owned(), words.to_owned()))
        };
        lines.lines().filter_map(entry).collect()
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What tells a file from another one in its place.
pub(super) fn seen(path: &Path) -> String {
    path.metadata().map_or_else(|_| String::new(), |data| world::system::mark_of(&data))
}

/// The refs of a packed file that are compared.
pub(super) fn packed_refs(path: &Path) -> BTreeMap<String, String> {
    let bytes = world::read_plain(path);
    let lines = bytes.map_or_else(|_| String::new(), |bytes| text(&bytes));
    let one = |line: &str| {
        let (held, name) = line.split_once(' ')?;
        let compared = COMPARED.iter().any(|below| name.starts_with(below));
        compared.then(|| (name.to_owned(), held.to_owned()))
    };
    lines.lines().filter(|line| !line.starts_with(['#', '^'])).filter_map(one).collect()
}
