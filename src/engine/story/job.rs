//! One job: its stays in the phases, and in each of them what was said, refused, run, claimed and
//! committed.

use serde::Serialize;

use crate::claims::Ran;
use crate::engine::record;
use crate::engine::repo::text::rfc3339;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::engine::story::changes::{self, CommitShown};
use crate::engine::story::footers::{self, Footers, NoteShown};
use crate::engine::story::past::{Deed, Past, PastStep};
use crate::engine::story::refusals::{self, RefusalShown};
use crate::engine::story::rulings::{self, RulingShown, TestsShown};
use crate::engine::story::said::{self, SaidShown};
use crate::event::UnixSeconds;
use crate::format::archive;
use crate::format::days::is_day;
use crate::format::journal::Line;
use crate::jobs::Status;
use crate::voice::{Notice, tell};

/// The most bytes of hunks that a story keeps of all commits of its job.
const HUNKS: usize = 600_000;

/// `report --json` of one job.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct JobStory {
    pub id: String,
    pub name: String,
    pub objective: String,
    pub status: &'static str,
    pub run: u32,
    pub cycle: u32,
    pub phase: String,
    /// Absent until the first step: it chooses the track.
    pub track: Option<String>,
    pub depends_on: Vec<String>,
    pub created_at: String,
    pub updated_at: String,
    #[serde(skip_serializing_if = "Cost::is_nothing")]
    pub cost: Cost,
    pub stays: Vec<Stay>,
    pub footers: Footers,
    pub notes: Vec<NoteShown>,
    pub landings: Vec<LandingShown>,
    /// What is not recorded of it here, in words.
    pub missing: Vec<String>,
}

/// What something took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Cost {
    pub seconds: i64,
    /// Tool calls that ran.
    pub calls: u32,
    /// Words of git seed's own that were put before the agent.
    pub words: u32,
    /// Words of others that it quoted.
    pub quoted: u32,
    pub refusals: u32,
    pub commits: u32,
}

impl Cost {
    /// It took nothing, or is not told.
    pub(crate) fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.seconds += other.seconds;
        self.calls = self.calls.saturating_add(other.calls);
        self.words = self.words.saturating_add(other.words);
        self.quoted = self.quoted.saturating_add(other.quoted);
        self.refusals = self.refusals.saturating_add(other.refusals);
        self.commits = self.commits.saturating_add(other.commits);
    }

    /// What the lines since a step add up to: they carry running counts.
    fn lines(&mut self, lines: &[Line]) {
        let Some(last) = lines.last() else { return };
        let counts = &last.counts;
        let of_lines = Self {
            calls: counts.calls,
            words: counts.words,
            quoted: counts.quoted,
            refusals: counts.refusals,
            ..Self::default()
        };
        self.add(&of_lines);
    }
}

/// A stay in a phase.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Stay {
    pub run: u32,
    pub cycle: u32,
    pub phase: String,
    pub began: String,
    /// Absent for the one where the job stands.
    pub ended: Option<String>,
    #[serde(skip_serializing_if = "Cost::is_nothing")]
    pub cost: Cost,
    pub events: Vec<Event>,
}

/// Something that happened in a stay.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Event {
    Said(SaidShown),
    Refusal(RefusalShown),
    Tests(TestsShown),
    Ruling(RulingShown),
    Step(StepShown),
}

/// A step, with the commit that it made.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct StepShown {
    pub id: String,
    pub step: String,
    pub at: String,
    /// `agent`, `person` or `hook`; absent in older jobs.
    pub by: Option<String>,
    pub subject: String,
    pub message: String,
    pub commit: Option<CommitShown>,
}

/// When something happened, in which stay, and what.
type Told = (UnixSeconds, usize, Event);

/// A landing of the job.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct LandingShown {
    pub branch: String,
    pub tip: String,
    pub commits: Vec<String>,
}

/// The story of `job`.
pub(crate) fn story(repo: &Repo, job: &LoadedJob) -> Result<JobStory> {
    let created = job.state.job.created_at;
    let rulings = rulings::since(repo, created)?;
    let past = Past::of(repo, job)?;
    story_of(repo, job, &past, &rulings)
}

