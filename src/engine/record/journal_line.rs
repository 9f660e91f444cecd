//! One line more in the journal of a worktree.
//!
//! The journal has its own lock, held for one append. Counts run on from line to line.

use crate::engine::quote::count_words;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::event::{Event, ToolCall};
use crate::format::journal::{self, Counts, Line, Linked, What};
use crate::store::Tail;

/// No more than `commands` of the background are under way, the host says.
pub(crate) fn commands_ended(repo: &Repo, event: &Event, commands: u32) -> Result<()> {
    let Some(focused) = repo.focused()? else { return Ok(()) };
    let running = focused.activity.as_ref().map_or(0, |counts| counts.activity.running.len());
    let over = running.saturating_sub(commands as usize);
    if over > 0 && !repo.is_guest(&focused, event)? {
        note(repo, Some(&focused), |line| {
            line.what = What::Launched;
            line.session.clone_from(&event.session);
            let running = &mut line.counts.activity.running;
            running.drain(..over.min(running.len()));
        })?;
    }
    Ok(())
}

/// A text that the host wrote itself tells of a background command that it names.
pub(crate) fn command_told(repo: &Repo, focused: &LoadedJob, text: &str) -> Result<()> {
    let told = |call: &String| !call.is_empty() && text.contains(call.as_str());
    if focused.activity.as_ref().is_ok_and(|counts| counts.activity.running.iter().any(told)) {
        note(repo, Some(focused), |line| {
            line.what = What::Launched;
            line.counts.activity.running.retain(|call| !told(call));
        })?;
    }
    Ok(())
}

/// Counts words that are put before the agent.
pub(crate) fn count_injected(repo: &Repo, focused: &LoadedJob, text: &str) -> Result<()> {
    let words = count_words(text);
    note(repo, Some(focused), |line| {
        line.what = What::After;
        "session".clone_into(&mut line.tool);
        line.counts.tell(words);
    })
}

/// Adds one line to the journal, over the focused job or over none.
///
/// A journal that does not hold is left as it is: `doctor` tells and mends it.
pub(crate) fn note(
    repo: &Repo,
    focused: Option<&LoadedJob>,
    fill: impl FnOnce(&mut Line),
) -> Result<()> {
    // Where no job is kept nothing is counted, and the journal of one that rests stays as it is.
    if !repo.rules.mode.keeps_jobs() || focused.is_some_and(|focused| focused.activity.is_err()) {
        return Ok(());
    }
    repo.store.journal().append(|last| linked(repo, focused, last, fill))?;
    Ok(())
}

/// The same for a line about `call`, which is the last one of its kind about it: the host may hand
/// the event over twice, and a call that passes keeps nothing by which that could be told sooner.
/// False where the line is there already.
pub(crate) fn note_once(
    repo: &Repo,
    focused: Option<&LoadedJob>,
    about: (What, &Event, &ToolCall),
    fill: impl FnOnce(&mut Line),
) -> Result<bool> {
    let (what, event, call) = about;
    if !repo.rules.mode.keeps_jobs() || focused.is_some_and(|focused| focused.activity.is_err()) {
        return Ok(false);
    }
    let known = |bytes: &[u8]| is_about(repo, bytes, what, event, call);
    Ok(repo.store.journal().append_unless(known, |last| {
        linked(repo, focused, last, |line| {
            line.what = what;
            line.session.clone_from(&event.session);
            line.tool.clone_from(&call.tool);
            line.call = journal::name_of(what, call);
            fill(line);
        })
    })?)
}

/// The counts that the next line of the journal would go on from; none where it does not hold.
pub(crate) fn counts_now(repo: &Repo, focused: Option<&LoadedJob>) -> Option<Counts> {
    if focused.is_some_and(|focused| focused.activity.is_err()) {
        return None;
    }
    let last = match repo.store.journal().tail() {
        Ok(Tail::Line(last)) => Some(last),
        Ok(Tail::Absent | Tail::Empty) => None,
        // Nothing can be counted over it.
        Err(_) => return None,
    };
    let mut counts = None;
    linked(repo, focused, last.as_deref(), |line| counts = Some(line.counts.clone()));
    counts
}

/// The journal has a line of this kind about `call`.
pub(crate) fn is_noted(repo: &Repo, what: What, event: &Event, call: &ToolCall) -> bool {
    // Where it cannot be read the call is judged as any other.
    let lines = repo.store.journal().recent().unwrap_or_default();
    lines.iter().any(|line| is_about(repo, line, what, event, call))
}

fn is_about(repo: &Repo, bytes: &[u8], what: What, event: &Event, call: &ToolCall) -> bool {
    let about = |line: &Line| line.is_about(what, &event.session, call, repo.now);
    journal::may_name(bytes, &journal::name_of(what, call))
        && Linked::read(bytes).is_ok_and(|linked| about(&linked.line))
}

/// The line that follows `last`.
fn linked(
    repo: &Repo,
    focused: Option<&LoadedJob>,
    last: Option<&[u8]>,
    fill: impl FnOnce(&mut Line),
) -> Vec<u8> {
    let mut line = Line { at: repo.now, ..Line::default() };
    let (base, folded) = focused
        .map_or(("", ""), |focused| (focused.state.step.as_str(), focused.state.folded.as_str()));
    base.clone_into(&mut line.base);
    // A line that does not read breaks the chain: what is linked here does not follow it, so
    // the next reader hears that the journal was changed.
    let last = last.and_then(|bytes| Linked::read(bytes).ok());
    // A step may have landed since the job was read: the journal has begun anew then,
    // and its own base is the right one. Only a journal that the job itself folded,
    // whose successor was never written, is begun by this line.
    let follows = last.as_ref().filter(|last| focused.is_none() || last.hash != folded);
    if let Some(last) = follows {
        if focused.is_some() {
            line.base.clone_from(&last.line.base);
        }
        if last.line.base == line.base {
            line.counts = last.line.counts.clone();
        }
    }
    let prev = last.map_or_else(|| folded.to_owned(), |last| last.hash);
    fill(&mut line);
    line.link(&prev)
}
