//! What a person's look at finished work opens: the step that closes the cycle for their words,
//! and the step back to the work.

use crate::engine::jobs::birth::QUICK;
use crate::engine::record;
use crate::engine::repo::{LoadedJob, Repo, Result};
use crate::format::fold::JournalLines;
use crate::format::state::State;
use crate::jobs::routing::InteractionKind;
use crate::jobs::summary;
use crate::phases::review::Review;
use crate::phases::{Class, Move, PhaseKind, PhaseName};
use crate::verdict::Refusal;
use crate::voice::{Notice, tell};

/// The step that closes the cycle, where the person has looked and said what they want.
pub(crate) fn closes(
    repo: &Repo,
    focused: &LoadedJob,
    since: &JournalLines,
) -> std::result::Result<Move, Refusal> {
    focused.state.review_after(since).opens_a_cycle()?;
    focused.state.stand.forward(repo.map(&focused.state.stand), None)
}

/// The step back. Memory that is settled has none, but on a small lane, after the person wanted a
/// look, while nothing was written there.
pub(crate) fn back(
    repo: &Repo,
    focused: &LoadedJob,
    since: &JournalLines,
    to: Option<&PhaseName>,
) -> std::result::Result<Move, Refusal> {
    let (state, map) = (&focused.state, repo.map(&focused.state.stand));
    let looked = matches!(state.review, Review::Looking | Review::Spoken);
    let untouched = state.stand.entry.page_edits == 0 && since.touched().next().is_none();
    if looked && untouched && repo.row(Some(focused)).kind == PhaseKind::Consolidation {
        return state.stand.back_to_work(map, to);
    }
    state.stand.backward(map, to)
}

/// The step to where code runs, in a phase that runs none: the work was changed since it ran, by
/// a rebase of the person's perhaps.
pub(crate) fn way_to_a_run(repo: &Repo, focused: &LoadedJob) -> Result<Option<String>> {
    let row = repo.row(Some(focused));
    if row.opens(Class::ShellCode) || row.reproduces {
        return Ok(None);
    }
    let since = repo.read_since(focused)?;
    Ok(Some(match back(repo, focused, &since, None) {
        Ok(Move::Back(to)) => tell(Notice::JudgedBack, &[("phase", to.as_str())]),
        _ if focused.state.review_after(&since).opens_a_cycle().is_ok() => {
            tell(Notice::JudgedReview, &[])
        }
        _ => {
            let why = tell(Notice::RunsNothing, &[("phase", row.name.as_str())]);
            tell(Notice::JudgedAtRest, &[("why", &why)])
        }
    }))
}

/// The track of the cycle that a person's words open.
pub(crate) fn track<'a>(repo: &'a Repo, state: &State) -> &'a str {
    // What the repository's own track keeps out stays out.
    let own = repo.rules.maps.is_own(&state.stand.track);
    let has_lane = !own && repo.rules.maps.names().contains(&QUICK);
    if has_lane { QUICK } else { repo.map(&state.stand).name.as_str() }
}

/// What the person said of the work, as the newest words that the job keeps of them.
pub(crate) fn words(repo: &Repo, chain: &str, state: &State) -> Result<String> {
    for n in (1..=state.job.interactions).rev() {
        let Some(read) = record::interactions::interaction(repo, chain, n)? else { continue };
        let said = match read.kind {
            InteractionKind::Prompt => match repo.rules.short_word(&read.text) {
                Some((_, rest)) => rest.trim().to_owned(),
                None => read.text.into_string(),
            },
            InteractionKind::Question => {
                read.text.rsplit_once(summary::ANSWER).map_or("", |(_, said)| said).to_owned()
            }
            InteractionKind::Automation => continue,
        };
        if !said.is_empty() {
            return Ok(said);
        }
    }
    Ok(state.job.name.clone())
}
