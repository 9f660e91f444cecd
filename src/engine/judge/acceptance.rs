//! `verify --accept`: a person takes a commit that nothing vouches for as it is.
//!
//! It is kept as a record, signed where the person's git signs, and names the commit by its id: a
//! commit with another byte is another one. What is broken is not accepted, by no word.

use crate::claims::audit;
use crate::claims::record::Acceptance;
use crate::engine::proof::verify::{Asked, verify};
use crate::engine::records::{self, Recorded};
use crate::engine::repo::answer::Answered;
use crate::engine::repo::{EngineError, Repo, Result};
use crate::secrets;
use crate::store::CommitId;
use crate::voice::{Notice, tell};

/// Accepts a commit, by its name or its id.
pub(crate) fn accept(repo: &Repo, commit: &str, why: &str) -> Answered<Recorded> {
    let unknown = || EngineError::Usage(tell(Notice::CiCommitUnknown, &[("commit", commit)]));
    // One that is gone is named by its id.
    let id = match repo.store.resolve_commit(commit)? {
        Some(id) => id,
        None => commit.parse::<CommitId>().map_err(|_| unknown())?,
    };
    if why.trim().is_empty() {
        return Err(EngineError::Usage(tell(Notice::AcceptNoWhy, &[])));
    }
    if let Err(refusal) = may_be_accepted(repo, &id)? {
        return Ok(Err(refusal));
    }
    let by = repo.store.identity().map(|who| format!("{} <{}>", who.name, who.email));
    let by = by.unwrap_or_else(|| tell(Notice::AcceptSomebody, &[]));
    let why = secrets::mask(&why.split_whitespace().collect::<Vec<_>>().join(" ")).into_owned();
    records::record_acceptance(repo, Acceptance { commit: id.to_string(), by, why }).map(Ok)
}

/// Nothing vouches for it, and nothing of it is broken.
fn may_be_accepted(repo: &Repo, id: &CommitId) -> Result<crate::verdict::Verdict> {
    let mut ranges = vec![None];
    if repo.store.has_object(id.as_str()) {
        ranges.push(Some(format!("{id}^!")));
    }
    let mut open = false;
    for range in ranges {
        let found = verify(repo, &Asked { range, ..Asked::default() })?;
        if let Some(broken) = found.broken.iter().find(|one| one.record == id.as_str()) {
            return Ok(Err(audit::accepts_nothing_broken(id.as_str(), &broken.reason)));
        }
        open |= found.not_measured.iter().any(|one| one.record == id.as_str());
    }
    Ok(if open { Ok(()) } else { Err(audit::nothing_to_accept(id.as_str())) })
}
