//! Commits that name no step in full: what of the jobs they stand for, by what they hold.
//!
//! Squashed, rebased, picked and landed commits, and those that lost their trailers. The job is
//! found by a note, by what is left of the trailers, or among the newest jobs; content vouches.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use crate::claims::audit::{Content, Standing};
use crate::engine::beside;
use crate::engine::contents::{Changes, Contents, Ids, Match};
use crate::engine::proof::chain::{Jobs, OfStep, Steps};
use crate::engine::proof::content::{self, changes, contents};
use crate::engine::repo::text::count;
use crate::engine::repo::{Repo, Result};
use crate::store::{ChangeId, CommitId, TreeId};
use crate::voice::{Notice, tell};

/// As many commits that name no step are compared with steps by what they change.
const COMPARED: usize = 500;

/// What is known of the jobs that were looked at.
pub(crate) struct Search<'a> {
    repo: &'a Repo,
    known: BTreeMap<String, Known>,
}

struct Known {
    steps: Vec<OfStep>,
    contents: Contents,
    /// What they change was worked out as well.
    changes: bool,
}

/// A commit with its tree.
pub(crate) type Here = (CommitId, String);

/// Steps that a range lacks, by job.
pub(crate) type Lacking = BTreeMap<String, Ids>;

impl<'a> Search<'a> {
    pub(crate) fn new(repo: &'a Repo) -> Self {
        Self { repo, known: BTreeMap::new() }
    }

    fn known(&mut self, job: &str, steps: &Steps) -> Result<&mut Known> {
        match self.known.entry(job.to_owned()) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(place) => {
                let made = steps.made(self.repo);
                let contents = contents(self.repo, &made, steps)?;
                Ok(place.insert(Known { steps: made, contents, changes: false }))
            }
        }
    }

    fn with_changes(&mut self, job: &str, steps: &Steps) -> Result<&mut Known> {
        let repo = self.repo;
        let known = self.known(job, steps)?;
        if !known.changes {
            content::take_in_changes(repo, &mut known.contents, &known.steps)?;
            known.changes = true;
        }
        Ok(known)
    }

    /// What a commit that claims these ids stands for, among the jobs of these names: of the job
    /// whose content it has.
    pub(crate) fn stands_for(
        &mut self,
        jobs: &Jobs,
        names: &BTreeSet<String>,
        commit: &CommitId,
        claimed: &Ids,
    ) -> Result<Option<Follows>> {
        let here = |name: &String| Some((name.clone(), jobs.get(name)?.as_ref()?));
        let jobs: Vec<(String, &Steps)> = names.iter().filter_map(here).collect();
        let tree = self.repo.store.tree_of_commit(commit)?;
        let before = self.repo.store.tree_before(commit)?;
        for (job, steps) in &jobs {
            let known = &self.known(job, steps)?.contents;
            let by_tree = || known.by_tree(&tree, before.as_ref().map(TreeId::as_str));
            if let Some(found) = known.by_landing(commit.as_str()).or_else(by_tree) {
                return Ok(Some(Follows::of(job, found)));
            }
        }
        if let Some(found) = self.of_several(&jobs, &tree, before.as_ref())? {
            return Ok(Some(found));
        }
        let repo = self.repo;
        let change = changes(repo, std::slice::from_ref(commit))?.remove(commit);
        // It may change nothing.
        let change = change.unwrap_or_default();
        for (job, steps) in &jobs {
            let known = self.with_changes(job, steps)?;
            // A person squashed just these.
            let just = |step: &&OfStep| !step.undone && claimed.contains(&step.id);
            let some: Vec<OfStep> = known.steps.iter().filter(just).cloned().collect();
            content::take_in_range(repo, &mut known.contents, &some)?;
            if let Some(found) = known.contents.by_change(&change, &tree) {
                let follows = Follows::of(job, found);
                return self.with_beside(commit, &change, follows).map(Some);
            }
        }
        Ok(None)
    }

    /// Of several jobs, each on what the one before led to, the one that led to this tree.
    fn of_several(
        &mut self,
        jobs: &[(String, &Steps)],
        tree: &TreeId,
        before: Option<&TreeId>,
    ) -> Result<Option<Follows>> {
        let mut reached: BTreeSet<String> = before.iter().map(ToString::to_string).collect();
        // One that stands on what another led to may come before that one by its name.
        for _ in jobs.iter().skip(1) {
            for (job, steps) in jobs {
                let more = self.known(job, steps)?.contents.reached(&reached);
                reached.extend(more);
            }
        }
        for (job, steps) in jobs.iter().filter(|_| jobs.len() > 1) {
            let known = &self.known(job, steps)?.contents;
            let mut found = reached.iter().filter_map(|at| known.by_tree(tree, Some(at)));
            if let Some(found) = found.next() {
                return Ok(Some(Follows::of(job, found)));
            }
        }
        Ok(None)
    }

    /// Which of `plain` commits, newest first, stand for steps that are lacking; those are lacking
    /// no longer. What commits change is worked out for the jobs in `near`, for the others it is
    /// what their landings say.
    pub(crate) fn unnamed(
        &mut self,
        jobs: &Jobs,
        near: &BTreeSet<String>,
        plain: &[Here],
        lacking: &mut Lacking,
    ) -> Result<Vec<(CommitId, Follows)>> {
        let mut found = Vec::new();
        let mut open: Vec<&Here> = Vec::new();
        for here in plain.iter().rev() {
            let Ok(tree) = here.1.parse::<TreeId>() else { continue };
            let before = self.repo.store.tree_before(&here.0)?;
            let before = before.as_ref().map(TreeId::as_str);
            let by_tree =
                self.first(jobs, lacking, |known| known.contents.by_tree(&tree, before))?;
            match by_tree {
                Some(follows) => found.push((here.0.clone(), follows)),
                None => open.push(here),
            }
        }
        lacking.retain(|_, ids| !ids.is_empty());
        // The newest ones, if they are many.
        let from = open.len().saturating_sub(COMPARED);
        let open = &open[from..];
        let commits: Vec<CommitId> = open.iter().map(|(commit, _)| commit.clone()).collect();
        if lacking.is_empty() || lacking.values().map(Ids::len).sum::<usize>() > COMPARED {
            return Ok(found);
        }
        let near = near.iter().filter(|job| lacking.contains_key(*job));
        for (job, steps) in near.filter_map(|job| Some((job, jobs.get(job)?.as_ref()?))) {
            self.with_changes(job, steps)?;
        }
        let changes = changes(self.repo, &commits)?;
        for (commit, tree) in open {
            let Some(change): Option<&Changes> = changes.get(commit) else { continue };
            let Ok(tree) = tree.parse::<TreeId>() else { continue };
            let by = self.first(jobs, lacking, |known| known.contents.by_change(change, &tree))?;
            if let Some(follows) = by {
                found.push((commit.clone(), self.with_beside(commit, change, follows)?));
            }
        }
        Ok(found)
    }

    /// The same, with what memory the commit has beside the product that it is followed by.
    fn with_beside(
        &self,
        commit: &CommitId,
        change: &Changes,
        follows: Follows,
    ) -> Result<Follows> {
        let Some(known) = self.known.get(&follows.job) else { return Ok(follows) };
        let holds = |change: &ChangeId| known.contents.has_whole(change);
        if follows.by == Content::Tree || holds(&change.whole) {
            return Ok(follows);
        }
        let stand = known.steps.iter().filter(|step| !step.undone);
        let own: Vec<CommitId> = stand.map(|step| step.commit.clone()).collect();
        let beside = beside::memory(self.repo, commit, &own, holds)?;
        Ok(Follows { beside, ..follows })
    }

    /// The first job of which something is lacking that `finds` finds.
    fn first(
        &mut self,
        jobs: &Jobs,
        lacking: &mut Lacking,
        finds: impl for<'k> Fn(&'k Known) -> Option<Match<'k>>,
    ) -> Result<Option<Follows>> {
        for (job, lacks) in lacking.iter_mut().filter(|(_, lacks)| !lacks.is_empty()) {
            let Some(Some(steps)) = jobs.get(job) else { continue };
            let Some(found) = finds(self.known(job, steps)?) else { continue };
            let here: Ids = found.ids.intersection(lacks).cloned().collect();
            if here.is_empty() {
                continue;
            }
            lacks.retain(|id| !here.contains(id));
            return Ok(Some(Follows { ids: here, ..Follows::of(job, found) }));
        }
        Ok(None)
    }
}

