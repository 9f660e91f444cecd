//! How refs travel: each by its own name, or all of them in one branch, for a server that takes
//! nothing but branches.
//!
//! Either way what is there ends up below `refs/seed-remote/<remote>/`, by the names of ours, and
//! nothing else is touched. A ref that is no commit, or has no name of ours, is named and left.
//!
//! The branch has one file, `refs`. A commit of it has its last commit and the tips that were not
//! in it as parents, so whoever has the branch has everything. A branch never forgets what it had,
//! so texts do not travel in it.

use std::collections::{BTreeMap, BTreeSet};

use crate::engine::repo::{EngineError, Repo, Result};
pub(crate) use crate::engine::sync::join::Odd;
use crate::engine::sync::join::is_below;
use crate::format::{names, sync};
use crate::shell::quoted_word;
use crate::store::{
    Come, CommitId, Copies, Loose, NewStep, Pushed, RefPush, StoreError, TreeEdit, Wire,
};
use crate::voice::{Notice, tell};

/// The most parents that a commit of the branch has.
const PARENTS: usize = 16;

/// How the refs of a remote travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transport {
    Refs,
    Branch,
}

impl Transport {
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Refs => "refs",
            Self::Branch => "branch",
        }
    }
}

/// What a remote has.
#[derive(Clone, Debug, Default)]
pub(crate) struct There {
    /// Our refs there that may travel.
    pub refs: BTreeMap<String, CommitId>,
    /// What lies there and is left there, with the reason.
    pub odd: Vec<Odd>,
    /// Somebody works there.
    pub has_branch: bool,
    /// The branch in which refs would travel holds something else.
    pub is_taken: bool,
    /// A branch that leaves no room for the one in which refs would travel.
    pub below: Option<String>,
    /// It is a clone with a job in focus, whose refs a push would move under whoever works there.
    pub is_worked_in: bool,
    /// The branch in which refs travel.
    branch: Option<CommitId>,
    /// What it names beside `refs`, and goes on to name.
    besides: BTreeMap<String, CommitId>,
}

impl There {
    /// Leaves the ref `name` there, because of `why`.
    fn leave(&mut self, name: String, id: CommitId, why: String) {
        self.besides.insert(name.clone(), id);
        self.odd.push(Odd { name, why });
    }
}

/// Refs that travel and that all jobs share.
const SHARED: [&str; 6] =
    [names::ARCHIVE, names::CLAIMS, names::COMMIT_NOTES, names::RULES, names::META, names::TEXTS];

/// Whether git can keep no ref of ours beside one of this name, or not all of them.
fn is_in_the_way(name: &str) -> bool {
    is_below(names::JOBS, name)
        || SHARED.iter().any(|ours| is_below(name, ours) || is_below(ours, name))
}

/// A remote that is spoken to.
pub(crate) struct Carrier<'r> {
    pub repo: &'r Repo,
    pub wire: &'r Wire<'r>,
    /// The name below which its refs are kept.
    pub remote: &'r str,
    pub transport: Transport,
    /// Of the copies here, when it sends.
    pub copies: Copies,
}

