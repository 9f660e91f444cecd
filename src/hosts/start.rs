//! What the words that a client was started with say of whom it asks before a call, for clients
//! whose payloads do not tell it.

use std::path::Path;

use serde::Deserialize;

use super::{Host, canary};

/// A start with which the client asks nobody.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StartRow {
    /// Options with which it asks nobody, an option and its value as two words.
    unasked: Vec<String>,
    /// Of these there has to be one as well: on a screen a key changes whom it asks.
    headless: Vec<String>,
    /// Options of which there may be none: others decide then, or rules that these bring.
    unless: Vec<String>,
    /// Directories with rules of the person's that are about lines as the agent wrote them, below
    /// the work tree or from `~`. A line in another one would pass by them.
    rules: Vec<String>,
    /// Settings that are such rules, keys joined by dots, and the files that may hold them.
    keys: Vec<String>,
    files: Vec<String>,
}

impl Host {
    /// The start with which it asks nobody, where only that tells it.
    pub(crate) fn unasked_start(&self) -> Option<&StartRow> {
        self.rewrite.as_ref()?.start.as_ref()
    }

    /// Rules of the person's may judge the lines of the agent: `read` gives the text of a file as
    /// rows name it, `list` the names in a directory, and nothing of one that cannot be read.
    pub(crate) fn judges_lines(
        &self,
        read: impl Fn(&str) -> Option<String>,
        list: impl Fn(&str) -> Option<Vec<String>>,
    ) -> bool {
        let Some(start) = self.unasked_start() else { return false };
        let own = |path: &str| self.surfaces.iter().any(|known| known == path);
        let ruled = |dir: &String| {
            let is_toml = |name: &str| Path::new(name).extension().is_some_and(|end| end == "toml");
            let rule = |name: &String| is_toml(name) && !own(&format!("{dir}{name}"));
            list(dir).is_none_or(|names| names.iter().any(rule))
        };
        let set = |file: &String| {
            let text = read(file)?;
            let value = |key: &String| canary::setting(file, &text, key, self.settings.comments);
            let says =
                |value: serde_json::Value| value.as_array().is_none_or(|all| !all.is_empty());
            Some(start.keys.iter().filter_map(value).any(says))
        };
        start.rules.iter().any(ruled) || start.files.iter().filter_map(set).any(|set| set)
    }
}

impl Host {
    /// Started with `words` it asks no person anything: it runs one prompt, and ends.
    pub(crate) fn is_headless(&self, words: &[String]) -> bool {
        let words = before_dashes(words);
        let start = self.unasked_start().map(|start| start.headless.as_slice());
        self.headless.iter().chain(start.unwrap_or_default()).any(|option| has(&words, option))
    }
}

/// The words before `--`.
fn before_dashes(words: &[String]) -> Vec<&str> {
    words.iter().map(String::as_str).take_while(|word| *word != "--").collect()
}

impl StartRow {
    /// Started with `words` it asks nobody, and nothing changes that while it runs.
    pub(crate) fn asks_nobody(&self, words: &[String]) -> bool {
        let words = before_dashes(words);
        let any = |options: &[String]| options.iter().any(|option| has(&words, option));
        any(&self.unasked) && any(&self.headless) && !any(&self.unless)
    }

    /// How to start it so.
    pub(crate) fn example(&self) -> String {
        let first = |options: &[String]| options.first().cloned().unwrap_or_default();
        format!("{} {}", first(&self.unasked), first(&self.headless))
    }
}

/// `option` is among `words`: two words in this order, the beginning of one where it ends with
/// `=`, or else one word that no `false` follows.
fn has(words: &[&str], option: &str) -> bool {
    if let Some((name, value)) = option.split_once(' ') {
        return words.windows(2).any(|pair| pair == [name, value]);
    }
    if option.ends_with('=') {
        return words.iter().any(|word| word.starts_with(option));
    }
    let followed = |at: usize| words.get(at + 1) == Some(&"false");
    words.iter().enumerate().any(|(at, word)| *word == option && !followed(at))
}

#[cfg(test)]
mod tests {
    use crate::hosts::row;

