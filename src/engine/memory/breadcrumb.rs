//! Whether a breadcrumb leads somewhere: to a commit, another job, a file or knowledge.

use crate::engine::record;
use crate::engine::repo::Repo;
use crate::format::state::State;
use crate::jobs::JobId;
use crate::memory::knowledge;
use crate::memory::notes::{Crumb, NoteKind};
use crate::memory::raw::RawFile;
use crate::store::RepoPath;

/// The fewest digits of a shortened commit id.
const SHORT: usize = 7;

/// Whether `crumb` leads to something that exists, of the sorts that prove this kind.
pub(crate) fn leads_somewhere(repo: &Repo, state: &State, kind: &NoteKind, crumb: &str) -> bool {
    kind.crumbs.iter().any(|sort| is_there(repo, state, *sort, crumb))
}

/// Each word of a breadcrumb may be the reference: `job <id> created` is one.
pub(crate) fn is_there(repo: &Repo, state: &State, sort: Crumb, crumb: &str) -> bool {
    let words = words_of(crumb);
    match sort {
        Crumb::Commit => words.clone().any(|word| is_commit(repo, word)),
        Crumb::Job => words.clone().any(|word| is_another_job(repo, state, word)),
        Crumb::File => {
            is_file(repo, crumb.trim(), "")
                || words.clone().any(|word| is_file(repo, word, "") || is_kept(repo, word))
        }
        // The index is there whether or not anything was learnt.
        Crumb::Knowledge => words
            .clone()
            .any(|word| !knowledge::is_index(word) && is_file(repo, word, knowledge::HOME)),
    }
}

/// A full or shortened id of a commit that is here. Names of branches move, and prove nothing.
pub(crate) fn is_commit(repo: &Repo, word: &str) -> bool {
    let hex = word.len() >= SHORT && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    hex && repo.store.has_commit(word)
}

/// A job other than the one whose work the note waits for.
fn is_another_job(repo: &Repo, state: &State, word: &str) -> bool {
    let Ok(id) = word.parse::<JobId>() else { return false };
    if id == state.job.id {
        return false;
    }
    matches!(record::archive::knows(repo, &id), Ok(true))
}

/// A file of the work tree below `folder` that is not empty, by its path from the top.
pub(crate) fn is_file(repo: &Repo, path: &str, folder: &str) -> bool {
    let plain = path.starts_with(folder)
        && !path.split('/').any(|part| matches!(part, "" | "." | ".." | ".git"));
    let file =
        RepoPath::try_from(path).ok().and_then(|path| path.below(repo.store.work_tree()).ok());
    plain
        && file
            .is_some_and(|file| file.metadata().is_ok_and(|data| data.is_file() && data.len() > 0))
}

/// A file of a run that a job has, and that is not empty, as `git seed show` takes it.
fn is_kept(repo: &Repo, word: &str) -> bool {
    let Some(RawFile { job, file }) = RawFile::read(word) else { return false };
    // What does not read proves nothing.
    let job = job.parse().ok().and_then(|id| repo.job(&id).ok());
    // The same.
    let held = job.and_then(|job| repo.store.file(&job.tip, &file).ok().flatten());
    held.is_some_and(|bytes| !bytes.is_empty())
}

/// The words of a breadcrumb, without what a sentence puts around them.
pub(crate) fn words_of(crumb: &str) -> impl Iterator<Item = &str> + Clone {
    let bare = |word: &'_ str| -> (usize, usize) {
        let begins = word.len() - word.trim_start_matches(['`', '(']).len();
        (begins, word.trim_end_matches(['`', ',', ';', '.', ':', ')']).len().max(begins))
    };
    crumb.split_whitespace().map(move |word| {
        let (from, to) = bare(word);
        &word[from..to]
    })
}
