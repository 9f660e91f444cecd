//! Coming and going: what `init`, `uninstall` and git's hooks ask of the repository.
//!
//! Leaving means every ref, reflog, file and empty directory of ours; the person's
//! objects, refs and settings are not touched. Objects that only our refs held go
//! too (`pack/gone.rs`).

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use gix::index::entry::Mode;

use super::error::StoreError;
use super::git::Outcome;
use super::index::{each_entry, is_self_contained};
use super::{CommitId, RepoPath, Store, TreeId, seed_dir_of};

/// Everything below these is ours.
const OURS: [&str; 2] = ["refs/seed", "refs/notes/seed"];
/// What was fetched from others.
const COPIES: &str = "refs/seed-remote";

impl Store {
    /// The paths that differ between HEAD and the index of the environment.
    pub(crate) fn staged(&self) -> Result<Vec<RepoPath>, StoreError> {
        let head = self.head()?.commit;
        let args: &[&str] = match head {
            Some(_) => &["diff", "--cached", "--name-only", "--no-renames", "-z", "HEAD"],
            None => &["ls-files", "-z"],
        };
        let out = self.git(args).run()?;
        let paths = out.split(|byte| *byte == 0).filter(|path| !path.is_empty());
        Ok(paths.filter_map(|path| RepoPath::new(path).ok()).collect())
    }

    /// The paths of which the index of the environment has the sides of a conflict.
    pub(crate) fn unmerged(&self) -> Result<Vec<String>, StoreError> {
        let out = self.git(["diff", "--name-only", "--diff-filter=U", "-z"]).run()?;
        let paths = out.split(|byte| *byte == 0).filter(|path| !path.is_empty());
        Ok(paths.map(|path| String::from_utf8_lossy(path).into_owned()).collect())
    }

    /// How many files git tracks, those of a sparse index among them.
    pub(crate) fn tracked_count(&self) -> Result<usize, StoreError> {
        let listed = self.git(["ls-files", "-z", "--cached", "--deduplicate"]).run()?;
        Ok(memchr::memchr_iter(0, &listed).count())
    }

    /// What attributes say of how each of `paths` is merged; those of which they say nothing are
    /// not among them.
    pub(crate) fn merge_attributes(
        &self,
        paths: &[String],
    ) -> Result<BTreeMap<String, String>, StoreError> {
        let input: Vec<u8> = paths.iter().flat_map(|path| [path.as_bytes(), b"\0"]).fold(
            Vec::new(),
            |mut all, part| {
                all.extend_from_slice(part);
                all
            },
        );
        let said = self.git(["check-attr", "-z", "--stdin", "merge"]).input(input).run()?;
        let text = |field: &[u8]| String::from_utf8_lossy(field).into_owned();
        let fields: Vec<String> = said.split(|byte| *byte == 0).map(text).collect();
        let said = fields.chunks_exact(3).filter(|one| one[2] != "unspecified");
        Ok(said.map(|one| (one[0].clone(), one[2].clone())).collect())
    }

