//! git merges pages and knowledge by item, where a person said so: a merge driver in this clone's
//! configuration, and lines in `.git/info/attributes` that name it.
//!
//! No tracked file is touched. What the repository's own attributes say of a page stays. Where our
//! binary is gone, git merges by lines, as without us.

use std::path::{Path, PathBuf};

use crate::engine::fence::fingerprints;
use crate::engine::repo::installation::{Installation, Merging};
use crate::engine::repo::{Repo, Result};
use crate::engine::setup::own_record::{self, Told, read_if_there};
use crate::memory::knowledge;
use crate::memory::merge::SWITCH;
use crate::shell::quoted_word;
use crate::voice::{Notice, tell};
use crate::world;

/// The driver, as attributes name it.
const DRIVER: &str = "seed-pages";
/// How many commits back people are counted.
const RECENT: usize = 2_000;
const FILE: &str = ".git/info/attributes";
/// What git runs; where our binary is gone, git's own program merges.
const LINE: &str = include_str!("merge_driver.sh");

/// The number of people, where it may be offered: more than one commits here, and nobody answered.
pub(crate) fn offer(repo: &Repo) -> Result<Option<usize>> {
    if !repo.rules.mode.keeps_jobs() || repo.store.config_text(SWITCH).is_some() {
        return Ok(None);
    }
    Ok(Some(repo.store.people(RECENT)?).filter(|people| *people > 1))
}

/// The line that proposes it, where nobody is asked.
pub(crate) fn proposal(repo: &Repo) -> Result<Option<Told>> {
    let line = |people: usize| {
        let what = tell(Notice::MergingPeople, &[("people", &people.to_string())]);
        Told::new("note", what, tell(Notice::MergingProposed, &[]))
    };
    Ok(offer(repo)?.map(line))
}

/// Keeps the answer of a person who was asked; a yes puts the driver in.
pub(crate) fn answered(repo: &Repo, yes: bool) -> Result<()> {
    fingerprints::as_our_own(repo, || {
        if yes {
            return put(repo, &mut repo.installation()?).map(drop);
        }
        Ok(repo.store.set_config(SWITCH, "false", false)?)
    })
}

/// A person said that pages are merged so.
pub(crate) fn is_on(repo: &Repo) -> bool {
    repo.store.config_text(SWITCH).as_deref() == Some("true")
}

/// What is there of the driver.
pub(crate) enum Standing {
    /// Nobody said that pages are merged so.
    Off,
    Sound,
    /// The configuration has no driver of this name: git merges by lines.
    NoDriver,
    /// It has another line than ours.
    Other(String),
    /// The attributes lost lines of ours.
    NoLines,
}

/// What is there of what a person said.
pub(crate) fn standing(repo: &Repo) -> Result<Standing> {
    if !is_on(repo) {
        return Ok(Standing::Off);
    }
    let Some(line) = repo.store.config_text(&format!("merge.{DRIVER}.driver")) else {
        return Ok(Standing::NoDriver);
    };
    if line != driver() {
        return Ok(Standing::Other(line));
    }
    // Where the repository's own attributes say something of every page, none of ours are there.
    let Some(merging) = repo.installation()?.merging else { return Ok(Standing::Sound) };
    let text = read_if_there(&attributes(repo))?.unwrap_or_default();
    let there = |own: &String| text.lines().any(|line| line == own);
    Ok(if merging.lines.iter().all(there) { Standing::Sound } else { Standing::NoLines })
}

/// The line of the configuration.
fn driver() -> String {
    let binary = quoted_word(&world::own_binary().to_string_lossy());
    LINE.trim_end().replace("BINARY", &binary)
}

fn attributes(repo: &Repo) -> PathBuf {
    repo.store.common_dir().join("info").join("attributes")
}

/// Puts the driver in, or brings what is there up to date.
pub(crate) fn put(repo: &Repo, installation: &mut Installation) -> Result<Vec<Told>> {
    let mut told = Vec::new();
    let old = installation.merging.take();
    if let Some(old) = &old {
        take_lines(repo, old)?;
    }
    let lines = lines(repo, &mut told)?;
    for (key, value) in [("name", tell(Notice::MergingName, &[])), ("driver", driver())] {
        repo.store.set_config(&format!("merge.{DRIVER}.{key}"), &value, false)?;
    }
    repo.store.set_config(SWITCH, "true", false)?;
    if !lines.is_empty() {
        put_lines(repo, lines, installation, old.is_some_and(|old| old.made_info))?;
        told.insert(0, Told::new("wrote", FILE, tell(Notice::MergingName, &[])));
    }
    Ok(told)
}

