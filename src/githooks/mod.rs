//! Puts git seed's git hooks beside whatever hooks a clone has, and takes them out again.
//!
//! Nobody's hook is edited, moved or renamed, and nothing tracked is touched. Where no hook of
//! ours would meet one of theirs, ours lie in `.git/hooks`. Else they lie in `.git/seed/hooks`,
//! `core.hooksPath` of this clone points there, and each hands on to theirs where theirs always
//! was, so `$0`, arguments, stdin, directory and exit code are the ones git would give.
//! [`remove`] leaves the bytes it found, or says what somebody changed since. The caller keeps the
//! [`Record`]; what the hooks say is the business of `git seed githook`.

mod config;
mod found;
mod managers;
mod relay;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use config::{ConfigEdit, Way, linked_config, plan_config, restore_config, swap};
use relay::{OURS, hooks_in, is_runnable, planned_scripts, script};

use crate::voice::{Notice, tell};
use crate::world::{GitEnvironment, Group, Whole, git_place_variables, system};

pub(crate) use found::found;
pub(crate) use relay::Theirs;

const HOOKS_PATH: &str = "core.hooksPath";
/// Our directory, below the common git directory.
const OWN_DIR: &str = "seed/hooks";
/// Where all of git seed's own state lies, relative to it, too.
const SEED_DIR: &str = "seed";
/// Our directory as the main work tree sees it: still right after the clone was moved or mounted
/// elsewhere.
const OWN_DIR_FROM_TOP: &str = ".git/seed/hooks";
const TRIAL_LIMIT: Duration = Duration::from_secs(20);

