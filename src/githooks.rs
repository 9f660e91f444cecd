//! Puts git seed's git hooks beside whatever hooks a clone has, and takes them out again.
//!
//! Nobody's hook is edited, moved or renamed, and nothing tracked is touched. Where no hook of
//! ours would meet one of theirs, ours lie in `.git/hooks`. Else they lie in `.git/seed/hooks`,
//! `core.hooksPath` of this clone points there, and each hands on to theirs where theirs always
//! was, so `$0`, arguments, stdin, directory and exit code are the ones git would give.
//! [`remove`] leaves the bytes it found, or says what somebody changed since. The caller keeps the
//! [`Record`]; what the hooks say is the business of `git seed githook`.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Our hooks: name and script.
const OURS: [(&str, &str); 3] = [
    ("pre-commit", include_str!("../githooks/pre-commit")),
    ("commit-msg", include_str!("../githooks/commit-msg")),
    ("post-commit", include_str!("../githooks/post-commit")),
];

/// Stands in `.git/seed/hooks` for every other hook, since git no longer looks elsewhere.
const RELAY: &str = "#!/bin/sh\n# git seed: hands on to the hook it stands in front of.\n\
    theirs=@THEIRS@\n[ ! -x \"$theirs\" ] || exec \"$theirs\" \"$@\"\n";

/// Hooks that get a relay even before there is one of theirs, so that one added later runs.
/// Left out are those whose mere presence costs on every ref or index change, or means something
/// to a server: they get a relay only if theirs exists at install.
const RELAYED: [&str; 12] = [
    "applypatch-msg",
    "pre-applypatch",
    "post-applypatch",
    "pre-merge-commit",
    "prepare-commit-msg",
    "pre-rebase",
    "post-checkout",
    "post-merge",
    "pre-push",
    "post-rewrite",
    "pre-auto-gc",
    "sendemail-validate",
];

/// Hooks that git may run with the git directory as its own, where a relative path leads nowhere.
const SERVED: [&str; 7] = [
    "pre-receive",
    "update",
    "post-receive",
    "post-update",
    "push-to-checkout",
    "proc-receive",
    "reference-transaction",
];

const HOOKS_PATH: &str = "core.hooksPath";
/// Our directory, below the common git directory.
const OWN_DIR: &str = "seed/hooks";
/// Our directory as the main work tree sees it: still right after the clone was moved or mounted elsewhere.
const OWN_DIR_FROM_TOP: &str = ".git/seed/hooks";
/// Config that only linked work trees include, where `.git` is a file and a relative path fails.
const LINKED_CONFIG: &str = "seed/worktrees.config";
const LINKED_INCLUDE: &str = "includeIf.gitdir:**/worktrees/*.path";
const FIX: &str = "`git seed init` puts them back";
const TRIAL_LIMIT: Duration = Duration::from_secs(20);

/// Notes follow their commits through amend and rebase, one line per record.
const NOTES: [Put<'_>; 3] = [
    Put { key: "notes.rewriteRef", value: "refs/notes/seed", how: How::Among },
    Put { key: "notes.rewriteMode", value: "cat_sort_uniq", how: How::Only },
    Put { key: "notes.seed.mergeStrategy", value: "cat_sort_uniq", how: How::Only },
];

/// What a git above us says about the place it stands in; cleared for every git we start.
const LOCAL_ENV: [&str; 13] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_CONFIG",
    "GIT_OBJECT_DIRECTORY",
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_GRAFT_FILE",
    "GIT_INDEX_FILE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_REPLACE_REF_BASE",
    "GIT_PREFIX",
    "GIT_SHALLOW_FILE",
    "GIT_COMMON_DIR",
];

/// Why hooks could not be put in, taken out or tried.
#[derive(Debug, thiserror::Error)]
pub enum HookError {
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
    #[error("{path} is being changed by someone else; look for {path}.lock and try again", path = path.display())]
    Busy { path: PathBuf },
    /// A setting that outranks this clone's own decides where git looks for hooks.
    #[error("git looks for hooks in {at}, whatever this clone says; see `git config --show-origin core.hooksPath`", at = at.display())]
    Overridden { at: PathBuf },
    /// `core.hooksPath` is not UTF-8.
    #[error("core.hooksPath is not UTF-8: {0:?}")]
    NotUtf8(OsString),
    /// The repository's commit-msg hook took too long on a trial message and was ended.
    #[error("{hook} did not answer within {seconds} s", hook = hook.display())]
    Slow { hook: PathBuf, seconds: u64 },
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> HookError + '_ {
    move |source| HookError::File { path: path.to_owned(), source }
}

/// Where a clone lies; all three absolute.
#[derive(Clone, Debug)]
pub struct Repo {
    /// The git directory of this work tree.
    pub git_dir: PathBuf,
    /// The git directory that all work trees share.
    pub common_dir: PathBuf,
    /// Top of this work tree.
    pub work_tree: PathBuf,
    env: Vec<(OsString, OsString)>,
}

impl Repo {
    pub fn new(
        git_dir: impl Into<PathBuf>,
        common_dir: impl Into<PathBuf>,
        work_tree: impl Into<PathBuf>,
    ) -> Self {
        Self {
            git_dir: git_dir.into(),
            common_dir: common_dir.into(),
            work_tree: work_tree.into(),
            env: Vec::new(),
        }
    }

    /// The same clone, seen by a `git` with one more environment variable.
    #[must_use]
    pub fn with_env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    fn git(&self) -> Command {
        let mut git = Command::new("git");
        for name in LOCAL_ENV {
            git.env_remove(name);
        }
        git.envs(self.env.iter().map(|(name, value)| (name, value)))
            .env("GIT_SEED_INTERNAL", "1")
            .arg("-C")
            .arg(&self.work_tree)
            .stdin(Stdio::null());
        git
    }

    /// Runs git; exit 1 with nothing on stderr is its way to say "there is none".
    fn ask(&self, args: &[&OsStr]) -> Result<Vec<u8>, HookError> {
        let Output { status, stdout, stderr } = self.git().args(args).output().map_err(HookError::Start)?;
        if status.success() || (status.code() == Some(1) && stderr.is_empty()) {
            return Ok(stdout);
        }
        let args: Vec<_> = args.iter().map(|arg| arg.to_string_lossy()).collect();
        let stderr = String::from_utf8_lossy(&stderr).trim().to_owned();
        Err(HookError::Git { args: args.join(" "), stderr })
    }

    fn own_dir(&self) -> PathBuf {
        self.common_dir.join(OWN_DIR)
    }

    /// The directory git runs hooks from now, absolute.
    fn hooks_dir(&self) -> Result<PathBuf, HookError> {
        let mut path = self.ask(&["rev-parse", "--git-path", "hooks"].map(OsStr::new))?;
        path.pop_if(|last| *last == b'\n');
        Ok(self.work_tree.join(OsStr::from_bytes(&path)))
    }

    /// Every value of `core.hooksPath` that is not ours, weakest first.
    fn foreign_hooks_paths(&self) -> Result<Vec<HooksPath>, HookError> {
        let args = ["config", "--show-scope", "-z", "--type=path", "--get-all", HOOKS_PATH];
        let answer = self.ask(&args.map(OsStr::new))?;
        let fields: Vec<_> = answer.split(|byte| *byte == 0).collect();
        let (pairs, _) = fields.as_chunks::<2>();
        let mut paths =
            pairs.iter().map(|[scope, path]| HooksPath::read(scope, path)).collect::<Result<Vec<_>, _>>()?;
        let own_dir = self.own_dir();
        // What one command line says is no setting of the clone.
        paths.retain(|found| found.scope != "command");
        paths.retain(|found| Path::new(&found.path) != own_dir && found.path != OWN_DIR_FROM_TOP);
        Ok(paths)
    }
}

