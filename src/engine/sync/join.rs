//! Joins what another clone published with what is here, ref by ref, and says what is to be pushed.
//!
//! Whoever calls has fetched: every commit that is named here is in this clone, and nothing here
//! talks to a remote. Records come first, then notes, then the archive, then the jobs one by one,
//! then texts: killed anywhere each ref is where it was or is to be, and the same call goes on. A
//! job that is broken or hostile there is left alone and named.

pub(crate) mod believed;
pub(crate) mod chains;
mod closed;
pub(crate) mod job;
pub(crate) mod journal;
pub(crate) mod leave;
pub(crate) mod outcome;
pub(crate) mod texts;

use std::collections::BTreeMap;

use crate::engine::record::draft::{By, StepDraft};
use crate::engine::record::own_clone::Grants;
use crate::engine::repo::{Repo, Result};
use crate::engine::sync::join::chains::SHARED;
use crate::engine::sync::join::job::{Decided, Stands};
pub(crate) use crate::engine::sync::join::outcome::{
    Came, Joined, JoinedJob, Odd, Published, Push, Rejected, Served, is_below,
};
use crate::engine::{merge, record};
use crate::format::archive::ClosedRow;
use crate::format::{archive, names};
use crate::jobs::JobId;
use crate::store::{CommitId, StoreError};
use crate::voice::{Notice, tell};
use crate::world::progress;

/// A job on both sides, by the end of its ref's name.
type Sides = BTreeMap<String, (Option<Stands>, Option<Stands>)>;

/// Joins what `published` names with what is here. A dry run moves no ref.
///
/// # Errors
///
/// This clone's own refs do not read or cannot be moved. What is wrong with the other side's is in
/// what this gives.
pub(crate) fn join(
    repo: &Repo,
    published: &Published,
    served: Served,
    dry_run: bool,
) -> Result<Joined> {
    let _lock = repo.store.lock()?;
    journal::finish(repo)?;
    let mut joined = Joined::default();
    let archived = repo.store.stands_at(names::ARCHIVE)?;
    for name in SHARED {
        let Some(there) = published.refs.get(name) else { continue };
        joined.aside.extend(chains::join(repo, name, there, served, dry_run)?);
    }
    let believed = joined.aside.iter().all(|left| left.name != names::ARCHIVE)
        && published.in_the_way(names::ARCHIVE).is_none();
    let closed_there = published.refs.get(names::ARCHIVE).filter(|_| believed);
    let mut moves = Vec::new();
    let sides = sides(repo, published, archived.as_ref(), closed_there)?;
    progress::begin(&tell(Notice::DoesJoin, &[]), sides.len());
    if !dry_run {
        // What comes may say that texts are to be nowhere.
        let at = |side: &Option<Stands>| side.as_ref().map(|side| side.at.clone());
        let differs = sides.iter().filter(|(_, (here, there))| at(here) != at(there));
        texts::begin(repo, differs.filter_map(|(id, _)| id.parse().ok()).collect())?;
    }
    for (end, (here, there)) in sides {
        progress::step();
        let Ok(id) = end.parse::<JobId>() else {
            let why = tell(Notice::JoinNoJob, &[]);
            joined.jobs.push(aside(end, why));
            continue;
        };
        let one = One { repo, id: &id, served, dry_run, archives: believed, there: there.as_ref() };
        let (mut job, push) = one.join(here.as_ref())?;
        match push.as_ref().and_then(|push| published.in_the_way(&push.name)) {
            Some(odd) => job = aside(job.id, odd.why.clone()),
            None => moves.extend(push),
        }
        joined.jobs.push(job);
    }
    if !dry_run {
        let (texts, packed) = texts::join(repo, published.refs.get(names::TEXTS), &joined.jobs)?;
        joined.packed = packed;
        let shared = chains::pushes(repo, &published.refs, &joined.aside)?;
        let goes = |push: &Push| published.in_the_way(&push.name).is_none();
        joined.moves.extend(texts.into_iter().chain(shared).filter(goes));
        joined.moves.extend(moves);
        leave::let_go(repo)?;
    }
    Ok(joined)
}

