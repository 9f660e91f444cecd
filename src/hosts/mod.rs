//! Agent hosts as rows of data: how each one spells events, tools and replies.
//!
//! A row is one TOML file and one line in [`SHIPPED`]; a row that names something
//! unknown does not load. Rows are parsed one at a time, when they are asked for: a hook
//! needs one. Nothing here reads the environment, a file or a clock. What an event means
//! for a job is `seed`'s matter.

mod can;
mod canary;
mod compaction;
mod document;
mod grant;
mod patch;
mod places;
pub(crate) mod plugin;
mod read;
mod reply;
mod signs;
mod start;
mod toml_document;
mod transcript;
mod trust;

pub(crate) mod install;
mod marks;
pub(crate) mod servers;

use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::time::Duration;

use serde::Deserialize;

use crate::shipped::text::Text;
use crate::shipped::{self, Table, shipped};

pub(crate) use canary::{CANARY, before_tool_line, canary, is_refusal, switches_hooks_off};
pub(crate) use marks::{Marks, marks};
pub(crate) use places::Place;
pub use read::read;
pub(crate) use read::{BadPayload, Identity, PAYLOAD_LIMIT, event_said, identity, unread_event};
pub use reply::{Answer, reply};
pub(crate) use signs::given_back;
pub(crate) use transcript::TranscriptRow;
pub(crate) use trust::Distrust;

/// Every host there is.
static SHIPPED: [Shipped; 8] = [
    Shipped::new("claude", shipped!("claude")),
    Shipped::new("codex", shipped!("codex")),
    Shipped::new("gemini", shipped!("gemini")),
    Shipped::new("opencode", shipped!("opencode")),
    Shipped::new("cursor", shipped!("cursor")),
    Shipped::new("copilot", shipped!("copilot")),
    Shipped::new("vscode", shipped!("vscode")),
    Shipped::new("droid", shipped!("droid")),
];

/// Whoever works over MCP alone. Nothing is installed for it, so no list of hosts has it.
static UNHOOKED: Shipped = Shipped::new("mcp", shipped!("mcp_client"));

struct Shipped {
    name: &'static str,
    table: Table,
    host: OnceLock<Result<Host, BadRow>>,
}

impl Shipped {
    const fn new(name: &'static str, table: Table) -> Self {
        Self { name, table, host: OnceLock::new() }
    }
}

/// The row called `name`.
///
/// # Errors
///
/// No host has that name, which names the known ones; or its row is wrong.
pub fn row(name: &str) -> Result<&'static Host, NoHost> {
    let all = SHIPPED.iter().chain([&UNHOOKED]);
    let shipped = all.into_iter().find(|row| row.name == name);
    let shipped = shipped.ok_or_else(|| NoHost::unknown(name))?;
    shipped
        .host
        .get_or_init(|| Host::shipped(shipped.name, shipped.table))
        .as_ref()
        .map_err(NoHost::Broken)
}

/// The tables of all hosts, in the order of the list.
fn tables() -> impl Iterator<Item = Table> {
    SHIPPED.iter().map(|row| row.table)
}

/// Names of all hosts, in the order of the list.
pub fn names() -> impl Iterator<Item = &'static str> {
    SHIPPED.iter().map(|row| row.name)
}

