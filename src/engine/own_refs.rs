//! Refs below `refs/seed/` that git seed did not write: found by `doctor`.

use crate::engine::finding::Finding;
use crate::engine::repo::Repo;
use crate::voice::Found;

/// The most that are named one by one.
const NAMED: usize = 5;

pub(crate) fn examine(repo: &Repo, found: &mut Vec<Finding>) {
    let known = match repo.store.chains("refs/seed/") {
        Err(error) => return found.push(Finding::trouble(Found::StateTrouble, &error)),
        Ok(known) => known,
    };
    let mut strange =
        known.iter().filter(|(name, held)| !repo.store.is_own_step(name, held.as_str()));
    found.extend(strange.by_ref().take(NAMED).map(|(name, held)| {
        Finding::of(Found::RefNotOwn, &[("ref", name.as_str()), ("held", held.as_str())])
    }));
    let more = strange.count();
    if more > 0 {
        found.push(Finding::of(Found::RefsNotOwnMore, &[("count", &more.to_string())]));
    }
}
