//! `job.toml`: everything a hook needs to know about a job, in at most 8 KB.
//!
//! Lists that may grow live in files of their own beside it: `scope`, `persons`,
//! `condense.toml`, `interactions/`, `trace/`.

use serde::{Deserialize, Serialize};

use super::FORMAT;
use super::journal::{Gauge, Ruled};
use crate::jobs::landing::Offer;
use crate::jobs::shortword::SaidLane;
use crate::jobs::summary::Covered;
use crate::jobs::{Job, Status};
use crate::phases::activity::Flight;
use crate::phases::place::Unlocked;
use crate::phases::review::Review;
use crate::phases::{Entry, PhaseName, Position};
use crate::plans::Plan;

/// The most bytes that `job.toml` may have.
pub(crate) const MOST_BYTES: usize = 8 * 1024;

/// A job and all that stands around it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    pub format: u32,
    /// Seed-Id of the step that wrote this.
    pub step: String,
    /// Steps taken so far.
    pub steps: u32,
    /// Hash of the last journal line that was folded into it.
    #[serde(default)]
    pub folded: String,
    pub job: Job,
    pub stand: Position,
    /// How large its person said that it is.
    #[serde(default, skip_serializing_if = "SaidLane::is_unsaid")]
    pub said_lane: SaidLane,
    #[serde(default)]
    pub plan: Plan,
    #[serde(default)]
    pub fence: Fence,
    pub home: Home,
    #[serde(default)]
    pub driver: Driver,
    #[serde(default)]
    pub cost: Cost,
    /// Hashes of the texts that the agent gave to scheduling tools, newest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scheduled: Vec<String>,
    /// Calls whose answers were acted upon, newest last: an answer counts once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answered: Vec<String>,
    /// The side lane's reason, while it is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side_reason: Option<String>,
    /// Code ran well after the last change of a project file.
    #[serde(default)]
    pub proved: bool,
    /// Criteria that a person counts as met, by their words, until the phase is left that asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_word: Vec<String>,
    /// Subagents under way.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flights: Vec<Flight>,
    /// Background commands that may still run, by the host's ids of their calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub running: Vec<String>,
    /// Whether the side lane may be asked for.
    #[serde(default, skip_serializing_if = "Prep::is_none")]
    pub prep: Prep,
    /// Open root-cause notes in all pages when the side lane was entered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side_notes: Option<usize>,
    /// The protected surface that is unlocked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unlocked: Option<Unlocked>,
    /// The surface whose check failed in this stay: git seed put it back, and so it may be
    /// committed as it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub put_back: Option<Unlocked>,
    /// Total footer words at the beginning of condense.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<usize>,
    /// Kinds of notes that the job brought with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<String>,
    /// The newest compaction file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compaction: Option<Compaction>,
    /// How far the interactions are summed up.
    #[serde(default, skip_serializing_if = "Covered::is_nothing")]
    pub summed: Covered,
    /// How full the context was found.
    #[serde(default, skip_serializing_if = "Gauge::is_none")]
    pub gauge: Gauge,
    /// Steps that were taken when the last prompt came.
    #[serde(default)]
    pub turn: u32,
    /// The gate's last ruling, and what has happened since.
    #[serde(default, skip_serializing_if = "Ruled::is_none")]
    pub gate: Ruled,
    /// What became of the question whether the job is complete, since memory is settled.
    #[serde(default, skip_serializing_if = "Review::is_unasked")]
    pub review: Review,
    /// What became of the question whether it lands, since it was approved.
    #[serde(default, skip_serializing_if = "Offer::is_none")]
    pub land: Offer,
    /// Between cycles: the last one closed without an answer, and none was added.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub finished: bool,
    /// The last step let a turn end with the job open.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub yielded: bool,
    /// How many of the agent's own jobs were taken up in a row since a person spoke, this one among
    /// them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub own_taken: u32,
    /// What stays came to that an undo led out of, newest last: a redo finds it again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spent: Vec<Spent>,
    /// The newest record of the gate when the step was taken: a chain that lacks it was cut.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub claims: String,
}