/// There is no such host to talk to.
#[derive(Debug, thiserror::Error)]
pub enum NoHost {
    /// No row has this name.
    #[error("no host `{name}`; known hosts: {known}")]
    Unknown {
        /// What was asked for.
        name: String,
        /// The names there are, joined by commas.
        known: String,
    },
    /// The row has the name and does not load.
    #[error("{0}")]
    Broken(&'static BadRow),
}

impl NoHost {
    fn unknown(name: &str) -> Self {
        Self::Unknown { name: name.to_owned(), known: names().collect::<Vec<_>>().join(", ") }
    }
}

/// A host row says something that cannot be.
#[derive(Debug, thiserror::Error)]
pub enum BadRow {
    /// Not TOML, a word that no row knows, or a missing one.
    #[error("host row `{row}`: {source}")]
    Toml { row: String, source: Box<toml::de::Error> },
    /// The row is listed under another name.
    #[error("host row `{row}` calls itself `{name}`")]
    Name { row: String, name: String },
    /// It installs, or times, an event that its own table does not name.
    #[error("host row `{row}` installs event `{event}`; its events: {known}")]
    Event { row: String, event: String, known: String },
    /// Two tool rows claim one name.
    #[error("host row `{row}` names tool `{tool}` twice")]
    Twice { row: String, tool: String },
    /// `*` stands anywhere but at the end of a tool's name.
    #[error("host row `{row}`: tool `{tool}` may have `*` only at its end")]
    Pattern { row: String, tool: String },
    /// A place inside a payload is not a JSON pointer.
    #[error("host row `{row}`: `{at}` is no JSON pointer, such as `/tool_response/error`")]
    Pointer { row: String, at: String },
    /// The echo of a refused stop would be read as a person's prompt.
    #[error("host row `{row}`: echo `{echo}` is missing from prompt.automation")]
    Echo { row: String, echo: String },
    /// Last words that add up, without any, or with nothing between them.
    #[error("host row `{row}`: `said_joined` needs `said`, and a text that is not empty")]
    Joined { row: String },
    /// Its transcripts tell tokens, and it does not say where.
    #[error("host row `{row}`: `transcript` needs a path, input and output")]
    Transcript { row: String },
}

/// One agent host.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub struct Host {
    /// Name on the command line, such as `claude`.
    pub name: String,
    /// Name for people, such as `Claude Code`.
    pub title: String,
    /// The version of the client with which the row was tried; none where it is from
    /// documentation alone.
    pub tried: Option<String>,
    /// File name of a memory page, such as `CLAUDE.md`.
    pub page: String,
    /// Where the host keeps its own memory: paths from `~`, `*` for one directory.
    pub memory: Vec<String>,
    /// Where the host has its agent write plans, spelled as in `memory`: Markdown alone, which
    /// tools that edit may write in every phase.
    #[serde(default)]
    pub plans: Vec<String>,
    /// Files that can turn hooks off: protected. Below the work tree, or from `~`.
    pub surfaces: Vec<String>,
    /// Names of the host's process.
    pub processes: Vec<String>,
    /// Environment variables that only an agent's process has.
    pub markers: Vec<String>,
    /// [`Marks`] has them.
    #[serde(rename = "shares_terminal")]
    _shares_terminal: serde::de::IgnoredAny,
    /// The variable that says whether a person is there.
    pub attended: Option<String>,
    /// The variable that names the project's directory, wherever the host works just now.
    pub project: Option<String>,
    /// Where subagent definitions lie, where the host has such.
    pub agents: Option<String>,
    /// Settings that switch all hooks off.
    #[serde(default)]
    off: Vec<OffRow>,
    /// A directory below the home that a person has who uses this host.
    pub home: Option<String>,
    /// Payloads of other clients that load hook lines of this one.
    #[serde(default)]
    foreign: Vec<ForeignRow>,
    /// Where a person said of a folder whether the host may run its hooks.
    #[serde(default)]
    trust: Option<trust::TrustRow>,
    /// True where the host has no tool that reads text: its agents read by lines of the shell.
    #[serde(default)]
    pub(crate) reads_by_shell: bool,
    /// Settings with which its agents can change no file.
    #[serde(default)]
    read_only: Vec<ReadOnlyRow>,
    /// Settings without which it does not offer its tool for questions.
    #[serde(default)]
    asks_with: Vec<OffRow>,
    /// Words of its start with which it has no screen to ask on, where its terminal has one.
    #[serde(default)]
    headless: Vec<String>,
    /// Its sandbox can leave `.git` read-only: commands of git seed that write are then handed to
    /// the hook after the tool.
    #[serde(default)]
    pub(crate) hands_over: bool,
    /// Variables that the host itself sets for git, and their values: none of the person's.
    #[serde(default)]
    pub(crate) git_settings: BTreeMap<String, String>,
    /// Types of subagents of the host's own that only look.
    #[serde(default)]
    pub lookers: Vec<String>,
    /// Where Markdown lies that every session reads, where the host has such a place.
    pub rules: Option<String>,
    /// Where skills lie, each in a folder of its own.
    pub skills: Option<String>,
    /// Where hook lines go.
    pub settings: Settings,
    fields: Fields,
    events: BTreeMap<Text, Happening>,
    prompt: PromptRow,
    tasks: Option<TasksRow>,
    outcome: OutcomeRow,
    /// Signs of a stop that the person or a failure caused, and not the agent.
    #[serde(default)]
    interrupted: Vec<Sign>,
    reply: ReplyRow,
    rewrite: Option<RewriteRow>,
    pub(crate) consent: Option<ConsentRow>,
    install: InstallRow,
    /// Where the host looks for MCP servers of one project.
    pub server: Option<servers::ServerRow>,
    transcript: Option<TranscriptRow>,
    compaction: Option<compaction::CompactionRow>,
    tools: Vec<ToolRow>,
}

/// Subagent definitions that `init` puts in: their file names, and what they say. Gates count none
/// of them (`engine/repo/subagents.rs`).
pub(crate) const AGENTS: [(&str, &str); 17] = [
    ("agent-updater.md", include_str!("agents/agent-updater.md")),
    ("condense-promotion-scan.md", include_str!("agents/condense-promotion-scan.md")),
    ("execute-contractor.md", include_str!("agents/execute-contractor.md")),
    ("execute-drift-auditor.md", include_str!("agents/execute-drift-auditor.md")),
    ("job-creator.md", include_str!("agents/job-creator.md")),
    ("knowledge-extractor.md", include_str!("agents/knowledge-extractor.md")),
    ("mover.md", include_str!("agents/mover.md")),
    ("observe-blindspot-finder.md", include_str!("agents/observe-blindspot-finder.md")),
    ("observe-researcher.md", include_str!("agents/observe-researcher.md")),
    ("plan-premortem.md", include_str!("agents/plan-premortem.md")),
    ("verify-code-evolution-tracker.md", include_str!("agents/verify-code-evolution-tracker.md")),
    ("verify-execute-auditor.md", include_str!("agents/verify-execute-auditor.md")),
    ("verify-git-historian.md", include_str!("agents/verify-git-historian.md")),
    ("verify-meta-audit.md", include_str!("agents/verify-meta-audit.md")),
    ("verify-observe-auditor.md", include_str!("agents/verify-observe-auditor.md")),
    ("verify-plan-auditor.md", include_str!("agents/verify-plan-auditor.md")),
    ("voice-updater.md", include_str!("agents/voice-updater.md")),
];

/// Programs that stand in for hook lines, by the host that loads them. `@SEED@` is this binary.
/// How the names of tools of servers begin.
const TOOLS: &str = "mcp__";

