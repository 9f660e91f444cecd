//! Jobs on their way into the archive: a file `.git/seed/closing/<id>` is there from before the
//! step that closes a job until the job lies where closed ones do. Whoever is killed between the
//! two is helped by the next command.

use std::path::PathBuf;

use crate::engine::repo::{Repo, Result};
use crate::jobs::JobId;
use crate::world;

fn dir(repo: &Repo) -> PathBuf {
    repo.store.seed_dir().join("closing")
}

/// The job `id` is about to be closed. Who calls holds the lock until it is put away.
pub(crate) fn begin(repo: &Repo, id: &JobId) -> Result<()> {
    let file = dir(repo).join(id.as_str());
    if !file.exists() {
        world::Whole::private().write(&file, b"")?;
    }
    Ok(())
}

/// It lies in the archive, or is not closed.
pub(crate) fn done(repo: &Repo, id: &JobId) -> Result<()> {
    Ok(world::remove_if_there(dir(repo).join(id.as_str()))?)
}

/// Those that somebody began and did not end.
pub(crate) fn begun(repo: &Repo) -> Vec<JobId> {
    let files = std::fs::read_dir(dir(repo)).into_iter().flatten().flatten();
    files.filter_map(|file| file.file_name().to_str()?.parse().ok()).collect()
}
