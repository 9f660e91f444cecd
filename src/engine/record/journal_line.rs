//! One line more in the journal of a worktree.
//!
//! The journal has its own lock, held for one append. Counts run on from line to line.

use crate::engine::repo::text::count_words;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::event::Event;
use crate::format::journal::{Line, Linked, What};

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
        line.counts.words += words;
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
    if focused.is_some_and(|focused| focused.activity.is_err()) {
        return Ok(());
    }
    let mut line = Line { at: repo.now, ..Line::default() };
    let (base, folded) = focused
        .map_or(("", ""), |focused| (focused.state.step.as_str(), focused.state.folded.as_str()));
    base.clone_into(&mut line.base);
    let journal = repo.store.journal();
    journal.append(|last| {
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
    })?;
    Ok(())
}