/// A rule names this tool: by its name, by that of its server, or by how it begins.
fn fits_tool(rule: &str, tool: &str) -> bool {
    if !rule.starts_with(TOOLS) {
        return false;
    }
    match rule.strip_suffix('*') {
        Some(start) => tool.starts_with(start),
        None => {
            tool.strip_prefix(rule).is_some_and(|rest| rest.is_empty() || rest.starts_with("__"))
        }
    }
}

const SCRIPTS: [(&str, &str); 1] = [("opencode", include_str!("opencode.js"))];

/// What `init --governance` puts in, by where hosts want it.
pub(crate) const RULES: [(&str, &str); 5] = [
    ("seed-constitution.md", include_str!("governance/constitution.md")),
    ("seed-core-boundary.md", include_str!("governance/core-boundary.md")),
    ("seed-governance.md", include_str!("governance/governance.md")),
    ("seed-security.md", include_str!("governance/security.md")),
    ("seed-testing-evidence.md", include_str!("governance/testing-evidence.md")),
];
pub(crate) const SKILLS: [(&str, &str); 3] = [
    ("seed-hooks/SKILL.md", include_str!("governance/seed-hooks.md")),
    ("seed-self-governance/SKILL.md", include_str!("governance/seed-self-governance.md")),
    ("seed-state-grounding/SKILL.md", include_str!("governance/seed-state-grounding.md")),
];
pub(crate) const REVIEWERS: [(&str, &str); 1] =
    [("diff-reviewer.md", include_str!("governance/diff-reviewer.md"))];

/// The files that hold hook lines, below the work tree.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The one that only this clone sees, where the host has such a file.
    pub local: String,
    /// The one that is committed.
    pub shared: String,
    /// The host passes over comments in them.
    #[serde(default)]
    pub comments: bool,
    /// Where it reads the hook lines of a linked worktree.
    #[serde(default)]
    pub linked: Linked,
    /// It reads them only where it is started in the directory that they lie below.
    #[serde(default)]
    pub top_only: bool,
}

impl Settings {
    /// The directory of the files, as the work tree names it.
    pub(crate) fn dir(&self) -> &str {
        self.local.split('/').next().unwrap_or_default()
    }
}

/// Where a host reads the hook lines of a linked worktree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Linked {
    /// In that worktree.
    #[default]
    Own,
    /// In the main checkout alone, and only where the worktree has the directory of the settings.
    Main,
    /// In that worktree, and the local ones of the main checkout, too.
    Both,
}

/// Names of the payload's top-level fields.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
struct Fields {
    event: Text,
    session: Text,
    cwd: Text,
    /// A list of directories, the first of which counts where `cwd` is not there.
    roots: Option<Text>,
    /// Fields that may hold JSON as a text. Where the input of a call is a text and no JSON, it is
    /// the field `text` of an object.
    #[serde(default)]
    spelled: Vec<Text>,
    agent: Option<Text>,
    agent_type: Option<Text>,
    tool: Text,
    input: Text,
    call: Option<Text>,
    duration: Option<Text>,
    prompt: Text,
    /// The host's id of a prompt.
    prompt_id: Option<Text>,
    source: Text,
    reason: Text,
    again: Text,
    /// Where the payload says how many tokens the context holds, as a JSON pointer.
    tokens: Option<Text>,
    /// The field that has the client's version.
    version: Option<Text>,
    /// The last words of whoever ends its turn.
    said: Option<Text>,
    /// They are all words since the prompt: what stands between those of one stop and of the next.
    said_joined: Option<Text>,
}

/// What an event of the host is, whatever the host calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Happening {
    SessionStart,
    SessionEnd,
    Prompt,
    Before,
    After,
    Failed,
    Stop,
    SubagentStart,
    SubagentStop,
    CompactBefore,
    CompactAfter,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
struct PromptRow {
    /// A prompt that begins with one of these was written by no person.
    automation: Vec<Text>,
    /// Tags around text that the host puts in front of a person's words.
    wrapper: Option<Wrapper>,
    /// Quotation marks that the host puts around a person's words; one within has a backslash.
    quotes: Option<char>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
struct Wrapper {
    open: Text,
    close: Text,
}

/// The list of background work that a stop carries.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
struct TasksRow {
    list: Text,
    status: Text,
    /// Any other status, or none, means it still runs.
    finished: Vec<Text>,
    kind: Text,
    /// The kinds that a stop waits for; a shell that sleeps holds nobody up.
    counts: Vec<Text>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
struct OutcomeRow {
    /// Where the object lies that has `answers`; a string there is read as JSON.
    answers: Option<Text>,
    timed_out: Option<Sign>,
    failed: Vec<Sign>,
    background: Vec<Sign>,
    /// How the exit status of a shell command is told; absent where the host does not tell.
    status: Option<StatusRow>,
    /// Where the exit status of a shell command lies, where the host tells it as a number.
    exit: Option<Text>,
    /// The line of a text that has the status of a shell command which ended badly; where it is
    /// missing nothing is told.
    bad_exit: Option<BadExitRow>,
    /// Where the output of a shell command lies.
    #[serde(default)]
    prints: Vec<Text>,
    /// Where the text lies that an edit found in its file.
    before: Option<Text>,
}

/// A line behind what a command printed, which the host adds where the command ended badly.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
struct BadExitRow {
    /// Where the text lies.
    at: Text,
    /// What stands before the digits.
    begins: Text,
    /// How the host's own lines behind it begin.
    behind: Vec<Text>,
    /// Such a line of a command that did not end by itself, behind its output or at the head of it.
    #[serde(default)]
    stopped: Vec<Text>,
}

impl BadExitRow {
    /// The status that `text` tells. A command may print such a line, too; the host's stands last.
    fn status(&self, text: &str) -> Option<i32> {
        let own = |line: &&str| self.behind.iter().any(|begins| line.starts_with(begins.as_str()));
        let last = text.lines().rev().map(str::trim).find(|line| !line.is_empty() && !own(line))?;
        last.strip_prefix(self.begins.as_str())?.parse().ok().filter(|status| *status != 0)
    }

