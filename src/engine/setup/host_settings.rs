//! Our hook lines in the settings of hosts: put in, taken out, and one registration per host.
//!
//! A host that finds them in the settings that the team shares and in those of this clone calls
//! us twice for each event.

use std::path::{Path, PathBuf};

use crate::engine::repo::installation::{Installation, SettingsFile};
use crate::engine::repo::{self, EngineError, Repo, Result};
use crate::engine::setup::own_record::{Told, missing_dirs, read_if_there};
use crate::engine::{record, setup};
use crate::hosts::{self, Host, Linked, Place, install};
use crate::memory::knowledge;
use crate::voice::{Notice, tell};
use crate::world;

/// A directory of a host's settings, or of what is put in beside them, that is a link: git sees
/// nothing behind it, so nothing there could be kept out of its sight or committed.
pub(crate) fn refuse_linked_dirs(repo: &Repo, rows: &[&'static Host]) -> Result<()> {
    let names = rows.iter().flat_map(|row| {
        let more = [&row.agents, &row.rules, &row.skills];
        let dirs = more.into_iter().flatten().map(String::as_str);
        [row.settings.local.as_str(), &row.settings.shared, knowledge::HOME].into_iter().chain(dirs)
    });
    let top = repo.store.work_tree();
    let dirs =
        names.flat_map(|name| Path::new(name).ancestors().skip(usize::from(!name.ends_with('/'))));
    let linked = |dir: &&Path| top.join(dir).is_symlink();
    match dirs.into_iter().filter(|dir| !dir.as_os_str().is_empty()).find(linked) {
        Some(dir) => {
            let dir = dir.display().to_string();
            Err(EngineError::not_now(Notice::SettingsBehindLink, &[("dir", &dir)]))
        }
        None => Ok(()),
    }
}

/// The main checkout, where this is a worktree that was linked to one.
pub(crate) fn main_checkout(repo: &Repo) -> Option<PathBuf> {
    let common = repo.store.common_dir();
    let linked = repo.store.git_dir() != common;
    let main = common.parent().filter(|_| linked && common.ends_with(".git"))?;
    Some(main.to_owned())
}

/// The files from which the host reads hook lines here, whether they are there or not.
pub(crate) fn places(repo: &Repo, row: &Host) -> Vec<Place> {
    row.places(repo.store.work_tree(), main_checkout(repo).as_deref())
}

pub(crate) fn install_host(
    repo: &Repo,
    row: &'static Host,
    shared: bool,
    installation: &mut Installation,
    told: &mut Vec<Told>,
) -> Result<()> {
    if row.settings.linked == Linked::Main
        && let Some(main) = main_checkout(repo)
    {
        return install_in_main(repo, row, &main, shared, installation, told);
    }
    let name = if shared { &row.settings.shared } else { &row.settings.local };
    let place = Place::below(repo.store.work_tree(), name);
    if !shared && repo.store.is_tracked(name)? {
        return Err(EngineError::not_now(Notice::SettingsTracked, &[("name", name)]));
    }
    if !keeps_one(repo, row, shared, installation, told)? {
        return Ok(());
    }
    put_lines(repo, row, &place, shared, installation, told)?;
    if !shared && !repo.store.is_ignored(name)? {
        setup::own_record::exclude(repo, &[name], installation)?;
        told.push(Told::new("wrote", ".git/info/exclude", format!("1 line for {name}")));
    }
    Ok(())
}

/// Puts the lines where the host reads them for a linked worktree: in the main checkout, and makes
/// the directory here without which it reads none.
fn install_in_main(
    repo: &Repo,
    row: &'static Host,
    main: &Path,
    shared: bool,
    installation: &mut Installation,
    told: &mut Vec<Told>,
) -> Result<()> {
    let name = row.settings.local.as_str();
    let facts = [("title", row.title.as_str()), ("main", &*main.display().to_string())];
    // What the team shares is committed from where it is read.
    let there = Repo::governing(main, None).ok().filter(|_| !shared);
    let Some(there) = there else {
        return Err(EngineError::not_now(Notice::SettingsOfMainOnly, &facts));
    };
    if there.store.is_tracked(name)? {
        return Err(EngineError::not_now(Notice::SettingsTracked, &[("name", name)]));
    }
    let own = repo.store.work_tree().join(name);
    if let Some(at) = installation.settings.iter().position(|file| file.path == own) {
        let file = installation.settings.remove(at);
        let out = remove_settings(repo, &file)?;
        setup::own_record::save(repo, installation)?;
        told.push(Told { detail: tell(Notice::SettingsUnreadHere, &facts), ..out });
    }
    let place = Place::in_main(main, name);
    let at = put_lines(repo, row, &place, false, installation, told)?;
    let known = installation.excluded.iter().any(|line| line.strip_prefix('/') == Some(name));
    if !known && !there.store.is_ignored(name)? {
        setup::own_record::exclude(repo, &[name], installation)?;
    }
    let dir = repo.store.work_tree().join(row.settings.dir());
    if !dir.is_dir() {
        installation.settings[at].made_dirs.push(dir.clone());
        setup::own_record::save(repo, installation)?;
        std::fs::create_dir(&dir)?;
        let shown = format!("{}/", row.settings.dir());
        told.push(Told::new("wrote", shown, tell(Notice::SettingsDirHere, &facts)));
    }
    Ok(())
}

/// Puts our lines into `place`; gives where its record stands.
fn put_lines(
    repo: &Repo,
    row: &'static Host,
    place: &Place,
    shared: bool,
    installation: &mut Installation,
    told: &mut Vec<Told>,
) -> Result<usize> {
    let Place { shown, path } = place;
    let existing = read_if_there(path)?;
    let binary = world::own_binary();
    let binary = if shared { "git-seed".to_owned() } else { binary.to_string_lossy().into_owned() };
    let added = install::add(existing.as_deref(), row, &binary).map_err(|bad| {
        let place = format!("{shown}:{}:{}", bad.line, bad.column);
        let facts = [("place", place.as_str()), ("why", &bad.why)];
        EngineError::Setup(tell(Notice::SettingsUnreadable, &facts))
    })?;
    let at = installation.settings.iter().position(|file| file.path == *path);
    let at = at.unwrap_or_else(|| {
        let main = main_checkout(repo);
        let tops = [Some(repo.store.work_tree()), main.as_deref()];
        let top = tops.into_iter().flatten().find(|top| path.starts_with(top));
        let mut made_dirs = missing_dirs(path, top.unwrap_or(Path::new("/")));
        let target = repo::paths::real(path);
        if target != *path {
            made_dirs.extend(missing_dirs(&target, Path::new("/")));
        }
        let (host, undo) = (row.name.clone(), String::new());
        installation.settings.push(SettingsFile { host, path: path.clone(), made_dirs, undo });
        installation.settings.len() - 1
    });
    installation.settings[at].undo.push_str(&added.undo);
    setup::own_record::save(repo, installation)?;
    if added.changed {
        record::replace::replace_file(repo, path, added.text.as_bytes())?;
    }
    told.push(Told::new(
        "wrote",
        shown,
        if added.changed { "hook lines" } else { "hook lines (there already)" },
    ));
    Ok(at)
}

/// The settings files of this host that have our hook lines and that it reads here: the shared one
/// first.
pub(crate) fn registrations(repo: &Repo, row: &Host) -> Vec<Place> {
    let mut places = places(repo, row);
    places.retain(|place| program_in(row, &place.path).is_some());
    places
}

/// Our lines in this file name no path: the host finds the program by its name.
pub(crate) fn is_found_by_name(row: &Host, path: &Path) -> bool {
    program_in(row, path).is_some_and(|program| program == "git-seed")
}

/// The program that our lines in this file run.
fn program_in(row: &Host, path: &Path) -> Option<String> {
    // Settings that do not read register nothing that a host would call.
    let text = read_if_there(path).ok().flatten()?;
    hosts::before_tool_line(&text, row).map(|(program, _)| program)
}

/// Sees to it that the settings which are asked for are the only ones with our lines; `false`
/// where those that are there are enough: the team's, or those of the main checkout.
fn keeps_one(
    repo: &Repo,
    row: &Host,
    shared: bool,
    installation: &mut Installation,
    told: &mut Vec<Told>,
) -> Result<bool> {
    let (team, own) = (row.settings.shared.as_str(), row.settings.local.as_str());
    let top = repo.store.work_tree();
    let found = registrations(repo, row);
    // The team's lines name no path: where no shell finds the program, they call nobody.
    let of_team = team != own
        && is_found_by_name(row, &top.join(team))
        && world::on_path("git-seed").is_some();
    let of_main = found.iter().find(|place| !place.path.starts_with(top));
    let enough = match of_main {
        _ if shared => None,
        _ if of_team => Some((team.to_owned(), Notice::SettingsOfTeam)),
        Some(main) => Some((main.shown.clone(), Notice::SettingsOfMain)),
        None => None,
    };
    if enough.is_none() && (team == own || !shared) {
        return Ok(true);
    }
    let path = top.join(own);
    let by = enough.as_ref().map_or(team, |(by, _)| by);
    if found.iter().any(|place| place.path == path) {
        let at = installation.settings.iter().position(|file| file.path == path);
        let bare = || {
            let (host, undo) = (row.name.clone(), String::new());
            SettingsFile { host, path: path.clone(), made_dirs: Vec::new(), undo }
        };
        let file = at.map_or_else(bare, |at| installation.settings.remove(at));
        let mut out = remove_settings(repo, &file)?;
        setup::own_record::save(repo, installation)?;
        out.detail = tell(Notice::SettingsTwice, &[("detail", &out.detail), ("team", by)]);
        told.push(out);
    }
    if let Some((by, why)) = &enough {
        told.push(Told::new("kept", by, tell(*why, &[("title", &row.title)])));
    }
    Ok(enough.is_none())
}

/// Takes our hook lines out of a settings file.
pub(crate) fn remove_settings(repo: &Repo, file: &SettingsFile) -> Result<Told> {
    let shown =
        file.path.strip_prefix(repo.store.work_tree()).unwrap_or(&file.path).display().to_string();
    let Some(text) = read_if_there(&file.path)? else {
        return Ok(Told::new("left", shown, "it is gone already"));
    };
    let row = hosts::row(&file.host).map_err(|bad| EngineError::Setup(bad.to_string()))?;
    let undo = Some(file.undo.as_str()).filter(|undo| !undo.is_empty());
    let removed = match install::remove(&text, row, undo) {
        Ok(removed) => removed,
        Err(bad) => {
            let place = format!("{}:{}", bad.line, bad.column);
            let facts = [("place", place.as_str()), ("why", &bad.why)];
            let why = tell(Notice::SettingsUnread, &facts);
            return Ok(Told::new("left", shown, why));
        }
    };
    match removed.text {
        Some(text) => record::replace::replace_file(repo, &file.path, text.as_bytes())?,
        // A link to it is the person's.
        None => std::fs::remove_file(repo::paths::real(&file.path))?,
    }
    for dir in &file.made_dirs {
        // Only an empty one goes: others may have put files there since.
        let _ = std::fs::remove_dir(dir);
    }
    Ok(Told::new("took out", shown, "hook lines"))
}
