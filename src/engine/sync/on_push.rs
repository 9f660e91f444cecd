//! `seed.syncOnPush`: a push of the person's takes along the chains of the jobs whose commits go
//! out, and what the notes say of these commits.
//!
//! The push itself goes on whatever happens here, and waits for five seconds at most. Nothing is
//! merged: what has grown there as well waits for `git seed sync`. What did not go is told in one
//! line.
//!
//! Records are one signed chain of all jobs: it goes as far as no other job's record goes with it.
//! A closed job goes by the name that it had while it was open: the archive is one chain as well,
//! and would take along jobs whose commits stay here. The next sync puts it away there.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::engine::records;
use crate::engine::repo::{Repo, Result};
use crate::engine::sync::carrier::{Carrier, There};
use crate::engine::sync::join::{believed, journal};
use crate::engine::sync::remote;
use crate::format::{merge, names, trailers};
use crate::jobs::JobId;
use crate::store::{CommitId, Copies, Pushed, RefPush};
use crate::voice::{Notice, tell};

/// The switch in git's configuration.
pub(crate) const SWITCH: &str = "seed.syncOnPush";
/// The URLs that a person said it of, as they may be shown.
const COVERS: &str = "seed.syncOnPushTo";
/// What a push waits for.
const TIME: Duration = Duration::from_secs(5);

/// Sends it to `remote`; `pushed` are the lines that git tells the hook. Gives what did not go.
pub(crate) fn send(repo: &Repo, remote: &str, pushed: &str) -> Result<Option<String>> {
    // A push to a URL has no name by which it was agreed to.
    if !repo.store.is_set(SWITCH) || !repo.is_seeded()? || !known(repo, remote) {
        return Ok(None);
    }
    let local = |line: &str| line.split(' ').nth(1)?.parse::<CommitId>().ok();
    let tips: Vec<CommitId> = pushed.lines().filter_map(local).collect();
    let going = repo.store.going_out(&tips, remote)?;
    let jobs: BTreeSet<JobId> = going
        .iter()
        .flat_map(|(_, message)| trailers::claimed_jobs(message))
        .filter_map(|id| id.parse().ok())
        .collect();
    if jobs.is_empty() {
        return Ok(None);
    }
    // Chains of the first format hold the words of prompts: they go with a sync, which takes them
    // out before.
    if !repo.keeps_texts_apart()? {
        return Ok(Some(left(remote, &named(&jobs))));
    }
    let (agreed, urls) = (remote::agreed(repo), repo.store.push_urls(remote)?);
    let owners = remote::owners(repo, &urls)?;
    if owners.iter().any(|owner| !agreed.contains(owner)) || !covers(repo, &urls)? {
        return Ok(Some(left(remote, "jobs")));
    }
    let commits: Vec<CommitId> = going.into_iter().map(|(commit, _)| commit).collect();
    sent(repo, remote, &jobs, &commits)
}

/// Whether the switch is meant for a push that goes to these URLs: those that a person was shown
/// when they said yes; where they set it by hand, those of the remote that this clone syncs with.
/// An owner has many repositories, and a yes to one of them is no yes to the others.
fn covers(repo: &Repo, urls: &[String]) -> Result<bool> {
    let shown = |urls: &[String]| urls.iter().map(|url| remote::without_password(url)).collect();
    let mut covered: BTreeSet<String> = repo.store.config_texts(COVERS).into_iter().collect();
    if covered.is_empty()
        && let Ok(own) = remote::which(repo, None)?
    {
        covered = shown(&repo.store.push_urls(&own)?);
    }
    let urls: BTreeSet<String> = shown(urls);
    Ok(!urls.is_empty() && urls.is_subset(&covered))
}

/// Keeps what a person said of pushes to `remote`.
pub(crate) fn set(repo: &Repo, remote: &str, yes: bool) -> Result<()> {
    repo.store.set_config(SWITCH, if yes { "true" } else { "false" }, false)?;
    for (n, url) in repo.store.push_urls(remote)?.iter().filter(|_| yes).enumerate() {
        // What an earlier yes was said of is said no longer.
        repo.store.set_config(COVERS, &remote::without_password(url), n > 0)?;
    }
    Ok(())
}

fn known(repo: &Repo, remote: &str) -> bool {
    repo.store.remotes().iter().any(|known| known == remote)
}

fn left(remote: &str, what: &str) -> String {
    tell(Notice::PushLeft, &[("what", what), ("remote", remote)])
}

fn sent(
    repo: &Repo,
    remote: &str,
    jobs: &BTreeSet<JobId>,
    commits: &[CommitId],
) -> Result<Option<String>> {
    let wire = repo.store.wire(remote, TIME);
    let transport = remote::transport(repo, remote, None);
    let copies = Copies::Old;
    let carrier = Carrier { repo, wire: &wire, remote, transport, copies };
    let there = carrier.look()?;
    if there.is_worked_in {
        return Ok(Some(left(remote, &named(jobs))));
    }
    let mut stays: Vec<String> = Vec::new();
    let mut pushes = Vec::new();
    for id in jobs {
        match chain(repo, &there, id)? {
            Chain::Goes(push) => pushes.push(push),
            Chain::IsThere => {}
            Chain::Stays => stays.push(id.to_string()),
        }
    }
    match records(repo, &there, jobs)? {
        Reach::Nowhere => {}
        Reach::To(to) => pushes.push(push(names::CLAIMS, there.refs.get(names::CLAIMS), to)),
        Reach::Blocked => stays.push(tell(Notice::PushRecords, &[])),
    }
    let base = there.refs.get(names::COMMIT_NOTES);
    if base.is_none_or(|base| repo.store.has_commit(base.as_str())) {
        let to = repo.store.notes_for(base, commits, repo.now)?;
        pushes.extend(to.map(|to| push(names::COMMIT_NOTES, base, to)));
    } else {
        stays.push(tell(Notice::PushNotes, &[]));
    }
    if !pushes.is_empty() && carrier.send(&there, &pushes)? != Pushed::Done {
        return Ok(Some(left(remote, &named(jobs))));
    }
    Ok((!stays.is_empty()).then(|| left(remote, &stays.join(", "))))
}

