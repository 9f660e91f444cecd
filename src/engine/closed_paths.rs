//! What a person's prompt says of paths, kept: for a session where no job is kept, and for a job
//! in mode full.
//!
//! In mode full the words bind as long as that job is open. What they close lies outside of what
//! the cycle declared; what they open again is only as open as the cycle has it.

use std::path::Path;

use crate::engine::record::said;
use crate::engine::repo::text::merged;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::engine::said_file::SaidInSession;
use crate::event::Event;
use crate::memory::scope::{Scope, Turn};
use crate::phases::place::Place;
use crate::phases::said_scope::{self, Said, SaidOfPaths, Shut};
use crate::shell::Found;
use crate::store::means;
use crate::voice::{Notice, tell};

/// What the prompt `text` says of paths, beside what stands under `key`: that something may be
/// changed says nothing where nobody closed it.
pub(crate) fn of_prompt(
    repo: &Repo,
    (event, key): (&Event, &str),
    text: &str,
) -> Result<Vec<SaidOfPaths>> {
    let said = said_scope::read(text, &|word| path_of(repo, event, word));
    if said.iter().all(|one| one.kind != Said::Again) {
        return Ok(said);
    }
    let known = said::of(repo, key)?.paths;
    let closed = |one: &SaidOfPaths| {
        let shut = |path: &String| said_scope::shut(path, &known, &[]).is_some();
        one.kind != Said::Again || one.paths.iter().any(shut)
    };
    Ok(said.into_iter().filter(closed).collect())
}

/// Keeps under `key` what was said of paths; what is told where there is no room for it.
pub(crate) fn keep(repo: &Repo, key: &str, said: &[SaidOfPaths]) -> Result<Option<String>> {
    let mut full = None;
    said::change(repo, key, |known: &mut SaidInSession| {
        for one in said {
            if said::has_room(known) {
                known.paths.push(one.clone());
            } else {
                full.get_or_insert_with(|| tell(Notice::FenceTooMany, &[("said", &one.words)]));
            }
        }
    })?;
    Ok(full)
}

/// Keeps what a person's prompt says of paths with the job that is in focus now; how it was read
/// is told to the person.
pub(crate) fn hear(repo: &Repo, event: &Event, text: &str) -> Result<Option<String>> {
    let Some(job) = repo.focused()?.filter(|job| job.state.job.status.is_open()) else {
        return Ok(None);
    };
    let key = said::of_job(&job);
    let said = of_prompt(repo, (event, &key), text)?;
    if said.is_empty() {
        return Ok(None);
    }
    if let Some(full) = keep(repo, &key, &said)? {
        return Ok(Some(full));
    }
    Ok(said.iter().map(|one| Some(in_job(one))).fold(None, merged))
}

/// Whether a prompt says something of paths.
pub(crate) fn speaks(repo: &Repo, event: &Event, text: &str) -> bool {
    !said_scope::read(text, &|word| path_of(repo, event, word)).is_empty()
}

/// As [`hear`], where it may have been heard before: what is kept of it is not kept twice.
pub(crate) fn hear_again(repo: &Repo, event: &Event, text: &str) -> Result<Option<String>> {
    let Some(job) = repo.focused()?.filter(|job| job.state.job.status.is_open()) else {
        return Ok(None);
    };
    let key = said::of_job(&job);
    let known = said::of(repo, &key)?.paths;
    let mut said = of_prompt(repo, (event, &key), text)?;
    said.retain(|one| !known.contains(one));
    if said.is_empty() {
        return Ok(None);
    }
    if let Some(full) = keep(repo, &key, &said)? {
        return Ok(Some(full));
    }
    Ok(said.iter().map(|one| Some(in_job(one))).fold(None, merged))
}

/// What a person opened for the job by a short word, over what they closed before.
pub(crate) fn allow(repo: &Repo, job: &LoadedJob, lines: &[String]) -> Result<()> {
    let key = said::of_job(job);
    if said::of(repo, &key)?.paths.is_empty() {
        return Ok(());
    }
    let paths = lines.iter().map(|line| line.trim_end_matches('/').to_owned()).collect();
    let words = format!("[ALLOW {}]", lines.join(", "));
    keep(repo, &key, &[SaidOfPaths { kind: Said::Allow, paths, words }]).map(drop)
}

/// Why `path` stays shut however the phases of the job go: a person said so, or its track does.
pub(crate) fn shut_for_good(
    repo: &Repo,
    (job, scope): (&LoadedJob, &Scope),
    (path, dir): (&str, &str),
) -> Option<Shut> {
    let said = scope.closed_by(path).map(|word| match word.kind {
        Turn::ClosesElse => Shut::Beside(word.said.clone()),
        Turn::Closes | Turn::Opens => Shut::Said(word.said.clone()),
    });
    said.or_else(|| repo.shut_by_track(&job.state.stand, path, dir))
}