    /// The tracked files below the whole work tree that `wanted` takes.
    pub(crate) fn tracked_where(
        &self,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<Vec<String>, StoreError> {
        let listed = self.git(["ls-files", "-z", "--cached", "--deduplicate"]).run()?;
        let paths =
            listed.split(|byte| *byte == 0).filter_map(|path| std::str::from_utf8(path).ok());
        Ok(paths.filter(|path| wanted(path)).map(str::to_owned).collect())
    }

    /// How many people made the newest `most` commits of HEAD, by their mail.
    pub(crate) fn people(&self, most: usize) -> Result<usize, StoreError> {
        if self.head()?.commit.is_none() {
            return Ok(0);
        }
        let most = format!("--max-count={most}");
        let listed = self.git(["log", "--format=%aE", &most, "HEAD", "--"]).run()?;
        let mails = listed.split(|byte| *byte == b'\n').filter(|mail| !mail.is_empty());
        Ok(mails.collect::<std::collections::BTreeSet<_>>().len())
    }

    /// True when `path` is in the index of the environment what it is in `commit`.
    pub(crate) fn is_staged_as_in(
        &self,
        commit: &CommitId,
        path: &RepoPath,
    ) -> Result<bool, StoreError> {
        let path = path.to_string();
        let args =
            ["diff", "--cached", "--quiet", "--no-renames", commit.as_str(), "--", path.as_str()];
        let asked = self.git(args).outcome()?;
        match asked.code {
            Some(0) => Ok(true),
            Some(1) => Ok(false),
            _ => Err(asked.failed()),
        }
    }

    /// True when git ignores `path`.
    pub(crate) fn is_ignored(&self, path: &str) -> Result<bool, StoreError> {
        let asked = self.plain_git(["check-ignore", "-q", "--", path]).outcome()?;
        match asked.code {
            Some(0) => Ok(true),
            Some(1) => Ok(false),
            _ => Err(asked.failed()),
        }
    }

    /// Those of `paths` that the repository's ignore files exclude and git does not track; one
    /// that ends in `/` is a directory, there or not.
    ///
    /// No child, and nothing that the environment names: an excludes file of the person's
    /// for all repositories is not asked.
    pub(crate) fn excluded<'p>(&self, paths: &'p [String]) -> Result<Vec<&'p str>, StoreError> {
        let mut search = gix::ignore::Search::default();
        let mut add = |file: PathBuf, root: Option<&Path>| match fs::read(&file) {
            Ok(bytes) => {
                let parse = gix::ignore::search::Ignore::default();
                let added = search.add_patterns_buffer(&bytes, file, root, parse);
                added.map(drop).map_err(|err| io::Error::other(err.to_string()))
            }
            Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(err) => Err(err),
        };
        add(self.common_dir.join("info/exclude"), None)?;
        let dirs = paths.iter().flat_map(|path| Path::new(path).ancestors().skip(1));
        let mut dirs: Vec<&Path> = dirs.collect();
        // Those further down stand later, and decide.
        dirs.sort_unstable_by_key(|dir| (dir.components().count(), *dir));
        dirs.dedup();
        for dir in dirs {
            let file = self.work_tree.join(dir).join(".gitignore");
            // Git follows no link here.
            if file.symlink_metadata().is_ok_and(|data| data.is_file()) {
                add(file, Some(&self.work_tree))?;
            }
        }
        let index = self
            .repo
            .index_or_empty()
            .map_err(|err| StoreError::unreadable("the index".to_owned(), &err))?;
        let case = gix::glob::pattern::Case::Sensitive;
        let matched = |path: &str, is_dir: bool| {
            let found = search.pattern_matching_relative_path(path.into(), Some(is_dir), case);
            found.is_some_and(|found| !found.pattern.is_negative())
        };
        let is_excluded = |path: &&str| {
            let name = path.trim_end_matches('/');
            let above = Path::new(name).ancestors().skip(1).filter_map(Path::to_str);
            above.into_iter().any(|dir| !dir.is_empty() && matched(dir, true))
                || matched(name, path.ends_with('/'))
        };
        let is_tracked = |path: &&str| {
            let name = path.trim_end_matches('/');
            let below = format!("{name}/");
            index.entry_by_path(name.into()).is_some()
                || index.prefixed_entries_range(below.as_bytes().into()).is_some()
        };
        Ok(paths
            .iter()
            .map(String::as_str)
            .filter(is_excluded)
            .filter(|path| !is_tracked(path))
            .collect())
    }

    /// True when `path` is in the index.
    pub(crate) fn is_tracked(&self, path: &str) -> Result<bool, StoreError> {
        let asked = self.git(["ls-files", "--error-unmatch", "--", path]).outcome()?;
        Ok(asked.code == Some(0))
    }

    /// The links in the index of the environment whose last part is one of `names`.
    pub(crate) fn tracked_links(&self, names: &[String]) -> Result<Vec<RepoPath>, StoreError> {
        let is_named = |path: &[u8]| {
            let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
            names.iter().any(|known| known.as_bytes() == name)
        };
        let bytes = match fs::read(self.index_path()) {
            Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            bytes => bytes?,
        };
        // Entries may be elsewhere; most indexes hold theirs, and few of these are links.
        if !self.shares_index()? {
            let mut found = Vec::new();
            let length = self.repo.object_hash().len_in_bytes();
            let read = each_entry(&bytes, length, |entry| {
                if entry.mode() == Mode::SYMLINK.bits() && is_named(entry.name()) {
                    found.extend(RepoPath::new(entry.name()));
                }
            });
            if read.is_some_and(is_self_contained) {
                return Ok(found);
            }
        }
        let index = self
            .repo
            .index_or_empty()
            .map_err(|err| StoreError::unreadable("the index".to_owned(), &err))?;
        let links = index.entries().iter().filter(|entry| entry.mode == Mode::SYMLINK);
        let paths = links.map(|entry| entry.path(&index)).filter(|path| is_named(path));
        Ok(paths.filter_map(|path| RepoPath::new(path.to_vec()).ok()).collect())
    }

    /// Whether anything lies at `path` in this tree.
    pub(crate) fn holds_path(&self, tree: &TreeId, path: &RepoPath) -> Result<bool, StoreError> {
        Ok(self.entry_in(tree, path.as_bytes(), "the tree of the last boundary")?.is_some())
    }

    /// Whether `path` is a link in this tree.
    pub(crate) fn is_link_in(&self, tree: &TreeId, path: &RepoPath) -> Result<bool, StoreError> {
        let found = self.entry_in(tree, path.as_bytes(), "the tree of a cycle's beginning")?;
        Ok(found.is_some_and(|(mode, _)| mode.is_link()))
    }

    /// Writes all of our refs with their objects into one bundle file.
    /// `false` if there is nothing to write.
    pub(crate) fn bundle(&self, file: &Path) -> Result<bool, StoreError> {
        let refs = self.our_refs()?;
        if refs.is_empty() {
            return Ok(false);
        }
        let args: Vec<_> =
            ["bundle", "create", "-q"].into_iter().map(std::ffi::OsString::from).collect();
        let args = args
            .into_iter()
            .chain([file.as_os_str().to_owned()])
            .chain(refs.into_iter().map(Into::into));
        self.git(args).run().map(drop)?;
        Ok(true)
    }

    /// The names of all refs of ours that every worktree shares.
    pub(crate) fn our_refs(&self) -> Result<Vec<String>, StoreError> {
        let args = ["for-each-ref", "--format=%(refname)"].into_iter().chain(OURS);
        let out = self.git(args).run()?;
        Ok(String::from_utf8_lossy(&out).lines().map(str::to_owned).collect())
    }

    /// The names of all copies of what remotes have of ours.
    pub(crate) fn our_copies(&self) -> Result<Vec<String>, StoreError> {
        let out = self.git(["for-each-ref", "--format=%(refname)", COPIES]).run()?;
        Ok(String::from_utf8_lossy(&out).lines().map(str::to_owned).collect())
    }

    /// Deletes the focus of every worktree, and all of our refs with their reflogs, if
    /// `history` is true; then the directories that they leave empty.
    pub(crate) fn forget_refs(&self, history: bool) -> Result<(), StoreError> {
        for dir in self.worktree_dirs() {
            remove_below(&dir.join("refs/worktree/seed"))?;
            remove_below(&dir.join("logs/refs/worktree/seed"))?;
            for empty in ["refs/worktree", "logs/refs/worktree"] {
                remove_if_empty(&dir.join(empty));
            }
        }
        if !history {
            return Ok(());
        }
        let mut refs = self.our_refs()?;
        refs.extend(self.our_copies()?);
        if !refs.is_empty() {
            let input: String = refs.iter().map(|name| format!("delete {name}\n")).collect();
            self.git(["update-ref", "--stdin"]).input(input.into_bytes()).run()?;
        }
        for root in [&self.common_dir, &self.common_dir.join("logs")] {
            remove_below(&root.join("refs/seed"))?;
            remove_below(&root.join(COPIES))?;
            remove_if_empty(&root.join("refs/notes"));
        }
        Ok(())
    }

    /// The git directory of the main worktree, and those of all linked ones.
    pub(super) fn worktree_dirs(&self) -> Vec<PathBuf> {
        let linked = fs::read_dir(self.common_dir.join("worktrees"));
        let linked = linked.into_iter().flatten().flatten().map(|dir| dir.path());
        [self.common_dir.clone()].into_iter().chain(linked).collect()
    }

    /// Deletes `.git/seed`, but for the file `kept` in it. What lies at `last` goes last, so that
    /// who was killed on the way finds it.
    pub(crate) fn forget_files(&self, last: &Path, kept: Option<&str>) -> Result<(), StoreError> {
        let dir = seed_dir_of(self)?;
        for entry in fs::read_dir(&dir)? {
            let path = entry?.path();
            if path != last && kept.is_none_or(|kept| path != dir.join(kept)) {
                remove_either(&path)?;
            }
        }
        remove_either(last)?;
        if kept.is_some() { Ok(()) } else { remove_below(&dir) }
    }

    /// Sets the tip of a chain back to `id`, whatever it names now; for repairs only.
    pub(crate) fn set_back(&self, chain: &str, id: &str) -> Result<(), StoreError> {
        self.git(["update-ref", "--create-reflog", "-m", "git seed doctor", chain, id])
            .run()
            .map(drop)
    }

    /// Loose refs below `prefix` that name no object, cut off or overwritten, by their full names.
    pub(crate) fn torn_refs(&self, prefix: &str) -> Vec<String> {
        // Without the directory there is no loose ref; one that does not read is git's to tell.
        let files = fs::read_dir(self.common_dir.join(prefix)).into_iter().flatten().flatten();
        let name = |file: &fs::DirEntry| {
            // No name of git seed's is anything but UTF-8.
            let name = file.file_name().into_string().ok()?;
            let held = fs::read(file.path()).ok()?;
            let held = held.trim_ascii();
            let names = held.starts_with(b"ref: ")
                || (matches!(held.len(), 40 | 64) && held.iter().all(u8::is_ascii_hexdigit));
            (!names && !name.contains('.')).then(|| format!("{prefix}{name}"))
        };
        files.filter_map(|file| name(&file)).collect()
    }

    /// Takes a torn ref away; git itself changes none that it cannot read.
    pub(crate) fn drop_torn_ref(&self, name: &str) -> Result<(), StoreError> {
        Ok(fs::remove_file(self.common_dir.join(name))?)
    }

    /// Deletes a chain whatever it names; for repairs only.
    pub(crate) fn forget_chain(&self, chain: &str) -> Result<(), StoreError> {
        self.git(["update-ref", "-d", chain]).run().map(drop)
    }

    /// Ids that the reflog of `chain` names, newest first.
    pub(crate) fn reflog(&self, chain: &str) -> Vec<String> {
        let text = fs::read_to_string(self.common_dir.join("logs").join(chain)).unwrap_or_default();
        let ids = text.lines().rev().flat_map(|line| {
            let mut words = line.split(' ');
            let (old, new) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
            [new.to_owned(), old.to_owned()]
        });
        ids.filter(|id| id.len() >= 40 && id.bytes().any(|byte| byte != b'0')).collect()
    }

    /// How many bytes the log of this worktree's HEAD has.
    pub(crate) fn head_log_length(&self) -> u64 {
        fs::metadata(self.git_dir.join("logs/HEAD")).map_or(0, |data| data.len())
    }

    /// Where HEAD of this worktree went since its log had `from` bytes.
    ///
    /// The times in the log are the committers' to choose, so its order decides.
    pub(crate) fn head_moves(&self, from: u64) -> Result<Vec<Moved>, StoreError> {
        if self.head_log_length() <= from {
            return Ok(Vec::new());
        }
        let bytes = crate::world::read_plain(&self.git_dir.join("logs/HEAD"))?;
        let from = usize::try_from(from).unwrap_or(usize::MAX);
        let text = String::from_utf8_lossy(bytes.get(from..).unwrap_or_default());
        Ok(Moved::all(&text))
    }

    /// Runs `git fsck --strict` over everything of ours; its first complaint, if there is one.
    pub(crate) fn fsck(&self) -> Result<Option<String>, StoreError> {
        // That no grafts are read is our doing, and no news.
        let args = ["-c", "advice.graftFileDeprecated=false", "fsck", "--strict", "--no-dangling"];
        let Outcome { code, stdout, stderr, .. } = self.git(args).outcome()?;
        let said = [stdout, stderr].concat();
        Ok((code != Some(0)).then(|| complaint(&String::from_utf8_lossy(&said)).to_owned()))
    }

    /// The commit that `name` means to git, if it means one.
    pub(crate) fn resolve_commit(&self, name: &str) -> Result<Option<CommitId>, StoreError> {
        let name = format!("{name}^{{commit}}");
        let asked =
            self.git(["rev-parse", "--verify", "-q", "--end-of-options", &name]).outcome()?;
        Ok(String::from_utf8_lossy(&asked.stdout).trim().parse().ok())
    }

    /// Whether `range` means commits to git: one and its history, or a range.
    pub(crate) fn is_range(&self, range: &str) -> Result<bool, StoreError> {
        if self.resolve_commit(range)?.is_some() {
            return Ok(true);
        }
        // A tree or a file, which git lists no commits of, is none.
        let several = ["..", "^!", "^@", "^-"].iter().any(|sign| range.contains(sign));
        let words = ["rev-list", "-1", "--end-of-options", range, "--"];
        Ok(several && self.git(words).outcome()?.code == Some(0))
    }

    /// Whether `hex`, an id or enough of its first digits, is a commit that is here. Asks no
    /// child: a hook may ask it.
    pub(crate) fn has_commit(&self, hex: &str) -> bool {
        let Ok(prefix) = gix::hash::Prefix::from_hex(hex) else { return false };
        let Ok(Some(Ok(id))) = self.repo.objects.lookup_prefix(prefix, None) else { return false };
        self.repo.find_header(id).is_ok_and(|header| header.kind() == gix::object::Kind::Commit)
    }

    /// Whether the object `hex` is here; no remote is asked for it.
    pub(crate) fn has_object(&self, hex: &str) -> bool {
        hex.parse::<gix::ObjectId>().is_ok_and(|id| self.repo.find_header(id).is_ok())
    }

    /// Commits of HEAD's history that `since` does not reach, newest first, with their
    /// messages; at most fifty.
    pub(crate) fn commits_since(
        &self,
        since: &CommitId,
    ) -> Result<Vec<(CommitId, String)>, StoreError> {
        const MOST: usize = 50;
        let Some(head) = self.head()?.commit.filter(|head| head != since) else {
            return Ok(Vec::new());
        };
        let apart = self.apart(&head, since, MOST)?;
        Ok(apart.into_iter().map(|one| (one.commit, one.message)).collect())
    }

    /// Who wrote the last commit that changed `path`; `None` where no commit has it.
    pub(crate) fn last_author(&self, path: &str) -> Result<Option<String>, StoreError> {
        if self.head()?.commit.is_none() {
            return Ok(None);
        }
        let out = self.git(["log", "-1", "--format=%an", "HEAD", "--", path]).run()?;
        let name = String::from_utf8_lossy(&out).trim().to_owned();
        Ok(Some(name).filter(|name| !name.is_empty()))
    }

    /// The version that `git --version` tells.
    pub(crate) fn git_version(&self) -> Result<String, StoreError> {
        let out = self.git(["--version"]).run()?;
        Ok(String::from_utf8_lossy(&out).trim().trim_start_matches("git version ").to_owned())
    }
}

