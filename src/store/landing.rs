//! What landing a job asks of git: commits made beside the work tree, of trees that are here.
//!
//! Nothing here touches HEAD, the index or a file. A commit gets the person's identity and their
//! signing, its message goes through their commit-msg hook, and a branch moves by compare-and-swap.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::ops::ControlFlow;

use gix::ObjectId;
use gix::objs::{Tree, Write as _, tree::Entry, tree::EntryMode};

use super::as_git::given;
use super::chain::full_name;
use super::error::StoreError;
use super::object::{Draft, unwritten};
use super::signing::first_line;
use super::worktree::odd_output;
use super::{CommitId, Identity, Step, Store, TreeId, stages};
use crate::world::{self, progress, system};

/// Who made a commit, and when, as its object says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Signature {
    name: Vec<u8>,
    email: Vec<u8>,
    /// Seconds and zone.
    date: String,
}

/// A commit as its object says it.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    pub commit: CommitId,
    pub tree: TreeId,
    pub parents: Vec<CommitId>,
    pub author: Signature,
    pub committer: Signature,
    /// It carries a signature.
    pub is_signed: bool,
    encoding: Option<String>,
    message: Vec<u8>,
}

impl Signature {
    pub(crate) fn name(&self) -> String {
        String::from_utf8_lossy(&self.name).into_owned()
    }

    /// It says what git tells its hooks of an author, whose date has an `@` before it.
    pub(crate) fn is_written(&self, name: &str, email: &str, date: &str) -> bool {
        let date = date.strip_prefix('@').unwrap_or(date);
        self.name == name.as_bytes() && self.email == email.as_bytes() && self.date == date
    }

    /// It is this person's.
    pub(crate) fn is_of(&self, who: &Identity) -> bool {
        self.email.eq_ignore_ascii_case(who.email.as_bytes())
    }
}

impl Written {
    /// The message; letters that are no UTF-8 are replaced.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.message).into_owned()
    }
}

/// A commit that is to be made.
#[derive(Clone, Debug)]
pub(crate) struct NewCommit<'a> {
    pub tree: &'a TreeId,
    pub parents: &'a [CommitId],
    /// Whose words it keeps: author, message and committer where `message` is absent.
    pub like: &'a Written,
    /// A message of its own; the committer is then whoever is at work now.
    pub message: Option<&'a str>,
    /// The person wants their commits signed.
    pub signed: bool,
}

/// What came of a three-way merge in objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Replayed {
    Tree(TreeId),
    /// The paths that collide.
    Conflict(Vec<String>),
}

/// Where a branch is to stand.
#[derive(Clone, Debug)]
pub(crate) struct BranchMove<'a> {
    pub branch: &'a str,
    /// Where it stands now; `None` for one that is not there.
    pub from: Option<&'a CommitId>,
    pub to: &'a CommitId,
}

impl Store {
    /// The commits from `tip` down along first parents, newest first, up to the first for which
    /// `last` is true, and that one.
    pub(crate) fn down_from(
        &self,
        tip: &CommitId,
        mut last: impl FnMut(&Written) -> bool,
    ) -> Result<Vec<Written>, StoreError> {
        let mut found = Vec::new();
        let mut at = Some(tip.clone());
        while let Some(commit) = at.take() {
            let written = self.as_written(&commit)?;
            let ends = last(&written);
            at = written.parents.first().filter(|_| !ends).cloned();
            found.push(written);
        }
        Ok(found)
    }

    /// A commit as its object says it.
    pub(crate) fn as_written(&self, commit: &CommitId) -> Result<Written, StoreError> {
        let what = "a commit of the branch";
        let cut_off = |error| match error {
            StoreError::Missing { what, .. } if self.is_shallow() => StoreError::CutOff { what },
            error => error,
        };
        let object = self.commit_object(commit.object()?, what).map_err(cut_off)?.detach();
        read(commit, &object.data)
            .ok_or_else(|| StoreError::odd(format!("{what} ({commit})"), "its head does not read"))
    }

