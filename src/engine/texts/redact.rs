//! `job redact`: words that were said to a job go, and their places stay.
//!
//! A step of the job names the keys, so that every clone learns of it; then the texts leave their
//! ref, and what held them here goes: copies below `.git/seed`, chains of an older format, loose
//! objects, entries of our own packs. What is not ours to change is named.

use std::collections::BTreeSet;

use serde::Serialize;

use super::{carry, copies, going};
use crate::engine::record;
use crate::engine::record::draft::{By, Redacting, StepDraft};
use crate::engine::records::of_jobs::{OfJob, OfJobs};
use crate::engine::repo::texts::Text;
use crate::engine::repo::{EngineError, LoadedJob, Repo, Result};
use crate::engine::said_file;
use crate::format::texts::Stub;
use crate::format::trailers::StepTrailers;
use crate::format::{names, texts};
use crate::jobs::JobId;
use crate::store::{CommitId, Held, TextsEdit};
use crate::voice::{Notice, tell};

/// How the copy of a remote's texts ends.
const FETCHED_TEXTS: &str = "/texts";

/// What is to go.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub job: JobId,
    /// Numbers of interactions; none means all that was said and done.
    pub numbers: Vec<u32>,
    pub dry_run: bool,
}

/// What went, or would go.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Redacted {
    pub job: String,
    #[serde(rename = "redacted")]
    pub numbers: Vec<u32>,
    pub left: Vec<Left>,
    #[serde(skip)]
    pub name: String,
    #[serde(skip)]
    pub texts: usize,
    #[serde(skip)]
    pub dry_run: bool,
}

/// Where words may be that git seed does not change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Left {
    #[serde(rename = "where")]
    pub place: String,
    pub what: String,
}

/// Redacts texts of a job, open or closed.
pub(crate) fn redact(repo: &Repo, asked: &Asked) -> Result<Redacted> {
    repo.require_seeded()?;
    let _lock = repo.store.lock()?;
    let known = repo.job(&asked.job)?;
    let numbers = numbers(&known, &asked.numbers)?;
    if !asked.dry_run {
        carry::carry_over(repo, false)?;
    }
    let job = repo.job(&asked.job)?;
    let words = words(repo, &job, &numbers, asked.numbers.is_empty())?;
    let mut keys = keys(repo, &job, &asked.numbers)?;
    let of_records = of_records(repo, &job, asked, &words)?;
    keys.extend(of_records.keys);
    keys.sort_unstable();
    keys.dedup();
    let mut done = Redacted {
        job: asked.job.to_string(),
        numbers,
        left: left(repo, &job, asked, of_records.holds_words)?,
        name: job.state.job.kept_name(),
        texts: keys.len(),
        dry_run: asked.dry_run,
    };
    if asked.dry_run {
        return Ok(done);
    }
    going::begin(repo, BTreeSet::from([asked.job.clone()]))?;
    // Before the step, for who is stopped behind it reads no words any more. What it finds in a
    // journal becomes a text of the step.
    copies::blank(repo, &words)?;
    let mut said = said_file::read(&repo.store)?;
    if said_file::blank(&mut said, &names::job_chain(&asked.job), &words) {
        record::said::write(repo, &said)?;
    }
    take_step(repo, &job, &keys, asked.numbers.is_empty())?;
    // Those of an earlier time, too: an older git seed may have fetched them again.
    let known = repo.redacted(&repo.job(&asked.job)?.tip)?;
    let all = known.into_iter().chain(keys).collect();
    if take_away(repo, &[(asked.job.clone(), all)])? {
        done.left
            .push(Left { place: "objects/pack".to_owned(), what: tell(Notice::LeftInPack, &[]) });
    }
    for file in copies::blank(repo, &words)? {
        done.left.push(Left { place: file, what: tell(Notice::LeftInJournal, &[]) });
    }
    going::done(repo)?;
    Ok(done)
}

/// Ends what somebody was stopped in: texts that a step names and that are here still go, with all
/// that holds them. Where no step came to name them, nothing was begun.
pub(crate) fn finish(repo: &Repo) -> Result<()> {
    if !going::is_there(repo) {
        return Ok(());
    }
    let _lock = repo.store.lock()?;
    // Whoever had the lock may have ended it.
    let Some(left) = going::read(repo)? else { return Ok(()) };
    let held = held(repo)?;
    let (mut gone, mut unread) = (Vec::new(), BTreeSet::new());
    for id in &left.jobs {
        // One that does not read is looked at again once it does; one that is nowhere is done.
        let Ok(job) = repo.job(id) else {
            let is_open = repo.store.stands_at(&names::job_chain(id))?.is_some();
            if is_open || record::archive::closed(repo)?.iter().any(|row| row.id == *id) {
                unread.insert(id.clone());
            }
            continue;
        };
        let is_here = |key: &String| held.contains_key(&texts::place(id, key));
        let keys: Vec<String> = repo.redacted(&job.tip)?.into_iter().filter(is_here).collect();
        if !keys.is_empty() {
            gone.push((id.clone(), keys));
        }
    }
    if !gone.is_empty() || !left.objects.is_empty() {
        take_away(repo, &gone)?;
    }
    going::done_but_for(repo, unread)
}

