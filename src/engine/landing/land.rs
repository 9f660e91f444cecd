//! `git seed land`: the product of a closed job as clean commits on a branch to hand in.
//!
//! The commits of the phases stay where they are kept; HEAD, the index and the files stay as they
//! are. What is made is proved by its tree. Commits, messages and signatures are made outside any
//! lock; [`record::landing`] says in which order the rest is written.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::engine::landing::asked::Asked;
use crate::engine::landing::below::{self, Below};
use crate::engine::landing::differs::Differs;
use crate::engine::landing::onto::plan;
use crate::engine::landing::plan::{Ground, Plan, Planned, ground, missing};
use crate::engine::landing::reverted::{Reverted, reverted};
use crate::engine::left_out::{self, LeftOut};
use crate::engine::record;
use crate::engine::record::landing::UnderWay;
use crate::engine::repo::answer::Answered;
use crate::engine::repo::{EngineError, Repo, Result};
use crate::format::landing::{LabCommit, LandedCommit, Landing};
use crate::format::names;
use crate::jobs::{Job, JobId, Status, landing};
use crate::rules::Signing;
use crate::store::{BranchMove, CommitId, NewCommit};
use crate::verdict::Refusal;
use crate::voice::{Notice, tell};
use crate::world::progress;

/// What came of it: `land --json`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Landed {
    pub job: JobId,
    #[serde(skip)]
    pub name: String,
    pub branch: String,
    pub base: Option<String>,
    /// None where nothing was made, with `--dry-run`.
    pub tip: Option<String>,
    pub tree: String,
    pub product_identical: bool,
    /// The last commit holds the memory.
    pub memory: bool,
    pub commits: Vec<LandedRow>,
    /// Memory that is in it all the same, where none was to be: commits of others hold it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub memory_kept: Vec<String>,
    /// Commits of the job that are not what its steps recorded: nobody judged what they hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub differs: Vec<Differs>,
    /// Commits behind the job's last one that bear its trailers and are no steps of it any more,
    /// so that the branch is without them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// Commits behind the job's last one that take its work back, which the branch has again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reverted: Vec<Reverted>,
    /// A step of another job below it, which is handed in with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub below: Option<Below>,
    /// The ref that keeps the commits of the phases.
    pub kept: &'static str,
    /// The commit that it was put onto.
    pub onto: Option<String>,
    /// Why its notes are still to be written.
    #[serde(skip)]
    pub waits: Option<String>,
    /// Its tree is that of the job's last commit, or of the branch that it replaces.
    #[serde(skip)]
    pub whole: bool,
    /// The branch that it replaces has commits behind the job's last one.
    #[serde(skip)]
    pub goes_on: bool,
}

/// One commit of it, oldest first.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct LandedRow {
    pub commit: Option<String>,
    pub subject: String,
    /// The commits of the job that it stands for; none where it is somebody else's.
    pub stands_for: Vec<String>,
    /// Lines that lead back to the job and that the commit-msg hook took away.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<String>,
    #[serde(skip)]
    pub fate: Fate,
}

/// What became of a commit of somebody else's that stands between those of the job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It is the job's.
    OfJob,
    /// It is the commit that it was.
    Kept,
    /// It stands on another parent, so it is another commit.
    Moved,
    /// So it has lost the signature of this committer.
    Unsigned(String),
    /// So the person who lands has signed it anew: it is theirs.
    SignedAnew,
}

/// The branch that a landing makes.
struct Target {
    branch: String,
    /// It is the job's own, and replaced.
    replaces: bool,
    /// What asks for this behind `land`.
    line: String,
}