/// All jobs that are open on a side or that the archives have otherwise, with where they stand.
/// `archived` is the archive of this clone as it was before it was joined.
fn sides(
    repo: &Repo,
    published: &Published,
    archived: Option<&CommitId>,
    closed_there: Option<&CommitId>,
) -> Result<Sides> {
    let mut sides = Sides::new();
    for (chain, at) in repo.store.chains(names::JOBS)? {
        sides.entry(end_of(&chain)).or_default().0 = Some(Stands { at, closed: false });
    }
    for (chain, at) in published.refs.iter().filter(|(name, _)| name.starts_with(names::JOBS)) {
        sides.entry(end_of(chain)).or_default().1 = Some(Stands { at: at.clone(), closed: false });
    }
    let closed = |row: &ClosedRow| {
        // A line that names no commit is damage, which `doctor` tells.
        row.tip.parse().ok().map(|at| Stands { at, closed: true })
    };
    let (ours, theirs) = merge::archive::differing(repo, archived, closed_there)?;
    for (id, row) in ours {
        let here = &mut sides.entry(id.to_string()).or_default().0;
        *here = here.take().or_else(|| closed(&row));
    }
    for (id, row) in theirs {
        let there = &mut sides.entry(id.to_string()).or_default().1;
        *there = there.take().or_else(|| closed(&row));
    }
    // A job that is open on the one side alone may lie in the archive of the other.
    let tips =
        [archived, closed_there].map(|tip| tip.map(|tip| repo.store.tip_of(tip)).transpose());
    let [archived, closed_there] = tips;
    let (archived, closed_there) = (archived?, closed_there?);
    for (end, (here, there)) in &mut sides {
        // It is named where it is looked at.
        let Ok(id) = end.parse::<JobId>() else { continue };
        for (side, archive) in [(here, &archived), (there, &closed_there)] {
            if let (None, Some(archive)) = (&side, archive) {
                *side = repo.row_in(archive, &id)?.as_ref().and_then(closed);
            }
        }
    }
    Ok(sides)
}

fn end_of(chain: &str) -> String {
    chain.strip_prefix(names::JOBS).unwrap_or(chain).to_owned()
}

/// The most letters of what is told of a job that is set aside: an error may quote a whole file.
const WHY: usize = 400;

fn aside(id: String, why: String) -> JoinedJob {
    let cut: String = why.chars().take(WHY).map(|c| if c == '\n' { ' ' } else { c }).collect();
    let why = if why.chars().count() > WHY { cut + "…" } else { why };
    JoinedJob { id, result: Came::SetAside, rejected: Vec::new(), aside: Some(why) }
}

/// One job that is being joined.
struct One<'a> {
    repo: &'a Repo,
    id: &'a JobId,
    served: Served,
    dry_run: bool,
    /// The archive here and the one there are one, so that a closed job goes by it.
    archives: bool,
    there: Option<&'a Stands>,
}

