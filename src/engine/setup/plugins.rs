//! Plugins of hosts that `git seed plugin` made, where the host's own files show that one is on.
//!
//! A plugin and the hook lines of `init` send each event twice; the second is answered as the first
//! and recorded once. Nobody but the person takes one of them out, so they are named.

use crate::engine::finding::Finding;
use crate::engine::repo::Repo;
use crate::engine::repo::installation::SettingsFile;
use crate::engine::setup::heartbeat;
use crate::engine::setup::own_record::Told;
use crate::hosts::{self, Host};
use crate::voice::{Found, Notice, tell};

/// What `doctor` says of plugins; `files` are the settings with hook lines of ours.
pub(crate) fn findings(repo: &Repo, files: &[SettingsFile]) -> Vec<Finding> {
    let mut found = Vec::new();
    // A row that does not read is named where `init` wrote for it.
    for row in hosts::names().filter_map(|name| hosts::row(name).ok()) {
        let Some(shown) = row.plugin_on(|file| repo.host_file(file)) else { continue };
        let facts = [("title", row.title.as_str()), ("shown", shown)];
        if files.iter().any(|file| file.host == row.name) {
            found.push(Finding::of(Found::PluginToo, &facts));
        } else {
            found.push(Finding::of(Found::PluginAlone, &facts));
            found.push(heartbeat::finding(repo, row));
        }
    }
    found
}

/// What `init` says of the plugin of a host that it puts in.
pub(crate) fn beside(repo: &Repo, row: &Host) -> Option<Told> {
    let shown = row.plugin_on(|file| repo.host_file(file))?;
    Some(Told::new("note", &row.title, tell(Notice::PluginBeside, &[("shown", shown)])))
}
