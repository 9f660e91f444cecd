//! Crosses a boundary: judge, commit, record, and what follows from it.
//!
//! A refusal changes nothing. No lock is held while `git commit` runs; what is meant lies in
//! `pending` meanwhile, so that whoever comes next can finish it.

use crate::engine::boundary::draft::Passed;
use crate::engine::boundary::judge::NAMED;
use crate::engine::boundary::step::{Judged, Transitioned};
use crate::engine::fence::tree::Beginning;
use crate::engine::jobs::birth::Begins;
use crate::engine::record::draft::{By, Journaling, Taken};
use crate::engine::record::transition::Transition;
use crate::engine::repo::text::count;
use crate::engine::repo::{EngineError, LoadedJob, Repo, Result};
use crate::engine::{boundary, fence, jobs, memory, put_files, record, records, signing, untold};
use crate::format::interaction::Interaction;
use crate::format::state::LeftOver;
use crate::format::{names, notes, trailers};
use crate::jobs::Status;
use crate::jobs::routing::InteractionKind;
use crate::jobs::shortword::{SaidLane, ShortWord};
use crate::phases::message::Message;
use crate::phases::{Move, PhaseName, Write};
use crate::store::{CommitId, TreeEdit};
use crate::verdict::Refusal;
use crate::voice::{Notice, tell};

/// Crosses a boundary of the focused job.
pub(crate) fn cross(
    repo: &Repo,
    toward: &Transition,
    text: &str,
    by: By,
) -> Result<std::result::Result<Transitioned, Refusal>> {
    repo.require_focused()?;
    finish_pending(repo)?;
    record::rewritten::relink(repo)?;
    fence::after_call::forget_stale_proof(repo)?;
    let focused = repo.require_focused()?;
    // A killed step may have left them behind; what leaves condense has climbed.
    memory::notes::climb(repo, &focused)?;
    let text = &*boundary::ahead::with_change(repo, &focused, toward, text)?;
    let message = Message::new(text);
    let since = repo.read_since(&focused)?;
    focused.activity.clone()?;
    let mut judged = match boundary::judge::judge(repo, &focused, &since, toward, message.clone())?
    {
        Ok(judged) => judged,
        Err(refusal) => return Ok(Err(refusal)),
    };
    if focused.state.unlocked.is_some() {
        if let Err(refusal) = fence::surfaces::check_surface(repo, &focused)? {
            return Ok(Err(refusal));
        }
        // The check is a program like any other: what it left behind is judged too.
        judged = match boundary::judge::judge(repo, &focused, &since, toward, message)? {
            Ok(judged) => judged,
            Err(refusal) => return Ok(Err(refusal)),
        };
    }
    judged.adds.seen = boundary::judge::seen(repo, &focused, &since, &judged)?;
    untold::begins(repo, &focused, toward, text, by);
    let put = boundary::ledger::put_own_files(repo, &focused, toward, &mut judged)?;
    let commit = boundary::commit::phase_commit(repo, &focused, toward, &mut judged);
    if let Err(failed) = &commit {
        boundary::commit::remember_veto(repo, &focused, failed)?;
    }
    if !matches!(commit, Ok(Ok(_))) {
        boundary::ledger::take_back(repo, put, &mut judged)?;
    }
    let back = matches!(toward, Transition::Back { .. });
    let commit = match commit {
        Err(EngineError::Vetoed { .. }) if back => None,
        Ok(Err(refusal)) if back => {
            boundary::commit::remember(repo, &focused, &refusal)?;
            None
        }
        Ok(Err(refusal)) => return Ok(Err(refusal)),
        Err(failed) => return Err(failed),
        Ok(Ok(made)) => made,
    };
    if commit.is_none() && *toward == Transition::Checkpoint {
        return Err(EngineError::not_now(Notice::NothingToCheckpoint, &[]));
    }
    record(repo, &focused.chain, toward, judged, commit, by)
}

