//! What a landing would make: the commits of a job on its branch, cut into pieces, each with its
//! tree and its words. Nothing is written here but trees.
//!
//! Each piece takes the tree of its last commit, with memory as it is at the base; so nothing is
//! merged. A commit of somebody else stays as it is, on another parent.

use std::collections::{BTreeMap, BTreeSet};

use crate::engine::landing::asked::{Asked, is_there};
use crate::engine::landing::called::{called, told_contexts, words_of};
use crate::engine::landing::differs::{Differs, differs};
use crate::engine::landing::trailers::own_trailers;
use crate::engine::left_out;
use crate::engine::record;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::format::context::Context;
use crate::format::landing::Landing;
use crate::format::trailers::{StepTrailers, Trailers, claimed_ids};
use crate::jobs::landing::{self, Made, Piece, Style};
use crate::phases::commit_text::{Form, commit_text};
use crate::phases::message::Message;
use crate::store::{CommitId, TreeId, Written};
use crate::verdict::Refusal;

/// The commits of a job that are still to land, as they are on its branch.
pub(crate) struct Ground {
    pub job: LoadedJob,
    /// Oldest first, from its first commit on; behind its last one those that came later.
    pub commits: Vec<Written>,
    /// The step of the job that each is of, by the Seed-Id in it.
    pub ids: Vec<Option<String>>,
    made: Vec<Made>,
    /// How many there are up to the job's last one.
    pub span: usize,
    /// What the first one stands on.
    pub base: Option<CommitId>,
    /// Where the job's branch stands, where these are its commits.
    pub branch: Option<CommitId>,
    /// The steps still to land that none of them is of.
    lacks: BTreeSet<String>,
    /// All steps of the job that made commits and stand, by the Seed-Id in those.
    pub standing: BTreeSet<String>,
}

/// One commit that is to be made.
#[derive(Clone, Debug)]
pub(crate) struct Planned {
    pub tree: TreeId,
    /// The commit, of [`Ground::commits`], whose author it has; all of its words where there is
    /// no message.
    pub like: usize,
    pub message: Option<String>,
    pub subject: String,
    /// The commits of the job that it stands for.
    pub stands_for: Vec<usize>,
}

/// All of it.
pub(crate) struct Plan {
    pub onto: Option<CommitId>,
    /// The tree that it begins on.
    pub from: TreeId,
    pub commits: Vec<Planned>,
    /// The last commit holds the memory.
    pub memory: bool,
    /// The product is the job's.
    pub identical: bool,
    /// So is the whole tree.
    pub whole: bool,
    /// Commits of the job that are not what its steps recorded.
    pub differs: Vec<Differs>,
}

impl Ground {
    /// The tree before a commit of it.
    pub(super) fn before(&self, repo: &Repo, at: usize) -> Result<TreeId> {
        match self.commits[at].parents.first() {
            Some(parent) => Ok(repo.store.tree_of_commit(parent)?),
            None => Ok(repo.store.no_tree()),
        }
    }

    /// The memory that this commit changed.
    pub(crate) fn memory_of(&self, repo: &Repo, at: usize) -> Result<Vec<String>> {
        let (before, tree) = (self.before(repo, at)?, &self.commits[at].tree);
        let mut paths = repo.store.paths_between(&before, tree, usize::MAX)?;
        paths.retain(|path| repo.is_memory(path));
        Ok(paths)
    }

    /// The job's last commit.
    pub(crate) fn last(&self) -> &Written {
        &self.commits[self.span - 1]
    }
}

