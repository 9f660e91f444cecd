//! `init --grant`: a host runs git seed's commands without asking, by a rule in the person's home.
//!
//! A person asks for it at a terminal, sees where the rule goes, and says yes. It names the program
//! by its path, and only commands that are an agent's; it opens no sandbox. `uninstall` takes it
//! out as long as nobody changed it, and with the last clone that a person asked for it in: who
//! that is stands in a file beside it, which the host does not read.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::engine::fence::fingerprints;
use crate::engine::finding::Finding;
use crate::engine::own_state;
use crate::engine::quote::MARK;
use crate::engine::repo::installation::{AgentFile, Installation};
use crate::engine::repo::{Repo, Result};
use crate::engine::setup::own_record::{self, Told, missing_dirs, read_if_there};
use crate::event::{Event, EventKind};
use crate::format::short_hash;
use crate::hosts::{self, Answer, Host};
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

/// For whom a rule is there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Serves {
    /// What `init` wrote down in each clone.
    #[serde(default)]
    records: Vec<PathBuf>,
    /// Directories that did not exist before, innermost first.
    #[serde(default)]
    made_dirs: Vec<PathBuf>,
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
    fingerprints::as_our_own(repo, || write_as_ours(repo, offer))
}

fn write_as_ours(repo: &Repo, offer: &Offer) -> Result<Told> {
    let mut installation = repo.installation()?;
    let now = read_if_there(&offer.path)?;
    let known = installation.grants.iter().position(|file| file.path == offer.path);
    let hash = |text: &str| short_hash(text.as_bytes(), 32);
    let there = now.as_ref().is_some_and(|now| *now == offer.text);
    let ours = |now: &String| known.is_some_and(|at| hash(now) == installation.grants[at].hash);
    if !there && now.as_ref().is_some_and(|now| !ours(now)) {
        return Ok(Told::new("left", offer.shown, tell(Notice::GrantTheirs, &[])));
    }
    let new = hash(&offer.text);
    let made_dirs = missing_dirs(&offer.path, &offer.home);
    if let Some(at) = known {
        installation.grants[at].hash = new;
    } else {
        let file = AgentFile { path: offer.path.clone(), hash: new, made_dirs: made_dirs.clone() };
        installation.grants.push(file);
    }
    own_record::save(repo, &installation)?;
    let mut serves = serves(&offer.path)?;
    serves.records.retain(|record| *record != repo.record_file());
    serves.records.push(repo.record_file());
    serves.made_dirs.extend(made_dirs);
    world::write_whole(&beside(&offer.path), toml::to_string(&serves)?.as_bytes())?;
    if there {
        return Ok(Told::new("kept", offer.shown, tell(Notice::GrantThere, &[])));
    }
    world::write_whole(&offer.path, offer.text.as_bytes())?;
    Ok(Told::new("wrote", offer.shown, tell(Notice::GrantWrote, &[("title", offer.title)])))
}

/// The file that says for whom `rule` is there: the host reads those that end in `.toml`.
fn beside(rule: &Path) -> PathBuf {
    rule.with_extension("clones")
}

fn serves(rule: &Path) -> Result<Serves> {
    Ok(own_state::from_toml(&beside(rule))?.unwrap_or_default())
}

/// Other clones that a person asked for `rule` in, by what they wrote down.
fn others(repo: &Repo, rule: &Path, serves: &Serves) -> Vec<PathBuf> {
    let own = repo.record_file();
    let asks = |record: &&PathBuf| {
        // A clone that is gone, or whose record does not read, asks for nothing.
        let installation = own_state::from_toml::<Installation>(record).ok().flatten();
        installation.is_some_and(|one| one.grants.iter().any(|file| file.path == rule))
    };
    serves.records.iter().filter(|record| **record != own).filter(asks).cloned().collect()
}

/// Takes the rules out again; one that was changed since stays, and one that serves others.
pub(crate) fn remove(repo: &Repo, installation: &Installation, told: &mut Vec<Told>) -> Result<()> {
    for AgentFile { path, hash, made_dirs } in &installation.grants {
        let shown = path.display().to_string();
        let serves = serves(path)?;
        let others = others(repo, path, &serves);
        if !others.is_empty() {
            told.push(Told::new("left", shown, tell(Notice::GrantServes, &[])));
            let kept = Serves { records: others, ..serves };
            world::write_whole(&beside(path), toml::to_string(&kept)?.as_bytes())?;
            continue;
        }
        match read_if_there(path)? {
            Some(text) if short_hash(text.as_bytes(), 32) == *hash => {
                std::fs::remove_file(path)?;
                told.push(Told::new("took out", shown, "as written"));
            }
            Some(_) => told.push(Told::new("left", shown, tell(Notice::YoursNow, &[]))),
            None => {}
        }
        world::remove_if_there(beside(path))?;
        for dir in made_dirs.iter().chain(&serves.made_dirs) {
            // Only an empty one goes: others may have put files there since.
            let _ = std::fs::remove_dir(dir);
        }
    }
    Ok(())
}

/// What `uninstall --check` says of them.
pub(crate) fn plan(repo: &Repo, installation: &Installation) -> Result<Vec<Told>> {
    let plan = |file: &AgentFile| {
        let shown = file.path.display().to_string();
        let stays = !others(repo, &file.path, &serves(&file.path)?).is_empty();
        Ok(if stays {
            Told::new("would leave", shown, tell(Notice::GrantServes, &[]))
        } else {
            Told::new("would take out", shown, "")
        })
    };
    installation.grants.iter().map(plan).collect()
}

/// An answer with git seed's commands as the rule of this host names them, where it opens a session
/// or a job: by the name they would be asked for.
pub(crate) fn by_path(repo: &Repo, host: &Host, event: &Event, answer: Answer) -> Answer {
    if !matches!(event.kind, EventKind::Prompt { .. } | EventKind::SessionStart { .. }) {
        return answer;
    }
    let Some(text) = &answer.context else { return answer };
    let Some(program) = in_force(repo, host) else { return answer };
    let told: Vec<String> = text.lines().map(|line| naming(line, &program)).collect();
    let how = tell(Notice::GrantByPath, &[("program", &program)]);
    Answer { context: Some(format!("{}\n{how}", told.join("\n"))), ..answer }
}

/// A line of ours with `program` in the commands that it says. What others wrote, and names of
/// jobs, stay as they are: they are quoted.
fn naming(line: &str, program: &str) -> String {
    const NAME: &str = "git seed ";
    if line.starts_with(MARK) {
        return line.to_owned();
    }
    let mut told = String::new();
    for (n, piece) in line.split(NAME).enumerate() {
        let quoted = told.matches('"').count() % 2 == 1;
        match n {
            0 => {}
            _ if quoted => told.push_str(NAME),
            _ => told.extend([program, " "]),
        }
        told.push_str(piece);
    }
    told
}

/// The program that a rule of this host names, where a person asked for it here and it stands.
fn in_force(repo: &Repo, host: &Host) -> Option<String> {
    host.grant_file()?;
    // The row of an event reads.
    let row = hosts::row(&host.name).ok()?;
    // Without a record, or with one that does not read, nobody asked for it.
    let granted = repo.installation().ok()?.grants;
    // Where no rule can be written, none of ours is there.
    let offer = offer(repo, row).ok()?;
    granted.iter().find(|file| file.path == offer.path)?;
    // A rule that does not read grants nothing.
    let there = own_state::text(&offer.path).ok()??;
    (there == offer.text).then(|| world::own_binary().display().to_string())
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
