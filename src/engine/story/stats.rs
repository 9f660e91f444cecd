//! Sums over the jobs and runs of this clone. No score of anybody, and nothing that left the
//! machine: what is counted stands in this repository.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::engine::record;
use crate::engine::repo::text::rfc3339;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::engine::story::job::{Cost, stays};
use crate::engine::story::past::Past;
use crate::engine::story::refusals::{self, Fate, RefusalShown};
use crate::engine::story::rulings::{self, RulingShown};
use crate::engine::story::tokens::{self, TokensShown};
use crate::event::UnixSeconds;
use crate::format::tokens::TokenBook;
use crate::format::{names, state};
use crate::voice::{Notice, tell};
use crate::world::progress;

/// `stats --json`.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Stats {
    /// From when on things are counted; absent where all are.
    pub since: Option<String>,
    /// How many jobs have each status, of those that something happened to.
    pub jobs: BTreeMap<&'static str, u32>,
    pub runs: u32,
    /// Jobs of other clones, which are not counted.
    pub elsewhere: u32,
    /// Jobs without journal lines: their acts and refusals are not recorded.
    pub not_recorded: u32,
    pub total: Cost,
    /// By the day, of jobs whose host tells them; absent where none does.
    pub tokens: Option<TokensShown>,
    /// In the order in which they were met.
    pub phases: Vec<PhaseSum>,
    /// What held the work up longest first.
    pub refusals: Vec<RuleSum>,
    /// How often work left the small lane for the full one.
    pub grown: u32,
    pub tests: TestSum,
    pub claims: ClaimSum,
}

/// All stays in one phase.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct PhaseSum {
    pub phase: String,
    pub stays: u32,
    pub cost: Cost,
}

/// All refusals of one rule.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct RuleSum {
    pub by: String,
    pub refusals: u32,
    /// The next try was let through.
    pub passed: u32,
    pub other_way: u32,
    pub open: u32,
    /// Seconds until the work went on, a refusal that is repeated counted once.
    pub held_up: i64,
}

#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct TestSum {
    pub runs: u32,
    pub failed: u32,
    /// Runs whose end the host did not tell.
    pub untold: u32,
}

#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct ClaimSum {
    pub ruled: u32,
    /// Rulings that did not let the claim stand.
    pub sent_back: u32,
    /// Last words of a turn that were sent back.
    pub words_sent_back: u32,
}

/// All jobs, oldest first: those with a ref, and those in the archive.
pub(crate) fn jobs(repo: &Repo) -> Result<Vec<LoadedJob>> {
    let mut ids: BTreeSet<_> = record::archive::live_ids(repo)?.into_iter().collect();
    ids.extend(record::archive::closed(repo)?.into_iter().map(|row| row.id));
    ids.iter().map(|id| repo.job(id)).collect()
}

/// The sums since `from`, or over all.
pub(crate) fn stats(repo: &Repo, from: Option<UnixSeconds>) -> Result<Stats> {
    let mut sums = Sums::since(from);
    let jobs = jobs(repo)?;
    progress::begin(&tell(Notice::DoesStories, &[]), jobs.len());
    for job in jobs {
        progress::step();
        let past = Past::of(repo, &job)?;
        sums.add(repo, &job, &past)?;
    }
    Ok(sums.end(&rulings::since(repo, from.unwrap_or(0))?))
}

/// Sums on their way: one job after the other, so that no past is kept longer than needed.
#[derive(Debug)]
pub(crate) struct Sums {
    stats: Stats,
    from: UnixSeconds,
    /// The jobs that are counted.
    own: BTreeSet<String>,
    /// What is known of tokens; read once.
    book: Option<TokenBook>,
}

impl Sums {
    pub(crate) fn since(from: Option<UnixSeconds>) -> Self {
        let stats = Stats { since: from.map(rfc3339), ..Stats::default() };
        Self { stats, from: from.unwrap_or(UnixSeconds::MIN), own: BTreeSet::new(), book: None }
    }

    pub(crate) fn add(&mut self, repo: &Repo, job: &LoadedJob, past: &Past) -> Result<()> {
        if repo.is_foreign(&job.state)? {
            self.stats.elsewhere += 1;
        } else if self.stats.job(repo, job, past, self.from)? {
            let id = job.state.job.id.to_string();
            if self.book.is_none() {
                self.book = Some(repo.store.tokens()?);
            }
            if let Some(told) = self.book.as_ref().and_then(|book| book.of(&id, self.from)) {
                let words = tokens::words(job, &cut(past, self.from));
                let shown = TokensShown::of(told, words);
                self.stats.tokens.get_or_insert_default().add(&shown);
            }
            self.own.insert(id);
        }
        Ok(())
    }