/// Serde asks by reference.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// A compaction file, as far as hooks need it: `run-<run>/compaction-<seq>.md`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compaction {
    pub run: u32,
    pub seq: u32,
    /// Hash of the session that opened it; another one opens the next.
    #[serde(default)]
    pub session: String,
    /// Seed-Id of the step before it was opened: it lists the phase commits since.
    #[serde(default)]
    pub since: String,
    pub words: usize,
    /// No words of the agent's wait for a seal.
    #[serde(default)]
    pub sealed: bool,
    /// The step whose journal was the last that it was fed with, counted over the job.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub fed: u32,
}

/// How ready the side lane is to be asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Prep {
    #[default]
    None,
    /// Prepared by the last step; the next one, or another act, ends it.
    Ready,
    /// Used up: the lane is open.
    Locked,
}

impl Prep {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks it by reference")]
    fn is_none(&self) -> bool {
        *self == Self::None
    }
}

/// What the tree fence remembers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fence {
    /// The work tree at the last boundary, as a tree id; empty before the first step.
    #[serde(default)]
    pub tree: String,
    /// The work tree as a receipt took it last, and a mark of the index that it was taken from;
    /// empty where something changed since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<String>,
    /// The work tree when the cycle began, as a tree id.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub began: String,
    /// Paths outside the fence that the agent changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub strays: Vec<String>,
    /// Paths outside the fence that changed unclaimed, with the blob they held.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unclaimed: Vec<Unclaimed>,
    /// A `.gitignore` changed in this cycle: what git's rules of now show counts, too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub loose: bool,
    /// The rest of both lists stands in a file of its own: `job.toml` stays small.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub spilled: bool,
}

/// What of a job's lists does not fit into `job.toml`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Spilled {
    #[serde(default)]
    pub strays: Vec<String>,
    #[serde(default)]
    pub unclaimed: Vec<Unclaimed>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scheduled: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answered: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shelved: Vec<Entry>,
}

impl Fence {
    /// Takes what is too much for `job.toml` out of the lists, if anything is.
    pub(crate) fn spill(&mut self) -> Option<Spilled> {
        const MOST: usize = 8;
        let long = |paths: usize, bytes: usize| paths > MOST || bytes > 512;
        let strays: usize = self.strays.iter().map(String::len).sum();
        let unclaimed: usize = self.unclaimed.iter().map(|one| one.path.len()).sum();
        self.spilled = long(self.strays.len(), strays) || long(self.unclaimed.len(), unclaimed);
        self.spilled.then(|| Spilled {
            strays: std::mem::take(&mut self.strays),
            unclaimed: std::mem::take(&mut self.unclaimed),
            ..Spilled::default()
        })
    }
}

/// A change outside the fence that no call claims.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unclaimed {
    pub path: String,
    /// Blob id; empty where the file went away.
    #[serde(default)]
    pub blob: String,
}

/// Why a job that is in a focus should be in none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LeftOver {
    /// Nothing is left to do for it: the prompts that waited are the next job's.
    Closed,
    /// It awaits its person, and the next in the queue goes on.
    Rests,
    /// A person or the agent paused it.
    Paused,
}

/// Where a job lives.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Home {
    /// Name of the worktree.
    pub worktree: String,
    /// Full name of the branch; empty on a detached HEAD and before the first step.
    #[serde(default)]
    pub branch: String,
    /// The last phase commit.
    #[serde(default)]
    pub commit: String,
    /// HEAD when the first cycle of the run began: what the work is measured from.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub base: String,
    /// Where a person let it rest: it waits for nobody there.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub rested: String,
    /// The number of its words from which on it is open whether they belong to it; 0 once that is
    /// settled. Absent until a prompt came while it was paused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<u32>,
    /// HEAD when it left the focus: what was committed since then is none of its own.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub left: String,
    /// Id of the clone whose steps these are; a job from elsewhere is data.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub clone: String,
    /// How many bytes HEAD's log had then.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub logged: u64,
}

/// Serde asks by reference.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_nothing(value: &u64) -> bool {
    *value == 0
}

/// Which session drives the job.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Driver {
    #[serde(default)]
    pub host: String,
    #[serde(default)]
    pub session: String,
}

/// What the cycle cost so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cost {
    pub calls: u32,
    pub words: u32,
    /// Words of others among what was put before the agent; they are not in `words`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub quoted: u32,
    pub refusals: u32,
    pub commits: u32,
}

