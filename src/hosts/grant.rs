//! A rule by which a host runs git seed's commands unasked, where it has rules of that kind.
//!
//! Only commands that are an agent's in every form, by the path of the program: a name could lead
//! anywhere. Nothing here writes a file.

use serde::Deserialize;
use serde_json::json;

use super::Host;
use crate::shell;
use crate::shipped::{Rows, rows};

// A row that does not read is a broken build; a test reads them all.
static GRANTS: Rows<GrantRow> = rows!("plugins.grant");

/// Where such a rule lies.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GrantRow {
    #[cfg_attr(not(test), expect(dead_code, reason = "the index leads here by it"))]
    host: String,
    /// From `~`.
    pub file: String,
    form: GrantForm,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum GrantForm {
    /// A policy of Gemini CLI.
    Policy,
}

/// What stands above the rules.
const HEAD: &str = include_str!("plugin/gemini-policy.txt");

impl Host {
    pub(crate) fn grant_file(&self) -> Option<&'static GrantRow> {
        GRANTS.named(&self.name).next()
    }
}

impl GrantRow {
    /// The whole file; `None` where a shell would not read the path of the program as one word.
    pub(crate) fn text(&self, program: &str) -> Option<String> {
        let GrantForm::Policy = self.form;
        let plain = shell::quoted_word(program) == program && program.starts_with('/');
        plain.then(|| policy(program))
    }
}

/// What no granted line may hold: options that lead a command to another repository or set the
/// multiplier, in whatever way a shell could be made to read one, and names that it expands.
///
/// The host matches its rules with the arguments as JSON: a quotation mark of the line comes after
/// a backslash there, as a line end does. It takes no rule that repeats a group.
const ASKED: &str = concat!(
    r"[$`{]",
    r"|(?:[^A-Za-z0-9-]|\\[a-z])-[A-Za-z0-9]*[cC'\\*?\[{]",
    r"|--[A-Za-z-]*['\\*?\[{]|--multiplier",
    r#"|(?:[ ']|\\[a-z"])[*?\[]"#,
);

/// What changes nothing is granted in plan mode, too. In modes that accept edits unasked a command
/// that a rule allows may write wherever its output is led, so none is granted there.
fn policy(program: &str) -> String {
    let rule = |looks: bool, modes: &str| {
        let open = shell::agent_open().into_iter().filter(|(_, only)| *only == looks);
        let commands: Vec<String> = open.map(|(command, _)| literal(&command)).collect();
        let granted = format!("{} (?:{})", literal(program), commands.join("|"));
        format!(
            "\n[[rule]]\ntoolName = \"run_shell_command\"\ncommandRegex = {}\n\
             decision = \"allow\"\npriority = 100\nmodes = [{modes}]\n",
            json!(format!(r#"{granted}(?![\s\S]*(?:{ASKED}))[ "]"#))
        )
    };
    format!("{HEAD}{}{}", rule(true, "\"default\", \"plan\""), rule(false, "\"default\""))
}

/// A regular expression for this text alone; a plain word has no other sign of theirs.
fn literal(text: &str) -> String {
    text.replace('.', r"\.").replace('+', r"\+")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hosts::{names, row};

    fn rules() -> Vec<toml::Table> {
        let grant = row("gemini").expect("it loads").grant_file().expect("it has one");
        let text = grant.text("/opt/bin/git-seed").expect("a plain path");
        let table: toml::Table = text.parse().expect("TOML");
        let rules = table["rule"].as_array().expect("rules").clone();
        rules.into_iter().map(|rule| rule.as_table().expect("a table").clone()).collect()
    }

    /// The commands that a rule names, by the path of the program alone.
    fn commands(rule: &toml::Table) -> Vec<String> {
        let pattern = rule["commandRegex"].as_str().expect("a text");
        let rest = pattern.strip_prefix("/opt/bin/git-seed (?:").expect("by its path");
        let (named, _) = rest.split_once(")(?!").expect("its commands");
        named.split('|').map(str::to_owned).collect()
    }

    #[test]
    fn only_gemini_has_a_rule_and_each_row_reads() {
        let rows = GRANTS.whole().expect("all read");
        assert_eq!(rows.iter().map(|row| row.host.as_str()).collect::<Vec<_>>(), ["gemini"]);
        let has = names().filter(|name| row(name).is_ok_and(|row| row.grant_file().is_some()));
        assert_eq!(has.collect::<Vec<_>>(), ["gemini"]);
    }

    #[test]
    fn only_commands_of_an_agent_are_granted_by_their_path() {
        let rules = rules();
        assert_eq!(rules.len(), 2);
        let mut granted = Vec::new();
        for rule in &rules {
            assert_eq!(rule["toolName"].as_str(), Some("run_shell_command"));
            assert_eq!(rule["decision"].as_str(), Some("allow"));
            assert!(rule.get("allowRedirection").is_none(), "a redirection is asked for");
            let pattern = rule["commandRegex"].as_str().expect("a text");
            // The host takes no longer one, and none that repeats a group.
            assert!(pattern.len() < 2000, "{}", pattern.len());
            let repeats = [")*", ")+", ")?", "){"].iter().any(|sign| pattern.contains(sign));
            assert!(!repeats, "{pattern}");
            for command in commands(rule) {
                let line = format!("/opt/bin/git-seed {command}");
                assert!(shell::seed_command(&line).is_some(), "{line} is an agent's");
                granted.push(command);
            }
        }
        for command in ["status", "phase advance", "phase checkpoint", "note resolve", "why"] {
            assert!(granted.iter().any(|one| one == command), "{command}: {granted:?}");
        }
        for command in
            ["exec", "off", "init", "job", "job approve", "verify", "man", "rules", "fence accept"]
        {
            assert!(!granted.iter().any(|one| one == command), "{command}: {granted:?}");
        }
        let only =
            |rule: &toml::Table, command: &str| commands(rule).iter().any(|one| one == command);
        let modes = |rule: &toml::Table| rule["modes"].to_string();
        assert_eq!(modes(&rules[0]), "[\"default\", \"plan\"]");
        assert_eq!(modes(&rules[1]), "[\"default\"]");
        assert!(!only(&rules[0], "phase advance") && only(&rules[1], "phase advance"));
    }

    #[test]
    fn a_path_that_a_shell_reads_otherwise_gets_no_rule() {
        let grant = row("gemini").expect("it loads").grant_file().expect("it has one");
        for program in ["git-seed", "/opt/my bin/git-seed", "/opt/$x/git-seed", "/a\"b/git-seed"] {
            assert!(grant.text(program).is_none(), "{program}");
        }
    }
}
