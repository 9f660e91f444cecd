//! The chains of jobs as verification reads them: each step with its trailers, whether it follows
//! from the one before, and what landed.

use std::collections::{BTreeMap, BTreeSet};

use crate::engine::record;
use crate::engine::repo::{Repo, Result};
use crate::format::landing::{Landing, Made};
use crate::format::state::State;
use crate::format::trailers::{SHIPPED, StepTrailers};
use crate::format::{merge, names, ops, seed_id};
use crate::jobs::JobId;
use crate::jobs::merging::{Kind, kind};
use crate::phases::edges::Edge;
use crate::rules::Judges;
use crate::store::{CommitId, Step, Tip};
use crate::voice::{Notice, tell};

/// The steps of a job, and how it stands.
pub(crate) struct Steps {
    pub by_id: BTreeMap<String, TakenStep>,
    /// The steps that took a commit made for another id, by the id that it carries.
    pub by_carried: BTreeMap<String, String>,
    /// The first step that does not follow.
    pub broken: Option<String>,
    /// The first step of rules that are not here.
    pub unmeasured: Option<String>,
    /// Its newest state, where it reads.
    pub state: Option<State>,
    /// Those that a person undid.
    pub undone: BTreeSet<String>,
    /// Those that fell where two chains were joined.
    pub rejected: BTreeSet<String>,
    /// What landed, oldest first.
    pub landings: Vec<Landing>,
    /// What was written down of each closed cycle, oldest first.
    pub cycles: Vec<Made>,
}

/// One step as its chain has it.
pub(crate) struct TakenStep {
    pub said: StepTrailers,
    pub step: Step,
    /// Its place in the chain.
    pub n: usize,
}

/// A step whose commit is here.
#[derive(Clone, Debug)]
pub(crate) struct OfStep {
    /// The Seed-Id in the commit.
    pub id: String,
    pub commit: CommitId,
    pub run: u32,
    pub cycle: u32,
    /// A person undid it: its commit is theirs.
    pub undone: bool,
}

/// Jobs by their ids, read as they are met; `None` for one that is not here.
pub(crate) type Jobs = BTreeMap<String, Option<Steps>>;

pub(crate) fn open_jobs(repo: &Repo) -> Result<Jobs> {
    let mut jobs = BTreeMap::new();
    for (chain, tip) in repo.store.chains(names::JOBS)? {
        if let Some(id) = names::job_of(&chain) {
            jobs.insert(id.to_string(), Some(steps_of(repo, &id, &tip)?));
        }
    }
    Ok(jobs)
}

/// The steps of one job, open or closed; none where it is not here.
pub(crate) fn steps(repo: &Repo, job: &JobId) -> Result<Option<Steps>> {
    match repo.store.tip(&names::job_chain(job))? {
        Some(tip) => steps_of(repo, job, &tip.commit).map(Some),
        None => archived_steps(repo, job.as_str()),
    }
}

/// The steps of the job whose chain ends at `tip`.
pub(crate) fn steps_to(repo: &Repo, job: &JobId, tip: &CommitId) -> Result<Steps> {
    steps_of(repo, job, tip)
}

pub(crate) fn state_at(repo: &Repo, chain: &str, commit: &CommitId) -> Option<State> {
    // What does not read is broken by its own finding, and says nothing here.
    let tree = repo.store.tree_of_commit(commit).ok()?;
    // The same.
    repo.state_as_stored(chain, &Tip { commit: commit.clone(), tree }).ok()
}

impl Steps {
    /// The step that a commit with this id is of: its own, or the one that took it later.
    pub(crate) fn taken(&self, id: &str) -> Option<&TakenStep> {
        self.by_id.get(id).or_else(|| self.by_id.get(self.by_carried.get(id)?))
    }

    /// The ids of all that is written down of commits, here or not.
    pub(crate) fn written(&self) -> impl Iterator<Item = &str> {
        let landed = self.landings.iter().flat_map(Landing::ids);
        landed.chain(self.cycles.iter().flat_map(Made::ids))
    }

    /// Those whose commits are here, oldest first; behind them those that a person undid.
    pub(crate) fn made(&self, repo: &Repo) -> Vec<OfStep> {
        let mut taken: Vec<&TakenStep> = self.by_id.values().collect();
        taken.sort_by_key(|taken| (self.undone.contains(&taken.said.id), taken.n));
        let made = taken.into_iter().filter_map(|taken| {
            let said = &taken.said;
            let commit: CommitId = said.commit.as_ref()?.parse().ok()?;
            let id = said.carries.clone().unwrap_or_else(|| said.id.clone());
            let (run, cycle, undone) = (said.run, said.cycle, self.undone.contains(&said.id));
            Some(OfStep { id, commit, run, cycle, undone })
        });
        made.filter(|step| repo.store.has_object(step.commit.as_str())).collect()
    }
}

pub(crate) fn archived_steps(repo: &Repo, job: &str) -> Result<Option<Steps>> {
    let Ok(id) = job.parse::<JobId>() else { return Ok(None) };
    let Some(row) = repo.archived_row(&id)? else { return Ok(None) };
    match row.tip.parse() {
        Ok(tip) => Ok(Some(steps_of(repo, &id, &tip)?)),
        Err(_) => Ok(None),
    }
}

/// What a chain says of landings and of closed cycles.
fn written_down(repo: &Repo, tip: &CommitId) -> Result<(Vec<Landing>, Vec<Made>)> {
    let tip = repo.store.tip_of(tip)?;
    Ok((record::landing::landings(repo, &tip)?, record::made::all(repo, &tip)?))
}

/// Where a run begins, on every map.
const IDLE: &str = "idle";

