//! The texts of two clones: what either has, less what a step of any joined chain took away.
//!
//! Texts have no past, so nothing tells a text that is missing from one that never came: the
//! chains do. A job whose texts came, or whose chain changed, is asked which of them are to be
//! nowhere; a clone that was away for a year brings none of them back.

use std::collections::{BTreeMap, BTreeSet};

use crate::engine::repo::{Repo, Result};
use crate::engine::sync::join::outcome::{Came, JoinedJob, Push};
use crate::engine::texts;
use crate::format::names;
use crate::format::texts::{SALT, is_key, union};
use crate::jobs::JobId;
use crate::store::{CommitId, Held, inflated};

/// Says which jobs are about to move, for who is stopped before [`join`] has ended: a step that
/// came may name texts that are to go.
pub(crate) fn begin(repo: &Repo, moving: BTreeSet<JobId>) -> Result<()> {
    if moving.is_empty() || repo.store.stands_at(names::TEXTS)?.is_none() {
        return Ok(());
    }
    texts::going::begin(repo, moving)
}

/// Joins the texts here with those at `there`, once the chains are joined; says what is to be
/// pushed, and whether a pack that git made holds words that were to go.
pub(crate) fn join(
    repo: &Repo,
    there: Option<&CommitId>,
    jobs: &[JoinedJob],
) -> Result<(Option<Push>, bool)> {
    let here = repo.store.stands_at(names::TEXTS)?;
    let held = |tip: Option<&CommitId>| tip.map(|tip| repo.store.texts_of(tip)).transpose();
    // What a lender took away is asked for again where others have it.
    let left = here.as_ref().map(|tip| repo.store.texts_left_of(tip)).transpose()?;
    let (ours, lost) = left.unwrap_or_default();
    let whole = here.as_ref().filter(|_| !lost);
    let mut theirs = held(there)?.unwrap_or_default();
    // Whatever else lies there is no text of ours.
    theirs.retain(|place, _| job_of(place).is_some());
    let came = theirs.keys().filter(|place| !ours.contains_key(*place)).filter_map(|p| job_of(p));
    let moved = |job: &&JoinedJob| !matches!(job.result, Came::Same | Came::SetAside);
    let moved = jobs.iter().filter(moved).filter_map(|job| job.id.parse::<JobId>().ok());
    let gone = redacted(repo, came.chain(moved).collect())?;
    let without: BTreeSet<String> = gone.values().flatten().cloned().collect();
    // Those of ours that are to be nowhere go behind it, with all that holds them here.
    let all = union(&[ours.clone(), union(std::slice::from_ref(&theirs), &without)], &NONE);
    let is_all = |held: &Held| held.keys().eq(all.keys());
    let to = match (there, here.as_ref()) {
        (Some(there), _) if is_all(&theirs) => Some(there.clone()),
        (_, Some(here)) if is_all(&ours) && !lost => Some(here.clone()),
        _ if all.is_empty() => None,
        // Of what it holds and the later of the two times alone, so that two clones agree.
        _ => Some(repo.store.texts_commit(&all, later(repo, whole, there)?)?),
    };
    if let Some(to) = to.filter(|to| Some(to) != here.as_ref()) {
        repo.store.turn_texts(here.as_ref(), &to, repo.now)?;
    }
    let still = |(id, keys): (JobId, BTreeSet<String>)| {
        // What was fetched brings the words back that lay there still.
        let is_in = |held: &Held, key: &str| held.contains_key(&format!("{id}/{key}"));
        let here = |key: &String| is_in(&ours, key) || is_in(&theirs, key);
        let keys: Vec<String> = keys.into_iter().filter(here).collect();
        (!keys.is_empty()).then_some((id, keys))
    };
    let gone: Vec<(JobId, Vec<String>)> = gone.into_iter().filter_map(still).collect();
    // It may go with the words that it holds.
    let there_at = later(repo, None, there)?;
    let packed = !gone.is_empty() && texts::redact::take_away(repo, &gone)?;
    texts::going::done(repo)?;
    let to = repo.store.stands_at(names::TEXTS)?;
    let now = held(to.as_ref())?.unwrap_or_default();
    let going = without_journals(repo, &now, &theirs)?;
    // The same texts in another commit are no reason to push.
    let same = going.keys().eq(theirs.keys());
    let to = if going.len() == now.len() {
        to
    } else if going.is_empty() {
        None
    } else {
        Some(repo.store.texts_commit(&going, later(repo, to.as_ref(), None)?.max(there_at))?)
    };
    let push = Push { name: names::TEXTS.to_owned(), seen: there.cloned(), to };
    Ok(((!same && push.to.is_some()).then_some(push), packed))
}

/// What of our texts goes out: journal lines tell when somebody worked, and what was refused. Those
/// that lie there already stay.
fn without_journals(repo: &Repo, ours: &Held, theirs: &Held) -> Result<Held> {
    let mut going = ours.clone();
    if repo.rules.detail.is_day() {
        for (place, held) in ours.iter().filter(|(place, _)| !theirs.contains_key(*place)) {
            if is_journal(&repo.store.bytes_of(held)?) {
                going.remove(place);
            }
        }
    }
    Ok(going)
}

/// No key.
const NONE: BTreeSet<String> = BTreeSet::new();

/// Journal lines alone are kept compressed. Two bytes tell so, as no other text begins with them;
/// those of a quicker level could begin one, and there all of it is looked at.
fn is_journal(file: &[u8]) -> bool {
    match file.get(SALT + 1..) {
        Some([0x78, 0x9c | 0xda, ..]) => true,
        Some(text @ [0x78, 0x01 | 0x5e, ..]) => inflated(text).is_some(),
        _ => false,
    }
}

/// The job of a text, by its place.
fn job_of(place: &str) -> Option<JobId> {
    let (job, key) = place.split_once('/')?;
    job.parse().ok().filter(|_| is_key(key))
}

/// What steps of these jobs took away.
fn redacted(repo: &Repo, jobs: BTreeSet<JobId>) -> Result<BTreeMap<JobId, BTreeSet<String>>> {
    let mut gone = BTreeMap::new();
    for id in jobs {
        // Texts of a job that is not here yet wait for it.
        let Ok(job) = repo.job(&id) else { continue };
        let keys = repo.redacted(&job.tip)?;
        if !keys.is_empty() {
            gone.insert(id, keys);
        }
    }
    Ok(gone)
}

fn later(repo: &Repo, here: Option<&CommitId>, there: Option<&CommitId>) -> Result<i64> {
    let mut at = 0;
    for tip in [here, there].into_iter().flatten() {
        let step = repo.store.history_from(tip, 1)?;
        at = at.max(step.first().map_or(0, |step| step.dated));
    }
    Ok(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::deflated;

    #[test]
    fn a_journal_is_told_by_its_first_bytes() {
        let salt = "0123456789abcdef0123456789abcdef\n".as_bytes();
        let file = |text: &[u8]| [salt, text].concat();
        for lines in ["", "{}\n", &"{\"at\":1}\n".repeat(9_000)] {
            assert!(
                is_journal(&file(&deflated(lines.as_bytes()).expect("deflates"))),
                "{lines:.9}"
            );
        }
        for text in ["", "x", "x^2 + y^2 is what it wants", "x\u{1}", "{\"at\":1}", "\u{78}\u{da}"]
        {
            assert!(!is_journal(&file(text.as_bytes())), "{text:?}");
        }
        assert!(!is_journal(b"") && !is_journal(salt));
    }
}