/// Our lines: each kind of file, and behind it those of which the repository's own attributes say
/// something else, as they say it.
fn lines(repo: &Repo, told: &mut Vec<Told>) -> Result<Vec<String>> {
    let names: Vec<&String> = repo.rules.pages.iter().filter(|name| is_plain(name)).collect();
    let page_of = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        names.iter().find(|known| known.as_str() == name).map(|known| (*known).clone())
    };
    let is_markdown = |path: &str| Path::new(path).extension().is_some_and(|kind| kind == "md");
    let is_knowledge = |path: &str| path.starts_with(knowledge::HOME) && is_markdown(path);
    let mut asked =
        repo.store.tracked_where(|path| is_knowledge(path) || page_of(path).is_some())?;
    asked.extend(names.iter().copied().cloned().chain([knowledge::INDEX.to_owned()]));
    let said = repo.store.merge_attributes(&asked)?;
    let mut theirs = said.iter().filter(|(_, value)| *value != DRIVER).collect::<Vec<_>>();
    let left = |path: &str, value: &str| {
        Told::new("left", path, tell(Notice::MergingTheirs, &[("merge", value)]))
    };
    let knowledge = (knowledge::INDEX.to_owned(), format!("/{}**/*.md", knowledge::HOME));
    let mut lines = Vec::new();
    let kinds = names.iter().map(|name| ((*name).clone(), (*name).clone())).chain([knowledge]);
    for (first, pattern) in kinds {
        let of_kind = |path: &str| match page_of(&first) {
            Some(name) if !is_knowledge(&first) => {
                !is_knowledge(path) && page_of(path) == Some(name)
            }
            _ => is_knowledge(path),
        };
        if let Some(value) = said.get(&first).filter(|value| *value != DRIVER) {
            told.push(left(&first, value));
            theirs.retain(|(path, _)| !of_kind(path));
        } else {
            lines.push(format!("{pattern} merge={DRIVER}"));
        }
    }
    for (path, value) in theirs {
        lines.push(format!("{} {}", pattern_of(path), spelled(value)));
        told.push(left(path, value));
    }
    Ok(lines)
}

/// `path` alone, as attributes spell it.
fn pattern_of(path: &str) -> String {
    let mut plain = String::from("/");
    for c in path.chars() {
        if "*?[\\".contains(c) {
            plain.push('\\');
        }
        plain.push(c);
    }
    if plain.chars().all(|c| !c.is_whitespace() && !"\"\\".contains(c)) {
        return plain;
    }
    format!("\"{}\"", plain.replace('\\', "\\\\").replace('"', "\\\""))
}

/// What attributes say, as a line of theirs.
fn spelled(value: &str) -> String {
    match value {
        "set" => "merge".to_owned(),
        "unset" => "-merge".to_owned(),
        value => format!("merge={value}"),
    }
}

/// Attributes take it as it stands.
fn is_plain(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
}

fn put_lines(
    repo: &Repo,
    lines: Vec<String>,
    installation: &mut Installation,
    made: bool,
) -> Result<()> {
    let file = attributes(repo);
    let before = read_if_there(&file)?;
    let made_info = made || file.parent().is_some_and(|dir| !dir.exists());
    let text = before.clone().unwrap_or_default();
    let gap = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    let own = lines.join("\n");
    installation.merging = Some(Merging { before, made_info, lines });
    own_record::save(repo, installation)?;
    Ok(world::write_whole(&file, format!("{text}{gap}{own}\n").as_bytes())?)
}

/// Takes our lines out of the attributes; what is not ours comes out as it was.
fn take_lines(repo: &Repo, merging: &Merging) -> Result<()> {
    let file = attributes(repo);
    let Some(now) = read_if_there(&file)? else { return Ok(()) };
    let before = merging.before.clone().unwrap_or_default();
    let gap = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
    let ours: String = merging.lines.iter().map(|line| format!("{line}\n")).collect();
    if now != format!("{before}{gap}{ours}") {
        let keep = |line: &&str| !merging.lines.iter().any(|own| own == line.trim_end());
        let text: String = now.split_inclusive('\n').filter(keep).collect();
        return Ok(world::write_whole(&file, text.as_bytes())?);
    }
    match &merging.before {
        Some(before) => world::write_whole(&file, before.as_bytes())?,
        None => std::fs::remove_file(&file)?,
    }
    if let (true, Some(dir)) = (merging.made_info, file.parent()) {
        // Only an empty one goes: others may have put files there since.
        let _ = std::fs::remove_dir(dir);
    }
    Ok(())
}

/// Takes it out again; the keys of the configuration go with those of sync.
pub(crate) fn remove(repo: &Repo, installation: &Installation) -> Result<Option<Told>> {
    let Some(merging) = &installation.merging else { return Ok(None) };
    take_lines(repo, merging)?;
    Ok(Some(Told::new("took out", FILE, "our lines")))
}

/// What `remove` would do.
pub(crate) fn plan(installation: &Installation) -> Option<Told> {
    installation.merging.as_ref().map(|_| Told::new("would take out", FILE, "our lines"))
}