/// The same from what was read before; `rulings` may be of other jobs, too.
pub(crate) fn story_of(
    repo: &Repo,
    job: &LoadedJob,
    past: &Past,
    rulings: &[RulingShown],
) -> Result<JobStory> {
    let (state, head) = (&job.state, &job.state.job);
    let (mut stays, of_steps) = stays(job, past);
    let (said, unkept) = said::all(repo, job)?;
    let own = rulings.iter().filter(|ruling| ruling.job == head.id.as_str()).cloned();
    let mut tests = rulings::tests(repo, job)?;
    let last = stays.len().saturating_sub(1);
    let told = told(repo, past, &of_steps, last, &mut tests)?;
    let mut beside: Vec<(UnixSeconds, Event)> =
        said.into_iter().map(|one| (one.seconds, Event::Said(one))).collect();
    beside.extend(tests.into_iter().map(|one| (one.seconds, Event::Tests(one))));
    beside.extend(own.map(|one| (one.seconds, Event::Ruling(one))));
    beside.sort_by_key(|(at, _)| *at);
    let by_day = beside.iter().any(|(at, _)| is_day(*at));
    fill(&mut stays, told, beside);
    let (footers, notes) = footers::of(repo, job, past)?;
    let mut cost = Cost::default();
    for stay in &stays {
        cost.add(&stay.cost);
    }
    let mut missing = Vec::new();
    if unkept > 0 {
        missing.push(tell(Notice::StoryNoWords, &[("n", &unkept.to_string())]));
    }
    if !past.traced && past.steps.len() > 2 {
        missing.push(tell(Notice::StoryNoTrace, &[]));
    }
    if by_day {
        missing.push(tell(Notice::StoryOfDays, &[]));
    }
    Ok(JobStory {
        id: head.id.to_string(),
        name: head.name.clone(),
        objective: head.objective.clone(),
        status: head.status.word(),
        run: head.run,
        cycle: state.stand.cycle,
        phase: state.stand.phase.to_string(),
        track: (state.stand.cycle > 0).then(|| state.stand.track.clone()),
        depends_on: head.depends_on.iter().map(ToString::to_string).collect(),
        created_at: rfc3339(head.created_at),
        updated_at: rfc3339(head.updated_at),
        cost,
        stays,
        footers,
        notes,
        landings: landings(repo, job)?,
        missing,
    })
}

fn landings(repo: &Repo, job: &LoadedJob) -> Result<Vec<LandingShown>> {
    let landings = record::landing::landings(repo, &job.tip)?;
    let shown = |landing: crate::format::landing::Landing| LandingShown {
        branch: landing.branch,
        tip: landing.tip,
        commits: landing.commits.into_iter().map(|one| one.commit).collect(),
    };
    Ok(landings.into_iter().map(shown).collect())
}

/// The stays of a job, oldest first, without their events, and for each step the stay that it was
/// taken in: one ends with the step that leaves its phase.
pub(crate) fn stays(job: &LoadedJob, past: &Past) -> (Vec<Stay>, Vec<usize>) {
    let (mut stays, mut of_steps): (Vec<Stay>, Vec<usize>) = (Vec::new(), Vec::new());
    let mut last: Option<&PastStep> = None;
    for step in &past.steps {
        let leaves = last.is_none_or(|last| last.way().is_some() || last.said.run != step.said.run);
        let other = stays.last().is_none_or(|stay| stay.phase != step.said.phase);
        let began = last.map_or(step.at, |last| last.at);
        if leaves || other {
            close(&mut stays, began);
            stays.push(opened(step.said.run, step.said.cycle, &step.said.phase, began));
        }
        if let Some(stay) = stays.last_mut() {
            stay.cycle = stay.cycle.max(step.said.cycle);
            stay.cost.lines(&step.lines);
            stay.cost.seconds += step.at.saturating_sub(began).max(0);
            stay.cost.commits += u32::from(step.said.commit.is_some());
        }
        of_steps.push(stays.len().saturating_sub(1));
        last = Some(step);
    }
    let stand = &job.state.stand;
    let left =
        last.is_none_or(|last| last.way().is_some() || last.said.phase != *stand.phase.as_str());
    let first = past.since.first().map_or(job.state.job.created_at, |line| line.at);
    let now = last.map_or(first, |last| last.at);
    if left && !archive::is_closed(&job.state) {
        close(&mut stays, now);
        stays.push(opened(job.state.job.run, stand.cycle, stand.phase.as_str(), now));
    }
    if let Some(stay) = stays.last_mut() {
        stay.cost.lines(&past.since);
        let until = past.since.last().map_or(now, |line| line.at);
        stay.cost.seconds += until.saturating_sub(now).max(0);
        if job.state.job.status == Status::Voided || archive::is_closed(&job.state) {
            stay.ended = Some(rfc3339(now));
        }
    }
    (stays, of_steps)
}

