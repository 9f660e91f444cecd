//! Two clones come to have the same jobs, by a remote or by a file.
//!
//! * **What travels** is said by [`crate::format::names`]: jobs, archive, claims and notes both
//!   ways; rules and meta out where they are ahead, in only as a proposal; texts by rule.
//! * **In** goes everything below `refs/seed-remote/<remote>/` first ([`carrier`]). [`join`] then
//!   decides what of it our own refs take, under the lock and one ref at a time.
//! * **Out** goes what [`join`] names, by name and by the oid that was seen. Whoever loses a race
//!   fetches again, three times in all ([`rounds`]).
//! * **With whom** a clone syncs is a person's to say, once ([`remote`]).
//!
//! No lock is held while git talks to anybody. Killed anywhere, our refs are as before or after one
//! of their moves, and the next sync goes on.

pub(crate) mod bundle;
pub(crate) mod carrier;
pub(crate) mod join;
pub(crate) mod on_push;
pub(crate) mod own;
pub(crate) mod remote;
pub(crate) mod rounds;

use crate::engine::repo::{Repo, Result};
use crate::engine::sync::join::Rejected;
use crate::format::names;
use crate::jobs::merging::{COMPLETION, Kind, Why, kind};
use crate::jobs::{JobId, merging};
use crate::voice::{Notice, tell};

/// What a job is called here; no journal is read for it.
pub(crate) fn job_name(repo: &Repo, id: &JobId) -> Result<String> {
    let chain = names::job_chain(id);
    let Some(tip) = repo.store.tip(&chain)? else { return Ok(repo.job(id)?.state.job.name) };
    let mut state = repo.state(&chain, &tip)?;
    repo.name_in(&mut state, &tip)?;
    Ok(state.job.name)
}

/// Why a step fell where two chains became one; `word` is what the chain says. That of a later git
/// seed is told as it stands.
pub(crate) fn why_fell(word: &str) -> String {
    let told = word.parse().map(|why| match why {
        Why::Phase => Notice::FellPhase,
        Why::Behind => Notice::FellBehind,
        Why::Grew => Notice::FellGrew,
        Why::Over => Notice::FellOver,
        Why::File => Notice::FellFile,
    });
    told.map_or(word.to_owned(), |told| tell(told, &[]))
}

/// What it means for a person that a step which judged a job fell; nothing where it judged none.
/// The job stands by now as the sync left it.
pub(crate) fn fell(repo: &Repo, id: &str, fallen: &Rejected) -> Result<Option<String>> {
    if kind(&fallen.step) != Kind::Judges {
        return Ok(None);
    }
    let what = match fallen.step.as_str() {
        COMPLETION => Notice::FellApproval,
        merging::LAND_WORD => Notice::FellLandWord,
        "drop" | "void" => Notice::FellDrop,
        _ => Notice::FellUndo,
    };
    let grew = fallen.why.parse() == Ok(Why::Grew);
    let why = if grew { Notice::FellGrew } else { Notice::FellOver };
    let Ok(id) = id.parse::<JobId>() else { return Ok(None) };
    let is_open = repo.store.stands_at(&names::job_chain(&id))?.is_some();
    let stands = if is_open { Notice::FellIsOpen } else { Notice::FellIsClosed };
    let facts = [what, why, stands].map(|notice| tell(notice, &[]));
    let facts = [("what", &*facts[0]), ("why", &*facts[1]), ("stands", &*facts[2])];
    Ok(Some(tell(Notice::Fell, &facts)))
}
