//! A host's plugin: hook lines, skills and commands as one directory that travels.
//!
//! Its hook lines are those that `init` writes, from the same row of the host, with the program's
//! plain name. Which hosts take a plugin stands in `plugin/plugins.toml`, which no hook reads.
//! Nothing here writes a file.

use serde::Deserialize;
use serde_json::{Value, json};

use super::document::value_of;
use super::{Host, canary, install};
use crate::front_matter;
use crate::shipped::{Rows, rows};

/// The program as a plugin calls it: it is looked for on the host's PATH.
const PROGRAM: &str = "git-seed";

/// The skills that plugins have.
#[cfg(test)]
pub(crate) const SKILLS: [(&str, &str); 5] = [
    ("working", WORKING),
    ("status", STATUS),
    ("advance", ADVANCE),
    ("why", WHY),
    ("statusline", STATUSLINE),
];

const WORKING: &str = include_str!("plugin/working.md");
const STATUS: &str = include_str!("plugin/status.md");
const ADVANCE: &str = include_str!("plugin/advance.md");
const WHY: &str = include_str!("plugin/why.md");
const STATUSLINE: &str = include_str!("plugin/statusline.md");
const README: &str = include_str!("plugin/readme.md");

// A row that does not read is a broken build; a test reads them all.
static PLUGINS: Rows<PluginRow> = rows!("plugins.plugin");

/// A host that takes plugins.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct PluginRow {
    host: String,
    form: PluginForm,
    /// What shows that it is on.
    on: Sign,
    /// How a person puts it in, as Markdown.
    put_in: String,
}

/// What a plugin of the host looks like.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum PluginForm {
    /// A plugin of Claude Code, in a marketplace of its own.
    Marketplace,
    /// An extension of Gemini CLI.
    Extension,
    /// An npm package.
    Package,
}

/// How a host's own files show that the plugin is on; files as rows name them.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
enum Sign {
    /// The first of the files that sets the key decides.
    Set { files: Vec<String>, key: String },
    /// The file is there.
    There { file: String },
    /// A list in one of the files names it.
    Listed { files: Vec<String>, key: String, name: String },
}

/// A file of a plugin: its path in there, and its text.
pub(crate) type PluginFile = (String, String);

/// The hosts that take plugins, by their names.
pub(crate) fn hosts_with_plugins() -> Vec<&'static str> {
    PLUGINS.all().map(|row| row.host.as_str()).collect()
}

fn row_of(host: &Host) -> Option<&'static PluginRow> {
    PLUGINS.named(&host.name).next()
}

impl Host {
    /// All files of the plugin for this host; `None` where it takes none.
    pub(crate) fn plugin_files(&self, version: &str) -> Option<Vec<PluginFile>> {
        let plugin = row_of(self)?;
        let filled = |text: &str| {
            text.replace("@VERSION@", version)
                .replace("@TITLE@", &self.title)
                .replace("@HOST@", &self.name)
                .replace("@INSTALL@", plugin.put_in.trim())
        };
        let mut files: Vec<PluginFile> = match plugin.form {
            PluginForm::Marketplace => self.marketplace(),
            PluginForm::Extension => self.extension(),
            PluginForm::Package => self.package(),
        }?;
        files.push(("README.md".to_owned(), README.to_owned()));
        Some(files.into_iter().map(|(path, text)| (path, filled(&text))).collect())
    }

    fn marketplace(&self) -> Option<Vec<PluginFile>> {
        let mut files = vec![
            file(".claude-plugin/plugin.json", include_str!("plugin/claude-plugin.json")),
            file(".claude-plugin/marketplace.json", include_str!("plugin/claude-marketplace.json")),
            ("hooks/hooks.json".to_owned(), self.hook_lines()?),
        ];
        for text in [WORKING, STATUS, ADVANCE, WHY, STATUSLINE] {
            files.push((format!("skills/{}/SKILL.md", said(text, "name")?), text.to_owned()));
        }
        Some(files)
    }

