//! What commits name: whether each is the one that a step of its job's chain made, whether its
//! note says what the step was, and where the commits of the steps are that no longer name it.
//!
//! Content vouches, never a name: a commit that lost its trailers and changes the same is
//! `followed`; one that a note or a chain leads to and that is not here, or not the same, is not
//! measured.

use std::collections::{BTreeMap, BTreeSet};

use crate::claims::audit::{Content, Findings, Standing};
use crate::engine::bypasses;
use crate::engine::contents::Ids;
use crate::engine::proof::chain::{Jobs, Steps, TakenStep, archived_steps, open_jobs, state_at};
use crate::engine::proof::followed::{Follows, Here, Lacking, Search};
use crate::engine::record;
use crate::engine::repo::{Repo, Result};
use crate::format::notes::{self, Record};
use crate::format::state::{State, Unclaimed};
use crate::format::trailers::{self, StepTrailers, claimed_ids, claimed_jobs, is_cut};
use crate::format::{names, seed_id};
use crate::jobs::Status;
use crate::jobs::shortword::SaidLane;
use crate::phases::message::Message;
use crate::store::{CommitId, Notes, Tip};
use crate::voice::{Notice, tell};
use crate::world::progress;

/// As many of the newest closed jobs are looked at for commits that name none.
const CLOSED: usize = 50;

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
    let (mut search, mut judged, mut covered) = (Search::new(repo), Vec::new(), Ids::new());
    progress::begin(&tell(Notice::DoesCommits, &[]), ground.named.len());
    for (commit, message) in ground.named.clone() {
        progress::step();
        let (standing, follows) = ground.judge(&mut search, &commit, &message)?;
        covered.extend(follows.iter().flat_map(|it| it.ids.clone()));
        keep(findings, &commit, follows.as_ref());
        if ground.is_undone(&message) {
            findings.undone.push(commit.to_string());
        }
        judged.push((commit, standing));
    }
    let (unnamed, missing) = ground.unnamed(&mut search, &covered)?;
    findings.plain = Some(ground.plain().len() - unnamed.len());
    for (commit, follows) in unnamed {
        keep(findings, &commit, Some(&follows));
        judged.push((commit, follows.unnamed()));
    }
    judged.extend(missing);
    ground.meet_bare_jobs(judged.is_empty());
    for (job, steps) in &ground.jobs {
        // Its commits say so.
        let Some(steps) = steps else { continue };
        let standing = match (&steps.broken, &steps.unmeasured) {
            (Some(why), _) => Standing::Broken(why.clone()),
            (None, Some(why)) => Standing::NotMeasured(why.clone()),
            (None, None) => Standing::Verified,
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
    findings.bypasses = ground.bypasses(findings);
    Ok(())
}

/// Keeps which steps the commit stands for.
fn keep(findings: &mut Findings, commit: &CommitId, follows: Option<&Follows>) {
    let Some(follows) = follows else { return };
    if follows.loose {
        findings.loose.insert(commit.to_string());
    }
    findings.beside(commit.as_str(), &follows.beside);
    let jobs = findings.follows.entry(commit.to_string()).or_default();
    jobs.entry(follows.job.clone()).or_default().extend(follows.ids.clone());
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

impl Ground<'_> {
    /// How often a person went past the rules, in the jobs that were looked at and beside them; of
    /// a range, in those that its commits lead to.
    fn bypasses(&self, findings: &Findings) -> BTreeMap<String, u32> {
        let claimed = self.named.iter().flat_map(|(_, message)| claimed_jobs(message));
        let followed = findings.follows.values().flat_map(BTreeMap::keys).map(String::as_str);
        let here: BTreeSet<&str> = claimed.chain(followed).collect();
        let is_here = |job: &str| self.whole || here.contains(job);
        let jobs = || {
            let each = self.jobs.iter().filter(|(job, _)| is_here(job));
            each.filter_map(|(_, steps)| steps.as_ref())
        };
        let steps = jobs().flat_map(|job| {
            let stands = |taken: &&TakenStep| !job.undone.contains(&taken.said.id);
            job.by_id.values().filter(stands).map(|taken| taken.said.step.as_str())
        });
        let quick = |state: &State| state.said_lane == SaidLane::Quick;
        let small = jobs().filter(|job| job.state.as_ref().is_some_and(quick)).count();
        bypasses::counted(self.repo, steps, small)
    }

    /// Reads a job of the archive, if it was not met yet.
    fn meet(&mut self, job: &str) -> Result<()> {
        if !self.jobs.contains_key(job) {
            self.jobs.insert(job.to_owned(), archived_steps(self.repo, job)?);
        }
        Ok(())
    }

    /// The commit names a step that a person undid.
    fn is_undone(&self, message: &str) -> bool {
        let Some(said) = StepTrailers::read(message) else { return false };
        let Some(steps) = self.job(&said.job) else { return false };
        steps.taken(&said.id).is_some_and(|taken| steps.undone.contains(&taken.said.id))
    }

    fn job(&self, job: &str) -> Option<&Steps> {
        self.jobs.get(job).and_then(Option::as_ref)
    }

    /// A commit that names a step, in full or by what is left of its trailers; and the steps that
    /// it stands for besides.
    fn judge(
        &mut self,
        search: &mut Search<'_>,
        commit: &CommitId,
        message: &str,
    ) -> Result<(Standing, Option<Follows>)> {
        let said = StepTrailers::read(message);
        let mut standing = match &said {
            Some(said) => {
                self.meet(&said.job)?;
                named_step(self.repo, commit, said, self.job(&said.job))
            }
            None => Standing::NotMeasured(half_named(message)),
        };
        let mut follows = None;
        let open = matches!(standing, Standing::NotMeasured(_));
        let claimed: Ids = claimed_ids(message).map(str::to_owned).collect();
        if open && (said.is_some() || !is_cut(message)) {
            let jobs = self.jobs_of(commit, message)?;
            if let Some(why) = self.knows_none(&jobs, &claimed) {
                return Ok((Standing::NotMeasured(why), None));
            }
            match search.stands_for(&self.jobs, &jobs, commit, &claimed)? {
                Some(found) => {
                    standing = found.named();
                    follows = Some(found);
                }
                None if said.is_none() && jobs.iter().any(|job| self.job(job).is_some()) => {
                    standing = Standing::NotMeasured(tell(Notice::StepContent, &[]));
                }
                None => {}
            }
        }
        if let Some(said) = &said
            && let Some(found) = self.noted(commit, said)?
            // Nothing carries a note along a squash or a pick; content has vouched.
            && !matches!((&standing, &found), (Standing::Followed { .. }, Standing::NotMeasured(_)))
        {
            standing.worsen(found);
        }
        Ok((standing, follows))
    }

    /// Why ids that a commit claims lead nowhere, where a job that it leads to is here and none of
    /// them is of a step that is known.
    fn knows_none(&self, jobs: &BTreeSet<String>, claimed: &Ids) -> Option<String> {
        let id = claimed.first().filter(|_| jobs.iter().any(|job| self.job(job).is_some()))?;
        let knows = |steps: &Steps| {
            let written = |id: &String| steps.written().any(|written| written == id);
            claimed.iter().any(|id| steps.taken(id).is_some() || written(id))
        };
        let found = self.jobs.values().flatten().any(knows);
        (!found).then(|| tell(Notice::StepUnknownId, &[("id", id)]))
    }

    /// The jobs that a commit leads to, by its message or its note; they are met.
    fn jobs_of(&mut self, commit: &CommitId, message: &str) -> Result<BTreeSet<String>> {
        let lines = self.notes.and_then(|notes| notes.get(commit.as_str()));
        let lines = lines.into_iter().flatten().flatten();
        let noted = lines.filter_map(|line| notes::job_of(line));
        let mut jobs: BTreeSet<String> =
            claimed_jobs(message).map(str::to_owned).chain(noted).collect();
        let ids: Vec<&str> = claimed_ids(message).collect();
        let knows = |steps: &Steps| ids.iter().any(|id| steps.taken(id).is_some());
        let by_id = self.jobs.iter().filter(|(_, steps)| steps.as_ref().is_some_and(knows));
        jobs.extend(by_id.map(|(job, _)| job.clone()));
        for job in &jobs {
            self.meet(job)?;
        }
        Ok(jobs)
    }

    /// The newest closed jobs, but for those that were met.
    fn closed(&self) -> Result<Jobs> {
        let live = record::archive::live_ids(self.repo)?;
        let rows = record::archive::closed_beside(self.repo, &live.iter().collect(), CLOSED)?;
        let ids = rows.into_iter().map(|row| row.id.to_string());
        ids.filter(|id| !self.jobs.contains_key(id))
            .map(|id| archived_steps(self.repo, &id).map(|steps| (id, steps)))
            .collect()
    }

    /// Where no commit leads to a job, those among them that made none, such as one that was
    /// dropped early. What made one and is not found here vouches for nothing.
    fn meet_bare_jobs(&mut self, none_is_led_to: bool) {
        if !self.whole || !none_is_led_to || !self.jobs.is_empty() {
            return;
        }
        let bare = |steps: &Steps| steps.by_id.values().all(|taken| taken.said.commit.is_none());
        // An archive that does not read is told by `doctor`.
        let closed = self.closed().unwrap_or_default().into_iter();
        self.jobs = closed.filter(|(_, steps)| steps.as_ref().is_some_and(bare)).collect();
    }

    /// What the note of a commit says of its step, where that is not what the step was.
    fn noted(&self, commit: &CommitId, said: &StepTrailers) -> Result<Option<Standing>> {
        let (Some(notes), Some(steps)) = (self.notes, self.job(&said.job)) else {
            return Ok(None);
        };
        let Some(taken) = steps.taken(&said.id) else { return Ok(None) };
        let lines = match notes.get(commit.as_str()) {
            Some(Ok(lines)) => lines.as_slice(),
            // The note is broken by its own finding.
            Some(Err(_)) => return Ok(None),
            None => &[],
        };
        let wanted = record_of(self.repo, taken)?;
        let is_its = |one: &Record| (&one.key, &one.kind) == (&wanted.key, &wanted.kind);
        let records: Vec<Record> =
            lines.iter().filter_map(|line| Record::read(line)).filter(is_its).collect();
        let torn = lines.iter().any(|line| notes::is_torn(line));
        if records.is_empty() && !torn {
            return Ok(Some(Standing::NotMeasured(tell(Notice::StepNoteGone, &[]))));
        }
        let edited = || Standing::Broken(tell(Notice::StepNoteEdited, &[("step", &taken.said.id)]));
        // Of a note that was joined both lines are judged.
        let holds =
            !torn && records.iter().all(|one| *one == wanted) && self.are_said(lines, steps)?;
        Ok((!holds).then(edited))
    }

    /// Words of git seed's in a note are those of its steps; where one of them is another job's,
    /// its words are not known.
    fn are_said(&self, lines: &[String], steps: &Steps) -> Result<bool> {
        let mut known = BTreeSet::from([true, false].map(notes::undone_words));
        for (id, _) in lines.iter().filter_map(|line| notes::step_of(line)) {
            let Some(taken) = steps.taken(&id) else { return Ok(true) };
            let told = told_of(self.repo, taken)?;
            // The last number takes what is left of a long message.
            let lines = notes::words(&id, &told);
            known.extend(lines.iter().filter_map(|line| notes::words_of(line)).map(str::to_owned));
            known.extend(told);
        }
        let mut said = lines.iter().filter_map(|line| notes::words_of(line));
        Ok(said.all(|words| known.contains(words)))
    }

    /// Commits of the range that name no step and stand for some; and steps that should be there
    /// and are not.
    fn unnamed(&mut self, search: &mut Search<'_>, covered: &Ids) -> Result<Unnamed> {
        let mut missing = self.missing()?;
        missing.retain(|one| !covered.contains(&one.carried));
        let mut lacking = Lacking::new();
        for one in &missing {
            lacking.entry(one.job.clone()).or_default().insert(one.carried.clone());
        }
        let plain = self.plain();
        // An archive that does not read is told by `doctor`; who names its jobs says so by itself.
        let closed = if plain.is_empty() { Ok(Jobs::new()) } else { self.closed() };
        let closed = closed.unwrap_or_default();
        let here: BTreeSet<&str> =
            self.named.iter().flat_map(|(_, message)| claimed_ids(message)).collect();
        for (job, steps) in &closed {
            let Some(steps) = steps else { continue };
            let written = steps.written().map(str::to_owned);
            let all = steps.made(self.repo).into_iter().map(|step| step.id).chain(written);
            lacking.insert(job.clone(), all.filter(|id| !here.contains(&**id)).collect());
        }
        let mut jobs = std::mem::take(&mut self.jobs);
        let met: BTreeSet<String> = jobs.keys().cloned().collect();
        jobs.extend(closed);
        let found = search.unnamed(&jobs, &met, &plain, &mut lacking);
        jobs.retain(|job, _| met.contains(job));
        self.jobs = jobs;
        let found = found?;
        let mut gone = Vec::new();
        let is_left =
            |one: &Missing| lacking.get(&one.job).is_some_and(|lacks| lacks.contains(&one.carried));
        for one in missing.iter().filter(|one| one.ours && is_left(one)) {
            let why = tell(Notice::StepNotInHistory, &[("step", &one.id)]);
            gone.push((one.commit.clone(), Standing::NotMeasured(why)));
        }
        Ok((found, gone))
    }

    /// Commits of the range that name no step.
    fn plain(&self) -> Vec<Here> {
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
            for (_, job) in told.filter(|(id, _)| !here.contains(commit) && !named.contains(id)) {
                self.meet(&job)?;
            }
        }
        for (commit, _) in self.plain() {
            self.jobs_of(&commit, "")?;
        }
        let branch = self.repo.store.head()?.branch;
        let mut missing = Vec::new();
        for (job, steps) in &self.jobs {
            let Some(steps) = steps else { continue };
            let ours = self.whole
                && steps.state.as_ref().is_some_and(|state| {
                    state.job.status != Status::Voided
                        && branch.as_deref() == Some(&state.home.branch)
                });
            for (id, taken) in &steps.by_id {
                let carried = taken.said.carries.as_ref().unwrap_or(id).clone();
                let commit = taken.said.commit.as_ref().filter(|commit| !here.contains(*commit));
                let commit = commit.and_then(|commit| commit.parse().ok());
                if let Some(commit) = commit.filter(|_| !named.contains(&carried)) {
                    let (id, job, ours) =
                        (id.clone(), job.clone(), ours && !steps.undone.contains(id));
                    missing.push(Missing { job, id, carried, commit, ours });
                }
            }
        }
        Ok(missing)
    }
}

