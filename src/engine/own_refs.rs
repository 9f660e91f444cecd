//! Refs below `refs/seed/` that git seed did not write: found by `doctor`.

use crate::engine::finding::Finding;
use crate::engine::repo::Repo;
use crate::voice::Found;

pub(crate) fn examine(repo: &Repo, found: &mut Vec<Finding>) {
    match repo.store.chains("refs/seed/") {
        Err(error) => found.push(Finding::trouble(Found::StateTrouble, &error)),
        Ok(known) => found.extend(known.iter().filter_map(|(name, held)| {
            let facts = [("ref", name.as_str()), ("held", held.as_str())];
            let own = repo.store.is_own_step(name, held.as_str());
            (!own).then(|| Finding::of(Found::RefNotOwn, &facts))
        })),
    }
}
