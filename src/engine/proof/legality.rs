//! What commits name: whether each is the one that a step of its job's chain made, whether its
//! note says what the step was, and where the commits of the steps are that no longer name it.
//!
//! Content vouches, never a name: a commit that lost its trailers and changes the same is
//! `followed`; one that a note or a chain leads to and that is not here, or not the same, is not
//! measured.

use std::collections::{BTreeMap, BTreeSet};

use crate::claims::audit::{Findings, Standing};
use crate::engine::record;
use crate::engine::repo::{Repo, Result};
use crate::format::state::{State, Unclaimed};
use crate::format::trailers::{self, StepTrailers, claimed_ids};
use crate::format::{names, notes, seed_id};
use crate::jobs::{JobId, Status};
use crate::phases::PhaseName;
use crate::phases::message::Message;
use crate::store::{CommitId, Notes, Step, Tip};
use crate::voice::{Notice, tell};

/// As many commits without trailers are compared with steps by what they change.
const COMPARED: usize = 500;

/// The steps of a job, and how it stands.
struct Steps {
    by_id: BTreeMap<String, TakenStep>,
    /// The steps that took a commit made for another id, by the id that it carries.
    by_carried: BTreeMap<String, String>,
    /// The first step that does not follow.
    broken: Option<String>,
    /// Its newest state, where it reads.
    state: Option<State>,
}

/// One step as its chain has it.
struct TakenStep {
    said: StepTrailers,
    step: Step,
}

/// Jobs by their ids, read as they are met; `None` for one that is not here.
type Jobs = BTreeMap<String, Option<Steps>>;

/// What the range holds and what is known of it.
struct Ground<'a> {
    repo: &'a Repo,
    notes: Option<&'a Notes>,
    jobs: Jobs,
    /// Each commit of the range with its tree.
    commits: Vec<(CommitId, String)>,
    /// Those among them that name a step.
    named: Vec<(CommitId, String)>,
    /// All of HEAD's history is looked at.
    whole: bool,
}

/// Each commit of the range that names a step, the chains of the jobs, and the steps whose commits
/// name them no longer.
pub(crate) fn legality(
    repo: &Repo,
    range: Option<&str>,
    notes: Option<&Notes>,
    findings: &mut Findings,
) -> Result<()> {
    let whole = range.is_none();
    let range = match range {
        Some(range) => range,
        None if repo.store.head()?.commit.is_none() => return Ok(()),
        None => "HEAD",
    };
    let mut ground = Ground {
        repo,
        notes,
        jobs: open_jobs(repo)?,
        commits: repo.store.commits_of(range)?,
        named: repo.store.seed_commits(range)?,
        whole,
    };
    let mut judged = Vec::new();
    for (commit, message) in ground.named.clone() {
        let Some(said) = StepTrailers::read(&message) else {
            judged.push((commit, Standing::NotMeasured(tell(Notice::StepHalfNamed, &[]))));
            continue;
        };
        ground.meet(&said.job)?;
        let mut standing = named_step(repo, &commit, &said, ground.job(&said.job));
        if let Some(found) = ground.noted(&commit, &said)? {
            standing.worsen(found);
        }
        judged.push((commit, standing));
    }
    judged.extend(ground.unnamed()?);
    for (job, steps) in &ground.jobs {
        let standing = match steps.as_ref().map(|steps| &steps.broken) {
            Some(Some(why)) => Standing::Broken(why.clone()),
            Some(None) => Standing::Verified,
            // Its commits say so.
            None => continue,
        };
        findings.add(job, &standing);
    }
    if notes.is_none() && judged.iter().any(|(_, standing)| standing.counts()) {
        let why = tell(Notice::NotesNotHere, &[]);
        findings.once(names::COMMIT_NOTES, &Standing::NotMeasured(why));
    }
    for (commit, standing) in judged {
        findings.add(commit.as_str(), &standing);
    }
    Ok(())
}