/// Takes the step that `toward` means; on a small lane it goes on through every phase whose
/// exit is met. All boundaries that were crossed, in order.
pub(crate) fn advance(
    repo: &Repo,
    toward: &Transition,
    text: &str,
    by: By,
) -> Result<std::result::Result<Vec<Transitioned>, Refusal>> {
    let first = match cross(repo, toward, text, by)? {
        Ok(crossed) => crossed,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let mut crossed = vec![first];
    let on = Transition::Forward { to: None, add_cycle: None, scope: Vec::new() };
    // Rules of an earlier program may lead round: no phase is walked through twice.
    let mut seen: Vec<PhaseName> = Vec::new();
    while let Some(last) = crossed.last()
        && matches!(toward, Transition::Forward { .. })
        && !seen.contains(&last.focused.state.stand.phase)
        && goes_on(repo, &last.focused, text)?
    {
        seen.push(last.focused.state.stand.phase.clone());
        match cross(repo, &on, text, by)? {
            Ok(next) => crossed.push(next),
            Err(_) => break,
        }
    }
    Ok(Ok(crossed))
}

/// The job walks a lane, and the exit of the phase that it came to is met already.
pub(crate) fn goes_on(repo: &Repo, focused: &LoadedJob, text: &str) -> Result<bool> {
    let walks = repo.map(&focused.state.stand).walks_through(repo.row(Some(focused)));
    Ok(walks && boundary::judge::missing_with(repo, focused, text)?.is_empty())
}

/// The step's note: on its commit, or on the last one of the job, with the message that no commit
/// holds.
fn note(repo: &Repo, taken: &Taken, judged: &Judged, commit: Option<&CommitId>) -> Result<()> {
    let state = &taken.focused.state;
    let (unclaimed, none) = (&state.fence.unclaimed, judged.message.leaves_nothing());
    let Some(on) = commit.cloned().or_else(|| state.home.commit.parse().ok()) else {
        return Ok(());
    };
    // As the chain has it, which `verify` compares it with.
    let told = repo.store.commit_message(&taken.focused.tip.commit)?;
    let message = commit.is_none().then(|| trailers::body(&told));
    let step = &taken.trailers;
    let mut lines = notes::words(&step.id, &notes::told(step, none, unclaimed, message));
    lines.push(notes::step_record(step, none, unclaimed, repo.store.dated(repo.now)).line());
    Ok(repo.store.note_add(&on, &lines, repo.now)?)
}

/// What the commits of the cycle hold, where the step closes it.
fn made(
    repo: &Repo,
    chain: &str,
    judged: &Judged,
    commit: Option<&CommitId>,
) -> Result<Option<TreeEdit>> {
    let focused = repo.require_focused()?;
    let stand = &focused.state.stand;
    if focused.chain != chain || !repo.map(stand).ends_cycle(judged.step.as_ref()) {
        return Ok(None);
    }
    let id = commit.map(|commit| repo.store.commit_message(commit)).transpose()?;
    let id = id.and_then(|message| trailers::StepTrailers::read(&message)).map(|said| said.id);
    let closing = id.as_deref().zip(commit);
    record::made::made(repo, &focused.tip, closing, (focused.state.job.run, stand.cycle))
}

/// The second half: lock, write the step, then what follows from it.
pub(crate) fn record(
    repo: &Repo,
    chain: &str,
    toward: &Transition,
    mut judged: Judged,
    commit: Option<CommitId>,
    by: By,
) -> Result<std::result::Result<Transitioned, Refusal>> {
    let pages = boundary::declare::pages_to_heal(repo, &judged, chain)?;
    let start = beginning(repo, &judged)?;
    let mut by_hand = fence::foreign_commits::commits_by_hand(repo, chain, commit.as_ref())?;
    by_hand.extend(still_runs(repo, toward)?);
    keep_from_gc(repo, chain, commit.as_ref(), start.as_ref(), &judged)?;
    judged.adds.made = made(repo, chain, &judged, commit.as_ref())?;
    let passed =
        Passed { toward, judged: &judged, commit: commit.as_ref(), start: start.as_ref(), by };
    // Until a job that ends here is closed: nobody else may take it for one that was left half
    // done.
    let _lock = repo.store.lock()?;
    let taken = record::step::step(repo, chain, Journaling::Read, |state, _| {
        let draft = boundary::draft::draft(repo, chain, state, &passed)?;
        state.proved &= !judged.survey.has_hooked_work(repo, state);
        Ok(Ok(memory::pages::keep_unhealed(repo, draft, state.steps, &pages)))
    })?;
    let taken = match taken {
        Ok(taken) => taken,
        Err(refusal) => return Ok(Err(refusal)),
    };
    // What is pending is forgotten last: whoever is killed before the note is found by it.
    note(repo, &taken, &judged, commit.as_ref())?;
    boundary::pending::forget_pending(repo)?;
    put_files::forget(repo)?;
    let mut remarks = memory::pages::write_healed(repo, &pages)?;
    let climbed = memory::notes::climb(repo, &taken.focused)?;
    remarks.extend(signing::tell_once(repo, judged.adds.unsigned.as_deref()));
    remarks.extend(climbed.iter().map(|page| tell(Notice::RemarkCarried, &[("page", page)])));
    remarks.extend(left_alone(&taken.focused, &judged, start.as_ref(), by_hand));
    let closes = repo.map(&taken.focused.state.stand).ends_cycle(judged.step.as_ref())
        && taken.focused.state.job.status == Status::Completed;
    let created = if closes { close(repo, &taken.focused)? } else { goes_on_from_here(repo)? };
    let rests = taken.focused.state.job.status == Status::Awaiting;
    let next = if rests { jobs::unattended::rest(repo, &taken.focused)? } else { None };
    if repo.map(&taken.focused.state.stand).ends_cycle(judged.step.as_ref()) {
        remarks.extend(unpacked(repo));
    }
    let Taken { focused, trailers } = taken;
    Ok(Ok(Transitioned {
        focused,
        trailers,
        commit,
        remarks,
        closed: closes,
        created,
        rests,
        next,
    }))
}

/// The fence looks from the tree as it is: the survey left its index as it was, and anchors and
/// hooks came after that.
fn goes_on_from_here(repo: &Repo) -> Result<Option<LoadedJob>> {
    fence::tree::snapshot(repo)?;
    Ok(None)
}

/// A command or a subagent of the agent's still runs where the step forward leaves the work: what
/// it makes from here on is in no commit of that step.
fn still_runs(repo: &Repo, toward: &Transition) -> Result<Option<String>> {
    let focused = repo.require_focused()?;
    let works = repo.row(Some(&focused)).write.contains(&Write::Scope);
    let runs = focused.activity.as_ref().is_ok_and(|counts| counts.activity.has_running());
    let leaves = matches!(toward, Transition::Forward { .. }) && works && runs;
    let phase = focused.state.stand.phase.as_str();
    Ok(leaves.then(|| tell(Notice::RemarkRunning, &[("phase", phase)])))
}

/// Packs what the cycle left loose; says why where it could not. The step is taken then, and loose
/// objects are as good: the next cycle's end tries again.
fn unpacked(repo: &Repo) -> Option<String> {
    let failed = repo.store.pack_ours(names::is_text).err()?;
    Some(tell(Notice::RemarkLoose, &[("why", &failed.to_string())]))
}

/// The work tree as it is, where the step begins a cycle.
fn beginning(repo: &Repo, judged: &Judged) -> Result<Option<Beginning>> {
    let begins = matches!(&judged.step, Some(Move::Forward(_))) && {
        let focused = repo.require_focused()?;
        repo.rests(&focused.state.stand)
    };
    begins.then(|| fence::tree::begin_fence(repo)).transpose()
}

/// Holds the phase commit and the fence's tree: nothing else does against a gc.
fn keep_from_gc(
    repo: &Repo,
    chain: &str,
    commit: Option<&CommitId>,
    start: Option<&Beginning>,
    judged: &Judged,
) -> Result<()> {
    let Some(id) = names::job_of(chain) else { return Ok(()) };
    let tree = start.and_then(|start| start.tree.parse().ok());
    let tree = tree.or(judged.survey.tree.clone());
    Ok(repo.store.keep_both(&names::keep_chain(&id), commit, tree.as_ref(), repo.now)?)
}

/// What the agent is told of changes and commits that are not its own, and of a larger track.
fn left_alone(
    focused: &LoadedJob,
    judged: &Judged,
    start: Option<&Beginning>,
    by_hand: Vec<String>,
) -> Vec<String> {
    let mut remarks = Vec::new();
    if let Some(start) = start.filter(|start| !start.persons.is_empty()) {
        let paths = count(start.persons.len(), "path");
        remarks.push(tell(Notice::RemarkPersons, &[("paths", &paths)]));
    }
    let hooked = judged.survey.hooked.iter().take(NAMED);
    remarks.extend(hooked.map(|path| tell(Notice::RemarkHooked, &[("path", path)])));
    remarks.extend(by_hand);
    if let Some(Move::Onto { track, .. }) = &judged.step {
        remarks.push(tell(Notice::RemarkTrack, &[("track", track)]));
    }
    let unclaimed = &focused.state.fence.unclaimed;
    if let Some(more) = unclaimed.len().checked_sub(NAMED).filter(|more| *more > 0) {
        remarks.push(tell(Notice::RemarkMore, &[("paths", &count(more, "path"))]));
    }
    for unclaimed in unclaimed.iter().take(NAMED) {
        remarks.push(tell(Notice::RemarkUnclaimed, &[("path", &unclaimed.path)]));
    }
    remarks
}

/// Gives up the focus of a job that is completed and idle; the prompts that waited become the
/// next job, and then the closed one is put away. Until the next one has the focus the closed one
/// keeps it: that is how [`finish_closing`] knows what is left to do. Who calls holds the lock.
pub(crate) fn close(repo: &Repo, focused: &LoadedJob) -> Result<Option<LoadedJob>> {
    let kept = waiting_prompts(repo, focused)?;
    let created = create_what_waited(repo, focused, &kept, None)?;
    put_away(repo, focused, created)
}

/// Gives up the focus of a job whose last step would have, where somebody was stopped in between;
/// says whether it did. What came from another clone is left to who looks at it.
pub(crate) fn finish_closing(repo: &Repo) -> Result<bool> {
    let turned = jobs::turning::finish(repo)?;
    // Without its journal: most often there is nothing to do.
    let left = || -> Result<Option<LeftOver>> {
        let Some((chain, tip)) = repo.store.focused()? else { return Ok(None) };
        let state = repo.state(&chain, &tip)?;
        let left = state.left_over();
        Ok(if left.is_some() && repo.is_foreign(&state)? { None } else { left })
    };
    // What does not read is named by whatever needs it next.
    if !matches!(left(), Ok(Some(_))) {
        return Ok(turned);
    }
    // Whoever is about to do it holds the lock.
    let _lock = repo.store.lock()?;
    let (Some(left), Some(focused)) = (left()?, repo.focused()?) else { return Ok(true) };
    match left {
        LeftOver::Closed => {
            let kept = waiting_prompts(repo, &focused)?;
            let begun = jobs::birth::begun_with(repo, &kept)?;
            let created = create_what_waited(repo, &focused, &kept, begun)?;
            put_away(repo, &focused, created)?;
        }
        LeftOver::Rests => {
            jobs::unattended::rest(repo, &focused)?;
        }
        LeftOver::Paused => jobs::focus::give_up(repo)?,
    }
    Ok(true)
}

fn put_away(
    repo: &Repo,
    closed: &LoadedJob,
    created: Option<LoadedJob>,
) -> Result<Option<LoadedJob>> {
    if created.is_none() {
        jobs::focus::give_up(repo)?;
    }
    record::archive::put_away(repo, &closed.state.job.id)?;
    Ok(created)
}

/// The next job, from the prompts that waited; `begun` is one of them that exists already and
/// has no focus yet.
fn create_what_waited(
    repo: &Repo,
    focused: &LoadedJob,
    kept: &[Interaction],
    begun: Option<LoadedJob>,
) -> Result<Option<LoadedJob>> {
    let Some((first, more)) = kept.split_first() else { return Ok(None) };
    if let Some(begun) = begun {
        record::step::focus(repo, &begun)?;
    } else {
        let driver = &focused.state.driver;
        let track = match repo.rules.short_word(&first.text) {
            Some((ShortWord::Track(name), _)) => Some(name),
            _ => jobs::tracks::named_by_paths(repo, &first.text),
        };
        let said_lane = SaidLane::of(&first.text);
        let track = track.as_deref().filter(|_| said_lane == SaidLane::Unsaid);
        let begins = Begins { said_lane, track };
        jobs::birth::create_from_prompts(repo, first, more, driver, begins)?;
    }
    repo.require_focused().map(Some)
}

/// The prompts that a closing job keeps for the next one; short words said meanwhile did their
/// work already.
fn waiting_prompts(repo: &Repo, focused: &LoadedJob) -> Result<Vec<Interaction>> {
    let Some(first) = focused.state.job.kept_prompt else { return Ok(Vec::new()) };
    let mut kept = Vec::new();
    for n in first..=focused.state.job.interactions {
        let entry = repo.counted_entry(focused, n)?.filter(|entry| entry.gone.is_none());
        let Some(read) = entry.map(|entry| entry.said) else { continue };
        let creates = match repo.rules.short_word(&read.text) {
            None => true,
            Some((ShortWord::Pause | ShortWord::Off | ShortWord::Approve(_), _)) => false,
            Some((_, rest)) => !rest.is_empty(),
        };
        if read.kind == InteractionKind::Prompt && creates {
            kept.push(read);
        }
    }
    Ok(kept)
}

/// Finishes a boundary that was stopped after its commit; forgets one that was stopped before, and
/// takes back what it had written.
pub(crate) fn finish_pending(repo: &Repo) -> Result<Option<Transitioned>> {
    let taken = finish_commit(repo)?;
    put_files::finish(repo, record::pending_file::pending_file(repo).exists())?;
    Ok(taken)
}

fn finish_commit(repo: &Repo) -> Result<Option<Transitioned>> {
    record::meant_files::finish(repo)?;
    boundary::pending::mend_index(repo)?;
    let Some(pending) = record::pending_file::pending(repo)?
        .filter(|pending| !crate::world::is_running(&pending.owner))
    else {
        return Ok(None);
    };
    let head = repo.store.head()?.commit;
    if head.as_ref().map(ToString::to_string).unwrap_or_default() == pending.head {
        // Not made, or not yet: git may outlive the program that called it.
        return Ok(None);
    }
    let meant =
        head.as_ref().map(|head| boundary::pending::is_meant(repo, &pending, head)).transpose()?;
    let head = head.filter(|_| meant == Some(true));
    let focused = repo.focused()?.filter(|focused| focused.chain == pending.chain);
    let (Some(head), Some(focused)) = (head, focused) else {
        boundary::pending::forget_pending(repo)?;
        return Ok(None);
    };
    records::attest_commit(repo, &head)?;
    if focused.state.step == pending.id {
        boundary::pending::note_again(repo, &focused)?;
        boundary::pending::forget_pending(repo)?;
        return Ok(None);
    }
    let since = repo.read_since(&focused)?;
    let judged = boundary::judge::judge(
        repo,
        &focused,
        &since,
        &pending.toward,
        Message::new(&pending.text),
    )?;
    let Ok(mut judged) = judged else {
        boundary::pending::forget_pending(repo)?;
        return Ok(None);
    };
    judged.adds.seen = boundary::judge::seen(repo, &focused, &since, &judged)?;
    let toward = (&pending.toward, &judged);
    judged.adds.ledger = boundary::ledger::ledger_in(repo, &focused, &head, toward)?;
    match record(repo, &pending.chain, &pending.toward, judged, Some(head), By::Agent) {
        // A step that can no longer be written must not stand in the way of every other.
        Err(error) if !matches!(error, EngineError::Store(_)) => {
            boundary::pending::forget_pending(repo)?;
            Ok(None)
        }
        done => done.map(std::result::Result::ok),
    }
}