    fn extension(&self) -> Option<Vec<PluginFile>> {
        let mut files = vec![
            file("gemini-extension.json", include_str!("plugin/gemini-extension.json")),
            file("GEMINI.md", include_str!("plugin/gemini-context.md")),
            ("hooks/hooks.json".to_owned(), self.hook_lines()?),
            (format!("skills/{}/SKILL.md", said(WORKING, "name")?), WORKING.to_owned()),
        ];
        for text in [STATUS, ADVANCE, WHY] {
            let prompt = &text[front_matter::find(text).ok()?.end..];
            let command = json!({ "description": said(text, "description")?, "prompt": prompt });
            let command = toml::to_string(&command).ok()?;
            files.push((format!("commands/seed/{}.toml", said(text, "name")?), command));
        }
        Some(files)
    }

    fn package(&self) -> Option<Vec<PluginFile>> {
        Some(vec![
            file("package.json", include_str!("plugin/opencode-package.json")),
            ("git-seed.js".to_owned(), self.hook_lines()?),
        ])
    }

    /// What `init` would write into settings that are not there.
    fn hook_lines(&self) -> Option<String> {
        // Nothing that is there already could be in its way.
        install::add(None, self, PROGRAM).ok().map(|added| added.text)
    }

    /// The file of the host's that shows that the plugin is on; `read` gives the text of a file as
    /// rows name it.
    pub(crate) fn plugin_on(&self, read: impl Fn(&str) -> Option<String>) -> Option<&'static str> {
        let comments = self.settings.comments;
        match &row_of(self)?.on {
            Sign::Set { files, key } => {
                let set = |file: &&String| canary::setting(file, &read(file)?, key, comments);
                let said = |file: &'static String| Some((file, set(&file)?.as_bool()?));
                let (file, on) = files.iter().find_map(said)?;
                on.then_some(file)
            }
            Sign::There { file } => read(file).is_some().then_some(file),
            Sign::Listed { files, key, name } => files.iter().find(|file| {
                let named = |value: &Value| value.as_str().is_some_and(|item| is(item, name));
                let text = read(file).unwrap_or_default();
                // Settings that do not read load no plugin; such a list may stand beside comments.
                let list = value_of(&text, true).unwrap_or_default();
                list[key.as_str()].as_array().is_some_and(|list| list.iter().any(named))
            }),
        }
        .map(String::as_str)
    }
}

/// A package by its name, with or without a version behind it.
fn is(item: &str, name: &str) -> bool {
    item.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('@'))
}

fn file(path: &str, text: &str) -> PluginFile {
    (path.to_owned(), text.to_owned())
}