/// Why hooks could not be put in, taken out or tried.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HookError {
    /// A file or directory that git or we own could not be read or written.
    #[error("{path}: {source}", path = path.display())]
    File { path: PathBuf, source: io::Error },
    /// The caller could not keep the record; nothing was changed.
    #[error("the record of what init writes could not be kept: {0}")]
    Record(io::Error),
    /// `git` could not be started.
    #[error("git does not start: {0}")]
    Start(io::Error),
    /// `git` said no.
    #[error("`git {args}` failed: {stderr}")]
    Git { args: String, stderr: String },
    /// Another git holds the config, or it changed while we looked at it.
    #[error("{path} is being changed by someone else; look for {path}.lock and try again",
        path = path.display())]
    Busy { path: PathBuf },
    /// A setting that outranks this clone's own decides where git looks for hooks.
    #[error("git looks for hooks in {at}, whatever this clone says; see `git config --show-origin \
        core.hooksPath`", at = at.display())]
    Overridden { at: PathBuf },
    /// `core.hooksPath` is not UTF-8.
    #[error("core.hooksPath is not UTF-8: {0:?}")]
    NotUtf8(OsString),
    /// The repository's commit-msg hook took too long on a trial message and was ended.
    #[error("{hook} did not answer within {seconds} s", hook = hook.display())]
    Slow { hook: PathBuf, seconds: u64 },
}

/// Git says so why it failed.
fn complains(stderr: &[u8]) -> bool {
    let begins = |line: &[u8]| [&b"error:"[..], b"fatal:"].iter().any(|by| line.starts_with(by));
    stderr.split(|byte| *byte == b'\n').any(begins)
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> HookError + '_ {
    move |source| HookError::File { path: path.to_owned(), source }
}

/// Where a clone lies; all three absolute.
#[derive(Clone, Debug)]
pub(crate) struct RepoDirs {
    /// The git directory of this work tree.
    pub git_dir: PathBuf,
    /// The git directory that all work trees share.
    pub common_dir: PathBuf,
    /// Top of this work tree.
    pub work_tree: PathBuf,
    env: Vec<(OsString, OsString)>,
    session: Option<GitEnvironment>,
}

impl RepoDirs {
    pub(crate) fn new(
        git_dir: impl Into<PathBuf>,
        common_dir: impl Into<PathBuf>,
        work_tree: impl Into<PathBuf>,
    ) -> Self {
        Self {
            git_dir: git_dir.into(),
            common_dir: common_dir.into(),
            work_tree: work_tree.into(),
            env: Vec::new(),
            session: None,
        }
    }

    /// The same clone, as git reads it where a session of an agent makes its commits: what a host
    /// sets for git in the agent's shell alone does not count.
    #[must_use]
    pub(crate) fn of_session(mut self, environment: Option<GitEnvironment>) -> Self {
        self.session = environment;
        self
    }

    /// The same clone, seen by a `git` with one more environment variable.
    #[cfg(test)]
    #[must_use]
    pub(crate) fn with_env(
        mut self,
        name: impl Into<OsString>,
        value: impl Into<OsString>,
    ) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    fn git(&self) -> Command {
        let mut git = Command::new("git");
        if let Some(session) = &self.session {
            session.give(&mut git);
        }
        for name in git_place_variables() {
            git.env_remove(name);
        }
        git.envs(self.env.iter().map(|(name, value)| (name, value)))
            .env("GIT_SEED_INTERNAL", "1")
            .arg("-C")
            .arg(&self.work_tree)
            .stdin(Stdio::null());
        git
    }

    /// Runs git; exit 1 without a complaint of git's is its way to say "there is none". What else
    /// stands on stderr is somebody's who stands in front of git, or a trace that was asked for.
    fn ask(&self, args: &[&OsStr]) -> Result<Vec<u8>, HookError> {
        let Output { status, stdout, stderr } =
            self.git().args(args).output().map_err(HookError::Start)?;
        if status.success() || (status.code() == Some(1) && !complains(&stderr)) {
            return Ok(stdout);
        }
        let args: Vec<_> = args.iter().map(|arg| arg.to_string_lossy()).collect();
        let stderr = String::from_utf8_lossy(&stderr).trim().to_owned();
        Err(HookError::Git { args: args.join(" "), stderr })
    }

    fn own_dir(&self) -> PathBuf {
        self.common_dir.join(OWN_DIR)
    }

    fn seed_dir(&self) -> PathBuf {
        self.common_dir.join(SEED_DIR)
    }

    /// The directory git runs hooks from now, absolute.
    fn hooks_dir(&self) -> Result<PathBuf, HookError> {
        let mut path = self.ask(&["rev-parse", "--git-path", "hooks"].map(OsStr::new))?;
        path.pop_if(|last| *last == b'\n');
        Ok(self.work_tree.join(system::name_of(&path)))
    }

    /// Every value of `core.hooksPath` that is not ours, weakest first.
    fn foreign_hooks_paths(&self) -> Result<Vec<HooksPath>, HookError> {
        let args = ["config", "--show-scope", "-z", "--type=path", "--get-all", HOOKS_PATH];
        let answer = self.ask(&args.map(OsStr::new))?;
        let fields: Vec<_> = answer.split(|byte| *byte == 0).collect();
        let (pairs, _) = fields.as_chunks::<2>();
        let mut paths = pairs
            .iter()
            .map(|[scope, path]| HooksPath::read(scope, path))
            .collect::<Result<Vec<_>, _>>()?;
        let own_dir = self.own_dir();
        // What one command line says is no setting of the clone.
        paths.retain(|found| found.scope != "command");
        paths.retain(|found| Path::new(&found.path) != own_dir && found.path != OWN_DIR_FROM_TOP);
        Ok(paths)
    }
}

/// A `core.hooksPath` that is not ours.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct HooksPath {
    /// `system`, `global`, `local` or `worktree`, as git names it.
    pub scope: String,
    /// The directory; a relative one starts where the hook runs.
    pub path: String,
}

impl HooksPath {
    fn read(scope: &[u8], path: &[u8]) -> Result<Self, HookError> {
        let path =
            std::str::from_utf8(path).map_err(|_| HookError::NotUtf8(system::name_of(path)))?;
        Ok(Self { scope: String::from_utf8_lossy(scope).into_owned(), path: path.to_owned() })
    }

    /// The setting stands in a file of this clone.
    fn is_of_this_clone(&self) -> bool {
        ["local", "worktree"].contains(&self.scope.as_str())
    }
}

/// What [`install`] did to a clone, enough to take it back.
///
/// Its paths are relative to the common git directory, so it outlives a move of the clone. It
/// holds the former bytes of `.git/config`: keep it readable by its owner only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// The hooks that ours stand in front of.
    pub theirs: Theirs,
    /// Directories that were not there, outer ones first.
    dirs: Vec<String>,
    files: Vec<OwnFile>,
    configs: Vec<ConfigEdit>,
}

impl Record {
    /// The scripts that git has to find and run.
    pub(crate) fn scripts(&self, repo: &RepoDirs) -> Vec<PathBuf> {
        let scripts = self.files.iter().filter(|file| !file.path.ends_with(".config"));
        scripts.map(|file| repo.common_dir.join(&file.path)).collect()
    }

    /// Whether `core.hooksPath` with this value leads to our scripts.
    pub(crate) fn is_reached_by(&self, repo: &RepoDirs, hooks_path: &str) -> bool {
        let own = match self.theirs {
            Theirs::Nothing => repo.common_dir.join("hooks"),
            _ => repo.own_dir(),
        };
        let led = repo.work_tree.join(hooks_path);
        hooks_path == OWN_DIR_FROM_TOP && self.theirs != Theirs::Nothing
            || led == own
            || crate::world::real(led)
                .is_ok_and(|led| crate::world::real(own).is_ok_and(|own| led == own))
    }
}

impl Record {
    /// Every script is as we wrote it, and git with this `core.hooksPath` looks for it there. Asks
    /// no git; where it says no, [`state`] says what is amiss, if anything.
    pub(crate) fn is_untouched(&self, repo: &RepoDirs, hooks_path: Option<&str>) -> bool {
        let reached = match hooks_path {
            Some(path) => self.is_reached_by(repo, path),
            None => self.theirs == Theirs::Nothing,
        };
        reached && self.files.iter().all(|own| holds(&repo.common_dir.join(&own.path), own))
    }
}

/// True when git would run the file at `path`.
pub(crate) fn runs(path: &Path) -> bool {
    is_runnable(path)
}

/// A file of ours and the hash of what we wrote into it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct OwnFile {
    path: String,
    sha256: String,
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"))
}

/// A path and a word about it for the person.
pub(crate) type Told = (PathBuf, String);

/// What [`install`] did.
#[derive(Debug)]
pub(crate) struct Installed {
    /// Every file written, and what it is for.
    pub wrote: Vec<Told>,
    /// What an older install wrote and somebody changed since; kept as it is.
    pub left: Vec<Told>,
    /// The record that was handed to `save`.
    pub record: Record,
}

/// What [`remove`] did.
#[derive(Debug, Default)]
pub(crate) struct Removed {
    /// Every file taken away or put back as it was.
    pub restored: Vec<PathBuf>,
    /// What somebody changed since; kept as it is, with the reason.
    pub left: Vec<Told>,
}

/// Puts our hooks and settings into a clone, calling `binary` by its absolute path.
///
/// `old` is the record of an earlier install, whose traces go first: so a second run repairs,
/// follows a moved binary, and changes nothing where nothing moved. `save` must keep the new
/// record before anything is written, so that an install cut short can still be removed.
///
/// # Errors
///
/// [`HookError::Overridden`] if git would not look at our hooks; everything is taken back then.
pub(crate) fn install(
    repo: &RepoDirs,
    binary: &Path,
    old: Option<&Record>,
    save: impl FnOnce(&Record) -> io::Result<()>,
) -> Result<Installed, HookError> {
    let mut left = old.map(|old| remove(repo, old)).transpose()?.unwrap_or_default().left;
    for (path, why) in &mut left {
        set_aside(repo, path, why)?;
    }
    let plan = Plan::new(repo, binary)?;
    save(&plan.record).map_err(HookError::Record)?;
    let applied = plan.apply(repo).and_then(|wrote| reached(repo, &plan.record).map(|()| wrote));
    match applied {
        Ok(wrote) => Ok(Installed { wrote, left, record: plan.record }),
        Err(error) => {
            remove(repo, &plan.record)?;
            Err(error)
        }
    }
}

/// Makes room in our own directory: a script of ours that somebody edited keeps its bytes.
fn set_aside(repo: &RepoDirs, path: &mut PathBuf, why: &mut String) -> Result<(), HookError> {
    if path.parent() != Some(&repo.own_dir()) {
        return Ok(());
    }
    let names = (1_u32..).map(|nth| path.with_extension(format!("kept-{nth}")));
    let Some(aside) = names.into_iter().find(|name| name.symlink_metadata().is_err()) else {
        return Ok(());
    };
    fs::rename(&*path, &aside).map_err(at(path))?;
    why.push_str(" as ");
    why.push_str(&aside.to_string_lossy());
    *path = aside;
    Ok(())
}

/// Does git look where our hooks lie?
fn reached(repo: &RepoDirs, record: &Record) -> Result<(), HookError> {
    let hooks_dir = repo.hooks_dir()?;
    let own = match record.theirs {
        Theirs::Nothing => repo.common_dir.join("hooks"),
        _ => repo.own_dir(),
    };
    let same = crate::world::real(&hooks_dir).ok() == crate::world::real(&own).ok();
    same.then_some(()).ok_or(HookError::Overridden { at: hooks_dir })
}

/// Everything an install writes, worked out before it writes.
struct Plan {
    record: Record,
    files: Vec<Planned>,
    configs: Vec<PlannedConfig>,
}

struct Planned {
    path: String,
    bytes: Vec<u8>,
    mode: u32,
    what: String,
}

struct PlannedConfig {
    path: String,
    before: Vec<u8>,
    after: Vec<u8>,
    what: String,
}

impl Plan {
    fn new(repo: &RepoDirs, binary: &Path) -> Result<Self, HookError> {
        let theirs = Theirs::find(repo)?;
        let way = Way::new(repo, &theirs);
        let mut files = planned_scripts(repo, binary, &theirs);
        let mut configs = Vec::new();
        let mut edits = Vec::new();
        if way.linked {
            files.push(linked_config(repo)?);
        }
        for (path, puts) in way.puts(&theirs) {
            let (planned, edit) = plan_config(repo, path, &puts)?;
            configs.push(planned);
            edits.push(edit);
        }
        let files_written = files
            .iter()
            .map(|file| OwnFile { path: file.path.clone(), sha256: sha256(&file.bytes) });
        let record = Record {
            dirs: new_dirs(repo, &files),
            files: files_written.collect(),
            configs: edits,
            theirs,
        };
        Ok(Self { record, files, configs })
    }

    /// Files first and config last: git never looks into an empty directory.
    fn apply(&self, repo: &RepoDirs) -> Result<Vec<Told>, HookError> {
        let mut wrote = Vec::new();
        for dir in self.record.dirs.iter().map(|dir| repo.common_dir.join(dir)) {
            fs::create_dir_all(&dir).map_err(at(&dir))?;
        }
        for file in &self.files {
            let path = repo.common_dir.join(&file.path);
            write_new(&path, &file.bytes, file.mode)?;
            wrote.push((path, file.what.clone()));
        }
        for config in self.configs.iter().filter(|config| config.before != config.after) {
            let path = repo.common_dir.join(&config.path);
            swap(repo, &path, &config.before, Some(&config.after))?;
            wrote.push((path, config.what.clone()));
        }
        Ok(wrote)
    }
}

/// Directories that the files need and that are not there, outer ones first.
fn new_dirs(repo: &RepoDirs, files: &[Planned]) -> Vec<String> {
    let mut dirs: Vec<_> =
        files.iter().flat_map(|file| Path::new(&file.path).ancestors().skip(1)).collect();
    dirs.sort();
    dirs.dedup();
    let missing = dirs.into_iter().filter(|dir| !repo.common_dir.join(dir).exists());
    missing.map(|dir| dir.to_string_lossy().into_owned()).collect()
}

/// Writes a file that must not be there yet: what lies at a hook's place is never ours to replace.
fn write_new(path: &Path, bytes: &[u8], mode: u32) -> Result<(), HookError> {
    Whole::new().mode(mode).write_new(path, bytes).map_err(at(path))
}

/// Takes out what `record` says we put in; twice is once.
///
/// Where nobody else wrote since, every byte is as it was. A config that others edited loses only
/// our keys; a file of ours that somebody changed stays, and [`Removed::left`] names it.
pub(crate) fn remove(repo: &RepoDirs, record: &Record) -> Result<Removed, HookError> {
    let mut removed = Removed::default();
    // Config first: git never looks into an emptied directory.
    for edit in &record.configs {
        restore_config(repo, edit, &mut removed)?;
    }
    for own in &record.files {
        remove_file(&repo.common_dir.join(&own.path), own, &mut removed)?;
    }
    for dir in record.dirs.iter().rev() {
        // Someone else's file in it keeps it.
        let _ = fs::remove_dir(repo.common_dir.join(dir));
    }
    Ok(removed)
}

fn remove_file(path: &Path, own: &OwnFile, removed: &mut Removed) -> Result<(), HookError> {
    // Other hook tools move what they find aside under these names; our bytes are ours anywhere.
    for moved in ["legacy", "old"].map(|suffix| path.with_extension(suffix)) {
        if holds(&moved, own) {
            fs::remove_file(&moved).map_err(at(&moved))?;
            removed.restored.push(moved);
        }
    }
    if holds(path, own) {
        fs::remove_file(path).map_err(at(path))?;
        removed.restored.push(path.to_owned());
    } else if path.symlink_metadata().is_ok() {
        removed.left.push((path.to_owned(), tell(Notice::KeptChanged, &[])));
    }
    Ok(())
}

/// A plain file with exactly the bytes we wrote.
fn holds(path: &Path, own: &OwnFile) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.is_file())
        && fs::read(path).is_ok_and(|bytes| sha256(&bytes) == own.sha256)
}

/// How one hook stands, from git's point of view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HookState {
    /// The hook's name.
    pub name: String,
    /// Where git looks for it now.
    pub path: PathBuf,
    /// Git runs it, it is as we wrote it, and theirs is handed on to.
    pub ok: bool,
    /// What is wrong and what mends it; empty where nothing is.
    pub detail: String,
}

/// Says of each hook whether git still reaches it: ours first, then theirs that no relay hands on
/// to.
///
/// # Errors
///
/// Fails if git cannot be asked.
pub(crate) fn state(
    repo: &RepoDirs,
    binary: &Path,
    record: &Record,
) -> Result<Vec<HookState>, HookError> {
    let dir = repo.hooks_dir()?;
    let stale = stale_chain(repo, record)?;
    let trouble_of_all = match reached(repo, record) {
        Err(HookError::Overridden { at }) => {
            Some(elsewhere(&at.display().to_string(), Notice::HookElsewhere, "dir"))
        }
        Err(error) => return Err(error),
        Ok(()) => stale,
    };
    let ours = OURS.iter().map(|(name, template)| {
        let path = dir.join(name);
        let expected = script(template, binary, &record.theirs.word(name));
        let behind = || runs_behind(&path, &expected).filter(|_| trouble_of_all.is_none());
        if let Some(manager) = behind() {
            let detail = tell(Notice::HookBehind, &[("manager", manager)]);
            return HookState { name: (*name).to_owned(), path, ok: true, detail };
        }
        let trouble = trouble_of_all.clone().or_else(|| trouble(&path, &expected, binary));
        HookState {
            name: (*name).to_owned(),
            path,
            ok: trouble.is_none(),
            detail: trouble.unwrap_or_default(),
        }
    });
    let ours: Vec<_> = ours.collect();
    Ok(ours.into_iter().chain(unrelayed(repo, record, &dir)).collect())
}

/// The tool at our place that runs our hook, which it moved aside, before its own.
fn runs_behind(path: &Path, expected: &[u8]) -> Option<&'static str> {
    // What cannot be read runs nothing.
    let manager = managers::of_script(&fs::read(path).ok()?)?;
    let behind = path.with_extension(manager.runs_first?);
    (is_runnable(&behind) && fs::read(&behind).ok()? == expected).then_some(manager.name)
}

fn trouble(path: &Path, expected: &[u8], binary: &Path) -> Option<String> {
    let Ok(bytes) = fs::read(path) else { return Some(tell(Notice::HookGone, &[])) };
    if bytes != expected {
        if let Some(manager) = managers::of_script(&bytes) {
            return Some(tell(Notice::HookTaken, &[("manager", manager.name)]));
        }
        return Some(tell(Notice::HookOtherBytes, &[]));
    }
    if !is_runnable(path) {
        return Some(tell(Notice::HookNotRunnable, &[]));
    }
    (!is_runnable(binary))
        .then(|| tell(Notice::HookNoBinary, &[("binary", &binary.display().to_string())]))
}

/// Somebody pointed git at other hooks, and ours still hand on to the former ones.
fn stale_chain(repo: &RepoDirs, record: &Record) -> Result<Option<String>, HookError> {
    let found = repo.foreign_hooks_paths()?;
    let moved = match &record.theirs {
        // Ours took its place in the file; only a new value there says otherwise.
        Theirs::At(then) if then.is_of_this_clone() => {
            found.iter().rfind(|now| now.is_of_this_clone() && now.path != then.path)
        }
        Theirs::At(then) => match found.last() {
            None => {
                return Ok(Some(tell(Notice::HookPathGone, &[("path", &then.path)])));
            }
            Some(now) => Some(now).filter(|now| now.path != then.path),
        },
        Theirs::Plain | Theirs::Nothing => found.last(),
    };
    Ok(moved.map(|now| elsewhere(&now.path, Notice::HookPathNow, "path")))
}

/// Git looks for hooks in `path`: whose that is, else `unknown`, which names it by this fact.
fn elsewhere(path: &str, unknown: Notice, fact: &str) -> String {
    match managers::of_path(path) {
        Some(manager) => tell(Notice::HookPathOf, &[("path", path), ("manager", manager.name)]),
        None => tell(unknown, &[(fact, path)]),
    }
}

/// Hooks of theirs that came later and that git cannot find through our directory.
fn unrelayed(repo: &RepoDirs, record: &Record, dir: &Path) -> Vec<HookState> {
    let theirs = record.theirs.dir(repo).filter(|theirs| theirs != dir);
    let names = theirs.map(|theirs| hooks_in(&theirs)).unwrap_or_default();
    let lost = names.into_iter().filter(|name| !dir.join(name).exists());
    lost.map(|name| HookState {
        path: dir.join(&name),
        ok: false,
        detail: tell(Notice::HookAddedLater, &[]),
        name,
    })
    .collect()
}

/// Hooks that git runs for each plain commit.
const OF_A_COMMIT: [&str; 4] = ["pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"];

/// The hooks beside ours that run at each commit.
pub(crate) fn at_each_commit(repo: &RepoDirs, record: &Record) -> Vec<String> {
    let Some(dir) = record.theirs.dir(repo) else { return Vec::new() };
    // Of husky's directory each name is there, and leads to the hook above it or to nothing.
    let above = dir.parent().filter(|_| dir.ends_with(".husky/_"));
    let runs = |name: &&str| {
        is_runnable(&dir.join(name)) && above.is_none_or(|above| above.join(name).is_file())
    };
    OF_A_COMMIT.iter().filter(|name| runs(name)).map(|name| (*name).to_owned()).collect()
}

/// What the repository's own commit-msg hook says to a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Trial {
    /// It would let the message pass; true where there is no such hook.
    pub accepted: bool,
    /// Everything it printed.
    pub output: String,
    /// The hook that was asked.
    pub hook: Option<PathBuf>,
    /// How long it took, in milliseconds.
    pub took_ms: u64,
}

/// Asks the repository's own commit-msg hook about `message` without committing.
///
/// `record` is that of our install, if there is one, so that the hook asked is theirs. It runs as
/// git runs it, with `GIT_SEED_TRIAL=1` and no terminal, and is ended after 20 s.
///
/// # Errors
///
/// [`HookError::Slow`] if it had to be ended.
pub(crate) fn try_commit_msg(
    repo: &RepoDirs,
    record: Option<&Record>,
    message: &str,
) -> Result<Trial, HookError> {
    let dir = match record {
        Some(record) => record.theirs.dir(repo),
        None => Some(repo.hooks_dir()?),
    };
    match dir.map(|dir| dir.join("commit-msg")).filter(|hook| is_runnable(hook)) {
        Some(hook) => run_trial(repo, &hook, message, TRIAL_LIMIT),
        None => Ok(Trial { accepted: true, output: String::new(), hook: None, took_ms: 0 }),
    }
}

fn run_trial(
    repo: &RepoDirs,
    hook: &Path,
    message: &str,
    limit: Duration,
) -> Result<Trial, HookError> {
    let mut file = tempfile::Builder::new()
        .prefix("COMMIT_EDITMSG.")
        .tempfile_in(&repo.git_dir)
        .map_err(at(&repo.git_dir))?;
    file.write_all(message.as_bytes()).map_err(at(file.path()))?;
    // A file and not a pipe: what the hook leaves running must not keep us waiting.
    let heard = tempfile::NamedTempFile::new().map_err(at(&std::env::temp_dir()))?;
    let began = Instant::now();
    let mut command = trial_command(repo, hook, file.path(), &heard)?;
    let status = Group::spawn(&mut command).map_err(HookError::Start)?.wait_until(began + limit);
    let status = status
        .map_err(at(hook))?
        .ok_or_else(|| HookError::Slow { hook: hook.to_owned(), seconds: limit.as_secs() })?;
    let took_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    let output = fs::read(heard.path()).map_err(at(heard.path()))?;
    let output = String::from_utf8_lossy(&output).into_owned();
    Ok(Trial { accepted: status.success(), output, hook: Some(hook.to_owned()), took_ms })
}

fn trial_command(
    repo: &RepoDirs,
    hook: &Path,
    message: &Path,
    heard: &tempfile::NamedTempFile,
) -> Result<Command, HookError> {
    let out = heard.reopen().map_err(at(heard.path()))?;
    let err = out.try_clone().map_err(at(heard.path()))?;
    let mut hooks_path = OsString::from("core.hooksPath=");
    hooks_path.push(hook.parent().unwrap_or(Path::new("")));
    let mut git = repo.git();
    git.arg("-c").arg(hooks_path).args(["hook", "run", "commit-msg", "--"]).arg(message);
    git.env("GIT_SEED_TRIAL", "1")
        .env("GIT_EDITOR", ":")
        .env("GIT_INDEX_FILE", repo.git_dir.join("index"));
    git.stdout(out).stderr(err);
    Ok(git)
}

#[cfg(test)]
mod tests;
