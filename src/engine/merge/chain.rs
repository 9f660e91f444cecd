//! Two chains of one job, joined: a commit of the two tips alone, that every clone makes alike.
//!
//! It begins with what the published side left and takes over, oldest first, what the local side
//! did besides. A step that does not stand there falls: it stays in the history and is named in
//! the commit. Where the published side ended the job and the local one went on with it, that end
//! falls as well, and what came behind it is taken over like the rest.
//!
//! No file of this clone is looked at, no rule and no clock. `verify` makes it once more.

use std::collections::BTreeMap;

use crate::engine::repo::{EngineError, Repo, Result};
use crate::format::merge::{self, Numbers, Place, Told};
use crate::format::names;
use crate::format::state::{self, State};
use crate::format::trailers::StepTrailers;
use crate::jobs::merging::{Kind, Why, grows, kind};
use crate::store::{CommitId, Contents, Loose, NewStep, Step, Tip, TreeEdit, TreeId};
use crate::voice::{Notice, tell};

/// What came of joining two chains.
#[derive(Clone, Debug)]
pub(crate) struct Joint {
    pub tip: Tip,
    pub state: State,
    pub rejected: Vec<(StepTrailers, Why)>,
}

/// Files by path; none is gone.
type Files = BTreeMap<String, Option<Vec<u8>>>;

/// A step of a line, with what it says of itself.
struct Said {
    step: Step,
    said: StepTrailers,
}

impl Said {
    fn kind(&self) -> Kind {
        kind(&self.said.step)
    }
}

/// Joins the chains that end at these two commits, and writes the commit. Neither lies in the line
/// of the other.
pub(crate) fn joined(
    repo: &Repo,
    chain: &str,
    published: &CommitId,
    local: &CommitId,
) -> Result<Joint> {
    replayed(repo, chain, published, local)?.written(published, local, Making::Written)
}

/// The commit that joins them, which is not written.
pub(crate) fn commit_of(
    repo: &Repo,
    chain: &str,
    published: &CommitId,
    local: &CommitId,
) -> Result<CommitId> {
    let sheet = replayed(repo, chain, published, local)?;
    Ok(sheet.written(published, local, Making::Named)?.tip.commit)
}

/// What becomes of the commit that joins two chains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Making {
    Written,
    /// Only its name is wanted.
    Named,
}

fn replayed<'a>(
    repo: &'a Repo,
    chain: &'a str,
    published: &CommitId,
    local: &CommitId,
) -> Result<Sheet<'a>> {
    let theirs = besides(repo, local, published)?;
    let ours = besides(repo, published, local)?;
    let ended = theirs.iter().find(|one| one.kind() == Kind::Judges);
    if let Some(first) = ended {
        // Whether the other side went on with what was judged shows where the end is not there.
        let before = first.step.parents.first().ok_or_else(|| odd(&first.step.commit))?;
        let mut sheet = Sheet::at(repo, chain, before)?;
        sheet.replay(&besides(repo, before, published)?, Judging::Falls)?;
        let theirs_grew = theirs.iter().any(|one| grows(&one.said.step));
        let judging = if theirs_grew { Judging::Grew } else { Judging::Stands };
        sheet.grew = false;
        sheet.replay(&ours, judging)?;
        if sheet.grew {
            return Ok(sheet);
        }
    }
    let mut sheet = Sheet::at(repo, chain, published)?;
    let judging = match ended {
        Some(_) => Judging::Over,
        None if theirs.iter().any(|one| grows(&one.said.step)) => Judging::Grew,
        None => Judging::Stands,
    };
    sheet.replay(&ours, judging)?;
    Ok(sheet)
}

/// Whether the line to `local` has a step that the one to `published` has not: where it has none,
/// nothing is left to take over, and the published chain stands as it is.
pub(crate) fn has_more(repo: &Repo, published: &CommitId, local: &CommitId) -> Result<bool> {
    let line = repo.store.lacking(published, local)?;
    Ok(line.iter().any(|step| !merge::is_join(&step.message)))
}

