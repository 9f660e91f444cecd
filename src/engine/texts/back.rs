//! `git seed upgrade --back`: the format before, while no step was taken in the newer one.
//!
//! A carry-over keeps the old chains. They come back where each chain of now is the same steps; no
//! step is lost by it, and none is made anew. Stopped in between, the next command ends at the
//! newer format, as it ends every carry-over.

use serde::Serialize;

use super::carry;
use crate::engine::record;
use crate::engine::records::of_jobs::OfJobs;
use crate::engine::repo::Repo;
use crate::engine::repo::answer::Answered;
use crate::format::meta::{self, Meta};
use crate::format::trailers::StepTrailers;
use crate::format::{FORMAT, names};
use crate::jobs::carrying;
use crate::store::CommitId;
use crate::voice::{Notice, tell};

/// What going back did, or would do.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct WentBack {
    pub from: u32,
    pub to: u32,
    pub jobs: usize,
    pub archive: bool,
    pub dry_run: bool,
}

/// Goes back to the format that the repository was carried over from.
pub(crate) fn go_back(repo: &Repo, dry_run: bool) -> Answered<WentBack> {
    repo.require_seeded()?;
    let _lock = repo.store.lock()?;
    let kept = repo.store.chains(names::KEEP_FORMAT_1)?;
    let Some((bytes, before)) = meta_before(repo)?.filter(|_| !kept.is_empty()) else {
        return Ok(Err(carrying::nothing_kept()));
    };
    let mut turns: Vec<(String, CommitId, CommitId)> = Vec::new();
    for (name, old) in &kept {
        let chain = name.replacen(names::KEEP_FORMAT_1, "refs/seed/", 1);
        match repo.store.stands_at(&chain)? {
            Some(now) if steps(repo, &now)? == steps(repo, old)? => {
                turns.push((chain, now, old.clone()));
            }
            _ => return Ok(Err(carrying::newer_steps(&chain))),
        }
    }
    let jobs = repo.store.chains(names::JOBS)?.into_iter().map(|(chain, _)| chain);
    let jobs = jobs.filter(|chain| names::job_of(chain).is_some());
    let archive = repo.store.stands_at(names::ARCHIVE)?.map(|_| names::ARCHIVE.to_owned());
    if let Some(new) = jobs.chain(archive).find(|chain| turns.iter().all(|turn| turn.0 != *chain)) {
        return Ok(Err(carrying::newer_steps(&new)));
    }
    // A record that names words would lose them with the texts.
    if OfJobs::read(repo)?.name_words() {
        return Ok(Err(carrying::newer_steps(names::CLAIMS)));
    }
    let archive = turns.iter().any(|(chain, ..)| chain == names::ARCHIVE);
    let jobs = turns.len() - usize::from(archive);
    if !dry_run {
        carry::say(repo, true)?;
        for (chain, now, old) in &turns {
            let subject = tell(Notice::SubjectCarriedBack, &[]);
            repo.store.turn(chain, Some(now), old, &subject, repo.now)?;
            repo.store.forget_log(chain)?;
        }
        let gone = [names::TEXTS, names::OPS].map(|name| (name.to_owned(), None));
        let kept = kept.into_iter().map(|(name, at)| (name, Some(at)));
        for (name, at) in kept.chain(gone) {
            let stands = match at {
                Some(at) => Some(at),
                None => repo.store.stands_at(&name)?,
            };
            if let Some(at) = stands {
                repo.store.delete_chain(&name, &at)?;
            }
        }
        let tip = repo.store.tip(names::META)?;
        record::rules::put_meta(repo, tip.as_ref(), bytes)?;
        repo.format.set(Some((before, None)));
        // As behind a carry-over.
        drop(repo.store.take_moves());
    }
    Ok(Ok(WentBack { from: FORMAT, to: before, jobs, archive, dry_run }))
}

/// The steps of a chain: their ids, or where they have none, their dates.
fn steps(repo: &Repo, tip: &CommitId) -> crate::engine::repo::Result<Vec<String>> {
    let steps = repo.store.history_from(tip, usize::MAX)?;
    let name = |step: &crate::store::Step| {
        StepTrailers::read(&step.message).map_or_else(|| step.dated.to_string(), |said| said.id)
    };
    Ok(steps.iter().map(name).collect())
}

/// What `refs/seed/meta` said of the older format, and its number.
fn meta_before(repo: &Repo) -> crate::engine::repo::Result<Option<(Vec<u8>, u32)>> {
    for step in repo.store.history(names::META, usize::MAX)? {
        let Some(bytes) = repo.store.file_of_commit(&step.commit, meta::FILE)? else { continue };
        // What does not read is no format to go back to.
        if let Ok(Meta { format, .. }) = Meta::read(&bytes)
            && format < FORMAT
        {
            return Ok(Some((bytes, format)));
        }
    }
    Ok(None)
}
