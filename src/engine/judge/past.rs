//! Work of before that words may be about: of jobs of this clone that closed here, and of the
//! commits of this branch. It is looked at only where words would go back.

use std::cell::OnceCell;

use crate::claims::past::{self, Work};
use crate::claims::table::GateTable;
use crate::claims::{Receipt, Truth};
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::engine::{claims, record};
use crate::format::archive;
use crate::format::journal::{Linked, What};
use crate::format::trailers::StepTrailers;
use crate::jobs::Status;
use crate::store::{CommitId, TreeId};

/// How many jobs are words about, and among how many that closed they are looked for: talk is one.
const JOBS: usize = 4;
const CLOSED: usize = 16;

/// How many commits of the branch.
const COMMITS: usize = 50;

/// What a sentence is held against instead of the work of its own job.
pub(crate) struct Ground {
    work: Work,
    pub receipts: Vec<Receipt>,
    /// It is what the branch holds, by whomever.
    of_branch: bool,
    /// The job closed since the last prompt, in the session that speaks.
    of_turn: bool,
    /// As the work tree was when the job ended: for words of before alone.
    of_then: bool,
}

impl Ground {
    pub(crate) fn truth(&self) -> &Truth {
        &self.work.truth
    }
}

/// The grounds of words that are said in `job`, over the work tree `tree`.
pub(crate) struct Past<'r> {
    repo: &'r Repo,
    job: Option<&'r LoadedJob>,
    tree: &'r TreeId,
    table: &'r GateTable,
    /// Who speaks has no work of their own that the words could be about.
    is_talk: bool,
    receipts: &'r [Receipt],
    grounds: OnceCell<Vec<Ground>>,
}

impl<'r> Past<'r> {
    pub(crate) fn of(
        repo: &'r Repo,
        job: Option<&'r LoadedJob>,
        (tree, truth, receipts): (&'r TreeId, &Truth, &'r [Receipt]),
        table: &'r GateTable,
    ) -> Self {
        // A job that is over, or rests, is talked about by whoever has none.
        let over = |job: &LoadedJob| archive::is_closed(&job.state) || job.state.stand.is_talk();
        let is_talk = job.map_or(truth.files.is_empty(), over);
        Self { repo, job, tree, table, is_talk, receipts, grounds: OnceCell::new() }
    }

    /// The grounds that all of `sentences` may rest on.
    pub(crate) fn under(&self, sentences: &[&str]) -> Result<Vec<&Ground>> {
        let is_before = |one: &&str| past::is_of_before(one, self.table);
        // Where work is under way, words without a time are about it, or about what a job did that
        // closed in this turn.
        let is_now = !self.is_talk && !sentences.iter().all(is_before);
        if is_now && !self.jobs()?.iter().any(|job| self.is_of_turn(job)) {
            return Ok(Vec::new());
        }
        let all = if let Some(known) = self.grounds.get() {
            known
        } else {
            let gathered = self.gathered()?;
            self.grounds.get_or_init(|| gathered)
        };
        let bear = |ground: &&Ground| sentences.iter().all(|one| self.bears(ground, one));
        Ok(all.iter().filter(bear).collect())
    }

    /// Whether `sentence` may rest on `ground`.
    fn bears(&self, ground: &Ground, sentence: &str) -> bool {
        let before = past::is_of_before(sentence, self.table);
        let own = || past::is_own(sentence, self.table);
        let shown = || past::is_of_commits(sentence, self.table) || self.shows_commits();
        let open = if ground.of_branch {
            before || self.is_talk && !own() && shown()
        } else {
            before || !ground.of_then && (self.is_talk || ground.of_turn)
        };
        let told = || past::tells_of_work(sentence, self.table);
        let named = || ground.work.is_told_by(sentence);
        if self.is_talk || ground.of_turn {
            return open && (!told() || named());
        }
        // Beside work of its own: what is said of results has to be of another time, and of work
        // whose runs are known; anything else names what that work touched.
        let results = past::tells_results(sentence, self.table);
        open && past::is_of_then(sentence, self.table)
            && (results && !ground.of_branch && !told() || named())
    }

    /// A command of the job or talk showed commits.
    fn shows_commits(&self) -> bool {
        // Lines that do not read showed nothing.
        let ran = self.job.map(|job| claims::receipts::ran(self.repo, job).unwrap_or_default());
        ran.is_some_and(|ran| ran.iter().any(|(_, ran)| past::shows_commits(&ran.command)))
    }

