//! Which tools of MCP servers only look, told by name, and only for servers of a row; and which
//! reach beyond this machine, told by name for any server. Of those that do not look: which paths
//! and commands of this machine their input names.

use std::sync::OnceLock;

use serde::Deserialize;

use super::git_acts;
use crate::shipped;

/// The table of the shipped rows, whose head explains the keys.
pub(crate) const SHIPPED: &str = include_str!("mcp.toml");

/// What is known of one server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerRow {
    /// Its name, as hosts have it in their settings.
    pub server: String,
    /// Tools that look, though their names do not say so; `*` at the end stands for any letters.
    #[serde(default)]
    pub looks: Vec<String>,
    /// Tools that change something, though their names say that they look.
    #[serde(default)]
    pub changes: Vec<String>,
    /// Tools that change something on this machine alone, though their names say more.
    #[serde(default)]
    pub here: Vec<String>,
}

/// The verbs of tools, and the servers for which they decide.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Servers {
    looks: Vec<String>,
    changes: Vec<String>,
    /// Verbs that are words for things as well: they count where they come first.
    acts: Vec<String>,
    /// Servers whose tools work on this machine.
    here: Vec<String>,
    /// Fields of an input whose texts others will read.
    carries: Vec<String>,
    touches: Touching,
    outward: Vec<Outward>,
    #[serde(default)]
    mcp: Vec<ServerRow>,
}

/// A kind of call that reaches beyond this machine.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "Written")]
pub(crate) struct Outward {
    servers: Vec<String>,
    verbs: Vec<String>,
    things: Vec<String>,
    but: Vec<String>,
    /// How it is answered for.
    pub row: git_acts::Row,
}

/// The same as the table has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default)]
    servers: Vec<String>,
    #[serde(default)]
    verbs: Vec<String>,
    #[serde(default)]
    things: Vec<String>,
    #[serde(default)]
    but: Vec<String>,
    words: Vec<String>,
    says: String,
}

impl From<Written> for Outward {
    fn from(written: Written) -> Self {
        let Written { servers, verbs, things, but, words, says } = written;
        Self { servers, verbs, things, but, row: git_acts::Row::of_tool(words, says) }
    }
}

/// By which fields an input names what is on this machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Touching {
    paths: Vec<String>,
    ends: Vec<String>,
    sources: Vec<String>,
    copies: Vec<String>,
    commands: Vec<String>,
    words: Vec<String>,
    dirs: Vec<String>,
    shells: Vec<String>,
    takes: Vec<String>,
    elsewhere: Vec<String>,
}

/// What the input of a call names on this machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Touches {
    /// Paths that it may write.
    pub paths: Vec<NamedPath>,
    /// Its commands, as lines of one text; empty for none.
    pub command: String,
    /// Its command is a line of the shell whatever it says.
    pub shell: bool,
    /// The directory in which its command runs.
    pub dir: Option<String>,
    /// A verb of its name changes things; the top of the work tree may else be where it works.
    pub changes: bool,
}

/// One path of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NamedPath {
    pub path: String,
    /// It names a file, also where none is there: the server works on the files of this machine.
    pub sure: bool,
}

/// One call that reaches beyond this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Leaving {
    /// The tool, as a person opens it: `mcp__github__create_pull_request`.
    pub name: String,
    pub row: &'static git_acts::Row,
    /// What it says to others.
    pub said: Option<String>,
}

/// A row that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadServer {
    #[error("[[mcp]] row {row}: `server` names nothing")]
    Empty { row: usize },
    #[error("[[mcp]] row {row}: `{tool}` both looks and changes something")]
    Both { row: usize, tool: String },
}

/// What the name of a tool says of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tool {
    /// It looks, and the server has a row.
    Looks,
    /// It looks by its name, on a server of which nothing is known.
    MayLook,
    /// It may change something.
    Acts,
}

/// The shipped rows.
pub(crate) fn shipped() -> &'static Servers {
    static SERVERS: OnceLock<Servers> = OnceLock::new();
    SERVERS.get_or_init(|| {
        // A test reads it; a binary in which it does not read was never tested.
        shipped::read(shipped::shipped!("mcp"))
            .unwrap_or_else(|bad| unreachable!("phases/mcp.toml: {bad}"))
    })
}

