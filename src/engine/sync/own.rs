//! The refs that are not merged: rules, which come as a proposal alone, and meta, which tells the
//! format.
//!
//! Ours go out where they are ahead: what is there is in our history, or says what ours said once.
//! In the second case our chain takes the other's tip as a further parent, so that the push needs
//! no force. No text that is in force here changes by any of this.

use std::collections::BTreeMap;

use crate::engine::record;
use crate::engine::repo::{Repo, Result};
use crate::format::meta::{self, Meta};
use crate::format::names;
use crate::jobs::syncing;
use crate::store::{CommitId, RefPush, Tip};
use crate::verdict::Refusal;
use crate::voice::{Notice, tell};

/// How the rules there and here stand to each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum RulesAre {
    #[default]
    Same,
    /// Those there are others: a person may apply them.
    Proposal,
    Pushed,
}

fn push(name: &str, seen: Option<&CommitId>, to: CommitId) -> RefPush {
    RefPush { name: name.to_owned(), seen: seen.cloned(), to: Some(to), replaces: false }
}

/// What is to be done about rules that stand at `there`.
pub(crate) fn rules(
    repo: &Repo,
    there: Option<&CommitId>,
    dry_run: bool,
) -> Result<(RulesAre, Option<RefPush>)> {
    let theirs_text = match there {
        Some(theirs) => text(repo, &repo.store.tip_of(theirs)?)?,
        None => None,
    };
    let Some(ours) = repo.store.tip(names::RULES)? else {
        let are = if theirs_text.is_some() { RulesAre::Proposal } else { RulesAre::Same };
        return Ok((are, None));
    };
    let Some(theirs) = there else {
        return Ok((RulesAre::Pushed, Some(push(names::RULES, None, ours.commit))));
    };
    if *theirs == ours.commit {
        return Ok((RulesAre::Same, None));
    }
    if repo.store.descends(ours.commit.as_str(), theirs.as_str()) {
        return Ok((RulesAre::Pushed, Some(push(names::RULES, Some(theirs), ours.commit))));
    }
    // What holds no rules proposes none: [`odd`] names it.
    if theirs_text.is_none() || theirs_text == text(repo, &ours)? {
        return Ok((RulesAre::Same, None));
    }
    if !said_once(repo, &ours, theirs_text.as_ref())? {
        return Ok((RulesAre::Proposal, None));
    }
    let to = held(repo, names::RULES, &ours, theirs, dry_run)?;
    Ok((RulesAre::Pushed, Some(push(names::RULES, Some(theirs), to))))
}

/// Those of the two that are not what git seed writes, each with the reason. Nothing of them is
/// taken, and nothing is written over them.
pub(crate) fn odd(
    repo: &Repo,
    there: &BTreeMap<String, CommitId>,
) -> Result<Vec<(String, String)>> {
    let mut odd = Vec::new();
    for (name, file) in [(names::RULES, RULES_FILE), (names::META, meta::FILE)] {
        let Some(theirs) = there.get(name) else { continue };
        let ours = repo.store.stands_at(name)?;
        if ours.is_some_and(|ours| repo.store.descends(ours.as_str(), theirs.as_str())) {
            continue;
        }
        let reads = match name {
            names::META => read(repo, theirs)?.is_some(),
            _ => text(repo, &repo.store.tip_of(theirs)?)?.is_some(),
        };
        if !reads {
            odd.push((name.to_owned(), tell(Notice::SyncHoldsNoFile, &[("path", file)])));
        }
    }
    Ok(odd)
}

/// The file of a chain of rules.
const RULES_FILE: &str = "seed.toml";

/// The text of rules in a commit of their chain.
fn text(repo: &Repo, tip: &Tip) -> Result<Option<Vec<u8>>> {
    Ok(repo.store.file(tip, RULES_FILE)?)
}

/// Our rules were this text at some time.
fn said_once(repo: &Repo, ours: &Tip, wanted: Option<&Vec<u8>>) -> Result<bool> {
    for step in repo.store.history_from(&ours.commit, usize::MAX)? {
        if text(repo, &repo.store.tip_of(&step.commit)?)?.as_ref() == wanted {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Our tip with `theirs` as a further parent; ours as it is where nothing may change.
fn held(
    repo: &Repo,
    chain: &str,
    ours: &Tip,
    theirs: &CommitId,
    dry_run: bool,
) -> Result<CommitId> {
    if dry_run {
        return Ok(ours.commit.clone());
    }
    let _lock = repo.store.lock()?;
    record::rules::hold(repo, chain, &ours.commit, theirs)
}

/// The refusal where what is there is of a newer format.
pub(crate) fn newer(repo: &Repo, remote: &str, there: &CommitId) -> Result<Option<Refusal>> {
    let theirs = read(repo, there)?;
    let newer = theirs.filter(|meta| !meta.is_readable());
    Ok(newer.map(|meta| syncing::newer(remote, meta.format)))
}

/// What is to be done about the meta at `there`. One that does not read is no reason to write over
/// it.
pub(crate) fn meta(
    repo: &Repo,
    there: Option<&CommitId>,
    dry_run: bool,
) -> Result<Option<RefPush>> {
    let Some(ours) = repo.store.tip(names::META)? else { return Ok(None) };
    let Some(theirs) = there else { return Ok(Some(push(names::META, None, ours.commit))) };
    if *theirs == ours.commit {
        return Ok(None);
    }
    if repo.store.descends(ours.commit.as_str(), theirs.as_str()) {
        return Ok(Some(push(names::META, Some(theirs), ours.commit)));
    }
    let formats = (read(repo, theirs)?, read(repo, &ours.commit)?);
    let (Some(is), Some(was)) = (formats.1, formats.0) else { return Ok(None) };
    if is.format <= was.format {
        return Ok(None);
    }
    let to = held(repo, names::META, &ours, theirs, dry_run)?;
    Ok(Some(push(names::META, Some(theirs), to)))
}

fn read(repo: &Repo, commit: &CommitId) -> Result<Option<Meta>> {
    let tip = repo.store.tip_of(commit)?;
    let file = repo.store.file(&tip, meta::FILE)?;
    // What does not read says nothing of a format that would be newer.
    Ok(file.and_then(|bytes| Meta::read(&bytes).ok()))
}
