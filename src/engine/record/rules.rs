//! The chain of the rules in force, and that of the format.

use crate::engine::repo::{Repo, Result};
use crate::format::{meta, names};
use crate::store::{Tip, TreeEdit};
use crate::voice::{Notice, tell};

/// Appends a text of rules to their chain; the caller has the lock.
pub(crate) fn record(repo: &Repo, text: &str, why: &str) -> Result<()> {
    let tip = repo.store.tip(names::RULES)?;
    let put = TreeEdit::Put { path: "seed.toml".to_owned(), bytes: text.as_bytes().to_vec() };
    let after = tip.map(|tip| tip.commit);
    repo.store.append(names::RULES, after.as_ref(), &[put], why, repo.now)?;
    Ok(())
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
