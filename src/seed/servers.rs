//! `init --mcp`: the hosts learn of our MCP server, each in its local scope, and forget it.
//!
//! A host's own file may lie in the person's home and belong to all its projects. Exactly
//! that file is changed, behind the lock that such hosts take themselves, and replaced as
//! a whole.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::setup::{Installation, Told, missing_dirs, read_if_there};
use super::{Result, Seed, SeedError};
use crate::hosts::servers::{NAME, ServerRow};
use crate::hosts::{self, Host};
use crate::world::{self, Whole};

/// A host that was told of our server.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ServerFile {
    pub host: String,
    pub path: PathBuf,
    /// Directories that did not exist before, innermost first.
    #[serde(default)]
    pub made_dirs: Vec<PathBuf>,
    /// What [`ServerRow::remove`] needs.
    #[serde(default)]
    pub undo: String,
}

/// How an entry stands, for `doctor`.
#[derive(Clone, Debug)]
pub struct ServerState {
    pub title: String,
    pub shown: String,
    /// Our entry is there and runs this binary.
    pub there: bool,
}

impl Seed {
    /// Tells a host of our server.
    pub(super) fn install_server(
        &self,
        row: &'static Host,
        shared: bool,
        installation: &mut Installation,
        told: &mut Vec<Told>,
    ) -> Result<()> {
        let Some(server) = &row.server else {
            told.push(Told::new("left", row.title.as_str(), "it takes no MCP servers"));
            return Ok(());
        };
        let place = self.server_place(server)?;
        if let Some(name) = place.name.as_deref().filter(|_| !shared)
            && self.store.is_tracked(name)?
        {
            let why = "it is tracked; git seed init --mcp --shared writes tracked settings";
            told.push(Told::new("left", name, why));
            return Ok(());
        }
        let _lock = place.lock()?;
        let existing = read_if_there(&place.path)?;
        let tree = self.project();
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
            let made_dirs = missing_dirs(&place.path, place.top(self));
            let (host, undo) = (row.name.clone(), String::new());
            installation.servers.push(ServerFile { host, path: place.path.clone(), made_dirs, undo });
            installation.servers.len() - 1
        });
        installation.servers[at].undo.push_str(&added.undo);
        self.save(installation)?;
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
            && !self.store.is_ignored(name)?
        {
            self.exclude(name, installation)?;
        }
        Ok(())
    }

    /// Takes the entries out again. An entry comes out before the hook lines around it.
    pub(super) fn remove_servers(&self, installation: &Installation, told: &mut Vec<Told>) -> Result<()> {
        for file in &installation.servers {
            let Some(server) = server_of(&file.host) else { continue };
            let place = Place { name: None, ..self.place_at(&file.path) };
            let _lock = place.lock()?;
            let Some(text) = read_if_there(&file.path)? else { continue };
            match server.remove(&text, &self.project(), &file.undo) {
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
                    let why = format!(
                        "it does not read ({}:{}: {}); take the server {NAME} out by hand",
                        bad.line, bad.column, bad.why
                    );
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
    pub fn servers(&self) -> Vec<ServerState> {
        let binary = world::own_binary().to_string_lossy().into_owned();
        let state = |file: &ServerFile| {
            let text = fs::read_to_string(&file.path).unwrap_or_default();
            let server = server_of(&file.host)?;
            Some(ServerState {
                title: hosts::row(&file.host).ok()?.title.clone(),
                shown: self.place_at(&file.path).shown,
                there: server.has(&text, &self.project(), &binary),
            })
        };
        self.installation().servers.iter().filter_map(state).collect()
    }

    /// Whether a call of `tool` at `host` goes to our own server.
    ///
    /// A name is not enough: anybody may call a server so. `init` has to have told this host
    /// of it, and the entry has to stand there and run this binary; hosts let an entry of
    /// their local scope win over others of its name.
    pub fn is_own_server(&self, host: &Host, server: &str, tool: &str) -> bool {
        if server != NAME {
            return false;
        }
        let called = [format!("mcp__{NAME}__"), format!("mcp_{NAME}_")];
        let Some(function) = called.iter().find_map(|start| tool.strip_prefix(start.as_str())) else {
            return false;
        };
        let Some(row) = host.server.as_ref().filter(|_| super::claims::is_function(function)) else {
            return false;
        };
        let binary = world::own_binary().to_string_lossy().into_owned();
        let told = self.installation().servers;
        told.iter().filter(|file| file.host == host.name).any(|file| {
            let text = fs::read_to_string(&file.path).unwrap_or_default();
            row.has(&text, &self.project(), &binary)
        })
    }

    /// The work tree, as hosts call a project.
    fn project(&self) -> String {
        self.store.work_tree().to_string_lossy().into_owned()
    }

    fn server_place(&self, server: &ServerRow) -> Result<Place> {
        let Some(rest) = server.file.strip_prefix("~/") else {
            let path = self.store.work_tree().join(&server.file);
            return Ok(Place { name: Some(server.file.clone()), ..self.place_at(&path) });
        };
        let told = server.dir.as_deref().and_then(world::variable).filter(|dir| !dir.is_empty());
        let dir = told
            .or_else(|| world::variable("HOME"))
            .map(PathBuf::from)
            .ok_or_else(|| SeedError::Usage(format!("{} is wanted, and HOME is not set", server.file)))?;
        Ok(self.place_at(&dir.join(rest)))
    }

    fn place_at(&self, path: &Path) -> Place {
        let below = path.strip_prefix(self.store.work_tree()).ok();
        let home = world::variable("HOME").map(PathBuf::from);
        let in_home = home.as_deref().and_then(|home| path.strip_prefix(home).ok());
        let shown = match (below, in_home) {
            (Some(below), _) => below.display().to_string(),
            (None, Some(rest)) => format!("~/{}", rest.display()),
            (None, None) => path.display().to_string(),
        };
        Place { path: path.to_owned(), shown, name: None, shared: below.is_none() }
    }
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
    fn top<'a>(&'a self, seed: &'a Seed) -> &'a Path {
        let above = self.path.parent().unwrap_or(&self.path);
        if self.shared { above } else { seed.store.work_tree() }
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
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error.into()),
                Err(_) => {}
            }
            let age = dir.metadata().and_then(|data| data.modified()).ok();
            let age = age.and_then(|at| at.elapsed().ok());
            if age.is_some_and(|age| age > OLD) {
                let _ = fs::remove_dir(&dir);
            } else if began.elapsed() > PATIENCE {
                let text = format!("{} is in use: {} is there; try again", self.shown, dir.display());
                return Err(SeedError::Usage(text));
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