    fn gathered(&self) -> Result<Vec<Ground>> {
        let mut grounds = Vec::new();
        for job in self.jobs()? {
            let of_turn = self.is_of_turn(&job);
            let receipts = claims::receipts::receipts_of(self.repo, &job, self.tree)?;
            let base = claims::gate::base(self.repo, Some(&job))?;
            let work = self.work(base.as_ref(), self.tree)?;
            grounds.push(Ground { work, receipts, of_branch: false, of_turn, of_then: false });
            let Some(then) = last_tree(self.repo, &job)? else { continue };
            let receipts = claims::receipts::receipts_of(self.repo, &job, &then)?;
            let work = self.work(base.as_ref(), &then)?;
            grounds.push(Ground { work, receipts, of_branch: false, of_turn, of_then: true });
        }
        let Some(head) = self.repo.store.head()?.commit else { return Ok(grounds) };
        // What the first commit brought was changed by none.
        let first = self.repo.store.history_from(&head, COMMITS + 1)?;
        if let Some(oldest) = first.last().map(|step| step.commit.clone()) {
            let tree = self.repo.store.tree_of_commit(&head)?;
            let work = self.work(Some(&oldest), &tree)?;
            let receipts = self.receipts.to_vec();
            grounds.push(Ground {
                work,
                receipts,
                of_branch: true,
                of_turn: false,
                of_then: false,
            });
        }
        Ok(grounds)
    }

    /// Whether `job` was driven by the session that speaks, and closed since the last prompt.
    fn is_of_turn(&self, job: &LoadedJob) -> bool {
        let driver = &job.state.driver.session;
        let prompted = || last_prompt(self.repo);
        job.state.job.status == Status::Completed
            && self.job.is_some_and(|own| own.state.driver.session == *driver)
            && prompted().is_some_and(|at| job.state.job.updated_at >= at)
    }

    /// Jobs of this clone that worked in this worktree, the last first.
    fn jobs(&self) -> Result<Vec<LoadedJob>> {
        let here = self.repo.store.worktree_name();
        let mut found = self.repo.jobs()?;
        found.extend(record::archive::closed_last(self.repo, CLOSED)?);
        let mut own = Vec::new();
        for job in found {
            let home = &job.state.home.worktree;
            let is_own = self.job.is_some_and(|one| one.state.job.id == job.state.job.id);
            let worked = !job.state.stand.is_talk() && (*home == here || home.is_empty());
            if worked && !is_own && !self.repo.is_foreign(&job.state)? {
                own.push(job);
            }
        }
        own.sort_by_key(|job| std::cmp::Reverse(job.state.job.updated_at));
        own.dedup_by(|a, b| a.state.job.id == b.state.job.id);
        own.truncate(JOBS);
        Ok(own)
    }

    fn work(&self, base: Option<&CommitId>, tree: &TreeId) -> Result<Work> {
        let pieces = self.repo.store.truth(base, tree)?;
        let subjects = match base {
            Some(base) => self.repo.store.commits_since(base)?,
            None => Vec::new(),
        };
        let subject = |(_, message): (CommitId, String)| {
            message.lines().next().unwrap_or_default().to_owned()
        };
        let subjects: Vec<String> = subjects.into_iter().map(subject).collect();
        let base = base.map(ToString::to_string).unwrap_or_default();
        let mut work = Work::of((&base, tree.as_str()), &pieces, &subjects, self.table);
        for file in &mut work.truth.files {
            file.prose |= !self.repo.place_named(&file.path, None).is_direct(&file.path);
        }
        Ok(work)
    }
}

/// The tree of the last commit of a job.
fn last_tree(repo: &Repo, job: &LoadedJob) -> Result<Option<TreeId>> {
    let steps = repo.store.history_from(&job.tip.commit, usize::MAX)?;
    let mut made = steps.iter().filter_map(|step| StepTrailers::read(&step.message)?.commit);
    let Some(last) = made.find_map(|commit| commit.parse::<CommitId>().ok()) else {
        return Ok(None);
    };
    // A history that was written anew may have lost it.
    let there = repo.store.has_commit(last.as_str());
    there.then(|| repo.store.tree_of_commit(&last)).transpose().map_err(Into::into)
}

/// When the last prompt came.
fn last_prompt(repo: &Repo) -> Option<crate::event::UnixSeconds> {
    // A journal that does not read knows of none: then no job closed since.
    let lines = repo.store.journal().all().ok()?;
    // As above, of one line.
    let read = lines.iter().rev().filter_map(|line| Some(Linked::read(line).ok()?.line));
    read.into_iter().find(|line| line.what == What::Prompt).map(|line| line.at)
}
