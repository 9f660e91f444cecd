//! Folders of which a person said whether the host may run their hooks.
//!
//! As the client reads its own list: the longest folder that holds the work tree decides, or the
//! work tree itself where the list holds for no other. Reading files is the caller's.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use super::{Host, OffRow, canary};

/// Where a host keeps such a list.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TrustRow {
    /// The file, below the work tree or from `~`: JSON or TOML.
    file: String,
    /// The key of the table whose keys are folders; the whole file without it.
    at: Option<String>,
    /// The key that holds the word, where a folder has a table of its own.
    level: Option<String>,
    /// Words with which hooks of the folder do not run.
    distrusts: Vec<String>,
    /// Words that speak of the folder above the one that is named.
    #[serde(default)]
    parents: Vec<String>,
    /// What is said of a folder holds for what is below, too.
    #[serde(default)]
    below: bool,
    /// A setting with which nobody asks for trust.
    unless: Option<OffRow>,
    /// A table whose keys name hook lines, and that says which of them are switched off.
    lines: Option<LinesRow>,
}

/// Where a host keeps which of a file's hook lines a person switched off.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LinesRow {
    /// The keys that lead to the table, joined by dots. A key in it begins with the file.
    at: String,
    /// The key that says whether the line runs.
    enabled: String,
}

/// What a person said, by which the host runs no hooks of this folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Distrust {
    /// The file that holds it, as rows name it.
    pub file: String,
    /// What it is said of.
    pub of: String,
    pub word: String,
}

impl Host {
    /// What keeps the host from running the hooks of `tops`, the names of the work tree; `read`
    /// gives the text of a file as rows name it.
    pub(crate) fn distrust(
        &self,
        tops: &[PathBuf],
        read: impl Fn(&str) -> Option<String>,
    ) -> Option<Distrust> {
        let row = self.trust.as_ref()?;
        let comments = self.settings.comments;
        if row.unless.as_ref().is_some_and(|unless| unless.holder(comments, &read).is_some()) {
            return None;
        }
        let all = canary::settings(&row.file, &read(&row.file)?, comments)?;
        let said = |(of, word)| Distrust { file: row.file.clone(), of, word };
        row.folder(&all, tops).or_else(|| row.line(&all, &self.settings.local, tops)).map(said)
    }
}

impl TrustRow {
    /// The folder that decides, with its word, where that distrusts.
    fn folder(&self, all: &Value, tops: &[PathBuf]) -> Option<(String, String)> {
        let folders = self.at.as_ref().map_or(Some(all), |key| all.get(key))?.as_object()?;
        let word = |said: &Value| {
            let level = self.level.as_ref().map_or(Some(said), |key| said.get(key))?;
            level.as_str().map(str::to_owned)
        };
        let holds = |folder: &Path| {
            tops.iter().any(|top| top == folder || self.below && top.starts_with(folder))
        };
        let told = folders.iter().filter_map(|(name, said)| {
            let word = word(said)?;
            let named = Path::new(name);
            let above = self.parents.contains(&word);
            let folder = if above { named.parent().unwrap_or(named) } else { named };
            holds(folder).then(|| (name.clone(), word))
        });
        let decides = told.max_by_key(|(name, _)| name.len())?;
        self.distrusts.contains(&decides.1).then_some(decides)
    }

    /// A hook line of `file` that a person switched off.
    fn line(&self, all: &Value, file: &str, tops: &[PathBuf]) -> Option<(String, String)> {
        let row = self.lines.as_ref()?;
        let lines = all.pointer(&format!("/{}", row.at.replace('.', "/")))?.as_object()?;
        let heads: Vec<String> =
            tops.iter().map(|top| format!("{}:", top.join(file).display())).collect();
        let ours = |name: &str| heads.iter().any(|head| name.starts_with(head.as_str()));
        let off = |said: &Value| said.get(&row.enabled).and_then(Value::as_bool) == Some(false);
        let (name, _) = lines.iter().find(|(name, said)| ours(name) && off(said))?;
        Some((name.clone(), format!("{} = false", row.enabled)))
    }
}

#[cfg(test)]
mod tests {
    use crate::hosts::row;

    fn distrust(name: &str, file: &str, text: &str) -> Option<String> {
        let read = |asked: &str| (asked == file).then(|| text.to_owned());
        let host = row(name).expect("a sound row");
        host.distrust(&["/h/u/work/repo".into()], read).map(|said| said.word)
    }

    #[test]
    fn the_longest_folder_that_holds_the_work_tree_decides() {
        for (text, word) in [
            (r#"{"/h/u/work/repo":"DO_NOT_TRUST"}"#, Some("DO_NOT_TRUST")),
            (r#"{"/h/u/work":"DO_NOT_TRUST"}"#, Some("DO_NOT_TRUST")),
            (r#"{"/h/u/work":"DO_NOT_TRUST","/h/u/work/repo":"TRUST_FOLDER"}"#, None),
            (r#"{"/h/u":"TRUST_FOLDER","/h/u/work/repo":"DO_NOT_TRUST"}"#, Some("DO_NOT_TRUST")),
            (r#"{"/h/u/work":"DO_NOT_TRUST","/h/u/work/other":"TRUST_PARENT"}"#, None),
            (r#"{"/h/u/work/re":"DO_NOT_TRUST"}"#, None),
            ("{ // said once\n\"/h/u/work/repo\": \"DO_NOT_TRUST\" }", Some("DO_NOT_TRUST")),
            ("{}", None),
            ("no JSON", None),
        ] {
            let said = distrust("gemini", "~/.gemini/trustedFolders.json", text);
            assert_eq!(said.as_deref(), word, "{text}");
        }
    }

    #[test]
    fn nobody_asks_for_trust_where_the_setting_says_so() {
        let folders = r#"{"/h/u/work/repo":"DO_NOT_TRUST"}"#;
        let settings = r#"{"security":{"folderTrust":{"enabled":false}}}"#;
        let read = |file: &str| {
            let text = if file.ends_with("trustedFolders.json") { folders } else { settings };
            Some(text.to_owned())
        };
        let host = row("gemini").expect("a sound row");
        assert_eq!(host.distrust(&["/h/u/work/repo".into()], read), None);
    }

    #[test]
    fn a_project_or_a_line_that_codex_was_told_not_to_trust_is_found() {
        for (text, word) in [
            ("[projects.\"/h/u/work/repo\"]\ntrust_level = \"untrusted\"\n", Some("untrusted")),
            ("[projects.\"/h/u/work/repo\"]\ntrust_level = \"trusted\"\n", None),
            ("[projects.\"/h/u/work\"]\ntrust_level = \"untrusted\"\n", None),
            (
                "[hooks.state.\"/h/u/work/repo/.codex/hooks.json:stop:0:0\"]\nenabled = false\n",
                Some("enabled = false"),
            ),
            ("[hooks.state.\"/h/u/.codex/hooks.json:stop:0:0\"]\nenabled = false\n", None),
        ] {
            assert_eq!(distrust("codex", "~/.codex/config.toml", text).as_deref(), word, "{text}");
        }
    }
}
