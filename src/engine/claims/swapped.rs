//! Lines that may have tested other work than they leave: a file of the work is written behind the
//! tests, or beside them, and nobody can tell what they ran on.

use std::path::{Path, PathBuf};

use crate::claims::languages::shipped_languages;
use crate::engine::repo::{self, Repo, Result};
use crate::shell::{self, Effect, Found, GitFlag, GitVerb, Tag};
use crate::world;

/// Verbs that put files of the work tree in place of others, unless they begin a branch.
const PUTTING: [&str; 10] = [
    "checkout",
    "restore",
    "switch",
    "apply",
    "am",
    "revert",
    "cherry-pick",
    "clean",
    "checkout-index",
    "read-tree",
];

/// Whether `line`, which runs in `dir`, writes a file of the work behind its tests, or while they
/// run. What it writes before them is what they ran on.
pub(crate) fn is_of_other_work(repo: &Repo, line: &str, dir: &Path) -> Result<bool> {
    let runs = repo.rules.runs();
    let Some(run) = runs.recognise(line).run().map(str::to_owned) else { return Ok(false) };
    if may_start_scripts(line, &run) && are_scripts_swapped(repo, dir) {
        return Ok(true);
    }
    let found = shell::read(line).found;
    let is_run = |one: &Found| runs.recognise(&one.part).run().is_some();
    let Some(first) = found.iter().position(is_run) else { return Ok(false) };
    let beside = shell::simple(line).is_some_and(|line| line.detached);
    let from = if beside { 0 } else { first };
    // Where the run itself sends what it prints stands before it.
    let sent = found[..first].iter().rev().take_while(|one| one.part.starts_with('>')).count();
    let before = &found[..first - sent];
    let mut later = found[from..].iter().filter(|one| !is_run(one));
    let work = Work { repo, dir, before };
    later.try_fold(false, |other, one| Ok(other || work.is_changed_by(one)?))
}

/// Whether a run is one of a script of npm's, or may start one.
fn may_start_scripts(line: &str, run: &str) -> bool {
    ["npm", "npx", "yarn"].iter().any(|name| line.contains(name))
        || matches!(run, "monorepo" | "make" | "tasks" | "script")
}

/// Whether settings of npm have its scripts run in another program than a shell: nobody can tell
/// then what ran. They stay where an earlier line set them.
fn are_scripts_swapped(repo: &Repo, dir: &Path) -> bool {
    let homes = [repo.persons_home(), world::variable("HOME").map(Into::into)];
    let of_home = homes.iter().flatten();
    let of_home = of_home.flat_map(|home| [home.join(".npmrc"), home.join(".config/pnpm/rc")]);
    let mut files: Vec<PathBuf> = of_home.collect();
    files.extend([dir.join(".npmrc"), repo.store.work_tree().join(".npmrc")]);
    // A file that is not there or does not read sets nothing.
    let mut texts = files.iter().filter_map(|file| world::read_plain(file).ok());
    texts.any(|text| repo.rules.runs().swaps_scripts(&String::from_utf8_lossy(&text)))
}

/// The work that a line runs on.
struct Work<'r> {
    repo: &'r Repo,
    dir: &'r Path,
    before: &'r [Found],
}

impl Work<'_> {
    fn is_changed_by(&self, found: &Found) -> Result<bool> {
        if let Some(git) = &found.git {
            return Ok(found.effect > Effect::Read && puts_files(git));
        }
        let lays_out = matches!(found.tag, Some(Tag::Formatter | Tag::PackageManager));
        if found.effect != Effect::Write || lays_out {
            return Ok(false);
        }
        if found.paths.is_empty() {
            // What is only taken away, and not named, is mostly what the line made for itself.
            return Ok(found.dynamic && !found.part.starts_with("rm"));
        }
        for path in &found.paths {
            if self.holds(path)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether `path` is one of the work: a commit has it, it is code, or the line wrote it before.
    fn holds(&self, path: &str) -> Result<bool> {
        let top = repo::paths::real(self.repo.store.work_tree());
        let real = repo::paths::real(&self.dir.join(path));
        let Ok(inside) = real.strip_prefix(&top) else { return Ok(false) };
        let inside = inside.to_string_lossy().into_owned();
        let below = format!("{inside}/");
        let is_it =
            |path: &String| inside.is_empty() || *path == inside || path.starts_with(&below);
        if let Some(head) = self.repo.store.head()?.commit {
            let tree = self.repo.store.tree_of_commit(&head)?;
            if self.repo.store.paths_of(&tree)?.iter().any(is_it) {
                return Ok(true);
            }
        }
        let written = self.before.iter().filter(|one| !one.part.starts_with("mkdir"));
        let mut written = written.filter(|one| one.effect == Effect::Write);
        let again = written.any(|one| one.paths.iter().any(|known| known == path));
        let code = shipped_languages().of(&inside).is_some();
        Ok((again || code) && !self.repo.store.is_ignored(&inside)?)
    }
}

/// Whether a verb of git puts other files in place of those of the work tree.
fn puts_files(git: &GitVerb) -> bool {
    let begins = |word: &String| {
        matches!(word.as_str(), "-b" | "-B" | "-c" | "-C" | "--create" | "--orphan")
    };
    let first = git.args.first().map(String::as_str);
    match git.verb.as_str() {
        "reset" => git.has(GitFlag::Hard),
        "stash" => !matches!(first, Some("list" | "show" | "drop" | "clear")),
        "checkout" | "switch" if git.args.iter().any(begins) => false,
        verb => PUTTING.contains(&verb),
    }
}
