//! Landings of jobs: what the chain says of them, and one on its way, over a kill.
//!
//! A landing makes commits, moves a branch and takes a step: the branch comes first, by
//! compare-and-swap, then the step, then notes. What is meant lies in one file of the job below
//! `.git/seed/landing`, which also keeps a second landing of the job away. After a kill before the
//! branch moved nothing has happened; after one behind it the next command takes the step.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::engine::record::draft::{By, StepDraft};
use crate::engine::repo::{EngineError, Repo, Result};
use crate::engine::{own_state, record};
use crate::format::landing::Landing;
use crate::format::{claim, names, notes};
use crate::jobs::landing::{self, Offer};
use crate::jobs::merging::LAND_WORD;
use crate::jobs::{Job, JobId};
use crate::store::{BranchMove, CommitId, StoreError, Tip, TreeEdit};
use crate::verdict::Refusal;
use crate::voice::{Notice, tell};
use crate::world::{self, Process};

/// The step that a landing is in the chain.
const STEP: &str = "land";
/// What our hooks find in `GIT_SEED_PENDING`, before the job's id.
const PENDING: &str = "land ";

/// A landing that is being made.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct UnderWay {
    pub job: JobId,
    /// What it comes to; none while its commits are being made.
    pub landing: Option<Landing>,
    /// Commits that stay as they are, on another parent: the old one and the new one.
    #[serde(default)]
    pub kept: Vec<(String, String)>,
    process: Process,
}

fn dir(repo: &Repo) -> PathBuf {
    repo.store.seed_dir().join("landing")
}

fn file(repo: &Repo, job: &JobId) -> PathBuf {
    dir(repo).join(format!("{job}.json"))
}

/// The word by which our hooks know a commit of this landing.
pub(crate) fn pending(job: &JobId) -> String {
    format!("{PENDING}{job}")
}

/// The commit that a hook runs for is one of a landing.
pub(crate) fn is_building(repo: &Repo, told: &str) -> bool {
    let job = told.strip_prefix(PENDING).and_then(|job| job.parse::<JobId>().ok());
    job.is_some_and(|job| file(repo, &job).exists())
}

/// Somebody lands the job right now.
pub(crate) fn is_under_way(repo: &Repo, job: &JobId) -> bool {
    file(repo, job).exists()
}

/// The landings that the chain of a job tells of, oldest first.
pub(crate) fn landings(repo: &Repo, tip: &Tip) -> Result<Vec<Landing>> {
    let mut all = Vec::new();
    for name in repo.store.names(tip, names::LANDED)? {
        let path = format!("{}/{name}", names::LANDED);
        // Listed right above.
        let bytes = repo.store.file(tip, &path)?.unwrap_or_default();
        let read = Landing::read(&bytes);
        all.push(read.map_err(|bad| EngineError::OnDisk(format!("{path}: {bad}")))?);
    }
    Ok(all)
}

/// Begins a landing of `job`; refused where another process lands it.
pub(crate) fn begin(repo: &Repo, job: &Job) -> Result<std::result::Result<UnderWay, Refusal>> {
    let (id, process) = (job.id.clone(), world::myself());
    let under_way = UnderWay { job: id, landing: None, kept: Vec::new(), process };
    let bytes = serde_json::to_vec(&under_way)?;
    match world::Whole::private().write_new(&file(repo, &job.id), &bytes) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            Ok(Err(landing::under_way(job)))
        }
        done => Ok(done.map(|()| Ok(under_way))?),
    }
}

/// Moves or makes a branch; false where it stands elsewhere by now. Git's own words about a lock
/// tell nobody what helps.
pub(crate) fn move_branch(repo: &Repo, moves: &BranchMove<'_>) -> Result<bool> {
    let lock = format!("refs/heads/{}.lock", moves.branch);
    let locked = || repo.store.ref_locks().iter().any(|held| held.name == lock);
    repo.store.move_branch(moves).map_err(|error| match error {
        StoreError::Git { .. } if locked() => {
            EngineError::Remote(tell(Notice::SyncLocked, &[("lock", &lock)]))
        }
        error => error.into(),
    })
}

/// Its commits are made, and the branch moves next.
pub(crate) fn ready(repo: &Repo, under_way: &UnderWay) -> Result<()> {
    let bytes = serde_json::to_vec(under_way)?;
    Ok(world::Whole::private().write(&file(repo, &under_way.job), &bytes)?)
}

/// It is over, or comes to nothing.
pub(crate) fn done(repo: &Repo, job: &JobId) -> Result<()> {
    Ok(world::remove_if_there(file(repo, job))?)
}