/// The steps of a chain, and the first that does not follow from the one before.
fn steps_of(repo: &Repo, job: &JobId, tip: &CommitId) -> Result<Steps> {
    let mut steps = Steps {
        by_id: BTreeMap::new(),
        by_carried: BTreeMap::new(),
        broken: None,
        unmeasured: None,
        state: state_at(repo, job.as_str(), tip),
        undone: BTreeSet::new(),
        rejected: BTreeSet::new(),
        landings: Vec::new(),
        cycles: Vec::new(),
    };
    match written_down(repo, tip) {
        Ok((landings, cycles)) => (steps.landings, steps.cycles) = (landings, cycles),
        Err(error) => steps.broken = Some(error.to_string()),
    }
    let line = match repo.store.line_to(tip) {
        Ok(line) => line,
        Err(error) => return Ok(Steps { broken: Some(error.to_string()), ..steps }),
    };
    let (mut all, mut known) = (Vec::new(), BTreeMap::new());
    let judges = Judges::default();
    for (n, step) in line.into_iter().enumerate() {
        let Some(said) = StepTrailers::read(&step.message) else {
            steps.broken.get_or_insert_with(|| format!("a step has no trailers: {}", step.commit));
            continue;
        };
        let before = step.parents.first().and_then(|parent| known.get(parent));
        let why = if merge::is_join(&step.message) {
            joins(repo, job, &step, &said).map(Fault::Broken)
        } else {
            follows((repo, &judges), job, &step, &said, before)
        };
        match why {
            Some(Fault::Broken(why)) => steps.broken = steps.broken.take().or(Some(why)),
            Some(Fault::Unknown(why)) => {
                steps.unmeasured = steps.unmeasured.take().or(Some(why));
            }
            None => {}
        }
        known.insert(step.commit.clone(), Before::after(&said, before));
        if step.rejected.is_some() {
            steps.rejected.extend([Some(said.id), said.carries].into_iter().flatten());
            continue;
        }
        if let Some(carried) = &said.carries {
            steps.by_carried.insert(carried.clone(), said.id.clone());
        }
        all.push(said.clone());
        steps.by_id.insert(said.id.clone(), TakenStep { said, step, n });
    }
    let stand = ops::standing(&all, None);
    steps.undone = all.into_iter().map(|said| said.id).filter(|id| !stand.contains(id)).collect();
    Ok(steps)
}

/// What a step leaves to the one that is taken on it.
struct Before {
    id: String,
    run: u32,
    /// The phase where the job stands.
    stands: Option<String>,
}

impl Before {
    fn after(said: &StepTrailers, before: Option<&Self>) -> Self {
        let to = said.step.split_once(" -> ").map(|(_, to)| to.to_owned());
        // A step that led back, or that joined two chains, says where the job stands.
        let there = said.back.is_some() || kind(&said.step) == Kind::Joins;
        let here = there.then(|| said.phase.clone());
        let stands = to.or(here).or_else(|| stands_before(said, before));
        Self { id: said.id.clone(), run: said.run, stands }
    }
}

/// Where the job stands when a step is taken. A run begins where cycles do, wherever the one
/// before was left.
fn stands_before(said: &StepTrailers, before: Option<&Before>) -> Option<String> {
    let before = before?;
    if said.run > before.run && said.back.is_none() {
        return Some(IDLE.to_owned());
    }
    before.stands.clone()
}

/// Why a commit that joins two chains is not the one that anybody makes of them.
fn joins(repo: &Repo, job: &JobId, step: &Step, said: &StepTrailers) -> Option<String> {
    let named = format!("step {} ({})", said.id, step.commit);
    let otherwise = || Some(tell(Notice::JoinMadeOtherwise, &[("step", &named)]));
    let [published, local] = step.parents.as_slice() else { return otherwise() };
    let chain = names::job_chain(job);
    match crate::engine::merge::chain::commit_of(repo, &chain, published, local) {
        Ok(commit) if commit == step.commit => None,
        Ok(_) => otherwise(),
        Err(error) => Some(format!("{named}: {error}")),
    }
}

/// Why a step does not follow from the one before it.
enum Fault {
    Broken(String),
    /// It is a step of rules that are not here: nothing can be said of it.
    Unknown(String),
}

fn follows(
    (repo, judges): (&Repo, &Judges),
    job: &JobId,
    step: &Step,
    said: &StepTrailers,
    before: Option<&Before>,
) -> Option<Fault> {
    let named = format!("step {} ({})", said.id, step.commit);
    if said.job != job.to_string() {
        return Some(Fault::Broken(format!("{named} is of job {}", said.job)));
    }
    let id = before.map(|before| before.id.as_str());
    if said.id != seed_id(&said.job, id, &said.step, said.clone.as_deref()) {
        return Some(Fault::Broken(tell(Notice::StepNotFollowing, &[("step", &named)])));
    }
    let (from, to) = said.step.split_once(" -> ")?;
    if stands_before(said, before).is_some_and(|stands| stands != from) {
        let facts = [("step", &*named), ("from", from)];
        return Some(Fault::Broken(tell(Notice::StepFromElsewhere, &facts)));
    }
    let facts = [("step", &*named), ("from", from), ("to", to)];
    let text = |id: &str| match id {
        SHIPPED => Ok(Some(String::new())),
        id => repo.store.text_of_blob(id),
    };
    match judges.edge(&repo.rules, said.rules.as_ref(), text, (&from.into(), &to.into())) {
        Ok(Edge::On) => None,
        Ok(Edge::Off) => Some(Fault::Broken(tell(Notice::StepOffMap, &facts))),
        Ok(Edge::Unknown) => Some(Fault::Unknown(tell(Notice::StepOfOtherRules, &facts))),
        Err(error) => Some(Fault::Unknown(format!("{named}: {error}"))),
    }
}