/// The records that steps of this clone's jobs saw at the head of their chain, each with the job.
pub(crate) fn seen_heads(repo: &Repo) -> Result<Vec<(String, CommitId)>> {
    let mut heads = Vec::new();
    for (chain, tip) in repo.store.chains(names::JOBS)? {
        let Some(id) = names::job_of(&chain) else { continue };
        // A state that does not read is told with its job.
        let Some(state) = state_at(repo, &chain, &tip) else { continue };
        if !repo.is_foreign(&state)? {
            heads.extend(state.claims.parse().ok().map(|head| (id.to_string(), head)));
        }
    }
    Ok(heads)
}

fn open_jobs(repo: &Repo) -> Result<Jobs> {
    let mut jobs = BTreeMap::new();
    for (chain, tip) in repo.store.chains(names::JOBS)? {
        if let Some(id) = names::job_of(&chain) {
            jobs.insert(id.to_string(), Some(steps_of(repo, &id, &tip)?));
        }
    }
    Ok(jobs)
}

fn state_at(repo: &Repo, chain: &str, commit: &CommitId) -> Option<State> {
    // What does not read is broken by its own finding, and says nothing here.
    let tree = repo.store.tree_of_commit(commit).ok()?;
    // The same.
    repo.state(chain, &Tip { commit: commit.clone(), tree }).ok()
}