fn close(stays: &mut [Stay], at: UnixSeconds) {
    if let Some(stay) = stays.last_mut() {
        stay.ended = Some(rfc3339(at));
    }
}

fn opened(run: u32, cycle: u32, phase: &str, at: UnixSeconds) -> Stay {
    Stay {
        run,
        cycle,
        phase: phase.to_owned(),
        began: rfc3339(at),
        ended: None,
        cost: Cost::default(),
        events: Vec::new(),
    }
}

/// Steps, refusals and those of the runs whose line is known, in their order, each with its stay:
/// of two that happened within a second only the lines tell which was first.
fn told(
    repo: &Repo,
    past: &Past,
    of_steps: &[usize],
    last: usize,
    runs: &mut Vec<TestsShown>,
) -> Result<Vec<Told>> {
    let (deeds, mut told, mut left) = (past.deeds(), Vec::new(), HUNKS);
    let mut stays = of_steps.iter().copied();
    let mut stay = stays.next().unwrap_or(last);
    for (n, deed) in deeds.iter().enumerate() {
        match deed {
            Deed::Line(line) => {
                let refusal = refusals::shown(&deeds, n).map(Event::Refusal);
                told.extend(refusal.map(|refusal| (line.at, stay, refusal)));
                let is = |ran: &Ran, run: &TestsShown| {
                    run.seconds == ran.at && run.command == ran.command
                };
                let known = line.ran.as_ref();
                if let Some(at) = known.and_then(|ran| runs.iter().position(|run| is(ran, run))) {
                    told.push((line.at, stay, Event::Tests(runs.remove(at))));
                }
            }
            Deed::Step(step) => {
                let shown = step_shown(repo, step, &mut left)?;
                told.push((step.at, stay, Event::Step(shown)));
                stay = stays.next().unwrap_or(last);
            }
        }
    }
    Ok(told)
}

fn step_shown(repo: &Repo, step: &PastStep, left: &mut usize) -> Result<StepShown> {
    let commit = step.said.commit.as_ref();
    Ok(StepShown {
        id: step.said.id.clone(),
        step: step.said.step.clone(),
        at: rfc3339(step.at),
        by: step.said.by.clone(),
        subject: step.subject.clone(),
        message: step.body.clone(),
        commit: commit.map(|commit| changes::of(repo, commit, left)).transpose()?,
    })
}

/// Puts events into their stays: `told` in its own order, and `beside` before what came later.
fn fill(stays: &mut [Stay], told: Vec<Told>, beside: Vec<(UnixSeconds, Event)>) {
    let mut beside = beside.into_iter().peekable();
    for (at, stay, event) in told {
        while let Some((_, earlier)) = beside.next_if(|(other, _)| *other <= at) {
            put(stays, stay, earlier);
        }
        put(stays, stay, event);
    }
    let last = stays.len().saturating_sub(1);
    for (_, event) in beside {
        put(stays, last, event);
    }
}

fn put(stays: &mut [Stay], at: usize, event: Event) {
    if let Some(stay) = stays.get_mut(at) {
        stay.events.push(event);
    }
}
