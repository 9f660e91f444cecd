//! The phase commit: its message, its trailers, and `git commit` with the person's hooks.

use crate::engine::boundary::step::Judged;
use crate::engine::record::pending_file::Pending;
use crate::engine::record::transition::Transition;
use crate::engine::repo::{EngineError, LoadedJob, Repo, Result};
use crate::engine::subjects::{self, Worded};
use crate::engine::{boundary, fence, hook_times, record, signing};
use crate::format::journal::{Refused, What};
use crate::format::state::State;
use crate::format::trailers::StepTrailers;
use crate::format::{seed_id, short_hash};
use crate::phases::gates;
use crate::store::{CommitFailed, CommitId, ConfigFiles, Identity, Made, Staged};
use crate::verdict::Refusal;
use crate::voice::Notice;
use crate::world;

/// Makes the phase commit; `None` when there is nothing to commit. Refused where it came to hold
/// what it may not hold.
pub(crate) fn phase_commit(
    repo: &Repo,
    focused: &LoadedJob,
    toward: &Transition,
    judged: &mut Judged,
) -> Result<std::result::Result<Option<CommitId>, Refusal>> {
    let untaken = match boundary::hooked::untaken(repo, focused, judged)? {
        Ok(untaken) => untaken,
        Err(refusal) => return Ok(Err(refusal)),
    };
    if judged.survey.own.is_empty() {
        return Ok(Ok(untaken));
    }
    let configs = configs(repo);
    let plainly = configs.as_ref().is_some_and(|configs| !configs.stores);
    let staged = repo.store.stage(&judged.survey.own, plainly).map_err(vetoed)?;
    let Some(staged) = staged else { return Ok(Ok(untaken)) };
    let known = known(repo, configs.is_some_and(|configs| configs.name_somebody()));
    let signed = match signing::how(repo)? {
        Ok(signed) => signed,
        Err(refusal) => return Ok(Err(refusal)),
    };
    judged.adds.unsigned = signed.remark;
    let staged = staged.in_the_name_of(known).signed(signed.sign);
    let (pending, made) = commit(repo, focused, toward, judged, &staged)?;
    match made {
        Ok(made) => {
            hook_times::keep(repo, made.commit.as_str(), &made.hooks);
            let kept = boundary::hooked::compare(repo, focused, judged, &staged, made)?;
            if kept.is_err() {
                boundary::pending::forget_pending(repo)?;
            }
            Ok(kept.map(Some))
        }
        Err(failed) => {
            // A git that outlived its killed caller may have made this very commit first.
            if let Some(head) = repo.store.head()?.commit
                && boundary::pending::is_meant(repo, &pending, &head)?
            {
                return Ok(Ok(Some(head)));
            }
            boundary::pending::forget_pending(repo)?;
            Err(vetoed(failed))
        }
    }
}

/// Has git commit, once more where the person's hook wants other words; what was meant last.
fn commit(
    repo: &Repo,
    focused: &LoadedJob,
    toward: &Transition,
    judged: &Judged,
    staged: &Staged,
) -> Result<(Pending, std::result::Result<Made, CommitFailed>)> {
    let trailers = trailers(repo, &focused.state, &judged.name)?;
    let worded = Worded {
        state: &focused.state,
        checkpoint: *toward == Transition::Checkpoint,
        message: &judged.message,
        mixed: &judged.survey.mixed,
        step: &trailers,
    };
    let message = worded.text(repo, &subjects::in_use(repo)?);
    let pending = Pending {
        id: trailers.id.clone(),
        before: focused.state.step.clone(),
        head: repo.store.head()?.commit.as_ref().map(ToString::to_string).unwrap_or_default(),
        tree: staged.tree().to_string(),
        message: short_hash(message.as_bytes(), 32),
        chain: focused.chain.clone(),
        toward: toward.clone(),
        text: judged.sent.clone(),
        held: staged.held().to_vec(),
        owner: world::myself(),
    };
    boundary::pending::write_pending(repo, focused, &pending)?;
    let made = repo.store.commit_staged(staged, message.as_bytes(), &pending.id);
    if !subjects::is_about_words(&made) {
        return Ok((pending, made));
    }
    let Some(message) = subjects::another(repo, &worded, &message, &pending.id)? else {
        return Ok((pending, made));
    };
    let pending = Pending { message: short_hash(message.as_bytes(), 32), ..pending };
    boundary::pending::write_pending(repo, focused, &pending)?;
    let made = repo.store.commit_staged(staged, message.as_bytes(), &pending.id);
    Ok((pending, made))
}

/// The configuration that children read; of that of a session with another environment this
/// process knows nothing.
fn configs(repo: &Repo) -> Option<ConfigFiles> {
    repo.store.reads_as_children().then(|| fence::fingerprints::configs(repo))
}

/// Who commits where git may not know: a host's shell may have taken the person's configuration
/// away.
fn known(repo: &Repo, named: bool) -> Option<Identity> {
    let usual = world::variable("GIT_CONFIG_GLOBAL").is_none();
    if (named && usual) || repo.is_person().is_ok() { None } else { record::identity::known(repo) }
}

pub(crate) fn trailers(repo: &Repo, state: &State, step: &str) -> Result<StepTrailers> {
    let clone = record::own_clone::taker(repo)?;
    let before = Some(state.step.as_str()).filter(|step| !step.is_empty());
    Ok(StepTrailers {
        job: state.job.id.to_string(),
        run: state.job.run,
        cycle: state.stand.cycle,
        phase: state.stand.phase.to_string(),
        step: step.to_owned(),
        id: seed_id(&state.job.id.to_string(), before, step, clone.as_deref()),
        commit: None,
        carries: None,
        by: None,
        back: None,
        // Of the chain alone; the branch names the step.
        clone: None,
        rules: None,
        redacts: Vec::new(),
    })
}

/// Keeps for `status` and `why` what a hook of the person's refused.
pub(crate) fn remember_veto(repo: &Repo, focused: &LoadedJob, failed: &EngineError) -> Result<()> {
    let EngineError::Vetoed { by_hook, output, .. } = failed else { return Ok(()) };
    remember(repo, focused, &gates::vetoed(by_hook.as_deref(), output))
}

/// Keeps a refusal that a person's hook is the reason of.
pub(crate) fn remember(repo: &Repo, focused: &LoadedJob, refusal: &Refusal) -> Result<()> {
    let phase = focused.state.stand.phase.as_str();
    record::journal_line::note(repo, Some(focused), |line| {
        line.what = What::Refused;
        line.refusal = Some(Refused::of(refusal, phase));
        line.counts.refusals += 1;
    })
}

/// The lock that git could not take, as git says it.
fn lock_in_the_way(output: &str) -> Option<&str> {
    let (before, _) = output.split_once("': File exists")?;
    let (_, path) = before.rsplit_once('\'')?;
    path.strip_suffix(".lock").map(|_| path)
}

fn vetoed(failed: CommitFailed) -> EngineError {
    match failed {
        CommitFailed::Refused { output, by_hook: None } if lock_in_the_way(&output).is_some() => {
            let lock = lock_in_the_way(&output).unwrap_or_default();
            EngineError::not_now(Notice::CommitLocked, &[("lock", lock)])
        }
        CommitFailed::Refused { output, by_hook } => {
            let hook =
                by_hook.as_ref().map(|hook| format!(" (the {hook} hook)")).unwrap_or_default();
            EngineError::Vetoed { hook, by_hook, output }
        }
        CommitFailed::Busy(what) => EngineError::not_now(Notice::CommitUnderWay, &[("what", what)]),
        CommitFailed::Store(error) => error.into(),
    }
}
