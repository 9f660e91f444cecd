//! Chains: refs below `refs/seed` whose commits are the log and whose tip is the state.
//!
//! An append writes objects, syncs them, then moves the one ref by compare-and-swap:
//! killed anywhere, the chain is at the old or the new commit and both read. A writer
//! that comes late loses politely with [`StoreError::Moved`] and nothing is changed.
//! Refs are written with a reflog, which is the cheapest undo there is.

use std::fs;
use std::io::{self, Read as _};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, SystemTime};

use gix::ObjectId;
use gix::objs::tree::EntryKind;
use gix::refs::transaction::{LogChange, PreviousValue, RefEdit, RefLog};
use gix::refs::{FullName, Target};

use super::error::StoreError;
use super::object::{Draft, signature, unwritten};
use super::refs::seen;
use super::{CommitId, RepoPath, Store, TreeId, UnixSeconds};
use crate::format::merge::is_join;
use crate::format::names::{CLAIMS, FOCUS};
use crate::world::{open_unblocked, remove_if_there, sync};

/// The beginning of a file, at one go: the file of a ref is never as long.
fn beginning(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; 4096];
    // What a pipe or a device says is no ref.
    let mut file = open_unblocked(fs::OpenOptions::new().read(true), path)?;
    let count = file.read(&mut bytes)?;
    bytes.truncate(count);
    Ok(bytes)
}

/// What the file of a loose ref says.
fn loose_target(text: &[u8]) -> Option<Target> {
    let text = std::str::from_utf8(text).ok()?.trim_end();
    match text.strip_prefix("ref:") {
        Some(name) => full_name(name.trim_start()).ok().map(Target::Symbolic),
        None => ObjectId::from_hex(text.as_bytes()).ok().map(Target::Object),
    }
}

/// A ref's lock older than this was left by a killed program: ours are held for
/// microseconds, and nobody else writes below `refs/seed`.
const STALE: Duration = Duration::from_secs(10);

/// Where a chain stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tip {
    pub commit: CommitId,
    /// The state.
    pub tree: TreeId,
}

/// One change to a chain's state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TreeEdit {
    /// The file `path` has these bytes.
    Put { path: String, bytes: Vec<u8> },
    /// Nothing is at `path`, neither a file nor a directory.
    Remove { path: String },
    /// The directory `path` is this tree, which is here already.
    Graft { path: String, tree: TreeId },
    /// The commit `commit` is named at `path`, and not held by it.
    Link { path: String, commit: CommitId },
}

/// A commit that a chain is to have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewStep<'a> {
    pub edits: &'a [TreeEdit],
    /// The whole message.
    pub message: &'a str,
    pub at: UnixSeconds,
}

/// One commit of a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub commit: CommitId,
    /// The whole message.
    pub message: String,
    pub at: UnixSeconds,
    /// The same as the commit says it: the day, where no more travels.
    pub dated: UnixSeconds,
    /// The commit that it was taken on, and whatever else it holds.
    pub parents: Vec<CommitId>,
    /// Why whoever joined its side with another let it fall; none where it stands.
    pub rejected: Option<String>,
}

impl Store {
    /// Where `chain` stands; `None` if there is no such chain.
    pub(crate) fn tip(&self, chain: &str) -> Result<Option<Tip>, StoreError> {
        let Some(commit) = self.ref_target(chain)? else { return Ok(None) };
        let tree = self.tree_of(commit, chain)?;
        Ok(Some(Tip { commit: commit.into(), tree: tree.into() }))
    }

    /// The commit a direct ref points to.
    pub(super) fn ref_target(&self, name: &str) -> Result<Option<ObjectId>, StoreError> {
        match self.target(name)? {
            None => Ok(None),
            Some(Target::Object(id)) => Ok(Some(id)),
            Some(Target::Symbolic(to)) => Err(StoreError::odd(
                name.to_owned(),
                &format!("it is a symbolic ref to `{}`", to.as_bstr()),
            )),
        }
    }

    /// What the ref called exactly `name` points to.
    ///
    /// The library would go on to `refs/tags/refs/…` and further for a ref that is not
    /// there, and asks for packed refs before it has seen the loose one.
    pub(super) fn target(&self, name: &str) -> Result<Option<Target>, StoreError> {
        if let Some(carried) = self.carries(name) {
            return Ok(carried.get(name).map(CommitId::object).transpose()?.map(Target::Object));
        }
        let name = &*self.read_at(name);
        let full = full_name(name)?;
        let refs = &self.repo.refs;
        let unread = |err: gix::Error| StoreError::unreadable(name.to_owned(), &err);
        let absent = |kind| matches!(kind, io::ErrorKind::NotFound | io::ErrorKind::IsADirectory);
        let loose = match beginning(&self.ref_file(name)) {
            Ok(text) if refs.namespace.is_none() => text,
            // The library would wait for who writes into it.
            Err(err) if err.kind() == io::ErrorKind::WouldBlock => return Err(err.into()),
            Err(err) if absent(err.kind()) && refs.namespace.is_none() => {
                let Some(packed) = refs.cached_packed_buffer().map_err(unread)? else {
                    return Ok(None);
                };
                let found = packed.try_find(full.as_ref()).map_err(unread)?;
                return Ok(found.map(|found| Target::Object(found.target())));
            }
            _ => {
                let found = refs.try_find(full.as_ref()).map_err(unread)?;
                return Ok(found.map(|found| found.target));
            }
        };
        if name.starts_with("refs/seed/") {
            self.loose.look_once();
        }
        loose_target(&loose)
            .map(Some)
            .ok_or_else(|| StoreError::odd(name.to_owned(), "its file holds no ref"))
    }

