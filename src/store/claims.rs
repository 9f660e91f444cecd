//! The chain of the gate's records: one commit per record, signed where the person signs.
//!
//! An unsigned record is appended under the lock, as every chain is. A signature takes
//! another program, and no lock is held while one runs: so a signed record is made on top
//! of the tip that is seen, and moved in by compare-and-swap; whoever comes late signs
//! again. When others keep winning, or two seconds are over, the record goes in unsigned
//! and says why: the next signature vouches for all before it.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ffi::OsString;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use gix::ObjectId;
use gix::Repository;

use super::error::StoreError;
use super::object::Draft;
use super::{CommitId, Store, Tip, TreeEdit, UnixSeconds};
use crate::claims::record::Signed;
use crate::format::merge::is_join;
use crate::format::names;
use crate::world::progress;

/// The longest that signing one record may take, tries and all.
const PATIENCE: Duration = Duration::from_secs(2);
/// The longest that checking one signature may take.
const CHECK: Duration = Duration::from_secs(20);
/// Tries at a signature before it is left to a later record.
const SIGNED_TRIES: u32 = 4;
/// Tries under the lock. Others of ours wait for it; only a foreign hand moves the ref then.
const TRIES: u32 = 20;

/// What a record's commit holds.
#[derive(Clone, Debug)]
pub(crate) struct NewRecord {
    /// Files of its tree.
    pub files: Vec<(&'static str, Vec<u8>)>,
    pub message: String,
}

/// How a record is about to be signed, for the record itself to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sealing {
    pub signed: Signed,
    /// Why it is not.
    pub why: String,
}

/// Gives the record that goes on top of a tip, signed in this way.
pub(crate) type Make<'m, E> = dyn FnMut(Option<&Tip>, &Sealing) -> Result<NewRecord, E> + 'm;

/// Lays down what a record on top of this commit names, under the lock in which it comes.
pub(crate) type Lay<'l, E> = dyn Fn(Option<&CommitId>) -> Result<(), E> + 'l;

/// Whether the person signs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Signing {
    /// As git is configured; the key where git would not find the person's by itself.
    By(Signed, Option<String>),
    /// They did not ask for it, or what they asked for cannot be.
    No(String),
}

impl Store {
    /// How the person signs, by git's configuration.
    pub(crate) fn signing(&self) -> Result<Signing, StoreError> {
        let config = self.signing_config()?;
        let value =
            |key: &str| config.get(key).map(String::as_str).filter(|value| !value.is_empty());
        let asked = value("commit.gpgsign")
            .is_some_and(|value| !matches!(value, "false" | "no" | "off" | "0"));
        if !asked && value("user.signingkey").is_none() {
            return Ok(Signing::No("no signing key is configured".to_owned()));
        }
        let key = value("user.signingkey");
        Ok(match value("gpg.format").unwrap_or("openpgp") {
            "ssh" => Signing::By(Signed::Ssh, None),
            // Git would look for a key of git seed's own name.
            format @ ("openpgp" | "x509") => match (key, value("user.email")) {
                (None, None) => {
                    Signing::No("neither user.signingkey nor user.email is set".to_owned())
                }
                (None, Some(email)) => Signing::By(gpg(format), Some(email.to_owned())),
                (Some(_), _) => Signing::By(gpg(format), None),
            },
            other => Signing::No(format!("gpg.format is `{other}`, which git does not know")),
        })
    }

    /// Whether the person's git is set up to sign.
    pub(crate) fn can_sign(&self) -> Result<bool, StoreError> {
        Ok(matches!(self.signing()?, Signing::By(..)))
    }

    /// What git's configuration says of signing. A hook reads only the repository's own;
    /// the person's lies mostly in their home, so git is asked there.
    fn signing_config(&self) -> Result<BTreeMap<String, String>, StoreError> {
        const KEYS: [&str; 4] = ["user.signingkey", "user.email", "commit.gpgsign", "gpg.format"];
        if self.repo.open_options().permissions.config.user {
            let config = self.repo.config_snapshot();
            let value = |key: &str| Some((key.to_owned(), config.string(key)?.to_string()));
            return Ok(KEYS.into_iter().filter_map(value).collect());
        }
        let asked = [
            "config",
            "-z",
            "--get-regexp",
            r"^(user\.(signingkey|email)|commit\.gpgsign|gpg\.format)$",
        ];
        let outcome = self.git(asked).outcome()?;
        if !matches!(outcome.code, Some(0 | 1)) {
            return Err(outcome.failed());
        }
        let text = String::from_utf8_lossy(&outcome.stdout).into_owned();
        let pair = |record: &str| {
            record
                .split_once('\n')
                .map_or((record.to_owned(), "true".to_owned()), |(key, value)| {
                    (key.to_owned(), value.to_owned())
                })
        };
        Ok(text.split('\0').filter(|record| !record.is_empty()).map(pair).collect())
    }

