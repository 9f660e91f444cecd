//! Chains that grew on two sides and were joined: the one line in which their steps are read, and
//! what one side has that the other has not.
//!
//! A joining commit has the published tip as its first parent and the local one as its second; it
//! says so by its trailer, for other commits have further parents that are no steps. The line has
//! the published side first, then what the other side had besides, then the commit that joined
//! them: each step once, behind the one that it was taken on. A line only ever gets longer.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use gix::ObjectId;

use super::chain::Step;
use super::error::StoreError;
use super::seen::Said;
use super::{CommitId, Store, UnixSeconds};
use crate::format::merge::{is_join, rejected};

/// The most commits of one chain that are read at once.
const MOST: usize = 200_000;

/// The steps of a chain, oldest first.
type Line = Vec<Step>;

impl Store {
    /// The commit `id` of a chain.
    pub(super) fn step_at(&self, id: ObjectId, chain: &str) -> Result<Step, StoreError> {
        let said = match self.seen.get(&id) {
            Some(known) => known,
            None => self.read_commit(id, chain)?,
        };
        let parents = said.parents.into_iter().map(CommitId::from).collect();
        let (message, dated) = (said.message, said.at);
        let at = self.moment(&id.to_string(), dated);
        Ok(Step { commit: id.into(), message, at, dated, parents, rejected: None })
    }

    fn read_commit(&self, id: ObjectId, chain: &str) -> Result<Said, StoreError> {
        let commit = self.commit_object(id, chain)?;
        let unread = |err| StoreError::unreadable(format!("{chain} ({id})"), &err);
        let decoded = commit.decode().map_err(unread)?;
        let at = decoded.committer().map_err(unread)?.seconds();
        let parents = decoded.parents().collect();
        let said = Said { message: decoded.message.to_string(), at, parents };
        self.seen.keep(id, said.clone());
        Ok(said)
    }

    /// The time of the newer one of two commits.
    pub(crate) fn newer(
        &self,
        one: &CommitId,
        other: &CommitId,
    ) -> Result<UnixSeconds, StoreError> {
        // As they are dated, so that two clones agree.
        let at =
            |id: &CommitId| Ok::<_, StoreError>(self.step_at(id.object()?, "refs/seed")?.dated);
        Ok(at(one)?.max(at(other)?))
    }

    /// The two sides that a commit joins; none where it joins none.
    pub(crate) fn joins(&self, commit: &CommitId) -> Result<Option<Vec<CommitId>>, StoreError> {
        let step = self.step_at(commit.object()?, "refs/seed")?;
        let sides = before(&step);
        Ok((sides.len() == 2).then(|| sides.into_iter().cloned().collect()))
    }

    /// The line that ends at `tip`, oldest first, with the steps that a joining commit rejected.
    pub(crate) fn line_to(&self, tip: &CommitId) -> Result<Line, StoreError> {
        self.line_beside(tip, HashSet::new())
    }

    /// The newest `limit` commits of the line to `tip`, newest first, with those that fell.
    pub(crate) fn history_with_fallen(
        &self,
        tip: &CommitId,
        limit: usize,
    ) -> Result<Line, StoreError> {
        let (mut steps, mut next) = (Line::new(), Some(tip.clone()));
        while let Some(id) = next.take().filter(|_| steps.len() < limit) {
            let step = self.step_at(id.object()?, "refs/seed")?;
            if before(&step).len() > 1 {
                steps.extend(self.line_to(&id)?.into_iter().rev());
                break;
            }
            next = step.parents.first().cloned();
            steps.push(step);
        }
        steps.truncate(limit);
        Ok(steps)
    }

    /// What the line to `tip` has and that to `other` has not, oldest first.
    pub(crate) fn lacking(&self, other: &CommitId, tip: &CommitId) -> Result<Line, StoreError> {
        let known = self.line_to(other)?;
        let mut line =
            self.line_beside(tip, known.iter().map(|step| step.commit.clone()).collect())?;
        // What was rejected on the other side is so here; the line itself knows of its own part.
        let whole = self.line_to(tip)?;
        let why: BTreeMap<&CommitId, &String> = whole
            .iter()
            .filter_map(|step| step.rejected.as_ref().map(|why| (&step.commit, why)))
            .collect();
        for step in &mut line {
            step.rejected = why.get(&step.commit).map(|why| (*why).clone());
        }
        Ok(line)
    }

