//! The one door to git.
//!
//! Reads and writes the chains under `refs/seed` with the object library in this
//! process, and leaves to child `git` processes what only git does right: status,
//! staging, commits on the person's branch. No type of the library leaves this module.
//!
//! The hook path is [`Store::discover`], [`Store::focused`], [`Store::file`]: no child
//! process, nothing written, nothing read beyond configuration, two refs and a few
//! objects. Signatures are made here in UTC; the library's own would scan the zone
//! database on every call.

mod apart;
mod archive;
mod as_git;
mod between;
mod bounded;
mod carried;
mod chain;
mod changes;
mod checkout;
mod claims;
mod closed;
mod commit;
mod cone;
mod config;
mod confined;
mod days;
mod deflate;
mod elsewhere;
mod error;
mod exact;
mod filtered;
mod filters;
mod focus;
mod git;
mod gitnotes;
mod held;
mod holding;
mod id;
mod index;
mod inside;
mod joined;
mod journal;
mod landing;
mod last_good;
mod leaving;
mod left_locks;
mod left_out;
mod lock;
mod look;
mod loose;
mod moments;
mod object;
mod ops;
mod origin;
mod own;
mod pack;
mod path;
mod pins;
mod policy;
mod pushes;
mod recast;
pub(crate) mod refs;
mod removal;
mod seen;
mod signing;
mod skipped;
mod stages;
mod stale;
mod texts;
mod tokens;
mod truth;
mod unbroken;
mod wire;
mod work;

mod worktree;

#[cfg(test)]
pub(crate) mod testbed;

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use gix::ObjectId;
use gix::sec::trust::{DefaultForLevel as _, Mapping};

use crate::world::{GitEnvironment, NotPlain};

pub(crate) use apart::Apart;
pub(crate) use as_git::pager;
pub(crate) use between::{Contents, lines_between, text_between};
pub(crate) use bounded::BoundedLines;
pub(crate) use chain::{NewStep, Step, Tip, TreeEdit};
pub(crate) use changes::ChangeId;
pub(crate) use checkout::Inexact;
pub(crate) use claims::{Checked, Laid, Lines, NewRecord, Notes, Sealing, Walked};
pub(crate) use commit::{CommitFailed, Committed as Made, Staged};
pub(crate) use config::ConfigFiles;
pub(crate) use error::{NotOpen, StoreError};
pub(crate) use git::Identity;
pub(crate) use id::NotAnId;
pub use id::{CommitId, TreeId};
pub(crate) use inside::means;
pub(crate) use journal::Tail;
pub(crate) use landing::{BranchMove, NewCommit, Replayed, Written};
pub(crate) use leaving::Moved;
pub(crate) use lock::{Lock, take, wait_at_most};
pub(crate) use ops::{Loose, RefMoved, Shift, Stood};
pub(crate) use pack::gone::Ours;
pub(crate) use path::{NotInside, RepoPath};
pub(crate) use pins::{Lens, Pins};
pub(crate) use policy::{Behind, Here, RemoteBranch};
pub(crate) use recast::{OldCommit, Recast};
pub(crate) use signing::Sign;
pub(crate) use texts::{Held, TextsEdit, deflated, inflated};
pub(crate) use wire::{Come, Copies, Pushed, RefPush, Wire};
pub(crate) use work::LaterCommit;
pub use worktree::ToolDir;
pub(crate) use worktree::{ChangeKind, Changed, LinesChanged};

/// Commits below HEAD that are looked through before git is asked: as quick as a child starts.
const NEAR: usize = 100;

/// Room for packs where nobody counted them. git packs them into one when they are 50
/// (`gc.autoPackLimit`); each place costs time at every start, used or not.
const ROOM: u16 = 64;

/// Seconds since 1970 in UTC.
pub(crate) type UnixSeconds = i64;

/// Name of our directory inside the common git directory.
const SEED_DIR: &str = "seed";

