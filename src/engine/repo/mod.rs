//! The joint: gather, ask, record.
//!
//! It brings the pure domains and the store together: what a rule *says* lives in the domains, what
//! a sentence says in `voice.toml`. Before a tool it only reads, else: lock, read, decide, write.

pub(crate) mod answer;
pub(crate) mod archive_index;
pub(crate) mod clone_id;
pub(crate) mod installation;
pub(crate) mod job;
pub(crate) mod journal;
pub(crate) mod lives;
pub(crate) mod page_paths;
pub(crate) mod paths;
pub(crate) mod plan_file;
pub(crate) mod rows;
pub(crate) mod sessions;
pub(crate) mod subagents;
pub(crate) mod text;
pub(crate) mod texts;
pub(crate) mod trust;

use std::path::{Path, PathBuf};
use std::rc::Rc;

pub(crate) use crate::engine::clone_file;
use crate::engine::own_state::Unread;
use crate::engine::repo;
use crate::event::ToolCall;
use crate::format::journal::{Counts, ToldWords};
use crate::format::state::{BadState, State};
use crate::format::{meta, names, trailers};
use crate::jobs::{BadStatus, JobId, Status, UnixSeconds};
use crate::rules::{BadRules, Rules};
use crate::shell::{self, Reading};
use crate::store::{CommitId, NotOpen, RepoPath, Store, StoreError, Tip, TreeId};
use crate::verdict::{Refusal, Wants};
use crate::voice::{self, Notice, tell};
use crate::world::{self, NotPlain, last::Last, last::WhileHeld};

/// A repository with git seed in it, at one moment.
#[derive(Debug)]
pub struct Repo {
    pub store: Store,
    pub rules: Rules,
    /// The text of the applied ones.
    applied: Option<String>,
    pub now: UnixSeconds,
    /// The focus when it was opened; a decision reads it once.
    focus: Focus,
    /// A refusal that is said before it is written down.
    pub(crate) unwritten: std::cell::RefCell<Option<UnwrittenRefusal>>,
    /// The command line that was read last.
    line: std::cell::RefCell<Option<(String, Rc<Reading>)>>,
    /// Why the rules of the job in focus did not read when it was opened.
    unread: Option<String>,
    /// Pages that are links in the index, with what they lead to, once somebody asked.
    linked_pages: std::cell::OnceCell<Vec<(RepoPath, PathBuf)>>,
    /// What says that git seed lives here, once somebody asked: a decision reads it once.
    meta: std::cell::OnceCell<Tip>,
    /// The format that is written here, once somebody asked; a carry-over changes it.
    pub(crate) format: std::cell::Cell<Option<(u32, Option<u32>)>>,
    /// The keys that a chain took away, of the one that was asked of last.
    redacted: std::cell::RefCell<Option<(CommitId, std::collections::BTreeSet<String>)>>,
    /// The state that was read last, by its chain, commit and tree.
    states: Last<(String, CommitId, TreeId), State>,
    /// The work tree as it was seen for a job, while nothing changes it.
    pub(crate) trees: WhileHeld<Option<String>, TreeId>,
}

/// A refusal of a tool call that the journal is still to have.
#[derive(Clone, Debug)]
pub(crate) struct UnwrittenRefusal {
    pub(crate) focused: Option<LoadedJob>,
    pub(crate) call: ToolCall,
    pub(crate) paths: Vec<String>,
    pub(crate) refusal: Refusal,
    pub(crate) phase: String,
    pub(crate) words: ToldWords,
}

/// What has the focus of a worktree.
#[derive(Clone, Debug)]
pub(crate) enum Focus {
    On(String, Tip),
    Nothing,
    /// It did not read; whoever needs it says why.
    Unread,
}

/// A job as it stands, with the chain that holds it.
#[derive(Clone, Debug)]
pub struct LoadedJob {
    pub chain: String,
    pub tip: Tip,
    pub state: State,
    /// What happened since the last step; an error when the journal does not hold.
    pub activity: Result<Counts, JournalTrouble>,
    /// It lies in the archive and has no ref: it is read, and takes no step.
    pub archived: bool,
}

