//! Words that were taken away stay away: no undo of a sync takes back the step that names them.
//!
//! A sync is undone by its refs, so a chain goes where it stood, without what came behind. A
//! `redact` that another machine took comes again with the next sync; one of this clone would not.
//! The redaction itself is stepped over, and named.

use std::collections::BTreeSet;

use crate::engine::ops::want::{Want, Wants, archive_place};
use crate::engine::repo::{Repo, Result};
use crate::format::names;
use crate::format::ops::{self, Op};
use crate::format::trailers::StepTrailers;
use crate::jobs::JobId;
use crate::store::{CommitId, Stood, Tip};
use crate::voice::{Notice, tell};

/// What a person hears of the redactions that an undo steps over: who wanted the last operation
/// taken back meant one of them, and it was one before it that was.
pub(super) fn stepped_over(over: &[Op]) -> Option<String> {
    let short = |op: &Op| op.id.chars().take(12).collect::<String>();
    let ids: Vec<String> = over.iter().filter(|op| op.redacts()).map(short).collect();
    (!ids.is_empty()).then(|| tell(Notice::UndoRedaction, &[("ops", &ids.join(", "))]))
}

/// A job that would have words again which were taken away here since a sync.
pub(super) fn since(repo: &Repo, wants: &Wants) -> Result<Option<JobId>> {
    for (place, want) in wants.iter().filter(|(_, want)| want.resets) {
        let then = then(want);
        if let Some(id) = ops::job_of(place) {
            let now = repo.store.tip(&names::job_chain(&id))?;
            if let Some(now) = now
                && loses(repo, &now, &then)?
            {
                return Ok(Some(id));
            }
        } else if *place == archive_place()
            && let Some(id) = in_archive(repo, want, &then)?
        {
            return Ok(Some(id));
        }
    }
    Ok(None)
}

/// All places where it was that a sync left or found.
fn then(want: &Want) -> Vec<CommitId> {
    let stood = match &want.stood {
        Some(Stood::At(at)) => Some(at.clone()),
        _ => None,
    };
    want.brought.iter().cloned().chain(stood).collect()
}

/// A step of `now` takes words away, and none of `then` does.
fn loses(repo: &Repo, now: &Tip, then: &[CommitId]) -> Result<bool> {
    let mut left = repo.redacted(now)?;
    for at in then {
        if left.is_empty() {
            break;
        }
        let known = repo.redacted(&repo.store.tip_of(at)?)?;
        left.retain(|key| !known.contains(key));
    }
    Ok(!left.is_empty())
}

/// The same of jobs that were put away since.
fn in_archive(repo: &Repo, want: &Want, then: &[CommitId]) -> Result<Option<JobId>> {
    let Some(now) = repo.store.tip(names::ARCHIVE)? else { return Ok(None) };
    let stood = match &want.stood {
        Some(Stood::At(at)) => Some(at),
        _ => None,
    };
    let told = repo.store.put_away_between(stood, &now.commit)?;
    let job = |message: &String| StepTrailers::read(message)?.job.parse::<JobId>().ok();
    for id in told.iter().filter_map(job).collect::<BTreeSet<_>>() {
        let row = |archive: &Tip| -> Result<Option<CommitId>> {
            Ok(repo.row_in(archive, &id)?.and_then(|row| row.tip.parse().ok()))
        };
        let Some(tip) = row(&now)? else { continue };
        let mut tips = Vec::new();
        for archive in then {
            tips.extend(row(&repo.store.tip_of(archive)?)?);
        }
        if loses(repo, &repo.store.tip_of(&tip)?, &tips)? {
            return Ok(Some(id));
        }
    }
    Ok(None)
}
