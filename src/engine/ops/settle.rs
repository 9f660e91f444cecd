//! Writes down what moved, once a command or an event is over.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use crate::engine::ops::brought;
use crate::engine::record;
use crate::engine::repo::{Repo, Result};
use crate::format::ops::{self, Behind, Op, Walked};
use crate::format::trailers::StepTrailers;
use crate::format::{archive, names, state};
use crate::jobs::UnixSeconds;
use crate::store::{CommitId, NewStep, RefMoved, Step, Stood, Store, StoreError, Tip, TreeEdit};
use crate::voice::{Notice, tell};
use crate::{secrets, world};

/// What an operation is to say.
pub(crate) struct NewOp<'a> {
    pub command: &'a str,
    pub worktree: &'a str,
    pub walked: Option<&'a Walked>,
    /// Where refs stand after it.
    pub places: Vec<(String, Option<Stood>)>,
}

/// Writes the operation `command`, if this process moved anything that no operation tells of:
/// wherever it did. What is still `open` is not opened again.
pub(crate) fn everywhere(command: &str, open: Option<&Repo>) {
    for work_tree in Store::moved_in() {
        let now = world::now();
        // What cannot be written now is found and written by the next one.
        if let Some(repo) = open.filter(|repo| repo.store.work_tree() == work_tree) {
            let _ = settle(&repo.store, now, command);
        } else if let Ok(store) = Store::discover(&work_tree) {
            let _ = settle(&store, now, command);
        }
    }
}

/// The same in one repository, of which nothing is asked but its refs: it may have been opened
/// before the command changed what else there is.
pub(crate) fn settle(store: &Store, now: UnixSeconds, command: &str) -> Result<()> {
    let moves = store.take_moves();
    // Where git seed is gone nothing is left to tell of, and nowhere to tell it.
    if moves.is_empty() || store.stands_at(names::META)?.is_none() {
        return Ok(());
    }
    let _lock = store.lock()?;
    let log = Log { store, now };
    let tip = store.tip(names::OPS)?;
    let moves = log.untold(tip.as_ref(), moves)?;
    let tip = match tip {
        _ if moves.is_empty() => return Ok(()),
        // What whoever waits for this process did before belongs to the same operation.
        Some(tip) if world::is_part() => Some(tip),
        Some(tip) => log.lost(tip, &moves)?,
        None => log.begin(&moves)?,
    };
    let mut places = Vec::new();
    for moved in moves {
        let now = store.stands_in(&moved.place)?;
        if now != log.stood(tip.as_ref(), &moved.place)? {
            places.push((moved.place, now));
        }
    }
    if !places.is_empty() {
        let worktree = &store.worktree_name();
        let follows = log.all_follow(tip.as_ref(), &places)?;
        let walked = if follows { log.stays(worktree)? } else { None };
        let followed = tell(Notice::OpFollowed, &[]);
        let command = if walked.is_some() { followed.as_str() } else { command };
        log.add(tip.as_ref(), &NewOp { command, worktree, walked: walked.as_ref(), places })?;
    }
    Ok(())
}

/// Writes the operations that are missing, one for each worktree.
pub(crate) fn catch_up(repo: &Repo) -> Result<()> {
    let _lock = repo.store.lock()?;
    let log = Log { store: &repo.store, now: repo.now };
    let Some(tip) = repo.store.tip(names::OPS)? else {
        log.begin(&[])?;
        return Ok(());
    };
    let now = repo.store.refs_now()?;
    let known: BTreeMap<String, Stood> = repo
        .store
        .shifts(None, Some(&tip.tree))?
        .into_iter()
        .filter_map(|one| one.after.map(|after| (one.place, after)))
        .collect();
    let all: BTreeSet<&String> = known.keys().chain(now.keys()).collect();
    let moved = all.into_iter().filter(|place| known.get(*place) != now.get(*place));
    let places = moved.map(|place| (place.clone(), now.get(place).cloned())).collect();
    log.found(tip, places)?;
    Ok(())
}

/// What moved a place that no operation tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum FoundAs {
    Lost,
    /// A job followed its branch.
    Followed,
    Sync,
}

/// The newest operation of a worktree, as far as somebody looked.
pub(crate) struct Newest {
    pub found: Option<Op>,
    /// All operations were looked at, if none was found.
    whole: bool,
}

impl Newest {
    fn leaves(&self) -> Behind {
        match &self.found {
            Some(op) => op.leaves(),
            None if self.whole => Behind::Start,
            None => Behind::Unsaid,
        }
    }
}

