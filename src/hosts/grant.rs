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

/// What changes nothing is granted in plan mode, too. In modes that accept edits unasked a command
/// that a rule allows may write wherever its output is led, so none is granted there.
fn policy(program: &str) -> String {
    let rule = |looks: bool, modes: &str| {
        let open = shell::agent_open().into_iter().filter(|(_, only)| *only == looks);
        let lines =
            open.map(|(command, _)| format!("  {},\n", json!(format!("{program} {command}"))));
        format!(
            "\n[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = [\n{}]\n\
             decision = \"allow\"\npriority = 100\nmodes = [{modes}]\n",
            lines.collect::<String>()
        )
    };
    format!("{HEAD}{}{}", rule(true, "\"default\", \"plan\""), rule(false, "\"default\""))
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
            for prefix in rule["commandPrefix"].as_array().expect("a list") {
                let prefix = prefix.as_str().expect("a text");
                let command = prefix.strip_prefix("/opt/bin/git-seed ").expect("by its path");
                granted.push(command.to_owned());
                assert!(shell::seed_command(prefix).is_some(), "{prefix} is an agent's");
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
        let only = |rule: &toml::Table, command: &str| {
            let list = rule["commandPrefix"].as_array().expect("a list");
            list.iter().any(|one| one.as_str().is_some_and(|one| one.ends_with(command)))
        };
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
