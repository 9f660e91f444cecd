//! Which of the texts that chains name are here. One that is not is no finding: a person took it
//! away, or its clone keeps it.

use std::collections::BTreeMap;

use crate::claims::audit::{Findings, GoneText};
use crate::engine::record;
use crate::engine::repo::Result;
use crate::engine::repo::Repo;
use crate::format::texts::{self, Stub};
use crate::format::names;
use crate::jobs::JobId;
use crate::store::{Held, Tip};

/// The directories of a job's tree that hold texts.
const DIRS: [&str; 4] = ["interactions", "summaries", "contexts", names::TRACE];

/// Counts and names the texts of all jobs that are not here.
pub(crate) fn missing(repo: &Repo, findings: &mut Findings) -> Result<()> {
    let held = match repo.store.stands_at(names::TEXTS)? {
        Some(tip) => repo.store.texts_of(&tip)?,
        None => Held::new(),
    };
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for place in held.keys() {
        *counts.entry(place.split('/').next().unwrap_or_default()).or_default() += 1;
    }
    for (chain, commit) in repo.store.chains(names::JOBS)? {
        if let Some(id) = names::job_of(&chain) {
            of_job(repo, (&id, &commit_tip(repo, &commit)?), &held, findings)?;
        }
    }
    for row in record::archive::closed(repo)? {
        let Ok(commit) = row.tip.parse() else { continue };
        let tip = commit_tip(repo, &commit)?;
        let named: usize = DIRS
            .iter()
            .map(|dir| repo.store.names(&tip, dir).map(|names| names.len()))
            .sum::<std::result::Result<_, _>>()?;
        // As many as the tree names: nothing of a job that is over has gone.
        if counts.get(row.id.as_str()).copied().unwrap_or_default() < named {
            of_job(repo, (&row.id, &tip), &held, findings)?;
        }
    }
    Ok(())
}

fn commit_tip(repo: &Repo, commit: &crate::store::CommitId) -> Result<Tip> {
    Ok(repo.store.tip_of(commit)?)
}

fn of_job(
    repo: &Repo,
    (id, tip): (&JobId, &Tip),
    held: &Held,
    findings: &mut Findings,
) -> Result<()> {
    for dir in DIRS {
        for (name, file) in repo.store.files_in(&tip.tree, dir)? {
            let Some(stub) = Stub::read(&repo.store.bytes_of(&file)?) else { continue };
            if held.contains_key(&texts::place(id, &stub.key)) {
                continue;
            }
            let redacted = repo.redacted(tip)?.contains(&stub.key);
            *(if redacted { &mut findings.redacted } else { &mut findings.withheld }) += 1;
            findings.gone.push(GoneText { job: id.to_string(), path: format!("{dir}/{name}"), redacted });
        }
    }
    Ok(())
}
