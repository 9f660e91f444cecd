//! Files that git seed writes itself: they stand in the job's tree, and where the rules keep them
//! in the work tree, the boundary that closes a cycle writes them out and has them in its commit.

use crate::engine::boundary::step::Judged;
use crate::engine::memory::session_ledger::{FILE, Mark, Put};
use crate::engine::record::transition::Transition;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::engine::{memory, put_files, record};
use crate::format::names;
use crate::jobs::Status;
use crate::store::{CommitId, TreeEdit};

/// What the boundary that was judged adds to the ledger.
fn ledger_of(
    repo: &Repo,
    focused: &LoadedJob,
    toward: &Transition,
    judged: &Judged,
) -> Result<Option<Vec<u8>>> {
    let ends = focused.state.job.status == Status::Completed || judged.rests;
    let closes = matches!(toward, Transition::Forward { add_cycle: None, .. })
        && repo.map(&focused.state.stand).ends_cycle(judged.step.as_ref());
    let mark = Some(Mark::Wrap).filter(|_| ends && closes);
    // Without a commit the next boundary is early enough, but for the last one.
    if judged.survey.own.is_empty() && mark.is_none() {
        return Ok(None);
    }
    memory::session_ledger::ledger(
        repo,
        focused,
        mark,
        memory::context::newest_compaction(repo, focused),
    )
}

/// Puts the ledger into the boundary's step, and where it closes a cycle writes the run's own files
/// out: they are in its commit, and come back out when that is refused.
pub(crate) fn put_own_files(
    repo: &Repo,
    focused: &LoadedJob,
    toward: &Transition,
    judged: &mut Judged,
) -> Result<Vec<Put>> {
    let ledger = ledger_of(repo, focused, toward, judged)?;
    let path = names::of_run(focused.state.job.run, FILE);
    judged.adds.ledger = ledger.clone().map(|bytes| TreeEdit::Put { path, bytes });
    let closes = repo.map(&focused.state.stand).ends_cycle(judged.step.as_ref());
    let inside = memory::session_ledger::keeps_ledger_inside(repo, focused);
    if !closes || inside || judged.survey.own.is_empty() {
        return Ok(Vec::new());
    }
    // What a boundary left that was killed before its commit is no file of before.
    put_files::finish(repo, false)?;
    let kept = record::own_files::own_file(repo, focused, FILE)?;
    let ledger = ledger.or(kept).map(|bytes| (FILE.to_owned(), bytes));
    let compactions = memory::compaction::to_write_out(repo, focused)?;
    let files: Vec<(String, Vec<u8>)> = ledger.into_iter().chain(compactions).collect();
    let mut put = Vec::new();
    let paths = files
        .iter()
        .map(|(name, bytes)| (record::own_files::own_path(&focused.state, name), bytes.as_slice()));
    put_files::begin(repo, &paths.collect::<Vec<_>>())?;
    for (name, bytes) in files {
        put.extend(write_out(repo, focused, judged, (&name, &bytes))?);
    }
    Ok(put)
}

/// Writes one file and has it in the commit; nothing waits for it, since the job's tree holds it.
fn write_out(
    repo: &Repo,
    focused: &LoadedJob,
    judged: &mut Judged,
    (name, bytes): (&str, &[u8]),
) -> Result<Option<Put>> {
    let place = memory::session_ledger::own_place(repo, &focused.state, name);
    let Some((file, named)) = place else { return Ok(None) };
    let before = record::own_files::own_file_on_disk(repo, &focused.state, name);
    if before.as_deref() == Some(bytes) && judged.survey.own.contains(&named) {
        return Ok(None);
    }
    let made = file.parent().map_or(Ok(()), std::fs::create_dir_all);
    if made.is_err() || record::replace::replace_file(repo, &file, bytes).is_err() {
        return Ok(None);
    }
    let ignored = !repo.store.ignored(std::slice::from_ref(&named))?.is_empty();
    if !ignored && !judged.survey.own.contains(&named) {
        judged.survey.own.push(named);
    }
    Ok(Some(Put { file, before }))
}

/// The boundary was not crossed: what was written out is as it was.
pub(crate) fn take_back(repo: &Repo, put: Vec<Put>, judged: &mut Judged) -> Result<()> {
    judged.adds.ledger = None;
    for Put { file, before } in put {
        if let Some(bytes) = before {
            record::replace::replace_file(repo, &file, &bytes)?;
            continue;
        }
        std::fs::remove_file(&file)?;
        // The directory may have been made for it alone.
        for dir in file.ancestors().skip(1).take(4) {
            if std::fs::remove_dir(dir).is_err() {
                break;
            }
        }
    }
    put_files::forget(repo)
}

/// The ledger of a boundary's commit, whose step was never written; made again where no commit has
/// it.
pub(crate) fn ledger_in(
    repo: &Repo,
    focused: &LoadedJob,
    commit: &CommitId,
    (toward, judged): (&Transition, &Judged),
) -> Result<Option<TreeEdit>> {
    let path = names::of_run(focused.state.job.run, FILE);
    if memory::session_ledger::keeps_ledger_inside(repo, focused) {
        let ledger = ledger_of(repo, focused, toward, judged)?;
        return Ok(ledger.map(|bytes| TreeEdit::Put { path, bytes }));
    }
    let there =
        repo.store.file_of_commit(commit, &record::own_files::own_path(&focused.state, FILE))?;
    let known = record::own_files::own_file(repo, focused, FILE)?;
    Ok(there
        .filter(|there| known.as_ref() != Some(there))
        .map(|bytes| TreeEdit::Put { path, bytes }))
}
