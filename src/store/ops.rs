//! What the chain of operations asks of git: which refs moved, what a tree of them holds, and
//! commits that no ref names yet.
//!
//! Each move of a ref goes through one function of this folder, and it is remembered here until
//! somebody writes the operation: so no command has to say what it moved. A process that only reads
//! touches nothing of this.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Mutex;

use gix::ObjectId;
use gix::objs::tree::EntryMode;
use gix::refs::Target;
use gix::refs::transaction::{Change, LogChange, PreviousValue, RefEdit};

use super::chain::full_name;
use super::error::StoreError;
use super::object::Draft;
use super::{CommitId, NewStep, Step, Store, Tip, TreeId, UnixSeconds};
use crate::format::{names, ops};
use crate::world::sync;

/// The moves of this process that no operation tells of yet. Most processes make none.
static MOVES: Mutex<Vec<MovedAt>> = Mutex::new(Vec::new());

/// A move, with the work tree and the repository in which it was made.
struct MovedAt {
    at: PathBuf,
    common_dir: PathBuf,
    moved: RefMoved,
}

/// A ref that moved: its place in the tree of an operation, and what stood there before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RefMoved {
    pub place: String,
    pub before: Option<Stood>,
    /// What stood there before each later move of the same process, the oldest first.
    pub later: Vec<Option<Stood>>,
}

/// What stands in one place of that tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stood {
    /// A ref, by the commit that it names. The tree does not hold the commit.
    At(CommitId),
    /// A focus, by the job that it names.
    On(String),
}

/// One place in which two of these trees differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shift {
    pub place: String,
    pub before: Option<Stood>,
    pub after: Option<Stood>,
}

/// The entries of a tree by their names.
type Entries = BTreeMap<String, (EntryMode, ObjectId)>;

/// A commit that no ref names yet.
pub(crate) struct Loose<'a> {
    /// The tree that its edits are made on.
    pub on: Option<&'a TreeId>,
    pub parents: &'a [CommitId],
    pub step: NewStep<'a>,
}

impl Store {
    /// Remembers that `edit` moved the ref `name`, if it is one that operations tell of.
    pub(super) fn has_moved(&self, name: &str, edit: &RefEdit, focus: Option<String>) {
        let (Change::Update { expected, .. } | Change::Delete { expected, .. }) = &edit.change;
        let before = match expected {
            PreviousValue::MustExistAndMatch(Target::Object(id)) => {
                Some(Stood::At(id.to_owned().into()))
            }
            _ => focus.map(|chain| Stood::On(ops::of_focus(&chain))),
        };
        let place = match name {
            names::FOCUS => Some(ops::focus_place(&self.worktree_name())),
            _ => ops::place(name),
        };
        let Some(place) = place else { return };
        if let Ok(mut moves) = MOVES.lock() {
            let (at, common_dir) = (self.work_tree.clone(), self.common_dir.clone());
            let moved = RefMoved { place, before, later: Vec::new() };
            moves.push(MovedAt { at, common_dir, moved });
        }
    }

    /// The work trees in which this process moved a ref of ours that no operation tells of yet.
    pub(crate) fn moved_in() -> BTreeSet<PathBuf> {
        MOVES
            .lock()
            .map(|moves| moves.iter().map(|one| one.at.clone()).collect())
            .unwrap_or_default()
    }

    /// What moved in this repository since somebody asked; all moves of a ref are one.
    pub(crate) fn take_moves(&self) -> Vec<RefMoved> {
        let Ok(mut moves) = MOVES.lock() else { return Vec::new() };
        let (here, others): (Vec<MovedAt>, Vec<MovedAt>) = std::mem::take(&mut *moves)
            .into_iter()
            .partition(|one| one.common_dir == self.common_dir);
        *moves = others;
        let mut first: Vec<RefMoved> = Vec::new();
        for MovedAt { moved, .. } in here {
            match first.iter_mut().find(|known| known.place == moved.place) {
                Some(known) => known.later.push(moved.before),
                None => first.push(moved),
            }
        }
        first
    }