/// Why a journal cannot be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JournalTrouble {
    #[error("the journal of this worktree is missing")]
    Missing,
    #[error("the journal of this worktree was changed by hand")]
    Changed,
}

/// Why git seed could not do its work.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error(transparent)]
    NotOpen(#[from] NotOpen),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{chain}: {bad}")]
    State { chain: String, bad: BadState },
    #[error(transparent)]
    OwnFile(#[from] Unread),
    /// A page or a plan document that is there and does not read.
    #[error(transparent)]
    WorkFile(Unread),
    /// The focused job has rules of its own that cannot be told from none.
    #[error("the rules of the focused job do not read: {0}")]
    JobRules(String),
    #[error(transparent)]
    Rules(#[from] BadRules),
    /// A proposal that does not hold, said with file and line.
    #[error("{0}")]
    Proposal(String),
    #[error("there is no seed.toml at the top of the work tree")]
    NoProposal,
    #[error("git seed is not installed in this repository")]
    NotSeeded,
    #[error("no job is focused in this worktree")]
    NoJob,
    /// A step was wanted of a job that lies in the archive.
    #[error("job {id} is {status} and closed")]
    Closed { id: JobId, status: &'static str },
    #[error(
        "the state of this repository was written by a newer git-seed (format {0}); use that one"
    )]
    Newer(u32),
    #[error(transparent)]
    Journal(#[from] JournalTrouble),
    /// Words that the parser of a command does not know, or an id that nothing has.
    #[error("{0}")]
    Usage(String),
    /// A well-formed command that the state does not allow, and the way on.
    #[error("{why}")]
    NotNow { why: String, next: String },
    /// A step of a job that its status does not allow.
    #[error(transparent)]
    Status(#[from] BadStatus),
    /// A step that no rule judges was refused; it never is.
    #[error("{} was wanted", .0.word())]
    Refused(Wants),
    /// A file that git seed or the agent keeps does not hold what it must.
    #[error("{0}")]
    OnDisk(String),
    /// What `init` and `uninstall` write in, hosts' settings and git's hooks, cannot be written.
    #[error("{0}")]
    Setup(String),
    /// A table that is part of the binary does not read.
    #[error("{0}")]
    Shipped(String),
    #[error(transparent)]
    Toml(#[from] toml::ser::Error),
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// The history that was asked for is not here.
    #[error("{0}")]
    CutOff(String),
    /// What a remote said, or did not say in time.
    #[error("{0}")]
    Remote(String),
    /// A server that does not take refs by their names.
    #[error("{0}")]
    TakesNoRefs(String),
    /// A job whose record came from elsewhere and cannot be gone on with as it is.
    #[error("{0}")]
    Elsewhere(String),
    #[error(
        "`git commit` refused the boundary{hook}; phase, index and tree are as they were\n{output}"
    )]
    Vetoed { hook: String, by_hook: Option<String>, output: String },
    /// State that went while a call ran, and the refs that it moved, each with what puts it back.
    #[error("{why}\n{refs}")]
    Taken { why: Box<EngineError>, refs: String },
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// What is left for a job that is closed.
fn reopening(status: &str, id: &JobId) -> String {
    if status == Status::Voided.word() {
        tell(Notice::JobParked, &[])
    } else {
        tell(Notice::JobReopens, &[("job", id.as_str())])
    }
}

impl EngineError {
    /// A command that the state does not allow now, as the row `key` tells it, with its way on.
    pub(crate) fn not_now(key: Notice, facts: &[(&str, &str)]) -> Self {
        Self::NotNow { why: tell(key, facts), next: voice::next(key, facts) }
    }

    /// True where the repository's seed state is damaged, not merely absent.
    pub(crate) fn is_damage(&self) -> bool {
        match self {
            Self::State { bad, .. } => !matches!(bad, BadState::Newer { .. }),
            Self::OwnFile(_)
            | Self::Taken { .. }
            | Self::JobRules(_)
            | Self::Journal(_)
            | Self::Store(StoreError::Missing { .. } | StoreError::Unreadable { .. }) => true,
            _ => false,
        }
    }

    /// True where what stands in the way is something that an agent can put there: a lock that
    /// somebody keeps, a pipe or a device in the place of a file.
    pub(crate) fn is_chosen(&self) -> bool {
        match self {
            Self::NotOpen(NotOpen::NotPlain { .. }) | Self::Store(StoreError::Held { .. }) => true,
            Self::Store(StoreError::Io(error)) | Self::Io(error) => NotPlain::is(error),
            _ => false,
        }
    }

    /// The exit code of a command that ends with it: 64 for wrong usage, 2 where the state
    /// does not allow the command, 1 for all that broke.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => 64,
            Self::NotNow { .. } | Self::Status(_) | Self::Closed { .. } | Self::NoJob => 2,
            _ => 1,
        }
    }

    /// What helps against it, in the words of a command or of an act.
    pub(crate) fn hint(&self) -> Option<String> {
        let key = match self {
            Self::NotSeeded => return Some("git seed init".to_owned()),
            Self::NotNow { next, .. } => return Some(next.clone()),
            Self::Closed { id, status } => return Some(reopening(status, id)),
            Self::Status(_) => Notice::NextStatus,
            Self::NoProposal => Notice::HintNoProposal,
            Self::Proposal(_) => Notice::HintProposal,
            Self::Rules(_) => Notice::HintRules,
            Self::NoJob => Notice::HintNoJob,
            Self::WorkFile(_) => Notice::HintWorkFile,
            Self::Vetoed { by_hook: None, .. } => Notice::HintCommitFailed,
            Self::Vetoed { .. } => Notice::HintVetoed,
            Self::CutOff(_) | Self::Store(StoreError::CutOff { .. }) => Notice::HintCutOff,
            Self::TakesNoRefs(_) => Notice::HintTakesNoRefs,
            repo if repo.is_damage() => return Some("git seed doctor --fix".to_owned()),
            _ => return None,
        };
        Some(tell(key, &[]))
    }
}

fn unread_meta(error: toml::de::Error) -> EngineError {
    EngineError::State { chain: names::META.to_owned(), bad: error.into() }
}

/// The rules of a job's own, as a person of this clone approved them. Those that a fetch
/// brought were approved elsewhere.
pub(crate) fn rules_of(store: &Store, tip: &Tip) -> Result<Option<String>> {
    let Some(bytes) = store.file(tip, names::JOB_RULES)? else { return Ok(None) };
    let text = String::from_utf8_lossy(&bytes);
    let Some((by, rules)) = text.split_once('\n') else { return Ok(None) };
    let here = repo::clone_file::approved_in(&repo::clone_file::known_clone(store)?);
    Ok((by == here).then(|| rules.to_owned()))
}

/// Results of this module.
pub type Result<T, E = EngineError> = std::result::Result<T, E>;

impl Repo {
    /// Opens the repository around `cwd` for a hook; the environment is not asked.
    pub(crate) fn discover(cwd: &Path) -> Result<Self> {
        Self::over(Store::discover(cwd)?)
    }

    /// Opens the repository that governs work in `cwd`: the innermost one around it where
    /// git seed lives. A repository nested in a governed one, or a step outside of it, is
    /// no way out; there `project` is asked. Without any, the one around `cwd`.
    pub(crate) fn governing(cwd: &Path, project: Option<&Path>) -> Result<Self> {
        Self::governing_as(cwd, project, Self::discover)
    }

    /// The same, under the shipped rules: for what is asked where those in force do not read.
    pub(crate) fn governing_under_shipped(cwd: &Path, project: Option<&Path>) -> Result<Self> {
        Self::governing_as(cwd, project, |dir| Self::under_shipped(Store::discover(dir)?))
    }

    fn governing_as(
        cwd: &Path,
        project: Option<&Path>,
        discover: fn(&Path) -> Result<Self>,
    ) -> Result<Self> {
        let nearest = discover(cwd);
        if let Ok(repo) = &nearest
            && repo.store.seed_dir().is_dir()
        {
            return nearest;
        }
        let mut dir = nearest
            .as_ref()
            .map_or(cwd, |repo| repo.store.work_tree())
            .parent()
            .map(Path::to_owned);
        while let Some(above) = dir.take() {
            let Ok(repo) = discover(&above) else { break };
            if repo.store.seed_dir().is_dir() {
                return Ok(repo);
            }
            dir = repo.store.work_tree().parent().map(Path::to_owned);
        }
        match project.map(discover) {
            Some(Ok(repo)) if repo.store.seed_dir().is_dir() => Ok(repo),
            _ => nearest,
        }
    }

    /// Opens the repository that the environment or `cwd` names, for a command.
    ///
    /// # Errors
    ///
    /// [`EngineError::NotOpen`] where no repository can be opened; others where the ref or the file
    /// of the applied rules does not read.
    pub fn open(cwd: &Path) -> Result<Self> {
        Self::over(Store::from_environment(cwd)?)
    }

    /// The same for a command that an agent may give: in its session neither the place that its
    /// environment names counts nor its git.
    pub(crate) fn open_for_command(cwd: &Path) -> Result<Self> {
        let around = Self::discover(cwd);
        let hosted = around.as_ref().ok().and_then(Self::git_environment);
        // What is wrong around `cwd` stands in an agent's way.
        let as_its = |around: Result<Self>, environment| -> Result<Self> {
            let mut repo = around?;
            repo.store.run_children_as(environment);
            Ok(repo)
        };
        let mut repo = match (hosted, around) {
            (Some(environment), around) => as_its(around, environment)?,
            (None, around) => match (Store::from_environment(cwd)?, around) {
                // As it nearly always is: its rules and its focus are read.
                (store, Ok(around)) if store.git_dir() == around.store.git_dir() => {
                    store.date_by_the_day(around.rules.detail.is_day());
                    Self { store, ..around }
                }
                (store, around) => {
                    let named = Self::over(store)?;
                    let common_dir = named.store.common_dir();
                    let asked =
                        around.as_ref().is_ok_and(|one| one.store.common_dir() == common_dir);
                    match named.git_environment().filter(|_| !asked) {
                        Some(environment) => as_its(around, environment)?,
                        None => named,
                    }
                }
            },
        };
        // A step reads what it goes on from more than once.
        repo.store.remember_objects(4 << 20);
        repo.store.look_from_elsewhere();
        if world::variable(world::HANDED).is_some() {
            repo.store.confine_programs(&world::own_binary())?;
        }
        Ok(repo)
    }

    /// The same, under the shipped rules: for mending applied ones that do not hold.
    pub(crate) fn open_under_shipped(cwd: &Path) -> Result<Self> {
        Self::under_shipped(Store::from_environment(cwd)?)
    }

    fn under_shipped(store: Store) -> Result<Self> {
        let rules = Rules::shipped()?;
        store.date_by_the_day(rules.detail.is_day());
        Ok(Self {
            store,
            rules,
            applied: None,
            now: world::now(),
            focus: Focus::Unread,
            unwritten: std::cell::RefCell::default(),
            line: std::cell::RefCell::default(),
            unread: None,
            linked_pages: std::cell::OnceCell::new(),
            meta: std::cell::OnceCell::new(),
            format: std::cell::Cell::default(),
            redacted: std::cell::RefCell::default(),
            states: Last::new(),
            trees: WhileHeld::new(),
        })
    }

    pub(crate) fn over(store: Store) -> Result<Self> {
        // Applied rules without their file would be the shipped ones, which may allow more.
        let what = format!("seed.toml of {}", names::RULES);
        let no_rules = || StoreError::Missing { what, repair: "git seed rules apply" };
        let applied = match store.tip(names::RULES)? {
            None => None,
            Some(tip) => Some(store.file(&tip, "seed.toml")?.ok_or_else(no_rules)?),
        };
        let applied = applied.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let focus = match store.focused() {
            Ok(Some((chain, tip))) => Focus::On(chain, tip),
            Ok(None) => Focus::Nothing,
            Err(_) => Focus::Unread,
        };
        // Rules that do not read could have closed something: who asks for the job hears of it.
        let (own, unread) = match &focus {
            Focus::On(_, tip) => match rules_of(&store, tip) {
                Ok(own) => (own, None),
                Err(error) => (None, Some(error.to_string())),
            },
            Focus::Nothing | Focus::Unread => (None, None),
        };
        let rules = match (own, &applied) {
            (Some(own), applied) => Rules::for_job(applied.as_deref(), &own)?,
            (None, Some(applied)) => Rules::with(applied)?,
            (None, None) => Rules::shipped()?,
        };
        store.date_by_the_day(rules.detail.is_day());
        Ok(Self {
            store,
            rules,
            applied,
            now: world::now(),
            focus,
            unwritten: std::cell::RefCell::default(),
            line: std::cell::RefCell::default(),
            unread,
            linked_pages: std::cell::OnceCell::new(),
            meta: std::cell::OnceCell::new(),
            format: std::cell::Cell::default(),
            redacted: std::cell::RefCell::default(),
            states: Last::new(),
            trees: WhileHeld::new(),
        })
    }

    /// The id of the rules that this process judges by, for the steps that it takes. Those of one
    /// job only tighten them.
    pub(crate) fn judged_by(&self) -> Result<String> {
        Ok(match &self.applied {
            Some(text) => self.store.blob_id(text.as_bytes())?,
            None => trailers::SHIPPED.to_owned(),
        })
    }

    /// True when git seed is installed here.
    pub(crate) fn is_seeded(&self) -> Result<bool> {
        Ok(self.store.tip(names::META)?.map(|tip| self.meta.set(tip)).is_some())
    }

    /// Refuses to go on where nothing is installed or a newer binary wrote.
    pub(crate) fn require_seeded(&self) -> Result<()> {
        let Some(tip) = self.store.tip(names::META)? else { return Err(EngineError::NotSeeded) };
        // Nothing does not read as a format: a missing file is told as damage just below.
        let bytes = self.store.file(&tip, meta::FILE)?.unwrap_or_default();
        match meta::Meta::read(&bytes) {
            Ok(meta) if meta.is_readable() => Ok(()),
            Ok(meta) => Err(EngineError::Newer(meta.format)),
            Err(error) => Err(unread_meta(error)),
        }
    }

    /// Refuses to go on where git seed is installed and what it wrote does not read here: another
    /// binary wrote it, or something else.
    pub(crate) fn require_readable(&self) -> Result<()> {
        let known = self.meta.get().is_some() || self.is_seeded()?;
        let Some(tip) = self.meta.get().filter(|_| known) else { return Ok(()) };
        // As it nearly always is: then nothing has to be read.
        if self.store.is_tree_of(&tip.tree, meta::FILE, meta::Meta::current().write().as_bytes())? {
            return Ok(());
        }
        self.require_seeded()
    }

    /// Where the switch of this worktree is.
    pub(crate) fn switch(&self) -> std::path::PathBuf {
        self.store.seed_dir().join("off").join(self.store.worktree_name())
    }

    /// False while a person has switched discipline off in this worktree.
    pub(crate) fn is_on(&self) -> bool {
        !self.switch().exists()
    }

    /// What a command line would do. Several ask about the one of an event; it is read once.
    pub(crate) fn line(&self, command: &str) -> Rc<Reading> {
        if let Some((line, reading)) = &*self.line.borrow()
            && line == command
        {
            return Rc::clone(reading);
        }
        let reading = Rc::new(self.rules.runs().reread(shell::read(command)));
        self.line.replace(Some((command.to_owned(), Rc::clone(&reading))));
        reading
    }

    /// The private index of the tree fence.
    pub(crate) fn private_index(&self) -> std::path::PathBuf {
        self.store.private_index("index")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_wrong_usage_ends_with_64_and_only_the_state_with_2() {
        let what = || "why".to_owned();
        let closed = EngineError::Closed {
            id: "20261121t205612-7f3a".parse().expect("an id"),
            status: "completed",
        };
        let cases = [
            (EngineError::Usage(what()), 64),
            (EngineError::NotNow { why: what(), next: what() }, 2),
            (closed, 2),
            (EngineError::NoJob, 2),
            (EngineError::OnDisk(what()), 1),
            (EngineError::Setup(what()), 1),
            (EngineError::Journal(JournalTrouble::Missing), 1),
        ];
        for (error, code) in cases {
            assert_eq!(error.exit_code(), code, "{error:?}");
        }
    }
}