/// Commits that stand for steps, and steps that no commit stands for.
type Unnamed = (Vec<(CommitId, Follows)>, Vec<(CommitId, Standing)>);

/// A step whose commit the range does not hold.
struct Missing {
    job: String,
    id: String,
    /// The Seed-Id in the commit.
    carried: String,
    commit: CommitId,
    /// It should be in this history.
    ours: bool,
}

/// The note's record of a step, as it was written.
fn record_of(repo: &Repo, taken: &TakenStep) -> Result<Record> {
    let (none, unclaimed) = (leaves_nothing(taken), unclaimed_of(repo, taken)?);
    Ok(notes::step_record(&taken.said, none, &unclaimed, taken.step.dated))
}

/// The note's words of a step, as they were written.
fn told_of(repo: &Repo, taken: &TakenStep) -> Result<Vec<String>> {
    let (none, unclaimed) = (leaves_nothing(taken), unclaimed_of(repo, taken)?);
    let message = taken.said.commit.is_none().then(|| trailers::body(&taken.step.message));
    Ok(notes::told(&taken.said, none, &unclaimed, message))
}

fn leaves_nothing(taken: &TakenStep) -> bool {
    Message::new(trailers::body(&taken.step.message)).leaves_nothing()
}

fn unclaimed_of(repo: &Repo, taken: &TakenStep) -> Result<Vec<Unclaimed>> {
    let at = &taken.step.commit;
    let tree = repo.store.tree_of_commit(at)?;
    let state = repo.state_as_stored(&taken.said.job, &Tip { commit: at.clone(), tree })?;
    Ok(state.fence.unclaimed)
}

