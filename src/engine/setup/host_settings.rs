//! Our hook lines in the settings of hosts: put in, taken out, and one registration per host.
//!
//! A host that finds them in the settings that the team shares and in those of this clone calls
//! us twice for each event.

use std::path::Path;

use crate::engine::repo::installation::{Installation, SettingsFile};
use crate::engine::repo::{self, EngineError, Repo, Result};
use crate::engine::setup::own_record::{Told, missing_dirs, read_if_there};
use crate::engine::{record, setup};
use crate::hosts::{self, Host, install};
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
            Err(EngineError::NotNow(tell(Notice::SettingsBehindLink, &[("dir", &dir)])))
        }
        None => Ok(()),
    }
}

pub(crate) fn install_host(
    repo: &Repo,
    row: &'static Host,
    shared: bool,
    installation: &mut Installation,
    told: &mut Vec<Told>,
) -> Result<()> {
    let name = if shared { &row.settings.shared } else { &row.settings.local };
    let path = repo.store.work_tree().join(name);
    if !shared && repo.store.is_tracked(name)? {
        let text = tell(Notice::SettingsTracked, &[("name", name)]);
        return Err(EngineError::NotNow(text));
    }
    if !keeps_one(repo, row, shared, installation, told)? {
        return Ok(());
    }
    let existing = read_if_there(&path)?;
    let binary = world::own_binary();
    let binary = if shared { "git-seed".to_owned() } else { binary.to_string_lossy().into_owned() };
    let added = install::add(existing.as_deref(), row, &binary).map_err(|bad| {
        let place = format!("{name}:{}:{}", bad.line, bad.column);
        let facts = [("place", place.as_str()), ("why", &bad.why)];
        EngineError::Setup(tell(Notice::SettingsUnreadable, &facts))
    })?;
    let at = installation.settings.iter().position(|file| file.path == path);
    let at = at.unwrap_or_else(|| {
        let mut made_dirs = missing_dirs(&path, repo.store.work_tree());
        let target = repo::paths::real(&path);
        if target != path {
            made_dirs.extend(missing_dirs(&target, Path::new("/")));
        }
        let (host, undo) = (row.name.clone(), String::new());
        installation.settings.push(SettingsFile { host, path: path.clone(), made_dirs, undo });
        installation.settings.len() - 1
    });
    installation.settings[at].undo.push_str(&added.undo);
    setup::own_record::save(repo, installation)?;
    if added.changed {
        record::replace::replace_file(repo, &path, added.text.as_bytes())?;
    }
    told.push(Told::new(
        "wrote",
        name,
        if added.changed { "hook lines" } else { "hook lines (there already)" },
    ));
    if !shared && !repo.store.is_ignored(name)? {
        setup::own_record::exclude(repo, &[name], installation)?;
        told.push(Told::new("wrote", ".git/info/exclude", format!("1 line for {name}")));
    }
    Ok(())
}

/// The settings files of this host that have our hook lines, as the work tree names them: the
/// shared one first.
pub(crate) fn registrations<'h>(repo: &Repo, row: &'h Host) -> Vec<&'h str> {
    let mut names = vec![row.settings.shared.as_str(), row.settings.local.as_str()];
    names.dedup();
    names.retain(|name| program_in(repo, row, name).is_some());
    names
}

/// Our lines in this file name no path: the host finds the program by its name.
pub(crate) fn is_found_by_name(repo: &Repo, row: &Host, name: &str) -> bool {
    program_in(repo, row, name).is_some_and(|program| program == "git-seed")
}

/// The program that our lines in this file run.
fn program_in(repo: &Repo, row: &Host, name: &str) -> Option<String> {
    // Settings that do not read register nothing that a host would call.
    let text = read_if_there(&repo.store.work_tree().join(name)).ok().flatten()?;
    hosts::before_tool_line(&text, row).map(|(program, _)| program)
}

/// Sees to it that the settings which are asked for are the only ones with our lines; `false`
/// where the ones of the team are enough.
fn keeps_one(
    repo: &Repo,
    row: &Host,
    shared: bool,
    installation: &mut Installation,
    told: &mut Vec<Told>,
) -> Result<bool> {
    let (team, own) = (row.settings.shared.as_str(), row.settings.local.as_str());
    let found = registrations(repo, row);
    // The team's lines name no path: where no shell finds the program, they call nobody.
    let enough =
        !shared && is_found_by_name(repo, row, team) && world::on_path("git-seed").is_some();
    if team == own || !(shared || enough) {
        return Ok(true);
    }
    if found.contains(&own) {
        let path = repo.store.work_tree().join(own);
        let at = installation.settings.iter().position(|file| file.path == path);
        let bare = || {
            let (host, undo) = (row.name.clone(), String::new());
            SettingsFile { host, path: path.clone(), made_dirs: Vec::new(), undo }
        };
        let file = at.map_or_else(bare, |at| installation.settings.remove(at));
        let mut out = remove_settings(repo, &file)?;
        setup::own_record::save(repo, installation)?;
        out.detail = tell(Notice::SettingsTwice, &[("detail", &out.detail), ("team", team)]);
        told.push(out);
    }
    if enough {
        told.push(Told::new("kept", team, tell(Notice::SettingsOfTeam, &[])));
    }
    Ok(!enough)
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