/// A repository with a work tree, opened for seed state.
pub struct Store {
    repo: gix::Repository,
    git_dir: PathBuf,
    common_dir: PathBuf,
    work_tree: PathBuf,
    /// What children must be told because we were told it by our environment.
    told: Vec<(&'static str, OsString)>,
    /// How children run for an agent's session; as this process, where none calls.
    children: Option<GitEnvironment>,
    /// How they start programs of the repository; bare, where nothing confines them.
    confined: Option<held::Confined>,
    held_lock: Rc<holding::HeldLock>,
    /// Where the chains are read instead of `refs/seed`: what a remote has. Nothing is written
    /// then.
    fetched: Option<String>,
    /// What they are, where a branch says it that refs travel in.
    carried: Option<BTreeMap<String, CommitId>>,
    /// Commits of chains that were read: joining two chains asks for each of them many times.
    seen: seen::Seen,
    /// What the person's index left out when it was read last.
    left_out: left_out::Known,
    days: days::Days,
    exact: days::LastExact,
    loose: loose::LooseSeen,
    /// Where a look makes what cannot be stored here.
    elsewhere: Option<elsewhere::Elsewhere>,
}

/// Where the worktree's HEAD stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The branch without `refs/heads/`; `None` when detached.
    pub branch: Option<String>,
    /// The commit; `None` while the branch is unborn.
    pub commit: Option<CommitId>,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Store").field("git_dir", &self.git_dir).finish_non_exhaustive()
    }
}

impl Store {
    /// Opens the repository around `cwd`, whatever the environment says.
    ///
    /// This is how a hook opens it: the payload names the directory. Only the
    /// repository's own configuration is read where that suffices.
    ///
    /// # Errors
    ///
    /// [`NotOpen`] where there is no repository, or one that cannot be worked in: bare, of somebody
    /// else, with refs that are no files, or unreadable.
    pub fn discover(cwd: &Path) -> Result<Self, NotOpen> {
        let cwd = absolute(cwd)?;
        refuse_pipes(&cwd)?;
        let look = |options, manner| {
            Self::open(&cwd, gix::ThreadSafeRepository::discover_opts(&cwd, options, trust(manner)))
        };
        // Looking for `.git` alone spares a probe per directory, but a bare repository has
        // none; and only the person's own configuration can name a stranger's repository
        // safe. So a refusal is not final before the careful look.
        let quick = gix::discover::upwards::Options { dot_git_only: true, ..upwards() };
        let found = match Self::at_top(&cwd) {
            Some(store) => Ok(store),
            None => look(quick, Manner::Quick),
        };
        match found {
            Err(
                NotOpen::NotARepository { .. } | NotOpen::Adrift { .. } | NotOpen::Foreign { .. },
            ) => look(upwards(), Manner::Careful),
            Ok(store) if store.is_crowded() => look(upwards(), Manner::Crowded),
            result => result,
        }
    }

    /// The repository whose work tree begins at `cwd`, where a hook mostly runs: nothing is
    /// searched for. Whatever stands in the way is the search's to name.
    fn at_top(cwd: &Path) -> Option<Self> {
        let dot_git = cwd.join(".git");
        let opened = gix::ThreadSafeRepository::open_opts(dot_git, trust(Manner::Quick).full);
        Self::open(cwd, opened).ok()
    }

    /// Objects are borrowed from another repository (`git clone --shared`), which may drop some.
    pub(crate) fn borrows_objects(&self) -> bool {
        self.common_dir.join("objects/info/alternates").exists()
    }

    /// Whether there may be more packs than [`ROOM`]; each is two files or more.
    fn is_crowded(&self) -> bool {
        let objects = self.repo.objects.store_ref().path();
        self.borrows_objects()
            || fs::read_dir(objects.join("pack"))
                .is_ok_and(|files| files.count() > usize::from(ROOM))
    }

    /// Opens the repository that the environment names (`GIT_DIR`, `GIT_WORK_TREE`,
    /// `GIT_INDEX_FILE`), else the one around `cwd`.
    ///
    /// This is how commands and git's own hooks open it.
    pub(crate) fn from_environment(cwd: &Path) -> Result<Self, NotOpen> {
        let cwd = absolute(cwd)?;
        let repo = gix::ThreadSafeRepository::discover_with_environment_overrides_opts(
            &cwd,
            gix::discover::upwards::Options { match_ceiling_dir_or_error: false, ..upwards() },
            trust(Manner::ByEnvironment),
        );
        let mut store = Self::open(&cwd, repo)?;
        store.told = store.told_by_environment();
        store.loose.look();
        Ok(store)
    }

