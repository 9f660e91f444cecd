//! Raw memory of a job as its readers find it: in the work tree, or in the job alone.

use crate::engine::record;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::format::names;
use crate::format::state::State;
use crate::memory::raw::{self, Raw, RawFile};

/// How the file `name` of the present run is named to whoever is to read it.
pub(crate) fn own_name(repo: &Repo, state: &State, name: &str) -> String {
    repo.rules.raw.named(state.job.id.as_str(), &names::of_run(state.job.run, name))
}

/// What a reader finds as `name` in the present run.
pub(crate) fn own_file_as_read(
    repo: &Repo,
    focused: &LoadedJob,
    name: &str,
) -> Result<Option<Vec<u8>>> {
    match repo.rules.raw {
        Raw::Tree => Ok(record::own_files::own_file_on_disk(repo, &focused.state, name)),
        Raw::Ref => record::own_files::own_file(repo, focused, name),
    }
}

/// The raw files that the job itself has, of all its runs, by their paths below it.
pub(crate) fn files(repo: &Repo, job: &LoadedJob) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for run in 1..=job.state.job.run {
        let names = repo.store.names(&job.tip, &format!("run-{run}"))?;
        let paths = names.iter().map(|name| names::of_run(run, name));
        found.extend(paths.filter(|path| raw::is_raw(path)));
    }
    Ok(found)
}

/// Whether a path of the work tree leads to raw memory that only a job has, or to where that would
/// lie: a reader finds it with `git seed show`.
pub(crate) fn is_kept(repo: &Repo, path: &str) -> bool {
    if path.trim_end_matches('/') == raw::HOME.trim_end_matches('/') {
        return repo.rules.raw == Raw::Ref;
    }
    let Some(file) = RawFile::read(path).filter(|_| path.starts_with(raw::HOME)) else {
        return false;
    };
    // A pointer is only named, and a job that does not read is told elsewhere.
    let job = file.job.parse().ok().and_then(|id| repo.job(&id).ok());
    job.is_some_and(|job| repo.store.file(&job.tip, &file.file).is_ok_and(|held| held.is_some()))
}