/// The chain of operations, and the time.
pub(crate) struct Log<'s> {
    pub store: &'s Store,
    pub now: UnixSeconds,
}

impl Log<'_> {
    fn stood(&self, tip: Option<&Tip>, place: &str) -> Result<Option<Stood>> {
        match tip {
            Some(tip) => Ok(self.store.stood_in(&tip.tree, place)?),
            None => Ok(None),
        }
    }

    /// What was there before the first operation; nothing in a repository that begins with it.
    fn begin(&self, moves: &[RefMoved]) -> Result<Option<Tip>> {
        let mut there = self.store.refs_now()?;
        for moved in moves {
            there.remove(&moved.place);
            there.extend(moved.before.clone().map(|before| (moved.place.clone(), before)));
        }
        if there.is_empty() {
            return Ok(None);
        }
        let places = there.into_iter().map(|(place, stood)| (place, Some(stood))).collect();
        let command = &tell(Notice::OpBefore, &[]);
        let new = NewOp { command, worktree: "", walked: None, places };
        self.add(None, &new).map(Some)
    }

    /// The moves of which no operation of another process tells already, such as one that this
    /// process waited for.
    fn untold(&self, tip: Option<&Tip>, mut moves: Vec<RefMoved>) -> Result<Vec<RefMoved>> {
        let Some(tip) = tip else { return Ok(moves) };
        let mut told = BTreeSet::new();
        for RefMoved { place, .. } in &moves {
            if self.store.stands_in(place)? == self.store.stood_in(&tip.tree, place)? {
                told.insert(place.clone());
            }
        }
        moves.retain(|moved| !told.contains(&moved.place));
        Ok(moves)
    }

    /// What moved before this process moved it, and no operation tells of. One that this process
    /// waited for may have told of all up to a later move of it.
    fn lost(&self, tip: Tip, moves: &[RefMoved]) -> Result<Option<Tip>> {
        let mut places = Vec::new();
        for RefMoved { place, before, later } in moves {
            let told = self.store.stood_in(&tip.tree, place)?;
            if *before != told && !(told.is_some() && later.contains(&told)) {
                places.push((place.clone(), before.clone()));
            }
        }
        self.found(tip, places).map(Some)
    }

    fn found(&self, tip: Tip, places: Vec<(String, Option<Stood>)>) -> Result<Tip> {
        let (found, followed) = (tell(Notice::OpFound, &[]), tell(Notice::OpFollowed, &[]));
        let mut groups: BTreeMap<(FoundAs, String), Vec<_>> = BTreeMap::new();
        for (place, stood) in places {
            // It is taken back as a sync is: by its refs, so that nothing of another clone's is
            // voided.
            let key = if brought::by_a_sync(self.store, &place, stood.as_ref())? {
                (FoundAs::Sync, self.store.worktree_name())
            } else if self.follows(Some(&tip), &place, stood.as_ref())? {
                (FoundAs::Followed, self.worktree_of(&place)?)
            } else {
                (FoundAs::Lost, self.worktree_of(&place)?)
            };
            groups.entry(key).or_default().push((place, stood));
        }
        groups.into_iter().try_fold(tip, |tip, ((found_as, worktree), places)| {
            let walked = match found_as {
                FoundAs::Followed => self.stays(&worktree)?,
                FoundAs::Lost | FoundAs::Sync => None,
            };
            let command = match found_as {
                FoundAs::Sync => brought::SYNC,
                FoundAs::Followed if walked.is_some() => followed.as_str(),
                FoundAs::Followed | FoundAs::Lost => found.as_str(),
            };
            let new = NewOp { command, worktree: &worktree, walked: walked.as_ref(), places };
            self.add(Some(&tip), &new)
        })
    }

    /// Nothing moved but jobs that followed their branch where a person rewrote it.
    fn all_follow(&self, tip: Option<&Tip>, places: &[(String, Option<Stood>)]) -> Result<bool> {
        for (place, stood) in places {
            if !self.follows(tip, place, stood.as_ref())? {
                return Ok(false);
            }
        }
        Ok(!places.is_empty())
    }

    /// All steps of a job since `tip` follow its branch.
    fn follows(&self, tip: Option<&Tip>, place: &str, stood: Option<&Stood>) -> Result<bool> {
        /// It follows once for each rewrite, and operations are written after each.
        const MOST: usize = 8;
        let before = self.stood(tip, place)?;
        let (Some(Stood::At(before)), Some(Stood::At(now))) = (before, stood) else {
            return Ok(false);
        };
        if ops::job_of(place).is_none() {
            return Ok(false);
        }
        for step in self.store.history_from(now, MOST)? {
            if step.commit == before {
                return Ok(true);
            }
            let said = StepTrailers::read(&step.message);
            if said.is_none_or(|said| said.step != record::rewritten::STEP) {
                return Ok(false);
            }
        }
        Ok(false)
    }

    /// That the worktree stands where it stood: what follows a branch is nothing that somebody did
    /// and could want back, and cuts nothing off from `redo`. None where too many operations of
    /// others came since.
    fn stays(&self, worktree: &str) -> Result<Option<Walked>> {
        let Newest { found, whole } = self.newest_of(worktree)?;
        Ok(match found {
            Some(Op { walked: Some(walked), .. }) => Some(walked),
            Some(op) => Some(Walked { to: Some(op.id.clone()), ahead: Some(op.id) }),
            None => whole.then_some(Walked { to: None, ahead: None }),
        })
    }

    /// Where a place most likely moved: a job where it lives, a focus in its worktree, all else
    /// here.
    fn worktree_of(&self, place: &str) -> Result<String> {
        if let Some(worktree) = ops::worktree_of(place) {
            return Ok(worktree.to_owned());
        }
        let here = self.store.worktree_name();
        let Some(chain) = ops::chain_of(place).filter(|_| ops::job_of(place).is_some()) else {
            return Ok(here);
        };
        let Some(tip) = self.store.tip(&chain)? else { return Ok(here) };
        // Nothing does not read as a state.
        let bytes = self.store.file(&tip, names::STATE)?.unwrap_or_default();
        // A state that does not read is told by whoever needs it.
        let home = state::read(&bytes).map(|state| state.home.worktree).unwrap_or_default();
        Ok(if home.is_empty() { here } else { home })
    }

    /// Adds an operation behind `tip`. Who calls holds the lock.
    pub(crate) fn add(&self, tip: Option<&Tip>, new: &NewOp<'_>) -> Result<Tip> {
        let mut edits = Vec::new();
        let mut holds: Vec<CommitId> = Vec::new();
        for (place, stood) in &new.places {
            let path = place.clone();
            edits.push(match stood {
                Some(Stood::At(commit)) => TreeEdit::Link { path, commit: commit.clone() },
                Some(Stood::On(job)) => TreeEdit::Put { path, bytes: job.clone().into_bytes() },
                None => TreeEdit::Remove { path },
            });
            if stood.is_none() {
                holds.extend(self.let_go(tip, place)?);
            }
        }
        let behind = match tip {
            None => Behind::Start,
            Some(_) if new.walked.is_some() => Behind::Unsaid,
            Some(_) => self.newest_of(new.worktree)?.leaves(),
        };
        let command = secrets::mask(new.command);
        let message = Op::message(&command, new.worktree, &behind, new.walked);
        let step = NewStep { edits: &edits, message: &message, at: self.now };
        Ok(self.store.add_op(tip, step, &holds)?)
    }

    /// The newest operation of a worktree. After so many of others nobody looks further.
    pub(crate) fn newest_of(&self, worktree: &str) -> Result<Newest> {
        const MOST: usize = 256;
        let (mut found, mut seen) = (None, 0);
        let each = |step: Step| -> Result<ControlFlow<()>, StoreError> {
            seen += 1;
            let op = Op::read(step.commit.to_string(), &step.message, step.at);
            if op.worktree == worktree {
                found = Some(op);
            }
            let goes_on = found.is_none() && seen < MOST;
            Ok(if goes_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        };
        self.store.each_step(names::OPS, each)?;
        Ok(Newest { found, whole: seen < MOST })
    }

    /// The tip of a job that has no ref any more and does not lie in the archive: the operation
    /// holds it.
    fn let_go(&self, tip: Option<&Tip>, place: &str) -> Result<Option<CommitId>> {
        let Some(id) = ops::job_of(place) else { return Ok(None) };
        let Some(Stood::At(commit)) = self.stood(tip, place)? else { return Ok(None) };
        let archived = match self.store.tip(names::ARCHIVE)? {
            Some(archived) => self.store.subtree(&archived, &archive::place(&id))?.is_some(),
            None => false,
        };
        Ok(Some(commit).filter(|_| !archived))
    }
}