/// Finds what of `job` is still to land; `None` where nothing is.
pub(crate) fn ground(repo: &Repo, job: LoadedJob) -> Result<Option<Ground>> {
    let steps = standing(repo, &job)?;
    let standing = steps.keys().cloned().collect();
    let open = still_open(repo, &job, steps)?;
    let home = &job.state.home;
    let branch = match home.branch.as_str() {
        "" => None,
        branch => repo.store.stands_at(&format!("refs/heads/{branch}"))?,
    };
    // A branch that is gone, or was written anew without them, leaves the commits as they were
    // made; empty before the first one.
    let last = home.commit.parse::<CommitId>().ok();
    let last = last.filter(|last| repo.store.has_object(last.as_str()));
    let mut tips = [branch.clone(), last];
    if let [Some(branch), Some(last)] = &tips
        && repo.is_foreign(&job.state)?
        && repo.store.descends(last.as_str(), branch.as_str())
    {
        // The branch here waits for what was fetched; nobody took commits off it.
        tips.reverse();
    }
    for tip in tips.into_iter().flatten() {
        let own = branch.clone().filter(|branch| *branch == tip);
        if let Some(found) = found_below(repo, &job, &open, &tip)? {
            return Ok(Some(Ground { branch: own, job, standing, ..found }));
        }
    }
    Ok(None)
}

/// The job's last commit, where this clone has it not and so cannot land the job; `found` is what
/// it has. The chain of a job comes with a sync, its commits come with the branch.
pub(crate) fn missing(
    repo: &Repo,
    job: &LoadedJob,
    found: Option<&Ground>,
) -> Result<Option<String>> {
    let last = &job.state.home.commit;
    if last.is_empty() || repo.store.has_object(last) {
        return Ok(None);
    }
    let Some(found) = found else {
        let open = still_open(repo, job, standing(repo, job)?)?;
        return Ok((!open.is_empty()).then(|| last.clone()));
    };
    // In the clone of the job nobody can bring what git has thrown away: what is left of it lands.
    if !repo.is_foreign(&job.state)? {
        return Ok(None);
    }
    let said = record::led_back::said(repo, &job.tip)?;
    let step = said.into_iter().rfind(|said| said.commit.as_ref() == Some(last));
    // A commit that was written anew bears the id, too.
    let lacks =
        |step: &StepTrailers| found.lacks.contains(step.carries.as_ref().unwrap_or(&step.id));
    Ok(step.is_some_and(|step| lacks(&step)).then(|| last.clone()))
}

/// The steps of `job` that made commits and stand, by the Seed-Id in those.
fn standing(repo: &Repo, job: &LoadedJob) -> Result<BTreeMap<String, Made>> {
    let steps = left_out::standing(repo, job)?.into_iter();
    Ok(steps.map(|(id, said)| (id, Made::Lab { run: said.run, cycle: said.cycle })).collect())
}

/// Those of `steps` that have not landed.
fn still_open(
    repo: &Repo,
    job: &LoadedJob,
    mut steps: BTreeMap<String, Made>,
) -> Result<BTreeMap<String, Made>> {
    let landings = record::landing::landings(repo, &job.tip)?;
    let landed: BTreeSet<&str> = landings.iter().flat_map(Landing::ids).collect();
    if steps.keys().any(|id| !landed.contains(id.as_str())) {
        steps.retain(|id, _| !landed.contains(id.as_str()));
        return Ok(steps);
    }
    // What landed on a branch that is gone since may land again.
    let mut here = BTreeSet::new();
    for landing in &landings {
        if is_there(repo, landing)? {
            here.extend(landing.ids());
        }
    }
    steps.retain(|id, _| !here.contains(id.as_str()));
    Ok(steps)
}

