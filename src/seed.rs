//! The joint: gather, ask, record.
//!
//! [`Seed`] brings the pure domains and the store together. It gathers what a rule may
//! look at, asks it, and records the answer; what a rule *says* lives in the domains,
//! what a sentence says in `voice.toml`, what git does in `store`. Before a tool it
//! only reads. Writing is always: lock, read, decide again, write, compare-and-swap.

pub mod audit;
pub mod boundary;
mod byhand;
pub mod checks;
pub mod claims;
pub mod closing;
pub mod commands;
pub mod compact;
mod completion;
pub mod condense;
mod dispatch;
pub mod doctor;
pub mod entry;
pub mod exec;
pub mod export;
pub mod fence;
pub mod githook;
pub mod graph;
pub mod hook;
pub mod ledger;
pub mod listing;
mod looks;
pub mod memory;
pub mod memorynotes;
pub mod nights;
mod notes;
mod opening;
pub mod ownfiles;
pub mod pacing;
pub mod pages;
pub mod paths;
pub mod pending;
pub mod plan;
pub mod prints;
pub mod questions;
mod quotes;
mod recall;
pub mod receipts;
pub mod report;
pub mod resume;
mod rewrites;
mod rulings;
pub mod runs;
pub mod scene;
pub mod servers;
pub mod sessions;
pub mod setup;
pub mod shortwords;
pub mod steps;
pub mod storms;
pub mod summary;
pub mod surfaces;
mod turns;
pub mod verify;

use std::path::Path;

use crate::format::journal::{Counts, Linked};
use crate::format::state::{self, BadState, State};
use crate::format::{meta, names};
use crate::jobs::{JobId, Status, UnixSeconds};
use crate::rules::{BadRules, Rules};
use crate::store::Tail;
use crate::store::{NotOpen, Store, StoreError, Tip};
use crate::world;

/// A repository with git seed in it, at one moment.
#[derive(Debug)]
pub struct Seed {
    pub store: Store,
    pub rules: Rules,
    pub now: UnixSeconds,
    /// The focus when it was opened; a decision reads it once.
    focus: Focus,
}

/// What has the focus of a worktree.
#[derive(Clone, Debug)]
enum Focus {
    On(String, Tip),
    Nothing,
    /// It did not read; whoever needs it says why.
    Unread,
}