/// What a stay came to when an undo led out of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// Seed-Id of the step that it stood behind.
    pub step: String,
    pub cost: Cost,
    pub entry: Entry,
}

/// A `job.toml` that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BadState {
    #[error("job.toml does not read: {0}")]
    Toml(#[from] toml::de::Error),
    #[error("job.toml has format {found}; this binary reads up to {FORMAT}: use a newer git-seed")]
    Newer { found: u32 },
    #[error("job.toml would have {0} bytes; {MOST_BYTES} is the most")]
    TooLarge(usize),
    #[error("job.toml cannot be written: {0}")]
    Write(#[from] toml::ser::Error),
    #[error("{0}")]
    Index(String),
}

impl State {
    /// A job before its first step.
    pub(crate) fn new(job: Job, track: &str, worktree: &str) -> Self {
        Self {
            format: FORMAT,
            step: String::new(),
            steps: 0,
            folded: String::new(),
            job,
            stand: Position::new(track),
            said_lane: SaidLane::Unsaid,
            plan: Plan::default(),
            fence: Fence::default(),
            home: Home { worktree: worktree.to_owned(), ..Home::default() },
            driver: Driver::default(),
            cost: Cost::default(),
            scheduled: Vec::new(),
            answered: Vec::new(),
            side_reason: None,
            proved: false,
            by_word: Vec::new(),
            flights: Vec::new(),
            running: Vec::new(),
            prep: Prep::None,
            side_notes: None,
            unlocked: None,
            put_back: None,
            baseline: None,
            kinds: Vec::new(),
            compaction: None,
            summed: Covered::default(),
            gauge: Gauge::default(),
            turn: 0,
            gate: Ruled::default(),
            review: Review::default(),
            land: Offer::default(),
            finished: false,
            yielded: false,
            own_taken: 0,
            spent: Vec::new(),
            claims: String::new(),
        }
    }

    /// The phase's name.
    pub(crate) fn phase(&self) -> &PhaseName {
        &self.stand.phase
    }

    /// Takes the lists out that need not stand in `job.toml`, where it would be too long.
    pub(crate) fn spill(&mut self) -> Spilled {
        self.fence.spilled = true;
        Spilled {
            strays: std::mem::take(&mut self.fence.strays),
            unclaimed: std::mem::take(&mut self.fence.unclaimed),
            scheduled: std::mem::take(&mut self.scheduled),
            answered: std::mem::take(&mut self.answered),
            shelved: std::mem::take(&mut self.stand.shelved),
        }
    }

    /// Puts back what was taken out.
    pub(crate) fn take_back(&mut self, spilled: Spilled) {
        self.fence.spilled = false;
        self.fence.strays.extend(spilled.strays);
        self.fence.unclaimed.extend(spilled.unclaimed);
        self.scheduled.extend(spilled.scheduled);
        self.answered.extend(spilled.answered);
        self.stand.shelved.extend(spilled.shelved);
    }

    /// Somebody took it up by its name: it rests nowhere, and is work from now on.
    pub(crate) fn take_up(&mut self) {
        self.job.queued = true;
        self.home.rested.clear();
        self.home.asked = None;
    }

    /// Words before a first step. A job that was completed once, or taken up by its name, is
    /// work from the beginning.
    pub(crate) fn is_small_talk(&self) -> bool {
        self.stand.is_talk() && self.job.run == 1 && !self.job.queued
    }

    /// Only words were said of it so far: a prompt bore it, and it took no step, whether it rested
    /// meanwhile or not.
    pub(crate) fn is_only_talked_of(&self) -> bool {
        let talk = self.stand.is_talk() && self.job.run == 1;
        talk && (!self.job.queued || self.job.provisional)
    }

    /// Work is left to do for it, which nobody can do before it has a focus.
    pub(crate) fn waits_for_a_focus(&self) -> bool {
        match self.job.status {
            Status::Pending => true,
            Status::Active => !self.is_small_talk(),
            _ => self.is_closing(),
        }
    }

    /// What its last step left undone, where the job is in a focus: that step gives the focus up,
    /// and somebody was stopped in between.
    pub(crate) fn left_over(&self) -> Option<LeftOver> {
        match self.job.status {
            Status::Awaiting => Some(LeftOver::Rests),
            Status::Pending => Some(LeftOver::Paused),
            _ => crate::format::archive::is_closed(self).then_some(LeftOver::Closed),
        }
    }

    /// Completed, but not back between cycles; asked by the reserved name, since no map is at hand.
    pub(crate) fn is_closing(&self) -> bool {
        crate::jobs::routing::is_closing(&self.job, self.stand.phase.is_idle())
    }
}

/// The version line alone, read first so that a newer file gets a sentence of its own.
#[derive(Deserialize)]
struct Version {
    format: u32,
}

/// Reads a `job.toml`.
pub(crate) fn read(bytes: &[u8]) -> Result<State, BadState> {
    match toml::from_slice::<State>(bytes) {
        Ok(state) if state.format <= FORMAT => Ok(state),
        Ok(state) => Err(BadState::Newer { found: state.format }),
        Err(error) => match toml::from_slice::<Version>(bytes) {
            Ok(version) if version.format > FORMAT => {
                Err(BadState::Newer { found: version.format })
            }
            _ => Err(error.into()),
        },
    }
}

/// Writes a `job.toml`.
pub(crate) fn write(state: &State) -> Result<String, BadState> {
    let text = toml::to_string(state)?;
    if text.len() > MOST_BYTES { Err(BadState::TooLarge(text.len())) } else { Ok(text) }
}

/// Writes a `job.toml`, and beside it what would make it too long.
pub(crate) fn write_short(state: &State) -> Result<(String, Option<String>), BadState> {
    let mut kept = state.clone();
    let spilled = kept.fence.spill();
    let (text, spilled) = match write(&kept) {
        Err(BadState::TooLarge(_)) => {
            let mut kept = state.clone();
            let spilled = kept.spill();
            (write(&kept)?, Some(spilled))
        }
        text => (text?, spilled),
    };
    Ok((text, spilled.as_ref().map(toml::to_string).transpose()?))
}

/// `scope` and `persons`: sorted lines.
pub(crate) fn write_lines<'a>(lines: impl IntoIterator<Item = &'a str>) -> String {
    let sorted: std::collections::BTreeSet<&str> = lines.into_iter().collect();
    sorted.into_iter().fold(String::new(), |mut all, line| {
        all.push_str(line);
        all.push('\n');
        all
    })
}

