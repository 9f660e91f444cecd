//! The chain of the rules in force, that of the format, and a further parent for either.

use crate::engine::repo::{Repo, Result};
use crate::format::{meta, names};
use crate::store::{CommitId, NewStep, Tip, TreeEdit};
use crate::voice::{Notice, tell};

/// Why there is a new text where a person applied one.
pub(crate) const APPLIED: &str = "rules applied";

/// Appends a text of rules to their chain; the caller has the lock.
pub(crate) fn record(repo: &Repo, text: &str, why: &str) -> Result<()> {
    let tip = repo.store.tip(names::RULES)?;
    let put = TreeEdit::Put { path: "seed.toml".to_owned(), bytes: text.as_bytes().to_vec() };
    let after = tip.map(|tip| tip.commit);
    repo.store.append(names::RULES, after.as_ref(), &[put], why, repo.now)?;
    Ok(())
}

/// Adds a commit to `chain` that changes nothing and has what another clone published as a further
/// parent, so that it can be pushed over that; the caller has the lock.
pub(crate) fn hold(
    repo: &Repo,
    chain: &str,
    ours: &CommitId,
    theirs: &CommitId,
) -> Result<CommitId> {
    let message = format!("{}\n", tell(Notice::SubjectSyncHold, &[]));
    let step = NewStep { edits: &[], message: &message, at: repo.now };
    Ok(repo.store.append_holding(chain, Some(ours), &step, std::slice::from_ref(theirs))?)
}

/// Says which format is written; the caller has the lock.
pub(crate) fn put_meta(repo: &Repo, tip: Option<&Tip>, bytes: Vec<u8>) -> Result<()> {
    let put = TreeEdit::Put { path: meta::FILE.to_owned(), bytes };
    let after = tip.map(|tip| &tip.commit);
    repo.store.append(
        names::META,
        after,
        &[put],
        &tell(Notice::SubjectCarriedOver, &[]),
        repo.now,
    )?;
    Ok(())
}