impl Carrier<'_> {
    /// Looks what is there. In a branch that takes a fetch.
    pub(crate) fn look(&self) -> Result<There> {
        let listed = self.wire.list()?;
        let has_branch = listed.has_branch;
        let is_worked_in = listed.is_worked_in && self.transport == Transport::Refs;
        let below = listed.below_carrier.filter(|_| self.transport == Transport::Branch);
        let (refs, branch) = match (self.transport, listed.carrier) {
            (Transport::Refs, branch) => (listed.ours, branch),
            (Transport::Branch, None) => (BTreeMap::new(), None),
            (Transport::Branch, Some(branch)) => (self.in_branch(&branch)?, Some(branch)),
        };
        let is_taken = match (&branch, self.transport) {
            (Some(_), Transport::Branch) => !self.is_ours()?,
            _ => false,
        };
        let mut there =
            There { has_branch, is_taken, below, is_worked_in, branch, ..There::default() };
        for (name, id) in refs {
            if names::travels(&name) {
                there.refs.insert(name, id);
            } else if name.starts_with(names::JOBS) {
                there.leave(name, id, tell(Notice::SyncOddName, &[]));
            } else if is_in_the_way(&name) {
                there.leave(name, id, tell(Notice::SyncInTheWay, &[]));
            }
        }
        Ok(there)
    }

    /// The branch, which was fetched, is one that git seed made.
    fn is_ours(&self) -> Result<bool> {
        let store = &self.repo.store;
        let Some(tip) = store.tip(&names::fetched_branch(self.remote))? else { return Ok(true) };
        Ok(store.carried(&tip)?.is_some())
    }

    /// The refs that the branch names.
    fn in_branch(&self, branch: &CommitId) -> Result<BTreeMap<String, CommitId>> {
        let store = &self.repo.store;
        let copy = names::fetched_branch(self.remote);
        if store.stands_at(&copy)?.as_ref() != Some(branch) {
            // One that moved on right now is as good; its file says what it has.
            self.wire.fetch(&[(names::CARRIER.to_owned(), copy.clone())], Come::AsGitLikes)?;
        }
        let Some(tip) = store.tip(&copy)? else { return Ok(BTreeMap::new()) };
        // What is somebody else's is named as such, and nothing of it is taken.
        Ok(store.carried(&tip)?.unwrap_or_default())
    }

    /// Why the ref `name` there, which all jobs share, is left alone, and what a person can do.
    pub(crate) fn broken(&self, name: &str, why: &str) -> String {
        self.told(Notice::SyncBrokenThere, name, why)
    }

    /// The same of a ref that may be of no job, or is in the way of others.
    pub(crate) fn odd(&self, Odd { name, why }: Odd) -> Odd {
        let is_shared = SHARED.contains(&name.as_str());
        let notice = if is_shared { Notice::SyncBrokenThere } else { Notice::SyncOddThere };
        Odd { why: self.told(notice, &name, &why), name }
    }

    fn told(&self, notice: Notice, name: &str, why: &str) -> String {
        // In a branch a ref has no name that git knows.
        let goes = match self.transport {
            Transport::Refs => name,
            Transport::Branch => names::CARRIER,
        };
        let (remote, goes) = (quoted_word(self.remote), quoted_word(goes));
        tell(notice, &[("why", why), ("remote", &remote), ("ref", &goes)])
    }

    /// Fetches what is there and not here: those of `there` for which `wanted` is true. `false`
    /// where one has gone meanwhile.
    pub(crate) fn bring(&self, there: &mut There, wanted: &dyn Fn(&str) -> bool) -> Result<bool> {
        let store = &self.repo.store;
        let below = format!("{}{}/", names::FETCHED, self.remote);
        let copies: BTreeMap<String, CommitId> = store.chains(&below)?.into_iter().collect();
        let copy = |name: &str| names::fetched(self.remote, name);
        let new: Vec<(&String, &CommitId)> = there
            .refs
            .iter()
            .filter(|(name, id)| wanted(name) && copies.get(&copy(name)) != Some(id))
            .collect();
        match self.transport {
            Transport::Refs => {
                if !new.is_empty() {
                    self.drop_lost_texts()?;
                }
                // Words come by themselves, so that no pack of git's holds them.
                let (texts, others): (Vec<_>, Vec<_>) = new
                    .iter()
                    .map(|(name, _)| ((*name).clone(), copy(name)))
                    .partition(|(name, _)| name == names::TEXTS);
                for (specs, come) in [(others, Come::AsGitLikes), (texts, Come::Loose)] {
                    if !self.wire.fetch(&specs, come).map_err(|error| self.or_locked(error))? {
                        return Ok(false);
                    }
                }
            }
            // All of it came with the branch; a name for what did not come would lead nowhere.
            Transport::Branch => {
                let here = new.iter().filter(|(_, id)| store.has_object(id.as_str()));
                let moves = here.map(|(name, id)| (copy(name), Some((*id).clone())));
                store.set_copies(&moves.collect::<Vec<_>>())?;
            }
        }
        let (come, odd): (BTreeMap<_, _>, BTreeMap<_, _>) = std::mem::take(&mut there.refs)
            .into_iter()
            .partition(|(name, id)| !wanted(name) || store.has_commit(id.as_str()));
        there.refs = come;
        for (name, id) in odd {
            there.leave(name, id, tell(Notice::SyncNoCommit, &[]));
        }
        Ok(true)
    }

    /// A redaction where this clone borrows objects takes away what copies of texts lead to, and
    /// git fetches nothing past a ref that leads nowhere.
    fn drop_lost_texts(&self) -> Result<()> {
        let store = &self.repo.store;
        for remote in store.remote_names() {
            let copy = names::fetched(&remote, names::TEXTS);
            let at = store.stands_at(&copy)?;
            if at.is_some_and(|at| !store.has_object(at.as_str())) {
                store.set_copies(&[(copy, None)])?;
            }
        }
        Ok(())
    }

    /// Git's own words about a lock tell nobody what helps.
    fn or_locked(&self, error: StoreError) -> EngineError {
        let locks = self.repo.store.ref_locks();
        match locks.first().filter(|_| matches!(error, StoreError::Git { .. })) {
            Some(lock) => {
                EngineError::Remote(tell(Notice::SyncLocked, &[("lock", lock.name.as_str())]))
            }
            None => error.into(),
        }
    }

    /// Drops copies of what is there no longer.
    pub(crate) fn forget(&self, there: &There) -> Result<()> {
        let below = format!("{}{}/", names::FETCHED, self.remote);
        let mut known: BTreeSet<String> =
            there.refs.keys().map(|name| names::fetched(self.remote, name)).collect();
        known.extend(there.odd.iter().map(|odd| names::fetched(self.remote, &odd.name)));
        known.insert(names::fetched_branch(self.remote));
        let copies = self.repo.store.chains(&below)?.into_iter();
        let stale = copies.filter(|(name, _)| !known.contains(name));
        let moves: Vec<_> = stale.map(|(name, _)| (name, None)).collect();
        Ok(self.repo.store.set_copies(&moves)?)
    }

    /// Moves refs there, and the copies of them that are here.
    pub(crate) fn send(&self, there: &There, pushes: &[RefPush]) -> Result<Pushed> {
        let below = format!("{}{}/", names::FETCHED, self.remote);
        let branch = names::fetched_branch(self.remote);
        let (sent, copies) = match self.transport {
            Transport::Refs => {
                let copy =
                    |push: &RefPush| (names::fetched(self.remote, &push.name), push.to.clone());
                (self.wire.push(pushes, self.copies)?, pushes.iter().map(copy).collect::<Vec<_>>())
            }
            Transport::Branch => {
                let Some(push) = self.branch_with(there, pushes)? else {
                    return Ok(Pushed::Done);
                };
                let copy = (branch, push.to.clone());
                (self.wire.push(&[push], self.copies)?, vec![copy])
            }
        };
        if sent == Pushed::Done {
            let stand: BTreeMap<String, CommitId> =
                self.repo.store.chains(&below)?.into_iter().collect();
            let moves = copies.into_iter().filter(|(name, to)| stand.get(name) != to.as_ref());
            self.repo.store.set_copies(&moves.collect::<Vec<_>>())?;
        }
        Ok(sent)
    }

    /// The branch with these moves made; nothing where it says so already.
    fn branch_with(&self, there: &There, pushes: &[RefPush]) -> Result<Option<RefPush>> {
        let store = &self.repo.store;
        let mut refs = there.refs.clone();
        for push in pushes.iter().filter(|push| push.name != names::TEXTS) {
            match &push.to {
                Some(to) => refs.insert(push.name.clone(), to.clone()),
                None => refs.remove(&push.name),
            };
        }
        if refs == there.refs {
            return Ok(None);
        }
        let named: BTreeMap<_, _> = there.besides.iter().chain(&refs).collect();
        let file = sync::write_refs(named.iter().map(|(name, id)| (name.as_str(), id.as_str())));
        let edits = [TreeEdit::Put { path: sync::REFS.to_owned(), bytes: file.into_bytes() }];
        let message = format!("{}\n", tell(Notice::SubjectSyncBranch, &[]));
        let tips: Vec<CommitId> = refs.into_values().collect();
        let mut lacking = store.tips_outside(&tips, there.branch.as_ref())?;
        lacking.sort();
        lacking.dedup();
        let mut tip = there.branch.clone();
        let mut ahead = lacking.as_slice();
        loop {
            let room = PARENTS - usize::from(tip.is_some());
            let (now, later) = ahead.split_at(room.min(ahead.len()));
            let parents: Vec<CommitId> = tip.into_iter().chain(now.iter().cloned()).collect();
            let step = NewStep {
                edits: &edits,
                message: &message,
                at: self.repo.store.dated(self.repo.now),
            };
            let new = Loose { on: None, parents: &parents, step };
            let made = store.write_loose(&new, names::CARRIER)?.commit;
            if later.is_empty() {
                let (name, seen) = (names::CARRIER.to_owned(), there.branch.clone());
                return Ok(Some(RefPush { name, seen, to: Some(made), replaces: false }));
            }
            (tip, ahead) = (Some(made), later);
        }
    }
}
