//! What `init --shared` asks once: whether the person's pushes take jobs along.

use crate::engine::fence::fingerprints;
use crate::engine::repo::{Repo, Result};
use crate::engine::sync::{on_push, remote};

/// Where the jobs would go.
#[derive(Clone, Debug)]
pub(crate) struct Offer {
    pub remote: String,
    pub owners: Vec<String>,
}

/// What may be offered: nothing where it was answered before, in whatever configuration, where no
/// remote is meant, or where the one that is meant is not whose this clone syncs with.
pub(crate) fn offer(repo: &Repo) -> Result<Option<Offer>> {
    if repo.store.config_text(on_push::SWITCH).is_some() {
        return Ok(None);
    }
    let Ok(remote) = remote::which(repo, None)? else { return Ok(None) };
    // A remote whose place is not to be found is met by the first sync, which says so.
    let Ok(owners) = remote::owners(repo, &repo.store.push_urls(&remote)?) else {
        return Ok(None);
    };
    let known = remote::agreed(repo);
    let other = !known.is_empty() && owners.iter().any(|owner| !known.contains(owner));
    Ok((!other && !owners.is_empty()).then_some(Offer { remote, owners }))
}

/// Keeps the answer. A yes agrees to the owners as well, as the first sync would ask.
pub(crate) fn answered(repo: &Repo, offer: &Offer, yes: bool) -> Result<()> {
    fingerprints::as_our_own(repo, || {
        on_push::set(repo, &offer.remote, yes)?;
        if yes {
            remote::agree_to(repo, &offer.owners)?;
        }
        Ok(())
    })
}