    fn open(cwd: &Path, opened: gix::Result<gix::ThreadSafeRepository>) -> Result<Self, NotOpen> {
        let repo = opened.map_err(|err| not_open(cwd, &err))?.to_thread_local();
        refuse_other_ref_formats(&repo)?;
        let git_dir = tidy(repo.git_dir());
        let Some(work_tree) = repo.workdir().map(Path::to_owned) else {
            return Err(NotOpen::Bare { path: git_dir });
        };
        let common_dir = tidy(repo.common_dir());
        Ok(Self {
            repo,
            git_dir,
            common_dir,
            work_tree,
            told: Vec::new(),
            children: None,
            confined: None,
            held_lock: Rc::default(),
            fetched: None,
            carried: None,
            seen: seen::Seen::default(),
            left_out: left_out::Known::default(),
            days: days::Days::default(),
            exact: days::LastExact::default(),
            loose: loose::LooseSeen::default(),
            elsewhere: None,
        })
    }

    /// Repeats for children, made absolute, what named this repository to us.
    fn told_by_environment(&self) -> Vec<(&'static str, OsString)> {
        let paths = [
            ("GIT_DIR", &self.git_dir),
            ("GIT_WORK_TREE", &self.work_tree),
            ("GIT_INDEX_FILE", &self.index_path()),
        ]
        .map(|(name, path)| (name, path.clone().into_os_string()));
        paths.into_iter().filter(|(name, _)| env::var_os(name).is_some()).collect()
    }

    /// From here on chains and notes are read as the last fetch from `remote` left them below
    /// `refs/seed-remote`, and no chain takes a step.
    fn read_fetched(&mut self, remote: &str) {
        self.fetched = Some(format!("refs/seed-remote/{remote}/"));
    }

    /// The refs of ours that a branch carries, where `name` is one and is read there.
    fn carries(&self, name: &str) -> Option<&BTreeMap<String, CommitId>> {
        let ours = name.starts_with("refs/seed/") || name == crate::format::names::COMMIT_NOTES;
        self.carried.as_ref().filter(|_| ours)
    }