/// Lands the job `id`, or shows what would come of it.
pub(crate) fn land(repo: &Repo, id: &JobId, asked: &Asked) -> Answered<Landed> {
    repo.require_seeded()?;
    let job = repo.job(id)?;
    let record = job.state.job.clone();
    if let Err(refusal) =
        landing::may_land(&record, job.state.is_closing(), repo.store.in_progress())
    {
        return Ok(Err(refusal));
    }
    let ground = ground(repo, job.clone())?;
    if let Some(commit) = missing(repo, &job, ground.as_ref())? {
        let at = landing::Away { commit: &commit, branch: &job.state.home.branch };
        return Ok(Err(landing::away(&record, &at, from(repo).as_deref())));
    }
    let Some(ground) = ground else {
        return below::nothing_left(repo, &job, asked).map(Err);
    };
    let target = match target(repo, &ground, asked)? {
        Ok(target) => target,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let plan = match plan(repo, &ground, asked, target.replaces)? {
        Ok(plan) => plan,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let reverted = if target.replaces { Vec::new() } else { reverted(repo, &ground)? };
    if let Some(refusal) = unshown(&record, &plan, &reverted).filter(|_| asked.subject.is_some()) {
        return Ok(Err(refusal));
    }
    let memory_kept = if asked.without_memory { kept(repo, &ground, &plan)? } else { Vec::new() };
    if asked.dry_run {
        let below = below::below(repo, &ground, asked, (&target.branch, false))?;
        return Ok(Ok(Landed {
            memory_kept,
            reverted,
            below,
            ..told(&ground, &plan, &target, &[])
        }));
    }
    let under_way = match record::landing::begin(repo, &record)? {
        Ok(under_way) => under_way,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let made = make(repo, &ground, &plan, &target, under_way);
    if !matches!(made, Ok(Ok(_))) {
        record::landing::abandon(repo, id)?;
    }
    let told = made?.map(|(made, waits)| {
        let below = below::below(repo, &ground, asked, (&target.branch, true))?;
        let told =
            Landed { memory_kept, reverted, below, waits, ..told(&ground, &plan, &target, &made) };
        with_fates(repo, &ground, &plan, told)
    });
    match told {
        Ok(told) => told.map(Ok),
        Err(refusal) => Ok(Err(refusal)),
    }
}

/// What a person was not shown before they let the job land.
fn unshown(job: &Job, plan: &Plan, reverted: &[Reverted]) -> Option<Refusal> {
    let differs = plan.differs.first();
    let differs = differs.map(|other| landing::unlike(job, &other.commit, &other.recorded));
    let reverted = reverted.first();
    differs.or_else(|| reverted.map(|one| landing::reverted(job, &one.commit, &one.paths)))
}

/// The memory in commits of others, which stay as they are.
fn kept(repo: &Repo, ground: &Ground, plan: &Plan) -> Result<Vec<String>> {
    let mut paths = BTreeSet::new();
    for one in plan.commits.iter().filter(|one| one.message.is_none()) {
        paths.extend(ground.memory_of(repo, one.like)?);
    }
    Ok(paths.into_iter().collect())
}

/// The remote that commits come from which this clone lacks.
fn from(repo: &Repo) -> Option<String> {
    let remotes = repo.store.remotes();
    let set = repo.store.set_remote().filter(|name| remotes.contains(name));
    set.or_else(|| remotes.iter().find(|name| *name == "origin").or(remotes.first()).cloned())
}

/// The same, with what became of commits of others.
fn with_fates(repo: &Repo, ground: &Ground, plan: &Plan, mut told: Landed) -> Result<Landed> {
    for (one, row) in plan.commits.iter().zip(&mut told.commits) {
        let like = &ground.commits[one.like];
        let Some(commit) = row.commit.as_ref().filter(|_| one.message.is_none()) else { continue };
        row.fate = if *commit == like.commit.to_string() {
            Fate::Kept
        } else if !like.is_signed {
            Fate::Moved
        } else {
            let id = commit.parse().map_err(|_| EngineError::OnDisk(commit.clone()))?;
            if repo.store.as_written(&id)?.is_signed {
                Fate::SignedAnew
            } else {
                Fate::Unsigned(like.committer.name())
            }
        };
    }
    Ok(told)
}

/// Which branch it is to be, and whether it may be.
fn target(
    repo: &Repo,
    ground: &Ground,
    asked: &Asked,
) -> Result<std::result::Result<Target, Refusal>> {
    let job = &ground.job.state.job;
    let own = ground.job.state.home.branch.as_str();
    let branch = match &asked.branch {
        Some(branch) => branch.clone(),
        None if own.is_empty() => return Ok(Err(landing::no_branch(job))),
        None => format!("{own}-landed"),
    };
    if !repo.store.is_branch_name(&branch) {
        let facts = [("branch", branch.as_str())];
        return Err(EngineError::Usage(tell(Notice::LandBranchName, &facts)));
    }
    let stands = repo.store.stands_at(&format!("refs/heads/{branch}"))?;
    let replaces = branch == own && stands.is_some();
    if !replaces {
        return Ok(match repo.store.in_the_place_of(&branch)? {
            Some(known) => Err(below::taken(repo, ground, asked, &known)?),
            None => Ok(Target { branch, replaces, line: asked.line(&job.id) }),
        });
    }
    if asked.onto.is_some() || asked.without_memory || ground.branch != stands {
        return Ok(Err(landing::not_whole(job, &branch)));
    }
    if repo.store.is_below(&ground.commits[0].commit, &["refs/remotes"])? {
        let line = asked.alone(repo, &ground.job)?;
        return Ok(Err(landing::published(job, &branch, &line)));
    }
    Ok(Ok(Target { branch, replaces, line: asked.line(&job.id) }))
}

/// A commit that was made.
struct Built {
    commit: CommitId,
    /// What the commit-msg hook made of its message; none where it is somebody else's.
    message: Option<String>,
}

/// Makes the commits, then the branch, then the step; what was made.
fn make(
    repo: &Repo,
    ground: &Ground,
    plan: &Plan,
    target: &Target,
    mut under_way: UnderWay,
) -> Answered<(Vec<Built>, Option<String>)> {
    let job = &ground.job.state.job;
    let built = match build(repo, ground, plan, &target.line)? {
        Ok(built) => built,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let commits: Vec<CommitId> = built.iter().map(|one| one.commit.clone()).collect();
    let from = ground.branch.as_ref().filter(|_| target.replaces);
    if let Some(from) = from {
        repo.store.keep(&names::keep_chain(&job.id), from, repo.now)?;
    }
    under_way.landing = Some(landing_of(repo, ground, plan, target, &commits)?);
    let pairs = plan.commits.iter().zip(&commits).filter(|(one, _)| one.message.is_none());
    let pairs = pairs.map(|(one, new)| (&ground.commits[one.like].commit, new));
    let pairs = pairs.filter(|(old, new)| old != new);
    under_way.kept = pairs.map(|(old, new)| (old.to_string(), new.to_string())).collect();
    record::landing::ready(repo, &under_way)?;
    // There is one: nothing to make was refused.
    let Some(to) = commits.last() else { return Ok(Err(landing::nothing_left(job))) };
    let moves = BranchMove { branch: &target.branch, from, to };
    if !record::landing::move_branch(repo, &moves)? {
        return Ok(Err(landing::moved(job, &target.branch, &target.line)));
    }
    let waits = record::landing::settle(repo, &under_way)?;
    Ok(Ok((built, waits)))
}

fn build(
    repo: &Repo,
    ground: &Ground,
    plan: &Plan,
    command: &str,
) -> Result<std::result::Result<Vec<Built>, Refusal>> {
    let signed = repo.rules.signing == Signing::Always || repo.store.signs_commits()?;
    let me = repo.store.identity();
    let job = &ground.job.state.job;
    let pending = record::landing::pending(&job.id);
    let mut at = plan.onto.clone().or_else(|| ground.base.clone());
    let mut made = Vec::new();
    progress::begin(&tell(Notice::DoesLand, &[]), plan.commits.len());
    for one in &plan.commits {
        progress::step();
        let like = &ground.commits[one.like];
        let message = match &one.message {
            None => None,
            Some(message) => match hooked(repo, message, &pending)? {
                Ok(message) => Some(message),
                Err(said) => return Ok(Err(landing::vetoed(job, &one.subject, &said, command))),
            },
        };
        if message.is_none() && at.as_ref() == like.parents.first() && one.tree == like.tree {
            // It is what it was, with its signature.
            at = Some(like.commit.clone());
            made.push(Built { commit: like.commit.clone(), message: None });
            continue;
        }
        // Other parents of a merge of somebody else's stay.
        let others = like.parents.iter().skip(1).filter(|_| message.is_none());
        let parents: Vec<CommitId> = at.iter().chain(others).cloned().collect();
        // Nobody's commit but one's own is signed with one's key.
        let own = message.is_some() || me.as_ref().is_some_and(|me| like.committer.is_of(me));
        let signed = signed && own;
        let words = message.as_deref();
        let new = NewCommit { tree: &one.tree, parents: &parents, like, message: words, signed };
        let commit = match repo.store.build(&new)? {
            Ok(commit) => commit,
            Err(said) => return Ok(Err(landing::unsigned(job, &said, command))),
        };
        at = Some(commit.clone());
        made.push(Built { commit, message });
    }
    Ok(Ok(made))
}

/// What the commit-msg hook makes of `message`; the inner error is why it cannot be taken.
fn hooked(
    repo: &Repo,
    message: &str,
    pending: &str,
) -> Result<std::result::Result<String, String>> {
    let made = match repo.store.through_commit_msg(message, pending)? {
        Ok(made) => made,
        Err(said) => return Ok(Err(said)),
    };
    if says_nothing(&made) {
        return Ok(Err(tell(Notice::LandEmptied, &[])));
    }
    // A line of ours that is not ours would lead whoever verifies it to another job.
    Ok(match landing::added(message, &made) {
        Some(line) => Err(tell(Notice::LandForged, &[("line", &line)])),
        None => Ok(made),
    })
}

/// No word but trailers is left of a message.
fn says_nothing(message: &str) -> bool {
    let first = message.lines().find(|line| !line.trim().is_empty());
    first.is_none_or(|line| line.starts_with("Seed-Job: ") || line.starts_with("Seed-Id: "))
}

/// What the chain is to say of it.
fn landing_of(
    repo: &Repo,
    ground: &Ground,
    plan: &Plan,
    target: &Target,
    commits: &[CommitId],
) -> Result<Landing> {
    let but = repo.without_memory();
    let labs = plan.commits.iter().flat_map(|one| &one.stands_for);
    let all: Vec<CommitId> =
        labs.map(|at| ground.commits[*at].commit.clone()).chain(commits.iter().cloned()).collect();
    let changes = repo.store.known_changes(&all, &but)?;
    let change = |commit: &CommitId| changes.get(commit).cloned().unwrap_or_default();
    let lab = |at: &usize| {
        let one = &ground.commits[*at];
        LabCommit {
            id: ground.ids[*at].clone().unwrap_or_default(),
            commit: one.commit.to_string(),
            tree: one.tree.to_string(),
            change: change(&one.commit).by_git,
            verbatim: change(&one.commit).verbatim,
            differs: plan.differs.iter().any(|other| other.at == *at),
        }
    };
    let landed = |(one, commit): (&Planned, &CommitId)| LandedCommit {
        commit: commit.to_string(),
        tree: one.tree.to_string(),
        change: change(commit).by_git,
        verbatim: change(commit).verbatim,
        stands_for: one.stands_for.iter().map(lab).collect(),
    };
    let clean = plan.commits.iter().zip(commits).filter(|(one, _)| one.message.is_some());
    let tree = plan.commits.last().map_or_else(|| plan.from.clone(), |one| one.tree.clone());
    let base = plan.onto.as_ref().or(ground.base.as_ref());
    let replaced = ground.branch.as_ref().filter(|_| target.replaces);
    let all = repo.store.change_id(&plan.from, &tree, &but)?;
    Ok(Landing {
        branch: target.branch.clone(),
        base: base.map(ToString::to_string).unwrap_or_default(),
        tip: commits.last().map(ToString::to_string).unwrap_or_default(),
        replaced: replaced.map(ToString::to_string).unwrap_or_default(),
        change: all.by_git,
        verbatim: all.verbatim,
        tree: tree.to_string(),
        commits: clean.map(landed).collect(),
    })
}

/// All of it, for a person; nothing was made where `built` is empty.
fn told(ground: &Ground, plan: &Plan, target: &Target, built: &[Built]) -> Landed {
    let made = |at: usize| built.get(at).and_then(|made| made.message.as_deref());
    let subject = |message: &str| {
        message.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim().to_owned()
    };
    let rows = plan.commits.iter().enumerate().map(|(at, one)| LandedRow {
        commit: built.get(at).map(|made| made.commit.to_string()),
        // The hook has the last word of it.
        subject: made(at).map_or_else(|| one.subject.clone(), subject),
        lost: match (&one.message, made(at)) {
            (Some(meant), Some(made)) => landing::lost(meant, made),
            _ => Vec::new(),
        },
        stands_for: one
            .stands_for
            .iter()
            .map(|at| ground.commits[*at].commit.to_string())
            .collect(),
        fate: if one.message.is_some() { Fate::OfJob } else { Fate::Kept },
    });
    let tree = plan.commits.last().map_or(&plan.from, |one| &one.tree);
    Landed {
        job: ground.job.state.job.id.clone(),
        name: ground.job.state.job.name.clone(),
        branch: target.branch.clone(),
        base: plan.onto.as_ref().or(ground.base.as_ref()).map(ToString::to_string),
        tip: built.last().map(|made| made.commit.to_string()),
        tree: tree.to_string(),
        product_identical: plan.identical,
        memory: plan.memory,
        memory_kept: Vec::new(),
        commits: rows.collect(),
        differs: plan.differs.clone(),
        reverted: Vec::new(),
        below: None,
        left_out: if target.replaces { Vec::new() } else { left_out(ground) },
        kept: names::KEEP_CLOSED,
        onto: plan.onto.as_ref().map(ToString::to_string),
        waits: None,
        whole: plan.whole,
        goes_on: target.replaces && ground.span < ground.commits.len(),
    }
}

/// What bears the trailers of the job behind its last commit, and is none of its steps.
fn left_out(ground: &Ground) -> Vec<LeftOut> {
    left_out::among(&ground.commits[ground.span..], &ground.job.state.job.id, &ground.standing)
}

/// Newer jobs among which one is looked for.
const MOST: usize = 500;
/// Of these the newest, whose commits are looked at.
const LOOKED_AT: usize = 20;

/// The job that a person means where they name none: the newest one that was completed and has
/// commits to land, of this worktree if there is one; a job of another clone has none before they
/// are fetched. Where none has, the newest one.
pub(crate) fn newest_to_land(repo: &Repo) -> Result<Option<JobId>> {
    let closed = closed(repo)?;
    let here = repo.store.worktree_name();
    let mut elsewhere = None;
    for id in closed.iter().take(LOOKED_AT) {
        let job = repo.job(id)?;
        let is_own = job.state.home.worktree == here;
        if !is_own && elsewhere.is_some() || ground(repo, job)?.is_none() {
            continue;
        }
        if is_own {
            return Ok(Some(id.clone()));
        }
        elsewhere = Some(id.clone());
    }
    Ok(elsewhere.or_else(|| closed.into_iter().next()))
}

/// The newest job that was completed.
pub(crate) fn newest_closed(repo: &Repo) -> Result<Option<JobId>> {
    Ok(closed(repo)?.into_iter().next())
}

/// The jobs that were completed, newest first.
fn closed(repo: &Repo) -> Result<Vec<JobId>> {
    let live: BTreeSet<JobId> = record::archive::live_ids(repo)?.into_iter().collect();
    let mut found = Vec::new();
    for id in &live {
        let state = repo.job(id)?.state;
        if state.job.status == Status::Completed && !state.is_closing() {
            found.push(id.clone());
        }
    }
    let closed = record::archive::closed_beside(repo, &live.iter().collect(), MOST)?;
    let closed = closed.into_iter().filter(|row| row.status == Status::Completed);
    let mut all: Vec<JobId> = closed.map(|row| row.id).chain(found).collect();
    all.sort_by(|one, other| other.cmp(one));
    Ok(all)
}