/// The steps that stand in the line to `tip` and are not in that to `other`, oldest first.
fn besides(repo: &Repo, other: &CommitId, tip: &CommitId) -> Result<Vec<Said>> {
    let line = repo.store.lacking(other, tip)?;
    let mut found = Vec::new();
    for step in line.into_iter().filter(|step| step.rejected.is_none()) {
        let said = StepTrailers::read(&step.message).ok_or_else(|| odd(&step.commit))?;
        if kind(&said.step) != Kind::Joins {
            found.push(Said { step, said });
        }
    }
    Ok(found)
}

fn odd(commit: &CommitId) -> EngineError {
    EngineError::OnDisk(tell(Notice::JoinNoStep, &[("commit", commit.as_str())]))
}

/// What becomes of a step that judged the whole job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Judging {
    Stands,
    /// It is the published one that is being taken back.
    Falls,
    Grew,
    Over,
}

/// A job as it is after the steps that were taken over so far.
struct Sheet<'a> {
    repo: &'a Repo,
    chain: &'a str,
    base: Tip,
    state: State,
    /// Files that differ from the base; none is gone.
    files: Files,
    /// Numbers below these are taken, by directory.
    next: BTreeMap<String, u32>,
    told: Told,
    rejected: Vec<(StepTrailers, Why)>,
    /// A step stands that adds to the work.
    grew: bool,
}

impl<'a> Sheet<'a> {
    fn at(repo: &'a Repo, chain: &'a str, commit: &CommitId) -> Result<Self> {
        let base = repo.store.tip_of(commit)?;
        let state = repo.state_as_stored(chain, &base)?;
        Ok(Self {
            repo,
            chain,
            base,
            state,
            files: Files::new(),
            next: BTreeMap::new(),
            told: Told::default(),
            rejected: Vec::new(),
            grew: false,
        })
    }

    fn file(&self, path: &str) -> Result<Option<Vec<u8>>> {
        match self.files.get(path) {
            Some(known) => Ok(known.clone()),
            None => Ok(self.repo.store.file(&self.base, path)?),
        }
    }

    fn state_of(&self, commit: &CommitId) -> Result<(Tip, State)> {
        let tip = self.repo.store.tip_of(commit)?;
        let state = self.repo.state_as_stored(self.chain, &tip)?;
        Ok((tip, state))
    }

    /// Takes the steps of one side over.
    fn replay(&mut self, steps: &[Said], judging: Judging) -> Result<()> {
        let (mut numbers, mut fell) = (Numbers::new(), false);
        let mut known: Option<(CommitId, Tip, State)> = None;
        for one in steps {
            let parent = one.step.parents.first().ok_or_else(|| odd(&one.step.commit))?;
            let (was, before) = match known.take() {
                Some((commit, tip, state)) if commit == *parent => (tip, state),
                _ => self.state_of(parent)?,
            };
            let (is, after) = self.state_of(&one.step.commit)?;
            let why = match (one.kind(), judging) {
                (Kind::Judges, Judging::Falls | Judging::Grew) => Some(Why::Grew),
                (Kind::Judges, Judging::Over) => Some(Why::Over),
                (Kind::OfPhase, _) if fell => Some(Why::Behind),
                (Kind::OfPhase, _) if !merge::stands_alike(&before, &self.state) => {
                    Some(Why::Phase)
                }
                _ => {
                    let trees = (&was.tree, &is.tree);
                    self.take(one.kind(), (&before, &after), trees, &mut numbers)?
                }
            };
            match why {
                Some(why) => {
                    fell |= one.kind() != Kind::Adds;
                    self.told.rejected.push((one.said.id.clone(), why));
                    self.rejected.push((one.said.clone(), why));
                }
                None => self.grew |= grows(&one.said.step),
            }
            known = Some((one.step.commit.clone(), is, after));
        }
        Ok(())
    }

    /// Takes one step over; says why where its files are in the way.
    fn take(
        &mut self,
        kind: Kind,
        (before, after): (&State, &State),
        (was, is): (&TreeId, &TreeId),
        numbers: &mut Numbers,
    ) -> Result<Option<Why>> {
        let (mut files, mut next) = (Files::new(), self.next.clone());
        for one in self.repo.store.contents_between(was, is, usize::MAX)? {
            match self.placed(one, (&mut files, &mut next), numbers)? {
                Ok(()) => {}
                Err(why) => return Ok(Some(why)),
            }
        }
        let (mut state, mut over) = (self.state.clone(), self.told.over.clone());
        let taken = merge::Taken { kind, before, after };
        if merge::carry(taken, numbers, &mut state, &mut over).is_err() {
            // The two states say what cannot be said at once.
            return Ok(Some(Why::File));
        }
        self.state = state;
        self.told.over = over;
        self.files.extend(files);
        self.next = next;
        Ok(None)
    }

