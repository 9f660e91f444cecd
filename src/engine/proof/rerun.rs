//! `verify --rerun`: recorded runs of tests, once more, each on the files that it ran on.
//!
//! What is run comes from chains that anybody may have written, and it is the one thing of theirs
//! that ever runs: a program with its arguments that the shipped rows or those of `seed.toml` in
//! the base of the range know, in a scratch directory, with next to no environment and no shell.
//! What the files do is up to them: that is what a run of their tests is. What could not be run
//! again is named.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use crate::claims::Ran;
use crate::claims::again::{self, Ended, NotPlain, Outcome, Plain, Rerun};
use crate::claims::audit::{Findings, Standing};
use crate::claims::counts::counts;
use crate::claims::runs::Runs;
use crate::engine::proof::chain::{self, Steps, TakenStep};
use crate::engine::repo::{EngineError, Repo, Result, paths};
use crate::format::landing::LabCommit;
use crate::format::trailers::{claimed_ids, claimed_jobs};
use crate::format::{evidence, names};
use crate::jobs::JobId;
use crate::phases::{PhaseName, Write};
use crate::rules::Rules;
use crate::store::{CommitId, Inexact, Notes, Tip, TreeId};
use crate::verdict::Refusal;
use crate::voice::{Notice, tell};
use crate::world::{self, Alone, Scratch, progress};

/// The proposal for rules at the top of a work tree.
pub(crate) const PROPOSAL: &str = "seed.toml";

/// What is run again, and for how long each run may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Again<'a> {
    /// `<base>..<head>`.
    pub range: &'a str,
    pub most: Duration,
}

/// Refuses to run anything where an agent could have asked for it.
pub(crate) fn may_run(repo: &Repo) -> std::result::Result<(), Refusal> {
    match repo.typist() {
        Err(why) if why.is_agent() => {
            Err(crate::phases::commands::runs_nothing_for_agents(&why.to_string()))
        }
        _ => Ok(()),
    }
}

/// Where a recorded run is run again.
struct Place {
    tree: TreeId,
    /// The commit of the range whose tree it is, where the tree of then is not here.
    commit: Option<CommitId>,
}

/// What came of running something.
#[derive(Clone)]
enum Tried {
    Ended(Ended, Inexact),
    Not(String),
}

/// What the range holds, and what was run so far.
struct Ground<'a> {
    repo: &'a Repo,
    base: String,
    runs: Runs,
    most: Duration,
    /// Commits of the range that name a step or stand for one, newest first, with the messages of
    /// those that name one.
    named: Vec<(CommitId, String)>,
    /// What content says that commits stand for.
    follows: BTreeMap<String, BTreeMap<String, BTreeSet<String>>>,
    /// What a run may not change.
    closed: Vec<PathBuf>,
    done: BTreeMap<(Plain, TreeId), Tried>,
}

/// Runs again what the jobs of a range recorded; what differs or was not run is a finding.
pub(crate) fn rerun(
    repo: &Repo,
    asked: &Again<'_>,
    notes: Option<&Notes>,
    findings: &mut Findings,
) -> Result<Vec<Rerun>> {
    let (base, _) = asked.range.split_once("..").unwrap_or((asked.range, ""));
    let store = &repo.store;
    let places = [store.work_tree(), store.git_dir(), store.common_dir()].map(paths::real);
    let mut ground = Ground {
        repo,
        base: base.chars().take(12).collect(),
        runs: runs_of(repo, base)?,
        most: asked.most,
        named: named(repo, asked.range, findings)?,
        follows: findings.follows.clone(),
        closed: places.into(),
        done: BTreeMap::new(),
    };
    world::sweep(&ground.closed);
    let mut all = Vec::new();
    let jobs = ground.jobs(asked.range, notes)?;
    progress::begin(&tell(Notice::DoesRuns, &[]), jobs.len());
    for job in jobs {
        progress::step();
        all.extend(ground.of_job(&job, findings)?);
    }
    Ok(all)
}

/// Commits of the range that lead to a job.
fn named(repo: &Repo, range: &str, findings: &Findings) -> Result<Vec<(CommitId, String)>> {
    let named: BTreeMap<CommitId, String> = repo.store.seed_commits(range)?.into_iter().collect();
    let all = repo.store.commits_of(range)?.into_iter().map(|(commit, _)| commit);
    let leads = |commit: CommitId| match named.get(&commit) {
        Some(message) => Some((commit, message.clone())),
        None if findings.follows.contains_key(commit.as_str()) => Some((commit, String::new())),
        None => None,
    };
    Ok(all.filter_map(leads).collect())
}