/// A `core.hooksPath` that is not ours.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HooksPath {
    /// `system`, `global`, `local` or `worktree`, as git names it.
    pub scope: String,
    /// The directory; a relative one starts where the hook runs.
    pub path: String,
}

impl HooksPath {
    fn read(scope: &[u8], path: &[u8]) -> Result<Self, HookError> {
        let path =
            std::str::from_utf8(path).map_err(|_| HookError::NotUtf8(OsStr::from_bytes(path).to_owned()))?;
        Ok(Self { scope: String::from_utf8_lossy(scope).into_owned(), path: path.to_owned() })
    }

    /// The setting stands in a file of this clone.
    fn is_of_this_clone(&self) -> bool {
        ["local", "worktree"].contains(&self.scope.as_str())
    }
}

/// The hooks that ours stand in front of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Theirs {
    /// None of our names was taken: ours lie in `.git/hooks` itself.
    Nothing,
    /// Hooks in `.git/hooks`.
    Plain,
    /// Hooks where `core.hooksPath` led.
    At(HooksPath),
}

impl Theirs {
    fn find(repo: &Repo) -> Result<Self, HookError> {
        if let Some(found) = repo.foreign_hooks_paths()?.pop() {
            return Ok(Self::At(found));
        }
        let hooks = repo.common_dir.join("hooks");
        let taken = OURS.iter().any(|(name, _)| hooks.join(name).symlink_metadata().is_ok());
        Ok(if taken { Self::Plain } else { Self::Nothing })
    }

    /// Their directory, seen from this work tree.
    fn dir(&self, repo: &Repo) -> Option<PathBuf> {
        match self {
            Self::Nothing => None,
            Self::Plain => Some(repo.common_dir.join("hooks")),
            Self::At(found) => Some(repo.work_tree.join(&found.path)),
        }
    }

    /// The shell word that leads from our script to their hook. A plain hook is found from where
    /// ours lies, and a relative path stays relative, so both outlive a move of the clone.
    fn word(&self, name: &str) -> Vec<u8> {
        match self {
            Self::Nothing => b"''".to_vec(),
            Self::Plain => format!("\"${{0%/{OWN_DIR}/*}}/hooks/{name}\"").into_bytes(),
            Self::At(found) => quoted(format!("{}/{name}", found.path.trim_end_matches('/')).as_bytes()),
        }
    }

    /// Names besides our own that git has to find in our directory.
    fn relayed(&self, repo: &Repo) -> Vec<String> {
        let Some(dir) = self.dir(repo) else { return Vec::new() };
        let mut names: Vec<String> = RELAYED.map(str::to_owned).to_vec();
        names.extend(hooks_in(&dir));
        names.sort();
        names.dedup();
        names.retain(|name| OURS.iter().all(|(ours, _)| ours != name));
        names
    }
}

/// Names in `dir` that git would run as hooks.
fn hooks_in(dir: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(dir) else { return Vec::new() };
    let names = entries.flatten().filter(|entry| is_runnable(&entry.path()));
    let names = names.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')).collect()
}

fn is_runnable(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// One word for the shell, whatever bytes it holds.
fn quoted(bytes: &[u8]) -> Vec<u8> {
    let mut word = vec![b'\''];
    for byte in bytes {
        match byte {
            b'\'' => word.extend(b"'\\''"),
            other => word.push(*other),
        }
    }
    word.push(b'\'');
    word
}

/// Fills the two words into a script.
fn script(template: &str, binary: &Path, theirs: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for line in template.split_inclusive('\n') {
        match line.trim_end().split_once('=') {
            Some((name, "@SEED@")) => {
                bytes.extend([name.as_bytes(), b"=", &quoted(binary.as_os_str().as_bytes()), b"\n"].concat());
            }
            Some((name, "@THEIRS@")) => bytes.extend([name.as_bytes(), b"=", theirs, b"\n"].concat()),
            _ => bytes.extend(line.as_bytes()),
        }
    }
    bytes
}

/// What [`install`] did to a clone, enough to take it back.
///
/// Its paths are relative to the common git directory, so it outlives a move of the clone. It
/// holds the former bytes of `.git/config`: keep it readable by its owner only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The hooks that ours stand in front of.
    pub theirs: Theirs,
    /// Directories that were not there, outer ones first.
    dirs: Vec<String>,
    files: Vec<OwnFile>,
    configs: Vec<ConfigEdit>,
}

/// A file of ours and the hash of what we wrote into it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct OwnFile {
    path: String,
    sha256: String,
}

/// One config file before and after.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct ConfigEdit {
    path: String,
    before: Option<Bytes>,
    after: String,
    keys: Vec<OwnKey>,
}

/// A key we set, and its values in that file before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct OwnKey {
    key: String,
    ours: String,
    before: Vec<String>,
}

/// Bytes that read as text in TOML wherever they are text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
enum Bytes {
    Text(String),
    Raw(Vec<u8>),
}

impl Bytes {
    fn new(bytes: Vec<u8>) -> Self {
        String::from_utf8(bytes).map_or_else(|foreign| Self::Raw(foreign.into_bytes()), Self::Text)
    }

    fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Raw(bytes) => bytes,
        }
    }
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"))
}

/// A path and a word about it for the person.
pub type Told = (PathBuf, String);

/// What [`install`] did.
#[derive(Debug)]
pub struct Installed {
    /// Every file written, and what it is for.
    pub wrote: Vec<Told>,
    /// What an older install wrote and somebody changed since; kept as it is.
    pub left: Vec<Told>,
    /// The record that was handed to `save`.
    pub record: Record,
}