/// Whether a commit's trailers are those of the step that its job's chain has.
fn named_step(
    repo: &Repo,
    commit: &CommitId,
    said: &StepTrailers,
    steps: Option<&Steps>,
) -> Standing {
    let Some(steps) = steps else {
        return match without_chain(repo, commit, said) {
            Some(why) => Standing::Broken(why),
            None => Standing::NotMeasured(format!("job {} is not here", said.job)),
        };
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
        if steps.rejected.contains(&said.id) {
            return Standing::NotMeasured(tell(Notice::StepFell, &[("step", &said.id)]));
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

/// Why trailers whose chain is not here name no step that there could be, if they do not.
fn without_chain(repo: &Repo, commit: &CommitId, said: &StepTrailers) -> Option<String> {
    let (from, to) = said.step.split_once(" -> ")?;
    let named = format!("step {}", said.id);
    let facts = [("step", &*named), ("from", from), ("to", to)];
    // A commit whose tree does not read says nothing here.
    let proposed = repo.store.file_of_commit(commit, names::PROPOSED_RULES).ok()?;
    let off = repo.rules.has_no_step(from, to, &proposed.unwrap_or_default());
    (from != said.phase || off).then(|| tell(Notice::StepOffMap, &facts))
}

/// Whether a step of the chain was the one before that which a commit was made for.
fn was_meant(steps: &Steps, said: &StepTrailers) -> bool {
    let mut clones: Vec<Option<&str>> =
        steps.by_id.values().map(|taken| taken.said.clone.as_deref()).collect();
    clones.sort_unstable();
    clones.dedup();
    let meant = |before: &String, clone: Option<&str>| {
        seed_id(&said.job, Some(before), &said.step, clone) == said.id
    };
    steps.by_id.keys().any(|before| clones.iter().any(|clone| meant(before, *clone)))
}

/// A commit in the place of the one that its step made: content alone vouches for it.
fn rewritten(repo: &Repo, commit: &CommitId, named: &str) -> Standing {
    let was = tell(Notice::StepRewritten, &[("commit", named)]);
    let same = match named.parse::<CommitId>() {
        Ok(old) if repo.store.has_object(named) => repo.store.says_the_same(&old, commit),
        _ => return Standing::NotMeasured(was),
    };
    match same {
        Ok(Some(by)) => {
            let how = match by {
                Content::Tree => Notice::StepFollowedTree,
                Content::PatchId => Notice::StepFollowed,
            };
            Standing::Followed { why: tell(how, &[("was", &was)]), by }
        }
        Ok(None) => Standing::NotMeasured(tell(Notice::StepDiffers, &[("was", &was)])),
        Err(error) => Standing::NotMeasured(format!("{was}: {error}")),
    }
}
/// What is said of a commit with trailers of ours that name no step: a landed one leads back to its
/// job by two of them, and has no others.
fn half_named(message: &str) -> String {
    let of_a_step = ["Seed-Step:", "Seed-Phase:", "Seed-Cycle:", "Seed-Run:"];
    let landed = !is_cut(message)
        && !message.lines().any(|line| of_a_step.iter().any(|key| line.contains(key)));
    match claimed_jobs(message).next().filter(|_| landed) {
        Some(job) => tell(Notice::LandedUnknown, &[("job", job)]),
        None => tell(Notice::StepHalfNamed, &[]),
    }
}
