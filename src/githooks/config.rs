//! Edits git's config files: worked out on a copy, swapped in under git's own lock.
//!
//! Leads git to our directory where hooks of ours would meet one of theirs, and lets notes follow
//! rewritten commits. A file that nobody else wrote since comes back byte for byte; one that
//! others edited loses only our keys. When to edit, and keeping what was there before, is the
//! parent's business.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{
    HOOKS_PATH, HookError, OWN_DIR_FROM_TOP, Planned, PlannedConfig, Removed, RepoDirs, Theirs, at,
    sha256,
};
use crate::voice::{Notice, tell};
use crate::world::{self, system};

/// Hooks that git may run with the git directory as its own, where a relative path leads nowhere.
const SERVED: [&str; 7] = [
    "pre-receive",
    "update",
    "post-receive",
    "post-update",
    "push-to-checkout",
    "proc-receive",
    "reference-transaction",
];

/// Config that only linked work trees include, where `.git` is a file and a relative path fails.
const LINKED_CONFIG: &str = "seed/worktrees.config";
const LINKED_INCLUDE: &str = "includeIf.gitdir:**/worktrees/*.path";

/// Notes follow their commits through amend and rebase, one line per record.
const NOTES: [Put<'_>; 3] = [
    Put { key: "notes.rewriteRef", value: "refs/notes/seed", how: How::Among },
    Put { key: "notes.rewriteMode", value: "cat_sort_uniq", how: How::Only },
    Put { key: "notes.seed.mergeStrategy", value: "cat_sort_uniq", how: How::Only },
];

/// One config file before and after.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ConfigEdit {
    path: String,
    before: Option<Bytes>,
    after: String,
    keys: Vec<OwnKey>,
}

/// A key we set, and its values in that file before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct OwnKey {
    key: String,
    ours: String,
    before: Vec<String>,
}

/// Bytes that read as text in TOML wherever they are text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
enum Bytes {
    Text(String),
    Raw(Vec<u8>),
}

impl Bytes {
    fn new(bytes: Vec<u8>) -> Self {
        String::from_utf8(bytes).map_or_else(|foreign| Self::Raw(foreign.into_bytes()), Self::Text)
    }

    fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Raw(bytes) => bytes,
        }
    }
}

/// How `core.hooksPath` comes to lead to our directory.
pub(super) struct Way {
    /// Its value; none where ours lie in `.git/hooks`.
    value: Option<String>,
    /// Linked work trees need a value of their own.
    pub linked: bool,
    /// The file that decides, relative to the common git directory.
    file: String,
}

impl Way {
    pub(crate) fn new(repo: &RepoDirs, theirs: &Theirs) -> Self {
        let main = if repo.git_dir == repo.common_dir {
            repo.work_tree.join(".git") == repo.common_dir
        } else {
            repo.common_dir.file_name() == Some(OsStr::new(".git"))
        };
        let by_worktree = matches!(theirs, Theirs::At(found) if found.scope == "worktree");
        let served = theirs.relayed(repo).iter().any(|name| SERVED.contains(&name.as_str()));
        let linked = main && !by_worktree && !served && *theirs != Theirs::Nothing;
        let absolute = repo.own_dir().to_string_lossy().into_owned();
        Self {
            value: (*theirs != Theirs::Nothing)
                .then(|| if linked { OWN_DIR_FROM_TOP.to_owned() } else { absolute }),
            linked,
            file: if by_worktree { worktree_config(repo) } else { "config".to_owned() },
        }
    }

    /// What to put into which file.
    pub(crate) fn puts(&self, theirs: &Theirs) -> Vec<(String, Vec<Put<'_>>)> {
        let mut shared = NOTES.to_vec();
        let hooks_path =
            self.value.as_deref().map(|value| Put { key: HOOKS_PATH, value, how: How::Last });
        if self.linked {
            shared.push(Put { key: LINKED_INCLUDE, value: LINKED_CONFIG, how: How::Among });
        }
        match (hooks_path, theirs) {
            (Some(put), _) if self.file != "config" => {
                vec![("config".to_owned(), shared), (self.file.clone(), vec![put])]
            }
            (put, _) => {
                shared.splice(0..0, put);
                vec![("config".to_owned(), shared)]
            }
        }
    }
}