    pub(super) fn tree_of(&self, commit: ObjectId, what: &str) -> Result<ObjectId, StoreError> {
        let tree = self.commit_object(commit, what)?.tree_id();
        tree.map(gix::Id::detach)
            .map_err(|err| StoreError::unreadable(format!("{what} ({commit})"), &err))
    }

    /// The bytes of the file at `path` of a chain's state; `None` if there is none.
    pub(crate) fn file(&self, tip: &Tip, path: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.blob_in(
            &tip.tree,
            path.as_bytes(),
            &format!("refs/seed commit {}: `{path}`", tip.commit),
        )
    }

    /// The bytes of a file in the tree of any commit; for repairs.
    pub(crate) fn file_of_commit(
        &self,
        commit: &CommitId,
        path: &str,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let tree = self.tree_of(commit.object()?, "a commit of a reflog")?;
        self.blob_in(&tree.into(), path.as_bytes(), "a commit of a reflog")
    }

    pub(super) fn blob_in(
        &self,
        tree: &TreeId,
        path: &[u8],
        what: &str,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        match self.entry_in(tree, path, what)? {
            Some((mode, id)) if mode.is_blob_or_symlink() => {
                Ok(Some(self.object(id, what)?.detach().data))
            }
            _ => Ok(None),
        }
    }

    pub(super) fn entry_in(
        &self,
        tree: &TreeId,
        path: &[u8],
        what: &str,
    ) -> Result<Option<(gix::objs::tree::EntryMode, ObjectId)>, StoreError> {
        let mut tree = self.tree_object(tree.object()?, what)?;
        let mut names = path.split(|byte| *byte == b'/').peekable();
        while let Some(name) = names.next() {
            let entry = tree.find_entry(name).map(|entry| (entry.mode(), entry.object_id()));
            match entry {
                found if names.peek().is_none() => return Ok(found),
                Some((mode, id)) if mode.is_tree() => tree = self.tree_object(id, what)?,
                _ => return Ok(None),
            }
        }
        Ok(None)
    }

    /// The names in directory `dir` of a chain's state (`""` is the top), in git's order.
    /// A directory that is not there has none.
    pub(crate) fn names(&self, tip: &Tip, dir: &str) -> Result<Vec<String>, StoreError> {
        let what = format!("refs/seed commit {}: `{dir}`", tip.commit);
        let id = match dir {
            "" => Some(tip.tree.object()?),
            _ => self
                .entry_in(&tip.tree, dir.as_bytes(), &what)?
                .filter(|(mode, _)| mode.is_tree())
                .map(|(_, id)| id),
        };
        let Some(id) = id else { return Ok(Vec::new()) };
        let tree = self.tree_object(id, &what)?;
        let entries = tree.decode().map_err(|err| StoreError::unreadable(what, &err))?.entries;
        Ok(entries.iter().map(|entry| entry.filename.to_string()).collect())
    }

    /// Adds a commit on top of `after` with `edits` made to its state, and moves the
    /// chain to it. `after = None` opens a new chain. Parts of the state that no edit
    /// touches are reused as they are.
    ///
    /// # Errors
    ///
    /// [`StoreError::Moved`] if the chain is not at `after`; nothing is changed then.
    pub(crate) fn append(
        &self,
        chain: &str,
        after: Option<&CommitId>,
        edits: &[TreeEdit],
        message: &str,
        at: UnixSeconds,
    ) -> Result<CommitId, StoreError> {
        self.append_holding(chain, after, &NewStep { edits, message, at }, &[])
    }

    /// Adds a commit as [`Store::append`] does. The chain keeps `extra_parents` alive, too;
    /// they are no steps of it.
    ///
    /// # Errors
    ///
    /// [`StoreError::Moved`] if the chain is not at `after`; nothing is changed then.
    pub(crate) fn append_holding(
        &self,
        chain: &str,
        after: Option<&CommitId>,
        step: &NewStep<'_>,
        extra_parents: &[CommitId],
    ) -> Result<CommitId, StoreError> {
        let NewStep { edits, message, at } = *step;
        let after = after.map(CommitId::object).transpose()?;
        if self.ref_target(chain)? != after {
            return Err(moved(chain));
        }
        let base = after.map(|commit| self.tree_of(commit, chain)).transpose()?;
        let draft = Draft::new(self);
        let tree = self.edited(&draft, base, edits, chain)?;
        let mut parents: Vec<ObjectId> = after.into_iter().collect();
        for parent in extra_parents {
            parents.push(parent.object()?);
        }
        let commit = draft.commit(tree, &parents, message, at, chain)?;
        draft.settle()?;
        self.swing(chain, after, commit, subject(message), at)?;
        Ok(commit.into())
    }

