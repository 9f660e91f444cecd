//! The rules in force: shipped tables, with what a person has applied on top.
//!
//! Applied rules live in `refs/seed/rules`; `seed.toml` in the work tree is a proposal
//! and decides nothing. Everything is checked as a whole on load, and what is wrong is
//! said with its line, its key and the known names.

pub(crate) mod direction;
mod judged_steps;
mod own_tracks;
mod page_names;
pub(crate) mod policy;
mod raw_place;
mod usual_mode;
mod usual_track;

use std::sync::OnceLock;

use serde::Deserialize;
use serde::de::Error as _;
use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::claims::checks::{BadCommand, Check, Commands, Tests};
use crate::claims::runs::{RunRow, Runs};
use crate::event::{Act, ToolCall};
use crate::jobs::mode::Mode;
use crate::jobs::questions;
use crate::jobs::shortword::SaidLane;
use crate::memory::keep::Keep;
use crate::memory::knowledge;
use crate::memory::lint::Budgets;
use crate::memory::notes::{BadKind, Kinds, NoteKind};
use crate::memory::raw::Raw;
use crate::phases::companions::{BadCompanion, Build, Cache, Companion, Companions};
use crate::phases::mcp::{self, BadServer, ServerRow};
use crate::phases::place::{SETTINGS, Surface};
use crate::phases::room::Tiers;
use crate::phases::{
    BadMap, FirstStep, LaneRows, Map, Maps, Pacing, PhaseName, PhaseRow, Profile, tighten,
};
pub(crate) use crate::rules::judged_steps::Judges;
use crate::rules::own_tracks::TrackKey;
use crate::shipped;

const SHIPPED: &str = include_str!("rules.toml");

/// The trailer that takes whoever commits.
pub(crate) const SIGNED_OFF: &str = "Signed-off-by";

/// What `[trust] refs` calls the default branches of the remotes.
pub(crate) const DEFAULT_BRANCH: &str = "default";

/// Keys that bind whoever works in the repository: no job has some of its own.
const OF_ALL: [&str; 29] = [
    "approval",
    "build",
    "cache",
    "check",
    "commit",
    "companion",
    "compaction",
    "condense",
    "fence",
    "gmode",
    "idle",
    "lane",
    "mcp",
    "memory",
    "mode",
    "nights",
    "pacing",
    "pages",
    "privacy",
    "scope",
    "scratch",
    "shell",
    "surface",
    "surfaces",
    "sync",
    "tests",
    "track",
    "tracks",
    "trust",
];

/// Jobs that an agent made and works on in a row, unless the rules say otherwise.
const OWN_AT_NIGHT: u32 = 3;

/// Whether small talk comes before the first step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Idle {
    Open,
    Closed,
}

/// Whether an answer counts that no person was there to give.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unattended {
    Refuse,
    Count,
}

/// Whether a finished job asks for its approval, or rests until a person comes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Approving {
    Ask,
    Defer,
}

/// Whether a job that was approved lands as clean commits at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Landing {
    /// A person lands it when they want it.
    #[default]
    ByHand,
    /// The person is asked after the approval.
    Ask,
}

/// Whether phase commits wait for a signature.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Signing {
    /// They are signed as git is set up to, where that needs no hand.
    #[default]
    Auto,
    /// There is none without.
    Always,
}

/// Whether code is confined without being asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Confining {
    Auto,
    Off,
}

/// What a job keeps of a person's prompts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Prompts {
    /// Their text.
    #[default]
    Text,
    /// Hash and length.
    Hash,
}

/// How much what leaves a clone says of when things were, and how often.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Detail {
    /// The day, and nothing of refusals, pauses and how much was done.
    #[default]
    Day,
    Full,
}

impl Detail {
    /// The day is all that is said.
    pub(crate) fn is_day(self) -> bool {
        self == Self::Day
    }
}

/// What shows that a subagent acted on the notes of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Consumption {
    /// Launches where the host has subagents, breadcrumbs elsewhere.
    Auto,
    /// As many launches as notes, whenever they happened in the stay.
    Launch,
    /// The breadcrumb of each note that came to rest.
    Breadcrumb,
}

/// What `[tracks] default` says where the agent's first step chooses the lane.
pub(crate) const AUTO: &str = "auto";

/// The track of a job whose first step chooses the lane, until it does.
const UNCHOSEN: &str = "opevc";

/// A table of rules: every key of the shipped one, or some of them in a proposal.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RulesTable {
    /// The older name of `tracks.default`, or rows of tracks.
    #[serde(default, deserialize_with = "own_tracks::read")]
    track: Option<TrackKey>,
    #[serde(default)]
    tracks: TracksTable,
    #[serde(default)]
    lane: LaneRows,
    #[serde(default)]
    mode: ModeTable,
    #[serde(default)]
    fence: FenceTable,
    idle: Option<Idle>,
    pages: Option<Vec<String>>,
    surfaces: Option<Vec<String>>,
    surface: Option<Vec<Surface>>,
    scratch: Option<Vec<String>>,
    #[serde(default)]
    scope: ScopeTable,
    #[serde(default)]
    commit: Commit,
    #[serde(default, deserialize_with = "approval")]
    approval: Approval,
    #[serde(default)]
    nights: NightsTable,
    #[serde(default)]
    trust: TrustTable,
    #[serde(default)]
    condense: Condense,
    #[serde(default)]
    memory: MemoryTable,
    #[serde(default)]
    compaction: CompactionTable,
    #[serde(default)]
    summary: SummaryTable,
    #[serde(default)]
    run: Vec<RunRow>,
    #[serde(default)]
    claims: ClaimsTable,
    #[serde(default)]
    gmode: Gmode,
    #[serde(default)]
    pacing: PacingTable,
    #[serde(default)]
    shell: ShellTable,
    #[serde(default)]
    privacy: PrivacyTable,
    #[serde(default)]
    sync: SyncTable,
    #[serde(default)]
    check: Vec<Check>,
    #[serde(default)]
    tests: Vec<Tests>,
    #[serde(default)]
    phase: Vec<PhaseRow>,
    #[serde(default)]
    companion: Vec<Companion>,
    #[serde(default)]
    build: Vec<Build>,
    #[serde(default)]
    cache: Vec<Cache>,
    #[serde(default)]
    mcp: Vec<ServerRow>,
    #[serde(default)]
    note: Vec<NoteKind>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct TracksTable {
    default: Option<String>,
}