/// The config of this work tree alone, relative to the common git directory.
fn worktree_config(repo: &RepoDirs) -> String {
    let dir = repo.git_dir.strip_prefix(&repo.common_dir).unwrap_or(Path::new(""));
    dir.join("config.worktree").to_string_lossy().into_owned()
}

pub(super) fn linked_config(repo: &RepoDirs) -> Result<Planned, HookError> {
    let own_dir = repo.own_dir();
    let own_dir =
        own_dir.to_str().ok_or_else(|| HookError::NotUtf8(own_dir.clone().into_os_string()))?;
    let (bytes, _) = edited(repo, &[], &[Put { key: HOOKS_PATH, value: own_dir, how: How::Only }])?;
    let what = tell(Notice::HookLinked, &[]);
    Ok(Planned { path: LINKED_CONFIG.to_owned(), bytes, mode: 0o644, what })
}

/// Our keys as they stand in the configuration of this clone, where their record is lost. What it
/// said before of a key that can have one value is not known.
pub(super) fn found_edit(repo: &RepoDirs) -> Result<Vec<ConfigEdit>, HookError> {
    let mut edits = Vec::new();
    let mut paths = vec!["config".to_owned(), worktree_config(repo)];
    paths.dedup();
    for path in paths {
        let file = repo.common_dir.join(&path);
        let Some(bytes) = world::read_if_there(&file).map_err(at(&file))? else { continue };
        let keys = found_keys(repo, &Scratch::new(repo, &bytes)?)?;
        if !keys.is_empty() {
            // Neither the bytes of then are known nor a hash: what stands there loses our keys.
            edits.push(ConfigEdit { path, before: None, after: String::new(), keys });
        }
    }
    Ok(edits)
}

fn found_keys(repo: &RepoDirs, scratch: &Scratch<'_>) -> Result<Vec<OwnKey>, HookError> {
    let own_dir = repo.own_dir().to_string_lossy().into_owned();
    let ours = |key: &str, ours: &str| OwnKey {
        key: key.to_owned(),
        ours: ours.to_owned(),
        before: Vec::new(),
    };
    let mut keys = Vec::new();
    let stood = scratch.listed()?;
    let hooks = stood.of(HOOKS_PATH)?;
    if let [only] = &hooks[..]
        && (*only == own_dir || only == OWN_DIR_FROM_TOP)
    {
        keys.push(ours(HOOKS_PATH, only));
    }
    if stood.of(LINKED_INCLUDE)?.iter().any(|value| value == LINKED_CONFIG) {
        keys.push(ours(LINKED_INCLUDE, LINKED_CONFIG));
    }
    for Put { key, value, how } in NOTES {
        let now = stood.of(key)?;
        let there = match how {
            How::Among => now.iter().any(|one| one == value),
            How::Only | How::Last => now == [value],
        };
        match (there, how) {
            (true, _) => keys.push(ours(key, value)),
            // Without our ref among them the other keys are not ours.
            (false, How::Among) => break,
            (false, _) => {}
        }
    }
    Ok(keys)
}

/// A value to put into a config file.
#[derive(Clone, Copy)]
pub(super) struct Put<'a> {
    key: &'a str,
    value: &'a str,
    how: How,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    /// The only value of its key.
    Only,
    /// One among values that stay.
    Among,
    /// The only value of its key, and below any include that might say otherwise.
    Last,
}

