//! The record of what `init` put where, and its paths once the repository was moved.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::{githooks, hosts};

/// The name of the worktree that a repository began with.
pub(crate) const MAIN: &str = "main";

/// What `init` wrote, for `uninstall`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Installation {
    #[serde(default)]
    pub settings: Vec<SettingsFile>,
    /// `.git/info/exclude` as it was before our lines; absent when it was not there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exclude_before: Option<String>,
    /// `.git/info` was not there before.
    #[serde(default)]
    pub made_info: bool,
    /// Lines of ours in `.git/info/exclude`.
    #[serde(default)]
    pub excluded: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hooks: Option<githooks::Record>,
    /// Subagent definitions of ours, and other Markdown that is put in beside them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<AgentFile>,
    /// Pages that held anchors before git seed put any in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub anchored: Vec<String>,
    /// Hosts that were told of our MCP server.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub servers: Vec<SettingsFile>,
    /// Rules with which a host runs our commands unasked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grants: Vec<AgentFile>,
    /// Lines of ours in `.git/info/attributes`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merging: Option<Merging>,
    /// Where the worktrees lay when this was written, by their names: a repository can be moved,
    /// and copied.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tops: BTreeMap<String, PathBuf>,
}

impl Installation {
    /// The paths below the places of then are those below the places of now.
    pub(crate) fn relocated(mut self, now: &[(String, PathBuf)]) -> Self {
        for (name, now) in now {
            let Some(then) = self.tops.insert(name.clone(), now.clone()) else { continue };
            if then == *now {
                continue;
            }
            let files = self.settings.iter_mut().chain(&mut self.servers);
            let files = files.map(|file| (&mut file.path, &mut file.made_dirs));
            let agents = self.agents.iter_mut().chain(&mut self.grants);
            let agents = agents.map(|file| (&mut file.path, &mut file.made_dirs));
            for (path, dirs) in files.chain(agents) {
                for path in std::iter::once(path).chain(dirs) {
                    if let Ok(below) = path.strip_prefix(&then) {
                        *path = now.join(below);
                    }
                }
            }
        }
        self
    }

    /// A record of before the places were written down: that of the main one, by a file of a host.
    pub(crate) fn top_by_files(&self) -> Option<PathBuf> {
        self.settings.iter().find_map(|file| {
            let row = hosts::row(&file.host).ok()?;
            let names = [&row.settings.local, &row.settings.shared];
            names.into_iter().find_map(|name| {
                let depth = Path::new(name).components().count();
                let top = file.path.ancestors().nth(depth)?;
                (top.join(name) == file.path).then(|| top.to_owned())
            })
        })
    }
}

/// Lines that name our merge driver.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Merging {
    /// `.git/info/attributes` as it was; absent when it was not there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    pub made_info: bool,
    pub lines: Vec<String>,
}

/// A file that was put in whole, such as a subagent definition.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct AgentFile {
    pub path: PathBuf,
    /// Hash of what was written; one that was changed since is the person's.
    pub hash: String,
    /// Directories that did not exist before, innermost first.
    #[serde(default)]
    pub made_dirs: Vec<PathBuf>,
}

/// One settings file of a host, with hook lines or a server of ours in it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SettingsFile {
    pub host: String,
    pub path: PathBuf,
    /// Directories that did not exist before, innermost first.
    #[serde(default)]
    pub made_dirs: Vec<PathBuf>,
    /// What [`install::remove`] needs, or of a server `ServerRow::remove`.
    #[serde(default)]
    pub undo: String,
}