/// The commits below `tip` that are of these steps, and what lies between and behind them.
fn found_below(
    repo: &Repo,
    job: &LoadedJob,
    open: &BTreeMap<String, Made>,
    tip: &CommitId,
) -> Result<Option<Ground>> {
    let own = format!("Seed-Job: {}", job.state.job.id);
    let step_of = |one: &Written| {
        let text = one.text();
        let ours = text.lines().any(|line| line.trim() == own);
        // The last one of a commit that a person made of several.
        let ids = claimed_ids(&text).filter(|id| ours && open.contains_key(*id));
        ids.map(str::to_owned).collect::<Vec<_>>()
    };
    let mut left: BTreeSet<String> = open.keys().cloned().collect();
    if left.is_empty() {
        return Ok(None);
    }
    let mut commits = repo.store.down_from(tip, |one| {
        for id in step_of(one) {
            left.remove(&id);
        }
        left.is_empty()
    })?;
    commits.reverse();
    let ids: Vec<Option<String>> = commits.iter().map(|one| step_of(one).pop()).collect();
    let first = ids.iter().position(Option::is_some);
    let last = ids.iter().rposition(Option::is_some);
    let (Some(first), Some(last)) = (first, last) else { return Ok(None) };
    let (commits, ids) = (commits.split_off(first), ids[first..].to_vec());
    let made = ids.iter().map(|id| match id {
        Some(id) => open.get(id).copied().unwrap_or(Made::Other),
        None => Made::Other,
    });
    Ok(Some(Ground {
        made: made.collect(),
        base: commits[0].parents.first().cloned(),
        span: last - first + 1,
        branch: None,
        lacks: left,
        standing: BTreeSet::new(),
        job: job.clone(),
        commits,
        ids,
    }))
}

/// Cuts it, and gives each piece its tree and its words, where the job began. `replaces` is whether
/// the job's own branch is replaced, so that what came later goes along.
pub(super) fn on_its_base(
    repo: &Repo,
    ground: &Ground,
    asked: &Asked,
    replaces: bool,
) -> Result<std::result::Result<Plan, Refusal>> {
    let from = match &ground.base {
        Some(base) => repo.store.tree_of_commit(base)?,
        None => repo.store.no_tree(),
    };
    let (mut commits, memory) = cut(repo, ground, asked, &from)?;
    if !commits.iter().any(|one| one.message.is_some()) {
        return Ok(Err(landing::nothing_left(&ground.job.state.job)));
    }
    if replaces {
        commits.extend((ground.span..ground.commits.len()).map(|at| kept(ground, at)));
    }
    let wanted = commits.last().map_or_else(|| from.clone(), |one| one.tree.clone());
    let last = if replaces { ground.commits.last() } else { None };
    let last = last.map_or_else(|| ground.last().tree.clone(), |last| last.tree.clone());
    let others = repo.store.paths_between(&wanted, &last, usize::MAX)?;
    let (id, labs) = (&ground.job.state.job.id, &ground.commits[..ground.span]);
    let differs = differs(repo, id, labs, &ground.ids)?;
    let identical = differs.is_empty() && others.iter().all(|path| repo.is_memory(path));
    let whole = others.is_empty();
    Ok(Ok(Plan { onto: None, from, commits, memory, identical, whole, differs }))
}

/// A commit of somebody else, as it is.
fn kept(ground: &Ground, at: usize) -> Planned {
    let one = &ground.commits[at];
    let subject = one.text().lines().next().unwrap_or_default().to_owned();
    let tree = one.tree.clone();
    Planned { tree, like: at, message: None, subject, stands_for: Vec::new() }
}

/// The pieces on their own base; and whether the last one holds the memory.
fn cut(repo: &Repo, ground: &Ground, asked: &Asked, from: &TreeId) -> Result<(Vec<Planned>, bool)> {
    let is_memory = |path: &str| repo.is_memory(path);
    let mut words = Words::new(repo, ground, asked)?;
    let (mut memory, mut at) = (from.clone(), from.clone());
    let mut planned: Vec<Planned> = Vec::new();
    let mut waiting: Vec<usize> = Vec::new();
    for piece in landing::pieces(&ground.made[..ground.span], asked.per_cycle) {
        let next = match &piece {
            Piece::Kept(one) => {
                let (before, tree) = (ground.before(repo, *one)?, &ground.commits[*one].tree);
                if repo.store.paths_between(&before, tree, usize::MAX)?.iter().any(|p| is_memory(p))
                {
                    memory = repo.store.carry_over(&memory, &before, tree)?;
                }
                kept(ground, *one)
            }
            Piece::Clean(range) => {
                let (product, other) = sorted(repo, ground, range.clone())?;
                waiting.extend(other);
                if product.is_empty() {
                    continue;
                }
                words.piece(ground, &product)?
            }
        };
        let whole = &ground.commits[next.like].tree;
        let tree = repo.store.tree_mixed(whole, &memory, &is_memory)?;
        if next.message.is_some() && tree == at {
            waiting.extend(next.stands_for);
            continue;
        }
        at = tree.clone();
        planned.push(Planned { tree, ..next });
    }
    let last = &ground.last().tree;
    if !asked.without_memory && *last != at {
        waiting.sort_unstable();
        planned.push(words.memory(ground, &waiting));
        return Ok((planned, true));
    }
    // What changed memory alone goes with what it came with.
    if let Some(piece) = planned.iter_mut().rev().find(|one| one.message.is_some()) {
        piece.stands_for.extend(waiting);
        piece.stands_for.sort_unstable();
    }
    Ok((planned, false))
}

