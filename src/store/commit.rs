//! A commit on the person's branch, of exactly the paths a boundary owns.
//!
//! Built in a temporary index holding HEAD and those paths as they are in the work
//! tree, then made by `git commit`, so that the person's hooks, identity and signing
//! apply. Until git has made it, HEAD, the person's index and the work tree are as they
//! were, whatever fails. Afterwards the person's index is brought up to date for those
//! paths alone: what they have staged elsewhere stays staged, half-staged included.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use super::error::StoreError;
use super::git::{Child, Outcome};
use super::look::Replaced;
use super::path::nul_terminated;
use super::pins::records;
use super::signing::Sign;
use super::worktree::{PRIVATE, odd_output, repo_path};
use super::{CommitId, Identity, RepoPath, Store, TreeId, index, seed_dir_of, stages};
use crate::format::short_hash;

/// Hooks of the person that can refuse a commit.
#[cfg(test)]
const VETOES: [&str; 3] = ["pre-commit", "prepare-commit-msg", "commit-msg"];

/// Digits of the hash of an index's line.
const HELD: usize = 12;

/// The most commits that a hook may have put on top of the one that was asked for.
const ON_TOP: usize = 8;

/// Tries to bring the person's index up to date while another git holds it.
const TRIES: u64 = 5;

/// Content ready to be committed, in a temporary index that goes when this does.
#[derive(Debug)]
pub(crate) struct Staged {
    dir: tempfile::TempDir,
    head: Option<CommitId>,
    tree: TreeId,
    paths: Vec<RepoPath>,
    held: Vec<String>,
    /// The person's index, if that of the commit may take its place.
    replaces: Option<Replaced>,
    known_as: Option<Identity>,
    sign: Sign,
}

impl Staged {
    /// The tree the commit will have, unless a hook of the person changes it.
    pub(crate) fn tree(&self) -> &TreeId {
        &self.tree
    }

    /// The same, to be committed in this name where git knows nobody.
    pub(crate) fn in_the_name_of(self, known_as: Option<Identity>) -> Self {
        Self { known_as, ..self }
    }

    /// The same, signed so.
    pub(crate) fn signed(self, sign: Sign) -> Self {
        Self { sign, ..self }
    }

    /// HEAD before the commit; none on an unborn branch.
    pub(crate) fn head(&self) -> Option<&CommitId> {
        self.head.as_ref()
    }

    /// What the person's index said of the paths right before, each as a hash of its line: what it
    /// says otherwise after the commit was staged since, and is the person's.
    pub(crate) fn held(&self) -> &[String] {
        &self.held
    }

    fn index(&self) -> PathBuf {
        self.dir.path().join("index")
    }
}

/// A commit that was made.
#[derive(Debug)]
pub(crate) struct Committed {
    pub commit: CommitId,
    /// The first program of the person's that ran while it was made: a hook by its name and
    /// file, else git itself.
    pub hook: String,
    /// Each hook that ran, and how many milliseconds it took.
    pub hooks: Vec<(String, u64)>,
    /// HEAD is no longer this commit: a hook went on from it.
    pub moved_on: bool,
    #[cfg(test)]
    pub index_behind: Option<StoreError>,
}