    /// Whether `text` tells that the command was ended, by a signal or by the host.
    fn is_stopped(&self, text: &str) -> bool {
        let begins =
            |line: &str, rows: &[Text]| rows.iter().any(|row| line.starts_with(row.as_str()));
        let stopped = |line: &str| begins(line, &self.stopped);
        let mut lines = text.lines().rev().map(str::trim).filter(|line| !line.is_empty());
        text.lines().find(|line| !line.starts_with('<')).is_some_and(stopped)
            || lines.by_ref().take_while(|line| begins(line, &self.behind)).any(stopped)
    }
}

/// How a host tells the exit status of a shell command: its after-event means 0, its
/// failed-event has the status in a text.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
struct StatusRow {
    /// Where the text lies.
    at: Text,
    /// What stands before the digits, at the head of the text.
    begins: Text,
    /// The command was not let end.
    unless: Vec<Sign>,
}

/// The payload of another client, told by its fields. That client has a row, and lines, of its own.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
struct ForeignRow {
    has: Text,
    /// A field that each payload of this host has, and that one has not.
    lacks: Text,
}

/// Something a payload shows at a place.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
struct Sign {
    /// A JSON pointer from the payload's root.
    at: Text,
    /// The value that counts; without it, anything but null, false and empty.
    is: Option<serde_json::Value>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
struct ReplyRow {
    dialect: Dialect,
    /// Longest text the host shows, in UTF-16 units.
    limit: usize,
    refuse: Vec<Happening>,
    context: Vec<Happening>,
    person: Vec<Happening>,
    grant: Vec<Happening>,
    /// A refused stop keeps no turn from ending: its reason comes as the next prompt.
    #[serde(default)]
    asks_again: bool,
    /// Put before the reason of a refused stop where the host returns it as a prompt.
    echo: Option<Text>,
    /// What is said at these reaches the model with `&lt;` for `<` and `&gt;` for `>`.
    #[serde(default)]
    escapes: Vec<Happening>,
}

/// A setting that changes what the host does, such as one that switches all hooks off.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OffRow {
    /// Files that may hold it, below the work tree or from `~`: JSON or TOML.
    files: Vec<String>,
    /// Its keys, joined by dots.
    key: String,
    /// The value that does it; the first file that sets the key decides.
    is: Option<bool>,
    /// Or this text, in the same way.
    text: Option<String>,
    /// Or a word in one text of the list that stands there, in any of the files.
    lists: Option<String>,
}

/// A setting with which the host's own sandbox lets its agents change nothing.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadOnlyRow {
    setting: OffRow,
    /// The line of its file with which they can, and the option of its command line.
    instead: String,
    option: String,
}

/// What keeps a host's agents from changing files, and what a person does about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReadOnly<'h> {
    /// The file that holds the setting, as rows name it.
    pub file: &'h str,
    pub key: &'h str,
    pub instead: &'h str,
    pub option: &'h str,
}

impl OffRow {
    /// The file that holds the setting with this value.
    fn holder(&self, comments: bool, read: &impl Fn(&str) -> Option<String>) -> Option<&str> {
        let set = |file: &String| {
            let text = read(file)?;
            canary::setting(file, &text, &self.key, comments)
        };
        let mut all = self.files.iter().filter_map(|file| Some((file.as_str(), set(file)?)));
        let named = |value: &serde_json::Value, word: &str| {
            let all = value.as_array().into_iter().flatten();
            all.filter_map(serde_json::Value::as_str).any(|text| text.contains(word))
        };
        if let Some(word) = &self.lists {
            return all.find(|(_, value)| named(value, word)).map(|(file, _)| file);
        }
        if let Some(text) = &self.text {
            let mut texts =
                all.filter_map(|(file, value)| Some((file, value.as_str()?.to_owned())));
            return texts.next().filter(|(_, said)| said == text).map(|(file, _)| file);
        }
        let mut plain = all.filter(|(_, value)| value.is_boolean());
        let first = plain.next().filter(|(_, value)| value.as_bool() == self.is);
        first.map(|(file, _)| file)
    }
}

impl Host {
    /// The setting that switches all hooks off, and the file that holds it; `read` gives the text
    /// of a file as rows name it.
    pub(crate) fn switched_off(
        &self,
        read: impl Fn(&str) -> Option<String>,
    ) -> Option<(&str, &str)> {
        let comments = self.settings.comments;
        self.off.iter().find_map(|row| Some((row.key.as_str(), row.holder(comments, &read)?)))
    }