    /// Adds a record on top of the chain. `make` is asked for it with the tip it goes on and
    /// how it is signed, again for each try; `lay` right before it is there.
    pub(crate) fn append_record<E: From<StoreError>>(
        &self,
        at: UnixSeconds,
        signing: &Signing,
        lay: &Lay<'_, E>,
        make: &mut Make<'_, E>,
    ) -> Result<CommitId, E> {
        let why = match signing {
            Signing::No(why) => why.clone(),
            Signing::By(signed, key) => {
                match self.append_signed(at, (*signed, key.as_deref()), lay, make)? {
                    Ok(id) => return Ok(id),
                    Err(why) => why,
                }
            }
        };
        self.append_unsigned(at, why, lay, make)
    }

    fn append_unsigned<E: From<StoreError>>(
        &self,
        at: UnixSeconds,
        why: String,
        lay: &Lay<'_, E>,
        make: &mut Make<'_, E>,
    ) -> Result<CommitId, E> {
        let sealing = Sealing { signed: Signed::Unsigned, why };
        let _lock = self.lock_for_long()?;
        let mut turn = 0;
        loop {
            turn += 1;
            let tip = self.tip(names::CLAIMS)?;
            let new = make(tip.as_ref(), &sealing)?;
            let draft = Draft::new(self);
            let tree = self.record_tree(&draft, &new)?;
            let parents = parent(tip.as_ref())?;
            let commit = draft.commit(tree, &parents, &new.message, at, names::CLAIMS)?;
            draft.settle()?;
            lay(tip.as_ref().map(|tip| &tip.commit))?;
            match self.swing(
                names::CLAIMS,
                parents.first().copied(),
                commit,
                first_line(&new.message),
                at,
            ) {
                Err(StoreError::Moved { .. } | StoreError::Held { .. }) if turn < TRIES => {
                    sleep(Duration::from_millis(u64::from(turn)));
                }
                done => return Ok(done.map(|()| commit.into())?),
            }
        }
    }

    /// Appends a signed record; the inner error says why there is no signature.
    fn append_signed<E: From<StoreError>>(
        &self,
        at: UnixSeconds,
        (signed, key): (Signed, Option<&str>),
        lay: &Lay<'_, E>,
        make: &mut Make<'_, E>,
    ) -> Result<Result<CommitId, String>, E> {
        let sealing = Sealing { signed, why: String::new() };
        let by = Signer { key, ends: Instant::now() + PATIENCE };
        for _ in 0..SIGNED_TRIES {
            let tip = self.tip(names::CLAIMS)?;
            let new = make(tip.as_ref(), &sealing)?;
            let draft = Draft::new(self);
            let tree = self.record_tree(&draft, &new)?;
            draft.settle()?;
            let parents = parent(tip.as_ref())?;
            let commit = match self.signed_commit(tree, &parents, &new.message, at, &by)? {
                Ok(commit) => commit,
                Err(why) => return Ok(Err(why)),
            };
            draft.adopt(commit);
            draft.settle()?;
            let _lock = self.lock_for_long()?;
            let stands = self.ref_target(names::CLAIMS)?;
            if stands != parents.first().copied() {
                continue;
            }
            lay(tip.as_ref().map(|tip| &tip.commit))?;
            match self.swing(
                names::CLAIMS,
                parents.first().copied(),
                commit,
                first_line(&new.message),
                at,
            ) {
                Err(StoreError::Moved { .. } | StoreError::Held { .. }) => {}
                done => return Ok(Ok(done.map(|()| commit.into())?)),
            }
        }
        Ok(Err("others kept writing; a later signature vouches for it".to_owned()))
    }

    fn record_tree(&self, draft: &Draft<'_>, new: &NewRecord) -> Result<ObjectId, StoreError> {
        let put = |(path, bytes): &(&str, Vec<u8>)| TreeEdit::Put {
            path: (*path).to_owned(),
            bytes: bytes.clone(),
        };
        let edits: Vec<TreeEdit> = new.files.iter().map(put).collect();
        self.edited(draft, None, &edits, names::CLAIMS)
    }