    /// Where the refs that operations tell of stand now, and what each worktree has in focus.
    pub(crate) fn refs_now(&self) -> Result<BTreeMap<String, Stood>, StoreError> {
        let mut now = BTreeMap::new();
        let mut chains = self.chains(names::JOBS)?;
        for chain in [names::RULES, names::ARCHIVE] {
            chains.extend(self.stands_at(chain)?.map(|at| (chain.to_owned(), at)));
        }
        for (chain, at) in chains {
            now.extend(ops::place(&chain).map(|place| (place, Stood::At(at))));
        }
        for (worktree, chain) in self.each_focus()? {
            now.insert(ops::focus_place(&worktree), Stood::On(ops::of_focus(&chain)));
        }
        Ok(now)
    }

    /// What stands in `place` now.
    pub(crate) fn stands_in(&self, place: &str) -> Result<Option<Stood>, StoreError> {
        if let Some(chain) = ops::chain_of(place) {
            return Ok(self.stands_at(&chain)?.map(Stood::At));
        }
        let of = |(name, _): &(String, String)| ops::focus_place(name) == place;
        let found = self.each_focus()?.into_iter().find(of);
        Ok(found.map(|(_, chain)| Stood::On(ops::of_focus(&chain))))
    }

    /// What an operation says of `place`.
    pub(crate) fn stood_in(&self, tree: &TreeId, place: &str) -> Result<Option<Stood>, StoreError> {
        let entry = self.entry_in(tree, place.as_bytes(), names::OPS)?;
        entry.map(|(mode, id)| self.stood(mode, id)).transpose()
    }

    fn stood(&self, mode: EntryMode, id: ObjectId) -> Result<Stood, StoreError> {
        if mode.is_commit() {
            return Ok(Stood::At(id.into()));
        }
        let bytes = self.object(id, names::OPS)?.detach().data;
        Ok(Stood::On(String::from_utf8_lossy(&bytes).trim().to_owned()))
    }

    /// Where two of these trees differ; `None` is the empty one.
    pub(crate) fn shifts(
        &self,
        before: Option<&TreeId>,
        after: Option<&TreeId>,
    ) -> Result<Vec<Shift>, StoreError> {
        let mut found = Vec::new();
        let ids = [before, after].map(|tree| tree.map(TreeId::object).transpose());
        let [before, after] = ids;
        self.shifts_below([before?, after?], "", &mut found)?;
        Ok(found)
    }

    fn shifts_below(
        &self,
        [before, after]: [Option<ObjectId>; 2],
        above: &str,
        found: &mut Vec<Shift>,
    ) -> Result<(), StoreError> {
        if before == after {
            return Ok(());
        }
        let entries = |tree: Option<ObjectId>| -> Result<Entries, StoreError> {
            let Some(tree) = tree else { return Ok(Entries::new()) };
            let tree = self.tree_object(tree, names::OPS)?;
            let decoded = tree.decode();
            let decoded =
                decoded.map_err(|err| StoreError::unreadable(names::OPS.to_owned(), &err))?;
            let each = decoded.entries.iter();
            Ok(each.map(|e| (e.filename.to_string(), (e.mode, e.oid.to_owned()))).collect())
        };
        let (before, after) = (entries(before)?, entries(after)?);
        let mut all: Vec<&String> = before.keys().chain(after.keys()).collect();
        all.sort();
        all.dedup();
        for name in all {
            let place = format!("{above}{name}");
            let sides = [before.get(name), after.get(name)];
            if sides[0] == sides[1] {
                continue;
            }
            if sides.iter().flatten().any(|(mode, _)| mode.is_tree()) {
                let trees = sides.map(|side| side.map(|(_, id)| *id));
                self.shifts_below(trees, &format!("{place}/"), found)?;
                continue;
            }
            let stood = |side: Option<&(EntryMode, ObjectId)>| {
                side.map(|(mode, id)| self.stood(*mode, *id)).transpose()
            };
            let [before, after] = sides.map(stood);
            found.push(Shift { place, before: before?, after: after? });
        }
        Ok(())
    }