/// The line that says what is broken, of what `git fsck` said; not its advice, nor what it notices.
fn complaint(said: &str) -> &str {
    let lines = || said.lines().map(str::trim).filter(|line| !line.is_empty());
    let broken = ["error", "fatal", "missing ", "broken ", "bad "];
    let is_broken = |line: &&str| broken.iter().any(|word| line.starts_with(word));
    let beside = ["hint:", "notice:", "warning:"];
    let is_beside = |line: &&str| beside.iter().any(|word| line.starts_with(word));
    let first = lines().find(is_broken).or_else(|| lines().find(|line| !is_beside(line)));
    first.unwrap_or_else(|| said.trim())
}

/// One line of HEAD's log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Moved {
    /// The commit that HEAD was at.
    from: String,
    /// The commit that HEAD came to.
    pub to: String,
    /// A commit was made there, not only gone to.
    pub made: bool,
    /// The verb that moved it.
    verb: String,
}

impl Moved {
    /// The lines of a log. What a verb made that was given up again was not made: git took it back
    /// itself.
    fn all(log: &str) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for (moved, step) in log.lines().filter_map(Self::read) {
            if matches!(step, Step::GivenUp) {
                // It began where HEAD comes back to; if not here, before these lines.
                let began = all.iter().rposition(|earlier| earlier.from == moved.to).unwrap_or(0);
                // A pull that rebases is given up as a rebase.
                let is_its = |verb: &str| verb == moved.verb || verb == "pull";
                let of_it = all[began..].iter_mut().filter(|earlier| is_its(&earlier.verb));
                of_it.for_each(|earlier| earlier.made = false);
            }
            all.push(moved);
        }
        all
    }

    fn read(line: &str) -> Option<(Self, Step)> {
        const MAKES: [&str; 7] =
            ["commit", "merge", "cherry-pick", "revert", "rebase", "am", "pull"];
        let (head, action) = line.split_once('\t')?;
        let mut ids = head.split(' ').map(str::to_owned);
        let (from, to) = (ids.next()?, ids.next()?);
        let verb = action.split([':', ' ', '(']).next().unwrap_or_default().to_owned();
        let step = Step::read(action);
        let made = MAKES.contains(&verb.as_str()) && matches!(step, Step::Makes);
        Some((Self { from, to, made, verb }, step))
    }
}

