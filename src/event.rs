//! What a host tells us, free of any host's spelling.
//!
//! A host row turns its payload into an [`Event`]; from there on nobody asks which
//! host it was. Paths are as the host gave them, made absolute; the joint makes them
//! repository paths before a guard sees them.

use std::path::PathBuf;

/// Seconds since the epoch, UTC.
pub(crate) type UnixSeconds = i64;

/// One lifecycle event of an agent host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Name of the host row that read it, such as `claude`.
    pub host: &'static str,
    /// The event's name as the host spells it, such as `PreToolUse`; replies repeat it.
    pub name: String,
    /// The host's id of the session; empty where a host gives none.
    pub session: String,
    /// The directory the host works in.
    pub cwd: PathBuf,
    /// Who acts.
    pub by: Actor,
    /// What happens.
    pub kind: EventKind,
    /// How many tokens the session's context holds, where the host says so.
    pub tokens: Option<u64>,
    /// The file in which the host writes down what the session does, where it can tell tokens.
    pub transcript: Option<PathBuf>,
    /// The same of the subagent that ends.
    pub agent_transcript: Option<PathBuf>,
    /// The version of the host's client, where its payload tells it.
    pub client: Option<String>,
    /// The last words of the session or subagent that ends its turn, where the host tells.
    pub said: Option<String>,
    /// The line of this call may be given another text.
    pub rewritable: Option<Rewritable>,
    /// In the mode that it runs in, the host puts a hook's question to the person.
    pub puts_questions: bool,
    /// In that mode it changes nothing until the person has seen a plan.
    pub plans: bool,
}

/// A shell call whose line, or an edit whose text, a hook may replace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewritable {
    /// The tool's input as the host gave it; an answer has to repeat all of it.
    pub input: serde_json::Value,
    /// The field of it that holds the line or the text.
    pub field: String,
    /// The host runs the call without asking anyone.
    pub unasked: bool,
}

/// Who acts: fences bind everyone, pacing binds the main session only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Actor {
    /// The session itself.
    Main,
    /// A subagent of the session.
    Subagent {
        /// The host's id of this run of it.
        id: String,
        /// Its type, such as `general-purpose`.
        agent: String,
    },
}

/// What a session begins from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionSource {
    Startup,
    /// It goes on with all that it knew.
    Resume,
    /// Its context was emptied.
    Clear,
    /// Its context was summed up.
    Compact,
    /// What a host adds one day, or nothing.
    Other(String),
}

impl SessionSource {
    /// Reads the word of a host.
    pub fn read(word: &str) -> Self {
        match word {
            "startup" => Self::Startup,
            "resume" => Self::Resume,
            "clear" => Self::Clear,
            "compact" => Self::Compact,
            other => Self::Other(other.to_owned()),
        }
    }

    /// The word as the host gave it.
    pub fn word(&self) -> &str {
        match self {
            Self::Startup => "startup",
            Self::Resume => "resume",
            Self::Clear => "clear",
            Self::Compact => "compact",
            Self::Other(word) => word,
        }
    }

    /// The session goes on with one that was there before.
    pub fn goes_on(&self) -> bool {
        matches!(self, Self::Resume | Self::Compact)
    }

    /// What was told before is out of mind.
    pub(crate) fn forgets(&self) -> bool {
        matches!(self, Self::Clear | Self::Compact)
    }
}

/// What happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// A session begins.
    SessionStart { source: SessionSource },
    /// A session ends.
    SessionEnd { reason: String },
    /// A prompt arrives. `automation` is true where the host row's list of tags says
    /// that no person wrote it.
    Prompt { text: String, automation: bool },
    /// A tool is about to run.
    Before(ToolCall),
    /// A tool has run, or failed to.
    After { call: ToolCall, outcome: Outcome },
    /// The agent wants to end its turn.
    Stop {
        /// This stop already follows a refused one.
        again: bool,
        /// Background commands and subagents of this session that still run.
        waiting: u32,
        /// Background commands alone: their changes are nobody's yet.
        commands: u32,
    },
    /// A subagent begins.
    SubagentStart { id: String, agent: String },
    /// A subagent wants to end.
    SubagentStop { id: String, agent: String, again: bool },
    /// The host compacts its context: before (`false`) or after (`true`).
    Compact { done: bool },
    /// Anything else; never an error and never an objection.
    Other,
}

impl EventKind {
    /// What happened, in a word or two for a person.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::SessionStart { .. } => "session begins",
            Self::SessionEnd { .. } => "session ends",
            Self::Prompt { .. } => "prompt",
            Self::Before(_) | Self::After { .. } => "tool call",
            Self::Stop { .. } => "stop",
            Self::SubagentStart { .. } | Self::SubagentStop { .. } => "subagent",
            Self::Compact { .. } => "compaction",
            Self::Other => "event",
        }
    }
}

