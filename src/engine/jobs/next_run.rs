//! Runs of a job: what each left to do, and beginning the next one.
//!
//! Why a cycle was added stands in the job's tree, one file for each and over all runs;
//! `job.toml` keeps how many there are.

use serde::Serialize;

use crate::engine::record::draft::{By, Journaling, StepDraft};
use crate::engine::record::kept::of_old_record;
use crate::engine::record::step::TOUCHED;
use crate::engine::repo::answer::Answered;
use crate::engine::repo::clone_file::known_clone;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::engine::{jobs, record};
use crate::format::context::Context;
use crate::format::names;
use crate::format::state::{Home, State};
use crate::jobs::{BadStatus, Job, JobId, Status, UnixSeconds, due};
use crate::memory::raw::Raw;
use crate::plans::Plan;
use crate::store::TreeEdit;
use crate::verdict::Refusal;

/// A job that began its next run.
#[derive(Clone, Debug)]
pub(crate) struct Begun {
    pub focused: LoadedJob,
    /// Why it is pending, where it was to be active.
    pub waits: Option<Refusal>,
}

/// A repeating job whose next run was due: `job scan-due --json`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Due {
    pub id: String,
    pub name: String,
    pub run: u32,
    pub status: &'static str,
    pub focused: bool,
}

/// Why cycles were added, over all runs, oldest first.
pub(crate) fn contexts(repo: &Repo, job: &LoadedJob) -> Result<Vec<Context>> {
    let state = &job.state;
    let mut contexts = Vec::new();
    for n in 1..=state.plan.contexts {
        let here = repo.counted_text(job, &names::context(n))?.here();
        contexts.extend(here.and_then(|bytes| Context::read(&String::from_utf8_lossy(&bytes))));
    }
    contexts.extend(state.plan.extension_contexts.iter().map(|text| of_old_record(state, text)));
    Ok(contexts)
}

/// Earlier runs whose session logs are looked for, logs of each, and how many are told.
const RUNS: usize = 10;

const LOGS: u32 = 20;

const LOGS_TOLD: usize = 3;

/// What earlier runs left to do, newest first, where a run begins.
pub(crate) fn learned(repo: &Repo, job: &LoadedJob) -> Result<Vec<String>> {
    let run = job.state.job.run;
    if run == 1 || job.state.stand.cycle > 1 {
        return Ok(Vec::new());
    }
    let told = contexts(repo, job)?.into_iter().rev().filter(|context| context.run < run);
    Ok(told.map(|context| format!("run {}: {}", context.run, context.text)).collect())
}

/// The session logs that earlier runs left, newest first, where a run begins: as paths of the work
/// tree, or as commands that show them.
pub(crate) fn earlier_logs(repo: &Repo, job: &LoadedJob) -> Vec<String> {
    let state = &job.state;
    if state.stand.cycle > 1 {
        return Vec::new();
    }
    let (raw, id) = (repo.rules.raw, state.job.id.as_str());
    let place = |file: &String| {
        let named = raw.named(id, file);
        match raw {
            Raw::Tree => repo.store.work_tree().join(&named).is_file().then_some(named),
            Raw::Ref => {
                // Told where a run begins: a record that does not read is told elsewhere.
                let held = repo.store.file(&job.tip, file).ok()?;
                held.map(|_| format!("git seed show {named}"))
            }
        }
    };
    let of_run = |run: u32| {
        let logs =
            (1..=LOGS).rev().map(move |cycle| names::of_run(run, &names::session_log(cycle)));
        logs.filter_map(|file| place(&file)).collect::<Vec<_>>()
    };
    (1..state.job.run).rev().take(RUNS).flat_map(of_run).take(LOGS_TOLD).collect()
}

/// Why the last cycle was added, if one was.
pub(crate) fn last_context(repo: &Repo, job: &LoadedJob) -> Option<Context> {
    let plan = &job.state.plan;
    if let Some(text) = plan.extension_contexts.last() {
        return Some(of_old_record(&job.state, text));
    }
    let n = Some(plan.contexts).filter(|n| *n > 0)?;
    // Told where a phase opens: what does not read is not told there, and `job show` says so.
    Context::read(&repo.words(job.texts(), &names::context(n)).ok()??)
}

/// Opens the next run of a completed job: pending, or active and focused here where that
/// is asked for and nothing is in the way.
pub(crate) fn reactivate_job(repo: &Repo, id: &JobId, active: bool) -> Answered<Begun> {
    repo.require_seeded()?;
    let job = repo.job(id)?;
    if let Err(refusal) = job.state.job.may_begin_again(job.state.is_closing()) {
        return Ok(Err(refusal));
    }
    let waits = if active { jobs::focus::focus_in_the_way(repo, id)? } else { None };
    let focus = active && waits.is_none();
    let here = repo.store.worktree_name();
    let begun = begin_run(repo, id, focus, By::Person, |state| {
        state.home.worktree.clone_from(&here);
        true
    })?;
    Ok(begun.map(|focused| Begun { focused, waits }))
}