/// What [`remove`] did.
#[derive(Debug, Default)]
pub struct Removed {
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
pub fn install(
    repo: &Repo,
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
fn set_aside(repo: &Repo, path: &mut PathBuf, why: &mut String) -> Result<(), HookError> {
    if path.parent() != Some(&repo.own_dir()) {
        return Ok(());
    }
    let names = (1_u32..).map(|nth| path.with_extension(format!("kept-{nth}")));
    let Some(aside) = names.into_iter().find(|name| name.symlink_metadata().is_err()) else { return Ok(()) };
    fs::rename(&*path, &aside).map_err(at(path))?;
    why.push_str(" as ");
    why.push_str(&aside.to_string_lossy());
    *path = aside;
    Ok(())
}

/// Does git look where our hooks lie?
fn reached(repo: &Repo, record: &Record) -> Result<(), HookError> {
    let hooks_dir = repo.hooks_dir()?;
    let own = match record.theirs {
        Theirs::Nothing => repo.common_dir.join("hooks"),
        _ => repo.own_dir(),
    };
    let same = hooks_dir.canonicalize().ok() == own.canonicalize().ok();
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
    fn new(repo: &Repo, binary: &Path) -> Result<Self, HookError> {
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
        let files_written =
            files.iter().map(|file| OwnFile { path: file.path.clone(), sha256: sha256(&file.bytes) });
        let record =
            Record { dirs: new_dirs(repo, &files), files: files_written.collect(), configs: edits, theirs };
        Ok(Self { record, files, configs })
    }

    /// Files first and config last: git never looks into an empty directory.
    fn apply(&self, repo: &Repo) -> Result<Vec<Told>, HookError> {
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
            swap(&path, &config.before, Some(&config.after))?;
            wrote.push((path, config.what.clone()));
        }
        Ok(wrote)
    }
}

/// How `core.hooksPath` comes to lead to our directory.
struct Way {
    /// Its value; none where ours lie in `.git/hooks`.
    value: Option<String>,
    /// Linked work trees need a value of their own.
    linked: bool,
    /// The file that decides, relative to the common git directory.
    file: String,
}

impl Way {
    fn new(repo: &Repo, theirs: &Theirs) -> Self {
        let main = if repo.git_dir == repo.common_dir {
            repo.work_tree.join(".git") == repo.common_dir
        } else {
            repo.common_dir.file_name() == Some(OsStr::new(".git"))
        };
        let by_worktree = matches!(theirs, Theirs::At(found) if found.scope == "worktree");
        let served = theirs.relayed(repo).iter().any(|name| SERVED.contains(&name.as_str()));
        let linked = main && !by_worktree && !served && *theirs != Theirs::Nothing;
        let absolute = repo.own_dir().to_string_lossy().into_owned();
        Self {
            value: (*theirs != Theirs::Nothing)
                .then(|| if linked { OWN_DIR_FROM_TOP.to_owned() } else { absolute }),
            linked,
            file: if by_worktree { worktree_config(repo) } else { "config".to_owned() },
        }
    }

    /// What to put into which file.
    fn puts(&self, theirs: &Theirs) -> Vec<(String, Vec<Put<'_>>)> {
        let mut shared = NOTES.to_vec();
        let hooks_path = self.value.as_deref().map(|value| Put { key: HOOKS_PATH, value, how: How::Last });
        if self.linked {
            shared.push(Put { key: LINKED_INCLUDE, value: LINKED_CONFIG, how: How::Among });
        }
        match (hooks_path, theirs) {
            (Some(put), _) if self.file != "config" => {
                vec![("config".to_owned(), shared), (self.file.clone(), vec![put])]
            }
            (put, _) => {
                shared.splice(0..0, put);
                vec![("config".to_owned(), shared)]
            }
        }
    }
}

/// The config of this work tree alone, relative to the common git directory.
fn worktree_config(repo: &Repo) -> String {
    let dir = repo.git_dir.strip_prefix(&repo.common_dir).unwrap_or(Path::new(""));
    dir.join("config.worktree").to_string_lossy().into_owned()
}

fn planned_scripts(repo: &Repo, binary: &Path, theirs: &Theirs) -> Vec<Planned> {
    let dir = if *theirs == Theirs::Nothing { "hooks" } else { OWN_DIR };
    let ours = OURS.iter().map(|(name, template)| ((*name).to_owned(), *template, "git seed's hook"));
    let relays =
        theirs.relayed(repo).into_iter().map(|name| (name, RELAY, "hands on to the hook that was there"));
    ours.chain(relays)
        .map(|(name, template, what)| Planned {
            path: format!("{dir}/{name}"),
            bytes: script(template, binary, &theirs.word(&name)),
            mode: 0o755,
            what: what.to_owned(),
        })
        .collect()
}

fn linked_config(repo: &Repo) -> Result<Planned, HookError> {
    let own_dir = repo.own_dir();
    let own_dir = own_dir.to_str().ok_or_else(|| HookError::NotUtf8(own_dir.clone().into_os_string()))?;
    let (bytes, _) = edited(repo, &[], &[Put { key: HOOKS_PATH, value: own_dir, how: How::Only }])?;
    let what = "leads linked work trees to git seed's hooks".to_owned();
    Ok(Planned { path: LINKED_CONFIG.to_owned(), bytes, mode: 0o644, what })
}

/// Directories that the files need and that are not there, outer ones first.
fn new_dirs(repo: &Repo, files: &[Planned]) -> Vec<String> {
    let mut dirs: Vec<_> = files.iter().flat_map(|file| Path::new(&file.path).ancestors().skip(1)).collect();
    dirs.sort();
    dirs.dedup();
    let missing = dirs.into_iter().filter(|dir| !repo.common_dir.join(dir).exists());
    missing.map(|dir| dir.to_string_lossy().into_owned()).collect()
}

/// Writes a file that must not be there yet: what lies at a hook's place is never ours to replace.
fn write_new(path: &Path, bytes: &[u8], mode: u32) -> Result<(), HookError> {
    let mut file = fs::File::create_new(path).map_err(at(path))?;
    file.write_all(bytes).map_err(at(path))?;
    file.set_permissions(fs::Permissions::from_mode(mode)).map_err(at(path))
}

/// A value to put into a config file.
#[derive(Clone, Copy)]
struct Put<'a> {
    key: &'a str,
    value: &'a str,
    how: How,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    /// The only value of its key.
    Only,
    /// One among values that stay.
    Among,
    /// The only value of its key, and below any include that might say otherwise.
    Last,
}

fn plan_config(
    repo: &Repo,
    path: String,
    puts: &[Put<'_>],
) -> Result<(PlannedConfig, ConfigEdit), HookError> {
    let file = repo.common_dir.join(&path);
    let found = read_if_there(&file)?;
    let before = found.clone().unwrap_or_default();
    let (after, keys) = edited(repo, &before, puts)?;
    let named: Vec<_> = keys.iter().map(|own| own.key.as_str()).collect();
    let what = format!("sets {}", named.join(", "));
    let edit = ConfigEdit { path: path.clone(), before: found.map(Bytes::new), after: sha256(&after), keys };
    Ok((PlannedConfig { path, before, after, what }, edit))
}

fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>, HookError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(at(path)(error)),
    }
}

/// The bytes of a config with `puts` in it, and the keys that this changed.
fn edited(repo: &Repo, bytes: &[u8], puts: &[Put<'_>]) -> Result<(Vec<u8>, Vec<OwnKey>), HookError> {
    let scratch = Scratch::new(repo, bytes)?;
    let mut keys = Vec::new();
    for put in puts {
        let before = scratch.values(put.key)?;
        let there = match put.how {
            How::Among => before.iter().any(|value| value == put.value),
            How::Only | How::Last => before == [put.value],
        };
        if !there {
            scratch.put(*put, &before)?;
            keys.push(OwnKey { key: put.key.to_owned(), ours: put.value.to_owned(), before });
        }
    }
    Ok((scratch.bytes()?, keys))
}

/// A copy of a config file for `git config` to edit; the real one changes in one rename.
struct Scratch<'a> {
    repo: &'a Repo,
    file: tempfile::TempPath,
}

impl<'a> Scratch<'a> {
    fn new(repo: &'a Repo, bytes: &[u8]) -> Result<Self, HookError> {
        let temp = std::env::temp_dir();
        let mut file = tempfile::NamedTempFile::new().map_err(at(&temp))?;
        file.write_all(bytes).map_err(at(&temp))?;
        Ok(Self { repo, file: file.into_temp_path() })
    }

    fn config(&self, args: &[&str]) -> Result<Vec<u8>, HookError> {
        let mut all = vec![OsStr::new("config"), OsStr::new("--file"), self.file.as_os_str()];
        all.extend(args.iter().map(OsStr::new));
        self.repo.ask(&all)
    }