    /// Where the ref `name` is read.
    fn read_at<'n>(&self, name: &'n str) -> std::borrow::Cow<'n, str> {
        let Some(fetched) = &self.fetched else { return name.into() };
        if let Some(chain) = name.strip_prefix("refs/seed/") {
            return format!("{fetched}{chain}").into();
        }
        match name {
            crate::format::names::COMMIT_NOTES => format!("{fetched}notes").into(),
            _ => name.into(),
        }
    }

    /// From here on children run with this git and environment.
    pub(crate) fn run_children_as(&mut self, environment: GitEnvironment) {
        self.children = Some(environment);
    }

    /// Refuses what a child would wait for without end in the place of an index: the person's,
    /// or `fence`, that of the fence.
    pub(crate) fn indexes_are_plain(&self, fence: &Path) -> Result<(), StoreError> {
        let odd = |file: &&Path| file.metadata().is_ok_and(|data| !data.is_file());
        match [self.index_path().as_path(), fence].into_iter().find(odd) {
            Some(file) => Err(NotPlain::at(file).into()),
            None => Ok(()),
        }
    }

    /// The git directory of this worktree.
    pub(crate) fn git_dir(&self) -> &Path {
        &self.git_dir
    }

    /// The git directory that all worktrees share.
    pub(crate) fn common_dir(&self) -> &Path {
        &self.common_dir
    }

    /// The top of the work tree.
    pub(crate) fn work_tree(&self) -> &Path {
        &self.work_tree
    }

    /// The person's index of this worktree.
    pub(crate) fn index_path(&self) -> PathBuf {
        self.repo.index_path()
    }

    /// Where git seed keeps files that are not objects: `<common dir>/seed`.
    pub(crate) fn seed_dir(&self) -> PathBuf {
        self.common_dir.join(SEED_DIR)
    }

    /// `main`, or the id of the linked worktree. Usable as a file name.
    pub(crate) fn worktree_name(&self) -> String {
        worktree_name(&self.git_dir, &self.common_dir)
    }

    /// The branch that HEAD is on, born or not; `None` when detached. One file is read.
    pub(crate) fn branch(&self) -> Result<Option<String>, StoreError> {
        match self.target("HEAD")? {
            Some(gix::refs::Target::Symbolic(name)) => {
                let name = name.as_bstr().to_string();
                Ok(Some(name.strip_prefix("refs/heads/").map_or(name.clone(), str::to_owned)))
            }
            _ => Ok(None),
        }
    }

    /// Where HEAD stands.
    ///
    /// # Errors
    ///
    /// HEAD or the commit that it names does not read.
    pub fn head(&self) -> Result<Head, StoreError> {
        // The library opens the branch's file, whatever it is.
        if let Some(branch) = self.branch()? {
            let file = self.ref_file(&format!("refs/heads/{branch}"));
            if file.metadata().is_ok_and(|data| !data.is_file() && !data.is_dir()) {
                return Err(NotPlain::at(&file).into());
            }
        }
        let head =
            self.repo.head().map_err(|err| StoreError::unreadable("HEAD".to_owned(), &err))?;
        let branch = head.referent_name().map(|name| {
            let name = name.as_bstr().to_string();
            name.strip_prefix("refs/heads/").map_or(name.clone(), str::to_owned)
        });
        Ok(Head { branch, commit: head.id().map(|id| id.detach().into()) })
    }

    /// Whether `ancestor` can be reached from HEAD. A commit that is gone cannot.
    ///
    /// Asks no child where it is HEAD or lies not far below it; else it runs `git`.
    pub(crate) fn contains(&self, ancestor: &CommitId) -> Result<bool, StoreError> {
        let Some(head) = self.head()?.commit else { return Ok(false) };
        if head == *ancestor {
            return Ok(true);
        }
        let wanted = ancestor.object()?;
        if !self.repo.has_object(wanted) {
            return Ok(false);
        }
        if matches!(self.repo.is_shallow(), Ok(false)) && self.is_near(head.object()?, wanted) {
            return Ok(true);
        }
        let asked = self
            .git(["merge-base", "--is-ancestor", ancestor.as_str(), head.as_str()])
            .outcome()?;
        match asked.code {
            Some(0) => Ok(true),
            Some(1) => Ok(false),
            _ => Err(asked.failed()),
        }
    }

    /// Whether `wanted` is found among the [`NEAR`] commits below `from` that are looked at
    /// first. That it is not says nothing.
    fn is_near(&self, from: ObjectId, wanted: ObjectId) -> bool {
        let mut seen = HashSet::from([from]);
        let mut ahead = VecDeque::from([from]);
        while let Some(id) = ahead.pop_front().filter(|_| seen.len() < NEAR) {
            let Ok(Some(object)) = self.repo.try_find_object(id) else { return false };
            let Ok(commit) = object.try_into_commit() else { return false };
            for parent in commit.parent_ids().map(gix::Id::detach) {
                if parent == wanted {
                    return true;
                }
                if seen.insert(parent) {
                    ahead.push_back(parent);
                }
            }
        }
        false
    }
}

/// Git's own files that are opened with the repository must be plain ones: the object library
/// would wait for who writes into a pipe. A file that is not there is none.
fn refuse_pipes(cwd: &Path) -> Result<(), NotOpen> {
    let plain = |file: PathBuf| match file.metadata() {
        Ok(data) if !data.is_file() => Err(NotOpen::NotPlain { path: file }),
        _ => Ok(()),
    };
    for dir in cwd.ancestors() {
        let dot_git = dir.join(".git");
        match dot_git.join("HEAD").metadata() {
            Ok(data) if !data.is_file() => {
                return Err(NotOpen::NotPlain { path: dot_git.join("HEAD") });
            }
            Ok(_) => {
                return ["config", "packed-refs"]
                    .into_iter()
                    .try_for_each(|name| plain(dot_git.join(name)));
            }
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => {}
            Err(_) => continue,
        }
        plain(dot_git.clone())?;
        // A link that does not read leads nowhere, and the library says so.
        let Ok(text) = fs::read_to_string(&dot_git) else { return Ok(()) };
        let Some(path) = text.strip_prefix("gitdir:") else { return Ok(()) };
        let git_dir = dir.join(path.trim());
        let own = ["HEAD", "commondir", "gitdir"].map(|name| git_dir.join(name));
        let common = ["config", "packed-refs"].map(|name| git_dir.join("../..").join(name));
        return own.into_iter().chain(common).try_for_each(plain);
    }
    Ok(())
}