    /// Whether `old` is a commit of the line to `new`.
    pub(crate) fn is_in_line(&self, old: &CommitId, new: &CommitId) -> Result<bool, StoreError> {
        if old == new {
            return Ok(true);
        }
        let (mut seen, mut ahead) = (HashSet::new(), vec![new.clone()]);
        while let Some(id) = ahead.pop() {
            if id == *old {
                return Ok(true);
            }
            if seen.insert(id.clone()) {
                let step = self.step_at(id.object()?, "refs/seed")?;
                ahead.extend(before(&step).into_iter().rev().cloned());
            }
            if seen.len() > MOST {
                return Err(too_long(new));
            }
        }
        Ok(false)
    }

    /// Parents first, the first one before the second: so each side stands together, and whoever
    /// joined them stands behind both.
    fn line_beside(&self, tip: &CommitId, mut seen: HashSet<CommitId>) -> Result<Line, StoreError> {
        /// A commit whose parents are being read, and where its own side begins.
        struct Open {
            step: Step,
            ahead: Vec<CommitId>,
            side: Option<usize>,
        }
        let mut line = Line::new();
        let mut open: Vec<Open> = Vec::new();
        let mut next = Some(tip.clone());
        loop {
            if let Some(id) = next.take().filter(|id| !seen.contains(id)) {
                seen.insert(id.clone());
                if seen.len() > MOST {
                    return Err(too_long(tip));
                }
                let step = self.step_at(id.object()?, "refs/seed")?;
                let mut ahead: Vec<CommitId> = before(&step).into_iter().cloned().collect();
                ahead.reverse();
                open.push(Open { step, ahead, side: None });
            }
            let Some(last) = open.last_mut() else { break };
            if last.ahead.len() == 1 && before(&last.step).len() == 2 {
                last.side = Some(line.len());
            }
            next = last.ahead.pop();
            if next.is_none()
                && let Some(done) = open.pop()
            {
                if let Some(side) = done.side {
                    reject(&mut line, side, &done.step.message);
                }
                line.push(done.step);
            }
        }
        Ok(line)
    }
}

/// The line to `tip`, oldest first, where `before` gives what a commit goes on from; one that it
/// does not know is not in the line.
pub(super) fn order(
    tip: &CommitId,
    before: impl Fn(&CommitId) -> Option<Vec<CommitId>>,
) -> Vec<CommitId> {
    let (mut line, mut seen) = (Vec::new(), HashSet::new());
    let mut open: Vec<(CommitId, Vec<CommitId>)> = Vec::new();
    let mut next = Some(tip.clone());
    loop {
        if let Some(id) = next.take()
            && seen.insert(id.clone())
            && let Some(mut parents) = before(&id)
        {
            parents.reverse();
            open.push((id, parents));
        }
        let Some((_, ahead)) = open.last_mut() else { break };
        next = ahead.pop();
        if next.is_none() {
            line.extend(open.pop().map(|(id, _)| id));
        }
    }
    line
}

/// The commits that a step was taken on: two where it joins them.
fn before(step: &Step) -> Vec<&CommitId> {
    let most = if is_join(&step.message) { 2 } else { 1 };
    step.parents.iter().take(most).collect()
}

/// Marks the steps that a joining commit rejected: those of its own side first, for two clones may
/// have given one id to two steps.
fn reject(line: &mut [Step], side: usize, message: &str) {
    let ids: Vec<(&str, &str)> = rejected(message).collect();
    if ids.is_empty() {
        return;
    }
    let mut free: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let order = (0..side).chain((side..line.len()).rev());
    let asked: BTreeSet<&str> = ids.iter().map(|(id, _)| *id).collect();
    for n in order {
        let id = crate::format::merge::id_of(&line[n].message);
        if let Some(id) = id.filter(|id| asked.contains(id)) {
            free.entry(id.to_owned()).or_default().push(n);
        }
    }
    for (id, why) in ids {
        let n = free.get_mut(id).and_then(|of| {
            while let Some(n) = of.pop() {
                if line[n].rejected.is_none() {
                    return Some(n);
                }
            }
            None
        });
        if let Some(n) = n {
            line[n].rejected = Some(why.to_owned());
        }
    }
}

fn too_long(tip: &CommitId) -> StoreError {
    StoreError::odd(format!("refs/seed ({tip})"), "its chain has too many commits")
}