pub(super) fn plan_config(
    repo: &RepoDirs,
    path: String,
    puts: &[Put<'_>],
) -> Result<(PlannedConfig, ConfigEdit), HookError> {
    let file = repo.common_dir.join(&path);
    let found = world::read_if_there(&file).map_err(at(&file))?;
    let before = found.clone().unwrap_or_default();
    let (after, keys) = edited(repo, &before, puts)?;
    let named: Vec<_> = keys.iter().map(|own| own.key.as_str()).collect();
    let what = format!("sets {}", named.join(", "));
    let edit = ConfigEdit {
        path: path.clone(),
        before: found.map(Bytes::new),
        after: sha256(&after),
        keys,
    };
    Ok((PlannedConfig { path, before, after, what }, edit))
}

/// The bytes of a config with `puts` in it, and the keys that this changed.
fn edited(
    repo: &RepoDirs,
    bytes: &[u8],
    puts: &[Put<'_>],
) -> Result<(Vec<u8>, Vec<OwnKey>), HookError> {
    let scratch = Scratch::new(repo, bytes)?;
    let mut keys = Vec::new();
    // No key is put twice, so what one put changes is none of the next one's.
    let stood = scratch.listed()?;
    for put in puts {
        let before = stood.of(put.key)?;
        let there = match put.how {
            How::Among => before.iter().any(|value| value == put.value),
            How::Only | How::Last => before == [put.value],
        };
        if !there {
            scratch.put(*put, &before)?;
            keys.push(OwnKey { key: put.key.to_owned(), ours: put.value.to_owned(), before });
        }
    }
    Ok((scratch.bytes()?, keys))
}

/// A copy of a config file for `git config` to edit; the real one changes in one rename.
struct Scratch<'a> {
    repo: &'a RepoDirs,
    file: tempfile::TempPath,
}

impl<'a> Scratch<'a> {
    fn new(repo: &'a RepoDirs, bytes: &[u8]) -> Result<Self, HookError> {
        let temp = std::env::temp_dir();
        let mut file = tempfile::NamedTempFile::new().map_err(at(&temp))?;
        file.write_all(bytes).map_err(at(&temp))?;
        Ok(Self { repo, file: file.into_temp_path() })
    }

    fn config(&self, args: &[&str]) -> Result<Vec<u8>, HookError> {
        let mut all = vec![OsStr::new("config"), OsStr::new("--file"), self.file.as_os_str()];
        all.extend(args.iter().map(OsStr::new));
        self.repo.ask(&all)
    }

    fn bytes(&self) -> Result<Vec<u8>, HookError> {
        fs::read(&self.file).map_err(at(&self.file))
    }

    fn listed(&self) -> Result<Listed, HookError> {
        Ok(Listed(self.config(&["-z", "--list"])?))
    }

    fn put(&self, put: Put<'_>, before: &[String]) -> Result<(), HookError> {
        let includes =
            self.bytes()?.windows(8).any(|bytes| bytes.eq_ignore_ascii_case(b"[include"));
        match put.how {
            How::Among => self.config(&["--add", put.key, put.value]).map(drop),
            How::Last if before.is_empty() && includes => self.append(put),
            How::Only | How::Last => self.config(&["--replace-all", put.key, put.value]).map(drop),
        }
    }

    /// Adds a section of its own at the end, where git would have used one further up.
    fn append(&self, put: Put<'_>) -> Result<(), HookError> {
        let (section, _) = edited(self.repo, &[], &[Put { how: How::Only, ..put }])?;
        let mut bytes = self.bytes()?;
        if !bytes.ends_with(b"\n") {
            bytes.push(b'\n');
        }
        bytes.extend(section);
        fs::write(&self.file, bytes).map_err(at(&self.file))
    }

    /// Takes one key of ours back; says so if it is no longer ours.
    fn take_back(&self, own: &OwnKey, among: bool) -> Result<bool, HookError> {
        let now = self.listed()?.of(&own.key)?;
        let ours = if among { now.contains(&own.ours) } else { now == [own.ours.as_str()] };
        match (ours, own.before.as_slice()) {
            (false, _) => return Ok(now == own.before),
            (true, _) if among => {
                drop(self.config(&["--fixed-value", "--unset-all", &own.key, &own.ours])?);
            }
            (true, [one]) => drop(self.config(&["--replace-all", &own.key, one])?),
            (true, several) => {
                self.config(&["--unset-all", &own.key])?;
                for value in several {
                    self.config(&["--add", &own.key, value])?;
                }
            }
        }
        Ok(true)
    }
}

/// Every value of a config file in its order, as `git config -z --list` names them.
struct Listed(Vec<u8>);

impl Listed {
    /// The values of one key. Git writes sections and names in small letters.
    fn of(&self, key: &str) -> Result<Vec<String>, HookError> {
        let (head, name) = key.rsplit_once('.').unwrap_or_default();
        let (section, inner) = head.split_once('.').map_or((head, None), |(a, b)| (a, Some(b)));
        let inner = inner.map(|inner| format!(".{inner}")).unwrap_or_default();
        let key = format!("{}{inner}.{}", section.to_ascii_lowercase(), name.to_ascii_lowercase());
        let mut values = Vec::new();
        for entry in self.0.split(|byte| *byte == 0).filter(|entry| !entry.is_empty()) {
            // A key that stands without a value has no line end behind it.
            let mut parts = entry.splitn(2, |byte| *byte == b'\n');
            if parts.next() == Some(key.as_bytes()) {
                let value = parts.next().unwrap_or_default();
                let read = std::str::from_utf8(value)
                    .map_err(|_| HookError::NotUtf8(system::name_of(value)))?;
                values.push(read.to_owned());
            }
        }
        Ok(values)
    }
}

/// Replaces `expected` by `new` under git's own lock; without `new` the file goes away.
pub(super) fn swap(
    repo: &RepoDirs,
    path: &Path,
    expected: &[u8],
    new: Option<&[u8]>,
) -> Result<(), HookError> {
    let _naming = world::config_lock::name(&repo.seed_dir(), path).map_err(at(path))?;
    let path = crate::world::real(path).unwrap_or_else(|_| path.to_owned());
    let lock = PathBuf::from([path.as_os_str(), OsStr::new(".lock")].join(OsStr::new("")));
    let mut file =
        fs::File::create_new(&lock).map_err(|_| HookError::Busy { path: path.clone() })?;
    let swapped = swap_locked(&path, &lock, &mut file, expected, new);
    if swapped.is_err() || new.is_none() {
        fs::remove_file(&lock).map_err(at(&lock))?;
    }
    swapped
}

fn swap_locked(
    path: &Path,
    lock: &Path,
    file: &mut fs::File,
    expected: &[u8],
    new: Option<&[u8]>,
) -> Result<(), HookError> {
    if world::read_if_there(path).map_err(at(path))?.unwrap_or_default() != expected {
        return Err(HookError::Busy { path: path.to_owned() });
    }
    let Some(new) = new else { return fs::remove_file(path).map_err(at(path)) };
    if let Ok(found) = path.metadata() {
        file.set_permissions(found.permissions()).map_err(at(lock))?;
    }
    file.write_all(new).and_then(|()| file.sync_all()).map_err(at(lock))?;
    fs::rename(lock, path).map_err(at(path))
}

pub(super) fn restore_config(
    repo: &RepoDirs,
    edit: &ConfigEdit,
    removed: &mut Removed,
) -> Result<(), HookError> {
    let path = repo.common_dir.join(&edit.path);
    let now = world::read_if_there(&path).map_err(at(&path))?;
    if now.as_deref() == edit.before.as_ref().map(Bytes::as_bytes) {
        return Ok(());
    }
    let now = now.unwrap_or_default();
    if sha256(&now) == edit.after {
        swap(repo, &path, &now, edit.before.as_ref().map(Bytes::as_bytes))?;
    } else {
        let rest = without_our_keys(repo, &now, edit, &path, removed)?;
        if rest == now {
            return Ok(());
        }
        swap(repo, &path, &now, Some(&rest))?;
    }
    removed.restored.push(path);
    Ok(())
}

fn without_our_keys(
    repo: &RepoDirs,
    now: &[u8],
    edit: &ConfigEdit,
    path: &Path,
    removed: &mut Removed,
) -> Result<Vec<u8>, HookError> {
    let scratch = Scratch::new(repo, now)?;
    for own in &edit.keys {
        let among = own.key == LINKED_INCLUDE
            || NOTES.iter().any(|put| put.key == own.key && put.how == How::Among);
        if !scratch.take_back(own, among)? {
            removed.left.push((path.to_owned(), format!("{} was changed since; kept", own.key)));
        }
    }
    scratch.bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_a_key_are_found_among_all() {
        let said = "core.hookspath\na\nb\0core.bare\0notes.Seed.mergestrategy\nx\0\
                    core.hookspath\n\0includeif.gitdir:**/w.x/*.path\ny\0";
        let listed = Listed(said.as_bytes().to_vec());
        let of = |key: &str| listed.of(key).expect("it is UTF-8");
        assert_eq!(of("core.hooksPath"), ["a\nb", ""]);
        assert_eq!(of("core.bare"), [""]);
        assert_eq!(of("includeIf.gitdir:**/w.x/*.path"), ["y"]);
        assert_eq!(of("notes.Seed.mergeStrategy"), ["x"]);
        // Git tells the names of subsections apart by case.
        assert_eq!(of("notes.seed.mergeStrategy"), [""; 0]);
        assert!(Listed(b"a.b\n\xff\0c.d\nx".to_vec()).of("a.b").is_err());
    }
}