    #[test]
    fn a_start_with_one_prompt_asks_nobody_anything() {
        for (host, line, headless) in [
            ("gemini", "node /usr/bin/gemini -p fix", true),
            ("gemini", "gemini --prompt=fix", true),
            ("gemini", "gemini", false),
            ("gemini", "gemini -i fix", false),
            ("gemini", "gemini -- -p", false),
            ("opencode", "opencode run fix it", true),
            ("opencode", "opencode", false),
            ("claude", "claude -p fix", false),
        ] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let known = row(host).expect("a row");
            assert_eq!(known.is_headless(&words), headless, "{host}: {line}");
        }
    }

    #[test]
    fn only_a_start_without_a_screen_in_which_all_is_accepted_asks_nobody() {
        let gemini = row("gemini").expect("it loads");
        let start = gemini.unasked_start().expect("its start tells it");
        for (line, asks_nobody) in [
            ("node gemini.js --yolo -p hello", true),
            ("node gemini.js -p hello -y", true),
            ("gemini --approval-mode yolo --prompt hello", true),
            ("gemini --approval-mode=yolo --prompt=hello -m flash", true),
            ("gemini --yolo true -p hello", true),
            // On its screen a key turns it off.
            ("gemini --yolo", false),
            ("gemini --yolo -i hello", false),
            ("gemini --yolo hello", false),
            // Another program decides there.
            ("gemini --yolo -p hello --acp", false),
            ("gemini --yolo false -p hello", false),
            ("gemini --yolo=false -p hello", false),
            ("gemini --yolo --no-yolo -p hello", false),
            ("gemini -p hello", false),
            ("gemini --approval-mode auto_edit -p hello", false),
            ("gemini --approval-mode default -p yolo", false),
            ("gemini --approval-mode=plan -p hello", false),
            ("gemini -p hello -- --yolo", false),
            // Rules that are about lines as the agent wrote them.
            ("gemini --yolo -p hello --policy mine.toml", false),
            ("gemini --yolo -p hello --admin-policy=theirs.toml", false),
            ("gemini", false),
        ] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            assert_eq!(start.asks_nobody(&words), asks_nobody, "{line}");
        }
        assert!(!start.asks_nobody(&["--yolo -p hello".to_owned()]), "it is one word");
        let example: Vec<String> = start.example().split(' ').map(str::to_owned).collect();
        assert!(start.asks_nobody(&example), "{example:?}");
        assert!(row("claude").expect("it loads").unasked_start().is_none(), "its payload tells it");
    }

    #[test]
    fn rules_of_the_persons_about_lines_are_seen() {
        let gemini = row("gemini").expect("it loads");
        let judges = |file: &str, text: &str| {
            let read = |name: &str| (name == file).then(|| text.to_owned());
            let list = |dir: &str| {
                let name = file.strip_prefix(dir).filter(|name| !name.contains('/'));
                Some(name.map(str::to_owned).into_iter().collect())
            };
            gemini.judges_lines(read, list)
        };
        assert!(judges("~/.gemini/policies/mine.toml", ""));
        assert!(judges(".gemini/policies/team.toml", ""));
        assert!(judges("/etc/gemini-cli/policies/all.toml", ""));
        assert!(!judges("~/.gemini/policies/git-seed.toml", ""), "ours grants and forbids nothing");
        assert!(!judges("~/.gemini/policies/git-seed.clones", ""));
        assert!(gemini.judges_lines(|_| None, |_| None), "nobody can tell");
        for (text, seen) in [
            (r#"{"tools": {"exclude": ["run_shell_command(rm)"]}}"#, true),
            (r#"{"tools": {"core": ["run_shell_command(git)"]}} // mine"#, true),
            (r#"{"policyPaths": ["/home/u/mine"]}"#, true),
            (r#"{"adminPolicyPaths": ["/opt/rules"]}"#, true),
            (r#"{"tools": {"exclude": []}}"#, false),
            (r#"{"tools": {"allowed": ["run_shell_command(git)"]}}"#, false),
            ("{}", false),
        ] {
            assert_eq!(judges("~/.gemini/settings.json", text), seen, "{text}");
        }
    }
}