    pub(super) fn edited(
        &self,
        draft: &Draft<'_>,
        base: Option<ObjectId>,
        edits: &[TreeEdit],
        chain: &str,
    ) -> Result<ObjectId, StoreError> {
        let base = base.unwrap_or_else(|| ObjectId::empty_tree(self.repo.object_hash()));
        let unread = |err: gix::Error| StoreError::unreadable(format!("{chain} ({base})"), &err);
        let root = self.tree_object(base, chain)?.decode().map_err(unread)?.into();
        let mut editor =
            gix::objs::tree::Editor::new(root, &self.repo.objects, self.repo.object_hash());
        for edit in edits {
            match edit {
                TreeEdit::Put { path, bytes } => {
                    let blob = draft.blob(bytes, path)?;
                    editor.upsert(components(path)?, EntryKind::Blob, blob).map_err(unread)?;
                }
                TreeEdit::Remove { path } => {
                    editor.remove(components(path)?).map_err(unread)?;
                }
                TreeEdit::Graft { path, tree } => {
                    editor
                        .upsert(components(path)?, EntryKind::Tree, tree.object()?)
                        .map_err(unread)?;
                }
                TreeEdit::Link { path, commit } => {
                    let commit = commit.object()?;
                    editor.upsert(components(path)?, EntryKind::Commit, commit).map_err(unread)?;
                }
            }
        }
        editor
            .write(|tree| gix::objs::Write::write(draft, tree))
            .map_err(|err| unwritten(&format!("{chain}: its tree"), &err))
    }

    /// Moves `name` from `from` to `to`, or creates it; then makes the move durable.
    pub(super) fn swing(
        &self,
        name: &str,
        from: Option<ObjectId>,
        to: ObjectId,
        reflog: &str,
        at: UnixSeconds,
    ) -> Result<(), StoreError> {
        let expected = from.map_or(PreviousValue::MustNotExist, |id| {
            PreviousValue::MustExistAndMatch(Target::Object(id))
        });
        let log = LogChange {
            mode: RefLog::AndReference,
            force_create_reflog: true,
            message: reflog.into(),
        };
        let edit = RefEdit::update_with_log(full_name(name)?, to, expected, log);
        // What replaces a file is on the disk with its name once it is synced, as with objects.
        let file = self.ref_file(name);
        let replaces = file.is_file();
        self.edit_ref(name, &edit, at)?;
        if replaces && self.is_synced() { Ok(sync(&file)?) } else { self.settle_ref(name) }
    }

    /// Makes one change to one ref. A lock that a killed program left is removed first.
    pub(super) fn edit_ref(
        &self,
        name: &str,
        edit: &RefEdit,
        at: UnixSeconds,
    ) -> Result<(), StoreError> {
        if self.fetched.is_some() {
            let why = "what a remote has is only read".to_owned();
            return Err(StoreError::Invalid { what: name.to_owned(), why });
        }
        // A symbolic ref says only here what it was.
        let focus = if name == FOCUS { self.focus_name()? } else { None };
        let signature = signature(at);
        let mut buffer = gix::date::parse::TimeBuf::default();
        let committer = signature.to_ref(&mut buffer);
        let attempt = || self.repo.edit_references_as(Some(edit.clone()), Some(committer));
        let _lock = self.lock_if_free();
        self.names_moves(&self.line_of(name, edit))?;
        let result = match attempt() {
            Err(err) if err.is_retryable() && self.break_stale_lock(name)? => attempt(),
            result => result,
        };
        match result {
            Ok(_) => {
                self.has_moved(name, edit, focus);
                Ok(())
            }
            Err(err) if err.is_conflict() || err.is_not_found() => Err(moved(name)),
            Err(err) if err.is_retryable() => Err(StoreError::Held { path: self.ref_lock(name) }),
            Err(err) => Err(unmoved(name, &err)),
        }
    }

    /// Where the loose file of a ref lies; refs of one worktree lie in its own directory.
    pub(super) fn ref_file(&self, name: &str) -> PathBuf {
        let own = name.starts_with("refs/worktree/") || name == "HEAD";
        (if own { &self.git_dir } else { &self.common_dir }).join(name)
    }

    fn ref_lock(&self, name: &str) -> PathBuf {
        let mut path = self.ref_file(name).into_os_string();
        path.push(".lock");
        path.into()
    }

    /// Removes the lock of one of our refs if its writer must be dead, and says so.
    ///
    /// Only below our own names and only while no other git seed runs: locks of the
    /// person's refs, of the index and of packed refs are never touched.
    fn break_stale_lock(&self, name: &str) -> Result<bool, StoreError> {
        let path = self.ref_lock(name);
        let ours = ["refs/seed/", "refs/worktree/seed/", "refs/notes/seed"]
            .iter()
            .any(|own| name.starts_with(own));
        if !ours || !is_older(&path, STALE) {
            return Ok(false);
        }
        let _alone = self.lock()?;
        let before = modified(&path);
        sleep(Duration::from_secs(1));
        if before.is_none() || modified(&path) != before {
            return Ok(false);
        }
        fs::remove_file(&path)?;
        Ok(true)
    }

    fn settle_ref(&self, name: &str) -> Result<(), StoreError> {
        if !self.is_synced() {
            return Ok(());
        }
        let file = self.ref_file(name);
        sync(&file)?;
        let depth = name.split('/').count() - 1;
        file.ancestors().skip(1).take(depth).try_for_each(sync).map_err(StoreError::from)
    }