/// The texts that are here.
fn held(repo: &Repo) -> Result<Held> {
    match repo.store.stands_at(names::TEXTS)? {
        Some(tip) => Ok(repo.store.texts_of(&tip)?),
        None => Ok(Held::new()),
    }
}

/// The interactions that are meant, each once.
fn numbers(job: &LoadedJob, asked: &[u32]) -> Result<Vec<u32>> {
    let all = job.state.job.interactions;
    if asked.is_empty() {
        return Ok((1..=all).collect());
    }
    let each: BTreeSet<u32> = asked.iter().copied().collect();
    if let Some(n) = each.iter().find(|n| !(1..=all).contains(*n)) {
        let facts = [("n", n.to_string()), ("all", all.to_string())];
        let facts = facts.each_ref().map(|(key, value)| (*key, value.as_str()));
        return Err(EngineError::Usage(tell(Notice::RedactNoSuch, &facts)));
    }
    Ok(each.into_iter().collect())
}

/// The keys of all texts of the job; of single interactions whatever stood in their places.
fn keys(repo: &Repo, job: &LoadedJob, asked: &[u32]) -> Result<Vec<String>> {
    let mut found = BTreeSet::new();
    let gone = repo.redacted(&job.tip)?;
    if asked.is_empty() {
        let held = held(repo)?;
        let of = format!("{}/", job.state.job.id);
        found.extend(held.keys().filter_map(|place| place.strip_prefix(&of)).map(str::to_owned));
        // What another clone holds alone goes there, by the step.
        found.extend(named(repo, job)?.into_iter().filter(|key| !gone.contains(key)));
        return Ok(found.into_iter().collect());
    }
    for old in repo.store.commits_of_ours(&job.tip.commit)? {
        for n in asked {
            let file = repo.store.file_of_commit(&old.commit, &names::interaction(*n))?;
            let stub = file.as_deref().and_then(Stub::read);
            found.extend(stub.map(|stub| stub.key).filter(|key| !gone.contains(key)));
        }
    }
    Ok(found.into_iter().collect())
}

/// What the records of the job have of it: the keys of all their texts, or of those that quote
/// `words`.
fn of_records(repo: &Repo, job: &LoadedJob, asked: &Asked, words: &[String]) -> Result<OfJob> {
    let id = &job.state.job.id;
    let mut found = OfJobs::read(repo)?.of(id.as_str());
    let gone = repo.redacted(&job.tip)?;
    let mut kept = Vec::new();
    for key in std::mem::take(&mut found.keys) {
        let quotes = asked.numbers.is_empty()
            || repo
                .store
                .text_file(&texts::place(id, &key))?
                .is_some_and(|file| copies::holds(&file, words));
        if quotes && !gone.contains(&key) {
            kept.push(key);
        }
    }
    Ok(OfJob { keys: kept, ..found })
}

/// The keys that any step of the job names in its tree.
fn named(repo: &Repo, job: &LoadedJob) -> Result<BTreeSet<String>> {
    let (mut found, mut seen) = (BTreeSet::new(), BTreeSet::new());
    for old in repo.store.commits_of_ours(&job.tip.commit)? {
        for dir in names::TEXT_DIRS {
            for (_, file) in repo.store.files_in(&old.tree, dir)? {
                // Most files are those of the step before.
                if seen.insert(file.clone()) {
                    found.extend(Stub::read(&repo.store.bytes_of(&file)?).map(|stub| stub.key));
                }
            }
        }
    }
    Ok(found)
}

/// The words themselves, to know them again below `.git/seed`.
fn words(repo: &Repo, job: &LoadedJob, numbers: &[u32], all: bool) -> Result<Vec<String>> {
    let mut paths: Vec<String> = numbers.iter().map(|n| names::interaction(*n)).collect();
    if all {
        paths.extend((1..=job.state.summed.summaries).map(names::summary));
        paths.extend((1..=job.state.plan.contexts).map(names::context));
    }
    let mut words = Vec::new();
    for path in paths {
        if let Some(Text::Here(bytes)) = repo.text(job.texts(), &path)? {
            words.push(String::from_utf8_lossy(&bytes).into_owned());
        }
    }
    // A copy may hold the name that was made of a prompt.
    if job.state.job.provisional && numbers.contains(&1) {
        words.push(job.state.job.name.clone());
    }
    Ok(words)
}

/// The step that names the keys. One of a closed job puts it back where it lay.
fn take_step(repo: &Repo, job: &LoadedJob, keys: &[String], all: bool) -> Result<()> {
    let id = &job.state.job.id;
    let chain = record::archive::restore(repo, id)?.chain;
    let journaling = record::interactions::fold_for(repo, &chain)?;
    let subject = tell(Notice::SubjectRedacted, &[("texts", &keys.len().to_string())]);
    record::step::step(repo, &chain, journaling, |state, _| {
        let draft = StepDraft::new(state, "redact", subject.clone(), By::Person);
        let redacts = Redacting { keys: keys.to_vec(), own: all };
        Ok(Ok(StepDraft { redacts, ..draft }))
    })?
    .map_err(|refusal| EngineError::Refused(refusal.wants))?;
    if job.archived {
        record::archive::put_away(repo, id)?;
    }
    Ok(())
}