/// The runs that git seed brings, and those that the base of the range adds.
fn runs_of(repo: &Repo, base: &str) -> Result<Runs> {
    let unknown = || EngineError::Usage(tell(Notice::CiCommitUnknown, &[("commit", base)]));
    let base = repo.store.resolve_commit(base)?.ok_or_else(unknown)?;
    let rules = match repo.store.file_of_commit(&base, PROPOSAL)? {
        None => Rules::shipped()?,
        Some(bytes) => {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let file = format!("{base}:{PROPOSAL}");
            Rules::with(&text).map_err(|bad| EngineError::OnDisk(bad.told(&file, &text)))?
        }
    };
    Ok(rules.runs().clone())
}

impl Ground<'_> {
    /// The jobs that commits of the range lead to, by their messages and notes.
    fn jobs(&self, range: &str, notes: Option<&Notes>) -> Result<BTreeSet<JobId>> {
        let claimed = self.named.iter().flat_map(|(_, message)| claimed_jobs(message));
        let followed = self.follows.values().flat_map(BTreeMap::keys).map(String::as_str);
        let all = claimed.chain(followed);
        let mut jobs: BTreeSet<JobId> = all.filter_map(|job| job.parse().ok()).collect();
        for (commit, _) in self.repo.store.commits_of(range)? {
            let lines = notes.and_then(|notes| notes.get(commit.as_str()));
            let lines = lines.into_iter().flatten().flatten();
            let named = lines.filter_map(|line| crate::format::notes::job_of(line));
            jobs.extend(named.filter_map(|job| job.parse::<JobId>().ok()));
        }
        Ok(jobs)
    }

    fn of_job(&mut self, job: &JobId, findings: &mut Findings) -> Result<Vec<Rerun>> {
        // A job that does not read is named as one that is not here; why, its own finding says.
        let known = self.repo.job(job).ok().zip(chain::steps(self.repo, job)?);
        let Some((loaded, steps)) = known else {
            let why = tell(Notice::RerunNoChain, &[]);
            findings.once(job.as_str(), &Standing::NotMeasured(why));
            return Ok(Vec::new());
        };
        let mut all = Vec::new();
        for (id, ran) in receipts(self.repo, &loaded.tip)? {
            let Some(ran) = ran else {
                let why = tell(Notice::RerunUnread, &[]);
                findings.add(&id, &Standing::NotMeasured(why));
                continue;
            };
            let (standing, place) = self.one(&ran, (job, &steps))?;
            findings.add(&id, &standing);
            let outcome = match standing {
                Standing::Verified | Standing::Followed { .. } => Outcome::Same,
                Standing::Broken(_) => Outcome::Other,
                Standing::NotMeasured(_) => Outcome::NotRun,
            };
            let (tree, commit) = match place {
                Some(place) => (Some(place.tree.to_string()), place.commit),
                None => (None, None),
            };
            let commit = commit.map(|commit| commit.to_string());
            let (job, command) = (job.to_string(), again::shown(&ran.command));
            all.push(Rerun { record: id, job, command, tree, commit, outcome });
        }
        Ok(all)
    }

    /// One receipt: what came of it, and where it was run.
    fn one(&mut self, ran: &Ran, steps: (&JobId, &Steps)) -> Result<(Standing, Option<Place>)> {
        let command = again::shown(&ran.command);
        let not = |why: Notice, facts: &[(&str, &str)]| {
            let why = tell(why, facts);
            let facts = [("command", command.as_str()), ("why", why.as_str())];
            Standing::NotMeasured(tell(Notice::RerunNot, &facts))
        };
        let plain = match again::plain(ran, &self.runs) {
            Ok(plain) => plain,
            Err(why) => return Ok((not(told(why), &[("base", &self.base)]), None)),
        };
        let Some(place) = self.place(ran, steps)? else {
            return Ok((not(Notice::RerunNoTree, &[]), None));
        };
        let tried = self.tries(&plain, &place.tree)?;
        let standing = match tried {
            Tried::Not(why) => not(Notice::RerunWhy, &[("why", &why)]),
            Tried::Ended(ended, inexact) => match again::compared(ran, &ended) {
                Ok(()) => Standing::Verified,
                Err(other) => {
                    let on = shown_place(&place);
                    let facts = [
                        ("command", command.as_str()),
                        ("on", on.as_str()),
                        ("now", other.now.as_str()),
                        ("recorded", other.recorded.as_str()),
                    ];
                    // Those files were others then.
                    if inexact == Inexact::default() {
                        Standing::Broken(tell(Notice::RerunOther, &facts))
                    } else {
                        Standing::NotMeasured(tell(Notice::RerunInexact, &facts))
                    }
                }
            },
        };
        Ok((standing, Some(place)))
    }

    /// The files that it ran on: those of then, else those of the commit that it backs.
    fn place(&self, ran: &Ran, steps: (&JobId, &Steps)) -> Result<Option<Place>> {
        let named = ran.tree_before.as_ref().or(ran.tree_after.as_ref());
        let named = named.and_then(|tree| tree.parse::<TreeId>().ok());
        if let Some(tree) = &named
            && self.repo.store.has_object(tree.as_str())
        {
            return Ok(Some(Place { tree: tree.clone(), commit: None }));
        }
        let Some(commit) = self.backed(ran, named.as_ref(), steps) else { return Ok(None) };
        let tree = self.repo.store.tree_of_commit(&commit)?;
        Ok(Some(Place { tree, commit: Some(commit) }))
    }

    /// The newest commit of the range whose product is to be that of a recorded run.
    fn backed(
        &self,
        ran: &Ran,
        tree: Option<&TreeId>,
        (job, steps): (&JobId, &Steps),
    ) -> Option<CommitId> {
        let step = by_tree(tree, steps).or_else(|| self.by_stay(ran, steps))?;
        let at = steps.taken(&step)?.n;
        let named = self.named.iter().find(|(commit, message)| {
            let mut ids = ids_of(commit, message, steps);
            let follows = self.follows.get(commit.as_str()).and_then(|jobs| jobs.get(job.as_str()));
            ids.extend(follows.into_iter().flatten().cloned());
            let later = |id: &String| steps.taken(id).is_some_and(|taken| taken.n > at);
            let changes = |id: &String| {
                steps.taken(id).is_none_or(|taken| self.writes_product(&taken.said.phase))
            };
            ids.contains(&step) && !ids.iter().any(|id| later(id) && changes(id))
        });
        named.map(|(commit, _)| commit.clone())
    }

    /// In a stay that changes no product it ran on what the last commit before it holds.
    fn by_stay(&self, ran: &Ran, steps: &Steps) -> Option<String> {
        let (cycle, phase) = ran.stay.split_once(' ')?;
        if self.writes_product(phase) {
            return None;
        }
        let (run, cycle) = cycle.split_once('.')?;
        let (run, cycle) = (run.parse().ok()?, cycle.parse().ok()?);
        let enters = |taken: &&TakenStep| {
            let said = &taken.said;
            let to = said.step.split_once(" -> ").map(|(_, to)| to);
            (said.run, said.cycle, to) == (run, cycle, Some(phase)) && taken.step.at <= ran.at
        };
        let entered = steps.by_id.values().filter(enters).map(|taken| taken.n).max()?;
        // A boundary with nothing to commit left all as the commit before it has it.
        let made = steps.by_id.values().filter(|taken| taken.n <= entered);
        let made = made.filter(|taken| taken.said.commit.is_some());
        made.max_by_key(|taken| taken.n).map(carried)
    }

    /// True for a phase in which more than memory may change, and for one that is not known.
    fn writes_product(&self, phase: &str) -> bool {
        let maps = &self.repo.rules.maps;
        let name = PhaseName::from(phase);
        let rows = maps.names().into_iter().filter_map(|map| maps.get(map).phase(&name));
        let product = |write: &Write| matches!(write, Write::Scope | Write::Surface | Write::All);
        let mut rows = rows.peekable();
        rows.peek().is_none() || rows.any(|row| row.write.iter().any(product))
    }

    fn tries(&mut self, plain: &Plain, tree: &TreeId) -> Result<Tried> {
        let key = (plain.clone(), tree.clone());
        if let Some(done) = self.done.get(&key) {
            return Ok(done.clone());
        }
        let tried = self.runs_alone(plain, tree)?;
        self.done.insert(key, tried.clone());
        Ok(tried)
    }

    fn runs_alone(&self, plain: &Plain, tree: &TreeId) -> Result<Tried> {
        let scratch = Scratch::outside_of(&self.closed)?;
        let [top, home] = ["tree", "home"].map(|name| scratch.dir().join(name));
        std::fs::create_dir(&top)?;
        std::fs::create_dir(&home)?;
        let not = |notice, facts: &[(&str, &str)]| Ok(Tried::Not(tell(notice, facts)));
        let inexact = match self.repo.store.write_out(tree, &top) {
            Ok(inexact) => inexact,
            Err(why) => return not(Notice::RerunNoFiles, &[("why", &why.to_string())]),
        };
        let Some(dir) = inside(&top, &plain.dir) else {
            return not(Notice::RerunNoDir, &[("dir", &again::shown(&plain.dir))]);
        };
        // Nothing can be made above what is closed, and programs make files beside the scratch.
        let beside = scratch
            .dir()
            .parent()
            .is_none_or(|shared| self.closed.iter().any(|closed| closed.starts_with(shared)));
        let closed = if beside { &[][..] } else { &self.closed };
        let (words, most) = (&plain.words, self.most);
        let ran = Alone { words, dir: &dir, home: &home, most, closed }.run();
        match ran {
            Err(why) => not(Notice::RerunNotStarted, &[("why", &why.to_string())]),
            Ok(None) => not(Notice::RerunNoProgram, &[("program", &again::shown(&words[0]))]),
            Ok(Some(ran)) if ran.late => {
                not(Notice::RerunLate, &[("seconds", &most.as_secs().to_string())])
            }
            Ok(Some(ran)) => {
                let counts = counts(&plain.run, &ran.said);
                Ok(Tried::Ended(Ended { status: ran.status, counts }, inexact))
            }
        }
    }
}

