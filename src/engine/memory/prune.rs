//! `memory prune`: raw memory of jobs that closed long ago goes.
//!
//! Nothing is lost that is held nowhere else: a file of the work tree goes where a commit or the
//! job has the same bytes, and a job's own copy goes by a step, behind which earlier steps have it.
//! What leaves the index is the person's to commit. Pages, knowledge and plans are not asked.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::engine::memory;
use crate::engine::record;
use crate::engine::record::draft::{By, StepDraft};
use crate::engine::repo::{self, EngineError, LoadedJob, Repo, Result};
use crate::format::names;
use crate::jobs::merging::PRUNE;
use crate::jobs::{JobId, Status};
use crate::memory::keep::Closed;
use crate::memory::raw::{self, Raw, RawFile};
use crate::store::{RepoPath, TreeEdit};
use crate::voice::{Notice, tell};
use crate::world::progress;

/// What went, or would go.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Pruned {
    /// What stays, such as `90 days`.
    pub keep: String,
    pub dry_run: bool,
    /// Paths of the work tree; those that git tracks are staged as deleted.
    pub files: Vec<String>,
    /// Files that went out of jobs themselves, as `git seed show` names them.
    pub kept_in_jobs: Vec<String>,
    /// Paths of the work tree that stay.
    pub left: Vec<Left>,
    /// The deletions that are to be committed.
    #[serde(skip)]
    pub staged: Vec<String>,
    /// Something else is staged, too.
    #[serde(skip)]
    pub beside: bool,
}

/// A file that stays, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Left {
    pub path: String,
    pub why: String,
}

/// What lies in the work tree, and what git knows of it.
struct Lying {
    tracked: BTreeSet<String>,
    uncommitted: BTreeSet<String>,
    /// In the index otherwise than in HEAD.
    staged: BTreeSet<String>,
    /// By job.
    all: BTreeMap<String, BTreeSet<String>>,
}

/// Takes old raw memory out of the work tree, and out of jobs where they alone have it.
pub(crate) fn prune(repo: &Repo, dry_run: bool) -> Result<Pruned> {
    repo.require_seeded()?;
    let lying = lying(repo)?;
    let (closed, jobs) = closed(repo, &lying)?;
    let goes = repo.rules.keep.goes(&closed, repo.now);
    let mut done = Pruned {
        keep: repo.rules.keep.to_string(),
        dry_run,
        files: Vec::new(),
        kept_in_jobs: Vec::new(),
        left: Vec::new(),
        staged: Vec::new(),
        beside: false,
    };
    let mut out = Vec::new();
    for (job, paths) in lying.all.iter().filter(|(job, _)| goes.contains(*job)) {
        for path in paths {
            let Some(loaded) = jobs.get(job) else { continue };
            match stays(repo, loaded, &lying, path)? {
                Some(why) => done.left.push(Left { path: path.clone(), why }),
                None => out.push(path.clone()),
            }
        }
    }
    done.files = out;
    if !dry_run && !done.files.is_empty() {
        let paths: std::result::Result<Vec<RepoPath>, _> =
            done.files.iter().map(|path| RepoPath::try_from(path.as_str())).collect();
        repo.store.take_out(&paths.map_err(|bad| EngineError::Usage(bad.to_string()))?)?;
        // What an earlier prune took out, and nobody committed, is one of them.
        let still = repo.store.tracked_below(raw::HOME.trim_end_matches('/'))?;
        let staged = repo.store.staged()?.into_iter().map(|path| path.to_string());
        let (own, other): (Vec<_>, Vec<_>) =
            staged.partition(|path| RawFile::read(path).is_some() && !still.contains(path));
        done.beside = !other.is_empty();
        done.staged = own;
    }
    if repo.rules.raw == Raw::Ref {
        let old: Vec<&LoadedJob> =
            jobs.iter().filter(|(job, _)| goes.contains(*job)).map(|(_, job)| job).collect();
        progress::begin(&tell(Notice::DoesPruning, &[]), old.len());
        for job in old {
            progress::step();
            let files = memory::raw::files(repo, job)?;
            let id = job.state.job.id.as_str();
            done.kept_in_jobs.extend(files.iter().map(|file| Raw::Ref.named(id, file)));
            if !dry_run && !files.is_empty() {
                take_step(repo, &job.state.job.id, &files)?;
            }
        }
    }
    Ok(done)
}