/// Why there is no commit. HEAD, the person's index and the work tree are as they were.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommitFailed {
    /// `git commit` said no.
    #[error("`git commit` refused{}: {output}",
        by_hook.as_ref().map(|hook| format!(" (the {hook} hook)")).unwrap_or_default())]
    Refused {
        /// All it and the hooks printed.
        output: String,
        /// The hook that refused, by git's own account of what it ran.
        by_hook: Option<String>,
    },
    /// Something is under way that a commit would conclude or disturb.
    #[error("a {0} is under way; finish or abort it first")]
    Busy(&'static str),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Begins the name of a directory below `.git/seed` in which one commit is prepared.
const STAGE: &str = "stage-";

impl Store {
    /// Commits `paths` as they are in the work tree; see [`Store::stage`] and
    /// [`Store::commit_staged`]. `None` if none of them differs from HEAD.
    #[cfg(test)]
    pub(crate) fn commit(
        &self,
        paths: &[RepoPath],
        message: &[u8],
        pending: &str,
    ) -> Result<Option<Committed>, CommitFailed> {
        let Some(staged) = self.stage(paths, true)? else { return Ok(None) };
        let mut made = self.commit_staged(&staged, message, pending)?;
        made.index_behind = self.refresh_index(&staged, &made.commit).err();
        Ok(Some(made))
    }

    /// Prepares a commit of HEAD with `paths` as they are in the work tree: added,
    /// modified or deleted, ignored or not. Paths name files, not directories.
    /// `None` if that is HEAD itself. `plainly` where no configuration but the repository's own
    /// says how files are stored: then git need not be asked.
    pub(crate) fn stage(
        &self,
        paths: &[RepoPath],
        plainly: bool,
    ) -> Result<Option<Staged>, CommitFailed> {
        if let Some(doing) = self.in_progress().filter(|doing| *doing != "bisect") {
            return Err(CommitFailed::Busy(doing));
        }
        let head = self.head()?.commit;
        let dir = seed_dir_of(self).and_then(|seed| stages::make(&seed, STAGE));
        let dir = dir.map_err(StoreError::from)?;
        let index = dir.path().join("index");
        let base = self.base_tree(head.as_ref())?;
        let staged = if plainly { self.stage_in(&index, &base, paths) } else { None };
        let staged = staged.map(|staged| (staged.tree, staged.replaces));
        let (tree, replaces) = match staged {
            Some(staged) if self.differs_in(&base, &staged.0, paths)? => staged,
            _ => (self.staged_by_git(&index, &base, head.as_ref(), paths)?, None),
        };
        if base == tree {
            return Ok(None);
        }
        let in_index = self.held_by_index(paths);
        Ok(Some(Staged {
            dir,
            head,
            tree,
            paths: paths.to_vec(),
            held: in_index,
            replaces,
            known_as: None,
            sign: Sign::default(),
        }))
    }

    /// Whether `tree` differs from `base` in nothing but `paths`, and what a file or a directory
    /// in the other's place takes away.
    ///
    /// An index says of itself which trees it holds, and whoever wrote it may have said anything.
    fn differs_in(
        &self,
        base: &TreeId,
        tree: &TreeId,
        paths: &[RepoPath],
    ) -> Result<bool, StoreError> {
        let paths: BTreeSet<&[u8]> = paths.iter().map(RepoPath::as_bytes).collect();
        let is_ours = |path: &[u8]| {
            let slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
            let mut above = slashes.map(|(end, _)| &path[..end]);
            let below = [path, b"/"].concat();
            paths.contains(path)
                || above.any(|dir| paths.contains(dir))
                || paths.range(below.as_slice()..).next().is_some_and(|it| it.starts_with(&below))
        };
        Ok(self.diff_trees(base, tree)?.iter().all(|changed| is_ours(changed.path.as_bytes())))
    }

    /// The same from HEAD alone, where what the person's index says of it is not so.
    fn staged_by_git(
        &self,
        index: &Path,
        base: &TreeId,
        head: Option<&CommitId>,
        paths: &[RepoPath],
    ) -> Result<TreeId, StoreError> {
        self.copy_unmarked_index(index)?;
        let tree = self.stage_by_git(index, head, paths)?;
        if self.differs_in(base, &tree, paths)? {
            return Ok(tree);
        }
        fs::remove_file(index)?;
        self.stage_by_git(index, head, paths)
    }

    /// Makes the index HEAD with `paths` as they are, and gives its tree.
    pub(super) fn stage_by_git(
        &self,
        index: &Path,
        head: Option<&CommitId>,
        paths: &[RepoPath],
    ) -> Result<TreeId, StoreError> {
        let start = head.map_or("--empty", CommitId::as_str);
        let reset = head.map(|_| "--reset");
        let read = PRIVATE.into_iter().chain(["read-tree"]).chain(reset).chain([start]);
        self.git(read).index(index).run()?;
        let here = self.stage_skipped(index, paths)?;
        let how = ["update-index", "--add", "--remove", "--replace", "-z", "--stdin"];
        let update = PRIVATE.into_iter().chain(how);
        self.git(update).index(index).input(nul_terminated(&here)).run()?;
        let tree = self.write_tree(index)?;
        self.mark_skipped(index)?;
        Ok(tree)
    }

    /// What the person's index says of `paths`, a hash for each.
    fn held_by_index(&self, paths: &[RepoPath]) -> Vec<String> {
        // Where there is none, or one that is not read here, each path counts as absent: what the
        // person staged there before is then taken for staged since, and stays.
        let bytes = fs::read(self.repo.index_path()).unwrap_or_default();
        let mut absent: BTreeSet<&RepoPath> = paths.iter().collect();
        let names: BTreeSet<&[u8]> = paths.iter().map(RepoPath::as_bytes).collect();
        let mut held = Vec::new();
        let _ = index::each_entry(&bytes, self.repo.object_hash().len_in_bytes(), |entry| {
            // Most entries are none of these, and there may be many.
            if names.contains(entry.name())
                && let Ok(path) = RepoPath::new(entry.name())
                && absent.remove(&path)
            {
                held.push(short_hash(&entry.timeless(), HELD));
            }
        });
        held.extend(absent.into_iter().map(|path| short_hash(&gone(path), HELD)));
        held
    }

    /// The tree of HEAD; the empty one where there is none.
    pub(crate) fn base_tree(&self, head: Option<&CommitId>) -> Result<TreeId, StoreError> {
        match head {
            Some(head) => self.tree_of_commit(head),
            None => Ok(gix::ObjectId::empty_tree(self.repo.object_hash()).into()),
        }
    }

    /// Makes the commit; after a refusal it may be tried again. `message` is kept byte for byte,
    /// lines with `#` included. The person's index waits for [`Store::refresh_index`]: what a hook
    /// put into the commit may be no part of it.
    ///
    /// Hooks find `pending` in `GIT_SEED_PENDING`, by which ours know the commit.
    ///
    /// # Errors
    ///
    /// [`StoreError::Moved`] if HEAD is no longer where it was when `staged` was made.
    pub(crate) fn commit_staged(
        &self,
        staged: &Staged,
        message: &[u8],
        pending: &str,
    ) -> Result<Committed, CommitFailed> {
        if self.head()?.commit != staged.head {
            return Err(StoreError::Moved { chain: "HEAD".to_owned() }.into());
        }
        self.drop_old_head_locks()?;
        let file = staged.dir.path().join("message");
        fs::write(&file, message).map_err(StoreError::from)?;
        let trace = staged.dir.path().join("trace");
        // git adds to it: of a commit that is tried again only the last try counts.
        match fs::remove_file(&trace) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(StoreError::from(error).into());
            }
            _ => {}
        }
        let made = self
            .plain_git(
                self.naming(staged.known_as.as_ref())
                    .into_iter()
                    .map(Into::into)
                    .chain(["commit".into()])
                    .chain(staged.sign.argument().map(Into::into))
                    .chain(["-q", "--cleanup=verbatim", "-F"].map(Into::into))
                    .chain([file.into_os_string()]),
            )
            .index(&staged.index())
            .env("GIT_EDITOR", "true")
            // A swapped HEAD must not make it say that there is nothing to commit.
            .env("GIT_NO_REPLACE_OBJECTS", "1")
            .env("GIT_SEED_PENDING", pending)
            .env("GIT_TRACE2_EVENT", &trace)
            .outcome_by_file()?;
        let now = self.head()?.commit;
        let Some(now) = now.filter(|now| made.code == Some(0) && Some(now) != staged.head.as_ref())
        else {
            return Err(refused(&made, &trace));
        };
        // Without git's account git itself is named.
        let account = fs::read(&trace).unwrap_or_default();
        let account = String::from_utf8_lossy(&account);
        let hook = first_hook(&account);
        let commit = self.first_after(&now, staged.head.as_ref())?;
        Ok(Committed {
            moved_on: commit != now,
            commit,
            hooks: hook_times(&account),
            hook: hook.unwrap_or_else(|| "the program git".to_owned()),
            #[cfg(test)]
            index_behind: None,
        })
    }

    /// Of the commits from `tip` down to `before`, the one right after `before`: what a hook
    /// committed on top is not what was asked for. `tip` where history was written anew.
    fn first_after(
        &self,
        tip: &CommitId,
        before: Option<&CommitId>,
    ) -> Result<CommitId, StoreError> {
        let mut at = tip.clone();
        for _ in 0..ON_TOP {
            match self.first_parent(&at)? {
                parent if parent.as_ref() == before => return Ok(at),
                Some(parent) => at = parent,
                None => break,
            }
        }
        Ok(tip.clone())
    }

    /// The first parent of a commit.
    pub(crate) fn first_parent(&self, commit: &CommitId) -> Result<Option<CommitId>, StoreError> {
        let object = self.commit_object(commit.object()?, "the commit")?;
        Ok(object.parent_ids().next().map(|parent| parent.detach().into()))
    }

    /// Takes `commit` off the branch again, where HEAD still is it and no remote is known to have
    /// it. Index and files stay. Whether it did.
    pub(crate) fn take_back(&self, commit: &CommitId) -> Result<bool, StoreError> {
        let args = ["for-each-ref", "--count=1", "--contains", commit.as_str(), "refs/remotes"];
        if !self.git(args).run()?.is_empty() {
            return Ok(false);
        }
        let why = ["update-ref", "-m", "git seed: the commit is not what was judged"];
        let onto = match self.first_parent(commit)? {
            Some(parent) => vec!["HEAD".to_owned(), parent.to_string(), commit.to_string()],
            None => vec!["-d".to_owned(), "HEAD".to_owned(), commit.to_string()],
        };
        let args = why.into_iter().map(str::to_owned).chain(onto);
        Ok(self.git(args).outcome()?.code == Some(0))
    }

    /// Brings the person's index to HEAD for the committed paths, and for paths that a
    /// hook added to the commit where the person has nothing of their own staged. Where that
    /// fails, `git status` shows them as staged backwards until `git reset -- <paths>`.
    pub(crate) fn refresh_index(
        &self,
        staged: &Staged,
        commit: &CommitId,
    ) -> Result<(), StoreError> {
        let tree = self.tree_of_commit(commit)?;
        if let Some(replaced) = staged.replaces
            && self.head()?.commit.as_ref() == Some(commit)
            && self.replace_index(&staged.index(), &tree, replaced)
        {
            return Ok(());
        }
        let mut paths = staged.paths.clone();
        if tree != staged.tree {
            let (by_hook, own) = (
                self.diff_trees(&staged.tree, &tree)?,
                self.staged_since(staged.head.as_ref(), None)?,
            );
            paths.extend(
                by_hook
                    .into_iter()
                    .map(|changed| changed.path)
                    .filter(|path| !own.contains_key(path)),
            );
        }
        self.reset_index(&paths, None, TRIES)
    }

    /// Takes away git's lock where [`Store::refresh_index`] was killed while it held it.
    pub(crate) fn unlock_staged(&self) -> Result<(), StoreError> {
        let dirs = fs::read_dir(seed_dir_of(self)?)?.flatten();
        let staged = dirs.filter(|entry| entry.file_name().to_string_lossy().starts_with(STAGE));
        self.unlock_staged_in(staged.map(|entry| entry.path().join("index")))?;
        stages::sweep(&seed_dir_of(self)?);
        Ok(())
    }

    /// Does for a commit whose maker was stopped what [`Store::commit_staged`] does for its own:
    /// brings the person's index from the commit `from` to `to`, a later one or none, as far as
    /// HEAD is still as `to` has it. What the person has staged since then stays; `held` tells what
    /// was there before. `index` is the file that a git commits from whose hook this is.
    pub(crate) fn index_follows(
        &self,
        from: Option<&CommitId>,
        to: &CommitId,
        held: &[String],
        index: Option<&Path>,
    ) -> Result<(), StoreError> {
        let Some(tip) = self.head()?.commit else { return Ok(()) };
        // In a hook the environment names the index of the commit that is being made.
        let index = index.map_or_else(|| self.repo.git_dir().join("index"), Path::to_owned);
        let index = Some(index.as_path());
        let (before, after) = (self.base_tree(from)?, self.tree_of_commit(to)?);
        let changed_on = self.diff_trees(&after, &self.tree_of_commit(&tip)?)?;
        let changed_on: BTreeSet<_> = changed_on.into_iter().map(|changed| changed.path).collect();
        let staged = self.staged_since(from, index)?;
        let is_behind = |path: &RepoPath| {
            let since = staged.get(path).map(|line| short_hash(line, HELD));
            !changed_on.contains(path) && since.is_none_or(|line| held.contains(&line))
        };
        let paths = self.diff_trees(&before, &after)?.into_iter().map(|changed| changed.path);
        self.reset_index(&paths.filter(is_behind).collect::<Vec<_>>(), index, 0)
    }

    /// Has the person's index say of `paths` what HEAD says; tried again `most` times where
    /// another git holds it.
    fn reset_index(
        &self,
        paths: &[RepoPath],
        index: Option<&Path>,
        most: u64,
    ) -> Result<(), StoreError> {
        // To git no path at all is every path.
        if paths.is_empty() {
            return Ok(());
        }
        let mut turn = 0;
        loop {
            let args = ["reset", "-q", "--pathspec-from-file=-", "--pathspec-file-nul"];
            let reset = self.git(args).input(nul_terminated(paths));
            match index.into_iter().fold(reset, Child::index).run() {
                Err(_) if turn < most => sleep(Duration::from_millis(40 << turn)),
                result => return result.map(drop),
            }
            turn += 1;
        }
    }

    /// What the person's index says of the paths at which it differs from what HEAD was.
    fn staged_since(
        &self,
        head: Option<&CommitId>,
        index: Option<&Path>,
    ) -> Result<BTreeMap<RepoPath, Vec<u8>>, StoreError> {
        let tree = self.base_tree(head)?;
        let args = ["diff-index", "--cached", "--no-renames", "--ignore-submodules=none"];
        let args = args.into_iter().chain(["--no-abbrev", "--raw", "-z", tree.as_str()]);
        let printed = index.into_iter().fold(self.git(args), Child::index).run()?;
        let mut staged = BTreeMap::new();
        let mut fields = records(&printed);
        // `:<mode before> <mode> <id before> <id> <letter>`, and then the path.
        while let (Some(said), Some(path)) = (fields.next(), fields.next()) {
            let path = repo_path(path)?;
            let said = String::from_utf8_lossy(said);
            let said: Vec<&str> = said.split(' ').collect();
            let line = match said[..] {
                [_, "000000", _, _, _] => gone(&path),
                [_, mode, _, id, _] => {
                    [format!("{mode} {id}\t").as_bytes(), path.as_bytes()].concat()
                }
                _ => return Err(odd_output("git diff-index", &said.join(" "))),
            };
            staged.insert(path, line);
        }
        Ok(staged)
    }
}