/// Reads what [`write_lines`] wrote.
pub(crate) fn read_lines(bytes: &[u8]) -> Vec<String> {
    String::from_utf8_lossy(bytes)
        .lines()
        .filter(|line| !line.is_empty())
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FROZEN: &str = include_str!("../../fixtures/format/v1/job.toml");

    #[test]
    fn the_frozen_sample_of_version_one_reads() {
        let state = read(FROZEN.as_bytes()).expect("the frozen sample reads");
        assert_eq!(
            (state.job.name.as_str(), state.stand.phase.as_str()),
            ("fix the lexer", "execute")
        );
        assert_eq!(state.stand.entry.multiplier.map(crate::phases::Multiplier::tenths), Some(30));
        assert_eq!(read(write(&state).expect("it writes").as_bytes()).expect("and reads"), state);
    }

    #[test]
    fn the_frozen_sample_of_version_two_reads() {
        let text = include_str!("../../fixtures/format/v2/job.toml");
        let state = read(text.as_bytes()).expect("the frozen sample reads");
        let old = read(FROZEN.as_bytes()).expect("so does the one before");
        assert_eq!(State { format: 2, ..old }, state);
    }

    #[test]
    fn a_newer_format_gets_its_own_sentence() {
        let newer = FROZEN.replacen("format = 1", "format = 9\nsurprise = 1", 1);
        assert!(matches!(read(newer.as_bytes()), Err(BadState::Newer { found: 9 })));
        let stranger = newer.replacen("status = \"active\"", "status = \"resting\"", 1);
        assert!(matches!(read(stranger.as_bytes()), Err(BadState::Newer { found: 9 })));
        assert!(matches!(read(b"\xff\x00"), Err(BadState::Toml(_))));
    }

    #[test]
    fn a_state_that_outgrows_its_file_is_refused() {
        let mut state = read(FROZEN.as_bytes()).expect("the frozen sample reads");
        state.job.objective = "x".repeat(MOST_BYTES);
        assert!(matches!(write(&state), Err(BadState::TooLarge(_))));
    }
}