impl TracksTable {
    /// The track that jobs are born on, and whether their first step chooses the lane.
    fn home(&self) -> (&str, bool) {
        match self.default.as_deref().unwrap_or(AUTO) {
            AUTO => (UNCHOSEN, true),
            track => (track, false),
        }
    }
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct ModeTable {
    default: Option<Mode>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct FenceTable {
    scope: Option<Vec<String>>,
}

impl FenceTable {
    /// Paths from the top of the work tree.
    fn scope(self) -> Result<Vec<String>, BadRules> {
        let odd = |path: &&String| {
            let parts = path.trim_end_matches('/');
            parts != "." && parts.split('/').any(|part| matches!(part, "" | "." | ".."))
                || path.contains(['*', '?'])
        };
        let scope = self.scope.unwrap_or_default();
        match scope.iter().find(odd) {
            Some(path) => {
                let what = format!(
                    "has `{path}`; name paths from the top of the work tree, such as src/parser, \
                     without patterns"
                );
                BadRules::key("fence.scope", what)
            }
            None => Ok(scope),
        }
    }
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScopeTable {
    deep: Option<bool>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct PacingTable {
    profile: Option<Profile>,
    reflection: Option<bool>,
    delegation: Option<bool>,
}

impl PacingTable {
    fn read(&self) -> Pacing {
        Pacing {
            profile: self.profile.unwrap_or_default(),
            reflection: self.reflection.unwrap_or_default(),
            delegation: self.delegation.unwrap_or(true),
        }
    }
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct ShellTable {
    confine: Option<Confining>,
    caches: Option<Vec<String>>,
    hides: Option<Vec<String>>,
    drops: Option<Vec<String>>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct PrivacyTable {
    prompts: Option<Prompts>,
    #[serde(default)]
    allow: Vec<String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct SyncTable {
    prompts: Option<bool>,
    detail: Option<Detail>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Commit {
    subject: Option<String>,
    land: Option<Landing>,
    sign: Option<Signing>,
    trailers: Option<Vec<String>>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Approval {
    mode: Option<Approving>,
    unattended: Option<Unattended>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct NightsTable {
    own: Option<u32>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct TrustTable {
    refs: Option<Vec<String>>,
}

/// `[approval]` as a table, or its mode alone: `approval = "defer"`.
fn approval<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Approval, D::Error> {
    struct Either;

    impl<'de> serde::de::Visitor<'de> for Either {
        type Value = Approval;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("`ask`, `defer`, or a table")
        }

        fn visit_str<E: serde::de::Error>(self, mode: &str) -> Result<Approval, E> {
            let mode = Approving::deserialize(serde::de::value::StrDeserializer::new(mode))?;
            Ok(Approval { mode: Some(mode), unattended: None })
        }

        fn visit_map<A: serde::de::MapAccess<'de>>(self, map: A) -> Result<Approval, A::Error> {
            Approval::deserialize(serde::de::value::MapAccessDeserializer::new(map))
        }
    }

    from.deserialize_any(Either)
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Condense {
    share: Option<u32>,
    heading: Option<String>,
    consumption: Option<Consumption>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct MemoryTable {
    root: Option<usize>,
    page: Option<usize>,
    plan: Option<usize>,
    knowledge: Option<usize>,
    notes: Option<Vec<String>>,
    raw: Option<Raw>,
    keep: Option<String>,
}

impl MemoryTable {
    /// Directories with memory notes, each with a slash at its end.
    fn notes(&mut self) -> Result<Vec<String>, BadRules> {
        let dirs = self.notes.take().unwrap_or_default();
        let odd = |dir: &&String| {
            let parts = dir.trim_end_matches('/');
            parts.split('/').any(|part| matches!(part, "" | "." | ".."))
                || format!("{parts}/").starts_with(knowledge::HOME)
        };
        match dirs.iter().find(odd) {
            Some(dir) => {
                let what = format!(
                    "has `{dir}`; name directories below the top of the work tree, such as \
                     .claude/memory/; {} has rules of its own",
                    knowledge::HOME
                );
                BadRules::key("memory.notes", what)
            }
            None => Ok(dirs.iter().map(|dir| format!("{}/", dir.trim_end_matches('/'))).collect()),
        }
    }

    /// How much raw memory of closed jobs a prune leaves.
    fn keep(&self) -> Result<Keep, BadRules> {
        let text = self.keep.as_deref().unwrap_or_default();
        match text.parse() {
            Ok(keep) => Ok(keep),
            Err(bad) => BadRules::key("memory.keep", format!("is `{text}`; {bad}")),
        }
    }

    fn budgets(&self) -> Budgets {
        let words = |key: Option<usize>| key.unwrap_or_default();
        let Self { root, page, plan, knowledge, .. } = *self;
        Budgets {
            root: words(root),
            page: words(page),
            plan: words(plan),
            knowledge: words(knowledge),
        }
    }
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct CompactionTable {
    words: Option<usize>,
    soft: Option<u64>,
    read: Option<u64>,
    edit: Option<u64>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct SummaryTable {
    tokens: Option<usize>,
}

impl SummaryTable {
    fn read(&self) -> Result<usize, BadRules> {
        match self.tokens.unwrap_or_default() {
            0 => Ok(usize::MAX),
            tokens @ 200..=100_000 => Ok(tokens),
            tokens => BadRules::key(
                "summary.tokens",
                format!("is {tokens}; it must be 0 or lie between 200 and 100000"),
            ),
        }
    }
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct ClaimsTable {
    mode: Option<ClaimMode>,
    push: Option<Pushing>,
}

/// What a push by an agent meets where a commit in it carries no passing ruling.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pushing {
    /// A line that says so.
    #[default]
    Warn,
    /// A no.
    Refuse,
}

/// What the blocking hooks around claims do where no ruling stands behind an act.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClaimMode {
    /// They are silent.
    Off,
    /// They rule by themselves, from the difference and receipts: on commits, pushes and acts that
    /// reach outside, on the question whether a job is complete, on the last words of a turn.
    #[default]
    Judge,
    /// The agent is told once per session and kind, and the act goes on.
    Advise,
    /// The act waits.
    Enforce,
}

/// How long a compaction file may be, and what a full context closes.
#[derive(Clone, Copy, Debug)]
pub struct Compaction {
    /// The most words of a file.
    pub words: usize,
    pub tiers: Tiers,
}

impl CompactionTable {
    fn read(self) -> Result<Compaction, BadRules> {
        let words = self.words.unwrap_or_default();
        if !(200..=20_000).contains(&words) {
            return BadRules::key(
                "compaction.words",
                format!("is {words}; it must lie between 200 and 20000"),
            );
        }
        let (soft, read, edit) = (
            self.soft.unwrap_or_default(),
            self.read.unwrap_or_default(),
            self.edit.unwrap_or_default(),
        );
        let tiers = Tiers { soft, read, edit };
        let late = |key, value, after: &str| {
            BadRules::key(key, format!("is {value}; it must not be smaller than {after}"))
        };
        match tiers {
            _ if soft == 0 => late("compaction.soft", soft, "1"),
            _ if read < soft => late("compaction.read", read, "compaction.soft"),
            _ if edit < read => late("compaction.edit", edit, "compaction.read"),
            _ => Ok(Compaction { words, tiers }),
        }
    }
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Gmode {
    prep: Option<PrepWord>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum PrepWord {
    Always(bool),
    Word(String),
}

/// Whether the side lane is prepared before it is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prep {
    Always(bool),
    /// Where the pacing asks for it.
    Auto,
}

impl PrepWord {
    fn read(self) -> Result<Prep, BadRules> {
        match self {
            Self::Always(always) => Ok(Prep::Always(always)),
            Self::Word(word) if word == "auto" => Ok(Prep::Auto),
            Self::Word(word) => Err(BadRules::Prep(word)),
        }
    }
}

impl RulesTable {
    fn shipped() -> Result<Self, toml::de::Error> {
        shipped::read(shipped::shipped!("rules"))
    }

    /// The shipped table with `applied` on top.
    fn with(applied: &str) -> Result<Self, BadRules> {
        // Read on its own first: what is wrong is then said with its place in the text.
        let own = toml::from_str::<Self>(applied)?;
        if matches!(own.track, Some(TrackKey::Usual)) && own.tracks.default.is_some() {
            return BadRules::key("track", "is the older name of `tracks.default`; keep that one");
        }
        Ok(Self::deserialize(Self::merged(applied)?).map_err(toml::de::Error::custom)?)
    }

    /// The same as a value.
    fn merged(applied: &str) -> Result<Value, toml::de::Error> {
        let mut table: Value = shipped::read(shipped::shipped!("rules"))?;
        lay(&mut table, toml::from_str(applied)?);
        if let Some(track) = table.get("track").filter(|track| track.is_string()).cloned() {
            table["tracks"]["default"] = track;
            table.as_object_mut().and_then(|keys| keys.shift_remove("track"));
        }
        if let Some(mode) = table.get_mut("approval").filter(|it| it.is_string()).map(Value::take) {
            let shipped: Value = shipped::read(shipped::shipped!("rules"))?;
            table["approval"] = shipped["approval"].clone();
            table["approval"]["mode"] = mode;
        }
        Ok(table)
    }
}

/// Replaces what `over` has in `under`, table by table and key by key.
fn lay(under: &mut Value, over: Value) {
    match (under, over) {
        (Value::Object(under), Value::Object(over)) => {
            for (key, value) in over {
                lay(under.entry(key).or_insert(Value::Null), value);
            }
        }
        (under, over) => *under = over,
    }
}

/// The leaves of a table, each with the way to it; rows go by their names.
fn flat(table: &Value) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (key, value) in table.as_object().into_iter().flatten() {
        match value {
            Value::Object(maps) if key == "maps" => {
                for (track, map) in maps {
                    flat_map(track, map, &mut found);
                }
            }
            Value::Object(_) => {
                found.extend(
                    flat(value).into_iter().map(|(below, value)| (format!("{key}.{below}"), value)),
                );
            }
            leaf => found.push((key.clone(), leaf.to_string())),
        }
    }
    found
}

fn flat_map(track: &str, map: &Value, found: &mut Vec<(String, String)>) {
    found.push((format!("{track}: start"), map["start"].to_string()));
    for (key, value) in map["lane"].as_object().into_iter().flatten() {
        found.push((format!("{track}: lane: {key}"), value.to_string()));
    }
    if let Some(paths) = map.get("paths") {
        found.push((format!("{track}: paths"), paths.to_string()));
    }
    let rows = map["phase"].as_array().map_or(&[][..], Vec::as_slice);
    let names: Vec<&str> = rows.iter().filter_map(|row| row["name"].as_str()).collect();
    found.push((format!("{track}: phases"), names.join(" ")));
    for (row, name) in rows.iter().zip(names) {
        let keys = row.as_object().into_iter().flatten().filter(|(key, _)| *key != "name");
        found.extend(
            keys.map(|(key, value)| (format!("{track}: phase {name}: {key}"), value.to_string())),
        );
    }
}

/// The rules in force.
#[derive(Clone, Debug)]
pub struct Rules {
    /// How much git seed does in this clone.
    pub mode: Mode,
    /// In mode fence: the paths that alone may be changed; empty for all.
    pub fence_scope: Vec<String>,
    /// A line `scope: <dir>/` opens the directories below as well.
    pub deep_scope: bool,
    pub maps: Maps,
    /// A job's first step chooses its lane; else it is born on the one that the rules name.
    pub chooses: bool,
    /// How stays are paced.
    pub profile: Profile,
    pub idle: Idle,
    pub pages: Vec<String>,
    /// Protected surfaces: those with a name of their own, then the plain list.
    pub surfaces: Vec<Surface>,
    pub scratch: Vec<String>,
    pub confining: Confining,
    /// Places outside the work tree that stay open to confined code.
    pub caches: Vec<String>,
    /// Places that code which runs for a look may not read; `~` is home.
    pub hides: Vec<String>,
    /// Variables that it starts without; `*` stands for any letters.
    pub drops: Vec<String>,
    pub subject: String,
    pub landing: Landing,
    pub signing: Signing,
    /// Lines at the end of each commit that git seed makes for the person.
    pub(crate) trailers: Vec<String>,
    pub approving: Approving,
    pub unattended: Unattended,
    /// Jobs of the agent's own that are worked on in a row where nobody is asked.
    pub own_at_night: u32,
    /// Refs whose files of memory are put before the agent, [`DEFAULT_BRANCH`] among them.
    pub trusted_refs: Vec<String>,
    /// Percent of the footer words that must go.
    pub share: u32,
    /// Words that files of memory may have.
    pub budgets: Budgets,
    pub compaction: Compaction,
    /// Tokens of prompts and answers from which on they are to be summed up.
    pub summary: usize,
    /// What the blocking hooks around claims do.
    pub claims: ClaimMode,
    /// What a push of unproven commits meets.
    pub pushing: Pushing,
    /// What they add to the runs of tests that are known.
    more_runs: Vec<RunRow>,
    runs: OnceLock<Runs>,
    /// The title for what no title of a page speaks of.
    pub heading: String,
    /// The rows that were laid over the shipped maps; `maps` has them in place.
    pub rows: Vec<PhaseRow>,
    pub prep: Prep,
    pub consumption: Consumption,
    /// Directories of the work tree with memory notes.
    pub notes: Vec<String>,
    /// Where session logs, compaction files and ledgers lie.
    pub raw: Raw,
    /// How much of them a prune leaves.
    pub keep: Keep,
    pub prompts: Prompts,
    /// `git seed sync` takes prompts and answers along.
    pub syncs_prompts: bool,
    /// How much what leaves the clone says of when and how often.
    pub detail: Detail,
    /// Kinds of secrets, and paths of memory, that a boundary does not stop.
    pub(crate) allow: Vec<String>,
    /// Commands for what changes. [`crate::engine::claims::checkers::commands`] gives them where
    /// they may run.
    pub commands: Commands,
    /// What the rules add to the shipped companions.
    more: Companions,
    /// What they say of MCP servers, before the shipped rows.
    servers: Vec<ServerRow>,
    /// What they add to the shipped kinds of notes.
    more_kinds: Vec<NoteKind>,
    kinds: OnceLock<Kinds>,
    companions: OnceLock<Companions>,
}

/// Rules that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BadRules {
    #[error("the rules do not read: {0}")]
    Toml(#[from] toml::de::Error),
    #[error("`{key}` {what}")]
    Key { key: &'static str, what: String },
    #[error("`gmode.prep` is `{0}`; it is true, false or \"auto\"")]
    Prep(String),
    #[error("surface `{name}`: {what}")]
    Surface { name: String, what: &'static str },
    #[error("phase `{phase}` admits question `{question}`; known questions: {known}",
        known = questions::names())]
    Question { phase: PhaseName, question: String },
    #[error(transparent)]
    Companion(#[from] BadCompanion),
    #[error(transparent)]
    Server(#[from] BadServer),
    #[error(transparent)]
    Command(#[from] BadCommand),
    #[error("`run`: {0}")]
    Runs(String),
    #[error(transparent)]
    Note(#[from] BadKind),
    #[error(transparent)]
    Map(#[from] BadMap),
}

impl BadRules {
    fn key<T>(key: &'static str, what: impl Into<String>) -> Result<T, Self> {
        Err(Self::Key { key, what: what.into() })
    }

    /// The line of `text` where the fault lies, as far as one line is to blame.
    pub(crate) fn line_in(&self, text: &str) -> Option<usize> {
        let at = match self {
            Self::Toml(error) => error.span()?.start,
            Self::Key { key, .. } => place(text, &key.split('.').collect::<Vec<_>>())?,
            Self::Map(BadMap::Track { .. }) => {
                place(text, &["tracks", "default"]).or_else(|| place(text, &["track"]))?
            }
            Self::Map(BadMap::Row { of, phase, key, .. }) => {
                own_tracks::row_place(text, of.as_deref(), phase.as_str(), key.as_deref())?
            }
            Self::Map(BadMap::OwnTrack { track, key, .. }) => {
                own_tracks::place(text, track, Some(key))?
            }
            Self::Map(BadMap::Endless { track }) => own_tracks::place(text, track, None)?,
            Self::Prep(_) => place(text, &["gmode", "prep"])?,
            Self::Runs(_) => nth_row(text, "run", 1)?,
            Self::Surface { name, .. } => text.find(name.as_str())?,
            Self::Question { phase, .. } => {
                own_tracks::row_place(text, None, phase.as_str(), Some("questions"))?
            }
            Self::Companion(
                BadCompanion::Empty { table, row, .. } | BadCompanion::Name { table, row, .. },
            )
            | Self::Command(BadCommand { table, row, .. }) => nth_row(text, table, *row)?,
            Self::Server(BadServer::Empty { row } | BadServer::Both { row, .. }) => {
                nth_row(text, "mcp", *row)?
            }
            Self::Note(bad) => nth_row(text, "note", bad.row())?,
            Self::Map(_) => return None,
        };
        Some(1 + text.get(..at)?.matches('\n').count())
    }

    /// The fault in one line, as compilers say it: `file:line: what`.
    pub(crate) fn told(&self, file: &str, text: &str) -> String {
        let what = match self {
            Self::Toml(error) => error.message().to_owned(),
            other => other.to_string(),
        };
        match self.line_in(text) {
            Some(line) => format!("{file}:{line}: {what}"),
            None => format!("{file}: {what}"),
        }
    }
}

/// Where the key at the end of `path` stands in `text`.
fn place(text: &str, path: &[&str]) -> Option<usize> {
    let table = DeTable::parse(text).ok()?;
    let mut table = table.get_ref();
    let (last, above) = path.split_last()?;
    for step in above {
        table = match value(table, step)?.get_ref() {
            DeValue::Table(table) => table,
            _ => return None,
        };
    }
    key_place(table, last)
}

/// Where the `n`th row of `[[name]]` stands in `text`, counted from 1.
/// Takes the rows of `[[key]]` out of a table.
fn rows_in(table: &mut toml::Table, key: &str) -> Vec<toml::Value> {
    match table.remove(key) {
        Some(toml::Value::Array(rows)) => rows,
        _ => Vec::new(),
    }
}

/// Rows for more runs of tests, as they hold over the shipped ones.
fn with_runs(rows: Vec<RunRow>) -> Result<Vec<RunRow>, BadRules> {
    if !rows.is_empty() {
        let runs = Runs::shipped().with(rows.clone());
        runs.map_err(|bad| BadRules::Runs(bad.to_string()))?;
    }
    Ok(rows)
}

/// Checks rows of kinds against the shipped ones, which are only read where there are any.
fn with_kinds(more: Vec<NoteKind>) -> Result<Vec<NoteKind>, BadRules> {
    if !more.is_empty() {
        Kinds::shipped()?.and(&more)?;
    }
    Ok(more)
}

fn nth_row(text: &str, name: &str, n: usize) -> Option<usize> {
    let table = DeTable::parse(text).ok()?;
    let DeValue::Array(rows) = value(table.get_ref(), name)?.get_ref() else { return None };
    rows.get(n.checked_sub(1)?).map(|row| row.span().start)
}

fn value<'a, 'i>(table: &'a DeTable<'i>, key: &str) -> Option<&'a Spanned<DeValue<'i>>> {
    table.iter().find(|(name, _)| name.get_ref() == key).map(|(_, value)| value)
}

fn key_place(table: &DeTable<'_>, key: &str) -> Option<usize> {
    table.keys().find(|name| name.get_ref() == key).map(|name| name.span().start)
}

fn page_names(pages: Vec<String>) -> Result<Vec<String>, BadRules> {
    if pages.is_empty() || pages.iter().any(|page| page.is_empty() || page.contains(['/', '\\'])) {
        let what = "names no file; give at least one file name such as CLAUDE.md, without a folder";
        return BadRules::key("pages", what);
    }
    Ok(pages)
}

/// What the subject of a commit looks like, with `{subject}` in it.
fn subject(pattern: String) -> Result<String, BadRules> {
    if !pattern.contains("{subject}") || pattern.contains('\n') {
        let what = format!("is `{pattern}`; it must hold {{subject}} and be one line");
        return BadRules::key("commit.subject", what);
    }
    Ok(pattern)
}

/// Trailers that a person wants on their commits: each one line, and none of git seed's own.
fn trailers(rows: Vec<String>) -> Result<Vec<String>, BadRules> {
    let odd = |row: &&String| {
        let (key, value) = row.split_once(": ").unwrap_or((row, ""));
        let token = key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        let ours = key.get(..5).is_some_and(|head| head.eq_ignore_ascii_case("seed-"));
        let alone = value.is_empty() && !key.eq_ignore_ascii_case(SIGNED_OFF);
        key.is_empty() || !token || ours || alone || row.contains(['\n', '\r'])
    };
    match rows.iter().find(odd) {
        Some(row) => {
            let what = format!(
                "has `{row}`; write a trailer, such as `Co-authored-by: Ada <ada@example.org>`, or \
                 `Signed-off-by` alone for whoever commits"
            );
            BadRules::key("commit.trailers", what)
        }
        None => Ok(rows),
    }
}

impl Condense {
    /// The share that is kept, in per cent, and the heading that knowledge is told below.
    fn read(&mut self) -> Result<(u32, String), BadRules> {
        let (share, heading) =
            (self.share.unwrap_or_default(), self.heading.take().unwrap_or_default());
        if !(60..=90).contains(&share) {
            let what = format!("is {share}; it must lie between 60 and 90");
            return BadRules::key("condense.share", what);
        }
        if heading.trim().is_empty() || heading.contains(['\n', '\r', '#']) {
            return BadRules::key(
                "condense.heading",
                "is one line of words, without `#`".to_owned(),
            );
        }
        Ok((share, heading))
    }
}

/// A rule that differs between two tables of rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    /// Such as `commit.subject`, or `opevc: phase observe: next`.
    pub key: String,
    /// What it was; nothing for one that is new.
    pub was: Option<String>,
    /// What it is; nothing for one that is gone.
    pub now: Option<String>,
}

impl Rules {
    /// The shipped rules.
    ///
    /// # Errors
    ///
    /// Says what is wrong with them; a test reads them.
    pub fn shipped() -> Result<Self, BadRules> {
        Self::checked(RulesTable::shipped()?)
    }

    /// The shipped rules with those of `applied` on top.
    ///
    /// # Errors
    ///
    /// [`BadRules`] where `applied` is no TOML of that shape, or a value or a row of it is wrong.
    pub fn with(applied: &str) -> Result<Self, BadRules> {
        Self::checked(RulesTable::with(applied)?)
    }

    /// The rules of `applied` with those of one job on top, which may only tighten them.
    pub(crate) fn for_job(applied: Option<&str>, own: &str) -> Result<Self, BadRules> {
        let rows = toml::from_str::<RulesTable>(own)?.phase;
        let table: toml::Table = own.parse()?;
        if let Some(key) = OF_ALL.iter().find(|key| table.contains_key(**key)) {
            return BadRules::key(
                key,
                "is for the whole repository to say; a job's rules hold [[phase]] and [[note]] \
                 rows",
            );
        }
        tighten::says_itself(&rows)?;
        let without = applied.map_or_else(Self::shipped, Self::with)?;
        let rules = Self::with(&Self::job_text(applied, own)?)?;
        rules.maps.only_tighten(&without.maps, &rows)?;
        Ok(rules)
    }

    /// The text of both, as one table of rules.
    pub(crate) fn job_text(applied: Option<&str>, own: &str) -> Result<String, BadRules> {
        let mut all: toml::Table = applied.unwrap_or_default().parse()?;
        let mut own: toml::Table = own.parse()?;
        let home = applied.map_or_else(|| Ok(RulesTable::shipped()?), RulesTable::with)?;
        let home = home.tracks.home().0.to_owned();
        let named = |row: &toml::Value| {
            let text = |key: &str| row.get(key).and_then(toml::Value::as_str).map(str::to_owned);
            (text("name"), text("track").unwrap_or_else(|| home.clone()))
        };
        let mut take = |key: &str| match own.remove(key) {
            Some(toml::Value::Array(rows)) => rows,
            _ => Vec::new(),
        };
        let (phases, mut notes) = (take("phase"), take("note"));
        let mut rows = rows_in(&mut all, "phase");
        for row in phases {
            let known = rows.iter_mut().find(|known| named(known) == named(&row));
            match (known.and_then(toml::Value::as_table_mut), row) {
                (Some(known), toml::Value::Table(row)) => known.extend(row),
                (_, row) => rows.push(row),
            }
        }
        // A job's own first: a fault is then said with its own line.
        notes.extend(rows_in(&mut all, "note"));
        for (key, rows) in [("phase", rows), ("note", notes)] {
            if !rows.is_empty() {
                all.insert(key.to_owned(), toml::Value::Array(rows));
            }
        }
        toml::to_string(&all).map_err(|error| BadRules::Toml(toml::de::Error::custom(error)))
    }

    fn checked(mut table: RulesTable) -> Result<Self, BadRules> {
        let (track, chooses) = table.tracks.home();
        table.lane.check()?;
        let shut = surfaces(table.surface.unwrap_or_default(), table.surfaces.unwrap_or_default())?;
        let (share, heading) = table.condense.read()?;
        let pacing = table.pacing.read();
        let own = table.track.take().map(TrackKey::rows).unwrap_or_default();
        let profile = pacing.profile;
        let maps = own_tracks::maps(track, own, &table.phase, (table.lane, pacing))?;
        Ok(Self {
            mode: table.mode.default.unwrap_or_default(),
            fence_scope: table.fence.scope()?,
            deep_scope: table.scope.deep.unwrap_or(false),
            profile,
            maps,
            chooses,
            idle: table.idle.unwrap_or(Idle::Open),
            pages: page_names(table.pages.unwrap_or_default())?,
            surfaces: shut,
            scratch: table.scratch.unwrap_or_default(),
            confining: table.shell.confine.unwrap_or(Confining::Auto),
            caches: places("shell.caches", table.shell.caches.unwrap_or_default())?,
            hides: places("shell.hides", table.shell.hides.unwrap_or_default())?,
            drops: table.shell.drops.unwrap_or_default(),
            subject: subject(table.commit.subject.unwrap_or_default())?,
            landing: table.commit.land.unwrap_or_default(),
            signing: table.commit.sign.unwrap_or_default(),
            trailers: trailers(table.commit.trailers.unwrap_or_default())?,
            approving: table.approval.mode.unwrap_or(Approving::Ask),
            unattended: table.approval.unattended.unwrap_or(Unattended::Refuse),
            own_at_night: table.nights.own.unwrap_or(OWN_AT_NIGHT),
            trusted_refs: table.trust.refs.unwrap_or_else(|| vec![DEFAULT_BRANCH.to_owned()]),
            share,
            budgets: table.memory.budgets(),
            compaction: table.compaction.read()?,
            summary: table.summary.read()?,
            claims: table.claims.mode.unwrap_or_default(),
            pushing: table.claims.push.unwrap_or_default(),
            more_runs: with_runs(table.run)?,
            runs: OnceLock::new(),
            heading,
            prep: table.gmode.prep.map_or(Ok(Prep::Auto), PrepWord::read)?,
            rows: table.phase,
            consumption: table.condense.consumption.unwrap_or(Consumption::Auto),
            raw: table.memory.raw.unwrap_or_default(),
            keep: table.memory.keep()?,
            notes: table.memory.notes()?,
            prompts: table.privacy.prompts.unwrap_or_default(),
            allow: table.privacy.allow,
            syncs_prompts: table.sync.prompts.unwrap_or(false),
            detail: table.sync.detail.unwrap_or_default(),
            commands: Commands::new(table.check, table.tests)?,
            more: Companions::new(table.companion, table.build, table.cache)?,
            companions: OnceLock::new(),
            servers: mcp::checked(table.mcp)?,
            kinds: OnceLock::new(),
            more_kinds: with_kinds(table.note)?,
        })
    }

    /// All rules and all maps as one value, with those of `applied` on top.
    pub(crate) fn in_force(applied: Option<&str>) -> Result<Value, BadRules> {
        let rules = applied.map_or_else(Self::shipped, Self::with)?;
        let mut table = RulesTable::merged(applied.unwrap_or_default())?;
        if let Some(keys) = table.as_object_mut() {
            keys.shift_remove("phase");
            keys.shift_remove("track");
        }
        table["maps"] = rules.maps.tables(&rules.rows)?;
        Ok(table)
    }

    /// What `proposed` would change where `applied` is in force.
    pub(crate) fn changes(applied: Option<&str>, proposed: &str) -> Result<Vec<Change>, BadRules> {
        let flat = |applied| Ok::<_, BadRules>(flat(&Self::in_force(applied)?));
        // Rules in force that do not hold any more differ in everything.
        let (was, now) = (flat(applied).unwrap_or_default(), flat(Some(proposed))?);
        let of = |list: &[(String, String)], key: &str| {
            list.iter().find(|(known, _)| known == key).map(|(_, value)| value.clone())
        };
        let mut keys: Vec<&String> = now.iter().chain(&was).map(|(key, _)| key).collect();
        let mut seen = std::collections::BTreeSet::new();
        keys.retain(|key| seen.insert(*key));
        let changes = keys.into_iter().map(|key| Change {
            key: key.clone(),
            was: of(&was, key),
            now: of(&now, key),
        });
        Ok(changes.filter(|change| change.was != change.now).collect())
    }

    /// Companions and build directories: the shipped rows, and those of the rules behind.
    ///
    /// Read when they are first asked for: few calls touch such a file.
    pub(crate) fn companions(&self) -> &Companions {
        self.companions.get_or_init(|| {
            // A test reads it; a binary in which it does not read was never tested.
            let shipped =
                Companions::shipped().unwrap_or_else(|bad| unreachable!("companions.toml: {bad}"));
            shipped.and(&self.more)
        })
    }

    /// What the name of a tool of an MCP server says of a call.
    pub(crate) fn tool_of(&self, server: &str, tool: &str) -> mcp::Tool {
        mcp::shipped().judge(&self.servers, server, tool)
    }

    /// What a call of an MCP server does beyond this machine, where its name says that.
    pub(crate) fn leaves(&self, server: &str, tool: &str) -> Option<&'static mcp::Outward> {
        mcp::shipped().outward(&self.servers, server, tool)
    }

    /// What a call of an MCP server names that it may change on this machine.
    pub(crate) fn touches(&self, call: &ToolCall) -> mcp::Touches {
        let Act::Foreign { server, named, .. } = &call.act else { return mcp::Touches::default() };
        mcp::shipped().touches(&self.servers, (server, &call.tool), named)
    }

    /// The same of a whole call, with its words for others.
    pub(crate) fn outward(&self, call: &ToolCall) -> Option<mcp::Leaving> {
        let Act::Foreign { server, said, .. } = &call.act else { return None };
        let row = self.leaves(server, &call.tool)?;
        Some(mcp::shipped().leaving(row, (server, &call.tool), said))
    }

    /// Whether rows of the rules' own know runs of tests.
    pub(crate) fn has_own_runs(&self) -> bool {
        !self.more_runs.is_empty()
    }

    /// The runs of tests that are known.
    pub(crate) fn runs(&self) -> &Runs {
        self.runs.get_or_init(|| {
            // The rows were laid over the shipped ones when the rules were read.
            let runs = Runs::shipped().with(self.more_runs.clone());
            runs.unwrap_or_else(|bad| unreachable!("{bad}"))
        })
    }

    /// The kinds of notes in force.
    pub(crate) fn kinds(&self) -> &Kinds {
        self.kinds.get_or_init(|| {
            // A test reads the shipped rows, and the others were checked when they were read.
            let shipped = Kinds::shipped().unwrap_or_else(|bad| unreachable!("notes.toml: {bad}"));
            shipped
                .and(&self.more_kinds)
                .unwrap_or_else(|bad| unreachable!("checked before: {bad}"))
        })
    }

    /// How a job takes its first step of which its person `said` this: their word comes first, then
    /// what holds of every job.
    pub fn first_step(&self, said: SaidLane) -> FirstStep {
        match said {
            SaidLane::Quick => FirstStep::Small,
            SaidLane::Unsaid if self.chooses => FirstStep::Either,
            SaidLane::Unsaid if self.begins_small() => FirstStep::Small,
            SaidLane::Full | SaidLane::Unsaid => FirstStep::Whole,
        }
    }

    /// Jobs are born on the shipped small lane; a track of the repository's own, bounded or not,
    /// begins where its cycles do.
    pub(crate) fn begins_small(&self) -> bool {
        self.maps.home().lane.is_some() && !self.maps.is_own(self.maps.home_name())
    }

    /// True where the side lane is prepared before it is asked for.
    pub fn asks_prep(&self) -> bool {
        match self.prep {
            Prep::Always(always) => always,
            Prep::Auto => self.profile == Profile::Rhythm,
        }
    }

    /// The shipped table, with its comments.
    pub(crate) fn shipped_text() -> &'static str {
        SHIPPED
    }

    /// The file name of new pages.
    pub(crate) fn page_name(&self) -> &str {
        self.pages.first().map_or("CLAUDE.md", String::as_str)
    }
}

impl LaneRows {
    /// A lane that takes nothing would take no job.
    fn check(self) -> Result<(), BadRules> {
        let Self { files, lines, directories, question } = self;
        let keys = [
            ("lane.files", files),
            ("lane.lines", lines),
            ("lane.directories", directories),
            ("lane.question", question),
        ];
        match keys.into_iter().find(|(_, value)| *value == Some(0)) {
            Some((key, _)) => BadRules::key(key, "is 0; it must be 1 or more"),
            None => Ok(()),
        }
    }
}

/// The surfaces of the rules, checked, and behind them the one that the plain list makes.
fn surfaces(mut named: Vec<Surface>, plain: Vec<String>) -> Result<Vec<Surface>, BadRules> {
    named.push(Surface { name: SETTINGS.to_owned(), paths: plain, tests: Vec::new(), check: None });
    for (n, surface) in named.iter().enumerate() {
        let bad = |what: &'static str| Err(BadRules::Surface { name: surface.name.clone(), what });
        let name = surface.name.as_str();
        if name.is_empty() || name.trim() != name || name.contains(char::is_control) {
            return bad("its name is one line of words, as the person reads it in an answer");
        }
        if named[..n].iter().any(|earlier| earlier.name == name) {
            return bad("the name is taken; `settings` is the plain list `surfaces`");
        }
        if surface.paths.is_empty() && name != SETTINGS {
            return bad("`paths` names no path; give at least one, folders with a trailing slash");
        }
        let odd = |path: &String| {
            path.starts_with(['/', '\\'])
                || path.trim_end_matches('/').split('/').any(|part| matches!(part, "" | "." | ".."))
        };
        if name != SETTINGS && surface.paths.iter().chain(&surface.tests).any(odd) {
            return bad(
                "paths are relative to the top of the work tree, such as hooks/ or scripts/run.sh",
            );
        }
        if surface.check.as_ref().is_some_and(|check| check.trim().is_empty()) {
            return bad("`check` is empty; leave it out where nothing is to be run");
        }
    }
    Ok(named)
}

/// A cache, or what is hidden, is a place of its own: the root, or a whole home, would be all.
fn places(key: &'static str, places: Vec<String>) -> Result<Vec<String>, BadRules> {
    let is_place = |place: &String| {
        let below =
            place.strip_prefix("~/").or_else(|| place.strip_prefix('/')).unwrap_or_default();
        !below.trim_matches('/').is_empty() && !below.split('/').any(|part| part == "..")
    };
    match places.iter().find(|place| !is_place(place)) {
        Some(place) => BadRules::key(
            key,
            format!("has `{place}`; name a place below `~/` or `/`, without `..`"),
        ),
        None => Ok(places),
    }
}

/// Phases name questions that there are. Here, because phases and jobs do not know each other.
fn questions_are_known(map: &Map) -> Result<(), BadRules> {
    for phase in map.phases() {
        if let Some(question) = phase.questions.iter().find(|word| !questions::is_known(word)) {
            return Err(BadRules::Question {
                phase: phase.name.clone(),
                question: question.clone(),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A phase that looks once more before condense.
    const REVIEW: &str = include_str!("../fixtures/job-rules.toml");

    #[test]
    fn a_person_outweighs_the_rules_on_how_a_job_begins() {
        use FirstStep::{Either, Small, Whole};
        use SaidLane::{Full, Quick, Unsaid};
        let table = |text: &str| format!("[tracks]\ndefault = \"{text}\"\n");
        for (text, unsaid) in [
            (String::new(), Either),
            (table("auto"), Either),
            (table("opevc"), Whole),
            (table("quick"), Small),
            // The older name of the key.
            ("track = \"opevc\"\n".to_owned(), Whole),
            ("track = \"quick\"\n".to_owned(), Small),
        ] {
            let rules = Rules::with(&text).expect("they hold");
            let first = [Unsaid, Quick, Full].map(|said| rules.first_step(said));
            assert_eq!(first, [unsaid, Small, Whole], "{text}");
        }
        let both = format!("track = \"quick\"\n{}", table("auto"));
        let bad = Rules::with(&both).expect_err("they say it twice").told("seed.toml", &both);
        assert_eq!(
            bad,
            "seed.toml:1: `track` is the older name of `tracks.default`; keep that one"
        );
        let bad = Rules::with("[lane]\nfiles = 0\n").expect_err("no job would fit");
        assert_eq!(bad.to_string(), "`lane.files` is 0; it must be 1 or more");
    }

    /// A phase that is like another would bring what that one may do.
    #[test]
    fn rules_of_a_job_make_no_phase_like_another() {
        let docs = include_str!("../fixtures/tracks/docs.toml");
        let row = |name: &str, like: &str, more: &str| {
            format!("[[phase]]\ntrack = \"docs\"\nname = \"{name}\"\nlike = \"{like}\"\n{more}")
        };
        for own in [
            row("more", "execute", "next = [\"settle\"]\nback = [\"look\"]\n"),
            row("more", "observe", "next = [\"write\"]\nback = []\n"),
            row("look", "execute", ""),
            row("write", "execute", "words = 9\n"),
        ] {
            let bad = Rules::for_job(Some(docs), &own).expect_err(&own).to_string();
            assert!(bad.contains("`like`"), "{own}: {bad}");
        }
        let more = "[[phase]]\ntrack = \"docs\"\nname = \"write\"\nwords = 9\n";
        assert!(Rules::for_job(Some(docs), more).is_ok());
    }

    #[test]
    fn memory_is_worked_through_under_any_name() {
        let docs = Rules::with(include_str!("../fixtures/tracks/docs.toml")).expect("they hold");
        let shipped = Rules::shipped().expect("they hold");
        for (phase, here, as_shipped) in
            [("settle", true, false), ("condense", true, true), ("write", false, false)]
        {
            let said = (docs.maps.settles(phase), shipped.maps.settles(phase));
            assert_eq!(said, (here, as_shipped), "{phase}");
        }
    }

    #[test]
    fn rules_of_a_job_are_laid_over_those_of_the_repository() {
        let applied = "[condense]\nshare = 70\n[[phase]]\nname = \"verify\"\nwords = 40\n";
        let rules = Rules::for_job(Some(applied), REVIEW).expect("they only tighten");
        let map = rules.maps.get("opevc");
        let verify = map.phase(&"verify".into()).expect("a phase");
        assert_eq!(
            (rules.share, verify.words, verify.next.clone()),
            (70, Some(40), vec!["review".into()])
        );
        assert!(
            map.phase(&"review".into()).is_some_and(|review| review.next == ["condense".into()])
        );
        let note = "[[note]]\nkind = \"LEGAL\"\ncontent = \"x\"\ncrumbs = [\"file\"]\n";
        assert!(Rules::for_job(Some(note), "").is_ok() && Rules::for_job(None, note).is_ok());
        assert!(Rules::for_job(Some(note), note).is_err(), "a kind stands once");
    }

    /// Whatever protects a person is not a job's to change; said with line, row and key.
    #[test]
    fn rules_of_a_job_loosen_nothing() {
        let row = |name: &str, more: &str| format!("[[phase]]\nname = \"{name}\"\n{more}\n");
        let own = |from: &str, to: &str| REVIEW.replace(from, to);
        let cases = [
            (
                "\n[approval]\nunattended = \"count\"\n".to_owned(),
                "2: `approval` is for the whole repository",
            ),
            ("surfaces = []\n".to_owned(), "1: `surfaces` is for the whole"),
            ("track = \"quick\"\n".to_owned(), "1: `track` is for the whole"),
            ("[shell]\nconfine = \"off\"\n".to_owned(), "1: `shell` is for the whole"),
            ("surprise = 1\n".to_owned(), "1: unknown field `surprise`"),
            (
                row("execute", "write = [\"all\"]"),
                "3: phase `execute`, `write`: a job's rules do not say",
            ),
            (
                row("observe", "reads = \"none\""),
                "3: phase `observe`, `reads`: a job's rules do not say",
            ),
            (row("gmode", "work = \"x\""), "phase `gmode`, `name`: a job's rules leave the rooms"),
            (
                row("verify", "exit = [\"clean\"]"),
                "3: phase `verify`, `exit`: `summary` is left out",
            ),
            (row("verify", "return = []"), "3: phase `verify`, `return`: `clean` is left out"),
            (row("plan", "sections = []"), "3: phase `plan`, `sections`: `Plan This Cycle`"),
            (
                row("verify", "criteria = \"Evidence\""),
                "3: phase `verify`, `criteria`: a job's rules",
            ),
            (row("verify", "dial = false"), "3: phase `verify`, `dial`"),
            (
                row("execute", "next = [\"condense\"]"),
                "3: phase `execute`, `next`: this way leads to `condense`",
            ),
            (
                own("next = [\"condense\"]", "next = [\"condense\", \"idle\"]"),
                "phase `verify`, `next`: this way leads to",
            ),
            (
                own("\"shell-read\"", "\"shell-write\""),
                "`review`, `acts`: `shell-write` is open in no phase",
            ),
            (
                own("\"WAITING\"", "\"JOB-COMPLETE\""),
                "`review`, `questions`: `JOB-COMPLETE` is not asked here",
            ),
            (
                own("reads =", "write = [\"memory\"]\nreads ="),
                "`review`, `write`: a phase of a job's own looks",
            ),
            (
                own("reads =", "births = true\nreads ="),
                "`review`, `births`: a phase of a job's own looks",
            ),
            (
                own("return = [\"clean\"]", "return = []"),
                "`review`, `return`: the gate `clean` is wanted",
            ),
        ];
        for (text, says) in cases {
            let bad = Rules::for_job(None, &text).expect_err(&text).told("seed.toml", &text);
            assert!(bad.contains(says), "{text}\nlacks {says}: {bad}");
        }
    }

    #[test]
    fn the_shipped_rules_say_the_same_in_both_forms() {
        let read =
            Rules::checked(toml::from_str(SHIPPED).expect("they read")).expect("they are sound");
        assert_eq!(format!("{read:?}"), format!("{:?}", Rules::shipped().expect("they are sound")));
    }

    #[test]
    fn every_shipped_map_admits_questions_that_there_are() {
        let maps = Rules::shipped().expect("they are sound").maps;
        for name in maps.names() {
            questions_are_known(maps.get(name)).expect(name);
        }
        let table =
            crate::phases::OPEVC.replacen("\"WAITING\", \"GMODE\"", "\"WAITING\", \"G-MODE\"", 1);
        let map = Map::read(&table).expect("phases do not know questions");
        let heard = questions_are_known(&map).err().map(|bad| bad.to_string()).unwrap_or_default();
        assert!(
            heard.starts_with(
                "phase `idle` admits question `G-MODE`; known questions: JOB-COMPLETE, GMODE"
            ),
            "{heard}"
        );
    }

    #[test]
    fn applied_rules_replace_shipped_ones_key_by_key() {
        let rules = Rules::with("idle = \"closed\"\n[approval]\nunattended = \"count\"")
            .expect("they read");
        assert_eq!((rules.idle, rules.unattended), (Idle::Closed, Unattended::Count));
        assert_eq!(rules.approving, Approving::Ask);
        let rules = Rules::with("[approval]\nmode = \"defer\"").expect("they read");
        assert_eq!((rules.approving, rules.unattended), (Approving::Defer, Unattended::Refuse));
        assert_eq!(Rules::with("[nights]\nown = 0").expect("none").own_at_night, 0);
        assert_eq!(rules.own_at_night, OWN_AT_NIGHT);
        let rules = Rules::with("approval = \"defer\"").expect("the mode alone");
        assert_eq!((rules.approving, rules.unattended), (Approving::Defer, Unattended::Refuse));
        assert_eq!((rules.page_name(), rules.share), ("CLAUDE.md", 80));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (table, says) in [
            ("track = \"quicker\"", "track `quicker` is not known"),
            ("idel = \"open\"", "unknown field `idel`"),
            ("idle = \"ajar\"", "unknown variant `ajar`, expected `open` or `closed`"),
            ("[approval]\nmode = \"never\"", "unknown variant `never`, expected `ask` or `defer`"),
            ("[nights]\nowned = 2", "unknown field `owned`, expected `own`"),
            ("approval = \"never\"", "unknown variant `never`, expected `ask` or `defer`"),
            ("pages = []", "names no file"),
            ("pages = [\"a/b.md\"]", "without a folder"),
            ("[commit]\nsubject = \"x\"", "must hold {subject}"),
            ("[condense]\nshare = 95", "between 60 and 90"),
            (
                "[compaction]\nwords = 20",
                "`compaction.words` is 20; it must lie between 200 and 20000",
            ),
            ("[compaction]\nsoft = 0", "`compaction.soft` is 0; it must not be smaller than 1"),
            (
                "[compaction]\nread = 19",
                "`compaction.read` is 19; it must not be smaller than compaction.soft",
            ),
            (
                "[compaction]\nedit = 24",
                "`compaction.edit` is 24; it must not be smaller than compaction.read",
            ),
            (
                "[summary]\ntokens = 7",
                "`summary.tokens` is 7; it must be 0 or lie between 200 and 100000",
            ),
            ("[compaction]\nwrite = 1", "unknown field `write`"),
            ("[condense]\nheading = \"a\\nb\"", "`condense.heading` is one line of words"),
            ("[gmode]\nprep = \"maybe\"", "`gmode.prep` is `maybe`; it is true, false or \"auto\""),
            (
                "[[surface]]\nname = \"settings\"\npaths = [\"a/\"]",
                "surface `settings`: the name is taken",
            ),
            ("[[surface]]\nname = \"hooks\"\npaths = []", "surface `hooks`: `paths` names no path"),
            (
                "[[surface]]\nname = \"hooks\"\npaths = [\"../a\"]",
                "relative to the top of the work tree",
            ),
            ("[[surface]]\nname = \"hooks\"\npaths = [\"a\"]\ncheck = \" \"", "`check` is empty"),
            ("[[surface]]\nname = \" \"\npaths = [\"a\"]", "one line of words"),
            ("[[surface]]\nname = \"x\"\npath = [\"a\"]", "unknown field `path`"),
            ("[[", "do not read"),
        ] {
            let heard = Rules::with(table).err().map(|bad| bad.to_string()).unwrap_or_default();
            assert!(heard.contains(says), "{table}: {heard}");
        }
    }

    /// Rules that add a phase between observe and plan.
    const RESEARCH: &str = r#"
[[phase]]
name = "observe"
next = ["research"]

[[phase]]
name = "research"
kind = "work"
next = ["plan"]
back = ["observe"]
side = "gmode"
anchor = "---Re---"
reads = "all"
acts = ["read", "edit", "seed"]
write = ["page"]
exit = ["page", "message", "clean"]
work = "read on"
"#;

    #[test]
    fn rows_are_laid_over_the_shipped_map_key_by_key() {
        let rules = Rules::with(RESEARCH).expect("they are sound");
        assert_eq!(
            rules.maps.anchors(),
            ["---Ob---", "---Re---", "---Pl---", "---Ex---", "---Ve---"]
        );
        let map = rules.maps.home();
        let row = |name: &str| map.phase(&name.into()).expect("it is there").clone();
        assert_eq!(row("observe").next, ["research".into()]);
        assert_eq!(
            row("observe").anchor.as_deref(),
            Some("---Ob---"),
            "other keys are as they were"
        );
        assert_eq!(row("research").work, "read on");
        assert_eq!(Rules::shipped().expect("sound").maps.anchors().len(), 4);
    }

    #[test]
    fn a_row_stands_behind_those_that_lead_to_it_or_where_it_says() {
        let order = |text: &str| {
            let rules =
                Rules::with(text).unwrap_or_else(|bad| panic!("{}", bad.told("seed.toml", text)));
            let names: Vec<String> =
                rules.maps.home().phases().map(|phase| phase.name.to_string()).collect();
            names[3..].join(" ")
        };
        let work = "kind = \"work\"\nacts = [\"seed\"]\nwork = \"x\"\n";
        let row = |name: &str, next: &str, more: &str| {
            format!("[[phase]]\nname = \"{name}\"\nnext = [\"{next}\"]\n{more}")
        };
        let shipped = "observe plan execute verify condense gmode";
        assert_eq!(order("idle = \"open\""), shipped);
        let cases = [
            (
                row("observe", "a", "") + &row("a", "plan", work),
                "observe a plan execute verify condense gmode",
            ),
            // One that is named before the row that leads to it.
            (
                row("b", "plan", work) + &row("observe", "a", "") + &row("a", "b", work),
                "observe a b plan execute verify condense gmode",
            ),
            (
                row("observe", "a", "") + &row("a", "plan", &format!("after = \"gmode\"\n{work}")),
                "observe plan execute verify condense gmode a",
            ),
            // Between idle and observe: cycles begin there.
            (
                row("idle", "a", "") + &row("a", "observe", work),
                "a observe plan execute verify condense gmode",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(order(&text), expected, "{text}");
        }
        let first = row("idle", "a", "") + &row("a", "observe", work);
        assert_eq!(Rules::with(&first).expect("sound").maps.home().start.as_str(), "a");
    }

    /// What `git seed rules check` says of `text`.
    fn told(text: &str) -> String {
        Rules::with(text).err().map(|bad| bad.told("seed.toml", text)).unwrap_or_default()
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "a table of what can be wrong")]
    fn a_wrong_row_is_named_with_its_line_its_key_and_the_known_names() {
        // Changes RESEARCH, which is sound: what is replaced, by what, and what is said.
        let cases = [
            (
                "name = \"observe\"",
                "name = \"obsreve\"",
                "seed.toml:2: phase `obsreve`: missing field `kind`",
            ),
            ("name = \"observe\"", "name = \"obsreve\"", "(none, talk, idle, observe, plan"),
            ("name = \"observe\"\n", "", "seed.toml:2: missing field `name`"),
            (
                "name = \"observe\"",
                "name = \"research\"",
                "seed.toml:3: phase `research`, `name`: it has two rows",
            ),
            ("name = \"research\"", "name = \"Research\"", "`name`: a name is a small letter"),
            (
                "reads = \"all\"",
                "raeds = \"all\"",
                "seed.toml:13: phase `research`, `raeds`: unknown field `raeds`",
            ),
            ("reads = \"all\"", "raeds = \"all\"", "`track`, `after`"),
            (
                "reads = \"all\"",
                "reads = \"al\"",
                "`reads`: unknown variant `al`, expected one of `none`, `memory`",
            ),
            (
                "reads = \"all\"",
                "dial = 3",
                "seed.toml:13: phase `research`, `dial`: invalid type: integer `3`",
            ),
            (
                "\"read\", ",
                "\"raed\", ",
                "seed.toml:14: phase `research`, `acts`: unknown variant `raed`",
            ),
            ("kind = \"work\"\n", "", "phase `research`: missing field `kind`"),
            (
                "side = \"gmode\"",
                "track = \"quik\"",
                "`track`: track `quik` is not known; known tracks: opevc",
            ),
            (
                "side = \"gmode\"",
                "after = \"obs\"",
                "`after`: `obs` is no phase; known phases: none, talk",
            ),
            ("side = \"gmode\"", "after = \"research\"", "`after`: it would stand behind itself"),
            (
                "side = \"gmode\"",
                "side = \"plan\"",
                "`side`: `plan` is no side lane; the side lane is `gmode`",
            ),
            (
                "side = \"gmode\"",
                "side = \"lane\"",
                "`side`: leads to `lane`, which is no phase; known phases",
            ),
            (
                "---Re---",
                "---re---",
                "seed.toml:12: phase `research`, `anchor`: `---re---` is no anchor",
            ),
            ("---Re---", "---Re--", "is no anchor"),
            ("---Re---", "---R e---", "is no anchor"),
            (
                "---Re---",
                "---Pl---",
                "phase `plan`, `anchor`: `---Pl---` is taken by phase `research`",
            ),
            ("---Re---", "---PL---", "is taken by phase"),
            ("anchor = \"---Re---\"\n", "", "`anchor`: it writes pages below its own anchor"),
            (
                "back = [\"observe\"]",
                "after = \"verify\"",
                "phase `research`, `next`: leads forward to `plan`",
            ),
            (
                "back = [\"observe\"]",
                "after = \"idle\"",
                "phase `observe`, `next`: leads forward to `research`",
            ),
            (
                "[\"plan\"]",
                "[\"plam\"]",
                "seed.toml:9: phase `research`, `next`: leads to `plam`, which is no phase",
            ),
            ("[\"plan\"]", "[\"talk\"]", "`next`: `talk` is no phase that a step leads to"),
            ("[\"plan\"]", "[\"observe\"]", "`next`: has no way on to idle"),
            (
                "[\"research\"]",
                "[\"plan\"]",
                "seed.toml:6: phase `research`: it cannot be reached from idle",
            ),
            (
                "kind = \"work\"",
                "kind = \"consolidation\"",
                "`back`: it consolidates, so no step may lead back",
            ),
            (
                "kind = \"work\"",
                "kind = \"side\"",
                "`next`: a side lane is left to where it was entered",
            ),
            (
                "kind = \"work\"",
                "kind = \"outside\"",
                "`next`: a row outside the cycle has no steps",
            ),
            ("kind = \"work\"", "kind = \"rest\"", "only `idle` rests"),
            (", \"seed\"]", "]", "seed.toml:14: phase `research`, `acts`: lacks `seed`"),
            (
                "work = \"read on\"",
                "work = \" \"",
                "`work`: it must be one line that says what is to be done",
            ),
            (
                "work = \"read on\"",
                "work = \"x\"\nfreezes = true",
                "`freezes`: `research` freezes already",
            ),
            ("[\"page\"]", "[\"page\", \"scope\"]", "`write`: `scope` needs a phase that freezes"),
            ("write = [\"page\"]", "", "`exit`: gate `page` wants a page edit"),
            ("\"clean\"]", "\"klean\"]", "`exit`: wants gate `klean`; known gates: summary, dial"),
            (
                "work = ",
                "return = [\"klean\"]\nwork = ",
                "`return`: wants gate `klean`; known gates: summary, dial",
            ),
            (
                "work = ",
                "sections_to = { idel = [\"x\"] }\nwork = ",
                "`sections_to`: leads to `idel`",
            ),
            (
                "work = ",
                "sections_to = { idle = [\"x\"] }\nwork = ",
                "no step leads from here to `idle`",
            ),
        ];
        for (sound, broken, says) in cases {
            let text = RESEARCH.replacen(sound, broken, 1);
            assert_ne!(text, RESEARCH, "{sound} stands in the text");
            assert!(told(&text).contains(says), "{broken}: {}\nlacks {says}", told(&text));
        }
    }

    #[test]
    fn rows_that_every_map_needs_stay_what_they_are() {
        for (row, says) in [
            ("name = \"gmode\"\nkind = \"work\"", "`gmode`, `kind`: every map needs this row"),
            ("name = \"gmode\"\nback = [\"plan\"]", "`gmode`, `back`: a side lane is left"),
            ("name = \"idle\"\nback = [\"plan\"]", "`idle`, `back`: the cycle is over"),
            ("name = \"idle\"\nanchor = \"---Id---\"", "only phases of the cycle have one"),
            ("name = \"idle\"\nacts = []", "`idle`, `acts`: lacks `seed`"),
            (
                "name = \"execute\"\nfreezes = false",
                "phase `execute`, `write`: `scope` needs a phase that freezes",
            ),
            ("name = \"condense\"\nback = [\"plan\"]", "`condense`, `back`: it consolidates"),
            (
                "name = \"observe\"\nexit = [\"decision\"]",
                "gate `decision` wants a phase with `decides",
            ),
            (
                "name = \"plan\"\nexit = [\"document\"]",
                "gate `document` wants a phase with `plan-new`",
            ),
            ("name = \"observe\"\nwords = 2001", "`words`: no message is asked to be longer"),
        ] {
            let text = format!("[[phase]]\n{row}\n");
            assert!(told(&text).contains(says), "{row}: {}", told(&text));
        }
    }

    #[test]
    fn each_fault_has_its_line() {
        for (text, says) in [
            ("\n\ntrack = \"quicker\"", "seed.toml:3: track `quicker` is not known"),
            ("idle = \"open\"\nidel = 1", "seed.toml:2: unknown field `idel`"),
            (
                "idle = \"open\"\n\n[commit]\nsubject = \"x\"",
                "seed.toml:4: `commit.subject` is `x`",
            ),
            ("[condense]\n# mild\nshare = 95", "seed.toml:3: `condense.share` is 95"),
            ("\npages = []", "seed.toml:2: `pages` names no file"),
            ("idle = \"open\"\n[[", "seed.toml:2: "),
        ] {
            assert!(told(text).starts_with(says), "{text}: {}", told(text));
            assert!(!told(text).contains('\n'), "one line: {}", told(text));
        }
    }

    #[test]
    fn changes_are_told_by_key() {
        let changes = Rules::changes(None, RESEARCH).expect("sound");
        let next = changes
            .iter()
            .find(|change| change.key == "opevc: phase observe: next")
            .expect("it changed");
        assert_eq!(
            (next.was.as_deref(), next.now.as_deref()),
            (Some("[\"plan\"]"), Some("[\"research\"]"))
        );
        assert!(
            changes
                .iter()
                .any(|change| change.key == "opevc: phase research: kind" && change.was.is_none())
        );
        assert_eq!(Rules::changes(Some(RESEARCH), RESEARCH).expect("sound"), []);
        let back = Rules::changes(Some(RESEARCH), "[condense]\nshare = 70").expect("sound");
        assert!(
            back.iter()
                .any(|change| change.key == "opevc: phase research: kind" && change.now.is_none())
        );
        assert!(
            back.iter().any(|change| change.key == "condense.share"
                && change.now.as_deref() == Some("70"))
        );
    }
}
