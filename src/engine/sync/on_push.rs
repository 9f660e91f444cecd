//! `seed.syncOnPush`: a push of the person's takes along the chains of the jobs whose commits go
//! out, and what the notes say of these commits.
//!
//! The push itself goes on whatever happens here, and waits for five seconds at most. Nothing is
//! merged: what has grown there as well, what is closed, and the records, which are one signed
//! chain of all jobs, wait for `git seed sync`. What did not go is told in one line.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::engine::repo::{Repo, Result};
use crate::engine::sync::carrier::{Carrier, There};
use crate::engine::sync::join::believed;
use crate::engine::sync::remote;
use crate::format::{names, trailers};
use crate::jobs::JobId;
use crate::store::{CommitId, Copies, Pushed, RefPush};
use crate::voice::{Notice, tell};

/// The switch in git's configuration.
pub(crate) const SWITCH: &str = "seed.syncOnPush";
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
    let agreed = remote::agreed(repo);
    let owners = remote::owners(repo, &repo.store.push_urls(remote)?)?;
    if owners.iter().any(|owner| !agreed.contains(owner)) {
        return Ok(Some(left(remote, "jobs")));
    }
    let commits: Vec<CommitId> = going.into_iter().map(|(commit, _)| commit).collect();
    sent(repo, remote, &jobs, &commits)
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
    let mut stays: Vec<String> = Vec::new();
    let mut pushes = Vec::new();
    for id in jobs {
        match chain(repo, &there, id)? {
            Chain::Goes(push) => pushes.push(push),
            Chain::IsThere => {}
            Chain::Stays => stays.push(id.to_string()),
        }
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

/// What becomes of the chain of a job.
enum Chain {
    Goes(RefPush),
    IsThere,
    Stays,
}

fn chain(repo: &Repo, there: &There, id: &JobId) -> Result<Chain> {
    let name = names::job_chain(id);
    let theirs = there.refs.get(&name);
    Ok(match repo.store.stands_at(&name)? {
        None => Chain::Stays,
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

fn push(name: &str, seen: Option<&CommitId>, to: CommitId) -> RefPush {
    RefPush { name: name.to_owned(), seen: seen.cloned(), to: Some(to), replaces: false }
}