/// One step that opens the next run, if `still` finds that it is wanted by then. A job
/// that was put away has its ref again from then on.
fn begin_run(
    repo: &Repo,
    id: &JobId,
    focus: bool,
    by: By,
    still: impl Fn(&mut State) -> bool,
) -> Answered<LoadedJob> {
    let _lock = repo.store.lock()?;
    if focus {
        jobs::focus::leave_focus(repo, repo.focused()?.as_ref())?;
    }
    let chain = &record::archive::restore(repo, id)?.chain;
    let (clone, fold) = (
        record::own_clone::clone_id(repo)?,
        if focus { Journaling::Restart } else { Journaling::Skip },
    );
    let taken = record::step::step(repo, chain, fold, |state, _| {
        if let Err(refusal) = state.job.may_begin_again(state.is_closing()) {
            return Ok(Err(refusal));
        }
        if !still(state) {
            return Ok(Err(state.job.is_under_way()));
        }
        let mut edits = Vec::new();
        if repo.is_foreign(state)? {
            // What another clone granted was not granted here.
            state.job.plugin_lock_approval = false;
        }
        edits.extend(begin(state, repo.now)?);
        state.home.clone.clone_from(&clone);
        if focus {
            state.job.become_(Status::Active, repo.now)?;
        }
        let subject = format!("run {} begins", state.job.run);
        Ok(Ok(StepDraft { edits, ..StepDraft::new(state, "reactivate", subject, by) }))
    })?;
    match taken {
        Ok(taken) if focus => jobs::focus::turn_to(repo, Ok(taken)),
        Ok(taken) => Ok(Ok(taken.focused)),
        Err(refusal) => {
            record::archive::put_away(repo, id)?;
            Ok(Err(refusal))
        }
    }
}

/// Opens the next run of every repeating job of this clone that is due, each by one step
/// that looks again whether it still is: two scans at once do no harm. One that is due
/// alone may take the focus of its worktree, where nothing has it.
pub(crate) fn scan_due(repo: &Repo) -> Result<Vec<Due>> {
    repo.require_seeded()?;
    let here = known_clone(&repo.store)?;
    let is_due = |state: &State| {
        due::is_due(&state.job, repo.rests(&state.stand), repo.now) && state.home.clone == here
    };
    let mut jobs = repo.jobs()?;
    for row in record::archive::closed(repo)? {
        if row.status == Status::Completed && row.repeating_interval > 0 {
            jobs.push(repo.job(&row.id)?);
        }
    }
    jobs.retain(|job| is_due(&job.state));
    let due: Vec<&Job> = jobs.iter().map(|job| &job.state.job).collect();
    let eager = due::takes_focus(&due).map(|job| job.id.clone());
    let mut begun = Vec::new();
    for job in &jobs {
        let wants_focus = eager.as_ref() == Some(&job.state.job.id);
        let there = if wants_focus { free_home(repo, &job.state)? } else { None };
        let at = there.as_ref().unwrap_or(repo);
        // Another scan, or a person, may have been first.
        let Ok(job) =
            begin_run(at, &job.state.job.id, there.is_some(), By::Hook, |state| is_due(state))?
        else {
            continue;
        };
        begun.push(Due {
            id: job.state.job.id.to_string(),
            name: job.state.job.name.clone(),
            run: job.state.job.run,
            status: job.state.job.status.word(),
            focused: there.is_some(),
        });
    }
    Ok(begun)
}

/// The worktree that the job lives in, if it is there and no job has its focus.
fn free_home(repo: &Repo, state: &State) -> Result<Option<Repo>> {
    let name = &state.home.worktree;
    let there = if name.is_empty() || *name == repo.store.worktree_name() {
        Some(repo.store.work_tree().to_owned())
    } else {
        repo.store.worktree_dir(name)?
    };
    // A worktree that does not open gets no focus: the run begins without, and waits for a person.
    let Some(repo) = there.and_then(|dir| Repo::discover(&dir).ok()) else { return Ok(None) };
    let free = repo.is_on() && repo.store.focus()?.is_none();
    Ok(Some(repo).filter(|_| free))
}