/// The closed files whose changes `git stash` would take out of the work tree, where no job is
/// kept; by their whole paths.
pub(crate) fn put_away(
    repo: &Repo,
    (session, cwd): (&str, &Path),
    found: &Found,
) -> Result<Vec<String>> {
    let stash = found.git.as_ref().filter(|git| git.verb == "stash");
    let Some(git) = stash.filter(|_| !repo.rules.mode.keeps_jobs()) else { return Ok(Vec::new()) };
    let said = said::of(repo, session)?.paths;
    let scope = &repo.rules.fence_scope;
    let (first, rest) = match git.args.split_first() {
        Some((first, rest)) if matches!(first.as_str(), "push" | "save") => (None, rest),
        _ => (git.args.first(), &git.args[..]),
    };
    let takes = first.is_none_or(|first| first.starts_with('-'));
    if !takes || said.is_empty() && scope.is_empty() {
        return Ok(Vec::new());
    }
    let has = |flags: &[&str]| rest.iter().any(|word| flags.contains(&word.as_str()));
    let all = has(&["-u", "-a", "--include-untracked", "--all"]);
    let known = repo.store.indexed_paths()?;
    // What `save` is given is a message.
    let named: Vec<&String> = match git.args.first() {
        Some(save) if save == "save" => Vec::new(),
        _ => rest.iter().filter(|word| !word.starts_with('-')).collect(),
    };
    let is_in = |path: &str, word: &String| {
        let place = repo.resolve(Path::new(word), cwd, None, &[]).shown;
        // Where a line goes before it, the path ends so.
        let ends = path.strip_suffix(word.as_str()).is_some_and(|head| head.ends_with('/'));
        ends || said_scope::lies_in(path, &place) || means(&place, path)
    };
    let within = |path: &str| named.is_empty() || named.iter().any(|word| is_in(path, word));
    let mut paths = repo.store.uncommitted_paths()?;
    paths.retain(|path| {
        let goes = (all || known.contains(path)) && within(path);
        goes && said_scope::shut(path, &said, scope).is_some()
    });
    let top = repo.store.work_tree();
    Ok(paths.iter().map(|path| top.join(path).to_string_lossy().into_owned()).collect())
}

/// The files of the last commit and the index, and those that a person named.
pub(crate) fn files_of_work(repo: &Repo, said: &[SaidOfPaths]) -> Result<Vec<String>> {
    let mut files: Vec<String> = repo.store.indexed_paths()?;
    let named = said.iter().flat_map(|one| &one.paths).filter(|path| !path.is_empty());
    files.extend(named.cloned());
    Ok(files)
}

fn in_job(one: &SaidOfPaths) -> String {
    let notice = match one.kind {
        Said::Only => Notice::JobOnly,
        Said::Again | Said::Allow => Notice::PathsAgain,
        Said::Never => Notice::JobNever,
    };
    tell(notice, &[("paths", &one.paths.join(", ")), ("said", &one.words)])
}

/// The same where no job is kept.
pub(crate) fn in_session(one: &SaidOfPaths) -> String {
    let notice = match one.kind {
        Said::Only => Notice::FenceOnly,
        Said::Again | Said::Allow => Notice::PathsAgain,
        Said::Never => Notice::FenceNever,
    };
    tell(notice, &[("paths", &one.paths.join(", ")), ("said", &one.words)])
}

/// The path from the top of the work tree that a word of a prompt means: one that is there, or that
/// could be below a directory which is.
fn path_of(repo: &Repo, event: &Event, word: &str) -> Option<String> {
    if word.contains("://") || word.starts_with(['~', '-', '/']) {
        return None;
    }
    let bare = word.trim_start_matches("./").trim_end_matches('/');
    let first = bare.split('/').next().filter(|first| !first.is_empty() && *first != "..")?;
    let top = repo.store.work_tree();
    let is_there = |base: &Path| {
        let could = || bare.contains('/') && base.join(first).is_dir();
        base.join(bare).symlink_metadata().is_ok() || could()
    };
    let dir = if !is_there(top) && is_there(&event.cwd) { event.cwd.as_path() } else { top };
    let found = repo.resolve(Path::new(bare), dir, None, &[]);
    let shut = matches!(
        found.place,
        Place::Outside | Place::Git | Place::OwnState | Place::HostMemory | Place::Scratch
    );
    (is_there(dir) && !shut).then_some(found.shown)
}
