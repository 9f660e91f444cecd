//! Whether a run is of this work tree, as far as its line says: where it goes, what it names, and
//! what it takes code from.
//!
//! What git ignores is in no tree. A run of such a place says something of this work where a tool
//! generated what lies there; what the agent wrote there itself says nothing.

use std::path::{Path, PathBuf};

use crate::claims::Ran;
use crate::claims::runs::Places;
use crate::engine::claims::turn;
use crate::engine::repo::{self, LoadedJob, Repo, Result};
use crate::format::journal::What;
use crate::shell::{self, Effect};

/// Files that say what a run does, in the directory where it runs.
const TASKS: [&str; 24] = [
    "GNUmakefile",
    "makefile",
    "Makefile",
    "package.json",
    "justfile",
    "Justfile",
    ".justfile",
    "Taskfile.yml",
    "Rakefile",
    "build.ninja",
    "CTestTestfile.cmake",
    "tox.ini",
    "noxfile.py",
    "conftest.py",
    "pytest.ini",
    "composer.json",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "Cargo.toml",
    "deno.json",
    "mise.toml",
    "mix.exs",
    "CMakeLists.txt",
];

/// What lies in a directory that a tool for builds generated.
const GENERATED: [&str; 7] = [
    "CMakeCache.txt",
    "CTestTestfile.cmake",
    "build.ninja",
    "meson-private",
    "config.status",
    "Makefile.PL",
    "extconf.rb",
];

/// Directories that tools fill, by their names.
const FILLED: [&str; 8] =
    ["node_modules", ".venv", "venv", ".tox", ".nox", "target", "vendor", "__pycache__"];

/// How files end that hold what was printed or measured, and run nothing.
const DATA: [&str; 11] =
    ["log", "txt", "out", "err", "xml", "html", "csv", "md", "info", "tap", "json"];

/// Programs that write what they name, and put nothing into it.
const EMPTY: [&str; 7] = ["mkdir", "rm", "rmdir", "touch", "chmod", "truncate", "trash"];

