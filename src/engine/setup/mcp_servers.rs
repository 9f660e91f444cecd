//! `init --mcp`: the hosts learn of our MCP server, each in its local scope, and forget it.
//!
//! A host's own file may lie in the person's home and belong to all its projects. Exactly
//! that file is changed, behind the lock that such hosts take themselves, and replaced as
//! a whole.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{fs, io};

use crate::engine::own_state::{self, Unread};
use crate::engine::repo::installation::{Installation, SettingsFile};
use crate::engine::repo::{EngineError, Repo, Result};
use crate::engine::setup;
use crate::engine::setup::own_record::{Told, missing_dirs, read_if_there};
use crate::hosts::servers::{NAME, ServerRow};
use crate::hosts::{self, Host};
use crate::voice::{Notice, tell};
use crate::world::{self, Whole};

/// How an entry stands, for `doctor`.
#[derive(Debug)]
pub(crate) struct ServerState {
    pub title: String,
    pub shown: String,
    /// Our entry is there and runs this binary; an error where the settings do not read.
    pub there: Result<bool, Unread>,
}

/// Tells a host of our server.
pub(crate) fn install_server(
    repo: &Repo,
    row: &'static Host,
    shared: bool,
    installation: &mut Installation,
    told: &mut Vec<Told>,
) -> Result<()> {
    let Some(server) = &row.server else {
        told.push(Told::new("left", row.title.as_str(), tell(Notice::ServerNotTaken, &[])));
        return Ok(());
    };
    let place = server_place(repo, server)?;
    if let Some(name) = place.name.as_deref().filter(|_| !shared)
        && repo.store.is_tracked(name)?
    {
        told.push(Told::new("left", name, tell(Notice::ServerTracked, &[])));
        return Ok(());
    }
    let _lock = place.lock()?;
    let existing = read_if_there(&place.path)?;
    let tree = repo.project();
    let binary = world::own_binary().to_string_lossy().into_owned();
    let added = match server.add(existing.as_deref(), &tree, &binary) {
        Ok(added) => added,
        Err(bad) => {
            let why = format!("{}:{}: {}", bad.line, bad.column, bad.why);
            told.push(Told::new("left", place.shown, why));
            return Ok(());
        }
    };
    let at = installation.servers.iter().position(|file| file.path == place.path);
    let at = at.unwrap_or_else(|| {
        let made_dirs = missing_dirs(&place.path, place.top(repo));
        let (host, undo) = (row.name.clone(), String::new());
        installation.servers.push(SettingsFile { host, path: place.path.clone(), made_dirs, undo });
        installation.servers.len() - 1
    });
    installation.servers[at].undo.push_str(&added.undo);
    setup::own_record::save(repo, installation)?;
    if added.changed {
        place.replace(&added.text)?;
    }
    let what = format!("MCP server {NAME}");
    told.push(Told::new(
        "wrote",
        place.shown.clone(),
        if added.changed { what } else { format!("{what} (there already)") },
    ));
    // A file of the person's stays what it is for `git status`.
    if let Some(name) = place.name.as_deref().filter(|_| !shared && existing.is_none())
        && !repo.store.is_ignored(name)?
    {
        setup::own_record::exclude(repo, &[name], installation)?;
    }
    Ok(())
}

/// Takes the entries out again. An entry comes out before the hook lines around it.
pub(crate) fn remove_servers(
    repo: &Repo,
    installation: &Installation,
    told: &mut Vec<Told>,
) -> Result<()> {
    for file in &installation.servers {
        let Some(server) = server_of(&file.host) else { continue };
        let place = Place { name: None, ..place_at(repo, &file.path) };
        let _lock = place.lock()?;
        let Some(text) = read_if_there(&file.path)? else { continue };
        match server.remove(&text, &repo.project(), &file.undo) {
            Ok(removed) => {
                match removed.text {
                    Some(text) if removed.changed => place.replace(&text)?,
                    Some(_) => {}
                    None => fs::remove_file(&file.path)?,
                }
                if removed.changed {
                    told.push(Told::new("took out", place.shown, format!("MCP server {NAME}")));
                }
            }
            Err(bad) => {
                let at = format!("{}:{}", bad.line, bad.column);
                let facts = [("place", at.as_str()), ("why", &bad.why), ("name", NAME)];
                let why = tell(Notice::ServerUnread, &facts);
                told.push(Told::new("left", place.shown, why));
            }
        }
        for dir in &file.made_dirs {
            // Only an empty one goes: others may have put files there since.
            let _ = fs::remove_dir(dir);
        }
    }
    Ok(())
}