impl Ground<'_> {
    /// Reads a job of the archive, if it was not met yet.
    fn meet(&mut self, job: &str) -> Result<()> {
        if !self.jobs.contains_key(job) {
            self.jobs.insert(job.to_owned(), archived_steps(self.repo, job)?);
        }
        Ok(())
    }

    fn job(&self, job: &str) -> Option<&Steps> {
        self.jobs.get(job).and_then(Option::as_ref)
    }

    /// What the note of a commit says of its step, where that is not what the step was.
    fn noted(&self, commit: &CommitId, said: &StepTrailers) -> Result<Option<Standing>> {
        let (Some(notes), Some(steps)) = (self.notes, self.job(&said.job)) else {
            return Ok(None);
        };
        let Some(taken) = steps.taken(&said.id) else { return Ok(None) };
        let begins = format!("{} step ", taken.said.id);
        let lines = match notes.get(commit.as_str()) {
            Some(Ok(lines)) => lines.as_slice(),
            // The note is broken by its own finding.
            Some(Err(_)) => return Ok(None),
            None => &[],
        };
        let Some(line) = lines.iter().find(|line| line.starts_with(&begins)) else {
            return Ok(Some(Standing::NotMeasured(tell(Notice::StepNoteGone, &[]))));
        };
        let edited = || Standing::Broken(tell(Notice::StepNoteEdited, &[("step", &taken.said.id)]));
        let holds = *line == line_of(self.repo, taken)? && self.are_said(lines, steps)?;
        Ok((!holds).then(edited))
    }

    /// Words of git seed's in a note are those of its steps; where one of them is another job's,
    /// its words are not known.
    fn are_said(&self, lines: &[String], steps: &Steps) -> Result<bool> {
        let mut known = BTreeSet::new();
        for (id, _) in lines.iter().filter_map(|line| notes::step_of(line)) {
            let Some(taken) = steps.taken(id) else { return Ok(true) };
            known.extend(words_of(self.repo, taken)?);
        }
        Ok(lines.iter().filter(|line| notes::is_words(line)).all(|line| known.contains(line)))
    }

    /// Steps whose commit is not among those that name it: where their content stands now.
    fn unnamed(&mut self) -> Result<Vec<(CommitId, Standing)>> {
        let missing = self.missing()?;
        if missing.is_empty() {
            return Ok(Vec::new());
        }
        let plain = self.plain();
        let by_tree: BTreeMap<&str, &CommitId> =
            plain.iter().map(|(commit, tree)| (tree.as_str(), commit)).collect();
        let mut found = Vec::new();
        let mut open = Vec::new();
        for Missing { id, commit, ours } in missing {
            let tree = self.repo.store.has_object(commit.as_str());
            let tree = tree.then(|| self.repo.store.tree_of_commit(&commit)).transpose()?;
            match tree.and_then(|tree| by_tree.get(tree.as_str()).copied()) {
                Some(now) => found.push((now.clone(), lost_trailers(&id))),
                None => open.push(Missing { id, commit, ours }),
            }
        }
        let by_change = self.by_change(&plain, &open)?;
        for Missing { id, commit, ours } in open {
            match by_change.get(&commit) {
                Some(now) => found.push((now.clone(), lost_trailers(&id))),
                None if ours => {
                    let why = tell(Notice::StepNotInHistory, &[("step", &id)]);
                    found.push((commit, Standing::NotMeasured(why)));
                }
                None => {}
            }
        }
        Ok(found)
    }

    /// Commits of the range that name no step.
    fn plain(&self) -> Vec<(CommitId, String)> {
        let named: BTreeSet<&CommitId> = self.named.iter().map(|(commit, _)| commit).collect();
        self.commits.iter().filter(|(commit, _)| !named.contains(commit)).cloned().collect()
    }

    /// Steps that made a commit which is not in the range, and that no commit of it names.
    fn missing(&mut self) -> Result<Vec<Missing>> {
        let here: BTreeSet<String> =
            self.commits.iter().map(|(commit, _)| commit.to_string()).collect();
        let named: BTreeSet<String> = self
            .named
            .iter()
            .flat_map(|(_, message)| claimed_ids(message))
            .map(str::to_owned)
            .collect();
        // A closed job is met where a note leads to it.
        for (commit, lines) in self.notes.into_iter().flatten() {
            let told = lines.iter().flatten().filter_map(|line| notes::step_of(line));
            for (_, job) in told.filter(|(id, _)| !here.contains(commit) && !named.contains(*id)) {
                self.meet(&job)?;
            }
        }
        let branch = self.repo.store.head()?.branch;
        let mut missing = Vec::new();
        for steps in self.jobs.values().flatten() {
            let ours = self.whole
                && steps.state.as_ref().is_some_and(|state| {
                    state.job.status != Status::Voided
                        && branch.as_deref() == Some(&state.home.branch)
                });
            for (id, taken) in &steps.by_id {
                let carried = taken.said.carries.as_ref().unwrap_or(id);
                let commit = taken.said.commit.as_ref().filter(|commit| !here.contains(*commit));
                let commit = commit.and_then(|commit| commit.parse().ok());
                if let Some(commit) = commit.filter(|_| !named.contains(carried)) {
                    missing.push(Missing { id: id.clone(), commit, ours });
                }
            }
        }
        Ok(missing)
    }

    /// The commits of the range that change the same as those of these steps.
    fn by_change(
        &self,
        plain: &[(CommitId, String)],
        open: &[Missing],
    ) -> Result<BTreeMap<CommitId, CommitId>> {
        if open.is_empty() || open.len() > COMPARED {
            return Ok(BTreeMap::new());
        }
        let is_here = |one: &&Missing| self.repo.store.has_object(one.commit.as_str());
        let steps: Vec<CommitId> =
            open.iter().filter(is_here).map(|one| one.commit.clone()).collect();
        let plain: Vec<CommitId> =
            plain.iter().take(COMPARED).map(|(commit, _)| commit.clone()).collect();
        let now: BTreeMap<String, CommitId> = self
            .repo
            .store
            .patch_ids(&plain)?
            .into_iter()
            .map(|(commit, change)| (change, commit))
            .collect();
        let pairs = self.repo.store.patch_ids(&steps)?.into_iter();
        Ok(pairs.filter_map(|(step, change)| Some((step, now.get(&change)?.clone()))).collect())
    }
}

/// A step whose commit the range does not hold.
struct Missing {
    id: String,
    commit: CommitId,
    /// It should be in this history.
    ours: bool,
}