    /// What keeps its agents from changing any file, by its own settings; `read` as above.
    pub(crate) fn is_read_only(
        &self,
        read: impl Fn(&str) -> Option<String>,
    ) -> Option<ReadOnly<'_>> {
        let comments = self.settings.comments;
        self.read_only.iter().find_map(|ReadOnlyRow { setting, instead, option }| {
            let file = setting.holder(comments, &read)?;
            Some(ReadOnly { file, key: &setting.key, instead, option })
        })
    }

    /// True where the host offers its tool for questions as it is set; `read` as above.
    pub(crate) fn offers_questions(&self, read: impl Fn(&str) -> Option<String>) -> bool {
        let set = |row: &OffRow| row.holder(self.settings.comments, &read).is_some();
        self.can_ask() && (self.asks_with.is_empty() || self.asks_with.iter().any(set))
    }
}

/// A host that asks the person where a hook says so, and the settings that would answer for them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConsentRow {
    /// The field that tells how the host decides whom to ask.
    mode: String,
    /// Its values in which a hook's question reaches the person.
    asks: Vec<String>,
    /// Those in which the host only plans.
    #[serde(default)]
    plans: Vec<String>,
    /// Files that hold rules of permission, below the work tree or from `~`.
    files: Vec<String>,
    /// Where they hold those that let a call pass: a JSON pointer to a list.
    allows: String,
    /// The tool of such a rule that runs shell lines, as in `Bash(git push:*)`.
    tool: String,
}