    /// The log of a ref of ours goes: it would hold what the ref has left.
    pub(crate) fn forget_log(&self, name: &str) -> Result<(), StoreError> {
        Ok(remove_if_there(self.common_dir.join("logs").join(name))?)
    }

    /// The newest `limit` commits of a chain, newest first, in its one line. Steps that fell where
    /// two sides were joined are left out.
    pub(crate) fn history(&self, chain: &str, limit: usize) -> Result<Vec<Step>, StoreError> {
        match self.ref_target(chain)? {
            Some(tip) => self.steps_from(tip, chain, limit),
            None => Ok(Vec::new()),
        }
    }

    /// The same from one commit of a chain on, whether or not a ref names it.
    pub(crate) fn history_from(
        &self,
        commit: &CommitId,
        limit: usize,
    ) -> Result<Vec<Step>, StoreError> {
        match self.steps_from(commit.object()?, "refs/seed", limit) {
            // A shallow clone ends somewhere: what lies before is not here, and nothing is broken.
            Err(StoreError::Missing { .. }) if self.repo.is_shallow().unwrap_or(false) => {
                let mut steps = Vec::new();
                let mut next = Some(commit.object()?);
                while let Some(id) = next.filter(|_| steps.len() < limit) {
                    let Ok(one) = self.steps_from(id, "refs/seed", 1) else { break };
                    next = one.first().and_then(|step| step.parents.first()?.object().ok());
                    steps.extend(one);
                }
                Ok(steps)
            }
            read => read,
        }
    }