/// Rows of a repository's own, checked.
pub(crate) fn checked(rows: Vec<ServerRow>) -> Result<Vec<ServerRow>, BadServer> {
    for (n, row) in rows.iter().enumerate() {
        if row.server.trim().is_empty() {
            return Err(BadServer::Empty { row: n + 1 });
        }
        if let Some(tool) = row.looks.iter().find(|tool| row.changes.contains(tool)) {
            return Err(BadServer::Both { row: n + 1, tool: tool.clone() });
        }
    }
    Ok(rows)
}

impl Servers {
    /// What a call of `tool` of `server` does; rows of `more` come before the shipped ones.
    pub(crate) fn judge(&self, more: &[ServerRow], server: &str, tool: &str) -> Tool {
        let known = |row: &&ServerRow| same(&row.server, server);
        let row = more.iter().find(known).or_else(|| self.mcp.iter().find(known));
        let function = function(server, tool);
        let named = |tools: &[String]| tools.iter().any(|name| fits(name, function));
        match row {
            Some(row) if named(&row.changes) => Tool::Acts,
            Some(row) if named(&row.looks) || self.looks(function) => Tool::Looks,
            None if self.looks(function) => Tool::MayLook,
            _ => Tool::Acts,
        }
    }

    /// What a call of `tool` of `server` does beyond this machine, by the words of its name.
    pub(crate) fn outward(
        &'static self,
        more: &[ServerRow],
        server: &str,
        tool: &str,
    ) -> Option<&'static Outward> {
        let function = function(server, tool);
        let own = more.iter().find(|row| same(&row.server, server));
        let stays = own.is_some_and(|row| row.here.iter().any(|name| fits(name, function)))
            || self.here.iter().any(|known| same(known, server));
        if stays || self.judge(more, server, tool) != Tool::Acts {
            return None;
        }
        let words = words(function);
        let of_server = |row: &&Outward| {
            row.servers.is_empty() || row.servers.iter().any(|known| same(known, server))
        };
        self.outward.iter().filter(of_server).find(|row| self.is_named(row, &words))
    }

    /// What the input of a call of `tool` names that it may change here; nothing where it looks, or
    /// changes something on its server. `named` are the texts of the input, each by the nearest
    /// field.
    pub(crate) fn touches(
        &'static self,
        more: &[ServerRow],
        (server, tool): (&str, &str),
        named: &[(String, String)],
    ) -> Touches {
        let known = |list: &[String]| list.iter().any(|known| same(known, server));
        if self.judge(more, server, tool) != Tool::Acts
            || self.outward(more, server, tool).is_some()
            || known(&self.touches.elsewhere)
        {
            return Touches::default();
        }
        let row = &self.touches;
        let words = words(function(server, tool));
        let has = |list: &[String]| words.iter().any(|word| list.contains(word));
        let changes =
            words.iter().any(|word| self.changes.contains(word) && !row.takes.contains(word));
        let takes = has(&row.takes) && !changes;
        let mut touches = Touches {
            changes,
            shell: has(&row.shells)
                || self::words(server).iter().any(|word| row.shells.contains(word)),
            ..Touches::default()
        };
        let (mut commands, mut further) = (Vec::new(), Vec::new());
        for (field, text) in named {
            let field = field.to_lowercase().replace(['_', '-'], "");
            let is = |list: &[String]| list.contains(&field);
            if is(&row.commands) {
                commands.push(text.as_str());
            } else if is(&row.words) {
                further.push(crate::shell::quoted_word(text));
            } else if is(&row.dirs) {
                touches.dir = Some(text.clone());
            } else if !takes
                && (is(&row.paths) || is(&row.ends) || is(&row.sources) && !has(&row.copies))
            {
                let sure = known(&self.here) && (is(&row.paths) || text.contains('/'));
                touches.paths.extend(path_of(text).map(|path| NamedPath { path, sure }));
            }
        }
        touches.command = commands.join("\n");
        if let ([_], false) = (commands.as_slice(), further.is_empty()) {
            touches.command = format!("{} {}", touches.command, further.join(" "));
        }
        touches
    }

    /// How calls that leave this machine are answered for.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &git_acts::Row> {
        self.outward.iter().map(|outward| &outward.row)
    }

    /// The words of a name say what the row does; a row without verbs is for all that change
    /// something.
    fn is_named(&self, row: &Outward, words: &[String]) -> bool {
        let any = |list: &[String]| list.iter().any(|name| stands_in(name, words));
        let verb = if row.verbs.is_empty() {
            any(&self.changes) || !any(&self.looks) && any(&self.acts)
        } else {
            any(&row.verbs)
        };
        verb && (row.things.is_empty() || any(&row.things)) && !any(&row.but)
    }

    /// A call of such a row.
    pub(crate) fn leaving(
        &self,
        outward: &'static Outward,
        (server, tool): (&str, &str),
        said: &[(String, String)],
    ) -> Leaving {
        let carried = |(field, _): &&(String, String)| {
            self.carries.iter().any(|known| known.eq_ignore_ascii_case(field))
        };
        let texts: Vec<&str> = said.iter().filter(carried).map(|(_, text)| text.as_str()).collect();
        let said = texts.join("\n\n");
        Leaving {
            name: format!("mcp__{server}__{}", function(server, tool)),
            row: &outward.row,
            said: (!said.trim().is_empty()).then_some(said),
        }
    }

    /// The first verb of the name looks, and none in it changes anything.
    fn looks(&self, function: &str) -> bool {
        let words = words(function);
        let is = |verbs: &[String], word: &String| verbs.contains(word);
        let first = words.iter().find(|word| is(&self.looks, word) || is(&self.acts, word));
        first.is_some_and(|word| is(&self.looks, word))
            && !words.iter().any(|word| is(&self.changes, word))
    }
}

