//! Definitions of subagents in the work tree, and whose they are.
//!
//! What `init` put there and nobody committed is git seed's, changed or not. Gates go by the
//! repository's own alone: so `init` switches nothing on, and no edit of such a file switches
//! anything off. Whoever wants one of git seed's to count commits it.

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::engine::repo::installation::AgentFile;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::format::short_hash;
use crate::front_matter;
use crate::hosts::{self, Host};
use crate::store::RepoPath;

/// Whose a definition is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Whose {
    /// As `init` wrote it.
    GitSeed,
    /// `init` wrote it, and somebody changed it.
    Changed,
    /// Committed, or put there by others.
    Repository,
}

/// One definition, as `git seed agents` lists it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Subagent {
    pub host: String,
    pub name: String,
    /// The phase that it is for; none where its name does not say.
    pub phase: Option<String>,
    /// What it is for, in its own words.
    #[serde(rename = "for")]
    pub about: String,
    pub origin: Whose,
    pub path: String,
}

impl Repo {
    /// All definitions that hosts find here, by phase and name.
    pub(crate) fn subagents(&self) -> Result<Vec<Subagent>> {
        let brought = self.installation()?.agents;
        let mut found = Vec::new();
        for (host, folder) in folders() {
            for name in self.names_in(folder) {
                let path = format!("{folder}{name}.md");
                // One that does not read is listed by its file.
                let text = std::fs::read(self.store.work_tree().join(&path)).unwrap_or_default();
                let origin = self.whose(&path, &text, &brought);
                let text = String::from_utf8_lossy(&text);
                found.push(Subagent {
                    host: host.name.clone(),
                    phase: self.phase_of(&name),
                    about: key(&text, "description").unwrap_or_default(),
                    name: key(&text, "name").unwrap_or(name),
                    origin,
                    path,
                });
            }
        }
        let map = self.rules.maps.get(self.rules.maps.whole_name());
        let rank = |one: &Subagent| {
            let phase = one.phase.as_deref()?;
            map.phases().position(|row| row.name.as_str() == phase)
        };
        found.sort_by_cached_key(|one| {
            (rank(one).unwrap_or(usize::MAX), one.host.clone(), one.name.clone())
        });
        Ok(found)
    }

    /// Whether the repository itself defines the subagent. Gates go by such ones alone.
    pub(crate) fn defines_subagent(&self, name: &str) -> bool {
        self.own_subagents(|file| file == name)
    }

    /// Whether the repository itself defines a subagent for `phase`, by the beginning of its name.
    pub(crate) fn has_own_roster(&self, phase: &str) -> bool {
        let own = format!("{phase}-");
        self.own_subagents(|file| file.starts_with(&own))
    }

    /// Whether a definition of that name is there for the host, whoever wrote it.
    pub(crate) fn has_subagent(&self, host: &Host, name: &str) -> bool {
        let file =
            |folder: &String| self.store.work_tree().join(format!("{folder}{name}.md")).is_file();
        !name.is_empty() && host.agents.as_ref().is_some_and(file)
    }

    /// Whether any host finds a definition of that name here, whoever wrote it.
    pub(crate) fn is_subagent(&self, name: &str) -> bool {
        folders().any(|(host, _)| self.has_subagent(host, name))
    }

    /// The subagents for the phase where `focused` stands, at the host that drives it: whoever
    /// wrote them.
    pub(crate) fn roster(&self, focused: &LoadedJob) -> Vec<String> {
        let host = hosts::row(&focused.state.driver.host).ok();
        let Some(folder) = host.and_then(|host| host.agents.as_ref()) else { return Vec::new() };
        let own = format!("{}-", focused.state.stand.phase);
        self.names_in(folder).into_iter().filter(|name| name.starts_with(&own)).collect()
    }

    fn own_subagents(&self, fits: impl Fn(&str) -> bool) -> bool {
        // A record that does not read brought nothing: then all of them count, which asks for more.
        let brought = self.installation().unwrap_or_default().agents;
        folders().any(|(_, folder)| {
            let names = self.names_in(folder).into_iter().filter(|name| fits(name));
            names
                .map(|name| format!("{folder}{name}.md"))
                .any(|path| self.whose(&path, b"", &brought) == Whose::Repository)
        })
    }

    /// File names of the definitions in `folder`, without their ending.
    fn names_in(&self, folder: &str) -> Vec<String> {
        // A folder that does not read has none that a host could launch.
        let Ok(files) = std::fs::read_dir(self.store.work_tree().join(folder)) else {
            return Vec::new();
        };
        let names = files.flatten().map(|file| file.file_name().to_string_lossy().into_owned());
        let mut names: Vec<String> =
            names.filter_map(|name| Some(name.strip_suffix(".md")?.to_owned())).collect();
        names.sort_unstable();
        names
    }

