//! The chain of the rules in force.

use crate::engine::repo::{Repo, Result};
use crate::format::names;
use crate::store::TreeEdit;

/// Appends a text of rules to their chain; the caller has the lock.
pub(crate) fn record(repo: &Repo, text: &str, why: &str) -> Result<()> {
    let tip = repo.store.tip(names::RULES)?;
    let put = TreeEdit::Put { path: "seed.toml".to_owned(), bytes: text.as_bytes().to_vec() };
    let after = tip.map(|tip| tip.commit);
    repo.store.append(names::RULES, after.as_ref(), &[put], why, repo.now)?;
    Ok(())
}