    /// The messages of the tips that the archive took in from `before` on up to `after`.
    pub(crate) fn put_away_between(
        &self,
        before: Option<&CommitId>,
        after: &CommitId,
    ) -> Result<Vec<String>, StoreError> {
        let mut told = Vec::new();
        let each = |step: Step| -> Result<ControlFlow<()>, StoreError> {
            if before == Some(&step.commit) {
                return Ok(ControlFlow::Break(()));
            }
            for tip in self.extra_parents(&step.commit)? {
                told.push(self.commit_message(&tip)?);
            }
            Ok(ControlFlow::Continue(()))
        };
        self.each_step_from(after.object()?, names::ARCHIVE, each)?;
        Ok(told)
    }

    /// Writes a commit that no ref names yet, and makes it last.
    pub(crate) fn write_loose(&self, new: &Loose<'_>, chain: &str) -> Result<Tip, StoreError> {
        let draft = Draft::new(self);
        let tip = self.drafted_loose(&draft, new, chain)?;
        draft.settle()?;
        Ok(tip)
    }

    /// The commit that [`Store::write_loose`] would write.
    pub(crate) fn name_loose(&self, new: &Loose<'_>, chain: &str) -> Result<Tip, StoreError> {
        self.drafted_loose(&Draft::named(self), new, chain)
    }

    fn drafted_loose(
        &self,
        draft: &Draft<'_>,
        new: &Loose<'_>,
        chain: &str,
    ) -> Result<Tip, StoreError> {
        let base = new.on.map(TreeId::object).transpose()?;
        let tree = self.edited(draft, base, new.step.edits, chain)?;
        let parents: Result<Vec<ObjectId>, _> = new.parents.iter().map(CommitId::object).collect();
        let commit = draft.commit(tree, &parents?, new.step.message, new.step.at, chain)?;
        Ok(Tip { commit: commit.into(), tree: tree.into() })
    }

    /// Adds an operation to its chain. It has no log of its own, and after a power cut it may be
    /// missing: then it is made again.
    pub(crate) fn add_op(
        &self,
        after: Option<&Tip>,
        step: NewStep<'_>,
        holds: &[CommitId],
    ) -> Result<Tip, StoreError> {
        let parents: Vec<CommitId> =
            after.map(|tip| &tip.commit).into_iter().chain(holds).cloned().collect();
        let new = Loose { on: after.map(|tip| &tip.tree), parents: &parents, step };
        let tip = self.write_loose(&new, names::OPS)?;
        let expected = match after {
            None => PreviousValue::MustNotExist,
            Some(tip) => PreviousValue::MustExistAndMatch(Target::Object(tip.commit.object()?)),
        };
        let change = Change::Update {
            log: LogChange::default(),
            expected,
            new: Target::Object(tip.commit.object()?),
        };
        self.edit_ref(names::OPS, &RefEdit::new(full_name(names::OPS)?, change), step.at)?;
        if self.is_synced() {
            sync(&self.ref_file(names::OPS))?;
        }
        Ok(tip)
    }

    /// Moves a chain of ours to a commit that is here, or opens it there.
    ///
    /// # Errors
    ///
    /// [`StoreError::Moved`] if the chain is not at `from`; nothing is changed then.
    pub(crate) fn turn(
        &self,
        chain: &str,
        from: Option<&CommitId>,
        to: &CommitId,
        why: &str,
        at: UnixSeconds,
    ) -> Result<(), StoreError> {
        let from = from.map(CommitId::object).transpose()?;
        self.swing(chain, from, to.object()?, why, at)
    }

    /// Whether a worktree is on the branch.
    pub(crate) fn is_on_branch(&self, branch: &str) -> Result<bool, StoreError> {
        Ok(self.is_checked_out(&format!("refs/heads/{branch}"))?)
    }