    /// The tree `product`, in which the paths that `is_memory` names are as in `memory`.
    pub(crate) fn tree_mixed(
        &self,
        product: &TreeId,
        memory: &TreeId,
        is_memory: &dyn Fn(&str) -> bool,
    ) -> Result<TreeId, StoreError> {
        let draft = Draft::new(self);
        let mixing = Mixing { store: self, draft: &draft, is_memory };
        let (product, memory) = (Some(product.object()?), Some(memory.object()?));
        let tree = match mixing.below(product, memory, "")? {
            Some(tree) => tree,
            None => draft.tree("a tree of the work")?,
        };
        draft.settle()?;
        Ok(tree.into())
    }

    /// The tree without an entry.
    pub(crate) fn no_tree(&self) -> TreeId {
        ObjectId::empty_tree(self.repo.object_hash()).into()
    }

    /// Makes a commit that no ref names yet; the inner error is what git said that can make it, but
    /// for the signature.
    pub(crate) fn build(
        &self,
        new: &NewCommit<'_>,
    ) -> Result<Result<CommitId, String>, StoreError> {
        let mut args: Vec<OsString> = Vec::new();
        if let (Some(encoding), None) = (&new.like.encoding, new.message) {
            args.extend(["-c".into(), format!("i18n.commitEncoding={encoding}").into()]);
        }
        args.extend(["commit-tree".into(), new.tree.to_string().into()]);
        for parent in new.parents {
            args.extend(["-p".into(), parent.to_string().into()]);
        }
        args.extend(new.signed.then(|| "-S".into()));
        let message = new.message.map_or(new.like.message.as_slice(), str::as_bytes);
        let mut child = self.git(args).by("AUTHOR", &new.like.author).input(message.to_vec());
        if new.message.is_none() {
            child = child.by("COMMITTER", &new.like.committer);
        }
        if new.signed {
            // What signs may ask at the terminal.
            progress::end();
        }
        let made = child.outcome()?;
        if made.code != Some(0) {
            // Programs that sign say what is wrong in words of their own: only a trial tells.
            if new.signed && self.build(&NewCommit { signed: false, ..*new })?.is_ok() {
                return Ok(Err(first_line(&made.stderr)));
            }
            return Err(made.failed());
        }
        let id = String::from_utf8_lossy(&made.stdout).trim().to_owned();
        let commit: CommitId = id.parse().map_err(|_| odd_output("git commit-tree", &id))?;
        let draft = Draft::new(self);
        draft.adopt(commit.object()?);
        draft.settle()?;
        Ok(Ok(commit))
    }

    /// Whether the person wants each of their commits signed.
    pub(crate) fn signs_commits(&self) -> Result<bool, StoreError> {
        // `git -c commit.gpgSign=false seed land` counts for this landing.
        let given = given();
        let given = given.iter().map(|(name, value)| (*name, value.as_str()));
        let asked = self.git(["config", "--type=bool", "--get", "commit.gpgSign"]).envs(given);
        let asked = asked.outcome()?;
        match asked.code {
            Some(0) => Ok(asked.stdout.starts_with(b"true")),
            Some(1) => Ok(false),
            _ => Err(asked.failed()),
        }
    }

    /// What the repository's commit-msg hook makes of `message`; the inner error is what it printed
    /// when it refused. Ours find `pending` in `GIT_SEED_PENDING`.
    pub(crate) fn through_commit_msg(
        &self,
        message: &str,
        pending: &str,
    ) -> Result<Result<String, String>, StoreError> {
        // A hook may ask at the terminal.
        progress::end();
        let dir = stages::make(&self.seed_dir(), "land-")?;
        let file = dir.path().join("message");
        world::write_whole(&file, message.as_bytes())?;
        let args = ["hook", "run", "--ignore-missing", "commit-msg", "--"].map(OsString::from);
        let outcome = self
            .plain_git(args.into_iter().chain([file.clone().into_os_string()]))
            .env("GIT_EDITOR", ":")
            .env("GIT_SEED_PENDING", pending)
            .outcome_by_file()?;
        if outcome.code != Some(0) {
            return Ok(Err(String::from_utf8_lossy(&outcome.stdout).trim().to_owned()));
        }
        Ok(Ok(String::from_utf8_lossy(&world::read_plain(&file)?).into_owned()))
    }