    fn bytes(&self) -> Result<Vec<u8>, HookError> {
        fs::read(&self.file).map_err(at(&self.file))
    }

    fn values(&self, key: &str) -> Result<Vec<String>, HookError> {
        let answer = self.config(&["-z", "--get-all", key])?;
        let answer = String::from_utf8(answer)
            .map_err(|foreign| HookError::NotUtf8(OsStr::from_bytes(foreign.as_bytes()).to_owned()))?;
        Ok(answer.split_terminator('\0').map(str::to_owned).collect())
    }

    fn put(&self, put: Put<'_>, before: &[String]) -> Result<(), HookError> {
        let includes = self.bytes()?.windows(8).any(|bytes| bytes.eq_ignore_ascii_case(b"[include"));
        match put.how {
            How::Among => self.config(&["--add", put.key, put.value]).map(drop),
            How::Last if before.is_empty() && includes => self.append(put),
            How::Only | How::Last => self.config(&["--replace-all", put.key, put.value]).map(drop),
        }
    }

    /// Adds a section of its own at the end, where git would have used one further up.
    fn append(&self, put: Put<'_>) -> Result<(), HookError> {
        let (section, _) = edited(self.repo, &[], &[Put { how: How::Only, ..put }])?;
        let mut bytes = self.bytes()?;
        if !bytes.ends_with(b"\n") {
            bytes.push(b'\n');
        }
        bytes.extend(section);
        fs::write(&self.file, bytes).map_err(at(&self.file))
    }

    /// Takes one key of ours back; says so if it is no longer ours.
    fn take_back(&self, own: &OwnKey, among: bool) -> Result<bool, HookError> {
        let now = self.values(&own.key)?;
        let ours = if among { now.contains(&own.ours) } else { now == [own.ours.as_str()] };
        match (ours, own.before.as_slice()) {
            (false, _) => return Ok(now == own.before),
            (true, _) if among => {
                drop(self.config(&["--fixed-value", "--unset-all", &own.key, &own.ours])?);
            }
            (true, [one]) => drop(self.config(&["--replace-all", &own.key, one])?),
            (true, several) => {
                self.config(&["--unset-all", &own.key])?;
                for value in several {
                    self.config(&["--add", &own.key, value])?;
                }
            }
        }
        Ok(true)
    }
}

/// Replaces `expected` by `new` under git's own lock; without `new` the file goes away.
fn swap(path: &Path, expected: &[u8], new: Option<&[u8]>) -> Result<(), HookError> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let lock = PathBuf::from([path.as_os_str(), OsStr::new(".lock")].join(OsStr::new("")));
    let mut file = fs::File::create_new(&lock).map_err(|_| HookError::Busy { path: path.clone() })?;
    let swapped = swap_locked(&path, &lock, &mut file, expected, new);
    if swapped.is_err() || new.is_none() {
        fs::remove_file(&lock).map_err(at(&lock))?;
    }
    swapped
}

fn swap_locked(
    path: &Path,
    lock: &Path,
    file: &mut fs::File,
    expected: &[u8],
    new: Option<&[u8]>,
) -> Result<(), HookError> {
    if read_if_there(path)?.unwrap_or_default() != expected {
        return Err(HookError::Busy { path: path.to_owned() });
    }
    let Some(new) = new else { return fs::remove_file(path).map_err(at(path)) };
    if let Ok(found) = path.metadata() {
        file.set_permissions(found.permissions()).map_err(at(lock))?;
    }
    file.write_all(new).and_then(|()| file.sync_all()).map_err(at(lock))?;
    fs::rename(lock, path).map_err(at(path))
}

