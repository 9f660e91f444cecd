//! Refs of git seed's own: those that do not read are found by `doctor`, and mended by `--fix`; so
//! are those below `refs/seed/` that git seed did not write found.
//!
//! Every ref but those of jobs is mended here, before anything else is asked: a job is read by what
//! these say. It gets its last value that reads. Where there is none it is taken away, and what it
//! said is kept in a file.

use crate::engine::finding::Finding;
use crate::engine::repo::{EngineError, Repo, Result};
use crate::format::{names, ops};
use crate::store::{Stood, StoreError};
use crate::voice::{Found, Notice};

/// The most that are named one by one.
const NAMED: usize = 5;

/// What holds an agent: an older value of these may hold it less, which is a person's to say.
const HOLDS: [&str; 3] = [names::RULES, names::CLAIMS, names::BYPASSES];

pub(crate) fn examine(repo: &Repo, found: &mut Vec<Finding>) {
    let broken = repo.store.broken_refs();
    if !broken.is_empty() {
        let troubles = broken.iter().map(|(_, why)| Finding::trouble(Found::StateTrouble, why));
        return found.extend(troubles);
    }
    let known = match repo.store.chains("refs/seed/") {
        Err(error) => return found.push(Finding::trouble(Found::StateTrouble, &error)),
        Ok(known) => known,
    };
    // A job that does not read is set back, and by no means deleted.
    let is_job = |name: &str| names::job_of(name).is_some();
    let unread = known.iter().filter(|(name, _)| is_job(name));
    let unread = unread.filter_map(|(name, _)| Some((name, repo.store.tip(name).err()?)));
    let unread: Vec<(&String, StoreError)> = unread.collect();
    found.extend(unread.iter().map(|(_, why)| Finding::trouble(Found::StateTrouble, why)));
    let is_unread = |name: &String| unread.iter().any(|(one, _)| *one == name);
    let mut strange = known
        .iter()
        .filter(|(name, held)| !is_unread(name) && !repo.store.is_own_step(name, held.as_str()));
    found.extend(strange.by_ref().take(NAMED).map(|(name, held)| {
        Finding::of(Found::RefNotOwn, &[("ref", name.as_str()), ("held", held.as_str())])
    }));
    let more = strange.count();
    if more > 0 {
        found.push(Finding::of(Found::RefsNotOwnMore, &[("count", &more.to_string())]));
    }
}

/// Mends every ref of ours that does not read, but for those of jobs; true if there was one.
pub(crate) fn mend(repo: &Repo, found: &mut Vec<Finding>) -> Result<bool> {
    let broken = repo.store.broken_refs();
    for (name, why) in &broken {
        found.push(mended(repo, name, why)?);
    }
    // Operations say what the focus was, and read by now.
    let focus = mend_focus(repo)?;
    let any = !broken.is_empty() || focus.is_some();
    found.extend(focus);
    Ok(any)
}

fn mended(repo: &Repo, name: &str, why: &StoreError) -> Result<Finding> {
    let is_copy = name.starts_with(names::FETCHED);
    let good = if is_copy { None } else { repo.store.last_good(name)? };
    let is_persons = match &good {
        Some(good) => !good.is_newest && HOLDS.contains(&name),
        // What a remote has comes again with the next sync.
        None => !is_copy,
    };
    if is_persons && let Err(by) = repo.is_person() {
        let facts = [("error", &*why.to_string()), ("why", &*by.to_string())];
        return Ok(Finding::of(Found::RefSetsBack, &facts));
    }
    if let Some(good) = good {
        repo.store.put_back(name, &good.commit)?;
        let facts = [("ref", name), ("value", good.commit.as_str())];
        return Ok(Finding::of(Found::RefMended, &facts));
    }
    let aside = repo.store.put_ref_aside(name)?;
    if name == names::COMMIT_NOTES {
        repo.store.note_begin()?;
    }
    let facts = [("ref", name), ("aside", &*aside.display().to_string())];
    Ok(Finding::of(Found::RefSetAside, &facts))
}

/// Turns this worktree back to what operations say it had in focus, where its focus is no ref;
/// to nothing where they do not say, or where that cannot be.
pub(crate) fn mend_focus(repo: &Repo) -> Result<Option<Finding>> {
    if !repo.store.is_focus_torn() {
        return Ok(None);
    }
    let place = ops::focus_place(&repo.store.worktree_name());
    // Operations that do not read say nothing.
    let told = repo.store.tip(names::OPS).ok().flatten();
    // As above.
    let told = told.and_then(|tip| repo.store.stood_in(&tip.tree, &place).ok().flatten());
    if let Some(Stood::On(job)) = told {
        let chain = format!("{}{job}", names::JOBS);
        let is_there = matches!(repo.store.tip(&chain), Ok(Some(_)));
        if is_there && matches!(repo.store.focus_elsewhere(&chain), Ok(None)) {
            repo.store.put_focus_back(&chain)?;
            return Ok(Some(Finding::of(Found::FocusBack, &[("job", &job)])));
        }
    }
    repo.store.put_ref_aside(names::FOCUS)?;
    Ok(Some(Finding::of(Found::FocusUnread, &[])))
}

/// Refuses where a ref of ours does not read: git makes a bundle without it and says nothing. The
/// format is no step and no note, and whatever it is, a person may end git seed.
pub(crate) fn all_read(repo: &Repo) -> Result<()> {
    let broken = repo.store.broken_refs().into_iter().map(|(name, _)| name);
    let broken = broken.filter(|name| name != names::META);
    match broken.chain(repo.store.torn_refs(names::JOBS)).next() {
        None => Ok(()),
        Some(name) => Err(EngineError::not_now(Notice::NoWholeBundle, &[("ref", &name)])),
    }
}
