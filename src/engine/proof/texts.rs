//! Which of the texts that chains name are here. One that is not is no finding: a person took it
//! away, or its clone keeps it.

use std::collections::{BTreeMap, BTreeSet};

use crate::claims::audit::{Findings, GoneText, Standing};
use crate::claims::record::Record;
use crate::engine::record;
use crate::engine::repo::{Repo, Result};
use crate::format::names;
use crate::format::texts::{self, Stub};
use crate::jobs::JobId;
use crate::store::{CommitId, Held};

/// Texts that records name.
#[derive(Default)]
pub(crate) struct OfRecords<'a> {
    /// Where they lie among the texts of jobs, or would.
    pub places: BTreeSet<String>,
    /// Records whose words are not here.
    pub without: Vec<&'a Record>,
}

/// Counts and names the texts of all jobs that are not here.
pub(crate) fn missing(
    repo: &Repo,
    of_records: &OfRecords<'_>,
    findings: &mut Findings,
) -> Result<()> {
    let held = match repo.store.stands_at(names::TEXTS)? {
        Some(tip) => match repo.store.texts_of(&tip) {
            Ok(held) => held,
            Err(error) => {
                findings.add(names::TEXTS, &Standing::NotMeasured(error.to_string()));
                return Ok(());
            }
        },
        None => Held::new(),
    };
    for record in &of_records.without {
        of_record(repo, record, findings);
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for place in held.keys().filter(|place| !of_records.places.contains(*place)) {
        *counts.entry(place.split('/').next().unwrap_or_default()).or_default() += 1;
    }
    for (chain, commit) in repo.store.chains(names::JOBS)? {
        if let Some(id) = names::job_of(&chain) {
            // A job that does not read is broken by its own finding.
            let _ = of_tip(repo, &id, &commit, &held, findings);
        }
    }
    // As above, of the archive.
    for row in record::archive::closed(repo).unwrap_or_default() {
        let Ok(commit) = row.tip.parse() else { continue };
        // As many as the tree names: nothing of a job that is over has gone. And as above.
        let here = counts.get(row.id.as_str()).copied().unwrap_or_default();
        if names_of(repo, &commit).is_ok_and(|named| here < named) {
            // As above.
            let _ = of_tip(repo, &row.id, &commit, &held, findings);
        }
    }
    Ok(())
}

/// Counts the words of a record, which are not here.
fn of_record(repo: &Repo, record: &Record, findings: &mut Findings) {
    let id = record.job.as_deref().and_then(|job| job.parse::<JobId>().ok());
    let key = record.text.as_deref().and_then(|text| text.rsplit(':').next());
    // Of a job that is not here, or does not read, nobody knows that words were taken away.
    let gone = id.and_then(|id| repo.redacted(&repo.job(&id).ok()?.tip).ok());
    let redacted = gone.zip(key).is_some_and(|(gone, key)| gone.contains(key));
    *(if redacted { &mut findings.redacted } else { &mut findings.withheld }) += 1;
    findings.gone.push(GoneText {
        job: record.job.clone().unwrap_or_default(),
        path: format!("record {}", record.n),
        redacted,
    });
}

/// How many texts the tree of a job names.
fn names_of(repo: &Repo, commit: &CommitId) -> Result<usize> {
    let tip = repo.store.tip_of(commit)?;
    let mut count = 0;
    for dir in names::TEXT_DIRS {
        count += repo.store.names(&tip, dir)?.len();
    }
    Ok(count)
}

fn of_tip(
    repo: &Repo,
    id: &JobId,
    commit: &CommitId,
    held: &Held,
    findings: &mut Findings,
) -> Result<()> {
    let tip = &repo.store.tip_of(commit)?;
    for dir in names::TEXT_DIRS {
        for (name, file) in repo.store.files_in(&tip.tree, dir)? {
            let Some(stub) = Stub::read(&repo.store.bytes_of(&file)?) else { continue };
            if held.contains_key(&texts::place(id, &stub.key)) {
                continue;
            }
            let redacted = repo.redacted(tip)?.contains(&stub.key);
            *(if redacted { &mut findings.redacted } else { &mut findings.withheld }) += 1;
            findings.gone.push(GoneText {
                job: id.to_string(),
                path: format!("{dir}/{name}"),
                redacted,
            });
        }
    }
    Ok(())
}