/// A host that lets a hook give a shell call another line, or an edit another text.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
struct RewriteRow {
    /// The tools whose lines a POSIX shell reads, and those that edit a file by one text.
    tools: Vec<Text>,
    /// The field that tells how the host decides whom to ask, where one does.
    mode: Option<Text>,
    /// Its values with which the host runs every call without asking.
    #[serde(default)]
    unasked: Vec<Text>,
    /// Else the start that tells it.
    start: Option<start::StartRow>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Dialect {
    Claude,
    Gemini,
    /// Claude's, but for the end of a turn.
    VsCode,
    Copilot,
    Cursor,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct InstallRow {
    form: Form,
    /// In the host's own unit.
    timeout: u32,
    /// That unit is a thousandth of a second.
    #[serde(default)]
    millis: bool,
    /// In the order they are written.
    events: Vec<String>,
    /// Events with a time-out of their own.
    #[serde(default)]
    timeouts: BTreeMap<String, u32>,
    /// Lines stand in the list of an event themselves, not in groups.
    #[serde(default)]
    flat: bool,
    /// The version that the file names of its own form.
    version: Option<u32>,
    /// The key of a line's command, where it is not `command`.
    line_key: Option<String>,
    /// The key of its time-out, where it is not `timeout`.
    timeout_key: Option<String>,
    /// Further fields of each hook line.
    #[serde(default)]
    also: BTreeMap<String, String>,
    /// What a person meets at the host's first start with these hooks, in a few words.
    says: Option<String>,
}

impl InstallRow {
    fn line_key(&self) -> &str {
        self.line_key.as_deref().unwrap_or("command")
    }

    fn timeout_key(&self) -> &str {
        self.timeout_key.as_deref().unwrap_or("timeout")
    }
}

/// How a hook line says what to run.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Form {
    /// A program and its arguments; no shell.
    Program,
    /// One line for a shell.
    Line,
    /// A program in the host's own language, which calls ours for each event.
    Script,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
struct ToolRow {
    /// Whole names, or the beginning of one and `*`.
    names: Vec<Text>,
    act: ActRow,
    /// Each call goes on in the background.
    #[serde(default)]
    detached: bool,
}

/// What a tool does, and the fields of its input that say to what.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, bound(deserialize = "'de: 'static"))]
enum ActRow {
    Read {
        path: Text,
    },
    Search {
        path: Option<Text>,
    },
    /// The fields of which the first that is there says what is asked for.
    Web {
        what: Vec<Text>,
    },
    Write {
        path: Text,
        content: Text,
    },
    Replace {
        path: Text,
        old: Text,
        new: Text,
        all: Text,
    },
    ReplaceMany {
        path: Text,
        edits: Text,
        old: Text,
        new: Text,
        all: Text,
    },
    Patch {
        text: Text,
    },
    Touch {
        path: Text,
    },
    /// A list of paths.
    TouchMany {
        paths: Text,
    },
    Shell {
        command: Text,
        cwd: Option<Text>,
    },
    /// It does what this line would: the first of these fields that is there is its last word.
    AsShell {
        line: Text,
        word: Vec<Text>,
    },
    Delegate {
        agent: Text,
        prompt: Text,
        default: Text,
    },
    Ask(AskRow),
    Housekeeping,
    Schedule {
        text: Text,
    },
    Foreign {
        server: Option<Text>,
        between: Option<Text>,
    },
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
struct AskRow {
    list: Text,
    text: Text,
    options: Text,
    label: Text,
    multiple: Option<Text>,
    /// The field that brings answers along with the questions.
    given: Text,
    key: AnswerKey,
}

/// What an answer is found by.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum AnswerKey {
    /// The question's text; two questions of one text share an answer.
    Text,
    /// The question's own `id`.
    Id,
    /// The question's place in the list, from 0.
    Index,
}

impl Host {
    /// Reads a row as people write it.
    #[cfg(test)]
    fn parse(row: &str, text: &str) -> Result<Self, BadRow> {
        Self::checked(row, toml::from_str(text.to_owned().leak()))
    }

    /// A shipped row. The tests of the library check each that they read; a hook would pay for that
    /// with each call.
    fn shipped(row: &str, table: Table) -> Result<Self, BadRow> {
        let read = shipped::read(table);
        if cfg!(test) { Self::checked(row, read) } else { Self::readable(row, read) }
    }

    fn readable(row: &str, read: Result<Self, toml::de::Error>) -> Result<Self, BadRow> {
        read.map_err(|source| BadRow::Toml { row: row.to_owned(), source: Box::new(source) })
    }

    /// Checks a row as a whole; `row` is the name it is listed under.
    fn checked(row: &str, read: Result<Self, toml::de::Error>) -> Result<Self, BadRow> {
        let host = Self::readable(row, read)?;
        if host.name != row {
            return Err(BadRow::Name { row: row.to_owned(), name: host.name });
        }
        host.check_events()?;
        host.check_tools()?;
        host.check_pointers()?;
        host.check_echo()?;
        host.check_words()?;
        host.check_transcript()?;
        Ok(host)
    }

    fn check_events(&self) -> Result<(), BadRow> {
        let mut installed = self.install.events.iter().chain(self.install.timeouts.keys());
        let Some(event) = installed.find(|event| !self.events.contains_key(event.as_str())) else {
            return Ok(());
        };
        let known = self.events.keys().map(Text::as_str).collect::<Vec<_>>().join(", ");
        Err(BadRow::Event { row: self.name.clone(), event: event.clone(), known })
    }

    fn check_tools(&self) -> Result<(), BadRow> {
        let mut seen = std::collections::BTreeSet::new();
        for tool in self.tools.iter().flat_map(|row| &row.names) {
            if tool.trim_end_matches('*').len() + 1 < tool.len()
                || tool.trim_end_matches('*').contains('*')
            {
                return Err(BadRow::Pattern { row: self.name.clone(), tool: tool.to_string() });
            }
            if !seen.insert(tool) {
                return Err(BadRow::Twice { row: self.name.clone(), tool: tool.to_string() });
            }
        }
        Ok(())
    }

    fn check_pointers(&self) -> Result<(), BadRow> {
        let outcome = &self.outcome;
        let unless = outcome.status.iter().flat_map(|row| &row.unless);
        let signs = outcome
            .failed
            .iter()
            .chain(&outcome.background)
            .chain(&outcome.timed_out)
            .chain(unless);
        let servers = self.tools.iter().filter_map(|tool| match &tool.act {
            ActRow::Foreign { server, .. } => server.as_ref(),
            _ => None,
        });
        let bad_exit = outcome.bad_exit.iter().map(|row| &row.at);
        let told =
            outcome.answers.iter().chain(&outcome.exit).chain(&outcome.before).chain(bad_exit);
        let signs = signs.chain(&self.interrupted);
        let pointers = signs.map(|sign| &sign.at).chain(told).chain(servers);
        let pointers = pointers.chain(&self.fields.tokens).map(Text::as_str);
        let told = self.transcript.iter().flat_map(TranscriptRow::pointers);
        let mut pointers = pointers.chain(told);
        match pointers.find(|at| !at.starts_with('/')) {
            Some(at) => Err(BadRow::Pointer { row: self.name.clone(), at: at.to_owned() }),
            None => Ok(()),
        }
    }

    fn check_echo(&self) -> Result<(), BadRow> {
        match &self.reply.echo {
            Some(echo) if !self.prompt.automation.contains(echo) => {
                Err(BadRow::Echo { row: self.name.clone(), echo: echo.to_string() })
            }
            _ => Ok(()),
        }
    }

    fn check_words(&self) -> Result<(), BadRow> {
        match &self.fields.said_joined {
            Some(between) if between.is_empty() || self.fields.said.is_none() => {
                Err(BadRow::Joined { row: self.name.clone() })
            }
            _ => Ok(()),
        }
    }

    fn check_transcript(&self) -> Result<(), BadRow> {
        match &self.transcript {
            Some(row) if !row.is_whole() => Err(BadRow::Transcript { row: self.name.clone() }),
            _ => Ok(()),
        }
    }

    /// True where some tool puts questions to the person; the host may not offer it.
    fn can_ask(&self) -> bool {
        self.tools.iter().any(|tool| matches!(tool.act, ActRow::Ask(_)))
    }

    /// Whether a person is there, by the value of the [`attended`](Self::attended)
    /// variable; `None` where the host does not say.
    pub(crate) fn is_attended(&self, value: Option<&str>) -> Option<bool> {
        match value? {
            "1" | "true" => Some(true),
            "0" | "false" => Some(false),
            _ => None,
        }
    }

    /// The rule of `settings`, a settings file of the host's, that would let this piece of a
    /// shell line, or this tool of a server, pass unasked.
    pub(crate) fn lets_pass(&self, settings: &serde_json::Value, piece: &str) -> Option<String> {
        let row = self.consent.as_ref()?;
        let rules = settings.pointer(&row.allows)?.as_array()?;
        let rules = rules.iter().filter_map(serde_json::Value::as_str);
        let fits = |rule: &&str| {
            if piece.starts_with(TOOLS) {
                return fits_tool(rule.trim(), piece);
            }
            let Some(rest) = rule.trim().strip_prefix(row.tool.as_str()) else { return false };
            let Some(inside) = rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'))
            else {
                return rest.is_empty();
            };
            // What stands before the first wildcard; nothing there fits every line.
            let head = inside.split('*').next().unwrap_or_default();
            piece.starts_with(head.trim_end_matches(':').trim())
        };
        rules.into_iter().find(fits).map(str::to_owned)
    }

    /// The files of the host that hold rules of permission.
    pub(crate) fn permission_files(&self) -> &[String] {
        self.consent.as_ref().map_or(&[], |row| &row.files)
    }

    /// What a person meets at the first start of the host with our hooks.
    pub(crate) fn first_start(&self) -> Option<&str> {
        self.install.says.as_deref()
    }

    /// Whether the agent, and whether the person, reads what is said to the event `name`.
    pub(crate) fn reads(&self, name: &str) -> (bool, bool) {
        let happening = self.happening(name);
        let can = |list: &[Happening]| happening.is_some_and(|kind| list.contains(&kind));
        (can(&self.reply.context), can(&self.reply.person))
    }

    /// The prompt is a refused stop that the host gives back.
    pub(crate) fn echoes(&self, prompt: &str) -> bool {
        self.reply.echo.as_deref().is_some_and(|echo| prompt.trim_start().starts_with(echo))
    }

    /// What stands between the words of a refused stop and those of the next one, where the host
    /// hands over all words since the prompt.
    pub(crate) fn joins_words(&self) -> Option<&str> {
        self.fields.said_joined.as_deref()
    }

    fn happening(&self, event: &str) -> Option<Happening> {
        self.events.get(event).copied()
    }

    /// So many units of the host's time-outs.
    fn in_time(&self, units: u64) -> Duration {
        if self.install.millis { Duration::from_millis(units) } else { Duration::from_secs(units) }
    }

    /// How long the host waits for a hook that has no time-out of its own.
    pub(crate) fn usual_time(&self) -> Duration {
        self.in_time(self.install.timeout.into())
    }

    /// How long a line of `event` asks the host to wait.
    pub(crate) fn time_of(&self, event: &str) -> Duration {
        let own = self.install.timeouts.get(event);
        self.in_time((*own.unwrap_or(&self.install.timeout)).into())
    }

    /// The versions of the client that the row was tried with: those that share its first two
    /// numbers.
    pub(crate) fn range(&self) -> Option<String> {
        Some(format!("{}.x", line_of(self.tried.as_deref()?)))
    }

    /// The client is of another version than those.
    pub(crate) fn is_outside(&self, version: &str) -> bool {
        self.tried.as_deref().is_some_and(|tried| line_of(tried) != line_of(version))
    }

    /// How many events `init` writes lines for.
    pub(crate) fn install_events(&self) -> usize {
        self.install.events.len()
    }

    /// The name of the event that ends a turn.
    pub(crate) fn stop(&self) -> Option<&str> {
        self.events
            .iter()
            .find(|(_, kind)| **kind == Happening::Stop)
            .map(|(name, _)| name.as_str())
    }

    /// The program that stands in for hook lines, where the host loads one.
    fn script(&self) -> Option<&'static str> {
        let own = SCRIPTS.iter().find(|(name, _)| *name == self.name);
        own.filter(|_| matches!(self.install.form, Form::Script)).map(|(_, text)| *text)
    }

    /// False of a client that works over MCP alone: nothing but its calls tells what it does.
    pub(crate) fn runs_hooks(&self) -> bool {
        !self.events.is_empty()
    }

    /// True where a hook may give a shell call another line.
    pub(crate) fn rewrites(&self) -> bool {
        self.rewrite.is_some()
    }

    /// True where the host has a tool that launches subagents.
    pub(crate) fn delegates(&self) -> bool {
        self.tools.iter().any(|row| matches!(row.act, ActRow::Delegate { .. }))
    }

    /// The row of a tool: its whole name first, then the longest beginning.
    fn tool(&self, name: &str) -> Option<&ToolRow> {
        let named = |row: &&ToolRow| row.names.iter().any(|known| known == name);
        self.tools.iter().find(named).or_else(|| self.tool_by_beginning(name))
    }

    fn tool_by_beginning(&self, name: &str) -> Option<&ToolRow> {
        let length = |row: &ToolRow| {
            let beginnings = row.names.iter().filter_map(|known| known.strip_suffix('*'));
            beginnings.filter(|beginning| name.starts_with(beginning)).map(str::len).max()
        };
        let matching = self.tools.iter().filter_map(|row| Some((length(row)?, row)));
        matching.max_by_key(|(length, _)| *length).map(|(_, row)| row)
    }
}

/// The first two numbers of a version.
fn line_of(version: &str) -> String {
    version.split('.').take(2).collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows as people read them.
    const ROWS: [(&str, &str); 9] = [
        ("claude", include_str!("claude.toml")),
        ("codex", include_str!("codex.toml")),
        ("gemini", include_str!("gemini.toml")),
        ("opencode", include_str!("opencode.toml")),
        ("cursor", include_str!("cursor.toml")),
        ("copilot", include_str!("copilot.toml")),
        ("vscode", include_str!("vscode.toml")),
        ("droid", include_str!("droid.toml")),
        ("mcp", include_str!("clients/mcp_client.toml")),
    ];

    fn text(name: &str) -> &'static str {
        ROWS.iter().find(|row| row.0 == name).expect("it is shipped").1
    }