/// Raw memory in the work tree and in the index, by the jobs that it is of.
fn lying(repo: &Repo) -> Result<Lying> {
    let home = raw::HOME.trim_end_matches('/');
    let tracked = repo.store.tracked_below(home)?;
    let uncommitted = repo.store.uncommitted_below(home)?;
    let staged = repo.store.staged()?.iter().map(ToString::to_string).collect();
    let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in tracked.iter().cloned().chain(on_disk(repo)) {
        if let Some(RawFile { job, .. }) = RawFile::read(&path) {
            all.entry(job).or_default().insert(path);
        }
    }
    Ok(Lying { tracked, uncommitted, staged, all })
}

/// What lies on disk two directories below that of all jobs. Behind a link it is no file of this
/// repository's.
fn on_disk(repo: &Repo) -> Vec<String> {
    let mut ahead = vec![(raw::HOME.trim_end_matches('/').to_owned(), 0)];
    let mut found = Vec::new();
    let top = repo::paths::real(repo.store.work_tree());
    while let Some((dir, depth)) = ahead.pop() {
        if repo::paths::real(&top.join(&dir)) != top.join(&dir) {
            continue;
        }
        // Where there are no jobs there is nothing to prune.
        for entry in std::fs::read_dir(top.join(&dir)).into_iter().flatten().flatten() {
            let (Ok(kind), Ok(name)) = (entry.file_type(), entry.file_name().into_string()) else {
                continue;
            };
            let path = format!("{dir}/{name}");
            if kind.is_dir() && depth < 2 {
                ahead.push((path, depth + 1));
            } else if kind.is_file() && depth == 2 {
                found.push(path);
            }
        }
    }
    found
}

/// The closed jobs that have raw memory somewhere, with when they closed.
fn closed(repo: &Repo, lying: &Lying) -> Result<(Vec<Closed>, BTreeMap<String, LoadedJob>)> {
    let (mut closed, mut jobs) = (Vec::new(), BTreeMap::new());
    for row in record::archive::closed(repo)? {
        let job = repo.job(&row.id)?;
        let id = row.id.to_string();
        if !lying.all.contains_key(&id) && memory::raw::files(repo, &job)?.is_empty() {
            continue;
        }
        // A job that began again and was dropped keeps when it was completed before.
        let completed = row.last_completed_at.filter(|_| row.status == Status::Completed);
        closed.push(Closed { job: id.clone(), at: completed.unwrap_or(row.updated_at) });
        jobs.insert(id, job);
    }
    Ok((closed, jobs))
}

/// Why the file at `path` must not go: nothing else has its bytes, or nobody can say so.
fn stays(repo: &Repo, job: &LoadedJob, lying: &Lying, path: &str) -> Result<Option<String>> {
    if lying.tracked.contains(path) && !lying.uncommitted.contains(path) {
        return Ok(None);
    }
    let below = path.strip_prefix(&names::job_dir(&job.state.job.id)).unwrap_or(path);
    let kept = repo.store.file(&job.tip, below)?;
    let here = match repo::paths::bytes_of(repo.store.work_tree().join(path)) {
        Ok(bytes) => Some(bytes),
        Err(error) if repo::paths::is_nothing(&error) => None,
        Err(error) => {
            let why = error.to_string();
            return Ok(Some(tell(Notice::PruneUnread, &[("error", &why)])));
        }
    };
    // The index may hold what lies nowhere else, whatever is on disk.
    let in_index = lying.tracked.contains(path) && lying.staged.contains(path);
    let staged = if in_index { Some(repo.store.staged_bytes(path)?) } else { None };
    let same = [here, staged].into_iter().flatten().all(|bytes| kept.as_ref() == Some(&bytes));
    Ok((!same).then(|| tell(Notice::PruneChanged, &[])))
}

/// The step that takes files out of a closed job, which then lies where it lay.
fn take_step(repo: &Repo, id: &JobId, files: &[String]) -> Result<()> {
    let _lock = repo.store.lock()?;
    let chain = record::archive::restore(repo, id)?.chain;
    let journaling = record::interactions::fold_for(repo, &chain)?;
    let subject =
        tell(Notice::SubjectPruned, &[("files", &repo::text::count(files.len(), "file"))]);
    let taken = record::step::step(repo, &chain, journaling, |state, _| {
        let removes = files.iter().map(|path| TreeEdit::Remove { path: path.clone() });
        let mut draft = StepDraft::new(state, PRUNE, subject.clone(), By::Person);
        draft.edits.extend(removes);
        Ok(Ok(draft))
    })?;
    taken.map_err(|refusal| EngineError::Refused(refusal.wants))?;
    record::archive::put_away(repo, id)?;
    Ok(())
}