/// The line of a path that an index does not have.
fn gone(path: &RepoPath) -> Vec<u8> {
    [b"0\t", path.as_bytes()].concat()
}

fn refused(made: &Outcome, trace: &Path) -> CommitFailed {
    let output = String::from_utf8_lossy(&made.stdout).trim().to_owned();
    // Without git's account nothing is named: what the hook printed stands there all the same.
    let account = fs::read(trace).unwrap_or_default();
    CommitFailed::Refused { output, by_hook: refusing_hook(&String::from_utf8_lossy(&account)) }
}

/// The first hook that a git ran, by what it tells of its children: its name, and the file where
/// that is none of ours.
fn first_hook(account: &str) -> Option<String> {
    let mut events =
        account.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let began = events.find(|event| event["hook_name"].is_string())?;
    let name = began["hook_name"].as_str()?;
    let file = began["argv"][0].as_str().filter(|file| !file.contains(".git/"));
    let file = file.map(|file| format!(" ({file})")).unwrap_or_default();
    Some(format!("the {name} hook{file}"))
}

/// The hooks of a git's own, by what it tells of its children, and how long each took.
fn hook_times(account: &str) -> Vec<(String, u64)> {
    let events: Vec<serde_json::Value> =
        account.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let own = events.first().map(|first| first["sid"].clone());
    let is_own = |event: &&serde_json::Value| Some(&event["sid"]) == own.as_ref();
    let ended = |began: &serde_json::Value| {
        let ends = |event: &&serde_json::Value| {
            event["event"] == "child_exit" && event["child_id"] == began["child_id"]
        };
        let seconds = events.iter().filter(is_own).find(ends)?["t_rel"].as_f64()?;
        u64::try_from(std::time::Duration::try_from_secs_f64(seconds).ok()?.as_millis()).ok()
    };
    let began = events.iter().filter(is_own).filter(|event| event["event"] == "child_start");
    let hooks =
        began.filter_map(|began| Some((began["hook_name"].as_str()?.to_owned(), ended(began)?)));
    hooks.collect()
}

