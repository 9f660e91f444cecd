//! `init --grant`: a host runs git seed's commands without asking, by a rule in the person's home.
//!
//! A person asks for it at a terminal, sees where the rule goes, and says yes. It names the program
//! by its path, and only commands that are an agent's; it opens no sandbox. `uninstall` takes it
//! out as long as nobody changed it.

use std::path::PathBuf;

use crate::engine::repo::installation::{AgentFile, Installation};
use crate::engine::repo::{Repo, Result, own_state};
use crate::engine::setup::finding::Finding;
use crate::engine::setup::own_record::{self, Told, missing_dirs, read_if_there};
use crate::format::short_hash;
use crate::hosts::{self, Host};
use crate::voice::{Found, Notice, tell};
use crate::world;

/// A rule that can be written.
pub(crate) struct Offer {
    pub title: &'static str,
    /// The file, as the row names it.
    pub shown: &'static str,
    path: PathBuf,
    home: PathBuf,
    text: String,
}

/// What a host can be told, of those that `init` has put in here; else why not.
pub(crate) fn offers(repo: &Repo) -> Result<Vec<std::result::Result<Offer, Told>>> {
    let mut rows: Vec<&'static Host> = Vec::new();
    for file in repo.installation()?.settings {
        // A row that does not read is named by doctor.
        let Ok(row) = hosts::row(&file.host) else { continue };
        if !rows.iter().any(|one| one.name == row.name) {
            rows.push(row);
        }
    }
    Ok(rows.into_iter().map(|row| offer(repo, row)).collect())
}

fn offer(repo: &Repo, row: &'static Host) -> std::result::Result<Offer, Told> {
    let no = |key: Notice, what: &str| Told::new("left", &row.title, tell(key, &[("what", what)]));
    let program = world::own_binary().display().to_string();
    let Some(grant) = row.grant_file() else { return Err(no(Notice::GrantNone, &row.title)) };
    let Some(text) = grant.text(&program) else { return Err(no(Notice::GrantOddPath, &program)) };
    let rest = grant.file.strip_prefix("~/").unwrap_or(&grant.file);
    let Some(home) = repo.persons_home() else { return Err(no(Notice::GrantNoHome, &grant.file)) };
    Ok(Offer { title: &row.title, shown: &grant.file, path: home.join(rest), home, text })
}

/// Writes the rule, over an older one of ours or over nothing.
pub(crate) fn write(repo: &Repo, offer: &Offer) -> Result<Told> {
    let mut installation = repo.installation()?;
    let now = read_if_there(&offer.path)?;
    let known = installation.grants.iter().position(|file| file.path == offer.path);
    let hash = |text: &str| short_hash(text.as_bytes(), 32);
    match (&now, known) {
        (Some(now), _) if *now == offer.text => {
            return Ok(Told::new("kept", offer.shown, tell(Notice::GrantThere, &[])));
        }
        (Some(now), Some(at)) if hash(now) == installation.grants[at].hash => {}
        (Some(_), _) => {
            return Ok(Told::new("left", offer.shown, tell(Notice::GrantTheirs, &[])));
        }
        (None, _) => {}
    }
    let new = hash(&offer.text);
    if let Some(at) = known {
        installation.grants[at].hash = new;
    } else {
        let made_dirs = missing_dirs(&offer.path, &offer.home);
        installation.grants.push(AgentFile { path: offer.path.clone(), hash: new, made_dirs });
    }
    own_record::save(repo, &installation)?;
    world::write_whole(&offer.path, offer.text.as_bytes())?;
    Ok(Told::new("wrote", offer.shown, tell(Notice::GrantWrote, &[("title", offer.title)])))
}

/// Takes the rules out again; one that was changed since stays.
pub(crate) fn remove(installation: &Installation, told: &mut Vec<Told>) -> Result<()> {
    for AgentFile { path, hash, made_dirs } in &installation.grants {
        let shown = path.display().to_string();
        match read_if_there(path)? {
            Some(text) if short_hash(text.as_bytes(), 32) == *hash => {
                std::fs::remove_file(path)?;
                told.push(Told::new("took out", shown, "as written"));
            }
            Some(_) => told.push(Told::new("left", shown, tell(Notice::YoursNow, &[]))),
            None => {}
        }
        for dir in made_dirs {
            // Only an empty one goes: others may have put files there since.
            let _ = std::fs::remove_dir(dir);
        }
    }
    Ok(())
}

/// What `uninstall --check` says of them.
pub(crate) fn plan(installation: &Installation) -> impl Iterator<Item = Told> {
    let shown = |file: &AgentFile| file.path.display().to_string();
    installation.grants.iter().map(move |file| Told::new("would take out", shown(file), ""))
}

/// How the rules stand, for `doctor`.
pub(crate) fn findings(repo: &Repo) -> Vec<Finding> {
    // A record that does not read has its own finding.
    let granted = repo.installation().unwrap_or_default().grants;
    // As above.
    let offers = offers(repo).unwrap_or_default();
    let stands = |file: &AgentFile| {
        let shown = file.path.display().to_string();
        let wanted = offers.iter().flatten().find(|offer| offer.path == file.path);
        // One that does not read grants nothing that was meant.
        let text = own_state::text(&file.path).ok().flatten();
        let same = wanted.zip(text).is_some_and(|(offer, text)| offer.text == text);
        let key = if same { Found::Granted } else { Found::GrantChanged };
        Finding::of(key, &[("shown", &shown)])
    };
    granted.iter().map(stands).collect()
}