fn absolute(cwd: &Path) -> Result<PathBuf, NotOpen> {
    std::path::absolute(cwd)
        .map_err(|err| NotOpen::Unreadable { path: cwd.to_owned(), why: err.to_string() })
}

/// Without `..`: git writes how to get from a linked worktree to the common directory,
/// and directories are compared here.
fn tidy(dir: &Path) -> PathBuf {
    gix::path::normalize(dir.into(), Path::new("/")).map_or_else(|| dir.to_owned(), Into::into)
}

fn upwards() -> gix::discover::upwards::Options<'static> {
    gix::discover::upwards::Options::default()
}

/// How much is read to open a repository.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Manner {
    /// The repository's own configuration, and [`ROOM`] instead of a count of packs.
    Quick,
    /// The repository's own configuration, and a count.
    Crowded,
    /// The person's and the system's configuration too.
    Careful,
    /// That, and `GIT_*` variables.
    ByEnvironment,
}

/// Options for opening, with git's own rule that a stranger's repository is not touched.
/// Replace refs are not followed: nobody may swap a state behind its id.
fn trust(manner: Manner) -> Mapping<gix::open::Options> {
    let options = |level| {
        let mut permissions = gix::open::Permissions::default_for_level(level);
        if manner != Manner::ByEnvironment {
            permissions.env.git_prefix = gix::sec::Permission::Deny;
        }
        if matches!(manner, Manner::Quick | Manner::Crowded) || cfg!(test) {
            let isolated = gix::open::permissions::Config::isolated();
            permissions.config = gix::open::permissions::Config { includes: true, ..isolated };
        }
        let options = gix::open::Options::default_for_level(level)
            .permissions(permissions)
            .config_overrides(["core.useReplaceRefs=false"])
            .bail_if_untrusted(true);
        match manner {
            Manner::Quick => options.object_store_slots(gix::odb::store::init::Slots::Given(ROOM)),
            _ => options,
        }
    };
    Mapping { full: options(gix::sec::Trust::Full), reduced: options(gix::sec::Trust::Reduced) }
}

fn not_open(cwd: &Path, err: &gix::Error) -> NotOpen {
    let path = cwd.to_owned();
    let search = err.downcast_any_ref::<gix::discover::upwards::Error>();
    if search.is_some() && err.is_not_found() {
        return adrift(cwd).unwrap_or(NotOpen::NotARepository { path });
    }
    let denied_by_disk = err.downcast_any_ref::<io::Error>().is_some();
    if err.is_permission_denied() && !denied_by_disk {
        return NotOpen::Foreign { path: top_of(cwd) };
    }
    NotOpen::Unreadable { path, why: error::reason(err) }
}

/// The directory that holds `.git` around `cwd`, to name it in a sentence.
/// A linked worktree leads to a git directory that is not there.
fn adrift(cwd: &Path) -> Option<NotOpen> {
    let path = top_of(cwd);
    // What does not read leads nowhere that could be named.
    let text = crate::world::read_plain(&path.join(".git")).ok()?;
    let text = String::from_utf8_lossy(&text);
    let git_dir = path.join(text.strip_prefix("gitdir:")?.trim());
    (!git_dir.exists()).then_some(NotOpen::Adrift { path, git_dir })
}

fn top_of(cwd: &Path) -> PathBuf {
    cwd.ancestors().find(|dir| dir.join(".git").exists()).unwrap_or(cwd).to_owned()
}

/// Other formats are *misread* by the object library: reads find nothing and writes
/// go where git does not look. So this comes before anything else.
fn refuse_other_ref_formats(repo: &gix::Repository) -> Result<(), NotOpen> {
    match repo.config_snapshot().string("extensions.refStorage") {
        Some(format) if format.as_slice() != b"files" => {
            Err(NotOpen::Reftable { path: repo.git_dir().to_owned(), format: format.to_string() })
        }
        _ => Ok(()),
    }
}