/// The last hook of a git's own that did not end with 0, by what this git tells of its children.
/// Other gits that a hook runs tell theirs in the same place, under names of their own.
fn refusing_hook(account: &str) -> Option<String> {
    let events: Vec<serde_json::Value> =
        account.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let own = events.first()?["sid"].as_str()?.to_owned();
    let mut events = events.iter().filter(|event| event["sid"] == own.as_str()).rev();
    let failed = |event: &serde_json::Value| {
        event["event"] == "child_exit" && event["code"].as_i64().is_some_and(|code| code != 0)
    };
    let child = events.find(|event| failed(event))?["child_id"].clone();
    let began = events.find(|event| event["event"] == "child_start" && event["child_id"] == child);
    began?["hook_name"].as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use super::*;
    use crate::store::testbed::{Testbed, path};

    const MESSAGE: &[u8] = b"observe: look\n\n## Sections\n\n# kept\n\nSeed-Job: j\n";

    fn index(bed: &Testbed) -> Vec<u8> {
        fs::read(bed.path().join(".git/index")).expect("reads")
    }

    fn nothing_is_left_over(bed: &Testbed) {
        let left: Vec<_> =
            fs::read_dir(bed.path().join(".git/seed")).expect("reads").flatten().collect();
        assert!(left.is_empty(), "{left:?}");
        assert!(!bed.path().join(".git/index.lock").exists());
    }

    /// A kill leaves its directory; another worktree may be at work in a young one.
    #[test]
    fn what_a_killed_commit_left_goes_a_day_later() {
        let bed = Testbed::new();
        bed.commit("a", "1\n");
        let seed = bed.path().join(".git/seed");
        let days_ago = UNIX_EPOCH + Duration::from_hours(10_000);
        for (name, old) in [("stage-old", true), ("stage-young", false), ("sessions", true)] {
            fs::create_dir_all(seed.join(name)).expect("ours");
            fs::write(seed.join(name).join("index"), "x").expect("ours");
            if old {
                let dir = fs::File::open(seed.join(name)).expect("ours");
                dir.set_modified(days_ago).expect("ours");
            }
        }
        bed.write("a", "2\n");
        bed.store().commit(&[path("a")], MESSAGE, "p").expect("commits").expect("differs");
        let left = |name: &str| seed.join(name).join("index").exists();
        assert_eq!(["stage-old", "stage-young", "sessions"].map(left), [false, true, true]);
    }

    #[test]
    fn exactly_the_paths_are_committed_and_a_half_staged_file_stays_so() {
        for format in ["sha1", "sha256"] {
            let bed = Testbed::with_format(format);
            for name in ["half", "mine", "gone", "other"] {
                bed.commit(name, "1\n");
            }
            bed.write("half", "1\n2\n");
            bed.git(&["add", "half"]);
            bed.write("half", "1\n2\n3\n");
            bed.write("other", "1\n2\n");
            bed.write("intended", "1\n");
            bed.git(&["add", "-N", "intended"]);
            bed.write(".gitignore", "*.log\n");
            for (name, text) in
                [("mine", "2\n"), ("new [a]*", "1\n"), ("new aa", "1\n"), ("dir/run.log", "1\n")]
            {
                bed.write(name, text);
            }
            fs::remove_file(bed.path().join("gone")).expect("ours");
            let before = bed.git(&["ls-files", "-s", "half", "other", "intended"]);
            let paths = ["mine", "gone", "new [a]*", "dir/run.log", "never was"].map(path);
            let done = bed.store().commit(&paths, MESSAGE, "p").expect("commits").expect("differs");
            assert!(done.index_behind.is_none());
            let changed = bed.git(&[
                "show",
                "--no-renames",
                "--format=%an",
                "--name-status",
                done.commit.as_str(),
            ]);
            assert_eq!(changed, "A Person\n\nA\tdir/run.log\nD\tgone\nM\tmine\nA\tnew [a]*");
            assert_eq!(bed.git(&["ls-files", "-s", "half", "other", "intended"]), before);
            assert_eq!(
                bed.git(&["status", "--porcelain"]),
                "MM half\n A intended\n M other\n?? .gitignore\n?? \"new aa\""
            );
            let store = bed.store();
            assert_eq!(store.commit_message(&done.commit).expect("reads").as_bytes(), MESSAGE);
            nothing_is_left_over(&bed);
            bed.is_sound();
        }
    }

    #[test]
    fn the_first_commit_of_a_branch_and_a_detached_one_are_commits_too() {
        let bed = Testbed::new();
        bed.write("a", "1");
        bed.write("b", "1");
        let store = bed.store();
        let staged = store.stage(&[path("a")], true).expect("stages").expect("differs");
        let tree = staged.tree().clone();
        let first = store.commit_staged(&staged, MESSAGE, "p").expect("commits").commit;
        assert_eq!(store.tree_of_commit(&first).expect("reads"), tree);
        store.refresh_index(&staged, &first).expect("refreshes");
        assert_eq!(bed.git(&["status", "--porcelain"]), "?? b");
        bed.git(&["checkout", "-q", "--detach"]);
        let second =
            store.commit(&[path("b")], MESSAGE, "p").expect("commits").expect("differs").commit;
        assert_eq!(bed.git(&["rev-parse", "HEAD", "main"]), format!("{second}\n{first}"));
        assert_eq!(bed.git(&["status", "--porcelain"]), "");
    }

    #[test]
    fn a_commit_in_a_linked_worktree_leaves_the_main_one_alone() {
        let bed = Testbed::new();
        let first = bed.commit("a", "1");
        let linked = bed.linked("side");
        fs::write(linked.join("a"), "22").expect("writes");
        let store = Store::discover(&linked).expect("opens");
        let done = store.commit(&[path("a")], MESSAGE, "p").expect("commits").expect("differs");
        assert_eq!(store.head().expect("reads").commit, Some(done.commit));
        assert_eq!(bed.store().head().expect("reads").commit, Some(first));
        assert_eq!(Testbed::run_in(&linked, &["status", "--porcelain"]).stdout, b"");
        assert_eq!(bed.git(&["status", "--porcelain"]), "");
    }

    #[test]
    fn a_file_and_a_directory_may_change_places() {
        let bed = Testbed::new();
        bed.commit("file", "1");
        bed.commit("dir/a", "1");
        for name in ["file", "dir/a"] {
            fs::remove_file(bed.path().join(name)).expect("ours");
        }
        fs::remove_dir(bed.path().join("dir")).expect("ours");
        bed.write("file/a", "1");
        bed.write("dir", "1");
        let paths = ["dir", "dir/a", "file", "file/a"].map(path);
        bed.store().commit(&paths, MESSAGE, "p").expect("commits").expect("differs");
        assert_eq!(bed.git(&["ls-tree", "-r", "--name-only", "HEAD"]), "dir\nfile/a");
        assert_eq!(bed.git(&["status", "--porcelain"]), "");
    }

    #[test]
    fn nothing_to_commit_is_no_commit() {
        let bed = Testbed::new();
        let head = bed.commit("a", "1");
        bed.write("b", "1");
        for paths in [&[][..], &[path("a")], &[path("never was")]] {
            assert!(bed.store().commit(paths, MESSAGE, "p").expect("answers").is_none());
        }
        assert_eq!(bed.store().head().expect("reads").commit, Some(head));
        nothing_is_left_over(&bed);
    }

    #[cfg(unix)]
    #[test]
    fn the_hook_that_refused_is_named_among_all_that_ran() {
        let bed = Testbed::new();
        bed.commit("a", "1");
        bed.write("a", "2");
        bed.hook("pre-commit", "git rev-parse --verify -q nothing; exit 0");
        bed.hook("prepare-commit-msg", "exit 0");
        bed.hook("commit-msg", "git log -1 >/dev/null; exit 3");
        let failed = bed.store().commit(&[path("a")], MESSAGE, "me").expect_err("it is refused");
        assert!(
            matches!(&failed,
                CommitFailed::Refused { by_hook: Some(hook), .. } if hook == "commit-msg"),
            "{failed}"
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_refusing_hook_leaves_everything_as_it_was() {
        for hook in VETOES {
            let bed = Testbed::new();
            let head = bed.commit("a", "1");
            bed.write("half", "1");
            bed.git(&["add", "half"]);
            bed.write("a", "2");
            bed.hook(hook, "echo no: $GIT_SEED_PENDING; echo really >&2; exit 1");
            let before = index(&bed);
            let failed =
                bed.store().commit(&[path("a")], MESSAGE, "me").expect_err("it is refused");
            assert!(
                matches!(&failed,
                    CommitFailed::Refused { output, by_hook } if output == "no: me\nreally"
                        && by_hook.as_deref() == Some(hook)),
                "{failed}"
            );
            assert_eq!(bed.store().head().expect("reads").commit, Some(head));
            assert_eq!((index(&bed), bed.read("a")), (before, "2".to_owned()));
            nothing_is_left_over(&bed);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_hook_that_leaves_a_process_behind_does_not_keep_us_waiting() {
        let bed = Testbed::new();
        bed.write("a", "1");
        bed.hook("post-commit", "sleep 20 &");
        let begun = std::time::Instant::now();
        bed.store().commit(&[path("a")], MESSAGE, "p").expect("commits").expect("differs");
        assert!(begun.elapsed() < Duration::from_secs(15));
    }

    #[cfg(unix)]
    #[test]
    fn what_a_hook_adds_is_committed_and_what_the_person_staged_there_stays() {
        let bed = Testbed::new();
        for name in ["a", "formatted", "staged"] {
            bed.commit(name, "1");
        }
        bed.write("staged", "2");
        bed.git(&["add", "staged"]);
        bed.write("a", "2");
        bed.hook("pre-commit", "echo 3 > formatted; echo 3 > staged; git add formatted staged");
        bed.store().commit(&[path("a")], MESSAGE, "p").expect("commits").expect("differs");
        assert_eq!(bed.git(&["show", "--format=", "--name-only"]), "a\nformatted\nstaged");
        assert_eq!(bed.git(&["status", "--porcelain"]), "MM staged");
    }

    #[test]
    fn marks_of_the_person_hide_no_committed_path_and_stay_on_the_others() {
        for mark in ["--assume-unchanged", "--skip-worktree"] {
            let bed = Testbed::new();
            for name in ["a", "marked"] {
                bed.commit(name, "1");
                bed.git(&["update-index", mark, name]);
            }
            bed.write("a", "22");
            let done =
                bed.store().commit(&[path("a")], MESSAGE, "p").expect("commits").expect("differs");
            assert_eq!(
                bed.git(&["show", "--format=", "--name-status", done.commit.as_str()]),
                "M\ta",
                "{mark}"
            );
            let marks = bed.git(&["ls-files", "-v", "marked"]);
            assert!(!marks.starts_with('H'), "{mark}: {marks}");
        }
    }

    #[test]
    fn a_commit_waits_for_no_merge_and_no_moved_head() {
        let bed = Testbed::new();
        let head = bed.commit("a", "1");
        bed.write("a", "2");
        let store = bed.store();
        let staged = store.stage(&[path("a")], true).expect("stages").expect("differs");
        let moved = bed.commit("b", "1");
        let late = store.commit_staged(&staged, MESSAGE, "p");
        assert!(matches!(late, Err(CommitFailed::Store(StoreError::Moved { .. }))));
        assert_eq!(store.head().expect("reads").commit, Some(moved));
        fs::write(bed.path().join(".git/MERGE_HEAD"), format!("{head}\n")).expect("writes");
        assert!(matches!(store.stage(&[path("a")], true), Err(CommitFailed::Busy("merge"))));
    }

    #[test]
    fn an_index_in_use_is_said_and_the_commit_stands() {
        let bed = Testbed::new();
        bed.commit("a", "1");
        bed.write("a", "22");
        fs::write(bed.path().join(".git/index.lock"), "").expect("writes");
        let done =
            bed.store().commit(&[path("a")], MESSAGE, "p").expect("commits").expect("differs");
        let behind = done.index_behind.expect("its lock is held").to_string();
        assert!(behind.contains("index.lock"), "{behind}");
        assert_eq!(bed.store().head().expect("reads").commit, Some(done.commit));
    }
}
