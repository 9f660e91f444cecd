//! What the agent hears of a job that has not begun: how it may begin.

use crate::engine::repo::Repo;
use crate::engine::voices;
use crate::format::state::State;
use crate::phases::FirstStep;
use crate::verdict::{Facts, NAMES};
use crate::voice::Line;

/// The text with the prompt that a job is born of.
pub(crate) fn text(repo: &Repo, state: &State) -> String {
    let line = match repo.first_step(state) {
        FirstStep::Whole => Line::Talk,
        FirstStep::Either => Line::TalkEither,
        FirstStep::Small => Line::TalkSmall,
    };
    let mut facts = Facts::default();
    if let Some(names) = repo.row_of(state).names.fact() {
        facts.set(NAMES, names);
    }
    voices::voices(repo).open(line, state.stand.phase.as_str(), &facts)
}