    /// What changes from tree `base` to tree `change`, put onto tree `onto`.
    pub(crate) fn replay(
        &self,
        base: &TreeId,
        onto: &TreeId,
        change: &TreeId,
    ) -> Result<Replayed, StoreError> {
        let base = format!("--merge-base={base}");
        let args = ["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages"];
        let args = args.into_iter().chain([&*base, onto.as_str(), change.as_str()]);
        let done = self.git(args).outcome()?;
        if !matches!(done.code, Some(0 | 1)) {
            return Err(done.failed());
        }
        let printed = String::from_utf8_lossy(&done.stdout).into_owned();
        let mut fields = printed.split('\0').filter(|field| !field.is_empty());
        let tree = fields.next().unwrap_or_default().trim();
        if done.code == Some(1) {
            let paths: BTreeSet<&str> = fields.collect();
            return Ok(Replayed::Conflict(paths.into_iter().map(str::to_owned).collect()));
        }
        Ok(Replayed::Tree(tree.parse().map_err(|_| odd_output("git merge-tree", tree))?))
    }

    /// Moves or makes a branch by compare-and-swap; false where it stands elsewhere by now.
    pub(crate) fn move_branch(&self, moves: &BranchMove<'_>) -> Result<bool, StoreError> {
        let name = format!("refs/heads/{}", moves.branch);
        let none = "0".repeat(moves.to.as_str().len());
        let from = moves.from.map_or(none.as_str(), CommitId::as_str);
        let why = ["update-ref", "-m", "git seed land"];
        let args = why.into_iter().chain([&*name, moves.to.as_str(), from]);
        let done = self.git(args).outcome()?;
        if done.code == Some(0) {
            return Ok(true);
        }
        if self.stands_at(&name)?.as_ref() == moves.from { Err(done.failed()) } else { Ok(false) }
    }

    /// Whether a branch may be called `name`.
    pub(crate) fn is_branch_name(&self, name: &str) -> bool {
        // As `git branch` has it: a branch that is called so hides the one that is meant.
        let hides = ["HEAD", "@"].contains(&name) || name.starts_with("refs/");
        !name.starts_with('-') && !hides && full_name(&format!("refs/heads/{name}")).is_ok()
    }

    /// A branch that leaves no room for one called `name`: its own, one below it, or one that it
    /// would be below.
    pub(crate) fn in_the_place_of(&self, name: &str) -> Result<Option<String>, StoreError> {
        let above = name.match_indices('/').map(|(at, _)| &name[..at]);
        for known in [name].into_iter().chain(above) {
            if self.stands_at(&format!("refs/heads/{known}"))?.is_some() {
                return Ok(Some(known.to_owned()));
            }
        }
        let below = self.chains(&format!("refs/heads/{name}/"))?.into_iter().next();
        Ok(below.map(|(known, _)| known.trim_start_matches("refs/heads/").to_owned()))
    }

    /// Some ref below `prefixes` has `commit` in its history.
    pub(crate) fn is_below(
        &self,
        commit: &CommitId,
        prefixes: &[&str],
    ) -> Result<bool, StoreError> {
        if !self.has_commit(commit.as_str()) {
            return Ok(false);
        }
        let args = ["for-each-ref", "--count=1", "--contains", commit.as_str()];
        let found = self.git(args.into_iter().chain(prefixes.iter().copied())).run()?;
        Ok(!found.is_empty())
    }