fn lost_trailers(id: &str) -> Standing {
    Standing::Followed(tell(Notice::StepTrailersGone, &[("step", id)]))
}

/// The note's line of a step, as it was written.
fn line_of(repo: &Repo, taken: &TakenStep) -> Result<String> {
    let (none, unclaimed) = (leaves_nothing(taken), unclaimed_of(repo, taken)?);
    Ok(notes::step_line(&taken.said, none, &unclaimed, taken.step.at))
}

/// The note's words of a step, as they were written.
fn words_of(repo: &Repo, taken: &TakenStep) -> Result<Vec<String>> {
    let (none, unclaimed) = (leaves_nothing(taken), unclaimed_of(repo, taken)?);
    let message = taken.said.commit.is_none().then(|| trailers::body(&taken.step.message));
    Ok(notes::words(&taken.said, none, &unclaimed, message))
}

fn leaves_nothing(taken: &TakenStep) -> bool {
    Message::new(trailers::body(&taken.step.message)).leaves_nothing()
}

fn unclaimed_of(repo: &Repo, taken: &TakenStep) -> Result<Vec<Unclaimed>> {
    let at = &taken.step.commit;
    let tree = repo.store.tree_of_commit(at)?;
    let state = repo.state(&taken.said.job, &Tip { commit: at.clone(), tree })?;
    Ok(state.fence.unclaimed)
}

impl Steps {
    /// The step that a commit with this id is of: its own, or the one that took it later.
    fn taken(&self, id: &str) -> Option<&TakenStep> {
        self.by_id.get(id).or_else(|| self.by_id.get(self.by_carried.get(id)?))
    }
}

fn archived_steps(repo: &Repo, job: &str) -> Result<Option<Steps>> {
    let Ok(id) = job.parse::<JobId>() else { return Ok(None) };
    let Some(row) = repo.archived_row(&id)? else { return Ok(None) };
    match row.tip.parse() {
        Ok(tip) => Ok(Some(steps_of(repo, &id, &tip)?)),
        Err(_) => Ok(None),
    }
}

/// Whether a commit's trailers are those of the step that its job's chain has.
fn named_step(
    repo: &Repo,
    commit: &CommitId,
    said: &StepTrailers,
    steps: Option<&Steps>,
) -> Standing {
    let Some(steps) = steps else {
        return Standing::NotMeasured(format!("job {} is not here", said.job));
    };
    let waited = steps.by_carried.contains_key(&said.id) && was_meant(steps, said);
    let taken = steps.taken(&said.id).filter(|taken| waited || taken.said.id == said.id);
    let Some(step) = taken.map(|taken| &taken.said) else {
        let pending = match record::pending_file::pending(repo) {
            Ok(pending) => pending,
            // It may name this very step, so nothing is said against the commit.
            Err(error) => return Standing::NotMeasured(error.to_string()),
        };
        if pending.is_some_and(|pending| pending.id == said.id) {
            return Standing::NotMeasured(tell(Notice::StepNotTaken, &[]));
        }
        return Standing::Broken(format!("job {} has no step {}", said.job, said.id));
    };
    // One that waited may have been taken by another kind of step of its phase.
    let name = |step: &StepTrailers| (!waited).then(|| step.step.clone());
    let same = |step: &StepTrailers| (step.run, step.cycle, step.phase.clone(), name(step));
    if same(step) != same(said) {
        return Standing::Broken(tell(Notice::StepSaidOtherwise, &[("step", &said.id)]));
    }
    match step.commit.as_deref() {
        Some(named) if named == commit.as_str() => Standing::Verified,
        Some(named) => rewritten(repo, commit, named),
        None => Standing::Broken(format!("step {} made no commit", said.id)),
    }
}

/// Whether a step of the chain was the one before that which a commit was made for.
fn was_meant(steps: &Steps, said: &StepTrailers) -> bool {
    steps.by_id.keys().any(|before| seed_id(&said.job, Some(before), &said.step) == said.id)
}