/// What a commit stands for by its content.
#[derive(Clone, Debug)]
pub(crate) struct Follows {
    by: Content,
    pub job: String,
    pub ids: Ids,
    /// White space may differ: nobody could compare it.
    pub loose: bool,
    /// Paths of memory that it changes and that are not shown to be the job's.
    pub beside: Vec<String>,
}

impl Follows {
    fn of(job: &str, found: Match<'_>) -> Self {
        let Match { by, ids, loose } = found;
        Self { by, job: job.to_owned(), ids: ids.clone(), loose, beside: Vec::new() }
    }

    /// Of a commit that names the job or a step of it.
    pub(crate) fn named(&self) -> Standing {
        let facts = [("steps", &*count(self.ids.len(), "step")), ("job", &self.job)];
        let how = if self.loose { Notice::StepsFollowedLoosely } else { Notice::StepsFollowed };
        Standing::Followed { why: beside::told(tell(how, &facts), &self.beside), by: self.by }
    }

    /// Of one that names neither.
    pub(crate) fn unnamed(&self) -> Standing {
        match self.ids.first().filter(|_| self.ids.len() == 1 && !self.loose) {
            None => self.named(),
            Some(step) => {
                let how = match self.by {
                    Content::Tree => Notice::StepTrailersGoneTree,
                    Content::PatchId => Notice::StepTrailersGone,
                };
                let why = beside::told(tell(how, &[("step", step)]), &self.beside);
                Standing::Followed { why, by: self.by }
            }
        }
    }
}
