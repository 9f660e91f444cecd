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
use crate::format::names;
use crate::jobs::JobId;

/// What a job is called here; no journal is read for it.
pub(crate) fn job_name(repo: &Repo, id: &JobId) -> Result<String> {
    let chain = names::job_chain(id);
    let Some(tip) = repo.store.tip(&chain)? else { return Ok(repo.job(id)?.state.job.name) };
    let mut state = repo.state(&chain, &tip)?;
    repo.name_in(&mut state, &tip)?;
    Ok(state.job.name)
}
