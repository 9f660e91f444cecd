//! The scripts that stand where git looks: our hooks, and relays to theirs.
//!
//! Finds whose hooks ours stand in front of, and plans a script for every name that git has to
//! find then. The word that leads from a script to their hook outlives a move of the clone
//! wherever it can. Writing the scripts and taking them out is the parent's business; how git
//! comes to look here is `config`'s.

use crate::voice::{Notice, tell};
use crate::world::system;

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{HookError, HooksPath, OWN_DIR, Planned, RepoDirs};

/// Our hooks: name and script.
pub(super) const OURS: [(&str, &str); 5] = [
    ("pre-commit", include_str!("../../githooks/pre-commit")),
    ("commit-msg", include_str!("../../githooks/commit-msg")),
    ("post-commit", include_str!("../../githooks/post-commit")),
    ("post-rewrite", include_str!("../../githooks/post-rewrite")),
    ("pre-push", include_str!("../../githooks/pre-push")),
];

/// Stands in `.git/seed/hooks` for every other hook, since git no longer looks elsewhere.
const RELAY: &str = "#!/bin/sh\n# git seed: hands on to the hook it stands in front of.\n\
    theirs=@THEIRS@\n[ ! -x \"$theirs\" ] || exec \"$theirs\" \"$@\"\n";

/// Hooks that get a relay even before there is one of theirs, so that one added later runs.
/// Left out are those whose mere presence costs on every ref or index change, or means something
/// to a server: they get a relay only if theirs exists at install.
const RELAYED: [&str; 10] = [
    "applypatch-msg",
    "pre-applypatch",
    "post-applypatch",
    "pre-merge-commit",
    "prepare-commit-msg",
    "pre-rebase",
    "post-checkout",
    "post-merge",
    "pre-auto-gc",
    "sendemail-validate",
];

/// The hooks that ours stand in front of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Theirs {
    /// None of our names was taken: ours lie in `.git/hooks` itself.
    Nothing,
    /// Hooks in `.git/hooks`.
    Plain,
    /// Hooks where `core.hooksPath` led.
    At(HooksPath),
}

impl Theirs {
    pub(super) fn find(repo: &RepoDirs) -> Result<Self, HookError> {
        if let Some(found) = repo.foreign_hooks_paths()?.pop() {
            return Ok(Self::At(found));
        }
        let hooks = repo.common_dir.join("hooks");
        let taken = OURS.iter().any(|(name, _)| hooks.join(name).symlink_metadata().is_ok());
        Ok(if taken { Self::Plain } else { Self::Nothing })
    }

    /// Their directory, seen from this work tree.
    pub(super) fn dir(&self, repo: &RepoDirs) -> Option<PathBuf> {
        match self {
            Self::Nothing => None,
            Self::Plain => Some(repo.common_dir.join("hooks")),
            Self::At(found) => Some(repo.work_tree.join(&found.path)),
        }
    }

    /// The shell word that leads from our script to their hook. A plain hook is found from where
    /// ours lies, and a relative path stays relative, so both outlive a move of the clone.
    pub(super) fn word(&self, name: &str) -> Vec<u8> {
        match self {
            Self::Nothing => b"''".to_vec(),
            Self::Plain => format!("\"${{0%/{OWN_DIR}/*}}/hooks/{name}\"").into_bytes(),
            Self::At(found) => {
                quoted(format!("{}/{name}", found.path.trim_end_matches('/')).as_bytes())
            }
        }
    }

    /// Names besides our own that git has to find in our directory.
    pub(super) fn relayed(&self, repo: &RepoDirs) -> Vec<String> {
        let Some(dir) = self.dir(repo) else { return Vec::new() };
        let mut names: Vec<String> = RELAYED.map(str::to_owned).to_vec();
        names.extend(hooks_in(&dir));
        names.sort();
        names.dedup();
        names.retain(|name| OURS.iter().all(|(ours, _)| ours != name));
        names
    }
}

/// Names in `dir` that git would run as hooks.
pub(super) fn hooks_in(dir: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(dir) else { return Vec::new() };
    let names = entries.flatten().filter(|entry| is_runnable(&entry.path()));
    let names = names.filter_map(|entry| entry.file_name().into_string().ok());
    names
        .filter(|name| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'))
        .collect()
}

pub(super) fn is_runnable(path: &Path) -> bool {
    system::is_runnable(path)
}

/// One word for the shell, whatever bytes it holds.
fn quoted(bytes: &[u8]) -> Vec<u8> {
    let mut word = vec![b'\''];
    for byte in bytes {
        match byte {
            b'\'' => word.extend(b"'\\''"),
            other => word.push(*other),
        }
    }
    word.push(b'\'');
    word
}

/// Fills the two words into a script.
pub(super) fn script(template: &str, binary: &Path, theirs: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for line in template.split_inclusive('\n') {
        match line.trim_end().split_once('=') {
            Some((name, "@SEED@")) => {
                bytes.extend(
                    [name.as_bytes(), b"=", &quoted(&system::bytes_of(binary.as_os_str())), b"\n"]
                        .concat(),
                );
            }
            Some((name, "@THEIRS@")) => {
                bytes.extend([name.as_bytes(), b"=", theirs, b"\n"].concat());
            }
            _ => bytes.extend(line.as_bytes()),
        }
    }
    bytes
}

/// Whose a script in a hook's place is, as its bytes say.
pub(super) enum Likeness {
    /// As we wrote it, for whatever binary and whatever hook behind it.
    Ours,
    /// It has our mark and was changed since.
    Changed,
    Theirs,
}

/// The second line of each script of ours begins so.
const MARK: &str = "# git seed: ";

pub(super) fn likeness(name: &str, bytes: &[u8]) -> Likeness {
    let text = String::from_utf8_lossy(bytes);
    if !text.lines().nth(1).is_some_and(|line| line.starts_with(MARK)) {
        return Likeness::Theirs;
    }
    let template = OURS.iter().find(|(own, _)| *own == name).map_or(RELAY, |(_, text)| *text);
    let mut lines = text.lines();
    let is_same = template.lines().all(|line| match line.split_once('=') {
        Some((name, "@SEED@" | "@THEIRS@")) => lines
            .next()
            .is_some_and(|now| now.strip_prefix(name).is_some_and(|word| word.starts_with('='))),
        _ => lines.next() == Some(line),
    });
    if is_same && lines.next().is_none() { Likeness::Ours } else { Likeness::Changed }
}

pub(super) fn planned_scripts(repo: &RepoDirs, binary: &Path, theirs: &Theirs) -> Vec<Planned> {
    let dir = if *theirs == Theirs::Nothing { "hooks" } else { OWN_DIR };
    let ours = OURS
        .iter()
        .map(|(name, template)| ((*name).to_owned(), *template, "git seed's hook".to_owned()));
    let relays =
        theirs.relayed(repo).into_iter().map(|name| (name, RELAY, tell(Notice::HookHandsOn, &[])));
    ours.chain(relays)
        .map(|(name, template, what)| Planned {
            path: format!("{dir}/{name}"),
            bytes: script(template, binary, &theirs.word(&name)),
            mode: 0o755,
            what,
        })
        .collect()
}