/// Begins the next run: all that a run leaves behind is as in a new job. What the job is, its
/// plan, the reasons for its cycles and the words said to it go on.
fn begin(state: &mut State, at: UnixSeconds) -> std::result::Result<Vec<TreeEdit>, BadStatus> {
    let mut job = state.job.clone();
    job.begin_again(at)?;
    let home = Home { worktree: state.home.worktree.clone(), ..Home::default() };
    let mut fresh = State::new(job, &state.stand.track, "");
    fresh.stand.bound.clone_from(&state.stand.bound);
    let old = std::mem::replace(state, fresh);
    let Plan { pointer, contexts, extension_contexts, .. } = old.plan;
    *state = State {
        step: old.step,
        steps: old.steps,
        folded: old.folded,
        plan: Plan { pointer, contexts, extension_contexts, ..Plan::default() },
        home,
        scheduled: old.scheduled,
        answered: old.answered,
        kinds: old.kinds,
        said_lane: old.said_lane,
        summed: old.summed,
        ..state.clone()
    };
    let of_the_run = [
        names::SCOPE,
        names::ALLOWED,
        names::PERSONS,
        names::EXCLUDES,
        names::ATTRIBUTES,
        names::BASELINE,
        names::NOTES,
        names::FOOTERS,
        names::FENCE,
        TOUCHED,
    ];
    Ok(of_the_run.iter().map(|path| TreeEdit::Remove { path: (*path).to_owned() }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::record::kept::add_cycle;
    use crate::engine::record::kept::move_contexts;
    use crate::format::state::{self, MOST_BYTES, Spilled};
    use crate::jobs::{Job, OBJECTIVE_BYTES_MOST};
    use crate::phases::PhaseName;
    use crate::rules::Rules;
    use crate::secrets::Masked;

    fn job() -> State {
        let id = "20261121t205612-7f3a".parse().expect("an id");
        let mut state = State::new(Job::created(id, "keep the escapes", 0), "opevc", "main");
        state.job.objective = "a word ".repeat(OBJECTIVE_BYTES_MOST / 7);
        state
    }

    fn bytes(edit: &TreeEdit) -> String {
        let TreeEdit::Put { bytes, .. } = edit else { panic!("a file: {edit:?}") };
        String::from_utf8(bytes.clone()).expect("text")
    }

    /// What the steps of forty cycles write, with every list as long as it gets.
    #[test]
    fn a_job_of_forty_cycles_stays_small_and_keeps_every_reason() {
        let rules = Rules::shipped().expect("the shipped rules");
        let map = rules.maps.home();
        let mut state = job();
        let mut kept = Vec::new();
        for cycle in 1..=40_u32 {
            loop {
                let step = state.stand.forward(map, None).expect("there is a way on");
                state.stand = state.stand.take(map, &step);
                state.stand.shelved.clear();
                for phase in ["observe", "plan", "execute", "verify"] {
                    let mut entry = state.stand.entry.clone();
                    entry.phase = PhaseName::from(phase);
                    let many = |what: &str, n: usize| {
                        (0..n).map(|i| (format!("{what}-{i:02}"), 99)).collect()
                    };
                    (entry.acts, entry.since) =
                        (many("shell-network", 17), many("shell-network", 17));
                    (entry.launches, entry.reflections) =
                        (many("verify-meta-auditor-of-mine", 16), many("counter-examples", 6));
                    state.stand.shelved.push(entry);
                }
                state.scheduled = vec!["0123456789abcdef".to_owned(); 32];
                state.answered = vec!["toolu_01A09q90qw90lkasdjl".to_owned(); 16];
                let (text, beside) = state::write_short(&state).expect("it fits");
                assert!(text.len() <= MOST_BYTES, "{} bytes in cycle {cycle}", text.len());
                let mut read = state::read(text.as_bytes()).expect("it reads");
                if let Some(beside) = beside {
                    read.take_back(toml::from_str::<Spilled>(&beside).expect("it reads"));
                }
                assert_eq!(read, state);
                if state.stand.phase.is_idle() {
                    break;
                }
            }
            if cycle % 2 == 0 {
                let why =
                    format!("cycle {cycle} left this: {}", "what is still to be done ".repeat(90));
                kept.push((
                    bytes(&add_cycle(&mut state, cycle, &why)),
                    cycle,
                    why.trim().to_owned(),
                ));
            }
        }
        assert_eq!((state.plan.contexts, state.plan.extension_cycles_added), (20, 20));
        for (file, cycle, text) in kept {
            assert_eq!(
                Context::read(&file),
                Some(Context { run: 1, cycle, text: Masked::new(&text) })
            );
        }
    }

    #[test]
    fn reasons_of_an_older_record_move_out_once() {
        let mut state = job();
        state.plan.extension_contexts = vec!["one".to_owned(), "two".to_owned()];
        let moved: Vec<String> = move_contexts(&mut state).iter().map(bytes).collect();
        let texts: Vec<_> = moved
            .iter()
            .filter_map(|file| Context::read(file))
            .map(|read| read.text.into_string())
            .collect();
        assert_eq!(texts, ["one", "two"]);
        assert_eq!((state.plan.contexts, state.plan.extension_contexts.len()), (2, 0));
        assert!(move_contexts(&mut state).is_empty());
    }
}