    /// A commit that git signs with the person's key, without any prompt; the inner error
    /// says why not.
    fn signed_commit(
        &self,
        tree: ObjectId,
        parents: &[ObjectId],
        message: &str,
        at: UnixSeconds,
        signer: &Signer<'_>,
    ) -> Result<Result<ObjectId, String>, StoreError> {
        let mut args = vec!["commit-tree".to_owned(), tree.to_string()];
        for parent in parents {
            args.extend(["-p".to_owned(), parent.to_string()]);
        }
        args.push(format!("-S{}", signer.key.unwrap_or_default()));
        let (name, email) = super::object::WRITER;
        let date = format!("@{} +0000", self.dated(at));
        let outcome = self
            .git(args)
            .envs([
                ("GIT_AUTHOR_NAME", name),
                ("GIT_AUTHOR_EMAIL", email),
                ("GIT_AUTHOR_DATE", &date),
            ])
            .envs([
                ("GIT_COMMITTER_NAME", name),
                ("GIT_COMMITTER_EMAIL", email),
                ("GIT_COMMITTER_DATE", &date),
            ])
            .without_prompts()
            .input(message.as_bytes().to_vec())
            .outcome_until(signer.ends)?;
        let Some(outcome) = outcome else {
            return Ok(Err("signing took longer than two seconds".to_owned()));
        };
        let said = String::from_utf8_lossy(&outcome.stdout).trim().to_owned();
        match ObjectId::from_hex(said.as_bytes()) {
            Ok(id) if outcome.code == Some(0) => {
                self.keep_moment(&said, at)?;
                Ok(Ok(id))
            }
            _ => Ok(Err(reason(&outcome.stderr))),
        }
    }

    /// The lock, waited for as long as a crowd of writers may take.
    fn lock_for_long(&self) -> Result<super::Lock, StoreError> {
        match self.lock() {
            Err(StoreError::Held { .. }) => self.lock(),
            done => done,
        }
    }
}

/// Whose key signs, and how long git may take over it.
struct Signer<'a> {
    /// The default key where there is none.
    key: Option<&'a str>,
    ends: Instant,
}

/// A commit of the records' chain as it lies there, its objects compared with their names.
#[derive(Debug)]
pub(crate) struct Laid<'a> {
    pub id: &'a CommitId,
    pub parents: &'a [CommitId],
    /// The signature in its head, armour and all.
    pub signature: Option<&'a str>,
    /// It joins two chains and is no record.
    pub joins: bool,
    /// The bytes of the record; else why they cannot be had.
    pub record: Result<Vec<u8>, String>,
    /// The table beside it and the name of its blob.
    pub table: Option<(String, Vec<u8>)>,
    /// The tree of the texts that are here, and where to read it.
    texts: Option<(&'a Repository, ObjectId)>,
}

impl Laid<'_> {
    /// The file of a text that the record names; why it cannot be had if it is here and damaged.
    pub(crate) fn text(&self, place: &str) -> Option<Result<Vec<u8>, String>> {
        let (repo, top) = self.texts?;
        let tree = repo.find_tree(top).ok()?;
        let entry = tree.lookup_entry_by_path(place).ok()??;
        Some(intact(repo, entry.object_id(), gix::objs::Kind::Blob))
    }
}

/// What of a chain could be read.
#[derive(Debug)]
pub(crate) struct Walked<T> {
    /// Oldest first.
    pub links: Vec<T>,
    /// The commit that could not be read, below the oldest one that could, and why.
    pub ended: Option<(CommitId, String)>,
}

/// The notes of a repository by the commit that each is on: its lines, or why they cannot
/// be read.
pub(crate) type Notes = BTreeMap<String, Result<Vec<String>, String>>;
/// Files, with first and last line of each part that is new.
pub(crate) type Lines = Vec<(String, Vec<(u64, u64)>)>;

/// What git says of a commit's signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Checked {
    Good,
    /// It is no signature over this commit.
    Bad(String),
    /// It is one, of a key that is not among the allowed ones.
    Foreign,
    /// There is no key to check it with.
    Unmeasured(String),
}

/// Where a walk over the chain had to end: a commit that is gone or damaged, and why.
type Torn = Option<(CommitId, String)>;

/// A commit of the chain before its files are looked at.
struct Head {
    id: CommitId,
    tree: ObjectId,
    parents: Vec<CommitId>,
    signature: Option<String>,
    /// It joins two chains and is no record.
    joins: bool,
}

impl Head {
    /// The commits that it goes on from: it has no others.
    fn before(&self) -> &[CommitId] {
        let most = if self.joins { 2 } else { 1 };
        &self.parents[..self.parents.len().min(most)]
    }
}

