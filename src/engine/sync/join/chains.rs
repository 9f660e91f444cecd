//! The chains that all jobs share: records, notes, the archive.
//!
//! Each is joined by a commit of the two tips alone, or stands at the one that has all of the
//! other's. What does not read there is left alone, with the reason.

use std::collections::BTreeMap;

use crate::engine::repo::{EngineError, Repo, Result};
use crate::engine::sync::join::believed;
use crate::engine::sync::join::outcome::{Push, Served};
use crate::engine::{merge, proof};
use crate::format::{archive, names};
use crate::store::CommitId;
use crate::voice::{Notice, tell};

/// Somebody may write beside this process: git itself writes notes.
const TRIES: u32 = 5;

/// What came of one chain.
#[derive(Clone, Debug, Default)]
pub(crate) struct Came {
    /// Why it was left alone.
    pub aside: Option<String>,
}

/// Joins the chain `name`, whose published tip is `there`.
pub(crate) fn join(repo: &Repo, name: &str, there: &CommitId, served: Served) -> Result<Came> {
    for _ in 1..TRIES {
        match once(repo, name, there, served) {
            Err(EngineError::Store(error)) if error.is_moved() => {}
            done => return done,
        }
    }
    once(repo, name, there, served)
}

fn once(repo: &Repo, name: &str, there: &CommitId, served: Served) -> Result<Came> {
    let here = repo.store.stands_at(name)?;
    if let Some(here) = &here
        && repo.store.is_in_line(there, here)?
    {
        return Ok(Came::default());
    }
    // Whatever is wrong there is said of it, and ours stays as it is.
    let to = is_believed(repo, name, there, here.as_ref())
        .and_then(|()| where_to(repo, name, here.as_ref(), there, served));
    match to {
        Ok(to) if here.as_ref() == Some(&to) => Ok(Came::default()),
        Ok(to) => {
            repo.store.turn(name, here.as_ref(), &to, "sync", repo.now)?;
            Ok(Came::default())
        }
        Err(error) => Ok(Came { aside: Some(error.to_string()) }),
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
    if repo.store.is_in_line(here, there)? {
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

/// Whether what the other side has reads, as far as it is not here.
fn is_believed(repo: &Repo, name: &str, there: &CommitId, here: Option<&CommitId>) -> Result<()> {
    match name {
        names::ARCHIVE => {
            let (ours, theirs) = merge::archive::differing(repo, here, Some(there))?;
            let archived = repo.store.tip_of(there)?;
            for (id, row) in theirs {
                let tip: CommitId = row.tip.parse().map_err(|_| strange(row.id.as_str()))?;
                let lies = repo.store.subtree(&archived, &archive::place(&id))?;
                if lies != Some(repo.store.tree_of_commit(&tip)?) {
                    return Err(strange(id.as_str()));
                }
                // What our own line names is looked at by `doctor`.
                let known: Option<CommitId> = ours.get(&id).and_then(|row| row.tip.parse().ok());
                if let Some(why) = believed::why_not(repo, &id, &tip, known.as_ref())? {
                    return Err(EngineError::OnDisk(why));
                }
            }
            Ok(())
        }
        names::CLAIMS => proof::records::read_all(repo, there, here),
        _ => Ok(repo.store.notes_read(there, here)?),
    }
}

fn strange(id: &str) -> EngineError {
    EngineError::OnDisk(tell(Notice::JoinStrangeRow, &[("job", id)]))
}

/// What is to be pushed of the shared chains, in order: what jobs name goes before them.
pub(crate) fn pushes(
    repo: &Repo,
    published: &BTreeMap<String, CommitId>,
    aside: &[(String, String)],
) -> Result<Vec<Push>> {
    let mut pushes = Vec::new();
    for name in SHARED {
        let (seen, to) = (published.get(name).cloned(), repo.store.stands_at(name)?);
        if to.is_some() && seen != to && aside.iter().all(|(known, _)| known != name) {
            pushes.push(Push { name: name.to_owned(), seen, to });
        }
    }
    Ok(pushes)
}

/// Their names, in the order in which they are joined.
pub(crate) const SHARED: [&str; 3] = [names::CLAIMS, names::COMMIT_NOTES, names::ARCHIVE];
