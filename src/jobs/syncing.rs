//! When clones are not synced: where it is not clear with whom, or nobody said that it may be.

use crate::verdict::{Case, Refusal, Wants};

fn refused(case: Case) -> Refusal {
    Refusal::new("sync", Wants::Edge).case(case)
}

/// Several remotes could be meant, or there is none.
pub(crate) fn which(remotes: &[String]) -> Refusal {
    match remotes {
        [] => refused(Case::SyncNoRemote),
        _ => refused(Case::SyncWhich).with("remotes", remotes.join(", ")),
    }
}

/// The remote is somebody's who was not agreed to.
pub(crate) fn other_owner(remote: &str, owner: &str, known: &[String]) -> Refusal {
    refused(Case::SyncOwner)
        .with("remote", remote)
        .with("owner", owner)
        .with("known", known.join(", "))
}

/// A person was asked whether it may begin, and did not say yes.
pub(crate) fn not_agreed(remote: &str, owners: &[String]) -> Refusal {
    refused(Case::SyncNotAgreed)
        .with("remote", remote)
        .with("owner", owners.join(", "))
        .with("options", owners.join(" --owner "))
}

/// Nobody pushed a branch there yet.
pub(crate) fn empty(remote: &str) -> Refusal {
    refused(Case::SyncEmpty).with("remote", remote)
}

/// The branch in which refs would travel is somebody's own.
pub(crate) fn branch_taken(remote: &str) -> Refusal {
    refused(Case::SyncBranchTaken).with("remote", remote)
}

/// Git keeps no branch `git-seed` beside one below it.
pub(crate) fn branch_below(remote: &str, branch: &str) -> Refusal {
    refused(Case::SyncBranchBelow).with("remote", remote).with("branch", branch)
}

/// The remote is a clone that somebody works in.
pub(crate) fn worked_in(remote: &str) -> Refusal {
    refused(Case::SyncWorkedIn).with("remote", remote)
}

/// What is there was written by a newer git-seed.
pub(crate) fn newer(remote: &str, format: u32) -> Refusal {
    refused(Case::SyncNewer).with("remote", remote).with("format", format.to_string())
}

/// There is nothing that a bundle could hold.
pub(crate) fn nothing_to_write() -> Refusal {
    refused(Case::SyncNothing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_remote_is_another_thing_than_too_many() {
        assert_eq!(which(&[]).facts.case(), Some("sync-no-remote"));
        let two = which(&["a".to_owned(), "b".to_owned()]);
        assert_eq!(two.facts.case(), Some("sync-which"));
        assert_eq!(two.facts.get("remotes"), Some("a, b"));
    }
}
