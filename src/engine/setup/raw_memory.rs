//! What `init` proposes where a repository has many files or people: raw memory stays in a ref.
//!
//! It is asked at a person's terminal and said in one line elsewhere. An answer, either way, is a
//! rule in force; where one says it, nothing is proposed.

use crate::engine::claims::checkers::put_in_force;
use crate::engine::repo::text::count;
use crate::engine::repo::{EngineError, Repo, Result};
use crate::engine::setup::own_record::{Told, read_if_there};
use crate::memory::raw::{Crowd, Raw};
use crate::rules::{BadRules, Rules};
use crate::voice::{Notice, tell};

/// How many commits back people are counted.
const RECENT: usize = 2_000;

/// The repository for which a ref is proposed; none where rules say where raw memory lies, and
/// where there are few files and people.
pub(crate) fn offer(repo: &Repo) -> Result<Option<Crowd>> {
    if !repo.rules.mode.keeps_jobs() {
        return Ok(None);
    }
    let proposed = read_if_there(&repo.store.work_tree().join("seed.toml"))?;
    let said = [repo.applied_rules()?, proposed];
    if said.into_iter().flatten().any(|text| Rules::places_raw(&text)) {
        return Ok(None);
    }
    let files = repo.store.tracked_count()?;
    let people = repo.store.people(RECENT)?;
    Ok(Some(Crowd { files, people }).filter(|crowd| crowd.wants_ref()))
}

/// What the repository is like, in words.
pub(crate) fn told(crowd: Crowd) -> String {
    let (files, people) = (count(crowd.files, "tracked file"), crowd.people.to_string());
    tell(Notice::RawCrowd, &[("files", &files), ("people", &people)])
}

/// The line that proposes it, where nobody is asked.
pub(crate) fn proposal(repo: &Repo) -> Result<Option<Told>> {
    let line = |crowd| Told::new("note", told(crowd), tell(Notice::RawProposed, &[]));
    Ok(offer(repo)?.map(line))
}

/// Puts the answer into force; other rules stay.
pub(crate) fn answered(repo: &Repo, raw: Raw) -> Result<()> {
    let _lock = repo.store.lock()?;
    let applied = repo.applied_rules()?;
    let before = applied.clone().unwrap_or_default();
    let bad = |bad: BadRules| EngineError::Proposal(bad.told("the applied rules", &before));
    let text = Rules::with_raw(&before, raw).map_err(bad)?;
    put_in_force(repo, applied.is_none(), &text, "init: memory.raw")
}
