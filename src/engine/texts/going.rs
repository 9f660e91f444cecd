//! Words on their way out, over a kill: one file of this clone, `.git/seed/redacting`. It is there
//! from before a step may name their keys here until the last object that held them is gone.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::engine::own_state;
use crate::engine::repo::{Repo, Result};
use crate::jobs::JobId;
use crate::store::Ours;
use crate::world;

/// What may be left to do.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Going {
    /// Jobs of which a step may name texts that are here still.
    pub jobs: BTreeSet<JobId>,
    /// What our refs held before such texts left them. Empty: none has left one yet.
    pub objects: Vec<String>,
}

fn file(repo: &Repo) -> PathBuf {
    repo.store.seed_dir().join("redacting")
}

/// Something may be left to do.
pub(crate) fn is_there(repo: &Repo) -> bool {
    file(repo).exists()
}

pub(crate) fn read(repo: &Repo) -> Result<Option<Going>> {
    Ok(own_state::from_json(&file(repo))?)
}

/// It begins for these jobs, beside what somebody who was stopped left. Who calls holds the lock
/// until [`done`].
pub(crate) fn begin(repo: &Repo, jobs: BTreeSet<JobId>) -> Result<()> {
    let mut going = read(repo)?.unwrap_or_default();
    going.jobs.extend(jobs);
    write(repo, &going)
}

/// From here on texts leave their ref, which holds `before` now. Gives that with what somebody who
/// was stopped wrote down.
pub(crate) fn leave(repo: &Repo, before: Ours) -> Result<Ours> {
    let mut going = read(repo)?.unwrap_or_default();
    let before = before.and_named(&going.objects);
    going.objects = before.names();
    write(repo, &going)?;
    Ok(before)
}

/// All is done but for these jobs, which do not read.
pub(crate) fn done_but_for(repo: &Repo, jobs: BTreeSet<JobId>) -> Result<()> {
    if jobs.is_empty() {
        return done(repo);
    }
    write(repo, &Going { jobs, objects: Vec::new() })
}

fn write(repo: &Repo, going: &Going) -> Result<()> {
    Ok(world::Whole::private().write(&file(repo), &serde_json::to_vec(going)?)?)
}

/// It is done.
pub(crate) fn done(repo: &Repo) -> Result<()> {
    Ok(world::remove_if_there(file(repo))?)
}