    /// The branches of remotes that have `commit` in their history, as a person writes them.
    pub(crate) fn remote_branches_with(
        &self,
        commit: &CommitId,
    ) -> Result<Vec<String>, StoreError> {
        let args = ["for-each-ref", "--format=%(refname)", "--contains", commit.as_str()];
        let printed = self.git(args.into_iter().chain(["refs/remotes"])).run()?;
        let listed = String::from_utf8_lossy(&printed).into_owned();
        let names = listed.lines().filter_map(|name| name.strip_prefix("refs/remotes/"));
        Ok(names.filter(|name| !name.ends_with("/HEAD")).map(str::to_owned).collect())
    }

    /// The commits of `range` whose parents a shallow clone has not got, and those on the way from
    /// its base to where both sides meet: where that is cut off, the range has commits of others.
    pub(crate) fn cut_off(&self, range: &str) -> Result<Vec<CommitId>, StoreError> {
        let cut = self.cut()?;
        if cut.is_empty() {
            return Ok(Vec::new());
        }
        let back = range.split_once("..").map(|(base, head)| format!("{head}..{base}"));
        let mut found = Vec::new();
        for range in [Some(range), back.as_deref()].into_iter().flatten() {
            let printed = self.git(["rev-list", "--end-of-options", range, "--"]).run()?;
            let listed = String::from_utf8_lossy(&printed).into_owned();
            let cut = listed.lines().filter(|id| cut.contains(*id));
            found.extend(cut.filter_map(|id| id.parse().ok()));
        }
        Ok(found)
    }

    /// The commits whose parents a shallow clone has not got.
    fn cut(&self) -> Result<BTreeSet<String>, StoreError> {
        let file = world::read_if_there(&self.common_dir.join("shallow"))?;
        let text = String::from_utf8_lossy(&file.unwrap_or_default()).into_owned();
        Ok(text.lines().map(|line| line.trim().to_owned()).collect())
    }

    /// The newest `limit` commits from `commit` on, along first parents, as far as a shallow clone
    /// has them.
    pub(crate) fn history_here(
        &self,
        commit: &CommitId,
        limit: usize,
    ) -> Result<Vec<Step>, StoreError> {
        let (cut, mut steps) = (self.cut()?, Vec::new());
        self.each_step_from(commit.object()?, "HEAD", |step| -> Result<_, StoreError> {
            let ends = cut.contains(step.commit.as_str());
            steps.push(step);
            let more = steps.len() < limit && !ends;
            Ok(if more { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        })?;
        Ok(steps)
    }

    /// History ends here where the clone was cut.
    pub(crate) fn is_shallow(&self) -> bool {
        self.common_dir.join("shallow").exists()
    }

    /// Subjects of the newest `most` commits below `commit` that are a person's own: no merge, no
    /// step of a job, and none by a robot, whose subjects are all alike.
    pub(crate) fn own_subjects(
        &self,
        commit: &CommitId,
        most: usize,
    ) -> Result<Vec<String>, StoreError> {
        let read = format!("-{}", most * ROBOTS);
        let args = ["log", &read, "--no-merges", "--no-show-signature", "--invert-grep"];
        let format = ["--grep=^Seed-Id: ", "--format=%an%x00%s", commit.as_str(), "--"];
        let printed = self.git(args.into_iter().chain(format)).run()?;
        let printed = String::from_utf8_lossy(&printed);
        let lines = printed.lines().filter_map(|line| line.split_once('\0'));
        let own = lines.filter(|(author, _)| !is_robot(author)).map(|(_, subject)| subject);
        Ok(own.take(most).map(str::to_owned).collect())
    }
}

/// So many commits are read for each that is wanted: robots may have made the others.
const ROBOTS: usize = 10;

/// Whether an author is a program by its name: `dependabot[bot]`, `Renovate Bot`, `ci-bot`.
fn is_robot(author: &str) -> bool {
    let lower = author.to_lowercase();
    let head = lower.strip_suffix(']').unwrap_or(&lower).strip_suffix("bot");
    head.is_some_and(|head| head.is_empty() || head.ends_with(['[', ' ', '-', '_']))
}

/// A tree of two.
struct Mixing<'a> {
    store: &'a Store,
    draft: &'a Draft<'a>,
    is_memory: &'a dyn Fn(&str) -> bool,
}

impl Mixing<'_> {
    /// The directory `dir` (with a trailing `/`, or empty) of the two; `None` where it is empty.
    fn below(
        &self,
        product: Option<ObjectId>,
        memory: Option<ObjectId>,
        dir: &str,
    ) -> Result<Option<ObjectId>, StoreError> {
        if product == memory {
            return Ok(product);
        }
        let (ours, theirs) = (self.entries(product)?, self.entries(memory)?);
        let names: BTreeSet<_> =
            ours.iter().chain(&theirs).map(|entry| entry.filename.clone()).collect();
        let mut entries = Vec::new();
        for name in names {
            let find = |all: &[Entry]| all.iter().find(|entry| entry.filename == name).cloned();
            let (our, their) = (find(&ours), find(&theirs));
            if our == their {
                entries.extend(our);
                continue;
            }
            let path = format!("{dir}{name}");
            let is_tree = |entry: &Option<Entry>| entry.as_ref().is_some_and(|e| e.mode.is_tree());
            let file = if (self.is_memory)(&path) { &their } else { &our };
            if let Some(file) = file.clone().filter(|entry| !entry.mode.is_tree()) {
                entries.push(file);
            } else if is_tree(&our) || is_tree(&their) {
                let tree = |entry: Option<Entry>| entry.filter(|e| e.mode.is_tree()).map(|e| e.oid);
                let below = self.below(tree(our), tree(their), &format!("{path}/"))?;
                let mode = EntryMode::from(gix::objs::tree::EntryKind::Tree);
                entries.extend(below.map(|oid| Entry { mode, filename: name, oid }));
            }
        }
        if entries.is_empty() {
            return Ok(None);
        }
        entries.sort();
        let tree = self.draft.write(&Tree { entries });
        tree.map(Some).map_err(|err| unwritten("a tree of the work", &err))
    }

