//! Whether a ref that no operation tells of stands where a sync brought it.
//!
//! A sync that was killed has moved refs and written no operation. What it brought is another
//! clone's, so it is no work of this one that could be undone by a step.

use crate::engine::repo::Result;
use crate::engine::repo::clone_file::known_clone;
use crate::format::{archive, merge, names, ops, state};
use crate::store::{CommitId, Stood, Store};

/// The command whose moves are taken back by setting refs: what came in is not lost, for the next
/// sync brings it again.
pub(crate) const SYNC: &str = "sync";

/// The step that takes grants of another clone out of a job which came from there.
const DISOWN: &str = "disown";

/// `place` stands at `stood` because of a sync.
pub(crate) fn by_a_sync(store: &Store, place: &str, stood: Option<&Stood>) -> Result<bool> {
    let job = ops::job_of(place);
    match (stood, ops::chain_of(place)) {
        (Some(Stood::At(at)), Some(chain)) if chain == names::ARCHIVE => {
            Ok(merge::is_join(&store.commit_message(at)?) || is_a_copy(store, at)?)
        }
        (Some(Stood::At(at)), Some(_)) if job.is_some() => {
            let message = store.commit_message(at)?;
            let own = known_clone(store)?;
            let step = crate::format::trailers::StepTrailers::read(&message);
            Ok(merge::is_join(&message)
                || step.is_some_and(|step| step.step == DISOWN)
                || merge::clone_of(&message).is_some_and(|clone| clone != own))
        }
        (None, Some(_)) => match job {
            Some(id) => was_closed_elsewhere(store, &archive::place(&id)),
            None => Ok(false),
        },
        _ => Ok(false),
    }
}

/// A remote has just this archive.
fn is_a_copy(store: &Store, at: &CommitId) -> Result<bool> {
    let copies = store.chains(names::FETCHED)?;
    Ok(copies.iter().any(|(name, copy)| name.ends_with("/archive") && copy == at))
}

/// The archive has the job whose home is another clone.
fn was_closed_elsewhere(store: &Store, place: &str) -> Result<bool> {
    let Some(archived) = store.tip(names::ARCHIVE)? else { return Ok(false) };
    let bytes = store.file(&archived, &format!("{place}/{}", names::STATE))?;
    // One that does not read is told by whoever needs it.
    let home = bytes.and_then(|bytes| state::read(&bytes).ok()).map(|state| state.home.clone);
    let own = known_clone(store)?;
    Ok(home.is_some_and(|clone| !clone.is_empty() && clone != own))
}