    #[test]
    fn a_row_says_the_same_in_both_forms() {
        for (name, toml) in ROWS {
            let read = Host::parse(name, toml).unwrap_or_else(|problem| panic!("{problem}"));
            assert_eq!(
                format!("{read:?}"),
                format!("{:?}", row(name).expect("it loads")),
                "{name}"
            );
        }
        assert_eq!(
            ROWS.map(|row| row.0).to_vec(),
            names().chain(["mcp"]).collect::<Vec<_>>(),
            "every row is here"
        );
    }

    #[test]
    fn every_shipped_row_loads() {
        for name in names() {
            let host = row(name).unwrap_or_else(|problem| panic!("{problem}"));
            assert_eq!(host.name, name);
            assert!(
                host.surfaces.contains(&host.settings.local),
                "{name} guards its own hook lines"
            );
            assert!(
                host.surfaces.contains(&host.settings.shared),
                "{name} guards its own hook lines"
            );
        }
    }

    #[test]
    fn an_unknown_host_is_answered_with_the_known_ones() {
        let problem = row("emacs").expect_err("there is no such row").to_string();
        assert_eq!(
            problem,
            "no host `emacs`; known hosts: claude, codex, gemini, opencode, cursor, copilot, \
             vscode, droid"
        );
    }

    #[test]
    fn a_row_that_names_something_unknown_does_not_load() {
        let cases = [
            ("[settings]", "colour = 1\n[settings]", "unknown field `colour`"),
            (
                "\"before\"",
                "\"just-before\"",
                "unknown variant `just-before`, expected one of `session-start`",
            ),
            ("act   = { web =", "act   = { fly =", "unknown variant `fly`, expected one of `read`"),
            ("dialect = \"claude\"", "dialect = \"latin\"", "expected one of `claude`, `gemini`"),
            (
                "{ path = \"notebook_path\" }",
                "{ file = \"notebook_path\" }",
                "unexpected keys in table: file, available keys: path",
            ),
            (
                "name      = \"claude\"",
                "name = \"claudia\"",
                "host row `claude` calls itself `claudia`",
            ),
            (
                "\"Stop\", \"Sub",
                "\"Stopp\", \"Sub",
                "installs event `Stopp`; its events: PostCompact, Post",
            ),
            ("\"Glob\", \"Grep\"", "\"Glob\", \"Read\"", "names tool `Read` twice"),
            ("\"mcp__*\"", "\"*__x\"", "tool `*__x` may have `*` only at its end"),
            ("\"/tool_response\"", "\"tool_response\"", "`tool_response` is no JSON pointer"),
            ("\"/context_tokens\"", "\"context_tokens\"", "`context_tokens` is no JSON pointer"),
            ("\"/message/id\"", "\"message/id\"", "`message/id` is no JSON pointer"),
            ("= [{ at = \"/type\"", "= [{ at = \"type\"", "`type` is no JSON pointer"),
            ("[\"/message/usage/output_tokens\"]", "[\"output\"]", "`output` is no JSON pointer"),
            ("[\"/message/usage/output_tokens\"]", "[]", "`transcript` needs a path, input and"),
            ("path    = \"transcript_path\"", "path = \"\"", "`transcript` needs a path"),
            ("message = \"/message/id\"", "mesage = \"/message/id\"", "unknown field `mesage`"),
            ("grant   = [\"before\"]", "grant = []\necho = \"<me>\"", "echo `<me>` is missing"),
            ("[fields]", "[fields]\nsaid_joined = \"\"", "`said_joined` needs `said`"),
        ];
        for (old, new, wanted) in cases {
            assert!(text("claude").contains(old), "{old}");
            let problem =
                Host::parse("claude", &text("claude").replacen(old, new, 1)).expect_err(new);
            let problem = problem.to_string();
            assert!(problem.contains(wanted) && problem.contains("`claude`"), "{new}: {problem}");
        }
    }