/// Takes the texts of these keys out of this clone; says whether a pack that git made has one
/// still. Who is stopped in it is helped by [`finish`], until [`going::done`].
pub(crate) fn take_away(repo: &Repo, jobs: &[(JobId, Vec<String>)]) -> Result<bool> {
    let places = places(jobs);
    let mut before = repo.store.objects_of_ours()?;
    let mut gone = held(repo)?;
    gone.retain(|place, _| places.contains(place));
    for (_, at) in copies_of_texts(repo)? {
        let (copied, names) = repo.store.texts_among(&at, &places)?;
        before = before.and_named(&names);
        gone.extend(copied);
    }
    let before = going::leave(repo, before)?;
    forget(repo, &places)?;
    repo.store.forget_all_but_ours(before)?;
    // What was read of packs before is not asked: it would know of those that went.
    Ok(Repo::discover(repo.store.work_tree())?.store.has_any(&gone))
}

fn places(jobs: &[(JobId, Vec<String>)]) -> BTreeSet<String> {
    let of = |(id, keys): &(JobId, Vec<String>)| {
        keys.iter().map(|key| texts::place(id, key)).collect::<Vec<_>>()
    };
    jobs.iter().flat_map(of).collect()
}

/// What was fetched of the texts of remotes.
fn copies_of_texts(repo: &Repo) -> Result<Vec<(String, CommitId)>> {
    let copies = repo.store.chains(names::FETCHED)?.into_iter();
    Ok(copies.filter(|(copy, _)| copy.ends_with(FETCHED_TEXTS)).collect())
}

/// The texts leave their ref, and chains of an older format go.
fn forget(repo: &Repo, places: &BTreeSet<String>) -> Result<()> {
    let drop: Vec<String> =
        held(repo)?.into_keys().filter(|place| places.contains(place)).collect();
    // What was fetched of a remote's texts holds the same objects, and is fetched anew.
    for (copy, at) in copies_of_texts(repo)? {
        repo.store.delete_chain(&copy, &at)?;
    }
    repo.store.edit_texts(&TextsEdit { drop: &drop, ..TextsEdit::default() }, repo.now)?;
    repo.store.forget_log(names::TEXTS)?;
    for (kept, at) in repo.store.chains(names::KEEP_FORMAT_1)? {
        repo.store.delete_chain(&kept, &at)?;
    }
    Ok(())
}

/// How many summaries and session logs of its runs the job has in its tree.
fn logs(repo: &Repo, job: &LoadedJob) -> Result<usize> {
    let mut logs = 0;
    for name in repo.store.names(&job.tip, "")?.iter().filter(|name| name.starts_with("run-")) {
        logs += repo.store.names(&job.tip, name)?.len();
    }
    Ok(logs)
}

/// Where the same words may be, and git seed leaves them.
fn left(repo: &Repo, job: &LoadedJob, asked: &Asked, in_records: bool) -> Result<Vec<Left>> {
    let mut left = Vec::new();
    let mut add = |place: &str, notice: Notice, facts: &[(&str, &str)]| {
        left.push(Left { place: place.to_owned(), what: tell(notice, facts) });
    };
    let steps = repo.store.history_from(&job.tip.commit, usize::MAX)?;
    let commits = steps.iter().filter_map(|step| StepTrailers::read(&step.message)?.commit).count();
    if commits > 0 {
        let branch = job.state.home.branch.trim_start_matches("refs/heads/");
        let branch = if branch.is_empty() { "HEAD" } else { branch };
        add(branch, Notice::LeftInCommits, &[("commits", &commits.to_string())]);
    }
    let lies = if job.archived { names::ARCHIVE } else { &job.chain };
    add(lies, Notice::LeftInSteps, &[("steps", &steps.len().to_string())]);
    let logs = logs(repo, job)?;
    if logs > 0 {
        add(lies, Notice::LeftInLogs, &[("files", &logs.to_string())]);
    }
    if commits > 0 && repo.store.stands_at(names::COMMIT_NOTES)?.is_some() {
        add(names::COMMIT_NOTES, Notice::LeftInNotes, &[]);
    }
    if !asked.numbers.is_empty() {
        add("summaries", Notice::LeftInOthers, &[("job", asked.job.as_str())]);
    }
    if in_records {
        add(names::CLAIMS, Notice::LeftInRecords, &[]);
    }
    let host = if job.state.driver.host.is_empty() { "host" } else { &job.state.driver.host };
    add(host, Notice::LeftAtHost, &[]);
    for remote in repo.store.remote_names() {
        add(&remote, Notice::LeftAtRemote, &[]);
    }
    Ok(left)
}