/// Takes out what `record` says we put in; twice is once.
///
/// Where nobody else wrote since, every byte is as it was. A config that others edited loses only
/// our keys; a file of ours that somebody changed stays, and [`Removed::left`] names it.
pub fn remove(repo: &Repo, record: &Record) -> Result<Removed, HookError> {
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

fn restore_config(repo: &Repo, edit: &ConfigEdit, removed: &mut Removed) -> Result<(), HookError> {
    let path = repo.common_dir.join(&edit.path);
    let now = read_if_there(&path)?;
    if now.as_deref() == edit.before.as_ref().map(Bytes::as_bytes) {
        return Ok(());
    }
    let now = now.unwrap_or_default();
    if sha256(&now) == edit.after {
        swap(&path, &now, edit.before.as_ref().map(Bytes::as_bytes))?;
    } else {
        let rest = without_our_keys(repo, &now, edit, &path, removed)?;
        if rest == now {
            return Ok(());
        }
        swap(&path, &now, Some(&rest))?;
    }
    removed.restored.push(path);
    Ok(())
}

fn without_our_keys(
    repo: &Repo,
    now: &[u8],
    edit: &ConfigEdit,
    path: &Path,
    removed: &mut Removed,
) -> Result<Vec<u8>, HookError> {
    let scratch = Scratch::new(repo, now)?;
    for own in &edit.keys {
        let among =
            own.key == LINKED_INCLUDE || NOTES.iter().any(|put| put.key == own.key && put.how == How::Among);
        if !scratch.take_back(own, among)? {
            removed.left.push((path.to_owned(), format!("{} was changed since; kept", own.key)));
        }
    }
    scratch.bytes()
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
        removed.left.push((path.to_owned(), "was changed since git seed wrote it; kept".to_owned()));
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
pub struct HookState {
    /// The hook's name.
    pub name: String,
    /// Where git looks for it now.
    pub path: PathBuf,
    /// Git runs it, it is as we wrote it, and theirs is handed on to.
    pub ok: bool,
    /// What is wrong and what mends it; empty where nothing is.
    pub detail: String,
}

/// Says of each hook whether git still reaches it: ours first, then theirs that no relay hands on to.
///
/// # Errors
///
/// Fails if git cannot be asked.
pub fn state(repo: &Repo, binary: &Path, record: &Record) -> Result<Vec<HookState>, HookError> {
    let dir = repo.hooks_dir()?;
    let stale = stale_chain(repo, record)?;
    let trouble_of_all = match reached(repo, record) {
        Err(HookError::Overridden { at }) => {
            Some(format!("git looks for hooks in {} now; {FIX}", at.display()))
        }
        Err(error) => return Err(error),
        Ok(()) => stale,
    };
    let ours = OURS.iter().map(|(name, template)| {
        let path = dir.join(name);
        let expected = script(template, binary, &record.theirs.word(name));
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

fn trouble(path: &Path, expected: &[u8], binary: &Path) -> Option<String> {
    let Ok(bytes) = fs::read(path) else { return Some(format!("it is gone; {FIX}")) };
    if bytes != expected {
        return Some(format!("it is not as git seed wrote it; {FIX}"));
    }
    if !is_runnable(path) {
        return Some(format!("it is not executable, so git ignores it; {FIX}"));
    }
    (!is_runnable(binary)).then(|| format!("{} is gone, so the hook passes everything", binary.display()))
}

/// Somebody pointed git at other hooks, and ours still hand on to the former ones.
fn stale_chain(repo: &Repo, record: &Record) -> Result<Option<String>, HookError> {
    let found = repo.foreign_hooks_paths()?;
    let moved = match &record.theirs {
        // Ours took its place in the file; only a new value there says otherwise.
        Theirs::At(then) if then.is_of_this_clone() => {
            found.iter().rfind(|now| now.is_of_this_clone() && now.path != then.path)
        }
        Theirs::At(then) => match found.last() {
            None => return Ok(Some(format!("core.hooksPath no longer names {}; {FIX}", then.path))),
            Some(now) => Some(now).filter(|now| now.path != then.path),
        },
        Theirs::Plain | Theirs::Nothing => found.last(),
    };
    Ok(moved.map(|now| format!("core.hooksPath names {} now; {FIX}", now.path)))
}

/// Hooks of theirs that came later and that git cannot find through our directory.
fn unrelayed(repo: &Repo, record: &Record, dir: &Path) -> Vec<HookState> {
    let theirs = record.theirs.dir(repo).filter(|theirs| theirs != dir);
    let names = theirs.map(|theirs| hooks_in(&theirs)).unwrap_or_default();
    let lost = names.into_iter().filter(|name| !dir.join(name).exists());
    lost.map(|name| HookState {
        path: dir.join(&name),
        ok: false,
        detail: "it was added later and nothing hands on to it; `git seed init` does".to_owned(),
        name,
    })
    .collect()
}

/// What the repository's own commit-msg hook says to a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trial {
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
pub fn try_commit_msg(repo: &Repo, record: Option<&Record>, message: &str) -> Result<Trial, HookError> {
    let dir = match record {
        Some(record) => record.theirs.dir(repo),
        None => Some(repo.hooks_dir()?),
    };
    match dir.map(|dir| dir.join("commit-msg")).filter(|hook| is_runnable(hook)) {
        Some(hook) => run_trial(repo, &hook, message, TRIAL_LIMIT),
        None => Ok(Trial { accepted: true, output: String::new(), hook: None, took_ms: 0 }),
    }
}

fn run_trial(repo: &Repo, hook: &Path, message: &str, limit: Duration) -> Result<Trial, HookError> {
    let mut file = tempfile::Builder::new()
        .prefix("COMMIT_EDITMSG.")
        .tempfile_in(&repo.git_dir)
        .map_err(at(&repo.git_dir))?;
    file.write_all(message.as_bytes()).map_err(at(file.path()))?;
    // A file and not a pipe: what the hook leaves running must not keep us waiting.
    let heard = tempfile::NamedTempFile::new().map_err(at(&std::env::temp_dir()))?;
    let began = Instant::now();
    let mut child = trial_command(repo, hook, file.path(), &heard)?.spawn().map_err(HookError::Start)?;
    let accepted = wait(&mut child, began + limit)
        .map_err(at(hook))?
        .ok_or_else(|| HookError::Slow { hook: hook.to_owned(), seconds: limit.as_secs() })?;
    let took_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    let output = fs::read(heard.path()).map_err(at(heard.path()))?;
    let output = String::from_utf8_lossy(&output).into_owned();
    Ok(Trial { accepted, output, hook: Some(hook.to_owned()), took_ms })
}

fn trial_command(
    repo: &Repo,
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
    git.env("GIT_SEED_TRIAL", "1").env("GIT_EDITOR", ":").env("GIT_INDEX_FILE", repo.git_dir.join("index"));
    git.stdout(out).stderr(err).process_group(0);
    Ok(git)
}

/// Waits until `deadline`; then ends the child with all it started.
fn wait(child: &mut Child, deadline: Instant) -> io::Result<Option<bool>> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status.success()));
        }
        if Instant::now() >= deadline {
            Command::new("kill").args(["-KILL", "--", &format!("-{}", child.id())]).status()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::os::unix::fs::symlink;

    use pretty_assertions::assert_eq;

    use super::*;

    /// A clone with its own home and a stand-in for the binary that logs its calls.
    struct World {
        dir: tempfile::TempDir,
    }

    impl World {
        fn new() -> Self {
            let world = Self { dir: tempfile::tempdir().expect("a directory") };
            fs::create_dir(world.path("clone")).expect("a clone");
            fs::write(world.path("gitconfig"), "").expect("a global config");
            world.git("init -q -b main .");
            world.git("config user.name A");
            world.git("config user.email a@example.org");
            world.git("commit -q --allow-empty -m first");
            let log = world.path("log");
            let refuse = world.path("refuse");
            world.script(
                "git seed's",
                &format!(
                    "#!/bin/sh\necho \"ours $*\" >>'{}'\n[ \"$2\" != \"$(cat '{}' 2>&-)\" ] || exit 2\n",
                    log.display(),
                    refuse.display()
                ),
            );
            world
        }

        fn path(&self, name: &str) -> PathBuf {
            // A canonical root: the paths git answers with are.
            self.dir.path().canonicalize().expect("a root").join(name)
        }

        fn binary(&self) -> PathBuf {
            self.path("git seed's")
        }

        fn repo(&self) -> Repo {
            self.seen(Repo::new(self.path("clone/.git"), self.path("clone/.git"), self.path("clone")))
        }

        fn seen(&self, repo: Repo) -> Repo {
            repo.with_env("HOME", self.path("."))
                .with_env("GIT_CONFIG_NOSYSTEM", "1")
                .with_env("GIT_CONFIG_GLOBAL", self.path("gitconfig"))
        }

        fn script(&self, name: &str, text: &str) {
            let path = self.path(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
            fs::write(&path, text).expect("a script");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a mode");
        }

        /// A hook of theirs that logs its name, arguments, what lies on stdin, and ends with `code`.
        fn theirs(&self, name: &str, code: u8) {
            let log = self.path("log");
            let body = format!(
                "echo \"theirs $(basename \"$0\") $* in=$(cat)\" >>'{}'\nexit {code}\n",
                log.display()
            );
            self.script(name, &format!("#!/bin/sh\n{body}"));
        }

        fn run_in(&self, dir: &str, line: &str) -> Output {
            let mut git = self.seen(Repo::new("", "", self.path(dir))).git();
            git.env_remove("GIT_SEED_INTERNAL").args(line.split_whitespace());
            git.output().expect("git starts")
        }

        fn git(&self, line: &str) -> String {
            let output = self.run_in("clone", line);
            assert!(output.status.success(), "git {line}: {}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8_lossy(&output.stdout).into_owned()
        }

        /// Commits and says what the hooks logged, and whether the commit came to be.
        fn commit_in(&self, dir: &str) -> (bool, String) {
            let _ = fs::remove_file(self.path("log"));
            let done = self.run_in(dir, "commit -q --allow-empty -m more").status.success();
            (done, fs::read_to_string(self.path("log")).unwrap_or_default())
        }

        fn commit(&self) -> (bool, String) {
            self.commit_in("clone")
        }

        fn install(&self) -> Record {
            self.install_again(None)
        }

        fn install_again(&self, old: Option<&Record>) -> Record {
            install(&self.repo(), &self.binary(), old, |_| Ok(())).expect("it installs").record
        }

        /// Bytes, modes and link targets of the clone, without what commits and looking write.
        fn snapshot(&self) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
            let mut found = BTreeMap::new();
            let mut open = vec![self.path("clone")];
            while let Some(dir) = open.pop() {
                for entry in fs::read_dir(&dir).expect("a directory").flatten() {
                    let path = entry.path();
                    let meta = path.symlink_metadata().expect("its kind");
                    let bytes = if meta.is_symlink() {
                        fs::read_link(&path).expect("a target").into_os_string().into_encoded_bytes()
                    } else if meta.is_dir() {
                        open.push(path.clone());
                        Vec::new()
                    } else {
                        fs::read(&path).expect("its bytes")
                    };
                    found.insert(path, (meta.permissions().mode(), bytes));
                }
            }
            let git = self.path("clone/.git");
            let kept = ["hooks", "seed", "config", "config.worktree", "config.lock", "info"]
                .map(|name| git.join(name));
            found.retain(|path, _| !path.starts_with(&git) || kept.iter().any(|name| path.starts_with(name)));
            found
        }
    }

    type SetUp = fn(&World);

    /// Every kind of clone, how it comes to be, and what its own hooks log on a commit.
    const CLONES: [(&str, SetUp, [&str; 3]); 13] = [
        ("no hooks", |_| {}, ["", "", ""]),
        ("no hooks directory", no_hooks_directory, ["", "", ""]),
        ("plain", plain, ["pre-commit", "commit-msg", "post-commit"]),
        ("python", python, ["pre-commit", "", ""]),
        ("link", link, ["pre-commit", "", ""]),
        ("dangling link", dangling_link, ["", "", ""]),
        ("not executable", not_executable, ["", "", ""]),
        ("no shebang", no_shebang, ["pre-commit", "", ""]),
        ("tracked hooks", tracked, ["pre-commit", "commit-msg", ""]),
        ("generated stubs", stubs, ["pre-commit", "", ""]),
        ("global hooks", global, ["", "commit-msg", ""]),
        ("hooks of this work tree", worktree_scope, ["pre-commit", "", ""]),
        ("included hooks", included, ["pre-commit", "", ""]),
    ];

    fn no_hooks_directory(world: &World) {
        fs::remove_dir_all(world.path("clone/.git/hooks")).expect("it goes");
    }

    fn plain(world: &World) {
        for name in ["pre-commit", "commit-msg", "post-commit"] {
            world.theirs(&format!("clone/.git/hooks/{name}"), 0);
        }
    }

    fn python(world: &World) {
        world.script("interpreter", "#!/bin/sh\nread -r first <\"$1\"\nexec /bin/sh \"$@\"\n");
        let shebang = format!("#!{}\n", world.path("interpreter").display());
        world.theirs("body", 0);
        let body = fs::read_to_string(world.path("body")).expect("a body");
        world.script("clone/.git/hooks/pre-commit", &body.replace("#!/bin/sh\n", &shebang));
    }

    fn link(world: &World) {
        world.theirs("clone/scripts/pre-commit", 0);
        symlink("../../scripts/pre-commit", world.path("clone/.git/hooks/pre-commit")).expect("a link");
        world.git("add .");
        world.git("commit -q -m scripts");
    }

    fn dangling_link(world: &World) {
        symlink("../nowhere", world.path("clone/.git/hooks/pre-commit")).expect("a link");
    }

    fn not_executable(world: &World) {
        fs::write(world.path("clone/.git/hooks/pre-commit"), "#!/bin/sh\nexit 1\n").expect("a hook");
    }

    fn no_shebang(world: &World) {
        world.theirs("body", 0);
        let body = fs::read_to_string(world.path("body")).expect("a body");
        world.script("clone/.git/hooks/pre-commit", body.trim_start_matches("#!/bin/sh\n"));
    }

    fn tracked(world: &World) {
        world.theirs("clone/.husky/pre-commit", 0);
        world.theirs("clone/.husky/commit-msg", 0);
        world.git("add .");
        world.git("commit -q -m hooks");
        world.git("config core.hooksPath .husky");
    }

    fn stubs(world: &World) {
        world.theirs("clone/.husky/pre-commit", 0);
        world.git("add .");
        world.git("commit -q -m hooks");
        fs::create_dir(world.path("clone/.husky/_")).expect("a directory");
        fs::write(world.path("clone/.husky/_/.gitignore"), "*").expect("an ignore file");
        let h = "n=$(basename \"$0\")\ns=$(dirname \"$(dirname \"$0\")\")/$n\n[ ! -f \"$s\" ] || sh -e \"$s\" \"$@\"\n";
        fs::write(world.path("clone/.husky/_/h"), h).expect("the runner");
        for (name, _) in OURS {
            world.script(&format!("clone/.husky/_/{name}"), "#!/usr/bin/env sh\n. \"${0%/*}/h\"\n");
        }
        world.git("config core.hooksPath .husky/_");
    }

    fn global(world: &World) {
        world.theirs("my hooks/commit-msg", 0);
        fs::write(world.path("gitconfig"), "[core]\n\thooksPath = ~/my hooks\n").expect("a global config");
    }

    fn worktree_scope(world: &World) {
        world.theirs("clone/.git/mine/pre-commit", 0);
        world.git("config extensions.worktreeConfig true");
        world.git("config --worktree core.hooksPath .git/mine");
    }

    fn included(world: &World) {
        world.theirs("clone/.git/mine/pre-commit", 0);
        fs::write(world.path("clone/.git/info/team"), "[core]\n\thooksPath = .git/mine\n").expect("a config");
        world.git("config include.path info/team");
    }

    /// What a commit logs: for each hook in turn theirs and ours, in the promised order.
    fn promised(theirs: [&str; 3]) -> Vec<String> {
        let message = ".git/COMMIT_EDITMSG";
        let theirs = theirs.map(|name| match name {
            "" => None,
            "commit-msg" => Some(format!("theirs {name} {message} in=")),
            _ => Some(format!("theirs {name}  in=")),
        });
        let [pre, msg, post] = theirs;
        let ours = |line: &str| Some(format!("ours githook {line}"));
        let lines =
            [ours("pre-commit"), pre, msg, ours(&format!("commit-msg {message}")), post, ours("post-commit")];
        lines.into_iter().flatten().collect()
    }

    #[test]
    fn both_hooks_run_and_every_byte_comes_back() {
        for (kind, set_up, theirs) in CLONES {
            let world = World::new();
            set_up(&world);
            let before = world.snapshot();
            let head = world.git("rev-parse HEAD");
            let seen = world.git("status --porcelain");

            let record = world.install();
            assert_eq!(world.git("status --porcelain"), seen, "{kind}: status");
            assert_eq!(world.git("rev-parse HEAD"), head, "{kind}: HEAD");
            let (done, log) = world.commit();
            assert!(done, "{kind}: a commit passes");
            assert_eq!(log.lines().collect::<Vec<_>>(), promised(theirs), "{kind}");
            let states = state(&world.repo(), &world.binary(), &record).expect("a state");
            assert!(states.iter().all(|state| state.ok), "{kind}: {states:?}");

            let removed = remove(&world.repo(), &record).expect("it goes");
            assert_eq!(removed.left, [], "{kind}");
            assert_eq!(world.snapshot(), before, "{kind}: every byte");
            assert!(remove(&world.repo(), &record).expect("twice is once").restored.is_empty(), "{kind}");
        }
    }

    #[test]
    fn what_is_theirs_keeps_its_place_and_bytes_while_ours_are_in() {
        for (kind, set_up, _) in CLONES {
            let world = World::new();
            set_up(&world);
            let before = world.snapshot();
            world.install();
            let after = world.snapshot();
            let config = |path: &Path| {
                path.starts_with(world.path("clone/.git"))
                    && path.is_file()
                    && path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("config"))
            };
            for (path, was) in before.iter().filter(|(path, _)| !config(path)) {
                assert_eq!(after.get(path), Some(was), "{kind}: {}", path.display());
            }
        }
    }

    #[test]
    fn a_second_install_changes_nothing_and_a_moved_binary_is_followed() {
        for (kind, set_up, theirs) in CLONES {
            let world = World::new();
            set_up(&world);
            let before = world.snapshot();
            let first = world.install();
            let once = world.snapshot();
            let second = world.install_again(Some(&first));
            assert_eq!((world.snapshot(), &second), (once, &first), "{kind}");

            fs::rename(world.binary(), world.path("elsewhere")).expect("it moves");
            let moved = install(&world.repo(), &world.path("elsewhere"), Some(&second), |_| Ok(()));
            let moved = moved.expect("it installs").record;
            assert_eq!(world.commit().1.lines().collect::<Vec<_>>(), promised(theirs), "{kind}");
            remove(&world.repo(), &moved).expect("it goes");
            assert_eq!(world.snapshot(), before, "{kind}");
        }
    }

    #[test]
    fn without_the_binary_commits_pass_and_their_hooks_run() {
        for (kind, set_up, theirs) in CLONES {
            for rest in ["nothing", "a broken file", "a directory"] {
                let world = World::new();
                set_up(&world);
                world.install();
                fs::remove_file(world.binary()).expect("it goes");
                match rest {
                    "a broken file" => world.script("git seed's", "#!/nowhere/sh\n"),
                    "a directory" => fs::create_dir(world.binary()).expect("a directory"),
                    _ => {}
                }
                let expected: Vec<_> =
                    promised(theirs).into_iter().filter(|line| line.starts_with("theirs")).collect();
                let (done, log) = world.commit();
                assert!(done, "{kind}, {rest}");
                assert_eq!(log.lines().collect::<Vec<_>>(), expected, "{kind}, {rest}");
            }
        }
    }

    #[test]
    fn a_refusal_of_either_side_stops_the_commit() {
        let cases = [
            // theirs that fails   ours that refuses   what is asked until then
            ("pre-commit", "", "ours githook pre-commit\ntheirs pre-commit  in=\n"),
            ("", "pre-commit", "ours githook pre-commit\n"),
        ];
        for (theirs, ours, asked) in cases {
            let world = World::new();
            plain(&world);
            world.install();
            if !theirs.is_empty() {
                world.theirs(&format!("clone/.git/hooks/{theirs}"), 3);
            }
            fs::write(world.path("refuse"), ours).expect("a refusal");
            assert_eq!(world.commit(), (false, asked.to_owned()), "{theirs}/{ours}");
        }
        for (theirs, ours, last) in
            [("commit-msg", "", "theirs commit-msg"), ("", "commit-msg", "ours githook commit-msg")]
        {
            let world = World::new();
            plain(&world);
            world.install();
            if !theirs.is_empty() {
                world.theirs(&format!("clone/.git/hooks/{theirs}"), 3);
            }
            fs::write(world.path("refuse"), ours).expect("a refusal");
            let (done, log) = world.commit();
            assert!(!done, "{theirs}/{ours}");
            assert!(log.lines().last().is_some_and(|line| line.starts_with(last)), "{log}");
        }
    }

    #[test]
    fn stdin_arguments_and_exit_code_are_those_git_gives() {
        for name in ["pre-commit", "post-commit", "pre-push", "reference-transaction"] {
            let world = World::new();
            world.theirs("clone/.git/hooks/pre-commit", 0);
            world.theirs(&format!("clone/.git/hooks/{name}"), 7);
            world.install();
            let hook = world.path("clone/.git/seed/hooks").join(name);
            let _ = fs::remove_file(world.path("log"));
            let input = fs::File::open(world.path("gitconfig")).expect("an input");
            fs::write(world.path("gitconfig"), "some words").expect("an input");
            let mut run = Command::new(hook);
            let run = run.args(["one two", "*"]).stdin(input).env_clear().env("PATH", "/usr/bin:/bin");
            assert_eq!(run.status().expect("it runs").code(), Some(7), "{name} without HOME");
            let log = fs::read_to_string(world.path("log")).expect("a log");
            assert!(log.contains(&format!("theirs {name} one two * in=some words\n")), "{name}: {log}");
        }
    }

    #[test]
    fn linked_work_trees_run_the_hooks_of_their_own_tree() {
        for (kind, set_up, theirs) in CLONES.iter().filter(|(kind, ..)| *kind != "hooks of this work tree") {
            let world = World::new();
            set_up(&world);
            let before = world.snapshot();
            world.git("worktree add -q ../linked");
            let tree_log = |log: &str| -> Vec<String> {
                let dir = world.path("clone/.git/worktrees/linked/").display().to_string();
                log.lines().map(|line| line.replace(&dir, ".git/")).collect()
            };
            let (_, untouched) = world.commit_in("linked");
            let repo = Repo::new(
                world.path("clone/.git/worktrees/linked"),
                world.path("clone/.git"),
                world.path("linked"),
            );
            let repo = world.seen(repo);
            let record = install(&repo, &world.binary(), None, |_| Ok(())).expect("it installs").record;
            let (done, log) = world.commit_in("linked");
            assert!(done, "{kind}");
            let only_theirs: Vec<_> =
                tree_log(&log).into_iter().filter(|line| line.starts_with("theirs")).collect();
            assert_eq!(only_theirs, tree_log(&untouched), "{kind}: theirs as before");
            assert_eq!(log.lines().filter(|line| line.starts_with("ours")).count(), 3, "{kind}: ours");
            assert_eq!(world.commit().1.lines().collect::<Vec<_>>(), promised(*theirs), "{kind}: main");
            remove(&repo, &record).expect("it goes");
            assert_eq!(world.snapshot(), before, "{kind}");
        }
    }

    #[test]
    fn hooks_outlive_a_move_of_the_clone() {
        for set_up in [plain, tracked, stubs] {
            let world = World::new();
            set_up(&world);
            let before = world.commit().1;
            world.install();
            fs::rename(world.path("clone"), world.path("moved")).expect("it moves");
            let (_, log) = world.commit_in("moved");
            let theirs: Vec<_> = log.lines().filter(|line| line.starts_with("theirs")).collect();
            assert_eq!(theirs, before.lines().collect::<Vec<_>>());
            assert_eq!(log.lines().count(), theirs.len() + 3);
        }
    }

    #[test]
    fn a_hook_they_add_or_edit_later_runs() {
        let world = World::new();
        plain(&world);
        world.install();
        world.theirs("clone/.git/hooks/prepare-commit-msg", 0);
        world.theirs("clone/.git/hooks/pre-commit", 1);
        assert!(!world.commit().0, "the edited hook decides");
        world.theirs("clone/.git/hooks/pre-commit", 0);
        assert!(world.commit().1.contains("theirs prepare-commit-msg"));
    }

    #[test]
    fn others_changes_to_config_stay_when_ours_go() {
        for (kind, set_up, _) in CLONES {
            let world = World::new();
            set_up(&world);
            let record = world.install();
            world.git("config remote.origin.url https://example.org/x.git");
            let expected = world.git("config --local --list");
            let removed = remove(&world.repo(), &record).expect("it goes");
            assert_eq!(removed.left, [], "{kind}");
            let now = world.git("config --local --list");
            assert!(now.contains("remote.origin.url="), "{kind}");
            assert!(!now.contains("seed"), "{kind}: {now}");
            let lost: Vec<_> = expected.lines().filter(|line| !now.contains(line)).collect();
            assert!(
                lost.iter().all(|line| line.contains("seed") || line.contains("cat_sort_uniq")),
                "{kind}: {lost:?}"
            );
        }
    }

    #[test]
    fn their_own_notes_settings_come_back() {
        let world = World::new();
        world.git("config notes.rewriteRef refs/notes/commits");
        world.git("config notes.rewriteMode overwrite");
        let before = world.snapshot();
        let record = world.install();
        assert_eq!(world.git("config --get-all notes.rewriteRef"), "refs/notes/commits\nrefs/notes/seed\n");
        remove(&world.repo(), &record).expect("it goes");
        assert_eq!(world.snapshot(), before);

        let record = world.install();
        world.git("config x.y z");
        remove(&world.repo(), &record).expect("it goes");
        assert_eq!(world.git("config --get-all notes.rewriteRef"), "refs/notes/commits\n");
        assert_eq!(world.git("config --get-all notes.rewriteMode"), "overwrite\n");
    }

    #[test]
    fn an_edited_hook_of_ours_is_kept_and_told() {
        for (set_up, hook) in
            [(no_hooks_directory as SetUp, "hooks/pre-commit"), (plain, "seed/hooks/pre-commit")]
        {
            let world = World::new();
            set_up(&world);
            let record = world.install();
            let path = world.path("clone/.git").join(hook);
            let mut text = fs::read_to_string(&path).expect("our hook");
            text.push_str("echo mine\n");
            fs::write(&path, &text).expect("an edit");
            let states = state(&world.repo(), &world.binary(), &record).expect("a state");
            assert_eq!(states.iter().filter(|state| !state.ok).count(), 1, "{states:?}");

            let again =
                install(&world.repo(), &world.binary(), Some(&record), |_| Ok(())).expect("it installs");
            assert_eq!(again.left.len(), 1, "{:?}", again.left);
            assert_eq!(fs::read_to_string(&again.left[0].0).expect("it is there"), text);
            let removed = remove(&world.repo(), &again.record).expect("it goes");
            assert_eq!(removed.left, []);
            assert_eq!(fs::read_to_string(&again.left[0].0).expect("it is there"), text);
        }
    }

    #[test]
    fn state_names_hooks_that_git_no_longer_reaches() {
        let world = World::new();
        let record = world.install();
        stubs(&world);
        let states = state(&world.repo(), &world.binary(), &record).expect("a state");
        assert!(states.iter().all(|state| !state.ok && state.detail.contains("git seed init")), "{states:?}");
        let again = world.install_again(Some(&record));
        let states = state(&world.repo(), &world.binary(), &again).expect("a state");
        assert!(states.iter().all(|state| state.ok), "{states:?}");
        world.theirs("clone/.husky/_/reference-transaction", 0);
        let states = state(&world.repo(), &world.binary(), &again).expect("a state");
        assert_eq!(
            states.last().map(|state| (state.name.as_str(), state.ok)),
            Some(("reference-transaction", false))
        );
    }

    #[test]
    fn a_tool_that_moves_our_hook_aside_does_not_keep_it_alive() {
        let world = World::new();
        let record = world.install();
        let hook = world.path("clone/.git/hooks/pre-commit");
        fs::rename(&hook, hook.with_extension("legacy")).expect("it moves");
        world.theirs("clone/.git/hooks/pre-commit", 0);
        let record = world.install_again(Some(&record));
        assert!(!hook.with_extension("legacy").exists());
        assert_eq!(world.commit().1.lines().filter(|line| line.contains("pre-commit")).count(), 2);
        remove(&world.repo(), &record).expect("it goes");
        assert!(hook.exists() && !world.path("clone/.git/seed").exists());
    }

    #[test]
    fn an_install_that_cannot_keep_its_record_writes_nothing() {
        let world = World::new();
        plain(&world);
        let before = world.snapshot();
        let failed = install(&world.repo(), &world.binary(), None, |_| Err(io::Error::other("full")));
        assert!(matches!(failed, Err(HookError::Record(_))), "{failed:?}");
        assert_eq!(world.snapshot(), before);
    }

    #[test]
    fn a_locked_config_is_left_alone() {
        let world = World::new();
        plain(&world);
        fs::write(world.path("clone/.git/config.lock"), "").expect("a lock");
        let before = world.snapshot();
        let failed = install(&world.repo(), &world.binary(), None, |_| Ok(()));
        assert!(matches!(failed, Err(HookError::Busy { .. })), "{failed:?}");
        assert_eq!(world.snapshot(), before);
    }

    #[test]
    fn a_record_survives_toml() {
        for (kind, set_up, _) in CLONES {
            let world = World::new();
            set_up(&world);
            let config = world.path("clone/.git/config");
            let mut bytes = fs::read(&config).expect("a config");
            bytes.extend(b"# \xff \r\n");
            fs::write(&config, bytes).expect("foreign bytes");
            let before = world.snapshot();
            let record = world.install();
            let text = toml::to_string(&record).expect("it writes");
            let read: Record = toml::from_str(&text).expect("it reads");
            assert_eq!(read, record, "{kind}");
            remove(&world.repo(), &read).expect("it goes");
            assert_eq!(world.snapshot(), before, "{kind}");
        }
    }

    #[test]
    fn a_trial_asks_their_rule_and_leaves_nothing() {
        let world = World::new();
        let rule = "#!/bin/sh\n[ \"$GIT_SEED_TRIAL\" ] && [ -f scripts ] || exit 9\n\
            grep -q '^chore' \"$1\" || { echo 'type must be chore'; exit 1; }\n";
        fs::write(world.path("clone/scripts"), "").expect("a mark of the top");
        let nothing = try_commit_msg(&world.repo(), None, "observe: look").expect("a trial");
        assert_eq!((nothing.accepted, nothing.hook), (true, None));
        world.script("clone/.git/hooks/commit-msg", rule);
        let before = world.snapshot();
        let head = world.git("rev-parse HEAD");
        for installed in [false, true] {
            let record = installed.then(|| world.install());
            let no = try_commit_msg(&world.repo(), record.as_ref(), "observe: look").expect("a trial");
            assert_eq!((no.accepted, no.output.as_str()), (false, "type must be chore\n"));
            assert_eq!(no.hook, Some(world.path("clone/.git/hooks/commit-msg")));
            let yes =
                try_commit_msg(&world.repo(), record.as_ref(), "chore(observe): look").expect("a trial");
            assert!(yes.accepted, "{}", yes.output);
            record.map(|record| remove(&world.repo(), &record).expect("it goes"));
        }
        assert_eq!((world.snapshot(), world.git("rev-parse HEAD")), (before, head));
        assert!(!world.path("log").exists(), "ours was not asked");
        let leftover = fs::read_dir(world.path("clone/.git")).expect("a directory").flatten();
        assert_eq!(
            leftover
                .filter(|entry| entry.file_name().to_string_lossy().starts_with("COMMIT_EDITMSG."))
                .count(),
            0
        );
    }

    #[test]
    fn a_trial_ends_in_time() {
        let world = World::new();
        world.script("clone/.git/hooks/commit-msg", "#!/bin/sh\nsleep 60\n");
        let hook = world.path("clone/.git/hooks/commit-msg");
        let began = Instant::now();
        let slow = run_trial(&world.repo(), &hook, "observe: look", Duration::from_millis(200));
        assert!(matches!(slow, Err(HookError::Slow { .. })), "{slow:?}");
        assert!(began.elapsed() < Duration::from_secs(20));
    }
}