/// What the front matter of a text says as `key`, on one line.
fn said<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let lines = &text[front_matter::find(text).ok()?.lines];
    let line = |line: &'t str| line.strip_prefix(key)?.strip_prefix(": ");
    lines.lines().find_map(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hosts::{names, row};

    fn host(name: &str) -> &'static Host {
        row(name).expect("it loads")
    }

    fn text_of(files: &[PluginFile], path: &str) -> String {
        let file = files.iter().find(|(name, _)| name == path);
        file.unwrap_or_else(|| panic!("{path} is missing")).1.clone()
    }

    #[test]
    fn each_row_is_of_a_host_and_reads() {
        for row in PLUGINS.whole().expect("all read") {
            assert!(host(&row.host).plugin_files("1.2.3").is_some(), "{row:?}");
        }
        let without = names().filter(|name| host(name).plugin_files("1").is_none());
        assert_eq!(without.collect::<Vec<_>>(), ["codex", "cursor", "copilot", "vscode", "droid"]);
        assert_eq!(hosts_with_plugins(), ["claude", "gemini", "opencode"]);
    }

    #[test]
    fn hook_lines_are_those_of_init_with_the_plain_name() {
        for (name, path) in [
            ("claude", "hooks/hooks.json"),
            ("gemini", "hooks/hooks.json"),
            ("opencode", "git-seed.js"),
        ] {
            let files = host(name).plugin_files("1.2.3").expect("it has one");
            let lines = text_of(&files, path);
            let settings = install::add(None, host(name), "git-seed").expect("lines").text;
            assert_eq!(lines, settings, "{name}");
            assert!(!lines.contains("/git-seed"), "{name}: no path of this machine: {lines}");
        }
    }

    #[test]
    fn nothing_is_left_to_fill_in() {
        for name in hosts_with_plugins() {
            for (path, text) in host(name).plugin_files("1.2.3").expect("it has one") {
                assert!(!text.contains('@') || !text.contains("@VERSION@"), "{name}: {path}");
                for mark in ["@TITLE@", "@HOST@", "@INSTALL@", "@SEED@"] {
                    assert!(!text.contains(mark), "{name}: {path}: {mark}");
                }
                let is_json = std::path::Path::new(&path).extension().is_some_and(|e| e == "json");
                if is_json {
                    let read: Value = serde_json::from_str(&text).expect(&path);
                    assert!(read.is_object(), "{name}: {path}");
                    assert!(read["version"].is_null() || read["version"] == "1.2.3", "{path}");
                }
            }
        }
    }

    #[test]
    fn skills_have_what_hosts_ask_of_them() {
        let mut seen = 0;
        for name in hosts_with_plugins() {
            for (path, text) in host(name).plugin_files("1").expect("it has one") {
                let Some(folder) = path.strip_prefix("skills/") else { continue };
                seen += 1;
                let folder = folder.strip_suffix("/SKILL.md").expect("one file in a folder");
                assert_eq!(said(&text, "name"), Some(folder), "{path}");
                let plain = |c: char| c.is_ascii_lowercase() || c == '-';
                assert!(folder.len() <= 64 && folder.chars().all(plain), "{folder}");
                let about = said(&text, "description").expect("it says what for");
                assert!(about.len() <= 1024 && about.contains("Use "), "{path}: {about}");
                // Plain YAML: a colon and a blank would begin a mapping.
                assert!(!about.contains(": ") && !about.contains(" #"), "{path}: {about}");
                assert!(text.lines().count() <= 60, "{path}");
            }
        }
        assert_eq!(seen, 6);
        let files = host("gemini").plugin_files("1").expect("it has one");
        let command: toml::Table =
            text_of(&files, "commands/seed/status.toml").parse().expect("TOML");
        assert!(command["prompt"].as_str().is_some_and(|text| text.starts_with("Run `git seed")));
        assert!(command["description"].as_str().is_some_and(|text| text.contains("Use when")));
    }

    #[test]
    fn a_plugin_is_on_where_the_files_of_its_host_say_so() {
        type Case<'a> = (&'a str, &'a [(&'a str, &'a str)], Option<&'a str>);
        let on = r#"{ "enabledPlugins": { "git-seed@git-seed": true } }"#;
        let off = on.replace("true", "false");
        let user = "~/.claude/settings.json";
        let cases: [Case<'_>; 14] = [
            ("claude", &[(user, on)], Some(user)),
            ("claude", &[(user, &off)], None),
            ("claude", &[(user, on), (".claude/settings.json", &off)], None),
            (
                "claude",
                &[(user, &off), (".claude/settings.local.json", on)],
                Some(".claude/settings.local.json"),
            ),
            ("claude", &[(user, r#"{ "enabledPlugins": { "other@git-seed": true } }"#)], None),
            ("claude", &[(user, "no JSON")], None),
            ("claude", &[], None),
            (
                "gemini",
                &[("~/.gemini/extensions/git-seed/gemini-extension.json", "{}")],
                Some("~/.gemini/extensions/git-seed/gemini-extension.json"),
            ),
            ("gemini", &[], None),
            (
                "opencode",
                &[("opencode.json", r#"{"plugin": ["a", "opencode-git-seed@0.1.0"]}"#)],
                Some("opencode.json"),
            ),
            ("opencode", &[("opencode.json", r#"{"plugin": ["opencode-git-seeds"]}"#)], None),
            ("opencode", &[("opencode.json", r#"{"plugin": "opencode-git-seed"}"#)], None),
            ("opencode", &[("opencode.json", "[]")], None),
            ("codex", &[(user, on)], None),
        ];
        for (name, files, file) in cases {
            let read = |asked: &str| {
                files.iter().find(|(file, _)| *file == asked).map(|(_, text)| (*text).to_owned())
            };
            assert_eq!(host(name).plugin_on(read), file, "{name} {files:?}");
        }
    }
}
