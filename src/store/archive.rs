//! What closing a job asks of git: its ref goes, its commits and pins stay.
//!
//! Many refs go in one transaction, so that packed refs are written anew once. The pins of
//! closed jobs hang on one chain: however many jobs are closed, no ref is left of them.

use std::collections::BTreeSet;

use gix::ObjectId;
use gix::refs::Target;
use gix::refs::transaction::{PreviousValue, RefEdit};

use super::chain::full_name;
use super::error::StoreError;
use super::object::{Draft, signature, unwritten};
use super::{CommitId, Store, Tip, TreeId, UnixSeconds};
use crate::format::merge::is_join;

/// As many as one commit gets parents at once.
const AT_ONCE: usize = 256;

impl Store {
    /// The tree of the directory `path` in a chain's state.
    pub(crate) fn subtree(&self, tip: &Tip, path: &str) -> Result<Option<TreeId>, StoreError> {
        let what = format!("refs/seed commit {}: `{path}`", tip.commit);
        let entry = self.entry_in(&tip.tree, path.as_bytes(), &what)?;
        Ok(entry.filter(|(mode, _)| mode.is_tree()).map(|(_, id)| id.into()))
    }

    /// A commit of a chain as a tip, whether or not a ref names it.
    pub(crate) fn tip_of(&self, commit: &CommitId) -> Result<Tip, StoreError> {
        let tree = self.tree_of(commit.object()?, "refs/seed")?;
        Ok(Tip { commit: commit.clone(), tree: tree.into() })
    }

    /// The parents of a commit of a chain beside those that it follows.
    pub(crate) fn extra_parents(&self, commit: &CommitId) -> Result<Vec<CommitId>, StoreError> {
        let step = self.step_at(commit.object()?, "refs/seed")?;
        let follows = if is_join(&step.message) { 2 } else { 1 };
        Ok(step.parents.into_iter().skip(follows).collect())
    }

    /// The chains that worktrees have in focus.
    pub(crate) fn in_focus(&self) -> Result<BTreeSet<String>, StoreError> {
        self.every_focus().map_err(StoreError::from)
    }

    /// Opens `chain` at a commit that is here already. Free if it stands there.
    ///
    /// # Errors
    ///
    /// [`StoreError::Moved`] if it stands elsewhere.
    pub(crate) fn reopen(
        &self,
        chain: &str,
        at_commit: &CommitId,
        at: UnixSeconds,
    ) -> Result<(), StoreError> {
        let commit = at_commit.object()?;
        self.commit_object(commit, chain)?;
        self.swing(chain, None, commit, "reactivate", at)
    }

    /// Moves the pins of the chains in `from` onto `to`, whose extra parents they become, and
    /// deletes those chains. Killed between, a pin hangs on both.
    pub(crate) fn fold_pins(
        &self,
        from: &[(String, CommitId)],
        to: &str,
        at: UnixSeconds,
    ) -> Result<(), StoreError> {
        for some in from.chunks(AT_ONCE) {
            let before = self.ref_target(to)?;
            let draft = Draft::new(self);
            let tree = gix::objs::Write::write(&draft, &gix::objs::Tree::empty())
                .map_err(|err| unwritten(&format!("{to}: its tree"), &err))?;
            let mut parents: Vec<ObjectId> = before.into_iter().collect();
            for (_, pin) in some {
                parents.push(pin.object()?);
            }
            let commit = draft.commit(tree, &parents, "keep what closed jobs kept\n", at, to)?;
            draft.settle()?;
            self.swing(to, before, commit, "keep what closed jobs kept", at)?;
            self.delete_chains(some)?;
        }
        Ok(())
    }