/// A linked worktree may itself have the id `main`; no id can hold a `~`.
fn worktree_name(git_dir: &Path, common_dir: &Path) -> String {
    if git_dir == common_dir {
        return "main".to_owned();
    }
    match git_dir.file_name().map(|name| name.to_string_lossy().into_owned()) {
        Some(name) if name == "main" => "main~linked".to_owned(),
        Some(name) => name,
        None => "main~linked".to_owned(),
    }
}

/// Creates our directory and gives its path.
fn seed_dir_of(store: &Store) -> io::Result<PathBuf> {
    let dir = store.seed_dir();
    fs::create_dir_all(&dir)?;
    Ok(dir)
}

#[cfg(test)]
mod tests {
    use super::testbed::Testbed;
    use super::*;

    #[test]
    fn what_cannot_be_worked_in_is_refused_with_a_sentence() {
        let cases: [(&str, &[&str], &str); 3] = [
            ("bare", &["init", "-q", "--bare", "."], "bare repository"),
            (
                "reftable",
                &["init", "-q", "--ref-format=reftable", "."],
                "stores its refs as `reftable`",
            ),
            ("nothing", &["--version"], "not inside a git repository"),
        ];
        for (name, command, says) in cases {
            let bed = Testbed::bare_ground();
            bed.git(command);
            let refused = Store::discover(bed.path()).expect_err(name);
            assert!(refused.to_string().contains(says), "{name}: {refused}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_repository_of_another_user_is_refused_where_ownership_can_be_given_away() {
        let bed = Testbed::new();
        let dot_git = bed.path().join(".git");
        let given = [bed.path(), &dot_git]
            .map(|path| std::os::unix::fs::chown(path, Some(4242), None).is_ok());
        if given == [true, true] {
            assert!(matches!(Store::discover(bed.path()),
                    Err(NotOpen::Foreign { path }) if path == bed.path()));
        }
    }

    #[test]
    fn a_store_opens_from_anywhere_below_the_top() {
        let bed = Testbed::new();
        fs::create_dir_all(bed.path().join("a/b")).expect("creates");
        let store = Store::discover(&bed.path().join("a/b")).expect("opens");
        assert_eq!(store.work_tree(), bed.path());
        assert_eq!(store.worktree_name(), "main");
        assert_eq!(store.seed_dir(), bed.path().join(".git/seed"));
    }

    #[test]
    fn head_is_told_unborn_born_and_detached() {
        let bed = Testbed::new();
        let main = Some("main".to_owned());
        assert_eq!(bed.store().head().expect("reads"), Head { branch: main.clone(), commit: None });
        let first = bed.commit("a", "1");
        assert_eq!(
            bed.store().head().expect("reads"),
            Head { branch: main, commit: Some(first.clone()) }
        );
        bed.git(&["checkout", "-q", "--detach"]);
        assert_eq!(bed.store().head().expect("reads"), Head { branch: None, commit: Some(first) });
    }

    #[test]
    fn only_what_head_reaches_is_contained() {
        let bed = Testbed::new();
        let first = bed.commit("a", "1");
        let second = bed.commit("a", "2");
        bed.git(&["reset", "-q", "--hard", "HEAD^"]);
        let gone: CommitId = "1".repeat(40).parse().expect("full");
        let store = bed.store();
        for (commit, contained) in [(&first, true), (&second, false), (&gone, false)] {
            assert_eq!(store.contains(commit).expect("answers"), contained, "{commit}");
        }
        bed.git(&["reset", "-q", "--hard", second.as_str()]);
        assert!(store.contains(&first).expect("answers"));
    }

    #[test]
    fn linked_worktrees_have_names_of_their_own() {
        let bed = Testbed::new();
        bed.commit("a", "1");
        for (id, name) in [("side", "side"), ("main", "main~linked")] {
            let linked = bed.linked(id);
            let store = Store::discover(&linked).expect("opens");
            assert_eq!(store.worktree_name(), name);
            assert_eq!(store.common_dir(), bed.path().join(".git"));
        }
    }
}