impl One<'_> {
    /// Joins it, and says what is to be pushed.
    fn join(&self, here: Option<&Stands>) -> Result<(JoinedJob, Option<Push>)> {
        let mut here = here.cloned();
        let mut decided = self.decided(here.as_ref());
        let chain = names::job_chain(self.id);
        let moves = matches!(decided, Ok(Decided::Theirs | Decided::Joint(_)));
        let goes_out =
            self.served == Served::Server && matches!(decided, Ok(Decided::Same | Decided::Ours));
        if (moves || goes_out) && !self.dry_run && here.as_ref().is_some_and(|here| !here.closed) {
            if let (true, Some(worktree)) = (moves, self.held_elsewhere(&chain)?) {
                let facts = [("worktree", worktree.as_str())];
                let why = tell(Notice::JoinHeld, &facts);
                return Ok((aside(self.id.to_string(), why), None));
            }
            // What was recorded since the last step is a step of this side. It goes out with the
            // others: else what another clone judges is judged without it.
            match journal::rest(self.repo, &chain) {
                Ok(Some(at)) => {
                    here = Some(Stands { at, closed: false });
                    decided = self.decided(here.as_ref());
                }
                Ok(None) => {}
                Err(error) => return Ok((aside(self.id.to_string(), error.to_string()), None)),
            }
        }
        let decided = match decided {
            Ok(Decided::Aside(why)) => return Ok((aside(self.id.to_string(), why), None)),
            // What does not read or cannot be joined is left as it is; others go on.
            Err(error) => return Ok((aside(self.id.to_string(), error.to_string()), None)),
            Ok(decided) => decided,
        };
        self.settled(here.as_ref(), decided)
    }

    fn decided(&self, here: Option<&Stands>) -> Result<Decided> {
        job::decide(self.repo, self.id, here, self.there, self.served)
    }

    /// Another worktree works on it: it has the journal.
    fn held_elsewhere(&self, chain: &str) -> Result<Option<String>> {
        let by = self.repo.store.focus_of(chain)?;
        Ok(by.filter(|worktree| *worktree != self.repo.store.worktree_name()))
    }

    /// Moves its ref here, and says what is to be pushed.
    fn settled(
        &self,
        here: Option<&Stands>,
        decided: Decided,
    ) -> Result<(JoinedJob, Option<Push>)> {
        let mut rejected = Vec::new();
        let (result, to) = match (decided, self.there, here) {
            (Decided::Joint(joint), there, Some(here)) => {
                let was_closed = here.closed || there.is_some_and(|there| there.closed);
                let closed = was_closed && archive::is_closed(&joint.state);
                rejected.extend(joint.rejected.iter().map(|(said, why)| Rejected {
                    id: said.id.clone(),
                    step: said.step.clone(),
                    why: why.word().to_owned(),
                }));
                (Came::Merged, Some(Stands { at: joint.tip.commit, closed }))
            }
            (Decided::Theirs, Some(there), None) => (Came::New, Some(there.clone())),
            (Decided::Theirs, Some(there), Some(here)) => {
                rejected = job::fell(self.repo, &here.at, &there.at)?;
                (Came::Pulled, Some(there.clone()))
            }
            // By an archive that goes nowhere.
            (Decided::Ours, _, Some(here)) if here.closed && !self.archives => {
                (Came::Same, Some(here.clone()))
            }
            (Decided::Ours, _, here) => (Came::Pushed, here.cloned()),
            (_, _, here) => (Came::Same, here.cloned()),
        };
        let job = JoinedJob { id: self.id.to_string(), result, rejected, aside: None };
        let Some(to) = to.filter(|_| !self.dry_run) else { return Ok((job, None)) };
        self.turn(here, &to)?;
        let to = match result {
            Came::New | Came::Pulled | Came::Merged => self.put_away(self.granted(here, to)?)?,
            _ => to,
        };
        Ok((job, self.push(&to)))
    }

    /// A push takes a closed job along by the ref that it had while it was open. Whoever meets it
    /// puts it away, here and there.
    fn put_away(&self, to: Stands) -> Result<Stands> {
        let state = job::state_at(self.repo, self.id, &to.at)?;
        if to.closed || !archive::is_closed(&state) {
            return Ok(to);
        }
        let closed = record::archive::put_away(self.repo, self.id)?;
        Ok(Stands { closed, ..to })
    }

    /// Where a job lives here, what was granted to it elsewhere is taken out of it with a step of
    /// this clone: whoever serves its chain could write whatever opens something.
    fn granted(&self, here: Option<&Stands>, to: Stands) -> Result<Stands> {
        let repo = self.repo;
        if to.closed {
            return Ok(to);
        }
        let tip = repo.store.tip_of(&to.at)?;
        let chain = names::job_chain(self.id);
        let state = repo.state_as_stored(&chain, &tip)?;
        if repo.is_foreign(&state)? {
            return Ok(to);
        }
        let own = match here {
            Some(here) => {
                let tip = repo.store.tip_of(&here.at)?;
                record::own_clone::grants(repo, &repo.state_as_stored(&chain, &tip)?, &tip)?
            }
            None => Grants::default(),
        };
        if record::own_clone::grants(repo, &state, &tip)? == own {
            return Ok(to);
        }
        let treats = record::interactions::fold_for(repo, &chain)?;
        let taken = record::step::step(repo, &chain, treats, |state, _| {
            let mut edits = Vec::new();
            record::own_clone::disown(repo, state, &mut edits)?;
            let subject = tell(Notice::SubjectNotGranted, &[]);
            Ok(Ok(StepDraft { edits, ..StepDraft::new(state, "disown", subject, By::Hook) }))
        })?;
        Ok(taken.map_or(to, |taken| Stands { at: taken.focused.tip.commit, closed: false }))
    }

    /// What its ref there is to become.
    fn push(&self, to: &Stands) -> Option<Push> {
        if to.closed && !self.archives {
            // Its ref there is all that is there of it.
            return None;
        }
        let seen = self.there.filter(|there| !there.closed).map(|there| there.at.clone());
        let to = (!to.closed).then(|| to.at.clone());
        let name = names::job_chain(self.id);
        (seen != to).then_some(Push { name, seen, to })
    }

    /// Brings the ref here to where the job stands.
    fn turn(&self, here: Option<&Stands>, to: &Stands) -> Result<()> {
        let (repo, chain) = (self.repo, names::job_chain(self.id));
        let live = here.filter(|here| !here.closed).map(|here| &here.at);
        if !to.closed && live == Some(&to.at) {
            return Ok(());
        }
        if to.closed && !repo.store.in_focus()?.contains(&chain) {
            return self.close(&chain, live, &to.at);
        }
        if live != Some(&to.at) {
            journal::around(repo, &chain, || {
                Ok(repo.store.turn(&chain, live, &to.at, "sync", repo.now)?)
            })?;
        }
        // It ended elsewhere, and nobody works on here: its ref goes as well.
        if to.closed && leave::ended(repo, &chain)? {
            return self.close(&chain, Some(&to.at), &to.at);
        }
        Ok(())
    }

    /// It is closed: its ref goes, once the archive has it as it stands.
    fn close(&self, chain: &str, live: Option<&CommitId>, to: &CommitId) -> Result<()> {
        let repo = self.repo;
        let row = repo.archived_row(self.id)?;
        if row.is_some_and(|row| row.tip == to.to_string()) {
            let gone: Vec<_> = live.map(|at| (chain.to_owned(), at.clone())).into_iter().collect();
            return record::archive::forget(repo, &gone);
        }
        if live != Some(to) {
            repo.store.turn(chain, live, to, "sync", repo.now)?;
        }
        if record::archive::put_away(repo, self.id)? {
            return Ok(());
        }
        Err(StoreError::Moved { chain: chain.to_owned() }.into())
    }
}

#[cfg(test)]
mod tests;