/// Which commits of a range change the product, and which do not.
fn sorted(
    repo: &Repo,
    ground: &Ground,
    range: std::ops::Range<usize>,
) -> Result<(Vec<usize>, Vec<usize>)> {
    let (mut product, mut other) = (Vec::new(), Vec::new());
    for at in range {
        let (before, tree) = (ground.before(repo, at)?, &ground.commits[at].tree);
        let paths = repo.store.paths_between(&before, tree, usize::MAX)?;
        let changes = paths.iter().any(|path| !repo.is_memory(path));
        if changes { product.push(at) } else { other.push(at) }
    }
    Ok((product, other))
}

/// What subjects are to be like: those of the branch.
fn style(repo: &Repo, ground: &Ground) -> Result<Style> {
    let subjects = match &ground.base {
        Some(base) => repo.store.own_subjects(base, landing::SUBJECTS)?,
        None => Vec::new(),
    };
    Ok(Style::learned(subjects.iter().map(String::as_str)))
}

/// The subject of the first commit that a landing would make; writes nothing.
pub(crate) fn first_subject(repo: &Repo, ground: &Ground) -> Result<String> {
    let (product, other) = sorted(repo, ground, 0..ground.span)?;
    let lab = |at: &usize| ground.ids[*at].is_some();
    let product: Vec<usize> = product.into_iter().filter(lab).collect();
    let other: Vec<usize> = other.into_iter().filter(lab).collect();
    let mut words = Words::new(repo, ground, &Asked::default())?;
    let first = if product.is_empty() {
        words.memory(ground, &other)
    } else {
        words.piece(ground, &product)?
    };
    Ok(first.subject)
}

/// The words of the commits, one after the other.
struct Words {
    name: String,
    /// What somebody wants the first of them to say, and a person all of them.
    wanted: Option<String>,
    /// What each commit of the job would say of the job.
    subjects: Vec<String>,
    /// What each says of itself, for cycles that are told apart.
    of_cycles: Vec<String>,
    body: String,
    /// They are the person's own, and stay as they are.
    given: bool,
    /// Why cycles were added, where each of them is told apart.
    contexts: Vec<Context>,
    signs: Vec<String>,
    /// Trailers that the rules want on each commit.
    own: Vec<String>,
    no_seed: bool,
    said: Vec<String>,
}