fn named(jobs: &BTreeSet<JobId>) -> String {
    jobs.iter().map(JobId::as_str).collect::<Vec<_>>().join(", ")
}

/// How far the records go: those of these jobs, and of jobs that are there already.
fn records(repo: &Repo, there: &There, jobs: &BTreeSet<JobId>) -> Result<Reach> {
    let Some(ours) = repo.store.stands_at(names::CLAIMS)? else { return Ok(Reach::Nowhere) };
    let theirs = there.refs.get(names::CLAIMS);
    if theirs.is_some_and(|theirs| !repo.store.has_commit(theirs.as_str())) {
        return Ok(Reach::Blocked);
    }
    let archive = there.refs.get(names::ARCHIVE);
    let archive = archive.filter(|at| repo.store.has_commit(at.as_str()));
    let goes = |job: &str| {
        let Ok(id) = job.parse::<JobId>() else { return false };
        jobs.contains(&id)
            || there.refs.contains_key(&names::job_chain(&id))
            // An archive that does not read holds nothing that goes.
            || closed_at(repo, archive, &id).is_ok_and(|at| at.is_some())
    };
    reach(repo, theirs, &ours, &goes)
}

/// How far the chain of records goes out with some jobs.
enum Reach {
    /// No record of theirs is missing there.
    Nowhere,
    To(CommitId),
    /// A record of another job lies between.
    Blocked,
}

/// How far the chain that ends at `tip` can go where one has it up to `there`, with no record of
/// a job that is not `going`.
fn reach(
    repo: &Repo,
    there: Option<&CommitId>,
    tip: &CommitId,
    going: &dyn Fn(&str) -> bool,
) -> Result<Reach> {
    let line = match there {
        Some(there) => repo.store.lacking(there, tip)?,
        None => repo.store.line_to(tip)?,
    };
    let (mut reach, mut blocked) = (Reach::Nowhere, false);
    for step in line.iter().filter(|step| !merge::is_join(&step.message)) {
        let goes = records::gist(repo, &step.commit)?.job.is_some_and(|job| going(&job));
        if goes && blocked {
            return Ok(Reach::Blocked);
        }
        blocked |= !goes;
        if goes {
            reach = Reach::To(step.commit.clone());
        }
    }
    Ok(match (reach, there) {
        // Beside what is there it would have to be joined first.
        (Reach::To(to), Some(there)) if !repo.store.descends(to.as_str(), there.as_str()) => {
            Reach::Blocked
        }
        (reach, _) => reach,
    })
}

/// What becomes of the chain of a job.
enum Chain {
    Goes(RefPush),
    IsThere,
    Stays,
}

fn chain(repo: &Repo, there: &There, id: &JobId) -> Result<Chain> {
    let name = names::job_chain(id);
    if repo.store.focus()?.is_some_and(|focus| focus == name) {
        journal::rest_in_focus(repo)?;
    }
    let theirs = there.refs.get(&name);
    let ours = match repo.store.stands_at(&name)? {
        Some(live) => Some(live),
        None => closed_at(repo, repo.store.stands_at(names::ARCHIVE)?.as_ref(), id)?,
    };
    // An archive that this clone never fetched may have it; once more does no harm.
    let archive = there.refs.get(names::ARCHIVE);
    let archived = archive.filter(|at| repo.store.has_commit(at.as_str()));
    let theirs_closed = closed_at(repo, archived, id)?;
    Ok(match ours {
        None => Chain::Stays,
        Some(ours) if theirs.is_none() && theirs_closed.as_ref() == Some(&ours) => Chain::IsThere,
        Some(ours) if theirs == Some(&ours) => Chain::IsThere,
        Some(ours) => {
            let grows =
                theirs.is_none_or(|theirs| repo.store.descends(ours.as_str(), theirs.as_str()));
            let beside = theirs.filter(|theirs| repo.store.has_commit(theirs.as_str()));
            if grows && believed::why_not(repo, id, &ours, beside)?.is_none() {
                Chain::Goes(push(&name, theirs, ours))
            } else {
                Chain::Stays
            }
        }
    })
}

/// Where `id` stands in an archive.
fn closed_at(repo: &Repo, archive: Option<&CommitId>, id: &JobId) -> Result<Option<CommitId>> {
    let Some(archive) = archive else { return Ok(None) };
    let row = repo.row_in(&repo.store.tip_of(archive)?, id)?;
    // A line that names no commit is damage, which `doctor` tells.
    Ok(row.and_then(|row| row.tip.parse().ok()))
}

fn push(name: &str, seen: Option<&CommitId>, to: CommitId) -> RefPush {
    RefPush { name: name.to_owned(), seen: seen.cloned(), to: Some(to), replaces: false }
}