    fn entries(&self, tree: Option<ObjectId>) -> Result<Vec<Entry>, StoreError> {
        let Some(id) = tree else { return Ok(Vec::new()) };
        let what = || format!("tree {id}");
        let tree = self.store.tree_object(id, &what())?;
        let read = tree.decode().map_err(|err| StoreError::unreadable(what(), &err))?;
        Ok(read.entries.iter().map(|entry| Entry::from(*entry)).collect())
    }
}

impl super::git::Child {
    /// Git takes this for the author or the committer.
    fn by(self, whom: &str, signature: &Signature) -> Self {
        let name = |what: &str| format!("GIT_{whom}_{what}");
        self.env(&name("NAME"), system::name_of(&signature.name))
            .env(&name("EMAIL"), system::name_of(&signature.email))
            .env(&name("DATE"), format!("@{}", signature.date))
    }
}

/// What the bytes of a commit say.
fn read(commit: &CommitId, bytes: &[u8]) -> Option<Written> {
    let end = bytes.windows(2).position(|two| two == b"\n\n")?;
    let (head, message) = (&bytes[..end], &bytes[end + 2..]);
    let (mut tree, mut is_signed) = (None, false);
    let (mut parents, mut author, mut committer, mut encoding) = (Vec::new(), None, None, None);
    for line in head.split(|byte| *byte == b'\n') {
        let Some(space) = line.iter().position(|byte| *byte == b' ') else { continue };
        let (key, value) = (&line[..space], &line[space + 1..]);
        let text = || std::str::from_utf8(value).ok();
        match key {
            b"tree" => tree = text()?.parse().ok(),
            b"parent" => parents.push(text()?.parse().ok()?),
            b"author" => author = signature(value),
            b"committer" => committer = signature(value),
            b"encoding" => encoding = text().map(str::to_owned),
            b"gpgsig" | b"gpgsig-sha256" => is_signed = true,
            // A line of a signature begins with a space; what else stands here is not kept.
            _ => {}
        }
    }
    Some(Written {
        commit: commit.clone(),
        tree: tree?,
        parents,
        author: author?,
        committer: committer?,
        is_signed,
        encoding,
        message: message.to_vec(),
    })
}