/// The receipts of a job, oldest first; none of one that does not read.
fn receipts(repo: &Repo, tip: &Tip) -> Result<Vec<(String, Option<Ran>)>> {
    let mut all = Vec::new();
    for dir in repo.store.names(tip, names::EVIDENCE)? {
        let dir = format!("{}/{dir}", names::EVIDENCE);
        for file in repo.store.names(tip, &dir)? {
            let Some(id) = file.strip_suffix(".toml").filter(|id| evidence::is_id(id)) else {
                continue;
            };
            let bytes = repo.store.file(tip, &evidence::path(id))?;
            let ran = bytes.and_then(|bytes| evidence::read(&bytes));
            all.push((id.to_owned(), ran.map(|ran| repo.store.ran_at(id, ran))));
        }
    }
    all.sort_by_key(|(id, ran)| (ran.as_ref().map(evidence::order), id.clone()));
    Ok(all)
}

/// The step whose commit had this very tree, as the chain wrote it down.
fn by_tree(tree: Option<&TreeId>, steps: &Steps) -> Option<String> {
    let tree = tree?.as_str();
    let cycles = steps.cycles.iter().flat_map(|cycle| &cycle.commits);
    let landed = steps.landings.iter().flat_map(|landing| &landing.commits);
    let mut labs = cycles.chain(landed.flat_map(|one| &one.stands_for));
    labs.find(|lab| lab.tree == tree).map(|lab| lab.id.clone())
}