impl Words {
    fn new(repo: &Repo, ground: &Ground, asked: &Asked) -> Result<Self> {
        let job = &ground.job.state.job;
        let (wanted, body) = if let Some(text) = &asked.text {
            let (subject, body) = text.trim().split_once('\n').unwrap_or((text.trim(), ""));
            (Some(subject.trim().to_owned()), body.trim_start_matches('\n').to_owned())
        } else {
            (asked.subject.clone(), job.objective.clone())
        };
        let (style, branch) = (style(repo, ground)?, ground.job.state.home.branch.as_str());
        let text = |at: usize| ground.commits[at].text();
        let of = [branch, &job.objective];
        let said = |at| style.subject(&called(repo, job, &text(at)), &of);
        let subjects = (0..ground.span).map(said).collect();
        let (mut contexts, mut of_cycles) = (Vec::new(), Vec::new());
        if asked.per_cycle && asked.text.is_none() {
            contexts = told_contexts(repo, &ground.job)?;
            let said = |at| style.subject(&words_of(repo, job, &text(at)), &of);
            of_cycles = (0..ground.span).map(said).collect();
        }
        let name = called(repo, job, &text(ground.span - 1));
        let signs = repo.store.comment_signs();
        let given = asked.text.is_some();
        let (own, no_seed) = (own_trailers(repo), asked.no_seed);
        let said = Vec::new();
        Ok(Self {
            name,
            wanted,
            subjects,
            of_cycles,
            body,
            given,
            contexts,
            signs,
            own,
            no_seed,
            said,
        })
    }

    /// The commit that stands for these.
    fn piece(&mut self, ground: &Ground, stands_for: &[usize]) -> Result<Planned> {
        let last = stands_for.last().copied().unwrap_or_default();
        let first = stands_for.first().copied().unwrap_or_default();
        let later = match ground.made[last] {
            Made::Lab { run, cycle } if cycle > 1 && !self.said.is_empty() => Some((run, cycle)),
            _ => None,
        };
        let asked_then = |one: &&Context| Some((one.run, one.cycle + 1)) == later;
        let why = self.contexts.iter().find(asked_then).cloned();
        let (subject, body) = if let Some(why) = &why {
            let (subject, body) = why.text.split_once('\n').unwrap_or((&why.text, ""));
            (subject.to_owned(), body.to_owned())
        } else {
            // What a person was shown is what the first one says.
            let is_first = self.said.is_empty();
            let wanted = self.wanted.clone().filter(|_| is_first || self.given);
            // A later cycle says what it did, the first one what the job is about.
            let of = if ground.job.state.job.provisional { first } else { last };
            let own = self.of_cycles.get(first).filter(|_| later.is_some());
            let subject = wanted.unwrap_or_else(|| own.unwrap_or(&self.subjects[of]).clone());
            // What the job is for is said once.
            (subject, if is_first { self.body.clone() } else { String::new() })
        };
        Ok(self.planned(ground, (&subject, &body), stands_for))
    }

    /// The commit that holds the memory.
    fn memory(&mut self, ground: &Ground, stands_for: &[usize]) -> Planned {
        let subject = landing::memory_subject(&self.name);
        let tree = ground.last().tree.clone();
        Planned { tree, ..self.planned(ground, (&subject, ""), stands_for) }
    }

    fn planned(
        &mut self,
        ground: &Ground,
        (subject, body): (&str, &str),
        stands_for: &[usize],
    ) -> Planned {
        let subject = landing::told_apart(subject, &self.said);
        let form =
            Form { template: "{subject}", phase: "", fallback: &self.name, signs: &self.signs };
        let text = format!("{subject}\n\n{body}");
        let text = if self.given { text } else { commit_text(&Message::new(&text), &form) };
        let mut others = Vec::new();
        for at in stands_for {
            let text = ground.commits[*at].text();
            let pairs = Trailers::of(&text);
            others.extend(pairs.iter().map(|(key, value)| (key.to_owned(), value.to_owned())));
        }
        let own = self.own.iter().filter_map(|row| row.split_once(": "));
        others.extend(own.map(|(key, value)| (key.to_owned(), value.to_owned())));
        let last = stands_for.last().copied().unwrap_or(ground.span - 1);
        let id = ground.ids[last].as_deref().unwrap_or_default();
        let back = (!self.no_seed).then_some((&ground.job.state.job.id, id));
        let message = landing::message(&text, &others, back);
        self.said.push(subject);
        Planned {
            tree: ground.commits[last].tree.clone(),
            like: last,
            subject: message.lines().next().unwrap_or_default().to_owned(),
            message: Some(message),
            stands_for: stands_for.to_vec(),
        }
    }
}