/// How the entries stand that `init --mcp` made.
pub(crate) fn servers(repo: &Repo) -> Result<Vec<ServerState>> {
    let binary = world::own_binary().to_string_lossy().into_owned();
    let state = |file: &SettingsFile| {
        let text = own_state::text(&file.path);
        let server = server_of(&file.host)?;
        Some(ServerState {
            title: hosts::row(&file.host).ok()?.title.clone(),
            shown: place_at(repo, &file.path).shown,
            // Settings that are not there have no entry.
            there: text.map(|text| server.has(&text.unwrap_or_default(), &repo.project(), &binary)),
        })
    };
    Ok(repo.installation()?.servers.iter().filter_map(state).collect())
}

fn server_place(repo: &Repo, server: &ServerRow) -> Result<Place> {
    let Some(rest) = server.file.strip_prefix("~/") else {
        let path = repo.store.work_tree().join(&server.file);
        return Ok(Place { name: Some(server.file.clone()), ..place_at(repo, &path) });
    };
    let told = server.dir.as_deref().and_then(world::variable).filter(|dir| !dir.is_empty());
    let dir = told
        .or_else(|| world::variable("HOME"))
        .map(PathBuf::from)
        .ok_or_else(|| EngineError::Setup(tell(Notice::ServerNoHome, &[("file", &server.file)])))?;
    Ok(place_at(repo, &dir.join(rest)))
}

fn place_at(repo: &Repo, path: &Path) -> Place {
    let below = path.strip_prefix(repo.store.work_tree()).ok();
    let home = world::variable("HOME").map(PathBuf::from);
    let in_home = home.as_deref().and_then(|home| path.strip_prefix(home).ok());
    let shown = match (below, in_home) {
        (Some(below), _) => below.display().to_string(),
        (None, Some(rest)) => format!("~/{}", rest.display()),
        (None, None) => path.display().to_string(),
    };
    Place { path: path.to_owned(), shown, name: None, shared: below.is_none() }
}

fn server_of(host: &str) -> Option<&'static ServerRow> {
    hosts::row(host).ok()?.server.as_ref()
}

/// A file that holds entries of servers.
struct Place {
    path: PathBuf,
    shown: String,
    /// Its name below the work tree, where it lies there.
    name: Option<String>,
    /// It lies outside of the work tree, and others write it.
    shared: bool,
}

impl Place {
    fn top<'a>(&'a self, repo: &'a Repo) -> &'a Path {
        let above = self.path.parent().unwrap_or(&self.path);
        if self.shared { above } else { repo.store.work_tree() }
    }

    /// The lock that programs take who share such a file: a directory beside it. One that is
    /// old was left behind.
    fn lock(&self) -> Result<Option<Lock>> {
        const OLD: Duration = Duration::from_secs(10);
        const PATIENCE: Duration = Duration::from_secs(3);
        if !self.shared {
            return Ok(None);
        }
        let mut name = self.path.clone().into_os_string();
        name.push(".lock");
        let dir = PathBuf::from(name);
        let began = Instant::now();
        loop {
            match fs::create_dir(&dir) {
                Ok(()) => return Ok(Some(Lock(dir))),
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                    return Err(error.into());
                }
                Err(_) => {}
            }
            // A lock that is gone by now, or whose age the system does not tell, is not old.
            let age = dir.metadata().and_then(|data| data.modified()).ok();
            let age = age.and_then(|at| at.elapsed().ok());
            if age.is_some_and(|age| age > OLD) {
                let _ = fs::remove_dir(&dir);
            } else if began.elapsed() > PATIENCE {
                let lock = dir.display().to_string();
                let text = tell(Notice::ServerInUse, &[("file", &self.shown), ("lock", &lock)]);
                return Err(EngineError::Setup(text));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Puts `text` in the file's place at once, with the rights that it had. A link stays one.
    fn replace(&self, text: &str) -> io::Result<()> {
        let whole = if self.shared && !self.path.exists() {
            // In a home it may come to hold what is nobody else's to read.
            Whole::private()
        } else {
            Whole::new()
        };
        whole.write(&self.path, text.as_bytes())
    }
}

/// Held as long as it lives.
struct Lock(PathBuf);

impl Drop for Lock {
    fn drop(&mut self) {
        // Who finds it later takes it for one that was left behind.
        let _ = fs::remove_dir(&self.0);
    }
}