    fn steps_from(
        &self,
        from: ObjectId,
        chain: &str,
        limit: usize,
    ) -> Result<Vec<Step>, StoreError> {
        let mut steps = Vec::new();
        let limited = |step: Step| -> Result<ControlFlow<()>, StoreError> {
            steps.push(step);
            Ok(if steps.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        };
        if limit > 0 {
            self.each_step_from(from, chain, limited)?;
        }
        Ok(steps)
    }

    /// Hands the steps of a chain to `each`, newest first, until it has enough.
    pub(crate) fn each_step<E: From<StoreError>>(
        &self,
        chain: &str,
        each: impl FnMut(Step) -> Result<ControlFlow<()>, E>,
    ) -> Result<(), E> {
        match self.ref_target(chain)? {
            Some(tip) => self.each_step_from(tip, chain, each),
            None => Ok(()),
        }
    }

    pub(super) fn each_step_from<E: From<StoreError>>(
        &self,
        from: ObjectId,
        chain: &str,
        mut each: impl FnMut(Step) -> Result<ControlFlow<()>, E>,
    ) -> Result<(), E> {
        let mut next = Some(from);
        while let Some(id) = next {
            let step = self.step_at(id, chain)?;
            if step.parents.len() > 1 && is_join(&step.message) {
                let line = self.line_to(&step.commit)?;
                // What joins two chains of records is no record.
                let is_told = |step: &Step| {
                    step.rejected.is_none() && (chain != CLAIMS || !is_join(&step.message))
                };
                for step in line.into_iter().rev().filter(is_told) {
                    if each(step)?.is_break() {
                        break;
                    }
                }
                break;
            }
            next = step.parents.first().map(CommitId::object).transpose()?;
            if each(step)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    /// The chains whose names start with `prefix`, such as `refs/seed/jobs/`, by name.
    ///
    /// While git packs refs, one may be in the file of packed ones, which was read before, no
    /// longer in a file of its own: what was read while that file changed is read again.
    pub(crate) fn chains(&self, prefix: &str) -> Result<Vec<(String, CommitId)>, StoreError> {
        const TIMES: usize = 1000;
        let packed = || seen(&self.common_dir.join("packed-refs"));
        let (mut before, mut failed) = (packed(), None);
        for _ in 1..TIMES {
            let read = self.chains_once(prefix);
            let after = packed();
            // A file that went between its name and its text is no damage: the next time it is
            // gone, or another one is on its way. Damage fails twice alike.
            let why = read.as_ref().err().map(ToString::to_string);
            if after == before && (why.is_none() || why == failed) {
                return read;
            }
            (before, failed) = (after, why);
        }
        self.chains_once(prefix)
    }

    fn chains_once(&self, prefix: &str) -> Result<Vec<(String, CommitId)>, StoreError> {
        if let Some(carried) = self.carries(prefix) {
            let ours = carried.iter().filter(|(name, _)| name.starts_with(prefix));
            return Ok(ours.map(|(name, id)| (name.clone(), id.clone())).collect());
        }
        let unread = |err: gix::Error| StoreError::unreadable(prefix.to_owned(), &err);
        let platform = self.repo.references().map_err(unread)?;
        let mut chains = Vec::new();
        let read_at = self.read_at(prefix);
        for reference in platform.prefixed(read_at.as_bytes()).map_err(unread)? {
            let reference = reference.map_err(unread)?;
            let name = reference.name().as_bstr().to_string();
            if let (Some(id), Some(rest)) = (reference.try_id(), name.strip_prefix(&*read_at)) {
                chains.push((format!("{prefix}{rest}"), id.detach().into()));
            }
        }
        chains.sort();
        Ok(chains)
    }

    /// Deletes a chain that is at `at`. Its commits stay until git prunes them.
    ///
    /// # Errors
    ///
    /// [`StoreError::Moved`] if it is elsewhere, [`StoreError::LoadedJob`] while a worktree
    /// has it in focus: a focus never dangles.
    pub(crate) fn delete_chain(&self, chain: &str, at: &CommitId) -> Result<(), StoreError> {
        if let Some(worktree) = self.focused_by(chain)? {
            return Err(StoreError::Focused { chain: chain.to_owned(), worktree });
        }
        let expected = PreviousValue::MustExistAndMatch(Target::Object(at.object()?));
        self.edit_ref(chain, &RefEdit::delete(full_name(chain)?, expected), 0)?;
        self.settle_ref(chain)
    }

    /// The tree `base` with `edits` made to it.
    pub(crate) fn tree_with(
        &self,
        base: &TreeId,
        edits: &[TreeEdit],
    ) -> Result<TreeId, StoreError> {
        let draft = Draft::new(self);
        let tree = self.edited(&draft, Some(base.object()?), edits, "the fence's tree")?;
        draft.settle()?;
        Ok(tree.into())
    }

    /// Keeps the objects of `tree` alive: it becomes the tree of `chain`'s tip.
    /// Free if it is that already.
    pub(crate) fn keep_tree(
        &self,
        chain: &str,
        tree: &TreeId,
        at: UnixSeconds,
    ) -> Result<(), StoreError> {
        self.keep_both(chain, None, Some(tree), at)
    }

    /// Keeps `pinned` alive through any rebase and gc: it becomes a parent in `chain`
    /// (`refs/seed/keep/<id>`), whose tree is empty. Free if it was the last one pinned.
    pub(crate) fn keep(
        &self,
        chain: &str,
        pinned: &CommitId,
        at: UnixSeconds,
    ) -> Result<(), StoreError> {
        self.keep_both(chain, Some(pinned), None, at)
    }

    /// What [`Store::keep`] and [`Store::keep_tree`] do, in one commit where both are new.
    pub(crate) fn keep_both(
        &self,
        chain: &str,
        pinned: Option<&CommitId>,
        tree: Option<&TreeId>,
        at: UnixSeconds,
    ) -> Result<(), StoreError> {
        let before = self.ref_target(chain)?;
        let tip = before.map(|tip| self.commit_object(tip, chain)).transpose()?;
        let mut pin = pinned.map(CommitId::object).transpose()?;
        if let Some(pin) = pin {
            self.commit_object(pin, "the commit to keep")?;
        }
        let last = tip.as_ref().and_then(|tip| tip.parent_ids().last().map(gix::Id::detach));
        pin = pin.filter(|pin| last != Some(*pin));
        let tree = tree.map(TreeId::object).transpose()?;
        let known = before.map(|tip| self.tree_of(tip, chain)).transpose()?;
        let messages = [
            pin.map(|pin| format!("keep {pin}\n")),
            tree.filter(|tree| known != Some(*tree)).map(|tree| format!("keep tree {tree}\n")),
        ];
        let message = messages.into_iter().flatten().collect::<Vec<_>>().join("\n");
        if message.is_empty() {
            return Ok(());
        }
        let draft = Draft::new(self);
        let tree = match tree {
            Some(tree) => tree,
            None => draft.tree(&format!("{chain}: its tree"))?,
        };
        let parents: Vec<ObjectId> = before.into_iter().chain(pin).collect();
        let commit = draft.commit(tree, &parents, &message, at, chain)?;
        draft.settle()?;
        self.swing(chain, before, commit, subject(&message), at)
    }
}

fn unmoved(name: &str, err: &gix::Error) -> StoreError {
    match err.downcast_any_ref::<io::Error>() {
        Some(disk) => StoreError::Io(io::Error::new(
            disk.kind(),
            format!("`{name}` could not be moved: {disk}"),
        )),
        None => StoreError::unreadable(name.to_owned(), err),
    }
}

pub(super) fn moved(chain: &str) -> StoreError {
    StoreError::Moved { chain: chain.to_owned() }
}

pub(super) fn full_name(name: &str) -> Result<FullName, StoreError> {
    FullName::try_from(name).map_err(|err| StoreError::Invalid {
        what: name.to_owned(),
        why: format!("it is no ref name: {err:#}"),
    })
}

fn components(path: &str) -> Result<impl Iterator<Item = &gix::bstr::BStr>, StoreError> {
    RepoPath::try_from(path)
        .map_err(|err| StoreError::Invalid { what: path.to_owned(), why: err.to_string() })?;
    Ok(path.split('/').map(Into::into))
}

fn subject(message: &str) -> &str {
    message.lines().next().unwrap_or_default()
}

fn modified(path: &Path) -> Option<SystemTime> {
    path.metadata().and_then(|meta| meta.modified()).ok()
}

fn is_older(path: &Path, age: Duration) -> bool {
    modified(path).and_then(|when| when.elapsed().ok()).is_some_and(|elapsed| elapsed > age)
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;
    use crate::store::testbed::Testbed;

    const JOB: &str = "refs/seed/jobs/j";
    const AT: UnixSeconds = 1_790_000_000;

    fn put(path: &str, text: &str) -> TreeEdit {
        TreeEdit::Put { path: path.to_owned(), bytes: text.as_bytes().to_vec() }
    }

    fn remove(path: &str) -> TreeEdit {
        TreeEdit::Remove { path: path.to_owned() }
    }

    #[test]
    fn chains_are_all_told_while_git_packs_their_refs() {
        const CHAINS: usize = 60;
        let bed = Testbed::new();
        let store = bed.store();
        let tip = store.append(JOB, None, &[put("a", "1")], "open\n", AT).expect("opens");
        let next = store.append(JOB, Some(&tip), &[put("a", "2")], "on\n", AT).expect("grows");
        thread::scope(|scope| {
            let packing = scope.spawn(|| {
                for round in 0..12 {
                    let at = if round % 2 == 0 { &tip } else { &next };
                    for n in 0..CHAINS {
                        let file = bed.path().join(format!(".git/refs/seed/jobs/n{n}"));
                        let lock = file.with_extension("lock");
                        // Packing takes a directory that has nothing left.
                        fs::create_dir_all(bed.path().join(".git/refs/seed/jobs")).expect("made");
                        fs::write(&lock, format!("{at}\n")).expect("a loose ref");
                        fs::rename(&lock, &file).expect("it has its name");
                    }
                    bed.git(&["pack-refs", "--all", "--prune"]);
                }
            });
            let mut most = 0;
            while !packing.is_finished() {
                let told = store.chains("refs/seed/jobs/").expect("nothing is damaged").len();
                assert!(told >= most, "{told} chains of {most}");
                most = told;
            }
        });
        assert_eq!(store.chains("refs/seed/jobs/").expect("reads").len(), CHAINS + 1);
    }

    #[test]
    fn an_empty_directory_in_the_place_of_a_ref_is_no_ref() {
        let bed = Testbed::new();
        let store = bed.store();
        fs::create_dir_all(bed.path().join(".git/refs/seed/rules")).expect("made");
        assert_eq!(store.tip("refs/seed/rules").expect("reads"), None);
    }

    #[test]
    fn a_chain_grows_in_every_object_format() {
        for format in ["sha1", "sha256"] {
            let bed = Testbed::with_format(format);
            let store = bed.store();
            assert_eq!(store.tip(JOB).expect("reads"), None);
            let edits = [
                put("job.toml", "format = 1\n"),
                put("trace/1.jsonl", "{}\n"),
                put("trace/2.jsonl", "{}\n"),
            ];
            let first = store.append(JOB, None, &edits, "open\n\nwhy\n", AT).expect("opens");
            let edits = [put("job.toml", "format = 2\n"), remove("trace/1.jsonl"), remove("gone")];
            let second = store.append(JOB, Some(&first), &edits, "next\n", AT + 1).expect("grows");
            let tip = store.tip(JOB).expect("reads").expect("is there");
            assert_eq!(tip.commit, second);
            assert_eq!(
                store.file(&tip, "job.toml").expect("reads").as_deref(),
                Some(&b"format = 2\n"[..])
            );
            assert_eq!(store.file(&tip, "trace/1.jsonl").expect("reads"), None);
            assert_eq!(store.file(&tip, "trace").expect("reads"), None, "a directory is no file");
            assert_eq!(store.names(&tip, "").expect("reads"), ["job.toml", "trace"]);
            assert_eq!(store.names(&tip, "trace").expect("reads"), ["2.jsonl"]);
            assert_eq!(store.names(&tip, "nowhere").expect("reads"), [""; 0]);
            let steps = store.history(JOB, 9).expect("reads");
            let told: Vec<_> = steps.iter().map(|step| (step.message.as_str(), step.at)).collect();
            assert_eq!(told, [("next\n", AT + 1), ("open\n\nwhy\n", AT)]);
            assert_eq!(store.history(JOB, 1).expect("reads").len(), 1);
            bed.is_sound();
        }
    }

    #[test]
    fn the_person_sees_who_wrote_a_step_and_can_undo_it() {
        let bed = Testbed::new();
        bed.store().append(JOB, None, &[put("a", "1")], "open\n", AT).expect("opens");
        let signed = bed.git(&["log", "-1", "--format=%an <%ae> %ad / %cn %cd", "--date=raw", JOB]);
        assert_eq!(
            signed,
            "git seed <seed@git-seed.invalid> 1790000000 +0000 / git seed 1790000000 +0000"
        );
        assert_eq!(bed.git(&["reflog", "show", "--format=%gs", JOB]), "open");
    }

    #[test]
    fn a_late_writer_loses_and_changes_nothing() {
        let bed = Testbed::new();
        let store = bed.store();
        let first = store.append(JOB, None, &[put("a", "1")], "open", AT).expect("opens");
        let second = store.append(JOB, Some(&first), &[put("a", "2")], "next", AT).expect("grows");
        let late = [
            store.append(JOB, Some(&first), &[put("a", "3")], "late", AT),
            store.append(JOB, None, &[put("a", "3")], "late", AT),
            store.append("refs/seed/jobs/k", Some(&first), &[put("a", "3")], "late", AT),
        ];
        for result in late {
            assert!(result.expect_err("it came late").is_moved());
        }
        let behind_our_back = store.swing(
            JOB,
            Some(first.object().expect("full")),
            second.object().expect("full"),
            "",
            AT,
        );
        assert!(behind_our_back.expect_err("the ref itself is the guard").is_moved());
        assert_eq!(store.tip(JOB).expect("reads").expect("is there").commit, second);
    }

    #[test]
    fn many_writers_lose_no_update() {
        let bed = Testbed::new();
        bed.store().append(JOB, None, &[put("start", "")], "open", AT).expect("opens");
        let write = |writer: usize| {
            let store = bed.store();
            for turn in 0..10 {
                loop {
                    let tip = store.tip(JOB).expect("reads").expect("is there");
                    let edit = put(&format!("{writer}/{turn}"), "");
                    match store.append(JOB, Some(&tip.commit), &[edit], "step", AT) {
                        Ok(_) => break,
                        Err(StoreError::Moved { .. } | StoreError::Held { .. }) => {
                            thread::yield_now();
                        }
                        Err(err) => panic!("{err}"),
                    }
                }
            }
        };
        thread::scope(|scope| (0..3).for_each(|writer| drop(scope.spawn(move || write(writer)))));
        let store = bed.store();
        assert_eq!(store.history(JOB, 99).expect("reads").len(), 31);
        let tip = store.tip(JOB).expect("reads").expect("is there");
        for writer in ["0", "1", "2"] {
            assert_eq!(store.names(&tip, writer).expect("reads").len(), 10);
        }
        bed.is_sound();
    }

    #[test]
    fn a_writer_killed_before_the_ref_leaves_the_chain_as_it_was() {
        let bed = Testbed::new();
        let store = bed.store();
        let first = store.append(JOB, None, &[put("a", "1")], "open", AT).expect("opens");
        let lock = store.ref_lock(JOB);
        fs::write(&lock, "").expect("writes");
        let killed = store.append(JOB, Some(&first), &[put("a", "2")], "next", AT);
        assert!(matches!(killed, Err(StoreError::Held { path }) if path == lock));
        let objects = bed.git(&["cat-file", "--batch-check", "--batch-all-objects"]);
        assert_eq!(objects.matches(" commit ").count(), 2, "objects come before the ref");
        assert_eq!(store.tip(JOB).expect("reads").expect("is there").commit, first);
        bed.is_sound();
    }

    #[test]
    fn a_lock_of_a_dead_writer_is_removed_and_a_fresh_one_is_not() {
        let bed = Testbed::new();
        let store = bed.store();
        let first = store.append(JOB, None, &[put("a", "1")], "open", AT).expect("opens");
        let lock = fs::File::create(store.ref_lock(JOB)).expect("creates");
        let append = || store.append(JOB, Some(&first), &[put("a", "2")], "next", AT);
        assert!(matches!(append(), Err(StoreError::Held { .. })), "its writer may live");
        lock.set_modified(crate::world::system_now() - 2 * STALE).expect("ours");
        append().expect("its writer is dead");
    }

    #[test]
    fn a_broken_chain_is_named_with_the_command_that_repairs_it() {
        let bed = Testbed::new();
        let store = bed.store();
        let first = store.append(JOB, None, &[put("a", "1")], "open", AT).expect("opens");
        let id = first.as_str();
        let object = bed.path().join(".git/objects").join(&id[..2]).join(&id[2..]);
        fs::remove_file(&object).expect("is loose");
        let missing = bed.store().tip(JOB).expect_err("its commit is gone").to_string();
        assert_eq!(missing, format!("{JOB} ({id}) is missing; `git seed doctor --fix` tells more"));
        fs::write(&object, "").expect("writes");
        let corrupt = bed.store().tip(JOB).expect_err("its commit is empty").to_string();
        assert!(corrupt.starts_with(&format!("{JOB} ({id}) cannot be read")), "{corrupt}");
        fs::write(store.ref_file(JOB), "").expect("writes");
        let empty = bed.store().tip(JOB).expect_err("the ref is empty").to_string();
        assert!(empty.starts_with(&format!("{JOB} cannot be read")), "{empty}");
        assert!(empty.contains("git seed doctor --fix"), "{empty}");
    }

    #[test]
    fn chains_are_listed_by_name_loose_or_packed() {
        let bed = Testbed::new();
        let store = bed.store();
        for name in ["refs/seed/jobs/b", "refs/seed/rules", "refs/seed/jobs/c"] {
            store.append(name, None, &[put("a", name)], "open", AT).expect("opens");
        }
        bed.git(&["pack-refs", "--all"]);
        store.append("refs/seed/jobs/a", None, &[put("a", "a")], "open", AT).expect("opens");
        let names = |prefix| -> Vec<String> {
            bed.store().chains(prefix).expect("lists").into_iter().map(|(name, _)| name).collect()
        };
        assert_eq!(
            names("refs/seed/jobs/"),
            ["refs/seed/jobs/a", "refs/seed/jobs/b", "refs/seed/jobs/c"]
        );
        assert_eq!(names("refs/seed/archive/"), [""; 0]);
    }

    #[test]
    fn a_chain_is_deleted_only_where_it_stands() {
        let bed = Testbed::new();
        let store = bed.store();
        let first = store.append(JOB, None, &[put("a", "1")], "open", AT).expect("opens");
        let second = store.append(JOB, Some(&first), &[put("a", "2")], "next", AT).expect("grows");
        bed.git(&["pack-refs", "--all"]);
        assert!(store.delete_chain(JOB, &first).expect_err("it moved on").is_moved());
        store.delete_chain(JOB, &second).expect("goes");
        assert_eq!(bed.store().tip(JOB).expect("reads"), None);
        assert_eq!(bed.git(&["for-each-ref"]), "");
    }

    #[test]
    fn kept_commits_survive_a_rewrite_and_gc() {
        let bed = Testbed::new();
        let store = bed.store();
        let chain = "refs/seed/keep/j";
        let mut kept = Vec::new();
        for text in ["1", "2", "3"] {
            bed.commit("base", text);
            kept.push(bed.commit("a", text));
            for _ in 0..2 {
                store.keep(chain, &kept[kept.len() - 1], AT).expect("keeps");
            }
            bed.git(&["reset", "-q", "--hard", "HEAD^"]);
        }
        let steps = store.history(chain, 99).expect("reads");
        let pins = steps.iter().filter(|step| step.message.starts_with("keep ")).count();
        assert_eq!(pins, 3, "pinning again is free");
        bed.git(&["reflog", "expire", "--expire=now", "--all"]);
        bed.git(&["gc", "-q", "--prune=now"]);
        for commit in &kept {
            bed.git(&["cat-file", "-e", commit.as_str()]);
        }
        bed.is_sound();
    }

    #[test]
    fn a_commit_and_a_tree_are_kept_by_one_commit_and_by_none_where_they_are_already() {
        let bed = Testbed::new();
        let store = bed.store();
        let chain = "refs/seed/keep/j";
        let kept = bed.commit("a", "1");
        let tree: TreeId = bed.git(&["rev-parse", "HEAD^{tree}"]).trim().parse().expect("full");
        bed.git(&["reset", "-q", "--hard", bed.commit("base", "x").as_str()]);
        let keep = |commit, tree| {
            store.keep_both(chain, commit, tree, AT).expect("keeps");
            bed.git(&["rev-list", "--first-parent", "--count", chain])
        };
        // The first commit of the chain has the kept one as its first parent.
        let first = keep(Some(&kept), Some(&tree));
        assert_eq!(keep(Some(&kept), Some(&tree)), first, "free");
        let held = || bed.git(&["rev-parse", &format!("{chain}^{{tree}}")]);
        assert_eq!(held().trim(), tree.to_string());
        let message = bed.git(&["log", "-1", "--format=%B", chain]);
        assert_eq!(message.trim(), format!("keep {kept}\n\nkeep tree {tree}"));
        let next = bed.commit("a", "2");
        assert_ne!(keep(Some(&next), Some(&tree)), first, "the tree is the tip's, the commit new");
        assert_eq!(bed.git(&["rev-parse", &format!("{chain}^2")]).trim(), next.to_string());
        assert_eq!(held().trim(), tree.to_string());
        bed.is_sound();
    }

    #[test]
    fn a_name_or_path_that_git_cannot_hold_is_refused() {
        let bed = Testbed::new();
        let store = bed.store();
        for path in ["", "/a", "a/../b", ".git/config", "a//b"] {
            let refused = store.append(JOB, None, &[put(path, "")], "open", AT);
            assert!(matches!(refused, Err(StoreError::Invalid { .. })), "{path}");
        }
        for chain in ["refs/seed/a b", "refs/seed/a..b", "refs/seed/"] {
            let refused = store.append(chain, None, &[put("a", "")], "open", AT);
            assert!(matches!(refused, Err(StoreError::Invalid { .. })), "{chain}");
        }
        assert!(matches!(
            store.append(JOB, None, &[put("a", "")], "o\0pen", AT),
            Err(StoreError::Invalid { .. })
        ));
        assert_eq!(bed.git(&["for-each-ref"]), "");
    }

    #[test]
    fn extra_parents_are_kept_and_are_no_steps() {
        let bed = Testbed::new();
        let store = bed.store();
        let closed = store.append(JOB, None, &[put("a", "1")], "closed", AT).expect("opens");
        let archive = "refs/seed/archive";
        let edits = [put("b", "1")];
        let step = NewStep { edits: &edits, message: "archive", at: AT };
        let commit = store.append_holding(archive, None, &step, std::slice::from_ref(&closed));
        let parents = bed.git(&["log", "-1", "--format=%P", archive]);
        assert_eq!(parents, closed.as_str());
        commit.expect("appends");
    }

    #[test]
    fn a_partial_clone_fetches_what_it_lacks() {
        let bed = Testbed::new();
        bed.commit("a", "1");
        bed.git(&["config", "uploadpack.allowFilter", "true"]);
        bed.git(&["config", "uploadpack.allowAnySHA1InWant", "true"]);
        bed.store().append(JOB, None, &[put("job.toml", "state")], "open", AT).expect("opens");
        let clone = bed.path().with_file_name("clone");
        let (url, to) = (format!("file://{}", bed.path().display()), clone.display().to_string());
        bed.git(&["clone", "-q", "--filter=blob:none", &url, &to]);
        bed.git(&["-C", &to, "fetch", "-q", "origin", "refs/seed/*:refs/seed/*"]);
        let store = Store::discover(&clone).expect("opens");
        let tip = store.tip(JOB).expect("reads").expect("is there");
        assert_eq!(store.file(&tip, "job.toml").expect("fetches").as_deref(), Some(&b"state"[..]));
    }
}