/// A job as it stands, with the chain that holds it.
#[derive(Clone, Debug)]
pub struct Focused {
    pub chain: String,
    pub tip: Tip,
    pub state: State,
    /// What happened since the last step; an error when the journal does not hold.
    pub since: Result<Counts, JournalTrouble>,
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
pub enum SeedError {
    #[error(transparent)]
    NotOpen(#[from] NotOpen),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{chain}: {bad}")]
    State { chain: String, bad: BadState },
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
    #[error("job {id} is {status} and closed; {}", reopening(.status, .id))]
    Closed { id: JobId, status: &'static str },
    #[error("the state of this repository was written by a newer git-seed (format {0}); use that one")]
    Newer(u32),
    #[error(transparent)]
    Journal(#[from] JournalTrouble),
    #[error("{0}")]
    Usage(String),
    /// A job whose record came from elsewhere and cannot be gone on with as it is.
    #[error("{0}")]
    Elsewhere(String),
    #[error("`git commit` refused the boundary{hook}; phase, index and tree are as they were\n{output}")]
    Vetoed { hook: String, output: String },
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// What is left for a job that is closed.
fn reopening(status: &str, id: &JobId) -> String {
    if status == Status::Voided.word() {
        "it is parked for good: git seed job create makes another".to_owned()
    } else {
        format!("a person opens it again: git seed job reactivate {id}")
    }
}

impl SeedError {
    /// True where the repository's seed state is damaged, not merely absent.
    pub fn is_damage(&self) -> bool {
        match self {
            Self::State { bad, .. } => !matches!(bad, BadState::Newer { .. }),
            Self::Journal(_) | Self::Store(StoreError::Missing { .. } | StoreError::Unreadable { .. }) => {
                true
            }
            _ => false,
        }
    }

    /// What helps against it, in the words of a command or of an act.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NotSeeded => Some("git seed init"),
            Self::NoProposal => Some(
                "write one with the keys that shall differ; git seed rules show prints all of them, man git-seed-rules explains each",
            ),
            Self::Proposal(_) => Some("man git-seed-rules tells what each key may be; nothing has changed"),
            Self::Rules(_) => Some("a person mends seed.toml, then runs git seed rules apply"),
            Self::NoJob => Some(
                "a prompt in the agent's session becomes a job; git seed status shows where things stand",
            ),
            Self::Vetoed { .. } => Some("mend what the hook names, then take the step again"),
            seed if seed.is_damage() => Some("git seed doctor --fix"),
            _ => None,
        }
    }
}

/// The rules of a job's own, as a person of this clone approved them. Those that a fetch
/// brought were approved elsewhere.
fn rules_of(store: &Store, tip: &Tip) -> Result<Option<String>> {
    let Some(bytes) = store.file(tip, names::JOB_RULES)? else { return Ok(None) };
    let text = String::from_utf8_lossy(&bytes);
    let Some((by, rules)) = text.split_once('\n') else { return Ok(None) };
    Ok((by == resume::approved_in(&resume::known_clone(store))).then(|| rules.to_owned()))
}

/// Results of this module.
pub type Result<T, E = SeedError> = std::result::Result<T, E>;

impl Seed {
    /// Opens the repository around `cwd` for a hook; the environment is not asked.
    pub fn discover(cwd: &Path) -> Result<Self> {
        Self::over(Store::discover(cwd)?)
    }

    /// Opens the repository that governs work in `cwd`: the innermost one around it where
    /// git seed lives. A repository nested in a governed one, or a step outside of it, is
    /// no way out; there `project` is asked. Without any, the one around `cwd`.
    pub fn governing(cwd: &Path, project: Option<&Path>) -> Result<Self> {
        let nearest = Self::discover(cwd);
        if let Ok(seed) = &nearest
            && seed.store.seed_dir().is_dir()
        {
            return nearest;
        }
        let mut dir =
            nearest.as_ref().map_or(cwd, |seed| seed.store.work_tree()).parent().map(Path::to_owned);
        while let Some(above) = dir.take() {
            let Ok(seed) = Self::discover(&above) else { break };
            if seed.store.seed_dir().is_dir() {
                return Ok(seed);
            }
            dir = seed.store.work_tree().parent().map(Path::to_owned);
        }
        match project.map(Self::discover) {
            Some(Ok(seed)) if seed.store.seed_dir().is_dir() => Ok(seed),
            _ => nearest,
        }
    }

    /// Opens the repository that the environment or `cwd` names, for a command.
    pub fn open(cwd: &Path) -> Result<Self> {
        Self::over(Store::from_environment(cwd)?)
    }

    /// The same, under the shipped rules: for mending applied ones that do not hold.
    pub fn open_under_shipped(cwd: &Path) -> Result<Self> {
        let (store, rules) = (Store::from_environment(cwd)?, Rules::shipped()?);
        Ok(Self { store, rules, now: world::now(), focus: Focus::Unread })
    }

    fn over(store: Store) -> Result<Self> {
        let applied = match store.tip(names::RULES)? {
            None => None,
            Some(tip) => Some(store.file(&tip, "seed.toml")?.unwrap_or_default()),
        };
        let applied = applied.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let focus = match store.focused() {
            Ok(Some((chain, tip))) => Focus::On(chain, tip),
            Ok(None) => Focus::Nothing,
            Err(_) => Focus::Unread,
        };
        // Whoever reads the job says it where it is damaged.
        let own = match &focus {
            Focus::On(_, tip) => rules_of(&store, tip).unwrap_or_default(),
            Focus::Nothing | Focus::Unread => None,
        };
        let rules = match (own, applied) {
            (Some(own), applied) => Rules::for_job(applied.as_deref(), &own)?,
            (None, Some(applied)) => Rules::with(&applied)?,
            (None, None) => Rules::shipped()?,
        };
        Ok(Self { store, rules, now: world::now(), focus })
    }

    /// True when git seed is installed here.
    pub fn is_seeded(&self) -> Result<bool> {
        Ok(self.store.tip(names::META)?.is_some())
    }

    /// Refuses to go on where nothing is installed or a newer binary wrote.
    pub fn require_seeded(&self) -> Result<()> {
        let Some(tip) = self.store.tip(names::META)? else { return Err(SeedError::NotSeeded) };
        let bytes = self.store.file(&tip, meta::FILE)?.unwrap_or_default();
        match meta::Meta::read(&bytes) {
            Ok(meta) if meta.is_readable() => Ok(()),
            Ok(meta) => Err(SeedError::Newer(meta.format)),
            Err(error) => Err(SeedError::State { chain: names::META.to_owned(), bad: error.into() }),
        }
    }

    /// The focused job of this worktree.
    pub fn focused(&self) -> Result<Option<Focused>> {
        match self.store.focused()? {
            Some((chain, tip)) => self.load(chain, tip).map(Some),
            None => Ok(None),
        }
    }

    /// The same for a decision, which comes right after the opening.
    fn focused_at_opening(&self) -> Result<Option<Focused>> {
        match self.focus.clone() {
            Focus::On(chain, tip) => self.load(chain, tip).map(Some),
            Focus::Nothing => Ok(None),
            Focus::Unread => self.focused(),
        }
    }

    /// The focused job, which a command needs.
    pub fn require_focused(&self) -> Result<Focused> {
        self.require_seeded()?;
        self.focused()?.ok_or(SeedError::NoJob)
    }

    /// The job `id`, focused or not, open or closed.
    pub fn job(&self, id: &JobId) -> Result<Focused> {
        let chain = names::job_chain(id);
        match self.store.tip(&chain)? {
            Some(tip) => self.load(chain, tip),
            None => self.archived_job(id)?.ok_or_else(|| {
                SeedError::Usage(format!("there is no job {id}; git seed job list shows them"))
            }),
        }
    }

    fn load(&self, chain: String, tip: Tip) -> Result<Focused> {
        let state = self.state(&chain, &tip)?;
        let since = self.since(&state);
        if since == Err(JournalTrouble::Changed) {
            // Tip and journal are read one after the other: a step may have landed between.
            if let Some(now) = self.store.tip(&chain)?.filter(|now| *now != tip) {
                let state = self.state(&chain, &now)?;
                let since = self.since(&state);
                return Ok(Focused { chain, tip: now, state, since, archived: false });
            }
        }
        Ok(Focused { chain, tip, state, since, archived: false })
    }

    fn state(&self, chain: &str, tip: &Tip) -> Result<State> {
        let what = || format!("{chain} ({})", tip.commit);
        let bytes = self.store.file(tip, names::STATE)?;
        let Some(bytes) = bytes else {
            let repair = "git seed doctor --fix";
            return Err(StoreError::Missing { what: format!("job.toml of {}", what()), repair }.into());
        };
        let mut state = state::read(&bytes).map_err(|bad| SeedError::State { chain: what(), bad })?;
        if state.fence.spilled {
            let bytes = self.store.file(tip, names::FENCE)?.unwrap_or_default();
            let spilled = toml::from_slice(&bytes)
                .map_err(|error| SeedError::State { chain: what(), bad: BadState::Toml(error) })?;
            state.take_back(spilled);
        }
        Ok(state)
    }

    /// All jobs that have a ref, oldest first: the open ones. Closed ones are in
    /// [`Seed::closed`].
    pub fn jobs(&self) -> Result<Vec<Focused>> {
        let mut jobs = Vec::new();
        for (chain, _) in self.store.chains(names::JOBS)? {
            if let Some(tip) = self.store.tip(&chain)? {
                jobs.push(self.load(chain, tip)?);
            }
        }
        Ok(jobs)
    }

    /// Counts since the last step, from the journal's last line alone.
    fn since(&self, state: &State) -> Result<Counts, JournalTrouble> {
        let tail = self.store.journal().tail().map_err(|_| JournalTrouble::Missing)?;
        let Tail::Line(bytes) = tail else { return Err(JournalTrouble::Missing) };
        let linked = Linked::read(&bytes).map_err(|_| JournalTrouble::Changed)?;
        steps::counts_over(state, &linked)
    }

    /// Where the switch of this worktree is.
    pub fn switch(&self) -> std::path::PathBuf {
        self.store.seed_dir().join("off").join(self.store.worktree_name())
    }

    /// False while a person has switched discipline off in this worktree.
    pub fn is_on(&self) -> bool {
        !self.switch().exists()
    }

    /// The private index of the tree fence.
    pub fn private_index(&self) -> std::path::PathBuf {
        self.store.seed_dir().join("index").join(self.store.worktree_name())
    }
}