    /// Deletes each chain that is where it is said to be, all of them or none. No worktree
    /// may have one in focus; who calls holds the lock and asked [`Store::in_focus`].
    pub(crate) fn delete_chains(&self, chains: &[(String, CommitId)]) -> Result<(), StoreError> {
        match chains {
            [] => return Ok(()),
            // One goes by the way that knows about locks that were left behind.
            [(chain, at)] => return self.delete_chain(chain, at),
            _ => {}
        }
        let mut edits = Vec::with_capacity(chains.len());
        for (chain, at) in chains {
            let expected = PreviousValue::MustExistAndMatch(Target::Object(at.object()?));
            edits.push(RefEdit::delete(full_name(chain)?, expected));
        }
        let named = edits.iter().zip(chains).map(|(edit, (chain, _))| self.line_of(chain, edit));
        self.names_moves(&named.collect::<String>())?;
        let signature = signature(0);
        let mut buffer = gix::date::parse::TimeBuf::default();
        let gone = self.repo.edit_references_as(edits.clone(), Some(signature.to_ref(&mut buffer)));
        match gone {
            Ok(_) => {
                for (edit, (chain, _)) in edits.iter().zip(chains) {
                    self.has_moved(chain, edit, None);
                }
                Ok(())
            }
            Err(err) if err.is_conflict() || err.is_not_found() || err.is_retryable() => {
                Err(StoreError::Moved { chain: format!("one of {} chains", chains.len()) })
            }
            Err(err) => Err(StoreError::unreadable("refs/seed/jobs".to_owned(), &err)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testbed::Testbed;
    use super::super::{NewStep, Tip, TreeEdit};

    const AT: i64 = 1_790_000_000;
    const ARCHIVE: &str = "refs/seed/archive";

    fn put(path: &str, text: &str) -> TreeEdit {
        TreeEdit::Put { path: path.to_owned(), bytes: text.as_bytes().to_vec() }
    }

    #[test]
    fn a_chain_that_was_grafted_and_deleted_is_whole_after_gc() {
        for format in ["sha1", "sha256"] {
            let bed = Testbed::with_format(format);
            let store = bed.store();
            let mut tips: Vec<(String, Tip)> = Vec::new();
            for name in ["refs/seed/jobs/a", "refs/seed/jobs/b", "refs/seed/jobs/c"] {
                let first = store
                    .append(name, None, &[put("job.toml", name)], "open\n", AT)
                    .expect("opens");
                let edits = [put("trace/1", "x")];
                store.append(name, Some(&first), &edits, "close\n", AT).expect("grows");
                tips.push((name.to_owned(), store.tip(name).expect("reads").expect("is there")));
            }
            bed.git(&["pack-refs", "--all"]);
            let edits: Vec<TreeEdit> = tips
                .iter()
                .map(|(name, tip)| TreeEdit::Graft {
                    path: format!("00/{}", &name[15..]),
                    tree: tip.tree.clone(),
                })
                .collect();
            let parents: Vec<_> = tips.iter().map(|(_, tip)| tip.commit.clone()).collect();
            let step = NewStep { edits: &edits, message: "archive\n", at: AT };
            store.append_holding(ARCHIVE, None, &step, &parents).expect("archives");
            let chains: Vec<_> =
                tips.iter().map(|(name, tip)| (name.clone(), tip.commit.clone())).collect();
            store.delete_chains(&chains[..2]).expect("two go");
            store.delete_chains(&chains[2..]).expect("one goes");
            assert!(store.delete_chains(&chains).expect_err("they are gone").is_moved());
            assert_eq!(bed.git(&["for-each-ref", "--format=%(refname)"]), ARCHIVE);
            bed.git(&["reflog", "expire", "--expire=now", "--all"]);
            bed.git(&["gc", "-q", "--prune=now"]);
            let store = bed.store();
            let archive = store.tip(ARCHIVE).expect("reads").expect("is there");
            let (name, b) = &tips[1];
            let tree = store.subtree(&archive, "00/b").expect("reads").expect("is there");
            assert_eq!(tree, b.tree);
            let steps = store.history_from(&b.commit, 9).expect("reads");
            assert_eq!(steps.len(), 2, "no gc loses a step");
            store.reopen(name, &b.commit, AT).expect("comes back");
            assert_eq!(store.tip(name).expect("reads").as_ref(), Some(b));
            store.reopen(name, &b.commit, AT).expect("it is there");
            let other = store.reopen(name, &tips[0].1.commit, AT);
            assert!(other.expect_err("it stands elsewhere").is_moved());
            bed.is_sound();
        }
    }

    #[test]
    fn pins_of_closed_jobs_hang_on_one_chain() {
        let bed = Testbed::new();
        let store = bed.store();
        let to = "refs/seed/keep/closed";
        let mut pinned = Vec::new();
        for name in ["refs/seed/keep/a", "refs/seed/keep/b"] {
            bed.commit("base", name);
            pinned.push(bed.commit("a", name));
            store.keep(name, &pinned[pinned.len() - 1], AT).expect("keeps");
            bed.git(&["reset", "-q", "--hard", "HEAD^"]);
            let tip = store.tip(name).expect("reads").expect("is there");
            store.fold_pins(&[(name.to_owned(), tip.commit)], to, AT).expect("folds");
        }
        assert_eq!(bed.git(&["for-each-ref", "--format=%(refname)", "refs/seed"]), to);
        bed.git(&["reflog", "expire", "--expire=now", "--all"]);
        bed.git(&["gc", "-q", "--prune=now"]);
        for commit in &pinned {
            bed.git(&["cat-file", "-e", commit.as_str()]);
        }
        bed.is_sound();
    }
}