/// A commit in the place of the one that its step made: content alone vouches for it.
fn rewritten(repo: &Repo, commit: &CommitId, named: &str) -> Standing {
    let was = tell(Notice::StepRewritten, &[("commit", named)]);
    let same = match named.parse::<CommitId>() {
        Ok(old) if repo.store.has_object(named) => repo.store.says_the_same(&old, commit),
        _ => return Standing::NotMeasured(was),
    };
    match same {
        Ok(true) => Standing::Followed(tell(Notice::StepFollowed, &[("was", &was)])),
        Ok(false) => Standing::NotMeasured(tell(Notice::StepDiffers, &[("was", &was)])),
        Err(error) => Standing::NotMeasured(format!("{was}: {error}")),
    }
}

/// The steps of a chain, and the first that does not follow from the one before.
fn steps_of(repo: &Repo, job: &JobId, tip: &CommitId) -> Result<Steps> {
    let mut steps = Steps {
        by_id: BTreeMap::new(),
        by_carried: BTreeMap::new(),
        broken: None,
        state: state_at(repo, job.as_str(), tip),
    };
    let history = match repo.store.history_from(tip, usize::MAX) {
        Ok(history) => history,
        Err(error) => return Ok(Steps { broken: Some(error.to_string()), ..steps }),
    };
    let (mut before, mut stands): (Option<String>, Option<String>) = (None, None);
    for step in history.into_iter().rev() {
        let Some(said) = StepTrailers::read(&step.message) else {
            steps.broken.get_or_insert_with(|| format!("a step has no trailers: {}", step.commit));
            continue;
        };
        let why = follows(repo, job, &step, &said, before.as_deref(), stands.as_deref());
        steps.broken = steps.broken.take().or(why);
        if let Some((_, to)) = said.step.split_once(" -> ") {
            stands = Some(to.to_owned());
        }
        before = Some(said.id.clone());
        if let Some(carried) = &said.carries {
            steps.by_carried.insert(carried.clone(), said.id.clone());
        }
        steps.by_id.insert(said.id.clone(), TakenStep { said, step });
    }
    Ok(steps)
}

pub(crate) fn follows(
    repo: &Repo,
    job: &JobId,
    step: &Step,
    said: &StepTrailers,
    before: Option<&str>,
    stands: Option<&str>,
) -> Option<String> {
    let named = format!("step {} ({})", said.id, step.commit);
    if said.job != job.to_string() {
        return Some(format!("{named} is of job {}", said.job));
    }
    if said.id != seed_id(&said.job, before, &said.step) {
        return Some(tell(Notice::StepNotFollowing, &[("step", &named)]));
    }
    let (from, to) = said.step.split_once(" -> ")?;
    if stands.is_some_and(|stands| stands != from) {
        return Some(tell(Notice::StepFromElsewhere, &[("step", &named), ("from", from)]));
    }
    (!is_edge(repo, from, to))
        .then(|| tell(Notice::StepOffMap, &[("step", &named), ("from", from), ("to", to)]))
}

/// True where a map of the rules has this step: on, back, aside and home again, or from
/// a lane to where a larger map begins.
fn is_edge(repo: &Repo, from: &str, to: &str) -> bool {
    let (from, to) = (PhaseName::from(from), PhaseName::from(to));
    let maps: Vec<_> =
        repo.rules.maps.names().into_iter().map(|name| repo.rules.maps.get(name)).collect();
    let begins = maps.iter().any(|map| map.start == to);
    maps.iter().any(|map| map.is_aside(&from))
        || maps.iter().any(|map| {
            let row = map.phase(&from);
            let has = row.is_some_and(|row| {
                row.next.contains(&to) || row.back.contains(&to) || row.side.as_ref() == Some(&to)
            });
            has || (map.lane.is_some() && row.is_some() && begins)
        })
}