/// `Name <address> seconds zone`.
fn signature(value: &[u8]) -> Option<Signature> {
    let open = value.iter().position(|byte| *byte == b'<')?;
    let close = value.iter().rposition(|byte| *byte == b'>')?;
    let date = std::str::from_utf8(value.get(close + 1..)?).ok()?.trim().to_owned();
    let name = value[..open].trim_ascii().to_vec();
    Some(Signature { name, email: value.get(open + 1..close)?.to_vec(), date })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::testbed::Testbed;

    #[test]
    fn robots_are_told_by_their_names() {
        for (author, robot) in [
            ("dependabot[bot]", true),
            ("github-actions[bot]", true),
            ("Renovate Bot", true),
            ("release_bot", true),
            ("bot", true),
            ("Ada Abbot", false),
            ("Talbot", false),
            ("Bot Weaver", false),
        ] {
            assert_eq!(is_robot(author), robot, "{author}");
        }
    }

    fn is_page(path: &str) -> bool {
        path.ends_with("PAGE") || path.starts_with("memo/")
    }

    /// The tree of exactly these files.
    fn tree(bed: &Testbed, files: &[(&str, &str)]) -> TreeId {
        bed.git(&["rm", "-rqf", "--ignore-unmatch", "."]);
        for (path, text) in files {
            bed.write(path, text);
        }
        bed.git(&["add", "-A"]);
        bed.git(&["write-tree"]).parse().expect("full")
    }

    #[test]
    fn a_mixed_tree_has_product_of_one_and_memory_of_the_other() {
        let bed = Testbed::new();
        let ours = [("PAGE", "new"), ("a", "2"), ("d/PAGE", "x"), ("d/b", "1"), ("memo/m", "1")];
        let base = [("PAGE", "old"), ("a", "1"), ("e/PAGE", "y"), ("e/c", "gone")];
        let (ours, base) = (tree(&bed, &ours), tree(&bed, &base));
        let wanted = tree(&bed, &[("PAGE", "old"), ("a", "2"), ("d/b", "1"), ("e/PAGE", "y")]);
        let store = bed.store();
        let mixed = store.tree_mixed(&ours, &base, &is_page).expect("mixes");
        assert_eq!(mixed, wanted);
        assert_eq!(store.tree_mixed(&ours, &ours, &is_page).expect("mixes"), ours);
        let nothing = store.tree_mixed(&ours, &store.no_tree(), &|_| true).expect("mixes");
        assert_eq!(nothing, store.no_tree());
    }

    #[test]
    fn a_commit_is_made_again_on_another_parent_as_it_was() {
        for format in ["sha1", "sha256"] {
            let bed = Testbed::with_format(format);
            let root = bed.commit("a", "1");
            bed.write("b", "1");
            bed.git(&["add", "b"]);
            bed.git(&[
                "-c",
                "i18n.commitEncoding=ISO-8859-1",
                "commit",
                "-q",
                "--author=Ä. Other <o@x>",
                "--date=@1000000000 +0230",
                "-m",
                "subject\n\nbody\n",
            ]);
            let commit: CommitId = bed.git(&["rev-parse", "HEAD"]).parse().expect("full");
            let store = bed.store();
            let like = store.as_written(&commit).expect("reads");
            let parents = [root.clone()];
            assert_eq!(like.parents, parents);
            let new = NewCommit {
                tree: &like.tree,
                parents: &parents,
                like: &like,
                message: None,
                signed: false,
            };
            assert_eq!(
                store.build(&new).expect("builds").expect("signs nothing"),
                commit,
                "byte for byte"
            );
            let other = store
                .build(&NewCommit { message: Some("mine\n"), ..new })
                .expect("builds")
                .expect("signs nothing");
            let said = bed.git(&["log", "-1", "--format=%an %ai %cn %s", other.as_str()]);
            assert_eq!(said, "Ä. Other 2001-09-09 04:16:40 +0230 A Person mine");
            let walked = store.down_from(&commit, |_| false).expect("walks");
            let ids: Vec<_> = walked.into_iter().map(|one| one.commit).collect();
            assert_eq!(ids, [commit, root]);
            bed.is_sound();
        }
    }

    #[test]
    fn a_branch_moves_from_where_it_was_seen_and_else_not() {
        let bed = Testbed::new();
        let (one, two) = (bed.commit("a", "1"), bed.commit("a", "2"));
        let store = bed.store();
        let moves = |from, to| {
            let moves = BranchMove { branch: "side", from, to };
            store.move_branch(&moves).expect("git answers")
        };
        assert!(moves(None, &one));
        assert!(!moves(None, &two), "the name is taken");
        assert!(!moves(Some(&two), &one), "it stands elsewhere");
        assert!(moves(Some(&one), &two));
        assert_eq!(bed.git(&["rev-parse", "side"]), two.as_str());
        assert!(store.is_below(&two, &["refs/heads"]).expect("answers"));
        assert!(!store.is_below(&two, &["refs/tags"]).expect("answers"));
        for (name, fits) in [("a/b", true), ("-a", false), ("a..b", false), ("", false)] {
            assert_eq!(store.is_branch_name(name), fits, "{name}");
        }
    }

    #[test]
    fn a_change_is_put_onto_another_tree_or_collides() {
        let bed = Testbed::new();
        let base = tree(&bed, &[("a", "1\n2\n3\n4\n5\n6\n7\n"), ("b", "1\n")]);
        let change = tree(&bed, &[("a", "one\n2\n3\n4\n5\n6\n7\n"), ("b", "1\n")]);
        let onto = tree(&bed, &[("a", "1\n2\n3\n4\n5\n6\nseven\n"), ("b", "1\n")]);
        let both = tree(&bed, &[("a", "one\n2\n3\n4\n5\n6\nseven\n"), ("b", "1\n")]);
        let other = tree(&bed, &[("a", "uno\n2\n3\n4\n5\n6\n7\n"), ("b", "1\n")]);
        let store = bed.store();
        let replayed = |onto| store.replay(&base, onto, &change).expect("git answers");
        assert_eq!(replayed(&onto), Replayed::Tree(both.clone()));
        assert_eq!(replayed(&other), Replayed::Conflict(vec!["a".to_owned()]));
        let id = |from, to, but: &[String]| store.change_id(from, to, but).expect("git answers");
        assert!(id(&base, &base, &[]).is_empty());
        assert!(!id(&base, &change, &[]).is_empty());
        assert_ne!(id(&base, &change, &[]), id(&base, &other, &[]));
        let but = ["(exclude,glob)**/a", "(exclude)memo"].map(|one| format!(":{one}"));
        assert!(id(&base, &change, &but).is_empty(), "what is left out changes nothing");
    }

    #[test]
    fn a_message_goes_through_the_persons_hook() {
        let bed = Testbed::new();
        bed.commit("a", "1");
        let store = bed.store();
        let asks = |text: &str| store.through_commit_msg(text, "p").expect("git answers");
        std::fs::create_dir_all(store.seed_dir()).expect("ours");
        assert_eq!(asks("x\n"), Ok("x\n".to_owned()), "there is none");
        bed.hook("commit-msg", "echo \"Ticket: $GIT_SEED_PENDING\" >> \"$1\"");
        assert_eq!(asks("x\n"), Ok("x\nTicket: p\n".to_owned()));
        bed.hook("commit-msg", "echo no; exit 3");
        assert_eq!(asks("x\n"), Err("no".to_owned()));
    }
}
