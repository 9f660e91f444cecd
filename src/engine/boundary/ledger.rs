//! The session ledger rides in the phase commit that it belongs to, and comes back out when
//! that commit was refused.

use crate::engine::boundary::step::Judged;
use crate::engine::memory::session_ledger::{FILE, Mark, Put};
use crate::engine::record::transition::Transition;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::engine::{memory, record};
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

/// Puts the ledger for a boundary whose gates let it through: it is in the boundary's
/// commit, where there is one, and in its step. Gives what lay there before, if anything
/// was put on disk.
pub(crate) fn put_ledger(
    repo: &Repo,
    focused: &LoadedJob,
    toward: &Transition,
    judged: &mut Judged,
) -> Result<Option<Put>> {
    let Some(bytes) = ledger_of(repo, focused, toward, judged)? else { return Ok(None) };
    let path = names::of_run(focused.state.job.run, FILE);
    judged.ledger = Some(TreeEdit::Put { path, bytes: bytes.clone() });
    if memory::session_ledger::keeps_ledger_inside(repo, focused) || judged.survey.own.is_empty() {
        return Ok(None);
    }
    let Some((file, named)) = memory::session_ledger::ledger_place(repo, &focused.state) else {
        return Ok(None);
    };
    let before = record::own_files::own_file_on_disk(repo, &focused.state, FILE);
    let made = file.parent().map_or(Ok(()), std::fs::create_dir_all);
    if made.is_err() || record::replace::replace_file(repo, &file, &bytes).is_err() {
        // Nothing waits for it: the job's tree holds it.
        return Ok(None);
    }
    let ignored = !repo.store.ignored(std::slice::from_ref(&named))?.is_empty();
    if !ignored && !judged.survey.own.contains(&named) {
        judged.survey.own.push(named);
    }
    Ok(Some(Put { before }))
}

/// The boundary was not crossed: the ledger is as it was.
pub(crate) fn take_back_ledger(
    repo: &Repo,
    focused: &LoadedJob,
    put: Option<Put>,
    judged: &mut Judged,
) -> Result<()> {
    judged.ledger = None;
    let file = repo.store.work_tree().join(record::own_files::own_path(&focused.state, FILE));
    match put {
        Some(Put { before: Some(bytes) }) => record::replace::replace_file(repo, &file, &bytes),
        Some(Put { before: None }) => {
            std::fs::remove_file(&file)?;
            // The directory may have been made for it alone.
            for dir in file.ancestors().skip(1).take(4) {
                if std::fs::remove_dir(dir).is_err() {
                    break;
                }
            }
            Ok(())
        }
        None => Ok(()),
    }
}

/// The ledger of a boundary's commit, whose step was never written.
pub(crate) fn ledger_in(
    repo: &Repo,
    focused: &LoadedJob,
    commit: &CommitId,
) -> Result<Option<TreeEdit>> {
    let there =
        repo.store.file_of_commit(commit, &record::own_files::own_path(&focused.state, FILE))?;
    let known = record::own_files::own_file(repo, focused, FILE)?;
    let path = names::of_run(focused.state.job.run, FILE);
    Ok(there
        .filter(|there| known.as_ref() != Some(there))
        .map(|bytes| TreeEdit::Put { path, bytes }))
}