    /// Where a file that a step wrote comes to lie.
    fn placed(
        &self,
        one: Contents,
        (files, next): (&mut Files, &mut BTreeMap<String, u32>),
        numbers: &mut Numbers,
    ) -> Result<std::result::Result<(), Why>> {
        let Contents { path, old, new } = one;
        let place = merge::place(&path);
        let there = if place == Place::State { None } else { self.file(&path)? };
        match (place, new) {
            (Place::State, _) => {}
            (Place::Numbered { dir, n, ending }, Some(new)) if old.is_none() => {
                let mut to = next.get(&dir).copied().unwrap_or(n).max(n);
                let place = |n: u32| format!("{dir}/{n:04}.{ending}");
                while self.file(&place(to))?.is_some() || files.contains_key(&place(to)) {
                    to += 1;
                }
                if dir == "interactions" {
                    numbers.insert(n, to);
                }
                files.insert(place(to), Some(new));
                next.insert(dir, to + 1);
            }
            (Place::Trace { head }, Some(new)) if old.is_none() => {
                files.insert(format!("{head}-{}.jsonl", self.state.steps + 1), Some(new));
            }
            (Place::Lines, new) => {
                let [was, is, there] = [old, new, there].map(Option::unwrap_or_default);
                files.insert(path, Some(merge::lines(&was, &is, &there)));
            }
            (Place::Log, Some(new)) => {
                let [was, there] = [old, there].map(Option::unwrap_or_default);
                files.insert(path, Some(merge::log(&was, &new, &there)));
            }
            (_, new) if there == new => {}
            (_, new) if there == old => drop(files.insert(path, new)),
            _ => return Ok(Err(Why::File)),
        }
        Ok(Ok(()))
    }

    /// Writes the commit that joins the two.
    fn written(mut self, published: &CommitId, local: &CommitId, making: Making) -> Result<Joint> {
        let ends = [published, local].map(|commit| self.end(commit));
        let [(published_id, at), (local_id, other)] = match ends {
            [Ok(one), Ok(two)] => [one, two],
            [Err(error), _] | [_, Err(error)] => return Err(error),
        };
        let message = merge::seal(&mut self.state, (&published_id, &local_id), &self.told);
        self.repo.store.keep_exact_of(&self.state.job.id, &local_id, &self.state.step)?;
        let written = state::write_short(&self.state);
        let bad = |bad| EngineError::State { chain: self.chain.to_owned(), bad };
        let (text, spilled) = written.map_err(bad)?;
        self.files.insert(names::FENCE.to_owned(), spilled.map(String::into_bytes));
        self.files.insert(names::STATE.to_owned(), Some(text.into_bytes()));
        let edits: Vec<TreeEdit> = std::mem::take(&mut self.files)
            .into_iter()
            .map(|(path, bytes)| match bytes {
                Some(bytes) => TreeEdit::Put { path, bytes },
                None => TreeEdit::Remove { path },
            })
            .collect();
        let new = NewStep { edits: &edits, message: &message, at: at.max(other) };
        let parents = [published.clone(), local.clone()];
        let new = Loose { on: Some(&self.base.tree), parents: &parents, step: new };
        let store = &self.repo.store;
        let tip = match making {
            Making::Written => store.write_loose(&new, self.chain)?,
            Making::Named => store.name_loose(&new, self.chain)?,
        };
        Ok(Joint { tip, state: self.state, rejected: self.rejected })
    }

    /// The Seed-Id of a tip, and its time as every clone has it.
    fn end(&self, commit: &CommitId) -> Result<(String, i64)> {
        let step = self.repo.store.history_from(commit, 1)?;
        let first = step.into_iter().next().ok_or_else(|| odd(commit))?;
        let id = merge::id_of(&first.message).ok_or_else(|| odd(commit))?.to_owned();
        Ok((id, first.dated))
    }
}