/// The path that a text of an input is; an address elsewhere, and a text of several lines, is none.
fn path_of(text: &str) -> Option<String> {
    let path = text.strip_prefix("file://").unwrap_or(text);
    let none = path.trim().is_empty() || path.contains("://") || path.contains('\n');
    let signs = path.starts_with(['#', '$', '<', '{', '[', '"']) || path.starts_with("data:");
    (!none && !signs).then(|| path.to_owned())
}

/// Whether `name`, of one word or several, stands among the words of a tool's name.
fn stands_in(name: &str, words: &[String]) -> bool {
    let name: Vec<&str> = name.split(' ').collect();
    words.windows(name.len()).any(|window| window.iter().zip(&name).all(|(a, b)| a == b))
}

/// Names of servers are compared without case, `-` as `_`.
fn same(one: &str, other: &str) -> bool {
    let plain = |name: &str| name.to_lowercase().replace(['-', ' ', '.'], "_");
    plain(one) == plain(other)
}

fn fits(pattern: &str, name: &str) -> bool {
    pattern.strip_suffix('*').map_or(pattern == name, |start| name.starts_with(start))
}

/// The name that the server gives its tool: `get_issue` for `mcp__github__get_issue`.
fn function<'a>(server: &str, tool: &'a str) -> &'a str {
    let Some(rest) = tool.strip_prefix("mcp__").or_else(|| tool.strip_prefix("mcp_")) else {
        return tool;
    };
    if let Some((_, function)) = rest.split_once("__") {
        return function;
    }
    let own = rest.get(..server.len()).filter(|start| same(start, server));
    own.map_or(rest, |start| rest[start.len()..].trim_start_matches('_'))
}