impl Store {
    /// Reads the records from `tip` down, every object hashed anew, and asks `each` for what
    /// to keep of them; on all processors at once.
    pub(crate) fn walk_records<T: Send>(
        &self,
        tip: &CommitId,
        each: &(dyn Fn(Laid<'_>) -> T + Sync),
    ) -> Result<Walked<T>, StoreError> {
        let (mut heads, ended) = self.record_heads(tip)?;
        heads.reverse();
        progress::of(heads.len());
        let many = std::thread::available_parallelism().map_or(1, usize::from).min(8);
        let share = heads.len().div_ceil(many).max(64);
        let (git_dir, options) = (&self.git_dir, self.repo.open_options());
        let texts = self.texts_tree()?;
        let parts: Vec<Result<Vec<T>, StoreError>> = std::thread::scope(|scope| {
            let read = |heads: &[Head]| -> Result<Vec<T>, StoreError> {
                let repo = gix::open_opts(git_dir, options.clone())
                    .map_err(|err| StoreError::unreadable(names::CLAIMS.to_owned(), &err))?;
                let mut tables = BTreeMap::new();
                Ok(heads.iter().map(|head| each(laid(&repo, head, texts, &mut tables))).collect())
            };
            let running: Vec<_> =
                heads.chunks(share).map(|part| scope.spawn(move || read(part))).collect();
            let gone = || Err(StoreError::odd(names::CLAIMS.to_owned(), "a reader of it stopped"));
            running.into_iter().map(|one| one.join().unwrap_or_else(|_| gone())).collect()
        });
        let mut links = Vec::with_capacity(heads.len());
        for part in parts {
            links.extend(part?);
        }
        Ok(Walked { links, ended })
    }

    /// The commit that `chain` stands at, whether or not it reads.
    pub(crate) fn stands_at(&self, chain: &str) -> Result<Option<CommitId>, StoreError> {
        Ok(self.ref_target(chain)?.map(Into::into))
    }

    /// The tree of a commit whose bytes are those it is named by; `None` if it is not here.
    pub(crate) fn intact_tree(&self, commit: &CommitId) -> Result<Option<String>, String> {
        let id = commit.object().map_err(|err| err.to_string())?;
        if !self.repo.has_object(id) {
            return Ok(None);
        }
        let bytes = intact(&self.repo, id, gix::objs::Kind::Commit)?;
        Ok(Some(head_of(id, &bytes)?.tree.to_string()))
    }

    fn record_heads(&self, tip: &CommitId) -> Result<(Vec<Head>, Torn), StoreError> {
        let (mut heads, mut torn) = (BTreeMap::new(), None);
        let mut ahead = vec![tip.clone()];
        while let Some(commit) = ahead.pop() {
            if heads.contains_key(&commit) {
                continue;
            }
            let id = commit.object()?;
            let head = intact(&self.repo, id, gix::objs::Kind::Commit)
                .and_then(|bytes| head_of(id, &bytes));
            match head {
                Ok(head) => {
                    ahead.extend(head.before().iter().cloned());
                    heads.insert(commit, head);
                }
                Err(why) => torn = torn.or(Some((commit, why))),
            }
        }
        let order =
            super::joined::order(tip, |id| heads.get(id).map(|head| head.before().to_vec()));
        Ok((order.iter().rev().filter_map(|id| heads.remove(id)).collect(), torn))
    }

    /// The ids of the chain from `tip` down, as far as it is here, newest first.
    pub(crate) fn ids_from(&self, tip: &CommitId) -> Vec<CommitId> {
        let mut ids = super::joined::order(tip, |id| {
            let id = id.object().ok()?;
            let bytes = intact(&self.repo, id, gix::objs::Kind::Commit).ok()?;
            // What does not read ends its side.
            Some(head_of(id, &bytes).ok()?.before().to_vec())
        });
        ids.reverse();
        ids
    }

    /// Every note below `refs/notes/seed`, by the commit it is on: its lines, or why they
    /// cannot be read. `None` where there are no notes at all.
    pub(crate) fn all_notes(&self) -> Result<Option<Notes>, StoreError> {
        let Some(tip) = self.ref_target(names::COMMIT_NOTES)? else { return Ok(None) };
        let mut notes = BTreeMap::new();
        let read =
            intact(&self.repo, tip, gix::objs::Kind::Commit).and_then(|bytes| head_of(tip, &bytes));
        match read {
            // Begun, and nothing was written yet.
            Ok(head) if head.tree.is_empty_tree() => return Ok(None),
            Ok(head) => self.notes_below(head.tree, "", &mut notes),
            Err(why) => drop(notes.insert(tip.to_string(), Err(why))),
        }
        Ok(Some(notes))
    }

    fn notes_below(&self, tree: ObjectId, above: &str, notes: &mut Notes) {
        let bytes = match intact(&self.repo, tree, gix::objs::Kind::Tree) {
            Ok(bytes) => bytes,
            Err(why) => return drop(notes.insert(format!("{above}{tree}"), Err(why))),
        };
        for entry in gix::objs::TreeRefIter::from_bytes(&bytes, tree.kind()).flatten() {
            let name = format!("{above}{}", entry.filename);
            let id = entry.oid.to_owned();
            if entry.mode.is_tree() {
                self.notes_below(id, &name, notes);
                continue;
            }
            let lines = intact(&self.repo, id, gix::objs::Kind::Blob).map(|bytes| {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
            });
            notes.insert(name, lines);
        }
    }

    /// Asks git about the signature of `commit`: against the keys in `keys`, else those that
    /// git's configuration names.
    pub(crate) fn check_signature(
        &self,
        commit: &CommitId,
        keys: Option<&Path>,
    ) -> Result<Checked, StoreError> {
        self.check_within(commit, keys, CHECK)
    }

    /// The same within a time.
    pub(super) fn check_within(
        &self,
        commit: &CommitId,
        keys: Option<&Path>,
        most: Duration,
    ) -> Result<Checked, StoreError> {
        let mut args = self.own_programs()?;
        if let Some(keys) = keys {
            let mut setting = OsString::from("gpg.ssh.allowedSignersFile=");
            setting.push(std::path::absolute(keys)?);
            args.extend(["-c".into(), setting]);
        }
        args.extend(["verify-commit", "--raw", commit.as_str()].map(OsString::from));
        let ends = Instant::now() + most;
        let child = self.git(args).without_prompts().without_fetches();
        let Some(outcome) = child.outcome_until(ends)? else {
            return Ok(Checked::Unmeasured("checking its signature took too long".to_owned()));
        };
        if outcome.code == Some(0) {
            return Ok(Checked::Good);
        }
        let said = String::from_utf8_lossy(&[outcome.stdout, outcome.stderr].concat()).into_owned();
        let unmeasured = [
            "NO_PUBKEY",
            "allowedSignersFile needs to be configured",
            "cannot run",
            "No such file",
        ];
        // ssh-keygen calls the signature good, whoever made it.
        if said.contains("No principal matched") {
            return Ok(Checked::Foreign);
        }
        let line = reason(said.as_bytes());
        Ok(if unmeasured.iter().any(|mark| said.contains(mark)) {
            Checked::Unmeasured(line)
        } else {
            Checked::Bad(line)
        })
    }

    /// Settings that have git's own programs check a signature where the repository itself, which
    /// is what is being checked, names others.
    fn own_programs(&self) -> Result<Vec<OsString>, StoreError> {
        let named = self
            .git(["config", "--show-scope", "--get-regexp", r"^gpg\.(ssh\.|x509\.)?program$"])
            .outcome()?;
        let named = String::from_utf8_lossy(&named.stdout).into_owned();
        let here = |line: &&str| line.starts_with("local\t") || line.starts_with("worktree\t");
        if !named.lines().any(|line| here(&line)) {
            return Ok(Vec::new());
        }
        let own = ["gpg.ssh.program=ssh-keygen", "gpg.program=gpg", "gpg.x509.program=gpgsm"];
        Ok(own.into_iter().flat_map(|setting| ["-c".into(), setting.into()]).collect())
    }

    /// The copies of the records' chain that were fetched: what each remote had.
    pub(crate) fn fetched_records(&self) -> Result<Vec<(String, CommitId)>, StoreError> {
        let mut found = self.chains("refs/remotes/")?;
        found.retain(|(name, _)| name.ends_with("/seed/claims"));
        Ok(found)
    }

    /// The files that differ between `base` and `tree`, with the lines of each as they are in
    /// `tree`; without a base, those that `commit` changed. `None` where a tree is not here.
    pub(crate) fn changed_lines(
        &self,
        base: Option<&CommitId>,
        commit: &CommitId,
        tree: &str,
    ) -> Result<Option<Lines>, StoreError> {
        let here =
            |id: &str| ObjectId::from_hex(id.as_bytes()).is_ok_and(|id| self.repo.has_object(id));
        if !here(commit.as_str()) || !here(tree) {
            return Ok(None);
        }
        let pair = match base {
            Some(base) => vec![base.as_str(), tree],
            None => vec!["--root", commit.as_str()],
        };
        let args = [
            "diff-tree",
            "-r",
            "-p",
            "-U0",
            "--no-commit-id",
            "--no-color",
            "--no-ext-diff",
            "--no-textconv",
            "--no-renames",
            "--src-prefix=a/",
            "--dst-prefix=b/",
        ];
        let out =
            self.git(["-c", "core.quotePath=false"].into_iter().chain(args).chain(pair)).run()?;
        Ok(Some(hunks(&String::from_utf8_lossy(&out))))
    }

    /// The trees of the commits that `tips` reach and no remote is known to have.
    pub(crate) fn unpushed_trees(&self, tips: &[CommitId]) -> Result<Vec<String>, StoreError> {
        let there = |tip: &&CommitId| tip.as_str().bytes().any(|digit| digit != b'0');
        let tips: Vec<&str> = tips.iter().filter(there).map(CommitId::as_str).collect();
        if tips.is_empty() {
            return Ok(Vec::new());
        }
        let args = ["log", "--no-show-signature", "--max-count=1000", "--format=%T"].into_iter();
        let out = self.git(args.chain(tips).chain(["--not", "--remotes", "--"])).run()?;
        Ok(String::from_utf8_lossy(&out).lines().map(str::to_owned).collect())
    }

    /// The commits of `range` with their trees, newest first.
    pub(crate) fn commits_of(&self, range: &str) -> Result<Vec<(CommitId, String)>, StoreError> {
        let args =
            ["log", "--no-show-signature", "--format=%H %T", "--end-of-options", range, "--"];
        let out = self.git(args).run()?;
        let pair = |line: &str| {
            let (commit, tree) = line.split_once(' ')?;
            Some((commit.parse().ok()?, tree.to_owned()))
        };
        Ok(String::from_utf8_lossy(&out).lines().filter_map(pair).collect())
    }

    /// The commits of `range` with a line `Seed-Id`, newest first, with their messages.
    pub(crate) fn seed_commits(&self, range: &str) -> Result<Vec<(CommitId, String)>, StoreError> {
        let args = [
            "log",
            "-z",
            "--no-show-signature",
            "--grep=^[[:space:]]*Seed-Id: ",
            "--grep=^Seed-Job: ",
            "--format=%H%n%B",
            "--end-of-options",
            range,
            "--",
        ];
        let out = self.git(args).run()?;
        let text = String::from_utf8_lossy(&out).into_owned();
        let records = text.split('\0').filter_map(|record| record.split_once('\n'));
        Ok(records
            .filter_map(|(id, message)| Some((id.trim().parse().ok()?, message.to_owned())))
            .collect())
    }
}

/// The files of a difference without context, with the lines that each has anew.
fn hunks(text: &str) -> Lines {
    let mut files = Lines::new();
    // How many lines of a hunk are still ahead: they may look like anything.
    let mut ahead = 0_u64;
    for line in text.lines() {
        if ahead > 0 {
            ahead -= u64::from(!line.starts_with('\\'));
        } else if let Some(path) = line.strip_prefix("+++ b/") {
            files.push((path.trim_end_matches('\t').to_owned(), Vec::new()));
        } else if let Some((old, new)) = hunk(line) {
            ahead = old.1 + new.1;
            if let Some((_, ranges)) = files.last_mut().filter(|_| new.1 > 0) {
                ranges.push((new.0, new.0 + new.1 - 1));
            }
        }
    }
    files
}

/// Start and count on both sides of `@@ -1,2 +3,4 @@`.
fn hunk(line: &str) -> Option<((u64, u64), (u64, u64))> {
    let (sides, _) = line.strip_prefix("@@ -")?.split_once(" @@")?;
    let (old, new) = sides.split_once(" +")?;
    let side = |text: &str| match text.split_once(',') {
        Some((start, count)) => Some((start.parse().ok()?, count.parse().ok()?)),
        None => Some((text.parse().ok()?, 1)),
    };
    Some((side(old)?, side(new)?))
}

/// The bytes of an object, if they are those that its name stands for.
fn intact(repo: &Repository, id: ObjectId, kind: gix::objs::Kind) -> Result<Vec<u8>, String> {
    let (found, data) = match loose_object(repo, id)? {
        Some(object) => object,
        None => match repo.try_find_object(id) {
            Ok(Some(object)) => (object.kind, object.detach().data),
            Ok(None) => return Err(format!("object {id} is missing")),
            Err(err) => {
                return Err(format!("object {id} cannot be read: {}", super::error::reason(&err)));
            }
        },
    };
    if found != kind {
        return Err(format!("object {id} is a {found}, not a {kind}"));
    }
    match gix::objs::compute_hash(id.kind(), kind, &data) {
        Ok(hash) if hash == id => Ok(data),
        Ok(_) => Err(format!("object {id} was changed: its bytes are not those it is named by")),
        Err(err) => Err(format!("object {id} cannot be hashed: {}", super::error::reason(&err))),
    }
}

/// A loose object, its file read to the last byte: the library stops where the content
/// ends, and what comes after it may be damaged too.
fn loose_object(
    repo: &Repository,
    id: ObjectId,
) -> Result<Option<(gix::objs::Kind, Vec<u8>)>, String> {
    let Ok(file) =
        std::fs::read(super::loose::path(repo.objects.store_ref().path(), &id.to_string()))
    else {
        return Ok(None);
    };
    let damaged = || format!("object {id} was changed: its file is damaged");
    let mut out = vec![0; file.len() * 4 + 512];
    let mut whole = loop {
        let mut inflate = gix::zlib::Inflate::default();
        match inflate.once(&file, &mut out) {
            Ok((gix::zlib::Status::StreamEnd, read, written)) if read == file.len() => {
                out.truncate(written);
                break out;
            }
            Ok((gix::zlib::Status::Ok | gix::zlib::Status::BufError, _, written))
                if written == out.len() =>
            {
                let longer = out.len() * 4;
                out.resize(longer, 0);
            }
            _ => return Err(damaged()),
        }
    };
    let (kind, size, head) = gix::objs::decode::loose_header(&whole).map_err(|_| damaged())?;
    whole.drain(..head);
    if usize::try_from(size) != Ok(whole.len()) {
        return Err(damaged());
    }
    Ok(Some((kind, whole)))
}

fn head_of(id: ObjectId, bytes: &[u8]) -> Result<Head, String> {
    let unread =
        |err: gix::Error| format!("commit {id} cannot be read: {}", super::error::reason(&err));
    let commit = gix::objs::CommitRef::from_bytes(bytes, id.kind()).map_err(unread)?;
    // A repository of the longer ids has the signature below another name.
    let headers = ["gpgsig", "gpgsig-sha256"];
    let signature =
        commit.extra_headers.iter().find(|(name, _)| headers.iter().any(|header| *name == header));
    let parents: Vec<CommitId> = commit.parents().map(Into::into).collect();
    let bare = commit.tree().is_empty_tree();
    Ok(Head {
        id: id.into(),
        tree: commit.tree(),
        joins: bare && parents.len() == 2 && is_join(&commit.message.to_string()),
        parents,
        signature: signature.map(|(_, value)| value.to_string()),
    })
}

fn laid<'a>(
    repo: &'a Repository,
    head: &'a Head,
    texts: Option<ObjectId>,
    tables: &mut BTreeMap<ObjectId, Vec<u8>>,
) -> Laid<'a> {
    let mut laid = Laid {
        id: &head.id,
        parents: &head.parents,
        signature: head.signature.as_deref(),
        joins: head.joins,
        record: Err("its tree holds no record".to_owned()),
        table: None,
        texts: texts.map(|top| (repo, top)),
    };
    let bytes = match intact(repo, head.tree, gix::objs::Kind::Tree) {
        Ok(bytes) => bytes,
        Err(why) => return Laid { record: Err(why), ..laid },
    };
    let mut table = Ok(());
    for entry in gix::objs::TreeRefIter::from_bytes(&bytes, head.tree.kind()).flatten() {
        let id = entry.oid.to_owned();
        match &**entry.filename {
            b"record.json" => laid.record = intact(repo, id, gix::objs::Kind::Blob),
            b"gate.json" => {
                if let Entry::Vacant(vacant) = tables.entry(id) {
                    table = intact(repo, id, gix::objs::Kind::Blob).map(|bytes| {
                        vacant.insert(bytes);
                    });
                }
                laid.table = tables.get(&id).map(|bytes| (id.to_string(), bytes.clone()));
            }
            other => {
                table = Err(format!(
                    "its tree holds `{}` beside the record",
                    String::from_utf8_lossy(other)
                ));
            }
        }
    }
    if let (Ok(_), Err(why)) = (&laid.record, table) {
        laid.record = Err(why);
    }
    laid
}