/// What a line of the log is of the work of its verb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// It puts a commit there, if its verb does that.
    Makes,
    /// It only goes to a commit that was there.
    Goes,
    /// It goes back to where it began.
    GivenUp,
}

impl Step {
    fn read(action: &str) -> Self {
        let (head, rest) = action.split_once(':').unwrap_or((action, ""));
        let says = |words: &[&str]| head.split(' ').any(|word| words.contains(&word));
        if says(&["(abort)", "--abort"]) {
            Self::GivenUp
        } else if says(&["(start)", "(finish)", "(reset)"])
            || rest.trim().eq_ignore_ascii_case("fast-forward")
        {
            Self::Goes
        } else {
            Self::Makes
        }
    }
}

fn remove_below(dir: &Path) -> Result<(), StoreError> {
    match fs::remove_dir_all(dir) {
        Err(err) if err.kind() != io::ErrorKind::NotFound => Err(err.into()),
        _ => Ok(()),
    }
}

fn remove_either(path: &Path) -> Result<(), StoreError> {
    if path.symlink_metadata().is_ok_and(|found| found.is_dir()) {
        return remove_below(path);
    }
    Ok(crate::world::remove_if_there(path)?)
}

/// Git leaves empty directories behind; ours go when nobody else's file is in them.
fn remove_if_empty(dir: &Path) {
    let _ = fs::remove_dir(dir);
}