    /// Deletes a branch that stands at `at` and that no worktree is on; false where one is, or
    /// where it stands elsewhere.
    pub(crate) fn drop_branch(&self, branch: &str, at: &CommitId) -> Result<bool, StoreError> {
        let name = format!("refs/heads/{branch}");
        if self.stands_at(&name)?.as_ref() != Some(at) || self.is_checked_out(&name)? {
            return Ok(false);
        }
        let done = self.git(["update-ref", "-d", &name, at.as_str()]).outcome()?;
        if done.code == Some(0) { Ok(true) } else { Err(done.failed()) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::TreeEdit;
    use super::super::testbed::Testbed;
    use super::*;

    const AT: UnixSeconds = 1_790_000_000;
    const JOB: &str = "refs/seed/jobs/20261121t205612-7f3a";

    fn put(path: &str, text: &str) -> TreeEdit {
        TreeEdit::Put { path: path.to_owned(), bytes: text.as_bytes().to_vec() }
    }

    #[test]
    fn what_moved_is_remembered_once_and_by_all_that_stood_there() {
        let bed = Testbed::new();
        let store = bed.store();
        let first = store.append(JOB, None, &[put("a", "1")], "open\n", AT).expect("opens");
        store.set_focus(JOB).expect("turns");
        let place = ops::place(JOB).expect("a place");
        let focus = ops::focus_place("main");
        let one =
            |place: &str, before| RefMoved { place: place.to_owned(), before, later: Vec::new() };
        assert_eq!(store.take_moves(), [one(&place, None), one(&focus, None)]);
        assert_eq!(store.take_moves(), []);
        let second = store.append(JOB, Some(&first), &[put("a", "2")], "on\n", AT).expect("grows");
        store.append(JOB, Some(&second), &[put("a", "3")], "on\n", AT).expect("grows");
        store.append("refs/seed/claims", None, &[put("a", "3")], "r\n", AT).expect("grows");
        store.clear_focus().expect("turns away");
        let on = Stood::On("20261121t205612-7f3a".to_owned());
        let mut moves = [one(&place, Some(Stood::At(first))), one(&focus, Some(on))];
        moves[0].later.push(Some(Stood::At(second)));
        assert_eq!(store.take_moves(), moves);
    }

    #[test]
    fn a_tree_names_refs_without_holding_them_and_git_is_content() {
        for format in ["sha1", "sha256"] {
            let bed = Testbed::with_format(format);
            let store = bed.store();
            let at = store.append(JOB, None, &[put("a", "1")], "open\n", AT).expect("opens");
            let place = ops::place(JOB).expect("a place");
            let edits = [
                TreeEdit::Link { path: place.clone(), commit: at.clone() },
                put("focus/main", "20261121t205612-7f3a"),
            ];
            let step = NewStep { edits: &edits, message: "one\n", at: AT };
            let one = store.add_op(None, step, &[]).expect("begins");
            let gone = [TreeEdit::Remove { path: place.clone() }];
            let step = NewStep { edits: &gone, message: "two\n", at: AT };
            let holds = std::slice::from_ref(&at);
            let two = store.add_op(Some(&one), step, holds).expect("grows");
            assert!(store.add_op(Some(&one), step, &[]).expect_err("late").is_moved());
            let stood = Some(Stood::At(at.clone()));
            assert_eq!(store.stood_in(&one.tree, &place).expect("reads"), stood);
            assert_eq!(store.stood_in(&two.tree, &place).expect("reads"), None);
            let shifts = store.shifts(Some(&one.tree), Some(&two.tree)).expect("compares");
            assert_eq!(shifts, [Shift { place, before: stood, after: None }]);
            assert_eq!(store.shifts(None, Some(&one.tree)).expect("compares").len(), 2);
            bed.git(&["update-ref", "-d", JOB]);
            bed.git(&["reflog", "expire", "--expire=now", "--all"]);
            bed.git(&["gc", "-q", "--prune=now"]);
            bed.git(&["cat-file", "-e", at.as_str()]);
            bed.is_sound();
        }
    }
}