    fn whose(&self, path: &str, text: &[u8], brought: &[AgentFile]) -> Whose {
        let here = self.store.work_tree().join(path);
        match brought.iter().find(|file| is_same(&file.path, &here)) {
            Some(_) if self.is_committed(path) => Whose::Repository,
            Some(file) if file.hash == short_hash(text, 32) => Whose::GitSeed,
            Some(_) => Whose::Changed,
            None => Whose::Repository,
        }
    }

    /// Whether HEAD has a file there. What does not read is taken for theirs.
    fn is_committed(&self, path: &str) -> bool {
        let look = || -> Result<bool> {
            let Some(head) = self.store.head()?.commit else { return Ok(false) };
            let tree = self.store.tree_of_commit(&head)?;
            let Ok(path) = RepoPath::new(path) else { return Ok(true) };
            Ok(self.store.blob_at(&tree, &path)?.is_some())
        };
        look().unwrap_or(true)
    }

    /// The phase that a definition is for: by the beginning of its name, or because it acts on
    /// notes.
    fn phase_of(&self, name: &str) -> Option<String> {
        let map = self.rules.maps.get(self.rules.maps.whole_name());
        let begins =
            |phase: &str| name.strip_prefix(phase).is_some_and(|rest| rest.starts_with('-'));
        let named = map.phases().find(|row| begins(row.name.as_str()));
        let settles = || {
            let file = format!("{name}.md");
            let ours = hosts::AGENTS.iter().any(|(known, _)| *known == file);
            ours || self.rules.kinds().of_consumer(name).is_some()
        };
        let row = named.or_else(|| map.phases().find(|row| row.measures && settles()))?;
        Some(row.name.to_string())
    }
}

/// Where hosts look for definitions.
fn folders() -> impl Iterator<Item = (&'static Host, &'static str)> {
    let rows = hosts::names().filter_map(|name| hosts::row(name).ok());
    rows.filter_map(|row| Some((row, row.agents.as_deref()?)))
}

/// The same file, also where one way to it leads through a link.
fn is_same(one: &Path, other: &Path) -> bool {
    // What leads nowhere is not the same as a file that is there.
    let real = |path: &Path| crate::world::real(path).ok();
    one == other
        || one.file_name() == other.file_name()
            && real(one).is_some_and(|one: PathBuf| Some(one) == real(other))
}

/// What front matter says for `key`, in one line.
fn key(text: &str, key: &str) -> Option<String> {
    let lines = text.get(front_matter::find(text).ok()?.lines)?;
    let mut lines = lines.lines();
    let said = lines.find_map(|line| line.strip_prefix(key)?.trim_start().strip_prefix(':'))?;
    let said = said.trim();
    if !matches!(said.trim_end_matches(['-', '+']), "" | ">" | "|") {
        return Some(said.trim_matches(['"', '\'']).to_owned());
    }
    // A block: the lines that stand further in.
    let block = lines.take_while(|line| line.starts_with([' ', '\t']) || line.trim().is_empty());
    let words: Vec<&str> = block.flat_map(str::split_whitespace).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn front_matter_says_what_a_definition_is_for() {
        for (text, about) in [
            ("---\nname: x\ndescription: Looks.\n---\n", Some("Looks.")),
            ("---\r\ndescription : \"Looks: twice.\"\r\n---\r\n", Some("Looks: twice.")),
            ("---\ndescription: >-\n  Looks\n  twice.\ntools: Read\n---\n", Some("Looks twice.")),
            ("---\ndescription:\n---\n", None),
            ("---\nname: x\n---\ndescription: no\n", None),
            ("description: no\n", None),
        ] {
            assert_eq!(key(text, "description").as_deref(), about, "{text}");
        }
    }

    #[test]
    fn each_shipped_definition_is_short_and_whole() {
        for (file, text) in hosts::AGENTS {
            assert_eq!(key(text, "name").as_deref(), file.strip_suffix(".md"), "{file}");
            assert!(text.lines().count() <= 60, "{file}");
            let about = key(text, "description").expect(file);
            assert!(about.split_whitespace().count() >= 10, "{file}: {about}");
            assert!(
                !about.contains(": ") && !about.contains(" #"),
                "{file}: YAML reads it otherwise"
            );
            let tools = key(text, "tools").expect(file);
            let writes = tools.contains("Edit") || tools.contains("Write");
            let acts_on_notes = !text.contains("git seed phase");
            assert_eq!(writes, acts_on_notes || file == "execute-contractor.md", "{file}");
            if !acts_on_notes {
                for rule in [
                    "ommit nothing",
                    "no `git seed phase` step",
                    "the person nothing",
                    "`path:line`",
                    "\nReport, at most ",
                ] {
                    assert!(text.contains(rule), "{file} lacks {rule}");
                }
            }
        }
    }
}