#[cfg(all(test, unix))]
mod tests {
    use super::super::testbed::Testbed;

    #[test]
    fn one_file_outlives_the_others_where_it_is_kept() {
        let bed = Testbed::new();
        let store = bed.store();
        let dir = store.seed_dir();
        let last = dir.join("install.toml");
        let fill = || {
            std::fs::create_dir_all(dir.join("meant")).expect("creates");
            for file in ["install.toml", "left-clone", "meant/main.toml", "clone"] {
                std::fs::write(dir.join(file), "x").expect("writes");
            }
        };
        let names = || -> Vec<_> {
            let all = std::fs::read_dir(&dir).expect("reads").flatten();
            all.map(|one| one.file_name().to_string_lossy().into_owned()).collect()
        };
        fill();
        store.forget_files(&last, Some("left-clone")).expect("forgets");
        assert_eq!(names(), ["left-clone"]);
        fill();
        store.forget_files(&last, None).expect("forgets");
        assert!(!dir.exists());
        store.forget_files(&last, None).expect("there is nothing");
        assert!(!dir.exists());
    }

    #[test]
    fn of_a_check_the_line_is_told_that_says_what_is_broken() {
        let hint = "hint: Support for <GIT_DIR>/info/grafts is deprecated\nhint: and will go\n";
        let missing = "missing commit 1\n";
        for (said, told) in [
            (format!("{hint}error: refs/notes/seed: invalid sha1 pointer 0\n"), "error: refs"),
            (format!("dangling blob 2\n{missing}{hint}"), "missing commit 1"),
            (format!("notice: HEAD points to an unborn branch\n{hint}odd\n"), "odd"),
            (hint.to_owned(), "hint: Support"),
            (String::new(), ""),
        ] {
            let said_of = super::complaint(&said);
            assert!(said_of.starts_with(told), "{said:?}: {said_of}");
        }
    }

