//! Refs below `refs/seed/` that hold what git seed did not write: found by `doctor`, and a person's
//! to take away.

use crate::engine::finding::Finding;
use crate::engine::repo::Repo;
use crate::voice::Found;

pub(crate) fn examine(repo: &Repo, found: &mut Vec<Finding>) {
    let known = match repo.store.chains("refs/seed/") {
        Ok(known) => known,
        Err(error) => return found.push(Finding::trouble(Found::StateTrouble, &error)),
    };
    for (name, held) in known {
        if !repo.store.is_own_step(&name, held.as_str()) {
            found.push(Finding::of(Found::RefNotOwn, &[("ref", &name), ("held", held.as_str())]));
        }
    }
}