    #[test]
    fn a_whole_tool_name_wins_over_a_beginning() {
        let row = text("claude").replace("\"mcp__*\"", "\"mcp__*\", \"mcp__tiny__*\"");
        let host = Host::parse("claude", &row).expect("it loads");
        for (tool, known) in
            [("Read", true), ("mcp__tiny__echo", true), ("Reader", false), ("", false)]
        {
            assert_eq!(host.tool(tool).is_some(), known, "{tool}");
        }
    }

    #[test]
    fn a_host_without_a_tool_for_questions_cannot_ask() {
        let host = |row: &str| Host::parse("claude", row).expect("it loads");
        assert!(host(text("claude")).can_ask());
        let ask =
            text("claude").lines().find(|line| line.contains("{ ask = ")).expect("a row asks");
        assert!(!host(&text("claude").replace(ask, "act = \"housekeeping\"")).can_ask());
    }

    #[test]
    fn a_host_offers_its_questions_only_as_its_settings_say() {
        let set = "[features]\ndefault_mode_request_user_input = true\n";
        let cases = [
            ("claude", None, true),
            ("codex", None, false),
            ("codex", Some(set.to_owned()), true),
            ("codex", Some(set.replace("true", "false")), false),
            ("copilot", None, false),
        ];
        for (name, text, offers) in cases {
            let host = row(name).expect("it loads");
            let read = |file: &str| text.clone().filter(|_| file == "~/.codex/config.toml");
            assert_eq!(host.offers_questions(read), offers, "{name} {text:?}");
        }
    }

    #[test]
    fn attendance_is_known_only_where_the_host_says_it() {
        let host = row("claude").expect("it loads");
        let cases =
            [(Some("1"), Some(true)), (Some("0"), Some(false)), (Some("?"), None), (None, None)];
        for (value, attended) in cases {
            assert_eq!(host.is_attended(value), attended, "{value:?}");
        }
    }
}