    #[test]
    fn links_of_a_name_are_found_in_each_form_of_index() {
        let bed = Testbed::new();
        for file in ["NOTES.md", "a/NOTES.md", "a/other", "many/1", "z/NOTES.md"] {
            bed.write(file, file);
        }
        std::fs::create_dir_all(bed.path().join("b")).expect("creates");
        for link in ["b/NOTES.md", "b/another"] {
            std::os::unix::fs::symlink("../a/other", bed.path().join(link)).expect("links");
        }
        bed.git(&["add", "-A"]);
        bed.git(&["commit", "-qm", "all"]);
        let forms: [(&str, &[&str]); 6] = [
            ("as git writes it", &["status"]),
            ("marks", &["update-index", "--skip-worktree", "z/NOTES.md"]),
            ("short names", &["update-index", "--index-version", "4"]),
            ("sparse", &["sparse-checkout", "set", "--sparse-index", "a", "b"]),
            ("whole again", &["sparse-checkout", "disable"]),
            ("split", &["update-index", "--split-index"]),
        ];
        for (form, args) in forms {
            bed.git(args);
            let found = bed.store().tracked_links(&["NOTES.md".to_owned()]).expect("reads");
            let found: Vec<String> = found.iter().map(ToString::to_string).collect();
            assert_eq!(found, ["b/NOTES.md"], "{form}");
        }
    }
}