/// The words of a name, in small letters: split at signs and where a large letter begins one.
fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut small = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || c.is_uppercase() && small {
            words.push(std::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        small = c.is_lowercase() || c.is_ascii_digit();
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_first_verb_decides_and_a_changing_one_outweighs_it() {
        for (tool, expected) in [
            ("mcp__github__get_issue", Tool::Looks),
            ("mcp__github__list_commits", Tool::Looks),
            ("mcp__github__get_workflow_run", Tool::Looks),
            ("mcp__github__pull_request_read", Tool::Acts),
            ("mcp__github__issue_read", Tool::Looks),
            ("mcp__github__search_code", Tool::Looks),
            ("mcp__github__create_issue", Tool::Acts),
            ("mcp__github__get_and_delete_branch", Tool::Acts),
            ("mcp__github__run_query", Tool::Acts),
            ("mcp__github__merge_pull_request", Tool::Acts),
            ("mcp__github__push_files", Tool::Acts),
            ("mcp__github__frobnicate", Tool::Acts),
            ("mcp__atlassian__getJiraIssue", Tool::Looks),
            ("mcp__atlassian__editJiraIssue", Tool::Acts),
            ("mcp__atlassian__atlassianUserInfo", Tool::Looks),
            ("mcp__Brave-Search__brave_web_search", Tool::Looks),
            ("mcp__playwright__browser_navigate", Tool::Acts),
            ("mcp__playwright__browser_snapshot", Tool::Looks),
            ("mcp__supabase__execute_sql", Tool::Acts),
            ("mcp__supabase__list_tables", Tool::Looks),
            ("mcp__ours__get_thing", Tool::MayLook),
            ("mcp__ours__set_thing", Tool::Acts),
            ("ListMcpResourcesTool", Tool::MayLook),
        ] {
            let server = tool.split("__").nth(1).unwrap_or("ours");
            assert_eq!(shipped().judge(&[], server, tool), expected, "{tool}");
        }
        assert_eq!(shipped().judge(&[], "github", "mcp_github_get_issue"), Tool::Looks);
        assert_eq!(shipped().judge(&[], "github", "mcp_github_create_issue"), Tool::Acts);
    }

    #[test]
    fn what_an_input_names_here_is_told_by_field_and_by_what_the_tool_does() {
        let touched = |tool: &str, named: &[(&str, &str)]| {
            let server = tool.split("__").nth(1).expect("a server");
            let named: Vec<(String, String)> =
                named.iter().map(|&(field, text)| (field.to_owned(), text.to_owned())).collect();
            let touches = shipped().touches(&[], (server, tool), &named);
            let mut told: Vec<String> = touches.paths.into_iter().map(|one| one.path).collect();
            if !touches.command.is_empty() {
                told.push(format!("$ {}", touches.command));
            }
            told.join(", ")
        };
        for (tool, field, text, expected) in [
            ("mcp__fs__write_file", "path", "src/a.py", "src/a.py"),
            ("mcp__fs__write_file", "filePath", "src/a.py", "src/a.py"),
            ("mcp__fs__move_file", "destination", "src/a.py", "src/a.py"),
            ("mcp__fs__move_file", "source", "src/a.py", "src/a.py"),
            ("mcp__fs__copy_file", "source", "src/a.py", ""),
            ("mcp__fs__write_file", "uri", "file:///a/b.py", "/a/b.py"),
            ("mcp__fs__write_file", "path", "https://a.example/b", ""),
            ("mcp__fs__write_file", "content", "path: a", ""),
            ("mcp__fs__read_file", "path", "src/a.py", ""),
            ("mcp__fs__search_files", "path", "src", ""),
            ("mcp__serena__replace_symbol_body", "relative_path", "src/a.py", "src/a.py"),
            ("mcp__eslint__lint-files", "filePaths", "src/a.js", ""),
            ("mcp__pytest__run_tests", "path", "tests", ""),
            ("mcp__playwright__browser_file_upload", "paths", "a.png", ""),
            ("mcp__playwright__browser_click", "target", "#login", ""),
            ("mcp__github__create_or_update_file", "path", "src/a.py", ""),
            ("mcp__obsidian__append_content", "filepath", "Notes/a.md", ""),
            ("mcp__shell__execute_command", "command", "rm -rf docs", "$ rm -rf docs"),
            ("mcp__any__frobnicate", "cmd", "rm -rf docs", "$ rm -rf docs"),
            ("mcp__ssh__exec", "command", "rm -rf docs", ""),
            ("mcp__github__get_issue", "command", "rm -rf docs", ""),
        ] {
            assert_eq!(touched(tool, &[(field, text)]), expected, "{tool} {field}");
        }
        let words = [("command", "git"), ("args", "push"), ("args", "a b")];
        assert_eq!(touched("mcp__any__run", &words), "$ git push 'a b'");
    }

    #[test]
    fn a_repository_names_servers_of_its_own() {
        let row = |looks: &[&str], changes: &[&str]| ServerRow {
            server: "Ours".to_owned(),
            looks: looks.iter().map(|&one| one.to_owned()).collect(),
            changes: changes.iter().map(|&one| one.to_owned()).collect(),
            here: vec!["push_*".to_owned()],
        };
        let more = [row(&["frob*"], &["get_and_lock"])];
        for (tool, expected) in [
            ("mcp__ours__frob_it", Tool::Looks),
            ("mcp__ours__get_it", Tool::Looks),
            ("mcp__ours__get_and_lock", Tool::Acts),
            ("mcp__other__frob_it", Tool::Acts),
        ] {
            let server = tool.split("__").nth(1).expect("a server");
            assert_eq!(shipped().judge(&more, server, tool), expected, "{tool}");
        }
        assert_eq!(
            checked(vec![row(&["x"], &["x"])]).expect_err("both").to_string(),
            "[[mcp]] row 1: `x` both looks and changes something"
        );
        let nameless = checked(vec![ServerRow::default()]).expect_err("no name");
        assert_eq!(nameless.to_string(), "[[mcp]] row 1: `server` names nothing");
    }

    #[test]
    fn what_leaves_this_machine_is_told_by_name_for_any_server() {
        let more = [ServerRow {
            server: "ours".to_owned(),
            here: vec!["push_*".to_owned()],
            ..ServerRow::default()
        }];
        let table: Servers = toml::from_str(SHIPPED).expect("the table parses");
        assert_eq!(&table, shipped());
        for row in &table.outward {
            assert!(!row.row.words.is_empty() && !row.row.says.is_empty(), "{row:?}");
        }
        for (tool, says) in [
            ("mcp__github__create_pull_request", "pull or merge request"),
            ("mcp__strange__create_merge_request", "pull or merge request"),
            ("mcp__strange__createPullRequest", "pull or merge request"),
            ("mcp__github__merge_pull_request", "merges"),
            ("mcp__github__push_files", "sends files or commits"),
            ("mcp__git__git_push", "sends files or commits"),
            ("mcp__github__create_or_update_file", "changes something"),
            ("mcp__github__delete_file", "deletes"),
            ("mcp__strange__delete_branch", "deletes"),
            ("mcp__strange__create_release", "publishes"),
            ("mcp__vercel__deploy_to_vercel", "publishes"),
            ("mcp__npm__publish", "publishes"),
            ("mcp__slack__post_message", "sends a message"),
            ("mcp__claude_ai_Slack__slack_send_message", "sends a message"),
            ("mcp__mail__sendEmail", "sends a message"),
            ("mcp__github__add_issue_comment", "comments"),
            ("mcp__strange__reply_to_thread", "comments"),
            ("mcp__github__create_issue", "issue"),
            ("mcp__linear__save_issue", "issue"),
            ("mcp__github__run_workflow", "starts a run"),
            ("mcp__github__fork_repository", "changes something"),
            ("mcp__github__get_issue", ""),
            ("mcp__github__get_release", ""),
            ("mcp__github__pull_request_read", ""),
            ("mcp__github__list_comments", ""),
            ("mcp__strange__get_merge_request", ""),
            ("mcp__slack__search_messages", ""),
            ("mcp__filesystem__write_file", ""),
            ("mcp__filesystem__move_file", ""),
            ("mcp__filesystem__delete_file", ""),
            ("mcp__files__write", ""),
            ("mcp__serena__delete_memory", ""),
            ("mcp__memory__delete_entities", ""),
            ("mcp__tmux__send_keys", ""),
            ("mcp__db__query", ""),
            ("mcp__util__merge_json", ""),
            ("mcp__playwright__browser_click", ""),
            ("mcp__ours__push_button", ""),
        ] {
            let server = tool.split("__").nth(1).expect("a server");
            let found = shipped().outward(&more, server, tool);
            let said = found.map_or("", |found| found.row.says.as_str());
            assert!(said.contains(says) && said.is_empty() == says.is_empty(), "{tool}: {said}");
        }
    }

    proptest! {
        #[test]
        fn a_changing_verb_anywhere_never_looks(
            before in "[a-z_]{0,12}", verb in prop::sample::select(shipped().changes.clone()),
            after in "[a-z_]{0,12}",
        ) {
            let tool = format!("mcp__github__{before}_{verb}_{after}");
            prop_assert_eq!(shipped().judge(&[], "github", &tool), Tool::Acts);
        }

        #[test]
        fn any_name_is_judged(server in "\\PC{0,8}", tool in "\\PC{0,24}") {
            shipped().judge(&[], &server, &tool);
        }
    }
}
