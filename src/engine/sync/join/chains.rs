//! The chains that all jobs share: records, notes, the archive.
//!
//! Each is joined by a commit of the two tips alone, or stands at the one that has all of the
//! other's. What does not read there is left alone, with the reason.

use std::collections::BTreeMap;

use crate::engine::merge;
use crate::engine::merge::archive::Rows;
use crate::engine::records;
use crate::engine::repo::{EngineError, Repo, Result};
use crate::engine::sync::join::outcome::{Aside, Push, Served};
use crate::engine::sync::join::{believed, closed};
use crate::format::{archive, names};
use crate::store::CommitId;
use crate::voice::{Notice, tell};

/// Somebody may write beside this process: git itself writes notes.
const TRIES: u32 = 5;

/// Joins the chain `name`, whose published tip is `there`; gives why it was left alone. A dry run
/// only looks.
pub(crate) fn join(
    repo: &Repo,
    name: &str,
    there: &CommitId,
    served: Served,
    dry_run: bool,
) -> Result<Option<Aside>> {
    for _ in 1..TRIES {
        match once(repo, name, there, served, dry_run) {
            Err(EngineError::Store(error)) if error.is_moved() => {}
            done => return done,
        }
    }
    once(repo, name, there, served, dry_run)
}

fn once(
    repo: &Repo,
    name: &str,
    there: &CommitId,
    served: Served,
    dry_run: bool,
) -> Result<Option<Aside>> {
    let here = repo.store.stands_at(name)?;
    if let Some(here) = &here
        && repo.store.is_in_line(there, here)?
    {
        return Ok(None);
    }
    let aside = |why: String, theirs: bool| Ok(Some(Aside { name: name.to_owned(), why, theirs }));
    // Whatever is wrong is said, and ours stays as it is.
    match why_not(repo, name, there, here.as_ref()) {
        Ok(None) if dry_run => return Ok(None),
        Ok(None) => {}
        Ok(Some(why)) => return aside(why, true),
        Err(error) => return aside(error.to_string(), false),
    }
    match where_to(repo, name, here.as_ref(), there, served) {
        Ok(to) if here.as_ref() == Some(&to) => Ok(None),
        Ok(to) => {
            repo.store.turn(name, here.as_ref(), &to, "sync", repo.now)?;
            Ok(None)
        }
        Err(error) => aside(error.to_string(), false),
    }
}

fn where_to(
    repo: &Repo,
    name: &str,
    here: Option<&CommitId>,
    there: &CommitId,
    served: Served,
) -> Result<CommitId> {
    let Some(here) = here else { return Ok(there.clone()) };
    if repo.store.is_in_line(here, there)? && has_all(repo, name, here, there)? {
        return Ok(there.clone());
    }
    let (published, local) = match served {
        Served::Bundle if here < there => (here, there),
        _ => (there, here),
    };
    match name {
        names::ARCHIVE => merge::archive::joined(repo, published, local),
        names::CLAIMS => merge::shared::records(repo, published, local),
        _ => merge::shared::notes(repo, published, local),
    }
}

/// Why what the other side has is not what git seed writes, as far as it is not here. An error is
/// of this side.
fn why_not(
    repo: &Repo,
    name: &str,
    there: &CommitId,
    here: Option<&CommitId>,
) -> Result<Option<String>> {
    let said = |read: Result<()>| read.err().map(|error| error.to_string());
    match name {
        names::ARCHIVE => match closed::why_not(repo, there) {
            Ok(None) => {
                let (ours, theirs) = merge::archive::differing(repo, here, Some(there))?;
                Ok(said(rows_are_believed(repo, there, &ours, &theirs)))
            }
            Ok(why) => Ok(why),
            Err(error) => Ok(Some(error.to_string())),
        },
        names::CLAIMS => Ok(said(records::read_all(repo, there, here))),
        _ => Ok(said(repo.store.notes_read(there, here).map_err(Into::into))),
    }
}

/// Whether the lines that only the archive at `there` has say what lies there.
fn rows_are_believed(repo: &Repo, there: &CommitId, ours: &Rows, theirs: &Rows) -> Result<()> {
    let archived = repo.store.tip_of(there)?;
    for (id, row) in theirs {
        let tip: CommitId = row.tip.parse().map_err(|_| strange(row.id.as_str()))?;
        let lies = repo.store.subtree(&archived, &archive::place(id))?;
        if lies != Some(repo.store.tree_of_commit(&tip)?) {
            return Err(strange(id.as_str()));
        }
        // What our own line names is looked at by `doctor`.
        let known: Option<CommitId> = ours.get(id).and_then(|row| row.tip.parse().ok());
        if let Some(why) = believed::why_not(repo, id, &tip, known.as_ref())? {
            return Err(EngineError::OnDisk(why));
        }
    }
    Ok(())
}

/// The archive at `there`, which grew out of ours, still has each job of ours: one whose line was
/// lost there is put in again.
fn has_all(repo: &Repo, name: &str, here: &CommitId, there: &CommitId) -> Result<bool> {
    if name != names::ARCHIVE {
        return Ok(true);
    }
    let (ours, theirs) = merge::archive::differing(repo, Some(here), Some(there))?;
    Ok(ours.keys().all(|id| theirs.contains_key(id)))
}

fn strange(id: &str) -> EngineError {
    EngineError::OnDisk(tell(Notice::JoinStrangeRow, &[("job", id)]))
}

/// What is to be pushed of the shared chains, in order: what jobs name goes before them.
pub(crate) fn pushes(
    repo: &Repo,
    published: &BTreeMap<String, CommitId>,
    aside: &[Aside],
) -> Result<Vec<Push>> {
    let mut pushes = Vec::new();
    for name in SHARED {
        let (seen, to) = (published.get(name).cloned(), repo.store.stands_at(name)?);
        if to.is_some() && seen != to && aside.iter().all(|left| left.name != name) {
            pushes.push(Push { name: name.to_owned(), seen, to });
        }
    }
    Ok(pushes)
}

/// Their names, in the order in which they are joined.
pub(crate) const SHARED: [&str; 3] = [names::CLAIMS, names::COMMIT_NOTES, names::ARCHIVE];