/// The branch has moved: the step, then notes. Why the notes have to wait for the next command,
/// where somebody holds their ref.
pub(crate) fn settle(repo: &Repo, under_way: &UnderWay) -> Result<Option<String>> {
    let Some(landing) = &under_way.landing else {
        return done(repo, &under_way.job).map(|()| None);
    };
    let lock = repo.store.lock()?;
    let job = record::archive::restore(repo, &under_way.job)?;
    let known = landings(repo, &job.tip)?;
    if !known.iter().any(|one| one.tip == landing.tip) {
        let fold = record::interactions::fold_for(repo, &job.chain)?;
        let bytes = landing.write()?;
        let path = names::landing(known.len() + 1);
        let count = landing.commits.len().to_string();
        let facts = [("count", count.as_str()), ("branch", &landing.branch)];
        let subject = tell(Notice::SubjectLanded, &facts);
        record::step::step(repo, &job.chain, fold, |state, _| {
            let put = TreeEdit::Put { path: path.clone(), bytes: bytes.clone() };
            // A grant is for one landing, and what landed is no question any more.
            state.land = Offer::None;
            Ok(Ok(StepDraft::new(state, STEP, &subject, By::Person).with(put)))
        })?
        .map_err(|refusal| EngineError::Refused(refusal.wants))?;
    }
    record::archive::put_away(repo, &under_way.job)?;
    drop(lock);
    match note(repo, under_way, landing) {
        Ok(()) => done(repo, &under_way.job).map(|()| None),
        Err(EngineError::Store(why)) => Ok(Some(why.to_string())),
        Err(other) => Err(other),
    }
}

/// Keeps what a person answered to the question whether the job lands; it may be closed.
pub(crate) fn answered(repo: &Repo, job: &JobId, answer: &Offer) -> Result<()> {
    let _lock = repo.store.lock()?;
    let closed = repo.job(job)?.archived;
    let chain = record::archive::restore(repo, job)?.chain;
    let granted = matches!(answer, Offer::Granted(_));
    let subject = if granted { Notice::SubjectLandGranted } else { Notice::SubjectLandLeft };
    let fold = record::interactions::fold_for(repo, &chain)?;
    record::step::step(repo, &chain, fold, |state, _| {
        state.land = answer.clone();
        Ok(Ok(StepDraft::new(state, LAND_WORD, tell(subject, &[]), By::Person)))
    })?
    .map_err(|refusal| EngineError::Refused(refusal.wants))?;
    if closed {
        record::archive::put_away(repo, job)?;
    }
    Ok(())
}

/// A note on each landed commit, and those of the commits that stay as they are.
fn note(repo: &Repo, under_way: &UnderWay, landing: &Landing) -> Result<()> {
    let id = |text: &str| text.parse::<CommitId>().map_err(|bad| odd(&bad));
    for commit in &landing.commits {
        let steps: Vec<&str> = commit.stands_for.iter().map(|lab| lab.id.as_str()).collect();
        let Some(last) = steps.last() else { continue };
        let job = under_way.job.as_str();
        let at = repo.store.dated(repo.now);
        let lines = notes::landed(last, job, &steps, at);
        repo.store.note_add(&id(&commit.commit)?, &lines, repo.now)?;
    }
    for (old, new) in &under_way.kept {
        // What was found of the old commit by its id is not said of the new one.
        let mut lines = repo.store.note_lines(&id(old)?)?;
        lines.retain(|line| claim::noted(line).is_none() && !notes::is_attest(line));
        if !lines.is_empty() {
            repo.store.note_add(&id(new)?, &lines, repo.now)?;
        }
    }
    Ok(())
}

fn odd(bad: &crate::store::NotAnId) -> EngineError {
    EngineError::OnDisk(bad.to_string())
}

/// It broke off: the file goes, unless the branch has moved, for then the next command goes on.
pub(crate) fn abandon(repo: &Repo, job: &JobId) -> Result<()> {
    match own_state::from_json::<UnderWay>(&file(repo, job))? {
        Some(under_way) if has_moved(repo, &under_way)? => Ok(()),
        _ => done(repo, job),
    }
}

/// Finishes the landings that were stopped; those whose process runs are its own.
pub(crate) fn finish(repo: &Repo) -> Result<()> {
    // Where no job ever landed there is no such directory.
    let Ok(files) = std::fs::read_dir(dir(repo)) else { return Ok(()) };
    for entry in files.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let job = name.strip_suffix(".json").and_then(|name| name.parse::<JobId>().ok());
        let Some(job) = job else { continue };
        let under_way = own_state::from_json::<UnderWay>(&file(repo, &job))?;
        let stopped = |one: &UnderWay| one.job == job && !world::is_running(&one.process);
        let Some(under_way) = under_way.filter(stopped) else { continue };
        if has_moved(repo, &under_way)? {
            settle(repo, &under_way)?;
        } else {
            done(repo, &job)?;
        }
    }
    Ok(())
}

/// The branch of a landing has its commits.
fn has_moved(repo: &Repo, under_way: &UnderWay) -> std::result::Result<bool, StoreError> {
    let Some(landing) = &under_way.landing else { return Ok(false) };
    let stands = repo.store.stands_at(&format!("refs/heads/{}", landing.branch))?;
    Ok(stands.is_some_and(|at| repo.store.descends(at.as_str(), &landing.tip)))
}