fn gpg(format: &str) -> Signed {
    if format == "x509" { Signed::X509 } else { Signed::Gpg }
}

fn parent(tip: Option<&Tip>) -> Result<Vec<ObjectId>, StoreError> {
    tip.map(|tip| tip.commit.object()).into_iter().collect()
}

fn first_line(message: &str) -> &str {
    message.lines().next().unwrap_or_default()
}

/// What the signing program complained of, in one short line.
fn reason(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr).into_owned();
    let said = text.lines().map(str::trim);
    // Of git's advice nothing is a complaint.
    let said = said.filter(|line| !line.is_empty() && !line.starts_with("hint:"));
    let line = said.into_iter().next().unwrap_or("git could not sign");
    line.chars().take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::testbed::Testbed;

    const AT: UnixSeconds = 1_790_000_000;

    fn add(store: &Store, name: &str, signing: &Signing) -> CommitId {
        let make: &mut Make<'_, StoreError> = &mut |tip, sealing| {
            let before = tip.map_or_else(|| "none".to_owned(), |tip| tip.commit.to_string());
            let text = format!("{name} after {before} {sealing:?}");
            Ok(NewRecord {
                files: vec![("record.json", text.into_bytes())],
                message: format!("{name}\n"),
            })
        };
        store.append_record(AT, signing, &|_| Ok(()), make).expect("appends")
    }

    fn no() -> Signing {
        Signing::No("nobody signs".to_owned())
    }

    #[expect(clippy::disallowed_macros, reason = "the figure is shown")]
    #[test]
    fn eight_writers_of_a_hundred_records_each_lose_none() {
        let bed = Testbed::new();
        bed.git(&["config", "core.fsync", "none"]);
        let begun = Instant::now();
        std::thread::scope(|scope| {
            for writer in 0..8 {
                let bed = &bed;
                scope.spawn(move || {
                    let store = bed.store();
                    for turn in 0..100 {
                        add(&store, &format!("{writer} {turn}"), &no());
                    }
                });
            }
        });
        let steps = bed.store().history(names::CLAIMS, usize::MAX).expect("reads");
        let mut kept: Vec<&str> = steps.iter().map(|step| step.message.trim()).collect();
        kept.sort_unstable();
        kept.dedup();
        println!("8 writers x 100 records at once: {} kept, {:?}", kept.len(), begun.elapsed());
        assert_eq!((kept.len(), steps.len()), (800, 800));
    }

    #[test]
    fn whether_a_person_signs_is_git_s_to_say() {
        let bed = Testbed::new();
        let set = |key: &str, value: &str| bed.git(&["config", key, value]);
        assert!(matches!(bed.store().signing().expect("asks"), Signing::No(_)));
        set("commit.gpgsign", "true");
        let person = Some("person@example.invalid".to_owned());
        assert_eq!(bed.store().signing().expect("asks"), Signing::By(Signed::Gpg, person));
        set("user.signingkey", "ABCD");
        assert_eq!(bed.store().signing().expect("asks"), Signing::By(Signed::Gpg, None));
        set("gpg.format", "ssh");
        assert_eq!(bed.store().signing().expect("asks"), Signing::By(Signed::Ssh, None));
        set("gpg.format", "runes");
        assert!(matches!(bed.store().signing().expect("asks"),
                Signing::No(why) if why.contains("runes")));
    }

    #[test]
    fn the_lines_of_a_difference_are_read() {
        let bed = Testbed::new();
        let first = bed.commit("a", "1\n2\n3\n");
        bed.commit("dir/new file", "++ b/x\n@@ -1 +1 @@\nend");
        let last = bed.commit("a", "1\n2 2\n3\n4");
        let store = bed.store();
        let tree = store.tree_of_commit(&last).expect("reads");
        let lines = |base, commit| {
            store.changed_lines(base, commit, tree.as_str()).expect("asks").expect("here")
        };
        let a = ("a".to_owned(), vec![(2, 2), (4, 4)]);
        assert_eq!(
            lines(Some(&first), &first),
            [a.clone(), ("dir/new file".to_owned(), vec![(1, 3)])]
        );
        assert_eq!(lines(None, &last), [a]);
        assert_eq!(lines(None, &first), [("a".to_owned(), vec![(1, 3)])]);
        let gone = "e".repeat(40).parse().expect("full");
        assert_eq!(store.changed_lines(None, &gone, tree.as_str()).expect("asks"), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_signature_that_does_not_come_is_not_waited_for() {
        let bed = Testbed::new();
        for (script, said) in
            [("exec sleep 60", "two seconds"), ("echo no card >&2; exit 1", "no card")]
        {
            bed.hook("signer", script);
            let program = bed.path().join(".git/hooks/signer");
            bed.git(&["config", "gpg.format", "ssh"]);
            bed.git(&["config", "gpg.ssh.program", program.to_str().expect("UTF-8")]);
            bed.git(&["config", "user.signingkey", "key::ssh-ed25519 AAAA"]);
            let begun = Instant::now();
            let id = add(&bed.store(), "one", &Signing::By(Signed::Ssh, None));
            assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
            let text = bed.git(&["cat-file", "blob", &format!("{id}:record.json")]);
            assert!(text.contains(said) && text.contains("Unsigned"), "{text}");
        }
        bed.is_sound();
    }
}