/// What came of a tool call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The tool did its work; a shell command ended well, as far as the host tells.
    pub ok: bool,
    /// How long it ran, in milliseconds, where the host says so.
    pub duration_ms: Option<u64>,
    /// It goes on in the background.
    pub background: bool,
    /// The exit status of a shell command in the foreground, where the host states it.
    pub status: Option<i32>,
    /// What it printed, as far as the host tells: a hash of 16 digits, empty where nothing is told.
    pub output: String,
    /// The same as text, for the closing lines of a run of tests; not kept.
    pub printed: String,
    /// The text that an edit found in its file, where the host tells; not kept.
    pub before: Option<String>,
    /// The answers to a question tool, in the order of the questions.
    pub answers: Vec<Answer>,
}

/// One answered question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The question's text.
    pub question: String,
    /// The chosen label or the free text.
    #[expect(clippy::struct_field_names, reason = "an answer's answer")]
    pub answer: String,
    /// A timer gave it, not a person.
    pub timed_out: bool,
}

/// One call of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCall {
    /// The tool's name as the host spells it.
    pub tool: String,
    /// The host's id of this call; empty where a host gives none.
    pub id: String,
    /// What it would do.
    pub act: Act,
    /// Texts of its input that may name git seed's state, where no path of the act shows them.
    pub mentions: Vec<String>,
}

/// What a tool call would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Read one file.
    Read { path: PathBuf },
    /// Search or list files, below `path` where given.
    Search { path: Option<PathBuf> },
    /// Fetch from or search the web.
    Web {
        /// The address or the words, as far as the payload shows them.
        what: String,
    },
    /// Change files; a patch over many files is one act.
    Edit(Vec<FileEdit>),
    /// Run a command line.
    Shell {
        command: String,
        /// The directory it runs in, where it differs from the event's.
        cwd: Option<PathBuf>,
        background: bool,
    },
    /// Launch a subagent.
    Delegate { agent: String, prompt: String },
    /// Ask the person.
    Ask(Vec<Question>),
    /// Keep the host's own lists: todos, plan mode, skills, tool search.
    Housekeeping,
    /// Schedule a later prompt; `text` is what it will say.
    Schedule { text: String },
    /// A tool of an MCP server.
    Foreign {
        server: String,
        /// The texts of its input, each by its field.
        said: Vec<(String, String)>,
        /// The texts at any depth, each by the nearest field.
        named: Vec<(String, String)>,
    },
    /// A tool no row names.
    Unknown,
}

/// One question to the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The whole text.
    pub text: String,
    /// Labels of the options, in order.
    pub options: Vec<String>,
    /// More than one option may be chosen.
    pub multiple: bool,
    /// The call brings an answer of its own, which no person gave.
    pub answered: bool,
}

/// A change to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEdit {
    /// The file, absolute, not yet resolved.
    pub path: PathBuf,
    pub change: Change,
}

/// How a file changes; enough to compute its new text without writing it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Replacements in order (Edit, `MultiEdit`).
    Replace(Vec<Replacement>),
    /// The whole new text (Write).
    Whole(String),
    /// Hunks of a patch without line numbers, in order.
    Hunks(Vec<Hunk>),
    /// The file goes away.
    Delete,
    /// A change whose text the payload does not show (notebooks, binary tools).
    Opaque,
}

/// Replace `old` by `new`, once or everywhere. An empty `old` creates the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    pub old: String,
    pub new: String,
    pub all: bool,
}

/// One hunk of a patch: `old` lines are replaced by `new` lines; both hold the context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// The line after `@@` that says where the hunk lies, if any.
    pub at: String,
    pub old: Vec<String>,
    pub new: Vec<String>,
}

/// What an edit does to a page, judged by simulating it. Ranks count from 0
/// (`---Ob---`) to 3 (`---Ve---`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PageChange {
    /// The new text is the old text.
    Nothing,
    /// The edit does not apply to the page as it is; the tool itself will say so.
    DoesNotApply,
    /// The page would be born, or keep on living, without these anchors.
    Incomplete { missing: Vec<String> },
    /// An anchor that is there now would be gone, changed or moved.
    AnchorLost { anchor: String },
    /// An anchor stands twice or out of order in the new text.
    Disorder { anchor: String },
    /// Only bytes below anchors change; `lowest_rank` is the rank of the first
    /// section touched.
    Below { first_rank: usize },
    /// Bytes of the body change (and perhaps more).
    Body,
    /// The page would go away.
    Gone,
}
