//! What `init` and the hooks left in a repository, told by what lies there: for when the record of
//! it, or the refs beside it, are lost.

use std::path::{Path, PathBuf};

use crate::engine::finding::Finding;
use crate::engine::installed::{AgentFile, Installation, Merging, SettingsFile};
use crate::engine::own_refs;
use crate::engine::repo::{EngineError, Repo, Result};
use crate::format::short_hash;
use crate::hosts::{self, Host};
use crate::voice::Found;
use crate::{githooks, world};

/// True where something of git seed's is in this repository, however much of the rest is lost: its
/// refs, the record of `init`, or a job in focus.
pub(crate) fn are_here(repo: &Repo) -> Result<bool> {
    // What does not read is there.
    let in_focus = repo.store.in_focus().map_or(true, |chains| !chains.is_empty());
    Ok(in_focus || !matches!(repo.is_seeded(), Ok(false)) || is_recorded(repo) || found(repo)?.1)
}

/// The record of `init` is there, whether or not it reads.
pub(crate) fn is_recorded(repo: &Repo) -> bool {
    repo.record_file().symlink_metadata().is_ok()
}

/// What was installed here: by the record, or by what lies there where it is lost.
pub(crate) fn installation(repo: &Repo) -> Result<Installation> {
    if is_recorded(repo) { repo.installation() } else { Ok(found(repo)?.0) }
}

/// Whether the record is lost of an installation that is there.
pub(crate) fn lost_record(repo: &Repo) -> Result<bool> {
    Ok(!is_recorded(repo) && found(repo)?.1)
}

/// Leaves a focus whose job is nowhere, where a person asks; says whether there was one. A ref that
/// code took away is no end of a job.
pub(crate) fn drop_dangling_focus(repo: &Repo) -> Result<bool> {
    if own_refs::mend_focus(repo)?.is_some() {
        return Ok(repo.store.focus()?.is_none());
    }
    if repo.store.focus().is_ok() || repo.is_person().is_err() {
        return Ok(false);
    }
    repo.store.clear_focus()?;
    Ok(true)
}

/// Where worktrees lay that git knows of, that are not there, on a disk that is away or moved by
/// hand, and into which something was put.
pub(crate) fn away(repo: &Repo, installation: &Installation) -> Vec<PathBuf> {
    let known = repo.store.common_dir().join("worktrees");
    let agents = installation.agents.iter().map(|file| &file.path);
    let files: Vec<&PathBuf> =
        agents.chain(installation.settings.iter().map(|file| &file.path)).collect();
    let mut away = Vec::new();
    for (name, top) in &installation.tops {
        let holds = files.iter().any(|file| file.starts_with(top));
        if holds && !top.is_dir() && known.join(name).is_dir() {
            away.push(top.clone());
        }
    }
    away
}

/// What lies there of ours, and whether anything does.
fn found(repo: &Repo) -> Result<(Installation, bool)> {
    let mut found = Installation::default();
    let mut names = Vec::new();
    for row in hosts::names().filter_map(|name| hosts::row(name).ok()) {
        names.push(row.settings.local.clone());
        found.settings.extend(settings(repo, row));
        names.extend(own_files(repo, row, &mut found)?);
    }
    found.hooks = githooks::found(&repo.hook_repo())
        .map_err(|error| EngineError::Setup(error.to_string()))?;
    exclusions(repo, &names, &mut found)?;
    merging(repo, &mut found)?;
    let any = !found.settings.is_empty() || !found.agents.is_empty() || found.hooks.is_some();
    Ok((found, any))
}

/// The files of a host with our lines for this clone; those of the team are the team's.
fn settings(repo: &Repo, row: &Host) -> Vec<SettingsFile> {
    let top = repo.store.work_tree();
    let is_own = |path: &Path| {
        // Settings that do not read have no line that a host would run.
        let text = std::fs::read_to_string(path).ok();
        let line = text.and_then(|text| hosts::before_tool_line(&text, row));
        line.is_some_and(|(program, _)| program != "git-seed")
    };
    let places = row.places(top, None).into_iter().filter(|place| is_own(&place.path));
    let file = |path: PathBuf| {
        let (host, undo) = (row.name.clone(), String::new());
        SettingsFile { host, made_dirs: dirs_below(&path, top), path, undo }
    };
    places.map(|place| file(place.path)).collect()
}

/// The directories between `path` and `top`, innermost first: whoever takes them out takes only
/// those that are empty.
fn dirs_below(path: &Path, top: &Path) -> Vec<PathBuf> {
    let above = path.ancestors().skip(1).take_while(|dir| *dir != top);
    above.map(Path::to_owned).collect()
}