    pub(crate) fn end(self, rulings: &[RulingShown]) -> Stats {
        let Self { mut stats, own, .. } = self;
        for ruling in rulings.iter().filter(|ruling| own.contains(&ruling.job)) {
            stats.claims.ruled += 1;
            stats.claims.sent_back += u32::from(!ruling.opens);
        }
        stats.refusals.sort_by(|one, other| {
            let key = |sum: &RuleSum| (sum.held_up, sum.refusals);
            key(other).cmp(&key(one)).then_with(|| one.by.cmp(&other.by))
        });
        stats
    }
}

impl Stats {
    /// Adds a job, and says whether anything happened to it since then.
    fn job(
        &mut self,
        repo: &Repo,
        job: &LoadedJob,
        past: &Past,
        from: UnixSeconds,
    ) -> Result<bool> {
        let whole = past.steps.first().is_some_and(|step| step.at >= from);
        let late = cut(past, from);
        let past = if whole { past } else { &late };
        if past.steps.is_empty() && past.since.is_empty() {
            return Ok(false);
        }
        *self.jobs.entry(job.state.job.status.word()).or_default() += 1;
        let runs: BTreeSet<u32> = past.steps.iter().map(|step| step.said.run).collect();
        self.runs += u32::try_from(runs.len()).unwrap_or(u32::MAX);
        self.not_recorded += u32::from(!past.traced && past.steps.len() > 2);
        for stay in stays(job, past).0 {
            self.total.add(&stay.cost);
            self.phase(&stay.phase, &stay.cost);
        }
        let deeds = past.deeds();
        for n in 0..deeds.len() {
            if let Some(refusal) = refusals::shown(&deeds, n) {
                self.refusal(&refusal);
            }
        }
        self.grown += grown(repo, past)?;
        for run in rulings::tests(repo, job)?.iter().filter(|run| run.seconds >= from) {
            self.tests.runs += 1;
            self.tests.failed += u32::from(run.failed);
            self.tests.untold += u32::from(!run.failed && run.status.is_none());
        }
        Ok(true)
    }

    fn phase(&mut self, phase: &str, cost: &Cost) {
        let at = self.phases.iter().position(|sum| sum.phase == phase).unwrap_or_else(|| {
            let (phase, cost) = (phase.to_owned(), Cost::default());
            self.phases.push(PhaseSum { phase, stays: 0, cost });
            self.phases.len() - 1
        });
        let sum = &mut self.phases[at];
        sum.stays += 1;
        sum.cost.add(cost);
    }

    fn refusal(&mut self, refusal: &RefusalShown) {
        self.claims.words_sent_back += u32::from(refusals::is_of_words(refusal));
        let at = self.refusals.iter().position(|sum| sum.by == refusal.by);
        let at = at.unwrap_or_else(|| {
            self.refusals.push(RuleSum { by: refusal.by.clone(), ..RuleSum::default() });
            self.refusals.len() - 1
        });
        let sum = &mut self.refusals[at];
        sum.refusals += 1;
        match refusal.fate {
            Fate::Passed => sum.passed += 1,
            Fate::OtherWay => sum.other_way += 1,
            Fate::Open => sum.open += 1,
        }
        // The wait of the first one holds that of its repetitions.
        sum.held_up += refusal.held_up.filter(|_| !refusal.again).unwrap_or_default();
    }
}

/// What of a past is not older than `from`.
fn cut(past: &Past, from: UnixSeconds) -> Past {
    Past {
        steps: past.steps.iter().filter(|step| step.at >= from).cloned().collect(),
        since: past.since.iter().filter(|line| line.at >= from).cloned().collect(),
        traced: past.traced,
    }
}

/// How often the job left the small lane, in the middle of a cycle.
fn grown(repo: &Repo, past: &Past) -> Result<u32> {
    let mut grown = 0;
    for pair in past.steps.windows(2) {
        let [before, step] = pair else { continue };
        let rests = |phase: &str| repo.rules.maps.home().rests(&phase.into());
        let candidate = step.way().is_some_and(|(from, _)| !rests(from));
        if !candidate {
            continue;
        }
        let is_small = |commit| -> Result<Option<bool>> {
            let map = track(repo, commit)?.map(|track| repo.rules.maps.get(&track));
            Ok(map.map(|map| map.lane.is_some()))
        };
        let lanes = (is_small(&before.commit)?, is_small(&step.commit)?);
        grown += u32::from(lanes == (Some(true), Some(false)));
    }
    Ok(grown)
}

/// The track where a job stood after a step.
fn track(repo: &Repo, commit: &crate::store::CommitId) -> Result<Option<String>> {
    let bytes = repo.store.file_of_commit(commit, names::STATE)?;
    // A state of another format says nothing here.
    let state = bytes.and_then(|bytes| state::read(&bytes).ok());
    Ok(state.map(|state| state.stand.track))
}