/// Who looks: a job, or a session where no job is kept.
#[derive(Clone, Copy)]
pub(crate) enum By<'a> {
    Job(&'a LoadedJob),
    /// What ran in it.
    Session(&'a [Ran]),
}

/// Whether a run in `dir` is of this work tree: tests of another repository say nothing of this
/// one, nor do those of one that lies inside it, nor those that the agent put where git looks away.
pub(crate) fn is_of_this_tree(repo: &Repo, by: By<'_>, line: &str, dir: &Path) -> Result<bool> {
    let places = repo.rules.runs().places(line);
    if !is_inside(repo, &places, dir) {
        return Ok(false);
    }
    let mut known = beside_git(repo, &places, line, dir)?;
    let program = program_of(line, dir).and_then(|path| inside(repo, &path));
    let programs: Vec<String> = program.filter(|path| is_file(repo, path)).into_iter().collect();
    let programs = repo.store.excluded(&programs)?.into_iter().map(str::to_owned);
    known.extend(programs.map(|path| Beside { path, generated: false, loaded: true }));
    if known.is_empty() {
        return Ok(true);
    }
    let strict = |one: &Beside| matches!(by, By::Session(_)) && !one.generated && !one.loaded;
    if known.iter().any(strict) {
        return Ok(false);
    }
    let mut written = written_by(repo, by)?;
    written.extend(written_on(repo, line, dir));
    Ok(!known.iter().any(|one| written.iter().any(|path| one.is_made_by(path))))
}

/// Whether a line that is no run of tests runs in another place than this work tree, or a script
/// that lies in one: what it shows is of something else.
pub(super) fn runs_elsewhere(repo: &Repo, by: By<'_>, line: &str, dir: &Path) -> Result<bool> {
    let Some(read) = shell::behind_settings(line) else { return Ok(false) };
    let at = read
        .dirs
        .iter()
        .flatten()
        .chain(&read.later)
        .fold(dir.to_owned(), |at, next| at.join(next));
    // `CDPATH=/x bash -c 'cd tests && …'` leads where none of its words says.
    let mut words = read.commands.iter().flat_map(|one| one.sets.iter().chain(&one.words));
    if inside(repo, &at).is_none() || words.any(|word| word.starts_with("CDPATH=")) {
        return Ok(true);
    }
    let scripts = read.commands.iter().filter_map(|one| script_of(&one.words));
    let scripts: Vec<PathBuf> = scripts.map(|script| at.join(script)).collect();
    let scripts = scripts.iter().filter(|path| path.is_file());
    let Some(here) = scripts.map(|path| inside(repo, path)).collect::<Option<Vec<_>>>() else {
        return Ok(true);
    };
    let ignored = repo.store.excluded(&here)?;
    if ignored.is_empty() {
        return Ok(false);
    }
    let mut written = written_by(repo, by)?;
    written.extend(written_on(repo, line, dir));
    Ok(ignored.iter().any(|path| written.iter().any(|one| one == path)))
}

/// The script that a command runs: what it is called by, or what it gives an interpreter.
fn script_of(words: &[String]) -> Option<&String> {
    const INTERPRETERS: [&str; 16] = [
        "sh", "bash", "dash", "zsh", "ksh", "node", "ruby", "perl", "php", "lua", "luajit", "tsx",
        "ts-node", "Rscript", "julia", "source",
    ];
    let name = words.first()?;
    let bare = name.rsplit('/').next().unwrap_or(name);
    if INTERPRETERS.contains(&bare) || bare.starts_with("python") || bare == "." {
        return words.iter().skip(1).find(|word| !word.starts_with('-'));
    }
    // What lies where programs are put is one of them.
    let of_programs =
        name.rsplit('/').nth(1).is_none_or(|dir| matches!(dir, "bin" | ".bin" | "sbin"));
    (!of_programs).then_some(name)
}

/// The place that a run in `dir` is of, or takes code from, and that git ignores without a tool
/// having generated it.
pub(crate) fn not_in_git(repo: &Repo, line: &str, dir: &Path) -> Result<Option<String>> {
    let places = repo.rules.runs().places(line);
    if !is_inside(repo, &places, dir) {
        return Ok(None);
    }
    let known = beside_git(repo, &places, line, dir)?.into_iter();
    Ok(known.filter(|one| !one.generated).map(|one| one.path).next())
}

/// Whether all that a line goes to and names lies in this work tree, and in no repository within.
fn is_inside(repo: &Repo, places: &Places, dir: &Path) -> bool {
    let top = repo::paths::real(repo.store.work_tree());
    let is_here = |place: &Path| {
        let place = repo::paths::real(place);
        let inside = place.starts_with(&top);
        let between = place.ancestors().take_while(|dir| **dir != top);
        inside && !between.into_iter().any(|dir| dir.join(".git").symlink_metadata().is_ok())
    };
    let at = led_to(places, dir);
    // Where a line cannot go its run did not begin, and what it prints may be an older one's.
    let goes_there = places.goes.is_empty() || at.is_dir();
    // A program or a word that is no path lies in the directory as far as this can tell.
    goes_there && is_here(&at) && places.named.iter().all(|place| is_here(&at.join(place)))
}

fn led_to(places: &Places, dir: &Path) -> PathBuf {
    places.goes.iter().fold(dir.to_owned(), |dir, next| dir.join(next))
}

/// A place of a run that git ignores.
struct Beside {
    /// From the top of the work tree; a directory ends in `/`.
    path: String,
    /// A tool for builds made it, or fills it.
    generated: bool,
    /// Code is taken from there; the run itself is elsewhere.
    loaded: bool,
}

impl Beside {
    /// Whether `path` is this file, or lies in this directory and may be a part of the run.
    fn is_made_by(&self, path: &str) -> bool {
        let below = self.path.ends_with('/') && path.starts_with(&self.path);
        path == self.path.trim_end_matches('/') || below && !is_data(path)
    }
}

/// Whether a file holds what was printed or measured, by its name, and makes nothing run.
pub(crate) fn is_data(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let data = name.rsplit_once('.').is_some_and(|(_, end)| DATA.contains(&end));
    data && !TASKS.contains(&name) && !name.contains("config")
}

/// What of the places of a run in `dir` git ignores: directories, and files that say what it does.
fn beside_git(repo: &Repo, places: &Places, line: &str, dir: &Path) -> Result<Vec<Beside>> {
    let at = led_to(places, dir);
    let mut asked: Vec<(String, bool)> = Vec::new();
    let mut ask = |place: &Path, loaded: bool| {
        let Some(path) = inside(repo, place) else { return };
        let real = repo.store.work_tree().join(&path);
        if !real.is_dir() {
            asked.extend(real.exists().then_some((path, loaded)));
            return;
        }
        let begin = if path.is_empty() { path } else { format!("{path}/") };
        let tasks = TASKS.iter().filter(|name| !loaded && real.join(name).exists());
        asked.extend(tasks.map(|name| (format!("{begin}{name}"), false)));
        asked.extend((!begin.is_empty()).then_some((begin, loaded)));
    };
    ask(&at, false);
    places.given.iter().for_each(|place| ask(&at.join(place), false));
    places.loaded.iter().for_each(|place| ask(&at.join(place), true));
    // A script is what its run does.
    if matches!(repo.rules.runs().recognise(line).run(), Some("script" | "helper")) {
        places.named.iter().for_each(|place| ask(&at.join(place), false));
    }
    let paths: Vec<String> = asked.iter().map(|(path, _)| path.clone()).collect();
    let ignored = repo.store.excluded(&paths)?;
    let loaded = |path: &str| asked.iter().any(|(known, loaded)| known.as_str() == path && *loaded);
    Ok(ignored
        .into_iter()
        .map(|path| Beside {
            path: path.to_owned(),
            generated: is_generated(repo, path),
            loaded: loaded(path),
        })
        .collect())
}

/// Whether a tool for builds made what lies at `path`, or fills it.
fn is_generated(repo: &Repo, path: &str) -> bool {
    let path = Path::new(path.trim_end_matches('/'));
    let filled = path.iter().any(|part| FILLED.iter().any(|name| part == *name));
    let top = repo.store.work_tree();
    let is_marked = |dir: &Path| GENERATED.iter().any(|name| top.join(dir).join(name).exists());
    filled || path.ancestors().any(|dir| top.join(dir).is_dir() && is_marked(dir))
}

/// The word that names the program of a command line: that of its last command, and of the
/// command that `git seed exec` confines.
pub(super) fn program_name(command: &str) -> String {
    let commands = shell::simple(command).map(|line| line.commands).unwrap_or_default();
    let words = commands.last().map(|last| last.words.as_slice()).unwrap_or_default();
    let own = |words: &[String]| {
        words.first().is_some_and(|word| word == "git" || word.ends_with("git-seed"))
    };
    let inner = words.iter().position(|word| word == "--").filter(|_| own(words));
    words.get(inner.map_or(0, |at| at + 1)).cloned().unwrap_or_default()
}

/// The program that a line calls by its path.
fn program_of(line: &str, dir: &Path) -> Option<PathBuf> {
    let name = program_name(line);
    name.contains('/').then(|| dir.join(name))
}

/// Where a path lies that is in the work tree, from its top.
fn inside(repo: &Repo, path: &Path) -> Option<String> {
    let top = repo::paths::real(repo.store.work_tree());
    let real = repo::paths::real(path);
    Some(real.strip_prefix(&top).ok()?.to_string_lossy().into_owned())
}

fn is_file(repo: &Repo, path: &str) -> bool {
    repo.store.work_tree().join(path).is_file()
}

/// What an agent wrote by its tools and by lines of its shell, from the top of the work tree.
fn written_by(repo: &Repo, by: By<'_>) -> Result<Vec<String>> {
    let top = repo.store.work_tree();
    let by_line = |ran: &Ran| written_on(repo, &ran.line(), &top.join(&ran.dir));
    let mut written = Vec::new();
    match by {
        By::Job(focused) => turn::each_line_since(repo, focused, 0, |line| {
            if line.what == What::After {
                written.extend(line.paths.iter().cloned());
                written.extend(line.ran.iter().flat_map(by_line));
            }
        })?,
        By::Session(all) => written.extend(all.iter().flat_map(by_line)),
    }
    Ok(written)
}

/// The files of the work tree that a line writes, as far as it shows them.
fn written_on(repo: &Repo, line: &str, dir: &Path) -> Vec<String> {
    let found = shell::read(line).found;
    let fills = |one: &&shell::Found| {
        let program = one.part.split(' ').next().unwrap_or_default();
        one.effect > Effect::Read && !EMPTY.contains(&program)
    };
    let paths = found.iter().filter(fills).flat_map(|one| &one.paths);
    paths.filter_map(|path| inside(repo, &dir.join(path))).collect()
}