/// The Seed-Id in the commit of a step.
fn carried(taken: &TakenStep) -> String {
    taken.said.carries.clone().unwrap_or_else(|| taken.said.id.clone())
}

/// The steps that a commit stands for: those that it names, and those that a landing of the job
/// says of it, or of the one that it was made of.
pub(crate) fn ids_of(commit: &CommitId, message: &str, steps: &Steps) -> BTreeSet<String> {
    let mut ids: BTreeSet<String> = claimed_ids(message).map(str::to_owned).collect();
    let landed: Vec<&[LabCommit]> = steps
        .landings
        .iter()
        .flat_map(|landing| &landing.commits)
        .filter(|one| {
            let last = one.stands_for.last().is_some_and(|lab| ids.contains(&lab.id));
            one.commit == commit.as_str() || last
        })
        .map(|one| one.stands_for.as_slice())
        .collect();
    ids.extend(landed.into_iter().flatten().map(|lab| lab.id.clone()));
    ids
}

/// The directory `dir` below `top`, where the way there is one of directories alone.
fn inside(top: &Path, dir: &str) -> Option<PathBuf> {
    let mut at = top.to_owned();
    for part in Path::new(dir).components() {
        let Component::Normal(part) = part else { return None };
        at.push(part);
        // What is not there is no directory.
        at.symlink_metadata().ok().filter(std::fs::Metadata::is_dir)?;
    }
    Some(at)
}

fn shown_place(place: &Place) -> String {
    let short = |id: &str| id.chars().take(12).collect::<String>();
    match &place.commit {
        Some(commit) => format!("commit {}", short(commit.as_str())),
        None => format!("tree {}", short(place.tree.as_str())),
    }
}

fn told(why: NotPlain) -> Notice {
    match why {
        NotPlain::Cut => Notice::RerunCut,
        NotPlain::Shell => Notice::RerunShell,
        NotPlain::Unknown => Notice::RerunUnknown,
        NotPlain::Outside => Notice::RerunOutside,
        NotPlain::NoOutcome => Notice::RerunNoOutcome,
    }
}