/// The files that are put in whole and hold what this program puts there; gives the names of all.
fn own_files(repo: &Repo, row: &Host, found: &mut Installation) -> Result<Vec<String>> {
    let kinds: [(&Option<String>, &[_]); 4] = [
        (&row.agents, &hosts::AGENTS),
        (&row.rules, &hosts::RULES),
        (&row.skills, &hosts::SKILLS),
        (&row.agents, &hosts::REVIEWERS),
    ];
    let top = repo.store.work_tree();
    let mut names = Vec::new();
    for (folder, files) in kinds {
        let Some(folder) = folder else { continue };
        for (name, text) in files {
            let shown = format!("{folder}{name}");
            let path = top.join(&shown);
            let known = found.agents.iter().any(|file| file.path == path);
            let same = || std::fs::read(&path).is_ok_and(|bytes| bytes == text.as_bytes());
            // One that is committed is the team's.
            if !known && same() && !repo.store.is_tracked(&shown)? {
                let hash = short_hash(text.as_bytes(), 32);
                let made_dirs = dirs_below(&path, top);
                found.agents.push(AgentFile { path, hash, made_dirs });
            }
            names.push(shown);
        }
    }
    Ok(names)
}

/// Our lines in `.git/info/exclude`.
fn exclusions(repo: &Repo, names: &[String], found: &mut Installation) -> Result<()> {
    let file = repo.store.common_dir().join("info").join("exclude");
    let Some(bytes) = world::read_if_there(&file)? else { return Ok(()) };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let is_ours = |line: &str| {
        line.strip_prefix('/').is_some_and(|line| names.iter().any(|name| name == line))
    };
    found.excluded = text.lines().filter(|line| is_ours(line)).map(str::to_owned).collect();
    let rest: String =
        text.split_inclusive('\n').filter(|line| !is_ours(line.trim_end())).collect();
    found.made_info = rest.is_empty() && !found.excluded.is_empty();
    found.exclude_before = Some(rest).filter(|rest| !rest.is_empty());
    Ok(())
}

/// Our lines in `.git/info/attributes`.
fn merging(repo: &Repo, found: &mut Installation) -> Result<()> {
    let file = repo.store.common_dir().join("info").join("attributes");
    let Some(bytes) = world::read_if_there(&file)? else { return Ok(()) };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let is_ours = |line: &str| line.trim_end().ends_with(" merge=seed-pages");
    let lines: Vec<String> = text.lines().filter(|line| is_ours(line)).map(str::to_owned).collect();
    let rest: String = text.split_inclusive('\n').filter(|line| !is_ours(line)).collect();
    if !lines.is_empty() {
        let (made_info, before) = (rest.is_empty(), Some(rest).filter(|rest| !rest.is_empty()));
        found.merging = Some(Merging { before, made_info, lines });
    }
    Ok(())
}

/// Takes out drafts that a killed writer of ours left in `dirs`.
fn drafts_in<'d>(dirs: impl IntoIterator<Item = &'d Path>) {
    for dir in dirs {
        // What cannot be listed or removed is an empty or half file that nobody reads.
        for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
            if world::is_draft(&entry.file_name()) {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }
}

/// Takes out what killed writers left: drafts beside our files, and the lock of a bundle that git
/// never ended.
pub(crate) fn sweep(repo: &Repo, installation: &Installation, bundle: Option<&Path>) {
    let common = repo.store.common_dir();
    let own = [common.to_owned(), common.join("hooks"), common.join("info")];
    let files = installation.settings.iter().map(|file| &file.path);
    let files = files.chain(installation.agents.iter().map(|file| &file.path));
    let beside = files.filter_map(|path| path.parent());
    drafts_in(own.iter().map(PathBuf::as_path).chain(beside));
    let Some((dir, name)) = bundle.and_then(|file| file.parent().zip(file.file_name())) else {
        return;
    };
    let name = name.to_string_lossy();
    let Some((start, _)) = name.rsplit_once('-') else { return };
    // What cannot be listed or removed is half a bundle that nobody reads.
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let named = entry.file_name().to_string_lossy().into_owned();
        let middle = named.strip_prefix(start).and_then(|rest| rest.strip_suffix(".bundle.lock"));
        let is_own = middle
            .and_then(|at| at.strip_prefix('-'))
            .is_some_and(|at| !at.is_empty() && at.bytes().all(|byte| byte.is_ascii_digit()));
        if is_own {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// The same for `doctor --fix`, which says so.
pub(crate) fn mend_focus(repo: &Repo, found: &mut Vec<Finding>) -> Result<()> {
    if repo.store.focus().is_err()
        && let Err(why) = repo.is_person()
    {
        found.push(Finding::of(Found::FocusLost, &[("why", &why.to_string())]));
    } else if drop_dangling_focus(repo)? {
        found.push(Finding::of(Found::FocusMended, &[]));
    }
    Ok(())
}
